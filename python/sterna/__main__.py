"""`python -m sterna` is the `sterna` command."""

import sys

from sterna.command import main

sys.exit(main())
