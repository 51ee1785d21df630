"""What the scorer takes of the machine while a huge output passes through it."""
