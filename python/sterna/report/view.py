"""The system in three dimensions, with its trajectory."""

import json

from sterna.report.html import Markup, element, section
from sterna.report.runs import Run
from sterna.report.trajectory import MOST_BYTES, Scene, read_scene


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
    return section(identity, heading, element("p", _said(found)), _viewer(found))


def _said(found: Scene) -> str:
    frames = f"{found.frames} of {found.frames_there} frames"
    if found.frames == found.frames_there:
        frames = "the only frame" if found.frames == 1 else f"all {found.frames} frames"
    shown = f"all {found.particles} particles"
    if found.shown < found.particles:
        shown = f"{found.shown} of {found.particles} particles, chosen evenly"
    edges = " x ".join(f"{sum(x * x for x in edge) ** 0.5:.5g}" for edge in found.edges[-1])
    return f"Shown: {frames} of the trajectory, {shown}. Box: {edges} {found.unit}".rstrip() + "."


def _viewer(found: Scene) -> Markup:
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
    kinds = [
        element("li", element("span", "", class_=f"dot c{k % 8}"), name)
        for k, name in enumerate(found.names)
    ]
    data = json.dumps(found.data(), separators=(",", ":")).replace("<", "\\u003c")
    payload = Markup(f'<script type="application/json">{data}</script>')
    step = element("output", class_="step", aria_live="off")
    controls = element("div", play if found.frames > 1 else "", frame if found.frames > 1 else "",
                       size, step, class_="controls")  # fmt: skip
    hint = element(
        "p", "Drag or arrow keys: turn. Wheel, pinch, + and -: zoom. Space: play.", class_="note"
    )
    return element("div", canvas, controls, element("ul", *kinds, class_="legend"), hint, payload,
                   class_="viewer")  # fmt: skip
