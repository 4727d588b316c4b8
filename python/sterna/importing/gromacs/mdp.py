"""What an .mdp file of GROMACS asks for, as sections of an input.

Source: https://manual.gromacs.org, "Molecular dynamics parameters (.mdp options)", and defaults of
`grompp -po` of an empty file. Each key is taken over, or told, or refused by its name: none that would
change the physics is passed over.
"""

import difflib
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from sterna.errors import SternaError
from sterna.importing.box_interval import box_interval
from sterna.importing.gromacs import free_energy
from sterna.importing.gromacs.free_energy import FreeEnergy, Settings, read_free_energy
from sterna.importing.gromacs.preprocessor import TopologyLine, checked_blanks
from sterna.importing.notes import Notes
from sterna.importing.ramps import LOWEST, Segment, thermostats
from sterna.importing.text import read_text

#: Keys for output, lists of neighbors, meshes and solvers of constraints: Sterna has its own.
_TECHNICAL = {
    "title", "cpp", "warnings", "nstxout", "nstvout", "nstfout", "nstlog", "nstenergy",
    "nstcalcenergy", "nstxout_compressed", "nstxtcout", "compressed_x_precision", "xtc_precision",
    "compressed_x_grps", "xtc_grps", "energygrps", "nstlist", "ns_type", "rlist", "rlistlong",
    "verlet_buffer_tolerance", "verlet_buffer_drift", "verlet_buffer_pressure_tolerance",
    "cutoff_scheme", "fourierspacing", "fourier_nx", "fourier_ny", "fourier_nz", "pme_order",
    "ewald_rtol", "ewald_rtol_lj", "lj_pme_comb_rule", "optimize_fft", "table_extension",
    "constraint_algorithm", "shake_sor", "shake_tol", "lincs_order", "lincs_iter",
    "lincs_warnangle", "nsttcouple", "nstpcouple", "nh_chain_length",
    "print_nose_hoover_chain_variables", "ld_seed", "gen_seed", "simulation_part", "nstcgsteep",
    "nbfgscorr", "niter", "fcstep", "rtpi", "bd_fric", "user1_grps", "user2_grps", "userint1",
    "userint2", "userint3", "userint4", "userreal1", "userreal2", "userreal3", "userreal4",
    "rcoulomb_switch", "continuation", "unconstrained_start",
    "disre_weighting", "disre_mixed", "disre_fc", "disre_tau", "nstdisreout", "orire_fc",
    "orire_tau", "orire_fitgrp", "nstorireout", "nstdhdl", "periodic_molecules",
    "ensemble_temperature_setting", "ensemble_temperature", "deform_init_flow", "dihre", "dihre_fc",
}  # fmt: skip

_ANY = -(10**18)
#: The values of keys: integers and their smallest value, numbers, and names, the default first.
_INTEGERS = {
    "nstxout": _ANY, "nstvout": _ANY, "nstfout": _ANY, "nstlog": _ANY, "nstenergy": _ANY,
    "nstcalcenergy": _ANY, "nstxout_compressed": _ANY, "nstlist": 1, "fourier_nx": _ANY,
    "fourier_ny": _ANY, "fourier_nz": _ANY, "pme_order": _ANY, "lincs_order": _ANY,
    "lincs_iter": _ANY, "nsttcouple": _ANY, "nstpcouple": _ANY, "nh_chain_length": _ANY,
    "ld_seed": _ANY, "gen_seed": _ANY, "simulation_part": _ANY, "nstcgsteep": _ANY,
    "nbfgscorr": _ANY, "niter": _ANY,
}  # fmt: skip
_NUMBERS = {
    "rlist", "verlet_buffer_tolerance", "fourierspacing", "ewald_rtol", "ewald_rtol_lj", "shake_tol",
    "lincs_warnangle", "compressed_x_precision", "fcstep", "rtpi", "bd_fric",
}  # fmt: skip
_CHOICES = {
    "cutoff_scheme": ("verlet",), "constraint_algorithm": ("lincs", "shake"),
    "continuation": ("no", "yes"), "periodic_molecules": ("no", "yes"),
    "lj_pme_comb_rule": ("geometric", "lorentz-berthelot"),
}  # fmt: skip

#: Keys for features that Sterna lacks, and the values that ask for none.
_NEUTRAL = {
    "mts": ("no",), "mass_repartition_factor": ("1",), "pbc": ("xyz",), "ewald_geometry": ("3d",),
    "epsilon_surface": ("0",), "morse": ("no",),
    "acc_grps": ("",), "accelerate": ("",), "energygrp_excl": ("",), "energygrp_table": ("",),
    "e_x": ("", "0"), "e_y": ("", "0"), "e_z": ("", "0"), "e_xt": ("",), "e_yt": ("",),
    "e_zt": ("",), "annealing": ("", "no"), "simulated_tempering": ("no",),
    "cos_acceleration": ("0",), "deform": ("", "0"), "nwall": ("0",), "pull": ("no",),
    "awh": ("no",), "rotation": ("no",), "swapcoords": ("no",), "qmmm": ("no",),
    "qmmm_cp2k_active": ("no",), "colvars_active": ("no",), "nnpot_active": ("no",),
    "density_guided_simulation_active": ("no",), "imd_group": ("",), "disre": ("no",),
    "orire": ("no",), "implicit_solvent": ("no",), "adress": ("no",), "expanded": ("no",),
    "andersen_seed": ("",), "nstexpanded": ("",), "adjust_verlet": ("",),
}  # fmt: skip

#: Begins of keys that only say how something of `_NEUTRAL` is done.
_PARTS = (
    "mts_", "annealing_", "simulated_tempering_", "sim_temp", "wall_", "nwall_", "pull_", "awh", "rot_", "swap",
    "qmmm", "colvars_", "nnpot_", "density_guided_", "couple_", "sc_", "init_lambda", "delta_lambda",
    "fep_lambdas", "coul_lambdas", "vdw_lambdas", "bonded_lambdas", "restraint_lambdas",
    "mass_lambdas", "temperature_lambdas", "calc_lambda", "separate_dhdl", "dhdl_", "dh_hist",
    "lmc_", "mininum_var", "init_lambda_weights", "imd_", "gb_", "sa_", "rgbradii", "nstgbradii", "qm",
)  # fmt: skip

_VDW_MODIFIERS = {
    "potential-shift": "shifted",
    "potential-shift-verlet": "shifted",
    "none": "truncated",
    "force-switch": "cubic_force_switched",
    "potential-switch": "quintic_switched",
}
#: Keys by their names without `-` and `_`, which GROMACS ignores: vdw_type is vdwtype.
_SPELLED = {
    key.replace("_", ""): key
    for key in (
        *_TECHNICAL, *_NEUTRAL, "coulombtype", "coulomb_modifier", "rcoulomb", "epsilon_r",
        "epsilon_rf", "vdwtype", "vdw_modifier", "rvdw", "rvdw_switch", "dispcorr", "tcoupl", "tc_grps",
        "tau_t", "ref_t", "pcoupl", "pcoupltype", "tau_p", "ref_p", "compressibility",
        "refcoord_scaling", "gen_vel", "gen_temp", "constraints", "comm_mode", "comm_grps", "nstcomm",
        "init_step", *free_energy.KEYS,
    )
}  # fmt: skip

#: Kinds of [electrostatics].
_COULOMB = {
    "pme": "fmm", "ewald": "fmm", "p3m-ad": "fmm", "reaction-field": "reaction_field",
    "cut-off": "cutoff",
}  # fmt: skip
_OF_COUPLING = (
    "tcoupl", "tc_grps", "tau_t", "ref_t", "pcoupl", "pcoupltype", "ref_p", "compressibility", "tau_p",
)  # fmt: skip
_SWITCHED = ("cubic_force_switched", "quintic_switched")
_MOST_SEGMENTS = 200  #: of annealing
_MINIMIZERS = {"steep": "minimize", "l-bfgs": "lbfgs"}
_INTEGRATORS = ("md", "md-vv", "md-vv-avek", "sd", *_MINIMIZERS)
_REFCOORD = {"no": "none", "all": "all", "com": "center"}


@dataclass
class RunParameters:
    """The settings of the file, in `units = "nano"`."""

    cutoff: float
    constraints: str
    defines: tuple[str, ...]
    include: tuple[Path, ...]
    run: dict[str, Any]
    interaction: dict[str, Any]
    thermostat: dict[str, Any]
    sections: dict[str, Any]  #: further sections
    temperature: float | None  #: temperature of velocities to draw
    keeps_velocities: bool
    electrostatics: dict[str, Any]  #: sections for atoms with charges
    reference_scaling: str | None
    coupled: "NamedGroups | None" = None  #: groups that are coupled to a thermostat
    frozen: "NamedGroups | None" = None
    box_mass: "BoxMass | None" = None  #: mass of the box of Parrinello-Rahman and MTTK
    free_energy: FreeEnergy | None = None


@dataclass(frozen=True)
class BoxMass:
    """The settings that determine the mass of a box that moves by itself."""

    kind: str  #: "parrinello-rahman" or "mttk"
    time_constant: float  #: ps
    compressibility: float  #: 1/bar


@dataclass(frozen=True)
class NamedGroups:
    names: tuple[str, ...]
    line: TopologyLine


def read_mdp(path: Path, notes: Notes) -> RunParameters:
    """Raises SternaError with line and column."""
    return _Reader(path, notes).read()


@dataclass
class _Reader:
    path: Path
    notes: Notes
    lines: dict[str, TopologyLine] = field(default_factory=dict)
    values: dict[str, list[str]] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    box_mass: BoxMass | None = None

    def read(self) -> RunParameters:
        self._split()
        defines, include = self._defines()
        minimizes = self._integrator() in _MINIMIZERS
        if minimizes:
            # GROMACS couples nothing in a minimization, whatever the file says.
            self.asked.update(_OF_COUPLING)
            self._groups()
        run, further = self._run(minimizes)
        thermostat = {"kind": "none"} if minimizes else self._thermostat()
        barostat = {} if minimizes else self._barostat()
        heated = self._anneal(thermostat, run["steps"], bool(barostat)) if not minimizes else []
        if heated:
            thermostat = heated[0]
        if len(heated) > 1:
            further["thermostat"] = heated
        interaction = self._interaction(bool(barostat))
        if barostat:
            barostat |= box_interval(barostat, run["timestep"], further.get("multiple_time_steps"))
            further["barostat"] = barostat
        temperature = None
        if self._choice("gen_vel", "no", ("no", "yes")) == "yes":
            temperature = self._number("gen_temp", 300.0)
        self._number("gen_temp", 300.0)
        parameters = RunParameters(
            cutoff=interaction["cutoff"],
            constraints=self._choice("constraints", "none", ("none", "h-bonds", "all-bonds")),
            defines=defines,
            include=include,
            run=run,
            interaction=interaction,
            thermostat=thermostat,
            sections=further,
            temperature=temperature,
            keeps_velocities=temperature is None,
            electrostatics=self._electrostatics(interaction["cutoff"]),
            reference_scaling=self._reference_scaling(bool(barostat)),
        )
        self._add_field(further)
        parameters.free_energy = read_free_energy(
            Settings(
                self._choice, self._numbers, self._integer, self._words, self._fail, self.lines,
                self.notes,
            )
        )  # fmt: skip
        parameters.frozen = self._frozen(bool(barostat))
        parameters.box_mass = self.box_mass
        if self._words("tc_grps"):
            parameters.coupled = NamedGroups(tuple(self._words("tc_grps")), self.lines["tc_grps"])
        self._look_at_others()
        self._require_cutoffs(interaction["cutoff"])
        return parameters

    # ---- the file

    def _split(self) -> None:
        for number, raw in enumerate(read_text(self.path).split("\n"), 1):
            text = raw.split(";", 1)[0].rstrip()
            if not text.strip():
                continue
            line = checked_blanks(TopologyLine(self.path, number, text))
            name, sign, value = text.partition("=")
            key = name.strip().replace("-", "_").lower()
            if not sign or not key:
                line.fail(None, "expected a line such as `dt = 0.002`")
            key = _SPELLED.get(key.replace("_", ""), key)
            if key in self.lines:
                line.fail(0, f"a second line of {name.strip()}, which GROMACS refuses")
            self.lines[key] = line
            self.values[key] = value.split()

    def _fail(self, key: str, message: str) -> NoReturn:
        if key in self.lines:
            self.lines[key].fail(None, message)
        raise SternaError(f"{self.path}: error: {message}", status=2)

    def _words(self, key: str) -> list[str]:
        self.asked.add(key)
        return self.values.get(key, [])

    def _choice(self, key: str, preset: str, known: tuple[str, ...]) -> str:
        words = self._words(key)
        text = " ".join(words).lower().replace("_", "-") or preset
        # GROMACS passes over dashes: "cutoff" is "Cut-off".
        text = {one.replace("-", ""): one for one in known}.get(text.replace("-", ""), text)
        if text not in known:
            self._fail(
                key, f'{key.replace("_", "-")} is "{text}", which is not taken over; expected '
                + ", ".join(known),
            )  # fmt: skip
        return text

    def _numbers(self, key: str) -> list[float]:
        found = []
        for word in self._words(key):
            try:
                found.append(float(word))
            except ValueError:
                self._fail(key, f'{key.replace("_", "-")} is "{word}"; expected a number')
        return found

    def _number(self, key: str, preset: float) -> float:
        found = self._numbers(key)
        if len(found) > 1:
            self._fail(key, f"{key.replace('_', '-')} has {len(found)} numbers; expected one")
        return found[0] if found else preset

    def _integer(self, key: str, preset: int) -> int:
        """Reads an integer as GROMACS does: 1e5 is none."""
        words = self._words(key)
        if not words:
            return preset
        if len(words) > 1 or not re.fullmatch(r"[+-]?\d{1,18}", words[0], re.ASCII):
            self._fail(
                key, f'{key.replace("_", "-")} is "{" ".join(words)}"; expected an integer, such as '
                "100000",
            )  # fmt: skip
        return int(words[0])

    # ---- sections

    def _defines(self) -> tuple[tuple[str, ...], tuple[Path, ...]]:
        defines, folders = [], []
        for word in self._words("define"):
            if not re.fullmatch(r"-D\S+", word):
                self._fail("define", f'define has "{word}"; expected -DNAME or -DNAME=VALUE')
            defines.append(word[2:])
        for word in self._words("include"):
            if not re.fullmatch(r"-I\S+", word):
                self._fail("include", f'include has "{word}"; expected -IFOLDER')
            folders.append(Path(word[2:]).expanduser())
        return tuple(defines), tuple(folders)

    def _integrator(self) -> str:
        return self._choice("integrator", "md", _INTEGRATORS)

    def _run(self, minimizes: bool) -> tuple[dict[str, Any], dict[str, Any]]:
        steps = self._integer("nsteps", 0)
        if steps < 0:
            self._fail("nsteps", f"nsteps is {steps}; expected an integer of at least 0")
        step = self._number("dt", 0.001)
        tolerance, largest = self._number("emtol", 10.0), self._number("emstep", 0.01)
        interval = self._integer("nstcomm", 100)
        mode = self._choice("comm_mode", "linear", ("linear", "none"))
        groups = [word.lower() for word in self._words("comm_grps")]
        if minimizes:
            integrator = _MINIMIZERS[self._integrator()]
            limits = {"force_tolerance": tolerance}
            if integrator == "minimize":  # for "l-bfgs" emstep is only the first step
                limits["maximum_displacement"] = largest
            return {"steps": steps, "integrator": integrator}, {"minimize": limits}
        if not step > 0.0:
            self._fail("dt", f"dt is {step:g}; expected a time above 0")
        for key in ("tinit", "init_step"):
            if self._number(key, 0.0) != 0.0:
                self._fail(key, f"{key.replace('_', '-')} is not taken over; expected 0")
        if self._integrator() == "md":
            self.notes.tell("md has velocities half a step before positions (leap-frog); Sterna "
                            "takes those of the file for the same time")  # fmt: skip
        run = {"steps": steps, "timestep": step}
        if mode == "none" or interval == 0:
            return run, {}
        if len(groups) > 1 or groups not in ([], ["system"]):
            self._fail("comm_grps", "comm-grps is not taken over; expected System")
        interval = abs(interval)
        return run, {"drift_control": [{"interval": interval, "sample_interval": interval}]}

    def _groups(self) -> tuple[list[str], list[float], list[float]]:
        """Groups of temperature coupling, their time constants and temperatures."""
        groups, times, temperatures = (
            self._words("tc_grps"), self._numbers("tau_t"), self._numbers("ref_t"),
        )  # fmt: skip
        if len(times) != len(groups) or len(temperatures) != len(groups):
            key = next(each for each in ("tc_grps", "tau_t", "ref_t") if each in self.lines)
            self._fail(
                key, "expected as many numbers of tau-t and ref-t as tc-grps has groups, as GROMACS "
                "does with any tcoupl",
            )  # fmt: skip
        return groups, times, temperatures

    def _coupled(self) -> tuple[float, float]:
        """Time constant and temperature, the same for all groups."""
        groups, times, temperatures = self._groups()
        if not groups:
            self._fail("tcoupl" if "tcoupl" in self.lines else "integrator",
                       "there are no tc-grps; expected them with tau-t and ref-t")  # fmt: skip
        if len(set(times)) > 1 or len(set(temperatures)) > 1:
            self._fail("tc_grps", "groups with other temperatures or time constants than each other "
                                  "are not taken over")  # fmt: skip
        if len(groups) > 1:
            self.notes.tell(
                "groups of the same temperature are coupled together", self.lines.get("tc_grps")
            )
        if not times[0] > 0.0 or not temperatures[0] > 0.0:
            self._fail("tau_t", "expected tau-t and ref-t above 0")
        return times[0], temperatures[0]

    def _thermostat(self) -> dict[str, Any]:
        kind = self._choice("tcoupl", "no", ("no", "v-rescale", "nose-hoover"))
        integrator = self._integrator()
        if integrator == "sd":
            kinds = "langevin"
        elif kind == "no":
            self._groups()
            return {"kind": "none"}
        else:
            kinds = {"v-rescale": "stochastic_velocity_rescaling"}.get(kind, "nose_hoover_chain")
        time, temperature = self._coupled()
        return {"kind": kinds, "temperature": temperature, "time_constant": time}

    def _anneal(
        self, thermostat: dict[str, Any], steps: int, has_barostat: bool
    ) -> list[dict[str, Any]]:
        """The thermostats of simulated annealing; none: the temperature stays.

        Source: `update_annealing_target_temp` of GROMACS.
        """
        how = [word.lower() for word in self.values.get("annealing", [])]
        if not how or set(how) == {"no"}:
            return []
        keys = ("annealing", "annealing_npoints", "annealing_time", "annealing_temp")
        self.asked.update(keys)
        count = len(self._words("tc_grps"))
        if thermostat["kind"] == "none":
            self._fail("annealing", "annealing without a thermostat is not taken over")
        if set(how) - {"single", "periodic"} or len(set(how)) > 1 or len(how) != count:
            self._fail(
                "annealing", "expected no, or single or periodic, the same for each of tc-grps"
            )
        points, times, temperatures = (self._numbers(key) for key in keys[1:])
        if len(points) != count or len(set(points)) > 1 or points[0] not in range(1, 1000):
            self._fail(
                "annealing_npoints", "expected the same number of points for each of tc-grps"
            )
        number = int(points[0])
        for key, found in zip(keys[2:], (times, temperatures), strict=True):
            if len(found) != number * count or found != found[:number] * count:
                self._fail(
                    key, f"expected {number} numbers for each of tc-grps, the same for all of them"
                )
        times, temperatures = times[:number], temperatures[:number]
        if times != sorted(times) or times[0] != 0.0:
            self._fail("annealing_time", "expected times that begin at 0 and do not decrease")
        if min(temperatures) < 0.0:
            self._fail("annealing_temp", "expected temperatures of at least 0")
        step = self._number("dt", 0.001)
        segments = [
            Segment(times[k] / step, times[k + 1] / step, temperatures[k], temperatures[k + 1])
            for k in range(number - 1)
        ]
        if how[0] == "periodic":
            segments = self._repeated(segments, steps)
        else:
            segments.append(Segment(times[-1] / step, math.inf, temperatures[-1], temperatures[-1]))
        if min(temperatures) == 0.0:
            self.notes.tell(f"temperatures of 0 become {LOWEST:g} K", self.lines["annealing_temp"])

        def fail(message: str) -> NoReturn:
            self._fail("annealing", message)

        return thermostats(thermostat, segments, steps, has_barostat, fail)

    def _repeated(self, segments: list[Segment], steps: int) -> list[Segment]:
        """Those of one period, to the end of the run."""
        if not segments or segments[-1].end <= 0.0:
            self._fail("annealing_time", "expected a period above 0")
        if segments[0].first != segments[-1].last:
            self._fail(
                "annealing_temp",
                "expected the same temperature at the begin and the end of a period",
            )
        period = segments[-1].end
        turns = math.ceil(steps / period)
        if turns * len(segments) > _MOST_SEGMENTS:
            self._fail(
                "annealing_time", f"the run has more than {_MOST_SEGMENTS} parts of annealing"
            )
        return [
            Segment(one.begin + k * period, one.end + k * period, one.first, one.last)
            for k in range(max(turns, 1))
            for one in segments
        ]

    def _barostat(self) -> dict[str, Any]:
        kind = self._choice("pcoupl", "no", ("no", "c-rescale", "parrinello-rahman", "mttk"))
        shape = self._choice(
            "pcoupltype", "isotropic", ("isotropic", "semiisotropic", "anisotropic")
        )
        pressures, compressibilities = self._numbers("ref_p"), self._numbers("compressibility")
        times = self._numbers("tau_p")
        if kind == "no":
            return {}
        if kind == "c-rescale" and shape == "anisotropic":
            self._fail("pcoupltype", "C-rescale is not anisotropic in GROMACS; expected isotropic or "
                                     "semiisotropic")  # fmt: skip
        if kind == "mttk" and not self._integrator().startswith("md-vv"):
            self._fail("pcoupl", "MTTK needs the integrator md-vv in GROMACS")
        count = {"isotropic": 1, "semiisotropic": 2, "anisotropic": 6}[shape]
        for key, found in (("ref_p", pressures), ("compressibility", compressibilities)):
            if len(found) != count:
                self._fail(
                    key, f"{key.replace('_', '-')} has {len(found)} numbers; expected {count}"
                )
        if len(times) != 1 or not times[0] > 0.0:
            self._fail(
                "tau_p", "expected one number of tau-p above 0; versions differ in its default"
            )
        if len(set(pressures[:3])) > 1 or any(pressures[3:]):
            self._fail("ref_p", "different pressures along the axes are not taken over")
        made: dict[str, Any] = {
            "kind": "stochastic_cell_rescaling" if kind == "c-rescale" else "martyna_tobias_klein",
            "pressure": pressures[0], "time_constant": times[0],
        }  # fmt: skip
        coupling, compressibility = self._coupling(shape, compressibilities)
        if coupling != "isotropic":
            made["coupling"] = coupling
        if kind == "c-rescale":
            made["bulk_modulus"] = 1.0 / compressibility
            return made
        self.box_mass = BoxMass(kind, times[0], compressibility)
        if kind == "parrinello-rahman":
            self.notes.tell(
                "Parrinello-Rahman becomes Martyna-Tobias-Klein with a box of the same mass",
                self.lines["pcoupl"],
            )
        return made

    def _coupling(self, shape: str, values: list[float]) -> tuple[str, float]:
        first, last = values[0], values[-1] if shape == "semiisotropic" else values[0]
        coupling = {"isotropic": "isotropic", "semiisotropic": "semi_isotropic",
                    "anisotropic": "anisotropic"}[shape]  # fmt: skip
        if shape == "semiisotropic" and first == 0.0 and last > 0.0:
            return "uniaxial", last
        if len(set(values[:3])) > 1 or any(values[3:]) or not first > 0.0:
            self._fail(
                "compressibility", "expected equal compressibilities above 0 along all axes, and 0 of "
                "angles of the box",
            )  # fmt: skip
        return coupling, first

    def _interaction(self, has_barostat: bool) -> dict[str, Any]:
        kind = self._choice("vdwtype", "cut-off", ("cut-off", "switch", "shift"))
        modifier = self._choice("vdw_modifier", "potential-shift", tuple(_VDW_MODIFIERS))
        truncation = _VDW_MODIFIERS[modifier]
        if kind != "cut-off":
            truncation = "quintic_switched" if kind == "switch" else "cubic_force_switched"
        cutoff = self._number("rvdw", 1.0)
        begin = self._number("rvdw_switch", 0.0)
        if not cutoff > 0.0:
            self._fail("rvdw", f"rvdw is {cutoff:g}; expected a length above 0")
        correction = self._choice(
            "dispcorr", "no", ("no", "ener", "enerpres", "allener", "allenerpres")
        )
        interaction: dict[str, Any] = {"cutoff": cutoff, "truncation": truncation}
        if truncation in _SWITCHED:
            if not 0.0 < begin < cutoff:
                keys = [
                    key for key in ("rvdw_switch", "vdw_modifier", "vdwtype") if key in self.lines
                ]
                self._fail(keys[0], f"rvdw-switch is {begin:g}; expected a length below rvdw")
            interaction["switch_start"] = begin
        if correction == "no":
            return interaction
        line = self.lines.get("dispcorr")
        if not correction.endswith("pres"):
            if has_barostat:
                self._fail("dispcorr", "a correction of the energy alone does not go with a barostat: "
                                       "Sterna corrects the pressure, too; expected EnerPres")  # fmt: skip
            self.notes.tell("the tail correction is one of the pressure, too", line)
        self.notes.tell("GROMACS takes the mean of C6 for the tail correction over all pairs but "
                        "excluded ones, Sterna over all: in small systems the corrections differ", line)  # fmt: skip
        if truncation == "shifted":
            interaction["truncation"] = "truncated"
            self.notes.tell("with a tail correction pairs are cut off without a shift: energies differ "
                            "from those of GROMACS by a constant, forces and pressure do not", line)  # fmt: skip
        interaction["tail_correction"] = "homogeneous"
        return interaction

    def _electrostatics(self, cutoff_of_pairs: float) -> dict[str, Any]:
        """Source: `calc_rffac` and `init_interaction_const` of GROMACS, and its results."""
        kind = _COULOMB[self._choice("coulombtype", "cut-off", tuple(_COULOMB))]
        cutoff = self._number("rcoulomb", 1.0)
        if not cutoff > 0.0:
            self._fail("rcoulomb", f"rcoulomb is {cutoff:g}; expected a length above 0")
        permittivity = self._permittivity("epsilon_r", 1.0)
        beyond = self._permittivity("epsilon_rf", 0.0)
        self._words("coulomb_modifier")
        made: dict[str, Any] = {"kind": kind}
        if permittivity != 1.0:
            made["permittivity"] = permittivity
        if kind == "fmm":
            return made | {"accuracy": 1e-4}
        # A reaction field has its own shift, whatever the modifier says.
        modifiers = ("potential-shift", "potential-shift-verlet", "none")
        modifier = self._choice("coulomb_modifier", "potential-shift", modifiers)
        if cutoff != cutoff_of_pairs:
            made["cutoff"] = cutoff
        if kind == "cutoff" and modifier == "none":
            made["truncation"] = "truncated"
        if kind == "reaction_field" and beyond > 0.0:
            made["reaction_field_permittivity"] = beyond
        return made

    def _permittivity(self, key: str, preset: float) -> float:
        value = self._number(key, preset)
        if not value > 0.0 and value != preset:
            self._fail(key, f"{key.replace('_', '-')} is {value:g}; expected a number above 0")
        return value

    def _reference_scaling(self, has_barostat: bool) -> str | None:
        found = self._choice("refcoord_scaling", "no", tuple(_REFCOORD))
        return _REFCOORD[found] if has_barostat else None

    def _frozen(self, has_barostat: bool) -> NamedGroups | None:
        names, axes = self._words("freezegrps"), self._words("freezedim")
        if len(axes) != 3 * len(names) or any(word[0].upper() not in "YN" for word in axes):
            self._fail("freezedim" if axes else "freezegrps",
                       "expected Y or N for three axes of each group of freezegrps")  # fmt: skip
        if not names:
            return None
        if any(word[0].upper() == "N" for word in axes):
            self._fail("freezedim", "atoms that are frozen along some axes are not taken over; expected "
                                    "Y Y Y")  # fmt: skip
        if has_barostat:
            self._fail("freezegrps", "frozen atoms do not go with a barostat: Sterna would move them with "
                                     "the box")  # fmt: skip
        return NamedGroups(tuple(names), self.lines["freezegrps"])

    def _add_field(self, further: dict[str, Any]) -> None:
        """A constant electric field, in V/nm."""
        strengths = []
        for axis in "xyz":
            key = f"electric_field_{axis}"
            values = self._numbers(key)
            if len(values) not in (0, 4):
                self._fail(key, f"electric-field-{axis} has {len(values)} numbers; expected four: E0, "
                                "omega, t0 and sigma")  # fmt: skip
            if values and values[0] != 0.0 and (values[1] != 0.0 or values[3] != 0.0):
                self._fail(key, "a field that changes with time is not taken over; expected omega and "
                                "sigma of 0")  # fmt: skip
            if values and values[0] != 0.0 and self._number("epsilon_r", 1.0) != 1.0:
                self._fail(key, "an electric field beside epsilon-r is not taken over")
            strengths.append(values[0] if values else 0.0)
        if any(strengths):
            further["field"] = [{"electric_field": strengths}]

    def _look_at_others(self) -> None:
        """Raises SternaError for settings of features that Sterna lacks."""
        technical = []
        for key, line in self.lines.items():
            if key in self.asked:
                continue
            text = " ".join(self.values[key]).lower()
            if key in _NEUTRAL:
                is_neutral = (
                    text in _NEUTRAL[key]
                    or _is_number(text, _NEUTRAL[key])
                    or all(word in _NEUTRAL[key] for word in text.split())
                )
                if not is_neutral and text:
                    line.fail(None, f"{key.replace('_', '-')} is not taken over; take it out")
            elif key in _TECHNICAL or (
                key.startswith(_PARTS)
                and (key in free_energy.KEYS or not key.startswith(free_energy.PREFIXES))
            ):
                self._check_technical(key)
                technical.append(key.replace("_", "-"))
            else:
                known = [*_NEUTRAL, *_TECHNICAL, *free_energy.KEYS, *self.asked]
                near = difflib.get_close_matches(key, known, 1)
                hint = f'; did you mean "{near[0].replace("_", "-")}"?' if near else ""
                line.fail(0, f"{key.replace('_', '-')} is not known, or not taken over{hint}")
        if technical:
            self.notes.tell(f"{self.path} has keys that have no counterpart, as Sterna has its own "
                            f"output, lists and solvers: {', '.join(technical)}")  # fmt: skip

    def _require_cutoffs(self, of_pairs: float) -> None:
        """Raises SternaError where the cutoff of charges does not go with that of pairs in GROMACS."""
        of_charges = self._number("rcoulomb", 1.0)
        kind = "".join(self._words("coulombtype")).lower()
        has_ewald = re.sub("[-_]", "", kind) in ("pme", "ewald", "p3mad")
        if of_charges == of_pairs or (has_ewald and of_charges > of_pairs):
            return
        key = "rcoulomb" if "rcoulomb" in self.lines else "rvdw"
        self._fail(
            key, f"rcoulomb is {of_charges:g} and rvdw {of_pairs:g}; GROMACS has equal ones, or a longer "
            "rcoulomb with PME",
        )  # fmt: skip

    def _check_technical(self, key: str) -> None:
        """Raises SternaError at a value that GROMACS refuses."""
        if key in _CHOICES:
            self._choice(key, _CHOICES[key][0], _CHOICES[key])
        elif key in _INTEGERS:
            least = _INTEGERS[key]
            if self._integer(key, max(least, 1)) < least:
                self._fail(key, f"{key.replace('_', '-')} is below {least}, which GROMACS refuses")
        elif key in _NUMBERS:
            self._number(key, 0.0)
            if key == "verlet_buffer_tolerance" and self._numbers(key) == [0.0]:
                self._fail(key, "a tolerance of 0 is refused by GROMACS")


def _is_number(text: str, neutral: tuple[str, ...]) -> bool:
    """Whether all its numbers are the neutral one: 0.0 for 0."""
    for one in neutral:
        try:
            if text and all(float(word) == float(one) for word in text.split()):
                return True
        except ValueError:
            continue
    return False
