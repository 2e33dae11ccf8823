# Everything starts from a bare machine: Python 3.11, make, git. `make help` lists what there is.
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup demo serve check quick test lint style format types layers tests docs bench campaigns pins oldest clean

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --no-input
TOUR   := $(VENV)/.tour
READY  := $(VENV)/.ready
PEERS  := $(VENV)/.peers
STEPS  := style format types layers docs tests
OLDEST := tests/cli tests/spec tests/report tests/ledger/test_contract.py \
	$(filter-out %_schema.py,$(wildcard tests/server/test_*.py)) \
	$(addprefix tests/release/test_,engines.py lazy_programs.py lines.py programs.py refusals.py sandbox.py several.py types.py)

# One thread a process: the tests already run several processes, and sums then add up in one order.
export OPENBLAS_NUM_THREADS := 1
# What was compiled once stays compiled, also where Python is told to write nothing.
export PYTHONDONTWRITEBYTECODE :=

help: ## what there is to make
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## the virtual environment in .venv, with everything pinned in it

# The tour needs the library and its pictures; the tests also need engines for data, and a Java for Spark.
$(TOUR): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "$(PYTHON) is older than 3.11; say make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
		|| { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y python3-venv; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	$(PIP) install -q -c constraints.txt -e '.[all]'
	@$(BIN)/python -m compileall -q src  # or every first answer would be compiled anew where Python may not write
	@touch $@

$(READY): $(TOUR)
	$(PIP) install -q -c constraints.txt -e '.[dev]'
	@command -v java >/dev/null \
		|| { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y openjdk-17-jre-headless; } \
		|| echo "without Java the tests on Spark are left out"
	@ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || command -v postgres >/dev/null \
		|| { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y postgresql; }
	@command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || command -v google-chrome >/dev/null \
		|| { apt-get update -q && for one in chromium-headless-shell chromium; do \
			DEBIAN_FRONTEND=noninteractive apt-get install -q -y $$one && break; done; }
	@$(BIN)/mypy -n 2 >/dev/null || true  # so that the first check is as quick as the next
	@$(BIN)/python -m pytest -q --collect-only >/dev/null 2>&1 || true
	@touch $@

demo: $(TOUR) ## a tour, on the screen
	$(BIN)/python examples/demo.py

serve: $(TOUR) ## the page and the HTTP API, on this machine
	$(BIN)/dpcompose serve

check: STEPS := style format types layers quick
check: test ## the daily loop: the same, but with the quick tests and without the pages

# The pages are made beside the tests, which wait now and then; what they have to say is said after them.
test: $(READY) ## everything that must hold before a change is kept
	@mkdir -p build; : > build/verdicts; : > build/pages; \
	step() { \
		printf '\n== %s\n' $$1; began=$$(date +%s); verdict=FAILED; \
		if $(MAKE) --no-print-directory $$1; then verdict=passed; fi; \
		printf '%-8s %s %4d s\n' $$1 $$verdict $$(($$(date +%s) - began)) >> build/verdicts; \
	}; \
	for one in $(STEPS); do \
		if [ $$one = docs ]; then step docs > build/pages 2>&1 & else step $$one; fi; \
	done; \
	wait; cat build/pages; printf '\n== summary\n'; cat build/verdicts; \
	[ $$(grep -c " passed " build/verdicts) -eq $(words $(STEPS)) ]

lint: style format types layers ## the checks that read, but do not run, the code

style: $(READY) ## ruff's rules
	$(BIN)/ruff check

format: $(READY) ## ruff's layout
	$(BIN)/ruff format --check

types: $(READY) ## mypy, strict
	$(BIN)/mypy -n 2

layers: $(READY) ## imports go downwards
	$(BIN)/lint-imports

# One more than the cores of a small machine: what is tested also waits, for disks and for other processes.
WORKERS ?= 3

tests: $(READY) ## pytest, on two cores
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal

quick: $(READY) ## a tenth of the cases, and nothing that takes long
	HYPOTHESIS_PROFILE=quick $(BIN)/python -m pytest -q -n 2 --dist worksteal -m 'not slow'

# Of the tests' own tools the newest will do; what they warn of is not the library's. The one that draws requests from
# the schema needs newer neighbours than these.
oldest: ## commands, documents, results, releases, books and service on the oldest versions that are supported
	$(PYTHON) -m venv --clear build/oldest
	build/oldest/bin/python -m pip install -q -c constraints-oldest.txt -e '.[all]' pytest pytest-xdist hypothesis mpmath
	HYPOTHESIS_PROFILE=quick build/oldest/bin/python -m pytest -q -m 'not slow' -k 'not postgresql' -W default $(OLDEST)

docs: $(READY) ## the pages, in docs/_build/html; a warning is an error
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html

$(PEERS): $(READY)
	$(PIP) install -q -c constraints.txt -e '.[dev,bench]'
	@touch $@

# Beside the peers; every script ends by itself in some minutes, and is stopped where it does not.
BESIDE := accounting calibration curves everyday import_time sampling
ALONE  := $(filter-out $(BESIDE),$(patsubst bench/%.py,%,$(wildcard bench/[!_]*.py)))
WITHIN := $(shell command -v timeout >/dev/null && echo timeout 1800)
MEASURE = bad=0; for script in $(1); do printf '\n== %s\n' $$script; \
	$(WITHIN) $(BIN)/python bench/$$script.py || { echo "$$script FAILED"; bad=1; }; done; exit $$bad

bench: $(PEERS) ## side by side with the peers: tables on the screen, a page with pictures in out/curves.md
	@$(call MEASURE,$(BESIDE))

campaigns: $(PEERS) ## long runs without peers: soundness, totality, faults, stores, services, data at scale
	@$(call MEASURE,$(ALONE))

# Some packages need a later 3.11.x than others: run this with the oldest Python that must work, which is
# Debian 12's 3.11.2.
pins: ## write constraints.txt and requirements-all.txt anew, from the newest versions that this Python runs
	rm -rf build/pins
	$(PYTHON) -m venv build/pins
	build/pins/bin/python -m pip install -q -e '.[dev,bench]'
	build/pins/bin/python -m pip freeze --exclude-editable > build/pins/frozen.txt
	sed 's/+cpu$$//' build/pins/frozen.txt > constraints.txt
	build/pins/bin/python -m pip install -q uv
	build/pins/bin/uv pip compile -q --no-config pyproject.toml --extra all -c constraints.txt -o requirements-all.txt \
		--generate-hashes --universal --python-version 3.11 --only-binary :all: --no-header --no-annotate --no-emit-index-url
	rm -rf build/pins

clean: ## remove all that was made
	rm -rf $(VENV) build dist out docs/_build docs/generated .hypothesis .pytest_cache .mypy_cache .ruff_cache \
		.import_linter_cache
	find src tests docs bench examples -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
