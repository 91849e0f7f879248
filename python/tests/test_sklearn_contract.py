"""scikit-learn's own checks, for every estimator."""

import functools

import numpy as np
import pytest
import svtd
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

NOT_A_CLASSIFIER = (
    "the check takes everything with predict_proba and sparse input to be a classifier with four "
    "classes and reads its classifier_tags; ours tells the topics of documents and has none"
)

ONE_COLUMN = "a flat array is a sequence of one variable"
SEQUENCE = "the state of a step depends on the steps around it, which the check takes away or moves"


NO_COUNTS = (
    "the check draws fractions, which are no counts; that a whole weight is the same as repeating a "
    "document is tested in test_habits.py"
)


def expected_failures(estimator):
    if isinstance(estimator, (svtd.LatentClass, svtd.GaussianMixture)):
        return {}
    if isinstance(estimator, svtd.HMM):
        moved = ("check_methods_subset_invariance", "check_methods_sample_order_invariance")
        flat = ("check_fit1d", "check_fit2d_predict1d")
        return {**dict.fromkeys(moved, SEQUENCE), **dict.fromkeys(flat, ONE_COLUMN)}
    checks = ("check_estimator_sparse_array", "check_estimator_sparse_matrix")
    weights = ("dense", "sparse")
    return {
        **dict.fromkeys(checks, NOT_A_CLASSIFIER),
        **{f"check_sample_weight_equivalence_on_{kind}_data": NO_COUNTS for kind in weights},
    }


# Two topics because the tables that the checks draw have as few as two columns, and fewer where
# what they draw is noise, in which no second topic can be seen.
@parametrize_with_checks(
    [
        svtd.SingleTopic(2, allow_fewer=True),
        svtd.LDA(2, allow_fewer=True),
        svtd.LatentClass(2, error_bars=False),
        # Diagonal, because one check has more columns than records.
        svtd.GaussianMixture(2, covariance_type="diag", error_bars=False, effort=0),
        svtd.HMM(2, "gaussian", error_bars=False, effort=0),
    ],
    expected_failed_checks=expected_failures,
)
def test_the_estimator_keeps_the_contract(estimator, check):
    check(estimator)


TEXTS = ["the sun and the stars", "bread and wine", "the sun and the bread"] * 20

# scikit-learn runs no check at all on what takes texts, because its checks draw tables of numbers.
# These draw none, or only to see that they are refused before anything is fitted.
OF_ANY_ESTIMATOR = [
    "check_estimator_cloneable",
    "check_estimator_tags_renamed",
    "check_valid_tag_types",
    "check_estimator_repr",
    "check_no_attributes_set_in_init",
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_mixin_order",
    "check_parameters_default_constructible",
    "check_get_params_invariance",
    "check_set_params",
]
# These fit on a table of numbers; given texts instead, they hold.
WITH_TEXTS = [
    "check_estimators_overwrite_params",
    "check_dont_overwrite_parameters",
    "check_estimators_fit_returns_self",
    "check_fit_score_takes_y",
    "check_estimators_pickle",
    "check_dict_unchanged",
    "check_fit_idempotent",
    "check_fit_check_is_fitted",
]


class OfTexts(svtd.Vectorizer):
    """A vectorizer that takes any table for texts, so that checks which draw tables can run."""

    def fit(self, X, y=None):
        return super().fit(_texts(X), y)

    def fit_transform(self, X, y=None):
        return super().fit_transform(_texts(X), y).toarray()

    def transform(self, X):
        return super().transform(_texts(X)).toarray()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


def _texts(X):
    return [TEXTS[i % len(TEXTS)] for i in range(len(np.asarray(X)))]


@pytest.mark.parametrize("name", OF_ANY_ESTIMATOR)
def test_the_vectorizer_keeps_what_holds_of_any_estimator(name):
    getattr(estimator_checks, name)("Vectorizer", svtd.Vectorizer(min_df=1))


@pytest.mark.parametrize("name", WITH_TEXTS)
def test_the_vectorizer_keeps_the_contract_on_texts(name):
    getattr(estimator_checks, name)("OfTexts", OfTexts(min_df=1))


def test_every_check_of_the_vectorizer_that_can_run_is_run():
    """What scikit-learn would run on a transformer, less what is about tables of numbers."""
    about_tables = {
        "check_readonly_memmap_input", "check_estimators_unfitted", "check_n_features_in_after_fitting",
        "check_positive_only_tag_during_fit", "check_estimators_dtypes", "check_complex_data",
        "check_dtype_object", "check_estimators_empty_data_messages", "check_pipeline_consistency",
        "check_estimators_nan_inf", "check_estimator_sparse_tag", "check_estimator_sparse_array",
        "check_estimator_sparse_matrix", "check_array_api_input", "check_f_contiguous_array_estimator",
        "check_transformer_data_not_an_array", "check_transformer_general", "check_transformer_n_iter",
        "check_transformers_unfitted", "check_methods_sample_order_invariance",
        "check_methods_subset_invariance", "check_fit2d_1sample", "check_fit2d_1feature",
        "check_fit1d", "check_fit2d_predict1d", "check_n_features_in", "check_set_output_transform",
        "check_set_output_transform_pandas", "check_set_output_transform_polars",
        "check_global_output_transform_pandas", "check_global_set_output_transform_polars",
        "check_transformer_get_feature_names_out", "check_transformer_get_feature_names_out_pandas", "check_dataframe_column_names_consistency",
        "check_estimators_overwrite_params", "check_nonsquare_error", "check_requires_y_none",
        "check_estimator_cloneable", "check_transformer_preserve_dtypes",
    }
    yielded = set()
    for check in estimator_checks._yield_all_checks(OfTexts(min_df=1), legacy=True):
        check = check.func if isinstance(check, functools.partial) else check
        yielded.add(check.__name__)
    assert yielded <= about_tables | set(OF_ANY_ESTIMATOR) | set(WITH_TEXTS), (
        yielded - about_tables - set(OF_ANY_ESTIMATOR) - set(WITH_TEXTS)
    )
