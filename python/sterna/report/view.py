"""The system in three dimensions, with its trajectory."""

import json
from collections.abc import Iterable

from sterna.report.html import Markup, element, section
from sterna.report.trajectory import MOST_BYTES, Scene, read_scene
from sterna.results.run import Run
from sterna.support.elements import COLORS

_OTHER_ELEMENT = "#c080c0"
#: Parts of a protein's cartoon, as viewer.js has them.
_STRUCTURE = {"helix": "#c8375d", "strand": "#d9a514", "other": "#8f959c"}


def scene(run: Run, identity: str, wanted: bool, most_bytes: int = MOST_BYTES) -> Markup:
    """A canvas with its controls and its data; a sentence where there is nothing to show."""
    heading = "The system"
    path = run.file(".h5md")
    if not wanted or not path.is_file():
        why = (
            "The report was asked to leave the trajectory out."
            if path.is_file()
            else "The run wrote no trajectory; trajectory_interval in [output] asks for one."
        )
        return section(identity, heading, element("p", why))
    found = read_scene(path, most_bytes)
    if found is None:
        return section(identity, heading, element("p", "The trajectory has no frames yet."))
    regions = run.timing.get("regions") or []
    viewer = _viewer(found, regions if len(regions) > 1 else [])
    return section(identity, heading, element("p", _said(found)), viewer)


def _said(found: Scene) -> str:
    frames = f"{found.frames} of {found.frames_there} frames"
    if found.frames == found.frames_there:
        frames = "the only frame" if found.frames == 1 else f"all {found.frames} frames"
    shown = f"all {found.particles} particles"
    if found.shown < found.particles:
        shown = f"{found.shown} of {found.particles} particles, chosen evenly"
    edges = " x ".join(f"{sum(x * x for x in edge) ** 0.5:.5g}" for edge in found.edges[-1])
    return f"Shown: {frames} of the trajectory, {shown}. Box: {edges} {found.unit}".rstrip() + "."


def _legends(found: Scene, regions: list) -> dict[str, Markup]:
    """Returns the ways to color particles, and the meaning of the colors."""

    def dots(names: Iterable[object]) -> list[Markup]:
        return [
            element("li", element("span", "", class_=f"dot c{k % 8}"), name)
            for k, name in enumerate(names)
        ]

    kinds = dots(found.names)
    if len(kinds) > 1:
        kinds = [
            element(
                "li",
                element(
                    "label",
                    element("input", type="checkbox", checked="checked", class_="kind", value=k),
                    element("span", "", class_=f"dot c{k % 8}"),
                    name,
                ),
            )
            for k, name in enumerate(found.names)
        ]
    legends: dict[str, Markup] = {}
    if found.looks.elements:
        legends["element"] = element(
            "ul",
            *(
                element("li", element("span", "", class_="dot", style=f"background:{color}"), symbol)
                for symbol, color in zip(
                    found.looks.elements, _element_colors(found.looks.elements), strict=True
                )
            ),
            class_="legend", data_for="element",
        )  # fmt: skip
    hidden = {"hidden": "hidden"} if legends else {}
    legends["type"] = element("ul", *kinds, class_="legend", data_for="type", **hidden)
    if found.looks.molecule:
        legends["molecule"] = element(
            "p", "Each molecule has one color; there are eight of them.",
            class_="legend", data_for="molecule", hidden="hidden",
        )  # fmt: skip
    if found.energies is not None:
        scale = element("span", "", class_="scale", role="presentation")
        said = element("p", "Kinetic energy: 0 ", scale, " four times the mean of all and more",
                       class_="legend", data_for="energy", hidden="hidden")  # fmt: skip
        legends["kinetic energy"] = said
    if regions:
        names = [f"rank {k}" for k in range(min(len(regions), 8))]
        more = [element("li", "and again for each eight further ranks")] if len(regions) > 8 else []
        legends["rank"] = element(
            "ul", *dots(names), *more, class_="legend", data_for="rank", hidden="hidden"
        )
    return legends


def _element_colors(symbols: Iterable[str]) -> list[str]:
    return [COLORS.get(symbol, _OTHER_ELEMENT) for symbol in symbols]


def _viewer(found: Scene, regions: list) -> Markup:
    canvas = element(
        "canvas", "This needs a browser that draws with WebGL 2.", tabindex=0, role="img",
        aria_label="The particles in their box. Arrow keys turn, plus and minus zoom, space plays.",
        width=960, height=640,
    )  # fmt: skip
    play = element("button", "Play", type="button", class_="play")
    frame = element(
        "label", "Frame ",
        element("input", type="range", class_="frame", min=0, max=found.frames - 1,
                value=found.frames - 1),
    )  # fmt: skip
    size = element(
        "label", "Size ",
        element("input", type="range", class_="size", min=20, max=200, value=100),
    )  # fmt: skip
    legends = _legends(found, regions)
    choices = [
        element("option", name, value="energy" if name == "kinetic energy" else name)
        for name in legends
    ]
    color = element("label", "Color by ", element("select", *choices, class_="color"))
    shown = found.data() | {
        "regions": regions, "elementNames": found.looks.elements,
        "elementColors": _element_colors(found.looks.elements),
        "structureColors": list(_STRUCTURE.values()),
    }  # fmt: skip
    data = json.dumps(shown, separators=(",", ":")).replace("<", "\\u003c")
    payload = Markup(f'<script type="application/json">{data}</script>')
    has_water = 0 < len(found.looks.water) < found.shown
    water = element("button", "Hide water", type="button", class_="water", aria_pressed="false")
    cartoon = element(
        "button", "Show as cartoon", type="button", class_="cartoon", aria_pressed="false"
    )
    parts = element(
        "ul",
        *(
            element("li", element("span", "", class_="dot", style=f"background:{color}"), name)
            for name, color in _STRUCTURE.items()
        ),
        class_="legend structure", hidden="hidden",
    )  # fmt: skip
    has_protein = bool(found.looks.backbones)
    step = element("output", class_="step", aria_live="off")
    controls = element("div", play if found.frames > 1 else "", frame if found.frames > 1 else "",
                       size, color if len(legends) > 1 else "", water if has_water else "",
                       cartoon if has_protein else "", step,
                       class_="controls")  # fmt: skip
    hint = element(
        "p",
        "Drag or arrow keys: turn. Wheel, pinch, + and -: zoom. Space: play."
        + (" Types without a check are not shown." if len(found.names) > 1 else ""),
        class_="note",
    )
    return element("div", canvas, controls, *legends.values(), parts if has_protein else "", hint,
                   payload, class_="viewer")  # fmt: skip
