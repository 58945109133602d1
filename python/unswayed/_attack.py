"""Attacks and simulations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union, overload

import numpy as np

from . import _native
from ._data import Features, Floats, native, whole
from ._native import UnswayedError


@dataclass(frozen=True)
class Estimate:
    """A simulated long-run average and half the width of its 95 % confidence interval.

    >>> float(Estimate(0.25, 0.01))
    0.25
    """

    mean: float
    half_width: float

    def __float__(self) -> float:
        return self.mean

    def __str__(self) -> str:
        return f"{self.mean:.4f} ± {self.half_width:.4f}"


@dataclass(frozen=True)
class Simulation:
    """A learner's long-run averages under attack.

    Attributes:
        loss: hinge loss on the data.
        error: fraction of the data misclassified.
        test_loss, test_error: the same on held-out data, if there are any.
        steps: all simulated steps.
        verdict: `"stationary"` if the averages are those of the long run.
    """

    loss: Estimate
    error: Optional[Estimate]
    test_loss: Optional[Estimate]
    test_error: Optional[Estimate]
    steps: int
    verdict: str


@dataclass(frozen=True)
class Attack(Simulation):
    """What an attack reached.

    Attributes:
        name: which attack.
        settled_loss: for the steady-state attack, the loss where the learner would settle if its learning rate were small.
        point: for the steady-state attack, the point it sends.
    """

    name: str
    settled_loss: Optional[float]
    point: Optional[Floats]


class Attacks(Sequence[Attack]):
    """Attacks in the order they were asked for, with the strongest at hand."""

    __slots__ = ("_attacks", "_native", "_strongest")

    def __init__(self, native: _native.Attacks) -> None:
        self._native = native
        self._strongest = [figures["strongest"] for figures in native.figures()].index(True)
        self._attacks = tuple(
            Attack(
                **_figures(figures),
                name=figures["attack"],
                settled_loss=figures["settled_loss"],
                point=None if figures["point"] is None else np.array(figures["point"]),
            )
            for figures in native.figures()
        )

    @property
    def strongest(self) -> Attack:
        """The one that is surest to reach much: the largest lower end of a confidence interval."""
        return self._attacks[self._strongest]

    @overload
    def __getitem__(self, index: int) -> Attack: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Attack]: ...
    def __getitem__(self, index: Any) -> Any:
        return self._attacks[index]

    def __len__(self) -> int:
        return len(self._attacks)

    def __iter__(self) -> Iterator[Attack]:
        return iter(self._attacks)

    def __repr__(self) -> str:
        lines = [f"{'attack':<14}{'loss':>18}{'error':>10}  verdict"]
        for attack in self._attacks:
            error = "" if attack.error is None else f"{attack.error.mean:.4f}"
            lines.append(f"{attack.name:<14}{attack.loss!s:>18}{error:>10}  {attack.verdict}")
        return "\n".join(lines)


def attack(
    x: Features,
    y: Any = None,
    *,
    learning_rate: float,
    regularization: float,
    poison_rate: float,
    radius: float = 1.0,
    attacks: Union[str, Sequence[str], None] = None,
    effort: str = "fast",
    seed: int = 0,
    test: Any = None,
    weights: Any = None,
    labels: Optional[str] = None,
    normalize: bool = False,
) -> Attacks:
    """Simulates attacks on a hinge learner: lower bounds on the worst case, beside the certificate's upper bound.

    >>> import unswayed
    >>> found = unswayed.attack(unswayed.sample(), learning_rate=1e-2, regularization=0.1, poison_rate=0.05)
    >>> [attack.name for attack in found]
    ['label-flip', 'fgsm', 'steady-state']
    >>> bound = unswayed.certify(unswayed.sample(), learning_rate=1e-2, regularization=0.1, poison_rate=0.05)
    >>> found.strongest.loss.mean < bound.certified_loss
    True

    Args:
        attacks: names out of `none`, `label-flip`, `fgsm`, `pgd`, `steady-state` and `tuned`; the usual ones if not given.
        effort: `"fast"` (a second or so) or `"full"` (minutes).
        test: held-out `Data`, or a pair of features and labels, to measure on as well.
    """
    data = native(x, y, weights=weights, labels=labels, normalize=normalize)
    names = [attacks] if isinstance(attacks, str) else None if attacks is None else list(attacks)
    if names == []:
        raise UnswayedError("attacks: name at least one, or leave it out")
    setting = (learning_rate, regularization, poison_rate, radius)
    return Attacks(_native.attack(data, _held_out(test), *setting, names, effort, whole("seed", seed)))


def simulate(
    x: Features,
    y: Any = None,
    *,
    policy: Callable[[Floats], Any],
    learning_rate: float,
    regularization: float,
    poison_rate: float,
    radius: float = 1.0,
    effort: str = "fast",
    seed: int = 0,
    test: Any = None,
    weights: Any = None,
    labels: Optional[str] = None,
    normalize: bool = False,
) -> Simulation:
    """Simulates a hinge learner under a policy of your own: a function from the model to the point to send.

    The point is z = label · features, of norm at most `radius`; any other is an error. Each choice calls Python, so this is
    slower than `attack`.

    >>> import numpy as np, unswayed
    >>> def against(model):
    ...     return -model / max(np.linalg.norm(model), 1e-300)
    >>> result = unswayed.simulate(
    ...     unswayed.sample(), policy=against, learning_rate=0.05, regularization=0.1, poison_rate=0.05)
    >>> 0.4 < result.loss.mean < 0.8, result.verdict
    (True, 'stationary')
    """
    data = native(x, y, weights=weights, labels=labels, normalize=normalize)
    if not callable(policy):
        raise UnswayedError(f"policy {policy!r}: it must be a function from the model to the point to send")
    name = getattr(policy, "__name__", type(policy).__name__)
    setting = (learning_rate, regularization, poison_rate, radius)
    figures = _native.simulate(data, _held_out(test), *setting, policy, name, effort, whole("seed", seed))
    return Simulation(**_figures(figures))


def _held_out(test: Any) -> Optional[_native.Data]:
    if test is None:
        return None
    return native(*test) if isinstance(test, tuple) else native(test)


def _figures(figures: dict[str, Any]) -> dict[str, Any]:
    def estimate(pair: Optional[list[Optional[float]]]) -> Optional[Estimate]:
        if pair is None:
            return None
        mean, half_width = (float("nan") if value is None else value for value in pair)
        return Estimate(mean, half_width)

    averages = {name: estimate(figures[name]) for name in ("loss", "error", "test_loss", "test_error")}
    return {**averages, "steps": figures["steps"], "verdict": figures["verdict"]}
