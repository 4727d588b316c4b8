"""Do single runs of `sterna vle` have the errors that they state? The judge is the spread over seeds.

    python tests/campaign/errors_of_equilibria.py lennard_jones -t 1.0 --seeds 24 --folder runs

Each seed is a study of its own. For each quantity it prints the spread over the seeds by the mean
stated error: 1 where errors are right. The spread of n seeds is itself uncertain by 1/sqrt(2 (n - 1)).
Averages of the liquids come from their logs. Those of vapors are left out: each vapor runs at a density
of its own.
"""

import argparse
import json
import math
import multiprocessing
import sys
import tempfile
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import sterna  # noqa: E402

FIRST_SEED = 1000
OF_LIQUIDS = (
    "density", "density_", "pressure", "potential_energy", "excess_chemical_potential_by_kT_",
    "reduced_chemical_potential_", "partial_molar_volume_",
)  # fmt: skip


def study(given: tuple[argparse.Namespace, Path, int, bool]) -> dict[str, tuple[float, float]]:
    """Values and errors of one seed by names, those of the liquid's averages first."""
    options, folder, seed, runs = given
    found = sterna.vle(
        options.model, options.temperature, folder / str(seed), options.molecules, options.steps,
        options.equilibration, cores=1, reference="none", seed=FIRST_SEED + seed, tell=None,
        run=runs, insertions=options.insertions,
    )  # fmt: skip
    values: dict[str, tuple[float, float]] = {}
    sweep = sterna.Sweep(folder / str(seed) / "liquids.toml")
    for point, t in zip(sweep.points, found.temperature, strict=True):
        result = point.runs[0].result
        for name, average in (result.averages if result else {}).items():
            wanted = any(
                name == one or (one.endswith("_") and name.startswith(one)) for one in OF_LIQUIDS
            )
            if wanted and average.error is not None:
                values[f"{t:g}: {name} of the liquid"] = average.mean, average.error
    for k, t in enumerate(found.temperature):
        for name in found.units:
            if math.isfinite(found[name][k]):
                values[f"{t:g}: {name}"] = found[name][k], found.error(name)[k]
    return values


def main() -> None:
    """Runs the studies and prints a table as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("-t", "--temperature", required=True)
    parser.add_argument("--seeds", type=int, default=24)
    parser.add_argument("--molecules", type=int, default=250)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--equilibration", type=int, default=4000)
    parser.add_argument("--insertions", type=int, default=1000)
    parser.add_argument("--folder", type=Path, help="of all runs, which are kept")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--judge", action="store_true", help="run nothing, judge what is there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, multiprocessing.Pool(options.jobs) as pool:
        folder = options.folder or Path(temporary)
        given = [(options, folder, seed, not options.judge) for seed in range(options.seeds)]
        studies = pool.map(study, given, chunksize=1)
    table = {}
    for name in dict.fromkeys(name for one in studies for name in one):
        found = numpy.array([one[name] for one in studies if name in one])
        found = found[numpy.isfinite(found).all(axis=1)]
        if len(found) < 4:
            continue
        spread, error = found[:, 0].std(ddof=1), found[:, 1].mean()
        table[name] = {
            "seeds": len(found),
            "mean": float(f"{found[:, 0].mean():.5g}"),
            "spread": float(f"{spread:.3g}"),
            "error": float(f"{error:.3g}"),
            "ratio": round(float(spread / error), 2),
        }
    print(json.dumps(table, indent=1))


if __name__ == "__main__":
    main()
