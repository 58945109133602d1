"""The tables of the documentation that the programs here print: compares them, or writes them anew.

    python experiments/tables.py                     compares all of them (half an hour)
    python experiments/tables.py --quick             two rows of each (seconds)
    python experiments/tables.py --write             writes what is printed into the pages

    --program PATH    the command (default: unswayed)
    --data FOLDER     has helpsteerpairs_preferred_train_{x,y}.npy; without it the rows about these data are left as they are

Needs the Python package and NumPy. In a page a line `<!-- table: NAME -->` stands above its table. The two cells that begin a row name
it; numbers may differ by 3 %, which is more than attacks fluctuate. Exit code 1: a table is stale.
"""
import argparse
import pathlib
import subprocess
import sys
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[1]
#: How far numbers may be apart, relatively, and in their last digit.
TOLERANCE, LAST_DIGIT = 0.03, 0.00015


@dataclass(frozen=True)
class Table:
    """A table, the page it is in, the program that prints it, and rows that take little time."""

    name: str
    page: str
    program: str
    quick: tuple[str, ...]
    needs_command: bool

    def print_rows(self, asked):
        command = [sys.executable, str(ROOT / self.program)]
        command += ["--program", asked.program] if self.needs_command else []
        command += ["--data", str(asked.data)] if asked.data else []
        command += [word for row in self.quick for word in ("--only", row)] if asked.quick else []
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


TABLES = [
    Table("learners", "docs/theory.md", "experiments/learners.py", ("hinge; ball, R = 1", "hinge; label-only"), True),
    Table("gaps", "docs/limitations.md", "experiments/learner_gaps.py", ("MNIST 1 v 7; hinge", "spam-like counts; logistic"), False),
]


def rows_of(lines):
    """Rows by the two cells that name them; all cells of each."""
    rows = [[cell.strip() for cell in line.strip("| \n").split(" | ")] for line in lines if line.startswith("| ")]
    return {tuple(cells[:2]): cells[2:] for cells in rows[1:]}


def table_in(text, name):
    """Where the lines of a table begin and end among the lines of a page."""
    lines = text.splitlines()
    start = lines.index(f"<!-- table: {name} -->") + 1
    while not lines[start].startswith("|"):
        start += 1
    end = start
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    return lines, start, end


def is_near(old, new):
    """Whether two cells say the same up to the tolerance."""
    try:
        a, b = float(old), float(new)
    except ValueError:
        return old == new
    return abs(a - b) <= TOLERANCE * max(abs(a), abs(b)) + LAST_DIGIT


def stale(old, new):
    """What differs: rows that a page does not have, and cells that are too far apart."""
    found = []
    for name, cells in new.items():
        if name not in old:
            found.append(f"{'; '.join(name)}: not in the page")
        elif len(old[name]) != len(cells) or not all(map(is_near, old[name], cells)):
            found.append(f"{'; '.join(name)}: {' | '.join(old[name])} is now {' | '.join(cells)}")
    return found


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--program", default="unswayed")
    parser.add_argument("--data", type=pathlib.Path)
    asked = parser.parse_args(arguments)
    is_stale = False
    for table in TABLES:
        page = ROOT / table.page
        printed = table.print_rows(asked)
        lines, start, end = table_in(page.read_text(), table.name)
        old, new = rows_of(lines[start:end]), rows_of(printed)
        found = stale(old, new)
        is_stale |= bool(found)
        print(f"{table.name} in {table.page}: {len(new)} of {len(old)} rows compared, {len(found)} stale", flush=True)
        print("".join(f"  {line}\n" for line in found), end="")
        if asked.write:
            cells = {name: " | ".join([*name, *values]) for name, values in {**old, **new}.items()}
            lines[start + 2 : end] = [f"| {row} |" for row in cells.values()]
            page.write_text("\n".join(lines) + "\n")
    return 1 if is_stale and not asked.write else 0


if __name__ == "__main__":
    sys.exit(main())
