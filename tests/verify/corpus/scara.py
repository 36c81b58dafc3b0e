"""A SCARA robot: three vertical axes and a vertical slide."""

from tests.verify.corpus.case import EOM, Prismatic, Revolute, System, chain, named, right, wrong


def model():
    m1, m2, m3, m4, l1, l2, r1, r2, I1, I2, I3, I4, g = named("m1 m2 m3 m4 l1 l2 r1 r2 I1 I2 I3 I4 g")
    return chain([Revolute("z"), Revolute("z"), Revolute("z"), Prismatic("z")],
                 [(0, 0, 0), (l1, 0, 0), (l2, 0, 0), (0, 0, 0)],
                 [(m1, (r1, 0, 0), (I1, I1, I1)), (m2, (r2, 0, 0), (I2, I2, I2)), (m3, (0, 0, 0), (I3, I3, I3)),
                  (m4, (0, 0, 0), (I4, I4, I4))], (0, 0, -g), ["upper_arm", "forearm", "wrist", "quill"])


GIVEN = ("alpha = I1 + r1^2*m1 + l1^2*m2 + l1^2*m3 + l1^2*m4; beta = I2 + I3 + I4 + l2^2*m3 + l2^2*m4 + m2*r2^2;"
         " gamma = l1*l2*m3 + l1*l2*m4 + l1*m2*r2; delta = I3 + I4")
M = r"""M = \begin{bmatrix}
\alpha + \beta + 2\gamma\cos\theta_2 & \beta + \gamma\cos\theta_2 & \delta & 0 \\
\beta + \gamma\cos\theta_2 & \beta & \delta & 0 \\ \delta & \delta & \delta & 0 \\ 0 & 0 & 0 & m_4 \end{bmatrix}"""
C = r"""C = \begin{bmatrix} -\gamma\sin\theta_2\,\dot\theta_2 & -\gamma\sin\theta_2\,(\dot\theta_1+\dot\theta_2) & 0 & 0 \\
\gamma\sin\theta_2\,\dot\theta_1 & 0 & 0 & 0 \\ 0 & 0 & 0 & 0 \\ 0 & 0 & 0 & 0 \end{bmatrix}"""  # noqa: E501
T = ("1/2*(I1 + m1*r1^2)*qd1^2 + 1/2*I2*(qd1+qd2)^2 + 1/2*(I3+I4)*(qd1+qd2+qd3)^2"
     " + 1/2*m2*(l1^2*qd1^2 + r2^2*(qd1+qd2)^2 + 2*l1*r2*cos(q2)*qd1*(qd1+qd2))"
     " + 1/2*(m3+m4)*(l1^2*qd1^2 + l2^2*(qd1+qd2)^2 + 2*l1*l2*cos(q2)*qd1*(qd1+qd2)) + 1/2*m4*qd4^2")
X = """[cos(q2), sin(q2), 0, 0, 0, 0]
[-sin(q2), cos(q2), 0, 0, 0, 0]
[0, 0, 1, 0, 0, 0]
[0, 0, l1*sin(q2), cos(q2), sin(q2), 0]
[0, 0, l1*cos(q2), -sin(q2), cos(q2), 0]
[0, -l1, 0, 0, 0, 1]"""
X_QUILL = """[c3, s3, 0, 0, 0, 0]
[-s3, c3, 0, 0, 0, 0]
[0, 0, 1, 0, 0, 0]
[-d4*s3, d4*c3, l2*s3, c3, s3, 0]
[-d4*c3, -d4*s3, l2*c3, -s3, c3, 0]
[0, -l2, 0, 0, 0, 1]"""
J = """[0, 0, 0, 0]
[0, 0, 0, 0]
[1, 1, 1, 0]
[l1*s23 + l2*s3, l2*s3, 0, 0]
[l1*c23 + l2*c3, l2*c3, 0, 0]
[0, 0, 0, 1]"""
TAU_2 = ("p = l1*l2*m3 + l1*l2*m4 + l1*m2*r2\nb = I2 + I3 + I4 + l2^2*m3 + l2^2*m4 + m2*r2^2\n"
         "a = I1 + r1^2*m1 + l1^2*(m2 + m3 + m4)\n"
         "tau1 = (a + b + 2*p*cos(q2))*qdd1 + (b + p*cos(q2))*qdd2 + (I3+I4)*qdd3 - p*sin(q2)*(2*qd1*qd2 + qd2^2)\n"
         "tau2 = (b + p*cos(q2))*qdd1 + b*qdd2 + (I3+I4)*qdd3 + p*sin(q2)*qd1^2\n"
         "tau3 = (I3+I4)*(qdd1 + qdd2 + qdd3)\n"
         "tau4 = m4*qdd4 + m4*g")
TIP = """[-l1*s1 - l2*s12, -l2*s12, 0, 0]
[l1*c1 + l2*c12, l2*c12, 0, 0]
[0, 0, 0, 1]
[0, 0, 0, 0]
[0, 0, 0, 0]
[1, 1, 1, 0]"""
SYSTEM = System("scara", "Murray, Li and Sastry, A Mathematical Introduction to Robotic Manipulation, exercise 4.6",
                model, (
    right("H", M, GIVEN), right("C", C, GIVEN), right("T", T), right("g", "[0, 0, 0, m4*g]"), right("X[2,1]", X),
    right("X[4,2]", X_QUILL), right("J[4]", J), right("tau", TAU_2), right(EOM, TAU_2),
    right("S[quill]", "[0;0;0;0;0;1]"), right("H13 == H33", None),
    wrong("H", M.replace(r"2\gamma", r"\gamma"), "factor", given=GIVEN),
    wrong("H", M, "body missing|missing term|rotational inertia missing",
          given=GIVEN.replace("I2 + I3 + I4 +", "I2 + I4 +").replace("delta = I3 + I4", "delta = I4")),
    wrong("C", C.replace(r"-\gamma\sin\theta_2\,(\dot\theta_1+\dot\theta_2)", r"-\gamma\sin\theta_2\,\dot\theta_1"),
          "missing term|symbol|velocity|extra factor", given=GIVEN),
    wrong("g", "[0, 0, 0, -m4*g]", "opposite sign|gravity reversed|gravity sign|sign"),
    wrong("X[2,1]", X.replace("sin", "!").replace("-!", "sin").replace("!", "-sin").replace("+-", "-"),
          "rotation transposed|other axis"),
    wrong("J[4]", J.replace("[0, 0, 0, 1]", "[0, 0, 0, 0]").replace("[0, 0, 0, 0]\n[0, 0, 0, 0]\n"
          "[1, 1, 1, 0]", "[0, 0, 0, 0]\n[0, 0, 0, 0]\n[1, 1, 1, 1]"), "missing term", "extra term"),
    wrong("tau", TAU_2.replace("2*qd1*qd2", "qd1*qd2").replace("m4*qdd4 + m4*g", "m4*qdd4 - m4*g"),
          "coriolis counted once|factor", "sign|gravity reversed|gravity sign"),
    wrong("T", T.replace("1/2*I2*(qd1+qd2)^2", "1/2*I2*qd2^2"), "velocity|symbol"),
    wrong("H", M.replace("+ 2\\gamma\\cos", "- 2\\gamma\\cos").replace("m_4", "m_3"), "sign", "symbol", given=GIVEN),
    wrong("T", T.replace("1/2*m4*qd4^2", "m4*qd4^2").replace("2*l1*l2*cos(q2)", "l1*l2*cos(q2)"), "factor", "factor"),
    right("A[0,4]", "[c123, -s123, 0, l1*c1 + l2*c12; s123, c123, 0, l1*s1 + l2*s12; 0, 0, 1, d4; 0, 0, 0, 1]"),
    right("geometric Jacobian[4]", TIP),
    wrong("A[0,4]", "[c123, -s123, 0, l1*c1 + l2*c12; s123, c123, 0, l1*s1 + l2*s2; 0, 0, 1, d4; 0, 0, 0, 1]",
          "argument|symbol|function"),
    wrong("A[0,4]", "[c123, s123, 0, l1*c1 + l2*c12; -s123, c123, 0, l1*s1 + l2*s12; 0, 0, 1, d4; 0, 0, 0, 1]",
          "rotation transposed"),
    wrong("geometric Jacobian[4]", TIP.replace("[l1*c1", "[-l1*c1").replace("[0, 0, 0, 1]", "[0, 0, 1, 1]"), "sign",
          "extra term")))
