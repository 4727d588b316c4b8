"""`sterna launch`: Python scripts on many ranks."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from conftest import sterna_environment
from engine_support import MELT, require_core


def command(ranks, *arguments):
    return [sys.executable, "-m", "sterna", "launch", "-n", str(ranks), *arguments]


def write(folder, text):
    (folder / "script.py").write_text(MELT + textwrap.dedent(text))


def run(folder, ranks, *arguments):
    return subprocess.run(
        command(ranks, *arguments),
        cwd=folder,
        env=sterna_environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(autouse=True)
def _needs_the_module():
    require_core()


def test_a_script_has_the_same_numbers_on_1_and_3_ranks_and_its_arguments(tmp_path):
    write(
        tmp_path,
        """
        import sys
        simulation = sterna.Simulation(settings, system)
        simulation.run(int(sys.argv[2]))
        if simulation.rank == 0:
            print(sys.argv[1:], simulation.ranks, simulation.thermo["total_energy"])
        """,
    )
    energies = []
    for ranks in (1, 3):
        done = run(tmp_path, ranks, "script.py", "--steps", "30", "-n", "5")
        assert done.returncode == 0, done.stdout + done.stderr
        (line,) = done.stdout.splitlines()
        assert line.startswith(f"['--steps', '30', '-n', '5'] {ranks} ")
        energies.append(float(line.split()[-1]))
    assert energies[0] == pytest.approx(energies[1], rel=1e-10)


def test_the_status_and_the_traceback_of_a_script_come_back(tmp_path):
    write(tmp_path, "raise SystemExit(7)")
    assert run(tmp_path, 2, "script.py").returncode == 7
    write(
        tmp_path,
        """
        simulation = sterna.Simulation(settings, system)
        if simulation.rank == 1:
            raise RuntimeError("only here")
        simulation.run(100_000_000)
        """,
    )
    done = run(tmp_path, 2, "script.py")
    assert done.returncode != 0
    assert "RuntimeError: only here" in done.stderr


def test_what_is_no_script_is_an_error(tmp_path):
    done = run(tmp_path, 2, "scirpt.py")
    assert done.returncode == 1
    assert "the script scirpt.py does not exist or is no file" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_simulation_and_not_the_script(tmp_path, number):
    write(
        tmp_path,
        """
        simulation = sterna.Simulation(settings, system)
        simulation.run(10)
        if simulation.rank == 0:
            print("runs")
        try:
            simulation.run(100_000_000)
        except KeyboardInterrupt:
            step = simulation.step
        simulation.run(5)
        assert simulation.step == step + 5
        print(f"rank {simulation.rank} ended at {step}")
        """,
    )
    process = subprocess.Popen(
        command(2, "script.py"),
        cwd=tmp_path,
        env=sterna_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "runs\n"
    time.sleep(1.0)
    os.kill(process.pid, number)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, out + err
    steps = re.findall(r"rank \d ended at (\d+)", out)
    assert len(steps) == 2 and len(set(steps)) == 1
