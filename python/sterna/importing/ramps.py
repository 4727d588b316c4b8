"""Temperatures that change in the course of a run, as the thermostats that follow one another."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

LOWEST = 0.01  #: K, in place of 0, which no thermostat of Sterna keeps


@dataclass(frozen=True)
class Segment:
    """The temperature moves evenly between two steps, which need not be whole numbers."""

    begin: float
    end: float  #: infinity: it stays
    first: float
    last: float

    def at(self, step: int) -> float:
        if self.first == self.last:
            return self.first
        part = (step - self.begin) / max(self.end - self.begin, 1e-6)
        part = min(max(part, 0.0), 1.0)
        return float(f"{self.first + part * (self.last - self.first):.12g}")


def thermostats(
    kept: dict[str, Any],
    segments: Sequence[Segment],
    steps: int,
    has_barostat: bool,
    fail: Callable[[str], NoReturn],
) -> list[dict[str, Any]]:
    """One for each segment that has a step of the run; `kept` is what they have in common.

    Where two segments share a step it is the former one's. `fail` raises SternaError.
    """
    made: list[dict[str, Any]] = []
    start = 0
    for k, one in enumerate(segments):
        is_last = k + 1 == len(segments)
        stop = steps if is_last else min(steps, math.floor(one.end + 1e-6))
        if stop < start or (start == steps and made):
            continue
        ends = [max(one.at(step), LOWEST) for step in (start, stop)]
        made.append(
            kept | {"temperature": ends[0]}
            | ({"end_temperature": ends[1]} if ends[0] != ends[1] else {})
            | {"start_step": start, "stop_step": stop}
        )  # fmt: skip
        start = stop + 1
    made = _joined(made)
    if len(made) > 1 and has_barostat:
        fail("a temperature that does not move evenly from the first step to the last does not go "
             "with a barostat")  # fmt: skip
    if len(made) > 1 and kept["kind"] == "nose_hoover_chain":
        fail("a temperature of Nose-Hoover that does not move evenly from the first step to the last "
             "is not taken over")  # fmt: skip
    if made[0]["start_step"] == 0:
        del made[0]["start_step"]
    if made[-1]["stop_step"] == steps:
        del made[-1]["stop_step"]
    return made


def _joined(made: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those that follow each other at the same temperature as one."""
    found: list[dict[str, Any]] = []
    for one in made:
        before = found[-1] if found else {}
        is_same = before.get("temperature") == one["temperature"]
        if is_same and "end_temperature" not in before and "end_temperature" not in one:
            before["stop_step"] = one["stop_step"]
        else:
            found.append(one)
    return found
