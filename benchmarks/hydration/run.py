#!/usr/bin/env python3
"""Hydration free energies of molecules of FreeSolv beside the published calculated values.

    ./dev bench hydration [--molecules methane,methanol,ethanol] [--steps 50000] [--cores 2]
                          [--folder FOLDER] [--output FILE]

Each molecule is switched off in 343 molecules of TIP3P water at 298.15 K and 1.01325 bar: charges first,
then van der Waals interactions, in 8 to 13 states, with a run of --steps steps of 2 fs in each. GAFF, the
charges (AM1-BCC) of FreeSolv 0.52 and its settings, but for the multipole method in place of
particle-mesh Ewald sums and a plain cutoff of 1 nm with a tail correction. Samples of the first tenth are
left out. The free energy of hydration is minus that of the last state, by MBAR.

Published: Duarte Ramos Matos et al., J. Chem. Eng. Data 62, 1559 (2017). Needs pymbar. The runs go on
where they were killed if --folder names a folder.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "benchmarks" / "support")]
from process import processor  # noqa: E402
from sterna.free_energies import free_energies_of_states, read_states  # noqa: E402

KCAL = 4.184
SPACING = 0.3126  # nm, of molecules of water at the density of TIP3P
EDGE = 7  # molecules of water along each edge

#: GAFF 1.7: sigma (nm), epsilon (kJ/mol), mass (u).
TYPES = {
    "c3": (0.339967, 0.457730, 12.01), "hc": (0.264953, 0.0656888, 1.008),
    "h1": (0.247135, 0.0656888, 1.008), "oh": (0.306647, 0.880314, 16.0),
    "ho": (0.0, 0.0, 1.008), "OW": (0.315061, 0.636386, 16.0), "HW": (0.0, 0.0, 1.008),
}  # fmt: skip
#: Lengths (nm) and constants (kJ/mol/nm^2); angles (degrees) and constants (kJ/mol/rad^2).
BONDS = {
    ("c3", "hc"): (0.1092, 282253), ("c3", "h1"): (0.1093, 281081), ("c3", "oh"): (0.1426, 262839),
    ("ho", "oh"): (0.0974, 309281), ("c3", "c3"): (0.1535, 253634),
}  # fmt: skip
ANGLES = {
    ("hc", "c3", "hc"): (108.35, 329.95), ("h1", "c3", "h1"): (109.55, 327.86),
    ("h1", "c3", "oh"): (109.88, 426.52), ("c3", "oh", "ho"): (108.16, 394.05),
    ("c3", "c3", "hc"): (110.05, 388.02), ("c3", "c3", "h1"): (110.07, 387.94),
    ("c3", "c3", "oh"): (109.43, 566.68),
}  # fmt: skip
#: By the two inner atoms, or all four: phase, amplitude (kJ/mol), multiplicity.
TORSIONS = {
    ("c3", "oh"): [(0, 0.69733, 3)], ("c3", "c3"): [(0, 0.65084, 3)],
    ("c3", "c3", "oh", "ho"): [(0, 0.66944, 3), (0, 1.046, 1)],
    ("hc", "c3", "c3", "oh"): [(0, 0.0, 3), (0, 1.046, 1)],
}  # fmt: skip


@dataclass(frozen=True)
class Solute:
    name: str  #: in FreeSolv
    atoms: list[tuple[str, float, tuple[float, float, float]]]  #: type, charge, place (Angstrom)
    bonds: list[tuple[int, int]]
    published: tuple[float, float]  #: kcal/mol, with its error


SOLUTES = {
    "methane": Solute(
        "mobley_9055303",
        [("c3", -0.1087, (0, 0, 0)), ("hc", 0.0272, (0.554, 0.8, 0.496)),
         ("hc", 0.0272, (0.683, -0.813, -0.254)), ("hc", 0.0272, (-0.778, -0.373, 0.669)),
         ("hc", 0.0271, (-0.459, 0.387, -0.912))],
        [(1, 2), (1, 3), (1, 4), (1, 5)],
        (2.446, 0.006),
    ),
    "methanol": Solute(
        "mobley_1636752",
        [("c3", 0.1166, (0.283, 0.768, 0.724)), ("oh", -0.5985, (-0.311, 2.001, 0.362)),
         ("h1", 0.0285, (-0.065, 0.472, 1.716)), ("h1", 0.0285, (1.371, 0.874, 0.724)),
         ("h1", 0.0285, (-0.007, 0.007, -0.004)), ("ho", 0.3964, (0.022, 2.23, -0.522))],
        [(1, 2), (1, 3), (1, 4), (1, 5), (2, 6)],
        (-3.491, 0.017),
    ),
    "ethanol": Solute(
        "mobley_2310185",
        [("c3", -0.0969, (1.062, -0.268, -0.001)), ("c3", 0.1298, (1.91, 0.913, -0.422)),
         ("oh", -0.5995, (1.517, 1.324, -1.723)), ("hc", 0.0448, (1.339, -0.611, 1.0)),
         ("hc", 0.0448, (0, 0, -0.001)), ("hc", 0.0448, (1.18, -1.099, -0.704)),
         ("h1", 0.0171, (2.968, 0.636, -0.445)), ("h1", 0.0171, (1.773, 1.75, 0.269)),
         ("ho", 0.398, (2.079, 2.079, -1.961))],
        [(1, 2), (2, 3), (1, 4), (1, 5), (1, 6), (2, 7), (2, 8), (3, 9)],
        (-3.394, 0.020),
    ),
}  # fmt: skip
WELLS = [0.0, 0.2, 0.4, 0.55, 0.7, 0.8, 0.9, 1.0]
CHARGES = [0.0, 0.25, 0.5, 0.75]

MDP = """\
integrator = sd
dt = 0.002
nsteps = {steps}
cutoff-scheme = Verlet
rcoulomb = 1.0
rvdw = 1.0
vdw-modifier = none
DispCorr = EnerPres
coulombtype = PME
tc-grps = System
tau-t = 1.0
ref-t = 298.15
pcoupl = C-rescale
tau-p = 2.0
ref-p = 1.01325
compressibility = 4.5e-5
gen-vel = yes
gen-temp = 298.15
constraints = h-bonds
nstxout-compressed = 0
nstenergy = 500
nstlog = 500
free-energy = yes
couple-moltype = MOL
couple-lambda0 = vdw-q
couple-lambda1 = none
couple-intramol = no
coul-lambdas = {charges}
vdw-lambdas = {wells}
calc-lambda-neighbors = -1
sc-alpha = 0.5
init-lambda-state = 0
nstdhdl = 50
"""


def term(kinds: tuple[str, ...], table: dict) -> tuple:
    found = table.get(kinds) or table.get(kinds[::-1])
    if found is None:
        sys.exit(f"there are no parameters of {'-'.join(kinds)}")
    return found


def chains(bonds: list[tuple[int, int]], length: int) -> list[tuple[int, ...]]:
    """Atoms that bonds join one after the other, each chain in one direction."""
    near: dict[int, list[int]] = {}
    for a, b in bonds:
        near.setdefault(a, []).append(b)
        near.setdefault(b, []).append(a)
    found = [(a,) for a in near]
    for _ in range(length - 1):
        found = [(*chain, b) for chain in found for b in near[chain[-1]] if b not in chain]
    return [chain for chain in found if chain[0] < chain[-1]]


def topology(solute: Solute, waters: int) -> str:
    kinds = [kind for kind, _, _ in solute.atoms]
    text = "[ defaults ]\n1 2 yes 0.5 0.8333333333\n[ atomtypes ]\n"
    for kind, (sigma, epsilon, mass) in TYPES.items():
        text += f"{kind} {mass} 0.0 A {sigma} {epsilon}\n"
    text += "[ moleculetype ]\nMOL 3\n[ atoms ]\n"
    for k, (kind, charge, _) in enumerate(solute.atoms, 1):
        name = f"{'H' if kind[0] == 'h' else kind[0].upper()}{k}"
        text += f"{k} {kind} 1 MOL {name} {k} {charge} {TYPES[kind][2]}\n"

    def of(chain: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(kinds[atom - 1] for atom in chain)

    def line(chain: tuple[int, ...], *values: float) -> str:
        return " ".join(map(str, (*chain, *values))) + "\n"

    text += "[ bonds ]\n"
    text += "".join(line(pair, 1, *term(of(pair), BONDS)) for pair in solute.bonds)
    fours = chains(solute.bonds, 4)
    if fours:
        text += "[ pairs ]\n" + "".join(line((chain[0], chain[3]), 1) for chain in fours)
    text += "[ angles ]\n"
    text += "".join(line(c, 1, *term(of(c), ANGLES)) for c in chains(solute.bonds, 3))
    if fours:
        text += "[ dihedrals ]\n"
    for chain in fours:
        whole = TORSIONS.get(of(chain)) or TORSIONS.get(of(chain)[::-1])
        for values in whole or term(of(chain)[1:3], TORSIONS):
            text += line(chain, 9, *values)
    return text + (
        "[ moleculetype ]\nSOL 2\n[ atoms ]\n1 OW 1 SOL OW 1 -0.834 16.0\n"
        "2 HW 1 SOL HW1 1 0.417 1.008\n3 HW 1 SOL HW2 1 0.417 1.008\n"
        "[ settles ]\n1 1 0.09572 0.15139\n[ exclusions ]\n1 2 3\n2 1 3\n3 1 2\n"
        f"[ system ]\nx\n[ molecules ]\nMOL 1\nSOL {waters}\n"
    )


def write_system(folder: Path, solute: Solute) -> None:
    random = numpy.random.default_rng(1)
    half = numpy.radians(104.52) / 2
    arm = 0.09572 * numpy.array([numpy.sin(half), numpy.cos(half)])
    water = numpy.array([(0, 0, 0), (arm[0], arm[1], 0), (-arm[0], arm[1], 0)])
    places = 0.1 * numpy.array([place for _, _, place in solute.atoms])
    length = SPACING * EDGE
    places += length / 2 - places.mean(axis=0)
    atoms = [("MOL", 1, f"A{k}", at) for k, at in enumerate(places, 1)]
    number = 1
    for cell in numpy.ndindex(EDGE, EDGE, EDGE):
        oxygen = (numpy.array(cell) + 0.5) * SPACING
        if numpy.linalg.norm(places - oxygen, axis=1).min() < 0.26:
            continue
        number += 1
        turned, _ = numpy.linalg.qr(random.normal(size=(3, 3)))
        for name, at in zip(("OW", "HW1", "HW2"), oxygen + water @ turned.T, strict=True):
            atoms.append(("SOL", number, name, at))
    lines = ["x", str(len(atoms))]
    for k, (residue, of, name, at) in enumerate(atoms, 1):
        lines.append(f"{of:5d}{residue:<5s}{name:>5s}{k:5d}" + "".join(f"{x:10.5f}" for x in at))
    lines.append(f"{length:.5f} {length:.5f} {length:.5f}")
    (folder / "conf.gro").write_text("\n".join(lines) + "\n", encoding="ascii")
    (folder / "topol.top").write_text(topology(solute, number - 1), encoding="ascii")


def sterna(folder: Path, *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sterna", *arguments], cwd=folder, capture_output=True, text=True,
        check=False, env=dict(os.environ, PYTHONPATH=str(ROOT / "python"), OMP_NUM_THREADS="1"),
    )  # fmt: skip
    if done.returncode != 0:
        sys.exit(f"sterna {' '.join(arguments)} has failed:\n{done.stdout}{done.stderr}")


def free_energy(folder: Path, name: str, steps: int, cores: int) -> dict[str, float]:
    """kcal/mol, and the error by MBAR."""
    solute = SOLUTES[name]
    folder.mkdir(parents=True, exist_ok=True)
    write_system(folder, solute)
    # Methane's charges matter so little that one state is enough for them.
    charges = CHARGES if name != "methane" else CHARGES[:1]
    schedule = [(x, 0.0) for x in charges] + [(1.0, x) for x in WELLS]
    lists = [" ".join(f"{state[k]:g}" for state in schedule) for k in (0, 1)]
    mdp = MDP.format(steps=steps, charges=lists[0], wells=lists[1])
    (folder / "run.mdp").write_text(mdp, encoding="ascii")
    sterna(folder, "import", "topol.top", "conf.gro", "--mdp", "run.mdp", "-o", "run.toml",
           "--overwrite")  # fmt: skip
    text = (folder / "run.toml").read_text(encoding="utf-8")
    # The start is a lattice: one input minimizes it first.
    text += (
        '\n[[stage]]\nname = "minimize"\n[stage.run]\nintegrator = "minimize"\nsteps = 500\n'
        f'[[stage]]\nname = "run"\n[stage.run]\nsteps = {steps}\n'
    )
    (folder / "run.toml").write_text(text, encoding="utf-8")
    states = list(range(len(schedule)))
    (folder / "states.toml").write_text(
        f'input = "run.toml"\ncollect = ["potential_energy"]\n[vary]\n"alchemy.state" = {states}\n',
        encoding="utf-8",
    )
    sterna(folder, "sweep", "states.toml", "--cores", str(cores))
    files = [read_states(path) for path in sorted(folder.rglob("*.dhdl.xvg"))]
    files = [file for file in files if len(file.time) > 1]
    late = [file.from_time(file.time[0] + 0.1 * (file.time[-1] - file.time[0])) for file in files]
    found = free_energies_of_states(late)
    unit = found.thermal_energy / KCAL
    return {
        "found": -unit * float(found.free_energy[-1]),
        "error": unit * float(found.error[-1]),
        "least_overlap": float(found.of_neighbors().min()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="./dev bench hydration", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--molecules", default=",".join(SOLUTES))
    parser.add_argument("--steps", type=int, default=50000)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    names = options.molecules.split(",")
    for name in names:
        if name not in SOLUTES:
            sys.exit(f"there is no {name}; expected {', '.join(SOLUTES)}")
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.folder or Path(temporary)).resolve()
        print("molecule   kcal/mol   error   published   minutes of processor time")
        for name in names:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            found = free_energy(folder / name, name, options.steps, options.cores)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            minutes = (after.ru_utime - before.ru_utime) / 60.0
            published, error = SOLUTES[name].published
            rows.append({"molecule": name, **found, "published": published,
                         "published_error": error, "minutes": minutes})  # fmt: skip
            print(f"{name:9} {found['found']:9.3f} {found['error']:7.3f} {published:11.3f} "
                  f"{minutes:10.1f}", flush=True)  # fmt: skip
    if options.output:
        report = {
            "command": f"./dev bench hydration --molecules {options.molecules} "
            f"--steps {options.steps}",
            "processor": processor(),
            "rows": rows,
        }
        options.output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
