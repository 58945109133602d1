"""Sweeps on real process pools, a real Dask cluster and a real Ray: the same figures, also when workers die."""

import json
import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest

import unswayed

GRID = {"learning_rates": [1e-3, 1e-2], "regularizations": [0.01, 0.1], "poison_rates": [0.01, 0.03]}
PLAN = {**GRID, "attacks": "fast", "attack_everywhere": True}


@pytest.fixture(scope="module")
def tasks(data):
    return {"a": data.first(100), "b": data.first(200)}


@pytest.fixture(scope="module")
def expected(tasks):
    return unswayed.design(tasks, **PLAN)


def keys(folder):
    """What the journal's records are about, in its order."""
    lines = (folder / "journal.jsonl").read_text().splitlines()[1:]
    about = ("kind", "task", "learning_rate", "regularization", "poison_rate")
    entries = [json.loads(line)["entry"] for line in lines]
    return [tuple(entry.get(name) for name in about) for entry in entries]


def kill_in_mid_sweep(folder, victim):
    """Kills a process as soon as the journal has a few records."""

    def kill():
        while not (folder / "journal.jsonl").exists() or len(keys(folder)) < 4:
            time.sleep(0.02)
        os.kill(victim(), signal.SIGKILL)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    return thread


def same(found, expected):
    assert found.rows == expected.rows
    assert found.chosen == expected.chosen and found.certificates == expected.certificates


def test_threads(tasks, expected):
    with ThreadPoolExecutor(2) as executor:
        same(unswayed.design(tasks, **PLAN, executor=executor), expected)


def test_processes(tasks, expected, tmp_path):
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        same(unswayed.design(tasks, **PLAN, executor=executor, output=tmp_path), expected)
    # Each record once: benign and two certificates for 4 settings on 2 tasks, and as many attacks as certificates.
    assert len(keys(tmp_path)) == len(set(keys(tmp_path))) == 2 * 4 * (1 + 2 + 2)
    # The journal is the same with or without an executor.
    assert unswayed.design(tasks, **PLAN, output=tmp_path, resume=True).computed == 0


def test_data_travel_once_per_worker(tasks, monkeypatch):
    sent = []

    class Counting(ThreadPoolExecutor):
        def submit(self, function, sha256, data, *rest):
            sent.append(data is not None)
            return super().submit(function, sha256, data, *rest)

    from unswayed import _executors

    monkeypatch.setattr(_executors, "_known", {})
    with Counting(1) as executor:
        unswayed.design(tasks, **GRID, attacks="none", executor=executor)
    # Eight pieces on two tasks, one worker.
    assert sent.count(True) == 2 and sent.count(False) == 6


def test_a_pool_that_breaks_can_be_continued(tasks, expected, tmp_path):
    executor = ProcessPoolExecutor(2, mp_context=get_context("spawn"))
    killer = kill_in_mid_sweep(tmp_path, lambda: next(iter(executor._processes)))
    with pytest.raises(unswayed.UnswayedError, match="resume=True"):
        unswayed.design(tasks, **PLAN, executor=executor, output=tmp_path)
    killer.join()
    executor.shutdown(wait=False)
    done = len(keys(tmp_path))
    found = unswayed.design(tasks, **PLAN, output=tmp_path, resume=True)
    same(found, expected)
    assert found.computed == 40 - done


def test_other_objects_are_refused(tasks):
    with pytest.raises(unswayed.UnswayedError, match="concurrent.futures, a Dask client"):
        unswayed.design(tasks, **GRID, executor=object())


def test_a_worker_that_fails_says_why(data, monkeypatch):
    from unswayed import _executors

    def fail(*_):
        raise RuntimeError("the disk is on fire")

    monkeypatch.setattr(_executors, "work", fail)
    with ThreadPoolExecutor(1) as executor, pytest.raises(unswayed.UnswayedError, match="the disk is on fire"):
        unswayed.design({"a": data}, **GRID, executor=executor)


@pytest.mark.filterwarnings("ignore")
def test_dask_with_a_worker_killed_in_mid_sweep(tasks, expected, tmp_path):
    from distributed import Client, LocalCluster

    with LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
    ) as cluster, Client(cluster) as client:
        victims = [worker.process.pid for worker in cluster.workers.values()]
        killer = kill_in_mid_sweep(tmp_path, lambda: victims[0])
        found = unswayed.design(tasks, **PLAN, executor=client, output=tmp_path)
        killer.join()
    same(found, expected)
    assert len(keys(tmp_path)) == len(set(keys(tmp_path))) == 40


@pytest.mark.filterwarnings("ignore")
def test_dask_when_the_only_worker_with_the_data_is_killed(tasks, expected, tmp_path):
    from distributed import Client, LocalCluster

    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
    ) as cluster, Client(cluster) as client:
        [victim] = [worker.process.pid for worker in cluster.workers.values()]
        killer = kill_in_mid_sweep(tmp_path, lambda: victim)
        found = unswayed.design(tasks, **PLAN, executor=client, output=tmp_path)
        killer.join()
    same(found, expected)
    assert len(keys(tmp_path)) == len(set(keys(tmp_path))) == 40


@pytest.mark.filterwarnings("ignore")
def test_ray_with_a_worker_killed_in_mid_sweep(tasks, expected, tmp_path):
    import ray

    ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False)
    try:
        pids = ray.get([ray.remote(lambda: os.getpid()).remote() for _ in range(4)])
        killer = kill_in_mid_sweep(tmp_path, lambda: pids[0])
        found = unswayed.design(tasks, **PLAN, executor=ray, output=tmp_path)
        killer.join()
    finally:
        ray.shutdown()
    same(found, expected)
    assert len(keys(tmp_path)) == len(set(keys(tmp_path))) == 40
