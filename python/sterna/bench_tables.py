"""How `sterna bench` lays out what was measured: as the papers do, with their figures beside."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table

Row = dict[str, Any]


@dataclass
class View:
    """How the rows of a verb are read: a panel for each value of `panel`, a line for each method."""

    panel: Sequence[str] = ()
    x: str = "ranks"
    x_label: str = "ranks"
    ranks: Sequence[int] = (2,)  #: where the user asks for none
    names: dict[str, str] = field(default_factory=dict)  #: what the paper calls a method
    paper: Sequence[str] = ()  #: lines below the tables: what the paper found
    extra: Callable[[list[Row]], list[Table]] | None = None
    by_method: bool = True  #: whether a table of medians is shown for each panel
    y: str = "median_us"  #: what is drawn; the quantiles too where it is the median


@dataclass
class Panel:
    """One table, or one drawing."""

    title: str
    x_label: str
    y: str
    xs: list[Any]
    series: dict[str, dict[Any, Row]]  #: method, then x


def panels(rows: Sequence[Row], view: View) -> list[Panel]:
    """The rows sorted into the panels of the view, everything in the order of appearance."""
    found: dict[tuple, Panel] = {}
    for row in rows:
        key = tuple(row.get(name) for name in view.panel)
        title = ", ".join(
            value if isinstance(value, str) else f"{value} {name}"
            for name, value in zip(view.panel, key, strict=True)
        )
        panel = found.setdefault(key, Panel(title, view.x_label, view.y, [], {}))
        x = row[view.x]
        if x not in panel.xs:
            panel.xs.append(x)
        panel.series.setdefault(row["method"], {})[x] = row
    return list(found.values())


def _us(row: Row | None) -> str:
    return "-" if row is None else f"{row['median_us']:.2f}"


def _methods_table(panel: Panel, view: View) -> Table:
    title = f"{panel.title}: median us of a round" if panel.title else "median us of a round"
    table = Table(title=title, title_justify="left")
    table.add_column("method")
    if view.names:
        table.add_column("in the paper")
    for x in panel.xs:
        table.add_column(f"{x} {panel.x_label}", justify="right")
    best = {
        x: min(line[x]["median_us"] for line in panel.series.values() if x in line)
        for x in panel.xs
    }
    for method, line in panel.series.items():
        cells = [method, *([view.names.get(method, "")] if view.names else [])]
        for x in panel.xs:
            mark = " *" if x in line and line[x]["median_us"] == best[x] else ""
            cells.append(_us(line.get(x)) + mark)
        table.add_row(*cells)
    for method, line in panel.series.items():
        bare = panel.series.get(f"bare {method}")
        if bare:
            cells = [f"{method} over bare", *([""] if view.names else [])]
            table.add_row(*cells, *(_overhead(line.get(x), bare.get(x)) for x in panel.xs))
    return table


def _overhead(row: Row | None, bare: Row | None) -> str:
    if row is None or bare is None:
        return "-"
    return f"{100 * (row['median_us'] / bare['median_us'] - 1):+.1f} %"


def _all_columns(rows: Sequence[Row]) -> Table:
    table = Table()
    columns = list(dict.fromkeys(name for row in rows for name in row))
    for column in columns:
        table.add_column(column, justify="left" if column == "method" else "right")
    for row in rows:
        cells = (row.get(column, "-") for column in columns)
        table.add_row(*(f"{c:.4g}" if isinstance(c, float) else str(c) for c in cells))
    return table


def _busiest(rows: list[Row]) -> list[Table]:
    """Messages and volume of the busiest rank, as the paper reports them."""
    table = Table(title="busiest rank, sent and received in a round", title_justify="left")
    for column in ("pattern", "ranks", "messages", "kB"):
        table.add_column(column, justify="right")
    seen = {}
    for row in rows:
        seen[row["pattern"], row["ranks"]] = (row["busiest_messages"], row["busiest_bytes"])
    for (pattern, ranks), (messages, size) in seen.items():
        table.add_row(pattern, str(ranks), f"{messages:.1f}", f"{size / 1e3:.1f}")
    return [table]


#: Processes, not agglomerated, agglomerated, gain: as printed there.
_PAPER_REDUCTIONS = (
    ("4096", "68.57", "61.83", "9.83 %"),
    ("8192", "45.51", "41.34", "9.18 %"),
    ("16374", "41.17", "36.95", "11.95 %"),
)


def _gain(rows: list[Row]) -> list[Table]:
    """The paper's table: processes, not agglomerated, agglomerated, gain."""
    table = Table(title="median us of a round", title_justify="left")
    for column in (
        "processes",
        "values",
        "not agglomerated",
        "agglomerated",
        "gain",
        "fixed order",
    ):
        table.add_column(column, justify="right")
    pairs: dict[tuple[int, int], dict[str, Row]] = {}
    for row in rows:
        pairs.setdefault((row["ranks"], row["values"]), {})[row["method"]] = row
    for (ranks, values), pair in pairs.items():
        apart, together, fixed = (
            pair[name]["median_us"]
            for name in ("one_by_one", "agglomerated", "agglomerated_fixed_order")
        )
        gain = f"{100 * (1 - together / apart):.1f} %"
        numbers = (f"{apart:.2f}", f"{together:.2f}", gain, f"{fixed:.2f}")
        table.add_row(str(ranks), str(values), *numbers)
    paper = Table(title="the paper (Cray XE6)", title_justify="left")
    for column in ("processes", "not agglomerated", "agglomerated", "gain"):
        paper.add_column(column, justify="right")
    for line in _PAPER_REDUCTIONS:
        paper.add_row(*line)
    return [table, paper]


#: Seconds on the Cray XE6, 4096 processes, with the spread in the last digit.
_PAPER_PLACEMENTS = {
    "round_robin": "15.8(7)",
    "smp": "15.5(3)",
    "folded": "15.9(7)",
    "grid_order": "15.4(6)",
}


def _placements(rows: list[Row]) -> list[Table]:
    """Bytes and hops of each placement beside the seconds that the paper measured."""
    first = rows[0]
    table = Table(
        title=f"{first['ranks']} ranks ({first['grid']}) on {first['nodes']} nodes, {first['network']}",
        title_justify="left",
    )
    columns = ("placement", "MB between nodes", "hop-MB", "median us", "paper: s")
    for column in columns:
        table.add_column(column, justify="left" if column == "placement" else "right")
    for row in rows:
        time = "-" if row["median_us"] is None else f"{row['median_us']:.1f}"
        sizes = (f"{row[name] / 1e6:.4g}" for name in ("bytes_between_nodes", "hop_bytes"))
        table.add_row(row["method"], *sizes, time, _PAPER_PLACEMENTS.get(row["method"], ""))
    return [table]


_VIEWS = {
    "neighbor": View(
        panel=("topology", "ranks"),
        x="adjacent",
        x_label="adjacent",
        ranks=(2, 4, 8),
        names={
            "p2p": "MPI_Isend/Irecv",
            "rma_fence": "MPI_RMA",
            "rma_double_buffer": "MPI_RMA_DB",
            "rdma_barrier": "RDMA",
            "rdma_double_buffer": "RDMA_DB",
        },
        paper=(
            "The paper (Wisteria-O, FX1000), 1-D, 128 processes on 32 nodes, 100 doubles: all one-sided",
            "methods alike, all faster than Isend/Irecv. 3-D, 1000 processes on 250 nodes, 10 to 100",
            "doubles: with few adjacent processes RDMA_DB is the fastest, with many MPI_RMA (fence).",
        ),
    ),
    "sparse": View(
        panel=("pattern",),
        x="ranks",
        x_label="ranks",
        ranks=(2, 4, 8, 16),
        names={
            "alltoall": "all-to-all twice, O(P)",
            "allreduce": "send-recv + reduce, O(log P)",
            "nbx": "send-recv + non-blocking barrier, O(log P)",
            "reduce_scatter": "reduce-scatter + send-recv, O(P)",
            "rma_reserve": "one-sided MPI, O(log P)",
            "rdma_reserve": "one-sided ACP, O(log P)",
        },
        paper=(
            "The paper (CX400 InfiniBand FDR; FX10 Tofu): in all situations one-sided ACP or",
            "reduce-scatter + send-recv is the fastest or close to it; ACP is faster than one-sided MPI.",
        ),
        extra=_busiest,
    ),
    "placement": View(
        panel=("network",),
        ranks=(1,),
        y="hop_bytes",
        paper=("The paper's own placement by the vendor's profiler: 15.1(2) s.",),
        extra=_placements,
        by_method=False,
    ),
    "reduce": View(
        panel=("ranks",),
        x="values",
        x_label="values",
        ranks=(2, 4, 8),
        extra=_gain,
        by_method=False,
    ),
}


def view_of(verb: str) -> View | None:
    """The layout of a verb; a plain one for a verb whose paper gives none."""
    return _VIEWS.get(verb, View())


def show(document: dict[str, Any], view: View, console: Console) -> None:
    """Prints the tables of the view; all columns of all rows for a verb without one."""
    machine, versions = document["machine"], document["versions"]
    console.print(
        f"sterna {versions['sterna']}, {versions['communication']}; "
        f"{machine['processor']}, {machine['cores']} cores"
    )
    rows = document["rows"]
    if document["benchmark"] not in _VIEWS:
        console.print(_all_columns(rows))
    elif view.by_method:
        for panel in panels(rows, view):
            console.print(_methods_table(panel, view))
    for table in view.extra(rows) if view.extra else []:
        console.print(table)
    for line in [*document["notes"], *view.paper]:
        console.print(line, highlight=False)
