"""What bubble points of mixtures stand beside: the mixture of CoolProp, by equations of state."""

import importlib.util
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy

from sterna.fluids.mixture_model import MixtureModel
from sterna.launching.models import models

if TYPE_CHECKING:
    from sterna.fluids.mixture_equilibrium import State


def of_mixture(
    given: str | None, model: MixtureModel, points: Sequence["State"]
) -> tuple[str, dict[str, numpy.ndarray]]:
    """The label of the reference, and its values by our names, nan where it has none.

    Nothing where it is not wanted, or not all components are models of substances that CoolProp has.
    """
    substances = [
        models().get(molecule.name, {}).get("substance") for molecule in model.pair.molecules
    ]
    if given == "none" or not all(substances) or not importlib.util.find_spec("CoolProp"):
        return "", {}
    import CoolProp

    names = ["".join(word.capitalize() for word in str(one).split()) for one in substances]
    keys = [f"vapor_share_{name}" for name in model.names]
    found = {
        key: numpy.full(len(points), numpy.nan)
        for key in ("vapor_pressure", "liquid_density", "vapor_density", *keys)
    }
    for k, point in enumerate(points):
        try:
            state = CoolProp.AbstractState("HEOS", "&".join(names))
            state.set_mole_fractions(list(point.shares))
            state.update(CoolProp.QT_INPUTS, 0.0, point.temperature)
            values = [
                1e-5 * state.p(),
                1e-3 * state.saturated_liquid_keyed_output(CoolProp.iDmolar),
                1e-3 * state.saturated_vapor_keyed_output(CoolProp.iDmolar),
                *state.mole_fractions_vapor(),
            ]
        except ValueError:
            # It has no parameters of this pair, or its search has failed.
            continue
        for key, value in zip(found, values, strict=True):
            found[key][k] = value
    is_there = numpy.isfinite(found["vapor_pressure"]).any()
    return (f"CoolProp {CoolProp.__version__}", found) if is_there else ("", {})
