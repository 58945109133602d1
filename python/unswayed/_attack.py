"""Attacks and simulations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union, overload

import numpy as np
from numpy.typing import ArrayLike

from . import _native
from ._data import Features, Floats, whole
from ._native import UnswayedError
from ._problem import Adversary, PoisonWeight, alike, asked, problem


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
        loss: the learner's loss on the data, or on the target.
        error: fraction of them misclassified.
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
        settled_loss, settled_error: for the steady-state attacks, where the learner would settle if its learning rate were small.
        point: for the steady-state attacks, the point it sends; for `adversary="labels"` the probability of a flip, row by row.
    """

    name: str
    settled_loss: Optional[float]
    settled_error: Optional[float]
    point: Optional[Floats]


class Attacks(Sequence[Attack]):
    """Attacks in the order they were asked for, with the strongest at hand."""

    __slots__ = ("_attacks", "_native", "_strongest", "_strongest_error")

    def __init__(self, native: _native.Attacks) -> None:
        self._native = native
        self._strongest = [figures["strongest"] for figures in native.figures()].index(True)
        in_error = [figures["strongest_error"] for figures in native.figures()]
        self._strongest_error = in_error.index(True) if True in in_error else None
        self._attacks = tuple(
            Attack(
                **_figures(figures),
                name=figures["attack"],
                settled_loss=figures["settled_loss"],
                settled_error=figures["settled_error"],
                point=None if figures["point"] is None else np.array(figures["point"]),
            )
            for figures in native.figures()
        )

    @property
    def strongest(self) -> Attack:
        """The one that is surest to reach a large loss: the largest lower end of a confidence interval."""
        return self._attacks[self._strongest]

    @property
    def strongest_error(self) -> Optional[Attack]:
        """The one that is surest to reach a large error; none for a regression loss."""
        return None if self._strongest_error is None else self._attacks[self._strongest_error]

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
        lines = [f"{'attack':<20}{'loss':>18}{'error':>10}  verdict"]
        for attack in self._attacks:
            error = "" if attack.error is None else f"{attack.error.mean:.4f}"
            lines.append(f"{attack.name:<20}{attack.loss!s:>18}{error:>10}  {attack.verdict}")
        return "\n".join(lines)


def attack(
    x: Features,
    y: Any = None,
    *,
    learning_rate: float,
    regularization: float,
    poison_rate: float,
    radius: Optional[float] = None,
    loss: Optional[str] = None,
    adversary: Adversary = "ball",
    target: Any = None,
    batch: int = 1,
    projection: Optional[float] = None,
    clip: Optional[float] = None,
    momentum: float = 0.0,
    bias: Union[int, str, None] = None,
    schedule: Optional[str] = None,
    average: bool = False,
    label_bound: Optional[float] = None,
    poison_weight: PoisonWeight = None,
    contaminated: Optional[float] = None,
    moments: Optional[int] = None,
    attacks: Union[str, Sequence[str], None] = None,
    effort: str = "fast",
    seed: int = 0,
    test: Any = None,
    horizon: Optional[int] = None,
    start: Optional[ArrayLike] = None,
    weights: Any = None,
    weight_column: Optional[str] = None,
    class_weight: Any = None,
    sample_weight: Any = None,
    labels: Optional[str] = None,
    normalize: bool = False,
) -> Attacks:
    """Simulates attacks on a learner: lower bounds on the worst case, beside the certificate's upper bound.

    >>> import unswayed
    >>> found = unswayed.attack(unswayed.sample(), learning_rate=1e-2, regularization=0.1, poison_rate=0.05)
    >>> [attack.name for attack in found]
    ['label-flip', 'fgsm', 'steady-state', 'steady-state-error']
    >>> bound = unswayed.certify(unswayed.sample(), learning_rate=1e-2, regularization=0.1, poison_rate=0.05)
    >>> found.strongest.loss.mean < bound.certified_loss
    True

    Args:
        x, …, bias, weights, …, normalize: the learner, its adversary and its data, as for `certify`.
        attacks: names out of `none`, `label-flip`, `fgsm`, `pgd`, `steady-state`, `steady-state-error` and `tuned`;
            the usual ones if not given.
        effort: `"fast"` (a second or so), `"full"` (minutes), or at most about so much time, such as `"5s"` or `"2m"`.
        test: held-out `Data`, or a pair of features and labels, to measure on as well.
        horizon: average over so many first steps, as a bound for a horizon does, not over the long run.
        start: where the learner starts, with a horizon; 0 if not given.
    """
    template = asked(
        loss=loss, adversary=adversary, radius=radius, batch=batch, projection=projection, clip=clip, momentum=momentum,
        bias=bias, schedule=schedule, average=average, label_bound=label_bound, poison_weight=poison_weight,
        contaminated=contaminated, moments=moments,
    )
    attacked = problem(
        x,
        y,
        learning_rate=learning_rate,
        regularization=regularization,
        poison_rate=poison_rate,
        template=template,
        target=target,
        weights=weights,
        weight_column=weight_column,
        class_weight=class_weight,
        sample_weight=sample_weight,
        labels=labels,
        normalize=normalize,
    )
    return run_attacks(attacked, attacks, effort, seed, test, horizon, start)


def run_attacks(
    attacked: _native.Problem,
    attacks: Union[str, Sequence[str], None],
    effort: str,
    seed: int,
    test: Any = None,
    horizon: Optional[int] = None,
    start: Optional[ArrayLike] = None,
) -> Attacks:
    """Runs the attacks of these names, or the usual ones."""
    names = [attacks] if isinstance(attacks, str) else None if attacks is None else list(attacks)
    if names == []:
        raise UnswayedError("attacks: name at least one, or leave it out")
    if start is not None and horizon is None:
        raise UnswayedError("start: it is for a horizon; in the long run it does not matter")
    steps = None if horizon is None else whole("horizon", horizon, 1)
    theta = None if start is None else np.asarray(start, dtype=np.float64).ravel().tolist()
    held_out = None if test is None else alike(test, attacked.data)
    return Attacks(_native.attack(attacked, held_out, names, effort, whole("seed", seed), steps, theta))


def simulate(
    x: Features,
    y: Any = None,
    *,
    policy: Callable[..., Any],
    learning_rate: float,
    regularization: float,
    poison_rate: float,
    radius: Optional[float] = None,
    loss: Optional[str] = None,
    adversary: Adversary = "ball",
    target: Any = None,
    batch: int = 1,
    projection: Optional[float] = None,
    clip: Optional[float] = None,
    momentum: float = 0.0,
    bias: Union[int, str, None] = None,
    schedule: Optional[str] = None,
    average: bool = False,
    label_bound: Optional[float] = None,
    poison_weight: PoisonWeight = None,
    contaminated: Optional[float] = None,
    moments: Optional[int] = None,
    effort: str = "fast",
    seed: int = 0,
    test: Any = None,
    weights: Any = None,
    weight_column: Optional[str] = None,
    class_weight: Any = None,
    sample_weight: Any = None,
    labels: Optional[str] = None,
    normalize: bool = False,
) -> Simulation:
    """Simulates a learner under a policy of your own: a function from the model to the point to send.

    The point is z = label · features, one that the adversary may send; any other is an error. For `loss="multiclass"` it is the
    number of a class and then features. With `adversary="labels"` the policy is called with the model and the row that was drawn,
    and returns that row or its negative. Each choice calls Python, so this is slower than `attack`.

    >>> import numpy as np, unswayed
    >>> def against(model):
    ...     return -model / max(np.linalg.norm(model), 1e-300)
    >>> setting = {"learning_rate": 0.05, "regularization": 0.1, "poison_rate": 0.05}
    >>> result = unswayed.simulate(unswayed.sample(), policy=against, **setting)
    >>> 0.4 < result.loss.mean < 0.8, result.verdict
    (True, 'stationary')
    >>> def wrong_label(model, row):
    ...     return -row if model @ row > 0 else row
    >>> flipped = unswayed.simulate(unswayed.sample(), policy=wrong_label, adversary="labels", **setting)
    >>> flipped.loss.mean < result.loss.mean
    True
    """
    if not callable(policy):
        raise UnswayedError(f"policy {policy!r}: it must be a function from the model to the point to send")
    template = asked(
        loss=loss, adversary=adversary, radius=radius, batch=batch, projection=projection, clip=clip, momentum=momentum,
        bias=bias, schedule=schedule, average=average, label_bound=label_bound, poison_weight=poison_weight,
        contaminated=contaminated, moments=moments,
    )
    simulated = problem(
        x,
        y,
        learning_rate=learning_rate,
        regularization=regularization,
        poison_rate=poison_rate,
        template=template,
        target=target,
        weights=weights,
        weight_column=weight_column,
        class_weight=class_weight,
        sample_weight=sample_weight,
        labels=labels,
        normalize=normalize,
    )
    name = getattr(policy, "__name__", type(policy).__name__)
    held_out = None if test is None else alike(test, simulated.data)
    return Simulation(**_figures(_native.simulate(simulated, held_out, policy, name, effort, whole("seed", seed))))


def _figures(figures: dict[str, Any]) -> dict[str, Any]:
    def estimate(pair: Optional[list[Optional[float]]]) -> Optional[Estimate]:
        if pair is None:
            return None
        mean, half_width = (float("nan") if value is None else value for value in pair)
        return Estimate(mean, half_width)

    averages = {name: estimate(figures[name]) for name in ("loss", "error", "test_loss", "test_error")}
    return {**averages, "steps": figures["steps"], "verdict": figures["verdict"]}
