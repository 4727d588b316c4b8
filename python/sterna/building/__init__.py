"""Starts of `sterna new` that are made of others: in water, replicated, packed."""
