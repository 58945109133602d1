"""Makes digits_{x,y}.npy (ten digits, from scikit-learn) and mnist_0167_{x,y}.npy (four digits, from two of the pairs here)."""
import pathlib

import numpy as np
from sklearn.datasets import load_digits

FOLDER = pathlib.Path(__file__).parent


def save(name, x, y):
    np.save(FOLDER / f"{name}_x.npy", x.astype(np.float32))
    np.save(FOLDER / f"{name}_y.npy", y.astype(np.int8))


def digits(directions=15):
    x, y = load_digits(return_X_y=True)
    x = x @ np.linalg.svd(x, full_matrices=False)[2][:directions].T
    x -= x.mean(0)
    x /= np.linalg.norm(x, axis=1).max()
    x = np.hstack([x, np.ones((len(x), 1))])
    order = np.random.default_rng(0).permutation(len(x))
    # A little below 1, so that no norm is above it as float32.
    save("digits", (x / np.linalg.norm(x, axis=1).max() * (1 - 1e-6))[order], y[order])


def four_digits(rows=500):
    x, y = [], []
    for pair, (low, high) in {"0v6": (0, 2), "1v7": (1, 3)}.items():
        x.append(np.load(FOLDER / f"mnist_{pair}_train_x.npy")[:rows])
        y.append(np.where(np.load(FOLDER / f"mnist_{pair}_train_y.npy")[:rows] < 0, low, high))
    order = np.random.default_rng(0).permutation(2 * rows)
    save("mnist_0167", np.vstack(x)[order], np.concatenate(y)[order])


digits()
four_digits()
