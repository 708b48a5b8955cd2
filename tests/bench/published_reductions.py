#!/usr/bin/python3
"""How fast `[reductions]` is beside the published loop with a learner of scikit-learn's kind, on Adult.

    tests/bench/published_reductions.py PROGRAM DATA_DIR [--bound 0.02] [--repeat 2]

The loop is the exponentiated gradient of Agarwal, Beygelzimer, Dudik, Langford, Wallach (2018), Algorithm 1, with what the
field's toolkit adds by default: best responses at 1, 2, 5 and 10 times the mean multipliers for the duality gap, the best
mixture of all classifiers as a linear program in every round, a step that shrinks where regret does not, at most 50 rounds,
and an end where the gap is below a standard error of the best classifier's errors. The learner is a logistic regression by
L-BFGS to scikit-learn's tolerance with its penalty (C = 1), in numpy and scipy, as neither toolkit is a package of Debian.

Both learn demographic parity by sex on 70 % of the rows of Adult's two files, on one core. Prints seconds of both in turns (CPU
seconds of the loop, of the program a task's time with all measures and intervals), and their errors and gaps on those rows. Ends
with 1 where the loop's draw is beyond the bound by more than its own tolerance, or where a draw of the program is beyond the
loop's gap or more than .005 behind its error.
"""
from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import h5py  # noqa: E402
import numpy as np  # noqa: E402
import pandas  # noqa: E402
import scipy  # noqa: E402
from scipy.optimize import linprog, minimize  # noqa: E402

CONFIG = """experiment = training
split_seed = 1
[data]
data = adult
[split]
test = 0.3
stratify = group_and_label
[model]
hidden =
[reductions]
rate = demographic_parity
bound = {looser}, {bound}
"""
COLUMNS = ["age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race",
           "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income"]


def training_rows(folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scaled columns and an intercept, labels 0 and 1, and whether the row is of the second group."""
    parts = [pandas.read_csv(folder / "adult" / name, names=COLUMNS, skipinitialspace=True, na_values="?", skiprows=skip)
             for name, skip in (("adult.data", 0), ("adult.test", 1))]
    table = pandas.concat(parts, ignore_index=True).dropna()
    table = table.sample(frac=0.7, random_state=1)
    labels = table.pop("income").str.startswith(">").to_numpy(float)
    groups = (table.pop("sex") == "Male").to_numpy()
    x = pandas.get_dummies(table).to_numpy(float)
    x = x[:, x.std(axis=0) > 0]
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    return np.column_stack([np.ones(len(x)), x]), labels, groups


def fit(x: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Logistic regression, each row with its weight, and |w|^2 / 2 without the intercept."""
    signs = 2 * labels - 1

    def objective(w: np.ndarray) -> tuple[float, np.ndarray]:
        margins = signs * (x @ w)
        penalty = np.concatenate([[0.0], w[1:]])
        slopes = -weights * signs * scipy.special.expit(-margins)
        return float(weights @ np.logaddexp(0, -margins) + penalty @ penalty / 2), x.T @ slopes + penalty

    return minimize(objective, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B",
                    options={"maxiter": 100, "gtol": 1e-4, "ftol": 64 * np.finfo(float).eps}).x


class PublishedLoop:
    """Two inequalities: the rate of a group less that of all rows, in both directions, as the toolkit writes parity."""

    def __init__(self, x: np.ndarray, labels: np.ndarray, groups: np.ndarray, bound: float) -> None:
        self.x, self.labels, self.bound = x, labels, bound
        self.members = [~groups, groups]
        self.decisions: list[np.ndarray] = []
        self.errors: list[float] = []
        self.moments: list[np.ndarray] = []
        self.largest = 1 / bound
        self.fits = 0

    def keep(self, decisions: np.ndarray) -> None:
        of_all = decisions.mean()
        of_group = np.array([decisions[rows].mean() - of_all for rows in self.members])
        self.decisions.append(decisions)
        self.errors.append(float(np.mean(decisions != self.labels)))
        self.moments.append(np.concatenate([of_group, -of_group]) - self.bound)

    def best_response(self, multipliers: np.ndarray) -> int:
        """The best of all classifiers known after the learner's answer."""
        of_group = multipliers[:2] - multipliers[2:]
        costs = 1 - 2 * self.labels - of_group.sum()
        for rows, multiplier in zip(self.members, of_group):
            costs[rows] += multiplier * len(self.labels) / rows.sum()
        weights = np.abs(costs)
        w = fit(self.x, (costs < 0).astype(float), weights * len(weights) / weights.sum())
        self.fits += 1
        self.keep((self.x @ w >= 0).astype(float))
        return int(np.argmin(np.array(self.errors) + np.array(self.moments) @ multipliers))

    def gap(self, draw: np.ndarray, multipliers: np.ndarray, enough: float) -> float:
        error = float(draw @ self.errors[:len(draw)])
        moments = draw @ np.array(self.moments[:len(draw)])
        value = error + multipliers @ moments
        high = error + self.largest * max(0.0, float(moments.max()))
        low = np.inf
        for factor in (1, 2, 5, 10):
            best = self.best_response(factor * multipliers)
            low = min(low, self.errors[best] + multipliers @ self.moments[best])
            if max(high - value, value - low) > enough:
                break
        return max(high - value, value - low)

    def best_draw(self) -> tuple[np.ndarray, np.ndarray]:
        """The mixture of least price, and the multipliers that prove it."""
        count = len(self.errors)
        moments = np.array(self.moments).T
        found = linprog(np.append(self.errors, self.largest), A_ub=np.column_stack([moments, -np.ones(len(moments))]),
                        b_ub=np.zeros(len(moments)), A_eq=np.append(np.ones(count), 0)[None, :], b_eq=[1], method="highs")
        return found.x[:count], -found.ineqlin.marginals

    def run(self) -> tuple[np.ndarray, float, float]:
        """The draw, its gap, and the gap at which the loop ends."""
        theta, step = np.zeros(4), 2.0 / self.largest
        sums: dict[int, int] = {}
        mean, last = np.zeros(4), np.inf
        enough = np.inf
        best: tuple[float, np.ndarray] = (np.inf, np.zeros(1))
        checked = np.inf
        for round_number in range(50):
            exponents = np.exp(theta - max(theta.max(), 0))
            multipliers = self.largest * exponents / (np.exp(-max(theta.max(), 0)) + exponents.sum())
            mean += (multipliers - mean) / (round_number + 1)
            answer = self.best_response(multipliers)
            if round_number == 0:
                wrong = (self.decisions[answer] != self.labels).astype(float)
                enough = 0.5 * wrong.std() / np.sqrt(len(wrong))
            sums[answer] = sums.get(answer, 0) + 1
            draw = np.zeros(len(self.errors))
            for number, times in sums.items():
                draw[number] = times / (round_number + 1)
            now = self.gap(draw, mean, enough)
            candidates = [(now, draw)]
            if round_number > 0:
                optimal, price = self.best_draw()
                candidates.append((self.gap(optimal, price, enough), optimal))
            best = min([best, *candidates], key=lambda each: each[0])
            last = min(each[0] for each in candidates)
            if last < enough and round_number >= 5:
                break
            if round_number >= 5 and round_number % 2 == 1:
                if last > 0.8 * checked:
                    step *= 0.8
                checked = last
            theta += step * self.moments[answer] * self.largest
        return best[1], best[0], enough


def time_loop(folder: Path, bound: float) -> dict[str, float]:
    x, labels, groups = training_rows(folder)
    begin = time.process_time()
    loop = PublishedLoop(x, labels, groups, bound)
    draw, gap, enough = loop.run()
    seconds = time.process_time() - begin
    decisions = sum(share * loop.decisions[i] for i, share in enumerate(draw) if share > 0)
    rates = [decisions[rows].mean() for rows in loop.members]
    error = float(draw @ loop.errors[:len(draw)])
    beyond = float((draw @ np.array(loop.moments[:len(draw)])).max())
    return {"seconds": seconds, "fits": loop.fits, "rows": len(labels), "columns": x.shape[1] - 1, "error": error,
            "gap": abs(rates[0] - rates[1]), "duality_gap": gap, "enough": enough, "beyond": beyond}


def time_program(program: str, data: Path, bound: float, folder: Path) -> dict[str, float]:
    config, out = folder / "run.ini", folder / "run.h5"
    # The loop bounds differences to the rate of all rows; the program those of two groups.
    # The first task also prepares the data, which the loop's time leaves out: the second one is timed.
    config.write_text(CONFIG.format(bound=bound, looser=1.001 * bound))
    subprocess.run([program, "run", str(config), "-o", str(out), "--force", "--data-dir", str(data)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with h5py.File(out) as file:
        second = int(np.argmax(file["timing/started"][:]))
        # Part train of all rows: axes are task, part, group, and value with its interval.
        error, gap = (float(file[f"measures/{name}"][second, 0, 0, 0]) for name in ("randomised_error", "randomised_rate_gap"))
        return {"seconds": float(file["timing/seconds"][second]), "fits": float(file["metrics/fits"][second]),
                "error": error, "gap": gap}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--bound", type=float, default=0.02)
    parser.add_argument("--repeat", type=int, default=2)
    chosen = parser.parse_args()
    print(f"numpy {np.__version__}, scipy {scipy.__version__}, one core, bound {chosen.bound}")
    right = True
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(chosen.repeat):
            loop = time_loop(chosen.data_dir, chosen.bound)
            # Between groups the loop's bound leaves this gap.
            ours = time_program(chosen.program, chosen.data_dir, max(loop["gap"], 1e-6), Path(folder))
            print(json.dumps({"loop": loop, "program": ours}))
            print(f"the loop takes {loop['seconds'] / ours['seconds']:.1f} times what the task does")
            right &= loop["beyond"] <= loop["enough"] and ours["gap"] <= loop["gap"] + 1e-3
            right &= ours["error"] <= loop["error"] + 0.005
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
