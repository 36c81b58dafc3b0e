"""Two wheels joined by a belt or a rack, a gear train of ratio r_1/r_2: three coordinates, or one."""

from rbdlib.book.ch02_spatial import xlt
from tests.verify.corpus.case import LoopJoint, Model, Prismatic, RackAndPinion, Revolute, System, mcI, right, sp, wrong

I_1, I_2, r_1, r_2, m, M = sp.symbols("I_1 I_2 r_1 r_2 m M", positive=True)
NAMES = "theta_1 = q1; x = q2; theta_2 = q3"
MOTORS = NAMES + "; tau_m = tau1; tau_l = tau3; n = r_1/r_2"


def train():
    """The rack lies above both wheels and moves by x = r_1 theta_1 = r_2 theta_2."""
    eye, none = sp.eye(6), sp.zeros(3)
    wheels = [mcI(M, [0, 0, 0], sp.diag(inertia, inertia, inertia)) for inertia in (I_1, I_2)]
    places = [eye, eye, xlt([3, 0, 0])]
    loops = [LoopJoint(2, 1, RackAndPinion(-r_1), eye, eye), LoopJoint(2, 3, RackAndPinion(-r_2), xlt([3, 0, 0]), eye)]
    return Model([0, 0, 0], [Revolute("z"), Prismatic("x"), Revolute("z")], places,
                 [wheels[0], mcI(m, [0, 0, 0], none), wheels[1]], gravity=(0, 0, 0), names=["wheel", "rack", "gear"],
                 loops=loops)


ONE = r"\left(I_1 + n^2 I_2 + m r_1^2\right)\ddot\theta_1 = \tau_m + n\tau_l"
ALL = r"""I_1\ddot\theta_1 = \tau_m - \lambda_1 r_1 \\ I_2\ddot\theta_2 = \tau_l + \lambda_2 r_2 \\
m\ddot x = \lambda_1 - \lambda_2"""
KINETIC = r"""T = \tfrac12 I_1\dot\theta_1^2 + \tfrac12 I_2\left(\frac{r_1}{r_2}\right)^2\dot\theta_1^2
+ \tfrac12 m\dot x^2"""
SYSTEM = System("rack_train", "geared shafts in Ogata, System Dynamics; RBDA 9.6", train, (
    right("phi", "x = r_1*theta_1\nr_1*theta_1 = r_2*theta_2", NAMES), right("T", KINETIC, NAMES),
    right("equations of motion", ONE, MOTORS), right("equations of motion", ALL, MOTORS),
    right("H", "[[I_1, 0, 0], [0, m, 0], [0, 0, I_2]]"),
    wrong("phi", "x = r_1*theta_1\nr_1*theta_1 = -r_2*theta_2", "sign", given=NAMES, missed="nothing is found"),
    wrong("T", KINETIC.replace(r"\left(\frac{r_1}{r_2}\right)^2", r"\frac{r_1}{r_2}"), "power|lost factor",
          given=NAMES),
    wrong("equations of motion", ONE.replace("n^2 I_2", "n I_2"), "power|lost factor", given=MOTORS),
    wrong("T", KINETIC.replace(r"\tfrac12 I_1", "I_1").replace(r"\tfrac12 m\dot x^2", r"\tfrac12 m\dot x"), "factor",
          "power", given=NAMES)))
