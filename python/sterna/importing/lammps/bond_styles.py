"""Bond styles of LAMMPS as terms of Sterna: a function for each, of the coefficients of a type."""

from collections.abc import Callable

from sterna.importing.lammps.bonded_rows import Coefficients, Kind, gaussian


def _harmonic_bond(c: Coefficients) -> list[Kind]:
    stiffness, r0 = 2.0 * c.number("the stiffness"), c.number("the length at rest")
    return [Kind("bond", {"potential": "harmonic", "stiffness": stiffness, "r0": r0})]


def _morse_bond(c: Coefficients) -> list[Kind]:
    depth, alpha, r0 = c.number("the depth"), c.number("alpha"), c.number("the length at rest")
    return [Kind("bond", {"potential": "morse", "depth": depth, "alpha": alpha, "r0": r0})]


def _fene_bond(c: Coefficients) -> list[Kind]:
    # LAMMPS has the factor 1/2 here.
    parameters = {
        "potential": "fene",
        "stiffness": c.number("the stiffness"),
        "r_max": c.number("the largest length"),
        "epsilon": c.number("epsilon"),
        "sigma": c.number("sigma"),
    }
    return [Kind("bond", parameters)]


def _polynomial_bond(r0: float, k2: float, k3: float, k4: float) -> list[Kind]:
    """Returns the bond with these coefficients of powers of r - r0."""
    values = {"potential": "polynomial", "stiffness": 2.0 * k2, "r0": r0, "k3": k3, "k4": k4}
    return [Kind("bond", values)]


def _class2_bond(c: Coefficients) -> list[Kind]:
    r0 = c.number("the length at rest")
    return _polynomial_bond(r0, *(c.number(f"K{n}") for n in (2, 3, 4)))


def _mm3_bond(c: Coefficients) -> list[Kind]:
    stiffness, r0 = c.number("the stiffness"), c.number("the length at rest")
    cubic = -2.55  # 1/angstrom
    return _polynomial_bond(r0, stiffness, stiffness * cubic, stiffness * 7.0 / 12.0 * cubic**2)


def _fene_expand_bond(c: Coefficients) -> list[Kind]:
    (found,) = _fene_bond(c)
    return [Kind("bond", found.parameters | {"shift": c.number("the shift")})]


def _shifted_bond(ends: bool) -> Callable[[Coefficients], list[Kind]]:
    """`ends`: where the energy is 0."""

    def read(c: Coefficients) -> list[Kind]:
        values = {
            "potential": "shifted_harmonic",
            "depth": c.number("the depth"),
            "r0": c.number("the length at rest"),
            "r_zero": c.number("where the energy is 0"),
        }
        if ends and values["r_zero"] == 0.0:
            return []
        return [Kind("bond", values | ({"cutoff": values["r_zero"]} if ends else {}))]

    return read


def _nonlinear_bond(c: Coefficients) -> list[Kind]:
    epsilon, r0 = c.number("epsilon"), c.number("the length at rest")
    extension = c.number("lambda")
    if extension == 0.0:
        c.line.fail(c.next - 1, "lambda is 0; expected a number above 0")
    stiffness = 2.0 * epsilon / extension**2
    values = {"potential": "nonlinear", "stiffness": stiffness, "r0": r0}
    return [Kind("bond", values | {"extension": extension})]


def _gromos_bond(c: Coefficients) -> list[Kind]:
    stiffness, r0 = c.number("the stiffness"), c.number("the length at rest")
    parameters = {"potential": "gromos", "stiffness": 8.0 * r0 * r0 * stiffness, "r0": r0}
    return [Kind("bond", parameters)]


BOND_STYLES: dict[str, Callable[[Coefficients], list[Kind]]] = {
    "harmonic": _harmonic_bond,
    "morse": _morse_bond,
    "fene": _fene_bond,
    "class2": _class2_bond,
    "mm3": _mm3_bond,
    "gromos": _gromos_bond,
    "fene/expand": _fene_expand_bond,
    "harmonic/shift": _shifted_bond(ends=False),
    "harmonic/shift/cut": _shifted_bond(ends=True),
    "nonlinear": _nonlinear_bond,
    "gaussian": gaussian("bond", 1.0, 1e-10),
}
