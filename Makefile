# Every target makes what it needs in .venv; a second run finds it there. `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PIP_ALL = $(VENV_ALL)/bin/python -m pip --disable-pip-version-check --quiet
INSTALLED := $(VENV)/installed
INSTALLED_DEV := $(VENV)/installed-dev
INSTALLED_DOCS := $(VENV)/installed-docs
VENV_ALL := .venv-integrations
INSTALLED_ALL := $(VENV_ALL)/installed
PYTEST := $(BIN)/python -m pytest -n auto --ignore=tests/integrations

.PHONY: help run test test-slow test-integrations lint paper bench docs docs-links clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/:[^#]*## /\t/' | expand -t 20

run: $(INSTALLED) ## Account for one DP-SGD training run and print the result
	@$(BIN)/gdpnum dpsgd --noise-multiplier 9.4 --batch-size 16384 --dataset-size 50000 --steps 2000

test: $(INSTALLED_DEV) ## Run the quick tests and the examples in docstrings
	$(PYTEST) -m "not slow"

test-slow: $(INSTALLED_DEV) ## Run the tests that take long
	$(PYTEST) -m slow

test-integrations: $(INSTALLED_ALL) ## Run the tests against other packages, in an environment with them
	$(VENV_ALL)/bin/python -m pytest -n auto tests/integrations

lint: $(INSTALLED_DEV) ## Check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

paper: $(INSTALLED_DEV) ## Compute every table, figure and claim of the paper again, into build/paper
	@$(BIN)/python -m paper build/paper

bench: $(INSTALLED_DEV) ## Compare with other accountants, each in an environment of its own
	$(BIN)/python benchmarks/run.py

docs: $(INSTALLED_DOCS) ## Build the documentation, warnings as errors, and check its links
	$(BIN)/sphinx-build -E -W --keep-going -n -q docs build/docs
	$(BIN)/python docs/check_site.py build/docs

docs-links: $(INSTALLED_DOCS) ## Check the documentation's links to other sites; needs the network
	$(BIN)/sphinx-build -b linkcheck -q docs build/linkcheck

clean: ## Remove environments, caches and build output
	rm -rf $(VENV) $(VENV_ALL) .venvs build dist .pytest_cache .ruff_cache .mypy_cache .import_linter_cache .hypothesis
	find src paper tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml | $(BIN)/python
	@echo "Installing gdpnum into $(VENV)"
	@$(PIP) install --editable .
	@touch $@

$(INSTALLED_DEV): pyproject.toml | $(BIN)/python
	@echo "Installing gdpnum and the development tools into $(VENV)"
	@$(PIP) install --editable '.[dev]'
	@touch $(INSTALLED) $@

$(INSTALLED_DOCS): pyproject.toml | $(BIN)/python
	@echo "Installing gdpnum and Sphinx into $(VENV)"
	@$(PIP) install --editable '.[docs]'
	@touch $(INSTALLED) $@

# torch first and by version: what depends on it would pull a build with gigabytes of CUDA.
$(INSTALLED_ALL): pyproject.toml | $(VENV_ALL)/bin/python
	@echo "Installing gdpnum and the packages it works with into $(VENV_ALL); this takes minutes"
	@$(PIP_ALL) install torch==2.13.0
	@$(PIP_ALL) install --editable '.[dev,all,opacus,jax]' prv-accountant==0.2.0
	@touch $@

# Debian ships python3 without ensurepip; a venv made there would lack pip.
$(BIN)/python $(VENV_ALL)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
	  || { echo "gdpnum needs Python 3.10 or later; try: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "$(PYTHON) cannot make virtual environments; try: apt install python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv $(patsubst %/bin/python,%,$@)
