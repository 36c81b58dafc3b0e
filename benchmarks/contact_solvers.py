"""Impulses of contacts with friction: the law "relaxed" by our pivots against DAQP, ProxQP and Clarabel."""

from unittest.mock import patch

import numpy as np

from benchmarks.table import Row, timed
from benchmarks.timing import take_turns
from rbdlib import Model, load
from rbdlib.book.ch02_spatial import mcI, xlt
from rbdlib.book.ch04_joints import FreeMotion, Planar, Revolute
from rbdlib.contact import Box, Pair, Plane, Point, time_stepping

MU, STEP, SIDES = 0.5, 0.005, 4


def scenes():
    """Models with their state and pairs: a box that slides, Solo12 on its feet, a chain of ten links thrown down."""
    box = Model([0], [FreeMotion()], [np.eye(6)], [mcI(1, [0, 0, 0], np.diag([0.02, 0.03, 0.04]))])
    yield "box", box, [1, 0, 0, 0, 0, 0, 0.2], [0, 0, 1, 0.5, 0.2, -0.3], [Pair(0, Plane(), 1, Box([0.2, 0.3, 0.4]))]
    solo = load("solo12")
    feet = [i for i in solo.bodies if not any(parent == i for parent in solo.parent[1:])]
    q = solo.neutral()
    q[6] = 0.25
    yield "solo12", solo, q, np.full(solo.nv, 0.1), [Pair(0, Plane(), i, Point([0, 0, -0.16])) for i in feet]
    links = range(1, 11)
    chain = Model([i - 1 for i in links], [Planar(), *[Revolute("z")] * 9], [np.eye(6), *[xlt([0.1, 0, 0])] * 9],
                  [mcI(1, [0.05, 0, 0], 0.01 * np.eye(3))] * 10, gravity=(0, -9.81, 0))
    floor = Plane(normal=(0, 1, 0))
    yield ("chain of 10", chain, np.zeros(12), np.linspace(-1, 1, 12),
           [Pair(0, floor, i, Point([x, 0, 0])) for i in links for x in (0, 0.1)])


def step_of(model, q, qd, pairs):
    return time_stepping.contact_step(model, q, qd, np.zeros(model.nv), pairs, STEP, MU, "relaxed", SIDES)


def problem(*scene):
    """H (nv x nv), T (nv x m), and M, b, mu of the law, as a step has them."""
    kept, law, coefficients = {}, time_stepping.LAWS["relaxed"], time_stepping.contact_coefficients

    def keep_law(M, b, mu, sides, method):
        kept.update(M=M, b=b, mu=mu)
        return law(M, b, mu, sides, method)

    def keep_model(H, T, *rest):
        kept.update(H=H, T=T)
        return coefficients(H, T, *rest)

    with (patch.dict(time_stepping.LAWS, relaxed=keep_law),
          patch.object(time_stepping, "contact_coefficients", keep_model)):
        step_of(*scene)
    return kept


def solvers(H, T, M, b, mu):
    """Functions that find the change y of the velocity: least yᵀHy with G y + g >= 0, or each three rows in a cone."""
    import clarabel
    import daqp
    import proxsuite
    from scipy.sparse import csc_matrix, triu

    n, nv = len(mu), len(H)
    edges = np.vstack([np.kron(np.eye(n), np.ones(SIDES)), np.kron(np.diag(mu), np.eye(SIDES))])
    G, g, far, zero = (T @ edges).T.copy(), edges.T @ b, np.full(n * SIDES, np.inf), np.zeros(nv)
    axes = [row for i in range(n) for row in (i, n + SIDES * i, n + SIDES * i + 1)]     # the normal, two directions
    scale = np.array([s for m in mu for s in (1, m, m)])
    options = clarabel.DefaultSettings()
    options.verbose = False

    def by_clarabel(G, g, cones):
        return np.array(clarabel.DefaultSolver(csc_matrix(triu(H)), zero, csc_matrix(-G), g, cones, options).solve().x)

    def by_proxqp():
        qp = proxsuite.proxqp.dense.QP(nv, 0, len(g))
        qp.settings.eps_abs = 1e-9
        qp.init(H, zero, None, None, G, -g, far)
        qp.solve()
        return qp.results.x

    def by_pivots():
        return np.linalg.solve(H, T @ time_stepping.LAWS["relaxed"](M, b, mu, SIDES, "lemke"))

    return {"ours": by_pivots,
            "DAQP": lambda: daqp.solve(H, zero, G, far, -g, primal_tol=1e-9)[0], "ProxQP": by_proxqp,
            "Clarabel": lambda: by_clarabel(G, g, [clarabel.NonnegativeConeT(len(g))]),
            "Clarabel, round cones": lambda: by_clarabel(scale[:, None] * T.T[axes], scale * b[axes],
                                                         [clarabel.SecondOrderConeT(3)] * n)}


def rows(rounds):
    """For each scene the solvers against our pivots, and the rest of the step beside them."""
    found = []
    for name, *scene in scenes():
        kept = problem(*scene)
        calls = solvers(**kept)
        answers = {solver: call() for solver, call in calls.items()}
        timings = take_turns(calls | {"the whole step": lambda scene=scene: step_of(*scene)}, rounds)
        what = f"impulses, {len(kept['mu'])} contacts"
        for solver in [*calls, "the whole step"][1:]:
            apart = abs(answers.get(solver, answers["ours"]) - answers["ours"]).max()
            if "cones" in solver or apart < 1e-5:
                found.append(timed(what, name, solver, timings, (solver, "ours")))
            else:
                found.append(Row(what, name, solver, failed=f"its velocities differ by {apart:.1e}"))
    return found
