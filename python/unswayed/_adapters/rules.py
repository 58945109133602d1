"""What every adapter checks."""

from __future__ import annotations

from typing import Any

from .._native import UnswayedError


def check(kind: str, rate: float, rate_name: str, penalty: float, penalty_name: str) -> None:
    if not penalty > 0:
        raise UnswayedError(
            f"{kind}: {penalty_name}={penalty}: without regularization nothing pulls the model back, and the proofs need "
            "something that does; give it a penalty, which may be small, or certify a learner of your own with a projection: "
            "unswayed.certify(..., regularization=0, projection=RADIUS)"
        )
    if not 0 < rate * penalty < 1:
        raise UnswayedError(f"{kind}: {rate_name}={rate}: learning rate times regularization must be between 0 and 1")


def inside(model: Any) -> str:
    """A remedy for pipelines."""
    if "Pipeline" in type(model).__name__:
        return "; give the classifier inside the pipeline, and the features as it sees them"
    return ""
