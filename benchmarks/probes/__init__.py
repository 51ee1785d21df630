"""The probe corpus: files that hold one thing each, and what every parser makes of it."""
