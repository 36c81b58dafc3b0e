"""Is a formula that somebody derived by hand right and, if not, where is it wrong?

    from rbdlib import load, verify
    verify(load("double_pendulum", symbolic=True), "H", "[m1*l1^2 + ..., ...; ..., m2*l2^2]").ok

An answer goes through these packages, each of which builds on those above it:
    trees        formulas as trees, evaluated, differentiated and written, and never rearranged
    notation     from text, LaTeX, SymPy and lists to trees, by a grammar
    mechanics    random states of a mechanism, and the right values there
    meaning      what the symbols stand for: aliases, what is given, definitions, units
    decision     whether the answer agrees, and how sure that is
    reasons      mistakes that people make, tried until one makes the answer exactly right
    reports      sentences, tables, JSON, and a box whose report follows what is typed
    derivations  the same for a derivation line by line
    plain        the same for a formula without a mechanism
    coursework   the command line, and grading
    lookup       where an equation, a table or a term stands: code, test, notebook (on its own)
"""

__all__ = ["verify", "verify_steps"]


def verify(model, quantity, answer=None, given=None, seed=0, reveal=True, units=None):
    """Verify a formula derived by hand.

    Parameters
        model: a `Model`, best with symbols: load("double_pendulum", symbolic=True).
        quantity: "H", "C", "g", "bias", "tau", "qdd", "equations of motion", "T", "V", "L", "E", "J[body]", "v[body]",
            "a[body]", "X[i,j]", "S[joint]", "momentum", "p", "com", with loops "K", "k", "phi", "lambda", or an
            identity such as "2*T == H11*qd1^2", which needs no answer.
        answer: text, LaTeX, a SymPy expression or matrix, numbers, a list of any of these, or a Python function of
            numbers whose arguments are called q, qd, qdd, tau, t or like symbols of the model.
        given: what the learner calls otherwise: "theta2 = q1 + q2; M = m_cart"; springs and dampers, "spring k at q1";
            prescribed motions, "q1 = Omega*t"; see `vocabulary.Vocabulary`. Conventions by name: "C without gravity",
            "tau_g acts", "frames = DH classic", or a text that has them, "Spong", "Craig", "Tedrake", "MR".
        seed: whole number, for the random states at which answer and right result are compared.
        units: dict from names to units, {"m1": "kg", "l1": "m"}, as text or as units of SymPy or pint; they must be
            those that the model's symbols have. Dimensions are checked without them, too.
        reveal: whether the report of a wrong answer may show what would be right in its place.
    Returns: a `report.Report`: ``ok`` says whether the answer is right; printed, it says what agrees, what does not, at
        which numbers, and why, if a reason was found.
    Raises: ValueError or TypeError for a bad model, quantity or given. A bad answer is a Report with a ``problem``.

    >>> from rbdlib import load
    >>> pendulum = load("simple_pendulum", symbolic=True)
    >>> verify(pendulum, "tau", r"m l^2 \\ddot q_1 + m g l \\sin q_1").ok
    True
    >>> verify(pendulum, "tau", "m*l^2*qdd1 - m*g*l*sin(q1)").ok
    False
    """
    from rbdlib.verification.reports.report import report

    if units:
        given = [*(given if isinstance(given, (list, tuple)) else [given]), {"units": units}]
    return report(model, quantity, answer, given, seed, reveal=reveal)


def verify_steps(model, lines, given=None, seed=0):
    """Verify a derivation line by line: which lines follow, and which is the first that does not.

    Arguments, result and errors as for `rbdlib.verification.derivations.derivation.verify_steps`.

    >>> from rbdlib import load
    >>> print(verify_steps(load("simple_pendulum", symbolic=True), ["T = m*l^2*qd1^2/2", "V = -m*g*l*cos(q1)"]))
    ✓ Every line follows.
      1. ✓ T = m*l^2*qd1^2/2
      2. ✓ V = -m*g*l*cos(q1)
    """
    from rbdlib.verification.derivations import derivation

    return derivation.verify_steps(model, lines, given, seed)
