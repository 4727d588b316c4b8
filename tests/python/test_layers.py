"""The checks that includes, symbols and imports of Python only point down the layers."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from sterna.launching.program import find_program

sys.path.insert(0, str(ROOT / "tools"))
import check_packages
from check_layers import Unit, check, check_symbols, problem, problems_of_units


def test_every_include_of_the_source_tree_points_down():
    assert check(ROOT) == []


@pytest.mark.parametrize(
    ("source", "included", "word"),
    [
        ("src/comm/context/context.cpp", "md/core/vector.hpp", "lower layer"),
        ("include/sterna/comm/context.hpp", "comm/context/waiter.hpp", "public"),
        ("src/comm/context/waiter.cpp", "comm/transport/rdma/worker.hpp", "above"),
        ("src/comm/onesided/window.hpp", "comm/neighbor/table.hpp", "above"),
        ("src/comm/neighbor/methods/p2p.cpp", "comm/message/pool.hpp", "above"),
        ("src/comm/attic/x.cpp", "comm/context/waiter.hpp", "not in the list"),
        ("src/md/core/box.hpp", "python/job.hpp", "nothing of Python"),
        ("src/md/core/box.hpp", "sterna/fmm.hpp", "knows nothing of it"),
        ("src/fmm/solver.cpp", "comm/c/call.hpp", "public headers"),
        ("src/fmm/solver.cpp", "mpi.h", "only sterna::comm"),
        ("src/md/core/box.hpp", "md/domain/halo.hpp", "above"),
        ("src/md/input/log.hpp", "md/simulation/step.hpp", "above"),
        ("src/md/domain/halo.cpp", "comm/context/waiter.hpp", "public headers"),
        ("src/md/domain/halo.cpp", "mpi.h", "only sterna::comm"),
        ("src/app/sterna_md.cpp", "ucp/api/ucp.h", "only sterna::comm"),
        ("src/md/forces/pair/x.inl", "md/forces/coulomb/ewald.hpp", "knows no other"),
        ("src/md/forces/set.hpp", "md/forces/pair/x.hpp", "knows no other"),
        ("src/md/input/x.cpp", "md/forces/coulomb/input/x.hpp", "above"),
        ("src/md/forces/coulomb/x.cpp", "md/forces/coulomb/input/x.hpp", "above"),
        ("src/md/forces/coulomb/input/x.cpp", "md/integrate/x.hpp", "above"),
        ("src/md/forces/coulomb/input/x.cpp", "md/forces/pair/x.hpp", "knows no other"),
        ("src/md/attic/x.cpp", "vector", "not in the list"),
    ],
)
def test_an_include_that_points_up_is_found(source, included, word):
    assert word in problem(source, included)


@pytest.mark.parametrize(
    ("source", "included"),
    [
        ("src/comm/context/context.cpp", "mpi.h"),
        ("src/fmm/c/solver.cpp", "comm/c/call.hpp"),
        ("src/scafacos/fcs.cpp", "mpi.h"),
        ("src/comm/neighbor/methods/p2p.cpp", "comm/onesided/window.hpp"),
        ("src/md/simulation/step.cpp", "md/core/vector.hpp"),
        ("src/md/forces/pair/x.cpp", "md/forces/force_term.hpp"),
        ("src/md/forces/coulomb/input/x.cpp", "md/forces/coulomb/ewald.hpp"),
        ("src/md/forces/coulomb/input/x.cpp", "md/input/input.hpp"),
        ("src/md/integrate/x.cpp", "md/forces/external/input/x.hpp"),
        ("src/md/domain/halo.cpp", "sterna/comm/neighbor_exchange.hpp"),
        ("src/app/sterna_md.cpp", "md/simulation/simulation.hpp"),
    ],
)
def test_an_include_that_points_down_is_fine(source, included):
    assert problem(source, included) is None


def test_the_line_is_named(tmp_path):
    folder = tmp_path / "src" / "md" / "core"
    folder.mkdir(parents=True)
    Path(folder / "bad.hpp").write_text('#pragma once\n#  include "md/input/input.hpp"\n')
    (line,) = check(tmp_path)
    assert line.startswith("src/md/core/bad.hpp:2: md/input/input.hpp: ")


def test_no_folder_of_the_engine_needs_a_symbol_of_a_higher_one():
    objects = Path(find_program()).parents[2] / "src" / "md" / "CMakeFiles" / "sterna_md.dir"
    if not objects.is_dir():
        pytest.skip(f"{objects} is not there: the program was built elsewhere")
    assert check_symbols(objects) == []


def test_a_symbol_that_only_a_higher_folder_defines_is_found():
    low = Unit("input/a.o", {"input"}, {"f"}, {"g", "printf"})
    high = Unit("observe/b.o", {"observe"}, {"g"}, {"f"})
    assert problems_of_units([low, high]) == [("g", low, high)]
    # Compiled together: the lowest folder may define it, the highest may need it.
    mixed = Unit("Unity/c.o", {"core", "domain"}, {"h"}, {"k"})
    assert problems_of_units([Unit("system/d.o", {"system"}, set(), {"h"}), mixed]) == []
    assert problems_of_units([mixed, Unit("domain/e.o", {"domain"}, {"k"}, set())]) == []


@pytest.mark.skipif(shutil.which("c++") is None, reason="there is no compiler")
def test_object_files_are_read(tmp_path):
    for folder, text in (
        ("input", "namespace md { int rows(); int count() { return rows(); } }"),
        ("observe", "namespace md { int rows() { return 3; } int more(); int n() { return more(); } }"),
        ("Unity", '#include "../../src/md/system/s.cpp"\n#include "../../src/md/integrate/i.cpp"\n'
                  "namespace md { int more() { return 1; } }"),
    ):  # fmt: skip
        source = tmp_path / folder / "x.cxx"
        source.parent.mkdir()
        source.write_text(text)
        made = text.split("\n")[-1]
        subprocess.run(
            ["c++", "-x", "c++", "-c", "-", "-o", f"{source}.o"], input=made, text=True, check=True
        )
    (line,) = check_symbols(tmp_path)
    assert line == (
        "md::rows(): input/x.cxx.o (input) needs it, and only observe/x.cxx.o (observe) defines it"
    )
    assert check_symbols(tmp_path / "input") != []


def test_every_import_of_the_python_packages_points_down():
    assert check_packages.check(ROOT) == []


def _tree(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / "python" / "sterna" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("support/a.py", "import os\nfrom sterna.report.page import x\n", (":2: report", "above")),
        ("support/a.py", "def f():\n    import sterna.live.core\n", (":2: live.core", "above")),
        ("frames/a.py", "from sterna import comm\n", (":1: comm", "above")),
        ("frames/a.py", "from ..report import page\n", (":1: report.page", "above")),
        ("frames/a.py", "from sterna import Result\n", (":1: sterna", "names of users")),
        ("live/a.py", "def f():\n    from sterna.errors import E\n", (":2: errors", "in a function")),
        ("attic/a.py", "from sterna import errors\n", (":1: errors", "attic is not in the list")),
        (
            "runs/a.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import sterna.live.core\n",
            (":3: live.core", "above"),
        ),
    ],
)  # fmt: skip
def test_an_import_that_points_up_or_hides_is_found(name, text, words, tmp_path):
    others = {"comm.py": "", "errors.py": "", "report/page.py": "", "live/core.py": ""}
    found = [line for line in check_packages.check(_tree(tmp_path, {**others, name: text}))
             if not line.startswith("LATER")]  # fmt: skip
    assert len(found) == 1 and all(word in found[0] for word in words), found


def test_modules_that_go_round_are_found(tmp_path):
    files = {
        "live/a.py": "from sterna.live import b\n",
        "live/b.py": "def f():\n    from sterna.live.c import x\n",
        "live/c.py": "import sterna.live.a\n",
        "live/d.py": "import sterna.live.a\n",
    }
    found = check_packages.check(_tree(tmp_path, files))
    (way,) = [line for line in found if line.startswith("a circle")]
    assert way == "a circle: live.a -> live.b -> live.c -> live.a"
