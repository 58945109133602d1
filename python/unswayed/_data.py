"""From arrays, frames and files to data."""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Mapping
from typing import Any, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._native import Data as NativeData
from ._native import UnswayedError

Floats = NDArray[np.float64]
Path = Union[str, "os.PathLike[str]"]
#: Anything that holds features: an array, a frame, a path, or data that are ready.
Features = Union["Data", ArrayLike, "os.PathLike[str]", Any]


class Data:
    """Rows z = label · features, checked and ready.

    Every function of this package takes data as `x` and `y`; make a `Data` once to have them checked once. It can be
    pickled.

    >>> import unswayed
    >>> data = unswayed.Data([[0.6, 0.8], [0.5, 0.0]], [1, 0])
    >>> data
    Data(2 rows, 2 columns; label 0 is −1, 1 is +1)
    >>> data.z
    array([[ 0.6,  0.8],
           [-0.5, 0. ]])

    Args:
        x: features, one row per point, of norm at most 1: an array, a SciPy sparse matrix, a pandas or polars frame, or the path
            of a `.npz`, `.npy`, `.csv` or `.parquet` file, or a list of the paths of tables that are one dataset. Sparse rows stay sparse: time and memory grow with the entries that are
            not 0.
        y: two classes or scores in [-1, 1]; for a frame or a file with named columns, the name of the label column.
        weights: how much each row counts; all count the same without it. For arrays and frames.
        weight_column: the column of a frame or a file that holds the weights; in an `.npz` file the name of the array.
        class_weight: what the learner's steps on the rows of each class are multiplied by, as scikit-learn's: a dictionary of labels
            and weights (1 for a label that is not in it), or `"balanced"`. How often rows come is not changed.
        sample_weight: what the learner's step on each row is multiplied by, as scikit-learn's. For arrays and frames.
        step_weight_column: the column of a frame or a file that holds what `sample_weight` would be; in an `.npz` file the name
            of the array.
        labels: `"detect"` (two different labels are classes, more are scores), `"scores"`, `"premultiplied"` (the rows
            are z already, there is no `y`), `"absent"` (samples for mean estimation, of any norm), `"classes"` (two or more
            classes, for `loss="multiclass"`), `"numbers"` (for a regression loss) or `"preferences"` (a file of what was chosen and what was rejected; for
            arrays see `preferences`).
        normalize: divide all rows by the largest norm. Labels that are numbers stay as they are.
        scale: divide all rows by this number, as other data were divided; they may then have any norm.
        rows: use only so many rows from the top.
        made_by: how the features had been made of raw data, in one line; certificates show it. For arrays and frames.
        dense: write the zeros of sparse rows out, for learners and adversaries that sparse rows are not supported for.
    """

    __slots__ = ("_native",)
    _native: NativeData

    def __init__(
        self,
        x: Features,
        y: Any = None,
        *,
        weights: Optional[ArrayLike] = None,
        weight_column: Optional[str] = None,
        class_weight: Any = None,
        sample_weight: Optional[ArrayLike] = None,
        step_weight_column: Optional[str] = None,
        labels: str = "detect",
        normalize: bool = False,
        scale: Optional[float] = None,
        rows: Optional[int] = None,
        made_by: Optional[str] = None,
        dense: bool = False,
    ) -> None:
        files = file_paths(x)
        if made_by is not None and (files is not None or isinstance(x, Data)):
            raise UnswayedError("made_by is for arrays and frames: a file's certificate names the file")
        if isinstance(x, Data):
            kind = None if labels == "detect" else labels
            given = {"weights": weights, "weight_column": weight_column, "labels": kind, "normalize": normalize, "scale": scale}
            given["dense"] = dense
            given |= {"class_weight": class_weight, "sample_weight": sample_weight, "step_weight_column": step_weight_column}
            self._native = made(x if rows is None else x.first(rows), y, **given)
            return
        _check_scale(scale)
        if files is not None:
            if weights is not None:
                raise UnswayedError("the weights of a file are in the file: leave out weights, and name the column (weight_column)")
            if sample_weight is not None:
                raise UnswayedError("the step weights of a file are in the file: name their column (step_weight_column)")
            options = {"weight_column": weight_column, "class_weight": class_weight, "step_weight_column": step_weight_column}
            options |= {"labels": labels, "normalize": normalize, "scale": scale, "rows": rows, "dense": dense}
            self._native = _load(files, y, **options)
            return
        if labels == "preferences":
            raise UnswayedError("preferences in arrays: use unswayed.preferences(chosen, rejected)")
        if weight_column is not None:
            if weights is not None:
                raise UnswayedError("give weights or weight_column, not both")
            x, weights = take_column(x, weight_column, "weight_column")
        if step_weight_column is not None:
            if sample_weight is not None:
                raise UnswayedError("give sample_weight or step_weight_column, not both")
            x, sample_weight = take_column(x, step_weight_column, "step_weight_column")
        names = column_names(x, y)
        x, y = split(x, y)
        features = written_out(x, "the features") if dense else x
        labels_, w, steps = label_array(y), weight_array(weights), weight_array(sample_weight, "sample_weight")
        if rows is not None:
            features, labels_, w, steps = first_rows(rows, features, labels_, w, steps)
        classes = class_weight_text(class_weight)
        self._native = _native.Data.from_arrays(
            table(features), labels_, w, names, labels, normalize, scale, steps, classes, made_by
        )

    @classmethod
    def _of(cls, native: NativeData) -> Data:
        data = cls.__new__(cls)
        data._native = native
        return data

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self._native.rows

    @property
    def columns(self) -> int:
        """The number of features; of sparse rows, of those that are not 0 in all rows."""
        return self._native.columns

    @property
    def kept_columns(self) -> Optional[NDArray[np.int64]]:
        """Of sparse rows: the columns of `x` that are not 0 in all rows. Models and poisoned points have one number for each of them,
        in this order; the others are 0 in the proof's worst case too (Lemma S1 of docs/theory.md). None for other rows.

        >>> import scipy.sparse, unswayed
        >>> unswayed.Data(scipy.sparse.csr_matrix([[0.0, 0.5, 0.0], [0.0, 0.0, 0.25]]), [1, 0]).kept_columns
        array([1, 2])
        """
        return self._native.kept_columns

    @property
    def classes(self) -> Optional[tuple[str, ...]]:
        """The labels that became -1 and +1, or 0, 1, … for `labels="classes"`; none if labels are scores."""
        return tuple(self._native.classes) or None

    @property
    def scale(self) -> float:
        """What all rows were divided by; 1 if by nothing."""
        return self._native.scale

    @property
    def origin(self) -> dict[str, Any]:
        """How the rows were made: labels, columns, scale, how many of how many rows, digest. Certificates contain it."""
        return self._native.origin

    @property
    def z(self) -> Any:
        """The rows, label · features (the class or label and the features, for `labels="classes"` and `"numbers"`), as a new array; sparse
        rows as a SciPy matrix by rows."""
        z = self._native.z
        if not isinstance(z, tuple):
            return z
        from scipy.sparse import csr_matrix

        entries, columns, starts, width = z
        return csr_matrix((entries, columns, starts), shape=(self.rows, width))

    @property
    def sha256(self) -> str:
        """The digest by which certificates know their data."""
        return self._native.sha256

    def first(self, rows: int) -> Data:
        """The first rows as data of their own."""
        return Data._of(self._native.first(rows))

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        return f"Data({self._native.describe()})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, self._native.state()


def _restore(
    x: _native.Table, y: _native.RawLabels, weights: Optional[Floats], names: list[str], origin: str, steps: Optional[Floats] = None
) -> Data:
    # Dask hands over buffers at any address; a list of texts stays as it is.
    numbers = None if y is None else y if isinstance(y, list) else floats(y)
    given = None if weights is None else floats(weights)
    own = None if steps is None else floats(steps)
    return Data._of(_native.Data.from_state(x if isinstance(x, tuple) else floats(x), numbers, given, names, origin, own))


def load(
    path: Union[Path, Sequence[Path]],
    *,
    label_file: Union[str, os.PathLike[str], None] = None,
    label_column: Optional[str] = None,
    weight_column: Optional[str] = None,
    class_weight: Any = None,
    step_weight_column: Optional[str] = None,
    columns: Optional[Sequence[str]] = None,
    drop_columns: Sequence[str] = (),
    labels: str = "detect",
    normalize: bool = False,
    scale: Optional[float] = None,
    rows: Optional[int] = None,
    dense: bool = False,
) -> Data:
    """Reads a `.npz` or `.npy` file, or a table, as the command line does: `.csv`, `.tsv` or `.jsonl`, compressed or not, `.parquet`,
    or several tables as one: a folder, a pattern such as `part-*.parquet`, `@names.txt` with a name a line, or a list of paths. Rows
    follow each other in the order of the names, or of the list.

    For features in `…x.npy` the labels are looked for in `…y.npy`. Weights are used if `weight_column` names their column, or
    their array in an `.npz` file. `columns` names the columns of a table that are features, `drop_columns` those that are not. Sparse
    rows, in svmlight files and in SciPy's `.npz` files, stay sparse unless `dense` asks for all their zeros.

    >>> import tempfile, os, unswayed
    >>> path = os.path.join(tempfile.mkdtemp(), "mail.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("width,height,label\\n0.5,0.1,spam\\n0.2,0.9,ham\\n")
    >>> unswayed.load(path)
    Data(mail.csv: 2 rows, 2 columns; label ham is −1, spam is +1)
    """
    _check_scale(scale)
    files = file_paths(path)
    if files is None:
        raise UnswayedError("path is neither a path nor a list of paths")
    if label_file is None and isinstance(files, str) and labels in ("detect", "scores", "classes", "numbers"):
        label_file = label_file_beside(files)
    file = None if label_file is None else os.fspath(label_file)
    weights = (step_weight_column, class_weight_text(class_weight))
    return Data._of(
        _native.load(
            files, file, label_column, weight_column, None if columns is None else list(columns), list(drop_columns), labels,
            normalize, scale, rows, *weights, dense,
        )
    )


def file_paths(x: Any) -> Union[str, list[str], None]:
    """The path that `x` is, or those of several tables that are one dataset; None if it is something else."""
    if isinstance(x, (str, os.PathLike)):
        return os.fspath(x)
    if isinstance(x, (list, tuple)) and len(x) > 0 and all(isinstance(path, (str, os.PathLike)) for path in x):
        return [os.fspath(path) for path in x]
    return None


def label_file_beside(path: str) -> Optional[str]:
    """For features in `…x.npy` the labels in `…y.npy`, if there is such a file."""
    beside = path[: -len("x.npy")] + "y.npy"
    return beside if path.endswith("x.npy") and os.path.exists(beside) else None


def preferences(
    chosen: Any,
    rejected: Any,
    *,
    weights: Optional[ArrayLike] = None,
    normalize: bool = False,
    scale: Optional[float] = None,
) -> Data:
    """Rows chosen − rejected, as reward models learn from. Their loss is logistic unless another is asked for.

    >>> import unswayed
    >>> unswayed.preferences([[0.5, 0.25]], [[0.25, 0.5]])
    Data(1 row, 2 columns; rows are chosen − rejected)

    Args:
        chosen, rejected: features of the two of each pair, arrays of the same shape.
        weights, normalize, scale: as for `Data`.
    """
    both = [matrix(split(one, None)[0]) for one in (chosen, rejected)]
    if both[0].shape != both[1].shape:
        raise UnswayedError(f"chosen has the shape {both[0].shape}, rejected {both[1].shape}; they must be alike")
    _check_scale(scale)
    rows = np.hstack(both)
    return Data._of(_native.Data.from_arrays(rows, None, weight_array(weights), [], "preferences", normalize, scale))


def sample() -> Data:
    """MNIST's digits 1 and 7: 500 training rows of 31 features."""
    return Data._of(_native.sample())


def sample_test() -> Data:
    """Held-out rows for `sample`."""
    return Data._of(_native.sample_test())


def whole(name: str, value: Any, least: int = 0) -> int:
    """A whole number that is not below the least one."""
    number = operator.index(value)
    if not least <= number < 2**64:
        raise UnswayedError(f"{name} {number}: it must be a whole number, at least {least}")
    return number


def made(x: Features, y: Any = None, **options: Any) -> _native.Data:
    """The data that a user means by `x` and `y`."""
    if isinstance(x, Data):
        if y is not None:
            raise UnswayedError("x is a Data and has its labels; leave out y")
        if any(value is not None and value is not False for value in options.values()):
            raise UnswayedError("x is a Data and is ready; give weights, labels and normalize when making it")
        return x._native
    return Data(x, y, **{name: value for name, value in options.items() if value is not None})._native


def _check_scale(scale: Optional[float]) -> None:
    if scale is not None and not 0 < scale < float("inf"):
        raise UnswayedError(f"scale {scale}: it must be a positive number")


def floats(array: Any) -> Floats:
    """float64 in row order, each number at an address of its own kind: the array itself where it is that already."""
    if np.ma.is_masked(array):
        raise UnswayedError("an array has masked entries; remove their rows or fill them")
    kind = getattr(getattr(array, "dtype", None), "kind", "f")
    if kind not in "biufO":
        raise UnswayedError(f"an array holds {array.dtype}, not real numbers")
    return np.require(array, np.float64, ["C", "A"])


#: The most memory that a sparse matrix may take as an array, in bytes.
MEMORY_LIMIT = 2**30


def is_sparse(x: Any) -> bool:
    """Whether `x` is a sparse matrix of SciPy's."""
    return hasattr(x, "tocsr")


def by_rows(x: Any) -> Any:
    """A sparse matrix by rows with real numbers, one entry for each place, in the order of the columns."""
    rows = x.tocsr()
    if rows.dtype.kind not in "biuf":
        raise UnswayedError(f"the sparse matrix holds {rows.dtype}, not real numbers")
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def table(x: Any) -> _native.Table:
    """Features as the compiled half takes them."""
    if not is_sparse(x):
        return matrix(x)
    rows = by_rows(x)
    places = [np.require(places, np.int64, ["C", "A"]) for places in (rows.indices, rows.indptr)]
    return floats(rows.data), places[0], places[1], int(rows.shape[1])


def written_out(x: Any, what: str, memory_limit: int = MEMORY_LIMIT) -> Any:
    """A sparse matrix as an array, if that is not too large; other things as they are."""
    if not is_sparse(x):
        return x
    size = 8 * x.shape[0] * x.shape[1]
    if size > memory_limit:
        raise UnswayedError(
            f"{what} are a sparse matrix of {x.shape[0]} × {x.shape[1]}, and as an array they take {size / 2**30:.1f} GiB, more than "
            f"the limit of {memory_limit / 2**30:.1f} GiB; rows stay sparse for a hinge or logistic loss with a constant learning rate and "
            "no intercept (fit_intercept=False) against a ball; or make fewer features, such as HashingVectorizer(n_features=2**12)"
        )
    return x.toarray()


def matrix(x: Any) -> Floats:
    """Two dimensions of float64 in row order: `x` itself where it is that already."""
    try:
        array = floats(x)
    except UnswayedError:
        raise
    except (TypeError, ValueError) as error:
        raise UnswayedError(f"the features are not all numbers ({error})") from None
    if np.ndim(x) != 2:
        raise UnswayedError(f"the features have {np.ndim(x)} dimensions, not two (rows, features)")
    return array


def _load(path: Union[str, list[str]], y: Any, **options: Any) -> _native.Data:
    if y is None or isinstance(y, str):
        return load(path, label_column=y, **options)._native
    if isinstance(y, os.PathLike):
        return load(path, label_file=y, **options)._native
    raise UnswayedError("x is a file; then y is the name of its label column, or the path of a file of labels")


def _frame_module(x: Any) -> Optional[str]:
    """`pandas` or `polars` if `x` is one of their frames."""
    module: str = type(x).__module__.partition(".")[0]
    return module if module in ("pandas", "polars") and hasattr(x, "columns") else None


def take_column(x: Any, name: str, argument: str) -> tuple[Any, Any]:
    """A frame without a column, and the column."""
    module = _frame_module(x)
    if module is None:
        raise UnswayedError(f"{argument} names a column, but x is no frame; give the values themselves")
    names = list(x.columns)
    if name not in names:
        raise UnswayedError(f"there is no column {name!r}; there are {', '.join(map(str, names))}")
    if names.count(name) > 1:
        raise UnswayedError(f"there are {names.count(name)} columns {name!r}; rename or remove all but one")
    return (x.drop(columns=[name]) if module == "pandas" else x.drop(name)), x[name]


def split(x: Any, y: Any) -> tuple[Any, Any]:
    """Features and labels, taken out of a frame if `y` names its column."""
    module = _frame_module(x)
    if module is None:
        if isinstance(y, str):
            raise UnswayedError("y names a column, but x is no frame; give the labels themselves")
        return x, _column(y)
    if isinstance(y, str):
        x, y = take_column(x, y, "y")
    for name in x.columns:
        kind = x[name].dtype
        numeric = kind.is_numeric() if module == "polars" else sys.modules["pandas"].api.types.is_numeric_dtype(kind)
        if not numeric:
            raise UnswayedError(f"column {name!r} holds {kind}, not numbers; leave it out or encode it")
    values = x.to_numpy(dtype=np.float64, na_value=np.nan) if module == "pandas" else x.to_numpy()
    return values, _column(y)


def frame_columns(x: Any, is_text: Any) -> list[tuple[str, Any]]:
    """The columns of a frame or an array, as numbers with NaN for gaps, or as texts with None. `is_text(name)` decides where it is
    not None."""
    module = _frame_module(x)
    if module is None:
        array = np.asarray(x, dtype=np.float64)
        if array.ndim != 2:
            raise UnswayedError(f"the table has {array.ndim} dimensions, not two (rows, columns)")
        return [(f"x{j + 1}", np.ascontiguousarray(array[:, j])) for j in range(array.shape[1])]
    columns: list[tuple[str, Any]] = []
    for name in x.columns:
        column = x[name]
        kind = column.dtype
        if module == "polars":
            numeric, temporal = kind.is_numeric() or str(kind) == "Boolean", kind.is_temporal()
        else:
            types = sys.modules["pandas"].api.types
            numeric = types.is_numeric_dtype(kind)
            temporal = types.is_datetime64_any_dtype(kind) or str(kind).startswith(("timedelta", "period"))
        if temporal:
            raise UnswayedError(
                f"column {name!r} holds dates or times; leave it out, or make a number of it, such as the days since an event"
            )
        text = is_text(str(name))
        if numeric if text is None else not text:
            values = column.to_numpy() if module == "polars" else column.to_numpy(dtype=np.float64, na_value=np.nan)
            columns.append((str(name), np.ascontiguousarray(values, dtype=np.float64)))
        else:
            columns.append((str(name), [text_cell(value) for value in column.to_list()]))
    return columns


def text_cell(value: Any) -> Optional[str]:
    """A cell of a column of texts; None if it is missing."""
    missing = value is None or value != value or type(value).__name__ in ("NAType", "NaTType")
    return None if missing else str(value).strip() or None


def is_frame(x: Any) -> bool:
    """Whether `x` is a frame of pandas or polars."""
    return _frame_module(x) is not None


def column_names(x: Any, y: Any) -> list[str]:
    """The names of the features of a frame; none for others."""
    return [] if _frame_module(x) is None else [str(name) for name in x.columns if not (isinstance(y, str) and name == y)]


def first_rows(
    rows: int, x: Any, y: _native.RawLabels, weights: Optional[Floats], steps: Optional[Floats]
) -> tuple[Any, Any, Any, Any]:
    """The first rows of features, labels, weights and step weights, which are one for each row."""
    x = by_rows(x) if is_sparse(x) else matrix(x)
    of = x.shape[0]
    if not 0 < rows <= of:
        raise UnswayedError(f"{rows} rows wanted of {of}; ask for at least 1 and no more than there are")
    for name, values in (("y", y), ("weights", weights), ("sample_weight", steps)):
        if values is not None and len(values) != of:
            raise UnswayedError(f"{name} has {len(values)} values for {of} rows; give one for each row")
    first = [None if values is None else values[:rows] for values in (y, weights, steps)]
    return x[:rows], first[0], first[1], first[2]


def class_weight_text(class_weight: Any, name: str = "class_weight") -> Optional[str]:
    """Weights of classes as the command takes them: `balanced`, or labels and weights."""
    if class_weight is None or class_weight == "balanced":
        return class_weight  # type: ignore[no-any-return]
    if not isinstance(class_weight, Mapping):
        raise UnswayedError(f"{name} {class_weight!r}: it must be a dictionary of labels and weights, or 'balanced'")
    texts = {key if isinstance(key, str) else repr(float(key)).removesuffix(".0"): weight for key, weight in class_weight.items()}
    return ",".join(f"{label}={float(weight)!r}" for label, weight in texts.items())


def weight_array(weights: Any, name: str = "weights") -> Optional[Floats]:
    """Weights as numbers, one for each row."""
    if weights is None:
        return None
    try:
        array = floats(_column(weights))
    except UnswayedError as error:
        raise UnswayedError(f"{name}: {error}") from None
    except (TypeError, ValueError) as error:
        raise UnswayedError(f"{name}: they are not all numbers ({error})") from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = np.ascontiguousarray(array[:, 0])
    if np.ndim(array) != 1 or np.ndim(weights) == 0:
        raise UnswayedError(f"{name}: they have {np.ndim(weights)} dimensions, not one; give one number for each row")
    return array


def _column(y: Any) -> Any:
    return y.to_numpy() if hasattr(y, "to_numpy") else y


def label_array(y: Any) -> _native.RawLabels:
    """Labels as numbers or as texts."""
    if y is None:
        return None
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise UnswayedError(f"the labels have {array.ndim} dimensions, not one")
    if array.dtype.kind in "biuf":
        return floats(array)
    if array.dtype.kind in "OU" and all(isinstance(label, str) for label in array):
        return [str(label) for label in array]
    try:
        return floats(array)
    except UnswayedError:
        raise
    except (TypeError, ValueError):
        raise UnswayedError("the labels are neither all numbers nor all text") from None
