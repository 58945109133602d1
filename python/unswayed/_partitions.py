"""One certificate for rows that are spread over processes or machines: concurrent.futures, Dask and Ray.

Workers read their partitions and send sums, which are exact or rounded to a grid: they are the same in any order, and so is the
certificate. Only the digest is computed in the order of the rows; its state goes from one partition to the next. What is lost with a
worker, Dask and Ray compute again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np

from . import _native
from ._data import column_names, file_paths, label_array, label_file_beside, matrix, split
from ._executors import ATTEMPTS
from ._native import UnswayedError
from ._problem import label_kind


@dataclass(frozen=True)
class How:
    """How a worker makes rows of its partition."""

    y: Optional[str]
    label_file: Optional[str]
    labels: str
    normalize: bool

    @property
    def asked(self) -> _native.AskedRows:
        """For the compiled half."""
        return self.y, self.labels, self.normalize


def _partition(part: Any, how: How) -> _native.Partition:
    if isinstance(part, str):
        return _native.Partition.file(part, how.label_file, how.asked)
    names = column_names(part, how.y)
    x, y = split(part, how.y)
    return _native.Partition.arrays(matrix(x), label_array(y), names, how.asked)


def look(part: Any, how: How) -> str:
    """What a worker does first: what its rows are like."""
    return _partition(part, how).look()


def digest(part: Any, before: str, how: How) -> str:
    """The digest so far, together with these rows."""
    return _partition(part, how).digest(before)


def sample(part: Any, first: int, stride: int, how: How) -> Any:
    """Some of the rows: features and labels."""
    return _partition(part, how).sample(first, stride)


def pass_over(part: Any, first: int, request: str, how: How) -> str:
    """What the rows add up to."""
    return _partition(part, how).pass_over(first, request)


#: Calls a function for each part, with these further arguments, and returns the results in the order of the parts.
Each = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], list[Any]]
#: Calls a function for the parts in turn with a state, which it returns for the next one, and returns the last.
Chain = Callable[[Callable[..., Any], str, How], str]


@dataclass(frozen=True)
class Spread:
    """Rows in partitions, and who works on them."""

    #: The paths that the user gave, if the parts are files.
    files: Union[str, list[str], None]
    parts: int
    each: Each
    chain: Chain


def kind(x: Any) -> Optional[str]:
    """`dask` or `ray` if `x` is a frame or a dataset of theirs."""
    module = type(x).__module__.partition(".")[0]
    is_frame = module in ("dask", "dask_expr") and hasattr(x, "to_delayed") and hasattr(x, "columns")
    is_dataset = module == "ray" and hasattr(x, "to_pandas_refs")
    return "dask" if is_frame else "ray" if is_dataset else None


def spread(x: Any, executor: Any) -> Spread:
    """The partitions of `x` for an executor."""
    files = file_paths(x)
    paths: Optional[list[Any]] = None if files is None else [str(path) for path in _native.partition_files(files)]
    module = type(executor).__module__.partition(".")[0]
    if module == "distributed" and (paths is not None or kind(x) == "dask"):
        return _dask(executor, files, x.to_delayed() if paths is None else paths)
    if (module == "ray" or getattr(executor, "__name__", None) == "ray") and (paths is not None or kind(x) == "ray"):
        return _ray(files, _blocks(x) if paths is None else paths)
    if paths is not None and callable(getattr(executor, "submit", None)):
        return _futures(executor, files, paths)
    raise UnswayedError(
        f"executor {executor!r} and {type(x).__name__}: give a Dask frame with a Dask client, a Ray dataset with the module ray, or the"
        " path of files with one of these or an executor of concurrent.futures"
    )


def _futures(executor: Any, files: Union[str, list[str], None], parts: list[Any]) -> Spread:
    def each(function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        futures = [executor.submit(function, part, *rest) for part, rest in zip(parts, arguments)]
        try:
            return [future.result() for future in futures]
        finally:
            for future in futures:
                future.cancel()

    def chain(function: Callable[..., Any], state: str, how: How) -> str:
        for part in parts:
            state = executor.submit(function, part, state, how).result()
        return state

    return Spread(files, len(parts), each, chain)


def _dask(client: Any, files: Union[str, list[str], None], parts: list[Any]) -> Spread:
    from dask.delayed import delayed

    def computed(values: list[Any]) -> list[Any]:
        return list(client.gather(client.compute(values, retries=ATTEMPTS)))

    def each(function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        call = delayed(function, pure=False)
        return computed([call(part, *rest) for part, rest in zip(parts, arguments)])

    def chain(function: Callable[..., Any], state: Any, how: How) -> str:
        call = delayed(function, pure=False)
        for part in parts:
            state = call(part, state, how)
        [last] = computed([state])
        return str(last)

    return Spread(files, len(parts), each, chain)


def _blocks(dataset: Any) -> list[Any]:
    """The blocks of a Ray dataset as frames in its object store, in the order of the rows."""
    dataset.context.execution_options.preserve_order = True
    return list(dataset.to_pandas_refs())


def _ray(files: Union[str, list[str], None], parts: list[Any]) -> Spread:
    import ray

    def remote(function: Callable[..., Any]) -> Any:
        return ray.remote(max_retries=ATTEMPTS)(function)

    def each(function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        call = remote(function)
        return list(ray.get([call.remote(part, *rest) for part, rest in zip(parts, arguments)]))

    def chain(function: Callable[..., Any], state: Any, how: How) -> str:
        call = remote(function)
        for part in parts:
            state = call.remote(part, state, how)
        return str(ray.get(state))

    return Spread(files, len(parts), each, chain)


def certify(
    x: Any,
    y: Any,
    executor: Any,
    *,
    rates: tuple[float, float, float],
    template: _native.Asked,
    labels: Optional[str],
    normalize: bool,
    horizon: Optional[int],
    start: Optional[list[float]],
) -> _native.Certificate:
    """A certificate for the rows of all partitions."""
    if y is not None and not isinstance(y, str):
        raise UnswayedError("y must be the name of the label column for rows that are spread over workers")
    rows = spread(x, executor)
    beside = label_file_beside(rows.files) if isinstance(rows.files, str) else None
    how = How(y, beside, labels or label_kind(template["loss"]) or "detect", normalize)
    looks = rows.each(look, [(how,)] * rows.parts)
    partitions = _native.Partitions(looks)
    last = rows.chain(digest, partitions.digest, how)
    origin = partitions.origin(last, rows.files, beside, how.asked)
    firsts = partitions.firsts
    some = rows.each(sample, [(first, partitions.stride, how) for first in firsts])
    data = _sampled([one for one in some if one is not None], origin)
    problem = _native.Problem([data], None, rates, template)

    def search(request: str) -> list[str]:
        return rows.each(pass_over, [(first, request, how) for first in firsts])

    return _native.certify_partitions(problem, partitions, origin, horizon, start, search)


def _sampled(some: list[tuple[Any, Any]], origin: str) -> _native.Data:
    """The sample's rows, made as those of all partitions."""
    x = np.concatenate([np.asarray(one, dtype=np.float64) for one, _ in some])
    labels = [y for _, y in some]
    y: Any = None
    if isinstance(labels[0], list):
        y = [label for each in labels for label in each]
    elif labels[0] is not None:
        y = np.concatenate([np.asarray(each, dtype=np.float64) for each in labels])
    return _native.Data.remade(np.ascontiguousarray(x), y, None, len(x), origin)

