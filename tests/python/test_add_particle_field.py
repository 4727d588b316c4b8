"""The page on particle fields tells the truth: one file, one row, and a force term of an input has a
field of its own, which its particles take along."""

from pathlib import Path

import numpy
import pytest
from added_code import block, program_with, run_with
from sterna import read_log

PAGE = "particle-fields"

# Without forces on each other particles swing around their first places, through many ranks.
INPUT = """\
[run]
name = "gas"
steps = {steps}
timestep = 0.01
[start]
kind = "lattice"
cells = [5, 5, 5]
density = 0.4
temperature = 4.0
[[type]]
name = "A"
epsilon = 0.0
[interaction]
cutoff = 1.0
[neighbor]
maximum_interval = 10
[output]
thermo_interval = 20
checkpoint_interval = 150
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    return program_with([PAGE], tmp_path_factory.mktemp("field"))


def run(program: Path, folder: Path, text: str, *options: str) -> tuple[int, str]:
    (folder / "gas.toml").write_text(text)
    return run_with(program, folder / "gas.toml", *options)


def check_energies(folder: Path, last: int) -> None:
    """All particles begin at their anchors: the energy of the springs goes as sin(sqrt(k/m) t)^2."""
    rows = read_log(folder / "gas.log.jsonl").rows
    assert rows[-1]["step"] == last
    total = rows[0]["total_energy"]
    assert total > 0 and rows[0]["potential_energy"] == 0
    for row in rows:
        swung = total * numpy.sin(numpy.sqrt(0.1) * 0.01 * row["step"]) ** 2
        assert row["potential_energy"] == pytest.approx(swung, abs=1e-4 * total), row["step"]
        assert row["total_energy"] == pytest.approx(total, rel=1e-5)


@pytest.mark.parametrize("ranks", ["1", "2", "5", "9"])
def test_particles_swing_around_the_field_of_the_term(ranks, program, tmp_path):
    text = INPUT.format(steps=900) + block(PAGE, "toml")
    code, output = run(program, tmp_path, text, "-n", ranks)
    assert code == 0, output
    check_energies(tmp_path, 900)


def test_a_run_goes_on_with_the_field_on_other_ranks(program, tmp_path):
    section = block(PAGE, "toml")
    for steps, ranks in ((300, "3"), (600, "1"), (900, "4"), (1200, "2")):
        text = INPUT.format(steps=steps) + section
        code, output = run(program, tmp_path, text, "-n", ranks, "--resume")
        assert code == 0, output
    # The anchors are those of the first step, wherever the run was cut.
    check_energies(tmp_path, 1200)


def test_its_section_is_checked(program, tmp_path):
    code, output = run(program, tmp_path, INPUT.format(steps=1) + "[tether]\nstifness = 1.0\n")
    assert code != 0
    assert 'did you mean "stiffness"?' in output
