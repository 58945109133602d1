"""The programs in examples/, run as a reader would. That for PyTorch is run by scripts/torch, and the notebook by its own test."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import DATA, FLAGS

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAMS = sorted(path.name for path in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name != "pytorch.py"])
def test_programs(name, tmp_path):
    done = subprocess.run([sys.executable, EXAMPLES / name], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout and "Traceback" not in done.stderr


def test_every_kind_of_program_is_there():
    assert PROGRAMS == ["dask_design.py", "pytorch.py", "river_stream.py", "scikit_learn.py"]


@pytest.mark.parametrize(("rate", "code"), [("0.02", 0), ("0.01", 1)])
def test_the_gate_opens_for_what_a_release_needs(rate, code, command, tmp_path):
    rows, certificate = DATA / "mnist_1v7_train_x.npy", tmp_path / "model.certificate.json"
    flags = [*FLAGS[:-1], rate, "--rows", "100", "--attacks", "none", "--output", certificate]
    command("certify", rows, *flags)
    program = Path(os.environ["UNSWAYED"]).parent
    path = {**os.environ, "PATH": f"{program}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run([EXAMPLES / "ci-gate.sh", certificate, rows], env=path, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
