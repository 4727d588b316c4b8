"""What an mdin file of AMBER (sander, pmemd) asks for, as sections of an input.

Source: AMBER 2023 reference manual, "General minimization and dynamics parameters" and "Potential
function parameters"; names and presets also from ParmEd, `parmed/amber/mdin`. Each key is taken over,
or told, or refused by its name: none that would change the physics is passed over.
"""

import difflib
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy

from sterna.errors import SternaError
from sterna.importing.amber.masks import Known, MaskError, selected
from sterna.importing.amber.namelist import Entry, Namelist, Word, read_namelists
from sterna.importing.amber.pairs import KILOCALORIE
from sterna.importing.notes import Notes
from sterna.importing.output_intervals import fit_output
from sterna.importing.ramps import LOWEST, Segment, thermostats
from sterna.importing.text import Line

_ANGSTROM = 0.1  #: nm
#: kcal/mol/A^2 without a factor of 1/2, in kJ/mol/nm^2 with it.
_SPRING = 2.0 * KILOCALORIE / _ANGSTROM**2
_FORCE = KILOCALORIE / _ANGSTROM  #: kcal/mol/A in kJ/mol/nm
_COMPRESSIBILITY = 1e-6  #: 1/bar, of comp

#: Keys of how something is computed or written, for which Sterna has ways of its own.
_TECHNICAL = {
    "cntrl": {
        "ntxo", "ntwr", "ntave", "iwrap", "ntwv", "ntwf", "ntwe", "ioutfm", "ntwprt", "nsnb", "tol",
        "jfastw", "watnam", "owtnm", "hwtnm1", "hwtnm2", "dx0", "ncyc", "t", "vlimit", "es_cutoff",
        "mcbarint", "ene_avg_sampling", "mdinfo_flush_interval", "mdout_flush_interval",
        "no_intermolecular_bonds", "dbg_atom_redistribution", "loadbal_verbose", "profile_mpi",
        "ntpp", "iwrap_mask", "ntrx", "ntn", "nrc", "taur", "dele", "dtemp", "dxm", "heat", "ntcc",
        "nconp", "ntcx", "lastrst", "lastist", "nchain", "ndfmin", "skmin", "skmax", "ninterface",
    },
    "ewald": {
        "nfft1", "nfft2", "nfft3", "order", "verbose", "dsum_tol", "ew_coeff", "rsum_tol", "nbflag",
        "skinnb", "skin_permit", "nbtell", "eedtbdns", "column_fft", "opt_infl", "mlimit", "maxexp",
        "maxiter", "diptol", "dipmass", "diptau", "indmeth", "irstdip", "nquench", "scaldip",
        "gridpointers", "use_axis_opt", "fft_grids_per_ang", "block_fft", "fft_blk_y_divisor",
        "excl_recip", "excl_master", "atm_redist_freq", "netfrc",
    },
}  # fmt: skip

#: Keys for features that Sterna lacks, and the values that ask for none.
_NEUTRAL: dict[str, dict[str, tuple[str, ...]]] = {
    "cntrl": {
        **dict.fromkeys(
            (
                "ibelly", "ivcap", "idecomp", "iamoeba", "ipol", "ifqnt", "ievb", "icfe",
                "ifsc", "ifcr", "iamd", "igamd", "isgld", "icnstph", "icnste", "irism", "itgtmd",
                "infe", "ineb", "ipimd", "ilscivr", "icorf_lsc", "iemap", "iesp", "jar", "ips",
                "numexchg", "hybridgb", "efx", "efy", "efz", "iyammp", "vv", "ipb", "itimass",
                "mmtsb_switch", "plumed", "ischeme", "mcwat", "ramdint", "ifmbar", "gbsa", "alpb",
                "igb", "nmcrec", "inf_damp", "phmd",
            ),
            ("0",),
        ),
        "efn": ("0", "1"), "noshakemask": ("",), "crgmask": ("",), "dielc": ("1",),
        "nrespai": ("1",), "lj1264": ("0", "-1"), "imcdo": ("-1",), "temp0les": ("-1",),
        "numwatkeep": ("-1",), "gamma_ten": ("0",),
    },
    "ewald": {
        "use_pme": ("1",), "ew_type": ("0", "1"), "ee_type": ("0", "1"), "eedmeth": ("1", "2", "3"),
        "frameon": ("1",), "chngmask": ("1",), "a": ("0",), "b": ("0",), "c": ("0",),
        "alpha": ("0",), "beta": ("0",), "gamma": ("0",),
    },
}  # fmt: skip

#: Keys, some as expressions, that only say how something of `_NEUTRAL` is done.
_PARTS = re.compile(
    r"gb(?!sa).*|saltcon|rgbmax|rbornstat|offset|surften|extdiel|intdiel|rdt|arad|cut_inner|[xyz]orth"
    r"|[xyz]lorth|forth|fcap|[xyz]cap|cutcap|iscale|noeskp|ipnlty|mxsub|scalm|pencut|tausw|clambda"
    r"|klambda|sc(alpha|beta|mask\d?)|timask\d|crgmask\d|logdvdl|dvdl_norest|dynlmb|m?bar_.*|gti_.*"
    r"|bellymask|sgft|sgff|tsgavg|tempsg|isg(sta|end)|tsgavgp|solv(ph|e)|ntcnst(ph|e)|ntrelaxe?"
    r"|mccycles|tgt.*|mips[xyzo]|gridips|raips|dvbips|repcrd|ramd.*|ethresh[dp]|alpha[dp]|ie|nt(cmd|eb)"
    r"|gamma_lnpd?|emap.*|s[hcnosp]|inp|idssp|adiab_param|dec_verbose|mmtsb_iterations|tmode|vfac"
    r"|restart_cmd|eq_cmd|ithermostat|therm_par|mcwat.*|mc(int|res|rcp).*|plumedfile|effreq|efphase"
    r"|nkija|idistr|sinrtau|tishake|lambda",
)
#: Keys that a minimization ignores.
_OF_DYNAMICS = (
    "ntt", "temp0", "tautp", "gamma_ln", "vrand", "ig", "tempi", "ntp", "barostat", "pres0", "taup",
    "comp", "csurften", "gamma_ten", "nscm", "nstlim", "dt", "irest", "ntx", "nrespa",
)  # fmt: skip
_OF_MINIMIZATION = ("maxcyc", "drms", "ntmin")
_XMIN = 3  #: ntmin
_SURFACES = {1: "x", 2: "y", 3: "z"}  #: csurften: the axis across the interfaces


@dataclass
class RunParameters:
    """The settings of the file, in `units = "nano"`."""

    cutoff: float
    constraints: str
    run: dict[str, Any]
    interaction: dict[str, Any]
    thermostat: dict[str, Any]
    sections: dict[str, Any]  #: further sections
    temperature: float | None  #: temperature of velocities to draw
    line_of_velocities: Callable[[str], NoReturn] | None  #: fails at the key that wants them
    stiffness: float = 0.0  #: stiffness of position restraints
    mask: Word | None = None  #: mask of atoms that they hold
    reference_scaling: str | None = None


def read_mdin(path: Path, notes: Notes) -> RunParameters:
    """Raises SternaError with line and column."""
    return _Reader(path, notes).read()


def restrained(asked: RunParameters, known: Known) -> list[int]:
    """Atoms, from 0, that the mask of the file selects. Raises SternaError at its place."""
    mask = asked.mask
    if mask is None:
        return []
    try:
        found = numpy.flatnonzero(selected(mask.text, known))
    except MaskError as error:
        mask.fail_inside(error.place, f"restraintmask: {error.message}")
    if not len(found):
        mask.fail("restraintmask selects no atom")
    return [int(atom) for atom in found]


@dataclass
class _Reader:
    path: Path
    notes: Notes
    lists: dict[str, Namelist] = field(default_factory=dict)
    rest: list[Line] = field(default_factory=list)
    weights: list[Namelist] = field(default_factory=list)  #: &wt, in the order of the file
    asked: set[tuple[str, str]] = field(default_factory=set)

    def read(self) -> RunParameters:
        self._split()
        minimizes = self._choice("imin", 0, (0, 1)) == 1
        is_periodic = self._choice("ntb", 2 if self._integer("ntp", 0) else 1, (0, 1, 2))
        if not is_periodic:
            self._fail("ntb", "ntb is 0, a system without a box, which is not taken over; expected 1 "
                              "or 2")  # fmt: skip
        for key in _OF_DYNAMICS if minimizes else _OF_MINIMIZATION:
            if self._entry(key) is not None:
                self._pass_over(key, minimizes)
        interaction = self._interaction()
        constraints = self._constraints()
        further: dict[str, Any] = {}
        temperature, wants = None, None
        if minimizes:
            run, thermostat = self._minimization(further), {"kind": "none"}
            self._require_no_weights()
        else:
            run = self._dynamics(further)
            thermostat = self._thermostat()
            self._barostat(further, thermostat)
            thermostat = self._heat(further, thermostat, run["steps"])
            self._drift(further)
            temperature, wants = self._velocities()
        further["output"] = self._output()
        fit_output(further, self.notes)
        made = RunParameters(
            cutoff=interaction["cutoff"],
            constraints=constraints,
            run=run,
            interaction=interaction,
            thermostat=thermostat,
            sections=further,
            temperature=temperature,
            line_of_velocities=wants,
        )
        self._restraints(made)
        self._look_at_others()
        return made

    # ---- the file

    def _split(self) -> None:
        found = read_namelists(self.path)
        self.rest = found.rest
        self.lists, self.weights = found.namelists, found.several
        if "cntrl" not in self.lists:
            near = difflib.get_close_matches("cntrl", self.lists, 1)
            if near:
                head = self.lists[near[0]].head
                head.fail(f'the namelist {head.text} is not known; did you mean "&cntrl"?')
            raise SternaError(
                f"{self.path}: error: there is no namelist &cntrl; the file is no mdin of AMBER",
                status=2,
            )
        for name, one in self.lists.items():
            if name not in _TECHNICAL:
                near = difflib.get_close_matches(name, _TECHNICAL, 1)
                hint = f'; did you mean "&{near[0]}"?' if near else ""
                one.head.fail(f"the namelist &{name} is not taken over{hint}")
        for one in (*self.lists.values(), *self.weights):
            for word in one.repeated:
                self.notes.tell(
                    f"{word.text.lower()} stands twice: the last one counts, as in AMBER", word.line
                )

    def _entry(self, key: str, name: str = "cntrl") -> Entry | None:
        one = self.lists.get(name)
        return None if one is None else one.entries.get(key)

    def _fail(self, key: str, message: str, name: str = "cntrl") -> NoReturn:
        entry = self._entry(key, name)
        if entry is not None:
            word = entry.values[0] if entry.values else entry.name
            word.fail(message)
        raise SternaError(f"{self.path}: error: {message}", status=2)

    def _value(self, key: str, name: str) -> Word | None:
        """The only one of a key."""
        self.asked.add((name, key))
        entry = self._entry(key, name)
        if entry is None:
            return None
        if not entry.values:
            entry.name.fail(f"{key} has no value; expected one")
        if len(entry.values) > 1:
            entry.values[1].fail(f"{key} has {len(entry.values)} values; expected one")
        return entry.values[0]

    def _number(self, key: str, preset: float, name: str = "cntrl") -> float:
        word = self._value(key, name)
        if word is None:
            return preset
        try:
            # Fortran writes exponents with a D, too.
            value = float(re.sub("[dD]", "E", word.text)) if _is_plain(word) else numpy.nan
        except ValueError:
            value = numpy.nan
        if not numpy.isfinite(value):
            word.fail(f'{key} is "{word.text}"; expected a number')
        return value

    def _integer(self, key: str, preset: int, name: str = "cntrl") -> int:
        word = self._value(key, name)
        if word is None:
            return preset
        if word.is_quoted or not re.fullmatch(r"[+-]?\d{1,15}", word.text, re.ASCII):
            word.fail(f'{key} is "{word.text}"; expected an integer')
        return int(word.text)

    def _choice(
        self, key: str, preset: int, known: tuple[int, ...], hint: str = "", name: str = "cntrl"
    ) -> int:
        value = self._integer(key, preset, name)
        if value not in known:
            self._fail(
                key, f"{key} is {value}, which is not taken over; expected "
                f"{' or '.join(map(str, known))}{hint}",
                name,
            )  # fmt: skip
        return value

    def _positive(self, key: str, preset: float) -> float:
        value = self._number(key, preset)
        if not value > 0.0:
            self._fail(key, f"{key} is {value:g}; expected a number above 0")
        return value

    def _pass_over(self, key: str, minimizes: bool) -> None:
        entry = self._entry(key)
        assert entry is not None
        self.asked.add(("cntrl", key))
        what = "a minimization" if minimizes else "dynamics"
        self.notes.tell(f"keys that {what} does not use are left out", entry.name.line)

    # ---- sections

    def _interaction(self) -> dict[str, Any]:
        cut = self._positive("cut", 8.0)
        cut = self._positive("vdw_cutoff", cut)
        begin = self._number("fswitch", -1.0)
        correction = self._choice("vdwmeth", 1, (0, 1), name="ewald")
        made: dict[str, Any] = {"cutoff": _tidy(_ANGSTROM * cut), "truncation": "truncated"}
        if begin >= 0.0:
            if not 0.0 < begin < cut:
                self._fail("fswitch", f"fswitch is {begin:g}; expected a length below cut, or -1")
            if correction:
                self._fail(
                    "fswitch",
                    "with fswitch, AMBER's correction (vdwmeth = 1, the preset) leaves out what the "
                    "switch takes away; expected vdwmeth = 0 in &ewald",
                )
            made |= {"truncation": "force_switched", "switch_start": _tidy(_ANGSTROM * begin)}
        if correction:
            made["tail_correction"] = "homogeneous"
        return made

    def _constraints(self) -> str:
        shake = self._choice("ntc", 1, (1, 2, 3))
        omitted = self._choice("ntf", shake if self._entry("ntf") is None else 1, (1, 2, 3))
        if omitted > shake:
            self._fail(
                "ntf", f"ntf is {omitted}, which leaves out bonds that ntc = {shake} does not keep at "
                "their lengths; expected the same numbers",
            )  # fmt: skip
        return {1: "none", 2: "h-bonds", 3: "all-bonds"}[shake]

    def _minimization(self, further: dict[str, Any]) -> dict[str, Any]:
        steps = self._integer("maxcyc", 1)
        if steps < 0:
            self._fail("maxcyc", f"maxcyc is {steps}; expected at least 0")
        tolerance = self._number("drms", 1e-4)
        if tolerance < 0.0:
            self._fail("drms", f"drms is {tolerance:g}; expected at least 0")
        method = self._choice("ntmin", 1, (0, 1, 2, _XMIN))
        further["minimize"] = {"force_tolerance": _tidy(_FORCE * tolerance)}
        self.notes.tell(
            "the minimization ends where no component of a force is above drms; AMBER compares their "
            "root mean square, which is smaller"
        )
        return {"steps": steps, "integrator": "lbfgs" if method == _XMIN else "minimize"}

    def _dynamics(self, further: dict[str, Any]) -> dict[str, Any]:
        steps = self._integer("nstlim", 1)
        if steps < 0:
            self._fail("nstlim", f"nstlim is {steps}; expected at least 0")
        run: dict[str, Any] = {"steps": steps, "timestep": self._positive("dt", 0.001)}
        seed = self._integer("ig", -1)
        if seed >= 0:
            run["seed"] = seed
        slow = self._integer("nrespa", 1)
        if slow < 1:
            self._fail("nrespa", f"nrespa is {slow}; expected at least 1")
        if slow > 1:
            further["multiple_time_steps"] = {"far_field": slow}
            self.notes.tell(
                "nrespa is the interval of the far field of charges: what is far is another part of "
                "them than the reciprocal sum", self._line("nrespa"),
            )  # fmt: skip
        return run

    def _line(self, key: str) -> Line | None:
        entry = self._entry(key)
        return None if entry is None else entry.name.line

    def _thermostat(self) -> dict[str, Any]:
        kind = self._choice(
            "ntt", 0, (0, 2, 3, 11), " (Berendsen's coupling, 1, samples no ensemble; 11 relaxes as it "
            "does)" if self._integer("ntt", 0) == 1 else "",
        )  # fmt: skip
        temperature = self._number("temp0", 300.0)
        friction, relaxation = self._number("gamma_ln", 0.0), self._number("tautp", 1.0)
        interval = self._integer("vrand", 1000)
        if kind == 0:
            return {"kind": "none"}
        if not temperature > 0.0:
            self._fail("temp0", f"temp0 is {temperature:g}; expected a temperature above 0")
        made: dict[str, Any] = {"temperature": temperature}
        if kind == 3:
            if not friction > 0.0:
                self._fail(
                    "gamma_ln" if self._entry("gamma_ln") else "ntt",
                    f"gamma_ln is {friction:g}; expected a friction above 0 with ntt = 3",
                )
            return {"kind": "langevin", **made, "time_constant": _tidy(1.0 / friction)}
        if kind == 11:
            if not relaxation > 0.0:
                self._fail("tautp", f"tautp is {relaxation:g}; expected a time above 0")
            kind_of = "stochastic_velocity_rescaling"
            return {"kind": kind_of, **made, "time_constant": relaxation}
        if interval < 1:
            self._fail("vrand", f"vrand is {interval}; expected at least 1 with ntt = 2")
        self.notes.tell(
            "ntt = 2 becomes Andersen's thermostat, whose collisions are not all in the same step: each "
            "atom has one in vrand steps on average", self._line("ntt"),
        )  # fmt: skip
        time = _tidy(interval * self._positive("dt", 0.001))
        return {"kind": "andersen", **made, "time_constant": time}

    def _barostat(self, further: dict[str, Any], thermostat: dict[str, Any]) -> None:
        shape = self._choice("ntp", 0, (0, 1, 2, 3))
        kind = self._integer("barostat", 1)
        pressure, time = self._number("pres0", 1.0), self._number("taup", 1.0)
        compressibility = self._number("comp", 44.6)
        surfaces = self._choice("csurften", 0, (0, *_SURFACES))
        box = self._integer("ntb", 2 if shape else 1)
        if (shape > 0) != (box == 2):
            self._fail(
                "ntb" if self._entry("ntb") else "ntp",
                f"ntb is {box} and ntp is {shape}; expected ntb = 2 with ntp from 1, and ntb = 1 "
                "without",
            )
        if (surfaces > 0) != (shape == 3):
            self._fail(
                "csurften" if surfaces else "ntp",
                f"csurften is {surfaces} and ntp is {shape}; expected csurften from 1 to 3 with ntp = "
                "3, and 0 without",
            )
        if shape == 0:
            return
        if kind != 2:
            self._fail(
                "barostat" if self._entry("barostat") else "ntp",
                f"barostat is {kind}, which samples no ensemble and is not taken over; expected "
                "barostat = 2"
                if kind == 1
                else f"barostat is {kind}; expected 2",
            )
        if thermostat["kind"] == "none":
            self._fail("ntp", "a constant pressure without a thermostat is not taken over; expected ntt "
                              "= 3 or 11")  # fmt: skip
        for key, value in (("taup", time), ("comp", compressibility)):
            if not value > 0.0:
                self._fail(key, f"{key} is {value:g}; expected a number above 0")
        self.notes.tell(
            "the Monte Carlo barostat becomes stochastic cell rescaling with taup as its time constant: "
            "it samples the same ensemble", self._line("barostat"),
        )  # fmt: skip
        made: dict[str, Any] = {
            "kind": "stochastic_cell_rescaling",
            "pressure": pressure,
            "time_constant": time,
            "bulk_modulus": _tidy(1.0 / (_COMPRESSIBILITY * compressibility)),
        }
        if shape == 2:
            made["coupling"] = "anisotropic"
        elif shape == 3:
            made |= {"coupling": "semi_isotropic", "axis": _SURFACES[surfaces]}
        further["barostat"] = made

    def _heat(
        self, further: dict[str, Any], thermostat: dict[str, Any], steps: int
    ) -> dict[str, Any]:
        """The thermostat, or the first of several, where &wt changes its temperature.

        Source: AMBER 2023 manual, "Varying conditions", and `modwt` of sander: in the steps from
        istep1 to istep2 the temperature moves from value1 to value2, and stays where it is in others.
        """
        if self._choice("nmropt", 0, (0, 1)) == 0:
            if self.weights:
                self.notes.tell("&wt is not read without nmropt, as in AMBER",
                                self.weights[0].head.line)  # fmt: skip
            return thermostat
        changes = self._changes()
        if not changes:
            return thermostat
        head = self._entry("nmropt").name
        if thermostat["kind"] == "none":
            head.fail("TEMP0 changes without a thermostat; expected ntt = 2, 3 or 11")
        now, present = 0.0, thermostat["temperature"]
        segments = []
        for begin, end, first, last, word in changes:
            if begin < now - 1.0:
                word.fail("this TEMP0 begins before another one ends, which is not taken over")
            if begin > now + 1.0:
                # The last step before the change has the temperature of before.
                segments.append(Segment(now, begin - 1.0, present, present))
            if end <= 0.0:  # value1 stays to the end of the run.
                segments.append(Segment(begin, math.inf, first, first))
                now = math.inf
            else:
                if end < begin:
                    word.fail(f"istep2 is {end:g}, before istep1, {begin:g}")
                segments.append(Segment(begin, end, first, last))
                now = end
            present = last
        if now < math.inf:
            segments.append(Segment(now, math.inf, present, present))
        if any(0.0 in (one.first, one.last) for one in segments):
            self.notes.tell(f"temperatures of 0 become {LOWEST:g} K", self._line("nmropt"))
        made = thermostats(thermostat, segments, steps, "barostat" in further, head.fail)
        if len(made) > 1:
            further["thermostat"] = made
        return made[0]

    def _require_no_weights(self) -> None:
        """Raises SternaError where a minimization asks for more than temperatures."""
        if self._choice("nmropt", 0, (0, 1)) == 1 and self._changes():
            self.notes.tell("TEMP0 of &wt is left out: a minimization has no temperature",
                            self._line("nmropt"))  # fmt: skip

    def _changes(self) -> list[tuple[float, float, float, float, Word]]:
        """TEMP0 of all &wt: first and last step, temperatures, and a place for messages."""
        found = []
        ended = False
        for one in self.weights:
            kind = one.entries.get("type")
            if kind is None or len(kind.values) != 1:
                one.head.fail("&wt has no type; expected one such as type='TEMP0'")
            name = kind.values[0].text.strip().upper()
            if name == "END":
                ended = True
                break
            if name == "DUMPFREQ":
                continue
            if name != "TEMP0":
                kind.values[0].fail(f"&wt of type {name} is not taken over; expected TEMP0 or END")
            values = {}
            for key, entry in one.entries.items():
                if key not in ("type", "istep1", "istep2", "value1", "value2", "iinc", "imult"):
                    entry.name.fail(f'"{entry.name.text}" is no key of &wt')
                if key != "type":
                    values[key] = self._number_of(entry)
            for key in ("iinc", "imult"):
                if values.get(key, 0.0) != 0.0:
                    one.entries[key].name.fail(f"{key} of &wt is not taken over; expected 0")
            for key in ("istep1", "istep2", "value1", "value2"):
                if values.get(key, 0.0) < 0.0:
                    one.entries[key].values[0].fail(f"{key} must not be negative")
            found.append((*(values.get(key, 0.0) for key in ("istep1", "istep2", "value1", "value2")),
                          one.head))  # fmt: skip
        if self.weights and not ended:
            self.weights[-1].head.fail("expected &wt type='END' / behind the last &wt")
        for line in self.rest:
            name = line.text.split("=", 1)[0].strip().upper()
            if name in ("LISTIN", "LISTOUT", "DUMPAVE"):
                continue
            if name == "DISANG":
                line.fail(0, "restraints of DISANG are not taken over; take them out")
            if self._integer("ntr", 0) == 0:
                line.fail(0, "expected LISTOUT=FILE or the like behind &wt type='END'")
        return found

    def _number_of(self, entry: Entry) -> float:
        text = entry.values[0].text if len(entry.values) == 1 else ""
        try:
            value = float(re.sub("[dD]", "E", text)) if "_" not in text else numpy.nan
        except ValueError:
            value = numpy.nan
        if not numpy.isfinite(value):
            entry.name.fail(f'{entry.name.text} is "{text}"; expected a number')
        return value

    def _drift(self, further: dict[str, Any]) -> None:
        interval = self._integer("nscm", 1000)
        # Langevin dynamics in a box leave the center of mass alone.
        if interval > 0 and self._integer("ntt", 0) != 3:
            further["drift_control"] = [{"interval": interval, "sample_interval": interval}]

    def _velocities(self) -> tuple[float | None, Callable[[str], NoReturn] | None]:
        """Returns the temperature at which velocities are drawn, or a function that fails if the
        file lacks them.
        """
        restart = self._choice("irest", 0, (0, 1))
        form = self._choice("ntx", 5 if restart else 1, (1, 2, 4, 5, 6, 7))
        initial = self._number("tempi", 0.0)
        if restart:
            if form < 4:
                self._fail(
                    "ntx", f"ntx is {form} with irest = 1; expected 5, as velocities are read"
                )
            self.notes.tell(
                "AMBER has velocities half a step before positions (leap-frog); Sterna takes those of "
                "the file for the same time"
            )

            def fail(message: str) -> NoReturn:
                self._fail("irest", message)

            return None, fail
        if initial < 0.0:
            self._fail("tempi", f"tempi is {initial:g}; expected at least 0")
        if initial == 0.0:
            self.notes.tell("atoms begin at rest, as tempi is 0", self._line("tempi"))
            return None, None
        return initial, None

    def _output(self) -> dict[str, Any]:
        made: dict[str, Any] = {"directory": "output"}
        for key, preset, of_sterna in (
            ("ntpr", 50, "thermo_interval"), ("ntwx", 0, "trajectory_interval"),
        ):  # fmt: skip
            value = self._integer(key, preset)
            if value < 0:
                self._fail(key, f"{key} is {value}; expected at least 0")
            if value > 0 or of_sterna == "trajectory_interval":
                made[of_sterna] = value
        return made

    def _restraints(self, made: RunParameters) -> None:
        has_restraints = self._choice("ntr", 0, (0, 1)) == 1
        weight = self._number("restraint_wt", 0.0)
        mask = self._value("restraintmask", "cntrl")
        if not has_restraints:
            if self.rest and not self._integer("nmropt", 0):
                self.notes.tell(
                    "lines behind the namelists are not read, as in AMBER", self.rest[0]
                )
            return
        if mask is None or not mask.text.strip():
            if self.rest:
                self.rest[0].fail(
                    None, "groups of atoms in lines of their own are not taken over; expected "
                    "restraint_wt and restraintmask in &cntrl",
                )  # fmt: skip
            self._fail("ntr", "ntr is 1 without a restraintmask; expected one such as ':1-10@CA'")
        if not mask.is_quoted:
            mask.fail("restraintmask is not in quotes; expected a text such as ':1-10@CA'")
        if not weight > 0.0:
            self._fail(
                "restraint_wt" if self._entry("restraint_wt") else "ntr",
                f"restraint_wt is {weight:g}; expected a number above 0",
            )
        made.stiffness, made.mask = _tidy(_SPRING * weight), mask
        if "barostat" in made.sections:
            made.reference_scaling = "all"
            self.notes.tell(
                "places of restraints move with the box, each for itself; those of AMBER move with the "
                "center of their molecule", self._line("ntr"),
            )  # fmt: skip

    # ---- all other keys

    def _look_at_others(self) -> None:
        """Raises SternaError for settings of features that Sterna lacks."""
        technical = []
        for name, one in self.lists.items():
            for key, entry in one.entries.items():
                if (name, key) in self.asked:
                    continue
                bare = re.sub(r"\(\s*\d+\s*\)$", "", key)
                if key in _NEUTRAL[name]:
                    if not _is_neutral(entry, _NEUTRAL[name][key]):
                        entry.name.fail(f"{key} is not taken over; take it out")
                elif bare in _TECHNICAL[name] or (name == "cntrl" and _PARTS.fullmatch(bare)):
                    technical.append(key)
                else:
                    self._unknown(entry, name)
        if technical:
            self.notes.tell(f"{self.path} has keys that have no counterpart, as Sterna has its own "
                            f"output, lists and solvers: {', '.join(technical)}")  # fmt: skip

    def _unknown(self, entry: Entry, name: str) -> NoReturn:
        key = entry.name.text.lower()
        other = "ewald" if name == "cntrl" else "cntrl"
        if key in self._known(other):
            entry.name.fail(f"{key} is a key of &{other}, not of &{name}")
        near = difflib.get_close_matches(key, sorted(self._known(name)), 1)
        hint = f'; did you mean "{near[0]}"?' if near else ""
        entry.name.fail(f"{key} is not known, or not taken over{hint}")

    def _known(self, name: str) -> set[str]:
        of_this = {key for one, key in self.asked if one == name}
        of_all = set(_OF_DYNAMICS + _OF_MINIMIZATION) if name == "cntrl" else {"vdwmeth"}
        return {*_TECHNICAL[name], *_NEUTRAL[name], *of_this, *of_all}


def _tidy(number: float) -> float:
    """Removes the rounding in the last digits."""
    return float(f"{number:.12g}")


def _is_plain(word: Word) -> bool:
    return not word.is_quoted and "_" not in word.text


def _is_neutral(entry: Entry, neutral: tuple[str, ...]) -> bool:
    """Whether all values ask for nothing: 0.0 as 0."""

    def one(text: str) -> bool:
        for value in neutral:
            try:
                if float(re.sub("[dD]", "E", text)) == float(value):
                    return True
            except ValueError:
                if text.strip() == value:
                    return True
        return False

    return all(one(word.text) for word in entry.values)
