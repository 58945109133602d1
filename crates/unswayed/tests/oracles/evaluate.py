"""Bounds from a witness in floating point, G_lambda itself, and a search that tries to break the bounds.

A case is a Setting, rows Z (N x d) with weights p, and a witness. `rows_*` return (constant, slope): the line above
what the rows contribute to G. `set_*` return what the adversary and the maximum over theta add.
"""
import numpy as np
from learners import Setting, sup_h, entropy_value, entropy_argmax, LAMBERT


def pi(s):
    return 1 / (1 + np.exp(np.clip(s, -700, 700)))


def phi(s):
    return np.logaddexp(0, -s)


# ------------------------------------------------------------------ rows

def jumps(S, Z, alpha, beta, scale=1.0):
    return (1 - S.eps) * (2 * alpha * S.k + alpha * S.eta * scale * (Z ** 2).sum(1) + Z @ beta)


def v_rows_hinge(S, Z, p, alpha, beta, u, t=None, J=None):
    """u in [0,1]: share of the largest slope."""
    t = p if t is None else t
    kap = 2 * alpha * S.k * (1 - S.eps) * p - t
    assert (kap >= 0).all()
    J = jumps(S, Z, alpha, beta) if J is None else J
    y = kap * u
    return np.sum(p * np.maximum(J, 0)) - y.sum(), Z.T @ y


def v_rows_error(S, Z, p, alpha, beta, u, u2, c, J=None):
    k0 = 2 * alpha * S.k * (1 - S.eps)
    g = k0 - 1 + c
    assert (g >= 0).all()
    J = jumps(S, Z, alpha, beta) if J is None else J
    return np.sum(p * (np.maximum(J + c, 0) - g * u)), Z.T @ (p * (g * u + (1 - c) * u2))


def label_T(S, n2, b, alpha, y):
    e, A = S.eps, 2 * alpha * S.k
    q = alpha * S.eta * n2
    J, Jp, Jm = (1 - e) * (A + q + b), A + q + b, A + q - b
    kap = (1 - e) * A - 1
    assert kap >= 0 and (y >= 0).all() and (y <= kap + 1e-12).all()
    left = J - 2 * kap + y + e * np.maximum(np.maximum(0, Jp - 2 * A), Jm)
    right = -y + np.maximum(J + e * np.maximum(Jp, Jm - 2 * A), e * np.maximum(0, Jm - 2 * A))
    return np.maximum(left, right)


def v_rows_label(S, Z, p, alpha, beta, u):
    kap = 2 * alpha * S.k * (1 - S.eps) - 1
    T = label_T(S, (Z ** 2).sum(1), Z @ beta, alpha, kap * u)
    return p @ T, Z.T @ (p * kap * u)


def v_rows_logistic(S, Z, p, alpha, beta, u, t=None, cap=1.0):
    t = p if t is None else t
    A = 2 * alpha * S.k * (1 - S.eps)
    kap, top = A - t / p, A * cap - t / p
    assert np.all(top >= 0) and np.all(S.eta * (Z ** 2).sum(1) <= 4 * S.k)
    y = top * u
    T = sup_h(A, y, kap - y, (1 - S.eps) * (Z @ beta), (1 - S.eps) * alpha * S.eta * (Z ** 2).sum(1))
    return p @ T, Z.T @ (p * y)


def v_rows_logistic_label(S, Z, p, alpha, beta, u):
    e, B = S.eps, 2 * alpha * S.k
    n2, b = (Z ** 2).sum(1), Z @ beta
    kap = (1 - e) * B - 1
    y, q = kap * u, alpha * S.eta * n2
    plain = sup_h(B, y, kap - y + e * B, b, q)
    # e q (1-w)^2 = e q - 2 e q w + e q w^2
    flip = sup_h(B, y + e * B, kap - y, b - 2 * e * q, q) - e * b + e * q
    return p @ np.maximum(plain, flip), Z.T @ (p * y)


def half_sup(A, y1, y0, b, c, upper):
    w = entropy_argmax(A, y1, y0, b, c)
    w = np.maximum(w, 0.5) if upper else np.minimum(w, 0.5)
    h, dh = entropy_value(A, y1, y0, b, c, w)
    plain = h - dh ** 2 / (4 * (2 * A - c))
    at_end = (w == 0.5) & ((dh <= 0) if upper else (dh >= 0))
    return np.where(at_end, plain, h)


def v_rows_logistic_error(S, Z, p, alpha, beta, u):
    A = 2 * alpha * S.k * (1 - S.eps)
    y = A * u
    b, c = (1 - S.eps) * (Z @ beta), (1 - S.eps) * alpha * S.eta * (Z ** 2).sum(1)
    T = np.maximum(half_sup(A, y, A - y, b, c, False), 1 + half_sup(A, y, A - y, b, c, True))
    return p @ T, Z.T @ (p * y)


# ------------------------------------------------------------------ sets

def point_const(D, nu, logistic):
    """sup_w D w^2 + nu w s(w), by a grid and a local refinement (the checker's branch and bound gives the same, rounded up)."""
    if not logistic:
        return D + nu
    if nu <= 0:
        return D
    lo, hi = -45.0, 45.0
    for _ in range(6):
        s = np.linspace(lo, hi, 4001)
        w = pi(s)
        f = D * w * w + nu * w * s
        i = int(np.argmax(f))
        lo, hi = s[max(i - 2, 0)], s[min(i + 2, 4000)]
    return max(float(f[i]), D if lo <= -44 else 0.0)


def v_set_ball(S, alpha, beta, slope, R, tau, nu, logistic=False, mu=0.0, rho=0.0):
    chi = 2 * alpha * S.k - nu
    a = alpha * S.sigma * (2 - S.eta * S.sigma) + mu - S.eps * R * chi ** 2 / (2 * tau)
    assert a > 0
    v = slope + (S.eps * R * chi / tau - S.sigma) * beta
    D = alpha * S.eta * R ** 2 + R * tau / 2
    return S.eps * (point_const(D, nu, logistic) + R * beta @ beta / (2 * tau)) + mu * rho ** 2 + v @ v / (4 * a)


def v_set_box(S, alpha, beta, slope, Rs, tau, nu, logistic=False):
    chi = 2 * alpha * S.k - nu
    a = alpha * S.sigma * (2 - S.eta * S.sigma) - S.eps * Rs * chi ** 2 / (2 * tau)
    assert (a > 0).all()
    v = slope + (S.eps * Rs * chi / tau - S.sigma) * beta
    D = alpha * S.eta * Rs @ Rs + Rs @ tau / 2
    return S.eps * (point_const(D, nu, logistic) + Rs @ (beta ** 2 / (2 * tau))) + np.sum(v * v / (4 * a))


def v_set_ellipsoid(S, alpha, beta, slope, Q, tau, nu, logistic=False):
    chi = 2 * alpha * S.k - nu
    d = len(beta)
    A = alpha * S.sigma * (2 - S.eta * S.sigma) * np.eye(d) - S.eps * chi ** 2 / (2 * tau) * Q
    assert np.linalg.eigvalsh(A)[0] > 0
    v = slope + S.eps * chi / tau * Q @ beta - S.sigma * beta
    D = alpha * S.eta * np.linalg.eigvalsh(Q)[-1] + tau / 2
    return S.eps * (point_const(D, nu, logistic) + beta @ Q @ beta / (2 * tau)) + v @ np.linalg.solve(A, v) / 4


def v_quiet(S, alpha, beta, slope):
    v = slope - S.sigma * beta
    return v @ v / (4 * alpha * S.sigma * (2 - S.eta * S.sigma))


def v_finite_point(S, alpha, beta, a, w, logistic=False):
    """(constant, slope) of eps times the line above one point of a finite set, share w of the largest slope 2 alpha k."""
    A = 2 * alpha * S.k
    if not logistic:
        J = A + alpha * S.eta * a @ a + beta @ a
        return S.eps * (max(J, 0) - A * w), S.eps * A * w * a
    y = A * w
    return S.eps * float(sup_h(A, y, A - y, beta @ a, alpha * S.eta * a @ a)), S.eps * y * a


# ------------------------------------------------------------------ G itself

def quadratic(S, alpha, beta, th):
    return -alpha * S.sigma * (2 - S.eta * S.sigma) * (th ** 2).sum(-1) - S.sigma * th @ beta


def act(th, z, logistic, kink=1.0):
    s = np.sum(th * z, -1)
    return pi(s) if logistic else np.where(s < 1, 1.0, np.where(s > 1, 0.0, kink))


def point_G(S, alpha, beta, th, z, logistic, clip=None, kink=1.0):
    w = act(th, z, logistic, kink)
    x = 2 * alpha * S.k * th + beta
    g = w[..., None] * z
    if clip is not None:
        n = np.linalg.norm(g, axis=-1, keepdims=True)
        g = g * np.minimum(1, clip / np.maximum(n, 1e-300))
    return np.sum(x * g, -1) + alpha * S.eta * (g ** 2).sum(-1)


def rows_G(S, Z, p, alpha, beta, th, logistic, error, t=None, clip=None, kink=1.0):
    """th: (m, d). Benign steps and the loss."""
    t = p if t is None else t
    m = len(th)
    total = np.zeros(m)
    for i, z in enumerate(Z):
        zz = np.broadcast_to(z, th.shape)
        total += (1 - S.eps) * p[i] * point_G(S, alpha, beta, th, zz, logistic, clip, kink)
        s = th @ z
        total += t[i] * ((s <= 0) if error else phi(s) if logistic else np.maximum(0, 1 - s))
    return total
