"""Certificates."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _native, _partitions
from ._attack import Attack, Attacks, run_attacks
from ._bootstrap import Bootstrap
from ._data import (
    Data,
    Features,
    Floats,
    Path,
    file_paths,
    first_rows,
    is_sparse,
    label_array,
    label_file_beside,
    made,
    matrix,
    split,
    table,
    take_column,
    weight_array,
    whole,
    written_out,
)
from ._native import UnswayedError
from ._problem import Adversary, PoisonWeight, asked, problem, several

#: Rows for which bounds at other poison rates take a few seconds.
MOST_PLOTTED = {"hinge": 20_000, "other": 200}


@dataclass(frozen=True)
class Verdict:
    """What the exact checker proved.

    Attributes:
        loss: no adversary gets the long-run loss above this.
        error: nor the fraction misclassified above this; the mean learner has none.
        horizon_loss: nor the average loss over the first steps above this, if that was claimed.
        horizon_error: nor the fraction misclassified in these steps above this.
        new_data_loss: nor the long-run loss on new data above this, if that was claimed.
    """

    loss: float
    error: Optional[float]
    horizon_loss: Optional[float]
    horizon_error: Optional[float]
    new_data_loss: Optional[float]


class Certificate:
    """A proven bound on a learner's long-run loss, with its proof. Made by `certify` or read by `Certificate.load`.

    No figure gets here unless the exact checker accepted its proof.
    """

    __slots__ = ("_attacks", "_bootstrap", "_figures", "_is_sample", "_native", "_statement")

    def __init__(self, native: _native.Certificate, is_sample: bool = False) -> None:
        self._native = native
        # Whether the data here are a sample of the rows that it is about.
        self._is_sample = is_sample
        self._figures = native.figures()
        self._statement = native.statement()
        self._attacks: Optional[Attacks] = None
        self._bootstrap: Optional[Bootstrap] = None

    @property
    def status(self) -> str:
        """`"certified"`, `"vacuous"` (no better than not learning) or `"not converged"` (a better bound may exist)."""
        return str(self._figures["status"])

    @property
    def method(self) -> str:
        """The form of the proof."""
        return str(self._figures["method"])

    @property
    def statement(self) -> dict[str, Any]:
        """The whole statement, as in the file: learner, threat, data, target, horizon.

        Vectors are base64 texts of little-endian float64 numbers.

        >>> import unswayed
        >>> setting = {"learning_rate": 1e-3, "regularization": 0.01, "poison_rate": 0.02}
        >>> unswayed.certify(unswayed.sample(), **setting).statement["threat"]
        {'poison_rate': 0.02, 'set': {'ball': {'radius': 1.0}}}
        """
        return self._native.statement()

    @property
    def lines(self) -> list[tuple[str, str]]:
        """The whole statement in sentences, each under its heading, with what the proof relies on."""
        return self._native.lines()

    @property
    def certified_loss(self) -> float:
        """No adversary gets the long-run loss above this."""
        return float(self._figures["certified_loss"])

    @property
    def certified_error(self) -> Optional[float]:
        """No adversary gets the long-run fraction misclassified above this; `None` for a regression loss."""
        error: Optional[float] = self._figures["certified_error"]
        return error

    @property
    def new_data_loss(self) -> Optional[float]:
        """The bound for new data like these, if `certify` was asked for one with `confidence`."""
        return _number(self._figures["new_data_loss"])

    @property
    def benign_loss(self) -> float:
        """The loss without an adversary, for small learning rates."""
        return float(self._figures["benign_loss"])

    @property
    def benign_error(self) -> Optional[float]:
        """The fraction misclassified without an adversary, for small learning rates; `None` for a regression loss."""
        error: Optional[float] = self._figures["benign_error"]
        return error

    @property
    def benign_model(self) -> Floats:
        """Where the learner settles without an adversary; for several classes, the weights of one after the other."""
        return np.array(self._figures["benign_model"])

    @property
    def loss_function(self) -> str:
        """The loss as `certify` takes it: `"hinge"`, `"huber=0.1"`, …"""
        loss = self._statement["learner"]["loss"]
        if isinstance(loss, str):
            return loss.replace("_", "-")
        ((name, number),) = loss.items()
        return str(name) if name == "multiclass" else f"{name.replace('_', '-')}={number!r}"

    @property
    def learning_rate(self) -> float:
        """The learner's step size."""
        return float(self._statement["learner"]["learning_rate"])

    @property
    def regularization(self) -> float:
        """The learner's regularization."""
        return float(self._statement["learner"]["regularization"])

    @property
    def poison_rate(self) -> float:
        """The fraction of points that are the adversary's."""
        return float(self._statement["threat"]["poison_rate"])

    @property
    def radius(self) -> Optional[float]:
        """The largest norm of a poisoned point, if that is what limits the adversary, in the units of the rows `data.z`."""
        return _number(self._figures["radius"])

    @property
    def hostile_rows(self) -> tuple[int, ...]:
        """How many rows of each dataset may be hostile; empty if none may be. The bounds are for the others."""
        return tuple(self._statement.get("hostile_rows", []))

    @property
    def transient_steps(self) -> float:
        """After this many steps the start adds less than 1 % to the bound; infinite if the bound is not for such a start."""
        steps = _number(self._figures["transient_steps"])
        return float("inf") if steps is None else steps

    @property
    def start_norm(self) -> float:
        """The bounds are for models that start with a norm of at most this; infinite if they are for any start."""
        norm = _number(self._figures["start_norm"])
        return float("inf") if norm is None else norm

    @property
    def horizon_loss(self) -> Optional[float]:
        """The bound on the average loss over the first steps, if `certify` was asked for one."""
        return _number(self._figures["horizon_loss"])

    @property
    def horizon_error(self) -> Optional[float]:
        """The bound on the fraction misclassified in these steps."""
        return _number(self._figures["horizon_error"])

    @property
    def data(self) -> Data:
        """The data it is about, the first of them if they drift; a sample of them if they are spread over workers (`executor`)."""
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

    def bootstrap(self, samples: int = 20, *, seed: int = 0, effort: str = "standard") -> Bootstrap:
        """Certifies samples of the rows, drawn with replacement, and remembers them for tables and reports.

        A picture of how the bound varies with the sample, no proof. The same seed gives the same samples.

        >>> import unswayed
        >>> setting = {"learning_rate": 1e-3, "regularization": 0.01, "poison_rate": 0.02}
        >>> certificate = unswayed.certify(unswayed.sample().first(100), **setting)
        >>> found = certificate.bootstrap(5)
        >>> len(found.losses), bool(found.losses.min() < certificate.certified_loss * 1.5)
        (5, True)

        Args:
            samples: how many.
            seed: of the draws.
            effort: as for `certify`.
        """
        number = whole("samples", samples, 2)
        self._bootstrap = Bootstrap(_native.bootstrap(self._native, number, seed, effort))
        return self._bootstrap

    def attack(self, *, attacks: Union[str, Sequence[str], None] = None, effort: str = "fast", seed: int = 0) -> Attacks:
        """Runs attacks on the same learner and remembers them for `gap`, tables and reports."""
        self._attacks = run_attacks(self._native.problem, attacks, effort, seed)
        return self._attacks

    @property
    def strongest_attack(self) -> Attack:
        """The strongest attack found. Runs the fast attacks if none were run before."""
        return (self._attacks or self.attack()).strongest

    @property
    def attack_error(self) -> Optional[float]:
        """The error of the attack that is strongest in it; none for a regression loss. Runs the fast attacks if none were run before."""
        found = (self._attacks or self.attack()).strongest_error
        return None if found is None or found.error is None else found.error.mean

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

    def check(
        self, x: Optional[Features] = None, y: Any = None, *, target: Any = None, weights: Any = None, sample_weight: Any = None
    ) -> Verdict:
        """Verifies every claim in exact arithmetic, against its own data or against others said to be the same.

        Raises `CheckFailed` if something does not hold.

        >>> import unswayed
        >>> certificate = unswayed.certify(
        ...     unswayed.sample(), learning_rate=1e-3, regularization=0.01, poison_rate=0.02)
        >>> certificate.check().loss == certificate.certified_loss
        True
        >>> certificate.check(unswayed.sample_test())
        Traceback (most recent call last):
        unswayed.CheckFailed: these are not the certified rows: ...
        """
        if x is None:
            self._require_rows()
        content = self.to_bytes()
        data, judged = self.datasets if x is None else x, self.target if target is None else target
        return Verdict(*_native.check(content, *evidence(content, data, y, judged, weights, sample_weight)))

    def _require_rows(self) -> None:
        if self._is_sample:
            raise UnswayedError("the rows of this certificate are elsewhere: give them, or run `unswayed check` on their files")

    def require(self, *expectations: str, **expected: Any) -> None:
        """Refuses a statement or a bound that is not what you expect: raises `CheckFailed` with the first mismatch.

        Expectations are texts `KEY=VALUE`, `KEY>=NUMBER` and `KEY<=NUMBER`, or keywords for equality. A key is a field of
        the statement or a bound by its name (`poison_rate`, `certified_loss`), or by the end of its path
        (`threat.poison_rate`) where several have that name. Everything is verified in exact arithmetic before.

        >>> import unswayed
        >>> certificate = unswayed.certify(
        ...     unswayed.sample(), learning_rate=1e-3, regularization=0.01, poison_rate=0.02)
        >>> certificate.require("threat.poison_rate>=0.02", "certified_loss<=0.15", loss="hinge", set="ball", radius=1)
        >>> certificate.require("poison_rate>=0.05")
        Traceback (most recent call last):
        unswayed.CheckFailed: expected poison_rate>=0.05, but statement.threat.poison_rate is 0.02
        """
        self._require_rows()
        target = self._native.target
        _native.expect(self.to_bytes(), self._native.data, target, expectation_texts(expectations, expected))

    def to_bytes(self) -> bytes:
        """The certificate file's bytes."""
        return self._native.to_bytes()

    def save(self, path: Path) -> None:
        """Writes the certificate file, which `unswayed check`, `python -m unswayed.verify` and `Certificate.load` verify."""
        with open(path, "wb") as file:
            file.write(self.to_bytes())

    @classmethod
    def load(cls, path: Path, x: Features, y: Any = None, *, target: Any = None, weights: Any = None) -> Certificate:
        """Reads a certificate file and verifies it against the data in exact arithmetic.

        Arrays and files are made into rows as the certificate says. `target` is needed if the learner is judged by rows that
        are not rows of the data, `weights` (an array) if rows are weighted and `x` is an array.

        >>> import os, tempfile, unswayed
        >>> path = os.path.join(tempfile.mkdtemp(), "mnist.certificate.json")
        >>> made = unswayed.certify(unswayed.sample(), learning_rate=1e-3, regularization=0.01, poison_rate=0.02)
        >>> made.save(path)
        >>> unswayed.Certificate.load(path, unswayed.sample()).certified_loss == made.certified_loss
        True
        """
        with open(path, "rb") as file:
            content = file.read()
        try:
            return cls(_native.recover(content, *evidence(content, x, y, target, weights)))
        except UnswayedError as error:
            raise type(error)(f"{os.fspath(path)}: {error}") from None

    def report(self, folder: Path, *, seed: int = 0) -> None:
        """Writes a report for people into a folder: `report.html`, and its figures as SVG and CSV."""
        place = os.fspath(folder)
        os.makedirs(place, exist_ok=True)
        path = os.path.join(place, "certificate.json")
        self.save(path)
        files = " DATA" * len(self.datasets) + ("" if self.target is None else " --target TARGET")
        verify = f"unswayed check {path}{files}"
        attacks, bootstrap = self._native_attacks(), self._native_bootstrap()
        _native.report(self._native, attacks, bootstrap, place, path, self._call(), verify, seed)

    def _call(self) -> str:
        """How it is made; … stands for what is too long to show."""
        learner, threat = self._statement["learner"], self._statement["threat"]
        data = "x, y" if len(self.datasets) == 1 else "[…]"
        rates = {**learner, "poison_rate": threat["poison_rate"]}
        given = [f"{name}={rates[name]!r}" for name in ("learning_rate", "regularization", "poison_rate")]
        if self.loss_function != "hinge":
            given.append(f"loss={self.loss_function!r}")
        name = next(iter(threat["set"])) if isinstance(threat["set"], dict) else threat["set"]
        sets = {"box": "unswayed.Box(…)", "ellipsoid": "unswayed.Ellipsoid(…)", "points": "unswayed.Points(…)"}
        if name == "ball" and self.radius != 1:
            given.append(f"radius={self.radius}")
        elif name != "ball":
            given.append(f"adversary={sets.get(name, repr({'label_flips': 'labels'}.get(name, name)))}")
        given += [f"{name}={learner[name]!r}" for name in ("batch", "projection", "clip", "momentum") if learner.get(name) not in (None, 1)]
        if learner.get("schedule"):
            given.append(f"schedule='slowdown={learner['schedule']['slowdown']!r}'")
        given += ["average=True"] * learner.get("average", False)
        if threat.get("label_bound") is not None:
            given.append(f"label_bound={threat['label_bound']!r}")
        if threat.get("poison_weight") is not None:
            given.append(f"poison_weight={self._poison_weight()!r}")
        if self._statement.get("hostile_rows"):
            given.append("contaminated=…")
        if threat.get("moments") is not None:
            given.append(f"moments={threat['moments']!r}")
        given += [f"bias={column}" for column in learner.get("unregularized", [])]
        if self._statement["target"] != "data":
            given.append("target=…")
        if self.new_data_loss is not None:
            given.append(f"confidence={self._figures['confidence']:g}")
        return f"unswayed.certify({data}, {', '.join(given)})"

    def _poison_weight(self) -> PoisonWeight:
        """The largest step weight of poisoned points, by label if classes have their own."""
        weight = self._statement["threat"]["poison_weight"]
        if not isinstance(weight, dict):
            return float(weight)
        classes = self._statement["data"][0]["labels"]["classes"]
        return {classes[name]: weight[name] for name in ("negative", "positive")}

    def _native_bootstrap(self) -> Optional[_native.Bootstrap]:
        return None if self._bootstrap is None else self._bootstrap._native

    def _native_attacks(self) -> Optional[_native.Attacks]:
        return None if self._attacks is None else self._attacks._native

    def __repr__(self) -> str:
        lines = _native.summary(self._native, self._native_attacks(), self._native_bootstrap())
        return "\n".join(f"{name:<15}  {text}".rstrip() for name, text in lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
            f"<td style='text-align:left'>{html.escape(text)}</td></tr>"
            for name, text in _native.summary(self._native, self._native_attacks(), self._native_bootstrap())
            if name
        )
        # The plot needs certificates at other poison rates: many rows would make a notebook wait.
        is_plain = self.loss_function == "hinge" and self.radius is not None
        is_quick = sum(map(len, self.datasets)) <= MOST_PLOTTED["hinge" if is_plain else "other"]
        plot = _native.plot(self._native, self._native_attacks(), 0) if is_quick else ""
        return f"<table>{rows}</table>{plot}"

    def __reduce__(self) -> tuple[Any, ...]:
        self._require_rows()
        return _restore, (self.to_bytes(), self.datasets, self.target)


def _restore(content: bytes, datasets: Sequence[Data], target: Optional[Data]) -> Certificate:
    data = [one._native for one in datasets]
    return Certificate(_native.recover(content, data, None if target is None else target._native))


def _number(value: Any) -> Optional[float]:
    return None if value is None else float(value)


def expectation_texts(expectations: Sequence[str], expected: dict[str, Any]) -> list[str]:
    """Expectations as the checker takes them."""
    words = {None: "none", True: "true", False: "false"}
    texts = [words[value] if value is None or isinstance(value, bool) else str(value) for value in expected.values()]
    return [*expectations, *(f"{name}={text}" for name, text in zip(expected, texts))]


def evidence(
    content: bytes, x: Features, y: Any, target: Any, weights: Any = None, sample_weight: Any = None
) -> tuple[list[_native.Data], Optional[_native.Data]]:
    """The rows that a certificate is about: its data, and the target if that has rows of its own."""
    origins, judged = _native.origins(content)
    datasets = several(x)
    if datasets is not None:
        data = [made(one, y, weights=weights) for one in datasets]
    elif len(origins) > 1:
        raise UnswayedError(f"the certificate is about {len(origins)} datasets, not 1: give a list of Data")
    else:
        data = [_as_certified(origin, x, y, weights, sample_weight) for origin in origins]
    if target is None and judged is not None:
        raise UnswayedError("the certificate has a target of its own: give that as well (target)")
    if target is not None and judged is None:
        raise UnswayedError("the certificate has no target of its own: leave it out")
    if judged is None:
        return data, None
    return data, _as_certified(judged, *(target if isinstance(target, tuple) else (target, None)))


def _as_certified(origin: str, x: Features, y: Any, weights: Any = None, sample_weight: Any = None) -> _native.Data:
    """Rows made from `x` and `y` as an origin says."""
    if isinstance(x, Data):
        return made(x, y, weights=weights)
    files = file_paths(x)
    if files is not None:
        if weights is not None:
            raise UnswayedError("the weights of a file are in the file: leave out weights")
        how = json.loads(origin)
        beside = label_file_beside(files) if isinstance(files, str) else None
        labels = os.fspath(y) if isinstance(y, os.PathLike) else beside
        if isinstance(y, str):
            origin = json.dumps({**how, "label_column": y})
        is_labelled = how["labels"] not in ("premultiplied", "preferences", "none")
        return _native.reload(files, labels if is_labelled else None, origin)
    how = json.loads(origin)
    if isinstance(weights, str):
        x, weights = take_column(x, weights, "weights")
    x, y = split(x, y)
    # A certificate for rows written out is not one for sparse rows.
    features = x if is_sparse(x) and how.get("of_columns") is not None else matrix(written_out(x, "the features"))
    labels_, w, steps = label_array(y), weight_array(weights), weight_array(sample_weight)
    of = features.shape[0]
    if how["rows"] < of:
        features, labels_, w, steps = first_rows(how["rows"], features, labels_, w, steps)
    return _native.Data.remade(table(features), labels_, w, of, origin, steps)


def certify(
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
    confidence: Optional[float] = None,
    horizon: Optional[int] = None,
    start: Optional[ArrayLike] = None,
    first_rate: Optional[float] = None,
    total_rate: Optional[float] = None,
    method: str = "convexity",
    effort: str = "standard",
    compact: bool = False,
    weights: Any = None,
    weight_column: Optional[str] = None,
    class_weight: Any = None,
    sample_weight: Any = None,
    labels: Optional[str] = None,
    normalize: bool = False,
    executor: Any = None,
) -> Certificate:
    """Bounds the long-run loss of an online linear learner under any adaptive poisoning.

    The hinge learner makes the step θ ← (1 − learning_rate·regularization)·θ + learning_rate·z for each point
    z = label · features with θᵀz ≤ 1, and only shrinks otherwise; other losses make their own gradient steps. With probability
    `poison_rate` a point is the adversary's, chosen in full view of the model.

    >>> import unswayed
    >>> certificate = unswayed.certify(
    ...     unswayed.sample(), learning_rate=1e-3, regularization=0.01, poison_rate=0.02)
    >>> print(certificate)
    learner          hinge loss, learning rate 0.001, regularization 0.01
    threat           each point is, with probability 0.02, the adversary's: any point with ‖z‖ ≤ 1
    rows             ...: 500 rows, 31 columns...
    start            any...
    <BLANKLINE>
    status           certified...
    certified loss   0.1475  no adversary gets the long-run hinge loss above this
    certified error  ...  nor the fraction misclassified above this
    ...

    Another loss, and an adversary who may send what a filter by columns lets pass:

    >>> certificate = unswayed.certify(
    ...     unswayed.sample().first(100), learning_rate=1e-3, regularization=0.01, poison_rate=0.02,
    ...     loss="logistic", adversary="box")
    >>> certificate.status, certificate.loss_function
    ('certified', 'logistic')

    Args:
        x, y, weights, weight_column, class_weight, sample_weight, labels, normalize: the benign data, see `Data`. A list of `Data`: the data may switch between
            them, at any time and in any way.
        learning_rate: the learner's step size η > 0.
        regularization: the learner's σ > 0, ησ < 1; it may be 0 with a `projection`.
        poison_rate: the fraction of points that are the adversary's, in [0, 1).
        radius: the largest norm of a poisoned point in the units of the data, for `adversary="ball"` (of its features alone, for
            `"features"`). If not given it is 1 in the units of the rows: the largest norm that they have after `normalize=True`.
        loss: `"hinge"`, `"logistic"`, `"smooth-hinge=WIDTH"`, `"modified-huber"` or `"multiclass"` (labels of two or more kinds); hinge if not given, logistic for
            `preferences`. For regression, where labels are numbers: `"absolute"`, `"epsilon-insensitive=E"`, `"huber=D"` or `"quantile=Q"`.
        adversary: the points that the adversary may send: `"ball"`; `"features"`, where the entry of the column `bias` is that of
            every row times the label, because the learner appends this constant itself; `"box"` or `"ellipsoid"`, what a filter that lets all
            data pass lets pass, or a `Box` or `Ellipsoid`; `Points`; `"flips"`, the rows z and −z; `"labels"`, random
            rows, each as it is or with its label flipped (z or −z; not for real scores); `"any"`, which needs `clip`.
        target: bound the loss on these rows instead of the data's: `Data`, or a pair of features and labels.
        batch: average the gradients of so many points in each step.
        projection: project the model on norms up to this after each step.
        clip: clip the gradient of each point at this norm.
        momentum: μ from 0 to below 1, as PyTorch's SGD has it: v ← μv + gradient (with the regularization), θ ← θ − ηv, from v = 0.
            ησ must be at most (1 − √μ)².
        bias: the column that is not regularized: its index, from the end if it is negative, or its name.
        schedule: how the learning rate changes, `learning_rate` being the largest one: `"optimal"` falls like 1/(σt),
            `"invscaling"` more slowly than 1/t, `"slowdown=D"` such that 1/rate grows by at most D in each step. With `"weighted"` it falls as it likes,
            and averages over time are weighted by the rates: the one for a learner with a `bias`.
        average: bound the loss of the average of all models so far, not that of the last one.
        label_bound: for a regression loss, the largest |y| of the labels of poisoned points; any numbers if not given.
        contaminated: the part of the rows that may be hostile themselves, nobody knows which, such as 0.01; bounds are for the
            others, and `certificate.hostile_rows` says how many they may be.
        moments: the adversary picks its moments: of each block of so many points, counted from the first, at most `poison_rate` times that
            many are its own, whenever it likes. Without it each point is its own by a coin.
        poison_weight: where steps have weights (`class_weight`, `sample_weight`), the largest one of a poisoned point, or a dictionary with
            one for each label. If not given, the largest of a row or class; with `class_weight` and `adversary="features"` that of
            the point's own class. Where a point may be sent with either label, the larger one counts.
        confidence: also bound the loss on new data like these, with this probability. The certificate is then about the
            first half of the rows; the other half chose its numbers. With `contaminated` the rows are in the order of their
            arrival, the first half chooses the numbers, and the certificate is about all rows.
        horizon: also bound the average loss over this many first steps, by a proof that is made for them.
        start: where the learner starts, such as `coef_[0]` of an estimator; 0 if not given.
        first_rate: for a `horizon` with a `schedule`, the learning rate of the first of these steps, or less; `learning_rate` if not
            given.
        total_rate: for a `horizon` with `schedule="weighted"`, what the learning rates of these steps add up to, or less.
        method: `"convexity"`, or `"paper"` for the semidefinite program of the paper (slower and looser, and only for the
            hinge loss and the ball).
        effort: `"standard"` also searches a better proof of the error (hinge and logistic losses) where that takes seconds, up to
            1000 rows of 31 columns; `"quick"` does not; `"tight"` does for up to 5000 rows, however long it takes, and for up to
            1000 rows searches a better proof of the loss (hinge loss, ball), which takes seconds.
        compact: a certificate whose size does not grow with the rows: its proof has a rule in place of numbers for each row. For the
            hinge loss against a ball. Data of more than 10,000 rows get one anyway where no other kind of proof is 0.03 % better.
        executor: for rows that are spread over processes or machines, who works on them: a Dask client if `x` is a Dask frame, the
            module `ray` if it is a Ray dataset; one of these or an executor of `concurrent.futures` if `x` is the path of a folder of
            .parquet files or a list of such files, which the workers read. `y` is the name of the label column. The certificate is
            a compact one, with the same bytes however the rows are spread. Its `data` are a sample of the rows, which attacks
            are run on.
    """
    template = asked(
        loss=loss, adversary=adversary, radius=radius, batch=batch, projection=projection, clip=clip, momentum=momentum,
        bias=bias, schedule=schedule, average=average, label_bound=label_bound, poison_weight=poison_weight,
        contaminated=contaminated, moments=moments,
    )
    theta = None if start is None else np.asarray(start, dtype=np.float64).ravel().tolist()
    steps = None if horizon is None else whole("horizon", horizon, 1)
    if executor is not None:
        given = {"target": target, "confidence": confidence, "weights": weights, "weight_column": weight_column}
        given |= {"class_weight": class_weight, "sample_weight": sample_weight, "first_rate": first_rate, "total_rate": total_rate}
        given |= {"method": None if method == "convexity" else method, "effort": "tight" if effort == "tight" else None}
        unwanted = [name for name, value in given.items() if value is not None]
        if unwanted:
            raise UnswayedError(f"{unwanted[0]}: not for rows that are spread over workers; leave it or the executor out")
        found = _partitions.certify(
            x,
            y,
            executor,
            rates=(learning_rate, regularization, poison_rate),
            template=template,
            labels=labels,
            normalize=normalize,
            horizon=steps,
            start=theta,
        )
        return Certificate(found, is_sample=True)
    if _partitions.kind(x) is not None:
        raise UnswayedError(f"{type(x).__name__}: its rows are elsewhere; give an executor, a Dask client or the module ray")
    certified = problem(
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
    return Certificate(_native.certify(certified, steps, theta, (first_rate, total_rate), confidence, method, effort, compact))
