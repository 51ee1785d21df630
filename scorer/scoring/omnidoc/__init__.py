"""Scoring a run by OmniDocBench: pages matched in processes, formulas drawn, and everything in the store's tables."""

from scorer.scoring.omnidoc.score import SUITE, VERSION, Request, renderer_of, score, stoppable

__all__ = ["SUITE", "VERSION", "Request", "renderer_of", "score", "stoppable"]
