"""From the estimators people run to the learner we certify: one file for each library."""

from .learner import Learner
from .river import from_river
from .sklearn import from_sklearn

__all__ = ["Learner", "from_river", "from_sklearn"]
