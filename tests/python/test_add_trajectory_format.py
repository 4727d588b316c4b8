"""The page that adds a trajectory format tells the truth: one file, one row, and inputs can use it."""

import subprocess
from pathlib import Path

import pytest
from added_code import block, program_with, run_with

PAGE = "add-a-trajectory-format"

INPUT = """\
[run]
name = "fluid"
steps = {steps}
timestep = 0.004
[start]
kind = "lattice"
cells = [5, 5, 5]
density = 0.7
temperature = 1.0
[[type]]
name = "A"
[[type]]
name = "B"
[interaction]
cutoff = 2.5
[output]
checkpoint_interval = 20
[lammps_dump]
interval = 10
velocities = true
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    return program_with([PAGE], tmp_path_factory.mktemp("format"))


def run(program: Path, folder: Path, text: str, *options: str) -> tuple[int, str]:
    folder.mkdir(exist_ok=True)
    (folder / "fluid.toml").write_text(text)
    return run_with(program, folder / "fluid.toml", *options)


def frames_of_csv(path: Path) -> list[tuple[int, list[tuple]]]:
    """Step and atoms of each frame."""
    frames = []
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            frames.append((int(line.split()[-1]), []))
        elif not line.startswith("id"):
            number, kind, *rest = line.split(",")
            frames[-1][1].append((int(number), int(kind), *map(float, rest)))
    return frames


def frames_of_dump(path: Path) -> list[tuple[int, list[tuple]]]:
    """The same of LAMMPS's format, whose writer has tests of its own."""
    lines = iter(path.read_text().splitlines())
    frames, columns = [], []
    for line in lines:
        if line.startswith("ITEM: TIMESTEP"):
            frames.append((int(next(lines)), []))
        elif line.startswith("ITEM: ATOMS"):
            columns = line.split()[2:]
        elif columns and not line.startswith("ITEM") and len(line.split()) == len(columns):
            row = dict(zip(columns, line.split(), strict=True))
            position = [row.get(axis, row.get(f"{axis}u")) for axis in "xyz"]
            velocity = [row[f"v{axis}"] for axis in "xyz"]
            values = map(float, [*position, *velocity])
            frames[-1][1].append((int(row["id"]), int(row["type"]), *values))
    return frames


@pytest.mark.parametrize("ranks", ["1", "3"])
def test_frames_are_those_of_another_format(ranks, program, tmp_path):
    text = INPUT.format(steps=40) + block(PAGE, "toml")
    code, output = run(program, tmp_path, text, "-n", ranks)
    assert code == 0, output
    found = frames_of_csv(tmp_path / "fluid.trajectory.csv")
    other = frames_of_dump(next(tmp_path.glob("fluid*.lammpstrj")))
    assert [step for step, _ in found] == [0, 10, 20, 30, 40]
    for (step, atoms), (step_there, atoms_there) in zip(found, other, strict=True):
        assert step == step_there
        assert len(atoms) == 500
        for atom, there in zip(atoms, sorted(atoms_there), strict=True):
            assert atom == pytest.approx(there, rel=1e-5, abs=1e-5)


def test_a_resumed_run_goes_on_with_the_file(program, tmp_path):
    section = block(PAGE, "toml")
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert run(program, whole, INPUT.format(steps=60) + section)[0] == 0
    assert run(program, parts, INPUT.format(steps=30) + section)[0] == 0
    code, output = run(program, parts, INPUT.format(steps=60) + section, "--resume")
    assert code == 0, output
    name = "fluid.trajectory.csv"
    assert (parts / name).read_text() == (whole / name).read_text()


def test_a_file_of_other_columns_is_refused(program, tmp_path):
    section = block(PAGE, "toml")
    assert run(program, tmp_path, INPUT.format(steps=20) + section)[0] == 0
    other = section.replace("velocities = true", "forces = true")
    code, output = run(program, tmp_path, INPUT.format(steps=40) + other, "--resume")
    assert code != 0
    assert "fluid.trajectory.csv" in output


def test_the_section_is_on_the_reference_page(program):
    done = subprocess.run([program, "--reference"], capture_output=True, text=True, check=True)
    assert "## `[csv]`" in done.stdout
