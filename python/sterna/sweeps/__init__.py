"""One input at many state points, with one table of results."""
