"""Simulations in the process of Python, on the extension module `sterna._core`."""
