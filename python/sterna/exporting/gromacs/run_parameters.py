"""The run parameters of GROMACS, `.mdp`: cutoffs, charges, thermostat, barostat, constraints.

Source: GROMACS manual, "Molecular dynamics parameters (.mdp options)". What changes energies and is
not there in GROMACS is refused by its name; of what moves the atoms a note is left.
"""

from dataclasses import dataclass, field
from typing import Any

from sterna.exporting.gromacs.refusal import refuse, refuse_other_keys
from sterna.exporting.model import notes_on_sections
from sterna.exporting.quantities import FORCE, LENGTH, Quantities
from sterna.support.box_mass import period_ratio

_MINIMIZERS = {"minimize": "steep", "lbfgs": "l-bfgs"}
_IN_TIME = ("velocity_verlet", "baoab")
_ENDINGS = {
    "truncated": "None",
    "shifted": "Potential-shift",
    "quintic_switched": "Potential-switch",
    "cubic_force_switched": "Force-switch",
}
_INTERACTION = {
    "potential", "cutoff", "truncation", "switch_start", "mixing", "tail_correction", "tail_normal",
    "tail_slabs", "kernel", "molecular_cutoff", "lennard_jones_cutoff", "electrostatics",
    "reaction_field_epsilon", "shift_unlike_components",
}  # fmt: skip
_ELECTROSTATICS = {
    "kind", "accuracy", "order", "levels", "tree", "precision", "smoothing", "surroundings",
    "permittivity",
}  # fmt: skip
_CUTOFF_CHARGES = {
    "kind", "cutoff", "truncation", "permittivity", "reaction_field_permittivity",
}  # fmt: skip
#: Sections whose forces GROMACS does not have.
_REFUSED = ("wall", "field", "freeze")
#: Sections that act on the motion, and are left out.
_LEFT_OUT = ("limit", "alignment")
_FINE = 1e-5  #: accuracy from which on the mesh is finer than GROMACS's usual one
_COUPLINGS = {"isotropic": "isotropic", "semi_isotropic": "semiisotropic",
              "uniaxial": "semiisotropic", "anisotropic": "anisotropic"}  # fmt: skip
_WATER = 4.5e-5  #: 1/bar, which sets the period of a box without a bulk modulus


@dataclass
class RunParameters:
    """The file as `text`, and `notes` on settings that it lacks."""

    sections: dict[str, Any]
    quantities: Quantities
    has_velocities: bool
    has_sites: bool  #: whether rigid molecules have several sites
    constraint_algorithm: str
    reference_scaling: str | None  #: None without position restraints
    volume: float  #: nm^3
    degrees_of_freedom: int
    notes: list[str] = field(default_factory=list)

    def text(self, title: str) -> str:
        """Raises SternaError, by name, for features that GROMACS lacks."""
        for name in _REFUSED:
            if name in self.sections:
                refuse(f"[[{name}]]")
        self.notes += notes_on_sections(self.sections, _LEFT_OUT)
        coupling = self._temperature()
        keys = (
            self._motion() | self._pairs() | self._charges() | coupling | self._pressure(coupling)
        )
        keys |= {"constraints": "none", "constraint-algorithm": self.constraint_algorithm}
        if self.reference_scaling is not None:
            keys["refcoord-scaling"] = self.reference_scaling
        keys |= self._velocities()
        lines = [f"; {title}, written by sterna export"]
        lines += [f"; {note}" for note in self.notes]
        lines += [f"{key:24} = {value}" for key, value in keys.items()]
        return "\n".join(lines) + "\n"

    def _section(self, name: str) -> dict[str, Any]:
        found = self.sections.get(name, {})
        if isinstance(found, list):
            if len(found) > 1:
                self.notes.append(f"of {len(found)} [[{name}]]s the first one is taken")
            return found[0]
        return found

    def _minimizes(self) -> bool:
        return self.sections.get("run", {}).get("integrator") in _MINIMIZERS

    def _motion(self) -> dict[str, Any]:
        run = self.sections.get("run", {})
        steps = int(run.get("steps", 0))
        if self._minimizes():
            limits = self._section("minimize")
            tolerance = self.quantities.number(limits.get("force_tolerance", 0.0), FORCE)
            keys: dict[str, Any] = {
                "integrator": _MINIMIZERS[run["integrator"]],
                "nsteps": steps,
                "emtol": repr(tolerance),
            }
            if "maximum_displacement" in limits:
                longest = self.quantities.number(limits["maximum_displacement"], LENGTH)
                keys["emstep"] = repr(longest)
            return keys
        if "multiple_time_steps" in self.sections:
            self.notes.append("[multiple_time_steps] is left out: all forces act in every step")
        if run.get("integrator", "velocity_verlet") not in _IN_TIME:
            refuse(f"[run] integrator = {run['integrator']!r}")
        if run.get("integrator") == "baoab":
            self.notes.append('in GROMACS thermostats act elsewhere in a step than with "baoab"')
        kind = self._section("thermostat").get("kind", "none")
        barostat = self._section("barostat").get("kind", "none")
        # Leap-frog, which all barostats of GROMACS go with, has velocities half a step before.
        integrator = "md-vv" if barostat == "none" else "md"
        keys = {
            "integrator": "sd" if kind == "langevin" else integrator,
            "dt": repr(self.quantities.picoseconds(run.get("timestep", 0.001))),
            "nsteps": steps,
            "ld-seed": int(run.get("seed", 1)) % 2**31,
        }
        drift = self._section("drift_control")
        if drift:
            keys |= {"comm-mode": "linear", "nstcomm": int(drift.get("interval", 100))}
            self._left_out("drift_control", drift, {"interval", "sample_interval"})
        else:
            keys["comm-mode"] = "none"
        return keys

    def _left_out(self, name: str, table: dict[str, Any], known: set[str]) -> None:
        others = [key for key in table if key not in known]
        if others:
            self.notes.append(f"[{name}] acts without {', '.join(others)}")

    def _pairs(self) -> dict[str, Any]:
        given = self.sections["interaction"]
        refuse_other_keys("[interaction]", given, _INTERACTION)
        if given.get("potential", "lennard_jones") != "lennard_jones":
            refuse(f"[interaction] potential = {given['potential']!r}")
        if self.has_sites and given.get("molecular_cutoff") != "site":
            refuse(
                "[interaction] molecular_cutoff = 'center_of_mass' of molecules with several sites"
            )
        cutoff = self.quantities.number(given["cutoff"], LENGTH)
        if "lennard_jones_cutoff" in given and (
            self.quantities.number(given["lennard_jones_cutoff"], LENGTH) != cutoff
        ):
            refuse("[interaction] lennard_jones_cutoff other than cutoff")
        if given.get("shift_unlike_components"):
            refuse("[interaction] shift_unlike_components = true")
        ending = given.get("truncation", "shifted")
        if ending not in _ENDINGS:
            refuse(f"[interaction] truncation = {ending!r}")
        correction = given.get("tail_correction", "none")
        if correction == "planar":
            refuse("[interaction] tail_correction = 'planar'")
        keys = {
            "cutoff-scheme": "Verlet",
            "rlist": repr(cutoff),
            "vdwtype": "Cut-off",
            "vdw-modifier": _ENDINGS[ending],
            "rvdw": repr(cutoff),
            "DispCorr": "AllEnerPres" if correction in (True, "homogeneous") else "no",
        }
        if "switch_start" in given:
            keys["rvdw-switch"] = repr(self.quantities.number(given["switch_start"], LENGTH))
        return keys

    def _charges(self) -> dict[str, Any]:
        cutoff = repr(self.quantities.number(self.sections["interaction"]["cutoff"], LENGTH))
        given = self._section("electrostatics")
        if given.get("kind", "none") == "none":
            return {"coulombtype": "Cut-off", "rcoulomb": cutoff}
        if given["kind"] in ("reaction_field", "cutoff"):
            return self._cutoff_charges(given)
        refuse_other_keys("[electrostatics]", given, _ELECTROSTATICS)
        if given["kind"] not in ("fmm", "ewald"):
            refuse(f"[electrostatics] kind = {given['kind']!r}")
        surroundings = given.get("surroundings", "conductor")
        if surroundings == "open":
            refuse("[electrostatics] surroundings = 'open'")
        is_fine = float(given.get("accuracy", 1e-4)) < _FINE
        keys = {
            "coulombtype": "PME",
            "coulomb-modifier": "None",
            "rcoulomb": cutoff,
            "fourierspacing": 0.05 if is_fine else 0.12,
            "pme-order": 8 if is_fine else 4,
            "ewald-rtol": 1e-8 if is_fine else 1e-5,
        }
        if surroundings == "vacuum":
            keys["epsilon-surface"] = 1
        return keys | _permittivity(given)

    def _cutoff_charges(self, given: dict[str, Any]) -> dict[str, Any]:
        refuse_other_keys("[electrostatics]", given, _CUTOFF_CHARGES)
        of_pairs = self.quantities.number(self.sections["interaction"]["cutoff"], LENGTH)
        cutoff = self.quantities.number(given["cutoff"], LENGTH) if "cutoff" in given else of_pairs
        if cutoff != of_pairs:
            refuse("[electrostatics] cutoff other than that of [interaction]")
        keys = {"rcoulomb": repr(cutoff)} | _permittivity(given)
        if given["kind"] == "cutoff":
            truncation = given.get("truncation", "shifted")
            if truncation not in ("shifted", "truncated"):
                refuse(f"[electrostatics] truncation = {truncation!r}")
            is_shifted = truncation == "shifted"
            modifier = "Potential-shift" if is_shifted else "None"
            return keys | {"coulombtype": "Cut-off", "coulomb-modifier": modifier}
        beyond = float(given.get("reaction_field_permittivity", 0.0))
        return keys | {"coulombtype": "Reaction-Field", "epsilon-rf": beyond}

    def _temperature(self) -> dict[str, Any]:
        given = self._section("thermostat")
        kind = given.get("kind", "none")
        known = {"stochastic_velocity_rescaling": "v-rescale", "nose_hoover_chain": "nose-hoover",
                 "langevin": "no"}  # fmt: skip
        if kind == "none" or self._minimizes():
            return {"tcoupl": "no"}
        if kind not in known:
            self.notes.append(f"[thermostat] kind = {kind!r} is left out: GROMACS has none, or none "
                              "that is exported")  # fmt: skip
            return {"tcoupl": "no"}
        self._left_out("thermostat", given, {"kind", "temperature", "time_constant"})
        return {
            "tcoupl": known[kind],
            "tc-grps": "System",
            "tau-t": repr(self.quantities.picoseconds(given["time_constant"])),
            "ref-t": repr(self.quantities.kelvin(given["temperature"])),
        }

    def _pressure(self, coupling: dict[str, Any]) -> dict[str, Any]:
        given = self._section("barostat")
        kind = given.get("kind", "none")
        if kind == "none" or self._minimizes():
            return {"pcoupl": "no"}
        shape = given.get("coupling", "isotropic")
        if shape not in _COUPLINGS or given.get("axis", "z") != "z" or "tc-grps" not in coupling:
            self.notes.append(f"[barostat] coupling = {shape!r} is left out: GROMACS has boxes that "
                              "differ along z only, with a thermostat")  # fmt: skip
            return {"pcoupl": "no"}
        compressibility = _WATER
        time = self.quantities.picoseconds(given["time_constant"])
        if kind == "martyna_tobias_klein":
            self.notes.append("[barostat] Martyna-Tobias-Klein becomes Parrinello-Rahman with a box of "
                              "the same mass")  # fmt: skip
            temperature = self.quantities.kelvin(self._section("thermostat")["temperature"])
            time /= period_ratio(
                "parrinello-rahman", _WATER, self.volume, self.degrees_of_freedom, temperature
            )
        else:
            compressibility = 1.0 / self.quantities.bar(given["bulk_modulus"])
        if kind != "martyna_tobias_klein" and shape == "anisotropic":
            self.notes.append("[barostat] becomes Parrinello-Rahman: not all versions of GROMACS have "
                              "anisotropic cell rescaling")  # fmt: skip
            kind = "martyna_tobias_klein"
        pressure = self.quantities.bar(given["pressure"])
        across = 0.0 if shape == "uniaxial" else compressibility
        values = {
            "isotropic": ([pressure], [compressibility]),
            "semiisotropic": ([pressure] * 2, [across, compressibility]),
            "anisotropic": ([pressure] * 3 + [0.0] * 3, [compressibility] * 3 + [0.0] * 3),
        }[_COUPLINGS[shape]]
        return {
            "pcoupl": "Parrinello-Rahman" if kind == "martyna_tobias_klein" else "C-rescale",
            "pcoupltype": _COUPLINGS[shape],
            "tau-p": repr(time),
            "ref-p": " ".join(map(repr, values[0])),
            "compressibility": " ".join(map(repr, values[1])),
            "nstpcouple": int(given.get("interval", 10)),
        }

    def _velocities(self) -> dict[str, Any]:
        start = self.sections.get("start", {})
        if self.has_velocities or self._minimizes():
            return {"gen-vel": "no", "continuation": "yes"}
        if "temperature" not in start:
            self.notes.append("the frame has no velocities: atoms rest at the start")
            return {"gen-vel": "no"}
        self.notes.append("the frame has no velocities: GROMACS draws those of the start")
        return {"gen-vel": "yes", "gen-temp": repr(self.quantities.kelvin(start["temperature"]))}


def _permittivity(given: dict[str, Any]) -> dict[str, Any]:
    return {"epsilon-r": float(given["permittivity"])} if "permittivity" in given else {}
