"""The page that adds an observer of neighbors tells the truth: one file, one row, and each particle
of a crystal has the neighbors that geometry gives it, on any number of ranks."""

from pathlib import Path

import pytest
from added_code import block, program_with, run_with

PAGE = "add-an-observer-of-neighbors"

# A face-centered cubic crystal at rest: an edge of 1.587, neighbors at 1.122, 1.587 and 1.944.
INPUT = """\
[run]
name = "crystal"
steps = 20
timestep = 0.001
[start]
kind = "lattice"
cells = [5, 5, 5]
density = 1.0
[[type]]
name = "A"
[interaction]
cutoff = 2.5
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    return program_with([PAGE], tmp_path_factory.mktemp("observer"))


def run(program: Path, folder: Path, text: str, *options: str) -> tuple[int, str]:
    (folder / "crystal.toml").write_text(text)
    return run_with(program, folder / "crystal.toml", *options)


def counts(folder: Path) -> dict[int, float]:
    """Particles by the number of their neighbors, without those numbers that no particle has."""
    lines = (folder / "crystal.neighbor_counts.txt").read_text().splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    return {int(n): float(particles) for n, particles in rows if float(particles) > 0.0}


@pytest.mark.parametrize("ranks", ["1", "2", "3", "4"])
@pytest.mark.parametrize(("distance", "neighbors"), [(1.3, 12), (1.7, 18), (2.1, 42)])
def test_each_particle_of_a_crystal_has_its_shells(distance, neighbors, ranks, program, tmp_path):
    section = block(PAGE, "toml").replace("1.3", str(distance))
    code, output = run(program, tmp_path, INPUT + section, "-n", ranks)
    assert code == 0, output
    assert counts(tmp_path) == {neighbors: 500.0}


def test_its_section_is_checked(program, tmp_path):
    section = block(PAGE, "toml").replace("1.3", "2.6")
    code, output = run(program, tmp_path, INPUT + section)
    assert code != 0
    assert "crystal.toml:15:12: error:" in output
    assert "pairs are known up to the cutoff only, which is 2.5" in output
