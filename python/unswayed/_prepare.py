"""From raw features to rows that can be certified."""

from __future__ import annotations

import hashlib
import os
from typing import Any, Union

from . import _native
from ._data import Floats, matrix, split
from ._native import UnswayedError


class Transform:
    """A fitted preprocessing. Made by `prepare`."""

    __slots__ = ("_native",)

    def __init__(self, native: _native.Transform) -> None:
        self._native = native

    @property
    def directions(self) -> int:
        """How many directions are kept; prepared rows have one number more, the bias."""
        return self._native.directions

    @property
    def kept_variance(self) -> float:
        """The share of the training rows' variance that the directions keep."""
        return self._native.kept_variance

    @property
    def digest(self) -> str:
        """The start of the SHA-256 of its file."""
        return hashlib.sha256(self._native.to_bytes()).hexdigest()[:16] + "…"

    def apply(self, x: Any, *, allow_seen: bool = False) -> Floats:
        """Treats other rows like the training rows; refuses rows that the fit has seen, unless they are allowed."""
        return self._native.apply(matrix(split(x, None)[0]), allow_seen)[0]

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the transform, for `load` and for `unswayed prepare --apply`."""
        with open(path, "wb") as file:
            file.write(self._native.to_bytes())

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]]) -> Transform:
        """Reads a transform."""
        with open(path, "rb") as file:
            content = file.read()
        try:
            return cls(_native.Transform.from_bytes(content))
        except UnswayedError as error:
            raise UnswayedError(f"{os.fspath(path)}: {error}") from None

    def __repr__(self) -> str:
        return f"Transform({self.directions} directions, {100 * self.kept_variance:.1f} % of the variance)"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._native.to_bytes(),)


def _restore(content: bytes) -> Transform:
    return Transform(_native.Transform.from_bytes(content))


def prepare(x: Any, directions: int = 30) -> tuple[Floats, Transform]:
    """The paper's preprocessing, fitted on training features: project to the top singular directions, centre, scale, add a
    bias coordinate, scale to norm at most 1. Returns the prepared rows and the transform for other rows.

    >>> import numpy as np, unswayed
    >>> features = np.random.default_rng(0).normal(size=(200, 50))
    >>> rows, transform = unswayed.prepare(features, directions=10)
    >>> rows.shape, bool(np.linalg.norm(rows, axis=1).max() <= 1)
    ((200, 11), True)
    >>> transform.apply(np.ones((3, 50))).shape
    (3, 11)
    >>> transform.apply(features[:1])
    Traceback (most recent call last):
    unswayed.UnswayedError: ...
    """
    native, rows = _native.Transform.fit(matrix(split(x, None)[0]), directions)[0:2]
    return rows, Transform(native)
