"""Proven bounds on what an adaptive data poisoner can do to an online learner.

A learner that keeps learning from its users' data can be steered by users who mean harm: they see the model and adapt
their points to it. `certify` computes a number that the long-run loss cannot exceed, whatever they do, and a certificate
that anyone can check in exact arithmetic.

>>> import unswayed
>>> data = unswayed.sample()                # 500 images of the digits 1 and 7, 31 features
>>> certificate = unswayed.certify(data, learning_rate=1e-3, regularization=0.01, poison_rate=0.02)
>>> round(certificate.certified_loss, 4)
0.1475

Features are NumPy arrays, pandas or polars frames; labels are two classes, or scores in [-1, 1]:

>>> import numpy as np
>>> x = np.array([[0.6, 0.8], [-0.6, 0.0], [0.8, 0.6], [-0.3, -0.9]])
>>> y = ["spam", "ham", "spam", "ham"]
>>> unswayed.certify(x, y, learning_rate=0.01, regularization=0.1, poison_rate=0.01).status
'certified'
"""

import os as _os

from . import _native
from ._adapters import Frozen, Learner, OneVsRest, Projected, from_river, from_sklearn, from_torch
from ._attack import Attack, Attacks, Estimate, Simulation, attack, simulate
from ._bootstrap import Bootstrap
from ._certificate import Certificate, Verdict, certify
from ._data import Data, load, preferences, sample, sample_test
from ._design import Design, Ranked, Row, Setting, Tolerable, Tolerated, design, tolerate
from ._guard import Guard
from ._mean import MeanCertificate, mean
from ._monitor import Monitor, Update
from ._native import CheckFailed, UnswayedError
from ._prepare import Transform, prepare
from ._problem import Box, Ellipsoid, Points

__all__ = [
    "Attack",
    "Attacks",
    "Bootstrap",
    "Box",
    "Certificate",
    "CheckFailed",
    "Data",
    "Design",
    "Ellipsoid",
    "Estimate",
    "Frozen",
    "Guard",
    "Learner",
    "MeanCertificate",
    "Monitor",
    "OneVsRest",
    "Points",
    "Projected",
    "Ranked",
    "Row",
    "Setting",
    "Simulation",
    "Tolerable",
    "Tolerated",
    "Transform",
    "UnswayedError",
    "Update",
    "Verdict",
    "attack",
    "certify",
    "design",
    "from_river",
    "from_sklearn",
    "from_torch",
    "load",
    "mean",
    "preferences",
    "prepare",
    "sample",
    "sample_test",
    "simulate",
    "tolerate",
]

# A forked child has none of its parent's threads: it makes its own.
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_native.forget_threads)
