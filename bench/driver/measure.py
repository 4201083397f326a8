"""Measures programs in interleaved rounds, and computes the results."""

import statistics
import sys

# With --short the counts are small: such a run only shows that every program works.
SHORT = "--short" in sys.argv

ROUNDS = 40
# The place of a process in memory changes its speed by some microseconds as long as it runs. So each program is started four times.
LIVES = 4
# The time of a batch. A batch is so long that the cost of the command does not matter, and so short that other
# load of the machine affects neighbouring programs equally.
BATCH_SECONDS = 0.02
WARM_UP_CALLS = 300


def interleave(jobs, settings=None, rounds=ROUNDS, lives=LIVES, batch=BATCH_SECONDS, warm_up=WARM_UP_CALLS):
    """Runs each job (a program and a task) once per round, one after another, and in every second round in the
    reverse order. If `settings` is given, it restarts the programs several times. Returns for each job one pair per
    round: the CPU time and the elapsed time in microseconds per call."""
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
    """Returns the count of a whole measurement, or the small count if --short is given."""
    return short if SHORT else full


def cpu(samples):
    """The processor times. Some kernels move a process's clock only in ticks, which a short batch may miss: such a time is the
    least that a clock can show, and a ratio has a value."""
    return [max(cpu, 1e-9) for cpu, _ in samples]


def wall(samples):
    return [wall for _, wall in samples]


class Figure:
    """The median of a result, with the quartiles of its rounds."""

    def __init__(self, median, rounds):
        self.median = median
        self.low, _, self.high = statistics.quantiles(rounds, n=4) if len(rounds) > 1 else (median,) * 3


def alone(values):
    return Figure(statistics.median(values), values)


def ratio(above, below):
    """Computes the ratio in each round, so that a slow period of the machine does not change the ratio."""
    return alone([a / b for a, b in zip(above, below)])


def least_ratio(above, below):
    """Computes the ratio of the smallest times. It is for times that are mostly waiting: load of the machine can only make such times
    longer, and not all equally."""
    return Figure(min(above) / min(below), [a / b for a, b in zip(above, below)])
