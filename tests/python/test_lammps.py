"""The same start file in Sterna and in LAMMPS: the same energies, virial, forces and trajectory."""

from pathlib import Path

import numpy
import pytest
from lammps_support import System, Type, constant_energy, run_lammps
from sterna import read_log

h5py = pytest.importorskip("h5py")

STEPS = 100


def perturbed_crystal(cells: tuple[int, int, int], density: float, types: list[Type], seed: int):
    """A face-centered cubic crystal, each particle moved a little, with types in random places."""
    random = numpy.random.default_rng(seed)
    lattice_constant = (4.0 / density) ** (1.0 / 3.0)
    basis = numpy.array([[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]])
    corners = numpy.stack(numpy.meshgrid(*map(numpy.arange, cells), indexing="ij"), axis=-1)
    position = (corners.reshape(-1, 1, 3) + basis + 0.25).reshape(-1, 3) * lattice_constant
    position += random.uniform(-0.08, 0.08, position.shape) * lattice_constant
    species = random.integers(len(types), size=len(position))
    mass = numpy.array([kind.mass for kind in types])[species, None]
    velocity = random.normal(size=position.shape) * numpy.sqrt(1.2 / mass)
    velocity -= (mass * velocity).sum(axis=0) / mass.sum()
    return System(types, species, position, velocity, numpy.array(cells) * lattice_constant)


def pure() -> System:
    return perturbed_crystal((7, 7, 7), 0.8442, [Type()], seed=1)


def mixture() -> System:
    """Three types that differ in everything; one pair of them does not follow the mixing rule."""
    types = [Type(1.0, 1.0, 1.0), Type(2.5, 0.6, 0.85), Type(0.7, 1.3, 1.1)]
    system = perturbed_crystal((7, 6, 8), 0.75, types, seed=2)
    system.pairs = [(0, 2, 0.9, 1.02)]
    return system


def skewed() -> System:
    return perturbed_crystal((7, 7, 7), 0.8442, [Type()], seed=3).lean((5.0, -2.0, 3.0))


def skewed_mixture() -> System:
    return mixture().lean((-4.0, 4.5, 5.0))


CUTOFF = 2.5
SWITCH_START = 2.0
# Those that LAMMPS has with charges only.
WITH_CHARGES = ("switched", "force_switched")
MIXING = {
    "lorentz_berthelot": "arithmetic", "geometric": "geometric", "waldman_hagler": "sixthpower",
}  # fmt: skip


def lammps_commands(system: System, data: Path, truncation: str, mixing: str, dt: float):
    style = {
        "truncated": f"lj/cut {CUTOFF}",
        "shifted": f"lj/cut {CUTOFF}",
        "force_shifted": f"lj/smooth/linear {CUTOFF}",
        "switched": f"lj/charmm/coul/charmm {SWITCH_START} {CUTOFF}",
        "force_switched": f"lj/charmmfsw/coul/charmmfsh {SWITCH_START} {CUTOFF}",
        "cubic_force_switched": f"lj/gromacs {SWITCH_START} {CUTOFF}",
    }[truncation]
    commands = [
        "units lj",
        "atom_style charge" if truncation in WITH_CHARGES else "atom_style atomic",
        "atom_modify map array",
        f"read_data {data}",
        f"pair_style {style}",
        f"pair_modify mix {MIXING[mixing]}",
    ]
    if truncation in ("truncated", "shifted"):
        commands.append(f"pair_modify shift {'yes' if truncation == 'shifted' else 'no'}")
    for i, kind in enumerate(system.types, 1):
        commands.append(f"pair_coeff {i} {i} {kind.epsilon!r} {kind.sigma!r}")
    for i, j, epsilon, sigma in system.pairs:
        commands.append(f"pair_coeff {i + 1} {j + 1} {epsilon!r} {sigma!r}")
    return [
        *commands,
        *constant_energy(0.3, dt),
    ]


def sterna_input(system: System, data: Path, truncation: str, mixing: str, dt: float) -> str:
    text = f"""\
units = "reduced"
[run]
name = "comparison"
steps = {STEPS}
timestep = {dt!r}
[start]
kind = "file"
file = "{data.name}"
[interaction]
cutoff = {CUTOFF}
truncation = "{truncation}"
mixing = "{mixing}"
{f"switch_start = {SWITCH_START}" if truncation.endswith("switched") else ""}
[output]
thermo_interval = 10
trajectory_interval = {STEPS}
trajectory_fields = ["position", "force"]
"""
    for number, kind in enumerate(system.types):
        text += f"""
[[type]]
name = "T{number}"
mass = {kind.mass!r}
epsilon = {kind.epsilon!r}
sigma = {kind.sigma!r}
"""
    for i, j, epsilon, sigma in system.pairs:
        text += f"""
[[pair]]
first = "T{i}"
second = "T{j}"
epsilon = {epsilon!r}
sigma = {sigma!r}
"""
    return text


CASES = [
    pytest.param(pure, "truncated", "lorentz_berthelot", 1, id="pure-truncated"),
    pytest.param(pure, "shifted", "lorentz_berthelot", 2, id="pure-shifted"),
    pytest.param(pure, "force_shifted", "lorentz_berthelot", 1, id="pure-force_shifted"),
    pytest.param(pure, "switched", "lorentz_berthelot", 2, id="pure-switched"),
    pytest.param(mixture, "truncated", "lorentz_berthelot", 2, id="mixture-lorentz_berthelot"),
    pytest.param(mixture, "shifted", "geometric", 1, id="mixture-geometric"),
    pytest.param(mixture, "force_shifted", "lorentz_berthelot", 2, id="mixture-force_shifted"),
    pytest.param(mixture, "switched", "lorentz_berthelot", 1, id="mixture-switched"),
    pytest.param(mixture, "force_switched", "lorentz_berthelot", 2, id="mixture-force_switched"),
    pytest.param(
        mixture, "cubic_force_switched", "geometric", 1, id="mixture-cubic_force_switched"
    ),
    pytest.param(skewed, "force_shifted", "lorentz_berthelot", 1, id="triclinic-force_shifted"),
    pytest.param(skewed, "switched", "lorentz_berthelot", 3, id="triclinic-switched"),
    pytest.param(skewed_mixture, "shifted", "geometric", 4, id="triclinic-mixture"),
    pytest.param(mixture, "truncated", "waldman_hagler", 2, id="mixture-waldman_hagler"),
]


@pytest.mark.parametrize(("build", "truncation", "mixing", "ranks"), CASES)
def test_sterna_and_lammps_agree(build, truncation, mixing, ranks, lammps, sterna, tmp_path):
    system, dt = build(), 0.002
    data = tmp_path / "start.data"
    system.write_data(data)
    peer_data = data
    if truncation in WITH_CHARGES:
        peer_data = tmp_path / "start.charge.data"
        system.write_data(peer_data, charged=True)

    commands = lammps_commands(system, peer_data, truncation, mixing, dt)
    peer_rows, peer = run_lammps(lammps, commands, STEPS, 10, tmp_path)

    (tmp_path / "input.toml").write_text(sterna_input(system, data, truncation, mixing, dt))
    done = sterna("run", "input.toml", "-n", ranks)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = read_log(tmp_path / "comparison.log.jsonl").rows
    with h5py.File(tmp_path / "comparison.h5md") as file:
        force = file["particles/trajectory/force/value"][0]
        position = file["particles/trajectory/position/value"][-1]

    if truncation == "force_switched":
        # The forces of this style are not the slopes of its energies between the two distances:
        # LAMMPS takes those of the energy switch.
        for quantity in ("potential_energy", "kinetic_energy"):
            assert rows[0][quantity] == pytest.approx(peer_rows[0][quantity], rel=1e-10), quantity
        return

    # The start: 1e-10, force by force.
    for quantity in ("potential_energy", "kinetic_energy", "virial"):
        assert rows[0][quantity] == pytest.approx(peer_rows[0][quantity], rel=1e-10), quantity
    difference = numpy.linalg.norm(force - peer["force"], axis=1)
    assert (difference / numpy.linalg.norm(peer["force"], axis=1)).max() < 1e-10

    # The trajectory.
    assert [row["step"] for row in rows] == [row["step"] for row in peer_rows]
    for row, peer_row in zip(rows, peer_rows, strict=True):
        for quantity in ("potential_energy", "kinetic_energy"):
            assert row[quantity] == pytest.approx(peer_row[quantity], rel=1e-6), quantity
    moved = (position - peer["position"]) @ numpy.linalg.inv(system.cell)
    assert numpy.abs((moved - numpy.round(moved)) @ system.cell).max() < 1e-6
