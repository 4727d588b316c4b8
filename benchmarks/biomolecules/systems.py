"""The systems of the benchmark, as Sterna and GROMACS read them: the same atoms, forces and step."""

import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from process import EngineError

ROOT = Path(__file__).resolve().parents[2]
STRUCTURE = ROOT.parent / "shared/data/biomolecules/5dfr_solv-cube_equil.pdb"
TIMESTEP = 0.002  # ps
CUTOFF = 0.9  # nm
# Of Sterna.
SETTINGS = ("sterna", "sterna as gromacs")
RUN_PARAMETERS = f"""\
integrator = md
dt = {TIMESTEP}
nsteps = 100000
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = {CUTOFF}
rvdw = {CUTOFF}
DispCorr = EnerPres
constraints = h-bonds
tcoupl = v-rescale
tc-grps = System
tau-t = 0.1
ref-t = 300
gen-vel = yes
gen-temp = 300
"""


def called(folder: Path, *command: object) -> str:
    done = subprocess.run(
        list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise EngineError(f"{shlex.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def replaced(text: str, pattern: str, wanted: str) -> str:
    text, count = re.subn(pattern, wanted, text, count=1)
    if count != 1:
        raise EngineError(f"the input has no {pattern}")
    return text


def input_of(folder: Path, settings: str) -> Path:
    return folder / (settings.replace(" ", "_") + ".toml")


@dataclass
class System:
    """`prepare` writes the inputs of all settings, and start.gro and start.top for GROMACS."""

    name: str
    accuracy: str  #: of the charges, so that the error is no larger than that of GROMACS
    needs_gromacs: bool  #: also for Sterna's inputs
    steps: int = 0
    atoms: int = 0

    def prepare(self, folder: Path, gmx: str | None) -> None:
        raise NotImplementedError

    def write_inputs(self, folder: Path, text: str) -> None:
        """An input of each setting, from one whose accuracy is to be replaced."""
        as_gromacs = replaced(text, r"accuracy = \S+", f"accuracy = {self.accuracy}")
        as_gromacs += '\n[neighbor]\nbuffer = "tolerance"\n'
        exact = replaced(text, r"accuracy = \S+", "accuracy = 5e-4")
        for name, written in zip(SETTINGS, (exact, as_gromacs), strict=True):
            input_of(folder, name).write_text(written, encoding="utf-8")


class Protein(System):
    """Dihydrofolate reductase in water, 23,558 atoms: Amber99SB and TIP3P."""

    def prepare(self, folder: Path, gmx: str | None) -> None:
        self.atoms = 23558
        called(
            folder,
            *[sys.executable, "-m", "sterna", "import", STRUCTURE, "-o", "imported.toml"],
            *["--force-field", "amber99sb.xml", "--force-field", "tip3p.xml"],
            *["--cutoff", CUTOFF],
        )
        text = (folder / "imported.toml").read_text(encoding="utf-8")
        text = replaced(text, r"steps = \d+", f'steps = {self.steps}\nprecision = "mixed"')
        text = replaced(text, r"trajectory_interval = \d+", "trajectory_interval = 0")
        self.write_inputs(folder, text)
        if gmx is None:
            return
        # GROMACS has other names for the atoms of the last residue.
        structure = STRUCTURE.read_text(encoding="utf-8")
        (folder / "named.pdb").write_text(
            structure.replace(" OT1 ", " OC1 ").replace(" OT2 ", " OC2 "), encoding="utf-8"
        )
        called(
            folder,
            *[gmx, "pdb2gmx", "-f", "named.pdb", "-ff", "amber99sb", "-water", "tip3p", "-ignh"],
            *["-o", "start.gro", "-p", "start.top", "-i", "posre.itp"],
        )


class Water(System):
    """97 thousand atoms of TIP3P water: GROMACS's box of 216 molecules, repeated."""

    REPEATS = (5, 5, 6)
    TOPOLOGY = """\
[ defaults ]
1 2 no
[ atomtypes ]
OW OW 8 15.9994 -0.834 A 0.315061 0.636400
HW HW 1 1.008 0.417 A 0.0 0.0
[ moleculetype ]
SOL 1
[ atoms ]
1 OW 1 SOL O 1 -0.834 15.9994
2 HW 1 SOL H1 1 0.417 1.008
3 HW 1 SOL H2 1 0.417 1.008
[ settles ]
1 1 0.09572 0.15139
[ exclusions ]
1 2 3
2 1 3
3 1 2
[ system ]
water
[ molecules ]
SOL {molecules}
"""
    INPUT = """\
units = "nano"
[run]
steps = {steps}
precision = "mixed"
timestep = {timestep}
[start]
kind = "file"
file = "start.extxyz"
temperature = 300.0
[interaction]
cutoff = {cutoff}
truncation = "truncated"
tail_correction = "homogeneous"
[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = 300.0
time_constant = 0.1
[output]
directory = "output"
thermo_interval = 100
[electrostatics]
kind = "fmm"
accuracy = 1e-4
[[type]]
name = "O"
mass = 15.9994
sigma = 0.315061
epsilon = 0.6364
[[type]]
name = "H"
mass = 1.008
sigma = 0.1
epsilon = 0.0
[[molecule]]
name = "HOH"
count = {molecules}
excluded_bonds = 0
[[molecule.atom]]
name = "O"
type = "O"
charge = -0.834
[[molecule.atom]]
name = "H1"
type = "H"
charge = 0.417
[[molecule.atom]]
name = "H2"
type = "H"
charge = 0.417
[[molecule.constraint]]
distance = 0.09572
atoms = [[1, 2], [1, 3]]
[[molecule.constraint]]
distance = 0.15139
atoms = [2, 3]
[[molecule.exclusion]]
atoms = [[1, 2], [1, 3], [2, 3]]
"""

    def prepare(self, folder: Path, gmx: str | None) -> None:
        edge = 1.86206  # nm, of that box
        called(
            folder, gmx, *["solvate", "-cs", "spc216.gro", "-o", "unit.gro", "-box"], *[edge] * 3
        )
        called(
            folder,
            gmx,
            *["genconf", "-f", "unit.gro", "-o", "start.gro", "-renumber", "-nbox"],
            *self.REPEATS,
        )
        lines = (folder / "start.gro").read_text(encoding="utf-8").splitlines()
        self.atoms = int(lines[1])
        molecules = self.atoms // 3
        top = self.TOPOLOGY.format(molecules=molecules)
        (folder / "start.top").write_text(top, encoding="utf-8")
        x, y, z = lines[2 + self.atoms].split()
        edges = f'Lattice="{x} 0 0 0 {y} 0 0 0 {z}"'
        rows = [f"{line[10:15].strip()[0]} {line[20:44]}" for line in lines[2 : 2 + self.atoms]]
        header = f"{self.atoms}\n{edges} Properties=species:S:1:pos:R:3\n"
        (folder / "start.extxyz").write_text(header + "\n".join(rows) + "\n", encoding="utf-8")
        text = self.INPUT.format(
            steps=self.steps, timestep=TIMESTEP, cutoff=CUTOFF, molecules=molecules
        )
        self.write_inputs(folder, text)


SYSTEMS = {
    "protein": Protein("protein", "1.3e-3", needs_gromacs=False),
    "water": Water("water", "1e-3", needs_gromacs=True),
}
