"""tools/check_syntax.py: what a compiler refuses or warns of is found without code being made."""

import json
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT


@pytest.fixture
def check(tmp_path):
    """Checks a source with `int unused` or without, by the options of a build folder."""
    compiler = shutil.which("c++") or pytest.skip("there is no compiler")

    def run(source: str, *folders: str) -> subprocess.CompletedProcess:
        (tmp_path / "src").mkdir(exist_ok=True)
        (tmp_path / "build").mkdir(exist_ok=True)
        file = tmp_path / "src" / "one.cpp"
        file.write_text(source)
        unit = {"directory": str(tmp_path / "build"), "file": str(file)}
        unit["command"] = f"{compiler} -Wall -Werror -O1 -o one.o -c '{file}'"
        (tmp_path / "build" / "compile_commands.json").write_text(json.dumps([unit]))
        return subprocess.run(
            [sys.executable, ROOT / "tools" / "check_syntax.py", "build", *folders],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_a_good_source_passes_and_leaves_nothing(check, tmp_path):
    done = check("int f() { return 0; }\n", "src")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1 units checked, 0 refused\n"
    assert not list((tmp_path / "build").glob("*.o"))


@pytest.mark.parametrize("source", ["int f() { return }\n", "int f() { int unused; return 0; }\n"])
def test_errors_and_warnings_are_found(check, source):
    done = check(source, "src")
    assert done.returncode == 1
    assert done.stdout == "1 units checked, 1 refused\n"
    assert "one.cpp:1:" in done.stderr


def test_a_folder_without_sources_is_a_mistake(check):
    done = check("int f() { return 0; }\n", "include")
    assert done.returncode == 2
    assert "no source in build is below include" in done.stderr
