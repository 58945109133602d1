"""Pipelines whose steps before the learner are frozen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .._data import Floats
from .._guard import Guard
from .._native import UnswayedError
from .frozen import Frozen, one_line


def sklearn_steps(pipeline: Any, memory_limit: int) -> Frozen:
    """The transformers of a fitted scikit-learn pipeline. Only their `transform` is used."""
    steps = [step for _, step in pipeline.steps[:-1] if step is not None and step != "passthrough"]
    for step in steps:
        _refuse_unfitted(step)

    def transform(x: Any) -> Any:
        for step in steps:
            x = step.transform(x)
        return x

    text = ", then ".join(map(_sklearn_text, steps)) or "passed through"
    return Frozen(transform, one_line(text, 1800), _guard_radius(steps), memory_limit=memory_limit)


def _refuse_unfitted(step: Any) -> None:
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    kind = type(step).__name__
    if not hasattr(step, "transform"):
        raise UnswayedError(f"{kind}: a step before the learner has no transform; only transformers can stand there")
    try:
        check_is_fitted(step)
    except NotFittedError:
        raise UnswayedError(
            f"{kind}: it is not fitted, so its rows are not known; fit the transformers on data of your own before the learner "
            "starts, keep them as they are from then on, and call partial_fit of the last step only"
        ) from None


def _sklearn_text(step: Any) -> str:
    """A transformer in a line: its arguments, and a digest of what it was fitted to."""
    if isinstance(step, Guard):
        return step.describe()
    import joblib

    try:
        digest = f" (fitted, joblib sha1 {joblib.hash(step, hash_name='sha1')[:16]}…)"
    except Exception:  # noqa: BLE001, a step of any kind that cannot be pickled, in a way of its own
        digest = ""
    return one_line(repr(step)) + digest


def _guard_radius(steps: list[Any]) -> Any:
    return steps[-1]._radius() if steps and isinstance(steps[-1], Guard) else None


def river_steps(steps: Iterable[Any]) -> Frozen:
    """The transformers of a river pipeline that learn nothing."""
    flat = list(steps)
    for step in flat:
        _refuse_learning(step)

    def transform(x: Any) -> Floats:
        return _table([_through(flat, point) for point in _points(x)])

    text = ", then ".join(step.describe() if isinstance(step, Guard) else one_line(_river_text(step)) for step in flat)
    return Frozen(transform, one_line(text or "passed through", 1800), _guard_radius(flat))


def _through(steps: list[Any], point: dict[Any, Any]) -> dict[Any, Any]:
    for step in steps:
        point = step.transform_one(point)
    return point


def _river_text(step: Any) -> str:
    arguments = step._get_params() if hasattr(step, "_get_params") else {}
    if not isinstance(arguments, dict):
        return repr(step)
    return f"{type(step).__name__}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"


def _refuse_learning(step: Any) -> None:
    """Refuses a step of river's that changes while the learner learns."""
    from river import base, compose

    if isinstance(step, Guard):
        return
    kind = type(step).__name__
    if isinstance(step, compose.Pipeline):
        parts = list(step.steps.values())
    elif type(step) is compose.TransformerUnion:
        parts = list(step.transformers.values())
    else:
        parts = []
        # river's own default learns nothing, and a step that learns has another.
        if getattr(type(step), "learn_one", None) is not base.Transformer.learn_one:
            raise UnswayedError(
                f"{kind}: it keeps learning while the model learns, so an adversary moves it too, and its rows change; freeze it: let "
                "it learn on data of your own first, then put unswayed.Guard(radius, center={feature: mean}, scale={feature: "
                "deviation}) in its place"
            )
    for part in parts:
        _refuse_learning(part)


def _points(x: Any) -> list[dict[Any, Any]]:
    """Rows as river's points: mappings, or what arrays and frames make of them."""
    if hasattr(x, "to_dict") and hasattr(x, "iloc"):
        return list(x.to_dict("records"))
    if hasattr(x, "iter_rows"):
        return list(x.iter_rows(named=True))
    if isinstance(x, (list, tuple)) and all(isinstance(point, dict) for point in x):
        return list(x)
    rows = np.asarray(x)
    if rows.ndim != 2:
        raise UnswayedError("give river's points as a list of dictionaries, a frame or an array of two dimensions")
    return [dict(enumerate(row)) for row in rows.tolist()]


def _table(points: list[dict[Any, Any]]) -> Floats:
    """Points with the same features as an array; the first point says in which order."""
    if not points:
        raise UnswayedError("there are no rows")
    names = list(points[0])
    for i, point in enumerate(points):
        if set(point) != set(names):
            odd = sorted(map(str, set(point) ^ set(names)))
            raise UnswayedError(
                f"row {i + 1} does not have the features of row 1 ({', '.join(odd[:3])}): river shrinks only the weights of the features "
                "that a point has, and that learner is not certified; give every point all features, 0 where there is nothing"
            )
    try:
        return np.array([[float(point[name]) for name in names] for point in points])
    except (TypeError, ValueError) as error:
        raise UnswayedError(f"the features are not all numbers ({error})") from None
