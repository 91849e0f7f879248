#!/usr/bin/env bash
# The Python tests: makes the environments it needs, then runs everything with the current
# scikit-learn, the contract with one two releases older, and single cells and engines with peers that
# want an older pandas.
#
# The compiled module is the one that Cargo built for the workspace (`make python` calls this
# after building), so that nothing is compiled twice; `make wheel` tries the real package.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=${PYTHON:-python3}
target=${CARGO_TARGET_DIR:-target}

if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "the Python tests need Python 3.11 or newer with its venv module, and $python is not it;" >&2
    echo "install python3 and python3-venv, or name another interpreter: make test PYTHON=python3.12" >&2
    exit 1
fi

# environment FOLDER REQUIREMENTS: makes it, or leaves it if the requirements have not changed.
environment() {
    local folder=$1 requirements=$2
    if ! cmp --silent "$requirements" "$folder/requirements.txt"; then
        rm -rf "$folder"
        "$python" -m venv "$folder"
        "$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements"
        cp "$requirements" "$folder/requirements.txt"
    fi
}

environment python/.venv python/requirements-test.txt
environment python/.venv-older python/requirements-older.txt
environment python/.venv-cells python/requirements-cells.txt
environment python/.venv-engines python/requirements-engines.txt

for module in "$target"/debug/lib_svtd.{so,dylib}; do
    if [[ -f $module ]]; then
        cp "$module" python/svtd/_svtd.abi3.so
    fi
done
export PYTHONPATH=$PWD/python SVTD_PROGRAM=$target/debug/svtd

python/.venv/bin/python -m pytest "$@"
python/.venv-older/bin/python -m pytest python/tests/test_sklearn_contract.py
python/.venv-cells/bin/python -m pytest python/tests/test_cells.py
python/.venv-engines/bin/python -m pytest python/tests/test_engines.py python/tests/test_engines_sweep.py
