"""Every algorithm of chapters 5 to 9 becomes a straight-line program with the same results, or says why it cannot."""

import inspect
from functools import cache
from importlib import import_module

import numpy as np
import pytest

from rbdlib import Model, compile_for, load, rnea
from rbdlib.book import ch04_joints as joints
from rbdlib.book.ch02_spatial import rotx, rotz, xlt
from rbdlib.book.ch09_floating_base import floating_aba
from rbdlib.compile.executer import free_symbols, rebuild, record
from rbdlib.compile.samples import Sample, closed_posture
from rbdlib.dynamics import METHODS
from rbdlib.loops.closing import close_loops, loop_errors
from rbdlib.loops.coordinates import inverse_dynamics as loop_inverse_dynamics
from rbdlib.loops.dynamics import by_loop_constraints as loop_dynamics
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.floating_base import FloatingBase, to_floating_base
from rbdlib.methods.geared_trees import Gear, GearedTree
from rbdlib.methods.gears import NonlinearGear
from rbdlib.numbers.scalars import sin
from tests.sources.ch03_systems import random_model
from tests.test_typed_algorithms import parts


@cache
def tree(name):
    """A tree of the kind named, never changed: "plain" and "balls" suit methods that are choosy, "timed" and "mixed"
    depend on time, and "axes", "many", "turned", "custom" and "timed" have joints of every type between them."""
    plain, moving, written = screw_thread()
    kinds = {
        "axes": [joints.Revolute("x"), joints.Prismatic("y"), joints.Helical(0.1), joints.Cylindrical("x"),
                 joints.RackAndPinion(0.2), joints.Revolute((1, 2, 3))],
        "many": [joints.FreeMotion(), joints.Spherical(), joints.Euler("zyx"), joints.Universal(), joints.Planar()],
        "turned": [joints.Planar("F_s"), joints.FreeMotion("F_s"), joints.Reversed(joints.RackAndPinion(0.3)),
                   joints.Fixed(), joints.Reversed(joints.Spherical())],
        "custom": [plain, written, joints.Reversed(plain)],
        "timed": [joints.Revolute("z"), moving, joints.Reversed(moving)],
        "mixed": [joints.Spherical(), moving, joints.Fixed(), joints.Helical(0.3, (1, 2, 3))],
        "plain": [joints.Revolute("z"), joints.Prismatic("x"), joints.Revolute("y"), joints.Revolute("z")],
        "balls": [joints.Spherical(), joints.Spherical()]}
    return random_model(np.random.default_rng(8), kinds[name])


@cache
def screw_thread():
    """A joint written by a reader, with S and c_J left to be derived; one that moves; and one that rolls."""
    return (Custom(1, lambda q, t: rotz(q[0]) @ xlt([0.1 * q[0], 0.2 * q[0] * q[0], 0])),
            Custom(1, lambda q, t: rotz(q[0] + 3 * t) @ xlt([0.1 * t, 0, 0])),
            Custom(1, lambda q, t: rotx(q[0]) @ xlt([q[0], 0, 0])))


@cache
def floating(name):
    if name == "arm":
        return to_floating_base(load("satellite_arm"))
    return FloatingBase(tree("axes"), tree("many").inertia[1])


@cache
def geared(name):
    plain = tree("plain")
    if name == "differential":
        return GearedTree(plain, [Gear(2, {1: 5.0, 3: 0.3}, 0.2)])
    parent, gear = {"cam": ([0, 0, 1], NonlinearGear(2, (1,), lambda x: sin(x) + x * x)),
                    "rotor": ([0, 1, 1], Gear(3, {2: 50.0}))}[name]
    return GearedTree(Model(parent, [joints.Revolute("z")] * 3, plain.X_tree[1:4], plain.inertia[1:4]), [gear])


TREES, GEARED = ("axes", "many", "turned", "custom", "timed"), ("differential", "cam", "rotor")


#: What makes a model for the functions of a module, and of which names; the others meet a tree that mixes joints.
MODELS = {**dict.fromkeys(("book.ch08_closed_loops", "loops.dynamics", "loops.coordinates", "loops.closing"),
                          (load, ("crank_slider",))),
          "methods.derivatives": (tree, ("timed",)), "book.ch09_floating_base": (floating, ("any",)),
          "methods.floating_base": (load, ("satellite_arm",)), "motion.floating_momentum": (floating, ("arm",)),
          "book.ch09_gears": (geared, GEARED), "methods.gears": (geared, GEARED)}
#: Repeated until they converge, or choosy.
OF_OTHER_TREES = {"conjugate_gradient", "preconditioned_conjugate_gradient", "aba_unit_columns", "armstrong"}
#: (what makes a model, names, further arguments that are fixed) for functions that meet other models, or take more.
#: The algorithms that everybody compiles meet joints of every type.
SPECIAL = {
    **dict.fromkeys(("rnea", "crba", "aba"), [(tree, TREES, {})]),
    **dict.fromkeys(("original_newton_euler", "aba_unit_columns"), [(tree, ("plain",), {})]),
    **dict.fromkeys(("tangent", "coriolis_matrix", "christoffel", "divide_and_conquer_tree"),
                    [(tree, ("custom",), {})]),
    **dict.fromkeys(("body_jacobian", "body_jacobian_dot"), [(tree, ("mixed",), {"i": 3})]),
    **dict.fromkeys(("hybrid_articulated_bodies", "modified_crba"), [(tree, ("mixed",), {"prescribed": [2]})]),
    **dict.fromkeys(("crba_with_rotors", "by_crba_with_rotors", "aba_with_rotors"),
                    [(tree, ("plain",), {"I_rot": {1: 0.5}})]),
    "handles_by_projection": [(tree, ("mixed",), {"handles": [1, 3]})],
    "forward_dynamics": [(tree, ("mixed",), {"method": name}) for name in sorted(METHODS.keys() - OF_OTHER_TREES)] + [
        (tree, ("plain",), {"method": "aba_unit_columns"}), (tree, ("balls",), {"method": "armstrong"})],
    "by_loop_constraints": [(load, (name,), {"method": method}) for method, name in (
        ("direct", "four_bar"), ("multipliers", "crank_slider"), ("coordinates", "crank_slider"),
        ("coordinates", "stewart_platform"))] + [
            (load, ("four_bar",), {"T_stab": 0.1, "tau_loop": {4: 0.5}, "frame": 2})],
    "inverse_dynamics": [(load, ("crank_slider",), {}), (load, ("four_bar",), {"actuated": [0]})],
    "correction": [(load, ("four_bar",), {})],
    "by_sparse_equation": [(tree, ("axes",), {}), (load, ("arm_6r",), {})],                    # bodies are thin rods
    "hybrid_dynamics": [(tree, ("mixed", "turned"), {"method": method, "prescribed": [2]})
                        for method in ("articulated_body", "inertia_matrix", "permutation")],
    "to_fixed_state": [(floating, ("any",), {})], "floating_jacobian": [(floating, ("arm",), {"i": 2})],
    "geared_forward_dynamics": [(geared, names, {"method": method}) for method, names in (
        ("explicit", GEARED), ("sparse", GEARED), ("embedded", GEARED[1:]), ("quick", GEARED[2:]))]}


#: Functions and methods whose programs take long to record.
SLOW = {"by_sparse_equation", "articulated_bodies_in_base", "floating_by_crba", "bae_haug", "armstrong"}


#: Why other functions of these modules, whose first argument is a model, are not in the table.
NOT_HERE = {
    "they are methods of forward_dynamics or of hybrid_dynamics, by which they are tested, or parts of an algorithm": {
        "by_inverse_dynamics", "by_differential_inverse_dynamics", "by_columns", "by_crba", "by_crba_ltl",
        "by_variant_1", "by_variant_2", "divide_and_conquer", "direct", "symmetry", "crb", "articulated_body",
        "full_order_n", "rodriguez", "innovations", "rosenthal_elimination", "vereshchagin", "featherstone",
        "brandl_johanni_otter", "rosenthal", "bae_haug", "armstrong", "by_inertia_matrix", "by_permutation",
        "by_articulated_bodies", "solve_H_11", "inverse_of_body", "spanning_tree", "constraints_to_rank", "seen_from",
        "by_G", "by_sparse_G", "by_embedding", "by_quick_model", "congruence", "first_pass", "first_pass_in_base",
        "gravity_in_base", "independent_part", "independent_accelerations", "total_mass", "hybrid_with_rotors"},
    "they search until something converges, and refuse what is not a number": {
        "solve_closure", "by_solving", "close_loops", "downhill", "project", "conjugate_gradient",
        "preconditioned_conjugate_gradient", "float_along", "closest", "kalman_analogy"},
    "they return what is not made of numbers": {
        "explain", "correspondence", "naming_joint", "actuation", "mobility", "block_equation", "to_fixed_base",
        "to_floating_base", "quick_model", "simplify",
        "with_inertias", "moves", "require_balls", "links_from_base", "links_at_rest"},
    "they compute nothing from a state": {
        "sparsity_pattern", "expanded_parent", "assembly_levels", "error_units", "error_is_length",
        "loop_size", "loop_clusters", "loop_path", "velocity_units", "velocity_places", "block_pattern",
        "elimination_order", "forward_joints", "permutation", "floating_parent", "shifted_names", "clusters",
        "parameters", "at_joints"},
    "it takes a function of y, which is tested below": {"by_closure_function"}}
MODULES = ("book.ch04_kinematics", "methods.centre_of_mass",
           "book.ch05_inverse_dynamics", "methods.inverse_dynamics_variants",
           "book.ch06_inertia_matrix", "book.ch07_articulated_body", "methods.handles", "methods.divide_and_conquer",
           "dynamics", "book.ch08_closed_loops", "loops.dynamics", "loops.clusters", "loops.tolerances",
           "loops.coordinates", "loops.closing", "loops.sparse_method", "loops.mobility",
           "book.ch09_hybrid", "book.ch09_floating_base", "methods.floating_base", "motion.floating_momentum",
           "book.ch09_gears", "methods.gears", "methods.rotors", "methods.first_pass", "methods.equivalence",
           "methods.derivatives",
           "texts.soa.mass_matrix_methods", "methods.joint_space", "methods.articulated_body_variants",
           "methods.force_parts", "texts.soa.order_n.articulated", "texts.soa.order_n.authors",
           "texts.soa.order_n.factors")


def functions_of(module):
    """The public functions of a module whose first argument is a model, {name: function}."""
    module = import_module(f"rbdlib.{module}")
    return {name: function for name, function in vars(module).items()
            if inspect.isfunction(function) and function.__module__ == module.__name__ and name[0] != "_"
            and next(iter(inspect.signature(function).parameters), "") in ("model", "system", "geared")}


def cases():
    """(function, what makes a model, names of models, fixed arguments): every function that NOT_HERE does not name."""
    reasons = set().union(*NOT_HERE.values())
    for module in MODULES:
        for name, function in functions_of(module).items():
            usual = [] if name in reasons else [(*MODELS.get(module, (tree, ("mixed",))), {})]
            yield from ((function, *case) for case in SPECIAL.get(name, usual))


def state(model, inputs):
    """Random numbers for the inputs of a program, others than those it was recorded with; loops are closed."""
    rng, known = np.random.default_rng(100), ("q", "qd", "qdd", "tau", "y", "yd", "base", "T_stab")
    sample = Sample(model, [(name, ()) for name in known], (), {}, None)
    sample.made = {}
    values = sample._state(np.random.default_rng(100), set(known))
    return {name: values[name] if name in values else rng.normal(size=shape) for name, shape in inputs}


UFUNCS = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "neg": np.negative, "sin": np.sin,
          "cos": np.cos, "sqrt": np.sqrt}


def evaluate(recording, values):
    """The results of a recording as the function arranges them, in the arithmetic of NumPy, where 0/0 is NaN."""
    program, numbers = recording.program, [x for name in values for x in np.ravel(values[name])]
    with np.errstate(all="ignore"):
        for operation, operands in program.assignments:
            numbers.append(UFUNCS[operation](*(numbers[x] if isinstance(x, int) else x for x in operands)))
    return rebuild(recording.structure, [np.array([numbers[x] if isinstance(x, int) else x for x in entries], float)
                                         .reshape(shape) for _, shape, entries in program.outputs])


def numbers_in(result):
    """All numbers of a result, which may be nested, one after another."""
    return np.concatenate([np.zeros(0), *(np.ravel(part).astype(float) for part in parts(result))])


def require_equal(found, expected, tolerance=1e-9):
    found, expected = numbers_in(found), numbers_in(expected)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max(initial=0) <= tolerance * max(1e-3, np.abs(expected).max(initial=0))


@pytest.mark.parametrize(("function", "make", "names", "fixed"), [
    pytest.param(*case, id=" ".join([case[0].__name__, *map(str, case[3].values())]), marks=[
        *[pytest.mark.slow] * (not SLOW.isdisjoint({case[0].__name__, case[3].get("method")})),
        *[pytest.mark.long] * ("stewart_platform" in case[2])]) for case in cases()])
def test_a_program_has_the_results_of_the_function_that_was_recorded(function, make, names, fixed):
    given = [name for name in ("t", "f_ext") if name in inspect.signature(function).parameters]
    for name in names:
        model = make(name)
        recording = record(function, model, given=given, fixed=fixed, checked=False)
        values = state(model, recording.program.inputs)
        found, expected = evaluate(recording, values), function(model, **values, **fixed)
        assert type(found) is type(expected) or isinstance(found, float), name
        require_equal(found, expected)


@pytest.mark.slow
def test_where_the_pivots_of_the_sample_do_not_serve_results_are_nan_and_compiled_functions_ask_the_readable_one():
    model, rng, method = load("scissor_lift"), np.random.default_rng(3), {"method": "coordinates"}
    recording = record(loop_dynamics, model, fixed=method)
    q = np.array([close_loops(model, model.random_state(rng)[0]) for _ in range(8)])      # sometimes folded up
    qd, tau, served = np.zeros((8, model.nv)), rng.normal(size=(8, model.nv)), []
    compiled = compile_for(loop_dynamics, model, backend="numpy", cache=False, **method)(q, qd, tau)
    for k in range(8):
        values = {"q": q[k], "qd": qd[k], "tau": tau[k]}
        found, right = numbers_in(evaluate(recording, values)), loop_dynamics(model, **values, **method)
        served.append(not np.isnan(found).all())
        if served[-1]:
            require_equal(found, right)
        require_equal([part[k] for part in compiled], right)
    assert any(served) and not all(served)


def test_the_sample_state_may_be_given_open_loops_have_no_results_and_symbols_may_be_kept():
    model = load("four_bar")
    recording = record(loop_inverse_dynamics, model)
    values = state(model, recording.program.inputs)
    for name, x in (("qdd", values["qdd"] + [0.1, 0, 0]), ("q", values["q"] + [0.01, 0, 0])):
        assert np.isnan(numbers_in(evaluate(recording, values | {name: x}))).all()
    dynamics = record(loop_dynamics, model)
    motion = {name: values[name] for name in ("q", "qd")} | {"tau": np.zeros(3)}
    assert np.isfinite(numbers_in(evaluate(dynamics, motion))).all()
    assert np.isnan(numbers_in(evaluate(dynamics, motion | {"q": values["q"] + [0.01, 0, 0]}))).all()
    q = close_loops(model, [0.5, 0.1, 0.2])
    given = record(loop_dynamics, model, sample={"q": q, "qd": np.zeros(3)})
    values = {"q": q, "qd": np.zeros(3), "tau": np.ones(3)}
    require_equal(evaluate(given, values), loop_dynamics(model, **values))
    with pytest.raises(TypeError, match="does not fulfil the loop constraints"):
        record(loop_dynamics, model, sample={"q": q + [0.1, 0, 0]})
    with pytest.raises(ValueError, match="sample names 'x', which is no input"):
        record(loop_dynamics, model, sample={"x": q})
    (symbolic_loop, loop), (symbolic_arm, arm) = ([load(name, symbolic=kind) for kind in (True, False)]
                                                  for name in ("four_bar", "satellite_arm"))
    for function, symbolic, model, parameters in (
            (loop_dynamics, symbolic_loop, loop, loop.parameters),
            (floating_aba, to_floating_base(symbolic_arm), to_floating_base(arm), arm.parameters)):
        names = free_symbols(symbolic)
        recording = record(function, symbolic, parameters=names)
        values = state(model, recording.program.inputs[: -len(names)])
        numbers = {name: dict(parameters)[name] for name in names}
        require_equal(evaluate(recording, values | numbers), function(model, **values))


@pytest.mark.parametrize("joint", [joints.Spherical(), joints.FreeMotion(), joints.Reversed(joints.Spherical())])
def test_euler_parameters_are_scaled_to_unit_length_and_what_are_none_has_no_result(joint):
    model = random_model(np.random.default_rng(1), [joint])
    recording, fast = record(rnea, model), compile_for(rnea, model, backend="numpy", cache=False)
    values = state(model, recording.program.inputs)
    almost = {"q": np.concatenate([1.02 * values["q"][:4], values["q"][4:]])}
    require_equal(evaluate(recording, values | almost), rnea(model, **values))
    for length in (0.0, 0.9, 1.1):
        wrong = values | {"q": np.concatenate([length * values["q"][:4], values["q"][4:]])}
        assert np.isnan(numbers_in(evaluate(recording, wrong))).any()
        with pytest.raises(ValueError, match="not a unit vector"):
            fast(**wrong)


def test_loops_are_closed_for_a_sample_near_the_neutral_position_and_at_its_time():
    model, draw = load("four_bar"), np.random.default_rng(2).uniform(-1, 1, 3)
    near = close_loops(model, model.integrate(model.neutral(), 0.3 * draw, 1.0))
    require_equal(closed_posture(model, np.random.default_rng(2)), near)
    driven = model.replace(joints=[Custom(1, lambda q, t: rotz(q[0] + t * t)), *model.joints[2:]])
    turned = closed_posture(driven, np.random.default_rng(2), t=0.1)
    assert np.abs(loop_errors(model, turned + [0.01, 0, 0], np.zeros(3))[0]).max() < 1e-9
    record(loop_inverse_dynamics, driven, given=["t"])                  # refuses qdd that break the loop at that time
    made = Sample(driven, [("q", (3,)), ("qd", (3,)), ("t", ())], (), {}, {"qd": np.zeros(3)}).values()
    assert np.abs(loop_errors(driven, made["q"], made["qd"], t=made["t"])[0]).max() < 1e-9


def test_what_is_said_of_a_function_is_said_of_one_that_exists():
    reasons = set().union(*NOT_HERE.values())
    assert not SPECIAL.keys() & reasons
    assert SPECIAL.keys() | reasons <= {name for module in MODULES for name in functions_of(module)}
