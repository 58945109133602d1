"""Prints the tables of the benchmark; `run` calls it.

Table (a): the paper's program in CVXPY with Clarabel, and this project, on the same rows.
Table (b): this project alone, up to a million rows.
"""

import argparse
import json
import math
import os
import subprocess
import tempfile
from collections.abc import Callable

import numpy as np

import paper

SETTING = paper.Setting(eta=1e-3, sigma=0.01, epsilon=0.05)  # the same as in src/main.rs
SIDE_BY_SIDE = [(50, 11), (100, 11), (200, 11), (300, 31)]
QUICK = SIDE_BY_SIDE[:-1]
SIZES = [500, 5_000, 50_000, 500_000, 1_000_000]
QUICK_SIZES = SIZES[:-2]


class Ours:
    """The Rust program, each call in a process of its own."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __call__(self, *words: object) -> dict:
        out = subprocess.run([self.path, *map(str, words)], check=True, capture_output=True, text=True)
        return json.loads(out.stdout or "{}")

    def rows(self, n: int, d: int) -> np.ndarray:
        """The rows that `compare` uses, bit for bit."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "rows")
            self("export", n, d, file)
            return np.fromfile(file, dtype="<f8").reshape(n, d)


def milliseconds(time: dict) -> str:
    """Median, fastest and processor time."""
    return " / ".join(f"{1e3 * time[kind]:.2f}" for kind in ("median", "fastest", "processor"))


def seconds(value: float) -> str:
    """Three significant digits."""
    return f"{value:.3g}"


def table(header: list[str], rows: list[list[str]]) -> None:
    """A Markdown table with aligned columns."""
    widths = [max(len(row[c]) for row in [header, *rows]) for c in range(len(header))]
    lines = ["| " + " | ".join(cell.rjust(w) for cell, w in zip(row, widths)) + " |" for row in [header, *rows]]
    lines.insert(1, "|" + "|".join("-" * (width + 1) + ":" for width in widths) + "|")
    print("\n".join(lines))
    print(flush=True)


def side_by_side(ours: Ours, sizes: list[tuple[int, int]]) -> None:
    """Table (a)."""
    rows = []
    for n, d in sizes:
        peer, own = paper.solve(ours.rows(n, d), SETTING), ours("compare", n, d)
        total = peer.compile_seconds + peer.solve_seconds
        check = own["check"]["median"]
        rows.append(
            [
                str(n),
                str(d),
                seconds(peer.compile_seconds),
                seconds(peer.solve_seconds),
                f"{peer.bound:.6f}" + ("" if peer.status == "optimal" else f" ({peer.status})"),
                milliseconds(own["certify"]),
                milliseconds(own["check"]),
                f"{own['bound']:.6f}" + ("" if own["status"] == "certified" else f" ({own['status']})"),
                f"{total / own['certify']['median']:,.0f}",
                f"{total / (own['certify']['median'] + check):,.0f}",
                f"{peer.processor_seconds / own['certify']['processor']:,.0f}",
                f"{peer.bound / own['bound']:.2f}",
            ]
        )
    print("(a) The paper's program and this project on the same rows: MNIST 1 v 7, features and bias.")
    print("    Our milliseconds: median / fastest / processor time.\n")
    header = ["N", "d", "CVXPY compile s", "Clarabel s", "bound", "certify ms", "exact check ms", "our bound"]
    table([*header, "times faster", "with check", "processor time", "bound ratio"], rows)


def exponent(results: list[dict], cost: Callable[[dict], float]) -> float:
    """The slope of log time over log N."""
    n = [math.log(result["rows"]) for result in results]
    return np.polyfit(n, [math.log(cost(result)) for result in results], 1)[0]


def growth(ours: Ours, sizes: list[int]) -> None:
    """Table (b)."""
    results = [ours("scale", n) for n in sizes]
    parts = ["certify", "benign", "check"]
    rows = [
        [f"{result['rows']:,}"]
        + [f"{seconds(result[part]['median'])} / {seconds(result[part]['processor'])}" for part in parts]
        + [f"{result['peak_bytes'] / 1e6:.0f}", f"{result['bound']:.6f}", f"{result['certified_error']:.6f}"]
        for result in results
    ]
    print("(b) This project alone: d = 31, synthetic rows, seconds: median / processor time of all threads.\n")
    table(["N", "certify", "benign", "exact check", "peak MB", "loss bound", "error bound"], rows)
    for kind in ("median", "processor"):
        print(f"growth exponent, {kind} time: {exponent(results, lambda result: result['certify'][kind]):.2f}")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the Rust program")
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes")
    arguments = parser.parse_args()
    ours = Ours(arguments.program)
    setting = f"η = {SETTING.eta:g}, σ = {SETTING.sigma:g}, ε = {SETTING.epsilon:g}"
    print(f"{setting}; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n", flush=True)
    side_by_side(ours, QUICK if arguments.quick else SIDE_BY_SIDE)
    growth(ours, QUICK_SIZES if arguments.quick else SIZES)
    print(f"\nload at the end {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
