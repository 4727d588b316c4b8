"""`sterna new replicate`: a box several times along its edges."""

from pathlib import Path
from typing import Annotated, Any

import numpy
import typer

from sterna.building.inputs import Start, files_of, read_start
from sterna.errors import SternaError
from sterna.frames.start_file import write_start
from sterna.support.file_options import Output, Overwrite
from sterna.support.files import replace_text, require_not_read
from sterna.support.toml_text import toml_text


def molecule_rows(start: Start) -> list[tuple[int, numpy.ndarray]]:
    """Kind and rows, (molecules, atoms), of molecules that follow each other; or all particles.

    Without flexible molecules each particle is one, of kind 0.
    """
    description = start.trajectory.description
    if "molecules" not in description:
        return [(0, numpy.arange(start.trajectory.particle_count)[:, None])]
    rows, first = [], 0
    for kind, count in description["runs"]:
        size = len(description["molecules"][kind]["atoms"])
        rows.append((kind, first + numpy.arange(size * count).reshape(count, size)))
        first += size * count
    return rows


def whole_positions(start: Start) -> numpy.ndarray:
    """(n, 3), molecules whole, with their first atoms in the box."""
    edges = start.frame.edges
    position = start.trajectory.particles_whole(start.frame)
    for _, rows in molecule_rows(start):
        first = position[rows[:, 0]]
        shift = numpy.floor(first @ numpy.linalg.inv(edges)) @ edges
        position[rows] -= shift[:, None]
    return position


def repeated(molecule: dict[str, Any], times: int) -> dict[str, Any]:
    """A [[molecule]] with so many times as many, and the numbers and chains of all of them."""
    more = {"count": molecule["count"] * times}
    for name in ("residue_numbers", "chains"):
        text = molecule.get(name)
        # The name of a single chain stands for all of them.
        if text and (name == "residue_numbers" or ":" in text):
            more[name] = " ".join([text] * times)
    return dict(molecule) | more


def replicate(
    source: Annotated[
        Path, typer.Argument(metavar="INPUT.TOML", help="Its last frame, or its start.")
    ],
    x: Annotated[int, typer.Argument(min=1, help="Times along the first edge.")],
    y: Annotated[int, typer.Argument(min=1, help="Along the second.")],
    z: Annotated[int, typer.Argument(min=1, help="Along the third.")],
    output: Output,
    overwrite: Overwrite = False,
) -> None:
    """Repeat a box along its edges, with velocities and orientations.

    Takes the last frame of the input's run, or the start that it describes, of any kind: atoms,
    rigid and flexible molecules, triclinic boxes. Molecules across the border stay whole.
    """
    if output.suffix != ".toml":
        raise SternaError(f"the output is {output}; expected a name that ends in .toml", 2)
    start_path = output.with_suffix(".extxyz")
    for path in (output, start_path):
        if path.exists() and not overwrite:
            raise SternaError(f"{path} exists; --overwrite replaces it", 2)
    require_not_read((output, start_path), files_of(source))
    start = read_start(source)
    frame, edges = start.frame, start.frame.edges
    grid = numpy.stack(numpy.meshgrid(range(x), range(y), range(z), indexing="ij"), -1)
    shifts = grid.reshape(-1, 3) @ edges
    position = whole_positions(start)
    order, moved = [], []
    for _, rows in molecule_rows(start):
        order.append(numpy.tile(rows.ravel(), len(shifts)))
        moved.append((shifts[:, None] + position[rows.ravel()]).reshape(-1, 3))
    taken = numpy.concatenate(order)
    names = numpy.array(start.trajectory.names)[start.trajectory.species]
    particles = {"names": names[taken], "position": numpy.concatenate(moved)}
    for name in ("velocity", "orientation", "angular_momentum"):
        values = getattr(frame, name)
        if values is not None:
            particles[name] = values[taken]
    sections = dict(start.sections)
    given = start.section("start")
    has_all = frame.velocity is not None and (
        frame.orientation is None or frame.angular_momentum is not None
    )
    kept = {"kind": "file", "file": start_path.name}
    if not has_all and "temperature" in given:
        kept["temperature"] = given["temperature"]
        particles.pop("velocity", None)
    sections["start"] = kept
    if "molecule" in sections:
        sections["molecule"] = [
            repeated(molecule, len(shifts)) for molecule in sections["molecule"]
        ]
    sections["run"] = {k: v for k, v in start.section("run").items() if k != "name"}
    write_start(start_path, start.units, edges * numpy.array([[x], [y], [z]]), **particles)
    head = f"# {source.name}, {x} x {y} x {z} times, written by `sterna new replicate`.\n"
    replace_text(output, head + toml_text(sections))
    print(f"wrote {output}\nwrote {start_path}: {len(taken)} particles")
