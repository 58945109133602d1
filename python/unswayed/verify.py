"""A second checker of certificates, independent of the first: one file, standard library only.

    python -m unswayed.verify CERTIFICATE [DATA...] [--labels FILE] [--target FILE] [--json]
    python verify.py CERTIFICATE [DATA...]                       the same, without the package

It reads a certificate (`docs/certificate-format.md`), makes the rows again from the data files as the statement says, and
evaluates the theorems of `docs/theory.md`, with their letters. It shares no code with the Rust program `unswayed-check`.
Data are .csv, .tsv, .jsonl or .svm files (or compressed by gzip: .gz), folders of tables, patterns or lists of their names, .npy
or .npz files, SciPy's sparse matrices among them; Parquet and Zstandard are not read here. Exit code: 0 valid, 1 not valid,
2 something could not be read.

Numbers are exact (`fractions.Fraction`), and conditions are decided exactly. Write L(x) for the whole number with
2^(L−1) ≤ |x| < 2^L. What is rounded, always so that the bound can only grow:

- `up(x)` and `down(x)` round a quotient to a multiple of 2^(L(x)−256). `up` is applied to: ΣT_i/W of the rows; H/(2t(W−H)) of
  rows that may be hostile; ½βᵀNβ of the point (for a box each R_jβ_j²/(2τ_j)); ¼vᵀA⁻¹v (for a box each coordinate; for an
  ellipsoid ¼(2vᵀx − xᵀAx) and ‖v−Ax‖²/(4a); for the points of one class each of three parts; in a slab v_be + εM_bbe² of either
  end); h'(w₀)²/(4m) and h(w₀) of Lemma L3, and both ends of y/w₀ and (κ−y)/(1−w₀) in h'; each bound on an interval in the search
  for C of Lemmas L7 and I1, and 1/(1−w) in it. Rows' constants are multiples of W, the sum of the weights (W·S with target
  weights of sum S), until they are divided by it.
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

import argparse
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
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import Any, Callable, Iterator, NamedTuple, Optional


class Unreadable(Exception):
    """A file that cannot be read, or is not what the format prescribes: exit code 2."""


class Invalid(Exception):
    """A claim that is not proven, or rows that are not those of the statement: exit code 1."""


def require(holds: bool, what: str) -> None:
    if not holds:
        raise Invalid(f"it does not hold that {what}")


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Unreadable(otherwise)


# ------------------------------------------------------------------------------------ numbers, and how they are rounded

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
    return sum((value * value for _, value in entries_of(x)), ZERO)


def length_of(x: Fraction) -> int:
    """L(x); −1 for 0."""
    n, d = abs(x.numerator), x.denominator
    e = n.bit_length() - d.bit_length()
    return e + 1 if n << max(-e, 0) >= d << max(e, 0) else e


def power_of_two(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def up(x: Fraction) -> Fraction:
    """The least multiple of 2^(L(x)−256) that is not below x."""
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


def nearest(x: Fraction) -> float:
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def rounded_up(x: Fraction) -> float:
    """The least binary64 number that is not below x, or infinity."""
    y = nearest(x)
    while y != math.inf and (y == -math.inf or Fraction(y) < x):
        y = math.nextafter(y, math.inf)
    return y + 0.0


def double_up(x: Fraction) -> float:
    y = rounded_up(x)
    require(y < math.inf, "the proven value is a binary64 number")
    return y


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


def minus(x: Numbers, y: Numbers) -> Numbers:
    return [a - b for a, b in zip(x, y)]


def combined(factors: Numbers, rows: list[Numbers], d: int) -> Numbers:
    """Σ f_i z_i."""
    return [sum((f * z[j] for f, z in zip(factors, rows)), ZERO) for j in range(d)]


def shifted(matrix: list[Numbers], by: Fraction, sign: int = 1) -> list[Numbers]:
    """±(A − by·I)."""
    return [[sign * (x - by * (i == j)) for j, x in enumerate(row)] for i, row in enumerate(matrix)]


def split(numbers: Numbers, d: int) -> list[Numbers]:
    return [numbers[i : i + d] for i in range(0, len(numbers), d)]


def is_between(matrix: list[Numbers], low: Fraction, high: Fraction) -> bool:
    """low·I ≺ A ≺ high·I."""
    return has_positive_minors(shifted(matrix, low)) and has_positive_minors(shifted(matrix, high, -1))


def apply(matrix: list[Numbers], x: Numbers) -> Numbers:
    return [dot(row, x) for row in matrix]


# ------------------------------------------------------------------------------------------------- the certificate file

# A form is a function that returns what a JSON value stands for, or raises Unreadable. `struct_of` is strict: no unknown, double
# or missing fields. `optional` fields may be absent or null; fields with a `Default` may be absent only.

Form = Callable[[Any], Any]


Default = NamedTuple("Default", [("form", Form), ("value", Any)])


def optional(form: Form) -> Default:
    return Default(lambda value: None if value is None else form(value), None)


class Struct(dict[str, Any]):
    """A JSON object with its fields as attributes."""

    def __getattr__(self, name: str) -> Any:
        return self[name]


def well_formed(holds: bool, otherwise: str) -> None:
    expect(holds, f"not a certificate: {otherwise}")


def of_type(kind: type, what: str) -> Form:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise Unreadable(f"not a certificate: {value!r} is not {what}")
        return value

    return read


def struct_of(**fields: Any) -> Form:
    an_object = of_type(dict, "an object")

    def read(value: Any) -> Struct:
        unknown = sorted(set(an_object(value)) - set(fields))
        well_formed(not unknown, f"unknown fields {', '.join(unknown)}")
        found = Struct()
        for name, form in fields.items():
            if name in value:
                found[name] = (form.form if isinstance(form, Default) else form)(value[name])
            else:
                well_formed(isinstance(form, Default), f"there is no field {name!r}")
                found[name] = form.value
        return found

    return read


def one_of(**variants: Optional[Form]) -> Form:
    """`"name"` or `{"name": content}`: a pair of the name and what the content stands for."""

    def read(value: Any) -> tuple[str, Any]:
        name, content = value, None
        if isinstance(value, dict) and len(value) == 1:
            [(name, content)] = value.items()
        well_formed(isinstance(name, str) and name in variants, f"there must be one of {', '.join(variants)}")
        form = variants[name]
        well_formed((form is None) == (content is None), f"{name!r} has the wrong content")
        return name, form and form(content)

    return read


def list_of(form: Form) -> Form:
    a_list = of_type(list, "a list")
    return lambda value: [form(item) for item in a_list(value)]


def number(value: Any) -> float:
    # What is not below this would be rounded to infinity.
    well_formed(type(value) in (int, float) and abs(value) < 2**1024 - 2**970, "a number is missing, or too large")
    return float(value)


def whole(value: Any) -> int:
    well_formed(type(value) is int and 0 <= value < 2**64, "a whole number is missing")
    return int(value)


def octets(value: Any) -> bytes:
    """Bytes in base64."""
    try:
        content = base64.b64decode(text(value), validate=True)
    except ValueError as error:
        raise Unreadable(f"not a certificate: an array is not base64 ({error})") from None
    well_formed(base64.b64encode(content).decode() == value, "an array is not in plain base64")
    return content


def vector(value: Any) -> list[float]:
    """Little-endian binary64 numbers in base64."""
    content = octets(value)
    well_formed(len(content) % 8 == 0, "an array is not whole numbers of 8 bytes")
    numbers = list(struct.unpack(f"<{len(content) // 8}d", content))
    well_formed(all(map(math.isfinite, numbers)), "an array has an entry that is not finite")
    return numbers


text, flag = of_type(str, "text"), of_type(bool, "true or false")
VECTOR = Default(vector, [])

def fields(names: str, form: Any) -> dict[str, Any]:
    return dict.fromkeys(names.split(), form)


OF_CLASSES = struct_of(**fields("negative positive", number))
ORIGIN = struct_of(
    **fields("file sha256", text), **fields("label_file label_column weight_column step_weight_column made", optional(text)),
    **fields("chosen_columns files", optional(list_of(text))), **fields("rows of columns", whole), of_columns=optional(whole),
    labels=one_of(
        **fields("scores numbers premultiplied preferences none", None), classes=struct_of(**fields("negative positive", text)),
        multiclass=struct_of(labels=list_of(text)),
    ),
    scale=number, class_weights=optional(OF_CLASSES),
)
STATEMENT = struct_of(
    learner=struct_of(
        loss=one_of(
            **fields("hinge logistic modified_huber absolute", None), multiclass=whole,
            **fields("smooth_hinge epsilon_insensitive huber quantile", number),
        ),
        **fields("learning_rate regularization", number), **fields("momentum projection clip", optional(number)), batch=whole,
        schedule=optional(struct_of(slowdown=number, from_step=optional(whole), weighted=Default(flag, False))),
        average=Default(flag, False), unregularized=Default(list_of(whole), []),
    ),
    threat=struct_of(
        poison_rate=number, label_bound=optional(number), moments=optional(whole),
        set=one_of(
            **fields("label_flips any", None), ball=struct_of(radius=number), features=struct_of(**fields("radius constant", number)),
            box=struct_of(radii=vector), ellipsoid=struct_of(q=vector), points=struct_of(points=vector),
        ),
        poison_weight=optional(lambda value: OF_CLASSES(value) if isinstance(value, dict) else number(value)),
    ),
    data=list_of(ORIGIN), hostile_rows=Default(list_of(whole), []), target=one_of(data=None, weights=list_of(vector), rows=ORIGIN),
    horizon=optional(struct_of(steps=whole, start=vector, **fields("first_rate total_rate", optional(number)))),
)
LINE_VECTORS = "u u2 c w w2 y reach low high target_y target_reach pull spread threshold theta gain exceptions"
CASE_VECTORS = "tau nu share w x outer inner"
ROW_BOUNDS = {  # the vectors of each kind of line
    "bounded-slope": ("u",), "interval": ("y", "reach"), "logistic": ("u", "w"), "label-hinge": ("u",),
    "label-logistic": ("u", "w", "w2"), "error-hinge": ("u", "u2", "c"), "error-logistic": ("u", "w", "w2"),
    "clipped-hinge": ("u", "low", "high"), "clipped-logistic": ("u", "w", "low"),
}
CASES = struct_of(
    rows=one_of(**dict.fromkeys(ROW_BOUNDS)), alpha=number, beta=vector, **fields("rate omega", optional(number)),
    shells=optional(struct_of(centre=vector, radii=vector, ball=number)), by_class=Default(flag, False), slabs=VECTOR,
    lines=list_of(struct_of(**fields("dataset shell", whole), **fields(LINE_VECTORS, VECTOR))),
    cases=struct_of(lines=list_of(whole), **fields(CASE_VECTORS, VECTOR)),
)
PAPER_NUMBERS = "nu8 nu9 nu10 ball reach low high delta"
PAPER = struct_of(**fields("a b m h theta point", vector), **fields(PAPER_NUMBERS, number))
LEVEL_VECTORS = "centre shares forces points tilt slopes curves peak heights"
LEVEL_NUMBERS = "radius norm smoothing alpha nu omega rho least offset steepness size anchor gain spread_near spread_far"
LEVELS = struct_of(**fields(LEVEL_VECTORS, vector), **fields(LEVEL_NUMBERS, number), **fields("fine near", whole))
ROUND = struct_of(**fields("ends pulls tau nu", vector), codes=octets)
CONTRACTION = struct_of(
    **fields("alpha ball target", number), beta=vector,
    cases=list_of(struct_of(**fields("tau nu", number), codes=octets, rounds=list_of(ROUND))),
)
PROOF = one_of(cases=CASES, paper=PAPER, levels=LEVELS, contraction=CONTRACTION)
CLAIM = struct_of(bound=number, proof=PROOF)
NEW_DATA = struct_of(
    **fields("bound delta radius alpha nu gain", number), **fields("omega floor", optional(number)), w=optional(vector),
    **fields("beta tau theta", vector), deviation=one_of(**fields("hoeffding bernstein", None)),
    hostile=optional(struct_of(earlier=whole, pull=vector, **fields("spread threshold", number))),
)
LINEAR = struct_of(
    tool=text, statement=STATEMENT, loss=CLAIM, error=optional(CLAIM), new_data=optional(NEW_DATA),
    horizon=optional(struct_of(**fields("bound m", number), proof=optional(PROOF))),
    horizon_error=optional(struct_of(**fields("bound m", number))),
)
MEAN_NUMBERS = "learning_rate poison_rate squared_radius noise_trace"
MEAN = struct_of(
    tool=text, **fields("bound alpha nu", number),
    statement=struct_of(**fields(MEAN_NUMBERS, number), benign=one_of(samples=ORIGIN, covariance_trace=number)),
)
FILE = struct_of(format=text, version=whole, linear=optional(LINEAR), mean=optional(MEAN))


def json_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a field stands twice")
    return dict(pairs)


def finite(digits: str) -> float:
    if not math.isfinite(float(digits)):
        raise ValueError(f"the number {digits} is not finite")
    return float(digits)


def parse_json(content: bytes) -> Any:
    def whole_or_zero(digits: str) -> Any:
        return -0.0 if digits == "-0" else int(digits)

    hooks: Any = {"object_pairs_hook": json_object, "parse_float": finite, "parse_constant": finite, "parse_int": whole_or_zero}
    try:
        found = json.loads(content.decode(), **hooks)
        json.dumps(found, ensure_ascii=False).encode()  # no halves of surrogate pairs
        return found
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not a certificate: {error}") from None


def read_certificate(path: str) -> tuple[str, Struct]:
    """`linear` or `mean`, and the certificate."""
    file = FILE(parse_json(read_bytes(path)))
    is_known = file.format == "unswayed-certificate" and file.version == 1
    expect(is_known, f"format {file.format!r}, version {file.version}: this program reads version 1 of unswayed-certificate")
    one = (file.linear is None) != (file.mean is None)
    expect(one, "there must be either a certificate about a linear learner or one about the mean learner")
    return ("linear", file.linear) if file.mean is None else ("mean", file.mean)


def read_bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Unreadable(f"cannot be read ({error.strerror})") from None


# ----------------------------------------------------------------------------------- data files; sparse rows (Lemma S1)


# What a file holds: features of the rows that are used, labels, weights, step weights, how many rows the file has; of sparse rows
# the columns of x, and how many columns there are.
Column = Optional[list[float]]
Table = NamedTuple("Table", [
    ("x", list[list[float]]), ("y", Optional[list[Any]]), ("weights", Column), ("steps", Column), ("of", int),
    ("pattern", Optional[tuple[list[list[int]], int]]),
])
# Rows z, their weights, whether they have any, and their step weights, 1 each if there are none.
Rows = NamedTuple("Rows", [("z", list[Numbers]), ("weights", Numbers), ("weighted", bool), ("steps", Numbers)])


# Characters that break a line, hide or change the direction of what follows.
HIDDEN = {0x61C, 0xFEFF, *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070)}
WHITE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
NUMBER = re.compile(r"[+-]?(inf|infinity|nan|(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)", re.ASCII | re.IGNORECASE)
LABELLED = ("classes", "scores", "multiclass", "numbers")


def weight_columns(origin: Struct) -> list[Optional[str]]:
    """The names of the columns of weights and of step weights, None where there is none."""
    return [origin.weight_column, origin.step_weight_column]


def cell_number(cell: str) -> Optional[float]:
    cell = cell.strip(WHITE)
    if cell.lower() in ("true", "false"):
        return float(cell.lower() == "true")
    return float(cell) if NUMBER.fullmatch(cell) else None


Records = tuple[list[str], list[list[Optional[str]]]]


def csv_records(content: bytes, separator: str) -> Records:
    """The names of the columns, and the cells of the rows."""
    csv.field_size_limit(sys.maxsize)
    lines = io.StringIO(content.decode("utf-8", "replace").removeprefix("\ufeff"), newline="")
    records = (record for record in csv.reader(lines, delimiter=separator) if record)
    names = [name.strip(WHITE) for name in next(records, [])]
    named = names == [str(j) for j in range(len(names))] or any(cell_number(name) is None for name in names)
    expect(named, "the first line must name the columns")
    return names, list(records)  # type: ignore[arg-type]


def json_records(content: bytes) -> Records:
    """The same of a file with a JSON object a line. The columns are all fields in the order in which they appear."""
    rows: list[dict[str, Any]] = []
    hooks: Any = {"object_pairs_hook": json_object, "parse_float": shortest, "parse_constant": finite, "parse_int": shortest}

    for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if line.strip(b" \t\n\f\r"):
            try:
                rows.append(json.loads(line.decode(), **hooks))
            except (ValueError, RecursionError, OverflowError) as error:
                raise Unreadable(f"row {len(rows) + 1} is not a JSON object ({error})") from None
            expect(isinstance(rows[-1], dict), f"row {len(rows)} is not a JSON object")
    names = list(dict.fromkeys(name for row in rows for name in row))

    def cell(value: Any) -> Optional[str]:
        return str(value).lower() if isinstance(value, bool) else value

    return names, [[cell(row.get(name)) for name in names] for row in rows]


def read_table(names: list[str], records: list[list[Optional[str]]], origin: Struct) -> Table:
    expect(len(set(names)) == len(names), "two columns have the same name")
    label = (origin.label_column or "label") if origin.labels[0] in LABELLED else None
    others = [name for name in (label, *weight_columns(origin)) if name is not None]
    for wanted in (*others, *(origin.chosen_columns or [])):
        expect(wanted in names, f"there is no column {wanted!r}")
    chosen = names if origin.chosen_columns is None else origin.chosen_columns
    features = [name for name in chosen if name not in others]
    expect(not {"", "__index_level_0__", "Unnamed: 0"} & set(features), "a column has no name")
    once = len(set(features)) == len(features) > 0 and len(set(others)) == len(others)
    expect(once, "there are no columns left for features, or one has two uses")
    if origin.labels[0] == "preferences":
        first = [name.removeprefix("chosen_") for name in features if name.startswith("chosen_")]
        paired = [f"chosen_{name}" for name in first] + [f"rejected_{name}" for name in first]
        expect(set(paired) == set(features), "columns must be pairs chosen_… and rejected_…")
        features = paired
    kept = records[: origin.rows]
    for i, record in enumerate(kept):
        expect(len(record) == len(names), f"row {i + 1} has {len(record)} cells, not {len(names)}")

    def cells(name: str) -> list[str]:
        at = names.index(name)
        found = ["" if record[at] is None else record[at] for record in kept]
        expect(all(isinstance(cell, str) for cell in found), f"column {name!r} holds lists or objects")
        return found  # type: ignore[return-value]

    def column(name: str) -> list[float]:
        values = [cell_number(cell) for cell in cells(name)]
        expect(None not in values, f"row {[*values, None].index(None) + 1}, column {name!r}: not a number")
        return values  # type: ignore[return-value]

    columns = [column(name) for name in features]
    y: Optional[list[Any]] = None
    if label is not None:
        y = [cell_number(cell) for cell in cells(label)]
        if None in y:
            y = [cell.strip(WHITE) for cell in cells(label)]
            expect("" not in y, "a label is missing")
    weights, steps = (None if name is None else column(name) for name in weight_columns(origin))
    return Table([list(row) for row in zip(*columns)], y, weights, steps, len(records), None)


SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
TABLES = (*SEPARATORS, ".jsonl", ".ndjson")
SVMLIGHT = (".svm", ".libsvm", ".svmlight")
FOREIGN = (".parquet", *(ending + zst for ending in TABLES for zst in (".zst", ".zstd")))
# As in the other checker: no text that people compress shrinks by more than this.
LARGEST_RATIO, ALWAYS = 200, 1 << 16


def ending_of(path: str) -> tuple[str, bool]:
    """The ending that says what a file is, and whether it is compressed."""
    stem, ending = os.path.splitext(path.lower())
    return (os.path.splitext(stem)[1], True) if ending in (".gz", ".gzip") else (ending, False)


def kind_of(path: str) -> str:
    """`.npy`, `.npz`, `table`, `svmlight`, or `` for what is not read here."""
    ending, compressed = ending_of(path)
    if ending in (".npy", ".npz"):
        return "" if compressed else ending
    return "table" if ending in TABLES else "svmlight" if ending in SVMLIGHT else ""


def text_of(path: str) -> bytes:
    """What is in a text file, which may be compressed by gzip."""
    content = read_bytes(path)
    if not ending_of(path)[1]:
        return content
    limit = max(LARGEST_RATIO * len(content), ALWAYS)
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            expanded = file.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise Unreadable(f"it cannot be expanded ({error})") from None
    expect(len(expanded) <= limit, f"it expands to more than {LARGEST_RATIO} times its size")
    return expanded


def table_records(path: str) -> Records:
    """The names of the columns and the cells of a text table."""
    ending, _ = ending_of(path)
    return csv_records(text_of(path), SEPARATORS[ending]) if ending in SEPARATORS else json_records(text_of(path))


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


def read_tables(files: list[str], origin: Struct) -> Table:
    """One table or several as one."""
    readable = all(kind_of(file) == "table" for file in files)
    expect(readable, "several files are one dataset only if they are tables; for Parquet and Zstandard use unswayed-check")
    parts = [table_records(file) for file in files]
    expect(bool(parts) and all(names == parts[0][0] for names, _ in parts), "there are no tables, or their columns differ")
    return read_table(parts[0][0], [record for _, records in parts for record in records], origin)


Array = tuple[tuple[int, ...], list[float]]  # shape, and values row after row
NPY_TYPES = {
    "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "b1": "B",
}
NPY_HEADER = [r"descr.\s*:\s*['\"]([<>|=]?)(\w+)", r"fortran_order.\s*:\s*(True)?", r"shape.\s*:\s*\(([\d,L\s]*)\)"]


def described(content: bytes) -> tuple[tuple[int, ...], bool, str, int, int]:
    """Of a .npy file that begins so: the shape, whether columns come first, the format of a number, where numbers begin and end."""
    expect(content[:6] == b"\x93NUMPY" and len(content) >= 12, "it does not begin like a .npy file")
    begin = 12 if content[6] >= 2 else 10
    begin, header_begin = begin + int.from_bytes(content[8:begin], "little"), begin
    header = content[header_begin:begin].decode("latin1")
    kind, fortran, sizes = (re.search(pattern, header) for pattern in NPY_HEADER)
    if kind is None or fortran is None or sizes is None or kind[2] not in NPY_TYPES:
        raise Unreadable("its header cannot be understood, or it does not hold real numbers")
    digits = re.findall(r"\d+", sizes[1])
    expect(all(len(one) <= 19 for one in digits), "its header claims more numbers than any file has")
    shape, number = tuple(map(int, digits)), (">" if kind[1] == ">" else "<") + NPY_TYPES[kind[2]]
    return shape, fortran[1] is not None, number, begin, begin + math.prod(shape) * struct.calcsize(number)


def read_array(content: bytes) -> Array:
    """A .npy file."""
    shape, is_fortran, number, begin, end = described(content)
    expect(end == len(content), "the array is not as long as its header says")
    values = [float(x) for x in struct.unpack_from(f"{number[0]}{math.prod(shape)}{number[1]}", content, begin)]
    if is_fortran and len(shape) == 2:
        rows, columns = shape
        values = [values[j * rows + i] for i in range(rows) for j in range(columns)]
    return shape, values


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """An array in an archive. Nothing is expanded that is longer than its header says."""
    info = archive.getinfo(name)
    expect(info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED), "an array is compressed in another way than NumPy does")
    with archive.open(info) as file:
        head = file.read(1 << 16)
        expect(info.file_size <= len(head) or described(head)[-1] == info.file_size, "the array is not as long as its header says")
        return head + file.read()


def as_column(array: Array, of: int, rows: int) -> list[float]:
    expect(array[0] in ((of,), (of, 1)), "labels or weights are not one value per row")
    return array[1][:rows]


def read_npy(content: bytes, labels: Optional[bytes], origin: Struct) -> Table:
    expect([origin.label_column, *weight_columns(origin)] == [None] * 3, "a .npy file has no named columns")
    expect((labels is not None) == (origin.labels[0] in LABELLED), "labels are missing, or not wanted")
    table = array_rows([read_array(content)], origin.rows)
    return table._replace(y=None if labels is None else as_column(read_array(labels), table.of, origin.rows))


def read_npz(content: bytes, labels: Optional[bytes], origin: Struct) -> Table:
    """Named arrays: of features and labels, or of a sparse matrix by rows as scipy.sparse.save_npz writes it, perhaps with an array y."""
    expect(origin.label_column is None, "an .npz file has no label column")
    kind = origin.labels[0]
    needed = {"preferences": ["chosen", "rejected"], "premultiplied": ["z"], "none": ["x"]}.get(kind, ["x", "y"])
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {name.removesuffix(".npy"): name for name in archive.namelist()}
            expect(len(members) == len(archive.namelist()), "an array is there twice")
            is_sparse = "indptr" in members
            if is_sparse:
                needed = ["data", "indices", "indptr", "shape", "format", *["y"] * (kind in LABELLED and labels is None)]
                members.pop("_is_array", None)
            wanted = {*needed, *(name for name in weight_columns(origin) if name is not None)}
            expect(set(members) == wanted, f"there must be the arrays {', '.join(sorted(wanted))} and no others")
            if is_sparse:
                expect(read_member(archive, members.pop("format")).endswith(b"csr"), "the matrix is not stored by rows")
            arrays = {name: read_array(read_member(archive, member)) for name, member in members.items()}
    # A damaged directory can also lead to a place before the file, or to numbers that are none.
    except (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, RuntimeError, EOFError, ValueError, OverflowError) as error:
        raise Unreadable(f"it is damaged ({error})") from None
    table = matrix_rows(arrays, origin.rows) if is_sparse else array_rows([arrays[name] for name in needed if name != "y"], origin.rows)

    def column(name: Optional[str]) -> Optional[list[float]]:
        expect(name is None or name in arrays, "the format of a matrix is not a column")
        return None if name is None else as_column(arrays[name], table.of, origin.rows)

    weights, steps = map(column, weight_columns(origin))
    if is_sparse and labels is not None:
        return table._replace(y=as_column(read_array(labels), table.of, origin.rows), weights=weights, steps=steps)
    return table._replace(y=column("y" if kind in LABELLED else None), weights=weights, steps=steps)


def array_rows(arrays: list[Array], rows: int) -> Table:
    """Rows of one array of features, or of two beside each other."""
    shape = arrays[0][0]
    expect(all(own == shape for own, _ in arrays), "chosen and rejected have different shapes")
    expect(len(shape) == 2 and 0 not in shape, "an array of features must have two dimensions, and rows and columns")
    starts = range(0, min(rows, shape[0]) * shape[1], shape[1])
    x = [[value for _, values in arrays for value in values[i : i + shape[1]]] for i in starts]
    return Table(x, None, None, None, shape[0], None)


def matrix_rows(arrays: dict[str, Array], rows: int) -> Table:
    """The rows of a sparse matrix."""
    shape, starts, indices, data = (arrays[name][1] for name in ("shape", "indptr", "indices", "data"))
    good = all(x >= 0 and x.is_integer() for x in [*shape, *starts, *indices]) and len(shape) == 2
    good = good and len(starts) == shape[0] + 1 and starts[0] == 0 and starts[-1] == len(data) == len(indices)
    expect(good and all(a <= b for a, b in zip(starts, starts[1:])), "its arrays contradict each other")
    pairs = [(int(a), int(b)) for a, b in zip(starts, starts[1:])][:rows]
    columns = [[int(j) for j in indices[a:b]] for a, b in pairs]
    return sparse_table([data[a:b] for a, b in pairs], columns, int(shape[1]), int(shape[0]))


INDEX = re.compile(r"\+?\d{1,10}", re.ASCII)


def sparse_table(values: list[list[float]], columns: list[list[int]], width: int, of: int, y: Optional[list[Any]] = None) -> Table:
    """Sparse rows whose columns are in order and in range; entries that are 0 are left out."""
    for row in columns:
        good = all(a < b for a, b in zip(row, row[1:])) and (not row or 0 <= row[-1] < width)
        expect(good, "the columns of a row do not increase, or are out of range")
    kept = [[(j, value) for j, value in zip(js, row) if value != 0] for js, row in zip(columns, values)]
    pattern = [[j for j, _ in row] for row in kept], width
    return Table([[value for _, value in row] for row in kept], y, None, None, of, pattern)


def read_svmlight(path: str, origin: Struct) -> Table:
    """Rows of a text file: the label, then INDEX:VALUE; indexes count from 1, or from 0 if there is a 0."""
    text = text_of(path).decode("utf-8", "replace")
    lines = [line for line in (line.partition("#")[0].split() for line in text.split("\n")) if line]
    expect([origin.label_column, *weight_columns(origin)] == [None] * 3, "an svmlight file has no named columns")
    expect(origin.labels[0] in LABELLED, "the rows of an svmlight file have labels")
    y, columns, values = [], [], []
    for line in lines[: origin.rows]:
        pairs = [word.split(":") for word in line[1:]]
        good = all(len(pair) == 2 and INDEX.fullmatch(pair[0]) and NUMBER.fullmatch(pair[1]) for pair in pairs)
        expect(good and NUMBER.fullmatch(line[0]) is not None, "a line is not a label with entries like 7:0.5")
        y.append(float(line[0]))
        columns.append([int(index) for index, _ in pairs])
        values.append([float(value) for _, value in pairs])
    first = 0 if any(j == 0 for row in columns for j in row) else 1
    columns = [[j - first for j in row] for row in columns]
    width = max((j + 1 for row in columns for j in row), default=0)
    return sparse_table(values, columns, width, len(lines), y)


# Entries of sparse rows that are written out here: more take gigabytes as Python's numbers.
MOST_WRITTEN_OUT = 1 << 26


def written_out(table: Table) -> Table:
    """The same rows with all their zeros."""
    if table.pattern is None:
        return table
    columns, width = table.pattern
    small = len(table.x) * width <= MOST_WRITTEN_OUT
    expect(small, f"{len(table.x)} rows of {width} columns are too many to write their zeros out")
    rows = [[0.0] * width for _ in table.x]
    for full, js, row in zip(rows, columns, table.x):
        for j, value in zip(js, row):
            full[j] = value
    return table._replace(x=rows, pattern=None)


def shortest(x: Any) -> str:
    """A binary64 number, or the nearest to a text, as a label: its shortest decimal form, without exponent."""
    return format(Decimal(repr(float(x) + 0.0)), "f").removesuffix(".0")


def digest(table: Table) -> str:
    """The SHA-256 of what a file holds."""

    def packed(numbers: list[Any], kind: str = "d") -> bytes:
        return struct.pack(f"<{len(numbers)}{kind}", *numbers)

    columns, width = table.pattern or ([], len(table.x[0]))
    hashed = hashlib.sha256((b"" if table.pattern is None else b"\xff" * 8) + packed([len(table.x), width], "Q"))
    if table.pattern is not None:
        hashed.update(packed([0, *accumulate(map(len, columns))], "Q"))
    for row in columns:
        hashed.update(packed(row, "Q"))
    for values in table.x:
        hashed.update(packed(values))
    is_text = table.y is not None and isinstance(table.y[0], str)
    hashed.update(b"\0" if table.y is None else b"\2" if is_text else b"\1")
    for label in table.y or []:
        hashed.update(packed([len(label.encode())], "Q") + label.encode() if is_text else packed([label]))
    hashed.update(b"\0" if table.weights is None else b"\1" + packed(table.weights))
    hashed.update(b"" if table.steps is None else b"\1" + packed(table.steps))
    return hashed.hexdigest()


def checked(table: Table, rows: int) -> Table:
    """Refuses values that cannot be used, and makes −0 to +0."""

    def plain(values: Any) -> Any:
        return values and [value if isinstance(value, str) else value + 0.0 for value in values]

    expect(len(table.x) == rows, f"{rows} rows are wanted, and there are {len(table.x)}")
    values = [value for row in table.x for value in row] + [y for y in table.y or [] if not isinstance(y, str)]
    expect(all(map(math.isfinite, values + (table.weights or []) + (table.steps or []))), "a value is not a finite number")
    expect(table.weights is None or min(table.weights) >= 0 < max(table.weights), "weights must be ≥ 0, and not all 0")
    expect(min(table.steps or [1.0]) > 0, "step weights must be > 0")
    return table._replace(x=[plain(row) for row in table.x], y=plain(table.y), weights=plain(table.weights))


def label_numbers(y: list[Any], origin: Struct) -> list[float]:
    """−1 and +1, scores, the numbers of classes, or labels that are numbers."""
    kind, content = origin.labels
    if kind in ("numbers", "scores"):
        expect(not any(isinstance(label, str) for label in y), "a label is not a number")
        expect(kind == "numbers" or all(abs(label) <= 1 for label in y), "a score is not in [−1, 1]")
        return y
    classes = [content.negative, content.positive] if kind == "classes" else content.labels
    known = dict(zip(classes, (-1.0, 1.0) if kind == "classes" else map(float, range(len(classes)))))
    names = [label if isinstance(label, str) else shortest(label) for label in y]
    expect(set(names) <= set(known), f"there are labels that are none of the certificate's: {sorted(set(names) - set(known))[:1]}")
    return [known[name] for name in names]


def validate_origin(origin: Struct) -> None:
    kind, content = origin.labels
    classes = list(content.values()) if kind == "classes" else content.labels if kind == "multiclass" else ["", "-"]
    made = "-" if origin.made is None else origin.made
    weights = origin.class_weights
    good = (
        (origin.of_columns is None or origin.of_columns >= origin.columns > 0),
        origin.scale > 0 and 0 < origin.rows <= origin.of and origin.columns > 0,
        len(classes) >= 2 and len(set(classes)) == len(classes),
        bool(made.strip()) and len(made.encode()) <= 4096,
        not any(unicodedata.category(c) == "Cc" or ord(c) in HIDDEN for c in made),
        re.fullmatch("[0-9a-f]{64}", origin.sha256) is not None,
        weights is None or (kind == "classes" and min(weights.values()) > 0),
    )
    expect(all(good), "the certificate's statement: no data can be as an origin says")


def read_file(path: str, labels: Optional[str], origin: Struct) -> Table:
    """The table in a file or in several, which may have its labels in a file of their own."""
    files, beside = several_files(path), path[: -len("x.npy")] + "y.npy"
    kind = kind_of(path) if files is None else "table"
    if labels is None and os.path.basename(path).endswith(("x.npy", "x.npz")) and os.path.exists(beside):
        labels = beside
    is_named = kind not in (".npy", ".npz", "svmlight")
    expect(is_named or origin.chosen_columns is None, "columns were chosen, but those of an array have no names")
    if kind == "table":
        table = read_tables([path] if files is None else files, origin)
    elif kind == "svmlight":
        table = read_svmlight(path, origin)
    else:
        expect(kind != "", "Parquet, Zstandard and files of other kinds are not read here; use unswayed-check")
        is_labelled = origin.labels[0] in LABELLED if kind == ".npy" else origin.label_file is not None
        own = read_bytes(labels) if labels and is_labelled else None
        table = (read_npy if kind == ".npy" else read_npz)(read_bytes(path), own, origin)
    has_label_file = kind in (".npy", ".npz") or origin.label_file is None or labels is None
    expect(has_label_file, "a label file is for .npy features and sparse matrices only")
    return table


def read_rows(path: str, labels: Optional[str], origin: Struct) -> Rows:
    """Makes the rows of an origin again from a file. In binary64 arithmetic: y·x, x, or chosen − rejected; divided by the scale."""
    validate_origin(origin)
    table = read_file(path, labels, origin)
    if origin.of_columns is None:
        table = written_out(table)
    elif table.pattern is None:
        raise Invalid("the certificate is about sparse rows, and these are not")
    table = checked(table, origin.rows)
    kind, z, columns = origin.labels[0], table.x, table.pattern and table.pattern[0]
    y = [1.0] * len(z) if table.y is None else label_numbers(table.y, origin)
    if kind in ("classes", "scores"):
        z = [[label * value for value in row] for row, label in zip(z, y)]
    elif kind == "preferences":
        expect(len(z[0]) % 2 == 0, "preferences need an even number of columns")
        z = [[a - b for a, b in zip(row[: len(row) // 2], row[len(row) // 2 :])] for row in z]
    expect(columns is None or kind in ("classes", "scores", "premultiplied"), "sparse rows have labels that are classes or scores, or none")
    z = [[value / origin.scale + 0.0 for value in row] for row in z]
    expect(all(math.isfinite(value) for row in z for value in row), "a row is too long for binary64 numbers")
    # Columns that are 0 in all rows are left out (Lemma S1).
    places = {j: place for place, j in enumerate(sorted({j for row in columns or [] for j in row}))}
    width = len(z[0]) if columns is None else len(places)
    of_columns = None if table.pattern is None else table.pattern[1]
    if (table.of, width, of_columns, digest(table)) != (origin.of, origin.columns, origin.of_columns, origin.sha256):
        raise Invalid("these are not the certified rows: their number or their digest differs")
    weights = [ONE] * len(z) if table.weights is None else exact(table.weights)
    steps = table.steps or [1.0] * len(z)
    if origin.class_weights is not None:
        of_class = {-1.0: origin.class_weights.negative, 1.0: origin.class_weights.positive}
        steps = [of_class[label] * step for label, step in zip(y, steps)]
        expect(all(0 < step < math.inf for step in steps), "a step weight is not a positive number")
    rows: Any
    if columns is not None:
        rows = [SparseRow([(places[j], Fraction(value)) for j, value in zip(js, row)], width) for js, row in zip(columns, z)]
    else:
        rows = [exact([label, *row] if kind in ("multiclass", "numbers") else row) for label, row in zip(y, z)]
    return Rows(rows, weights, table.weights is not None, exact(steps))


# --------------------------------------------------------------------------- the statement, and what the theorems cover

# What no theorem covers: the first feature with any one of the others …
EXCLUDED = {
    "sparse": "weights rows drift schedule momentum projection clip bias no-regularization steps hostile new-data paper levels rule",
    "moments": "multiclass rows drift schedule momentum no-regularization clip bias steps hostile new-data paper levels contraction rule",
    "levels": "any weights rows drift schedule average momentum projection clip bias no-regularization steps hostile",
    "rule": "weights rows drift row-weights schedule momentum projection clip bias no-regularization steps hostile",
    "contraction": "sparse rows schedule momentum clip bias no-regularization steps hostile",
    "paper": "weights rows drift schedule momentum projection clip bias steps hostile new-data",
    "new-data": "weights rows drift row-weights scaled schedule momentum clip bias steps",
    "hostile": "multiclass weights rows bias",
    "bias": "multiclass weights rows projection clip any-label",
    "multiclass": "weights rows clip steps",
    "clip": "rows steps",
    "label_flips": "weights rows",
    "momentum": "schedule projection",
    "average": "weighted",
    "class-points": "regression",
}
# … and all of the first features, unless there is one of the second, and one of the third.
SYMMETRIC = "ball features box ellipsoid"
NEEDED: list[tuple[str, ...]] = [
    ("paper", "hinge", "ball"), ("contraction", "hinge", "ball"), ("rule", "hinge", "ball"), ("sparse", "hinge logistic", "ball"),
    ("clip", "hinge logistic", "ball any"), ("new-data", "hinge logistic", SYMMETRIC), ("levels", "hinge logistic"),
    ("label_flips", "hinge logistic"), ("rows", "hinge"), ("multiclass", "ball"), ("any", "clip"), ("features", "bias"),
    ("class-points", "features"), ("bias", SYMMETRIC), ("steps", SYMMETRIC), ("regression", SYMMETRIC), ("moments", "ball box ellipsoid"),
    ("no-regularization", "projection"), ("schedule bias", "weighted"), ("drift average", "rows"), ("schedule average horizon", ""),
]


REGRESSIONS = ("absolute", "epsilon_insensitive", "huber", "quantile")  # rows begin with their label, a number


def is_regression(statement: Struct) -> bool:
    return statement.learner.loss[0] in REGRESSIONS


def classes_of(statement: Struct) -> int:
    """How many classes there are; 0 unless the loss is that of several."""
    loss, own = statement.learner.loss
    return int(own) if loss == "multiclass" else 0


def features_of(statement: Struct, z: Any) -> Any:
    """A row without its label."""
    return z[1:] if is_regression(statement) or classes_of(statement) else z


def has_class_points(statement: Struct) -> bool:
    """Whether the step weight of a poisoned point depends on its class."""
    return isinstance(statement.threat.poison_weight, Struct)


def point_weights(statement: Struct) -> Numbers:
    """The largest step weights of poisoned points: of class −1 and +1, or of all."""
    weight = statement.threat.poison_weight
    return exact([weight.negative, weight.positive] if has_class_points(statement) else [1.0 if weight is None else weight])


def require_supported(statement: Struct, *more: str) -> None:
    learner, threat, schedule = statement.learner, statement.threat, statement.learner.schedule
    present = {
        **{name: learner[name] is not None for name in ("projection", "clip", "schedule", "momentum")},
        "drift": len(statement.data) > 1, "bias": bool(learner.unregularized), "no-regularization": learner.regularization == 0,
        "weighted": schedule is not None and schedule.weighted, "horizon": statement.horizon is not None, "average": learner.average,
        "steps": threat.poison_weight is not None, "class-points": has_class_points(statement), "hostile": bool(statement.hostile_rows),
        "moments": threat.moments is not None, "regression": is_regression(statement),
        "any-label": is_regression(statement) and threat.label_bound is None,
        "sparse": any(origin.of_columns is not None for origin in statement.data),
    }
    features = {learner.loss[0], threat.set[0], statement.target[0], *more, *(name for name in present if present[name])}
    for one in sorted(features & set(EXCLUDED)):
        others = features & set(EXCLUDED[one].split())
        if others:
            raise Invalid(f"no theorem covers {one} with {', '.join(sorted(others))}")
    for these, *needs in NEEDED:
        if set(these.split()) <= features and not all(features & set(need.split()) for need in needs):
            raise Invalid(f"no theorem covers {these} without {' and '.join(needs)}")


def validate(statement: Struct, data: list[Rows], target: Optional[Rows]) -> None:
    """The conditions on rows and statement, whatever the proof is."""
    require(len(data) > 0, "there are data")
    require(all(len(rows.z[0]) == len(data[0].z[0]) for rows in [*data, *([target] if target else [])]), "all rows are alike")
    require_supported(statement)
    columns = len(data[0].z[0]) - is_regression(statement)
    require(columns > 0, "there are features")
    kinds = [origin.labels[0] for origin in statement.data]
    require(all((kind == "numbers") == is_regression(statement) for kind in kinds), "rows begin with numbers for a regression loss")
    validate_learner(statement.learner, columns)
    validate_threat(statement, data, columns)
    loss, classes = statement.learner.loss
    if loss == "multiclass":
        labels = [row[0] for rows in data for row in rows.z]
        require(classes >= 2 and columns >= 2, "there are classes and features")
        require(all(label.denominator == 1 and 0 <= label < classes for label in labels), "rows begin with their class")
    if statement.horizon is not None:
        validate_rates(statement.learner, statement.horizon)
    kind, own = statement.target
    require(kind != "rows" or (own.step_weight_column, own.class_weights) == (None, None), "the target has no step weights")
    if kind == "weights":
        require(len(own) == len(data), "each dataset has target weights")
        for weights, rows in zip(own, data):
            require(len(weights) == len(rows.z) and min(weights) >= 0 < max(weights), "target weights are ≥ 0, one for each row")


def validate_learner(learner: Struct, columns: int) -> None:
    schedule, (loss, width), free = learner.schedule, learner.loss, learner.unregularized
    decay = Fraction(learner.learning_rate) * Fraction(learner.regularization)
    require(learner.learning_rate > 0 and learner.regularization >= 0 and decay < 1, "η > 0, σ ≥ 0 and ησ < 1")
    if learner.momentum is not None:
        mu = Fraction(learner.momentum)
        require(0 < mu < 1 and (1 + mu - decay) ** 2 >= 4 * mu, "0 < μ < 1 and ησ ≤ (1 − √μ)²")
    require(learner.batch >= 1, "a batch has points")
    if schedule is not None:
        require(schedule.slowdown == 0 or (schedule.slowdown > 0 and not schedule.weighted), "δ ≥ 0, and 0 where averages are weighted")
        require(schedule.from_step is None or schedule.from_step >= 1, "steps count from 1")
    require(all(radius is None or radius > 0 for radius in (learner.projection, learner.clip)), "radii of steps are > 0")
    require(len(free) <= 1 and max(free, default=0) < columns, "at most one coordinate is unregularized")
    require(loss not in ("smooth_hinge", "huber", "quantile") or width > 0, "the width, δ or quantile of the loss is > 0")
    require(loss != "epsilon_insensitive" or width >= 0, "the tube has a width ≥ 0")
    require(loss != "quantile" or width < 1, "the quantile is below 1")


def validate_threat(statement: Struct, data: list[Rows], columns: int) -> None:
    threat, hostile, horizon = statement.threat, statement.hostile_rows, statement.horizon
    require(0 <= threat.poison_rate < 1, "0 ≤ ε < 1")
    weighted = any(origin.step_weight_column is not None or origin.class_weights is not None for origin in statement.data)
    require((threat.poison_weight is not None) == weighted, "points have a step weight exactly if rows have")
    require(min(point_weights(statement)) > 0, "the step weights of points are > 0")
    if threat.moments is not None:
        batch = statement.learner.batch
        require(threat.moments >= 1 and threat.moments % batch == 0, "a block has whole steps, at least one")
        require(horizon is None or horizon.steps * batch % threat.moments == 0, "the first steps are whole blocks")
    require(not hostile or (len(hostile) == len(data) and max(hostile) > 0), "each dataset has a number of hostile rows, not all 0")
    require(all(count < len(rows.z) for count, rows in zip(hostile, data)), "not all rows may be hostile")
    kind, content = threat.set
    radii = list(content.values()) if kind in ("ball", "features") else content.radii if kind == "box" else []
    bounds = radii if threat.label_bound is None else [*radii, threat.label_bound]
    require(all(math.copysign(1.0, bound) > 0 for bound in bounds), "radii and the bound of labels are ≥ 0, none −0")
    require(threat.label_bound is None or is_regression(statement), "labels that have a bound are numbers")
    require(kind != "box" or len(radii) == columns, "there are d radii")
    require(kind != "ellipsoid" or len(content.q) == columns * (columns + 1) // 2, "Q has d(d+1)/2 entries")
    require(kind != "points" or (len(content.points) >= columns and len(content.points) % columns == 0), "points have d entries")


def validate_rates(learner: Struct, horizon: Struct) -> None:
    """A horizon names the rates that its bound depends on, exactly if they change: the first one, or their sum."""
    require(horizon.steps >= 1, "T ≥ 1")
    schedule, eta, (first, total) = learner.schedule, Fraction(learner.learning_rate), (horizon.first_rate, horizon.total_rate)
    fits = (first is not None) == (schedule is not None and not schedule.weighted)
    fits = fits and (total is not None) == (schedule is not None and schedule.weighted)
    require(fits, "a horizon names the first rate or the sum of rates exactly if they change")
    require(first is None or 0 < Fraction(first) <= eta, "the first rate is > 0 and at most η")
    require(total is None or 0 < Fraction(total) <= eta * horizon.steps, "the sum of rates is > 0 and at most ηT")


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
        self.steepest = max(self.high, -self.low)
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
    radius = content.radius if kind == "ball" else math.inf
    clip = math.inf if statement.learner.clip is None else statement.learner.clip
    return Fraction(min(radius, clip)), clip < radius


# --------------------------------------------------------- lines above the rows (Lemmas L2–L6, L10 and W1, Theorem L16)


# A row, or a pair z_ij of one (Lemma L11): z is x in the blocks of θ with these signs. p is the data's weight, times the scale and the
# step weight (Lemma W1); t the target's weight, times the scale; n is ‖z‖² times the step weight, `square` without it.
Row = NamedTuple("Row", [
    ("i", int), ("p", Fraction), ("t", Fraction), ("n", Fraction), ("square", Fraction), ("b", Fraction), ("x", Numbers),
    ("blocks", tuple[tuple[int, int], ...]), ("label", Fraction),
])


def rows_of(l: Letters, rows: Rows, p: Numbers, t: Numbers, classes: int) -> Iterator[Row]:
    for i, (z, own_p, own_t, step) in enumerate(zip(rows.z, p, t, rows.steps)):
        if not classes:
            label, x = (z[0], z[1:]) if len(z) > len(l.beta) else (ONE, z)
            square = l.square(x)
            yield Row(i, step * own_p, own_t, step * square, square, dot(l.beta, x), x, ((0, 1),), label)
            continue
        own, x = int(z[0]), z[1:]
        square, products = classes * norm2(x), [dot(l.beta[c * len(x) : (c + 1) * len(x)], x) for c in range(classes)]
        for pair, other in enumerate(c for c in range(classes) if c != own):
            at, b = i * (classes - 1) + pair, products[own] - products[other]
            yield Row(at, own_p, own_t, square, square, b, x, ((own, 1), (other, -1)), ONE)


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


def above_interval(jump: Fraction, kappa: Fraction, y: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """T + y of Lemma L4 for s between low and high."""
    bounds = []
    if low <= 1:
        bounds += [jump + (kappa - y) * (s - 1) for s in (low, min(high, ONE))]
    if high >= 1:
        bounds += [-y * (s - 1) for s in (high, max(low, ONE))]
    return max(bounds)


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
        middle, kappa = dot(self.centre, row.x), self.l.kappa0 * row.p - row.t
        return above_interval(self.jump(row), kappa, y, middle - reach, middle + reach) - y, y

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


# ---------------------------------------- quadratics above the point's part (Lemmas L7–L9, L11, I1 and I2, Theorem L17)


# m₀ + mᵀθ + θᵀMθ. M is, by kind: scalar, a number times I; diagonal, a list; dense, a number times a matrix, with a number above its
# eigenvalues; classes, a number, how many classes there are and which it is.
Point = NamedTuple("Point", [("m0", Fraction), ("m", Numbers), ("kind", str), ("M", Any)])


def acting_constant(l: Letters, statement: Struct, d: Fraction, nu: Fraction, linear: Fraction) -> Fraction:
    """C of Lemmas L7 and I1, from D, ν and the factor of w."""
    if statement.learner.loss[0] != "logistic":
        return max(l.above(nu, linear, d, l.labels), l.above(nu, linear, d, -l.labels))
    if statement.threat.set[0] in ("ball", "any") and point_radius(statement)[1]:
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
    l: Letters, statement: Struct, tau: Numbers, nu: Fraction, omega: Optional[float], end: Fraction = ZERO, part: int = 0
) -> Point:
    """Lemma L7 for a ball (or any point, clipped), a box or an ellipsoid; Lemma I1 at an end of a slab, or Lemma I2 for one class."""
    kind, content = statement.threat.set
    chi, beta, d = l.two_ak - nu, l.beta, len(l.beta)
    weight, linear = point_weights(statement)[part], ZERO
    name = {"box": "diagonal", "features": "diagonal", "ellipsoid": "dense"}.get(kind, "scalar")
    half_n: Numbers = []  # ½N, a diagonal; of an ellipsoid it is a number times Q
    if kind == "ellipsoid":
        q, factor = symmetric(exact(content.q), d), weight**2 / (2 * tau[0])
        t, square, half_n_beta = tau[0], weight**2 * Fraction(omega or 0), [factor * x for x in apply(q, beta)]
    elif kind == "box":
        radii = [weight * radius for radius in exact(content.radii)]
        t, square, half_n = dot(radii, tau), norm2(radii), [r / (2 * one) for r, one in zip(radii, tau)]
    else:
        radius = weight * (Fraction(content.radius) if kind == "features" else point_radius(statement)[0])
        t, square = radius * tau[0], radius**2
        half_n = [ZERO if kind == "features" and j in l.free else radius / (2 * tau[0]) for j in range(d)]
    if kind == "features":
        constant = weight * Fraction(content.constant)
        square, linear = square + l.k * constant**2, constant * (chi * end + sum((beta[j] for j in l.free), ZERO))
        # The adversary chooses the sign by the label, unless labels are numbers or the case is of one class.
        if has_class_points(statement):
            linear = -linear if part == 0 else linear
        elif not is_regression(statement):
            linear = abs(linear)
    if kind != "ellipsoid":
        half_n_beta = [n * b for n, b in zip(half_n, beta)]
    products = [x * b for x, b in zip(half_n_beta, beta)]
    fixed = sum(map(up, products), ZERO) if kind == "box" else up(sum(products, ZERO))
    m0 = acting_constant(l, statement, t / 2 + l.alpha * l.eta * square, weight * nu, linear) + fixed
    matrix: Any = [chi**2 * n for n in half_n] if name == "diagonal" else chi**2 * half_n[0] if name == "scalar" else None
    if name == "dense":
        matrix = (chi**2 * factor, q, chi**2 * factor * Fraction(omega or 0))
    return Point(m0, [2 * chi * x for x in half_n_beta], "scalar" if chi == 0 else name, ZERO if chi == 0 else matrix)


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
    m0 = l.above(l.two_ak, b, l.alpha * l.eta * n) - l.two_ak * e
    if w is not None:
        m0 = Entropy(l.two_ak, y, l.two_ak - y, b, l.alpha * l.eta * n).supremum(w)
    return Point(m0, [y * x for x in a], "scalar", ZERO)


def peak(l: Letters, base: Fraction, v: Numbers, point: Point, x: Numbers, fixed: Optional[int] = None) -> Fraction:
    """A number above ¼vᵀA⁻¹v with A = base·I − εM ≻ 0, both without the fixed coordinate."""

    def part(square: Fraction, eigenvalue: Fraction) -> Fraction:
        curve = base - l.eps * eigenvalue
        require(curve > 0, "A is positive definite")
        return up(square / (4 * curve))

    def free(numbers: Numbers) -> Numbers:
        return [ZERO if j == fixed else one for j, one in enumerate(numbers)]

    v = free(v)
    if point.kind == "scalar":
        return part(norm2(v), point.M)
    if point.kind == "diagonal":
        return sum((part(one**2, m) for j, (one, m) in enumerate(zip(v, point.M)) if j != fixed), ZERO)
    if point.kind == "dense":
        # A ⪰ aI, and vᵀA⁻¹v ≤ 2vᵀx − xᵀAx + ‖v−Ax‖²/a for every x.
        (m, q, largest), x = point.M, free(x)
        ax = [base * one - l.eps * m * other for one, other in zip(x, free(apply(q, x)))]
        return up((2 * dot(v, x) - dot(x, ax)) / 4) + part(norm2(minus(v, ax)), largest)
    m, classes, label = point.M
    columns = list(zip(*split(v, len(v) // classes)))
    pair = classes * (classes - 1)
    along = sum(((classes * column[label] - sum(column)) ** 2 for column in columns), ZERO) / pair  # c_y
    mean = sum((sum(column) ** 2 for column in columns), ZERO) / classes  # 1
    parts = [(along, m * pair), (norm2(v) - along - mean, m * (classes - 1) / 2), (mean, ZERO)]
    return sum((part(square, eigenvalue) for square, eigenvalue in parts), ZERO)


def peak_in_slab(l: Letters, v: Numbers, point: Point, ends: list[tuple[Fraction, Numbers, Fraction]], outward: int) -> Fraction:
    """The largest value at the ends of a slab, each with its x and m₀ (Theorem L17): what is left is convex in the coordinate.
    `outward` is the sign of an end at infinity, 0 if there is none."""
    [b] = l.free
    column = [ZERO] * len(v)  # M_jb
    if point.kind == "dense":
        column = [point.M[0] * q for q in point.M[1][b]]
    else:
        column[b] = point.M[b] if point.kind == "diagonal" else point.M
    require(outward == 0 or (column[b] == 0 and outward * v[b] <= 0), "nothing pushes outward in an unbounded slab")
    values = []
    for end, x, m0 in ends:
        pushed = [one + 2 * l.eps * m * end for one, m in zip(v, column)]
        own = up(v[b] * end + l.eps * column[b] * end**2)
        values.append(own + l.eps * m0 + peak(l, l.curvature, pushed, point, x, b))
    return max(values)


# ------------------------------------------------- cases (Theorem L1, with A2, B1, H1, L12, L15, L17, M1, M2; Lemma R1)


def require_fit(statement: Struct, proof: Struct) -> None:
    """The kind of lines, shells and other parts fit the statement."""
    learner, kind, loss = statement.learner, proof.rows[0], statement.learner.loss[0]
    shells, free, of_error = proof.shells is not None, bool(learner.unregularized), "error" in kind
    plain, sparse = kind in ("bounded-slope", "logistic"), any(origin.of_columns is not None for origin in statement.data)
    require(("logistic" in kind) == (loss == "logistic"), "the lines fit the loss")
    require(plain or "logistic" in kind or loss in ("hinge", "multiclass"), "the lines fit the loss")
    require(loss != "multiclass" or (kind in ("bounded-slope", "error-hinge") and not shells), "the lines fit several classes")
    require(("clipped" in kind) == (learner.clip is not None), "the lines fit the clip")
    require(("label" in kind) == (statement.threat.set[0] == "label_flips"), "the lines fit the set")
    on_data = statement.target[0] == "data" and not learner.average
    require(not of_error or on_data, "the error is that of the data; an averaged model's error is bounded by its loss")
    require(statement.target[0] != "rows" or kind == "interval", "the lines fit the target")
    require(kind != "interval" or (shells and not statement.hostile_rows), "intervals have shells, and no rows that may be hostile")
    require(not sparse or not shells, "sparse rows have no shells")
    require(not free or ((of_error or plain) and not shells), "the proof fits an unregularized coordinate")
    require(free == bool(proof.slabs) and all(a < b for a, b in zip(proof.slabs, proof.slabs[1:])), "slabs fit, and their edges increase")
    require(not proof.by_class or loss == "multiclass", "classes are those of the loss")
    require((statement.threat.set[0] == "ellipsoid") == (proof.omega is not None), "ω is that of an ellipsoid")
    require((learner.momentum is not None) == (proof.rate is not None), "a rate goes with momentum")
    require(statement.threat.moments is None or not (of_error or shells), "moments are for one case of lines above the loss")


def largest_square(statement: Struct, omega: Optional[float], d: int) -> Fraction:
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
        largest = Fraction(omega or 0)
    elif kind == "points":
        largest = max(map(norm2, split(exact(content.points), d)))
    return largest * max(point_weights(statement)) ** 2


def step_squares(statement: Struct, rows: Rows) -> Numbers:
    """‖z‖² of each row, times its squared step weight."""
    return [step**2 * norm2(features_of(statement, z)) for z, step in zip(rows.z, rows.steps)]


def momentum_costs(statement: Struct, proof: Struct, data: list[Rows]) -> tuple[Fraction, Fraction]:
    """What steps v' = μv + d, θ' = θ + ηv' cost beyond plain steps at the proof's rate η̄ (Theorems M1 and M2): of the bound, and
    of the start times ηT."""
    learner, horizon = statement.learner, statement.horizon
    if learner.momentum is None:
        return ZERO, ZERO
    mu, rate, eta = exact([learner.momentum, proof.rate, learner.learning_rate])
    require(rate > 0 and rate * Fraction(learner.regularization) < 1, "η̄ > 0 and η̄σ < 1")
    if rate * (1 - mu) ** 2 >= eta * (1 + mu):
        return ZERO, ZERO
    plain = len(data) == 1 and not learner.unregularized
    require(plain, "η̄(1−μ)² ≥ η(1+μ) for several datasets and unregularized coordinates")
    slack = rate * (1 - mu) - eta
    require(slack > 0, "η̄(1−μ) > η")
    classes, l = classes_of(statement), Letters(statement, proof.alpha, proof.beta, proof.rate)
    steepest = Fraction(classes * (classes - 1)) if classes else l.steepest**2
    longest = max(step_squares(statement, data[0]))
    point = longest if statement.threat.set[0] == "label_flips" else largest_square(statement, proof.omega, len(l.beta))
    cost = up((l.eps * mu * rate) ** 2 * l.alpha * steepest * point / ((1 + mu) * slack))
    square = ZERO if horizon is None else norm2(exact(horizon.start))
    idle = l.steepest * max(abs(z[0]) for z in data[0].z) if is_regression(statement) else Fraction(max(classes - 1, 1))
    value = max(data[0].steps) * idle + sqrt_up(steepest * longest) * sqrt_up(square) + l.sigma * square / 2
    return cost, 2 * mu * l.alpha * rate * value


def longest_steps(statement: Struct, proof: Struct, rows: Rows, l: Letters) -> tuple[Fraction, Fraction]:
    """The largest ‖g‖² of the adversary's points, and of all."""
    poison = l.steepest**2 * largest_square(statement, proof.omega, len(l.beta))
    return poison, max(poison, l.steepest**2 * max(step_squares(statement, rows)))


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
    require(len(radii) > 0 and len(shells.centre) == len(l.beta), "there are shells, and a centre")
    require(ball > 0 and radii[0] > 0 and all(a < b for a, b in zip(radii, radii[1:])), "0 < r_1 < r_2 < …, ϱ > 0")
    require(radii[-1] >= ball and (radii[-1] - ball) ** 2 >= norm2(exact(shells.centre)), "the last shell holds the ball")
    require_ball_kept(statement, ball, largest_square(statement, proof.omega, len(l.beta)), data, l)


def require_ball_kept(statement: Struct, ball: Fraction, largest: Fraction, data: list[Rows], l: Letters) -> None:
    learner = statement.learner
    if learner.projection is not None:
        require(ball >= Fraction(learner.projection), "ϱ is at least the radius of the projection")
        return
    edge = (ball * Fraction(learner.regularization)) ** 2 / l.steepest**2
    require(edge >= largest, "the ball is kept by the adversary's points")
    if learner.clip is None or Fraction(learner.clip) ** 2 > edge:  # no clip unless high is 1
        require(all(max(step_squares(statement, rows)) <= edge for rows in data), "the ball is kept by the rows")


def require_lengths(given: Struct, wanted: dict[str, int]) -> None:
    for name, length in wanted.items():
        require(len(given[name]) == length, f"{name} has {length} numbers")


def prove_cases(statement: Struct, proof: Struct, data: list[Rows], target: Optional[Rows]) -> Fraction:
    """The largest bound of a case."""
    require_fit(statement, proof)
    return Cases(statement, proof, data, target).bound() + momentum_costs(statement, proof, data)[0]


Line = tuple[Fraction, Numbers, Fraction]  # a constant, a vector and a curvature: r₀ + rᵀθ + w‖θ‖²


class Cases:
    """A proof by cases, numbered by dataset, shell or slab, and part of the set of points."""

    def __init__(self, statement: Struct, proof: Struct, data: list[Rows], target: Optional[Rows]) -> None:
        self.statement, self.proof, self.data, self.target = statement, proof, data, target
        self.set, self.content = statement.threat.set
        self.loss, self.classes = statement.learner.loss[0], classes_of(statement)
        self.d, self.edges = len(data[0].z[0]) - (self.classes > 0 or is_regression(statement)), exact(proof.slabs)
        self.size = self.d * max(self.classes, 1)
        l = self.l = Letters(statement, proof.alpha, proof.beta, proof.rate)
        require(l.alpha > 0 and len(l.beta) == self.size, "α > 0, and β is as long as θ")
        self.shells = len(self.edges) + 1
        if proof.shells is not None:
            require_shells(statement, proof, data, l)
            self.shells = len(proof.shells.radii)
        points = len(self.content.points) // self.d if self.set == "points" else len(point_weights(statement))
        self.parts = self.classes if proof.by_class else points
        self.count = len(data) * self.shells * self.parts
        self.width = 0 if self.set in ("points", "label_flips") else self.d if self.set == "box" else 1
        self.require_numbers(proof.cases, proof.shells is not None)
        require_projection(statement, l)
        require_ellipsoid(statement, proof.omega, self.d)

    def require_numbers(self, given: Struct, shells: bool) -> None:
        points = self.set == "points"
        per_case = {
            "tau": self.width, "nu": self.width > 0, "share": points, "w": points and self.loss == "logistic",
            "x": self.d * (self.set == "ellipsoid") * (2 if self.edges else 1), "outer": shells, "inner": shells,
        }
        require(len(given.lines) == self.count, "each case has lines")
        require_lengths(given, {name: int(each) * self.count for name, each in per_case.items()})
        require(all(tau > 0 for tau in given.tau), "τ > 0")
        require(all(x >= 0 for name in ("nu", "outer", "inner") for x in given[name]), "ν, ω, μ ≥ 0")
        any_label = is_regression(self.statement) and self.statement.threat.label_bound is None
        require(not any_label or not any(given.nu), "ν = 0 where labels may be any numbers")

    def bound(self) -> Fraction:
        lines = [self.line_above(given) for given in self.proof.lines]
        return max(self.of_case(i, lines) for i in range(self.count))

    def line_above(self, given: Struct) -> Line:
        """r₀ and r of the rows of a dataset and of the target, and the curvature of what is above rows that may be hostile."""
        require(given.dataset < len(self.data) and given.shell < self.shells, "lines are those of a dataset and a shell")
        l, statement, target, kind, shells = self.l, self.statement, self.target, self.proof.rows[0], self.proof.shells
        rows = self.data[given.dataset]
        is_ruled = any(given[name] for name in ("theta", "gain", "exceptions"))
        lines_of = len(given.exceptions) if is_ruled else len(rows.z) * max(self.classes - 1, 1)
        wanted = {**fields(LINE_VECTORS, 0), **dict.fromkeys(ROW_BOUNDS[kind], lines_of)}
        if is_ruled:
            require(kind in ("bounded-slope", "error-hinge") and shells is None, "rules are for shares, without shells")
            require_supported(statement, "rule", *["row-weights"] * rows.weighted)
            wanted.update(theta=len(l.beta), gain=1, exceptions=lines_of)
        if target is not None:
            wanted.update(target_y=len(target.z), target_reach=len(target.z))
        if statement.hostile_rows:
            wanted.update(pull=len(l.beta), spread=1, threshold=1)
        require_lengths(given, wanted)
        scale, p, t = scaled_weights(statement, rows, given.dataset, target)
        shell = (None, None) if shells is None else (exact(shells.centre), Fraction(shells.radii[given.shell]))
        lines = Lines(l, self.by_rule(given, rows) if is_ruled else given, scale, statement.learner.clip, shell)
        bound = getattr(lines, kind.replace("-", "_"))
        if statement.hostile_rows:
            ones = [ONE] * len(rows.z)
            unit = [(row, *bound(row)) for row in rows_of(l, rows, ones, ones, self.classes)]
            return without_hostile(unit, rows.weights, statement.hostile_rows[given.dataset], given)
        sums = [(row, bound(row)) for row in rows_of(l, rows, p, t if target is None else [ZERO] * len(p), self.classes)]
        if target is not None:
            sums += [(row, lines.interval(row, "target_")) for row in rows_of(l, target, [ZERO] * len(t), t, self.classes)]
        slope = [ZERO] * len(l.beta)
        for row, (_, y) in sums:
            for block, sign in row.blocks if y != 0 else ():
                for j, x in entries_of(row.x):
                    slope[block * len(row.x) + j] += sign * y * x
        return up(sum((constant for _, (constant, _) in sums), ZERO) / scale), [s / scale for s in slope], ZERO

    def by_rule(self, given: Struct, rows: Rows) -> Struct:
        """The lines with a number for each row: by the rule of Lemma R1, in binary64, but for the exceptions."""
        require(given.exceptions == sorted(set(given.exceptions)), "exceptions are in order")
        require(all(row.is_integer() and 0 <= row < len(rows.z) for row in given.exceptions), "exceptions are rows")
        places = {int(row): at for at, row in enumerate(given.exceptions)}
        learner, (gain,), benign = self.statement.learner, given.gain, 1.0 - self.statement.threat.poison_rate
        two_ak = 2.0 * self.proof.alpha * (1.0 - learner.learning_rate * learner.regularization)
        alpha_eta, least = self.proof.alpha * learner.learning_rate, 1.0 - two_ak * benign

        def shares(z: list[float]) -> tuple[float, float, float]:
            s = n = b = 0.0
            for entry, theta, beta in zip(z, given.theta, self.proof.beta):
                s, n, b = s + entry * theta, n + entry * entry, b + entry * beta
            acting, idle, needed = (1.0 - s) * gain + 0.5, (0.0 - s) * gain + 0.5, -(benign * ((two_ak + alpha_eta * n) + b))
            return share(acting, math.floor), share(idle, math.floor), share(needed if needed > least else least, math.ceil)

        names = ROW_BOUNDS[self.proof.rows[0]]
        of_rows = [
            [given[name][places[i]] for name in names] if i in places else shares([float(entry) for entry in z])[: len(names)]
            for i, z in enumerate(rows.z)
        ]
        return Struct(given, **{name: [numbers[at] for numbers in of_rows] for at, name in enumerate(names)})

    def of_case(self, i: int, lines: list[Line]) -> Fraction:
        l, proof, given = self.l, self.proof, self.proof.cases
        dataset, shell, part = i // (self.shells * self.parts), i // self.parts % self.shells, i % self.parts
        chosen: int = given.lines[i]
        fits = chosen < len(lines) and (proof.lines[chosen].dataset, proof.lines[chosen].shell) == (dataset, shell)
        require(fits, "a case has lines of its dataset and shell")
        r0, r, bend = lines[chosen]
        nu, outward = Fraction(given.nu[i]) if given.nu else ZERO, 0
        if self.edges and shell in (0, len(self.edges)):
            require(nu == 0, "ν is not given in an unbounded slab")
            nu, outward = l.two_ak, -1 if shell == 0 else 1
        point = self.point(i, part, nu)
        g0, g, w = self.region(i, shell)
        v = [own + l.eps * m + slope - sb for own, m, slope, sb in zip(r, point.m, g, l.sigma_beta)]
        if self.edges:
            ends = [
                (edge, self.given("x", 2 * i + end, self.d), self.point(i, part, nu, edge).m0)
                for end, edge in enumerate(self.edges[max(shell - 1, 0) : shell + 1], start=int(shell == 0))
            ]
            return r0 + l.slowdown_cost + peak_in_slab(l, v, point, ends, outward)
        top = peak(l, l.curvature + w - bend, v, point, self.given("x", i, self.d))
        coin = r0 + l.eps * point.m0 + g0 + l.slowdown_cost + top
        return coin if self.statement.threat.moments is None else self.picked_moments(coin, r0, r, nu)

    def picked_moments(self, coin: Fraction, r0: Fraction, r: Numbers, nu: Fraction) -> Fraction:
        """The bound for an adversary who picks its moments: at most εW points of each block of W are its own (Theorem B1). From the
        bound for a coin, the line above the rows and ν."""
        l, statement, rows, benign = self.l, self.statement, self.data[0], 1 - self.l.eps
        poison, longest = longest_steps(statement, self.proof, rows, l)
        v = [own / benign - sb for own, sb in zip(r, l.sigma_beta)]
        untaken = up(r0 / benign) + up(norm2(v) / (4 * l.curvature))
        weights = rows.weights if statement.target[0] == "data" else exact(statement.target[1][0])
        square = sum((weight * norm2(features_of(statement, z)) for weight, z in zip(weights, rows.z)), ZERO)
        of_target = sqrt_up(up(l.steepest**2 * square / sum(weights)))
        steepness = up(sqrt_up(norm2(r)) / benign) + up(of_target / benign) + abs(l.two_ak - nu) * sqrt_up(poison)
        n, projection = sqrt_up(longest), statement.learner.projection
        step = n + (n if projection is None else min(n, l.sigma * Fraction(projection)))
        share = l.eps * benign if l.eps <= HALF else HALF**2
        steps = Fraction(statement.threat.moments, statement.learner.batch)
        return max(coin, untaken) + share * steps / 2 * l.eta * step * steepness

    def given(self, name: str, place: int, width: int) -> Numbers:
        return exact(self.proof.cases[name][place * width : (place + 1) * width])

    def point(self, i: int, part: int, nu: Fraction, end: Fraction = ZERO) -> Point:
        """The quadratic above the point's part; in a slab at an end of it."""
        l, tau = self.l, self.given("tau", i, self.width)
        if self.set == "label_flips":
            return Point(ZERO, [ZERO] * self.size, "scalar", ZERO)
        if self.set == "points":
            w, share = self.proof.cases.w, self.proof.cases.share[i]
            return finite_point(l, exact(self.content.points[part * self.d : (part + 1) * self.d]), share, w[i] if w else None)
        if self.classes:
            return class_point(l, self.classes, Fraction(self.content.radius), tau[0], nu, part if self.proof.by_class else None)
        return symmetric_set(l, self.statement, tau, nu, self.proof.omega, end, part)

    def region(self, i: int, shell: int) -> Line:
        """ω(r_m² − ‖θ−o‖²) + μ(‖θ−o‖² − r_{m−1}²) as g₀ + gᵀθ − w‖θ‖²; 0 without shells."""
        shells, given = self.proof.shells, self.proof.cases
        if shells is None:
            return ZERO, [ZERO] * self.size, ZERO
        outer, inner = Fraction(given.outer[i]), Fraction(given.inner[i])
        radii, centre = [ZERO, *exact(shells.radii)], exact(shells.centre)
        o2 = norm2(centre)
        g0 = outer * (radii[shell + 1] ** 2 - o2) - inner * (radii[shell] ** 2 - o2)
        return g0, [2 * (outer - inner) * o for o in centre], outer - inner


def scaled_weights(statement: Struct, rows: Rows, dataset: int, target: Optional[Rows]) -> tuple[Fraction, Numbers, Numbers]:
    """S, and S times the weights p_i and t_i, which makes them free of quotients."""
    total = sum(rows.weights, ZERO)
    if statement.target[0] == "data":
        return total, rows.weights, rows.weights
    own = exact(statement.target[1][dataset]) if target is None else target.weights
    of_target = sum(own, ZERO)
    return total * of_target, [w * of_target for w in rows.weights], [w * total for w in own]


def share(q: float, rounded: Callable[[float], int]) -> float:
    """q cut to [0, 1], as a multiple of 2^−20; 0 if it is no number."""
    return 1.0 if q >= 1 else rounded(q * (1 << 20)) / (1 << 20) if q > 0 else 0.0


def without_hostile(unit: list[tuple[Row, Fraction, Fraction]], weights: Numbers, count: int, given: Struct) -> Line:
    """Theorem H1: from the lines (T, y) of rows of weight 1 to what is above those that are not hostile, whichever they are."""
    c, spread, threshold = exact(given.pull), Fraction(given.spread[0]), Fraction(given.threshold[0])
    require(spread > 0, "t > 0")
    heaviest = sum(sorted(weights, reverse=True)[:count], ZERO)
    scale = sum(weights) - heaviest
    require(scale > 0, "rows that are not hostile have a weight")
    constant, slope = heaviest * threshold, [-heaviest * own for own in c]
    for (row, top, y), weight in zip(unit, weights):
        above = spread / 2 * norm2(minus(c, [y * x for x in row.x])) - top - threshold
        constant += weight * (top + max(above, ZERO))
        slope = [own + weight * y * x for own, x in zip(slope, row.x)]
    return up(constant / scale), [own / scale for own in slope], up(heaviest / (2 * spread * scale))


def start_of_cases(statement: Struct, proof: Struct, m: Fraction, data: list[Rows]) -> Fraction:
    """What the start adds (Theorems 5, L17 and M2), times ηT; for a proof by contraction, too."""
    l, start = Letters(statement, proof.alpha, proof.beta, proof.get("rate")), exact(statement.horizon.start)
    require(len(start) == len(l.beta) and m >= 0, "the start is as long as θ, and m ≥ 0")
    if statement.threat.moments is not None:
        short = l.sigma**2 * norm2(start) <= longest_steps(statement, proof, data[0], l)[1]
        require(short, "σ‖θ_0‖ is at most the longest step where the adversary picks its moments")
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
    return sum(squares, ZERO) * (1 - Fraction(statement.learner.momentum)) + momentum_costs(statement, proof, data)[1]


# ---------------------------------------------------------------------------------------- the paper's proof (Theorem 6)


def prove_paper(statement: Struct, proof: Struct, rows: Rows) -> Fraction:
    require_supported(statement, "paper")
    n, d = len(rows.z), len(rows.z[0])
    require_lengths(proof, {"a": d * (d + 1) // 2, "b": d, "m": n, "h": n * d, "theta": d, "point": d})
    require(statement.learner.batch == 1 or proof.low >= 0, "λ is convex where there are batches")
    nu8, nu9, nu10, ball, reach, low, high, delta = exact(proof[name] for name in PAPER_NUMBERS.split())
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
    return gain / total + fixed + 2 * dot(g, x) - dot(x, dx) + norm2(minus(g, dx)) / delta


def start_of_paper(statement: Struct, proof: Struct, m: Fraction) -> Fraction:
    start, b, ball, low = exact(statement.horizon.start), exact(proof.b), Fraction(proof.ball), Fraction(proof.low)
    require(len(start) == len(b) and m >= 0 and low + m > 0 and norm2(start) <= ball**2, "m ≥ 0, l + m > 0, and the start is in the ball")
    here = dot(start, apply(symmetric(exact(proof.a), len(b)), start)) + dot(b, start)
    return here + norm2(b) / (4 * (low + m)) + m * ball**2


# ----------------------------------------------------------------------------------- contraction (Lemma C1, Theorem C2)


def on_grid(numbers: Any) -> tuple[list[int], int]:
    """Whole numbers and e: binary64 numbers are these times 2^−e."""
    pairs = [Fraction(x).as_integer_ratio() for x in numbers]
    most = max((d for _, d in pairs), default=1)
    return [n * (most // d) for n, d in pairs], most.bit_length() - 1


class Contraction:
    """λ and the rows of a dataset as whole numbers. Vectors are packed into one number: entry j is the part from bit j·`field` on."""

    def __init__(self, statement: Struct, proof: Struct, rows: Rows, dataset: int) -> None:
        d = len(rows.z[0])
        self.n, self.d, self.target = len(rows.z), d, Fraction(proof.target)
        l = self.l = Letters(statement, proof.alpha, proof.beta)
        self.radius, _ = point_radius(statement)
        self.scale, p, targets = scaled_weights(statement, rows, dataset, None)
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

    def slopes(self, i: int) -> list[float]:
        """The slopes that a row can have, in binary64: whichever they are, the bound is true."""
        low, high, jump, kappa = self.lows[i], self.highs[i], nearest(self.jumps[i]), nearest(self.kappas[i])
        if high < 1 or low > 1:
            return [kappa if high < 1 else 0.0]
        steepest = 4.0 * (abs(kappa) + abs(jump))
        left, right, below, above = kappa, 0.0, 1.0 - low, high - 1.0
        if jump > 0:
            right = max(-jump / above, -steepest) if above > 0 else -steepest
        else:
            left = min(kappa - jump / below, steepest) if below > 0 else steepest
        if right > left:  # the hull is a chord
            left = right = (kappa * below - jump) / (high - low)
        return [right + (left - right) * (c / 15.0) for c in range(16)]

    def find_lines(self) -> None:
        """For each row its slopes, as whole numbers, with S times the constants, as whole numbers too."""
        slopes = [self.slopes(i) for i in range(self.n)]
        require(all(math.isfinite(y) for row in slopes for y in row), "slopes are finite")
        flat, self.slope_bits = on_grid(y for row in slopes for y in row)
        ends = [(Fraction(low), Fraction(high)) for low, high in zip(self.lows, self.highs)]
        tops = [
            above_interval(self.jumps[i], self.kappas[i], Fraction(y), *ends[i]) - Fraction(y) for i, row in enumerate(slopes) for y in row
        ]
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
        if end % 2 == 0:
            self.highs[end // 2] = min(self.highs[end // 2], rounded_up(to))
        else:
            self.lows[end // 2] = max(self.lows[end // 2], -rounded_up(to))

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
        point = up(self.radius * self.beta2 / (2 * tau)) + self.radius * tau / 2 + l.alpha * l.eta * self.radius**2 + nu
        rows_ = up(constant * power_of_two(-self.constant_bits) / self.scale)
        return rows_ + l.eps * point + up(square * power_of_two(-2 * bits) / ((self.scale * tau) ** 2 * 4 * curve))


def prove_contraction(statement: Struct, proof: Struct, data: list[Rows]) -> Fraction:
    """Theorem C2."""
    require_supported(statement, "contraction")
    d, cases = len(data[0].z[0]), proof.cases
    require(len(cases) == len(data) and len(proof.beta) == d, "each dataset has a case, and β is as long as θ")
    work = sum((len(one.ends) + 128) * len(rows.z) * (d + 16) for case, rows in zip(cases, data) for one in case.rounds)
    require(work <= 2**33, "rounds take at most 2^33 products")
    l = Letters(statement, proof.alpha, proof.beta)
    require(l.alpha > 0 and proof.ball > 0, "α > 0 and ϱ > 0")
    require_projection(statement, l)
    require_ball_kept(statement, Fraction(proof.ball), point_radius(statement)[0] ** 2, data, l)
    return max(contraction_case(case, Contraction(statement, proof, rows, i)) for i, (case, rows) in enumerate(zip(cases, data)))


def require_contraction_numbers(case: Struct, n: int) -> None:
    require(case.tau > 0 and case.nu >= 0, "τ > 0 and ν ≥ 0")
    for one in case.rounds:
        require_lengths(one, fields("pulls tau nu", len(one.ends)))
        require(all(0 <= end < 2 * n and end == int(end) for end in one.ends), "ends are ends of rows")
        require(all(t > 0 for t in one.pulls + one.tau) and all(nu >= 0 for nu in one.nu), "t, τ > 0 and ν ≥ 0")


def contraction_case(case: Struct, c: Contraction) -> Fraction:
    """The bound where the rows are those of one dataset."""
    require_contraction_numbers(case, c.n)
    for one in case.rounds:
        c.find_lines()
        require(len(one.codes) == len(one.ends) * c.bytes, "each free row has half a byte")
        codes = [one.codes[k * c.bytes : (k + 1) * c.bytes] for k in range(len(one.ends))]
        ends = [int(end) for end in one.ends]
        values = [c.value(*numbers) for numbers in zip(codes, one.tau, one.nu, ends, one.pulls)]
        for end, value, pull in zip(ends, values, one.pulls):
            c.cut(end, up((value - c.target) / Fraction(pull)))
        if any(low > high for low, high in zip(c.lows, c.highs)):
            return c.target
    c.find_lines()
    require(len(case.codes) == c.bytes, "each free row has half a byte")
    return max(c.target, c.value(case.codes, case.tau, case.nu))


# ----------------------------------------------------------- the error by levels (Theorems E1 and E4, Lemmas E2 and E3)


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
        l = Letters(statement, proof.alpha, [])
        self.eta, self.sigma, self.eps, self.two_ak, self.curvature = l.eta, l.sigma, l.eps, l.two_ak, l.curvature
        self.require_numbers()
        numbers = exact(proof[name] for name in LEVEL_NUMBERS.split())
        self.radius, self.norm, self.mu, self.alpha, self.nu, self.omega, self.rho, self.least = numbers[:8]
        self.offset, self.gamma, self.c, self.anchor = numbers[8:12]
        self.o, self.tilt, self.heights = exact(proof.centre), exact(proof.tilt), exact(proof.heights)
        self.chi = self.two_ak - self.nu
        require(self.alpha > 0 and self.nu >= 0 and self.chi > 0, "α > 0, ν ≥ 0, 2αk > ν")
        require(self.mu > 0 if self.hinge else self.mu == 0, "the smoothing is > 0 for the hinge loss, else 0")
        self.squares = [norm2(z) for z in rows.z]
        self.margins = [dot(z, self.o) for z in rows.z]
        self.require_norms(statement)
        require(all(abs(s) <= 2**20 for s in self.margins), "|oᵀz| ≤ 2^20")

    def require_numbers(self) -> None:
        proof, n, d = self.proof, self.n, self.d
        require_lengths(proof, {**fields("centre tilt peak", d), **fields("shares slopes curves", n), "forces": 2 * n, "points": 2 * n * d})
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
        if kind == "ellipsoid":
            inside = has_positive_minors(shifted(symmetric(exact(content.q), d), square, -1))
        else:
            inside = (max(self.squares) if kind == "label_flips" else largest_square(statement, None, d)) <= square
        require(inside, "the set lies in the ball of radius R")
        require(self.norm > self.radius and self.norm**2 > max(self.squares), "n̂ is above all norms")

    # Lemma E2

    def find_levels(self) -> None:
        proof, sigma, benign, total = self.proof, self.sigma, 1 - self.eps, self.total
        conjugate = dot(self.weights, [q if self.hinge else entropy_down(q) for q in exact(proof.shares)])
        self.base = self.objective(self.o, self.margins)
        pull = combined([weight * Fraction(q) for weight, q in zip(self.weights, proof.shares)], self.z, self.d)
        self.gap = self.base - down(benign * conjugate / total - benign**2 * norm2(pull) / (2 * sigma * total**2))
        self.shift = up(sqrt_up(norm2([sigma * total * o - benign * c for o, c in zip(self.o, pull)])) / (sigma * total))
        self.lengths = [sqrt_up(n) for n in self.squares]
        self.find_constants()
        last = max(proof.fine, proof.near) - 1
        require(last < 0 or self.reach(last) * self.norm <= 2**20, "margins of fine and near levels are at most 2^20")

    def objective(self, theta: Numbers, margins: Numbers) -> Fraction:
        """F at a model, rounded up."""
        losses = [max(1 - s, ZERO) if self.hinge else log(1 + exp(-s, True))[1] for s in margins]
        return up((1 - self.eps) * dot(self.weights, losses) / self.total) + self.sigma * norm2(theta) / 2

    def find_constants(self) -> None:
        """What (E3) adds to v, in whole numbers: activities in units of 2^−14, conjugates in units of 2^−40."""
        proof, n, d, total, benign = self.proof, self.n, self.d, self.total, 1 - self.eps
        weight_unit, entry_unit = length_of(total) - 47, length_of(total * self.norm) - 47
        whole_weights = [math.floor(w / power_of_two(weight_unit)) for w in self.weights]
        unit = power_of_two(entry_unit)
        columns = [[math.floor(w * z[j] / unit) for w, z in zip(self.weights, self.z)] for j in range(d)]
        rows = [[float(x) for x in z] for z in self.z]
        levels = range((1 << 14) + 1)
        conjugates = [k << 26 if self.hinge else math.floor(entropy_down(Fraction(k, 1 << 14)) * 2**40) for k in levels]
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

    def moments(self, factors: Numbers, unit: int, upward: bool) -> list[Numbers]:
        """Σ w f zzᵀ, each entry rounded to a multiple of 2^unit."""
        weighted, columns = [w * f for w, f in zip(self.weights, factors)], list(zip(*self.z))
        sums = [
            grid(sum((f * a * b for f, a, b in zip(weighted, columns[i], columns[j])), ZERO), unit, upward)
            for i in range(self.d) for j in range(i + 1)
        ]
        return symmetric(sums, self.d)

    def find_fixed(self) -> None:
        """All of the bound on a level that is the same for all levels."""
        proof, d, total, sigma, chi = self.proof, self.d, self.total, self.sigma, self.chi
        reach = up(self.radius * chi / (2 * self.rho)) + self.alpha * self.eta * self.radius**2
        acting = max(ZERO, reach + self.nu) if self.hinge else reach if self.nu == 0 else search(reach, ZERO, self.nu)
        point = self.eps * (acting + up(self.radius * self.rho * norm2(self.tilt) / (2 * chi)))
        unit = length_of(total) - 60
        base = self.curvature + self.omega - self.eps * self.radius * chi * self.rho / 2
        diagonal, least = grid(total * base, unit, False) - d * power_of_two(unit), total * self.least
        matrix = shifted(self.moments(exact(proof.curves), unit, False), diagonal, -1)
        require(has_positive_minors(shifted(matrix, least)), "A ≻ aI")
        slope = combined([w * Fraction(y) for w, y in zip(self.weights, proof.slopes)], self.z, d)
        at_centre, at_tilt = sigma * chi - 2 * self.curvature, self.eps * self.radius * self.rho - sigma
        v = [own + total * (at_centre * o + at_tilt * tilt) for own, o, tilt in zip(slope, self.o, self.tilt)]
        x = exact(proof.peak)
        ax = apply(matrix, x)
        peak = up((2 * dot(v, x) - dot(ax, x)) / (4 * total)) + up(norm2(minus(v, ax)) / (4 * total * least))
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
        pieces = [(low, min(high, ZERO), acting + 1, slope), (max(low, ZERO), min(high, ONE), acting, slope)]
        for start, end, constant, steep in [*pieces, (max(low, ONE), high, ZERO, ZERO)]:
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
        moments = self.moments([w * w for w in activities], unit, True)
        diagonal = self.total * Fraction(spread) - d * power_of_two(unit)
        require(has_positive_minors(shifted(moments, diagonal, -1)), "ΛI ≻ Σp w̄²zzᵀ")
        trace = sum((moments[j][j] for j in range(d)), ZERO)
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
        self.edges: list[tuple[Fraction, Fraction]] = []
        self.growths: Numbers = []
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
            drifts.append(up(self.c * growth * (self.power(y1, True) if growth > 0 else self.power(y0, False)) / eta))
            self.edges.append((y0, y1))
            self.growths.append(growth)
        return drifts

    def power(self, y: Fraction, upward: bool) -> Fraction:
        """e^(γ(y − Ȳ))."""
        exponent = self.gamma * (y - self.anchor)
        require(not upward or exponent <= 700, "γ(Y − Ȳ) ≤ 700")
        within = min(max(exponent, Fraction(-700)), Fraction(700))
        return exp(within, upward) if upward or exponent >= -700 else ZERO

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
        anywhere, drifts = self.anywhere(), self.drifts()
        self.find_fixed()
        self.bounds = [min(self.on_level(k), anywhere) if k < self.proof.fine else anywhere for k in range(len(drifts))]
        self.value = max(bound + drift for bound, drift in zip(self.bounds, drifts))
        return self.value

    # Theorem E5

    def start(self, horizon: Struct, m: Fraction) -> Fraction:
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
        cost = self.c * self.power(min(y, self.edges[edge - 1][1]), True)
        for (low, high), slope in zip(self.edges[edge:], slopes):
            cost += self.gamma * slope * max(min(y, high) - low, ZERO)
        return (square / (4 * self.alpha * self.eta) + up(cost / self.eta)) / Fraction(horizon.steps)

    def edge(self) -> tuple[int, Numbers]:
        """How many shells keep the exponential, as few as may be, and ηh of those beyond them."""
        edge, slopes = len(self.edges), [ZERO]
        while edge > 1 and self.growths[edge - 1] < 0:
            most = self.c * self.power(self.edges[edge - 1][0], False)
            if most < slopes[-1]:
                break
            excess = max(self.bounds[edge - 1] - self.value, ZERO)
            slopes.append(max(slopes[-1], min(up(excess * self.eta / -self.growths[edge - 1]), most)))
            edge -= 1
        return edge, slopes[:0:-1]


def prove_levels(statement: Struct, proof: Struct, rows: Rows) -> LevelProof:
    require_supported(statement, "levels")
    levels = LevelProof(statement, proof, rows)
    levels.prove()
    return levels


# --------------------------------------------------------------------------------------- new data (Theorems L18 and H2)


def prove_new_data(statement: Struct, claim: Struct, rows: Rows) -> Fraction:
    # Rows divided by a number that was read off them are not independent draws.
    scaled = any(origin.scale != 1 for origin in statement.data)
    require_supported(statement, "new-data", *["row-weights"] * rows.weighted, *["scaled"] * scaled)
    kind, d, count = statement.threat.set[0], len(rows.z[0]), sum(statement.hostile_rows)
    require((claim.hostile is None) == (count == 0), "a sample of which rows may be hostile has the numbers for this")
    hostile = claim.hostile or Struct(earlier=0, pull=[0.0] * d, spread=1.0, threshold=0.0)
    sample = rows.z[hostile.earlier :]
    n = len(sample)
    require(n > count, "not all rows of the sample may be hostile")
    logistic = statement.learner.loss[0] == "logistic"
    require((kind == "ellipsoid") == (claim.omega is not None) and n >= 2, "ω is that of an ellipsoid, and n ≥ 2")
    require_lengths(claim, {"beta": d, "theta": d, "tau": d if kind == "box" else 1})
    require(len(claim.w or ()) == (n if logistic else 0), "logistic rows have a w each")
    require(claim.floor is not None or not logistic, "the constants of logistic rows have a floor")
    require(min(claim.tau) > 0 and claim.nu >= 0 and claim.radius > 0 and 0 < claim.delta < 1, "τ, r > 0, ν ≥ 0, 0 < δ < 1")
    require(len(hostile.pull) == d and hostile.spread > 0, "c is as long as a row, and t > 0")
    pull, tightness, threshold = exact(hostile.pull), Fraction(hostile.spread), Fraction(hostile.threshold)
    l = Letters(statement, claim.alpha, claim.beta)
    kappa = l.kappa0 - 1
    require(l.alpha > 0 and kappa >= 0, "α > 0 and κ ≥ 0")
    require_projection(statement, l)
    require_ellipsoid(statement, claim.omega, d)
    point = symmetric_set(l, statement, exact(claim.tau), Fraction(claim.nu), claim.omega)
    eigenvalues = point.M if point.kind == "diagonal" else [point.M[2] if point.kind == "dense" else point.M]
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
        if count > 0:
            distance = norm2(minus(pull, [y * x for x in z]))
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


# ----------------------------------------------------------------------------- claims (Theorem 5, Section 14), and main


def proven(claim_bound: float, value: Fraction, what: str) -> float:
    """The value, rounded up, if the claim is not below it."""
    if value > Fraction(claim_bound):
        raise Invalid(f"{what}: the bound {claim_bound!r} is below the proven value {double_up(value)!r}")
    return double_up(value)


def error_within(statement: Struct, loss: float, own: float) -> Optional[float]:
    """The smallest of a bound on the error, what a bound on the loss says of it, and 1."""
    kind, width = statement.learner.loss
    if kind in ("logistic", "smooth_hinge"):  # what the loss is at least where s ≤ 0: log 2 for the logistic one
        mistake = 0.693 if kind == "logistic" else math.nextafter(1 - width / 2 if width <= 1 else 0.5 / width, 0)
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
        if kind == "paper":
            return prove_paper(statement, proof, data[0])
        return prove_contraction(statement, proof, data) if kind == "contraction" else prove_cases(statement, proof, data, target)

    value = value_of(loss.proof, False)
    by_loss = proven(loss.bound, value, "loss")
    of_error = ZERO if error is None else value_of(error.proof, True)
    by_error = math.inf if error is None else proven(error.bound, of_error, "error")
    found: dict[str, Optional[float]] = fields("certified_horizon certified_horizon_error certified_new_data", None)
    found.update(certified_loss=by_loss, certified_error=error_within(statement, by_loss, by_error))
    horizon, own_error = certificate.horizon, certificate.horizon_error
    require((statement.horizon is None) == (horizon is None), "a horizon is stated if it is claimed")
    proved = own_error is None or (horizon is not None and error is not None)
    require(proved, "a bound on the error over first steps has a horizon, and the proof of the error")
    if horizon is not None:
        kind, proof = horizon.proof or loss.proof
        value, m = value if horizon.proof is None else value_of((kind, proof), False), Fraction(horizon.m)
        cost = start_of_paper(statement, proof, m) if kind == "paper" else start_of_cases(statement, proof, m, data)
        learner, first, total = statement.learner, statement.horizon.first_rate, statement.horizon.total_rate
        rate = Fraction(learner.learning_rate if first is None else first)
        steps = rate * statement.horizon.steps if total is None else Fraction(total)
        by_loss, by_error = proven(horizon.bound, value + cost / steps, "horizon"), math.inf
        if own_error is not None:
            require(learner.schedule is None and learner.momentum is None, "the error over first steps is for a constant rate")
            m = Fraction(own_error.m)
            cost = levels[0].start(statement.horizon, m) if levels else start_of_cases(statement, error.proof[1], m, data) / steps
            by_error = proven(own_error.bound, of_error + cost, "horizon error")
        found.update(certified_horizon=by_loss, certified_horizon_error=error_within(statement, by_loss, by_error))
    claim = certificate.new_data
    if claim is not None:
        require(len(data) == 1, "a claim on new data is about one dataset")
        found["certified_new_data"] = proven(claim.bound, prove_new_data(statement, claim, data[0]), "new data")
        found.update(new_data_delta=claim.delta, new_data_radius=claim.radius, new_data_earlier=claim.hostile and claim.hostile.earlier)
    return found


# What a claim on new data assumes of how its rows came about: of rows that are all honest, and of others.
NEW_DATA_TEXT = """\
  on new data with probability 1 − {new_data_delta} over the draw of these rows, if they are {draws},
  and if the learner's benign points are draws from that law (not from these rows) which it shortens or refuses
  where their norm is above {new_data_radius}; the loss is that on points after this"""
INDEPENDENT = """independent draws
  from the law of the new data, made after the numbers of the statement and of the proof (but for its
  `w`) were chosen without them"""
IN_ORDER = """in the order
  of their arrival, the numbers of the statement and of the proof (but for its `threshold`, `pull`, `spread` and `w`)
  were chosen, and how many rows would follow was fixed, when the first {0} had arrived, honest points after that
  are independent draws from the law of the new data whatever came before, and the rows after the first {0}
  are the next ones, but for the hostile rows, which were added or replace any of them (none is left out otherwise)"""


def check_mean(certificate: Struct, samples: Optional[Rows]) -> dict[str, Optional[float]]:
    """Section 14."""
    statement = certificate.statement
    eta, eps, r, noise = exact(statement[name] for name in MEAN_NUMBERS.split())
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
    require(a > 0 and nu >= 0, "a > 0 and ν ≥ 0")
    require(p >= 0 and q >= 0 and p * q >= (eps * eta * (1 - eta) * a) ** 2, "P, Q ≥ 0, PQ ≥ ε²η²(1−η)²a²")
    value = eta**2 * a * ((1 - eps) * trace + noise) + nu * r
    return {"certified_loss": proven(certificate.bound, value, "loss"), "certified_error": None}


def at(path: str, work: Callable[[], Any]) -> Any:
    """The work, with the file's name in what goes wrong."""
    try:
        return work()
    except (Unreadable, Invalid) as error:
        raise type(error)(f"{path}: {error}") from None


def needs_labels(path: str, origin: Struct) -> bool:
    """Whether the labels of these rows are in a file of their own."""
    ending, is_matrix = os.path.splitext(path.lower())[1], origin.of_columns is not None and origin.label_file is not None
    return origin.labels[0] in LABELLED and (ending == ".npy" or ending == ".npz" and is_matrix)


def verify(path: str, data: list[str], labels: Optional[str] = None, target: Optional[str] = None) -> dict[str, Any]:
    """Checks a certificate against data files. Returns what is proven; raises Invalid or Unreadable."""
    kind, certificate = at(path, partial(read_certificate, path))
    statement = certificate.statement
    origins, own_target = statement.get("data", []), Struct()
    if kind == "linear":
        own_target = statement.target[1] if statement.target[0] == "rows" else Struct()
    elif statement.benign[0] == "samples":
        origins = [statement.benign[1]]
    good = len(data) == len(origins) and (target is None) == (not own_target)
    expect(good, f"the certificate needs {len(origins)} data files and {'a' if own_target else 'no'} target file")
    used = [*zip(data, origins), *([(target, own_target)] if target is not None else [])]
    expect(labels is None or any(needs_labels(*one) for one in used), f"{labels}: no rows here need a file of labels")
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("certificate", metavar="CERTIFICATE")
    parser.add_argument("data", nargs="*", metavar="DATA")
    parser.add_argument("--labels", metavar="FILE", help="labels of an .npy file or a sparse matrix")
    parser.add_argument("--target", metavar="FILE", help="rows that the learner is judged on")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    asked = parser.parse_intermixed_args(arguments)
    try:
        found, code = verify(asked.certificate, asked.data, asked.labels, asked.target), 0
    except Invalid as error:
        found, code = {"status": "not valid", "message": str(error)}, 1
    except Unreadable as error:
        found, code = {"status": "unreadable", "message": str(error)}, 2
    if asked.json:
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
            earlier = found["new_data_earlier"]
            print(NEW_DATA_TEXT.format(draws=INDEPENDENT if earlier is None else IN_ORDER.format(earlier), **found))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
