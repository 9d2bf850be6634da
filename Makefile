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
VENV_LOWEST := .venv-lowest
INSTALLED_LOWEST := $(VENV_LOWEST)/installed
VENV_OTHER := .venv-other
INSTALLED_OTHER := $(VENV_OTHER)/installed
# What each worker is left without, others give away.
SPREAD := -n auto --dist worksteal
PYTEST := $(BIN)/python -m pytest $(SPREAD) --ignore=tests/integrations

# Compiled files are kept: else each worker, and each process that a test starts, compiles all of
# the package and of the tests anew.
unexport PYTHONDONTWRITEBYTECODE

# What another numpy, scipy, typer or Python may change: the numbers and what says them. Pages,
# pictures, persons and audits are made of these.
CORE := src $(addprefix tests/,charges cli contour curve formulas lattice measures mechanisms pairs \
  renyi representations statements sweeps)

# What tests need beside the library itself.
TESTING := hypothesis jsonschema mpmath pytest pytest-xdist python-flint

# Packages beside which tests/integrations looks, or in which it works, and that no extra brings.
PEERS := accelerate alembic diffprivlib joblib lightning mlflow-skinny pipeline-dp ray riskcal \
  'scikit-learn<1.9' sqlalchemy transformers wandb

# Pythons that can make an environment: the lowest that is supported, which is also the newest that
# the lowest numpy runs on, and one that is not the one we develop with.
python_of = $(shell for v in $(1); do for p in python$$v $$HOME/.pyenv/versions/$$v.*/bin/python; do \
  $$p -c 'import ensurepip, venv' >/dev/null 2>&1 && { echo $$p; exit; }; done; done)
PYTHON_LOWEST ?= $(call python_of,3.10 3.11)
PYTHON_OTHER ?= $(call python_of,3.13 3.12)

.PHONY: attack help run test test-slow test-lowest test-other-python test-integrations lint paper bench docs docs-links clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/:[^#]*## /\t/' | expand -t 20

run: $(INSTALLED) ## Account for one DP-SGD training run and print the result
	@$(BIN)/gdpnum dpsgd --noise-multiplier 9.4 --batch-size 16384 --dataset-size 50000 --steps 2000

test: $(INSTALLED_DEV) ## Run the quick tests and the examples in docstrings
	@echo "Quick tests: some 130 seconds on two quiet cores; $$(nproc 2>/dev/null || echo ?) here."
	@$(PYTEST) -m "not slow"

test-slow: $(INSTALLED_DEV) ## Run the tests that take long, and properties on more examples
	@echo "Slow tests: some ten minutes on two quiet cores."
	@HYPOTHESIS_PROFILE=thorough $(PYTEST) -m "slow or hypothesis"

test-lowest: ## Run the core of the quick tests with the lowest numpy, scipy and typer supported
	@if [ -z "$(PYTHON_LOWEST)" ]; then \
	  echo "No Python 3.10 or 3.11 here, which the lowest numpy needs: not tested."; \
	else $(MAKE) $(INSTALLED_LOWEST) && \
	  $(VENV_LOWEST)/bin/python -m pytest $(SPREAD) -m "not slow" $(CORE); fi

test-other-python: ## Run the core of the quick tests with another Python, where there is one
	@if [ -z "$(PYTHON_OTHER)" ]; then echo "No Python 3.12 or 3.13 here: not tested."; \
	else $(MAKE) $(INSTALLED_OTHER) && \
	  $(VENV_OTHER)/bin/python -m pytest $(SPREAD) -m "not slow" $(CORE); fi

test-integrations: $(INSTALLED_ALL) ## Run the tests against other packages, in an environment with them
	$(VENV_ALL)/bin/python -m pytest -n auto tests/integrations

SEED ?= 1
MINUTES ?= 30
attack: $(INSTALLED_DEV) ## Attack the library: SEED=1 MINUTES=30; what it found is in docs/attack.md
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -W ignore -m tests.attack --seed $(SEED) --minutes $(MINUTES)

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
	rm -rf $(VENV) $(VENV_ALL) $(VENV_LOWEST) $(VENV_OTHER) .venvs build dist .pytest_cache .ruff_cache .mypy_cache .import_linter_cache .hypothesis
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

$(INSTALLED_LOWEST): pyproject.toml
	@echo "Installing gdpnum with the lowest versions it supports into $(VENV_LOWEST), by $(PYTHON_LOWEST)"
	@$(PYTHON_LOWEST) -m venv $(VENV_LOWEST)
	@$(VENV_LOWEST)/bin/python -m pip --disable-pip-version-check --quiet install --editable '.[explore]' \
	  'numpy==1.24.*' 'scipy==1.10.*' 'typer==0.16.*' 'click==8.2.*' $(TESTING)
	@touch $@

$(INSTALLED_OTHER): pyproject.toml
	@echo "Installing gdpnum into $(VENV_OTHER), by $(PYTHON_OTHER)"
	@$(PYTHON_OTHER) -m venv $(VENV_OTHER)
	@$(VENV_OTHER)/bin/python -m pip --disable-pip-version-check --quiet install --editable '.[explore]' $(TESTING)
	@touch $@

# torch first and by version: what depends on it would pull a build with gigabytes of CUDA.
$(INSTALLED_ALL): pyproject.toml | $(VENV_ALL)/bin/python
	@echo "Installing gdpnum and the packages it works with into $(VENV_ALL); this takes minutes"
	@$(PIP_ALL) install torch==2.13.0
	@$(PIP_ALL) install --editable '.[dev,all,opacus,jax]' prv-accountant==0.2.0 $(PEERS)
	@touch $@

# Debian ships python3 without ensurepip; a venv made there would lack pip.
$(BIN)/python $(VENV_ALL)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
	  || { echo "gdpnum needs Python 3.10 or later; try: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "$(PYTHON) cannot make virtual environments; try: apt install python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv $(patsubst %/bin/python,%,$@)
