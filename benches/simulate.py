"""The hinge learner under a constant poison point, as one would write it in NumPy and in PyTorch.

Prints steps per second of each beside the Rust simulation's, measured in the same run.
"""

import argparse
import json
import pathlib
import re
import subprocess
import time

import numpy as np

ETA, SIGMA, EPSILON = 1e-3, 0.01, 0.05
SAMPLE = pathlib.Path(__file__).parent.parent / "crates/unswayed/src/data/sample/mnist_1v7.npz"


def rows():
    sample = np.load(SAMPLE)
    label = np.where(sample["y"] == sample["y"].max(), 1.0, -1.0)
    return sample["x"].astype(np.float64) * label[:, None]


def numpy_loop(steps):
    z = rows()
    u = -z.mean(0)
    random = np.random.default_rng(0)
    poisoned = random.random(steps) < EPSILON
    drawn = random.integers(0, len(z), steps)
    theta = np.zeros(z.shape[1])
    began = time.perf_counter()
    for step in range(steps):
        point = u if poisoned[step] else z[drawn[step]]
        acts = theta @ point <= 1.0
        theta *= 1.0 - ETA * SIGMA
        if acts:
            theta += ETA * point
    return steps / (time.perf_counter() - began)


def torch_points(steps):
    """One point a step, drawn beforehand so that the loops time the learner alone."""
    import torch

    torch.set_num_threads(1)
    z = torch.from_numpy(rows())
    u = -z.mean(0)
    generator = torch.Generator().manual_seed(0)
    poisoned = (torch.rand(steps, generator=generator) < EPSILON).tolist()
    drawn = torch.randint(0, len(z), (steps,), generator=generator).tolist()
    return [u if poisoned[step] else z[drawn[step]] for step in range(steps)]


def torch_loop(steps):
    import torch

    points = torch_points(steps)
    theta = torch.zeros_like(points[0])
    with torch.no_grad():
        began = time.perf_counter()
        for point in points:
            acts = torch.dot(theta, point) <= 1.0
            theta.mul_(1.0 - ETA * SIGMA)
            if acts:
                theta.add_(point, alpha=ETA)
        return steps / (time.perf_counter() - began)


def torch_optimiser_loop(steps):
    """The way a model is trained in PyTorch: autograd and SGD with weight decay, which is the same update."""
    import torch

    points = torch_points(steps)
    theta = torch.nn.Parameter(torch.zeros_like(points[0]))
    optimiser = torch.optim.SGD([theta], lr=ETA, weight_decay=SIGMA)
    began = time.perf_counter()
    for point in points:
        optimiser.zero_grad()
        torch.clamp(1.0 - torch.dot(theta, point), min=0.0).backward()
        optimiser.step()
    return steps / (time.perf_counter() - began)


def megahertz():
    """The clock as Linux tells it, for a count of cycles; None where it does not."""
    try:
        found = re.search(r"cpu MHz\s*: ([0-9.]+)", pathlib.Path("/proc/cpuinfo").read_text())
    except OSError:
        return None
    return float(found.group(1)) if found else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--steps", type=int, default=200_000)
    arguments = parser.parse_args()
    ours = json.loads(subprocess.check_output([arguments.program]))["steps_per_second"]
    rates = {"unswayed": ours, "NumPy loop": numpy_loop(arguments.steps)}
    try:
        rates["PyTorch, tensor operations by hand"] = torch_loop(arguments.steps)
        rates["PyTorch, autograd and SGD"] = torch_optimiser_loop(arguments.steps // 10)
    except ImportError as error:
        print(f"PyTorch is not to be had here: {error}")
    print(f"hinge learner, N = 500, d = 31, one core\n{'program':<36}{'steps/s':>14}{'unswayed is':>16}")
    for name, rate in rates.items():
        times = "" if name == "unswayed" else f"{ours / rate:,.0f} times"
        print(f"{name:<36}{rate:>14,.0f}{times:>16}")
    clock = megahertz()
    if clock:
        print(f"{clock * 1e6 / ours:.0f} cycles per step at {clock:.0f} MHz")


if __name__ == "__main__":
    main()
