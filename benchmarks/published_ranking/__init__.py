"""A run's ranking beside a published one of the same tools."""
