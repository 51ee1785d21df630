"""Whether a service keeps the contract of ``parser.proto``, found out from outside, point by point.

``examine`` asks a running service and yields what it found at each point as it finds it. ``containers`` starts an image
for it, locked down as in a run.
"""

from orchestrator.conformity.examination import POINTS, examine
from orchestrator.conformity.findings import Finding, Verdict
from orchestrator.conformity.subject import Subject

__all__ = ["POINTS", "Finding", "Subject", "Verdict", "examine"]
