"""The same figures as the command line, to the last bit; certificates go both ways."""

import numpy as np
import pytest
from conftest import FLAGS, SETTING, content

import unswayed


@pytest.fixture
def file(arrays, tmp_path):
    x, y = arrays
    np.savez(tmp_path / "task.npz", x=x, y=y)
    return tmp_path / "task.npz"


def test_certify(command, arrays, file):
    theirs = command("certify", file, *FLAGS, "--attacks", "none", "--horizon", 1000000, folder=file.parent)
    ours = unswayed.certify(*arrays, **SETTING, horizon=1_000_000)
    for name in ("certified_loss", "certified_error", "benign_loss", "benign_error", "horizon_loss", "method", "status"):
        assert getattr(ours, name) == theirs[name], name
    assert ours.transient_steps == theirs["transient_steps"]
    # The file is the same file, but for the name of its data.
    assert content((file.parent / theirs["certificate"]).read_bytes()) == content(ours.to_bytes())


def test_certificates_go_both_ways(command, arrays, file, tmp_path):
    ours = unswayed.certify(*arrays, **SETTING)
    ours.save(tmp_path / "ours.json")
    assert command("check", tmp_path / "ours.json", file)["status"] == "valid"

    command("certify", file, *FLAGS, "--attacks", "none", "--output", tmp_path / "theirs.json", "--rows", 200)
    read = unswayed.Certificate.load(tmp_path / "theirs.json", *arrays)
    assert len(read.data) == 200
    assert read.certified_loss == unswayed.certify(unswayed.load(file, rows=200), **SETTING).certified_loss


def test_attacks(command, arrays, file):
    theirs = command("attack", file, *FLAGS, "--attack", "steady-state", "--attack", "label-flip")
    ours = unswayed.attack(*arrays, **SETTING, attacks=["steady-state", "label-flip"])
    for attack, figures in zip(ours, theirs["attacks"]):
        assert attack.name == figures["attack"]
        assert attack.loss.mean == figures["attack_loss"]
        assert attack.error.mean == figures["attack_error"]
        assert attack.verdict == figures["verdict"]


def test_tolerate(command, arrays, file):
    flags = ["--limit", 0.2, "--attacks", "none"]
    theirs = command("tolerate", file, *FLAGS[:4], *flags, folder=file.parent)
    setting = {name: SETTING[name] for name in ("learning_rate", "regularization")}
    ours = unswayed.tolerate(*arrays, limit=0.2, attacks=False, **setting)
    assert ours.poison_rate == theirs["poison_rate"]
    assert ours.certificate.certified_loss == theirs["certified_loss"]

    theirs = command("tolerate", file, "--poison-rate", 0.02, "--regularization", "0.003,0.01", *flags)
    ours = unswayed.tolerate(*arrays, limit=0.2, poison_rate=0.02, regularization=[0.003, 0.01])
    assert [row.certified_loss for row in ours.settings] == [row["certified_loss"] for row in theirs["settings"]]


def test_streams(command, arrays, file, tmp_path):
    """Designs and limits for a stream of given length: the figures of the command, and bounds for these steps."""
    flags = ["--horizon", 5000, "--learning-rate", "0.003,0.03", "--regularization", "0.03", "--poison-rate", "0.02"]
    more = ["--attacks", "none", "--at-most-error", 0.9, "--output", tmp_path / "run"]
    theirs = command("design", f"task={file}", *flags, *more)
    grid = {"learning_rates": [0.003, 0.03], "regularizations": [0.03], "poison_rates": [0.02]}
    ours = unswayed.design({"task": arrays}, **grid, horizon=5000, at_most_error=0.9, attacks="none")
    assert [row.horizon_loss for row in ours.rows] == [row["horizon_loss"] for row in theirs["rows"]]
    assert ours.rows[0].horizon == 5000 and ours.rows[0].horizon_loss > ours.rows[0].certified_loss
    assert ours.price == theirs["price"] >= 0 and ours.at_edge == theirs["at_edge"] == ["learning rate"]
    assert ours.chosen.certified_error == theirs["chosen"]["certified_error"]

    setting = {"learning_rate": 0.03, "regularization": 0.03}
    found = unswayed.tolerate(*arrays, limit=0.4, horizon=5000, attacks=False, **setting)
    assert found is not None and found.certificate.horizon_loss <= 0.4
    with pytest.raises(unswayed.UnswayedError, match="horizon"):
        unswayed.tolerate(*arrays, limit=0.4, start=[0.0], **setting)


def test_mean(command, tmp_path):
    samples = np.random.default_rng(1).normal(size=(500, 3))
    np.save(tmp_path / "samples.npy", samples)
    flags = ["--learning-rate", 0.01, "--poison-rate", 0.1, "--squared-radius", 2]
    theirs = command("mean", tmp_path / "samples.npy", *flags, folder=tmp_path)
    ours = unswayed.mean(samples, learning_rate=0.01, poison_rate=0.1, squared_radius=2.0)
    assert ours.certified_loss == theirs["certified_loss"]
    assert max(ours.attack_loss, ours.simulated_loss.mean) == theirs["attack_loss"]
    assert content((tmp_path / theirs["certificate"]).read_bytes()) == content(ours.to_bytes())
    assert ours.attack_loss <= ours.certified_loss and ours.gap >= 1


def test_design_and_its_folder(command, arrays, file, tmp_path):
    grid = {"learning_rates": [1e-3, 1e-2], "regularizations": [0.01, 0.1], "poison_rates": [0.01, 0.03]}
    flags = ["--learning-rate", "1e-3,1e-2", "--regularization", "0.01,0.1", "--poison-rate", "0.01,0.03"]
    theirs = command("design", f"task={file}", *flags, "--attacks", "none", "--output", tmp_path / "theirs")
    ours = unswayed.design({"task": arrays}, **grid, attacks="none", output=tmp_path / "ours")
    assert ours.chosen.objective == theirs["chosen"]["objective"]
    assert [row.certified_loss for row in ours.rows] == [row["certified_loss"] for row in theirs["rows"]]
    for name in ("results.csv", "results.json", "results.parquet"):
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes()
    for path in (tmp_path / "theirs" / "certificates").iterdir():
        assert content(path.read_bytes()) == content((tmp_path / "ours" / "certificates" / path.name).read_bytes())

    # The journal is the command line's: it continues ours, and has nothing left to do.
    again = command(
        "design", f"task={file}", *flags, "--attacks", "none", "--output", tmp_path / "ours", "--resume"
    )
    assert again["computed"] == 0
    assert unswayed.design(
        {"task": arrays}, **grid, attacks="none", output=tmp_path / "theirs", resume=True
    ).computed == 0


def test_steps_are_axes(command, arrays, file, tmp_path):
    """Projections, clipping norms and batches to try: the command's figures; single values are the learner's."""
    flags = ["--learning-rate", "0.03", "--regularization", "0.03", "--poison-rate", "0.02", "--attacks", "none"]
    axes = ["--projection", "none,1", "--clip", "0.3", "--batch", "1,8", "--horizon", 2000]
    theirs = command("design", f"task={file}", *flags, *axes, "--output", tmp_path / "run")
    grid = {"learning_rates": [0.03], "regularizations": [0.03], "poison_rates": [0.02]}
    steps = {"projection": [None, 1.0], "clip": 0.3, "batch": [1, 8]}
    ours = unswayed.design({"task": arrays}, **grid, **steps, horizon=2000, attacks="none")
    found = [(row.projection, row.clip, row.batch, row.horizon_loss) for row in ours.rows]
    assert found == [tuple(row[name] for name in ("projection", "clip", "batch", "horizon_loss")) for row in theirs["rows"]]
    assert [row[:3] for row in found] == [(1.0, 0.3, 1), (1.0, 0.3, 8), (None, 0.3, 1), (None, 0.3, 8)]
    assert f"batch {ours.chosen.batch}" in repr(ours) or ours.chosen.batch == 1
    suggested = unswayed.design({"task": arrays}, **grid, batch="auto", attacks="none", benign="limit")
    assert sorted({row.batch for row in suggested.rows}) == [1, 4, 16]

    setting = {"learning_rate": 0.03, "regularization": 0.03, "limit": 0.9}
    tolerable = unswayed.tolerate(*arrays, **setting, poison_rate=0.02, batch=np.array([1, 8]))
    assert sorted(row.batch for row in tolerable.settings) == [1, 8]
    found = unswayed.tolerate(*arrays, **setting, batch=8, horizon=2000, attacks=False)
    assert found.certificate.statement["horizon"]["steps"] == 250
    for wrong, word in [({"batch": [1, 8]}, "one value each"), ({"batch": 4000, "horizon": 2000}, "no whole step")]:
        with pytest.raises(unswayed.UnswayedError, match=word):
            unswayed.tolerate(*arrays, **setting, **wrong)
    for wrong in ({"batch": [1, 0]}, {"batch": "many"}, {"projection": "far"}, {"clip": [-1.0, 2.0]}):
        with pytest.raises(unswayed.UnswayedError, match=next(iter(wrong))):
            unswayed.design({"task": arrays}, **grid, **wrong, attacks="none")


def test_prepare(command, tmp_path):
    features = np.random.default_rng(2).normal(size=(120, 40))
    np.save(tmp_path / "raw.npy", features)
    command("prepare", tmp_path / "raw.npy", "--directions", 8, folder=tmp_path)
    rows, transform = unswayed.prepare(features, directions=8)
    assert (np.load(tmp_path / "raw.prepared.npz")["x"] == rows).all()
    theirs = unswayed.Transform.load(tmp_path / "raw.transform.safetensors")
    other = np.random.default_rng(3).normal(size=(5, 40))
    assert (theirs.apply(other) == transform.apply(other)).all()
