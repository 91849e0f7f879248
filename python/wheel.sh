#!/usr/bin/env bash
# Builds the source distribution and installs it where nothing else is installed, as a stranger
# would: from a clean checkout, with the release profile. Takes minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=${PYTHON:-python3}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

git archive HEAD | tar -x -C "$(mkdir -p "$place/checkout" && echo "$place/checkout")"
"$python" -m venv "$place/build"
"$place/build/bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.9,<2'
(cd "$place/checkout" && "$place/build/bin/maturin" sdist --out "$place/dist")

"$python" -m venv "$place/user"
unset PYTHONPATH
"$place/user/bin/pip" install --quiet --disable-pip-version-check "$place"/dist/svtd-*.tar.gz
cd "$place"
"$place/user/bin/python" - <<'PYTHON'
import svtd

X = svtd.generate("lda", n_samples=500, n_features=30, n_components=3).X
model = svtd.LDA(3).fit(X)
print("svtd", svtd.__version__, "from its source distribution; topics:", model.top_words(3))
PYTHON
