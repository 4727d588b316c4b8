"""Inputs of ls1-MarDyn that both programs run: carbon dioxide and ethylene oxide, 16,384 molecules."""

import json
import os
import re
import shutil
import sys
from pathlib import Path

from process import Cores, EngineError, find, run_process

INPUTS = Path(__file__).resolve().parents[3] / "shared" / "data" / "ls1"
# Folder, input and start of each.
FLUIDS = {
    "carbon dioxide": ("co2", "nve.xml", "CO2_370K_15mol_l.inp"),
    "ethylene oxide": ("eox", "nve_eq.xml", "eox_eq.inp"),
}
COPIES = 2  # along each axis
MOLECULES = 2048 * COPIES**3


def copied_start(text: str) -> str:
    """The start, repeated along each axis."""
    lines = text.splitlines()
    first = next(n for n, line in enumerate(lines) if "MoleculeFormat" in line) + 1
    edge = next(float(line.split()[1]) for line in lines if line.split()[:1] == ["Length"])
    head = []
    for line in lines[:first]:
        word = line.split()[:1]
        if word == ["Length"]:
            line = " Length" + f" {COPIES * edge!r}" * 3
        elif word == ["NumberOfMolecules"]:
            line = f" NumberOfMolecules {MOLECULES}"
        head.append(line)
    rows = [line.split() for line in lines[first:] if line.split()]
    steps = range(COPIES)
    for shift in ((x, y, z) for x in steps for y in steps for z in steps):
        for row in rows:
            place = [repr(float(row[2 + k]) + shift[k] * edge) for k in range(3)]
            head.append(" ".join([str(len(head) - first), row[1], *place, *row[5:]]))
    return "\n".join(head) + "\n"


def write_input(fluid: str, steps: int, folder: Path) -> None:
    """config.xml, components.xml and start.inp."""
    name, config, start = FLUIDS[fluid]
    source = INPUTS / name
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(source / "components.xml", folder)
    text = (source / config).read_text(encoding="utf-8")
    edge = float(re.search(r"<lx>([\d.]+)</lx>", text)[1])
    text = re.sub(r"<(l[xyz])>[\d.]+<", rf"<\g<1>>{COPIES * edge!r}<", text)
    text = re.sub(r"<steps>\d+<", f"<steps>{steps}<", text)
    text = re.sub(r"<writefrequency>\d+<", f"<writefrequency>{steps}<", text)
    (folder / "config.xml").write_text(text.replace(start, "start.inp"), encoding="utf-8")
    if not (folder / "start.inp").exists():
        given = (source / start).read_text(encoding="utf-8")
        (folder / "start.inp").write_text(copied_start(given), encoding="utf-8")


class SternaFluid:
    """Sterna, which runs the input of ls1."""

    def __init__(self, fluid: str, program: Path, folder: Path, cores: Cores) -> None:
        self.fluid, self.program, self.cores = fluid, program, cores
        self.folder = folder / fluid.replace(" ", "_")

    def run(self, steps: int) -> float:
        """ns for each molecule and step."""
        write_input(self.fluid, steps, self.folder)
        (self.folder / "run.toml").unlink(missing_ok=True)
        convert = [sys.executable, "-m", "sterna", "convert", "config.xml", "run.toml"]
        run_process(convert, self.folder, dict(os.environ))
        command = self.cores.pinned(1, [self.program, "run.toml", "--overwrite"])
        run_process(command, self.folder, dict(os.environ))
        (log,) = self.folder.glob("*.log.jsonl")
        timing = json.loads(log.read_text().splitlines()[-1])["timing"]
        if timing["steps"] != steps:
            raise EngineError(f"{timing['steps']} steps were run instead of {steps}")
        return timing["seconds"] / steps / MOLECULES * 1e9


class Ls1Fluid:
    """ls1-MarDyn itself."""

    def __init__(self, fluid: str, program: str, folder: Path, cores: Cores) -> None:
        self.fluid, self.program, self.cores = fluid, program, cores
        self.folder = folder / (fluid.replace(" ", "_") + "-ls1")

    def run(self, steps: int) -> float:
        """ns for each molecule and step."""
        write_input(self.fluid, steps, self.folder)
        command = [self.program, "--final-checkpoint=0", "config.xml"]
        text, _ = run_process(self.cores.pinned(1, command), self.folder, dict(os.environ))
        pattern = r"Computation in main loop took:\s*([\d.eE+-]+)"
        return float(find(pattern, text, "time of ls1's main loop")[1]) / steps / MOLECULES * 1e9
