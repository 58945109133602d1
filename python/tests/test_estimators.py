"""Real estimators on real streams: their steps are ours, and their loss under our attack stays under the bound."""

import numpy as np
import pytest
from river import linear_model, optim, preprocessing
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import unswayed

RATE, PENALTY, POISON = 0.05, 0.1, 0.05


class Sklearn:
    """A scikit-learn estimator, a point at a time."""

    def __init__(self):
        self.model = SGDClassifier(
            loss="hinge", alpha=PENALTY, learning_rate="constant", eta0=RATE, fit_intercept=False
        )
        self.learner = unswayed.from_sklearn(self.model)

    def learn(self, x, y):
        self.model.partial_fit(x[None, :], [y], classes=[-1, 1])

    def weights(self):
        return self.model.coef_[0]


class River:
    """A river model."""

    def __init__(self):
        self.model = linear_model.LogisticRegression(
            optimizer=optim.SGD(RATE), loss=optim.losses.Hinge(), l2=PENALTY, intercept_lr=0
        )
        self.learner = unswayed.from_river(self.model)

    def learn(self, x, y):
        self.model.learn_one(dict(enumerate(x.tolist())), y > 0)

    def weights(self):
        return np.array([self.model.weights[i] for i in range(len(self.model.weights))])


def stream(x, y, point, steps, seed):
    """Benign points, and the attack's point at the poison rate. A point z is features and label in one."""
    random = np.random.default_rng(seed)
    rows, poisoned = random.integers(len(x), size=steps), random.random(steps) < POISON
    for row, bad in zip(rows, poisoned):
        yield (-point, -1) if bad else (x[row], y[row])


@pytest.mark.parametrize("kind", [Sklearn, River])
def test_steps_are_ours_and_the_bound_holds(kind, arrays):
    x, y = arrays[0].astype(np.float64), arrays[1]
    estimator = kind()
    assert (estimator.learner.learning_rate, estimator.learner.regularization) == (RATE, PENALTY)
    bound = estimator.learner.certify(x, y, poison_rate=POISON)
    attack = estimator.learner.attack(x, y, poison_rate=POISON, attacks=["steady-state"])[0]
    z = x * y[:, None]
    model, losses, steps = np.zeros(x.shape[1]), [], 12_000
    for step, (features, label) in enumerate(stream(x, y, attack.point, steps, seed=1)):
        estimator.learn(features, label)
        model = estimator.learner.update(model, label * features)
        if step % 10 == 0:
            np.testing.assert_allclose(estimator.weights(), model, rtol=1e-9, atol=1e-12)
            if step > 1000:
                losses.append(np.maximum(0, 1 - z @ estimator.weights()).mean())
    loss = np.mean(losses)
    assert bound.benign_loss < loss <= bound.certified_loss
    # The estimator suffers what our simulation says.
    assert abs(loss - attack.loss.mean) < 0.02


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"learning_rate": "optimal"}, "step size changes"),
        ({"learning_rate": "invscaling"}, "step size changes"),
        ({"loss": "log_loss"}, "only the hinge loss"),
        ({"penalty": "l1"}, "quadratic"),
        ({"penalty": None}, "quadratic"),
        ({"fit_intercept": True}, "constant column"),
        ({"average": True}, "average"),
        ({"class_weight": "balanced"}, "weigh"),
        ({"alpha": 0.0}, "nothing pulls"),
        ({"eta0": 20.0}, "between 0 and 1"),
    ],
)
def test_sklearn_refused(change, words):
    good = {"loss": "hinge", "alpha": PENALTY, "learning_rate": "constant", "eta0": RATE, "fit_intercept": False}
    with pytest.raises(unswayed.UnswayedError, match=words):
        unswayed.from_sklearn(SGDClassifier(**{**good, **change}))


def test_other_estimators_refused():
    for estimator in (Perceptron(), StandardScaler()):
        with pytest.raises(unswayed.UnswayedError, match="only SGDClassifier"):
            unswayed.from_sklearn(estimator)
    with pytest.raises(unswayed.UnswayedError, match="inside the pipeline"):
        unswayed.from_sklearn(make_pipeline(StandardScaler(), SGDClassifier()))
    with pytest.raises(unswayed.UnswayedError, match="inside the pipeline"):
        unswayed.from_river(preprocessing.StandardScaler() | linear_model.LogisticRegression())
    with pytest.raises(unswayed.UnswayedError, match="only LogisticRegression"):
        unswayed.from_river(linear_model.PAClassifier())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"loss": optim.losses.Log()}, "only the hinge loss"),
        ({"loss": optim.losses.Hinge(threshold=0)}, "threshold 1"),
        ({"optimizer": optim.Adam(0.01)}, "only plain SGD"),
        ({"optimizer": optim.Momentum(0.01)}, "only plain SGD"),
        ({"optimizer": optim.SGD(optim.schedulers.InverseScaling(0.01))}, "step size changes"),
        ({"intercept_lr": 0.01}, "constant feature"),
        ({"l2": 0.0}, "nothing pulls"),
        ({"l2": 0.0, "l1": 0.1}, "quadratic"),
        ({"clip_gradient": 0.5}, "shortens"),
    ],
)
def test_river_refused(change, words):
    good = {"optimizer": optim.SGD(RATE), "loss": optim.losses.Hinge(), "l2": PENALTY, "intercept_lr": 0}
    with pytest.raises(unswayed.UnswayedError, match=words):
        unswayed.from_river(linear_model.LogisticRegression(**{**good, **change}))
