"""Hidden Markov models under hmmlearn's names.

One estimator with four kinds of emissions. The search differs from hmmlearn's: it uses no random
numbers. In addition there are missing observations, lists of sequences, labels as they are, standard
errors, dwell times and forecasts.
"""

from __future__ import annotations

import json
import numbers
from collections.abc import Callable
from typing import Any, NamedTuple, Optional, Sequence, Union

import numpy as np

from ._base import Estimator, check_is_fitted
from ._models import estimator_threads, number_of_components, progress, publish_found_again, tell_notes
from ._parameters import seed as _seed
from ._sequences import as_label, categories, missing_steps, real_numbers, sequence_lengths, steps
from ._svtd import hmm_decode, hmm_fit, hmm_forecast, hmm_posterior, hmm_sample, hmm_score


class Forecast(NamedTuple):
    """The forecast after a sequence."""

    states: np.ndarray
    """Probability of every state, steps ahead x states."""
    expected: np.ndarray
    """Probabilities of categories or symbols, mean counts or means, steps ahead x numbers."""


class HMM(Estimator):
    """A hidden Markov model, found without a random start.

    Parameters
    ----------
    n_components : int or "auto", default=1
        Number of states. With "auto" the criterion AIC3 chooses, up to `max_components`.
    emissions : {"categorical", "poisson", "gaussian", "multinomial"}, default="categorical"
        The distribution of the observations in a state: a category of each column, a count of each
        column, a number of each column (independent given the state), or counts of symbols, one column
        for each symbol.
    prior : float, default=1.0
        Weight of the prior: this many records of the overall distribution in every state, and this
        many transitions of every kind. 0 is maximum likelihood.
    first_state : {"auto", "learned", "stationary"}, default="auto"
        The distribution of the first state when sequences are scored and decoded. "auto" is the
        learned one if there were at least 20 sequences, otherwise the stationary one: a distribution
        learned from one sequence would be certain of its first state.
    max_components : int, default=8
        The most states that "auto" tries.
    error_bars : bool, default=True
        Whether standard errors are computed, and states looked for in halves of the steps.
    effort : {0, 1, 2}, default=2
        How much to search: the starts only, moves up and down from the best of them, or from the
        best two.
    n_jobs : int, optional
        Number of threads. The result is the same, bit for bit, for any number.
    random_state : int, RandomState instance or None
        The seed of :meth:`sample`. A fit uses no random numbers.
    verbose : int, default=0
        1 prints each stage on stderr as it begins, 2 also its steps.
    callback : callable, optional
        Called with ``(stage, done, of)`` as the fit goes on. An exception it raises ends the fit.

    Attributes
    ----------
    startprob_ : ndarray of shape (n_components,)
        The learned distribution of the first state.
    transmat_ : ndarray of shape (n_components, n_components)
        Probability of going from the state of the row to that of the column.
    emissionprob_ : ndarray of shape (n_components, n_categories), or a list of them
        Probabilities of categories or symbols; a list for several categorical columns.
    categories_ : list of list
        The labels of each categorical column.
    lambdas_ : ndarray of shape (n_components, n_features)
        Rates of Poisson emissions.
    means_, covars_ : ndarray of shape (n_components, n_features)
        Means and variances of Gaussian emissions.
    dwell_times_, stationary_ : ndarray of shape (n_components,)
        Expected number of steps in a state once entered, and the stationary distribution.
    transmat_error_, emission_error_, dwell_times_error_, stationary_error_ : ndarray
        Standard errors, if `error_bars`; of the emission parameters side by side.
    found_again_, standing_ : ndarray of shape (n_components,), list of str
        How well each state is found again: the overlap of its steps between the models of two
        independent halves, from 0 to 1, and as a word: "reproduces", "partly" or "not found again".
        None without `error_bars`.
    log_likelihood_, criteria_, starts_ : float, dict, list of dict
        As for :class:`GaussianMixture`.

    Notes
    -----
    States are ordered by the mean of the first column, rising, or by their share of the steps,
    falling, where emissions have no order.

    Examples
    --------
    >>> import svtd
    >>> letters = list("abababcccdccdcababbabacdcdccabab" * 5)
    >>> model = svtd.HMM(2).fit(letters)
    >>> sorted(round(float(p), 1) for p in model.emissionprob_[:, 2:].sum(axis=1))
    [0.0, 1.0]
    """

    n_features_in_: int
    feature_names_in_: np.ndarray[Any, Any]
    found_again_: Optional[np.ndarray[Any, Any]]
    standing_: Optional[list[str]]
    categories_: list[Any]

    _n_trials: Optional[int]

    def __init__(
        self,
        n_components: Union[int, str] = 1,
        emissions: str = "categorical",
        *,
        prior: float = 1.0,
        first_state: str = "auto",
        max_components: int = 8,
        error_bars: bool = True,
        effort: int = 2,
        n_jobs: Optional[int] = None,
        random_state: Any = None,
        verbose: int = 0,
        callback: Optional[Callable[[str, int, int], None]] = None,
    ) -> None:
        self.n_components = n_components
        self.emissions = emissions
        self.prior = prior
        self.first_state = first_state
        self.max_components = max_components
        self.error_bars = error_bars
        self.effort = effort
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    # --- learning ---------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, lengths: Optional[Sequence[int]] = None) -> HMM:
        """Learn a model.

        Parameters
        ----------
        X : array or data frame of shape (n_steps, n_features), 1D array, or list of arrays
            The observations of all sequences one after the other, or a list of sequences. Labels
            of categories may be strings; NaN or None where an observation is missing.
        y : None or sequence of int
            Ignored if it has a value for each step; otherwise lengths, as hmmlearn's second
            argument.
        lengths : sequence of int, optional
            The number of steps of each sequence; one sequence if not given.

        Returns
        -------
        self : object
            The fitted model.
        """
        k = number_of_components(self.n_components)
        if not isinstance(self.prior, numbers.Real):
            raise ValueError(f"prior must be a number of at least 0, got {self.prior!r}")
        data = self._read(X, sequence_lengths(X, y, lengths), reset=True)
        options = {
            "n_components": k,
            "max_components": int(self.max_components),
            "prior": float(self.prior),
            "effort": int(self.effort),
            "error_bars": bool(self.error_bars),
        }
        if len(data["values"]) == 1:
            raise ValueError("found 1 sample (n_samples=1); transitions need more steps than that")
        if self.emissions == "multinomial":
            totals = np.unique(np.nansum(data["values"], axis=1))
            self._n_trials = int(totals[0]) if len(totals) == 1 else None
        found = hmm_fit(data, options, estimator_threads(self), progress(self))
        self._publish(found)
        return self

    def _publish(self, found: dict[str, Any]) -> None:
        self.startprob_ = found["initial"]
        self.transmat_ = found["transitions"]
        self.stationary_ = found["stationary"]
        self.dwell_times_ = found["dwell_times"]
        self._emission = found["emission"]
        self._categories = found["categories"]
        self._n_sequences = found["n_sequences"]
        self._spread_emissions(found["emission"])
        if "transitions_error" in found:
            self.transmat_error_ = found["transitions_error"]
            self.emission_error_ = found["emission_error"]
            self.dwell_times_error_ = found["dwell_times_error"]
            self.stationary_error_ = found["stationary_error"]
        self.criteria_ = json.loads(found["criteria"])
        self.path_ = {k: criteria for k, criteria in json.loads(found["path"])}
        self.starts_ = json.loads(found["starts"])
        publish_found_again(self, found)
        self.log_likelihood_ = self.criteria_["log_likelihood"]
        self.converged_ = found["converged"]
        self.n_iter_ = max(1, found["steps"])
        self.notes_ = list(found["notes"])
        tell_notes(self)

    def _spread_emissions(self, emission: np.ndarray) -> None:
        d = self.n_features_in_
        if self.emissions == "categorical":
            ends = np.cumsum([len(own) for own in self._categories])[:-1]
            tables = np.split(emission, ends, axis=1)
            self.emissionprob_ = tables[0] if len(tables) == 1 else tables
        elif self.emissions == "multinomial":
            self.emissionprob_ = emission
        elif self.emissions == "poisson":
            self.lambdas_ = emission
        else:
            self.means_, self.covars_ = emission[:, :d], emission[:, d:]

    # --- asking -----------------------------------------------------------------------------------

    def score(self, X: Any, y: Any = None, lengths: Optional[Sequence[int]] = None) -> float:
        """The log-likelihood of all sequences together."""
        return float(np.sum(hmm_score(*self._ask(X, sequence_lengths(X, y, lengths)))))

    def score_samples(self, X: Any, lengths: Optional[Sequence[int]] = None) -> tuple[float, np.ndarray]:
        """The log-likelihood of all sequences, and :meth:`predict_proba`."""
        posterior, scores = hmm_posterior(*self._ask(X, lengths))
        return float(np.sum(scores)), posterior

    def predict_proba(self, X: Any, lengths: Optional[Sequence[int]] = None) -> np.ndarray:
        """The probability of every state at every step, given the whole sequence."""
        return self.score_samples(X, lengths)[1]

    def decode(
        self, X: Any, lengths: Optional[Sequence[int]] = None, algorithm: Optional[str] = None
    ) -> tuple[float, np.ndarray]:
        """The most probable states, and the logarithm of their probability.

        With ``algorithm="map"`` the most probable state of every step by itself, as in hmmlearn.
        """
        if algorithm in (None, "viterbi"):
            path, scores = hmm_decode(*self._ask(X, lengths))
            return float(np.sum(scores)), np.asarray(path)
        if algorithm == "map":
            posterior = self.predict_proba(X, lengths)
            return float(posterior.max(axis=1).sum()), posterior.argmax(axis=1)
        raise ValueError(f"algorithm must be 'viterbi' or 'map', got {algorithm!r}")

    def predict(self, X: Any, lengths: Optional[Sequence[int]] = None) -> np.ndarray:
        """The most probable path of states (Viterbi)."""
        return self.decode(X, lengths)[1]

    def forecast(
        self, X: Any, lengths: Optional[Sequence[int]] = None, *, horizon: int = 1
    ) -> list[Forecast]:
        """The forecast after each sequence, up to `horizon` steps ahead."""
        return [Forecast(*ahead) for ahead in hmm_forecast(*self._ask(X, lengths), int(horizon))]

    def sample(
        self, n_samples: int = 1, random_state: Any = None, *, n_trials: int = 1
    ) -> tuple[np.ndarray, np.ndarray]:
        """A random sequence from the model, and its states.

        Multinomial steps have `n_trials` symbols. Categories are returned as codes, which are
        indices in `categories_`.
        """
        check_is_fitted(self, "transmat_")
        state = self.random_state if random_state is None else random_state
        seed = 0 if state is None else _seed(state)
        values, states = hmm_sample(self._arrays(), int(n_samples), seed, int(n_trials))
        values = values.reshape(n_samples, -1)
        if self.emissions != "gaussian":
            values = values.astype(np.int64)
        return values, np.asarray(states)

    def get_stationary_distribution(self) -> np.ndarray:
        """The stationary distribution of the states."""
        check_is_fitted(self, "transmat_")
        return np.asarray(self.stationary_)

    def aic(self, X: Any, lengths: Optional[Sequence[int]] = None) -> float:
        """Akaike's criterion on `X`; the smaller, the better."""
        return float(-2 * self.score(X, lengths=lengths) + 2 * self.criteria_["n_parameters"])

    def bic(self, X: Any, lengths: Optional[Sequence[int]] = None) -> float:
        """The Bayesian information criterion on `X`; the smaller, the better."""
        steps = sum(self._read(X, lengths, reset=False)["lengths"])
        return float(
            -2 * self.score(X, lengths=lengths) + np.log(steps) * self.criteria_["n_parameters"]
        )

    def to_hmmlearn(self) -> Any:
        """The same model as hmmlearn's estimator of these emissions."""
        check_is_fitted(self, "transmat_")
        try:
            from hmmlearn import hmm
        except ImportError:
            raise ImportError(
                "to_hmmlearn needs hmmlearn, which is not installed; try pip install hmmlearn"
            ) from None
        k = len(self.startprob_)
        if self.emissions == "categorical" and len(self._categories) > 1:
            raise ValueError("hmmlearn takes one categorical column; this model has several")
        if self.emissions == "gaussian":
            theirs = hmm.GaussianHMM(k, covariance_type="diag")
            theirs.means_ = self.means_.copy()
            theirs.n_features = self.n_features_in_
            theirs.covars_ = self.covars_.copy()
        elif self.emissions == "poisson":
            theirs = hmm.PoissonHMM(k)
            theirs.lambdas_ = self.lambdas_.copy()
            theirs.n_features = self.n_features_in_
        elif self.emissions == "multinomial":
            theirs = hmm.MultinomialHMM(k, n_trials=self._n_trials)
            theirs.emissionprob_ = self.emissionprob_.copy()
            theirs.n_features = self.n_features_in_
        else:
            theirs = hmm.CategoricalHMM(k)
            theirs.emissionprob_ = self.emissionprob_.copy()
            theirs.n_features = np.asarray(self.emissionprob_).shape[1]
        theirs.startprob_ = self._first_law()
        theirs.transmat_ = self.transmat_.copy()
        return theirs

    # --- inside -----------------------------------------------------------------------------------

    def _first_law(self) -> np.ndarray:
        learned = self.first_state == "learned" or (
            self.first_state == "auto" and self._n_sequences >= 20
        )
        return np.array(self.startprob_ if learned else self.stationary_)

    def _arrays(self) -> dict[str, Any]:
        return {
            "emissions": self.emissions,
            "names": self._names(),
            "categories": self._categories,
            "initial": np.ascontiguousarray(self.startprob_),
            "transitions": np.ascontiguousarray(self.transmat_),
            "emission": np.ascontiguousarray(self._emission),
            "n_sequences": self._n_sequences,
            "law": self.first_state,
        }

    def _names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{v}" for v in range(self.n_features_in_)] if names is None else list(names)

    def _ask(self, X: Any, lengths: Optional[Sequence[int]]) -> tuple[dict[str, Any], dict[str, Any]]:
        check_is_fitted(self, "transmat_")
        return self._read(X, lengths, reset=False), self._arrays()

    def _read(self, X: Any, lengths: Optional[Sequence[int]], reset: bool) -> dict[str, Any]:
        """Converts observations for the compiled module."""
        table, lengths, names = steps(X, lengths)
        if reset:
            self.n_features_in_ = table.shape[1]
            if hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
            if names is not None:
                self.feature_names_in_ = np.asarray(names, dtype=object)
        elif table.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {table.shape[1]} features, but HMM is expecting {self.n_features_in_} "
                "features as input"
            )
        if self.emissions == "categorical":
            values, categories = self._codes(table, reset)
        else:
            values, categories = real_numbers(table), [[] for _ in range(table.shape[1])]
        return {
            "emissions": self.emissions,
            "values": np.ascontiguousarray(values),
            "lengths": lengths,
            "names": self._names(),
            "categories": categories,
        }

    def _codes(self, table: np.ndarray, reset: bool) -> tuple[np.ndarray, list[list[str]]]:
        """Labels as indices in `categories_`; codes of whole numbers are kept."""
        values = np.full(table.shape, np.nan)
        known = [] if reset else self.categories_
        for v in range(table.shape[1]):
            column = table[:, v]
            observed = ~missing_steps(column)
            if reset:
                known.append(categories(column[observed]))
            places = {label: place for place, label in enumerate(known[v])}
            for t in np.flatnonzero(observed):
                label = as_label(column[t])
                if label not in places:
                    raise ValueError(
                        f"step {t + 1} has {label!r} in column {self._names()[v]}, a category that "
                        f"the model has never seen; it knows {list(places)[:10]}"
                    )
                values[t, v] = places[label]
        if reset:
            self.categories_ = known
        return values, [[str(label) for label in own] for own in known]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "transmat_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
