"""Tables as people have them: prepared rows are as good as a pipeline of scikit-learn, and the command line makes the same."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import unswayed

ROWS, TRAIN = 3000, 2400


@pytest.fixture(scope="module")
def table():
    """55 log-normal counts, most of them 0; a category with rare levels; a number with gaps; a constant."""
    random = np.random.default_rng(1)
    counts = np.exp(1.5 * random.normal(size=(ROWS, 55))) * (random.random((ROWS, 55)) < 0.4)
    frame = pd.DataFrame(counts.round(3), columns=[f"count{j}" for j in range(55)])
    frame["source"] = random.choice(["mail", "web", "api", "fax", "post"], size=ROWS, p=[0.5, 0.3, 0.19, 0.005, 0.005])
    frame["amount"] = 50 + 100 * random.normal(size=ROWS)
    score = np.log1p(counts) @ random.normal(size=55) + np.where(frame["source"] == "mail", 2, -1) + frame["amount"] / 60
    frame["label"] = np.where(score - np.median(score) + random.normal(size=ROWS) > 0, "spam", "ham")
    frame.loc[::9, "amount"] = np.nan
    frame["version"] = 7
    return frame


def test_as_good_as_scikit_learn(table):
    features, labels = table.drop(columns="label"), table["label"]
    numbers = features.columns[features.columns != "source"]
    pipeline = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), FunctionTransformer(lambda x: np.log1p(np.abs(x))), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore"), ["source"]),
    )
    rows, transform = unswayed.prepare(features[:TRAIN], y=labels[:TRAIN])
    test = transform.apply(features[TRAIN:])
    assert np.linalg.norm(np.vstack([rows, test]), axis=1).max() <= 1
    assert transform.columns["version"] == "left out: it is 7 in every row"
    for loss in ("hinge", "log_loss"):
        theirs = make_pipeline(pipeline, SGDClassifier(loss=loss, alpha=1e-3, random_state=0))
        theirs = theirs.fit(features[:TRAIN], labels[:TRAIN]).score(features[TRAIN:], labels[TRAIN:])
        ours = SGDClassifier(loss=loss, alpha=1e-4, random_state=0, fit_intercept=False)
        ours = ours.fit(rows, labels[:TRAIN]).score(test, labels[TRAIN:])
        print(loss, theirs, ours)
        assert ours > theirs - 0.02
    assert unswayed.certify(rows, labels[:TRAIN], loss="logistic", learning_rate=1e-3, regularization=0.003, poison_rate=0.005)


def test_the_command_line_makes_the_same(table, command, tmp_path):
    table[:TRAIN].to_csv(tmp_path / "train.csv", index=False)
    table[TRAIN:].to_csv(tmp_path / "test.csv", index=False)
    command("prepare", "train.csv", folder=tmp_path)
    command("prepare", "test.csv", "--apply", "train.transform.safetensors", folder=tmp_path)
    rows, transform = unswayed.prepare(table[:TRAIN], y="label")
    assert np.array_equal(np.load(tmp_path / "train.prepared.npz")["x"], rows)
    stored = unswayed.Transform.load(tmp_path / "train.transform.safetensors")
    test = np.load(tmp_path / "test.prepared.npz")["x"]
    assert np.array_equal(stored.apply(table[TRAIN:]), test) and np.array_equal(transform.apply(table[TRAIN:]), test)
    with pytest.raises(unswayed.UnswayedError, match="2400 of 2400 rows"):
        stored.apply(table[:TRAIN])


def test_a_digest_is_that_of_the_content(table):
    _, transform = unswayed.prepare(table[:TRAIN], y="label")
    assert len({transform.digest for _ in range(16)}) == 1


def test_what_is_refused():
    frame = pd.DataFrame({"a": [1.0, 2.0], "when": pd.to_datetime(["2024-01-01", "2024-01-02"])})
    with pytest.raises(unswayed.UnswayedError, match="dates or times; leave it out"):
        unswayed.prepare(frame)
    with pytest.raises(unswayed.UnswayedError, match="no column is of use: a: it is 1 in every row"):
        unswayed.prepare(pd.DataFrame({"a": [1.0, 1.0]}))
    rows, transform = unswayed.prepare(pd.DataFrame({"a": np.arange(20.0), "b": list("xy") * 10}))
    with pytest.raises(unswayed.UnswayedError, match='the column "b" is missing'):
        transform.apply(pd.DataFrame({"a": [0.5]}))
    with pytest.raises(unswayed.UnswayedError, match="are for tables"):
        unswayed.prepare(np.eye(3), auto=False, norm="unit")
