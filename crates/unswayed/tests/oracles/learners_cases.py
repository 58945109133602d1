"""Writes learners.json: small reference cases for docs/theory.md.   python learners_cases.py

Every case: data, setting, the witness found, `value` (the formula at the witness), `program` (the conic program's optimum:
a lower bound of the best `value` up to the solver's tolerance, but for `logistic finite set`, where it uses w^2 <= w), `brute_force` (largest G found by a dense search over theta and the adversary's choice;
must be <= value), `fixed_point` (loss at the fixed point of the best constant attack found; must be <= value), `simulated`
(average loss of that attack at the case's learning rate, with its standard error `simulated_se`).
"""
import json
import sys
import numpy as np
import cvxpy as cp
import learners as L
from learners import Setting, Base, solve, golden
from evaluate import *
from attacks import constant_point, label_flips, exact_hinge
from fuzz import thetas, points, box_points

OUT = []


def made(N, d, seed):
    """z_ij = shift_j + 0.55 sin(1.7 i + 2.3 j + 0.9 i j + seed), three decimals, times 0.7."""
    i, j = np.arange(N)[:, None], np.arange(d)[None, :]
    z = 0.55 * np.sin(1.7 * i + 2.3 * j + 0.9 * i * j + seed) + 0.45 / (1 + j)
    return np.round(0.7 * z, 3)


def lst(x):
    return np.asarray(x, float).tolist()


def num(x):
    return float(x.value)


def dense_theta(Z, p, centre, n=40):
    rng = np.random.default_rng(5)
    return np.vstack([thetas(rng, Z, p, centre, 150) for _ in range(n)])


def simulate(S, Z, p, t, logistic, policy, clip=None, project=None, steps=6000, chains=300, seed=0):
    """Average loss of the learner under policy(theta, rng) -> points, burn-in of 6/(eta sigma) steps."""
    rng = np.random.default_rng(seed)
    th = np.zeros((chains, Z.shape[1]))
    burn = int(min(6 / (S.eta * S.sigma), 40000))
    means = np.zeros(chains)
    for n in range(burn + steps):
        if n >= burn and n % 10 == 0:
            s = th @ Z.T
            means += (phi(s) if logistic else np.maximum(0, 1 - s)) @ t / (steps / 10)
        z = Z[rng.choice(len(Z), chains, p=p)]
        bad = rng.random(chains) < S.eps
        z = np.where(bad[:, None], policy(th, rng), z)
        g = act(th, z, logistic)[:, None] * z
        if clip is not None:
            g *= np.minimum(1, clip / np.maximum(np.linalg.norm(g, axis=1, keepdims=True), 1e-300))
        th = S.k * th + S.eta * g
        if project is not None:
            th *= np.minimum(1, project / np.maximum(np.linalg.norm(th, axis=1, keepdims=True), 1e-300))
    return float(means.mean()), float(means.std() / np.sqrt(chains))


def add(name, S, witness, value, program, brute, fixed=None, sim=None, **data):
    row = dict(name=name, eta=S.eta, sigma=S.sigma, eps=S.eps, **data, witness=witness, value=float(value), program=float(program),
               brute_force=float(brute), fixed_point=None if fixed is None else float(fixed),
               simulated=None if sim is None else sim[0], simulated_se=None if sim is None else sim[1])
    ok = brute <= value + 1e-9 and (fixed is None or fixed <= value + 1e-7) and (sim is None or sim[0] - 4 * sim[1] <= value)
    print(f"{name:34s} value {value:.6f} program {program:.6f} brute {brute:.6f} fixed {fixed} sim {sim} {'' if ok else 'BROKEN'}", flush=True)
    assert ok
    OUT.append(row)
    text = json.dumps(OUT, indent=None, separators=(",", ":")).replace('{"name"', '\n{"name"')
    with open("learners.json", "w") as file:
        file.write(text + "\n")


def shared_set(kind, logistic, error=False, mnist=0, t=None, eps=0.05, sigma=0.05, eta=0.01, N=10, d=2, seed=0, label=""):
    S = Setting(eta, sigma, eps)
    if mnist:
        X = np.load(DATA + "mnist_1v7_train_x.npy").astype(float)[:mnist]
        Z = X * np.load(DATA + "mnist_1v7_train_y.npy").astype(float)[:mnist, None]
    else:
        Z = made(N, d, seed)
    N, d = Z.shape
    p = np.ones(N) / N
    R = {"ball": 1.0, "box": np.full(d, 0.8), "ellipsoid": None}[kind]
    if kind == "ellipsoid":
        Q = np.diag(np.linspace(1, 0.25, d)) + 0.1
    tw = p if t is None else t

    def program(W=None):
        M = Base(S, d)
        ratio = None
        if logistic:
            c, s = L.cut_rows(M, Z, p, tw, W, error)
        elif error:
            c, s = (L.rows_logistic_error if logistic else L.rows_error)(M, Z, p)
        else:
            c, s = L.rows_logistic(M, Z, p, tw) if logistic else L.rows_hinge(M, Z, p, tw)
        if kind == "ball":
            obj = c + (L.set_ball_ratio(M, s, R, ratio, logistic) if ratio is not None else L.set_ball(M, s, R, logistic))
        else:
            obj = c + (L.set_box(M, s, R, logistic) if kind == "box" else L.set_ellipsoid(M, s, Q, logistic))
        v = solve(M, obj, 1e-10 if not logistic else 1e-9)
        return M, (9.9 if v is None else v)

    if logistic:   # cutting planes: add the maximiser of every row until nothing changes
        W, old = L.start_cuts(N), -1
        if error:
            W = np.hstack([W, np.full((N, 1), 0.5), np.full((N, 1), 0.5 - 1e-9)])
        for _ in range(25):
            M, v = program(W)
            k0, a0, b0 = num(M.kappa0), num(M.alpha), (1 - eps) * (Z @ M.beta.value)
            kap, c0, y = k0 - (0 if error else tw / p), (1 - eps) * num(M.alpha) * eta * (Z ** 2).sum(1), np.maximum(M.y.value, 0)
            w = entropy_argmax(k0, y, np.maximum(kap - y, 0), b0, c0)
            W = np.hstack([W, w[:, None]] + ([np.maximum(w, 0.5)[:, None], np.minimum(w, 0.5 - 1e-9)[:, None]] if error else []))
            if abs(v - old) < 2e-9:
                break
            old = v
    else:
        M, v = program()
    alpha, beta, nu = num(M.alpha), M.beta.value, max(num(M.nu), 0)
    tau = np.maximum(M.tau.value, 1e-12)
    # the optimum may lie at a = 0: stay inside
    width = 1.0 if kind == "ball" else R if kind == "box" else np.linalg.eigvalsh(Q)[-1]
    least = S.eps * width * (2 * alpha * S.k - nu) ** 2 / (2 * alpha * S.sigma * (2 - S.eta * S.sigma))
    tau = np.maximum(tau, least * (1 + 1e-5))
    k0 = 2 * alpha * S.k * (1 - S.eps)
    w = dict(alpha=alpha, beta=lst(beta), tau=lst(tau), nu=nu)
    if error and not logistic:
        c_ = np.clip(M.c.value, max(0, 1 - k0), 1)
        u = np.clip(M.y1.value / np.maximum(p * (k0 - 1 + c_), 1e-300), 0, 1)
        u2 = np.clip(M.y2.value / np.maximum(p * (1 - c_), 1e-300), 0, 1)
        const, slope = v_rows_error(S, Z, p, alpha, beta, u, u2, c_)
        w.update(u=lst(u), u2=lst(u2), c=lst(c_))
    elif error:
        u = np.clip(M.y.value / k0, 0, 1)
        const, slope = v_rows_logistic_error(S, Z, p, alpha, beta, u)
        w.update(u=lst(u))
    elif logistic:
        u = np.clip(M.y.value / np.maximum(k0 - tw / p, 1e-300), 0, 1)
        const, slope = v_rows_logistic(S, Z, p, alpha, beta, u, tw)
        y = (k0 - tw / p) * u
        w.update(u=lst(u), w=lst(entropy_argmax(k0, y, k0 - tw / p - y, (1 - S.eps) * (Z @ beta),
                                                (1 - S.eps) * alpha * S.eta * (Z ** 2).sum(1))))
    else:
        u = np.clip(M.y.value / np.maximum(k0 * p - tw, 1e-300), 0, 1)
        alpha = max(alpha, np.max(tw / p) / (2 * S.k * (1 - S.eps)) * (1 + 1e-15))
        w["alpha"] = alpha
        const, slope = v_rows_hinge(S, Z, p, alpha, beta, u, tw)
        w.update(u=lst(u))
    if kind == "ball":
        value = const + v_set_ball(S, alpha, beta, slope, R, float(tau), nu, logistic)
    elif kind == "box":
        value = const + v_set_box(S, alpha, beta, slope, R, tau, nu, logistic)
    else:
        value = const + v_set_ellipsoid(S, alpha, beta, slope, Q, float(tau), nu, logistic)
    # brute force
    rng = np.random.default_rng(3)
    I = np.eye(d)
    proj = {"ball": lambda x: x * min(1, 1 / (np.linalg.norm(x) + 1e-300)), "box": lambda x: np.clip(x, -0.8, 0.8)}.get(kind)
    terms = [I]
    if kind == "ellipsoid":
        C = np.linalg.cholesky(Q)
        terms, proj = [C], lambda x: x * min(1, 1 / (np.linalg.norm(x) + 1e-300))
    fixed, x = constant_point(Z, p, tw, S, proj, terms, [-Z.mean(0) * 9, *rng.normal(size=(3, d))], logistic)
    pt = terms[0] @ x
    th = dense_theta(Z, p, -beta / (2 * alpha), 40 if not mnist else 4)
    base = rows_G(S, Z, p, alpha, beta, th, logistic, error, None if error else tw) + quadratic(S, alpha, beta, th)
    xx = 2 * alpha * S.k * th + beta
    cand = (points(rng, th, xx, 1.0) if kind == "ball" else box_points(rng, xx, th, R) if kind == "box"
            else [z @ C.T for z in points(rng, th @ C, xx @ C, 1.0)])
    brute = max(np.max(base + S.eps * point_G(S, alpha, beta, th, z, logistic)) for z in cand + [0 * th])
    sim = None
    if not error and not mnist:
        sim = simulate(S, Z, p, tw, logistic, lambda th, r: np.broadcast_to(pt, th.shape))
    info = dict(file="mnist_1v7_train", rows=mnist) if mnist else dict(Z=lst(Z))
    if kind == "box":
        info["half_widths"] = lst(R)
    if kind == "ellipsoid":
        info["Q"] = lst(Q)
    if t is not None:
        info["target_weights"] = lst(t)
    name = f"{'logistic' if logistic else 'hinge'}{'-error' if error else ''} {kind}{' ' + label if label else ''}" + (f" mnist {mnist}" if mnist else "")
    add(name, S, w, value, v, brute, None if error else fixed, sim, radius=1.0 if kind == "ball" else None, **info)


def label_only(logistic, mnist=0, eps=0.1, sigma=0.05, eta=0.01):
    S = Setting(eta, sigma, eps)
    if mnist:
        X = np.load(DATA + "mnist_1v7_train_x.npy").astype(float)[:mnist]
        Z = X * np.load(DATA + "mnist_1v7_train_y.npy").astype(float)[:mnist, None]
    else:
        Z = made(12, 3, 1)
    N, d = Z.shape
    p = np.ones(N) / N
    W, old = L.start_cuts(N), -1
    for _ in range(25 if logistic else 1):
        M = Base(S, d)
        c, s = L.cut_rows(M, Z, p, p, W, label=True) if logistic else L.rows_label(M, Z, p)
        v = solve(M, c + L.quiet(S, M, s), 1e-10)
        a0, b0, y, n2 = num(M.alpha), Z @ M.beta.value, np.maximum(M.y.value, 0), (Z ** 2).sum(1)
        A0, kap = 2 * a0 * S.k, np.maximum(num(M.kappa0) - 1 - y, 0)
        W = np.hstack([W, entropy_argmax(A0, y, kap + eps * A0, b0, a0 * eta * n2)[:, None],
                       entropy_argmax(A0, y + eps * A0, kap, b0 - 2 * eps * a0 * eta * n2, a0 * eta * n2)[:, None]])
        if abs(v - old) < 1e-9:
            break
        old = v
    alpha, beta = num(M.alpha), M.beta.value
    u = np.clip(M.y.value / (2 * alpha * S.k * (1 - S.eps) - 1), 0, 1)
    const, slope = (v_rows_logistic_label if logistic else v_rows_label)(S, Z, p, alpha, beta, u)
    value = const + v_quiet(S, alpha, beta, slope)
    fixed, f = label_flips(Z, p, S, logistic)
    th = dense_theta(Z, p, -beta / (2 * alpha), 40 if not mnist else 3)
    G = rows_G(S, Z, p, alpha, beta, th, logistic, False) + quadratic(S, alpha, beta, th)
    for i, z in enumerate(Z):
        zz = np.broadcast_to(z, th.shape)
        G += S.eps * p[i] * np.maximum(point_G(S, alpha, beta, th, zz, logistic), point_G(S, alpha, beta, th, -zz, logistic))
    info = dict(file="mnist_1v7_train", rows=mnist) if mnist else dict(Z=lst(Z))
    add(f"{'logistic' if logistic else 'hinge'} label-only" + (f" mnist {mnist}" if mnist else ""), S,
        dict(alpha=alpha, beta=lst(beta), u=lst(u)), value, v, G.max(), fixed, None, **info)


def finite_set(logistic, eps=0.1, sigma=0.05, eta=0.01):
    S = Setting(eta, sigma, eps)
    Z = made(8, 2, 2)
    F = -Z[:4]
    N, d = Z.shape
    p = np.ones(N) / N
    M = Base(S, d)
    tot = cp.Variable()
    ys, ws = [], []
    for a in F:
        c, s = L.rows_logistic(M, Z, p) if logistic else L.rows_hinge(M, Z, p)
        ys.append(M.y)
        w = cp.Variable(nonneg=True)     # slope of the point's line
        M.cons.append(w <= M.two_ak)
        if logistic:
            T = L.sup_entropy(M.two_ak, cp.reshape(w, (1,), order="F"), cp.reshape(M.two_ak - w, (1,), order="F"),
                              cp.reshape(a @ M.beta + S.eta * (a @ a) * M.alpha, (1,), order="F"), M.cons, 1)[0]
        else:
            T = cp.pos(M.two_ak + S.eta * (a @ a) * M.alpha + a @ M.beta) - w
        ws.append(w)
        M.cons.append(tot >= c + S.eps * T + L.quiet(S, M, s + S.eps * w * a))
    v = solve(M, tot, 1e-9)
    alpha, beta = num(M.alpha), M.beta.value
    k0 = 2 * alpha * S.k * (1 - S.eps)
    th = dense_theta(Z, p, -beta / (2 * alpha))
    base = rows_G(S, Z, p, alpha, beta, th, logistic, False) + quadratic(S, alpha, beta, th)
    vals, brute, W, U = [], -np.inf, [], []
    for a, y, w in zip(F, ys, ws):
        u = np.clip(y.value / ((k0 - 1) * (1 if logistic else p)), 0, 1)
        share = float(np.clip(w.value / (2 * alpha * S.k), 0, 1))
        const, slope = (v_rows_logistic if logistic else v_rows_hinge)(S, Z, p, alpha, beta, u)
        c2, s2 = v_finite_point(S, alpha, beta, a, share, logistic)
        vals.append(const + c2 + v_quiet(S, alpha, beta, slope + s2))
        brute = max(brute, np.max(base + S.eps * point_G(S, alpha, beta, th, np.broadcast_to(a, th.shape), logistic)))
        W.append(share), U.append(lst(u))
    from attacks import fixed_point
    fixed, best = -1, None
    for a in F:
        q = np.r_[p * (1 - S.eps), S.eps]
        ZZ = np.vstack([Z, a])
        t = fixed_point(ZZ, q, S.sigma, None, np.zeros(d))[0] if logistic else exact_hinge(ZZ, q, S.sigma)
        l = p @ (phi(Z @ t) if logistic else np.maximum(0, 1 - Z @ t))
        if l > fixed:
            fixed, best = l, a
    sim = simulate(S, Z, p, p, logistic, lambda th, r: np.broadcast_to(best, th.shape))
    add(f"{'logistic' if logistic else 'hinge'} finite set", S, dict(alpha=alpha, beta=lst(beta), u=U, point_share=W), max(vals), v, brute,
        fixed, sim, Z=lst(Z), points=lst(F))


def drift(eps=0.05, sigma=0.05, eta=0.01):
    S = Setting(eta, sigma, eps)
    sets = [made(8, 2, 0), made(6, 2, 4)]
    M = Base(S, 2)
    tot = cp.Variable()
    parts = []
    for Z in sets:
        p = np.ones(len(Z)) / len(Z)
        c, s = L.rows_hinge(M, Z, p)
        y = M.y
        M.cons.append(tot >= c + L.set_ball(M, s, 1.0))
        parts.append((Z, p, y, M.tau, M.nu))
    v = solve(M, tot)
    alpha, beta = num(M.alpha), M.beta.value
    value, brute, W = -1, -1, []
    rng = np.random.default_rng(1)
    for Z, p, y, tau, nu in parts:
        u = np.clip(y.value / ((2 * alpha * S.k * (1 - S.eps) - 1) * p), 0, 1)
        const, slope = v_rows_hinge(S, Z, p, alpha, beta, u)
        value = max(value, const + v_set_ball(S, alpha, beta, slope, 1.0, num(tau), max(0, num(nu))))
        th = dense_theta(Z, p, -beta / (2 * alpha), 20)
        base = rows_G(S, Z, p, alpha, beta, th, False, False) + quadratic(S, alpha, beta, th)
        brute = max(brute, max(np.max(base + S.eps * point_G(S, alpha, beta, th, z, False)) for z in points(rng, th, 2 * alpha * S.k * th + beta, 1.0)))
        W.append(dict(u=lst(u), tau=num(tau), nu=max(0, num(nu))))
    add("hinge drift", S, dict(alpha=alpha, beta=lst(beta), datasets=W), value, v, brute, datasets=[lst(z) for z in sets], radius=1.0)


def free_bias(eps=0.05, sigma=0.05, eta=0.01):
    S = Setting(eta, sigma, eps)
    Z = made(8, 3, 3)
    Z[:, 2] = np.where(np.arange(8) % 2, 0.5, -0.5)
    p = np.ones(8) / 8
    al, be = cp.Variable(nonneg=True), cp.Variable(3)
    M = Base(S, 3)
    n2 = (Z[:, :-1] ** 2).sum(1) / S.k + Z[:, -1] ** 2
    T, y, tau = cp.Variable(8, nonneg=True), cp.Variable(8, nonneg=True), cp.Variable(nonneg=True)
    M.cons += [T >= (1 - eps) * (2 * al + eta * n2 * al + Z @ be), y <= 2 * al * (1 - eps) - 1, Z[:, -1] @ y == 0]
    vw = (Z.T @ y / 8 - sigma * be)[:-1]
    v = solve(M, cp.sum(T - y) / 8 + eps * (eta / S.k * al + 2 * al + cp.norm(be)) + cp.quad_over_lin(vw, al) * S.k / (4 * sigma * (2 - eta * sigma)))
    a, b = num(al), be.value
    u = np.clip(np.round(y.value / (2 * a * (1 - eps) - 1) * 2 ** 30) / 2 ** 30, 0, 1)
    odd, even = u[1::2].sum(), u[::2].sum()
    for part, excess in ((slice(1, None, 2), odd - even), (slice(0, None, 2), even - odd)):
        if excess > 0:
            i = np.argmax(u[part])
            u[part][i] -= excess
    assert Z[:, -1] @ u == 0
    kap = 2 * a * (1 - eps) - 1
    vv = (kap * Z.T @ (p * u) - sigma * b)[:-1]
    value = p @ (np.maximum((1 - eps) * (2 * a + eta * n2 * a + Z @ b), 0) - kap * u) + eps * (eta / S.k * a + 2 * a + np.linalg.norm(b)) \
        + vv @ vv * S.k / (4 * a * sigma * (2 - eta * sigma))
    th = dense_theta(Z, p, -b / (2 * a))
    th[::3, -1] *= 100
    rng = np.random.default_rng(2)
    aw, sg = np.array([a / S.k, a / S.k, a]), np.array([sigma, sigma, 0])
    lam = lambda t: ((t ** 2) @ aw + t @ b) / eta
    move = lambda z: lam((1 - eta * sg) * th + eta * act(th, z, False)[:, None] * z) - lam(th)
    G = sum(p[i] * ((1 - eps) * move(np.broadcast_to(z, th.shape)) + np.maximum(0, 1 - th @ z)) for i, z in enumerate(Z))
    brute = max(np.max(G + eps * move(z)) for z in points(rng, th, 2 * a * th + b, 1.0) + [0 * th])
    add("hinge free bias", S, dict(alpha=a, beta=lst(b), u=lst(u)), value, v, brute, Z=lst(Z), radius=1.0, free=[2])


def multiclass(K, form, eps=0.05, sigma=0.05, eta=0.01):
    S = Setting(eta, sigma, eps)
    X, N, d = made(9, 2, 0), 9, 2
    X = X - X.mean(0) * 0.7
    X = np.round(X, 3)
    Y = np.arange(N) % K
    Z, own = [], []
    for i in range(N):
        for j in range(K):
            if j != Y[i]:
                e = np.zeros(K)
                e[Y[i]], e[j] = 1, -1
                Z.append(np.kron(e, X[i])), own.append(i)
    Z, n = np.array(Z), (X[own] ** 2).sum(1) * K
    q = np.full(len(Z), 1 / N)
    Gam = np.sqrt(K * (K - 1))
    M = Base(S, K * d)
    tot, parts = cp.Variable(), []
    for y0 in range(K if form == "classes" else 1):
        J = (1 - eps) * (M.two_ak + eta * n * M.alpha + Z @ M.beta)
        T, y, tau, nu = (cp.Variable(len(Z), nonneg=True), cp.Variable(len(Z), nonneg=True), cp.Variable(nonneg=True), cp.Variable(nonneg=True))
        M.cons += [T >= J, y <= M.kappa0 - 1]
        L1 = Z.T @ y / N - sigma * M.beta
        chi = M.two_ak - nu
        val = cp.sum(T - y) / N + eps * (eta * Gam ** 2 * M.alpha + (K - 1) * nu)
        if form == "ball":
            val += eps * Gam * tau / 2 + L.frac(S, M.alpha, chi, tau, L1, M.beta, Gam)
        else:
            ch = -np.ones(K)
            ch[y0] = K - 1
            ch /= np.linalg.norm(ch)
            w, E = np.linalg.eigh(np.eye(K) - np.outer(ch, ch) - np.ones((K, K)) / K)
            Cm = np.kron(ch[None], np.eye(d))
            val += eps * tau / 2 + L.frac(S, M.alpha, chi, tau, Cm @ L1, Cm @ M.beta, K * (K - 1))
            if K > 2:
                O = np.kron(E[:, w > .5].T, np.eye(d))
                val += L.frac(S, M.alpha, chi, tau, O @ L1, O @ M.beta, (K - 1) / 2)
            if y0 == 0:
                M.cons.append(np.kron(np.ones((1, K)), np.eye(d)) @ M.beta == 0)
        M.cons.append(tot >= val)
        parts.append((y, tau, nu))
    v = solve(M, tot)
    alpha, beta = num(M.alpha), M.beta.value
    kap = 2 * alpha * S.k * (1 - eps) - 1
    J = (1 - eps) * (2 * alpha * S.k + alpha * eta * n + Z @ beta)
    value, W = -1, []
    for y0, (y, tau, nu) in enumerate(parts):
        u, tau, nu = np.clip(y.value / kap, 0, 1), num(tau), max(0, num(nu))
        const, slope = v_rows_hinge(S, Z, q, alpha, beta, u, J=J)
        chi = 2 * alpha * S.k - nu
        if form == "ball":
            Qm = Gam * np.eye(K * d)
            width = Gam
        else:
            ch = -np.ones(K)
            ch[y0] = K - 1
            o = np.ones(K)
            o[y0] = 0
            oth = np.diag(o) - np.outer(o, o) / (K - 1)
            Qm, width = np.kron(np.outer(ch, ch) + (K - 1) / 2 * oth, np.eye(d)), 1.0
        A = alpha * sigma * (2 - eta * sigma) * np.eye(K * d) - eps * chi ** 2 / (2 * tau) * Qm
        while np.linalg.eigvalsh(A)[0] <= 1e-7 * alpha * sigma:
            tau *= 1 + 1e-5
            A = alpha * sigma * (2 - eta * sigma) * np.eye(K * d) - eps * chi ** 2 / (2 * tau) * Qm
        vv = slope + eps * chi / tau * Qm @ beta - sigma * beta
        value = max(value, const + eps * (alpha * eta * Gam ** 2 + width * tau / 2 + (K - 1) * nu + beta @ Qm @ beta / (2 * tau))
                    + vv @ np.linalg.solve(A, vv) / 4)
        W.append(dict(u=lst(u), tau=tau, nu=nu))
    rng = np.random.default_rng(0)
    fixed = -1
    for y0 in range(K):
        terms = [np.kron((np.eye(K)[y0] - np.eye(K)[j])[:, None], np.eye(d)) for j in range(K) if j != y0]
        fixed = max(fixed, constant_point(Z, q, q, S, lambda x: x / max(1, np.linalg.norm(x)), terms, rng.normal(size=(3, d)), False, 60)[0])
    # brute force over theta, x on a fine circle of several radii, all labels
    th = dense_theta(Z, q, -beta / (2 * alpha), 6)
    m = len(th)
    XX, TT = (2 * alpha * S.k * th + beta).reshape(m, K, d), th.reshape(m, K, d)

    def gain(x, y0):
        g = np.zeros((m, K, d))
        for j in range(K):
            if j != y0:
                a = ((TT[:, y0] - TT[:, j]) @ x <= 1).astype(float)
                g[:, y0] += a[:, None] * x
                g[:, j] -= a[:, None] * x
        return (XX * g).sum((1, 2)) + alpha * eta * (g ** 2).sum((1, 2))
    base = quadratic(S, alpha, beta, th)
    for i in range(N):
        s = np.array([(TT[:, Y[i]] - TT[:, j]) @ X[i] for j in range(K) if j != Y[i]])
        base += (1 - eps) / N * gain(X[i], Y[i]) + np.maximum(0, 1 - s).sum(0) / N
    brute = max(np.max(base + eps * gain(r * np.array([np.cos(t), np.sin(t)]), y0))
                for y0 in range(K) for r in (0, .2, .5, .8, 1) for t in np.linspace(0, 2 * np.pi, 72))
    add(f"multi-class K={K} {form}", S, dict(alpha=alpha, beta=lst(beta), cases=W), value, v, brute, fixed, X=lst(X), labels=Y.tolist(), radius=1.0)


DATA = "../../../../experiments/data/"


def main():
    for logistic in (False, True):
        for kind in ("ball", "box", "ellipsoid"):
            shared_set(kind, logistic)
            shared_set(kind, logistic, eps=0.3, N=14, d=3, seed=2, label="eps 0.3")
        shared_set("ball", logistic, error=True)
        t = np.zeros(10)
        t[[2, 5, 7]] = 1 / 3
        shared_set("ball", logistic, t=t, label="target")
        label_only(logistic)
        finite_set(logistic)
    shared_set("box", False, error=True)
    drift()
    free_bias()
    for K in (2, 3, 4):
        multiclass(K, "ball")
        multiclass(K, "classes")
    for m in (50, 500):
        shared_set("box", False, mnist=m, sigma=0.01, eta=1e-3)
        label_only(False, m, 0.05, 0.01, 1e-3)
    label_only(True, 50, 0.05, 0.01, 1e-3)
    shared_set("ball", True, mnist=50, sigma=0.01, eta=1e-3)


if __name__ == "__main__":
    main()
