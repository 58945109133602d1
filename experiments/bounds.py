"""Bounds alone, without attacks: prints a table of docs/theory.md.

    python experiments/bounds.py TABLE [--program unswayed] [--only WORDS]

TABLE is `rule` (Section 23), `hostile` or `hostile-new` (Section 21) or `moments` (Section 22). With --only, just the rows that begin
with this cell.
"""
import argparse
import json
import math
import pathlib
import subprocess
import tempfile

MNIST = pathlib.Path(__file__).resolve().parent / "data" / "mnist_1v7_train_x.npy"
#: Without a better proof of the error, which these tables do not have.
QUICK = ("--effort", "quick")


class Command:
    """Certifies MNIST 1 v 7, σ = 0.01."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def __call__(self, rate, poison, rows, *options):
        command = [self.program, "certify", MNIST, "--learning-rate", rate, "--regularization", "0.01", "--poison-rate", poison]
        command += ["--rows", rows, "--attacks", "none", "--json", *options]
        command += ["--output", pathlib.Path(self.folder) / "certificate.json"]
        done = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True)
        return json.loads(done.stdout)

    def loss(self, *arguments):
        return up(self(*arguments)["certified_loss"])


def up(bound, digits=4):
    """Bounds are rounded up."""
    return f"{math.ceil(bound * 10**digits) / 10**digits:.{digits}f}"


def percent(part):
    return f"{100 * part:g} %"


def rule(certify):
    yield "ε", lambda: ["loss", "by a rule", "error", "by a rule"]
    for poison in (0.01, 0.02, 0.05):
        def cells(poison=poison):
            found = [certify(1e-3, poison, 4000, *options) for options in ([], ["--compact"])]
            return [up(one[key], 6) for key in ("certified_loss", "certified_error") for one in found]
        yield percent(poison), cells


def hostile(certify):
    yield "learner", lambda: ["rows", "ε", "none hostile", "K = 1 %", "2 %", "5 %"]
    for loss, rate, rows, poison, parts in [
        ("hinge", "1e-4", 150, 0.01, (0.01, 0.02)),
        ("hinge", "1e-3", 500, 0.01, (0.01, 0.02, 0.05)),
        ("hinge", "1e-3", 500, 0.05, (0.02,)),
        ("logistic", "1e-3", 500, 0.01, (0.02,)),
    ]:
        def cells(loss=loss, rate=rate, rows=rows, poison=poison, parts=parts):
            bound = lambda *options: certify.loss(rate, poison, rows, "--loss", loss, *QUICK, *options)
            of_part = lambda part: bound("--contaminated", part) if part in parts else ""
            return [str(rows), percent(poison), bound(), *map(of_part, (0.01, 0.02, 0.05))]
        yield f"{loss}, ball, η = {rate}", cells


def hostile_new(certify):
    yield "hostile", lambda: ["the rows", "new data"]
    for name, options in [("none (Theorem L18)", []), ("10 of 1,000", [0.01]), ("20 of 1,000", [0.02])]:
        def cells(options=options):
            contaminated = [word for part in options for word in ("--contaminated", part)]
            found = certify(1e-3, 0.01, 1000, *QUICK, "--confidence", "0.95", *contaminated)
            return [up(found["certified_loss"]), up(found["new_data_loss"])]
        yield name, cells


def moments(certify):
    yield "W", lambda: ["points of the adversary in a block", "certified loss"]
    yield "a coin", lambda: ["", certify.loss(1e-4, 0.05, 500, *QUICK)]
    for block in (100, 1000, 10_000):
        yield f"{block:,}", lambda block=block: [str(block // 20), certify.loss(1e-4, 0.05, 500, *QUICK, "--moments", block)]


TABLES = {"rule": rule, "hostile": hostile, "hostile-new": hostile_new, "moments": moments}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--program", default="unswayed")
    parser.add_argument("--only", metavar="WORDS", action="append")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        head, *rows = TABLES[asked.table](Command(asked.program, folder))
        names = [head[0], *head[1]()]
        print(f"| {' | '.join(names)} |\n|{'---|' * len(names)}")
        for name, cells in rows:
            if asked.only is None or name in asked.only:
                print(f"| {' | '.join([name, *cells()])} |", flush=True)


if __name__ == "__main__":
    main()
