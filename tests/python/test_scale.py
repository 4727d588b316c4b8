"""benchmarks/scale: formulas of messages against what runs send, and the replay on small plans."""

import shutil
import sys
from pathlib import Path

import numpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "benchmarks" / name) for name in ("scale", "support", "biomolecules")]

import recording  # noqa: E402
from model import LEAST_LEAF  # noqa: E402
from network import Plan, build, replay  # noqa: E402
from prediction import predicted  # noqa: E402
from recording import Case  # noqa: E402
from regions import Messages, direct_halo, grid_of, staged_halo  # noqa: E402
from tree import Partition, Tree, chosen  # noqa: E402

OVERHEAD, LATENCY, BANDWIDTH = 0.3e-6, 200e-9, 6.25e9  # of replay.cpp and its torus
INSIDE_NODE = 20e9


def test_grids_are_those_of_least_surface():
    assert grid_of(8) == (2, 2, 2)
    assert grid_of(12) == (2, 2, 3)
    assert grid_of(4096) == (16, 16, 16)


def test_a_halo_is_the_shell_around_the_region():
    edge, width = 16.0, 0.5
    halo = direct_halo((4, 4, 4), (edge, edge, edge), width, 1.0)
    messages, volume = halo.sent_by(21)
    assert messages == 26
    assert volume == pytest.approx(5.0**3 - 4.0**3, rel=1e-6)
    # Forwarded by the faces it is the same shell, in six messages.
    stages = [stage.sent_by(21) for stage in staged_halo((4, 4, 4), (edge,) * 3, width, 1.0)]
    assert [messages for messages, _ in stages] == [2, 2, 2]
    assert sum(volume for _, volume in stages) == pytest.approx(volume, rel=1e-6)


def test_bytes_go_into_messages_that_are_there():
    edges = (16.0, 16.0, 16.0)
    wide, narrow = (direct_halo((4, 4, 4), edges, width, 1.0) for width in (5.0, 0.5))
    both = wide.plus(narrow)
    assert both.sent_by(21)[0] == wide.sent_by(21)[0] == 63 > narrow.sent_by(21)[0]
    assert both.sent_by(21)[1] == pytest.approx(wide.sent_by(21)[1] + narrow.sent_by(21)[1])
    there = (both.source == 21) & (both.target == 22)
    assert both.size[there] == pytest.approx(
        wide.size[there] + narrow.size[(narrow.source == 21) & (narrow.target == 22)]
    )


def test_expansions_come_from_the_neighbors_of_the_parents():
    # Four cells along a rank's edge at depth 2, whose parents are two: their neighbors' children
    # reach two cells beyond.
    partition = Partition(Tree(4, 2, 3), (4, 4, 4))
    messages, size = partition.multipoles(2).sent_by(5)
    assert messages == 26
    assert size == (8**3 - 4**3) * 16 * 4
    assert partition.locals(2).sent_by(5) == (0, 0.0)


def test_formulas_give_what_eight_ranks_send(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "BASE_STEPS", 1)
    case, steps = Case(8, levels=3, order=4), 4
    recording.run(recording.base_input(tmp_path, case.base), 1, None)
    result = recording.run(recording.write_case(tmp_path, case, steps), 8, None)
    tree = recording.tree_of(result["settings"], case.levels)
    timing = result["timing"]
    formulas = predicted(
        case, tree, result["settings"]["skin"], timing["steps"], timing["rebuilds"]
    )
    recorded = recording.exchanges_of(timing)
    assert set(formulas) <= set(recorded)
    # What these send depends on the molecules at the borders.
    assert set(recorded) - set(formulas) == {"migration", "halo vectors"}
    assert any(name.startswith("fmm multipoles, level") for name in formulas)
    for name, of_rounds in formulas.items():
        messages, size = of_rounds(recorded[name]["rounds"])
        assert messages == recorded[name]["messages_sent"], name
        # Cells are exact. Atoms are still near their lattice, and a halo cuts between its planes:
        # of oxygens, whose forces return, it has two or three of four. Steps that log energies
        # return potentials beside the fields.
        counts_atoms = {"halo positions": 0.2, "halo forces": 0.5}
        counts_atoms |= {"fmm charges": 0.2, "fmm near fields": 0.2}
        tolerance = counts_atoms.get(name, 1e-12)
        assert size == pytest.approx(recorded[name]["bytes_sent"], rel=tolerance), name


@pytest.mark.parametrize("ranks", [1, 8])
def test_the_tree_is_that_which_the_program_chooses(tmp_path, monkeypatch, ranks):
    monkeypatch.setattr(recording, "BASE_STEPS", 1)
    case = Case(10)  # five cells along an edge on one rank, four on eight
    recording.run(recording.base_input(tmp_path, case.base), 1, None)
    result = recording.run(recording.write_case(tmp_path, case, 1), ranks, None)
    found = recording.tree_of(result["settings"], None)
    expected = chosen(case.atoms, 1e-3, LEAST_LEAF / case.edges[0], ranks)
    assert (expected.top, expected.levels) == (found.top, 0)
    assert expected.order <= found.order  # the run raises it until the error is small enough


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    if shutil.which("g++") is None:
        pytest.skip("no g++")
    return build(tmp_path_factory.mktemp("replay"), "replay")


def plan_of(source: list[int], target: list[int], size: float) -> Plan:
    plan = Plan(64)
    messages = Messages(numpy.array(source), numpy.array(target), numpy.full(len(source), size))
    plan.exchange("exchange", messages)
    return plan


@pytest.mark.parametrize(("method", "receiving"), [("p2p", OVERHEAD), ("put", 0.0)])
def test_a_message_costs_its_ends_and_its_way(program, method, receiving):
    # From node 0 to node 5 of 4 x 4: one hop along each axis.
    found = replay(program, plan_of([0], [20], 1000.0), "torus", method, steps=1)
    expected = OVERHEAD + 2 * LATENCY + 1000.0 / BANDWIDTH + receiving
    assert found.step == pytest.approx(expected, rel=1e-6)


def test_messages_on_one_link_follow_each_other(program):
    # Four ranks of node 0, each to one of node 1.
    found = replay(program, plan_of([0, 1, 2, 3], [4, 5, 6, 7], 50e3), "torus", "put", steps=1)
    assert found.step == pytest.approx(OVERHEAD + LATENCY + 4 * 50e3 / BANDWIDTH, rel=1e-6)


def test_a_large_message_waits_for_its_receiver(program):
    def plan() -> Plan:
        plan = Plan(64)
        late = numpy.zeros(64)
        late[1] = 1e-3
        plan.compute("computing", late)
        messages = Messages(numpy.array([0]), numpy.array([1]), numpy.array([100e3]))
        plan.exchange("exchange", messages)
        return plan

    transfer = LATENCY + 100e3 / INSIDE_NODE
    two_sided = replay(program, plan(), "torus", "p2p", steps=1).step
    assert two_sided == pytest.approx(1e-3 + LATENCY + transfer + OVERHEAD, rel=1e-6)
    # A put was there before.
    assert replay(program, plan(), "torus", "put", steps=1).step == pytest.approx(1e-3, rel=1e-6)


def test_a_reduction_takes_a_round_for_each_doubling(program):
    plan = Plan(64)
    plan.reduce("reductions", 8)
    found = replay(program, plan, "fat_tree", "put", steps=1)
    # Two rounds inside of the node, two by one switch, two by three; 1 ns for combining.
    expected = 6 * (2 * OVERHEAD + 1e-9) + 2 * LATENCY + 2 * 500e-9 + 2 * 1e-6
    expected += 2 * 8 / INSIDE_NODE + 4 * 8 / 12.5e9
    assert found.step == pytest.approx(expected, rel=0.01)
