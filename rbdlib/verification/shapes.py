"""The shape of an answer in words."""


def shape_name(shape):
    """A shape in words: "a single number", "a vector of 6 entries", "a 6×6 matrix"."""
    if not shape:
        return "a single number"
    if len(shape) == 1:
        return f"a vector of {shape[0]} {'entry' if shape[0] == 1 else 'entries'}"
    return f"a {'×'.join(map(str, shape))} {'matrix' if len(shape) == 2 else 'array'}"
