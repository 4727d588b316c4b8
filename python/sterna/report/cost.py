"""Where the time went, how even the work was, and which exchange methods ran and why."""

import numpy

from sterna.report.html import Markup, details, element, number, section, table
from sterna.report.plot import Bar, Series, bar_plot, line_plot
from sterna.report.ranks import ranks_of, times_by_rank
from sterna.results.run import Run

#: Shares below this are in the table only.
_LEAST_SHOWN = 0.005


def times(run: Run, identity: str) -> Markup:
    """Time of each phase: average over ranks, with the fastest and the slowest rank."""
    phases = run.timing.get("phases")
    if not phases:
        why = "A run tells its times when it ends."
        return section(identity, "Time by phase", element("p", why))
    seconds = run.timing["seconds"]
    waiting = run.timing.get("waiting") or {}
    head = ["phase", "fastest rank/s", "average/s", "slowest rank/s", "share"]
    if waiting:
        head.append("waiting in it/s")
    rows = []
    for name, spread in phases.items():
        row = [name, *(number(spread[key], 4) for key in ("min", "avg", "max"))]
        row.append(f"{100 * _part(spread['avg'], seconds):.1f} %")
        if waiting:
            row.append(number(waiting[name]["avg"], 4) if name in waiting else "")
        rows.append(row)
    ranks = ranks_of(run)
    over = f"; lines from the fastest to the slowest of {ranks} ranks" if ranks > 1 else ""
    caption = f"Time by phase, {number(seconds, 4)} s in all{over}"
    shown = sorted(phases.items(), key=lambda item: -item[1]["avg"])
    bars = [
        Bar(name, s["avg"], *((s["min"], s["max"]) if ranks > 1 else ()))
        for name, s in shown
        if _part(s["avg"], seconds) > _LEAST_SHOWN
    ]
    plot = bar_plot(caption, "s", bars, details("Values", table(head, rows, caption)))
    said = _shares(run)
    by_rank = times_by_rank(run)
    return section(identity, "Time by phase", *(element("p", s) for s in said), plot, *by_rank)


def _part(seconds: float, of_all: float) -> float:
    """A share of the time; of no time none."""
    return seconds / of_all if of_all > 0.0 else 0.0


def _shares(run: Run) -> list[str]:
    if ranks_of(run) == 1:
        return []
    communication = 100 * (run.timing.get("communication_share") or 0.0)
    if run.timing.get("mode") == "synchronized":
        waiting = 100 * (run.timing.get("waiting_share") or 0.0)
        return [
            f"Communication takes {communication:.1f} % of the time, waiting for ranks that "
            f"compute {waiting:.1f} %."
        ]
    return [f"Communication and waiting take {communication:.1f} % of the time."]


def balance(run: Run, identity: str) -> Markup:
    """Computing time of the slowest rank over the mean, at each look that the run took."""
    looks = run.events("balance")
    found = run.timing.get("balance") or {}
    if not looks:
        why = "The run has one rank, or did not measure how even its ranks' work is."
        return section(identity, "Load balance", element("p", why))
    steps = numpy.array([look["step"] for look in looks], float)
    imbalance = numpy.array([look.get("imbalance") or numpy.nan for look in looks], float)
    cuts = [k for k, look in enumerate(looks) if look.get("decision") != "kept"]
    lines = [Series("slowest rank over mean", steps, imbalance)]
    if cuts:
        lines.append(Series("regions changed", steps[cuts], imbalance[cuts], "points", color=1))
    caption = (
        f"Computing time of the slowest rank over the mean: {number(imbalance[0], 4)} at first"
    )
    last = found.get("imbalance")
    caption += f", {number(last, 4)} at last" if last else ""
    rows = [
        (look["step"], number(look.get("imbalance"), 5), look.get("decision", ""),
         look.get("reason", ""))
        for look in looks
    ]  # fmt: skip
    below = details(
        "Decisions", table(("step", "imbalance", "decision", "reason"), rows, "Decisions")
    )
    # A line takes two looks.
    pieces: list[object] = (
        [line_plot(caption, "step", "slowest rank over mean", lines, below)]
        if len(looks) > 1
        else [element("p", f"{caption}."), below]
    )
    if found:
        said = ", ".join(f"{key.replace('_', ' ')} {_said(value)}" for key, value in found.items())
        pieces.append(element("p", said[:1].upper() + said[1:] + "."))
    return section(identity, "Load balance", *pieces)


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value) if isinstance(value, (int, float)) else str(value)


def exchanges(run: Run, identity: str) -> Markup:
    """Each exchange: the method that was chosen, why, how much was sent, and every candidate."""
    methods = run.timing.get("methods")
    if not methods:
        why = "A run tells its exchange methods when it ends; on one rank it has none."
        return section(identity, "Exchange methods", element("p", why))
    pieces = [_exchange(verdict) for verdict in methods]
    return section(identity, "Exchange methods", *pieces)


def _exchange(verdict: dict) -> Markup:
    name = verdict["exchange"]
    pieces: list[object] = [
        element("h4", f"{name[:1].upper()}{name[1:]}"),
        element("p", element("strong", verdict["method"]), f": {verdict['reason']}"),
        table(
            ("sent", "by rank 0", "by the busiest rank"),
            [
                ("bytes", number(verdict["bytes_sent"], 12),
                 number(int(verdict["busiest_bytes_sent"]), 12)),
                ("messages", number(verdict["messages_sent"], 12),
                 number(int(verdict["busiest_messages_sent"]), 12)),
            ],
            f"Sent in {verdict['rounds']} rounds of {name}",
        ),
    ]  # fmt: skip
    candidates = verdict.get("candidates") or []
    measured = [c for c in candidates if c.get("median_us")]
    rows = [
        (c["method"], c["state"], _time(c["median_us"]), _time(c["model_us"]), c["rounds"],
         c["outliers"], c["why"])
        for c in candidates
    ]  # fmt: skip
    head = ("method", "state", "median/us", "model/us", "rounds", "outliers", "why")
    caption = f"Methods for {name}"
    values = details("Methods", table(head, rows, caption))
    if measured:
        measured.sort(key=lambda c: c["median_us"])
        bars = [
            Bar(c["method"], c["median_us"], marked=c["model_us"] or None,
                color=1 if c["method"] == verdict["method"] else 0)
            for c in measured
        ]  # fmt: skip
        said = "Measured time of a round, the chosen method in another color; the stroke is what the model predicts"
        pieces.append(bar_plot(said, "us", bars, values))
    else:
        pieces.append(values)
    return element("div", *pieces, class_="exchange")


def _time(value: float | None) -> str:
    return number(value, 4) if value else "–"
