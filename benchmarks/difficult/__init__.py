"""Difficult files through every parser: what becomes of each, and whether its reason can be read."""
