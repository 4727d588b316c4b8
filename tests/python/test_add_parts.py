"""The pages that add an observer, a start reader, a thermostat and an integrator tell the truth: each
is one file and one row, and inputs can use it. All of them are in one program."""

import math
import subprocess
from pathlib import Path

import pytest
from added_code import block, program_with, run_with
from sterna import read_log

PAGES = ["add-an-observer", "add-a-thermostat", "add-a-start-reader", "add-an-integrator"]

INPUT = """\
[run]
name = "fluid"
steps = {steps}
timestep = 0.004
[start]
kind = "lattice"
cells = [6, 6, 6]
density = 0.5
temperature = 1.5
[[type]]
name = "A"
[interaction]
cutoff = 2.5
[output]
thermo_interval = 10
equilibration = 200
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    return program_with(PAGES, tmp_path_factory.mktemp("parts"))


def run(program: Path, folder: Path, text: str, *options: str) -> tuple[int, str]:
    (folder / "fluid.toml").write_text(text)
    return run_with(program, folder / "fluid.toml", *options)


def reference(program: Path) -> str:
    return subprocess.run(
        [program, "--reference"], capture_output=True, text=True, check=True
    ).stdout


# ---- the observer


def speeds(folder: Path) -> list[tuple[float, float]]:
    lines = (folder / "fluid.speed_distribution.txt").read_text().splitlines()
    return [tuple(map(float, line.split())) for line in lines if not line.startswith("#")]


def test_the_observer_of_the_page_finds_the_distribution_of_maxwell(program, tmp_path):
    section = block("add-an-observer", "toml")
    code, output = run(program, tmp_path, INPUT.format(steps=1200) + section)
    assert code == 0, output
    found = speeds(tmp_path)
    assert len(found) == 60
    width = found[1][0] - found[0][0]
    assert sum(count for _, count in found) * width == pytest.approx(864, abs=0.5)
    rows = [row for row in read_log(tmp_path / "fluid.log.jsonl").rows if row["step"] >= 200]
    temperature = sum(row["temperature"] for row in rows) / len(rows)
    for speed, count in found:
        maxwell = 4 * math.pi * speed**2 * (2 * math.pi * temperature) ** -1.5
        maxwell *= 864 * math.exp(-(speed**2) / (2 * temperature))
        # About 100 samples, of which neighbors are alike: three times what independent ones give.
        assert count == pytest.approx(maxwell, abs=3 * math.sqrt((maxwell + 1) / (20 * width)))


def test_the_observer_goes_on_from_a_checkpoint(program, tmp_path):
    section = block("add-an-observer", "toml")
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir(), parts.mkdir()
    text = INPUT.replace("equilibration = 200", "checkpoint_interval = 100") + section
    assert run(program, whole, text.format(steps=300))[0] == 0
    assert run(program, parts, text.format(steps=100))[0] == 0
    code, output = run(program, parts, text.format(steps=300), "--resume")
    assert code == 0, output
    assert speeds(parts) == speeds(whole)


def test_the_section_of_the_observer_is_checked(program, tmp_path):
    text = INPUT.format(steps=10)
    code, output = run(program, tmp_path, text + "[speed_distributon]\ninterval = 1\n")
    assert code != 0
    assert "unknown section [speed_distributon]; did you mean [speed_distribution]?" in output
    code, output = run(program, tmp_path, text + "[speed_distribution]\ninterval = 1\nbin = 3\n")
    assert code != 0
    assert 'did you mean "bins"?' in output
    assert '[speed_distribution] lacks the key "maximum", required: a number greater than 0' in (
        output
    )
    minimized = text.replace("timestep", 'integrator = "minimize"\ntimestep')
    code, output = run(program, tmp_path, minimized + block("add-an-observer", "toml"))
    assert code != 0
    assert "nothing has a speed in a minimization" in output


def test_the_observer_is_on_the_reference_page(program):
    page = reference(program)
    assert "## `[speed_distribution]`" in page
    assert "| `maximum` | velocity greater than 0 | required | The largest speed. |" in page


# ---- the thermostat

IDEAL_GAS = """\
[run]
name = "fluid"
steps = {steps}
timestep = 0.005
[start]
kind = "random"
particles = 1000
density = 0.1
temperature = 2.0
[[type]]
name = "A"
epsilon = 0.0
[interaction]
cutoff = 1.0
[output]
thermo_interval = 20
checkpoint_interval = 100
"""


def test_the_thermostat_of_the_page_relaxes_the_temperature(program, tmp_path):
    section = block("add-a-thermostat", "toml")
    code, output = run(program, tmp_path, IDEAL_GAS.format(steps=200) + section)
    assert code == 0, output
    rows = read_log(tmp_path / "fluid.log.jsonl").rows
    assert rows[-1]["step"] == 200
    first = rows[0]["temperature"]
    for row in rows:
        # Nothing else changes the energy of an ideal gas: dT/dt = (T0 - T) / tau, step by step.
        relaxed = 0.8 + (first - 0.8) * (1 - 0.005 / 0.5) ** row["step"]
        assert row["temperature"] == pytest.approx(relaxed, rel=1e-9)
        assert row["conserved_energy"] == pytest.approx(rows[0]["conserved_energy"], rel=1e-9)


def test_the_key_of_the_thermostat_is_its_own(program, tmp_path):
    section = block("add-a-thermostat", "toml")
    code, output = run(
        program, tmp_path, IDEAL_GAS.format(steps=10) + section + "largest_factor = 1.001\n"
    )
    assert code == 0, output
    first, *_, last = read_log(tmp_path / "fluid.log.jsonl").rows
    assert last["temperature"] == pytest.approx(first["temperature"] * 1.001**-20, rel=1e-9)
    other = section.replace("weak_coupling", "langevin") + "largest_factor = 1.1\n"
    _, output = run(program, tmp_path, IDEAL_GAS.format(steps=0) + other)
    assert (
        '"largest_factor" in [thermostat] has no effect with kind = "langevin"; only with kind = '
        '"weak_coupling"'
    ) in output
    code, output = run(
        program, tmp_path, IDEAL_GAS.format(steps=0) + section.replace("weak_coupling", "berendsen")
    )
    assert code != 0
    assert 'did you mean "weak_coupling"?' in output


def test_the_thermostat_is_on_the_reference_page(program):
    page = reference(program)
    assert "Weak coupling lets the temperature relax exponentially" in page
    assert "| `largest_factor` | number greater than 1 | `1.25` | Only with `kind`" in page


# ---- the integrator

CRYSTAL = """\
[start]
kind = "lattice"
cells = [4, 4, 4]
density = 0.9
[[type]]
name = "A"
[[type]]
name = "B"
sigma = 1.04
[interaction]
cutoff = 2.5
[minimize]
force_tolerance = 1e-4
[output]
thermo_interval = 100
"""


def test_the_integrator_of_the_page_finds_the_minimum(program, tmp_path):
    energies = {}
    for integrator in ("quickmin", "minimize"):
        section = block("add-an-integrator", "toml").replace("quickmin", integrator)
        code, output = run(program, tmp_path, section + "steps = 20000\n" + CRYSTAL)
        assert code == 0, output
        last = read_log(tmp_path / "fluid.log.jsonl").rows[-1]
        assert last["step"] < 20000
        energies[integrator] = last["potential_energy"]
    assert energies["quickmin"] == pytest.approx(energies["minimize"], rel=1e-6)
    assert '"quickmin" goes downhill with velocities along the forces.' in reference(program)


# ---- the reader

FROM_FILE = """\
[run]
name = "fluid"
steps = {steps}
timestep = 0.004
[[type]]
name = "A"
[[type]]
name = "B"
[interaction]
cutoff = 2.5
[output]
thermo_interval = 10
"""


def table(velocities: bool) -> tuple[str, str]:
    """The same particles as comma-separated values and as XYZ."""
    rows = []
    for n in range(343):
        x, y, z = (0.5 + 1.14 * (n // 7**axis % 7) for axis in range(3))
        row = ["AB"[n % 2], f"{x:.3f}", f"{y:.3f}", f"{z:.3f}"]
        if velocities:
            row += [f"{math.sin(n + axis):.4f}" for axis in range(3)]
        rows.append(row)
    columns = "type,x,y,z" + (",vx,vy,vz" if velocities else "")
    return (
        "\n".join([columns, *map(",".join, rows)]) + "\n",
        "\n".join(["343", "the same", *map(" ".join, rows)]) + "\n",
    )


@pytest.mark.parametrize("velocities", [False, True])
@pytest.mark.parametrize("key", ["", 'format = "csv"\n'])
def test_the_reader_of_the_page_reads_what_xyz_says(velocities, key, program, tmp_path):
    start = block("add-a-start-reader", "toml")
    text = FROM_FILE.format(steps=20)
    rows = []
    for name, content in zip(("start.csv", "start.xyz"), table(velocities), strict=True):
        folder = tmp_path / name
        folder.mkdir()
        (folder / name).write_text(content)
        of_file = start.replace("start.csv", name) + (key if name == "start.csv" else "")
        code, output = run(program, folder, text + of_file)
        assert code == 0, output
        rows.append(read_log(folder / "fluid.log.jsonl").rows)
    assert rows[0][0]["temperature"] > 0 if velocities else rows[0][0]["temperature"] == 0
    for row, other in zip(*rows, strict=True):
        for quantity in ("temperature", "potential_energy", "virial"):
            assert row[quantity] == other[quantity]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("\nB,", "\nC,", 'start.csv:3:1: error: unknown particle type "C"'),
        (
            "\nB,1.640",
            "\nB,oops",
            'start.csv:3:3: error: expected the x coordinate, a number; found "oops"',
        ),
        ("type,x", "kind,x", "comma-separated values (a first line `type,x,y,z`)"),
    ],
)
def test_the_errors_of_the_reader_name_the_place(before, after, message, program, tmp_path):
    content, _ = table(False)
    assert before in content
    (tmp_path / "start.csv").write_text(content.replace(before, after, 1))
    text = FROM_FILE.format(steps=0) + block("add-a-start-reader", "toml")
    code, output = run(program, tmp_path, text)
    assert code != 0
    assert message in output


def test_the_format_is_a_choice_of_the_input(program, tmp_path):
    page = reference(program)
    assert '"csv": a table of comma-separated values with the columns type, x, y, z' in page
    text = FROM_FILE.format(steps=0) + block("add-a-start-reader", "toml") + 'format = "pandas"\n'
    code, output = run(program, tmp_path, text)
    assert code != 0
    assert 'did you mean "csv"?' in output
