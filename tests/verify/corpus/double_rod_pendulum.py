"""Two uniform rods that hang from one another."""

from tests.verify.corpus.case import EOM, Model, Revolute, System, mcI, right, sp, wrong, xlt

m1, m2, l1, l2, g = sp.symbols("m1 m2 l1 l2 g", positive=True)


def rod(m, l):
    return mcI(m, [0, -l / 2, 0], sp.diag(1, 0, 1) * m * l**2 / 12)


def model():
    return Model([0, 1], [Revolute("z"), Revolute("z")], [sp.eye(6), xlt([0, -l1, 0])], [rod(m1, l1), rod(m2, l2)],
                 (0, -g, 0), ["upper rod", "lower rod"])


ABSOLUTE = "theta1 = q1; theta2 = q1 + q2"
EQUAL = ABSOLUTE + "; m1 = m2; m = m2; l1 = l2; l = l2"
LAGRANGIAN = (r"L = \frac{1}{6} m \ell^2\left(\dot\theta_2^2 + 4\dot\theta_1^2 + 3\dot\theta_1\dot\theta_2"
              r"\cos(\theta_1-\theta_2)\right) + \frac{1}{2} m g \ell\left(3\cos\theta_1 + \cos\theta_2\right)")
ELL = EQUAL + "; ell = l2"
MOMENTA = (r"p_{\theta_1} = \frac{1}{6} m l^2 \left(8\dot\theta_1 + 3\dot\theta_2\cos(\theta_1-\theta_2)\right) \\"
           r" p_{\theta_2} = \frac{1}{6} m l^2 \left(2\dot\theta_2 + 3\dot\theta_1\cos(\theta_1-\theta_2)\right)")
INERTIA = "[m1*l1^2/3 + m2*l1^2, m2*l1*l2/2*cos(theta1 - theta2); m2*l1*l2/2*cos(theta1 - theta2), m2*l2^2/3]"
KINETIC = ("1/2*I1*w1^2 + 1/2*m2*(l1^2*w1^2 + (l2/2)^2*w2^2 + l1*l2*w1*w2*cos(theta1 - theta2)) + 1/2*I2*w2^2")
RATES = ABSOLUTE + "; w1 = qd1; w2 = qd1 + qd2; I1 = m1*l1^2/3; I2 = m2*l2^2/12"
EQUATIONS = ("(m1/3 + m2)*l1^2*theta1'' + m2*l1*l2/2*cos(theta1-theta2)*theta2''"
             " + m2*l1*l2/2*sin(theta1-theta2)*theta2'^2 + (m1/2 + m2)*g*l1*sin(theta1) = 0\n"
             "m2*l2^2/3*theta2'' + m2*l1*l2/2*cos(theta1-theta2)*theta1''"
             " - m2*l1*l2/2*sin(theta1-theta2)*theta1'^2 + m2*g*l2/2*sin(theta2) = 0")
SYSTEM = System("double_rod_pendulum", "Wikipedia, Double pendulum (compound, equal rods); Meirovitch", model, (
    right("L", LAGRANGIAN, ELL), right("p", MOMENTA, EQUAL), right("H", INERTIA, ABSOLUTE), right("T", KINETIC, RATES),
    right("V", r"V = -\tfrac12 m_1 g l_1\cos\theta_1 - m_2 g\left(l_1\cos\theta_1+\tfrac12 l_2\cos\theta_2\right)",
          ABSOLUTE),
    right(EOM, EQUATIONS, ABSOLUTE),
    right("g", "[(m1/2 + m2)*g*l1*sin(q1) + m2*g*l2/2*sin(q1+q2), m2*g*l2/2*sin(q1+q2)]"),
    right("H", "[m1*l1^2/3 + m2*(l1^2 + l2^2/3 + l1*l2*cos(q2)), m2*(l2^2/3 + l1*l2*cos(q2)/2);"
          " m2*(l2^2/3 + l1*l2*cos(q2)/2), m2*l2^2/3]"),
    right("C", "[m2*l1*l2/2*sin(theta1-theta2)*theta2'^2, -m2*l1*l2/2*sin(theta1-theta2)*theta1'^2]", ABSOLUTE),
    wrong("L", LAGRANGIAN.replace(r"4\dot\theta_1^2", r"\dot\theta_1^2"), "factor|missing term", given=ELL),
    wrong("p", MOMENTA.replace("8", "4"), "factor", given=EQUAL),
    wrong("H", INERTIA.replace("m2*l2^2/3", "m2*l2^2/12"), "parallel axis missing|factor", given=ABSOLUTE),
    wrong("H", INERTIA.replace("m1*l1^2/3", "m1*l1^2/4"), "rotational inertia missing|factor", given=ABSOLUTE),
    wrong("T", KINETIC, "parallel axis twice|factor", given=RATES.replace("I2 = m2*l2^2/12", "I2 = m2*l2^2/3")),
    wrong("g", "[(m1/2 + m2)*g*l1*sin(q1) + m2*g*l2*sin(q1+q2), m2*g*l2*sin(q1+q2)]", "half-length|factor"),
    wrong(EOM, EQUATIONS.replace("(m1/2 + m2)*g", "(m1/2 - m2)*g"), "sign", given=ABSOLUTE),
    wrong(EOM, EQUATIONS.replace("- m2*l1*l2/2*sin(theta1-theta2)*theta1'^2", ""), "missing term", given=ABSOLUTE),
    wrong("H", INERTIA.replace("m2*l2^2/3", "m2*l2^2/12").replace("m1*l1^2/3", "m1*l1^2/12"),
          "parallel axis missing|factor", "parallel axis missing|factor", given=ABSOLUTE),
    wrong("L", LAGRANGIAN.replace(r"3\dot\theta_1\dot\theta_2", r"\dot\theta_1\dot\theta_2")
          .replace(r"\left(3\cos\theta_1", r"\left(\cos\theta_1"), "factor", "factor|missing term", given=ELL),
    wrong(EOM, EQUATIONS.replace("m2*l2^2/3", "m2*l2^2/12").replace("+ m2*g*l2/2*sin(theta2)",
          "- m2*g*l2/2*sin(theta2)"), "parallel axis missing|factor", "sign", given=ABSOLUTE)))
