"""Prints what each kind of learner costs to certify; `run --learners` calls it.

Table (c): each kind over the hinge learner against a ball, and over a training run of scikit-learn on the same rows.
Table (d): growth with the rows, over one weighted Gram product in NumPy.
Table (e): growth with the columns, over forming and factoring the smaller Gram matrix in NumPy.
Table (f): the attacks that `certify` shows by default, and their memory.

All ratios are of processor time of all threads, which hardly depends on other load on the machine.
"""

import argparse
import os
import tempfile
import time
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, SGDRegressor
from sklearn.svm import LinearSVC

from compare import Ours, exponent, seconds, table

ROWS, COLUMNS = 500, 31
REGULARIZATION = 0.01  # the same as in src/main.rs
SIZES = [500, 5_000, 50_000, 500_000, 1_000_000]
ATTACKED = [5_000, 100_000, 1_000_000]
WIDTHS = [(2_000, 31), (2_000, 128), (2_000, 512), (2_000, 3_000)]
LONG_ENOUGH, MOST_REPETITIONS = 1.0, 50


def processor_seconds(work: Callable[[], object]) -> float:
    """The mean processor time of several repetitions, of all threads."""
    work()
    begin, used, count = time.perf_counter(), time.process_time(), 0
    while count < MOST_REPETITIONS and (count == 0 or time.perf_counter() - begin < LONG_ENOUGH):
        work()
        count += 1
    return (time.process_time() - used) / count


def rows(ours: Ours, n: int, d: int) -> np.ndarray:
    """The rows that the learners have, bit for bit."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "rows")
        ours("synthetic", n, d, file)
        return np.fromfile(file, dtype="<f8").reshape(n, d)


def training(name: str, z: np.ndarray) -> tuple[str, Callable[[], object]]:
    """A training run of the nearest estimator: its name and the work."""
    c = 1 / (REGULARIZATION * len(z))
    if "regression" in name:
        loss = "huber" if name.startswith("Huber") else "epsilon_insensitive"
        model = SGDRegressor(loss=loss, alpha=REGULARIZATION)
        return "SGDRegressor", lambda: model.fit(z[:, 1:], z[:, 0])
    # z = yx for labels y of both signs: every other row is turned around.
    y = np.where(np.arange(len(z)) % 2, 1.0, -1.0)
    if name.startswith("logistic"):
        model = LogisticRegression(C=c, solver="liblinear", fit_intercept=False)
    else:
        loss = "hinge" if name.startswith("hinge") else "squared_hinge"
        model = LinearSVC(C=c, loss=loss, fit_intercept=False)
    return type(model).__name__, lambda: model.fit(z * y[:, None], y)


def kinds(ours: Ours) -> None:
    """Table (c)."""
    z = rows(ours, ROWS, COLUMNS)
    names = ours("learners")
    results = [ours("learner", name, ROWS, COLUMNS) for name in names]
    hinge = results[0]["certify"]["processor"]
    lines = []
    for name, result in zip(names, results):
        peer, work = training(name, z)
        own = result["certify"]["processor"]
        lines.append(
            [
                name,
                seconds(1e3 * own),
                f"{own / hinge:.2f}",
                f"{own / processor_seconds(work):.1f} ({peer})",
                f"{result['peak_bytes'] / 1e6:.0f}",
                f"{result['certified_loss']:.6f}",
                result["status"],
            ]
        )
    print(f"(c) Whole certificates, N = {ROWS}, d = {COLUMNS}, poison rate 5 % where the name says nothing else.\n")
    table(["learner", "ms", "over hinge", "over training", "peak MB", "loss bound", "status"], lines)


def growth(ours: Ours, sizes: list[int]) -> None:
    """Table (d)."""
    lines, results = [], {"hinge": [], "logistic": []}
    for n in sizes:
        z, w = rows(ours, n, COLUMNS), np.linspace(0.1, 1.0, n)
        gram = processor_seconds(lambda: (z * w[:, None]).T @ z)
        line = [f"{n:,}", seconds(1e3 * gram)]
        for name, found in results.items():
            found.append(ours("learner", name, n, COLUMNS))
            own = found[-1]["certify"]["processor"]
            line += [seconds(own), f"{own / gram:.0f}", f"{found[-1]['peak_bytes'] / 1e6:.0f}"]
        lines.append(line)
    print(f"(d) Growth with the rows, d = {COLUMNS}: processor seconds, also over one weighted Gram product.\n")
    header = ["N", "Gram ms"]
    for name in results:
        header += [f"{name} s", "over Gram", "peak MB"]
    table(header, lines)
    for name, found in results.items():
        slope = exponent(found, lambda result: result["certify"]["processor"])
        print(f"growth exponent, {name}: {slope:.2f}")
    print()


def widths(ours: Ours, sizes: list[tuple[int, int]]) -> None:
    """Table (e)."""
    lines = []
    for n, d in sizes:
        z = rows(ours, n, d)
        small = z if d <= n else z.T
        identity = np.eye(small.shape[1])
        factor = processor_seconds(lambda: np.linalg.cholesky(small.T @ small + identity))
        result = ours("learner", "hinge", n, d)
        own = result["certify"]["processor"]
        memory = f"{result['peak_bytes'] / 1e6:.0f}"
        lines.append([f"{n:,}", f"{d:,}", seconds(1e3 * factor), seconds(own), f"{own / factor:.0f}", memory])
    print("(e) Growth with the columns, hinge: processor seconds, also over forming and factoring a Gram matrix.\n")
    table(["N", "d", "Gram and factor ms", "certify s", "ratio", "peak MB"], lines)


def attacks(ours: Ours, sizes: list[int]) -> None:
    """Table (f)."""
    lines = []
    for n in sizes:
        result = ours("attacks", n)
        times = [seconds(result["attacks"][kind]) for kind in ("processor", "median")]
        memory = [f"{result[kind] / 1e6:.0f}" for kind in ("data_bytes", "peak_bytes")]
        loss = f"{result['attack_loss']:.4f} ± {result['half_width']:.4f}"
        lines.append([f"{n:,}", *times, *memory, f"{loss} ({result['strongest']})"])
    print("(f) The attacks that are run by default, hinge, d = 31.\n")
    table(["N", "processor s", "wall s", "data MB", "peak MB", "attack loss"], lines)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the Rust program")
    parser.add_argument("--quick", action="store_true", help="up to 50,000 rows (attacks: 100,000) and 512 columns")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    ours = Ours(arguments.program)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n", flush=True)
    kinds(ours)
    growth(ours, SIZES[:3] if arguments.quick else SIZES)
    widths(ours, WIDTHS[:3] if arguments.quick else WIDTHS)
    attacks(ours, ATTACKED[:2] if arguments.quick else ATTACKED)
    print(f"load at the end {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
