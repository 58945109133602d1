"""Real estimators on real streams: their steps are ours, and their loss under our attack stays under the bound."""

import numpy as np
import pytest
from river import linear_model, optim
from scipy.sparse import csr_matrix
from sklearn.linear_model import Perceptron, SGDClassifier, SGDRegressor
from sklearn.preprocessing import StandardScaler
from streams import LOSSES, PENALTY, POISON, RATE, stream

import unswayed


class Sklearn:
    """A scikit-learn estimator, a point at a time."""

    def __init__(self, loss, intercept):
        self.model = SGDClassifier(
            loss={"hinge": "hinge", "logistic": "log_loss", "modified-huber": "modified_huber"}[loss],
            alpha=PENALTY,
            learning_rate="constant",
            eta0=RATE,
            fit_intercept=intercept,
        )
        self.learner = unswayed.from_sklearn(self.model, sparse=False)

    def learn(self, x, y):
        self.model.partial_fit(x[None, :], [y], classes=[-1, 1])

    def weights(self):
        own = self.model.intercept_ if self.learner.intercept else []
        return np.append(self.model.coef_[0], own)


class River:
    """A river model."""

    def __init__(self, loss, intercept):
        self.model = linear_model.LogisticRegression(
            optimizer=optim.SGD(RATE),
            loss={"hinge": optim.losses.Hinge(), "logistic": optim.losses.Log()}[loss],
            l2=PENALTY,
            intercept_lr=RATE if intercept else 0,
        )
        self.learner = unswayed.from_river(self.model)

    def learn(self, x, y):
        self.model.learn_one(dict(enumerate(x.tolist())), y > 0)

    def weights(self):
        own = [self.model.intercept] if self.learner.intercept else []
        return np.append([self.model.weights[i] for i in range(len(self.model.weights))], own)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(
    ("kind", "loss"),
    [(Sklearn, "hinge"), (Sklearn, "logistic"), (Sklearn, "modified-huber"), (River, "hinge"), (River, "logistic")],
)
def test_steps_are_ours_and_the_bound_holds(kind, loss, intercept, arrays):
    # Intercepts take a case for each slab, which is slow for many rows.
    count = 40 if intercept else 300
    x, y = arrays[0].astype(np.float64)[:count], arrays[1][:count]
    estimator = kind(loss, intercept)
    assert estimator.learner == unswayed.Learner(RATE, PENALTY, loss, intercept)
    bound = estimator.learner.certify(x, y, poison_rate=POISON)
    attack = estimator.learner.attack(x, y, poison_rate=POISON, attacks="steady-state")[0]
    # What the estimator can be sent: its features have norm up to 1, and the intercept's feature is 1.
    point = attack.point[: x.shape[1]]
    point = point / max(1, np.linalg.norm(point))

    def with_one(features):
        return np.append(features, 1.0) if intercept else features

    z = np.array([label * with_one(features) for features, label in zip(x, y)])
    model, losses, steps = np.zeros(z.shape[1]), [], 10_000
    for step, (features, label) in enumerate(stream(x, y, point, steps, seed=1)):
        estimator.learn(features, label)
        model = estimator.learner.update(model, label * with_one(features))
        if step % 10 == 0:
            np.testing.assert_allclose(estimator.weights(), model, rtol=1e-9, atol=1e-12)
            if step > 1000:
                losses.append(LOSSES[loss](z @ estimator.weights()).mean())
    reached = np.mean(losses)
    assert bound.benign_loss < reached <= bound.certified_loss
    if not intercept:
        # The estimator suffers what our simulation says.
        assert abs(reached - attack.loss.mean) < 0.02


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(("kind", "read"), [(Sklearn, unswayed.from_sklearn), (River, unswayed.from_river)])
def test_first_steps_start_from_the_weights_of_a_fitted_estimator(kind, read, intercept, arrays):
    count = 24 if intercept else 60
    x, y = arrays[0].astype(np.float64)[:count], arrays[1][:count]
    estimator = kind("hinge", intercept)
    for features, label in zip(x, y):
        estimator.learn(features, label)
    options = {"sparse": False} if kind is Sklearn else {}
    learner = read(estimator.model, **options)
    asked = {"poison_rate": POISON, "horizon": 100}
    made = learner.certify(x, y, **asked)
    assert made.statement == learner.certify(x, y, **asked, start=estimator.weights()).statement
    assert made.statement != estimator.learner.certify(x, y, **asked).statement
    assert made.horizon_loss is not None and made.horizon_loss > made.certified_loss
    # Without a horizon the start is of no consequence.
    assert learner.certify(x, y, poison_rate=POISON).statement.get("horizon") is None


def test_class_weights_multiply_the_steps_of_scikit_learn(arrays):
    x, y = arrays[0].astype(np.float64), arrays[1]
    weights = {-1: 0.5, 1: 2.0}
    kind = {"alpha": PENALTY, "learning_rate": "constant", "eta0": RATE, "fit_intercept": False}
    model = SGDClassifier(loss="hinge", class_weight=weights, **kind)
    learner = unswayed.from_sklearn(model)
    assert learner.class_weight == weights
    bound = learner.certify(x, y, poison_rate=POISON)
    assert "steps on rows labelled -1 are multiplied by 0.5, on rows labelled 1 by 2" in repr(bound)
    assert "steps on them are multiplied by at most 2" in repr(bound)
    # The same weights row by row.
    rows = np.where(y < 0, 0.5, 2.0)
    plain = unswayed.from_sklearn(SGDClassifier(loss="hinge", **kind))
    assert abs(plain.certify(x, y, poison_rate=POISON, sample_weight=rows).certified_loss - bound.certified_loss) < 1e-6
    attack = learner.attack(x, y, poison_rate=POISON, attacks="steady-state")[0]
    # A point of the larger weight is one with the label 1.
    point, theta, losses, z = attack.point, np.zeros(x.shape[1]), [], x * y[:, None]
    for step, (row, label) in enumerate(stream(x, y, -point, 10_000, 5)):
        bad = row is not None and np.array_equal(row, point)
        label = 1 if bad else label
        model.partial_fit(row[None, :], [label], classes=[-1, 1])
        theta = learner.update(theta, label * row, weights[label])
        if step % 100 == 0:
            np.testing.assert_allclose(model.coef_[0], theta, rtol=1e-9, atol=1e-12)
            if step > 1000:
                losses.append(LOSSES["hinge"](z @ theta).mean())
    assert bound.benign_loss < np.mean(losses) <= bound.certified_loss
    assert abs(np.mean(losses) - attack.loss.mean) < 0.02
    # fit knows "balanced", partial_fit does not; certify computes it from the labels.
    balanced = unswayed.from_sklearn(SGDClassifier(loss="hinge", class_weight="balanced", **kind))
    counted = {label: len(y) / (2 * np.sum(y == label)) for label in (-1, 1)}
    made = balanced.certify(x, y, poison_rate=POISON)
    assert made.data.origin["class_weights"] == {"negative": counted[-1], "positive": counted[1]}


def test_an_intercept_is_a_feature_without_regularization(arrays):
    x, y = arrays[0][:40], arrays[1][:40]
    learner = unswayed.Learner(RATE, PENALTY, "logistic", intercept=True)
    made = learner.certify(x, y, poison_rate=POISON, radius=0.5)
    rows = np.column_stack([x, np.ones(len(x))]).astype(np.float64)
    assert (made.data.z == unswayed.Data(rows, y, scale=1).z).all()
    assert made.radius == 0.5 and made.statement["threat"]["set"] == {"features": {"radius": 0.5, "constant": 1.0}}
    ball = learner.certify(x, y, poison_rate=POISON, radius=0.5, adversary="ball")
    assert np.hypot(0.5, 1) < ball.radius < np.hypot(0.5, 1) + 1e-15 and made.certified_loss < ball.certified_loss
    assert "column 32 not regularized" in repr(made)
    # A box around the data has an intercept's feature that is ±1.
    assert "|z_j| ≤ R_j" in repr(learner.certify(x, y, poison_rate=POISON, adversary="box"))
    for call, words in [
        (lambda: learner.certify(unswayed.Data(x, y), poison_rate=POISON), "appends a feature"),
        (lambda: learner.certify(x, y, poison_rate=POISON, normalize=True), "another learner"),
    ]:
        with pytest.raises(unswayed.UnswayedError, match=words):
            call()


def test_an_intercept_may_have_step_weights(arrays):
    x, y = arrays[0][:40, :4], arrays[1][:40]
    learner = unswayed.Learner(RATE, PENALTY, intercept=True, class_weight={-1: 1.0, 1: 2.0})
    made = learner.certify(x, y, poison_rate=POISON)
    # The appended entry shows the label of a poisoned point, so that each class has its own weight.
    assert made.statement["threat"]["poison_weight"] == {"negative": 1.0, "positive": 2.0} and made.check()
    assert "(label −1) are multiplied by at most 1, positive (label +1) by at most 2" in repr(made)
    attack = learner.attack(x, y, poison_rate=POISON, attacks="steady-state")[0]
    assert made.benign_loss < attack.loss.mean <= made.certified_loss
    both = learner.certify(x, y, poison_rate=POISON, poison_weight=2.0)
    assert both.statement["threat"]["poison_weight"] == 2.0 and made.certified_loss <= both.certified_loss * (1 + 1e-6)
    less = learner.certify(x, y, poison_rate=POISON, poison_weight={-1: 0.5, 1: 1.0})
    assert less.statement["threat"]["poison_weight"] == {"negative": 0.5, "positive": 1.0}
    assert less.certified_loss < made.certified_loss
    # A point of a ball may be sent with either label.
    ball = learner.certify(x, y, poison_rate=POISON, adversary="ball", poison_weight={-1: 0.5, 1: 1.0})
    assert ball.statement["threat"]["poison_weight"] == 1.0
    for wrong, words in [({1: 2.0}, "both classes"), ({-1: 0.0, 1: 2.0}, "poison_weight"), ([1.0, 2.0], "poison_weight")]:
        with pytest.raises((unswayed.UnswayedError, TypeError), match=words):
            learner.certify(x, y, poison_rate=POISON, poison_weight=wrong)


@pytest.mark.parametrize("read", [unswayed.from_sklearn, unswayed.from_river])
def test_a_bound_for_starts_in_a_ball_is_none_for_weights_outside_it(read, arrays):
    """The proof of the hinge loss is for starts of norm at most max(R, largest row)/σ."""
    x, y = arrays
    if read is unswayed.from_sklearn:
        model = SGDClassifier(alpha=PENALTY, learning_rate="constant", eta0=RATE, fit_intercept=False)
        model.partial_fit(x, y, classes=[-1, 1])
        weights = model.coef_[0]
    else:
        model = linear_model.LogisticRegression(optimizer=optim.SGD(RATE), loss=optim.losses.Hinge(), l2=PENALTY, intercept_lr=0)
        model.learn_one(dict(enumerate(map(float, x[0]))), bool(y[0] > 0))
        weights = model._weights
    start = read(model).certify(x, y, poison_rate=POISON, effort="quick").start_norm
    for size, is_inside in ((0.999 * start, True), (1.001 * start, False)):
        for j in range(x.shape[1]):
            weights[j] = size / np.sqrt(x.shape[1])
        if is_inside:
            assert read(model).certify(x, y, poison_rate=POISON, effort="quick").start_norm == start
        else:
            with pytest.raises(unswayed.UnswayedError, match="start with a norm of at most"):
                read(model).certify(x, y, poison_rate=POISON, effort="quick")


@pytest.mark.parametrize("weights", [{-1: 0.5, 1: 2.0}, "balanced"])
def test_a_real_estimator_gives_points_the_weight_of_their_class(arrays, weights):
    """scikit-learn itself, under our attack, with the steps that are certified, for weights of classes and an intercept."""
    x, y = arrays[0][:40, :4].astype(np.float64), arrays[1][:40]
    if weights == "balanced":
        x, y = x[10:], y[10:]
    model = SGDClassifier(alpha=PENALTY, learning_rate="constant", eta0=RATE, class_weight=weights)
    learner = unswayed.from_sklearn(model)
    made = learner.certify(x, y, poison_rate=POISON)
    stated = made.statement["threat"]["poison_weight"]
    own = {-1: stated["negative"], 1: stated["positive"]}
    assert own == (weights if isinstance(weights, dict) else {label: len(y) / (2 * np.sum(y == label)) for label in (-1, 1)})
    # scikit-learn weighs "balanced" by the rows that it is fitted with at once, so steps get the numbers.
    model.set_params(class_weight=own)
    point = learner.attack(x, y, poison_rate=POISON, attacks="steady-state")[0].point
    sign = int(np.sign(point[-1]))
    random, worst, ours, losses = np.random.default_rng(3), sign * point[:-1], np.zeros(x.shape[1] + 1), []
    for step in range(10_000):
        row = random.integers(len(x))
        features, label = (worst, sign) if random.random() < POISON else (x[row], int(y[row]))
        model.partial_fit(features[None, :], [label], classes=[-1, 1])
        ours = learner.update(ours, label * np.append(features, 1.0), weight=own[label])
        if step > 5000 and step % 10 == 0:
            theirs = np.append(model.coef_, model.intercept_)
            np.testing.assert_allclose(theirs, ours, rtol=1e-9, atol=1e-12)
            losses.append(np.maximum(0, 1 - y * (x @ theirs[:-1] + theirs[-1])).mean())
    assert np.mean(losses) <= made.certified_loss


def test_an_estimator_is_certified_on_the_rows_it_sees(arrays):
    x, y = arrays
    learner = unswayed.Learner(RATE, PENALTY)
    # Rows longer than 1 stay as long as they are.
    assert learner.certify(3 * x, y, poison_rate=POISON).data.scale == 1
    for call in [
        lambda: learner.certify(3 * x, y, poison_rate=POISON, normalize=True),
        lambda: learner.certify(unswayed.Data(3 * x, y, normalize=True), poison_rate=POISON),
        lambda: learner.attack(3 * x, y, poison_rate=POISON, normalize=True),
        lambda: learner.tolerate(3 * x, y, limit=0.5, normalize=True),
    ]:
        with pytest.raises(unswayed.UnswayedError, match="another learner"):
            call()


def test_an_intercept_with_a_rate_of_its_own_is_a_scaled_feature(arrays):
    """The real learners, step by step, beside the step that is certified: a common rate and a feature that is √ρ."""
    x, y = arrays[0][:, :3], arrays[1]
    sgd = SGDClassifier(loss="hinge", alpha=PENALTY, learning_rate="constant", eta0=RATE)
    river = linear_model.LogisticRegression(
        optimizer=optim.SGD(RATE), loss=optim.losses.Log(), l2=PENALTY, intercept_lr=3 * RATE
    )
    sparse, own = unswayed.from_sklearn(sgd, sparse=True), unswayed.from_river(river)
    assert (sparse.intercept_scale, own.intercept_scale) == (pytest.approx(0.1), pytest.approx(3**0.5))
    models = [np.zeros(4), np.zeros(4)]
    random = np.random.default_rng(7)
    for row in random.integers(len(x), size=500):
        sgd.partial_fit(csr_matrix(x[row : row + 1]), [y[row]], classes=[-1, 1])
        river.learn_one(dict(enumerate(x[row].tolist())), y[row] > 0)
        z = y[row] * np.append(x[row], 1.0)
        models = [learner.update(model, z) for learner, model in zip((sparse, own), models)]
    assert np.allclose(models[0], np.append(sgd.coef_[0], sgd.intercept_), atol=1e-9)
    assert np.allclose(models[1], [*(river.weights[i] for i in range(3)), river.intercept], atol=1e-9)
    # The feature is in the rows that are certified, and the ball is as much larger.
    certificate = sparse.certify(x[:12], y[:12], poison_rate=POISON)
    assert certificate.status == "certified"


def test_an_intercept_on_sparse_rows_is_another_learner(arrays):
    model = SGDClassifier(loss="hinge", alpha=PENALTY, learning_rate="constant", eta0=RATE)
    learner = unswayed.from_sklearn(model)
    x, y = arrays[0][:12, :3], arrays[1][:12]
    dense, sparse = (learner.certify(rows, y, poison_rate=POISON) for rows in (x, csr_matrix(x)))
    told = [unswayed.from_sklearn(model, sparse=is_sparse).certify(x, y, poison_rate=POISON) for is_sparse in (False, True)]
    assert [one.statement for one in (dense, sparse)] == [one.statement for one in told]
    assert [one.statement["threat"]["set"]["features"]["constant"] for one in (dense, sparse)] == [1.0, pytest.approx(0.1)]
    assert unswayed.from_sklearn(model, sparse=False).intercept
    assert not unswayed.from_sklearn(model.set_params(fit_intercept=False), sparse=True).intercept
    # scikit-learn does what the message says.
    x = np.eye(3)
    for matrix, rate in ((x, RATE), (csr_matrix(x), RATE / 100)):
        model = SGDClassifier(loss="hinge", alpha=PENALTY, learning_rate="constant", eta0=RATE)
        model.partial_fit(matrix[:1], [1], classes=[-1, 1])
        assert np.isclose(model.intercept_[0], rate)


def test_a_rate_that_falls_slowly_is_certified_from_a_step_on():
    eta0, power = 2.0, 0.6
    model = SGDClassifier(alpha=PENALTY, learning_rate="invscaling", eta0=eta0, power_t=power, fit_intercept=False)
    for largest in [1e-5, RATE]:
        learner = unswayed.from_sklearn(model, largest_rate=largest)
        assert (learner.schedule, learner.learning_rate) == (f"slowdown={0.01 * PENALTY}", largest)

        def fits(step, largest=largest):
            now, before = step**power / eta0, (step - 1) ** power / eta0
            return now >= 1 / largest and now - before <= 0.01 * PENALTY

        assert fits(learner.from_step) and not fits(learner.from_step - 2)


@pytest.mark.parametrize("loss", ["hinge", "log_loss", "modified_huber"])
@pytest.mark.parametrize(("kind", "options"), [("optimal", {}), ("invscaling", {"eta0": 2.0, "power_t": 0.6})])
def test_from_step_is_that_of_scikit_learn(kind, options, loss):
    """A point 0 multiplies the weights by 1 − ηα, which tells the rate of any step."""
    model = SGDClassifier(loss=loss, alpha=PENALTY, learning_rate=kind, fit_intercept=False, **options)
    learner = unswayed.from_sklearn(model, largest_rate=1e-7)  # so small that it decides, not how slowly the rate falls
    model.partial_fit(np.ones((1, 2)), [1], classes=[-1, 1])

    def rate(step):
        model.t_ = float(step)
        before = model.coef_[0, 0]
        model.partial_fit(np.zeros((1, 2)), [1])
        return (1 - model.coef_[0, 0] / before) / PENALTY

    assert rate(1) > 0.5
    # Read off a difference from 1 the rate has half of its digits: enough to tell steps that are 1 % apart.
    assert rate(learner.from_step * 1.01) < 1e-7 < rate(learner.from_step * 0.99)


def test_a_rate_that_falls_and_an_average(arrays):
    x, y = arrays[0].astype(np.float64), arrays[1]
    rate = "optimal"
    setting = {"loss": "hinge", "alpha": PENALTY, "learning_rate": rate, "fit_intercept": False}
    last, averaged = SGDClassifier(**setting), SGDClassifier(**setting, average=True)
    learner, of_average = (unswayed.from_sklearn(model, largest_rate=RATE) for model in (last, averaged))
    assert (learner.schedule, learner.average, of_average.average) == (rate, False, True)
    bound = learner.certify(x, y, poison_rate=POISON)
    constant = unswayed.Learner(RATE, PENALTY).certify(x, y, poison_rate=POISON)
    assert constant.certified_loss <= bound.certified_loss < 1.5 * constant.certified_loss
    average_bound = of_average.certify(x, y, poison_rate=POISON)
    assert average_bound.certified_loss == bound.certified_loss
    assert average_bound.certified_error >= average_bound.certified_loss  # the error of an average has no proof of its own
    point = learner.attack(x, y, poison_rate=POISON, attacks="steady-state")[0].point
    losses, steps = [], learner.from_step + 4000
    for step, (features, label) in enumerate(stream(x, y, point, steps, seed=5), 1):
        for model in (last, averaged):
            model.partial_fit(features[None, :], [label], classes=[-1, 1])
        if step >= learner.from_step:
            losses.append(LOSSES["hinge"](y * (x @ last.coef_[0])).mean())
    benign = constant.benign_loss
    assert benign < np.mean(losses) <= bound.certified_loss
    assert benign < LOSSES["hinge"](y * (x @ averaged.coef_[0])).mean() <= average_bound.certified_loss


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"learning_rate": "adaptive"}, "training loss"),
        ({"learning_rate": "invscaling", "power_t": 1.0}, "power_t"),
        ({"learning_rate": "optimal", "fit_intercept": True, "average": True}, "weighted by the learning rates"),
        ({"loss": "squared_hinge"}, "only the losses 'hinge', 'log_loss' and 'modified_huber'"),
        ({"penalty": "l1"}, "quadratic"),
        ({"penalty": None}, "quadratic"),
        ({"average": 10}, "all models"),
        ({"penalty": "elasticnet"}, "quadratic"),
        ({"learning_rate": "pa1"}, "as long as the point demands"),
        ({"early_stopping": True}, "scikit-learn itself refuses"),
        ({"alpha": 0.0}, "going anywhere"),
        ({"eta0": 20.0}, "between 0 and 1"),
    ],
)
def test_sklearn_refused(change, words):
    good = {"loss": "hinge", "alpha": PENALTY, "learning_rate": "constant", "eta0": RATE, "fit_intercept": False}
    with pytest.raises(unswayed.UnswayedError, match=words):
        unswayed.from_sklearn(SGDClassifier(**{**good, **change}))


def test_other_estimators_refused():
    for estimator, words in [
        (Perceptron(), "its loss has no margin.*nearest: SGDClassifier"),
        (StandardScaler(), "only SGDClassifier"),
        (SGDClassifier, "is a class; give an estimator"),
        (MySGD(), "MySGD: only SGDClassifier"),
        (42, "int: it has no partial_fit"),
    ]:
        with pytest.raises(unswayed.UnswayedError, match=words):
            unswayed.from_sklearn(estimator)
    for model, words in [
        (linear_model.PAClassifier(), "nothing pulls the model back; nearest: linear_model.LogisticRegression"),
        (linear_model.SoftmaxRegression(), "cross entropy"),
    ]:
        with pytest.raises(unswayed.UnswayedError, match=words):
            unswayed.from_river(model)


def test_the_plain_default_is_certified(arrays):
    """SGDClassifier() with its intercept and its falling rate, poisoned: the loss, weighted by the rates, stays below the bound."""
    x, y = arrays[0][:60], arrays[1][:60]
    model = SGDClassifier(alpha=PENALTY)
    learner = unswayed.from_sklearn(model, largest_rate=0.02)
    assert (learner.schedule, learner.intercept, learner.asks_sparse) == ("weighted", True, True)
    bound = learner.certify(x[:40], y[:40], poison_rate=0.05)
    statement = bound.statement
    assert statement["learner"]["schedule"] == {"slowdown": 0.0, "weighted": True}
    assert statement["threat"]["set"] == {"features": {"radius": 1.0, "constant": 1.0}}
    assert "weighted by the learning rates" in str(bound)
    random = np.random.default_rng(3)
    losses, rates, first = [], [], 1 / (PENALTY * PENALTY**-0.25)
    for step in range(1, 4000):
        row = random.integers(40)
        is_poison = random.random() < 0.05 and step > 1
        point = -model.coef_[0] / np.linalg.norm(model.coef_[0]) if is_poison else x[row]
        model.partial_fit(point[None, :], [1 if is_poison else y[row]], classes=[-1, 1])
        if step >= learner.from_step:
            losses.append(LOSSES["hinge"](y[:40] * (x[:40] @ model.coef_[0] + model.intercept_[0])).mean())
            rates.append(1 / (PENALTY * (first + step - 1)))
    assert max(rates) <= 0.02 * (1 + 1e-9)
    assert np.average(losses, weights=rates) <= bound.certified_loss


class MySGD(SGDClassifier):
    """It may make other steps."""


def test_labels_of_a_classifier_are_no_scores(arrays):
    x, y = arrays[0], np.resize([-1, 0, 1], len(arrays[0]))
    model = SGDClassifier(alpha=PENALTY, learning_rate="constant", eta0=RATE, fit_intercept=False)
    with pytest.raises(unswayed.UnswayedError, match="more than two classes.*certify_each"):
        unswayed.from_sklearn(model).certify(x, y, poison_rate=POISON)
    with pytest.raises(unswayed.UnswayedError, match="more than two classes"):
        unswayed.from_sklearn(model).certify(unswayed.Data(x, y), poison_rate=POISON)
    with pytest.raises(unswayed.UnswayedError, match="two of them; use certify"):
        unswayed.from_sklearn(model).certify_each(x, arrays[1], poison_rate=POISON)
    model.partial_fit(x, y, classes=[-1, 0, 1])
    with pytest.raises(unswayed.UnswayedError, match="fitted with the classes -1, 0, 1, and y has -1, 1"):
        unswayed.from_sklearn(model).certify(x, arrays[1], poison_rate=POISON)


def test_several_classes_are_one_learner_each(arrays):
    """scikit-learn's own models for three classes, beside ours, under attack."""
    x = arrays[0].astype(np.float64)
    # Three classes of real rows: the digit 1, and the digit 7 on either side of a line.
    kinds = np.where(arrays[1] > 0, "one", np.where(x[:, 0] > np.median(x[:, 0]), "left", "right"))
    model = SGDClassifier(alpha=PENALTY, learning_rate="constant", eta0=RATE, fit_intercept=False)
    model.partial_fit(x[:1] * 0, kinds[:1], classes=np.unique(kinds))
    learner = unswayed.from_sklearn(model)
    assert learner.classes == ("left", "one", "right")
    each = learner.certify_each(x, kinds, poison_rate=POISON)
    assert list(each) == ["left", "one", "right"] and len(each) == 3
    assert "labels: class one is 1, every other class is -1" in dict(each["one"].lines)["rows"]
    y = np.where(kinds == "one", 1, -1)
    point = learner_of_two(learner).attack(x, y, poison_rate=POISON, attacks="steady-state")[0].point
    model = SGDClassifier(alpha=PENALTY, learning_rate="constant", eta0=RATE, fit_intercept=False)
    ours, losses, wrong = np.zeros((3, x.shape[1])), [], []
    random = np.random.default_rng(6)
    for step in range(10_000):
        row = random.integers(len(x))
        features, label = (point, "one") if random.random() < POISON else (x[row], kinds[row])
        model.partial_fit(features[None, :], [label], classes=list(each))
        for i, name in enumerate(each):
            ours[i] = learner.update(ours[i], features if label == name else -features)
        if step % 10 == 0:
            np.testing.assert_allclose(model.coef_, ours, rtol=1e-9, atol=1e-12)
            if step > 1000:
                signs = np.array([np.where(kinds == name, 1, -1) for name in each])
                losses.append(LOSSES["hinge"](signs * (model.coef_ @ x.T)).mean(axis=1))
                wrong.append((model.predict(x) != kinds).mean())
    for loss, certificate in zip(np.mean(losses, axis=0), each.values()):
        assert loss <= certificate.certified_loss
    assert np.mean(wrong) <= each.certified_error <= 1


def learner_of_two(learner):
    return unswayed.Learner(learner.learning_rate, learner.regularization)


def test_an_elastic_net_without_its_l1_part_is_ours(arrays):
    x, y = arrays[0].astype(np.float64), arrays[1]
    setting = {"alpha": PENALTY, "learning_rate": "constant", "eta0": RATE, "fit_intercept": False}
    model = SGDClassifier(penalty="elasticnet", l1_ratio=0, **setting)
    learner = unswayed.from_sklearn(model)
    assert learner == unswayed.Learner(RATE, PENALTY)
    ours = np.zeros(x.shape[1])
    for step, (features, label) in enumerate(stream(x, y, -x[0], 10_000, seed=7)):
        model.partial_fit(features[None, :], [label], classes=[-1, 1])
        ours = learner.update(ours, label * features)
        if step % 10 == 0:
            np.testing.assert_allclose(model.coef_[0], ours, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"loss": optim.losses.Log(weight_pos=2)}, "weights 1"),
        ({"loss": optim.losses.Squared()}, "only Hinge"),
        ({"loss": optim.losses.Hinge(threshold=0)}, "threshold 1"),
        ({"optimizer": optim.Adam(0.01)}, "only plain SGD"),
        ({"optimizer": optim.Momentum(0.01)}, "only plain SGD"),
        ({"optimizer": optim.SGD(optim.schedulers.InverseScaling(0.01))}, "step size changes"),
        ({"intercept_lr": optim.schedulers.InverseScaling(RATE)}, "rate changes"),
        ({"intercept_init": 1.0}, "intercept_init=0"),
        ({"l2": 0.0}, "going anywhere"),
        ({"l2": 0.0, "l1": 0.1}, "quadratic"),
        ({"clip_gradient": 0.5, "loss": optim.losses.Log()}, "cuts off the slope"),
        ({"clip_gradient": 0.0}, "cuts off the slope"),
    ],
)
def test_river_refused(change, words):
    good = {"optimizer": optim.SGD(RATE), "loss": optim.losses.Hinge(), "l2": PENALTY, "intercept_lr": 0}
    with pytest.raises(unswayed.UnswayedError, match=words):
        unswayed.from_river(linear_model.LogisticRegression(**{**good, **change}))


class SklearnRegressor:
    """A scikit-learn regressor, a point at a time."""

    def __init__(self, loss, intercept):
        name, _, number = loss.partition("=")
        self.model = SGDRegressor(
            loss=name.replace("-", "_"), epsilon=float(number), alpha=PENALTY, learning_rate="constant", eta0=RATE, fit_intercept=intercept
        )
        self.learner = unswayed.from_sklearn(self.model, sparse=False)

    def learn(self, x, y):
        self.model.partial_fit(x[None, :], [y])

    def weights(self):
        return np.append(self.model.coef_, self.model.intercept_ if self.learner.intercept else [])


class RiverRegressor(River):
    """A river regressor."""

    def __init__(self, loss, intercept):
        name, _, number = loss.partition("=")
        made = {"absolute": optim.losses.Absolute, "quantile": optim.losses.Quantile, "huber": optim.losses.Huber}
        self.model = linear_model.LinearRegression(
            optimizer=optim.SGD(RATE),
            loss=made[name](*([float(number)] if number else [])),
            l2=PENALTY,
            intercept_lr=RATE if intercept else 0,
        )
        self.learner = unswayed.from_river(self.model)

    def learn(self, x, y):
        self.model.learn_one(dict(enumerate(x.tolist())), y)


def regression_loss(loss, missed):
    """The loss where the prediction less the label is so much."""
    name, _, number = loss.partition("=")
    far, q = np.abs(missed), float(number or 0)
    return {
        "absolute": far,
        "epsilon-insensitive": np.maximum(far - q, 0),
        "huber": np.where(far <= q, missed**2 / 2, q * far - q * q / 2),
        "quantile": np.maximum(-q * missed, (1 - q) * missed),
    }[name]


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(
    ("kind", "loss"),
    [
        (SklearnRegressor, "huber=0.25"),
        (SklearnRegressor, "epsilon-insensitive=0.1"),
        (RiverRegressor, "absolute"),
        (RiverRegressor, "huber=0.25"),
        (RiverRegressor, "quantile=0.8"),
    ],
)
def test_regressors_make_our_steps_and_the_bound_holds(kind, loss, intercept):
    random = np.random.default_rng(7)
    count = 40 if intercept else 200
    x = random.normal(size=(count, 5))
    x /= np.linalg.norm(x, axis=1).max()
    y = x @ random.normal(size=5) + 0.05 * random.normal(size=count)
    estimator = kind(loss, intercept)
    assert estimator.learner == unswayed.Learner(RATE, PENALTY, loss, intercept)
    bound = estimator.learner.certify(x, y, poison_rate=POISON, label_bound=1.0)
    assert bound.certified_error is None and bound.loss_function == loss
    attack = estimator.learner.attack(x, y, poison_rate=POISON, label_bound=1.0, attacks="steady-state")[0]
    label, point = attack.point[0], attack.point[1:6] / max(1, np.linalg.norm(attack.point[1:6]))
    ones = np.ones((count, int(intercept)))
    rows = np.hstack([x, ones])
    model, losses = np.zeros(rows.shape[1]), []
    drawn, poisoned = random.integers(count, size=10_000), random.random(10_000) < POISON
    for step, (i, bad) in enumerate(zip(drawn, poisoned)):
        features, own = (point, label) if bad else (x[i], y[i])
        estimator.learn(features, own)
        model = estimator.learner.update(model, np.concatenate([[own], features, ones[0]]))
        if step % 10 == 0:
            np.testing.assert_allclose(estimator.weights(), model, rtol=1e-9, atol=1e-12)
            if step > 1000:
                losses.append(regression_loss(loss, rows @ estimator.weights() - y).mean())
    assert np.mean(losses) <= bound.certified_loss


def test_squared_losses_are_refused():
    for model in (SGDRegressor(), SGDRegressor(loss="squared_epsilon_insensitive")):
        with pytest.raises(unswayed.UnswayedError, match="one point can move it anywhere.*huber"):
            unswayed.from_sklearn(model)
    with pytest.raises(unswayed.UnswayedError, match="one point can move it anywhere.*Huber"):
        unswayed.from_river(linear_model.LinearRegression(l2=0.1))
    with pytest.raises(unswayed.UnswayedError, match="clip_gradient=1.*at least 2"):
        unswayed.from_river(linear_model.LinearRegression(loss=optim.losses.Huber(2.0), l2=0.1, intercept_lr=0, clip_gradient=1))


def test_a_loss_that_changes_labels_is_refused():
    model = linear_model.LinearRegression(loss=optim.losses.EpsilonInsensitiveHinge(), l2=0.1, intercept_lr=0)
    with pytest.raises(unswayed.UnswayedError, match="2y − 1"):
        unswayed.from_river(model)
