"""Certified loss over attack loss for the learners people run, on three kinds of data: the table of docs/limitations.md.

    python experiments/learner_gaps.py [--rows N] [--data FOLDER] [--only WORDS]

Needs the Python package. FOLDER has helpsteerpairs_preferred_train_{x,y}.npy; without it these rows are left out. The spam-like table
is generated: word counts of two kinds of messages, each row divided by its norm. With --only, just the rows whose first two cells are
these words, as "MNIST 1 v 7; hinge".
"""
import argparse
import pathlib

import numpy as np

import unswayed

HERE = pathlib.Path(__file__).parent / "data"
RATE, PENALTY = 1e-3, 0.01
#: Name of the learner, its settings, and options of `certify` and `attack`.
LEARNERS = [
    ("hinge", {}, {}),
    ("falling rates (`optimal`)", {"schedule": "optimal"}, {}),
    ("class weights 0.5 and 2", {"class_weight": {-1: 0.5, 1: 2.0}}, {}),
    ("intercept", {"intercept": True}, {}),
    ("intercept, class weights 0.5 and 2", {"intercept": True, "class_weight": {-1: 0.5, 1: 2.0}}, {}),
    ("no regularization, projected on norms up to 2", {"regularization": 0.0, "projection": 2.0}, {}),
    ("logistic", {"loss": "logistic"}, {}),
    ("logistic, intercept", {"loss": "logistic", "intercept": True}, {}),
    ("Huber regression on the labels, D = 0.5", {"loss": "huber=0.5"}, {"label_bound": 1.0}),
]


def spam(rows, seed=1):
    """Counts of 40 words: rare ones in both kinds of messages, 8 that spam has more of, 8 that other mail has more of."""
    random = np.random.default_rng(seed)
    labels = np.where(random.random(rows) < 0.4, 1, -1)
    often = random.gamma(0.5, 1.0, size=40)
    counts = random.poisson(often * np.where(labels[:, None] > 0, np.r_[[4.0] * 8, [0.3] * 8, [1.0] * 24], 1.0))
    features = np.log1p(counts)
    return features / np.maximum(np.linalg.norm(features, axis=1, keepdims=True), 1e-9), labels


def tables(rows, folder):
    def load(place, name):
        x, y = (np.load(place / f"{name}_train_{c}.npy")[:rows] for c in "xy")
        return x.astype(np.float64) / max(1.0, np.linalg.norm(x, axis=1).max()), y

    yield "MNIST 1 v 7", load(HERE, "mnist_1v7")
    yield "spam-like counts", spam(rows)
    if folder is not None:
        yield "HelpSteer", load(folder, "helpsteerpairs_preferred")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--only", metavar="WORDS", action="append")
    asked = parser.parse_args()
    print("| data | learner | ε = 1 %: attack | bound | gap | ε = 5 %: attack | bound | gap |")
    print("|---|---|---|---|---|---|---|---|")
    for data, (x, y) in tables(asked.rows, asked.data):
        for name, setting, options in LEARNERS:
            if asked.only is not None and f"{data}; {name}" not in asked.only:
                continue
            learner = unswayed.Learner(**{"learning_rate": RATE, "regularization": PENALTY, **setting})
            cells = []
            for poison in (0.01, 0.05):
                bound = learner.certify(x, y, poison_rate=poison, **options).certified_loss
                attack = learner.attack(x, y, poison_rate=poison, attacks="steady-state", **options)[0].loss.mean
                cells += [f"{attack:.4f}", f"{bound:.4f}", f"{bound / attack:.2f}"]
            print(f"| {data} | {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
