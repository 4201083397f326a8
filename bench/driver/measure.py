"""Interleaved rounds, and what is made of them."""

import statistics
import sys

# Small counts, which only show that every program works.
SHORT = "--short" in sys.argv

ROUNDS = 40
# Where a process has its memory decides some microseconds, for as long as it lives: so often its programs are started anew.
LIVES = 4
# Long enough that the command itself does not count, and short enough that what disturbs one program disturbs its neighbour too.
BATCH_SECONDS = 0.02
WARM_UP_CALLS = 300


def interleave(jobs, settings=None, rounds=ROUNDS, lives=LIVES, batch=BATCH_SECONDS, warm_up=WARM_UP_CALLS):
    """Runs each (program, task) once a round, in turn, every other round backwards. With the server's settings, the programs are started
    anew some times on the way. Gives, for each job, its CPU time and its time in microseconds a call, one pair a round."""
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
    """A count of the whole measurement, or the one that replaces it."""
    return short if SHORT else full


def cpu(samples):
    return [cpu for cpu, _ in samples]


def wall(samples):
    return [wall for _, wall in samples]


class Figure:
    """A median with its spread: the quartiles of the rounds."""

    def __init__(self, median, rounds):
        self.median = median
        self.low, _, self.high = statistics.quantiles(rounds, n=4) if len(rounds) > 1 else (median,) * 3


def alone(values):
    return Figure(statistics.median(values), values)


def ratio(above, below):
    """Of each round, so that a time in which all of them took longer does not count."""
    return alone([a / b for a, b in zip(above, below)])


def least_ratio(above, below):
    """For times that are mostly waiting: load only adds to them, now to this one and now to that one, so the least of each is compared."""
    return Figure(min(above) / min(below), [a / b for a, b in zip(above, below)])
