#!/usr/bin/env python3
"""Writes the tables of docs/validation.md from benchmarks/results.

    python tools/write_validation_tables.py [--check]

With --check it writes nothing and ends with status 1 where the page is older than the results.
"""

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]
from document_table import DOCS, markdown_table, with_block  # noqa: E402
from sterna.validation.comparison import Comparison  # noqa: E402
from sterna.validation.study import HEADER, row_of  # noqa: E402

# Files of benchmarks/results, and blocks of docs/validation.md.
STUDIES = (
    "lj_equation_of_state_nist",
    "lj_equation_of_state_thol",
    "lj_slab",
    "lj_slab_0.9",
    "carbon_dioxide_slab",
    "water_energy_drift",
    "liquid_spce",
    "liquid_tip3p",
    "liquid_tip4p_2005",
    "liquid_butane",
    "liquid_ethanol",
)


def main() -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    page = DOCS / "validation.md"
    old = new = page.read_text(encoding="utf-8")
    for name in STUDIES:
        file = ROOT / "benchmarks" / "results" / f"{name}.json"
        study = json.loads(file.read_text(encoding="utf-8"))
        rows = [row_of(Comparison.from_json(result)) for result in study["results"]]
        new = with_block(new, name, f"`{study['command']}`\n\n{markdown_table(HEADER, rows)}")
    if new == old:
        return 0
    if arguments.check:
        print(f"old: {page.relative_to(ROOT)}; write it with ./dev docs", file=sys.stderr)
        return 1
    page.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
