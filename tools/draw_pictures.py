#!/usr/bin/env python3
"""Draws the pictures of the site, docs/pictures/*.png: runs examples and renders their last frames.

    .venv/bin/pip install -r tools/requirements/pictures.txt
    .venv/bin/python tools/draw_pictures.py [NAME...]

OVITO draws spheres and bonds on the processor (Tachyon), so no graphics card is needed; it does need
Vulkan's library and a driver (apt-get install libvulkan1 mesa-vulkan-drivers libegl1).
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy
from ovito.data import DataCollection, SimulationCell
from ovito.pipeline import Pipeline, StaticSource
from ovito.vis import BondsVis, TachyonRenderer, Viewport
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
SIZE = (1200, 900)
COLORS = 128  #: of a file's palette, which makes it a quarter as large
TEAL, AMBER, PLUM, GREEN, SLATE = (
    (0.10, 0.55, 0.60), (0.93, 0.62, 0.20), (0.55, 0.30, 0.60), (0.45, 0.75, 0.45),
    (0.35, 0.40, 0.47),
)  # fmt: skip


@dataclass(frozen=True)
class Picture:
    """An example, what is changed in it, and how its last frame is drawn."""

    example: str
    changes: Mapping[str, str]  #: keys of the input and their values, as they stand in the file
    radii: tuple[float, ...]  #: of each type, in nm or reduced: the trajectory's unit
    colors: tuple[tuple[float, float, float], ...]
    direction: tuple[float, float, float] = (-1.0, 2.1, -0.75)


PICTURES = {
    "condensation": Picture("condensation", {"steps": "20000"}, (0.52,), (TEAL,)),
    "slit_pore": Picture("slit_pore", {}, (0.5,), (AMBER,), direction=(-0.6, 2.2, -0.4)),
    "molten_salt": Picture(
        "molten_sodium_chloride", {"steps": "2000"}, (0.10, 0.17), (PLUM, GREEN)
    ),
    "silicon": Picture("silicon", {}, (0.085,), (SLATE,)),
    "butane": Picture("butane", {}, (0.13, 0.13), (SLATE, TEAL)),
}


def input_of(picture: Picture, folder: Path) -> Path:
    """The input of the example with its changes, which writes its last frame."""
    text = (ROOT / "examples" / f"{picture.example}.toml").read_text(encoding="utf-8")
    for key, value in picture.changes.items():
        text, count = re.subn(rf"^{key} = .*$", f"{key} = {value}", text, flags=re.MULTILINE)
        if count != 1:
            raise SystemExit(f"{picture.example}.toml: expected one key {key}, found {count}")
    steps = re.search(r"^steps = (\d+)", text, re.MULTILINE)
    if steps is None:
        raise SystemExit(f"{picture.example}.toml: no key steps")
    text = re.sub(r"^(trajectory_interval|directory) = .*\n", "", text, flags=re.MULTILINE)
    text = text.replace("[output]\n", f"[output]\ntrajectory_interval = {steps[1]}\n")
    path = folder / f"{picture.example}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def last_frame(path: Path, picture: Picture) -> DataCollection:
    """The last frame of an H5MD trajectory for OVITO."""
    with h5py.File(path, "r") as file:
        group = file["particles/trajectory"]
        position = group["position/value"][-1]
        edges = numpy.asarray(group["box/edges/value"][-1], float)
        species = group["species"][...] if "species" in group else numpy.zeros(len(position), int)
        bonds = file["connectivity/bonds"][...] if "connectivity/bonds" in file else None
        ids = group["id"][...] if "id" in group else numpy.arange(len(position))
    kinds = numpy.searchsorted(numpy.unique(species), species)
    matrix = numpy.diag(edges) if edges.ndim == 1 else edges.T
    # Into the box: trajectories may hold places in other images.
    position = (position @ numpy.linalg.inv(matrix).T % 1.0) @ matrix.T
    data = DataCollection()
    cell = SimulationCell(pbc=(True, True, True))
    cell[:, :3] = matrix
    cell.vis.line_width = 0.004 * matrix.max()
    cell.vis.rendering_color = (0.6, 0.62, 0.66)
    data.objects.append(cell)
    particles = data.create_particles(count=len(position))
    particles.create_property("Position", data=position)
    particles.create_property("Radius", data=numpy.array(picture.radii)[kinds])
    particles.create_property("Color", data=numpy.array(picture.colors)[kinds])
    if bonds is not None and len(bonds):
        order = numpy.argsort(ids)
        pairs = order[numpy.searchsorted(ids[order], bonds)]
        drawn = particles.create_bonds(vis=BondsVis(width=0.5 * picture.radii[0]))
        drawn.create_property("Topology", data=pairs)
        across = numpy.rint(
            (position[pairs[:, 1]] - position[pairs[:, 0]]) @ numpy.linalg.inv(matrix).T
        )
        drawn.create_property("Periodic Image", data=-across.astype(int))
    return data


def draw(name: str, picture: Picture, folder: Path) -> Path:
    """Runs the example and renders its last frame; returns the file."""
    path = input_of(picture, folder)
    for start in (ROOT / "examples").glob("*.extxyz"):
        (folder / start.name).write_bytes(start.read_bytes())
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    command = [sys.executable, "-m", "sterna", "run", str(path), "-n", "1"]
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    pipeline = Pipeline(source=StaticSource(data=last_frame(next(folder.rglob("*.h5md")), picture)))
    pipeline.add_to_scene()
    view = Viewport(type=Viewport.Type.Perspective, camera_dir=picture.direction)
    view.zoom_all(size=SIZE)
    target = ROOT / "docs" / "pictures" / f"{name}.png"
    renderer = TachyonRenderer(ambient_occlusion_brightness=0.9, shadows=False)
    view.render_image(filename=str(target), size=SIZE, alpha=True, renderer=renderer)
    pipeline.remove_from_scene()
    with Image.open(target) as drawn:
        cut = drawn.crop(drawn.getbbox())
        cut.quantize(COLORS, method=Image.Quantize.FASTOCTREE).save(target, optimize=True)
    return target


def main() -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PICTURES))
    for name in parser.parse_args().names or PICTURES:
        if name not in PICTURES:
            parser.error(f"no picture {name}: there are {', '.join(PICTURES)}")
        with tempfile.TemporaryDirectory() as folder:
            print(f"wrote {draw(name, PICTURES[name], Path(folder)).relative_to(ROOT)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
