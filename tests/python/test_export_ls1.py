"""`sterna export` to ls1-MarDyn: Sterna's reader of ls1's inputs finds every energy and force again."""

import re
import subprocess
import xml.etree.ElementTree

import numpy
import pytest
from conftest import ROOT, sterna_command, sterna_environment
from sterna import Trajectory, read_log

TOLERANCE = 1e-12  #: relative

HEAD = """\
units = "{units}"

[run]
steps = 0
timestep = 0.001
rotation = "leapfrog"

[start]
kind = "random"
particles = 400
density = {density}
temperature = {temperature}

[output]
trajectory_interval = 1
trajectory_fields = ["position", "velocity", "force", "orientation", "angular_momentum"]
"""
NANO = HEAD.format(units="nano", density=3, temperature=300)
REDUCED = HEAD.format(units="reduced", density=0.2, temperature=1.5)
METAL = HEAD.format(units="metal", density=0.003, temperature=300)

MODELS = """
[[component]]
name = "EOX & co"
model = "ethylene_oxide"

[[component]]
name = "N2"
model = "nitrogen_2cljq"

[[pair]]
first = "N2"
second = "EOX & co"
xi = 1.1
eta = 0.98
"""
#: Of a run of [[type]]s, which do not turn.
POINTS = REDUCED.replace(', "orientation", "angular_momentum"', "").replace(
    'rotation = "leapfrog"\n', ""
)
CHARGES_AND_DIPOLES = """
[[component]]
name = "water"
model = "spce"

[[component]]
name = "Stockmayer"

[[component.site]]
kind = "lennard_jones"
position = [{place}, 0, 0]
mass = 1.5
epsilon = {epsilon}
sigma = {sigma}

[[component.site]]
kind = "lennard_jones"
position = [-{place}, 0, 0]
mass = 1.5
epsilon = {epsilon}
sigma = {sigma}

[[component.site]]
kind = "dipole"
position = [0, 0, {place}]
dipole_moment = {dipole}
axis = [0.3, 0, 1]
"""
ATOMS = """
[[type]]
name = "A"
mass = 1
epsilon = 1.2
sigma = 1

[[type]]
name = "B"
mass = 2
epsilon = 0.7
sigma = 0.8

[[type]]
name = "C"
mass = 3
epsilon = 0.5
sigma = 0.9

[[pair]]
first = "A"
second = "C"
epsilon = 0.4
"""


def interaction(cutoff, truncation, *more):
    lines = [f"cutoff = {cutoff}", f'truncation = "{truncation}"', *more]
    return "\n[interaction]\n" + "\n".join(lines) + "\n"


FIELD = 'electrostatics = "reaction_field"'
CASES = {
    "models": NANO + MODELS + interaction(1.1, "shifted", FIELD, "lennard_jones_cutoff = 1.0"),
    "truncated": NANO + MODELS + interaction(
        1.1, "truncated", FIELD, "reaction_field_epsilon = 60", "shift_unlike_components = true",
        'tail_correction = "homogeneous"',
    ),
    "metal": METAL + MODELS + interaction(11, "shifted", 'electrostatics = "truncated"'),
    "charges": NANO + CHARGES_AND_DIPOLES.format(epsilon=0.5, sigma=0.3, place=0.05, dipole='"1 D"')
    + interaction(1.0, "shifted", FIELD),
    "atoms": POINTS + ATOMS + interaction(2.5, "shifted", 'mixing = "geometric"'),
    # ls1 has factors alone, and all sites of a molecule have the same ones.
    "rules": NANO + MODELS.replace("ethylene_oxide", "carbon_dioxide_2cljq").replace(
        "xi = 1.1", 'mixing = "kong"\nxi = 1.1') + "[[component]]\nname = \"Ar\"\nmodel = \"argon\"\n"
    + interaction(1.1, "shifted", 'electrostatics = "truncated"', 'mixing = "waldman_hagler"'),
    "planar": POINTS + ATOMS.split("[[type]]")[1].join(["[[type]]", ""]) + interaction(
        2.5, "truncated", 'tail_correction = "planar"', 'tail_normal = "y"', "tail_slabs = 20"
    ),
}  # fmt: skip


def sterna(folder, *arguments, status=0):
    done = subprocess.run(
        sterna_command(*map(str, arguments)), cwd=folder, env=sterna_environment(),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def written(folder, text, name="first"):
    (folder / f"{name}.toml").write_text(text)
    sterna(folder, "run", f"{name}.toml", "-n", 1)
    return sterna(folder, "export", f"{name}.toml", "second.xml")


@pytest.mark.parametrize("name", list(CASES))
def test_the_reader_of_ls1_finds_every_energy(name, tmp_path):
    said = written(tmp_path, CASES[name])
    assert "second.inp" in said and "warning" not in said.replace("sterna: warning: [therm", "")
    said = sterna(tmp_path, "check", "second.xml")
    told = {line for line in said.splitlines() if "warning: " in line}
    # The reader turns dipoles beside charges around, back to what they were. The published sites of
    # ethylene oxide have their center of mass at 4e-7 nm from the origin.
    expected = {"charges": "turned around", "atoms": "", "planar": "", "rules": "no effect"}.get(
        name, "center of mass"
    )
    assert len(told) == bool(expected) and all(expected in line for line in told), said
    sterna(tmp_path, "convert", "second.xml", "second.toml")
    text = (tmp_path / "second.toml").read_text()
    fields = '"position", "velocity", "force"' + (
        ', "orientation", "angular_momentum"' if "component" in CASES[name] else ""
    )
    assert text.count("[output]") == 1
    text = text.replace("[output]\n", f"[output]\ntrajectory_interval = 1\n"
                        f"trajectory_fields = [{fields}]\n")  # fmt: skip
    (tmp_path / "second.toml").write_text(text)
    sterna(tmp_path, "run", "second.toml", "-n", 1)
    first, second = (read_log(tmp_path / f"{n}.log.jsonl").rows[0] for n in ("first", "second"))
    unit = 96.48533212331 if name == "metal" else 1.0
    assert first["potential_energy"] != 0.0
    for key in ("potential_energy", "kinetic_energy", "virial"):
        assert second[key] == pytest.approx(unit * first[key], rel=TOLERANCE), key
    before, after = (Trajectory(tmp_path / f"{n}.h5md")[0].force for n in ("first", "second"))
    assert numpy.abs(before - after).max() <= TOLERANCE * numpy.abs(before).max()


def test_the_header_has_what_ls1_reads_there(tmp_path):
    """The components as ASCIIReader.cpp of ls1 reads them, word by word."""
    written(tmp_path, CASES["charges"])
    words = iter((tmp_path / "second.inp").read_text().split())
    assert [next(words) for _ in range(3)] == ["mardyn", "trunk", "20120726"]
    assert next(words) == "currentTime" and float(next(words)) == 0.0
    assert next(words) == "Length" and all(float(next(words)) > 0.0 for _ in range(3))
    assert next(words) == "Temperature" and float(next(words)) > 0.0
    assert next(words) == "NumberOfComponents"
    components = []
    for _ in range(int(next(words))):
        sizes = [int(next(words)) for _ in range(5)]
        columns = (8, 5, 7, 7)  # of a Lennard-Jones site, a charge, a dipole, a quadrupole
        sites = [
            [[float(next(words)) for _ in range(width)] for _ in range(count)]
            for count, width in zip(sizes[:4], columns, strict=True)
        ]
        components.append((sites, [float(next(words)) for _ in range(3)]))
    assert float(next(words)) == float(next(words)) == 1.0  # xi, eta
    assert float(next(words)) == 1e10
    assert next(words) == "NumberOfMolecules" and next(words) == "400"
    assert next(words) == "MoleculeFormat" and next(words) == "ICRVQD"
    rows = numpy.array([float(word) for word in words]).reshape(400, 15)
    assert sorted(set(rows[:, 1])) == [1.0, 2.0]
    assert numpy.allclose((rows[:, 8:12] ** 2).sum(axis=1), 1.0)
    (water, inertia), (stockmayer, _) = components
    # kJ/mol nm/e^2; SPC/E has 0.4238 e.
    assert water[1][2][4] == pytest.approx(0.4238 * 138.935458**0.5, rel=1e-7)
    assert sum(water[0][0][3:4] + [site[3] for site in water[1]]) == pytest.approx(18.015, rel=1e-4)
    assert min(inertia) > 0.0
    # The dipole is turned around beside charges; 1 D is 0.0208194 e nm.
    assert len(stockmayer[0]) == 2 and max(map(abs, stockmayer[2][0][:3])) > 0.0
    assert stockmayer[2][0][6] == pytest.approx(0.0208194 * 138.935458**0.5, rel=1e-5)
    root = xml.etree.ElementTree.parse(tmp_path / "second.xml").getroot()
    assert root.tag == "mardyn" and len(root.findall(".//moleculetype")) == 2


def test_a_run_of_ls1_comes_back(tmp_path):
    """ls1's own input, converted, run and exported: the same numbers."""
    folder = ROOT / "tests" / "data" / "ls1"
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    sterna(tmp_path, "convert", "ascii.xml", "first.toml")
    text = (tmp_path / "first.toml").read_text()
    text = text.replace("[output]\n", '[output]\ntrajectory_interval = 5\ntrajectory_fields = '
                        '["position", "velocity"]\n')  # fmt: skip
    (tmp_path / "first.toml").write_text(text)
    sterna(tmp_path, "run", "first.toml", "-n", 1)
    name = re.search(r'(?m)^name = "(.*)"', text)
    stem = name[1] if name else "first"
    sterna(tmp_path, "export", f"{stem}.h5md", "second.xml", "--frames", "0")
    sterna(tmp_path, "run", "second.xml", "-n", 1)
    rows = [read_log(tmp_path / f"{n}.log.jsonl").rows for n in (stem, "second")]
    assert [row["step"] for row in rows[0]] == [row["step"] for row in rows[1]]
    for first, second in zip(*rows, strict=True):
        for key in ("potential_energy", "kinetic_energy", "temperature"):
            assert second[key] == pytest.approx(first[key], rel=1e-11), key


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (NANO + MODELS + interaction(1.1, "truncated", FIELD), "without shift_unlike_components"),
        (POINTS + ATOMS + interaction(2.5, "force_shifted"), "truncation = 'force_shifted'"),
        (NANO + MODELS + interaction(1.1, "shifted", 'molecular_cutoff = "site"'),
         "[interaction] molecular_cutoff = 'site'"),
        (NANO + CHARGES_AND_DIPOLES.format(epsilon=0.5, sigma=0.3, place=0.05, dipole=0.02)
         + MODELS + interaction(1.0, "shifted"), "charges, dipoles and quadrupoles together"),
        (NANO + MODELS + interaction(1.1, "shifted", 'mixing = "fender_halsey"'),
         "mixing = 'fender_halsey' of the unlike sites of EOX & co and EOX & co"),
        (POINTS + ATOMS + interaction(2.5, "shifted") + "\n[[wall]]\npotential = 'lj_9_3'\n"
         "epsilon = 1\nsigma = 1\ncutoff = 2\n", "[[wall]]"),
        (POINTS + ATOMS + interaction(2.5, "shifted")
         + "\n[[pair]]\nfirst = 'A'\nsecond = 'B'\npotential = 'morse'\ndepth = 1\nalpha = 2\nr0 = 1\n",
         "[[pair]] of A and B: 'morse'"),
        (NANO + "[[component]]\nname = 'w'\nmodel = 'spce'\n" + interaction(1.0, "shifted")
         + "\n[electrostatics]\nkind = 'ewald'\n", "[electrostatics] kind = 'ewald'"),
    ],
)  # fmt: skip
def test_what_ls1_lacks_is_refused_by_name(text, message, tmp_path):
    (tmp_path / "first.toml").write_text(text)
    sterna(tmp_path, "run", "first.toml", "-n", 1)
    said = sterna(tmp_path, "export", "first.toml", "second.xml", status=2)
    assert message in said, said
    assert not list(tmp_path.glob("second.*"))


def test_thermostats_are_those_of_ls1(tmp_path):
    text = POINTS + ATOMS + interaction(2.5, "shifted")
    given = {
        "plain": 'kind = "velocity_scaling"\ntemperature = 1.5\nexponent = 0.4\n',
        "linearized": 'kind = "velocity_scaling"\ntemperature = 1.5\nexponent = 0.3\nslabs = 2\n'
                      'scaling = "linearized"\ndirections = ["x", "z"]\ninterval = 3\n',
        "none": 'kind = "none"\n',
    }  # fmt: skip
    for name, lines in given.items():
        folder = tmp_path / name
        folder.mkdir()
        written(folder, text + f"\n[thermostat]\n{lines}")
        sterna(folder, "convert", "second.xml", "second.toml")
        found = (folder / "second.toml").read_text()
        if name == "none":
            assert "velocity_scaling" not in found
            continue
        for line in lines.splitlines():
            assert line.replace(", ", ",") in found.replace(", ", ","), found
    other = text + '\n[thermostat]\nkind = "langevin"\ntemperature = 1\ntime_constant = 1\n'
    (tmp_path / "other").mkdir()
    assert "kind = 'langevin' is left out" in written(tmp_path / "other", other)
