"""A Slurm of one node that lives in a folder of its own, for campaigns: munged, slurmctld and slurmd.

Its jobs run as the user who starts it. Nothing of a Slurm that the machine may have is read.
"""

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scancel", "squeue", "sinfo")
_STARTS = 60.0  #: seconds in which the node is there

_CONFIGURATION = """\
ClusterName=sterna
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=sched_interval=1,batch_sched_delay=0
KillWait=5
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing_programs() -> list[str]:
    """Those of PROGRAMS that this machine lacks."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    return [name for name in PROGRAMS if shutil.which(name, path=path) is None]


class Slurm:
    """Starts the daemons on entry, and ends them and their jobs on exit."""

    def __init__(self, folder: Path, cores: int) -> None:
        self.folder = folder
        self._daemons: list[tuple[str, subprocess.Popen]] = []
        for name in ("munge", "state", "spool"):
            (folder / name).mkdir(parents=True)
        (folder / "munge").chmod(0o711)
        key = folder / "munge" / "key"
        key.touch(0o600)
        key.write_bytes(os.urandom(1024))
        self.environment = os.environ | {
            "SLURM_CONF": str(folder / "slurm.conf"),
            "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin",
        }
        (folder / "slurm.conf").write_text(
            _CONFIGURATION.format(
                folder=folder, host=socket.gethostname().split(".")[0], cores=cores,
                user=_user(), control_port=_free_port(), node_port=_free_port(),
            )
        )  # fmt: skip

    def __enter__(self) -> "Slurm":
        munge = self.folder / "munge"
        files = [f"--{name}-file={munge / name}" for name in ("key", "pid", "log", "seed")]
        # Its folder may be below one that only this user may enter.
        self._start("munged", "--force", "--foreground", f"--socket={munge / 'socket'}", *files)
        end = time.monotonic() + _STARTS
        self._wait(lambda: (munge / "socket").exists(), end)
        self._start("slurmctld", "-D")
        self._start("slurmd", "-D")
        self._wait(lambda: "idle" in self.command("sinfo", "-h", "-o", "%t", check=False), end)
        return self

    def __exit__(self, *_: object) -> None:
        self.command("scancel", "--user", _user(), check=False)
        end = time.monotonic() + _STARTS
        while self.command("squeue", "-h", check=False).strip() and time.monotonic() < end:
            time.sleep(0.5)
        for _name, daemon in reversed(self._daemons):
            daemon.terminate()
            daemon.wait()

    @property
    def node(self) -> int:
        """The process of the node's daemon, whose descendants are those of jobs."""
        return self._daemons[-1][1].pid

    def command(self, *arguments: object, check: bool = True) -> str:
        """What a command of Slurm writes; raises where it fails."""
        done = subprocess.run(
            [str(argument) for argument in arguments], env=self.environment,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout

    def submit(self, *arguments: object) -> str:
        """Gives `sbatch` a job, and returns its number."""
        return self.command("sbatch", "--parsable", *arguments).strip().partition(";")[0]

    def is_over(self, job: str) -> bool:
        return not self.command("squeue", "-h", "-j", job, check=False).strip()

    def wait(self, job: str) -> None:
        while not self.is_over(job):
            time.sleep(0.2)

    def _start(self, name: str, *arguments: str) -> None:
        with (self.folder / f"{name}.txt").open("wb") as output:
            process = subprocess.Popen(
                [name, *arguments], env=self.environment, stdout=output, stderr=output,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
        self._daemons.append((name, process))

    def _wait(self, is_there, end: float) -> None:
        while not is_there():
            for name, daemon in self._daemons:
                if daemon.poll() is not None or time.monotonic() > end:
                    said = (self.folder / f"{name}.txt").read_text(errors="replace")
                    raise RuntimeError(f"{name} does not run:\n{said}")
            time.sleep(0.2)


def _user() -> str:
    import pwd

    return pwd.getpwuid(os.getuid()).pw_name


def _free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]
