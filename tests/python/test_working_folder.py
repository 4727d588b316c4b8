"""What lies in the folder in which somebody calls Sterna, such as downloaded inputs, is not run."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import ROOT, sterna_environment
from sterna.launching.launch import program_environment
from sterna.launching.program import find_program

# What a Python process of Sterna imports by name, of the standard library, of others and its own.
MODULES = ("json", "typing", "numpy", "h5py", "rich", "typer", "sterna", "sitecustomize")
LIBRARIES = (
    "libgcc_s.so.1",
    "libstdc++.so.6",
    "libmpi.so.40",
    "libucp.so.0",
    "libz.so.1",
    "libhdf5.so",
    "libhdf5_serial.so.103",
)
SCRIPT = """
import sterna
settings = sterna.Input(units="reduced", run={"timestep": 0.002}, interaction={"cutoff": 2.5})
system = sterna.System.lattice([6, 6, 6], density=0.8442, temperature=1.44)
simulation = sterna.Simulation(settings, system, ranks=2)
simulation.run(2)
"""


def call(
    folder: Path, command: Sequence[object], **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env=sterna_environment() | variables,
        capture_output=True,
        text=True,
        timeout=300,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def sterna(*arguments: object) -> list[object]:
    # As an installed command, whose own folder is the first that modules are looked for in.
    return [sys.executable, "-P", "-m", "sterna", *arguments]


@pytest.fixture
def hostile(melt, tmp_path) -> Path:
    """A folder with an input, and with modules and libraries of names that Sterna's processes use."""
    folder = tmp_path / "downloaded"
    folder.mkdir()
    text = melt(steps=20, trajectory=10, folder=folder).read_text()
    (folder / "melt.toml").write_text(f"{text}report = true\n")
    for name in MODULES:
        (folder / f"{name}.py").write_text(
            f'open({str(tmp_path / "ran")!r}, "a").write("{name} ")\nraise SystemExit(77)\n'
        )
    for name in LIBRARIES:
        (folder / name).write_bytes(b"not a library")
    for name in ("openmpi-mca-params.conf", "prte-mca-params.conf", "pmix-mca-params.conf"):
        (folder / name).write_text("mca_base_component_path = .\n")
    return folder


@pytest.mark.parametrize("way", ["run", "check", "program", "script"])
def test_nothing_of_the_working_folder_is_loaded(way, hostile, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    script = tmp_path / "elsewhere" / "script.py"
    script.write_text(SCRIPT)
    command = {
        "run": sterna("run", "melt.toml", "-n", 2),
        "check": sterna("check", "melt.toml"),
        # It starts Python for the report by itself.
        "program": [find_program(), "melt.toml", "--python", sys.executable],
        "script": [sys.executable, script],
    }[way]
    loader = tmp_path / "loader"
    loader.mkdir()
    done = call(
        hostile,
        command,
        **{name: value for name, value in program_environment().items() if name != "STERNA_HDF5"},
        PYTHONPATH=str(ROOT / "python"),
        LD_DEBUG="libs",
        LD_DEBUG_OUTPUT=str(loader / "process"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    ran = tmp_path / "ran"
    assert not ran.exists(), ran.read_text()
    if way in ("run", "program"):
        assert (hostile / "melt.report.html").exists()
    # What the loader of each process tries and loads has an absolute path.
    tried = [
        line
        for path in loader.iterdir()
        for line in re.findall(
            r"(?:trying file=|calling init: )(.*)", path.read_text(errors="replace")
        )
    ]
    assert any("libmpi.so" in file for file in tried)
    assert [file for file in tried if not file.startswith("/")] == []


@pytest.mark.parametrize("way", ["run", "program", "module"])
def test_settings_of_ucx_in_the_working_folder_are_refused(way, melt, tmp_path):
    folder = tmp_path / "downloaded"
    folder.mkdir()
    melt(steps=2, thermo=1, folder=folder)
    written = tmp_path / "log of UCX"
    (folder / "ucx.conf").write_text(f"UCX_LOG_LEVEL=info\nUCX_LOG_FILE={written}\n")
    command = {
        "run": sterna("run", "melt.toml", "-n", 2),
        "program": [find_program(), "melt.toml"],
        "module": [sys.executable, "-c", "from sterna.live.core import core; core()"],
    }[way]
    done = call(folder, command)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stderr.count("UCX would take settings from this file") == 1, done.stderr
    assert not written.exists()
    assert not (folder / "melt.log.jsonl").exists()
    # A user who names the folder means the file, and so does one who works in the home folder.
    for variable in ("UCX_CONFIG_DIR", "HOME"):
        done = call(folder, command, **{variable: str(folder)})
        assert done.returncode == 0, done.stdout + done.stderr
        written.unlink()


def test_ranks_of_a_launcher_refuse_the_settings_once(melt, tmp_path):
    melt(steps=2, thermo=1)
    (tmp_path / "ucx.conf").write_text("UCX_LOG_LEVEL=info\n")
    for rank, times in (("0", 1), ("1", 0)):
        done = call(
            tmp_path,
            [find_program(), "melt.toml"],
            OMPI_COMM_WORLD_RANK=rank,
            OMPI_COMM_WORLD_SIZE="2",
        )
        assert done.returncode == 1
        assert done.stderr.count("UCX would take settings") == times, done.stderr


def test_run_paths_of_all_that_is_built_are_absolute():
    checked = subprocess.run(
        [sys.executable, ROOT / "tests/support/run_paths.py", find_program().resolve().parents[2]],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize(
    ("run_path", "faults"),
    [("/usr/lib", 0), ("$ORIGIN/../lib:/opt", 0), ("/usr/lib:", 1), ("lib::$ORIGIN", 2)],
)
def test_run_paths_are_read_from_files(run_path, faults, tmp_path):
    library = tmp_path / "library.so"
    source = tmp_path / "library.c"
    source.write_text("int number = 7;\n")
    compiler = os.environ.get("CC", "gcc")
    options = ["-shared", f"-Wl,-rpath,{run_path}"]
    subprocess.run([compiler, source, "-o", library, *options], check=True)
    checked = subprocess.run(
        [sys.executable, ROOT / "tests/support/run_paths.py", library],
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"1 programs and libraries, {faults} faults" in checked.stdout, checked.stdout
    assert checked.returncode == (1 if faults else 0)


FORCE_FIELD = "<ForceField>\n {}\n</ForceField>\n"
CODE = "<{0}>open({1!r}, 'a').write('ran')</{0}>"
WATER = """\
CRYST1   40.000   40.000   40.000  90.00  90.00  90.00 P 1           1
HETATM    1  O   HOH A   1       1.000   1.000   1.000  1.00  0.00           O
HETATM    2  H1  HOH A   1       1.957   1.000   1.000  1.00  0.00           H
HETATM    3  H2  HOH A   1       0.760   1.927   1.000  1.00  0.00           H
END
"""


@pytest.mark.parametrize("element", ["Script", "InitializationScript"])
@pytest.mark.parametrize("way", ["named", "included", "same name"])
def test_no_code_of_a_force_field_is_run(element, way, tmp_path):
    ran = tmp_path / "ran"
    (tmp_path / "water.pdb").write_text(WATER)
    with_code = FORCE_FIELD.format(CODE.format(element, str(ran)))
    if way == "same name":
        (tmp_path / "amber14").mkdir()
        (tmp_path / "amber14/tip3p.xml").write_text(with_code)
        given = "amber14/tip3p.xml"
    elif way == "included":
        (tmp_path / "inner.xml").write_text(with_code)
        (tmp_path / "own.xml").write_text(FORCE_FIELD.format('<Include file="inner.xml"/>'))
        given = "own.xml"
    else:
        (tmp_path / "own.xml").write_text(with_code)
        given = "own.xml"
    command = sterna("import", "water.pdb", "--force-field", given, "-o", "water.toml")
    done = call(tmp_path, command)
    assert done.returncode == 2, done.stdout + done.stderr
    if way == "same name":
        assert "expected ./amber14/tip3p.xml for the first" in done.stderr
    else:
        named = tmp_path / ("inner.xml" if way == "included" else "own.xml")
        assert f"{named}:2: <{element}> has Python code" in done.stderr
    assert not ran.exists()
    assert not (tmp_path / "water.toml").exists()


def test_water_of_a_new_system_is_not_that_of_the_working_folder(tmp_path):
    (tmp_path / "amber14").mkdir()
    ran = tmp_path / "ran"
    (tmp_path / "amber14/tip3p.xml").write_text(
        FORCE_FIELD.format(CODE.format("InitializationScript", str(ran)))
    )
    done = call(tmp_path, sterna("new", "solvate", "--box", "2", "-o", "water.toml"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert not ran.exists()


def test_force_fields_are_found_where_openmm_finds_them(tmp_path):
    (tmp_path / "water.pdb").write_text(WATER)
    own = FORCE_FIELD.format('<Include file="amber14/tip3p.xml"/>')
    (tmp_path / "own.xml").write_text(own)
    for given in ("amber14/tip3p.xml", "own.xml", "./own.xml"):
        command = sterna("import", "water.pdb", "--force-field", given, "-o", "water.toml")
        done = call(tmp_path, [*command, "--overwrite"])
        assert done.returncode == 0, done.stdout + done.stderr


def test_lammps_is_not_that_of_the_working_folder(tmp_path):
    ran = tmp_path / "ran"
    for name in ("lammps", "numpy", "ctypes"):
        (tmp_path / f"{name}.py").write_text(f"open({str(ran)!r}, 'a').write('{name} ')\n")
    tried = call(
        tmp_path,
        [
            sys.executable,
            "-P",
            "-c",
            "from sterna.support.lammps_environment import find_lammps; print(find_lammps())",
        ],
        # Any Python does to see what it imports.
        STERNA_LAMMPS_PYTHON=sys.executable,
    )
    assert tried.returncode == 0, tried.stderr
    assert not ran.exists(), ran.read_text()
