"""Real models without regularization, kept in a ball: their steps are ours, and their loss under our attack stays under the bound."""

import copy

import numpy as np
import pytest
from river import linear_model, optim
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier, SGDRegressor

import unswayed

POISON, RADIUS = 0.05, 3.0


def river_weights(model):
    return np.append(list(model.weights.values()), model.intercept)


def sklearn_weights(model):
    return np.append(model.coef_, model.intercept_)


def plain(kind, **more):
    return kind(learning_rate="constant", eta0=0.02, penalty=None, **more)


MODELS = {
    "river's default": lambda: unswayed.Projected(linear_model.LogisticRegression(), RADIUS),
    "river, hinge": lambda: unswayed.Projected(linear_model.LogisticRegression(loss=optim.losses.Hinge()), RADIUS),
    "river, an intercept of its own rate": lambda: unswayed.Projected(
        linear_model.LogisticRegression(optim.SGD(0.01), intercept_lr=0.0025), RADIUS, scale=0.5
    ),
    "scikit-learn, hinge": lambda: unswayed.Projected(plain(SGDClassifier), RADIUS),
    "scikit-learn, logistic, alpha = 0": lambda: unswayed.Projected(
        SGDClassifier(loss="log_loss", learning_rate="constant", eta0=0.02, alpha=0), RADIUS
    ),
    "scikit-learn, sparse rows": lambda: unswayed.Projected(plain(SGDClassifier), RADIUS, scale=0.1),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_steps_are_ours_and_the_bound_holds(name, arrays):
    x, y = arrays[0][:60].astype(np.float64), arrays[1][:60]
    model = MODELS[name]()
    is_river, is_sparse = "river" in name, "sparse" in name
    learner = unswayed.from_river(model) if is_river else unswayed.from_sklearn(model)
    assert (learner.regularization, learner.projection, learner.intercept) == (0.0, RADIUS, True)
    bound = learner.certify(x, y, poison_rate=POISON)
    assert bound.check() and bound.status == "certified"
    # The learner's feature is `intercept_scale`, the model's own 1. An entry of ours that is smaller is one of the ball, too.
    point = learner.attack(x, y, poison_rate=POISON, attacks="steady-state")[0].point
    label = 1 if point[-1] >= 0 else -1
    worst = label * point[:-1] / max(1.0, np.linalg.norm(point[:-1]))
    random, ours, losses, projected = np.random.default_rng(8), np.zeros(x.shape[1] + 1), [], 0
    for step in range(10_000):
        row = random.integers(len(x))
        features, own = (worst, label) if random.random() < POISON else (x[row], y[row])
        if is_river:
            model.learn_one(dict(enumerate(features.tolist())), bool(own > 0))
        else:
            seen = csr_matrix(features[None, :]) if is_sparse else features[None, :]
            model.partial_fit(seen, [own], classes=[-1, 1])
        ours = learner.update(ours, own * np.append(features, 1.0))
        norm = np.linalg.norm(np.append(ours[:-1], ours[-1] / learner.intercept_scale))
        projected += norm > RADIUS * (1 - 1e-12)
        if step % 10 == 0:
            theirs = river_weights(model) if is_river else sklearn_weights(model)
            np.testing.assert_allclose(theirs, ours, rtol=1e-9, atol=1e-12)
            if step > 2000:
                margins = y * (x @ ours[:-1] + ours[-1])
                loss = np.maximum(0, 1 - margins) if learner.loss == "hinge" else np.logaddexp(0, -margins)
                losses.append(loss.mean())
    assert np.mean(losses) <= bound.certified_loss
    assert projected > 100 or not name.startswith("scikit-learn, hinge"), "the ball is never reached"


def test_rows_of_a_batch_are_projected_one_by_one(arrays):
    x, y = arrays[0][:50].astype(np.float64), arrays[1][:50]
    once, each = (unswayed.Projected(plain(SGDClassifier, fit_intercept=False), 0.05) for _ in range(2))
    once.partial_fit(x, y, classes=[-1, 1])
    for i in range(50):
        each.partial_fit(x[i : i + 1], y[i : i + 1], classes=[-1, 1])
    np.testing.assert_array_equal(once.coef_, each.coef_)
    assert np.linalg.norm(once.coef_) <= 0.05 * (1 + 1e-12)
    assert (copy.deepcopy(once).predict(x) == once.predict(x)).all()


def test_a_regressor_is_projected():
    model = unswayed.Projected(plain(SGDRegressor, loss="huber", fit_intercept=False), 0.01)
    model.partial_fit(np.array([[1.0, 0.0]] * 20), np.full(20, 5.0))
    np.testing.assert_allclose(model.coef_, [0.01, 0.0])
    assert unswayed.from_sklearn(model).projection == 0.01


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: unswayed.Projected(linear_model.LogisticRegression(), 0), "radius=0"),
        (lambda: unswayed.Projected(linear_model.LogisticRegression(), 1, scale=float("inf")), "scale=inf"),
        (lambda: unswayed.Projected(3, 1.0), "neither learn_one nor partial_fit"),
        (lambda: unswayed.Projected(SGDClassifier(average=True), 1.0), "average"),
        (lambda: unswayed.from_river(unswayed.Projected(linear_model.LogisticRegression(intercept_lr=0.0025), 1.0)), "use scale=0.5"),
        (lambda: unswayed.from_river(unswayed.Projected(linear_model.LogisticRegression(l2=0.1), 1.0)), "give the model itself"),
        (lambda: unswayed.from_river(unswayed.Projected(linear_model.LogisticRegression(l1=0.1), 1.0)), "quadratic"),
        (lambda: unswayed.from_sklearn(unswayed.Projected(SGDClassifier(fit_intercept=False), 1.0)), "falls"),
        (lambda: unswayed.from_sklearn(unswayed.Projected(plain(SGDClassifier, loss="perceptron"), 1.0)), "only the losses"),
        (lambda: unswayed.from_sklearn(plain(SGDClassifier)), "quadratic"),
        (lambda: unswayed.from_river(linear_model.LogisticRegression()), r"Projected\(model, radius=10\).*positive l2, however small"),
    ],
)
def test_refused(make, words):
    with pytest.raises(unswayed.UnswayedError, match=words):
        make()


def test_several_classes_are_refused(arrays):
    model = unswayed.Projected(plain(SGDClassifier), 1.0)
    with pytest.raises(unswayed.UnswayedError, match="one of two classes"):
        model.partial_fit(arrays[0][:1], [0], classes=[0, 1, 2])
