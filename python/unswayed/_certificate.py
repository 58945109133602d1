"""Certificates."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _native
from ._attack import Attack, Attacks, run_attacks
from ._data import Data, Features, Floats, made, whole
from ._native import UnswayedError
from ._task import Adversary, several, task

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Verdict:
    """What the exact checker proved.

    Attributes:
        loss: no adversary gets the long-run loss above this.
        error: nor the fraction misclassified above this.
        horizon_loss: nor the average loss over the first steps above this, if that was claimed.
        confident_loss: nor the long-run loss on new data above this, if that was claimed.
    """

    loss: float
    error: Optional[float]
    horizon_loss: Optional[float]
    confident_loss: Optional[float]


class Certificate:
    """A proven bound on a learner's long-run loss, with its proof. Made by `certify` or read by `Certificate.load`.

    No figure gets here unless the exact checker accepted its proof.
    """

    __slots__ = ("_attacks", "_figures", "_native")

    def __init__(self, native: _native.Certificate) -> None:
        self._native = native
        self._figures = native.figures()
        self._attacks: Optional[Attacks] = None

    @property
    def status(self) -> str:
        """`"certified"`, `"vacuous"` (no better than not learning) or `"not converged"` (a better bound may exist)."""
        return str(self._figures["status"])

    @property
    def method(self) -> str:
        """The form of the proof."""
        return str(self._figures["method"])

    @property
    def certified_loss(self) -> float:
        """No adversary gets the long-run loss above this."""
        return float(self._figures["certified_loss"])

    @property
    def certified_error(self) -> Optional[float]:
        """No adversary gets the long-run fraction misclassified above this, if there is such a bound."""
        return _number(self._figures["certified_error"])

    @property
    def confident_loss(self) -> Optional[float]:
        """The bound for new data like these, if `certify` was asked for one with `confidence`."""
        return _number(self._figures["confident_loss"])

    @property
    def benign_loss(self) -> float:
        """The loss without an adversary, for small learning rates."""
        return float(self._figures["benign_loss"])

    @property
    def benign_error(self) -> float:
        """The fraction misclassified without an adversary, for small learning rates."""
        return float(self._figures["benign_error"])

    @property
    def benign_model(self) -> Floats:
        """Where the learner settles without an adversary; for several classes, the weights of one after the other."""
        return np.array(self._figures["benign_model"])

    @property
    def loss_function(self) -> str:
        """`"hinge"`, `"logistic"` or `"multiclass"`."""
        return str(self._figures["loss_function"])

    @property
    def learning_rate(self) -> float:
        """The learner's step size."""
        return float(self._setting["learning_rate"])

    @property
    def regularization(self) -> float:
        """The learner's regularization."""
        return float(self._setting["regularization"])

    @property
    def poison_rate(self) -> float:
        """The fraction of points that are the adversary's."""
        return float(self._setting["poison_rate"])

    @property
    def radius(self) -> Optional[float]:
        """The largest norm of a poisoned point, if that is what limits the adversary."""
        return _number(self._setting["radius"])

    @property
    def transient_steps(self) -> float:
        """After this many steps the start adds less than 1 % to the bound; infinite if the bound is not for such a start."""
        steps = _number(self._figures["transient_steps"])
        return float("inf") if steps is None else steps

    @property
    def horizon_loss(self) -> Optional[float]:
        """The bound on the average loss over the first steps, if `certify` was asked for one."""
        return _number(self._figures["horizon_loss"])

    @property
    def data(self) -> Data:
        """The data it is about; the first of them if they drift."""
        return self.datasets[0]

    @property
    def datasets(self) -> tuple[Data, ...]:
        """All data it is about, more than one if they drift."""
        return tuple(map(Data._of, self._native.data))

    @property
    def target(self) -> Optional[Data]:
        """The rows that the learner is judged by, if they are not all rows of the data."""
        target = self._native.target
        return None if target is None else Data._of(target)

    @property
    def _setting(self) -> dict[str, Any]:
        setting: dict[str, Any] = self._figures["setting"]
        return setting

    def attack(self, *, attacks: Union[str, Sequence[str], None] = None, effort: str = "fast", seed: int = 0) -> Attacks:
        """Runs attacks on the same learner and remembers them for `gap`, tables and reports."""
        self._attacks = run_attacks(self._native.task, attacks, effort, seed)
        return self._attacks

    @property
    def strongest_attack(self) -> Attack:
        """The strongest attack found. Runs the fast attacks if none were run before."""
        return (self._attacks or self.attack()).strongest

    @property
    def gap(self) -> float:
        """Certified loss / loss of the strongest attack found. Runs the fast attacks if none were run before."""
        return self.certified_loss / self.strongest_attack.loss.mean

    def horizon(self, steps: int, start: Optional[ArrayLike] = None) -> float:
        """A bound on the average loss over the first steps from `start` (0 if not given).

        >>> import unswayed
        >>> certificate = unswayed.certify(
        ...     unswayed.sample(), learning_rate=1e-3, regularization=0.01, poison_rate=0.02)
        >>> certificate.horizon(10**6) > certificate.horizon(10**9) > certificate.certified_loss
        True
        """
        theta = None if start is None else np.asarray(start, dtype=np.float64).ravel().tolist()
        return self._native.horizon([whole("horizon", steps, 1)], theta)[0]

    def check(self, x: Optional[Features] = None, y: Any = None, *, target: Any = None) -> Verdict:
        """Verifies every claim in exact arithmetic, against its own data or against others said to be the same.

        Raises `CheckFailed` if something does not hold.

        >>> import unswayed
        >>> certificate = unswayed.certify(
        ...     unswayed.sample(), learning_rate=1e-3, regularization=0.01, poison_rate=0.02)
        >>> certificate.check().loss == certificate.certified_loss
        True
        >>> certificate.check(unswayed.sample_test())
        Traceback (most recent call last):
        unswayed.CheckFailed: ...
        """
        content = self.to_bytes()
        data, judged = self.datasets if x is None else x, self.target if target is None else target
        return Verdict(*_native.check(content, *_evidence(content, data, y, judged)))

    def to_bytes(self) -> bytes:
        """The certificate file's bytes."""
        return self._native.to_bytes()

    def save(self, path: Path) -> None:
        """Writes the certificate file, which `unswayed check` and `Certificate.load` verify."""
        with open(path, "wb") as file:
            file.write(self.to_bytes())

    @classmethod
    def load(cls, path: Path, x: Features, y: Any = None, *, target: Any = None) -> Certificate:
        """Reads a certificate file and verifies it against the data in exact arithmetic.

        `target` is needed if the learner is judged by rows that are not rows of the data.

        >>> import os, tempfile, unswayed
        >>> path = os.path.join(tempfile.mkdtemp(), "mnist.certificate.safetensors")
        >>> made = unswayed.certify(unswayed.sample(), learning_rate=1e-3, regularization=0.01, poison_rate=0.02)
        >>> made.save(path)
        >>> unswayed.Certificate.load(path, unswayed.sample()).certified_loss == made.certified_loss
        True
        """
        with open(path, "rb") as file:
            content = file.read()
        try:
            return cls(_native.recover(content, *_evidence(content, x, y, target)))
        except UnswayedError as error:
            raise type(error)(f"{os.fspath(path)}: {error}") from None

    def report(self, folder: Path, *, seed: int = 0) -> None:
        """Writes a report for people into a folder: `report.html`, and its figures as SVG, PNG and CSV."""
        place = os.fspath(folder)
        os.makedirs(place, exist_ok=True)
        path = os.path.join(place, "certificate.safetensors")
        self.save(path)
        files = " DATA" * len(self.datasets) + ("" if self.target is None else " --target TARGET")
        self._native.report(place, self._native_attacks(), self._call(), f"unswayed check {path}{files}", seed)

    def _call(self) -> str:
        """How it is made; … stands for what is too long to show."""
        data = "x, y" if len(self.datasets) == 1 else "[…]"
        usual = {"loss": "hinge", "adversary": "ball", "batch": 1}
        given = {"box": "unswayed.Box(…)", "ellipsoid": "unswayed.Ellipsoid(…)", "points": "unswayed.Points(…)"}
        asked = [
            f"{name}={given.get(value, repr(value))}"
            for name, value in self._setting.items()
            if value is not None and usual.get(name) != value
        ]
        if self._figures["is_targeted"]:
            asked.append("target=…")
        if self.confident_loss is not None:
            asked.append("confidence=…")
        return f"unswayed.certify({data}, {', '.join(asked)})"

    def _native_attacks(self) -> Optional[_native.Attacks]:
        return None if self._attacks is None else self._attacks._native

    def __repr__(self) -> str:
        lines = self._native.lines(self._native_attacks())
        return "\n".join(f"{name:<15}  {text}".rstrip() for name, text in lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
            f"<td style='text-align:left'>{html.escape(text)}</td></tr>"
            for name, text in self._native.lines(self._native_attacks())
            if name
        )
        # The plot needs certificates at other poison rates: many rows would make a notebook wait.
        is_quick = sum(map(len, self.datasets)) <= self._figures["most_plotted"]
        plot = self._native.plot(self._native_attacks(), 0) if is_quick else ""
        return f"<table>{rows}</table>{plot}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.to_bytes(), self.datasets, self.target)


def _restore(content: bytes, datasets: Sequence[Data], target: Optional[Data]) -> Certificate:
    data = [one._native for one in datasets]
    return Certificate(_native.recover(content, data, None if target is None else target._native))


def _number(value: Any) -> Optional[float]:
    return None if value is None else float(value)


def _evidence(
    content: bytes, x: Features, y: Any, target: Any
) -> tuple[list[_native.Data], Optional[_native.Data]]:
    """The rows that a certificate is about: its data, and the target if that has rows of its own."""
    header = _native.header(content)
    datasets = several(x)
    if datasets is None:
        data = [_as_certified(info, x, y) for info in header["data"][:1]]
    else:
        data = [made(one, y) for one in datasets]
    if target is None or header["target"] is None:
        return data, None if target is None else made(target)
    pair = target if isinstance(target, tuple) else (target, None)
    return data, _as_certified(header["target"], *pair)


def _as_certified(info: dict[str, Any], x: Features, y: Any) -> _native.Data:
    """Rows made from `x` and `y` in the first way that gives those of the certificate; if none does, the check tells."""
    if isinstance(x, Data):
        return made(x, y)
    ways = info["labels"]
    if "scores" in ways and not isinstance(x, (str, os.PathLike)):
        ways = ["premultiplied" if y is None else "scores"]
    found, failure = None, None
    for labels in ways:
        try:
            data = Data(x, y, labels=labels, scale=info["scale"], rows=info["rows"])
        except UnswayedError as error:
            failure = failure or error
            continue
        found = data._native
        if data.sha256 == info["sha256"]:
            return found
    if found is None:
        raise failure or UnswayedError("there is no way to read the data")
    return found


def certify(
    x: Features,
    y: Any = None,
    *,
    learning_rate: float,
    regularization: float,
    poison_rate: float,
    radius: float = 1.0,
    loss: Optional[str] = None,
    adversary: Adversary = "ball",
    target: Any = None,
    batch: int = 1,
    projection: Optional[float] = None,
    clip: Optional[float] = None,
    bias: Optional[int] = None,
    confidence: Optional[float] = None,
    horizon: Optional[int] = None,
    start: Optional[ArrayLike] = None,
    method: str = "convexity",
    weights: Any = None,
    labels: Optional[str] = None,
    normalize: bool = False,
) -> Certificate:
    """Bounds the long-run loss of an online linear learner under any adaptive poisoning.

    The hinge learner makes the step θ ← (1 − learning_rate·regularization)·θ + learning_rate·z for each point
    z = label · features with θᵀz ≤ 1, and only shrinks otherwise; other losses make their own gradient steps. With probability
    `poison_rate` a point is the adversary's, chosen in full view of the model.

    >>> import unswayed
    >>> certificate = unswayed.certify(
    ...     unswayed.sample(), learning_rate=1e-3, regularization=0.01, poison_rate=0.02)
    >>> print(certificate)
    data             ...: 500 rows, 31 columns...
    learner          hinge, learning rate 0.001, regularization 0.01
    threat           2 % of the points are the adversary's, any point of norm up to 1
    <BLANKLINE>
    status           certified
    certified loss   0.1475  no adversary gets the long-run hinge loss above this
    certified error  ...  nor the fraction misclassified above this
    benign loss      ...  without an adversary, for small learning rates
    transient        ... steps until the start adds less than 1 %
    method           ..., verified in exact arithmetic

    Another loss, and an adversary who may send what a filter by columns lets pass:

    >>> certificate = unswayed.certify(
    ...     unswayed.sample().first(100), learning_rate=1e-3, regularization=0.01, poison_rate=0.02,
    ...     loss="logistic", adversary="box")
    >>> certificate.status, certificate.loss_function
    ('certified', 'logistic')

    Args:
        x, y, weights, labels, normalize: the benign data, see `Data`. A list of `Data`: the data may switch between
            them, at any time and in any way.
        learning_rate: the learner's step size η > 0.
        regularization: the learner's σ > 0, ησ < 1.
        poison_rate: the fraction of points that are the adversary's, in [0, 1).
        radius: the largest norm of a poisoned point, for `adversary="ball"`.
        loss: `"hinge"`, `"logistic"` or `"multiclass"` (labels of two or more kinds); hinge if not given, logistic for
            `preferences`.
        adversary: the points that the adversary may send: `"ball"`; `"box"` or `"ellipsoid"`, what a filter that lets all
            data pass lets pass, or a `Box` or `Ellipsoid`; `Points`; `"flips"`, the rows z and −z; `"labels"`, random
            rows, each as it is or with its label flipped (z or −z; not for real scores); `"any"`, which needs `clip`.
        target: bound the loss on these rows instead of the data's: `Data`, or a pair of features and labels.
        batch: average the gradients of so many points in each step.
        projection: project the model on norms up to this after each step.
        clip: clip the gradient of each point at this norm.
        bias: the column that is not regularized, an index of the features.
        confidence: also bound the loss on new data like these, with this probability. The certificate is then about the
            first half of the rows; the other half chose its numbers.
        horizon: also bound the average loss over this many first steps.
        start: where the learner starts; 0 if not given.
        method: `"convexity"`, or `"paper"` for the semidefinite program of the paper (slower and looser, and only for the
            hinge loss and the ball).
    """
    asked = task(
        x,
        y,
        learning_rate=learning_rate,
        regularization=regularization,
        poison_rate=poison_rate,
        radius=radius,
        loss=loss,
        adversary=adversary,
        target=target,
        batch=batch,
        projection=projection,
        clip=clip,
        bias=bias,
        confidence=confidence,
        weights=weights,
        labels=labels,
        normalize=normalize,
    )
    theta = None if start is None else np.asarray(start, dtype=np.float64).ravel().tolist()
    steps = None if horizon is None else whole("horizon", horizon, 1)
    return Certificate(_native.certify(asked, steps, theta, method))
