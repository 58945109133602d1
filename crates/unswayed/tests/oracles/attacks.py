"""Constant attacks and their fixed points: a lower bound for what a bound must allow (docs/theory.md, Proposition 1)."""
import numpy as np
import cvxpy as cp
from evaluate import pi, phi


def shape(s, delta):
    """(loss, w = -loss', loss'') of the smoothed hinge, or of the logistic loss for delta None."""
    if delta is None:
        w = pi(s)
        return phi(s), w, w * (1 - w)
    r = (s - 1) / delta
    w = pi(r)
    return delta * phi(r), w, w * (1 - w) / delta


def fixed_point(Z, q, sigma, delta, th):
    """Minimiser of sum q_i loss(theta.z_i) + sigma/2 |theta|^2 by Newton's method."""
    d = Z.shape[1]

    def f(t):
        return q @ shape(Z @ t, delta)[0] + sigma / 2 * t @ t
    for _ in range(80):
        l, w, h = shape(Z @ th, delta)
        g = sigma * th - Z.T @ (q * w)
        Hm = sigma * np.eye(d) + (Z * (q * h)[:, None]).T @ Z
        step = np.linalg.solve(Hm, g)
        dec = g @ step
        if dec < 1e-16:
            break
        a, f0 = 1.0, f(th)
        while f(th - a * step) > f0 - 0.25 * a * dec and a > 1e-8:
            a /= 2
        th = th - a * step
    return th, Hm


def exact_hinge(Z, q, sigma):
    t, h = cp.Variable(Z.shape[1]), cp.Variable(len(Z), nonneg=True)
    prob = cp.Problem(cp.Minimize(q @ h + sigma / 2 * cp.sum_squares(t)), [h >= 1 - Z @ t])
    prob.solve(solver=cp.CLARABEL)
    return t.value


def constant_point(Z, p, t, S, project, terms, starts, logistic, iters=120):
    """Best constant point found. terms: list of matrices E_j, the point x gives the rows E_j x; project: onto the set."""
    N = len(Z)
    best = (-np.inf, None)
    q = np.concatenate([(1 - S.eps) * p, np.full(len(terms), S.eps)])

    def loss(th):
        s = Z @ th
        return t @ (phi(s) if logistic else np.maximum(0, 1 - s))

    for x in starts:
        x = project(x)
        th = np.zeros(Z.shape[1])
        for delta in ([None] if logistic else [0.3, 0.1, 0.03]):
            step, value = 0.5, -np.inf
            for _ in range(iters):
                U = np.array([E @ x for E in terms])
                ZZ = np.vstack([Z, U])
                th, Hm = fixed_point(ZZ, q, S.sigma, delta, th)
                val = loss(th)
                if val > value:
                    value, keep, kth = val, x, th
                    s = Z @ th
                    grad = -Z.T @ (t * shape(s, delta)[1])
                    g = np.linalg.solve(Hm, grad)
                    w, h = shape(U @ th, delta)[1:]
                    gx = sum(E.T @ (w[j] * g - h[j] * th * (U[j] @ g)) for j, E in enumerate(terms))
                    step *= 1.3
                else:
                    step *= 0.4
                    if step < 1e-4:
                        break
                x = project(keep + step * gx / (np.linalg.norm(gx) + 1e-300))
            x, th = keep, kth
        if not logistic:
            value = -np.inf
            for f in (1.0, 0.9, 0.7):
                U = np.array([E @ (f * x) for E in terms])
                val = loss(exact_hinge(np.vstack([Z, U]), q, S.sigma))
                if val > value:
                    value, keep = val, f * x
        if value > best[0]:
            best = (value, keep)
    return best


def label_flips(Z, p, S, logistic, iters=60):
    """Best constant flip probabilities found."""
    N = len(Z)
    loss = lambda th: p @ (phi(Z @ th) if logistic else np.maximum(0, 1 - Z @ th))
    best = (-np.inf, None)
    delta = None if logistic else 0.05
    for start in (1.0, 0.5, 0.0):
        f, th = np.full(N, start), np.zeros(Z.shape[1])
        for it in range(iters):
            q = np.concatenate([p * (1 - S.eps * f), S.eps * p * f])
            th, Hm = fixed_point(np.vstack([Z, -Z]), q, S.sigma, delta, th)
            if loss(th) > best[0]:
                best = (loss(th), f.copy())
            s = Z @ th
            g = np.linalg.solve(Hm, -Z.T @ (p * shape(s, delta)[1]))
            df = -(shape(s, delta)[1] + shape(-s, delta)[1]) * (Z @ g)
            f = f + (2 / (it + 2)) * ((df > 0) - f)
    if not logistic:
        f = best[1]
        q = np.concatenate([p * (1 - S.eps * f), S.eps * p * f])
        return loss(exact_hinge(np.vstack([Z, -Z]), q, S.sigma)), f
    return best
