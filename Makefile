# `make demo` and `make test` work from a fresh clone: they make .venv and fill it, once.
PYTHON ?= python3
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
# Installs repeat when what they read has changed.
READ := pyproject.toml constraints.txt
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
CHECKED := sg_server tests examples
# File by file, in their order: those of the editors' windows, which take longest, come early and one after the other.
ON_ALL_CORES := --numprocesses=logical --maxprocesses=8 --dist=loadfile --no-loadscope-reorder

# $(call lua_tool,NAME,INSTALL,COMMAND): these tools are not on PyPI; only CI cannot go without.
lua_tool = if command -v $(1) >/dev/null; then cd editors/nvim && $(3); \
  elif [ "$$SG_REQUIRE_TOOLS" = 1 ]; then echo '$(1) is missing: $(2)' >&2; exit 1; fi

EXTENSION := editors/vscode/node_modules/ready
vscode_lint = if [ -e $(EXTENSION) ]; then cd editors/vscode && npm run --silent check && npm run --silent lint; fi

.PHONY: help demo picture test lint format schema bench bench-large lock clean
.DEFAULT_GOAL := help

help:
	@echo 'make demo    install into .venv, then search, page and inspect this checkout'
	@echo 'make picture draw the demo anew for the README'
	@echo 'make test    every test (make test ARGS="tests/unit -k paging")'
	@echo 'make lint    style, types, schema and the rules of the house'
	@echo 'make format  rewrite the sources as the formatter wants them'
	@echo 'make schema  write docs/protocol.schema.json from the code'
	@echo 'make bench   measure against rg itself (make bench ARGS="--corpus DIR")'
	@echo 'make bench-large  search 100,000 stored texts (half an hour, 6 GB of disk)'
	@echo 'make lock    write constraints.txt anew from the newest releases allowed'
	@echo 'make clean   remove .venv, caches and builds'

demo: $(VENV)/ready
	@$(BIN)/python -m examples.demo

picture: $(VENV)/ready
	@$(BIN)/python -m examples.demo | $(BIN)/python -m examples.picture > $(VENV)/demo.svg
	@mv $(VENV)/demo.svg docs/images/demo.svg

test: $(VENV)/ready-dev
	@$(BIN)/python -m pytest --quiet $(or $(ARGS),$(ON_ALL_CORES))

lint: $(VENV)/ready-dev $(EXTENSION)
	@$(BIN)/ruff check --quiet $(CHECKED)
	@$(BIN)/ruff format --quiet --check $(CHECKED) || { echo 'make format puts this right.' >&2; exit 1; }
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/python -m sg_server.lsp.schema --check
	@$(BIN)/python -m pytest --quiet --no-header tests/test_house.py
	@$(vscode_lint)
	@$(call lua_tool,luacheck,apt-get install lua-check,luacheck --formatter plain .)
	@$(call lua_tool,stylua,npm install --global @johnnymorganz/stylua-bin,stylua --check .)

format: $(VENV)/ready-dev
	@$(BIN)/ruff check --quiet --fix-only $(CHECKED)
	@$(BIN)/ruff format $(CHECKED)

schema: $(VENV)/ready
	@$(BIN)/python -m sg_server.lsp.schema

bench: $(VENV)/ready-dev
	@$(BIN)/python -m tests.bench $(ARGS)

bench-large: $(VENV)/ready-dev
	@$(BIN)/python -m tests.bench.large $(ARGS)

lock: $(VENV)/ready-dev
	@$(PIP) install --upgrade --upgrade-strategy eager --editable . --group dev
	@{ sed -n '/^#/p' constraints.txt; $(PIP) freeze --exclude-editable; } > $(VENV)/constraints.new
	@mv $(VENV)/constraints.new constraints.txt
	@git --no-pager diff --stat -- constraints.txt

clean:
	@rm -rf editors/vscode/node_modules editors/vscode/dist editors/vscode/wheels
	@rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis bench.json
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Groups (`pip install --group`) came with pip 25.1.
$(VENV)/bin/pip-upgraded:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo '$(PYTHON) is missing or older than Python 3.11; name another: make PYTHON=python3.12' >&2; exit 1; }
	@echo 'Making $(VENV) ...'
	@$(PYTHON) -m venv $(VENV) || \
	  { echo 'No virtual environment could be made; Debian and Ubuntu have it in: apt-get install python3-venv' >&2; exit 1; }
	@$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/ready: $(READ) | $(VENV)/bin/pip-upgraded
	@echo 'Installing the server ...'
	@$(PIP) install --constraint constraints.txt --editable .
	@touch $@

$(VENV)/ready-dev: $(READ) | $(VENV)/bin/pip-upgraded
	@echo 'Installing the server and its development tools ...'
	@$(PIP) install --constraint constraints.txt --editable . --group dev
	@touch $@ $(VENV)/ready

# Without npm there is nothing to do; only CI cannot go without.
$(EXTENSION): editors/vscode/package-lock.json
	@if command -v npm >/dev/null; then \
	  echo 'Installing what the VS Code extension is built with ...'; \
	  cd editors/vscode && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null && touch node_modules/ready; \
	elif [ "$$SG_REQUIRE_TOOLS" = 1 ]; then echo 'npm is missing' >&2; exit 1; fi
