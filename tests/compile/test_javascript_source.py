"""The printed JavaScript, run by Node, gives the same numbers as Python."""

import json
import shutil
import subprocess

import numpy as np
import pytest

import rbdlib
from rbdlib.book.ch04_kinematics import body_transforms, kinetic_energy
from rbdlib.compile.executer import rebuild, record
from rbdlib.compile.javascript_source import to_javascript
from rbdlib.compile.program import Argument, Assignment, Program, Result
from tests.compile.programs import expected, finite_floats, odd_programs, random_inputs, random_program

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="Node runs the JavaScript, and it is not installed here")


@pytest.fixture
def run(tmp_path):
    """Runs a script beside a module and gives back what it prints, read as JSON."""
    def run_script(script, module):
        for name, text in (("module", module), ("script", script)):
            (tmp_path / f"{name}.mjs").write_text(text, encoding="utf-8")
        done = subprocess.run([NODE, tmp_path / "script.mjs"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run_script


def call(run, text, states):
    """The results of the module's only function, state by state; typed arrays become lists."""
    return run(f"""
        import * as module from "./module.mjs";
        const [f] = Object.values(module);
        const plain = (key, x) => x instanceof Float64Array ? Array.from(x) : x;
        console.log(JSON.stringify({json.dumps(states)}.map(state => f(...state)), plain));
        """, text)


def flat(result):
    """All numbers of a result in order."""
    if isinstance(result, dict):
        result = list(result.values())
    return [x for part in result for x in flat(part)] if isinstance(result, list) else [result]


@pytest.mark.slow
@pytest.mark.parametrize("length", [1, 13, 1000])
def test_random_and_odd_programs_give_what_python_gives(run, length):
    rng = np.random.default_rng(length)
    for name, program in {"random": random_program(rng), **odd_programs()}.items():
        inputs = random_inputs(program, 5, rng)
        text = to_javascript(program, "class", length=length)
        assert text.isascii(), name
        states = [[array[k].tolist() if argument.shape else float(array[k][0])
                   for array, argument in zip(inputs, program.inputs, strict=True)]
                  for k in range(len(inputs[0]) if inputs else 1)]
        results = call(run, text, states)
        if name == "random":
            assert list(results[0]) == ["y0", "y1", "y2"] and isinstance(results[0]["y1"], float)
        right = np.concatenate([np.zeros((len(results), 0)), *expected(program, inputs, len(results))], axis=1)
        np.testing.assert_allclose([flat(result) for result in results], right, rtol=1e-12, atol=1e-12, err_msg=name)


def test_the_result_has_the_structure_of_the_functions_result_and_constants_survive_to_the_last_bit(run):
    model = rbdlib.load("double_pendulum")
    recording = record(body_transforms, model)
    (result,) = call(run, to_javascript(recording.program, "X", recording.structure), [[[0.3, -0.8]]])
    right = body_transforms(model, [0.3, -0.8])
    assert len(result) == len(right)
    for found, array in zip(result, right, strict=True):
        assert np.ndim(found) == (0 if array is None else 1)
        assert found is array or np.allclose(found, np.ravel(array), atol=1e-14)
    numbers = expected(recording.program, [np.array([[0.3, -0.8]])], 1)
    arrays = [array[0].reshape(r.shape) for array, r in zip(numbers, recording.program.outputs, strict=True)]
    assert np.allclose(rebuild(recording.structure, arrays)[2], np.reshape(result[2], (6, 6)), atol=1e-14)
    recording = record(kinetic_energy, model)
    (energy,) = call(run, to_javascript(recording.program, "T", recording.structure), [[[0.3, -0.8], [1.0, 2.0]]])
    assert energy == pytest.approx(float(kinetic_energy(model, [0.3, -0.8], [1.0, 2.0])), rel=1e-13)
    values = finite_floats()[:-1]                                  # JSON has no negative zero
    (result,) = call(run, to_javascript(Program((), (), (Result("y", (len(values),), values),)), "f"), [[]])
    assert np.array(result).tobytes() == np.array(values).tobytes()
    with pytest.raises(ValueError, match="constant nan"):
        to_javascript(Program((), (Assignment("sin", (float("nan"),)),), ()))
    program = random_program(np.random.default_rng(4), length=4000)
    functions = to_javascript(program, "f").split("function ")[2:]
    assert len(functions) >= 2 and max(text.count(" = ") for text in functions) < 2500
    assert "f_part2();" in to_javascript(program, "f", length=len(program.assignments) - 1)


@pytest.mark.parametrize("length", [40, 1000])
def test_the_result_may_be_given_and_may_be_an_input_and_wrong_arguments_are_refused_by_name(run, length):
    model = rbdlib.load("double_pendulum")
    text = to_javascript(record(rbdlib.aba, model).program, "aba", length=length)
    assert " * @param {ArrayLike<number>} q  2 numbers\n" in text
    script = """
    import { aba } from "./module.mjs";
    const q = [0.3, -0.8], qd = Float64Array.of(1, 2), tau = [0.5, 0.25], mine = [0, 0];
    const fresh = aba(q, qd, tau), again = aba(q, qd, tau, mine), over = aba(q, qd, tau, tau);
    console.log(JSON.stringify([Array.from(fresh), mine, over, again === mine, over === tau, q, Array.from(qd)]));
    """
    fresh, mine, over, *same, q, qd = run(script, text)
    assert fresh == mine == over and same == [True, True] and (q, qd) == ([0.3, -0.8], [1, 2])
    np.testing.assert_allclose(fresh, rbdlib.aba(model, q, qd, [0.5, 0.25]), rtol=1e-13)
    program = Program((Argument("q", (2,)), Argument("t", ())), (Assignment("*", (0, 2)),), (Result("y", (1,), (3,)),))
    script = """
    import { f } from "./module.mjs";
    const said = [];
    for (const given of [[[1], 0], [[1, 2, 3], 0], [[1, 2], [0]], [[1, 2]], [[1, 2], 0, [1, 2]]])
      try { f(...given); said.push("nothing"); } catch (error) { said.push(error.message); }
    console.log(JSON.stringify(said));
    """
    assert run(script, to_javascript(program, "f")) == [
        "q has 1 numbers; expected 2.", "q has 3 numbers; expected 2.", "t is not a number.", "t is not a number.",
        "y has 2 numbers; expected 1."]
