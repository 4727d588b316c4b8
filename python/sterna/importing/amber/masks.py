"""Masks of AMBER, which select atoms by number, name, type, element and residue.

Source: AMBER manual, "Mask syntax", with the precedence of sander's `findmask.f`: `!`, `&`, `|`.
`:1-10@CA` are atoms of both lists; `:1-10:20` those of one of them. Residues are counted from 1.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy


class MaskError(Exception):
    """An error in a mask, and its character, from 0."""

    def __init__(self, place: int, message: str) -> None:
        super().__init__(message)
        self.place = place
        self.message = message


@dataclass(frozen=True)
class Known:
    """The properties of each atom that a mask uses."""

    names: Sequence[str]
    types: Sequence[str]
    elements: Sequence[str]  #: symbols; empty where the file has none
    residues: Sequence[int]  #: numbers from 1
    residue_names: Sequence[str]


def selected(mask: str, known: Known) -> numpy.ndarray:
    """Whether each atom is selected. Raises MaskError."""
    return _Parser(mask, known).read()


_NUMBER = re.compile(r"\d+", re.ASCII)
_RANGE = re.compile(r"(\d+)-(\d+)", re.ASCII)


class _Parser:
    def __init__(self, mask: str, known: Known) -> None:
        self._mask = mask
        self._known = known
        self._place = 0
        self._count = len(known.names)

    def read(self) -> numpy.ndarray:
        found = self._either()
        if self._next():
            self._fail(f'unexpected "{self._next()}"')
        return found

    def _fail(self, message: str, place: int | None = None) -> NoReturn:
        raise MaskError(self._place if place is None else place, message)

    def _next(self) -> str:
        while self._mask[self._place : self._place + 1].isspace():
            self._place += 1
        return self._mask[self._place : self._place + 1]

    def _take(self, sign: str) -> bool:
        if self._next() != sign:
            return False
        self._place += 1
        return True

    def _either(self) -> numpy.ndarray:
        found = self._both()
        while self._take("|"):
            found = found | self._both()
        return found

    def _both(self) -> numpy.ndarray:
        found = self._one()
        while self._take("&"):
            found = found & self._one()
        if self._next() and self._next() in "<>":
            self._fail("selections by distance (< and >) are not taken over")
        return found

    def _one(self) -> numpy.ndarray:
        if self._take("!"):
            return ~self._one()
        if self._take("("):
            found = self._either()
            if not self._take(")"):
                self._fail('expected ")"')
            return found
        if self._next() == "*":
            self._place += 1
            return numpy.full(self._count, True)
        if not self._next() or self._next() not in ":@":
            self._fail('expected a list such as ":1-10" or "@CA", "!", "(" or "*"')
        return self._lists()

    def _lists(self) -> numpy.ndarray:
        """:residues@atoms and more of them without a sign between."""
        found = numpy.full(self._count, False)
        while self._next() and self._next() in ":@":
            of_residues = self._take(":")
            if not of_residues:
                self._place += 1
            part = self._list(of_residues)
            if of_residues and self._take("@"):
                part = part & self._list(False)
            found = found | part
        return found

    def _list(self, of_residues: bool) -> numpy.ndarray:
        known = self._known
        if of_residues:
            names, numbers = known.residue_names, numpy.array(known.residues)
        else:
            names, numbers = known.names, numpy.arange(1, self._count + 1)
            if self._take("%"):
                return self._items(known.types, None)
            if self._take("/"):
                if not known.elements:
                    self._fail("the topology has no elements (ATOMIC_NUMBER)")
                return self._items(known.elements, None)
        return self._items(names, numbers)

    def _items(self, names: Sequence[str], numbers: numpy.ndarray | None) -> numpy.ndarray:
        """`numbers` belong to the names; None if there are only names."""
        found = numpy.full(self._count, False)
        while True:
            self._next()
            begin = self._place
            text = ""
            while self._place < len(self._mask):
                sign = self._mask[self._place]
                if sign == "\\":
                    text += self._mask[self._place : self._place + 2]
                    self._place += 2
                    continue
                if sign in ",:@!&|<>()" or sign.isspace():
                    break
                text += sign
                self._place += 1
            if not text:
                self._fail("expected a number, a range such as 1-10, or a name")
            span = _RANGE.fullmatch(text) if numbers is not None else None
            if span is not None:
                first, last = int(span[1]), int(span[2])
                if last < first:
                    self._fail(f'the range "{text}" goes down', begin)
                found |= (numbers >= first) & (numbers <= last)
            elif numbers is not None and _NUMBER.fullmatch(text):
                found |= numbers == int(text)
            else:
                form = re.compile(_pattern(text), re.DOTALL)
                known = {name: form.fullmatch(name) is not None for name in set(names)}
                found |= numpy.array([known[name] for name in names])
            if not self._take(","):
                return found


def _pattern(text: str) -> str:
    """A regular expression: * and = are any signs, ? is one, a backslash takes their meaning."""
    made, k = "", 0
    while k < len(text):
        if text[k] == "\\" and k + 1 < len(text):
            made += re.escape(text[k + 1])
            k += 2
            continue
        made += {"*": ".*", "=": ".*", "?": "."}.get(text[k], re.escape(text[k]))
        k += 1
    return made
