"""Ctrl-C ends long work, and the work really ends.

The promise is half a second. `benches/python_costs.py` measures it; here a busy machine is given ten times as long,
which is still far less than any of this work takes.
"""

import os
import signal
import threading
import time

import pytest
import scipy.sparse as sp
import svtd

PATIENCE = 5.0
"""Seconds."""


@pytest.fixture(autouse=True)
def ctrl_c_is_heard():
    """A shell that starts the tests in the background has them ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def long_corpus():
    """A fit of it takes far longer than the test waits."""
    return svtd.generate(
        "lda", n_samples=30000, n_features=3000, n_components=20, lengths=(50, 150), random_state=0
    ).X


def assert_interrupted(work, after):
    """Ctrl-C so many seconds from now ends the work."""
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    assert time.monotonic() - sent[0] < PATIENCE


@pytest.mark.parametrize("after", [0.1, 1.0, 2.5])
@pytest.mark.parametrize("cls", [svtd.LDA, svtd.SingleTopic])
def test_an_interrupted_fit_raises_soon(cls, after, long_corpus):
    assert_interrupted(lambda: cls(60, polish=200).fit(long_corpus), after)


def test_an_interrupted_transform_raises_soon(long_corpus):
    model = svtd.LDA(60, trust=False, polish="none").fit(long_corpus[:5000])
    many = sp.vstack([long_corpus] * 5).tocsr()
    assert_interrupted(lambda: model.transform(many), 0.5)


def assert_idle_soon():
    """Some fifth of a second passes with next to no processor time before patience ends."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        before = time.process_time()
        time.sleep(0.2)
        if time.process_time() - before < 0.02:
            return
    pytest.fail("nobody waits, and yet it works on")


@pytest.fixture(scope="module")
def two_wide_models():
    """Models so wide that comparing their topics takes seconds."""
    X = svtd.generate(n_samples=3000, n_features=100_000, n_components=60, lengths=(80, 120)).X
    return [svtd.SingleTopic(60, trust=False, polish="none", allow_fewer=True).fit(part) for part in (X[:1500], X[1500:])]


LONG_WORK = {
    "generate": lambda X, model, two: svtd.generate(n_samples=5_000_000, n_features=5000),
    "score": lambda X, model, two: model.score(sp.vstack([X] * 5).tocsr()),
    "sweep": lambda X, model, two: svtd.sweep(X, range(2, 60)),
    "check": lambda X, model, two: [svtd.check(X) for _ in range(20)],
    "diff": lambda X, model, two: [svtd.diff(*two) for _ in range(50)],
    "fit": lambda X, model, two: svtd.LDA(60).fit(X),
}


@pytest.mark.parametrize("name", LONG_WORK)
def test_interrupted_work_ends_with_the_answer(name, long_corpus, two_wide_models):
    model = svtd.LDA(30, trust=False, polish="none").fit(long_corpus[:3000])
    assert_interrupted(lambda: LONG_WORK[name](long_corpus, model, two_wide_models), 1.0)
    assert_idle_soon()


def test_other_threads_run_while_a_model_is_fitted(long_corpus):
    ticks = []

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.01)

    done = threading.Event()
    thread = threading.Thread(target=tick)
    thread.start()
    started = time.monotonic()
    svtd.LDA(5, trust=False, polish="none").fit(long_corpus)
    took = time.monotonic() - started
    done.set()
    thread.join()
    assert len(ticks) > took / 0.01 / 20
