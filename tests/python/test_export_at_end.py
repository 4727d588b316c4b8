"""`export` in [output]: a run leaves its trajectory in other programs' formats, however it ends."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import sterna as package
from conftest import sterna_command, sterna_environment
from engine_support import script_output
from sterna import SternaError, read_log
from sterna.exporting.table import MODULES
from sterna.frames.trajectory import Trajectory
from sterna.launching.program import find_program
from test_report_at_end import command_in, start_under_launcher, under_launcher
from test_run import wait_for_step
from trajectory_support import EDGES, MIXTURE, WATER, lattice_points, start_of

mdanalysis = pytest.importorskip("MDAnalysis")
gsd_hoomd = pytest.importorskip("gsd.hoomd")
ase_io = pytest.importorskip("ase.io")


def write_input(folder: Path, name: str, formats: list[str], *changes: tuple[str, str]) -> Path:
    """The run `water` or `mixture` of trajectory_support, which exports these."""
    (folder / "water_start.extxyz").write_text(
        start_of(lattice_points(64, EDGES), EDGES, ["H2O"] * 64)
    )
    text = {"water": WATER, "mixture": MIXTURE}[name]
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / f"{name}.toml"
    path.write_text(text + f"export = {formats}\n".replace("'", '"'))
    return path


def run(folder: Path, *arguments: object, **variables: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        sterna_command("run", *map(str, arguments)), cwd=folder,
        env=sterna_environment() | variables, capture_output=True, text=True, check=False,
    )  # fmt: skip


def hiding(folder: Path, *modules: str) -> dict[str, str]:
    """An environment in which these modules cannot be imported."""
    for module in modules:
        (folder / "hidden" / module).mkdir(parents=True)
        (folder / "hidden" / module / "__init__.py").write_text("raise ImportError('hidden')")
    before = sterna_environment().get("PYTHONPATH", "")
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(folder / "hidden"), before]))}


def steps_of(path: Path) -> list[int]:
    with gsd_hoomd.open(str(path)) as file:
        return [frame.configuration.step for frame in file]


def has_the_last_frame(folder: Path, name: str) -> None:
    """GSD, DCD, PDB and extended XYZ, by programs that are not Sterna, beside the H5MD file."""
    trajectory = Trajectory(folder / f"{name}.h5md")
    atoms = trajectory.atoms().at(trajectory[-1])
    assert steps_of(folder / f"{name}.export.gsd") == trajectory.steps.tolist()
    with gsd_hoomd.open(str(folder / f"{name}.export.gsd")) as file:
        last = file[-1]
    shown = last.particles.position + last.particles.image @ atoms.edges
    shown += 0.5 * atoms.edges.sum(axis=0)
    assert numpy.allclose(shown, atoms.position, atol=1e-5)
    universe = mdanalysis.Universe(
        str(folder / f"{name}.export.pdb"), str(folder / f"{name}.export.dcd")
    )
    assert len(universe.trajectory) == len(trajectory)
    scale = 1.0 if trajectory.is_reduced else 10.0
    assert numpy.allclose(universe.trajectory[-1].positions, scale * atoms.position, atol=1e-4)
    images = ase_io.read(folder / f"{name}.export.extxyz", index=":")
    assert len(images) == len(trajectory)
    assert numpy.allclose(images[-1].positions, scale * atoms.position, atol=1e-8)


FORMATS = ["gsd", "dcd", "pdb", "extxyz"]


@pytest.mark.parametrize("name", ["water", "mixture"])
def test_the_command_writes_the_files_and_says_so(tmp_path, name):
    write_input(tmp_path, name, FORMATS)
    done = run(tmp_path, f"{name}.toml", "-n", 2)
    assert done.returncode == 0, done.stderr
    for suffix in FORMATS:
        assert f"wrote {name}.export.{suffix}" in done.stdout
    has_the_last_frame(tmp_path, name)
    settings = read_log(tmp_path / f"{name}.log.jsonl").events[0]["settings"]
    assert settings["exports"] == [f"{name}.export.{suffix}" for suffix in FORMATS]


#: Those of several files are for `sterna export` only: a .gro belongs to two of them.
AT_END = [name for name in MODULES if name not in ("top", "xml")]


def test_every_format_can_be_asked_for(tmp_path):
    write_input(tmp_path, "mixture", AT_END)
    done = run(tmp_path, "mixture.toml", "-n", 1)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("wrote mixture.export.") == len(AT_END)
    # The engine knows the same names as the Python package.
    write_input(tmp_path, "mixture", ["none"])
    done = run(tmp_path, "mixture.toml", "-n", 1)
    assert done.returncode == 2
    assert all(f'"{name}"' in done.stderr for name in AT_END)


def test_a_new_run_keeps_what_an_earlier_one_has_left(tmp_path):
    write_input(tmp_path, "mixture", ["extxyz"])
    assert run(tmp_path, "mixture.toml", "-n", 1).returncode == 0
    first = (tmp_path / "mixture.export.extxyz").read_bytes()
    write_input(tmp_path, "mixture", ["extxyz"], ("steps = 8", "steps = 4"))
    assert run(tmp_path, "mixture.toml", "-n", 1).returncode == 0
    assert (tmp_path / "#mixture.export.extxyz.1#").read_bytes() == first
    assert len(ase_io.read(tmp_path / "mixture.export.extxyz", index=":")) == 3
    assert run(tmp_path, "mixture.toml", "-n", 1, "--overwrite").returncode == 0
    assert not (tmp_path / "#mixture.export.extxyz.2#").exists()


def test_files_of_the_user_stay(tmp_path):
    """The start of a run often has the name of its input."""
    write_input(tmp_path, "water", ["extxyz"], ("water_start.extxyz", "water.extxyz"))
    (tmp_path / "water_start.extxyz").rename(tmp_path / "water.extxyz")
    before = (tmp_path / "water.extxyz").read_bytes()
    for _ in range(2):
        done = run(tmp_path, "water.toml", "-n", 1, "--overwrite")
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "water.extxyz").read_bytes() == before


def test_a_run_that_is_interrupted_and_goes_on_has_all_frames_once(tmp_path):
    write_input(tmp_path, "mixture", ["gsd"], ("steps = 8", "steps = 100000000"),
                ("trajectory_interval = 2", "thermo_interval = 500\ntrajectory_interval = 500"))  # fmt: skip
    log = tmp_path / "mixture.log.jsonl"
    running = subprocess.Popen(
        sterna_command("run", "mixture.toml", "-n", "2", "--progress", "never"), cwd=tmp_path,
        env=sterna_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_for_step(log, 1000, running)
    running.send_signal(signal.SIGTERM)
    out, errors = running.communicate()
    assert running.returncode == 3, errors
    assert "wrote mixture.export.gsd" in out
    before = steps_of(tmp_path / "mixture.export.gsd")
    assert before == list(range(0, before[-1] + 1, 500)) and len(before) >= 3
    last = before[-1] + 2000
    write_input(tmp_path, "mixture", ["gsd"], ("steps = 8", f"steps = {last}"),
                ("trajectory_interval = 2", "thermo_interval = 500\ntrajectory_interval = 500"))  # fmt: skip
    done = run(tmp_path, "mixture.toml", "-n", 1, "--resume")
    assert done.returncode == 0, done.stderr
    assert steps_of(tmp_path / "mixture.export.gsd") == list(range(0, last + 1, 500))
    assert not list(tmp_path.glob("#*"))


def test_a_run_that_fails_has_what_is_there(tmp_path):
    write_input(tmp_path, "mixture", ["gsd"], ("timestep = 0.002", "timestep = 0.2"),
                ("steps = 8", "steps = 5000"))  # fmt: skip
    done = run(tmp_path, "mixture.toml", "-n", 1)
    assert done.returncode not in (0, 2, 3)
    assert "wrote mixture.export.gsd" in done.stdout
    assert steps_of(tmp_path / "mixture.export.gsd")[0] == 0


@pytest.mark.parametrize("how", ["command", "module", "simulation", "launcher"])
def test_what_must_be_installed_is_said_before_the_run(tmp_path, how):
    write_input(tmp_path, "mixture", ["gsd", "extxyz", "dcd", "pdb"])
    variables = hiding(tmp_path, "gsd", "MDAnalysis")
    environment = sterna_environment() | variables
    if how == "command":
        done = run(tmp_path, "mixture.toml", "-n", 2, **variables)
    elif how == "launcher":
        variables["PATH"] = command_in(tmp_path / "bin")
        done = under_launcher(tmp_path, str(find_program()), "mixture.toml",
                              **variables)  # fmt: skip
    else:
        made = {
            "module": 'sterna.run("mixture.toml", ranks=1)',
            "simulation": 'sterna.Simulation.from_file("mixture.toml", files=True)',
        }[how]
        done = subprocess.run(
            [sys.executable, "-c", f"import sterna\n{made}"], cwd=tmp_path, env=environment,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode != 0
    for suffix, needed in (("gsd", "gsd"), ("dcd", "MDAnalysis")):
        text = (
            f"exporting to .{suffix} needs {needed}, which is not installed: pip install {needed}"
        )
        assert done.stderr.count(text) == 1, done.stderr
    assert not (tmp_path / "mixture.log.jsonl").exists()


def test_check_warns_of_what_must_be_installed(tmp_path):
    write_input(tmp_path, "mixture", ["gsd"])
    done = subprocess.run(
        sterna_command("check", "mixture.toml"), cwd=tmp_path, capture_output=True, text=True,
        env=sterna_environment() | hiding(tmp_path, "gsd"), check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert "warning: exporting to .gsd needs gsd, which is not installed" in done.stderr
    assert "mixture.toml: valid" in done.stdout


def test_formats_lists_what_works(tmp_path):
    def formats(*names: str, **variables: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            sterna_command("formats", *names), env=sterna_environment() | variables,
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    shown = formats()
    assert shown.returncode == 0
    assert [line.split()[:2] for line in shown.stdout.splitlines()] == [
        [name, "works"] for name in MODULES
    ]
    hidden = hiding(tmp_path, "gsd")
    shown = formats("gsd", "extxyz", **hidden).stdout
    assert "gsd        missing" in shown and "pip install gsd" in shown
    assert "extxyz     works" in shown
    assert formats("--require", "extxyz", **hidden).returncode == 0
    assert formats("--require", "gsd", **hidden).returncode == 1


def test_an_export_that_fails_is_an_error_and_the_others_are_written(tmp_path):
    # The interval between frames of a DCD file is one number.
    write_input(
        tmp_path, "mixture", ["dcd", "gsd"], ("[output]\n", "[output]\ncheckpoint_interval = 2\n")
    )
    assert run(tmp_path, "mixture.toml", "-n", 1).returncode == 0
    write_input(tmp_path, "mixture", ["dcd", "gsd"], ("steps = 8", "steps = 14"),
                ("trajectory_interval = 2", "trajectory_interval = 3"))  # fmt: skip
    done = run(tmp_path, "mixture.toml", "-n", 1, "--resume")
    assert done.returncode != 0
    assert "no mixture.export.dcd: a DCD file has the same time between all frames" in done.stderr
    assert "wrote mixture.export.gsd" in done.stdout


@pytest.mark.parametrize(
    ("name", "formats", "change", "message"),
    [
        ("mixture", ["dcdd"], None, 'did you mean "dcd"?'),
        ("mixture", ["xyz"], None, 'did you mean "extxyz"?'),
        ("mixture", ["gsd", "gsd"], None, '"export" in [output] names a format more than once'),
        ("mixture", ["gsd"], ("trajectory_interval = 2", "trajectory_interval = 0"),
         'the run writes none; expected "trajectory_interval" of at least 1'),
        ("water", ["gsd"], (', "orientation", "angular_momentum"]', "]"),
         'nobody knows where those of "H2O" are; expected trajectory_fields = ["position", '),
        ("water", ["data"], ('"spce"', '"tip4p_2005"'),
         "LAMMPS, which has no sites without mass, as \"H2O\" has; `sterna export --no-massless`"),
    ],
)  # fmt: skip
def test_wrong_exports_are_told_with_their_place(tmp_path, name, formats, change, message):
    path = write_input(tmp_path, name, formats, *([change] if change else []))
    line = path.read_text().splitlines().index(f"export = {formats}".replace("'", '"')) + 1
    done = subprocess.run(
        sterna_command("check", path.name), cwd=tmp_path, env=sterna_environment(),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert message in done.stdout, done.stdout
    assert f"{path.name}:{line}:" in done.stdout


def test_ranks_of_a_launcher_write_them(tmp_path):
    write_input(tmp_path, "water", FORMATS)
    program = str(find_program())
    done = under_launcher(tmp_path, program, "water.toml", PATH=command_in(tmp_path / "bin"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("wrote water.export.gsd") == 1
    has_the_last_frame(tmp_path, "water")


def test_ranks_of_a_launcher_without_the_package_say_how_to_write_them(tmp_path):
    write_input(tmp_path, "mixture", ["gsd"])
    nowhere = os.pathsep.join(
        folder
        for folder in os.environ["PATH"].split(os.pathsep)
        if not (Path(folder) / "sterna").exists()
    )
    program = str(find_program())
    done = start_under_launcher(tmp_path, program, "mixture.toml", PATH=nowhere)
    _, errors = done.communicate()
    assert done.returncode == 0, errors
    command = "sterna export mixture.h5md mixture.export.gsd --overwrite"
    assert f"write the export mixture.export.gsd by: {command}" in errors
    assert not (tmp_path / "mixture.export.gsd").exists()
    words = command.split()[1:]
    subprocess.run(sterna_command(*words), cwd=tmp_path, env=sterna_environment(), check=True)
    assert steps_of(tmp_path / "mixture.export.gsd") == [0, 2, 4, 6, 8]


def test_a_run_in_python_has_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STERNA_MACHINE_FILE", "none")
    result = package.run(write_input(tmp_path, "water", FORMATS), ranks=2)
    assert [path.name for path in result.exports] == sorted(
        f"water.export.{suffix}" for suffix in FORMATS
    )
    has_the_last_frame(tmp_path, "water")
    write_input(tmp_path, "mixture", ["gsd"], ("timestep = 0.002", "timestep = 0.2"),
                ("steps = 8", "steps = 5000"))  # fmt: skip
    with pytest.raises(SternaError):
        package.run("mixture.toml", ranks=1)
    assert steps_of(tmp_path / "mixture.export.gsd")[0] == 0


SIMULATION = """
import sterna
simulation = sterna.Simulation.from_file("water.toml", files=True)
{body}
"""


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_simulation_that_is_closed_has_them(ranks, tmp_path):
    write_input(tmp_path, "water", FORMATS)
    body = "simulation.run(4)\nsimulation.run(8)\nsimulation.close()\nsimulation.close()"
    script_output(tmp_path, SIMULATION.format(body=body), ranks)
    assert steps_of(tmp_path / "water.export.gsd") == [0, 4, 8, 12]
    has_the_last_frame(tmp_path, "water")


def test_a_simulation_that_is_dropped_has_them(tmp_path):
    write_input(tmp_path, "water", FORMATS)
    script_output(tmp_path, SIMULATION.format(body="simulation.run(8)"))
    assert steps_of(tmp_path / "water.export.gsd") == [0, 4, 8]
    has_the_last_frame(tmp_path, "water")
