"""`sterna new membrane`: lipids in water, with a structure or without, by OpenMM."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sterna.building.solvate import (
    Cutoff,
    Negative,
    NegativeIon,
    Neutralize,
    Positive,
    PositiveIon,
    Salt,
    write_staged,
)
from sterna.errors import SternaError
from sterna.support.file_options import Output, Overwrite


class Lipid(StrEnum):
    """Lipids of which OpenMM has an equilibrated patch."""

    popc = "POPC"
    pope = "POPE"
    dlpc = "DLPC"
    dlpe = "DLPE"
    dmpc = "DMPC"
    dopc = "DOPC"
    dppc = "DPPC"


def membrane_command(
    output: Output,
    structure: Annotated[
        Path | None,
        typer.Argument(
            metavar="[PLACES]",
            help="A .pdb or .cif file with all hydrogens, whose part in the membrane lies along z; "
            "none: 128 lipids in water.",
        ),
    ] = None,
    lipid: Annotated[Lipid, typer.Option(help="Of both sides.")] = Lipid.popc,
    force_field: Annotated[
        list[str] | None,
        typer.Option(
            help="Of structure and lipids, one of OpenMM's, such as amber14-all.xml, the default; may "
            "be repeated. That of water and ions is amber14's TIP3P."
        ),
    ] = None,
    center: Annotated[
        float,
        typer.Option(help="Where in the structure the middle of the membrane is, in nm of z."),
    ] = 0.0,
    padding: Annotated[
        float | None,
        typer.Option(min=0.1, help="Lipids and water around the structure, in nm; default: 1."),
    ] = None,
    salt: Salt = 0.0,
    positive: PositiveIon = Positive.sodium,
    negative: NegativeIon = Negative.chloride,
    neutralize: Neutralize = True,
    cutoff: Cutoff = 1.0,
    overwrite: Overwrite = False,
) -> None:
    """Make a membrane of lipids in water, around a structure if one is given.

    OpenMM does it (pip install openmm). Bonds of hydrogen keep their lengths, and water its shape.
    The input has stages: it is minimized, heated, equilibrated at 1 bar along and across the
    membrane, and then produces.
    """
    from sterna.importing.sources import (
        Membrane,
        Settings,
        Solvent,
        in_membrane,
        own_force_fields,
    )

    if structure is None and (salt > 0.0 or padding is not None or center != 0.0):
        raise SternaError(
            "--salt, --padding and --center are for a structure in the membrane; expected one", 2
        )
    names = [*(force_field or ["amber14-all.xml"]), str(own_force_fields() / "amber14/tip3p.xml")]
    solvent = Solvent("tip3p", padding, None, salt, positive.value, negative.value, neutralize)
    source = in_membrane(
        structure, Settings(names, cutoff, "hydrogen"), Membrane(lipid.value, center), solvent
    )
    write_staged(source, structure, output, overwrite, "semi_isotropic")
