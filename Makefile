# Every target makes what it needs in .venv; a second run finds it there. `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
INSTALLED := $(VENV)/installed
INSTALLED_DEV := $(VENV)/installed-dev
PYTEST := $(BIN)/python -m pytest -n auto --ignore=tests/integrations

.PHONY: help run test test-slow test-integrations lint bench docs clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/:[^#]*## /\t/' | expand -t 20

run: $(INSTALLED) ## Account for one DP-SGD training run and print the result
	@$(BIN)/gdpnum dpsgd --noise-multiplier 9.4 --batch-size 16384 --dataset-size 50000 --steps 2000

test: $(INSTALLED_DEV) ## Run the quick tests and the examples in docstrings
	$(PYTEST) -m "not slow"

test-slow: $(INSTALLED_DEV) ## Run the tests that take long
	$(PYTEST) -m slow

test-integrations: ## Run the tests against other packages
	@if [ -d tests/integrations ]; then \
	  $(MAKE) $(INSTALLED_DEV) && $(BIN)/python -m pytest -n auto tests/integrations; \
	else \
	  echo "There are no integrations yet, so there is nothing to test."; \
	fi

lint: $(INSTALLED_DEV) ## Check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(INSTALLED_DEV) ## Compare with other accountants, each in an environment of its own
	$(BIN)/python benchmarks/run.py

docs: ## Build the documentation
	@echo "The documentation is not written yet; README.md and the docstrings are all there is."

clean: ## Remove environments, caches and build output
	rm -rf $(VENV) .venvs build dist .pytest_cache .ruff_cache .mypy_cache .import_linter_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml | $(BIN)/python
	@echo "Installing gdpnum into $(VENV)"
	@$(PIP) install --editable .
	@touch $@

$(INSTALLED_DEV): pyproject.toml | $(BIN)/python
	@echo "Installing gdpnum and the development tools into $(VENV)"
	@$(PIP) install --editable '.[dev]'
	@touch $(INSTALLED) $@

# Debian ships python3 without ensurepip; a venv made there would lack pip.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
	  || { echo "gdpnum needs Python 3.10 or later; try: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "$(PYTHON) cannot make virtual environments; try: apt install python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
