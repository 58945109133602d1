"""Mean estimation."""

from __future__ import annotations

import os
from typing import Any, Optional, Union

from . import _native
from ._attack import Estimate
from ._certificate import Verdict, expectation_texts
from ._data import Data, Features, made, whole
from ._native import UnswayedError


class MeanCertificate:
    """A proven bound on the long-run squared error of an online mean estimate. Made by `mean`.

    Attributes:
        certified_loss: no adversary gets the long-run E‖θ−μ‖² above this.
        benign_loss: E‖θ−μ‖² without an adversary, exactly.
        attack_loss: what a constant point at the edge of the set reaches, exactly.
        simulated_loss: what the best-responding adversary reached in a simulation, if there are samples.
        transient_steps: after this many steps a start at the edge of the set adds less than 1 % to the bound.
        statement: the whole statement, as in the file.
        lines: the same in sentences, each under its heading.
    """

    __slots__ = (
        "_bytes",
        "_samples",
        "attack_loss",
        "benign_loss",
        "certified_loss",
        "lines",
        "simulated_loss",
        "statement",
        "transient_steps",
    )

    def __init__(self, content: bytes, figures: dict[str, Any], samples: Optional[_native.Data]) -> None:
        self._bytes = content
        self._samples = samples
        self.certified_loss = float(figures["certified_loss"])
        self.benign_loss = float(figures["benign_loss"])
        self.attack_loss = float(figures["attack_loss"])
        pair = figures["simulated_loss"]
        self.simulated_loss = None if pair is None else Estimate(*pair)
        self.transient_steps = float(figures["transient_steps"])
        self.statement: dict[str, Any] = figures["statement"]
        self.lines: list[tuple[str, str]] = [(name, text) for name, text in figures["lines"]]

    @property
    def gap(self) -> float:
        """Certified loss / the larger loss of the two attacks."""
        simulated = 0.0 if self.simulated_loss is None else self.simulated_loss.mean
        return self.certified_loss / max(self.attack_loss, simulated)

    def check(self) -> Verdict:
        """Verifies the claim in exact arithmetic."""
        return Verdict(*_native.check(self._bytes, self._evidence, None))

    def require(self, *expectations: str, **expected: Any) -> None:
        """Refuses a statement or a bound that is not what you expect, as `Certificate.require`."""
        _native.expect(self._bytes, self._evidence, None, expectation_texts(expectations, expected))

    @property
    def _evidence(self) -> list[_native.Data]:
        return [] if self._samples is None else [self._samples]

    def to_bytes(self) -> bytes:
        """The certificate file's bytes."""
        return self._bytes

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the certificate file, which `unswayed check` verifies."""
        with open(path, "wb") as file:
            file.write(self._bytes)

    def __repr__(self) -> str:
        lines = [
            ("certified loss", f"{_native.up(self.certified_loss)}  no adversary gets the long-run E‖θ−μ‖² above this"),
            ("attack loss", f"{_native.down(self.attack_loss)}  reached by a constant point"),
            ("benign loss", f"{_native.down(self.benign_loss)}  without an adversary"),
        ]
        if self.simulated_loss is not None:
            lines.insert(2, ("simulated loss", f"{self.simulated_loss}  reached by the best response"))
        return "\n".join(f"{name:<15}  {text}".rstrip() for name, text in [*self.lines, ("", ""), *lines])


def mean(
    samples: Optional[Features] = None,
    *,
    learning_rate: float,
    poison_rate: float,
    squared_radius: float,
    covariance_trace: Optional[float] = None,
    noise_trace: float = 0.0,
    attacks: bool = True,
    seed: int = 0,
) -> MeanCertificate:
    """Bounds the long-run squared error of an online mean estimate θ ← (1−η)θ + ηz under any adaptive poisoning.

    With probability `poison_rate` a point is the adversary's: any z with ‖z−μ‖² ≤ `squared_radius`.

    >>> import unswayed
    >>> bound = unswayed.mean(learning_rate=0.01, poison_rate=0.15, squared_radius=2.0, covariance_trace=2.0)
    >>> round(bound.certified_loss, 7)
    0.0630473
    >>> bound.check().loss == bound.certified_loss
    True

    Args:
        samples: benign points; or give `covariance_trace` in their place.
        covariance_trace: the trace of the benign points' covariance.
        noise_trace: the trace of the covariance of noise that the learner adds.
        attacks: also simulate the best-responding adversary, if there are samples.
    """
    if (samples is None) == (covariance_trace is None):
        raise UnswayedError("give samples, or the trace of their covariance (covariance_trace)")
    kind = None if isinstance(samples, Data) else "absent"
    data = None if samples is None else made(samples, labels=kind)
    trace = 0.0 if covariance_trace is None else covariance_trace
    setting = (learning_rate, poison_rate, squared_radius, trace, noise_trace)
    return MeanCertificate(*_native.mean(data, *setting, attacks, whole("seed", seed)), data)
