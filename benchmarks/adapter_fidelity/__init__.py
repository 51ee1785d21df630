"""Whether the adapters hand over exactly what the tools give."""
