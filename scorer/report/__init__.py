"""What people look at, as data."""
