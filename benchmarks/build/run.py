"""What building costs: the processor time of each object, without a compiler cache.

    ./dev bench build [--commit HEAD] [--target sterna-md] [--file RESULTS]

Builds a fresh clone of a commit in a temporary folder. CMake starts the compiler through this file,
which notes the user and system time of the compiler and of what it starts. That depends far less on
what else the machine does than the clock. Prints the sum for each folder and the longest objects.
`--file` adds a row to benchmarks/results/build.json or another file.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks" / "support"))
from process import processor  # noqa: E402

TIMES = "STERNA_COMPILER_TIMES"


def compile_and_note(command: list[str]) -> int:
    """As a compiler's launcher: a line of seconds and object in the file that TIMES names."""
    status = subprocess.run(command, check=False).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    if "-o" in command:
        line = f"{used.ru_utime + used.ru_stime:.3f} {command[command.index('-o') + 1]}\n"
        with open(os.environ[TIMES], "a", encoding="utf-8") as file:
            file.write(line)
    return status


def build(commit: str, target: str, folder: Path) -> tuple[dict[str, float], float]:
    """Seconds of the processor for each object, and those of the clock for all."""
    clone, launcher, times = folder / "clone", folder / "launcher", folder / "times"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    subprocess.run(["git", "checkout", "--quiet", "--detach", commit], cwd=clone, check=True)
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{__file__}" --launch "$@"\n')
    launcher.chmod(0o755)
    environment = {
        **os.environ,
        TIMES: str(times),
        "CMAKE_CXX_COMPILER_LAUNCHER": str(launcher),
        "CCACHE_DISABLE": "1",
    }
    started = time.perf_counter()
    subprocess.run(["./dev", "build", target], cwd=clone, env=environment, check=True)
    seconds = time.perf_counter() - started
    rows = (line.split(maxsplit=1) for line in times.read_text().splitlines())
    objects = {name: float(used) for used, name in rows if name.startswith("src/")}
    return objects, seconds


def folder_of(name: str) -> str:
    """src/md/CMakeFiles/sterna_md.dir/input/a.cpp.o: src/md/input."""
    place, _, rest = name.partition("/CMakeFiles/")
    path = Path(rest.partition(".dir/")[2])
    inside = path.parts[0] if len(path.parts) > 1 else ""
    if inside == "Unity":  # unity_md_input_0_cxx.cxx.o
        parts = path.name.split("_")
        inside = parts[2] if len(parts) > 2 else ""
    if "kernels" in path.parts:
        inside += "/*/kernels"
    return f"{place}/{inside}".rstrip("/")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--target", default="sterna-md")
    parser.add_argument("--file", type=Path)
    arguments = parser.parse_args()
    commit = subprocess.run(
        ["git", "rev-parse", "--short", arguments.commit],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        objects, seconds = build(commit, arguments.target, Path(folder))
    folders: dict[str, float] = defaultdict(float)
    for name, used in objects.items():
        folders[folder_of(name)] += used
    order = sorted(folders, key=folders.__getitem__, reverse=True)
    for name in order:
        print(f"{folders[name]:8.1f} s  {name}")
    print("longest:")
    for name in sorted(objects, key=objects.__getitem__, reverse=True)[:10]:
        print(f"{objects[name]:8.1f} s  {name.replace('CMakeFiles/', '')}")
    total = sum(objects.values())
    print(f"{len(objects)} objects, {total:.0f} s of the processor, {seconds:.0f} s on the clock")
    if arguments.file:
        rows = json.loads(arguments.file.read_text())["rows"] if arguments.file.exists() else []
        row = {
            "commit": commit,
            "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
            "target": arguments.target,
            "objects": len(objects),
            "processor_seconds": round(total, 1),
            "clock_seconds": round(seconds, 1),
            "folders": {name: round(folders[name], 1) for name in order},
        }
        document = {
            "command": "./dev bench build --commit COMMIT --file benchmarks/results/build.json",
            "machine": {"processor": processor(), "cores": os.cpu_count()},
            "rows": [*rows, row],
        }
        arguments.file.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--launch"]:
        sys.exit(compile_and_note(sys.argv[2:]))
    main()
