"""The constants of Coulomb's law that other programs compute with, as permittivities of Sterna."""

from typing import Any

_KILOCALORIE = 4.184  #: kJ
_PER_ANGSTROM = 10.0  #: 1/nm
_OF_STERNA = (
    138.93545764438198 * _PER_ANGSTROM / _KILOCALORIE
)  #: kcal/mol angstrom/e^2, CODATA 2018

OF_AMBER = 18.2223**2  #: kcal/mol angstrom/e^2; charges of a topology are in its root
OF_CHARMM = 332.0716  #: likewise


def electrostatics_of(constant: float) -> dict[str, Any]:
    """Charges at any distance that interact by this constant, in kcal/mol angstrom/e^2."""
    return {"kind": "fmm", "accuracy": 1e-4, "permittivity": _OF_STERNA / constant}
