"""The second checker on proofs of the loss by contraction: the values that the first checker's tests expect, and changed numbers."""

import json
import pathlib
from fractions import Fraction
from typing import Any, Callable

import pytest

from unswayed import verify

ORACLES = json.loads((pathlib.Path(__file__).parents[2] / "crates/unswayed-check/tests/oracles/contraction.json").read_text())


def statement(rates: list[float], datasets: int = 1, **changes: object) -> verify.Struct:
    learner = dict(
        loss=("hinge", None), learning_rate=rates[0], regularization=rates[1], batch=1, projection=None, clip=None, unregularized=[],
        schedule=None, momentum=None, average=False,
    )
    threat = verify.Struct(poison_rate=rates[2], set=("ball", verify.Struct(radius=1.0)), label_bound=None, poison_weight=None, moments=None)
    return verify.Struct(
        learner=verify.Struct({**learner, **changes}), threat=threat, data=[verify.Struct({"of_columns": None})] * datasets, hostile_rows=[],
        target=("data", None), horizon=None,
    )


def datasets(oracle: dict[str, Any]) -> list[verify.Rows]:
    z = [verify.exact(oracle["z"][i : i + 2]) for i in range(0, len(oracle["z"]), 2)]
    rest, found = iter(z), []
    for size in oracle.get("sizes", [len(z)]):
        found.append(verify.Rows([next(rest) for _ in range(size)], [Fraction(1)] * size, False, [Fraction(1)] * size))
    return found


def value(oracle: dict[str, Any], change: Callable[[verify.Struct], object] = lambda proof: None, **changes: object) -> float:
    proof = verify.CONTRACTION(oracle["proof"])
    change(proof)
    data = datasets(oracle)
    claimed = statement(oracle["rates"], len(data), **changes)
    if "target" in oracle:
        claimed.update(target=("weights", [oracle["target"]]))
    return verify.double_up(verify.prove_contraction(claimed, proof, data))


@pytest.mark.parametrize("oracle", ORACLES)
def test_values(oracle: dict[str, Any]) -> None:
    assert value(oracle) == oracle["value"]


CHANGES: dict[str, Callable[[verify.Struct], object]] = {
    "alpha": lambda p: p.update(alpha=0.0),
    "beta": lambda p: p.update(beta=[0.0]),
    "ball": lambda p: p.update(ball=7.9),
    "tau": lambda p: p.cases[0].update(tau=0.0),
    "small tau": lambda p: p.cases[0].update(tau=1e-3),
    "nu": lambda p: p.cases[0].update(nu=-1e-300),
    "codes": lambda p: p.cases[0].update(codes=p.cases[0].codes + b"0"),
    "round codes": lambda p: p.cases[0].rounds[0].update(codes=b""),
    "ends": lambda p: p.cases[0].rounds[0].ends.__setitem__(0, 10.0),
    "fraction": lambda p: p.cases[0].rounds[0].ends.__setitem__(0, 0.5),
    "pulls": lambda p: p.cases[0].rounds[0].pulls.__setitem__(0, 0.0),
    "round tau": lambda p: p.cases[0].rounds[0].tau.__setitem__(0, 0.0),
    "round nu": lambda p: p.cases[0].rounds[0].nu.__setitem__(0, -1.0),
    "cases": lambda p: p.update(cases=p.cases * 2),
    "lengths": lambda p: p.cases[0].rounds[0].nu.append(0.0),
    "work": lambda p: p.cases[0].update(rounds=p.cases[0].rounds * 200_000),
}


@pytest.mark.parametrize("name", CHANGES)
def test_changed_numbers_are_refused(name: str) -> None:
    with pytest.raises(verify.Invalid):
        value(ORACLES[1], CHANGES[name])


@pytest.mark.parametrize("changes", [{"clip": 2.0}, {"momentum": 0.5}, {"unregularized": [0]}, {"loss": ("logistic", None)}])
def test_other_learners_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(verify.Invalid, match="no theorem"):
        value(ORACLES[1], **changes)


def test_a_projection_needs_its_ball() -> None:
    assert value(ORACLES[1], projection=64.0) == ORACLES[1]["value"]
    with pytest.raises(verify.Invalid, match="projection"):
        value(ORACLES[1], projection=64.5)
