"""Imports the example systems of ParmEd and compares every energy with OpenMM's.

    .venv/bin/python tests/campaign/parsers_examples.py [--folder FOLDER]

pip downloads the sources of ParmEd, which have systems of AMBER, CHARMM and GROMACS in `examples`.
`sterna import --compare` then takes each of them, and the command fails where an energy differs by
more than 1e-6. The topology of GROMACS includes its force fields, so GROMACS must be installed.
Systems without a box get one. It takes a minute.
"""

import argparse
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = "parmed==4.3.1"
LARGEST_DIFFERENCE = 1e-6
CHARMM = ("charmm/toppar/par_all36_prot.prm", "charmm/toppar/toppar_water_ions.str")
SYSTEMS = {
    "a peptide of AMBER in water": ["amber/ala2_solv.parm7", "amber/ala2_solv.rst7"],
    "a peptide of AMBER": ["amber/ala5_gas.parm7", "amber/ala5_gas.rst7", "--box=4"],
    "a peptide of CHARMM in water": [
        "charmm/ala2_charmmgui.psf", "charmm/ala2_charmmgui.crd", *CHARMM, "--box=3.3",
    ],
    "a peptide of CHARMM": [
        "charmm/ala5_autopsf.psf", "charmm/ala5_autopsf.pdb", CHARMM[0], "--box=5",
    ],
    "a protein of GROMACS": ["gromacs/dhfr_gas.top", "gromacs/dhfr_gas.gro"],
}  # fmt: skip


def download(folder: Path) -> Path:
    """The examples of ParmEd."""
    command = ["pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", SOURCES]
    subprocess.run([sys.executable, "-m", *command], cwd=folder, check=True)
    (archive,) = folder.glob("parmed-*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    (examples,) = folder.glob("parmed-*/examples")
    return examples


def compared(folder: Path, examples: Path, arguments: list[str]) -> list[str]:
    """The lines of the comparison. Raises SystemExit where the import fails."""
    words = [a if a.startswith("--") else str(examples / a) for a in arguments]
    command = [sys.executable, "-m", "sterna", "import", *words]
    done = subprocess.run(
        [*command, "-o", "out.toml", "--compare", "--overwrite"], cwd=folder, text=True,
        env={"PYTHONPATH": str(ROOT / "python"), "PATH": "/usr/local/bin:/usr/bin:/bin"},
        capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise SystemExit(done.stdout + done.stderr)
    lines = done.stdout.splitlines()
    return lines[next(n for n, line in enumerate(lines) if line.startswith("kJ/mol")) :]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="of the download; default: one that goes again")
    options = parser.parse_args()
    worst = 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = options.folder or Path(name)
        examples = download(folder)
        for title, arguments in SYSTEMS.items():
            lines = compared(Path(name), examples, arguments)
            print(title, *lines, sep="\n", end="\n\n", flush=True)
            energies = [line for line in lines[1:] if not line.startswith("forces")]
            worst = max(worst, *(float(line.split()[-1]) for line in energies))
    print(f"{len(SYSTEMS)} systems, largest difference of an energy {worst:.1e}")
    if worst > LARGEST_DIFFERENCE:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
