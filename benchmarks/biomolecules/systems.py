"""The systems of the benchmark, as Sterna and GROMACS read them: the same atoms, forces and step."""

import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import gromacs
from process import EngineError

ROOT = Path(__file__).resolve().parents[2]
STRUCTURE = ROOT.parent / "shared/data/biomolecules/5dfr_solv-cube_equil.pdb"
TIMESTEP = 0.002  # ps
CUTOFF = 0.9  # nm
# Of Sterna.
SETTINGS = ("sterna", "sterna as gromacs")
COMPONENTS = "sterna with components"  # as the first setting, but rigid water is a [[component]]
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
    #: Of the charges, for each setting; the second with an error no larger than that of GROMACS.
    accuracies: tuple[str, str]
    needs_gromacs: bool  #: also for Sterna's inputs
    force_unit: float = 1.0  #: of Sterna's input, in kJ/mol/nm
    steps: int = 0
    atoms: int = 0

    has_components: bool = False  #: whether there is an input with rigid water as components

    def missing(self) -> Path | None:
        """A file that is not there."""
        return None

    def prepare(self, folder: Path, gmx: str | None) -> None:
        raise NotImplementedError

    def write_inputs(self, folder: Path, text: str) -> None:
        """An input of each setting, from one whose accuracy is to be replaced."""
        trees = ("", '\ntree = "measured"')
        lists = ("", '\n[neighbor]\nbuffer = "tolerance"\n')
        for name, accuracy, tree, section in zip(
            SETTINGS, self.accuracies, trees, lists, strict=True
        ):
            charges = f"accuracy = {accuracy}{tree}"
            written = replaced(text, r"accuracy = \S+", charges) + section
            input_of(folder, name).write_text(written, encoding="utf-8")


class Protein(System):
    """Dihydrofolate reductase in water, 23,558 atoms: Amber99SB and TIP3P."""

    def missing(self) -> Path | None:
        return None if STRUCTURE.is_file() else STRUCTURE

    def imported(self, folder: Path, name: str, *options: str) -> str:
        """The text of an input."""
        called(
            folder,
            *[sys.executable, "-m", "sterna", "import", STRUCTURE, "-o", f"{name}.toml"],
            *["--force-field", "amber99sb.xml", "--force-field", "tip3p.xml"],
            *["--cutoff", CUTOFF, *options],
        )
        text = (folder / f"{name}.toml").read_text(encoding="utf-8")
        text = replaced(text, r"steps = \d+", f'steps = {self.steps}\nprecision = "mixed"')
        return replaced(text, r"trajectory_interval = \d+", "trajectory_interval = 0")

    def prepare(self, folder: Path, gmx: str | None) -> None:
        self.atoms = 23558
        self.write_inputs(folder, self.imported(folder, "imported"))
        text = self.imported(folder, "components", "--rigid", "water=component")
        text = replaced(text, r"accuracy = \S+", f"accuracy = {self.accuracies[0]}")
        input_of(folder, COMPONENTS).write_text(text, encoding="utf-8")
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
        top = gromacs.water_topology(
            molecules, charge=0.417, sigma=0.315061, epsilon=0.6364, leg=0.09572, base=0.15139
        )
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


class Butane(System):
    """1400 molecules of butane by GAFF, the sample of MODYLAS, 19,600 atoms."""

    SAMPLE = ROOT.parent / "shared/data/modylas/butane_gaff/butane_1400.mddef"
    KCAL = 4.184  # kJ
    # Of the converted input: what the comparison has instead.
    CHANGES = (
        (r"name = .*\n", ""),
        (r"steps = \d+", 'steps = {steps}\nprecision = "mixed"'),
        (r"timestep = .*", f'timestep = "{TIMESTEP} ps"'),
        (r"constraint_tolerance = .*", ""),
        (r"cutoff = .*", f'cutoff = "{CUTOFF} nm"'),
        (r'precision = "double"\n', ""),
        (r"thermo_interval = .*", 'thermo_interval = 100\ndirectory = "output"'),
        (r"trajectory_interval = .*", ""),
        (r"trajectory_fields = .*", ""),
        (r"checkpoint_interval = .*", ""),
    )
    THERMOSTAT = """
[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = 300.0
time_constant = "0.1 ps"
"""

    def missing(self) -> Path | None:
        return None if self.SAMPLE.is_file() else self.SAMPLE

    def prepare(self, folder: Path, gmx: str | None) -> None:
        for path in self.SAMPLE.parent.iterdir():
            (folder / path.name).write_bytes(path.read_bytes())
        called(
            folder, sys.executable, "-m", "sterna", "convert", self.SAMPLE.name, "converted.toml"
        )
        text = (folder / "converted.toml").read_text(encoding="utf-8")
        converted = tomllib.loads(text)
        for pattern, wanted in self.CHANGES:
            text = replaced(text, pattern, wanted.format(steps=self.steps))
        self.write_inputs(folder, text + self.THERMOSTAT)
        molecule = converted["molecule"][0]
        self.atoms = molecule["count"] * len(molecule["atom"])
        top = self.topology(molecule, {row["name"]: row for row in converted["type"]})
        (folder / "start.top").write_text(top, encoding="utf-8")
        self.write_start(folder, [atom["type"] for atom in molecule["atom"]])

    def topology(self, molecule: dict, types: dict[str, dict]) -> str:
        """For GROMACS, in kJ/mol and nm; 1-4 pairs by GAFF's factors."""

        def rows(terms: list[dict], *numbers: float) -> list[str]:
            written = " ".join(f"{number:.10g}" for number in numbers)
            return [f"{' '.join(map(str, atoms))} {written}" for atoms in terms["atoms"]]

        atoms = molecule["atom"]
        lines = ["[ defaults ]", "1 2 yes 0.5 0.8333333333", "[ atomtypes ]"]
        for name, kind in types.items():
            size = f"{kind['sigma'] / 10:.10g} {kind['epsilon'] * self.KCAL:.10g}"
            lines.append(f"{name} {name} {6 if name[0] == 'C' else 1} {kind['mass']} 0 A {size}")
        lines += ["[ moleculetype ]", "BUT 3", "[ atoms ]"]
        for number, atom in enumerate(atoms, 1):
            name = atom["type"]
            lines.append(
                f"{number} {name} 1 BUT {name[0]}{number} {number} {atom['charge']} "
                f"{types[name]['mass']}"
            )
        lines.append("[ bonds ]")
        for bond in molecule["bond"]:
            lines += rows(bond, 1, bond["r0"] / 10, bond["stiffness"] * self.KCAL * 100)
        for kept in molecule["constraint"]:  # bonds of hydrogen, by the run's parameters
            lines += rows(kept, 1, kept["distance"] / 10, 282000.0)
        lines.append("[ angles ]")
        for angle in molecule["angle"]:
            lines += rows(angle, 1, angle["theta0"], angle["bending_stiffness"] * self.KCAL)
        lines.append("[ dihedrals ]")
        for torsion in molecule["torsion"]:
            amplitude = torsion["amplitude"] * self.KCAL
            lines += rows(torsion, 9, torsion["phase"], amplitude, torsion["multiplicity"])
        lines.append("[ pairs ]")
        for pair in molecule["special_pair"]:
            lines += rows(pair, 1)
        return "\n".join(
            [*lines, "[ system ]", "butane", "[ molecules ]", f"BUT {molecule['count']}", ""]
        )

    def write_start(self, folder: Path, names: list[str]) -> None:
        """start.gro, of the sample's positions in angstrom."""
        text = (folder / self.SAMPLE.with_suffix(".mdxyz").name).read_text(encoding="utf-8")
        positions = text[text.index("<positions>") + 11 : text.index("</positions>")].split()
        lengths = re.search(r"<length>\s+(\S+)\s+(\S+)\s+(\S+)", text)
        rows = ["butane", str(self.atoms)]
        for k in range(self.atoms):
            place = "".join(f"{float(x) / 10:8.3f}" for x in positions[3 * k : 3 * k + 3])
            molecule, number = divmod(k, len(names))
            name = f"{names[number][0]}{number + 1}"
            rows.append(f"{(molecule + 1) % 100000:5d}BUT  {name:>5}{(k + 1) % 100000:5d}{place}")
        rows.append(" ".join(f"{float(length) / 10:.5f}" for length in lengths.groups()))
        (folder / "start.gro").write_text("\n".join(rows) + "\n", encoding="utf-8")


SYSTEMS = {
    "protein": Protein("protein", ("5e-4", "1.3e-3"), needs_gromacs=False, has_components=True),
    "water": Water("water", ("5e-4", "1e-3"), needs_gromacs=True),
    "butane": Butane("butane", ("5e-3", "1e-2"), needs_gromacs=False, force_unit=41.84),
}
