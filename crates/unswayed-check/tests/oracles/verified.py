"""Writes into verified.json what python/unswayed/verify.py proves about each of its certificates."""

import importlib.util
import json
from pathlib import Path

HERE = Path(__file__).parent
spec = importlib.util.spec_from_file_location("verify", HERE / "../../../../python/unswayed/verify.py")
verify = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verify)


def rows(z, weights, dimension, steps=None):
    table = [verify.exact(z[i : i + dimension]) for i in range(0, len(z), dimension)]
    ones = [1.0] * len(table)
    return verify.Rows(table, verify.exact(weights or ones), weights is not None, verify.exact(steps or ones))


def proved(case):
    file = verify.FILE(case["certificate"])
    steps = case.get("steps") or [None] * len(case["data"])
    data = [rows(z, weights, case["dimension"], own) for z, weights, own in zip(case["data"], case["weights"], steps)]
    target = case["target"] and rows(case["target"], None, case["dimension"])
    found = verify.check_linear(file.linear, data, target)
    # The verdict on the error is the smaller of two bounds and 1; here it is that of its own proof.
    statement, error, own = file.linear.statement, file.linear.error, file.linear.horizon_error
    if error is not None:
        kind, proof = error.proof
        if kind == "levels":
            levels = verify.prove_levels(statement, proof, data[0])
            error, cost = levels.value, own and levels.start(statement.horizon, own.m)
        else:
            error = verify.prove_cases(statement, proof, data, target)
            cost = own and verify.start_of_cases(statement, proof, verify.Fraction(own.m), data)
            cost = own and cost / (verify.Fraction(statement.learner.learning_rate) * statement.horizon.steps)
        error, own = verify.double_up(error), own and verify.double_up(error + cost)
    return [found["certified_loss"], error, found["certified_horizon"], own, found["certified_new_data"]]


path = HERE / "verified.json"
cases = json.loads(path.read_text())
for case in cases:
    case["proved"] = proved(case)
path.write_text("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]\n")
