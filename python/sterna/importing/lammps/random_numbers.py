"""LAMMPS's random numbers: Park and Miller's minimal generator, and Marsaglia's.

Source: random_park.cpp and random_mars.cpp of LAMMPS; Park and Miller, Comm. ACM 31, 1192 (1988);
Marsaglia, Zaman and Tsang, Stat. Prob. Lett. 9, 35 (1990).
"""

import math
from collections.abc import Callable, Iterator

import numpy

_MULTIPLIER, _MODULUS = 16807, 2147483647
_WARM_UP = 5
_BLOCK = 4096


class Park:
    """LAMMPS's generator RanPark, from a seed above 0 on."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def uniform(self, count: int) -> numpy.ndarray:
        """The next numbers, between 0 and 1."""
        powers = numpy.ones(1, dtype=numpy.int64)
        while len(powers) < min(count, _BLOCK):
            last = int(powers[-1]) * _MULTIPLIER % _MODULUS
            powers = numpy.concatenate([powers, powers * last % _MODULUS])
        found = []
        while count > 0:
            some = powers[: min(count, len(powers))] * _MULTIPLIER % _MODULUS
            seeds = some * self.seed % _MODULUS
            self.seed = int(seeds[-1])
            found.append(seeds)
            count -= len(seeds)
        return (1.0 / _MODULUS) * numpy.concatenate(found) if found else numpy.empty(0)


def park_of_places(seed: int, places: numpy.ndarray, count: int) -> numpy.ndarray:
    """Numbers between 0 and 1, (n, count), of generators that the places, (n, 3), give their seeds.

    These are hashes of all bits, so the places must be LAMMPS's to the last one.
    """
    bases = numpy.full(len(places), seed, dtype=numpy.int32)
    own = numpy.ascontiguousarray(places, dtype=numpy.float64).view(numpy.int8)
    texts = numpy.concatenate([bases.view(numpy.int8).reshape(len(places), 4),
                               own.reshape(len(places), 24)], axis=1)  # fmt: skip
    value = numpy.zeros(len(places), dtype=numpy.uint32)
    for column in texts.T:
        value += column.astype(numpy.int32).view(numpy.uint32)
        value += value << numpy.uint32(10)
        value ^= value >> numpy.uint32(6)
    value += value << numpy.uint32(3)
    value ^= value >> numpy.uint32(11)
    value += value << numpy.uint32(15)
    seeds = (value & numpy.uint32(0x7FFFFFF)).astype(numpy.int64)
    seeds[seeds == 0] = 1
    found = numpy.empty((len(places), count))
    for k in range(-_WARM_UP, count):
        seeds = seeds * _MULTIPLIER % _MODULUS
        if k >= 0:
            found[:, k] = (1.0 / _MODULUS) * seeds
    return found


def normal(uniform: Callable[[], float]) -> Iterator[float]:
    """Numbers of a normal distribution, two of each pair in the unit circle, as LAMMPS takes them."""
    while True:
        square = 0.0
        while square >= 1.0 or square == 0.0:
            first, second = 2.0 * uniform() - 1.0, 2.0 * uniform() - 1.0
            square = first * first + second * second
        factor = math.sqrt(-2.0 * math.log(square) / square)
        yield second * factor
        yield first * factor


def one_by_one(park: Park) -> Callable[[], float]:
    """The numbers of a generator, which nobody else asks from then on."""

    def numbers() -> Iterator[float]:
        while True:
            yield from park.uniform(_BLOCK).tolist()

    return numbers().__next__


class Marsaglia:
    """LAMMPS's generator RanMars, from a seed between 1 and 9e8 on."""

    def __init__(self, seed: int) -> None:
        ij, kl = divmod(seed - 1, 30082)
        i, j = ij // 177 % 177 + 2, ij % 177 + 2
        k, m = kl // 169 % 178 + 1, kl % 169
        self.table = []
        for _ in range(97):
            s, t = 0.0, 0.5
            for _ in range(24):
                i, j, k = j, k, i * j % 179 * k % 179
                m = (53 * m + 1) % 169
                if m * k % 64 >= 32:
                    s += t
                t *= 0.5
            self.table.append(s)
        self.c = 362436.0 / 16777216.0
        self.i, self.j = 96, 32
        self.uniform()

    def uniform(self) -> float:
        value = self.table[self.i] - self.table[self.j]
        value += 1.0 if value < 0.0 else 0.0
        self.table[self.i] = value
        self.i, self.j = (self.i - 1) % 97, (self.j - 1) % 97
        self.c -= 7654321.0 / 16777216.0
        self.c += 16777213.0 / 16777216.0 if self.c < 0.0 else 0.0
        value -= self.c
        return value + 1.0 if value < 0.0 else value
