# Two commands for a newcomer: `make gate` and `make test`. Everything they install or cache
# stays in this folder (.venv, .cache).

PYTHON ?= python3
BIN := .venv/bin
OUT ?= reports/latest

export XDG_CACHE_HOME := $(CURDIR)/.cache
export XDG_CONFIG_HOME := $(CURDIR)/.cache/config
export PIP_CACHE_DIR := $(CURDIR)/.cache/pip
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help env gate test lint selftest fuzz bench coverage mutation lock clean
.DEFAULT_GOAL := help

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

env: .venv/.installed ## set up .venv with the pinned versions, nothing more

.venv/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "metric-crosscheck needs Python 3.11 or newer, this is " + sys.version.split()[0])'
	@echo "Setting up .venv (once; a few minutes)"
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/pip install --quiet --require-hashes --requirement requirements.lock
	@$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	@$(BIN)/python -c 'from crosscheck.witnesses.ranx import compile_measures; compile_measures()'
	@touch $@

gate: env ## gate the built-in study; the report goes to reports/latest
	@$(BIN)/crosscheck gate --out $(OUT)

lint: env ## style, types, import rules
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

test: lint ## the whole test run
	@$(BIN)/pytest -n 2 --dist worksteal

selftest: env ## inject every known fault and show that it is caught
	@$(BIN)/crosscheck selftest

fuzz: env ## a minute of adversarial data sets, every pair of witnesses
	@$(BIN)/crosscheck fuzz --seconds 60

.venv/.bench: tests/bench/requirements.lock .venv/.installed
	@$(BIN)/pip install --quiet --require-hashes --requirement tests/bench/requirements.lock
	@touch $@

# These run ranx without the program, or a copy of it: the program would say it by itself.
bench mutation: export NUMBA_CACHE_DIR := $(CURDIR)/.cache/numba

bench: .venv/.bench ## speed and memory against the peers; rewrites docs/benchmarks.md
	@$(BIN)/python tests/bench/run.py

coverage: env ## how often the 95 % intervals hold the truth; prints the table of docs/intervals.md
	@$(BIN)/python tests/bench/coverage.py

mutation: .venv/.bench ## mutation score of the implementations and the checks; see docs/mutation.md
	@$(BIN)/python tests/bench/mutation.py

.cache/lock/bin/uv:
	@$(PYTHON) -m venv --clear .cache/lock
	@.cache/lock/bin/pip install --quiet uv

# One lock for every system and every Python that we run on; versions stay unless UPGRADE says so.
COMPILE := .cache/lock/bin/uv pip compile --quiet --universal --python-version 3.11 \
	--generate-hashes --no-header --no-annotate
UPGRADE ?=

lock: .cache/lock/bin/uv ## renew the lock files; UPGRADE=--upgrade takes the newest versions
	@$(COMPILE) $(UPGRADE) pyproject.toml --extra dev --output-file requirements.lock
	@$(COMPILE) $(UPGRADE) --group bench --constraint requirements.lock --output-file tests/bench/requirements.lock

clean: ## remove .venv, caches and reports/latest
	rm -rf .venv .cache .hypothesis .mypy_cache .ruff_cache .pytest_cache .import_linter_cache build *.egg-info reports/latest
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
