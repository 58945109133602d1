"""Bounds and attacks for linear learners on the data here: prints the table of docs/theory.md, Section 19.

    python experiments/learners.py [--program unswayed] [--data FOLDER] [--only WORDS]

Needs NumPy. FOLDER has helpsteerpairs_preferred_train_{x,y}.npy; without it the row about preferences is left out. With --only, just
the rows whose first two cells are these words, as "hinge; ball, R = 1".
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np

DATA = pathlib.Path(__file__).parent / "data"
MNIST = DATA / "mnist_1v7_train_x.npy"
SETTING = ["--learning-rate", "1e-3", "--regularization", "0.01"]


def certify(program, folder, rate, arguments):
    command = [program, "certify", *map(str, arguments), *SETTING, "--poison-rate", str(rate), "--json"]
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


def cases(folder, source):
    """Loss, adversary and the command's arguments of each row of the table."""
    rows = [MNIST, "--rows", "500"]
    logistic = [*rows, "--loss", "logistic"]
    any_point = ["--adversary", "any", "--clip", "0.5"]
    # Points of norm at most 1 whose last entry is ±0.17960513, as in every row.
    fixed = ["--bias", "last", "--adversary", "features", "--radius", "0.98373881"]
    tenth = first(folder, "tenth", np.sort(np.random.default_rng(0).permutation(500)[:50]))
    yield "hinge", "ball, R = 1", rows
    yield "hinge", "box (a)", [*rows, "--adversary", "box"]
    yield "hinge", "ellipsoid (b)", [*rows, "--adversary", "ellipsoid"]
    yield "hinge", "label-only", [*rows, "--adversary", "labels"]
    yield "hinge", "finite set (c)", [*rows, "--adversary", "flips"]
    yield "hinge, 80 rows", "ball, unregularized bias", [MNIST, "--rows", "80", "--bias", "last"]
    yield "hinge, 80 rows", "features, fixed entry (j)", [MNIST, "--rows", "80", *fixed]
    yield "hinge", "features, fixed entry (j)", [*rows, *fixed]
    yield "hinge", "ball, projection on ϱ = 6", [*rows, "--projection", "6"]
    yield "hinge", "any point, clipped at 0.5", [*rows, *any_point]
    yield "hinge", "ball, drift (d)", [*drift(folder), "--drift"]
    yield "hinge, target (e)", "ball", [*rows, "--target", tenth]
    yield "logistic", "ball, R = 1", logistic
    yield "logistic", "box (a)", [*logistic, "--adversary", "box"]
    yield "logistic", "label-only", [*logistic, "--adversary", "labels"]
    yield "logistic", "any point, clipped at 0.5", [*logistic, *any_point]
    if source is not None:
        yield "preferences (f)", "ball, R = 1", ["--preferences", preferences(folder, source)]
    yield "multi-class (g)", "ball, R = 1", [DATA / "digits_x.npy", "--rows", "300", "--loss", "multiclass"]
    yield "multi-class (h)", "ball, R = 1", [DATA / "mnist_0167_x.npy", "--rows", "300", "--loss", "multiclass"]
    yield "hinge, 4000 rows (i)", "ball, R = 1", [MNIST, "--confidence", "0.99"]


def row(program, folder, loss, adversary, arguments):
    cells, new_data = [], []
    for rate in (0.01, 0.05):
        found = certify(program, folder, rate, arguments)
        cells += [f"{found['attack_loss']:.4f}", f"{found['certified_loss']:.4f}", f"{found['gap']:.2f}"]
        new_data.append(found.get("new_data_loss"))
    print(f"| {loss} | {adversary} | {found['benign_loss']:.4f} | {' | '.join(cells)} |", flush=True)
    if None not in new_data:
        print(f"{loss}: for new data {new_data[0]:.3f} and {new_data[1]:.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="unswayed")
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--only", metavar="WORDS", action="append")
    asked = parser.parse_args()
    print("| loss | adversary | benign | ε = 1 %: attack | bound | gap | ε = 5 %: attack | bound | gap |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for loss, adversary, arguments in cases(folder, asked.data):
            if asked.only is None or f"{loss}; {adversary}" in asked.only:
                row(asked.program, folder, loss, adversary, arguments)


if __name__ == "__main__":
    main()
