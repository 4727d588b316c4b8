"""Files of a run that somebody removes or cuts: nothing is lost in silence."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import sterna_command, sterna_environment
from sterna import read_log


@pytest.fixture
def stopped(sterna, melt, tmp_path) -> Path:
    """The folder of a run that ended at step 100 of 200, with rows and frames every 10 steps."""
    melt(steps=100, trajectory=10, checkpoint=50)
    assert sterna("run", "melt.toml", "-n", 2).returncode == 0
    # From the end on, instead of a rebuild before it.
    (tmp_path / "melt.checkpoint.previous").unlink()
    melt(steps=200, trajectory=10, checkpoint=50)
    return tmp_path


def warnings_of(folder: Path) -> list[str]:
    log = read_log(folder / "melt.log.jsonl")
    return [event["text"] for event in log.events if event["event"] == "warning"]


def test_a_resumed_run_tells_of_rows_that_its_log_has_lost(sterna, stopped):
    path = stopped / "melt.log.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    last = next(n for n, line in enumerate(lines) if '"thermo","step":60,' in line)
    path.write_text("".join(lines[:last]) + lines[last][:40])
    done = sterna("run", "melt.toml", "-n", 2, "--resume")
    assert done.returncode == 0, done.stderr
    text = "melt.log.jsonl has no rows from step 60 to 100, which the run had written"
    assert text in done.stdout
    assert any(text in warning for warning in warnings_of(stopped))
    steps = [row["step"] for row in read_log(path).rows]
    assert steps == [*range(0, 60, 10), *range(110, 210, 10)]


def test_a_damaged_line_of_a_log_is_named_and_nothing_is_dropped(sterna, stopped):
    path = stopped / "melt.log.jsonl"
    text = path.read_text().replace('"thermo","step":60,', '"thermo","step":60;')
    path.write_text(text)
    number = next(n for n, line in enumerate(text.splitlines(), 1) if '"step":60;' in line)
    done = sterna("run", "melt.toml", "-n", 2, "--resume")
    assert done.returncode == 1
    assert f"melt.log.jsonl:{number}: this line is no event of a run" in done.stderr
    assert path.read_text() == text


@pytest.mark.parametrize("name", ["melt.log.jsonl", "melt.h5md"])
def test_a_resumed_run_tells_of_files_that_are_gone(name, sterna, stopped):
    (stopped / name).unlink()
    done = sterna("run", "melt.toml", "-n", 2, "--resume")
    assert done.returncode == 0, done.stderr
    assert f"{name} is not there, and a new one begins at step 100" in done.stdout
    assert "has no rows" not in done.stdout


def test_an_untouched_run_is_resumed_without_a_word(sterna, stopped, melt):
    # The interval of rows may change, and so may that between the last ones.
    for steps, thermo in ((205, 10), (230, 100), (240, 1)):
        melt(steps=steps, thermo=thermo, trajectory=10, checkpoint=50)
        done = sterna("run", "melt.toml", "-n", 2, "--resume")
        assert done.returncode == 0, done.stderr
        assert "warning" not in done.stdout
    assert warnings_of(stopped) == []


def test_an_empty_trajectory_is_refused_and_stays_empty(sterna, stopped):
    path = stopped / "melt.h5md"
    path.write_bytes(b"")
    done = sterna("run", "melt.toml", "-n", 2, "--resume")
    assert done.returncode == 1
    assert "melt.h5md: the trajectory cannot be continued: it is empty" in done.stderr
    assert path.read_bytes() == b""


# Of each format: its section, and the bytes that begin a frame of 864 particles.
FORMATS = {
    "melt.xtc": ("", b"\0\0\x07\xcb\0\0\x03\x60"),
    "melt.trr": ("[trr]", b"\0\0\x07\xc9\0\0\0\x0d"),
    "melt.dcd": ("[dcd]", b"\x30\0\0\0.{48}\x30\0\0\0"),
    "melt.lammpstrj": ("[lammps_dump]", b"ITEM: TIMESTEP"),
    "melt.trajectory.xyz": ("[xyz]", b"864\nLattice"),
}


@pytest.fixture
def stopped_with(sterna, melt, tmp_path):
    """As `stopped`, with the file of a format instead; gives where its frames begin."""

    def run(name: str) -> list[int]:
        section, begin = FORMATS[name]
        for steps in (100, 200):
            path = melt(steps=steps, checkpoint=50)
            text = path.read_text()
            if section:
                text += f"{section}\ninterval = 10\n"
            else:
                text = text.replace("[output]", "[output]\nxtc_interval = 10")
            path.write_text(text)
            if steps == 100:
                assert sterna("run", "melt.toml", "-n", 2).returncode == 0
        (tmp_path / "melt.checkpoint.previous").unlink()
        found = re.finditer(begin, (tmp_path / name).read_bytes(), re.DOTALL)
        places = [match.start() for match in found]
        assert len(places) == 11
        return places

    return run


@pytest.mark.parametrize("name", FORMATS)
def test_an_untouched_file_of_any_format_is_gone_on_with_without_a_word(
    name, sterna, stopped_with, tmp_path
):
    stopped_with(name)
    done = sterna("run", "melt.toml", "-n", 2, "--resume")
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stdout
    assert len(re.findall(FORMATS[name][1], (tmp_path / name).read_bytes(), re.DOTALL)) == 21


def test_a_run_without_another_frame_leaves_a_dcd_file_as_it_is(sterna, stopped_with, tmp_path):
    stopped_with("melt.dcd")
    content = (tmp_path / "melt.dcd").read_bytes()
    done = sterna("run", "melt.toml", "-n", 2, "--resume", "--steps", 105)
    assert done.returncode == 0, done.stderr
    # The head has the time between two steps, too.
    assert (tmp_path / "melt.dcd").read_bytes() == content


@pytest.mark.parametrize("name", FORMATS)
def test_frames_that_a_file_has_lost_are_told(name, sterna, stopped_with, tmp_path):
    begins = stopped_with(name)
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[: begins[6]])
    left = path.read_bytes()
    done = sterna("run", "melt.toml", "-n", 2, "--resume")
    if name == "melt.dcd":  # frames would get the steps of those that are lost
        assert done.returncode == 1
        assert f"{name}: it has no frames from step 60 to 100" in done.stderr
        assert path.read_bytes() == left
        return
    assert done.returncode == 0, done.stderr
    assert f"{name} has no frames from step 60 to 100" in done.stdout
    assert any(f"{name} has no frames from" in warning for warning in warnings_of(tmp_path))


@pytest.mark.parametrize("name", FORMATS)
def test_a_damaged_frame_is_named_and_none_behind_it_is_dropped(
    name, sterna, stopped_with, tmp_path
):
    begins = stopped_with(name)
    path = tmp_path / name
    content = bytearray(path.read_bytes())
    content[begins[4] : begins[4] + 8] = bytes(8)
    path.write_bytes(content)
    done = sterna("run", "melt.toml", "-n", 2, "--resume")
    assert done.returncode == 1, done.stdout
    assert f"{name}: the frame at byte {begins[4]} is damaged" in done.stderr
    assert path.read_bytes() == content


def test_a_log_that_is_removed_while_the_run_goes_on_is_no_success(melt, tmp_path):
    melt(steps=3000, thermo=10, checkpoint=0)
    run = subprocess.Popen(
        sterna_command("run", "melt.toml", "-n", "2"),
        cwd=tmp_path,
        env=sterna_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    path = tmp_path / "melt.log.jsonl"
    end = time.monotonic() + 120
    while not (path.exists() and len(read_log(path)) > 2):
        assert time.monotonic() < end and run.poll() is None
        time.sleep(0.01)
    path.unlink()
    os.kill(run.pid, signal.SIGTERM)
    said, _ = run.communicate(timeout=120)
    assert run.returncode == 1, said
    assert "melt.log.jsonl: was removed while the run went on" in said
    assert (tmp_path / "melt.checkpoint").exists()
