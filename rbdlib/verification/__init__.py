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
"""
