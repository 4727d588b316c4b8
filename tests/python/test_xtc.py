"""XTC written while a run lasts, by all ranks, as MDAnalysis and MDTraj read it."""

import subprocess

import h5py
import numpy
import pytest
from conftest import sterna_command, sterna_environment
from sterna.frames.trajectory import Trajectory
from trajectory_support import (
    BUTANE,
    EDGES,
    MIXTURE,
    WATER,
    lattice_points,
    run_with_small_files,
    start_of,
)

mdanalysis = pytest.importorskip("MDAnalysis")
mdtraj = pytest.importorskip("mdtraj")


def run(folder, *arguments):
    return subprocess.run(
        sterna_command("run", *map(str, arguments)), cwd=folder, env=sterna_environment(),
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def read_xtc(path):
    """Positions, times, steps, boxes; both programs find the same."""
    with mdtraj.formats.XTCTrajectoryFile(str(path)) as file:
        positions, times, steps, boxes = file.read()
    universe = mdanalysis.Universe.empty(positions.shape[1], trajectory=True)
    universe.load_new(str(path))
    assert len(universe.trajectory) == len(positions)
    for n, ts in enumerate(universe.trajectory):
        assert numpy.allclose(ts.positions / 10, positions[n], atol=1e-4 + 1e-6 * positions.max())
        assert ts.data["step"] == steps[n]
        assert ts.time == pytest.approx(float(times[n]))
        edges = mdanalysis.lib.mdamath.triclinic_vectors(ts.dimensions) / 10
        assert numpy.allclose(edges, boxes[n], atol=1e-4)
    return positions, times, steps, boxes


def write_input(folder, name, more):
    (folder / "water_start.extxyz").write_text(
        start_of(lattice_points(64, EDGES), EDGES, ["H2O"] * 64)
    )
    (folder / "butane_start.extxyz").write_text(
        start_of(
            (
                lattice_points(20, numpy.diag([20.0, 21.0, 22.0]))[:, None]
                + [[0, 0, 0], [1.26, 0.885, 0], [2.52, 0, 0], [3.78, 0.885, 0]]
            ).reshape(-1, 3),
            numpy.diag([20.0, 21.0, 22.0]),
            ["CH3", "CH2", "CH2", "CH3"] * 20,
        )
    )
    text = {"water": WATER, "butane": BUTANE, "mixture": MIXTURE}[name]
    (folder / f"{name}.toml").write_text(text + more)


@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("name", ["water", "butane", "mixture"])
def test_frames_are_those_of_the_other_trajectory(tmp_path, name, ranks):
    interval = {"water": 4, "butane": 10, "mixture": 2}[name]
    write_input(tmp_path, name, f"xtc_interval = {interval}\n")
    done = run(tmp_path, f"{name}.toml", "-n", ranks)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{name}.xtc" in done.stdout
    positions, times, steps, boxes = read_xtc(tmp_path / f"{name}.xtc")
    trajectory = Trajectory(tmp_path / f"{name}.h5md")
    atoms = trajectory.atoms()
    assert positions.shape == (len(trajectory), len(atoms), 3)
    for n, frame in enumerate(trajectory):
        at = atoms.at(frame)
        assert (steps[n], times[n]) == (frame.step, pytest.approx(frame.time))
        assert numpy.allclose(boxes[n], at.edges, rtol=1e-6)
        difference = positions[n] - at.position
        if name == "butane":  # whole there, in the box here
            difference -= numpy.rint(difference @ numpy.linalg.inv(at.edges)) @ at.edges
        assert abs(difference).max() <= 0.0005 * (1 + 1e-3) + 1e-6
        assert abs(difference).max() > 0.0003  # it is rounded


def test_ranks_write_the_same_atoms(tmp_path):
    found = []
    for ranks in (1, 2, 5):
        folder = tmp_path / str(ranks)
        folder.mkdir()
        write_input(folder, "water", "xtc_interval = 12\nxtc_rounding = 1e-4\n")
        done = run(folder, "water.toml", "-n", ranks)
        assert done.returncode == 0, done.stdout + done.stderr
        found.append(read_xtc(folder / "water.xtc")[0])
    # The start is the same to the last digit, later steps to what rounding brings.
    assert numpy.array_equal(found[0][0], found[1][0])
    assert numpy.array_equal(found[0][0], found[2][0])
    assert abs(found[0] - found[2]).max() < 3e-4


def test_few_atoms_are_plain_numbers(tmp_path):
    write_input(tmp_path, "mixture", "xtc_interval = 4\n")
    text = (tmp_path / "mixture.toml").read_text()
    text = text.replace("cells = [3, 3, 3]", "cells = [1, 1, 2]").replace(
        "cutoff = 2.0", "cutoff = 0.7"
    )
    (tmp_path / "mixture.toml").write_text(text.replace("density = 0.7", "density = 0.05"))
    done = run(tmp_path, "mixture.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    positions, _, steps, _ = read_xtc(tmp_path / "mixture.xtc")
    assert positions.shape == (3, 8, 3) and steps.tolist() == [0, 4, 8]
    with h5py.File(tmp_path / "mixture.h5md") as file:
        expected = file["particles/trajectory/position/value"][::2]
    assert numpy.allclose(positions, expected, atol=6e-4)


def test_a_resumed_run_goes_on_in_the_file(tmp_path):
    whole, halves = tmp_path / "whole", tmp_path / "halves"
    for folder in (whole, halves):
        folder.mkdir()
        write_input(folder, "mixture", "xtc_interval = 2\ncheckpoint_interval = 4\n")
    assert run(whole, "mixture.toml", "-n", 2).returncode == 0
    text = (halves / "mixture.toml").read_text()
    (halves / "mixture.toml").write_text(text.replace("steps = 8", "steps = 4"))
    assert run(halves, "mixture.toml", "-n", 2).returncode == 0
    # A frame that was being written has no head yet.
    with (halves / "mixture.xtc").open("ab") as file:
        file.write(bytes(300))
    (halves / "mixture.toml").write_text(text)
    done = run(halves, "mixture.toml", "-n", 2, "--resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (halves / "mixture.xtc").read_bytes() == (whole / "mixture.xtc").read_bytes()
    (halves / "mixture.xtc").write_bytes(b"no trajectory" * 20)
    (halves / "mixture.toml").write_text(text.replace("steps = 8", "steps = 12"))
    done = run(halves, "mixture.toml", "-n", 2, "--resume")
    assert done.returncode != 0
    assert "begins no frame of an XTC file" in done.stderr


def test_a_full_disk_leaves_the_earlier_frames(tmp_path):
    write_input(tmp_path, "mixture", "xtc_interval = 1\n")
    text = (tmp_path / "mixture.toml").read_text().replace("steps = 8", "steps = 2000")
    text = text.replace("trajectory_interval = 2", "trajectory_interval = 0")
    text = text.replace("cells = [3, 3, 3]", "cells = [8, 8, 8]")
    (tmp_path / "mixture.toml").write_text(text + "thermo_interval = 1000\n")
    done = run_with_small_files(tmp_path, "mixture.toml", 400_000)
    assert done.returncode != 0
    assert "mixture.xtc: cannot write" in done.stderr and "File too large" in done.stderr
    positions = read_xtc(tmp_path / "mixture.xtc")[0]
    assert len(positions) > 10


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("xtc_interval = -1\n", "xtc_interval"),
        ("xtc_interval = 2\nxtc_rounding = 0\n", "xtc_rounding"),
    ],
)
def test_wrong_keys_are_told(tmp_path, keys, message):
    write_input(tmp_path, "mixture", keys)
    done = run(tmp_path, "mixture.toml")
    assert done.returncode == 2 and message in done.stderr


def test_a_topology_and_the_frames_go_together(tmp_path):
    """As the manual says: the topology from `sterna export`, the frames of the run itself."""
    write_input(tmp_path, "water", "xtc_interval = 4\n")
    assert run(tmp_path, "water.toml").returncode == 0
    subprocess.run(
        sterna_command("export", "water", "water.gro"), cwd=tmp_path, env=sterna_environment(),
        check=True, capture_output=True,
    )  # fmt: skip
    universe = mdanalysis.Universe(str(tmp_path / "water.gro"), str(tmp_path / "water.xtc"))
    lengths = universe.select_atoms("name O").positions - universe.select_atoms("name H1").positions
    assert numpy.allclose(numpy.linalg.norm(lengths, axis=1), 1.0, atol=0.02)
