"""Problems from templates: a right answer is accepted, a wrong one is not, and students get different ones."""

import csv

import numpy as np
import pytest
import sympy as sp

from rbdlib.book.ch02_spatial import X_to_Er
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.verification.coursework import grade as grading
from rbdlib.verification.coursework.command import main
from rbdlib.verification.coursework.files import BadArgument, model_called
from rbdlib.verification.coursework.problems import load_problems
from rbdlib.verification.coursework.templates import _write, load_templates, read_roster
from rbdlib.verification.mechanics.basics import framed, inertia
from rbdlib.verification.mechanics.bodies import find_point
from rbdlib.verification.mechanics.quantities import find_quantity, forces
from rbdlib.verification.mechanics.states import Altered, State
from tests.verify import in_this_process, verify

TEMPLATES = load_templates()


def loop_equations(model, q, qd, qdd):
    """The equations phi = 0 of the pins that close loops, and what follows by differentiation, as SymPy matrices."""
    X, ends = body_transforms(model, q), []
    for loop in model.loops:
        for body, X_end in ((loop.successor, loop.X_S), (loop.predecessor, loop.X_P)):
            E, r = X_to_Er(X[body])
            ends.append(r + E.T @ X_to_Er(X_end)[1])
    phi = sp.Matrix(ends[0] - ends[1])[:2, :]
    K = phi.jacobian(q)
    return {"phi": phi, "K": K, "phidot": K @ qd, "phiddot": K @ qdd + (K @ qd).jacobian(q) @ qd}


def right_answer(problem):
    """(array of SymPy expressions, whether each is an equation ... = 0), by the library run on symbols."""
    model, quantity = model_called(problem.model), find_quantity(model_called(problem.model), problem.quantity)
    q, qd, qdd, tau = (np.array(sp.symbols(f"{name}1:{model.nv + 1}", real=True)) for name in ("q", "qd", "qdd", "tau"))
    state, equations = State(model, {}, q, qd, tau), quantity.compare in ("loops", "equations")
    state = state if quantity.symbol == "qdd" else Altered(state, qdd=qdd)
    if model.loops:
        found = loop_equations(model, *map(sp.Matrix, (q, qd, qdd)))[quantity.symbol].tolist()
    elif equations:
        found = (forces(state) - tau)[quantity.part or slice(None)]
    elif problem.quantity.startswith("Lambda"):
        J = sp.Matrix(framed(state, "J", find_point(model, problem.quantity[7:-1]), "hybrid")[3:5]).inv()
        found = (J.T * sp.Matrix(inertia(state)) * J).tolist()
    else:
        found = quantity.value(state)
    no_force = {force: 0 for force in tau if f"{force} = 0" in problem.given}
    found = np.array(found, dtype=object)
    return np.array([sp.sympify(x).subs(no_force) for x in found.flat], dtype=object).reshape(found.shape), equations


def written(array, equations):
    """The answer as text."""
    if equations:
        return "\n".join(f"{x} = 0" for x in array.flat)
    rows = [", ".join(map(str, row)) for row in np.atleast_2d(array)]
    return f"[{'; '.join(rows)}]" if array.ndim else rows[0]


def made_wrong(array, factor):
    """A copy, in which a term of the entry with most of them is multiplied by a factor."""
    def value(term):                                       # some terms of an unsimplified formula are zero
        return float(abs(term.subs({s: 0.3 + 0.17 * k for k, s in enumerate(sorted(term.free_symbols, key=str))})))

    terms = {place: sorted(sp.Add.make_args(array[place]), key=value) for place in np.ndindex(array.shape)}
    place = max(terms, key=lambda place: (value(terms[place][-1]) > 1e-6, len(terms[place])))
    wrong = array.copy()
    wrong[place] = sp.Add(*terms[place][:-1], factor * terms[place][-1])
    return wrong


def test_they_cover_the_books_in_three_difficulties_with_many_variants():
    found = TEMPLATES.values()
    assert {t.source for t in found} == {*(f"RBDA {chapter}" for chapter in range(2, 12)), "MBT", "MRN"}
    assert min(sum(t.difficulty == level for t in found) for level in (1, 2, 3)) >= 10
    assert len(found) >= 40 and min(t.variants for t in found) >= 100


@pytest.mark.parametrize("seed, factor", [("autumn", -1), pytest.param("winter", 2, marks=pytest.mark.long),
                                          pytest.param("spring", -1, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", TEMPLATES)
def test_a_right_answer_is_accepted_and_a_wrong_one_is_not(name, seed, factor, tmp_path):
    problem = _write(TEMPLATES[name], seed, "ada", tmp_path)
    assert "<" not in problem.text
    answer, equations = right_answer(problem)
    right, wrong = (verify(problem, written(x, equations)).verdict for x in (answer, made_wrong(answer, factor)))
    assert right == "right" and wrong in ("wrong", "incomplete"), (right, wrong, answer)


def test_what_is_drawn_depends_on_template_seed_and_student_alone():
    def texts(seed, student):
        return [template.problem(seed, student)[0]["text"] for template in TEMPLATES.values()]

    ada = texts("Séance 7", "Zoë")
    assert ada == texts("Séance 7", "Zoe\u0308"), "one name, written in two ways"
    assert all(len({*ada} & {*texts(*other)}) <= 2 for other in (("Séance 8", "Zoë"), ("Séance 7", "ada")))
    drawn = TEMPLATES["carts_H"].drawn("a sentence", "ada")      # the same on every machine
    assert (drawn["m"], drawn["mass"]["one"], drawn["tree"]["four"]) == ("m", 4, "three")


def test_each_student_is_graded_on_the_problems_of_their_own(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(grading, "results_of", in_this_process)
    roster, out, handed_in = tmp_path / "roster.txt", tmp_path / "problems", tmp_path / "in"
    roster.write_text("# autumn\nada\nbob b\n")
    make = ["problems", "--students", str(roster), "--seed", "s", "--out", str(out), "--only", "carts_H", "block_I"]
    assert main(make) == 0 == main(make)
    first, again = capsys.readouterr().out.splitlines()
    assert first == f"2 problems for each of 2 students are in {out}." and again.endswith("2 had theirs already.")
    assert load_problems(out)["block_I"].of("bob b").id == "block_I" and load_problems(out)["block_I"].of("eve") is None
    for more, words in ((["--only", "carts_G"], "no template carts_G"), (["--difficulty", "4"], "choose from 1, 2, 3")):
        assert main([*make, *more]) == 2 and words in capsys.readouterr().err
    handed_in.mkdir()
    answer = written(*right_answer(_write(TEMPLATES["carts_H"], "s", "ada", tmp_path)))
    for name in ("ada", "bob b", "eve"):
        (handed_in / f"{name}.txt").write_text(f"problem: carts_H\n{answer}\n")
        assert name == "eve" or "problem: carts_H" in (out / name / f"{name}.html").read_text()
    assert main(["grade", str(out), str(handed_in), "--out", str(tmp_path / "g.csv"), "--quiet"]) == 0
    rows = {(row["student"], row["problem"]): row["verdict"] for row in csv.DictReader((tmp_path / "g.csv").open())}
    assert rows["ada", "carts_H"] == "right" and rows["bob b", "carts_H"] == "wrong"
    assert rows["eve", "eve.txt"] == "not read" and rows["ada", "block_I"] == "missing"


@pytest.mark.parametrize("change, words", [(("points", "point"), "point, points"), (("m = [1]", "m = 1"), "list"),
                                           (("<m>", "<k>"), "<k>"), (("title", "["), "TOML")])
def test_templates_and_rosters_say_what_is_wrong_with_them(tmp_path, change, words):
    text = ('title = "t"\nsource = "MBT"\ndifficulty = 1\npoints = 1\nquantity = "T"\ntext = "<m>"\nmodel = ""\n'
            "[choices]\nm = [1]\n")
    (tmp_path / "a.toml").write_text(text.replace(*change))
    with pytest.raises(BadArgument, match=words):
        load_templates(tmp_path)["a"].problem("s", "ada")
    with pytest.raises(BadArgument, match="no template in"):
        load_templates(tmp_path / "nowhere")
    for roster in ("", "ada\nada", "../ada", "a/b"):
        (tmp_path / "roster.txt").write_text(roster)
        with pytest.raises(BadArgument, match="roster.txt"):
            read_roster(tmp_path / "roster.txt")
