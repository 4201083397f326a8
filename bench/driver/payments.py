"""Payments by one client: what each costs as they become many, and what they leave behind."""

from .report import Table

MINUTE = 60
IN_A_ROW = 100_000
# The state of a port that waits a minute after its connection was closed, in /proc/net/tcp.
TIME_WAIT = "06"


def by_number(bench):
    table = Table(
        "Cost by number of payments",
        "payments",
        "CPU µs a payment",
        "time µs a payment",
        "memory (RSS), MiB",
        "descriptors",
        note="`new_payment` of the core, one client: each row is what was measured since the row before.",
    )
    fresh = bench.core.another()
    fresh.start(bench.server.settings)
    done = 0
    for payments in (1000, 10_000, 50_000, 200_000):
        used, took = fresh.run("new", payments - done)
        each = [f"{seconds / (payments - done) * 1e6:.1f}" for seconds in (used, took)]
        done = payments
        table.row(payments, *each, f"{fresh.memory() / 2**20:.2f}", fresh.descriptors())
    fresh.close()
    return table


def sustained(bench):
    ports = local_ports()
    table = Table(
        "Payments one after another, by one client",
        "how many",
        "payments",
        "a second",
        "in the slowest second",
        "connections opened",
        "ports in TIME_WAIT before",
        "after",
        "reach: connections",
        "reach: ports left",
        note="`new_payment` of the core. A connection of its own for each payment would leave a port behind that waits for a minute: "
        f"this machine's {ports} ports would allow {ports / 60:.0f} payments a second.",
    )
    for label, work in (("for a minute", for_a_minute), (f"{IN_A_ROW} in a row", in_a_row)):
        port = bench.server.port
        fresh = bench.core.another()
        fresh.start(bench.server.settings)
        opened, before = bench.server.connections(), waiting(port)
        payments, seconds, slowest = work(fresh)
        # Before the program ends, whose own connection is not a port that a payment has left behind.
        opened, after = bench.server.connections() - opened, waiting(port)
        fresh.close()
        reaches = [
            bench.reaches.no_more_than(f"payments {label}, connections opened", opened, 1),
            bench.reaches.no_more_than(f"payments {label}, ports left behind", max(0, after - before), 0),
        ]
        table.row(label, payments, f"{payments / seconds:.0f}", slowest, opened, before, after, *reaches)
    return table


def for_a_minute(program):
    batch, rates, seconds, payments = 1000, [], 0, 0
    while seconds < MINUTE:
        _, took = program.run("new", batch)
        seconds, payments = seconds + took, payments + batch
        rates.append(batch / took)
        # The next command takes about a second.
        batch = max(1, round(batch / took))
    return payments, seconds, f"{min(rates[1:]):.0f}"


def in_a_row(program):
    _, took = program.run("new", IN_A_ROW)
    return IN_A_ROW, took, ""


def waiting(port):
    """How many ports wait after a connection with that port of the server."""
    with open("/proc/net/tcp") as file:
        rows = [line.split() for line in file][1:]
    ports = [(int(row[1].rpartition(":")[2], 16), int(row[2].rpartition(":")[2], 16)) for row in rows if row[3] == TIME_WAIT]
    return sum(port in ends for ends in ports)


def local_ports():
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        first, last = map(int, file.read().split())
    return last - first + 1
