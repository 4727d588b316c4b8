"""programs_of_pages.py PAGES FOLDER: the files that pages show whole, written into FOLDER.

A block of code of a page is a file where a comment with its name stands before it:

    <!-- file: give/give.cpp -->
    ```cpp
    ...
    ```
"""

import re
import sys
from pathlib import Path

BLOCK = re.compile(r"<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def main() -> None:
    pages, folder = map(Path, sys.argv[1:])
    found = 0
    for page in sorted(pages.glob("*.md")):
        for name, text in BLOCK.findall(page.read_text()):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            found += 1
    if found == 0:
        sys.exit(f"{pages}: no page shows a whole file")


main()
