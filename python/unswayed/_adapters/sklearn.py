"""The learner that a scikit-learn estimator is."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Optional

from .._data import MEMORY_LIMIT
from .._native import UnswayedError
from .._regression import sklearn_loss
from .learner import SPARSE_INTERCEPT, Learner, project
from .pipelines import sklearn_steps
from .projected import Projected
from .rates import Rates
from .refusals import SKLEARN, refused
from .rules import check

#: scikit-learn's losses that are certified, and their names here.
LOSSES = {"hinge": "hinge", "log_loss": "logistic", "modified_huber": "modified-huber"}


def from_sklearn(
    estimator: Any, *, largest_rate: float = 1e-2, sparse: Optional[bool] = None, memory_limit: int = MEMORY_LIMIT
) -> Learner:
    """The learner that a scikit-learn `SGDClassifier` or `SGDRegressor` is when it is trained with `partial_fit`, a point at
    a time.

    Refuses, with the reason, an estimator whose steps are not those we certify. `fit` is another matter: it makes several
    passes over the data, and the certificate says nothing of that.

    Args:
        estimator: an `SGDClassifier`, or an `SGDRegressor` with the loss `huber` or `epsilon_insensitive`, fitted or not, or a
            `Pipeline` that ends in one. Of the steps before it only `transform`
            is used, so they must be fitted already, and the loop that calls `partial_fit` must not fit them again. Give the
            learner raw features then: it makes the rows itself. With several classes there is one model for each:
            `Learner.certify_each`.
        largest_rate: for a learning rate that falls, the one from which on it is certified: `from_step` says which step that is.
            A smaller one has a smaller bound, from a later step on.
        sparse: whether `partial_fit` gets sparse matrices. It matters with an intercept, which scikit-learn then moves at a
            hundredth of the learning rate. If it is not said, the rows that `certify` gets say it: a sparse matrix or an array.
        memory_limit: the most bytes that sparse rows may take as an array. They are made into one unless the learner has no intercept,
            a constant learning rate and a hinge or logistic loss: then they stay sparse.

    >>> import unswayed
    >>> from sklearn.linear_model import SGDClassifier
    >>> model = SGDClassifier(loss="hinge", alpha=0.01, learning_rate="constant", eta0=1e-3, fit_intercept=False)
    >>> unswayed.from_sklearn(model)
    Learner(learning_rate=0.001, regularization=0.01, loss='hinge', intercept=False, schedule=None, average=False, from_step=1)
    >>> learner = unswayed.from_sklearn(SGDClassifier(alpha=0.01, fit_intercept=False, average=True))
    >>> learner.schedule, learner.average, learner.from_step
    ('optimal', True, 9970)
    >>> unswayed.from_sklearn(SGDClassifier(learning_rate="adaptive", eta0=0.1))
    Traceback (most recent call last):
    unswayed.UnswayedError: SGDClassifier: learning_rate='adaptive'...
    """
    from sklearn.pipeline import Pipeline

    if isinstance(estimator, Projected):
        return project(_read(estimator.model, largest_rate, sparse, is_projected=True), estimator)
    if isinstance(estimator, Pipeline):
        before = sklearn_steps(estimator, memory_limit)
        last = from_sklearn(estimator.steps[-1][1], largest_rate=largest_rate, sparse=sparse)
        return replace(last, before=before)
    return _read(estimator, largest_rate, sparse, is_projected=False)


def _read(estimator: Any, largest_rate: float, sparse: Optional[bool], is_projected: bool) -> Learner:
    kind, wanted = type(estimator).__name__, _sgd_params(estimator, is_projected)
    if wanted["penalty"] is None:
        wanted["alpha"] = 0.0
    is_regressor = "class_weight" not in wanted
    loss = sklearn_loss(wanted) if is_regressor else LOSSES[wanted["loss"]]
    intercept = bool(wanted["fit_intercept"])
    rate, schedule, step = _sklearn_rate(wanted, largest_rate)
    if not (is_projected and wanted["alpha"] == 0 and rate > 0):
        check(kind, rate, "largest_rate" if schedule else "eta0", wanted["alpha"], "alpha", "give it to from_sklearn")
    if schedule and intercept:
        if wanted["average"]:
            raise UnswayedError(
                f"{kind}: learning_rate={wanted['learning_rate']!r} with fit_intercept=True and average=True: nothing pulls the intercept "
                "back, so there is a bound for averages weighted by the learning rates only, and the averaged model is a plain one; use "
                "average=False, learning_rate='constant', or fit_intercept=False and a feature that is always 1"
            )
        schedule = "weighted"
    classes = getattr(estimator, "classes_", None)
    return Learner(
        rate, float(wanted["alpha"]), loss, intercept, schedule, wanted["average"], step,
        is_classifier=not is_regressor, classes=None if classes is None else tuple(classes.tolist()), class_weight=wanted.get("class_weight"), intercept_scale=SPARSE_INTERCEPT if sparse and intercept else 1.0,
        start=_start(estimator), asks_sparse=intercept and sparse is None,
        unknown_start=_unknown_start(estimator), rates=_rates(estimator, wanted) if schedule else None,
    )


def _rates(estimator: Any, wanted: dict[str, Any]) -> Rates:
    """The learning rates from the next step on."""
    alpha, first = float(wanted["alpha"]), int(getattr(estimator, "t_", 1))
    if wanted["learning_rate"] == "optimal":
        return Rates(alpha, first)
    return Rates(alpha, first, float(wanted["eta0"]), float(wanted["power_t"]))


def _unknown_start(estimator: Any) -> Optional[str]:
    """Why there is no bound for the next steps of an estimator: they start elsewhere, or its average does."""
    if estimator.average and not hasattr(estimator, "coef_"):
        return "its average begins with the model after the first step, and the bound is for one that begins with the start"
    if not hasattr(estimator, "coef_") or _start(estimator) is not None:
        return None
    if estimator.average:
        return "it is fitted, and its average contains models of earlier steps, of which the bound does not know"
    return "it is fitted, and has a model for each class"


def _start(estimator: Any) -> Optional[tuple[float, ...]]:
    """The weights of an estimator with one model that is fitted; an averaged one makes its steps from others."""
    coef = getattr(estimator, "coef_", None)
    if coef is None or estimator.average or (coef.ndim == 2 and len(coef) != 1):
        return None
    intercept = estimator.intercept_.tolist() if estimator.fit_intercept else []
    return tuple(coef.ravel().tolist() + intercept)


def _sgd_params(estimator: Any, is_projected: bool) -> dict[str, Any]:
    """The arguments of an `SGDClassifier` or `SGDRegressor`; refuses those of learners that are not certified."""
    from sklearn.linear_model import SGDClassifier, SGDRegressor

    is_regressor = type(estimator) is SGDRegressor
    if type(estimator) is not SGDClassifier and not is_regressor:
        raise refused(estimator, SKLEARN, "SGDClassifier", "partial_fit")
    wanted: dict[str, Any] = estimator.get_params(deep=False)
    penalty = wanted["penalty"]
    is_quadratic = penalty == "l2" or (is_projected and penalty is None) or (penalty == "elasticnet" and wanted["l1_ratio"] == 0)
    rules = [
        (is_quadratic, "penalty", "only the quadratic penalty pulls the model back in proportion to its size; use 'l2'"),
        (is_regressor or wanted["loss"] in LOSSES, "loss", "only the losses 'hinge', 'log_loss' and 'modified_huber' are certified"),
        (isinstance(wanted["average"], bool), "average", "the average must be of all models; use True or False"),
        (not wanted["early_stopping"], "early_stopping", "scikit-learn itself refuses it in partial_fit; use False"),
    ]
    for is_good, name, reason in rules:
        if not is_good:
            raise UnswayedError(f"{type(estimator).__name__}: {name}={wanted[name]!r}: {reason}")
    return wanted


def _sklearn_rate(wanted: dict[str, Any], largest: float) -> tuple[float, Optional[str], int]:
    """The largest learning rate, how it falls, and the first step from which on it is as small and falls as slowly as that."""
    kind, alpha, eta0 = wanted["learning_rate"], float(wanted["alpha"]), float(wanted["eta0"])
    if kind == "constant":
        return eta0, None, 1
    if not (largest > 0 and alpha > 0):
        check("SGDClassifier", largest, "largest_rate", alpha, "alpha")
    if kind == "optimal":
        # η_t = 1/(α(t₀ + t − 1)), where t₀ makes the first rate 1/√√α.
        step = 1 / (alpha * largest) - math.sqrt(math.sqrt(alpha)) / alpha + 1
        return largest, "optimal", max(1, math.ceil(step))
    power = float(wanted["power_t"])
    if kind == "invscaling" and 0 < power < 1 and eta0 > 0:
        # η_t = η₀/t^p: 1/η_t grows by less than p(t−1)^(p−1)/η₀, which falls below every number: here a hundredth of α.
        slowdown = 0.01 * alpha
        small, slow = (eta0 / largest) ** (1 / power), 1 + (power / (eta0 * slowdown)) ** (1 / (1 - power))
        return largest, f"slowdown={slowdown!r}", max(1, math.ceil(max(small, slow)))
    reasons = {"adaptive": "it falls with the training loss", "pa1": "its steps are as long as the point demands"}
    reason = reasons.get("pa1" if kind == "pa2" else kind, "its rate is none that is certified")
    remedy = "use 'constant', 'optimal' or 'invscaling' with 0 < power_t < 1"
    raise UnswayedError(f"SGDClassifier: learning_rate={kind!r}: {reason}; {remedy}")
