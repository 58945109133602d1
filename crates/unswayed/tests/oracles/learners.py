"""Reference implementation of the bounds in docs/theory.md: conic programs, formulas, G, attacks.

Only numpy, scipy and cvxpy (with Clarabel) are used. `python learners_cases.py` writes learners.json.

Letters as in docs/theory.md: eta, sigma, eps, k = 1 - eta*sigma; alpha, beta the witness of lambda;
rows z_i with weights p_i; T_i, y_i the line T_i + y_i s_i above what row i contributes to G.
All row quantities T, y here carry the weight p_i already.
"""
import numpy as np
import cvxpy as cp

LN2 = np.log(2.0)
LAMBERT = 0.27847  # upper bound of sup s/(1+e^s)


class Setting:
    def __init__(self, eta, sigma, eps):
        self.eta, self.sigma, self.eps, self.k = eta, sigma, eps, 1 - eta * sigma


# ---------------------------------------------------------------- conic pieces

def softplus_persp(A, b, cons, n):
    """t >= A log(1 + exp(b/A)), elementwise."""
    t, p1, p2 = cp.Variable(n), cp.Variable(n), cp.Variable(n)
    ones = np.ones(n)
    Av = A * ones
    cons += [cp.ExpCone(-t, Av, p1), cp.ExpCone(b - t, Av, p2), p1 + p2 <= Av]
    return t


JOINT = True


def sup_entropy(A, y1, y0, b, cons, n):
    """Epigraph of sup_w A H(w) + y1 log w + y0 log(1-w) + b w over w in (0,1); A, y1, y0 >= 0."""
    b1, lam = cp.Variable(n), cp.Variable(n)
    if not JOINT:   # the weaker, decoupled form: sup (A H + b w) + sup (y1 log w + y0 log(1-w))
        cons += [b1 == b, lam == y1 + y0]
    t = softplus_persp(A, b1, cons, n)
    r1, r0 = cp.Variable(n), cp.Variable(n)
    ones = np.ones(n)
    y1, y0 = y1 * ones if y1.shape == () else y1, y0 * ones if y0.shape == () else y0
    # r >= y log(y/p)  <=>  (-r, y, p) in the exponential cone
    cons += [cp.ExpCone(-r1, y1, lam - b + b1), cp.ExpCone(-r0, y0, lam)]
    return t + r1 + r0 - y1 - y0 + lam


class Base:
    """alpha, beta and what follows from them."""

    def __init__(self, S, d):
        self.S, self.d = S, d
        self.alpha, self.beta = cp.Variable(nonneg=True), cp.Variable(d)
        self.cons = []
        self.two_ak = 2 * S.k * self.alpha
        self.kappa0 = (1 - S.eps) * self.two_ak


def rows_hinge(M, Z, p, t=None):
    """Hinge target t (weights), default the data: sum and slope of the lines."""
    S, t = M.S, p if t is None else t
    n2 = (Z ** 2).sum(1)
    J = (1 - S.eps) * (M.two_ak + S.eta * n2 * M.alpha + Z @ M.beta)
    T, y = cp.Variable(len(Z), nonneg=True), cp.Variable(len(Z), nonneg=True)
    M.cons += [T >= cp.multiply(p, J), y <= M.kappa0 * p - t]
    M.y, M.T = y, T
    return cp.sum(T) - cp.sum(y), Z.T @ y


def rows_error(M, Z, p):
    S = M.S
    n2 = (Z ** 2).sum(1)
    J = (1 - S.eps) * (M.two_ak + S.eta * n2 * M.alpha + Z @ M.beta)
    N = len(Z)
    T, y1, y2, c = (cp.Variable(N, nonneg=True) for _ in range(4))
    M.cons += [T >= cp.multiply(p, J + c), y1 <= cp.multiply(p, M.kappa0 - 1 + c), y2 <= cp.multiply(p, 1 - c)]
    M.y, M.y1, M.y2, M.c = y1 + y2, y1, y2, c
    return cp.sum(T) - cp.sum(y1), Z.T @ (y1 + y2)


def rows_label(M, Z, p):
    """Hinge rows and the label-only attacker together; the line is T + y s."""
    S = M.S
    n2 = (Z ** 2).sum(1)
    b = Z @ M.beta
    e, A = S.eps, M.two_ak
    J = (1 - e) * (A + S.eta * n2 * M.alpha + b)
    Jp, Jm = A + S.eta * n2 * M.alpha + b, A + S.eta * n2 * M.alpha - b
    N = len(Z)
    kap = M.kappa0 - 1
    T, y = cp.Variable(N), cp.Variable(N, nonneg=True)   # per row, without weight
    low = J - 2 * kap + y
    M.cons += [y <= kap * np.ones(N)]
    for extra in (0, Jp - 2 * A, Jm):
        M.cons += [T >= low + e * extra]
    for extra in (Jp, Jm - 2 * A):
        M.cons += [T >= J - y + e * extra]
    M.cons += [T >= -y, T >= -y + e * (Jm - 2 * A)]
    M.y, M.T = y, T
    return p @ T, Z.T @ cp.multiply(p, y)


def rows_logistic(M, Z, p, t=None, label=False):
    """Logistic rows (w^2 <= w in the program, exact in the formula); with label: and the label-only attacker."""
    S, t = M.S, p if t is None else t
    n2 = (Z ** 2).sum(1)
    N = len(Z)
    b = Z @ M.beta
    y = cp.Variable(N, nonneg=True)
    # weights: divide by p so that all rows are of one scale
    kap = M.kappa0 - t / p
    M.cons += [y <= kap]
    M.y = y
    if not label:
        T = sup_entropy(M.kappa0, y, kap - y, (1 - S.eps) * (b + S.eta * n2 * M.alpha), M.cons, N)
        return p @ T, Z.T @ cp.multiply(p, y)
    e, A = S.eps, M.two_ak
    T = cp.Variable(N)
    U1 = sup_entropy(A, y, kap - y + e * A, b + S.eta * n2 * M.alpha, M.cons, N)
    c = S.eta * n2 * M.alpha
    U2 = sup_entropy(A, y + e * A, kap - y, b + (1 - 2 * e) * c, M.cons, N) - e * b + e * c
    M.cons += [T >= U1, T >= U2]
    return p @ T, Z.T @ cp.multiply(p, y)


def rows_logistic_error(M, Z, p):
    S = M.S
    n2 = (Z ** 2).sum(1)
    N = len(Z)
    b = (1 - S.eps) * (Z @ M.beta + S.eta * n2 * M.alpha)
    y, x0, x1 = (cp.Variable(N, nonneg=True) for _ in range(3))
    M.cons += [y <= M.kappa0]
    T = cp.Variable(N)
    M.cons += [T >= sup_entropy(M.kappa0, y, M.kappa0 - y, b - x0, M.cons, N) + x0 / 2]
    M.cons += [T >= 1 + sup_entropy(M.kappa0, y, M.kappa0 - y, b + x1, M.cons, N) - x1 / 2]
    M.y = y
    return p @ T, Z.T @ cp.multiply(p, y)


def frac(S, alpha, chi, tau, L1, beta, width, extra=0):
    """sup over theta of L1.theta - alpha sigma(2-eta sigma)|theta|^2 + eps width |chi theta + beta|^2/(2 tau).

    width: number; L1 = slope - sigma beta; extra: added to the curvature (already divided by sigma)."""
    n = L1.shape[0]
    P = cp.bmat([[cp.reshape(alpha * (2 - S.eta * S.sigma) + extra, (1, 1), order="F"), cp.reshape(-chi / 2, (1, 1), order="F")],
                 [cp.reshape(-chi / 2, (1, 1), order="F"), cp.reshape(tau * (S.sigma / (2 * S.eps * width)), (1, 1), order="F")]])
    r = np.sqrt(S.sigma)
    L = cp.vstack([cp.reshape(L1 / r, (1, n), order="F"), cp.reshape(beta * r, (1, n), order="F")])
    return 0.25 * cp.matrix_frac(L, P)


def quiet(S, M, slope, centre_alpha=None):
    """sup over theta without an adversary term: |slope - sigma beta|^2/(4 alpha sigma (2 - eta sigma))."""
    v = slope - S.sigma * M.beta
    return cp.quad_over_lin(v, M.alpha) / (4 * S.sigma * (2 - S.eta * S.sigma))


def point_constant(M, D, nu, logistic, times=1):
    """What D w^2 + nu w s costs at most: hinge D + nu; logistic sup_w."""
    if not logistic:
        return D + times * nu
    return cut_point(M, D, nu)


def set_ball(M, slope, R, logistic=False, extra=0):
    """One cone of size d+2; set_ellipsoid with Q = R^2 I has the same value in a thirtieth of the time."""
    S = M.S
    if S.eps * R == 0:
        return quiet(S, M, slope)
    tau, nu = cp.Variable(nonneg=True), cp.Variable(nonneg=True)
    M.tau, M.nu = tau, nu
    chi = M.two_ak - nu
    D = S.eta * R ** 2 * M.alpha + R * tau / 2
    return S.eps * point_constant(M, D, nu, logistic) + frac(S, M.alpha, chi, tau, slope - S.sigma * M.beta, M.beta, R, extra)


def set_box(M, slope, Rs, logistic=False):
    S, d = M.S, M.d
    tau, nu = cp.Variable(d, nonneg=True), cp.Variable(nonneg=True)
    M.tau, M.nu = tau, nu
    chi = M.two_ak - nu
    D = S.eta * np.sum(Rs ** 2) * M.alpha + Rs @ tau / 2
    L1 = slope - S.sigma * M.beta
    total = S.eps * point_constant(M, D, nu, logistic)
    for j in range(d):
        total += frac(S, M.alpha, chi, tau[j], L1[j:j + 1], M.beta[j:j + 1], Rs[j])
    return total


def set_ellipsoid(M, slope, Q, logistic=False):
    S, d = M.S, M.d
    w, V = np.linalg.eigh(Q)
    tau, nu = cp.Variable(nonneg=True), cp.Variable(nonneg=True)
    M.tau, M.nu = tau, nu
    chi = M.two_ak - nu
    D = S.eta * w.max() * M.alpha + tau / 2
    L1, be = V.T @ (slope - S.sigma * M.beta), V.T @ M.beta
    total = S.eps * point_constant(M, D, nu, logistic)
    for j in range(d):
        total += frac(S, M.alpha, chi, tau, L1[j:j + 1], be[j:j + 1], max(w[j], 1e-9))
    return total


def solve(M, objective, tol=1e-10, verbose=False):
    prob = cp.Problem(cp.Minimize(objective), M.cons)
    for t in (tol, 1e-8, 1e-7, 1e-6):
        try:
            prob.solve(solver=cp.CLARABEL, tol_gap_abs=t, tol_gap_rel=t, tol_feas=t, verbose=verbose)
            if prob.status in ("optimal", "optimal_inaccurate"):
                break
        except cp.SolverError:
            pass
    M.prob = prob
    return prob.value


# ---------------------------------------------------------------- formulas (from a witness, in floating point)

def H(w):
    w = np.clip(w, 1e-300, 1)
    return -(w * np.log(w)) - np.where(w < 1, (1 - w) * np.log(np.where(w < 1, 1 - w, 1)), 0)


def entropy_value(A, y1, y0, b, c, w):
    """h(w) + h'(w)^2/(4(2A-c)), h = A H + y1 log w + y0 log(1-w) + b w + c w^2: never below sup h."""
    lw, l0 = np.log(w), np.log1p(-w)
    h = (y1 - A * w) * lw + (y0 - A * (1 - w)) * l0 + b * w + c * w * w
    dh = A * (l0 - lw) + y1 / w - y0 / (1 - w) + b + 2 * c * w
    return h + dh ** 2 / (4 * (2 * A - c)), dh


def entropy_argmax(A, y1, y0, b, c):
    """The maximiser, by bisection in s = log((1-w)/w) for vectors."""
    A, y1, y0, b, c = np.broadcast_arrays(*[np.asarray(x, float) for x in (A, y1, y0, b, c)])
    lo, hi = np.full(A.shape, -700.0), np.full(A.shape, 700.0)   # logit of w
    for _ in range(200):
        mid = (lo + hi) / 2
        w, v = 1 / (1 + np.exp(-mid)), 1 / (1 + np.exp(mid))
        with np.errstate(all="ignore"):
            g = -A * mid + y1 / w - y0 / v + b + 2 * c * w
        up = g > 0
        lo, hi = np.where(up, mid, lo), np.where(up, hi, mid)
    return np.clip(1 / (1 + np.exp(-lo)), 1e-15, 1 - 1e-15)


def sup_h(A, y1, y0, b, c):
    w = entropy_argmax(A, y1, y0, b, c)
    return entropy_value(A, y1, y0, b, c, w)[0]


def lines_logistic(S, Z, p, alpha, beta, y, t=None):
    """T_i (with weight) of the logistic rows for slopes y (without weight)."""
    t = p if t is None else t
    n2, b = (Z ** 2).sum(1), Z @ beta
    A = 2 * alpha * S.k * (1 - S.eps)
    kap = A - t / p
    y = np.clip(y, 0, kap)
    return p * sup_h(A, y, kap - y, (1 - S.eps) * b, (1 - S.eps) * alpha * S.eta * n2), y


def point_constant_value(D, nu, logistic):
    if not logistic:
        return D + nu
    # sup_w D w^2 + nu w log((1-w)/w): dense search, refined (a proof uses w^2 <= w or the concave case)
    if nu <= 0:
        return D
    s = np.linspace(-40, 40, 400001)
    w = 1 / (1 + np.exp(s))
    return float(np.max(D * w * w + nu * w * s))


def quad_ball(S, alpha, beta, slope, R, tau, nu):
    chi = 2 * alpha * S.k - nu
    a = alpha * S.sigma * (2 - S.eta * S.sigma) - (S.eps * R * chi ** 2 / (2 * tau) if S.eps else 0)
    v = slope + ((S.eps * R * chi / tau if S.eps else 0) - S.sigma) * beta
    assert a > 0, a
    return (S.eps * R * beta @ beta / (2 * tau) if S.eps else 0) + v @ v / (4 * a)


# ---------------------------------------------------------------- the same with the ratio chi/tau held fixed: no matrix cone

def set_ball_ratio(M, slope, R, ratio, logistic=False, times=1, gamma=None):
    """As set_ball for chi = ratio * tau: second-order cones only. gamma: R where it multiplies a norm (multi-class)."""
    S = M.S
    g = R if gamma is None else gamma
    tau, nu = cp.Variable(nonneg=True), cp.Variable(nonneg=True)
    M.tau, M.nu = tau, nu
    M.cons += [M.two_ak - nu == ratio * tau]
    a = (2 - S.eta * S.sigma) * M.alpha - S.eps * g * ratio ** 2 / (2 * S.sigma) * tau     # a / sigma
    v = slope + (S.eps * g * ratio - S.sigma) * M.beta
    D = S.eta * g ** 2 * M.alpha + g * tau / 2
    return (S.eps * point_constant(M, D, nu, logistic, times) + S.eps * g / 2 * cp.quad_over_lin(M.beta, tau)
            + cp.quad_over_lin(v / np.sqrt(S.sigma), a) / 4)


def golden(f, lo, hi, steps=16):
    """Least value of a quasiconvex f on [lo, hi] found, by golden section."""
    g = (5 ** 0.5 - 1) / 2
    a, b = hi - g * (hi - lo), lo + g * (hi - lo)
    fa, fb = f(a), f(b)
    for _ in range(steps):
        if fa <= fb:
            hi, b, fb = b, a, fa
            a = hi - g * (hi - lo)
            fa = f(a)
        else:
            lo, a, fa = a, b, fb
            b = lo + g * (hi - lo)
            fb = f(b)
    return min((fa, a), (fb, b))


# ---------------------------------------------------------------- logistic rows and point by cutting planes: linear cuts, no exponential cone

def log_odds(w):
    return np.log1p(-w) - np.log(w)


POINT_GRID = 1 / (1 + np.exp(np.concatenate([np.linspace(-30, -6, 25), np.linspace(-6, 6, 1201)])))


def cut_point(M, D, nu):
    """C >= D w^2 + nu w s(w) at the points of a grid."""
    C = cp.Variable()
    w = POINT_GRID
    M.cons += [C >= D * w ** 2 + nu * (w * log_odds(w)), C >= 0]
    return C


def cut_rows(M, Z, p, t, W, error=False, label=False):
    """T_i >= h_i(w) for the w in row i of W. Without weights. label: also the attacker who chooses the label."""
    S = M.S
    n2, b, N = (Z ** 2).sum(1), Z @ M.beta, len(Z)
    y, T = cp.Variable(N, nonneg=True), cp.Variable(N)
    kap = M.kappa0 * np.ones(N) - (0 if error else t / p)
    # few cuts do not bound the program: keep alpha and beta in a box until there are enough
    M.cons += [y <= kap, M.alpha <= 10 * np.max(t / p), cp.norm(M.beta) <= 20 * np.max(t / p) / np.sqrt(S.sigma)]
    e, A = S.eps, M.two_ak
    for w in W.T:
        H = -(w * np.log(w)) - (1 - w) * np.log1p(-w)
        row = M.kappa0 * H + cp.multiply(y, np.log(w)) + cp.multiply(kap - y, np.log1p(-w)) \
            + (1 - e) * cp.multiply(w, b) + (1 - e) * S.eta * n2 * w ** 2 * M.alpha
        if error:
            row = row + (w >= 0.5).astype(float)
        if not label:
            M.cons.append(T >= row)
        else:
            M.cons.append(T >= row + e * (A * (w * log_odds(w)) + cp.multiply(w, b) + S.eta * n2 * w ** 2 * M.alpha))
            v = 1 - w
            M.cons.append(T >= row + e * (A * (-v * log_odds(w)) - cp.multiply(v, b) + S.eta * n2 * v ** 2 * M.alpha))
    M.y = y
    return p @ T, Z.T @ cp.multiply(p, y)


def start_cuts(N, m=33):
    return np.tile(1 / (1 + np.exp(np.linspace(-10, 10, m))), (N, 1))
