"""The gold that ships with docassay: its JSON schemas, and the sample corpus."""
