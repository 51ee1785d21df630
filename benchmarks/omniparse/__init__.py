"""Seconds and verdicts of the omniparse suite against the published package, in one run, as ratios."""
