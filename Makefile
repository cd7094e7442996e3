# Two commands for a newcomer: `make gate` and `make test`. Everything they install or cache
# stays in this folder (.venv, .cache; .venv-3.12 and the like for `make matrix`).

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
OUT ?= reports/latest
# What `make matrix` tries, and the target that it runs under each.
PYTHONS ?= 3.11 3.12 3.13 3.14
RUN ?= test

export XDG_CACHE_HOME := $(CURDIR)/.cache
export XDG_CONFIG_HOME := $(CURDIR)/.cache/config
export PIP_CACHE_DIR := $(CURDIR)/.cache/pip
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# A run starts many processes: without compiled files each of them compiles the program anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help env gate check test lint selftest fuzz agree bench bench-scale bench-intervals spark coverage mutation mutate-claims truthful power forensics heldout forge fuzz-readers serve-fuzz lock matrix api architecture site clean
.DEFAULT_GOAL := help

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

env: $(VENV)/.installed ## set up .venv with the pinned versions, nothing more

$(VENV)/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "metric-crosscheck needs Python 3.11 or newer, this is " + sys.version.split()[0])'
	@echo "Setting up $(VENV) (once; a few minutes)"
	@$(PYTHON) -m venv --clear $(VENV)
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

check: lint ## style, types, import rules, and the quick tests
	@$(BIN)/pytest -n 2 --dist worksteal -m "not slow"

test: lint ## the whole test run
	@$(BIN)/pytest -n 2 --dist worksteal

# A shim of pyenv is on the path for versions that are not switched on: only one that runs counts.
matrix: ## the test run under every Python from 3.11 that is here; RUN=check for the quick one
	@ran=; lacked=; failed=; \
	for version in $(PYTHONS); do \
	  python=; \
	  for found in python$$version $$HOME/.pyenv/versions/$$version*/bin/python$$version; do \
	    if "$$found" -c '' 2>/dev/null; then python=$$found; break; fi; \
	  done; \
	  if [ -z "$$python" ]; then lacked="$$lacked $$version"; continue; fi; \
	  echo "Python $$version: make $(RUN)"; \
	  if $(MAKE) --no-print-directory $(RUN) VENV=.venv-$$version PYTHON="$$python"; \
	  then ran="$$ran $$version"; else failed="$$failed $$version"; fi; \
	done; \
	echo "make $(RUN) passed under Python:$${ran:- none}; failed:$${failed:- none}; not here:$${lacked:- none}"; \
	[ -n "$$ran" ] && [ -z "$$failed" ]

selftest: env ## inject every known fault and show that it is caught
	@$(BIN)/crosscheck selftest

fuzz: env ## a minute of adversarial data sets, every pair of witnesses
	@$(BIN)/crosscheck fuzz --seconds 60

agree: env ## both implementations on 500 random data sets of the field; prints the table of docs/selftest.md; SETS=5000 for more
	@$(BIN)/python tests/bench/agree.py

forge: env ## 3,000 forged reports and bundles: none is called the same; FORGERIES=300 for fewer
	@FORGERIES=$${FORGERIES:-3000} $(BIN)/pytest -q tests/crosscheck/attacks/test_forgery.py

fuzz-readers: env ## spoiled files for every reader, SECONDS=600 for each; see docs/security.md
	@SECONDS=$${SECONDS:-600} $(BIN)/python tests/bench/fuzz_readers.py

serve-fuzz: env ## 400 requests to each part of the page's API; EXAMPLES=2000 for more
	@EXAMPLES=$${EXAMPLES:-400} $(BIN)/pytest -q tests/crosscheck/serve/test_openapi.py

# By name and not in the lock: under this version there is no build with CUDA, which would be gigabytes.
TORCH := "torch==2.13.0+cpu" "torchmetrics==1.9.0"

$(VENV)/.bench: tests/bench/requirements.lock $(VENV)/.installed
	@$(BIN)/pip install --quiet --require-hashes --requirement tests/bench/requirements.lock
	@$(BIN)/pip install --quiet $(TORCH) || echo "no build of torch for processors alone: torchmetrics is not measured"
	@touch $@

# Spark is not of the environment: its pyspark would take the place of the thin client. Nothing but
# `.ci/run` asks for it; it is large, and needs Java.
$(VENV)/spark/.installed: tests/crosscheck/engine/requirements.lock $(VENV)/.installed
	@rm -rf $(VENV)/spark
	@$(BIN)/pip install --quiet --require-hashes --no-build-isolation --target $(VENV)/spark --requirement tests/crosscheck/engine/requirements.lock
	@touch $@

spark: $(VENV)/spark/.installed ## Spark itself, for the tests marked `spark`; some 500 MB, needs Java 17

# These run ranx without the program, or a copy of it: the program would say it by itself.
bench mutation: export NUMBA_CACHE_DIR := $(CURDIR)/.cache/numba

bench: $(VENV)/.bench ## speed and memory against the peers; rewrites docs/benchmarks.md; ONLY="B trec" prints some
	@$(BIN)/python tests/bench/run.py $(ONLY)

bench-scale: env ## an engine against the primary at 20 M and 200 M candidate rows; ROWS=3000000 for fewer
	@$(BIN)/python tests/bench/scale.py $(ROWS)

bench-intervals: env ## intervals from an engine's sums against the exact bootstrap; prints the table of docs/scale.md
	@$(BIN)/python tests/bench/intervals.py $(RESAMPLES)

coverage: env ## how often the 95 % intervals hold the truth; prints the table of docs/intervals.md
	@$(BIN)/python tests/bench/coverage.py

mutation: $(VENV)/.bench ## mutation score of the implementations and the checks; see docs/mutation.md
	@$(BIN)/python tests/bench/mutation.py

mutate-claims: env ## 100,000 broken claims files: every token accounted for, none slow; FILES=5000 for fewer
	@$(BIN)/python tests/bench/mutate_claims.py

truthful: env ## 10,000 truthful documents: no error, advice in under 1 %; DOCUMENTS=500 for fewer
	@$(BIN)/python tests/bench/truthful.py

power: env ## how often one wrong cell is found, and truthful documents accused; see docs/power.md
	@$(BIN)/python tests/bench/power.py

forensics: env ## 217 planted mistakes: is each named, and how far up? prints the table of docs/forensics.md
	@$(BIN)/python tests/bench/forensics.py

heldout: env ## mistakes planted in random studies that nothing was tuned on; SEED=7 for others
	@$(BIN)/python tests/bench/planted/heldout.py

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
	@$(COMPILE) $(UPGRADE) --group spark --output-file tests/crosscheck/engine/requirements.lock

api: env ## rewrite docs/api.md from the docstrings
	@$(BIN)/python docs/api.py > .cache/api.md && mv .cache/api.md docs/api.md

architecture: env ## draw the pictures of docs/architecture.md anew
	@$(BIN)/python docs/architecture.py > .cache/architecture.md && mv .cache/architecture.md docs/architecture.md

site: env ## build the documentation site into .cache/site/html
	@$(BIN)/python docs/site.py

clean: ## remove .venv, caches and reports/latest
	rm -rf .venv .venv-* .cache .hypothesis .mypy_cache .ruff_cache .pytest_cache .import_linter_cache build *.egg-info reports/latest
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
