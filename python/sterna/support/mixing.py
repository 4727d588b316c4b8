"""What unlike Lennard-Jones sites have by the rules that `mixing` names.

Source: Waldman and Hagler, J. Comput. Chem. 14, 1077 (1993); Kong, J. Chem. Phys. 59, 2464 (1973); Fender
and Halsey, J. Chem. Phys. 36, 1881 (1962).
"""

from math import sqrt

Well = tuple[float, float]  #: epsilon and sigma

#: All rules, the first of which an input without `mixing` has.
RULES = ("lorentz_berthelot", "geometric", "waldman_hagler", "kong", "fender_halsey")


def mixed_well(rule: str, a: Well, b: Well) -> Well:
    """Epsilon and sigma of two sites. Two that are alike are not changed, and one without a depth leaves
    none."""
    if a == b:
        return a
    (e1, s1), (e2, s2) = a, b
    depth, mean = sqrt(e1 * e2), 0.5 * (s1 + s2)
    c6 = depth * (s1 * s2) ** 3
    if rule == "geometric":
        return depth, sqrt(s1 * s2)
    if rule == "waldman_hagler":
        sixth = 0.5 * (s1**6 + s2**6)
        return c6 / sixth if c6 else 0.0, sixth ** (1 / 6)
    if rule == "kong":
        if c6 == 0.0:
            return 0.0, mean
        c12 = (0.5 * ((e1 * s1**12) ** (1 / 13) + (e2 * s2**12) ** (1 / 13))) ** 13
        return c6**2 / c12, (c12 / c6) ** (1 / 6)
    if rule == "fender_halsey":
        return 2.0 * e1 * e2 / (e1 + e2) if depth else 0.0, mean
    if rule == "lorentz_berthelot":
        return depth, mean
    raise ValueError(f"no rule of mixing: {rule}")
