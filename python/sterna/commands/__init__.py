"""Verbs of the command `sterna` that have much to do, each a module."""
