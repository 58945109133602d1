"""Two checkers, written independently: the same verdicts, and the same bounds to the last bit.

Certificates of every kind, and mutated ones, and mutated data: a few hundred, or a hundred thousand with UNSWAYED_FULL=1.
"""

import ast
import base64
import copy
import gzip
import io
import json
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tokenize
import tracemalloc
import zipfile

import numpy as np
import pytest

import unswayed
from unswayed import _native, verify
from unswayed._problem import label_kind

#: Proofs by levels and by contraction, which take the second checker longest, have kinds of their own.
SETTING = {"learning_rate": 0.01, "regularization": 0.1, "poison_rate": 0.03, "effort": "quick"}
IS_FULL = os.environ.get("UNSWAYED_FULL") == "1"
#: Of each of the kinds of certificates, and of each of the 10 data files: together a hundred thousand, see the test of the number.
MUTATIONS = 980 if IS_FULL else 8
DATA_MUTATIONS = 2000 if IS_FULL else 20
ORACLES = pathlib.Path(__file__).parents[2] / "crates/unswayed-check/tests/oracles/contraction.json"
#: Rows and columns: as few as every kind can do with, so that the second checker takes milliseconds.
N, D = 12, 4
#: Where a proof of the error by levels is the best one.
TIGHT = {"learning_rate": 0.001, "regularization": 0.05, "poison_rate": 0.01, "effort": "tight"}
BOUNDS = ("certified_loss", "certified_error", "certified_horizon", "certified_horizon_error", "certified_new_data")

generator = np.random.default_rng(11)
Y = np.where(generator.random(N) < 0.5, -1, 1)
X = 0.6 * generator.normal(size=(N, D - 1)) / 2 + 0.25 * Y[:, None]
X = np.column_stack([X, np.full(N, 0.3)])
X /= 1.02 * np.linalg.norm(X, axis=1).max()
LATER = X[:5] / 2, Y[:5]
KINDS = np.arange(N) % 3
POOL = generator.uniform(-0.3, 0.3, size=(3, D))
WEIGHTS = generator.integers(0, 4, size=N) / 8
Q = np.diag([0.3, 0.2, 0.25, 0.1]) + 0.01
#: Every second entry of the rows, as SciPy stores them.
SPARSE = {
    "data": X.ravel()[::2], "indices": np.tile(np.arange(0, D, 2), N), "indptr": np.arange(0, N * D // 2 + 1, D // 2), "shape": np.array([N, D]),
    "format": np.array(b"csr"), "y": Y,
}

#: By name: the arrays of a file, what to ask for, and arrays of a target.
CERTIFIED = {
    "hinge": ({"x": X, "y": Y}, {}),
    "compact": ({"x": X, "y": Y}, {"compact": True, "horizon": 10**6}),
    "weights": ({"x": X, "y": Y, "trust": WEIGHTS}, {"weight_column": "trust"}),
    "step-weights": ({"x": X, "y": Y, "steps": WEIGHTS + 0.5}, {"step_weight_column": "steps", "adversary": "box"}),
    "class-weights": ({"x": X, "y": Y}, {"class_weight": {min(Y): 0.75, max(Y): 1.5}, "loss": "logistic"}),
    "long-horizon": ({"x": X, "y": Y}, {"horizon": 10**6, "start": np.full(D, 0.1)}),
    "radius": ({"x": X, "y": Y}, {"radius": 0.25, "regularization": 0.02, "batch": 4}),
    "zero-radius": ({"x": X, "y": Y}, {"radius": 0.0, "poison_rate": 0.0}),
    "small-ball": ({"x": X, "y": Y}, {"regularization": 2.0, "horizon": 1000}),
    "normalized": ({"x": 3 * X, "y": Y}, {"normalize": True, "radius": 2.0}),
    "logistic": ({"x": X, "y": Y}, {"loss": "logistic", "horizon": 10**5}),
    "box": ({"x": X, "y": Y}, {"adversary": "box"}),
    "logistic-box": ({"x": X, "y": Y}, {"adversary": unswayed.Box([0.1, 0.0, 0.3, 0.2]), "loss": "logistic"}),
    "ellipsoid": ({"x": X, "y": Y}, {"adversary": unswayed.Ellipsoid(Q)}),
    "logistic-ellipsoid": ({"x": X, "y": Y}, {"adversary": "ellipsoid", "loss": "logistic"}),
    "points": ({"x": X, "y": Y}, {"adversary": unswayed.Points(POOL)}),
    "logistic-points": ({"x": X, "y": Y}, {"adversary": unswayed.Points(POOL), "loss": "logistic"}),
    "flips": ({"x": X, "y": Y}, {"adversary": "flips"}),
    "labels": ({"x": X, "y": Y}, {"adversary": "labels"}),
    "logistic-labels": ({"x": X, "y": Y}, {"adversary": "labels", "loss": "logistic"}),
    "clip": ({"x": X, "y": Y}, {"adversary": "any", "clip": 0.5}),
    "clipped-ball": ({"x": X, "y": Y}, {"clip": 0.5, "radius": 0.7}),
    "wide-clip": ({"x": X, "y": Y}, {"clip": 0.9, "radius": 0.7, "loss": "logistic"}),
    "logistic-clip": ({"x": X, "y": Y}, {"adversary": "any", "clip": 0.5, "loss": "logistic"}),
    "projection": ({"x": X, "y": Y}, {"projection": 3.0, "horizon": 10**4}),
    "no-regularization": ({"x": X, "y": Y}, {"projection": 1.5, "regularization": 0.0}),
    "bias": ({"x": X, "y": Y}, {"bias": -1, "horizon": 10**5, "start": np.full(D, 0.1)}),
    "logistic-bias": ({"x": X, "y": Y}, {"bias": D - 1, "loss": "logistic"}),
    "bias-ellipsoid": ({"x": X, "y": Y}, {"bias": D - 1, "adversary": unswayed.Ellipsoid(Q)}),
    "bias-box": ({"x": X, "y": Y}, {"bias": D - 1, "adversary": "box"}),
    "classes": ({"x": X, "y": KINDS}, {"loss": "multiclass"}),
    "many-classes": ({"x": X, "y": np.arange(N) % 5}, {"loss": "multiclass", "poison_rate": 0.01, "horizon": 10**6}),
    "preferences": ({"chosen": X[: N // 2], "rejected": X[N // 2 :] / 2}, {"labels": "preferences", "normalize": True}),
    "scores": ({"x": X, "y": np.linspace(-1, 1, N)}, {}),
    "premultiplied": ({"z": X * Y[:, None]}, {}),
    "hostile": ({"x": X, "y": Y, "trust": WEIGHTS}, {"contaminated": 0.1, "weight_column": "trust", "horizon": 10**5}),
    "hostile-box": ({"x": X, "y": Y}, {"contaminated": 0.1, "adversary": "box", "loss": "logistic"}),
    "hostile-ellipsoid": ({"x": X, "y": Y}, {"contaminated": 0.1, "adversary": unswayed.Ellipsoid(Q)}),
    "hostile-labels": ({"x": X, "y": Y}, {"contaminated": 0.1, "adversary": "labels"}),
    "hostile-points": ({"x": X, "y": Y}, {"contaminated": 0.1, "adversary": unswayed.Points(POOL)}),
    "hostile-steps": ({"x": X, "y": Y, "steps": WEIGHTS + 0.5}, {"step_weight_column": "steps", "contaminated": 0.1}),
    "hostile-projection": ({"x": X, "y": Y}, {"contaminated": 0.1, "projection": 3.0}),
    "confidence": ({"x": X, "y": Y}, {"confidence": 0.9}),
    "confidence-box": ({"x": X, "y": Y}, {"confidence": 0.5, "adversary": unswayed.Box(0.9)}),
    "confidence-ellipsoid": ({"x": X, "y": Y}, {"confidence": 0.5, "adversary": unswayed.Ellipsoid(12 * Q)}),
    "confidence-logistic": ({"x": X, "y": Y}, {"confidence": 0.9, "loss": "logistic"}),
    "confidence-logistic-box": ({"x": X, "y": Y}, {"confidence": 0.5, "loss": "logistic", "adversary": unswayed.Box(0.9)}),
    "confidence-hostile": ({"x": X, "y": Y}, {"confidence": 0.9, "contaminated": 0.1}),
    "confidence-hostile-logistic": ({"x": X, "y": Y}, {"confidence": 0.9, "contaminated": 0.1, "loss": "logistic"}),
    "confidence-projection": ({"x": X, "y": Y}, {"confidence": 0.8, "projection": 4.0}),
    "paper": ({"x": X, "y": Y}, {"method": "paper", "horizon": 1000}),
    "levels": ({"x": X, "y": Y}, {**TIGHT, "horizon": 1000}),
    "levels-box": ({"x": X[:, :3], "y": Y}, {**TIGHT, "adversary": "box"}),
    "logistic-levels": ({"x": X[:6, :2], "y": Y[:6], "trust": 1 + WEIGHTS[:6]}, {**TIGHT, "loss": "logistic", "weight_column": "trust", "batch": 4}),
    "target-weights": ({"x": X, "y": Y}, {}, {"x": X[: N // 2], "y": Y[: N // 2]}),
    "logistic-target": ({"x": X, "y": Y}, {"loss": "logistic"}, {"x": X[: N // 2], "y": Y[: N // 2]}),
    "target-rows": ({"x": X, "y": Y}, {"horizon": 10**5}, {"x": LATER[0], "y": LATER[1]}),
    "target-points": ({"x": X, "y": Y}, {"adversary": unswayed.Points(POOL)}, {"x": LATER[0], "y": LATER[1]}),
    "target-box": ({"x": X, "y": Y}, {"adversary": unswayed.Box(0.2)}, {"x": LATER[0], "y": LATER[1]}),
    "momentum": ({"x": X, "y": Y}, {"momentum": 0.6, "horizon": 10**4, "start": np.full(D, 0.1), "batch": 2}),
    "momentum-logistic": ({"x": X, "y": Y}, {"momentum": 0.4, "loss": "logistic", "adversary": "ellipsoid", "horizon": 10**4}),
    "momentum-labels": ({"x": X, "y": Y}, {"momentum": 0.3, "adversary": "labels"}),
    "momentum-clip": ({"x": X, "y": Y}, {"momentum": 0.3, "adversary": "any", "clip": 0.5}),
    "momentum-classes": ({"x": X, "y": KINDS}, {"momentum": 0.3, "loss": "multiclass", "horizon": 10**4}),
    "momentum-bias": ({"x": X, "y": Y}, {"momentum": 0.3, "bias": -1, "horizon": 10**5, "start": np.full(D, 0.1)}),
    "momentum-steps": ({"x": X, "y": Y, "steps": WEIGHTS + 0.5}, {"momentum": 0.3, "step_weight_column": "steps", "horizon": 10**4}),
    "momentum-target": ({"x": X, "y": Y}, {"momentum": 0.3, "horizon": 10**5}, {"x": LATER[0], "y": LATER[1]}),
    "features": ({"x": X, "y": Y}, {"adversary": "features", "bias": D - 1, "class_weight": {min(Y): 0.75, max(Y): 1.5}}),
    "sparse": (SPARSE, {"loss": "logistic"}),
    "schedule": ({"x": X, "y": Y}, {"schedule": "optimal", "learning_rate": 0.1, "horizon": 10**5, "first_rate": 0.1}),
    "weighted": ({"x": X, "y": Y}, {"schedule": "weighted", "horizon": 10**5, "total_rate": 500.0}),
    "average": ({"x": X, "y": Y}, {"average": True, "horizon": 10**5}),
    "moments": ({"x": X, "y": Y}, {"moments": 200, "horizon": 10**4}),
    "moments-target": ({"x": X, "y": Y}, {"moments": 200}, {"x": X[: N // 2], "y": Y[: N // 2]}),
    "absolute": ({"x": X, "y": X[:, 0] - X[:, 1]}, {"loss": "absolute"}),
    "huber": ({"x": X, "y": X[:, 0] - X[:, 1]}, {"loss": "huber=0.5", "label_bound": 0.5, "adversary": "box"}),
    "quantile": ({"x": X, "y": X[:, 0] - X[:, 1]}, {"loss": "quantile=0.25", "label_bound": 0.5, "horizon": 10**5}),
    "smooth-hinge": ({"x": X, "y": Y}, {"loss": "smooth-hinge=0.5", "horizon": 10**5}),
    "modified-huber": ({"x": X, "y": Y}, {"loss": "modified-huber", "adversary": unswayed.Points(POOL)}),
    "target-projection": ({"x": X, "y": Y}, {"projection": 2.0}, {"x": LATER[0], "y": LATER[1]}),
}


class Made:
    """A certificate with the files that it is about."""

    def __init__(self, folder, name, content, data, target=None):
        self.name, self.content, self.target = name, content, target
        self.data = list(map(str, data))
        self.path = str(folder / f"{name}.certificate.json")
        with open(self.path, "wb") as file:
            file.write(content)


def certify(folder, name, arrays, options, target=None):
    np.savez(folder / f"{name}.npz", **arrays)
    options = dict(options)
    reading = {key: options.pop(key) for key in ("labels", "weight_column", "step_weight_column", "class_weight", "normalize") if key in options}
    if label_kind(options.get("loss")) is not None:
        reading["labels"] = label_kind(options.get("loss"))
    data = unswayed.Data(folder / f"{name}.npz", **reading)
    beside = None
    if target is not None:
        np.savez(folder / f"{name}-target.npz", **target)
        options["target"] = unswayed.Data(folder / f"{name}-target.npz")
    certificate = unswayed.certify(data, **{**SETTING, **options})
    if certificate.target is not None:
        beside = str(folder / f"{name}-target.npz")
    return Made(folder, name, certificate.to_bytes(), [folder / f"{name}.npz"], beside)


def contraction(folder):
    """A proof that the first checker's tests know: on so few rows the search finds none that is better than the others."""
    oracle = json.loads(ORACLES.read_text())[1]
    rates = dict(zip(("learning_rate", "regularization", "poison_rate"), oracle["rates"]))
    one = certify(folder, "contraction", {"z": np.reshape(oracle["z"], (-1, 2))}, rates)
    content = json.loads(one.content)
    content["linear"].update(loss={"bound": oracle["value"], "proof": {"contraction": oracle["proof"]}}, error=None)
    return Made(folder, "contraction", json.dumps(content).encode(), one.data)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A certificate of every kind."""
    folder = tmp_path_factory.mktemp("verify")
    found = [certify(folder, name, *asked) for name, asked in CERTIFIED.items()]
    for name, x, y in (("monday", X, Y), ("sunday", *LATER)):
        np.savez(folder / f"{name}.npz", x=x, y=y)
    days = [folder / "monday.npz", folder / "sunday.npz"]
    for name, options in (("drift", {}), ("logistic-drift", {"loss": "logistic"}), ("points-drift", {"adversary": unswayed.Points(POOL)})):
        certificate = unswayed.certify([unswayed.Data(day) for day in days], **SETTING, **options)
        found.append(Made(folder, name, certificate.to_bytes(), days))
    found.append(contraction(folder))
    np.savez(folder / "samples.npz", x=3 * X, mass=WEIGHTS)
    samples = unswayed.Data(folder / "samples.npz", labels="absent", weight_column="mass")
    mean = {"learning_rate": 0.05, "poison_rate": 0.1, "squared_radius": 2.0, "attacks": False}
    found.append(Made(folder, "mean", unswayed.mean(samples, **mean).to_bytes(), [folder / "samples.npz"]))
    trace = unswayed.mean(covariance_trace=2.0, noise_trace=0.5, **mean)
    found.append(Made(folder, "trace", trace.to_bytes(), []))
    return {one.name: one for one in found}


def second(path, data, target=None, labels=None):
    """The exit code of the second checker, and what it found."""
    try:
        return 0, verify.verify(path, data, labels, target)
    except verify.Invalid as error:
        return 1, {"message": str(error)}
    except verify.Unreadable as error:
        return 2, {"message": str(error)}


def agree(path, data, target=None, labels=None, about=""):
    code, first = _native.check_files(path, data, labels, target)
    ours, found = second(path, data, target, labels)
    assert code == ours, (about, first.get("message"), found.get("message"))
    if code == 0:
        for name in BOUNDS:
            assert first.get(name) == found.get(name), (about, name)
    return code


def proofs(content):
    """The claims of a certificate."""
    linear = json.loads(content)["linear"]
    return [claim["proof"] for claim in (linear["loss"], linear.get("error")) if claim]


def test_every_kind_is_there(made):
    found = [proof for one in made.values() if b'"linear"' in one.content for proof in proofs(one.content)]
    kinds = {proof["cases"]["rows"] for proof in found if "cases" in proof}
    assert kinds == set(verify.ROW_BOUNDS)
    assert any("paper" in proof for proof in found)
    assert "contraction" in proofs(made["contraction"].content)[0]
    for name in ("levels", "levels-box", "logistic-levels"):
        assert "levels" in proofs(made[name].content)[1], name
    cases = [proof["cases"] for proof in found if "cases" in proof]
    assert any(case.get("by_class") for case in cases) or any("multiclass" in one.content.decode() for one in made.values())
    assert any("shells" in case for case in cases) and any("omega" in case for case in cases)


def test_the_same_verdict_and_bound(made):
    for one in made.values():
        assert agree(one.path, one.data, one.target, about=one.name) == 0


def test_other_data_are_not_valid(made):
    assert agree(made["hinge"].path, made["box"].data) == 0  # the same rows in another file
    assert agree(made["hinge"].path, made["radius"].data) == 0
    assert agree(made["hinge"].path, made["normalized"].data) == 1
    assert agree(made["hinge"].path, made["classes"].data) == 2
    assert agree(made["hinge"].path, made["mean"].data) == 2
    assert agree(made["hinge"].path, []) == 2
    assert agree(made["hinge"].path, [*made["hinge"].data] * 2) == 2
    assert agree(made["hinge"].path, made["hinge"].data, made["hinge"].data[0]) == 2
    assert agree(made["target-rows"].path, made["target-rows"].data) == 2
    assert agree(made["trace"].path, made["hinge"].data) == 2
    for name in ("hinge", "sparse", "trace"):
        assert agree(made[name].path, made[name].data, labels=made["hinge"].data[0]) == 2, "a file of labels that nothing needs"
    assert agree("nowhere.json", made["hinge"].data) == 2
    assert agree(made["hinge"].path, ["nowhere.npz"]) == 2


def test_how_features_were_made(tmp_path, made):
    """A line of text in the statement: both checkers show it, and refuse one that could pass for other lines."""
    one, path = made["hinge"], tmp_path / "made.certificate.json"
    for text, code in [
        ("StandardScaler(), clipped to norm 1", 0), ("a" * 4096, 0), ("é" * 2048, 0), (None, 0),
        ("a" * 4097, 2), ("é" * 2049, 2), ("", 2), (" \u00a0", 2), ("one\nloss 0", 2), ("tab\there", 2), ("\u0085", 2), (7, 2),
        ("a\u2028b", 2), ("a\u202eb", 2), ("a\u2030b", 0),
    ]:
        content = json.loads(one.content)
        content["linear"]["statement"]["data"][0]["made"] = text
        path.write_text(json.dumps(content), encoding="utf-8")
        assert agree(str(path), one.data, about=repr(text)[:40]) == code
    content["linear"]["statement"]["data"][0]["made"] = "by hand"
    path.write_text(json.dumps(content), encoding="utf-8")
    done = subprocess.run([sys.executable, verify.__file__, path, *one.data], capture_output=True, text=True, check=True)
    assert "by hand" in done.stdout


def test_formats(tmp_path, made):
    """The same table in every format; text labels; the first rows of a file; integers; Fortran order."""
    names = [f"feature {j}" for j in range(D)]

    def write_csv(path, labels, weights=None, tail=""):
        lines = [",".join([*names, "kind", *(["trust"] if weights is not None else [])])]
        for i, row in enumerate(X):
            cells = [*map(repr, map(float, row)), str(labels[i]), *([repr(float(weights[i]))] if weights is not None else [])]
            lines.append(",".join(cells))
        path.write_text("\n".join(lines) + tail, encoding="utf-8")

    texts = np.where(Y > 0, " spåm", '"ham, or not"')
    write_csv(tmp_path / "text.csv", texts, tail="\n\n")
    write_csv(tmp_path / "numbers.csv", np.where(Y > 0, 1e21, -0.0), WEIGHTS)
    write_csv(tmp_path / "truth.csv", np.where(Y > 0, "True", "false"))
    np.save(tmp_path / "small_x.npy", np.asfortranarray(X.astype(np.float32)))
    np.save(tmp_path / "small_y.npy", Y.astype(np.int8)[:, None])
    np.save(tmp_path / "big_x.npy", X.astype(">f8"))
    np.save(tmp_path / "big_y.npy", Y > 0)
    for file, options in [
        ("text.csv", {"label_column": "kind"}),
        ("numbers.csv", {"label_column": "kind", "weight_column": "trust"}),
        ("truth.csv", {"label_column": "kind", "rows": 9}),
        ("small_x.npy", {"rows": 10}),
        ("big_x.npy", {"scale": 0.5}),
    ]:
        path = tmp_path / f"{file}.certificate.json"
        unswayed.certify(unswayed.load(tmp_path / file, **options), **SETTING).save(path)
        assert agree(str(path), [str(tmp_path / file)], about=file) == 0
    parquet = tmp_path / "text.parquet"
    parquet.write_bytes(b"PAR1")
    assert second(str(tmp_path / "text.csv.certificate.json"), [str(parquet)])[0] == 2
    # Values that no row can have.
    text = (tmp_path / "text.csv").read_text(encoding="utf-8")
    for change in [
        lambda t: t.replace("\n", "\nx", 1), lambda t: t.replace("kind", "sort"), lambda t: t.replace("spåm", "", 1),
        lambda t: t.replace("spåm", "spam", 1), lambda t: t.replace("feature 1", "feature 0"), lambda t: t.split("\n", 1)[1],
        lambda t: t.rsplit("\n", 3)[0], lambda t: t.replace("0.", "nan", 1), lambda t: t.replace("0.", "1.", 1), lambda t: t + "1\n",
        lambda t: t.replace(",", ";"), lambda t: "",
    ]:
        (tmp_path / "text.csv").write_text(change(text), encoding="utf-8")
        assert agree(str(tmp_path / "text.csv.certificate.json"), [str(tmp_path / "text.csv")], about=change(text)[:200]) > 0


def test_tables(tmp_path):
    """Text tables of every kind, compressed ones, folders, chosen columns."""
    names = [f"f{j}" for j in range(D)]
    rows = [[*map(float, x), "spåm" if y > 0 else "ham", i] for i, (x, y) in enumerate(zip(X, Y))]
    header = [*names, "kind", "id"]
    separated = {mark: "\n".join(mark.join(map(str, row)) for row in [header, *rows]) + "\n" for mark in ",\t"}
    lines = [json.dumps(dict(zip(header, row)), ensure_ascii=i % 2 == 0) for i, row in enumerate(rows)]
    jsonl = "\n\n".join(lines)
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "b.jsonl").write_text("\n".join(lines[5:]), encoding="utf-8")
    (folder / "a.jsonl.gz").write_bytes(gzip.compress("\n".join(lines[:5]).encode()))
    files = {
        "a.tsv": separated["\t"].encode(), "a.jsonl": jsonl.encode(), "a.csv.gz": gzip.compress(separated[","].encode()),
        "a.jsonl.gz": gzip.compress(jsonl.encode()[:99]) + gzip.compress(jsonl.encode()[99:]),
    }
    for file, content in files.items():
        (tmp_path / file).write_bytes(content)
    paths = [*(tmp_path / file for file in files), folder]
    for i, options in enumerate([{"drop_columns": ["id"]}, {"columns": ["f3", "f0"], "rows": 9, "normalize": True}]):
        digests = set()
        for path in paths:
            data = unswayed.load(path, label_column="kind", **options)
            certificate = tmp_path / f"{path.name}.{i}.certificate.json"
            unswayed.certify(data, **SETTING).save(certificate)
            digests.add(json.loads(certificate.read_text())["linear"]["statement"]["data"][0]["sha256"])
            for other in paths:
                assert agree(str(certificate), [str(other)], about=f"{path} {other}") == 0
        assert len(digests) == 1
    certificate = str(tmp_path / "a.jsonl.0.certificate.json")
    for change in [
        lambda t: t.replace('"f1"', '"f2"', 1), lambda t: t.replace("0.", "1.", 1),
        lambda t: t + "\n[]", lambda t: t.replace('"ham"', "null", 1), lambda t: t.replace("{", '{"f0": 1, ', 1),
        lambda t: t.replace("0.", "[0.", 1), lambda t: t.replace("0.", "NaN", 1), lambda t: t.replace("0.", "1e999", 1),
        lambda t: t.replace('"ham"', '{"a": 1}', 1), lambda t: t[:-1], lambda t: "[" * 10**5, lambda t: "",
    ]:
        (tmp_path / "a.jsonl").write_text(change(jsonl), encoding="utf-8")
        assert agree(certificate, [str(tmp_path / "a.jsonl")], about=change(jsonl)[:200]) > 0
    for content in [gzip.compress(b"a,b\n" * 10**6), files["a.csv.gz"][:-9], b"PK", gzip.compress(b"")]:
        (tmp_path / "a.csv.gz").write_bytes(content)
        assert agree(certificate, [str(tmp_path / "a.csv.gz")], about=str(content[:20])) == 2
    (tmp_path / "a.csv.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    code, words = second(certificate, [str(tmp_path / "a.csv.zst")])[:2]
    assert code == 2, words


def lines_of_code(source):
    """The numbers of the lines that are not blank, a comment or a docstring."""
    skipped, lines = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}, set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in skipped:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return lines


def test_size():
    """What has to be read to trust a verdict is short, and not because its lines are long."""
    assert lines_of_code('"""Words."""\n\n# Words.\nx = """\na\n"""  # Words.\ndef f():\n    """Words."""\n    return 1\n') == {4, 5, 6, 7, 9}
    source = pathlib.Path(verify.__file__).read_text(encoding="utf-8")
    assert len(lines_of_code(source)) <= 2000
    assert max(map(len, source.splitlines())) <= 140


def test_archives_of_strangers(tmp_path, made):
    """Arrays that are compressed in other ways than NumPy's, or expand beyond what their headers say."""
    one, path = made["hinge"], str(tmp_path / "other.npz")

    def write(method, beyond=b""):
        with zipfile.ZipFile(path, "w", method) as archive:
            for name, array in (("x", X), ("y", Y)):
                buffer = io.BytesIO()
                np.save(buffer, array)
                archive.writestr(f"{name}.npy", buffer.getvalue() + (beyond if name == "x" else b""))

    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        write(method)
        assert agree(one.path, [path], about=str(method)) == 0
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        write(method)
        assert agree(one.path, [path], about=str(method)) == 2
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        write(method, bytes(1 << 26))
        assert agree(one.path, [path], about=str(method)) == 2
        tracemalloc.start()
        assert second(one.path, [path])[0] == 2
        assert tracemalloc.get_traced_memory()[1] < 1 << 22, method
        tracemalloc.stop()


def test_as_a_program(made):
    one = made["hinge"]
    for arguments, code, words in [
        ([one.path, *one.data], 0, "threat.poison_rate"),
        ([one.path, *made["normalized"].data], 1, "not the certified rows"),
        ([one.path], 2, "needs 1 data files"),
        ([one.path, "--json", *one.data], 0, '"valid"'),
        ([one.path, *one.data, "--other"], 2, "unrecognized arguments: --other"),
        ([], 2, "required: CERTIFICATE"),
        (["--help"], 0, "Exit code"),
    ]:
        for program in (["-m", "unswayed.verify"], [verify.__file__]):
            done = subprocess.run([sys.executable, *program, *arguments], capture_output=True, text=True, check=False)
            assert done.returncode == code and words in done.stdout + done.stderr, done
    done = subprocess.run([sys.executable, verify.__file__, one.path, *one.data, "--json"], capture_output=True, check=True)
    assert json.loads(done.stdout)["certified_loss"] == json.loads(one.content)["linear"]["loss"]["bound"]


# ------------------------------------------------------------------------------------------------------------------ mutations


def leaves(value, path=()):
    """The places of all values that are no objects and no lists, and of the lists."""
    if isinstance(value, dict):
        for key, content in value.items():
            yield from leaves(content, (*path, key))
    elif isinstance(value, list):
        yield path
        for i, content in enumerate(value):
            yield from leaves(content, (*path, i))
    else:
        yield path


def other_number(random_, x):
    return random_.choice([
        lambda: x * (1 + random_.choice([-1, 1]) * 10 ** random_.uniform(-16, -1)),
        lambda: math.nextafter(x, random_.choice([-math.inf, math.inf])),
        lambda: -x, lambda: 0.0, lambda: -0.0, lambda: 1.0, lambda: 0.5, lambda: x * 2, lambda: x / 2, lambda: x + 1, lambda: 1e300, lambda: 5e-324,
        lambda: random_.uniform(-2, 2),
    ])()


def other_array(random_, text):
    numbers = list(struct.unpack(f"<{len(base64.b64decode(text)) // 8}d", base64.b64decode(text)))
    kind = random_.random()
    if kind < 0.05 or not numbers:
        numbers.append(0.5)
    elif kind < 0.1:
        numbers.pop()
    elif kind < 0.12:
        numbers[0] = random_.choice([math.nan, math.inf])
    elif kind < 0.3:
        scale = 1 + random_.choice([-1, 1]) * 10 ** random_.uniform(-16, -1)
        numbers = [x * scale for x in numbers]
    else:
        i = random_.randrange(len(numbers))
        numbers[i] = other_number(random_, numbers[i])
    return base64.b64encode(struct.pack(f"<{len(numbers)}d", *numbers)).decode()


VECTORS = {
    *" ".join([verify.LINE_VECTORS, verify.CASE_VECTORS, verify.LEVEL_VECTORS]).split(), "beta", "radii", "centre", "q", "points", "start", "a", "b", "m", "h", "theta", "point", "weights",
    "ends", "pulls",
}


def mutate(random_, certificate):
    """Another certificate, as JSON text."""
    changed = copy.deepcopy(certificate)
    for _ in range(random_.choice([1, 1, 1, 2])):
        places = list(leaves(changed))
        # What is in origins is all alike: most of it is left in peace.
        inner = [place for place in places if "data" not in place]
        *way, last = random_.choice(inner if random_.random() < 0.9 else places)
        parent = changed
        for key in way:
            parent = parent[key]
        value = parent[last]
        kind = random_.random()
        if kind < 0.04 and isinstance(parent, dict):
            del parent[last]
        elif kind < 0.06 and isinstance(parent, dict):
            parent[random_.choice(["extra", "omega", "shells", "clip", "projection", "by_class", "rate", "momentum"])] = random_.choice([value, None, 1.0, True])
        elif kind < 0.08:
            parent[last] = random_.choice([None, "text", [], {}, 1, -1, 1.5, True])
        elif isinstance(value, bool):
            parent[last] = not value
        elif isinstance(value, int):
            parent[last] = max(value + random_.choice([-1, 1, 2]), random_.choice([0, 0, -1]))
        elif isinstance(value, float):
            parent[last] = other_number(random_, value)
        elif isinstance(value, list):
            parent[last] = random_.choice([value[:-1], value + value[:1], [0]])
        elif isinstance(value, str) and VECTORS & {last, *way[-1:]}:
            parent[last] = other_array(random_, value)
        elif value is None:
            parent[last] = random_.choice([0.5, "label", {}])
        else:
            words = ["hinge", "logistic", "data", "any", "label_flips", "scores", "none", "interval", "error-hinge", "clipped-hinge"]
            parent[last] = random_.choice([*words, value + "x", ""])
    return json.dumps(changed)


def mutations(name):
    """How many certificates of this kind; those whose check takes the second checker seconds have fewer."""
    return max(MUTATIONS // 20, 2) if name == "logistic-levels" else MUTATIONS


NAMES = [*CERTIFIED, "contraction", "drift", "logistic-drift", "points-drift", "mean", "trace"]


def test_the_number_of_mutations(made):
    """Every kind is mutated, and a full run has a hundred thousand files."""
    assert set(NAMES) == set(made)
    if IS_FULL:
        assert sum(map(mutations, NAMES)) + 10 * DATA_MUTATIONS >= 100_000


@pytest.mark.parametrize("name", NAMES)
def test_mutations(made, name, tmp_path):
    one = made[name]
    random_, certificate = random.Random(name), json.loads(one.content)
    path, codes = tmp_path / "mutated.json", []
    for _ in range(mutations(name)):
        text = mutate(random_, certificate)
        path.write_text(text)
        codes.append(agree(str(path), one.data, one.target, about=text[:3000]))
    # Enough of them are read.
    assert len(codes) == mutations(name) and codes.count(2) < len(codes)


def mutate_bytes(random_, content):
    """Another file: some bytes are others, gone, there twice or swapped."""
    changed = bytearray(content)
    for _ in range(random_.choice([1, 1, 2, 4])):
        at = random_.randrange(len(changed))
        kind = random_.randrange(7)
        if kind == 0:
            changed[at] ^= 1 << random_.randrange(8)
        elif kind == 1:
            changed[at] = random_.randrange(256)
        elif kind == 2:
            del changed[at]
        elif kind == 3:
            changed.insert(at, changed[at])
        elif kind == 4:
            changed[at] = random_.choice(b"0123456789eE+-., \n\r\"x")
        elif kind == 5:
            del changed[at : at + random_.randrange(1, 40)]
        else:
            end = min(at + random_.randrange(1, 40), len(changed))
            changed[at:at] = changed[at:end]
        if not changed:
            break
    return bytes(changed)


def tables(folder):
    """The same rows in files of every format that both checkers read."""
    def csv(path, labels, weights=None):
        lines = ["a,b,c,d,label" + (",trust" if weights is not None else "")]
        for i, row in enumerate(X):
            lines.append(",".join([*map(repr, map(float, row)), str(labels[i]), *([repr(float(weights[i]))] if weights is not None else [])]))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    csv(folder / "numbers.csv", Y)
    csv(folder / "texts.csv", np.where(Y > 0, "spam", "ham"))
    csv(folder / "weights.csv", Y, WEIGHTS)
    np.savez(folder / "plain.npz", x=X, y=Y)
    np.savez_compressed(folder / "compressed.npz", x=X, y=Y)
    np.savez(folder / "small.npz", x=X.astype(np.float32), y=Y.astype(np.int8), trust=WEIGHTS)
    np.savez(folder / "product.npz", z=X * Y[:, None])
    for name, x, y in [("c_", X, Y), ("fortran_", np.asfortranarray(X), Y > 0), ("big_", X.astype(">f4"), Y.astype(">i2"))]:
        np.save(folder / f"{name}x.npy", x)
        np.save(folder / f"{name}y.npy", y)
    for file, options in [
        ("numbers.csv", {}), ("texts.csv", {}), ("weights.csv", {"weight_column": "trust"}), ("plain.npz", {}), ("compressed.npz", {}),
        ("small.npz", {"weight_column": "trust"}), ("product.npz", {}), ("c_x.npy", {}), ("fortran_x.npy", {}), ("big_x.npy", {}),
    ]:
        yield file, unswayed.load(folder / file, **options)


def test_mutated_data(tmp_path):
    """Whatever happens to a data file, it is accepted only with the certified rows in it.

    What both accept has the same bounds. Zip archives say some things twice, and libraries differ in which they believe: of them
    one in thirty may be good for one checker only. Of the other files none.
    """
    files = list(tables(tmp_path))
    assert len(files) == 10
    for file, data in files:
        certificate = str(tmp_path / f"{file}.json")
        unswayed.certify(data, **SETTING).save(certificate)
        path, random_ = tmp_path / file, random.Random(file)
        content = path.read_bytes()
        assert agree(certificate, [str(path)], about=file) == 0
        codes = []
        for i in range(DATA_MUTATIONS):
            path.write_bytes(mutate_bytes(random_, content))
            first, second_ = _native.check_files(str(certificate), [str(path)], None, None), second(certificate, [str(path)])
            codes.append((first[0], second_[0]))
            if codes[-1] == (0, 0):
                assert all(first[1].get(name) == second_[1].get(name) for name in BOUNDS), (file, i)
        assert len(codes) == DATA_MUTATIONS
        path.write_bytes(content)
        print(file, {pair: codes.count(pair) for pair in sorted(set(codes))})
        one_sided = sum((a == 0) != (b == 0) for a, b in codes)
        assert one_sided <= (1 + len(codes) / 30 if file.endswith(".npz") else 0), file
        # Whether rows are others or cannot be read depends on how much of a header is understood.
        assert sum(a != b for a, b in codes) - one_sided <= 1 + len(codes) / 30, file
        # The rows are nearly all of a file, and a change of them is noticed.
        assert codes.count((0, 0)) < len(codes) / 2, file


def test_sparse_rows_and_headers_of_strangers(tmp_path):
    """Files that say too much, or not what their certificate says, are refused in words by both checkers."""
    lines = ["1 1:0.5 3:0.2", "-1 2:0.4", "1 1:0.1 2:0.1", "-1 3:0.6"]
    file, certificate = tmp_path / "rows.svm", tmp_path / "sparse.json"
    file.write_text("\n".join(lines))
    unswayed.certify(unswayed.load(file), **SETTING).save(certificate)
    assert agree(str(certificate), [str(file)]) == 0
    content = json.loads(certificate.read_text())
    for labels in ("premultiplied", "none", "preferences"):
        content["linear"]["statement"]["data"][0]["labels"] = labels
        (tmp_path / "changed.json").write_text(json.dumps(content))
        assert agree(str(tmp_path / "changed.json"), [str(file)], about=labels) == 2
    # The same rows with their zeros.
    dense, x = tmp_path / "dense.json", [[0.5, 0, 0.2], [0, 0.4, 0], [0.1, 0.1, 0], [0, 0, 0.6]]
    np.savez(tmp_path / "dense.npz", x=np.array(x), y=np.array([1, -1, 1, -1]))
    unswayed.certify(unswayed.load(tmp_path / "dense.npz"), **SETTING).save(dense)
    assert agree(str(dense), [str(file)]) == 0
    for changed in ("1 1:0.1 4000000000:0.1", "1_0 1:0.1 2:0.1"):
        file.write_text("\n".join([*lines[:2], changed, lines[3]]))
        assert agree(str(dense), [str(file)], about=changed) == 2
    for digits in ("1" + 30 * "0", 5000 * "1"):
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({digits}, 5), }}".encode()
        for name in "xy":
            array = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(40)
            (tmp_path / f"rows_{name}.npy").write_bytes(array)
        assert agree(str(dense), [str(tmp_path / "rows_x.npy")], about=digits[:40]) == 2


def test_files_that_are_no_certificates(made, tmp_path):
    one, path = made["hinge"], tmp_path / "c.json"
    text = one.content.decode()
    for change in [
        "", "{}", "null", "[]", text[:-20], text + "x", text + "{}", "\ufeff" + text, text.replace("{", '{"format": "x",', 1),
        text.replace('"version": 1', '"version": 2'), text.replace('"version": 1', '"version": 1.0'),
        text.replace('"version": 1', '"version": 1, "version": 1'), text.replace('"bound": ', '"bound": NaN, "x": ', 1),
        text.replace('"bound": 0', '"bound": 1e999, "y": 0', 1), text.replace('"batch": 1', '"batch": -1'),
        text.replace('"batch": 1', '"batch": 1e0'), text.replace('"batch": 1', '"batch": 0'), text.replace('"batch": 1', '"batch": 2'),
        text.replace('"radius": 1.0', '"radius": -0'), text.replace('"radius": 1.0', '"radius": 1'), text.replace('"radius": 1.0', '"radius": true'),
        text.replace('"tool": "', '"tool": "\\ud800'), text.replace('"tool": "', '"tool": "\\u00e5'), text.replace('"tool": "', '"tool": "\t'),
        text.replace('"u": "', '"u": " '), "[" * 100_000, text.replace('"hinge"', '{"hinge": null}', 1), text.replace('"label_column": null', '"x": null'),
    ]:
        path.write_text(change, encoding="utf-8")
        agree(str(path), one.data, about=change[:400])
