"""Mobility, redundancy and overconstraint of systems with loops (RBDA 8.10)."""

from collections import namedtuple

import numpy as np

from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch08_elimination import eliminate
from rbdlib.loops.clusters import constraints_to_rank, loop_clusters
from rbdlib.numbers.scalars import zeros
from rbdlib.numbers.tables import text_table


class ClusterMobility(namedtuple("ClusterMobility", "loops joints n n_c r ranks")):
    """Freedoms left by the loops of one cluster, which share joints with no other loop.

    loops: their numbers, 1..N_L.  joints: numbers of the tree joints in them.  n: number of the variables of these.
    n_c: number of constraints.  r: rank of their part of K.  ranks: for each loop, the rank of its own constraints.
    redundant: n_c - r, how many of the constraints repeat others.
    """

    redundant = property(lambda self: self.n_c - self.r)


class Mobility(namedtuple("Mobility", "n n_tot n_c r clusters smallest_pivot")):
    """The freedoms of a system with loops in one configuration; prints as a report (RBDA 8.10).

    n: variables of the spanning tree.  n_tot: freedoms of all joints, loop joints included.  n_c: loop constraints.
    r: rank of K.  clusters: a `ClusterMobility` for each loop cluster.  smallest_pivot: the last pivot of the
    elimination of K over the first; near 0, the configuration is near to one where r is smaller, a singular one.

    mobility: n - r, how many variables describe the motions that are possible from here (RBDA Eq. 8.52).  redundant:
    n_c - r, how many constraints repeat others, and how many constraint forces remain undetermined; if there are any,
    the system is overconstrained, and otherwise properly_constrained.  expected: n_tot - 6 N_L, the mobility that the
    joints would leave if no constraint repeated others (RBDA Eq. 8.53).  dependent_loops: the numbers of the loops in
    clusters that hold redundant constraints.
    """

    mobility = property(lambda self: self.n - self.r)
    redundant = property(lambda self: self.n_c - self.r)
    properly_constrained = property(lambda self: self.redundant == 0)
    overconstrained = property(lambda self: self.redundant > 0)
    expected = property(lambda self: self.n_tot - 6 * sum(len(cluster.loops) for cluster in self.clusters))
    dependent_loops = property(lambda self: tuple(l for cluster in self.clusters if cluster.redundant
                                                  for l in cluster.loops))

    def __repr__(self):
        lines = [f"mobility {self.mobility} = {self.n} variables of the tree - rank {self.r} of {self.n_c} constraints"]
        if self.overconstrained:
            lines.append(f"overconstrained: {self.redundant} of the constraints repeat others, and as many constraint "
                         f"forces are undetermined;\nby counting freedoms one would expect {self.n_tot} - 6·"
                         f"{sum(len(cluster.loops) for cluster in self.clusters)} = {self.expected}")
        elif self.n_c:
            lines.append("properly constrained: no constraint repeats others")
        if self.clusters:
            lines.append(f"smallest pivot of K: {self.smallest_pivot:.2g} of the largest")
            header = ("loops", "tree joints", "variables", "constraints", "rank", "of each loop", "redundant")
            lines.append(text_table(header, [
                (_listed(c.loops), _listed(c.joints), str(c.n), str(c.n_c), str(c.r),
                 f"{c.ranks[0]} each" if len(c.ranks) > 2 and len(set(c.ranks)) == 1 else ", ".join(map(str, c.ranks)),
                 str(c.redundant)) for c in self.clusters]))
        return "\n".join(lines)


def mobility(model, q, t=0.0):
    """The mobility of a system at q, and which of its loops hold redundant constraints (RBDA 8.10): a `Mobility`.

    It is that of small motions from q (nq), which should close the loops: it may be larger at a singular configuration
    than next to it. t: time (s). Pivots below a fraction of the largest element of a cluster's K count as zero: 1e-9,
    and more if loops are open (see `rank_tolerance`). Raises ValueError or TypeError for bad arguments.
    """
    K, *_, tolerance = constraints_to_rank(require_model(model), q, zeros(model.nv), t=t)
    clusters, pivots = [], [1.0]
    for cluster in loop_clusters(model):
        block = K[np.ix_(cluster.rows, cluster.variables)]
        elimination = eliminate(block, tolerance)
        pivots += [float(abs(elimination.U[i, i] / elimination.U[0, 0])) for i in range(elimination.rank)]
        ranks, start = [], 0
        for l in cluster.loops:
            end = start + 6 - model.loops[l - 1].joint.nv
            ranks.append(eliminate(block[start:end], tolerance).rank)
            start = end
        clusters.append(ClusterMobility(tuple(cluster.loops), tuple(cluster.joints), len(cluster.variables),
                                        len(cluster.rows), elimination.rank, tuple(ranks)))
    n_tot = model.nv + sum(loop.joint.nv for loop in model.loops)
    return Mobility(model.nv, n_tot, len(K), sum(cluster.r for cluster in clusters), tuple(clusters), min(pivots))


def _listed(numbers):
    """The numbers, separated by commas, with "1 to 4" for the run 1, 2, 3, 4."""
    runs = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)
