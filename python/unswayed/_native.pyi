"""What the compiled half offers to the package; not for users."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Optional, TypedDict, Union

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: The entries of a sparse matrix by rows, their columns, where each row begins, and how many columns there are.
Sparse = tuple[Floats, NDArray[np.int64], NDArray[np.int64], int]
Table = Union[Floats, Sparse]
RawLabels = Union[Floats, Sequence[str], None]
Grid = Sequence[Optional[Sequence[float]]]
Steps = Sequence[Union[str, list[Optional[float]]]]
Stream = tuple[Optional[int], Optional[list[float]]]
Progress = Optional[Callable[[int, int], object]]

class UnswayedError(ValueError): ...
class CheckFailed(UnswayedError): ...

class Asked(TypedDict):
    loss: Optional[str]
    adversary: str
    numbers: Optional[Floats]
    radius: Optional[float]
    batch: int
    projection: Optional[float]
    clip: Optional[float]
    momentum: float
    bias: Union[int, str, None]
    schedule: Optional[str]
    average: bool
    label_bound: Optional[float]
    poison_weight: Union[float, str, None]
    contaminated: Optional[float]
    moments: Optional[int]

class Data:
    @staticmethod
    def from_arrays(
        x: Table,
        y: RawLabels,
        weights: Optional[Floats],
        names: Sequence[str],
        labels: str,
        normalize: bool,
        scale: Optional[float],
        step_weights: Optional[Floats] = None,
        class_weights: Optional[str] = None,
        made: Optional[str] = None,
    ) -> Data: ...
    def state(self) -> tuple[Table, RawLabels, Optional[Floats], list[str], str, Optional[Floats]]: ...
    @staticmethod
    def from_state(
        x: Table, y: RawLabels, weights: Optional[Floats], names: Sequence[str], origin: str, step_weights: Optional[Floats] = None
    ) -> Data: ...
    @staticmethod
    def remade(
        x: Table, y: RawLabels, weights: Optional[Floats], of: int, origin: str, step_weights: Optional[Floats] = None
    ) -> Data: ...
    @property
    def origin(self) -> dict[str, Any]: ...
    @property
    def rows(self) -> int: ...
    @property
    def columns(self) -> int: ...
    @property
    def sha256(self) -> str: ...
    @property
    def front_label(self) -> Optional[str]: ...
    @property
    def classes(self) -> list[str]: ...
    @property
    def scale(self) -> float: ...
    @property
    def scale_for_others(self) -> Optional[float]: ...
    @property
    def z(self) -> Table: ...
    @property
    def kept_columns(self) -> Optional[NDArray[np.int64]]: ...
    def first(self, rows: int) -> Data: ...
    def describe(self) -> str: ...

def load(
    path: Union[str, list[str]],
    label_file: Optional[str],
    label_column: Optional[str],
    weight_column: Optional[str],
    columns: Optional[Sequence[str]],
    drop_columns: Sequence[str],
    labels: str,
    normalize: bool,
    scale: Optional[float],
    rows: Optional[int],
    step_weight_column: Optional[str] = None,
    class_weights: Optional[str] = None,
    dense: bool = False,
) -> Data: ...
def reload(path: Union[str, list[str]], label_file: Optional[str], origin: str) -> Data: ...
def sample() -> Data: ...
def sample_test() -> Data: ...

class Problem:
    def __init__(
        self, data: Sequence[Data], target: Optional[Data], rates: tuple[float, float, float], asked: Asked
    ) -> None: ...
    @property
    def data(self) -> Data: ...

#: Label column, labels, whether rows are divided by the largest norm.
AskedRows = tuple[Optional[str], str, bool]

class Partition:
    @staticmethod
    def file(path: str, label_file: Optional[str], asked: AskedRows) -> Partition: ...
    @staticmethod
    def arrays(x: Floats, y: RawLabels, names: Sequence[str], asked: AskedRows) -> Partition: ...
    def look(self) -> str: ...
    def digest(self, before: str) -> str: ...
    def sample(self, first: int, stride: int) -> Optional[tuple[Floats, RawLabels]]: ...
    def pass_over(self, first: int, request: str) -> str: ...

class Partitions:
    def __init__(self, looks: Sequence[str]) -> None: ...
    @property
    def firsts(self) -> list[int]: ...
    @property
    def stride(self) -> int: ...
    @property
    def digest(self) -> str: ...
    def origin(
        self, digest: str, files: Union[str, Sequence[str], None], label_file: Optional[str], asked: AskedRows
    ) -> str: ...

def partition_files(paths: Union[str, Sequence[str]]) -> list[str]: ...
def certify_partitions(
    sample: Problem,
    partitions: Partitions,
    origin: str,
    horizon: Optional[int],
    start: Optional[list[float]],
    search: Callable[[str], list[str]],
) -> Certificate: ...

class Attacks:
    def figures(self) -> list[dict[str, Any]]: ...

class Certificate:
    @property
    def problem(self) -> Problem: ...
    @property
    def data(self) -> list[Data]: ...
    @property
    def target(self) -> Optional[Data]: ...
    def figures(self) -> dict[str, Any]: ...
    def statement(self) -> dict[str, Any]: ...
    def lines(self) -> list[tuple[str, str]]: ...
    def to_bytes(self) -> bytes: ...
    def horizon(self, steps: Sequence[int], start: Optional[Sequence[float]]) -> list[float]: ...

def certify(
    problem: Problem,
    horizon: Optional[int],
    start: Optional[Sequence[float]],
    rates: tuple[Optional[float], Optional[float]],
    confidence: Optional[float],
    method: str,
    effort: str,
    compact: bool,
) -> Certificate: ...
class Bootstrap:
    seed: int
    losses: list[float]
    errors: list[float]
    def text(self) -> str: ...

def bootstrap(certificate: Certificate, samples: int, seed: int, effort: str) -> Bootstrap: ...
def origins(bytes: bytes) -> tuple[list[str], Optional[str]]: ...
def check(
    bytes: bytes, data: Sequence[Data], target: Optional[Data]
) -> tuple[float, Optional[float], Optional[float], Optional[float], Optional[float]]: ...
def check_files(
    certificate: str, data: Sequence[str], labels: Optional[str], target: Optional[str]
) -> tuple[int, dict[str, Any]]: ...
def expect(bytes: bytes, data: Sequence[Data], target: Optional[Data], expected: Sequence[str]) -> None: ...
def recover(bytes: bytes, data: Sequence[Data], target: Optional[Data]) -> Certificate: ...
def summary(
    certificate: Certificate, attacked: Optional[Attacks], bootstrap: Optional[Bootstrap]
) -> list[tuple[str, str]]: ...
def report(
    certificate: Certificate,
    attacked: Optional[Attacks],
    bootstrap: Optional[Bootstrap],
    folder: str,
    file: str,
    command: str,
    verify: str,
    seed: int,
) -> None: ...
def plot(certificate: Certificate, attacked: Optional[Attacks], seed: int) -> str: ...
def attack(
    problem: Problem, test: Optional[Data], attacks: Optional[Sequence[str]], effort: str, seed: int,
    horizon: Optional[int], start: Optional[Sequence[float]],
) -> Attacks: ...
def simulate(
    problem: Problem, test: Optional[Data], policy: Callable[..., object], name: str, effort: str, seed: int
) -> dict[str, Any]: ...
def update(
    theta: Floats, z: Floats, learning_rate: float, regularization: float, loss: str, has_bias: bool, weight: float
) -> Floats: ...
def design(
    train: Sequence[tuple[str, Data]],
    validate: Optional[tuple[str, Data]],
    test: Optional[tuple[str, Data]],
    grid: Grid,
    steps: Steps,
    kappa: Optional[float],
    at_most_error: Optional[float],
    stream: Stream,
    asked: Asked,
    benign: str,
    attacks: str,
    everywhere: bool,
    seed: int,
    refine: bool,
    output: Optional[str],
    resume: bool,
    executor: Optional[Callable[[str, list[tuple[str, str]]], Iterator[str]]],
    progress: Progress,
    command: str,
) -> tuple[dict[str, Any], list[tuple[str, float, bytes]]]: ...
def compute(data: Data, plan: str, piece: str) -> list[str]: ...
def largest_rate(
    problem: Problem, limit: float, measure: str, stream: Stream, attacks: bool, seed: int
) -> Optional[tuple[float, Certificate, Optional[dict[str, Any]]]]: ...
def tolerating(
    data: Data,
    asked: Asked,
    grid: Grid,
    steps: Steps,
    limit: float,
    measure: str,
    stream: Stream,
    seed: int,
    progress: Progress,
) -> dict[str, Any]: ...
def mean(
    samples: Optional[Data],
    learning_rate: float,
    poison_rate: float,
    squared_radius: float,
    covariance_trace: float,
    noise_trace: float,
    attacks: bool,
    seed: int,
) -> tuple[bytes, dict[str, Any]]: ...

class Transform:
    @staticmethod
    def fit(x: Floats, directions: int) -> tuple[Transform, Floats]: ...
    @staticmethod
    def fit_table(
        columns: Sequence[tuple[str, Union[Floats, list[Optional[str]]]]],
        rows: int,
        y: RawLabels,
        kind: str,
        fourier: Optional[int],
        directions: Optional[int],
        norm: Optional[str],
    ) -> tuple[Transform, Floats]: ...
    @staticmethod
    def fit_texts(
        columns: Sequence[tuple[str, list[Optional[str]]]],
        rows: int,
        y: RawLabels,
        kind: str,
        hash: int,
        ngrams: int,
        tf_idf: bool,
        bias: float,
    ) -> tuple[Transform, Sparse]: ...
    def apply_texts(self, columns: Sequence[tuple[str, list[Optional[str]]]], rows: int, allow_seen: bool) -> Sparse: ...
    def texts(self) -> Optional[list[str]]: ...
    def apply(self, x: Floats, allow_seen: bool) -> tuple[Floats, int]: ...
    def apply_table(
        self, columns: Sequence[tuple[str, Union[Floats, list[Optional[str]]]]], rows: int, allow_seen: bool
    ) -> Floats: ...
    def needs(self) -> Optional[list[tuple[str, bool]]]: ...
    def columns(self) -> list[tuple[str, str]]: ...
    @property
    def directions(self) -> int: ...
    @property
    def kept_variance(self) -> Optional[float]: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Transform: ...

def up(bound: float) -> str: ...
def down(value: float) -> str: ...
def forget_threads() -> None: ...

class Monitor:
    meaning: str
    def __new__(
        cls, window: int, every: int, limit_loss: Optional[float], limit_error: Optional[float], attacks: str, seed: int
    ) -> Monitor: ...
    def is_due(self, rows: int) -> bool: ...
    def update(self, problem: Problem, rows: int) -> tuple[dict[str, Any], bool, Optional[Certificate]]: ...
    def fail(self, message: str, rows: int) -> tuple[dict[str, Any], bool]: ...
    def cancel(self) -> None: ...
    @property
    def alarms(self) -> int: ...
