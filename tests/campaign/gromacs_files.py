"""Files of GROMACS with one or two places broken: an error with its place, or what gmx_d computes.

    python tests/campaign/gromacs_files.py --first 1 --trials 200 [--folder SYSTEMS]

Takes random topologies of tests/python/gromacs_topologies.py and their .gro and .mdp files, or those in
the folders of --folder (each with one .top and one .gro), and mutates one of them. What grompp refuses
must be refused here; what it takes must be refused by a name, or have the same energies and forces.
"""

import argparse
import collections
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from gromacs_topologies import Generator, write
from sterna.errors import SternaError
from sterna.importing.gromacs.gromacs_system import Choices, read_gromacs
from sterna.importing.gromacs.judge import compare, find_judge
from sterna.importing.molecules import Molecules
from sterna.importing.sites_on_charges import require_charges_apart

_PIECES = (
    "", "x", "-1", "0", "1", "2", "3", "4", "5", "9", "10", "0.0", "1.5", "-0.3", "nan", "inf",
    "1e999", "1e5", "0x10", "1_000", "99999999999", ";", "[", "]", "#ifdef A", "#endif", "\\", "é",
    "X", "CA", "yes", "no", "H1", "V", "A", "\t", '"',
)  # fmt: skip
_LINES = (
    "[ atoms ]", "[ bonds ]", "[ pairs ]", "[ angles ]", "[ dihedrals ]", "[ exclusions ]",
    "[ constraints ]", "[ settles ]", "[ system ]", "[ molecules ]", "[ moleculetype ]",
    "[ defaults ]", "[ atomtypes ]", "[ bondtypes ]", "[ pairtypes ]", "[ nonbond_params ]",
    "[ position_restraints ]", "[ virtual_sites3 ]", "[ virtual_sitesn ]", "[ cmap ]", "[ pairs_nb ]",
    "[ intermolecular_interactions ]", "[ dihedral_restraints ]", "[ nothing ]", "[bonds", "bonds ]",
    "#ifdef POSRES", "#ifndef POSRES", "#else", "#endif", "#undef ANG", "#define 1 2", "#define CA CB",
    "#define POSRES", '#include "none.itp"', "#include ff.itp", "#if 1", "#error", "*", "1 2", "1 2 1",
    "1 2 3 4", "1 2 3 4 5", "1 1 1", "1 2 1 0.1 100", "# define A", "\\",
)  # fmt: skip
_SETTINGS = (
    "nsteps = 1e3", "nsteps = 10", "dt = 0", "dt = -0.001", "dt=.001", "rvdw = 0.7", "rvdw = 2",
    "rvdw-switch = 0.5", "rvdw-switch = 1.5", "rcoulomb = 0.5", "vdw-modifier = force-switch",
    "vdw-modifier = Potential_Shift", "vdwtype = cutoff", "vdwtype = switch", "vdwtype = user",
    "coulombtype = cutoff", "coulombtype = PME", "coulombtype = pme-user", "coulombtype = ewald",
    "cutoff-scheme = group", "cutoff-scheme = verlet", "nstlist = -1", "nstlist = x", "pbc = no",
    "constraints = hbonds", "constraints = all_bonds", "constraints = none", "constraints = h-angles",
    "epsilon-r = 0", "epsilon-r = -2", "epsilon-r = 4", "DispCorr = EnerPres", "DispCorr = yes",
    "integrator = md-vv", "integrator = sd", "integrator = verlet", "tcoupl = v-rescale",
    "tcoupl = yes", "tc-grps = System", "tau-t = 0.1", "ref-t = 300", "ref-t = 300 300", "ref-t =",
    "pcoupl = berendsen", "pcoupl = C-rescale", "tau-p = 1", "ref-p = 1", "compressibility = 4.5e-5",
    "gen-vel = yes", "gen-vel = true", "gen-temp = x", "comm-mode = angular", "comm-mode = none",
    "nstcomm = -5", "nstcomm = 1.5", "ewald-geometry = 3dc", "nstxout = 1.5", "free-energy = yes",
    "freezegrps = System", "annealing = no", "periodic-molecules = yes", "morse = yes",
    "lincs-order = x", "define = POSRES", "define = -DPOSRES", "include = ..", "title = x = y",
    "= 5", "nsteps 5", "no such key = 1", "rlist = 3", "rlist = 0.3", "verlet-buffer-tolerance = 0",
    "emtol = -1", "refcoord-scaling = all", "nwall = 1", "implicit-solvent = GBSA", "DT = 0.002",
)  # fmt: skip

#: What grompp says against limits of GROMACS that Sterna does not have: the numbers are right here.
_BEYOND_GROMACS = (
    "The largest distance between excluded atoms",
    "The cut-off length is longer than half the shortest box",
)


def settings(number: random.Random, defines: list[str]) -> str:
    """A valid .mdp file of a box of 2.6 nm."""
    lines = [
        "coulombtype = PME", "rcoulomb = 0.9", "rvdw = 0.9",
        f"nsteps = {number.choice((0, 5, 100))}", f"dt = {number.choice((0.0005, 0.001))}",
    ]  # fmt: skip
    if defines:
        lines.append("define = " + " ".join(f"-D{name}" for name in defines))
    modifier = number.choice(("None", "Potential-shift", "Potential-switch", "Force-switch"))
    lines.append(f"vdw-modifier = {modifier}")
    if modifier.endswith("switch"):
        lines.append("rvdw-switch = 0.7")
    if number.random() < 0.5:
        lines += ["tcoupl = v-rescale", "tc-grps = System", "tau-t = 0.2", "ref-t = 300"]
        if number.random() < 0.5:
            lines += ["pcoupl = C-rescale", "tau-p = 2", "ref-p = 1", "compressibility = 4.5e-5"]
    lines.append(f"constraints = {number.choice(('none', 'h-bonds', 'all-bonds'))}")
    number.shuffle(lines)
    return "\n".join(lines) + "\n"


def mutated(text: str, number: random.Random, is_mdp: bool, is_places: bool) -> str:
    """The text with a word or a line changed, taken out, doubled, swapped or cut off."""
    lines = text.splitlines()
    at = number.randrange(len(lines))
    words = re.findall(r"\S+\s*", lines[at])
    kind = number.choice(
        ("word", "word", "number", "number", "delete word", "double word", "swap words", "delete",
         "double", "swap", "cut", "insert", "insert")
    )  # fmt: skip
    if kind == "number":
        places = [k for k, word in enumerate(words) if re.match(r"[-+]?[\d.]+\s*$", word)]
        if places:
            k = number.choice(places)
            old = words[k].strip()
            new = str(number.choice((-1, 0, 2, 10)) * (float(old) if "." in old else int(old)))
            if number.random() < 0.5 and "." not in old:
                new = str(int(old) + number.choice((-1, 1, 2)))
            words[k] = words[k].replace(old, new)
            lines[at] = "".join(words)
    elif kind == "word" and words:
        k = number.randrange(len(words))
        words[k] = number.choice(_PIECES) + " "
        lines[at] = "".join(words)
    elif kind == "delete word" and words:
        del words[number.randrange(len(words))]
        lines[at] = "".join(words)
    elif kind == "double word" and words:
        k = number.randrange(len(words))
        words.insert(k, words[k].rstrip() + " ")
        lines[at] = "".join(words)
    elif kind == "swap words" and len(words) > 1:
        a, b = number.sample(range(len(words)), 2)
        words[a], words[b] = words[b].rstrip() + " ", words[a].rstrip() + " "
        lines[at] = "".join(words)
    elif kind == "delete":
        del lines[at]
    elif kind == "double":
        lines.insert(at, lines[at])
    elif kind == "swap":
        other = number.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == "cut":
        whole = "\n".join(lines)
        return whole[: number.randrange(len(whole))]
    elif is_mdp:
        lines.insert(at, number.choice(_SETTINGS))
    elif not is_places:
        lines.insert(at, number.choice(_LINES))
    return "\n".join(lines) + "\n"


def verdict_of_grompp(program: str, folder: Path, top: str, gro: str) -> str:
    """Nothing, or what it says against the files."""
    try:
        done = subprocess.run(
            [program, "-quiet", "grompp", "-f", "run.mdp", "-c", gro, "-r", gro, "-p", top, "-o",
             "judged.tpr", "-maxwarn", "1000"],
            cwd=folder, capture_output=True, text=True, errors="replace", check=False, timeout=60,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "it does not end"  # such as `define = = -DX`
    if done.returncode == 0:
        return ""
    said = (done.stderr + done.stdout).splitlines()
    starts = [n for n, line in enumerate(said) if re.search(r"\bERROR \d|Fatal error|rror:", line)]
    first = starts[0] if starts else max(0, len(said) - 5)
    return " ".join(" ".join(said[first : first + 5]).split())


def trial(seed: int, folder: Path, sources: list[Path], numbers: bool, program: str) -> tuple:
    """An outcome and what to say of it."""
    number = random.Random(seed)
    if sources and number.random() < 0.5:
        source = number.choice(sources)
        shutil.copytree(source, folder, dirs_exist_ok=True)
        top = next(folder.glob("*.top")).name
        gro = next(folder.glob("*.gro")).name
        names = [path.relative_to(folder).as_posix() for path in folder.rglob("*.[ti][ot]p")]
        (folder / "run.mdp").write_text(settings(number, []), encoding="utf-8")
    else:
        generator = Generator(number.randrange(10**6))
        write(generator, folder)
        top, gro = "topol.top", "conf.gro"
        names = [name for name in generator.files if name.endswith((".top", ".itp"))]
        (folder / "run.mdp").write_text(settings(number, generator.defines), encoding="utf-8")
    changed = []
    for _ in range(number.choice((1, 1, 1, 2))):
        name = number.choice((*names, *names, *names, gro, "run.mdp", "run.mdp"))
        path = folder / name
        text = path.read_text(encoding="utf-8")
        other = mutated(text, number, name == "run.mdp", name == gro)
        path.write_text(other, encoding="utf-8")
        changed.append(name + ": " + difference(text, other))
    what = " | ".join(changed)
    refused = verdict_of_grompp(program, folder, top, gro)
    choices = Choices(1.0, mdp=folder / "run.mdp")
    try:
        system = read_gromacs(folder / top, folder / gro, choices)
        require_charges_apart(system)
        molecules = Molecules(system)
    except SternaError as error:
        message = str(error).splitlines()[0]
        if refused:
            has_place = re.search(r"\.(top|itp|gro|mdp)(:\d+:\d+)?: error: ", message)
            return ("both refuse" if has_place or "has" in message else "no place"), (what, message)
        return "refused here", (what, message)
    if refused:
        known = next((one for one in _BEYOND_GROMACS if one in refused), None)
        if known is not None:
            return f'right here: "{known}"', (what,)
        return "REFUSED BY GROMPP ONLY", (what, refused)
    if not numbers:
        return "both take", (what,)
    judge = find_judge()
    assert judge is not None
    try:
        rows = compare(judge, folder / top, folder / gro, choices, molecules)
    except SternaError as error:
        message = " ".join(str(error).split())[:400]
        program = "GROMACS" if message.startswith("gmx_d mdrun") else "Sterna"
        return f"{program} does not run", (what, message)
    wrong = [row for row in rows if row.difference > 1e-5]
    return ("DIFFERS" if wrong else "same numbers"), (what, *map(str, wrong))


def difference(old: str, new: str) -> str:
    """The first line that differs."""
    before, after = old.splitlines(), new.splitlines()
    for n, (a, b) in enumerate(zip(before, after, strict=False), 1):
        if a != b:
            return f"{n}: {a[:100]!r} -> {b[:100]!r}" + (
                "" if len(before) == len(after) else f" ({len(after) - len(before):+d} lines)"
            )
    return f"cut after line {len(after)} of {len(before)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--folder", type=Path, help="of folders with systems")
    parser.add_argument("--verdicts", action="store_true", help="do not compare numbers")
    parser.add_argument("--all", action="store_true", help="show what is as it should be, too")
    arguments = parser.parse_args()
    judge = find_judge()
    if judge is None or not judge.is_double:
        print("nothing was proven: gmx_d is not installed")
        return 3
    sources = []
    if arguments.folder is not None:
        sources = [
            path for path in sorted(arguments.folder.iterdir())
            if len(list(path.glob("*.top"))) == 1 and len(list(path.glob("*.gro"))) == 1
        ]  # fmt: skip
    outcomes: dict[str, int] = collections.Counter()
    for seed in range(arguments.first, arguments.first + arguments.trials):
        with tempfile.TemporaryDirectory(prefix="broken-") as name:
            outcome, texts = trial(seed, Path(name), sources, not arguments.verdicts, judge.program)
        outcomes[outcome] += 1
        if arguments.all or outcome not in ("both refuse", "both take", "same numbers"):
            print(f"seed {seed}: {outcome}", *texts, sep="\n    ", flush=True)
    for outcome, count in outcomes.most_common():
        print(f"{count:5d} {outcome}")
    return 1 if any(outcome.isupper() for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
