"""What is certified, attacked and simulated: a learner with its adversary, and the data they meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _native
from ._data import Data, Features, Floats, class_weight_text, floats, made, whole
from ._native import UnswayedError


@dataclass(frozen=True, eq=False)
class Box:
    """An adversary who may send any point z = label · features with |z_j| ≤ R_j, in the units of the data.

    >>> import unswayed
    >>> unswayed.certify(unswayed.sample(), adversary=unswayed.Box(0.2),
    ...     learning_rate=1e-3, regularization=0.01, poison_rate=0.02).status
    'certified'

    Args:
        radii: R, one number for all features or one for each. `adversary="box"` is the smallest box around the data.
    """

    radii: ArrayLike


@dataclass(frozen=True, eq=False)
class Ellipsoid:
    """An adversary who may send any point z = label · features with zᵀQ⁻¹z ≤ 1.

    >>> import numpy as np, unswayed
    >>> unswayed.certify(unswayed.sample().first(100), adversary=unswayed.Ellipsoid(0.1 * np.eye(31)),
    ...     learning_rate=1e-3, regularization=0.01, poison_rate=0.02).status
    'certified'

    Args:
        q: Q, symmetric and positive definite, in the units of the rows; so it does not go with `normalize=True`.
            `adversary="ellipsoid"` is the one of the Mahalanobis filter that lets all data pass.
    """

    q: ArrayLike


@dataclass(frozen=True, eq=False)
class Points:
    """An adversary who may send these points, in the units of the data, and no others.

    >>> import unswayed
    >>> data = unswayed.sample().first(100)
    >>> dict(unswayed.certify(data, adversary=unswayed.Points(-data.z[:3]),
    ...     learning_rate=1e-3, regularization=0.01, poison_rate=0.02).lines)["threat"]
    "each point is, with probability 0.02, the adversary's: any of 3 points; ..."

    Args:
        points: one point z = label · features in each row. `adversary="flips"` are the rows of the data with either label.
    """

    points: ArrayLike


#: The losses whose labels are numbers to predict.
REGRESSIONS = ("absolute", "epsilon-insensitive", "huber", "quantile")

#: The largest step weight of a poisoned point, or one for each label.
PoisonWeight = Union[float, Mapping[Any, float], None]

#: The points that the adversary may send.
Adversary = Union[str, Box, Ellipsoid, Points]


def asked(
    *,
    loss: Optional[str],
    adversary: Adversary,
    radius: Optional[float],
    batch: int,
    projection: Optional[float],
    clip: Optional[float],
    momentum: float,
    bias: Union[int, str, None],
    schedule: Optional[str],
    average: bool,
    label_bound: Optional[float],
    poison_weight: PoisonWeight,
    contaminated: Optional[float],
    moments: Optional[int],
) -> _native.Asked:
    """Learner and adversary but for the rates, as the compiled half takes them."""
    name, numbers = _set(adversary)
    if isinstance(bias, bool):
        raise UnswayedError(f"bias {bias}: it must be the index or the name of a column")
    return {
        "loss": loss,
        "adversary": name,
        "numbers": numbers,
        "radius": radius,
        "batch": whole("batch", batch, 1),
        "projection": projection,
        "clip": clip,
        "momentum": momentum,
        "bias": bias,
        "schedule": schedule,
        "average": average,
        "label_bound": label_bound,
        "poison_weight": class_weight_text(poison_weight, "poison_weight") if isinstance(poison_weight, Mapping) else poison_weight,
        "contaminated": contaminated,
        "moments": moments,
    }


def label_kind(loss: Optional[str]) -> Optional[str]:
    """How the labels of arrays and files are read for this loss, where no other way is asked for."""
    if loss == "multiclass":
        return "classes"
    return "numbers" if loss is not None and loss.partition("=")[0] in REGRESSIONS else None


def problem(
    x: Features,
    y: Any,
    *,
    learning_rate: float,
    regularization: float,
    poison_rate: float,
    template: _native.Asked,
    target: Any = None,
    **reading: Any,
) -> _native.Problem:
    """What a user means by the arguments that `certify`, `attack`, `simulate` and `tolerate` share."""
    own = several(x)
    if reading["labels"] is None and own is None and not isinstance(x, Data):
        reading["labels"] = label_kind(template["loss"])
    each: Sequence[Features] = own or [x]
    data = [made(one, y, **reading) for one in each]
    judged = None if target is None else alike(target, data[0], reading["labels"])
    return _native.Problem(data, judged, (learning_rate, regularization, poison_rate), template)


def several(x: Any) -> Optional[list[Data]]:
    """The datasets that the data may switch between, if `x` is a list of them."""
    if isinstance(x, (list, tuple)) and len(x) > 0 and all(isinstance(one, Data) for one in x):
        return list(x)
    return None


def alike(other: Any, data: _native.Data, labels: Optional[str] = None) -> _native.Data:
    """Data beside others: ready, or features (with labels, in a pair) that are read and scaled as those were."""
    if isinstance(other, Data):
        return made(other)
    pair = other if isinstance(other, tuple) else (other,)
    return made(*pair, labels=data.front_label or labels, scale=data.scale_for_others)


def _set(adversary: Adversary) -> tuple[str, Optional[Floats]]:
    """The name of a set, and the numbers that it is given by."""
    if isinstance(adversary, str):
        return adversary, None
    if isinstance(adversary, Box):
        return "box", _numbers("Box", np.atleast_2d(np.asarray(adversary.radii)))
    if isinstance(adversary, Ellipsoid):
        return "ellipsoid", _numbers("Ellipsoid", adversary.q)
    if isinstance(adversary, Points):
        return "points", _numbers("Points", adversary.points)
    raise UnswayedError(f"adversary {adversary!r}: it must be a name, or a Box, Ellipsoid or Points")


def _numbers(name: str, array: Any) -> Floats:
    try:
        numbers = floats(array)
    except UnswayedError:
        raise
    except (TypeError, ValueError) as error:
        raise UnswayedError(f"adversary {name}: not all are numbers ({error})") from None
    if numbers.ndim != 2:
        raise UnswayedError(f"adversary {name}: the array has {numbers.ndim} dimensions, not two")
    return numbers
