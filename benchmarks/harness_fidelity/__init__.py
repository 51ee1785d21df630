"""Whether the harness changes what it measures."""
