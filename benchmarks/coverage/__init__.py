"""How often the intervals hold the truth, on populations whose truth is known."""
