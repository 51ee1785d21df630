# make demo: the sample corpus, three parsers, a leaderboard. make test: everything that is checked.
# Needs Linux, Python 3.11, git and make; the rest is installed into .venv and the user's cache folder.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
UV := $(shell sed -n 's/^\(uv==[^ ]*\).*/\1/p' requirements.lock)

.PHONY: demo test check

demo: .venv/ready
	$(BIN)/docassay run --local --corpus annotations/sample --results results

test: check
	$(BIN)/python -m pytest

check: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The lock is complete and every file in it is hashed, so nothing is resolved here.
.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.platform != "linux" and "docassay runs on Linux; elsewhere: docker compose up")'
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11) and "docassay needs Python 3.11: make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(UV)
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --require-hashes --requirement requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	touch $@
