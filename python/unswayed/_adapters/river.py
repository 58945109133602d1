"""The learner that a river model is."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Optional

from .._native import UnswayedError
from .._regression import river_loss, steepest
from .learner import Learner, project
from .pipelines import river_steps
from .projected import Projected
from .refusals import RIVER, refused
from .rules import check


def from_river(model: Any) -> Learner:
    """The learner that a river `LogisticRegression` with the loss `Log` or `Hinge` is, or a `LinearRegression` with the loss
    `Absolute`, `Huber` or `Quantile`.

    Refuses, with the reason, a model whose steps are not those we certify. river shrinks only the weights of the features
    that a point has, so every point must have all features, the adversary's too: `Guard(features=…)` sees to that.

    A pipeline is taken if its other steps learn nothing. Give the learner raw points then: a list of dictionaries, a frame or
    an array. A scaler that keeps learning is refused; freeze it.

    A model without `l2`, as river's default is, has a bound once a projection keeps it in a ball: `Projected`.

    `clip_gradient` below 1 shortens every step of the hinge loss alike: the learner is the one with a rate that much smaller
    and a regularization that much larger.

    >>> import unswayed
    >>> from river import linear_model, optim
    >>> model = linear_model.LogisticRegression(
    ...     optimizer=optim.SGD(1e-3), loss=optim.losses.Hinge(), l2=0.01, intercept_lr=0)
    >>> unswayed.from_river(model)
    Learner(learning_rate=0.001, regularization=0.01, loss='hinge', intercept=False, schedule=None, average=False, from_step=1)
    >>> unswayed.from_river(linear_model.LogisticRegression(l2=0.01)).intercept
    True
    >>> round(unswayed.from_river(linear_model.LogisticRegression(l2=0.01, intercept_lr=0.0001)).intercept_scale, 6)
    0.1
    """
    from river import compose

    if isinstance(model, Projected):
        return project(_read(model.model, is_projected=True), model)
    if isinstance(model, compose.Pipeline):
        *steps, last = model.steps.values()
        return replace(from_river(last), before=river_steps(steps))
    return _read(model, is_projected=False)


def _read(model: Any, is_projected: bool) -> Learner:
    from river import linear_model, optim

    kind = type(model).__name__
    is_regression = type(model) is linear_model.LinearRegression
    if type(model) is not linear_model.LogisticRegression and not is_regression:
        raise refused(model, RIVER, "LogisticRegression", "learn_one")

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
    if not is_still and (type(own) is not optim.schedulers.Constant or not own.learning_rate > 0):
        raise refuse(
            "intercept_lr",
            "the intercept's rate changes, or it stays where it is but not at 0; use a constant rate, or 0 with intercept_init=0",
        )
    if model.l1 != 0:
        raise refuse(f"l1={model.l1}", "only the quadratic penalty is certified; use l2")
    most = steepest(loss)
    if model.clip_gradient < most and (loss != "hinge" or model.clip_gradient <= 0):
        raise refuse(
            f"clip_gradient={model.clip_gradient}",
            f"it cuts off the slope of the loss; use at least {most:g}, or a LogisticRegression with the loss Hinge()",
        )
    if not (is_projected and model.l2 == 0 and rate > 0):
        check(kind, rate, "optimizer", model.l2, "l2", "give it to from_river")
    # A hinge of slope c: η·c·z = (η·c)·z, and η·σ = (η·c)·(σ/c).
    slope = min(1.0, float(model.clip_gradient)) if loss == "hinge" else 1.0
    weights = {name: float(weight) for name, weight in model.weights.items()}
    start = {**weights, None: float(model.intercept)} if weights and not is_still else weights or None
    return Learner(
        float(rate) * slope, float(model.l2) / slope, loss, not is_still, is_classifier=not is_regression,
        intercept_scale=1.0 if is_still else math.sqrt(own.learning_rate / rate), start=start,
        unknown_start=None if start else _unknown_start(model),
    )


def _unknown_start(model: Any) -> Optional[str]:
    """Why a model that has learned nothing yet does not start at 0, if so."""
    from river import optim

    if type(model.initializer) is optim.initializers.Zeros and model.intercept == 0:
        return None
    return "its initializer or intercept_init puts it elsewhere than at 0, where is known once it has learned a point"
