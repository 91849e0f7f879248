"""Topic models by the method of moments: deterministic, with the same result every time.

>>> import svtd
>>> drawn = svtd.generate(n_samples=2000, n_features=50, n_components=3, random_state=0)
>>> model = svtd.SingleTopic(n_components=3).fit(drawn.X)
>>> model.components_.shape
(3, 50)

In :class:`SingleTopic` each document is about one topic, in :class:`LDA` it is a mixture of topics.
Both are scikit-learn estimators. Nothing is random unless asked for, and the number of threads does
not change a bit of the result.
"""

from . import tl
from ._base import NotFittedError
from ._choosing import Sweep, check, sweep
from ._classes import LatentClass
from ._comparison import Comparison, TopicPair, diff
from ._estimators import LDA, SingleTopic, load
from ._gaussian import GaussianMixture
from ._generate import Generated, generate
from ._raters import Raters
from ._report import Report
from ._hmm import HMM
from ._svtd import VERSION as __version__
from ._svtd import FitError
from ._vectorizer import Vectorizer

__all__ = [
    "HMM",
    "LDA",
    "Comparison",
    "FitError",
    "GaussianMixture",
    "Generated",
    "Report",
    "LatentClass",
    "Raters",
    "NotFittedError",
    "SingleTopic",
    "Sweep",
    "TopicPair",
    "Vectorizer",
    "__version__",
    "check",
    "diff",
    "generate",
    "load",
    "sweep",
    "tl",
]
