"""What bubble points of mixtures stand beside: the mixture of CoolProp, by equations of state."""

import importlib.util

import numpy

from sterna.fluids.mixture_model import MixtureModel
from sterna.launching.models import models


def of_mixture(
    given: str | None, model: MixtureModel, temperatures: numpy.ndarray, shares: numpy.ndarray
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
        key: numpy.full(len(temperatures), numpy.nan)
        for key in ("vapor_pressure", "liquid_density", "vapor_density", *keys)
    }
    for k, t in enumerate(temperatures):
        try:
            state = CoolProp.AbstractState("HEOS", "&".join(names))
            state.set_mole_fractions([float(x) for x in shares[k]])
            state.update(CoolProp.QT_INPUTS, 0.0, float(t))
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
