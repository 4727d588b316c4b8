"""The time of each rank by phase, and the traffic between ranks."""

from collections.abc import Mapping, Sequence

from sterna.report.html import Markup, details, element, number, section, table
from sterna.report.rank_plots import bytes_text, matrix_plot, stacked_bars
from sterna.results.run import Run

#: Pairs of ranks in the table of a matrix: the busiest ones where there are more.
MOST_PAIRS = 2000


def ranks_of(run: Run) -> int:
    return int(run.start.get("ranks") or 1)


def times_by_rank(run: Run) -> list[Markup]:
    """Time of each phase on each rank; nothing of one rank, or where the log does not tell it."""
    found = run.timing.get("by_rank") or {}
    shown, parts = found.get("rank") or [], found.get("seconds") or {}
    if len(shown) < 2 or not parts:
        return []
    count = ranks_of(run)
    which = f"of all {count} ranks"
    if len(shown) < count:
        which = f"of {len(shown)} of {count} ranks, the fastest and the slowest of each phase among them"
    caption = f"Time by phase and rank, {which}"
    others = ("particles", "ghosts", "bytes_sent", "messages_sent")
    head = ("rank", *(f"{name}/s" for name in parts), *(o.replace("_", " ") for o in others))
    rows = [
        (rank, *(number(values[k], 4) for values in parts.values()),
         *(found[other][k] for other in others))
        for k, rank in enumerate(shown)
    ]  # fmt: skip
    below = details("Values of each rank", table(head, rows, caption))
    names = [f"rank {rank}" for rank in shown]
    return [element("h4", "Time by rank"), stacked_bars(caption, "s", names, parts, below)]


def traffic(run: Run, identity: str) -> Markup:
    """The matrix of who sent how much to whom."""
    heading = "Who sends to whom"
    found = run.timing.get("traffic")
    if ranks_of(run) == 1:
        return section(identity, heading, element("p", "A run of one rank sends nothing."))
    if found is None:
        return section(identity, heading, element("p", _why_missing(run)))
    pairs = list(zip(found["from"], found["to"], found["bytes"], found["messages"], strict=True))
    if not pairs:
        return section(identity, heading, element("p", "No rank has sent anything to another."))
    said = [
        (f"Rank {a} to rank {b}: {bytes_text(size)} in {messages} messages")
        for a, b, size, messages in pairs
    ]
    cells = [(a, b, size, what) for (a, b, size, _), what in zip(pairs, said, strict=True)]
    busiest = max(range(len(pairs)), key=lambda k: pairs[k][2])
    total = sum(size for _, _, size, _ in pairs)
    caption = f"{bytes_text(total)} in all. Most between a pair: {_lower(said[busiest])}. The stronger the color, the more."
    rows: Sequence[tuple] = sorted(pairs)
    title = "Sent by each rank to each other"
    if len(rows) > MOST_PAIRS:
        rows = sorted(sorted(pairs, key=lambda pair: -pair[2])[:MOST_PAIRS])
        title += f", the {MOST_PAIRS} pairs with the most bytes"
    below = details("Values", table(("from rank", "to rank", "bytes", "messages"), rows, title))
    return section(
        identity,
        heading,
        element("p", _partners(pairs, ranks_of(run))),
        matrix_plot(caption, ranks_of(run), cells, below),
    )


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _why_missing(run: Run) -> str:
    sent: Mapping = run.timing.get("by_rank") or {}
    if not run.end:
        return "A run tells what its ranks sent when it ends."
    if sent.get("bytes_sent"):
        return (
            "There are too many ranks for a matrix: the table of times by rank has what some of "
            "them sent in all."
        )
    return "The log of this run does not tell what each rank sent to each other."


def _partners(pairs: Sequence[tuple], count: int) -> str:
    partners = [0] * count
    for a, b, _, messages in pairs:
        partners[a] += a != b and messages > 0
    least, most = min(partners), max(partners)
    numbers = f"{least}" if least == most else f"{least} to {most}"
    return (
        f"Each rank sends to {numbers} of {count - 1} others: halo, migration and electrostatics, "
        "without reductions, output and checkpoints."
    )
