# `make test` before sending a change; CI runs the same.

CARGO ?= cargo

.PHONY: test check fmt lint unit doc python browser wheel deny

test: fmt lint unit doc python browser deny

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

deny:
	@if $(CARGO) deny --version >/dev/null 2>&1; then \
		$(CARGO) deny check; \
	else \
		echo "cargo deny is not installed: licences and advisories were not checked"; \
	fi
