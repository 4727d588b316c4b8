"""Hooks of MkDocs: no request to another host, all pages in the navigation, the commands' help.

The theme's search needs a small script where a page is opened without a server (file://), which the
theme would fetch from a public host; docs/assets has it.
"""

import logging
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_log = logging.getLogger("mkdocs.hooks")
_SHIM = "https://unpkg.com/iframe-worker/shim"
_FOREIGN = re.compile(
    r"""<(?:script|img|iframe|source|link(?![^>]*rel="?(?:canonical|edit|next|prev)))\b[^>]*"""
    r"""(?:src|href)=["']?(https?://[^"' >]+)"""
)


def on_config(config: Any) -> Any:
    """The navigation names folders whose pages the program writes: their pages take that place."""
    config.nav = _expanded(config.nav, Path(config.docs_dir))
    return config


def _expanded(entries: list, docs: Path) -> list:
    found: list = []
    for entry in entries:
        if isinstance(entry, str) and entry.endswith("/"):
            pages = sorted((docs / entry).glob("*.md"))
            if not pages:
                _log.warning("%s has no pages: write them with ./dev docs", entry)
            found += [{page.stem: page.relative_to(docs).as_posix()} for page in pages]
        elif isinstance(entry, dict):
            found.append(
                {
                    name: _expanded(inner, docs) if isinstance(inner, list) else inner
                    for name, inner in entry.items()
                }
            )
        else:
            found.append(entry)
    return found


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Replaces the script of another host by the local one; a warning for each that is left."""
    del config
    output = output.replace(_SHIM, f"{'../' * page.url.count('/')}assets/iframe-worker.js")
    for address in _FOREIGN.findall(output):
        _log.warning("%s asks another host: %s", page.file.src_uri, address)
    return output


def on_nav(nav: Any, config: Any, files: Any) -> Any:
    """A warning for each page of docs/ that the navigation does not lead to."""
    del config
    led_to = {page.file.src_uri for page in nav.pages}
    generated = ("comm/", "md/", "c/", "fortran/")
    for file in files.documentation_pages():
        if file.src_uri not in led_to and not file.src_uri.startswith(generated):
            _log.warning("%s is not in the navigation of mkdocs.yml", file.src_uri)
    return nav


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """The page of the command line gets the help of every verb; a broken link of mkdoxy is none.

    A product of units in a table, such as `u*nm^2`, is no emphasis.
    """
    del config, files
    markdown = "\n".join(map(_with_products, markdown.split("\n")))
    if page.file.src_uri.startswith("fortran/namespacesterna__"):
        # mkdoxy links a type that has a procedure of the same name to a place that is not there.
        return re.sub(r"\[([^\]]*)\]\(\w+\.md#none-\w+\)", r"\1", markdown)
    if page.file.src_uri != "api/command-line.md":
        return markdown
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
    import typer
    from sterna import command

    command.add_groups()
    return markdown.replace(
        "<!-- commands -->", "\n".join(_help(typer.main.get_command(command.app)))
    )


def _with_products(line: str) -> str:
    """A row of a table whose asterisks between letters are themselves, but for those in code."""
    if not line.startswith("|"):
        return line
    parts = re.split(r"(`[^`]*`)", line)
    return "".join(
        part if part.startswith("`") else re.sub(r"(?<=\w)\*(?=\w)", r"\*", part) for part in parts
    )


def _help(command: Any, path: str = "", parent: Any = None) -> Iterator[str]:
    context = command.make_context(
        path or "sterna", ["-h"], parent=parent, resilient_parsing=True, max_content_width=100
    )
    if path:
        text = command.get_help(context)
        yield f"{'#' * (1 + len(path.split()))} `sterna {path}`\n\n```text\n{text.strip()}\n```\n"
    for name, verb in getattr(command, "commands", {}).items():
        yield from _help(verb, f"{path} {name}".strip(), context)
