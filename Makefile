# Every target works from a bare clone: it makes .venv, builds, and gets what it needs.

PYTHON ?= python3
BIN := .venv/bin
SOURCES := $(shell find rust src -type f -not -name '*.so' -not -path '*/__pycache__/*' -not -path 'rust/fuzz/*') \
	Cargo.toml Cargo.lock pyproject.toml README.md
# Tests write a gigabyte in small files, and their stores sync every answer: in memory, where there
# is room for it, they do not wait for the disk.
SCRATCH := $(shell df --output=avail --block-size=G /dev/shm 2>/dev/null \
	| awk '$$1 + 0 >= 6 { found = 1 } END { print found ? "/dev/shm" : "/tmp" }')
# On all cores, a file at a time, in the order of tests/conftest.py; two workers more than there are
# cores, because tests with servers and browsers wait for most of their time.
PYTEST = METRA_TEST_INSTALLED=1 PYTEST_DEBUG_TEMPROOT=$(SCRATCH) $(BIN)/python -m pytest \
	-n $$(($$(nproc) + 2)) --dist loadfile --no-loadscope-reorder
# Programs and data from Debian that some tests need, each got by a target below.
DEBIAN := .venv/.wordnet .venv/.chromium .venv/.node .venv/.java .venv/.postgresql .venv/.libreoffice .venv/.nginx

.PHONY: demo test test-neural quick fuzz mutants lint format bench bench-quick docs wheel wheels clean

demo: .venv/.wheel .venv/.wordnet
	$(BIN)/metra demo

test: .venv/.wheel .venv/.test $(DEBIAN)
	cargo test --quiet --no-default-features
	$(PYTEST)

quick: .venv/.wheel .venv/.test $(DEBIAN)
	$(PYTEST) -m "not slow"


# Mutated files and requests, then inputs of the kernels, each for as long as you like.
FUZZ_SECONDS ?= 3600
fuzz: .venv/.wheel .venv/.test
	$(BIN)/python tests/fuzz/run.py --seconds $(FUZZ_SECONDS) --seed $$(date +%s)
	$(BIN)/python tests/fuzz/kernels.py --seconds $(FUZZ_SECONDS)

# Small changes of the code, which the tests should notice: so many of each package, in one
# process, for hours. The same SEED again continues a run that was stopped.
MUTANTS ?= 60
SEED ?= $(shell date +%s)
mutants: .venv/.wheel .venv/.test $(DEBIAN)
	$(BIN)/python tests/mutants/run.py --count $(MUTANTS) --seed $(SEED) --all

# Installs torch at first. A thread a worker: models are tiny.
test-neural: .venv/.wheel .venv-oracle/.made
	METRA_TEST_INSTALLED=1 METRA_TEST_ORACLE=$(CURDIR)/.venv-oracle/bin/python OMP_NUM_THREADS=1 \
	  .venv-neural/bin/python -m pytest -n 2 --dist loadfile -m neural tests/metrics/neural

lint: .venv/.lint .venv/.wheel .venv/.typescript
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	if command -v tsc >/dev/null; then tsc --project tsconfig.json; fi
	$(BIN)/python bench/structure.py --budget
	$(BIN)/python -m mypy.stubtest metra._core --ignore-missing-stub
	cargo fmt --check
	cargo clippy --all-targets --quiet -- -D warnings

format: .venv/.lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	cargo fmt

bench: .venv/.wheel .venv/.bench
	$(BIN)/python bench/run.py --full

bench-quick: .venv/.wheel .venv/.bench
	$(BIN)/python bench/run.py --quick

# Runs every command of the pages, takes and draws their pictures again, builds the site and the
# man pages, and checks links and search.
docs: .venv/.wheel .venv/.docs .venv/.wordnet .venv/.chromium
	$(BIN)/python docs/tools/generate.py
	$(BIN)/python docs/tools/pictures.py
	$(BIN)/zensical build --strict --clean
	$(BIN)/python docs/tools/man_pages.py site/man
	$(BIN)/python docs/tools/check_site.py site

wheel: .venv/.wheel

# Wheels for every Linux with glibc 2.17 or newer (manylinux2014), and the sources, in dist. Zig
# links against that glibc; Rust needs its standard library for both targets.
TARGETS := x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu
wheels: .venv/.wheels
	@command -v rustup >/dev/null && rustup target add $(TARGETS) \
	  || echo "Without rustup, Rust must have the targets $(TARGETS)."
	rm -rf dist
	for target in $(TARGETS); do PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/maturin build --release --quiet \
	  --zig --target $$target --compatibility manylinux2014 --out dist || exit 1; done
	$(BIN)/maturin sdist --out dist
	for wheel in dist/*.whl; do $(BIN)/auditwheel show $$wheel; done

.venv/.made:
	@$(PYTHON) -m venv .venv || { rm -rf .venv; \
	  echo "python3 -m venv does not work; trying to install Debian's python3-venv"; \
	  apt-get update -qq && apt-get install -y -qq python3-venv && $(PYTHON) -m venv .venv; } \
	  || { echo "Install Debian's package python3-venv, then run make again."; exit 1; }
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --group build
	@touch $@

# The wheel itself is installed, so that what is tested is what users get.
.venv/.wheel: .venv/.made $(SOURCES)
	@command -v cargo >/dev/null || { echo "Install Rust (cargo), then run make again."; exit 1; }
	rm -rf dist
	$(BIN)/maturin build --release --quiet --out dist
	$(BIN)/python -m pip install --quiet dist/metra-*.whl
	$(BIN)/python -m pip install --quiet --force-reinstall --no-deps dist/metra-*.whl
	@touch $@

.venv/.%: .venv/.made pyproject.toml
	$(BIN)/python -m pip install --quiet --group $*
	@touch $@

.venv/.docs: | .venv/.wheel # it asks for extras of metra

# Neural metrics are tested in an environment of their own, because torch is large; it takes
# metra from .venv. The packages whose scores they equal need older libraries and have another,
# which takes torch from the first.
PACKAGES = $$($(1)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")
define make_environment
	$(PYTHON) -m venv --without-pip $(1)
	echo $(call PACKAGES,$(2)) > $(call PACKAGES,$(1))/shared.pth
	$(BIN)/python -m pip --python $(1)/bin/python install --quiet --no-compile --group $(3)
	@touch $(1)/.made
endef

.venv-neural/.made: pyproject.toml | .venv/.wheel
	$(call make_environment,.venv-neural,.venv,neural)

.venv-oracle/.made: pyproject.toml .venv-neural/.made
	$(call make_environment,.venv-oracle,.venv-neural,oracle)

# METEOR's synonyms come from Debian's WordNet. Without it that measure refuses, the demo leaves
# it out, and its tests are skipped.
.venv/.wordnet: .venv/.made
	@test -f /usr/share/wordnet/index.noun \
	  || { apt-get update -qq && apt-get install -y -qq wordnet-base; } >/dev/null 2>&1 \
	  || echo "Install Debian's package wordnet-base for METEOR's synonyms."
	@touch $@

# Reports are tested in a real browser, Debian's. Without it those tests are skipped.
.venv/.chromium: .venv/.made
	@command -v chromium >/dev/null \
	  || { apt-get update -qq && apt-get install -y -qq chromium; } >/dev/null 2>&1 \
	  || echo "Install Debian's package chromium to test reports in a browser."
	@touch $@

# Browser modules are tested in Debian's node. Without it those tests are skipped.
.venv/.node: .venv/.made
	@command -v node >/dev/null \
	  || { apt-get update -qq && apt-get install -y -qq nodejs; } >/dev/null 2>&1 \
	  || echo "Install Debian's package nodejs to test browser modules."
	@touch $@

# The types of browser modules are checked by Debian's compiler. Without it they are not.
.venv/.typescript: .venv/.made
	@command -v tsc >/dev/null \
	  || { apt-get update -qq && apt-get install -y -qq node-typescript; } >/dev/null 2>&1 \
	  || echo "Install Debian's package node-typescript to check the types of browser modules."
	@touch $@

# Spark is tested on a cluster of two on this machine. Without Java those tests are skipped.
.venv/.java: .venv/.made
	@command -v java >/dev/null \
	  || { apt-get update -qq && apt-get install -y -qq openjdk-17-jre-headless; } >/dev/null 2>&1 \
	  || echo "Install Debian's package openjdk-17-jre-headless to test Spark."
	@touch $@

# The judging app is tested on a real PostgreSQL, Debian's. Without it those tests are skipped.
.venv/.postgresql: .venv/.made
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 \
	  || { apt-get update -qq && apt-get install -y -qq postgresql; } >/dev/null 2>&1 \
	  || echo "Install Debian's package postgresql to test the judging app on it."
	@touch $@

# The judging app is tested behind a real proxy, Debian's nginx. Without it those tests are skipped.
.venv/.nginx: .venv/.made
	@PATH=$$PATH:/usr/sbin command -v nginx >/dev/null \
	  || { apt-get update -qq && apt-get install -y -qq nginx-light; } >/dev/null 2>&1 \
	  || echo "Install Debian's package nginx-light to test the judging app behind a proxy."
	@touch $@

# Tables by LibreOffice are read in tests. Without it those tests are skipped.
.venv/.libreoffice: .venv/.made
	@command -v soffice >/dev/null \
	  || { apt-get update -qq && apt-get install -y -qq --no-install-recommends libreoffice-calc; } \
	    >/dev/null 2>&1 \
	  || echo "Install Debian's package libreoffice-calc to test tables that it writes."
	@touch $@

clean:
	rm -rf .venv .venv-neural .venv-oracle .cache target dist site
