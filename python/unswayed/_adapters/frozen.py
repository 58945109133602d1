"""What makes the rows of a learner out of raw data, and never changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from .._data import MEMORY_LIMIT, Floats, by_rows, is_sparse, matrix, written_out
from .._native import UnswayedError

#: How many rows are made one at a time too, to see that no row depends on the others.
PROBED = 8
#: How long the text about one step may be.
LONGEST_TEXT = 600


@dataclass(frozen=True, eq=False)
class Frozen:
    """The steps before a learner, fitted and frozen.

    Attributes:
        transform: makes rows of raw features; it learns nothing.
        text: what it does, in a line. The statement of a certificate has it.
        radius: the norm that a guard clips every row to, if it is the last step.
        constant: whether a feature that is always 1 is appended last, with regularization like the others.
        memory_limit: the most bytes that sparse rows may take as an array.
    """

    transform: Callable[[Any], Any]
    text: str
    radius: Optional[float] = None
    constant: bool = False
    memory_limit: int = MEMORY_LIMIT

    def rows(self, x: Any, *, refuse_sparse: bool, keep_sparse: bool = False) -> Any:
        """The rows that the learner sees; sparse ones as an array, unless they are to be kept."""
        made = self.transform(x)
        if is_sparse(made) and refuse_sparse:
            raise UnswayedError(
                "the last transformer makes sparse rows, and on these scikit-learn moves the intercept at a hundredth of the "
                "learning rate, another learner; say sparse=True for that one, or use fit_intercept=False"
            )
        stays = keep_sparse and is_sparse(made) and not self.constant
        rows = by_rows(made) if stays else _array(made, self.memory_limit)
        count = rows.shape[0]
        if count != _count(x):
            raise UnswayedError(f"the transformers make {count} rows of {_count(x)}; each row must become one row")
        self._refuse_unsteady(x, rows)
        if self.constant:
            rows = np.column_stack([rows, np.ones(len(rows))])
        return rows

    def _refuse_unsteady(self, x: Any, rows: Any) -> None:
        """Refuses steps that treat a row differently when it comes alone, or when it comes again."""
        # float32 networks round differently in batches of another size.
        first = rows[:PROBED]
        first = first.toarray() if is_sparse(first) else first
        rounding = 1e-5 * float(np.abs(rows.data if is_sparse(rows) else rows).max(initial=0.0))
        for i in range(len(first)):
            alone = _array(self.transform(row_of(x, i)), self.memory_limit)
            if alone.shape != (1, rows.shape[1]) or not np.allclose(alone[0], first[i], rtol=1e-4, atol=rounding, equal_nan=True):
                raise UnswayedError(
                    f"the transformers make another row of row {i + 1} when it comes alone: a step depends on the other rows or on "
                    "chance; a frozen step must treat each row by itself"
                )


def _array(made: Any, memory_limit: int) -> Floats:
    made = written_out(made, "the rows that the transformers make", memory_limit)
    return matrix(made.to_numpy() if hasattr(made, "to_numpy") else made)


def _count(x: Any) -> int:
    return int(x.shape[0]) if hasattr(x, "shape") else len(x)


def row_of(x: Any, i: int) -> Any:
    """Row i, alone, as what x is."""
    return x.iloc[i : i + 1] if hasattr(x, "iloc") else x[i : i + 1]


def one_line(text: str, longest: int = LONGEST_TEXT) -> str:
    """A text without line breaks that is not too long for a statement."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"
