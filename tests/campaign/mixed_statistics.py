"""Means of long runs: water as components, as atoms that move as rotors, as atoms with SETTLE, and mixed; and
temperatures of each kind of motion of argon, flexible and rigid molecules on silicon at constant energy.

python tests/campaign/mixed_statistics.py water --parts 12 --steps 2000 --settling 4000
python tests/campaign/mixed_statistics.py motion --samples 150
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from mixed_motion import TEMPERATURE, equipartition
from three_waters import WAYS, Means, means_of, sigmas


def shown(values: numpy.ndarray) -> str:
    error = values.std(ddof=1) / numpy.sqrt(len(values))
    return f"{values.mean():12.4f} +- {error:<9.4f}"


def water(folder: Path, asked: argparse.Namespace) -> float:
    """The largest difference from water as components, in standard errors."""
    found: dict[str, Means] = {}
    worst = 0.0
    for way in WAYS:
        found[way] = means_of(folder, way, asked.parts, asked.steps, asked.settling)
        for key, values in vars(found[way]).items():
            apart = sigmas(values, getattr(found["components"], key)) if len(found) > 1 else 0.0
            worst = max(worst, abs(apart))
            print(f"{way:12} {key:18} {shown(values)} {apart:6.2f} standard errors", flush=True)
    return worst


def motion(folder: Path, asked: argparse.Namespace) -> float:
    """The largest difference from the temperature of the bath, in standard errors."""
    worst = 0.0
    for kind, values in equipartition(folder, asked.samples).items():
        if kind == "spread":
            print(f"total energy of a run: {values.max():.3g} kJ/mol of spread at most")
            continue
        apart = (values.mean() - TEMPERATURE) / (values.std(ddof=1) / numpy.sqrt(len(values)))
        worst = max(worst, abs(apart))
        print(f"{kind:12} {shown(values)} K {apart:6.2f} standard errors", flush=True)
    return worst


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["water", "motion"])
    parser.add_argument("--parts", type=int, default=12)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--settling", type=int, default=4000)
    parser.add_argument("--samples", type=int, default=150)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        worst = (water if asked.what == "water" else motion)(Path(name), asked)
    print(f"largest difference: {worst:.2f} standard errors")
    return 0 if worst < 5.0 else 1


if __name__ == "__main__":
    sys.exit(main())
