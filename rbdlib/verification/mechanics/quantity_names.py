"""The names that quantities have besides their own."""

#: Other names of quantities.
ALIASES = {alias: name for name, aliases in {
    "H": ("M", "D", "mass matrix", "inertia matrix", "inertia"), "C": ("coriolis", "C matrix", "coriolis matrix"),
    "g": ("G", "gravity", "tau_g", "dV/dq", "gradient", "gradient of V", "gravity vector"), "bias": ("C+g", "h", "n"),
    "tau": ("forces", "torques", "u", "inverse dynamics", "generalised forces", "generalized forces", "joint torques"),
    "qdd": ("accelerations", "forward dynamics"), "equations of motion": ("eom", "equation of motion"),
    "T": ("kinetic energy",), "V": ("potential energy", "U"), "L": ("lagrangian",), "E": ("energy",),
    "p": ("generalised momentum", "generalized momentum", "dL/dqd", "dT/dqd", "dL/dqdot", "dT/dqdot"),
    "Christoffel C": ("christoffel matrix", "christoffel"), "Hdot": ("dM/dt", "dH/dt", "Mdot"),
    "H inverse": ("H^-1", "M^-1", "inverse of H", "Hinv", "Minv"), "det H": ("det M", "det(H)", "det(M)"),
    "power": ("dE/dt", "energy rate", "Edot"), "dT/dt": ("Tdot",), "dV/dt": ("Vdot",),
    "d/dt dL/dqd": ("d/dt dL/dqdot", "d/dt dT/dqd", "pdot"), "k": ("gamma",), "impulse": ("joint impulse",),
    "lambda": ("constraint forces", "multipliers", "lam"), "phidot": ("velocity constraints", "K qd = 0", "K*qd = 0"),
    "phiddot": ("acceleration constraints", "K qdd = k", "K*qdd = k", "constraints"),
    "com": ("centre of mass", "center of mass"), "phi": ("closure", "loop closure"),
}.items() for alias in aliases}
