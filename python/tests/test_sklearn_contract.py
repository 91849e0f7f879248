"""scikit-learn's own checks, for every estimator."""

import svtd
from sklearn.utils.estimator_checks import parametrize_with_checks

NOT_A_CLASSIFIER = (
    "the check takes everything with predict_proba and sparse input to be a classifier with four "
    "classes and reads its classifier_tags; ours tells the topics of documents and has none"
)

ONE_COLUMN = "a flat array is a sequence of one variable"
SEQUENCE = "the state of a step depends on the steps around it, which the check takes away or moves"


def expected_failures(estimator):
    if isinstance(estimator, (svtd.Vectorizer, svtd.LatentClass, svtd.GaussianMixture)):
        return {}
    if isinstance(estimator, svtd.HMM):
        moved = ("check_methods_subset_invariance", "check_methods_sample_order_invariance")
        flat = ("check_fit1d", "check_fit2d_predict1d")
        return {**dict.fromkeys(moved, SEQUENCE), **dict.fromkeys(flat, ONE_COLUMN)}
    checks = ("check_estimator_sparse_array", "check_estimator_sparse_matrix")
    return dict.fromkeys(checks, NOT_A_CLASSIFIER)


# Two topics because the tables that the checks draw have as few as two columns, and fewer where
# what they draw is noise, in which no second topic can be seen.
@parametrize_with_checks(
    [
        svtd.SingleTopic(2, allow_fewer=True),
        svtd.LDA(2, allow_fewer=True),
        svtd.Vectorizer(min_df=1),
        svtd.LatentClass(2, error_bars=False),
        # Diagonal, because one check has more columns than records.
        svtd.GaussianMixture(2, covariance_type="diag", error_bars=False, effort=0),
        svtd.HMM(2, "gaussian", error_bars=False, effort=0),
    ],
    expected_failed_checks=expected_failures,
)
def test_the_estimator_keeps_the_contract(estimator, check):
    check(estimator)
