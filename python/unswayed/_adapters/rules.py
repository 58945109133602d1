"""What every adapter checks."""

from __future__ import annotations

from .._native import UnswayedError


def check(kind: str, rate: float, rate_name: str, penalty: float, penalty_name: str, projected: str = "") -> None:
    """Refuses rates and penalties that no learner with a bound has. `projected` is how the model is given once it is projected."""
    if not penalty > 0:
        ball = (
            f"keep it in a ball: model = unswayed.Projected(model, radius=10), train that in its place, and {projected}"
            if projected
            else "project the weights on a ball after each step and use unswayed.certify(..., regularization=0, projection=RADIUS)"
        )
        raise UnswayedError(
            f"{kind}: {penalty_name}={penalty}: nothing keeps the model from going anywhere, and the proofs need something that does; "
            f"{ball}; or use a positive {penalty_name}, however small: it keeps the weights within the largest norm of a point divided by it"
        )
    if not 0 < rate * penalty < 1:
        raise UnswayedError(f"{kind}: {rate_name}={rate}: learning rate times regularization must be between 0 and 1")
