"""Pipelines whose transformers are frozen: the rows that are certified are those that the last step sees."""

import numpy as np
import pandas as pd
import pytest
from river import compose, feature_extraction, linear_model, optim
from river import preprocessing as river_preprocessing
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, Normalizer, OneHotEncoder, StandardScaler
from streams import LOSSES, PENALTY, POISON, RATE, stream

import unswayed
from unswayed import Guard, UnswayedError


def sgd(**changes):
    good = {"loss": "hinge", "alpha": PENALTY, "learning_rate": "constant", "eta0": RATE, "fit_intercept": False}
    return SGDClassifier(**{**good, **changes})


def logistic(**changes):
    good = {"optimizer": optim.SGD(RATE), "loss": optim.losses.Hinge(), "l2": PENALTY, "intercept_lr": 0}
    return linear_model.LogisticRegression(**{**good, **changes})


def test_a_pipeline_under_attack(arrays):
    """The whole pipeline as it runs: raw points, clipped by the guard, poisoned ones far too long."""
    raw, y = 50 * arrays[0].astype(np.float64) + 3, arrays[1]
    model = make_pipeline(StandardScaler().fit(raw), PCA(8).fit(raw), Guard(1.0, scale=10.0), sgd())
    model[1].fit(model[0].transform(raw))
    learner = unswayed.from_sklearn(model)
    bound = learner.certify(raw, y, poison_rate=POISON)
    rows = model[:-1].transform(raw)
    assert (bound.data.z == y[:, None] * rows).all()
    text = dict(bound.lines)["rows"]
    assert "StandardScaler() (fitted, joblib sha1" in text and "PCA(n_components=8)" in text and "clipped to norm 1.0" in text
    attack = learner.attack(raw, y, poison_rate=POISON, attacks="steady-state", test=(raw[:50], y[:50]))[0]
    ours, losses = np.zeros(rows.shape[1]), []
    for step, (features, label) in enumerate(stream(rows, y, 1000 * attack.point, 10_000, seed=4)):
        seen = model["guard"].transform(features[None, :] * 10.0)
        model[-1].partial_fit(seen, [label], classes=[-1, 1])
        ours = learner.update(ours, label * seen[0])
        if step % 10 == 0:
            np.testing.assert_allclose(model[-1].coef_[0], ours, rtol=1e-9, atol=1e-12)
            if step > 1000:
                losses.append(LOSSES["hinge"](y * (rows @ model[-1].coef_[0])).mean())
    assert bound.benign_loss < np.mean(losses) <= bound.certified_loss


def test_a_river_pipeline_under_attack(arrays):
    raw, y = 50 * arrays[0][:, :-1].astype(np.float64), arrays[1]  # the last feature never varies
    names = [f"f{i}" for i in range(raw.shape[1])]
    frame = pd.DataFrame(raw, columns=names)
    # A scaler that has learned on a warm-up, frozen.
    scaler = river_preprocessing.StandardScaler()
    for point in frame.to_dict("records"):
        scaler.learn_one(point)
    deviation = {name: 10 * scaler.vars[name] ** 0.5 for name in names}
    guard = Guard(1.0, center=dict(scaler.means), scale=deviation)
    model = compose.Select(*names) | guard | logistic(clip_gradient=0.5)
    learner = unswayed.from_river(model)
    assert (learner.learning_rate, learner.regularization, learner.loss) == (RATE / 2, PENALTY * 2, "hinge")
    bound = learner.certify(frame, y, poison_rate=POISON)
    assert bound.radius == 1.0
    assert "Select(" in dict(bound.lines)["rows"] and "30 numbers (sha256" in dict(bound.lines)["rows"]
    rows = np.array([[row[name] for name in names] for row in map(guard.transform_one, frame.to_dict("records"))])
    np.testing.assert_allclose(np.abs(bound.data.z), np.abs(rows))
    point = learner.attack(frame, y, poison_rate=POISON, attacks="steady-state")[0].point
    centre, spread = (np.array([values[name] for name in names]) for values in (scaler.means, deviation))
    ours, losses = np.zeros(len(names)), []
    for step, (features, label) in enumerate(stream(raw, y, 100 * point * spread - centre, 10_000, seed=5)):
        sent = dict(zip(names, features.tolist()))
        model.learn_one(sent, label > 0)
        seen = guard.transform_one(sent)
        ours = learner.update(ours, label * np.array([seen[name] for name in names]))
        if step % 10 == 0:
            weights = np.array([model[-1].weights[name] for name in names])
            np.testing.assert_allclose(weights, ours, rtol=1e-9, atol=1e-12)
            if step > 1000:
                losses.append(LOSSES["hinge"](y * (rows @ weights)).mean())
    assert bound.benign_loss < np.mean(losses) <= bound.certified_loss


TEXTS = ["win money now", "cheap money offer", "lunch at noon", "see you at lunch"] * 5
SPAM = ["spam", "spam", "ham", "ham"] * 5


@pytest.mark.parametrize(
    "transformer",
    [TfidfVectorizer(), HashingVectorizer(n_features=64), make_pipeline(TfidfVectorizer(), TruncatedSVD(2, random_state=0))],
)
def test_text(transformer):
    model = make_pipeline(transformer.fit(TEXTS), sgd())
    bound = unswayed.from_sklearn(model).certify(TEXTS, SPAM, poison_rate=POISON)
    made = transformer.transform(TEXTS)
    made = made.toarray() if hasattr(made, "toarray") else made
    assert (bound.data.z == np.where(np.array(SPAM) == "spam", 1, -1)[:, None] * made).all()
    assert bound.data.classes == ("ham", "spam")


def test_targets_go_through_the_steps(arrays):
    x, y = arrays
    learner = unswayed.from_sklearn(make_pipeline(Guard(1.0, scale=100.0), sgd()))
    bound = learner.certify(100 * x, y, poison_rate=POISON, target=(100 * x[:20], y[:20]))
    plain = unswayed.Learner(RATE, PENALTY).certify(Guard().transform(x), y, poison_rate=POISON, target=(Guard().transform(x[:20]), y[:20]))
    assert abs(bound.certified_loss - plain.certified_loss) < 1e-6


def test_columns_of_a_frame():
    frame = pd.DataFrame({"kind": ["a", "b", "a", "c"] * 5, "size": np.arange(20.0), "label": SPAM, "often": 1.0 + np.arange(20)})
    features = frame[["kind", "size"]]
    columns = make_column_transformer((OneHotEncoder(), ["kind"]), (MinMaxScaler(), ["size"])).fit(features)
    learner = unswayed.from_sklearn(make_pipeline(columns, Normalizer(), sgd()))
    bound = learner.certify(frame, "label", poison_rate=POISON, weight_column="often")
    again = learner.certify(features, SPAM, poison_rate=POISON, weights=frame["often"])
    assert bound.certified_loss == again.certified_loss
    assert bound.data.columns == 4 and "ColumnTransformer" in dict(bound.lines)["rows"]


def test_steps_that_are_not_frozen_are_refused(arrays):
    x, y = arrays
    for make, words in [
        (lambda: make_pipeline(StandardScaler(), sgd()), "StandardScaler: it is not fitted"),
        (lambda: make_pipeline(TfidfVectorizer(), sgd()), "TfidfVectorizer: it is not fitted"),
        (lambda: make_pipeline(StandardScaler().fit(x), SGDClassifier(penalty="l1")), "penalty='l1'"),
    ]:
        with pytest.raises(UnswayedError, match=words):
            unswayed.from_sklearn(make())
    random = np.random.default_rng(0)
    for transformer, words in [
        (FunctionTransformer(lambda x: x - x.mean(axis=0)), "depends on the other rows or on chance"),
        (FunctionTransformer(lambda x: x + random.normal(size=x.shape)), "depends on the other rows or on chance"),
        (FunctionTransformer(lambda x: x[::2]), "each row must become one row"),
    ]:
        with pytest.raises(UnswayedError, match=words):
            unswayed.from_sklearn(make_pipeline(transformer, sgd())).certify(x, y, poison_rate=POISON)
    learner = unswayed.from_sklearn(make_pipeline(HashingVectorizer(), sgd()))
    with pytest.raises(UnswayedError, match=r"20 × 1048576, and as an array they take 0.2 GiB"):
        wide = unswayed.from_sklearn(make_pipeline(HashingVectorizer(), sgd(fit_intercept=True)), memory_limit=2**20)
        wide.certify(TEXTS, SPAM, poison_rate=POISON)
    with pytest.raises(UnswayedError, match="a pipeline makes"):
        learner.certify(unswayed.Data(x, y), poison_rate=POISON)
    with pytest.raises(UnswayedError, match="target: this learner makes its rows itself"):
        unswayed.from_sklearn(make_pipeline(Guard(), sgd())).certify(x, y, poison_rate=POISON, target=unswayed.Data(x, y))
    intercept = unswayed.from_sklearn(make_pipeline(HashingVectorizer(n_features=8), sgd(fit_intercept=True)), sparse=False)
    with pytest.raises(UnswayedError, match="sparse rows.*sparse=True"):
        intercept.certify(TEXTS, SPAM, poison_rate=POISON)


def test_river_steps_that_learn_are_refused(arrays):
    scaler = river_preprocessing.StandardScaler
    for make, words in [
        (lambda: scaler() | logistic(), "StandardScaler: it keeps learning.*freeze it.*unswayed.Guard"),
        (lambda: river_preprocessing.MinMaxScaler() | Guard() | logistic(), "MinMaxScaler: it keeps learning"),
        (lambda: (compose.Select("a") + (compose.Select("b") | scaler())) | logistic(), "StandardScaler: it keeps learning"),
        (lambda: river_preprocessing.OneHotEncoder() | logistic(), "OneHotEncoder: it keeps learning"),
        (lambda: feature_extraction.TFIDF() | logistic(), "TFIDF: it keeps learning"),
    ]:
        with pytest.raises(UnswayedError, match=words):
            unswayed.from_river(make())
    points = [{"a": 1.0}, {"b": 1.0}]
    with pytest.raises(UnswayedError, match=r"row 2 does not have the features of row 1 \(a, b\)"):
        unswayed.from_river(river_preprocessing.Normalizer() | logistic()).certify(points, [0, 1], poison_rate=POISON)
    union = compose.Select("a") + (compose.Select("b") | river_preprocessing.Normalizer())
    points = [{"a": 0.5, "b": 3.0, "c": "text"}, {"a": -0.5, "b": 2.0, "c": "text"}]
    bound = unswayed.from_river(union | logistic()).certify(points, [True, False], poison_rate=POISON)
    assert sorted(map(abs, bound.data.z[0])) == [0.5, 1.0]
