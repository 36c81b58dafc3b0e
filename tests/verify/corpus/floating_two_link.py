"""Two bodies hinged together that float in a plane, without gravity: a satellite and its arm."""

from tests.verify.corpus.case import Prismatic, Revolute, System, chain, named, right, wrong

GIVEN = "theta = q3; phi = q4"


def model():
    m1, m2, I1, I2, r, l = named("m1 m2 I1 I2 r l")
    nothing = (0, (0, 0, 0), (0, 0, 0))
    return chain([Prismatic("x"), Prismatic("y"), Revolute("z"), Revolute("z")], [(0, 0, 0)] * 3 + [(r, 0, 0)],
                 [nothing, nothing, (m1, (0, 0, 0), (I1, 0, I1)), (m2, (l, 0, 0), (I2, 0, I2))], (0, 0, 0),
                 ["rail_x", "rail_y", "hull", "arm"])


H = """[m1+m2, 0, -m2*(r*sin(theta) + l*sin(theta+phi)), -m2*l*sin(theta+phi)]
[0, m1+m2, m2*(r*cos(theta) + l*cos(theta+phi)), m2*l*cos(theta+phi)]
[-m2*(r*sin(theta) + l*sin(theta+phi)), m2*(r*cos(theta) + l*cos(theta+phi)), I1 + I2 + m2*(r^2 + l^2 + 2*r*l*cos(phi)), I2 + m2*(l^2 + r*l*cos(phi))]
[-m2*l*sin(theta+phi), m2*l*cos(theta+phi), I2 + m2*(l^2 + r*l*cos(phi)), I2 + m2*l^2]"""  # noqa: E501
T = """x2 = x + r*cos(theta) + l*cos(theta+phi)
y2 = y + r*sin(theta) + l*sin(theta+phi)
T = 1/2*m1*(x'^2 + y'^2) + 1/2*I1*theta'^2 + 1/2*m2*((d/dt(x2))^2 + (d/dt(y2))^2) + 1/2*I2*(theta' + phi')^2"""
T_OUT = (r"\frac12(m_1+m_2)(\dot x^2 + \dot y^2) + \frac12\left[I_1 + m_2 r^2\right]\dot\theta^2"
         r" + \frac12(I_2 + m_2 l^2)(\dot\theta+\dot\phi)^2 + m_2 r l\cos\phi\,\dot\theta(\dot\theta+\dot\phi)"
         r" + m_2 r\dot\theta(\dot y\cos\theta - \dot x\sin\theta)"
         r" + m_2 l(\dot\theta+\dot\phi)(\dot y\cos(\theta+\phi) - \dot x\sin(\theta+\phi))")
COM = r"""\begin{bmatrix} x + \frac{m_2}{m_1+m_2}(r\cos\theta + l\cos(\theta+\phi)) \\
y + \frac{m_2}{m_1+m_2}(r\sin\theta + l\sin(\theta+\phi)) \\ 0 \end{bmatrix}"""
MOMENTUM = """x2 = x + r*cos(theta) + l*cos(theta+phi)
y2 = y + r*sin(theta) + l*sin(theta+phi)
vx = x' - r*sin(theta)*theta' - l*sin(theta+phi)*(theta'+phi')
vy = y' + r*cos(theta)*theta' + l*cos(theta+phi)*(theta'+phi')
[0; 0; m1*(x*y' - y*x') + I1*theta' + m2*(x2*vy - y2*vx) + I2*(theta'+phi'); m1*x' + m2*vx; m1*y' + m2*vy; 0]"""
C = """[-m2*r*cos(theta)*theta'^2 - m2*l*cos(theta+phi)*(theta'+phi')^2]
[-m2*r*sin(theta)*theta'^2 - m2*l*sin(theta+phi)*(theta'+phi')^2]
[-m2*r*l*sin(phi)*(2*theta'*phi' + phi'^2)]
[m2*r*l*sin(phi)*theta'^2]"""
SYSTEM = System("floating_two_link", "the planar free-floating robot of papers on space manipulators", model, (
    right("H", H, GIVEN), right("T", T, GIVEN), right("T", T_OUT, GIVEN), right("com", COM, GIVEN),
    right("C", C, GIVEN), right("C3 + C4 == m2*r*l*sin(q4)*(qd3^2 - 2*qd3*qd4 - qd4^2)", None),
    wrong("H", H.replace("r^2 + l^2 + 2*r*l", "r^2 + l^2 + r*l"), "factor", given=GIVEN),
    wrong("H", H.replace("-m2*l*sin(theta+phi)]\n[0", "-m2*l*sin(phi)]\n[0"), "argument", given=GIVEN),
    wrong("T", T.replace("I2*(theta' + phi')^2", "I2*phi'^2"), "velocity|missing term|symbol", given=GIVEN),
    wrong("C", C.replace("2*theta'*phi'", "theta'*phi'"), "coriolis counted once|factor", given=GIVEN),
    wrong("com", COM.replace("l\\sin(\\theta+\\phi)", "l\\sin\\phi"), "argument", given=GIVEN),
    wrong("T", T_OUT.replace("- \\dot x\\sin\\theta)", "+ \\dot x\\sin\\theta)").replace("\\left[I_1 + m_2 r^2\\right]",
          "I_1"), "sign", "missing term", given=GIVEN, missed="another explanation is found"),
    wrong("C", C.replace("[m2*r*l*sin(phi)*theta'^2]", "[-m2*r*l*sin(phi)*theta'^2]")
          .replace("2*theta'*phi'", "theta'*phi'"), "sign|dT/dq sign", "coriolis counted once|factor", given=GIVEN),
    wrong("com", COM.replace("l\\cos(", "l\\sin(").replace("r\\sin\\theta", "-r\\sin\\theta"), "function", "sign",
          given=GIVEN)))
