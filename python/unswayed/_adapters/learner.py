"""A learner, as it is read off an estimator."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from .. import _native
from .._attack import Attacks, attack
from .._certificate import Certificate, certify
from .._data import Data, Features, Floats, floats, matrix, split, take_column
from .._design import Tolerated, tolerate
from .._native import UnswayedError
from .._problem import label_kind


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
        start: the weights of an estimator that is fitted, by position or by the name of the feature, that of the intercept last. It is
            where `certify` with a `horizon` starts from, unless `start` says otherwise.
    """

    learning_rate: float
    regularization: float
    loss: str = "hinge"
    intercept: bool = False
    schedule: Optional[str] = None
    average: bool = False
    from_step: int = 1
    start: Union[None, tuple[float, ...], Mapping[Any, float]] = field(default=None, repr=False, compare=False)

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
        if options.get("horizon") is not None and options.get("start") is None and self.start is not None:
            options["start"] = _weights(self.start, x)
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


def _weights(start: Union[tuple[float, ...], Mapping[Any, float]], x: Features) -> Sequence[float]:
    """The weights in the order of the features; those of river have names instead, and the intercept has none."""
    if not isinstance(start, Mapping):
        return start
    names = [name for name in start if name is not None]
    columns = getattr(x, "columns", None)
    order = range(len(names)) if columns is None else [name for name in columns if name in start]
    if set(order) != set(names):
        raise UnswayedError("start: the model's weights have names that the features have not; give start= in the order of the features")
    return [start[name] for name in [*order, *[None] * (None in start)]]


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
