"""An arm of six joints, by modified Denavit-Hartenberg parameters; its wrist has bodies of numbers."""

from tests.verify.corpus.case import System, library, right, wrong

G = """[0]
[-g*(m2*a3/2*c2 + m3*(a3*c2 + a4*c23 - d4/3*s23) + 2*(a3*c2 + a4*c23 - d4*s23)) + 0.024*g*(s5*c4*c23 + c5*s23)]
[-g*(m3*(a4*c23 - d4/3*s23) + 2*(a4*c23 - d4*s23)) + 0.024*g*(s5*c4*c23 + c5*s23)]
[-0.024*g*s5*s4*s23]
[0.024*g*(c5*c4*s23 + s5*c23)]
[0]"""
V = "-g*(m2*a3/2*s2 + m3*(a3*s2 + a4*s23 + d4/3*c23) + 2*(a3*s2 + a4*s23 + d4*c23)) + 0.024*g*(s5*c4*s23 - c5*c23)"
X_21 = """[c2, 0, -s2, 0, 0, 0]
[-s2, 0, -c2, 0, 0, 0]
[0, 1, 0, 0, 0, 0]
[0, 0, 0, c2, 0, -s2]
[0, 0, 0, -s2, 0, -c2]
[0, 0, 0, 0, 1, 0]"""
X_21_TRANSPOSED = """[c2, -s2, 0, 0, 0, 0]
[0, 0, 1, 0, 0, 0]
[-s2, -c2, 0, 0, 0, 0]
[0, 0, 0, c2, -s2, 0]
[0, 0, 0, 0, 0, 1]
[0, 0, 0, -s2, -c2, 0]"""
X_32 = """[c3, s3, 0, 0, 0, 0]
[-s3, c3, 0, 0, 0, 0]
[0, 0, 1, 0, 0, 0]
[-d3*s3, d3*c3, a3*s3, c3, s3, 0]
[-d3*c3, -d3*s3, a3*c3, -s3, c3, 0]
[0, -a3, 0, 0, 0, 1]"""
X_32_FORCE = """[c3, s3, 0, -d3*s3, d3*c3, a3*s3]
[-s3, c3, 0, -d3*c3, -d3*s3, a3*c3]
[0, 0, 1, 0, -a3, 0]
[0, 0, 0, c3, s3, 0]
[0, 0, 0, -s3, c3, 0]
[0, 0, 0, 0, 0, 1]"""
J = r"""\begin{bmatrix} -s_{23} & 0 & 0 & 0 & 0 & 0 \\ -c_{23} & 0 & 0 & 0 & 0 & 0 \\ 0 & 1 & 1 & 0 & 0 & 0 \\
-d_3c_{23} & a_3s_3 & 0 & 0 & 0 & 0 \\ d_3s_{23} & a_3c_3 & 0 & 0 & 0 & 0 \\ a_3c_2 & 0 & 0 & 0 & 0 & 0 \end{bmatrix}"""
VELOCITY = "[-sin(q2+q3)*qd1; -cos(q2+q3)*qd1; qd2+qd3; -d3*c23*qd1 + a3*s3*qd2; d3*s23*qd1 + a3*c3*qd2; a3*c2*qd1]"
WRIST = "[c1*(a3*c2 + a4*c23 - d4*s23) - s1*d3; s1*(a3*c2 + a4*c23 - d4*s23) + c1*d3; -a3*s2 - a4*s23 - d4*c23]"
SYSTEM = System("arm_6r", "an arm like those of Craig, Introduction to Robotics, and of the PUMA papers",
                library("arm_6r"), (
    right("g", G), right("V", V), right("X[2,1]", X_21), right("X[3,2]", X_32), right("J[3]", J),
    right("v[forearm]", VELOCITY), right("S[6]", "[0, 0, 1, 0, 0, 0]"),
    right("qd1*C1 + qd2*C2 + qd3*C3 + qd4*C4 + qd5*C5 + qd6*C6 + qd1*g1 + qd2*g2 + qd3*g3 + qd4*g4 + qd5*g5"
          " == qd1*bias1 + qd2*bias2 + qd3*bias3 + qd4*bias4 + qd5*bias5 + qd6*bias6", None),
    wrong("g", G.replace("[-g*(m2", "[g*(m2"), "sign"),
    wrong("V", V.replace("m3*(a3*s2 +", "m3*(a3/2*s2 +"), "half-length|factor"),
    wrong("V", V.replace("-g*(m2", "g*(m2").replace("+ 0.024*g*(s5*c4*s23 - c5*c23)", "- 0.024*g*(s5*c4*s23 - c5*c23)"),
          "opposite sign|gravity reversed"),
    wrong("X[2,1]", X_21_TRANSPOSED, "inverse|transpose|rotation transposed"),
    wrong("X[3,2]", X_32_FORCE, "force transform"), wrong("X[3,2]", X_32.replace("[0, -a3,", "[0, a3,"), "sign"),
    wrong("J[3]", J.replace("a_3c_2 & 0", "a_3c_3 & 0"), "argument|symbol|function"),
    wrong("v[3]", VELOCITY.replace("qd2+qd3", "qd3").replace("a3*c2*qd1", "a3*s2*qd1"), "missing term|velocity|symbol",
          "function"),
    wrong("V", V.replace("d4/3*c23", "d4/2*c23").replace("m2*a3/2*s2", "m2*a3*s2"), "factor|lost factor",
          "factor|half-length"),
    wrong("g", G.replace("-0.024*g*s5*s4*s23", "0.024*g*s5*s4*s23").replace("[-g*(m3*(a4*c23", "[-g*(m3*(a4*s23"),
          "sign", "function"),
    wrong("X[2,1]", X_21.replace("[-s2, 0, -c2, 0, 0, 0]", "[s2, 0, -c2, 0, 0, 0]")
          .replace("[0, 0, 0, -s2, 0, -c2]", "[0, 0, 0, -s2, 0, -s2]"), "sign", "function"),
    right("position[wrist_1]", WRIST), right("R[0,2]", "[c1*c2, -c1*s2, -s1; s1*c2, -s1*s2, c1; -s2, -c2, 0]"),
    wrong("position[wrist_1]", WRIST.replace("- s1*d3", "+ s1*d3"), "sign"),
    wrong("R[0,2]", "[c1*c2, s1*c2, -s2; -c1*s2, -s1*s2, -c2; -s1, c1, 0]", "transpose|inverse|rotation transposed"),
    wrong("position[wrist_1]", WRIST.replace("-a3*s2", "-a3*c2").replace("[c1*(a3*c2 + a4*c23", "[c1*(a3*c2 - a4*c23"),
          "function", "sign")))
