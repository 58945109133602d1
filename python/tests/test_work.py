"""Long work: the interpreter goes on, Ctrl-C ends it, policies in Python, forked children."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import SETTING

import unswayed


def test_other_threads_run_meanwhile():
    ticks, stop = [], threading.Event()

    def count():
        while not stop.wait(0.005):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=count)
    thread.start()
    began = time.monotonic()
    unswayed.attack(unswayed.sample(), **SETTING, attacks=["fgsm"])
    ended = time.monotonic()
    stop.set()
    thread.join()
    during = [t for t in ticks if began < t < ended]
    assert len(during) > 10, (len(during), ended - began)


PROGRAM = """
import sys, unswayed
print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""

CALLS = [
    "unswayed.attack(unswayed.sample(), learning_rate=1e-5, regularization=1e-4, poison_rate=0.05, effort='full')",
    "unswayed.design({'a': unswayed.sample()}, attacks='full', attack_everywhere=True)",
    "unswayed.simulate(unswayed.sample(), policy=lambda m: 0 * m, learning_rate=1e-4, regularization=1e-3,"
    " poison_rate=0.5)",
]


@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c_ends_it(call):
    child = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(call=call)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "ready\n"
    time.sleep(1.0)
    child.send_signal(signal.SIGINT)
    try:
        out, _ = child.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        child.kill()
        raise
    assert out == "interrupted\n"


def test_a_policy_of_ones_own(data):
    setting = {"learning_rate": 0.05, "regularization": 0.1, "poison_rate": 0.1}
    mean = data.z.mean(axis=0)
    seen = []

    def against_the_mean(model):
        seen.append(model.shape)
        return -mean / np.linalg.norm(mean)

    result = unswayed.simulate(data, policy=against_the_mean, **setting)
    nobody = unswayed.attack(data, attacks=["none"], **setting)[0]
    assert result.loss.mean > nobody.loss.mean
    assert result.loss.mean < unswayed.certify(data, **setting).certified_loss
    assert set(seen) == {(31,)}


def test_a_policy_that_fails(data):
    setting = {"learning_rate": 0.05, "regularization": 0.1, "poison_rate": 0.1}

    def broken(model):
        raise ZeroDivisionError("oh")

    with pytest.raises(ZeroDivisionError, match="oh"):
        unswayed.simulate(data, policy=broken, **setting)
    with pytest.raises(unswayed.UnswayedError, match="'too_long' chose a point of norm|\"too_long\" chose a point"):
        def too_long(model):
            return np.ones(31)
        unswayed.simulate(data, policy=too_long, **setting)
    with pytest.raises(unswayed.UnswayedError, match="returned None"):
        unswayed.simulate(data, policy=lambda model: None, **setting)
    with pytest.raises(unswayed.UnswayedError, match="3 numbers"):
        unswayed.simulate(data, policy=lambda model: [0, 0, 1], **setting)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_can_work(data):
    here = unswayed.certify(data, **SETTING).certified_loss
    with multiprocessing.get_context("fork").Pool(1) as pool:
        there = pool.apply_async(_certified_loss, (data,)).get(timeout=60)
    assert there == here


def _certified_loss(data):
    return unswayed.certify(data, **SETTING).certified_loss


def test_progress(capsys, data):
    unswayed.design({"a": data}, learning_rates=[1e-3], regularizations=[0.01], attacks="none", progress=True)
    shown = capsys.readouterr().err
    assert "design" in shown and "6/6" in shown
    unswayed.design({"a": data}, learning_rates=[1e-3], regularizations=[0.01], attacks="none")
    assert capsys.readouterr().err == ""


def test_report_and_notebook(tmp_path, data):
    certificate = unswayed.certify(data, **SETTING)
    certificate.attack(attacks=["label-flip"])
    certificate.report(tmp_path / "report")
    page = (tmp_path / "report" / "report.html").read_text()
    assert "label-flip" in page and "unswayed.certify(" in page
    assert len(list((tmp_path / "report" / "figures").glob("*.svg"))) == 3
    shown = certificate._repr_html_()
    assert "<svg" in shown and "certified loss" in shown and os.environ.get("HOME", "/nowhere") not in shown
