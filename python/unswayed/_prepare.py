"""From raw features to rows that can be certified."""

from __future__ import annotations

import hashlib
import os
from typing import Any, Optional, Sequence, Union

from . import _native
from ._data import Floats, frame_columns, is_frame, label_array, matrix, split, take_column, text_cell, whole
from ._native import UnswayedError


class Transform:
    """A fitted preprocessing. Made by `prepare`."""

    __slots__ = ("_native",)

    def __init__(self, native: _native.Transform) -> None:
        self._native = native

    @property
    def directions(self) -> int:
        """How many directions or columns are kept; prepared rows have one number more, the bias."""
        return self._native.directions

    @property
    def kept_variance(self) -> Optional[float]:
        """The share of the training rows' variance that the directions keep; None for a table."""
        return self._native.kept_variance

    @property
    def digest(self) -> str:
        """The start of the SHA-256 of its file."""
        return hashlib.sha256(self._native.to_bytes()).hexdigest()[:16] + "…"

    @property
    def columns(self) -> dict[str, str]:
        """What is done to each column of a table and why; empty for arrays of features."""
        return dict(self._native.columns())

    @property
    def texts(self) -> Optional[list[str]]:
        """The columns of texts that it was fitted on; None if it was fitted on something else."""
        return self._native.texts()

    def apply(self, x: Any, *, allow_seen: bool = False) -> Any:
        """Treats other rows like the training rows; refuses rows that the fit has seen, unless they are allowed. The columns of a
        table are found by their names, and others are ignored. Rows of texts are sparse."""
        texts = self.texts
        if texts is not None:
            columns = _text_columns(x, texts)
            return _csr(self._native.apply_texts(columns, len(columns[0][1]), allow_seen))
        needs = self._native.needs()
        if needs is not None:
            kinds = dict(needs)
            if is_frame(x):
                x = x[[name for name in x.columns if str(name) in kinds]]
            return self._native.apply_table(frame_columns(x, kinds.get), len(x), allow_seen)
        return self._native.apply(matrix(split(x, None)[0]), allow_seen)[0]

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the transform, for `load` and for `unswayed prepare --apply`."""
        with open(path, "wb") as file:
            file.write(self._native.to_bytes())

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]]) -> Transform:
        """Reads a transform."""
        with open(path, "rb") as file:
            content = file.read()
        try:
            return cls(_native.Transform.from_bytes(content))
        except UnswayedError as error:
            raise UnswayedError(f"{os.fspath(path)}: {error}") from None

    def __repr__(self) -> str:
        if self.texts is not None:
            return f"Transform(texts of {', '.join(self.texts)}, {self.directions} columns)"
        if self.kept_variance is None:
            return f"Transform(a table, {self.directions} columns and the bias)"
        return f"Transform({self.directions} directions, {100 * self.kept_variance:.1f} % of the variance)"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._native.to_bytes(),)


def _restore(content: bytes) -> Transform:
    return Transform(_native.Transform.from_bytes(content))


def prepare(
    x: Any,
    directions: Optional[int] = None,
    *,
    y: Any = None,
    auto: Optional[bool] = None,
    labels: str = "detect",
    fourier: Optional[int] = None,
    norm: Optional[str] = None,
    categories: Sequence[str] = (),
    hash: Optional[int] = None,
    text_columns: Union[str, Sequence[str], None] = None,
    ngrams: int = 1,
    term_weights: str = "tf-idf",
    bias: float = 0.3,
) -> tuple[Any, Transform]:
    """Rows of norm at most 1 that can be certified, and the transform that treats other rows the same way.

    A frame is looked at column by column: numbers are standardized, after a logarithm if their tail is long; texts get a column each;
    missing values are filled in and marked; then rows get a norm of at most 1 and a constant, the bias. `Transform.columns` says
    what was done and why. An array of features, or `auto=False`, gets the paper's preprocessing: project to the top singular
    directions, centre, scale, add a bias coordinate, scale to norm at most 1.

    Texts, with `hash`, become sparse rows: their words are counted in so many columns, which a hash chooses.

    >>> import numpy as np, unswayed
    >>> features = np.random.default_rng(0).normal(size=(200, 50))
    >>> rows, transform = unswayed.prepare(features, directions=10)
    >>> rows.shape, bool(np.linalg.norm(rows, axis=1).max() <= 1)
    ((200, 11), True)
    >>> transform.apply(np.ones((3, 50))).shape
    (3, 11)
    >>> transform.apply(features[:1])
    Traceback (most recent call last):
    unswayed.UnswayedError: ...
    >>> table = np.column_stack([np.exp(3 * features[:, 0]), features[:, 1], np.ones(200)])
    >>> rows, transform = unswayed.prepare(table, y=features[:, 0] > 0, auto=True)
    >>> transform.columns["x3"]
    'left out: it is 1 in every row'
    >>> rows, transform = unswayed.prepare(["win money now", "minutes of the meeting"], y=["spam", "ham"], hash=2**18)
    >>> rows.shape, rows.nnz
    ((2, 262145), 9)

    Args:
        x: training features, a frame or an array.
        directions: how many singular directions are kept; 30 for the paper's preprocessing, all columns for a table.
        y: labels, or the name of their column; with a table they decide between the ways to a norm of at most 1.
        auto: whether to look at columns; by default for frames without `directions`.
        labels: what they are: `detect`, `classes`, `scores` or `numbers`.
        fourier: make so many random Fourier features of a table.
        norm: `unit`, each row divided by its norm; `clip`, only long rows shortened; by default the better one.
        categories: columns of a frame that hold categories although they look like numbers.
        hash: count the words of texts in so many columns; `x` is a sequence of texts, or a frame with `text_columns`.
        text_columns: the columns of a frame that hold texts, one name or several; others are left out.
        ngrams: also count runs of up to so many words.
        term_weights: what a word counts: `counts`, how often it is in the text, or `tf-idf`, more the fewer rows have it.
        bias: the constant that is appended to rows of texts; 0 for none.
    """
    if hash is not None:
        if auto or directions is not None or fourier is not None or norm is not None or len(categories) > 0:
            raise UnswayedError("hash is for texts: leave out auto, directions, fourier, norm and categories")
        return _prepare_texts(x, y, labels, hash, text_columns, ngrams, term_weights, bias)
    if text_columns is not None or ngrams != 1 or term_weights != "tf-idf" or bias != 0.3:
        raise UnswayedError("text_columns, ngrams, term_weights and bias go with hash, such as hash=2**18")
    asked = fourier is not None or norm is not None or len(categories) > 0
    if auto is None:
        auto = asked or (is_frame(x) and directions is None)
    if not auto:
        if asked:
            raise UnswayedError("fourier, norm and categories are for tables: leave out auto=False")
        native, rows = _native.Transform.fit(matrix(split(x, None)[0]), 30 if directions is None else directions)[0:2]
        return rows, Transform(native)
    if isinstance(y, str):
        x, y = take_column(x, y, "y")
    columns = frame_columns(x, lambda name: True if name in categories else None)
    native, rows = _native.Transform.fit_table(columns, len(x), label_array(y), labels, fourier, directions, norm)
    return rows, Transform(native)


def _prepare_texts(
    x: Any, y: Any, labels: str, hash: int, names: Union[str, Sequence[str], None], ngrams: int, term_weights: str, bias: float
) -> tuple[Any, Transform]:
    if term_weights not in ("counts", "tf-idf"):
        raise UnswayedError(f"term_weights {term_weights!r}: it must be 'counts' or 'tf-idf'")
    if isinstance(y, str):
        x, y = take_column(x, y, "y")
    if names is None and is_frame(x):
        raise UnswayedError("x is a frame: name its columns of texts with text_columns")
    texts = ["text"] if names is None else [names] if isinstance(names, str) else list(names)
    columns, options = _text_columns(x, texts), (whole("hash", hash), whole("ngrams", ngrams), term_weights == "tf-idf", float(bias))
    native, rows = _native.Transform.fit_texts(columns, len(columns[0][1]), label_array(y), labels, *options)
    return _csr(rows), Transform(native)


def _text_columns(x: Any, names: list[str]) -> list[tuple[str, list[Optional[str]]]]:
    """The texts of a frame by their columns, or a sequence of texts."""
    if is_frame(x):
        missing = [name for name in names if name not in list(x.columns)]
        if missing:
            raise UnswayedError(f"there is no column {missing[0]!r}; there are {', '.join(map(str, x.columns))}")
        return [(name, [text_cell(value) for value in x[name].to_list()]) for name in names]
    if len(names) != 1:
        raise UnswayedError(f"x must be a frame with the columns {', '.join(names)}")
    texts = [] if isinstance(x, str) or not hasattr(x, "__iter__") else [text_cell(value) if isinstance(value, str) else value for value in x]
    if not texts or not all(text is None or isinstance(text, str) for text in texts):
        raise UnswayedError("x must be a frame, or a sequence of texts")
    return [(names[0], texts)]


def _csr(rows: _native.Sparse) -> Any:
    try:
        from scipy.sparse import csr_matrix
    except ImportError:
        raise UnswayedError("rows of texts are sparse matrices: install scipy") from None
    entries, columns, starts, width = rows
    return csr_matrix((entries, columns, starts), shape=(len(starts) - 1, width))
