"""The DuckDB file: one writer, every figure."""
