"""Several classes as one learner for each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from .._certificate import Certificate


class OneVsRest(Mapping[Any, Certificate]):
    """A certificate for each class of a one-versus-rest classifier, by the class. Made by `Learner.certify_each`.

    Each certificate speaks of the model of its class alone, which tells the class (+1) from all others (−1). All models meet
    the same stream of points; the bounds hold for all of them at once, because each holds for every adversary.
    """

    def __init__(self, certificates: Mapping[Any, Certificate]) -> None:
        self._certificates: dict[Any, Certificate] = dict(certificates)

    @property
    def certified_error(self) -> float:
        """No adversary gets the long-run fraction of rows that the classes' models together misclassify above this.

        A row whose class has the only positive score is classified rightly, so the error is at most the sum of the models'
        errors.
        """
        total = sum(certificate.certified_error or 0.0 for certificate in self.values())
        # A sum of numbers ≥ 0 is known to one rounding for each.
        return min(1.0, math.nextafter(total * (1 + len(self) * 2**-52), math.inf))

    def __getitem__(self, name: Any) -> Certificate:
        return self._certificates[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._certificates)

    def __len__(self) -> int:
        return len(self._certificates)

    def __repr__(self) -> str:
        names = ", ".join(map(repr, self))
        return f"OneVsRest({len(self)} certificates, for the classes {names} each against the rest)"
