"""Measures many payments by one client: the cost of a payment as the number grows, and the connections that the payments leave."""

from .measure import unless_short
from .report import Table

# The client makes these numbers of payments one after another, and then as many payments as it can until a minute has passed.
NUMBERS = unless_short((1000, 10_000, 50_000, 100_000), (100, 200))
SECONDS = unless_short(60, 1)
# TIME_WAIT in /proc/net/tcp: the state of a port that stays occupied for a minute after its connection was
# closed.
TIME_WAIT = "06"


def sustained(bench):
    ports = local_ports()
    table = Table(
        "Payments one after another, by one client",
        "payments",
        "CPU µs a payment",
        "time µs a payment",
        "memory (RSS), MiB",
        "descriptors",
        "connections opened",
        "reach",
        "ports left in TIME_WAIT",
        "reach ",
        note="`new_payment` of the core, one client: each row is what was measured since the row before, the last one after a minute. A "
        f"connection of its own for each payment would leave a port behind that waits for a minute: this machine's {ports} ports would "
        f"allow {ports / 60:.0f} payments a second.",
    )
    port = bench.server.port
    fresh = bench.core.another()
    fresh.start(bench.server.settings)
    opened, before = bench.server.connections(), waiting(port)
    payments = seconds = rows = 0
    while rows < len(NUMBERS) or seconds < SECONDS:
        if rows < len(NUMBERS):
            count = NUMBERS[rows] - payments
        else:
            # The number of payments for the rest of the minute, at the speed so far.
            count = max(1000, round((SECONDS - seconds) * payments / seconds))
        used, took = fresh.run("new", count)
        payments, seconds, rows = payments + count, seconds + took, rows + 1
        # Counts the ports before the program ends, because the end of the program leaves one more port, and no payment left that port.
        connections, left = bench.server.connections() - opened, max(0, waiting(port) - before)
        # The limits apply to a minute of payments.
        is_last = rows >= len(NUMBERS) and seconds >= SECONDS
        judge = bench.reaches.no_more_than if is_last else lambda *_: ""
        table.row(
            payments,
            *(f"{spent / count * 1e6:.1f}" for spent in (used, took)),
            f"{fresh.memory() / 2**20:.2f}",
            fresh.descriptors(),
            connections,
            judge(f"{payments} payments in {seconds:.0f} s, connections opened", connections, 1),
            left,
            judge(f"{payments} payments in {seconds:.0f} s, ports left behind", left, 0),
        )
    fresh.close()
    return table


def waiting(port):
    """The number of ports in TIME_WAIT after a connection to `port` of the server."""
    with open("/proc/net/tcp") as file:
        rows = [line.split() for line in file][1:]
    ports = [(int(row[1].rpartition(":")[2], 16), int(row[2].rpartition(":")[2], 16)) for row in rows if row[3] == TIME_WAIT]
    return sum(port in ends for ends in ports)


def local_ports():
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        first, last = map(int, file.read().split())
    return last - first + 1
