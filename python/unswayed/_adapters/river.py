"""The learner that a river model is."""

from __future__ import annotations

from typing import Any

from .._native import UnswayedError
from .._regression import river_loss, steepest
from .learner import Learner
from .rules import check, inside


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
            f"{kind}: only LogisticRegression and LinearRegression make steps that are certified here{inside(model)}"
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
    check(kind, rate, "optimizer", model.l2, "l2")
    weights = {name: float(weight) for name, weight in model.weights.items()}
    start = {**weights, None: float(model.intercept)} if weights and not is_still else weights or None
    return Learner(float(rate), float(model.l2), loss, not is_still, start=start)
