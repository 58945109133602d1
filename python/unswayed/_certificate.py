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
from ._attack import Attack, Attacks, attack
from ._data import Data, Features, Floats, native, whole
from ._native import UnswayedError

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Verdict:
    """What the exact checker proved.

    Attributes:
        loss: no adversary gets the long-run loss above this.
        error: nor the fraction misclassified above this.
        horizon_loss: nor the average loss over the first steps above this, if that was claimed.
    """

    loss: float
    error: Optional[float]
    horizon_loss: Optional[float]


class Certificate:
    """A proven bound on a hinge learner's long-run loss, with its proof. Made by `certify` or read by `Certificate.load`.

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
        """No adversary gets the long-run hinge loss above this."""
        return float(self._figures["certified_loss"])

    @property
    def certified_error(self) -> float:
        """No adversary gets the long-run fraction misclassified above this."""
        return float(self._figures["certified_error"])

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
        """Where the learner settles without an adversary."""
        return np.array(self._figures["benign_model"])

    @property
    def learning_rate(self) -> float:
        """The learner's step size."""
        return float(self._figures["learning_rate"])

    @property
    def regularization(self) -> float:
        """The learner's regularization."""
        return float(self._figures["regularization"])

    @property
    def poison_rate(self) -> float:
        """The fraction of points that are the adversary's."""
        return float(self._figures["poison_rate"])

    @property
    def radius(self) -> float:
        """The largest norm of a poisoned point."""
        return float(self._figures["radius"])

    @property
    def transient_steps(self) -> float:
        """After this many steps the start adds less than 1 % to the bound."""
        return float(self._figures["transient_steps"])

    @property
    def horizon_loss(self) -> Optional[float]:
        """The bound on the average loss over the first steps, if `certify` was asked for one."""
        value = self._figures["horizon_loss"]
        return None if value is None else float(value)

    @property
    def data(self) -> Data:
        """The data it is about."""
        return Data._of(self._native.data)

    def attack(self, *, attacks: Optional[Sequence[str]] = None, effort: str = "fast", seed: int = 0) -> Attacks:
        """Runs attacks on the same learner and remembers them for `gap`, tables and reports."""
        self._attacks = attack(
            self.data,
            learning_rate=self.learning_rate,
            regularization=self.regularization,
            poison_rate=self.poison_rate,
            radius=self.radius,
            attacks=attacks,
            effort=effort,
            seed=seed,
        )
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

    def check(self, x: Optional[Features] = None, y: Any = None) -> Verdict:
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
        data = self._native.data if x is None else native(x, y)
        return Verdict(*_native.check(self.to_bytes(), data))

    def to_bytes(self) -> bytes:
        """The certificate file's bytes."""
        return self._native.to_bytes()

    def save(self, path: Path) -> None:
        """Writes the certificate file, which `unswayed check` and `Certificate.load` verify."""
        with open(path, "wb") as file:
            file.write(self.to_bytes())

    @classmethod
    def load(cls, path: Path, x: Features, y: Any = None) -> Certificate:
        """Reads a certificate file and verifies it against the data in exact arithmetic.

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
            return cls(_native.recover(content, _data_of(content, x, y)))
        except UnswayedError as error:
            raise type(error)(f"{os.fspath(path)}: {error}") from None

    def report(self, folder: Path, *, seed: int = 0) -> None:
        """Writes a report for people into a folder: `report.html`, and its figures as SVG, PNG and CSV."""
        command = (
            f"unswayed.certify(x, y, learning_rate={self.learning_rate}, regularization={self.regularization}, "
            f"poison_rate={self.poison_rate}, radius={self.radius})"
        )
        place = os.fspath(folder)
        os.makedirs(place, exist_ok=True)
        path = os.path.join(place, "certificate.safetensors")
        self.save(path)
        self._native.report(place, self._native_attacks(), command, f"unswayed check {path} DATA", seed)

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
        plot = self._native.plot(self._native_attacks(), 0) if len(self.data) <= 20_000 else ""
        return f"<table>{rows}</table>{plot}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.to_bytes(), self.data)


def _restore(content: bytes, data: Data) -> Certificate:
    return Certificate(_native.recover(content, data._native))


def _data_of(content: bytes, x: Features, y: Any) -> _native.Data:
    """The rows that a certificate is about, made from `x` and `y` the way it says."""
    if isinstance(x, Data):
        return native(x, y)
    header = _native.header(content)
    labels = "detect" if header["classes"] else "premultiplied" if y is None else "scores"
    rows = header["rows"] if header["first_rows"] else None
    return Data(x, y, labels=labels, normalize=header["scale"] is not None, rows=rows)._native


def certify(
    x: Features,
    y: Any = None,
    *,
    learning_rate: float,
    regularization: float,
    poison_rate: float,
    radius: float = 1.0,
    horizon: Optional[int] = None,
    start: Optional[ArrayLike] = None,
    method: str = "convexity",
    weights: Any = None,
    labels: Optional[str] = None,
    normalize: bool = False,
) -> Certificate:
    """Bounds the long-run loss of an online hinge learner under any adaptive poisoning.

    The learner makes the step θ ← (1 − learning_rate·regularization)·θ + learning_rate·z for each point z = label · features
    with θᵀz ≤ 1, and only shrinks otherwise. With probability `poison_rate` a point is the adversary's: any z of norm at
    most `radius`, chosen in full view of the model.

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

    Args:
        x, y, weights, labels, normalize: the benign data, see `Data`.
        learning_rate: the learner's step size η > 0.
        regularization: the learner's σ > 0, ησ < 1.
        poison_rate: the fraction of points that are the adversary's, in [0, 1).
        radius: the largest norm of a poisoned point.
        horizon: also bound the average loss over this many first steps.
        start: where the learner starts; 0 if not given.
        method: `"convexity"`, or `"paper"` for the semidefinite program of the paper (slower and looser).
    """
    data = native(x, y, weights=weights, labels=labels, normalize=normalize)
    theta = None if start is None else np.asarray(start, dtype=np.float64).ravel().tolist()
    steps = None if horizon is None else whole("horizon", horizon, 1)
    return Certificate(
        _native.certify(data, learning_rate, regularization, poison_rate, radius, steps, theta, method)
    )
