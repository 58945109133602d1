"""The learner that a scikit-learn estimator is."""

from __future__ import annotations

import math
from typing import Any, Optional

from .._native import UnswayedError
from .._regression import sklearn_loss
from .learner import Learner
from .rules import check, inside


def from_sklearn(estimator: Any, *, largest_rate: float = 1e-2, sparse: Optional[bool] = None) -> Learner:
    """The learner that a scikit-learn `SGDClassifier` or `SGDRegressor` is when it is trained with `partial_fit`, a point at a time.

    Refuses, with the reason, an estimator whose steps are not those we certify. `fit` is another matter: it makes several
    passes over the data, and the certificate says nothing of that.

    Args:
        estimator: an `SGDClassifier`, or an `SGDRegressor` with the loss `huber` or `epsilon_insensitive`.
        largest_rate: for a learning rate that falls, the one from which on it is certified: `from_step` says which step that is.
            A smaller one has a smaller bound, from a later step on.
        sparse: whether `partial_fit` gets sparse matrices. It matters with an intercept, which scikit-learn then moves at a
            hundredth of the learning rate, a learner that is not certified; so with `fit_intercept=True` say `sparse=False`
            if `partial_fit` gets arrays.

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
    from sklearn.linear_model import SGDClassifier, SGDRegressor

    kind = type(estimator).__name__
    is_regressor = type(estimator) is SGDRegressor
    if type(estimator) is not SGDClassifier and not is_regressor:
        raise UnswayedError(
            f"{kind}: only SGDClassifier and SGDRegressor make steps that are certified here{inside(estimator)}"
        )
    wanted = estimator.get_params(deep=False)
    rules = [
        ("penalty", "l2", "only the quadratic penalty pulls the model back in proportion to its size; use 'l2'"),
        ("class_weight", None, "it weighs classes differently in its steps; use None, and weigh the data"),
    ]
    for name, value, reason in rules:
        if wanted.get(name, value) != value:
            raise UnswayedError(f"{kind}: {name}={wanted[name]!r}: {reason}")
    loss: Optional[str]
    if is_regressor:
        loss = sklearn_loss(wanted)
    else:
        loss = {"hinge": "hinge", "log_loss": "logistic", "modified_huber": "modified-huber"}.get(wanted["loss"])
    if loss is None:
        raise UnswayedError(
            f"SGDClassifier: loss={wanted['loss']!r}: only the losses 'hinge', 'log_loss' and 'modified_huber' are certified"
        )
    rate, schedule, step = _sklearn_rate(wanted, largest_rate)
    check(kind, rate, "largest_rate" if schedule else "eta0", wanted["alpha"], "alpha")
    if wanted["fit_intercept"] and sparse is not False:
        raise UnswayedError(
            "SGDClassifier: fit_intercept=True: on sparse matrices scikit-learn moves the intercept at a hundredth of the "
            "learning rate, and that learner is not certified; if partial_fit gets arrays, say from_sklearn(model, sparse=False)"
        )
    if not isinstance(wanted["average"], bool):
        raise UnswayedError(f"SGDClassifier: average={wanted['average']!r}: the average must be of all models; use True or False")
    if schedule and wanted["fit_intercept"]:
        raise UnswayedError(
            f"SGDClassifier: learning_rate={wanted['learning_rate']!r} with fit_intercept=True: an intercept is certified at a "
            "constant learning rate only; use fit_intercept=False and a feature that is always 1, or learning_rate='constant'"
        )
    return Learner(
        rate, float(wanted["alpha"]), loss, bool(wanted["fit_intercept"]), schedule, wanted["average"], step, _start(estimator)
    )


def _start(estimator: Any) -> Optional[tuple[float, ...]]:
    """The weights of an estimator that is fitted for two classes; an averaged one makes its steps from others."""
    coef = getattr(estimator, "coef_", None)
    # A regressor's weights are one row without a second dimension.
    rows = [] if coef is None else coef.reshape(-1, coef.shape[-1])
    if len(rows) != 1 or estimator.average:
        return None
    intercept = estimator.intercept_.tolist() if estimator.fit_intercept else []
    return tuple(rows[0].tolist() + intercept)


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
    reason = "it falls with the training loss" if kind == "adaptive" else "its rate is none that is certified"
    raise UnswayedError(f"SGDClassifier: learning_rate={kind!r}: {reason}; use 'constant', 'optimal' or 'invscaling' with 0 < power_t < 1")
