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
        for key in (
            "vapor_pressure", "liquid_density", "vapor_density", *keys,
            "liquid_residual_enthalpy", "vapor_residual_enthalpy",
        )
    }  # fmt: skip
    for k, t in enumerate(temperatures):
        try:
            state = CoolProp.AbstractState("HEOS", "&".join(names))
            state.set_mole_fractions([float(x) for x in shares[k]])
            state.update(CoolProp.QT_INPUTS, 0.0, float(t))
            of_vapor = state.mole_fractions_vapor()
            liquid = state.saturated_liquid_keyed_output(CoolProp.iDmolar)
            vapor = state.saturated_vapor_keyed_output(CoolProp.iDmolar)
            values = [
                1e-5 * state.p(), 1e-3 * liquid, 1e-3 * vapor, *of_vapor,
                _residual_enthalpy(names, list(map(float, shares[k])), float(t), liquid),
                _residual_enthalpy(names, of_vapor, float(t), vapor),
            ]  # fmt: skip
        except ValueError:
            # It has no parameters of this pair, or its search has failed.
            continue
        for key, value in zip(found, values, strict=True):
            found[key][k] = value
    is_there = numpy.isfinite(found["vapor_pressure"]).any()
    return (f"CoolProp {CoolProp.__version__}", found) if is_there else ("", {})


def _residual_enthalpy(
    names: list[str], shares: list[float], temperature: float, density: float
) -> float:
    """Of one phase in kJ/mol, beyond that of the ideal gas. `density`: in mol/m^3."""
    import CoolProp

    state = CoolProp.AbstractState("HEOS", "&".join(names))
    state.set_mole_fractions(shares)
    # Any single phase: density and temperature are the variables of the equation of state.
    state.specify_phase(CoolProp.iphase_gas)
    state.update(CoolProp.DmolarT_INPUTS, density, temperature)
    return 1e-3 * state.hmolar_residual()
