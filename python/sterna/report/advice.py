"""Advice from the numbers of a run, in words. Each rule names the number that it uses."""

from sterna.report.averages import average, line_through
from sterna.results.run import Run

#: Shares of the time above which a part is worth a word.
_COMMUNICATION, _WAITING, _OBSERVERS, _OUTPUT, _LISTS = 0.10, 0.10, 0.10, 0.10, 0.20
_IMBALANCE = 1.10
#: Below this many particles a rank mostly communicates.
_FEW_PARTICLES = 500
#: The permitted drift of the conserved energy, relative to the kinetic energy.
_DRIFT = 0.005

_LIST_PHASES = ("pair list", "sorting", "halo selection", "halo lists", "migration")


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f} %"


def share(run: Run, phase: str) -> float:
    """The average time of a phase and of its exchanges, of the time of the whole."""
    phases = run.timing.get("phases") or {}
    seconds = run.timing.get("seconds") or 0.0
    names = (phase, f"{phase}, exchanges")
    total = sum(phases[name]["avg"] for name in names if name in phases)
    return total / seconds if seconds > 0.0 else 0.0


def _of_communication(run: Run) -> list[str]:
    ranks = int(run.start.get("ranks") or 1)
    if ranks == 1:
        return []
    found = []
    halo = share(run, "halo exchange")
    each = run.particles / ranks
    if halo > _COMMUNICATION:
        found.append(f"The halo exchange is {_percent(halo)} of the step.")
    total = run.timing.get("communication_share") or 0.0
    synchronized = run.timing.get("mode") == "synchronized"
    if total > _COMMUNICATION and each < _FEW_PARTICLES:
        what = "Communication takes" if synchronized else "Communication and waiting take"
        found.append(
            f"{what} {_percent(total)} of the time with {each:.0f} particles for each rank: fewer "
            "ranks use the processors better."
        )
    if synchronized:
        waiting = run.timing.get("waiting_share") or 0.0
        if waiting > _WAITING:
            found.append(
                f"Ranks wait for each other {_percent(waiting)} of the time: the work is uneven, or "
                "the ranks share cores."
            )
    elif total > _COMMUNICATION and each >= _FEW_PARTICLES:
        found.append(
            f"Communication and waiting take {_percent(total)} of the time; "
            'timing = "synchronized" in [output] tells them apart.'
        )
    imbalance = (run.timing.get("balance") or {}).get("imbalance") or 1.0
    if imbalance > _IMBALANCE:
        found.append(
            f"At the end the slowest rank computes {100 * (imbalance - 1):.0f} % longer than the "
            'mean: see decomposition = "auto" in [domain].'
        )
    return found


def _of_phases(run: Run) -> list[str]:
    found = []
    observers, output = share(run, "observers"), share(run, "output") + share(run, "checkpoint")
    if observers > _OBSERVERS:
        found.append(
            f"Observers take {_percent(observers)} of the time: a larger interval costs less."
        )
    if output > _OUTPUT:
        found.append(
            f"Output and checkpoints take {_percent(output)} of the time: larger intervals in "
            "[output] cost less."
        )
    lists = sum(share(run, phase) for phase in _LIST_PHASES)
    if lists > _LISTS:
        found.append(
            f"Making neighbor lists takes {_percent(lists)} of the time: a larger skin in "
            "[neighbor] makes them less often."
        )
    return found


def _of_physics(run: Run) -> list[str]:
    found = []
    over = run.timing.get("averages_over") or {}
    if over.get("rows_left_out", 0) > over.get("rows", 0):
        found.append(
            f"{over['rows_left_out']} of {over['rows'] + over['rows_left_out']} rows are left out "
            "as equilibration: a longer run would tell more."
        )
    if run.averages.unsettled:
        found.append(
            "The run has not settled, or is too short to tell whether it has: "
            + "; ".join(run.averages.unsettled)
            + "."
        )
    drift = energy_drift(run)
    if drift is not None and abs(drift) > _DRIFT:
        found.append(
            f"The conserved energy drifts by {100 * drift:.2g} % of the kinetic energy: a smaller "
            "timestep, a smoother cutoff or more accurate electrostatics keep it better."
        )
    return found


def energy_drift(run: Run) -> float | None:
    """How much the conserved energy drifts over the settled rows, of the mean kinetic energy.

    None where it does not drift by more than it scatters, or is not there.
    """
    if not {"conserved_energy", "kinetic_energy"} <= set(run.columns):
        return None
    line = line_through(run, "conserved_energy")
    kinetic, _ = average(run, "kinetic_energy")
    return line.change / kinetic if line and line.drifts and kinetic else None


def advice(run: Run) -> list[str]:
    """Sentences, most telling first; empty where nothing stands out."""
    return _of_physics(run) + _of_communication(run) + _of_phases(run)
