"""Forms of documents that several parsers hand over, read into the common form. Standard library alone."""
