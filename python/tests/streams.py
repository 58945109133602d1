"""A poisoned stream for real estimators, and their losses. Needs NumPy only."""

import numpy as np

RATE, PENALTY, POISON = 0.05, 0.1, 0.05


def stream(x, y, point, steps, seed):
    """Benign points, and the attack's point at the poison rate. A point z is features and label in one."""
    random = np.random.default_rng(seed)
    rows, poisoned = random.integers(len(x), size=steps), random.random(steps) < POISON
    for row, bad in zip(rows, poisoned):
        yield (-point, -1) if bad else (x[row], y[row])


LOSSES = {
    "hinge": lambda margins: np.maximum(0, 1 - margins),
    "logistic": lambda margins: np.logaddexp(0, -margins),
    "modified-huber": lambda margins: np.where(margins < -1, -4 * margins, np.maximum(0, 1 - margins) ** 2),
}
