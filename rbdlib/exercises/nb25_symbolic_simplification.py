"""The exercises of notebook 25: recording, simplifying and compiling an algorithm (RBDA 10.4)."""

from rbdlib.exercises.declare import Exercise, Mistake


def _component(formula):
    """An answer to exercise 25.2, from a function of a, b, d, v1, v2."""

    def answer():
        import sympy

        return formula(*sympy.symbols("a b d v1 v2"))

    return answer


def _border(formula):
    """An answer to exercise 25.8, from a function of both angles and of the cosine."""

    def answer():
        import sympy

        return formula(*sympy.symbols("th1 th2"), sympy.cos)

    return answer


def _program(rng):
    """The operands of ten variables, the first three of them inputs, and the number of an output near the end."""
    operands = [[], [], []]
    for k in range(3, 10):
        operands.append(sorted(rng.choice(k, size=2, replace=False).tolist()))
    return operands, int(rng.integers(7, 10))


def _needed(operands, output):
    used = [0] * len(operands)
    used[output] = 1
    for k in reversed(range(len(operands))):
        if used[k]:
            for x in operands[k]:
                used[x] = 1
    return used


def _only_direct(operands, output):
    return [int(k == output or k in operands[output]) for k in range(len(operands))]


def _without_itself(operands, output):
    return [int(used and k != output) for k, used in enumerate(_needed(operands, output))]


def _unused(operands, output):
    return [1 - used for used in _needed(operands, output)]


def _read_somewhere(operands, output):
    read = {x for k in range(len(operands)) for x in operands[k]}
    return [int(k == output or k in read) for k in range(len(operands))]


EXERCISES = (
    Exercise(
        id="25.1",
        title="Another axis",
        section="Twenty-nine operations",
        quantity="whole numbers",
        reference=6,
        names=("operations",),
        remark="One more than in the table, for the factor 1/2. `optimise` finds -0.1 v1 v3: two.",
        mistakes=(
            Mistake(5, "That would be right for s = (0, 1, 0). Here the last line still multiplies by a half.",
                    "entry"),
            Mistake(2, "Two is the optimum, -0.1 v1 v3. It needs like terms to be collected, which none of the four "
                       "rules does.", "entry"),
            Mistake(8, "p1 or p3 is still there. It is multiplied by 0 in the last line, so nobody uses it.", "entry"),
            Mistake(9, "p1 and p3 are still there. They are multiplied by 0 in the last line, so that nobody uses "
                       "them, nor what only they use.", "entry"),
            Mistake(4, "You have counted the lines that are left. The one for p2 holds three operations.", "entry"),
            Mistake(7, "All three products of I v are still there. Which of them does p2 use?", "entry"),
        ),
        hints=(
            "Begin with the last line. Which of p1, p2, p3 survives?",
            "p2 = v3 tmp001 - v1 tmp003. So tmp002 is not needed.",
            "One operation each for tmp001 and tmp003, three for p2, and one for the factor.",
        ),
        solution=r"""
            In the last line $p_1$ and $p_3$ are multiplied by 0, so they go, and with them `tmp002`. Left are
            `tmp001 = 1.5*v1`, `tmp003 = 1.7*v3`, `p2 = v3*tmp001 - v1*tmp003` and `tau_out = p2*0.5`: $1 + 1 + 3 + 1$,
            which is 6.
        """,
    ),
    Exercise(
        id="25.2",
        title="A product of inertia, on paper",
        section="Twenty-nine operations",
        where="0 < a, b, c",
        reference=_component(lambda a, b, d, v1, v2: d * (v1**2 - v2**2) + (b - a) * v1 * v2),
        symbols=("c", "v3"),
        remark="With d = 0, a = 1.5 and b = 1.6 it is 0.1 v1 v2. The third row of I never comes in.",
        mistakes=(
            Mistake(_component(lambda a, b, d, v1, v2: (b - a) * v1 * v2),
                    "Without d this is right. With it the first component of I v contains d v2, and the second one "
                    "d v1.", "entry"),
            Mistake(_component(lambda a, b, d, v1, v2: d * (v2**2 - v1**2) + (a - b) * v1 * v2),
                    "The sign is reversed: that is the component of I v × v. The third component of v × w is "
                    "v1 w2 - v2 w1.", "sign"),
            Mistake(_component(lambda a, b, d, v1, v2: d * (v1**2 + v2**2) + (b - a) * v1 * v2),
                    "One sign is wrong: v1 (d v1 + b v2) is what v2 (a v1 + d v2) is taken from.", "sign"),
            Mistake(_component(lambda a, b, d, v1, v2: d * (v1**2 - v2**2) + (a - b) * v1 * v2),
                    "The first term is right. In the second one, b comes with w2, which is multiplied by +v1.", "sign"),
        ),
        hints=(
            "With w = I v only the third component of v × w is wanted, v1 w2 - v2 w1.",
            "w1 = a v1 + d v2 and w2 = d v1 + b v2. Multiply out and collect.",
        ),
        solution=r"""
            $w_1 = a v_1 + d v_2$ and $w_2 = d v_1 + b v_2$. The third component of $v \times w$ is
            $v_1 w_2 - v_2 w_1 = d v_1^2 + b v_1 v_2 - a v_1 v_2 - d v_2^2 = d\,(v_1^2 - v_2^2) + (b - a)\,v_1 v_2$.
        """,
    ),
    Exercise(
        id="25.3",
        title="What nobody uses",
        section="Twenty-nine operations",
        kind="function",
        reference=_needed,
        inputs=_program,
        samples=12,
        remark="Backwards: when it is a line's turn, all who might need it have spoken.",
        mistakes=(
            Mistake(_only_direct, "You have marked what the output reads. What those lines read is needed as well, and "
                                  "what those read. If you go from the first line on, nobody has asked for a line yet "
                                  "when it is its turn: go backwards.", "entry"),
            Mistake(_without_itself, "The output itself is needed too.", "entry"),
            Mistake(_unused, "You have marked the lines that may be struck out. Wanted are those that must stay.",
                    "inverse"),
            Mistake(_read_somewhere, "You have kept every variable that some line reads. That line may be useless "
                                     "itself.", "entry"),
        ),
        hints=(
            "Start with a list of zeros and a 1 for the output.",
            "Go through the lines from the last to the first. If a line is needed, so are its operands.",
            "for k in reversed(range(len(operands))): if used[k]: for x in operands[k]: used[x] = 1",
        ),
        solution="""
            `used = [0] * len(operands)`, `used[output] = 1`, and then, for `k` from the last line back to the first:
            if `used[k]`, set `used[x] = 1` for every `x` in `operands[k]`. Operands have smaller numbers, so that each
            line has its final mark before it is looked at, and one pass is enough.
        """,
    ),
    Exercise(
        id="25.4",
        title="When zero times x is not zero",
        section="The pipeline",
        kind="word",
        reference="b",
        choices={"a": "very large numbers, such as 1e300", "b": "infinity and NaN", "c": "negative numbers"},
        remark="0·inf and 0·NaN are NaN. rbdlib refuses both at its doors, and so may use the rule; a compiler, which "
               "cannot know, does not.",
        mistakes=(
            Mistake("a", "However large, a finite number times 0 is 0.", "entry"),
            Mistake("c", "-3·0 is -0, which compares equal to 0 and behaves like it in sums and products.", "sign"),
        ),
        hints=(
            "Try float('inf') * 0 and -3.0 * 0 in Python.",
            "One of the two results is not equal to 0.",
        ),
        solution="""
            Infinity times zero has no sensible value, and the result is NaN; so it is for NaN itself. For everything
            else the product is zero (or -0, which equals it). The answer is b.
        """,
    ),
    Exercise(
        id="25.5",
        title="A quarter turn is free",
        section="Zeros",
        quantity="whole numbers",
        reference=4,
        names=("operations",),
        remark="From 16 to 4. If a is zero too, nothing at all is left: the transform renames and changes signs.",
        mistakes=(
            Mistake(8, "The angular part costs nothing any more, but neither does the turn of the linear part: that "
                       "is an exchange of two components too. Only the shift is left.", "entry"),
            Mistake(16, "That is the general case. With cos α = 0 and sin α = 1 each turn is an exchange of two "
                        "components and a change of sign.", "entry"),
            Mistake(0, "That holds for a = 0. A shift along x still adds a ω_z and takes off a ω_y.", "entry"),
            Mistake(6, "The cross product of (a, 0, 0) and ω has two components that are not zero, each with one "
                       "multiplication; adding them takes two additions.", "entry"),
            Mistake(12, "You have kept the turn of one of the two parts. Both are exchanges of components.", "entry"),
        ),
        hints=(
            "The turn: both 3-vectors, each (x, y, z) to (x, z, -y). What does that cost?",
            "The shift: v - r × ω with r = (a, 0, 0).",
            "r × ω = (0, -a ω_z, a ω_y).",
        ),
        solution=r"""
            The turn exchanges components and changes signs, which is free. The shift is
            $v - r \times \omega = v - (0, -a\,\omega_z, a\,\omega_y)$: two multiplications and two additions, 4 in all.
        """,
    ),
    Exercise(
        id="25.6",
        title="What may go into the diary",
        section="What cannot be recorded",
        kind="word",
        reference="b",
        choices={
            "a": "Newton's method until the residual is below 1e-12",
            "b": "Newton's method, always eight steps",
            "c": "halving an interval, keeping the half in which the sign changes",
            "d": "trying 100 angles and taking the best",
        },
        remark="It is eight times as long as one step, and does eight steps even where three would do.",
        mistakes=(
            Mistake("a", "How many steps that takes depends on the starting values, and these are not known when the "
                         "list is written.", "entry"),
            Mistake("c", "The number of halvings may be fixed, but which half is kept depends on the sign of a number "
                         "that is not known yet.", "entry"),
            Mistake("d", "The hundred residuals can be recorded. Which of them is the smallest cannot.", "entry"),
        ),
        hints=(
            "In which of them is the list of operations the same for all starting values?",
            "A comparison of two numbers that depend on the input decides what is done next in three of them.",
        ),
        solution="""
            A list of assignments has a fixed length and no choices. Eight Newton steps are the same operations for all
            starting values; the other three compare numbers and go on accordingly. The answer is b.
        """,
    ),
    Exercise(
        id="25.7",
        title="When it pays",
        section="The race",
        reference=2 / (0.2e-3 - 1e-6),
        rtol=0.006,
        names=("states",),
        remark="Ten thousand states are ten seconds of a simulation with steps of a millisecond. And the second time "
               "the program is on the disk.",
        mistakes=(
            Mistake(2_000_000, "That is how many states the compiled function computes in 2 s. The readable one would "
                               "have taken minutes for them.", "factor"),
            Mistake(200, "That is the ratio of the two times. How many states does the readable function finish in the "
                         "2 s that compiling takes?", "entry"),
            Mistake(10, "You have divided 2 s by 0.2 s. The readable function takes 0.2 ms, a thousandth of that.",
                    "factor"),
            Mistake(400, "You have multiplied 2 by 0.2 ms. How often does 0.2 ms go into 2 s?", "inverse"),
        ),
        hints=(
            "With N states: N · 0.2 ms against 2 s + N · 1 µs.",
            "The microseconds hardly matter.",
        ),
        solution=r"""
            $N \cdot 2 \cdot 10^{-4} = 2 + N \cdot 10^{-6}$ gives $N = 2 / 0.000199 \approx 10\,050$.
        """,
    ),
    Exercise(
        id="25.8",
        title="The border for point masses, on paper",
        section="A quarter of a million double pendulums",
        reference=_border(lambda th1, th2, cos: 2 * cos(th1) + cos(th2)),
        remark="Compare: for rods it was 3 cos th1 + cos th2 > 2. Load double_pendulum and draw that picture too.",
        mistakes=(
            Mistake(_border(lambda th1, th2, cos: 3 * cos(th1) + cos(th2)),
                    "That is the formula for rods, in which the centre of the lower one hangs half a length below "
                    "its hinge.", "entry"),
            Mistake(_border(lambda th1, th2, cos: cos(th1) + cos(th2)),
                    "The first rod lifts both masses, its own and the second one.", "factor"),
            Mistake(_border(lambda th1, th2, cos: cos(th1) + 2 * cos(th2)),
                    "The angles are exchanged: both masses hang on the first rod.", "swapped"),
            Mistake(_border(lambda th1, th2, cos: 2 * cos(th1) + cos(th1 + th2)),
                    "That would be it if th2 were the joint angle. Here both angles are measured from the vertical.",
                    "frame"),
            Mistake(_border(lambda th1, th2, cos: -2 * cos(th1) - cos(th2)),
                    "That is V / (m g l), with the sign of the height. A flip is impossible where V is too low.",
                    "sign"),
        ),
        hints=(
            "The heights of the masses are -l cos th1 and -l cos th1 - l cos th2.",
            "V = -m g l (2 cos th1 + cos th2). Which upside-down posture has the lowest V?",
            "Upper rod down, lower one up: V = -m g l (2 - 1). V must not be lower than that at the start.",
        ),
        solution=r"""
            $V = -m g l\,(2\cos\theta_1 + \cos\theta_2)$. The lowest posture with a rod upright has $\theta_1 = 0$ and
            $\theta_2 = \pi$, where $V = -m g l$. A start at rest with less energy than that cannot reach it:
            $2\cos\theta_1 + \cos\theta_2 > 1$.
        """,
    ),
)
