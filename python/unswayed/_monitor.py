"""A learner that runs, certified again and again while it learns."""

from __future__ import annotations

import logging
import threading
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from . import _native
from ._adapters import Learner, from_river, from_sklearn
from ._adapters.pipelines import _table
from ._certificate import Certificate
from ._data import whole
from ._native import UnswayedError
from ._problem import Adversary, asked, problem

_LOG = logging.getLogger("unswayed")

#: Updates that are remembered.
MOST_UPDATES = 1000


@dataclass(frozen=True)
class Update:
    """What was found in one window.

    Attributes:
        number: counted from 1.
        time: when it began, in seconds since 1970.
        rows: the rows that had been learned from.
        benign_loss, benign_error: without an adversary, for small learning rates.
        attack_loss, attack_error: what the strongest attack found reaches in the long run, simulated; none if no attack was run.
        certified_loss, certified_error: no adversary gets above these; none if there is no proof.
        status: `"certified"`, `"vacuous"`, `"not converged"` or `"failed"`.
        message: why there is no proof, or no attack.
        seconds: how long it took.
        alarm: whether a limit is passed. A bound that is missing is within no limit.
    """

    number: int
    time: float
    rows: int
    benign_loss: Optional[float]
    benign_error: Optional[float]
    attack_loss: Optional[float]
    attack_error: Optional[float]
    certified_loss: Optional[float]
    certified_error: Optional[float]
    status: str
    message: Optional[str]
    seconds: float
    alarm: bool


class Monitor:
    """Wraps a model that learns online, and certifies its newest rows again and again in the background.

    `learn_one`, `partial_fit` and everything else go on to the model. Whenever `every` more rows have been learned from, the last
    `window` rows are certified on a thread of their own, with the interpreter released, starting from the solution of the time before.
    If that takes longer than `every` rows, the next certificate is about the rows that are newest then.

    What is certified is the learner that runs: `from_river` or `from_sklearn` read it off the model, and a model that has no
    certificate is refused here. A certificate takes the rows of its window for the distribution of benign points: it bounds the
    long-run loss on these rows if the stream goes on like them, and says nothing of rows that are unlike them. Poisoned rows that
    are in the window already count as benign, unless `contaminated` says which part of the rows may be hostile.

    >>> import unswayed
    >>> from river import datasets, linear_model, optim
    >>> model = unswayed.Guard(1.0) | linear_model.LogisticRegression(
    ...     optimizer=optim.SGD(0.01), loss=optim.losses.Hinge(), l2=0.1, intercept_lr=0)
    >>> with unswayed.Monitor(model, poison_rate=0.01, window=200, every=100, limit_loss=0.9) as monitor:
    ...     for x, y in datasets.Phishing().take(300):
    ...         probability = monitor.predict_proba_one(x)
    ...         monitor.learn_one(x, y)
    ...     is_done = monitor.wait()
    >>> monitor.certificate.status, monitor.history[-1].alarm, monitor.alarms
    ('certified', False, 0)

    Args:
        model: a river model or pipeline, or a scikit-learn `SGDClassifier` or `SGDRegressor` (or a pipeline that ends in one) that is
            trained with `partial_fit` on arrays.
        poison_rate: the fraction of points that are the adversary's, in [0, 1).
        window: rows of a window; nothing is certified before there are so many.
        every: rows from one certificate to the next; a tenth of the window if not given.
        limit_loss, limit_error: an alarm is raised when the certified loss or error is above, or there is no proof.
        on_alarm: called with the `Update` when a limit is passed that was kept before, on the thread that certifies.
        attacks: `"none"`, or `"fast"`, `"full"` or a time such as `"5s"` to also simulate attacks in each window, which takes longer
            than the bound.
        seed: the seed of the attacks.
        radius, adversary, label_bound, contaminated, moments: as for `certify`.
    """

    def __init__(
        self,
        model: Any,
        *,
        poison_rate: float,
        window: int = 5000,
        every: Optional[int] = None,
        limit_loss: Optional[float] = None,
        limit_error: Optional[float] = None,
        on_alarm: Optional[Callable[[Update], object]] = None,
        attacks: str = "none",
        seed: int = 0,
        radius: Optional[float] = None,
        adversary: Adversary = "ball",
        label_bound: Optional[float] = None,
        contaminated: Optional[float] = None,
        moments: Optional[int] = None,
    ) -> None:
        self._model = model
        self._is_sklearn = hasattr(model, "get_params")
        self._learner = self._read()
        if not 0 <= poison_rate < 1:
            raise UnswayedError(f"poison_rate {poison_rate}: it must be in [0, 1)")
        if limit_error is not None and not self._learner.is_classifier:
            raise UnswayedError("limit_error: a regression has no error; use limit_loss")
        self._window = whole("window", window, 2)
        self._every = max(1, self._window // 10) if every is None else whole("every", every, 1)
        self._poison_rate = poison_rate
        self._threat = {"radius": radius, "adversary": adversary, "label_bound": label_bound, "contaminated": contaminated, "moments": moments}
        self._native = _native.Monitor(self._window, self._every, limit_loss, limit_error, attacks, seed)
        #: Called with the `Update` when a limit is passed that was kept before.
        self.on_alarm = on_alarm
        self._lock = threading.Condition()
        self._points: deque[tuple[Any, Any, int]] = deque()
        self._kept = self._rows = 0
        self._due = self._window
        self._worker: Optional[threading.Thread] = None
        self._is_closed = False
        self._history: deque[Update] = deque(maxlen=MOST_UPDATES)
        self._certificate: Optional[Certificate] = None

    # What the model does.

    def learn_one(self, x: Any, y: Any, **more: Any) -> Any:
        """river's `learn_one` of the model; the point then counts as a row of the window."""
        if more:
            raise UnswayedError(f"learn_one with {', '.join(more)}: that changes the steps, and the certificate would be about another learner")
        learned = self._model.learn_one(x, y)
        self._note(dict(x), y, 1)
        return learned

    def partial_fit(self, x: Any, y: Any, classes: Any = None) -> Monitor:
        """scikit-learn's `partial_fit` of the model, or of the last step of a pipeline whose other steps are fitted already."""
        if hasattr(x, "tocsr"):
            raise UnswayedError("partial_fit: the features are a sparse matrix, on which scikit-learn's intercept learns at another rate; give an array")
        last, rows = self._model, x
        if hasattr(last, "steps"):
            for _, step in last.steps[:-1]:
                if step is not None and step != "passthrough":
                    rows = step.transform(rows)
            last = last.steps[-1][1]
        last.partial_fit(rows, y) if classes is None else last.partial_fit(rows, y, classes=classes)
        kept = x.copy() if hasattr(x, "copy") else np.array(x)
        self._note(kept, np.array(y), len(kept))
        return self

    def fit(self, *_: Any, **__: Any) -> None:
        """Refused: it makes several passes over the data, and no certificate is about that."""
        raise UnswayedError("fit makes several passes over the data, and the certificate is about single steps; use partial_fit")

    def learn_many(self, *_: Any, **__: Any) -> None:
        """Refused: its steps are those of batches."""
        raise UnswayedError("learn_many makes steps on batches, and the certificate is about single steps; use learn_one")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._model, name)

    # What is known.

    @property
    def model(self) -> Any:
        """The model itself. What it learns directly is not seen here."""
        return self._model

    @property
    def certificate(self) -> Optional[Certificate]:
        """The newest certificate; none before the first."""
        return self._certificate

    @property
    def history(self) -> list[Update]:
        """The newest updates, oldest first, a thousand at most."""
        with self._lock:
            return list(self._history)

    @property
    def alarms(self) -> int:
        """How often a limit was passed that had been kept before."""
        return self._native.alarms

    @property
    def meaning(self) -> str:
        """What the certificate of a window says and does not say."""
        return _native.Monitor.meaning

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Waits until nothing is being certified, and returns whether that came true in time."""
        with self._lock:
            return self._lock.wait_for(lambda: self._worker is None, timeout)

    def close(self) -> None:
        """Certifies no more windows, and waits for the one under way. The model goes on learning."""
        with self._lock:
            self._is_closed = True
        self._native.cancel()
        if threading.current_thread() is not self._worker:
            self.wait()

    def __enter__(self) -> Monitor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Monitor({self._model!r}, {self._rows} rows, {self.alarms} alarms)"

    # How it works.

    def _read(self) -> Learner:
        """The learner that the model is by now."""
        if self._is_sklearn:
            return from_sklearn(self._model, sparse=False)
        for _ in range(100):
            try:
                return from_river(self._model)
            except RuntimeError:  # the model has got a new weight meanwhile
                continue
        raise UnswayedError("the model has new features all the time; give every point all features")

    def _note(self, x: Any, y: Any, rows: int) -> None:
        with self._lock:
            self._points.append((x, y, rows))
            self._rows += rows
            self._kept += rows
            while self._kept - self._points[0][2] >= self._window:
                self._kept -= self._points.popleft()[2]
            if self._rows < self._due or self._is_closed or self._worker is not None:
                return
            # The thread lives as long as there is work: nobody has to end it.
            self._worker = threading.Thread(target=_work, args=(weakref.ref(self),), name="unswayed-monitor", daemon=True)
            self._worker.start()

    def _update(self) -> bool:
        """Certifies the window if it is due; False if there is nothing to do any more."""
        with self._lock:
            if self._is_closed or not self._native.is_due(self._rows):
                self._worker = None
                self._lock.notify_all()
                return False
            points, rows = list(self._points), self._rows
            self._due = rows + self._every
        certificate = None
        try:
            found, is_new, certificate = self._native.update(self._problem(points), rows)
        except Exception as error:  # noqa: BLE001, whatever it is: the learner goes on, and there is no bound
            found, is_new = self._native.fail(str(error), rows)
        update = Update(**found)
        with self._lock:
            self._history.append(update)
            if certificate is not None:
                self._certificate = Certificate(certificate)
        if is_new and self.on_alarm is not None:
            try:
                self.on_alarm(update)
            except Exception:
                _LOG.exception("on_alarm has raised an exception")
        return True

    def _problem(self, points: list[tuple[Any, Any, int]]) -> _native.Problem:
        learner = self._read()
        if learner != self._learner:
            raise UnswayedError(f"the model has changed since it is watched: it was {self._learner}, and is {learner}; make a new Monitor")
        options = learner._asked(dict(self._threat))
        data, _ = learner._rows(*self._arrays(points, learner), options)
        template = asked(
            loss=options["loss"], adversary=options["adversary"], radius=options["radius"], batch=1, projection=None, clip=None,
            momentum=options["momentum"], bias=options.get("bias"), schedule=options["schedule"], average=options["average"],
            label_bound=options["label_bound"], poison_weight=None, contaminated=options["contaminated"], moments=options["moments"],
        )
        return problem(
            data, None, learning_rate=options["learning_rate"], regularization=options["regularization"],
            poison_rate=self._poison_rate, template=template, weights=None, weight_column=None, class_weight=None,
            sample_weight=None, labels=None, normalize=False,
        )

    def _arrays(self, points: list[tuple[Any, Any, int]], learner: Learner) -> tuple[Any, Any]:
        """The features and labels of the window, as the learner's adapter takes them."""
        if not self._is_sklearn:
            x: Any = [point for point, _, _ in points]
            return x if learner.before is not None else _table(x), np.array([y for _, y, _ in points])
        blocks = [block for block, _, _ in points]
        if hasattr(blocks[0], "iloc"):
            import pandas

            x = pandas.concat(blocks)
        else:
            x = np.concatenate(blocks)
        return x[-self._window :], np.concatenate([y for _, y, _ in points])[-self._window :]


def _work(monitor: weakref.ref[Monitor]) -> None:
    """Certifies windows as long as they are due. A monitor that nobody has any more is let go."""
    while True:
        alive = monitor()
        if alive is None or not alive._update():
            return
        del alive
