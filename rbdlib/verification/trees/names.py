"""How symbols and functions are called: one name for the many ways in which they are written."""

import functools
import re

#: Letters of the Greek alphabet and their names.
GREEK = dict(zip("αβγδεϵζηθϑικλμµνξπρϱστυφϕχψωΓΔ∆ΘΛΞΠΣΥΦΨΩΩ", (
    "alpha beta gamma delta epsilon epsilon zeta eta theta theta iota kappa lambda mu mu nu xi pi rho rho sigma tau "
    "upsilon phi phi chi psi omega Gamma Delta Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega Omega"
).split(), strict=True))
#: Names of Greek letters and of their variants in LaTeX.
GREEK_NAMES = {name: name for name in GREEK.values()} | {
    "varphi": "phi", "vartheta": "theta", "varepsilon": "epsilon", "varrho": "rho", "varsigma": "sigma",
    "varGamma": "Gamma", "varDelta": "Delta", "varTheta": "Theta", "varOmega": "Omega"}
FUNCTIONS = ("sin cos tan sec csc cot asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp log sqrt abs "
             "sign").split()
_SPELLINGS = {name: name for name in FUNCTIONS} | {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh", "arsinh": "asinh",
    "arccosh": "acosh", "arcosh": "acosh", "arctanh": "atanh", "artanh": "atanh", "ln": "log", "sgn": "sign",
    "signum": "sign", "fabs": "abs", "sen": "sin", "tg": "tan", "ctg": "cot", "cosec": "csc", "sine": "sin",
    "cosine": "cos", "tangent": "tan"}
#: Names under which a text may call a function, longest first.
FUNCTION_NAMES = sorted(_SPELLINGS, key=len, reverse=True)
LONGEST_NAME = 40
#: Letters that stand for coordinates, and for all of them together.
COORDINATES = ("q", "theta", "th", "phi", "psi", "x", "Theta")
_MOVING = "q|th|theta|phi|psi|varphi|alpha|beta|gamma"
_RATES = (                                              # patterns of rates spelled out in letters
    (re.compile(rf"(?P<d>d{{1,3}})_?(?P<a>{_MOVING})(?P<b>_?[0-9]*)"), 0),
    (re.compile(rf"(?P<a>{_MOVING})(?P<d>d{{1,2}})(?P<b>_?[0-9]*)"), 0),
    (re.compile(rf"(?P<a>(?:{_MOVING}|x|y|z)_?[0-9]+)_?(?P<d>d{{1,2}})(?P<b>)"), 0),
    (re.compile(rf"(?P<d>d{{0,2}}dot)_?(?P<a>{_MOVING})(?P<b>_?[0-9]*)"), -2),
    (re.compile(r"(?P<a>[A-Za-z]+?[0-9]*(?:_[A-Za-z0-9]+?)??)_?(?P<d>d{0,2}dot)(?P<b>(?:_?[0-9]+|_[A-Za-z0-9]+)?)"),
     -2),
)


def function(word):
    """The function that a word names (Sin is sin), or None."""
    return _SPELLINGS.get(word) or (_SPELLINGS.get(word.lower()) if word[:1].isupper() else None)


@functools.lru_cache(10_000)
def canonical(word):
    """The name of a symbol with at most one underscore: m_1 is m1, l_{c1} and l_c_1 are l_c1, I_{1,zz} is I_zz1."""
    base, *rest = word.split("_")
    letters = base.rstrip("0123456789")
    base = GREEK_NAMES.get(letters, letters) + base[len(letters) :]
    index = re.sub(r"^([0-9]+)([A-Za-z]+)$", r"\2\1", "".join(rest))
    if not index:
        return base
    return base + index if index.isdigit() and not base[-1:].isdigit() else f"{base}_{index}"


def cut_into_names(word, names):
    """The names of which a word consists (mgl is m, g, l where these exist), with a function at most last; or None."""
    if not names or len(word) > 40:
        return None
    reached = {0: []}
    for start in range(len(word)):
        if start not in reached:
            continue
        for end in range(start + 1, len(word) + 1):
            piece = word[start:end]
            known = names & {canonical(piece), piece[:1] + piece[1:].replace("_", "")}
            if known or piece in GREEK_NAMES or function(piece):
                if end not in reached or len(reached[end]) > len(reached[start]) + 1:
                    reached[end] = [*reached[start], piece]
    found = reached.get(len(word))
    return found if found and len(found) > 1 else None


def spelled(word, known=()):
    """(name, dots) of the symbol that a word means: q1dot, qd1, theta_1_ddot, dtheta1 and xddot are rates.

    known: names that are not taken apart, except the rates of q1, q2, ... themselves.
    """
    own_rate = re.fullmatch(r"q(d{1,2})([0-9]+)", word)
    if own_rate:
        return f"q{own_rate[2]}", len(own_rate[1])
    if word not in known and canonical(word) not in known:
        for pattern, extra in _RATES:
            match = pattern.fullmatch(word)
            name = canonical(match["a"] + match["b"]) if match else ""
            if match and name not in ("d", "pi") and not function(name):
                name, dots = spelled(name, known)
                return name, dots + len(match["d"]) + extra
    return canonical(word), 0


def beginning(text, most=60):
    """A text, or its beginning if it has more characters, for messages."""
    return text if len(text) <= most else text[: most - 3] + "..."
