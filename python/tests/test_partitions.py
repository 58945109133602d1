"""One certificate for rows in partitions: the same bytes with threads, real processes, a real Dask cluster and a real Ray, also when a
worker is killed in the middle of a pass."""

import json
import os
import signal
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pandas as pd
import pytest
from conftest import FLAGS, SETTING, content

import unswayed
from unswayed import UnswayedError, _partitions

ROWS = 4000


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(17)
    kind = random.integers(0, 2, ROWS)
    x = 0.15 * random.standard_normal((ROWS, 5))
    x[:, 0] += 0.25 * (2 * kind - 1)
    return pd.DataFrame({f"x{j}": x[:, j] for j in range(5)} | {"label": np.where(kind == 1, "spam", "ham")})


def cut(frame, parts):
    """Consecutive rows, not as many in each part."""
    edges = [round(len(frame) * (part / parts) ** 1.3) for part in range(parts + 1)]
    return [frame.iloc[a:b] for a, b in zip(edges, edges[1:])]


@pytest.fixture(scope="module")
def files(frame, tmp_path_factory):
    """The paths of a file for each part, by the number of parts."""
    folder = tmp_path_factory.mktemp("parts")

    def written(parts):
        paths = [str(folder / f"{parts}-{part}.parquet") for part in range(parts)]
        for path, piece in zip(paths, cut(frame, parts)):
            piece.to_parquet(path, row_group_size=300)
        return paths

    return {parts: written(parts) for parts in (1, 3, 7)}


def certify(x, executor, **more):
    return unswayed.certify(x, "label", **SETTING, normalize=True, executor=executor, **more)


def numbers(certificate):
    """The whole certificate but for the names of files and columns."""

    def without_files(value):
        if isinstance(value, dict):
            return {key: without_files(entry) for key, entry in value.items() if key != "files"}
        return [without_files(entry) for entry in value] if isinstance(value, list) else value

    return without_files(content(certificate.to_bytes()))


@pytest.fixture(scope="module")
def expected(files):
    with ThreadPoolExecutor(2) as executor:
        return certify(files[1][0], executor)


def test_the_command_writes_the_same_bytes(files, expected, command, tmp_path):
    path = tmp_path / "command.json"
    done = command("certify", files[1][0], "--normalize", *FLAGS, "--memory", "1KB", "--output", path)
    assert path.read_bytes() == expected.to_bytes()
    assert done["certified_loss"] == expected.certified_loss < 0.9
    assert command("check", path, files[1][0])["certified_loss"] == expected.certified_loss
    assert command("check", path, files[1][0], "--memory", "1KB")["certified_loss"] == expected.certified_loss


def test_it_holds_for_the_rows_in_memory(frame, expected, tmp_path):
    path = tmp_path / "certificate.json"
    expected.save(path)
    assert unswayed.Certificate.load(path, frame, "label").certified_loss == expected.certified_loss
    other = frame.copy()
    other.loc[ROWS - 1, "x2"] += 1e-9
    with pytest.raises(unswayed.CheckFailed, match="not the rows of the certificate"):
        unswayed.Certificate.load(path, other, "label")


@pytest.mark.parametrize("parts", [3, 7])
def test_files_in_threads(parts, files, expected):
    with ThreadPoolExecutor(2) as executor:
        assert numbers(certify(files[parts], executor)) == numbers(expected)


def test_a_horizon_and_files_in_processes(files):
    with ThreadPoolExecutor(1) as executor:
        alone = certify(files[1][0], executor, horizon=10**6)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        spread = certify(files[3], executor, horizon=10**6)
    assert numbers(spread) == numbers(alone) and spread.horizon_loss > spread.certified_loss


def test_the_rows_are_elsewhere(expected):
    for refused in (expected.check, lambda: expected.require(loss="hinge"), expected.__reduce__):
        with pytest.raises(UnswayedError, match="are elsewhere"):
            refused()
    assert "certified loss" in repr(expected)


def dying_once(mark):
    """A pass whose first worker is killed while it works."""

    def dying(part, first, request, how):
        try:
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return _partitions_pass(part, first, request, how)
        os.kill(os.getpid(), signal.SIGKILL)

    _partitions_pass = _partitions.pass_over
    return dying


@pytest.mark.filterwarnings("ignore")
def test_dask(frame, files, expected, tmp_path, monkeypatch):
    import dask
    from dask import dataframe
    from distributed import Client, LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
    ) as cluster, Client(cluster) as client:
        found = [certify(dataframe.from_pandas(frame, npartitions=parts), client) for parts in (1, 3, 7)]
        assert len({one.to_bytes() for one in found}) == 1
        assert numbers(found[0]) == numbers(expected)
        # Partitions without rows, in front and between.
        pieces = [frame.iloc[:0], *cut(frame, 2), frame.iloc[:0]]
        uneven = dataframe.from_delayed([dask.delayed(piece) for piece in pieces], meta=frame.iloc[:0])
        assert certify(uneven, client).to_bytes() == found[0].to_bytes()
        mark = tmp_path / "killed"
        monkeypatch.setattr(_partitions, "pass_over", dying_once(str(mark)))
        assert numbers(certify(files[7], client)) == numbers(expected)
        assert mark.exists()


@pytest.mark.filterwarnings("ignore")
def test_ray(frame, files, expected, tmp_path, monkeypatch):
    import ray

    ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False)
    try:
        found = [certify(ray.data.from_pandas(cut(frame, parts)), ray) for parts in (1, 3)]
        assert found[0].to_bytes() == found[1].to_bytes() and numbers(found[0]) == numbers(expected)
        mark = tmp_path / "killed"
        monkeypatch.setattr(_partitions, "pass_over", dying_once(str(mark)))
        assert numbers(certify(files[7], ray)) == numbers(expected)
        assert mark.exists()
    finally:
        ray.shutdown()


def test_files_that_change_while_they_are_read(frame, files, tmp_path, monkeypatch):
    paths = [tmp_path / f"{part}.parquet" for part in range(3)]
    for path, piece in zip(paths, cut(frame, 3)):
        piece.to_parquet(path)
    honest, calls = _partitions.pass_over, []

    def changing(part, first, request, how):
        calls.append(part)
        if len(calls) == 14:  # in the last of five passes
            other = cut(frame, 3)[1].copy()
            other.iloc[5, 0] = -other.iloc[5, 0]
            other.to_parquet(paths[1])
        return honest(part, first, request, how)

    monkeypatch.setattr(_partitions, "pass_over", changing)
    with ThreadPoolExecutor(1) as executor, pytest.raises(UnswayedError, match="partition 2 has changed"):
        certify([str(path) for path in paths], executor)
    assert len(calls) == 15


def test_sums_that_are_not_of_the_rows_are_refused(files, monkeypatch):
    honest = _partitions.pass_over

    def planted(change):
        def answer(part, first, request, how):
            found = json.loads(honest(part, first, request, how))
            if "Exact" in found["sums"]:
                sums = json.loads(found["sums"]["Exact"])
                change(sums)
                found["sums"]["Exact"] = json.dumps(sums)
            return json.dumps(found)

        return answer

    cases = [
        (lambda sums: sums[0].update(added=[[0, 10]]), "rows of a sum"),
        (lambda sums: sums[0]["sums"][0]["uz"].pop(), "columns of a sum"),
        (lambda sums: sums.pop(), "proofs of the sums"),
        (lambda sums: sums[0]["sums"][0]["u"].update(low=271), "cannot be read"),
    ]
    for change, words in cases:
        monkeypatch.setattr(_partitions, "pass_over", planted(change))
        with ThreadPoolExecutor(1) as executor, pytest.raises(UnswayedError, match=words):
            certify(files[3], executor)
    # A part that is added twice.
    monkeypatch.setattr(_partitions, "pass_over", lambda part, first, *rest: honest(part, 0, *rest))
    with ThreadPoolExecutor(1) as executor, pytest.raises(UnswayedError, match="has not been added yet"):
        certify(files[3], executor)


def test_what_is_refused(frame, files, tmp_path):
    from dask import dataframe

    spread = dataframe.from_pandas(frame, npartitions=2)
    with pytest.raises(UnswayedError, match="its rows are elsewhere"):
        unswayed.certify(spread, "label", **SETTING)
    with ThreadPoolExecutor(1) as executor:
        for x in (spread, frame):
            with pytest.raises(UnswayedError, match="give a Dask frame with a Dask client"):
                certify(x, executor)
        with pytest.raises(UnswayedError, match="effort: not for rows that are spread"):
            certify(files[3], executor, effort="tight")
        with pytest.raises(UnswayedError, match="name of the label column"):
            unswayed.certify(files[3], frame["label"], **SETTING, executor=executor)
        with pytest.raises(UnswayedError, match="there is no solver|a proof by a rule"):
            certify(files[3], executor, loss="logistic")
        other = str(tmp_path / "other.parquet")
        frame.rename(columns={"x0": "y0"}).to_parquet(other)
        with pytest.raises(UnswayedError, match="same columns"):
            certify([*files[3], other], executor)
        third = frame.copy()
        third.loc[3, "label"] = "eggs"
        third.to_parquet(other)
        with pytest.raises(UnswayedError, match="eggs"):
            certify([*files[3], other], executor)
        with pytest.raises(UnswayedError, match="parquet"):
            certify(str(tmp_path / "none.csv"), executor)
