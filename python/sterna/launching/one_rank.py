"""The launcher of one rank where MPI's cannot run, because the loopback interface is down.

Started as `python -I one_rank.py PROGRAM [ARGUMENTS]`. It ends with the status of the program, or
with 128 and the number of the signal that ended it.
"""

import signal
import subprocess
import sys


def main(command: list[str]) -> int:
    # The signals are blocked here, because the rank must get them.
    rank = subprocess.Popen(
        command, preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, ())
    )
    status = rank.wait()
    if status >= 0:
        return status
    sys.stderr.write(
        f"sterna: rank 0 was ended by signal {-status} ({signal.strsignal(-status)})\n"
    )
    return 128 - status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
