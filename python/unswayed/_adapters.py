"""From the estimators people run to the learner we certify."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike

from . import _native
from ._attack import Attacks, attack
from ._certificate import Certificate, certify
from ._data import Data, Features, Floats, floats, matrix, split, take_column
from ._design import Tolerated, tolerate
from ._native import UnswayedError
from ._problem import label_kind
from ._regression import river_loss, sklearn_loss, steepest


@dataclass(frozen=True)
class Learner:
    """The numbers of an online learner, read off an estimator.

    >>> import unswayed
    >>> learner = unswayed.Learner(learning_rate=1e-3, regularization=0.01)
    >>> learner.certify(unswayed.sample(), poison_rate=0.02).status
    'certified'

    Attributes:
        learning_rate: η.
        regularization: σ.
        loss: `"hinge"`, `"logistic"` or another loss of `unswayed.certify` for two classes.
        intercept: whether there is an intercept. It is the weight of a feature that is always 1 and is not regularized; `certify` and
            `attack` append that feature to `x`, and the adversary may send any point (features, 1) · label whose features have norm
            at most `radius`. Their ball holds these points and others, in which the last entry is not ±1.
        schedule: how the learning rate changes, as for `unswayed.certify`.
        average: whether the model is the average of all models so far.
        from_step: the step from which on the learning rate is as `learning_rate` and `schedule` say. Bounds are for the long run,
            in which the steps before do not count.
    """

    learning_rate: float
    regularization: float
    loss: str = "hinge"
    intercept: bool = False
    schedule: Optional[str] = None
    average: bool = False
    from_step: int = 1

    def update(self, model: ArrayLike, z: ArrayLike) -> Floats:
        """The model after one step on the point z = label · features; with an intercept, z = label · (features, 1). For a
        regression loss z is the label and then the features; with an intercept, z = (label, features, 1).

        >>> import unswayed
        >>> unswayed.Learner(learning_rate=0.5, regularization=0.5).update([0.0, 1.0], [0.6, 0.8])
        array([0.3 , 1.15])
        """
        theta, point = map(floats, (model, z))
        setting = (self.learning_rate, self.regularization, self.loss, self.intercept)
        return _native.update(theta, point, *setting)

    def certify(self, x: Features, y: Any = None, *, poison_rate: float, **options: Any) -> Certificate:
        """`unswayed.certify` with this learner, on the rows as they are: the estimator learns from them without scaling."""
        return certify(*self._rows(x, y, options), poison_rate=poison_rate, **self._asked(options))

    def attack(self, x: Features, y: Any = None, *, poison_rate: float, **options: Any) -> Attacks:
        """`unswayed.attack` with this learner."""
        if self.intercept and options.get("test") is not None:
            held_out, labels = options["test"]
            options["test"] = self._rows(held_out, labels, {})[0]
        return attack(*self._rows(x, y, options), poison_rate=poison_rate, **self._asked(options))

    def tolerate(self, x: Features, y: Any = None, *, limit: float, **options: Any) -> Optional[Tolerated]:
        """`unswayed.tolerate` with this learner: the largest poison rate under the limit."""
        found = tolerate(*self._rows(x, y, options), limit=limit, **self._asked(options))
        assert found is None or isinstance(found, Tolerated)
        return found

    @property
    def _setting(self) -> dict[str, Any]:
        return {"learning_rate": self.learning_rate, "regularization": self.regularization}

    def _asked(self, options: dict[str, Any]) -> dict[str, Any]:
        """The options of `certify`, `attack` and `tolerate` for this learner."""
        options = {**self._setting, "loss": self.loss, "schedule": self.schedule, "average": self.average, **options}
        if not self.intercept:
            return options
        if options.get("adversary", "ball") == "ball":
            # ‖(x, 1)‖ ≤ √(radius² + 1), rounded up.
            radius = options.get("radius")
            options["radius"] = math.nextafter(math.hypot(1.0 if radius is None else radius, 1.0), math.inf)
        return {**options, "bias": -1}

    def _rows(self, x: Features, y: Any, options: dict[str, Any]) -> tuple[Features, Any]:
        """Features and labels as `certify` takes them, with the feature of the intercept."""
        _refuse_scaling(x, options)
        if isinstance(x, (Data, str, os.PathLike)):
            if self.intercept:
                raise UnswayedError(
                    "a learner with an intercept appends a feature that is 1: give features and labels as arrays or frames"
                )
            return x, y
        names = ("weights", "weight_column", "labels")
        reading = {name: options.pop(name) for name in names if options.get(name) is not None}
        if label_kind(self.loss) is not None:
            reading.setdefault("labels", label_kind(self.loss))
        if self.intercept:
            if "weight_column" in reading:
                x, reading["weights"] = take_column(x, reading.pop("weight_column"), "weight_column")
            x, y = split(x, y)
            x = matrix(x)
            x = np.column_stack([x, np.ones(len(x))])
        # Rows of norm above 1 are meant as they are: divided by 1.
        return Data(x, y, scale=1.0, **reading), None


def _refuse_scaling(x: Features, options: dict[str, Any]) -> None:
    """Refuses rows that the estimator itself never sees."""
    if options.get("normalize") or (isinstance(x, Data) and x.scale != 1.0):
        raise UnswayedError(
            "normalize: the estimator learns from its rows as they are, and a certificate for scaled rows is about another "
            "learner; scale the features before the estimator and here alike, and leave out normalize"
        )
    if options.get("sample_weight") is not None:
        raise UnswayedError(
            "sample_weight: estimators scale their steps by it, and such a learner is not certified; weights= says how often "
            "rows come, with steps as they are"
        )
    if hasattr(x, "tocsr"):
        raise UnswayedError("the features are a sparse matrix; give them as an array (x.toarray())")


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
            f"{kind}: only SGDClassifier and SGDRegressor make steps that are certified here{_inside(estimator)}"
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
    _check(kind, rate, "largest_rate" if schedule else "eta0", wanted["alpha"], "alpha")
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
        rate, float(wanted["alpha"]), loss, bool(wanted["fit_intercept"]), schedule, wanted["average"], step
    )


def _sklearn_rate(wanted: dict[str, Any], largest: float) -> tuple[float, Optional[str], int]:
    """The largest learning rate, how it falls, and the first step from which on it is as small and falls as slowly as that."""
    kind, alpha, eta0 = wanted["learning_rate"], float(wanted["alpha"]), float(wanted["eta0"])
    if kind == "constant":
        return eta0, None, 1
    if not (largest > 0 and alpha > 0):
        _check("SGDClassifier", largest, "largest_rate", alpha, "alpha")
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


def from_river(model: Any) -> Learner:
    """The learner that a river `LogisticRegression` with the loss `Log` or `Hinge` is, or a `LinearRegression` with the loss
    `Absolute`, `EpsilonInsensitiveHinge`, `Huber` or `Quantile`.

    Refuses, with the reason, a model whose steps are not those we certify. river shrinks only the weights of the features
    that a point has, so every point must have all features, the adversary's too.

    >>> import unswayed
    >>> from river import linear_model, optim
    >>> model = linear_model.LogisticRegression(
    ...     optimizer=optim.SGD(1e-3), loss=optim.losses.Hinge(), l2=0.01, intercept_lr=0)
    >>> unswayed.from_river(model)
    Learner(learning_rate=0.001, regularization=0.01, loss='hinge', intercept=False, schedule=None, average=False, from_step=1)
    >>> unswayed.from_river(linear_model.LogisticRegression(l2=0.01)).intercept
    True
    >>> unswayed.from_river(linear_model.LogisticRegression(l2=0.01, intercept_lr=0.1))
    Traceback (most recent call last):
    unswayed.UnswayedError: LogisticRegression: intercept_lr...
    """
    from river import linear_model, optim

    kind = type(model).__name__
    is_regression = type(model) is linear_model.LinearRegression
    if type(model) is not linear_model.LogisticRegression and not is_regression:
        raise UnswayedError(
            f"{kind}: only LogisticRegression and LinearRegression make steps that are certified here{_inside(model)}"
        )

    def refuse(what: str, reason: str) -> UnswayedError:
        return UnswayedError(f"{kind}: {what}: {reason}")

    if is_regression:
        loss = river_loss(model.loss)
    elif type(model.loss) is optim.losses.Hinge and model.loss.threshold == 1:
        loss = "hinge"
    elif type(model.loss) is optim.losses.Log and model.loss.weight_pos == model.loss.weight_neg == 1:
        loss = "logistic"
    else:
        raise refuse(
            f"loss {type(model.loss).__name__}", "only Hinge with threshold 1 and Log with weights 1 are certified"
        )
    if type(model.optimizer) is not optim.SGD:
        raise refuse(
            f"optimizer {type(model.optimizer).__name__}",
            "its steps depend on past gradients; only plain SGD is certified",
        )
    if type(model.optimizer.lr) is not optim.schedulers.Constant:
        raise refuse("optimizer.lr", "its step size changes over time, and the bound is for a constant one")
    rate, own = model.optimizer.lr.learning_rate, model.intercept_lr
    is_still = type(own) is optim.schedulers.Constant and own.learning_rate == 0 and model.intercept == 0
    if not is_still and (type(own) is not optim.schedulers.Constant or own.learning_rate != rate):
        raise refuse(
            "intercept_lr",
            "the intercept moves at a rate of its own; set intercept_lr to that of the optimizer, or to 0 with intercept_init=0",
        )
    if model.l1 != 0:
        raise refuse(f"l1={model.l1}", "only the quadratic penalty is certified; use l2")
    if model.clip_gradient < steepest(loss):
        raise refuse(f"clip_gradient={model.clip_gradient}", f"it shortens the steps; use at least {steepest(loss):g}")
    _check(kind, rate, "optimizer", model.l2, "l2")
    return Learner(float(rate), float(model.l2), loss, not is_still)


def _check(kind: str, rate: float, rate_name: str, penalty: float, penalty_name: str) -> None:
    if not penalty > 0:
        raise UnswayedError(
            f"{kind}: {penalty_name}={penalty}: without regularization nothing pulls the model back, and an adversary moves it "
            "as far as it likes"
        )
    if not 0 < rate * penalty < 1:
        raise UnswayedError(f"{kind}: {rate_name}={rate}: learning rate times regularization must be between 0 and 1")


def _inside(model: Any) -> str:
    """A remedy for pipelines."""
    if "Pipeline" in type(model).__name__:
        return "; give the classifier inside the pipeline, and the features as it sees them"
    return ""
