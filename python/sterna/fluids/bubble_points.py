"""Vapor-liquid equilibria of mixtures: `sterna.bubble_points`, and what it returns."""

import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy

from sterna.errors import SternaError
from sterna.fluids.compositions import compositions_of, whole_compositions
from sterna.fluids.mixture_equilibrium import MixtureEquilibrium, State, quantities_of
from sterna.fluids.mixture_model import MixtureModel, mixture_model
from sterna.fluids.mixture_reference import of_mixture
from sterna.fluids.rows import MeasuredRows
from sterna.fluids.temperatures import temperatures_of
from sterna.support.libraries import library

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What a caller may leave out.
_DEFAULTS = {"molecules": 500, "steps": 100_000, "equilibration": 20_000, "insertions": 2000}
_LEAST = {"molecules": 100, "steps": 100, "equilibration": 1, "insertions": 1}


class BubblePoints(MeasuredRows):
    """Liquids of given composition, and the vapor that each is in equilibrium with.

    >>> found = sterna.bubble_points("carbon_dioxide_merker,ethane_2cljq", 250, [0.3, 0.6])
    >>> found["vapor_pressure"], found.error("vapor_pressure")  # NumPy arrays; nan: not known
    >>> found["vapor_share_carbon_dioxide_merker"]

    Rows are those of `temperature` and `shares`, an array of rows of mole fractions. Units are in
    `units`, `states` say how each row went, `notes` what else is to be known. Runs are in `folder`.
    """

    def __init__(
        self, study: MixtureEquilibrium, reference: str | None, notes: Sequence[str] = ()
    ) -> None:
        found = study.values()
        model = study.model
        self.names = model.names
        self.title = model.title
        self.is_reduced = model.reduced
        self.folder = study.folder
        self.temperature = numpy.array([point.temperature for point in study.points])
        #: Those of the molecules that run.
        self.shares = found.shares
        self.states, self.notes = found.states, [*notes, *found.notes]
        self.units = {n: unit[self.is_reduced] for n, unit in quantities_of(self.names).items()}
        self._values, self._errors = found.values, found.errors
        #: What stands beside, and its values by our names; empty where there is none.
        self.label, self.beside = of_mixture(reference, model, self.temperature, self.shares)

    def rows(self) -> list[dict[str, object]]:
        """A row for each temperature and composition, by the columns of the CSV file."""
        rows = []
        for k, temperature in enumerate(self.temperature):
            row: dict[str, object] = {
                "temperature" if self.is_reduced else "temperature/K": float(temperature)
            }
            row |= {f"liquid_share_{n}": float(self.shares[k, j]) for j, n in enumerate(self.names)}
            row["state"] = self.states[k]
            rows.append(row | dict(self._cells(k)))
        return rows

    def place(self, k: int) -> str:
        """The temperature and composition of a row."""
        unit = "" if self.is_reduced else " K"
        shares = "/".join(f"{share:g}" for share in self.shares[k])
        return f"{self.temperature[k]:g}{unit}, {shares}"

    def __str__(self) -> str:
        lines = [f"liquid of {' / '.join(self.names)}"]
        for k, state in enumerate(self.states):
            if state != "complete":
                lines.append(f"{self.place(k)}: {state}")
        for name, unit in self.units.items():
            lines.append(name.replace("_", " ") + (f" ({unit})" if unit else ""))
            for k in range(len(self.states)):
                known = self.beside.get(name)
                there = known is not None and math.isfinite(known[k])
                beside = f"  {self.label}: {known[k]:.5g}" if there else ""
                lines.append(
                    f"  {self.place(k)}".ljust(24) + self.shown(name, k).ljust(18) + beside
                )
        return "\n".join(line.rstrip() for line in lines + self.notes)

    def __repr__(self) -> str:
        return f"<sterna.BubblePoints of {self.title}: {len(self.states)} states>"

    def plot(self) -> "Figure":
        """A figure of matplotlib: pressures by the shares of the first component in both phases,
        and the share in the vapor by that in the liquid.
        """
        figure_class = library("matplotlib.figure", "a plot", "matplotlib").Figure
        made = figure_class(figsize=(11.0, 4.5), layout="constrained")
        pressure, share = made.subplots(1, 2)
        first = self.names[0]
        name = f"vapor_share_{first}"
        unit = "" if self.is_reduced else " K"
        for color, t in enumerate(dict.fromkeys(self.temperature)):
            at = self.temperature == t
            x, y, p = self.shares[at, 0], self[name][at], self["vapor_pressure"][at]
            of_p, of_y = self.error("vapor_pressure")[at], self.error(name)[at]
            style = {"color": f"C{color}", "capsize": 3}
            pressure.errorbar(x, p, of_p, fmt="o", label=f"{t:g}{unit}, liquid", **style)
            pressure.errorbar(y, p, of_p, of_y, fmt="s", mfc="none", label="vapor", **style)
            share.errorbar(x, y, of_y, fmt="o", label=f"{t:g}{unit}", **style)
            if self.beside:
                known = {key: values[at] for key, values in self.beside.items()}
                pressure.plot(x, known["vapor_pressure"], "x", color="gray", label=self.label)
                pressure.plot(known[name], known["vapor_pressure"], "+", color="gray")
                share.plot(x, known[name], "x", color="gray", label=self.label)
        pressure.set_ylabel("pressure" if self.is_reduced else "pressure (bar)")
        pressure.set_xlabel(f"share of {first}")
        share.plot([0.0, 1.0], [0.0, 1.0], "-", lw=0.5, color="gray")
        share.set_xlabel(f"share of {first} in the liquid")
        share.set_ylabel("in the vapor")
        for axes in (pressure, share):
            axes.set_xlim(0.0, 1.0)
            axes.legend()
        return made

    def _report_text(self) -> str:
        from sterna.fluids.mixture_report import report_text

        return report_text(self)


def bubble_points(
    model: str,
    temperature: str | float | Sequence[float],
    composition: str | Sequence,
    directory: str | os.PathLike | None = None,
    molecules: int | None = None,
    steps: int | None = None,
    equilibration: int | None = None,
    replicas: int = 1,
    cores: int | None = None,
    reference: str | None = None,
    seed: int = 1,
    tell: Callable[[str], None] | None = print,
    run: bool = True,
    insertions: int | None = None,
) -> BubblePoints:
    """Computes pressure and vapor of liquid mixtures of given composition.

    `model`: names that `sterna models` lists, with commas, or an input file with several
    `[[type]]`s or `[[component]]`s. `composition`: the mole fraction of the first of two
    components, or several of them; of more components "0.2/0.3/0.5". Every temperature goes with
    every composition. Shares are those of whole molecules, as results have them. All else is as in `sterna.vle`; `reference`: "none", or None for the mixture
    of CoolProp where it is installed. Raises SternaError where there is no liquid.
    """
    mixture: MixtureModel = mixture_model(model)
    given = {
        "molecules": molecules,
        "steps": steps,
        "equilibration": equilibration,
        "insertions": insertions,
    }
    sizes = {name: _DEFAULTS[name] if value is None else value for name, value in given.items()}
    for name, value in sizes.items():
        if value < _LEAST[name]:
            raise SternaError(f"{name} is {value}; expected at least {_LEAST[name]}", 2)
    if reference not in (None, "none"):
        raise SternaError(f"--reference {reference}: of a mixture expected none", 2)
    wanted = compositions_of(composition, len(mixture.names))
    compositions, notes = whole_compositions(wanted, sizes["molecules"], mixture.names)
    states = [State(float(t), x) for t in temperatures_of(temperature) for x in compositions]
    folder = Path(directory) if directory is not None else Path(f"vle-{mixture.title}")
    study = MixtureEquilibrium(mixture, states, folder, (*sizes.values(), replicas, seed))
    tell = tell or (lambda _: None)
    if run:
        for note in notes:
            tell(f"sterna: warning: {note}")
        study.run(tell, cores)
    return BubblePoints(study, reference, notes)
