"""The table of docs/estimators.md is what the adapters say today, and what it calls certified makes our steps."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from estimator_table import CALLS, answer, document, texts, x, y
from river import compose
from sklearn.pipeline import Pipeline

FILE = Path(__file__).parents[2] / "docs" / "estimators.md"
FOUND = {call: answer(call) for calls in CALLS.values() for call in calls}
ACCEPTED = [call for call, found in FOUND.items() if not isinstance(found, Exception)]


def test_the_table_is_not_stale():
    assert FILE.read_text(encoding="utf-8") == document(), "run python python/tests/test_estimator_table.py"


def test_there_is_enough_of_both():
    assert len(FOUND) >= 52
    assert len(ACCEPTED) >= 20


def test_refusals_speak_python():
    for call, found in FOUND.items():
        if call not in ACCEPTED:
            text = str(found)
            assert "--" not in text and len(text) < 400, text
            # The name of what is wrong, and what is wrong with it.
            assert ": " in text, text


def rate(params, learner, t):
    """The learning rate of scikit-learn's step t, from its documentation."""
    if params["learning_rate"] == "constant":
        return params["eta0"]
    if params["learning_rate"] == "invscaling":
        return params["eta0"] / t ** params["power_t"]
    typical = np.sqrt(1 / np.sqrt(params["alpha"]))
    slope = {"hinge": 1, "logistic": 1 / (1 + np.exp(-typical))}[learner.loss]
    first = typical / max(1, slope)
    return 1 / (params["alpha"] * (1 / (first * params["alpha"]) + t - 1))


def estimator_of(call):
    """The estimator inside a call, made anew."""
    import estimator_table

    return eval(call, {**vars(estimator_table), "from_sklearn": lambda model, **_: model, "from_river": lambda model: model})


@pytest.mark.parametrize("call", [call for call in ACCEPTED if call.startswith("from_sklearn")])
def test_sklearn_makes_the_steps(call):
    learner, model = FOUND[call], estimator_of(call)
    raw = texts if "Vectorizer" in call else x
    rows = np.asarray(learner.before.rows(raw, refuse_sparse=False)) if learner.before else x
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    params = last.get_params()
    weights = params.get("class_weight") or {-1: 1.0, 1: 1.0}
    if weights == "balanced":
        # What fit computes; partial_fit must be told.
        weights = {label: len(y) / (2 * np.sum(y == label)) for label in (-1, 1)}
        last.set_params(class_weight=weights)
    start = [getattr(last, "coef_", np.zeros((1, rows.shape[1])))[0].copy(), getattr(last, "intercept_", np.zeros(1)).copy()]
    ours = np.append(start[0], start[1]) if learner.intercept else start[0]
    first, total = int(getattr(last, "t_", 1)), np.zeros(len(ours))
    for t in range(first, first + 300):
        row = t % len(rows)
        seen = model[:-1].transform(raw[row : row + 1]) if isinstance(model, Pipeline) else rows[row : row + 1]
        last.partial_fit(seen, y[row : row + 1], classes=[-1, 1])
        z = y[row] * (np.append(rows[row], 1.0) if learner.intercept else rows[row])
        ours = replace(learner, learning_rate=rate(params, learner, t)).update(ours, z, weights[y[row]])
        total += ours
    theirs = np.atleast_2d(last._standard_coef if learner.average else last.coef_)[0]
    np.testing.assert_allclose(theirs, ours[: len(theirs)], rtol=1e-9, atol=1e-12)
    if learner.intercept:
        np.testing.assert_allclose(last.intercept_, ours[-1:], rtol=1e-9, atol=1e-12)
    if learner.average:
        np.testing.assert_allclose(last.coef_[0], total / 300, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("call", [call for call in ACCEPTED if call.startswith("from_river")])
def test_river_makes_the_steps(call):
    learner, model = FOUND[call], estimator_of(call)
    rows = learner.before.rows(x, refuse_sparse=False) if learner.before else x
    last = list(model.steps.values())[-1] if isinstance(model, compose.Pipeline) else model
    ours = np.zeros(rows.shape[1] + learner.intercept)
    for t in range(300):
        row = t % len(x)
        model.learn_one(dict(enumerate(x[row].tolist())), bool(y[row] > 0))
        ours = learner.update(ours, y[row] * (np.append(rows[row], 1.0) if learner.intercept else rows[row]))
    theirs = np.append(list(last.weights.values()), [last.intercept] if learner.intercept else [])
    np.testing.assert_allclose(theirs, ours, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("call", [call for call in ACCEPTED if "network" not in call])
def test_what_is_called_certified_gets_a_certificate(call):
    raw = texts if "Vectorizer" in call else x
    found = FOUND[call].certify(raw, y, poison_rate=0.02)
    assert found.check() and found.benign_loss <= found.certified_loss


if __name__ == "__main__":
    FILE.write_text(document(), encoding="utf-8")
