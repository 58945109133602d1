"""Learning rates of scikit-learn that fall, and what they add up to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Optional

#: Room for rounding, relative.
ROOM = 1e-9


@dataclass(frozen=True)
class Rates:
    """The rates from an estimator's next step on: η_t = 1/(α(t₀ + t − 1)) with t₀ = α^(−3/4), scikit-learn's `optimal`, or η₀/t^p.

    Attributes:
        alpha: α.
        first: the number t of the next step.
        eta0: η₀ of `invscaling`; none for `optimal`.
        power: p of `invscaling`.
    """

    alpha: float
    first: int
    eta0: Optional[float] = None
    power: float = 0.0

    @property
    def _place(self) -> float:
        """The number that the rate of the first step is an inverse (power) of."""
        return float(self.first) if self.eta0 is not None else self.alpha**-0.75 + self.first - 1

    def at(self, step: float) -> float:
        """The rate so many steps after the first."""
        place = self._place + step
        return 1 / (self.alpha * place) if self.eta0 is None else self.eta0 / place**self.power

    def total(self, steps: int) -> float:
        """What the rates of these steps add up to, or a little less: a falling convex function is below its chords, so its sum is at
        least its integral and half of what it falls by."""
        place, grown = self._place, math.log1p(steps / self._place)
        if self.eta0 is None:
            integral = grown / self.alpha
        else:
            rest = 1 - self.power
            integral = self.eta0 * place**rest * math.expm1(rest * grown) / rest
        return (integral + (self.at(0) - self.at(steps)) / 2) * (1 - ROOM)

    def of_horizon(self, steps: int, schedule: Optional[str]) -> dict[str, Any]:
        """What `certify` is told for the next steps: the largest rate, how the rates fall, and the first of them or their sum."""
        # 1/η_t grows fastest at first.
        slowdown = (1 / self.at(1) - 1 / self.at(0)) * (1 + ROOM)
        if self.eta0 is not None and schedule != "weighted":
            schedule = f"slowdown={slowdown!r}" if slowdown <= self.alpha else "weighted"
        largest = self.at(0) * (1 + ROOM)
        rates = {"total_rate": self.total(steps)} if schedule == "weighted" else {"first_rate": self.at(0) * (1 - ROOM)}
        return {"learning_rate": largest, "schedule": schedule, **rates}
