"""`sterna.comm`: exchanges of NumPy arrays between ranks."""

import pytest
from engine_support import script_output

RING = """
import numpy
from sterna import SternaError, comm

ranks = comm.Context()
rank, size = ranks.rank, ranks.size
right, left = (rank + 1) % size, (rank - 1) % size

def raises(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), error
        return
    raise AssertionError(text)
"""


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_neighbors_get_what_is_sent_to_them(tmp_path, ranks):
    text = (
        RING
        + """
for method in ["auto", *(m.name for m in comm.neighbor_methods())]:
    if method != "auto" and ranks.why_unavailable("neighbor", method):
        continue
    ring = comm.NeighborExchange(ranks, send={right: 5}, receive={left: 5}, shape=(3,),
                                 method=method)
    for step in range(4):
        mine = numpy.full((1 + (rank + step) % 5, 3), 10.0 * rank + step)
        received = ring({right: mine})
        count = 1 + (left + step) % 5
        assert list(received) == [left]
        assert (received[left] == numpy.full((count, 3), 10.0 * left + step)).all()
    verdict = ring.verdict
    assert verdict.rounds == 4 and (method == "auto" or verdict.method == method)
    assert verdict.text and (method != "auto" or len(verdict.candidates) > 3)
    # Stepwise: nothing for anybody.
    ring.start()
    assert [(r, len(items)) for r, items in ring.arrivals()] == [(left, 0)]
    ring.finish()
"""
    )
    script_output(tmp_path, text, ranks)


@pytest.mark.parametrize("ranks", [1, 4])
def test_receivers_need_not_know_their_senders(tmp_path, ranks):
    text = (
        RING
        + """
kind = numpy.dtype([("id", "<i8"), ("place", "<f8", 3)])
for method in ["auto", *(m.name for m in comm.sparse_methods())]:
    everybody = list(range(size))
    if method != "auto" and ranks.why_unavailable("sparse", method):
        continue
    sparse = comm.SparseExchange(ranks, dtype=kind, method=method, possible_sources=everybody)
    for step in range(3):
        # Rank r sends r + 1 items to each rank below it, and to itself in odd steps.
        mine = numpy.zeros(rank + 1, kind)
        mine["id"], mine["place"] = rank, step
        targets = [*range(rank), *([rank] if step % 2 else [])]
        received = sparse({target: mine for target in targets})
        expected = [*([rank] if step % 2 else []), *range(rank + 1, size)]
        assert list(received) == expected, (received, expected)
        for source, items in received.items():
            assert len(items) == source + 1 and (items["id"] == source).all()
            assert (items["place"] == step).all()
    assert sparse.verdict.rounds == 3
"""
    )
    script_output(tmp_path, text, ranks)


def test_values_of_all_ranks(tmp_path):
    text = (
        RING
        + """
assert ranks.sum(1.0) == size and ranks.max(rank) == size - 1 and ranks.min(rank) == 0.0
assert (ranks.sum(numpy.full((2, 3), rank)) == sum(range(size))).all()
sent = numpy.arange(6, dtype=numpy.int32).reshape(2, 3) * (1 if rank == 1 else 0)
got = ranks.broadcast(sent, root=1)
assert got.dtype == numpy.int32 and got.tolist() == [[0, 1, 2], [3, 4, 5]]
ranks.barrier()
assert ranks.node_count == 1 and ranks.node_of(0) == 0 and ranks.description
"""
    )
    script_output(tmp_path, text, ranks=2)


def test_what_cannot_be_sent_is_said(tmp_path):
    text = (
        RING
        + """
ring = comm.NeighborExchange(ranks, send={right: 2}, receive={left: 2}, name="ring")
raises(ValueError, "is no peer", lambda: ring({right + 7: [1.0]}))
raises(ValueError, "its outbox holds 2: call reserve", lambda: ring({right: [1.0, 2.0, 3.0]}))
raises(TypeError, "dtype complex128, expected float64", lambda: ring({right: [1j]}))
raises(ValueError, "the shape (1, 1), expected (n,)", lambda: ring({right: [[1.0]]}))
raises(ValueError, f"there is no rank 9", lambda: comm.NeighborExchange(ranks, {9: 1}))
raises(ValueError, "expected at least 0", lambda: comm.NeighborExchange(ranks, {0: -1}))
raises(TypeError, "objects of Python", lambda: comm.SparseExchange(ranks, dtype=object))
raises(SternaError, 'did you mean "nbx"?', lambda: comm.SparseExchange(ranks, method="nbxx"))
raises(SternaError, "", lambda: comm.NeighborExchange(ranks, {right: 2 + rank}, {left: 1}))
ring.reserve({right: 10})
assert ring.peers[right][0] >= 10
received = ring({right: numpy.arange(10.0)})
assert (received[left] == numpy.arange(10.0)).all()
"""
    )
    script_output(tmp_path, text, ranks=2)


def test_an_exchange_lives_beside_a_simulation_and_on_part_of_the_ranks(tmp_path):
    text = (
        RING
        + """
import sterna
from mpi4py import MPI
half = comm.Context(MPI.COMM_WORLD.Split(rank % 2))
assert half.size == size // 2
sparse = comm.SparseExchange(half, dtype=int)
got = sparse({(half.rank + 1) % half.size: [rank]})
((source, items),) = got.items()
assert items.tolist() == [(rank + 2) % size]
settings = sterna.Input(units="reduced", run={"timestep": 0.002}, interaction={"cutoff": 2.5})
simulation = sterna.Simulation(settings, sterna.System.lattice([6, 6, 6], 0.8442, temperature=1.0))
simulation.run(10)
ring = comm.NeighborExchange(ranks, send={right: 1}, receive={left: 1}, dtype=numpy.int64)
assert ring({right: [rank]})[left].tolist() == [left]
kept = [ring, sparse]
"""
    )
    script_output(tmp_path, text, ranks=4)


def test_what_is_empty_has_any_dtype_and_what_does_not_fit_is_refused(tmp_path):
    text = (
        RING
        + """
sparse = comm.SparseExchange(ranks, dtype="i4", shape=(2,), possible_sources=[left])
for nothing in ([], numpy.zeros(0), numpy.zeros((0, 2)), numpy.zeros((0, 2), "i8")):
    received = sparse({right: nothing})
    assert all(len(items) == 0 and items.dtype == "i4" for items in received.values())
assert (sparse({right: [[1, 2]]})[left] == [[1, 2]]).all()
ring = comm.NeighborExchange(ranks, send={right: 2}, receive={left: 2}, dtype="i4")
assert ring({right: []})[left].dtype == "i4"
raises(ValueError, "beyond the numbers of int32", lambda: ring({right: [2**40]}))
raises(TypeError, "expected int32", lambda: ring({right: [0.5]}))
raises(ValueError, "the shape", lambda: sparse({right: numpy.zeros((0, 3), "i4")}))
raises(TypeError, "expected numbers", lambda: ranks.sum([1j]))
assert ranks.sum(1) == size
"""
    )
    script_output(tmp_path, text, 2)
