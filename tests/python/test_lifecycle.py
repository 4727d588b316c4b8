"""What belongs to a run and what to another one: resuming, starting anew, two runs at a time."""

import os
import re
import resource
import signal
import struct
import subprocess
import time
from pathlib import Path

import pytest
from conftest import sterna_command, sterna_environment
from sterna import read_log


def edit(path: Path, *changes: tuple[str, str]) -> None:
    text = path.read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    path.write_text(text)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".toml"}


def test_another_systems_checkpoint_is_not_taken(sterna, melt, tmp_path):
    path = melt(steps=20, thermo=10)
    assert sterna("run", "melt.toml", "-n", 2).returncode == 0
    before = contents(tmp_path)
    edit(path, ("density = 0.8442", "density = 0.6"), ("steps = 20", "steps = 40"))
    path.write_text(path.read_text().replace('name = "LJ"', 'name = "LJ"\nmass = 2.0'))
    done = sterna("run", "melt.toml", "-n", 2, "--resume")
    assert done.returncode == 1
    assert "another system" in done.stderr
    assert "start.density: 0.8442 in the checkpoint, now 0.6" in done.stderr
    assert "type[0].mass: 1 in the checkpoint, now 2" in done.stderr
    assert contents(tmp_path) == before


def test_changed_settings_are_told_and_averages_do_not_mix(sterna, melt, tmp_path):
    path = melt(steps=20, thermo=10)
    path.write_text(path.read_text() + "[rdf]\ninterval = 10\n")
    assert sterna("run", "melt.toml", "-n", 2).returncode == 0
    edit(path, ("steps = 20", "steps = 60"), ("cutoff = 2.5", "cutoff = 2.2"))
    done = sterna("run", "melt.toml", "-n", 2, "--resume")
    assert done.returncode == 0, done.stderr
    assert "changed: run.steps: 20 in the checkpoint, now 60" in done.stdout
    assert "changed: interaction.cutoff: 2.5 in the checkpoint, now 2.2" in done.stdout
    assert "averages and observers begin anew" in done.stdout
    log = read_log(tmp_path / "melt.log.jsonl")
    starts = [event for event in log.events if event["event"] == "start"]
    assert starts[0]["settings"]["changed_settings"] == []
    assert len(starts[1]["settings"]["changed_settings"]) == 2
    rows = [row["total_energy"] for row in log.rows if row["step"] > 20]
    end = log.events[-1]["timing"]["averages"]["total_energy"]["mean"]
    assert end == pytest.approx(sum(rows) / len(rows), rel=1e-12)


def test_time_goes_on_where_the_time_step_changes(sterna, melt, tmp_path):
    path = melt(steps=20, thermo=10)
    assert sterna("run", "melt.toml", "-n", 1).returncode == 0
    edit(path, ("steps = 20", "steps = 40"), ("timestep = 0.002", "timestep = 0.001"))
    assert sterna("run", "melt.toml", "-n", 1, "--resume").returncode == 0
    assert read_log(tmp_path / "melt.log.jsonl")["time"] == pytest.approx(
        [0.0, 0.02, 0.04, 0.05, 0.06]
    )


def test_a_finished_run_has_nothing_left_to_do(sterna, melt, tmp_path):
    path = melt(steps=20, thermo=10, trajectory=10)
    done = sterna("run", "melt.toml", "-n", 2)
    assert done.returncode == 0
    for name in ("melt.log.jsonl", "melt.h5md", "melt.checkpoint"):
        assert f"  {name}\n" in done.stdout
    before = contents(tmp_path)
    done = sterna("run", "melt.toml", "-n", 2, "--resume")
    assert done.returncode == 0
    assert "nothing is left to do" in done.stdout
    assert contents(tmp_path) == before

    path.write_text(
        path.read_text()
        .replace("[run]", '[run]\nintegrator = "minimize"')
        .replace("timestep = 0.002\n", "")
        + "[minimize]\nforce_tolerance = 0.5\n"
    )
    assert sterna("run", "melt.toml", "-n", 2).returncode == 0
    before = contents(tmp_path)
    assert "nothing is left to do" in sterna("run", "melt.toml", "-n", 2, "--resume").stdout
    assert contents(tmp_path) == before


def test_a_new_start_keeps_what_an_earlier_run_left(sterna, melt, tmp_path):
    path = melt(steps=20, thermo=10, trajectory=10)
    path.write_text(path.read_text() + "[rdf]\ninterval = 10\n")
    assert sterna("run", "melt.toml", "-n", 2).returncode == 0
    first = contents(tmp_path)
    assert set(first) == {
        "melt.log.jsonl", "melt.h5md", "melt.checkpoint", "melt.checkpoint.previous",
        "melt.rdf.txt",
    }  # fmt: skip
    edit(path, ("density = 0.8442", "density = 0.6"))
    done = sterna("run", "melt.toml", "-n", 2)
    assert done.returncode == 0
    assert "kept files of an earlier run as #melt.*.1#" in done.stdout
    kept = contents(tmp_path)
    assert {name: kept[f"#{name}.1#"] for name in first} == first
    assert all(kept[name] != first[name] for name in first)

    assert sterna("run", "melt.toml", "-n", 2).returncode == 0
    assert {name: contents(tmp_path)[f"#{name}.2#"] for name in first} == {
        name: kept[name] for name in first
    }
    edit(path, ("trajectory_interval = 10", "trajectory_interval = 0"))
    before = contents(tmp_path)
    assert sterna("run", "melt.toml", "-n", 2, "--overwrite").returncode == 0
    after = contents(tmp_path)
    assert set(after) == set(before) - {"melt.h5md"}
    assert all(after[name] == before[name] for name in before if name.startswith("#"))


def spoil_checkpoint(path: Path, how: str) -> None:
    data = bytearray(path.read_bytes())
    if how == "newer":
        data[8:12] = struct.pack("<I", 9)
    elif how == "damaged":
        data[4096 + 100] ^= 4
    elif how == "truncated":
        del data[-10:]
    path.write_bytes(data)


@pytest.mark.parametrize("how", ["newer", "damaged", "truncated"])
def test_resuming_does_not_start_anew_over_checkpoints_that_it_cannot_read(
    how, sterna, melt, tmp_path
):
    melt(steps=20, thermo=10, trajectory=10)
    assert sterna("run", "melt.toml", "-n", 2).returncode == 0
    (tmp_path / "melt.checkpoint.previous").unlink()
    spoil_checkpoint(tmp_path / "melt.checkpoint", how)
    before = contents(tmp_path)
    done = sterna("run", "melt.toml", "-n", 2, "--resume")
    assert done.returncode == 1
    assert "there are checkpoints that cannot be read" in done.stderr
    assert "melt.checkpoint: " in done.stderr
    assert contents(tmp_path) == before
    # Asked for, it does.
    assert sterna("run", "melt.toml", "-n", 2).returncode == 0
    assert {name: contents(tmp_path)[f"#{name}.1#"] for name in before} == before


def test_a_newer_programs_checkpoint_is_not_passed_over_for_an_older_one(sterna, melt, tmp_path):
    path = melt(steps=20, thermo=10)
    assert sterna("run", "melt.toml", "-n", 1).returncode == 0
    edit(path, ("steps = 20", "steps = 40"))
    assert sterna("run", "melt.toml", "-n", 1, "--resume").returncode == 0
    assert (tmp_path / "melt.checkpoint.previous").exists()
    edit(path, ("steps = 40", "steps = 60"))
    spoil_checkpoint(tmp_path / "melt.checkpoint", "newer")
    before = contents(tmp_path)
    done = sterna("run", "melt.toml", "-n", 1, "--resume")
    assert done.returncode == 1
    assert "has version 9 of the checkpoint format" in done.stderr
    assert contents(tmp_path) == before
    # A damaged one is: that is what the previous one is kept for.
    spoil_checkpoint(tmp_path / "melt.checkpoint", "truncated")
    (tmp_path / "melt.checkpoint").write_bytes(b"x" * 5000)
    done = sterna("run", "melt.toml", "-n", 1, "--resume")
    assert done.returncode == 0, done.stderr
    assert "is not a checkpoint of this program" in done.stdout


def start(folder: Path, *arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        sterna_command("run", "melt.toml", *arguments),
        cwd=folder,
        env=sterna_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(found, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + 120
    while not found():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("option", [(), ("--resume",), ("--overwrite",)])
def test_a_second_run_does_not_write_over_the_first(option, sterna, melt, tmp_path):
    melt(steps=100000000, thermo=100)
    first = start(tmp_path, "-n", "1")
    log = tmp_path / "melt.log.jsonl"
    wait_for(lambda: log.exists() and len(read_log(log)) > 2, first)
    second = sterna("run", "melt.toml", "-n", 1, *option)
    assert second.returncode == 1
    assert "another run writes files of this name: process " in second.stderr
    assert os.uname().nodename in second.stderr
    first.send_signal(signal.SIGTERM)
    said, errors = first.communicate(timeout=120)
    assert first.returncode == 3, said + errors
    assert len([e for e in read_log(log).events if e["event"] == "start"]) == 1
    assert not (tmp_path / "melt.lock").exists()


def test_two_runs_that_start_together_do_not_mix(melt, tmp_path):
    melt(steps=3000, thermo=100)
    runs = [start(tmp_path, "-n", "1") for _ in range(2)]
    said = [run.communicate(timeout=240) for run in runs]
    statuses = [run.returncode for run in runs]
    # Where one had ended before the other began, the other keeps its files.
    if statuses != [0, 0]:
        assert sorted(statuses) == [0, 1]
        assert "another run writes files of this name" in said[statuses.index(1)][1]
    logs = [read_log(path) for path in tmp_path.glob("*melt.log.jsonl*")]
    assert len(logs) == statuses.count(0)
    for log in logs:
        assert [event["event"] for event in log.events].count("start") == 1
        assert log["step"].tolist() == list(range(0, 3001, 100))


def test_a_crash_loses_no_more_than_the_checkpoint_time(sterna, melt, tmp_path):
    (tmp_path / "whole").mkdir()
    whole = melt(steps=3000, thermo=500, folder=tmp_path / "whole")
    edit(whole, ("checkpoint_interval = 0", "checkpoint_time = 0"))
    assert sterna("run", whole, "-n", 2).returncode == 0
    for name in ("melt.log.jsonl", "melt.checkpoint"):
        (tmp_path / name).replace(tmp_path / "whole" / name)
    # None but the one shortly before the end, from which a longer run would go on.
    assert [
        event["step"] > 2800
        for event in read_log(tmp_path / "whole" / "melt.log.jsonl").events[:-2]
        if event["event"] == "checkpoint"
    ] in ([], [True])

    path = melt(steps=3000, thermo=500)
    edit(path, ("checkpoint_interval = 0", 'checkpoint_time = "0.05 s"'))
    run = start(tmp_path, "-n", "2")
    wait_for((tmp_path / "melt.checkpoint").exists, run)
    run.kill()
    run.communicate()
    # The launcher and the ranks follow.
    lock = tmp_path / "melt.lock"
    deadline = time.monotonic() + 60
    while True:
        done = sterna("run", "melt.toml", "-n", 2, "--resume")
        if "another run writes" not in done.stderr:
            break
        assert time.monotonic() < deadline
    assert done.returncode == 0, done.stderr
    assert not lock.exists()
    log = read_log(tmp_path / "melt.log.jsonl")
    reference = read_log(tmp_path / "whole" / "melt.log.jsonl")
    assert log.rows == reference.rows


def test_a_start_hears_a_signal(melt, tmp_path):
    path = melt(steps=10, thermo=10)
    # Some millions of particles: their places alone take seconds.
    edit(path, ("cells = [6, 6, 6]", "cells = [110, 110, 110]"))
    run = start(tmp_path, "-n", "2")
    wait_for((tmp_path / "melt.lock").exists, run)
    run.send_signal(signal.SIGTERM)
    _, errors = run.communicate(timeout=240)
    assert run.returncode == 3
    assert "stopped at the start" in errors
    assert not (tmp_path / "melt.log.jsonl").exists()
    assert not (tmp_path / "melt.lock").exists()


def test_names_that_a_file_system_refuses_are_found_before_the_run(sterna, melt):
    path = melt(steps=10)
    edit(path, ('name = "melt"', f'name = "{"m" * 240}"'))
    for verb in ("check", "run"):
        done = sterna(verb, "melt.toml", "-n", 1)
        assert done.returncode == 2
        assert "melt.toml:4:8: error: " in done.stdout + done.stderr
        assert "longer than a file system takes" in done.stdout + done.stderr
    edit(path, (f'"{"m" * 240}"', '"../melt"'))
    assert sterna("check", "melt.toml").returncode == 2
    edit(path, ('"../melt"', '"melt\\u0007"'))
    assert sterna("check", "melt.toml").returncode == 2


def limit_address_space() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("cells = [6, 6, 6]", "particles = 1000000000000"), "it can hold 4.29e+09"),
        (("cells = [6, 6, 6]", "particles = 6000000000"), "at the very least, but "),
        (("cutoff = 2.5", "cutoff = 9000.0"), "with the images around them"),
        (("cutoff = 2.5", "cutoff = 300.0"), "at the very least, but "),
    ],
)
def test_what_no_memory_can_hold_is_refused_before_it_is_touched(change, message, sterna, melt):
    edit(melt(steps=10), change)
    checked = sterna("check", "melt.toml", "-n", 2)
    assert checked.returncode == 2, checked.stdout
    assert message in checked.stdout
    done = sterna("run", "melt.toml", "-n", 2)
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stderr.count(message) == 1


def test_ulimits_count(sterna, melt, tmp_path):
    edit(melt(steps=10), ("cells = [6, 6, 6]", "particles = 30000000"))
    done = subprocess.run(
        sterna_command("check", "melt.toml", "-n", 1),
        cwd=tmp_path,
        env=sterna_environment(),
        preexec_fn=limit_address_space,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2
    assert "(ulimit -v)" in done.stdout


def test_an_almost_empty_box_needs_no_memory_for_its_emptiness(sterna, melt):
    path = melt(steps=10, thermo=10)
    edit(
        path,
        ('kind = "lattice"\nlattice = "fcc"\ncells = [6, 6, 6]', 'kind = "random"\nparticles = 2'),
        ("density = 0.8442", "density = 2.5e-10"),
    )
    checked = sterna("check", "melt.toml", "-n", 1)
    assert checked.returncode == 0, checked.stdout
    assert float(re.search(r"about (\S+) MB per rank", checked.stdout)[1]) < 200
    done = sterna("run", "melt.toml", "-n", 1)
    assert done.returncode == 0, done.stderr
