"""Learners and threats of all kinds: the command line's figures and files, certificates both ways, policies, and what is refused."""

import base64
import pickle

import numpy as np
import pandas
import pytest
from conftest import FLAGS, SETTING, content

import unswayed

POOL = np.random.default_rng(5).uniform(-0.1, 0.1, size=(4, 31))
RADII = np.linspace(0.05, 0.3, 31)
Q = np.diag(np.linspace(0.02, 0.1, 31)) + 0.001


@pytest.fixture(scope="module")
def rows(arrays):
    """Few enough for every solver to be quick."""
    return arrays[0][:60], arrays[1][:60]


@pytest.fixture(scope="module")
def folder(rows, arrays, tmp_path_factory):
    """Files with what the tests are about, for the command line."""
    folder = tmp_path_factory.mktemp("learners")
    x, y = rows
    np.savez(folder / "task.npz", x=x, y=y)
    np.savez(folder / "part.npz", x=x[:20], y=y[:20])
    np.savez(folder / "later.npz", x=arrays[0][100:150] / 2, y=arrays[1][100:150])
    np.savez(folder / "kinds.npz", x=x, y=np.arange(60) % 3)
    np.savez(folder / "pairs.npz", chosen=x[:30] / 2, rejected=x[30:] / 2)
    for name, array in [("pool", POOL), ("radii", RADII), ("q", Q)]:
        np.save(folder / f"{name}.npy", array)
    return folder


def same(ours, theirs, certificate):
    """Every figure to the last bit, and the file byte for byte."""
    names = ["certified_loss", "certified_error", "new_data_loss", "benign_loss", "benign_error", "horizon_loss"]
    for name in [*names, "transient_steps", "status", "method", "loss_function", "radius"]:
        assert getattr(ours, name) == theirs[name], name
    assert content(ours.to_bytes()) == content(certificate.read_bytes())


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        ("--loss logistic", {"loss": "logistic"}),
        ("--loss logistic --radius 0.5 --horizon 100000", {"loss": "logistic", "radius": 0.5, "horizon": 100_000}),
        ("--adversary box", {"adversary": "box"}),
        ("--adversary box=0.2", {"adversary": unswayed.Box(0.2)}),
        ("--adversary box=radii.npy", {"adversary": unswayed.Box(RADII)}),
        ("--adversary ellipsoid=q.npy", {"adversary": unswayed.Ellipsoid(Q)}),
        ("--adversary ellipsoid --loss logistic", {"adversary": "ellipsoid", "loss": "logistic"}),
        ("--adversary points=pool.npy", {"adversary": unswayed.Points(POOL)}),
        ("--adversary flips", {"adversary": "flips"}),
        ("--adversary labels", {"adversary": "labels"}),
        ("--adversary labels --loss logistic", {"adversary": "labels", "loss": "logistic"}),
        ("--contaminated 0.05", {"contaminated": 0.05}),
        ("--contaminated 0.05 --loss logistic --adversary box", {"contaminated": 0.05, "loss": "logistic", "adversary": "box"}),
        ("--adversary any --clip 0.5", {"adversary": "any", "clip": 0.5}),
        ("--batch 4", {"batch": 4}),
        ("--projection 3", {"projection": 3.0}),
        ("--bias last", {"bias": -1}),
        ("--bias 31 --adversary box", {"bias": 30, "adversary": "box"}),
        ("--confidence 0.9", {"confidence": 0.9}),
        ("--confidence 0.9 --contaminated 0.05", {"confidence": 0.9, "contaminated": 0.05}),
        ("--loss logistic --normalize", {"loss": "logistic", "normalize": True}),
    ],
)
def test_certify(command, folder, rows, flags, options):
    output = folder / "c.certificate.json"
    theirs = command(
        "certify", "task.npz", *FLAGS, *flags.split(), "--attacks", "none", "--output", output, folder=folder
    )
    ours = unswayed.certify(*rows, **SETTING, **options)
    same(ours, theirs, output)
    loaded = unswayed.Certificate.load(output, *rows)
    assert content(loaded.to_bytes()) == content(ours.to_bytes())
    assert repr(loaded).replace("task.npz: ", "") == repr(ours)
    assert ours.check() == loaded.check(*rows)


def test_bootstrap(command, folder, rows, tmp_path):
    """Bounds of samples of the rows: those of the command, in tables and reports, and called no proof."""
    output = folder / "bootstrap.certificate.json"
    sizes = ("--bootstrap", "4", "--seed", "3")
    theirs = command("certify", "task.npz", *FLAGS, *sizes, "--attacks", "none", "--output", output, folder=folder)["bootstrap"]
    certificate = unswayed.certify(*rows, **SETTING)
    assert "bootstrap" not in repr(certificate)
    ours = certificate.bootstrap(4, seed=3)
    assert ours.losses.tolist() == theirs["certified_losses"] and ours.errors.tolist() == theirs["certified_errors"]
    assert ours.deviation == pytest.approx(theirs["loss_deviation"]) and ours.seed == 3
    assert "4 samples" in repr(ours) and "no proof" in repr(ours) and "no proof" in repr(certificate)
    certificate.report(tmp_path)
    assert "How the bound varies with the sample (no proof)" in (tmp_path / "report.html").read_text()
    with pytest.raises(unswayed.UnswayedError, match="samples"):
        certificate.bootstrap(1)


def test_other_data(command, folder, rows, arrays):
    """Classes, preferences, drift and targets."""
    x, y = rows
    later = (arrays[0][100:150] / 2, arrays[1][100:150])
    both = [unswayed.Data(*rows), unswayed.Data(*later)]
    scale = unswayed.Data(*rows, normalize=True).scale
    scaled = [unswayed.Data(*one, scale=scale) for one in (rows, later)]
    pairs = unswayed.preferences(x[:30] / 2, x[30:] / 2)
    for flags, data, options in [
        ("kinds.npz --loss multiclass", (x, np.arange(60) % 3), {"loss": "multiclass"}),
        ("pairs.npz --preferences", (pairs,), {}),
        ("pairs.npz --preferences --loss hinge", (pairs,), {"loss": "hinge"}),
        ("task.npz later.npz --drift", (both,), {}),
        ("task.npz later.npz --drift --normalize --loss logistic", (scaled,), {"loss": "logistic"}),
        ("task.npz --target part.npz --loss logistic", rows, {"target": (x[:20], y[:20]), "loss": "logistic"}),
        ("task.npz --target later.npz", rows, {"target": later}),
    ]:
        output = folder / "other.certificate.json"
        words = flags.split()
        theirs = command("certify", *words, *FLAGS, "--attacks", "none", "--output", output, folder=folder)
        ours = unswayed.certify(*data, **SETTING, **options)
        same(ours, theirs, output)
        files = [word for word in words if word.endswith("npz") and word != "part.npz"]
        beside = ["--target", files.pop()] if ours.target else []
        assert command("check", output, *files, *beside, folder=folder)["status"] == "valid"
        target = {"target": options["target"]} if ours.target else {}
        assert unswayed.Certificate.load(output, *data, **target).certified_loss == ours.certified_loss


def test_files_are_read_as_the_certificate_says(folder):
    setting = {**SETTING, "loss": "logistic"}
    pairs = unswayed.Data(folder / "pairs.npz", labels="preferences")
    unswayed.certify(pairs, **SETTING).save(folder / "pairs.certificate.json")
    assert unswayed.Certificate.load(folder / "pairs.certificate.json", folder / "pairs.npz").loss_function == "logistic"
    kinds = unswayed.certify(folder / "kinds.npz", **{**setting, "loss": "multiclass"})
    assert kinds.data.classes == ("0", "1", "2") and kinds.data.columns == 31
    kinds.save(folder / "kinds.certificate.json")
    assert unswayed.Certificate.load(folder / "kinds.certificate.json", folder / "kinds.npz").check() == kinds.check()


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        ("--loss logistic --adversary box", {"loss": "logistic", "adversary": "box"}),
        ("--adversary labels --batch 2", {"adversary": "labels", "batch": 2}),
        ("--adversary any --clip 0.5", {"adversary": "any", "clip": 0.5}),
    ],
)
def test_attacks(command, folder, rows, arrays, flags, options):
    asked = ["--attack", "steady-state", "--attack", "label-flip", "--test", "later.npz"]
    faster = ["--learning-rate", "0.05", "--regularization", "0.1", "--poison-rate", "0.02"]
    theirs = command("attack", "task.npz", *faster, *flags.split(), *asked, folder=folder)
    setting = {"learning_rate": 0.05, "regularization": 0.1, "poison_rate": 0.02}
    test = (arrays[0][100:150] / 2, arrays[1][100:150])
    ours = unswayed.attack(*rows, **setting, **options, attacks=["steady-state", "label-flip"], test=test)
    for attack, figures in zip(ours, theirs["attacks"]):
        assert (attack.name, attack.loss.mean) == (figures["attack"], figures["attack_loss"])
        assert (attack.test_loss.mean, attack.test_error.mean) == (figures["test_loss"], figures["test_error"])
    certificate = unswayed.certify(*rows, **setting, **options)
    found = command("certify", "task.npz", *faster, *flags.split(), "--output", "c.certificate.json", folder=folder)
    assert certificate.gap == found["gap"] and certificate.strongest_attack.name == found["attack"]


def test_policies_of_ones_own(rows):
    setting = {"learning_rate": 0.05, "regularization": 0.1, "poison_rate": 0.1}
    data = unswayed.Data(*rows)
    drawn = set()

    def flip(model, row):
        drawn.add(row.tobytes())
        return -row

    flipped = unswayed.simulate(data, policy=flip, adversary="labels", **setting)
    assert drawn <= {row.tobytes() for row in data.z}
    assert flipped.loss.mean < unswayed.certify(data, adversary="labels", **setting).certified_loss
    kinds = unswayed.Data(rows[0], np.arange(60) % 3, labels="classes")
    wrong = np.append(2, rows[0][0])
    sent = unswayed.simulate(kinds, policy=lambda model: wrong, loss="multiclass", **setting)
    assert sent.loss.mean > 0
    for policy, options, words in [
        (lambda model, row: 2 * row, {"adversary": "labels"}, "not the drawn row"),
        (lambda model: model, {"adversary": "labels"}, "positional argument"),
        (lambda model: np.ones(31), {"adversary": "box"}, "entry 1 is 1, beyond"),
        (lambda model: np.full(31, np.nan), {"adversary": "any", "clip": 1.0}, "entry 1 is NaN"),
        (lambda model: POOL[0] / 2, {"adversary": unswayed.Points(POOL)}, "none of the 4 points"),
    ]:
        with pytest.raises((unswayed.UnswayedError, TypeError), match=words):
            unswayed.simulate(data, policy=policy, **options, **setting)


def test_what_comes_back(rows, tmp_path):
    few = unswayed.Data(*rows).first(30)
    certificate = unswayed.certify(few, **SETTING, loss="logistic", adversary=unswayed.Box(0.1), batch=2)
    assert certificate.radius is None and certificate.loss_function == "logistic"
    assert certificate.horizon(10**6) > certificate.horizon(10**9) > certificate.certified_loss
    copy = pickle.loads(pickle.dumps(certificate))
    assert content(copy.to_bytes()) == content(certificate.to_bytes()) and copy.gap == certificate.gap
    certificate.attack(attacks="label-flip")
    certificate.report(tmp_path / "report")
    page = (tmp_path / "report" / "report.html").read_text()
    assert "label-flip" in page and "adversary=unswayed.Box(…), batch=2)" in page
    shown = certificate._repr_html_()
    assert "<svg" in shown and "certified loss" in shown
    # A projected learner has no bound for a start that it would never be at.
    projected = unswayed.certify(*rows, **SETTING, projection=1.0, start=np.full(31, 9.0))
    assert projected.transient_steps == float("inf")


def test_certificates_that_do_not_hold(rows, arrays, tmp_path):
    path = tmp_path / "c.certificate.json"
    data = unswayed.Data(*rows)
    later = unswayed.Data(arrays[0][100:150], arrays[1][100:150])
    unswayed.certify([data, later], **SETTING).save(path)
    for x, options, words in [
        ([later, data], {}, "rows: 60 here, 50 there"),
        (data, {}, "about 2 datasets, not 1"),
        ([data, later], {"target": data}, "no target of its own"),
    ]:
        with pytest.raises(unswayed.UnswayedError, match=f"c.certificate.json: .*{words}"):
            unswayed.Certificate.load(path, x, **options)
    content = path.read_bytes()
    for cut in (0, 7, len(content) // 2, len(content) - 3):
        path.write_bytes(content[:cut])
        with pytest.raises(unswayed.UnswayedError, match="c.certificate.json: "):
            unswayed.Certificate.load(path, [data, later])
    unswayed.certify(data, **SETTING, target=later).save(path)
    with pytest.raises(unswayed.UnswayedError, match="give that as well"):
        unswayed.Certificate.load(path, data)
    with pytest.raises(unswayed.CheckFailed, match="rows: 50 here, 60 there"):
        unswayed.Certificate.load(path, data, target=data)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"loss": "square"}, '"square" is none of hinge, logistic, smooth-hinge=WIDTH, modified-huber, absolute'),
        ({"loss": "multiclass"}, 'read as classes: make the data with labels="classes"'),
        ({"adversary": "sphere"}, 'adversary "sphere": it must be'),
        ({"adversary": "points"}, 'adversary "points": it must be'),
        ({"adversary": 3}, "adversary 3: it must be"),
        ({"adversary": "any"}, "^any point without clipped gradients is unsupported"),
        ({"adversary": "box", "clip": 1.0}, "for a ball of points or for any point"),
        ({"adversary": "box", "radius": 2.0}, "^a radius is for a ball of points"),
        ({"adversary": unswayed.Box(-1)}, "adversary box: the radius -1"),
        ({"adversary": unswayed.Box([1, 2])}, "adversary box: 2 radii for 31 columns"),
        ({"adversary": unswayed.Box(float("nan"))}, "the radius NaN"),
        ({"adversary": unswayed.Box("wide")}, "not real numbers"),
        ({"adversary": unswayed.Box([[[1.0]]])}, "3 dimensions"),
        ({"adversary": unswayed.Ellipsoid(np.eye(4))}, "there are 4 columns, the data have 31"),
        ({"adversary": unswayed.Ellipsoid(np.ones((1, 31)))}, "a square matrix Q"),
        ({"adversary": unswayed.Ellipsoid(-np.eye(31))}, "not symmetric and positive definite"),
        ({"adversary": unswayed.Points(np.ones(31))}, "1 dimensions, not two"),
        ({"adversary": unswayed.Points(np.full((1, 31), np.nan))}, "adversary points: .*NaN is not a finite"),
        ({"adversary": unswayed.Points(np.ones((0, 31)))}, "there are no rows"),
        ({"adversary": unswayed.Points([["a"]])}, "adversary Points: not all are numbers"),
        ({"clip": 0.0}, "clip = 0.0 is not > 0"),
        ({"clip": float("nan")}, "clip = NaN"),
        ({"projection": float("inf")}, "projection = inf"),
        ({"batch": 0}, "batch 0"),
        ({"bias": 31}, "bias 31: there is no such column"),
        ({"bias": -32}, "bias -32: there is no such column"),
        ({"bias": -1, "clip": 1.0}, "^an unregularized column with clipped gradients"),
        ({"bias": -1, "projection": 1.0}, "^an unregularized column with a projection"),
        ({"confidence": 1.0}, "confidence: "),
        ({"confidence": float("nan")}, "confidence: "),
        ({"confidence": 0.9, "loss": "modified-huber"}, "^confidence for new data without the hinge loss or the logistic loss"),
        ({"target": np.ones((2, 3))}, "label"),
        ({"target": (np.ones((2, 3)) / 9, [1, -1])}, "31 columns, another dataset has 3"),
        ({"target": (np.eye(2, 31) / 9, [1, -1]), "loss": "logistic"}, "^a target with rows of its own without the hinge loss"),
        ({"target": (np.eye(2, 31) / 9, [1, -1]), "adversary": "labels"}, "^flipped labels with a target with rows of its own"),
        ({"method": "paper", "loss": "logistic"}, "paper's program is for the hinge loss against a ball"),
        ({"regularization": 0.0, "loss": "logistic"}, "add a projection"),
        ({"horizon": 10, "start": [1.0], "loss": "logistic"}, "the start has 1 entries"),
    ],
)
def test_what_is_refused(rows, change, words):
    with pytest.raises(unswayed.UnswayedError, match=words):
        unswayed.certify(unswayed.Data(*rows), **{**SETTING, **change})


def test_data_that_are_refused(rows, data):
    x, y = rows
    kinds = unswayed.Data(x, np.arange(60) % 3, labels="classes")
    others = unswayed.Data(x, np.arange(60) % 4, labels="classes")
    for call, words in [
        (lambda: unswayed.preferences(x, x[:-1]), r"shape \(60, 31\), rejected \(59, 31\)"),
        (lambda: unswayed.preferences(x, np.full(x.shape, np.nan)), "row 1, column 32: NaN"),
        (lambda: unswayed.preferences(x[0], x[0]), "1 dimensions"),
        (lambda: unswayed.preferences(9 * x, x), "larger than 1"),
        (lambda: unswayed.Data(x, labels="preferences"), r"unswayed.preferences\(chosen, rejected\)"),
        (lambda: unswayed.Data(x, y, scale=0), "scale 0: it must be a positive number"),
        (lambda: unswayed.certify(kinds, **SETTING), 'multi-class loss \\(loss="multiclass"\\)'),
        (lambda: unswayed.tolerate(kinds, limit=0.5, **SETTING), "for the multi-class loss"),
        (lambda: unswayed.certify(kinds, **SETTING, loss="multiclass", adversary="box"), "several classes without a ball"),
        (lambda: unswayed.certify(data, **SETTING, adversary="box", confidence=0.9), "a set read off the data"),
        (lambda: unswayed.certify(x, y, **SETTING, normalize=True, adversary=unswayed.Ellipsoid(Q)), "leave out normalize=True"),
        (lambda: unswayed.certify([kinds, others], **SETTING, loss="multiclass"), "have different labels"),
        (lambda: unswayed.certify([data, data], y, **SETTING), "leave out y"),
        (lambda: unswayed.certify([data, data], **SETTING, normalize=True), "when making it"),
        (lambda: unswayed.certify([data, data], **SETTING, confidence=0.9), "with several datasets"),
        (lambda: unswayed.certify([], **SETTING), "dimensions"),
        (lambda: unswayed.attack(data, **SETTING, loss="logistic", attacks="tuned"), "tuned"),
        (lambda: unswayed.attack(data, **SETTING, loss="logistic", test=kinds), "labels|columns"),
    ]:
        with pytest.raises(unswayed.UnswayedError, match=words):
            call()


def test_statements(rows):
    certificate = unswayed.certify(*rows, **SETTING, loss="logistic", adversary=unswayed.Box(0.2), batch=2, horizon=1000)
    statement = certificate.statement
    assert statement["learner"] == {"loss": "logistic", "learning_rate": 1e-3, "regularization": 0.01, "batch": 2}
    assert np.frombuffer(base64.b64decode(statement["threat"]["set"]["box"]["radii"]), "<f8").tolist() == [0.2] * 31
    assert statement["data"][0] == certificate.data.origin and statement["horizon"]["steps"] == 1000
    lines = dict(certificate.lines)
    assert "2 points per step" in lines["learner"] and "31 numbers from 0.2 to 0.2" in lines["threat"]
    assert "60 rows" in lines["rows"] and "1000 steps" in lines["horizon"] and lines["start"] == "any"
    assert "coming coin" in lines["assumes"]
    for name, text in certificate.lines[:4]:
        assert name in repr(certificate) and text in repr(certificate)


def test_what_is_required_of_a_statement(rows):
    certificate = unswayed.certify(*rows, **SETTING)
    certificate.require()
    certificate.require("threat.poison_rate>=0.02", "certified_loss<=0.5", "rows>=60", loss="hinge", set="ball", radius=1)
    certificate.require(batch=1, certified_horizon=None, target="data", **{"threat.poison_rate": 0.02, "scale": 1.0})
    for expectations, expected, words in [
        (["poison_rate>=0.05"], {}, "expected poison_rate>=0.05, but statement.threat.poison_rate is 0.02"),
        (["certified_loss<=0.01"], {}, "expected certified_loss<=0.01, but certified_loss is"),
        ([], {"loss": "logistic"}, "expected loss=logistic, but statement.learner.loss is"),
        ([], {"set": "box"}, "set=box"),
        ([], {"clip": 0.5}, "expected clip=0.5, but statement.learner.clip is null"),
        (["rows>=60", "batch<=0"], {}, "batch<=0"),
    ]:
        with pytest.raises(unswayed.CheckFailed, match=words):
            certificate.require(*expectations, **expected)
    for text in ("poison_rate", "=3", "poison_rate>=much"):
        with pytest.raises(unswayed.UnswayedError) as raised:
            certificate.require(text)
        assert not isinstance(raised.value, unswayed.CheckFailed) and "--" not in str(raised.value)
    mean = unswayed.mean(covariance_trace=2.0, learning_rate=0.01, poison_rate=0.1, squared_radius=1.0)
    mean.require("certified_loss<=1", "poison_rate>=0.1", benign="covariance_trace")
    assert mean.statement["benign"] == {"covariance_trace": 2.0} and dict(mean.lines)["benign"] in repr(mean)
    with pytest.raises(unswayed.CheckFailed, match="squared_radius"):
        mean.require(squared_radius=2)


def test_sets_are_in_the_units_of_the_data(rows):
    """Rows and set a thousand times as large: normalized, everything is the same."""
    x, y = rows[0].astype(np.float64), rows[1]
    for adversary, larger in [
        ({"radius": 0.5}, {"radius": 512.0}),
        ({"adversary": unswayed.Box(RADII)}, {"adversary": unswayed.Box(1024 * RADII)}),
        ({"adversary": unswayed.Points(POOL)}, {"adversary": unswayed.Points(1024 * POOL)}),
    ]:
        small = unswayed.certify(x, y, **SETTING, **adversary, normalize=True)
        large = unswayed.certify(1024 * x, y, **SETTING, **larger, normalize=True)
        assert small.certified_loss == large.certified_loss and 1024 * small.data.scale == large.data.scale
    # Without a radius, points are as long as the longest row.
    assert unswayed.certify(1024 * x, y, **SETTING, normalize=True).radius == 1
    assert unswayed.certify(1024 * x, y, **SETTING, normalize=True, radius=1.0).radius < 0.002


def test_weights_and_names(rows, folder):
    x, y = rows
    frame = pandas.DataFrame(x, columns=[f"x{j}" for j in range(31)])
    weights = np.arange(60) % 4
    heavy = unswayed.certify(x, y, **SETTING, weights=weights)
    frame["trust"] = weights
    named = unswayed.certify(frame, y, **SETTING, weight_column="trust")
    assert named.certified_loss == heavy.certified_loss and len(named.data.z[0]) == 31
    np.savez(folder / "heavy.npz", x=x, y=y, trust=weights)
    read = unswayed.certify(folder / "heavy.npz", **SETTING, weight_column="trust")
    assert read.certified_loss == heavy.certified_loss
    read.save(folder / "heavy.certificate.json")
    for loaded in (
        unswayed.Certificate.load(folder / "heavy.certificate.json", folder / "heavy.npz"),
        unswayed.Certificate.load(folder / "heavy.certificate.json", x, y, weights=weights),
        unswayed.Certificate.load(folder / "heavy.certificate.json", frame, y, weights="trust"),
    ):
        assert content(loaded.to_bytes()) == content(read.to_bytes())
    with pytest.raises(unswayed.UnswayedError, match="weight"):
        unswayed.Certificate.load(folder / "heavy.certificate.json", x, y)
    for value, words in [
        (weights[:-1], "weight"), (-1 * weights, "weight"), (0 * weights, "weight"), ([["a"]] * 60, "weights"), (3, "weights"),
        (np.eye(60), "2 dimensions"), (weights * np.nan, "weight"), (weights * 1j, "complex"), (np.ma.masked_equal(weights, 2), "masked"),
    ]:
        with pytest.raises(unswayed.UnswayedError, match=words):
            unswayed.certify(x, y, **SETTING, weights=value)
    for data in (unswayed.Data(x, y), [unswayed.Data(x, y)] * 2, folder / "task.npz"):
        with pytest.raises(unswayed.UnswayedError, match="weights"):
            unswayed.certify(data, **SETTING, weights=weights)
    bias = pandas.DataFrame(np.column_stack([x[:, :-1], np.full(60, 0.1)])).rename(columns={30: "always"})
    assert "column 31 not regularized" in dict(unswayed.certify(bias, y, **SETTING, bias="always").lines)["learner"]
    with pytest.raises(unswayed.UnswayedError, match='bias "never": there is no such column'):
        unswayed.certify(bias, y, **SETTING, bias="never")


def test_other_learners_are_tolerated_and_designed(rows):
    x, y = rows[0][:20], rows[1][:20]
    setting = {"learning_rate": 1e-2, "regularization": 0.1}
    options = {"loss": "logistic", "adversary": unswayed.Box(0.1)}
    found = unswayed.tolerate(x, y, limit=0.6, **setting, **options)
    assert found.certificate.loss_function == "logistic" and found.certificate.certified_loss <= 0.6
    assert found.broken_poison_rate is None or found.broken_poison_rate > found.poison_rate
    same = unswayed.certify(x, y, **setting, **options, poison_rate=found.poison_rate)
    assert same.certified_loss == found.certificate.certified_loss
    settings = unswayed.tolerate(x, np.arange(20) % 3, limit=9, poison_rate=0.01, learning_rate=1e-3, regularization=0.1, loss="multiclass")
    assert len(settings.settings) == 1
    grid = {"learning_rates": [1e-3], "regularizations": [0.01], "poison_rates": [0.02]}
    chosen = unswayed.design({"a": (x, y)}, **grid, **options, attacks="none", benign="limit")
    assert chosen.rows[0].certified_loss == unswayed.certify(x, y, **SETTING, **options).certified_loss
    classes = unswayed.design({"a": (x, np.arange(20) % 3)}, **grid, loss="multiclass", attacks="none", benign="limit")
    assert classes.rows[0].certified_loss > 0
    learner = unswayed.Learner(**setting, loss="logistic", intercept=True)
    assert learner.tolerate(x, y, limit=2.0, attacks=False).poison_rate > 0
