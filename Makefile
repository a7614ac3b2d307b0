# Every target works after a bare clone: it creates .venv, installs with the tested versions, then
# does its job.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
SCORE_LIMIT ?= 48
SCORE_OUT ?= runs/starter-inlay-$(SCORE_LIMIT)

RESULTS ?= runs/results
TEST_WORKERS ?= 2

BOARD ?= runs/leaderboard
BOARD_EDITORS ?= base rag static inlay

.PHONY: score leaderboard test test-slow lint bench docs cards results clean help

help:
	@echo "make score      score INLAY on the starter benchmark (SCORE_LIMIT=$(SCORE_LIMIT) queries a cell)"
	@echo "make leaderboard  score every editor on the starter, fill a board with the runs, serve it"
	@echo "make test       run the default tests, by $(TEST_WORKERS) workers"
	@echo "make test-slow  run the slow tests too"
	@echo "make lint       ruff and mypy"
	@echo "make bench      run every benchmark"
	@echo "make docs       export the JSON Schema of the records, and the kinds and checks"
	@echo "make cards      render the data cards"
	@echo "make results    make the runs that docs/results.md and the README show, and render them"
	@echo "make clean      remove the virtual environment and everything built"

$(INSTALLED): pyproject.toml requirements/constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --constraint requirements/constraints.txt --editable '.[dev]'
	touch $@

score: $(INSTALLED)
	$(BIN)/scopebench fetch smollm2-135m
	$(BIN)/scopebench score --editor inlay --limit $(SCORE_LIMIT) --out $(SCORE_OUT)

# Whole runs, since a limited one cannot be submitted.
leaderboard: $(INSTALLED)
	$(BIN)/scopebench fetch smollm2-135m
	mkdir -p $(BOARD)/results
	for editor in $(BOARD_EDITORS); do \
	  $(BIN)/scopebench score --editor $$editor --out $(BOARD)/$$editor || exit 1; \
	  $(BIN)/scopebench submit $(BOARD)/$$editor --to $(BOARD)/results || exit 1; \
	done
	$(BIN)/scopebench leaderboard --results $(BOARD)/results

# The tests of a file share what they build, so a file stays with one worker.
test: $(INSTALLED)
	$(BIN)/python -m pytest -n $(TEST_WORKERS) --dist loadfile

test-slow: $(INSTALLED)
	$(BIN)/python tests/install_browser.py
	$(BIN)/python -m pytest -m "slow or not slow"

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(INSTALLED)
	@for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

docs: $(INSTALLED)
	$(BIN)/python docs/export_schema.py
	$(BIN)/python docs/export_kinds.py

cards: $(INSTALLED)
	$(BIN)/python data_cards/render.py

# The real files are those of SCOPEBENCH_DATA. A run that was stopped goes on.
results: $(INSTALLED)
	$(BIN)/scopebench fetch smollm2-135m
	$(BIN)/python docs/render_results.py --runs $(RESULTS) --make

clean:
	rm -rf $(VENV) runs build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
