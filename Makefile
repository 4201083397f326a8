# `make demo` needs only Rust and a linker, which it installs as root (Debian's build-essential). `make test`
# needs what tools/dev/setup lists.
SHELL := /bin/bash
.DELETE_ON_ERROR:
CARGO ?= cargo

.PHONY: help check demo test test-stages test-build test-set-up test-rust deny test-c test-aarch64 test-docs test-console lint doc setup setup-c fmt generate generate-sources headers install uninstall dist size fuzz differential mutants bench test-contract soak soak-journal soak-languages day faults model stress test-full test-generate test-databases test-size test-targets test-windows test-packages release

# What there is to make.
help:
	@awk '/^# / && !text { text = substr($$0, 3) } /^[a-z][a-z-]*:/ && text { sub(":.*", ""); printf "%-18s %s\n", $$0, text } !/^(#|[A-Z_]+ [?]?=)/ { text = "" }' Makefile
	@printf 'test-%-13s The tests of the package for this language, and of how it is built.\n' $(LANGUAGES)

# Takes payments through their whole life against a sandbox of its own; the first time it builds the program, which cargo shows.
demo: setup
	@echo "Building the program: a minute or two the first time."
	$(CARGO) run --locked --package merchantpay-cli -- demo

CHECKED = --package merchantpay --package merchantpay-capi --package merchantpay-journal --package merchantpay-cli --package merchantpay-structure --package merchantpay-generate

# The quick loop: format, lint, stale generated files, and the quick tests of core, C crate, journal and program, without host tools.
check: setup
	@$(CARGO) fmt --all --check || { echo "not formatted: run cargo fmt --all" >&2; exit 1; }
	$(CARGO) clippy --locked $(CHECKED) --all-targets -- -D warnings
	$(CARGO) test --locked --quiet $(CHECKED) --lib --test vectors --test header --test circles --test commits --test layers --test limits --test pages --test tools --test stage --test security --test current

# Each language has its set-up, tests and packages in its own folder, and its own `make test-<language>`.
LANGUAGES = $(patsubst bindings/%/tools/test,%,$(wildcard bindings/*/tools/test))
PARTS = test-rust test-c test-contract $(LANGUAGES:%=test-%) test-aarch64 test-docs doc test-console
.PHONY: $(LANGUAGES:%=test-%)
TARGET = $(abspath $(or $(CARGO_TARGET_DIR),target))
STAGE = +@tools/dev/stage $(patsubst test-%,%,$@)

# Everything that README and docs/ claim, cold in about 25 minutes on two cores. The times of its stages are listed at the end.
#
# The lint comes first because it is quickest; everything shares one target folder. The workspace's own tests are built while the packages
# of the system come, because two installations cannot run at a time. Its tests and what follows wait a good deal, for a linker or for
# replies, so four parts of it run at a time; each prints when it ends. The longest parts begin first; none has a prerequisite, because
# make would then begin it last. A `+` gives cargo make's own jobs, so that the parts together build four things at a time.
#
# What cargo keeps to build a changed crate quickly costs time and two gigabytes, and here each crate is built once.
test: export CARGO_INCREMENTAL = 0
test: setup-c
	@tools/dev/stage --begin
	@$(MAKE) --no-print-directory test-stages; status=$$?; tools/dev/stage --summary; exit $$status

WORKSPACE = --locked --workspace --exclude merchantpay-capi-host

test-stages:
	@tools/dev/stage lint $(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-build test-set-up
	@$(MAKE) --no-print-directory --jobs=4 --output-sync=target $(PARTS)

test-build:
	+@tools/dev/stage build $(CARGO) test --no-run $(WORKSPACE)

test-set-up:
	@tools/dev/stage set-up tools/dev/setup $(LANGUAGES) contract console docs aarch64

# The workspace's own tests.
test-rust:
	$(STAGE) $(CARGO) test $(WORKSPACE)

# The installed C library: compilers, sanitizers, valgrind, symbols.
test-c:
	@tools/dev/setup c
	$(STAGE) crates/merchantpay-capi/tools/test

# The C test program for another processor, against what is packed for linux-aarch64, by emulation. Without the optimization at link time,
# which takes longer than the test; `make test-targets` has it.
test-aarch64: export CARGO_PROFILE_RELEASE_LTO = off
test-aarch64: export CARGO_PROFILE_RELEASE_CODEGEN_UNITS = 16
test-aarch64:
	@tools/dev/setup aarch64
	$(STAGE) crates/merchantpay-capi/tools/test-target --quick linux-aarch64

# README and docs/: each block of code and each command, the links, and the files of docs/deploy.
test-docs:
	@tools/dev/setup docs
	$(STAGE) tools/dev/test-docs

$(LANGUAGES:%=test-%): test-%:
	@tools/dev/setup $*
	$(STAGE) bindings/$*/tools/test

# What a new request field and a new code cost, and that every language has them: in a copy of the sources.
test-generate:
	@tools/dev/setup $(LANGUAGES) contract
	python3 tests/generate/fictitious.py

# The vectors, the scenarios and the cases of the journal through the adapter of each language, and the
# programs of examples/.
#
# Then the cases without a waiting server again: C and C++ under a sanitizer, Go under the race detector. These use the library and the
# program that the first run has built, because a second build by cargo would wait for the first.
BUILT = INSTALLED="$(TARGET)/contract/installed" MERCHANTPAY_PROGRAM="$(TARGET)/built/merchantpay"
test-contract:
	@tools/dev/setup c $(LANGUAGES) contract
	$(STAGE) tests/contract/run
	+@tools/dev/stage contract-asan env $(BUILT) tests/contract/run --under asan --case vectors/ --case journal/
	+@tools/dev/stage contract-race env $(BUILT) tests/contract/run --under race --case vectors/ --case journal/

# The sandbox's console, in a real headless Chromium.
test-console:
	@tools/dev/setup console
	$(STAGE) tools/dev/test-console

# The journal over PostgreSQL, pgbouncer in transaction mode and MariaDB, which the tests start by themselves.
test-databases:
	@tools/dev/setup c $(LANGUAGES) contract databases
	$(CARGO) test --locked --package merchantpay-databases --features servers
	$(CARGO) run --locked --quiet --package merchantpay-databases --bin with-databases -- tests/contract/run --case journal/
	$(CARGO) test --locked --package merchantpay-soak --features servers --test databases
	@for language in $(LANGUAGES); do bindings/$$language/tools/test databases || exit 1; done

# The programs with a language's tests of the packages for another processor or system.
TARGET_TESTS = crates/merchantpay-capi/tools/test-target $(wildcard bindings/*/tools/test-target)
DIST = $(TARGET)/dist

# The C library and the Python packages for other processors, packed, and tried from what is unpacked, by emulation: hours.
TARGETS ?= linux-x86_64 linux-aarch64 linux-armv7hf linux-x86_64-musl linux-aarch64-musl
test-targets: $(TARGETS:%=test-target-%)

# Every package of docs/install.md (archive, Debian, Go, Composer, crates), installed by its commands, and a payment by each.
test-packages:
	@tools/dev/setup dist windows packages
	tools/release/test-packages

# The C library, the program and Python's wheel for Windows: packed, their imports checked, and tested under
# wine: an hour. There is no 32-bit wheel.
WINDOWS ?= windows-x86_64 windows-x86
test-windows: $(WINDOWS:%=test-target-%)

test-target-%:
	@tools/dev/setup $(if $(filter windows-%,$*),windows,dist)
	@tools/release/dist --to "$(DIST)" $*
	@for test in $(TARGET_TESTS); do $$test $* "$(DIST)" || exit 1; done

# Measures the library against hand-written code; writes bench/RESULTS.md. Needs a machine that does nothing else.
bench:
	@tools/dev/setup bench
	@tools/dev/bench

# Format and style of every language, with the formatters and linters of each.
lint: setup
	@tools/dev/setup lint
	+@tools/dev/lint
	tools/dev/words

doc: setup
	$(STAGE) env RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps

# Writes every generated file: the other languages' parts of the definition, the C headers, and the dump of the ABI.
# The tests fail if a file is stale. Review the changes of the ABI.
generate: generate-sources headers
	@tools/dev/abi

generate-sources: setup
	$(CARGO) run --locked --quiet --package merchantpay-generate

# The C headers, the symbol versions and the description from the C crate, and the files that are rendered from the description.
headers: generate-sources
	MERCHANTPAY_WRITE_HEADERS=1 $(CARGO) test --locked $(CHECKED) --test header
	$(CARGO) run --locked --quiet --package merchantpay-generate

# A minute for each target, or FUZZ_SECONDS.
fuzz: setup
	@tools/dev/fuzz $(FUZZ_SECONDS)

# Compares the two ways to verify a signature, DIFFERENTIAL_CASES times (ten million).
DIFFERENTIAL_CASES ?= 10000000
differential: setup
	$(CARGO) run --locked --release --package merchantpay --example differential -- $(DIFFERENTIAL_CASES)

# Checks that the tests of core and journal notice changes of the code: hours the first time.
# MUTANTS='core 1/4' for the second quarter of a part.
mutants: setup
	@tools/dev/setup python
	@tools/dev/mutants $(MUTANTS)

# 200 000 payments, or SOAK_PAYMENTS, while replies are lost: minutes. `make test` has a short one.
soak: setup
	$(CARGO) run --locked --quiet --package merchantpay-soak -- $(SOAK_PAYMENTS)

# 10 000 payments in the journal, or JOURNAL_PAYMENTS, by eight processes that are killed at random. Meanwhile
# replies are lost and callbacks come twice and out of order: minutes. `make test` has a short one.
# JOURNAL_STORE=postgresql, pgbouncer or mariadb uses a database, with half of the processes in C; `make
# test-databases` has short ones.
JOURNAL_PAYMENTS ?= 10000
JOURNAL_STORE ?= sqlite
SOAK_SERVERS = $(CARGO) run --locked --quiet --package merchantpay-soak --features servers --
soak-journal: setup
ifeq ($(JOURNAL_STORE),sqlite)
	$(CARGO) run --locked --quiet --package merchantpay-soak -- journal $(JOURNAL_PAYMENTS)
else
	@tools/dev/setup c databases
	$(SOAK_SERVERS) journal $(JOURNAL_PAYMENTS) $(JOURNAL_STORE) --languages rust,c
endif

# The same in PostgreSQL by processes in Rust, Python, PHP and Go: 1000 payments, or LANGUAGES_PAYMENTS. `make test-databases` has a
# short one.
LANGUAGES_PAYMENTS ?= 1000
soak-languages:
	@tools/dev/setup python php go databases
	$(SOAK_SERVERS) journal $(LANGUAGES_PAYMENTS) postgresql --languages rust,python,php,go

# A day of a journal in PostgreSQL: 50 000 payments, or DAY_PAYMENTS, by processes in these languages, with two settle services, kills, a
# pause, a restore from an old backup and a purge; then every difference has to be explained. `make test-databases` has a short one.
DAY_PAYMENTS ?= 50000
day:
	@tools/dev/setup python php go databases
	$(SOAK_SERVERS) day $(DAY_PAYMENTS)

# A fault at each byte of an exchange, in shards one after the other: minutes. SHARD=5 goes on from the fifth. `make test` has a sample.
FAULT_SHARDS ?= 8
SHARD ?= 1
faults: setup
	@for shard in $$(seq $(SHARD) $(FAULT_SHARDS)); do \
	    echo "shard $$shard of $(FAULT_SHARDS)"; \
	    $(CARGO) run --locked --quiet --package merchantpay-faults -- --shard $$shard/$(FAULT_SHARDS) \
	        || { echo "again from here: make faults SHARD=$$shard" >&2; exit 1; }; \
	done

# Threads share connections while servers end them at random: ten minutes, or STRESS_SECONDS. Then a million mutated messages are
# explained, or MUTATIONS. `make test` has three seconds and 20 000 messages of it.
STRESS_SECONDS ?= 600
MUTATIONS ?= 1000000
stress: setup
	MERCHANTPAY_STRESS_SECONDS=$(STRESS_SECONDS) $(CARGO) test --locked --package merchantpay --test protocol stress -- --nocapture
	MERCHANTPAY_MUTATIONS=$(MUTATIONS) $(CARGO) test --locked --package merchantpay --lib explain::mutations -- --nocapture

FULL_PARTS = deny test-generate model stress test-size test-databases $(TARGETS:%=test-target-%) $(WINDOWS:%=test-target-%) test-packages faults soak soak-journal soak-languages day mutants

# Longer tests than those of `make test`: hours. A part that has passed at this commit is skipped, so that several runs can complete it.
# The times of its parts are listed at the end.
test-full: setup
	@tools/dev/stage --resume --begin
	@status=0; \
	for part in $(FULL_PARTS); do \
	    tools/dev/stage --resume $$part $(MAKE) --no-print-directory $$part || status=1; \
	done; \
	tools/dev/stage --resume --summary; exit $$status

# Every guard of the journal's model, and all that the model walks through at once: minutes.
model: setup
	MERCHANTPAY_FULL_MODEL=1 $(CARGO) test --locked --package merchantpay-journal --test model everything_at_once

PREFIX ?= /usr/local
LIBDIR ?= lib
INCLUDEDIR ?= include
export PREFIX DESTDIR LIBDIR INCLUDEDIR
# Puts the C library in place: make install PREFIX=/usr/local [DESTDIR=…] [LIBDIR=lib] [INCLUDEDIR=include].
# Without cargo, as often under sudo, it installs the earlier build.
install:
	@! command -v $(CARGO) >/dev/null || tools/dev/setup
	@tools/release/install "$$PREFIX" "$$DESTDIR" "$$LIBDIR" "$$INCLUDEDIR"

uninstall:
	@tools/release/install --uninstall "$$PREFIX" "$$DESTDIR" "$$LIBDIR" "$$INCLUDEDIR"

# Makes the same files as an archive in dist/, which can be unpacked anywhere.
dist:
	@tools/release/archive

# The sizes of the shared library with and without the journal, and their limits: minutes.
test-size: setup-c
	tools/dev/test-size

# Makes all published files, in dist/, from the committed sources: an hour. See docs/releasing.md.
release: setup
	@tools/dev/setup dist windows packages
	@tools/release/release

# The parts of the shared library, by size.
size:
	@tools/dev/size

# Checks licences, duplicates and sources of the dependencies. The forge runs this and `make check` on each push.
deny: setup
	tools/dev/deny

# Writes the format that `make lint` checks.
fmt: setup
	@tools/dev/setup lint
	@tools/dev/lint --format

# Installs or lists the requirements of the build, and offers the hook that checks a commit's subject.
setup:
	@tools/dev/setup
	@$(if $(filter setup,$(MAKECMDGOALS)),git config core.hooksPath >/dev/null || echo "To check each commit's subject: git config core.hooksPath tools/dev/hooks")

setup-c:
	@tools/dev/setup c
