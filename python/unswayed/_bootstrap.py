"""How a bound varies with the sample of rows."""

from __future__ import annotations

import numpy as np

from . import _native
from ._data import Floats


class Bootstrap:
    """The bounds of samples of the rows of a certificate, drawn with replacement: a picture of how the bound varies, no proof.

    Each bound is proven, but about its sample, which nobody has. None of them bounds the loss on new data.
    """

    __slots__ = ("_native",)

    def __init__(self, native: _native.Bootstrap) -> None:
        self._native = native

    @property
    def seed(self) -> int:
        """The seed that the samples were drawn with."""
        return self._native.seed

    @property
    def losses(self) -> Floats:
        """The certified loss of each sample."""
        return np.array(self._native.losses)

    @property
    def errors(self) -> Floats:
        """The certified error of each sample; empty for a regression loss."""
        return np.array(self._native.errors)

    @property
    def deviation(self) -> float:
        """The standard deviation of the losses."""
        return float(np.std(self.losses, ddof=1))

    def __repr__(self) -> str:
        return f"<Bootstrap {self._native.text()}>"
