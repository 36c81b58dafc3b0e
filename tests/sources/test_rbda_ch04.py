"""RBDA 4.1 to 4.3 row by row: connectivity, regular numbering, where joints are, Denavit-Hartenberg parameters."""

from functools import cache
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, ModelError, forward_dynamics
from rbdlib.book.ch02_spatial import X_to_Er, force_transform, inverse_transform, mcI, plucker, rot, rotx, rotz, xlt
from rbdlib.book.ch04_joints import FreeMotion, Helical, RackAndPinion, Reversed, Revolute, Spherical, jcalc
from rbdlib.book.ch04_kinematics import body_accelerations, body_jacobian, body_transforms, body_velocities
from rbdlib.book.ch05_inverse_dynamics import newton_euler
from rbdlib.methods import connectivity, geometry
from rbdlib.methods.connectivity import Connectivity, ConnectivityGraph, regular_numbering, regular_numberings
from rbdlib.numbers.orientation import euler_parameters_from_rotation
from tests.sources import helpers
from tests.sources.ch03_systems import parallelogram
from tests.sources.ch05_systems import JOINT_SETS, Moving
from tests.sources.ch06_systems import ancestors
from tests.sources.helpers import close, far, near, random_pose, random_tree, slope, turn, velocity
from tests.sources.joints import HERE, JOINTS, Mechanism, compose, joint_pose, motion_of

CRANK_SLIDER = {"J1": ("base", "crank"), "J2": ("crank", "coupler"), "J3": ("coupler", "slider"),
                "J4": ("slider", "base")}
RATES_ARE_VARIABLES = [joint for joint in JOINTS if not isinstance(joint, (FreeMotion, Spherical))
                       and "planar" not in str(joint)]


def crank_slider():
    return ConnectivityGraph(["crank", "coupler", "slider"], CRANK_SLIDER)


def random_graph(rng, n, extra):
    """A connected graph of n moving bodies with the given number of joints more than a tree has, all shuffled."""
    numbering, *_ = random_connectivity(rng, n, extra)
    new = [0, *(rng.permutation(n) + 1).tolist()]
    ends = [(new[p], new[s]) for p, s in zip(numbering.p, numbering.s, strict=True)]
    return ConnectivityGraph(list(rng.permutation(n) + 1), [ends[k] for k in rng.permutation(len(ends))], 0)


def paths(graph, start, end, names, visited=()):
    """Every path without repeated bodies between two bodies, as lists of joint names; by trying all steps."""
    if start == end:
        return [[]]
    visited = {*visited, start}
    steps = [(name, body) for name in names if start in graph.joints[name] for body in graph.joints[name]]
    return [[name, *rest] for name, body in steps if body not in visited
            for rest in paths(graph, body, end, names, visited)]


def is_tree(graph, names):
    """The definition: exactly one path between any two bodies."""
    bodies = (graph.base, *graph.bodies)
    return all(len(paths(graph, a, b, names)) == 1 for a, b in combinations(bodies, 2))


def cycles(graph):
    """Every cycle: sets of joints that touch each of their bodies twice and hang together."""
    found = []
    for size in range(2, graph.N_J + 1):
        for names in combinations(graph.joints, size):
            ends = [body for name in names for body in graph.joints[name]]
            if all(ends.count(body) == 2 for body in ends) and len(set(ends)) == size and all(
                    paths(graph, ends[0], body, names) for body in ends):
                found.append(set(names))
    return found


def random_connectivity(rng, n, chords=0):
    """A regular numbering with random parents and polarities."""
    ends = [(int(rng.integers(0, i)), i) for i in range(1, n + 1)]
    ends += [tuple(int(body) for body in rng.choice(n + 1, 2, replace=False)) for _ in range(chords)]
    flips = rng.choice([-1, 1], len(ends))
    p, s = zip(*(pair[::flip] for pair, flip in zip(ends, flips, strict=True)), strict=True)
    return Connectivity(p, s), [min(pair) for pair in ends[:n]], flips


@pytest.mark.source("RBDA-S4.1-1", "RBDA-F4.1", "RBDA-4.1")
def test_a_connectivity_graph_follows_the_five_rules_and_tells_the_number_of_loops():
    assert crank_slider().bodies == ("crank", "coupler", "slider")
    immobile = ConnectivityGraph(["statue"], {"glue": ("base", "statue")})
    assert immobile.N_B == 1, "a body that does not move counts as a moving body"
    turned = {name: ends[::-1] for name, ends in CRANK_SLIDER.items()}
    bodies, trees = ["crank", "coupler", "slider"], list(crank_slider().spanning_trees())
    assert trees == list(ConnectivityGraph(bodies, turned).spanning_trees()), "the graph is undirected"
    for wrong, message in (
        (lambda: ConnectivityGraph(bodies, CRANK_SLIDER, ("base", "ground")), "base is .*; give the name of one body"),
        (lambda: ConnectivityGraph([*bodies, "base"], CRANK_SLIDER), "'base' is the base too; exactly one body is"),
        (lambda: ConnectivityGraph([*bodies, "piston"], CRANK_SLIDER), "No joints lead from the base to 'piston'"),
        (lambda: ConnectivityGraph(["body", "dish"], [("body", "dish")]), "lead from the base to 'body', 'dish'"),
        (lambda: ConnectivityGraph(["crank"], CRANK_SLIDER), "'J2' connects 'coupler', which is neither a body nor"),
    ):
        with pytest.raises(ModelError, match=message):
            wrong()

    ends = {"J1": ("planet", "satellite"), "J2": ("satellite", "dish")}
    satellite, linkage = ConnectivityGraph(["satellite", "dish"], ends, base="planet"), crank_slider()
    assert (satellite.N_B, satellite.N_J, satellite.N_L, satellite.is_tree) == (2, 2, 0, True)
    assert (linkage.N_B, linkage.N_J, linkage.N_L, linkage.is_tree) == (3, 4, 1, False)
    assert cycles(linkage) == [set(CRANK_SLIDER)] == [set(linkage.loops(linkage.spanning_tree())["J4"])]


@pytest.mark.source("RBDA-S4.1-2", "RBDA-S4.1-3")
def test_either_body_of_a_satellite_may_be_the_floating_base(rng):
    """It gets a joint of six freedoms, which constrains nothing."""
    inertia = {name: mcI(*helpers.random_mass_properties(rng)) for name in ("body", "dish")}
    hinge = ("body", "dish", Revolute(), *(plucker(R.T, p) for R, p in (random_pose(rng), random_pose(rng))))
    one, other = (connectivity.build_model(inertia, {"free": ("base", name, FreeMotion()), "hinge": hinge})
                  for name in inertia)
    assert other.numbering.is_reversed(2) and not one.numbering.is_reversed(2)
    A, B = one.model, other.model
    assert A.nv == B.nv == 6 + 1
    assert FreeMotion().constraint_subspace(FreeMotion().neutral()).shape == (6, 0)
    q, qd = A.random_state(rng)
    X, v = body_transforms(A, q), body_velocities(A, q, qd)
    to_dish = inverse_transform(one.frames[2])
    X_dish = to_dish @ X[2]
    q_B = np.array([*euler_parameters_from_rotation(X_dish[:3, :3]), *X_to_Er(X_dish)[1], q[7]])
    qd_B = np.array([*(to_dish @ v[2]), qd[6]])
    f, tau = rng.normal(size=(2, 6)), rng.normal()
    accelerations = []
    for model, state, order in ((A, (q, qd), (1, 2)), (B, (q_B, qd_B), (2, 1))):
        qdd = forward_dynamics(model, *state, [0, 0, 0, 0, 0, 0, tau], dict(zip(order, f, strict=True)))
        a, X = body_accelerations(model, *state, qdd), body_transforms(model, state[0])
        accelerations.append([inverse_transform(X[i]) @ a[i] for i in order])
    close(np.array(accelerations[1]), np.array(accelerations[0]), 1e-9)

    free = Model([0], [FreeMotion()], [np.eye(6)], [inertia["body"]], gravity=(0, 0, 0))
    wrench = helpers.force_coordinates(f[0], joint_pose(FreeMotion(), q[:7]))
    acceleration = forward_dynamics(free, q[:7], np.zeros(6), np.zeros(6), {1: f[0]})
    close(acceleration, np.linalg.solve(inertia["body"], wrench), 1e-9)


@pytest.mark.source("RBDA-F4.2", "RBDA-S4.1.1-3", "RBDA-4.1", "RBDA-S4.1.1-1", "RBDA-S4.1.1-2", "RBDA-S4.1.1-4")
def test_one_chord_cycles_are_a_basis_of_all_cycles_and_the_number_of_chords_is_that_of_any_spanning_tree(rng):
    """Two loops that share a joint, as in Figure 4.2: two chords, three cycles, two of which cross one chord."""
    theta = ConnectivityGraph([1, 2, 3], [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], 0)
    assert theta.N_L == 2 and len(cycles(theta)) == 3 and len(list(theta.spanning_trees())) == 8
    for graph, most in ((theta, 8), (random_graph(rng, 4, 3), 6)):
        all_cycles = cycles(graph)
        for tree in list(graph.spanning_trees())[:most]:
            loops, chords = graph.loops(tree), graph.chords(tree)
            crossed = [cycle - set(tree) for cycle in all_cycles]
            assert all(crossed), "a tree has no cycles"
            assert graph is not theta or sorted(map(len, crossed)) == [1, 1, 2]
            assert list(loops) == chords
            for chord, names in loops.items():
                assert [cycle for cycle, cut in zip(all_cycles, crossed, strict=True) if cut == {chord}] == [set(names)]
                assert len(names) == len(set(names))
            assert rank_mod_2([set(names) for names in loops.values()]) == rank_mod_2(all_cycles) == len(chords)

    for extra in (0, 1, 2, 3):
        graph = random_graph(rng, 4, extra)
        trees = list(graph.spanning_trees())
        by_definition = [set(names) for size in range(graph.N_J + 1) for names in combinations(graph.joints, size)
                         if is_tree(graph, names)]
        assert len(trees) == len(by_definition) >= 1
        assert all(set(tree) in by_definition for tree in trees)
        assert {len(tree) for tree in by_definition} == {graph.N_B}
        assert {len(graph.chords(tree)) for tree in trees} == {graph.N_J - graph.N_B}
        assert graph.N_L == graph.N_J - graph.N_B == rank_mod_2(cycles(graph)) == extra
        assert graph.spanning_tree() in trees
        assert (trees == [list(graph.joints)]) == graph.is_tree == is_tree(graph, list(graph.joints)) == (extra == 0)
        numbering, model = regular_numbering(graph), connectivity.build_model(*part_list(rng, graph), 0).model
        for numbered in (numbering, model):
            assert (numbered.N_B, numbered.N_L, numbered.N_J) == (4, extra, 4 + extra)
    assert len(list(crank_slider().spanning_trees())) == 4, "a proper spanning tree is not the only one"


def rank_mod_2(sets):
    """The rank over the field of two elements, where adding sets is taking their symmetric difference."""
    rank, rest = 0, [set(s) for s in sets]
    while rest:
        row = rest.pop()
        if row:
            pivot = min(row)
            rest = [other ^ row if pivot in other else other for other in rest]
            rank += 1
    return rank


def part_list(rng, graph):
    """Inertias and joints for every body and arc of a graph, with joints of mixed types in random places."""
    kinds = [Revolute(), Revolute("x"), RackAndPinion(0.3), Helical(0.2), Spherical()]
    inertia = {body: mcI(*helpers.random_mass_properties(rng)) for body in graph.bodies}
    frames = [[plucker(R.T, p) for R, p in (random_pose(rng), random_pose(rng))] for _ in graph.joints]
    joints = {name: (*ends, kinds[rng.integers(len(kinds))], *pair)
              for (name, ends), pair in zip(graph.joints.items(), frames, strict=True)}
    return inertia, joints


def assert_regular(numbering, graph):
    assert numbering.bodies[0] == graph.base and set(numbering.bodies[1:]) == set(graph.bodies)
    assert set(numbering.joints[1:]) == set(graph.joints)
    for i in range(1, numbering.N_J + 1):
        ends = numbering.predecessor(i), numbering.successor(i)
        assert tuple(numbering.bodies[body] for body in ends) == graph.joints[numbering.joints[i]]
        if i <= numbering.N_B:
            assert max(ends) == i and min(ends) == numbering.parent[i] < i
    assert is_tree(graph, numbering.joints[1 : numbering.N_B + 1])


@pytest.mark.source("RBDA-A4.1", "RBDA-S4.1.4-1")
def test_regular_numbering_puts_parents_first_and_chords_last_and_the_order_of_parts_changes_no_dynamics(rng):
    for extra in (0, 2):
        assert_regular(regular_numbering(graph := random_graph(rng, 5, extra)), graph)
    numbering, *_ = random_connectivity(rng, 6, 2)
    pairs = list(zip(numbering.p, numbering.s, strict=True))
    assert regular_numbering(ConnectivityGraph(range(1, 7), pairs, 0)).p == numbering.p, "regular stays as it is"

    inertia, joints = part_list(rng, random_graph(rng, 5, 0))
    at = {key: (kind.random_position(rng), *rng.normal(size=(2, kind.nv))) for key, (*_, kind, _, _) in joints.items()}
    found = []
    for _ in range(2):
        inertia, joints = ({k: part[k] for k in rng.permutation(list(part)).tolist()} for part in (inertia, joints))
        model, numbering, _ = connectivity.build_model(inertia, joints, 0)
        names = numbering.joints[1:]
        qdd = forward_dynamics(model, *(np.concatenate([at[name][k] for name in names]) for k in range(3)))
        found.append({name: qdd[model.v_slice(i)] for i, name in enumerate(names, start=1)})
    for name in joints:
        close(found[0][name], found[1][name], 1e-8)


@pytest.mark.source("RBDA-F4.3", "RBDA-F4.4")
def test_an_unbranched_tree_has_one_numbering_and_the_crank_slider_eight():
    for n in (1, 2, 5):
        chain = ConnectivityGraph(range(n, 0, -1), [(i, i + 1) for i in reversed(range(n))], 0)
        assert [numbering.parent for numbering in regular_numberings(chain)] == [(None, *range(n))]
    for parents, count in (((0, 0), 2), ((0, 1, 1), 2), ((0, 0, 1), 3), ((0, 0, 0), 6)):
        tree = ConnectivityGraph(range(1, len(parents) + 1), list(zip(parents, range(1, 9), strict=False)), 0)
        assert len(list(regular_numberings(tree))) == count > 1

    graph = crank_slider()
    found = list(regular_numberings(graph))
    for numbering in found:
        assert_regular(numbering, graph)
    by_brute_force = set()
    for cut in CRANK_SLIDER:
        tree = [name for name in CRANK_SLIDER if name != cut]
        for order in permutations(graph.bodies):
            number = {"base": 0, **{body: i for i, body in enumerate(order, start=1)}}
            if sorted([max(number[body] for body in CRANK_SLIDER[name]) for name in tree]) == [1, 2, 3]:
                by_brute_force.add((cut, order))
    assert {(numbering.joints[4], numbering.bodies[1:]) for numbering in found} == by_brute_force
    assert len(found) == len(by_brute_force) == 8
    assert [sum(numbering.joints[4] == cut for numbering in found) for cut in CRANK_SLIDER] == [1, 3, 3, 1]


@pytest.mark.source("RBDA-S4.1.3-1", "RBDA-3.31")
def test_velocity_and_force_across_a_joint_go_from_predecessor_to_successor(rng):
    moving = Moving(rng, JOINT_SETS["axes"])
    model, bodies = moving.model, moving.bodies
    motion = newton_euler(model, moving.q, moving.qd, moving.qdd)
    ends = {i: (model.predecessor(i), model.successor(i)) for i in bodies}
    for i, (predecessor, successor) in ends.items():
        v_J = jcalc(model.joints[i], moving.q[model.q_slice(i)], moving.qd[model.v_slice(i)])[2]
        near(helpers.motion_carried(v_J, moving.poses[i]), moving.v[successor] - moving.v[predecessor], 1e-10)
    f_J = [helpers.force_carried(f, pose) for f, pose in zip(motion.f, moving.poses, strict=True)]
    for i in bodies:
        gained = sum(f_J[j] for j in bodies if ends[j][1] == i) - sum(f_J[j] for j in bodies if ends[j][0] == i)
        near(gained, moving.net[i] - moving.weights[i])


@pytest.mark.source("RBDA-S4.1.3-2")
def test_symmetrical_joints_are_their_own_reverse_up_to_their_variables(rng):
    kinds = "revolute", "prismatic", "helical", "cylindrical"
    for joint in (joint for joint in JOINTS if str(joint).startswith(kinds)):
        q = rng.normal(size=joint.nq)
        close(Reversed(joint).transform(q), joint.transform(-q))
        close(Reversed(joint).motion_subspace(q), -joint.motion_subspace(-q))
    ball, p = Spherical(), Spherical().random_position(rng)
    close(Reversed(ball).transform(p), ball.transform(p * [1, -1, -1, -1]))
    assert np.linalg.matrix_rank(np.hstack([Reversed(ball).motion_subspace(p), ball.motion_subspace(p)])) == 3
    rack = RackAndPinion(0.3)
    misses = [np.abs(Reversed(rack).transform([0.4]) - rack.transform([x])).max() for x in np.linspace(-7, 7, 281)]
    assert min(misses) > 1e-2, "no angle makes up for the reversal"


@pytest.mark.source("RBDA-F4.5", "RBDA-4.2", "RBDA-S4.1.4-1", "RBDA-S4.1.4-2")
def test_p_and_s_describe_the_graph_completely(rng):
    """The parent is the smaller end of a joint, and a forward joint leads away from it."""
    for p, s, parents, chord in (([0, 1, 2, 3], [1, 2, 3, 0], (0, 1, 2), {0, 3}),
                                 ([0, 0, 1, 2], [1, 2, 3, 3], (0, 0, 1), {2, 3})):
        numbering = Connectivity(p, s)
        assert numbering.parent == (None, *parents) and numbering.N_L == 1
        assert not any(numbering.is_reversed(i) for i in (1, 2, 3))
        fits = [found for found in regular_numberings(crank_slider()) if found.parent == numbering.parent]
        assert len(fits) == 2
        assert all({found.predecessor(4), found.successor(4)} == chord for found in (numbering, *fits))

    numbering, parents, flips = random_connectivity(rng, 9, 2)
    assert (numbering.N_B, numbering.N_J, numbering.N_L) == (9, 11, 2)
    assert numbering.parent == (None, *parents) and {-1, 1} == set(flips)
    for i, flip in enumerate(flips[:9], start=1):
        ends = (parents[i - 1], i)
        assert (numbering.predecessor(i), numbering.successor(i)) == ends[::flip] and min(ends) == parents[i - 1]
        assert numbering.is_reversed(i) == (flip == -1)
    joints = [Revolute() if flip == 1 else Reversed(Revolute()) for flip in flips[:9]]
    model = Model(parents, joints, [np.eye(6)] * 9, [mcI(1, [0, 0, 0], np.eye(3))] * 9)
    assert Connectivity.of(model).p == numbering.p[:9] and Connectivity.of(model).s == numbering.s[:9]
    for i in model.bodies:
        assert (numbering.kappa(i), numbering.mu(i), numbering.nu(i)) == (model.kappa(i), model.mu(i), model.nu(i))


@pytest.mark.source("RBDA-F4.6", "RBDA-Q4.1-2")
@pytest.mark.parametrize("unknown", [4, 6])
def test_the_larger_example_has_the_printed_sets(unknown):
    parents = (0, 1, 1, 0, 3, 4, unknown, 4)
    ends = [(parent, i) for i, parent in enumerate(parents, start=1)]
    ends[3] = ends[3][::-1]
    numbering = Connectivity(*zip(*ends, strict=True))
    assert numbering.parent == (None, *parents)
    assert [i for i in range(1, 9) if numbering.is_reversed(i)] == [4]
    assert (numbering.predecessor(4), numbering.successor(4)) == (4, 0)
    below_4, below_6, path_to_7 = ([6, 7, 8], [], [4, 7]) if unknown == 4 else ([6, 8], [7], [4, 6, 7])
    kappa, mu, nu = ([sets(i) for i in range(1, 9)] for sets in (numbering.kappa, numbering.mu, numbering.nu))
    assert kappa == [[1], [1, 2], [1, 3], [4], [1, 3, 5], [4, 6], path_to_7, [4, 8]]
    assert mu == [[2, 3], [], [5], below_4, [], below_6, [], []]
    assert nu == [[1, 2, 3, 5], [2], [3, 5], [4, 6, 7, 8], [5], [6, *below_6], [7], [8]]
    assert (numbering.mu(0), numbering.nu(0)) == ([1, 4], list(range(9)))


@pytest.mark.source("RBDA-S4.1.4-3", "RBDA-S4.1.4-4", "RBDA-Q4.1-1", "RBDA-4.3", "RBDA-4.5")
def test_the_sets_kappa_mu_and_nu_and_their_relations(rng):
    for n in (1, 9):
        numbering, parents, _ = random_connectivity(rng, n)
        kappa, mu, nu, bodies = numbering.kappa, numbering.mu, numbering.nu, range(1, n + 1)
        for i in bodies:
            assert kappa(i) == ancestors(parents, i)[::-1]
            assert mu(i) == [j for j in bodies if parents[j - 1] == i]
            assert nu(i) == [j for j in bodies if i in ancestors(parents, j)]
            assert i in kappa(i) and i in nu(i)
            assert set(mu(i)) <= set(nu(i)) - {i}
            assert all((j in kappa(i)) == (i in nu(j)) for j in bodies)
            assert set(nu(i)) == {i}.union(*(nu(j) for j in mu(i)))
            assert set(kappa(i)) == {i}.union(kappa(parents[i - 1]))
            assert all(set(nu(i)) <= set(nu(j)) or set(nu(j)) <= set(nu(i)) or not set(nu(i)) & set(nu(j))
                       for j in bodies)
        assert (kappa(0), mu(0), nu(0)) == ([], [j for j in bodies if parents[j - 1] == 0], [0, *bodies])

        g = rng.integers(-99, 99, size=(n + 1, n + 1))
        over_kappa = sum(g[i, j] for i in bodies for j in kappa(i))
        assert over_kappa == sum(g[i, j] for j in bodies for i in nu(j))
        assert over_kappa == sum(g[i, j] for i in bodies for j in ancestors(parents, i))

        epsilon, P = numbering.support_matrix(), np.zeros((n + 1, n + 1))
        P[bodies, parents] = 1
        assert_allclose(epsilon, np.linalg.inv(np.eye(n) - P[1:, 1:]), atol=1e-12)
        assert_array_equal(epsilon, [[j in ancestors(parents, i) for j in bodies] for i in bodies])


@pytest.mark.source("RBDA-X4.1", "RBDA-A4.2", "RBDA-4.4")
def test_body_velocities_are_sums_over_the_joints_that_support_them(rng):
    """With velocities across the joints that come from a moving mechanism, in world coordinates."""
    tree = random_tree(rng, 7)
    q, qd = rng.normal(size=(2, 7))
    v = [velocity(lambda t, i=i: tree.world_poses(q + t * qd)[i]) for i in range(8)]
    v_J = [velocity(lambda t, i=i: tree.world_poses(q + t * qd * (np.arange(7) == i))[i + 1]) for i in range(7)]
    numbering = Connectivity(tree.parent, range(1, 8))
    recursive = geometry.sum_joint_velocities(tree.parent, v_J)
    assert_array_equal(recursive[0], np.zeros(6))
    for i in range(1, 8):
        close(recursive[i], v[i], 1e-10)
        close(sum(v_J[j - 1] for j in numbering.kappa(i)), v[i], 1e-10)


@pytest.mark.source("RBDA-X4.2", "RBDA-4.6")
def test_the_columns_of_a_body_jacobian_are_velocities_for_unit_joint_rates(rng):
    chosen = [RATES_ARE_VARIABLES[k] for k in rng.permutation(len(RATES_ARE_VARIABLES))[:6]]
    mechanism = Mechanism(rng, chosen)
    model = mechanism.model()
    q, qd = model.random_state(rng)
    epsilon = Connectivity.of(model).support_matrix()
    v, X = body_velocities(model, q, qd), body_transforms(model, q)
    for i in model.bodies:
        J = body_jacobian(model, q, i)
        here = mechanism.world_poses(q)[i]
        for k, unit in enumerate(np.eye(model.nv)):
            moving = velocity(lambda t, unit=unit, i=i: mechanism.world_poses(q + t * unit)[i])
            close(J[:, k], helpers.motion_coordinates(moving, here), 1e-9)
        close(J @ qd, v[i], 1e-10)
        S = [inverse_transform(X[j]) @ jcalc(model.joints[j], q[model.q_slice(j)], qd[model.v_slice(j)])[1]
             for j in model.bodies]
        close(inverse_transform(X[i]) @ J, np.hstack([epsilon[i - 1, j] * S_j for j, S_j in enumerate(S)]), 1e-10)


@pytest.mark.source("RBDA-S4.2-1", "RBDA-S4.2-3", "RBDA-F4.7", "RBDA-S4.2-4")
def test_a_model_holds_one_transform_per_tree_joint_and_two_per_loop_joint_where_the_loop_closes(rng):
    """Those of the loops belong to the joints after those of the tree."""
    graph = random_graph(rng, 4, 2)
    inertia, joints = part_list(rng, graph)
    model, numbering, frames = connectivity.build_model(inertia, joints, 0)
    for built, number in ((model, 8), (parallelogram(), 5)):
        located = [*built.X_tree[1:], *(X for loop in built.loops for X in (loop.X_P, loop.X_S))]
        assert len(located) == built.N_B + 2 * built.N_L == number
        assert all(X.shape == (6, 6) and not X.flags.writeable for X in located), "they are constants"
    for i, loop in zip((5, 6), model.loops, strict=True):
        p, s, joint, X_P, X_S = joints[numbering.joints[i]]
        assert (loop.joint, numbering.bodies[loop.predecessor], numbering.bodies[loop.successor]) == (joint, p, s)
        close(loop.X_P @ frames[loop.predecessor], X_P)
        close(loop.X_S @ frames[loop.successor], X_S)

    model, angle = parallelogram(), rng.normal()
    q, (loop,) = np.array([angle, -angle, angle]), model.loops
    assert (model.predecessor(4), model.successor(4)) == (2, 3)

    def across(q):
        X = body_transforms(model, q)
        return loop.X_S @ X[3] @ inverse_transform(X[2]) @ inverse_transform(loop.X_P)

    close(across(q), loop.joint.transform([angle]))
    far(across(q + [0.1, 0, 0]), loop.joint.transform([angle]))


@pytest.mark.source("RBDA-S4.2-2", "RBDA-S4.2-4", "RBDA-X4.3", "RBDA-A4.3", "RBDA-X4.4", "RBDA-A4.6")
def test_positions_and_velocities_of_the_bodies_of_a_tree_of_every_joint_type(rng):
    """X_tree leads from the parent to the place of the joint there."""
    mechanism = Mechanism(rng, [JOINTS[k] for k in rng.permutation(len(JOINTS))])
    model = mechanism.model()
    q, qd = model.random_state(rng)
    X, v = body_transforms(model, q), body_velocities(model, q, qd)
    X_0, v_0 = geometry.positions_and_velocities(model, q, qd)

    @cache
    def poses(t):
        return mechanism.world_poses(model.integrate(q, qd, t))

    assert_array_equal(X[0], np.eye(6))
    assert_array_equal(v_0[0], np.zeros(6))
    for i, (R, p) in enumerate(mechanism.places, start=1):
        close(model.X_tree[i], rot(R.T) @ xlt(p))
        close(X[i], plucker(*helpers.E_and_r(HERE, poses(0)[i])), 1e-11)
        close(X_0[i], X[i], 1e-11)
        X_J = plucker(*helpers.E_and_r(compose(poses(0)[model.parent[i]], (R, p)), poses(0)[i]))
        close(model.joints[i].transform(q[model.q_slice(i)]), X_J, 1e-11)
        close(v_0[i], motion_of(lambda t, i=i: poses(t)[i]), 1e-7)
        close(v_0[i], inverse_transform(X[i]) @ v[i], 1e-11)


def some_axes(rng, n):
    """Lines in space among which some are parallel, some intersect and some coincide: pairs (direction, point)."""
    lines, z, p = [], np.array([0, 0, 1.0]), np.zeros(3)
    for kind in rng.integers(0, 5, n):
        (direction, elsewhere), on_the_last, sign = rng.normal(size=(2, 3)), p + rng.normal() * z, rng.choice([-1, 1])
        direction, p = [(direction, elsewhere), (2 * sign * z, elsewhere), (direction, on_the_last),
                        (sign * z, on_the_last), (np.cross(z, direction), elsewhere)][kind]
        lines.append((direction, p))
        z = direction / np.linalg.norm(direction)
    return lines


def line(direction, point):
    """Plücker coordinates [s; p × s] of a line."""
    s = direction / np.linalg.norm(direction)
    return np.concatenate([s, np.cross(point, s)])


def z_axis(pose):
    """Plücker coordinates of the z axis of a pose."""
    return line(pose[0][:, 2], pose[1])


def dh_pose(a, alpha, d, theta):
    """Frame i in frame i-1, from the meaning of the parameters: along and about x_{i-1}, then along and about z_i."""
    x, z = np.eye(3)[[0, 2]]
    return compose((turn(x, alpha), a * x), (turn(z, theta), d * z))


def chain_poses(base, rows, end=None):
    """The poses of the Denavit-Hartenberg frames in base coordinates, the end-effector frame last."""
    theta_0, d_0 = base
    poses = [(turn(np.eye(3)[2], theta_0), d_0 * np.eye(3)[2])]
    for row in (*rows, *([] if end is None else [end])):
        poses.append(compose(poses[-1], dh_pose(*row[:4])))
    return poses[1:]


@pytest.mark.source("RBDA-A4.4", "RBDA-F4.8")
def test_denavit_hartenberg_frames_stand_on_the_lines_they_were_made_from(rng):
    """x of each frame is perpendicular to its z and to that of the next, whose line it meets."""
    for n in (1, 3, 6):
        for _ in range(6):
            axes, (R_end, p_end) = some_axes(rng, n), random_pose(rng)
            base, rows, end = geometry.dh_parameters(axes, end=(R_end.T, p_end))
            poses = chain_poses(base, rows, end)
            for axis, pose in zip(axes, poses, strict=False):
                close(z_axis(pose), line(*axis), 1e-10)
            assert all(row.a >= 0 for row in rows) and end[0] >= 0
            close(poses[-1][0], R_end, 1e-10)
            close(poses[-1][1], p_end, 1e-10)
            z = np.eye(3)[2]
            for (R, p), (R_next, p_next) in pairwise([(turn(z, base[0]), base[1] * z), *poses]):
                x, z_next = R[:, 0], R_next[:, 2]
                assert abs(x @ z_next) < 1e-10 and abs(x @ R[:, 2]) < 1e-15
                assert abs(np.cross(x, z_next) @ (p_next - p)) < 1e-9 * max(1, np.abs(p_next - p).max())

    x, y, z = np.eye(3)
    _, rows, _ = geometry.dh_parameters([(z, 0 * x), (z, 2 * y + 5 * z), (y, 2 * y + 5 * z), (y, 2 * y)])
    assert rows[0][:4] == pytest.approx((0, 0, 0, np.pi / 2)), "coincident with z_0: x_0 stays, x_1 turns to y"
    assert rows[1].a == pytest.approx(2) and rows[1].alpha == pytest.approx(0)
    assert rows[2].a == pytest.approx(0) and abs(rows[2].alpha) == pytest.approx(np.pi / 2)
    base, rows, _ = geometry.dh_parameters([(z, x), (z, 3 * x + 4 * z), (z, 3 * x + y)])
    assert [row.d for row in rows] == [0, 0, 0] and base == (0, 0), "parallel: the perpendicular intersects x_{i-1}"


@pytest.mark.source("RBDA-S4.3-2")
def test_the_printed_geometric_model_of_a_revolute_chain(rng):
    parameters, (theta_0, d_0) = rng.normal(size=(4, 4)), rng.normal(size=2)
    chain = geometry.dh_chain([(a, alpha, d, 0) for a, alpha, d, _ in parameters], base=(theta_0, d_0))
    a, alpha, d, theta = parameters.T
    close(chain.X_tree[0], xlt([a[0], 0, d[0]]) @ rotx(alpha[0]) @ rotz(theta_0) @ xlt([0, 0, d_0]))
    for i in (1, 2, 3):
        close(chain.X_tree[i], xlt([a[i], 0, d[i]]) @ rotx(alpha[i]))
        close(chain.joints[i].transform([theta[i]]), rotz(theta[i]))
        X = rotz(theta[i]) @ xlt([a[i], 0, d[i]]) @ rotx(alpha[i])
        close(geometry.dh_transform(*parameters[i]), X)
        (ct, ca), (st, sa) = np.cos([theta[i], alpha[i]]), np.sin([theta[i], alpha[i]])
        R = np.array([[ct, -st, 0], [st * ca, ct * ca, -sa], [st * sa, ct * sa, ca]])
        close(X, plucker(R.T, [a[i], -sa * d[i], ca * d[i]]), 1e-12)
        x, z = np.eye(3)[[0, 2]]
        along_z, along_x = plucker(turn(z, theta[i]).T, d[i] * z), plucker(turn(x, alpha[i]).T, a[i] * x)
        close(X, along_z @ along_x, 1e-12)
        far(X, along_x @ along_z)


@pytest.mark.source("RBDA-S4.3-3")
def test_a_chain_of_n_joints_has_4n_plus_6_parameters_or_five_fewer_with_a_base_frame_on_its_first_axis(rng):
    for n in (1, 2, 4):
        axes, (R, p) = [(helpers.random_unit(rng), rng.normal(size=3)) for _ in range(n)], random_pose(rng)
        base, rows, end = geometry.dh_parameters(axes, end=(R.T, p))
        values = np.array([*base, *(x for row in rows for x in row[:4]), *end])
        assert len(values) == 4 * n + 6
        assert sum(joint.nv for joint in geometry.dh_chain(rows).joints) == n, "one variable per revolute joint"

        def frames(values, n=n):
            """The n axes and the end-effector frame."""
            poses = chain_poses(values[:2], values[2:].reshape(-1, 4))
            return np.concatenate([*map(z_axis, poses[:n]), *poses[n][0], poses[n][1]])

        columns = [slope(lambda t, e=e, v=values, f=frames: f(v + t * e)) for e in np.eye(len(values))]
        assert np.linalg.matrix_rank(np.column_stack(columns), tol=1e-6) == 4 * n + 6
        moved = np.array([*values[:-4], *(values[-4:] + 0.1)])
        assert_array_equal(frames(moved)[: 6 * n], frames(values)[: 6 * n], "the last four move only the end-effector")

    axes = [(R[:, 2], p) for R, p in chain_poses((0, 0), [(0, 0, 0, 0.3), *rng.normal(size=(3, 4))])]
    base, (first, *others), _ = geometry.dh_parameters(axes)
    assert_allclose([*base, first.a, first.alpha, first.d], np.zeros(5), atol=1e-12)
    for pose, axis in zip(chain_poses((0, 0), [(0, 0, 0, first.theta), *others]), axes, strict=True):
        close(z_axis(pose), line(*axis), 1e-10)


@pytest.mark.source("RBDA-S4.3-4")
def test_four_parameters_locate_a_line_and_six_a_frame(rng):
    """The line z_{i-1}, seen from frame i, depends on all four parameters of row i; a general frame needs two more."""
    row = rng.normal(size=4)

    def seen_line(values):
        R, p = dh_pose(*values)
        return z_axis((R.T, -R.T @ p))

    def rank(curves):
        return np.linalg.matrix_rank(np.column_stack([slope(curve) for curve in curves]), tol=1e-6)

    assert rank([lambda t, e=e: seen_line(row + t * e) for e in np.eye(4)]) == 4
    R, p = random_pose(rng)
    nudges = [lambda t, e=e: np.array([*(turn(e, t) @ R).ravel(), *p]) for e in np.eye(3)]
    nudges += [lambda t, e=e: np.array([*R.ravel(), *(p + t * e)]) for e in np.eye(3)]
    assert rank(nudges) == 6
    assert rank([lambda t, f=f: z_axis((f(t)[:9].reshape(3, 3), f(t)[9:])) for f in nudges]) == 4


@pytest.mark.source("RBDA-S4.4-4")
def test_inverse_and_force_transforms_need_no_inverted_matrix(rng):
    E, r = helpers.random_rotation(rng), rng.normal(size=3)
    X, (a, b) = plucker(E, r), rng.normal(size=(2, 3))
    vector, dense = np.concatenate([a, b]), np.linalg.inv(X)
    for by_parts, by_matrix, transform in (
        ((E.T @ a, E.T @ b + np.cross(r, E.T @ a)), dense, inverse_transform(X)),
        ((E @ (a - np.cross(r, b)), E @ b), dense.T, force_transform(X)),
        ((E.T @ a + np.cross(r, E.T @ b), E.T @ b), X.T, force_transform(inverse_transform(X))),
    ):
        close(np.concatenate(by_parts), by_matrix @ vector)
        close(transform, by_matrix)
