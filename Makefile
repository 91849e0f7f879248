# `make test` before sending a change; CI runs the same.

CARGO ?= cargo

.PHONY: test check fmt lint unit doc deny

test: fmt lint unit doc deny

check: fmt lint unit doc

fmt:
	$(CARGO) fmt --all --check

lint:
	$(CARGO) clippy --workspace --all-targets -- -D warnings

# Doc examples are tests too: `cargo test` runs both.
unit:
	$(CARGO) test --workspace

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

deny:
	@if $(CARGO) deny --version >/dev/null 2>&1; then \
		$(CARGO) deny check; \
	else \
		echo "cargo deny is not installed: licences and advisories were not checked"; \
	fi
