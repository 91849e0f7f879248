"""Only NumPy and SciPy are required."""

import subprocess
import sys

PROGRAM = """
import sys

for missing in ("sklearn", "pandas", "polars", "pyarrow"):
    sys.modules[missing] = None
import numpy as np
import svtd

X = svtd.generate("lda", n_samples=500, n_features=30, n_components=3).X
for model in (svtd.LDA(3), svtd.SingleTopic(3)):
    mixtures = model.fit_transform(X)
    assert (mixtures == model.fit(X).transform(X)).all()
    assert (mixtures == model.transform(X.toarray())).all()
    assert list(model.get_feature_names_out())[2].endswith("2")
    assert model.get_params()["n_components"] == 3
    assert repr(model).endswith("(n_components=3)"), repr(model)
    model.set_params(n_components=2).fit(X)
    assert model.perplexity(X) < 30
    assert "<table>" in model._repr_html_()
for wrong, sentence in [
    (lambda: svtd.LDA(3).transform(X), "not fitted yet"),
    (lambda: model.transform(X[:, :5]), "5 features"),
    (lambda: model.fit(X.toarray()[0]), "2D"),
    (lambda: model.fit(X * 0.5), "tf-idf"),
    (lambda: model.set_params(tau=3), "Invalid parameter"),
]:
    try:
        wrong()
    except ValueError as error:
        assert sentence in str(error), error
    else:
        raise AssertionError(sentence)
for needs in (lambda: model.topic_info_, lambda: model.to_sklearn()):
    try:
        needs()
    except ImportError as error:
        assert "pip install" in str(error)
    else:
        raise AssertionError
print("done")
"""


def test_everything_but_tables_works_without_scikit_learn():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.stdout == "done\n", done.stderr
