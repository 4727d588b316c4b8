"""Virial coefficients of a model: `sterna.virial`, and what it returns."""

import itertools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy

from sterna.errors import SternaError
from sterna.fluids.pair_model import CM3_MOL_PER_NM3, PairModel, pair_model
from sterna.fluids.rows import Rows
from sterna.fluids.second_virial import second_virial
from sterna.fluids.temperatures import temperatures_of
from sterna.fluids.third_virial import third_virial, third_virial_of_atoms
from sterna.support.libraries import library
from sterna.support.measured import measured_text
from sterna.support.names import no_such

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Shares of the reference in a Mayer sampling outside of these: the walks have not found all weight.
_BALANCED = (0.25, 0.75)


@dataclass(frozen=True)
class Coefficient:
    """A virial coefficient of two or three molecules; arrays over the temperatures.

    Values are in cm^3/mol (second) or cm^6/mol^2 (third), or in reduced units; `reduced` ones are
    divided by the third or sixth power of the largest sigma of the model.
    """

    molecules: tuple[str, ...]
    value: numpy.ndarray
    error: numpy.ndarray
    reduced: numpy.ndarray
    reduced_error: numpy.ndarray
    unit: str
    method: str
    slope: numpy.ndarray | None = None  #: T dB/dT of second coefficients
    slope_error: numpy.ndarray | None = None
    doubtful: tuple[float, ...] = ()  #: temperatures at which the error is itself not known

    @property
    def symbol(self) -> str:
        """B or C."""
        return "B" if len(self.molecules) == 2 else "C"

    @property
    def name(self) -> str:
        """Such as `B(methane, ethane)`."""
        return f"{self.symbol}({', '.join(self.molecules)})"


class VirialCoefficients(Rows):
    """The virial coefficients of a fluid at some temperatures.

    >>> found = sterna.virial("carbon_dioxide_merker", [250, 300])
    >>> found.temperature, found.second.value, found.second.error  # NumPy arrays
    >>> found.third.value

    For a mixture `second` and `third` are those of its first molecule, and `of` has the others.
    """

    def __init__(
        self, model: PairModel, temperature: numpy.ndarray, coefficients: Sequence[Coefficient]
    ) -> None:
        self.molecules = model.names
        self.temperature = temperature  #: in K, or reduced
        self.is_reduced = model.reduced
        self.coefficients = tuple(coefficients)
        self.range = str(model.ending)  #: where the Lennard-Jones part ends

    def of(self, *molecules: str) -> Coefficient:
        """The coefficient of two or three molecules by their names, in any order. Raises KeyError."""
        for name in molecules:
            if name not in self.molecules:
                raise KeyError(no_such("molecule", name, self.molecules))
        for one in self.coefficients:
            if sorted(one.molecules) == sorted(molecules):
                return one
        raise KeyError(f"there is no coefficient of {len(molecules)} molecules: {molecules}")

    @property
    def second(self) -> Coefficient:
        return self.of(*2 * self.molecules[:1])

    @property
    def third(self) -> Coefficient:
        return self.of(*3 * self.molecules[:1])

    def of_mixture(self, fractions: Sequence[float]) -> tuple[numpy.ndarray, numpy.ndarray]:
        """B and C of a mixture with these mole fractions, arrays over the temperatures.

        C is 0 where no third coefficients were computed. Raises ValueError for fractions that are
        not as many as molecules, below 0 or not 1 together.
        """
        x = numpy.asarray(fractions, float)
        if x.shape != (len(self.molecules),) or (x < 0).any() or abs(x.sum() - 1.0) > 1e-6:
            raise ValueError(
                f"the mole fractions {list(fractions)}: expected {len(self.molecules)} numbers of at "
                "least 0 whose sum is 1"
            )
        share = dict(zip(self.molecules, x, strict=True))
        both = {"B": numpy.zeros(len(self.temperature)), "C": numpy.zeros(len(self.temperature))}
        for one in self.coefficients:
            orders = len(set(itertools.permutations(one.molecules)))
            both[one.symbol] += orders * numpy.prod([share[m] for m in one.molecules]) * one.value
        return both["B"], both["C"]

    def rows(self) -> list[dict[str, object]]:
        """A row for each coefficient and temperature, by the columns of the CSV file."""
        unit = "" if self.is_reduced else "/K"
        rows = []
        for one in self.coefficients:
            for k, temperature in enumerate(self.temperature):
                rows.append(
                    {
                        f"temperature{unit}": float(temperature),
                        "coefficient": one.symbol,
                        "molecules": " ".join(one.molecules),
                        "value": float(one.value[k]),
                        "error": float(one.error[k]),
                        "unit": one.unit,
                        "reduced": float(one.reduced[k]),
                        "reduced_error": float(one.reduced_error[k]),
                        "slope": "" if one.slope is None else float(one.slope[k]),
                        "slope_error": "" if one.slope_error is None else float(one.slope_error[k]),
                        "method": one.method,
                    }
                )
        return rows

    def plot(self, reference: dict[str, numpy.ndarray] | None = None, label: str = "") -> "Figure":
        """A figure of matplotlib: a plot of all B, and one of all C where there are any.

        `reference`: values of others over the same temperatures, by B and C, drawn as dashed lines
        with this label.
        """
        figure_class = library("matplotlib.figure", "a plot", "matplotlib").Figure
        symbols = list(dict.fromkeys(one.symbol for one in self.coefficients))
        made = figure_class(figsize=(6.4, 3.8 * len(symbols)), layout="constrained")
        for number, symbol in enumerate(symbols):
            axes = made.add_subplot(len(symbols), 1, number + 1)
            for one in self.coefficients:
                if one.symbol == symbol:
                    axes.errorbar(
                        self.temperature, one.value, one.error, fmt="o-", capsize=3, label=one.name
                    )
            if reference and symbol in reference:
                axes.plot(self.temperature, reference[symbol], "--", color="gray", label=label)
            unit = next(one.unit for one in self.coefficients if one.symbol == symbol)
            axes.set_xlabel("temperature" + ("" if self.is_reduced else " (K)"))
            axes.set_ylabel(f"{symbol} ({unit})")
            axes.legend()
        return made

    def __str__(self) -> str:
        unit = "" if self.is_reduced else "K"
        lines = [self.range]
        for one in self.coefficients:
            lines.append(f"{one.name} in {one.unit}, by {one.method}")
            for k, temperature in enumerate(self.temperature):
                text = f"  {temperature:g} {unit}".ljust(12) + _shown(
                    one.value[k], one.error[k], 20
                )
                text += f" reduced {_shown(one.reduced[k], one.reduced_error[k], 18)}"
                if one.slope is not None:
                    text += f" T dB/dT {_shown(one.slope[k], one.slope_error[k], 0)}"
                if temperature in one.doubtful:
                    text += " (error not known: too few walks found the weight)"
                lines.append(text.rstrip())
        return "\n".join(lines)

    def __repr__(self) -> str:
        names = ", ".join(one.name for one in self.coefficients)
        return f"<sterna.VirialCoefficients: {names} at {len(self.temperature)} temperatures>"


def _shown(value: float, error: float, width: int) -> str:
    # Quadrature is exact to more digits than anybody needs.
    exact = error < 2e-8 * abs(value)
    return (f"{value:.7g}" if exact else measured_text(value, error)).ljust(width)


def virial(
    model: str | os.PathLike | Sequence[str],
    temperature: str | float | Sequence[float],
    third: bool = True,
    mayer: bool = False,
    orientations: int = 2048,
    steps: int = 2000,
    seed: int = 1,
    tell: Callable[[str], None] | None = None,
) -> VirialCoefficients:
    """Computes second and third virial coefficients of atoms and rigid molecules, with errors.

    `model`: a name that `sterna models` lists, "lennard_jones", several names for a mixture, or an
    input file. `temperature`: in K (reduced: of the input's energy), also as "200:300:20". With
    `mayer` third coefficients of atoms are sampled, too; else they come from quadrature.
    `orientations` of second and `steps` of third coefficients make errors smaller by their square
    root. `tell` gets a line for each that is done. Raises SternaError for models that have no virial
    coefficients, such as ions.
    """
    fluid = pair_model(model)
    temperatures = temperatures_of(temperature)
    for name, value, least in (("orientations", orientations, 16), ("steps", steps, 10)):
        if value < least:
            raise SternaError(f"{name} is {value}; expected at least {least}", 2)
    tell = tell or (lambda _: None)
    count = len(fluid.molecules)
    found = []
    for kinds in itertools.combinations_with_replacement(range(count), 2):
        found.append(_second(fluid, kinds, temperatures, orientations, seed))
        tell(f"{found[-1].name}: done")
    for kinds in itertools.combinations_with_replacement(range(count), 3) if third else ():
        found.append(_third(fluid, kinds, temperatures, mayer, steps, seed))
        tell(f"{found[-1].name}: done")
    return VirialCoefficients(fluid, temperatures, found)


def _second(
    fluid: PairModel,
    kinds: tuple[int, ...],
    temperatures: numpy.ndarray,
    orientations: int,
    seed: int,
) -> Coefficient:
    one = second_virial(fluid, *kinds, temperatures, orientations, seed=seed)
    factor = 1.0 if fluid.reduced else CM3_MOL_PER_NM3
    volume = fluid.sigma**3
    atoms = all(fluid.molecules[kind].is_atom for kind in kinds)
    return Coefficient(
        tuple(fluid.names[kind] for kind in kinds),
        factor * one.value,
        factor * one.error,
        one.value / volume,
        one.error / volume,
        "sigma^3" if fluid.reduced else "cm^3/mol",
        "quadrature" if atoms else f"{orientations} orientations, shifted 16 times",
        factor * one.slope,
        factor * one.slope_error,
    )


def _third(
    fluid: PairModel,
    kinds: tuple[int, ...],
    temperatures: numpy.ndarray,
    mayer: bool,
    steps: int,
    seed: int,
) -> Coefficient:
    by_quadrature = not mayer and all(fluid.molecules[kind].is_atom for kind in kinds)
    each = [
        third_virial_of_atoms(fluid, kinds, t)
        if by_quadrature
        else third_virial(fluid, kinds, t, steps, seed=seed)
        for t in temperatures
    ]
    values, errors = (numpy.array([getattr(e, k) for e in each]) for k in ("value", "error"))
    factor = 1.0 if fluid.reduced else CM3_MOL_PER_NM3**2
    volume = fluid.sigma**6
    low, high = _BALANCED
    doubtful = [
        float(t)
        for t, e in zip(temperatures, each, strict=True)
        if not by_quadrature and not low < e.reference < high
    ]
    return Coefficient(
        tuple(fluid.names[kind] for kind in kinds),
        factor * values,
        factor * errors,
        values / volume,
        errors / volume,
        "sigma^6" if fluid.reduced else "cm^6/mol^2",
        "quadrature" if by_quadrature else f"Mayer sampling, {steps} steps of 2048 walks",
        doubtful=tuple(doubtful),
    )
