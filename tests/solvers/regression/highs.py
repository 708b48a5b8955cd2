"""Solves linear programs of regression under demographic parity by HiGHS: the opinion of others.

    python3 highs.py FILE

FILE has problems one after the other: a line "rows groups atoms bound epsilon", with bound atom or
cumulative, a line of the rows' eta, one of all tilts, row-major, and one of the atoms. Prints the
least risk of each, a line each, or "nan" where HiGHS ends without one. Ends with 77 where there is
no scipy.
"""

import sys

try:
    import numpy as np
    from scipy import sparse
    from scipy.optimize import linprog
except ImportError:
    sys.exit(77)

# HiGHS keeps rows up to 1e-10 at best. Gaps by so much times as large are kept to 1e-16.
SCALE = 1e6


def least_risk(eta, tilts, atoms, bound, epsilon):
    rows, groups = tilts.shape
    count = len(atoms)
    gaps = []
    for group in range(groups):
        for atom in range(count if bound == "atom" else count - 1):
            of_atoms = np.zeros(count)
            of_atoms[atom if bound == "atom" else slice(atom + 1)] = 1
            gaps.append(np.kron(tilts[:, group] / rows, of_atoms))
    gaps = sparse.csr_matrix(SCALE * np.array(gaps))
    found = linprog(
        ((eta[:, None] - atoms) ** 2 / rows).ravel(),
        A_ub=sparse.vstack([gaps, -gaps]),
        b_ub=np.full(2 * gaps.shape[0], SCALE * epsilon),
        A_eq=sparse.kron(sparse.eye(rows), np.ones((1, count))),
        b_eq=np.ones(rows),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    return found.fun if found.status == 0 else float("nan")


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        lines = file.read().splitlines()
    for first in range(0, len(lines), 4):
        rows, groups, _, bound, epsilon = lines[first].split()
        eta, tilts, atoms = (np.array(line.split(), dtype=float) for line in lines[first + 1:][:3])
        tilts = tilts.reshape(int(rows), int(groups))
        print(repr(float(least_risk(eta, tilts, atoms, bound, float(epsilon)))))


main()
