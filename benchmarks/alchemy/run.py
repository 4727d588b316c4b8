#!/usr/bin/env python3
"""What switching off one molecule costs a system of 24 thousand atoms, beside GROMACS.

    ./dev bench alchemy [--edge 20] [--steps 200] [--repeats 3] [--output FILE]
    ./dev bench alchemy --instructions [--edge 20] [--output FILE]

One molecule of methane of OPLS in rigid SPC/E water, of which there are edge^3 molecules. Four systems
run by turns on one rank:

- `plain`: without [alchemy];
- `alchemical`: in a state in which van der Waals interactions are half off, and no energies of states;
- `states`: the same, with the energies of 20 states every 100 steps;
- `charged`: a state in which charges are half off, with those energies.

The time of a step is that of a run with more steps minus that of a run with few, divided by the
difference, in processor time of the whole process (the shortest of the repeats). With --instructions
valgrind counts instructions of 6 steps, each of which writes energies of states; the table has a
hundredth of what they cost. Nothing else on the machine changes these numbers. GROMACS runs the first three (`gmx`, or STERNA_GROMACS) where it is
installed, with particle-mesh Ewald sums in place of the multipole method.
"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "benchmarks" / "support")]
from process import processor  # noqa: E402
from sterna.launching.program import find_program  # noqa: E402

SPACING = 0.3104  # nm, of water molecules at 0.0299 nm^3 each
INTERVAL = 100  # steps between two rows of energies
FEW = 100  # steps of the shorter run
FEW_COUNTED, COUNTED = 2, 4  # the same and the difference, where instructions are counted

TOPOLOGY = """\
[ defaults ]
1 2 yes 0.5 0.8333
[ atomtypes ]
OW 8 15.9994 -0.8476 A 0.316557 0.650194
HW 1 1.008 0.4238 A 0.0 0.0
CT 6 12.011 0.0 A 0.35 0.276144
HC 1 1.008 0.0 A 0.25 0.12552
[ moleculetype ]
MOL 3
[ atoms ]
1 CT 1 MOL C 1 -0.24 12.011
2 HC 1 MOL H1 1 0.06 1.008
3 HC 1 MOL H2 1 0.06 1.008
4 HC 1 MOL H3 1 0.06 1.008
5 HC 1 MOL H4 1 0.06 1.008
[ bonds ]
1 2 1 0.109 284512
1 3 1 0.109 284512
1 4 1 0.109 284512
1 5 1 0.109 284512
[ angles ]
2 1 3 1 107.8 276.144
2 1 4 1 107.8 276.144
2 1 5 1 107.8 276.144
3 1 4 1 107.8 276.144
3 1 5 1 107.8 276.144
4 1 5 1 107.8 276.144
[ moleculetype ]
SOL 2
[ atoms ]
1 OW 1 SOL OW 1 -0.8476 15.9994
2 HW 1 SOL HW1 1 0.4238 1.008
3 HW 1 SOL HW2 1 0.4238 1.008
[ settles ]
1 1 0.1 0.16330
[ exclusions ]
1 2 3
2 1 3
3 1 2
[ system ]
methane in water
[ molecules ]
MOL 1
SOL {waters}
"""
MDP = """\
integrator = md
dt = 0.0005
nsteps = {steps}
cutoff-scheme = Verlet
rcoulomb = 0.9
rvdw = 0.9
coulombtype = PME
tcoupl = v-rescale
tc-grps = System
tau-t = 0.05
ref-t = 298.15
gen-vel = yes
gen-temp = 298.15
gen-seed = 1
constraints = none
nstlog = 0
nstenergy = {energies}
nstcalcenergy = 100
"""
#: 5 states of charges, and then those of van der Waals interactions.
CHARGES = [0, 0.25, 0.5, 0.75] + [1] * 16
WELLS = [0] * 4 + [k / 15 for k in range(16)]
FREE_ENERGY = """\
free-energy = yes
couple-moltype = MOL
couple-lambda0 = vdw-q
couple-lambda1 = none
couple-intramol = no
coul-lambdas = {charges}
vdw-lambdas = {wells}
calc-lambda-neighbors = -1
sc-alpha = 0.5
init-lambda-state = {state}
nstdhdl = {interval}
"""
#: State and steps between two rows of each system.
SYSTEMS = {"plain": None, "alchemical": (12, 0), "states": (12, INTERVAL), "charged": (2, INTERVAL)}


def write_system(folder: Path, edge: int) -> int:
    """Writes topol.top and conf.gro; returns the number of atoms."""
    random = numpy.random.default_rng(1)
    half = numpy.radians(109.47) / 2
    arm = 0.1 * numpy.array([numpy.sin(half), numpy.cos(half)])
    water = numpy.array([(0, 0, 0), (arm[0], arm[1], 0), (-arm[0], arm[1], 0)])
    h = 0.109 / 3**0.5
    methane = numpy.array([(0, 0, 0), (h, h, h), (h, -h, -h), (-h, h, -h), (-h, -h, h)])
    length = SPACING * edge
    center = numpy.full(3, (edge // 2 + 0.5) * SPACING)
    atoms = [("MOL", 1, name, center + at) for name, at in zip("CHHHH", methane, strict=True)]
    number = 1
    for cell in numpy.ndindex(edge, edge, edge):
        oxygen = (numpy.array(cell) + 0.5) * SPACING
        if numpy.linalg.norm(oxygen - center) < 0.25:
            continue
        number += 1
        turned, _ = numpy.linalg.qr(random.normal(size=(3, 3)))
        for name, at in zip(("OW", "HW1", "HW2"), oxygen + water @ turned.T, strict=True):
            atoms.append(("SOL", number, name, at))
    lines = ["methane in water", str(len(atoms))]
    for k, (residue, of, name, at) in enumerate(atoms, 1):
        place = "".join(f"{x:10.5f}" for x in at)
        lines.append(f"{of % 100000:5d}{residue:<5s}{name:>5s}{k % 100000:5d}{place}")
    lines.append(f"{length:.5f} {length:.5f} {length:.5f}")
    (folder / "conf.gro").write_text("\n".join(lines) + "\n", encoding="ascii")
    (folder / "topol.top").write_text(TOPOLOGY.format(waters=number - 1), encoding="ascii")
    return len(atoms)


def settings(name: str, steps: int, counts_instructions: bool) -> str:
    text = MDP.format(steps=steps, energies=INTERVAL)
    if SYSTEMS[name] is not None:
        state, interval = SYSTEMS[name]
        interval = min(interval, 1) if counts_instructions else interval
        lists = {
            key: " ".join(f"{x:.4f}" for x in values)
            for key, values in (("charges", CHARGES), ("wells", WELLS))
        }
        text += FREE_ENERGY.format(state=state, interval=interval, **lists)
    return text


def cost(command: list[str], folder: Path, counts_instructions: bool) -> float:
    """Seconds of processor time, or instructions in user mode."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", GMX_MAXBACKUP="-1")
    if counts_instructions:
        command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--log-file=count",
                   "--cachegrind-out-file=/dev/null", *command]  # fmt: skip
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} has failed:\n{done.stdout}{done.stderr}")
    if counts_instructions:
        text = (folder / "count").read_text()
        return float(re.search(r"I +refs: +([\d,]+)", text)[1].replace(",", ""))
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def by_sterna(folder: Path, name: str, steps: int, counts: bool) -> float:
    (folder / "run.mdp").write_text(settings(name, steps, counts), encoding="ascii")
    subprocess.run(
        [sys.executable, "-m", "sterna", "import", "topol.top", "conf.gro", "--mdp", "run.mdp",
         "-o", "run.toml", "--overwrite"],
        cwd=folder, check=True, capture_output=True,
        env=dict(os.environ, PYTHONPATH=str(ROOT / "python")),
    )  # fmt: skip
    command = [str(Path(find_program()).resolve()), "run.toml", "--overwrite"]
    return cost(command, folder, counts)


def by_gromacs(program: str, folder: Path, name: str, steps: int, counts: bool) -> float:
    (folder / "run.mdp").write_text(settings(name, steps, counts), encoding="ascii")
    cost([program, "-quiet", "grompp", "-f", "run.mdp", "-c", "conf.gro", "-p", "topol.top",
          "-o", "run.tpr", "-maxwarn", "10"], folder, False)  # fmt: skip
    return cost([program, "-quiet", "mdrun", "-s", "run.tpr", "-ntmpi", "1", "-ntomp", "1",
                 "-nb", "cpu", "-notunepme"], folder, counts)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="./dev bench alchemy", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--edge", type=int, default=20, help="molecules of water along each edge")
    parser.add_argument("--steps", type=int, default=200, help="steps of the difference")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    gromacs = shutil.which(os.environ.get("STERNA_GROMACS", "gmx"))
    if options.instructions:  # valgrind does not know all instructions that gmx takes
        gromacs, options.repeats, options.steps = None, 1, COUNTED
    few_steps = FEW_COUNTED if options.instructions else FEW
    runs: dict[tuple[str, str], list[float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        atoms = write_system(folder, options.edge)
        for _ in range(options.repeats):
            for system in SYSTEMS:
                programs = {"sterna": by_sterna}
                if gromacs is not None:
                    programs["gromacs"] = lambda *arguments: by_gromacs(gromacs, *arguments)
                for program, run in programs.items():
                    few, more = (
                        run(folder, system, steps, options.instructions)
                        for steps in (few_steps, few_steps + options.steps)
                    )
                    runs.setdefault((program, system), []).append((more - few) / options.steps)
    unit, scale = ("instructions", 1e-6) if options.instructions else ("processor time", 1e3)
    print(f"{atoms} atoms, {unit} of a step in {'millions' if options.instructions else 'ms'}")
    print("program   system         step   beside plain")
    rows = []
    for (program, system), all_of in runs.items():
        best, plain = min(all_of), min(runs[program, "plain"])
        if options.instructions and (SYSTEMS[system] or (0, 0))[1] > 0:
            without = min(runs[program, "alchemical"])
            best = without + (best - without) / INTERVAL
        rows.append({"program": program, "system": system, "step": best, "ratio": best / plain})
        print(f"{program:9} {system:10} {scale * best:9.3f} {best / plain:12.3f}")
    if options.output:
        named = [f"--edge {options.edge}"]
        named += (
            ["--instructions"]
            if options.instructions
            else [f"--steps {options.steps}", f"--repeats {options.repeats}"]
        )
        report = {
            "command": "./dev bench alchemy " + " ".join(named),
            "processor": processor(),
            "atoms": atoms,
            "rows": rows,
        }
        options.output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
