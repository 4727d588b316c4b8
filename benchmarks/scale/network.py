"""The simulated machines, and plans of steps as replay.cpp reads them."""

import json
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy
from regions import Messages

HERE = Path(__file__).resolve().parent
RANKS_PER_NODE = 4
#: NODES,SWITCHES,ROOTS of a fat tree, and nodes along the axes of a torus: as the grid of the ranks,
#: four of which along x share a node.
SHAPES = {
    ("fat_tree", 64): (4, 4, 2),
    ("fat_tree", 512): (16, 8, 8),
    ("fat_tree", 4096): (32, 32, 16),
    ("fat_tree", 32768): (128, 64, 64),
    ("torus", 64): (4, 4),
    ("torus", 512): (2, 8, 8),
    ("torus", 4096): (4, 16, 16),
    ("torus", 32768): (8, 32, 32),
}
#: For SimGrid, the same numbers as in replay.cpp.
LINKS = {"fat_tree": 'bw="12.5GBps" lat="250ns"', "torus": 'bw="6.25GBps" lat="200ns"'}
SETTINGS = {
    "network/model": "CM02",
    "network/crosstraffic": "0",
    "contexts/stack-size": "64",
    "surf/precision": "1e-9",
}


def platform(network: str, ranks: int) -> str:
    """As SimGrid reads it."""
    nodes, shape = ranks // RANKS_PER_NODE, SHAPES[network, ranks]
    parameters = ",".join(map(str, shape))
    if network == "fat_tree":
        parameters = f"2;{shape[0]},{shape[1]};1,{shape[2]};1,1"
    return f"""\
<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="machine" prefix="node-" suffix="" radical="0-{nodes - 1}" speed="10Gf"
           core="{RANKS_PER_NODE}" {LINKS[network]} loopback_bw="20GBps" loopback_lat="200ns"
           topology="{network.upper()}" topo_parameters="{parameters}"/>
</platform>
"""


COMPUTE, START, FINISH, REDUCE = range(4)


@dataclass
class Plan:
    """The operations of a step, each with what its time counts as."""

    ranks: int
    exchanges: list[Messages] = field(default_factory=list)
    operations: list[tuple[int, int, numpy.ndarray | None]] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    def compute(self, part: str, seconds) -> None:
        each = numpy.broadcast_to(numpy.asarray(seconds, dtype=float), (self.ranks,))
        self._add(part, COMPUTE, 0, each)

    def start(self, part: str, messages: Messages) -> int:
        self.exchanges.append(messages)
        number = len(self.exchanges) - 1
        self._add(part, START, number)
        return number

    def finish(self, part: str, number: int) -> None:
        self._add(part, FINISH, number)

    def exchange(self, part: str, messages: Messages) -> None:
        self.finish(part, self.start(part, messages))

    def reduce(self, part: str, size: int) -> None:
        self._add(part, REDUCE, size)

    def _add(self, part: str, kind: int, argument: int, seconds=None) -> None:
        self.operations.append((kind, argument, seconds))
        self.parts.append(part)

    def write(self, path: Path) -> None:
        with path.open("wb") as file:
            head = [self.ranks, len(self.exchanges), len(self.operations)]
            numpy.array(head, dtype="<i4").tofile(file)
            for messages in self.exchanges:
                numpy.array([len(messages.source)], dtype="<i4").tofile(file)
                messages.source.astype("<i4").tofile(file)
                messages.target.astype("<i4").tofile(file)
                messages.size.astype("<f8").tofile(file)
            for kind, argument, seconds in self.operations:
                numpy.array([kind, argument], dtype="<i4").tofile(file)
                if seconds is not None:
                    seconds.astype("<f8").tofile(file)


def build(folder: Path, name: str, *libraries: str) -> Path:
    program = folder / name
    command = ["g++", "-std=c++17", "-O2", "-Wall", "-Wextra", "-o", program, HERE / f"{name}.cpp"]
    subprocess.run([*command, *libraries], check=True)
    return program


@dataclass
class Replayed:
    step: float  # seconds
    parts: dict[str, float]  # mean of the ranks
    took: float


class ReplayError(Exception):
    """A replay did not come to an end."""


def replay(program: Path, plan: Plan, network: str, method: str, steps=3, limit=600.0) -> Replayed:
    """By replay.cpp or check_by_simgrid.cpp, whose names tell what they read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan.write(folder / "plan")
        if program.name == "replay":
            shape = ",".join(map(str, SHAPES[network, plan.ranks]))
            command = [program, network, shape, folder / "plan", method, steps]
        else:
            (folder / "machine.xml").write_text(platform(network, plan.ranks), encoding="utf-8")
            command = [program, folder / "machine.xml", folder / "plan", method, steps]
            command += [f"--cfg={key}:{value}" for key, value in SETTINGS.items()]
            command += ["--log=root.thresh:error"]
        begin = time.monotonic()
        try:
            done = subprocess.run(
                list(map(str, command)), capture_output=True, text=True, timeout=limit, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise ReplayError(f"took longer than {limit:.0f} s") from error
    if done.returncode != 0:
        raise ReplayError(done.stderr[-500:])
    result = json.loads(done.stdout)
    parts: dict[str, float] = {}
    for part, seconds in zip(plan.parts, result["mean"], strict=True):
        parts[part] = parts.get(part, 0.0) + seconds
    return Replayed(result["step"], parts, time.monotonic() - begin)
