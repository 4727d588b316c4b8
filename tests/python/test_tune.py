"""`sterna tune` fills the machine file, and runs start from it; a run says why it chose."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from conftest import MELT, sterna_command, sterna_environment


def run(folder, *arguments, machine_file="none"):
    environment = sterna_environment() | {"STERNA_MACHINE_FILE": str(machine_file)}
    done = subprocess.run(
        sterna_command(*arguments),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def end_of(folder):
    lines = (folder / "melt.log.jsonl").read_text(encoding="utf-8").splitlines()
    return json.loads(lines[-1])


def test_tune_writes_the_machine_file(tmp_path):
    file = tmp_path / "cache" / "machine.json"
    shown = run(tmp_path, "tune", "-n", "2", machine_file=file).stdout
    assert f"kept in {file}" in shown
    kept = json.loads(file.read_text(encoding="utf-8"))
    assert {row["family"] for row in kept["evidence"]} >= {"neighbor", "sparse"}
    for row in kept["evidence"]:
        assert row["ranks"] == 2
        assert row["chosen"] in row["median_us"]


@pytest.mark.parametrize("folder", ["read-only", "of the kernel", "a file"])
def test_tune_says_that_nothing_was_kept(folder, tmp_path):
    cache = tmp_path / "cache"
    if folder == "read-only":
        if os.geteuid() == 0:
            pytest.skip("root may write everywhere")
        cache.mkdir(mode=0o555)
    elif folder == "of the kernel":
        cache = Path("/proc/cache")  # where root may not write either
    else:
        cache.write_text("")
    file = cache / "machine.json"
    done = run(tmp_path, "tune", "-n", "2", machine_file=file)
    reason = f"machine file {file} cannot be written"
    assert f"not kept: {reason}" in " ".join(done.stdout.split())
    assert f"kept in {file}" not in " ".join(done.stdout.split())
    assert done.stderr.count(f"sterna: warning: {reason}") == 1
    assert not file.exists()


def test_a_run_says_why(tmp_path):
    # So many steps that the race of the halo is over.
    (tmp_path / "melt.toml").write_text(
        MELT.format(steps=1500, thermo=500, trajectory=0, checkpoint=0)
    )
    file = tmp_path / "machine.json"
    run(tmp_path, "run", "-n", "2", "melt.toml", machine_file=file)
    (halo,) = (
        m for m in end_of(tmp_path)["timing"]["methods"] if m["exchange"] == "halo positions"
    )
    assert f"{halo['method']} " in halo["reason"]
    chosen = [c for c in halo["candidates"] if c["state"] == "chosen"]
    if halo["times_decided"] > 0:
        assert [c["method"] for c in chosen] == [halo["method"]]
        assert "(model " in halo["reason"]
        assert file.is_file()


def test_a_broken_machine_file_is_a_warning(tmp_path):
    (tmp_path / "melt.toml").write_text(
        MELT.format(steps=100, thermo=50, trajectory=0, checkpoint=0)
    )
    file = tmp_path / "machine.json"
    file.write_text("{broken")
    done = run(tmp_path, "run", "-n", "2", "melt.toml", machine_file=file)
    assert done.stderr.count(f"warning: machine file {file} is not used") == 1
    assert file.read_text(encoding="utf-8") == "{broken"
    assert end_of(tmp_path)["status"] == "complete"


@pytest.mark.long
def test_the_results_do_not_depend_on_tuning(tmp_path):
    states = []
    for number, communication in enumerate(
        ["", "tuning = false", 'halo = "p2p"\nmigration = "nbx"', 'machine_file = "none"']
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        text = MELT.format(steps=400, thermo=100, trajectory=0, checkpoint=0)
        (folder / "melt.toml").write_text(f"{text}\n[communication]\n{communication}\n")
        run(folder, "run", "-n", "3", "melt.toml")
        lines = (folder / "melt.log.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        states.append([r for r in rows if r.get("event") == "thermo"])
        assert states[-1]
    for state in states[1:]:
        for row, reference in zip(state, states[0], strict=True):
            for name, value in reference.items():
                if "energy" in name or name in ("pressure", "temperature"):
                    assert row[name] == value, name
