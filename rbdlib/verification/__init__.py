"""Is a formula that somebody derived by hand right and, if not, where is it wrong?

    from rbdlib import load, verify
    verify(load("double_pendulum", symbolic=True), "H", "m1*l1^2 + ...")
"""
