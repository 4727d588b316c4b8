"""Runs an input as a job of its own, with all that the input asks for at the end."""
