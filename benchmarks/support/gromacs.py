"""What a build of GROMACS says of itself, and what it reads."""

import re
import subprocess


def title(program: str) -> str:
    """With the instruction set that it was built for, which tells builds apart."""
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    simd = re.search(r"SIMD instructions: +(\S+)", told.stdout + told.stderr)
    return f"gromacs {simd[1]}" if simd else "gromacs"


def water_topology(
    molecules: int, *, charge: float, sigma: float, epsilon: float, leg: float, base: float
) -> str:
    """Rigid water of three sites; `charge` is that of hydrogen, `leg` and `base` are the distances
    of oxygen and hydrogen and of both hydrogens, in nm and kJ/mol."""
    return f"""\
[ defaults ]
1 2 no
[ atomtypes ]
OW OW 8 15.9994 {-2 * charge:.4f} A {sigma} {epsilon}
HW HW 1 1.008 {charge:.4f} A 0.0 0.0
[ moleculetype ]
SOL 1
[ atoms ]
1 OW 1 SOL O 1 {-2 * charge:.4f} 15.9994
2 HW 1 SOL H1 1 {charge:.4f} 1.008
3 HW 1 SOL H2 1 {charge:.4f} 1.008
[ settles ]
1 1 {leg} {base}
[ exclusions ]
1 2 3
2 1 3
3 1 2
[ system ]
water
[ molecules ]
SOL {molecules}
"""
