"""What goes in: arrays of all kinds, frames, files; and what is refused, with what words."""

import json
import pickle

import numpy as np
import pandas
import polars
import pytest
from conftest import SETTING

import unswayed
from unswayed import verify

X = np.array([[0.6, 0.8], [-0.6, 0.0], [0.8, 0.6], [-0.3, -0.9]])


def z(x, y=None, **options):
    return unswayed.Data(x, y, **options).z


@pytest.mark.parametrize("y", [[1, 0, 1, 0], [True, False, True, False], ["spam", "ham", "spam", "ham"],
                               np.array([[2.5], [-1], [2.5], [-1]]), np.array(["b", "a", "b", "a"], dtype=object)])
def test_labels_of_all_kinds(y):
    assert (z(X, y) == X * np.array([[1], [-1], [1], [-1]])).all()


def test_arrays_of_all_kinds():
    y = [1, 0, 1, 0]
    expected = z(X, y)
    for x in (X.tolist(), np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], X[:, ::-1][:, ::-1]):
        assert (z(x, y) == expected).all()
    crooked = np.frombuffer(b"?" + X.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(X.shape)
    assert not crooked.flags.aligned and (z(crooked, y) == expected).all()
    assert (z(X.astype(">f8"), y) == expected).all()
    single = X.astype(np.float32)
    assert (z(single, y) == z(single.astype(np.float64), y)).all()
    assert (z(expected, labels="premultiplied") == expected).all()


def test_a_contiguous_array_is_not_copied():
    from unswayed._data import matrix

    assert matrix(X) is X


def test_scores():
    assert (z(X, [0.5, -1, 1, 0.25]) == X * np.array([[0.5], [-1], [1], [0.25]])).all()
    assert (z(X, [1, -1, 1, 1], labels="scores")[1] == -X[1]).all()


@pytest.mark.parametrize("frame", [pandas.DataFrame, lambda d: polars.DataFrame(d)])
def test_frames(frame):
    columns = {"a": X[:, 0], "kind": ["spam", "ham", "spam", "ham"], "b": X[:, 1]}
    mail = frame(columns)
    assert (z(mail, "kind") == z(X, columns["kind"])).all()
    features = mail[["a", "b"]]
    assert (z(features, mail["kind"]) == z(X, columns["kind"])).all()
    with pytest.raises(unswayed.UnswayedError, match="no column 'label'; there are a, kind, b"):
        z(mail, "label")
    with pytest.raises(unswayed.UnswayedError, match="column 'kind' holds"):
        z(mail, [1, 0, 1, 0])


def test_files(tmp_path):
    path = tmp_path / "mail.csv"
    path.write_text("a,b,kind\n0.6,0.8,spam\n-0.6,0,ham\n")
    assert (z(path, "kind") == [[0.6, 0.8], [0.6, 0.0]]).all()
    with pytest.raises(unswayed.UnswayedError, match="mail.csv"):
        z(path)


def test_weights_count():
    heavy = unswayed.certify(X, [1, 0, 1, 0], weights=[1, 1, 1, 5], **SETTING)
    assert heavy.certified_loss != unswayed.certify(X, [1, 0, 1, 0], **SETTING).certified_loss


def test_data_can_be_pickled(data):
    copy = pickle.loads(pickle.dumps(data))
    assert copy.sha256 == data.sha256 and repr(copy) == repr(data)
    certificate = pickle.loads(pickle.dumps(unswayed.certify(data, **SETTING)))
    assert certificate.certified_loss == unswayed.certify(data, **SETTING).certified_loss


@pytest.mark.parametrize(
    ("x", "y", "options", "words"),
    [
        (X, None, {}, "label"),
        (X, [1, 1, 1, 1], {}, "every label is"),
        (X, [1, 0, 1], {}, "3"),
        (X, [1, 2, 3, 4], {}, "third|three|scores|different"),
        (X * 2, [1, 0, 1, 0], {}, "row 1.*norm"),
        (X * np.nan, [1, 0, 1, 0], {}, "row 1"),
        (X + np.inf, [1, 0, 1, 0], {}, "row 1"),
        (X[:0], [], {}, "row"),
        (X[0], [1], {}, "1 dimensions, not two"),
        (X[:, :0], [1, 0, 1, 0], {}, "column"),
        ([["a", "b"]], [1], {}, "not all numbers"),
        (X, [1, 0, np.nan, 0], {}, "row 3"),
        (X, [1, "a", None, 0], {}, "neither all numbers nor all text"),
        (X, [[1, 0], [1, 0], [1, 0], [1, 0]], {}, "2 dimensions, not one"),
        (X, [1, 0, 1, 0], {"weights": [1, 1, 1]}, "weight"),
        (X, [1, 0, 1, 0], {"weights": [1, -1, 1, 1]}, "weight"),
        (X, [1, 0, 1, 0], {"labels": "guess"}, "guess"),
        (X, [1, 0, 1, 0], {"rows": 5}, "5 rows wanted"),
        (X, "label", {}, "no frame"),
        ("nowhere.npz", None, {}, "nowhere.npz"),
        (X.astype(complex), [1, 0, 1, 0], {}, "complex128, not real numbers"),
        (np.ma.masked_array(X, mask=X > 0.7), [1, 0, 1, 0], {}, "masked"),
        (X, np.array(["2020", "2021", "2020", "2021"], dtype="datetime64[Y]"), {}, "not real numbers"),
        (X, [1, 0, 1, 0], {"rows": -1}, "at least 1"),
    ],
)
def test_what_is_refused(x, y, options, words):
    with pytest.raises(unswayed.UnswayedError, match=words):
        unswayed.Data(x, y, **options)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"learning_rate": 0.0}, "learning_rate = 0.0 is not > 0"),
        ({"regularization": -1.0}, "regularization = -1.0 is not"),
        ({"poison_rate": 1.0}, "poison_rate = 1.0 is not in"),
        ({"radius": float("nan")}, "radius"),
        ({"learning_rate": 200.0}, "learning_rate·regularization = -1.0 is not > 0"),
        ({"horizon": 0}, "at least 1"),
        ({"horizon": -5}, "at least 1"),
        ({"start": [1.0]}, "1 entries"),
        ({"method": "magic"}, "magic"),
    ],
)
def test_parameters_that_make_no_sense(data, change, words):
    with pytest.raises(unswayed.UnswayedError, match=words):
        unswayed.certify(data, **{**SETTING, **change})


def test_more_that_makes_no_sense(data):
    for call, words in [
        (lambda: unswayed.attack(data, **SETTING, seed=-1), "seed -1"),
        (lambda: unswayed.attack(data, **SETTING, attacks=[]), "at least one"),
        (lambda: unswayed.attack(data, **SETTING, attacks="magic"), 'no attack "magic"'),
        (lambda: unswayed.attack(data, **SETTING, effort="slow"), "slow"),
        (lambda: unswayed.simulate(data, **SETTING, policy=3), "function"),
        (lambda: unswayed.certify(data, **SETTING).horizon(-1), "at least 1"),
        (lambda: unswayed.design([data]), "by name"),
        (lambda: unswayed.design({}), "no task"),
        (lambda: unswayed.design({"a": data}, test=data), "one task, by name"),
        (lambda: unswayed.design({"a": data}, kappa=-1.0), "kappa"),
        (lambda: unswayed.design({"a": data}, kappa=float("nan")), "kappa"),
        (lambda: unswayed.tolerate(data, limit=-1), "limit"),
        (lambda: unswayed.tolerate(data, limit=0.5), "give learning_rate and regularization"),
    ]:
        with pytest.raises(unswayed.UnswayedError, match=words):
            call()


def test_labels_twice(data):
    with pytest.raises(unswayed.UnswayedError, match="leave out y"):
        unswayed.certify(data, [1, 0], **SETTING)
    with pytest.raises(unswayed.UnswayedError, match="when making it"):
        unswayed.certify(data, **SETTING, normalize=True)


def test_certificates_that_do_not_hold(data, tmp_path):
    certificate = unswayed.certify(data, **SETTING)
    path = tmp_path / "certificate.json"
    certificate.save(path)
    with pytest.raises(unswayed.CheckFailed, match=r"certificate.json: .*"):
        unswayed.Certificate.load(path, data.first(200))
    content = path.read_bytes()
    for cut in (0, 7, len(content) // 2, len(content) - 3):
        path.write_bytes(content[:cut])
        with pytest.raises(unswayed.UnswayedError, match=r"certificate.json: "):
            unswayed.Certificate.load(path, data)
    # A claim that is too good.
    claims = json.loads(content)
    assert claims["linear"]["loss"]["bound"] == certificate.certified_loss
    claims["linear"]["loss"]["bound"] *= 0.9
    path.write_text(json.dumps(claims))
    with pytest.raises(unswayed.CheckFailed, match="loss: the bound"):
        unswayed.Certificate.load(path, data)


def test_mean_and_prepare_refuse(tmp_path):
    setting = {"learning_rate": 0.01, "poison_rate": 0.1, "squared_radius": 1.0}
    with pytest.raises(unswayed.UnswayedError, match="give samples, or"):
        unswayed.mean(**setting)
    with pytest.raises(unswayed.UnswayedError, match="learning rate"):
        unswayed.mean(covariance_trace=1.0, **{**setting, "learning_rate": 2.5})
    with pytest.raises(unswayed.UnswayedError, match="directions"):
        unswayed.prepare(X, directions=3)
    (tmp_path / "no.transform").write_bytes(b"nothing")
    with pytest.raises(unswayed.UnswayedError, match="no.transform"):
        unswayed.Transform.load(tmp_path / "no.transform")


def test_several_tables_are_one_dataset(tmp_path, command):
    random = np.random.default_rng(0)
    paths = []
    for part in range(3):
        x, y = random.uniform(-0.5, 0.5, size=(20, 3)), random.integers(2, size=20)
        paths.append(tmp_path / f"part-{part}.csv")
        rows = "".join(f"{','.join(map(repr, row.tolist()))},{label}\n" for row, label in zip(x, y))
        paths[-1].write_text("a,b,c,label\n" + rows)
    setting = {"learning_rate": 1e-3, "regularization": 0.01, "poison_rate": 0.01}
    certificate = unswayed.certify(paths, **setting)
    assert certificate.data.origin["files"] == [path.name for path in paths] and certificate.data.rows == 60
    assert unswayed.load(str(tmp_path / "part-*.csv")).sha256 == unswayed.Data(paths).sha256
    assert unswayed.Data(paths[::-1]).sha256 != unswayed.Data(paths).sha256
    saved = tmp_path / "c.json"
    certificate.save(saved)
    assert unswayed.Certificate.load(saved, paths).certified_loss == certificate.certified_loss
    names = tmp_path / "names.txt"
    names.write_text("\n".join(["# in order", *(path.name for path in paths)]))
    for data in (tmp_path / "part-*.csv", f"@{names}"):
        assert verify.verify(str(saved), [str(data)])
        command("check", "c.json", str(data), folder=tmp_path)
    names.write_text("\n".join(path.name for path in paths[::-1]))
    for data in (tmp_path / "part-[012].csv", f"@{names}", tmp_path / "part-0*.csv"):
        with pytest.raises((verify.Invalid, verify.Unreadable)):
            verify.verify(str(saved), [str(data)])
