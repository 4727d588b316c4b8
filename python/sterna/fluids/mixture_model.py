"""The components of a mixture for `sterna vle`, from names of models or an input file."""

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy

from sterna.building.new import Fluid, bulk_input, find_fluid
from sterna.errors import SternaError
from sterna.fluids.pair_model import PairModel, pair_model
from sterna.launching.models import models

_UNITS = ("reduced", "real")
_OF_LENNARD_JONES = (1.312, 0.316)  #: critical temperature by epsilon, density times sigma^3
_WARMEST = 0.95  #: of a critical temperature, up to which a component has a liquid's density


@dataclass(frozen=True)
class MixtureModel:
    """The sections of an input that say what the molecules are, and what each is like alone."""

    title: str
    fluids: tuple[Fluid, ...]
    sections: dict
    pair: PairModel

    @property
    def names(self) -> list[str]:
        return [fluid.name for fluid in self.fluids]

    @property
    def reduced(self) -> bool:
        return self.fluids[0].reduced

    def key(self, name: str) -> str:
        """The key of a component's share in an input."""
        kind = "type" if any(t["name"] == name for t in self.sections.get("type", [])) else ""
        return f"{kind or 'component'}.{name}.fraction"

    def whole(self) -> Fluid:
        """One fluid in place of all: the hottest critical point, so that any crystal melts."""
        return replace(
            self.fluids[0],
            name=self.title,
            critical_temperature=max(fluid.critical_temperature for fluid in self.fluids),
            critical_density=float(numpy.mean([f.critical_density for f in self.fluids])),
            sigma=max(fluid.sigma for fluid in self.fluids),
        )

    def liquid_density(self, temperature: float, shares: numpy.ndarray) -> float:
        """About the number density of the liquid, as if volumes added up.

        Raises SternaError above the mean critical temperature of the components (Kay's rule).
        """
        critical = shares @ [fluid.critical_temperature for fluid in self.fluids]
        unit = "" if self.reduced else " K"
        if temperature >= critical:
            raise SternaError(
                f"there is no liquid of {self.title} at {temperature:g}{unit}: its critical "
                f"temperature is about {critical:g}{unit}",
                2,
            )
        volumes = [
            1.0 / f.saturated_densities(min(temperature, _WARMEST * f.critical_temperature))[0]
            for f in self.fluids
        ]
        return float(1.0 / (shares @ volumes))


def mixture_model(given: str) -> MixtureModel:
    """The mixture of several names that `sterna models` lists, with commas, or of an input file.

    Raises SternaError where there are no such models, and for inputs of one component.
    """
    path = Path(given)
    if path.suffix == ".xml" or ("/" in given and path.suffix != ".toml"):
        raise SternaError(
            f"{given}: expected names of models with commas, or an input file that ends in .toml; "
            "`sterna convert` makes one of inputs of ls1",
            2,
        )
    pair = pair_model(given)
    if len(pair.names) < 2:
        raise SternaError(
            f"{given} is one fluid; expected two or more, as in argon,methane, or an input file with "
            "several [[type]]s or [[component]]s",
            2,
        )
    if path.suffix == ".toml":
        return _of_input(path, pair)
    fluids = tuple(find_fluid(name) for name in pair.names)
    sections: dict = {}
    for fluid in sorted(fluids, key=lambda one: one.sigma):
        # The cutoff is that of the largest molecules.
        text = bulk_input(fluid, "start", 1.0, "")
        one = tomllib.loads(text)
        interaction = sections.get("interaction", {}) | one["interaction"]
        timestep = min(sections.get("run", one["run"])["timestep"], one["run"]["timestep"])
        kinds = {k: sections.get(k, []) + one.get(k, []) for k in ("type", "component")}
        sections = one | {k: v for k, v in kinds.items() if v}
        sections["interaction"] = interaction
        sections["run"]["timestep"] = timestep
    return MixtureModel("-".join(pair.names), fluids, sections, pair)


def _of_input(path: Path, pair: PairModel) -> MixtureModel:
    """An input that the engine has accepted: its molecules, their interaction and the time step."""
    given = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    units = given.get("units", "reduced")
    if units not in _UNITS:
        raise SternaError(
            f'{path}: units = "{units}": expected one of {", ".join(_UNITS)} for `sterna vle`', 2
        )
    of_one = find_fluid("lennard_jones" if units == "reduced" else "argon")
    sections = tomllib.loads(bulk_input(of_one, "start", 1.0, ""))
    sections.pop("type")
    for name in ("type", "component", "pair", "interaction", "electrostatics"):
        if name in given:
            sections[name] = given[name]
    if given.get("interaction", {}).get("tail_correction") not in ("homogeneous", True):
        raise SternaError(
            f'{path}: [interaction]: expected tail_correction = "homogeneous": second virial '
            "coefficients are those of the whole potential",
            2,
        )
    sections["run"]["timestep"] = given["run"].get("timestep", sections["run"]["timestep"])
    fluids = []
    components = {c["name"]: c for c in given.get("component", [])}
    for molecule in pair.molecules:
        model = components.get(molecule.name, {}).get("model")
        if model in models():
            fluids.append(replace(find_fluid(model), name=molecule.name))
            continue
        if not molecule.is_atom:
            raise SternaError(
                f'{path}: {molecule.name}: its critical point is not known; expected "model", a name '
                "that `sterna models` lists, or a [[type]]",
                2,
            )
        epsilon, sigma = float(molecule.epsilon[0]), float(molecule.sigma[0])
        t, density = _OF_LENNARD_JONES
        fluids.append(
            replace(
                of_one,
                name=molecule.name,
                sigma=sigma,
                spacing=sigma,
                critical_temperature=t * epsilon / pair.boltzmann,
                critical_density=density / sigma**3,
            )
        )
    return MixtureModel(path.stem, tuple(fluids), sections, pair)
