"""Boxes of rigid water in files of GROMACS and LAMMPS, for tests of imports: molecules in random
orientations on a lattice, with the velocities of rigid bodies."""

from dataclasses import dataclass
from pathlib import Path

import numpy

MASSES = (15.9994, 1.008, 1.008)


@dataclass(frozen=True)
class Water:
    """Lengths in nm, charges in e, epsilon in kJ/mol; `site`: weight of each hydrogen in the place of a
    virtual site that has the charge of the oxygen atom, or 0."""

    bond: float
    angle: float
    sigma: float
    epsilon: float
    charge: float
    site: float = 0.0

    @property
    def atoms(self) -> int:
        return 4 if self.site else 3

    @property
    def between_hydrogens(self) -> float:
        return float(2.0 * self.bond * numpy.sin(numpy.radians(self.angle / 2)))

    def shape(self) -> numpy.ndarray:
        half = numpy.radians(self.angle / 2)
        x, z = self.bond * numpy.sin(half), self.bond * numpy.cos(half)
        places = numpy.array([[0, 0, 0], [x, 0, z], [-x, 0, z]])
        return numpy.vstack([places, 2.0 * self.site * places[1:].mean(axis=0)])[: self.atoms]


#: Berendsen et al. (1987), Jorgensen et al. (1983), Abascal and Vega (2005)
MODELS = {
    "spce": Water(0.1, 109.47, 0.3166, 0.650, 0.4238),
    "tip3p": Water(0.09572, 104.52, 0.315061, 0.6364, 0.417),
    "tip4p_2005": Water(0.09572, 104.52, 0.31589, 0.774898, 0.5564, 0.131937768),
}


def rotations(count: int, random: numpy.random.Generator) -> numpy.ndarray:
    q = random.normal(size=(count, 4))
    w, x, y, z = (q / numpy.linalg.norm(q, axis=1)[:, None]).T
    return numpy.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]).transpose(2, 0, 1)  # fmt: skip


@dataclass
class Box:
    """Places, (molecules, atoms, 3), and velocities."""

    water: Water
    edge: float
    places: numpy.ndarray
    velocities: numpy.ndarray

    @property
    def kinetic_energy(self) -> float:
        masses = numpy.array([*MASSES, 0.0][: self.water.atoms])
        return 0.5 * float((masses[None, :, None] * self.velocities**2).sum())


def box_of(name: str, cells: int = 4, seed: int = 5) -> Box:
    water, random = MODELS[name], numpy.random.default_rng(seed)
    count, edge = cells**3, cells * 0.3107
    arms = numpy.einsum("nij,sj->nsi", rotations(count, random), water.shape())
    n = numpy.arange(count)
    corners = (numpy.stack([n % cells, n // cells % cells, n // cells**2], axis=1) + 0.5) * 0.3107
    spin, drift = random.normal(size=(count, 3)) * 15.0, random.normal(size=(count, 3)) * 0.4
    velocities = drift[:, None] + numpy.cross(spin[:, None], arms)
    return Box(water, edge, corners[:, None] + arms, velocities)


def gro_text(box: Box, others: list[tuple[str, str, list[float]]] = ()) -> str:
    """`others`: residue, atom and place of further atoms."""
    names = ["OW", "HW1", "HW2", "MW"]
    rows = [
        (n + 1, "SOL", names[k], place, velocity)
        for n, (molecule, moves) in enumerate(zip(box.places, box.velocities, strict=True))
        for k, (place, velocity) in enumerate(zip(molecule, moves, strict=True))
    ]
    rows += [(9000, residue, atom, place, [0.0] * 3) for residue, atom, place in others]
    lines = [
        f"{number:5d}{residue:<5}{atom:>5}{n:5d}"
        + "".join(f"{x:17.12f}" for x in place) + "".join(f"{x:17.13f}" for x in velocity)
        for n, (number, residue, atom, place, velocity) in enumerate(rows, 1)
    ]  # fmt: skip
    edges = " ".join([repr(box.edge)] * 3)
    return f"water\n{len(lines):5d}\n" + "\n".join(lines) + f"\n{edges}\n"


def topology(
    box: Box, types: str = "", pairs: str = "", molecules: str = "", more: str = "",
    held: str = "", rule: int = 2,
) -> str:  # fmt: skip
    """`types`, `pairs`, `molecules`: further lines of [ atomtypes ], [ nonbond_params ], and further
    molecule types; `more`: lines of [ molecules ]; `held`: in place of [ settles ]."""
    water = box.water
    charges = [-2 * water.charge, water.charge, water.charge, 0.0]
    if water.site:
        charges = [0.0, water.charge, water.charge, -2 * water.charge]
    atoms = [("OW", "OW"), ("HW", "HW1"), ("HW", "HW2"), ("MW", "MW")][: water.atoms]
    text = f"[ defaults ]\n1 {rule} no 1 1\n[ atomtypes ]\nOW 15.9994 0 A {water.sigma} {water.epsilon}\n"
    text += f"HW 1.008 0 A 0 0\nMW 0 0 D 0 0\n{types}\n"
    if pairs:
        text += f"[ nonbond_params ]\n{pairs}\n"
    text += "[ moleculetype ]\nSOL 2\n[ atoms ]\n"
    for n, (kind, name) in enumerate(atoms, 1):
        mass = [*MASSES, 0.0][n - 1]
        text += f"{n} {kind} 1 SOL {name} 1 {charges[n - 1]} {mass}\n"
    text += held or f"[ settles ]\n1 1 {water.bond!r} {water.between_hydrogens!r}\n"
    if water.site:
        text += f"[ virtual_sites3 ]\n4 1 2 3 1 {water.site} {water.site}\n"
    text += "[ exclusions ]\n"
    for n in range(1, water.atoms + 1):
        text += f"{n} " + " ".join(str(k) for k in range(1, water.atoms + 1) if k != n) + "\n"
    text += molecules
    return text + f"[ system ]\nwater\n[ molecules ]\nSOL {len(box.places)}\n{more}"


def write_gromacs(folder: Path, name: str, **others) -> Box:
    box = box_of(name)
    (folder / "water.gro").write_text(gro_text(box))
    (folder / "water.top").write_text(topology(box, **others))
    return box


def write_lammps(folder: Path, name: str) -> Box:
    """In real units: water.data, and in.water with fix shake."""
    box = box_of(name)
    water, kilocalorie = box.water, 4.184
    charges = [-2 * water.charge, water.charge, water.charge]
    rows = [
        f"{3 * n + k + 1} {n + 1} {min(k, 1) + 1} {charges[k]} "
        + " ".join(repr(float(10.0 * x)) for x in place)
        for n, molecule in enumerate(box.places) for k, place in enumerate(molecule)
    ]  # fmt: skip
    moves = [
        f"{n + 1} " + " ".join(repr(float(x * 0.01)) for x in velocity)
        for n, velocity in enumerate(box.velocities.reshape(-1, 3))
    ]
    first = [3 * n + 1 for n in range(len(box.places))]
    bonds = [f"{2 * n + k} 1 {atom} {atom + k}" for n, atom in enumerate(first) for k in (1, 2)]
    angles = [f"{n} 1 {atom + 1} {atom} {atom + 2}" for n, atom in enumerate(first, 1)]
    edge = 10.0 * box.edge
    text = f"water\n\n{len(rows)} atoms\n{len(bonds)} bonds\n{len(angles)} angles\n"
    text += "2 atom types\n1 bond types\n1 angle types\n\n"
    text += "".join(f"0 {edge!r} {axis}lo {axis}hi\n" for axis in "xyz")
    text += f"\nMasses\n\n1 {MASSES[0]}\n2 {MASSES[1]}\n"
    for section, lines in (("Atoms # full", rows), ("Velocities", moves), ("Bonds", bonds),
                           ("Angles", angles)):  # fmt: skip
        text += f"\n{section}\n\n" + "\n".join(lines) + "\n"
    (folder / "water.data").write_text(text)
    (folder / "in.water").write_text(
        "units real\natom_style full\npair_style lj/cut/coul/long 6.0\nkspace_style ewald 1e-6\n"
        "bond_style harmonic\nangle_style harmonic\nread_data water.data\n"
        f"pair_coeff 1 1 {water.epsilon / kilocalorie!r} {10 * water.sigma!r}\n"
        "pair_coeff * 2 0.0 1.0\n"
        f"bond_coeff 1 450.0 {10 * water.bond!r}\nangle_coeff 1 55.0 {water.angle!r}\n"
        "fix 1 all nve\nfix 2 all shake 1e-6 100 0 b 1 a 1\ntimestep 1.0\nrun 10\n"
    )
    return box
