"""Texts by hashing: the rows of scikit-learn's vectorizers, as good for a model, and the same from the command line."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize

import unswayed

ROWS, TRAIN = 4000, 3200
LEARNER = {"loss": "hinge", "penalty": "l2", "alpha": 0.01, "learning_rate": "constant", "eta0": 1e-3, "fit_intercept": False}


def documents(rows, seed):
    """Words by Zipf's law from topics; each class has topics of its own, which share most of their words."""
    random = np.random.default_rng(seed)
    shared = np.random.default_rng(0)
    vocabulary, topics = 20_000, 8
    law = 1 / np.arange(1, vocabulary + 1)
    chances = []
    for topic in range(topics):
        favoured = np.where(shared.random(vocabulary) < 0.02, 12.0, 1.0)
        chances.append(law * favoured / (law * favoured).sum())
    spam = random.random(rows) < 0.4
    texts = []
    for is_spam in spam:
        topic = random.integers(topics // 2) + (topics // 2 if is_spam else 0)
        words = random.choice(vocabulary, size=8 + random.poisson(20), p=chances[topic])
        texts.append(" ".join(f"word{word}" for word in words))
    return pd.DataFrame({"subject": texts, "label": np.where(spam, "spam", "ham")})


@pytest.fixture(scope="module")
def mail():
    return documents(ROWS, 1)


@pytest.mark.parametrize(("ngrams", "weights"), [(1, "counts"), (2, "tf-idf")])
def test_rows_are_those_of_scikit_learn(mail, ngrams, weights):
    texts = [*mail["subject"][:200], "Straße, ÉTÉ: 500 €!", "x y z", "a_b A_B"]
    theirs = HashingVectorizer(n_features=2**18, ngram_range=(1, ngrams), norm=None).transform(texts)
    if weights == "tf-idf":
        theirs = TfidfTransformer(norm=None).fit(theirs).transform(theirs)
    theirs = normalize(theirs)
    ours, _ = unswayed.prepare(texts, hash=2**18, ngrams=ngrams, term_weights=weights, bias=0)
    assert ours.shape == theirs.shape
    assert abs(ours - theirs).max() < 1e-11
    with_bias, _ = unswayed.prepare(texts, hash=2**18, ngrams=ngrams, term_weights=weights, bias=0.3)
    factor = 1 / np.sqrt(1.09)
    assert abs(with_bias[:, :-1] - factor * theirs).max() < 1e-11
    assert np.allclose(with_bias[:, -1].toarray(), 0.3 * factor)
    assert scipy.sparse.linalg.norm(with_bias, axis=1).max() <= 1


def test_as_good_as_scikit_learn(mail):
    texts, labels = mail["subject"], mail["label"]
    theirs = make_pipeline(TfidfVectorizer(), SGDClassifier(loss="hinge", random_state=0))
    theirs = theirs.fit(texts[:TRAIN], labels[:TRAIN]).score(texts[TRAIN:], labels[TRAIN:])
    rows, transform = unswayed.prepare(texts[:TRAIN], y=labels[:TRAIN], hash=2**18)
    ours = SGDClassifier(loss="hinge", random_state=0, fit_intercept=False).fit(rows, labels[:TRAIN])
    ours = ours.score(transform.apply(texts[TRAIN:]), labels[TRAIN:])
    print(theirs, ours)
    assert 0.75 < theirs < 0.99
    assert ours > theirs - 0.02


def test_the_command_line_makes_the_same(mail, command, tmp_path):
    mail["from"] = np.where(np.arange(ROWS) % 3 == 0, "bank of ham", "club")
    mail[:TRAIN].to_csv(tmp_path / "train.csv", index=False)
    mail[TRAIN:].to_csv(tmp_path / "test.csv", index=False)
    columns = ["subject", "from"]
    command("prepare", "train.csv", "--text-column", ",".join(columns), "--hash", "2^16", "--ngrams", "2", folder=tmp_path)
    command("prepare", "test.csv", "--apply", "train.transform.safetensors", folder=tmp_path)
    rows, transform = unswayed.prepare(mail[:TRAIN], y="label", hash=2**16, text_columns=columns, ngrams=2)
    stored = unswayed.Transform.load(tmp_path / "train.transform.safetensors")
    assert stored.texts == columns and repr(stored) == repr(transform) and stored.digest == transform.digest
    for name, made in [("train", rows), ("test", transform.apply(mail[TRAIN:]))]:
        written = scipy.sparse.load_npz(tmp_path / f"{name}.prepared.npz")
        assert (abs(written - made)).nnz == 0
    # A column has a hash of its own, so that the same word in two columns is two words.
    alone, _ = unswayed.prepare(mail["from"][:TRAIN], hash=2**16, bias=0, term_weights="counts")
    second = unswayed.prepare(mail.assign(subject="")[:TRAIN], hash=2**16, bias=0, term_weights="counts", text_columns=columns)[0]
    assert set(alone.indices) != set(second.indices)


def test_a_guard_prepares_texts_before_the_learner(mail):
    texts, labels = mail["subject"][:600], mail["label"][:600]
    rows, transform = unswayed.prepare(texts, y=labels, hash=2**18)
    guard = unswayed.Guard(0.5, scale=transform)
    guarded = guard.transform(texts)
    assert scipy.sparse.linalg.norm(guarded, axis=1).max() <= 0.5 and guarded.nnz == rows.nnz
    model = SGDClassifier(**LEARNER)
    pipeline = make_pipeline(unswayed.Guard(1.0, scale=transform), model)
    model.fit(pipeline[:-1].transform(texts), labels)
    certificate = unswayed.from_sklearn(pipeline).certify(texts, labels, poison_rate=0.01)
    assert certificate.certified_loss < 1 and transform.digest in certificate.data.origin["made"]
    with pytest.raises(unswayed.UnswayedError, match="use scikit-learn"):
        guard.transform_one({"subject": "win"})


def test_what_is_rejected(mail):
    refused = {
        "hash is for texts": {"hash": 64, "directions": 3},
        "go with hash": {"ngrams": 2},
        "name its columns of texts": {"hash": 64},
        "there is no column 'body'": {"hash": 64, "text_columns": "body"},
        "must be 'counts' or": {"hash": 64, "text_columns": "subject", "term_weights": "binary"},
        "from 2 to 2\\^30": {"hash": 1, "text_columns": "subject"},
        "from 1 to 5": {"hash": 64, "text_columns": "subject", "ngrams": 6},
        "from 0 to 1": {"hash": 64, "text_columns": "subject", "bias": 1.5},
    }
    for message, options in refused.items():
        with pytest.raises(unswayed.UnswayedError, match=message):
            unswayed.prepare(mail, y="label", **options)
    for wrong in (["a", 3], "one text", 7):
        with pytest.raises(unswayed.UnswayedError, match="a sequence of texts"):
            unswayed.prepare(wrong, hash=64)
    with pytest.raises(unswayed.UnswayedError, match="no row has words"):
        unswayed.prepare(["!", None], hash=64)
    _, transform = unswayed.prepare(mail["subject"][:50], hash=64)
    with pytest.raises(unswayed.UnswayedError, match="50 of 50 rows"):
        transform.apply(mail["subject"][:50])
