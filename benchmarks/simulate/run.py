#!/usr/bin/env python3
"""The exchange methods of MPI on hundreds of simulated ranks, by SimGrid's SMPI.

    ./dev bench simulate [--ranks 64,256,1024] [--platforms fat_tree,torus] [--methods p2p,nbx]

Builds the communication library and sterna-bench against SMPI (build-simulate; the transports rdma
and shm are left out) and runs them unmodified on the machines of fat_tree.xml and torus.xml, four
ranks a node. Each method is a run of its own, so that the memory is that of one method; it is the
peak of the simulating process, which holds all ranks, divided by their number. Simulated time does
not depend on what else this machine does, so rows may be measured by several commands (--add).

Prints a table; writes benchmarks/results/simulate.json and the table of docs/benchmarks.md. With
--check it writes nothing: it compares with what is recorded there.
"""

import argparse
import concurrent.futures
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path += [str(ROOT / folder) for folder in ("python", "tools")]
from document_table import markdown_table, replace_block  # noqa: E402
from sterna.bench.command import merged  # noqa: E402

BUILD = ROOT / "build-simulate"
RANKS_PER_NODE = 4
# Overheads of a message at its sender and receiver, as of MPI on current processors; no factors of
# SMPI's calibration, which is one for Gigabit Ethernet; messages up to 64 KiB leave at once. Waits
# advance time themselves (complete_smpi.cpp). Each new communicator is told to all by a broadcast:
# the one that the selector takes begins with a ring of all ranks to all. No traffic against each
# message, which stands for the acknowledgements of TCP.
SETTINGS = {
    "smpi/host-speed": "10Gf",
    "smpi/privatization": "no",
    "smpi/simulate-computation": "no",
    "smpi/coll-selector": "ompi",
    "smpi/barrier": "ompi",
    "smpi/allgather": "bruck",
    "smpi/bcast": "binomial_tree",
    "smpi/os": "0:0.3e-6:0",
    "smpi/ois": "0:0.3e-6:0",
    "smpi/or": "0:0.3e-6:0",
    "network/crosstraffic": "no",
    "smpi/bw-factor": "0:1",
    "smpi/lat-factor": "0:1",
    "smpi/async-small-thresh": "65536",
    "smpi/iprobe": "0",
    "smpi/test": "0",
    "smpi/wtime": "0",
    "contexts/stack-size": "256",
}
SPARSE = ["alltoall", "allreduce", "nbx", "reduce_scatter"]
SPARSE += ["rma_reserve", "superset", "two_level", "grid", "hypercube"]
NEIGHBOR = ["p2p", "p2p_persistent", "rma_fence", "rma_pscw", "rma_double_buffer"]
SLOW = ["placement", "alltoall", "rma_reserve", "rma_pscw", "rma_double_buffer"]
# Of a simulated time from the recorded one, as a part of it. Where ranks come at the same moment, the
# order in which messages are matched may differ.
LARGEST_DIFFERENCE = 0.05
# Beyond these there is one round only, and what happens within 10 ns happens at once.
MOST_RANKS_IN_FULL = 256
COLUMNS = [(platform, ranks) for platform in ("fat_tree", "torus") for ranks in (64, 256, 1024)]
SHAPES = {
    ("torus", 16): "torus 4 2 2",
    ("torus", 64): "torus 4 4 4",
    ("torus", 256): "torus 8 8 4",
    ("fat_tree", 16): "tree 4 4",
    ("fat_tree", 64): "tree 8 8",
    ("fat_tree", 256): "tree 16 16",
}


def say(text: str) -> None:
    print(text, flush=True)


def build() -> Path:
    """The program as smpirun loads it."""
    if not (BUILD / "build.ninja").exists():
        say("configuring build-simulate")
        options = "-DSTERNA_SIMULATED=ON -DSTERNA_RDMA=OFF -DSTERNA_OFI=OFF -DSTERNA_SHM=OFF -DSTERNA_FORTRAN=OFF"
        subprocess.run(
            ["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
            + [f"-DMPI_CXX_COMPILER={shutil.which('smpicxx')}", *options.split()],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    say("building (build-simulate)")
    jobs = os.environ.get("STERNA_JOBS", str(os.cpu_count()))
    subprocess.run(["cmake", "--build", BUILD, "-j", jobs, "--target", "sterna-bench"], check=True)
    return BUILD / "benchmarks" / "simulate" / "sterna-bench.so"


def simulate(program: Path, platform: str, ranks: int, arguments: list[str], limit: float) -> dict:
    """What sterna-bench says; its rows get the platform and the memory of the process."""
    nodes = ranks // RANKS_PER_NODE
    with tempfile.TemporaryDirectory(prefix="sterna-simulate-") as name:
        folder = Path(name)
        hosts = [f"node-{nodes}-{i}" for i in range(nodes) for _ in range(RANKS_PER_NODE)]
        (folder / "hosts").write_text("\n".join(hosts) + "\n")
        (folder / "network").write_text(SHAPES[platform, nodes] + "\n")
        arguments = [argument.format(network=folder / "network") for argument in arguments]
        command = ["smpirun", "-np", str(ranks), "-hostfile", folder / "hosts"]
        command += ["-platform", HERE / f"{platform}.xml"]
        settings = SETTINGS | ({"surf/precision": "1e-8"} if ranks > MOST_RANKS_IN_FULL else {})
        command += [f"--cfg={key}:{value}" for key, value in settings.items()]
        command += ["--log=root.thresh:error", program, *arguments, "--quiet", "--json"]
        start = time.monotonic()
        with (folder / "output").open("w+") as output:
            process = subprocess.Popen(
                [*map(str, command), str(folder / "result.json")],
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=folder,
                start_new_session=True,
            )
            while True:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    break
                if time.monotonic() - start > limit:
                    os.killpg(process.pid, 9)
                    os.wait4(process.pid, 0)
                    return {"problem": f"took longer than {limit:.0f} s to simulate"}
                time.sleep(0.05)
            output.seek(0)
            said = output.read().strip()
        if status != 0 or not (folder / "result.json").exists():
            last = said.splitlines()[-1] if said else "no word"
            return {"problem": f"status {os.waitstatus_to_exitcode(status)}: {last}"}
        document = json.loads((folder / "result.json").read_text())
    for row in document["rows"]:
        row["platform"] = platform
        row["process_kib_per_rank"] = round(usage.ru_maxrss / ranks, 1)
        row["simulated_in_s"] = round(time.monotonic() - start, 1)
    return document


def runs_of(experiment: str, ranks: int, methods: list[str] | None) -> list[tuple[str, list[str]]]:
    """Names and arguments of the runs of an experiment."""

    def wanted(names: list[str]) -> list[str]:
        return [name for name in names if methods is None or name in methods]

    rounds = ["--rounds", "3", "--blocks", "1"]
    if ranks > MOST_RANKS_IN_FULL:
        rounds = ["--rounds", "1", "--blocks", "1"]
    if experiment == "sparse":
        return [
            (method, ["sparse", "--no-bare", "--methods", method, "--particles", "133", *rounds])
            for method in wanted(SPARSE)
        ]
    if experiment == "neighbor":
        faces = ["--topology", "3d", "--peers", "26", "--no-bare"]
        return [
            (method, ["neighbor", *faces, "--methods", method, *rounds])
            for method in wanted(NEIGHBOR)
        ]
    if experiment == "reduce":
        return [("reduce", ["reduce", "--values", "1,4,16", *rounds])] if methods is None else []
    network = ["placement", "--network", "{network}", "--exchange", "p2p", *rounds]
    return [("placement", network)] if methods is None else []


def key_of(row: dict) -> tuple:
    """What a row is of."""
    names = ("experiment", "pattern", "values", "method", "platform", "ranks")
    return tuple(row.get(name) for name in names)


def table_of(rows: list[dict], columns: list[tuple[str, int]]) -> str:
    """Simulated time, and memory of a rank, of each thing measured."""
    header = ["experiment", "method"]
    header += [f"{platform}, {ranks} ranks" for platform, ranks in columns]
    lines: dict[tuple[str, str], dict[tuple[str, int], str]] = {}
    for row in rows:
        name = row["experiment"]
        if row.get("pattern"):
            name += f", {row['pattern']}"
        if row.get("values"):
            name += f", {row['values']} values"
        text = f"{row['median_us']:.1f} ({row['process_kib_per_rank']:.0f})"
        lines.setdefault((name, row["method"]), {})[row["platform"], row["ranks"]] = text
    return markdown_table(
        header,
        [
            [*name, *(cells.get(column, "-") for column in columns)]
            for name, cells in sorted(lines.items(), key=lambda line: line[0][0])
        ],
    )


def differences(rows: list[dict], recorded: list[dict]) -> list[str]:
    """What a row takes in simulated time where the record says something else."""
    before = {key_of(row): row["median_us"] for row in recorded}
    found = []
    for row in rows:
        us = before.get(key_of(row))
        what = f"{row['experiment']} {row['method']}, {row['platform']}, {row['ranks']} ranks"
        if us is None:
            found.append(f"{what}: {row['median_us']:.1f} us, and no record")
        elif abs(row["median_us"] - us) > LARGEST_DIFFERENCE * us:
            found.append(f"{what}: {row['median_us']:.1f} us, recorded {us:.1f}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="./dev bench simulate", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--ranks", default="64,256,1024", help="of 64, 256, 1024")
    parser.add_argument("--platforms", default="fat_tree,torus")
    parser.add_argument("--experiments", default="neighbor,reduce,sparse,placement")
    parser.add_argument("--methods", help="only these, of sparse and neighbor")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for a run")
    parser.add_argument("--minutes", type=float, default=10.0, help="for all runs")
    result_file = ROOT / "benchmarks" / "results" / "simulate.json"
    parser.add_argument("--output", type=Path, default=result_file)
    parser.add_argument("--check", action="store_true", help="compare with the record")
    parser.add_argument("--add", action="store_true", help="to the rows that the output has")
    arguments = parser.parse_args()
    if shutil.which("smpirun") is None or shutil.which("smpicxx") is None:
        parser.error("SimGrid is missing: sudo apt-get install libsimgrid-dev")
    counts = [int(count) for count in arguments.ranks.split(",")]
    platforms = arguments.platforms.split(",")
    experiments = arguments.experiments.split(",")
    columns = [(platform, ranks) for platform in platforms for ranks in counts]
    for platform, ranks in columns:
        if (platform, ranks // RANKS_PER_NODE) not in SHAPES or ranks % RANKS_PER_NODE:
            parser.error(f"no {platform} for {ranks} ranks; there are 64, 256 and 1024")
    methods = arguments.methods.split(",") if arguments.methods else None
    program = build()

    jobs, notes, documents = [], [], []
    for platform, ranks in columns:
        for experiment in experiments:
            for name, options in runs_of(experiment, ranks, methods):
                jobs.append((experiment, name, platform, ranks, options))
    # What takes long comes last; the platforms together, so that none is left out.
    jobs.sort(key=lambda job: (job[1] in SLOW and job[3] > 64, job[3], experiments.index(job[0])))
    end = time.monotonic() + 60.0 * arguments.minutes

    def simulate_in_time(platform: str, ranks: int, options: list[str]) -> dict:
        left = end - time.monotonic()
        if left < 1.0:
            return {"problem": f"not simulated, {arguments.minutes:g} minutes were over"}
        return simulate(program, platform, ranks, options, min(arguments.limit, left))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        pending = {
            pool.submit(simulate_in_time, platform, ranks, options): (
                (experiment, name, platform, ranks)
            )
            for experiment, name, platform, ranks, options in jobs
        }
        for future in concurrent.futures.as_completed(pending):
            experiment, name, platform, ranks = pending[future]
            document = future.result()
            if "problem" in document:
                note = f"{experiment} {name}, {platform}, {ranks} ranks: {document['problem']}"
                notes.append(note)
                say(note)
                continue
            for row in document["rows"]:
                row["experiment"] = experiment
                say(
                    f"{experiment} {row['method']}, {platform}, {ranks} ranks: "
                    f"{row['median_us']:.1f} us, {row['process_kib_per_rank']:.0f} KiB a rank "
                    f"({row['simulated_in_s']} s)"
                )
            documents.append(document)
    if not documents:
        say("nothing could be simulated")
        return 1
    if arguments.check:
        recorded = json.loads(result_file.read_text())["rows"]
        wrong = notes + differences(
            [row for document in documents for row in document["rows"]], recorded
        )
        say("\n".join(["", *wrong]) if wrong else "\nas recorded")
        return 1 if wrong else 0

    order = {name: i for i, name in enumerate([*SPARSE, *NEIGHBOR])}
    command = "./dev bench simulate " + shlex.join(sys.argv[1:])
    if arguments.add and arguments.output.exists():
        before = json.loads(arguments.output.read_text())
        measured = {key_of(row) for document in documents for row in document["rows"]}
        before["rows"] = [row for row in before["rows"] if key_of(row) not in measured]
        runs = tuple(f"{job[0]} {job[1]}, {job[2]}, {job[3]} ranks" for job in jobs)
        before["notes"] = [note for note in before["notes"] if not note.startswith(runs)]
        documents.insert(0, before)
        command = f"{before['command']}; {command}"
    content = merged(documents, command)
    content["benchmark"] = "simulate"
    content["date"] = documents[-1]["date"]
    present = {(row["platform"], row["ranks"]) for row in content["rows"]}
    columns = [column for column in COLUMNS if column in present]
    content["notes"] = sorted({*content["notes"], *notes})
    content["settings"] = SETTINGS
    content["rows"].sort(
        key=lambda row: (
            row["experiment"],
            columns.index((row["platform"], row["ranks"])),
            order.get(row["method"], len(order)),
        )
    )
    table = table_of(content["rows"], columns)
    said = "\n".join(f"- {note}" for note in content["notes"])
    say(f"\nsimulated us of a round (KiB of the process for each rank)\n\n{table}\n{said}")
    rows = ",\n  ".join(json.dumps(row) for row in content.pop("rows"))
    text = json.dumps(content, indent=1).removesuffix("\n}")
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(f'{text},\n "rows": [\n  {rows}\n ]\n}}\n')
    if arguments.output.resolve() == result_file:
        replace_block(
            "benchmarks.md",
            "simulate",
            f"`{content['command'].strip()}`, {content['date']}, SimGrid "
            f"{content['versions']['communication']}; simulated us of a round, the slowest rank's "
            f"median (and KiB of the process for each rank):\n\n{table}\n{said}",
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
