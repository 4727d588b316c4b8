"""Thermostats of groups, and of translation or rotation alone, where rigid molecules are beside atoms."""

import json

import numpy
import pytest
from engine_support import script_output
from mixed_matter import Mixture, Rigid
from test_few_rotors import with_text
from test_rotors_and_atoms import ARGON, CARBON, DIOXIDE, places, write

# Carbon dioxide without its quadrupole.
LINEAR = Rigid("CO2", masses=DIOXIDE.masses, wells=DIOXIDE.wells)
EDGE, CELLS = 4.2, 7
COUNTS = {"Ar": 120, "C": 60, "CO2": 160}
MOLECULES = "".join(
    f'[[molecule]]\nname = "{name}_molecule"\ncount = {count}\natom = [{{ type = "{name}" }}]\n'
    for name, count in COUNTS.items()
)
GROUPS = """\
[[group]]
name = "heavy"
select = "molecule Ar_molecule or type CO2"
[[group]]
name = "light"
select = "molecule C_molecule"
[[group]]
name = "first"
select = "id 1-60"
[[group]]
name = "later"
select = "id 61-400"
"""


def thermostat(kind: str, temperature: float, more: str, time: float = 0.02) -> str:
    return (
        f'[[thermostat]]\nkind = "{kind}"\ntemperature = {temperature}\n'
        f"time_constant = {time}\n{more}\n"
    )


def system(folder, more: str, run: str = "seed = 5\n") -> None:
    random = numpy.random.default_rng(11)
    kind = numpy.repeat(numpy.arange(3), list(COUNTS.values()))
    orientation = random.normal(size=(len(kind), 4))
    orientation[kind < 2] = [1, 0, 0, 0]
    orientation /= numpy.linalg.norm(orientation, axis=1)[:, None]
    mixture = Mixture(
        atoms=[ARGON, CARBON],
        rigid=[LINEAR],
        box=numpy.full(3, EDGE),
        kind=kind,
        position=places(CELLS, EDGE, 0.04, 3)[: len(kind)],
        orientation=orientation,
        cutoff=0.9,
    )
    write(folder, mixture, GROUPS + more, run=run, molecules=MOLECULES)
    with_text(folder, 'file = "mixed.xyz"', 'file = "mixed.xyz"\ntemperature = 300')


TEMPERATURES = """
import json, numpy, sterna
simulation = sterna.Simulation.from_file("mixed.toml")
boltzmann = 0.00831446261815324
names = numpy.array(simulation.type_names)[simulation.gather("type")]
ids = simulation.gather("id")
mass = numpy.select([names == "Ar", names == "C"], [39.948, 12.011], 44.009)
parts = {
    "rotors": names == "CO2", "atoms": names != "CO2", "light": names == "C", "heavy": names != "C",
    "first": ids <= 60, "later": ids > 60,
}
rows = []
simulation.run(EQUILIBRATION)
for _ in range(SAMPLES):
    simulation.run(10)
    energy = 0.5 * mass * (simulation.gather("velocity")**2).sum(axis=1)
    row = {name: energy[own].sum() / (1.5 * own.sum() * boltzmann) for name, own in parts.items()}
    thermo = simulation.thermo
    row["rotation"] = thermo["rotational_energy"] / ((names == "CO2").sum() * boltzmann)
    row["conserved"] = thermo["conserved_energy"]
    row["kinetic"] = thermo["kinetic_energy"]
    rows.append(row)
if simulation.rank == 0:
    print(json.dumps(rows))
"""

CASES = {
    "rotation apart": (
        thermostat("langevin", 450, 'motion = "rotation"')
        + thermostat("langevin", 250, 'motion = "translation"'),
        {"rotation": 450, "rotors": 250, "atoms": 250},
    ),
    "rotation apart, rescaled": (
        thermostat("stochastic_velocity_rescaling", 450, 'motion = "rotation"')
        + thermostat("stochastic_velocity_rescaling", 250, 'motion = "translation"'),
        {"rotation": 450},
    ),
    "chains": (
        thermostat("nose_hoover_chain", 450, 'motion = "rotation"', 0.1)
        + thermostat("nose_hoover_chain", 250, 'motion = "translation"', 0.1),
        {"rotation": 450},
    ),
    "groups": (
        thermostat("langevin", 250, 'groups = ["heavy"]')
        + thermostat("andersen", 450, 'groups = ["light"]'),
        {"light": 450, "heavy": 250, "rotation": 250},
    ),
    "groups by number, rescaled": (
        thermostat("stochastic_velocity_rescaling", 450, 'groups = ["first"]')
        + thermostat("stochastic_velocity_rescaling", 250, 'groups = ["later"]'),
        {"first": 450, "later": 250},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_parts_have_their_temperatures(tmp_path, case):
    text, expected = CASES[case]
    system(tmp_path, text)
    script = TEMPERATURES.replace("EQUILIBRATION", "1000").replace("SAMPLES", "300")
    rows = json.loads(script_output(tmp_path, script))
    for name, wanted in expected.items():
        values = numpy.array([row[name] for row in rows])
        blocks = values.reshape(15, 20).mean(axis=1)
        error = blocks.std() / len(blocks) ** 0.5
        # Heat flows from the one part to the other, so neither is quite at its temperature.
        assert abs(values.mean() - wanted) < 4 * error + 0.04 * wanted, (name, values.mean(), error)
    conserved = numpy.array([row["conserved"] for row in rows])
    kinetic = numpy.array([row["kinetic"] for row in rows])
    assert abs(conserved[-20:].mean() - conserved[:20].mean()) < 0.02 * kinetic.mean()


def test_what_is_left_alone_keeps_its_energy(tmp_path):
    """Rotation alone: no velocity of a center is changed in a step of vanishing length."""
    script = """
    import numpy, sterna
    simulation = sterna.Simulation.from_file("mixed.toml")
    before = {name: simulation.gather(name) for name in ("velocity", "angular_momentum")}
    simulation.run(1)
    for name, changes in CHANGES.items():
        off = abs(simulation.gather(name) - before[name])
        rotors = numpy.arange(len(off)) >= 180
        size = abs(before[name]).max()
        assert (off[rotors].max() > 0.01 * size) == changes, (name, off.max())
        if name == "velocity":
            assert (off[~rotors].max() > 0.01 * size) == changes, (name, off.max())
    """
    for kind in ("langevin", "stochastic_velocity_rescaling", "nose_hoover_chain"):
        for motion, changes in (
            ("rotation", {"velocity": False, "angular_momentum": True}),
            ("translation", {"velocity": True, "angular_momentum": False}),
        ):
            # The start is hot, so that every kind of thermostat acts strongly.
            system(tmp_path, thermostat(kind, 1e-3, f'motion = "{motion}"', 2e-7))
            with_text(tmp_path, "timestep = 0.001", "timestep = 1e-7")
            script_output(tmp_path, script.replace("CHANGES", repr(changes)))


NOISE = """
import numpy, sterna
simulation = sterna.Simulation.from_file("mixed.toml")
simulation.run(1)
names = numpy.array(simulation.type_names)[simulation.gather("type")]
rotors = names == "CO2"
w, x, y, z = simulation.gather("orientation")[rotors].T
to_lab = numpy.array([
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
])
momentum = numpy.einsum("ijn,ni->nj", to_lab, simulation.gather("angular_momentum")[rotors])
velocity = simulation.gather("velocity")[rotors]
turning = momentum.std(axis=0) > 0.1 * momentum.std(axis=0).max()
assert turning.sum() == 2
together = numpy.corrcoef(numpy.hstack([velocity, momentum[:, turning]]).T)
print(abs(together - numpy.eye(5)).max())
"""


@pytest.mark.parametrize("turning", ["langevin", "andersen"])
@pytest.mark.parametrize("moving", ["langevin", "andersen"])
def test_noise_of_rotation_is_its_own(tmp_path, moving, turning):
    """Both thermostats give all motion anew in one step. Of 160 rotors, numbers that are independent
    correlate by 0.08."""
    text = thermostat(turning, 300, 'motion = "rotation"', 1e-8)
    system(tmp_path, text + thermostat(moving, 300, 'motion = "translation"', 1e-8))
    with_text(tmp_path, "timestep = 0.001", "timestep = 1e-7")
    assert float(script_output(tmp_path, NOISE)) < 0.35


def test_ranks_and_restarts(tmp_path):
    system(
        tmp_path,
        thermostat("stochastic_velocity_rescaling", 450, 'groups = ["first"]')
        + thermostat("langevin", 250, 'groups = ["later"]\nmotion = "rotation"'),
    )
    script = """
    import json, sterna
    simulation = sterna.Simulation.from_file("mixed.toml")
    simulation.run(40)
    names = ("position", "velocity", "angular_momentum")
    found = {name: simulation.gather(name).tolist() for name in names}
    if simulation.rank == 0:
        print(json.dumps(found))
    """
    alone = json.loads(script_output(tmp_path, script))
    for ranks in (2, 3):
        shared = json.loads(script_output(tmp_path, script, ranks=ranks))
        for name, value in alone.items():
            numpy.testing.assert_allclose(shared[name], value, atol=1e-8, err_msg=name)
    script = """
    import sterna
    simulation = sterna.Simulation.from_file("mixed.toml")
    simulation.run(17)
    simulation.save("mixed.checkpoint")
    simulation.run(23)
    again = sterna.Simulation.resume("mixed.checkpoint", sterna.Input.read("mixed.toml"))
    assert again.step == 17
    again.run(23)
    for name in ("position", "velocity", "orientation", "angular_momentum"):
        assert (again.gather(name) == simulation.gather(name)).all(), name
    """
    script_output(tmp_path, script)


BAROSTAT = """\
[barostat]
kind = "stochastic_cell_rescaling"
pressure = 30.0
time_constant = 1.0
compressibility = 1e-4
"""


HILLS = """\
[[variable]]
name = "d"
kind = "distance"
groups = ["one", "two"]
[[bias]]
name = "hills"
kind = "metadynamics"
variable = "d"
height = 1.0
interval = 100
widths = [0.1]
bias_factor = 5.0
[[group]]
name = "one"
select = "id 1"
[[group]]
name = "two"
select = "id 2"
"""


def test_rotation_alone_is_no_temperature_of_the_run(sterna, tmp_path):
    turning = thermostat("langevin", 300, 'motion = "rotation"')
    for more, warns in (("", True), (thermostat("langevin", 300, 'motion = "translation"'), False)):
        system(tmp_path, turning + more + BAROSTAT)
        done = sterna("check", "mixed.toml")
        said = "without a thermostat that samples the canonical ensemble" in done.stdout
        assert said == warns, done.stdout
        system(tmp_path, turning + more + HILLS)
        done = sterna("check", "mixed.toml")
        assert ("well-tempered hills need a temperature" in done.stdout) == warns, done.stdout
        assert done.returncode == (2 if warns else 0), done.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (thermostat("langevin", 300, 'groups = ["haevy"]'), 'did you mean "heavy"?'),
        (
            thermostat("langevin", 300, 'groups = ["heavy"]')
            + thermostat("langevin", 300, 'component = "CO2"'),
            "act on the same molecules",
        ),
        (
            thermostat("langevin", 300, 'groups = ["heavy"]')
            + thermostat("langevin", 300, 'groups = ["first"]'),
            "act on the same molecules",
        ),
        (thermostat("langevin", 300, 'motion = "rotations"'), 'did you mean "rotation"?'),
        (thermostat("nose_hoover_chain", 300, 'groups = ["heavy"]'), '"groups"'),
        (
            '[thermostat]\nkind = "velocity_scaling"\ntemperature = 300\nmotion = "rotation"\n',
            '"motion"',
        ),
    ],
)
def test_what_makes_no_sense_is_an_error(sterna, tmp_path, text, message):
    system(tmp_path, text)
    done = sterna("check", "mixed.toml")
    assert done.returncode == 2, done.stdout
    assert message in done.stdout, done.stdout


def test_rotation_needs_what_turns(sterna, melt):
    path = melt(steps=10, thermo=10)
    text = path.read_text() + thermostat("langevin", 1.0, 'motion = "rotation"', 1.0)
    path.write_text(text)
    done = sterna("check", path.name)
    assert done.returncode == 2
    assert "only a [[component]] turns" in done.stdout
