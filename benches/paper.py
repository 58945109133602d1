"""The semidefinite program of the paper (its Theorem 3, misprints corrected) in CVXPY, solved by Clarabel.

Run alone it checks itself against reference values:

    python paper.py --validate ../crates/unswayed-check/tests/oracles/hinge.json
"""

import argparse
import json
import sys
import time
from dataclasses import dataclass

import cvxpy as cp
import numpy as np

# The reference cases that --validate solves, unless told otherwise: small, and different from each other.
CASES = ("tiny", "digits-3v8-30", "digits-1v7-60", "eps-0.4", "sigma-1")
# Agreement that is asked for, relative to max(1, value).
AGREEMENT = 1e-5


@dataclass
class Setting:
    """Learning rate, regularization and poison rate."""

    eta: float
    sigma: float
    epsilon: float


@dataclass
class Solved:
    """The bound, the wall-clock seconds that CVXPY and Clarabel took, and the processor time of both."""

    bound: float
    status: str
    compile_seconds: float
    solve_seconds: float
    processor_seconds: float
    iterations: int


def program(z: np.ndarray, setting: Setting, p: np.ndarray) -> cp.Problem:
    """Theorem 3 for the rows `z` with weights `p`.

    `a` and `b` stand for ηA and ηb, and the multipliers of a row are divided by its weight: both make the numbers
    of the program of order one, which helps the solver. ν1, ν2, ν7 are vectors of N, ν3 to ν6 are N×d matrices.
    """
    n, d = z.shape
    eta, sigma, eps = setting.eta, setting.sigma, setting.epsilon
    k = 1 - eta * sigma
    a = cp.Variable((d, d), symmetric=True)
    b = cp.Variable(d)
    nu1, nu2, nu7 = (cp.Variable(n, nonneg=True) for _ in range(3))
    nu3, nu4, nu5, nu6 = (cp.Variable((n, d), nonneg=True) for _ in range(4))
    nu8, nu9, nu10 = (cp.Variable(nonneg=True) for _ in range(3))
    bound = cp.Variable()  # stands for gᵀD⁻¹g

    eye = np.eye(d)
    upper_left = sigma * (2 - eta * sigma) * a + nu8 * eye
    off_diagonal = -eps * k * a + nu9 * eye
    lower_right = -eps * eta * a + nu10 * eye
    pull = z.T @ cp.multiply(p, nu1 - nu2) + (nu6 - nu4).T @ p
    g1 = cp.reshape((pull - sigma * b) / 2, (d, 1), order="C")
    g2 = cp.reshape(eps * b / 2, (d, 1), order="C")
    corner = cp.reshape(bound, (1, 1), order="C")
    schur = cp.bmat([[upper_left, off_diagonal, g1], [off_diagonal, lower_right, g2], [g1.T, g2.T, corner]])

    za = z @ a
    active = (1 - eps) * (eta * cp.sum(cp.multiply(za, z), axis=1) + z @ b) + 1
    box = cp.sum(nu3 - nu4 + nu5 - nu6, axis=1) / sigma
    q_rows = (1 + 1 / sigma) * (nu1 - nu2) + box - nu7 + active <= 0
    w_rows = nu3 + nu4 - nu5 - nu6 + 2 * (1 - eps) * k * za - z == 0
    e = (
        p @ (nu7 - nu1 + (2 + 1 / sigma) * nu2)
        + p @ cp.sum(nu4 + nu6, axis=1) / sigma
        + nu8 / sigma**2
        + 2 * nu9
        + nu10
    )
    return cp.Problem(cp.Minimize(bound + e), [schur >> 0, q_rows, w_rows])


def solve(z: np.ndarray, setting: Setting, p: np.ndarray | None = None) -> Solved:
    """Builds and solves the program; compile time is everything before Clarabel starts."""
    start, processor = time.perf_counter(), time.process_time()
    problem = program(z, setting, np.full(len(z), 1 / len(z)) if p is None else p)
    data, chain, inverse = problem.get_problem_data(cp.CLARABEL, solver_opts={})
    compiled = time.perf_counter()
    raw = chain.solve_via_data(problem, data)
    solved, used = time.perf_counter(), time.process_time() - processor
    problem.unpack_results(raw, chain, inverse)
    return Solved(problem.value, problem.status, compiled - start, solved - compiled, used, raw.iterations)


def validate(path: str, names: list[str]) -> bool:
    """Compares with the reference values `paper_sdp.value`."""
    cases = {case["name"]: case for case in json.load(open(path, encoding="utf-8"))}
    print(f"{'case':16}{'N':>5}{'d':>4}{'reference':>14}{'this program':>14}{'difference':>12}")
    agree = True
    for name in names:
        case = cases[name]
        z, weights = np.array(case["Z"], dtype=float), case["weights"]
        p = None if isinstance(weights, str) else np.array(weights) / np.sum(weights)
        found = solve(z, Setting(case["eta"], case["sigma"], case["eps"]), p)
        reference = case["paper_sdp"]["value"]
        difference = found.bound - reference
        agree &= abs(difference) <= AGREEMENT * max(1.0, reference)
        print(f"{name:16}{z.shape[0]:5}{z.shape[1]:4}{reference:14.8f}{found.bound:14.8f}{difference:12.1e}")
    print("agrees" if agree else f"DOES NOT AGREE within {AGREEMENT:g}")
    return agree


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--validate", metavar="FILE", required=True, help="JSON file with reference values")
    parser.add_argument("cases", nargs="*", default=CASES, help="names of cases in it")
    arguments = parser.parse_args()
    return 0 if validate(arguments.validate, list(arguments.cases)) else 1


if __name__ == "__main__":
    sys.exit(main())
