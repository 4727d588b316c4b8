"""The systems of the benchmark: matter that is unevenly spread, as extended XYZ and an input."""

from pathlib import Path

import numpy

LIQUID, VAPOR = 0.76, 0.0152  # 1:50, as coexist at the temperature below when cut off at 2.5
TEMPERATURE = 0.75


def lattice(box: numpy.ndarray, density: float, basis: list[list[float]]) -> numpy.ndarray:
    """Sites of a cubic lattice of about this density that fits the box."""
    cells = numpy.maximum(1, numpy.round(box * (density / len(basis)) ** (1 / 3))).astype(int)
    corners = numpy.stack(numpy.meshgrid(*(numpy.arange(n) for n in cells), indexing="ij"), -1)
    sites = corners.reshape(-1, 1, 3) + numpy.array(basis)
    return (sites.reshape(-1, 3) + 0.25) / cells * box


FCC = [[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]]
SC = [[0.25, 0.25, 0.25]]


def two_phases(box, inside) -> numpy.ndarray:
    """Liquid where `inside(positions, margin)` holds, vapor a little away from it."""
    liquid = lattice(box, LIQUID, FCC)
    vapor = lattice(box, VAPOR, SC)
    return numpy.concatenate([liquid[inside(liquid, 0.0)], vapor[~inside(vapor, 1.5)]])


def ball(center, radius):
    return lambda p, margin: numpy.linalg.norm(p - center, axis=1) < radius + margin


def slab_start() -> tuple[numpy.ndarray, numpy.ndarray]:
    """A film of liquid across a long box, not in its middle."""
    box = numpy.array([24.0, 24.0, 96.0])
    return box, two_phases(box, lambda p, margin: abs(p[:, 2] - 33.0) < 16.0 + margin)


def droplet_start() -> tuple[numpy.ndarray, numpy.ndarray]:
    """A droplet of radius 15 near a corner of its box."""
    box = numpy.array([64.0, 64.0, 64.0])
    return box, two_phases(box, ball(numpy.array([17.0, 17.0, 17.0]), 15.0))


def channel_start() -> tuple[numpy.ndarray, numpy.ndarray]:
    """The same droplet near an end of a long box: less vapor, one good way to cut."""
    box = numpy.array([36.0, 36.0, 72.0])
    return box, two_phases(box, ball(numpy.array([18.0, 18.0, 17.0]), 15.0))


def explosion_start() -> tuple[numpy.ndarray, numpy.ndarray]:
    """A dense, hot drop in a void, near a corner."""
    box = numpy.array([80.0, 80.0, 80.0])
    sites = lattice(box, 0.95, FCC)
    return box, sites[ball(numpy.array([25.0, 25.0, 25.0]), 13.0)(sites, 0.0)]


def spinodal_start() -> tuple[numpy.ndarray, numpy.ndarray]:
    """Uniform at a density at which, at the temperature, it falls apart into clusters."""
    box = numpy.array([44.0, 44.0, 44.0])
    return box, lattice(box, 0.2, SC)


def uniform_start() -> tuple[numpy.ndarray, numpy.ndarray]:
    box = numpy.array([28.0, 28.0, 28.0])
    return box, lattice(box, 0.8, FCC)


CASES = {
    "slab": (slab_start, TEMPERATURE, True),
    "droplet": (droplet_start, TEMPERATURE, True),
    "channel": (channel_start, TEMPERATURE, True),
    "spinodal": (spinodal_start, 0.7, True),
    "explosion": (explosion_start, 6.0, False),
    "uniform": (uniform_start, 1.0, True),
}

INPUT = """\
units = "reduced"

[run]
name = "{name}"
steps = {steps}
timestep = 0.004
precision = "mixed"

[start]
kind = "file"
file = "{start}"
temperature = {temperature}

[[type]]
name = "A"

[interaction]
cutoff = 2.5
truncation = "shifted"
{thermostat}
[domain]
decomposition = "{decomposition}"
{domain}
[communication]
migration = "{migration}"

[output]
directory = "{directory}"
thermo_interval = {thermo}
"""

THERMOSTAT = """
[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = {temperature}
time_constant = 1.0
"""


def write_start(case: str, folder: Path) -> int:
    """Writes CASE.extxyz; returns the number of particles."""
    box, positions = CASES[case][0]()
    with (folder / f"{case}.extxyz").open("w") as file:
        x, y, z = (float(edge) for edge in box)
        file.write(f'{len(positions)}\nLattice="{x} 0 0 0 {y} 0 0 0 {z}" ')
        file.write("Properties=species:S:1:pos:R:3\n")
        file.writelines(f"A {p[0]:.8f} {p[1]:.8f} {p[2]:.8f}\n" for p in positions)
    return len(positions)


def write_input(
    case: str,
    folder: Path,
    name: str,
    steps: int,
    decomposition: str,
    domain: str = "",
    migration: str = "auto",
    thermo: int | None = None,
) -> Path:
    """Writes NAME.toml for a start that `write_start` made."""
    _, temperature, thermostat = CASES[case]
    path = folder / f"{name}.toml"
    path.write_text(
        INPUT.format(
            name=name,
            steps=steps,
            start=f"{case}.extxyz",
            temperature=temperature,
            thermostat=THERMOSTAT.format(temperature=temperature) if thermostat else "",
            decomposition=decomposition,
            domain=domain,
            migration=migration,
            directory=folder,
            thermo=thermo or steps,
        )
    )
    return path
