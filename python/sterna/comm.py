"""The communication library for teaching and prototypes: exchanges of NumPy arrays between ranks.

>>> from sterna import comm
>>> ranks = comm.Context()
>>> right, left = (ranks.rank + 1) % ranks.size, (ranks.rank - 1) % ranks.size
>>> halo = comm.NeighborExchange(ranks, send={right: 10}, receive={left: 10}, shape=(3,))
>>> received = halo({right: positions})  # {left: array (n, 3)}

The same methods as the C++ library has, on copies. A script runs on many ranks by `sterna launch`;
docstrings begin with "Collective." where all ranks of the context must make the call, in the same
order.
"""

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy

from sterna.live.collective import address_of
from sterna.live.core import core
from sterna.support.arrays import numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike


@dataclass(frozen=True)
class Method:
    """A row of the table of methods, as `sterna methods` shows it."""

    name: str
    description: str
    needs: str
    aliases: tuple[str, ...]


@dataclass(frozen=True)
class MethodEvidence:
    """The measurements and estimates of one method for one exchange."""

    method: str
    state: str  #: "chosen", "slower", "not measured", "unavailable" or "failed"
    median_us: float  #: largest of the ranks' medians; 0: not measured
    model_us: float  #: estimate of the cost model; 0 if not asked
    rounds: int  #: rounds that were timed
    outliers: int  #: of these rounds, on this rank
    why: str  #: why slower, unavailable or not measured


@dataclass(frozen=True)
class Verdict:
    """The method that an exchange uses, and why."""

    exchange: str  #: its name
    method: str
    text: str  #: the reason in words
    rounds: int
    median_us: float  #: this rank's median time of a round
    bytes_sent: int  #: sum over all rounds of this rank
    messages_sent: int  #: sum over all rounds of this rank
    times_decided: int  #: number of choices by measurement; 0 if the method was named
    #: (rank, bytes, messages) of all rounds by destination; messages are rounds with one to it
    sent: tuple[tuple[int, int, int], ...]
    candidates: tuple[MethodEvidence, ...]  #: all methods of the family, with method="auto"


def neighbor_methods() -> list[Method]:
    """Local. Methods of `NeighborExchange`."""
    return [Method(*row[:3], tuple(row[3])) for row in core().neighbor_methods()]


def sparse_methods() -> list[Method]:
    """Local. Methods of `SparseExchange`."""
    return [Method(*row[:3], tuple(row[3])) for row in core().sparse_methods()]


class Context:
    """A group of ranks. Exchanges are made from it, by all of them in the same order."""

    def __init__(self, communicator: object = None) -> None:
        """Makes a group of all ranks of the job, or of a communicator of mpi4py. Starts MPI.
        Collective.
        """
        self._core = core().Context(address_of(communicator))
        self._bytes = None  # the exchange behind `exchange`, made by its first call

    @property
    def rank(self) -> int:
        """Local. The number of this rank."""
        return self._core.rank

    @property
    def size(self) -> int:
        """Local. How many ranks there are."""
        return self._core.size

    @property
    def node_count(self) -> int:
        """Local. On how many nodes they are."""
        return self._core.node_count

    @property
    def description(self) -> str:
        """Local. The versions of the communication libraries: "Open MPI 5.0.11, UCX 1.22.0"."""
        return self._core.description

    def node_of(self, rank: int) -> int:
        """Local. The number of the node of a rank, counted by their lowest ranks. ValueError."""
        self._require_rank(rank)
        return self._core.node_of(rank)

    def barrier(self) -> None:
        """Collective. Returns when all ranks have called it."""
        self._core.barrier()

    def broadcast(self, array: "ArrayLike", root: int = 0) -> numpy.ndarray:
        """Collective. The array of rank `root` on all ranks, of any shape.

        Raises TypeError for arrays of Python objects, ValueError for a rank that does not exist.
        """
        self._require_rank(root)
        mine = numpy.ascontiguousarray(array)
        if mine.dtype.hasobject:
            raise TypeError("broadcast: expected an array of numbers")
        head = repr((mine.dtype.str, mine.shape)).encode()
        data = len(head).to_bytes(8, "little") + head + mine.tobytes()
        sent = self._core.broadcast(root, data if self.rank == root else b"")
        end = 8 + int.from_bytes(sent[:8], "little")
        import ast

        kind, shape = ast.literal_eval(sent[8:end].decode())
        return numpy.frombuffer(bytearray(sent[end:]), kind).reshape(shape)

    def sum(self, values: "ArrayLike") -> "float | numpy.ndarray":
        """Collective. The sum over the ranks of each value; the same shape on all ranks."""
        return self._reduce("sum", values)

    def min(self, values: "ArrayLike") -> "float | numpy.ndarray":
        """Collective. The least over the ranks of each value; the same shape on all ranks."""
        return self._reduce("min", values)

    def max(self, values: "ArrayLike") -> "float | numpy.ndarray":
        """Collective. The greatest over the ranks of each value; the same shape on all ranks."""
        return self._reduce("max", values)

    def _reduce(self, kind: str, values: "ArrayLike") -> "float | numpy.ndarray":
        array = numbers(kind, values)
        flat = array.reshape(-1).copy()
        self._core.reduce(kind, flat)
        return float(flat[0]) if array.ndim == 0 else flat.reshape(array.shape)

    def exchange(
        self,
        send: "Mapping[int, ArrayLike] | ArrayLike",
        to: "ArrayLike | None" = None,
    ) -> dict[int, numpy.ndarray]:
        """Collective. Sends arrays to ranks that need not expect them; returns what came, by rank.

        `exchange({rank: array})` sends an array to each rank, of any shape and dtype. With `to`, item
        i of `send` goes to rank `to[i]`; those from one rank to another keep their order. Ranks with
        nothing to send call `exchange({})`. Raises TypeError for arrays of Python objects,
        ValueError for ranks that do not exist.
        """
        arrays = send if to is None else _by_rank(send, to)
        if not isinstance(arrays, Mapping):
            raise TypeError("exchange: expected {rank: array}, or items and the rank of each")
        ranks = sorted(arrays)
        rows, offsets = [], [0]
        for rank in ranks:
            self._require_rank(rank)
            row = _packed(arrays[rank], f"to rank {rank}")
            rows += row
            offsets.append(offsets[-1] + sum(len(part) for part in row))
        if self._bytes is None:
            self._bytes = core().SparseExchange(self._core, 1, "auto", "exchange", None)
        data = numpy.concatenate(rows) if rows else numpy.zeros(0, numpy.uint8)
        sources, starts, received = self._bytes.exchange(ranks, offsets, data)
        return {
            source: _unpacked(received[starts[place] : starts[place + 1]])
            for place, source in enumerate(sources)
        }

    def why_unavailable(self, family: str, method: str) -> str:
        """Local. Why a method of "neighbor" or "sparse" cannot work here; empty where it can."""
        if family not in ("neighbor", "sparse"):
            raise ValueError(f'family is {family!r}, expected "neighbor" or "sparse"')
        return self._core.why_unavailable(family, method)

    def _require_rank(self, rank: int) -> None:
        if not 0 <= rank < self.size:
            raise ValueError(f"there is no rank {rank}, only 0 to {self.size - 1}")


def _by_rank(items: "ArrayLike", to: "ArrayLike") -> dict[int, numpy.ndarray]:
    """The items for each rank, in their order."""
    items, to = numpy.asarray(items), numpy.asarray(to)
    if to.size == 0:
        to = to.astype(int)
    if to.ndim != 1 or to.dtype.kind not in "iu":
        raise TypeError(f"exchange: to has the dtype {to.dtype} and {to.ndim} axes, expected ranks")
    if items.ndim == 0 or len(items) != len(to):
        count = "a single item" if items.ndim == 0 else f"{len(items)} items"
        raise ValueError(f"exchange: {count}, but {len(to)} destinations: each item needs one")
    order = numpy.argsort(to, kind="stable")
    ranks, starts = numpy.unique(to[order], return_index=True)
    parts = numpy.split(items[order], starts[1:])
    return {int(rank): part for rank, part in zip(ranks, parts, strict=False)}


def _packed(values: "ArrayLike", whom: str) -> list[numpy.ndarray]:
    """An array as bytes that say its dtype and shape."""
    array = numpy.ascontiguousarray(values)
    if array.dtype.hasobject:
        raise TypeError(f"exchange, {whom}: objects of Python have no place in a message")
    # ascontiguousarray gives a single number an axis.
    kind = repr((numpy.lib.format.dtype_to_descr(array.dtype), numpy.shape(values))).encode()
    head = len(kind).to_bytes(8, "little") + kind
    return [numpy.frombuffer(head, numpy.uint8), array.reshape(-1).view(numpy.uint8)]


def _unpacked(row: numpy.ndarray) -> numpy.ndarray:
    end = 8 + int.from_bytes(row[:8].tobytes(), "little")
    dtype, shape = _kind(row[8:end].tobytes())
    # A copy, which is aligned and keeps nothing else alive.
    return numpy.frombuffer(bytearray(row[end:]), dtype).reshape(shape)


@functools.lru_cache(maxsize=1024)
def _kind(head: bytes) -> tuple[numpy.dtype, tuple[int, ...]]:
    import ast

    descr, shape = ast.literal_eval(head.decode())
    return numpy.lib.format.descr_to_dtype(descr), shape


class _Items:
    """How arrays of items become bytes."""

    def __init__(self, dtype: "DTypeLike", shape: tuple[int, ...]) -> None:
        self.dtype, self.shape = numpy.dtype(dtype), tuple(int(n) for n in shape)
        if self.dtype.hasobject:
            raise TypeError(f"dtype is {self.dtype}: objects of Python have no place in a message")
        count = 1
        for length in self.shape:
            count *= length
        self.size = self.dtype.itemsize * count
        if self.size == 0:
            raise ValueError(f"an item of the shape {self.shape} has no bytes")

    def bytes_of(self, values: "ArrayLike", whom: str) -> numpy.ndarray:
        given = numpy.asarray(values)
        if given.size == 0 and given.shape in ((0,), (0, *self.shape)):
            # An empty object, such as a list, does not tell its dtype.
            return numpy.zeros(0, numpy.uint8)
        if not numpy.can_cast(given.dtype, self.dtype, "same_kind"):
            raise TypeError(f"{whom}: the array has the dtype {given.dtype}, expected {self.dtype}")
        with numpy.errstate(over="ignore"):
            array = numpy.ascontiguousarray(given, self.dtype)
        self._refuse_overflow(given, array, whom)
        if array.shape[1:] != self.shape or array.ndim == 0:
            expected = ("n", *self.shape)
            raise ValueError(
                f"{whom}: the array has the shape {array.shape}, expected "
                f"({', '.join(map(str, expected))}{',' if not self.shape else ''})"
            )
        return array.reshape(-1).view(numpy.uint8)

    def _refuse_overflow(self, given: numpy.ndarray, made: numpy.ndarray, whom: str) -> None:
        """Raises ValueError for a number out of the dtype's range, which would become another
        number.
        """
        if given.dtype.kind in "iu":
            wrong = made != given if made.dtype.kind in "iu" else numpy.isinf(made)
        elif given.dtype.kind in "fc":
            wrong = numpy.isinf(made) & ~numpy.isinf(given)
        else:
            return
        if wrong.any():
            raise ValueError(f"{whom}: {given[wrong][0]} is beyond the numbers of {self.dtype}")

    def array_of(self, data: numpy.ndarray) -> numpy.ndarray:
        return data.view(self.dtype).reshape(-1, *self.shape)


class NeighborExchange:
    """A persistent exchange with known neighbors, round after round.

    `exchange(arrays)` is a whole round. To compute while messages are under way, call `post` for
    each peer, `start`, iterate over `arrivals`, and `finish`.
    """

    def __init__(
        self,
        context: Context,
        send: Mapping[int, int],
        receive: Mapping[int, int] | None = None,
        dtype: "DTypeLike" = float,
        shape: tuple[int, ...] = (),
        method: str = "auto",
        name: str = "neighbor exchange",
    ) -> None:
        """Collective. `send`, `receive`: the most items in a round, by rank.

        `receive` must be what the peers send here; default: as `send`. An item is an array of
        `dtype` and `shape`. `method`: a name of `neighbor_methods`, or "auto", which measures them
        in the rounds of the exchange. Raises SternaError on all ranks where peers disagree or the
        method does not work here, ValueError for ranks or counts that cannot be.
        """
        receive = send if receive is None else receive
        self._items = _Items(dtype, shape)
        for what, counts in (("send", send), ("receive", receive)):
            for rank, count in counts.items():
                context._require_rank(rank)
                if count < 0:
                    raise ValueError(f"{what}: {count} items for rank {rank}, expected at least 0")
        peers = [(r, send.get(r, 0), receive.get(r, 0)) for r in sorted({*send, *receive})]
        self._core = core().NeighborExchange(context._core, peers, self._items.size, method, name)
        self._places = {rank: place for place, (rank, _, _) in enumerate(self._core.peers())}
        self._ranks = list(self._places)

    @property
    def peers(self) -> dict[int, tuple[int, int]]:
        """Local. By rank: the most items that are sent and received in a round."""
        return {rank: (send, receive) for rank, send, receive in self._core.peers()}

    def __call__(self, arrays: Mapping[int, "ArrayLike"]) -> dict[int, numpy.ndarray]:
        """Collective. A round: sends to each rank its items; returns what came, by rank.

        Ranks that are not named are sent nothing. Arrays have the shape (n, *shape).
        """
        with core().Turn("a round of an exchange"):
            posts = [self._checked(rank, items) for rank, items in arrays.items()]
            for place, data in posts:
                self._core.send(place, data)
            self.start()
            received = dict(self.arrivals())
            self.finish()
        return dict(sorted(received.items()))

    def post(self, rank: int, items: "ArrayLike") -> None:
        """Local. Gives a peer its items of this round, (n, *shape); they may leave at once."""
        self._core.send(*self._checked(rank, items))

    def _checked(self, rank: int, items: "ArrayLike") -> tuple[int, numpy.ndarray]:
        if rank not in self._places:
            raise ValueError(f"rank {rank} is no peer, only {self._ranks}")
        data = self._items.bytes_of(items, f"to rank {rank}")
        count, most = len(data) // self._items.size, self.peers[rank][0]
        if count > most:
            raise ValueError(
                f"{count} items to rank {rank}, but its outbox holds {most}: call reserve"
            )
        return self._places[rank], data

    def start(self) -> None:
        """Collective. The rest of the round begins; peers without items get none."""
        self._core.start()

    def arrivals(self) -> Iterator[tuple[int, numpy.ndarray]]:
        """Local. Ranks and their items, (n, *shape), in the order in which they arrive."""
        while (place := self._core.next()) is not None:
            yield self._ranks[place], self._items.array_of(self._core.inbox(place))

    def finish(self) -> None:
        """Local. The end of the round."""
        self._core.finish()

    def reserve(self, counts: Mapping[int, int]) -> None:
        """Collective, between rounds. Raises the send capacity to each of these ranks to so many items.

        The receive capacity at the other side grows with it.
        """
        for rank in counts:
            if rank not in self._places:
                raise ValueError(f"rank {rank} is no peer, only {self._ranks}")
        self._core.reserve([counts.get(rank, self.peers[rank][0]) for rank in self._ranks])

    @property
    def verdict(self) -> Verdict:
        """Local. The method in use and why."""
        return _verdict(self._core.verdict())


class SparseExchange:
    """An exchange in which receivers do not know who will send to them."""

    def __init__(
        self,
        context: Context,
        dtype: "DTypeLike" = float,
        shape: tuple[int, ...] = (),
        method: str = "auto",
        name: str = "sparse exchange",
        possible_sources: Iterable[int] | None = None,
    ) -> None:
        """Collective. An item is an array of `dtype` and `shape`.

        `method`: a name of `sparse_methods`, or "auto". `possible_sources`: ranks that may send to
        this one, where they are known; then they are also those that this one may send to.
        Raises SternaError on all ranks where they disagree or the method does not work here.
        """
        self._items = _Items(dtype, shape)
        self._context = context
        sources = None if possible_sources is None else [int(rank) for rank in possible_sources]
        self._core = core().SparseExchange(context._core, self._items.size, method, name, sources)

    def __call__(self, arrays: Mapping[int, "ArrayLike"]) -> dict[int, numpy.ndarray]:
        """Collective. Sends items, (n, *shape), to ranks; returns what came, by rank.

        Ranks with nothing to send call it with {}.
        """
        ranks = sorted(arrays)
        parts = []
        for rank in ranks:
            self._context._require_rank(rank)
            parts.append(self._items.bytes_of(arrays[rank], f"to rank {rank}"))
        offsets = [0]
        for part in parts:
            offsets.append(offsets[-1] + len(part) // self._items.size)
        data = numpy.concatenate(parts) if parts else numpy.zeros(0, numpy.uint8)
        sources, rows, received = self._core.exchange(ranks, offsets, data)
        items = self._items.array_of(received)
        return {
            source: items[rows[place] : rows[place + 1]].copy()
            for place, source in enumerate(sources)
        }

    @property
    def verdict(self) -> Verdict:
        """Local. The method in use and why."""
        return _verdict(self._core.verdict())


def _verdict(raw: dict) -> Verdict:
    candidates = tuple(MethodEvidence(**one) for one in raw.pop("candidates"))
    return Verdict(**raw | {"sent": tuple(raw["sent"])}, candidates=candidates)
