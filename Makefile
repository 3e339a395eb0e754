# make test    install what the tests need into .venv, and run them
# make lint    ruff and mypy
# make test-pythons   the tests of dump, check, threads and library on every Python that is found: see tests/pythons.py
# make bench   time pybinlog beside mysqlbinlog
# make fuzz    mutated logs through the program and through a kernel with AddressSanitizer, for some minutes
# make clean   remove what the other targets made

PYTHON ?= python3
VENV = .venv
BIN = $(VENV)/bin
KERNEL = $(wildcard pybinlog/kernel/*.py pybinlog/kernel/*.pxd)

.PHONY: test test-pythons lint bench fuzz clean

test: $(VENV)/installed
	$(BIN)/python -m pytest $(ARGS)

test-pythons:
	$(PYTHON) -m tests.pythons $(ARGS)

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/installed
	$(BIN)/python -m tests.benchmarks $(ARGS)
	$(if $(ARGS),,$(BIN)/python -m tests.benchmarks.views)
	$(if $(ARGS),,$(BIN)/python -m tests.benchmarks.spark)

FUZZ_SECONDS ?= 60
SANITIZED = build/sanitized/pybinlog
COVERED = build/covered/pybinlog
FINDINGS = $(CURDIR)/build/findings
# What the guided fuzzer learned stays here for its next run.
FUZZ_CORPUS = $(CURDIR)/build/fuzz-corpus

# So many seconds each: the program as it is; a kernel with sanitizers; the same, guided by the kernel's coverage (with
# atheris, which is not to be had everywhere). Then the lines of the kernel that inputs reach.
fuzz: $(VENV)/installed
	$(BIN)/python -m tests.fuzz --seconds $(FUZZ_SECONDS) --folder $(FINDINGS) $(ARGS)
	$(BIN)/python -m pip install --quiet 'Cython>=3.1' setuptools
	$(BIN)/python -m tests.fuzz.build $(SANITIZED)
	sh $(SANITIZED)/run.sh -m tests.fuzz --unbounded --seconds $(FUZZ_SECONDS) --folder $(FINDINGS) $(ARGS)
	if $(BIN)/python -m pip install --quiet atheris; then \
	    sh $(SANITIZED)/run.sh -m tests.fuzz.guided --seconds $(FUZZ_SECONDS) --folder $(FINDINGS) --corpus $(FUZZ_CORPUS); \
	else echo 'atheris cannot be installed here: the guided part is left out'; fi
	$(BIN)/python -m tests.fuzz.build $(COVERED) --kind coverage
	sh $(COVERED)/run.sh -m tests.fuzz.lines

# An editable install: the kernel is built in place, and again when its sources or the build change.
$(VENV)/installed: pyproject.toml $(KERNEL)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -f pybinlog/kernel/*.c pybinlog/kernel/*.so
