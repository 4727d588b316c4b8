"""A trajectory small enough for a page: positions as 16-bit fractions of the box, compressed.

Idea: of a position modulo the box a screen shows no more than 1/65536 of an edge. Differences
between frames, low and high bytes apart, then deflate well, and browsers inflate them alone.
Cost: about 6 bytes for each particle and frame, and one more with velocities. Where that is more than allowed, fewer frames are
kept, and then fewer particles.
"""

import base64
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy

if TYPE_CHECKING:
    from sterna.frames.atoms import Atoms

#: The largest part of a page's text that one trajectory may add.
MOST_BYTES = 2_000_000
#: A liquid's differences deflate to 0.70, and base64 adds a third.
_PACKED = 0.95
#: The number for the mean kinetic energy; energies of four times the mean and more look alike.
MEAN_ENERGY = 64


#: A shorter chain has no shape that a cartoon shows.
_FEWEST_RESIDUES = 6
#: Names of residues that are water, in force fields and in the Protein Data Bank.
_WATER = {
    "HOH",
    "WAT",
    "H2O",
    "SOL",
    "TIP3",
    "TIP3P",
    "TIP4",
    "TIP4P",
    "TIP5",
    "TIP5P",
    "SPC",
    "SPCE",
}


@dataclass
class Looks:
    """What is known of each particle that is shown, where a trajectory has molecules or elements."""

    elements: list[str]  #: symbols, in the order of their names
    element: list[int]  #: of each particle, one of them; -1: none
    molecule: list[int]  #: of each particle; empty where there are only single ones
    water: list[int]  #: numbers of the particles that are water
    #: Of each protein: the numbers of its CA atoms, and of the O that each of them has, or -1.
    backbones: list[tuple[list[int], list[int]]]
    protein: list[int]  #: numbers of all particles of these residues


@dataclass
class Scene:
    """The scene in the viewer: `frames` of `shown` of all `particles`, chosen evenly."""

    particles: int
    shown: int
    frames_there: int
    frames: int
    steps: list[int]
    edges: list[list[list[float]]]  #: (frames, 3, 3), an edge each row
    unit: str
    species: list[int]
    names: list[str]
    bonds: list[int]  #: pairs of indices of shown particles, one after the other
    packed: str
    looks: Looks
    energies: str | None = None  #: packed kinetic energies, where the trajectory has velocities

    def data(self) -> dict:
        """Returns the data for the script in the page."""
        return {
            "particles": self.shown, "frames": self.frames, "steps": self.steps,
            "edges": self.edges, "species": self.species, "names": self.names,
            "bonds": self.bonds, "packed": self.packed, "energies": self.energies,
            "element": self.looks.element, "molecule": self.looks.molecule,
            "water": self.looks.water, "backbones": self.looks.backbones,
            "protein": self.looks.protein,
        }  # fmt: skip


def pack(fractions: numpy.ndarray) -> str:
    """(frames, particles, 3) fractions of the box, of which only the part after the point counts.

    Returns base64 of zlib's stream of the low bytes of all 16-bit differences to the frame before,
    then of their high bytes.
    """
    grid = numpy.floor((fractions - numpy.floor(fractions)) * 65536.0).astype(numpy.int64) % 65536
    differences = numpy.diff(grid, axis=0, prepend=numpy.zeros_like(grid[:1])) % 65536
    planes = (differences & 255).astype(numpy.uint8).tobytes()
    planes += (differences >> 8).astype(numpy.uint8).tobytes()
    return base64.b64encode(zlib.compress(planes, 9)).decode("ascii")


def pack_energies(velocities: numpy.ndarray, masses: numpy.ndarray) -> str:
    """(frames, particles, 3) velocities and (particles,) masses.

    Returns base64 of zlib's stream of a byte for each frame and particle: its kinetic energy in
    parts of the mean over all, which is MEAN_ENERGY.
    """
    energies = 0.5 * masses * (velocities**2).sum(axis=2)
    mean = energies.mean()
    scaled = energies * (MEAN_ENERGY / mean) if mean > 0.0 else energies
    levels = numpy.clip(numpy.round(scaled), 0, 255).astype(numpy.uint8)
    return base64.b64encode(zlib.compress(levels.tobytes(), 9)).decode("ascii")


def _evenly(count: int, wanted: int) -> numpy.ndarray:
    """`wanted` of `count` indices, the last one among them."""
    wanted = max(1, min(count, wanted))
    if wanted == 1:
        return numpy.array([count - 1])
    return numpy.unique(numpy.linspace(0, count - 1, wanted).round().astype(int))


def _edge_matrices(box: object, frames: numpy.ndarray) -> numpy.ndarray:
    edges = box["edges"]
    values = edges["value"][frames] if hasattr(edges, "keys") else edges[...]
    values = numpy.asarray(values, float)
    if values.shape[-1] == 3 and values.ndim < 3:
        values = numpy.broadcast_to(values, (len(frames), 3)) if values.ndim == 1 else values
        return numpy.einsum("fi,ij->fij", values, numpy.eye(3))
    return numpy.broadcast_to(values, (len(frames), 3, 3))


def held_atoms(
    fractions: numpy.ndarray, edges: numpy.ndarray, molecules: numpy.ndarray, bonded: numpy.ndarray
) -> numpy.ndarray:
    """Pairs (m, 2) of each atom without a bond and the atom of its molecule nearest to it.

    Constraints hold such atoms: a hydrogen at its heavy atom, or those of rigid water. `fractions`
    (n, 3) of the `edges` (3, 3) of the box, `molecules` (n,) numbers, `bonded` (n,).
    """
    order = numpy.argsort(molecules, kind="stable")
    _, starts, sizes = numpy.unique(molecules[order], return_index=True, return_counts=True)
    found = [numpy.empty((0, 2), int)]
    for size in numpy.unique(sizes[sizes > 1]):
        members = order[starts[sizes == size][:, None] + numpy.arange(size)]
        row, place = numpy.nonzero(~bonded[members])
        # Some at a time: a distance to each atom of the molecule takes memory.
        for part in numpy.array_split(numpy.arange(len(row)), len(row) * size // 1_000_000 + 1):
            others, atoms = members[row[part]], members[row[part], place[part]]
            apart = fractions[others] - fractions[atoms][:, None]
            distance = numpy.linalg.norm((apart - numpy.round(apart)) @ edges, axis=2)
            distance[others == atoms[:, None]] = numpy.inf
            nearest = others[numpy.arange(len(part)), distance.argmin(axis=1)]
            found.append(numpy.stack((atoms, nearest), axis=1))
    return numpy.unique(numpy.sort(numpy.concatenate(found), axis=1), axis=0)


def _bonds(file: object, shown: numpy.ndarray, ids: numpy.ndarray | None) -> list[int]:
    """Returns pairs of indices of shown particles, for bonds whose two ends are shown."""
    if "connectivity/bonds" not in file:
        return []
    pairs = file["connectivity/bonds"][...]
    named = ids[shown] if ids is not None else shown
    order = numpy.argsort(named)
    places = numpy.minimum(numpy.searchsorted(named[order], pairs), len(named) - 1)
    places = order[places]
    whole = (named[places] == pairs).all(axis=1)
    return places[whole].reshape(-1).tolist()


def _looks(path: Path, shown: numpy.ndarray) -> Looks:
    from sterna.frames.trajectory import Trajectory

    trajectory = Trajectory(path)
    of_molecules = "molecules" in trajectory.description
    rigid = "components" in trajectory.description
    atoms = trajectory.atoms() if of_molecules and not rigid else trajectory.particles()
    symbols = atoms.element[shown]
    elements = sorted(set(symbols.tolist()) - {""})
    molecule = atoms.molecule[shown]
    sizes = numpy.bincount(atoms.molecule)
    # Of an atom: how many of its molecule are of these elements, and how many of any.
    parts = [numpy.bincount(atoms.molecule, atoms.element == symbol) for symbol in ("O", "H")]
    whole = numpy.bincount(atoms.molecule, atoms.element != "")
    is_water = (parts[0] == 1) & (parts[1] == 2) & (whole == 3)
    named = numpy.array([name.upper() in _WATER for name in atoms.residue_name], bool)
    water = is_water[molecule] | named[atoms.residue[shown]]
    backbones, protein = _backbones(atoms, shown)
    return Looks(
        elements=elements,
        element=[elements.index(s) if s else -1 for s in symbols.tolist()] if elements else [],
        molecule=molecule.tolist() if sizes.max(initial=0) > 1 else [],
        water=numpy.flatnonzero(water).tolist(),
        backbones=backbones,
        protein=protein,
    )


def _backbones(
    atoms: "Atoms", shown: numpy.ndarray
) -> tuple[list[tuple[list[int], list[int]]], list[int]]:
    """Of proteins, whose residues have atoms N, CA and C; `Looks.backbones` and `Looks.protein`.

    Molecules of fewer than `_FEWEST_RESIDUES` have none.
    """
    names = atoms.name[shown]
    residue, molecule = atoms.residue[shown], atoms.molecule[shown]
    count = int(residue.max(initial=-1)) + 1
    places = {}
    for name in ("N", "CA", "C", "O"):
        places[name] = numpy.full(count, -1)
        rows = numpy.flatnonzero(names == name)
        places[name][residue[rows]] = rows
    has = (places["N"] >= 0) & (places["CA"] >= 0) & (places["C"] >= 0)
    # Calcium has the same name, and is a residue of its own.
    found = []
    for number in numpy.unique(molecule[places["CA"][has]]):
        residues = numpy.flatnonzero(has & (molecule[places["CA"]] == number))
        if len(residues) >= _FEWEST_RESIDUES:
            found.append(residues)
    backbones = [(places["CA"][rows].tolist(), places["O"][rows].tolist()) for rows in found]
    of_protein = numpy.isin(residue, numpy.concatenate(found)) if found else numpy.zeros(0, bool)
    return backbones, numpy.flatnonzero(of_protein).tolist()


def read_scene(path: Path, most_bytes: int = MOST_BYTES) -> Scene | None:
    """The frames of an H5MD file, at most about `most_bytes` of text; None where it has none.

    Raises SternaError where the file cannot be read.
    """
    from sterna.support.hdf5 import opened  # not for reports without a trajectory

    with opened(path, "the trajectory cannot be read") as file:
        return _read(path, file, most_bytes)


def _whole_frames(values: list) -> int:
    """How many frames all of these datasets have; a run that was killed may lack a part of one."""
    frames = min(len(dataset) for dataset in values)
    while frames > 0:
        try:
            for dataset in values:
                dataset[frames - 1]
            return frames
        except OSError:
            frames -= 1
    return 0


def _read(path: Path, file: object, most_bytes: int) -> Scene | None:
    import h5py

    group = file["particles/trajectory"]
    position = group["position/value"]
    moving = "velocity" in group and "mass" in group
    frames_there = _whole_frames([position] + ([group["velocity/value"]] if moving else []))
    particles = position.shape[1]
    if frames_there == 0 or particles == 0:
        return None
    each = _PACKED * (7 if moving else 6)
    shown = _evenly(particles, int(most_bytes / each))
    frames = _evenly(frames_there, int(most_bytes / each / len(shown)))
    edges = _edge_matrices(group["box"], frames)
    fractions = numpy.empty((len(frames), len(shown), 3))
    for k, frame in enumerate(frames):
        fractions[k] = position[frame][shown] @ numpy.linalg.inv(edges[k])
    energies = None
    if moving:
        masses = group["mass"][...][..., shown]
        values = group["velocity/value"]
        energies = pack_energies(numpy.array([values[f][shown] for f in frames], float), masses)
    ids = group["id"][...] if "id" in group else None
    bonds = _bonds(file, shown, ids)
    if "molecule" in group and len(shown) == particles:
        bonded = numpy.zeros(particles, bool)
        bonded[bonds] = True
        molecules = group["molecule"][...].reshape(-1)
        bonds += held_atoms(fractions[-1], edges[-1], molecules, bonded).reshape(-1).tolist()
    species = group["species"][...][shown] if "species" in group else numpy.zeros(len(shown), int)
    named = h5py.check_enum_dtype(group["species"].dtype) if "species" in group else None
    values = sorted(set(species.tolist()))
    names = {value: name for name, value in (named or {}).items()}
    steps = group["position"].get("step", file.get("observables/kinetic_energy/step"))
    return Scene(
        particles=particles,
        shown=len(shown),
        frames_there=frames_there,
        frames=len(frames),
        steps=[int(steps[f]) for f in frames] if steps is not None else frames.tolist(),
        edges=edges.tolist(),
        unit=str(position.attrs.get("unit", "")),
        species=[values.index(value) for value in species.tolist()],
        names=[names.get(value, f"type {value}") for value in values],
        bonds=bonds,
        packed=pack(fractions),
        looks=_looks(path, shown),
        energies=energies,
    )
