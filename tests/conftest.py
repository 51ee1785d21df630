"""What holds for all tests."""

from hypothesis import settings

# Machines are noisy and busy: no test asserts on seconds, examples neither.
settings.register_profile("docassay", deadline=None)
settings.load_profile("docassay")
