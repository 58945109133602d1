"""A second checker of certificates, independent of the first: one file, standard library only.

    python -m unswayed.verify CERTIFICATE [DATA...] [--labels FILE] [--target FILE] [--json]
    python verify.py CERTIFICATE [DATA...]                       the same, without the package

It reads a certificate (`docs/certificate-format.md`), makes the rows again from the data files as the statement says, and
evaluates the theorems of `docs/theory.md`, with their letters. It shares no code with the Rust program `unswayed-check`.
Data are .csv, .tsv, .jsonl or .svm files (or compressed by gzip: .gz), folders of tables, patterns or lists of their names, .npy or .npz files, SciPy's sparse matrices
among them; Parquet and Zstandard are not read here. Exit code: 0 valid, 1 not valid, 2 something could not be read.

Numbers are exact (`fractions.Fraction`), and conditions are decided exactly. Write L(x) for the whole number with
2^(L−1) ≤ |x| < 2^L. What is rounded, always so that the bound can only grow:

- `up(x)` and `down(x)` round a quotient to a multiple of 2^(L(x)−256). `up` is applied to: ΣT_i/W of the rows; H/(2t(W−H)) of rows
  that may be hostile; ½βᵀNβ of the
  point (for a box each R_jβ_j²/(2τ_j)); ¼vᵀA⁻¹v (for a box each coordinate; for an ellipsoid ¼(2vᵀx − xᵀAx) and
  ‖v−Ax‖²/(4a); for the points of one class each of three parts; in a slab v_be + εM_bbe² of either end); h'(w₀)²/(4m) and h(w₀) of Lemma L3, and both ends of y/w₀
  and (κ−y)/(1−w₀) in h'; each bound on an interval in the search for C of Lemmas L7 and I1, and 1/(1−w) in it. Rows' constants are
  multiples of W, the sum of the weights (W·S with target weights of sum S), until they are divided by it.
- Logarithms are enclosed in fixed point with 128 fractional bits (`log`).
- Claims on new data also round square roots up (`sqrt_up`), to a multiple of 2^⌊(L(x)−514)/2⌋ plus one such unit; the
  quotients under and beside them up; and the least curvature down.
- Proofs by levels also round exponentials (`exp`), square roots both ways, and to multiples of powers of two: the ends of
  intervals (2^−40, outward), the constants of (E3) (2^−160), the rows' sums in (E3), and the entries of A and of second
  moments. The activities q in (E3) are computed in binary64; every q in [0, 1] gives a true bound.
- Proofs by contraction round the quotients of Φ like those of Theorem L1, each end of an interval up to a binary64 number, and compute
  slopes in binary64; every slope gives a true bound.
- A proven value is reported as the least binary64 number that is not below it.

Nothing is rounded in the paper's proof, in the horizon and for the mean learner. The first checker rounds in the same
places and may keep a few more bits; after the last rounding, to binary64, the bounds are the same.
"""

import base64
import csv
import gzip
import hashlib
import heapq
import io
import json
import math
import os
import re
import struct
import sys
import unicodedata
import zipfile
import zlib
from fractions import Fraction
from functools import partial
from typing import Any, Callable, Iterator, NamedTuple, Optional


class Unreadable(Exception):
    """A file that cannot be read, or is not what the format prescribes: exit code 2."""


class Invalid(Exception):
    """A claim that is not proven, or rows that are not those of the statement: exit code 1."""


def require(holds: bool, what: str) -> None:
    if not holds:
        raise Invalid(f"it does not hold that {what}")


# ---------------------------------------------------------------------------------------------------------------- numbers

Numbers = list[Fraction]
ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)


def exact(numbers: Any) -> Numbers:
    """Binary64 numbers as fractions."""
    return [Fraction(x) for x in numbers]


class SparseRow:
    """A row of which only some columns are not 0."""

    def __init__(self, entries: list[tuple[int, Fraction]], length: int) -> None:
        self.entries, self.length = entries, length

    def __len__(self) -> int:
        return self.length


def entries_of(x: Any) -> Any:
    """The columns of a row with its numbers; of a sparse row those that are not 0."""
    return x.entries if isinstance(x, SparseRow) else enumerate(x)


def dot(x: Numbers, y: Any) -> Fraction:
    if isinstance(y, SparseRow):
        return sum((x[j] * value for j, value in y.entries), ZERO)
    return sum((a * b for a, b in zip(x, y)), ZERO)


def norm2(x: Any) -> Fraction:
    if isinstance(x, SparseRow):
        return sum((value**2 for _, value in x.entries), ZERO)
    return dot(x, x)


def length_of(x: Fraction) -> int:
    """L(x) for x ≠ 0."""
    n, d = abs(x.numerator), x.denominator
    e = n.bit_length() - d.bit_length()
    return e + 1 if n << max(-e, 0) >= d << max(e, 0) else e


def power_of_two(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def up(x: Fraction) -> Fraction:
    """The least multiple of 2^(L(x)−256) that is not below x."""
    if x == 0:
        return x
    unit = power_of_two(length_of(x) - 256)
    return math.ceil(x / unit) * unit


def down(x: Fraction) -> Fraction:
    return -up(-x)


def sqrt_up(x: Fraction) -> Fraction:
    """A number above √x."""
    if x <= 0:
        return ZERO
    unit = power_of_two((length_of(x) - 514) // 2)
    return (math.isqrt(math.floor(x / unit**2)) + 1) * unit


def double_up(x: Fraction) -> float:
    """The least binary64 number that is not below x."""
    try:
        y = float(x)
    except OverflowError:
        y = math.inf if x > 0 else -math.inf
    while y != math.inf and (y == -math.inf or Fraction(y) < x):
        y = math.nextafter(y, math.inf)
    if y == math.inf:
        raise Invalid("the proven value is too large for a binary64 number")
    return y + 0.0


BITS = 128


def artanh(n: int, d: int) -> tuple[int, int]:
    """2^128·artanh(n/d) for 0 ≤ n/d ≤ 1/3: a number below it and one above, from artanh t = Σ t^(2j+1)/(2j+1)."""
    t = (n << BITS) // d
    square, power, below, divisor = t * t >> BITS, t, 0, 1
    while power > 0:  # every operation rounded down, the rest left out
        below, power, divisor = below + power // divisor, power * square >> BITS, divisor + 2
    t += 1
    square, power, above, divisor = (t * t >> BITS) + 1, t, 0, 1
    while power > 2:  # every operation rounded up; the rest is at most the last power over 1 − t² ≥ ½
        above, power, divisor = above + power // divisor + 1, (power * square >> BITS) + 1, divisor + 2
    return below, above + 2 * power


HALF_LOG_2 = artanh(1, 3)


def log(x: Fraction) -> tuple[Fraction, Fraction]:
    """Numbers below and above log x, for x > 0 whose denominator is a power of two: x = 2^e f, 2/3 ≤ f < 4/3,
    log x = e log 2 + 2 artanh((f−1)/(f+1)), log 2 = 2 artanh(1/3)."""
    m, e = x.numerator, 1 - x.denominator.bit_length()
    shift = m.bit_length() - (3 * m < 1 << m.bit_length() + 1)
    one, e = 1 << shift, e + shift
    low, high = artanh(abs(m - one), m + one)
    if m < one:
        low, high = -high, -low
    two = HALF_LOG_2 if e >= 0 else HALF_LOG_2[::-1]
    return tuple(Fraction(2 * (e * of_two + part), 1 << BITS) for of_two, part in zip(two, (low, high)))  # type: ignore[return-value]


def times_up(coefficient: Fraction, enclosed: tuple[Fraction, Fraction]) -> Fraction:
    """A number above a coefficient times an enclosed number."""
    return coefficient * enclosed[coefficient >= 0]


def has_positive_minors(matrix: list[Numbers]) -> bool:
    """Whether a symmetric matrix is positive definite, by elimination without division (Bareiss)."""
    a, previous = [list(row) for row in matrix], ONE
    for k in range(len(a)):
        if a[k][k] <= 0:
            return False
        for i in range(k + 1, len(a)):
            for j in range(k + 1, i + 1):
                a[i][j] = (a[i][j] * a[k][k] - a[i][k] * a[j][k]) / previous
        previous = a[k][k]
    return True


def symmetric(upper: Numbers, d: int) -> list[Numbers]:
    """A matrix from its upper triangle, column by column."""
    return [[upper[max(i, j) * (max(i, j) + 1) // 2 + min(i, j)] for j in range(d)] for i in range(d)]


def is_between(matrix: list[Numbers], low: Fraction, high: Fraction) -> bool:
    """low·I ≺ A ≺ high·I."""
    d = len(matrix)

    def shifted(sign: int, by: Fraction) -> list[Numbers]:
        return [[sign * (matrix[i][j] - by * (i == j)) for j in range(d)] for i in range(d)]

    return has_positive_minors(shifted(1, low)) and has_positive_minors(shifted(-1, high))


def apply(matrix: list[Numbers], x: Numbers) -> Numbers:
    return [dot(row, x) for row in matrix]


# ---------------------------------------------------------------------------------------------------- the certificate file

# A form is a function that returns what a JSON value stands for, or raises Unreadable. `struct_of` is strict: no unknown, double
# or missing fields. `OPTIONAL` fields may be absent or null; fields with a default may be absent only.

Form = Callable[[Any], Any]


class Optional_(NamedTuple):
    form: Form


class Default(NamedTuple):
    form: Form
    value: Any


class Struct(dict[str, Any]):
    """A JSON object with its fields as attributes."""

    def __getattr__(self, name: str) -> Any:
        return self[name]


def struct_of(**fields: Any) -> Form:
    def read(value: Any) -> Struct:
        if not isinstance(value, dict):
            raise Unreadable("not a certificate: an object is missing")
        unknown = set(value) - set(fields)
        if unknown:
            raise Unreadable(f"not a certificate: unknown field {min(unknown)!r}")
        found = Struct()
        for name, form in fields.items():
            if isinstance(form, Optional_):
                found[name] = None if value.get(name) is None else form.form(value[name])
            elif isinstance(form, Default) and name not in value:
                found[name] = form.value
            elif name not in value:
                raise Unreadable(f"not a certificate: there is no field {name!r}")
            else:
                found[name] = (form.form if isinstance(form, Default) else form)(value[name])
        return found

    return read


def one_of(**variants: Optional[Form]) -> Form:
    """`"name"` or `{"name": content}`: a pair of the name and what the content stands for."""

    def read(value: Any) -> tuple[str, Any]:
        name, content = value, None
        if isinstance(value, dict) and len(value) == 1:
            [(name, content)] = value.items()
        if not isinstance(name, str) or name not in variants:
            raise Unreadable(f"not a certificate: {name!r} is none of {', '.join(variants)}")
        form = variants[name]
        if (form is None) != (content is None):
            raise Unreadable(f"not a certificate: {name!r} has the wrong content")
        return name, None if form is None else form(content)

    return read


def of_type(kind: type, what: str) -> Form:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise Unreadable(f"not a certificate: {value!r} is not {what}")
        return value

    return read


def number(value: Any) -> float:
    if type(value) not in (int, float):
        raise Unreadable(f"not a certificate: {value!r} is not a number")
    try:
        return float(value)
    except OverflowError:
        raise Unreadable("not a certificate: a number is too large") from None


def number_or(form: Form) -> Form:
    def read(value: Any) -> Any:
        return form(value) if isinstance(value, dict) else number(value)

    return read


def whole(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**64:
        raise Unreadable(f"not a certificate: {value!r} is not a whole number")
    return value


def octets(value: Any) -> bytes:
    """Bytes in base64."""
    try:
        content = base64.b64decode(text(value), validate=True)
    except ValueError as error:
        raise Unreadable(f"not a certificate: an array is not base64 ({error})") from None
    if base64.b64encode(content).decode() != value:
        raise Unreadable("not a certificate: an array is not in plain base64")
    return content


def vector(value: Any) -> list[float]:
    """Little-endian binary64 numbers in base64."""
    content = octets(value)
    if len(content) % 8:
        raise Unreadable("not a certificate: an array is not whole numbers of 8 bytes")
    numbers = list(struct.unpack(f"<{len(content) // 8}d", content))
    if not all(map(math.isfinite, numbers)):
        raise Unreadable("not a certificate: an array has an entry that is not finite")
    return numbers


def list_of(form: Form) -> Form:
    def read(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise Unreadable("not a certificate: a list is missing")
        return [form(item) for item in value]

    return read


text, flag = of_type(str, "text"), of_type(bool, "true or false")
VECTOR = Default(vector, [])

ORIGIN = struct_of(
    file=text, label_file=Optional_(text), label_column=Optional_(text), weight_column=Optional_(text),
    chosen_columns=Optional_(list_of(text)), files=Optional_(list_of(text)), of_columns=Optional_(whole),
    labels=one_of(
        classes=struct_of(negative=text, positive=text), scores=None, multiclass=struct_of(labels=list_of(text)),
        numbers=None, premultiplied=None, preferences=None, none=None,
    ),
    scale=number, rows=whole, of=whole, columns=whole, sha256=text, made=Optional_(text),
    step_weight_column=Optional_(text), class_weights=Optional_(struct_of(negative=number, positive=number)),
)
STATEMENT = struct_of(
    learner=struct_of(
        loss=one_of(
            hinge=None, logistic=None, smooth_hinge=number, modified_huber=None, multiclass=whole,
            absolute=None, epsilon_insensitive=number, huber=number, quantile=number,
        ),
        learning_rate=number, regularization=number, momentum=Optional_(number), batch=whole,
        projection=Optional_(number), clip=Optional_(number), unregularized=Default(list_of(whole), []),
        schedule=Optional_(struct_of(slowdown=number, from_step=Optional_(whole), weighted=Default(flag, False))), average=Default(flag, False),
    ),
    threat=struct_of(
        poison_rate=number,
        set=one_of(
            ball=struct_of(radius=number), features=struct_of(radius=number, constant=number), box=struct_of(radii=vector), ellipsoid=struct_of(q=vector),
            points=struct_of(points=vector), label_flips=None, any=None,
        ),
        poison_weight=Optional_(number_or(struct_of(negative=number, positive=number))),
        label_bound=Optional_(number),
        moments=Optional_(whole),
    ),
    data=list_of(ORIGIN),
    hostile_rows=Default(list_of(whole), []),
    target=one_of(data=None, weights=list_of(vector), rows=ORIGIN),
    horizon=Optional_(struct_of(steps=whole, start=vector, first_rate=Optional_(number), total_rate=Optional_(number))),
)
LINE_VECTORS = ("u", "u2", "c", "w", "w2", "y", "reach", "low", "high", "target_y", "target_reach", "pull", "spread", "threshold", "theta", "gain", "exceptions")
CASE_VECTORS = ("tau", "nu", "share", "w", "x", "outer", "inner")
ROW_BOUNDS = {  # the vectors of each kind of line
    "bounded-slope": ("u",), "interval": ("y", "reach"), "logistic": ("u", "w"), "label-hinge": ("u",),
    "label-logistic": ("u", "w", "w2"), "error-hinge": ("u", "u2", "c"), "error-logistic": ("u", "w", "w2"),
    "clipped-hinge": ("u", "low", "high"), "clipped-logistic": ("u", "w", "low"),
}
CASES = struct_of(
    rows=one_of(**dict.fromkeys(ROW_BOUNDS)), alpha=number, beta=vector,
    rate=Optional_(number), omega=Optional_(number), shells=Optional_(struct_of(centre=vector, radii=vector, ball=number)), by_class=Default(flag, False), slabs=VECTOR,
    lines=list_of(struct_of(dataset=whole, shell=whole, **dict.fromkeys(LINE_VECTORS, VECTOR))),
    cases=struct_of(lines=list_of(whole), **dict.fromkeys(CASE_VECTORS, VECTOR)),
)
PAPER = struct_of(
    **dict.fromkeys(("a", "b", "m", "h", "theta", "point"), vector),
    **dict.fromkeys(("nu8", "nu9", "nu10", "ball", "reach", "low", "high", "delta"), number),
)
LEVEL_VECTORS = ("centre", "shares", "forces", "points", "tilt", "slopes", "curves", "peak", "heights")
LEVEL_NUMBERS = (
    "radius", "norm", "smoothing", "gain", "alpha", "nu", "omega", "rho", "least", "offset", "steepness", "size", "anchor",
    "spread_near", "spread_far",
)
LEVELS = struct_of(**dict.fromkeys(LEVEL_VECTORS, vector), **dict.fromkeys(LEVEL_NUMBERS, number), fine=whole, near=whole)
CONTRACTION = struct_of(
    **dict.fromkeys(("alpha", "ball", "target", "tau", "nu"), number), beta=vector, codes=octets,
    rounds=list_of(struct_of(**dict.fromkeys(("ends", "pulls", "tau", "nu"), vector), codes=octets)),
)
PROOF = one_of(cases=CASES, paper=PAPER, levels=LEVELS, contraction=CONTRACTION)
CLAIM = struct_of(bound=number, proof=PROOF)
NEW_DATA = struct_of(
    **dict.fromkeys(("bound", "delta", "radius", "alpha", "nu", "gain"), number), omega=Optional_(number),
    **dict.fromkeys(("beta", "tau", "theta"), vector), deviation=one_of(hoeffding=None, bernstein=None),
    floor=Optional_(number), w=Optional_(vector),
    hostile=Optional_(struct_of(earlier=whole, pull=vector, spread=number, threshold=number)),
)
LINEAR = struct_of(
    tool=text, statement=STATEMENT, loss=CLAIM, error=Optional_(CLAIM),
    horizon=Optional_(struct_of(bound=number, m=number, proof=Optional_(PROOF))),
    horizon_error=Optional_(struct_of(bound=number, m=number)), new_data=Optional_(NEW_DATA),
)
MEAN = struct_of(
    tool=text, bound=number, alpha=number, nu=number,
    statement=struct_of(
        **dict.fromkeys(("learning_rate", "poison_rate", "squared_radius", "noise_trace"), number),
        benign=one_of(samples=ORIGIN, covariance_trace=number),
    ),
)
FILE = struct_of(format=text, version=whole, linear=Optional_(LINEAR), mean=Optional_(MEAN))


def parse_json(content: bytes) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise Unreadable("not a certificate: a field stands twice")
        return found

    def finite(digits: str) -> float:
        if not math.isfinite(float(digits)):
            raise Unreadable(f"not a certificate: the number {digits} is not finite")
        return float(digits)

    def integer(digits: str) -> Any:
        return -0.0 if digits == "-0" else int(digits)

    try:
        found = json.loads(
            content.decode("utf-8"), object_pairs_hook=unique, parse_float=finite, parse_constant=finite, parse_int=integer
        )
        json.dumps(found, ensure_ascii=False).encode("utf-8")  # no halves of surrogate pairs
        return found
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not a certificate: {error}") from None


def read_certificate(path: str) -> tuple[str, Struct]:
    """`linear` or `mean`, and the certificate."""
    file = FILE(parse_json(read_bytes(path)))
    if file.format != "unswayed-certificate" or file.version != 1:
        raise Unreadable(f"format {file.format!r}, version {file.version}: this program reads version 1 of unswayed-certificate")
    if (file.linear is None) == (file.mean is None):
        raise Unreadable("there must be either a certificate about a linear learner or one about the mean learner")
    return ("linear", file.linear) if file.mean is None else ("mean", file.mean)


def read_bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Unreadable(f"cannot be read ({error.strerror})") from None


# --------------------------------------------------------------------------------------------------------------- data files


class Table(NamedTuple):
    """What a file holds: features of the rows that are used, labels, weights, how many rows the file has, step weights."""

    x: list[list[float]]
    y: Optional[list[Any]]
    weights: Optional[list[float]]
    of: int
    steps: Optional[list[float]] = None
    pattern: Optional[tuple[list[list[int]], int]] = None  # of sparse rows the columns of x, and how many columns there are


class Rows(NamedTuple):
    """Rows z, their weights and their step weights, 1 each if there are none."""

    z: list[Numbers]
    weights: Numbers
    weighted: bool
    steps: Numbers


# Characters that break a line, hide or change the direction of what follows.
HIDDEN = {0x61C, 0xFEFF, *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070)}
WHITE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
NUMBER = re.compile(r"[+-]?(inf|infinity|nan|(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)", re.ASCII | re.IGNORECASE)
LABELLED = ("classes", "scores", "multiclass", "numbers")


def cell_number(cell: str) -> Optional[float]:
    cell = cell.strip(WHITE)
    if cell.lower() in ("true", "false"):
        return float(cell.lower() == "true")
    return float(cell) if NUMBER.fullmatch(cell) else None


def csv_records(content: bytes, separator: str) -> tuple[list[str], list[list[Optional[str]]]]:
    """The names of the columns, and the cells of the rows."""
    csv.field_size_limit(sys.maxsize)
    lines = io.StringIO(content.decode("utf-8", "replace").removeprefix("\ufeff"), newline="")
    records = (record for record in csv.reader(lines, delimiter=separator) if record)
    names = [name.strip(WHITE) for name in next(records, [])]
    if names != [str(j) for j in range(len(names))] and all(cell_number(name) is not None for name in names):
        raise Unreadable("the first line must name the columns")
    return names, list(records)  # type: ignore[arg-type]


def json_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a field stands twice")
    return dict(pairs)


def no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def json_records(content: bytes) -> tuple[list[str], list[list[Optional[str]]]]:
    """The same of a file with a JSON object a line. The columns are all fields in the order in which they appear."""
    rows: list[dict[str, Any]] = []
    for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if line.strip(b" \t\n\f\r"):
            try:
                number_text = lambda digits: shortest(float(digits))  # noqa: E731
                row = json.loads(line.decode("utf-8"), object_pairs_hook=json_object, parse_int=number_text,
                                 parse_float=number_text, parse_constant=no_constant)
            except (ValueError, RecursionError, OverflowError) as error:
                raise Unreadable(f"row {len(rows) + 1} is not a JSON object ({error})") from None
            if not isinstance(row, dict):
                raise Unreadable(f"row {len(rows) + 1} is not a JSON object")
            rows.append(row)
    names = list(dict.fromkeys(name for row in rows for name in row))

    def cell(value: Any) -> Optional[str]:
        return str(value).lower() if isinstance(value, bool) else value

    return names, [[cell(row.get(name)) for name in names] for row in rows]


def read_table(names: list[str], records: list[list[Optional[str]]], origin: Struct) -> Table:
    if len(set(names)) < len(names):
        raise Unreadable("two columns have the same name")
    label = (origin.label_column or "label") if origin.labels[0] in LABELLED else None
    others = [name for name in (label, origin.weight_column, origin.step_weight_column) if name is not None]
    for wanted in (*others, *(origin.chosen_columns or [])):
        if wanted not in names:
            raise Unreadable(f"there is no column {wanted!r}")
    chosen = names if origin.chosen_columns is None else origin.chosen_columns
    features = [name for name in chosen if name not in others]
    if any(name in ("", "__index_level_0__", "Unnamed: 0") for name in features):
        raise Unreadable("a column has no name")
    if not features or len(set(features)) < len(features) or len(set(others)) < len(others):
        raise Unreadable("there are no columns left for features, or one has two uses")
    if origin.labels[0] == "preferences":
        first = [name.removeprefix("chosen_") for name in features if name.startswith("chosen_")]
        paired = [f"chosen_{name}" for name in first] + [f"rejected_{name}" for name in first]
        if set(paired) != set(features):
            raise Unreadable("columns must be pairs chosen_… and rejected_…")
        features = paired
    kept = []
    for i, record in enumerate(records[: origin.rows]):
        if len(record) != len(names):
            raise Unreadable(f"row {i + 1} has {len(record)} cells, not {len(names)}")
        kept.append(dict(zip(names, record)))

    def cells(name: str) -> list[str]:
        found = ["" if row[name] is None else row[name] for row in kept]
        if not all(isinstance(cell, str) for cell in found):
            raise Unreadable(f"column {name!r} holds lists or objects")
        return found  # type: ignore[return-value]

    def column(name: str) -> list[float]:
        values = [cell_number(cell) for cell in cells(name)]
        if None in values:
            raise Unreadable(f"row {values.index(None) + 1}, column {name!r}: not a number")
        return values  # type: ignore[return-value]

    columns = [column(name) for name in features]
    y: Optional[list[Any]] = None
    if label is not None:
        y = [cell_number(cell) for cell in cells(label)]
        if None in y:
            y = [cell.strip(WHITE) for cell in cells(label)]
            if "" in y:
                raise Unreadable("a label is missing")
    weights = None if origin.weight_column is None else column(origin.weight_column)
    steps = None if origin.step_weight_column is None else column(origin.step_weight_column)
    return Table([list(row) for row in zip(*columns)], y, weights, len(records), steps)


SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
TABLES = (*SEPARATORS, ".jsonl", ".ndjson")
# As in the other checker: no text that people compress shrinks by more than this.
LARGEST_RATIO, ALWAYS = 200, 1 << 16


def expand(content: bytes) -> bytes:
    """The text in a gzip file."""
    limit = max(LARGEST_RATIO * len(content), ALWAYS)
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            expanded = file.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise Unreadable(f"it cannot be expanded ({error})") from None
    if len(expanded) > limit:
        raise Unreadable(f"it expands to more than {LARGEST_RATIO} times its size")
    return expanded


def table_records(path: str) -> tuple[list[str], list[list[Optional[str]]]]:
    """The names of the columns and the cells of a text table, which may be compressed."""
    stem, ending = os.path.splitext(path.lower())
    content = read_bytes(path)
    if ending in (".gz", ".gzip"):
        content, ending = expand(content), os.path.splitext(stem)[1]
    return json_records(content) if ending in (".jsonl", ".ndjson") else csv_records(content, SEPARATORS[ending])


SVMLIGHT = (".svm", ".libsvm", ".svmlight")


def kind_of(path: str) -> str:
    """`.npy`, `.npz`, `table`, `svmlight`, or `` for what is not read here."""
    stem, ending = os.path.splitext(path.lower())
    if ending in (".gz", ".gzip"):
        ending = os.path.splitext(stem)[1]
        return "table" if ending in TABLES else "svmlight" if ending in SVMLIGHT else ""
    if ending in SVMLIGHT:
        return "svmlight"
    return "table" if ending in TABLES else ending if ending in (".npy", ".npz") else ""


FOREIGN = (".parquet", *(ending + zst for ending in TABLES for zst in (".zst", ".zstd")))


def several_files(path: str) -> Optional[list[str]]:
    """The tables that a folder, a pattern of names (`*`, `?`) or a list of names (`@FILE`) stands for, in the order of their rows."""
    if os.path.isdir(path):
        return [file for file in files_in(path) if kind_of(file) == "table" or file.lower().endswith(FOREIGN)]
    folder, name = os.path.split(path)
    if os.path.exists(path):
        return None
    if path.startswith("@") and len(path) > 1:
        try:
            lines = [line.strip(WHITE) for line in read_bytes(path[1:]).decode().split("\n")]
        except UnicodeDecodeError:
            raise Unreadable("the list of files is no text") from None
        return [os.path.join(os.path.dirname(path[1:]), line) for line in lines if line and not line.startswith("#")]
    if "*" not in name and "?" not in name:
        return None
    parts = [{"*": ".*", "?": "."}.get(c, re.escape(c)) for c in name]
    return [file for file in files_in(folder) if re.fullmatch("".join(parts), os.path.basename(file), re.DOTALL)]


def files_in(folder: str) -> list[str]:
    """The files of a folder in the order of their names."""
    try:
        paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder or "."), key=os.fsencode)]
    except OSError as error:
        raise Unreadable(f"cannot be read ({error.strerror})") from None
    return [path for path in paths if os.path.isfile(path)]


def read_several(files: list[str], origin: Struct) -> Table:
    """Several tables as one."""
    if any(file.lower().endswith(FOREIGN) for file in files):
        raise Unreadable("Parquet and Zstandard are not read here; use unswayed-check")
    if any(kind_of(file) != "table" for file in files):
        raise Unreadable("several files are one dataset only if they are tables")
    parts = [table_records(file) for file in files]
    if not parts or any(names != parts[0][0] for names, _ in parts):
        raise Unreadable("there are no tables, or their columns differ")
    return read_table(parts[0][0], [record for _, records in parts for record in records], origin)


NPY_TYPES = {
    "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "b1": "B",
}
NPY_HEADER = [r"descr.\s*:\s*['\"]([<>|=]?)(\w+)", r"fortran_order.\s*:\s*(True)?", r"shape.\s*:\s*\(([\d,L\s]*)\)"]


def read_array(content: bytes) -> tuple[tuple[int, ...], list[float]]:
    """Shape and values of a .npy file, row after row."""
    if content[:6] != b"\x93NUMPY" or len(content) < 12:
        raise Unreadable("it does not begin like a .npy file")
    begin = 12 if content[6] >= 2 else 10
    begin, header_begin = begin + int.from_bytes(content[8:begin], "little"), begin
    header = content[header_begin:begin].decode("latin1")
    kind, fortran, sizes = (re.search(pattern, header) for pattern in NPY_HEADER)
    if kind is None or fortran is None or sizes is None or kind[2] not in NPY_TYPES:
        raise Unreadable("its header cannot be understood, or it does not hold real numbers")
    digits = re.findall(r"\d+", sizes[1])
    if any(len(one) > 19 for one in digits):
        raise Unreadable("its header claims more numbers than any file has")
    shape = tuple(map(int, digits))
    if math.prod(shape) * struct.calcsize("<" + NPY_TYPES[kind[2]]) != len(content) - begin:
        raise Unreadable("the array is not as long as its header says")
    format = (">" if kind[1] == ">" else "<") + str(math.prod(shape)) + NPY_TYPES[kind[2]]
    values = [float(x) for x in struct.unpack_from(format, content, begin)]
    if fortran[1] and len(shape) == 2:
        rows, columns = shape
        values = [values[j * rows + i] for i in range(rows) for j in range(columns)]
    return shape, values


def as_rows(array: tuple[tuple[int, ...], list[float]], rows: int) -> list[list[float]]:
    shape, values = array
    if len(shape) != 2 or 0 in shape:
        raise Unreadable("an array of features must have two dimensions, and rows and columns")
    return [values[i : i + shape[1]] for i in range(0, min(rows, shape[0]) * shape[1], shape[1])]


def as_column(array: tuple[tuple[int, ...], list[float]], of: int, rows: int) -> list[float]:
    if array[0] not in ((of,), (of, 1)):
        raise Unreadable("labels or weights are not one value per row")
    return array[1][:rows]


def read_npy(content: bytes, labels: Optional[bytes], origin: Struct) -> Table:
    if (origin.weight_column, origin.step_weight_column, origin.label_column) != (None, None, None):
        raise Unreadable("a .npy file has no named columns")
    if (labels is None) == (origin.labels[0] in LABELLED):
        raise Unreadable("labels are missing, or not wanted")
    array = read_array(content)
    x, of = as_rows(array, origin.rows), array[0][0]
    y = None if labels is None else as_column(read_array(labels), of, origin.rows)
    return Table(x, y, None, of)


def read_npz(content: bytes, labels: Optional[bytes], origin: Struct) -> Table:
    if origin.label_column is not None:
        raise Unreadable("an .npz file has no label column")
    kind = origin.labels[0]
    needed = {"preferences": ["chosen", "rejected"], "premultiplied": ["z"], "none": ["x"]}.get(kind, ["x", "y"])
    used = needed + [name for name in (origin.weight_column, origin.step_weight_column) if name is not None]
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            if "indptr.npy" in names:
                found = [name.removesuffix(".npy") for name in names]
                if len(set(found)) != len(found):
                    raise Unreadable("an array is there twice")
                return read_matrix(found, lambda name: archive.read(name + ".npy"), labels, origin)
            if sorted(name.removesuffix(".npy") for name in names) != sorted(set(used)):
                raise Unreadable(f"there must be the arrays {', '.join(used)} and no others")
            arrays = {name.removesuffix(".npy"): read_array(archive.read(name)) for name in names}
    # A damaged directory can also lead to a place before the file, or to numbers that are none.
    except (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, RuntimeError, EOFError, ValueError, OverflowError) as error:
        raise Unreadable(f"it is damaged ({error})") from None
    x, of = as_rows(arrays[needed[0]], origin.rows), arrays[needed[0]][0][0]
    if kind == "preferences":
        if arrays["chosen"][0] != arrays["rejected"][0]:
            raise Unreadable("chosen and rejected have different shapes")
        x = [a + b for a, b in zip(x, as_rows(arrays["rejected"], origin.rows))]
    y = as_column(arrays["y"], of, origin.rows) if "y" in needed else None
    weights = None if origin.weight_column is None else as_column(arrays[origin.weight_column], of, origin.rows)
    steps = None if origin.step_weight_column is None else as_column(arrays[origin.step_weight_column], of, origin.rows)
    return Table(x, y, weights, of, steps)


INDEX = re.compile(r"\+?\d{1,10}", re.ASCII)


def sparse_table(values: list[list[float]], columns: list[list[int]], width: int, **more: Any) -> Table:
    """Sparse rows, after columns have been found in order and in range; entries that are 0 are left out."""
    for row in columns:
        if any(a >= b for a, b in zip(row, row[1:])) or (row and not 0 <= row[-1] < width):
            raise Unreadable("the columns of a row do not increase, or are out of range")
    kept = [[(j, value) for j, value in zip(js, row) if value != 0] for js, row in zip(columns, values)]
    pattern = [[j for j, _ in row] for row in kept], width
    return Table([[value for _, value in row] for row in kept], pattern=pattern, **more)


def read_svmlight(path: str, origin: Struct) -> Table:
    """Rows of a text file: the label, then INDEX:VALUE; indexes count from 1, or from 0 if there is a 0."""
    content = read_bytes(path)
    text = (expand(content) if path.lower().endswith((".gz", ".gzip")) else content).decode("utf-8", "replace")
    lines = [line for line in (line.partition("#")[0].split() for line in text.split("\n")) if line]
    if (origin.label_column, origin.weight_column, origin.step_weight_column) != (None, None, None):
        raise Unreadable("an svmlight file has no named columns")
    if origin.labels[0] not in LABELLED:
        raise Unreadable("the rows of an svmlight file have labels")
    try:
        if not all(NUMBER.fullmatch(line[0]) for line in lines[: origin.rows]):
            raise ValueError("a label")
        y = [float(line[0]) for line in lines[: origin.rows]]
        words = [[word.split(":") for word in line[1:]] for line in lines[: origin.rows]]
        if not all(INDEX.fullmatch(index) and NUMBER.fullmatch(value) for row in words for index, value in row):
            raise ValueError("an index or a number")
        columns = [[int(index) for index, _ in row] for row in words]
        values = [[float(value) for _, value in row] for row in words]
    except ValueError as error:
        raise Unreadable(f"a line is not a label with entries like 7:0.5 ({error})") from None
    first = 0 if any(j == 0 for row in columns for j in row) else 1
    columns = [[j - first for j in row] for row in columns]
    width = max((j + 1 for row in columns for j in row), default=0)
    return sparse_table(values, columns, width, y=y, weights=None, of=len(lines))


def read_matrix(names: list[str], read: Callable[[str], bytes], labels: Optional[bytes], origin: Struct) -> Table:
    """A sparse matrix by rows, as scipy.sparse.save_npz writes it, perhaps with an array y."""
    more = [name for name in (origin.weight_column, origin.step_weight_column) if name is not None]
    own = ["y"] if origin.labels[0] in LABELLED and labels is None else []
    wanted = {"data", "indices", "indptr", "shape", "format", *more, *own}
    if set(names) - {"_is_array"} != wanted:
        raise Unreadable(f"there must be the arrays {', '.join(sorted(wanted))} and no others")
    if not read("format").endswith(b"csr"):
        raise Unreadable("the matrix is not stored by rows")
    arrays = {name: read_array(read(name)) for name in wanted - {"format"}}
    (_, shape), (_, starts), (_, data), (_, indices) = (arrays[name] for name in ("shape", "indptr", "data", "indices"))
    if len(shape) != 2 or any(x < 0 or x != int(x) for x in [*shape, *starts, *indices]):
        raise Unreadable("its arrays contradict each other")
    of, width, ends = int(shape[0]), int(shape[1]), [int(start) for start in starts]
    good = len(ends) == of + 1 and ends[0] == 0 and ends[-1] == len(data) == len(indices)
    if not good or any(a > b for a, b in zip(ends, ends[1:])):
        raise Unreadable("its arrays contradict each other")
    pairs = list(zip(ends, ends[1:]))[: origin.rows]
    columns = [[int(j) for j in indices[a:b]] for a, b in pairs]
    named = {name: as_column(arrays[name], of, origin.rows) for name in [*more, *own]}
    y = as_column(read_array(labels), of, origin.rows) if labels is not None else named.get("y")
    weights = named.get(origin.weight_column) if origin.weight_column is not None else None
    steps = named.get(origin.step_weight_column) if origin.step_weight_column is not None else None
    return sparse_table([data[a:b] for a, b in pairs], columns, width, y=y, weights=weights, of=of, steps=steps)


# Entries of sparse rows that are written out here: more take gigabytes as Python's numbers.
MOST_WRITTEN_OUT = 1 << 26


def written_out(table: Table) -> Table:
    """The same rows with all their zeros."""
    if table.pattern is None:
        return table
    rows, width = [], table.pattern[1]
    if len(table.x) * width > MOST_WRITTEN_OUT:
        raise Unreadable(f"{len(table.x)} rows of {width} columns are too many to write their zeros out")
    for row, columns in zip(table.x, table.pattern[0]):
        full = [0.0] * width
        for j, value in zip(columns, row):
            full[j] = value
        rows.append(full)
    return table._replace(x=rows, pattern=None)


def shortest(x: float) -> str:
    """A number as a label: its shortest decimal form, without exponent."""
    digits, _, exponent = repr(x + 0.0).partition("e")
    if exponent:
        sign, digits = ("-", digits[1:]) if digits[0] == "-" else ("", digits)
        whole_part, _, fraction = digits.partition(".")
        place = len(whole_part) + int(exponent)
        digits = whole_part + fraction
        digits = digits.ljust(place, "0") if place > 0 else "0." + "0" * -place + digits
        digits = sign + digits
    return digits.removesuffix(".0")


def digest(table: Table) -> str:

    def numbers(values: list[float]) -> bytes:
        return struct.pack(f"<{len(values)}d", *values)

    if table.pattern is None:
        hashed = hashlib.sha256(struct.pack("<QQ", len(table.x), len(table.x[0])))
    else:
        columns, width = table.pattern
        hashed = hashlib.sha256(b"\xff" * 8 + struct.pack("<QQ", len(table.x), width))
        ends = [0]
        for row in columns:
            ends.append(ends[-1] + len(row))
        hashed.update(struct.pack(f"<{len(ends)}Q", *ends))
        for row in columns:
            hashed.update(struct.pack(f"<{len(row)}Q", *row))
    for values in table.x:
        hashed.update(numbers(values))
    is_text = table.y is not None and isinstance(table.y[0], str)
    hashed.update(b"\0" if table.y is None else b"\2" if is_text else b"\1")
    for label in table.y or []:
        hashed.update(struct.pack("<Q", len(label.encode())) + label.encode() if is_text else numbers([label]))
    hashed.update(b"\0" if table.weights is None else b"\1" + numbers(table.weights))
    hashed.update(b"" if table.steps is None else b"\1" + numbers(table.steps))
    return hashed.hexdigest()


def checked(table: Table, rows: int) -> Table:
    """Refuses values that cannot be used, and makes −0 to +0."""

    def plain(values: Any) -> Any:
        return values and [value if isinstance(value, str) else value + 0.0 for value in values]

    if len(table.x) != rows:
        raise Unreadable(f"{rows} rows are wanted, and there are {len(table.x)}")
    values = [value for row in table.x for value in row] + [y for y in table.y or [] if not isinstance(y, str)]
    if not all(map(math.isfinite, values + (table.weights or []) + (table.steps or []))):
        raise Unreadable("a value is not a finite number")
    if table.weights is not None and (min(table.weights) < 0 or max(table.weights) <= 0):
        raise Unreadable("weights must be ≥ 0, and not all 0")
    if min(table.steps or [1.0]) <= 0:
        raise Unreadable("step weights must be > 0")
    x = [[value + 0.0 for value in row] for row in table.x]
    return Table(x, plain(table.y), plain(table.weights), table.of, table.steps, table.pattern)


def label_numbers(y: list[Any], origin: Struct) -> list[float]:
    """−1 and +1, scores, the numbers of classes, or labels that are numbers."""
    kind, content = origin.labels
    if kind == "numbers":
        if any(isinstance(label, str) for label in y):
            raise Unreadable("a label is not a number")
        return y
    if kind == "scores":
        if any(isinstance(label, str) or abs(label) > 1 for label in y):
            raise Unreadable("a score is not a number in [−1, 1]")
        return y
    known = [content.negative, content.positive] if kind == "classes" else content.labels
    names = [label if isinstance(label, str) else shortest(label) for label in y]
    if not set(names) <= set(known):
        raise Unreadable(f"the label {min(set(names) - set(known))!r} is not one of the certificate's")
    numbers = {name: float(i) for i, name in enumerate(known)} if kind == "multiclass" else dict(zip(known, (-1.0, 1.0)))
    return [numbers[name] for name in names]


def validate_origin(origin: Struct) -> None:
    kind, content = origin.labels
    classes = list(content.values()) if kind == "classes" else content.labels if kind == "multiclass" else []
    good = origin.of_columns is None or origin.of_columns >= origin.columns
    good = good and origin.scale > 0 and 0 < origin.rows <= origin.of and origin.columns > 0 and len(set(classes)) == len(classes)
    made = "-" if origin.made is None else origin.made
    good = good and bool(made.strip()) and len(made.encode()) <= 4096 and not any(unicodedata.category(c) == "Cc" or ord(c) in HIDDEN for c in made)
    good = good and (kind != "multiclass" or len(classes) >= 2) and re.fullmatch("[0-9a-f]{64}", origin.sha256) is not None
    if origin.class_weights is not None:
        good = good and kind == "classes" and min(origin.class_weights.values()) > 0
    if not good:
        raise Unreadable("the certificate's statement: no data can be as an origin says")


def read_rows(path: str, labels: Optional[str], origin: Struct) -> Rows:
    """Makes the rows of an origin again from a file. In binary64 arithmetic: y·x, x, or chosen − rejected; divided by the scale."""
    validate_origin(origin)
    files = several_files(path)
    kind = kind_of(path) if files is None else "several"
    beside = path[: -len("x.npy")] + "y.npy"
    if labels is None and os.path.basename(path).endswith(("x.npy", "x.npz")) and os.path.exists(beside):
        labels = beside
    if kind in (".npy", ".npz", "svmlight") and origin.chosen_columns is not None:
        raise Unreadable("columns were chosen, but those of an array have no names")
    if files is not None:
        table = read_several(files, origin)
    elif kind == "table":
        table = read_table(*table_records(path), origin)
    elif kind == "svmlight":
        table = read_svmlight(path, origin)
    elif kind == ".npz":
        label_content = read_bytes(labels) if labels and origin.label_file is not None else None
        table = read_npz(read_bytes(path), label_content, origin)
    elif kind == ".npy":
        label_content = read_bytes(labels) if labels and origin.labels[0] in LABELLED else None
        table = read_npy(read_bytes(path), label_content, origin)
    else:
        raise Unreadable(
            "only .csv, .tsv and .jsonl files (or these with .gz), .npy and .npz files are read here; for Parquet and Zstandard use "
            "unswayed-check"
        )
    if kind not in (".npy", ".npz") and origin.label_file is not None and labels is not None:
        raise Unreadable("a label file is for .npy features and sparse matrices only")
    if origin.of_columns is None:
        table = written_out(table)
    elif table.pattern is None:
        raise Invalid("the certificate is about sparse rows, and these are not")
    table = checked(table, origin.rows)
    y = label_numbers(table.y, origin) if table.y is not None else [1.0] * len(table.x)
    z = table.x
    if origin.labels[0] in ("classes", "scores"):
        z = [[label * value for value in row] for row, label in zip(z, y)]
    elif origin.labels[0] == "preferences":
        if len(z[0]) % 2:
            raise Unreadable("preferences need an even number of columns")
        z = [[a - b for a, b in zip(row[: len(row) // 2], row[len(row) // 2 :])] for row in z]
    columns, kept = len(z[0]), None
    if table.pattern is not None:
        if origin.labels[0] not in ("classes", "scores", "premultiplied"):
            raise Unreadable("sparse rows have labels that are classes or scores, or none")
        kept = {j: place for place, j in enumerate(sorted({j for row in table.pattern[0] for j in row}))}
        columns = len(kept)
    z = [[value / origin.scale + 0.0 for value in row] for row in z]
    if not all(math.isfinite(value) for row in z for value in row):
        raise Unreadable("a row is too long for binary64 numbers")
    of_columns = None if table.pattern is None else table.pattern[1]
    if (table.of, columns, of_columns, digest(table)) != (origin.of, origin.columns, origin.of_columns, origin.sha256):
        raise Invalid("these are not the certified rows: their number or their digest differs")
    if origin.labels[0] in ("multiclass", "numbers"):
        z = [[label, *row] for label, row in zip(y, z)]
    weights = exact(table.weights) if table.weights is not None else [ONE] * len(z)
    steps = table.steps or [1.0] * len(z)
    if origin.class_weights is not None:
        of_class = {-1.0: origin.class_weights.negative, 1.0: origin.class_weights.positive}
        steps = [of_class[label] * step for label, step in zip(y, steps)]
        if not all(0 < step < math.inf for step in steps):
            raise Unreadable("a step weight is not a positive number")
    if kept is not None and table.pattern is not None:
        # Columns that are 0 in all rows are left out (Lemma S1).
        pairs = zip(table.pattern[0], z)
        sparse: Any = [SparseRow([(kept[j], Fraction(value)) for j, value in zip(js, row)], columns) for js, row in pairs]
        return Rows(sparse, weights, table.weights is not None, exact(steps))
    return Rows([exact(row) for row in z], weights, table.weights is not None, exact(steps))


# ------------------------------------------------------------------------------------------------------------ the statement

# What no theorem covers: all features of the first set without any of the second.
UNSUPPORTED = [
    ("any", "clip"), ("no-regularization", "projection"), ("multiclass", "ball"), ("multiclass weights", ""),
    ("multiclass rows", ""), ("multiclass clip", ""), ("multiclass bias", ""), ("clip", "ball any"), ("clip", "hinge logistic"),
    ("label_flips", "hinge logistic"),
    ("label_flips weights", ""), ("label_flips rows", ""), ("features", "bias"), ("bias", "ball features box ellipsoid"), ("bias clip", ""),
    ("bias projection", ""), ("bias weights", ""), ("bias rows", ""), ("rows", "hinge"), ("rows clip", ""),
    ("regression", "ball features box ellipsoid"), ("any-label bias", ""),
    ("new-data", "hinge logistic"), ("new-data", "ball features box ellipsoid"), ("new-data drift", ""), ("new-data row-weights", ""),
    ("new-data scaled", ""), ("new-data weights", ""), ("new-data rows", ""), ("new-data clip", ""), ("new-data bias", ""), ("paper", "hinge"),
    ("paper", "ball"), ("paper clip", ""), ("paper bias", ""), ("paper projection", ""), ("paper weights", ""),
    ("schedule bias", "weighted"), ("weighted average", ""), ("schedule average horizon", ""), ("drift average", "rows"), ("new-data schedule", ""), ("paper schedule", ""),
    ("paper rows", ""), ("paper drift", ""), ("paper new-data", ""), ("steps", "ball features box ellipsoid"), ("steps multiclass", ""),
    ("steps clip", ""), ("class-points", "features"), ("class-points regression", ""), ("new-data steps", ""), ("paper steps", ""),
    ("levels", "hinge logistic"), ("levels any", ""), ("levels weights", ""), ("levels rows", ""), ("levels drift", ""),
    ("levels schedule", ""), ("levels average", ""), ("levels projection", ""), ("levels clip", ""), ("levels bias", ""),
    ("levels no-regularization", ""), ("levels steps", ""),
    ("contraction", "hinge"), ("contraction", "ball"), ("contraction rows", ""), ("contraction drift", ""),
    ("contraction schedule", ""), ("contraction momentum", ""), ("contraction no-regularization", ""), ("contraction clip", ""),
    ("contraction bias", ""), ("contraction steps", ""), ("contraction hostile", ""), ("contraction moments", ""),
    ("sparse contraction", ""),
    ("hostile multiclass", ""), ("hostile weights", ""), ("hostile rows", ""), ("hostile bias", ""),
    ("paper hostile", ""), ("levels hostile", ""),
    ("sparse", "hinge logistic"), ("sparse", "ball"), ("sparse weights", ""), ("sparse rows", ""), ("sparse drift", ""),
    ("sparse schedule", ""), ("sparse momentum", ""), ("sparse projection", ""), ("sparse clip", ""), ("sparse bias", ""),
    ("sparse no-regularization", ""), ("sparse steps", ""), ("sparse hostile", ""), ("sparse new-data", ""), ("sparse paper", ""),
    ("sparse levels", ""),
    ("momentum schedule", ""), ("momentum projection", ""), ("new-data momentum", ""), ("paper momentum", ""), ("levels momentum", ""),
    ("rule", "hinge"), ("rule", "ball"), ("rule weights", ""), ("rule rows", ""), ("rule drift", ""), ("rule row-weights", ""), ("rule steps", ""),
    ("rule schedule", ""), ("rule momentum", ""), ("rule no-regularization", ""), ("rule projection", ""), ("rule clip", ""), ("rule bias", ""),
    ("rule hostile", ""), ("rule sparse", ""), ("rule moments", ""),
    ("moments", "ball box ellipsoid"), ("moments multiclass", ""), ("moments rows", ""), ("moments drift", ""), ("moments schedule", ""),
    ("moments momentum", ""), ("moments no-regularization", ""), ("moments clip", ""), ("moments bias", ""), ("moments steps", ""),
    ("moments hostile", ""), ("moments new-data", ""), ("moments paper", ""), ("moments levels", ""),
]


REGRESSIONS = ("absolute", "epsilon_insensitive", "huber", "quantile")  # rows begin with their label, a number


def is_regression(statement: Struct) -> bool:
    return statement.learner.loss[0] in REGRESSIONS


def has_class_points(statement: Struct) -> bool:
    """Whether the step weight of a poisoned point depends on its class."""
    return isinstance(statement.threat.poison_weight, Struct)


def point_weights(statement: Struct) -> Numbers:
    """The largest step weights of poisoned points: of class −1 and +1, or of all."""
    weight = statement.threat.poison_weight
    return exact([weight.negative, weight.positive] if has_class_points(statement) else [1.0 if weight is None else weight])


def require_supported(statement: Struct, *more: str) -> None:
    learner = statement.learner
    optional = {
        "drift": len(statement.data) > 1, "projection": learner.projection is not None, "clip": learner.clip is not None,
        "bias": bool(learner.unregularized), "no-regularization": learner.regularization == 0,
        "schedule": learner.schedule is not None, "weighted": learner.schedule is not None and learner.schedule.weighted, "horizon": statement.horizon is not None, "average": learner.average,
        "steps": statement.threat.poison_weight is not None, "class-points": has_class_points(statement), "hostile": bool(statement.hostile_rows),
        "momentum": learner.momentum is not None, "moments": statement.threat.moments is not None, "sparse": any(origin.of_columns is not None for origin in statement.data),
        "regression": is_regression(statement), "any-label": is_regression(statement) and statement.threat.label_bound is None,
    }
    features = {learner.loss[0], statement.threat.set[0], statement.target[0], *more, *(name for name in optional if optional[name])}
    for these, unless in UNSUPPORTED:
        if set(these.split()) <= features and not set(unless.split()) & features:
            raise Invalid(f"no theorem covers {these}{' without ' + unless if unless else ''}")


def validate(statement: Struct, data: list[Rows], target: Optional[Rows]) -> None:
    """The conditions on rows and statement, whatever the proof is."""
    require(len(data) > 0, "there are data")
    require(all(len(rows.z[0]) == len(data[0].z[0]) for rows in [*data, *([target] if target else [])]), "all rows are alike")
    require_supported(statement)
    learner, columns = statement.learner, len(data[0].z[0]) - is_regression(statement)
    require(columns > 0, "there are features")
    kinds = [origin.labels[0] for origin in statement.data]
    require(all((kind == "numbers") == is_regression(statement) for kind in kinds), "rows begin with numbers for a regression loss")
    require(learner.learning_rate > 0 and learner.regularization >= 0, "η > 0 and σ ≥ 0")
    require(Fraction(learner.learning_rate) * Fraction(learner.regularization) < 1, "ησ < 1")
    if learner.momentum is not None:
        mu, decay = Fraction(learner.momentum), Fraction(learner.learning_rate) * Fraction(learner.regularization)
        require(0 < mu < 1, "0 < μ < 1")
        require((1 + mu - decay) ** 2 >= 4 * mu, "ησ ≤ (1 − √μ)²")
    require(learner.batch >= 1, "a batch has points")
    require(learner.schedule is None or learner.schedule.slowdown >= 0, "δ ≥ 0")
    require(learner.schedule is None or not learner.schedule.weighted or learner.schedule.slowdown == 0, "δ = 0 where averages are weighted")
    require(learner.schedule is None or learner.schedule.from_step is None or learner.schedule.from_step >= 1, "steps count from 1")
    require(all(radius is None or radius > 0 for radius in (learner.projection, learner.clip)), "radii of steps are > 0")
    free = learner.unregularized
    require(len(free) <= 1 and max(free, default=0) < columns, "at most one coordinate is unregularized")
    require(0 <= statement.threat.poison_rate < 1, "0 ≤ ε < 1")
    weighted = [origin.step_weight_column is not None or origin.class_weights is not None for origin in statement.data]
    require((statement.threat.poison_weight is not None) == any(weighted), "points have a step weight exactly if rows have")
    require(min(point_weights(statement)) > 0, "the step weights of points are > 0")
    if statement.target[0] == "rows":
        own = statement.target[1]
        require(own.step_weight_column is None and own.class_weights is None, "the target has no step weights")
    block = statement.threat.moments
    if block is not None:
        require(block >= 1 and block % learner.batch == 0, "a block has whole steps, at least one")
        horizon = statement.horizon
        require(horizon is None or horizon.steps * learner.batch % block == 0, "the first steps are whole blocks")
    hostile = statement.hostile_rows
    require(not hostile or (len(hostile) == len(data) and max(hostile) > 0), "each dataset has a number of hostile rows, not all 0")
    require(all(count < len(rows.z) for count, rows in zip(hostile, data)), "not all rows may be hostile")
    kind, content = statement.threat.set

    def is_radius(radius: float) -> bool:
        return math.copysign(1.0, radius) > 0

    if kind == "ball":
        require(is_radius(content.radius), "R ≥ 0, and not −0")
    elif kind == "features":
        require(is_radius(content.radius) and is_radius(content.constant), "R ≥ 0 and c₀ ≥ 0, not −0")
    elif kind == "box":
        require(len(content.radii) == columns and all(map(is_radius, content.radii)), "there are d radii ≥ 0, none −0")
    elif kind == "ellipsoid":
        require(len(content.q) == columns * (columns + 1) // 2, "Q has d(d+1)/2 entries")
    elif kind == "points":
        require(len(content.points) >= columns and len(content.points) % columns == 0, "points have d entries")
    loss, classes = learner.loss
    require(loss != "smooth_hinge" or learner.loss[1] > 0, "the kink has a width > 0")
    require(loss != "epsilon_insensitive" or learner.loss[1] >= 0, "the tube has a width ≥ 0")
    require(loss != "huber" or learner.loss[1] > 0, "δ > 0")
    require(loss != "quantile" or 0 < learner.loss[1] < 1, "the quantile is between 0 and 1")
    label_bound = statement.threat.label_bound
    require(label_bound is None or (is_regression(statement) and is_radius(label_bound)), "labels that are numbers have a bound Y ≥ 0, not −0")
    if loss == "multiclass":
        require(classes >= 2 and columns >= 2, "there are classes and features")
        labels = [row[0] for rows in data for row in rows.z]
        require(all(label.denominator == 1 and 0 <= label < classes for label in labels), "rows begin with their class")
    if statement.horizon is not None:
        validate_rates(learner, statement.horizon)
    if statement.target[0] == "weights":
        weights = statement.target[1]
        require(len(weights) == len(data), "each dataset has target weights")
        for rows, own in zip(data, weights):
            require(len(own) == len(rows.z) and min(own) >= 0 and max(own) > 0, "target weights are ≥ 0, one for each row")


def validate_rates(learner: Struct, horizon: Struct) -> None:
    """A horizon names the rates that its bound depends on, exactly if they change: the first one, or their sum."""
    require(horizon.steps >= 1, "T ≥ 1")
    weighted = None if learner.schedule is None else learner.schedule.weighted
    largest = Fraction(learner.learning_rate)
    for rate, is_wanted, most in (
        (horizon.first_rate, weighted is False, largest), (horizon.total_rate, weighted is True, largest * horizon.steps)
    ):
        require((rate is not None) == is_wanted, "a horizon names the first rate or the sum of rates exactly if they change")
        require(rate is None or 0 < Fraction(rate) <= most, "rates are > 0 and at most η")


class Letters:
    """Learner and λ(θ) = (α‖θ‖² + βᵀθ)/η, with the abbreviations of Section 0."""

    def __init__(self, statement: Struct, alpha: float, beta: list[float], rate: Optional[float] = None) -> None:
        learner = statement.learner
        # With momentum the numbers of a proof are those of plain steps at a rate of its own.
        self.eta, self.sigma = Fraction(learner.learning_rate if rate is None else rate), Fraction(learner.regularization)
        self.eps, self.alpha, self.beta = Fraction(statement.threat.poison_rate), Fraction(alpha), exact(beta)
        self.free = set(learner.unregularized)
        # e(w) = yw − tube·|w| − ½·curve·w² on [low, high] is the conjugate of the loss for the label y, but for the logistic loss.
        kind, own = learner.loss
        number = Fraction(own or 0)
        conjugates: dict[str, tuple[Any, Any, Any, Any]] = {
            "modified_huber": (0, 4, 0, HALF), "smooth_hinge": (0, 1, 0, number), "absolute": (-1, 1, 0, 0),
            "epsilon_insensitive": (-1, 1, number, 0), "huber": (-number, number, 0, 1),
            # 1 − q is the nearest binary64 number.
            "quantile": (-Fraction(1.0 - (own or 0)), number, 0, 0),
        }
        self.low, self.high, self.tube, self.curve = map(Fraction, conjugates.get(kind, (0, 1, 0, 0)))
        # The largest label of the adversary's point; where there is none, ν = 0.
        self.labels = Fraction(statement.threat.label_bound or 0) if is_regression(statement) else ONE
        self.k = 1 - self.eta * self.sigma
        self.two_ak = 2 * self.alpha * self.k
        self.kappa0 = self.two_ak * (1 - self.eps)
        # A learning rate that falls takes δα from the curvature, adds δβ to the slope and δ‖β‖²/(4α) to the bound (Theorem A2).
        slowdown = Fraction(learner.schedule.slowdown) if learner.schedule else ZERO
        self.curvature = self.alpha * (self.sigma * (2 - self.eta * self.sigma) - slowdown)
        self.sigma_beta = [ZERO if j in self.free else (self.sigma - slowdown) * b for j, b in enumerate(self.beta)]
        self.slowdown_cost = up(slowdown * norm2(self.beta) / (4 * self.alpha)) if self.alpha > 0 else ZERO

    def square(self, z: Numbers) -> Fraction:
        """‖z‖², in which unregularized coordinates count k-fold (Theorem L17)."""
        return norm2(z) - (1 - self.k) * sum((z[j] ** 2 for j in self.free), ZERO)

    def above(self, a: Fraction, b: Fraction, c: Fraction, y: Fraction = ONE) -> Fraction:
        """A number above a·e(w) + bw + cw² on [low, high]: on each side of 0 at the end, or at the vertex of the parabola."""
        square = c - a * self.curve / 2

        def side(linear: Fraction, end: Fraction) -> Fraction:
            if linear > 0 and linear + 2 * square * end < 0:
                return up(linear**2 / (-4 * square))
            return max(ZERO, linear * end + square * end**2)

        return max(side(a * (y - self.tube) + b, self.high), side(-a * (y + self.tube) - b, -self.low))

    def conjugate(self, u: float, y: Fraction = ONE) -> Fraction:
        """e(u), after its condition."""
        require(self.low <= u <= self.high, "−u is a slope of the loss")
        return y * Fraction(u) - self.tube * abs(Fraction(u)) - self.curve * Fraction(u) ** 2 / 2

    def full(self, n: Fraction, b: Fraction) -> Fraction:
        """What a point adds that acts fully at s = 1: 2αk + αηn + b."""
        return self.two_ak + self.alpha * self.eta * n + b


def point_radius(statement: Struct) -> tuple[Fraction, bool]:
    """The largest norm of the adversary's step for a ball or any point, and whether its steps can be clipped."""
    kind, content = statement.threat.set
    clip = statement.learner.clip
    if kind == "ball" and (clip is None or content.radius <= clip):
        return Fraction(content.radius), False
    return Fraction(clip), True


# ------------------------------------------------------------------------------------------------------- lines above the rows


class Row(NamedTuple):
    """A row, or a pair z_ij of one (Lemma L11): z is x in the blocks of θ with these signs."""

    i: int
    p: Fraction  # the data's weight, times the scale and the step weight (Lemma W1)
    t: Fraction  # the target's weight, times the scale
    n: Fraction  # times the step weight
    square: Fraction  # the same without it
    b: Fraction
    x: Numbers
    blocks: tuple[tuple[int, int], ...]
    label: Fraction = ONE


def rows_of(l: Letters, rows: Rows, p: Numbers, t: Numbers, classes: int) -> Iterator[Row]:
    i = 0
    for z, own_p, own_t, step in zip(rows.z, p, t, rows.steps):
        if not classes:
            label, x = (z[0], z[1:]) if len(z) > len(l.beta) else (ONE, z)
            square = l.square(x)
            yield Row(i, step * own_p, own_t, step * square, square, dot(l.beta, x), x, ((0, 1),), label)
            i += 1
            continue
        own, x = int(z[0]), z[1:]
        products = [dot(l.beta[c * len(x) : (c + 1) * len(x)], x) for c in range(classes)]
        for other in range(classes):
            if other != own:
                b = products[own] - products[other]
                square = classes * norm2(x)
                yield Row(i, own_p, own_t, square, square, b, x, ((own, 1), (other, -1)))
                i += 1


class Entropy(NamedTuple):
    """h(w) = aH(w) + y1 log w + y0 log(1−w) + bw + cw² on 0 < w < 1."""

    a: Fraction
    y1: Fraction
    y0: Fraction
    b: Fraction
    c: Fraction

    def supremum(self, w: float, half: str = "") -> Fraction:
        """A number above sup h, by (3.3) at w₀ = w; over w ≥ ½ if `half` is "upper", w ≤ ½ if it is "lower"."""
        return self.enclosed(w, half)[1]

    def enclosed(self, w: float, half: str = "") -> tuple[Fraction, Fraction]:
        """The same, after a number that is not above h(w₀)."""
        require(0 < w < 1, "0 < w < 1")
        if self.a == 0:
            return ZERO, ZERO  # a row without weight
        a, y1, y0, b, c = self
        require(2 * a > c, "η‖z‖² < 4k")
        at, rest = Fraction(w), 1 - Fraction(w)
        log_w, log_v = log(at), log(rest)
        of_w, of_v, rising = y1 - a * at, y0 - a * rest, (b + c * at) * at
        below = -times_up(-of_w, log_w) - times_up(-of_v, log_v) + rising
        value = up(times_up(of_w, log_w) + times_up(of_v, log_v) + rising)
        low = a * (log_v[0] - log_w[1]) + down(y1 / at) - up(y0 / rest) + b + 2 * c * at
        high = a * (log_v[1] - log_w[0]) + up(y1 / at) - down(y0 / rest) + b + 2 * c * at
        if at == HALF and ((half == "upper" and high <= 0) or (half == "lower" and low >= 0)):
            return below, value  # h falls from ½ on
        return below, value + up(max(abs(low), abs(high)) ** 2 / (4 * (2 * a - c)))


class Lines:
    """The lines of one set of a proof: for each kind a method that returns (T, y) for a row, after its conditions."""

    def __init__(self, l: Letters, given: Struct, scale: Fraction, clip: Optional[float], shell: Any) -> None:
        self.l, self.v, self.scale = l, given, scale
        self.clip2 = Fraction(clip or 0) ** 2  # where it is used there is a clip
        self.centre, self.radius = shell

    def share(self, name: str, i: int) -> Fraction:
        value: float = self.v[name][i]
        require(0 <= value <= 1, f"0 ≤ {name} ≤ 1")
        return Fraction(value)

    def kappa(self, row: Row) -> Fraction:
        """κ = κ0p − t ≥ 0."""
        kappa = self.l.kappa0 * row.p - row.t
        require(kappa >= 0, "κ0p ≥ t")
        return kappa

    def jump(self, row: Row) -> Fraction:
        """F = pJ."""
        return row.p * (1 - self.l.eps) * self.l.full(row.n, row.b)

    def entropy(self, row: Row, kappa: Fraction, y: Fraction) -> Entropy:
        """h of (3.2)."""
        benign = (1 - self.l.eps) * row.p
        return Entropy(self.l.kappa0 * row.p, y, kappa - y, benign * row.b, benign * self.l.alpha * self.l.eta * row.n)

    def bounded_slope(self, row: Row) -> tuple[Fraction, Fraction]:
        """Lemma L2."""
        l, kappa, u = self.l, self.kappa(row), self.v["u"][row.i]
        benign = (1 - l.eps) * row.p
        top = l.above(l.kappa0 * row.p, benign * row.b, benign * l.alpha * l.eta * row.n, row.label)
        return top - kappa * l.conjugate(u, row.label), kappa * Fraction(u)

    def interval(self, row: Row, of: str = "") -> tuple[Fraction, Fraction]:
        """Lemma L4 for s between oᵀz ± reach. Slopes are given as they are."""
        reach, y = Fraction(self.v[of + "reach"][row.i]), self.scale * Fraction(self.v[of + "y"][row.i])
        require(reach >= 0 and reach**2 >= self.radius**2 * row.square, "reach ≥ r‖z‖")
        middle = dot(self.centre, row.x)
        low, high = middle - reach, middle + reach
        kappa, jump, bounds = self.l.kappa0 * row.p - row.t, self.jump(row), []
        if low <= 1:
            bounds += [jump + (kappa - y) * (s - 1) for s in (low, min(high, ONE))]
        if high >= 1:
            bounds += [-y * (s - 1) for s in (high, max(low, ONE))]
        return max(bounds) - y, y

    def logistic(self, row: Row) -> tuple[Fraction, Fraction]:
        """Lemma L3."""
        kappa = self.kappa(row)
        y = kappa * self.share("u", row.i)
        return self.entropy(row, kappa, y).supremum(self.v.w[row.i]), y

    def label_hinge(self, row: Row) -> tuple[Fraction, Fraction]:
        """Lemma L5."""
        kappa, a, ep, jump = self.kappa(row), self.l.two_ak, self.l.eps * row.p, self.jump(row)
        y = kappa * self.share("u", row.i)
        plus, minus = self.l.full(row.n, row.b), self.l.full(row.n, -row.b)
        left = jump - 2 * kappa + y + ep * max(ZERO, plus - 2 * a, minus)
        right = max(jump + ep * max(plus, minus - 2 * a), ep * max(ZERO, minus - 2 * a)) - y
        return max(left, right), y

    def label_logistic(self, row: Row) -> tuple[Fraction, Fraction]:
        """Lemma L6."""
        kappa, eps, p = self.kappa(row), self.l.eps, row.p
        y, a, b, c = kappa * self.share("u", row.i), p * self.l.two_ak, p * row.b, p * self.l.alpha * self.l.eta * row.n
        kept = Entropy(a, y, kappa - y + eps * a, b, c)
        flipped = Entropy(a, y + eps * a, kappa - y, b - 2 * eps * c, c)
        return max(kept.supremum(self.v.w[row.i]), flipped.supremum(self.v.w2[row.i]) + eps * (c - b)), y

    def error_hinge(self, row: Row) -> tuple[Fraction, Fraction]:
        """Section 6."""
        u, u2, c = (self.share(name, row.i) for name in ("u", "u2", "c"))
        slope = self.l.kappa0 * row.p - row.t + c * row.t
        require(slope >= 0, "κ0 − 1 + c ≥ 0")
        return max(self.jump(row) + c * row.t, ZERO) - slope * u, slope * u + (1 - c) * row.t * u2

    def error_logistic(self, row: Row) -> tuple[Fraction, Fraction]:
        """Lemma L10."""
        kappa = self.l.kappa0 * row.p
        y = kappa * self.share("u", row.i)
        h = self.entropy(row, kappa, y)
        return max(h.supremum(self.v.w[row.i], "lower"), row.t + h.supremum(self.v.w2[row.i], "upper")), y

    def clipped_slope(self, row: Row) -> tuple[Fraction, Fraction]:
        """low ≤ r = min(1, G/‖z‖), and y = (κ0·low·p − t)u."""
        low = self.share("low", row.i)
        require(low**2 * row.n <= self.clip2, "low·‖z‖ ≤ G")
        room = self.l.kappa0 * low * row.p - row.t
        require(room >= 0, "κ0·low·p ≥ t")
        return low, room * self.share("u", row.i)

    def clipped_hinge(self, row: Row) -> tuple[Fraction, Fraction]:
        """Theorem L16: the jump is convex in r, so its ends suffice."""
        low, y = self.clipped_slope(row)
        high = Fraction(self.v.high[row.i])
        require(high > 0 and (high >= 1 or high**2 * row.n >= self.clip2), "high ≥ r")

        def jump(r: Fraction) -> Fraction:
            l = self.l
            return row.p * (1 - l.eps) * (r * (l.two_ak + row.b) + l.alpha * l.eta * r**2 * row.n)

        return max(jump(low), jump(high), ZERO) - y, y

    def clipped_logistic(self, row: Row) -> tuple[Fraction, Fraction]:
        """Theorem L16."""
        _, y = self.clipped_slope(row)
        return self.entropy(row, self.l.kappa0 * row.p - row.t, y).supremum(self.v.w[row.i]), y


# ------------------------------------------------------------------------------------------- quadratics above the point's part


class Point(NamedTuple):
    """m₀ + mᵀθ + θᵀMθ. M is 0; a number times I; a list of them (a diagonal); or a matrix or the label of one."""

    m0: Fraction
    m: Numbers
    kind: str  # "scalar", "diagonal", "dense" or "classes"
    M: Any


def acting_constant(l: Letters, d: Fraction, nu: Fraction, acting: str, linear: Fraction = ZERO) -> Fraction:
    """C of Lemmas L7 and I1, from D, ν and the factor of w."""
    if acting == "bounded":
        return max(l.above(nu, linear, d, l.labels), l.above(nu, linear, d, -l.labels))
    if acting == "clipped":
        return max(d + linear, ZERO) + Fraction(0.2784701) * nu  # Lemma L8
    return max(d + linear, ZERO) if nu == 0 else search(d, linear, nu)


def search(d: Fraction, linear: Fraction, nu: Fraction) -> Fraction:
    """A number above sup Dw² + lw + νw log((1−w)/w): bounds on intervals, the interval with the largest bound halved (of equal ones
    the youngest), until at most 10⁻¹⁵(D + |l| + ν) could be gained, 600 times at most. Places are binary64 numbers."""

    def bound(left: float, right: float) -> tuple[Fraction, Fraction]:
        """Above the function on [l, r], where w² ≤ (l+r)w − lr makes it concave; and near it at the middle."""
        middle = (left + right) / 2
        w = Fraction(middle if 0 < middle < 1 else 0.5)
        a, b, log_w, log_v = Fraction(left), Fraction(right), log(w), log(1 - w)
        odds = log_v[0] - log_w[1], log_v[1] - log_w[0]
        entropy = times_up(nu * w, odds)
        fixed = d * (a + b) + linear
        slopes = fixed + nu * (odds[0] - up(1 / (1 - w))), fixed + nu * (odds[1] - down(1 / (1 - w)))
        above = d * ((a + b) * w - a * b) + linear * w + entropy + max(map(abs, slopes)) * max(b - w, w - a)
        return up(above), d * w**2 + linear * w + entropy

    above, best = bound(0.0, 1.0)
    open_, age = [(-above, 0, 0.0, 1.0)], 0
    for _ in range(600):
        negative, own, left, right = open_[0]
        middle = (left + right) / 2
        if -negative - best <= Fraction(1e-15) * (d + abs(linear) + nu) or not left < middle < right:
            break
        heapq.heappop(open_)
        age += 1
        for number_, ends in ((own, (left, middle)), (-age, (middle, right))):
            above, seen = bound(*ends)
            best = max(best, seen)
            heapq.heappush(open_, (-above, number_, *ends))
    return -open_[0][0]


def symmetric_set(
    l: Letters, statement: Struct, tau: Numbers, nu: Fraction, omega: Optional[float], acting: str, end: Fraction = ZERO, part: int = 0
) -> Point:
    """Lemma L7 for a ball (or any point, clipped), a box or an ellipsoid; Lemma I1 at an end of a slab, or Lemma I2 for one class."""
    kind, content = statement.threat.set
    chi, beta, d = l.two_ak - nu, l.beta, len(l.beta)
    weight = point_weights(statement)[part]
    linear = ZERO
    m: Any
    if kind == "features":
        [b] = l.free
        radius, constant = weight * Fraction(content.radius), weight * Fraction(content.constant)
        t, square = radius * tau[0], radius**2 + l.k * constant**2
        half_n = [ZERO if j == b else radius / (2 * tau[0]) for j in range(d)]
        half_n_beta = [n * one for n, one in zip(half_n, beta)]
        fixed = up(dot(half_n_beta, beta))
        name, m = "diagonal", [chi**2 * n for n in half_n]
        # The adversary chooses the sign by the label, unless labels are numbers or the case is of one class.
        linear = constant * (chi * end + beta[b])
        if has_class_points(statement):
            linear = -linear if part == 0 else linear
        elif not is_regression(statement):
            linear = abs(linear)
    elif kind == "box":
        radii = [weight * radius for radius in exact(content.radii)]
        t, square = dot(radii, tau), norm2(radii)
        half_n = [r / (2 * one) for r, one in zip(radii, tau)]  # ½N
        half_n_beta = [n * b for n, b in zip(half_n, beta)]
        fixed = sum((up(n * b) for n, b in zip(half_n_beta, beta)), ZERO)
        name, m = "diagonal", [chi**2 * n for n in half_n]
    elif kind == "ellipsoid":
        q = symmetric(exact(content.q), d)
        t, square = tau[0], weight**2 * Fraction(omega or 0)
        half_n_beta = [weight**2 * x / (2 * tau[0]) for x in apply(q, beta)]
        fixed = up(dot(half_n_beta, beta))
        name, m = "dense", weight**2 * chi**2 / (2 * tau[0])  # times Q
    else:
        radius = weight * point_radius(statement)[0]
        t, square = radius * tau[0], radius**2
        half_n_beta = [radius / (2 * tau[0]) * b for b in beta]
        fixed = up(dot(half_n_beta, beta))
        name, m = "scalar", chi**2 * radius / (2 * tau[0])
    c = acting_constant(l, t / 2 + l.alpha * l.eta * square, weight * nu, acting, linear)
    return Point(c + fixed, [2 * chi * x for x in half_n_beta], "scalar" if chi == 0 else name, ZERO if chi == 0 else m)


def class_matrix(classes: int, label: int) -> list[Numbers]:
    """M_y = c_yc_yᵀ + ½(K−1)Π_y, c_y = Ke_y − 1."""
    c = [Fraction(classes - 1 if j == label else -1) for j in range(classes)]

    def spread(i: int, j: int) -> Fraction:
        return ZERO if label in (i, j) else HALF * ((classes - 1) * (i == j) - 1)

    return [[c[i] * c[j] + spread(i, j) for j in range(classes)] for i in range(classes)]


def class_point(l: Letters, classes: int, radius: Fraction, tau: Fraction, nu: Fraction, label: Optional[int]) -> Point:
    """Lemma L11 (c), with τ/Γ for τ, or (d) for one label."""
    chi, d = l.two_ak - nu, len(l.beta) // classes
    gamma2 = classes * (classes - 1) * radius**2
    fixed = l.alpha * l.eta * gamma2 + (classes - 1) * nu
    if label is None:
        m0 = fixed + gamma2 * tau / 2 + up(norm2(l.beta) / (2 * tau))
        return Point(m0, [chi / tau * b for b in l.beta], "scalar", chi**2 / (2 * tau))
    matrix = class_matrix(classes, label)
    blocks = [l.beta[c * d : (c + 1) * d] for c in range(classes)]
    m_beta = [sum((matrix[i][j] * blocks[j][x] for j in range(classes)), ZERO) for i in range(classes) for x in range(d)]
    m0 = fixed + radius * tau / 2 + up(radius * dot(m_beta, l.beta) / (2 * tau))
    return Point(m0, [radius / tau * chi * x for x in m_beta], "classes", (radius / (2 * tau) * chi**2, classes, label))


def finite_point(l: Letters, a: Numbers, share: float, w: Optional[float]) -> Point:
    """Lemma L9."""
    e = l.conjugate(share)
    y, n, b = l.two_ak * Fraction(share), l.square(a), dot(l.beta, a)
    if w is None:
        m0 = l.above(l.two_ak, b, l.alpha * l.eta * n) - l.two_ak * e
    else:
        m0 = Entropy(l.two_ak, y, l.two_ak - y, b, l.alpha * l.eta * n).supremum(w)
    return Point(m0, [y * x for x in a], "scalar", ZERO)


def peak(
    l: Letters, base: Fraction, v: Numbers, point: Point, x: Numbers, statement: Struct, omega: Optional[float],
    fixed: Optional[int] = None,
) -> Fraction:
    """A number above ¼vᵀA⁻¹v with A = base·I − εM ≻ 0, both without the fixed coordinate."""

    def part(square: Fraction, eigenvalue: Fraction) -> Fraction:
        curve = base - l.eps * eigenvalue
        require(curve > 0, "A is positive definite")
        return up(square / (4 * curve))

    if point.kind == "scalar":
        return part(sum((one**2 for j, one in enumerate(v) if j != fixed), ZERO), point.M)
    if point.kind == "diagonal":
        return sum((part(one**2, m) for j, (one, m) in enumerate(zip(v, point.M)) if j != fixed), ZERO)
    if point.kind == "dense":
        # A ⪰ aI, and vᵀA⁻¹v ≤ 2vᵀx − xᵀAx + ‖v−Ax‖²/a for every x.
        x = [ZERO if j == fixed else one for j, one in enumerate(x)]
        qx = apply(symmetric(exact(statement.threat.set[1].q), len(v)), x)
        v, qx = ([ZERO if j == fixed else one for j, one in enumerate(vector)] for vector in (v, qx))
        ax = [base * one - l.eps * point.M * q for one, q in zip(x, qx)]
        inner = up((2 * dot(v, x) - dot(x, ax)) / 4)
        return inner + part(norm2([one - other for one, other in zip(v, ax)]), point.M * Fraction(omega or 0))
    m, classes, label = point.M
    d = len(v) // classes
    columns = [[v[c * d + j] for c in range(classes)] for j in range(d)]
    pair = classes * (classes - 1)
    along = sum(((classes * column[label] - sum(column)) ** 2 for column in columns), ZERO) / pair  # c_y
    mean = sum((sum(column) ** 2 for column in columns), ZERO) / classes  # 1
    parts = [(along, m * pair), (norm2(v) - along - mean, m * (classes - 1) / 2), (mean, ZERO)]
    return sum((part(square, eigenvalue) for square, eigenvalue in parts), ZERO)


def peak_in_slab(
    l: Letters, v: Numbers, point: Point, ends: list[tuple[Fraction, Numbers, Fraction]], outward: int, statement: Struct, omega: Optional[float]
) -> Fraction:
    """The largest value at the ends of a slab, each with its x and m₀ (Theorem L17): what is left is convex in the coordinate. `outward` is
    the sign of an end at infinity, 0 if there is none."""
    [b] = l.free
    column = [ZERO] * len(v)  # M_jb
    if point.kind == "dense":
        column = [point.M * q for q in symmetric(exact(statement.threat.set[1].q), len(v))[b]]
    else:
        column[b] = point.M[b] if point.kind == "diagonal" else point.M
    require(outward == 0 or (column[b] == 0 and outward * v[b] <= 0), "nothing pushes outward in an unbounded slab")
    values = []
    for end, x, m0 in ends:
        pushed = [one + 2 * l.eps * m * end for one, m in zip(v, column)]
        own = up(v[b] * end + l.eps * column[b] * end**2)
        values.append(own + l.eps * m0 + peak(l, l.curvature, pushed, point, x, statement, omega, b))
    return max(values)


# --------------------------------------------------------------------------------------------------------------- Theorem L1


def require_fit(statement: Struct, proof: Struct) -> None:
    """The kind of lines, shells and other parts fit the statement."""
    learner, kind, loss = statement.learner, proof.rows[0], statement.learner.loss[0]
    shells, free = proof.shells is not None, bool(learner.unregularized)
    require(("logistic" in kind) == (loss == "logistic"), "the lines fit the loss")
    require(kind in ("bounded-slope", "logistic") or "logistic" in kind or loss in ("hinge", "multiclass"), "the lines fit the loss")
    require(loss != "multiclass" or (kind in ("bounded-slope", "error-hinge") and not shells), "the lines fit several classes")
    require(("clipped" in kind) == (learner.clip is not None), "the lines fit the clip")
    require(("label" in kind) == (statement.threat.set[0] == "label_flips"), "the lines fit the set")
    require("error" not in kind or statement.target[0] == "data", "the error is that of the data")
    require("error" not in kind or not learner.average, "an averaged model's error is bounded by its loss")
    require(statement.target[0] != "rows" or kind == "interval", "the lines fit the target")
    require(kind != "interval" or shells, "intervals have shells")
    sparse = any(origin.of_columns is not None for origin in statement.data)
    require(not sparse or (kind != "interval" and not shells), "sparse rows have no shells")
    require(kind != "interval" or not statement.hostile_rows, "intervals are not for rows that may be hostile")
    fits = "error" in kind or kind in ("bounded-slope", "logistic")
    require(not free or (fits and not shells), "the proof fits an unregularized coordinate")
    require(free == bool(proof.slabs) and all(a < b for a, b in zip(proof.slabs, proof.slabs[1:])), "slabs fit, and their edges increase")
    require(not proof.by_class or loss == "multiclass", "classes are those of the loss")
    require((statement.threat.set[0] == "ellipsoid") == (proof.omega is not None), "ω is that of an ellipsoid")
    require((learner.momentum is not None) == (proof.rate is not None), "a rate goes with momentum")
    if statement.threat.moments is not None:
        require(not kind.startswith("error") and proof.shells is None, "moments are for one case of lines above the loss")


def largest_square(statement: Struct, proof: Struct) -> Fraction:
    """The largest ‖z‖² on the set, times the squared step weight of points; 0 for label flips."""
    kind, content = statement.threat.set
    largest = ZERO
    if kind in ("ball", "any"):
        largest = point_radius(statement)[0] ** 2
    elif kind == "features":
        largest = Fraction(content.radius) ** 2 + Fraction(content.constant) ** 2
    elif kind == "box":
        largest = norm2(exact(content.radii))
    elif kind == "ellipsoid":
        largest = Fraction(proof.omega)
    elif kind == "points":
        d = len(proof.beta)
        largest = max(norm2(exact(content.points[i : i + d])) for i in range(0, len(content.points), d))
    return largest * max(point_weights(statement)) ** 2


def step_squares(statement: Struct, rows: Rows) -> Numbers:
    """‖z‖² of each row, times its squared step weight."""
    front = int(is_regression(statement) or statement.learner.loss[0] == "multiclass")
    return [step**2 * norm2(z[front:] if front else z) for z, step in zip(rows.z, rows.steps)]


class Momentum:
    """What steps v' = μv + d, θ' = θ + ηv' cost beyond plain steps at the proof's rate η̄ (Theorems M1 and M2)."""

    def __init__(self, statement: Struct, proof: Struct, data: list[Rows]) -> None:
        self.cost = self.of_start = ZERO
        learner = statement.learner
        if learner.momentum is None:
            return
        mu, rate, eta = exact([learner.momentum, proof.rate, learner.learning_rate])
        require(rate > 0 and rate * Fraction(learner.regularization) < 1, "η̄ > 0 and η̄σ < 1")
        if rate * (1 - mu) ** 2 >= eta * (1 + mu):
            return
        require(len(data) == 1 and not learner.unregularized, "η̄(1−μ)² ≥ η(1+μ) for several datasets and unregularized coordinates")
        slack = rate * (1 - mu) - eta
        require(slack > 0, "η̄(1−μ) > η")
        kind, classes = learner.loss
        l = Letters(statement, proof.alpha, proof.beta, proof.rate)
        steepest = Fraction(classes * (classes - 1)) if kind == "multiclass" else max(l.high, -l.low) ** 2
        longest = max(step_squares(statement, data[0]))
        point = longest if statement.threat.set[0] == "label_flips" else largest_square(statement, proof)
        self.cost = up((l.eps * mu * rate) ** 2 * l.alpha * steepest * point / ((1 + mu) * slack))
        if statement.horizon is not None:
            square = norm2(exact(statement.horizon.start))
            idle = Fraction(classes - 1) if kind == "multiclass" else ONE
            if is_regression(statement):
                idle = max(l.high, -l.low) * max(abs(z[0]) for z in data[0].z)
            value = max(data[0].steps) * idle + sqrt_up(steepest * longest) * sqrt_up(square) + l.sigma * square / 2
            self.of_start = 2 * mu * l.alpha * rate * value


class Moments:
    """An adversary who picks its moments: at most εW points of each block of W are its own (Theorem B1)."""

    def __init__(self, statement: Struct, proof: Struct, rows: Rows, l: Letters) -> None:
        self.statement, self.proof, self.rows, self.l = statement, proof, rows, l
        self.steep = max(l.high, -l.low) ** 2
        self.poison = self.steep * largest_square(statement, proof)
        self.longest = max(self.poison, self.steep * max(step_squares(statement, rows)))

    def bound(self, coin: Fraction, r0: Fraction, r: Numbers, nu: Fraction) -> Fraction:
        """From the bound for a coin, the line above the rows and ν."""
        l, learner, benign = self.l, self.statement.learner, 1 - self.l.eps
        v = [own / benign - sb for own, sb in zip(r, l.sigma_beta)]
        untaken = up(r0 / benign) + up(norm2(v) / (4 * l.curvature))
        weights = self.rows.weights if self.statement.target[0] == "data" else exact(self.statement.target[1][0])
        front = int(is_regression(self.statement))
        square = sum((weight * norm2(z[front:] if front else z) for weight, z in zip(weights, self.rows.z)), ZERO)
        of_target = sqrt_up(up(self.steep * square / sum(weights)))
        steepness = up(sqrt_up(norm2(r)) / benign) + up(of_target / benign) + abs(l.two_ak - nu) * sqrt_up(self.poison)
        n = sqrt_up(self.longest)
        step = n + (n if learner.projection is None else min(n, l.sigma * Fraction(learner.projection)))
        share = l.eps * benign if l.eps <= HALF else HALF**2
        steps = Fraction(self.statement.threat.moments, learner.batch)
        return max(coin, untaken) + share * steps / 2 * l.eta * step * steepness

    def require_start(self, start: Numbers) -> None:
        require(self.l.sigma**2 * norm2(start) <= self.longest, "σ‖θ_0‖ is at most the longest step where the adversary picks its moments")


def require_projection(statement: Struct, l: Letters) -> None:
    """Theorem L15."""
    if statement.learner.projection is not None:
        require(norm2(l.beta) <= 4 * (l.alpha * Fraction(statement.learner.projection)) ** 2, "‖β‖² ≤ 4α²ϱ²")


def require_ellipsoid(statement: Struct, omega: Optional[float], d: int) -> None:
    if statement.threat.set[0] == "ellipsoid":
        q = symmetric(exact(statement.threat.set[1].q), d)
        require(is_between(q, ZERO, Fraction(omega or 0)), "0 ≺ Q ≺ ωI")


def require_shells(statement: Struct, proof: Struct, data: list[Rows], l: Letters) -> None:
    """Theorem L12: the shells cover a ball that is kept."""
    shells = proof.shells
    radii, ball = exact(shells.radii), Fraction(shells.ball)
    require(ball > 0 and radii[0] > 0 and all(a < b for a, b in zip(radii, radii[1:])), "0 < r_1 < r_2 < …, ϱ > 0")
    require(radii[-1] >= ball and (radii[-1] - ball) ** 2 >= norm2(exact(shells.centre)), "the last shell holds the ball")
    require_ball_kept(statement, ball, largest_square(statement, proof), data, l)


def require_ball_kept(statement: Struct, ball: Fraction, largest: Fraction, data: list[Rows], l: Letters) -> None:
    learner = statement.learner
    if learner.projection is not None:
        require(ball >= Fraction(learner.projection), "ϱ is at least the radius of the projection")
        return
    edge = (ball * Fraction(learner.regularization)) ** 2 / max(l.high, -l.low) ** 2
    require(edge >= largest, "the ball is kept by the adversary's points")
    if learner.clip is None or Fraction(learner.clip) ** 2 > edge:  # no clip unless high is 1
        require(all(max(step_squares(statement, rows)) <= edge for rows in data), "the ball is kept by the rows")


def require_lengths(given: Struct, names: tuple[str, ...], wanted: dict[str, int]) -> None:
    for name in names:
        require(len(given[name]) == wanted.get(name, 0), f"{name} has {wanted.get(name, 0)} numbers")


def prove_cases(statement: Struct, proof: Struct, data: list[Rows], target: Optional[Rows]) -> Fraction:
    """The largest bound of a case."""
    require_fit(statement, proof)
    learner, (set_, content) = statement.learner, statement.threat.set
    loss = learner.loss[0]
    classes = learner.loss[1] if loss == "multiclass" else 0
    d = len(data[0].z[0]) - (classes > 0 or is_regression(statement))
    size = d * max(classes, 1)
    l = Letters(statement, proof.alpha, proof.beta, proof.rate)
    require(l.alpha > 0 and len(l.beta) == size, "α > 0, and β is as long as θ")
    momentum = Momentum(statement, proof, data)
    shells = 1
    if proof.shells is not None:
        shells = len(proof.shells.radii)
        require(shells > 0 and len(proof.shells.centre) == size, "there are shells, and a centre")
        require_shells(statement, proof, data, l)
    elif proof.slabs:
        shells = len(proof.slabs) + 1
    parts = classes if proof.by_class else len(content.points) // d if set_ == "points" else len(point_weights(statement))
    count = len(data) * shells * parts
    width = 0 if set_ in ("points", "label_flips") else d if set_ == "box" else 1
    edges = exact(proof.slabs)
    given = proof.cases
    require(len(given.lines) == count, "each case has lines")
    per_case = {
        "tau": width, "nu": int(width > 0), "share": int(set_ == "points"), "w": int(set_ == "points" and loss == "logistic"),
        "x": d * (set_ == "ellipsoid") * (2 if edges else 1), "outer": int(proof.shells is not None), "inner": int(proof.shells is not None),
    }
    require_lengths(given, CASE_VECTORS, {name: each * count for name, each in per_case.items()})
    require(all(tau > 0 for tau in given.tau) and all(x >= 0 for name in ("nu", "outer", "inner") for x in given[name]), "τ > 0; ν, ω, μ ≥ 0")
    require_projection(statement, l)
    require_ellipsoid(statement, proof.omega, d)
    if is_regression(statement) and statement.threat.label_bound is None:
        require(all(nu == 0 for nu in given.nu), "ν = 0 where labels may be any numbers")
    lines = [line_above(statement, proof, one, l, data, target) for one in proof.lines]
    acting = "bounded" if loss != "logistic" else "clipped" if set_ in ("ball", "any") and point_radius(statement)[1] else "logistic"
    bounds: Numbers = []
    for i in range(count):
        dataset, shell, part = i // (shells * parts), i // parts % shells, i % parts
        chosen = given.lines[i]
        fits = chosen < len(lines) and (proof.lines[chosen].dataset, proof.lines[chosen].shell) == (dataset, shell)
        require(fits, "a case has lines of its dataset and shell")
        r0, r, bend = lines[chosen]
        tau = exact(given.tau[i * width : (i + 1) * width])
        nu = Fraction(given.nu[i]) if given.nu else ZERO
        outward = 0 if not edges else -1 if shell == 0 else int(shell == len(edges))
        if outward != 0:
            require(nu == 0, "ν is not given in an unbounded slab")
            nu = l.two_ak
        if set_ == "label_flips":
            point = Point(ZERO, [ZERO] * size, "scalar", ZERO)
        elif set_ == "points":
            point = finite_point(l, exact(content.points[part * d : (part + 1) * d]), given.share[i], given.w[i] if given.w else None)
        elif classes:
            point = class_point(l, classes, Fraction(content.radius), tau[0], nu, part if proof.by_class else None)
        else:
            point = symmetric_set(l, statement, tau, nu, proof.omega, acting, part=part)
        g0, g, w = region(proof, i, shell, size)
        v = [own + l.eps * m + slope - sb for own, m, slope, sb in zip(r, point.m, g, l.sigma_beta)]
        x = exact(given.x[i * d : (i + 1) * d])
        if edges:
            xs = [exact(given.x[j * d : (j + 1) * d]) for j in (2 * i, 2 * i + 1)]
            at_ends = [(end, edges[at]) for end, at in enumerate((shell - 1, shell)) if 0 <= at < len(edges)]
            ends = [(edge, xs[end], symmetric_set(l, statement, tau, nu, proof.omega, acting, edge, part).m0) for end, edge in at_ends]
            bounds.append(r0 + l.slowdown_cost + peak_in_slab(l, v, point, ends, outward, statement, proof.omega))
            continue
        bounds.append(r0 + l.eps * point.m0 + g0 + l.slowdown_cost + peak(l, l.curvature + w - bend, v, point, x, statement, proof.omega))
        if statement.threat.moments is not None:
            bounds[-1] = Moments(statement, proof, data[0], l).bound(bounds[-1], r0, r, nu)
    return max(bounds) + momentum.cost


def region(proof: Struct, i: int, shell: int, size: int) -> tuple[Fraction, Numbers, Fraction]:
    """ω(r_m² − ‖θ−o‖²) + μ(‖θ−o‖² − r_{m−1}²) as g₀ + gᵀθ − w‖θ‖²; 0 without shells."""
    if proof.shells is None:
        return ZERO, [ZERO] * size, ZERO
    outer, inner = Fraction(proof.cases.outer[i]), Fraction(proof.cases.inner[i])
    radii, centre = [ZERO, *exact(proof.shells.radii)], exact(proof.shells.centre)
    o2 = norm2(centre)
    g0 = outer * (radii[shell + 1] ** 2 - o2) - inner * (radii[shell] ** 2 - o2)
    return g0, [2 * (outer - inner) * o for o in centre], outer - inner


def line_above(
    statement: Struct, proof: Struct, given: Struct, l: Letters, data: list[Rows], target: Optional[Rows]
) -> tuple[Fraction, Numbers, Fraction]:
    """r₀ and r of the rows of a dataset and of the target, and the curvature of what is above rows that may be hostile."""
    shells = len(proof.slabs) + 1 if proof.shells is None else len(proof.shells.radii)
    require(given.dataset < len(data) and given.shell < shells, "lines are those of a dataset and a shell")
    rows, kind, classes = data[given.dataset], proof.rows[0], statement.learner.loss[1] if statement.learner.loss[0] == "multiclass" else 0
    is_ruled = any(given[name] for name in ("theta", "gain", "exceptions"))
    lines_of = len(given.exceptions) if is_ruled else len(rows.z) * max(classes - 1, 1)
    wanted = dict.fromkeys(ROW_BOUNDS[kind], lines_of)
    if is_ruled:
        require(kind in ("bounded-slope", "error-hinge") and proof.shells is None, "rules are for shares, without shells")
        require_supported(statement, "rule", *["row-weights"] * rows.weighted)
        wanted.update(theta=len(l.beta), gain=1, exceptions=lines_of)
    if target is not None:
        wanted.update(target_y=len(target.z), target_reach=len(target.z))
    if statement.hostile_rows:
        wanted.update(pull=len(l.beta), spread=1, threshold=1)
    require_lengths(given, LINE_VECTORS, wanted)
    if is_ruled:
        given = by_rule(statement, proof, given, rows)
    total = sum(rows.weights)
    # Weights times the scale, which makes them free of quotients.
    if statement.target[0] == "data":
        scale, p, t = total, rows.weights, rows.weights
    else:
        own = exact(statement.target[1][given.dataset]) if target is None else target.weights
        scale, p = total * sum(own), [w * sum(own) for w in rows.weights]
        t = [w * total for w in own]
    shell = (None, None) if proof.shells is None else (exact(proof.shells.centre), Fraction(proof.shells.radii[given.shell]))
    lines = Lines(l, given, Fraction(scale), statement.learner.clip, shell)
    bound = getattr(lines, kind.replace("-", "_"))
    sums: list[tuple[Row, tuple[Fraction, Fraction]]] = []
    if statement.hostile_rows:
        ones = [ONE] * len(rows.z)
        unit = [(row, *bound(row)) for row in rows_of(l, rows, ones, ones, classes)]
        return without_hostile(unit, rows.weights, statement.hostile_rows[given.dataset], given)
    if target is None:
        sums = [(row, bound(row)) for row in rows_of(l, rows, p, t, classes)]
    else:
        sums = [(row, bound(row)) for row in rows_of(l, rows, p, [ZERO] * len(p), classes)]
        sums += [(row, lines.interval(row, "target_")) for row in rows_of(l, target, [ZERO] * len(t), t, classes)]
    slope = [ZERO] * len(l.beta)
    for row, (_, y) in sums:
        if y != 0:
            for block, sign in row.blocks:
                for j, x in entries_of(row.x):
                    slope[block * len(row.x) + j] += sign * y * x
    return up(sum((constant for _, (constant, _) in sums), ZERO) / scale), [s / scale for s in slope], ZERO


def by_rule(statement: Struct, proof: Struct, given: Struct, rows: Rows) -> Struct:
    """The lines with a number for each row: by the rule of Lemma R1, in binary64, but for the exceptions."""
    places = {int(row): at for at, row in enumerate(given.exceptions)}
    increasing = all(a < b for a, b in zip([-1.0, *given.exceptions], given.exceptions))
    require(increasing and all(row.is_integer() and 0 <= row < len(rows.z) for row in given.exceptions), "exceptions are rows in order")
    learner, (gain,) = statement.learner, given.gain
    benign = 1.0 - statement.threat.poison_rate
    two_ak, alpha_eta = 2.0 * proof.alpha * (1.0 - learner.learning_rate * learner.regularization), proof.alpha * learner.learning_rate
    least = 1.0 - two_ak * benign

    def shares(z: list[float]) -> tuple[float, float, float]:
        s = n = b = 0.0
        for entry, theta, beta in zip(z, given.theta, proof.beta):
            s, n, b = s + entry * theta, n + entry * entry, b + entry * beta
        minus = -(benign * ((two_ak + alpha_eta * n) + b))
        return share((1.0 - s) * gain + 0.5, math.floor), share((0.0 - s) * gain + 0.5, math.floor), share(minus if minus > least else least, math.ceil)

    names = ROW_BOUNDS[proof.rows[0]]
    of_rows = [
        [given[name][places[i]] for name in names] if i in places else shares([float(entry) for entry in z])[: len(names)]
        for i, z in enumerate(rows.z)
    ]
    return Struct(given, **{name: [numbers[at] for numbers in of_rows] for at, name in enumerate(names)})


def share(q: float, rounded: Callable[[float], int]) -> float:
    """q cut to [0, 1], as a multiple of 2^−20; 0 if it is no number."""
    return 1.0 if q >= 1 else rounded(q * (1 << 20)) / (1 << 20) if q > 0 else 0.0


def without_hostile(
    unit: list[tuple[Row, Fraction, Fraction]], weights: Numbers, count: int, given: Struct
) -> tuple[Fraction, Numbers, Fraction]:
    """Theorem H1: from the lines (T, y) of rows of weight 1 to what is above those that are not hostile, whichever they are."""
    c, spread, threshold = exact(given.pull), Fraction(given.spread[0]), Fraction(given.threshold[0])
    require(spread > 0, "t > 0")
    heaviest = sum(sorted(weights, reverse=True)[:count], ZERO)
    scale = sum(weights) - heaviest
    require(scale > 0, "rows that are not hostile have a weight")
    constant, slope = heaviest * threshold, [-heaviest * own for own in c]
    for (row, top, y), weight in zip(unit, weights):
        above = spread / 2 * norm2([own - y * x for own, x in zip(c, row.x)]) - top - threshold
        constant += weight * (top + max(above, ZERO))
        slope = [own + weight * y * x for own, x in zip(slope, row.x)]
    return up(constant / scale), [own / scale for own in slope], up(heaviest / (2 * spread * scale))


def start_of_cases(statement: Struct, proof: Struct, m: Fraction, data: list[Rows]) -> Fraction:
    """What the start adds (Theorems 5, L17 and M2), times ηT; for a proof by contraction, too."""
    l, start = Letters(statement, proof.alpha, proof.beta, proof.get("rate")), exact(statement.horizon.start)
    require(len(start) == len(l.beta) and m >= 0, "the start is as long as θ, and m ≥ 0")
    if statement.threat.moments is not None:
        Moments(statement, proof, data[0], l).require_start(start)
    own = proof.ball if "ball" in proof else proof.shells and proof.shells.ball
    balls = [ball for ball in (own, statement.learner.projection) if ball is not None]
    require(bool(balls) or m == 0, "m = 0 without a ball")
    room = Fraction(min(balls)) ** 2 - norm2(start) if balls else ZERO
    require(room >= 0, "the start is in the ball")
    schedule = statement.learner.schedule
    require(m == 0 or schedule is None or schedule.weighted, "m = 0 for plain averages of a rate that changes")
    curve = [l.alpha * l.k if j in l.free else l.alpha + m for j in range(len(start))]
    squares = ((2 * c * theta + b) ** 2 / (4 * c) for c, theta, b in zip(curve, start, l.beta))
    if statement.learner.momentum is None:
        return sum(squares, ZERO) + m * room
    require(m == 0, "m = 0 with momentum")
    return sum(squares, ZERO) * (1 - Fraction(statement.learner.momentum)) + Momentum(statement, proof, data).of_start


# ----------------------------------------------------------------------------------------------- the paper's proof (Theorem 6)


def prove_paper(statement: Struct, proof: Struct, rows: Rows) -> Fraction:
    require_supported(statement, "paper")
    n, d = len(rows.z), len(rows.z[0])
    require_lengths(proof, ("a", "b", "m", "h", "theta", "point"), {"a": d * (d + 1) // 2, "b": d, "m": n, "h": n * d, "theta": d, "point": d})
    require(statement.learner.batch == 1 or proof.low >= 0, "λ is convex where there are batches")
    names = ("nu8", "nu9", "nu10", "ball", "reach", "low", "high", "delta")
    nu8, nu9, nu10, ball, reach, low, high, delta = exact(proof[name] for name in names)
    eta, sigma = Fraction(statement.learner.learning_rate), Fraction(statement.learner.regularization)
    eps, radius, k = Fraction(statement.threat.poison_rate), point_radius(statement)[0], 1 - eta * sigma
    shrink = sigma * (2 - eta * sigma)
    require(min(nu8, nu9, nu10, reach) >= 0 and delta > 0 and ball * sigma >= radius, "ν, H ≥ 0; δ > 0; ϱσ ≥ R")
    matrix, b = symmetric(exact(proof.a), d), exact(proof.b)
    require(is_between(matrix, low, high), "lI ≺ A ≺ uI")
    for a in (low, high):  # (13.3)
        first, second = shrink * a + nu8 - delta, nu10 - eps * eta * a - delta
        require(first >= 0 and second >= 0 and first * second >= (nu9 - eps * k * a) ** 2, "D ⪰ δI")
    total, gain, c = sum(rows.weights), ZERO, [ZERO] * d
    for i, (z, weight) in enumerate(zip(rows.z, rows.weights)):
        require(norm2(z) <= (ball * sigma) ** 2 and norm2(z) * ball**2 <= reach**2, "ϱσ ≥ ‖z‖ and H ≥ ϱ‖z‖")
        m, h, az = Fraction(proof.m[i]), exact(proof.h[i * d : (i + 1) * d]), apply(matrix, z)
        idle, active = (-m, reach * m) if m >= 0 else ((2 + reach) * -m, -m)
        idle += ball * sum(map(abs, h))
        active += ball * sum(abs(one - 2 * k * (1 - eps) * other - own) for one, other, own in zip(z, az, h))
        active += (1 - eps) * (eta * dot(z, az) + dot(b, z)) + 1
        gain += weight * max(idle, active)
        c = [own + weight * (m * one - other) for own, one, other in zip(c, z, h)]
    g = [(one / total - sigma * other) / 2 for one, other in zip(c, b)] + [eps * other / 2 for other in b]
    theta, point = exact(proof.theta), exact(proof.point)
    a_theta, a_point = apply(matrix, theta), apply(matrix, point)
    upper = [shrink * at + nu8 * t - eps * k * az + nu9 * z for at, t, az, z in zip(a_theta, theta, a_point, point)]
    lower = [nu9 * t - eps * k * at - eps * eta * az + nu10 * z for at, t, az, z in zip(a_theta, theta, a_point, point)]
    x, dx = theta + point, upper + lower
    fixed = nu8 * ball**2 + 2 * nu9 + nu10 * radius**2
    rest = norm2([one - other for one, other in zip(g, dx)])
    return gain / total + fixed + 2 * dot(g, x) - dot(x, dx) + rest / delta


def start_of_paper(statement: Struct, proof: Struct, m: Fraction) -> Fraction:
    start, b, ball, low = exact(statement.horizon.start), exact(proof.b), Fraction(proof.ball), Fraction(proof.low)
    require(len(start) == len(b) and m >= 0 and low + m > 0 and norm2(start) <= ball**2, "m ≥ 0, l + m > 0, and the start is in the ball")
    here = dot(start, apply(symmetric(exact(proof.a), len(b)), start)) + dot(b, start)
    return here + norm2(b) / (4 * (low + m)) + m * ball**2


# ------------------------------------------------------------------------------------------- contraction (Theorem C2)


def on_grid(numbers: Any) -> tuple[list[int], int]:
    """Whole numbers and e: binary64 numbers are these times 2^−e."""
    pairs = [Fraction(x).as_integer_ratio() for x in numbers]
    most = max((d for _, d in pairs), default=1)
    return [n * (most // d) for n, d in pairs], most.bit_length() - 1


def nearest(x: Fraction) -> float:
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf


class Contraction:
    """Rows and λ as whole numbers. Vectors are packed into one number: entry j is the part from bit j·`field` on."""

    def __init__(self, statement: Struct, proof: Struct, data: list[Rows]) -> None:
        rows, d = data[0], len(data[0].z[0])
        self.n, self.d, self.target = len(rows.z), d, Fraction(proof.target)
        require(len(proof.beta) == d, "β is as long as θ")
        l = self.l = Letters(statement, proof.alpha, proof.beta)
        require(l.alpha > 0 and proof.ball > 0, "α > 0 and ϱ > 0")
        self.require_numbers(proof)
        require_projection(statement, l)
        self.radius, _ = point_radius(statement)
        require_ball_kept(statement, Fraction(proof.ball), self.radius**2, data, l)
        (p, targets), self.scale = self.shares(statement, rows)
        squares = [norm2(z) for z in rows.z]
        self.jumps = [w * (1 - l.eps) * l.full(n, dot(l.beta, z)) for w, z, n in zip(p, rows.z, squares)]
        self.kappas = [w * l.kappa0 - t for w, t in zip(p, targets)]
        self.highs = [double_up(Fraction(proof.ball) * (1 + n) / 2) for n in squares]
        self.lows = [-high for high in self.highs]
        self.beta, self.beta_bits = on_grid(l.beta)
        self.beta2 = norm2(l.beta)
        z, self.bits = on_grid(x for row in rows.z for x in row)
        self.z = [z[i * d : (i + 1) * d] for i in range(self.n)]
        # Bits of a sum over all rows, but for the slopes, with a sign.
        self.field = max(map(abs, z), default=0).bit_length() + self.n.bit_length() + 2

    @staticmethod
    def shares(statement: Struct, rows: Rows) -> tuple[tuple[list[Fraction], list[Fraction]], Fraction]:
        """S·p_i and S·t_i of all rows, and S."""
        total, weights = sum(rows.weights, ZERO), list(rows.weights)
        if statement.target[0] != "weights":
            return (weights, weights), total
        own = exact(statement.target[1][0])
        of_target = sum(own, ZERO)
        return ([of_target * w for w in weights], [total * t for t in own]), total * of_target

    def require_numbers(self, proof: Struct) -> None:
        require(proof.tau > 0 and proof.nu >= 0, "τ > 0 and ν ≥ 0")
        work = sum((len(one.ends) + 128) * self.n * (self.d + 16) for one in proof.rounds)
        require(work <= 2**33, "rounds take at most 2^33 products")
        for one in proof.rounds:
            count = len(one.ends)
            require_lengths(one, ("pulls", "tau", "nu"), dict.fromkeys(("pulls", "tau", "nu"), count))
            require(all(0 <= end < 2 * self.n and end == int(end) for end in one.ends), "ends are ends of rows")
            require(all(t > 0 for t in one.pulls) and all(t > 0 for t in one.tau) and all(nu >= 0 for nu in one.nu), "t, τ > 0 and ν ≥ 0")

    def slopes(self, i: int) -> list[float]:
        """The slopes that a row can have, in binary64: whichever they are, the bound is true."""
        low, high, jump, kappa = self.lows[i], self.highs[i], nearest(self.jumps[i]), nearest(self.kappas[i])
        if high < 1:
            return [kappa]
        if low > 1:
            return [0.0]
        steepest = 4.0 * (abs(kappa) + abs(jump))
        left, right, below, above = kappa, 0.0, 1.0 - low, high - 1.0
        if jump > 0:
            right = max(-jump / above, -steepest) if above > 0 else -steepest
        else:
            left = min(kappa - jump / below, steepest) if below > 0 else steepest
        if right > left:  # the hull is a chord
            left = right = (kappa * below - jump) / (high - low)
        return [right + (left - right) * (c / 15.0) for c in range(16)]

    def top(self, i: int, y: Fraction) -> Fraction:
        """T of Lemma L4 for the row's interval."""
        low, high, jump, bounds = Fraction(self.lows[i]), Fraction(self.highs[i]), self.jumps[i], []
        if low <= 1:
            bounds += [jump + (self.kappas[i] - y) * (s - 1) for s in (low, min(high, ONE))]
        if high >= 1:
            bounds += [-y * (s - 1) for s in (high, max(low, ONE))]
        return max(bounds)

    def find_lines(self) -> None:
        """For each row its slopes, as whole numbers, with S times the constants, as whole numbers too."""
        slopes = [self.slopes(i) for i in range(self.n)]
        require(all(math.isfinite(y) for row in slopes for y in row), "slopes are finite")
        flat, self.slope_bits = on_grid(y for row in slopes for y in row)
        tops = [self.top(i, Fraction(y)) - Fraction(y) for i, row in enumerate(slopes) for y in row]
        constants, self.constant_bits = on_grid(tops)
        # Room for the sum of all products, and a sign.
        field = self.field + max(map(abs, flat), default=0).bit_length()
        packed = [sum(x << (j * field) for j, x in enumerate(row)) for row in self.z]
        self.halves = sum(1 << (j * field + field - 1) for j in range(self.d))
        self.width, self.constant, self.slope, at = field, 0, 0, 0
        self.choices: list[list[tuple[int, int]]] = []
        for i, row in enumerate(slopes):
            own = [(constants[k], flat[k] * packed[i]) for k in range(at, at + len(row))]
            at += len(row)
            if len(own) == 1:
                self.constant += own[0][0]
                self.slope += own[0][1]
            else:
                self.choices.append(own)
        self.bytes = (len(self.choices) + 1) // 2

    def cut(self, end: int, to: Fraction) -> None:
        """Moves an end inwards; of lower ends `to` is the negative."""
        try:
            rounded = double_up(to)
        except Invalid:  # beyond all numbers: it stays where it is
            return
        if end % 2 == 0:
            self.highs[end // 2] = min(self.highs[end // 2], rounded)
        else:
            self.lows[end // 2] = max(self.lows[end // 2], -rounded)

    def value(self, codes: bytes, tau_: float, nu_: float, end: int = 0, pull: float = 0.0) -> Fraction:
        """Φ of Lemma C1, rounded up as in Theorem L1."""
        l, tau, nu, constant, packed = self.l, Fraction(tau_), Fraction(nu_), self.constant, self.slope
        for place, own in enumerate(self.choices):
            one, slope = own[codes[place // 2] >> 4 * (place % 2) & 15]
            constant += one
            packed += slope
        chi, push = l.two_ak - nu, l.eps * self.radius
        curve = l.curvature - push * chi**2 / (2 * tau)
        require(curve > 0, "a > 0")
        along = Fraction(pull) * (1 - 2 * (end % 2))
        # Sτ times h: the coefficients of S·Σ y_iz_i, of z_i and of β, as whole numbers.
        factors = [
            tau * power_of_two(-self.bits - self.slope_bits), self.scale * tau * along * power_of_two(-self.bits),
            self.scale * (push * chi - l.sigma * tau) * power_of_two(-self.beta_bits),
        ]
        [rows, row, beta], bits = on_grid(factors)
        half, mask, square = 1 << (self.width - 1), (1 << self.width) - 1, 0
        packed += self.halves
        z = self.z[end // 2]
        for j in range(self.d):
            h = rows * ((packed >> (j * self.width) & mask) - half) + row * z[j] + beta * self.beta[j]
            square += h * h
        square_ = square * power_of_two(-2 * bits)
        point = up(self.radius * self.beta2 / (2 * tau)) + self.radius * tau / 2 + l.alpha * l.eta * self.radius**2 + nu
        rows_ = up(constant * power_of_two(-self.constant_bits) / self.scale)
        return rows_ + l.eps * point + up(square_ / ((self.scale * tau) ** 2 * 4 * curve))


def prove_contraction(statement: Struct, proof: Struct, data: list[Rows]) -> Fraction:
    """Theorem C2."""
    require_supported(statement, "contraction")
    c = Contraction(statement, proof, data)
    for one in proof.rounds:
        c.find_lines()
        require(len(one.codes) == len(one.ends) * c.bytes, "each free row has half a byte")
        moved = []
        for k, (end_, pull, tau, nu) in enumerate(zip(one.ends, one.pulls, one.tau, one.nu)):
            codes, end = one.codes[k * c.bytes : (k + 1) * c.bytes], int(end_)
            moved.append((end, c.value(codes, tau, nu, end, pull)))
        for (end, value), pull in zip(moved, one.pulls):
            c.cut(end, up((value - c.target) / Fraction(pull)))
        if any(low > high for low, high in zip(c.lows, c.highs)):
            return c.target
    c.find_lines()
    require(len(proof.codes) == c.bytes, "each free row has half a byte")
    return max(c.target, c.value(proof.codes, proof.tau, proof.nu))


# -------------------------------------------------------------------------------------- the error by levels (Theorem E4)


def grid(x: Fraction, exponent: int, upward: bool) -> Fraction:
    """The nearest multiple of 2^exponent on one side."""
    unit = power_of_two(exponent)
    return (math.ceil(x / unit) if upward else math.floor(x / unit)) * unit


def sqrt_down(x: Fraction) -> Fraction:
    unit = power_of_two((length_of(x) - 514) // 2) if x > 0 else ONE
    return max(sqrt_up(x) - unit, ZERO)


def exp(x: Fraction, upward: bool) -> Fraction:
    """A number above e^x, or below: e^x = (e^r)^(2^k), r = x/2^k at most ½, e^r = Σ r^j/j!."""
    if x < 0:
        return (up if upward else down)(1 / exp(-x, not upward))
    if x == 0:
        return ONE
    rounded = up if upward else down
    halvings = max(length_of(x) + 1, 0)
    r, term, total = rounded(x) / 2**halvings, ONE, ONE
    for j in range(1, 65):
        term = rounded(term * r / j)
        total += term
    if upward:
        total += 2 * term  # the rest of the series
    for _ in range(halvings):
        total = rounded(total * total)
    return total


def entropy_down(q: Fraction) -> Fraction:
    parts = [x * log(x)[1] for x in (q, 1 - q) if x > 0]
    return max(-sum(parts, ZERO), ZERO)


def activity(s: Fraction, upward: bool) -> Fraction:
    return (up if upward else down)(1 / (1 + exp(s, not upward)))


class LevelProof:
    """The letters of Section 20."""

    def __init__(self, statement: Struct, proof: Struct, rows: Rows) -> None:
        self.proof, self.z, self.weights = proof, rows.z, rows.weights
        self.n, self.d, self.total = len(rows.z), len(rows.z[0]), sum(rows.weights, ZERO)
        self.hinge, self.batch = statement.learner.loss[0] == "hinge", statement.learner.batch
        self.eta, self.sigma = Fraction(statement.learner.learning_rate), Fraction(statement.learner.regularization)
        self.eps = Fraction(statement.threat.poison_rate)
        self.require_numbers()
        numbers = ("radius", "norm", "smoothing", "alpha", "nu", "omega", "rho", "least", "offset", "steepness", "size", "anchor")
        self.radius, self.norm, self.mu, self.alpha, self.nu, self.omega, self.rho, self.least, self.offset, self.gamma, self.c, self.anchor = exact(
            proof[name] for name in numbers
        )
        self.o, self.tilt, self.heights = exact(proof.centre), exact(proof.tilt), exact(proof.heights)
        self.two_ak = 2 * self.alpha * (1 - self.eta * self.sigma)
        self.chi = self.two_ak - self.nu
        self.curvature = self.alpha * self.sigma * (2 - self.eta * self.sigma)
        require(self.alpha > 0 and self.nu >= 0 and self.chi > 0, "α > 0, ν ≥ 0, 2αk > ν")
        require(self.mu > 0 if self.hinge else self.mu == 0, "the smoothing is > 0 for the hinge loss, else 0")
        self.squares = [norm2(z) for z in rows.z]
        self.margins = [dot(z, self.o) for z in rows.z]
        self.require_norms(statement)
        require(all(abs(s) <= 2**20 for s in self.margins), "|oᵀz| ≤ 2^20")

    def require_numbers(self) -> None:
        proof, n, d = self.proof, self.n, self.d
        lengths = {"centre": d, "shares": n, "forces": 2 * n, "points": 2 * n * d, "tilt": d, "slopes": n, "curves": n, "peak": d}
        require_lengths(proof, tuple(lengths), lengths)
        require(all(0 <= q <= 1 for q in proof.shares) and all(x > 0 for x in proof.forces), "0 ≤ q ≤ 1 and π > 0")
        require(min(proof.omega, proof.offset, proof.size) >= 0, "ω, a², c ≥ 0")
        require(min(proof.rho, proof.least, proof.steepness, proof.spread_near, proof.spread_far) > 0, "ρ, a, γ, Λ > 0")
        heights = proof.heights
        require(len(heights) > 0 and heights[0] > 0 and all(a < b for a, b in zip(heights, heights[1:])), "heights increase from 0")
        require(max(proof.fine, proof.near) <= len(heights), "there are as many shells")

    def require_norms(self, statement: Struct) -> None:
        kind, content = statement.threat.set
        square, d = self.radius**2, self.d
        require(self.radius >= 0, "R ≥ 0")
        if kind == "ball":
            inside = Fraction(content.radius) ** 2 <= square
        elif kind == "box":
            inside = norm2(exact(content.radii)) <= square
        elif kind == "points":
            points = exact(content.points)
            inside = all(norm2(points[i : i + d]) <= square for i in range(0, len(points), d))
        elif kind == "label_flips":
            inside = max(self.squares) <= square
        else:
            q = symmetric(exact(content.q), d)
            inside = has_positive_minors([[square * (i == j) - q[i][j] for j in range(d)] for i in range(d)])
        require(inside, "the set lies in the ball of radius R")
        require(self.norm > self.radius and self.norm**2 > max(self.squares), "n̂ is above all norms")

    # Lemma E2

    def find_levels(self) -> None:
        proof, sigma, benign, total = self.proof, self.sigma, 1 - self.eps, self.total
        conjugate = ZERO
        for weight, q in zip(self.weights, exact(proof.shares)):
            conjugate += weight * (q if self.hinge else entropy_down(q))
        self.base = self.objective(self.o, self.margins)
        shares = [weight * Fraction(q) for weight, q in zip(self.weights, proof.shares)]
        pull = [sum((q * z[j] for q, z in zip(shares, self.z)), ZERO) for j in range(self.d)]
        self.gap = self.base - down(benign * conjugate / total - benign**2 * norm2(pull) / (2 * sigma * total**2))
        self.shift = up(sqrt_up(norm2([sigma * total * o - benign * c for o, c in zip(self.o, pull)])) / (sigma * total))
        self.lengths = [sqrt_up(n) for n in self.squares]
        self.find_constants()
        last = max(proof.fine, proof.near) - 1
        require(last < 0 or self.reach(last) * self.norm <= 2**20, "margins of fine and near levels are at most 2^20")

    def objective(self, theta: Numbers, margins: Numbers) -> Fraction:
        """F at a model, rounded up."""
        loss = ZERO
        for weight, s in zip(self.weights, margins):
            loss += weight * (max(1 - s, ZERO) if self.hinge else log(1 + exp(-s, True))[1])
        return up((1 - self.eps) * loss / self.total) + self.sigma * norm2(theta) / 2

    def find_constants(self) -> None:
        """What (E3) adds to v, in whole numbers: activities in units of 2^−14, conjugates in units of 2^−40."""
        proof, n, d, total, benign = self.proof, self.n, self.d, self.total, 1 - self.eps
        weight_unit, entry_unit = length_of(total) - 47, length_of(total * self.norm) - 47
        whole_weights = [math.floor(w / power_of_two(weight_unit)) for w in self.weights]
        unit = power_of_two(entry_unit)
        columns = [[math.floor(w * z[j] / unit) for w, z in zip(self.weights, self.z)] for j in range(d)]
        rows = [[float(x) for x in z] for z in self.z]
        if self.hinge:
            conjugates = [k << 26 for k in range((1 << 14) + 1)]
        else:
            conjugates = [math.floor(entropy_down(Fraction(k, 1 << 14)) * 2**40) for k in range((1 << 14) + 1)]
        lost = n * (math.isqrt(d) + 1) * unit
        self.constants = []
        for place in range(2 * n):
            q = [self.share(row, proof.points[place * d : (place + 1) * d]) for row in rows]
            conjugate = sum(w * conjugates[k] for w, k in zip(whole_weights, q)) * power_of_two(weight_unit - 40)
            force, i = Fraction(proof.forces[place]), place % n
            scaled = force * total * (-1 if place < n else 1)
            sums = [sum(map(int.__mul__, q, column)) * unit / 2**14 for column in columns]
            length = sqrt_up(norm2([scaled * z + benign * c for z, c in zip(self.z[i], sums)])) + lost
            pulled = up(length**2 / (2 * self.sigma * total**2)) - down(benign * conjugate / total)
            self.constants.append(grid(self.mu * force**2 * self.squares[i] / 2 + pulled, -160, True))

    def share(self, row: list[float], point: list[float]) -> int:
        s = 0.0
        for z, y in zip(row, point):
            s += z * y
        require(math.isfinite(s), "margins are finite")
        if self.hinge:
            q = (1.0 - s) * self.proof.gain + 0.5
        else:
            power = 1.0 + min(max(s, -40.0), 40.0) / (1 << 20)  # e^s is near its 2^20th power
            for _ in range(20):
                power *= power
            q = 1.0 / (1.0 + power)
        return int(min(max(q, 0.0), 1.0) * (1 << 14))

    def reach(self, k: int) -> Fraction:
        return up(sqrt_up(up(2 * (self.gap + self.heights[k]) * (1 + self.sigma * self.mu) / self.sigma)) + self.shift)

    def interval(self, i: int, k: int, x: Fraction) -> tuple[Fraction, Fraction]:
        level, around = self.base + self.heights[k], x * self.lengths[i]
        low, high = (up((level + self.constants[place]) / Fraction(self.proof.forces[place])) for place in (i, self.n + i))
        return -grid(min(low, around - self.margins[i]), -40, True), grid(min(high, around + self.margins[i]), -40, True)

    # Theorem E1

    def moments(self, factors: Numbers) -> list[Numbers]:
        """Σ w f zzᵀ, the lower triangle."""
        weighted = [w * f for w, f in zip(self.weights, factors)]
        columns = list(zip(*self.z))
        return [[sum((f * a * b for f, a, b in zip(weighted, columns[i], columns[j])), ZERO) for j in range(i + 1)] for i in range(self.d)]

    def find_fixed(self) -> None:
        """All of the bound on a level that is the same for all levels."""
        proof, d, total, sigma, chi = self.proof, self.d, self.total, self.sigma, self.chi
        reach = up(self.radius * chi / (2 * self.rho)) + self.alpha * self.eta * self.radius**2
        if self.hinge:
            acting = max(ZERO, reach + self.nu)
        else:
            acting = reach if self.nu == 0 else search(reach, ZERO, self.nu)
        point = self.eps * (acting + up(self.radius * self.rho * norm2(self.tilt) / (2 * chi)))
        unit = length_of(total) - 60
        lower = [[grid(x, unit, False) for x in row] for row in self.moments(exact(proof.curves))]
        base = self.curvature + self.omega - self.eps * self.radius * chi * self.rho / 2
        diagonal = grid(total * base, unit, False) - d * power_of_two(unit)
        matrix = [[diagonal * (i == j) - lower[max(i, j)][min(i, j)] for j in range(d)] for i in range(d)]
        least = total * self.least
        require(has_positive_minors([[matrix[i][j] - least * (i == j) for j in range(d)] for i in range(d)]), "A ≻ aI")
        slopes = [w * Fraction(y) for w, y in zip(self.weights, proof.slopes)]
        at_centre, at_tilt = sigma * chi - 2 * self.curvature, self.eps * self.radius * self.rho - sigma
        v = [
            sum((y * z[j] for y, z in zip(slopes, self.z)), ZERO) + total * (at_centre * self.o[j] + at_tilt * self.tilt[j])
            for j in range(d)
        ]
        x = exact(proof.peak)
        ax = apply(matrix, x)
        peak = up((2 * dot(v, x) - dot(ax, x)) / (4 * total)) + up(norm2([a - b for a, b in zip(v, ax)]) / (4 * total * least))
        self.fixed = point + (sigma * chi - self.curvature) * norm2(self.o) - sigma * dot(self.tilt, self.o) + peak
        self.known: dict[int, tuple[Fraction, Fraction]] = {}

    def on_level(self, k: int) -> Fraction:
        x = self.reach(k)
        rows = sum((w * self.row_top(i, *self.interval(i, k, x)) for i, w in enumerate(self.weights)), ZERO)
        return up(rows / self.total) + self.omega * x**2 + self.fixed

    def row_top(self, i: int, low: Fraction, high: Fraction) -> Fraction:
        """T_i of (E1)."""
        benign, y, m = 1 - self.eps, Fraction(self.proof.slopes[i]), Fraction(self.proof.curves[i])
        fixed, second = self.nu * self.margins[i] + dot(self.z[i], self.tilt), self.alpha * self.eta * self.squares[i]
        if not self.hinge:
            return self.logistic_top(i, low, high, fixed, second)
        tops = []
        acting, slope = benign * (fixed + second), benign * self.two_ak
        pieces = [(low, min(high, ZERO), acting + 1, slope), (max(low, ZERO), min(high, ONE), acting, slope), (max(low, ONE), high, ZERO, ZERO)]
        for start, end, constant, steep in pieces:
            if start > end:
                continue
            rest, ends = steep - y, (start - self.margins[i], end - self.margins[i])
            if m > 0 and 2 * m * ends[0] <= rest <= 2 * m * ends[1]:
                tops.append(constant + up(rest**2 / (4 * m)))
            else:
                tops.append(constant + max((rest - m * u) * u for u in ends))
        return max(tops, default=ZERO)

    def logistic_top(self, i: int, low: Fraction, high: Fraction, fixed: Fraction, second: Fraction) -> Fraction:
        """By halving cells down to the width 2^−10: f'' ≥ −bend, so f exceeds the ends by at most bend·width²/8."""
        benign, y, m = 1 - self.eps, Fraction(self.proof.slopes[i]), Fraction(self.proof.curves[i])
        slope_at_0 = fixed - self.two_ak * self.margins[i]
        bend = max(benign * (self.two_ak / 2 + up(abs(slope_at_0) / 10) + second / 4) + 2 * m, ZERO)

        def value(s: int, error: int) -> Fraction:
            if s not in self.known:
                self.known[s] = grid(activity(Fraction(s, 1024), False), -80, False), grid(activity(Fraction(s, 1024), True), -80, True)
            below, above = self.known[s]
            u = Fraction(s, 1024) - self.margins[i]
            slope = self.two_ak * u + fixed
            drift = benign * ((below if slope < 0 else above) * slope + second * above**2)
            return grid(drift + error - (y + m * u) * u, -80, True)

        start, end = math.floor(low * 1024), math.ceil(high * 1024)
        top: Optional[Fraction] = None
        for first, last, error in ((start, min(end, 0), 1), (max(start, 0), end, 0)):
            if first > last:
                continue
            cells = [(first, last, value(first, error), value(last, error))]
            top, looked_at = max(x for x in (top, cells[0][2], cells[0][3]) if x is not None), 0
            while cells:
                a, b, at_a, at_b = cells.pop()
                looked_at += 1
                require(looked_at <= 2**20, "at most 2^20 cells for a row")
                above = max(at_a, at_b) + bend * Fraction(b - a, 1024) ** 2 / 8
                if above <= top:
                    continue
                if b - a <= 1:
                    top = above
                    continue
                middle = a + (b - a) // 2
                at = value(middle, error)
                top = max(top, at)
                cells += [(a, middle, at_a, at), (middle, b, at, at_b)]
        return top if top is not None else ZERO

    # Lemma E3

    def spread(self, activities: Numbers, spread: float) -> tuple[Fraction, Fraction]:
        """√S₁ and S₂."""
        d, unit, benign, point = self.d, length_of(self.total) - 60, 1 - self.eps, self.eps * self.radius**2
        lower = [[grid(x, unit, True) for x in row] for row in self.moments([w * w for w in activities])]
        diagonal = self.total * Fraction(spread) - d * power_of_two(unit)
        matrix = [[diagonal * (i == j) - lower[max(i, j)][min(i, j)] for j in range(d)] for i in range(d)]
        require(has_positive_minors(matrix), "ΛI ≻ Σp w̄²zzᵀ")
        trace = sum((lower[j][j] for j in range(d)), ZERO)
        return sqrt_up(up(benign * trace / self.total) + point), benign * Fraction(spread) + point

    def near_activities(self) -> Numbers:
        if self.proof.near == 0:
            return [ONE] * self.n
        k = self.proof.near - 1
        x = self.reach(k)
        lows = [self.interval(i, k, x)[0] for i in range(self.n)]
        if self.hinge:
            return [Fraction(int(low <= 1)) for low in lows]
        return [min(grid(activity(grid(low, -10, False), True), -16, True), ONE) for low in lows]

    def drifts(self) -> Numbers:
        proof, gamma, eta, sigma = self.proof, self.gamma, self.eta, self.sigma
        top = (1 - self.eps) * (1 + self.norm**2 / sigma) + self.norm**2 / (2 * sigma)
        require(self.base + self.heights[-1] >= top, "the last level is above F everywhere")
        room = self.offset - self.gap
        require(room > 0, "a² > v₀ − F_q")
        require(self.batch == 1 or gamma**2 * room >= 1, "λ is convex where there are batches")
        near, far = self.spread(self.near_activities(), proof.spread_near), self.spread([ONE] * self.n, proof.spread_far)
        lipschitz = up(1 / self.mu) if self.hinge else sigma + (1 - self.eps) * Fraction(proof.spread_far) / 4
        longest = 2 * self.norm * eta
        first = gamma * longest * sqrt_up(lipschitz / 2)
        both = first + up(gamma * lipschitz * longest**2 / (4 * sqrt_down(room)))
        require(both <= 700, "t̄ + t̄₂ ≤ 700")
        jump, jumps, push = exp(first, True), exp(both, True), self.eps * self.radius
        centre, drifts = sqrt_up(norm2(self.o)), []
        self.edges, self.growths = [], []
        for k, high in enumerate(self.heights):
            low = self.heights[k - 1] if k else -self.gap
            y0, y1 = sqrt_down(low + self.offset), sqrt_up(high + self.offset)
            root, spread = near if k < proof.near else far
            c2 = 1 - up(gamma * eta * spread * jump / (4 * y0))
            require(c2 > 0, "c₂ > 0")
            r = sqrt_down(down(2 * sigma * max(low, ZERO) / (1 + sigma * self.mu)))
            mean = up(push**2 / (4 * c2)) if 2 * c2 * r < push else (push - c2 * r) * r
            zeta = max(up(gamma * eta * mean / (2 * (y0 if mean > 0 else y1))), Fraction(-700))
            require(zeta <= 700, "ζ ≤ 700")
            pull = min(sigma * (self.reach(k) + centre), self.norm)
            growth = exp(zeta, True) - 1 + up(jumps * gamma * eta**2 * lipschitz * (root + pull) ** 2 / (4 * y0))
            drifts.append(up(self.c * growth * (self.power_up(y1) if growth > 0 else self.power_down(y0)) / eta))
            self.edges.append((y0, y1))
            self.growths.append(growth)
        return drifts

    def power_up(self, y: Fraction) -> Fraction:
        exponent = self.gamma * (y - self.anchor)
        require(exponent <= 700, "γ(Y − Ȳ) ≤ 700")
        return exp(max(exponent, Fraction(-700)), True)

    def power_down(self, y: Fraction) -> Fraction:
        exponent = self.gamma * (y - self.anchor)
        return exp(min(exponent, Fraction(700)), False) if exponent >= -700 else ZERO

    def anywhere(self) -> Fraction:
        """G_∞ of (E4)."""
        most = ONE if self.hinge else Fraction(0.2784701)
        rows = [max(1 - s, ZERO) if self.hinge else max(-s, ZERO) + most for s in self.margins]
        mean = up((1 - self.eps) * dot(self.weights, rows) / self.total)
        middle = up((self.sigma * sqrt_up(norm2(self.o)) + self.eps * self.radius) ** 2 / (4 * self.sigma))
        tilt = 2 * self.norm * sqrt_up(norm2(self.tilt))
        return 1 + self.chi * (mean + middle) + self.nu * most + self.alpha * self.eta * self.norm**2 + tilt


    # Theorem E4

    def prove(self) -> Fraction:
        self.find_levels()
        anywhere = self.anywhere()
        drifts = self.drifts()
        self.find_fixed()
        self.bounds = [min(self.on_level(k), anywhere) if k < self.proof.fine else anywhere for k in range(len(drifts))]
        self.value = max(bound + drift for bound, drift in zip(self.bounds, drifts))
        return self.value

    # Theorem E5

    def start(self, horizon: Struct, m: float) -> Fraction:
        """What the start adds to the average over the horizon."""
        theta = exact(horizon.start)
        require(len(theta) == self.d and m == 0, "a start as long as a row, and m = 0")
        require(self.sigma**2 * norm2(theta) <= self.norm**2, "σ‖θ_0‖ ≤ n̂")
        beta = [tilt - self.chi * o for tilt, o in zip(self.tilt, self.o)]
        square = norm2([2 * self.alpha * t + b for t, b in zip(theta, beta)])
        margins = [dot(z, theta) for z in self.z]
        require(all(abs(s) <= 2**20 for s in margins), "|θ_0ᵀz| ≤ 2^20")
        y = sqrt_up(self.objective(theta, margins) - self.base + self.offset)
        edge, slopes = self.edge()
        cost = up(self.c * self.power_up(min(y, self.edges[edge - 1][1])) / self.eta)
        for (low, high), slope in zip(self.edges[edge:], slopes):
            cost += self.gamma * slope * max(min(y, high) - low, ZERO)
        return (square / (4 * self.alpha * self.eta) + cost) / horizon.steps

    def edge(self) -> tuple[int, Numbers]:
        """How many shells keep the exponential, as few as may be, and h of those beyond them."""
        edge, slopes = len(self.edges), [ZERO]
        while edge > 1 and self.growths[edge - 1] < 0:
            excess = max(self.bounds[edge - 1] - self.value, ZERO)
            slope = max(slopes[-1], up(excess / -self.growths[edge - 1]))
            if self.c * self.power_down(self.edges[edge - 1][0]) < slope * self.eta:
                break
            slopes.append(slope)
            edge -= 1
        return edge, slopes[:0:-1]


def prove_levels(statement: Struct, proof: Struct, rows: Rows) -> LevelProof:
    require_supported(statement, "levels")
    levels = LevelProof(statement, proof, rows)
    levels.prove()
    return levels


# --------------------------------------------------------------------------------------------------- new data (Theorems L18 and H2)


def prove_new_data(statement: Struct, claim: Struct, rows: Rows) -> Fraction:
    # Rows divided by a number that was read off them are not independent draws.
    scaled = any(origin.scale != 1 for origin in statement.data)
    require_supported(statement, "new-data", *["row-weights"] * rows.weighted, *["scaled"] * scaled)
    hostile, count = claim.hostile, sum(statement.hostile_rows)
    require((hostile is None) == (count == 0), "a sample of which rows may be hostile has the numbers for this")
    sample = rows.z if hostile is None else rows.z[hostile.earlier :]
    require(len(sample) > count, "not all rows of the sample may be hostile")
    kind, n, d = statement.threat.set[0], len(sample), len(rows.z[0])
    logistic = statement.learner.loss[0] == "logistic"
    require((kind == "ellipsoid") == (claim.omega is not None) and n >= 2, "ω is that of an ellipsoid, and n ≥ 2")
    require_lengths(claim, ("beta", "theta", "tau"), {"beta": d, "theta": d, "tau": d if kind == "box" else 1})
    require(len(claim.w or ()) == (n if logistic else 0), "logistic rows have a w each")
    require(claim.floor is not None or not logistic, "the constants of logistic rows have a floor")
    require(min(claim.tau) > 0 and claim.nu >= 0 and claim.radius > 0 and 0 < claim.delta < 1, "τ, r > 0, ν ≥ 0, 0 < δ < 1")
    if hostile is not None:
        require(len(hostile.pull) == d and hostile.spread > 0, "c is as long as a row, and t > 0")
    pull = [ZERO] * d if hostile is None else exact(hostile.pull)
    tightness, threshold = (ONE, ZERO) if hostile is None else (Fraction(hostile.spread), Fraction(hostile.threshold))
    l = Letters(statement, claim.alpha, claim.beta)
    kappa = l.kappa0 - 1
    require(l.alpha > 0 and kappa >= 0, "α > 0 and κ ≥ 0")
    require_projection(statement, l)
    require_ellipsoid(statement, claim.omega, d)
    acting = "logistic" if logistic else "bounded"
    point = symmetric_set(l, statement, exact(claim.tau), Fraction(claim.nu), claim.omega, acting)
    eigenvalues = point.M if point.kind == "diagonal" else [point.M * (Fraction(claim.omega) if point.kind == "dense" else 1)]
    least = min(down(l.curvature - l.eps * m) for m in eigenvalues) if point.M != 0 else l.curvature
    least -= up(count / (2 * tightness * n))
    require(least > 0, "a > 0")
    r, theta, gain = Fraction(claim.radius), exact(claim.theta), Fraction(claim.gain)
    floor = -kappa if claim.floor is None else Fraction(claim.floor)
    constants, slope, doubt, above = [], [-count * c for c in pull], ZERO, ZERO
    for i, z in enumerate(sample):
        square = norm2(z)
        require(square <= r**2, "‖z‖ ≤ r")
        y = kappa * min(max((1 - dot(theta, z)) * gain + HALF, ZERO), ONE)
        if logistic:
            benign = 1 - l.eps
            h = Entropy(l.kappa0, y, kappa - y, benign * dot(l.beta, z), benign * l.alpha * l.eta * square)
            low, high = h.enclosed(claim.w[i])
        else:
            low = high = max((1 - l.eps) * l.full(square, dot(l.beta, z)), ZERO) - y
        constants.append(max(high, floor))
        if hostile is not None:
            distance = norm2([c - y * x for c, x in zip(pull, z)])
            above += max(tightness / 2 * distance - constants[-1] - threshold, ZERO)
        doubt += (high - low) ** 2
        slope = [own + y * x for own, x in zip(slope, z)]

    def log_over(x: int) -> Fraction:
        return log(Fraction(x))[1] - log(Fraction(claim.delta))[0]

    # T₊ − T₋
    reach = l.alpha * l.eta * r**2 + sqrt_up(norm2(l.beta)) * r
    if logistic:
        a = l.two_ak
        spread = (1 - l.eps) * reach + up(l.kappa0 * 2 * a**2 / (2 * a**2 + 2 * a * reach + reach**2)) - floor
    else:
        spread = (1 - l.eps) * (l.two_ak + reach) - floor
    require(spread >= 0, "T₊ ≥ T₋")
    if claim.deviation[0] == "hoeffding":
        deviation = spread * sqrt_up(up(log_over(2) / (2 * n)))
    else:
        scatter = n * (norm2(constants) + count * spread**2) - sum(constants) ** 2  # n(n−1)V, and nKw²
        deviation = sqrt_up(up(2 * scatter * log_over(4) / (n**2 * (n - 1)))) + up(7 * spread * log_over(4) / (3 * (n - 1)))
        deviation += sqrt_up(up(2 * doubt * log_over(4) / (n * (n - 1)))) if logistic else ZERO
    away = sqrt_up(up(r**2 / n)) * (1 + sqrt_up(2 * log_over(2)))  # Δ
    v = [own / n + l.eps * m - sb for own, m, sb in zip(slope, point.m, l.sigma_beta)]
    length = sqrt_up(sum((up(one**2) for one in v), ZERO)) + kappa * (away + up(count * r / n))
    unseen = count * (threshold + spread + floor)  # K(γ + T₊)
    return up((sum(constants, ZERO) + above + unseen) / n) + deviation + l.eps * point.m0 + up(length**2 / (4 * least))


# --------------------------------------------------------------------------------------------------------- claims, and main


def proven(claim_bound: float, value: Fraction, what: str) -> float:
    """The value, rounded up, if the claim is not below it."""
    if value > Fraction(claim_bound):
        raise Invalid(f"{what}: the bound {claim_bound!r} is below the proven value {double_up(value)!r}")
    return double_up(value)


def error_within(statement: Struct, loss: float, own: float) -> Optional[float]:
    """The smallest of a bound on the error, what a bound on the loss says of it, and 1."""
    kind, width = statement.learner.loss
    if kind == "logistic":
        loss = math.nextafter(loss / 0.693, math.inf)  # the loss is at least log 2 where s ≤ 0
    if kind == "smooth_hinge":
        mistake = math.nextafter(1 - width / 2 if width <= 1 else 0.5 / width, 0)
        loss = math.nextafter(loss / mistake, math.inf)
    return None if is_regression(statement) else min(own, loss, 1.0)


def check_linear(certificate: Struct, data: list[Rows], target: Optional[Rows]) -> dict[str, Optional[float]]:
    """Every claim, and what is proven."""
    statement, loss, error = certificate.statement, certificate.loss, certificate.error
    validate(statement, data, target)
    levels: list[LevelProof] = []

    def value_of(given: Any, of_error: bool) -> Fraction:
        kind, proof = given
        about_error = kind == "levels" or (kind == "cases" and "error" in proof.rows[0])
        require(about_error == of_error, "a proof is about what is claimed")
        if kind == "levels":
            levels.append(prove_levels(statement, proof, data[0]))
            return levels[0].value
        if kind == "contraction":
            return prove_contraction(statement, proof, data)
        return prove_cases(statement, proof, data, target) if kind == "cases" else prove_paper(statement, proof, data[0])

    value = value_of(loss.proof, False)
    found: dict[str, Optional[float]] = {"certified_loss": proven(loss.bound, value, "loss")}
    by_error = None if error is None else value_of(error.proof, True)
    own = math.inf if error is None else proven(error.bound, by_error, "error")
    found["certified_error"] = error_within(statement, found["certified_loss"], own)
    require((statement.horizon is None) == (certificate.horizon is None), "a horizon is stated if it is claimed")
    found["certified_horizon"] = found["certified_horizon_error"] = found["certified_new_data"] = None
    if certificate.horizon is not None:
        # Of a proof of its own, or of the loss's.
        kind, proof = own_proof = certificate.horizon.proof or loss.proof
        if certificate.horizon.proof is not None:
            value = value_of(own_proof, False)
        m = Fraction(certificate.horizon.m)
        cost = start_of_paper(statement, proof, m) if kind == "paper" else start_of_cases(statement, proof, m, data)
        first, total = statement.horizon.first_rate, statement.horizon.total_rate
        rate = Fraction(statement.learner.learning_rate if first is None else first)
        steps = rate * statement.horizon.steps if total is None else Fraction(total)
        found["certified_horizon"] = proven(certificate.horizon.bound, value + cost / steps, "horizon")
        own = math.inf
        if certificate.horizon_error is not None:
            require(by_error is not None, "a bound on the error over first steps has the proof of the error")
            learner, m = statement.learner, Fraction(certificate.horizon_error.m)
            require(learner.schedule is None and learner.momentum is None, "the error over first steps is for a constant rate")
            cost = levels[0].start(statement.horizon, m) if levels else start_of_cases(statement, error.proof[1], m, data) / steps
            own = proven(certificate.horizon_error.bound, by_error + cost, "horizon error")
        found["certified_horizon_error"] = error_within(statement, found["certified_horizon"], own)
    require(statement.horizon is not None or certificate.horizon_error is None, "a horizon is stated if it is claimed")
    if certificate.new_data is not None:
        require(len(data) == 1, "a claim on new data is about one dataset")
        bound = prove_new_data(statement, certificate.new_data, data[0])
        found["certified_new_data"] = proven(certificate.new_data.bound, bound, "new data")
        found["new_data_delta"], found["new_data_radius"] = certificate.new_data.delta, certificate.new_data.radius
        hostile = certificate.new_data.hostile
        found["new_data_earlier"] = None if hostile is None else hostile.earlier
    return found


def draws_of(earlier: Optional[int]) -> str:
    """What a claim on new data assumes of how its rows came about."""
    if earlier is None:
        return (
            "they are independent draws\n  from the law of the new data, made after the numbers of the statement and of the proof (but for its\n  `w`) were chosen without them,"
        )
    return (
        "they are in the order\n  of their arrival, the numbers of the statement and of the proof (but for its `threshold`, `pull`, `spread` and `w`)\n"
        f"  were chosen, and how many rows would follow was fixed, when the first {earlier} had arrived, honest points after that\n"
        f"  are independent draws from the law of the new data whatever came before, and the rows after the first {earlier}\n"
        "  are the next ones, but for the hostile rows, which were added or replace any of them (none is left out otherwise),"
    )


def check_mean(certificate: Struct, samples: Optional[Rows]) -> dict[str, Optional[float]]:
    """Section 14."""
    statement = certificate.statement
    names = ("learning_rate", "poison_rate", "squared_radius", "noise_trace")
    eta, eps, r, noise = exact(statement[name] for name in names)
    a, nu = Fraction(certificate.alpha), Fraction(certificate.nu)
    require(0 < eta < 2 and 0 <= eps <= 1 and r >= 0 and noise >= 0, "0 < η < 2, 0 ≤ ε ≤ 1, r ≥ 0, tr S ≥ 0")
    if samples is None:
        trace = Fraction(statement.benign[1])
        require(trace >= 0, "tr Σ ≥ 0")
    else:
        total = sum(samples.weights)
        squares = sum((w * norm2(z) for w, z in zip(samples.weights, samples.z)), ZERO)
        mean = [dot(samples.weights, list(column)) / total for column in zip(*samples.z)]
        trace = squares / total - norm2(mean)
    p, q = (2 * eta - eta**2) * a - 1, nu - eps * eta**2 * a
    require(a > 0 and nu >= 0 and p >= 0 and q >= 0 and p * q >= (eps * eta * (1 - eta) * a) ** 2, "P, Q ≥ 0, PQ ≥ ε²η²(1−η)²a²")
    value = eta**2 * a * ((1 - eps) * trace + noise) + nu * r
    return {"certified_loss": proven(certificate.bound, value, "loss"), "certified_error": None}


def at(path: str, work: Callable[[], Any]) -> Any:
    """The work, with the file's name in what goes wrong."""
    try:
        return work()
    except Unreadable as error:
        raise Unreadable(f"{path}: {error}") from None
    except Invalid as error:
        raise Invalid(f"{path}: {error}") from None


def verify(path: str, data: list[str], labels: Optional[str] = None, target: Optional[str] = None) -> dict[str, Any]:
    """Checks a certificate against data files. Returns what is proven; raises Invalid or Unreadable."""
    kind, certificate = at(path, partial(read_certificate, path))
    statement = certificate.statement
    own_target: Any = None
    if kind == "linear":
        origins = statement.data
        own_target = statement.target[1] if statement.target[0] == "rows" else None
    else:
        origins = [statement.benign[1]] if statement.benign[0] == "samples" else []
    if len(data) != len(origins) or (target is None) != (own_target is None):
        raise Unreadable(f"the certificate needs {len(origins)} data files and {'a' if own_target else 'no'} target file")
    rows = [at(name, partial(read_rows, name, labels, origin)) for name, origin in zip(data, origins)]
    judged = None if target is None else at(target, partial(read_rows, target, labels, own_target))
    found = check_linear(certificate, rows, judged) if kind == "linear" else check_mean(certificate, rows[0] if rows else None)
    return {"status": "valid", **found, "statement": statement, "tool": certificate.tool}


def flat(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """A statement line by line; of long vectors the size, the range and the start of their SHA-256."""
    if isinstance(value, tuple):
        yield from [(name, value[0])] if value[1] is None else flat(value[1], f"{name}.{value[0]}")
    elif isinstance(value, dict):
        for key, content in value.items():
            yield from flat(content, f"{name}.{key}".lstrip("."))
    elif isinstance(value, list) and len(value) > 8 and all(isinstance(one, float) for one in value):
        start = hashlib.sha256(struct.pack(f"<{len(value)}d", *value)).hexdigest()[:16]
        yield name, f"{len(value)} numbers from {min(value)} to {max(value)}, sha256 {start}…"
    elif isinstance(value, list) and any(isinstance(one, (dict, list)) for one in value):
        for i, content in enumerate(value):
            yield from flat(content, f"{name}.{i}")
    elif isinstance(value, str) and not re.fullmatch(r"[\w+.-]+", value):
        yield name, json.dumps(value)  # a name that somebody chose must not pass for another line
    elif value is not None:
        yield name, str(value)


def decimal_up(x: float) -> str:
    """Six decimals, rounded up."""
    units = math.ceil(Fraction(x) * 10**6)
    return f"{'-' if units < 0 else ''}{abs(units) // 10**6}.{abs(units) % 10**6:06}"


def main(arguments: list[str]) -> int:
    files: list[str] = []
    options: dict[str, Any] = {}
    rest = iter(arguments)
    for argument in rest:
        if argument in ("--labels", "--target"):
            options[argument[2:]] = next(rest, None)
        elif argument in ("--json", "--help", "-h"):
            options[argument.lstrip("-")] = True
        elif argument.startswith("--"):
            print(f"unreadable: unknown option {argument}")
            return 2
        else:
            files.append(argument)
    if not files or "help" in options or "h" in options:
        print(__doc__)
        return 0 if "help" in options or "h" in options else 2
    try:
        found = verify(files[0], files[1:], options.get("labels"), options.get("target"))
        code = 0
    except Invalid as error:
        found, code = {"status": "not valid", "message": str(error)}, 1
    except Unreadable as error:
        found, code = {"status": "unreadable", "message": str(error)}, 2
    if "json" in options:
        print(json.dumps(found))
    elif code:
        print(f"{found['status']}: {found['message']}")
    else:
        print("valid: proved in exact arithmetic, against every adversary of the threat")
        for name, value in flat(found.pop("statement")):
            print(f"  {name:<32} {value}")
        for name, value in found.items():
            if isinstance(value, float) and name.startswith("certified"):
                print(f"{name:<20} {decimal_up(value)}")
        if "new_data_radius" in found:
            print(
                f"  on new data with probability 1 − {found['new_data_delta']} over the draw of these rows, if {draws_of(found['new_data_earlier'])}\n"
                "  and if the learner's benign points are draws from that law (not from these rows) which it shortens or refuses\n"
                f"  where their norm is above {found['new_data_radius']}; the loss is that on points after this"
            )
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
