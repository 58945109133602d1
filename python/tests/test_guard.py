"""The guard before a learner: no point gets past it that is longer than its radius."""

import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from river import compose, linear_model, optim, preprocessing
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import unswayed
from unswayed import Guard, UnswayedError

RATE, PENALTY, POISON = 0.05, 0.1, 0.05


def squared(row):
    return sum(Fraction(float(value)) ** 2 for value in row)


@pytest.mark.parametrize("radius", [1.0, 0.1, 1 / 3, 1e-200, 1e200, 7])
def test_norms_are_at_most_the_radius_exactly(radius):
    random = np.random.default_rng(0)
    for columns in (1, 2, 3, 31, 1000):
        directions = random.normal(size=(20, columns))
        lengths = radius * np.concatenate([1 + np.arange(-5, 5) * 2e-16, [0, 1e-30, 0.5, 2, 10, 1e3, 1e10, 1e50, 1e90, 1e100]])
        rows = directions / np.linalg.norm(directions, axis=1)[:, None] * lengths[:, None]
        clipped = Guard(radius).transform(rows)
        assert all(squared(row) <= Fraction(radius) ** 2 for row in clipped)
        # Short rows stay as they are, long ones keep their direction and are hardly shorter than they may be.
        assert (clipped[10:13] == rows[10:13]).all()
        norms = np.linalg.norm(clipped[13:] / radius, axis=1)
        np.testing.assert_allclose(norms, 1, rtol=1e-12)
        np.testing.assert_allclose(clipped[13:] / radius, (rows[13:] / lengths[13:, None]), rtol=1e-9, atol=1e-300)
        assert (Guard(radius).transform(clipped) == clipped).all()


def test_points_that_are_not_numbers_are_refused():
    guard = Guard()
    for call, words in [
        (lambda: guard.transform([[0.0, 1.0], [np.nan, 0.0]]), "row 2, feature 1 is nan; the point is refused"),
        (lambda: guard.transform([[np.inf]]), "row 1, feature 1 is inf"),
        (lambda: guard.transform_one({"a": float("-inf")}), "is -inf"),
        (lambda: guard.transform_one({"a": "text"}), "the feature 'a' is 'text', not a number"),
        (lambda: guard.transform_one({"a": None}), "not a number"),
        (lambda: Guard(features=["a", "b"]).transform_one({"a": 1.0}), r"does not have the features it must have \(b\)"),
        (lambda: Guard(features=["a"]).transform_one({"a": 1.0, "b": 1.0}), r"\(b\)"),
        (lambda: Guard(scale=5e-324).transform([[1.0]]), "is inf"),
        (lambda: Guard(0).transform([[1.0]]), "radius=0: it must be a positive number"),
        (lambda: Guard("one").transform([[1.0]]), "positive number"),
        (lambda: Guard(scale=0).transform([[1.0]]), "scale must be positive"),
        (lambda: Guard(scale=[1.0, 2.0]).transform([[1.0]]), "one for each"),
        (lambda: Guard(center=np.nan).transform([[1.0]]), "center is not finite"),
        (lambda: Guard(scale={"a": 1.0}, center={"b": 1.0}).transform_one({"a": 1.0}), "center does not have a number for each"),
        (lambda: guard.set_params(radii=1), "Guard has no argument 'radii'; it has radius, scale"),
        (lambda: Guard(center=1.0).transform(csr_matrix((10**6, 10**6))), "more than the limit of 1.0 GiB"),
    ]:
        with pytest.raises(UnswayedError, match=words):
            call()


def test_frozen_scaling():
    x = np.array([[3.0, 10.0], [5.0, 10.0]])
    assert Guard(10, center=[4.0, 10.0], scale=[1.0, 2.0]).transform(x).tolist() == [[-1, 0], [1, 0]]
    assert Guard(10, center=4.0, scale=2).transform(pd.DataFrame(x)).tolist() == [[-0.5, 3], [0.5, 3]]
    named = Guard(10, center={"b": 10.0, "a": 4.0}, scale={"a": 2.0, "b": 1.0})
    # The order of a mapping's names is that of the features; here river's points come in another.
    assert named.transform_one({"a": 3.0, "b": 11.0}) == {"b": 1.0, "a": -0.5}
    frame = Guard(1).transform_many(pd.DataFrame([[3.0, 4.0]], columns=["a", "b"], index=[7]))
    assert frame.round(6).to_dict() == {"a": {7: 0.6}, "b": {7: 0.8}}
    rows, transform = unswayed.prepare(np.random.default_rng(0).normal(size=(50, 4)), directions=2)
    guard = Guard(0.5, scale=transform, features="abcd")
    made = guard.transform(np.full((1, 4), 100.0))
    assert made.shape == (1, 3) and squared(made[0]) <= Fraction(1, 4)
    assert list(guard.transform_one(dict.fromkeys("abcd", 100.0)).values()) == made[0].tolist()
    assert f"prepared by the transform {transform.digest}" in guard.describe()
    with pytest.raises(UnswayedError, match="name them with features="):
        Guard(0.5, scale=transform).transform_one({"a": 1.0})


def test_it_is_a_transformer_of_scikit_learn():
    guard = Guard(2.0, scale=np.array([1.0, 2.0]), features=("a", "b"))
    for other in (clone(guard), pickle.loads(pickle.dumps(guard)), guard.clone(), guard.fit()):
        assert repr(other) == repr(guard)
    assert clone(guard).set_params(radius=3).radius == 3
    x, y = np.array([[30.0, 40.0], [-3.0, -4.0]]), [1, 0]
    model = make_pipeline(StandardScaler(), Guard(0.5), SGDClassifier())
    model.set_params(guard__radius=0.25).fit(x, y)
    assert np.linalg.norm(model[:-1].transform(x), axis=1).max() <= 0.25
    assert clone(model).get_params()["guard__radius"] == 0.25
    assert (pickle.loads(pickle.dumps(model)).predict(x) == y).all()
    assert list(guard.get_feature_names_out()) == ["a", "b"]
    assert "Guard" in repr(model)


def test_it_is_a_transformer_of_river():
    for make in (
        lambda: Guard(1.0) | linear_model.LogisticRegression(),
        lambda: compose.Select("a", "b") | Guard(1.0) | linear_model.LogisticRegression(),
        lambda: pickle.loads(pickle.dumps(Guard(1.0))) | (preprocessing.Normalizer() | linear_model.LogisticRegression()),
    ):
        model = make()
        model.learn_one({"a": 300.0, "b": 400.0}, True)
        # The step is that of the clipped point: the rate 0.01, half the slope, and (0.6, 0.8).
        weights = model[-1].weights
        assert weights == pytest.approx({"a": 0.003, "b": 0.004})
        assert model.clone().predict_proba_one({"a": 3.0, "b": 4.0})[True] == 0.5
        with pytest.raises(UnswayedError, match="is nan"):
            model.learn_one({"a": float("nan"), "b": 0.0}, True)


def test_a_guard_that_river_does_not_know_is_refused(monkeypatch):
    guard = Guard()
    monkeypatch.setattr("unswayed._guard._register", lambda: False)
    with pytest.raises(UnswayedError, match="import river before"):
        _ = guard._supervised


def test_what_it_does_reads_as_a_sentence(arrays):
    scaler = StandardScaler().fit(arrays[0])
    sgd = SGDClassifier(alpha=PENALTY, learning_rate="constant", eta0=RATE, fit_intercept=False)
    bound = unswayed.from_sklearn(make_pipeline(scaler, Guard(1.0), sgd)).certify(*arrays, poison_rate=POISON)
    assert "), then every row and every poisoned point is clipped to norm 1.0" in bound.statement["data"][0]["made"]


def test_its_radius_is_that_of_the_certificate(arrays):
    x, y = arrays[0].astype(np.float64), arrays[1]
    sgd = SGDClassifier(alpha=PENALTY, learning_rate="constant", eta0=RATE, fit_intercept=False)
    guarded = Pipeline([("guard", Guard(0.5, scale=2.0)), ("sgd", sgd)])
    learner = unswayed.from_sklearn(guarded)
    bound = learner.certify(100 * x, y, poison_rate=POISON)
    assert bound.radius == 0.5
    assert np.linalg.norm(bound.data.z, axis=1).max() <= 0.5
    words = "divided by 2.0, then every row and every poisoned point is clipped to norm 0.5 by the learner (Guard)"
    assert dict(bound.lines)["rows"].endswith(f"features made by: {words}")
    assert bound.statement["data"][0]["made"] == words
    bound.require(made=words)
    # A wider adversary is fine, one that the guard lets more through than is certified is not.
    assert learner.certify(100 * x, y, poison_rate=POISON, radius=0.75).radius == 0.75
    with pytest.raises(UnswayedError, match="the guard lets points of norm up to 0.5 through"):
        learner.certify(100 * x, y, poison_rate=POISON, radius=0.25)
    river = Guard(0.5, scale=2.0) | linear_model.LogisticRegression(
        optimizer=optim.SGD(RATE), loss=optim.losses.Hinge(), l2=PENALTY, intercept_lr=0
    )
    assert unswayed.from_river(river).certify(100 * x, y, poison_rate=POISON).certified_loss == bound.certified_loss
    # A guard before another step promises nothing of the rows that the learner sees.
    early = Pipeline([("guard", Guard(0.5)), ("scaler", StandardScaler().fit(x)), ("sgd", sgd)])
    assert unswayed.from_sklearn(early).certify(x, y, poison_rate=POISON).radius == 1.0
