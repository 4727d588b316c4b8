"""Inputs and sweeps of the homogeneous phases of `sterna vle`, of pure fluids and mixtures."""

import json
import math
import tomllib
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy

from sterna.building.new import Fluid, bulk_input
from sterna.errors import SternaError
from sterna.fluids.pair_model import CM3_MOL_PER_NM3, KJ_PER_BAR_CM3
from sterna.support.constants import KJ_MOL_PER_K
from sterna.support.files import replace_text
from sterna.support.toml_text import toml_text
from sterna.sweeps.sweep import Sweep

_COMPRESSIBILITY_FACTOR = 0.29  #: at critical points, of simple fluids
_SLOPE = 5.4  #: of ln p by Tc/T, Guggenheim's
_MODULUS = 60.0  #: of a liquid, in critical pressures, roughly
_HOT = 1.6  #: critical temperatures, at which any crystal of a liquid's density melts
_MELT = 2500  #: steps of that
_INTERVAL = 20  #: steps between two samples of insertions
_FAR = 0.15  #: how far a vapor may be from its liquid's, relative; beyond it another one is run
_FEW = 0.02  #: a share in the vapor below which its density may be off
_ROUNDS = 3
#: The state of a vapor that has become a liquid.
CONDENSED = "no vapor: it has condensed"


class PhaseRuns:
    """Runs of one phase in each box, with test molecules, in a folder.

    `sizes`: molecules, steps, equilibration, insertions, replicas, seed. A study has `liquids`, and
    says which vapors they need, by names of states.
    """

    liquids: Sweep
    _memory_file = "vapor-densities.json"
    _memory_prefix = ""  #: of the names of states in it
    _kinds = 1  #: of molecules

    def __init__(self, fluid: Fluid, folder: Path, sizes: Sequence[int]) -> None:
        self.fluid = fluid
        self.folder = folder
        self._sizes = tuple(sizes)
        self._gas = 1.0 if fluid.reduced else KJ_MOL_PER_K
        self._unit = 1.0 if fluid.reduced else KJ_PER_BAR_CM3
        self._volume = 1.0 if fluid.reduced else CM3_MOL_PER_NM3

    def _near_vapors(self) -> dict[str, list[float]]:
        """About the densities of the components in each vapor that needs a run."""
        raise NotImplementedError

    def _vapors(self, densities: Mapping[str, Sequence[float]]) -> Sweep | None:
        """The runs of vapors at these densities; None without any."""
        raise NotImplementedError

    def _met_vapors(self) -> dict[str, Sequence[float] | None]:
        """The densities at which vapors meet their liquids; None of those that have condensed."""
        raise NotImplementedError

    def run(self, tell: Callable[[str], None], cores: int | None) -> None:
        """Runs what is missing."""
        tell("liquids")
        self.liquids.run(tell, cores)
        for left in reversed(range(_ROUNDS)):
            near = self._near_vapors()
            wanted = near | self._kept(near)
            self._remember(wanted)
            vapors = self._vapors(wanted)
            if vapors is None:
                return
            tell("vapors")
            if not vapors.run(tell, cores) or left == 0:
                return
            moved = self._moved()
            if not moved:
                return
            self._remember(moved)

    def _moved(self) -> dict[str, list[float]]:
        """Other densities of the vapors that have condensed or are far from their liquids'."""
        kept, moved = self._kept(self._near_vapors()), {}
        for name, met in self._met_vapors().items():
            if name not in kept:
                continue
            before = numpy.array(kept[name])
            if met is None:
                moved[name] = [float(x) for x in 0.5 * before]
                continue
            after = numpy.array(met)
            is_there = after > _FEW * after.sum()
            if (abs(after - before) > _FAR * before)[is_there].any():
                moved[name] = [float(x) for x in after]
        return moved

    # Densities of vapors are results of the liquids, which more steps change a little. Vapors that
    # have run are kept where they are near.

    @property
    def _memory(self) -> Path:
        return self.folder / self._memory_file

    def _kept(self, near: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
        """The densities at which these vapors have run, or are to run."""
        found = self._remembered()
        keys = {name: self._memory_prefix + name for name in near}
        return {name: found[key] for name, key in keys.items() if key in found}

    def _remembered(self) -> dict[str, list[float]]:
        try:
            found = json.loads(self._memory.read_text(encoding="utf-8"))
            read = {
                str(key): [float(x) for x in numpy.atleast_1d(value)]
                for key, value in found.items()
            }
        except (OSError, ValueError, AttributeError, TypeError):
            return {}
        return {
            key: values
            for key, values in read.items()
            if len(values) == self._kinds and 0.0 < sum(values) < math.inf and min(values) >= 0.0
        }

    def _remember(self, densities: Mapping[str, Sequence[float]]) -> None:
        known = {self._memory_prefix + name: list(values) for name, values in densities.items()}
        try:
            replace_text(self._memory, json.dumps(self._remembered() | known, indent=1) + "\n")
        except OSError as error:
            raise SternaError(f"{self._memory}: cannot be written: {error.strerror}") from error

    def _bulk(self, t: float, purpose: str) -> dict:
        """The sections of a homogeneous fluid."""
        return tomllib.loads(bulk_input(self.fluid, "start", t, purpose))

    def _near_pressure(self, t: float) -> float:
        """About the vapor pressure, in bar or reduced."""
        critical = self._critical_pressure()
        return critical * math.exp(_SLOPE * (1.0 - self.fluid.critical_temperature / t))

    def _critical_pressure(self) -> float:
        density = self.fluid.critical_density / self._volume
        heat = self._gas * self.fluid.critical_temperature
        return _COMPRESSIBILITY_FACTOR * density * heat / self._unit

    def _text(self, t: float, density: float) -> dict:
        """What inputs of liquids and vapors share. `density`: a number, or molar in mol/cm^3."""
        molecules, steps, equilibration, insertions, _, seed = self._sizes
        purpose = f"{self.fluid.name}, written by `sterna vle`."
        sections = self._bulk(t, purpose)
        temperature = sections["start"]["temperature"]
        sections["start"] = {
            "kind": "random",
            "particles": molecules,
            "density": self._density(density),
            "temperature": temperature,
        }
        sections["run"] |= {"steps": equilibration, "seed": seed}
        # The mean temperature of a run is as exact as the thermostat is fast.
        sections["thermostat"]["time_constant"] = 0.1 if self.fluid.reduced else "0.1 ps"
        sections["output"]["checkpoint_interval"] = max(1000, min(20_000, steps // 10))
        sections["output"]["thermo_interval"] = max(1, min(100, steps // 20))
        # Random places are near those of a lattice, which minimizing finds: what is cold stays a crystal.
        melt = {
            "name": "melt",
            "run": {"steps": min(_MELT, equilibration)},
            "thermostat": {
                "temperature": self._temperature_text(_HOT * self.fluid.critical_temperature)
            },
        }
        sections["stage"].insert(1, melt)
        last = sections["stage"][-1]
        last["run"]["steps"] = steps
        last["insertion"] = {"interval": _INTERVAL, "insertions": insertions}
        return sections

    def _density(self, density: float) -> str | float:
        return float(f"{density:.8g}") if self.fluid.reduced else f"{1e3 * density:.8g} mol/l"

    def _temperature_text(self, t: float) -> str | float:
        return float(t) if self.fluid.reduced else f"{t:g} K"

    def _seed(self, t: float) -> int:
        """Of the runs at a temperature: with one seed for all, their errors would be alike."""
        return self._seed_of(f"{t:g}")

    def _seed_of(self, name: str) -> int:
        return self._sizes[5] + zlib.crc32(name.encode()) % 1_000_000

    def _pressure_text(self, p: float) -> str | float:
        return float(f"{p:.4g}") if self.fluid.reduced else f"{p:.4g} bar"

    def _write(self, name: str, sections: dict, together: Mapping[str, list]) -> Sweep:
        replicas = self._sizes[4]
        study = {
            "input": f"{name}.toml",
            "directory": f"{name}s",
            "replicas": replicas,
            "together": [dict(together)],
        }
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            replace_text(self.folder / f"{name}.toml", toml_text(sections))
            replace_text(self.folder / f"{name}s.toml", toml_text(study))
        except OSError as error:
            raise SternaError(f"{self.folder}: cannot be written: {error.strerror}") from error
        return Sweep(self.folder / f"{name}s.toml")

    def _liquid(self, t: float, density: float, pressure: float) -> dict:
        """The input of a liquid at constant pressure."""
        sections = self._text(t, density)
        # The box follows slowly enough that the thermostat keeps up. Densities of runs of one length
        # are twice as exact as with a box that diffuses, which is for the way to equilibrium.
        modulus = _MODULUS * self._critical_pressure()
        sections["barostat"] = {
            "kind": "martyna_tobias_klein",
            "pressure": self._pressure_text(pressure),
            "time_constant": 2.0 if self.fluid.reduced else "2 ps",
            "interval": 4,
        }
        sections["stage"][1]["barostat"] = {"kind": "none"}
        sections["stage"][2]["barostat"] = {
            "kind": "stochastic_cell_rescaling",
            "bulk_modulus": self._pressure_text(modulus),
        }
        sections["stage"][-1]["fluctuations"] = {"interval": 10}
        return sections
