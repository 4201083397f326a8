# `make demo` needs nothing but Rust (and root, or Debian's build-essential, for the linker); `make test` needs compilers for C and
# C++, valgrind and libmicrohttpd too, which it installs as root.
SHELL := /bin/bash
.DELETE_ON_ERROR:
CARGO ?= cargo

.PHONY: demo test lint doc setup fmt headers install fuzz

demo: setup
	$(CARGO) run --locked --quiet --package merchantpay-cli -- demo

# The lint comes first because it is quickest; everything shares one target folder.
test: setup-test lint
	$(CARGO) test --locked --workspace
	$(MAKE) --no-print-directory doc

lint: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings

doc: setup
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps

# Writes include/merchantpay.h and merchantpay.ffi.h from the crate. The tests fail if they are not current.
headers:
	MERCHANTPAY_WRITE_HEADERS=1 $(CARGO) test --locked --package merchantpay-capi --test header

# A minute for each target, or FUZZ_SECONDS.
fuzz: setup
	@scripts/fuzz $(FUZZ_SECONDS)

# make install PREFIX=/usr/local [DESTDIR=…]
PREFIX ?= /usr/local
install:
	@scripts/install '$(PREFIX)' '$(DESTDIR)'

fmt:
	$(CARGO) fmt --all

setup:
	@scripts/setup

.PHONY: setup-test
setup-test:
	@scripts/setup test
