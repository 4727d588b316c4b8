"""`sterna new`: writes an input and a start file.

Slabs, droplets and mixtures of two runs are here, the others in `building`.
"""

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy
import typer

from sterna.building.membrane import membrane_command
from sterna.building.molecule import molecule_command
from sterna.building.pack import pack_command
from sterna.building.polymer import polymer_command
from sterna.building.replicate import replicate
from sterna.building.solvate import solvate
from sterna.errors import SternaError
from sterna.frames.configuration import (
    Configuration,
    fill_block,
    random_orientations,
    read_extended_xyz,
    read_last_frame,
)
from sterna.launching.models import models
from sterna.results.outputs import outputs_of
from sterna.support.edges_option import CommandWithEdges
from sterna.support.files import require_regular
from sterna.support.help_texts import WholeSentences
from sterna.support.mixing import RULES
from sterna.support.names import no_such

app = typer.Typer(
    cls=WholeSentences,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Write input and start files.",
)
app.command(name="molecule", cls=CommandWithEdges)(molecule_command)
app.command(name="polymer")(polymer_command)
app.command(name="pack", cls=CommandWithEdges)(pack_command)
app.command()(replicate)
app.command(cls=CommandWithEdges)(solvate)
app.command("membrane")(membrane_command)

_ANGSTROM_PER_NM = 10.0
_NM3_PER_MOL_L = 0.602214076  # particles per nm^3 at 1 mol/l


@dataclass
class Fluid:
    """The fluid in the box. Lengths in nm, temperatures in K; in reduced units if `reduced`.

    `spacing` is about the diameter of a molecule, `section` what the input says of it.
    """

    name: str
    section: str
    reduced: bool
    turns: bool
    spacing: float
    sigma: float
    timestep: str
    critical_temperature: float
    critical_density: float

    def saturated_densities(self, temperature: float) -> tuple[float, float]:
        """Estimates the densities of liquid and vapor by corresponding states.

        E. A. Guggenheim, J. Chem. Phys. 13, 253 (1945): good to some percent for simple fluids; the
        slab or droplet finds its own. Raises SternaError at and above the critical temperature.
        """
        below = 1.0 - temperature / self.critical_temperature
        unit = "" if self.reduced else " K"
        if below <= 0.0:
            raise SternaError(
                f"there is no liquid at {temperature:g}{unit}: the critical temperature of "
                f"{self.name} is about {self.critical_temperature:g}{unit}",
                status=2,
            )
        middle, half = 1.0 + 0.75 * below, 1.75 * numpy.cbrt(below)
        return (
            self.critical_density * (middle + half),
            self.critical_density * max(0.0, middle - half),
        )


def find_fluid(model: str) -> Fluid:
    """The library's model of this name, or "lennard_jones" in reduced units.

    Raises SternaError with the names that there are.
    """
    if model == "lennard_jones":
        return Fluid(
            name="LJ",
            section='[[type]]\nname = "LJ"\n',
            reduced=True,
            turns=False,
            spacing=1.0,
            sigma=1.0,
            timestep="0.004",
            critical_temperature=1.312,
            critical_density=0.316,
        )
    if model not in models():
        raise SternaError(no_such("model", model, ["lennard_jones", *models()]), status=2)
    entry = models()[model]
    radius = max(numpy.linalg.norm(site["position"]) for site in entry["sites"])
    lightest = min(site["mass"] for site in entry["sites"] if "mass" in site)
    if entry["single_lennard_jones"]:
        site = entry["sites"][0]
        section = (
            f"# {entry['citation']}\n"
            f'[[type]]\nname = "{model}"\nmass = {entry["mass"]:g}\n'
            f'epsilon = "{entry["largest_epsilon"]:.6g} K"\nsigma = "{site["sigma"]:.6g} nm"\n'
        )
    else:
        section = f'[[component]]\nname = "{model}"\nmodel = "{model}"\n'
    return Fluid(
        name=model,
        section=section,
        reduced=False,
        turns=not entry["single_lennard_jones"],
        spacing=entry["largest_sigma"] + radius,
        sigma=entry["largest_sigma"],
        timestep='"1 fs"' if lightest < 2.0 else '"2 fs"',
        critical_temperature=entry["critical_temperature"],
        critical_density=entry["critical_density"],
    )


def _given_or(value: float | None, estimate: float, fluid: Fluid) -> float:
    """A density on the command line is in mol/l, or reduced."""
    if value is None:
        return estimate
    return value if fluid.reduced else value * _NM3_PER_MOL_L


def _input_text(
    fluid: Fluid, name: str, temperature: float, observers: str, purpose: str, correction: str = ""
) -> str:
    """An input of three stages. `observers`: sections of the last one; `correction`: of the cutoff."""
    # Programs that draw extended XYZ take its lengths for angstrom, which "real" means as well.
    units = "reduced" if fluid.reduced else "real"
    length = 4.0 * fluid.sigma if fluid.reduced else 3.5 * fluid.sigma
    cutoff = f"{length:.4g}" if fluid.reduced else f'"{length:.4g} nm"'
    value = f"{temperature:g}" if fluid.reduced else f'"{temperature:g} K"'
    tau = "0.5" if fluid.reduced else '"0.5 ps"'
    molecules = 'electrostatics = "reaction_field"\n' if "[[component]]" in fluid.section else ""
    if molecules and not _is_polar(fluid.name):
        molecules = ""
    return f"""# {purpose}
units = "{units}"

[run]
steps = 20_000
timestep = {fluid.timestep}

[start]
kind = "file"
file = "{name}.extxyz"
temperature = {value}

{fluid.section}
[interaction]
cutoff = {cutoff}
truncation = "truncated"
{correction}{molecules}
[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = {value}
time_constant = {tau}

[output]
thermo_interval = 1000

# The stages of the run, one after the other. Files and averages of each are its own.

[[stage]]
name = "minimize"
[stage.run]
integrator = "minimize"
steps = 500

[[stage]]
name = "equilibrate"

[[stage]]
name = "produce"
[stage.run]
steps = 200_000
{observers}"""


def _is_polar(model: str) -> bool:
    entry = models()[model]
    dipoles = [numpy.zeros(3)]
    for site in entry["sites"]:
        if site["kind"] == "charge":
            dipoles.append(site["charge"] * numpy.array(site["position"]))
        elif site["kind"] == "dipole":
            dipoles.append(site["moment"] * numpy.array(site["axis"]))
    largest = sum(numpy.linalg.norm(dipole) for dipole in dipoles)
    return bool(numpy.linalg.norm(sum(dipoles)) > 1e-9 * largest)


def _write(
    name: str, directory: Path, text: str, configuration: Configuration, unit: str = ""
) -> None:
    """Writes both files; lengths of the configuration are in `unit`."""
    directory.mkdir(parents=True, exist_ok=True)
    start, input_file = directory / f"{name}.extxyz", directory / f"{name}.toml"
    for path in (start, input_file):
        if path.exists():
            raise SternaError(f"{path} is there already; give another --name", status=2)
    configuration.write(start)
    input_file.write_text(text, encoding="utf-8")
    box = " x ".join(f"{edge:.4g}" for edge in configuration.box)
    print(f"{start}: {len(configuration)} particles in a box of {box} {unit}".rstrip())
    print(f"{input_file}: look at it, then: sterna run {input_file}")


def configuration_of(
    fluid: Fluid, box: numpy.ndarray, positions: numpy.ndarray, seed: int
) -> Configuration:
    """The molecules at these places, which are in nm or reduced, with random orientations.

    Lengths of the configuration are in angstrom, or reduced.
    """
    orientations = random_orientations(len(positions), seed) if fluid.turns else None
    scale = 1.0 if fluid.reduced else _ANGSTROM_PER_NM
    return Configuration(
        scale * box, [fluid.name] * len(positions), scale * positions, orientations
    )


def _write_one(
    name: str,
    directory: Path,
    text: str,
    fluid: Fluid,
    box: numpy.ndarray,
    positions: numpy.ndarray,
    seed: int,
) -> None:
    """Writes the files of one fluid, whose box and positions are in nm, or reduced."""
    configuration = configuration_of(fluid, box, positions, seed)
    _write(name, directory, text, configuration, "" if fluid.reduced else "angstrom")


Model = Annotated[
    str,
    typer.Argument(metavar="MODEL", help="A name that `sterna models` lists, or lennard_jones."),
]
Temperature = Annotated[
    float, typer.Argument(metavar="T", min=0.0, help="Temperature in K; of lennard_jones reduced.")
]
Molecules = Annotated[int, typer.Option("--molecules", "-m", min=100, help="Those of the liquid.")]
LiquidDensity = Annotated[
    float | None,
    typer.Option(min=0.0, help="In mol/l, or reduced; default: estimated from critical data."),
]
VaporDensity = Annotated[
    float | None,
    typer.Option(min=0.0, help="In mol/l, or reduced; default: estimated from critical data."),
]
Name = Annotated[str, typer.Option("--name", help="What both files are called.")]
Directory = Annotated[Path, typer.Option("--directory", "-d", help="Where they are written.")]
Seed = Annotated[int, typer.Option(min=0, help="Of the orientations of molecules.")]


def slab_places(
    fluid: Fluid, molecules: int, liquid: float, vapor: float
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The box of a slab with these densities, and the places of all molecules, in nm or reduced."""
    edge = float(numpy.cbrt(molecules / liquid))
    box = numpy.array([edge, edge, 3.0 * edge])
    lower, upper = numpy.array([0.0, 0.0, edge]), numpy.array([edge, edge, 2.0 * edge])
    positions = [fill_block(molecules, lower, upper)]
    # Vapor keeps a diameter from the surfaces; both parts of it are one across the boundary.
    vapor_box = numpy.array([edge, edge, 2.0 * edge - 2.0 * fluid.spacing])
    above = fill_block(round(vapor * vapor_box.prod()), numpy.zeros(3), vapor_box)
    positions.append((above + [0.0, 0.0, 2.0 * edge + fluid.spacing]) % box)
    return box, numpy.vstack(positions)


def slab_input(fluid: Fluid, name: str, temperature: float, purpose: str) -> str:
    """The input of a slab across z, whose last stage measures profile and surface tension."""
    observers = (
        '[stage.profile]\ninterval = 100\naxis = "z"\n'
        '[stage.pressure_tensor]\ninterval = 10\nsurface_normal = "z"\n'
    )
    return _input_text(fluid, name, temperature, observers, purpose, 'tail_correction = "planar"\n')


def bulk_input(fluid: Fluid, name: str, temperature: float, purpose: str) -> str:
    """The input of a homogeneous fluid, whose last stage measures nothing yet."""
    return _input_text(fluid, name, temperature, "", purpose, 'tail_correction = "homogeneous"\n')


@app.command()
def slab(
    model: Model,
    temperature: Temperature,
    molecules: Molecules = 4000,
    liquid_density: LiquidDensity = None,
    vapor_density: VaporDensity = None,
    name: Name = "slab",
    directory: Directory = Path(),
    seed: Seed = 1,
) -> None:
    """A slab of liquid between vapor, with two surfaces across z.

    The box is three times as long as the slab is thick, and the slab as thick as it is wide. The
    input measures the density profile and the surface tension.
    """
    fluid = find_fluid(model)
    liquid, vapor = fluid.saturated_densities(temperature)
    liquid = _given_or(liquid_density, liquid, fluid)
    vapor = _given_or(vapor_density, vapor, fluid)
    box, positions = slab_places(fluid, molecules, liquid, vapor)
    purpose = f"A slab of {fluid.name} between its vapor, written by `sterna new slab`."
    text = slab_input(fluid, name, temperature, purpose)
    _write_one(name, directory, text, fluid, box, positions, seed)


@app.command()
def droplet(
    model: Model,
    temperature: Temperature,
    molecules: Molecules = 4000,
    liquid_density: LiquidDensity = None,
    vapor_density: VaporDensity = None,
    name: Name = "droplet",
    directory: Directory = Path(),
    seed: Seed = 1,
) -> None:
    """A spherical droplet in the middle of a cubic box of vapor, 2.5 diameters wide."""
    fluid = find_fluid(model)
    liquid, vapor = fluid.saturated_densities(temperature)
    liquid = _given_or(liquid_density, liquid, fluid)
    vapor = _given_or(vapor_density, vapor, fluid)
    radius = float(numpy.cbrt(3.0 * molecules / (4.0 * numpy.pi * liquid)))
    box = numpy.full(3, 5.0 * radius)
    middle = 0.5 * box

    def filled(density: float, width: float) -> numpy.ndarray:
        lower, upper = middle - 0.5 * width, middle + 0.5 * width
        return fill_block(round(density * width**3), lower, upper)

    def distances(places: numpy.ndarray) -> numpy.ndarray:
        return numpy.linalg.norm(places - middle, axis=1)

    inside = filled(liquid, 2.2 * radius)
    inside = inside[numpy.argsort(distances(inside), kind="stable")[:molecules]]
    outside = filled(vapor, 5.0 * radius)
    outside = outside[distances(outside) > radius + fluid.spacing]
    purpose = f"A droplet of {fluid.name} in its vapor, written by `sterna new droplet`."
    text = _input_text(fluid, name, temperature, "", purpose)
    _write_one(name, directory, text, fluid, box, numpy.vstack([inside, outside]), seed)


def _end_of_run(path: Path) -> tuple[dict, str, Configuration]:
    """An input as TOML, its text, and where its run ended (or starts from, before it has run)."""
    require_regular(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
        document = tomllib.loads(text)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise SternaError(f"{path}: {error}", status=2) from error
    names = [table["name"] for table in document.get("type", document.get("component", []))]
    output, stem = outputs_of(path)
    start = path.parent / document.get("start", {}).get("file", "")
    trajectory = output / f"{stem}.h5md"
    if trajectory.is_file():
        configuration = read_last_frame(trajectory, names)
        scale = _ANGSTROM_PER_NM if document.get("units") in ("metal", "real") else 1.0
        configuration.box = configuration.box * scale
        configuration.positions = configuration.positions * scale
    elif start.suffix in (".extxyz", ".xyz") and start.is_file():
        configuration = read_extended_xyz(start)
    else:
        raise SternaError(
            f"{path}: there is neither a trajectory {trajectory} of its run nor an extended XYZ "
            "start file: run it with trajectory_interval in [output] first",
            status=2,
        )
    return document, text, configuration


def _sections(text: str, heads: tuple[str, ...]) -> str:
    """The parts of a TOML text whose section's first name is one of these, as they stand."""
    kept, keeping = [], False
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("["):
            keeping = stripped.strip("[]# ").split("]")[0].split(".")[0].strip() in heads
        if keeping:
            kept.append(line)
    return "\n".join(kept).strip() + "\n" if kept else ""


@app.command()
def mixture(
    first: Annotated[Path, typer.Argument(metavar="A.toml", help="An input that has been run.")],
    second: Annotated[Path, typer.Argument(metavar="B.toml", help="Another one.")],
    gap: Annotated[
        float | None,
        typer.Option(min=0.0, help="Between the boxes, a length; default: as the boxes are."),
    ] = None,
    name: Name = "mixture",
    directory: Directory = Path(),
) -> None:
    """Put the boxes of two runs side by side along z, so that their fluids mix.

    Takes the last frame of each run's trajectory, or its extended XYZ start file before it has run.
    The boxes must be equally wide in x and y. All but types (or components) and start is taken from
    the first input.
    """
    one, one_text, a = _end_of_run(first)
    two, two_text, b = _end_of_run(second)
    if one.get("units", "reduced") != two.get("units", "reduced"):
        raise SternaError(f"{first} and {second} have different units", status=2)
    if not numpy.allclose(a.box[:2], b.box[:2], rtol=1e-6):
        wide = [f"{c.box[0]:.6g} x {c.box[1]:.6g}" for c in (a, b)]
        raise SternaError(
            f"the boxes must be equally wide in x and y, but are {wide[0]} and {wide[1]}", status=2
        )
    rules = [document["interaction"].get("mixing", RULES[0]) for document in (one, two)]
    if rules[0] != rules[1]:
        raise SternaError(
            f"{first} has mixing = {rules[0]!r} and {second} {rules[1]!r}; expected one rule",
            status=2,
        )
    for path, document in ((first, one), (second, two)):
        if "type" in document and "component" in document:
            raise SternaError(
                f"{path} has types beside components; expected inputs with one of them", status=2
            )
    kinds = ["type" if "type" in document else "component" for document in (one, two)]
    if kinds[0] != kinds[1]:
        raise SternaError(f"one input has types, the other components: {first}, {second}", status=2)
    kind = kinds[0]
    known = {table["name"]: table for table in one[kind]}
    both = [table["name"] for table in two[kind] if table["name"] in known]
    if any(table["name"] in both and table != known[table["name"]] for table in two[kind]):
        raise SternaError(
            f"{', '.join(both)}: the same name for different things in {first} and {second}",
            status=2,
        )
    if both and len(both) < len(two[kind]):
        raise SternaError(f"some of {second} are in {first} too, some not: {', '.join(both)}")
    particles = _sections(one_text, (kind,))
    if not both:
        particles += "\n" + _sections(two_text, (kind,))
    particles += "".join(
        "\n" + _sections(text, ("pair",)) for text in (one_text, two_text)[: 2 - bool(both)]
    )
    gap = gap or 0.0
    box = numpy.array([a.box[0], a.box[1], a.box[2] + b.box[2] + 2.0 * gap])
    above = b.positions + [0.0, 0.0, a.box[2] + gap]
    orientations = None
    if a.orientations is not None and b.orientations is not None:
        orientations = numpy.vstack([a.orientations, b.orientations])
    whole = Configuration(
        box, a.species + b.species, numpy.vstack([a.positions, above]), orientations
    )
    temperature = one.get("thermostat", one.get("start", {})).get("temperature")
    start = f'[start]\nkind = "file"\nfile = "{name}.extxyz"\n'
    if temperature is not None:
        start += f"temperature = {json.dumps(temperature)}\n"
    run = "\n".join(
        line
        for line in _sections(one_text, ("run",)).splitlines()
        if line.split("=")[0].strip() != "name"
    )
    rest = _sections(one_text, ("interaction", "neighbor", "thermostat", "output", "profile"))
    text = (
        f"# {first.name} and {second.name} side by side, written by `sterna new mixture`.\n"
        f'units = "{one.get("units", "reduced")}"\n\n{run}\n\n{start}\n{particles}\n{rest}'
    )
    unit = {"nano": "nm", "metal": "angstrom", "real": "angstrom"}.get(one.get("units"), "")
    _write(name, directory, text, whole, unit)
    if unit == "nm":
        print("Programs that draw extended XYZ, such as OVITO, take its lengths for angstrom.")
