"""The measures and the store. The only part of docassay that knows a metric."""
