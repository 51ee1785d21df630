"""Grading predictions that lie in files: what ``docassay grade`` runs, one module a suite."""
