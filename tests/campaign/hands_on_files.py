"""Changes files between stop and resume and during runs, lets clocks jump, runs as another user.

    python tests/campaign/hands_on_files.py --trials 60 --seed 1

An uninterrupted run of two ranks is the judge. A trial stops a run of the same input at a random
step, does something to a file, and resumes it; or it does something while the run goes on. It passes
where

- the run ends well, and its log and trajectory are those of the judge, row by row and bit by bit, or
- the run ends well and warns of what is missing, with the name of the file, or
- it ends with an error that names the file, and (between stop and resume) no file has changed.

It fails where a run ends well with other results, or without files, or does not end, or ends by a
signal or with a Python traceback.
"""

import argparse
import collections
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy
from kill_and_stop import Failure, environment

INPUT = """\
units = "reduced"

[run]
name = "melt"
steps = 600
timestep = 0.002
seed = 7

[start]
kind = "lattice"
lattice = "fcc"
cells = [6, 6, 6]
density = 0.8442
temperature = 1.44

[[type]]
name = "LJ"

[interaction]
cutoff = 2.5

[output]
thermo_interval = 10
trajectory_interval = 20
xtc_interval = 20
checkpoint_interval = 50

[trr]
interval = 20

[dcd]
interval = 20

[lammps_dump]
interval = 20

[xyz]
interval = 20

[communication]
timeout = "5 s"
"""
NAMES = ("melt.log.jsonl", "melt.h5md", "melt.checkpoint")
OTHERS = ("melt.xtc", "melt.trr", "melt.dcd", "melt.lammpstrj", "melt.trajectory.xyz")
PATIENCE = 120.0  # seconds for a run on a machine that others use, too
NOBODY = 65534  # user and group

# Adds the seconds that a file says to the time of day, but not to clocks that measure durations.
CLOCK = """\
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
static long offset(void) {
  long seconds = 0;
  FILE* file = fopen(getenv("CLOCK_OFFSET"), "r");
  if (file != NULL) {
    if (fscanf(file, "%ld", &seconds) != 1) seconds = 0;
    fclose(file);
  }
  return seconds;
}
int clock_gettime(clockid_t clock, struct timespec* now) {
  static int (*next)(clockid_t, struct timespec*);
  if (next == NULL) next = dlsym(RTLD_NEXT, "clock_gettime");
  const int status = next(clock, now);
  if (clock == CLOCK_REALTIME) now->tv_sec += offset();
  return status;
}
time_t time(time_t* to) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (to != NULL) *to = now.tv_sec;
  return now.tv_sec;
}
int gettimeofday(struct timeval* to, void* zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  to->tv_sec = now.tv_sec;
  to->tv_usec = now.tv_nsec / 1000;
  return 0;
}
"""


class Run:
    """`sterna run melt.toml -n 2` in a folder."""

    def __init__(self, folder: Path, *options: str, user: int | None = None, **more: str) -> None:
        self.folder = folder
        self.said = folder.parent / "said"
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "sterna", "run", "melt.toml", "-n", "2", *options],
            cwd=folder,
            env=environment() | more,
            stdin=subprocess.DEVNULL,
            stdout=self.said.open("wb"),
            stderr=subprocess.STDOUT,
            start_new_session=True,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )

    def reach(self, step: int) -> None:
        end = time.monotonic() + PATIENCE
        while last_step(self.folder) < step:
            if self.process.poll() is not None:
                raise Failure(f"ended before step {step}: {self.text()}")
            if time.monotonic() > end:
                raise Failure(f"did not reach step {step}")
            time.sleep(0.002)

    def text(self) -> str:
        return self.said.read_text(encoding="utf-8", errors="replace")

    def end(self) -> int:
        """Its exit status."""
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise Failure("does not end") from None
        if status < 0 or status >= 128:
            raise Failure(f"ended by a signal, status {status}: {self.text()}")
        if "Traceback" in self.text():
            raise Failure(f"ended with a traceback: {self.text()}")
        return status


def rows(folder: Path) -> list[dict]:
    path = folder / NAMES[0]
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    found = []
    for line in text.split("\n")[:-1]:
        try:
            found.append(json.loads(line))
        except ValueError:
            found.append({"event": "broken", "line": line})
    return found


def thermo(folder: Path) -> list[dict]:
    return [row for row in rows(folder) if row.get("event") in ("thermo", "broken")]


def last_step(folder: Path) -> int:
    return max((row.get("step", -1) for row in rows(folder)), default=-1)


def frames(folder: Path) -> dict[int, str]:
    """Hashes of positions by their steps."""
    with h5py.File(folder / NAMES[1]) as file:
        group = file["particles/trajectory/position"]
        steps = [int(step) for step in group["step"]]
        if len(set(steps)) != len(steps):
            raise Failure(f"the trajectory has the steps {steps}")
        return {
            step: hashlib.sha256(numpy.ascontiguousarray(group["value"][n])).hexdigest()
            for n, step in enumerate(steps)
        }


def hashes(folder: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.is_file() and not path.name.endswith(".lock")
    }


class Judge:
    """The results of a run that nobody touched."""

    def __init__(self, folder: Path) -> None:
        run = Run(folder)
        if run.end() != 0:
            raise SystemExit(f"the run without a trial failed: {run.text()}")
        self.thermo = thermo(folder)
        self.frames = frames(folder)
        self.others = {name: (folder / name).read_bytes() for name in OTHERS}

    def compare(self, folder: Path) -> None:
        for name in (*NAMES, *OTHERS):
            if not (folder / name).is_file():
                raise Failure(f"the run ended well without {name}")
        for name, content in self.others.items():
            if (folder / name).read_bytes() != content:
                raise Failure(f"{name} is another one")
        if thermo(folder) != self.thermo:
            steps = [row.get("step") for row in thermo(folder)]
            raise Failure(f"the log is another one: steps {steps}")
        found = frames(folder)
        if found != self.frames:
            raise Failure(f"the trajectory is another one: steps {sorted(found)}")


def cut(path: Path, chance: random.Random) -> None:
    os.truncate(path, chance.randrange(path.stat().st_size))


def cut_lines(path: Path, chance: random.Random) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: chance.randrange(1, len(lines))]))


def drop_line(path: Path, chance: random.Random) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    del lines[chance.randrange(1, len(lines) - 1)]
    path.write_bytes(b"".join(lines))


def empty(path: Path, _: random.Random) -> None:
    os.truncate(path, 0)


def remove(path: Path, _: random.Random) -> None:
    path.unlink()


def append(path: Path, chance: random.Random) -> None:
    with path.open("ab") as file:
        file.write(chance.randbytes(chance.randrange(1, 300)))


def flip(path: Path, chance: random.Random) -> None:
    content = bytearray(path.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def folder_instead(path: Path, _: random.Random) -> None:
    path.unlink()
    path.mkdir()


def cut_at_frame(path: Path, chance: random.Random) -> None:
    """All frames from one of them on; each has the same size."""
    content = path.read_bytes()
    begin = {".trr": b"\0\0\x07\xc9\0\0\0\x0d", ".dcd": b"\x30\0\0\0"}[path.suffix]
    frames = [match.start() for match in re.finditer(re.escape(begin), content)]
    if path.suffix == ".dcd":  # the same bytes are at both ends of a box
        frames = frames[::2]
    path.write_bytes(content[: chance.choice(frames[1:])])


def edit_frame(path: Path, chance: random.Random) -> None:
    """As a user who works on the trajectory by h5py."""
    with h5py.File(path, "r+") as file:
        value = file["particles/trajectory/position/value"]
        value[chance.randrange(len(value)), 0, 0] += 1


def drop_frames(path: Path, chance: random.Random) -> None:
    with h5py.File(path, "r+") as file:
        for element in file["particles/trajectory"].values():
            if "value" in element and len(element["value"]) > 2:
                length = chance.randrange(1, len(element["value"]) - 1)
                element["value"].resize(length, 0)


BETWEEN = [
    (NAMES[0], change)
    for change in (cut, cut_lines, drop_line, empty, remove, append, flip, folder_instead)
]
BETWEEN += [
    (NAMES[1], change)
    for change in (cut, empty, remove, append, flip, folder_instead, edit_frame, drop_frames)
]
BETWEEN += [(NAMES[2], change) for change in (cut, empty, remove, append, flip, folder_instead)]
BETWEEN += [
    (name, change)
    for name in OTHERS
    for change in (cut, empty, remove, append, flip, folder_instead)
]
BETWEEN += [(name, cut_at_frame) for name in ("melt.trr", "melt.dcd")]
# What nobody can tell from what is left: a number that is another number, a row or a frame less.
UNNOTICED = {(NAMES[0], flip), (NAMES[0], drop_line)}
UNNOTICED |= {(NAMES[1], flip), (NAMES[1], edit_frame)}
UNNOTICED |= {(name, flip) for name in OTHERS}


def names_a_file(text: str) -> bool:
    return any(name in text for name in (*NAMES, *OTHERS))


def between(folder: Path, name: str, change: Callable, judge: Judge, chance: random.Random) -> str:
    run = Run(folder)
    run.reach(chance.randrange(60, 450))
    run.process.send_signal(signal.SIGTERM)
    if run.end() != 3:
        raise Failure(f"did not stop: {run.text()}")
    change(folder / name, chance)
    before = hashes(folder)
    run = Run(folder, "--resume")
    status = run.end()
    if status == 0:
        if (name, change) in UNNOTICED:
            if name != NAMES[0] and thermo(folder) != judge.thermo:
                raise Failure("rows of the log are gone")
            if len(judge.thermo) - len(thermo(folder)) > 1:
                raise Failure("rows of the log are gone")
            return "resumed"
        if re.search(r"warning: ", run.text()) and names_a_file(run.text()):
            return "resumed with a warning"
        judge.compare(folder)
        return "resumed"
    if not names_a_file(run.text()):
        raise Failure(f"the error names no file: {run.text()}")
    after = hashes(folder)
    if after != before:
        changed = sorted(n for n in before.keys() | after.keys() if before.get(n) != after.get(n))
        raise Failure(f"refused, but these have changed: {changed}: {run.text()}")
    return "refused"


def meanwhile(folder: Path, name: str, judge: Judge, chance: random.Random) -> str:
    run = Run(folder)
    run.reach(chance.randrange(60, 450))
    if name == "all files":
        for path in folder.iterdir():
            path.unlink()
    elif name == "the folder":
        shutil.rmtree(folder)
    elif name == "melt.checkpoint" and not (folder / name).exists():
        run.end()
        return "over before"
    else:
        (folder / name).unlink()
    status = run.end()
    if status == 0:
        judge.compare(folder)
        return "ended well"
    text = run.text()
    if not names_a_file(text) and "melt.toml" not in text:
        raise Failure(f"the error names no file: {text}")
    return "ended with an error"


def jump(folder: Path, seconds: int, judge: Judge, chance: random.Random) -> str:
    source = folder.parent / "clock.c"
    source.write_text(CLOCK, encoding="utf-8")
    library = folder.parent / "clock.so"
    subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", library, "-ldl"], check=True)
    offset = folder.parent / "offset"
    offset.write_text("0", encoding="utf-8")
    run = Run(folder, LD_PRELOAD=str(library), CLOCK_OFFSET=str(offset))
    run.reach(chance.randrange(60, 450))
    offset.write_text(str(seconds), encoding="utf-8")
    if run.end() != 0:
        raise Failure(f"ended with an error: {run.text()}")
    judge.compare(folder)
    return "ended well"


def others_can_run() -> bool:
    """Whether this process may start another user's, who can read all that a run takes."""
    command = [sys.executable, "-P", "-m", "sterna", "version"]
    try:
        subprocess.run(
            command, env=environment(), user=NOBODY, group=NOBODY, extra_groups=[],
            stdout=subprocess.DEVNULL, check=True,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"left out: runs as another user: {error}")
        return False
    return True


def give(folder: Path, user: int) -> None:
    for path in (folder.parent, folder, *folder.iterdir()):
        os.chown(path, user, user)


def as_another_user(folder: Path, case: str, judge: Judge, chance: random.Random) -> str:
    if case == "in a folder of its own":
        give(folder, NOBODY)
        run = Run(folder, user=NOBODY, HOME="/nonexistent")
        if run.end() != 0:
            raise Failure(f"ended with an error: {run.text()}")
        judge.compare(folder)
        return "ended well"
    folder.parent.chmod(0o755)
    folder.chmod(0o755)
    if case == "in a folder of another":
        run = Run(folder, user=NOBODY, HOME="/nonexistent")
    elif case == "resumes the run of another":
        run = Run(folder)
        run.reach(chance.randrange(60, 450))
        run.process.send_signal(signal.SIGTERM)
        run.end()
        before = hashes(folder)
        run = Run(folder, "--resume", user=NOBODY, HOME="/nonexistent")
    else:  # root may write anywhere
        folder.chmod(0o777)
        first = Run(folder)
        first.reach(50)
        text = first.said
        first.said = folder.parent / "said first"
        text.rename(first.said)
        run = Run(folder, user=NOBODY, HOME="/nonexistent")
        status = run.end()
        if first.end() != 0:
            raise Failure(f"the run of the first one failed: {first.text()}")
        judge.compare(folder)
        if status == 0:
            raise Failure("two runs wrote the same files")
        return "refused"
    if run.end() == 0:
        raise Failure("ended well")
    if "ermission denied" not in run.text():
        raise Failure(f"does not say why: {run.text()}")
    if case == "resumes the run of another" and hashes(folder) != before:
        raise Failure("files have changed")
    return "refused"


def plan() -> list[tuple[str, Callable[[Path, Judge, random.Random], str]]]:
    trials = [
        (
            f"{change.__name__.replace('_', ' ')} {name} before --resume",
            lambda folder, judge, chance, n=name, c=change: between(folder, n, c, judge, chance),
        )
        for name, change in BETWEEN
    ]
    trials += [
        (
            f"{name} removed during the run",
            lambda folder, judge, chance, n=name: meanwhile(folder, n, judge, chance),
        )
        for name in (*NAMES, "melt.toml", "all files", "the folder")
    ]
    trials += [
        (
            f"the clock jumps by {seconds} s",
            lambda folder, judge, chance, s=seconds: jump(folder, s, judge, chance),
        )
        for seconds in (3600, -3600, 86400 * 400, -86400 * 400)
    ]
    if others_can_run():
        trials += [
            (
                f"another user {case}",
                lambda folder, judge, chance, c=case: as_another_user(folder, c, judge, chance),
            )
            for case in (
                "in a folder of its own",
                "in a folder of another",
                "resumes the run of another",
                "starts the same run",
            )
        ]
    return trials


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="trials whose name has this")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    trials = [trial for trial in plan() if arguments.only in trial[0]]
    counts: collections.Counter[str] = collections.Counter()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hands-on-files-") as name:
        (Path(name) / "judge" / "run").mkdir(parents=True)
        (Path(name) / "judge" / "run" / "melt.toml").write_text(INPUT, encoding="utf-8")
        judge = Judge(Path(name) / "judge" / "run")
    for number in range(arguments.trials):
        what, do = trials[number % len(trials)]
        above = Path(tempfile.mkdtemp(prefix="hands-on-files-"))
        folder = above / "run"
        folder.mkdir()
        (folder / "melt.toml").write_text(INPUT, encoding="utf-8")
        try:
            outcome = do(folder, judge, chance)
            shutil.rmtree(above)
        except Failure as failure:
            outcome = f"FAILED: {failure} ({above})"
        counts[outcome.split(":")[0]] += 1
        print(f"{number + 1:4} {what:50} {outcome}", flush=True)
    print(f"{dict(counts)} in {time.monotonic() - began:.0f} s")
    return 1 if counts["FAILED"] else 0


if __name__ == "__main__":
    sys.exit(main())
