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


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_one_call_sends_arrays_to_ranks_that_do_not_expect_them(tmp_path, ranks):
    text = (
        RING
        + """
for step in range(30):
    # Any dtype and shape, another one for each rank; nothing from rank 0 in every third step.
    kinds = [numpy.float64, numpy.int16, [("id", "i4"), ("at", "f8", (3,))]]
    sent = {} if rank == 0 and step % 3 == 0 else {
        to: numpy.full((step % 4, 2 + to), 7 * rank + to).astype(numpy.int64) for to in range(size)
    }
    got = ranks.exchange(sent)
    assert list(got) == [s for s in range(size) if s or step % 3], got
    for source, array in got.items():
        assert array.shape == (step % 4, 2 + rank) and (array == 7 * source + rank).all()
    kind = numpy.dtype(kinds[step % 3])
    ((source, array),) = ranks.exchange({right: numpy.zeros(3, kind)}).items()
    assert source == left and array.dtype == kind and array.shape == (3,)
    # Items and the rank of each: their order stays.
    to = (numpy.arange(8) + rank + step) % size
    got = ranks.exchange(numpy.arange(8) + 100 * rank, to)
    for source in range(size):
        mine = (numpy.arange(8) + source + step) % size == rank
        expected = (numpy.arange(8) + 100 * source)[mine]
        assert got.get(source, numpy.zeros(0)).tolist() == expected.tolist()
assert ranks.exchange([], []) == {} and ranks.exchange({rank: 2.5})[rank] == 2.5
raises(ValueError, "8 items, but 2 destinations", lambda: ranks.exchange(numpy.zeros(8), [0, 0]))
raises(ValueError, f"no rank {size}", lambda: ranks.exchange({size: [1.0]}))
raises(TypeError, "objects of Python", lambda: ranks.exchange({0: [print]}))
raises(TypeError, "expected ranks", lambda: ranks.exchange([1.0], [0.5]))
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
