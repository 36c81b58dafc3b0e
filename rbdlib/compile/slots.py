"""Few places for the many variables of a straight-line program, and long programs cut into pieces (RBDA 10.4)."""

from heapq import heappop, heappush
from typing import NamedTuple


class Piece(NamedTuple):
    """Consecutive assignments of a program, those numbered first, ..., last - 1.

    reads: the variables made before, inputs included, that they use; writes: those they make that are used afterwards.
    """

    first: int
    last: int
    reads: tuple
    writes: tuple


class Pieces(NamedTuple):
    """A program in pieces. place: {variable: place} for the inputs, which have the first places in their order, and for
    what one piece makes and another, or an output, reads.

    places: how many places that takes. A piece must load its reads before it stores its writes, which may share places.
    """

    pieces: tuple
    place: dict
    places: int


def allocate(program):
    """A place for every variable, used again when its value is no longer needed: ({variable: place}, places).

    The inputs take the first places, in their order. The result of an assignment never takes the place of one of its
    operands: NumPy is a third slower where an array is read and written by the same call.
    """
    last, first = program.last_uses(), program.input_size
    lives = [(x, -1, last.get(x, -1) + 1) for x in range(first)]
    lives += [(first + k, k, last.get(first + k, k) + 1) for k in range(len(program.assignments))]
    return share(lives)


def share(lives):
    """Places for (variable, birth, death), in the order of birth: a place is free from the death of its variable on.

    Returns ({variable: place}, places). The place that became free last is taken first: it is still in the cache.
    """
    free, busy, place, places = [], [], {}, 0
    for variable, birth, death in lives:
        while busy and busy[0][0] <= birth:
            free.append(heappop(busy)[1])
        if not free:
            free.append(places)
            places += 1
        place[variable] = free.pop()
        heappush(busy, (death, place[variable]))
    return place, places


def cut(program, length):
    """The program in pieces of at most `length` assignments each, the outputs being read after all of them."""
    if length < 1:
        raise ValueError(f"length is {length}; a piece holds at least one assignment.")
    first, count = program.input_size, len(program.assignments)
    last = program.last_uses()
    pieces, lives, outputs = [], [], -(-count // length)
    for k, start in enumerate(range(0, count, length)):
        stop = min(start + length, count)
        used = {x for done in program.assignments[start:stop] for x in done.operands if isinstance(x, int)}
        writes = [x for x in range(first + start, first + stop) if last.get(x, -1) >= stop]
        pieces.append(Piece(start, stop, tuple(sorted(x for x in used if x < first + start)), tuple(writes)))
        lives += [(x, k, outputs if last[x] == count else last[x] // length) for x in writes]
    place, places = share(lives)
    behind = {x: first + shared for x, shared in place.items()}
    return Pieces(tuple(pieces), {x: x for x in range(first)} | behind, first + places)
