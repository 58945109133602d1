"""The tables of the documentation that the programs here print: compares them, or writes them anew.

    python experiments/tables.py                     compares all of them (half an hour)
    python experiments/tables.py --quick             two rows of each (seconds)
    python experiments/tables.py --write             writes what is printed into the pages

    --program PATH    the command (default: unswayed)
    --data FOLDER     has helpsteerpairs_preferred_train_{x,y}.npy; without it the rows about these data are left as they are
    --run FOLDER      results of `unswayed reproduce`: its figures are compared with docs/figures, too, or copied there

Needs the Python package and NumPy. In a page a line `<!-- table: NAME -->` stands above its table. The cells that begin a row name it;
the numbers of attacks may differ by 3 %, which is more than they fluctuate, bounds alone by 0.1 %. Exit code 1: a table or a figure is
stale.
"""
import argparse
import pathlib
import subprocess
import sys
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[1]
#: How far numbers may be apart in their last digit.
LAST_DIGIT = 0.00015


@dataclass(frozen=True)
class Table:
    """A table, the page it is in, the program that prints it with its arguments, rows that take little time, whether the program runs
    the command and takes other data, and how many cells name a row."""

    name: str
    page: str
    program: tuple[str, ...]
    quick: tuple[str, ...]
    needs_command: bool = True
    takes_data: bool = True
    named_by: int = 2
    tolerance: float = 0.03

    def print_rows(self, asked):
        program, *arguments = self.program
        command = [sys.executable, str(ROOT / program), *arguments]
        command += ["--program", asked.program] if self.needs_command else []
        command += ["--data", str(asked.data)] if asked.data and self.takes_data else []
        command += [word for row in self.quick for word in ("--only", row)] if asked.quick else []
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def bounds(name, quick, named_by=1):
    """A table of bounds alone, which do not fluctuate."""
    return Table(name, "docs/theory.md", ("experiments/bounds.py", name), quick, takes_data=False, named_by=named_by, tolerance=0.001)


LEARNERS, GAPS = "experiments/learners.py", "experiments/learner_gaps.py"
TABLES = [
    Table("learners", "docs/theory.md", (LEARNERS,), ("hinge; ball, R = 1", "hinge; label-only")),
    Table("gaps", "docs/limitations.md", (GAPS,), ("MNIST 1 v 7; hinge", "spam-like counts; logistic"), needs_command=False),
    bounds("hostile", ("hinge, ball, η = 1e-4",), named_by=3),
    bounds("hostile-new", ("none (Theorem L18)",)),
    bounds("moments", ("a coin", "100")),
    bounds("rule", ("5 %",)),
]


def rows_of(lines, named_by):
    """Rows by the cells that name them; the other cells of each."""
    rows = [[cell.strip() for cell in line.strip()[1:-1].split("|")] for line in lines if line.startswith("| ")]
    return {tuple(cells[:named_by]): cells[named_by:] for cells in rows[1:]}


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


def is_near(old, new, tolerance):
    """Whether two cells say the same up to the relative tolerance."""
    try:
        a, b = float(old), float(new)
    except ValueError:
        return old == new
    return abs(a - b) <= tolerance * max(abs(a), abs(b)) + LAST_DIGIT


def stale(old, new, tolerance):
    """What differs: rows that a page does not have, and cells that are too far apart."""
    found = []
    for name, cells in new.items():
        if name not in old:
            found.append(f"{'; '.join(name)}: not in the page")
        elif len(old[name]) != len(cells) or not all(is_near(*pair, tolerance) for pair in zip(old[name], cells)):
            found.append(f"{'; '.join(name)}: {' | '.join(old[name])} is now {' | '.join(cells)}")
    return found


def figures_of(run, write):
    """Compares the figures of the documentation with those of a run that has them, or copies these; how many are stale."""
    count = 0
    for page in sorted((ROOT / "docs/figures").glob("*.svg")):
        made = run / "figures" / page.name
        if not made.exists():
            print(f"figure {page.stem}: not in {run}")
        elif made.read_bytes() != page.read_bytes():
            count += 1
            print(f"figure {page.stem}: {'written' if write else 'stale'}")
            if write:
                page.write_bytes(made.read_bytes())
    return count


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--program", default="unswayed")
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--run", type=pathlib.Path)
    asked = parser.parse_args(arguments)
    is_stale = asked.run is not None and figures_of(asked.run, asked.write) > 0
    for table in TABLES:
        page = ROOT / table.page
        printed = table.print_rows(asked)
        lines, start, end = table_in(page.read_text(), table.name)
        old, new = rows_of(lines[start:end], table.named_by), rows_of(printed, table.named_by)
        found = stale(old, new, table.tolerance)
        is_stale |= bool(found)
        print(f"{table.name} in {table.page}: {len(new)} of {len(old)} rows compared, {len(found)} stale", flush=True)
        print("".join(f"  {line}\n" for line in found), end="")
        if asked.write:
            cells = {name: " | ".join([*name, *values]) for name, values in {**old, **new}.items()}
            lines[start + 2 : end] = [f"| {row} |".replace("|  |", "| |") for row in cells.values()]
            page.write_text("\n".join(lines) + "\n")
    return 1 if is_stale and not asked.write else 0


if __name__ == "__main__":
    sys.exit(main())
