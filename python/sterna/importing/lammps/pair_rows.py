"""Pair styles of LAMMPS: a row for each.

Source: https://docs.lammps.org, the page of each style and pair_modify.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Values = tuple[float, ...]
Potential = tuple[str, dict[str, float]]  #: potential of a `[[pair]]`, and its keys


def mixed_energy(rule: str, first: float, second: float, size: float, other: float) -> float:
    """Mixes energies as `pair_modify mix` does."""
    if first == second and size == other:
        return abs(first)  # The root of the square, also of a negative number.
    product = math.sqrt(first * second) if first * second > 0.0 else 0.0
    if rule != "sixthpower":
        return product
    sixth = size**6 + other**6
    return 2.0 * product * size**3 * other**3 / sixth if sixth > 0.0 else 0.0


def mixed_distance(rule: str, first: float, second: float) -> float:
    """Mixes distances as `pair_modify mix` does."""
    if first == second:
        return first
    if rule == "geometric":
        return math.sqrt(first * second)
    if rule == "arithmetic":
        return 0.5 * (first + second)
    return (0.5 * (first**6 + second**6)) ** (1.0 / 6.0)


def _lennard_jones(v: Values) -> Potential:
    return "lennard_jones", {"epsilon": v[0], "sigma": v[1]}


def _powers(c_n: float, c_m: float, n: int, m: int) -> Potential:
    """c_n / r^n - c_m / r^m as a Mie potential: both are positive, or both 0."""
    if c_n == 0.0 and c_m == 0.0:
        return "lennard_jones", {"epsilon": 0.0, "sigma": 1.0}
    sigma = (c_n / c_m) ** (1.0 / (n - m))
    prefactor = n / (n - m) * (n / m) ** (m / (n - m))
    return mie(c_m / sigma**m / prefactor, sigma, n, m)


def mie(epsilon: float, sigma: float, n: float, m: float) -> Potential:
    if (n, m) == (12, 6):
        return "lennard_jones", {"epsilon": epsilon, "sigma": sigma}
    return "mie", {
        "epsilon": epsilon, "sigma": sigma, "repulsive_exponent": n, "attractive_exponent": m,
    }  # fmt: skip


def _class2(v: Values) -> Potential:
    return mie(v[0], v[1] * (2.0 / 3.0) ** (1.0 / 3.0), 9, 6)


def _lj96(v: Values) -> Potential:
    return mie(4.0 * v[0] / 6.75, v[1], 9, 6)


def _nm(v: Values) -> Potential:
    depth, r0, n, m = v
    return mie(depth, r0 * (m / n) ** (1.0 / (n - m)), n, m)


def _buckingham(v: Values) -> Potential:
    if v[2] < 0.0:
        return _born((v[0], v[1], 0.0, v[2], 0.0))
    return "buckingham", {"amplitude": v[0], "rho": v[1], "c6": v[2]}


def _born(v: Values) -> Potential:
    # LAMMPS adds D / r^8.
    keys = {"amplitude": v[0], "rho": v[1], "sigma": v[2], "c6": v[3], "c8": -v[4]}
    return "born_mayer_huggins", keys


def _morse(v: Values) -> Potential:
    return "morse", {"depth": v[0], "alpha": v[1], "r0": v[2]}


def _soft(v: Values) -> Potential:
    return "soft", {"amplitude": v[0]}


def _yukawa(v: Values) -> Potential:
    return "yukawa", {"strength": v[0]}


def _lennard_mdf(v: Values) -> Potential:
    return _powers(v[0], v[1], 12, 6)


def _expanded(v: Values) -> Potential:
    keys = {"epsilon": v[0], "sigma": v[1], "displacement": v[2]}
    return "lennard_jones_expanded", keys


def _smoothed(potential: Potential, inner: float, cutoff: float) -> Potential:
    if inner >= cutoff:
        return potential
    return "lennard_jones_smoothed", potential[1] | {"smooth_start": inner}


def _cubic(v: Values) -> Potential:
    return "lennard_jones_cubic", {"epsilon": v[0], "sigma": v[1]}


def _end_of_cubic(v: Values) -> float:
    return 67.0 / 48.0 * (26.0 / 7.0) ** (1.0 / 6.0) * v[1]


def _gauss(v: Values) -> Potential:
    height, b = v
    if b <= 0.0:
        raise ValueError(f"B is {b:g}, which is no bell; expected a positive number")
    return "gaussian", {"height": -height, "width": math.sqrt(0.5 / b)}


def _gauss_cut(v: Values) -> Potential:
    area, center, width = v
    if width <= 0.0:
        raise ValueError(f"the width is {width:g}; expected a positive number")
    height = area / (math.sqrt(2.0 * math.pi) * width)
    return "gaussian", {"height": height, "width": width, "center": center}


def _mixed_gauss(rule: str, u: Values, v: Values) -> Values:
    # Gaussians are mixed by their widths, and a hill wins against a well.
    if u[1] <= 0.0 or v[1] <= 0.0:
        raise ValueError("B is 0 or below, which is no bell; expected a positive number")
    first, other = (math.sqrt(0.5 / one[1]) for one in (u, v))
    width = mixed_distance(rule, first, other)
    height = mixed_energy(rule, abs(u[0]), abs(v[0]), first, other)
    return (math.copysign(height, min(u[0], v[0])), 0.5 / width**2)


def _mixed_gauss_cut(rule: str, u: Values, v: Values) -> Values:
    area = mixed_energy(rule, abs(u[0]), abs(v[0]), abs(u[2]), abs(v[2]))
    rest = (mixed_distance(rule, p, q) for p, q in zip(u[1:], v[1:], strict=True))
    return (math.copysign(area, max(u[0], v[0])), *rest)


def _beck(v: Values) -> Potential:
    amplitude, c6, core, alpha, beta = v
    if beta < 0.0:
        raise ValueError(f"beta is {beta:g}; expected no negative number")
    # LAMMPS takes the number of the paper, in angstrom^2, in any units.
    return "beck", {
        "amplitude": amplitude, "alpha": alpha, "c6": c6, "core": abs(core),
        "steep_length": beta ** (-1.0 / 6.0) if beta > 0.0 else 0.0,
        "quadrupole_length": math.sqrt(2.709),
    }  # fmt: skip


def _uhlenbeck_ford(v: Values) -> Potential:
    return "uhlenbeck_ford", {"epsilon": v[0], "sigma": v[1]}


def _zbl(v: Values) -> Potential:
    # The product of charges is turned into an energy where the units are known.
    screening = 0.46850 / (v[0] ** 0.23 + v[1] ** 0.23)
    return "ziegler_biersack_littmark", {"strength": v[0] * v[1], "screening_length": screening}


def _cosine_squared(v: Values) -> Potential:
    return "cosine_squared", {"epsilon": v[0], "r0": v[1], "repulsion": v[2]}


def _ended_cosine_squared(potential: Potential, _inner: float, cutoff: float) -> Potential:
    keys = potential[1]
    if keys["r0"] > cutoff:
        raise ValueError(f"sigma is beyond the cutoff, {cutoff:g}")
    if keys["r0"] < cutoff:
        return potential
    if keys["repulsion"] != 1.0:
        raise ValueError("sigma is the cutoff; expected wca behind it")
    sigma = keys["r0"] * 2.0 ** (-1.0 / 6.0)
    return "weeks_chandler_andersen", {"epsilon": keys["epsilon"], "sigma": sigma}


def _wang_frenkel(v: Values) -> Potential:
    epsilon, sigma, nu, mu = v
    if nu < 1.0 or mu < 1.0 or nu % 1.0 or mu % 1.0:
        raise ValueError(f"nu and mu are {nu:g} and {mu:g}; expected whole numbers from 1 on")
    return "wang_frenkel", {"epsilon": epsilon, "sigma": sigma, "mu": mu, "nu": nu}


def _ended_wang_frenkel(potential: Potential, _inner: float, cutoff: float) -> Potential:
    if potential[1]["sigma"] >= cutoff:
        raise ValueError(f"sigma is not within the cutoff, {cutoff:g}")
    return potential


def _harmonic_cut(v: Values) -> Potential:
    return "harmonic_repulsion", {"stiffness": 2.0 * v[0]}


def nothing(_v: Values) -> Potential:
    return "lennard_jones", {"epsilon": 0.0, "sigma": 1.0}


#: Exponents, and the factor of epsilon before the powers, by the word that pair_coeff has.
EXPONENTS_OF_KINDS = {"lj9_6": (9, 6), "lj12_4": (12, 4), "lj12_6": (12, 6)}


@dataclass(frozen=True)
class PairStyle:
    """A row of the table."""

    #: Names of the coefficients, and for each how it mixes: as an energy, as a distance, always
    #: arithmetically, or (".") not, which then is an error where a pair of types has none.
    coefficients: tuple[tuple[str, str], ...]
    potential: Callable[[Values], Potential]  #: raises ValueError where the engine has none
    truncation: str = "truncated"  #: empty: the potential ends by itself
    has_inner: bool = False  #: an inner distance before the cutoff
    #: A function that completes the potential from inner distance and cutoff. Raises ValueError.
    complete: Callable[[Potential, float, float], Potential] | None = None
    #: The end of pairs whose style has no cutoff.
    end: Callable[[Values], float] | None = None
    longer_by: int | None = None  #: the coefficient by which the cutoff of a pair is longer
    #: a rule in place of the kinds above
    mix: Callable[[str, Values, Values], Values] | None = None
    option: str = ""  #: a word behind the distances: 1 as the last coefficient, else 0
    has_flags: bool = False  #: words "cut long" or "cut off" before the cutoff
    takes_shift: bool = True  #: `pair_modify shift` changes it
    #: The part that the factors of special_bonds scale: "all", "forces", or "nothing".
    special: str = "all"
    by_charges: bool = False  #: its strength is in squares of the elementary charge
    charges: str = ""  #: "long": at any distance; else a row of `CHARGE_ENDS`
    own_distances: bool = True  #: behind the coefficients may stand distances of this pair
    has_pairs_14: bool = False  #: behind the coefficients, epsilon and sigma of 1-4 pairs
    mixing: str = "geometric"  #: rule if pair_modify gives none
    always_mixes_so: bool = False  #: whatever pair_modify says
    takes_mix: bool = True  #: LAMMPS lets pair_modify say how it mixes
    has_tail: bool = True
    has_kappa: bool = False  #: before the cutoff of the style
    has_kind: bool = False  #: a word such as lj9_6 before the coefficients


@dataclass(frozen=True)
class ChargeEnd:
    """How charges end at a cutoff: a row of the table."""

    #: Keys of `[electrostatics]`, of the first number of pair_style, the inner distance and the
    #: cutoff. Raises ValueError where LAMMPS's forces are not those of its energies.
    keys: Callable[[float, float, float], dict[str, Any]]
    number: str = ""  #: the name of that number; empty: there is none
    has_inner: bool = False
    corrects_excluded: bool = False  #: excluded pairs have all but 1/r, which a factor multiplies
    own_cutoffs: bool = False  #: pairs of types may have cutoffs of their own


def _without_energies_of_forces(why: str) -> Callable[..., dict[str, Any]]:
    def refuse(*_numbers: float) -> dict[str, Any]:
        raise ValueError(why)

    return refuse


CHARGE_ENDS: dict[str, ChargeEnd] = {
    "cut": ChargeEnd(
        lambda *_: {"truncation": "truncated"}, corrects_excluded=True, own_cutoffs=True
    ),
    "debye": ChargeEnd(
        lambda kappa, *_: {"kind": "screened", "kappa": kappa}, "kappa", own_cutoffs=True
    ),
    "dsf": ChargeEnd(
        lambda alpha, *_: {"kind": "damped_shifted_force", "damping": alpha}, "alpha",
        corrects_excluded=True,
    ),
    "wolf": ChargeEnd(
        _without_energies_of_forces(
            "forces of coul/wolf in LAMMPS are not the derivatives of its energies; coul/dsf has the "
            "same forces, and their energies"
        ),
        "alpha", corrects_excluded=True,
    ),
    "charmm": ChargeEnd(
        _without_energies_of_forces(
            "forces of charges in lj/charmm/coul/charmm of LAMMPS are not the derivatives of their "
            "energies beyond the inner distance; lj/charmmfsw/coul/charmmfsh has those of CHARMM"
        ),
        has_inner=True,
    ),
    "charmmfsh": ChargeEnd(lambda *_: {"truncation": "force_shifted"}),
    "gromacs": ChargeEnd(
        lambda _number, inner, _cutoff: {
            "truncation": "cubic_force_switched", "switch_start": inner,
        },
        has_inner=True,
    ),
}  # fmt: skip


#: Many-body styles as styles of pairs.
MANY_BODY = PairStyle((), lambda _v: nothing(()), truncation="", own_distances=False)
LENNARD_JONES = (("epsilon", "energy"), ("sigma", "distance"))
_BUCK = (("A", "."), ("rho", "."), ("C", "."))
_BORN = (("A", "."), ("rho", "."), ("sigma", "."), ("C", "."), ("D", "."))
_NM = (("E0", "energy"), ("r0", "distance"), ("n", "distance"), ("m", "distance"))
_GAUSS = (("A", "energy"), ("B", "distance"))
_GAUSS_CUT = (("H", "energy"), ("r_mh", "distance"), ("sigma_h", "distance"))
_EXPAND = (*LENNARD_JONES, ("delta", "arithmetic"))
_CHARMM = {
    "has_inner": True, "charges": "long", "own_distances": False, "has_pairs_14": True,
    "mixing": "arithmetic", "has_tail": False,
}  # fmt: skip
_CLASS2: dict[str, Any] = {"mixing": "sixthpower", "always_mixes_so": True}
_MDF: dict[str, Any] = {"truncation": "quintic_switched", "has_inner": True, "has_tail": False}


def _with_charges(
    name: str, short: str, row: Callable[..., PairStyle], *ends: str
) -> dict[str, PairStyle]:
    """The style without charges, and with each sort of them; `ends`: those that few styles have."""
    made = {short: row()}
    for suffix in ("long", "msm", "cut", "long/cs", *ends):
        kind = suffix.removesuffix("/cs")
        made[f"{name}/coul/{suffix}"] = row(charges=kind if kind in CHARGE_ENDS else "long")
    return made


PAIR_STYLES: dict[str, PairStyle] = {
    **_with_charges("lj/cut", "lj/cut", lambda **k: PairStyle(LENNARD_JONES, _lennard_jones, **k), "debye", "dsf", "wolf"),
    **_with_charges("lj/class2", "lj/class2", lambda **k: PairStyle(LENNARD_JONES, _class2, **_CLASS2, **k)),
    **_with_charges("buck", "buck", lambda **k: PairStyle(_BUCK, _buckingham, **k)),
    **_with_charges("born", "born", lambda **k: PairStyle(_BORN, _born, **k), "dsf", "dsf/cs", "wolf", "wolf/cs"),
    **_with_charges("nm/cut", "nm/cut", lambda **k: PairStyle(_NM, _nm, **k)),
    "lj/charmm/coul/long": PairStyle(LENNARD_JONES, _lennard_jones, "switched", **_CHARMM),
    "lj/charmm/coul/msm": PairStyle(LENNARD_JONES, _lennard_jones, "switched", **_CHARMM),
    "lj/charmmfsw/coul/long": PairStyle(LENNARD_JONES, _lennard_jones, "force_switched", **_CHARMM),
    "lj/charmmfsw/coul/charmmfsh": PairStyle(
        LENNARD_JONES, _lennard_jones, "force_switched", **_CHARMM | {"charges": "charmmfsh"}
    ),
    "lj/charmm/coul/charmm": PairStyle(
        LENNARD_JONES, _lennard_jones, "switched", **_CHARMM | {"charges": "charmm"}
    ),
    "lj/gromacs": PairStyle(
        LENNARD_JONES, _lennard_jones, "cubic_force_switched", has_inner=True, has_tail=False
    ),
    "lj/gromacs/coul/gromacs": PairStyle(
        LENNARD_JONES, _lennard_jones, "cubic_force_switched", has_inner=True, has_tail=False,
        own_distances=False, charges="gromacs",
    ),
    "lj/smooth/linear": PairStyle(
        LENNARD_JONES, _lennard_jones, "force_shifted", has_tail=False, special="forces"
    ),
    "lj/smooth": PairStyle(
        LENNARD_JONES, _lennard_jones, has_inner=True, complete=_smoothed, has_tail=False
    ),
    "lj/cubic": PairStyle(LENNARD_JONES, _cubic, "", end=_end_of_cubic, has_tail=False),
    "lj/expand": PairStyle(_EXPAND, _expanded, longer_by=2),
    "lj/expand/coul/long": PairStyle(_EXPAND, _expanded, longer_by=2, charges="long"),
    "lj/long/coul/long": PairStyle(LENNARD_JONES, _lennard_jones, has_flags=True, charges="long"),
    "buck/long/coul/long": PairStyle(_BUCK, _buckingham, has_flags=True, charges="long"),
    "gauss": PairStyle(
        _GAUSS, _gauss, mix=_mixed_gauss, has_tail=False
    ),
    "gauss/cut": PairStyle(_GAUSS_CUT, _gauss_cut, mix=_mixed_gauss_cut, has_tail=False),
    "beck": PairStyle(
        (("A", "."), ("B", "."), ("a", "."), ("alpha", "."), ("beta", ".")), _beck,
        takes_shift=False, has_tail=False,
    ),
    "ufm": PairStyle(LENNARD_JONES, _uhlenbeck_ford, has_tail=False),
    "zbl": PairStyle(
        (("Zi", "energy"), ("Zj", "energy")), _zbl, "cubic_force_switched", has_inner=True,
        mix=lambda _rule, u, v: (u[0], v[1]), own_distances=False, has_tail=False,
        special="nothing", by_charges=True,
    ),
    "cosine/squared": PairStyle(
        (("epsilon", "."), ("sigma", ".")), _cosine_squared, "", complete=_ended_cosine_squared,
        option="wca", has_tail=False, takes_mix=False,
    ),
    "wf/cut": PairStyle(
        (("epsilon", "."), ("sigma", "."), ("nu", "."), ("mu", ".")), _wang_frenkel, "",
        complete=_ended_wang_frenkel, has_tail=False,
    ),
    "harmonic/cut": PairStyle(
        (("k", "."), ("the cutoff", ".")), _harmonic_cut, "", end=lambda v: v[1], has_tail=False
    ),
    "lj/mdf": PairStyle(LENNARD_JONES, _lennard_jones, **_MDF),
    "buck/mdf": PairStyle(_BUCK, _buckingham, **_MDF),
    "lennard/mdf": PairStyle((("A", "."), ("B", ".")), _lennard_mdf, **_MDF),
    "lj96/cut": PairStyle(LENNARD_JONES, _lj96),
    "lj/sdk": PairStyle((("epsilon", "."), ("sigma", ".")), _lennard_jones, has_kind=True),
    "lj/sdk/coul/long": PairStyle(
        (("epsilon", "."), ("sigma", ".")), _lennard_jones, has_kind=True, charges="long"
    ),
    "lj/sdk/coul/msm": PairStyle(
        (("epsilon", "."), ("sigma", ".")), _lennard_jones, has_kind=True, charges="long"
    ),
    "mie/cut": PairStyle(
        (("epsilon", "energy"), ("sigma", "distance"), ("gamma_R", "distance"),
         ("gamma_A", "distance")),
        lambda v: mie(*v),
    ),
    "morse": PairStyle((("D0", "."), ("alpha", "."), ("r0", ".")), _morse, has_tail=False),
    "morse/smooth/linear": PairStyle(
        (("D0", "."), ("alpha", "."), ("r0", ".")), _morse, "force_shifted", has_tail=False
    ),
    "soft": PairStyle((("A", "energy"),), _soft, "", has_tail=False),
    "yukawa": PairStyle((("A", "energy"),), _yukawa, has_kappa=True, has_tail=False),
    "coul/long": PairStyle((), nothing, charges="long", own_distances=False, has_tail=False),
    "coul/long/cs": PairStyle((), nothing, charges="long", own_distances=False, has_tail=False),
    "coul/msm": PairStyle((), nothing, charges="long", own_distances=False, has_tail=False),
    "coul/cut": PairStyle((), nothing, charges="cut", has_tail=False),
    "coul/cut/global": PairStyle(
        (), nothing, charges="cut", own_distances=False, has_tail=False
    ),
    "coul/debye": PairStyle((), nothing, charges="debye", has_tail=False),
    "coul/dsf": PairStyle((), nothing, charges="dsf", own_distances=False, has_tail=False),
    "coul/wolf": PairStyle((), nothing, charges="wolf", own_distances=False, has_tail=False),
    "coul/wolf/cs": PairStyle((), nothing, charges="wolf", own_distances=False, has_tail=False),
    "zero": PairStyle((), nothing, has_tail=False),
}  # fmt: skip
for _short in ("lj/sdk", "lj/sdk/coul/long", "lj/sdk/coul/msm"):
    PAIR_STYLES[_short.replace("sdk", "spica")] = PAIR_STYLES[_short]
