"""Every code block of the documentation runs, and prints what the page shows."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from documentation import Run, mismatch, parse

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md"] + sorted(path for folder in ("docs", "docs/guides") for path in (ROOT / folder).glob("*.md"))
# Blocks that do not run, by page: each has its reason in the page.
LEFT_OUT = {
    "README.md": 7,
    "docs/certificate-format.md": 1,
    "docs/design.md": 2,
    "docs/guides/cluster.md": 2,
    "docs/python.md": 3,
    "docs/reproduction.md": 4,
    "docs/tutorial.md": 1,
}


@pytest.mark.parametrize("name", ["CHANGELOG.md", "CONTRIBUTING.md", "proofs/README.md", *(str(page.relative_to(ROOT)) for page in PAGES)])
def test_lines_are_at_most_120_characters_long(name: str) -> None:
    """But for tables, and for code and formulas, which are indented or fenced; docs/estimators.md is made by a program."""
    lines, is_code = (ROOT / name).read_text(encoding="utf-8").split("\n"), False
    for number, line in enumerate(lines, 1):
        is_code ^= line.startswith("```")
        is_prose = not is_code and not line.startswith(("|", "    ")) and name != "docs/estimators.md"
        assert len(line) <= 120 or not is_prose, f"{name}:{number}"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_blocks_of_a_page_run(path: Path, tmp_path: Path) -> None:
    page = parse(path)
    assert len(page.left_out) == LEFT_OUT.get(str(path.relative_to(ROOT)), 0), [b.not_run for b in page.left_out]
    (tmp_path / "experiments").symlink_to(ROOT / "experiments")
    (tmp_path / "python").symlink_to(ROOT / "python")
    run = Run(tmp_path, Path(os.environ["UNSWAYED"]), Path(sys.executable))
    for block in page.blocks:
        run.run(block)


@pytest.mark.parametrize(
    ("expected", "output", "agrees"),
    [
        ("loss 0.1222", "loss  0.1223\n", True),
        ("loss 0.1222", "loss 0.1300\n", False),
        ("loss 0.1222", "error 0.1222\n", False),
        ("…\nb", "a\na\nb", True),
        ("a", "a\nb", False),
        ("a\n…", "a\nb", True),
        ("a … c", "a b c", True),
        ("500 rows", "501 rows", True),
        ("5 rows", "6 rows", False),
    ],
)
def test_what_counts_as_the_same_output(expected: str, output: str, agrees: bool) -> None:
    assert (mismatch(expected.split("\n"), output) is None) == agrees
