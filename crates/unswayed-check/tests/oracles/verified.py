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
    error = file.linear.error
    if error is not None:
        kind, proof = error.proof
        if kind == "levels":
            error = verify.double_up(verify.prove_levels(file.linear.statement, proof, data[0]).value)
        else:
            error = verify.double_up(verify.prove_cases(file.linear.statement, proof, data, target))
    return [found["certified_loss"], error, found["certified_horizon"], found["certified_horizon_error"], found["certified_new_data"]]


path = HERE / "verified.json"
cases = json.loads(path.read_text())
for case in cases:
    case["proved"] = proved(case)
path.write_text("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]\n")
