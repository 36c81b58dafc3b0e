"""Sections 10.1 and 10.2 row by row: rounding, truncation, and the sensitivity of chains."""

import functools
import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ellipj, ellipk

from rbdlib import Model, aba, crba, forward_dynamics, load, rnea
from rbdlib.analysis import accuracy
from rbdlib.analysis.rounding import in_precision, lost_digits, rounding_errors
from rbdlib.analysis.sensitivity import sensitivity, sensitivity_over
from rbdlib.book import ch02_planar as planar
from rbdlib.book.ch02_spatial import X_to_Er, mcI, moment_at, rz, xlt
from rbdlib.book.ch04_joints import Prismatic, Revolute
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.methods.generators import auto_tree, binary_tree
from rbdlib.methods.inverse_dynamics_variants import newton_euler_in_base
from rbdlib.motion.integrators import fixed_steps, movement, rk4
from rbdlib.motion.simulate import simulate

ZIGZAG = np.radians([75, -75, 75, -75, 75, -75])
TAU_A = np.array([126, 97.5, 70.0, 43.8, 21.9, 6.16])


def planar_mass_matrix(parent, q):
    """H of planar links of unit length and mass, by levers: the sum over the links of Jvᵀ Jv + Jwᵀ Jw / 12."""
    n, H = len(parent), np.zeros((len(parent), len(parent)))
    heading, hinge = np.zeros(n), np.zeros((n, 2))
    for i, p in enumerate(parent):
        heading[i] = q[i] + (heading[p - 1] if p else 0)
        if p:
            hinge[i] = hinge[p - 1] + [np.cos(heading[p - 1]), np.sin(heading[p - 1])]
    for i in range(n):
        centre = hinge[i] + [np.cos(heading[i]) / 2, np.sin(heading[i]) / 2]
        J_v, J_w, j = np.zeros((2, n)), np.zeros(n), i
        while j >= 0:
            arm = centre - hinge[j]
            J_v[:, j], J_w[j], j = [-arm[1], arm[0]], 1, parent[j] - 1
        H += J_v.T @ J_v + np.outer(J_w, J_w) / 12
    return H


# Three kinds of error (10.1)

@pytest.mark.slow
@pytest.mark.source("RBDA-S10.1-1")
def test_rounding_truncation_and_modelling_errors_of_a_pendulum_go_away_by_different_means():
    """Against Jacobi's elliptic function: smaller steps cure one error, longer numbers another, nothing the third."""
    l, start, end = 0.8, 2.0, 0.5
    w, k = math.sqrt(3 * 9.81 / (2 * l)), math.sin(start / 2)
    exact = 2 * math.asin(k * ellipj(ellipk(k**2) + w * end, k**2)[0])
    rod = Model([0], [Revolute("z")], [np.eye(6)], [mcI(1, [0, -l / 2, 0], np.diag([1, 0, 1]) * l**2 / 12)],
                gravity=(0, -9.81, 0))

    @functools.cache
    def error(steps, precision="double", friction=0.0):
        model, times = in_precision(rod, precision), np.array([0.0, end])
        q, qd, (dt,) = (in_precision(np.array([x]), precision) for x in (start, 0.0, end / steps))

        def acceleration(t, q, qd):
            return aba(model, q, qd, -friction * qd)

        *_, (_, (q, _)) = fixed_steps(lambda *step: rk4(*step[:-1], dt), movement(rod), acceleration, q, qd, times,
                                      end / steps)
        return abs(float(q[0]) - exact)

    assert error(10) / error(20) == pytest.approx(16, rel=0.2)                  # truncation: power 4 of the step
    assert error(10) > 1e-6 > 1e-8 > error(100)
    assert 1e-9 < error(25, 24) and 1e-8 < error(100, 24) < 1e-5                # rounding: smaller steps are no help
    assert error(100, 24) > 10 * error(100)
    for steps, precision in ((20, "double"), (10, 24)):                         # modelling: nothing helps
        assert error(steps, precision, friction=0.05) == pytest.approx(error(100, friction=0.05), rel=0.01)
    assert error(100, friction=0.05) > 1e-3


@pytest.mark.source("RBDA-S10.1-2")
@pytest.mark.parametrize("algorithm", ["aba", "rnea"])
def test_a_far_away_origin_costs_the_algorithms_in_base_coordinates_their_digits(algorithm):
    """A chain of links in general directions, and the same with its base hinge far from the origin."""
    rng, here, ratios = np.random.default_rng(7), auto_tree(4, seed=3, gravity=(0, 0, -9.81)), []
    there = here.replace(X_tree=[here.X_tree[1] @ xlt([1e4, 0, 0]), *here.X_tree[2:]])
    in_bodies, in_base = {"aba": (aba, lambda *x: forward_dynamics(*x, method="aba_in_base")),
                          "rnea": (rnea, lambda *x: newton_euler_in_base(*x).tau)}[algorithm]
    for _ in range(3):
        q, qd = here.random_state(rng)
        third = rng.normal(size=here.nv)
        assert_allclose(in_bodies(there, q, qd, third), in_bodies(here, q, qd, third), rtol=1e-9)    # the same motion
        errors = [rounding_errors(function, there, q, qd, third, precision=40, digits=60).relative
                  for function in (in_bodies, in_base)]
        near = rounding_errors(in_base, here, q, qd, third, precision=40, digits=60).relative
        assert errors[0] < 1e-9 and near < 1e-9
        ratios.append(errors[1] / errors[0])
    assert np.median(ratios) > 1e4
    single = rounding_errors(in_bodies, there, q, qd, third, precision="single").relative
    assert single < 1e-4


@pytest.mark.source("RBDA-S10.1-2")
def test_a_frame_that_moves_along_cures_large_velocities():
    """Two sliders carry a chain of hinges: the accelerations do not depend on how fast the sliders move (Galileo)."""
    link = mcI(1, [0.5, 0, 0], np.eye(3) / 12)
    model = Model([0, 1, 2, 3], [Prismatic("x"), Prismatic("y"), Revolute("z"), Revolute("z")],
                  [np.eye(6)] * 3 + [xlt([1, 0, 0])], [link] * 4, gravity=(0, -9.81, 0))
    rng, errors, exact = np.random.default_rng(1), [], []
    q, tau = rng.normal(size=4), rng.normal(size=4)
    for V in (0.0, 1e8):
        found = rounding_errors(aba, model, q, np.array([V, -V, 1.0, -2.0]), tau)
        errors.append(found.relative)
        exact.append(found.exact)
    assert_allclose(exact[0], exact[1], rtol=1e-14)
    assert errors[0] < 1e-14 and errors[1] > 1e5 * errors[0]


@pytest.mark.source("RBDA-S10.1-2")
def test_large_inertia_ratios_make_H_ill_conditioned_and_cost_digits():
    q = np.array([0.3, 1.0, -0.7, 0.9, 0.4])
    light, heavy = auto_tree(5), auto_tree(5)
    heavy = light.replace(inertia=[*light.inertia[1:-1], 1e6 * light.inertia[5]])
    tip = planar_mass_matrix(range(5), q) - np.pad(planar_mass_matrix(range(4), q[:4]), (0, 1))     # of link 5 alone
    H = planar_mass_matrix(range(5), q) + (1e6 - 1) * tip
    assert sensitivity(heavy, q).condition_number == pytest.approx(np.linalg.cond(H), rel=1e-6)
    assert np.linalg.cond(H) > 1e4 * sensitivity(light, q).condition_number
    study = accuracy.inertia_ratio([1, 1e2, 1e5, 1e8], samples=4)
    assert study.size[-1] > 1e6 * study.size[0] and study.slope(1e2) == pytest.approx(1, abs=0.35)


@pytest.mark.source("RBDA-S10.1-2")
@pytest.mark.parametrize("method", ["direct", "multipliers", "coordinates"])
def test_nearly_singular_loops_cost_digits(method):
    study = accuracy.singular_loop([1e-5, 1e-3, 1e-1, 1], method, samples=2)
    assert_allclose(study.condition_numbers[:2] * study.x[:2], 1.58, rtol=1e-3)         # grows as 1/x
    assert study.slope() == pytest.approx(-1, abs=0.3)
    assert study.size[0] > 1e3 * study.size[-1] and study.size[-1] < 1e-14


@pytest.mark.source("RBDA-S10.1-3")
def test_a_sphere_ten_times_as_large_has_1000_times_the_mass_and_100000_times_the_inertia():
    def mass_and_inertia(r, density=2):
        """Sums over discs, without the factor pi: Boole's rule, which is exact for powers of the height up to 5."""
        weights = [Fraction(w, 90) * 2 * r for w in (7, 32, 12, 32, 7)]
        squares = [r * r * (1 - Fraction(k, 2) ** 2) for k in range(-2, 3)]             # of the radii of the discs
        return (density * sum(w * x for w, x in zip(weights, squares, strict=True)),
                density * sum(w * x * x / 2 for w, x in zip(weights, squares, strict=True)))

    (m, I), (m_large, I_large) = mass_and_inertia(Fraction(3, 10)), mass_and_inertia(Fraction(3))
    assert m_large / m == 1000 and I_large / I == 10**5
    assert I / m == Fraction(2, 5) * Fraction(9, 100)                                   # 2/5 r², so the sums are right
    small, large = auto_tree(2, taper=10, joints=Prismatic("x")).inertia[1:]
    assert_allclose([large[5, 5] / small[5, 5], large[0, 0] / small[0, 0]], [1000, 10**5], rtol=1e-12)


# The body with a far-away origin (10.1)

def printed(c_x, c_y):
    """v_O, v_O ×*, f_O, I_O and a_O of the example as the text prints them."""
    return (np.array([1, c_y, -c_x]), np.array([[0, c_x, c_y], [0, 0, -1], [0, 1, 0]]),
            np.array([1 + c_x + c_y, -1, 1]), np.array([[1 + c_x**2 + c_y**2, -c_y, c_x], [-c_y, 1, 0], [c_x, 0, 1]]),
            np.array([1, c_y - 1, 1 - c_x]))


@pytest.mark.source("RBDA-S10.1-4", "RBDA-10.1", "RBDA-F10.1")
def test_the_example_of_section_10_1_in_fractions_and_the_force_of_figure_10_1():
    c, F_C = np.array([Fraction(22, 7), Fraction(-5, 3)], dtype=object), np.array([1, -1, 1])
    v_O, v_O_cross, f_O, I_O, a_O = printed(*c)
    X = planar.Xpln(-c, 0)
    assert np.array_equal(X @ np.array([1, 0, 0]), v_O)
    assert np.array_equal(planar.crf(v_O), v_O_cross)
    assert np.array_equal(planar.force_transform(X) @ F_C, f_O)
    assert np.array_equal(planar.mcI(1, c, 1), I_O)
    assert not (v_O_cross @ I_O @ v_O).any()
    assert np.array_equal(I_O @ a_O, f_O - v_O_cross @ I_O @ v_O)                       # (10.1)
    # Newton and Euler at C: omega' = 1, acceleration of C (-1, 1); the particle at O is at -c from C and turns with
    # omega = 1, so that its spatial acceleration is its classical one less omega × v_O
    at_O = np.array([-1, 1]) + [c[1], -c[0]] + c
    assert np.array_equal(np.array([1, *(at_O - [-v_O[2], v_O[1]])]), a_O)
    assert np.array_equal(planar.Xpln(c, 0) @ a_O, F_C)                                 # a_C = [1, -1, 1]
    f_C = [0, 0, F_C[0], F_C[1], F_C[2], 0]             # no moment about any point of the line of action
    assert_allclose(moment_at(f_C, [0.5, 0.5, 0]), 0)
    assert_allclose(moment_at(f_C, [0.5, 0.5, 0] + 3 * np.array([-1, 1, 0])), 0)
    assert abs(moment_at(f_C, [0.5, 0.6, 0])[2]) > 0.05
    assert np.array_equal(planar.mcI(1, [0, 0], 1), np.eye(3))                          # radius of gyration 1


@pytest.mark.source("RBDA-S10.1-5")
def test_four_digits_are_lost_at_100_10():
    """By Gaussian elimination in floats, from the first row on, which has the largest pivot; and by LAPACK."""
    _, _, f_O, I_O, a_O = printed(100, 10)
    assert I_O.tolist() == [[10101, -10, 100], [-10, 1, 0], [100, 0, 1]] and f_O.tolist() == [111, -1, 1]
    assert np.linalg.cond(I_O.astype(float)) == pytest.approx(1.02e8, rel=1e-3)
    A, x = np.column_stack([I_O, f_O]).astype(float), np.zeros(3)
    for k, i in ((0, 1), (0, 2), (1, 2)):
        A[i] -= A[i, k] / A[k, k] * A[k]
    for k in (2, 1, 0):
        x[k] = (A[k, 3] - sum(A[k, j] * x[j] for j in range(k + 1, 3))) / A[k, k]
    for solved in (x, np.linalg.solve(I_O.astype(float), f_O)):
        assert 1e-14 < np.abs(solved - a_O).max() / np.abs(a_O).max() < 1e-11
    assert 3 < lost_digits(np.abs(x - a_O).max() / 99) < 5


@pytest.mark.source("RBDA-F10.2", "RBDA-S10.1-6")
def test_figure_10_2_is_flat_up_to_the_radius_of_gyration_and_then_a_square():
    """Large velocities cost digits with their square, too, even near the origin."""
    study = accuracy.far_away_origin([0.01, 0.03, 0.1, 0.3, 10, 1e2, 1e3, 1e4, 1e5], samples=15)
    assert abs(study.slope(highest=0.4)) < 0.3
    assert study.slope(10, 1e5) == pytest.approx(2, abs=0.15)
    assert 1e-17 < np.median(study.size[study.x < 1]) < 1e-15
    rng, own = np.random.default_rng(5), []             # the same by NumPy and fractions, for three distances
    for r in (0.1, 1e2, 1e4):
        errors = []
        for angle in rng.uniform(0, 2 * np.pi, 15):
            c = r * np.cos(angle), r * np.sin(angle)
            v_O, v_O_cross, f_O, I_O, _ = printed(*c)
            a, b, d = (Fraction(x) for x in np.linalg.solve(I_O, f_O - v_O_cross @ I_O @ v_O))
            errors.append(float(max(abs(a - 1), abs(b - Fraction(c[1]) * a + 1), abs(d + Fraction(c[0]) * a - 1))))
        own.append(np.sqrt(np.mean(np.square(errors))))
    assert own[0] < 1e-15 and 1e3 < own[2] / own[1] < 1e5
    assert_allclose(np.log10(own), np.log10(np.interp([0.1, 1e2, 1e4], study.x, study.size)), atol=1.3)
    # in binary digits, not in floats: a processor may add up products with more digits, which then cost none
    study = accuracy.large_velocity([1, 1e2, 1e5, 1e8], samples=15, precision=53)
    assert study.slope(1e2) == pytest.approx(2, abs=0.15)
    assert study.size[0] < 1e-15 and 0.01 < study.size[-1] < 1
    turning = [accuracy.planar_body_errors([3e3, 0.7], *v_C) for v_C in ((), ((1, 0, 0),), ((1, 0, 1),))]
    assert (turning[0] == turning[1]).all() and (turning[0] != turning[2]).any()
    exact = accuracy.planar_body_errors([0.5, -0.25], (1, 1e4, -1e4), precision=300)
    assert np.abs(exact).max() < 1e-60                                  # a_C = [1, v_y - 1, 1 - v_x] is the answer


@pytest.mark.slow
@pytest.mark.source("RBDA-S10.1-7")
def test_aba_is_more_accurate_than_the_inertia_matrix_and_both_lose_digits_with_every_body():
    rng, medians = np.random.default_rng(4), []
    for n, samples in ((3, 7), (10, 5), (30, 3)):
        model, errors = auto_tree(n), []
        for _ in range(samples):
            q, qd = model.random_state(rng)
            state = q, qd, rng.normal(size=n)
            errors.append([rounding_errors(forward_dynamics, model, *state, method=method, precision="single",
                                           digits=30).relative for method in ("aba", "crba")])
        medians.append(np.median(errors, axis=0))
    aba_errors, crba_errors = np.transpose(medians)
    assert (aba_errors < crba_errors).all() and crba_errors[-1] > 30 * aba_errors[-1]
    assert (np.diff(aba_errors) > 0).all() and (np.diff(crba_errors) > 0).all()
    model = auto_tree(300)
    q, qd = model.random_state(rng)
    for algorithm in (aba, rnea):
        assert rounding_errors(algorithm, model, q, qd, rng.normal(size=300), digits=30).relative < 1e-11
    assert rounding_errors(crba, auto_tree(60), q[:60], digits=30).relative < 1e-13


@pytest.mark.slow
@pytest.mark.source("RBDA-S10.1-8")
def test_steps_of_variable_length_pay_off_where_accelerations_have_spikes():
    """A mass falls on a steep wall, of force 1e3 exp(-100 x), again and again: T + V tells the truncation error.
    Before, the orders of the integrators on a double pendulum."""
    for method, order in (("euler", 1), ("semi_implicit_euler", 1), ("heun", 2), ("rk4", 4)):
        found = accuracy.convergence_order(method, load("double_pendulum"), [1, 0.5], [0, 0], 0.25, steps=(20, 40))
        assert found.order == pytest.approx(order, abs=0.15), method
    calls = [0]
    mass = Model([0], [Prismatic("x")], [np.eye(6)], [mcI(1, [0, 0, 0], np.eye(3))], gravity=(-10, 0, 0))

    def wall(t, q, qd):
        calls[0] += 1
        return 1e3 * np.exp(-100 * q)

    def run(**options):
        calls[0] = 0
        motion = simulate(mass, [1.0], [0.0], (0, 1.5), wall, **options)
        energy = motion.energy + 10 * np.exp(-100 * motion.q[:, 0])
        return motion, np.abs(energy - energy[0]).max() / energy[0], calls[0]

    motion, error, evaluations = run(method="DOP853", tolerance=1e-8)
    steps, forces = np.diff(motion.t), np.exp(-100 * motion.q[:-1, 0])
    assert error < 1e-6 and forces.max() > 0.5
    assert steps[forces < 1e-12].max() > 10 * steps[forces > 0.05].max()
    fixed = [run(method="rk4", dt=1.5 / n)[1:] for n in (evaluations // 4, 2 * evaluations // 4)]
    assert fixed[0][1] == pytest.approx(evaluations, abs=8)
    assert fixed[0][0] > 100 * error and fixed[1][0] > error             # even with twice as many evaluations


# The sensitivity problem (10.2)

@pytest.mark.source("RBDA-F10.3")
def test_the_zigzag_chain_is_that_of_figure_10_3():
    model = load("zigzag_chain")
    assert model.N_B == 6 and not model.gravity.any() and model.parent[1:] == tuple(range(6))
    headings, foot = np.cumsum(ZIGZAG), np.zeros(2)
    for X, heading in zip(body_transforms(model, ZIGZAG)[1:], headings, strict=True):
        E, r = X_to_Er(X)
        assert_allclose(E, rz(heading), atol=1e-15)
        assert_allclose(r[:2], foot, atol=1e-14)
        foot = foot + [np.cos(heading), np.sin(heading)]
    assert_allclose(headings, np.radians([75, 0] * 3), atol=1e-15)
    for I in model.inertia[1:]:
        assert_allclose(I, mcI(1, [0.5, 0, 0], np.diag([0, 1, 1]) / 12), atol=1e-15)
    H = crba(model, ZIGZAG)
    assert_allclose(H, planar_mass_matrix(range(6), ZIGZAG), rtol=1e-12)
    assert_allclose(crba(model, -ZIGZAG), H, rtol=1e-12)                                # the mirror image
    assert_allclose(crba(model, ZIGZAG + [1, 0, 0, 0, 0, 0]), H, rtol=1e-12)            # turned about the base


@pytest.mark.source("RBDA-S10.2-1", "RBDA-S10.2-2", "RBDA-S10.2-3", "RBDA-S10.2-4", "RBDA-S10.2-5")
def test_the_numbers_of_section_10_2():
    rng, model, rest = np.random.default_rng(8), load("zigzag_chain"), np.zeros(6)
    q, qdd = rng.normal(size=(2, 6))
    assert_allclose(rnea(model, q, rest, qdd), planar_mass_matrix(range(6), q) @ qdd, rtol=1e-12)           # at rest
    assert np.abs(rnea(model, q, rng.normal(size=6), qdd) - planar_mass_matrix(range(6), q) @ qdd).max() > 0.1
    H = planar_mass_matrix(range(6), ZIGZAG)
    tau_d = rnea(model, ZIGZAG, rest, np.ones(6))
    # printed with further digits
    assert (np.floor(1e4 * tau_d) / 1e4).tolist() == [126.4936, 97.4663, 69.9762, 43.7998, 21.9371, 6.1646]
    assert_allclose(tau_d, H @ np.ones(6), rtol=1e-12)
    assert [float(f"{x:.3g}") for x in tau_d] == TAU_A.tolist()
    qdd_a = aba(model, ZIGZAG, rest, TAU_A)
    assert_allclose(qdd_a, [0.6592, 1.3654, 1.3808, 0.5894, 0.9057, 1.0705], atol=5e-5)
    assert_allclose(H @ qdd_a, TAU_A, rtol=1e-12)
    off = np.abs(qdd_a - 1)
    assert off.argmax() == 3 and 0.40 < off.max() < 0.42
    assert np.abs(TAU_A / tau_d - 1).max() < 0.005
    assert off.max() / 0.005 > 80
    here = sensitivity(model, ZIGZAG)
    found = here.amplification(tau_d, TAU_A - tau_d, entries=True)
    assert found == pytest.approx(off.max() / np.abs(TAU_A / tau_d - 1).max(), rel=1e-9)
    assert found == pytest.approx(105, abs=0.5)
    assert here.condition_number == pytest.approx(np.linalg.cond(H)) == pytest.approx(725, abs=0.5)


@pytest.mark.source("RBDA-S10.2-6")
def test_the_worst_condition_number_of_a_chain_is_about_four_times_the_fourth_power_of_its_length():
    assert 4 * 6**4 == 5184 and 4 * 10**4 == 40000
    for n in (3, 6, 10):
        found = sensitivity_over(auto_tree(n), 60).worst
        assert found.condition_number / (4 * n**4) == pytest.approx(1.03, abs=0.12)
        assert_allclose(np.remainder(found.q[1:] + 1, 2 * np.pi), 1, atol=0.05)         # stretched out straight
        assert np.linalg.cond(planar_mass_matrix(range(n), found.q)) == pytest.approx(found.condition_number, rel=1e-6)
    straight = {n: np.linalg.cond(planar_mass_matrix(range(n), np.zeros(n))) for n in (20, 50, 100)}
    rng = np.random.default_rng(3)
    for n, number in straight.items():
        assert number / (4 * n**4) == pytest.approx(1, abs=0.06)
        for size in (0.1, 1, 3):
            assert np.linalg.cond(planar_mass_matrix(range(n), size * rng.normal(size=n))) < number


@pytest.mark.slow
@pytest.mark.source("RBDA-S10.2-7")
def test_branches_make_trees_of_the_same_links_less_sensitive():
    rng = np.random.default_rng(6)
    for depth, (tree_median, chain_median) in {3: (136, 660), 4: (633, 7537)}.items():
        tree, n = binary_tree(depth), 2**depth - 1
        q = rng.uniform(-np.pi, np.pi, (200, n))
        medians = [np.median([np.linalg.cond(planar_mass_matrix(list(parent), row)) for row in q])
                   for parent in (tree.parent[1:], range(n))]
        assert_allclose(medians, [tree_median, chain_median], rtol=0.2)
        ours = [np.median(sensitivity_over(model, q[:40], refine=False).condition_numbers)
                for model in (tree, auto_tree(n))]
        assert ours[0] < ours[1] / 3
        assert_allclose(ours[0], np.median([np.linalg.cond(planar_mass_matrix(list(tree.parent[1:]), row))
                                            for row in q[:40]]), rtol=1e-6)
    # spanning trees of a closed ring of 8 links on one hinge: chains of k and 8 - k links
    states, medians = np.random.default_rng(9).uniform(-3, 3, (200, 8)), []
    for k in (8, 6, 4):
        parent = [*range(k), *([0] if k < 8 else []), *range(k + 1, 8)]
        medians.append(np.median([np.linalg.cond(planar_mass_matrix(parent, q)) for q in states]))
    assert medians[0] > 2 * medians[1] > 4 * medians[2]


@pytest.mark.source("RBDA-S10.2-8")
def test_amplification_is_bounded_by_the_condition_number_and_reaches_it():
    rng, model = np.random.default_rng(11), load("zigzag_chain")
    q = rng.uniform(-np.pi, np.pi, 6)
    H, norm = planar_mass_matrix(range(6), q), np.linalg.norm
    here = sensitivity(model, q)

    def amplification(tau, dtau):
        qdd, dqdd = np.linalg.solve(H, np.transpose([tau, dtau])).T
        return norm(dqdd) / norm(qdd) / (norm(dtau) / norm(tau))

    for tau, dtau in rng.normal(size=(200, 2, 6)):
        assert amplification(tau, dtau) <= np.linalg.cond(H) * (1 + 1e-9)
        assert here.amplification(tau, dtau) == pytest.approx(amplification(tau, dtau), rel=1e-9)
        assert amplification(tau, dtau) <= here.worst_amplification(tau) * (1 + 1e-9)
    assert amplification(here.hardest_force, here.worst_force) == pytest.approx(np.linalg.cond(H), rel=1e-9)
    # a tiny change of parameters, too: in the straight chain, masses off by 1e-3 change accelerations by much more
    tau = planar_mass_matrix(range(6), np.zeros(6)) @ np.ones(6)
    changed = model.replace(inertia=[I * (1 + 1e-3 * (-1) ** i) for i, I in enumerate(model.inertia[1:])])
    assert np.abs(aba(changed, np.zeros(6), np.zeros(6), tau) - 1).max() > 5e-3
