"""Arguments that the Python API must refuse: wrong types and shapes, NaN, huge numbers.

    python tests/campaign/python_api.py --trials 2000 --seed 1

Each call ends well or with ValueError, TypeError or SternaError, and what was not refused leaves a
simulation that runs on with finite numbers. A child process makes the calls, as a fault may end it.
"""

import argparse
import collections
import random
import subprocess
import sys
import warnings
from collections.abc import Callable

import numpy
import sterna

_REFUSED = (ValueError, TypeError, sterna.SternaError)
_COUNT = 8


def whole_arrays(chance: random.Random) -> dict[str, object]:
    """Arguments of `System.from_arrays` that are as they should be."""
    grid = numpy.array([[x, y, z] for x in (1, 4) for y in (1, 4) for z in (1, 4)], float)
    return {
        "box": [6.0, 6.0, 6.0],
        "position": grid,
        "type": [0] * _COUNT,
        "velocity": numpy.full((_COUNT, 3), 0.1),
        "id": list(range(1, _COUNT + 1)),
        "tilt": [0.0, 0.0, 0.0],
    }


def strange(good: object, chance: random.Random) -> object:
    """Something in place of an argument."""
    array = numpy.array(good, float)
    number = chance.choice(
        (numpy.nan, numpy.inf, -numpy.inf, 1e300, -1e300, 1e18, 2.0**63, 2.0**31, -1.0, 0.5, 0.0)
    )
    kind = chance.randrange(9)
    if kind == 0 and array.size:
        array.reshape(-1)[chance.randrange(array.size)] = number
        return array
    if kind == 1:
        return numpy.full(chance.choice(((0,), (3,), (8,), (8, 2), (9, 3), (8, 3, 1))), number)
    if kind == 2:
        return array.astype(chance.choice((complex, bool, str, object, "f4", "u1", "f2")))
    if kind == 3:
        return numpy.flip(array)
    if kind == 4:
        return array.T
    if kind == 5:
        return numpy.ma.masked_equal(array, array.reshape(-1)[0]) if array.size else None
    return chance.choice(
        (None, "position", b"x", [], {}, (), 3, 2.5, True, [None] * 8, [[1, 2], [3]], object(),
         number, 10**30, -(10**30), [10**30] * 8, float, print)
    )  # fmt: skip


def calls(simulation: sterna.Simulation, chance: random.Random) -> dict[str, Callable]:
    """Name and call of each door; `value` is the strange argument."""
    arrays = {"position": (8, 3), "velocity": (8, 3)}
    name = chance.choice(list(arrays))
    good = simulation.gather(name)

    def observer(frame: object) -> None:
        frame.position = 1

    return {
        "set": lambda: simulation.set(name, strange(good, chance)),
        "set name": lambda: simulation.set(strange(good, chance), good),
        "set_box": lambda: simulation.set_box(strange([6.0] * 3, chance)),
        "set_box tilt": lambda: simulation.set_box([6.0] * 3, strange([0.0] * 3, chance)),
        "run": lambda: simulation.run(strange(1, chance)),
        "run every": lambda: simulation.run(
            2, until=lambda _: False, every=strange(1, chance) or None
        ),
        "gather": lambda: simulation.gather(strange(good, chance)),
        "gather root": lambda: simulation.gather(name, root=strange(0, chance)),
        "every": lambda: simulation.every(strange(5, chance)),
        "every at": lambda: simulation.every(at=strange([5], chance)),
        "needs": lambda: simulation.every(5, needs=strange(["position"], chance)),
        "change": lambda: simulation.change(run={"timestep": strange(0.002, chance)}),
        "minimize": lambda: simulation.minimize(strange(1, chance)),
        "key": lambda: setattr(simulation.interaction, "cutoff", strange(2.5, chance)),
        "view": lambda: simulation.view(write=strange("velocity", chance)).__enter__(),
        "sum": lambda: sterna.comm.Context().sum(strange(good, chance)),
        "broadcast": lambda: sterna.comm.Context().broadcast(strange(good, chance), 0),
        "sparse": lambda: sterna.comm.SparseExchange(sterna.comm.Context(), shape=(3,))(
            {0: strange(good, chance)}
        ),
        "neighbor": lambda: sterna.comm.NeighborExchange(
            sterna.comm.Context(), {0: 8}, shape=(3,), method="p2p"
        )({0: strange(good, chance)}),
        "neighbor counts": lambda: sterna.comm.NeighborExchange(
            sterna.comm.Context(), {0: strange(8, chance)}, method="p2p"
        ),
    }


def settings() -> sterna.Input:
    return sterna.Input(
        units="reduced",
        run={"timestep": 0.002},
        interaction={"cutoff": 2.0},
        communication={"tuning": False},
    )


def trial(chance: random.Random) -> tuple[str, str]:
    """The door, and "well", "refused" or what is wrong."""
    arrays = whole_arrays(chance)
    if chance.random() < 0.5:
        door = chance.choice(list(arrays))
        arrays[door] = strange(arrays[door], chance)
        door = f"from_arrays {door}"
        simulation = None
    else:
        simulation = sterna.Simulation(settings(), sterna.System.from_arrays(**arrays))
        door, call = chance.choice(list(calls(simulation, chance).items()))
    try:
        if simulation is None:
            simulation = sterna.Simulation(settings(), sterna.System.from_arrays(**arrays))
            simulation.measure()
        else:
            call()
            if door == "view":
                return door, "well"
            simulation.run(2)
    except _REFUSED:
        # Also an UnstableRun: particles may have been put onto each other, or made too fast.
        return door, "refused"
    except Exception as error:
        return door, f"{type(error).__name__}: {error}"
    finite = all(numpy.isfinite(simulation.gather(name)).all() for name in ("position", "velocity"))
    return door, "well" if finite else "numbers that are not finite"


def child(seed: int, trials: int) -> None:
    """Says each trial before it is made, and what came of it."""
    warnings.simplefilter("ignore")
    for number in range(trials):
        print("begin", seed, number, flush=True)
        door, found = trial(random.Random(f"{seed} {number}"))
        print("end", door.replace(" ", "_"), found.replace("\n", " "), flush=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.child:
        child(chosen.seed, chosen.trials)
        return 0
    command = [sys.executable, __file__, "--child", "--trials", str(chosen.trials)]
    done = subprocess.run(
        [*command, "--seed", str(chosen.seed)], capture_output=True, text=True, check=False
    )
    lines = done.stdout.splitlines()
    counts: collections.Counter = collections.Counter()
    wrong = []
    for begin, end in zip(lines[::2], lines[1::2], strict=False):
        _, door, found = end.split(" ", 2)
        counts[door, found if found in ("well", "refused") else "wrong"] += 1
        if found not in ("well", "refused"):
            wrong.append(f"{begin}: {door}: {found}")
    if done.returncode != 0 or len(lines) != 2 * chosen.trials:
        wrong.append(f"{lines[-1:]}: the process ended with {done.returncode}:\n{done.stderr}")
    for (door, kind), count in sorted(counts.items()):
        print(f"{count:6} {door:24} {kind}")
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
