"""What a run reads it never overwrites, and what it writes is no other file."""

import os
import shutil

import h5py
import pytest
from conftest import ROOT
from sterna import Input, Simulation, SternaError
from sterna.frames.trajectory import Trajectory
from test_lifecycle import contents, edit
from test_modylas import DEFINITION, PLACES, coordinates, force_field, write

START = """[run]
steps = 20
timestep = 0.002
[start]
kind = "file"
file = "{file}"
[[type]]
name = "LJ"
[interaction]
cutoff = 2.5
[output]
trajectory_interval = 10
"""


@pytest.fixture
def next_run(sterna, melt, tmp_path):
    """An input whose start is the end of another run, under a name that its own trajectory has."""
    melt(steps=20, thermo=10, trajectory=10)
    assert sterna("run", "melt.toml", "-n", 1).returncode == 0
    (tmp_path / "melt.h5md").rename(tmp_path / "next.h5md")
    path = tmp_path / "next.toml"
    path.write_text(START.format(file="next.h5md"))
    return path


@pytest.mark.parametrize("options", [[], ["--overwrite"], ["--resume"]])
def test_a_run_does_not_destroy_its_start_file(options, sterna, next_run, tmp_path):
    before = contents(tmp_path)
    done = sterna("run", "next.toml", "-n", 2, *options)
    assert done.returncode == 2, done.stderr
    assert "next.toml:6:" in done.stderr
    assert 'the run reads the file "next.h5md"' in done.stderr
    assert 'another "name" in [run]' in done.stderr
    assert contents(tmp_path) == before
    checked = sterna("check", "next.toml")
    assert checked.returncode == 2
    assert 'the run reads the file "next.h5md"' in checked.stdout


@pytest.mark.parametrize(
    ("output", "link"),
    [
        ("next.h5md", "hard"),
        ("next.h5md", "soft"),
        ("next.checkpoint", "hard"),
        ("next.checkpoint.new", "soft"),
        ("next.lock", "soft"),
        ("next.rdf.txt", "hard"),
        ("next.export.xtc", "hard"),
        ("next.export.in", "hard"),
        ("next.report.html", "soft"),
    ],
)
def test_links_to_what_is_read_are_found(output, link, sterna, next_run, tmp_path):
    (tmp_path / "next.h5md").rename(tmp_path / "start.h5md")
    next_run.write_text(START.format(file="start.h5md"))
    if link == "hard":
        os.link(tmp_path / "start.h5md", tmp_path / output)
    else:
        (tmp_path / output).symlink_to("start.h5md")
    before = contents(tmp_path)
    done = sterna("run", "next.toml", "-n", 1, "--overwrite")
    assert done.returncode == 2, done.stderr
    assert f'"{output}" is one of its own files' in done.stderr
    assert contents(tmp_path) == before
    assert (tmp_path / output).is_symlink() == (link == "soft")


@pytest.mark.parametrize(
    ("name", "sections"),
    [
        (
            "a.log.jsonl",
            '[[pair]]\nfirst = "A"\nsecond = "A"\npotential = "tabulated"\ntable = "{}"\n',
        ),
        ("a.trr", '[[restraint]]\nstiffness = 1\nreference_file = "{}"\n'),
    ],
)
def test_tables_and_references_are_read_files_too(name, sections, sterna, melt, tmp_path):
    path = melt(steps=20)
    edit(path, ('name = "LJ"', 'name = "A"'), ('name = "melt"', 'name = "a"'))
    table = [f"{r} {1 / r**12} {12 / r**13}" for r in (0.1 * n for n in range(5, 40))]
    (tmp_path / name).write_text("\n".join(table) + "\n")
    path.write_text(path.read_text() + sections.format(name))
    before = contents(tmp_path)
    done = sterna("run", "melt.toml", "-n", 1, "--overwrite")
    assert done.returncode == 2, done.stderr
    assert f'the run reads the file "{name}"' in done.stderr
    assert contents(tmp_path) == before


def test_an_input_is_not_among_the_files_of_its_run(sterna, melt, tmp_path):
    path = melt(steps=20).rename(tmp_path / "melt.bib")
    text = path.read_text()
    done = sterna("run", "melt.bib", "-n", 1, "--overwrite")
    assert done.returncode == 2
    assert 'the run reads its input "melt.bib"' in done.stderr
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("name", "read", "output", "link"),
    [
        ("ascii", "atoms.inp", "ascii.h5md", "hard"),
        ("ascii", "components.xml", "ascii.checkpoint", "soft"),
        ("binary", "atoms.header.xml", "binary.log.jsonl", "hard"),
        ("grid", "components.xml", "grid.lock", "soft"),
    ],
)
def test_files_that_an_input_of_ls1_includes_are_read_files(
    name, read, output, link, sterna, tmp_path
):
    for file in (ROOT / "tests" / "data" / "ls1").iterdir():
        shutil.copy(file, tmp_path)
    if link == "hard":
        os.link(tmp_path / read, tmp_path / output)
    else:
        (tmp_path / output).symlink_to(read)
    before = contents(tmp_path)
    done = sterna("run", f"{name}.xml", "-n", 1, "--overwrite")
    assert done.returncode == 2, done.stderr
    assert f'the run reads the file "{read}"' in done.stderr
    assert f'"{output}" is one of its own files' in done.stderr
    assert done.stderr.count("error: ") == 1
    assert contents(tmp_path) == before
    # The same by way of an input of Sterna's, whose start is made by the other program's.
    assert sterna("convert", f"{name}.xml", f"{name}.toml").returncode == 0
    done = sterna("run", f"{name}.toml", "-n", 1, "--overwrite")
    start_leads_there = name == "grid" or read != "components.xml"
    assert done.returncode == (2 if start_leads_there else 0), done.stderr


@pytest.mark.parametrize("ending", ["mdff", "mdxyz"])
def test_the_files_of_a_session_of_modylas_are_read_files(ending, sterna, tmp_path):
    session = write(tmp_path, DEFINITION, force_field("charmm"), coordinates(PLACES))
    os.link(tmp_path / f"ring.{ending}", tmp_path / "ring.h5md")
    before = contents(tmp_path)
    done = sterna("run", session, "-n", 1, "--overwrite")
    assert done.returncode == 2, done.stderr
    assert f'the run reads the file "ring.{ending}"' in done.stderr
    assert contents(tmp_path) == before


def test_python_does_not_destroy_its_start_file(next_run, tmp_path):
    given = Input.read(next_run).replace(run={"name": "next"}, output={"directory": str(tmp_path)})
    before = contents(tmp_path)
    with pytest.raises(SternaError, match="the run reads the file"):
        Simulation(given, files=True, overwrite=True)
    assert contents(tmp_path) == before
    # Without files nothing can be lost.
    assert Simulation(given).step == 0


def test_a_lock_is_no_other_file(sterna, melt, tmp_path):
    melt(steps=20)
    precious = tmp_path / "precious.txt"
    precious.write_text("years of work\n")
    lock = tmp_path / "melt.lock"
    lock.symlink_to(precious)
    done = sterna("run", "melt.toml", "-n", 2)
    assert done.returncode == 1
    assert "melt.lock: is a symbolic link" in done.stderr
    assert precious.read_text() == "years of work\n"
    lock.unlink()
    lock.write_text("[[package]]\n")
    done = sterna("run", "melt.toml", "-n", 2)
    assert done.returncode == 1
    assert "melt.lock: is no lock of a run" in done.stderr
    assert lock.read_text() == "[[package]]\n"
    # Of a run that was killed, or had no room to write to.
    for left in ("process 1 on nowhere since 2026-01-01T00:00:00Z\n", ""):
        lock.write_text(left)
        assert sterna("run", "melt.toml", "-n", 1, "--overwrite").returncode == 0


@pytest.mark.parametrize("ending", ["log.jsonl", "h5md", "xtc", "trr", "checkpoint.new", "bib"])
def test_no_output_is_written_through_a_link(ending, sterna, melt, tmp_path):
    path = melt(steps=20, thermo=10, trajectory=10)
    text = path.read_text() + "xtc_interval = 10\n[trr]\ninterval = 10\n"
    path.write_text(text.replace('name = "LJ"', 'name = "LJ"\nsigma = 1.0'))
    assert sterna("run", "melt.toml", "-n", 1).returncode == 0
    edit(path, ("steps = 20", "steps = 40"))
    precious = tmp_path / "precious.txt"
    precious.write_text("years of work\n")
    output = tmp_path / f"melt.{ending}"
    output.unlink(missing_ok=True)
    output.symlink_to(precious)
    done = sterna("run", "melt.toml", "-n", 2, "--resume")
    if ending not in ("checkpoint.new", "bib"):
        assert done.returncode == 1, done.stdout
        assert f"melt.{ending}: is a symbolic link" in done.stderr
    assert precious.read_text() == "years of work\n"
    # A new start moves the link away.
    assert sterna("run", "melt.toml", "-n", 1).returncode == 0
    assert precious.read_text() == "years of work\n"
    assert not output.is_symlink()


def test_an_output_folder_may_be_a_link(sterna, melt, tmp_path):
    path = melt(steps=20, thermo=10, trajectory=10)
    (tmp_path / "scratch").mkdir()
    (tmp_path / "output").symlink_to("scratch")
    edit(path, ("[output]\n", '[output]\ndirectory = "output"\n'))
    assert sterna("run", "melt.toml", "-n", 1).returncode == 0
    edit(path, ("steps = 20", "steps = 40"))
    assert sterna("run", "melt.toml", "-n", 1, "--resume").returncode == 0
    assert len(Trajectory(tmp_path / "scratch" / "melt.h5md")) == 5


def test_a_log_is_not_cut_that_is_none(sterna, melt, tmp_path):
    path = melt(steps=20)
    assert sterna("run", "melt.toml", "-n", 1).returncode == 0
    edit(path, ("steps = 20", "steps = 40"))
    (tmp_path / "melt.log.jsonl").write_text("years of work\n")
    done = sterna("run", "melt.toml", "-n", 1, "--resume")
    assert done.returncode == 1
    assert "melt.log.jsonl: is no log of a run" in done.stderr
    assert (tmp_path / "melt.log.jsonl").read_text() == "years of work\n"


@pytest.mark.parametrize(
    "name", ["checkpoint", "checkpoint.new", "checkpoint.previous", "h5md", "log.jsonl", "lock"]
)
def test_a_pipe_is_not_waited_for(name, sterna, melt, tmp_path):
    path = melt(steps=20, thermo=10, trajectory=10)
    assert sterna("run", "melt.toml", "-n", 1).returncode == 0
    edit(path, ("steps = 20", "steps = 40"))
    pipe = tmp_path / f"melt.{name}"
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    done = sterna("run", "melt.toml", "-n", 2, "--resume", timeout=60)
    said = done.stdout + done.stderr
    assert f"melt.{name}: is not a regular file, but a device or a pipe" in said
    assert done.returncode == (0 if name == "checkpoint.previous" else 1), said


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "pipe.toml"),
        ("check", "melt.toml"),
        ("export", "pipe.h5md", "out.xtc"),
        ("report", "pipe.log.jsonl"),
        ("import", "pipe.data", "-o", "out.toml"),
        ("import", "pipe.top", "pipe.gro", "-o", "out.toml"),
        ("new", "replicate", "pipe.toml", "2", "2", "2", "-o", "out.toml"),
        ("watch", "pipe.log.jsonl"),
    ],
)
def test_no_command_waits_for_a_pipe(arguments, sterna, tmp_path):
    (tmp_path / "melt.toml").write_text(START.format(file="pipe.xyz"))
    for ending in ("toml", "h5md", "log.jsonl", "data", "top", "gro", "xyz"):
        os.mkfifo(tmp_path / f"pipe.{ending}")
    done = sterna(*arguments, timeout=60)
    assert done.returncode in (1, 2), done.stdout
    assert "pipe." in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("ending", "section", "before", "after"),
    [
        ("trajectory.xyz", "xyz", "velocities = false", "velocities = true"),
        ("trajectory.xyz", "xyz", "", 'groups = ["few"]'),
        ("lammpstrj", "lammps_dump", "forces = true", "forces = false"),
        ("trr", "trr", "velocities = true", ""),
        ("trr", "trr", 'groups = ["few"]', 'groups = ["others"]'),
        ("dcd", "dcd", 'groups = ["few"]', 'groups = ["others"]'),
        ("dcd", "dcd", "interval = 10", "interval = 5"),
        ("xtc", "", "xtc_rounding = 0.001", "xtc_rounding = 0.01"),
        ("h5md", "", "trajectory_rounding = 0.001", "trajectory_rounding = 0.01"),
        (
            "h5md",
            "",
            'trajectory_fields = ["position"]',
            'trajectory_fields = ["position", "velocity"]',
        ),
        ("h5md", "", 'trajectory_precision = "double"', 'trajectory_precision = "single"'),
    ],
)
def test_frames_of_a_file_are_alike(ending, section, before, after, sterna, melt, tmp_path):
    path = melt(steps=20, thermo=10, trajectory=10)
    groups = '[[group]]\nname = "few"\nselect = "id 1:9"\n'
    groups += '[[group]]\nname = "others"\nselect = "id 11:19"\n'
    every = {"": "xtc_interval = 10\n"}.get(section, f"{groups}[{section}]\ninterval = 10\n")
    if before.startswith("interval"):
        every = every.replace("interval = 10\n", "")
    text = path.read_text() + every
    path.write_text(text + before + "\n")
    assert sterna("run", "melt.toml", "-n", 1).returncode == 0
    path.write_text(text.replace("steps = 20", "steps = 40") + after + "\n")
    unchanged = contents(tmp_path)
    done = sterna("run", "melt.toml", "-n", 2, "--resume")
    assert done.returncode == 1, done.stdout
    assert f"melt.{ending}: " in done.stderr
    assert contents(tmp_path) == unchanged
    # What is moved away is no longer in the way.
    (tmp_path / f"melt.{ending}").rename(tmp_path / f"first.{ending}")
    done = sterna("run", "melt.toml", "-n", 1, "--resume")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / f"melt.{ending}").stat().st_size > 0


def test_a_group_that_changes_is_seen(sterna, melt, tmp_path):
    path = melt(steps=20, thermo=10)
    group = '[[group]]\nname = "few"\nselect = "id 1:9"\n[dcd]\ninterval = 10\ngroups = ["few"]\n'
    path.write_text(path.read_text() + group)
    assert sterna("run", "melt.toml", "-n", 1).returncode == 0
    edit(path, ("id 1:9", "id 11:19"), ("steps = 20", "steps = 40"))
    done = sterna("run", "melt.toml", "-n", 1, "--resume")
    assert done.returncode == 1
    assert "melt.dcd: all frames of a file are alike" in done.stderr
    assert "group[0].select" in done.stderr


@pytest.mark.parametrize(
    ("file", "setting"),
    [
        ("lammpstrj", "[lammps_dump]\ninterval = 10\nvelocities = true\n"),
        ("trajectory.xyz", "[xyz]\ninterval = 10\nvelocities = true\n"),
        ("trr", "[trr]\ninterval = 10\nvelocities = true\n"),
        ("xtc", "xtc_interval = 10\nxtc_rounding = 0.01\n"),
    ],
)
def test_a_file_is_read_where_the_checkpoint_does_not_tell(file, setting, sterna, melt, tmp_path):
    """The file is older than the checkpoint, whose run did not write it."""
    path = melt(steps=20, thermo=10)
    text = path.read_text()
    path.write_text(text + setting)
    assert sterna("run", "melt.toml", "-n", 1).returncode == 0
    path.write_text(text.replace("steps = 20", "steps = 40"))
    assert sterna("run", "melt.toml", "-n", 1, "--resume").returncode == 0
    kept = setting.splitlines()[:-1]
    path.write_text(text.replace("steps = 20", "steps = 60") + "\n".join(kept) + "\n")
    before = (tmp_path / f"melt.{file}").read_bytes()
    done = sterna("run", "melt.toml", "-n", 1, "--resume")
    assert done.returncode == 1, done.stdout
    assert f"melt.{file}: " in done.stderr
    assert (tmp_path / f"melt.{file}").read_bytes() == before


@pytest.mark.parametrize(
    "setting",
    [
        "[output]\nxtc_interval = 1000000",
        "[dcd]\ninterval = 1000000",
        "[trr]\ninterval = 1000000",
        '[output]\ntrajectory_interval = 1000000\nexport = ["trr"]',
    ],
)
@pytest.mark.parametrize("steps", [5000000000, 2148000000, 2147900000])
def test_steps_that_a_format_has_no_bits_for_are_found(steps, setting, sterna, melt, tmp_path):
    path = melt(steps=steps)
    path.write_text(path.read_text().partition("[output]")[0] + setting + "\n")
    done = sterna("check", "melt.toml")
    if steps == 2147900000:  # the last frame is that of step 2147000000
        assert done.returncode == 0, done.stdout
        return
    assert done.returncode == 2
    line = path.read_text().count("\n")
    assert f"melt.toml:{line}:" in done.stdout
    assert "a file of this format has steps up to 2147483647" in done.stdout
    assert sterna("run", "melt.toml", "-n", 1).returncode == 2


def test_new_inputs_do_not_replace_what_they_are_made_from(sterna, melt, tmp_path):
    path = melt(steps=20)
    before = path.read_text()
    done = sterna("new", "replicate", "melt.toml", 2, 1, 1, "-o", "melt.toml", "--overwrite")
    assert done.returncode == 2
    assert "melt.toml is read here" in done.stderr
    assert path.read_text() == before


@pytest.mark.parametrize("options", [[], ["--overwrite"]])
def test_new_inputs_are_not_written_through_links(options, sterna, melt, tmp_path):
    melt(steps=20)
    precious = tmp_path / "precious.txt"
    if options:
        precious.write_text("years of work\n")
    for name in ("out.toml", "out.extxyz"):
        (tmp_path / name).symlink_to(precious)
    done = sterna("new", "replicate", "melt.toml", 2, 1, 1, "-o", "out.toml", *options)
    assert done.returncode == 0, done.stderr
    assert precious.read_text() == "years of work\n" if options else not precious.exists()
    assert not (tmp_path / "out.toml").is_symlink()
    assert sterna("check", "out.toml").returncode == 0


def test_an_export_does_not_replace_its_trajectory(sterna, melt, tmp_path):
    melt(steps=20, trajectory=10)
    assert sterna("run", "melt.toml", "-n", 1).returncode == 0
    (tmp_path / "melt.xyz").symlink_to("melt.h5md")
    before = (tmp_path / "melt.h5md").read_bytes()
    done = sterna("export", "melt.toml", "melt.xyz", "--format", "extxyz", "--overwrite")
    assert done.returncode == 2, done.stdout
    assert "is read here" in done.stderr
    assert (tmp_path / "melt.h5md").read_bytes() == before


@pytest.mark.parametrize("name", ["out.xtc", "out.trr", "out.dcd"])
def test_an_export_has_no_steps_beyond_its_format(name, sterna, melt, tmp_path):
    melt(steps=20, trajectory=10)
    assert sterna("run", "melt.toml", "-n", 1).returncode == 0
    with h5py.File(tmp_path / "melt.h5md", "r+") as file:
        file["particles/trajectory/box/edges/step"][:] = [0, 2**31 - 1, 2**31]
    done = sterna("export", "melt.h5md", name)
    assert done.returncode == 2, done.stdout
    assert "has steps up to 2147483647, and a frame of 2147483648 was chosen" in done.stderr
    assert not (tmp_path / name).exists()
