"""The tables of results, as text for the terminal and for RESULTS.md."""


class Table:
    def __init__(self, title, *columns, note=""):
        self.title, self.columns, self.note, self.rows = title, columns, note, []

    def row(self, *cells):
        """Adds a row. Missing cells at the end of the row are empty."""
        self.rows.append([str(cell) for cell in cells] + [""] * (len(self.columns) - len(cells)))

    def __str__(self):
        widths = [max(len(row[at]) for row in [self.columns, *self.rows]) for at in range(len(self.columns))]
        lines = [self.columns, ["-" * width for width in widths], *self.rows]
        table = "\n".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in lines)
        return f"## {self.title}\n\n" + (f"{self.note}\n\n" if self.note else "") + table + "\n"


def micro(figure):
    return f"{figure.median:.1f}"


def times(figure):
    return f"{figure.median:.2f}×"


def spread(figure, digits=2):
    return f"{figure.low:.{digits}f}–{figure.high:.{digits}f}"


def ranged(figure):
    return f"{times(figure)} (quartiles {spread(figure)})"


class Reaches:
    """Checks results against their limits, and keeps the results that missed their limit."""

    def __init__(self):
        self.missed, self.met = [], 0

    def at_least(self, what, figure, reach):
        return self._judge(what, f"≥ {reach}×", figure.median >= reach, ranged(figure))

    def at_most(self, what, figure, reach):
        return self._judge(what, f"≤ {reach}×", figure.median <= reach, ranged(figure))

    def no_more_than(self, what, count, most):
        return self._judge(what, f"≤ {most}", count <= most, str(count))

    def _judge(self, what, reach, met, got):
        if met:
            self.met += 1
            return f"{reach}: met"
        self.missed.append(f"{what}: {got}, the reach is {reach}")
        return f"{reach}: **missed**"

    def __str__(self):
        total = self.met + len(self.missed)
        if not self.missed:
            return f"All {total} reaches are met.\n"
        return f"{self.met} of {total} reaches are met. Missed:\n\n" + "".join(f"- {line}\n" for line in self.missed)
