#!/usr/bin/env python3
"""How close certified bounds come to attacks: the loss over 15 settings and for other learners, and the error over 12.

    benches/tightness.py                                     builds the command first
    benches/tightness.py --program PATH --data FOLDER        another command; a folder that has cifar10_3v5_train_x.npy, too
    benches/tightness.py --only error

The other learners need NumPy; without it they are left out.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TASKS = {"MNIST 1 v 7": "mnist_1v7", "Fashion 5 v 9": "fashion_5v9", "CIFAR cat / dog": "cifar10_3v5"}
# (η, σ, ε)
LOSS = [(1e-4, 0.01, 0.01), (1e-4, 0.01, 0.05), (1e-3, 0.03, 0.05), (5e-5, 0.003, 0.05), (5e-3, 0.06, 0.03)]
# Efforts and what they try.
EFFORTS = {"quick": "Theorem 2", "tight": "contraction"}
# Rows of the table of experiments/learners.py whose bounds are far from the attack.
RELATIVES = ["box (a)", "ellipsoid (b)", "finite set (c)", "ball, drift (d)"]
TARGET = ("hinge, target (e)", "ball")
CLASSES = ("multi-class (g)", "ball, R = 1")
# learner, task, rows, η, poison rates; σ = 0.01
ERROR = [
    ("hinge", "MNIST 1 v 7", 500, 1e-4, (0.01, 0.02, 0.03, 0.05)),
    ("hinge", "CIFAR cat / dog", 500, 1e-4, (0.01, 0.02, 0.03, 0.05)),
    ("logistic", "MNIST 1 v 7", 200, 1e-3, (0.01, 0.02, 0.03, 0.05)),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", help="the command unswayed; built if not given")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "experiments" / "data")
    parser.add_argument("--only", choices=["loss", "relatives", "error"])
    asked = parser.parse_args()
    program = asked.program or build()
    if asked.only in (None, "loss"):
        print_loss(program, asked.data)
    if asked.only in (None, "relatives"):
        print_relatives(program)
    if asked.only in (None, "error"):
        print_error(program, asked.data)


def build():
    subprocess.run(["cargo", "build", "--release", "--locked", "-p", "unswayed-cli"], cwd=ROOT, check=True)
    described = ["cargo", "metadata", "--format-version", "1", "--no-deps"]
    folder = json.loads(subprocess.run(described, cwd=ROOT, check=True, capture_output=True).stdout)["target_directory"]
    return f"{folder}/release/unswayed"


def certify(program, data, task, rows, rates, *more):
    """What `certify --json` says; none if the data are not there."""
    return run(program, "certify", data, task, rows, rates, *more)


def held(program, data, task, rows, rates):
    """The loss at which the steady-state attack holds the learner, for small learning rates."""
    return run(program, "attack", data, task, rows, rates, "--attack", "steady-state")["attacks"][0]["settled_loss"]


def run(program, verb, data, task, rows, rates, *more):
    path = (data / f"{TASKS[task]}_train_x.npy").resolve()
    if not path.exists():
        return None
    flags = zip(("--learning-rate", "--regularization", "--poison-rate"), map(str, rates))
    with tempfile.TemporaryDirectory() as folder:
        words = [program, verb, str(path), "--rows", str(rows), "--json", *more, *(w for pair in flags for w in pair)]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def missing(task):
    print(f"{task}: no file {TASKS[task]}_train_x.npy in the folder of --data, left out", file=sys.stderr)


def print_loss(program, data):
    print("Loss, certified / that at which the steady-state attack holds the learner: hinge, ball of radius 1, 500 rows\n")
    print("| (η, σ, ε) | " + " | ".join(f"({eta:g}, {sigma:g}, {eps:g})" for eta, sigma, eps in LOSS) + " |")
    print("|---" * (len(LOSS) + 1) + "|")
    ratios = {effort: [] for effort in EFFORTS}
    for task in TASKS:
        if not (data / f"{TASKS[task]}_train_x.npy").exists():
            missing(task)
            continue
        attacks = [held(program, data, task, 500, rates) for rates in LOSS]
        for effort in EFFORTS:
            found = [certify(program, data, task, 500, rates, "--effort", effort) for rates in LOSS]
            own = [one["certified_loss"] / attack for one, attack in zip(found, attacks)]
            ratios[effort] += own
            print(f"| {task}, {EFFORTS[effort]} | " + " | ".join(f"{ratio:.3f}" for ratio in own) + " |", flush=True)
            print(f"| {task}, {EFFORTS[effort]}, s | " + " | ".join(f"{one['seconds']:.1f}" for one in found) + " |", flush=True)
    for effort, all_ in ratios.items():
        mean = math.exp(sum(map(math.log, all_)) / len(all_))
        print(f"\n{EFFORTS[effort]}: geometric mean {mean:.3f}, largest {max(all_):.3f}, {len(all_)} settings")
    print()


def print_relatives(program):
    """Certified loss over attack loss at ε = 5 %, without contraction and with it where there is a theorem."""
    sys.path.insert(0, str(ROOT / "experiments"))
    try:
        import learners
    except ImportError:
        print("other learners: NumPy is not there, left out", file=sys.stderr)
        return
    print("Other learners: η = 0.001, σ = 0.01, ε = 5 %; see docs/theory.md, Section 19\n")
    print("| loss | adversary | attack | certified | gap | s | --effort tight | gap | s |")
    print("|---" * 9 + "|")
    wanted = {("hinge", adversary) for adversary in RELATIVES} | {TARGET, CLASSES}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for loss, adversary, arguments in learners.cases(folder, None):
            if (loss, adversary) not in wanted:
                continue
            cells = []
            for effort in EFFORTS:
                found = learners.certify(program, folder, 0.05, [*arguments, "--effort", effort])
                cells += [f"{found['certified_loss']:.4f}", f"{found['gap']:.2f}", f"{found['seconds']:.1f}"]
            print(f"| {loss} | {adversary} | {found['attack_loss']:.4f} | {' | '.join(cells)} |", flush=True)
    print()


def print_error(program, data):
    print("Error: σ = 0.01, ball of radius 1\n")
    print("| learner | task | ε | benign | attack | lines (Section 6) | certified | certified / attack | s |")
    print("|---" * 9 + "|")
    for loss, task, rows, eta, rates in ERROR:
        for eps in rates:
            setting = (program, data, task, rows, (eta, 0.01, eps), "--loss", loss)
            lines = certify(*setting, "--attacks", "none", "--effort", "quick")
            if lines is None:
                missing(task)
                break
            found = certify(*setting, "--effort", "tight")
            benign, attack, bound = found["benign_error"], found["attack_error"], found["certified_error"]
            print(
                f"| {loss}, η = {eta:g}, {rows} rows | {task} | {eps:.0%} | {benign:.3f} | {attack:.4f} "
                f"| {lines['certified_error']:.4f} | {bound:.4f} | {bound / attack:.2f} | {found['seconds']:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
