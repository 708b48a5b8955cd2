#!/usr/bin/env python3
"""How far the pull scheduling carries: a discrete-event model of the task queue, and of whole runs.

Replays task lengths (a file of seconds, one a line, as `queue_bench --write-times` writes, or a
lognormal fit) on any number of ranks. The model:

- Rank 0 looks for claims every T seconds (the rule of Pace in src/parallel/task_queue.cpp), serves
  all that have come, each in `--service` seconds, and sleeps again.
- A claim and its answer travel `--latency` seconds each; a waiting rank looks for its answer at
  times that grow by an eighth, as wait_politely does.
- Each sleep ends `--oversleep` seconds late (timer and scheduling; measure it on the machine).
- Tasks are handed out longest first. Rank 0's own claims cost the service time only.

Defaults that are assumptions, not measurements: --latency 5e-6 (one hop of a cluster network),
--disk 200e6 bytes/s for all journals together, --journal-bytes 2000 a task.

With --account FILE, lines of `phase_bench` on 1 and on several ranks, it says how long whole runs
take from their config to their archive, phase by phase, and what part of it the tasks are:

    for n in 1 2 4; do for seeds in 1..20 1..200; do
        mpirun -n $n phase_bench CONFIG DATA_DIR ARCHIVE seed=$seeds; done; done > FILE
    simulate_schedule.py --account FILE --ranks 4096    of SWEEPS those with splits if CONFIG has
    simulate_schedule.py --account FILE --check         what it says of each run from the others

- Each phase takes the rank that takes most f + n (a + b / N) seconds of CPU for n tasks on N ranks
  (for n problems where problems are forecast), by least squares of relative errors over the runs, as
  CPU is dearer by a factor beside other programs. Where all runs have as many tasks, f is 0. What
  ranks wait for one another, for a disk and for the start of MPI (--start, none unless said) is not
  in it.
- A node (--node ranks) prepares every problem that its tasks need once more, its ranks together.
- The table is read once by each node, by one rank (--rows of the sweep, --row seconds each).
"""

import argparse
import heapq
import itertools
import json
import math
import operator
import os
import random
import statistics

RATE_WINDOW = 0.1  # seconds, as in Pace
SHORTEST, LONGEST = 10e-6, 5e-3
AWAKE, LONGEST_WAIT = 20e-6, 1e-3  # of wait_politely


def pace(cost, rate):
    best = math.sqrt(2 * cost / max(rate, 1e-9))
    return min(max(best, SHORTEST), min(max(100 * cost, SHORTEST), LONGEST))


def seen_at(asked, answered, oversleep):
    """When a waiting rank that asked at `asked` sees what has arrived at `answered`."""
    looked = asked + AWAKE
    while looked < answered:
        looked += min(max((looked - asked) / 8, AWAKE), LONGEST_WAIT) + oversleep
    return max(looked, answered) if answered > asked + AWAKE else answered


class Coordinator:
    """Rank 0's service thread as a function of time."""

    def __init__(self, options):
        self.options = options
        self.rate = 0.0
        self.awake_at = 0.0
        self.busy = 0.0

    def look(self, served, now):
        """Books a look at `now` that served some claims; returns when the next one is."""
        passed = now - self.awake_at
        self.rate = self.rate * math.exp(-passed / RATE_WINDOW) + served / RATE_WINDOW
        self.awake_at = now
        spent = self.options.look + served * self.options.service
        self.busy += spent
        return now + spent + pace(self.options.look, self.rate) + self.options.oversleep

    def look_for(self, first_arrival, next_look):
        """Skips empty looks up to the first that finds the claim; returns its time."""
        while next_look < first_arrival:
            step = self.look(0, next_look) - next_look
            if step >= self.options.look + 0.99 * pace(self.options.look, 0.0):
                # Nothing changes any more: the remaining empty looks in one step.
                skipped = max(math.floor((first_arrival - next_look) / step) - 1, 0)
                self.busy += skipped * self.options.look
                next_look += skipped * step
                self.awake_at = next_look
            next_look += step
        return next_look


def simulate(lengths, ranks, options):
    """Plays all tasks; returns the figures of the run."""
    tasks = sorted(lengths)  # the longest is popped first
    waits, ends = [], [0.0] * ranks
    coordinator = Coordinator(options)
    now = own = options.service  # rank 0 claims first, without a message
    if tasks:
        own += tasks.pop()
    # Events: (arrival at rank 0, when it was sent, rank).
    arrivals = [(options.latency, 0.0, rank) for rank in range(1, ranks)]
    heapq.heapify(arrivals)
    next_look = options.oversleep
    while arrivals:
        now = coordinator.look_for(arrivals[0][0], next_look)
        served = 0
        clock = now + options.look
        while arrivals and arrivals[0][0] <= clock:
            _, asked, rank = heapq.heappop(arrivals)
            served += 1
            clock += options.service
            while tasks and own <= clock:  # rank 0 has taken its next task meanwhile
                own += options.service + tasks.pop()
            seen = seen_at(asked, clock + options.latency, options.oversleep)
            if tasks:
                waits.append(seen - asked)
                done = seen + tasks.pop()
                heapq.heappush(arrivals, (done + options.latency, done, rank))
            ends[rank] = seen
        next_look = coordinator.look(served, now)
    while tasks:
        own += options.service + tasks.pop()
    ends[0] = own
    return summarise(lengths, ranks, options, waits, ends, coordinator)


def summarise(lengths, ranks, options, waits, ends, coordinator):
    work, wall = sum(lengths), max(ends)
    ideal = max(work / ranks, max(lengths))
    waits.sort()
    return {
        "ranks": ranks,
        "wall": wall,
        "tasks_per_s": len(lengths) / wall,
        "efficiency": work / (ranks * wall),
        "against_ideal": ideal / wall,
        "claim_median": statistics.median(waits) if waits else 0.0,
        "claim_p99": waits[int(0.99 * (len(waits) - 1))] if waits else 0.0,
        "waiting_share": sum(waits) / (ranks * wall),
        "thread_share": coordinator.busy / wall,
        "serving_share": len(lengths) * options.service / wall,
        "journal_bytes_per_s": len(lengths) * options.journal_bytes / wall,
    }


def limits(lengths, options):
    """The number of ranks at which each resource alone is used up."""
    mean = statistics.fmean(lengths)
    return {
        "tasks run out (work / longest task)": sum(lengths) / max(lengths),
        "coordinator (mean task / service time)": mean / options.service,
        "journal (disk rate * mean task / bytes)": options.disk * mean / options.journal_bytes,
    }


def fit_lognormal(lengths):
    logs = [math.log(value) for value in lengths if value > 0]
    return statistics.fmean(logs), statistics.pstdev(logs)


def read_lengths(options):
    draw = random.Random(options.seed)
    if options.times:
        with open(options.times, encoding="utf-8") as file:
            lengths = [float(line) for line in file if line.strip()]
        if not options.tasks:
            return lengths
        mu, sigma = fit_lognormal(lengths)
    else:
        mu, sigma = math.log(options.median), options.sigma
    return [draw.lognormvariate(mu, sigma) for _ in range(options.tasks or 100_000)]


SWEEPS = [
    # tasks, seconds of each, problems, rows of the table
    ("1e6 tasks of .5 s", 1_000_000, 0.5, 1, 0),
    ("1e5 tasks of .5 s, 2,000 splits", 100_000, 0.5, 2_000, 0),
    ("1e5 tasks of 20 s, 1.4 M rows", 100_000, 20.0, 1, 1_400_000),
    ("1e6 tasks of 20 s, 2,000 splits", 1_000_000, 20.0, 2_000, 0),
]


def read_account(path):
    """Runs of one config, each a line of phase_bench."""
    with open(path, encoding="utf-8") as file:
        runs = [json.loads(line) for line in file if line.startswith("{")]
    sizes = {(run["tasks"], run["problems"]) for run in runs}
    if not runs or len(sizes) != len({(*size, run["digest"]) for run in runs
                                      for size in [(run["tasks"], run["problems"])]}):
        raise SystemExit(f"{path}: no runs, or of one size with different results")
    if len({run["ranks"] for run in runs}) < 2:
        raise SystemExit(f"{path}: runs on several numbers of ranks are needed")
    return runs


def solve(matrix, right):
    """x of a small system, or None where it has no single one; by elimination."""
    rows = [list(row) + [y] for row, y in zip(matrix, right)]
    for i in range(len(rows)):
        pivot = max(range(i, len(rows)), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        if abs(rows[i][i]) < 1e-12:
            return None
        for r, row in enumerate(rows):
            if r != i:
                factor = row[i] / rows[i][i]
                rows[r] = [x - factor * y for x, y in zip(row, rows[i])]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def fit(points):
    """x >= 0 with the least relative errors of y = c x over points (c, y): the best of all sets of
    terms that are not 0."""
    terms = range(len(points[0][0]))
    scaled = [[value / max(y, 1e-6) for value in c] for c, y in points]
    best = ([0.0] * len(terms), float(len(points)))
    for chosen in itertools.chain.from_iterable(
            itertools.combinations(terms, n + 1) for n in terms):
        found = solve([[sum(c[i] * c[j] for c in scaled) for j in chosen] for i in chosen],
                      [sum(c[i] for c in scaled) for i in chosen])
        if found is None or min(found) < 0:
            continue
        x = [dict(zip(chosen, found)).get(i, 0.0) for i in terms]
        error = sum((sum(map(operator.mul, c, x)) - 1) ** 2 for c in scaled)
        if error < best[1] - 1e-12:
            best = (x, error)
    return best[0]


def items_of(phase, tasks, problems):
    return problems if phase == "problems" else tasks


def constants_of(runs):
    """Of each phase but the tasks: seconds of one rank for each run, for a task or problem, and
    those that ranks share."""
    constants = {}
    several = len({run["tasks"] for run in runs}) > 1
    for phase in runs[0]["phases"]:
        if phase == "tasks":
            continue
        points = []
        for run in runs:
            n = items_of(phase, run["tasks"], run["problems"])
            # 1e-6: all unknowns are of one size
            terms = (1e-3 if several else 0.0, 1e-6 * n, 1e-6 * n / run["ranks"])
            points.append((terms, run["phases"][phase][-1]))
        fixed, own, shared = fit(points)
        constants[phase] = (1e-3 * fixed, 1e-6 * own, 1e-6 * shared)
    return constants


def whole_run(sweep, constants, ranks, options):
    """Seconds of each phase."""
    _, tasks, seconds, problems, rows = sweep
    phases = {"start": options.start, "reading": rows * options.row}
    for phase, (fixed, own, shared) in constants.items():
        items = items_of(phase, tasks, problems)
        phases[phase] = fixed + items * (own + shared / min(ranks, items))
    of_problem = sum(constants["problems"][1:])
    again = problems * of_problem / min(options.node, ranks) if problems > 1 else 0.0
    phases["tasks"] = simulate([seconds] * tasks, ranks, options)["wall"] + again
    return phases


def print_whole_runs(runs, options):
    constants = constants_of(runs)
    print("phase: ms, then us of one rank and us shared, a task (problems: a problem)")
    for phase, (fixed, own, shared) in constants.items():
        print(f"  {phase:22s} {1e3 * fixed:9.2f} {1e6 * own:9.2f} {1e6 * shared:9.2f}")
    for ranks in map(int, options.ranks.split(",")):
        for sweep in SWEEPS:
            if (sweep[3] > 1) != (runs[0]["problems"] > 1):
                continue
            phases = whole_run(sweep, constants, ranks, options)
            wall = sum(phases.values())
            print(f"{sweep[0]}, {ranks} ranks: {wall:.1f} s, efficiency"
                  f" {sweep[1] * sweep[2] / (ranks * wall):.1%}")
            print("  " + ", ".join(f"{name} {value:.2f}" for name, value in phases.items()))


def seconds_of(constants, run, at_once):
    """In all phases but the tasks."""
    return sum(fixed + items_of(phase, run["tasks"], run["problems"]) * (own + shared / at_once)
               for phase, (fixed, own, shared) in constants.items())


def print_check(runs, options):
    """Each run of the account beside what the model says of it from the others."""
    print("outside of tasks: CPU of the busiest rank, and wall clock on this machine's cores")
    print("ranks  tasks  CPU said / real s  wall said / real s")
    for run in sorted(runs, key=lambda one: (one["ranks"], one["tasks"])):
        others = [other for other in runs if other["ranks"] != run["ranks"]]
        if len({other["ranks"] for other in others}) < 2:
            raise SystemExit("runs on three numbers of ranks are needed")
        constants = constants_of(others)
        phases = [times for phase, times in run["phases"].items() if phase != "tasks"]
        print(f"{run['ranks']:5d} {run['tasks']:6d}"
              f" {seconds_of(constants, run, run['ranks']):9.2f}"
              f" / {sum(phase[-1] for phase in phases):.2f}"
              f" {seconds_of(constants, run, min(run['ranks'], options.cores)):9.2f}"
              f" / {sum(phase[0] for phase in phases):.2f}")


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--times", help="file of task seconds; with --tasks: fitted, not replayed")
    parser.add_argument("--tasks", type=int, default=0, help="tasks to draw from the lognormal")
    parser.add_argument("--median", type=float, default=10.0, help="of the lognormal, seconds")
    parser.add_argument("--sigma", type=float, default=1.0, help="of the lognormal's logarithm")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ranks", default="2,16,64,256,1024,4096")
    parser.add_argument("--service", type=float, default=10e-6, help="rank 0's seconds for a claim")
    parser.add_argument("--look", type=float, default=25e-6, help="seconds of a look for claims")
    parser.add_argument("--oversleep", type=float, default=60e-6, help="seconds a sleep is late")
    parser.add_argument("--latency", type=float, default=5e-6, help="seconds of a message")
    parser.add_argument("--journal-bytes", type=float, default=2000.0, help="for a task")
    parser.add_argument("--disk", type=float, default=200e6, help="bytes/s for all journals")
    parser.add_argument("--account", help="lines of phase_bench: whole runs instead of the queue")
    parser.add_argument("--check", action="store_true", help="of the account against its model")
    parser.add_argument("--start", type=float, default=0.0, help="seconds until all ranks are up")
    parser.add_argument("--row", type=float, default=5e-6, help="seconds to read a row")
    parser.add_argument("--node", type=int, default=64, help="ranks of a node")
    parser.add_argument("--cores", type=int, default=os.cpu_count(), help="where the account ran")
    return parser.parse_args()


def main():
    options = read_options()
    if options.account:
        runs = read_account(options.account)
        return print_check(runs, options) if options.check else print_whole_runs(runs, options)
    lengths = read_lengths(options)
    print(f"{len(lengths)} tasks, {sum(lengths):.6g} s of work, mean {statistics.fmean(lengths):.4g}"
          f" s, longest {max(lengths):.4g} s")
    print("ranks  wall s  tasks/s  efficiency  of ideal  claim median/p99 ms  waiting"
          "  thread  serving  journal kB/s")
    for ranks in map(int, options.ranks.split(",")):
        r = simulate(lengths, ranks, options)
        print(f"{ranks:5d} {r['wall']:8.3f} {r['tasks_per_s']:8.1f} {r['efficiency']:10.2%}"
              f" {r['against_ideal']:9.2%} {1e3 * r['claim_median']:10.3f}/{1e3 * r['claim_p99']:.3f}"
              f" {r['waiting_share']:13.2%} {r['thread_share']:7.2%} {r['serving_share']:7.2%}"
              f" {r['journal_bytes_per_s'] / 1e3:10.1f}")
    found = sorted(limits(lengths, options).items(), key=lambda item: item[1])
    for name, ranks in found:
        print(f"limit: {name} at {ranks:.0f} ranks")
    print(f"first bottleneck: {found[0][0]} at {found[0][1]:.0f} ranks")
    return None


if __name__ == "__main__":
    main()
