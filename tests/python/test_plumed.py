"""PLUMED's kernel as a force term.

Most tests run against a kernel of their own (`tests/support/plumed_kernel.cpp`), which checks all
calls. With `PLUMED_KERNEL` they run against PLUMED itself, too, and so do those at the end.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from alchemical_systems import PAIR
from conftest import ROOT, sterna_command, sterna_environment
from engine_support import script_output
from sterna import read_log
from sterna.commands.doctor import Level, check_plumed

REAL = os.environ.get("PLUMED_KERNEL", "")
needs_plumed = pytest.mark.skipif(not REAL, reason="PLUMED_KERNEL names no kernel of PLUMED")


def compiled_kernel(folder: Path, *options: str) -> Path:
    compiler = shutil.which(os.environ.get("CXX", "c++")) or shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no compiler for the kernel of the tests")
    made = folder / "libplumedKernel.so"
    source = ROOT / "tests" / "support" / "plumed_kernel.cpp"
    command = [compiler, "-std=c++20", "-O1", "-shared", "-fPIC", *options, source, "-o", made]
    subprocess.run(command, check=True)
    return made


@pytest.fixture(scope="session")
def test_kernel(tmp_path_factory):
    return compiled_kernel(tmp_path_factory.mktemp("kernel"))


@pytest.fixture(params=["test", "real"])
def kernel(request, test_kernel):
    """The kernel of the tests, then that of PLUMED where there is one."""
    if request.param == "test":
        return str(test_kernel)
    if not REAL:
        pytest.skip("PLUMED_KERNEL names no kernel of PLUMED")
    return REAL


# 64 atoms in a tilted box; those of the variables are far from each other, and on several ranks.
START = """
import json
import os
from pathlib import Path
import numpy
import sterna
from sterna.live.core import core

rank, ranks = core().world()
EDGES = numpy.array([[2.4, 0.0, 0.0], [0.3, 2.2, 0.0], [-0.2, 0.4, 2.6]])
cells = numpy.array([[x, y, z] for x in range(4) for y in range(4) for z in range(4)])
k = 1 + numpy.arange(64)[:, None]
FRACTIONS = (cells + 0.5) / 4 + 0.02 * numpy.sin(k * [12.9898, 78.233, 37.719])
UNITS, PLUMED, BIAS = "nano", None, []


def simulation_of(position=None, edges=EDGES, text=None, **changes):
    position = FRACTIONS @ edges if position is None else position
    part = slice(rank * 64 // ranks, (rank + 1) * 64 // ranks)
    system = sterna.System.from_arrays(
        numpy.diag(edges), position[part], tilt=[edges[1, 0], edges[2, 0], edges[2, 1]],
        type=numpy.zeros(64, int)[part], id=1 + numpy.arange(64)[part])
    if text is not None:
        # Each rank reads it to check the input.
        Path(f"plumed.dat.{rank}").write_text(text)
        os.replace(f"plumed.dat.{rank}", "plumed.dat")
        changes["plumed"] = {"file": "plumed.dat", "kernel": KERNEL} | changes.pop("plumed", {})
    options = {
        "units": UNITS, "run": {"timestep": 0.002}, "interaction": {"cutoff": 0.9},
        "communication": {"tuning": False},
        "type": [{"name": "A", "mass": 40.0, "epsilon": 1.0, "sigma": 0.34, "charge": 0.0}],
    }
    simulation = sterna.Simulation(sterna.Input(**(options | changes)), system)
    simulation.measure()
    return simulation


def umbrella(center, stiffness):
    return {
        "group": [{"name": "one", "select": "id 3"}, {"name": "other", "select": "id 61"}],
        "variable": [{"name": "d", "kind": "distance", "groups": ["one", "other"]}],
        "bias": [{"name": "pull", "kind": "harmonic", "variable": "d", "center": center,
                  "stiffness": stiffness}],
    }


def told(**values):
    if rank == 0:
        print(json.dumps({name: numpy.asarray(value).tolist() for name, value in values.items()}))
"""


def numbers(folder: Path, kernel: str, text: str, ranks: int = 1) -> dict:
    shown = script_output(folder, f"KERNEL = {kernel!r}\n" + START + text, ranks)
    return {name: np.array(value) for name, value in json.loads(shown.splitlines()[-1]).items()}


RESTRAINT = "d: DISTANCE ATOMS=3,61\\nRESTRAINT ARG=d AT=0.7 KAPPA=500\\n"


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_a_restraint_is_an_umbrella(tmp_path, kernel, ranks):
    if ranks == 4 and kernel == REAL:
        pytest.skip("two ranks show it")
    found = numbers(
        tmp_path,
        kernel,
        f"""
alone = simulation_of()
ours = simulation_of(**umbrella(0.7, 500.0))
theirs = simulation_of(text="{RESTRAINT}")
told(without=alone.gather("force"), ours=ours.gather("force"), theirs=theirs.gather("force"),
     energies=[ours.energies["bias"], theirs.energies["plumed"]],
     virials=[alone.virial_tensor(), ours.virial_tensor(), theirs.virial_tensor()])
""",
        ranks,
    )
    bias = found["ours"] - found["without"]
    assert np.abs(bias).max() > 10.0
    assert np.abs(found["theirs"] - found["without"] - bias).max() < 1e-10 * np.abs(bias).max()
    assert found["energies"][1] == pytest.approx(found["energies"][0], rel=1e-10)
    assert found["energies"][0] > 1.0
    without, ours, theirs = found["virials"]
    assert np.abs(theirs - ours).max() < 1e-10 * np.abs(ours - without).max()


def test_forces_and_virial_are_differences_of_the_energy(tmp_path, kernel):
    # The position of an atom in space, too, whose virial is not symmetric.
    text = "d: DISTANCE ATOMS=3,61\n"
    if kernel == REAL:
        text += "q: POSITION ATOM=17 NOPBC\np: COMBINE ARG=q.x PERIODIC=NO\n"
    else:
        text += "p: POSITION ATOM=17\n"
    text += "RESTRAINT ARG=d AT=0.7 KAPPA=500\nRESTRAINT ARG=p AT=0.1 KAPPA=300\n"
    script_output(
        tmp_path,
        f"KERNEL = {kernel!r}\n"
        + START
        + f"""
options = {{"text": {text!r}, "plumed": {{"keeps_momentum": False}}}}
base = simulation_of(**options)
force, virial = base.gather("force"), base.virial_tensor()
h = 1e-6
for atom, axis in ((2, 0), (60, 1), (16, 0), (30, 2)):
    energies = []
    for sign in (-1, 1):
        moved = FRACTIONS @ EDGES
        moved[atom, axis] += sign * h
        energies.append(simulation_of(moved, **options).thermo["potential_energy"])
    assert abs((energies[0] - energies[1]) / (2 * h) - force[atom, axis]) < 2e-5 * abs(force).max()
bias = virial - simulation_of().virial_tensor()
for x, y in ((0, 0), (1, 1), (2, 2), (1, 0), (2, 0), (2, 1)):
    energies = []
    for sign in (-1, 1):
        strain = numpy.eye(3)
        strain[x, y] += sign * h
        energies.append(simulation_of(edges=EDGES @ strain, **options).energies["plumed"])
    difference = (energies[0] - energies[1]) / (2 * h)
    assert abs(difference - bias[y, x]) < 1e-6 * abs(bias).max(), (x, y)
""",
        2,
    )


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("all_atoms", [False, True])
def test_a_bias_on_the_energy_scales_forces_and_virial(tmp_path, kernel, ranks, all_atoms):
    if all_atoms and kernel != REAL:
        pytest.skip("the kernel of the tests has no variable of all atoms")
    text = "e: ENERGY\nRESTRAINT ARG=e AT=-300 KAPPA=0.002\nd: DISTANCE ATOMS=3,61\n"
    text += "RESTRAINT ARG=d AT=0.7 KAPPA=500\n"
    if all_atoms:
        text += "g: GYRATION ATOMS=1-64\nRESTRAINT ARG=g AT=1.0 KAPPA=10\n"
    found = numbers(
        tmp_path,
        kernel,
        f"""
def forces(energy_bias):
    text = {text!r}
    if not energy_bias:
        text = "\\n".join(line for line in text.split("\\n") if "e: " not in line and "=e" not in line)
    one = simulation_of(text=text)
    # Two steps, so that PLUMED asks for its own atoms only.
    one.run(2)
    one.measure()
    return one
plain = simulation_of()
with_energy = forces(True)
without = forces(False)
position = with_energy.gather("position")
box = with_energy.box
# The same places, in which both are computed anew.
again = simulation_of(position)
told(scaled=with_energy.gather("force"), plain=again.gather("force"),
     energy=again.thermo["potential_energy"],
     biased=simulation_of(position, text={text!r}).gather("force"),
     distance=simulation_of(position, text="\\n".join(
         line for line in {text!r}.split("\\n") if "e: " not in line and "=e" not in line)
     ).gather("force"),
     virials=[again.virial_tensor(), simulation_of(position, text={text!r}).virial_tensor(),
              simulation_of(position, text="\\n".join(
         line for line in {text!r}.split("\\n") if "e: " not in line and "=e" not in line)
     ).virial_tensor()])
""",
        ranks,
    )
    scale = 1.0 + 0.002 * (found["energy"] + 300.0)
    assert abs(scale - 1.0) > 0.05
    own = found["distance"] - found["plain"]
    wanted = scale * found["plain"] + own
    largest = np.abs(wanted).max()
    assert np.abs(found["biased"] - wanted).max() < 1e-9 * largest
    assert np.abs(found["scaled"] - wanted).max() < 1e-9 * largest
    plain, biased, distance = found["virials"]
    wanted = scale * plain + (distance - plain)
    assert np.abs(biased - wanted).max() < 1e-9 * np.abs(wanted).max()


# A melt that is run by the command.
MELT = """\
units = "reduced"
[run]
name = "melt"
steps = {steps}
timestep = 0.004
seed = 5
[start]
kind = "lattice"
lattice = "fcc"
cells = [4, 4, 4]
density = 0.8442
temperature = 1.0
[[type]]
name = "A"
[interaction]
cutoff = 2.5
[plumed]
file = "plumed.dat"
[domain]
decomposition = "grid"
[output]
thermo_interval = 50
checkpoint_interval = {checkpoint}
"""
LANGEVIN = '[thermostat]\nkind = "langevin"\ntemperature = 1.0\ntime_constant = 0.5\n'
MEMORY = (
    "d: DISTANCE ATOMS=3,61\nRESTRAINT ARG=d AT=2.0 KAPPA=20\nPUSH ARG=d RATE=1.5\n"
    "GROW ARG=d BY=0.01 STRIDE=10 FILE=constants\nPRINT ARG=d STRIDE=10 FILE=COLVAR\n"
)


def run(
    folder: Path, kernel: str, *options: str, fails: bool = False, name: str = "melt.toml"
) -> str:
    done = subprocess.run(
        sterna_command("run", name, *options),
        cwd=folder,
        env=sterna_environment() | {"PLUMED_KERNEL": kernel},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stdout + done.stderr


def melt(folder: Path, plumed: str, more: str = LANGEVIN, **numbers: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "melt.toml").write_text(
        MELT.format(**({"steps": 300, "checkpoint": 100} | numbers)) + more
    )
    (folder / "plumed.dat").write_text(plumed)
    return folder


def test_the_kernel_is_told_all_in_order_and_ends(tmp_path, test_kernel, monkeypatch):
    monkeypatch.setenv("TEST_PLUMED_CALLS", str(tmp_path / "calls"))
    melt(tmp_path, MEMORY, steps=20)
    run(tmp_path, str(test_kernel), "-n", "2")
    # Those of the check come first.
    words = (tmp_path / "calls").read_text().split("end\n")[-2].split()
    start = words.index("init")
    assert set(words[:start]) == {
        "setRealPrecision", "setNaturalUnits", "setMDEngine", "setLog", "setTimestep", "setKbT",
        "setNatoms", "setRestart", "setPlumedDat",
    }  # fmt: skip
    assert words.count("setStopFlag") == 1
    assert words.count("performCalc") == 21
    assert words.count("prepareDependencies") == 21
    assert "setEnergy" not in words
    # The last step has the last checkpoint, whether or not lists are renewed in it.
    assert "doCheckPoint" in words[len(words) - words[::-1].index("setStepLong") :]
    log = (tmp_path / "melt.plumed.log").read_text()
    assert "256 atoms, timestep 0.004, kT 1, restart 0, units natural" in log
    assert not list(tmp_path.glob("*sterna-check*"))
    assert not list(tmp_path.glob("bck.*"))


def test_units_are_those_of_plumed(tmp_path, kernel):
    text = (
        MELT.format(steps=10, checkpoint=10)
        .replace("reduced", "real")
        .replace("density = 0.8442", 'density = "20 mol/l"')
    )
    text = text.replace("timestep = 0.004", "timestep = 1.0").replace(
        "cutoff = 2.5", "cutoff = 8.0"
    )
    text = text.replace("temperature = 1.0", "temperature = 120")
    text = text.replace('name = "A"', 'name = "A"\nmass = 39.948\nepsilon = 0.238\nsigma = 3.4')
    melt(tmp_path, "d: DISTANCE ATOMS=1,2\nPRINT ARG=d STRIDE=1 FILE=COLVAR\n")
    (tmp_path / "melt.toml").write_text(text + LANGEVIN.replace("1.0", "120").replace("0.5", "500"))
    run(tmp_path, kernel, "-n", "1")
    log = (tmp_path / "melt.plumed.log").read_text().lower()
    if kernel == REAL:
        assert "timestep: 0.001000" in log
        assert "kbt: 0.99773" in log
    else:
        assert "timestep 0.001, kt 0.997735514, restart 0, units nm ps kj/mol" in log
    rows = np.loadtxt(tmp_path / "COLVAR")
    assert rows[-1, 0] == pytest.approx(0.010)
    edge = (4.0 / (20 * 0.602214076)) ** (1 / 3)  # of a cell, in nm
    assert rows[0, 1] == pytest.approx(edge / np.sqrt(2.0), rel=1e-3)


BAROSTAT = (
    '[barostat]\nkind = "stochastic_cell_rescaling"\npressure = 2.0\ntime_constant = 0.5\n'
    "bulk_modulus = 20.0\n"
)


@pytest.mark.parametrize(("ranks", "more"), [("1", ""), ("3", ""), ("2", BAROSTAT)])
def test_a_resumed_run_has_the_same_files_and_bits(tmp_path, kernel, ranks, more):
    text = MEMORY
    if kernel == REAL:
        # Hills that are written with all their digits are read again with them.
        text = (
            "d: DISTANCE ATOMS=3,61\n"
            "METAD ARG=d SIGMA=0.1 HEIGHT=0.3 PACE=20 FILE=HILLS FMT=%30.17g\n"
            "MOVINGRESTRAINT ARG=d STEP0=0 AT0=2.0 KAPPA0=20 STEP1=300 AT1=2.5\n"
            "PRINT ARG=d STRIDE=10 FILE=COLVAR FMT=%30.17g\n"
        )
    whole, parts = (melt(tmp_path / name, text, LANGEVIN + more) for name in ("whole", "parts"))
    run(whole, kernel, "-n", ranks)
    run(parts, kernel, "-n", ranks, "--steps", "170")
    # Rows of a run that was killed after its checkpoint.
    for name in ("COLVAR", "HILLS" if kernel == REAL else "constants"):
        with (parts / name).open("a") as file:
            file.write(" 0.69 2.1\n")
    # A folder may be moved, and what has its former name is left alone.
    moved = tmp_path / "moved"
    shutil.copytree(parts, moved)
    earlier = {path.name: path.read_bytes() for path in parts.iterdir()}
    run(moved, kernel, "-n", ranks, "--resume")
    assert {path.name: path.read_bytes() for path in parts.iterdir()} == earlier
    parts = moved
    logs = [read_log(folder / "melt.log.jsonl").rows for folder in (whole, parts)]
    assert logs[0][-1] == logs[1][-1]
    assert logs[0][-1]["step"] == 300

    def rows(folder: Path, name: str) -> list[str]:
        lines = (folder / name).read_text().splitlines()
        return [line for line in lines if not line.startswith("#!")]

    for name in ("COLVAR", "HILLS" if kernel == REAL else "constants"):
        assert rows(whole, name) == rows(parts, name)
    assert len(rows(whole, "COLVAR")) == 31


@pytest.mark.parametrize("thermostat", [False, True])
def test_work_of_changing_biases_is_not_in_the_conserved_energy(tmp_path, kernel, thermostat):
    text = MEMORY.replace("BY=0.01", "BY=0.5")
    if kernel == REAL:
        text = (
            "d: DISTANCE ATOMS=3,61\nMETAD ARG=d SIGMA=0.2 HEIGHT=2 PACE=20 FILE=HILLS\n"
            "MOVINGRESTRAINT ARG=d STEP0=0 AT0=2.0 KAPPA0=20 STEP1=300 AT1=4\n"
        )
    melt(tmp_path, text, LANGEVIN if thermostat else "", steps=600)
    text = (tmp_path / "melt.toml").read_text().replace("timestep = 0.004", "timestep = 0.001")
    (tmp_path / "melt.toml").write_text(text)
    run(tmp_path, kernel, "-n", "2")
    rows = read_log(tmp_path / "melt.log.jsonl").rows
    plumed = [row["plumed_energy"] for row in rows]
    total = [row["total_energy"] for row in rows]
    conserved = np.array([row["conserved_energy"] for row in rows])
    assert np.ptp(plumed) > 1.0
    if not thermostat:
        assert np.ptp(total) > 1.0
    assert np.ptp(conserved) < 0.05


@pytest.mark.parametrize("energy", [False, True])
def test_constant_pressure_counts_the_work_of_the_box(tmp_path, kernel, energy):
    text = "d: DISTANCE ATOMS=3,61\nRESTRAINT ARG=d AT=2.0 KAPPA=200\n"
    if energy:
        text += (
            "e: ENERGY\nRESTRAINT ARG=e AT=-1200 KAPPA=0.002\nPRINT ARG=e STRIDE=50 FILE=COLVAR\n"
        )
    melt(tmp_path, text, LANGEVIN + BAROSTAT, steps=600)
    settings = (tmp_path / "melt.toml").read_text()
    settings = settings.replace("timestep = 0.004", "timestep = 0.002")
    settings = settings.replace("cutoff = 2.5", 'cutoff = 2.5\ntail_correction = "homogeneous"')
    (tmp_path / "melt.toml").write_text(settings)
    run(tmp_path, kernel, "-n", "2")
    rows = read_log(tmp_path / "melt.log.jsonl").rows
    assert np.ptp([row["volume"] for row in rows]) > 1.0
    assert np.ptp([row["plumed_energy"] for row in rows]) > 1.0
    conserved = np.array([row["conserved_energy"] for row in rows])
    assert np.ptp(conserved) < 0.4, conserved
    if not energy:
        return
    table = np.loadtxt(tmp_path / "COLVAR")
    assert len(table) == len(rows) == 13
    # PLUMED sees a step before the barostat changes the box.
    wanted = [row["potential_energy"] - row["plumed_energy"] for row in rows]
    np.testing.assert_allclose(table[0, 1], wanted[0], rtol=1e-8)
    np.testing.assert_allclose(table[:, 1], wanted, rtol=0.01)
    assert all(abs(row["tail_correction_energy"]) > 1.0 for row in rows)


def test_a_request_to_stop_ends_the_run_with_a_checkpoint(tmp_path, test_kernel):
    melt(tmp_path, "d: DISTANCE ATOMS=3,61\nSTOP AT=60\nPRINT ARG=d STRIDE=10 FILE=COLVAR\n")
    said = run(tmp_path, str(test_kernel), "-n", "2", fails=True)
    assert "PLUMED asked at step 60 to end the run" in said
    assert "continue with --resume" in said
    run(tmp_path, str(test_kernel), "-n", "2", "--resume")
    # PLUMED writes its head once more.
    lines = (tmp_path / "COLVAR").read_text().splitlines()
    assert len([line for line in lines if not line.startswith("#!")]) == 31


@pytest.mark.parametrize("ranks", ["1", "3"])
def test_replicas_have_inputs_and_files_of_their_own(tmp_path, kernel, ranks):
    states = '[replicas]\ninterval = 50\nexchange = "none"\n' + "[[state]]\n" * 2
    text = "d: DISTANCE ATOMS=3,61\nRESTRAINT ARG=d AT={} KAPPA=200\nPRINT ARG=d STRIDE=10 FILE=COLVAR\n"
    melt(tmp_path, text.format(2.0), LANGEVIN + states, steps=200)
    (tmp_path / "plumed.1.dat").write_text(text.format(4.0))
    run(tmp_path, kernel, "-n", ranks)
    distances = [np.loadtxt(tmp_path / f"COLVAR.{k}")[-5:, 1].mean() for k in range(2)]
    assert distances[0] == pytest.approx(2.0, abs=0.4)
    assert distances[1] == pytest.approx(4.0, abs=0.4)
    assert (tmp_path / "melt.replica-1.plumed.log").exists()
    # Without an input of all, each replica has its own, and each of them is checked.
    (tmp_path / "plumed.dat").rename(tmp_path / "plumed.0.dat")
    run(tmp_path, kernel, "-n", ranks)
    (tmp_path / "plumed.1.dat").write_text("d: DISTANCE ATOMS=@replicas:{3,4}\n")
    said = run(tmp_path, kernel, "-n", ranks, fails=True)
    assert "@replicas:" in said
    (tmp_path / "plumed.1.dat").unlink()
    said = run(tmp_path, kernel, "-n", ranks, fails=True)
    assert "the input of PLUMED" in said
    spaced = (tmp_path / "melt.toml").read_text().replace('"plumed.dat"', '"the plumed.dat"')
    (tmp_path / "melt.toml").write_text(spaced)
    (tmp_path / "the plumed.dat").write_text(text.format(2.0))
    said = run(tmp_path, kernel, "-n", ranks, fails=True)
    assert "no white space" in said


@pytest.mark.parametrize(
    ("plumed", "line", "message"),
    [
        ("# a comment\n\nd: DISTANCE ATOMS=3,61\nRESTRAINT ARG=d AT=2.0 KAPA=20\n", 4, "KAPA"),
        ("d: DISTANCE ATOMS=3,999\nPRINT ARG=d STRIDE=10 FILE=COLVAR\n", 1, "999|range"),
        ("d: DISTANCE ATOMS=3,61\nPRINT ARG=d STRIDE=1 FILE=COLVAR\nNONSENSE A=1\n", 3, "NONSENSE"),
        ("d: DISTANCE ATOMS=3,61\nRESTRAINT ARG=e AT=2.0 KAPPA=20\n", 2, "e"),
    ],
)
def test_mistakes_are_told_with_their_lines(tmp_path, kernel, plumed, line, message):
    melt(tmp_path, plumed)
    (tmp_path / "COLVAR").write_text("of an earlier run\n")
    for ranks in ("1", "3"):
        said = run(tmp_path, kernel, "-n", ranks, fails=True)
        assert f"plumed.dat:{line}: " in said
        assert any(word in said for word in message.split("|"))
        assert "melt.toml:18:" in said
    assert (tmp_path / "COLVAR").read_text() == "of an earlier run\n"
    assert {path.name for path in tmp_path.iterdir()} == {"melt.toml", "plumed.dat", "COLVAR"}


def test_errors_of_a_run_end_it_on_all_ranks(tmp_path, test_kernel):
    melt(tmp_path, "p: POSITION ATOM=3\nRESTRAINT ARG=p AT=1.0 KAPPA=20\n")
    said = run(tmp_path, str(test_kernel), "-n", "3", fails=True)
    assert "keeps_momentum = false" in said
    text = (tmp_path / "melt.toml").read_text()
    (tmp_path / "melt.toml").write_text(
        text.replace('"plumed.dat"', '"plumed.dat"\nkeeps_momentum = false')
    )
    run(tmp_path, str(test_kernel), "-n", "3")


def test_a_bias_on_the_energy_needs_all_forces_in_each_step(tmp_path, kernel):
    shutil.copy(ROOT / "examples" / "butane.extxyz", tmp_path)
    text = (ROOT / "examples" / "butane.toml").read_text()
    (tmp_path / "melt.toml").write_text(
        text + '\n[multiple_time_steps]\npairs = 2\n[plumed]\nfile = "plumed.dat"\n'
    )
    (tmp_path / "plumed.dat").write_text("e: ENERGY\nRESTRAINT ARG=e AT=-300 KAPPA=0.002\n")
    said = run(tmp_path, kernel, "-n", "2", "--steps", "20", fails=True)
    assert "a bias on ENERGY acts on all forces" in said
    (tmp_path / "plumed.dat").write_text(
        "d: DISTANCE ATOMS=3,61\nRESTRAINT ARG=d AT=2 KAPPA=20\nPRINT ARG=d STRIDE=1 FILE=COLVAR\n"
    )
    run(tmp_path, kernel, "-n", "2", "--steps", "20")
    assert len(np.loadtxt(tmp_path / "COLVAR")) == 21


def test_a_bias_on_the_energy_does_not_go_with_alchemy(tmp_path, kernel):
    (tmp_path / "pair.extxyz").write_text(
        '2\nLattice="8 0 0 0 8 0 0 0 8" Properties=species:S:1:pos:R:3\nA 1.0 2.0 2.0\nB 2.3 2.0 2.0\n'
    )
    text = PAIR.format(steps=20, seed=1) + '[plumed]\nfile = "plumed.dat"\n'
    (tmp_path / "pair.toml").write_text(text)
    (tmp_path / "plumed.dat").write_text("e: ENERGY\nRESTRAINT ARG=e AT=-300 KAPPA=0.002\n")
    said = run(tmp_path, kernel, "-n", "2", fails=True, name="pair.toml")
    assert "a bias on ENERGY acts on all forces, but" in said
    assert "[alchemy]" in said
    (tmp_path / "plumed.dat").write_text("d: DISTANCE ATOMS=1,2\nRESTRAINT ARG=d AT=2 KAPPA=20\n")
    run(tmp_path, kernel, "-n", "2", name="pair.toml")


def test_a_minimization_is_refused(tmp_path, test_kernel):
    melt(tmp_path, MEMORY, "[minimize]\nforce_tolerance = 1.0\n")
    text = (tmp_path / "melt.toml").read_text()
    text = text.replace("timestep = 0.004\n", 'integrator = "minimize"\n')
    (tmp_path / "melt.toml").write_text(text)
    said = run(tmp_path, str(test_kernel), "-n", "2", fails=True)
    assert "a minimization needs an energy that stays" in said


def test_a_kernel_that_is_missing_or_none_is_an_error(tmp_path):
    melt(tmp_path, MEMORY)
    said = run(tmp_path, str(tmp_path / "libno.so"), "-n", "2", fails=True)
    assert "the kernel of PLUMED cannot be loaded" in said
    assert "libno.so" in said
    assert "melt.toml:17:" in said
    said = run(tmp_path, "libm.so.6", "-n", "1", fails=True)
    assert "has no plumed_symbol_table" in said
    melt(
        tmp_path,
        "d: DISTANCE ATOMS=@replicas:3,4\n",
        LANGEVIN + "[replicas]\ninterval = 50\n[[state]]\n",
    )
    (tmp_path / "plumed.dat").unlink()
    said = run(tmp_path, "libm.so.6", "-n", "1", fails=True)
    assert "the input of PLUMED" in said


def test_an_older_kernel_throws_its_errors(tmp_path):
    kernel = str(compiled_kernel(tmp_path, "-DTEST_OLD_KERNEL"))
    folder = melt(tmp_path / "run", MEMORY, steps=20)
    run(folder, kernel, "-n", "2")
    (folder / "plumed.dat").write_text("NONSENSE A=1\n")
    said = run(folder, kernel, "-n", "2", fails=True)
    assert (
        "plumed.dat:1: I cannot understand line: NONSENSE; Maybe a missing space or a typo?" in said
    )


def test_the_doctor_knows_the_kernel(tmp_path, test_kernel):
    (found,) = check_plumed({"PLUMED_KERNEL": str(test_kernel)})
    assert found.level is Level.fine
    (found,) = check_plumed({"PLUMED_KERNEL": str(tmp_path / "libno.so")})
    assert found.level is Level.advice
    assert "is no file" in found.found
    (found,) = check_plumed({"PLUMED_KERNEL": "libm.so.6"})
    assert "is no kernel" in found.found


@needs_plumed
@pytest.mark.parametrize("ranks", [1, 2])
def test_forces_of_many_variables_are_differences(tmp_path, ranks):
    reference = "".join(
        f"ATOM  {n:5d}  C   ALA A{n:4d}    {x:8.3f}{y:8.3f}{z:8.3f}  1.00  1.00\n"
        for n, (x, y, z) in zip(
            range(5, 9), [(3, 3, 3), (3, 3, 9), (3, 3, 15), (3, 3, 22)], strict=True
        )
    )
    (tmp_path / "reference.pdb").write_text(reference + "END\n")
    text = (
        "c: COORDINATION GROUPA=1-20 GROUPB=21-64 R_0=0.5 NN=6 MM=12 NLIST NL_CUTOFF=1.0 NL_STRIDE=1\n"
        "t: TORSION ATOMS=1,2,6,7\nr: RMSD REFERENCE=reference.pdb TYPE=OPTIMAL\n"
        "v: VOLUME\ng: GYRATION ATOMS=5-8\n"
        "RESTRAINT ARG=c,t,r,g,v AT=30,0.2,0.1,0.5,13 KAPPA=3,40,900,200,20\n"
    )
    script_output(
        tmp_path,
        f"KERNEL = {REAL!r}\n"
        + START
        + f"""
options = {{"text": {text!r}}}
base = simulation_of(**options)
alone = simulation_of()
force = base.gather("force") - alone.gather("force")
bias = base.virial_tensor() - alone.virial_tensor()
assert base.energies["plumed"] > 1.0
h = 1e-6
for atom, axis in ((0, 0), (1, 1), (4, 2), (5, 0), (6, 1), (40, 2)):
    energies = []
    for sign in (-1, 1):
        moved = FRACTIONS @ EDGES
        moved[atom, axis] += sign * h
        energies.append(simulation_of(moved, **options).energies["plumed"])
    difference = (energies[0] - energies[1]) / (2 * h)
    assert abs(difference - force[atom, axis]) < 1e-5 * abs(force).max(), (atom, axis)
for x, y in ((0, 0), (1, 1), (2, 2), (1, 0), (2, 0), (2, 1)):
    energies = []
    for sign in (-1, 1):
        strain = numpy.eye(3)
        strain[x, y] += sign * h
        energies.append(simulation_of(edges=EDGES @ strain, **options).energies["plumed"])
    difference = (energies[0] - energies[1]) / (2 * h)
    assert abs(difference - bias[y, x]) < 1e-5 * abs(bias).max(), (x, y)
""",
        ranks,
    )


@needs_plumed
def test_metadynamics_is_that_of_the_engine(tmp_path):
    plumed = (
        "d: DISTANCE ATOMS=3,61\nMETAD ARG=d SIGMA=0.1 HEIGHT=0.5 PACE=20 BIASFACTOR=8 TEMP=1.0\n"
    )
    own = (
        '[[group]]\nname = "one"\nselect = "id 3"\n[[group]]\nname = "other"\nselect = "id 61"\n'
        '[[variable]]\nname = "d"\nkind = "distance"\ngroups = ["one", "other"]\n'
        '[[bias]]\nname = "m"\nkind = "metadynamics"\nvariable = "d"\nheight = 0.5\nwidths = [0.1]\n'
        "interval = 20\nbias_factor = 8.0\n"
    )
    theirs = melt(tmp_path / "theirs", plumed)
    ours = melt(tmp_path / "ours", plumed, LANGEVIN + own)
    text = (ours / "melt.toml").read_text().replace('[plumed]\nfile = "plumed.dat"\n', "")
    (ours / "melt.toml").write_text(text)
    run(theirs, REAL, "-n", "2")
    run(ours, REAL, "-n", "2")
    hills = [np.loadtxt(theirs / "HILLS"), np.loadtxt(ours / "melt.hills")]
    assert hills[0].shape == hills[1].shape == (15, 5)
    assert np.abs(hills[0] - hills[1]).max() < 1e-8
    rows = [read_log(folder / "melt.log.jsonl").rows[-1] for folder in (theirs, ours)]
    assert rows[0]["plumed_energy"] == pytest.approx(rows[1]["bias_energy"], rel=1e-7)
    assert rows[0]["conserved_energy"] == pytest.approx(rows[1]["conserved_energy"], abs=0.01)


@needs_plumed
def test_the_page_runs_and_units_of_the_input_count(tmp_path):
    page = (ROOT / "docs" / "howto" / "plumed.md").read_text()
    blocks = page.split("```")
    plumed = next(block for block in blocks if block.startswith("\nd: DISTANCE")).strip() + "\n"
    (tmp_path / "melt.toml").write_text(
        next(block for block in blocks if block.startswith("toml\n")).removeprefix("toml\n")
    )
    (tmp_path / "plumed.dat").write_text(plumed)
    run(tmp_path, REAL, "-n", "2")
    plain = np.loadtxt(tmp_path / "COLVAR")
    assert plain.shape == (101, 2)
    assert len(np.loadtxt(tmp_path / "HILLS")) == 10
    (tmp_path / "plumed.dat").write_text(
        plumed.replace("d:", "UNITS LENGTH=0.5 NATURAL\nd:").replace("AT=2.0", "AT=4.0")
        .replace("KAPPA=20", "KAPPA=5").replace("SIGMA=0.1", "SIGMA=0.2")
    )  # fmt: skip
    run(tmp_path, REAL, "-n", "2")
    assert np.abs(np.loadtxt(tmp_path / "COLVAR")[:, 1] - 2.0 * plain[:, 1]).max() < 1e-5
    assert (tmp_path / "bck.0.COLVAR").exists()


@needs_plumed
def test_masses_and_charges_are_those_of_atoms(tmp_path):
    text = MELT.format(steps=2, checkpoint=2).replace("reduced", "nano")
    text = text.replace("density = 0.8442", 'density = "20 mol/l"').replace("2.5", "0.8")
    text = text.replace("temperature = 1.0", "temperature = 300").replace("0.004", "0.001")
    one = '[[type]]\nname = "{}"\nmass = {}\ncharge = {}\nepsilon = 0.5\nsigma = 0.3\n'
    types = one.format("Na", 22.99, 0.75) + one.format("Cl", 35.45, -0.75)
    text = text.replace('[[type]]\nname = "A"\n', types)
    melt(tmp_path, "DUMPMASSCHARGE FILE=atoms\n")
    (tmp_path / "melt.toml").write_text(text + '[electrostatics]\nkind = "reaction_field"\n')
    run(tmp_path, REAL, "-n", "2")
    table = np.loadtxt(tmp_path / "atoms")
    assert len(table) == 256
    assert set(map(tuple, np.round(table[:, 1:], 9))) == {(22.99, 0.75), (35.45, -0.75)}


@needs_plumed
def test_walkers_of_replicas_share_hills_by_files(tmp_path):
    replicas = '[replicas]\ninterval = 50\nexchange = "none"\n' + "[[state]]\n" * 2
    melt(tmp_path, "d: DISTANCE ATOMS=3,61\n", LANGEVIN + replicas, steps=400)
    for k in range(2):
        (tmp_path / f"plumed.{k}.dat").write_text(
            "d: DISTANCE ATOMS=3,61\nMETAD ARG=d SIGMA=0.1 HEIGHT=0.2 PACE=20 WALKERS_N=2 "
            f"WALKERS_ID={k} WALKERS_DIR=. WALKERS_RSTRIDE=40\n"
        )
    run(tmp_path, REAL, "-n", "1")
    for k in range(2):
        lines = (tmp_path / f"melt.replica-{k}.plumed.log").read_text().splitlines()
        read = [line.split() for line in lines if f"Reading hills from ./HILLS.{1 - k}:" in line]
        # All of the other but those of the last steps.
        assert sum(int(words[words.index("Gaussians") - 1]) for words in read) >= 15
        assert len(np.loadtxt(tmp_path / f"HILLS.{k}")) == 20
