#!/usr/bin/env python3
"""How far the pull scheduling carries: a discrete-event model of the task queue.

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
"""

import argparse
import heapq
import math
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
    return parser.parse_args()


def main():
    options = read_options()
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


if __name__ == "__main__":
    main()
