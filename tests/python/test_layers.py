"""The check that includes only point down the layers."""

import sys
from pathlib import Path

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
from check_layers import check, problem


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
        ("src/md/core/box.hpp", "md/domain/halo.hpp", "above"),
        ("src/md/input/log.hpp", "md/simulation/step.hpp", "above"),
        ("src/md/domain/halo.cpp", "comm/context/waiter.hpp", "public headers"),
        ("src/md/domain/halo.cpp", "mpi.h", "only sterna::comm"),
        ("src/app/sterna_md.cpp", "ucp/api/ucp.h", "only sterna::comm"),
        ("src/md/forces/pair/x.inl", "md/forces/coulomb/ewald.hpp", "knows no other"),
        ("src/md/forces/set.hpp", "md/forces/pair/x.hpp", "knows no other"),
        ("src/md/attic/x.cpp", "vector", "not in the list"),
    ],
)
def test_an_include_that_points_up_is_found(source, included, word):
    assert word in problem(source, included)


@pytest.mark.parametrize(
    ("source", "included"),
    [
        ("src/comm/context/context.cpp", "mpi.h"),
        ("src/comm/neighbor/methods/p2p.cpp", "comm/onesided/window.hpp"),
        ("src/md/simulation/step.cpp", "md/core/vector.hpp"),
        ("src/md/forces/pair/x.cpp", "md/forces/force_term.hpp"),
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
