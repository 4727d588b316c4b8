"""Structures of rigid molecules (PDB, GRO and others, by MDAnalysis) as inputs of Sterna.

Residues are matched to models of the library by their elements and shapes: the rotation of a model
that brings its sites nearest to the atoms is the orientation of the molecule (W. Kabsch, Acta
Cryst. A 32, 922 (1976)).
"""

import itertools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy

from sterna.errors import SternaError
from sterna.importing.box import first_of, is_placeholder, require_twice_the_cutoff
from sterna.importing.gromacs.coordinates import read_gro
from sterna.importing.text import read_text
from sterna.launching.models import find_model
from sterna.support.elements import element_of
from sterna.support.files import replace_text, require_not_read
from sterna.support.libraries import library
from sterna.support.toml_text import toml_text

#: Names of water in files.
WATER_NAMES = frozenset(
    ("HOH", "WAT", "H2O", "SOL", "TIP3", "TIP3P", "TP3", "TIP4", "TIP4P", "TP4", "SPC", "SPCE")
)
#: nm, root of the mean square: a molecule that differs more from its model is another one.
MOST_DEVIATION = 0.02
_MOST_ARRANGEMENTS = 720  # number of arrangements of like atoms


@dataclass
class Matched:
    """A structure as molecules; lengths in nm."""

    edges: numpy.ndarray  #: (3, 3), rows
    components: dict[str, str]  #: the model of each
    names: list[str]  #: component of each molecule
    centers: numpy.ndarray  #: (n, 3), centers of mass
    orientations: numpy.ndarray  #: (n, 4), quaternions (w, x, y, z), body to laboratory
    deviation: float  #: the largest of a molecule from its model
    notes: list[str]  #: notes on data that were not taken from the file


def models_of(texts: Sequence[str]) -> dict[str, str]:
    """Reads RESIDUE=MODEL; "water" stands for all names of water in files. Raises SternaError."""
    found: dict[str, str] = {}
    for text in texts:
        residue, _, model = text.partition("=")
        if not residue or not model:
            raise SternaError(f"--model {text}: expected RESIDUE=MODEL, as in SOL=spce", 2)
        find_model(model)
        for name in WATER_NAMES if residue.lower() == "water" else (residue,):
            found[name.upper()] = model
    return found


@dataclass
class _Residue:
    name: str
    number: int | str
    atoms: list[int]  #: numbers from 0


@dataclass
class _Structure:
    """Lengths in nm."""

    residues: list[_Residue]
    names: list[str]  #: names of atoms
    positions: numpy.ndarray  #: (atoms, 3)
    edges: numpy.ndarray | None  #: (3, 3), rows


def _read(path: Path) -> tuple[_Structure, list[str]]:
    """Returns a structure, and notes on data that were not taken from its file. Raises
    SternaError.
    """
    if not path.is_file():
        raise SternaError(f"the file {path} does not exist or is no file", 2)
    return _read_gro(path) if path.suffix.lower() == ".gro" else _read_by_mdanalysis(path)


def _read_gro(path: Path) -> tuple[_Structure, list[str]]:
    """Reads a file with all digits, which MDAnalysis rounds to single precision."""
    found = read_gro(path)
    residues: list[_Residue] = []
    before = None
    for n, of_atom in enumerate(zip(found.residue_numbers, found.residues, strict=True)):
        if of_atom != before:
            number, name = of_atom
            residues.append(_Residue(name, "" if number is None else number, []))
            before = of_atom
        residues[-1].atoms.append(n)
    return _Structure(residues, found.names, found.positions, found.box), found.notes()


def _read_by_mdanalysis(path: Path) -> tuple[_Structure, list[str]]:
    mda = library("MDAnalysis", "reading a structure of rigid molecules")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            universe = mda.Universe(str(path), in_memory=False)
            dimensions = universe.trajectory.ts.dimensions
            frames = len(universe.trajectory)
            residues = [
                _Residue(str(one.resname), int(one.resid), one.atoms.indices.tolist())
                for one in universe.residues
            ]
    except Exception as error:  # MDAnalysis raises whatever it meets.
        raise SternaError(f"MDAnalysis cannot read {path}: {error}", 2) from error
    if dimensions is None and path.suffix.lower() == ".pdb":
        dimensions = _cryst1(path)
    edges = None
    if dimensions is not None and numpy.isfinite(dimensions).all() and numpy.all(dimensions > 0.0):
        edges = mda.lib.mdamath.triclinic_vectors(dimensions).astype(float) / 10.0
        edges = None if is_placeholder(edges) else edges
    notes = [first_of(path, frames)] if frames > 1 else []
    names = universe.atoms.names.tolist()
    return _Structure(residues, names, universe.atoms.positions.astype(float) / 10.0, edges), notes


def _cryst1(path: Path) -> numpy.ndarray | None:
    """Edges and angles, (6,), of a PDB file, which MDAnalysis passes over before a MODEL."""
    line = next((one for one in read_text(path).splitlines() if one.startswith("CRYST1")), None)
    columns = [(6, 15), (15, 24), (24, 33), (33, 40), (40, 47), (47, 54)]
    try:
        return None if line is None else numpy.array([float(line[a:b]) for a, b in columns])
    except ValueError:
        return None


def match(
    path: Path, given: dict[str, str], box: tuple[float, float, float] | None = None
) -> Matched:
    """Reads a structure and matches its residues to the models that are given for their names.

    `box`: edges in nm, where the file has none. Raises SternaError, naming file and residue, for what
    has no model or another shape, and where there is no box.
    """
    structure, notes = _read(path)
    edges = structure.edges
    if edges is None:
        if box is None:
            raise SternaError(
                f"{path} has no box; expected a CRYST1 line, or the last line of GRO, or --box with its "
                "edges in nm, such as --box 4,4,4",
                2,
            )
        edges = numpy.diag(box)
    residues = structure.residues
    unknown = {one.name for one in residues if one.name.upper() not in given}
    if unknown:
        first = next(one for one in residues if one.name in unknown)
        hint = " (--model water=spce)" if unknown & WATER_NAMES else ""
        raise SternaError(
            f"{path}: nothing says what {', '.join(sorted(unknown))} is, first residue "
            f"{first.name} {first.number}; expected --model RESIDUE=MODEL for each{hint}",
            2,
        )
    centers = numpy.zeros((len(residues), 3))
    orientations = numpy.zeros((len(residues), 4))
    deviation = 0.0
    groups: dict[tuple, list[int]] = {}
    for n, one in enumerate(residues):
        names = [structure.names[atom] for atom in one.atoms]
        groups.setdefault((one.name.upper(), *names), []).append(n)
    positions = structure.positions
    if not numpy.isfinite(positions).all():
        place = int(numpy.argmin(numpy.isfinite(positions).all(axis=1)))
        of = next(one for one in residues if place in one.atoms)
        raise SternaError(
            f"{path}: atom {place + 1}, {structure.names[place]} of residue {of.name} {of.number}, has "
            "no finite position",
            2,
        )
    for (resname, *names), numbers in groups.items():
        rows = numpy.array([residues[n].atoms for n in numbers])
        where = f"{path}: residue {resname} {residues[numbers[0]].number}"
        fit = _Fit(find_model(given[resname]), names, where)
        atoms = _whole(positions[rows], edges)
        center, orientation, differences = fit.fit(atoms)
        worst = int(numpy.argmax(differences))
        if differences[worst] > MOST_DEVIATION:
            raise SternaError(
                f"{path}: residue {resname} {residues[numbers[worst]].number} differs by "
                f"{differences[worst]:.3f} nm from the model {given[resname]}; expected at most "
                f"{MOST_DEVIATION} nm",
                2,
            )
        deviation = max(deviation, float(differences[worst]))
        centers[numbers], orientations[numbers] = center, orientation
    used = {one.name.upper() for one in residues}
    component = {name: given[name] for name in sorted(used)}
    # Water of several names is one component.
    of_model = {model: name for name, model in reversed(component.items())}
    return Matched(
        edges,
        {name: model for model, name in of_model.items()},
        [of_model[given[one.name.upper()]] for one in residues],
        centers,
        orientations,
        deviation,
        notes,
    )


def _whole(atoms: numpy.ndarray, edges: numpy.ndarray) -> numpy.ndarray:
    """(n, atoms, 3): all atoms of a molecule in the images nearest to its first."""
    d = atoms - atoms[:, :1]
    return atoms - numpy.rint(d @ numpy.linalg.inv(edges)) @ edges


class _Fit:
    """A model on residues with atoms of these names."""

    def __init__(self, model: dict[str, Any], names: Sequence[str], where: str) -> None:
        sites: dict[tuple, list[float]] = {}
        for site in model["sites"]:
            place = tuple(site["body_position"])
            sites.setdefault(place, [0.0])[0] += site.get("mass", 0.0)
        heavy = [(numpy.array(place), mass) for place, (mass,) in sites.items() if mass > 0.0]
        self._places = numpy.array([place for place, _ in heavy])
        self._masses = numpy.array([mass for _, mass in heavy])
        wanted = [element_of("", mass) for mass in self._masses]
        given = [_element(name) for name in names]
        # Hydrogen is part of a united atom, and other sites without mass have no element.
        self._atoms = [n for n, element in enumerate(given) if element in wanted]
        found = [given[n] for n in self._atoms]
        if sorted(found) != sorted(wanted):
            raise SternaError(
                f"{where} has the atoms {' '.join(names)}; expected those of the model "
                f"{model['name']}: {' '.join(element or 'X' for element in wanted)}",
                2,
            )
        self._arrangements = list(
            itertools.islice(_arrangements(wanted, found), _MOST_ARRANGEMENTS)
        )

    def fit(self, atoms: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
        """Centers, orientations, and root mean square distances of atoms (n, atoms, 3)."""
        taken = atoms[:, self._atoms]
        best: tuple | None = None
        for arrangement in self._arrangements:
            ordered = taken[:, arrangement]
            center = numpy.average(ordered, axis=1, weights=self._masses)
            arms = ordered - center[:, None]
            turns = kabsch(self._places, arms, self._masses)
            moved = numpy.einsum("nij,sj->nsi", turns, self._places)
            difference = numpy.sqrt(((arms - moved) ** 2).sum(axis=2).mean(axis=1))
            if best is None:
                best = (center, turns, difference)
                continue
            better = difference < best[2] - 1e-12
            for old, new in zip(best, (center, turns, difference), strict=True):
                old[better] = new[better]
        center, turns, difference = best
        return center, quaternions(turns), difference


def _element(name: str) -> str:
    """Returns the element by the name of an atom in a file: HW1, OW, C2."""
    letters = name.lstrip("0123456789")
    return letters[:1].upper() if letters[:1].upper() in "HCNOSPF" else letters[:2].capitalize()


def _arrangements(wanted: Sequence[str], found: Sequence[str]) -> Any:
    """Yields the orders of the atoms in which their elements agree with those of the sites."""
    kinds = sorted(set(wanted))
    places = {kind: [n for n, e in enumerate(found) if e == kind] for kind in kinds}
    for chosen in itertools.product(*(itertools.permutations(places[kind]) for kind in kinds)):
        left = {kind: iter(order) for kind, order in zip(kinds, chosen, strict=True)}
        yield [next(left[element]) for element in wanted]


def kabsch(places: numpy.ndarray, arms: numpy.ndarray, masses: numpy.ndarray) -> numpy.ndarray:
    """(n, 3, 3), the rotations that bring `places` nearest to `arms` (n, sites, 3)."""
    u, _, v = numpy.linalg.svd(numpy.einsum("s,nsi,sj->nij", masses, arms, places))
    sign = numpy.ones((len(arms), 3))
    sign[:, 2] = numpy.sign(numpy.linalg.det(u) * numpy.linalg.det(v))
    return numpy.einsum("nik,nk,nkj->nij", u, sign, v)


def quaternions(turns: numpy.ndarray) -> numpy.ndarray:
    """(n, 4), (w, x, y, z) of rotations (S. W. Shepperd, J. Guid. Control 1, 223 (1978))."""
    trace = numpy.trace(turns, axis1=1, axis2=2)
    diagonal = numpy.diagonal(turns, axis1=1, axis2=2)
    squares = numpy.concatenate([trace[:, None], diagonal], axis=1)
    squares = 1.0 + 2.0 * squares - trace[:, None]
    squares[:, 0] = 1.0 + trace
    largest = numpy.argmax(squares, axis=1)
    q = numpy.empty((len(turns), 4))
    t = turns
    w = numpy.stack(
        [squares[:, 0], t[:, 2, 1] - t[:, 1, 2], t[:, 0, 2] - t[:, 2, 0], t[:, 1, 0] - t[:, 0, 1]],
        1,
    )
    x = numpy.stack([w[:, 1], squares[:, 1], t[:, 0, 1] + t[:, 1, 0], t[:, 0, 2] + t[:, 2, 0]], 1)
    y = numpy.stack([w[:, 2], x[:, 2], squares[:, 2], t[:, 1, 2] + t[:, 2, 1]], 1)
    z = numpy.stack([w[:, 3], x[:, 3], y[:, 3], squares[:, 3]], 1)
    for n, rows in enumerate((w, x, y, z)):
        q[largest == n] = rows[largest == n]
    return q / numpy.linalg.norm(q, axis=1, keepdims=True)


def write(
    matched: Matched, output: Path, cutoff: float, overwrite: bool, sources: Sequence[Path]
) -> list[Path]:
    """Writes input and start file; returns both.

    Raises SternaError where one is there already, or is one of the `sources`, and where the cutoff does
    not fit into the box.
    """
    if output.suffix != ".toml":
        raise SternaError(f"the output is {output}; expected a name that ends in .toml", status=2)
    require_twice_the_cutoff(matched.edges, cutoff, next(iter(sources)))
    start = output.with_suffix(".extxyz")
    for path in (output, start):
        if path.exists() and not overwrite:
            raise SternaError(f"{path} exists; --overwrite replaces it", status=2)
    require_not_read((output, start), sources)
    sections = {
        "units": "nano",
        "run": {"steps": 10000, "timestep": 0.002},
        "start": {"kind": "file", "file": start.name, "temperature": 300.0},
        "component": [{"name": n, "model": m} for n, m in sorted(matched.components.items())],
        "interaction": {"cutoff": cutoff, "truncation": "truncated", "tail_correction": True},
        "thermostat": {
            "kind": "stochastic_velocity_rescaling",
            "temperature": 300.0,
            "time_constant": 0.1,
        },
        "output": {
            "directory": "output",
            "thermo_interval": 100,
            "trajectory_interval": 1000,
            "trajectory_fields": ["position", "orientation"],
        },
    }
    if any(_has_charges(model) for model in matched.components.values()):
        sections["electrostatics"] = {"kind": "fmm", "accuracy": 1e-4}
    lattice = " ".join(repr(float(x)) for x in matched.edges.ravel())
    rows = numpy.hstack([matched.centers, matched.orientations]).tolist()
    lines = [
        str(len(matched.names)),
        f'Lattice="{lattice}" Properties=species:S:1:pos:R:3:orient:R:4',
    ]
    for name, row in zip(matched.names, rows, strict=True):
        lines.append(f"{name} {' '.join(map(repr, row))}")
    replace_text(start, "\n".join(lines) + "\n")
    replace_text(output, toml_text(sections))
    return [output, start]


def _has_charges(model: str) -> bool:
    return any(site["kind"] == "charge" for site in find_model(model)["sites"])
