"""Bounds and attacks for linear learners on the data here: prints the table of docs/theory.md, Section 19.

    python experiments/learners.py [path of the program unswayed] [folder with helpsteerpairs_preferred_train_{x,y}.npy]

Needs NumPy. Without the second argument the row about preferences is left out.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

DATA = pathlib.Path(__file__).parent / "data"
MNIST = DATA / "mnist_1v7_train_x.npy"
SETTING = ["--learning-rate", "1e-3", "--regularization", "0.01"]
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "unswayed"


def certify(folder, rate, arguments):
    command = [PROGRAM, "certify", *map(str, arguments), *SETTING, "--poison-rate", str(rate), "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def first(folder, name, rows, source=MNIST):
    """The first rows of a pair, with labels beside them."""
    labels = pathlib.Path(str(source).replace("_x.npy", "_y.npy"))
    return write(folder, name, np.load(source)[rows], np.load(labels)[rows])


def write(folder, name, x, y):
    np.save(folder / f"{name}_x.npy", x)
    np.save(folder / f"{name}_y.npy", y)
    return folder / f"{name}_x.npy"


def drift(folder):
    """500 rows with 80 % of one class, and 500 with 80 % of the other."""
    x, y = np.load(MNIST), np.load(DATA / "mnist_1v7_train_y.npy")
    low, high = np.flatnonzero(y < 0), np.flatnonzero(y > 0)
    mixed = lambda many, few: np.sort(np.concatenate([many[:400], few[:100]]))
    return [write(folder, f"drift{i}", x[rows], y[rows]) for i, rows in enumerate([mixed(high, low), mixed(low, high)])]


def preferences(folder, source):
    """Rows 2i and 2i+1 are the answers of a pair; the bias is left out, it cancels."""
    x, y = (np.load(pathlib.Path(source) / f"helpsteerpairs_preferred_train_{c}.npy")[:1000] for c in "xy")
    np.savez(folder / "pairs.npz", chosen=x[y > 0][:, :-1], rejected=x[y < 0][:, :-1])
    return folder / "pairs.npz"


def cases(folder):
    rows = ["--rows", "500"]
    tenth = first(folder, "tenth", np.sort(np.random.default_rng(0).permutation(500)[:50]))
    yield "hinge", "ball, R = 1", [MNIST, *rows]
    yield "hinge", "box, R_j = max_i \\|z_ij\\|", [MNIST, *rows, "--adversary", "box"]
    yield "hinge", "ellipsoid, the least multiple of the second moments that holds the data", [MNIST, *rows, "--adversary", "ellipsoid"]
    yield "hinge", "label-only", [MNIST, *rows, "--adversary", "labels"]
    yield "hinge", "finite set: the rows with either label", [MNIST, *rows, "--adversary", "flips"]
    yield "hinge", "ball, free bias", [MNIST, *rows, "--bias", "last"]
    # Points of norm at most 1 whose last entry is ±0.17960513, as in every row.
    fixed = ["--bias", "last", "--adversary", "features", "--radius", "0.98373881"]
    yield "hinge, 80 rows", "features, fixed entry", [MNIST, "--rows", "80", *fixed]
    yield "hinge", "features, fixed entry", [MNIST, *rows, *fixed]
    yield "hinge", "ball, projection on ϱ = 6", [MNIST, *rows, "--projection", "6"]
    yield "hinge", "any point, gradients clipped at 0.5", [MNIST, *rows, "--adversary", "any", "--clip", "0.5"]
    yield "hinge", "ball, drift between 80 % and 20 % of class 7", [*drift(folder), "--drift"]
    yield "hinge, target: a random tenth of the rows", "ball", [MNIST, *rows, "--target", tenth]
    yield "logistic", "ball, R = 1", [MNIST, *rows, "--loss", "logistic"]
    yield "logistic", "box, as above", [MNIST, *rows, "--loss", "logistic", "--adversary", "box"]
    yield "logistic", "label-only", [MNIST, *rows, "--loss", "logistic", "--adversary", "labels"]
    yield "logistic", "any point, gradients clipped at 0.5", [MNIST, *rows, "--loss", "logistic", "--adversary", "any", "--clip", "0.5"]
    if len(sys.argv) > 2:
        yield "preferences, 500 pairs of HelpSteer", "ball, R = 1", ["--preferences", preferences(folder, sys.argv[2])]
    yield "multi-class, ten digits, 300 rows", "ball, R = 1", [DATA / "digits_x.npy", "--rows", "300", "--loss", "multiclass"]
    yield "multi-class, four digits of MNIST, 300 rows", "ball, R = 1", [DATA / "mnist_0167_x.npy", "--rows", "300", "--loss", "multiclass"]
    yield "hinge, confidence 0.99, 4000 rows", "ball, R = 1", [MNIST, "--confidence", "0.99"]


def main():
    print("| loss | adversary | benign | ε = 1 %: attack | bound | gap | ε = 5 %: attack | bound | gap |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for loss, adversary, arguments in cases(folder):
            cells = []
            for rate in (0.01, 0.05):
                found = certify(folder, rate, arguments)
                bound = f"{found['certified_loss']:.4f}"
                if found.get("new_data_loss") is not None:
                    bound += f", for new data {found['new_data_loss']:.3f}"
                cells += [f"{found['attack_loss']:.4f}", bound, f"{found['gap']:.2f}"]
            print(f"| {loss} | {adversary} | {found['benign_loss']:.4f} | {' | '.join(cells)} |", flush=True)


main()
