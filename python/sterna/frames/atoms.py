"""The atoms of a trajectory: particles, and the sites of rigid molecules."""

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy

from sterna.errors import SternaError
from sterna.frames.recorded import NO_TRAJECTORY, Recorded, TrajectoryFrame
from sterna.support.damage import reading
from sterna.support.elements import are_bonded, element_of

# distance of equal sites, relative to the distance of the farthest site from the origin
_SAME_PLACE = 1e-9


@dataclass
class AtomFrame:
    """Atoms at one step, in nm, ps, u and kJ/mol, or reduced."""

    step: int
    time: float
    edges: numpy.ndarray  #: (3, 3), an edge of the box each row
    position: numpy.ndarray  #: (n, 3); molecules are whole, so atoms may be outside of the box
    velocity: numpy.ndarray | None  #: (n, 3)
    force: numpy.ndarray | None  #: (n, 3); of the sites of rigid molecules it is not known
    #: Added fields of the particles that the atoms belong to, by name: (n,) or (n, components).
    particle_fields: dict[str, numpy.ndarray] = field(default_factory=dict)

    def wrapped(self) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Positions inside the box, (n, 3), and the boxes that were taken off, (n, 3)."""
        image = numpy.floor(self.position @ numpy.linalg.inv(self.edges)).astype(int)
        return self.position - image @ self.edges, image


@dataclass
class Atoms:
    """The properties of the atoms, one entry each, in the order of the particles."""

    name: numpy.ndarray  #: such as "O", "H1"; each once in a molecule where the model says it
    type: numpy.ndarray  #: alike atoms have the same
    element: numpy.ndarray  #: symbols; "" where it is none
    mass: numpy.ndarray  #: u, or reduced
    charge: numpy.ndarray  #: e, or reduced
    molecule: numpy.ndarray  #: number of its molecule, from 0
    molecule_name: list[str]  #: for each molecule
    residue: numpy.ndarray  #: number of its residue, from 0: the molecule, or a part of it
    residue_name: list[str]  #: for each residue
    residue_number: numpy.ndarray  #: for each residue, as in files
    insertion_code: list[str]  #: for each residue, a letter behind its number; mostly empty
    chain: list[str]  #: for each residue; may be empty
    particle: numpy.ndarray  #: the row of the frame
    offset: numpy.ndarray  #: (n, 3), from the particle, in its body frame
    bonds: numpy.ndarray  #: (bonds, 2), numbers of atoms
    inertia: numpy.ndarray  #: (particles, 3), principal moments; 0 where nothing turns
    _chains: list[tuple[int, int, list[tuple[int, int]]]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.name)

    @property
    def has_sites(self) -> bool:
        """Whether atoms are somewhere else than the particles."""
        return bool(numpy.any(self.offset))

    def select(self, names: list[str]) -> numpy.ndarray:
        """Numbers of the atoms whose type, molecule, residue or name is one of these.

        Raises SternaError for a name that nothing has.
        """
        residues = numpy.array(self.residue_name)[self.residue]
        molecules = numpy.array(self.molecule_name)[self.molecule]
        chosen = numpy.zeros(len(self), bool)
        for name in names:
            columns = (self.type, molecules, residues, self.name)
            found = numpy.any([column == name for column in columns], axis=0)
            if not found.any():
                known = sorted(set().union(*(column.tolist() for column in columns)))
                raise SternaError(
                    f"there is no type, molecule, residue or atom {name!r}; there are "
                    f"{', '.join(known)}",
                    2,
                )
            chosen |= found
        return numpy.flatnonzero(chosen)

    def subset(self, chosen: numpy.ndarray) -> "Atoms":
        """Returns these atoms alone, with the bonds between them."""
        place = numpy.full(len(self), -1)
        place[chosen] = numpy.arange(len(chosen))
        residues, residue = numpy.unique(self.residue[chosen], return_inverse=True)
        molecules, molecule = numpy.unique(self.molecule[chosen], return_inverse=True)
        bonds = place[self.bonds]
        return Atoms(
            name=self.name[chosen],
            type=self.type[chosen],
            element=self.element[chosen],
            mass=self.mass[chosen],
            charge=self.charge[chosen],
            molecule=molecule,
            molecule_name=[self.molecule_name[m] for m in molecules],
            residue=residue,
            residue_name=[self.residue_name[r] for r in residues],
            residue_number=self.residue_number[residues],
            insertion_code=[self.insertion_code[r] for r in residues],
            chain=[self.chain[r] for r in residues],
            particle=self.particle[chosen],
            offset=self.offset[chosen],
            bonds=bonds[(bonds >= 0).all(axis=1)],
            inertia=self.inertia,
        )

    def at(self, frame: TrajectoryFrame, chosen: numpy.ndarray | None = None) -> AtomFrame:
        """Where the atoms are, all or those of these numbers.

        Raises SternaError without the orientations of molecules that have several sites.
        """
        position, velocity, force = frame.position.astype(float), frame.velocity, frame.force
        for first, count, chain in self._chains:
            _make_whole(position, frame.edges, first, count, chain)
        position = position[self.particle]
        if velocity is not None:
            velocity = velocity[self.particle].astype(float)
        if force is not None and not self.has_sites:
            force = force[self.particle].astype(float)
        else:
            force = None
        if self.has_sites:
            arms = self._arms(frame)
            position += arms
            if velocity is not None:
                velocity = self._site_velocity(velocity, arms, frame)
        pick = slice(None) if chosen is None else chosen
        return AtomFrame(
            frame.step, frame.time, frame.edges, position[pick],
            None if velocity is None else velocity[pick],
            None if force is None else force[pick],
            {name: of[self.particle][pick] for name, of in frame.particle_fields.items()},
        )  # fmt: skip

    def _arms(self, frame: TrajectoryFrame) -> numpy.ndarray:
        """(n, 3), from the particles to their sites, in the laboratory's frame."""
        if frame.orientation is None:
            raise SternaError(
                "the trajectory has no orientations, so nobody knows where the sites of its "
                'molecules are: run with trajectory_fields = ["position", "orientation"] in '
                "[output], or take the centers only (--centers)",
                2,
            )
        turns = matrices(frame.orientation)[self.particle]
        return numpy.einsum("nij,nj->ni", turns, self.offset)

    def _site_velocity(
        self, velocity: numpy.ndarray, arms: numpy.ndarray, frame: TrajectoryFrame
    ) -> numpy.ndarray | None:
        """Returns the velocity from those of the center and of the rotation; None if the file lacks
        the rotation.
        """
        if frame.angular_momentum is None:
            return None
        turns = matrices(frame.orientation)
        body = numpy.einsum("nji,nj->ni", turns, frame.angular_momentum)
        turning = self.inertia > 0.0
        rate = numpy.where(turning, body / numpy.where(turning, self.inertia, 1.0), 0.0)
        omega = numpy.einsum("nij,nj->ni", turns, rate)[self.particle]
        return velocity + numpy.cross(omega, arms)


def matrices(orientation: numpy.ndarray) -> numpy.ndarray:
    """(n, 3, 3), the rotations of unit quaternions (w, x, y, z), (n, 4)."""
    w, x, y, z = orientation.astype(float).T
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return numpy.moveaxis(numpy.array(rows), 2, 0) if len(w) else numpy.zeros((0, 3, 3))


def _make_whole(
    position: numpy.ndarray,
    edges: numpy.ndarray,
    first: int,
    count: int,
    chain: list[tuple[int, int]],
) -> None:
    """Puts each atom of `count` alike molecules next to the one that it is bonded to."""
    size = len(chain) + 1
    atoms = position[first : first + count * size].reshape(count, size, 3)
    inverse = numpy.linalg.inv(edges)
    for atom, parent in chain:
        d = atoms[:, atom] - atoms[:, parent]
        atoms[:, atom] -= numpy.rint(d @ inverse) @ edges


def atoms_of(trajectory: Recorded, massless: bool = True) -> Atoms:
    """The atoms of a trajectory: by what it says of its particles, else the particles as such."""
    description = trajectory.description
    with reading(trajectory.path, NO_TRAJECTORY):
        if "molecules" in description:
            atoms = _of_molecules(trajectory)
        else:
            atoms = particles_of(trajectory)
        return _with_sites(trajectory, atoms, massless) if "components" in description else atoms


def particles_of(trajectory: Recorded) -> Atoms:
    """The particles as atoms, whatever they are made of."""
    count = trajectory.particle_count
    types = trajectory.description.get("types", [])
    charges = {kind["name"]: kind.get("charge", 0.0) for kind in types}
    species = trajectory.species
    names = numpy.array(trajectory.names or [f"type {n}" for n in range(species.max() + 1)])
    masses = {n: trajectory.mass[species == n][:1].sum() for n in range(len(names))}
    reduced = trajectory.is_reduced
    elements = numpy.array(
        [element_of(name, None if reduced else masses[n]) for n, name in enumerate(names)]
    )
    order = numpy.argsort(trajectory.id)
    bonds = order[numpy.searchsorted(trajectory.id[order], trajectory.bonds)]
    return Atoms(
        name=names[species],
        type=names[species],
        element=elements[species],
        mass=trajectory.mass,
        charge=numpy.array([charges.get(name, 0.0) for name in names])[species],
        molecule=numpy.arange(count),
        molecule_name=names[species].tolist(),
        residue=numpy.arange(count),
        residue_name=names[species].tolist(),
        residue_number=numpy.arange(1, count + 1),
        insertion_code=[""] * count,
        chain=[""] * count,
        particle=numpy.arange(count),
        offset=numpy.zeros((count, 3)),
        bonds=bonds,
        inertia=numpy.zeros((count, 3)),
    )


def _of_molecules(trajectory: Recorded) -> Atoms:
    """Of flexible molecules, whose atoms are particles."""
    description = trajectory.description
    atoms = particles_of(trajectory)
    kinds, first = description["molecules"], 0
    residues = _Residues(description)
    bonds = []
    chains: list[tuple[int, int, list[tuple[int, int]]]] = []
    names, elements = atoms.name.astype(object), atoms.element.astype(object)
    for run, (kind, count) in enumerate(description["runs"]):
        molecule = kinds[kind]
        size = len(molecule["atoms"])
        rows = slice(first, first + size * count)
        mass = [None] * size if trajectory.is_reduced else atoms.mass[first : first + size]
        named = [atom["name"] for atom in molecule["atoms"]]
        names[rows] = named * count
        elements[rows] = [element_of(n, m) for n, m in zip(named, mass, strict=True)] * count
        atoms.charge[rows] = [atom["charge"] for atom in molecule["atoms"]] * count
        atoms.molecule[rows] = len(residues.molecules_named) + numpy.repeat(
            numpy.arange(count), size
        )
        atoms.residue[rows] = residues.add(run, molecule, count)
        pairs = _chemical_bonds(molecule)
        shifts = first + size * numpy.arange(count)
        if pairs:
            bonds.append((shifts[:, None, None] + numpy.array(pairs)).reshape(-1, 2))
        chain = _chain(size, pairs)
        if size > 1 and len(chain) == size - 1:
            chains.append((first, count, chain))
        first += size * count
    atoms.name, atoms.element = names.astype(str), elements.astype(str)
    atoms.molecule_name = residues.molecules_named
    atoms.residue_name, atoms.chain = residues.names, residues.chains
    atoms.insertion_code = residues.codes
    atoms.residue_number = numpy.array(residues.numbers, int)
    atoms.bonds = numpy.concatenate(bonds) if bonds else numpy.zeros((0, 2), int)
    atoms._chains = chains
    return atoms


class _Residues:
    """Residues of molecules, run after run."""

    def __init__(self, description: dict[str, Any]) -> None:
        runs = len(description["runs"])
        # Trajectories of earlier versions have none of these.
        self._numbers = description.get("residue_numbers", [[]] * runs)
        self._chains = description.get("chains", [[]] * runs)
        self._codes = description.get("insertion_codes", [[]] * runs)
        self.names: list[str] = []
        self.numbers: list[int] = []
        self.chains: list[str] = []
        self.codes: list[str] = []
        self.molecules_named: list[str] = []

    def add(self, run: int, molecule: dict[str, Any], count: int) -> numpy.ndarray:
        """`count` molecules of a kind; returns the residue of each atom."""
        atoms = molecule["atoms"]
        parts: list[int] = []  # for each atom: its residue in the molecule
        named: list[tuple[str, int | None, str, str | None]] = []
        for atom in atoms:
            label = (
                atom.get("residue", molecule["name"]),
                atom.get("residue_number"),
                atom.get("insertion_code", ""),
                atom.get("chain"),
            )
            if not named or named[-1] != label:
                named.append(label)
            parts.append(len(named) - 1)
        before = len(self.molecules_named)
        counted = range(before + 1, before + count + 1)
        given = [n for first, size in self._numbers[run] for n in range(first, first + size)]
        chains = [
            c for name, size in self._chains[run] for c in ["" if name == "-" else name] * size
        ]
        first = len(self.names)
        codes = dict(self._codes[run])
        labels = zip(given or counted, chains or [""] * count, strict=True)
        for at, (number, chain) in enumerate(labels):
            for name, own, own_code, own_chain in named:
                self.names.append(name)
                self.numbers.append(number if own is None else own)
                self.codes.append(codes.get(at, "") if own is None else own_code)
                self.chains.append(chain if own_chain is None else own_chain)
        self.molecules_named += [molecule["name"]] * count
        shifts = first + len(named) * numpy.repeat(numpy.arange(count), len(atoms))
        return shifts + numpy.tile(parts, count)


def _chemical_bonds(molecule: dict[str, Any]) -> list[tuple[int, int]]:
    """Returns bonds, and the constraints that replace them, except those that close a triangle."""
    pairs = {(min(a, b), max(a, b)) for a, b in molecule["bonds"]}
    constraints = {(min(a, b), max(a, b)): d for a, b, d in molecule["constraints"]}
    sides = set(constraints) | pairs
    near: dict[int, set[int]] = {}
    for a, b in sides:
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    for (a, b), distance in constraints.items():
        # The longest side of a triangle of constraints (rigid water) is the one opposite its angle.
        others = [
            max(constraints.get((min(a, c), max(a, c)), 0.0),
                constraints.get((min(b, c), max(b, c)), 0.0))
            for c in near[a] & near[b]
        ]  # fmt: skip
        if not any(distance > 1.05 * other for other in others):
            pairs.add((a, b))
    return sorted(pairs)


def _chain(size: int, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Each atom but the first with one that comes before it and that it is bonded to."""
    near: dict[int, list[int]] = {}
    for a, b in pairs:
        near.setdefault(a, []).append(b)
        near.setdefault(b, []).append(a)
    chain, seen, waiting = [], {0}, [0]
    for atom in waiting:
        for other in near.get(atom, []):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
                chain.append((other, atom))
    return chain if len(seen) == size else []


@dataclass
class _Site:
    """A site of a rigid molecule that becomes an atom."""

    position: numpy.ndarray
    mass: float = 0.0
    charge: float = 0.0
    element: str = ""
    name: str = ""
    type: str = ""
    kinds: list[tuple] = field(default_factory=list)


def _sites_of(component: dict[str, Any], massless: bool, reduced: bool) -> list[_Site]:
    """Sites at one place are one atom. Names are elements, numbered where there are several."""
    sites: list[_Site] = []
    places = numpy.array([given["position"] for given in component["sites"]], float)
    same = _SAME_PLACE * abs(places).max(initial=0.0)
    for given, place in zip(component["sites"], places, strict=True):
        site = next((s for s in sites if abs(s.position - place).max() <= same), None)
        if site is None:
            site = _Site(place)
            sites.append(site)
        site.mass += given["mass"]
        site.charge += given.get("charge", 0.0)
        site.kinds.append(
            tuple(given.get(key) for key in ("kind", "epsilon", "sigma", "charge", "moment"))
        )
    if not massless and any(site.mass > 0.0 for site in sites):
        sites = [site for site in sites if site.mass > 0.0]
    alone = len(sites) == 1
    for site in sites:
        name = component["name"] if alone else ""
        site.element = element_of(name, None if reduced else site.mass)
    letters = [site.element or ("M" if site.mass == 0.0 else "X") for site in sites]
    types: dict[tuple, str] = {}
    for n, site in enumerate(sites):
        letter = letters[n]
        several = letters.count(letter) > 1
        site.name = (
            component["name"] if alone else letter + str(letters[: n + 1].count(letter)) * several
        )
        key = (letter, site.mass, site.charge, *map(repr, sorted(site.kinds, key=repr)))
        if key not in types:
            alike = sum(k[0] == letter for k in types)
            types[key] = site.name if alone else letter + (str(alike + 1) if alike else "")
        site.type = types[key]
    return sites


def _rigid_bonds(sites: list[_Site], reduced: bool) -> list[tuple[int, int]]:
    """Returns bonds by elements and distances, and further ones that join all sites with mass."""
    heavy = [n for n, site in enumerate(sites) if site.mass > 0.0]
    pairs = sorted(
        (float(numpy.linalg.norm(sites[a].position - sites[b].position)), a, b)
        for a, b in itertools.combinations(heavy, 2)
    )
    part = list(range(len(sites)))
    bonds = []
    for distance, a, b in pairs:
        near = not reduced and are_bonded(sites[a].element, sites[b].element, distance)
        if near or part[a] != part[b]:
            bonds.append((a, b))
            old, new = part[b], part[a]
            part = [new if p == old else p for p in part]
    return sorted(bonds)


def _with_sites(trajectory: Recorded, particles: Atoms, massless: bool) -> Atoms:
    """Each rigid molecule becomes its sites; the atoms of types, which come first, stay."""
    description = trajectory.description
    components = description["components"]
    types = [one["name"] for one in description.get("types", [])]
    order = [c["name"] for c in components]
    models = [_sites_of(component, massless, trajectory.is_reduced) for component in components]
    used: dict[str, set[str]] = {name: {name} for name in types}
    for name, sites in zip(order, models, strict=True):
        for site in sites:
            used.setdefault(site.type, set()).add(name)
    for name, sites in zip(order, models, strict=True):
        for site in sites:
            if len(used[site.type]) > 1:
                site.type = f"{name}:{site.type}"
    species = trajectory.species
    sizes = numpy.array([1] * len(types) + [len(sites) for sites in models])[species]
    first = numpy.concatenate([[0], numpy.cumsum(sizes)])
    particle = numpy.repeat(numpy.arange(len(species)), sizes)
    columns = {
        name: getattr(particles, name)[particle]
        for name in ("name", "type", "element", "mass", "charge")
    }
    for name in ("name", "type", "element"):
        columns[name] = columns[name].astype(object)
    offset = numpy.zeros((len(particle), 3))
    inertia = numpy.zeros((len(species), 3))
    bonds = [first[particles.bonds].reshape(-1, 2)]
    for kind, (component, sites) in enumerate(zip(components, models, strict=True), len(types)):
        begin = first[:-1][species == kind]
        inertia[species == kind] = component["inertia"]
        for n, site in enumerate(sites):
            for key, values in columns.items():
                values[begin + n] = getattr(site, key)
            offset[begin + n] = site.position
        pairs = _rigid_bonds(sites, trajectory.is_reduced)
        if pairs:
            bonds.append((begin[:, None, None] + numpy.array(pairs)).reshape(-1, 2))
    return Atoms(
        name=columns["name"].astype(str),
        type=columns["type"].astype(str),
        element=columns["element"].astype(str),
        mass=columns["mass"],
        charge=columns["charge"],
        molecule=particles.molecule[particle],
        molecule_name=particles.molecule_name,
        residue=particles.residue[particle],
        residue_name=particles.residue_name,
        residue_number=particles.residue_number,
        insertion_code=particles.insertion_code,
        chain=particles.chain,
        particle=particle,
        offset=offset,
        bonds=numpy.concatenate(bonds),
        inertia=inertia,
        _chains=particles._chains,
    )
