"""What shapes are called; without what takes long to import, for the exercises use it, too."""


def shape_name(shape):
    """A shape in words: "a single number", "a vector of 6 entries", "a 6×6 matrix"."""
    if not shape:
        return "a single number"
    if len(shape) == 1 or len(shape) == 2 and shape[1] == 1:
        return f"a {('vector', 'column')[len(shape) - 1]} of {shape[0]} {'entry' if shape[0] == 1 else 'entries'}"
    return f"a {'×'.join(map(str, shape))} {'matrix' if len(shape) == 2 else 'array'}"


def rows_in_words(symbol, name):
    """A sentence on the rows of a spatial quantity; "" for another quantity. name: its name in full."""
    if symbol == "momentum":
        return "Its rows: moment about x, y and z, and then the force along x, y and z."
    if symbol == "X":
        return ("It takes all six coordinates of a spatial vector. For the rotation alone ask for "
                f"'R{name.lstrip('X_ ')}'.")
    return ("Its rows: rotation about x, y and z, and then the velocity along x, y and z; in the plane rotation about "
            "z, velocity along x and along y.") if symbol in ("J", "Jdot", "S", "v", "a") else ""
