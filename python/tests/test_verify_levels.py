"""The second checker on proofs of the error by levels: the values that the first checker's tests expect, and changed numbers."""

import json
import pathlib
from fractions import Fraction

import pytest

from unswayed import verify

ORACLES = pathlib.Path(__file__).parents[2] / "crates/unswayed-check/tests/oracles/levels.json"
Z = [[0.5, 0.25], [-0.75, 0.5], [0.125, 0.875], [0.3, -0.2], [0.9, 0.1]]
ROWS = verify.Rows([verify.exact(z) for z in Z], [Fraction(1)] * 5, False, [Fraction(1)] * 5)


def statement(loss: str, **changes: object) -> verify.Struct:
    learner = dict(
        loss=(loss, None), learning_rate=0.01, regularization=0.1, batch=1, projection=None, clip=None, unregularized=[],
        schedule=None, momentum=None, average=False,
    )
    threat = verify.Struct(poison_rate=0.05, set=("ball", verify.Struct(radius=1.0)), label_bound=None, poison_weight=None, moments=None)
    return verify.Struct(
        learner=verify.Struct({**learner, **changes}), threat=threat, data=[verify.Struct({"of_columns": None})], hostile_rows=[], target=("data", None),
        horizon=None,
    )


def stored(loss: str) -> tuple[verify.Struct, float]:
    oracle = json.loads(ORACLES.read_text())[loss]
    return verify.LEVELS(oracle["proof"]["levels"]), oracle["value"]


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_values(loss: str) -> None:
    proof, value = stored(loss)
    assert verify.double_up(verify.prove_levels(statement(loss), proof, ROWS).value) == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("radius", 0.99), ("norm", 1.0), ("smoothing", 0.0), ("alpha", 0.0), ("nu", -1e-9), ("omega", -1e-9), ("rho", 0.0),
        ("least", 10.0), ("offset", 0.0), ("steepness", 0.0), ("size", -1.0), ("spread_near", 1e-6), ("spread_far", 0.1),
        ("fine", 10**6), ("near", 10**6), ("heights", [1e-3, 1e-2]), ("shares", [0.0, 0.0, 0.0, 0.0, 1.5]), ("centre", [0.0]),
    ],
)
def test_changed_numbers_are_refused(name: str, value: object) -> None:
    proof = stored("hinge")[0]
    proof[name] = value
    with pytest.raises(verify.Invalid):
        verify.prove_levels(statement("hinge"), proof, ROWS)


@pytest.mark.parametrize("changes", [{"projection": 20.0}, {"clip": 2.0}, {"average": True}, {"unregularized": [0]}])
def test_other_learners_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(verify.Invalid, match="no theorem"):
        verify.prove_levels(statement("hinge", **changes), stored("hinge")[0], ROWS)
