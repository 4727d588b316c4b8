"""[[grand_canonical]]: numbers of molecules that come and go are those of ideal gases, exactly, and those of
equations of state and of LAMMPS within errors, on any number of ranks."""

import json
import subprocess

import numpy
import pytest
import teqp
from conftest import nightly, sterna_command, sterna_environment
from lammps_support import lammps  # noqa: F401
from test_insertion import ETHANE, THERMOSTAT, results, run

TEMPERATURE = 1.5
GAS = """\
units = "reduced"
[run]
name = "gas"
steps = {steps}
timestep = 0.004
seed = {seed}
[start]
kind = "lattice"
lattice = "sc"
cells = [4, 4, 4]
density = 0.05
temperature = 1.5
[[type]]
name = "A"
epsilon = 0.0
[[type]]
name = "B"
mass = 3.0
epsilon = 0.0
[interaction]
cutoff = 1.0
[thermostat]
kind = "{thermostat}"
temperature = 1.5
time_constant = 0.2
{reservoir}
[output]
thermo_interval = 20
"""
#: The volume of its box.
VOLUME = 64 / 0.05


def columns(folder, name: str, first: int = 0) -> dict[str, numpy.ndarray]:
    """The columns of the log from this step on."""
    rows = [json.loads(line) for line in (folder / f"{name}.log.jsonl").read_text().splitlines()]
    rows = [row for row in rows if row["event"] == "thermo" and row["step"] >= first]
    return {key: numpy.array([row[key] for row in rows]) for key in rows[0] if key != "event"}


def error_of_mean(values: numpy.ndarray, blocks: int = 20) -> float:
    means = [numpy.mean(part) for part in numpy.array_split(values, blocks)]
    return float(numpy.std(means, ddof=1) / blocks**0.5)


def reservoir(**values) -> str:
    lines = ["[[grand_canonical]]"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    return "\n".join(lines)


@pytest.mark.parametrize("ranks", [1, 2, nightly(4)])
def test_ideal_gas_is_poisson(tmp_path, ranks):
    """Numbers of molecules have mean and variance z V, temperature and speeds are kept, and the pressure is
    z k T."""
    text = reservoir(components=["A", "B"], activity=[0.02, 0.01], interval=20, moves=80)
    case = GAS.format(
        steps=20_000, seed=5, thermostat="stochastic_velocity_rescaling", reservoir=text
    )
    (tmp_path / "gas.toml").write_text(case)
    run(tmp_path, "gas.toml", ranks)
    log = columns(tmp_path, "gas", 1000)
    for name, activity in [("A", 0.02), ("B", 0.01)]:
        wanted = activity * VOLUME
        numbers = log[f"molecules_{name}"]
        assert numpy.mean(numbers) == pytest.approx(wanted, abs=4.0 * error_of_mean(numbers))
        squares = (numbers - wanted) ** 2
        assert numpy.mean(squares) == pytest.approx(wanted, abs=4.0 * error_of_mean(squares))
        assert 0.6 < log[f"insertion_acceptance_{name}"][-1] < 1.0
    # Histogram against Poisson's distribution of the sum.
    total = (log["molecules_A"] + log["molecules_B"]).astype(int)
    mean = 0.03 * VOLUME
    low, high = int(mean - 4), int(mean + 4)
    steps = numpy.arange(1, 400)
    logarithm = numpy.concatenate([[0.0], numpy.cumsum(numpy.log(mean / steps))]) - mean
    inside = (total >= low) & (total <= high)
    expected = numpy.exp(logarithm[low : high + 1]).sum()
    assert numpy.mean(inside) == pytest.approx(
        expected, abs=4.0 * error_of_mean(inside.astype(float))
    )
    temperatures = log["temperature"]
    assert numpy.mean(temperatures) == pytest.approx(
        1.5, abs=4.0 * error_of_mean(temperatures) + 1e-3
    )
    pressures = log["pressure"]
    assert numpy.mean(pressures) == pytest.approx(0.03 * 1.5, abs=4.0 * error_of_mean(pressures))
    # What molecules bring and take along is counted.
    assert numpy.ptp(log["conserved_energy"]) < 1e-6 * numpy.max(numpy.abs(log["total_energy"]))


@pytest.mark.parametrize("ranks", [1, 3])
def test_identity_is_exchanged(tmp_path, ranks):
    """Exchanges alone keep the sum, and share it out as the activities say."""
    text = reservoir(
        components=["A", "B"], activity=[0.02, 0.01], interval=20, moves=0, exchanges=60
    )
    case = GAS.format(steps=20_000, seed=6, thermostat="langevin", reservoir=text)
    (tmp_path / "gas.toml").write_text(case)
    run(tmp_path, "gas.toml", ranks)
    log = columns(tmp_path, "gas", 1000)
    a, b = log["molecules_A"], log["molecules_B"]
    assert set(a + b) == {64}
    assert numpy.mean(a) == pytest.approx(64 * 2 / 3, abs=4.0 * error_of_mean(a))
    assert numpy.var(a) == pytest.approx(64 * 2 / 9, rel=0.2)
    assert numpy.mean(log["temperature"]) == pytest.approx(1.5, abs=0.03)


def test_region_and_wall(tmp_path):
    """An ideal gas between walls of energy phi has the density z exp(-phi / k T), although molecules come and
    go only between them."""
    text = reservoir(
        components=["A"],
        activity=[0.05],
        interval=20,
        moves=60,
        lower=[0, 0, 4.0],
        upper=[10.85, 10.85, 7.0],
    )
    wall = """
[[wall]]
potential = "harmonic"
axis = "z"
position = 3.0
side = "above"
stiffness = 5.0
[[wall]]
potential = "harmonic"
axis = "z"
position = 8.0
side = "below"
stiffness = 5.0
[profile]
interval = 20
axis = "z"
bins = 40
centered = false
"""
    case = GAS.format(steps=20_000, seed=7, thermostat="langevin", reservoir=text + wall)
    (tmp_path / "gas.toml").write_text(case.replace("time_constant = 0.2", "time_constant = 1.0"))
    run(tmp_path, "gas.toml", 2)
    log = columns(tmp_path, "gas", 2000)
    edge = VOLUME ** (1 / 3)
    places = numpy.linspace(0.0, edge, 20001)
    depth = numpy.maximum(0.0, numpy.maximum(3.0 - places, places - 8.0))
    integral = numpy.trapezoid(numpy.exp(-2.5 * depth**2 / 1.5), places)
    wanted = 0.05 * edge**2 * integral
    numbers = log["molecules_A"]
    assert numpy.mean(numbers) == pytest.approx(wanted, abs=4.0 * error_of_mean(numbers))


FLUID = """\
units = "reduced"
[run]
name = "fluid"
steps = {steps}
timestep = 0.004
seed = {seed}
precision = "{precision}"
[start]
kind = "lattice"
lattice = "fcc"
cells = [5, 5, 5]
density = {density}
temperature = {temperature}
[[type]]
name = "A"
[interaction]
cutoff = 3.5
truncation = "truncated"
tail_correction = true
[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = {temperature}
time_constant = 0.2
{reservoir}
[output]
thermo_interval = 20
"""


def reduced_chemical_potential(model, temperature: float, density: float) -> float:
    """ln(rho sigma^3) + mu_residual / k T."""
    alpha = model.get_Ar00(temperature, density, numpy.array([1.0]))
    slope = model.get_Ar01(temperature, density, numpy.array([1.0]))
    return numpy.log(density) + alpha + slope


@pytest.mark.parametrize(
    ("temperature", "density", "ranks", "precision"),
    [(1.5, 0.05, 1, "double"), (1.5, 0.5, 2, "mixed"), (2.5, 0.65, 4, "double")],
    ids=["dilute", "supercritical", "dense"],
)
def test_lennard_jones_has_the_density_of_the_equation_of_state(
    tmp_path, temperature, density, ranks, precision
):
    """Thol, Rutkai, Koester, Lustig, Span, Vrabec, J. Phys. Chem. Ref. Data 45, 023101 (2016)."""
    model = teqp.make_model({"kind": "LJ126_TholJPCRD2016", "model": {}})
    wanted = reduced_chemical_potential(model, temperature, density)
    text = reservoir(components=["A"], reduced_chemical_potential=[wanted], interval=20, moves=200)
    case = FLUID.format(
        steps=8000,
        seed=8,
        precision=precision,
        density=0.9 * density,
        temperature=temperature,
        reservoir=text,
    )
    (tmp_path / "fluid.toml").write_text(case)
    run(tmp_path, "fluid.toml", ranks)
    log = columns(tmp_path, "fluid", 2000)
    volume = 500 / (0.9 * density)
    densities = log["molecules_A"] / volume
    error = error_of_mean(densities, 10)
    assert error < 0.02 * density
    assert numpy.mean(densities) == pytest.approx(density, abs=4.0 * error + 0.002 * density)
    pressures = log["pressure"]
    slope = model.get_Ar01(temperature, density, numpy.array([1.0]))
    assert numpy.mean(pressures) == pytest.approx(
        density * temperature * (1.0 + slope), abs=4.0 * error_of_mean(pressures, 10) + 0.005
    )
    temperatures = log["temperature"]
    assert numpy.mean(temperatures) == pytest.approx(temperature, rel=0.01)


def test_consistent_with_widom(tmp_path):
    """[insertion] at the density of a reservoir finds the chemical potential of the reservoir."""
    temperature, given = 2.0, -1.4
    text = reservoir(components=["A"], reduced_chemical_potential=[given], interval=20, moves=200)
    case = FLUID.format(
        steps=8000, seed=9, precision="double", density=0.3, temperature=temperature, reservoir=text
    )
    (tmp_path / "fluid.toml").write_text(case)
    run(tmp_path, "fluid.toml")
    log = columns(tmp_path, "fluid", 2000)
    densities = log["molecules_A"] * 0.3 / 500
    density, error = numpy.mean(densities), error_of_mean(densities, 10)
    widom = FLUID.format(
        steps=6000,
        seed=9,
        precision="double",
        density=density,
        temperature=temperature,
        reservoir="[insertion]\ninterval = 20\ninsertions = 2000",
    )
    (tmp_path / "widom.toml").write_text(widom.replace('"fluid"', '"widom"'))
    run(tmp_path, "widom.toml")
    values, _ = results(tmp_path, "widom")
    found, uncertain = values["reduced_chemical_potential_A"]
    # d mu / d ln(rho) is about 1 here.
    assert found == pytest.approx(given, abs=4.0 * numpy.hypot(uncertain, error / density))


@pytest.mark.parametrize("ranks", [1, 2])
def test_ethane_has_the_density_of_the_equation_of_state(tmp_path, ranks):
    """Molecules of two Lennard-Jones sites and a quadrupole, by the state of
    `test_chemical_potential_of_ethane`."""
    temperature, density, excess, pressure = 350.0, 8.0, -1.2994, 105.8
    per_nm3 = density * 0.602214076
    text = reservoir(
        components=["ethane"],
        reduced_chemical_potential=[numpy.log(per_nm3) + excess],
        interval=20,
        moves=400,
    )
    case = ETHANE.format(temperature=temperature, density=0.9 * density)
    case = case[: case.index("[insertion]")].replace("steps = 8000", "steps = 16000")
    case += THERMOSTAT.format(temperature=temperature) + text
    (tmp_path / "ethane.toml").write_text(case)
    run(tmp_path, "ethane.toml", ranks)
    log = columns(tmp_path, "ethane", 2000)
    densities = log["molecules_ethane"] * 0.9 * density / 108
    error = error_of_mean(densities, 10)
    assert error < 0.03 * density
    # The fluid is so compressible that 0.02 in mu / k T are 4 % of the density.
    assert numpy.mean(densities) == pytest.approx(density, abs=3.0 * error + 0.04 * density)
    pressures = log["pressure"]
    assert numpy.mean(pressures) == pytest.approx(
        pressure, abs=4.0 * error_of_mean(pressures, 10) + 2.0
    )
    assert numpy.mean(log["temperature"]) == pytest.approx(temperature, rel=0.01)
    # Translation and rotation share the energy as their degrees of freedom do, 3 and 2.
    turning = numpy.mean(log["rotational_energy"]) / numpy.mean(log["kinetic_energy"])
    assert turning == pytest.approx(0.4, abs=0.01)


LAMMPS_GCMC = """\
import json, sys
import numpy
from lammps import lammps

case = json.load(open(sys.argv[1]))
engine = lammps(cmdargs=["-screen", "none", "-log", "none"])
engine.commands_list(case["commands"])
engine.command(f"run {case['left_out']} post no")
counts, energies = [], []
for _ in range(case["samples"]):
    engine.command(f"run {case['every']} post no")
    counts.append(engine.get_natoms())
    energies.append(engine.get_thermo("pe"))  # of an atom
json.dump({"counts": counts, "energies": energies}, open(case["result"], "w"))
"""


def test_numbers_of_lammps(lammps, tmp_path):  # noqa: F811
    """`fix gcmc` with its own displacements: the number of atoms and the energy of each."""
    temperature, potential, edge = 2.0, -2.8, 9.0
    case = {
        "commands": [
            "units lj",
            "atom_style atomic",
            f"region box block 0 {edge} 0 {edge} 0 {edge}",
            "create_box 1 box",
            "create_atoms 1 random 200 5 box overlap 0.8 maxtry 1000",
            "mass 1 1.0",
            "pair_style lj/cut 2.5",
            "pair_modify shift no tail no",
            "pair_coeff 1 1 1.0 1.0",
            f"fix gas all gcmc 1 200 200 1 7 {temperature} {potential} 0.4",
        ],
        "left_out": 200,
        "samples": 60,
        "every": 10,
        "result": str(tmp_path / "gcmc.json"),
    }
    (tmp_path / "case.json").write_text(json.dumps(case))
    done = subprocess.run(
        [lammps.python, "-c", LAMMPS_GCMC, tmp_path / "case.json"],
        env=lammps.variables,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    peer = json.loads((tmp_path / "gcmc.json").read_text())
    text = reservoir(components=["A"], chemical_potential=[potential], interval=20, moves=200)
    own = FLUID.format(
        steps=16_000,
        seed=10,
        precision="double",
        density=500 / edge**3,
        temperature=temperature,
        reservoir=text,
    )
    own = own.replace("cutoff = 3.5", "cutoff = 2.5").replace("tail_correction = true", "")
    (tmp_path / "fluid.toml").write_text(own)
    run(tmp_path, "fluid.toml", 2)
    log = columns(tmp_path, "fluid", 4000)
    numbers = log["molecules_A"]
    energies = log["potential_energy"] / numbers
    for mine, theirs in [(numbers, peer["counts"]), (energies, peer["energies"])]:
        theirs = numpy.array(theirs, dtype=float)
        error = numpy.hypot(error_of_mean(mine, 12), error_of_mean(theirs, 12))
        assert error < 0.02 * abs(numpy.mean(theirs))
        assert numpy.mean(mine) == pytest.approx(numpy.mean(theirs), abs=4.0 * error)


@pytest.mark.parametrize("ranks", [1, 2])
def test_resumed_runs_have_the_same_bits(tmp_path, ranks):
    text = reservoir(components=["A"], activity=[0.12], interval=10, moves=40)
    more = text + "\n[neighbor]\nmaximum_interval = 10\n"

    def case(name: str, steps: int) -> str:
        written = FLUID.format(
            steps=steps, seed=11, precision="double", density=0.3, temperature=2.0, reservoir=more
        )
        return written.replace('"fluid"', f'"{name}"') + "checkpoint_interval = 200\n"

    (tmp_path / "whole.toml").write_text(case("whole", 600))
    run(tmp_path, "whole.toml", ranks)
    (tmp_path / "parts.toml").write_text(case("parts", 320))
    run(tmp_path, "parts.toml", ranks)
    (tmp_path / "parts.toml").write_text(case("parts", 600))
    run(tmp_path, "parts.toml", ranks, more=("--resume",))
    whole, parts = columns(tmp_path, "whole"), columns(tmp_path, "parts")
    assert len(set(whole["molecules_A"])) > 5
    for name, values in whole.items():
        assert numpy.array_equal(values, parts[name]), name


def test_observers_and_files_that_go_along(tmp_path):
    """Profiles know the density, frames have the particles of their step, and a run goes on from its
    checkpoint on another number of ranks."""
    text = reservoir(
        components=["A", "B"], activity=[0.03, 0.02], interval=20, moves=60, exchanges=20
    )
    more = "\n[profile]\ninterval = 20\ncentered = false\nbins = 8\n"
    more += "[xyz]\ninterval = 200\n[lammps_dump]\ninterval = 200\n"
    case = GAS.format(steps=3000, seed=12, thermostat="langevin", reservoir=text + more)
    (tmp_path / "gas.toml").write_text(case)
    run(tmp_path, "gas.toml", 3)
    run(tmp_path, "gas.toml", 2, more=("--resume", "--steps", "6000"))
    log = columns(tmp_path, "gas")
    numbers = log["molecules_A"] + log["molecules_B"]
    settled = numbers[log["step"] >= 1000]
    assert numpy.mean(settled) == pytest.approx(0.05 * VOLUME, abs=5.0 * error_of_mean(settled))
    assert numpy.loadtxt(tmp_path / "gas.profile.txt").shape[0] == 8
    at = dict(zip(log["step"], numbers, strict=True))
    wanted = [at[step] for step in range(0, 6001, 200)]
    lines = (tmp_path / "gas.trajectory.xyz").read_text().splitlines()
    counts = []
    while lines:
        counts.append(int(lines[0]))
        lines = lines[counts[-1] + 2 :]
    assert counts == wanted
    lines = (tmp_path / "gas.lammpstrj").read_text().splitlines()
    heads = [n for n, line in enumerate(lines) if line == "ITEM: NUMBER OF ATOMS"]
    assert [int(lines[n + 1]) for n in heads] == wanted


def test_box_may_be_empty(tmp_path):
    """A third of a molecule on average, on ranks that mostly have none."""
    activity = 0.15 / VOLUME
    text = reservoir(components=["A", "B"], activity=[activity, activity], interval=10, moves=20)
    text += "\n[xyz]\ninterval = 1000\n"
    case = GAS.format(
        steps=20_000, seed=13, thermostat="stochastic_velocity_rescaling", reservoir=text
    )
    (tmp_path / "gas.toml").write_text(case)
    run(tmp_path, "gas.toml", 2)
    log = columns(tmp_path, "gas", 2000)
    numbers = log["molecules_A"] + log["molecules_B"]
    assert numpy.mean(numbers == 0) == pytest.approx(
        numpy.exp(-0.3), abs=4.0 * error_of_mean((numbers == 0).astype(float))
    )
    # Frames of an empty box have no atom.
    assert "0" in (tmp_path / "gas.trajectory.xyz").read_text().splitlines()


REFUSED = {
    "no temperature": ('kind = "langevin"', 'kind = "none"', "which is missing"),
    "two keys": ("activity", "fugacity = [0.1]\nactivity", "has one of"),
    "too few numbers": ("activity = [0.1]", "activity = [0.1, 0.2]", "expected one for each of 1"),
    "an unknown name": ('["A"]', '["a"]', 'did you mean "A"?'),
    "a name twice": ('["A"]', '["A", "A"]', "twice"),
    "a trajectory": ("[output]", "[output]\ntrajectory_interval = 100", "same particles"),
    "an observer": ("[output]", "[rdf]\ninterval = 10\n[output]", "particles that stay"),
    "a barostat": (
        "[output]",
        '[barostat]\nkind = "stochastic_cell_rescaling"\npressure = 1.0\ntime_constant = 1.0\n'
        "bulk_modulus = 1.0\n[output]",
        "[barostat]",
    ),
    "exchange of one": ("interval = 20", "interval = 20\nexchanges = 5", 'two "components"'),
    "an empty region": (
        "interval = 20",
        "interval = 20\nlower = [0, 0, 3]\nupper = [1, 1, 2]",
        "empty",
    ),
    "a region beyond the box": (
        "interval = 20",
        "interval = 20\nupper = [1, 1, 99]",
        "must lie in the box",
    ),
    "a drift control": ("[output]", "[[drift_control]]\ninterval = 5\n[output]", "drift_control"),
    "a field": ("[output]", "[[field]]\nforce = [0, 0, 1]\n[output]", "field"),
    "a reflecting wall": (
        "[output]",
        '[[wall]]\npotential = "reflecting"\nposition = 1.0\n[output]',
        "reflecting",
    ),
    "regions that overlap": (
        "[output]",
        '[[grand_canonical]]\ncomponents = ["B"]\nactivity = [0.1]\ninterval = 5\n[output]',
        "overlaps",
    ),
    "frozen": ("[output]", '[[freeze]]\ncomponent = "A"\n[output]', "frozen"),
    "a chain of fixed degrees beside what is frozen": (
        'kind = "langevin"',
        'kind = "nose_hoover_chain"',
        "beside [[freeze]]",
        '[[freeze]]\ncomponent = "B"\n',
    ),
    "PLUMED": ("[output]", '[plumed]\nfile = "plumed.dat"\n[output]', "[plumed] acts on variables"),
    "behind a wall": (
        "[output]",
        '[[wall]]\npotential = "lj_9_3"\naxis = "z"\nposition = 3.0\nside = "above"\n'
        "epsilon = 1.0\nsigma = 1.0\ncutoff = 2.5\n[output]",
        "inserted behind [[wall]] number 1",
    ),
    "behind a wall below": (
        "interval = 20",
        "interval = 20\nlower = [0, 0, 3.5]\nupper = [10, 10, 8]\n",
        "inserted behind [[wall]] number 1",
        '[[wall]]\npotential = "lj_9_3"\naxis = "z"\nposition = 7.0\nside = "below"\n'
        "epsilon = 1.0\nsigma = 1.0\ncutoff = 2.5\n",
    ),
    "outside a sphere": (
        "interval = 20",
        "interval = 20\nlower = [3, 3, 3]\nupper = [8, 8, 8]\n",
        "inserted behind [[wall]] number 1",
        '[[wall]]\npotential = "lj_9_3"\nshape = "sphere"\ncenter = [5.4, 5.4, 5.4]\n'
        'radius = 4.4\nside = "inside"\nepsilon = 1.0\nsigma = 1.0\ncutoff = 2.5\n',
    ),
    "neutral beside charges of any distance": (
        "[output]",
        '[electrostatics]\nkind = "ewald"\n[output]',
        "[[grand_canonical]] does not go with charges",
        '[[type]]\nname = "P"\ncharge = 1.0\n[[type]]\nname = "N"\ncharge = -1.0\n',
    ),
    "an activity that overflows": (
        "activity = [0.1]",
        "chemical_potential = [2000.0]",
        "too large for a number",
    ),
    "an activity that is rounded to 0": (
        "activity = [0.1]",
        "chemical_potential = [-2000.0]",
        "rounded to 0",
    ),
    "nothing to do": ("interval = 20", "interval = 20\nmoves = 0", "does nothing"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(tmp_path, name):
    old, new, words, *more = REFUSED[name]
    text = reservoir(components=["A"], activity=[0.1], interval=20)
    case = GAS.format(steps=100, seed=1, thermostat="langevin", reservoir=text)
    assert old in case
    (tmp_path / "gas.toml").write_text(case.replace(old, new, 1) + "".join(more))
    said = run(tmp_path, "gas.toml", 2, fails=True)
    assert words in said, said


def test_a_region_in_front_of_a_wall_is_taken(tmp_path):
    text = reservoir(
        components=["A"], activity=[0.1], interval=20, lower=[0, 0, 3.0], upper=[10, 10, 8.0]
    )
    wall = (
        '[[wall]]\npotential = "lj_9_3"\naxis = "z"\nposition = {}\nside = "{}"\n'
        "epsilon = 1.0\nsigma = 1.0\ncutoff = 2.5\n"
    )
    case = GAS.format(steps=0, seed=1, thermostat="langevin", reservoir=text)
    case += wall.format(3.0, "above") + wall.format(8.0, "below")
    (tmp_path / "gas.toml").write_text(case)
    done = subprocess.run(
        sterna_command("check", "gas.toml"),
        cwd=tmp_path,
        env=sterna_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "behind" not in done.stdout + done.stderr
    assert done.returncode == 0, done.stdout + done.stderr


def test_real_units_have_the_thermal_wavelength(tmp_path):
    """The chemical potential of argon is that of the ideal gas with the same activity: with Planck's constant,
    k and N_A of the SI, the runs draw the same attempts."""
    temperature, density = 120.0, 0.0005  # K, per cubic angstrom
    boltzmann, planck, avogadro = 1.380649e-23, 6.62607015e-34, 6.02214076e23
    mass = 39.948e-3 / avogadro
    wavelength = planck / (2.0 * numpy.pi * mass * boltzmann * temperature) ** 0.5 * 1e10
    per_kcal = boltzmann * temperature * avogadro / 4184.0
    pressure = density * 1e30 * boltzmann * temperature  # Pa
    keys = {
        "activity": [density],
        "reduced_chemical_potential": [float(numpy.log(density))],
        "chemical_potential": [float(per_kcal * numpy.log(density * wavelength**3))],
        "fugacity": [f"{pressure * 1e-5!r} bar"],
    }
    counts = {}
    for key, values in keys.items():
        text = reservoir(components=["argon"], interval=20, moves=50, **{key: values})
        case = f"""
units = "real"
[run]
name = "{key}"
steps = 400
timestep = 2.0
seed = 3
[start]
kind = "lattice"
lattice = "sc"
cells = [4, 4, 4]
density = "0.8 mol/l"
temperature = 120
[[type]]
name = "argon"
mass = 39.948
epsilon = 0.238
sigma = 3.4
[interaction]
cutoff = 9.0
[thermostat]
kind = "langevin"
temperature = 120
time_constant = 200
{text}
[output]
thermo_interval = 20
"""
        (tmp_path / f"{key}.toml").write_text(case)
        run(tmp_path, f"{key}.toml")
        counts[key] = columns(tmp_path, key)["molecules_argon"].tolist()
    assert len(set(counts["activity"])) > 5
    for key, found in counts.items():
        assert found == counts["activity"], key


def test_fugacity_of_an_ideal_gas(tmp_path):
    """N = f V / k T."""
    text = reservoir(components=["A"], fugacity=[0.045], interval=20, moves=80)
    case = GAS.format(
        steps=10_000, seed=15, thermostat="stochastic_velocity_rescaling", reservoir=text
    )
    (tmp_path / "gas.toml").write_text(case)
    run(tmp_path, "gas.toml")
    numbers = columns(tmp_path, "gas", 1000)["molecules_A"]
    wanted = 0.045 * VOLUME / TEMPERATURE
    error = error_of_mean(numbers)
    assert error < 0.05 * wanted
    assert numpy.mean(numbers) == pytest.approx(wanted, abs=4.0 * error)
