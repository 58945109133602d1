"""Tries to break every bound: random data, settings and witnesses; theta and z random, near kinks, and where the proof is tight.

    python fuzz.py [seconds per variant] [seed]
"""
import sys
import time
import numpy as np
from learners import Setting
from evaluate import *


def thetas(rng, Z, p, centre, m=60):
    """Random points of many sizes, points at kinks of the rows, points near a centre."""
    d = Z.shape[1]
    t = rng.normal(size=(m, d)) * 10 ** rng.uniform(-2, 3, size=(m, 1))
    near = centre + rng.normal(size=(m, d)) * 10 ** rng.uniform(-4, 1, size=(m, 1))
    out = np.vstack([t, near, centre[None], np.zeros((1, d))])
    # move a third of them onto a kink s_i = 1, 0 or -1
    for a in range(0, len(out), 3):
        z = Z[rng.integers(len(Z))]
        out[a] += (rng.choice([1, 1, 0, -1]) - out[a] @ z) / max(z @ z, 1e-12) * z * rng.choice([1, 1 - 1e-9, 1 + 1e-9])
    return out


def settings(rng):
    sigma = 10 ** rng.uniform(-3, 0.3)
    eta = min(10 ** rng.uniform(-4, 0.3), 0.95 / sigma)
    eps = rng.choice([0.01, 0.05, 0.2, 0.5, rng.uniform(0, 0.5)])
    return Setting(eta, sigma, max(eps, 1e-6))


def data(rng, d=None):
    d = d or rng.integers(1, 6)
    N = rng.integers(1, 9)
    Z = rng.normal(size=(N, d)) * 10 ** rng.uniform(-1, 0.5)
    Z /= max(1.0, np.abs(Z).max() / 3)
    p = rng.dirichlet(np.ones(N)) + 1e-3
    return Z, p / p.sum()


def witness(rng, S, Z, need=1.0):
    """alpha with kappa0 >= need, beta, u, and a nu."""
    d = Z.shape[1]
    alpha = need / (2 * S.k * (1 - S.eps)) * (1 + 10 ** rng.uniform(-3, 1)) if need > 0 else 10 ** rng.uniform(-2, 1)
    beta = -2 * alpha * rng.normal(size=d) * 10 ** rng.uniform(-2, 0.7)
    u = np.clip(rng.uniform(-0.5, 1.5, len(Z)), 0, 1)
    nu = 2 * alpha * S.k * rng.choice([0, 1, rng.uniform(0, 1.2)])
    return alpha, beta, u, nu


def tau_for(rng, S, alpha, nu, size):
    """A tau that leaves a > 0: eps size chi^2/(2 tau) < alpha sigma (2 - eta sigma)."""
    chi = 2 * alpha * S.k - nu
    least = S.eps * size * chi ** 2 / (2 * alpha * S.sigma * (2 - S.eta * S.sigma))
    return max(least * (1 + 10 ** rng.uniform(-2, 1)), 10 ** rng.uniform(-2, 1))


def points(rng, th, x, R, m=6):
    """Points of the ball for each theta: along x, at the kink theta.z = 1, random."""
    out = []
    n = np.linalg.norm(x, axis=1, keepdims=True) + 1e-300
    z0 = R * x / n
    out.append(z0)
    t2 = (th ** 2).sum(1, keepdims=True) + 1e-300
    s = (z0 * th).sum(1, keepdims=True)
    # move back to theta.z = 1 and fill up to norm R in the direction of x orthogonal to theta
    side = x - (x * th).sum(1, keepdims=True) / t2 * th
    side /= np.linalg.norm(side, axis=1, keepdims=True) + 1e-300
    for level in (1.0, 1 - 1e-12, 1.2784645, 0.3, 2.0):
        base = level / t2 * th
        room = np.maximum(R ** 2 - (base ** 2).sum(1, keepdims=True), 0) ** 0.5
        z = base + room * side
        z *= np.minimum(1, R / (np.linalg.norm(z, axis=1, keepdims=True) + 1e-300))
        out.append(z)
    for _ in range(m):
        z = rng.normal(size=x.shape)
        z *= R * rng.uniform(0, 1, (len(x), 1)) ** rng.choice([0, 1]) / np.linalg.norm(z, axis=1, keepdims=True)
        out.append(z)
    return out


def box_points(rng, x, th, Rs):
    out = [np.sign(x) * Rs]
    for _ in range(6):
        out.append(rng.uniform(-1, 1, x.shape) * Rs)
        out.append(np.sign(x) * Rs * rng.uniform(0, 1, (len(x), 1)))
    z0 = out[0]
    s = (z0 * th).sum(1, keepdims=True)
    out.append(np.where(s > 1, z0 / np.maximum(s, 1), z0))
    return out


def ball_like(rng, S, rows, logistic, error, setname):
    Z, p = data(rng)
    if logistic:
        S.eta = min(S.eta, 3.9 * S.k / max((Z ** 2).sum(1).max(), 1e-9), 0.9 / S.sigma)
        S.k = 1 - S.eta * S.sigma
        S.eta = min(S.eta, 3.9 * S.k / max((Z ** 2).sum(1).max(), 1e-9))
        S.k = 1 - S.eta * S.sigma
    alpha, beta, u, nu = witness(rng, S, Z, 0 if error else 1)
    if error and not logistic:
        k0 = 2 * alpha * S.k * (1 - S.eps)
        c = rng.uniform(max(0, 1 - k0), 1, len(Z)) if k0 < 1 else np.clip(rng.uniform(-.3, 1, len(Z)), 0, 1)
        const, slope = v_rows_error(S, Z, p, alpha, beta, u, rng.uniform(0, 1, len(Z)), c)
    elif error:
        const, slope = v_rows_logistic_error(S, Z, p, alpha, beta, u)
    elif logistic:
        const, slope = v_rows_logistic(S, Z, p, alpha, beta, u)
    else:
        const, slope = v_rows_hinge(S, Z, p, alpha, beta, u)
    d = Z.shape[1]
    chi = 2 * alpha * S.k - nu
    low = alpha * S.sigma * (2 - S.eta * S.sigma)
    if setname == "ball":
        R = 10 ** rng.uniform(-1, 0.7)
        tau = tau_for(rng, S, alpha, nu, R)
        B = const + v_set_ball(S, alpha, beta, slope, R, tau, nu, logistic)
        a, v = low - S.eps * R * chi ** 2 / (2 * tau), slope + (S.eps * R * chi / tau - S.sigma) * beta
        centre = v / (2 * a)
    elif setname == "box":
        R = 10 ** rng.uniform(-1, 0.5, d)
        tau = np.array([tau_for(rng, S, alpha, nu, r) for r in R])
        B = const + v_set_box(S, alpha, beta, slope, R, tau, nu, logistic)
        a, v = low - S.eps * R * chi ** 2 / (2 * tau), slope + (S.eps * R * chi / tau - S.sigma) * beta
        centre = v / (2 * a)
    else:
        L = rng.normal(size=(d, d)) * 10 ** rng.uniform(-1, 0.5)
        R = L @ L.T + 1e-6 * np.eye(d)
        tau = tau_for(rng, S, alpha, nu, np.linalg.eigvalsh(R)[-1])
        B = const + v_set_ellipsoid(S, alpha, beta, slope, R, tau, nu, logistic)
        A = low * np.eye(d) - S.eps * chi ** 2 / (2 * tau) * R
        centre = np.linalg.solve(A, slope + S.eps * chi / tau * R @ beta - S.sigma * beta) / 2
    th = thetas(rng, Z, p, centre)
    base = rows_G(S, Z, p, alpha, beta, th, logistic, error, kink=rng.uniform()) + quadratic(S, alpha, beta, th)
    x = 2 * alpha * S.k * th + beta
    worst = base.copy()
    if setname == "ball":
        cand = points(rng, th, x, R)
    elif setname == "box":
        cand = box_points(rng, x, th, R)
    else:
        C = np.linalg.cholesky(R)
        cand = [z @ C.T for z in points(rng, th @ C, x @ C, 1.0)]
    for z in cand:
        worst = np.maximum(worst, base + S.eps * point_G(S, alpha, beta, th, z, logistic, kink=rng.uniform()))
    return B, worst


def finite(rng, S, logistic):
    Z, p = data(rng)
    F = np.vstack([-Z, rng.normal(size=(2, Z.shape[1]))])
    n2 = max((Z ** 2).sum(1).max(), (F ** 2).sum(1).max())
    if logistic:
        S.eta = min(S.eta, 1.9 / n2, 0.5 / S.sigma)
        S.k = 1 - S.eta * S.sigma
    alpha, beta, u, nu = witness(rng, S, Z)
    B, th = -np.inf, []
    for a in F:
        u = rng.uniform(0, 1, len(Z))
        const, slope = (v_rows_logistic if logistic else v_rows_hinge)(S, Z, p, alpha, beta, u)
        c2, s2 = v_finite_point(S, alpha, beta, a, rng.uniform(0, 1), logistic)
        Bm = const + c2 + v_quiet(S, alpha, beta, slope + s2)
        centre = (slope + s2 - S.sigma * beta) / (2 * alpha * S.sigma * (2 - S.eta * S.sigma))
        th = thetas(rng, np.vstack([Z, F]), p, centre, 20)
        base = rows_G(S, Z, p, alpha, beta, th, logistic, False) + quadratic(S, alpha, beta, th)
        G = base + S.eps * point_G(S, alpha, beta, th, np.broadcast_to(a, th.shape), logistic, kink=rng.uniform())
        if (G > Bm + 1e-9 * (1 + abs(Bm))).any():
            return Bm, G
        if G.max() - Bm > B:
            B, keep = G.max() - Bm, (Bm, G)
    return keep


def label(rng, S, logistic):
    Z, p = data(rng)
    if logistic:
        S.eta = min(S.eta, 1.9 / (Z ** 2).sum(1).max(), 0.5 / S.sigma)
        S.k = 1 - S.eta * S.sigma
    alpha, beta, u, nu = witness(rng, S, Z)
    const, slope = (v_rows_logistic_label if logistic else v_rows_label)(S, Z, p, alpha, beta, u)
    B = const + v_quiet(S, alpha, beta, slope)
    centre = (slope - S.sigma * beta) / (2 * alpha * S.sigma * (2 - S.eta * S.sigma))
    th = thetas(rng, Z, p, centre)
    G = rows_G(S, Z, p, alpha, beta, th, logistic, False) + quadratic(S, alpha, beta, th)
    for i, z in enumerate(Z):
        zz = np.broadcast_to(z, th.shape)
        G += S.eps * p[i] * np.maximum(point_G(S, alpha, beta, th, zz, logistic, kink=rng.uniform()),
                                       point_G(S, alpha, beta, th, -zz, logistic, kink=rng.uniform()))
    return B, G


def multiclass(rng, S, form, error):
    K = rng.integers(2, 6)
    d = rng.integers(1, 4)
    N = rng.integers(1, 6)
    X = rng.normal(size=(N, d)) * 10 ** rng.uniform(-1, 0.4)
    y = rng.integers(0, K, N)
    p = rng.dirichlet(np.ones(N))
    Z, q, own = [], [], []
    for i in range(N):
        for j in range(K):
            if j != y[i]:
                e = np.zeros(K)
                e[y[i]], e[j] = 1, -1
                Z.append(np.kron(e, X[i])), q.append(p[i]), own.append(i)
    Z, q, own = np.array(Z), np.array(q), np.array(own)
    alpha, beta, u, nu = witness(rng, S, Z, 0 if error else 1)
    J = (1 - S.eps) * (2 * alpha * S.k + alpha * S.eta * K * (X[own] ** 2).sum(1) + Z @ beta)
    if error:
        k0 = 2 * alpha * S.k * (1 - S.eps)
        c = rng.uniform(max(0, 1 - k0), 1, len(Z)) if k0 < 1 else np.clip(rng.uniform(-.3, 1, len(Z)), 0, 1)
        const, slope = v_rows_error(S, Z, q, alpha, beta, u, rng.uniform(0, 1, len(Z)), c, J)
    else:
        const, slope = v_rows_hinge(S, Z, q, alpha, beta, u, J=J)
    R = 10 ** rng.uniform(-1, 0.5)
    Gam = R * np.sqrt(K * (K - 1))
    chi = 2 * alpha * S.k - nu
    low = alpha * S.sigma * (2 - S.eta * S.sigma)
    tau = tau_for(rng, S, alpha, nu, Gam if form == "ball" else R * K * (K - 1))
    yy = rng.integers(0, K)
    if form == "ball":
        Q = Gam * np.eye(K * d)
        width = Gam
    else:
        ch = -np.ones(K)
        ch[yy] = K - 1
        oth = np.eye(K)
        oth[yy, yy] = 0
        o = np.ones(K)
        o[yy] = 0
        oth -= np.outer(o, o) / (K - 1)
        Q = R * np.kron(np.outer(ch, ch) + (K - 1) / 2 * oth, np.eye(d))
        width = R
    A = low * np.eye(K * d) - S.eps * chi ** 2 / (2 * tau) * Q
    v = slope + S.eps * chi / tau * Q @ beta - S.sigma * beta
    D = alpha * S.eta * Gam ** 2 + width * tau / 2
    assert np.linalg.eigvalsh(A)[0] > 0
    B = const + S.eps * (D + (K - 1) * nu + beta @ Q @ beta / (2 * tau)) + v @ np.linalg.solve(A, v) / 4
    centre = np.linalg.solve(A, v) / 2
    th = thetas(rng, Z, q, centre, 30)
    m = len(th)

    def step(th, x, y):
        """the gradient g for features x (m, d), label y"""
        T = th.reshape(m, K, d)
        g = np.zeros((m, K, d))
        loss, err = np.zeros(m), np.zeros(m)
        for j in range(K):
            if j == y:
                continue
            s = ((T[:, y] - T[:, j]) * x).sum(1)
            a = (s <= 1).astype(float)
            g[:, y] += a[:, None] * x
            g[:, j] -= a[:, None] * x
            loss += np.maximum(0, 1 - s)
            err = np.maximum(err, s <= 0)
        return g.reshape(m, -1), loss, err

    X2 = 2 * alpha * S.k * th + beta
    G = quadratic(S, alpha, beta, th)
    for i in range(N):
        g, loss, err = step(th, np.broadcast_to(X[i], (m, d)), y[i])
        G += p[i] * ((1 - S.eps) * ((X2 * g).sum(1) + alpha * S.eta * (g ** 2).sum(1)) + (err if error else loss))
    worst = G.copy()
    XX = X2.reshape(m, K, d)
    TT = th.reshape(m, K, d)
    for lab in ([yy] if form != "ball" else range(K)):
        for trial in range(8):
            sub = rng.random(K) < rng.choice([1, .5])
            dirn = sum((XX[:, lab] - XX[:, j]) for j in range(K) if sub[j] or trial == 0)
            if trial >= 5 or np.isscalar(dirn):
                dirn = rng.normal(size=(m, d))
            z = R * dirn / (np.linalg.norm(dirn, axis=1, keepdims=True) + 1e-300)
            if trial % 2:   # shrink so that all terms act
                s = max_margin = np.max([((TT[:, lab] - TT[:, j]) * z).sum(1) for j in range(K) if j != lab], axis=0)
                z = z / np.maximum(s, 1)[:, None]
            g, _, _ = step(th, z, lab)
            worst = np.maximum(worst, G + S.eps * ((X2 * g).sum(1) + alpha * S.eta * (g ** 2).sum(1)))
    return B, worst


def target(rng, S, logistic):
    Z, p = data(rng)
    if logistic:
        S.eta = min(S.eta, 1.9 / (Z ** 2).sum(1).max(), 0.5 / S.sigma)
        S.k = 1 - S.eta * S.sigma
    t = rng.dirichlet(np.ones(len(Z)) * 0.5)
    alpha, beta, u, nu = witness(rng, S, Z, (t / p).max())
    const, slope = (v_rows_logistic if logistic else v_rows_hinge)(S, Z, p, alpha, beta, u, t)
    R = 10 ** rng.uniform(-1, 0.7)
    tau = tau_for(rng, S, alpha, nu, R)
    B = const + v_set_ball(S, alpha, beta, slope, R, tau, nu, logistic)
    chi = 2 * alpha * S.k - nu
    a = alpha * S.sigma * (2 - S.eta * S.sigma) - S.eps * R * chi ** 2 / (2 * tau)
    th = thetas(rng, Z, p, (slope + (S.eps * R * chi / tau - S.sigma) * beta) / (2 * a))
    base = rows_G(S, Z, p, alpha, beta, th, logistic, False, t) + quadratic(S, alpha, beta, th)
    worst = base.copy()
    for z in points(rng, th, 2 * alpha * S.k * th + beta, R):
        worst = np.maximum(worst, base + S.eps * point_G(S, alpha, beta, th, z, logistic))
    return B, worst


def shells(rng, S):
    """A shell around c, chords of the remaining target, data rows with target weights used up first."""
    Z, p = data(rng)
    d = Z.shape[1]
    Y = rng.normal(size=(4, d)) * 10 ** rng.uniform(-1, 0.3)
    tY = rng.dirichlet(np.ones(4))
    alpha, beta, u, nu = witness(rng, S, Z, 0)
    c = rng.normal(size=d) * 10 ** rng.uniform(-1, 1)
    k0 = 2 * alpha * S.k * (1 - S.eps)
    J = jumps(S, Z, alpha, beta)
    const, slope = np.sum(p * np.maximum(J, 0)) - k0 * p @ u, k0 * Z.T @ (p * u)
    r0, r1 = np.sort(10 ** rng.uniform(-1, 1.5, 2))
    h = lambda s: np.maximum(0, 1 - s)
    g, rho = Y @ c, r1 * np.linalg.norm(Y, axis=1)
    Aj, Dj = (h(g - rho) + h(g + rho)) / 2, (h(g + rho) - h(g - rho)) / (2 * rho)
    const += tY @ Aj - (tY * Dj) @ g
    slope = slope + Y.T @ (tY * Dj)
    R = 10 ** rng.uniform(-1, 0.7)
    chi = 2 * alpha * S.k - nu
    tau = 10 ** rng.uniform(-1, 2)
    mu = rng.choice([0, 10 ** rng.uniform(-3, 0)])
    low = alpha * S.sigma * (2 - S.eta * S.sigma) - S.eps * R * chi ** 2 / (2 * tau) - mu
    om = max(0, -low) * 1.1 + 10 ** rng.uniform(-3, 0)
    a = low + om
    # om (r1^2 - |th-c|^2) + mu (|th-c|^2 - r0^2), expanded around 0
    v = slope + (S.eps * R * chi / tau - S.sigma) * beta + 2 * (om - mu) * c
    const += om * (r1 ** 2 - c @ c) - mu * (r0 ** 2 - c @ c)
    B = const + S.eps * (alpha * S.eta * R ** 2 + nu + R * tau / 2 + R * beta @ beta / (2 * tau)) + v @ v / (4 * a)
    m = 100
    f = rng.normal(size=(m, d))
    th = c + f / np.linalg.norm(f, axis=1, keepdims=True) * rng.uniform(r0, r1, (m, 1))
    base = rows_G(S, Z, p, alpha, beta, th, False, False, 0 * p) + quadratic(S, alpha, beta, th) + h(th @ Y.T) @ tY
    worst = base.copy()
    for z in points(rng, th, 2 * alpha * S.k * th + beta, R):
        worst = np.maximum(worst, base + S.eps * point_G(S, alpha, beta, th, z, False))
    return B, worst


def clipped(rng, S, logistic):
    """Clipping at G, adversary without any limit."""
    Z, p = data(rng)
    if logistic:
        S.eta = min(S.eta, 1.9 / (Z ** 2).sum(1).max(), 0.5 / S.sigma)
        S.k = 1 - S.eta * S.sigma
    n = np.linalg.norm(Z, axis=1)
    G = n.max() * rng.uniform(0.3, 1.2)
    r = np.minimum(1, G / n)
    alpha, beta, u, nu = witness(rng, S, Z, 1 / r.min())
    if logistic:
        const, slope = v_rows_logistic(S, Z, p, alpha, beta, u, cap=r)
    else:
        J = (1 - S.eps) * (r * (2 * alpha * S.k + Z @ beta) + alpha * S.eta * (r * n) ** 2)
        y = (2 * alpha * S.k * (1 - S.eps) * r - 1) * u
        const, slope = np.sum(p * (np.maximum(J, 0) - y)), Z.T @ (p * y)
    tau = tau_for(rng, S, alpha, nu, G)
    chi = 2 * alpha * S.k - nu
    a = alpha * S.sigma * (2 - S.eta * S.sigma) - S.eps * G * chi ** 2 / (2 * tau)
    v = slope + (S.eps * G * chi / tau - S.sigma) * beta
    B = const + S.eps * (alpha * S.eta * G ** 2 + nu * (LAMBERT if logistic else 1) + G * tau / 2
                         + G * beta @ beta / (2 * tau)) + v @ v / (4 * a)
    th = thetas(rng, Z, p, v / (2 * a))
    base = rows_G(S, Z, p, alpha, beta, th, logistic, False, clip=G) + quadratic(S, alpha, beta, th)
    worst = base.copy()
    for z in points(rng, th, 2 * alpha * S.k * th + beta, G * 10 ** rng.uniform(0, 3)):
        worst = np.maximum(worst, base + S.eps * point_G(S, alpha, beta, th, z, logistic, clip=G))
    return B, worst


def bias(rng, S, logistic):
    """Last coordinate without regularization: alpha/k on the others, alpha on it, nu = 2 alpha, slopes that cancel in it."""
    Z, p = data(rng, rng.integers(2, 5))
    N, d = Z.shape
    Z[:, -1] = np.where(np.arange(N) % 2 == 0, 1, -1) * 0.5
    if logistic:
        S.eta = min(S.eta, 1.9 / (Z ** 2).sum(1).max(), 0.5 / S.sigma)
        S.k = 1 - S.eta * S.sigma
    al = 1 / (2 * (1 - S.eps)) * (1 + 10 ** rng.uniform(-3, 1))
    beta = -2 * al * rng.normal(size=d)
    kap = 2 * al * (1 - S.eps) - 1
    u = rng.uniform(0, 1, N)
    plus, minus = p[::2] @ u[::2], (p[1::2] @ u[1::2] if N > 1 else 0)
    both = min(plus, minus)
    u[::2] *= both / plus
    if N > 1:
        u[1::2] *= both / minus
    y = kap * u
    aw = np.full(d, al / S.k)
    aw[-1] = al
    n2 = (Z ** 2) @ aw    # alpha-weighted
    if logistic:
        A = 2 * al * (1 - S.eps)
        T = sup_h(A, y, kap - y, (1 - S.eps) * (Z @ beta), (1 - S.eps) * S.eta * n2)
        const = p @ T
    else:
        J = (1 - S.eps) * (2 * al + S.eta * n2 + Z @ beta)
        const = p @ (np.maximum(J, 0) - y)
    slope = Z.T @ (p * y)
    R = 10 ** rng.uniform(-1, 0.7)
    v = (slope - S.sigma * beta)[:-1]
    a = al / S.k * S.sigma * (2 - S.eta * S.sigma)
    B = const + S.eps * (S.eta * al / S.k * R ** 2 + 2 * al * (LAMBERT if logistic else 1) + R * np.linalg.norm(beta)) + v @ v / (4 * a)
    th = thetas(rng, Z, p, np.append(v / (2 * a), rng.normal() * 10))
    th[::4, -1] *= 1e3
    sig = np.full(d, S.sigma)
    sig[-1] = 0
    lam = lambda t: ((t ** 2) @ aw + t @ beta) / S.eta

    def move(z, w):
        return lam((1 - S.eta * sig) * th + S.eta * w[:, None] * z) - lam(th)
    G = np.zeros(len(th))
    for i, z in enumerate(Z):
        zz = np.broadcast_to(z, th.shape)
        s = th @ z
        G += p[i] * ((1 - S.eps) * move(zz, act(th, zz, logistic)) + (phi(s) if logistic else np.maximum(0, 1 - s)))
    worst = np.full(len(th), -np.inf)
    for z in points(rng, th, 2 * al * th + beta, R) + [0 * th]:
        worst = np.maximum(worst, G + S.eps * move(z, act(th, z, logistic)))
    return B, worst


def projection(rng, S):
    """lambda does not grow under projection when -beta/(2 alpha) is in the ball. B: 0, G: growth."""
    d = rng.integers(1, 6)
    rho = 10 ** rng.uniform(-1, 1)
    c = rng.normal(size=d)
    c *= rho * rng.uniform() / np.linalg.norm(c)
    t = rng.normal(size=(100, d)) * 10 ** rng.uniform(-1, 2, (100, 1))
    n = np.linalg.norm(t, axis=1, keepdims=True)
    q = t * np.minimum(1, rho / n)
    return 0.0, ((q - c) ** 2).sum(1) - ((t - c) ** 2).sum(1)


def batch(rng, S, logistic):
    """A batch step against the mean of its single steps."""
    Z, p = data(rng)
    alpha, beta, u, nu = witness(rng, S, Z)
    th = thetas(rng, Z, p, 0 * beta, 30)
    lam = lambda t: (alpha * (t ** 2).sum(1) + t @ beta) / S.eta
    b = rng.integers(1, 9)
    mean, g = 0, 0
    for _ in range(b):
        z = rng.normal(size=th.shape)
        step = act(th, z, logistic)[:, None] * z
        mean = mean + lam(S.k * th + S.eta * step) / b
        g = g + step / b
    diff = lam(S.k * th + S.eta * g) - mean
    return 0.0, diff / (1 + np.abs(mean))


VARIANTS = {}
for loss in ("hinge", "logistic"):
    for err in (False, True):
        for st in ("ball", "box", "ellipsoid"):
            VARIANTS[f"{loss}{'-error' if err else ''} {st}"] = (
                lambda rng, S, loss=loss, err=err, st=st: ball_like(rng, S, None, loss == "logistic", err, st))
    L = loss == "logistic"
    VARIANTS[f"{loss} finite set"] = lambda rng, S, L=L: finite(rng, S, L)
    VARIANTS[f"{loss} label-only"] = lambda rng, S, L=L: label(rng, S, L)
    VARIANTS[f"{loss} target weights"] = lambda rng, S, L=L: target(rng, S, L)
    VARIANTS[f"{loss} clipping, any point"] = lambda rng, S, L=L: clipped(rng, S, L)
    VARIANTS[f"{loss} free bias"] = lambda rng, S, L=L: bias(rng, S, L)
    VARIANTS[f"{loss} mini-batch step"] = lambda rng, S, L=L: batch(rng, S, L)
VARIANTS["hinge target shell"] = shells
VARIANTS["projection"] = projection
for form in ("ball", "classes"):
    for err in (False, True):
        VARIANTS[f"multi-class{'-error' if err else ''} {form}"] = lambda rng, S, form=form, err=err: multiclass(rng, S, form, err)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    bad = 0
    for name, f in VARIANTS.items():
        rng = np.random.default_rng(seed)
        end, n, evals, least = time.time() + seconds, 0, 0, np.inf
        while time.time() < end:
            try:
                B, G = f(rng, settings(rng))
            except AssertionError:
                continue
            n, evals = n + 1, evals + len(G)
            margin = (B - np.nanmax(G)) / (1 + abs(B))
            if margin < least:
                least = margin
            if margin < -1e-9:
                bad += 1
                print("BROKEN", name, n, margin)
                break
        print(f"{name:32s} instances {n:6d}  theta tried {evals:9d}  least relative margin {least:.3e}", flush=True)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
