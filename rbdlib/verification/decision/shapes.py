"""The shape of an answer in words."""


def shape_name(shape):
    """A shape in words: "a single number", "a vector of 6 entries", "a 6×6 matrix"."""
    if not shape:
        return "a single number"
    if len(shape) == 2 and shape[1] == 1:
        return f"a column of {shape[0]} {'entry' if shape[0] == 1 else 'entries'}"
    if len(shape) == 1:
        return f"a vector of {shape[0]} {'entry' if shape[0] == 1 else 'entries'}"
    return f"a {'×'.join(map(str, shape))} {'matrix' if len(shape) == 2 else 'array'}"


_MOTION = ("rotation about x, y and z, and then the velocity along x, y and z; in the plane rotation about z, velocity "
           "along x and along y")
_FORCE = "moment about x, y and z, and then the force along x, y and z"
#: What stands in the rows of spatial quantities, by symbol.
_ROWS = {**dict.fromkeys(("J", "Jdot", "S", "v", "a"), _MOTION), "momentum": _FORCE}


def rows_in_words(symbol, name):
    """What stands in the rows of a spatial quantity, a sentence; "" for another quantity. name: its name in full."""
    if symbol in _ROWS:
        return f"Its rows: {_ROWS[symbol]}."
    if symbol == "X":
        place = name.lstrip("X_ ")
        return f"It takes all six coordinates of a spatial vector. For the rotation alone ask for 'R{place}'."
    return ""
