"""Points that have the step weight of their class: the adversary that value iteration finds, against the bound."""

import numpy as np
import pytest

import unswayed

ETA, SIGMA, POISON, RADIUS = 0.2, 0.2, 0.2, 1.0
X, Y = np.array([0.9, -0.8, 1.0, -0.9]), np.array([1, -1, 1, -1])
#: The grid of models (weight, intercept), and the features that the adversary tries.
WEIGHTS, INTERCEPTS, FEATURES = np.linspace(-4, 4, 49), np.linspace(-4, 4, 49), np.linspace(-RADIUS, RADIUS, 9)


def step(theta, bias, x, label, weight):
    """The hinge learner's next model; the intercept is not regularized."""
    push = ETA * weight * label * (label * (theta * x + bias) < 1)
    return (1 - ETA * SIGMA) * theta + push * x, bias + push


def between(values, theta, bias):
    """The values of a grid at models between its nodes."""
    place = [(np.clip(one, axis[0], axis[-1]) - axis[0]) / (axis[1] - axis[0]) for one, axis in ((theta, WEIGHTS), (bias, INTERCEPTS))]
    low = [np.minimum(one.astype(int), len(axis) - 2) for one, axis in zip(place, (WEIGHTS, INTERCEPTS))]
    (i, j), (u, v) = low, [one - at for one, at in zip(place, low)]
    upper = (1 - v) * values[i + 1, j] + v * values[i + 1, j + 1]
    return (1 - u) * ((1 - v) * values[i, j] + v * values[i, j + 1]) + u * upper


def loss(theta, bias):
    return np.mean([np.maximum(0, 1 - label * (theta * x + bias)) for x, label in zip(X, Y)], axis=0)


def options(weights):
    return [(x, label, weights[label]) for x in FEATURES for label in (-1, 1)]


def worst_case(weights, points):
    """The relative values of models for an adversary whose points have these weights."""
    theta, bias = np.meshgrid(WEIGHTS, INTERCEPTS, indexing="ij")
    values, now = np.zeros(theta.shape), loss(theta, bias)
    for _ in range(150):
        benign = np.mean([between(values, *step(theta, bias, x, y, weights[y])) for x, y in zip(X, Y)], axis=0)
        own = np.max([between(values, *step(theta, bias, *point)) for point in options(points)], axis=0)
        values = now + (1 - POISON) * benign + POISON * own
        values -= values[len(WEIGHTS) // 2, len(INTERCEPTS) // 2]
    return values


def reached(weights, points):
    """The long-run loss of the learner itself, off the grid, under the adversary that is best on the grid."""
    values, random = worst_case(weights, points), np.random.default_rng(5)
    theta, bias, losses = np.zeros(400), np.zeros(400), []
    for now in range(700):
        row = random.integers(len(X), size=len(theta))
        benign = step(theta, bias, X[row], Y[row], np.array([weights[y] for y in Y[row]]))
        moves = [step(theta, bias, *point) for point in options(points)]
        best = np.argmax([between(values, *move) for move in moves], axis=0)
        own = [np.choose(best, [move[k] for move in moves]) for k in range(2)]
        is_own = random.random(len(theta)) < POISON
        theta, bias = (np.where(is_own, mine, other) for mine, other in zip(own, benign))
        if now >= 200:
            losses.append(loss(theta, bias).mean())
    return float(np.mean(losses))


@pytest.mark.parametrize("weights", [{-1: 0.7, 1: 1.6}, {-1: 1.6, 1: 0.7}])
def test_the_worst_adversary_stays_below_the_bound(weights):
    learner = unswayed.Learner(ETA, SIGMA, intercept=True, class_weight=weights)
    made = learner.certify(X[:, None], Y, poison_rate=POISON, radius=RADIUS)
    assert made.check() and made.statement["threat"]["poison_weight"] == {"negative": weights[-1], "positive": weights[1]}
    found = reached(weights, weights)
    assert found <= made.certified_loss
    # A planted error: the weights of the two classes are told the wrong way round.
    swapped = {label: weights[-label] for label in weights}
    told = learner.certify(X[:, None], Y, poison_rate=POISON, radius=RADIUS, poison_weight=swapped)
    assert told.certified_loss < found
