"""`sterna new solvate`: a structure in water with ions, by OpenMM."""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sterna.errors import SternaError
from sterna.support.edges_option import edges_of
from sterna.support.file_options import Output, Overwrite

if TYPE_CHECKING:
    from sterna.importing.sources import Source
    from sterna.importing.system import System

_COLD = 50.0  #: K, where heating begins
_LONG = 50000  #: steps of production


class Water(StrEnum):
    """Models of water whose atoms all have a mass."""

    tip3p = "tip3p"
    spce = "spce"


class Positive(StrEnum):
    """Ions that OpenMM adds."""

    sodium = "Na+"
    potassium = "K+"
    lithium = "Li+"
    cesium = "Cs+"
    rubidium = "Rb+"


class Negative(StrEnum):
    """Ions that OpenMM adds."""

    chloride = "Cl-"
    bromide = "Br-"
    fluoride = "F-"
    iodide = "I-"


Salt = Annotated[float, typer.Option(min=0.0, help="In mol/l.")]
PositiveIon = Annotated[Positive, typer.Option(help="The positive ion.")]
NegativeIon = Annotated[Negative, typer.Option(help="The negative ion.")]
Neutralize = Annotated[bool, typer.Option(help="Ions make up for a charge.")]
Cutoff = Annotated[float, typer.Option(min=0.1, help="In nm.")]


def solvate(
    output: Output,
    structure: Annotated[
        Path | None,
        typer.Argument(
            metavar="[PLACES]", help="A .pdb or .cif file with all hydrogens; none: water only."
        ),
    ] = None,
    water: Annotated[Water, typer.Option(help="The model of water.")] = Water.tip3p,
    force_field: Annotated[
        list[str] | None,
        typer.Option(
            help="Of the structure, one of OpenMM's, such as amber14-all.xml; may be repeated. That "
            "of water and ions is amber14's."
        ),
    ] = None,
    padding: Annotated[
        float | None, typer.Option(min=0.1, help="Water around the structure, in nm; default: 1.")
    ] = None,
    box: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,C",
            help="Edges of the box in nm, in place of --padding; one for a cube.",
        ),
    ] = None,
    salt: Salt = 0.0,
    positive: PositiveIon = Positive.sodium,
    negative: NegativeIon = Negative.chloride,
    neutralize: Neutralize = True,
    cutoff: Cutoff = 1.0,
    overwrite: Overwrite = False,
) -> None:
    """Put a structure into water with ions, neutral and at a concentration.

    OpenMM does it (pip install openmm). Water keeps its shape by constraints, and bonds of
    hydrogen their lengths. The input has stages: it is minimized, heated, equilibrated at 1 bar, and
    then produces.
    """
    from sterna.importing.sources import Settings, Solvent, own_force_fields, solvated

    if structure is None and box is None:
        raise SternaError("expected a structure, or --box and the water in it", 2)
    if padding is not None and box is not None:
        raise SternaError("expected --padding or --box, not both", 2)
    if structure is not None and not force_field:
        raise SternaError(
            f"expected --force-field for {structure}, such as --force-field amber14-all.xml", 2
        )
    names = [*(force_field or []), str(own_force_fields() / f"amber14/{water.value}.xml")]
    edges = None if box is None else edges_of(box)
    solvent = Solvent(
        water.value, padding or 1.0, edges, salt, positive.value, negative.value, neutralize
    )
    source = solvated(structure, Settings(names, cutoff, "hydrogen"), solvent)
    write_staged(source, structure, output, overwrite)


def write_staged(
    source: "Source",
    structure: Path | None,
    output: Path,
    overwrite: bool,
    coupling: str = "isotropic",
) -> None:
    """Writes the input with its stages, and tells its molecules. `structure`: a file that was read.

    `coupling`: how the box changes at 1 bar. Raises SternaError.
    """
    from sterna.importing import files as written
    from sterna.importing.molecules import Molecules
    from sterna.importing.openmm_system import system_of

    system = system_of(source)
    molecules = Molecules(system)
    sources = [] if structure is None else [structure]
    stages = _stages(system, coupling)
    for path in written.write(molecules, output, overwrite, sources, stages):
        print(f"wrote {path}")
    print(", ".join(f"{kind.count} {kind.name}" for kind in molecules.kinds))


def _stages(system: "System", coupling: str) -> "dict[str, System]":
    """New water lies too close to the structure in places, and its density is a guess."""
    thermostat = dict(system.thermostat)
    moving = replace(system, temperature=None)
    at_pressure = {
        **system.sections,
        "barostat": {
            "kind": "stochastic_cell_rescaling",
            "pressure": "1 bar",
            "time_constant": "2 ps",
            "bulk_modulus": "22000 bar",
        }
        | ({} if coupling == "isotropic" else {"coupling": coupling}),
    }
    return {
        "minimize": replace(
            moving, run={"integrator": "minimize", "steps": 500}, thermostat={"kind": "none"}
        ),
        "heat": replace(
            system,
            temperature=_COLD,
            thermostat=thermostat
            | {"temperature": _COLD, "end_temperature": thermostat["temperature"]},
        ),
        "equilibrate": replace(moving, sections=at_pressure),
        "produce": replace(moving, sections=at_pressure, run={**system.run, "steps": _LONG}),
    }
