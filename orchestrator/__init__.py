"""Reads a corpus, plans a run, drives the timed calls, hands results to the scorer; the command line."""
