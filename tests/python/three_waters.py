"""SPC/E water as components, as atoms that move as rotors, as atoms with SETTLE, and mixed in one box: means
of independent parts of a run at constant temperature."""

import subprocess
import tomllib
from dataclasses import dataclass

import numpy
from conftest import sterna_command, sterna_environment
from rigid_water_files import box_of, gro_text, topology
from sterna import read, read_log
from sterna.support.toml_text import toml_text

#: What `sterna import` is asked for, and the algorithm of constraints.
WAYS = {
    "components": (["all=component"], "auto"),
    "rotors": ([], "auto"),
    "constraints": ([], "settle"),
    "mixed": (["WAT=component"], "auto"),
}
_PEAK = (0.25, 0.32)  #: nm, about the first maximum of oxygen and oxygen


@dataclass
class Means:
    """Of each part of the run: energies in kJ/mol, pressure in bar, and pairs of oxygen atoms at the first
    maximum of their distribution."""

    potential_energy: numpy.ndarray
    pressure: numpy.ndarray
    temperature: numpy.ndarray
    neighbors: numpy.ndarray


def _run(folder, *arguments: object) -> None:
    done = subprocess.run(
        sterna_command(*arguments), cwd=folder, env=sterna_environment(), capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def means_of(folder, way: str, parts: int, steps: int, settling: int = 3000) -> Means:
    """`parts` of so many steps of 2 fs, after others for settling. The water of two names, 40 and 24
    molecules, is one water but in "mixed", where only that of the second name are components."""
    box = box_of("spce")
    copy = topology(box).split("[ moleculetype ]")[1].split("[ system ]")[0]
    (folder / "water.gro").write_text(gro_text(box))
    text = topology(box, molecules="[ moleculetype ]" + copy.replace("SOL", "WAT"), more="WAT 24\n")
    (folder / "water.top").write_text(text.replace("SOL 64\n", "SOL 40\n"))
    choices, algorithm = WAYS[way]
    options = [word for one in choices for word in ("--rigid", one)]
    name = f"{way}.toml"
    _run(folder, "import", "water.top", "water.gro", "--cutoff", 0.6, *options, "-o", name)
    sections = tomllib.loads((folder / name).read_text())
    sections["run"] = {
        "steps": settling + parts * steps, "timestep": 0.002, "seed": 1 + list(WAYS).index(way),
        "precision": "mixed", "constraint_algorithm": algorithm,
    }  # fmt: skip
    sections["start"]["temperature"] = 300.0
    sections["electrostatics"] = {"kind": "fmm", "accuracy": 1e-3}
    sections["thermostat"] = {"kind": "langevin", "temperature": 300.0, "time_constant": 0.2}
    sections["output"] |= {"thermo_interval": 10, "trajectory_interval": 50}
    (folder / name).write_text(toml_text(sections))
    _run(folder, "run", name, "-n", 1)
    rows = read_log(folder / "output" / f"{way}.log.jsonl").rows
    later = [row for row in rows if row["step"] > settling]

    def in_parts(values) -> numpy.ndarray:
        return numpy.array(values, float).reshape(parts, -1).mean(axis=1)

    frames = read(folder / "output" / way).frames
    atoms, counts = frames.atoms(), []
    for frame in frames:
        if frame.step > settling:
            oxygen = atoms.at(frame).position[::3]
            apart = oxygen[:, None] - oxygen[None]
            apart -= box.edge * numpy.rint(apart / box.edge)
            distance = numpy.sqrt((apart**2).sum(axis=2))
            counts.append(((distance > _PEAK[0]) & (distance < _PEAK[1])).sum() / len(oxygen))
    columns = (in_parts([row[key] for row in later])
               for key in ("potential_energy", "pressure", "temperature"))  # fmt: skip
    return Means(*columns, in_parts(counts))


def sigmas(first: numpy.ndarray, second: numpy.ndarray) -> float:
    """The difference of two means, in its standard errors."""
    error = numpy.sqrt(first.var(ddof=1) / len(first) + second.var(ddof=1) / len(second))
    return float((first.mean() - second.mean()) / error)
