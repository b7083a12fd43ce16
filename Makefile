PORT ?= 8000
ifndef PYTHON
# Evaluated at the first use and only once, because a search starts Python up to four times.
PYTHON = $(eval PYTHON := $(find_python))$(PYTHON)
endif
find_python = $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

BIN := .venv/bin
RUNTIME := .venv/.runtime
DEV := .venv/.dev
LIBRARIES := .venv/.libraries
# If uv is on the PATH, it is not installed again. Old versions of make know "command" only in a
# shell, which the redirection makes them use.
OWN_UV := $(if $(shell command -v uv 2>/dev/null),,$(BIN)/uv)
UV := $(or $(OWN_UV),uv)
# uv installs ten times faster than pip. pip is the fallback if only pip's settings name the package
# index. --no-compile, because compiling all modules takes as long as installing them. Installing pip
# into .venv takes as long, too, so Python's own pip is used if it supports --python.
OTHER_PIP := $(PYTHON) -m pip --python $(BIN)/python
PIP = $(shell test -x $(BIN)/pip && echo $(BIN)/pip || echo $(OTHER_PIP)) install \
	-qq --disable-pip-version-check --require-hashes --no-compile
install = $(UV) pip install --quiet --require-hashes --python $(BIN)/python -r $(1) || $(PIP) -r $(1)
# On Linux the server also ends if make is killed.
TIED = $(shell setpriv --pdeathsig TERM true 2>/dev/null && echo setpriv --pdeathsig TERM)
LIGHTHOUSE := .tools/node_modules/.bin/lighthouse
# Let Python write bytecode files: programs that are compiled already start in half the time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run install translations test check lint types templates quick unit kernels libraries browser install-training train train-dqn bench bench-web faults screenshot film lighthouse lock

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-16s %s\n", $$1, $$2}' Makefile

run: $(RUNTIME) ## Serve on http://127.0.0.1:8000 (another port: make run PORT=9000)
	@! $(BIN)/python -c 'import socket, sys; socket.create_connection(("127.0.0.1", sys.argv[1]))' \
		"$(PORT)" 2>/dev/null || \
		{ echo "Port $(PORT) is in use. Choose another: make run PORT=9000"; exit 1; }
	@# Every step is an exec, so that the server is a child of make and ends with it.
	@exec $(TIED) env HOST=127.0.0.1 PORT=$(PORT) PATH="$(CURDIR)/$(BIN):$$PATH" \
		sh -c "exec $$(sed -n 's/^web: //p' Procfile)"

install: $(RUNTIME) ## Install the packages for make run, without running it

translations: $(RUNTIME) ## Update the catalogues in app/translations and list untranslated texts
	$(BIN)/python -m app.translations.gather

test: ## Check style, types and templates, and run all tests, also in a browser
	$(MAKE) --jobs 2 lint types templates unit

lint: $(DEV) ## Check style and format of the Python code
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(DEV) ## Check the types
	$(BIN)/mypy

templates: $(DEV) ## Check the HTML templates
	$(BIN)/djlint --lint templates

unit: browser kernels libraries ## Run all tests, on all cores
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

check: ## Check style, types and templates, and run tests without a browser or load
	$(MAKE) --jobs 2 lint types templates quick

quick: kernels ## Run the tests that start no browser and no server, except long ones
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal -m "not long" -p no:playwright \
		tests/doctor tests/tables tests/tictactoe tests/training tests/web

kernels: $(DEV) ## Compile the learners, so that the test processes do not have to
	$(BIN)/python -m training.kernels

libraries: $(LIBRARIES) ## Install OpenSpiel, PettingZoo and Gymnasium for their scripts in docs/

browser: $(DEV) ## Install Chromium for the tests if it is missing
	$(BIN)/python -m tests.get_browser

install-training: $(DEV) ## Install the packages for tests and for training networks

train: $(DEV) ## Train all tabular agents again: seconds
	$(BIN)/python -m training train --all

train-dqn: $(DEV) ## Train the two deep Q-networks again: minutes
	$(BIN)/python -m training train dqn-vs-random dqn-vs-heuristic

bench: $(DEV) ## Measure the speed of training and of the server (needs wrk)
	$(BIN)/python -m tests.training.bench
	$(BIN)/python -m tests.service.load

bench-web: $(DEV) ## Measure the server only: rates, start, memory, sizes
	$(BIN)/python -m tests.service.load $(if $(MARKDOWN),--markdown $(MARKDOWN))

faults: kernels ## Test failures of a real server: reloads, kills, odd clients, broken files
	$(BIN)/python -m pytest -m "" tests/service/faults

screenshot: browser ## Take the pictures in docs/
	SCREENSHOTS=docs $(BIN)/python -m pytest tests/browser/test_screenshots.py

film: $(DEV) ## Make docs/film.gif, the film of a training in the README
	$(BIN)/python -c 'from app.web import create_app; \
		open("docs/film.gif", "wb").write(create_app().test_client().get("/mind/q-table.gif").data)'

lighthouse: $(LIGHTHOUSE) browser ## Run Lighthouse on the main pages, phone and desktop (needs Node.js)
	CHROME_PATH="$$($(BIN)/python -m tests.get_browser)" LIGHTHOUSE=$(LIGHTHOUSE) \
		$(BIN)/python -m tests.service.lighthouse $(if $(MARKDOWN),--markdown $(MARKDOWN))

lock: $(DEV) ## Pin the dependencies of pyproject.toml (make lock UPGRADE=1: newest versions)
	$(call compile,requirements-dev.txt,--group dev --all-extras)
	$(call compile,requirements-libraries.txt,--group libraries --constraint requirements-dev.txt)
	$(call compile,requirements.txt,--constraint requirements-dev.txt)

compile = $(BIN)/uv pip compile pyproject.toml $(2) --quiet --generate-hashes --universal \
	--python-version 3.11 $(if $(UPGRADE),--upgrade) --custom-compile-command "make lock" -o $(1)

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install python3."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "$(PYTHON) lacks the venv module: install python3-venv."; exit 1; }
	$(PYTHON) -m venv $$($(PYTHON) -c 'import pip, sys; sys.exit(int(pip.__version__.split(".")[0]) < 23)' \
		2>/dev/null && echo --without-pip) .venv

$(BIN)/uv: | $(BIN)/python
	sed -n '/^uv==/,/[^\\]$$/p' requirements-dev.txt > .venv/uv.txt
	$(PIP) -r .venv/uv.txt

$(RUNTIME): requirements.txt | $(BIN)/python $(OWN_UV)
	$(call install,requirements.txt)
	@touch $@

# Also contains the runtime packages, in the same versions.
$(DEV): requirements-dev.txt | $(BIN)/python $(OWN_UV)
	$(call install,requirements-dev.txt)
	@touch $@ $(RUNTIME)

$(LIBRARIES): requirements-libraries.txt $(DEV)
	$(call install,requirements-libraries.txt)
	@touch $@

$(LIGHTHOUSE):
	npm install --prefix .tools --no-audit --no-fund lighthouse@12.8
