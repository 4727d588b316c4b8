"""Models of OpenKIM: published numbers, differences of energies, several ranks, and messages."""

import ctypes
import json
from pathlib import Path

import pytest
from engine_support import run_script, script_output

MODELS = Path("/usr/lib/x86_64-linux-gnu/kim-api/portable-models")
COPPER = "EAM_Dynamo_FoilesBaskesDaw_1986Universal3_Cu__MO_666348409573_004"
NICKEL = "EAM_Dynamo_FoilesBaskesDaw_1986Universal3_Ni__MO_580571659842_000"


@pytest.fixture(autouse=True)
def _library():
    try:
        ctypes.CDLL("libkim-api.so.2")
    except OSError:
        pytest.skip("libkim-api.so.2 is not installed")


def model(name: str) -> str:
    if not (MODELS / name).exists():
        pytest.skip(f"the model {name} is not installed")
    return name


START = """
import json
import numpy
import sterna
from sterna.live.core import core

FCC = numpy.array([[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]])
DIAMOND = numpy.concatenate([FCC, [[0.25, 0.25, 0.25], [0.25, 0.75, 0.75], [0.75, 0.25, 0.75],
                                   [0.75, 0.75, 0.25]]])
rank, ranks = core().world()


def rattled(n, a, basis=FCC):
    cells = numpy.array([[x, y, z] for x in range(n) for y in range(n) for z in range(n)])
    position = a * (cells[:, None] + basis).reshape(-1, 3)
    k = 1 + numpy.arange(len(position))[:, None]
    return position + 0.1 * numpy.sin(k * [12.9898, 78.233, 37.719])


def simulation_of(position, edges, species, stretch=None, **changes):
    by = numpy.eye(3) if stretch is None else numpy.eye(3) + stretch
    moved, box = position @ by, (numpy.eye(3) * edges) @ by
    n = len(position)
    part = slice(rank * n // ranks, (rank + 1) * n // ranks)
    system = sterna.System.from_arrays(
        numpy.diag(box), moved[part], tilt=[box[1, 0], box[2, 0], box[2, 1]],
        type=(numpy.arange(n) % len(species))[part], id=1 + numpy.arange(n)[part])
    settings = sterna.Input(units="metal", run={"timestep": 0.001}, interaction={"cutoff": 4.0},
                            communication={"tuning": False},
                            type=[{"name": name, "mass": 50.0} for name in species],
                            kim={"model": MODEL})
    simulation = sterna.Simulation(settings.replace(**changes), system)
    simulation.measure()
    return simulation
"""


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize(
    # From LAMMPS with the files of the same authors.
    ("name", "element", "a", "energy", "first", "squares", "pressure"),
    [
        (
            COPPER, "Cu", 3.615, -896.2306860086,
            [-0.0812127213, -0.1435766723, -0.1086012093], 192.3775387712, 19600.839686,
        ),
        (
            NICKEL, "Ni", 3.52, -1123.2960258561,
            [-0.0902993973, -0.2264375450, -0.1662392789], 491.4364044946, 37028.632090,
        ),
    ],
)  # fmt: skip
def test_a_rattled_crystal_is_that_of_lammps(
    tmp_path, ranks, name, element, a, energy, first, squares, pressure
):
    if ranks > 2 and element == "Ni":
        pytest.skip("copper shows it")
    shown = script_output(
        tmp_path,
        f"MODEL = {model(name)!r}"
        + START
        + f"""
simulation = simulation_of(rattled(4, {a}), 4 * {a}, ["{element}"])
force = simulation.gather("force")
energy, virial = simulation.energies["kim"], simulation.virial_tensor()
if rank == 0:
    print(json.dumps([energy, force[0].tolist(), (force**2).sum(),
                      virial[0, 0] / simulation.box.volume]))
""",
        ranks,
    )
    found = json.loads(shown.splitlines()[-1])
    assert found[0] == pytest.approx(energy, abs=1e-6)
    assert found[1] == pytest.approx(first, abs=1e-7)
    assert found[2] == pytest.approx(squares, rel=1e-7)
    assert found[3] * 1602176.634 == pytest.approx(pressure, rel=1e-5)  # bar


@pytest.mark.parametrize(
    ("name", "species", "a"),
    [
        ("SW_StillingerWeber_1985_Si__MO_405512056662_005", ["Si"], 5.431),
        ("Tersoff_LAMMPS_Tersoff_1988T3_Si__MO_186459956893_003", ["Si"], 5.431),
        ("EAM_Dynamo_AngeloMoodyBaskes_1995_NiAlH__MO_418978237058_005", ["Ni", "Al"], 5.0),
        ("LJ_Shifted_Bernardes_1958LowCutoff_Ar__MO_720819638419_004", ["Ar"], 7.0),
    ],
)
def test_forces_and_virial_are_differences_of_the_energy(tmp_path, name, species, a):
    script_output(
        tmp_path,
        f"MODEL, species, a = {model(name)!r}, {species!r}, {a}"
        + START
        + """
position = rattled(2, a, DIAMOND)
simulation = simulation_of(position, 2 * a, species)
force, virial = simulation.gather("force"), simulation.virial_tensor()
assert numpy.abs(force).max() > 1e-6
assert abs(force.sum(axis=0)).max() < 1e-9 * max(1.0, numpy.abs(force).max())
h = 1e-4
for atom, axis in ((0, 0), (37, 2)):
    energies = []
    for sign in (-1, 1):
        moved = position.copy()
        moved[atom, axis] += sign * h
        energies.append(simulation_of(moved, 2 * a, species).energies["kim"])
    assert abs((energies[0] - energies[1]) / (2 * h) - force[atom, axis]) < (
        1e-5 * numpy.abs(force).max())
for x, y in ((0, 0), (1, 0), (2, 1)):
    energies = []
    for sign in (-1, 1):
        stretch = numpy.zeros((3, 3))
        stretch[x, y] = sign * h
        energies.append(simulation_of(position, 2 * a, species, stretch).energies["kim"])
    assert abs((energies[0] - energies[1]) / (2 * h) - virial[x, y]) < (
        1e-5 * numpy.abs(virial).max())
""",
        2,
    )


def test_atoms_of_other_types_are_not_seen_and_energy_is_conserved(tmp_path):
    script_output(
        tmp_path,
        f"MODEL = {model(COPPER)!r}"
        + START
        + """
position = rattled(4, 3.615)
alone = simulation_of(position, 14.46, ["Cu"])
half = position[::2]
types = [{"name": "metal", "mass": 63.5}, {"name": "gas", "mass": 40.0, "epsilon": 0.0,
                                           "sigma": 1.0}]
beside = simulation_of(position, 14.46, ["Cu", "Cu"], type=types,
                       kim={"model": MODEL, "types": ["metal"], "species": ["Cu"]})
only = simulation_of(half, 14.46, ["Cu"])
assert abs(beside.energies["kim"] - only.energies["kim"]) < 1e-9
force = beside.gather("force")
assert numpy.abs(force[::2] - only.gather("force")).max() < 1e-10
assert numpy.abs(force[1::2]).max() == 0.0

first, kinetic = alone.thermo["total_energy"], alone.thermo["kinetic_energy"]
alone.run(60)
assert alone.thermo["kinetic_energy"] - kinetic > 1.0
assert abs(alone.thermo["total_energy"] - first) < 2e-3
""",
        2,
    )


@pytest.mark.parametrize(
    ("kim", "types", "message"),
    [
        ({"model": COPPER.replace("Cu__", "Cv__")}, ["Cu"], f'did you mean "{COPPER}"?'),
        ({"model": "Universal3_Cu"}, ["Cu"], f"; there is {COPPER}"),
        ({"model": COPPER}, ["Fe"], 'has no species "Fe"; it has Cu'),
        ({"model": COPPER, "types": ["Ag"]}, ["Cu"], 'there is no [[type]] "Ag"'),
        ({"model": COPPER, "species": ["Cu", "Cu"]}, ["Cu"], "2 species for 1 types"),
        ({"modle": COPPER}, ["Cu"], '"model"'),
    ],
)
def test_mistakes_have_messages(tmp_path, kim, types, message):
    model(COPPER)
    done = run_script(
        tmp_path,
        f"MODEL = {COPPER!r}"
        + START
        + f"simulation_of(rattled(2, 3.6), 7.2, {types!r}, kim={kim!r})",
    )
    assert done.returncode != 0
    assert message in done.stderr, done.stderr


def test_a_library_that_is_missing_is_an_error(tmp_path):
    done = run_script(
        tmp_path,
        f"import os\nos.environ['STERNA_KIM'] = 'libno.so'\nMODEL = {COPPER!r}"
        + START
        + "simulation_of(rattled(2, 3.6), 7.2, ['Cu'])",
    )
    assert done.returncode != 0
    assert "the library of KIM cannot be loaded: libno.so" in done.stderr, done.stderr
