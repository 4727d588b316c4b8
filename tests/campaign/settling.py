"""How good the averages of a run are: on synthetic series, and on runs that are there.

python tests/campaign/settling.py --series 200 --seed 1 [LOG ...]
"""

import argparse
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from settling_series import synthetic_series
from sterna.results.log import Log, read_log


def average_of(values):
    """Of a series in place of the temperature, as the engine finds it."""
    rows = [
        {"event": "thermo", "step": step, "time": step, "temperature": float(value)}
        for step, value in enumerate(values)
    ]
    averages = Log(rows).averages()
    return averages["temperature"], averages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("logs", nargs="*", type=Path)
    asked = parser.parse_args()
    count, covered, flagged, left_out = (defaultdict(int) for _ in range(4))
    for series in synthetic_series(asked.series, asked.seed):
        average, all_of_them = average_of(series.values)
        key = (series.settled, series.kind)
        count[key] += 1
        covered[key] += abs(average.mean) < average.error
        flagged[key] += average.settled is False
        left_out[key] += all_of_them.rows_left_out / len(series.values)
    for settled in (True, False):
        print(f"{'settled' if settled else 'unsettled':<28} series  covered  flagged  left out")
        keys = [key for key in count if key[0] == settled]
        for key in keys:
            n = count[key]
            print(
                f"  {key[1]:<26} {n:6d} {100 * covered[key] / n:6.0f} % "
                f"{100 * flagged[key] / n:6.0f} % {100 * left_out[key] / n:6.0f} %"
            )
        n = sum(count[key] for key in keys)
        print(
            f"  {'all':<26} {n:6d} {100 * sum(covered[k] for k in keys) / n:6.1f} % "
            f"{100 * sum(flagged[k] for k in keys) / n:6.1f} %"
        )
    for path in asked.logs:
        print(f"\n{path}\n{read_log(path).averages()}")


if __name__ == "__main__":
    main()
