"""Variables of an input script: `variable`, `$x`, `${name}`, `$(formula)`, and their formulas.

Source: https://docs.lammps.org/variable.html and Commands_parse.html. What depends on a run, such as
computes, fixes and most thermodynamic keywords, is an error, never a guess.
"""

import math
import operator
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from sterna.importing.lammps.random_numbers import Marsaglia, normal

#: Kept in the definition that comes first; a second one is passed over.
_FIRST_STAYS = ("index", "loop", "world", "universe", "uloop", "file", "atomfile")
_REPLACED = (
    "string", "getenv", "format", "python", "timer", "internal", "equal", "atom", "vector",
)  # fmt: skip
STYLES = ("delete", *_FIRST_STAYS, *_REPLACED)

#: Styles with exactly one word.
_OF_ONE_WORD = ("string", "getenv", "python", "internal", "equal", "atom", "vector", "file")

_FORMAT = r"%[0-9 ]*\.[0-9]+[efgEFG]"  # formats that LAMMPS takes


class FormulaError(Exception):
    """An error in a variable or a formula, for the message of its line."""


class _Loop(Sequence[str]):
    """The values of the style loop."""

    def __init__(self, numbers: range, width: int) -> None:
        self.numbers, self.width = numbers, width

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, k):
        return f"{self.numbers[k]:0{self.width}d}" if self.width else str(self.numbers[k])


@dataclass
class Variables:
    """Definitions by their names: style and words.

    `fact`: the number that a keyword stands for, such as lx, or None where there is no such keyword;
    `fact_of_group`: likewise of a function of a group, such as count. Both raise FormulaError.
    """

    fact: Callable[[str], float | None] = lambda _name: None
    fact_of_group: Callable[[str, list[str]], float | None] = lambda _name, _words: None
    defined: dict[str, tuple[str, Sequence[str]]] = field(default_factory=dict)
    #: index of a loop's present value; 0 if absent
    places: dict[str, int] = field(default_factory=dict)
    evaluating: list[str] = field(default_factory=list)
    random: Marsaglia | None = None  #: random numbers of all formulas
    normal: Iterator[float] | None = None

    def define(self, name: str, style: str, words: list[str]) -> None:
        """Raises FormulaError where the style is unknown or lacks words."""
        if not re.fullmatch(r"\w+", name, re.ASCII):
            raise FormulaError(f'"{name}" is no name of a variable; expected letters, digits, _')
        if style == "delete":
            self._forget(name)
            return
        if style not in STYLES:
            raise FormulaError(f'unknown style of a variable "{style}"')
        if style in _FIRST_STAYS and name in self.defined:
            return
        if name in self.defined and self.defined[name][0] != style:
            raise FormulaError(
                f"the variable {name} is of style {self.defined[name][0]}, and cannot become {style}"
            )
        if not words and style != "timer":
            raise FormulaError(f"expected the value of the variable {name}")
        if style in _OF_ONE_WORD and len(words) > 1:
            raise FormulaError(
                f'the variable {name} of style {style} has one value; found "{words[1]}" behind it '
                "(a value with blanks stands in quotes)"
            )
        if style == "format":
            self._check_format(name, words)
        elif style == "loop":
            words = _values_of_loop(name, words)
        elif style == "string":
            # Text in quotes is replaced now, and only once.
            words = [self.substituted(words[0])]
        elif style == "internal" and not _is_number(words[0]):
            raise FormulaError(f'the variable {name} is "{words[0]}"; expected a number')
        self.defined[name] = (style, words)

    def _forget(self, name: str) -> None:
        self.defined.pop(name, None)
        self.places.pop(name, None)

    def go_on(self, names: list[str]) -> bool:
        """The command next. Returns whether the values of a variable, which then is no more, are at
        their end. Raises FormulaError."""
        styles = {self._found(name)[0] for name in names}
        if len(styles) > 1:
            raise FormulaError("the variables of `next` are of several styles; expected one")
        if not styles <= {"index", "loop"}:
            raise FormulaError(
                f"`next` of a variable of style {styles.pop()} is not evaluated; expected index or "
                "loop"
            )
        ended = False
        for name in names:
            self.places[name] = self.places.get(name, 0) + 1
            if self.places[name] >= len(self._found(name)[1]):
                ended = True
                self._forget(name)
        return ended

    def _check_format(self, name: str, words: list[str]) -> None:
        if len(words) != 2:
            raise FormulaError(f"expected `variable {name} format VARIABLE FORMAT`")
        if not re.fullmatch(_FORMAT, words[1]):
            raise FormulaError(f'the format "{words[1]}" is not known; expected one such as %.3f')

    def text(self, name: str) -> str:
        """Returns the text that replaces `${name}`."""
        style, words = self._found(name)
        if style in ("index", "string", "loop"):
            return words[self.places.get(name, 0)]
        if style == "getenv":
            if words[0] not in os.environ:
                raise FormulaError(f"the environment variable {words[0]} is not set")
            return os.environ[words[0]]
        if style == "internal":
            return _text_of(float(words[0]), ".15g")
        if style == "equal":
            return _text_of(self._evaluated(name, words[0]), ".15g")
        if style == "format":
            of, inner = self._found(words[0])
            if of not in ("equal", "internal"):
                raise FormulaError(
                    f"the variable {name} formats {words[0]} of style {of}; expected equal"
                )
            value = float(inner[0]) if of == "internal" else self._evaluated(words[0], inner[0])
            return words[1] % value
        raise FormulaError(f'the variable {name} of style "{style}" is not evaluated')

    def number(self, name: str) -> float:
        """The value of `v_name`, which LAMMPS takes from its text, of 15 digits."""
        style, words = self._found(name)
        text = words[0] if style == "internal" else self.text(name)
        if not _is_number(text):
            raise FormulaError(f'the variable {name} is "{text}", no number')
        return float(text)

    def _found(self, name: str) -> tuple[str, list[str]]:
        if name not in self.defined:
            raise FormulaError(f'there is no variable "{name}"')
        return self.defined[name]

    def _evaluated(self, name: str, formula: str) -> float:
        if name in self.evaluating:
            raise FormulaError(f"the variable {name} is made of itself")
        self.evaluating.append(name)
        try:
            return self.evaluate(formula)
        finally:
            self.evaluating.pop()

    def evaluate(self, formula: str) -> float:
        """Raises FormulaError where it is not one of numbers and variables."""
        return _Formula(formula, self).value()

    def substituted(self, text: str) -> str:
        """Returns the text with variables replaced, except inside quotes, as LAMMPS does."""
        made, k, quote = "", 0, ""
        while k < len(text):
            if quote:
                if text.startswith(quote, k):
                    made += quote
                    k += len(quote)
                    quote = ""
                    continue
            elif text[k] in "'\"":
                quote = '"""' if text.startswith('"""', k) else text[k]
                made += quote
                k += len(quote)
                continue
            elif text[k] == "$":
                value, k = self._replaced(text, k)
                made += value
                continue
            made += text[k]
            k += 1
        return made

    def _replaced(self, text: str, k: int) -> tuple[str, int]:
        """The value of the variable at this `$`, and the place behind it."""
        opening = text[k + 1 : k + 2]
        if opening == "{":
            end = text.find("}", k)
            if end < 0:
                raise FormulaError('expected "}" behind "${"')
            return self.text(text[k + 2 : end]), end + 1
        if opening == "(":
            depth, end = 0, k + 1
            while end < len(text):
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                if depth == 0:
                    break
                end += 1
            if depth:
                raise FormulaError('expected ")" behind "$("')
            inside = text[k + 2 : end]
            if "$" in inside:
                raise FormulaError(
                    f'LAMMPS replaces no variable inside "$({inside})"; expected names as v_name there'
                )
            formula, sign, form = inside.rpartition(":%")
            if not sign:
                return _text_of(self.evaluate(inside), ".20g"), end + 1
            if not re.fullmatch(_FORMAT, f"%{form}"):
                raise FormulaError(f'the format "%{form}" is not known; expected one such as %.3f')
            return f"%{form}" % self.evaluate(formula), end + 1
        if not re.match(r"\w", opening, re.ASCII):
            raise FormulaError('expected a name behind "$"')
        return self.text(opening), k + 2


def _values_of_loop(name: str, words: list[str]) -> _Loop:
    """Returns the values of the style loop, as texts."""
    padded = len(words) > 1 and words[-1] == "pad"
    numbers = words[:-1] if padded else words
    if len(numbers) not in (1, 2) or not all(re.fullmatch(r"-?\d{1,9}", one) for one in numbers):
        raise FormulaError(f"expected `variable {name} loop N`, or N1 N2, and perhaps pad")
    first, last = (1, int(numbers[0])) if len(numbers) == 1 else map(int, numbers)
    if last < max(first, 0) or (len(numbers) == 1 and last < 1):
        raise FormulaError(f"the variable {name} of style loop has no values")
    return _Loop(range(first, last + 1), len(str(last)) if padded else 0)


def _text_of(value: float, form: str) -> str:
    return format(value, form)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _checked(function: Callable[..., float]) -> Callable[..., float]:
    def call(*values: float) -> float:
        try:
            return float(function(*values))
        except (ValueError, OverflowError, ZeroDivisionError) as error:
            raise FormulaError(f"a function of the formula has no value: {error}") from None

    return call


def _round(x: float) -> float:
    return math.ceil(x) if x - math.floor(x) >= 0.5 else math.floor(x)


_FUNCTIONS: dict[str, tuple[int, Callable[..., float]]] = {
    "sqrt": (1, math.sqrt), "exp": (1, math.exp), "ln": (1, math.log), "log": (1, math.log10),
    "abs": (1, abs), "sin": (1, math.sin), "cos": (1, math.cos), "tan": (1, math.tan),
    "asin": (1, math.asin), "acos": (1, math.acos), "atan": (1, math.atan),
    "atan2": (2, math.atan2), "ceil": (1, math.ceil), "floor": (1, math.floor),
    "round": (1, _round),
    "sign": (1, lambda x: 1.0 if x >= 0.0 else -1.0),
    "ternary": (3, lambda x, y, z: y if x else z),
}  # fmt: skip

#: Functions whose first argument is a group.
_OF_GROUPS = ("count", "mass", "charge", "bound")

_LARGEST_SEED = 900000000

_CONSTANTS = {"PI": math.pi, "yes": 1.0, "on": 1.0, "true": 1.0, "no": 0.0, "off": 0.0,
              "false": 0.0}  # fmt: skip

#: Signs and their precedence; all are left-associative.
_BINARY: dict[str, tuple[int, Callable[[float, float], float]]] = {
    "||": (1, lambda a, b: a != 0.0 or b != 0.0), "|^": (1, lambda a, b: (a != 0.0) != (b != 0.0)),
    "&&": (2, lambda a, b: a != 0.0 and b != 0.0),
    "==": (3, operator.eq), "!=": (3, operator.ne),
    "<=": (4, operator.le), ">=": (4, operator.ge), "<": (4, operator.lt), ">": (4, operator.gt),
    "+": (5, operator.add), "-": (5, operator.sub),
    "*": (6, operator.mul), "/": (6, operator.truediv), "%": (6, math.fmod), "^": (7, math.pow),
}  # fmt: skip

_TOKEN = re.compile(
    r"\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|([A-Za-z_]\w*)"
    r"|(\|\||\|\^|&&|==|!=|<=|>=|[-+*/%^<>!(),]))",
    re.ASCII,
)


class _Formula:
    """A formula, read by precedence climbing."""

    def __init__(self, text: str, variables: Variables) -> None:
        self.text, self.variables, self.tokens, at = text, variables, [], 0
        while at < len(text.rstrip()):
            found = _TOKEN.match(text, at)
            if not found:
                raise FormulaError(
                    f'the formula "{text}" has "{text[at:].strip()}", which is not evaluated'
                )
            self.tokens.append(found.group().strip())
            at = found.end()
        self.next = 0

    def value(self) -> float:
        found = self._expression(1)
        if self.next < len(self.tokens):
            self._fail(f'"{self.tokens[self.next]}" is not expected there')
        if not math.isfinite(found):
            self._fail("its value is no finite number")
        return float(found)

    def _fail(self, what: str) -> None:
        raise FormulaError(f'the formula "{self.text.strip()}": {what}')

    def _peek(self) -> str:
        return self.tokens[self.next] if self.next < len(self.tokens) else ""

    def _take(self) -> str:
        self.next += 1
        return self.tokens[self.next - 1] if self.next <= len(self.tokens) else ""

    def _expression(self, least: int) -> float:
        value = self._unary()
        while self._peek() in _BINARY and _BINARY[self._peek()][0] >= least:
            precedence, function = _BINARY[self._take()]
            value = _checked(function)(value, self._expression(precedence + 1))
        return value

    def _unary(self) -> float:
        sign = self._peek()
        if sign == "-":
            self._take()
            return -self._unary()
        if sign == "!":
            self._take()
            return float(self._unary() == 0.0)
        return self._primary()

    def _primary(self) -> float:
        word = self._take()
        if word == "(":
            value = self._expression(1)
            if self._take() != ")":
                self._fail('expected ")"')
            return value
        if _is_number(word) and not word[:1].isalpha():
            return float(word)
        if word in _FUNCTIONS and self._peek() == "(":
            return self._function(word)
        if word in _CONSTANTS:
            return _CONSTANTS[word]
        if word.startswith("v_"):
            return self.variables.number(word[2:])
        if self._peek() != "(":
            fact = self.variables.fact(word)
            if fact is not None:
                return fact
        elif word in ("random", "normal"):
            return self._random(word)
        elif word in _OF_GROUPS:
            return self._of_group(word)
        self._fail(f'"{word}" is not evaluated' if word else "it ends where a number is expected")
        raise AssertionError

    def _arguments(self, name: str, count: int) -> list[float]:
        self._take()
        values = [self._expression(1)]
        while self._peek() == ",":
            self._take()
            values.append(self._expression(1))
        if self._take() != ")" or len(values) != count:
            self._fail(f"{name} has {count} argument{'s' * (count > 1)}")
        return values

    def _function(self, name: str) -> float:
        count, function = _FUNCTIONS[name]
        return _checked(function)(*self._arguments(name, count))

    def _random(self, name: str) -> float:
        """The next number of the generator that the first such function makes."""
        first, second, seed = self._arguments(name, 3)
        v = self.variables
        if v.random is None:
            if not 1 <= int(seed) <= _LARGEST_SEED:
                self._fail(f"the seed of {name} is {seed:g}; expected 1 to {_LARGEST_SEED}")
            v.random = Marsaglia(int(seed))
        if name == "random":
            return v.random.uniform() * (second - first) + first
        v.normal = v.normal or normal(v.random.uniform)
        if second < 0.0:
            self._fail("the width of normal is below 0")
        return first + second * next(v.normal)

    def _of_group(self, name: str) -> float:
        self._take()
        words = []
        while self._peek() not in (")", ""):
            words.append(self._take())
            if self._peek() == ",":
                self._take()
        self._take()
        value = self.variables.fact_of_group(name, words)
        if value is None:
            self._fail(f'"{name}({",".join(words)})" is not evaluated')
        return value
