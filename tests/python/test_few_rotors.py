"""Few rigid molecules beside many atoms: only they have orientations, and their neighbors have rows
around them. Sums over all pairs, other lists and other numbers of ranks give the same."""

import json
import re
import subprocess
import time
from pathlib import Path

import numpy
import pytest
from engine_support import script_output
from mixed_matter import Atom, Mixture
from sterna.launching.program import find_program
from test_extended_runs import thermo
from test_rotors_and_atoms import (
    ARGON,
    CARBON,
    DIOXIDE,
    POLAR,
    compare,
    measured,
    places,
    write,
)

EDGE, CELLS = 3.7, 7
COUNTS = {"Ar": 200, "C": 132, "CO2": 8, "polar": 3}
NAMES = ("energy", "virial", "force", "torque")
MOLECULES = "".join(
    f'[[molecule]]\nname = "{name}"\ncount = {count}\natom = [{{ type = "{name}" }}]\n'
    for name, count in COUNTS.items()
)
# An observer of pairs beyond the cutoff of forces: lists then have all pairs, and are around none.
ALL_PAIRS = "[rdf]\ninterval = 1000\n[output]\nthermo_interval = 10\n"
FEW = "[output]\nthermo_interval = 10\n"


def system(**more) -> Mixture:
    random = numpy.random.default_rng(11)
    kind = numpy.repeat(numpy.arange(4), list(COUNTS.values()))
    orientation = random.normal(size=(len(kind), 4))
    orientation[kind < 2] = [1, 0, 0, 0]
    orientation /= numpy.linalg.norm(orientation, axis=1)[:, None]
    return Mixture(
        atoms=[ARGON, CARBON],
        rigid=[DIOXIDE, POLAR],
        box=numpy.full(3, EDGE),
        kind=kind,
        position=places(CELLS, EDGE, 0.04, 3)[: len(kind)],
        orientation=orientation,
        **{"cutoff": 0.97, **more},
    )


def solid_with_few() -> Mixture:
    """Silicon under 12 molecules, some of them across a border of the box."""
    random = numpy.random.default_rng(4)
    basis = numpy.array([[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]])
    basis = numpy.concatenate([basis, basis + 0.25])
    edge = 0.5431
    corners = numpy.stack(numpy.meshgrid(range(4), range(4), range(2), indexing="ij"), axis=-1)
    silicon = ((corners.reshape(-1, 1, 3) + basis).reshape(-1, 3) + 0.1) * edge
    silicon += random.uniform(-0.01, 0.01, silicon.shape)
    gas = numpy.array([[x, y, 0.0] for x in range(4) for y in range(3)]) * edge
    gas += [0.02, 0.1, silicon[:, 2].max() + 0.2]
    turn = random.normal(size=(len(gas), 4))
    return Mixture(
        atoms=[Atom("Si", 28.0855, 0.02, 0.2)],
        rigid=[DIOXIDE],
        box=numpy.array([4 * edge, 4 * edge, 2.6]),
        kind=numpy.repeat([0, 1], [len(silicon), len(gas)]),
        position=numpy.concatenate([silicon, gas]),
        orientation=numpy.concatenate([
            numpy.tile([1.0, 0, 0, 0], (len(silicon), 1)),
            turn / numpy.linalg.norm(turn, axis=1)[:, None],
        ]),
        cutoff=0.29,
        without_pairs={"Si"},
    )  # fmt: skip


def with_text(folder, old: str, new: str) -> None:
    path = folder / "mixed.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize("site_cutoff", [False, True])
def test_sums_over_all_pairs(tmp_path, site_cutoff):
    mixture = system(site_cutoff=site_cutoff, factors={("Ar", "CO2"): (1.02, 0.9)})
    write(tmp_path, mixture, FEW, molecules=MOLECULES)
    alone = measured(tmp_path)
    compare(alone, mixture, 1e-7)
    for route in ("direct",) if site_cutoff else ("direct", "staged"):
        for ranks in (2, 3, 4):
            found = measured(tmp_path, ranks)
            for name in NAMES:
                numpy.testing.assert_allclose(found[name], alone[name], rtol=1e-10, atol=1e-9)
        if route == "direct":
            with_text(tmp_path, "[output]", '[domain]\nhalo_route = "staged"\n[output]')
    with_text(tmp_path, '"double"', '"mixed"')
    for ranks in (1, 3):
        found = measured(tmp_path, ranks)
        for name in NAMES:
            scale = numpy.abs(alone[name]).max()
            numpy.testing.assert_allclose(found[name], alone[name], atol=2e-5 * scale)


def test_beside_a_solid_whose_forces_reach_further(tmp_path):
    """All ghosts are there for the solid, so that no force of these pairs may return."""
    mixture = solid_with_few()
    molecules = "".join(
        f'[[molecule]]\nname = "{name}"\ncount = {count}\natom = [{{ type = "{name}" }}]\n'
        for name, count in (("Si", 256), ("CO2", 12))
    )
    found = {}
    for name, more in (("few", FEW), ("all", ALL_PAIRS)):
        write(tmp_path, mixture, more, molecules=molecules)
        with_text(tmp_path, '[[type]]\nname = "Si"\n', '[[type]]\nname = "Si"\ntersoff = "Si(C)"\n')
        found[name] = measured(tmp_path)
        force = numpy.array(found[name]["force"])
        assert abs(force[256:]).max() > 1.0
        assert abs(force.sum(axis=0)).max() < 1e-6 * abs(force).max()
    with_text(tmp_path, "[rdf]\ninterval = 1000\n", "")
    for ranks in (2, 5):
        found[ranks] = measured(tmp_path, ranks)
    for other in ("all", 2, 5):
        for name in NAMES:
            numpy.testing.assert_allclose(
                found[other][name], found["few"][name], rtol=1e-9, atol=1e-7
            )


def moving(folder, steps: int, more: str) -> None:
    write(folder, system(), more, run="seed = 5\n", molecules=MOLECULES)
    with_text(folder, "steps = 0", f"steps = {steps}")
    with_text(folder, "timestep = 0.001", "timestep = 0.002")
    with_text(folder, 'file = "mixed.xyz"', 'file = "mixed.xyz"\ntemperature = 150')


MOTION = """
import json, sterna
simulation = sterna.Simulation.from_file("mixed.toml")
rows = []
for _ in range(20):
    simulation.run(10)
    simulation.measure()
    state = simulation.thermo
    rows.append([state["potential_energy"], state["total_energy"], state["rotational_energy"]])
names = ("position", "velocity", "orientation", "angular_momentum")
found = {name: simulation.gather(name).tolist() for name in names}
if simulation.rank == 0:
    print(json.dumps({"rows": rows, **found}))
"""


def test_rows_around_few_hold_as_long_as_other_lists(tmp_path):
    moving(tmp_path, 200, ALL_PAIRS)
    expected = json.loads(script_output(tmp_path, MOTION))
    moving(tmp_path, 200, FEW)
    for ranks in (1, 2, 4):
        found = json.loads(script_output(tmp_path, MOTION, ranks=ranks))
        for name, numbers in expected.items():
            scale = numpy.abs(numbers).max()
            numpy.testing.assert_allclose(found[name], numbers, atol=1e-7 * scale)


@pytest.mark.parametrize("precision", ["double", "mixed"])
def test_a_restart_has_the_same_bits(sterna, tmp_path, precision):
    for name, parts in (("whole", [120]), ("parts", [60, 120])):
        for steps in parts:
            moving(tmp_path, steps, FEW + "checkpoint_interval = 20\n")
            with_text(tmp_path, '"double"', f'"{precision}"')
            path = tmp_path / f"{name}.toml"
            path.write_text((tmp_path / "mixed.toml").read_text())
            options = ["--resume"] if steps != parts[0] else []
            done = sterna("run", path.name, "-n", 2, *options)
            assert done.returncode == 0, done.stderr
    whole, parts = (thermo(tmp_path / f"{name}.log.jsonl") for name in ("whole", "parts"))
    assert len(whole) == 13
    assert parts == whole


ARRAYS = """
import json, numpy, sterna
simulation = sterna.Simulation.from_file("mixed.toml")
simulation.run(20)
before = {name: simulation.gather(name) for name in ("orientation", "angular_momentum")}
with simulation.view(write=["angular_momentum"]) as view:
    view.angular_momentum[...] *= 2.0
doubled = simulation.gather("angular_momentum")
if simulation.rank == 0:
    atoms, turning = slice(0, 332), slice(332, None)
    assert (before["orientation"][atoms] == [1, 0, 0, 0]).all()
    assert not before["angular_momentum"][atoms].any()
    assert before["angular_momentum"][turning].any(axis=1).all()
    assert (doubled == 2.0 * before["angular_momentum"]).all()
for value, words in ((1.0, "is of a particle that cannot turn"), (numpy.nan, "is not finite")):
    try:
        with simulation.view(write=["angular_momentum"]) as view:
            place = view.index_of([17])[0]  # an atom
            if place >= 0:
                view.angular_momentum[place, 1] = value
    except (ValueError, sterna.RemoteError) as error:
        assert f"row {place} of angular_momentum {words}" in str(error) or place < 0, error
    else:
        raise AssertionError("no error")
assert (simulation.gather("angular_momentum") == doubled).all()
turns = numpy.tile([1.0, 0.0, 0.0, 0.0], (343, 1))
turns[340] = [0.0, 1.0, 0.0, 0.0]
simulation.set("orientation", turns)
found = simulation.gather("orientation")
if simulation.rank == 0:
    assert (found == turns).all()
    print("[]")
"""


@pytest.mark.parametrize("ranks", [1, 3])
def test_arrays_of_python_have_a_row_for_each_particle(tmp_path, ranks):
    moving(tmp_path, 100, FEW)
    assert script_output(tmp_path, ARRAYS, ranks=ranks).strip() == "[]"


def memory_input(particles: int, share: float) -> str:
    return f"""units = "nano"
[run]
steps = 30
timestep = 0.001
precision = "double"
[start]
kind = "lattice"
particles = {particles}
density = "9 1/nm^3"
temperature = "300 K"
[[type]]
name = "Ar"
mass = 39.948
epsilon = 0.99
sigma = 0.34
fraction = {1 - share}
[[component]]
name = "CO2"
model = "carbon_dioxide_2cljq"
fraction = {share}
[interaction]
cutoff = 0.9
"""


def peak_of(command: list[str], folder) -> int:
    """Bytes at the peak of a run."""
    peak = 0
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
            found = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)
            if found and "sterna-md" in status:
                peak = max(peak, 1024 * int(found[1]))
            time.sleep(0.002)
    assert process.returncode == 0
    return peak


@pytest.mark.parametrize("share", [0.001, 0.5, 0.95])
def test_the_forecast_of_memory_knows_who_turns(sterna, tmp_path, share):
    """Bytes of a particle, from the peaks of two sizes."""
    forecasts, peaks, sizes = [], [], (16384, 65536)
    for particles in sizes:
        path = tmp_path / f"of_{particles}.toml"
        path.write_text(memory_input(particles, share))
        checked = sterna("check", path.name, "-n", 1)
        forecasts.append(1e6 * float(re.search(r"about (\S+) MB per rank", checked.stdout)[1]))
        command = [str(Path(find_program()).resolve()), "--overwrite", path.name]
        # Beside busy cores a look may miss the last growth, so that several runs are looked at.
        peaks.append(max(peak_of(command, tmp_path) for _ in range(3)))
    expected, found = ((b - a) / (sizes[1] - sizes[0]) for a, b in (forecasts, peaks))
    assert expected == pytest.approx(found, rel=0.3)
