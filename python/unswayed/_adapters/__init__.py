"""From the estimators people run to the learner we certify: one file for each library."""

from .frozen import Frozen
from .learner import Learner
from .one_vs_rest import OneVsRest
from .projected import Projected
from .river import from_river
from .sklearn import from_sklearn
from .torch import from_torch

__all__ = ["Frozen", "Learner", "OneVsRest", "Projected", "from_river", "from_sklearn", "from_torch"]
