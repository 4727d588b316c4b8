"""What a build of GROMACS says of itself."""

import re
import subprocess


def title(program: str) -> str:
    """With the instruction set that it was built for, which tells builds apart."""
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    simd = re.search(r"SIMD instructions: +(\S+)", told.stdout + told.stderr)
    return f"gromacs {simd[1]}" if simd else "gromacs"
