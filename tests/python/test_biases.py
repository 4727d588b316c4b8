"""Biases on collective variables: values, work, hills, resumed runs, and free energies of them."""

import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, sterna_command, sterna_environment
from sterna import read_log
from sterna.free_energies import profile_of_hills, profile_of_windows, read_fields

GAS_CONSTANT = 0.00831446261815324

# Two particles that do not interact.
PAIR = """\
[run]
name = "pair"
steps = {steps}
timestep = 0.02
seed = {seed}
[start]
kind = "file"
file = "pair.extxyz"
temperature = 1.0
[[type]]
name = "A"
epsilon = 0.0
[interaction]
cutoff = 1.0
[[group]]
name = "one"
select = "id 1"
[[group]]
name = "other"
select = "id 2"
[[variable]]
name = "d"
kind = "distance"
groups = ["one", "other"]
[output]
thermo_interval = 100
variables_interval = 20
checkpoint_interval = {checkpoint}
"""
UMBRELLA = (
    '[[bias]]\nname = "pull"\nkind = "harmonic"\nvariable = "d"\ncenter = {}\nstiffness = {}\n'
)
LANGEVIN = '[thermostat]\nkind = "langevin"\ntemperature = 1.0\ntime_constant = 0.5\n'
START = (
    '2\nLattice="12 0 0 0 12 0 0 0 12" Properties=species:S:1:pos:R:3\n'
    "A 6.0 6.0 6.0\nA {} 6.0 6.0\n"
)

# One butane without Lennard-Jones pairs: its torsion has the potential of TraPPE alone, as nothing
# else depends on it.
BUTANE = """\
units = "nano"
[run]
name = "butane"
steps = {steps}
timestep = 0.002
seed = {seed}
[start]
kind = "file"
file = "butane.extxyz"
temperature = 300.0
[[type]]
name = "CH3"
mass = 15.035
epsilon = 0.0
sigma = 0.375
[[type]]
name = "CH2"
mass = 14.027
epsilon = 0.0
sigma = 0.395
[[molecule]]
name = "butane"
count = 1
constrained_bonds = "all"
atom = [
  {{ name = "C1", type = "CH3" }}, {{ name = "C2", type = "CH2" }},
  {{ name = "C3", type = "CH2" }}, {{ name = "C4", type = "CH3" }},
]
[[molecule.bond]]
potential = "harmonic"
stiffness = "520 kcal/mol/angstrom^2"
r0 = 0.154
atoms = [[1, 2], [2, 3], [3, 4]]
[[molecule.angle]]
potential = "harmonic"
bending_stiffness = "62500 K"
theta0 = 114
atoms = [[1, 2, 3], [2, 3, 4]]
[[molecule.torsion]]
potential = "opls"
v1 = "710.06 K"
v2 = "-136.38 K"
v3 = "1582.64 K"
atoms = [1, 2, 3, 4]
[interaction]
cutoff = 0.5
[thermostat]
kind = "langevin"
temperature = 300.0
time_constant = 0.2
[[group]]
name = "C1"
select = "name C1"
[[group]]
name = "C2"
select = "name C2"
[[group]]
name = "C3"
select = "name C3"
[[group]]
name = "C4"
select = "name C4"
[[variable]]
name = "phi"
kind = "torsion"
groups = ["C1", "C2", "C3", "C4"]
[output]
thermo_interval = 1000
variables_interval = 50
checkpoint_interval = 10000
"""
BUTANE_START = (
    '4\nLattice="3 0 0 0 3 0 0 0 3" Properties=species:S:1:pos:R:3\n'
    "CH3 1.0 1.0 1.0\nCH2 1.154 1.0 1.0\nCH2 1.21664 1.14069 1.0\nCH3 1.37064 1.14069 1.0\n"
)


def run(folder: Path, name: str, *options: str) -> str:
    done = subprocess.run(
        sterna_command("run", name, *options),
        cwd=folder,
        env=sterna_environment(),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def pair(folder: Path, text: str, distance: float = 2.0) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pair.extxyz").write_text(START.format(6.0 + distance))
    (folder / "pair.toml").write_text(text)


def torsion_energy(phi: np.ndarray) -> np.ndarray:
    """TraPPE's; phi is 180 degrees in trans."""
    one, two, three = (GAS_CONSTANT * k for k in (710.06, -136.38, 1582.64))
    return (
        one / 2 * (1 + np.cos(phi))
        + two / 2 * (1 - np.cos(2 * phi))
        + three / 2 * (1 + np.cos(3 * phi))
    )


def test_a_moving_umbrella_does_the_work_that_the_total_energy_gains(tmp_path):
    # Without a thermostat nothing but the moving center changes the total energy.
    pull = (
        '[[bias]]\nname = "pull"\nkind = "moving"\nvariable = "d"\ncenter = 2.0\nend_center = 4.0\n'
        "stiffness = 50.0\nstop_step = 400\n"
    )
    text = PAIR.format(steps=2500, seed=3, checkpoint=5000).replace("0.02", "0.005")
    pair(tmp_path, text.replace("temperature = 1.0\n", "") + pull)
    run(tmp_path, "pair.toml", "-n", "2")
    rows = read_log(tmp_path / "pair.log.jsonl").rows
    table = read_fields(tmp_path / "pair.colvar")
    work = dict(zip(np.round(table.column("time") / 0.005), table.column("pull.work"), strict=True))
    for row in rows:
        gained = row["total_energy"] - rows[0]["total_energy"]
        assert gained == pytest.approx(work[row["step"]], abs=2e-3)
        assert row["conserved_energy"] == pytest.approx(rows[0]["conserved_energy"], abs=2e-3)
    assert max(abs(value) for value in work.values()) > 0.1
    assert table.column("pull.center")[-1] == 4.0
    # It swings about the last center.
    assert table.column("d")[-1] == pytest.approx(4.0, abs=0.6)


@pytest.mark.parametrize("ranks", ["1", "3"])
def test_a_resumed_run_has_the_same_values_hills_and_bits(ranks, tmp_path):
    bias = (
        UMBRELLA.format(2.0, 10.0) + '[[bias]]\nname = "m"\nkind = "metadynamics"\nvariable = "d"\n'
        "height = 0.2\nwidths = [0.1]\ninterval = 50\nbias_factor = 5.0\n"
    )
    text = PAIR.format(steps=2000, seed=5, checkpoint=500) + LANGEVIN + bias
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    for folder in (whole, parts):
        pair(folder, text)
    run(whole, "pair.toml", "-n", ranks)
    run(parts, "pair.toml", "-n", ranks, "--steps", "1000")
    # Rows that a killed run has written after its checkpoint are dropped.
    with (parts / "pair.colvar").open("a") as file:
        file.write("999 1 2 3 4\n1000 1")
    with (parts / "pair.hills").open("a") as file:
        file.write("999 1 0.1 1 5\n")
    run(parts, "pair.toml", "-n", ranks, "--resume")
    for name in ("pair.colvar", "pair.hills"):
        assert (parts / name).read_bytes() == (whole / name).read_bytes()
    logs = [read_log(folder / "pair.log.jsonl").rows for folder in (whole, parts)]
    assert logs[0][-1] == logs[1][-1]
    hills = read_fields(whole / "pair.hills")
    assert len(hills.column("time")) == 40
    assert hills.column("height")[0] == pytest.approx(0.2 * 5 / 4, rel=1e-12)
    assert (hills.column("biasf") == 5.0).all()
    assert hills.constants["kerneltype"] == "stretched-gaussian"
    table = read_fields(whole / "pair.colvar")
    assert list(table.columns) == ["time", "d", "pull.bias", "m.bias", "m.work"]
    assert len(table.column("time")) == 101
    np.testing.assert_allclose(
        table.column("pull.bias"), 5.0 * (table.column("d") - 2.0) ** 2, rtol=1e-9, atol=1e-12
    )
    # A file that was lost begins again, and the run says so.
    (parts / "pair.hills").unlink()
    said = run(parts, "pair.toml", "-n", ranks, "--resume", "--steps", "2100")
    assert "pair.hills is not there" in said


def test_umbrella_windows_give_the_free_energy_of_a_free_distance(tmp_path):
    pytest.importorskip("pymbar")
    for k, center in enumerate([1.0, 1.5, 2.0, 2.5, 3.0]):
        folder = tmp_path / f"window-{k}"
        text = PAIR.format(steps=60_000, seed=10 + k, checkpoint=60_000) + LANGEVIN
        pair(folder, text + UMBRELLA.format(center, 12.0), center)
        run(folder, "pair.toml", "-n", "1")
    files = [read_fields(path) for path in sorted(tmp_path.rglob("*.colvar"))]
    profile = profile_of_windows([file.from_time(20.0) for file in files], bins=12)
    inner = (profile.values > 0.9) & (profile.values < 3.1)
    # Nothing acts between them: F = -2 k T ln r + constant. The bins are narrow enough for that.
    wanted = -2.0 * np.log(profile.values)
    away = (profile.free_energy - wanted)[inner]
    away -= away.mean()
    error = profile.error[inner]
    assert error.max() < 0.3
    assert np.abs(away).max() < 6.0 * error.max()
    # The test can fail: without the part of the sphere's surface it is none.
    flat = profile.free_energy[inner] - profile.free_energy[inner].mean()
    assert np.abs(flat).max() > 0.7
    done = subprocess.run(
        sterna_command("free-energy", tmp_path, "--from", "20", "--bins", "12", "--radial",
                       "-o", tmp_path / "profile.txt"),
        env=sterna_environment(), capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    shown = read_fields(tmp_path / "profile.txt")
    inside = (shown.column("d") > 0.9) & (shown.column("d") < 3.1)
    assert np.ptp(shown.column("free_energy")[inside]) < 12.0 * error.max()


def test_well_tempered_metadynamics_gives_the_torsion_of_butane(tmp_path):
    bias = (
        '[[bias]]\nname = "m"\nkind = "metadynamics"\nvariable = "phi"\nheight = 1.0\n'
        "widths = [20.0]\ninterval = 100\nbias_factor = 10.0\n"
    )
    (tmp_path / "butane.extxyz").write_text(BUTANE_START)
    (tmp_path / "butane.toml").write_text(BUTANE.format(steps=200_000, seed=2) + bias)
    run(tmp_path, "butane.toml", "-n", "1")
    profile = profile_of_hills(read_fields(tmp_path / "butane.hills"))
    wanted = torsion_energy(profile.values)
    away = profile.free_energy - wanted
    away -= away.mean()
    # Barriers are 19 and 14 kJ/mol high; hills as low as they are at the end leave some tenths.
    assert np.ptp(wanted) > 18.0
    assert np.sqrt((away**2).mean()) < 1.5


def test_mistakes_of_the_input_are_told_with_their_places(tmp_path):
    good = PAIR.format(steps=10, seed=1, checkpoint=10) + UMBRELLA.format(2.0, 10.0)
    for changed, wanted in (
        (('variable = "d"', 'variable = "e"'), 'no [[variable]] has the name "e"'),
        (('kind = "harmonic"', 'kind = "harmonik"'), 'did you mean "harmonic"?'),
        (('kind = "distance"', 'kind = "distanse"'), 'did you mean "distance"?'),
        (('groups = ["one", "other"]', 'groups = ["one"]'), "is of 2 groups; here there is 1"),
        (('groups = ["one", "other"]', 'groups = ["one", "othr"]'), 'did you mean "other"?'),
        (("center = 2.0\n", ""), 'lacks the key "center"'),
        (("stiffness = 10.0", "stiffness = -1.0"), "greater than 0"),
        (('name = "d"', 'name = "d d"'), "heads a column"),
        (('variable = "d"\n', ""), 'needs "variable"; here is none'),
    ):
        assert changed[0] in good
        pair(tmp_path, good.replace(*changed))
        done = subprocess.run(
            sterna_command("run", "pair.toml", "-n", "1"),
            cwd=tmp_path, env=sterna_environment(), capture_output=True, text=True, timeout=100,
            check=False,
        )  # fmt: skip
        assert done.returncode != 0
        assert wanted in done.stdout + done.stderr, (changed, done.stderr)
        assert "pair.toml:" in done.stderr + done.stdout


def test_rmsd_to_a_file_and_a_path_with_walls(tmp_path):
    text = PAIR.format(steps=400, seed=1, checkpoint=400) + LANGEVIN
    text += (
        '[[group]]\nname = "both"\nselect = "all"\n'
        '[[variable]]\nname = "dev"\nkind = "rmsd"\ngroups = ["both"]\nreference_file = "ref.extxyz"\n'
        '[[bias]]\nname = "up"\nkind = "wall"\nvariable = "d"\ncenter = 2.5\nside = "above"\n'
        "stiffness = 40.0\n"
        '[[bias]]\nname = "low"\nkind = "wall"\nvariable = "d"\ncenter = 1.5\nside = "below"\n'
        "stiffness = 40.0\n"
    )
    pair(tmp_path, text)
    # Turned, and at another distance: of two atoms the deviation is half the difference.
    (tmp_path / "ref.extxyz").write_text(START.format(6.0).replace("A 6.0 6.0 6.0", "A 6 6 3.0", 1))
    run(tmp_path, "pair.toml", "-n", "2")
    table = read_fields(tmp_path / "pair.colvar")
    distance = table.column("d")
    np.testing.assert_allclose(table.column("dev"), np.abs(distance - 3.0) / 2.0, atol=1e-9)
    upper = np.where(distance > 2.5, 20.0 * (distance - 2.5) ** 2, 0.0)
    np.testing.assert_allclose(table.column("up.bias"), upper, atol=1e-9)
    assert math.isclose(table.number("kT"), 1.0)


def test_the_example_runs(tmp_path):
    shutil.copytree(ROOT / "examples" / "umbrella", tmp_path / "umbrella")
    done = subprocess.run(
        sterna_command("check", "butane.toml"),
        cwd=tmp_path / "umbrella", env=sterna_environment(), capture_output=True, text=True,
        timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_values_are_those_of_openmm(tmp_path):
    openmm = pytest.importorskip("openmm")
    generator = np.random.default_rng(4)
    centers = np.array([[0.2, 0.1, 5.9], [2.0, 0.5, 0.2], [2.4, 2.3, -0.5], [3.3, 2.5, 1.4]])
    places = np.repeat(centers, 3, axis=0) + 0.4 * generator.uniform(-1, 1, (12, 3))
    places[:3, 2] -= 6.0  # around a corner of the box
    reference = places[:6] @ np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    reference += 0.2 * generator.uniform(-1, 1, (6, 3)) + 5.0
    masses = [1.0, 3.0] * 6
    box = 9.0

    def frame(atoms: np.ndarray) -> str:
        lines = [f'{len(atoms)}\nLattice="{box} 0 0 0 {box} 0 0 0 {box}" '
                 "Properties=species:S:1:pos:R:3:id:I:1"]  # fmt: skip
        for k, (x, y, z) in enumerate(atoms):
            lines.append(f"{'AB'[k % 2]} {x:.15g} {y:.15g} {z:.15g} {k + 1}")
        return "\n".join(lines) + "\n"

    (tmp_path / "start.extxyz").write_text(frame(places % box))
    (tmp_path / "reference.extxyz").write_text(frame(reference))
    text = (
        '[run]\nname = "values"\nsteps = 1\ntimestep = 0.001\n[start]\nkind = "file"\n'
        'file = "start.extxyz"\n[[type]]\nname = "A"\nmass = 1.0\nepsilon = 0.0\n[[type]]\n'
        'name = "B"\nmass = 3.0\nepsilon = 0.0\n[interaction]\ncutoff = 1.0\n'
        "[output]\nvariables_interval = 1\n"
    )
    for g in range(4):
        text += f'[[group]]\nname = "g{g}"\nselect = "id {3 * g + 1}:{3 * g + 3}"\n'
    text += '[[group]]\nname = "both"\nselect = "id 1:6"\n'
    for name, groups, more in (
        ("distance", 2, ""),
        ("angle", 3, ""),
        ("torsion", 4, ""),
        ("coordination", 2, "radius = 1.7\n"),
        ("rmsd", 0, 'reference_file = "reference.extxyz"\n'),
        ("radius_of_gyration", 0, ""),
    ):
        names = [f"g{g}" for g in range(groups)] or ["both"]
        listed = ", ".join(f'"{group}"' for group in names)
        text += f'[[variable]]\nname = "{name}"\nkind = "{name}"\ngroups = [{listed}]\n{more}'
    (tmp_path / "values.toml").write_text(text)
    run(tmp_path, "values.toml", "-n", "2")
    found = {name: of[0] for name, of in read_fields(tmp_path / "values.colvar").columns.items()}

    system = openmm.System()
    for mass in masses:
        system.addParticle(mass)
    forces = {}
    for name, count, function in (
        ("distance", 2, "distance(g1,g2)"),
        ("angle", 3, "angle(g1,g2,g3)"),
        ("torsion", 4, "dihedral(g1,g2,g3,g4)"),
    ):
        force = openmm.CustomCentroidBondForce(count, function)
        for g in range(count):
            force.addGroup([3 * g, 3 * g + 1, 3 * g + 2])
        force.addBond(list(range(count)))
        forces[name] = force
    pairs = openmm.CustomBondForce("1/(1+(r/1.7)^6)")
    for i in range(3):
        for k in range(3, 6):
            pairs.addBond(i, k)
    forces["coordination"] = pairs
    whole = np.zeros((12, 3))
    whole[:6] = reference
    forces["rmsd"] = openmm.RMSDForce(whole, list(range(6)))
    spread = openmm.CustomCentroidBondForce(2, "m*distance(g1,g2)^2")
    spread.addPerBondParameter("m")
    spread.addGroup(list(range(6)))
    for k in range(6):
        spread.addGroup([k])
        spread.addBond([0, k + 1], [masses[k] / sum(masses[:6])])
    forces["radius_of_gyration"] = spread
    for number, force in enumerate(forces.values()):
        force.setForceGroup(number)
        system.addForce(force)
    context = openmm.Context(
        system, openmm.VerletIntegrator(0.001), openmm.Platform.getPlatformByName("Reference")
    )
    context.setPositions(places)
    for number, name in enumerate(forces):
        state = context.getState(getEnergy=True, groups={number})
        value = state.getPotentialEnergy()._value
        if name == "radius_of_gyration":
            value = math.sqrt(value)
        assert found[name] == pytest.approx(value, abs=1e-9), name
