"""What stands between the program and the user: launchers, their noise, progress, logs."""

import io
import json
import shutil

import numpy
import pytest
from conftest import write_python_program
from rich.console import Console
from sterna import Log, SternaError, read_log
from sterna.launching import launch
from sterna.support import progress

RULE = "-" * 74 + "\n"
NON_ZERO_EXIT = [
    RULE,
    "prterun detected that one or more processes exited with non-zero status,\n",
    "thus causing the job to be terminated. The first process to do so was:\n",
    "\n",
    "   Exit code:    2\n",
    RULE,
]
OSC_NOTICE = [
    "[node:1] /osc_ucx_component.c:375  Error: OSC UCX component priority set inside component "
    "query failed \n",
    " \n",
]


def test_the_launchers_banner_is_dropped():
    error = "melt.toml:3:1: error: unknown key\n"
    gone = "[node:24107] PMIX ERROR: PMIX_ERR_UNREACH in file pmix_server.c at line 3146\n"
    noise = [*NON_ZERO_EXIT, *OSC_NOTICE, gone, "\0"]
    assert list(launch.without_noise([error, *noise])) == [error]


def test_a_launcher_that_starts_nothing_is_heard(tmp_path):
    launcher = tmp_path / "mpiexec"
    launcher.write_text(
        "#!/bin/sh\n"
        'case "$1" in --version) echo "mpiexec (Open MPI) 5"; exit;; esac\n'
        f"printf '%s\\n' '{RULE[:-1]}' 'prterun found no place to run' '{RULE[:-1]}' >&2\n"
        "exit 213\n"
    )
    launcher.chmod(0o755)
    program = tmp_path / "sterna-md"
    program.write_text("")
    program.with_name("sterna-md.json").write_text(json.dumps({"mpiexec": str(launcher)}))
    said = []
    assert launch.launch(1, [], said.append, said.append, program) == 213
    assert said[0] == f"sterna: error: {launcher} ended with status 213 and said:\n"
    assert said[1] == "prterun found no place to run\n"


def test_what_sterna_says_inside_a_banner_is_kept():
    error = "sterna: error: rank 2 does not answer\n"
    lines = [*NON_ZERO_EXIT[:3], error, *NON_ZERO_EXIT[3:]]
    assert list(launch.without_noise(lines)) == [error]


def test_a_rank_ended_by_a_signal_is_told_in_one_line():
    lines = [
        RULE,
        "prterun noticed that process rank 1 with PID 8395 on node vm exited on\n",
        "signal 9 (Killed).\n",
        RULE,
    ]
    assert list(launch.without_noise(lines)) == ["sterna: rank 1 was ended by signal 9 (Killed)\n"]


def test_mpich_says_it_elsewhere():
    rule = "=" * 83 + "\n"
    lines = [
        "step energy\n",
        rule,
        "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n",
        rule,
        "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\n",
        "This typically refers to a problem with your application.\n",
        "Please see the FAQ page for debugging suggestions\n",
    ]
    assert list(launch.without_noise(lines, launch._MPICH_RULE)) == [
        "step energy\n",
        "sterna: a rank was ended by signal 9 (Killed)\n",
    ]


def test_rules_that_are_not_the_launchers_are_kept():
    table = [RULE, "step energy\n", RULE, "after\n"]
    assert list(launch.without_noise(table)) == table
    unfinished = [RULE, "step energy\n"]
    assert list(launch.without_noise(unfinished)) == unfinished


@pytest.mark.parametrize(
    ("environment", "ranks"),
    [
        ({}, None),
        ({"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4"}, 4),
        ({"PMI_RANK": "0", "PMI_SIZE": "2"}, 2),
        ({"PMIX_RANK": "0"}, 0),
        ({"SLURM_PROCID": "0", "SLURM_NTASKS": "8"}, None),  # a batch script, not a step
        ({"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "8"}, 8),
    ],
)
def test_the_launcher_around_is_found(environment, ranks):
    assert launch.joined_ranks(environment) == ranks


@pytest.mark.parametrize(("name", "left_out"), [("UCX_MEM_EVENTS", "n"), ("OMPI_MCA_mtl", "^ofi")])
def test_what_network_adapters_need_is_left_out_on_one_node_only(name, left_out, monkeypatch):
    for other in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", name):
        monkeypatch.delenv(other, raising=False)
    assert launch.program_environment()[name] == left_out
    monkeypatch.setenv(name, "chosen")
    assert launch.program_environment()[name] == "chosen"
    monkeypatch.delenv(name)
    monkeypatch.setenv("PMI_RANK", "0")  # of a launcher, maybe on several nodes
    monkeypatch.setenv("PMI_SIZE", "2")
    assert name not in launch.program_environment()


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (75, "1:15"), (4000, "1:06:40")])
def test_durations(seconds, text):
    assert progress.duration(seconds) == text


def test_progress_is_drawn_and_other_lines_are_printed_whole():
    screen = io.StringIO()
    long_line = "word [x] " * 30
    with progress.ProgressBar(Console(file=screen, force_terminal=True, width=100)) as bar:
        bar.show('@progress {"step": 50, "steps": 200, "rate": 25.0, "eta": 6.0}\n')
        bar.show(long_line + "\n")
    shown = screen.getvalue()
    assert long_line in shown
    assert "step 50 of 200" in shown
    assert "25 steps/s 0:06 left" in shown
    assert "@progress" not in shown


def test_a_log_is_read_as_columns(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text(
        '{"event": "start", "program": "sterna"}\n'
        '{"event": "thermo", "step": 0, "time": 0.0, "temperature": 1.5}\n'
        '{"event": "thermo", "step": 10, "time": 0.02, "temperature": null}\n'
        '{"event": "thermo", "step": 20, "temp'
    )
    log = read_log(path)
    assert len(log) == 2
    assert log.columns == ["step", "time", "temperature"]
    assert log["step"].tolist() == [0, 10]
    assert numpy.isnan(log["temperature"][1])
    assert [event["event"] for event in log.events] == ["start", "thermo", "thermo"]
    with pytest.raises(KeyError, match="no column 'pressure', but step, time, temperature"):
        log["pressure"]
    assert list(Log([])) == []


def test_a_damaged_log_is_named_with_its_line(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"step": 0}\n{"step" 1}\n{"step": 2}\n')
    with pytest.raises(SternaError, match=r"log\.jsonl:2:9: not JSON"):
        read_log(path)


LAUNCHER = """\
import subprocess, sys, time
if sys.argv[1] == "--version":
    print("mpiexec (Open MPI) 5")
    sys.exit()
rank = subprocess.Popen({words})  # whose end nobody takes note of
{then}
"""


def started_by(tmp_path, then: str) -> tuple[int, str]:
    """A run of a launcher that starts a short rank and goes on so: its status, what was said."""
    launcher = tmp_path / "mpiexec"
    program = tmp_path / "sterna-md"
    shutil.copy("/bin/sleep", program)  # a rank is told by the program that it runs
    words = [str(program), "0.5"]
    write_python_program(launcher, LAUNCHER.format(words=words, then=then))
    program.with_name("sterna-md.json").write_text(json.dumps({"mpiexec": str(launcher)}))
    said = []
    return launch.launch(1, [], said.append, said.append, program), "".join(said)


def test_a_launcher_that_sleeps_when_its_ranks_have_ended_is_ended(tmp_path):
    # Seen of Open MPI 5.0.11 on a loaded machine: PMIx_server_finalize never returns.
    status, said = started_by(tmp_path, "time.sleep(3600)")
    assert status == 1
    assert "did not end: it has slept for" in said and "its ranks have ended" in said


def test_a_launcher_that_works_when_its_ranks_have_ended_is_waited_for(tmp_path):
    work = "rank.wait()\nend = time.time() + 14\nwhile time.time() < end: pass"
    assert started_by(tmp_path, work) == (0, "")
