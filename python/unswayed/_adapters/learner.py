"""A learner, as it is read off an estimator."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from .. import _native
from .._attack import Attacks, attack
from .._certificate import Certificate, certify
from .._data import MEMORY_LIMIT, Data, Features, Floats, floats, is_sparse, matrix, split, take_column, written_out
from .._design import Tolerated, tolerate
from .._native import UnswayedError
from .._problem import label_kind
from .frozen import Frozen, one_line, row_of
from .one_vs_rest import OneVsRest
from .rates import Rates

#: What an intercept is scaled by that learns at a hundredth of the rate: scikit-learn's on sparse matrices.
SPARSE_INTERCEPT = math.sqrt(0.01)
#: Options with which sparse rows are written out, because there is no certificate for them as they are.
WRITTEN_OUT = ("target", "confidence", "projection", "clip", "contaminated", "class_weight", "sample_weight")


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
        loss: `"hinge"`, `"logistic"` or another loss of `unswayed.certify` for two classes or for numbers.
        intercept: whether there is an intercept. It is the weight of a feature that is always 1 and is not regularized; `certify` and
            `attack` append that feature to `x`, and the adversary may send any point (features, 1) · label whose features have norm
            at most `radius`: `adversary="features"` of `unswayed.certify`, if no other is asked for.
        schedule: how the learning rate changes, as for `unswayed.certify`.
        average: whether the model is the average of all models so far.
        from_step: the step from which on the learning rate is as `learning_rate` and `schedule` say. Bounds are for the long run,
            in which the steps before do not count.
        momentum: μ of steps v ← μv + gradient, θ ← θ − ηv, from v = 0.
        before: the frozen steps of a pipeline that make the learner's rows; `certify` and the others then take raw features.
        is_classifier: whether labels are classes, as those of classifiers are, and never scores.
        classes: the classes that the estimator has seen, if it was fitted.
        class_weight: what steps on the rows of each class are multiplied by: a dictionary, `"balanced"` or nothing.
        intercept_scale: the feature of the intercept, if it is not 1: √(ρ), where the intercept learns at ρ times `learning_rate`. With
            that feature and the common rate it is the same learner (Section 10 of docs/theory.md).
        asks_sparse: whether rows that are a sparse matrix mean that the intercept learns at a hundredth of the rate, as it does in
            scikit-learn. `certify` and the others then see by the rows which learner it is.
        start: the weights of an estimator that is fitted, by position or by the name of the feature, that of the intercept last. It is
            where `certify` with a `horizon` starts from, unless `start` says otherwise.
        unknown_start: why a `horizon` needs a `start`: the model does not begin at 0, or not where the estimator's weights are.
        rates: the learning rates of the estimator's next steps, if they fall. They say what a `horizon` is for: its T steps are the next
            ones, and `learning_rate` is then that of the first of them.
        projection: the radius of the ball that the weights are projected on after each step.
    """

    learning_rate: float
    regularization: float
    loss: str = "hinge"
    intercept: bool = False
    schedule: Optional[str] = None
    average: bool = False
    from_step: int = 1
    before: Optional[Frozen] = field(default=None, repr=False, compare=False)
    is_classifier: bool = field(default=False, repr=False, compare=False)
    classes: Optional[tuple[Any, ...]] = field(default=None, repr=False, compare=False)
    class_weight: Any = field(default=None, repr=False)
    intercept_scale: float = field(default=1.0, repr=False)
    start: Union[None, tuple[float, ...], Mapping[Any, float]] = field(default=None, repr=False, compare=False)
    momentum: float = field(default=0.0, repr=False)
    asks_sparse: bool = field(default=False, repr=False)
    projection: Optional[float] = field(default=None, repr=False)
    unknown_start: Optional[str] = field(default=None, repr=False, compare=False)
    rates: Optional[Rates] = field(default=None, repr=False, compare=False)

    def update(self, model: ArrayLike, z: ArrayLike, weight: float = 1.0, last: Optional[ArrayLike] = None) -> Floats:
        """The model after one step on the point z = label · features, multiplied by the weight; with an intercept,
        z = label · (features, 1). For a regression loss z is the label and then the features; with an intercept,
        z = (label, features, 1). With momentum `last` is the model a step before; at the first step there is none.

        >>> import unswayed
        >>> unswayed.Learner(learning_rate=0.5, regularization=0.5).update([0.0, 1.0], [0.6, 0.8])
        array([0.3 , 1.15])
        """
        theta, point = map(floats, (model, z))
        if self.projection is not None:
            moved = replace(self, projection=None).update(theta, point, weight)
            own = moved[-1] / (self.intercept_scale if self.intercept else 1.0)
            norm = math.hypot(*moved[:-1], own)
            return moved if norm <= self.projection else moved * (self.projection / norm)
        if self.momentum and last is not None:
            return self.update(theta, point, weight) + self.momentum * (theta - floats(last))
        setting = (self.learning_rate, self.regularization, self.loss, self.intercept)
        if not self.intercept or self.intercept_scale == 1.0:
            return _native.update(theta, point, *setting, weight)
        scale = np.ones(len(theta))
        scale[-1] = self.intercept_scale
        scaled = point.copy()
        scaled[-1] *= self.intercept_scale
        return scale * _native.update(theta / scale, scaled, *setting, weight)

    def certify(self, x: Features, y: Any = None, *, poison_rate: float, **options: Any) -> Certificate:
        """`unswayed.certify` with this learner, on the rows as they are: the estimator learns from them without scaling.

        With the steps of a pipeline `before` it, on the rows that they make of `x`.
        """
        if self.asks_sparse:
            return self._seen(x).certify(x, y, poison_rate=poison_rate, **options)
        options = self._first_steps(x, self._beside(options))
        certificate = certify(*self._rows(x, y, options), poison_rate=poison_rate, **self._asked(options))
        # A projected model is in its ball after one step.
        if self.start is not None and self.projection is None and certificate.start_norm < math.inf:
            norm = math.hypot(*self._start(x))
            if norm > certificate.start_norm:
                raise UnswayedError(
                    f"the weights of this model have norm {norm:.4g}, and the bound is for models that start with a norm of at most "
                    f"{certificate.start_norm:.4g}: certify a model that has learned nothing yet, or one whose weights are not so large"
                )
        return certificate

    def certify_each(self, x: Features, y: Any, *, poison_rate: float, **options: Any) -> OneVsRest:
        """A certificate for each of several classes: scikit-learn trains one model for each class against the rest.

        >>> import numpy as np, unswayed
        >>> from sklearn.linear_model import SGDClassifier
        >>> model = SGDClassifier(alpha=0.1, learning_rate="constant", eta0=0.01, fit_intercept=False)
        >>> x = np.repeat(np.eye(3), 20, axis=0)
        >>> each = unswayed.from_sklearn(model).certify_each(x, np.repeat(["cat", "dog", "owl"], 20), poison_rate=0.01)
        >>> each
        OneVsRest(3 certificates, for the classes 'cat', 'dog', 'owl' each against the rest)
        >>> each["owl"].status, each.certified_error <= 1
        ('certified', True)
        """
        if self.asks_sparse:
            return self._seen(x).certify_each(x, y, poison_rate=poison_rate, **options)
        if isinstance(x, (Data, str, os.PathLike)):
            raise UnswayedError("certify_each takes features and labels as arrays or frames, not a file and no Data")
        if isinstance(y, str):
            x, y = take_column(x, y, "y")
        options = self._first_steps(x, self._beside(options))
        x, y, reading = self._features(x, y, options)
        labels = np.asarray(y)
        classes = np.unique(labels).tolist()
        self._refuse_other_classes(labels)
        if len(classes) < 3:
            raise UnswayedError(f"y has {len(classes)} classes, and scikit-learn trains one model for two of them; use certify")
        weights, found = reading.pop("class_weight", None), {}
        for name in classes:
            text = f"labels: class {one_line(str(name), 100)} is 1, every other class is -1"
            parts = [text] if self.before is None else [self.before.text, text]
            weight = {"class_weight": {-1: 1.0, 1: _class_weight(weights, labels, name)}} if weights is not None else {}
            data = Data(x, np.where(labels == name, 1, -1), scale=1.0, **{**reading, **weight, "made_by": "; ".join(parts)})
            found[name] = certify(data, poison_rate=poison_rate, **self._asked(dict(options)))
        return OneVsRest(found)

    def attack(self, x: Features, y: Any = None, *, poison_rate: float, **options: Any) -> Attacks:
        """`unswayed.attack` with this learner."""
        if self.asks_sparse:
            return self._seen(x).attack(x, y, poison_rate=poison_rate, **options)
        options = self._beside(options)
        return attack(*self._rows(x, y, options), poison_rate=poison_rate, **self._asked(options))

    def tolerate(self, x: Features, y: Any = None, *, limit: float, **options: Any) -> Optional[Tolerated]:
        """`unswayed.tolerate` with this learner: the largest poison rate under the limit."""
        if self.asks_sparse:
            return self._seen(x).tolerate(x, y, limit=limit, **options)
        found = tolerate(*self._rows(x, y, options), limit=limit, **self._asked(options))
        assert found is None or isinstance(found, Tolerated)
        return found

    def _seen(self, x: Features) -> Learner:
        """The learner that this one is on rows like these: sparse ones or arrays."""
        made = x if self.before is None else self.before.transform(row_of(x, 0))
        scale = SPARSE_INTERCEPT if is_sparse(made) else 1.0
        return replace(self, intercept_scale=scale, asks_sparse=False)

    def _first_steps(self, x: Features, options: dict[str, Any]) -> dict[str, Any]:
        """The options with what the estimator says of a horizon: where it starts, and its learning rates."""
        if options.get("horizon") is None:
            return options
        if options.get("start") is None:
            if self.unknown_start is not None:
                raise UnswayedError(f"horizon: the estimator does not say where its steps start: {self.unknown_start}; give start=")
            if self.start is not None:
                options["start"] = self._start(x)
        if self.rates is not None and options.get("first_rate") is None and options.get("total_rate") is None:
            options = {**self.rates.of_horizon(options["horizon"], options.get("schedule", self.schedule)), **options}
        return options

    def _start(self, x: Features) -> list[float]:
        """The weights of the fitted estimator as the learner with a common rate has them."""
        assert self.start is not None
        weights = list(_weights(self.start, x))
        if self.intercept:
            weights[-1] /= self.intercept_scale
        return weights

    def _beside(self, options: dict[str, Any]) -> dict[str, Any]:
        """The options with rows of their own, `test` and `target`, as the learner sees them."""
        options = dict(options)
        for name in ("test", "target"):
            given = options.get(name)
            if given is not None and (self.intercept or self.before):
                if isinstance(given, Data):
                    raise UnswayedError(f"{name}: this learner makes its rows itself; give a pair of features and labels, not a Data")
                features, labels = given if isinstance(given, tuple) else (given, None)
                options[name] = self._rows(features, labels, {})[0]
        return options

    @property
    def _setting(self) -> dict[str, Any]:
        return {"learning_rate": self.learning_rate, "regularization": self.regularization}

    def _asked(self, options: dict[str, Any]) -> dict[str, Any]:
        """The options of `certify`, `attack` and `tolerate` for this learner."""
        options = {**self._setting, "loss": self.loss, "schedule": self.schedule, "average": self.average,
                   "momentum": self.momentum, **options}
        if self.projection is not None:
            options["projection"] = self.projection
        # Without regularization an intercept is a weight like the others.
        if self.intercept and self.projection is None:
            options = {"adversary": "features", **options, "bias": -1}
        if options.get("adversary", "ball") in ("ball", "features"):
            options["radius"] = self._radius(options.get("radius"), options.get("adversary") == "features")
        return options

    def _radius(self, radius: Optional[float], of_features: bool) -> Optional[float]:
        """The largest norm of the adversary's points as the learner sees them, or of their features alone."""
        guard = None if self.before is None else self.before.radius
        if guard is not None:
            if radius is not None and radius < guard:
                raise UnswayedError(f"radius={radius}: the guard lets points of norm up to {guard} through; lower the guard's radius")
            radius = guard if radius is None else radius
        # ‖(x, c)‖ ≤ √(radius² + c²), rounded up.
        constants = [1.0] if self.before is not None and self.before.constant else []
        constants += [self.intercept_scale] if self.intercept and not of_features else []
        for constant in constants:
            radius = math.nextafter(math.hypot(1.0 if radius is None else radius, constant), math.inf)
        return radius

    def _rows(self, x: Features, y: Any, options: dict[str, Any]) -> tuple[Data, None]:
        """Features and labels as `certify` takes them."""
        x, y, reading = self._features(x, y, options)
        if isinstance(x, Data):
            data = x
        else:
            if y is not None and not isinstance(y, str):
                self._refuse_other_classes(np.asarray(y))
            # Rows of norm above 1 are meant as they are: divided by 1.
            data = Data(x, y, scale=1.0, **reading)
        if self.is_classifier and data.origin["labels"] == "scores":
            raise UnswayedError(
                "y has more than two classes: a classifier has one model for each of them; certify_each gives a certificate for "
                "each (of scikit-learn's SGDClassifier), and y with two classes one for a single model"
            )
        return data, None

    def _features(self, x: Features, y: Any, options: dict[str, Any]) -> tuple[Any, Any, dict[str, Any]]:
        """Features as the learner sees them, labels, and how to read both; takes what is about reading out of the options."""
        _refuse_scaling(x, options)
        if isinstance(x, (Data, str, os.PathLike)) and (self.intercept or self.before):
            reason = "whose rows a pipeline makes" if self.before else "with an intercept, which appends a feature that is 1,"
            raise UnswayedError(f"a learner {reason} takes features and labels as arrays or frames, not a file and no Data")
        if isinstance(x, Data):
            if self.class_weight is not None and x.origin.get("class_weights") is None:
                raise UnswayedError("the learner weighs classes in its steps: make the Data with class_weight")
            return x, y, {}
        if self.class_weight is not None:
            options.setdefault("class_weight", self.class_weight)
        keep_sparse = self._keeps_sparse(options)
        names = ("weights", "weight_column", "labels", "class_weight", "sample_weight")
        reading = {name: options.pop(name) for name in names if options.get(name) is not None}
        if label_kind(self.loss) is not None:
            reading.setdefault("labels", label_kind(self.loss))
        if not (self.intercept or self.before):
            if is_sparse(x) and not keep_sparse:
                x = written_out(x, "the features")
            return x, y, reading
        if "weight_column" in reading:
            x, reading["weights"] = take_column(x, reading.pop("weight_column"), "weight_column")
        if isinstance(y, str):
            x, y = take_column(x, y, "y")
        y = y.to_numpy() if hasattr(y, "to_numpy") else y
        if self.before is None:
            x, y = split(x, y)
            x = matrix(written_out(x, "the sparse rows", MEMORY_LIMIT))
        else:
            refuse = self.intercept and self.intercept_scale == 1.0
            x = self.before.rows(x, refuse_sparse=refuse, keep_sparse=keep_sparse)
            reading["made_by"] = self.before.text
        if self.intercept:
            x = np.column_stack([x, np.full(len(x), self.intercept_scale)])
        return x, y, reading

    def _keeps_sparse(self, options: dict[str, Any]) -> bool:
        """Whether sparse rows are certified as they are with this learner and these options."""
        is_plain = not self.intercept and self.schedule is None and self.momentum == 0 and self.loss in ("hinge", "logistic")
        others = [name for name in WRITTEN_OUT if options.get(name) is not None]
        return is_plain and not others and options.get("adversary", "ball") == "ball"

    def _refuse_other_classes(self, y: Any) -> None:
        """Refuses labels that are not those that the estimator was fitted with."""
        if self.classes is not None and set(np.unique(y).tolist()) != set(self.classes):
            seen, given = (", ".join(map(str, sorted(names))) for names in (self.classes, np.unique(y).tolist()))
            raise UnswayedError(f"the estimator was fitted with the classes {seen}, and y has {given}; give the same classes")


def project(learner: Learner, model: Any) -> Learner:
    """The learner whose weights a `Projected` model keeps in its ball."""
    if learner.intercept and learner.asks_sparse:
        learner = replace(learner, asks_sparse=False, intercept_scale=model.scale)
    if learner.intercept and learner.intercept_scale != model.scale:
        raise UnswayedError(
            f"Projected: scale={model.scale}: the intercept's learning rate is another; use scale={learner.intercept_scale!r}"
        )
    if learner.schedule is not None:
        raise UnswayedError("Projected: a learning rate that falls is not certified with a projection here; use a constant one")
    if learner.intercept and learner.regularization > 0:
        raise UnswayedError(
            "Projected: an intercept that is not regularized beside weights that are has no proof with a projection; it needs none: "
            "give the model itself"
        )
    return replace(learner, projection=model.radius)


def _class_weight(weights: Any, labels: Any, name: Any) -> float:
    """What scikit-learn multiplies steps on one class of several by; on the rest it multiplies them by 1."""
    if weights == "balanced":
        return len(labels) / (len(np.unique(labels)) * float(np.sum(labels == name)))
    return float(weights.get(name, 1.0))


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
