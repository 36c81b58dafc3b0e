"""The exercises of notebook 19, gears and dynamic equivalence (RBDA 9.6 and 9.7)."""

from rbdlib.exercises.declare import Exercise, Mistake


def _formula(names, formula):
    """An answer in symbols, from a function of them."""

    def answer():
        from sympy import symbols

        return formula(*symbols(names, positive=True))

    return answer


def _ratio(formula):
    return _formula("tau w I_a J", formula)


def _rotor(formula):
    return _formula("rho J", formula)


def _rods(formula):
    return _formula("m l", formula)


def _parameters(rng):
    """The ten parameters of some body, of ordinary size."""
    return (rng.uniform(0.5, 2, size=10),)


def _simplified(p):
    m, h_x, h_y, h_z, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz = p
    return [0, h_x, h_y, 0, I_xx - I_yy, I_xy, 0, I_xz, I_yz, I_zz]


def _alone(p):
    m, h_x, h_y, h_z, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz = p
    return [0, h_x, h_y, 0, I_xx, I_xy, 0, I_xz, I_yz, I_zz]


def _spinning(p):
    m, h_x, h_y, h_z, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz = p
    return [0, h_x, h_y, 0, I_xx, I_xy, I_yy - I_xx, I_xz, I_yz, 0]


def _what_is_moved(p):
    m, h_x, h_y, h_z, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz = p
    return [m, 0, 0, h_z, I_yy, 0, I_yy, 0, 0, 0]


def _mass_only(p):
    return [0, *p[1:]]


EXERCISES = (
    Exercise(
        id="19.1",
        title="What the elbow feels",
        section="A thumb against an arm",
        reference=0.45,
        names=("inertia",),
        remark="A forearm of 2 kg has less than that about its elbow: more than half of what moves there is a rotor "
               "that one could close one's hand around.",
        mistakes=(
            Mistake(0.003, "You have multiplied by the ratio once. The rotor is faster by the ratio, and its torque "
                           "arrives at the joint multiplied by the ratio again.", "factor"),
            Mistake(2e-5 / 150**2, "You have divided. That is what the rotor would feel of an inertia of this size at "
                                   "the joint, seen through the gear from the other side.", "inverse"),
            Mistake(2e-5, "That is the rotor on its own. The elbow feels it through the gear.", "entry"),
        ),
        hints=(
            "How large is the rotor's kinetic energy when the elbow turns at 1 rad/s?",
            "The rotor then turns at 150 rad/s. Its energy is J (150)²/2, and this shall be I/2.",
        ),
        solution=r"""
            The elbow at the rate $\dot q$ turns the rotor at $150\,\dot q$. The energy
            $\tfrac12 J (150\,\dot q)^2$ is that of an inertia $150^2 J = 22500 \cdot 2\cdot10^{-5} = 0.45$ kg m² at
            the elbow.
        """,
    ),
    Exercise(
        id="19.2",
        title="The best ratio against a weight, on paper",
        section="Which ratio is quickest?",
        reference=_ratio(lambda tau, w, I_a, J: w / tau + (w**2 / tau**2 + I_a / J) ** 0.5),
        remark="With no weight it is the root of I_a / J. Where the weight is all that matters, it tends to 2 w / tau: "
               "half of the torque lifts, the other half accelerates.",
        mistakes=(
            Mistake(_ratio(lambda tau, w, I_a, J: (I_a / J) ** 0.5),
                    "That is the answer without the weight. Here w is subtracted in the numerator, and a larger ratio "
                    "makes it matter less.", "entry"),
            Mistake(_ratio(lambda tau, w, I_a, J: -w / tau + (w**2 / tau**2 + I_a / J) ** 0.5),
                    "The weight has got the wrong sign: this ratio is best for a weight that helps. One that opposes "
                    "asks for a larger ratio.", "sign"),
            Mistake(_ratio(lambda tau, w, I_a, J: w / tau),
                    "With this ratio the motor can just hold the weight, and accelerates nothing.", "entry"),
            Mistake(_ratio(lambda tau, w, I_a, J: I_a / J),
                    "The root is missing, and so is the weight. The rotor's inertia counts with the square of the "
                    "ratio.", "factor"),
        ),
        hints=(
            "At the joint: (I_a + rho² J) qdd = rho tau - w.",
            "Differentiate qdd by rho. The numerator of the derivative is tau (I_a + rho² J) - 2 rho J (rho tau - w).",
            "That is a quadratic equation: rho² - 2 (w/tau) rho - I_a/J = 0. Only one of its roots is positive.",
        ),
        solution=r"""
            $\ddot q = (\rho\tau - w)/(I_a + \rho^2 J)$. Its derivative is zero where
            $\tau(I_a + \rho^2 J) = 2\rho J(\rho\tau - w)$, that is $\rho^2 - 2\,\frac{w}{\tau}\,\rho - \frac{I_a}{J}
            = 0$. The positive root is $\rho = \frac{w}{\tau} + \sqrt{\frac{w^2}{\tau^2} + \frac{I_a}{J}}$.
        """,
    ),
    Exercise(
        id="19.3",
        title="Two motors, one differential",
        section="Gears are constraints",
        reference=(16, 8),
        names=("u_1", "u_2"),
        mistakes=(
            Mistake((12, 4), "You have given each motor a joint of its own. In a differential both motors turn both "
                             "joints.", "entry"),
            Mistake((8, 16), "The two are exchanged: u_1 belongs to the joint with the sum.", "swapped"),
            Mistake((0.01, 0.005), "You have divided by 40. The motors turn 40 times as fast as the joints, and power "
                                   "is the same on both sides: the joints get more torque, not less.", "inverse"),
            Mistake((16, -8), "Look at the sign in the second column of G: the second motor turns backwards when "
                              "q_3 grows, so that its torque counts with a minus.", "sign"),
        ),
        hints=(
            "Write down G: four rows q_1, q_2, q_3, q_4 and two columns y_1 = q_1, y_2 = q_3.",
            "Rows 2 and 4 of G are (40, 40) and (40, -40). u = Gᵀ tau, and tau_1 = tau_3 = 0.",
        ),
        solution=r"""
            $G$ has the rows $(1, 0)$, $(40, 40)$, $(0, 1)$ and $(40, -40)$. So
            $u_1 = 40 \cdot 0.3 + 40 \cdot 0.1 = 16$ N m and $u_2 = 40 \cdot 0.3 - 40 \cdot 0.1 = 8$ N m.
        """,
    ),
    Exercise(
        id="19.4",
        title="The motor moves to the base",
        section="Three ways",
        reference=_rotor(lambda rho, J: [[rho**2 * J, rho**2 * J], [rho**2 * J, rho**2 * J]]),
        remark="So the shoulder feels the elbow's rotor at full size. No inertia on the diagonal can imitate it: the "
               "coupling is as large as the rest.",
        mistakes=(
            Mistake(_rotor(lambda rho, J: [[0, 0], [0, rho**2 * J]]),
                    "That would be right if the rotor turned with the elbow alone. But the forearm also turns against "
                    "the base when the shoulder moves.", "entry"),
            Mistake(_rotor(lambda rho, J: [[J, rho * J], [rho * J, rho**2 * J]]),
                    "That is the rotor of a motor on the upper arm. This one stands on the base, and the upper arm "
                    "does not carry it round.", "frame"),
            Mistake(_rotor(lambda rho, J: [[rho**2 * J, 0], [0, rho**2 * J]]),
                    "Square the sum: (y_1' + y_2')² has a mixed term, and it belongs beside the diagonal.", "entry"),
            Mistake(_rotor(lambda rho, J: [[rho**2 * J, 2 * rho**2 * J], [2 * rho**2 * J, rho**2 * J]]),
                    "The mixed term 2 y_1' y_2' is shared by the two elements beside the diagonal: each gets half.",
                    "factor"),
        ),
        hints=(
            "How fast does the forearm turn against the base, in terms of y_1' and y_2'?",
            "The rotor turns at rho (y_1' + y_2'). Write its kinetic energy as a quadratic form.",
        ),
        solution=r"""
            The rotor's speed is $\rho(\dot y_1 + \dot y_2)$, so that its row of $G$ is $(\rho, \rho)$ and it adds
            $J \begin{bmatrix}\rho\\ \rho\end{bmatrix}\begin{bmatrix}\rho & \rho\end{bmatrix}
            = \rho^2 J \begin{bmatrix}1 & 1\\ 1 & 1\end{bmatrix}$.
        """,
    ),
    Exercise(
        id="19.5",
        title="A piston that may turn",
        section="Whose particle is it?",
        reference=1,
        quantity="whole numbers",
        names=("dimension",),
        remark="A particle on the axis slides along with the piston, and a rotational inertia across the axis is not "
               "disturbed by either motion.",
        mistakes=(
            Mistake(3, "That is the number for a hinge. A particle on the axis would betray itself as soon as the "
                       "joint slides: its mass does not stay where it was.", "entry"),
            Mistake(6, "That is the number for a slider. If the joint also turns, a rotational inertia must look the "
                       "same after the turn.", "entry"),
            Mistake(0, "Something does remain. Think of a thin pair of dumb-bells, without mass on the whole, across "
                       "the axis in all directions.", "entry"),
            Mistake(2, "Ixx = Iyy is one number. Izz is felt at once when the piston turns.", "entry"),
        ),
        hints=(
            "What a cylindrical joint leaves free must be left free by a hinge on the same axis and by a slider too.",
            "The hinge allows m, m c_z and Ixx = Iyy, the slider all rotational inertias. What have both?",
        ),
        solution=r"""
            The conditions must hold for turning and for sliding, so the family is the intersection of the two:
            particles on the axis drop out because of the sliding, and of the rotational inertias only
            $I_{xx} = I_{yy}$ stays the same when it turns and has no part in the spin. The dimension is 1.
        """,
    ),
    Exercise(
        id="19.6",
        title="How many numbers does an arm betray?",
        section="What a robot's motion tells",
        reference=36,
        quantity="whole numbers",
        names=("number",),
        mistakes=(
            Mistake(42, "You have moved three from each body to its parent. Body 1 only ever turns about a fixed "
                        "vertical axis, so that six more of its parameters are never felt.", "entry"),
            Mistake(60, "That would be all. But what sits on a hinge's axis can be given to either of its bodies.",
                    "entry"),
            Mistake(24, "You have taken six from each body. Six are lost at a slider; a hinge loses three, and only "
                        "the first body, next to the fixed base, loses more.", "factor"),
            Mistake(54, "These are the six of the fixed base. Each of the six hinges loses three of its own besides.",
                    "entry"),
        ),
        hints=(
            "From 60 take three for each hinge.",
            "Of the seven that body 1 then has left, how many can be felt if it can only turn about a fixed vertical "
            "axis?",
        ),
        solution=r"""
            $60 - 6\cdot 3 = 42$. Body 1 has seven left of its own, and as it can only turn about a fixed vertical
            axis, just $I_{zz}$ is felt of them: six more are lost, and $36$ remain.
        """,
    ),
    Exercise(
        id="19.7",
        title="Empty a link",
        section="Zeros on purpose",
        kind="function",
        reference=_simplified,
        inputs=_parameters,
        mistakes=(
            Mistake(_alone, "What you take for Iyy must be taken from Ixx as well: the table has the same I in both "
                            "places.", "entry"),
            Mistake(_spinning, "Izz is the one rotational inertia the hinge feels whenever it turns. It cannot be "
                               "moved.", "swapped"),
            Mistake(_what_is_moved, "That is I_delta, which goes to the parent. Asked is what remains with the body.",
                    "inverse"),
            Mistake(_mass_only, "The mass is gone, but the hinge allows two more zeros.", "entry"),
        ),
        hints=(
            "The hinge's family has three numbers: m, m c_z, and I in the places of Ixx and Iyy.",
            "Choose I_delta with the body's own m, its m c_z, and I = Iyy. Subtract.",
        ),
        solution=r"""
            $I_\Delta$ has the parameters $m$, $m c_z$ and $I = I_{yy}$ at the places of $I_{xx}$ and $I_{yy}$. What
            remains is `[0, h_x, h_y, 0, Ixx - Iyy, Ixy, 0, Ixz, Iyz, Izz]`.
        """,
    ),
    Exercise(
        id="19.8",
        title="An augmented rod, on paper",
        section="Bodies with luggage",
        reference=_rods(lambda m, l: (5 * m * l / 2, 7 * m * l**2 / 3)),
        names=("first moment", "moment of inertia"),
        mistakes=(
            Mistake(_rods(lambda m, l: (m * l / 2, m * l**2 / 3)),
                    "That is the bare rod. Two more rods hang on its end.", "entry"),
            Mistake(_rods(lambda m, l: (3 * m * l / 2, 4 * m * l**2 / 3)),
                    "You have hung only the next rod on it. All that lies behind the joint counts, and that is two "
                    "rods.", "entry"),
            Mistake(_rods(lambda m, l: (9 * m * l / 2, 9 * m * l**2)),
                    "That is the whole chain, frozen straight. The masses beyond are to be put at the joint, so that "
                    "the result does not depend on the posture.", "entry"),
        ),
        hints=(
            "The augmented rod is the rod and a particle of mass 2 m at its end.",
            "First moment: m l/2 + 2 m l. Moment of inertia about the first hinge: m l²/3 + 2 m l².",
        ),
        solution=r"""
            A particle of mass $2m$ sits at the distance $l$. The first moment is $m\,l/2 + 2m\,l = \tfrac52\,m l$,
            and the moment of inertia $m l^2/3 + 2 m l^2 = \tfrac73\,m l^2$.
        """,
    ),
)
