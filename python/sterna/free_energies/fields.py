"""Tables in PLUMED's form: `#! FIELDS` names the columns, `#! SET` has constants."""

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sterna.errors import SternaError


@dataclass
class FieldsFile:
    """The columns of a file, and its constants as texts."""

    path: Path
    columns: dict[str, np.ndarray]
    constants: dict[str, str] = field(default_factory=dict)

    def number(self, name: str) -> float | None:
        """A constant; None where the file has none of this name."""
        text = self.constants.get(name)
        if text is None:
            return None
        if text in ("pi", "-pi"):
            return math.pi if text == "pi" else -math.pi
        try:
            return float(text)
        except ValueError:
            raise SternaError(f"{self.path}: the constant {name} is {text!r}, no number") from None

    def column(self, name: str) -> np.ndarray:
        """A column by its name."""
        if name not in self.columns:
            known = ", ".join(self.columns)
            raise SternaError(f"{self.path}: there is no column {name!r}; there are {known}")
        return self.columns[name]

    def period(self, variable: str) -> tuple[float, float] | None:
        """The least and the largest value of a variable that repeats; None for others."""
        least, largest = self.number(f"min_{variable}"), self.number(f"max_{variable}")
        return None if least is None or largest is None else (least, largest)

    def from_time(self, time: float) -> "FieldsFile":
        """The rows from this time on."""
        kept = self.column("time") >= time
        return FieldsFile(
            self.path, {name: of[kept] for name, of in self.columns.items()}, self.constants
        )


def read_fields(path: Path) -> FieldsFile:
    """Reads a file, whose head may occur again within it. Raises SternaError where it is damaged.

    A last line without an end, which a run may be writing, is left out.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SternaError(f"{path}: cannot be read: {error}") from error
    names: list[str] = []
    constants: dict[str, str] = {}
    rows: list[list[float]] = []
    for number, line in enumerate(text[: text.rfind("\n") + 1].split("\n")[:-1], start=1):
        words = line.split()
        if words[:1] == ["#!"]:
            if words[1:2] == ["FIELDS"]:
                if names and names != words[2:]:
                    raise SternaError(f"{path}:{number}: the columns change within the file")
                names = words[2:]
            elif words[1:2] == ["SET"] and len(words) >= 4:
                constants[words[2]] = " ".join(words[3:])
            continue
        if not words or words[0].startswith("#"):
            continue
        if not names:
            raise SternaError(f"{path}:{number}: expected a line #! FIELDS before the first row")
        try:
            row = [float(word) for word in words]
        except ValueError:
            row = []
        if len(row) != len(names) or not all(math.isfinite(value) for value in row):
            raise SternaError(f"{path}:{number}: expected {len(names)} numbers: {', '.join(names)}")
        rows.append(row)
    if not names:
        raise SternaError(f"{path}: is no table with a line #! FIELDS")
    table = np.array(rows, dtype=float).reshape(len(rows), len(names))
    return FieldsFile(path, {name: table[:, k] for k, name in enumerate(names)}, constants)
