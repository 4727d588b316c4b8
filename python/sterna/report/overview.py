"""The overview of a run: its end, its remarkable numbers, its setup."""

from sterna.report.advice import advice
from sterna.report.averages import average, line_through
from sterna.report.defaults import schema_of, settings_of
from sterna.report.html import Markup, details, element, number, section, table
from sterna.results.run import Run
from sterna.support.measured import measured_text

#: Averages of a run without an end, whose log has more columns.
_SHOWN = ("temperature", "pressure", "potential_energy", "total_energy", "volume")
_STATES = {
    "complete": "The run is complete.",
    "interrupted": "The run was asked to stop before its end; --resume continues it.",
    "failed": "The run failed.",
    "running": "The run is still going on: this is what it has written so far.",
    "broken off": "The run broke off: its log has no end. It was killed or failed, or goes on where "
    "this machine cannot see it.",
}


def state(run: Run) -> Markup:
    """The sentence on how the run ended."""
    sentence = _STATES.get(run.state, f"The run ended: {run.state}.")
    kind = "good" if run.state == "complete" else "bad"
    last = f" Last step: {run.last_step}."
    said = element("pre", run.failure, tabindex=0) if run.state == "failed" else ""
    first = element("p", element("strong", sentence), last)
    return element("div", first, said, class_=f"state {kind}")


def averages(run: Run, each: bool = False) -> list[tuple[str, str, str]]:
    """Name, mean with error, and unit: what the run found, or else what its rows say so far.

    With `each` energies are for each particle and called so, as in what a run prints.
    """
    found = {
        name: (average.mean, average.error, average.unit)
        for name, average in run.averages.items()
        if run.timing.get("averages") or name in _SHOWN
    }
    rows = []
    for name, (mean, error, unit) in found.items():
        count = run.particles if each and name.endswith("_energy") and run.particles else 1
        shown = measured_text(*(None if x is None else x / count for x in (mean, error)))
        rows.append((f"{name}/N" if count > 1 else name, shown, unit))
    return rows


def summary(run: Run, identity: str) -> Markup:
    pieces: list[object] = [state(run)]
    steps, seconds = run.timing.get("steps"), run.timing.get("seconds")
    if steps and seconds:
        each = seconds / steps / max(run.particles, 1) * 1e9
        pieces.append(
            element(
                "p",
                f"{steps} steps in {number(seconds, 4)} s: {number(steps / seconds, 5)} steps/s, "
                f"{number(each, 4)} ns per particle and step.",
            )
        )
    pieces.append(_conservation(run))
    warnings = [f"step {e.get('step', '?')}: {e.get('text', '')}" for e in run.events("warning")]
    for heading, lines in (("Warnings", warnings), ("Advice", advice(run))):
        if lines:
            pieces.append(element("h4", heading))
            pieces.append(element("ul", *(element("li", line) for line in lines)))
    rows = averages(run, each=True)
    if rows:
        pieces.append(table(("quantity", "mean (error)", "unit"), rows, _over(run)))
    return section(identity, "Summary", *pieces)


def _conservation(run: Run) -> Markup:
    """How well the energy that must stay the same did."""
    if not {"conserved_energy", "kinetic_energy"} <= set(run.columns):
        return Markup("")
    line = line_through(run, "conserved_energy")
    kinetic, _ = average(run, "kinetic_energy")
    if line is None or not kinetic:
        return Markup("")
    change, scatter = (f"{100 * part / kinetic:.2g} %" for part in (line.change, line.scatter))
    return element(
        "p",
        f"Conserved energy: it changes by {change} of the kinetic energy over the settled rows, "
        f"and scatters by {scatter}.",
    )


def _over(run: Run) -> str:
    over = run.averages
    said = f"{over.heading[0].upper()}{over.heading[1:]}; left out before: {over.rows_left_out}"
    return said if run.end else f"So far: {over.heading}"


def facts(run: Run) -> list[tuple[str, str]]:
    """Returns the facts of a run: its subject, machine and time."""
    start, settings = run.start, run.settings
    found = [
        ("Program", start.get("program")),
        ("Communication", start.get("communication")),
        ("Ranks", start.get("ranks")),
        ("Nodes", start.get("nodes")),
        ("Regions of the ranks", settings.get("regions")),
        ("Particles", settings.get("particles")),
        ("Steps", settings.get("steps")),
        ("Units", (settings.get("units") or {}).get("system")),
        ("Precision", settings.get("precision")),
        ("Kernels", settings.get("kernels")),
        ("Skin", settings.get("skin")),
        ("Began", start.get("time_of_day")),
        ("Ended", (run.end or {}).get("time_of_day")),
        ("Resumed from step", start.get("resumed_from")),
        ("Input file", start.get("input")),
        ("Hash of the input (xxh64)", start.get("input_hash")),
    ]
    for term, values in (settings.get("terms") or {}).items():
        said = ", ".join(f"{key} {_text(value)}" for key, value in (values or {}).items())
        found.append((f"Force term {term}", said or "on"))
    return [(name, _text(value)) for name, value in found if value not in (None, "")]


def _text(value: object) -> str:
    """Numbers without the digits that only rounding has made."""
    return number(value, 10) if isinstance(value, float) else str(value)


def setup(run: Run, identity: str) -> Markup:
    """Returns the setup: facts, input as given, input with its defaults, and how to run it
    again.
    """
    items = [piece for f in facts(run) for piece in (element("dt", f[0]), element("dd", f[1]))]
    text = str(run.start.get("input_text", ""))
    pieces: list[object] = [element("dl", *items)]
    pieces.append(details("Input file", element("pre", element("code", text), tabindex=0)))
    schema = schema_of(str(run.start.get("program")))
    settings = settings_of(text, schema)
    if settings:
        caption = (
            "Input with the defaults of what it leaves out"
            if schema
            else "Input; the program of this version is not here to tell the defaults"
        )
        rows = [(s.section, s.key, s.value, "given" if s.given else "default") for s in settings]
        note = "Defaults of keys that this input has no use for are listed, too."
        remark = element("p", note, class_="note") if schema else ""
        pieces.append(
            details(caption, remark, table(("section", "key", "value", "from"), rows, caption))
        )
    changes = run.settings.get("changed_settings") or []
    if changes:
        pieces.append(
            element("p", "Settings changed at the restart: ", ", ".join(map(str, changes)))
        )
    ranks = run.start.get("ranks", 1)
    again = f"sterna run {run.start.get('input', 'input.toml')} -n {ranks}"
    steps = run.settings.get("steps")
    given = [s.value for s in settings if (s.section, s.key) == ("run", "steps")]
    if steps is not None and given and given != [str(steps)]:
        again += f" --steps {steps}"
    pieces.append(element("p", "To run it again: ", element("code", again)))
    bibliography = run.file(".bib")
    if bibliography.is_file():
        entries = bibliography.read_text(encoding="utf-8", errors="replace")
        pieces.append(details("Please cite (BibTeX)", element("pre", entries, tabindex=0)))
    return section(identity, "What was run", *pieces)
