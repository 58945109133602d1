"""Runs the code blocks of a documentation page, in order, in an empty folder.

What a reader types is run, and what the page shows is compared with what comes out:

* ``console``: lines after ``$`` are commands (a trailing backslash continues them), the lines below are their output;
* ``python``: one namespace for the page; a ``text`` block that follows shows what it prints;
* ``sh``: a script.

In expected output a line ``…`` stands for any lines, ``…`` within a line for any text, and numbers may differ by 2 %:
attacks are simulated. Comments in the page give orders that readers do not see:

* ``<!-- setup: python … -->``, ``<!-- setup: sh … -->``: run first, to make the files that a page speaks of;
* ``<!-- not run: REASON -->``: the next block is left out. The test counts these.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?")
TOLERANCE = 0.02
SECONDS = 300


@dataclass
class Block:
    """A code block: its language, its text, and the line of the page that it starts on."""

    language: str
    text: str
    line: int
    not_run: str | None = None


@dataclass
class Page:
    """What a page has to run."""

    path: Path
    blocks: list[Block] = field(default_factory=list)

    @property
    def left_out(self) -> list[Block]:
        return [block for block in self.blocks if block.not_run]


def parse(path: Path) -> Page:
    """The blocks of a page, hidden ones included."""
    page, not_run = Page(path), None
    lines = path.read_text(encoding="utf-8").split("\n")
    at = 0
    while at < len(lines):
        line, start = lines[at], at + 1
        if line.startswith("<!-- setup: "):
            end = next(i for i in range(at, len(lines)) if "-->" in lines[i])
            language = line.removeprefix("<!-- setup: ").removesuffix("-->").strip()
            page.blocks.append(Block(language, "\n".join(lines[at + 1 : end]), start))
            at = end
        elif line.startswith("<!-- not run: "):
            not_run = line.removeprefix("<!-- not run: ").removesuffix("-->").strip()
        elif line.startswith("```"):
            end = next(i for i in range(at + 1, len(lines)) if lines[i].startswith("```"))
            page.blocks.append(Block(line[3:].strip(), "\n".join(lines[at + 1 : end]), start, not_run))
            not_run, at = None, end
        at += 1
    return page


def commands(text: str) -> list[tuple[str, list[str]]]:
    """The commands of a console block, each with the lines that it is to print."""
    found: list[tuple[str, list[str]]] = []
    continued = False
    for line in text.split("\n"):
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif continued:
            found[-1] = (found[-1][0] + "\n" + line, [])
        else:
            found[-1][1].append(line)
        continued = line.endswith("\\") and not found[-1][1]
    return found


def same_line(expected: str, line: str) -> bool:
    """Whether a line is the expected one, up to the tolerance of numbers and to white space in tables."""
    expected, line = " ".join(expected.split()), " ".join(line.split())
    pattern = ".*".join(
        "".join(NUMBER.pattern if NUMBER.fullmatch(part) else re.escape(part) for part in pieces(chunk))
        for chunk in expected.split("…")
    )
    if not re.fullmatch(pattern, line):
        return False
    if "…" in expected:
        return True
    pairs = zip(NUMBER.findall(expected), NUMBER.findall(line))
    return all(close(*(float(number.replace(",", "")) for number in pair)) for pair in pairs)


def pieces(text: str) -> list[str]:
    """A text cut into numbers and what stands between them."""
    return re.split(f"({NUMBER.pattern})", text)


def close(a: float, b: float) -> bool:
    """Whether two figures agree to the tolerance, or to the last digit of a small count."""
    return abs(a - b) <= TOLERANCE * max(abs(a), abs(b))


def mismatch(expected: list[str], output: str) -> str | None:
    """The first expected line that the output does not have in its place."""
    expected = [line for line in expected if line.strip()]
    lines = [line for line in output.split("\n") if line.strip()]
    at, anywhere = 0, False
    for line in expected:
        if line.strip() == "…":
            anywhere = True
            continue
        reach = range(at, len(lines) if anywhere else min(at + 1, len(lines)))
        hit = next((i for i in reach if same_line(line, lines[i])), None)
        if hit is None:
            return line
        at, anywhere = hit + 1, False
    if expected and not anywhere and at < len(lines):
        return f"(the end, but there is more: {lines[at]!r})"
    return None


class Run:
    """The folder, the environment and the Python names that the blocks of a page share."""

    def __init__(self, folder: Path, program: Path, python: Path) -> None:
        self.folder = folder
        path = os.pathsep.join([str(program.parent), str(python.parent), os.environ["PATH"]])
        self.environment = {**os.environ, "PATH": path, "NO_COLOR": "1"}
        self.names: dict[str, object] = {"__name__": "__main__"}
        self.printed = ""

    def run(self, block: Block) -> None:
        """Runs a block; an AssertionError says what differs."""
        if block.not_run:
            self.printed = ""
        elif block.language == "console":
            for command, expected in commands(block.text):
                self.compare(block, expected, self.shell(block, command))
        elif block.language == "sh":
            self.shell(block, block.text)
        elif block.language == "python":
            self.printed = self.python(block)
        elif block.language == "text":
            if self.printed:
                self.compare(block, block.text.split("\n"), self.printed)
            self.printed = ""
        else:
            raise AssertionError(f"line {block.line}: nothing runs blocks of the language {block.language!r}")

    def shell(self, block: Block, command: str) -> str:
        """What a command prints; it must succeed, unless the page shows how it fails (`; echo $?`)."""
        done = subprocess.run(
            ["bash", "-c", f"set -e; shopt -s expand_aliases\n{command}"],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"line {block.line}: {command}\nexit {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def python(self, block: Block) -> str:
        """What a Python block prints."""
        code = compile("\n" * block.line + block.text, str(block.line), "exec")
        output, here = io.StringIO(), os.getcwd()
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(output):
                exec(code, self.names)  # the page is ours
        finally:
            os.chdir(here)
        return output.getvalue()

    def compare(self, block: Block, expected: list[str], output: str) -> None:
        """Compares with what the page shows, if it shows anything."""
        if any(line.strip() for line in expected):
            missing = mismatch(expected, output)
            assert missing is None, f"line {block.line}: expected {missing}\nin\n{output}"
