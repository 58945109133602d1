"""The one-dimensional lemmas of docs/theory.md on dense grids of s, and the matrix inequality of Lemma L11.   python lemmas.py"""
import itertools
import numpy as np
from learners import Setting, sup_h
from evaluate import pi, phi, label_T, half_sup
from fuzz import settings

GRID = np.concatenate([np.linspace(-6, 6, 4801), np.linspace(-2000, 2000, 4001), [1, 1 - 1e-12, 1 + 1e-12, -1, -1 - 1e-12, -1 + 1e-12]])


def one(rng, name):
    S = settings(rng)
    n = 10 ** rng.uniform(-2, 1)
    if "logistic" in name and S.eta * n >= 3.99 * S.k:
        return None
    t = rng.choice([1.0, rng.uniform(0, 5)])
    if "label" in name:
        t = 1.0
    r = rng.uniform(0.2, 1) if "clip" in name else 1.0
    alpha = t / (2 * S.k * (1 - S.eps) * r) * (1 + 10 ** rng.uniform(-3, 1)) if "error" not in name else 10 ** rng.uniform(-2, 1)
    e, a = S.eps, 2 * alpha * S.k
    k0, c = (1 - e) * a, alpha * S.eta * n
    b = a * rng.normal() * 10 ** rng.uniform(-2, 1)
    u = np.clip(rng.uniform(-.3, 1.3), 0, 1)
    s = GRID
    if "logistic" in name:
        w = np.minimum(pi(s), r)
        f = (1 - e) * (w * (a * s + b) + c * w * w)
        if "error" in name:
            y = k0 * u
            T = max(half_sup(k0, y, k0 - y, (1 - e) * b, (1 - e) * c, False), 1 + half_sup(k0, y, k0 - y, (1 - e) * b, (1 - e) * c, True))
            f = f + (s <= 0)
        elif "label" in name:
            kap = k0 - 1
            y = kap * u
            T = max(sup_h(a, y, kap - y + e * a, b, c), sup_h(a, y + e * a, kap - y, b - 2 * e * c, c) - e * b + e * c)
            v = pi(-s)
            f = f + phi(s) + e * np.maximum(w * (a * s + b) + c * w * w, -v * (a * s + b) + c * v * v)
        else:
            y = (k0 * r - t) * u
            T = sup_h(k0, y, k0 - t - y, (1 - e) * b, (1 - e) * c)
            f = f + t * phi(s)
    else:
        q = (s <= 1).astype(float)
        f = (1 - e) * q * (r * (a * s + b) + c * r * r) + t * np.maximum(0, 1 - s)
        y = (k0 * r - t) * u
        if "label" in name:
            T = float(label_T(S, np.array([n]), np.array([b]), alpha, np.array([y]))[0])
            q2 = (-s <= 1).astype(float)
            f = f + e * np.maximum(q * (a * s + b + c), q2 * (-(a * s + b) + c))
        else:
            T = max((1 - e) * (r * (a + b) + c * r * r), 0) - y
    room = T + y * s - f
    return float(np.min(room) / (1 + abs(T) + y + k0))


def main():
    rng = np.random.default_rng(0)
    for name in ("hinge", "hinge clip", "hinge label", "logistic", "logistic clip", "logistic label", "logistic error"):
        rooms = [x for x in (one(rng, name) for _ in range(1500)) if x is not None]
        print(f"{name:16s} instances {len(rooms)}, least room {min(rooms):.2e}, median {np.median(rooms):.2e}")
        assert min(rooms) > -1e-11
    for K in range(2, 8):
        cy = -np.ones(K)
        cy[0] = K - 1
        o = np.ones(K)
        o[0] = 0
        M = np.outer(cy, cy) + (K - 1) / 2 * (np.diag(o) - np.outer(o, o) / (K - 1))
        low = np.inf
        for m in range(1, K):
            for S in itertools.combinations(range(1, K), m):
                c = np.zeros(K)
                c[0] = m
                c[list(S)] = -1
                low = min(low, np.linalg.eigvalsh(M - np.outer(c, c))[0])
        print(f"K = {K}: least eigenvalue of M_y - c c^T over all sets {low:.1e}")
        assert low > -1e-9


if __name__ == "__main__":
    main()
