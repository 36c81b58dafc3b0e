"""Generated C against the same programs run on Python's own floats, as vectors of every width and in plain C."""

import ctypes
import platform
import re
import subprocess
from functools import partial

import mpmath
import numpy as np
import pytest

from rbdlib import aba, load, rnea
from rbdlib.compile import c_compiler, c_source
from rbdlib.compile.cheapest import cheapest
from rbdlib.compile.executer import record
from rbdlib.compile.printing import distinct
from rbdlib.compile.program import Argument, Assignment, Program, Result
from rbdlib.methods.generators import gu
from tests.compile import programs
from tests.compile.programs import empty_outputs, random_inputs, random_program

COMPILER = c_compiler.find_compiler()
pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler here")


@pytest.fixture
def make(tmp_path):
    """program -> kernel, compiled with the usual flags and more."""
    return partial(programs.c_kernel, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("-mno-avx512f", "-mavx2", "-mfma"), ("-mno-avx",), ("-std=c99",), ("-DALONE",)])
def test_vectors_of_every_width_and_plain_c_for_compilers_without_vectors(make, tmp_path, monkeypatch, more):
    """Zeros of results are written into memory that held something else."""
    if more == ("-std=c99",):
        plain = tmp_path / "plain.c"
        plain.write_text(c_source.SUPPORT.read_text(encoding="utf-8").replace("defined(__GNUC__)", "0"),
                         encoding="utf-8")
        monkeypatch.setattr(c_source, "SUPPORT", plain)
    elif more not in ((), ("-DALONE",)) and platform.machine().lower() not in ("x86_64", "amd64"):
        pytest.skip("these are flags for other processors")
    rng = np.random.default_rng(3)
    entries = [0.0 if rng.random() < 0.3 else int(rng.integers(3, 7)) for _ in range(9 * 13)]
    entries[8:33], entries[50:58], entries[-3:] = [0.0] * 25, [0.0] * 7 + [2.5], [0.0] * 3      # runs of zeros
    zeros = Program((Argument("x", (3,)),), tuple(Assignment("*", (k % 3, k)) for k in range(4)),
                    (Result("y", (9, 13), tuple(entries)), Result("z", (9,), (0.0,) * 8 + (3,))))
    for program in (random_program(rng, length=300), zeros):
        kernel = make(program, *more)
        for states in (1, 3, 4, 5, 8, 23):
            programs.check_kernel(kernel, program, states, rng)
    inputs, outputs = random_inputs(zeros, 21, rng), empty_outputs(zeros, 21)
    inputs[0][17] = np.inf
    assert not kernel(inputs, outputs) and np.isfinite(np.delete(outputs[0], 17, axis=0)).all()


@pytest.mark.slow
@pytest.mark.parametrize(("part", "group", "on_stack"), [(1, 1000, None), (7, 3, 0)])
def test_a_program_cut_into_functions_and_pieces_whose_memory_may_not_come_from_the_stack(make, part, group, on_stack,
                                                                                          monkeypatch):
    for name, value in (("PART", part), ("GROUP", group), ("ON_STACK", on_stack)):
        monkeypatch.setattr(c_source, name, c_source.ON_STACK if value is None else value)
    rng = np.random.default_rng(part)
    program = random_program(rng, length=150)
    assert (c_source.groups_in(c_source.to_c(program)) > 1) == (group < 100)
    programs.check_kernel(make(program), program, 19, rng)


def test_a_file_is_not_read_more_often_the_longer_it_is(monkeypatch):
    one = c_source.to_c(random_program(np.random.default_rng(1)))
    assert c_source.groups_in(one) == 1 and "#define ALONE" not in one.splitlines()
    monkeypatch.setattr(c_source, "PART", 1)
    monkeypatch.setattr(c_source, "GROUP", 2)
    for length in (10, 100, 400):
        text = c_source.to_c(random_program(np.random.default_rng(1), length=length))
        assert 3 < c_source.groups_in(text) <= 17, length
    vectors = c_source.TOGETHER * sum(int(size) for size in re.findall(r"^#define [XMY] (\d+)$", text, re.M))
    for limit, on_stack in ((vectors, 1), (vectors - 1, 0)):
        monkeypatch.setattr(c_source, "ON_STACK", limit)
        assert f"#define ON_STACK {on_stack}\n" in c_source.to_c(random_program(np.random.default_rng(1), length=400))


def test_functions_of_a_long_program_take_several_blocks_of_states(make, monkeypatch):
    for name, value in (("PART", 7), ("LONG", 3), ("TOGETHER", 3)):
        monkeypatch.setattr(c_source, name, value)
    rng = np.random.default_rng(3)
    program = random_program(rng, length=40)
    kernel = make(program)
    for states in (0, 1, 7, 8, 9, 23, 24, 25, 32, 33, 100):
        programs.check_kernel(kernel, program, states, rng)


@pytest.mark.slow
def test_memory_is_shared_by_what_lives_at_other_times_and_less_is_kept_where_an_operation_comes_soon():
    chain = Program((Argument("x", ()),), tuple(Assignment("sin", (k,)) for k in range(400)),
                    (Result("y", (), (400,)),))
    assert c_source.memory_between(chain, [[k] for k in range(1, 401)])[1] <= 2
    short, long = (c_source.Body(cheapest(aba, gu(n)).program).room for n in (6, 12))
    assert long - short <= 14 * 6
    n = 300
    products = [Assignment("*", (k, k + 1)) for k in range(2 * n)]
    sums = [Assignment("+", (2 * n + 1 + 2 * k, 2 * n + 2 + 2 * k)) for k in range(n)]
    first = 2 * n + 1 + len(products)
    last = [Assignment("sin", (first + k,)) for k in range(n)]
    program = Program((Argument("x", (2 * n + 1,)),), (*products, *sums, *last),
                      (Result("y", (n,), tuple(range(first + n, first + 2 * n))),))
    variables = list(range(2 * n + 1, first + 2 * n))
    order = c_source.soon(program, variables)
    assert sorted(order) == variables
    place = {x: k for k, x in enumerate(order)}
    for x in variables:
        assert all(place.get(y, -1) < place[x] for y in program.assignments[x - 2 * n - 1].operands)
    cuts = [[order[k : k + 10] for k in range(0, len(order), 10)], [variables[k : k + 10] for k in range(0, 1200, 10)]]
    soon, late = (c_source.memory_between(program, cut)[1] for cut in cuts)
    assert soon < 10 and late > n


@pytest.mark.slow
def test_sines_and_cosines_to_one_unit_in_the_last_place_beside_what_is_not_finite(make):
    """Angles of every size and sign, many close to multiples of a quarter of a turn; then two are no more finite."""
    rng = np.random.default_rng(7)
    quarters = rng.integers(-60000, 60000, size=700) * (np.pi / 2)
    x = np.concatenate([
        rng.uniform(-4, 4, 700), rng.uniform(-1e5, 1e5, 700), quarters, np.nextafter(quarters, 1e9),
        quarters + rng.normal(size=700) * 1e-8, np.exp(rng.uniform(-700, 700, 700)) * rng.choice([-1, 1], 700),
        [0.0, -0.0, 5e-324, -1e-310, 99999.99, 100000.0, 100000.01, 1.7e308, np.pi / 4, -np.pi / 4, 3 * np.pi / 4]])
    kernel = make(Program((Argument("x", ()),), (Assignment("sin", (0,)), Assignment("cos", (0,))),
                          (Result("sine", (), (1,)), Result("cosine", (), (2,)))))
    found, spoiled = np.empty((2, len(x), 1)), np.empty((2, len(x), 1))
    assert kernel([x[:, None]], list(found))
    sine, cosine = found[:, :, 0]
    with mpmath.workprec(1200):
        for angle, s, c in zip(x.tolist(), sine.tolist(), cosine.tolist(), strict=True):
            for found, right in ((s, mpmath.sin(angle)), (c, mpmath.cos(angle))):
                assert abs(found - right) <= 0.9 * np.spacing(abs(float(right))), angle
    eleven = make(Program((Argument("x", (11,)),), tuple(Assignment("sin", (k,)) for k in range(11)),
                          (Result("sine", (11,), tuple(range(11, 22))),)))
    for first in range(0, len(x) - 10, 11):                     # angles of one state, which share vectors
        eleven([x[None, first : first + 11]], [row := np.empty((1, 11))])
        np.testing.assert_allclose(row[0], sine[first : first + 11], rtol=1e-15)
    x[[3, 17]] = np.nan, np.inf
    assert not kernel([x[:, None]], list(spoiled)) and np.isnan(spoiled[:, [3, 17]]).all()
    np.testing.assert_allclose(np.delete(spoiled[:, :, 0], [3, 17], axis=1), np.delete([sine, cosine], [3, 17], axis=1),
                               rtol=1e-15)


def test_the_source_is_of_use_to_a_program_in_c(tmp_path):
    model = load("double_pendulum")
    (tmp_path / "rnea.c").write_text(c_source.to_c(record(rnea, model).program, "rnea"), encoding="utf-8")
    (tmp_path / "main.c").write_text("""
        #include <stdio.h>
        int rnea(size_t n, const double *const in[], const size_t step[], double *const out[]);
        int main(void)
        {
            const double q[3][2] = {{0.1, 0.2}, {1.0, -2.0}, {3.0, 4.0}}, qd[2] = {0.5, -0.5}, qdd[2] = {1.0, 2.0};
            const double *const in[] = {q[0], qd, qdd};
            const size_t step[] = {2, 0, 0};
            double tau[3][2], *const out[] = {tau[0]};
            int finite = rnea(3, in, step, out);
            for (int k = 0; k < 3; k++)
                printf("%.17g %.17g\\n", tau[k][0], tau[k][1]);
            return !finite;
        }""", encoding="utf-8")
    subprocess.run([COMPILER, "-std=c99", "-O1", "-o", "run", "main.c", "rnea.c", "-lm"], cwd=tmp_path, check=True)
    printed = subprocess.run([str(tmp_path / "run")], check=True, capture_output=True, text=True).stdout
    right = [rnea(model, q, [0.5, -0.5], [1.0, 2.0]) for q in ([0.1, 0.2], [1.0, -2.0], [3.0, 4.0])]
    np.testing.assert_allclose(np.array(printed.split(), dtype=float).reshape(3, 2), right, rtol=1e-13)


def test_any_name_becomes_a_name_in_c_and_a_compiler_that_fails_or_lacks_is_named(tmp_path, monkeypatch):
    names = ["double", "λ", "μ", "1st", "x y", "x_y", "xy", "xuy", "", "_t", "sin", "turns", "f(*);"]
    names = distinct(names, {*c_source.TAKEN, "f"})
    functions = "".join(f"int {name}(void) {{ return 1; }}\n" for name in names)
    program = programs.odd_programs()["names that mean something"]
    (tmp_path / "p.so").write_bytes(c_compiler.compile_library(c_source.to_c(program, "f(*) {") + functions))
    library = ctypes.CDLL(str(tmp_path / "p.so"))
    assert all(hasattr(library, name) for name in (*names, "f"))
    with pytest.raises(RuntimeError, match=r"failed: .*source\.c[\s\S]*Install"):
        c_compiler.compile_library("int this is no C;")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(RuntimeError, match="No C compiler was found. Install GCC or Clang"):
        c_compiler.compile_library("int this is no C;")
