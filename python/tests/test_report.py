"""The page of a model."""

import json
import re

import numpy as np
import pytest
import svtd

THEMES = ("ship harbour sailor captain", "farm wheat cattle barn", "bank money loan credit")


@pytest.fixture(scope="module")
def texts():
    """Ninety texts about one of three themes each."""
    words = [theme.split() for theme in THEMES]
    return [
        "The " + " ".join(words[i % 3][(i * 5 + j * j + j) % 4] for j in range(12)) + "."
        for i in range(90)
    ]


@pytest.fixture(scope="module")
def model(texts):
    return svtd.SingleTopic(n_components=3).fit(texts)


def data(html):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.S)
    return json.loads(found.group(1))


def test_a_page_shows_documents_times_and_labels(model, texts, tmp_path):
    years = np.arange(90) % 30 + 1900
    labels = ["sea", "farm", "bank"] * 30
    page = model.report(texts, tmp_path / "page.html", time=years, labels=labels)
    written = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert written == page.html and page.path == str(tmp_path / "page.html")
    assert "Over time" in written and "By label" in written
    shown = data(written)
    assert len(shown["docs"]) == 90
    assert shown["docs"][4]["l"] == "farm" and shown["docs"][4]["t"] == "1904"
    assert shown["docs"][4]["x"]["t"] == texts[4]
    assert shown["topics"][0]["ex"][0]["p"]["k"], "words are marked in the passage"


def test_the_same_page_again_and_for_any_number_of_threads(model, texts):
    pages = {model.report(texts).html for _ in range(2)}
    model.set_params(n_jobs=1)
    pages.add(re.sub("n_jobs=1", "", model.report(texts).html))
    model.set_params(n_jobs=None)
    assert len({re.sub(r"SingleTopic\([^)]*\)", "", page) for page in pages}) == 1


def test_a_notebook_shows_the_page_in_a_frame_that_may_do_nothing_else(model, texts):
    shown = model.report(texts)._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts allow-downloads"')
    assert shown.count("<") == 2, "the page is escaped as a whole"
    assert "written" not in repr(model.report(texts))


def test_counts_with_texts_beside_them_names_and_dates(tmp_path):
    pandas = pytest.importorskip("pandas")
    drawn = svtd.generate(n_samples=60, n_features=20, n_components=2, random_state=1)
    frame = pandas.DataFrame(drawn.X.toarray(), index=[f"d{i}" for i in range(60)])
    frame.columns = [f"word{i}" for i in range(20)]
    model = svtd.SingleTopic(n_components=2).fit(frame)
    dates = pandas.date_range("2020-01-01", periods=60, freq="D")
    page = model.report(frame, time=dates, documents=["word1 word2 word3"] * 60)
    shown = data(page.html)
    assert shown["docs"][1]["n"] == "d1" and shown["docs"][1]["t"] == "2020-01-02"
    assert shown["docs"][1]["x"]["t"] == "word1 word2 word3"
    assert "those the model was fitted on" in page.html


def test_a_page_of_the_model_alone_and_with_a_sweep(model, texts):
    assert "docs" in data(model.report().html)
    swept = svtd.sweep(texts, range(1, 5), model="single-topic")
    assert "Worth a look" in model.report(sweep=swept).html


def test_names_are_kept(model, tmp_path):
    assert model.topic_names_ == [None, None, None]
    model.name_topics(["sea </script>", None, ""])
    assert model.topic_names_ == ["sea </script>", None, None]
    assert model.topic_info_["name"][0] == "sea </script>"
    assert model.topic_info_["name"][1].startswith("1_")
    model.save(tmp_path / "m.svtd")
    assert svtd.load(tmp_path / "m.svtd").topic_names_[0] == "sea </script>"
    html = model.report().html
    assert "sea </script>" not in html and "sea &lt;/script&gt;" in html
    with pytest.raises(ValueError, match="one for each of 3 topics"):
        model.name_topics(["one"])
    model.name_topics([None, None, None])


def test_what_does_not_fit_is_refused_in_a_sentence(model, texts, tmp_path):
    with pytest.raises(ValueError, match="time has 2 entries for 90 documents"):
        model.report(texts, time=[1, 2])
    with pytest.raises(ValueError, match="belong to rows of X"):
        model.report(labels=["a"])
    (tmp_path / "there.html").write_text("mine")
    with pytest.raises(OSError, match="exists"):
        model.report(texts, tmp_path / "there.html", overwrite=False)
    assert (tmp_path / "there.html").read_text() == "mine"
