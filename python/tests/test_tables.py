"""The tables of the documentation are what the programs in experiments/ print."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "experiments"))
import tables

ROWS = ["| data | learner | attack | bound |", "|---|---|---|---|", "| a | b | 0.1000 | x |", "| a | c | 1.5 | 2 |"]


def test_tables_are_current(capsys):
    arguments = ["--program", os.environ["UNSWAYED"]] + ([] if os.environ.get("UNSWAYED_FULL") == "1" else ["--quick"])
    code = tables.main(arguments)
    printed = capsys.readouterr().out
    assert code == 0, printed
    assert printed.count(" 0 stale") == len(tables.TABLES)
    assert " 0 of " not in printed


@pytest.mark.parametrize(
    ("row", "count"),
    [
        ("| a | b | 0.1029 | x |", 0),
        ("| a | b | 0.1035 | x |", 1),
        ("| a | b | 0.1000 | y |", 1),
        ("| a | b | 0.1000 |", 1),
        ("| b | b | 0.1000 | x |", 1),
    ],
)
def test_what_is_stale(row, count):
    new = tables.rows_of([*ROWS[:2], row], 2)
    assert len(tables.stale(tables.rows_of(ROWS, 2), new, 0.03)) == count


def test_rows_have_names_and_empty_cells():
    rows = tables.rows_of(["| W | points | loss |", "|---|---|---|", "| a coin | | 0.25 |", "| 1,000 | 50 | |"], 1)
    assert rows == {("a coin",): ["", "0.25"], ("1,000",): ["50", ""]}


def test_figures_of_a_run(tmp_path, capsys):
    (tmp_path / "figures").mkdir()
    names = sorted(page.name for page in (tables.ROOT / "docs/figures").glob("*.svg"))
    same, other, *absent = names
    (tmp_path / "figures" / same).write_bytes((tables.ROOT / "docs/figures" / same).read_bytes())
    (tmp_path / "figures" / other).write_text("<svg/>")
    assert tables.figures_of(tmp_path, write=False) == 1
    printed = capsys.readouterr().out
    assert "stale" in printed and printed.count("not in") == len(absent) > 0
