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
    assert len(tables.stale(tables.rows_of(ROWS), tables.rows_of([*ROWS[:2], row]))) == count
