"""What every adapter checks."""

from __future__ import annotations

from .._native import UnswayedError


def check(kind: str, rate: float, rate_name: str, penalty: float, penalty_name: str) -> None:
    """Refuses rates and penalties that no learner with a bound has."""
    if not penalty > 0:
        raise UnswayedError(
            f"{kind}: {penalty_name}={penalty}: without regularization nothing pulls the model back, and the proofs need "
            f"something that does; use a positive {penalty_name}, which may be small, or certify a learner of your own with a projection: "
            "unswayed.certify(..., regularization=0, projection=RADIUS)"
        )
    if not 0 < rate * penalty < 1:
        raise UnswayedError(f"{kind}: {rate_name}={rate}: learning rate times regularization must be between 0 and 1")
