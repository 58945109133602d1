"""Choosing the learner."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Optional, Union

from . import _native
from ._attack import Simulation, _figures
from ._certificate import Certificate
from ._data import Data, Features, made, whole
from ._native import UnswayedError
from ._problem import Adversary, PoisonWeight, asked, label_kind, problem
from ._progress import shown

Numbers = Optional[Sequence[float]]
#: Norms to project on or to clip at: one, several to try (`None` for none of it), or "auto" for some that suit the data.
Radii = Union[float, str, Sequence[Optional[float]], None]
#: Points per step: one number, several to try, or "auto".
Batches = Union[int, str, Sequence[int]]


@dataclass(frozen=True)
class Setting:
    """The learner's own numbers.

    Attributes:
        projection: the radius of the ball that every step is projected on; `None` if it is not.
        clip: the norm at which the gradient of each point is clipped.
        batch: points per step.
    """

    learning_rate: float
    regularization: float
    projection: Optional[float]
    clip: Optional[float]
    batch: int


@dataclass(frozen=True)
class Ranked(Setting):
    """A setting and its means over the training tasks and poison rates.

    Attributes:
        certified_error: the largest of all tasks and poison rates.
        objective: benign loss + κ · certified loss, or with `at_most_error` the benign loss; smaller is better, and `None` if
            the setting will not do.
        pareto: whether no other setting is better in one of the two losses and no worse in the other.
    """

    benign_loss: float
    certified_loss: float
    benign_error: Optional[float]
    certified_error: Optional[float]
    objective: Optional[float]
    pareto: bool


@dataclass(frozen=True)
class Row(Setting):
    """One task, setting and poison rate. Attack fields are `None` where no attacks were run.

    With a horizon, benign and attack figures are averages over the steps that so many first points make, and `horizon_loss` and
    `horizon_error` bound these; `certified_loss` and `certified_error` are always about the long run.
    """

    task: str
    poison_rate: float
    benign_loss: float
    benign_error: Optional[float]
    benign_source: str
    certified_loss: float
    certified_error: Optional[float]
    horizon: Optional[int]
    horizon_loss: Optional[float]
    horizon_error: Optional[float]
    method: str
    status: str
    attack: Optional[str]
    attack_loss: Optional[float]
    attack_loss_half_width: Optional[float]
    attack_error: Optional[float]
    verdict: Optional[str]
    gap: Optional[float]


@dataclass(frozen=True)
class Design:
    """What was chosen, and why.

    Attributes:
        chosen: the best setting.
        poor: the worst setting of the grid.
        ranking: all settings of the grid, best first.
        kappa: the weight of the certified loss; `kappa_tuned` says whether it was tuned on the validation task.
        rows: every figure: all tasks, all settings, all poison rates. `pandas.DataFrame(design.rows)` makes a frame of it.
        on_test: the chosen setting on the test task, at each poison rate.
        poor_on_test: the worst setting there.
        hindsight_on_test: the setting that would have been best there.
        certificates: bytes of the chosen setting's certificate files, by task and poison rate.
        computed: records computed now; the others came from the journal.
        price: what the choice gives up: its mean benign loss less the smallest one of the grid.
        at_edge: which of learning rate, regularization, projection, clip and batch are at the end of the grid.
        at_most_error: the limit on the certified error that the choice had to keep, if there was one.
    """

    chosen: Ranked
    poor: Ranked
    ranking: list[Ranked]
    kappa: float
    kappa_tuned: bool
    rows: list[Row]
    on_test: list[Row]
    poor_on_test: list[Row]
    hindsight_on_test: list[Row]
    certificates: dict[tuple[str, float], bytes]
    computed: int
    price: float
    at_edge: list[str]
    at_most_error: Optional[float]

    def _objective(self) -> str:
        value = self.chosen.objective
        shown = "none" if value is None else _native.up(value)
        if self.at_most_error is None:
            return f"benign loss + {self.kappa:g} · certified loss = {shown}"
        return f"benign loss = {shown}, with a certified error of at most {self.at_most_error:g}"

    def __repr__(self) -> str:
        lines = [
            f"chosen           {_in_words(self.chosen)}",
            f"objective        {self._objective()}",
        ]
        for name, rows in (("chosen", self.on_test), ("poor", self.poor_on_test)):
            for row in rows[-1:]:
                attack = "" if row.attack_loss is None else f", attack {_native.down(row.attack_loss)}"
                text = f"{row.task}, {100 * row.poison_rate:g} % poison: certified loss {_native.up(row.certified_loss)}{attack}"
                lines.append(f"{name + ' on test':<15}  {text}")
        return "\n".join(lines)


def design(
    tasks: Mapping[str, Features],
    *,
    validate: Optional[Mapping[str, Features]] = None,
    test: Optional[Mapping[str, Features]] = None,
    learning_rates: Numbers = None,
    regularizations: Numbers = None,
    poison_rates: Numbers = None,
    kappa: Optional[float] = None,
    horizon: Optional[int] = None,
    start: Optional[Sequence[float]] = None,
    at_most_error: Optional[float] = None,
    radius: Optional[float] = None,
    loss: Optional[str] = None,
    adversary: Adversary = "ball",
    batch: Batches = 1,
    projection: Radii = None,
    clip: Radii = None,
    momentum: float = 0.0,
    bias: Union[int, str, None] = None,
    schedule: Optional[str] = None,
    average: bool = False,
    label_bound: Optional[float] = None,
    poison_weight: PoisonWeight = None,
    contaminated: Optional[float] = None,
    moments: Optional[int] = None,
    benign: str = "simulated",
    attacks: str = "fast",
    attack_everywhere: bool = False,
    refine: bool = False,
    seed: int = 0,
    output: Union[str, os.PathLike[str], None] = None,
    resume: bool = False,
    executor: Any = None,
    progress: Optional[bool] = None,
) -> Design:
    """Chooses the learner's numbers: the smallest mean of benign loss + κ · certified loss over the tasks.

    >>> import unswayed
    >>> found = unswayed.design(
    ...     {"train": unswayed.sample().first(100)},
    ...     test={"test": unswayed.sample_test().first(100)},
    ...     learning_rates=[1e-3, 1e-2], regularizations=[0.01, 0.1], poison_rates=[0.02],
    ...     benign="limit", attacks="none")
    >>> found.chosen.learning_rate, len(found.rows)
    (0.001, 8)

    Args:
        tasks: the tasks to choose on, by name. Data are `Data`, or pairs of features and labels, or paths of files.
        validate: one task to tune κ on, if it is not given.
        test: one task that has no say in the choice, to judge it on.
        learning_rates, regularizations, poison_rates: the grid; the paper's values where not given, or with a horizon values that
            suit it, and more where the choice is at their end.
        kappa: the weight of the certified loss; 1 if not given and not tuned.
        horizon, start: choose for a stream of so many points, from this start (default 0): losses are averages over the steps
            that these make, one for each `batch` of points.
        projection, clip, batch: one value, or several to try (`None` for no projection or clipping); `"auto"` tries some that suit
            the data, and more where the choice is at their end.
        at_most_error: choose the smallest benign loss among settings whose certified error is at most this everywhere.
        radius, loss, adversary, momentum, bias, schedule, average, label_bound, contaminated, moments: the learner and its
            adversary, as for `certify`. A box or ellipsoid around the data, and flips of them, are around each task's own.
        benign: `"simulated"`, or `"limit"` for the limit of small learning rates, which is cheaper.
        attacks: `"none"`, `"fast"`, `"full"` or a time for each such as `"5s"`: on the validation and test task where a choice is shown;
            with `attack_everywhere` at all settings of all tasks.
        refine: continue from the best cell between the points of the grid.
        output: a folder for the journal, tables, certificates and report, as the command line writes it.
        resume: continue the journal in that folder, and compute only what is missing.
        executor: where to compute: an executor of `concurrent.futures`, a Dask client, or the module `ray`; this machine's
            cores if not given. The figures are the same.
        progress: show progress with tqdm; on terminals and in notebooks if not given.
    """
    if not isinstance(tasks, Mapping):
        raise UnswayedError("tasks: give them by name, {name: data, …}")
    template = asked(
        loss=loss, adversary=adversary, radius=radius, batch=1, projection=None, clip=None, momentum=momentum, bias=bias,
        schedule=schedule, average=average, label_bound=label_bound, poison_weight=poison_weight,
        contaminated=contaminated, moments=moments,
    )
    labels = label_kind(loss)
    named = {name: _data(data, labels) for name, data in tasks.items()}
    validation, judge = _only("validate", validate, labels), _only("test", test, labels)
    run = None
    if executor is not None:
        from ._executors import runner

        everything = {**named, **dict([validation] if validation else []), **dict([judge] if judge else [])}
        run = runner(executor, {name: Data._of(data) for name, data in everything.items()})
    with shown(progress, "design") as show:
        result, certificates = _native.design(
            list(named.items()),
            validation,
            judge,
            [_list(learning_rates), _list(regularizations), _list(poison_rates)],
            _axes(projection, clip, batch),
            kappa,
            at_most_error,
            _stream(horizon, start),
            template,
            benign,
            attacks,
            attack_everywhere,
            whole("seed", seed),
            refine,
            None if output is None else os.fspath(output),
            resume,
            run,
            show,
            "unswayed.design(…)",
        )
    on_test = result["test"] or {"chosen": [], "poor": [], "hindsight": []}
    return Design(
        chosen=_make(Ranked, result["chosen"]),
        poor=_make(Ranked, result["poor"]),
        ranking=[_make(Ranked, row) for row in result["ranking"]],
        kappa=float(result["kappa"]),
        kappa_tuned=result["kappa_tuned"],
        rows=[_make(Row, row) for row in result["rows"]],
        on_test=[_make(Row, row) for row in on_test["chosen"]],
        poor_on_test=[_make(Row, row) for row in on_test["poor"]],
        hindsight_on_test=[_make(Row, row) for row in on_test["hindsight"]],
        certificates={(task, rate): content for task, rate, content in certificates},
        computed=result["computed"],
        price=float(result["price"]),
        at_edge=list(result["at_edge"]),
        at_most_error=at_most_error,
    )


@dataclass(frozen=True)
class Tolerated:
    """The largest poison rate that is certified to stay under the limit.

    Attributes:
        poison_rate: that rate.
        certificate: its certificate.
        broken_poison_rate: a rate at which an attack was seen to break the limit, if one was found.
        broken: what that attack reached.
    """

    poison_rate: float
    certificate: Certificate
    broken_poison_rate: Optional[float]
    broken: Optional[Simulation]


@dataclass(frozen=True)
class Tolerable:
    """The settings that keep the harm under the limit at a poison rate.

    Attributes:
        settings: those settings, the smallest benign loss first.
        smallest: the smallest certified figure of all settings, under the limit or not.
    """

    settings: list[Row]
    smallest: Row


def tolerate(
    x: Features,
    y: Any = None,
    *,
    limit: float,
    learning_rate: Union[float, Sequence[float], None] = None,
    regularization: Union[float, Sequence[float], None] = None,
    poison_rate: Optional[float] = None,
    measure: str = "loss",
    horizon: Optional[int] = None,
    start: Optional[Sequence[float]] = None,
    radius: Optional[float] = None,
    loss: Optional[str] = None,
    adversary: Adversary = "ball",
    batch: Batches = 1,
    projection: Radii = None,
    clip: Radii = None,
    momentum: float = 0.0,
    bias: Union[int, str, None] = None,
    schedule: Optional[str] = None,
    average: bool = False,
    label_bound: Optional[float] = None,
    poison_weight: PoisonWeight = None,
    contaminated: Optional[float] = None,
    moments: Optional[int] = None,
    attacks: bool = True,
    seed: int = 0,
    progress: Optional[bool] = None,
    weights: Any = None,
    weight_column: Optional[str] = None,
    class_weight: Any = None,
    sample_weight: Any = None,
    labels: Optional[str] = None,
    normalize: bool = False,
) -> Union[Tolerated, Tolerable, None]:
    """How much poison is tolerable, or which settings tolerate it.

    With a learning rate and a regularization: the largest poison rate whose certified loss (or error, `measure="error"`)
    stays under the limit, as a `Tolerated`; `None` if not even 0 does.

    With a poison rate: the settings of a grid under the limit, as a `Tolerable`; learning rates and regularizations may
    be lists, and are the paper's where not given; so may projection, clip and batch, as for `design`.

    >>> import unswayed
    >>> found = unswayed.tolerate(
    ...     unswayed.sample(), limit=0.2, learning_rate=1e-3, regularization=0.01, attacks=False)
    >>> 0.03 < found.poison_rate < 0.04
    True

    Args:
        x, y, weights, weight_column, labels, normalize: the data, see `Data`.
        radius, loss, adversary, batch, projection, clip, momentum, bias, schedule, average, label_bound, contaminated, moments:
            the learner and its adversary, as for `certify`.
        horizon, start: the limit is about the average over the steps that so many first points make, from this start (default 0).
        attacks: also look for a rate at which an attack is seen to break the limit.
        progress: show progress with tqdm; on terminals and in notebooks if not given.
    """
    if not 0.0 < limit < float("inf"):
        raise UnswayedError(f"limit {limit}: it must be positive and finite")
    if measure == "error" and label_kind(loss) == "numbers":
        raise UnswayedError("measure='error': a regression loss classifies nothing; limit its loss, measure='loss'")
    template = asked(
        loss=loss, adversary=adversary, radius=radius, batch=1, projection=None, clip=None, momentum=momentum, bias=bias,
        schedule=schedule, average=average, label_bound=label_bound, poison_weight=poison_weight,
        contaminated=contaminated, moments=moments,
    )
    stream = _stream(horizon, start)
    reading = {"weights": weights, "weight_column": weight_column, "labels": labels, "normalize": normalize}
    reading |= {"class_weight": class_weight, "sample_weight": sample_weight}
    if poison_rate is not None:
        if labels is None and not isinstance(x, Data):
            reading["labels"] = label_kind(loss)
        data = made(x, y, **reading)
        grid = [_list(learning_rate), _list(regularization), [poison_rate]]
        axes = _axes(projection, clip, batch)
        with shown(progress, "tolerate") as show:
            found = _native.tolerating(data, template, grid, axes, limit, measure, stream, whole("seed", seed), show)
        return Tolerable([_make(Row, row) for row in found["settings"]], _make(Row, found["smallest"]))
    steps = [_single(projection), _single(clip), _single(batch)]
    if not isinstance(learning_rate, (int, float)) or not isinstance(regularization, (int, float)) or ... in steps:
        raise UnswayedError(
            "give learning_rate and regularization (one value each, as of projection, clip and batch) to find the largest "
            "tolerable poison rate, or poison_rate to find the settings that tolerate it"
        )
    template["projection"], template["clip"], template["batch"] = steps[0], steps[1], whole("batch", steps[2], 1)
    if stream[0] is not None:
        stream = (stream[0] // template["batch"], stream[1])
        if stream[0] == 0:
            raise UnswayedError(f"batch {template['batch']}: a stream of {horizon} points has no whole step")
    tolerant = problem(
        x,
        y,
        learning_rate=float(learning_rate),
        regularization=float(regularization),
        poison_rate=0.0,
        template=template,
        **reading,
    )
    largest = _native.largest_rate(tolerant, limit, measure, stream, attacks, whole("seed", seed))
    if largest is None:
        return None
    rate, certificate, broken = largest
    return Tolerated(
        rate,
        Certificate(certificate),
        None if broken is None else float(broken["poison_rate"]),
        None if broken is None else Simulation(**_figures(broken["simulated"])),
    )


def _data(data: Any, labels: Optional[str]) -> _native.Data:
    """A task's data: ready, or features (with labels, in a pair)."""
    return made(data) if isinstance(data, Data) else made(*(data if isinstance(data, tuple) else (data,)), labels=labels)


def _only(
    what: str, task: Optional[Mapping[str, Features]], labels: Optional[str]
) -> Optional[tuple[str, _native.Data]]:
    if task is None:
        return None
    if not isinstance(task, Mapping) or len(task) != 1:
        raise UnswayedError(f"{what}: give one task, by name: {{name: data}}")
    [(name, data)] = task.items()
    return name, _data(data, labels)


def _list(values: Union[float, Numbers]) -> Optional[list[float]]:
    if values is None:
        return None
    return [float(values)] if isinstance(values, (int, float)) else [float(value) for value in values]


def _axes(projection: Radii, clip: Radii, batch: Batches) -> list[Union[str, list[Optional[float]]]]:
    """Projections, clips and batches to try, as the native module takes them."""

    def one(values: Union[Radii, Batches]) -> Union[str, list[Optional[float]]]:
        if isinstance(values, str):
            return values
        each: list[Any] = list(values) if isinstance(values, Iterable) else [values]
        return [None if x is None else float(x) for x in each]

    return [one(projection), one(clip), one(batch)]


def _single(values: Union[Radii, Batches]) -> Any:
    """The value, if there is one; else `...`."""
    if isinstance(values, str):
        return ...
    if isinstance(values, Iterable):
        each = list(values)
        return each[0] if len(each) == 1 else ...
    return values


def _in_words(setting: Setting) -> str:
    parts = [f"learning rate {setting.learning_rate:g}", f"regularization {setting.regularization:g}"]
    parts += [] if setting.projection is None else [f"projection {setting.projection:g}"]
    parts += [] if setting.clip is None else [f"clip {setting.clip:g}"]
    parts += [] if setting.batch == 1 else [f"batch {setting.batch}"]
    return ", ".join(parts)


def _stream(horizon: Optional[int], start: Optional[Sequence[float]]) -> tuple[Optional[int], Optional[list[float]]]:
    """A number of first steps and a start, as the native module takes them."""
    if start is not None and horizon is None:
        raise UnswayedError("start: it is where a stream starts; give horizon, its length, too")
    steps = None if horizon is None else whole("horizon", horizon, 1)
    return steps, None if start is None else [float(x) for x in start]


def _make(kind: type[Any], row: Mapping[str, Any]) -> Any:
    return kind(**{field.name: row.get(field.name) for field in fields(kind)})
