"""The text of docs/benchmarks.md from what was recorded and replayed."""

from document_table import markdown_table

NETWORKS = {"fat_tree": "fat tree", "torus": "torus"}
TREES = {
    "chosen": "as `sterna-md` chooses it",
    "levels": "the best by `levels`, as estimated",
    "of one core": "were it that of one core",
}


def size_of(atoms: float) -> str:
    return f"10^{len(str(int(atoms))) - 1}"


def formulas(recorded: dict) -> str:
    """How well each formula gives what 8 ranks sent, over all recorded waters."""
    deviations: dict[str, list[float]] = {}
    for row in recorded["messages"]:
        for name, exchange in row["exchanges"].items():
            if exchange["bytes"] and "bytes_by_formula" in exchange:
                kind = name.split(", level")[0]
                deviation = exchange["bytes_by_formula"] / exchange["bytes"] - 1
                deviations.setdefault(kind, []).append(deviation)
    rows = [
        [name, str(len(found)), f"{100 * min(found):+.1f} to {100 * max(found):+.1f} %"]
        for name, found in deviations.items()
    ]
    return markdown_table(["exchange", "recorded", "bytes by the formula"], rows)


def trees(rows: list[dict]) -> str:
    """Steps by put and direct halo, for each tree."""
    wanted = [row for row in rows if row["method"] == "put, direct" and not row["rebuild"]]
    lines = []
    for atoms, ranks, network in sorted(
        {(row["atoms"], row["ranks"], row["network"]) for row in wanted}
    ):
        cells = [size_of(atoms), str(ranks), NETWORKS[network]]
        for tree in TREES:
            found = next(
                (
                    row
                    for row in wanted
                    if (row["atoms"], row["ranks"], row["network"], row["tree"])
                    == (atoms, ranks, network, tree)
                ),
                None,
            )
            cells.append(f"{found['ms']:.2f} ({found['cells']})" if found else "-")
        lines.append(cells)
    return markdown_table(["atoms", "ranks", "network", *TREES.values()], lines)


def shares(rows: list[dict]) -> str:
    """Of the step with the chosen tree: efficiency, and what the time goes to."""
    parts = ["computing", "halo", "charges nearby", "levels", "reductions"]
    lines = []
    for row in sorted(rows, key=lambda row: (row["atoms"], row["ranks"], row["network"])):
        if row["tree"] != "chosen" or row["method"] != "put, direct" or row["rebuild"]:
            continue
        efficiency = row["one_rank_ms"] / row["ranks"] / row["ms"]
        cells = [size_of(row["atoms"]), str(row["ranks"]), NETWORKS[row["network"]]]
        cells += [f"{row['ms']:.2f}", f"{100 * efficiency:.0f} %"]
        cells += [f"{100 * row['parts_ms'].get(part, 0) / row['ms']:.0f} %" for part in parts]
        lines.append(cells)
    header = ["atoms", "ranks", "network", "ms", "efficiency", *parts]
    return markdown_table(header, lines)


def methods(rows: list[dict]) -> str:
    """The same tree by each method."""
    wanted = [row for row in rows if row["tree"] == "chosen" and not row["rebuild"]]
    names = list(dict.fromkeys(row["method"] for row in wanted))
    lines = []
    for key in sorted({(row["atoms"], row["ranks"], row["network"]) for row in wanted}):
        found = {
            row["method"]: row["ms"]
            for row in wanted
            if (row["atoms"], row["ranks"], row["network"]) == key
        }
        cells = [size_of(key[0]), str(key[1]), NETWORKS[key[2]]]
        cells += [f"{found[name]:.3f}" if name in found else "-" for name in names]
        lines.append(cells)
    return markdown_table(["atoms", "ranks", "network", *names], lines)


def text_of(results: dict) -> str:
    recorded = results["recorded"]
    costs = results["costs"]
    text = f"`{recorded['command']}`, {recorded['date']}, {recorded['machine']}. "
    text += "What rank 0 of 8 sent, by the formulas:\n\n" + formulas(recorded)
    least, others = costs["sizes"], costs["others"]
    text += (
        f"\nReductions: {recorded['reductions']['each_step']:.1f} a step. Lists are rebuilt once in "
        f"{costs['rebuild_interval']:.0f} steps. All but the multipole method takes "
        f"{others[0]:.0f} ns for each atom and step with {least[0]} atoms on a rank, "
        f"{others[-1]:.0f} with {least[-1]}.\n"
    )
    if "predicted" not in results:
        return text
    predicted = results["predicted"]
    rows = predicted["rows"]
    text += (
        f"\n`{predicted['command']}`, {predicted['date']}; predicted ms of a step by puts and a "
    )
    text += "direct halo, with the tree of the multipole method:\n\n" + trees(rows)
    text += "\nAs `sterna-md` chooses it, as parts of the step (mean of the ranks, waiting "
    text += "included). Efficiency: the time of one rank with the tree that it chooses, over the "
    text += "ranks and their time:\n\n" + shares(rows)
    text += "\nThe same by each method of exchange, ms of a step:\n\n" + methods(rows)
    if "check" in results:
        found = [row["replay_ms"] / row["simgrid_ms"] - 1 for row in results["check"]["rows"]]
        sent = [
            row["replay_exchanges_ms"] / row["simgrid_exchanges_ms"] - 1
            for row in results["check"]["rows"]
        ]
        text += (
            f"\n`{results['check']['command']}`: against SimGrid the replay's step deviates by "
            f"{100 * min(found):+.1f} to {100 * max(found):+.1f} %, its time outside of computing "
            f"by {100 * min(sent):+.1f} to {100 * max(sent):+.1f} %.\n"
        )
    return text
