"""The page that adds a pair potential tells the truth: one file, one row, and inputs can use it."""

from pathlib import Path

import pytest
from added_code import block, program_with, run_with
from sterna import read_log

pytestmark = pytest.mark.long

PAGE = "add-a-pair-potential"

INPUT = """\
[run]
name = "{name}"
steps = 20
timestep = 0.002
precision = "{precision}"
[start]
kind = "lattice"
cells = [5, 5, 5]
density = 0.8
temperature = 1.0
[[type]]
name = "A"
[interaction]
cutoff = 2.5
truncation = "shifted"
kernel = "{kernel}"
[output]
thermo_interval = 10
{pair}"""


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    """A `sterna-md` with the potential of the page: whatever includes the list is compiled anew."""
    return program_with([PAGE], tmp_path_factory.mktemp("potential"))


def run(program: Path, folder: Path, pair: str, **keys) -> tuple[int, str, list]:
    name = f"run_{len(list(folder.iterdir()))}"
    (folder / f"{name}.toml").write_text(INPUT.format(name=name, pair=pair, **keys))
    code, said = run_with(program, folder / f"{name}.toml")
    log = folder / f"{name}.log.jsonl"
    return code, said, read_log(log).rows if log.exists() else []


@pytest.mark.parametrize("precision", ["double", "mixed"])
@pytest.mark.parametrize("kernel", ["auto", "baseline"])
def test_an_input_uses_the_potential_of_the_page(precision, kernel, program, tmp_path):
    keys = {"precision": precision, "kernel": kernel}
    pair = block(PAGE, "toml")
    code, output, rows = run(program, tmp_path, pair, **keys)
    assert code == 0, output
    assert "born_mayer_energy" in rows[-1]
    # Buckingham's potential without dispersion is the same.
    code, output, same = run(program, tmp_path, pair.replace("born_mayer", "buckingham"), **keys)
    assert code == 0, output
    for row, other in zip(rows, same, strict=True):
        for key in ("potential_energy", "virial", "temperature"):
            assert row[key] == pytest.approx(
                other[key], rel=1e-11 if precision == "double" else 1e-5
            )


def test_unlike_types_mix_by_the_rule_of_the_page(program, tmp_path):
    keys = {"precision": "double", "kernel": "auto"}
    other = "[[type]]\nname = 'B'\n"
    like = block(PAGE, "toml").replace('"A"', '"B"').replace("2000.0", "1280.0")
    like = like.replace("0.15", "0.17")
    two = other + block(PAGE, "toml") + like
    unlike = block(PAGE, "toml").replace('second = "A"', 'second = "B"')
    unlike = unlike.replace("2000.0", "1600.0").replace("0.15", "0.16")
    code, output, rows = run(program, tmp_path, two, **keys)
    assert code == 0, output
    code, output, given = run(program, tmp_path, two + unlike, **keys)
    assert code == 0, output
    assert "lennard_jones_energy" not in rows[-1]
    for row, same in zip(rows, given, strict=True):
        for key in ("potential_energy", "virial", "temperature"):
            assert row[key] == pytest.approx(same[key], rel=1e-11)


def test_its_keys_are_checked(program, tmp_path):
    keys = {"precision": "double", "kernel": "auto"}
    code, output, _ = run(program, tmp_path, block(PAGE, "toml").replace("rho", "rhoo"), **keys)
    assert code != 0
    assert 'did you mean "rho"?' in output
    pair = block(PAGE, "toml").replace("rho = 0.15", "depth = 1.0")
    code, output, _ = run(program, tmp_path, pair, **keys)
    assert code != 0
    assert '[[pair]] lacks the key "rho", required with potential = "born_mayer"' in output
    assert '"depth" in [[pair]] has no meaning with potential = "born_mayer"' in output
