"""From the estimators people run to the learner we certify."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

from numpy.typing import ArrayLike

from . import _native
from ._attack import Attacks, attack
from ._certificate import Certificate, certify
from ._data import Features, Floats, floats
from ._design import Tolerated, tolerate
from ._native import UnswayedError


@dataclass(frozen=True)
class Learner:
    """The numbers of an online hinge learner, read off an estimator.

    >>> import unswayed
    >>> learner = unswayed.Learner(learning_rate=1e-3, regularization=0.01)
    >>> learner.certify(unswayed.sample(), poison_rate=0.02).status
    'certified'
    """

    learning_rate: float
    regularization: float

    def update(self, model: ArrayLike, z: ArrayLike) -> Floats:
        """The model after one step on the point z = label · features.

        >>> import unswayed
        >>> unswayed.Learner(learning_rate=0.5, regularization=0.5).update([0.0, 1.0], [0.6, 0.8])
        array([0.3 , 1.15])
        """
        theta, point = map(floats, (model, z))
        return _native.update(theta, point, self.learning_rate, self.regularization)

    def certify(self, x: Features, y: Any = None, *, poison_rate: float, **options: Any) -> Certificate:
        """`unswayed.certify` with this learner."""
        return certify(x, y, poison_rate=poison_rate, **self._setting, **options)

    def attack(self, x: Features, y: Any = None, *, poison_rate: float, **options: Any) -> Attacks:
        """`unswayed.attack` with this learner."""
        return attack(x, y, poison_rate=poison_rate, **self._setting, **options)

    def tolerate(self, x: Features, y: Any = None, *, limit: float, **options: Any) -> Optional[Tolerated]:
        """`unswayed.tolerate` with this learner: the largest poison rate under the limit."""
        found = tolerate(x, y, limit=limit, **self._setting, **options)
        assert found is None or isinstance(found, Tolerated)
        return found

    @property
    def _setting(self) -> dict[str, Any]:
        return {"learning_rate": self.learning_rate, "regularization": self.regularization}


def from_sklearn(estimator: Any) -> Learner:
    """The learner that a scikit-learn `SGDClassifier` is when it is trained with `partial_fit`, a point at a time.

    Refuses, with the reason, an estimator whose steps are not those we certify. `fit` is another matter: it makes several
    passes over the data, and the certificate says nothing of that.

    >>> import unswayed
    >>> from sklearn.linear_model import SGDClassifier
    >>> model = SGDClassifier(loss="hinge", alpha=0.01, learning_rate="constant", eta0=1e-3, fit_intercept=False)
    >>> unswayed.from_sklearn(model)
    Learner(learning_rate=0.001, regularization=0.01)
    >>> unswayed.from_sklearn(SGDClassifier())
    Traceback (most recent call last):
    unswayed.UnswayedError: SGDClassifier: learning_rate='optimal'...
    """
    from sklearn.linear_model import SGDClassifier

    kind = type(estimator).__name__
    if type(estimator) is not SGDClassifier:
        raise UnswayedError(f"{kind}: only SGDClassifier makes steps that are certified here{_inside(estimator)}")
    wanted = estimator.get_params(deep=False)
    rules = [
        ("learning_rate", "constant", "its step size changes over time, and the bound is for a constant one; use 'constant' with eta0"),
        ("loss", "hinge", "only the hinge loss is certified"),
        ("penalty", "l2", "only the quadratic penalty pulls the model back in proportion to its size; use 'l2'"),
        ("fit_intercept", False, "the intercept is not regularized, so nothing pulls it back; append a constant column to "
         "the features and set fit_intercept=False"),
        ("average", False, "it predicts with an average of its models; use average=False"),
        ("class_weight", None, "it weighs classes differently in its steps; use None, and weigh the data"),
    ]
    for name, value, reason in rules:
        if wanted[name] != value:
            raise UnswayedError(f"SGDClassifier: {name}={wanted[name]!r}: {reason}")
    return _learner(kind, wanted["eta0"], "eta0", wanted["alpha"], "alpha")


def from_river(model: Any) -> Learner:
    """The learner that a river `LogisticRegression` with the hinge loss is.

    Refuses, with the reason, a model whose steps are not those we certify. river shrinks only the weights of the features
    that a point has, so every point must have all features, the adversary's too.

    >>> import unswayed
    >>> from river import linear_model, optim
    >>> model = linear_model.LogisticRegression(
    ...     optimizer=optim.SGD(1e-3), loss=optim.losses.Hinge(), l2=0.01, intercept_lr=0)
    >>> unswayed.from_river(model)
    Learner(learning_rate=0.001, regularization=0.01)
    >>> unswayed.from_river(linear_model.LogisticRegression(loss=optim.losses.Hinge(), l2=0.01))
    Traceback (most recent call last):
    unswayed.UnswayedError: LogisticRegression: intercept_lr...
    """
    from river import linear_model, optim

    kind = type(model).__name__
    if type(model) is not linear_model.LogisticRegression:
        raise UnswayedError(f"{kind}: only LogisticRegression makes steps that are certified here{_inside(model)}")

    def refuse(what: str, reason: str) -> UnswayedError:
        return UnswayedError(f"{kind}: {what}: {reason}")

    if type(model.loss) is not optim.losses.Hinge or model.loss.threshold != 1:
        raise refuse(f"loss {model.loss}", "only the hinge loss with threshold 1 is certified")
    if type(model.optimizer) is not optim.SGD:
        raise refuse(
            f"optimizer {type(model.optimizer).__name__}",
            "its steps depend on past gradients; only plain SGD is certified",
        )
    if type(model.optimizer.lr) is not optim.schedulers.Constant:
        raise refuse("optimizer.lr", "its step size changes over time, and the bound is for a constant one")
    rate = model.intercept_lr
    if type(rate) is not optim.schedulers.Constant or rate.learning_rate != 0 or model.intercept != 0:
        raise refuse(
            "intercept_lr",
            "the intercept is not regularized, so nothing pulls it back; add a constant feature and set intercept_lr=0",
        )
    if model.l1 != 0:
        raise refuse(f"l1={model.l1}", "only the quadratic penalty is certified; use l2")
    if model.clip_gradient < 1:
        raise refuse(f"clip_gradient={model.clip_gradient}", "it shortens the steps; use at least 1")
    return _learner(kind, model.optimizer.lr.learning_rate, "optimizer", model.l2, "l2")


def _learner(kind: str, rate: float, rate_name: str, penalty: float, penalty_name: str) -> Learner:
    if not penalty > 0:
        raise UnswayedError(
            f"{kind}: {penalty_name}={penalty}: without regularization nothing pulls the model back, and an adversary moves it "
            "as far as it likes"
        )
    if not 0 < rate * penalty < 1:
        raise UnswayedError(f"{kind}: {rate_name}={rate}: learning rate times regularization must be between 0 and 1")
    return Learner(float(rate), float(penalty))


def _inside(model: Any) -> str:
    """A remedy for pipelines."""
    if "Pipeline" in type(model).__name__:
        return "; give the classifier inside the pipeline, and the features as it sees them"
    return ""
