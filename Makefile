# `make test` before sending a change; CI runs the same.

CARGO ?= cargo

.PHONY: test check fmt lint unit doc python browser wheel deny fuzz fuzz-short

test: fmt lint unit doc python browser deny fuzz-short

check: fmt lint unit doc python browser

fmt:
	$(CARGO) fmt --all --check

lint:
	$(CARGO) clippy --workspace --all-targets -- -D warnings

# Doc examples are tests too: `cargo test` runs both.
unit:
	$(CARGO) test --workspace

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

# With the tests, so that dependencies have the features they have in `unit` and are not built again.
python:
	$(CARGO) build --workspace --lib --bins --tests
	python/test.sh

# The pages of `svtd report` in a real browser, with the program that `python` built.
browser:
	crates/svtd-report/tests/browser.sh

# The package as it would be published: a source distribution, built in an environment of its own.
wheel:
	python/wheel.sh

# Licences, sources and, where their database can be had, advisories.
deny:
	tools/deny.py

# Mutated seeds through every reader, and odd corpora through whole fits: a minute in all.
# The program is the one that `python` built: with other features all dependencies would be built again.
fuzz-short:
	$(CARGO) build --workspace --lib --bins --tests
	$${CARGO_TARGET_DIR:-target}/debug/svtd-fuzz --seconds 60

# The same for as long as one likes; findings are kept in fuzz-findings/.
FUZZ_SECONDS ?= 3600
FUZZ_SEED ?= 1
fuzz:
	$(CARGO) run --release -p svtd-fuzz -- --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)
