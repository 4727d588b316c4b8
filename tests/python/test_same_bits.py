"""The comparison of two builds bit by bit finds what differs, and nothing else."""

import sys

import pytest
from conftest import ROOT
from sterna.launching import launch

sys.path.insert(0, str(ROOT / "tests" / "campaign"))
import same_bits


def test_a_build_is_the_same_as_itself():
    program = launch.find_program()
    example = ROOT / "examples" / "argon.toml"
    assert same_bits.compare(example, program, program, 2, "mixed", 8) == ("same", "")


@pytest.mark.parametrize(("change", "where"), [("seed = 2", "argon.h5md"), ("", "")])
def test_another_trajectory_differs(change, where, tmp_path):
    text = same_bits.short_input((ROOT / "examples/argon.toml").read_text(), 4, "double")
    for name, line in (("before", ""), ("after", change)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "argon.toml").write_text(text.replace("[run]\n", f"[run]\n{line}\n"))
        assert same_bits.run(launch.find_program(), 1, folder, ["argon.toml"]) == ""
    found = same_bits.difference(tmp_path / "before" / "output", tmp_path / "after" / "output")
    assert (where in found) if where else found == ""
