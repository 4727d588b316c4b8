"""Free energies of an .mdp file: a molecule type that is coupled and decoupled, state by state.

Source: GROMACS manual, "Free energy calculations" of the .mdp options; `readir.cpp` (do_fep_params),
`toppush.cpp` (convert_moltype_couple) and `nb_free_energy.cpp` of GROMACS 2022 and 2026.
"""

import difflib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from sterna.importing.gromacs.preprocessor import TopologyLine
from sterna.importing.lennard_jones import tidy
from sterna.importing.molecules import Molecules
from sterna.importing.notes import Notes
from sterna.importing.split_types import split_types
from sterna.importing.system import System

_COMPONENTS = ("fep", "coul", "vdw", "bonded", "restraint", "mass", "temperature")
#: All keys of free energies. Those of one solution only have no effect with another one.
KEYS = (
    "free_energy", "couple_moltype", "couple_lambda0", "couple_lambda1", "couple_intramol",
    "init_lambda", "init_lambda_state", "delta_lambda", "nstdhdl", "init_lambda_weights",
    *(f"{name}_lambdas" for name in _COMPONENTS), "calc_lambda_neighbors", "dhdl_print_energy",
    "dhdl_derivatives", "separate_dhdl_file", "dh_hist_size", "dh_hist_spacing", "sc_alpha",
    "sc_power", "sc_sigma", "sc_r_power", "sc_coul", "sc_function", "sc_gapsys_scale_linpoint_lj",
    "sc_gapsys_scale_linpoint_q", "sc_gapsys_sigma_lj",
)  # fmt: skip
#: Begins of keys that are of free energies, known or not.
PREFIXES = ("couple_", "sc_", "init_lambda", "delta_lambda", "dhdl_", "dh_hist")
#: Whether van der Waals interactions and charges of the molecule act at an end.
_ENDS = {"vdw-q": (True, True), "vdw": (True, False), "q": (False, True), "none": (False, False)}
_MOST_STATES = 1000
#: With couple-intramol = no each pair of atoms of the molecule becomes a pair of its own.
MOST_COUPLED_ATOMS = 1000


@dataclass(frozen=True)
class Settings:
    """How keys of the file are read; each raises SternaError at the key's line."""

    choice: Callable[[str, str, tuple[str, ...]], str]
    numbers: Callable[[str], list[float]]
    integer: Callable[[str, int], int]
    words: Callable[[str], list[str]]
    fail: Callable[[str, str], NoReturn]
    lines: dict[str, TopologyLine]
    notes: Notes

    def number(self, key: str, preset: float) -> float:
        found = self.numbers(key)
        if len(found) > 1:
            self.fail(key, f"{key.replace('_', '-')} has {len(found)} numbers; expected one")
        return found[0] if found else preset


@dataclass(frozen=True)
class FreeEnergy:
    """A molecule type whose interactions change from lambda 0 to 1."""

    molecule: str  #: as the file spells it
    settings: Settings
    van_der_waals: tuple[bool, bool]  #: whether they act at lambda 0 and 1
    charges: tuple[bool, bool]
    keeps_molecule: bool
    #: By component, without "fep", which components without values of their own have.
    lambdas: dict[str, list[float]]
    state: int
    soft_core: dict[str, Any]  #: keys of `[alchemy]`
    has_soft_charges: bool
    interval: int

    def has(self, name: str) -> bool:
        """Whether this is the molecule type; GROMACS takes no notice of case."""
        return name.lower() == self.molecule.lower()

    def require_molecule(self, known: list[str]) -> NoReturn:
        """Raises SternaError, as the system has no such molecules; `known`: those that it has."""
        if not self.molecule:
            self.fail("free_energy", "free-energy is yes without couple-moltype, and the topology has no "
                                     "state B: nothing changes")  # fmt: skip
        near = difflib.get_close_matches(self.molecule, known, 1)
        hint = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(known[:8])}"
        self.fail(
            "couple_moltype", f'the system has no molecules of the type "{self.molecule}"; {hint}'
        )

    def fail_at_soft_charges(self) -> NoReturn:
        is_asked = " ".join(self.settings.words("sc_coul")).lower() == "yes"
        self.fail(
            "sc_coul" if is_asked else "sc_alpha",
            "GROMACS gives charges a soft core, too, which is not taken over"
            + (": sc-coul is yes" if is_asked else ", as one lambda switches off both")
            + "; expected coul-lambdas and vdw-lambdas of their own, without sc-coul",
        )

    def fail(self, key: str, message: str) -> NoReturn:
        self.settings.fail(key, message)

    def off(self, component: str, ends: tuple[bool, bool]) -> list[float]:
        """How far the interactions are switched off in each state."""
        first, second = map(float, ends)
        return [tidy(1.0 - first * (1.0 - x) - second * x) for x in self.lambdas[component]]


def read_free_energy(settings: Settings) -> FreeEnergy | None:
    """Returns nothing where the file asks for no free energies; then its other keys have no effect."""
    if settings.choice("free_energy", "no", ("no", "yes")) == "no":
        return None
    for key in KEYS:
        settings.words(key)
    if settings.number("delta_lambda", 0.0) != 0.0:
        settings.fail("delta_lambda", "a lambda that changes during the run (slow growth) is not taken "
                                      "over; expected 0")  # fmt: skip
    molecule = _molecule(settings)
    ends = [
        _ENDS[settings.choice(key, "vdw-q", tuple(_ENDS))]
        for key in ("couple_lambda0", "couple_lambda1")
    ]
    keeps_molecule = settings.choice("couple_intramol", "no", ("no", "yes")) == "no"
    lambdas, has_one_list = _lambdas(settings)
    state, lambdas = _state(settings, lambdas, has_one_list)
    soft_core, has_soft_charges = _soft_core(settings, has_one_list)
    interval = settings.integer("nstdhdl", 50)
    if interval < 0:
        settings.fail("nstdhdl", f"nstdhdl is {interval}; expected 0 or more")
    _look_at_output(settings)
    return FreeEnergy(
        molecule=molecule,
        settings=settings,
        van_der_waals=(ends[0][0], ends[1][0]),
        charges=(ends[0][1], ends[1][1]),
        keeps_molecule=keeps_molecule,
        lambdas=lambdas,
        state=state,
        soft_core=soft_core,
        has_soft_charges=has_soft_charges,
        interval=interval,
    )


def _molecule(settings: Settings) -> str:
    words = settings.words("couple_moltype")
    if len(words) > 1:
        settings.fail("couple_moltype", f"couple-moltype has {len(words)} names; expected one")
    name = words[0] if words else ""
    if name.lower() == "system":
        settings.fail("couple_moltype", "the whole system as couple-moltype is not taken over; expected "
                                        "the name of one [ moleculetype ]")  # fmt: skip
    return name


def _lambdas(settings: Settings) -> tuple[dict[str, list[float]], bool]:
    """The lambdas of all components, and whether they are one: that of "fep", or none."""
    given: dict[str, list[float]] = {}
    for name in _COMPONENTS:
        key = f"{name}_lambdas"
        values = settings.numbers(key)
        if not values:
            continue
        for value in values:
            if not 0.0 <= value <= 1.0:
                settings.fail(key, f"{name}-lambdas has {value:g}; expected numbers from 0 to 1")
        if len(values) > _MOST_STATES:
            settings.fail(
                key, f"{name}-lambdas has {len(values)} numbers; expected at most {_MOST_STATES}"
            )
        other = next(iter(given), None)
        if other is not None and len(values) != len(given[other]):
            settings.fail(
                key, f"{name}-lambdas has {len(values)} numbers and {other}-lambdas "
                f"{len(given[other])}; expected one of each for each state",
            )  # fmt: skip
        given[name] = values
    if any(given.get("temperature", [])):
        settings.fail("temperature_lambdas", "temperature-lambdas are not taken over, as lambda changes no "
                                             "temperature of a run; take them out")  # fmt: skip
    count = len(next(iter(given.values()), []))
    others = given.get("fep", [0.0] * count)
    return (
        {name: given.get(name, others) for name in _COMPONENTS if name != "fep"},
        not given.keys() - {"fep"},
    )


def _state(
    settings: Settings, lambdas: dict[str, list[float]], has_one_list: bool
) -> tuple[int, dict[str, list[float]]]:
    """The state of the run, and the lambdas of all states; without lists there is one state."""
    state, value = settings.integer("init_lambda_state", -1), settings.number("init_lambda", -1.0)
    count = len(lambdas["coul"])
    if state >= 0 and value >= 0.0:
        settings.fail("init_lambda", "init-lambda and init-lambda-state are both given; expected one of "
                                     "them")  # fmt: skip
    if state < 0 and value < 0.0:
        key = "init_lambda_state" if "init_lambda_state" in settings.lines else "free_energy"
        settings.fail(
            key, "there is no state of the run; expected init-lambda-state, or init-lambda"
        )
    if value > 1.0:
        settings.fail("init_lambda", f"init-lambda is {value:g}; expected a number from 0 to 1")
    if count == 0:
        if value < 0.0:
            settings.fail("init_lambda_state", f"init-lambda-state is {state}, but there are no states; "
                                               "expected fep-lambdas, or coul-lambdas and vdw-lambdas")  # fmt: skip
        return 0, {name: [value] for name in lambdas}
    if value < 0.0:
        if state >= count:
            settings.fail("init_lambda_state", f"init-lambda-state is {state}, but there are {count} "
                                               "states, which are counted from 0")  # fmt: skip
        return state, lambdas
    if not has_one_list or value not in lambdas["coul"]:
        settings.fail("init_lambda", f"init-lambda is {value:g}, which does not name a state; expected "
                                     "init-lambda-state")  # fmt: skip
    return lambdas["coul"].index(value), lambdas


def _soft_core(settings: Settings, has_one_list: bool) -> tuple[dict[str, Any], bool]:
    """Keys of `[alchemy]`, and whether charges have a soft core, too."""
    alpha, sigma = settings.number("sc_alpha", 0.0), settings.number("sc_sigma", 0.3)
    power, r_power = settings.number("sc_power", 1.0), settings.number("sc_r_power", 6.0)
    function = settings.choice("sc_function", "beutler", ("beutler", "gapsys"))
    of_charges = settings.choice("sc_coul", "no", ("no", "yes")) == "yes"
    if alpha == 0.0:
        return {"soft_core_alpha": 0.0}, False
    if function != "beutler":
        settings.fail(
            "sc_function", "the soft core of Gapsys et al. is not taken over; expected beutler"
        )
    if alpha < 0.0:
        settings.fail("sc_alpha", f"sc-alpha is {alpha:g}; expected 0 or more")
    if power not in (1.0, 2.0):
        settings.fail("sc_power", f"sc-power is {power:g}; expected 1 or 2")
    if r_power != 6.0:
        settings.fail("sc_r_power", f"sc-r-power is {r_power:g}; expected 6")
    if sigma < 0.0:
        settings.fail("sc_sigma", f"sc-sigma is {sigma:g}; expected 0 or more")
    # GROMACS makes charges soft where one lambda switches off both. Only then is sc-sigma the smallest
    # size of pairs, too (nb_free_energy.cpp); else it is that of pairs without a size, which have no well.
    has_soft_charges = of_charges or has_one_list
    keys = {"soft_core_alpha": alpha, "soft_core_power": int(power)}
    return keys | ({"soft_core_sigma": sigma} if has_soft_charges else {}), has_soft_charges


def _look_at_output(settings: Settings) -> None:
    tell, lines = settings.notes.tell, settings.lines
    neighbors = settings.integer("calc_lambda_neighbors", 1)
    if neighbors < -1:
        settings.fail(
            "calc_lambda_neighbors", f"calc-lambda-neighbors is {neighbors}; expected -1 or more"
        )
    if neighbors >= 0:
        tell("NAME.dhdl.xvg has the energies of all states, not those of calc-lambda-neighbors alone",
             lines.get("calc_lambda_neighbors"))  # fmt: skip
    energies = ("no", "potential", "total", "yes")
    if settings.choice("dhdl_print_energy", "no", energies) != "no":
        tell("NAME.dhdl.xvg has no column of the whole energy, which the log has",
             lines["dhdl_print_energy"])  # fmt: skip
    for key in ("separate_dhdl_file", "dhdl_derivatives"):
        if settings.choice(key, "yes", ("no", "yes")) == "no":
            tell("derivatives and energies of states are in NAME.dhdl.xvg in any case", lines[key])
    if settings.integer("dh_hist_size", 0) > 0:
        tell("NAME.dhdl.xvg has no histograms", lines["dh_hist_size"])


def with_alchemy(system: System, asked: FreeEnergy, members: set[int], notes: Notes) -> System:
    """A system with `[alchemy]` of these atoms, which get types of their own.

    Raises SternaError at a line of the .mdp file where `[alchemy]` does not do the same.
    """
    _require_same_charges(system, asked, members)
    system, _ = split_types(system, members, "_coupled")
    names = list(names_of(system, asked, members))
    van_der_waals, charges = asked.off("vdw", asked.van_der_waals), asked.off("coul", asked.charges)
    _tell(asked, notes, system.interaction["truncation"])
    has_charges = any(system.atoms[k].charge for k in members)
    section = {
        "molecules": names,
        "kind": "decoupling" if asked.keeps_molecule else "annihilation",
        "charges": charges,
        "van_der_waals": van_der_waals,
        **({"charge_path": "energies"} if has_charges and len(set(asked.charges)) == 2 else {}),
        "state": asked.state,
        "interval": asked.interval,
    } | asked.soft_core
    return replace(system, sections={**system.sections, "alchemy": section}, not_kept=notes.texts())


def _require_same_charges(system: System, asked: FreeEnergy, members: set[int]) -> None:
    """Raises SternaError where charges of GROMACS are others than `[alchemy]` has."""
    if not any(system.atoms[k].charge for k in members):
        return
    key = "couple_lambda0" if "couple_lambda0" in asked.settings.lines else "couple_lambda1"
    is_changed = asked.charges[0] != asked.charges[1] or (
        any(asked.charges) and asked.van_der_waals[0] != asked.van_der_waals[1]
    )
    if asked.has_soft_charges and is_changed:
        asked.fail_at_soft_charges()
    charges, van_der_waals = asked.off("coul", asked.charges), asked.off("vdw", asked.van_der_waals)
    for state, (of_charges, of_wells) in enumerate(zip(charges, van_der_waals, strict=True)):
        if of_wells == 1.0 and of_charges < 1.0:
            asked.fail(
                next((k for k in ("vdw_lambdas", "fep_lambdas") if k in asked.settings.lines), key),
                f"state {state} has charges without van der Waals interactions, so that opposite "
                "charges meet; expected states in which charges are off before",
            )


def names_of(system: System, asked: FreeEnergy, members: set[int]) -> dict[str, int]:
    """Names of the `[[molecule]]`s that these atoms are, and the first atom of each."""
    molecules = Molecules(system)
    names = {}
    first = 0
    for kind in molecules.kinds:
        atoms = molecules.order[first : first + kind.count * kind.size]
        first += len(atoms)
        inside = sum(atom in members for atom in atoms)
        if inside == len(atoms):
            names[kind.name] = atoms[0]
        elif inside:
            other = next(atom for atom in atoms if atom not in members)
            asked.fail(
                "couple_moltype" if asked.molecule else "free_energy",
                f"{system.atom_name(atoms[0])} and others of its molecule are joined to {system.atom_name(other)} by terms "
                "between molecules, and Sterna switches off whole molecules",
            )
    return names


def _tell(asked: FreeEnergy, notes: Notes, truncation: str) -> None:
    line = asked.settings.lines["couple_moltype"]
    if asked.van_der_waals == (False, True) or asked.charges == (False, True):
        notes.tell(
            "lambdas of [alchemy] say what is switched off: where couple-lambda0 has less than "
            "couple-lambda1 they are 1 - lambda of GROMACS, and derivatives have the other sign",
            line,
        )
    if (asked.van_der_waals[0], asked.charges[0]) == (asked.van_der_waals[1], asked.charges[1]):
        notes.tell("couple-lambda0 and couple-lambda1 are the same: nothing changes", line)
    if truncation == "cubic_force_switched":
        notes.tell(
            "pairs of the coupled molecules are switched as all others are; GROMACS (2022) computes them "
            "without the switching function, so that energies of states differ",
            line,
        )
    if asked.soft_core["soft_core_alpha"] == 0.0 and len(set(asked.van_der_waals)) == 2:
        notes.tell(
            "sc-alpha is 0, which is GROMACS's default: without a soft core the derivative is infinite "
            "where van der Waals interactions are off",
            line,
        )
