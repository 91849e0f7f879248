#!/usr/bin/env bash
# Opens the pages of svtd report in a real browser: Debian's chromium or any other Chromium.
#
# Without Node or a browser the tests are skipped and one line says so, unless SVTD_BROWSER is
# "required", as it is in CI. CHROMIUM names the browser; SVTD_SCREENSHOTS a folder to keep pictures in.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)"
tests="$root/crates/svtd-report/tests/browser"

missing() {
    if [[ ${SVTD_BROWSER:-} == required ]]; then
        echo "the browser tests need $1" >&2
        exit 1
    fi
    echo "$1 is not installed: the pages were not opened in a browser"
    exit 0
}

command -v node >/dev/null || missing node
command -v npm >/dev/null || missing npm
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[[ -n $chromium ]] || missing chromium

# The exact versions of package-lock.json, once.
if ! cmp --silent "$tests/package-lock.json" "$tests/node_modules/installed-lock.json"; then
    (cd "$tests" && npm ci --silent --no-audit --no-fund)
    cp "$tests/package-lock.json" "$tests/node_modules/installed-lock.json"
fi

target=${CARGO_TARGET_DIR:-$root/target}
export CHROMIUM=$chromium SVTD_PROGRAM=${SVTD_PROGRAM:-$target/debug/svtd}
cd "$tests"
node --test "$@"
