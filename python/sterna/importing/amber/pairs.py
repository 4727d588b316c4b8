"""Lennard-Jones coefficients of pairs of types of a topology of AMBER.

AMBER stores A / r^12 - B / r^6 of each pair of types, so that parameters beside the mixing rule
(NBFIX) are entries as all others.
"""

from dataclasses import dataclass, field

from sterna.importing.amber.prmtop import Prmtop
from sterna.importing.lennard_jones import NO_WELL, Parameters, Powers

KILOCALORIE = 4.184  #: kJ
#: Coefficients of kcal/mol and angstroms in kJ/mol and nm.
_A, _B = KILOCALORIE * 1e-12, KILOCALORIE * 1e-6


@dataclass
class Coefficients:
    """Coefficients by pairs of types from 0. Raises SternaError, with its place, for features that
    Sterna lacks.
    """

    prmtop: Prmtop
    types: list[int] = field(default_factory=list)  #: type of each atom, from 0
    _index: list[int] = field(default_factory=list)
    _all: tuple[list[float], list[float]] = ((), ())  # type: ignore[assignment]
    _of_14: tuple[list[float], list[float]] = ((), ())  # type: ignore[assignment]

    def __post_init__(self) -> None:
        prmtop = self.prmtop
        count = prmtop.pointers["NTYPES"]
        section = prmtop.section("ATOM_TYPE_INDEX")
        for atom, number in enumerate(prmtop.integers("ATOM_TYPE_INDEX")):
            if not 1 <= number <= count:
                section.fail_at(atom, f"ATOM_TYPE_INDEX has {number}; expected 1 to {count}")
            self.types.append(number - 1)
        self._all = (prmtop.numbers("LENNARD_JONES_ACOEF"), prmtop.numbers("LENNARD_JONES_BCOEF"))
        self._of_14 = self._all
        if prmtop.is_chamber:
            self._of_14 = (
                prmtop.numbers("LENNARD_JONES_14_ACOEF"),
                prmtop.numbers("LENNARD_JONES_14_BCOEF"),
            )
        self._index = prmtop.integers("NONBONDED_PARM_INDEX")
        self._look_at_index(count)
        if prmtop.has("LENNARD_JONES_CCOEF"):
            for k, value in enumerate(prmtop.numbers("LENNARD_JONES_CCOEF")):
                if value != 0.0:
                    prmtop.section("LENNARD_JONES_CCOEF").fail_at(
                        k, "the topology has 12-6-4 terms, -C / r^4 of ions, which Sterna does not "
                        "have; expected 0",
                    )  # fmt: skip

    def _look_at_index(self, count: int) -> None:
        prmtop, section = self.prmtop, self.prmtop.section("NONBONDED_PARM_INDEX")
        hydrogen_bonds = [
            prmtop.numbers(name) if prmtop.has(name) else []
            for name in ("HBOND_ACOEF", "HBOND_BCOEF")
        ]
        used = set(self.types)
        for k, number in enumerate(self._index):
            first, second = divmod(k, count)
            if number > 0 and number > len(self._all[0]):
                section.fail_at(
                    k, f"NONBONDED_PARM_INDEX has {number}; expected at most {len(self._all[0])}"
                )
            if number == 0:
                section.fail_at(k, "NONBONDED_PARM_INDEX has 0; expected a number from 1")
            if number != self._index[second * count + first]:
                section.fail_at(
                    k, f"pairs of the types {first + 1} and {second + 1} have other coefficients "
                    "than those of the types in reverse order",
                )  # fmt: skip
            if number > 0 or not {first, second} <= used:
                continue
            for name, values in zip(("HBOND_ACOEF", "HBOND_BCOEF"), hydrogen_bonds, strict=True):
                if -number > len(values):
                    section.fail_at(
                        k, f"NONBONDED_PARM_INDEX has {number}; {name} has {len(values)} values"
                    )
                if values[-number - 1] != 0.0:
                    prmtop.section(name).fail_at(
                        -number - 1, "the topology has 10-12 terms of hydrogen bonds, which Sterna "
                        "does not have; expected 0",
                    )  # fmt: skip

    def powers(self, first: int, second: int) -> Powers:
        """Returns the powers of two types."""
        return self._powers(self._all, first, second)

    def powers_of_14(self, first: int, second: int) -> Powers:
        """Returns the powers of two types three bonds apart, not yet divided by SCNB."""
        return self._powers(self._of_14, first, second)

    def well(self, first: int, second: int) -> Parameters:
        """Sigma and epsilon in nm and kJ/mol. Raises SternaError at a pair that is no well."""
        return self.well_of(self.powers(first, second), first, second)

    def well_of(self, powers: Powers, first: int, second: int) -> Parameters:
        if powers.c12 == powers.c6 == 0.0:
            return NO_WELL
        if powers.c12 <= 0.0 or powers.c6 < 0.0:
            number = self._index[first * self.prmtop.pointers["NTYPES"] + second]
            self.prmtop.section("LENNARD_JONES_ACOEF").fail_at(
                number - 1,
                f"pairs of the types {first + 1} and {second + 1} have A and B that are no well; "
                "expected A above 0 and B of at least 0",
            )
        return powers.sigma_and_epsilon(f"pairs of the types {first + 1} and {second + 1}")

    def _powers(
        self, coefficients: tuple[list[float], list[float]], first: int, second: int
    ) -> Powers:
        number = self._index[first * self.prmtop.pointers["NTYPES"] + second]
        if number < 0:
            return Powers()
        a, b = (values[number - 1] for values in coefficients)
        return Powers(a * _A, b * _B)
