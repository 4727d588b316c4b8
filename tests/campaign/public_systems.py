"""Public systems of GROMACS beside gmx_d, then 500 steps with their own settings on 1 and 2 ranks.

    python tests/campaign/public_systems.py CHECKOUTS [NAME ...]

CHECKOUTS is a folder with checkouts of the repositories that SYSTEMS names. Where an .mdp file asks for
what is refused, that is printed, and the run is that of SETTINGS.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from sterna.errors import SternaError
from sterna.importing.gromacs.gromacs_system import Choices, read_gromacs
from sterna.importing.gromacs.judge import compare, find_judge
from sterna.importing.molecules import Molecules

SETTINGS = """\
integrator = md
dt = 0.001
nsteps = 500
coulombtype = PME
rcoulomb = {cutoff}
rvdw = {cutoff}
vdw-modifier = Potential-shift
constraints = h-bonds
tcoupl = v-rescale
tc-grps = System
tau-t = 0.5
ref-t = 300
gen-vel = yes
gen-temp = 300
"""
STEPS = 500
#: What Sterna refuses, what stands in its place, and what the record says.
REPLACED = (
    (r"(?im)^(\s*pcoupl\s*=\s*)berendsen\b.*$", r"\1C-rescale", "C-rescale for Berendsen"),
    (r"(?im)^(\s*tcoupl\s*=\s*)berendsen\b.*$", r"\1v-rescale", "v-rescale for Berendsen"),
)


@dataclass(frozen=True)
class PublicSystem:
    folder: str
    top: str
    gro: str
    mdp: str = ""  #: empty: SETTINGS
    cutoff: float = 0.9  #: nm, where there is no .mdp
    box: float = 0.0  #: nm, where the .gro has none


_PARMED, _INTERMOL = "ParmEd+ParmEd/", "shirtsgroup+InterMol/intermol/tests/gromacs/"
_OPENMM = "openmm+openmm/wrappers/python/tests/systems/"
_MARTINI = "maccallumlab+martini_openmm/tests/"
_GROMACS = "gromacs+gromacs/src/testutils/simulationdatabase/"


def _unit(name: str, box: float = 0.0) -> PublicSystem:
    return PublicSystem(_INTERMOL + f"unit_tests/{name}/", f"{name}.top", f"{name}.gro", box=box)


def _martini(name: str) -> PublicSystem:
    return PublicSystem(_MARTINI + f"{name}/gmx/", "system.top", "minimized.gro", "martini_md.mdp")


SYSTEMS = {
    "martini m2_chol": _martini("m2_chol"),
    "martini MOL1": _martini("MOL1"),
    "martini PEG": _martini("PEG"),
    "martini pol_water": _martini("pol_water"),
    "martini protein": _martini("protein"),
    "martini simple_lipid": _martini("simple_lipid"),
    "martini complex_lipid": _martini("complex_lipid"),
    "martini membrane_protein": _martini("membrane_protein"),
    "martini 1ubq_en_m2_btype6": _martini("1ubq_en_m2_btype6"),
    "martini 1ubq_en_m3": _martini("1ubq_en_m3"),
    "martini 1ubq_go_m3": _martini("1ubq_go_m3"),
    "martini 1k6u_go_m3": _martini("1k6u_go_m3"),
    "martini popc_m3": _martini("popc_m3"),
    "martini aden_m3": _martini("aden_m3"),
    "martini thym_m3": _martini("thym_m3"),
    "martini CAFF": _martini("small_mols_m3/poly/CAFF"),
    "martini ANTH": _martini("small_mols_m3/poly/ANTH"),
    "martini 3HT": _martini("small_mols_m3/mono/3HT"),
    "martini CNAP": _martini("small_mols_m3/poly/CNAP"),
    "openmm 1ppt": PublicSystem(_OPENMM, "1ppt.top", "1ppt.gro", box=6.0),
    "openmm bnz": PublicSystem(_OPENMM, "bnz.top", "bnz.gro", box=3.0),
    "openmm ionic": PublicSystem(_OPENMM, "ionic.top", "ionic.gro", box=3.0),
    "openmm vsite3-3": PublicSystem(_OPENMM, "vsite3-3.top", "vsite3-3.gro", box=3.0),
    "openmm apgr nbfix comb 1": PublicSystem(_OPENMM, "apgr.nbfix.pairs.comb1.top", "apgr.gro"),
    "openmm apgr nbfix comb 3": PublicSystem(_OPENMM, "apgr.nbfix.pairs.comb3.top", "apgr.gro"),
    "gromacs alanine_vsite_vacuo": PublicSystem(
        _GROMACS, "alanine_vsite_vacuo.top", "alanine_vsite_vacuo.gro", box=3.0
    ),
    "gromacs alanine_vsite_solvated": PublicSystem(
        _GROMACS, "alanine_vsite_solvated.top", "alanine_vsite_solvated.gro"
    ),
    "gromacs vsite_test": PublicSystem(_GROMACS, "vsite_test.top", "vsite_test.gro"),
    "gromacs nonanol_vacuo": PublicSystem(
        _GROMACS, "nonanol_vacuo.top", "nonanol_vacuo.gro", box=3.0
    ),
    "gromacs OctaneSandwich": PublicSystem(
        _GROMACS, "OctaneSandwich.top", "OctaneSandwich.gro", cutoff=1.0
    ),
    "intermol virtual21": _unit("virtual21_vacuum"),
    "intermol virtual31": _unit("virtual31_vacuum"),
    "intermol virtual32": _unit("virtual32_vacuum"),
    "intermol virtual33": _unit("virtual33_vacuum"),
    "intermol virtual34": _unit("virtual34_vacuum"),
    "intermol virtual42": _unit("virtual42_vacuum"),
    "intermol angle10": _unit("angle10_vacuum"),
    "intermol dihedral9": _unit("dihedral9_vacuum"),
    "intermol hostguest": PublicSystem(
        _INTERMOL + "stress_tests/hostguest_bulk/", "hostguest_bulk.top", "hostguest_bulk.gro"
    ),
    "intermol charmm_bilayer": PublicSystem(
        _INTERMOL + "stress_tests/charmm_bilayer/", "bilayer.top", "bilayer.gro", cutoff=1.0
    ),
    "parmed toluene-cyclohexane": PublicSystem(
        _PARMED + "GmxTests/11.Toluene-Cyclohexane/", "toluene_cyclohexane_10_500.top",
        "toluene_cyclohexane_10_500.gro",
    ),
    "parmed DPPC": PublicSystem(_PARMED + "GmxTests/12.DPPC/", "topol.top", "conf.gro"),
    "parmed DHFR-PME-Switch": PublicSystem(
        _PARMED + "GmxTests/10.DHFR-PME-Switch/", "topol.top", "conf.gro"
    ),
    "parmed rb_torsions": PublicSystem(
        _PARMED + "test/files/gmxtops/", "rb_torsions.top", "rb_torsions.gro"
    ),
    "parmed 1aki charmm27": PublicSystem(
        _PARMED + "test/files/", "1aki.charmm27.solv.top", "1aki.charmm27.solv.gro"
    ),
    "parmed ildn": PublicSystem(_PARMED + "test/files/", "ildn.solv.top", "ildn.solv.gro"),
    "parmed ala3": PublicSystem(_PARMED + "test/files/", "ala3.solv.top", "ala3.solv.gro"),
}  # fmt: skip


def own_settings(text: str) -> tuple[str, str]:
    """Those of a system with STEPS steps and its whole as the only group, and what else is replaced."""
    text = re.sub(r"(?m)^\s*nsteps\s*=.*$", f"nsteps = {STEPS}", text)
    told = []
    groups = re.search(r"(?im)^\s*tc[-_]grps\s*=([^;\n]*)", text)
    if groups is not None and len(groups[1].split()) > 1:
        text = re.sub(r"(?im)^(\s*tc[-_]grps\s*=).*$", r"\1 System", text)
        text = re.sub(r"(?im)^(\s*(?:tau|ref)[-_]t\s*=\s*\S+).*$", r"\1", text)
        told.append("one group for " + " ".join(groups[1].split()))
    for pattern, instead, what in REPLACED:
        text, count = re.subn(pattern, instead, text)
        told += [what] * bool(count)
    return text, ", ".join(told)


def beside_gromacs(system: PublicSystem, root: Path, mdp: Path | None) -> str:
    """Differences of energies and forces, the largest first. Raises SternaError."""
    judge = find_judge()
    assert judge is not None and judge.is_double
    folder = root / system.folder
    box = (system.box,) * 3 if system.box else None
    choices = Choices(system.cutoff, "none", box, mdp=mdp)
    top, gro = folder / system.top, folder / system.gro
    molecules = Molecules(read_gromacs(top, gro, choices))
    rows = compare(judge, top, gro, choices, molecules)
    worst = max((row for row in rows if row.name != "forces"), key=lambda row: row.difference)
    potential = next(row for row in rows if row.name == "potential")
    return (
        f"{len(molecules.system.atoms)} atoms, potential {potential.sterna:.6f} and "
        f"{potential.judge:.6f} kJ/mol, worst {worst.name} {worst.difference:.1e}, forces "
        f"{rows[-1].difference:.1e}"
    )


def run(system: PublicSystem, root: Path, mdp: Path, work: Path) -> str:
    """Imports and runs it. Raises SternaError where a command fails."""
    folder = root / system.folder
    box = ["--box", str(system.box)] if system.box else []
    _command(
        work, "import", folder / system.top, folder / system.gro, "--mdp", mdp, *box, "-o",
        "system.toml", "--overwrite",
    )  # fmt: skip
    starts, texts = [], []
    for ranks in (1, 2):
        begin = time.monotonic()
        _command(work, "run", "system.toml", "-n", str(ranks), "--overwrite")
        log = next(work.rglob("system.log.jsonl"))
        rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        rows = [row for row in rows if "potential_energy" in row]
        starts.append(rows[0]["potential_energy"])
        last = rows[-1]
        assert last["step"] == STEPS, last
        texts.append(f"{last['temperature']:.0f} K in {time.monotonic() - begin:.0f} s")
    apart = abs(starts[1] - starts[0]) / max(1.0, abs(starts[0]))
    return f"{STEPS} steps: {', '.join(texts)}; starts differ by {apart:.1e}"


def _command(folder: Path, *words: object) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sterna", *map(str, words)], cwd=folder, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        at = next((n for n, line in enumerate(said) if "error" in line), len(said) - 1)
        raise SternaError("\n".join(said[at:]))


def examine(name: str, root: Path) -> None:
    system = SYSTEMS[name]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        mdp = work / "run.mdp"
        text = SETTINGS.format(cutoff=system.cutoff)
        if system.mdp:
            own = (root / system.folder / system.mdp).read_text(encoding="utf-8", errors="replace")
            text, told = own_settings(own)
            if told:
                print(f"{name}: settings: {told}", flush=True)
        mdp.write_text(text, encoding="utf-8")
        for what, action in (
            ("gmx_d", lambda: beside_gromacs(system, root, mdp if system.mdp else None)),
            ("run", lambda: run(system, root, mdp, work)),
        ):
            try:
                print(f"{name}: {what}: {action()}", flush=True)
            except SternaError as error:
                print(f"{name}: {what}: {' '.join(str(error).split())[:400]}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("names", nargs="*", default=list(SYSTEMS))
    arguments = parser.parse_args()
    for name in arguments.names:
        examine(name, arguments.checkouts.resolve())


if __name__ == "__main__":
    main()
