"""The NumPy backend and its printed source, against the same program run on Python's own floats; places and pieces."""

import re
import subprocess
import sys

import numpy as np
import pytest

import rbdlib
from rbdlib.compile.executer import record
from rbdlib.compile.numpy_source import to_numpy
from rbdlib.compile.printing import cost, distinct, identifier
from rbdlib.compile.program import Argument, Assignment, Program, Result, allocate, cut
from tests.compile.programs import expected, finite_floats, odd_programs, random_inputs, random_program


def run_source(text, name, inputs):
    """Call a printed function on a batch; give its results as a list."""
    module = {}
    exec(compile(text, "printed", "exec"), module)
    results = module[name](*inputs)
    return list(results) if isinstance(results, tuple) else [results]


def test_printed_random_programs_broadcast_and_odd_ones_and_constants_are_right_to_the_last_bit():
    rng = np.random.default_rng(1)
    program = random_program(rng)
    inputs = random_inputs(program, 6, rng)
    shaped = [array.reshape(6, *argument.shape) for array, argument in zip(inputs, program.inputs, strict=True)]
    results = run_source(to_numpy(program, "f"), "f", shaped)
    one = run_source(to_numpy(program, "f"), "f", [shaped[0][0], shaped[1].reshape(2, 3), shaped[2][0]])
    for found, mixed, right, (_, shape, _) in zip(results, one, expected(program, inputs, 6), program.outputs,
                                                  strict=True):
        np.testing.assert_allclose(found, right.reshape(6, *shape), rtol=1e-12, atol=1e-12)
        assert mixed.shape == (2, 3, *shape)
    for name, program in odd_programs().items():
        inputs = random_inputs(program, 1, np.random.default_rng(4))
        arguments = [array[0].reshape(argument.shape) for array, argument in zip(inputs, program.inputs, strict=True)]
        text = to_numpy(program, "class")
        assert text.isascii()
        for found, right in zip(run_source(text, "class_1", arguments), expected(program, inputs, 1), strict=True):
            np.testing.assert_allclose(np.ravel(found), right[0], rtol=1e-14, err_msg=name)
    values = finite_floats()
    (found,) = run_source(to_numpy(Program((), (), (Result("y", (len(values),), values),)), "f"), "f", ())
    assert found.tobytes() == np.array(values).tobytes()
    with pytest.raises(ValueError, match="constant inf"):
        to_numpy(Program((), (Assignment("sin", (float("inf"),)),), ()))


def test_the_printed_source_runs_without_rbdlib_and_says_what_it_costs_and_names_are_distinct_identifiers(tmp_path):
    program = record(rbdlib.rnea, rbdlib.load("double_pendulum")).program
    text = to_numpy(program, "rnea") + "\nprint(rnea([0.1, 0.2], [0, 0], [[0, 0], [1, 0]]).shape)\n"
    (tmp_path / "alone.py").write_text(text)
    done = subprocess.run([sys.executable, "-I", tmp_path / "alone.py"], capture_output=True, text=True)
    assert done.stdout == "(2, 2)\n", done.stderr
    assert "rbdlib" not in text and text.count("\n") < 200
    lines = to_numpy(record(rbdlib.aba, rbdlib.load("double_pendulum")).program).splitlines()
    assert re.fullmatch(r"    For each state: \d+ m, \d+ a, \d d, \d sin, \d cos\.", lines[7])
    assert lines[9:12] == [f"    {name} = np.asarray({name}, dtype=float)" for name in ("q", "qd", "tau")]
    assert cost(Program((), (), ())) == "nothing to compute"
    assert [identifier(text) for text in ("α", "Ω_2", "θ̇", "1st", "", "a-b", "é", "a\u0384b", "c語d")] == [
        "alpha", "Omega_2", "theta", "_1st", "x", "a_b", "e", "a_b", "c_d"]
    names = distinct(["q", "q", "lambda", "λ", "q_1"], taken=["q_2"])
    assert len(set(names)) == 5 and all(name.isidentifier() for name in names)
    assert names[0] == "q" and "q_2" not in names and "lambda" not in names


def test_no_place_is_taken_from_a_variable_that_is_needed_and_places_are_few():
    for seed in range(3):
        program = random_program(np.random.default_rng(seed), length=300)
        place, places = allocate(program)
        wanted = [x for result in program.outputs for x in result.entries if isinstance(x, int)]
        holds, first = {place[x]: x for x in range(program.input_size)}, program.input_size
        for target, done in enumerate(program.assignments, first):      # each variable's value is its own number
            read = [x for x in done.operands if isinstance(x, int)]
            assert all(holds[place[x]] == x for x in read) and place[target] not in [place[x] for x in read], target
            holds[place[target]] = target
        assert [holds[place[x]] for x in wanted] == wanted, seed
        assert set(place.values()) == set(range(places)) and places < 300, seed
    program = record(rbdlib.rnea, rbdlib.load("panda")).program
    assert allocate(program)[1] < len(program.assignments) / 5
    doubled = tuple(Assignment("+", (k, k)) for k in range(9))
    assert allocate(Program((Argument("x", (1,)),), doubled, (Result("y", (), (9,)),)))[1] == 2


@pytest.mark.parametrize("length", [1, 7, 50, 1000])
def test_pieces_hand_over_everything_that_is_read_later(length):
    program = random_program(np.random.default_rng(7), length=200)
    first = program.input_size
    pieces, place, places = cut(program, length)
    assert [k for piece in pieces for k in range(piece.first, piece.last)] == list(range(len(program.assignments)))
    holds = [None] * places
    for piece in pieces:
        assert 0 < piece.last - piece.first <= length
        assert all(x < first or holds[place[x]] == x for x in piece.reads)
        known = {*piece.reads, *range(first + piece.first, first + piece.last)}
        assert all(x in known for done in program.assignments[piece.first : piece.last]
                   for x in done.operands if isinstance(x, int))
        for x in piece.writes:
            holds[place[x]] = x
    outputs = [x for result in program.outputs for x in result.entries if isinstance(x, int) and x >= first]
    assert outputs and all(holds[place[x]] == x for x in outputs)
    with pytest.raises(ValueError, match="length is 0"):
        cut(program, 0)
