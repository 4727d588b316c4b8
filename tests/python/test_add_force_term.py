"""The page that adds a force term tells the truth: one file, one row, and inputs can use it."""

import math
import subprocess
from pathlib import Path

import pytest
from added_code import block, program_with, run_with
from sterna import read_log

PAGE = "add-a-force-term"

# Particles without forces on each other, at rest in the middle of a box of 50.
INPUT = """\
[run]
name = "cloud"
steps = 600
timestep = 0.005
[start]
kind = "random"
particles = 500
density = 0.004
{temperature}[[type]]
name = "A"
epsilon = 0.0
[interaction]
cutoff = 1.0
[output]
thermo_interval = 20
checkpoint_interval = 300
"""
TRAP = "[trap]\nstiffness = 0.5\ncenter = [25.0, 25.0, 25.0]\n"


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    return program_with([PAGE], tmp_path_factory.mktemp("term"))


def run(program: Path, folder: Path, text: str, *options: str) -> tuple[int, str]:
    (folder / "cloud.toml").write_text(text)
    return run_with(program, folder / "cloud.toml", *options)


@pytest.mark.parametrize("ranks", ["1", "3"])
def test_trapped_particles_oscillate(ranks, program, tmp_path):
    code, output = run(program, tmp_path, INPUT.format(temperature="") + TRAP, "-n", ranks)
    assert code == 0, output
    rows = read_log(tmp_path / "cloud.log.jsonl").rows
    first = rows[0]["potential_energy"]
    assert first > 0
    for row in rows:
        # All begin at rest, so each goes as cos(sqrt(k/m) t).
        expected = first * math.cos(math.sqrt(0.5) * 0.005 * row["step"]) ** 2
        assert row["potential_energy"] == pytest.approx(expected, abs=2e-5 * first)
        assert row["total_energy"] == pytest.approx(first, rel=1e-5)


def test_the_momentum_is_not_conserved(program, tmp_path):
    text = INPUT.format(temperature="temperature = 1.0\n")
    degrees = {}
    for name, section in (("free", ""), ("trapped", TRAP)):
        folder = tmp_path / name
        folder.mkdir()
        code, output = run(program, folder, text + section)
        assert code == 0, output
        row = read_log(folder / "cloud.log.jsonl").rows[-1]
        degrees[name] = 2 * row["kinetic_energy"] / row["temperature"]
    assert degrees["free"] == pytest.approx(3 * 499, rel=1e-9)
    assert degrees["trapped"] == pytest.approx(3 * 500, rel=1e-9)


def test_the_section_is_checked(program, tmp_path):
    text = INPUT.format(temperature="")
    code, output = run(program, tmp_path, text + "[trap]\nstifness = 1.0\n")
    assert code != 0
    assert 'did you mean "stiffness"?' in output
    code, output = run(program, tmp_path, text + "[trapp]\nstiffness = 1.0\n")
    assert code != 0
    assert "did you mean [trap]?" in output
    barostat = (
        '[barostat]\nkind = "stochastic_cell_rescaling"\npressure = 1.0\ntime_constant = 5.0\n'
    )
    code, output = run(program, tmp_path, text + TRAP + barostat)
    assert code != 0
    assert "[trap] has a fixed place, but a [barostat] changes the box" in output


def test_the_section_is_on_the_reference_page(program):
    done = subprocess.run([program, "--reference"], capture_output=True, text=True, check=True)
    assert "## `[trap]`" in done.stdout
    assert block(PAGE, "toml").startswith("[trap]")
