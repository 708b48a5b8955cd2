"""Assigns rows to centres within a balance by the integer programs of HiGHS: the opinion of others.

    python3 highs.py FILE

FILE has problems one after the other: a line "rows clusters balance", a line of the rows' groups,
0, 1, ..., and one of all squared distances, row-major. Prints the least mean square of each, a
line each, or "nan" where HiGHS ends without a proof. Ends with 77 where there is no scipy.
"""

import sys

try:
    import numpy as np
    from scipy import sparse
    from scipy.optimize import Bounds, LinearConstraint, milp
except ImportError:
    sys.exit(77)

# HiGHS is content with a gap of 1e-6, whatever the cost.
SCALE = 1e4
SECONDS = 60


def least_mean(group, squares, balance):
    """Labels as 0 or 1 for every row and cluster; level <= counts, balance * counts <= level."""
    rows, clusters = squares.shape
    groups = group.max() + 1
    members = sparse.csr_matrix((np.ones(rows), (group, np.arange(rows))), shape=(groups, rows))
    counts = sparse.kron(members, sparse.eye(clusters))
    levels = sparse.kron(np.ones((groups, 1)), sparse.eye(clusters))
    ones = sparse.kron(sparse.eye(rows), np.ones((1, clusters)))
    none = np.full(groups * clusters, np.inf)
    found = milp(
        np.concatenate([SCALE * squares.ravel(), np.zeros(clusters)]),
        constraints=LinearConstraint(
            sparse.bmat([[ones, None], [counts, -levels], [balance * counts, -levels]], format="csr"),
            np.concatenate([np.ones(rows), 0 * levels.sum(axis=1).A1, -none]),
            np.concatenate([np.ones(rows), none, np.full(groups * clusters, 1e-9)])),
        integrality=np.ones(rows * clusters + clusters),
        bounds=Bounds(np.repeat([0, 1], [rows * clusters, clusters]),
                      np.repeat([1, rows], [rows * clusters, clusters])),
        options={"time_limit": SECONDS, "mip_rel_gap": 0})
    if found.status != 0:
        return float("nan")
    labels = found.x[:rows * clusters].reshape(rows, clusters).argmax(axis=1)
    return squares[np.arange(rows), labels].mean()


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        lines = file.read().splitlines()
    for first in range(0, len(lines), 3):
        rows, clusters, balance = lines[first].split()
        group = np.array(lines[first + 1].split(), dtype=int)
        squares = np.array(lines[first + 2].split(), dtype=float).reshape(int(rows), int(clusters))
        print(repr(float(least_mean(group, squares, float(balance)))))


main()
