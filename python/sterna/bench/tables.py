"""The tables of `sterna bench`, arranged as in the papers, with the papers' figures beside them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

Row = dict[str, Any]


#: Columns of a terminal that every table fits into; the rest is in the JSON file.
WIDTH = 80


@dataclass
class Column:
    """A column of a plain table: its head, with the unit, and the text of a row."""

    head: str
    value: Callable[[Row], Any]


def _column(head: str, name: str, factor: float = 1.0) -> Column:
    def value(row: Row) -> Any:
        found = row.get(name)
        return found if found is None or factor == 1.0 else found * factor

    return Column(head, value)


@dataclass
class View:
    """How the rows of a verb are read: a panel for each value of `panel`, a line for each method.

    A verb with `columns` has a plain table of them instead.
    """

    panel: Sequence[str] = ()
    x: str = "ranks"
    x_label: str = "ranks"
    ranks: Sequence[int] = (2,)  #: if the user gives none
    names: dict[str, str] = field(default_factory=dict)  #: the names of methods in the paper
    paper: Sequence[str] = ()  #: lines below the tables with the paper's results
    extra: Callable[[list[Row]], list[Table]] | None = None
    by_method: bool = True  #: whether a table of medians is shown for each panel
    y: str = "median_us"  #: the value on the y axis; for the median also the quantiles
    columns: Sequence[Column] = ()
    #: lines below the tables that explain the columns and their expected values
    look_at: Sequence[str] = ()


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


def fits(table: Table) -> bool:
    """Whether it can be printed in `WIDTH` columns, with its texts on several lines."""
    console = Console(width=10 * WIDTH)
    return Measurement.get(console, console.options, table).minimum <= WIDTH


def _methods_tables(panel: Panel, view: View) -> list[Table]:
    """Returns as many tables as are needed for each to fit."""
    table = _methods_table(panel, view)
    if len(panel.xs) < 2 or fits(table):
        return [table]
    middle = (len(panel.xs) + 1) // 2
    halves = (replace(panel, xs=xs) for xs in (panel.xs[:middle], panel.xs[middle:]))
    return [part for half in halves for part in _methods_tables(half, view)]


def _methods_table(panel: Panel, view: View) -> Table:
    title = f"{panel.title}: median us of a round" if panel.title else "median us of a round"
    table = Table(title=title, title_justify="left")
    table.add_column("method", no_wrap=True)
    if view.names:
        table.add_column("in the paper")
    for x in panel.xs:
        table.add_column(f"{x} {panel.x_label}", justify="right", min_width=9)
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


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if not isinstance(value, float):
        return str(value)
    return f"{value:.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.3g}"


def _plain_table(rows: Sequence[Row], columns: Sequence[Column]) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 0), show_edge=False)
    values = [[column.value(row) for column in columns] for row in rows]
    lines = [list(map(_text, line)) for line in values]
    for n, column in enumerate(columns):
        is_text = any(isinstance(line[n], str) for line in values)
        words = [
            word for text in (column.head, *(line[n] for line in lines)) for word in text.split()
        ]
        table.add_column(
            column.head,
            justify="left" if is_text else "right",
            min_width=max(map(len, words), default=1),  # no number and no name is cut
        )
    for line in lines:
        table.add_row(*line)
    return table


#: The columns that a plain table can omit, in the order in which they go.
_EXPENDABLE = ("nodes", "mean_us", "p10_us", "p90_us", "rounds", "peers", "ranks", "bytes")


def _columns_of(rows: Sequence[Row]) -> tuple[list[Column], list[str]]:
    """For a verb without columns of its own: returns the columns that fit, and those left out."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    expendable = [name for name in _EXPENDABLE if name in names]
    left_out = []
    while len(names) > 1:
        columns = [_column(name.replace("_", " "), name) for name in names]
        if fits(_plain_table(rows, columns)):
            return columns, left_out
        out = expendable.pop(0) if expendable else names[-1]
        names.remove(out)
        left_out.append(out)
    return [_column(name, name) for name in names], left_out


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


def _far_field(row: Row) -> float | None:
    parts = [row.get(name) for name in ("p2m", "m2m", "m2l", "l2l", "l2p")]
    return None if None in parts else sum(parts)


_ALL_IN_JSON = "Quantiles, rounds and all other numbers are written by --json FILE."

_VIEWS = {
    "fmm": View(
        columns=(
            _column("ranks", "ranks"),
            _column("charges", "charges"),
            _column("error asked", "accuracy"),
            _column("error found", "error"),
            _column("leaves", "leaves"),
            _column("us per charge", "us_per_particle"),
            _column("near field", "near"),
            Column("far field", _far_field),
            _column("exchange", "communication"),
        ),
        look_at=(
            "Times are microseconds of one evaluation per charge; near field, far field and",
            "exchange are parts of it. Look at `us per charge`, which should hardly depend on the",
            "number of charges, and at `error found`: relative, of the forces, below what was asked.",
            _ALL_IN_JSON,
        ),
    ),
    "halo_fmm": View(
        columns=(
            _column("ranks", "ranks"),
            _column("way", "method"),
            _column("transport", "transport"),
            _column("messages", "messages"),
            _column("median us", "median_us"),
            _column("of MPI", "of_mpi"),
            _column("step us", "step_us"),
            _column("% of step", "share", 100.0),
        ),
        look_at=(
            "A round is the exchange of one rank's halo with its six neighbors. Look at `of MPI`: the",
            "time as a part of that of packed MPI messages; below 1 is faster. `step us` is a whole",
            "step, with the translations, of which the exchange is the last column.",
            _ALL_IN_JSON,
        ),
    ),
    "kernels": View(
        ranks=(1,),
        columns=(
            _column("kernel", "method"),
            _column("GHz", "GHz"),
            _column("operations per cycle", "operations_per_cycle"),
            _column("rows of", "rows_of"),
            _column("pairs per particle", "pairs_per_particle"),
            _column("ns per particle", "ns_per_particle"),
            _column("cycles per vector", "cycles_per_vector"),
        ),
        look_at=(
            "Look at `cycles per vector`: of as many pairs as a vector has lanes, those beyond the",
            "cutoff included. `operations per cycle` is the most that the processor does with such",
            "vectors: additions and multiplications of single precision, half of each.",
            _ALL_IN_JSON,
        ),
    ),
    "direct_put": View(
        columns=(
            _column("atoms", "atoms"),
            _column("ghosts", "ghosts"),
            _column("way", "method"),
            _column("median us", "median_us"),
            _column("p10", "p10_us"),
            _column("p90", "p90_us"),
        ),
        look_at=(
            "A round packs the positions of a halo, waits for those of the other rank and reads them.",
            "Look at `median us`: of the two ways over an outbox, which are built, and of those that",
            "put the positions where kernels could read them.",
            _ALL_IN_JSON,
        ),
    ),
    "message": View(
        columns=(
            _column("bytes", "bytes"),
            _column("way", "method"),
            _column("median us", "median_us"),
            _column("of memcpy", "to_limit"),
            _column("of MPI", "to_mpi"),
            _column("copying over it", "speedup"),
        ),
        look_at=(
            "A message of so many bytes between two ranks of a node, one way. Look at `of MPI`: the",
            "time as a part of that of MPI send-receive; below 1 is faster. `of memcpy` is the same of",
            "one copy in memory, `copying over it` how many times longer a message that is copied takes.",
            _ALL_IN_JSON,
        ),
    ),
    "soak": View(
        columns=(
            _column("method", "method"),
            _column("pattern", "pattern"),
            _column("rounds", "rounds"),
            _column("mean us", "mean_us"),
            _column("longest ms", "longest_ms"),
            _column("MB", "memory_kB", 1e-3),
            _column("grown MB", "growth_kB", 1e-3),
        ),
        look_at=(
            "Look at `grown MB`, the memory that the rounds took and did not give back: it should not",
            "rise with their number. `longest ms` is the longest round; other programs show in it.",
        ),
    ),
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
    look_at = list(view.look_at)
    if document["benchmark"] not in _VIEWS:
        columns, left_out = _columns_of(rows)
        console.print(_plain_table(rows, columns))
        if left_out:
            look_at.append(f"Not shown, but written by --json FILE: {', '.join(left_out)}.")
    elif view.columns:
        console.print(_plain_table(rows, view.columns))
    elif view.by_method:
        for panel in panels(rows, view):
            for table in _methods_tables(panel, view):
                console.print(table)
    for table in view.extra(rows) if view.extra else []:
        console.print(table)
    for text in [" ".join(look_at), *document["notes"], " ".join(view.paper)]:
        if text:
            console.print(text, highlight=False, markup=False)
