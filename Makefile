# make test    install what the tests need into .venv, and run them on all cores
# make test-servers   the tests that need a real MySQL and MariaDB: see tests/with_servers.py
# make lint    ruff, mypy, and two scripts: tests that cannot fail, hard sentences (tests/weak_asserts.py, tests/prose.py)
# make hooks   have git run what `make lint` runs before each commit
# make test-pythons   the tests of dump, check, threads and library on every CPython that tox finds: see pyproject.toml
# make bench   time pybinlog beside mysqlbinlog
# make bench-public   time every reader of this field that can be had, and write docs/benchmark.md
# make fuzz    mutated logs through the program and through a kernel with AddressSanitizer, for some minutes
# make mutants small wrong changes of the sources, one at a time, and which of them no test notices: see tests/mutants
# make man     the man pages, in docs/man
# make dist    a wheel and an sdist, in dist/, and what the wheel needs as a bill of materials; same commit, same wheel
# make site    the pages as a site, in build/site
# make deb     a Debian package, in build/; needs debhelper, dh-python and the other packages that .ci/debian/control names
# make clean   remove what the other targets made

PYTHON ?= python3
VENV = .venv
BIN = $(VENV)/bin
BUILD_REQUIRES = 'setuptools>=77' 'Cython>=3.3' 'click>=8.1' 'construct>=2.10.68'
# A wheel that pip makes for itself need not be small: PySpark's jars are compressed already.
STORED = printf '[bdist_wheel]\ncompression = stored\n' > $(VENV)/wheels.cfg && DIST_EXTRA_CONFIG=$(CURDIR)/$(VENV)/wheels.cfg
KERNEL = pybinlog/event_types.py pybinlog/column_types.py pybinlog/verbs.py pybinlog/views/view.py pybinlog/views/schema.py $(wildcard pybinlog/kernel/*/*.py pybinlog/kernel/*/*.pxd)

# What a target needs is made side by side; after `clean` it cannot be.
ifeq ($(filter clean,$(MAKECMDGOALS)),)
MAKEFLAGS += --jobs=2
endif

.PHONY: test test-servers test-pythons lint hooks bench bench-public fuzz mutants man dist site deb clean

# One process more than cores; ARGS='-n 0' runs the tests in one, as a debugger wants it. With byte code wherever
# PYTHONDONTWRITEBYTECODE is set, too: each of the processes would rewrite and compile all tests again.
test: $(VENV)/installed $(VENV)/kernel $(VENV)/spark.jsa
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses=auto $(ARGS)

test-servers: $(VENV)/installed $(VENV)/kernel $(VENV)/spark.jsa
	$(BIN)/python -m tests.with_servers --numprocesses=auto $(ARGS)

test-pythons: $(VENV)/installed
	$(BIN)/python -m pip install --quiet 'tox>=4.25'
	$(BIN)/python -m tox run $(ARGS)

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m tests.weak_asserts
	$(BIN)/python -m tests.prose

# With pre-commit: .pre-commit-config.yaml.
hooks: $(VENV)/installed
	$(BIN)/python -m pip install --quiet pre-commit
	$(BIN)/pre-commit install

# With a real server, also a recovery, beside mysqlbinlog | mysql.
RESTORE_MIB ?= 256
bench: $(VENV)/installed $(VENV)/kernel
	$(BIN)/python -m tests.benchmarks $(ARGS)
	$(if $(ARGS),,$(if $(MYSQL97_ROOT),$(BIN)/python -m tests.benchmarks.restore --mib $(RESTORE_MIB)))
	$(if $(ARGS),,rm -rf build/spark && mkdir -p build/spark)
	$(if $(ARGS),,for n in 0 1 2; do $(BIN)/python -m tests.benchmarks.spark --cores=$$n -o build/spark/$$n.json; done)
	$(if $(ARGS),,$(BIN)/python -m pyperf compare_to build/spark/0.json build/spark/1.json build/spark/2.json --table)

# The Java library is in no registry that pip or npm know: give its folder in PEERS_JARS.
PEERS = $(CURDIR)/build/peers
bench-public: $(VENV)/installed $(VENV)/kernel
	$(PYTHON) -m venv $(PEERS)/python && $(PEERS)/python/bin/pip install --quiet mysql-replication cryptography
	npm install --silent --prefix $(PEERS) @vlasky/zongji
	PEERS_PYTHON=$(PEERS)/python/bin/python PEERS_NODE=$(PEERS) $(BIN)/python -m tests.benchmarks.public $(ARGS)

FUZZ_SECONDS ?= 60
SANITIZED = build/sanitized/pybinlog
COVERED = build/covered/pybinlog
FINDINGS = $(CURDIR)/build/findings
# What the guided fuzzer learned stays here for its next run.
FUZZ_CORPUS = $(CURDIR)/build/fuzz-corpus

# So many seconds each: the program as it is; a kernel with sanitizers; the same, guided by the kernel's coverage (with
# atheris, which is not to be had everywhere). Then the lines of the kernel that inputs reach.
fuzz: $(VENV)/installed $(VENV)/kernel
	$(BIN)/python -m tests.fuzz --seconds $(FUZZ_SECONDS) --folder $(FINDINGS) $(ARGS)
	$(BIN)/python -m tests.fuzz.build $(SANITIZED)
	sh $(SANITIZED)/run.sh -m tests.fuzz.encrypted --seconds $(FUZZ_SECONDS)
	sh $(SANITIZED)/run.sh -m tests.fuzz --unbounded --time-limit 5 --seconds $(FUZZ_SECONDS) --folder $(FINDINGS) $(ARGS)
	if $(BIN)/python -m pip install --quiet atheris; then \
	    sh $(SANITIZED)/run.sh -m tests.fuzz.guided --seconds $(FUZZ_SECONDS) --folder $(FINDINGS) --corpus $(FUZZ_CORPUS); \
	else echo 'atheris cannot be installed here: the guided part is left out'; fi
	$(BIN)/python -m tests.fuzz.build $(COVERED) --kind coverage
	sh $(COVERED)/run.sh -m tests.fuzz.lines

mutants: $(VENV)/installed $(VENV)/kernel
	$(BIN)/python -m pip install --quiet 'cosmic-ray>=8.4' 'coverage>=7.10' pytest-timeout
	$(BIN)/python -m tests.mutants $(ARGS)

# Each stamp has the time at which its build began, so that what is edited meanwhile is built again.
BEGIN = touch $@.begun
END = mv $@.begun $@

# What builds comes first, and from .venv: with another Cython everything would be built twice.
$(VENV)/tools:
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet $(BUILD_REQUIRES)
	touch $@

# An editable install, whose folder is on the path: the hook that pip prefers would cost each start some milliseconds that
# other installs do not need. The kernel is built beside it: pip has one processor, and the compiler the other.
$(VENV)/installed: $(VENV)/tools pyproject.toml
	@$(BEGIN)
	$(STORED) PYBINLOG_KERNEL=no $(BIN)/python -m pip install --quiet --no-build-isolation --editable '.[dev]' \
	    --config-settings editable_mode=compat
	@$(END)

# Beside its sources, and of a changed one only the modules that changed. Byte code too, as in an install that is not
# editable: tests start the program some thousand times, and where PYTHONDONTWRITEBYTECODE is set each of these would
# compile every module again.
$(VENV)/kernel: $(VENV)/tools setup.py $(KERNEL)
	@$(BEGIN)
	$(BIN)/python setup.py --quiet build_ext --inplace
	$(BIN)/python -m compileall -q pybinlog
	@$(END)

# With it, the JVMs of the tests start in half the time. It is made while the kernel is built.
$(VENV)/spark.jsa: $(VENV)/installed tests/spark/class_archive.py
	$(BIN)/python -m tests.spark.class_archive $@

man: $(VENV)/installed
	$(BIN)/python docs/manual.py docs/man

# The wheel has the time of its commit, so that who builds it again gets the same bytes.
dist: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || date +%s)
dist: $(VENV)/installed
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	$(BIN)/python setup.py --quiet sdist
	$(PYTHON) -m venv --clear build/shipped
	build/shipped/bin/python -m pip install --quiet --no-cache-dir dist/*.whl
	$(BIN)/python -m pip install --quiet 'cyclonedx-bom>=7'
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible -o dist/pybinlog.cdx.json build/shipped/bin/python

site: $(VENV)/installed $(VENV)/kernel
	$(BIN)/python -m pip install --quiet 'mkdocs-material>=9.6'
	$(BIN)/python docs/site_pages.py build/site

DEB = build/deb/pybinlog
deb:
	rm -rf build/deb && mkdir -p $(DEB)
	git archive HEAD | tar -xf - -C $(DEB)
	mv $(DEB)/.ci/debian $(DEB)/debian
	cd $(DEB) && dpkg-buildpackage --unsigned-source --unsigned-changes --build=binary

clean:
	rm -rf $(VENV) build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find pybinlog/kernel \( -name '*.c' -o -name '*.so' \) -delete
	find pybinlog tests -name __pycache__ -prune -exec rm -r {} +
