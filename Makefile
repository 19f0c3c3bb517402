# Every target sets up what it needs: a virtual environment with the pinned torch.
.DEFAULT_GOAL := help
VENV   := .venv
BIN    := $(VENV)/bin
PYTHON ?= python3
READY  := $(VENV)/.ready

.PHONY: help demo test test-all check bench clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ —/'

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

demo: $(READY)  ## record a small GPT under the engine and explain its recompiles
	$(BIN)/ca run sample_scripts/gpt_ragged.py

test: $(READY)  ## the test suite, without the long ones
	$(BIN)/python -m pytest -n 2 -m 'not long'

test-all: $(READY)  ## the whole test suite
	$(BIN)/python -m pytest -n 2

check: $(READY)  ## ruff, mypy --strict, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)  ## the numbers that the design promises, as ratios
	$(BIN)/python -m benchmarks.run

clean:  ## remove the environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
