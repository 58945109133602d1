"""Horizons of estimators: the rates of their next steps, where these start, and what is refused."""

import base64

import numpy as np
import pytest
from river import linear_model, optim
from sklearn.linear_model import SGDClassifier, SGDRegressor

import unswayed

SETTINGS = [
    {"learning_rate": "optimal", "alpha": 0.01},
    {"learning_rate": "optimal", "alpha": 0.5},
    {"learning_rate": "invscaling", "alpha": 0.01, "eta0": 0.3, "power_t": 0.5},
]


def started(certificate):
    """Where the steps of its horizon start."""
    return np.frombuffer(base64.b64decode(certificate.statement["horizon"]["start"]), dtype="<f8")


def rates_of(model, steps):
    """The rates that scikit-learn's next steps have, read off a weight that only regularization moves."""
    found = []
    for _ in range(steps):
        model.coef_[0, 0] = 1.0
        model.partial_fit(np.zeros((1, 2)), [1])
        found.append((1 - model.coef_[0, 0]) / model.alpha)
    return found


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("before", [1, 40])
def test_the_rates_are_those_of_the_library(setting, before):
    model = SGDClassifier(fit_intercept=False, **setting)
    for _ in range(before):
        model.partial_fit(np.zeros((1, 2)), [1], classes=[-1, 1])
    rates = unswayed.from_sklearn(model).rates
    assert rates.first == before + 1
    real = rates_of(model, 300)
    np.testing.assert_allclose([rates.at(t) for t in range(300)], real, rtol=1e-9)
    # Never more than they add up to, and hardly less.
    for steps in (1, 2, 300):
        assert 0.98 * sum(real[:steps]) <= rates.total(steps) <= sum(real[:steps])


def test_the_plain_default_has_a_bound_for_its_first_steps(arrays):
    """Nothing is given but the estimator: it starts at 0, at its first rate. The losses, weighted by the rates, stay below."""
    x, y = arrays[0][:30].astype(np.float64), arrays[1][:30]
    steps = 2000
    model = SGDClassifier(alpha=PENALTY)
    learner = unswayed.from_sklearn(model)
    bound = learner.certify(x, y, poison_rate=0.05, horizon=steps)
    stated = bound.statement["horizon"]
    assert not started(bound).any() and stated["total_rate"] == learner.rates.total(steps)
    random = np.random.default_rng(4)
    losses, weights = [], np.zeros(x.shape[1] + 1)
    for _ in range(steps):
        losses.append(np.maximum(0, 1 - y * (x @ weights[:-1] + weights[-1])).mean())
        row, is_poison = random.integers(len(x)), random.random() < 0.05
        features = -weights[:-1] / max(1e-9, np.linalg.norm(weights[:-1])) if is_poison else x[row]
        model.partial_fit(features[None, :], [1 if is_poison else y[row]], classes=[-1, 1])
        weights = np.append(model.coef_[0], model.intercept_)
    rates = [learner.rates.at(t) for t in range(steps)]
    assert np.average(losses, weights=rates) <= bound.horizon_loss
    # Fitted, it goes on from where it is, at the rate that it has now.
    later = unswayed.from_sklearn(model).certify(x, y, poison_rate=0.05, horizon=steps)
    np.testing.assert_allclose(started(later), weights)
    assert later.statement["learner"]["learning_rate"] == pytest.approx(learner.rates.at(steps))
    assert later.horizon_loss < bound.horizon_loss


PENALTY = 0.1


@pytest.mark.parametrize("kind", [SGDClassifier, SGDRegressor])
def test_rates_that_fall_slowly_have_plain_averages(kind, arrays):
    """invscaling: plain averages once 1/η_t grows by no more than α in a step, weighted ones before."""
    x, y = arrays[0][:30].astype(np.float64), arrays[1][:30]
    own = {} if kind is SGDClassifier else {"loss": "huber"}
    model = kind(learning_rate="invscaling", eta0=0.5, power_t=0.5, alpha=PENALTY, fit_intercept=False, **own)
    learner = unswayed.from_sklearn(model)
    extra = {} if kind is SGDClassifier else {"label_bound": 1.0}
    early = learner.certify(x, y, poison_rate=0.02, horizon=100, **extra).statement
    assert early["learner"]["schedule"].get("weighted") and early["horizon"]["total_rate"] > 0
    model.partial_fit(np.resize(x, (400, x.shape[1])), np.resize(y, 400), **({"classes": [-1, 1]} if kind is SGDClassifier else {}))
    late = unswayed.from_sklearn(model).certify(x, y, poison_rate=0.02, horizon=100, **extra).statement
    rate = 0.5 / 401**0.5
    assert not late["learner"]["schedule"].get("weighted") and late["horizon"]["first_rate"] == pytest.approx(rate)
    assert late["learner"]["schedule"]["slowdown"] == pytest.approx((402**0.5 - 401**0.5) / 0.5)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ({"initializer": optim.initializers.Normal(seed=1)}, "initializer or intercept_init"),
        ({"intercept_init": 3.0}, "initializer or intercept_init"),
    ],
)
def test_a_river_model_that_does_not_start_at_0(made, words, arrays):
    x, y = arrays[0][:20].astype(np.float64), arrays[1][:20]
    model = linear_model.LogisticRegression(loss=optim.losses.Hinge(), l2=PENALTY, **made)
    with pytest.raises(unswayed.UnswayedError, match=f"{words}.*give start="):
        unswayed.from_river(model).certify(x, y, poison_rate=0.02, horizon=100)
    model.learn_one(dict(enumerate(x[0].tolist())), True)
    bound = unswayed.from_river(model).certify(x, y, poison_rate=0.02, horizon=100)
    np.testing.assert_allclose(started(bound), [*model.weights.values(), model.intercept])


def test_fitted_estimators_whose_weights_are_not_their_start(arrays):
    x, y = arrays[0][:30].astype(np.float64), arrays[1][:30]
    setting = {"learning_rate": "constant", "eta0": 0.05, "alpha": PENALTY, "fit_intercept": False}
    averaged = SGDClassifier(average=True, **setting)
    # Its average begins with the model after its first step, and the bound is on one that begins with the start.
    with pytest.raises(unswayed.UnswayedError, match="begins with the model after the first step"):
        unswayed.from_sklearn(averaged).certify(x, y, poison_rate=0.02, horizon=100)
    averaged.partial_fit(x, y, classes=[-1, 1])
    with pytest.raises(unswayed.UnswayedError, match="average contains models of earlier steps"):
        unswayed.from_sklearn(averaged).certify(x, y, poison_rate=0.02, horizon=100)
    kinds = np.arange(30) % 3
    several = SGDClassifier(**setting).partial_fit(x, kinds, classes=[0, 1, 2])
    with pytest.raises(unswayed.UnswayedError, match="a model for each class"):
        unswayed.from_sklearn(several).certify_each(x, kinds, poison_rate=0.02, horizon=100)
