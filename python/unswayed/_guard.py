"""What stands before a learner in production, so that the radius of a certificate is enforced and not only assumed."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from ._data import Floats, by_rows, is_sparse, matrix, split, written_out
from ._native import UnswayedError
from ._prepare import Transform

#: Numbers for the features: one for all of them, one for each, or one for each name.
PerFeature = Union[float, ArrayLike, Mapping[Any, float]]

_EPSILON = float(np.finfo(np.float64).eps)


class Guard:
    """Clips every point to a norm of at most `radius`, after a scaling that never changes, and refuses NaN and infinite values.

    A certificate is about an adversary whose points have norm at most R. With a guard before the learner every adversary is
    such a one, whatever it sends. `from_sklearn` and `from_river` recognise a guard that is the last step before the learner:
    R is then its `radius`, and the statement of the certificate says so.

    It is a transformer of scikit-learn and of river; it learns nothing, and needs no `fit`.

    >>> import unswayed
    >>> guard = unswayed.Guard(1.0, scale=10.0)
    >>> guard.transform([[3.0, 4.0], [30.0, 40.0]]).round(6)
    array([[0.3, 0.4],
           [0.6, 0.8]])
    >>> guard.transform_one({"width": 3.0, "height": 4.0})
    {'width': 0.3, 'height': 0.4}
    >>> guard.transform([[float("nan"), 0.0]])
    Traceback (most recent call last):
    unswayed.UnswayedError: Guard: row 1, feature 1 is nan; the point is refused

    Args:
        radius: R, in the units after the scaling.
        scale: what features are divided by: a number, one for each feature (an array, or a mapping from their names), or the
            `Transform` of `unswayed.prepare`, which is applied as a whole.
        center: what is subtracted from the features before they are divided.
        features: the names of the features, in order. A point of river's that does not have exactly these is refused: river
            shrinks only the weights of the features that a point has.
    """

    def __init__(
        self,
        radius: float = 1.0,
        *,
        scale: Union[PerFeature, Transform, None] = None,
        center: Optional[PerFeature] = None,
        features: Optional[Sequence[Any]] = None,
    ) -> None:
        # As they are: scikit-learn clones by these very objects.
        self.radius, self.scale, self.center, self.features = radius, scale, center, features
        _register()

    # What both libraries call.

    def transform(self, x: Any) -> Any:
        """The rows, scaled and clipped, as an array. Sparse rows stay sparse, unless a center or a `Transform` fills their zeros."""
        if isinstance(self.scale, Transform) and self.scale.texts is not None:
            if self.center is not None:
                raise UnswayedError("Guard: a Transform of texts has no center; leave it out")
            return self._clipped(self.scale.apply(x, allow_seen=True))
        if is_sparse(x) and self.center is None and not isinstance(self.scale, Transform):
            return self._sparse(by_rows(x))
        rows = matrix(split(written_out(x, "Guard: the rows"), None)[0])
        _refuse_infinite(rows)
        with np.errstate(over="ignore", invalid="ignore"):
            rows = self._scaled(rows)
        _refuse_infinite(rows)
        return clipped(rows, self._radius())

    def transform_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """One point of river's."""
        names = self._names()
        if isinstance(self.scale, Transform) and self.scale.texts is not None:
            raise UnswayedError("Guard: rows of texts are sparse, and river shrinks only the weights of the words that a point has; use scikit-learn")
        if names is not None and set(names) != set(x):
            differ = sorted(map(str, set(names) ^ set(x)))
            raise UnswayedError(f"Guard: the point does not have the features it must have ({', '.join(differ[:3])}); it is refused")
        if isinstance(self.scale, Transform) and names is None:
            raise UnswayedError("Guard: a Transform takes its features in order; name them with features=")
        order = list(x) if names is None else list(names)
        wrong = [name for name in order if not isinstance(x[name], (int, float, np.number))]
        if wrong:
            raise UnswayedError(f"Guard: the feature {wrong[0]!r} is {x[wrong[0]]!r}, not a number; the point is refused")
        row = self.transform(np.array([[float(x[name]) for name in order]]))[0]
        keys = range(len(row)) if isinstance(self.scale, Transform) else order
        return dict(zip(keys, row.tolist()))

    def transform_many(self, x: Any) -> Any:
        """A frame of river's."""
        rows = self.transform(x)
        names = range(rows.shape[1]) if isinstance(self.scale, Transform) else x.columns
        return type(x)(rows, index=x.index, columns=names)

    def describe(self) -> str:
        """What it does, in a line; the statement of a certificate has it."""
        steps = []
        if self.center is not None:
            steps.append(f"minus {_numbers(self.center)}")
        if isinstance(self.scale, Transform):
            steps.append(f"prepared by the transform {self.scale.digest}")
        elif self.scale is not None:
            steps.append(f"divided by {_numbers(self.scale)}")
        clip = f"every row and every poisoned point is clipped to norm {self._radius()!r} by the learner (Guard)"
        return f"{', '.join(steps)}, then {clip}" if steps else clip

    # scikit-learn.

    def fit(self, x: Any = None, y: Any = None) -> Guard:
        """Learns nothing."""
        return self

    def fit_transform(self, x: Any, y: Any = None) -> Any:
        """As `transform`."""
        return self.transform(x)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments that it was made with."""
        return {"radius": self.radius, "scale": self.scale, "center": self.center, "features": self.features}

    def set_params(self, **changes: Any) -> Guard:
        """Changes arguments."""
        for name, value in changes.items():
            if name not in self.get_params():
                raise UnswayedError(f"Guard has no argument {name!r}; it has {', '.join(self.get_params())}")
            setattr(self, name, value)
        return self

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The names of the features that come out."""
        if isinstance(self.scale, Transform):
            return np.array([f"direction{i}" for i in range(self.scale.directions)] + ["bias"], dtype=object)
        names = self.features if input_features is None else input_features
        if names is None:
            raise UnswayedError("Guard: the features have no names; give features=")
        return np.asarray(names, dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(),
            requires_fit=False,
            input_tags=InputTags(sparse=True),
        )

    # river.

    def learn_one(self, x: Any) -> None:
        """Learns nothing."""

    def learn_many(self, x: Any) -> None:
        """Learns nothing."""

    def clone(self, new_params: Optional[dict[str, Any]] = None, include_attributes: bool = False) -> Guard:
        """A guard with the same arguments, but for these."""
        return Guard(**{**self.get_params(), **(new_params or {})})

    @property
    def _supervised(self) -> bool:
        # river asks this when it puts a pipeline together. A step that it does not know as a transformer would be skipped.
        if not _register():
            raise UnswayedError("Guard: river is not imported where it should be; import river before the guard is made")
        return False

    def _get_params(self) -> dict[str, Any]:
        return self.get_params()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        _register()

    def __repr__(self) -> str:
        given = [f"{name}={value!r}" for name, value in self.get_params().items() if name != "radius" and value is not None]
        return f"Guard({', '.join([repr(self.radius), *given])})"

    # How.

    def _sparse(self, rows: Any) -> Any:
        """Sparse rows, scaled and clipped."""
        entries = np.array(rows.data, dtype=np.float64)
        _refuse_infinite_entries(entries, rows)
        if self.scale is not None:
            scale = self._each("scale", self.scale, rows.shape[1])
            if not (scale > 0).all():
                raise UnswayedError("Guard: scale must be positive; leave out features that never vary, or give them the scale 1")
            with np.errstate(over="ignore"):
                entries /= scale if scale.ndim == 0 else scale[rows.indices]
            _refuse_infinite_entries(entries, rows)
        return self._clipped(type(rows)((entries, rows.indices, rows.indptr), shape=rows.shape))

    def _clipped(self, rows: Any) -> Any:
        """Sparse rows of norm at most the radius."""
        entries = rows.data.copy()
        # Each as a row of its entries alone: zeros add nothing to a norm.
        for begin, end in zip(rows.indptr[:-1], rows.indptr[1:]):
            if end > begin:
                entries[begin:end] = clipped(entries[None, begin:end], self._radius())[0]
        return type(rows)((entries, rows.indices, rows.indptr), shape=rows.shape)

    def _radius(self) -> float:
        try:
            radius = float(self.radius)
        except (TypeError, ValueError):
            radius = float("nan")
        if not 0 < radius < float("inf"):
            raise UnswayedError(f"Guard: radius={self.radius!r}: it must be a positive number")
        return radius

    def _names(self) -> Optional[Sequence[Any]]:
        if self.features is not None:
            return self.features
        named = [value for value in (self.scale, self.center) if isinstance(value, Mapping)]
        return list(named[0]) if named else None

    def _scaled(self, rows: Floats) -> Floats:
        if self.center is not None:
            rows = rows - self._each("center", self.center, rows.shape[1])
        if isinstance(self.scale, Transform):
            prepared: Floats = self.scale.apply(rows, allow_seen=True)
            return prepared
        if self.scale is None:
            return rows
        scale = self._each("scale", self.scale, rows.shape[1])
        if not (scale > 0).all():
            raise UnswayedError("Guard: scale must be positive; leave out features that never vary, or give them the scale 1")
        return rows / scale

    def _each(self, name: str, value: Any, columns: int) -> Floats:
        """One number for all features, or one for each."""
        if isinstance(value, Mapping):
            names = self._names() or []
            if set(names) != set(value):
                raise UnswayedError(f"Guard: {name} does not have a number for each feature, or has one too many")
            value = [value[feature] for feature in names]
        numbers = np.asarray(value, dtype=np.float64)
        if numbers.shape not in [(), (columns,)]:
            raise UnswayedError(f"Guard: {name} has the shape {numbers.shape} for {columns} features; give one number, or one for each")
        if not np.isfinite(numbers).all():
            raise UnswayedError(f"Guard: {name} is not finite")
        return numbers


def clipped(rows: Floats, radius: float) -> Floats:
    """Rows whose norm is at most the radius, in exact arithmetic: those that may be longer are shortened a little further."""
    largest = np.abs(rows).max(axis=1, initial=0.0)
    safe = np.where(largest > 0, largest, 1.0)
    # A sum of d squares is known to d roundings; a few more are for the root, the product and the quotient below.
    slack = (rows.shape[1] + 8) * _EPSILON
    relative = np.linalg.norm(rows / safe[:, None], axis=1) * (1 + slack)
    # Without the product of both, which can overflow.
    is_long = relative > radius / safe
    factor = radius / relative[is_long] * (1 - 16 * _EPSILON)
    result = rows.copy()
    result[is_long] = rows[is_long] / safe[is_long, None] * factor[:, None]
    return result


def _register() -> bool:
    """Makes guards transformers in the eyes of river, if it is loaded."""
    base = sys.modules.get("river.base")
    if base is None or not hasattr(base, "Transformer"):
        return False
    is_known = issubclass(Guard, base.Transformer)
    base.Transformer.register(Guard)
    return is_known


def _refuse_infinite(rows: Floats) -> None:
    wrong = np.argwhere(~np.isfinite(rows))
    if len(wrong):
        row, column = wrong[0]
        raise UnswayedError(f"Guard: row {row + 1}, feature {column + 1} is {rows[row, column]}; the point is refused")


def _refuse_infinite_entries(entries: Floats, rows: Any) -> None:
    wrong = np.flatnonzero(~np.isfinite(entries))
    if len(wrong):
        row = int(np.searchsorted(rows.indptr, wrong[0], side="right"))
        column = int(rows.indices[wrong[0]]) + 1
        raise UnswayedError(f"Guard: row {row}, feature {column} is {entries[wrong[0]]}; the point is refused")


def _numbers(value: Any) -> str:
    """One number, or many by their digest."""
    if np.ndim(value) == 0 and not isinstance(value, Mapping):
        return repr(float(value))
    numbers = np.array(list(value.values()) if isinstance(value, Mapping) else value, dtype="<f8")
    return f"{numbers.size} numbers (sha256 {hashlib.sha256(numbers.tobytes()).hexdigest()[:16]}…)"
