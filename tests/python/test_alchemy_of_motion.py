"""Masses and lengths of constraints that change with lambda.

What gmx_d computes is recorded in tests/data/alchemy/gromacs_motion.json, as in test_import_free_energy.py.
"""

import json
import os
import re
import shutil
import subprocess

import alchemical_systems as systems
import numpy
import pytest
from conftest import ROOT, sterna_command, sterna_environment
from engine_support import script_output
from sterna.free_energies import free_energies_of_states, read_states

RECORD = ROOT / "tests" / "data" / "alchemy" / "gromacs_motion.json"
BONDED = (0, 0.1, 0.25, 0.4, 0.6, 0.8, 1)
MASSES = (0, 0.1, 0.3, 0.5, 0.7, 0.9, 1)
STATE = 3
#: Their velocities are those of a rigid body, which no constraint changes. They have few digits, so that
#: numbers of single precision hold them.
TURN, CENTER, SPEED = (3.0, -2.0, 4.0), 0.875, (0.5, 0.25, -0.125)
#: Velocities and constraint forces of GROMACS are those of half a step later, so that two steps tell those
#: of the start. SHAKE has the forces of LINCS's equations without its expansion, which is 1 % off here.
STEPS = (1e-4, 1e-5)
MDP = {
    "integrator": "md-vv", "nstcomm": "0", "comm-mode": "none",
    "shake-tol": "1e-14", "constraint-algorithm": "shake",
    "bonded-lambdas": " ".join(map(str, BONDED)), "mass-lambdas": " ".join(map(str, MASSES)),
}  # fmt: skip
COUPLING = ("couple-moltype", "couple-lambda0", "couple-lambda1", "couple-intramol")
#: The bonds of the chain that keep lengths of lambda, and how the topology says so.
CASES = {"masses": (), "constraints": (0, 1, 2), "bonds that are constraints": (0, 1, 2, 3)}
#: Lengths at lambda 0 relative to those of the start; the last bond does not change.
SHARES = (0.93, 1.05, 1.02, 1.0)


def chain(folder):
    """Places of the five atoms."""
    lines = (folder / "conf.gro").read_text().splitlines()
    return numpy.array([[float(x) for x in line[20:].split()[:3]] for line in lines[2:7]])


def written(folder, name, step=STEPS[0]):
    systems.write(folder, "chain", water=False)
    systems.mutate(folder, systems.MASSES_OF_B)
    places = chain(folder)
    changes = {
        "constraints": "all-bonds" if name.startswith("bonds") else "none", "dt": f"{step}"
    }  # fmt: skip
    of_constraints = ""
    for k in CASES[name]:
        length = numpy.linalg.norm(places[k + 1] - places[k])
        at_a = SHARES[k] * length
        at_b = (length - (1.0 - BONDED[STATE]) * at_a) / BONDED[STATE]
        old = f"{k + 1} {k + 2} 1 0.15 200000\n"
        if name == "constraints":
            systems.mutate(folder, [(old, "")])
            of_constraints += f"{k + 1} {k + 2} 1 {at_a:.16g} {at_b:.16g}\n"
        else:
            new = f"{k + 1} {k + 2} 1 {at_a:.16g} 200000 {at_b:.16g} 200000\n"
            systems.mutate(folder, [(old, new)])
    if of_constraints:
        systems.mutate(folder, [("[ pairs ]", f"[ constraints ]\n{of_constraints}[ pairs ]")])
    lines = (folder / "conf.gro").read_text().splitlines()
    for k, velocity in enumerate(velocities(places)):
        lines[2 + k] += "".join(f"{x:19.13f}" for x in velocity)
    (folder / "conf.gro").write_text("\n".join(lines) + "\n")
    text = systems.mdp("reaction-field", STATE, changes=MDP | changes, without=COUPLING)
    (folder / "run.mdp").write_text(text)


def velocities(places):
    return numpy.array(SPEED) + numpy.cross(TURN, places - CENTER)


def by_gromacs(program, folder, name):
    """Derivatives and energies of the states, which change in proportion to the time step."""
    (long, long_energies), (short, short_energies) = (
        row_of_gromacs(program, folder, name, step) for step in STEPS
    )
    ratio = STEPS[0] / STEPS[1]

    def at_start(of_long, of_short):
        return (ratio * of_short - of_long) / (ratio - 1.0)

    pairs = zip(long_energies, short_energies, strict=True)
    return {
        "derivatives": {key: at_start(long[key], short[key]) for key in long},
        "energies": [at_start(a, b) for a, b in pairs],
    }


def row_of_gromacs(program, folder, name, step):
    written(folder, name, step)
    systems.run_gromacs(program, folder)
    text = (folder / "d.xvg").read_text()
    row = [float(x) for x in text.splitlines()[-1].split()[1:]]
    derivatives, energies = {}, []
    for legend, value in zip(re.findall(r'^@ s\d+ legend "(.*)"$', text, re.M), row, strict=True):
        if "dH/d" in legend:
            derivatives[re.search(r"(\w+)-lambda", legend)[1]] = value
        elif "to " in legend:
            energies.append(value)
    return derivatives, energies


@pytest.mark.parametrize("name", CASES)
def test_the_record_is_what_gromacs_computes(name, tmp_path):
    program = shutil.which(os.environ.get("STERNA_GROMACS", "gmx_d"))
    if program is None:
        pytest.skip("no GROMACS to compare with: there is no gmx_d (apt install gromacs)")
    record = json.loads(RECORD.read_text()) if RECORD.is_file() else {"runs": {}}
    found = by_gromacs(program, tmp_path, name)
    if os.environ.get("STERNA_UPDATE_EXPECTED"):
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
        record["program"] = re.search(r"^GROMACS version: *(\S+)", version.stdout, re.M)[1]
        record["runs"][name] = found
        RECORD.write_text(json.dumps(record, indent=1) + "\n")
    expected = record["runs"][name]
    assert found["derivatives"] == pytest.approx(expected["derivatives"], rel=1e-6, abs=1e-5)
    assert found["energies"] == pytest.approx(expected["energies"], rel=1e-6, abs=1e-5)


def run(folder, *arguments):
    return subprocess.run(
        sterna_command(*arguments), cwd=folder, env=sterna_environment(), capture_output=True,
        text=True, timeout=300, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip


def imported(folder):
    done = run(folder, "import", "topol.top", "conf.gro", "--mdp", "run.mdp", "-o", "out.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    text = (folder / "out.toml").read_text()
    text = text.replace("steps = 0", 'steps = 0\nname = "run"\nprecision = "double"')
    text = text.replace("[run]", "[run]\nconstraint_tolerance = 1e-10", 1)
    (folder / "out.toml").write_text(text)
    return text


def row_of(folder, text, ranks=1):
    (folder / "out.toml").write_text(text)
    done = run(folder, "run", "out.toml", "-n", str(ranks), "--overwrite")
    if "does not yield while it waits" in done.stderr:
        pytest.skip("this MPI is too slow with more ranks than cores")
    assert done.returncode == 0, done.stdout + done.stderr
    return read_states(folder / "output" / "run.dhdl.xvg")


def kinetic(places, constrained, state):
    """The kinetic energy at the same momenta in another state minus that of the run.

    Sterna has it in energies of states, and GROMACS (2022) leaves it out.
    """
    total = 0.0
    square = (velocities(places) ** 2).sum(axis=1)
    for atom, a, b in ((0, 12.011, 14.0), (1, 12.011, 9.5), (4, 14.007, 40.0)):
        here = a + MASSES[STATE] * (b - a)
        there = a + MASSES[state] * (b - a)
        factor = here - there if atom in constrained else here * (here - there) / there
        total += 0.5 * square[atom] * factor
    return total


@pytest.mark.parametrize("name", CASES)
def test_an_imported_run_has_the_energies_of_gromacs(name, tmp_path):
    expected = json.loads(RECORD.read_text())["runs"][name]
    written(tmp_path, name)
    states = row_of(tmp_path, imported(tmp_path))
    names = [part.removesuffix("-lambda") for part in states.parts]
    assert names == ["coul", "vdw", "bonded", "mass"]
    mine = dict(zip(names, states.derivatives[0], strict=True))
    # GROMACS (2022) has the derivative at constant velocities, whose sign is the other one.
    # `test_the_free_energy_of_a_mass` has the right one.
    mine["mass"] = -mine["mass"]
    assert mine == pytest.approx(expected["derivatives"], rel=1e-5, abs=1e-5)
    assert abs(mine["mass"]) > 10.0
    assert (abs(mine["bonded"]) > 0.1) == bool(CASES[name])
    places = chain(tmp_path)
    held = {atom for k in CASES[name] for atom in (k, k + 1)}
    if name.startswith("bonds"):
        held = set(range(5))
    for state, energy in enumerate(expected["energies"]):
        found = states.differences[0, state] - kinetic(places, held, state)
        assert found == pytest.approx(energy, rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("algorithm", ["conjugate_gradients", "shake", "settle"])
def test_ranks_and_algorithms_agree(algorithm, tmp_path):
    written(tmp_path, "bonds that are constraints")
    text = imported(tmp_path)
    alone = row_of(tmp_path, text)
    text = text.replace("[run]", f'[run]\nconstraint_algorithm = "{algorithm}"', 1)
    for ranks in (1, 2, 3):
        other = row_of(tmp_path, text, ranks)
        assert other.derivatives == pytest.approx(alone.derivatives, rel=1e-7)
        assert other.differences == pytest.approx(alone.differences, rel=1e-7, abs=1e-7)


GAS = """\
units = "reduced"
[run]
name = "gas"
steps = 20000
timestep = 0.01
seed = {seed}
precision = "double"
[start]
kind = "file"
file = "gas.extxyz"
temperature = 1.0
[[type]]
name = "A"
mass = 1.0
epsilon = 0.0
sigma = 1.0
{molecule}
[interaction]
cutoff = 2.0
[thermostat]
kind = "langevin"
temperature = 1.0
time_constant = 0.2
[output]
directory = "output"
[alchemy]
molecules = ["a"]
kind = "mutation"
{lists}
state = {state}
interval = 20
"""
LAMBDAS = "[0.0, 0.5, 1.0]"


def gas(folder, state, lists, molecule, atoms):
    """Molecules that do not act on each other. Returns the file of the states of the run."""
    folder.mkdir()
    count = 20
    random = numpy.random.default_rng(1)
    lines = [str(count * len(atoms)), 'Lattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3']
    for _ in range(count):
        at = random.uniform(0.0, 9.0, 3)
        lines += ["A " + " ".join(f"{x:.12g}" for x in at + place) for place in numpy.array(atoms)]
    (folder / "gas.extxyz").write_text("\n".join(lines) + "\n")
    (folder / "gas.toml").write_text(
        GAS.format(seed=7 + state, state=state, lists=lists, molecule=molecule)
    )
    done = run(folder, "run", "gas.toml", "-n", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    return read_states(folder / "output" / "gas.dhdl.xvg")


def test_the_free_energy_of_a_mass(tmp_path):
    """An atom whose mass doubles gains -3/2 k T ln 2, by MBAR and by integration."""
    pytest.importorskip("pymbar")
    molecule = (
        '[[molecule]]\nname = "a"\ncount = 20\natom = [{ type = "A" }]\n'
        '[[mutation]]\ntype = "A"\nbecomes = "A"\nmass = 2.0\n'
    )
    files = [
        gas(tmp_path / f"{k}", k, f"masses = {LAMBDAS}", molecule, [(0, 0, 0)]) for k in range(3)
    ]
    for k, file in enumerate(files):
        # 3/2 k T of each atom is m v^2 / 2.
        mass = 1.0 + 0.5 * k
        slopes = file.derivatives[50:, 3]
        assert slopes.mean() == pytest.approx(-20 * 1.5 / mass, rel=0.02)
        assert not file.derivatives[:, :3].any()
    found = free_energies_of_states(files)
    assert found.free_energy[-1] == pytest.approx(
        -20 * 1.5 * numpy.log(2.0), abs=5 * found.error[-1]
    )
    assert found.error[-1] < 0.5


def test_the_free_energy_of_a_length(tmp_path):
    """A free diatomic molecule that becomes longer turns in more places: -2 k T ln(d_B / d_A)."""
    molecule = (
        '[[molecule]]\nname = "a"\ncount = 20\natom = [{ type = "A" }, { type = "A" }]\n'
        "[[molecule.constraint]]\natoms = [1, 2]\ndistance = 0.5\n"
        '[[mutated_constraint]]\nmolecule = "a"\natoms = [1, 2]\ndistance = 0.8\n'
    )
    for k in range(3):
        length = 0.5 + 0.15 * k
        file = gas(
            tmp_path / f"{k}", k, f"bonded = {LAMBDAS}", molecule, [(0, 0, 0), (length, 0, 0)]
        )
        slopes = file.derivatives[50:, 2]
        assert slopes.mean() == pytest.approx(-20 * 2.0 * 0.3 / length, rel=0.02)
        # Other states go on along the derivative.
        others = numpy.outer(file.derivatives[:, 2], numpy.array([0.0, 0.5, 1.0]) - 0.5 * k)
        assert numpy.allclose(file.differences, others, rtol=1e-9, atol=1e-12)


def test_a_triangle_whose_sides_change(tmp_path):
    """It turns freely: <dH/dlambda> is -k T d ln(det I)^(1/2) / d lambda, and neither a rotor nor SETTLE
    moves it."""
    molecule = (
        '[[molecule]]\nname = "a"\ncount = 20\n'
        'atom = [{ type = "A" }, { type = "A" }, { type = "A" }]\n'
        "[[molecule.constraint]]\natoms = [[1, 2], [1, 3]]\ndistance = 0.5\n"
        "[[molecule.constraint]]\natoms = [2, 3]\ndistance = 0.6\n"
        '[[mutated_constraint]]\nmolecule = "a"\natoms = [[1, 2], [1, 3]]\ndistance = 0.7\n'
    )

    def corners(x):
        leg = 0.5 + 0.2 * x
        return numpy.array([(0.0, numpy.sqrt(leg**2 - 0.09), 0.0), (0.3, 0, 0), (-0.3, 0, 0)])

    def free_energy(x):
        arms = corners(x) - corners(x).mean(axis=0)
        inertia = (arms**2).sum() * numpy.eye(3) - arms.T @ arms
        return -0.5 * numpy.log(numpy.linalg.det(inertia))

    for k in range(3):
        x = 0.5 * k
        file = gas(tmp_path / f"{k}", k, f"bonded = {LAMBDAS}", molecule, corners(x))
        slope = 20 * (free_energy(x + 1e-5) - free_energy(x - 1e-5)) / 2e-5
        assert file.derivatives[50:, 2].mean() == pytest.approx(slope, rel=0.03)


def test_a_resumed_run_has_the_same_rows(tmp_path):
    molecule = (
        '[[molecule]]\nname = "a"\ncount = 20\natom = [{ type = "A" }, { type = "A" }]\n'
        "[[molecule.constraint]]\natoms = [1, 2]\ndistance = 0.5\n"
        '[[mutated_constraint]]\nmolecule = "a"\natoms = [1, 2]\ndistance = 0.8\n'
        '[[mutation]]\ntype = "A"\nbecomes = "A"\nmass = 2.0\n'
    )
    lists = f"bonded = {LAMBDAS}\nmasses = {LAMBDAS}"
    gas(tmp_path / "gas", 1, lists, molecule, [(0, 0, 0), (0.65, 0, 0)])
    whole = (tmp_path / "gas" / "output" / "gas.dhdl.xvg").read_text()
    text = (tmp_path / "gas" / "gas.toml").read_text()
    for steps, again in ((7330, ["--overwrite"]), (20000, ["--resume"])):
        (tmp_path / "gas" / "gas.toml").write_text(text.replace("20000", str(steps)))
        done = run(tmp_path / "gas", "run", "gas.toml", "-n", "1", *again)
        assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "gas" / "output" / "gas.dhdl.xvg").read_text() == whole
    assert len(whole.splitlines()) > 1000


PAIR = """\
[[molecule]]
name = "a"
count = 20
atom = [{ type = "A" }, { type = "A" }]
[[molecule.constraint]]
atoms = [1, 2]
distance = 0.5
[[mutated_constraint]]
molecule = "a"
atoms = [1, 2]
distance = 0.8
[[mutation]]
type = "A"
becomes = "A"
mass = 2.0
"""
BROKEN = [
    ("masses = [0.0, 0.5, 1.0]", "masses = [0.0, 0.5]", "expected one of each for each state"),
    ('kind = "mutation"', "", "this section is for kind"),
    ("mass = 2.0", "mass = 0.0", "mass"),
    ("mass = 2.0", "masss = 2.0", 'did you mean "mass"?'),
    ("distance = 0.8", "distance = -0.8", "distance"),
    ("atoms = [1, 2]\ndistance = 0.8", "atoms = [1, 3]\ndistance = 0.8", "there is no atom 3"),
    ("atoms = [1, 2]\ndistance = 0.5", "atoms = [1, 3]\ndistance = 0.5",
     "no constraint of the molecule"),
    ("atoms = [1, 2]\ndistance = 0.8", "atoms = [[1, 2], [2, 1]]\ndistance = 0.8", "stands twice"),
    ("[[mutation]]", '[[mutated_constraint]]\nmolecule = "a"\natoms = [2, 1]\ndistance = 0.9\n'
     "[[mutation]]", "the constraint of the atoms 1 and 2"),
    ("[run]", "[multiple_time_steps]\npairs = 8\n[run]",
     '"interval" is 20; with [multiple_time_steps] expected a multiple of 8'),
    ("count = 20", "count = 20\nhydrogen_mass = 3.0", "moves the masses of lambda 0"),
    ("state = 0", "[replicas]\ninterval = 100", "[replicas] exchange states that have the same masses"),
    ("state = 0", "[replicas]\ninterval = 100",
     "[replicas] exchange states that have the same constraints"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), BROKEN)
def test_mistakes_are_told(old, new, message, tmp_path):
    lists = f"bonded = {LAMBDAS}\nmasses = {LAMBDAS}"
    text = GAS.format(seed=1, state=0, lists=lists, molecule=PAIR)
    if "1, 3]\ndistance = 0.5" in new:
        text = text.replace('atom = [{ type = "A" }, ', 'atom = [{ type = "A" }, { type = "A" }, ')
    assert old in text
    if "replicas" in new:
        text = text.replace("interval = 20\n", "")
    (tmp_path / "gas.toml").write_text(text.replace(old, new, 1))
    done = run(tmp_path, "check", "gas.toml")
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert message in said, said
    assert "gas.toml:" in said


OTHER_STATES = """
import sterna
simulation = sterna.Simulation.from_file("gas.toml")
assert simulation.energy(1) == simulation.energy()
for state in (0, 2):
    try:
        simulation.energy(state)
    except ValueError as error:
        assert "WHAT" in str(error), error
    else:
        raise SystemExit("there is no error")
"""


@pytest.mark.parametrize(
    ("lists", "what"),
    [(f"bonded = {LAMBDAS}", "lengths of constraints"), (f"masses = {LAMBDAS}", "masses")],
)
def test_programs_get_no_energies_of_states_with_other_motion(lists, what, tmp_path):
    """Masses and constraints stay those of the start, so such states have no energies in this one."""
    gas(tmp_path / "gas", 1, lists, PAIR, [(0, 0, 0), (0.65, 0, 0)])
    script_output(tmp_path / "gas", OTHER_STATES.replace("WHAT", what))


def test_replicas_with_equal_masses_have_no_derivative_by_them(tmp_path):
    """That follows from velocities, and energies of replicas from positions alone."""
    lists = f"charges = {LAMBDAS}\nmasses = [0.5, 0.5, 0.5]"
    molecule = (
        '[[molecule]]\nname = "a"\ncount = 20\natom = [{ type = "A" }]\n'
        '[[mutation]]\ntype = "A"\nbecomes = "A"\ncharge = 0.0\nmass = 2.0\n'
    )
    gas(tmp_path / "gas", 0, lists, molecule, [(0, 0, 0)])
    text = (tmp_path / "gas" / "gas.toml").read_text()
    text = text.replace("state = 0\ninterval = 20\n", "[replicas]\ninterval = 20\n")
    for steps, again in ((100, "--overwrite"), (200, "--resume")):
        (tmp_path / "gas" / "gas.toml").write_text(text.replace("20000", str(steps)))
        done = run(tmp_path / "gas", "run", "gas.toml", "-n", "1", again)
        assert done.returncode == 0, done.stdout + done.stderr
    for k in range(3):
        file = read_states(tmp_path / "gas" / "output" / f"gas.state-{k}.dhdl.xvg")
        assert [part.removesuffix("-lambda") for part in file.parts] == ["coul", "vdw"]
        assert file.derivatives.shape == (10, 2)


def test_advice_on_the_time_step_goes_by_the_masses_of_the_run(tmp_path):
    """A bond of masses 1 has a period of 0.14, fourteen steps; of masses 100 ten times as many."""
    molecule = (
        '[[molecule]]\nname = "a"\ncount = 20\natom = [{ type = "A" }, { type = "A" }]\n'
        '[[molecule.bond]]\npotential = "harmonic"\natoms = [1, 2]\nr0 = 0.65\nstiffness = 4000\n'
        '[[mutation]]\ntype = "A"\nbecomes = "A"\nmass = 100.0\n'
    )
    for state, warns in ((0, True), (2, False)):
        folder = tmp_path / f"{state}"
        gas(folder, state, f"masses = {LAMBDAS}", molecule, [(0, 0, 0), (0.65, 0, 0)])
        text = (folder / "gas.toml").read_text().replace("timestep = 0.01", "timestep = 0.02")
        (folder / "gas.toml").write_text(text)
        said = run(folder, "check", "gas.toml").stdout
        assert ("of the fastest bond" in said) == warns, said
