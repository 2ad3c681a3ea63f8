# The ways in: `make run` and `make test` do all the set-up themselves.

PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
VENV := .venv
# Paths that `make bench` takes as variables: see benchmarks/README.md.
INPUTS := checkouts file_queries symbols concepts cosqa cosqa_codes semble database kills
BIN := $(VENV)/bin
TORCH := torch>=2.6,<=2.13.0
# PyTorch's own index has builds without CUDA, which spare several gigabytes.
TORCH_CPU := https://download.pytorch.org/whl/cpu
FIND_BROWSER := { command -v chromium || command -v chromium-browser || command -v google-chrome; }

.DEFAULT_GOAL := help
.PHONY: help run test screenshots lint bench clean browser ripgrep

help: ## what can be made
	@sed -n 's/^\([a-z]*\):.*## /make \1	/p' $(MAKEFILE_LIST)

run: $(VENV)/run.stamp ## set up, start everything, index the demo repository
	@$(BIN)/python manage.py setup
	@exec $(BIN)/python manage.py serve --demo

# Two at once, a file in one process: its fixtures are made once.
test: $(VENV)/test.stamp browser ripgrep ## set up and run every test
	@$(BIN)/python -m pytest --numprocesses 2 --dist loadfile

screenshots: $(VENV)/test.stamp browser ## pictures of every page in both themes, in build/screenshots
	@$(BIN)/python -m tests.screenshots

lint: $(VENV)/test.stamp ## what pre-commit runs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	git ls-files -z -- 'templates/*.html' | xargs -0 -r $(BIN)/djade --check --target-version 5.2

bench: $(VENV)/test.stamp ## measure, and print each figure beside its baseline
	@$(BIN)/python -m benchmarks \
		$(foreach name,$(INPUTS),$(if $($(name)),--$(name) '$($(name))'))

clean: ## remove the environment and caches; data/ stays
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "codesearch needs Python 3.11 or newer; none was found."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "codesearch needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Set PYTHON=..."; exit 1; }
	@git --version >/dev/null || { echo "codesearch needs git; install it first."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
		{ rm -rf $(VENV); echo "Python cannot make a virtual environment: on Debian, install python3-venv."; exit 1; }

# Without a GPU: PyTorch's index if it answers at once, else whatever pip finds.
$(VENV)/torch.stamp: | $(BIN)/python
	@echo "Installing PyTorch and the rest: this takes a few minutes the first time."
	@if [ "$$(uname)" = Linux ] && ! command -v nvidia-smi >/dev/null && \
		$(BIN)/python -c "import urllib.request as u; u.urlopen('$(TORCH_CPU)/torch/', timeout=5)" 2>/dev/null; \
	then $(BIN)/pip install --quiet --index-url $(TORCH_CPU) '$(TORCH)'; \
	else $(BIN)/pip install --quiet '$(TORCH)'; fi
	@touch $@

$(VENV)/run.stamp: pyproject.toml | $(VENV)/torch.stamp
	@$(BIN)/pip install --quiet '.[onnx,postgres]'
	@touch $@

$(VENV)/test.stamp: pyproject.toml | $(VENV)/torch.stamp
	@$(BIN)/pip install --quiet '.[test,onnx,postgres]'
	@touch $@ $(VENV)/run.stamp

browser:
	@$(FIND_BROWSER) >/dev/null || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing chromium for the browser tests."; \
		{ apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium; } >/dev/null 2>&1 || true; \
	fi
	@$(FIND_BROWSER) >/dev/null || \
		echo "The browser tests are LEFT OUT: there is no chromium here. Install it and run again."

ripgrep:
	@command -v rg >/dev/null || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		{ apt-get -qq update && apt-get -qq install -y --no-install-recommends ripgrep; } >/dev/null 2>&1 || true; \
	fi
	@command -v rg >/dev/null || \
		echo "The tests against ripgrep are LEFT OUT: there is no rg here. Install it and run again."
