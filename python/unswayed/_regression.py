"""From regressors people run to the loss of the learner we certify."""

from __future__ import annotations

from typing import Any

from ._native import UnswayedError

SQUARED = (
    "a point moves the model by as much as its prediction is off, so one point can move it anywhere; use a Huber loss, which "
    "is the same up to a distance of your choice and a line beyond it"
)


def sklearn_loss(wanted: dict[str, Any]) -> str:
    """The loss of an `SGDRegressor`, from its parameters."""
    name, epsilon = wanted["loss"], float(wanted["epsilon"])
    if name == "huber" and epsilon > 0:
        return f"huber={epsilon!r}"
    if name == "epsilon_insensitive" and epsilon >= 0:
        return f"epsilon-insensitive={epsilon!r}"
    if name in ("squared_error", "squared_epsilon_insensitive"):
        raise UnswayedError(f"SGDRegressor: loss={name!r}: {SQUARED}: loss='huber', epsilon=…")
    raise UnswayedError(
        f"SGDRegressor: loss={name!r} with epsilon={epsilon}: only 'huber' with epsilon > 0 and 'epsilon_insensitive' with "
        "epsilon ≥ 0 are certified"
    )


def river_loss(loss: Any) -> str:
    """The loss of a river `LinearRegression`."""
    from river import optim

    losses = optim.losses
    if type(loss) is losses.Absolute:
        return "absolute"
    if type(loss) is losses.Quantile and 0 < loss.alpha < 1:
        return f"quantile={float(loss.alpha)!r}"
    if type(loss) is losses.Huber and loss.epsilon > 0:
        return f"huber={float(loss.epsilon)!r}"
    name = type(loss).__name__
    if type(loss) is losses.Squared:
        raise UnswayedError(f"LinearRegression: loss {name}: {SQUARED}: optim.losses.Huber(…)")
    if type(loss) is losses.EpsilonInsensitiveHinge:
        raise UnswayedError(
            f"LinearRegression: loss {name}: river compares predictions with 2y − 1 in place of the label y, as if it were a class; "
            "use Huber, Absolute or Quantile"
        )
    raise UnswayedError(f"LinearRegression: loss {name}: only Absolute, Huber and Quantile with 0 < alpha < 1 are certified")


def steepest(loss: str) -> float:
    """The steepest slope of a loss: how far one point moves the model, for features of norm 1 and the learning rate 1."""
    name, _, number = loss.partition("=")
    return float(number) if name == "huber" else 1.0
