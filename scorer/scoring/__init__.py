"""From a run's stored artifacts and the gold to figures. Never parses."""
