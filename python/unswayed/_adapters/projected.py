"""Models that a projection keeps in a ball."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._native import UnswayedError


class Projected:
    """A river or scikit-learn model whose weights are projected on a ball after every step (Theorem L15 of docs/theory.md).

    It is what a model without regularization lacks, such as river's default: something that keeps it from going anywhere. Train it
    in the model's place, with `learn_one` or `partial_fit`, and give it to `from_river` or `from_sklearn`. Everything else, such as
    `predict_one`, is the model's own.

    The ball holds all weights with the intercept. An intercept with a learning rate of its own, ρ times that of the weights, counts
    as its value divided by √ρ: `scale` is √ρ. `from_river` and `from_sklearn` say which it is; they refuse a model whose rate is another.

    >>> import unswayed
    >>> from river import linear_model
    >>> model = unswayed.Projected(linear_model.LogisticRegression(), radius=10)
    >>> model.learn_one({"length": 0.6, "links": 0.8}, True)
    >>> learner = unswayed.from_river(model)
    >>> learner.regularization, learner.projection
    (0.0, 10.0)

    Args:
        model: a river `LogisticRegression` or `LinearRegression`, or scikit-learn's `SGDClassifier` for two classes or `SGDRegressor`,
            without `average`.
        radius: of the ball. Twice the norm of the weights that clean data lead to is a good first choice.
        scale: √ρ. 0.1 for scikit-learn's intercept on sparse matrices.
    """

    def __init__(self, model: Any, radius: float, *, scale: float = 1.0) -> None:
        for name, number in (("radius", radius), ("scale", scale)):
            if not (number > 0 and math.isfinite(number)):
                raise UnswayedError(f"Projected: {name}={number}: it must be a number above 0")
        if not hasattr(model, "learn_one") and not hasattr(model, "partial_fit"):
            raise UnswayedError(f"Projected: {type(model).__name__} has neither learn_one nor partial_fit")
        if getattr(model, "average", False):
            raise UnswayedError("Projected: average: the averaged model is not the one that makes the steps; use average=False")
        self.model = model
        self.radius = float(radius)
        self.scale = float(scale)

    def learn_one(self, x: Any, y: Any) -> None:
        """The model's own step, then the projection."""
        self.model.learn_one(x, y)
        # The property `weights` is a copy.
        weights = self.model._weights
        factor = self._factor([float(weight) for weight in weights.values()], float(self.model.intercept))
        if factor < 1:
            for name in list(weights):
                weights[name] *= factor
            self.model.intercept *= factor

    def partial_fit(self, x: Any, y: Any, **options: Any) -> Projected:
        """The model's own steps, a projection after each: rows are given to it one at a time."""
        per_row = options.pop("sample_weight", None)
        labels = np.asarray(y)
        for i in range(x.shape[0]):
            own = {} if per_row is None else {"sample_weight": per_row[i : i + 1]}
            self.model.partial_fit(x[i : i + 1], labels[i : i + 1], **options, **own)
            coef, intercept = self.model.coef_, self.model.intercept_
            if coef.size != coef.shape[-1]:
                raise UnswayedError("Projected: several classes have a model each; project one of two classes")
            factor = self._factor(coef.ravel().tolist(), float(intercept[0]))
            if factor < 1:
                coef *= factor
                intercept *= factor
        return self

    def _factor(self, weights: list[float], intercept: float) -> float:
        """What the projection multiplies by, if it is below 1."""
        norm = math.hypot(*weights, intercept / self.scale)
        return self.radius / norm if norm > self.radius else 1.0

    def __getattr__(self, name: str) -> Any:
        # Only what is not found here; while a copy is made there is no model yet.
        if name == "model":
            raise AttributeError(name)
        return getattr(self.model, name)
