"""The model of a run by its input: types, pairs of types, molecules.

It comes from the input that the log of the run holds, and from the files of its molecules.
"""

import tomllib
from pathlib import Path
from typing import Any

import numpy

from sterna.errors import SternaError
from sterna.exporting.quantities import ENERGY, LENGTH, Quantities
from sterna.frames.atoms import Atoms
from sterna.frames.trajectory import Trajectory
from sterna.results.log import read_log
from sterna.support.mixing import RULES, mixed_well

LIGHTER_IS_HYDROGEN = 4.5  #: u; of bonds that `constrained_bonds = "hydrogen"` names


#: Sections of an input, and folders where its files may be.
GivenInput = tuple[dict[str, Any], list[Path]]


def input_of(trajectory: Trajectory) -> GivenInput | None:
    """The input of the run and the folders where its files may be; None without a log."""
    log = trajectory.path.with_suffix(".log.jsonl")
    if not log.is_file():
        return None
    start = next((e for e in read_log(log).events if e.get("event") == "start"), None)
    if start is None or "input_text" not in start:
        return None
    try:
        sections = tomllib.loads(start["input_text"])
    except tomllib.TOMLDecodeError:
        return None  # an input of another program
    folder = Path(start.get("input", "")).parent
    places = [Path(), trajectory.path.parent, trajectory.path.parent.parent]
    return sections, [place / folder for place in places]


def require_input_of(trajectory: Trajectory) -> GivenInput:
    """Returns the same as `input_of`; raises SternaError if there is none."""
    found = input_of(trajectory)
    if found is None:
        log = trajectory.path.with_suffix(".log.jsonl")
        raise SternaError(
            f"the force field is in the input of the run, which {log} does not have: the log is missing, "
            "or the input is one of another program; `sterna convert` makes it one of Sterna's",
            2,
        )
    return found


#: Sections of an input that say what the system is and how it is run.
_OF_SYSTEMS = {
    "units", "run", "start", "type", "component", "molecule", "pair", "interaction", "electrostatics",
    "thermostat", "barostat", "minimize", "drift_control", "multiple_time_steps", "restraint", "wall",
    "field", "freeze", "limit", "alignment",
}  # fmt: skip
#: Sections that only say how the program works, and what it measures and writes.
_OF_RUNS = {
    "neighbor", "domain", "communication", "output", "group", "rdf", "profile", "pressure_tensor",
    "viscosity", "orientation_order", "diffusion", "dielectric", "structure_factor",
    "radius_of_gyration", "end_to_end_distance", "rmsd", "bond_distribution", "angle_distribution",
    "torsion_distribution", "hydrogen_bonds", "molecular_dipole", "dcd", "trr", "lammps_dump", "xyz",
}  # fmt: skip


def notes_on_sections(sections: dict[str, Any], left_out: tuple[str, ...]) -> list[str]:
    """Returns messages about sections that a format of another program does not take over.

    `left_out`: those that only act on the motion. The format itself refuses the others.
    """
    unknown = [name for name in sections if name not in _OF_SYSTEMS | _OF_RUNS]
    return [f"[{name}] is left out" for name in [*left_out, *unknown] if name in sections]


def whole_molecule(
    molecule: dict[str, Any], folders: list[Path], without: str = "--no-force-field"
) -> dict[str, Any]:
    """A [[molecule]] with what its file says. Raises SternaError where the file is gone.

    `without`: the option that exports without it.
    """
    if "file" not in molecule:
        return molecule
    path = find_file(molecule["file"], folders)
    if path is not None:
        return tomllib.loads(path.read_text(encoding="utf-8")) | molecule
    raise SternaError(
        f"{molecule['file']}, the file of the molecule {molecule['name']}, is not there any "
        f"more; {without} leaves the force field out",
        2,
    )


def find_file(name: str, folders: list[Path]) -> Path | None:
    """A file that an input names, in one of the folders where it may be."""
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


class PairParameters:
    """Sigma and epsilon of types, in the units of `quantities`."""

    def __init__(self, sections: dict[str, Any], quantities: Quantities) -> None:
        self._given = {one["name"]: one for one in sections.get("type", [])}
        self._pairs = {
            frozenset((pair["first"], pair["second"])): pair for pair in sections.get("pair", [])
        }
        self._quantities = quantities
        self._rule = sections["interaction"].get("mixing", RULES[0])

    def of_type(self, name: str) -> tuple[float, float]:
        """Epsilon and sigma."""
        given = self._given[name]
        return (
            self._quantities.number(given.get("epsilon", 1.0), ENERGY),
            self._quantities.number(given.get("sigma", 1.0), LENGTH),
        )

    def of_pair(self, first: str, second: str) -> tuple[float, float]:
        """Returns the parameters of two types, given or mixed."""
        pair = self._pairs.get(frozenset((first, second)), {})
        epsilon, sigma = mixed_well(
            pair.get("mixing", self._rule), self.of_type(first), self.of_type(second)
        )
        epsilon *= float(pair.get("xi", 1.0))
        sigma *= float(pair.get("eta", 1.0))
        if "epsilon" in pair:
            epsilon = self._quantities.number(pair["epsilon"], ENERGY)
        if "sigma" in pair:
            sigma = self._quantities.number(pair["sigma"], LENGTH)
        return epsilon, sigma


def masses_of(atoms: Atoms) -> dict[str, float]:
    """Returns masses by the types' names."""
    names, first = numpy.unique(atoms.type, return_index=True)
    return {str(name): float(atoms.mass[n]) for name, n in zip(names, first, strict=True)}


def atom_lists(atoms: list) -> list[tuple[int, ...]]:
    """Atoms from 0 of one term, or of several."""
    several = atoms if atoms and isinstance(atoms[0], list) else [atoms]
    return [tuple(atom - 1 for atom in one) for one in several]


def ordered(atoms: tuple[int, ...]) -> tuple[int, int]:
    """The smaller of two atoms first."""
    return min(atoms), max(atoms)


def bond_distances(
    bonds: set[tuple[int, int]], count: int, most: int
) -> dict[tuple[int, int], int]:
    """Bonds between two of `count` atoms that are at most so many apart."""
    near: list[list[int]] = [[] for _ in range(count)]
    for a, b in bonds:
        near[a].append(b)
        near[b].append(a)
    found: dict[tuple[int, int], int] = {}
    for start in range(count):
        seen, edge = {start}, [start]
        for distance in range(1, most + 1):
            edge = [b for a in edge for b in near[a] if b not in seen]
            seen.update(edge)
            for other in edge:
                found.setdefault((min(start, other), max(start, other)), distance)
    return found
