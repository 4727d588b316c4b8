"""One HTML file that shows what runs were, found and cost: `sterna report`.

It is made of what runs leave (log, files of observers, trajectory) and loads nothing. `runs` reads,
`sections` and its neighbors turn what was read into HTML, and `page.html`, `report.css`,
`report.js` and `viewer.js` are put around it.
"""

from sterna.report.page import write_report

__all__ = ["write_report"]
