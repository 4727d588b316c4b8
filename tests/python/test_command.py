"""The `sterna` command as users of any shell meet it, and what a run shows to others."""

import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import sterna as module
from conftest import ROOT, sterna_command, sterna_environment, write_python_program
from sterna.launching import processes
from test_run import start, wait_for_step

LS1 = ROOT / "tests" / "data" / "ls1"


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STERNA_MACHINE_FILE", "none")
    return tmp_path


def test_the_module_runs_inputs_of_ls1(in_folder):
    for file in LS1.iterdir():
        shutil.copy(file, in_folder)
    result = module.run("ascii.xml", ranks=1)
    assert result.log["step"].tolist() == [0, 5, 10, 15, 20]


def test_the_module_runs_inputs_with_a_byte_order_mark(in_folder, melt):
    path = melt(steps=2, thermo=1)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b'"melt"', b'"marked"'))
    result = module.run(path, ranks=1)
    assert result.log_path == Path("marked.log.jsonl")
    assert len(result.log) == 3


def test_the_module_says_what_is_wrong_with_an_input(in_folder, melt):
    path = melt()
    path.write_text(path.read_text().replace("cutoff", "cutof"))
    with pytest.raises(module.SternaError, match='did you mean "cutoff"') as caught:
        module.run(path)
    assert caught.value.status == 2


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("verb", [[], ["run"], ["new", "slab"], ["validate"]])
def test_help(verb, flag, sterna):
    done = sterna(*verb, flag)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Usage:")
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_version(sterna):
    done = sterna("--version")
    assert (done.returncode, done.stdout) == (0, f"sterna {module.__version__}\n")


def test_help_has_the_usual_commands_first_in_whole_sentences(sterna):
    shown = sterna("--help").stdout
    usual, other = shown.split("Usual commands:")[1].split("Other commands:")
    assert re.findall(r"^  (\w+)", usual, re.MULTILINE)[:3] == ["run", "check", "watch"]
    assert "..." not in usual + other
    assert "bench" in other
    for part in (usual, other):
        for entry in re.split(r"\n  (?=\w)", part.rstrip()):
            assert not entry.strip() or entry.endswith("."), entry


@pytest.mark.parametrize("group", ["new", "validate"])
def test_help_of_a_group_has_whole_sentences(sterna, group):
    commands = sterna(group, "--help").stdout.split("Commands:")[1]
    assert "..." not in commands
    for entry in re.split(r"\n  (?=\w)", commands.rstrip()):
        assert not entry.strip() or entry.endswith("."), entry


def test_the_page_of_man_is_what_the_command_says():
    tool = ROOT / "tools" / "write_shell_files.py"
    done = subprocess.run(
        [sys.executable, tool, "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    page = (ROOT / "packaging" / "shell" / "sterna.1").read_text(encoding="utf-8")
    for verb in ("run", "sweep", "new slab", "import"):
        assert f".SS sterna {verb}\n" in page


def test_bash_completes_by_the_file_of_the_wheel(tmp_path):
    """Where the command is on the path, and without asking it for a script."""
    program = tmp_path / "sterna"
    code = "import sys; sys.argv[0] = 'sterna'; from sterna.command import main; main()"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c "{code}" "$@"\n')
    program.chmod(0o755)
    script = ROOT / "packaging" / "shell" / "sterna.bash"
    asked = (
        f"source {shlex.quote(str(script))}; COMP_WORDS=(sterna che); COMP_CWORD=1; "
        '_sterna_completion sterna; echo "${COMPREPLY[@]}"; complete -p sterna'
    )
    environment = sterna_environment()
    environment["PATH"] = f"{tmp_path}:{environment['PATH']}"
    done = subprocess.run(
        ["bash", "-c", asked], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[0] == "check", done.stdout + done.stderr
    assert "-F _sterna_completion sterna" in done.stdout


def test_completion_of_verbs_and_files(tmp_path):
    """As the script calls the command that `sterna --show-completion bash` prints."""

    def completed(*words):
        environment = {"_STERNA_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(words)}
        environment["COMP_CWORD"] = str(len(words) - 1)
        code = "import sys; sys.argv[0] = 'sterna'; from sterna.command import main; main()"
        return subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env=sterna_environment() | environment,
            capture_output=True,
            text=True,
            check=False,
        ).stdout.split()

    assert {"run", "check", "bench"} <= set(completed("sterna", ""))
    assert completed("sterna", "che") == ["check"]
    assert "--resume" in completed("sterna", "run", "--r")
    # The command asks which shell has started it.
    shown = shlex.join(sterna_command("--show-completion", "bash"))
    script = subprocess.run(
        ["bash", "-c", f"{shown}; exit"],
        env=sterna_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "complete" in script.stdout, script.stderr


@pytest.mark.parametrize("verb", [["check"], ["run", "-n", "1"]])
def test_the_name_of_an_input_may_begin_with_a_dash(verb, sterna, melt, tmp_path):
    melt(steps=2, thermo=1).rename(tmp_path / "-x.toml")
    done = sterna(*verb, "--", "-x.toml")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("verb", [["check"], ["run", "-n", "1"]])
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("/", "is a folder"),
        ("/dev/zero", "is not a regular file"),
        ("pipe.toml", "is not a regular file"),
        ("/dev/zero.xml", "does not exist"),
        ("zero.xml", "is not a regular file"),
    ],
)
def test_what_is_no_file_is_not_read(verb, name, reason, sterna, tmp_path):
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "zero.xml").symlink_to("/dev/zero")
    done = sterna(*verb, name)
    said = done.stdout + done.stderr
    assert done.returncode == 2, said
    assert reason in said


def test_no_other_input_is_read_without_a_bound(sterna, melt, tmp_path):
    for name in ("zero.tersoff", "machine.json", "machine.network"):
        (tmp_path / name).symlink_to("/dev/zero")
    path = melt(steps=2, thermo=1)
    text = path.read_text()
    path.write_text(f'{text}[communication]\nmachine_file = "machine.json"\n')
    done = sterna("run", path, "-n", 1)
    assert done.returncode == 0, done.stderr
    silicon = (ROOT / "examples" / "silicon.toml").read_text()
    path.write_text(
        silicon.replace("[interaction]", '[interaction]\nparameter_file = "zero.tersoff"')
    )
    done = sterna("run", path, "-n", 1)
    assert done.returncode == 2
    assert 'the parameter file "zero.tersoff" is not a regular file' in done.stderr


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("conf.gro", "ase convert"),
        ("1UBQ.PDB", "ase convert"),
        ("POSCAR", "ase convert"),
        ("topol.top", "sterna import"),
        ("water.prmtop", "sterna import"),
        ("water.psf", "sterna import"),
        ("start.xyz.bz2", "bunzip2 start.xyz.bz2"),
    ],
)
def test_files_of_other_programs_are_recognized(name, advice, sterna, tmp_path):
    (tmp_path / name).write_text("Water\n3\n    1SOL     OW    1   0.1   0.1   0.1\n")
    (tmp_path / "input.toml").write_text(
        f'[run]\nsteps = 1\ntimestep = 0.002\n[start]\nkind = "file"\nfile = "{name}"\n'
        'temperature = 1.0\n[[type]]\nname = "A"\n[interaction]\ncutoff = 2.5\n'
    )
    for file in (name, "input.toml"):
        done = sterna("check", file)
        assert done.returncode == 2
        assert advice in done.stdout
    assert "input.toml:6:8: error: the start file" in done.stdout


def test_nobody_has_to_read_to_the_end(melt, tmp_path):
    melt(steps=200, thermo=1)
    for words in (["run", "melt.toml", "-n", "1"], ["schema"], ["models"], ["--help"]):
        process = subprocess.Popen(
            sterna_command(*words),
            cwd=tmp_path,
            env=sterna_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
        process.wait(timeout=120)
        assert said == b"", words
        if words[0] == "run":
            assert process.returncode == 0
    # What nobody read has been computed all the same.
    assert module.read_log(tmp_path / "melt.log.jsonl").events[-1]["status"] == "complete"


def test_tables_have_80_columns_and_timing_is_asked_for(sterna, melt):
    melt(steps=20, thermo=5)
    short = sterna("run", "melt.toml", "-n", 2)
    assert short.returncode == 0, short.stderr
    lines = short.stdout.splitlines()
    head = next(n for n, line in enumerate(lines) if "E_pot/N" in line)
    table = lines[head : lines.index("", head)]
    assert len(table) == 6
    assert max(map(len, table)) <= 80
    assert "steps/s" in short.stdout
    assert "exchange methods" not in short.stdout
    long = sterna("run", "melt.toml", "-n", 2, "--verbose")
    assert long.returncode == 0, long.stderr
    for part in ("time in s", "exchange methods:", "list rebuilds"):
        assert part in long.stdout
        assert part not in short.stdout


def test_what_a_run_shares_is_its_owners(melt, tmp_path):
    """Segments of shared memory and the launcher's folders: nobody else may read them."""
    melt(steps=1000000, thermo=100)
    shared = [Path("/dev/shm"), tmp_path / "temporary"]
    shared[1].mkdir()
    before = set(Path("/dev/shm").iterdir())
    process = start(tmp_path, ranks=2, TMPDIR=str(shared[1]))
    try:
        wait_for_step(tmp_path / "melt.log.jsonl", 100, process)
        ranks = set(processes.descendants(process.pid))
        found = [path for path in shared[0].iterdir() if path not in before]
        found += list(shared[1].iterdir())
        mapped = set()
        for rank in ranks:
            for line in Path(f"/proc/{rank}/maps").read_text(encoding="utf-8").splitlines():
                path = line.partition("/")[1] + line.partition("/")[2]
                if path.startswith(("/dev/shm/", str(shared[1]))):
                    mapped.add(Path(path.removesuffix(" (deleted)")))
        assert found, "a run of two ranks shares nothing?"
        for path in {*found, *mapped}:
            try:
                mode = path.stat().st_mode
            except FileNotFoundError:
                continue  # gone, or without a name: nobody opens it
            assert stat.S_IMODE(mode) & 0o077 == 0, f"{path} has mode {stat.filemode(mode)}"
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


def test_dev_refuses_a_python_that_is_too_old(tmp_path):
    shutil.copy(ROOT / "dev", tmp_path)  # where there is no environment yet
    for name in ("python3", "python3.11", "python3.12", "python3.13", "python3.14"):
        old = tmp_path / "bin" / name
        old.parent.mkdir(exist_ok=True)
        write_python_program(
            old,
            "import sys\n"
            "sys.version_info = (3, 10, 12)\n"
            "if sys.argv[1] == '-V': print('Python 3.10.12')\n"
            "else: exec(sys.argv[2])\n",
        )
    done = subprocess.run(
        [tmp_path / "dev", "build"],
        env=os.environ | {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "Python 3.10.12, but Python 3.11 or later is needed" in done.stderr
