# `make demo` needs Rust, a linker and Python 3. If root runs it on Debian, it installs what is missing, but for Rust.
# tools/dev/setup lists what `make test` needs.
SHELL := /bin/bash
.DELETE_ON_ERROR:
CARGO ?= cargo

.PHONY: help check demo test test-stages test-build test-set-up test-rust deny test-c test-docs test-console lint rustdoc doc setup setup-c fmt generate generate-sources headers install uninstall dist fuzz test-fuzz mutants bench bench-short test-contract test-contract-full soak faults model stress test-full test-ureq test-generate test-databases test-intermediaries test-size test-targets test-windows test-packages release

# Lists the targets of this Makefile.
help:
	@awk '/^# / && !text { text = substr($$0, 3) } /^[a-z][a-z-]*:/ && text { sub(":.*", ""); printf "%-18s %s\n", $$0, text } !/^(#|[A-Z_]+ [?]?=)/ { text = "" }' Makefile
	@printf 'test-%-13s Tests the package for this language, and its build.\n' $(LANGUAGES)

# Shows whole payments, from creation to the end, in a sandbox. The first run builds the program.
demo: setup
	@echo "Building the program: a minute or two the first time."
	$(CARGO) build --locked --workspace --bin merchantpay
	PATH="$(TARGET)/debug:$$PATH" merchantpay sandbox --port 0 -- sh examples/demo.sh

# Each language has its requirements, tests and packages in its own folder, and the targets `test-<language>` and `test-<language>-full`.
LANGUAGES = $(patsubst bindings/%/tools/test,%,$(wildcard bindings/*/tools/test))
FULL_LANGUAGES = dotnet go python
PARTS = test-rust test-contract $(LANGUAGES:%=test-%) test-docs
.PHONY: $(LANGUAGES:%=test-%) $(FULL_LANGUAGES:%=test-%-full)
TARGET = $(abspath $(or $(CARGO_TARGET_DIR),target))
STAGE = +@tools/dev/stage $(patsubst test-%,%,$@)
# A stage, after the set-up of these parts.
PART = +@tools/dev/setup $(1) && tools/dev/stage $(patsubst test-%,%,$@)

# Runs the quick checks before a commit: format and lint of every language, rustdoc, stale generated files, imports, and the quick
# tests of core, C crate, journal and program.
check: lint rustdoc test-fuzz
	$(STAGE) $(CARGO) test --locked --quiet --workspace --lib --test vectors --test header --test current
	python3 tests/structure

# Tests the packages, and the code and the commands of README and docs/: ten minutes on two cores. Each stage prints its time and result.
#
# The workspace is built once, with one set of features, while the system's packages are installed. That build is also the program, the C
# library and Python's extension of the other stages. They often wait for a linker or a reply, so four run at a time, and the longest begin
# first. A stage prints its output when it ends. No stage has a prerequisite, because make would then begin that stage last. A `+` passes
# make's job server to cargo, so that all stages together build four things at a time.
#
# Incremental builds are off: each crate is built only once here, and cargo's files for an incremental build need time and two gigabytes.
test: export CARGO_INCREMENTAL = 0
test: setup-c
	+@tools/dev/stage test $(MAKE) --no-print-directory test-stages

test-stages:
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-build test-set-up
	@$(MAKE) --no-print-directory --jobs=4 --output-sync=target $(PARTS)

test-build:
	+@tools/dev/stage build tools/help/installed

test-set-up:
	@tools/dev/stage set-up tools/dev/setup rust $(LANGUAGES) contract docs

# Tests all crates of the workspace. Their tests mostly wait, so more of them run at a time than there are cores.
test-rust: export RUST_TEST_THREADS ?= 4
test-rust:
	$(call PART,rust) $(CARGO) test --locked --workspace --exclude merchantpay-c

# Tests the installed C library: compilers, sanitizers, valgrind, symbols. For its package alone cargo would build the dependencies again.
test-c:
	$(call PART,c) $(CARGO) test --locked --workspace $(patsubst tests/c/tests/%.rs,--test %,$(wildcard tests/c/tests/*.rs))

# Tests README and docs/: all code blocks with the programs of examples/, commands and links, and the files of docs/deploy.
test-docs:
	$(call PART,$(LANGUAGES) contract docs) python3 tests/docs

$(LANGUAGES:%=test-%): test-%:
	$(call PART,$*) bindings/$*/tools/test

# The longer tests of a language: other compilers and interpreters, and its package.
$(FULL_LANGUAGES:%=test-%-full): test-%-full:
	$(call PART,$*) bindings/$*/tools/test full

# Adds a request field and an error code to a copy of the sources, and tests that every language has both.
test-generate:
	@tools/dev/setup $(LANGUAGES) contract
	python3 tests/generate/fictitious.py

# Tests that all languages behave the same: the vectors, the scenarios and the journal's cases.
test-contract:
	$(call PART,c $(LANGUAGES) contract) tests/contract/run

# Repeats the cases of vectors/ and journal/: C and C++ with a sanitizer, Go with the race detector.
test-contract-full:
	$(call PART,c go contract) tests/contract/run --under asan --case vectors/ --case journal/
	$(STAGE) tests/contract/run --under race --case vectors/ --case journal/

# Tests the sandbox's console in a real headless Chromium.
test-console:
	$(call PART,console) tools/dev/test-console

# Tests the journal over PostgreSQL, pgbouncer in transaction mode and MariaDB, and shops in each language on them. The tests start the
# servers, and kill them, their connections and the journal's processes.
test-databases:
	@tools/dev/setup c $(LANGUAGES) contract databases
	$(CARGO) test --locked --package merchantpay-journal --features databases --test store
	SOAK_SECONDS=20 SOAK_PROCESSES=8 SOAK_LANGUAGES=rust,python $(CARGO) test --locked --package merchantpay-crash --features servers
	$(CARGO) run --locked --quiet --package merchantpay-crash --bin with-databases -- tests/contract/run --case journal/
	@for language in dotnet go php python; do bindings/$$language/tools/test databases || exit 1; done

# Tests payments through nginx, haproxy, squid and mitmproxy, also while the first two reload.
test-intermediaries:
	@tools/dev/setup intermediaries
	$(CARGO) test --locked --package merchantpay-crash --features intermediaries --test intermediaries

# Each of these programs tests the package of a language on another processor or system.
TARGET_TESTS = crates/merchantpay-capi/tools/test-target $(wildcard bindings/*/tools/test-target)
DIST = $(TARGET)/dist

# Packs the C library and the Python packages for other processors, and tests the packages by emulation: takes hours.
TARGETS ?= linux-x86_64 linux-aarch64 linux-armv7hf linux-x86_64-musl linux-aarch64-musl
test-targets: $(TARGETS:%=test-target-%)

# Installs every package by the commands of its page, and takes a payment with each package.
# The packages are: Rust's crates, the C library's archive and Debian packages, and the packages for C#, Go, PHP and Python.
test-packages:
	@tools/dev/setup dist windows packages
	tools/release/test-packages

# Packs the C library, the program and Python's wheel for Windows, checks their imports, and tests them with wine: takes an hour.
# There is no wheel for 32-bit Windows.
WINDOWS ?= windows-x86_64 windows-x86
test-windows: $(WINDOWS:%=test-target-%)

test-target-%:
	@tools/dev/setup $(if $(filter windows-%,$*),windows,dist) databases
	@tools/release/dist "$(DIST)" $*
	@for test in $(TARGET_TESTS); do $$test $* "$(DIST)" || exit 1; done

# Compares the speed of the library with hand-written code, and writes bench/RESULTS.md. Needs a machine without other load.
bench:
	@tools/dev/setup bench
	@tools/dev/bench

# Builds and runs all programs of the bench with small counts, and writes no file. Works on a machine with other load.
bench-short:
	@tools/dev/setup bench
	@tools/dev/bench --short

# Checks format and style of every language with its formatters and linters.
lint: setup
	@tools/dev/setup lint
	+@tools/dev/lint

rustdoc: setup
	$(STAGE) env RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps

# Builds the reference of every language in target/reference.
doc: setup
	@tools/dev/setup c python go
	tools/dev/doc

# Writes every generated file: the generated code of every language, the C headers, and the dump of the ABI.
# The tests fail if a generated file is stale. Review every change of the ABI.
generate: generate-sources headers
	@tools/dev/abi

generate-sources: setup
	$(CARGO) run --locked --quiet --package merchantpay-generate

# Writes the C headers, the symbol versions and the description of the C crate, and the files made from the description.
headers: generate-sources
	MERCHANTPAY_WRITE_HEADERS=1 $(CARGO) test --locked --workspace --test header
	$(CARGO) run --locked --quiet --package merchantpay-generate

# Runs each fuzz target for a minute, or for FUZZ_SECONDS.
fuzz: setup
	$(CARGO_TOOL) cargo-fuzz@0.13.2
	@tools/dev/fuzz $(FUZZ_SECONDS)

# Checks that every fuzz target compiles.
test-fuzz:
	$(call PART,c) env -C crates/merchantpay-capi/fuzz RUSTFLAGS='--cfg fuzzing' $(CARGO) check --locked --bins --target-dir "$(TARGET)/fuzz-check"

# Checks that the tests of core and journal fail if the code is changed (mutants): takes hours, and skips what has passed at this commit.
# MUTANTS='core 1/4' runs the second quarter of the part core.
mutants: setup
	@tools/dev/setup python
	$(CARGO_TOOL) --debug cargo-mutants@27.1.0
	@tools/dev/mutants $(MUTANTS)

# Makes payments in a journal for three minutes, or SOAK_SECONDS, by processes in several languages that are killed at random.
# Meanwhile replies are spoiled or lost, and webhooks arrive twice and out of order. SOAK_STORE=postgresql, pgbouncer or mariadb
# selects a database: then connections are cut too, and the server is killed and restarted. `make test` and `make test-databases`
# have short versions. SOAK_LANGUAGES=rust,python,php,go names languages with an adapter in tests/contract.
SOAK_SECONDS ?= 180
SOAK_STORE ?= sqlite
SOAK_PROCESSES ?= 16
SOAK_LANGUAGES ?= rust,python
soak:
	@tools/dev/setup contract databases
	INSTALLED=$$(tools/help/installed) SOAK_SECONDS=$(SOAK_SECONDS) SOAK_PROCESSES=$(SOAK_PROCESSES) SOAK_LANGUAGES=$(SOAK_LANGUAGES) \
	    $(CARGO) test --locked --package merchantpay-crash --features servers --test crash -- "$(SOAK_STORE): soak"

# Makes a fault at each byte of an exchange: takes minutes. `make test` makes only a sample of these faults.
faults: setup
	FAULTS=1/1 $(CARGO) test --locked --package merchantpay-faults --test faults

# Makes calls by threads that share connections, while servers close connections at random: ten minutes, or STRESS_SECONDS.
# `make test` does this for three seconds.
STRESS_SECONDS ?= 600
stress: setup
	MERCHANTPAY_STRESS_SECONDS=$(STRESS_SECONDS) $(CARGO) test --locked --package merchantpay --test protocol stress -- --nocapture

# Runs the core's tests with the newest ureq that its Cargo.toml allows, which a merchant's Rust program may have.
test-ureq: setup
	@kept=$$(mktemp) && cp Cargo.lock "$$kept" && trap 'cp "$$kept" Cargo.lock; rm "$$kept"' EXIT \
	    && $(CARGO) update --package ureq && $(CARGO) test --package merchantpay --test protocol

FULL_PARTS = test-c test-contract-full $(FULL_LANGUAGES:%=test-%-full) test-console deny doc test-ureq test-generate model stress fuzz test-size test-databases test-intermediaries $(TARGETS:%=test-target-%) $(WINDOWS:%=test-target-%) test-packages faults soak mutants

# Runs longer tests than `make test`: takes hours.
# A run skips the parts that have passed at this commit, so several runs can complete the tests.
test-full: setup
	@status=0; \
	for part in $(FULL_PARTS); do \
	    tools/dev/stage --resume $$part $(MAKE) --no-print-directory $$part || status=1; \
	done; \
	exit $$status

# Searches the large scenarios of the journal's model: takes half an hour. `make test` searches the small scenarios.
model: setup
	MERCHANTPAY_FULL_MODEL=1 $(CARGO) test --locked --package merchantpay-journal --test model everything_at_once

PREFIX ?= /usr/local
LIBDIR ?= lib
INCLUDEDIR ?= include
export PREFIX DESTDIR LIBDIR INCLUDEDIR
# Installs the C library: make install PREFIX=/usr/local [DESTDIR=…] [LIBDIR=lib] [INCLUDEDIR=include].
# Without cargo, which is often missing under sudo, it installs the earlier build.
install:
	@! command -v $(CARGO) >/dev/null || tools/dev/setup
	@tools/release/install "$$PREFIX" "$$DESTDIR" "$$LIBDIR" "$$INCLUDEDIR"

uninstall:
	@tools/release/install --uninstall "$$PREFIX" "$$DESTDIR" "$$LIBDIR" "$$INCLUDEDIR"

# Packs the files of `make install` into an archive in dist/. The files work in any folder.
dist:
	@tools/release/archive

# Checks the size of the shared library: whole, without databases, and without the journal: takes minutes.
test-size: setup-c
	tools/dev/test-size

# Makes all files of a release in dist/, from the committed sources: takes one to two hours. See docs/releasing.md.
release: setup
	@tools/dev/setup dist windows packages
	@tools/release/release

# Checks licences, duplicates and sources of the dependencies. GitHub runs this and `make check` on each push.
deny: setup
	$(CARGO_TOOL) --debug --no-default-features cargo-deny@0.20.2
	"$(TARGET)/tools/bin/cargo-deny" --locked --log-level warn check licenses bans sources

# Installs a program of an exact version into the target folder; cargo does nothing if it is there. What runs for seconds, or only starts others,
# is built without optimization.
CARGO_TOOL = @env -u CARGO_TARGET_DIR CARGO_PROFILE_DEV_DEBUG=0 $(CARGO) install --locked --quiet --root "$(TARGET)/tools"

# Formats all sources as `make lint` requires.
fmt: setup
	@tools/dev/setup lint
	@tools/dev/lint --format

# Lists the missing requirements of the build, or installs them if root runs this. Shows how to add the hook for commit subjects.
setup:
	@tools/dev/setup
	@$(if $(filter setup,$(MAKECMDGOALS)),git config core.hooksPath >/dev/null || echo "To check each commit's subject: git config core.hooksPath tools/dev/hooks")

setup-c:
	@tools/dev/setup c
