"""The names that users import, what `dir` shows of them, and their signatures."""

import importlib
import inspect
import re
import subprocess
import sys

import pytest
import sterna
from conftest import ROOT
from sterna.support.moved import MOVED

#: Those that need no extension module and no package that may be missing.
PAGE = re.findall(r"(?m)^::: (\S+)", (ROOT / "docs" / "api" / "python.md").read_text())


def documented(path: str) -> object:
    """What an entry of the API page names."""
    parts = path.split(".")
    for k in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:k]))
        except ModuleNotFoundError:
            continue
        for name in parts[k:]:
            found = getattr(found, name)
        return found
    raise AssertionError(path)


def members(thing: object) -> dict[str, object]:
    """Public classes and functions of a module, or of a class with `__init__`, by their names."""
    found = {}
    for name, member in vars(thing).items():
        member = getattr(member, "__func__", getattr(member, "fget", member))
        if name.startswith("_") and name not in ("__init__", "__getitem__", "__iter__", "__len__"):
            continue
        is_code = inspect.isfunction(member) or inspect.isclass(member)
        if is_code and member.__module__.split(".")[0] == "sterna":
            found[name] = member
    return found


def signatures(name: str, thing: object) -> dict[str, str]:
    """Every public signature of a module, class or function as text."""
    if inspect.isfunction(thing):
        return {name: str(inspect.signature(thing))}
    found = {f"{name}.{k}": str(v) for k, v in vars(thing).get("__annotations__", {}).items()}
    for member, value in members(thing).items():
        found |= signatures(f"{name}.{member}", value)
    return found


def test_dir_shows_all_names():
    code = "import sterna; print(*dir(sterna)); print(*sterna.__all__)"
    shown, listed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    wanted = {*listed.split(), "open", "errors"}
    assert wanted <= set(shown.split())
    assert all(hasattr(sterna, name) for name in wanted)
    on_the_page = {p.removeprefix("sterna.") for p in PAGE if p.count(".") == 1 and "ase" not in p}
    assert on_the_page <= set(shown.split())


def test_the_api_page_has_every_public_name():
    shown = {path.rsplit(".", 1)[-1] for path in PAGE} | set(vars(sterna.errors))
    assert {n for n in sterna.__all__ if n not in ("__version__",)} - shown == set()


@pytest.mark.parametrize("path", [path for path in PAGE if not path.startswith("sterna.ase")])
def test_public_signatures_say_what_they_take(path):
    found = signatures(path, documented(path))
    assert found
    loose = {name: text for name, text in found.items() if re.search(r"\bAny\b", text)}
    assert loose == {}
    if path != "sterna.errors":
        bare = [name for name, text in found.items() if text.startswith("(") and "->" not in text]
        assert bare == []


def test_a_simulation_shows_the_options_that_it_takes():
    assert list(inspect.signature(sterna.Simulation).parameters) == [
        "input", "system", "communicator", "ranks", "files", "resume", "overwrite",
    ]  # fmt: skip


def test_modules_are_found_under_the_names_that_the_page_once_had():
    lines = [
        "from sterna.trajectory import Trajectory, TrajectoryFrame",
        "from sterna.log import Log, read_log",
        "from sterna.simulation import Simulation",
        "from sterna.results import Average, Averages, Observation",
        "from sterna.runs import Result, read, run",
        "import sterna.sweep, sterna.box, sterna.frame, sterna.input, sterna.system",
        "import sterna",
        "assert Trajectory is sterna.Trajectory and read_log is sterna.read_log",
        "assert Simulation is sterna.Simulation and Averages is sterna.Averages",
        "assert run is sterna.run and sterna.sweep.Sweep is sterna.Sweep",
        "import sterna.frames.trajectory as new, sterna.trajectory as old",
        "assert new is old and new.__name__ == 'sterna.frames.trajectory'",
        "try:\n    import sterna.trajectories\nexcept ModuleNotFoundError as error:",
        "    print(error)",
    ]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (
        0, "No module named 'sterna.trajectories'", "",
    )  # fmt: skip
    for new in MOVED.values():
        importlib.import_module(new)
