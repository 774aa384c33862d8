# make demo      plays a few games of each kind and small cups of real bots (sets everything up first)
# make test      checks format, style and types, and runs all tests that are not slow
# make test-all  runs every test on every supported Python
# make pythons   runs the tests of tests/versions.txt on the other Pythons
# make conformance DIR=...  replays games that were played elsewhere
# make format    formats the code
# make bench     runs the benchmarks
# make strength  measures the champions in half an hour; make strength-full: in a night
# make coverage  prints the coverage of each package; make mutations: lists changes that no test notices
# make wheels    makes build/wheels, from which machines without Internet install Botequim
# make messages  collects the texts to translate

BIN := .venv/bin
HOT := $(shell sed -n 's/^ *"\(botequim[.].*\)",/\1/p' pyproject.toml | sed 's/\./\//g; s/.*/src\/&.py/')
SOURCES := pyproject.toml setup.py $(wildcard requirements/*.txt) \
           $(wildcard src/botequim/locale/*/LC_MESSAGES/*.po) $(HOT)
PYTEST := $(BIN)/pytest -n auto -q

.PHONY: demo test test-all check tests pythons conformance bench strength strength-full coverage mutations format messages wheels clean

demo: .venv/.run
	@rm -rf build/demo
	@$(BIN)/botequim demo --records build/demo
	@echo; $(BIN)/botequim doctor
	@sh scripts/demo.sh build/demo

# CI sets BOTEQUIM_NO_SKIP=1: then a test that would skip itself fails
test: check tests

check: .venv/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

tests: .venv/.dev
	$(PYTEST)

test-all: check
	$(PYTEST) -m ""
	sh scripts/pythons.sh all

pythons: .venv/.dev
	sh scripts/pythons.sh

DIR ?= ../shared/conformance
conformance: .venv/.dev
	$(BIN)/python -m tests.conformance $(DIR)

# ratios against floors and peers; the peers are installed into an environment of their own
bench: .venvs/bench/.ready
	@failed=0; for name in rules match ratings confronto wires cup live spectators starts art pictures search champions startup; do \
	    .venvs/bench/bin/python -m benchmarks.$$name || failed=1; echo; done; exit $$failed

strength: .venv/.dev
	$(BIN)/python -m benchmarks.strength

strength-full: .venv/.dev
	$(BIN)/python -m benchmarks.strength --full

coverage:
	python3 scripts/measure_coverage.py

BEFORE ?= .venvs/coverage
mutations:
	python3 scripts/mutate.py --before $(BEFORE) --after .venvs/coverage

.venvs/bench/.ready: $(SOURCES) scripts/setup.sh
	@sh scripts/setup.sh bench .venvs/bench
	@touch $@

format: .venv/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

wheels: .venv/.run
	sh scripts/wheels.sh

messages: .venv/.dev
	$(BIN)/python scripts/messages.py

.venv/.run: $(SOURCES) scripts/setup.sh
	@sh scripts/setup.sh run
	@touch $@

.venv/.dev: $(SOURCES) scripts/setup.sh
	@sh scripts/setup.sh dev
	@touch $@ .venv/.run

clean:
	rm -rf .venv .venvs build .mypy_cache .ruff_cache .pytest_cache .hypothesis src/*.egg-info
