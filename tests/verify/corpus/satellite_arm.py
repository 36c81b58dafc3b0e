"""The satellite with an arm that comes with the library: transforms and velocities of its bodies."""

from tests.verify.corpus.case import System, library, right, sp, wrong

HULL = "omega_x = qd1; omega_y = qd2; omega_z = qd3; v_x = qd4; v_y = qd5; v_z = qd6; alpha = q8; h = side/2"
VELOCITY = """[omega_x*cos(alpha) + omega_y*sin(alpha), omega_y*cos(alpha) - omega_x*sin(alpha), omega_z + qd7,
(v_x + h*omega_y)*cos(alpha) + (v_y - h*omega_x)*sin(alpha),
(v_y - h*omega_x)*cos(alpha) - (v_x + h*omega_y)*sin(alpha), v_z]"""


def _transform(way=1, kind=""):
    """X of the turret from the hull, a shift along z and then a turn about z; or its inverse, or X*."""
    angle, side = sp.Symbol("q8"), sp.Symbol("side", positive=True)
    c, s, r = sp.cos(angle), sp.sin(angle), way * side / 2
    E = sp.Matrix([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    cross, nothing = sp.Matrix([[0, -r, 0], [r, 0, 0], [0, 0, 0]]), sp.zeros(3)
    blocks = {"": [[E, nothing], [-E * cross, E]], "inverse": [[E.T, nothing], [cross * E.T, E.T]],
              "force": [[E, -E * cross], [nothing, E]]}
    return sp.Matrix(sp.BlockMatrix(blocks[kind]))


SYSTEM = System("satellite_arm", "RBDA 9.3", library("satellite_arm"), (
    right("X[turret, hull]", _transform()), right("S[turret]", "[0, 0, 1, 0, 0, 0]"),
    right("S[upper_arm]", r"\begin{bmatrix} 0 & 1 & 0 & 0 & 0 & 0 \end{bmatrix}^T"), right("v[turret]", VELOCITY, HULL),
    right("V", "0"), wrong("X[turret, hull]", _transform(kind="inverse"), "inverse"),
    wrong("X[turret, hull]", _transform(way=-1), "opposite offset"),
    wrong("X[turret, hull]", _transform(kind="force"), "force transform"),
    wrong("v[turret]", VELOCITY.replace("omega_z + qd7", "omega_z"), "missing term", given=HULL),
    wrong("S[turret]", "[0, 0, 0, 0, 0, 1]", "swapped")))
