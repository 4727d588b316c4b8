"""Chemical elements: which one an atom of a model is, and which atoms are bonded."""

import re

#: Standard atomic weights (IUPAC 2021, u, rounded) and covalent radii (nm): B. Cordero et al.,
#: Dalton Trans. 2008, 2832.
ELEMENTS = {
    "H": (1.008, 0.031), "He": (4.0026, 0.028), "Li": (6.94, 0.128), "Be": (9.0122, 0.096),
    "B": (10.81, 0.084), "C": (12.011, 0.076), "N": (14.007, 0.071), "O": (15.999, 0.066),
    "F": (18.998, 0.057), "Ne": (20.180, 0.058), "Na": (22.990, 0.166), "Mg": (24.305, 0.141),
    "Al": (26.982, 0.121), "Si": (28.085, 0.111), "P": (30.974, 0.107), "S": (32.06, 0.105),
    "Cl": (35.45, 0.102), "Ar": (39.95, 0.106), "K": (39.098, 0.203), "Ca": (40.078, 0.176),
    "Ti": (47.867, 0.160), "Cr": (51.996, 0.139), "Mn": (54.938, 0.150), "Fe": (55.845, 0.142),
    "Co": (58.933, 0.138), "Ni": (58.693, 0.124), "Cu": (63.546, 0.132), "Zn": (65.38, 0.122),
    "Ga": (69.723, 0.122), "Ge": (72.630, 0.120), "As": (74.922, 0.119), "Se": (78.971, 0.120),
    "Br": (79.904, 0.120), "Kr": (83.798, 0.116), "Rb": (85.468, 0.220), "Sr": (87.62, 0.195),
    "Mo": (95.95, 0.154), "Pd": (106.42, 0.139), "Ag": (107.87, 0.145), "Cd": (112.41, 0.144),
    "In": (114.82, 0.142), "Sn": (118.71, 0.139), "I": (126.90, 0.139), "Xe": (131.29, 0.140),
    "Cs": (132.91, 0.244), "Ba": (137.33, 0.215), "W": (183.84, 0.162), "Pt": (195.08, 0.136),
    "Au": (196.97, 0.136), "Hg": (200.59, 0.132), "Pb": (207.2, 0.146),
}  # fmt: skip

_IN_ORDER = (
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br "
    "Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho "
    "Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es "
    "Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og"
)
#: Chemical symbols in the order of their atomic numbers, from 1 on.
SYMBOLS = _IN_ORDER.split()

#: Carbon with its hydrogens as one site (u).
_UNITED = (13.019, 14.027, 15.035, 16.043)
_SAME = 0.006  # u: between tables of different age
_OF_THAT_NAME = 0.3  # u: where the name says it, too
_HEAVIEST_HYDROGEN = 4.5  # u
_GIVERS = ("C", "N", "O", "P", "S")  # the elements that give mass to hydrogen
_BOND = 1.2  # the longest bond, relative to the sum of the radii

#: Colors of elements as Jmol has them; others by their places in the palette.
COLORS = {
    "H": "#e8e8e8", "He": "#d9ffff", "Li": "#cc80ff", "B": "#ffb5b5", "C": "#707070", "N": "#3050f8",
    "O": "#ff0d0d", "F": "#90e050", "Ne": "#b3e3f5", "Na": "#ab5cf2", "Mg": "#8aff00",
    "Al": "#bfa6a6", "Si": "#f0c8a0", "P": "#ff8000", "S": "#ffd123", "Cl": "#1ff01f",
    "Ar": "#80d1e3", "K": "#8f40d4", "Ca": "#3dff00", "Fe": "#e06633", "Cu": "#c88033",
    "Zn": "#7d80b0", "Br": "#a62929", "Kr": "#5cb8d1", "I": "#940094", "Xe": "#429eb0",
    "Au": "#ffd123",
}  # fmt: skip


def element_of(name: str, mass: float | None) -> str:
    """The symbol of an element, or "" where neither name nor mass (u) tells it.

    A united atom (CH2) is its carbon. Without a mass (in reduced units) a name counts that is a
    symbol of two letters: A and B are no elements there.
    """
    letters = re.match(r"[A-Za-z]*", name)[0]
    by_name = letters if letters in ELEMENTS else ""
    if mass is None:
        return by_name if len(by_name) == 2 else ""
    for symbol in (letters[:2].capitalize(), letters[:1].upper()):
        if symbol in ELEMENTS and abs(ELEMENTS[symbol][0] - mass) < _OF_THAT_NAME:
            return symbol
    if any(abs(mass - united) < _SAME for united in _UNITED):
        return "C"
    for symbol, (weight, _) in ELEMENTS.items():
        if abs(weight - mass) < _SAME:
            return symbol
    # If mass was moved to hydrogen, it has up to 4 u, and its neighbor has as much less for each.
    letter = letters[:1].upper()
    if letter == "H" and 0.0 < mass < _HEAVIEST_HYDROGEN:
        return "H"
    if letter in _GIVERS and _HEAVIEST_HYDROGEN < mass < ELEMENTS[letter][0]:
        return letter
    return by_name if mass > 0.0 else ""


def are_bonded(first: str, second: str, distance: float) -> bool:
    """Whether atoms of these elements are bonded at this distance (nm)."""
    if first not in ELEMENTS or second not in ELEMENTS:
        return False
    return distance < _BOND * (ELEMENTS[first][1] + ELEMENTS[second][1])
