"""The page that adds a bonded term tells the truth: one file, one row, and inputs can use it."""

from pathlib import Path

import numpy
import pytest
from added_code import block, program_with, run_with
from sterna import read_log

pytestmark = pytest.mark.long

PAGE = "add-a-bonded-term"
LENGTHS = numpy.linspace(0.8, 1.9, 27)

INPUT = """\
[run]
name = "pairs"
steps = 400
timestep = 0.0005
precision = "{precision}"
[start]
kind = "file"
file = "pairs.extxyz"
temperature = 1.0
[[type]]
name = "A"
epsilon = 0.0
[[molecule]]
name = "pair"
count = 27
atom = [{{ name = "A1", type = "A" }}, {{ name = "A2", type = "A" }}]
{bond}
[interaction]
cutoff = 1.0
kernel = "{kernel}"
[output]
thermo_interval = 20
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    """A `sterna-md` with the term of the page: whatever includes the list is compiled for it."""
    return program_with([PAGE], tmp_path_factory.mktemp("term"))


def run(program: Path, folder: Path, bond: str, ranks: int = 1, **keys) -> tuple[int, str, list]:
    lines = ["54", 'Lattice="12 0 0 0 12 0 0 0 12" Properties=species:S:1:pos:R:3']
    for n, length in enumerate(LENGTHS.tolist()):
        x, y, z = 4 * (n % 3) + 1, 4 * (n // 3 % 3) + 1, 4 * (n // 9) + 1
        lines += [f"A {x} {y} {z}", f"A {x + 0.6 * length!r} {y + 0.8 * length!r} {z}"]
    (folder / "pairs.extxyz").write_text("\n".join(lines) + "\n")
    (folder / "pairs.toml").write_text(INPUT.format(bond=bond, **keys))
    code, said = run_with(program, folder / "pairs.toml", "--overwrite", "-n", str(ranks))
    log = folder / "pairs.log.jsonl"
    return code, said, read_log(log).rows if log.exists() else []


@pytest.mark.parametrize("precision", ["double", "mixed"])
@pytest.mark.parametrize("kernel", ["auto", "baseline"])
def test_an_input_uses_the_term_of_the_page(precision, kernel, program, tmp_path):
    keys = {"precision": precision, "kernel": kernel}
    code, output, rows = run(program, tmp_path, block(PAGE, "toml"), **keys)
    assert code == 0, output
    depth, alpha, r0 = 100.0, 0.9, 1.1
    energies = depth * (1 - r0 / LENGTHS * numpy.exp(-(alpha**2) * (LENGTHS**2 - r0**2))) ** 2
    assert rows[0]["bonded_varshni_bond_energy"] == pytest.approx(energies.sum(), rel=1e-6)
    # Forces that are not the derivative of the energy would not conserve it.
    total = [row["total_energy"] for row in rows]
    assert numpy.ptp([row["bonded_varshni_bond_energy"] for row in rows]) > 0.1 * energies.sum()
    assert numpy.ptp(total) < 3e-3 * energies.sum()


def test_two_ranks_find_the_same(program, tmp_path):
    keys = {"precision": "double", "kernel": "auto", "bond": block(PAGE, "toml")}
    one, two = (run(program, tmp_path, ranks=ranks, **keys) for ranks in (1, 2))
    assert (one[0], two[0]) == (0, 0), one[1] + two[1]
    for row, other in zip(one[2], two[2], strict=True):
        assert row["bonded_varshni_bond_energy"] == pytest.approx(
            other["bonded_varshni_bond_energy"], rel=1e-9
        )


def test_its_keys_are_checked(program, tmp_path):
    bond = block(PAGE, "toml").replace("depth", "deptth")
    code, output, _ = run(program, tmp_path, bond, precision="double", kernel="auto")
    assert code != 0
    assert "pairs.toml:" in output and "depth" in output
