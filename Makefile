PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
PYTEST_ARGS ?=
LOCK_ARGS ?=

BIN := .venv/bin
RUNTIME := .venv/runtime-installed
DEV := .venv/dev-installed

PIP_INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes
UV_COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --no-emit-index-url --custom-compile-command "make lock" $(LOCK_ARGS) pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help serve test check format openapi release-openapi licenses lock wheel clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

serve: $(RUNTIME) ## Run the service on HOST and PORT (127.0.0.1:8000)
	@exec env HOST='$(HOST)' PORT='$(PORT)' $(BIN)/python -m service

test: $(DEV) ## Run the tests; PYTEST_ARGS is passed on
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

check: $(DEV) ## Everything CI checks: format, lint, types, generated files, catalog, tests
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/python -m service.openapi --check
	@$(BIN)/python -m mlsysim.catalog
	@$(MAKE) --no-print-directory test

format: $(DEV) ## Format the code and fix what lint can fix
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format --quiet .

openapi: $(RUNTIME) ## Write openapi/openapi.json
	@$(BIN)/python -m service.openapi

licenses: $(RUNTIME) ## Write LICENSES.md from what is installed
	@$(BIN)/python .ci/licenses.py

release-openapi: openapi ## Keep that document as the released one, which later ones must not break
	@cp openapi/openapi.json openapi/released.json

lock: $(DEV) ## Pin what pyproject.toml asks for; LOCK_ARGS=--upgrade takes the newest versions
	@$(UV_COMPILE) --output-file requirements.lock
	@$(UV_COMPILE) --group dev --constraint requirements.lock --output-file requirements-dev.lock

wheel: $(DEV) ## Build the wheel and the source distribution into dist/
	@$(BIN)/python -m build --no-isolation

clean: ## Remove .venv and everything generated that is not committed
	@rm -rf .venv dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo '$(PYTHON) is not Python 3.11 or newer: install one and run "make PYTHON=python3.11 ..."' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
		|| { echo '$(PYTHON) has no venv module: install it (on Debian: apt-get install python3-venv)' >&2; exit 1; }
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/python -c 'import pathlib, site; pathlib.Path(site.getsitepackages()[0], "checkout.pth").write_text("$(CURDIR)\n")'

$(RUNTIME): requirements.lock | $(BIN)/pip
	@echo 'Installing $< into .venv' >&2
	@$(PIP_INSTALL) -r $<
	@touch $@

# After the runtime, never beside it: two pips at once would break the environment.
$(DEV): requirements-dev.lock $(RUNTIME)
	@echo 'Installing $< into .venv' >&2
	@$(PIP_INSTALL) -r $<
	@touch $@
