"""A run input of ls1-MarDyn, and beside it its phase space (`.inp`): rigid molecules and atoms.

ls1 has no units: its numbers are in nm, ps, u and kJ/mol, with charges and moments whose Coulomb
constant is 1, or those of a run in reduced units. Source: `ASCIIReader.cpp`, `Component.cpp` and
`Simulation.cpp` of ls1-MarDyn; its rules are in docs/howto/ls1.md.
"""

import itertools
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy

from sterna.errors import SternaError
from sterna.exporting.model import PairParameters, notes_on_sections, require_input_of
from sterna.exporting.quantities import COULOMB, LENGTH, Quantities
from sterna.exporting.table import Export, Format
from sterna.frames.trajectory import TrajectoryFrame
from sterna.support.constants import KJ_MOL_PER_K
from sterna.support.mixing import RULES, Well, mixed_well

_SHIFTS = {"truncated": False, "shifted": True}
_INTERACTION = {
    "potential", "cutoff", "truncation", "mixing", "tail_correction", "tail_normal", "tail_slabs",
    "kernel", "molecular_cutoff", "lennard_jones_cutoff", "electrostatics", "reaction_field_epsilon",
    "shift_unlike_components",
}  # fmt: skip
_REFUSED = ("molecule", "wall", "field", "freeze", "restraint", "barostat")
_LEFT_OUT = ("limit", "alignment", "drift_control", "multiple_time_steps")
_DEFAULT_EXPONENT = 0.4  #: exponent of ls1's scaling of velocities
_NEVER = 1_000_000_000  #: a step
_ALIKE = 1e-14  # relative

_CONFIG = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- {title}, written by sterna export -->
<mardyn version="20100525">
  <simulation type="MD">
    <integrator type="Leapfrog"><timestep unit="reduced">{timestep!r}</timestep></integrator>
    <run><currenttime>0</currenttime><production><steps>{steps}</steps></production></run>
    <ensemble type="{ensemble}">
      <temperature unit="reduced">{temperature!r}</temperature>
      <domain type="box"> <lx>{box[0]!r}</lx> <ly>{box[1]!r}</ly> <lz>{box[2]!r}</lz> </domain>
      <components>
{components}
      </components>
      <phasespacepoint>
        <file type="ASCII">{start}</file>
        <ignoreCheckpointTime>true</ignoreCheckpointTime>
      </phasespacepoint>
    </ensemble>
    <algorithm>
      <parallelisation type="DomainDecomposition"></parallelisation>
      <datastructure type="LinkedCells"><cellsInCutoffRadius>1</cellsInCutoffRadius></datastructure>
      <cutoffs type="CenterOfMass">
        <defaultCutoff unit="reduced">{cutoff!r}</defaultCutoff>
        <radiusLJ unit="reduced">{lj_cutoff!r}</radiusLJ>
      </cutoffs>
      <electrostatic type="ReactionField"><epsilon>{epsilon!r}</epsilon></electrostatic>
{thermostat}
{longrange}
    </algorithm>
    <output>
      <outputplugin name="ResultWriter">
        <writefrequency>{interval}</writefrequency>
        <outputprefix>{prefix}</outputprefix>
      </outputplugin>
    </output>
  </simulation>
</mardyn>
"""

_NO_THERMOSTAT = f"""\
      <thermostats>
        <thermostat type="TemperatureControl">
          <control> <start>{_NEVER}</start> <frequency>1</frequency> <stop>{_NEVER + 1}</stop> </control>
        </thermostat>
      </thermostats>"""

_REGION = """\
      <thermostats>
        <thermostat type="TemperatureControl">
          <control> <start>0</start> <frequency>{interval}</frequency> <stop>{never}</stop> </control>
          <regions>
            <region>
              <coords>
                <lcx>0</lcx> <lcy>0</lcy> <lcz>0</lcz> <ucx>box</ucx> <ucy>box</ucy> <ucz>box</ucz>
              </coords>
              <target> <temperature>{temperature!r}</temperature> <component>0</component> </target>
              <settings>
                <numslabs>{slabs}</numslabs> <exponent>{exponent!r}</exponent>
                <directions>{directions}</directions>
              </settings>
            </region>
          </regions>
        </thermostat>
      </thermostats>"""


def _refuse(what: str) -> NoReturn:
    raise SternaError(f"{what}: ls1-MarDyn has no such thing, or it is not exported", 2)


def _factors_of(well: Well, a: Well, b: Well) -> tuple[float, float]:
    """eta and xi by which Lorentz and Berthelot's rule gives the well of two sites."""
    depth, size = mixed_well("lorentz_berthelot", a, b)
    return well[1] / size, well[0] / depth if depth else 1.0


@dataclass
class _Config:
    sections: dict[str, Any]
    export: Export
    quantities: Quantities
    components: list[dict[str, Any]] = field(default_factory=list)
    #: eta and xi of pairs of components, by their numbers from 1.
    mixing: dict[tuple[int, int], tuple[float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in _REFUSED:
            if name in self.sections:
                _refuse(f"[[{name}]]" if name != "barostat" else "[barostat]")
        self.export.notes += notes_on_sections(self.sections, _LEFT_OUT)
        self.interaction = self.sections["interaction"]
        for key, value in self.interaction.items():
            if key not in _INTERACTION:
                _refuse(f"[interaction] {key} = {value!r}")
        if self.interaction.get("potential", "lennard_jones") != "lennard_jones":
            _refuse(f"[interaction] potential = {self.interaction['potential']!r}")
        ending = self.interaction.get("truncation", "shifted")
        if ending not in _SHIFTS:
            _refuse(f"[interaction] truncation = {ending!r}")
        self.shifts = _SHIFTS[ending]
        electrostatics = self.sections.get("electrostatics", {})
        if electrostatics.get("kind", "none") != "none":
            _refuse(f"[electrostatics] kind = {electrostatics['kind']!r}")
        self.is_reduced = self.export.trajectory.is_reduced
        #: Charges and moments: their Coulomb constant is 1 in ls1.
        self.charge_unit = 1.0 if self.is_reduced else math.sqrt(COULOMB)
        description = self.export.trajectory.description
        if "components" in description:
            if "types" in description:
                _refuse("[[component]]s beside [[type]]s")
            self._of_components(description["components"])
        else:
            self._of_types()
        self._require_same_shifts()

    # ---- components

    def _of_components(self, components: list[dict[str, Any]]) -> None:
        self.components = components
        several = any(len(one["sites"]) > 1 for one in components)
        if several and self.interaction.get("molecular_cutoff", "center_of_mass") == "site":
            _refuse("[interaction] molecular_cutoff = 'site'")
        self._mix_components(components)
        kinds = {site["kind"] for one in components for site in one["sites"]}
        if {"charge", "dipole", "quadrupole"} <= kinds:
            _refuse("charges, dipoles and quadrupoles together: the sign of dipoles")
        # Against charges ls1's dipoles point from the positive to the negative charge.
        self.dipole_sign = -1.0 if {"charge", "dipole"} <= kinds else 1.0

    def _mix_components(self, components: list[dict[str, Any]]) -> None:
        """ls1 has the rule of Lorentz and Berthelot alone, with factors of two unlike components."""
        of_run = self.interaction.get("mixing", RULES[0])
        pairs = {
            frozenset((pair["first"], pair["second"])): pair
            for pair in self.sections.get("pair", [])
        }
        for (i, a), (j, b) in itertools.combinations_with_replacement(enumerate(components, 1), 2):
            pair = pairs.get(frozenset((a["name"], b["name"])), {})
            rule = pair.get("mixing", of_run)
            found = [
                _factors_of(mixed_well(rule, one, other), one, other)
                for one in self._wells(a)
                for other in self._wells(b)
                if one[0] != 0.0 and other[0] != 0.0
            ]
            eta, xi = found[0] if found else (1.0, 1.0)
            is_beside = abs(eta - 1.0) > _ALIKE or abs(xi - 1.0) > _ALIKE
            if (i == j and is_beside) or any(
                abs(one[0] - eta) > _ALIKE or abs(one[1] - xi) > _ALIKE for one in found
            ):
                _refuse(f"mixing = {rule!r} of the unlike sites of {a['name']} and {b['name']}")
            if pair or is_beside:
                self.mixing[i, j] = (
                    eta * float(pair.get("eta", 1.0)),
                    xi * float(pair.get("xi", 1.0)),
                )

    def _wells(self, component: dict[str, Any]) -> list[Well]:
        return [
            (site["epsilon"], site["sigma"]) for site in self._sites(component, "lennard_jones")
        ]

    def _of_types(self) -> None:
        self.dipole_sign = 1.0
        pairs = PairParameters(self.sections, self.quantities)
        for pair in self.sections.get("pair", []):
            if pair.get("potential", "lennard_jones") != "lennard_jones":
                _refuse(f"[[pair]] of {pair['first']} and {pair['second']}: {pair['potential']!r}")
            for key in ("cutoff", "truncation", "switch_start"):
                if key in pair:
                    _refuse(f"[[pair]] of {pair['first']} and {pair['second']}: {key} of its own")
            if pair.get("adds", False):
                _refuse(f"[[pair]] of {pair['first']} and {pair['second']}: a sum of potentials")
        types = self.export.trajectory.description["types"]
        for one in types:
            if one.get("charge", 0.0) != 0.0:
                _refuse(f"[[type]] {one['name']} with a charge outside of a [[component]]")
            epsilon, sigma = pairs.of_type(one["name"])
            site = {"kind": "lennard_jones", "position": [0.0, 0.0, 0.0], "mass": one["mass"],
                    "epsilon": epsilon, "sigma": sigma}  # fmt: skip
            self.components.append({"name": one["name"], "inertia": [0.0] * 3, "sites": [site]})
        for (i, a), (j, b) in itertools.combinations(enumerate(types, 1), 2):
            well = pairs.of_pair(a["name"], b["name"])
            first, second = pairs.of_type(a["name"]), pairs.of_type(b["name"])
            if first[0] * second[0] == 0.0 and well[0] != 0.0:
                _refuse(f"[[pair]] of {a['name']} and {b['name']}, of which one has no epsilon")
            eta, xi = _factors_of(well, first, second)
            if abs(eta - 1.0) > _ALIKE or abs(xi - 1.0) > _ALIKE:
                self.mixing[i, j] = eta, xi

    def _require_same_shifts(self) -> None:
        """ls1 always shifts the potential between unlike components."""
        shifts_unlike = self.shifts or bool(self.interaction.get("shift_unlike_components", False))
        if len(self.components) > 1 and not shifts_unlike:
            _refuse("[interaction] truncation = 'truncated' without shift_unlike_components")

    def _sites(self, component: dict[str, Any], kind: str) -> list[dict[str, Any]]:
        return [site for site in component["sites"] if site["kind"] == kind]

    def _moment(self, site: dict[str, Any]) -> tuple[list[float], float]:
        """Direction and size of a dipole or a quadrupole."""
        sign = self.dipole_sign if site["kind"] == "dipole" else 1.0
        return [sign * x for x in site["axis"]], site["moment"] * self.charge_unit

    def _site_lines(self, site: dict[str, Any], number: int) -> list[str]:
        name = {"lennard_jones": "LJ126", "charge": "Charge", "dipole": "Dipole",
                "quadrupole": "Quadrupole"}[site["kind"]]  # fmt: skip
        lines = [f'          <site type="{name}" id="{number}">',
                 f"            <coords> {_xyz(site['position'])} </coords>"]  # fmt: skip
        if site["kind"] == "lennard_jones":
            shifted = str(self.shifts).lower()
            lines.append(f"            <mass>{site['mass']!r}</mass> <sigma>{site['sigma']!r}</sigma> "
                         f"<epsilon>{site['epsilon']!r}</epsilon> <shifted>{shifted}</shifted>")  # fmt: skip
        elif site["kind"] == "charge":
            charge = site["charge"] * self.charge_unit
            lines.append(f"            <mass>{site['mass']!r}</mass> <charge>{charge!r}</charge>")
        else:
            axis, size = self._moment(site)
            tag = f"{site['kind']}moment"
            lines.append(f"            <{tag}> {_xyz(axis)} <abs>{size!r}</abs> </{tag}>")
        return [*lines, "          </site>"]

    def components_text(self) -> str:
        """Returns the components of the config."""
        lines = []
        for number, component in enumerate(self.components, 1):
            lines.append(f'        <moleculetype id="{number}" name="{_plain(component["name"])}">')
            for n, site in enumerate(component["sites"], 1):
                lines += self._site_lines(site, n)
            moments = zip(("Ixx", "Iyy", "Izz"), component["inertia"], strict=True)
            inner = " ".join(f"<{name}>{value!r}</{name}>" for name, value in moments)
            lines.append(f'          <momentsofinertia rotaxes="xyz"> {inner} </momentsofinertia>')
            lines.append("        </moleculetype>")
        if self.mixing:
            lines.append("        <mixing>")
            lines += [
                f'          <rule type="LB" cid1="{a}" cid2="{b}"> <eta>{eta!r}</eta> <xi>{xi!r}</xi> '
                "</rule>"
                for (a, b), (eta, xi) in sorted(self.mixing.items())
            ]
            lines.append("        </mixing>")
        return "\n".join(lines)

    # ---- the run

    @property
    def epsilon(self) -> float:
        """The permittivity of the reaction field; 1 without one."""
        if self.interaction.get("electrostatics", "truncated") == "truncated":
            return 1.0
        return float(self.interaction.get("reaction_field_epsilon", 1e10))

    def _temperature_of(self, value: Any) -> float:
        return float(value) if self.is_reduced else self.quantities.kelvin(value) * KJ_MOL_PER_K

    def _thermostat(self) -> tuple[str, str, float]:
        """The kind of ensemble, the section, and the temperature."""
        given = self.sections.get("thermostat", {"kind": "none"})
        several = isinstance(given, list)
        first = given[0] if several else given
        start = self.sections.get("start", {}).get("temperature", 0.0)
        temperature = self._temperature_of(first.get("temperature", start))
        if first["kind"] == "none":
            return "NVE", _NO_THERMOSTAT, temperature
        others = {"component", "lower", "upper", "start_step", "stop_step"} & first.keys()
        if first["kind"] != "velocity_scaling" or others or (several and len(given) > 1):
            self.export.notes.append(
                f"[thermostat] kind = {first['kind']!r} is left out: only one velocity_scaling of all "
                "molecules is exported; the energy is kept"
            )
            return "NVE", _NO_THERMOSTAT, temperature
        exponent = float(first.get("exponent", 0.5))
        linearized = first.get("scaling", "power") == "linearized"
        plain = {"kind", "temperature", "exponent", "scaling"}
        if not linearized and exponent == _DEFAULT_EXPONENT and first.keys() <= plain:
            return "NVT", '      <thermostats><thermostat type="VelocityScaling"/></thermostats>', temperature  # fmt: skip
        if not linearized:
            self.export.notes.append("[thermostat] scaling = 'power' becomes ls1's 'linearized'")
        text = _REGION.format(
            interval=int(first.get("interval", 1)), never=_NEVER, temperature=temperature,
            slabs=int(first.get("slabs", 1)), exponent=exponent,
            directions="".join(first.get("directions", ["x", "y", "z"])),
        )  # fmt: skip
        return "NVT", text, temperature

    def _longrange(self) -> str:
        correction = self.interaction.get("tail_correction", "none")
        if correction in (False, "none"):
            return '      <longrange type="none"></longrange>'
        if correction != "planar":
            return '      <longrange type="homogeneous"></longrange>'
        if self.interaction.get("tail_normal", "z") != "y":
            _refuse("[interaction] tail_correction = 'planar' across another axis than y")
        slabs = self.interaction.get("tail_slabs")
        inner = "" if slabs is None else f" <slabs>{int(slabs)}</slabs> "
        return f'      <longrange type="planar">{inner}</longrange>'

    def text(self, title: str, start: str, box: list[float]) -> str:
        """The config."""
        run = self.sections.get("run", {})
        integrator = run.get("integrator", "velocity_verlet")
        if integrator != "velocity_verlet":
            _refuse(f"[run] integrator = {integrator!r}")
        ensemble, thermostat, temperature = self._thermostat()
        self.temperature = temperature
        cutoff = self.quantities.number(self.interaction["cutoff"], LENGTH)
        inner = self.interaction.get("lennard_jones_cutoff", self.interaction["cutoff"])
        return _CONFIG.format(
            title=_plain(title).replace("--", "- -"), start=start, box=box, components=self.components_text(),
            timestep=self.quantities.picoseconds(run.get("timestep", 0.001)),
            steps=int(run.get("steps", 0)), ensemble=ensemble, temperature=temperature, cutoff=cutoff,
            lj_cutoff=self.quantities.number(inner, LENGTH), epsilon=self.epsilon,
            thermostat=thermostat, longrange=self._longrange(), prefix=Path(start).stem,
            interval=int(self.sections.get("output", {}).get("thermo_interval", 100)),
        )  # fmt: skip

    # ---- the phase space

    def phase_space(self, frame: TrajectoryFrame, box: list[float]) -> str:
        """The header has the components, too, as ls1's own checkpoints have."""
        lines = [
            "mardyn trunk 20120726",
            " currentTime\t0",
            f" Length\t{box[0]!r} {box[1]!r} {box[2]!r}",
            f" Temperature\t{self.temperature!r}",
            f" NumberOfComponents\t{len(self.components)}",
        ]
        for component in self.components:
            lines += self._header_lines(component)
        count = len(self.components)
        for pair in itertools.combinations(range(1, count + 1), 2):
            eta, xi = self.mixing.get(pair, (1.0, 1.0))
            lines.append(f"{xi!r} {eta!r}")
        lines += [f"{self.epsilon!r}", f" NumberOfMolecules\t{len(frame.position)}",
                  " MoleculeFormat\tICRVQD"]  # fmt: skip
        trajectory = self.export.trajectory
        edges = numpy.array(box)
        position = frame.position - numpy.floor(frame.position / edges) * edges
        position[position >= edges] = 0.0
        count = len(position)
        none = numpy.zeros((count, 3))
        columns = [
            position,
            none if frame.velocity is None else frame.velocity,
            numpy.tile([1.0, 0.0, 0.0, 0.0], (count, 1)) if frame.orientation is None
            else frame.orientation,
            none if frame.angular_momentum is None else frame.angular_momentum,
        ]  # fmt: skip
        rows = numpy.hstack([column.astype(float) for column in columns]).tolist()
        for number, kind, row in zip(
            trajectory.id.tolist(), trajectory.species.tolist(), rows, strict=True
        ):
            lines.append(f"{number}\t{kind + 1}\t" + " ".join(map(repr, row)))
        return "\n".join(lines) + "\n"

    def _header_lines(self, component: dict[str, Any]) -> list[str]:
        kinds = ("lennard_jones", "charge", "dipole", "quadrupole")
        sites = {kind: self._sites(component, kind) for kind in kinds}
        lines = [" ".join(str(len(sites[kind])) for kind in kinds) + " 0"]
        for site in sites["lennard_jones"]:
            values = [*site["position"], site["mass"], site["epsilon"], site["sigma"]]
            lines.append(" ".join(map(repr, values)) + f" 0 {int(self.shifts)}")
        for site in sites["charge"]:
            values = [*site["position"], site["mass"], site["charge"] * self.charge_unit]
            lines.append(" ".join(map(repr, values)))
        for site in sites["dipole"] + sites["quadrupole"]:
            axis, size = self._moment(site)
            lines.append(" ".join(map(repr, [*site["position"], *axis, size])))
        lines.append(" ".join(map(repr, component["inertia"])))
        return lines


def _plain(name: str) -> str:
    """Returns the name without characters that have a meaning in XML, because ls1 does not read
    entities.
    """
    return "".join("_" if c in "<>&\"'" else c for c in name)


def _xyz(values: list[float]) -> str:
    parts = zip("xyz", values, strict=True)
    return " ".join(f"<{axis}>{value!r}</{axis}>" for axis, value in parts)


def _write(path: Path, export: Export) -> None:
    trajectory = export.trajectory
    if export.chosen is not None or export.centers or not export.force_field:
        raise SternaError(
            "an input of ls1-MarDyn has all molecules and the force field; --select, --centers and "
            "--no-force-field are for other formats",
            2,
        )
    sections, _ = export.given_input or require_input_of(trajectory)
    quantities = Quantities(sections.get("units", "reduced"), "nano", 1.0, 1.0)
    config = _Config(sections, export, quantities)
    (frame,) = export.particle_frames()
    edges = frame.edges
    if (edges - numpy.diag(numpy.diag(edges))).any():
        _refuse("a triclinic box")
    if export.all_atoms.has_sites and frame.orientation is None:
        raise SternaError(
            'the trajectory has no orientations: run with trajectory_fields = ["position", '
            '"velocity", "orientation", "angular_momentum"] in [output]',
            2,
        )
    if frame.velocity is None or (export.all_atoms.has_sites and frame.angular_momentum is None):
        export.notes.append("the frame has no velocities, or no angular momenta: molecules rest")
    box = numpy.diag(edges).tolist()
    title = f"{trajectory.path.stem}, step {frame.step}"
    start = f"{Path(export.name).stem}.inp"
    path.write_text(config.text(title, start, box), encoding="utf-8")
    export.beside[".inp"] = config.phase_space(frame, box)


FORMAT = Format(
    "xml", "ls1-MarDyn's run input, with the phase space (.inp) beside it: rigid molecules", _write,
    single=True, is_system=True,
)  # fmt: skip
