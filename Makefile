PORT ?= 8000
ifndef PYTHON
# Searched for when it is first needed, and only once: each search starts Python up to four times.
PYTHON = $(eval PYTHON := $(find_python))$(PYTHON)
endif
find_python = $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

BIN := .venv/bin
RUNTIME := .venv/.runtime
DEV := .venv/.dev
# A uv on the PATH saves installing one. The redirection makes old versions of make use a shell,
# without which "command" is unknown.
OWN_UV := $(if $(shell command -v uv 2>/dev/null),,$(BIN)/uv)
UV := $(or $(OWN_UV),uv)
# uv installs ten times faster; pip, where uv does not find what pip's own settings name.
# Compiling what may never be imported takes as long as installing it, and so does a pip of the
# folder's own, where Python has one that installs into other folders.
OTHER_PIP := $(PYTHON) -m pip --python $(BIN)/python
PIP = $(shell test -x $(BIN)/pip && echo $(BIN)/pip || echo $(OTHER_PIP)) install \
	-qq --disable-pip-version-check --require-hashes --no-compile
install = $(UV) pip install --quiet --require-hashes --python $(BIN)/python -r $(1) || $(PIP) -r $(1)
# On Linux even a make that is killed takes the server with it.
TIED = $(shell setpriv --pdeathsig TERM true 2>/dev/null && echo setpriv --pdeathsig TERM)
LIGHTHOUSE := .tools/node_modules/.bin/lighthouse
# What Python has compiled once starts in half the time, and nearly everything here starts often.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run install translations test check lint types templates unit kernels browser install-training train train-dqn bench bench-web faults screenshot lighthouse lock

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-16s %s\n", $$1, $$2}' Makefile

run: $(RUNTIME) ## Serve on http://127.0.0.1:8000 (another port: make run PORT=9000)
	@! $(BIN)/python -c 'import socket, sys; socket.create_connection(("127.0.0.1", sys.argv[1]))' \
		"$(PORT)" 2>/dev/null || \
		{ echo "Port $(PORT) is in use. Choose another: make run PORT=9000"; exit 1; }
	@# exec all the way down: the server is make's own child, and ends with it.
	@exec $(TIED) env HOST=127.0.0.1 PORT=$(PORT) PATH="$(CURDIR)/$(BIN):$$PATH" \
		sh -c "exec $$(sed -n 's/^web: //p' Procfile)"

install: $(RUNTIME) ## Set up what make run needs, without running it

translations: $(RUNTIME) ## Gather all texts in the catalogues of app/translations, and name what is missing
	$(BIN)/python -m app.translations.gather

test: ## Check everything: style, types, templates, tests in a real browser
	$(MAKE) --jobs 2 lint types templates unit

lint: $(DEV) ## Check style and format of the Python code
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(DEV) ## Check the types
	$(BIN)/mypy

templates: $(DEV) ## Check the HTML templates
	$(BIN)/djlint --lint templates

unit: browser kernels ## Run all tests, on all cores
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

check: lint types templates kernels ## Check everything but what needs a browser or a server under load
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal \
		tests/doctor tests/tables tests/tictactoe tests/training tests/web

kernels: $(DEV) ## Compile the learners once, so that the processes of the tests need not
	$(BIN)/python -m training.trainer

browser: $(DEV) ## Make sure there is a Chromium for the tests
	$(BIN)/python -m tests.get_browser

install-training: $(DEV) ## Set up what the tests and the training of networks need

train: $(DEV) ## Train every agent that is a table again
	$(BIN)/python -m training train --all

train-dqn: $(DEV) ## Train the two deep Q-networks again, some minutes
	$(BIN)/python -m training train dqn-vs-random dqn-vs-heuristic

bench: $(DEV) ## Measure how fast training is, then the service (which needs wrk)
	$(BIN)/python -m training bench
	$(BIN)/python -m tests.service.load

bench-web: $(DEV) ## Measure the service only: rates, start, memory, sizes
	$(BIN)/python -m tests.service.load $(if $(MARKDOWN),--markdown $(MARKDOWN))

faults: $(DEV) ## Try what can go wrong with the real server: reloads, kills, odd clients, broken files
	$(BIN)/python -m tests.service.faults $(if $(MARKDOWN),--markdown $(MARKDOWN))

screenshot: browser ## Take the pictures in docs/
	SCREENSHOTS=docs $(BIN)/python -m pytest tests/browser/test_screenshots.py

lighthouse: $(LIGHTHOUSE) browser ## Score the main pages on a phone and on a desk (needs Node.js)
	CHROME_PATH="$$($(BIN)/python -m tests.get_browser)" LIGHTHOUSE=$(LIGHTHOUSE) \
		$(BIN)/python -m tests.service.lighthouse $(if $(MARKDOWN),--markdown $(MARKDOWN))

lock: $(DEV) ## Pin what pyproject.toml asks for (make lock UPGRADE=1: the newest)
	$(call compile,requirements-dev.txt,--group dev --all-extras)
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

# Holds the runtime packages too, at the same versions.
$(DEV): requirements-dev.txt | $(BIN)/python $(OWN_UV)
	$(call install,requirements-dev.txt)
	@touch $@ $(RUNTIME)

$(LIGHTHOUSE):
	npm install --prefix .tools --no-audit --no-fund lighthouse@12.8
