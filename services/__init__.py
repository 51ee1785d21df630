"""The parsers, one folder each, and the runtime they share."""
