"""Measures in interleaved rounds, and computes the results."""

import statistics
import sys

# With --short the counts are small: a run then only shows that every program works.
SHORT = "--short" in sys.argv

ROUNDS = 40
# The place of a process in memory changes its speed by some microseconds as long as it runs. So each program is started this many times.
LIVES = 4
# A batch is long enough that the command costs nothing in comparison, and so short that a disturbance hits
# neighbouring programs equally.
BATCH_SECONDS = 0.02
WARM_UP_CALLS = 300


def interleave(jobs, settings=None, rounds=ROUNDS, lives=LIVES, batch=BATCH_SECONDS, warm_up=WARM_UP_CALLS):
    """Runs each (program, task) once per round, in turn, and in every second round backwards. With the
    server's settings it restarts the programs some times. Returns for each job one pair per round: the CPU
    time and the elapsed time in microseconds per call."""
    if SHORT:
        rounds, lives, batch, warm_up = 2, 1, 0.001, min(warm_up, 5)
    samples = {job: [] for job in jobs}
    for _ in range(lives if settings else 1):
        if settings:
            for program in {program for program, _ in jobs}:
                program.restart(settings)
        counts = {}
        for program, task in jobs:
            program.run(task, warm_up)
            _, wall = program.run(task, warm_up)
            counts[program, task] = max(1, round(batch / (wall / warm_up)))
        for number in range(rounds // lives if settings else rounds):
            for job in jobs if number % 2 == 0 else reversed(jobs):
                program, task = job
                cpu, wall = program.run(task, counts[job])
                samples[job].append((cpu / counts[job] * 1e6, wall / counts[job] * 1e6))
    return samples


def unless_short(full, short):
    """Returns the count for the whole measurement, or with --short the small count."""
    return short if SHORT else full


def cpu(samples):
    return [cpu for cpu, _ in samples]


def wall(samples):
    return [wall for _, wall in samples]


class Figure:
    """A median with the quartiles of its rounds."""

    def __init__(self, median, rounds):
        self.median = median
        self.low, _, self.high = statistics.quantiles(rounds, n=4) if len(rounds) > 1 else (median,) * 3


def alone(values):
    return Figure(statistics.median(values), values)


def ratio(above, below):
    """Computes the ratio in each round, so that a slow period of the machine does not change it."""
    return alone([a / b for a, b in zip(above, below)])


def least_ratio(above, below):
    """Compares the smallest times. It is for times that are mostly waiting: load of the machine only adds to such times, and not to all
    equally."""
    return Figure(min(above) / min(below), [a / b for a, b in zip(above, below)])
