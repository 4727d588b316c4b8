"""Averages over the part of a run where it has settled, as objects."""

import json
import math
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape

from sterna.errors import SternaError
from sterna.launching.launch import program_environment
from sterna.launching.program import find_program
from sterna.support.measured import measured_text
from sterna.support.names import Named

#: Energies that are shown of each particle, under this name.
ENERGIES = (
    "potential_energy", "total_energy", "kinetic_energy", "conserved_energy", "pair_energy",
)  # fmt: skip
PER_PARTICLE = "/N"
_FEW = "so few rows do not tell whether the run has settled"


@dataclass(frozen=True)
class Average:
    """The mean of a quantity over the part of a run where it has settled.

    `print` shows it as `452(17) bar`: the error of the last digits is in parentheses.
    """

    name: str
    mean: float
    error: float | None  #: standard error of the mean; None where nothing tells it
    unit: str = ""  #: unit of both; empty in reduced units
    #: Whether it had settled; None where the run does not tell.
    settled: bool | None = None
    #: The number of independent values with the same error; None if it is not known.
    independent: float | None = None

    def __float__(self) -> float:
        return self.mean

    def __str__(self) -> str:
        text = f"{measured_text(self.mean, self.error)} {self.unit}".strip()
        return text + (", not settled" if self.settled is False else "")


class Averages(Named[Average]):
    """Averages of a run by name, over the part where it has settled.

    >>> result.averages["density"].mean

    They are those that the run printed at its end; of a run without an end, those of its log.
    `averages["potential_energy"]` is that of all particles. "potential_energy/N", of each particle,
    is what `print`, the terminal and the report show.
    """

    _what = "average"

    def __init__(self, items: Mapping[str, Average], over: Mapping[str, object]) -> None:
        super().__init__(items)
        self._over = dict(over)

    def __getitem__(self, name: str) -> Average:
        of_all = name.removesuffix(PER_PARTICLE)
        if of_all == name or of_all not in ENERGIES or self._particles < 1:
            return super().__getitem__(name)
        whole, count = super().__getitem__(of_all), self._particles
        error = None if whole.error is None else whole.error / count
        return replace(whole, name=name, mean=whole.mean / count, error=error)

    @property
    def _particles(self) -> int:
        return int(str(self._over.get("particles", 0)))

    def among(self, names: Iterable[str]) -> "Averages":
        """Those of these names that are there, in the same order."""
        wanted = set(names)
        return Averages({name: self[name] for name in self if name in wanted}, self._over)

    @property
    def shown(self) -> dict[str, Average]:
        """The averages as the terminal and the report name them: energies of each particle."""
        names = [
            f"{name}{PER_PARTICLE}" if name in ENERGIES and self._particles > 1 else name
            for name in self
        ]
        return {name: self[name] for name in names}

    @property
    def first_step(self) -> int:
        """The step that they begin with."""
        return int(str(self._over.get("first_step", 0)))

    @property
    def rows(self) -> int:
        """Rows of the log that were averaged."""
        return int(str(self._over.get("rows", 0)))

    @property
    def rows_left_out(self) -> int:
        """Rows before `first_step`."""
        return int(str(self._over.get("rows_left_out", 0)))

    @property
    def reason(self) -> str:
        """Why rows were left out; empty where none were, or `equilibration` says so."""
        return str(self._over.get("reason", ""))

    @property
    def settled(self) -> bool | None:
        """Whether the run has settled; None where it is too short to tell."""
        found = self._over.get("settled")
        return None if found is None else bool(found)

    @property
    def unsettled(self) -> list[str]:
        """Returns sentences on why the run has not settled."""
        found = self._over.get("unsettled", [])
        return [str(why) for why in found] if isinstance(found, list) else []

    @property
    def heading(self) -> str:
        """Says in words which values the averages are of."""
        if not self.rows:
            return "averages" if self else "no averages: too few rows of the log are of a motion"
        why = f": {self.reason}" if self.reason else ""
        return f"averages over {self.rows} rows of the log from step {self.first_step} on{why}"

    def __str__(self) -> str:
        lines = [self.heading]
        lines += [f"  {name:<20} {average}" for name, average in self.shown.items()]
        if self.settled is None and self.rows and not self.unsettled:
            lines.append(f"  {_FEW}")
        if self.unsettled:
            lines.append("the run has not settled, or is too short to tell:")
            lines += [f"  {why}" for why in self.unsettled]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(measured_text(a.mean, a.error))}</td>"
            f"<td>{escape(a.unit)}</td></tr>"
            for name, a in self.shown.items()
        )
        why = "".join(f"<li>{escape(reason)}</li>" for reason in self.unsettled)
        return (
            f"<table><caption>{escape(self.heading)}</caption>"
            f"<tr><th>quantity</th><th>mean (error)</th><th>unit</th></tr>{rows}</table>"
            + (f"<p>{_FEW}</p>" if self.settled is None and self.rows and not why else "")
            + (
                f"<p>The run has not settled, or is too short to tell:</p><ul>{why}</ul>"
                if why
                else ""
            )
        )


def averages_of(found: Mapping, over: Mapping, units: Mapping[str, str]) -> Averages:
    """Makes averages from the engine's data; `units` are those of data without units."""
    items = {}
    for name, value in found.items():
        if value.get("mean") is None:
            continue
        items[name] = Average(
            name,
            float(value["mean"]),
            value.get("standard_error"),
            str(value.get("unit") or units.get(name, "")),
            value.get("settled"),
            value.get("independent"),
        )
    return Averages(items, over)


def averages_of_rows(
    logged: Sequence[Mapping],
    names: Sequence[str],
    unit_of: Callable[[str], str],
    equilibration: int | None = None,
    particles: int = 0,
) -> Averages:
    """Averages of the columns `names` of a log's rows, by the engine: see `Log.averages`.

    `particles`: their number, where it is known.
    """
    rows = [row for row in logged if _moves(row)]
    columns = [
        name
        for name in names
        if name not in ("step", "time")
        and all(isinstance(row.get(name), (int, float)) for row in rows)
    ]
    if len(rows) < 2:
        return Averages({}, {})

    def plain(value: object) -> object:
        return value if isinstance(value, (int, float)) and math.isfinite(value) else None

    given = {
        "steps": [row["step"] for row in rows],
        "columns": {column: [plain(row.get(column)) for row in rows] for column in columns},
        "equilibration": equilibration,
    }
    done = subprocess.run(
        [find_program(), "--averages"],
        input=json.dumps(given),
        env=program_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SternaError(done.stderr.strip(), done.returncode)
    found = json.loads(done.stdout)
    units = {column: unit_of(column) for column in columns}
    over = {**(found["averages_over"] or {}), "particles": particles}
    return averages_of(found["averages"] or {}, over, units)


def _moves(row: Mapping) -> bool:
    """Whether a row is none of a minimization, which is no equilibrium."""
    return "largest_force" not in row
