"""Models that are certified while they learn."""

import gc
import threading
import time
import tracemalloc

import numpy as np
import pytest
from river import datasets, linear_model, optim, preprocessing
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import unswayed
from unswayed import Guard, Monitor, UnswayedError


def river_model():
    learner = linear_model.LogisticRegression(optimizer=optim.SGD(0.01), loss=optim.losses.Hinge(), l2=0.1, intercept_lr=0)
    return Guard(1.0) | learner


def sklearn_model(**more):
    return SGDClassifier(alpha=0.1, learning_rate="constant", eta0=0.01, fit_intercept=False, shuffle=False, **more)


def rows(count, seed=0):
    random = np.random.default_rng(seed)
    y = random.choice([-1, 1], count)
    x = np.column_stack([y * random.uniform(0.4, 0.8, count), random.uniform(-0.3, 0.3, count)])
    return x, y


def test_an_attack_in_the_middle_of_a_stream_of_rivers_raises_the_alarm():
    points = list(datasets.Phishing())
    calm = Monitor(river_model(), poison_rate=0.01, window=300, every=100)
    for x, y in points:
        calm.learn_one(x, y)
        if calm._rows % 100 == 0:
            calm.wait()
    limit = 1.02 * max(update.certified_loss for update in calm.history)
    assert [update.rows for update in calm.history] == list(range(300, 1251, 100)) and calm.alarms == 0

    heard = []
    random = np.random.default_rng(1)
    with Monitor(river_model(), poison_rate=0.01, window=300, every=100, limit_loss=limit, on_alarm=heard.append) as monitor:
        for i, (x, y) in enumerate(points):
            label = not y if i >= 700 and random.random() < 0.4 else y
            assert isinstance(monitor.predict_one(x), bool)
            monitor.learn_one(x, label)
            if i % 100 == 99:
                monitor.wait()
    before = [update for update in monitor.history if update.rows <= 700]
    assert len(before) == 5 and not any(update.alarm for update in before)
    # Until the attack began it is the same stream.
    assert [update.certified_loss for update in before] == [update.certified_loss for update in calm.history[:5]]
    assert len(heard) == monitor.alarms == 1 and 700 < heard[0].rows <= 1000
    assert heard[0].certified_loss > limit and heard[0].alarm
    monitor.certificate.check()
    assert monitor.certificate.certified_loss == monitor.history[-1].certified_loss
    assert "says nothing of rows that are unlike them" in monitor.meaning


def test_what_is_certified_is_the_learner_that_runs_on_the_newest_rows():
    x, y = rows(700)
    model, twin = sklearn_model(), sklearn_model()
    with Monitor(model, poison_rate=0.02, window=250, every=1000, radius=0.9, contaminated=0.01) as monitor:
        for start in range(0, 700, 100):
            monitor.partial_fit(x[start : start + 100], y[start : start + 100], classes=[-1, 1])
            twin.partial_fit(x[start : start + 100], y[start : start + 100], classes=[-1, 1])
            monitor.wait()
        assert (monitor.coef_ == twin.coef_).all() and (monitor.predict(x) == twin.predict(x)).all()
    assert [update.rows for update in monitor.history] == [300]
    alone = unswayed.from_sklearn(sklearn_model()).certify(x[50:300], y[50:300], poison_rate=0.02, radius=0.9, contaminated=0.01)
    assert monitor.certificate.certified_loss == alone.certified_loss
    assert monitor.certificate.certified_error == alone.certified_error
    assert monitor.certificate.hostile_rows == alone.hostile_rows == (2,)


def test_a_pipeline_of_fitted_steps_learns_in_its_last_one():
    x, y = rows(300)
    scaler = StandardScaler().fit(x)
    pipeline = make_pipeline(scaler, Guard(1.0), sklearn_model())
    with Monitor(pipeline, poison_rate=0.01, window=200, every=100) as monitor:
        monitor.partial_fit(x, y, classes=[-1, 1])
        monitor.wait()
    assert monitor.history[0].status == "certified", monitor.history[0].message
    twin = sklearn_model().partial_fit(Guard(1.0).transform(scaler.transform(x)), y, classes=[-1, 1])
    assert (pipeline[-1].coef_ == twin.coef_).all()


@pytest.mark.parametrize(
    ("model", "more", "reason"),
    [
        (linear_model.LogisticRegression(optimizer=optim.Adam(0.01)), {}, "Adam"),
        (preprocessing.StandardScaler() | linear_model.LogisticRegression(l2=0.1), {}, "keeps learning"),
        (SGDClassifier(learning_rate="adaptive", eta0=0.1), {}, "adaptive"),
        (sklearn_model(), {"poison_rate": 1.0}, "poison_rate"),
        (sklearn_model(), {"window": 1}, "window"),
        (sklearn_model(), {"attacks": "some"}, "attacks"),
        (SGDRegressor(loss="huber", learning_rate="constant", alpha=0.1, eta0=0.01, fit_intercept=False), {"limit_error": 0.1}, "limit_error"),
    ],
)
def test_what_has_no_certificate_is_refused_at_once(model, more, reason):
    with pytest.raises(UnswayedError, match=reason):
        Monitor(model, **{"poison_rate": 0.01, **more})


def test_what_the_certificate_is_not_about_is_refused():
    x, y = rows(20)
    monitor = Monitor(sklearn_model(), poison_rate=0.01)
    with pytest.raises(UnswayedError, match="several passes"):
        monitor.fit(x, y)
    river = Monitor(river_model(), poison_rate=0.01)
    with pytest.raises(UnswayedError, match="learn_one"):
        river.learn_many(x, y)
    with pytest.raises(UnswayedError, match="another learner"):
        river.learn_one({"a": 0.1}, True, w=2.0)
    with pytest.raises(AttributeError):
        monitor.no_such_thing  # noqa: B018


def test_without_a_proof_there_is_an_alarm_and_learning_goes_on(caplog):
    x, y = rows(300)
    model = sklearn_model()

    def complain(update):
        raise ValueError("nobody home")

    with Monitor(model, poison_rate=0.01, window=100, every=100, limit_error=1.0, on_alarm=complain) as monitor:
        monitor.partial_fit(x[:100], y[:100], classes=[-1, 1])
        monitor.wait()
        model.set_params(eta0=0.5)
        monitor.partial_fit(x[100:200], y[100:200])
        monitor.wait()
        model.set_params(eta0=0.01)
        monitor.partial_fit(x[200:], y[200:])
        monitor.wait()
    assert [(update.status, update.alarm) for update in monitor.history] == [("certified", False), ("failed", True), ("certified", False)]
    assert "has changed" in monitor.history[1].message and monitor.alarms == 1
    assert "nobody home" in caplog.text


def test_threads_may_learn_together_and_nothing_is_certified_after_close():
    x, y = rows(400)
    monitor = Monitor(sklearn_model(), poison_rate=0.01, window=300, every=50)
    monitor.partial_fit(x[:2], y[:2], classes=[-1, 1])
    learning = threading.Lock()  # the model itself is not made for several threads

    def learn(part):
        for i in part:
            with learning:
                monitor.partial_fit(x[i : i + 1], y[i : i + 1], classes=[-1, 1])

    threads = [threading.Thread(target=learn, args=(range(start, 400, 4),)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    monitor.wait()
    assert monitor._rows == 402 and monitor._kept == 300
    updates = len(monitor.history)
    assert updates >= 1 and all(update.rows <= 402 for update in monitor.history)
    monitor.close()
    monitor.partial_fit(x, y)
    assert monitor.wait(timeout=0) and len(monitor.history) == updates


def test_memory_stays_flat_over_many_rows():
    x, y = rows(1000)
    with Monitor(sklearn_model(), poison_rate=0.01, window=2000, every=50_000) as monitor:
        monitor.partial_fit(x, y, classes=[-1, 1])
        sizes = []
        tracemalloc.start()
        for i in range(300):
            monitor.partial_fit(x, y)
            if i % 50 == 49:
                monitor.wait()
                gc.collect()
                sizes.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
    assert monitor._rows == 301_000 and monitor._kept < 3000
    assert sizes[-1] < sizes[0] + 200_000, sizes
    assert len(monitor.history) >= 6 and all(update.status == "certified" for update in monitor.history)


def test_a_point_costs_microseconds():
    class Model:
        def learn_one(self, x, y):
            pass

    monitor = Monitor(river_model(), poison_rate=0.01, window=10_000)
    monitor._model = Model()
    point = {f"feature {i}": 0.1 for i in range(30)}
    best = float("inf")
    for _ in range(20):
        began = time.perf_counter()
        for _ in range(100):
            monitor.learn_one(point, True)
        best = min(best, (time.perf_counter() - began) / 100)
    assert best < 20e-6, f"{best * 1e6:.1f} µs"


def test_a_monitor_that_is_dropped_is_let_go():
    import weakref

    x, y = rows(200)
    monitor = Monitor(sklearn_model(), poison_rate=0.01, window=100, every=100)
    monitor.partial_fit(x, y, classes=[-1, 1])
    monitor.wait()
    ref = weakref.ref(monitor)
    del monitor
    for _ in range(50):
        gc.collect()
        if ref() is None:
            break
        time.sleep(0.02)
    assert ref() is None
