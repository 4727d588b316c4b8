"""The structure of the events of a log, on which readers can rely."""

import json
import math
from collections.abc import Callable
from pathlib import Path

from sterna.errors import SternaError

_MOST_RANKS = 10**8
_MOST_COUNT = 2**63


class _Each(dict):
    """A table whose values are all of one kind: {"any name": kind}."""


class _Whole(dict):
    """A table that must have all of these keys."""


def _number(value: object) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and abs(value) < _MOST_COUNT


def _number_or_null(value: object) -> bool:
    return value is None or _number(value)


def _count(value: object) -> bool:
    return isinstance(value, int) and _number(value) and value >= 0


def _ranks(value: object) -> bool:
    return _count(value) and 1 <= value <= _MOST_RANKS


def _text(value: object) -> bool:
    return isinstance(value, str)


def _truth(value: object) -> bool:
    return isinstance(value, bool)


_WORDS: dict[Callable, str] = {
    _number: "a number",
    _number_or_null: "a number or null",
    _count: "a whole number from 0 on",
    _ranks: f"a number of ranks, 1 to {_MOST_RANKS}",
    _text: "a text",
    _truth: "true or false",
}

_AVERAGE = {
    "mean": _number_or_null,
    "standard_error": _number_or_null,
    "unit": _text,
    "settled": _truth,
    "independent": _number_or_null,
}
_CANDIDATE = _Whole({
    "method": _text, "state": _text, "median_us": _number_or_null, "model_us": _number_or_null,
    "rounds": _count, "outliers": _count, "why": _text,
})  # fmt: skip
_VERDICT = _Whole({
    "exchange": _text, "method": _text, "reason": _text, "rounds": _count, "bytes_sent": _number,
    "messages_sent": _number, "busiest_bytes_sent": _number, "busiest_messages_sent": _number,
    "candidates": [_CANDIDATE],
})  # fmt: skip
_TIMING = {
    "averages": _Each({"": _AVERAGE}),
    "averages_over": _Whole({"rows": _count, "rows_left_out": _count, "first_step": _count}),
    "balance": {"imbalance": _number},
    "steps": _count,
    "seconds": _number,
    "mode": _text,
    "phases": _Each({"": _Whole({"min": _number, "avg": _number, "max": _number})}),
    "waiting": _Each({"": {"avg": _number}}),
    "communication_share": _number,
    "waiting_share": _number,
    "methods": [_VERDICT],
    "by_rank": {"rank": [_count], "seconds": _Each({"": [_number]})},
    "traffic": _Whole(
        {"from": [_count], "to": [_count], "bytes": [_number], "messages": [_number]}
    ),
}
_SETTINGS = {
    "particles": _count,
    "steps": _count,
    "terms": _Each({"": {}}),
    "units": _Each({"": _text}),
    "changed_settings": [_text],
}
_KINDS: dict[str, dict] = {
    "start": {
        "program": _text,
        "communication": _text,
        "ranks": _ranks,
        "nodes": _ranks,
        "input": _text,
        "input_text": _text,
        "settings": _SETTINGS,
    },
    "thermo": _Each({"": _number_or_null}),
    "balance": {"step": _count, "imbalance": _number, "decision": _text, "reason": _text},
    "warning": {"text": _text},
    "failure": {"text": _text},
    "end": {"status": _text, "timing": _TIMING},
}
#: Columns that identify a row and are no quantities of the system.
PLACES = ("step", "time")


def event_of(line: str, path: str | Path, number: int) -> dict:
    """The event in a line. Raises SternaError, naming the line, where it is none."""
    try:
        event = json.loads(line, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise SternaError(f"{path}:{number}:{error.colno}: not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise SternaError(f"{path}:{number}: not JSON: {error}") from error
    if not isinstance(event, dict) or not isinstance(event.get("event", ""), str):
        shown = line if len(line) < 100 else line[:100] + " ..."
        raise SternaError(f"{path}:{number}: an event is expected: a JSON object, not {shown}")
    wrong = _what_is_wrong(event)
    if wrong:
        kind = event.get("event", "?")
        raise SternaError(f"{path}:{number}: in this event, {kind!r}, {wrong}")
    return event


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _what_is_wrong(event: dict) -> str:
    kind = event.get("event")
    values = {name: value for name, value in event.items() if name != "event"}
    if not _count(values.get("step", 0)):
        return f"step is {values['step']!r}, expected {_WORDS[_count]}"
    if kind == "thermo":
        for name in PLACES:
            if not _number(values.get(name)):
                return f"{name} is {values.get(name)!r}, expected a number"
    return _difference(values, _KINDS.get(kind, {}), "")


def _difference(value: object, expected: object, place: str) -> str:
    """Returns the first deviation from the expected structure, with its place; empty if there is
    none.
    """
    parts: list[tuple[str, object, object]] = []
    if isinstance(expected, list):
        if not isinstance(value, list):
            return _said(place, value, "a list")
        parts = [(f"{place}[{k}]", item, expected[0]) for k, item in enumerate(value)]
    elif isinstance(expected, _Each):
        if not isinstance(value, dict):
            return _said(place, value, "an object")
        parts = [(_inside(place, name), item, expected[""]) for name, item in value.items()]
        # A term without settings has null in their place.
        parts = [part for part in parts if part[1] is not None or callable(part[2])]
    elif isinstance(expected, dict):
        if not isinstance(value, dict):
            return _said(place, value, "an object")
        for name, kind in expected.items():
            if value.get(name) is not None:
                parts.append((_inside(place, name), value[name], kind))
            elif isinstance(expected, _Whole) and kind is not _number_or_null:
                return f"{_inside(place, name)} is missing"
    elif not expected(value):
        return _said(place, value, _WORDS[expected])
    for inside, item, kind in parts:
        found = _difference(item, kind, inside)
        if found:
            return found
    return ""


def _inside(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _said(place: str, value: object, expected: str) -> str:
    shown = repr(value)
    return f"{place} is {shown if len(shown) < 60 else shown[:60] + ' ...'}, expected {expected}"
