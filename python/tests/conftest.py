"""What the tests share."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import unswayed

# Ray on loopback only: what the name of this switch promises for other systems holds here too.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

SETTING = {"learning_rate": 1e-3, "regularization": 0.01, "poison_rate": 0.02}
FLAGS = ["--learning-rate", "1e-3", "--regularization", "0.01", "--poison-rate", "0.02"]
DATA = Path(__file__).parents[2] / "experiments" / "data"


@pytest.fixture(scope="session")
def command():
    """Runs the command line and returns what it prints as JSON."""
    program = os.environ.get("UNSWAYED")
    if program is None:
        pytest.fail("UNSWAYED must name the command-line program; scripts/python sets it")

    def run(*arguments, folder=None, code=0):
        done = subprocess.run(
            [program, *map(str, arguments), "--json"], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="session")
def arrays():
    """Features (float32) and labels (int8) of a real task, as they are in their files."""
    return np.load(DATA / "mnist_1v7_train_x.npy")[:300], np.load(DATA / "mnist_1v7_train_y.npy")[:300]


@pytest.fixture(scope="session")
def data(arrays):
    return unswayed.Data(*arrays)


def content(certificate):
    """What a certificate says, without the names of data files and columns, which arrays do not have."""

    def nameless(value):
        if isinstance(value, dict):
            names = ("file", "label_file", "label_column")
            return {key: nameless(entry) for key, entry in value.items() if key not in names}
        return [nameless(entry) for entry in value] if isinstance(value, list) else value

    return nameless(json.loads(certificate))
