"""The page that reports of `sterna vle` have."""

from collections.abc import Mapping
from importlib.resources import files
from string import Template

from sterna.report.html import Markup, element, join, section


def heading_of(name: str, unit: str) -> str:
    """A quantity with its unit, as columns and axes have it."""
    return name.replace("_", " ") + (f" ({unit})" if unit else "")


def page(title: str, sections: Mapping[str, tuple[Markup, ...]]) -> str:
    """An HTML page. `sections`: what each heading has."""
    package = files("sterna.report")
    style, script, text = (
        package.joinpath(name).read_text(encoding="utf-8")
        for name in ("report.css", "report.js", "page.html")
    )
    places = {name: name.lower().replace(" ", "_") for name in sections}
    return Template(text).substitute(
        title=element("title", f"{title} - Sterna report"),
        heading=element("h1", title),
        style=style,
        script=script,
        content=join(section(places[name], name, *parts) for name, parts in sections.items()),
        contents=element(
            "ul",
            *(
                element("li", element("a", name, href=f"#{place}"))
                for name, place in places.items()
            ),
        ),
    )
