"""Starts programs on ranks and stays between them and the user: sessions, signals, the launcher."""
