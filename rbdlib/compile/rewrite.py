"""Fewer operations still: sums and products are taken apart, and put together again at less cost (RBDA 10.4).

The rules of `rbdlib.compile.simplify` look at one operation at a time. Here chains of additions become sums of many
terms c·x, and chains of multiplications products of many factors. Then like terms are collected (c·x + d·x, and what
cancels), factors that terms have in common are put outside parentheses (a·b + a·c, also with constants), and pairs of
terms that several sums have in common are added once.
"""

from collections import Counter, defaultdict
from itertools import combinations
from math import isfinite

from rbdlib.compile.simplify import Simplifier, is_normal, simplify, without_unused

#: Stands for the number 1, of which the constant in a sum is a multiple.
ONE = -1
#: Sums longer than this are left as they are, because the time to look for what they have in common grows faster.
LONGEST = 50


def optimise(program):
    """The program by as few operations as the rules here and those of `rbdlib.compile.simplify` can find.

    They are applied in turn until nothing more is gained, or less than one operation in a thousand. It never has more
    operations than before. The values are those of the program but for rounding, as terms are added in another order.
    Errors as for `simplify`.
    """
    best, gain = simplify(program), float("inf")
    while gain > best.count().total() / 1000:
        changed = rewritten(best)
        gain = best.count().total() - changed.count().total()
        if gain > 0:
            best = changed
    return best


def rewritten(program):
    """A simplified program after one pass of collecting, factoring and sharing. Its count may be larger."""
    terms = Terms(program)
    put_factors_outside(terms)
    share_pairs(terms)
    return terms.written()


class Terms:
    """A program as sums and products of any length; each of them, like each input, is a node with a number.

    sums: {node: {node: coefficient}}, products: {node: {node: power}}, others: {node: (operation, operands)}, whose
    operands are nodes (int) or constants (float). now: the node of each variable; outputs: those that are given out.
    """

    def __init__(self, program):
        self.program, uses = program, program.uses()
        self.sums, self.products, self.others = {}, {}, {}
        self.size = program.input_size
        self.now = list(range(self.size))
        for operation, operands in program.assignments:
            nodes = [self.now[x] if isinstance(x, int) else x for x in operands]
            once = [isinstance(x, int) and uses[x] == 1 for x in operands]
            self.now.append(self.node(operation, nodes, once))
        self.outputs = [self.now[x] for x in program.output_entries if isinstance(x, int)]
        self.remove_unused()

    def node(self, operation, nodes, once):
        """The node of an operation. once: which operands nothing else needs, so that they can be taken apart."""
        if operation in ("+", "-"):
            terms, sign = dict(self.terms(nodes[0], once[0])), 1.0 if operation == "+" else -1.0
            for x, c in self.terms(nodes[1], once[1]).items():
                terms[x] = terms.get(x, 0.0) + sign * c
            if all(map(isfinite, terms.values())):
                return self.sum(terms)
        elif operation == "neg":
            return self.sum({x: -c for x, c in self.terms(nodes[0], once[0]).items()})
        elif operation == "*" and isinstance(nodes[0], float):
            terms = {x: nodes[0] * c for x, c in self.terms(nodes[1], once[1]).items()}
            return self.sum(terms if all(map(is_normal, terms.values())) else {nodes[1]: nodes[0]})
        elif operation == "*":
            return self.product(nodes, once)
        return self.new(self.others, (operation, nodes))

    def terms(self, x, once):
        """x as a sum {node: coefficient}; as a single term, if x is a sum that is needed elsewhere too."""
        if isinstance(x, float):
            return {ONE: x}
        terms = self.sums.get(x, {})
        return terms if len(terms) == 1 or (once and 0 < len(terms) <= LONGEST) else {x: 1.0}

    def sum(self, terms):
        """The node of a sum, which is x itself for 1·x."""
        terms = {x: c for x, c in terms.items() if c != 0.0}
        if list(terms.values()) == [1.0] and ONE not in terms:
            return next(iter(terms))
        return self.new(self.sums, terms)

    def product(self, nodes, once):
        """The node of a product; constants among the factors become the coefficient of a sum with one term."""
        coefficient, powers = 1.0, Counter()
        for x, alone in zip(nodes, once, strict=True):
            (y, c), *more = self.sums.get(x, {x: 1.0}).items() or [(ONE, 0.0)]
            if not more and y != ONE and (alone or abs(c) == 1.0) and is_normal(coefficient * c):
                x, coefficient = y, coefficient * c
            powers.update(self.products[x] if alone and x in self.products else [x])
        return self.sum({self.new(self.products, powers): coefficient})

    def new(self, nodes, content):
        """A new node among the sums, products or others."""
        nodes[self.size] = content
        self.size += 1
        return self.size - 1

    def operands(self, x):
        """The nodes that x is computed from."""
        if x in self.others:
            return [y for y in self.others[x][1] if isinstance(y, int)]
        return self.sums.get(x) or self.products.get(x) or ()

    def remove_unused(self):
        """Forget the nodes on which no output depends."""
        used, waiting = set(), list(self.outputs)
        while waiting:
            x = waiting.pop()
            if x not in used:
                used.add(x)
                waiting.extend(self.operands(x))
        for nodes in (self.sums, self.products, self.others):
            for x in nodes.keys() - used:
                del nodes[x]

    def uses(self):
        """How many nodes and outputs need each node, a Counter."""
        uses = Counter(self.outputs)
        for x in (*self.sums, *self.products, *self.others):
            uses.update(iter(self.operands(x)))
        return uses

    def written(self):
        """The terms as a program again, in the order of the one that they were made from."""
        self.remove_unused()
        writer = Writer(self)
        for x in sorted(set(self.now)):
            if x in self.sums or x in self.products or x in self.others:
                writer.operand(x)
        now = {x: writer.operand(node) for x, node in enumerate(self.now) if node in writer.done}
        return without_unused(self.program.with_assignments(writer.assignments, now))


class Writer(Simplifier):
    """Writes nodes down as operations of two operands, each after what it needs."""

    def __init__(self, terms):
        super().__init__(terms.program.input_size)
        self.terms = terms
        self.done = {x: x for x in range(self.input_size)} | {ONE: 1.0}

    def operand(self, x):
        """The operand that holds the value of a node; written down if it is new."""
        if x in self.done:
            return self.done[x]
        if x in self.terms.others:
            operation, operands = self.terms.others[x]
            result = self.emit(operation, *(self.operand(y) if isinstance(y, int) else y for y in operands))
        elif x in self.terms.sums:
            result, terms = 0.0, [(self.operand(y), c) for y, c in self.terms.sums[x].items()]
            for y, c in sorted(terms, key=lambda term: _order(term[0])):
                result = self.emit("+" if c > 0.0 else "-", result, self.emit("*", abs(c), y))
        else:
            result = 1.0
            for y in sorted(map(self.operand, self.terms.products[x].elements()), key=_order):
                result = self.emit("*", result, y)
        self.done[x] = result
        return result


def _order(x):
    return isinstance(x, int), x


# a·b + a·c = a·(b + c)


def put_factors_outside(terms):
    """Factors that several terms of a sum have in common are put outside parentheses, the most frequent first.

    That saves a multiplication for each term but one, provided nothing else needs the terms themselves.
    """
    uses = terms.uses()
    scaled = Counter((x, abs(c)) for s in terms.sums.values() for x, c in s.items())
    waiting = list(terms.sums)
    while waiting:
        s = waiting.pop()
        while True:
            having = defaultdict(list)
            for x, c in terms.sums[s].items():
                if abs(c) != 1.0 and x != ONE and scaled[x, abs(c)] <= 1:
                    having[False, abs(c)].append(x)
                if uses[x] <= 1:
                    for y in terms.products.get(x, ()):
                        having[True, y].append(x)
            # of equally frequent ones, variables rather than constants, and of these the latest: measured to be best
            factor = max(having, key=lambda factor: (len(having[factor]), factor), default=None)
            if factor is None or len(having[factor]) < 2:
                break
            waiting.append(_put_outside(terms, s, factor, having[factor]))


def _put_outside(terms, s, factor, having):
    """Replace terms of the sum s by one product with a new sum, whose node is returned."""
    is_variable, factor = factor
    inner = {}
    for x in having:
        c = terms.sums[s].pop(x)
        if is_variable:
            rest = terms.products[x] - Counter([factor])
            x = next(iter(rest)) if rest.total() == 1 else terms.new(terms.products, rest)
            inner[x] = inner.get(x, 0.0) + c
        else:
            inner[x] = c / factor
    inside = terms.new(terms.sums, {x: c for x, c in inner.items() if c != 0.0})
    if is_variable:
        terms.sums[s][terms.new(terms.products, Counter([factor, inside]))] = 1.0
    else:
        terms.sums[s][inside] = factor
    return inside


# a + b + c and a + b + d: a + b once


def share_pairs(terms):
    """Pairs of terms that several sums have in common, but for a sign, become sums, the most frequent first."""
    sums = terms.sums
    while True:
        having = defaultdict(list)
        for s, its in sums.items():
            for (x, c), (y, d) in combinations(sorted(its.items()), 2) if len(its) <= LONGEST else ():
                having[((x, c), (y, d)) if c > 0.0 else ((x, -c), (y, -d))].append(s)   # s or -s has the pair
        common = sorted((pair for pair in having if len(having[pair]) > 1), key=lambda pair: -len(having[pair]))
        if not common:
            return
        for pair in common:
            (x, c), (y, d) = pair
            still = [s for s in having[pair] if (sums[s].get(x), sums[s].get(y)) in ((c, d), (-c, -d))]
            if len(still) > 1:
                signs = {s: 1.0 if sums[s].pop(x) == c else -1.0 for s in still}
                shared = terms.new(sums, dict(pair))
                for s in still:
                    del sums[s][y]
                    sums[s][shared] = signs[s]
