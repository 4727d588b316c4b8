"""What a configuration file of NAMD asks for, as sections of an input.

Source: NAMD 3.0 user's guide and `SimParameters.C` for presets. A line is a key and its value; `set`
makes variables of Tcl, and `minimize` and `run` are commands. Other commands of Tcl are refused. Each
key is taken over, or told, or refused by its name: none that would change the physics is passed over.
"""

import difflib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy

from sterna.errors import SternaError
from sterna.importing.box_interval import box_interval
from sterna.importing.lennard_jones import tidy
from sterna.importing.notes import Notes
from sterna.importing.output_intervals import fit_output
from sterna.importing.text import Line, read_text

_ANGSTROM = 0.1  #: nm
_FEMTOSECOND = 1e-3  #: ps
_VELOCITY = 20.45482706  #: unit of velocities in binary files, in angstroms per ps

#: Keys of output, lists, meshes, solvers and processors, for which Sterna has its own ways.
_TECHNICAL = set(
    [
        "outputname",
        "dcdfile",
        "dcdunitcell",
        "xstfile",
        "xstfreq",
        "restartname",
        "restartfreq",
        "restartsave",
        "binaryoutput",
        "binaryrestart",
        "veldcdfile",
        "veldcdfreq",
        "forcedcdfile",
        "forcedcdfreq",
        "outputmomenta",
        "outputpressure",
        "outputtiming",
        "outputenergiesprecision",
        "mergecrossterms",
        "wrapall",
        "wrapwater",
        "wrapnearest",
        "pairlistdist",
        "stepspercycle",
        "pairlistspercycle",
        "pairlistshrink",
        "pairlistgrow",
        "pairlisttrigger",
        "margin",
        "splitpatch",
        "hgroupcutoff",
        "outputpairlists",
        "pairlistminprocs",
        "pmetolerance",
        "pmeinterporder",
        "pmegridspacing",
        "pmegridsizex",
        "pmegridsizey",
        "pmegridsizez",
        "pmeprocessors",
        "pmeoffload",
        "pmepencils",
        "ffteestimate",
        "fftwestimate",
        "fftwusewisdom",
        "fftwwisdomfile",
        "rigidtolerance",
        "rigiditerations",
        "rigiddieonerror",
        "usesettle",
        "firsttimestep",
        "commotion",
        "usegrouppressure",
        "ldbalancer",
        "ldbstrategy",
        "ldbperiod",
        "firstldbstep",
        "twoawayx",
        "twoawayy",
        "twoawayz",
        "cudasoaintegrate",
        "gpuresident",
        "usegpu",
        "cellorigin",
        "minbabystep",
        "mintinystep",
        "minlinegoal",
        "minimization",
        "limitdist",
        "langevinpistondecay",
        "langevinhydrogen",
        "computeenergies",
        "bonddcoordinates",
        "shiftimdtoframe",
        "lonepairs",
        "maximummove",
        "ldbunloadpme",
        "noneighbors",
    ]
)

#: Keys for features that Sterna lacks, and the values that ask for none.
_NEUTRAL: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        "extrabonds colvars fixedatoms tclforces tclbc gbis alch drude cosangles sphericalbc "
        "cylindricalbc movingconstraints rotconstraints symmetryrestraints smd tmd efieldon qmforces "
        "fma msm fep freeenergy adapttempmd accelmd accelmdg constantforce consforceon multigrator gopair "
        "gogropair lcpo pairinteraction mgridforce gridforce tcouple loweandersen berendsenpressure "
        "velocityquenching imdon amber gromacs paratypexplor excludefrompressure adaptivetemp "
        "eulermaruyama langevinbaoab constraints monteCarloPressure martiniswitching pressureprofile "
        "plumed miscforces reassignhold fullelectoff".lower().split(),
        ("off",),
    ),
    "paratypecharmm": ("on",), "dielectric": ("1",), "nonbondedscaling": ("1",),
    "rescalefreq": ("0",), "reassignfreq": ("0",), "surfacetensiontarget": ("0",),
    "strainrate": ("0 0 0",), "watermodel": ("tip3",), "mollyiterations": (), "molly": ("off",),
    "usemolly": ("off",), "zeromomentumalt": ("off",),
}  # fmt: skip

#: Begins of keys that only say how something of `_NEUTRAL` is done.
_PARTS = re.compile(
    r"extrabonds.+|colvars.+|fixedatoms.+|tclforces.+|tclbc.+|gbis.+|alch.+|drude.+|spherical.+"
    r"|cylindrical.+|moving.+|rot(axis|pivot|vel).*|symmetry.+|smd.+|tmd.+|efield.+|qm.+|fma.+|msm.+"
    r"|adapttemp.+|accelmd.+|consforce.+|pairinteraction.+|[mg]gridforce.+|gridforce.+|tcouple.+"
    r"|loweandersen.+|berendsenpressure.+|imd.+|cons(ref|k|exp).*|constraintscaling|selectconst.*"
    r"|rescale.+|reassign.+|plumed.+|pressureprofile.+"
)
_TCL = (
    "proc", "if", "else", "elseif", "foreach", "for", "while", "source", "puts", "expr", "print",
    "callback", "exit", "checkpoint", "revert", "rescalevels", "reloadcharges", "measure",
    "output", "coorfile", "startup", "move", "incr", "global", "open", "close", "package",
)  # fmt: skip
#: Settings that a script of NAMD may change behind a command.
_MAY_CHANGE = (
    "timestep", "langevintemp", "langevinpiston", "langevinpistontarget", "langevinpistonperiod",
    "langevinpistondecay", "langevinpistontemp",
)  # fmt: skip
_ON, _OFF = ("on", "yes", "true"), ("off", "no", "false")
_FILES = (
    "structure",
    "parameters",
    "coordinates",
    "bincoordinates",
    "binvelocities",
    "extendedsystem",
)


@dataclass
class Configuration:
    """The settings of the file, in `units = "nano"`."""

    path: Path
    structure: Path | None = None
    parameters: list[Path] = field(default_factory=list)
    coordinates: Path | None = None
    binary_coordinates: Path | None = None
    binary_velocities: Path | None = None
    box: numpy.ndarray | None = None  #: its vectors as rows
    cutoff: float = 0.0
    constraints: str = "none"
    exclude: str = "scaled1-4"
    factor_14: float = 1.0  #: factor of charges of 1-4 pairs
    is_geometric: bool = False
    run: dict[str, Any] = field(default_factory=dict)
    interaction: dict[str, Any] = field(default_factory=dict)
    thermostat: dict[str, Any] = field(default_factory=dict)
    sections: dict[str, Any] = field(default_factory=dict)
    temperature: float | None = None
    has_ewald: bool = False
    line_of_ewald: Line | None = None


def is_namd(path: Path) -> bool:
    """Whether a file names a structure and coordinates, as configurations of NAMD do."""
    if not path.is_file():
        return False
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    found = {line.split()[0].lower() for line in text.splitlines() if line.split()}
    return "structure" in found and not found.isdisjoint(("coordinates", "bincoordinates"))


def read_namd(path: Path, notes: Notes, stage: int | None = None) -> Configuration:
    """`stage`: which of the commands minimize and run, from 0; None: the last one. Raises SternaError
    with line and column."""
    return _Reader(path, notes, stage).read()


def stages_of(path: Path) -> list[str]:
    """Names of the commands minimize and run in a configuration. Raises SternaError."""
    reader = _Reader(path, Notes(), None)
    reader.split()
    return [name for name, _, _ in reader.commands]


@dataclass
class _Value:
    line: Line
    text: str


@dataclass
class _Reader:
    path: Path
    notes: Notes
    stage: int | None  #: the command that nothing is read behind
    values: dict[str, list[_Value]] = field(default_factory=dict)
    commands: list[tuple[str, int, Line]] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    drawn: _Value | None = None  #: reinitvels, since the command before

    def read(self) -> Configuration:
        self.split()
        made = Configuration(self.path)
        self._files(made)
        self._box(made)
        self._interaction(made)
        stage = self._stage()
        minimizes = stage is not None and stage[0] == "minimize"
        self._run(made, stage)
        thermostat, barostat = self._thermostat(), self._barostat()
        if minimizes:
            made.thermostat = {"kind": "none"}
        else:
            made.thermostat = thermostat
            if barostat:
                if thermostat["kind"] == "none":
                    self._fail("langevinpiston", "a constant pressure without a thermostat is not taken "
                                                 "over; expected langevin on")  # fmt: skip
                steps = made.sections.get("multiple_time_steps")
                barostat |= box_interval(barostat, made.run["timestep"], steps)
                made.sections["barostat"] = barostat
        self._velocities(made, minimizes)
        self._redraw(made, minimizes)
        self._look_at_others()
        return made

    # ---- the file

    def split(self) -> None:
        variables: dict[str, str] = {}
        new: set[str] = set()  # keys since the last command
        for number, raw in enumerate(read_text(self.path).split("\n"), 1):
            # NAMD takes a word that begins with # as the begin of a comment.
            for text in re.sub(r"(^|[\s;])#.*$", "", raw.rstrip("\r")).split(";"):
                if not text.strip():
                    continue
                line = Line(self.path, number, raw.rstrip("\r"))
                first = text.split()[0]
                if first.lower() in _TCL or "(" in first or first.startswith("}"):
                    self._refuse_tcl(line, first)
                words = self._words(line, text, variables)
                name = words[0].lower()
                if name == "set":
                    if len(words) != 3:
                        self._refuse_tcl(line, first)
                    variables[words[1]] = words[2]
                    continue
                value = " ".join(words[1:])
                if name in ("run", "minimize"):
                    if self._is_behind():
                        continue
                    self.commands.append((name, self._steps(line, value), line))
                    new = set()
                    if not self._is_behind():
                        self.drawn = None
                    continue
                if name == "reinitvels":
                    if not self._is_behind():
                        self.drawn = _Value(line, value)
                    continue
                if self.commands and name not in _MAY_CHANGE:
                    line.fail(0, f"{words[0]} behind minimize or run: expected one of the settings that "
                                 f"may change between runs: {', '.join(_MAY_CHANGE)}")  # fmt: skip
                if name == "1-4scaling":
                    name = "onefourscaling"
                if name in new and name != "parameters":
                    line.fail(0, f"a second line of {words[0]}, which NAMD refuses")
                new.add(name)
                if self._is_behind():
                    continue
                self.values.setdefault(name, []).append(_Value(line, value))
        folder = self.values.pop("cwd", None)
        self._folder = self.path.parent if folder is None else self.path.parent / folder[0].text

    def _is_behind(self) -> bool:
        """Whether the command of the wanted stage was read."""
        return self.stage is not None and len(self.commands) > self.stage

    def _refuse_tcl(self, line: Line, word: str) -> NoReturn:
        line.fail(
            0, f'the Tcl command "{word}" is not taken over; expected keys and their values, set, '
            "minimize and run",
        )  # fmt: skip

    def _words(self, line: Line, text: str, variables: dict[str, str]) -> list[str]:
        if "[" in text or "\\" in text:
            line.fail(None, "Tcl in brackets or behind a backslash is not taken over; expected a key and "
                            "its value")  # fmt: skip

        def value(match: re.Match) -> str:
            name = match[1] or match[2]
            if name not in variables:
                line.fail(None, f"the variable ${name} is not set before this line")
            return variables[name]

        text = re.sub(r"\$(?:\{(\w+)\}|(\w+))", value, text)
        text = re.sub(r"^(\s*\S+?)\s*=\s*", r"\1 ", text, count=1)
        found = re.findall(r'\{([^{}]*)\}|"([^"]*)"|([^\s{}"]+)', text)
        words = [(braced or quoted or plain).strip() for braced, quoted, plain in found]
        if not words or "{" in re.sub(r"\{[^{}]*\}", "", text):
            line.fail(
                None, "braces over several lines are not taken over; expected a key and its value"
            )
        return words

    def _steps(self, line: Line, text: str) -> int:
        if not re.fullmatch(r"\d{1,15}", text, re.ASCII):
            line.fail(1, f'the number of steps is "{text}"; expected an integer')
        return int(text)

    def _fail(self, key: str, message: str) -> NoReturn:
        if key in self.values:
            self.values[key][-1].line.fail(None, message)
        raise SternaError(f"{self.path}: error: {message}", status=2)

    def _text(self, key: str) -> str | None:
        self.asked.add(key)
        return self.values[key][-1].text if key in self.values else None

    def _number(self, key: str, preset: float | None) -> float:
        text = self._text(key)
        if text is None:
            if preset is None:
                self._fail(key, f"{key} is missing")
            return preset
        try:
            value = float(text) if "_" not in text else numpy.nan
        except ValueError:
            value = numpy.nan
        if not numpy.isfinite(value):
            self._fail(key, f'{key} is "{text}"; expected a number')
        return value

    def _positive(self, key: str, preset: float | None) -> float:
        value = self._number(key, preset)
        if not value > 0.0:
            self._fail(key, f"{key} is {value:g}; expected a number above 0")
        return value

    def _integer(self, key: str, preset: int, least: int) -> int:
        value = self._number(key, float(preset))
        if value != int(value) or value < least:
            self._fail(key, f"{key} is {value:g}; expected an integer of at least {least}")
        return int(value)

    def _is_on(self, key: str, preset: bool) -> bool:
        text = self._text(key)
        if text is None:
            return preset
        if text.lower() not in (*_ON, *_OFF):
            self._fail(key, f'{key} is "{text}"; expected on or off')
        return text.lower() in _ON

    # ---- files and the box

    def _files(self, made: Configuration) -> None:
        found: dict[str, list[Path]] = {}
        for key in _FILES:
            self.asked.add(key)
            for value in self.values.get(key, ()):
                path = self._folder / value.text
                if not path.is_file():
                    value.line.fail(1, f"the file {path} does not exist or is no file")
                found.setdefault(key, []).append(path)
        made.structure = found.get("structure", [None])[0]
        made.parameters = found.get("parameters", [])
        made.coordinates = found.get("coordinates", [None])[0]
        made.binary_coordinates = found.get("bincoordinates", [None])[0]
        made.binary_velocities = found.get("binvelocities", [None])[0]
        if "velocities" in self.values:
            self._fail("velocities", "velocities of a PDB file are not taken over; expected "
                                     "binvelocities or temperature")  # fmt: skip
        if "extendedsystem" in found:
            made.box = _read_xsc(found["extendedsystem"][0])

    def _box(self, made: Configuration) -> None:
        rows = []
        for k in (1, 2, 3):
            text = self._text(f"cellbasisvector{k}")
            if text is None:
                continue
            try:
                row = [float(word) for word in text.split()]
            except ValueError:
                row = []
            if len(row) != 3 or not numpy.isfinite(row).all():
                self._fail(
                    f"cellbasisvector{k}", f"cellBasisVector{k} is no vector; expected x y z"
                )
            rows.append(row)
        if made.box is not None or not rows:
            return
        if len(rows) != 3:
            self._fail("cellbasisvector1", "expected cellBasisVector1 to 3, a box that is periodic")
        box = _ANGSTROM * numpy.array(rows)
        problem = _problem_of(box)
        if problem is not None:
            self._fail("cellbasisvector1", problem)
        made.box = box

    # ---- sections

    def _interaction(self, made: Configuration) -> None:
        cutoff = self._positive("cutoff", None)
        made.cutoff = tidy(_ANGSTROM * cutoff)
        interaction: dict[str, Any] = {"cutoff": made.cutoff, "truncation": "truncated"}
        has_switch = self._is_on("switching", True)
        by_force = self._is_on("vdwforceswitching", False)
        begin = self._number("switchdist", None if has_switch else 0.0)
        if has_switch:
            if not 0.0 < begin < cutoff:
                self._fail("switchdist", f"switchdist is {begin:g}; expected a length below cutoff")
            interaction["truncation"] = "force_switched" if by_force else "switched"
            interaction["switch_start"] = tidy(_ANGSTROM * begin)
        if self._is_on("ljcorrection", False):
            interaction["tail_correction"] = "homogeneous"
        made.interaction = interaction
        made.is_geometric = self._is_on("vdwgeometricsigma", False)
        exclude = (self._text("exclude") or "").lower()
        if exclude not in ("scaled1-4", "1-4", "1-3"):
            self._fail(
                "exclude", f'exclude is "{exclude}"; expected scaled1-4, 1-4 or 1-3'
                if exclude
                else "exclude is missing; expected one such as `exclude scaled1-4`",
            )  # fmt: skip
        made.exclude = exclude
        made.factor_14 = self._number("onefourscaling", 1.0)
        made.has_ewald = self._is_on("pme", False)
        made.line_of_ewald = self.values["pme"][-1].line if "pme" in self.values else None
        bonds = (self._text("rigidbonds") or "none").lower()
        known = {
            "none": "none",
            "off": "none",
            "water": "water",
            "all": "hydrogen",
            "on": "hydrogen",
        }
        if bonds not in known:
            self._fail("rigidbonds", f'rigidBonds is "{bonds}"; expected none, water or all')
        made.constraints = known[bonds]

    def _stage(self) -> tuple[str, int, Line] | None:
        """Returns the last command, or one by numsteps."""
        steps = self._integer("numsteps", 0, 0)
        is_minimization = self._is_on("minimization", False)
        if not self.commands:
            if "numsteps" not in self.values:
                return None
            name = "minimize" if is_minimization else "run"
            return name, steps, self.values["numsteps"][-1].line
        if self.stage is None:
            for name, count, line in self.commands[:-1]:
                self.notes.tell(
                    f"{name} {count} is left out: the last of several is taken over", line
                )
        return self.commands[-1]

    def _run(self, made: Configuration, stage: tuple[str, int, Line] | None) -> None:
        step = _FEMTOSECOND * self._positive("timestep", 1.0)
        steps = 0 if stage is None else stage[1]
        short, long = (
            self._integer("nonbondedfreq", 1, 1),
            self._integer("fullelectfrequency", 0, 0),
        )
        seed = self._integer("seed", 1, 0)
        zero = self._is_on("zeromomentum", False)
        output: dict[str, Any] = {"directory": "output"}
        output["thermo_interval"] = self._integer("outputenergies", 1, 1)
        output["trajectory_interval"] = self._integer("dcdfreq", 0, 0)
        made.sections["output"] = output
        if stage is not None and stage[0] == "minimize":
            made.run = {"steps": steps, "integrator": "minimize"}
            return
        made.run = {"steps": steps, "timestep": tidy(step)}
        if "seed" in self.values:
            made.run["seed"] = seed
        long = long or short
        if long % short:
            self._fail("fullelectfrequency", f"fullElectFrequency is {long}; expected a multiple of "
                                             f"nonbondedFreq, {short}")  # fmt: skip
        if long > 1:
            made.sections["multiple_time_steps"] = {"pairs": short, "far_field": long}
            self.notes.tell("fullElectFrequency is the interval of the far field of charges: what is far "
                            "is another part of them than the reciprocal sum")  # fmt: skip
        fit_output(made.sections, self.notes)
        if zero:
            made.sections["drift_control"] = [{"interval": long, "sample_interval": long}]

    def _thermostat(self) -> dict[str, Any]:
        langevin, rescaling = self._is_on("langevin", False), self._is_on("stochrescale", False)
        target, damping = self._number("langevintemp", 0.0), self._number("langevindamping", 0.0)
        other, period = (
            self._number("stochrescaletemp", 0.0),
            self._number("stochrescaleperiod", 0.0),
        )
        self._text("stochrescalefreq")
        for key in ("langevinfile", "langevincol"):
            if key in self.values:
                self._fail(key, f"{key} is not taken over; expected langevinDamping")
        if langevin and rescaling:
            self._fail("stochrescale", "langevin and stochRescale together are not taken over")
        if not langevin and not rescaling:
            return {"kind": "none"}
        if rescaling:
            if not other > 0.0 or not period > 0.0:
                self._fail(
                    "stochrescale", "expected stochRescaleTemp and stochRescalePeriod above 0"
                )
            kind = "stochastic_velocity_rescaling"
            return {"kind": kind, "temperature": other, "time_constant": period}
        if not target > 0.0 or not damping > 0.0:
            self._fail("langevin", "expected langevinTemp and langevinDamping above 0")
        text = self.values.get("langevinhydrogen")
        if text is not None and text[-1].text.lower() in _OFF:
            self.notes.tell("langevinHydrogen off: here hydrogen atoms have friction and noise, too",
                            text[-1].line)  # fmt: skip
        return {"kind": "langevin", "temperature": target, "time_constant": tidy(1.0 / damping)}

    def _barostat(self) -> dict[str, Any]:
        is_on = self._is_on("langevinpiston", False)
        pressure = self._number("langevinpistontarget", 1.01325 if not is_on else None)
        period = self._number("langevinpistonperiod", 0.0 if not is_on else None)
        temperature = self._number("langevinpistontemp", 0.0 if not is_on else None)
        flexible = self._is_on("useflexiblecell", False)
        ratio, area = self._is_on("useconstantratio", False), self._is_on("useconstantarea", False)
        if not is_on:
            return {}
        if not period > 0.0:
            self._fail(
                "langevinpistonperiod", f"langevinPistonPeriod is {period:g}; expected it above 0"
            )
        bath = self._number("langevintemp", temperature)
        if temperature != bath:
            self._fail("langevinpistontemp", f"langevinPistonTemp is {temperature:g}, and langevinTemp "
                                             f"{bath:g}; expected the same")  # fmt: skip
        made: dict[str, Any] = {
            "kind": "martyna_tobias_klein",
            "pressure": pressure,
            "time_constant": tidy(_FEMTOSECOND * period),
        }
        if area:
            made |= {"coupling": "uniaxial", "axis": "z"}
        elif ratio:
            made |= {"coupling": "semi_isotropic", "axis": "z"}
        elif flexible:
            made["coupling"] = "anisotropic"
        self.notes.tell(
            "the Langevin piston becomes Martyna-Tobias-Klein with langevinPistonPeriod as its period; "
            "a chain of Nose and Hoover is in place of langevinPistonDecay",
            self.values["langevinpiston"][-1].line,
        )
        return made

    def _velocities(self, made: Configuration, minimizes: bool) -> None:
        temperature = self._text("temperature")
        if temperature is not None:
            # Files have units behind the number.
            found = re.fullmatch(r"([-+.\deE]+?)\s*[kK]?", temperature)
            try:
                value = float(found[1]) if found else -1.0
            except ValueError:
                value = -1.0
            if value < 0.0:
                self._fail("temperature", f'temperature is "{temperature}"; expected a number')
            if made.binary_velocities is not None:
                self._fail("temperature", "temperature beside binvelocities, which NAMD refuses")
            made.temperature = value if value > 0.0 and not minimizes else None
        elif made.binary_velocities is None:
            self._fail("temperature", "temperature is missing; expected it, or binvelocities")

    def _redraw(self, made: Configuration, minimizes: bool) -> None:
        """Velocities at the begin of a stage: those of reinitvels; behind another stage none else."""
        if self.drawn is not None:
            try:
                value = float(self.drawn.text)
            except ValueError:
                value = -1.0
            if not value > 0.0:
                self.drawn.line.fail(1, "expected `reinitvels TEMPERATURE`, above 0")
            made.temperature = None if minimizes else value
            made.binary_velocities = None
        elif self.stage:
            made.temperature = None

    def _look_at_others(self) -> None:
        """Raises SternaError for settings of features that Sterna lacks."""
        technical = []
        for key, values in self.values.items():
            if key in self.asked and key not in _NEUTRAL:
                continue
            line, text = values[-1].line, values[-1].text.lower()
            if key in _NEUTRAL:
                if not _is_neutral(text, _NEUTRAL[key]):
                    word = line.text.split()[0]
                    line.fail(None, f"{word} is not taken over; take it out")
            elif key in _TECHNICAL or _PARTS.fullmatch(key):
                technical.append(line.text.split()[0])
            else:
                known = sorted({*_NEUTRAL, *_TECHNICAL, *self.asked})
                near = difflib.get_close_matches(key, known, 1)
                hint = f'; did you mean "{near[0]}"?' if near else ""
                line.fail(0, f"{line.text.split()[0]} is not known, or not taken over{hint}")
        if technical:
            self.notes.tell(f"{self.path} has keys that have no counterpart, as Sterna has its own "
                            f"output, lists and solvers: {', '.join(technical)}")  # fmt: skip


def _is_neutral(text: str, neutral: tuple[str, ...]) -> bool:
    for value in neutral:
        if text == value or (value in _ON and text in _ON) or (value in _OFF and text in _OFF):
            return True
        try:
            if [float(word) for word in text.split()] == [float(word) for word in value.split()]:
                return True
        except ValueError:
            continue
    return False


def _problem_of(box: numpy.ndarray) -> str | None:
    above = [box[0, 1], box[0, 2], box[1, 2]]
    if any(abs(value) > 1e-9 for value in above):
        return "expected vectors of the box as x 0 0, y y 0 and z z z"
    if not all(box[k, k] > 0.0 for k in range(3)):
        return "the box has no volume; expected positive edges"
    return None


def _read_xsc(path: Path) -> numpy.ndarray:
    """The box of a file of NAMD: the step, three vectors and the origin."""
    lines = [
        Line(path, n, t)
        for n, t in enumerate(read_text(path).splitlines(), 1)
        if t.strip() and not t.lstrip().startswith("#")
    ]
    if not lines:
        raise SternaError(f"{path}: error: expected the step and three vectors of a box", status=2)
    fields = lines[-1].text.split()
    values = [lines[-1].number_at(fields, k, "a number of the box") for k in range(1, 10)]
    box = _ANGSTROM * numpy.array(values).reshape(3, 3)
    problem = _problem_of(box)
    if problem is not None:
        lines[-1].fail(None, problem)
    return box


def read_binary(path: Path, atoms: int, what: str) -> numpy.ndarray:
    """Coordinates in nm or velocities in nm/ps, (atoms, 3): their number and doubles in either order."""
    data = path.read_bytes()
    for order in "<>":
        if len(data) >= 4 and int(numpy.frombuffer(data, f"{order}i4", 1)[0]) == atoms:
            break
    else:
        raise SternaError(f"{path}: error: it has another number of atoms than {atoms}", status=2)
    if len(data) != 4 + 24 * atoms:
        raise SternaError(
            f"{path}: error: it has {len(data)} bytes; expected {4 + 24 * atoms} of {atoms} atoms",
            status=2,
        )
    found = numpy.frombuffer(data, f"{order}f8", 3 * atoms, 4).astype(float).reshape(-1, 3)
    if not numpy.isfinite(found).all():
        raise SternaError(f"{path}: error: {what} are not finite", status=2)
    return _ANGSTROM * (_VELOCITY if what == "velocities" else 1.0) * found
