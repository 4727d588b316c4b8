#!/usr/bin/env python3
"""The Lennard-Jones melt in Sterna, LAMMPS and GROMACS, side by side in one run.

    ./dev bench lj_melt [--sizes 32k,256k,2M] [--ranks 1,2] [--repeats 5] [--priority]
                        [--undisturbed MINUTES]

Density 0.8442, crystal of temperature 1.44 melted over 600 steps, cutoff 2.5, skin 0.3, time step
0.005, constant energy. All engines start from the same positions and velocities, pinned to the same
cores, one after the other in each round; times are those of the engines' own timers of their loops.
LAMMPS (tools/install_lammps) runs in the style and neighbor setting that a first measurement finds
fastest of those that miss no pair; GROMACS (apt-get install gromacs) likewise.

Prints a table and the targets; writes benchmarks/results/lj_melt.json after every round, and at the
end the table of docs/benchmarks.md.
"""

import argparse
import json
import os
import platform
import shlex
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python"), str(ROOT / "tools"), str(ROOT / "benchmarks" / "support")]
from document_table import markdown_table, replace_block  # noqa: E402
from engines import Gromacs, Lammps, Measurement, Sterna  # noqa: E402
from process import Cores, EngineError, processor  # noqa: E402
from start import CELLS, melt  # noqa: E402
from undisturbed import Undisturbed, add_undisturbed_option  # noqa: E402

# Long enough that a run of one rank takes some seconds, short enough that a round ends in minutes.
STEPS = {"4k": 2000, "32k": 1000, "108k": 400, "256k": 200, "500k": 100, "2M": 40}
CALIBRATION_STEPS = {"4k": 1000, "32k": 200}

PRECISIONS = ("double", "mixed")

SAFE_NEIGHBOR = ["delay 0 every 1 check yes", "delay 0 every 5 check yes"]
CLASSIC_NEIGHBOR = "delay 0 every 20 check no"


def say(text: str) -> None:
    print(text, flush=True)


class Results:
    """All measurements so far, and the file that holds them."""

    def __init__(self, path: Path, content: dict) -> None:
        self.path, self.content = path, content
        self.content["measurements"] = []

    def add(
        self, size: str, ranks: int, number: int, engine: str, m: Measurement, slowdown: float
    ) -> None:
        self.content["measurements"].append(
            {
                "size": size,
                "ranks": ranks,
                "round": number,
                "engine": engine,
                "nanoseconds_per_atom_step": round(m.nanoseconds, 3),
                "peak_bytes": m.peak_bytes,
                "start_energy_per_atom": m.start_energy,
                "load_average": round(os.getloadavg()[0], 2),
                "slowdown": round(slowdown, 3),
                **m.details,
            }
        )

    def of(self, size: str, ranks: int, engine: str) -> list[dict]:
        return [
            m
            for m in self.content["measurements"]
            if (m["size"], m["ranks"], m["engine"]) == (size, ranks, engine)
        ]

    def times(self, size: str, ranks: int, engine: str) -> list[float]:
        return [m["nanoseconds_per_atom_step"] for m in self.of(size, ranks, engine)]

    def ratio(self, numerator: tuple, denominator: tuple, of=statistics.median) -> float | None:
        """Of the medians, or `of` something else of the times: the least, for one."""
        above, below = self.times(*numerator), self.times(*denominator)
        return of(above) / of(below) if above and below else None

    def write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.content, indent=1) + "\n")
        new.replace(self.path)


def calibrated(candidates: list, start, size: str, what: str, ranks: int = 1):
    """The fastest of the candidates that miss no pair: the least of three rounds."""
    best: dict = {}
    steps = CALIBRATION_STEPS[size]
    for _ in range(3):
        for candidate in candidates:
            try:
                candidate.prepare(start)
                m = candidate.run(ranks, steps)
            except EngineError as error:
                say(f"  {candidate.settings}: {error}")
                continue
            if m.details.get("dangerous_builds"):
                say(f"  {candidate.settings}: {m.nanoseconds:.1f} ns, but it misses pairs")
                continue
            best[candidate] = min(best.get(candidate, 1e300), m.nanoseconds)
    for candidate, nanoseconds in best.items():
        say(f"  {candidate.settings}: {nanoseconds:.1f} ns")
    if not best:
        say(f"  {what} takes no part")
        return None
    chosen = min(best, key=best.get)
    say(f"  {what}: {chosen.settings}")
    return chosen


def lammps_candidates(folder: Path, cores: Cores) -> list:
    try:
        return [
            Lammps(style, neighbor, folder, cores)
            for style in Lammps.STYLES
            for neighbor in SAFE_NEIGHBOR
        ]
    except EngineError as error:
        say(f"  {error}")
        return []


def gromacs_candidates(folder: Path, cores: Cores, parallel: list[str]) -> list:
    try:
        return [
            Gromacs(nstlist, False, how, folder, cores)
            for nstlist in (20, 25, 30)
            for how in parallel
        ]
    except EngineError as error:
        say(f"  {error}")
        return []


def choose_engines(start, size: str, ranks: list[int], folder: Path, cores: Cores) -> list:
    """Sterna, and of each peer what a first measurement finds best."""
    say(f"choosing the settings of LAMMPS ({size}, 1 rank)")
    lammps = calibrated(lammps_candidates(folder, cores), start, size, "LAMMPS")
    say(f"choosing the settings of GROMACS ({size}, 1 rank)")
    gromacs = calibrated(gromacs_candidates(folder, cores, ["MPI ranks"]), start, size, "GROMACS")
    engines = [Sterna("double", folder, cores)]
    if lammps:
        engines.append(lammps)
    engines.append(Sterna("mixed", folder, cores))
    if gromacs:
        if max(ranks) > 1:
            both = [
                Gromacs(gromacs.nstlist, False, how, folder, cores)
                for how in ("MPI ranks", "OpenMP threads")
            ]
            say(f"choosing the settings of GROMACS ({size}, {max(ranks)} ranks)")
            gromacs = calibrated(both, start, size, "GROMACS", max(ranks)) or gromacs
        engines.append(gromacs)
    # For the record, on one rank: the settings of LAMMPS's own benchmark, whose list misses pairs
    # of this skin; and GROMACS with the list radius of the others.
    if lammps:
        engines.append(
            Lammps(lammps.style, CLASSIC_NEIGHBOR, folder, cores, "lammps every 20 unchecked")
        )
    if gromacs:
        engines.append(Gromacs(20, True, gromacs.parallel, folder, cores, "gromacs list 2.8"))
    return engines + synchronized_runs(folder, cores)


def synchronized_runs(folder: Path, cores: Cores) -> list:
    """What communication takes without waiting for each other's work: on several ranks."""
    return [Sterna(precision, folder, cores, synchronized=True) for precision in PRECISIONS]


def takes_part(engine, ranks: int) -> bool:
    if getattr(engine, "synchronized", False):
        return ranks > 1
    return ranks == 1 or engine.name in ("sterna double", "sterna mixed", "lammps", "gromacs")


def check_same_start(size: str, engine, m: Measurement, results: Results) -> None:
    """The engines compute the same system: their potential energies of the start are the same."""
    known = [
        x["start_energy_per_atom"] for x in results.content["measurements"] if x["size"] == size
    ]
    if known and abs(m.start_energy - known[0]) > 1e-4:
        raise EngineError(
            f"started with a potential energy of {m.start_energy:.6f} per atom, the others with "
            f"{known[0]:.6f}"
        )


def measure(
    size: str,
    ranks: list[int],
    repeats: int,
    engines: list,
    undisturbed: Undisturbed,
    results: Results,
) -> None:
    """The numbers of ranks of an engine one after the other: both at the same speed of the machine,
    which may change in minutes."""
    steps = STEPS[size]
    for number in range(1, repeats + 1):
        line = []
        for engine in engines:
            for count in ranks:
                if not takes_part(engine, count):
                    continue
                try:
                    m, slowdown = undisturbed.run(partial(engine.run, count, steps))
                    check_same_start(size, engine, m, results)
                except EngineError as error:
                    say(f"{size}, {count} ranks, {engine.name}: {error}")
                    results.content["failures"].append(f"{size} {count} {engine.name}: {error}")
                    continue
                results.add(size, count, number, engine.name, m, slowdown)
                line.append(f"{engine.name} on {count} {m.nanoseconds:.1f}")
        say(f"{size}, round {number} of {repeats}: " + ", ".join(line))
        results.content["repeated"] = undisturbed.repeated
        results.content["versions"] = sorted({e.version for e in engines if e.version})
        results.write()


@dataclass
class Row:
    """One line of the table."""

    size: str
    ranks: int
    engine: str
    median: float
    least: float
    most: float
    to_lammps: float | None
    to_gromacs: float | None
    bytes_per_atom: float | None
    communication: float | None
    waiting: float | None

    NAMES = ("size", "ranks", "engine", "median", "least", "most", "/ LAMMPS", "/ GROMACS")
    NAMES += ("B/atom", "comm.", "waiting")

    def texts(self) -> list[str]:
        def text(value: float | None, form: str) -> str:
            return "" if value is None else format(value, form)

        return [
            self.size,
            str(self.ranks),
            self.engine,
            f"{self.median:.1f}",
            f"{self.least:.1f}",
            f"{self.most:.1f}",
            text(self.to_lammps, ".3f"),
            text(self.to_gromacs, ".3f"),
            text(self.bytes_per_atom, ".0f"),
            text(self.communication, ".1%"),
            text(self.waiting, ".1%"),
        ]


def table(sizes: list[str], ranks: list[int], engines: list[str], results: Results) -> list[Row]:
    rows = []
    for size in sizes:
        for count in ranks:
            for engine in engines:
                runs = results.of(size, count, engine)
                if not runs:
                    continue
                times = results.times(size, count, engine)
                peak = max(m["peak_bytes"] for m in runs) / (4 * CELLS[size] ** 3)

                def share(what: str, runs: list[dict] = runs) -> float | None:
                    shares = [m[what] for m in runs if m.get(what) is not None]
                    return statistics.median(shares) if shares else None

                case = (size, count, engine)
                rows.append(
                    Row(
                        *case,
                        statistics.median(times),
                        min(times),
                        max(times),
                        results.ratio(case, (size, count, "lammps")),
                        results.ratio(case, (size, count, "gromacs")),
                        peak if count == 1 else None,
                        share("communication_share") if count > 1 else None,
                        share("waiting_share"),
                    )
                )
    return rows


def print_table(rows: list[Row]) -> None:
    lines = [list(Row.NAMES), *(row.texts() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    say("\nns per atom and step")
    for line in lines:
        cells = [f"{text:>{width}}" for text, width in zip(line, widths, strict=True)]
        say("  ".join(cells))


def document(rows: list[Row], content: dict) -> str:
    """The table of docs/benchmarks.md."""
    settings = [f"{name}: {text}" for name, text in content["engines"].items() if text]
    parts = [
        f"`{content['command'].strip()}`, {content['date']}, {content['processor']}, "
        f"{content['cores']} cores; {', '.join(content['versions'])}. ns per atom and step:",
        markdown_table(list(Row.NAMES), [row.texts() for row in rows]),
        "".join(f"- {line}\n" for line in settings),
        markdown_table(
            ["target", "measured", "", "of the least"],
            [
                [
                    row["target"],
                    f"{row['value']:.3f}",
                    "met" if row["met"] else "missed",
                    f"{row['least']:.3f}" if row["least"] else "",
                ]
                for row in content["targets"]
            ],
        ),
    ]
    return "\n\n".join(part.strip() for part in parts)


def targets(results: Results) -> list[dict]:
    """What Sterna is to reach, as far as it was measured: by the medians. Ratios of the least times
    stand beside them, since other guests of the machine only ever add time."""
    rows = []

    def add(
        what: str,
        value: float | None,
        limit: float,
        at_most: bool = True,
        least: float | None = None,
    ) -> None:
        if value is not None:
            met = value <= limit if at_most else value >= limit
            sign = "at most" if at_most else "at least"
            target = f"{what} {sign} {limit:g}"
            rows.append({"target": target, "value": value, "met": met, "least": least})

    def add_ratio(
        what: str, above: tuple, below: tuple, limit: float, at_most: bool = True
    ) -> None:
        least = results.ratio(above, below, of=min)
        add(what, results.ratio(above, below), limit, at_most, least)

    size = "256k"
    add_ratio(
        f"{size}, 1 rank: double / LAMMPS",
        (size, 1, "sterna double"),
        (size, 1, "lammps"),
        0.30,
    )
    add_ratio(
        f"{size}, 1 rank: mixed / GROMACS",
        (size, 1, "sterna mixed"),
        (size, 1, "gromacs"),
        0.45,
    )
    add_ratio(
        f"{size}, 1 rank: mixed / GROMACS with lists as wide as the others'",
        (size, 1, "sterna mixed"),
        (size, 1, "gromacs list 2.8"),
        0.45,
    )
    for engine in ("sterna double", "sterna mixed"):
        add_ratio(
            f"{size}, {engine}: rate of 2 ranks / rate of 1",
            (size, 1, engine),
            (size, 2, engine),
            1.9,
            at_most=False,
        )
        alone = results.of(size, 2, f"{engine} synchronized")
        shares = [m["communication_share"] for m in alone]
        add(
            f"{size}, 2 ranks, {engine}: share of communication",
            statistics.median(shares) if shares else None,
            0.05,
        )
    for engine in ("sterna double", "sterna mixed"):
        peaks = [m["peak_bytes"] for m in results.of("2M", 1, engine)]
        add(
            f"2M, 1 rank, {engine}: bytes of memory per atom",
            max(peaks) / (4 * CELLS["2M"] ** 3) if peaks else None,
            300,
        )
    return rows


def listed(known: dict):
    def parse(text: str) -> list[str]:
        names = text.split(",")
        unknown = [name for name in names if name not in known]
        if unknown:
            raise argparse.ArgumentTypeError(
                f"{unknown[0]!r} is none of {', '.join(map(str, known))}"
            )
        return names

    return parse


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="./dev bench lj_melt", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--sizes", type=listed(CELLS), default=["32k", "256k", "2M"])
    parser.add_argument("--ranks", type=listed({"1": 1, "2": 2}), default=["1", "2"])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--only-sterna", action="store_true", help="no peers, for work on Sterna itself"
    )
    parser.add_argument(
        "--priority",
        action="store_true",
        help="put the runs before all other work of this machine (Linux, root)",
    )
    add_undisturbed_option(parser, "in all")
    parser.add_argument("--folder", type=Path, help="keep the melted starts here for the next time")
    result_file = ROOT / "benchmarks" / "results" / "lj_melt.json"
    parser.add_argument(
        "--output", type=Path, default=result_file, help="the default also goes to docs/"
    )
    arguments = parser.parse_args()
    ranks = [int(count) for count in arguments.ranks]
    cores = Cores()
    if max(ranks) > len(cores.available):
        parser.error(f"{max(ranks)} ranks need as many cores, but here are {len(cores.available)}")
    if arguments.priority:
        os.environ["STERNA_BENCH_PRIORITY"] = "-20"

    results = Results(
        arguments.output.resolve(),
        {
            "command": "./dev bench lj_melt " + shlex.join(sys.argv[1:]),
            "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
            "processor": processor(),
            "cores": len(cores.available),
            "system": platform.platform(),
            "steps": {size: STEPS[size] for size in arguments.sizes},
            "versions": [],
            "engines": {},
            "targets": [],
            "failures": [],
        },
    )
    undisturbed = Undisturbed(cores, 60.0 * arguments.undisturbed)
    with tempfile.TemporaryDirectory(prefix="lj_melt-") as temporary:
        folder = (arguments.folder or Path(temporary)).resolve()
        engines: list = []
        for size in arguments.sizes:
            say(f"melting {size}")
            start = melt(CELLS[size], folder / f"start-{size}", len(cores.available))
            if arguments.only_sterna:
                engines = [Sterna(precision, folder, cores) for precision in PRECISIONS]
                engines += synchronized_runs(folder, cores)
            elif not engines:
                # Large systems would take many minutes for a choice that is the same.
                small = size if size in CALIBRATION_STEPS else "32k"
                first = melt(CELLS[small], folder / f"start-{small}", len(cores.available))
                engines = choose_engines(first, small, ranks, folder, cores)
            results.content["engines"] = {e.name: getattr(e, "settings", "") for e in engines}
            for engine in list(engines):
                try:
                    engine.prepare(start)
                except EngineError as error:
                    say(f"{engine.name} takes no part: {error}")
                    engines.remove(engine)
            measure(size, ranks, arguments.repeats, engines, undisturbed, results)
    rows = table(arguments.sizes, ranks, list(results.content["engines"]), results)
    print_table(rows)
    results.content["targets"] = targets(results)
    for row in results.content["targets"]:
        say(f"{'met   ' if row['met'] else 'MISSED'} {row['target']}: {row['value']:.3f}")
    results.write()
    if arguments.output == result_file:
        replace_block("benchmarks.md", "lj_melt", document(rows, results.content))
    say(f"written: {arguments.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
