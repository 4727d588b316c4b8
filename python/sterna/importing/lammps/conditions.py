"""The condition of the command `if`, as LAMMPS reads it: no formula, but numbers and texts compared.

Source: https://docs.lammps.org/if.html.
"""

import operator
import re
from collections.abc import Callable

from sterna.importing.lammps.variables import FormulaError

_Value = float | str

#: Signs and their precedence; all are left-associative, and "!" is above them.
_BINARY: dict[str, tuple[int, Callable[[float, float], bool]]] = {
    "||": (1, lambda a, b: a != 0.0 or b != 0.0), "|^": (1, lambda a, b: (a != 0.0) != (b != 0.0)),
    "&&": (2, lambda a, b: a != 0.0 and b != 0.0),
    "==": (3, operator.eq), "!=": (3, operator.ne),
    "<=": (4, operator.le), ">=": (4, operator.ge), "<": (4, operator.lt), ">": (4, operator.gt),
}  # fmt: skip

_TOKEN = re.compile(
    r"\s*(?:(?P<number>-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?P<text>[A-Za-z][A-Za-z0-9_/]*)"
    r"|(?P<sign>\|\||\|\^|&&|==|!=|<=|>=|[<>!()]))",
    re.ASCII,
)


def is_true(condition: str) -> bool:
    """Whether a condition holds whose variables are replaced. Raises FormulaError."""
    reader = _Reader(condition)
    value = reader.expression(1)
    if reader.next < len(reader.tokens):
        reader.fail(f'"{reader.tokens[reader.next][1]}" is not expected there')
    return reader.as_number(value) != 0.0


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.next, at = text, [], 0, 0
        while at < len(text.rstrip()):
            found = _TOKEN.match(text, at)
            if not found:
                self.fail(f'"{text[at:].strip()}" is no number, text or sign of comparison')
            self.tokens.append((found.lastgroup, found.group().strip()))
            at = found.end()

    def fail(self, what: str):
        raise FormulaError(f'"{self.text.strip()}": {what}; a formula stands in $( ) there')

    def as_number(self, value: _Value) -> float:
        if isinstance(value, str):
            self.fail(f'"{value}" is a text, where a number is expected')
        return value

    def expression(self, least: int) -> _Value:
        value = self._operand()
        while self.next < len(self.tokens):
            sign = self.tokens[self.next][1]
            if sign not in _BINARY or _BINARY[sign][0] < least:
                break
            self.next += 1
            precedence, function = _BINARY[sign]
            other = self.expression(precedence + 1)
            if sign in ("==", "!=") and isinstance(value, str) and isinstance(other, str):
                value = float((value == other) == (sign == "=="))
            else:
                value = float(function(self.as_number(value), self.as_number(other)))
        return value

    def _operand(self) -> _Value:
        if self.next >= len(self.tokens):
            self.fail("it ends where a number or text is expected")
        kind, word = self.tokens[self.next]
        self.next += 1
        if kind == "number":
            return float(word)
        if kind == "text":
            return word
        if word == "!":
            return float(self.as_number(self._operand()) == 0.0)
        if word == "(":
            value = self.as_number(self.expression(1))
            if self.next >= len(self.tokens) or self.tokens[self.next][1] != ")":
                self.fail('expected ")"')
            self.next += 1
            return value
        self.fail(f'"{word}" is not expected there')
        raise AssertionError
