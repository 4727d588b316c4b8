"""The check of a System that OpenMM wrote as XML.

OpenMM takes what is no number for 0, so numbers are looked at here.
"""

import difflib
import importlib
import math
from pathlib import Path
from xml.parsers import expat

from sterna.errors import SternaError
from sterna.importing.text import Line, read_text

#: Attributes that are words, whatever they stand in.
_WORDS = {"type", "name", "energy", "xmlns", "openmmVersion", "expression", "aggregate"}
#: Elements whose attributes are numbers otherwise.
_NUMBERS = {"Particle", "Bond", "Angle", "Torsion", "Exception", "Constraint", "A", "B", "C"}
_ROOT = "System"


def check(path: Path) -> None:
    text = read_text(path)
    lines = text.split("\n")
    openmm = importlib.import_module("openmm")
    parser = expat.ParserCreate()
    depth = 0

    def here() -> Line:
        number = parser.CurrentLineNumber
        return Line(path, number, lines[number - 1].expandtabs(1).rstrip("\r"))

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        if depth == 0 and name != _ROOT:
            here().fail(None, f"the file has a {name}; expected a System that OpenMM wrote")
        depth += 1
        kind = attributes.get("type", "")
        if name == "Force" and not hasattr(openmm, kind):
            known = [each for each in vars(openmm) if each.endswith("Force")]
            near = difflib.get_close_matches(kind, known, 1)
            here().fail(None, f'OpenMM has no force "{kind}"' + "".join(
                f'; did you mean "{each}"?' for each in near
            ))  # fmt: skip
        if name not in _NUMBERS:
            return
        for key, value in attributes.items():
            if key in _WORDS:
                continue
            try:
                is_number = math.isfinite(float(value))
            except ValueError:
                is_number = False
            if not is_number:
                line = here()
                place = max(0, line.text.find(f'{key}="{value}"'))
                line.fail_between(
                    place, place + len(key) + len(value) + 3,
                    f'{key} of this {name} is "{value}"; expected a number',
                )  # fmt: skip

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartElementHandler, parser.EndElementHandler = begin, end
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        if not text.strip():
            raise SternaError(
                f"{path}: error: the file is empty; expected a System that OpenMM wrote", status=2
            ) from error
        number = min(error.lineno, len(lines))
        line = Line(path, number, lines[number - 1].expandtabs(1).rstrip("\r"))
        line.fail_between(
            error.offset, error.offset + 1, f"this is no XML: {expat.ErrorString(error.code)}"
        )
