"""DCD, TRR, dumps of LAMMPS and extended XYZ written while a run lasts, by all ranks, as other programs read them."""

import re
import subprocess
import time

import numpy
import pytest
from conftest import sterna_command, sterna_environment
from sterna import read_log
from sterna.launching.program import find_program
from test_export import READERS, expected_of
from test_xtc import run, write_input
from trajectory_support import run_with_small_files

mdanalysis = pytest.importorskip("MDAnalysis")
mdtraj = pytest.importorskip("mdtraj")
ase_io = pytest.importorskip("ase.io")

#: Sections of the input, and what their files end with.
FORMATS = {"dcd": "dcd", "trr": "trr", "lammps_dump": "lammpstrj", "xyz": "trajectory.xyz"}
VELOCITIES = "velocities = true\n"
MOTION = VELOCITIES + "forces = true\n"


def sections(interval, more=""):
    return "".join(
        f"[{name}]\ninterval = {interval}\n{more if name != 'dcd' else ''}" for name in FORMATS
    )


def difference(found, expected):
    """Of places, whichever image of the box they are in."""
    apart = found - expected.position
    return apart - numpy.rint(apart @ numpy.linalg.inv(expected.edges)) @ expected.edges


def reader_of(suffix):
    """That of exports."""
    return READERS["extxyz" if suffix.endswith("xyz") else suffix]


def read_file(path, frame):
    found = reader_of(path.suffix[1:]).read(path, frame)
    if path.suffix == ".xyz":
        atoms = ase_io.read(path, frame)
        if "mixture" not in path.name:
            # 1 kJ/mol is 0.0103643 eV (CODATA 2018).
            found.energy = atoms.get_potential_energy() / 0.01036426966
            if atoms.calc.results.get("forces") is not None:
                found.force = atoms.get_forces() / 0.001036426966
        elif "forces" in atoms.calc.results:
            found.force = atoms.get_forces()
    return found


def read_log_of(folder, name):
    return read_log(folder / f"{name}.log.jsonl").rows


def per_kj(name, energy):
    """Energies of the log in kJ/mol."""
    return 4.184 * energy if name == "butane" else energy


@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("name", ["water", "butane", "mixture"])
def test_other_programs_find_the_numbers_of_the_run(tmp_path, name, ranks):
    interval = {"water": 4, "butane": 10, "mixture": 2}[name]
    write_input(tmp_path, name, sections(interval, VELOCITIES if name == "water" else MOTION))
    done = run(tmp_path, f"{name}.toml", "-n", ranks)
    assert done.returncode == 0, done.stdout + done.stderr
    energies = {row["step"]: row["potential_energy"] for row in read_log_of(tmp_path, name)}
    for frame in (0, 2):
        expected = expected_of(tmp_path, name, frame)
        for suffix in FORMATS.values():
            reader = reader_of(suffix)
            found = read_file(tmp_path / f"{name}.{suffix}", frame)
            scale = reader.per_reduced if name == "mixture" else 1.0
            assert found.frames == {"water": 4, "butane": 3, "mixture": 5}[name]
            assert numpy.allclose(found.edges, scale * expected.edges, atol=1e-6)
            found.position /= scale
            assert found.position.shape == expected.position.shape
            assert abs(difference(found.position, expected)).max() < reader.tolerance
            assert found.step in (None, expected.step)
            if suffix == "trr":
                assert found.time == pytest.approx(expected.time, rel=1e-6)
            if suffix == "dcd" and name != "mixture":  # whose times are in no unit
                assert found.time == pytest.approx(expected.time, rel=1e-5)
            if name != "mixture" and suffix != "dcd":
                assert numpy.allclose(found.velocity, expected.velocity, rtol=1e-5, atol=1e-6)
            if name == "butane" and suffix != "dcd":
                assert numpy.allclose(found.force, expected.force, rtol=1e-5, atol=1e-3)
            if name == "water" or suffix == "dcd":
                assert found.force is None
            if suffix == "dcd":
                assert found.velocity is None
            if suffix.endswith("xyz") and name != "mixture":
                assert found.energy == pytest.approx(
                    per_kj(name, energies[expected.step]), rel=1e-8
                )
                assert found.time == pytest.approx(expected.time, rel=1e-12)
                assert (found.names, found.elements) == (expected.names, expected.elements)
                assert numpy.allclose(found.charges, expected.charges)


def bytes_of(path):
    """Without the last digits of energies, which depend on the order of their sum."""
    found = path.read_bytes()
    if path.suffix == ".xyz":
        found, count = re.subn(rb"energy=(\S{12})\S*", rb"\1", found)
        assert count > 0
    return found


def test_ranks_write_the_same_bytes_of_the_start(tmp_path):
    found = []
    for ranks in (1, 2, 5):
        folder = tmp_path / str(ranks)
        folder.mkdir()
        write_input(folder, "water", sections(100))
        done = run(folder, "water.toml", "-n", ranks)
        assert done.returncode == 0, done.stdout + done.stderr
        found.append([bytes_of(folder / f"water.{suffix}") for suffix in FORMATS.values()])
    assert found[0] == found[1] == found[2]


def test_the_atoms_are_named_as_in_exported_files(tmp_path):
    """Two models of water and a mixture of single sites, whose types and names both ways tell."""
    write_input(tmp_path, "water", sections(4, VELOCITIES))
    text = (tmp_path / "water.toml").read_text()
    both = '[[component]]\nname = "other"\nmodel = "tip4p_2005"\n[[component]]\nname = "argon"\nmodel = "argon"\n'
    text = text.replace("[interaction]", both + "[interaction]")
    (tmp_path / "water.toml").write_text(text)
    start = (tmp_path / "water_start.extxyz").read_text().splitlines()
    for n, name in ((5, "other"), (9, "argon"), (20, "other")):
        start[n] = start[n].replace("H2O", name)
    (tmp_path / "water_start.extxyz").write_text("\n".join(start) + "\n")
    done = run(tmp_path, "water.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    exported = subprocess.run(
        sterna_command("export", "water.toml", "exported.extxyz"), cwd=tmp_path,
        env=sterna_environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert exported.returncode == 0, exported.stderr
    found, expected = (
        ase_io.read(tmp_path / name, ":") for name in ("water.trajectory.xyz", "exported.extxyz")
    )
    assert len(found) == len(expected) == 4
    for one, other in zip(found, expected, strict=True):
        assert numpy.allclose(one.positions @ one.cell.reciprocal().T % 1.0 % 1.0,
                              other.positions @ other.cell.reciprocal().T % 1.0 % 1.0,
                              atol=1e-9)  # fmt: skip
        for key in ("name", "kind", "molecule", "initial_charges", "numbers"):
            assert one.arrays[key].tolist() == other.arrays[key].tolist(), key
        assert numpy.allclose(one.arrays["velo"], other.arrays["velo"], rtol=1e-9, atol=1e-12)
    assert {"H2O:O", "other:O", "argon"} < set(found[0].arrays["kind"].tolist())


def test_frames_of_groups(tmp_path):
    group = '[[group]]\nname = "ends"\nselect = "name C1 C4 and resid 3:9"\n'
    write_input(tmp_path, "butane", group + sections(10, MOTION + 'groups = ["ends"]\n'))
    text = (tmp_path / "butane.toml").read_text()
    (tmp_path / "butane.toml").write_text(
        text.replace("[dcd]\ninterval = 10\n", '[dcd]\ninterval = 10\ngroups = ["ends"]\n')
    )
    done = run(tmp_path, "butane.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    chosen = numpy.array([4 * m + k for m in range(2, 9) for k in (0, 3)])
    expected = expected_of(tmp_path, "butane", 1)
    expected.position = expected.position[chosen]
    with mdtraj.formats.DCDTrajectoryFile(str(tmp_path / "butane.dcd")) as file:
        assert abs(difference(file.read()[0][1] / 10, expected)).max() < 2e-6
    with mdtraj.formats.TRRTrajectoryFile(str(tmp_path / "butane.trr")) as file:
        assert abs(difference(file.read()[0][1], expected)).max() < 2e-6
    universe = mdanalysis.Universe(str(tmp_path / "butane.lammpstrj"), format="LAMMPSDUMP",
                                   topology_format="LAMMPSDUMP")  # fmt: skip
    universe.trajectory[1]
    assert universe.atoms.ids.tolist() == (chosen + 1).tolist()
    assert abs(difference(universe.atoms.positions / 10, expected)).max() < 2e-6
    atoms = ase_io.read(tmp_path / "butane.trajectory.xyz", 1)
    assert atoms.arrays["molecule"].tolist() == [m + 1 for m in range(2, 9) for _ in range(2)]
    assert set(atoms.arrays["name"]) == {"C1", "C4"} and set(atoms.arrays["kind"]) == {"CH3"}
    assert abs(difference(atoms.positions / 10, expected)).max() < 1e-9


def test_a_resumed_run_goes_on_in_the_files(tmp_path):
    whole, halves = tmp_path / "whole", tmp_path / "halves"
    keys = "checkpoint_interval = 4\n" + sections(2)
    for folder in (whole, halves):
        folder.mkdir()
        write_input(folder, "mixture", keys)
    assert run(whole, "mixture.toml", "-n", 2).returncode == 0
    text = (halves / "mixture.toml").read_text()
    (halves / "mixture.toml").write_text(text.replace("steps = 8", "steps = 4"))
    assert run(halves, "mixture.toml", "-n", 2).returncode == 0
    early = {suffix: bytes_of(halves / f"mixture.{suffix}") for suffix in FORMATS.values()}
    # A frame that was being written has no head yet.
    for suffix in FORMATS.values():
        with (halves / f"mixture.{suffix}").open("ab") as file:
            file.write(bytes(5000))
    (halves / "mixture.toml").write_text(text)
    done = run(halves, "mixture.toml", "-n", 2, "--resume")
    assert done.returncode == 0, done.stdout + done.stderr
    for suffix in FORMATS.values():
        found = bytes_of(halves / f"mixture.{suffix}")
        assert found == bytes_of(whole / f"mixture.{suffix}")
        assert len(found) > len(early[suffix])
    # What the run cannot go on with is told before anything is changed.
    later = text.replace("steps = 8", "steps = 12")
    for section, suffix in FORMATS.items():
        path = halves / f"mixture.{suffix}"
        kept = path.read_bytes()
        path.write_bytes(b"no trajectory" * 40)
        (halves / "mixture.toml").write_text(later)
        done = run(halves, "mixture.toml", "-n", 2, "--resume")
        assert done.returncode != 0
        assert f"mixture.{suffix}: " in done.stderr and "move it away" in done.stderr, section
        path.write_bytes(kept)
    (halves / "mixture.toml").write_text(
        later.replace("[dcd]\ninterval = 2", "[dcd]\ninterval = 4")
    )
    done = run(halves, "mixture.toml", "-n", 2, "--resume")
    assert done.returncode != 0
    assert "dcd.interval: 2 in the checkpoint, now 4" in done.stderr


@pytest.mark.parametrize("section", FORMATS)
def test_a_full_disk_leaves_the_earlier_frames(tmp_path, section):
    write_input(tmp_path, "mixture", f"thermo_interval = 1000\n[{section}]\ninterval = 1\n")
    text = (tmp_path / "mixture.toml").read_text().replace("steps = 8", "steps = 2000")
    text = text.replace("trajectory_interval = 2", "trajectory_interval = 0")
    (tmp_path / "mixture.toml").write_text(text.replace("cells = [3, 3, 3]", "cells = [8, 8, 8]"))
    most = 2_000_000
    done = run_with_small_files(tmp_path, "mixture.toml", most)
    assert done.returncode != 0
    name = f"mixture.{FORMATS[section]}"
    assert f"{name}: cannot write" in done.stderr and "File too large" in done.stderr
    path = tmp_path / name
    assert frames_of(path) > 10
    assert path.stat().st_size < most


def frames_of(path):
    """How many another program reads to their ends."""
    if path.suffix == ".lammpstrj":
        universe = mdanalysis.Universe(str(path), format="LAMMPSDUMP", topology_format="LAMMPSDUMP")
    elif path.suffix == ".xyz":
        return len(ase_io.read(path, ":"))
    else:
        universe = mdanalysis.Universe.empty(2048, trajectory=True).load_new(str(path))
    edge = None
    for ts in universe.trajectory:
        edge = edge or ts.dimensions[0]
        assert ts.positions.shape == (2048, 3)
        assert ts.positions.min() >= -1e-3 and ts.positions.max() <= edge * 1.001
    return len(universe.trajectory)


@pytest.mark.parametrize("keys", ["xtc_interval = 1\n", "[dcd]\ninterval = 1\n", sections(1)])
def test_what_will_fill_the_disk_is_told(tmp_path, keys):
    write_input(tmp_path, "mixture", keys)
    text = (tmp_path / "mixture.toml").read_text().replace("steps = 8", "steps = 100000000")
    text = text.replace("trajectory_interval = 2", "trajectory_interval = 0")
    (tmp_path / "mixture.toml").write_text(text)
    done = subprocess.run(
        [find_program(), "--check", "mixture.toml"], cwd=tmp_path, env=sterna_environment(),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = "the trajectories will take" if keys == sections(1) else "the trajectory will take"
    assert told in done.stdout + done.stderr


def test_a_killed_run_leaves_files_that_can_be_read(tmp_path):
    write_input(tmp_path, "mixture", "thermo_interval = 1000\n" + sections(5))
    text = (tmp_path / "mixture.toml").read_text().replace("steps = 8", "steps = 100000")
    text = text.replace("trajectory_interval = 2", "trajectory_interval = 0")
    (tmp_path / "mixture.toml").write_text(text.replace("cells = [3, 3, 3]", "cells = [8, 8, 8]"))
    with subprocess.Popen(
        [find_program(), "mixture.toml"], cwd=tmp_path, env=sterna_environment(),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as program:  # fmt: skip
        path = tmp_path / "mixture.lammpstrj"
        while not path.exists() or path.stat().st_size < 2_000_000:
            assert program.poll() is None
            time.sleep(0.05)
        program.kill()
    # The last frame may be there in part: a run that goes on, or a reader, leaves it out.
    for suffix in ("dcd", "trr"):
        path = tmp_path / f"mixture.{suffix}"
        whole = path.stat().st_size
        with path.open("rb+") as file:
            file.truncate(whole - 100)
        assert frames_of(path) > 5


@pytest.mark.parametrize(
    ("name", "keys", "message"),
    [
        ("mixture", "[dcd]\ninterval = -1\n", "[dcd]"),
        ("mixture", "[dcd]\n", '[dcd] lacks the key "interval"'),
        ("mixture", "[trr]\ninterval = 2\nvelocitys = true\n", 'did you mean "velocities"'),
        ("mixture", "[lammpstrj]\ninterval = 2\n", "did you mean [lammps_dump]"),
        ("mixture", '[trr]\ninterval = 2\ngroups = ["none"]\n', "none"),
        ("mixture", "[extxyz]\ninterval = 2\n", "did you mean [xyz]"),
        ("water", "[trr]\ninterval = 2\nforces = true\n", "no site has a force of its own"),
        ("water", "[lammps_dump]\ninterval = 2\nforces = true\n", "no site has a force of its own"),
        ("water", "[xyz]\ninterval = 2\nforces = true\n", "no site has a force of its own"),
    ],
)
def test_wrong_keys_are_told(tmp_path, name, keys, message):
    write_input(tmp_path, name, keys)
    done = run(tmp_path, f"{name}.toml")
    assert done.returncode == 2 and message in done.stderr, done.stderr


def test_a_group_that_changes_is_refused(tmp_path):
    write_input(
        tmp_path, "butane",
        '[[group]]\nname = "left"\nselect = "prop x < 5"\n[dcd]\ninterval = 10\ngroups = ["left"]\n',
    )  # fmt: skip
    done = run(tmp_path, "butane.toml")
    assert done.returncode == 2 and "another one in each frame" in done.stderr, done.stderr
