"""Sweeps on other processes and machines: concurrent.futures, Dask and Ray.

A sweep falls into pieces that depend on nothing but the data, the plan and themselves. Each is a small JSON text; the data
travel once to each worker. Where an engine can share objects (Dask scatters them, Ray puts them into its store) it does; elsewhere
the first pieces of a task, one for each worker, bring the data along, and a worker that was left out says so.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from functools import partial
from typing import Any, Optional

from . import _native
from ._data import Data
from ._native import UnswayedError

#: What a design calls with a plan and pieces (task, text), and gets records from.
Run = Callable[[str, list[tuple[str, str]]], Iterator[str]]

#: How often a piece is tried when workers die.
ATTEMPTS = 4

#: The data a worker process has been sent, by digest.
_known: dict[str, Data] = {}


def runner(executor: Any, tasks: Mapping[str, Data]) -> Run:
    """How to run pieces on this executor."""
    module = type(executor).__module__.partition(".")[0]
    if module == "distributed":
        return _dask(executor, tasks)
    if module == "ray" or getattr(executor, "__name__", None) == "ray":
        return _ray(tasks)
    if callable(getattr(executor, "submit", None)):
        return _futures(executor, tasks)
    raise UnswayedError(
        f"executor {executor!r}: give an executor of concurrent.futures, a Dask client, or the module ray"
    )


def work(data: Data, plan: str, piece: str) -> list[str]:
    """What a worker does: the records of a piece."""
    return _native.compute(data._native, plan, piece)


def _work_if_known(sha256: str, data: Optional[Data], plan: str, piece: str) -> Optional[list[str]]:
    """The same by digest; `None` if the data must be sent."""
    if data is not None:
        _known[sha256] = data
    known = _known.get(sha256)
    return None if known is None else work(known, plan, piece)


def _futures(executor: Executor, tasks: Mapping[str, Data]) -> Run:
    digests = {name: data.sha256 for name, data in tasks.items()}
    workers = getattr(executor, "_max_workers", None) or os.cpu_count() or 1
    sent = dict.fromkeys(tasks, 0)

    def run(plan: str, pieces: list[tuple[str, str]]) -> Iterator[str]:
        waiting: dict[Future[Optional[list[str]]], tuple[str, str]] = {}

        def submit(task: str, piece: str, send: bool) -> None:
            data = tasks[task] if send else None
            sent[task] += send
            waiting[executor.submit(_work_if_known, digests[task], data, plan, piece)] = (task, piece)

        try:
            for task, piece in pieces:
                submit(task, piece, send=sent[task] < workers)
            while waiting:
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    task, piece = waiting.pop(future)
                    records = _result(future.result)
                    if records is None:
                        submit(task, piece, send=True)
                    else:
                        yield from records
        finally:
            for future in waiting:
                future.cancel()

    return run


def _dask(client: Any, tasks: Mapping[str, Data]) -> Run:
    from distributed import KilledWorker, as_completed

    def scatter(task: str) -> Any:
        # To every worker, so that the loss of one loses nothing. A worker that is lost just now ends the connection: once more then.
        for attempt in range(ATTEMPTS):
            try:
                return client.scatter(tasks[task], broadcast=True, hash=False)
            except OSError:
                if attempt + 1 == ATTEMPTS:
                    raise
                time.sleep(1)

    scattered = {task: scatter(task) for task in tasks}

    def run(plan: str, pieces: list[tuple[str, str]]) -> Iterator[str]:
        attempts: dict[str, int] = {}

        def submit(task: str, piece: str) -> Any:
            attempts[piece] = attempts.get(piece, 0) + 1
            future = client.submit(work, scattered[task], plan, piece, pure=False, retries=ATTEMPTS)
            waiting[future.key] = (task, piece)
            return future

        waiting: dict[str, tuple[str, str]] = {}
        futures = [submit(task, piece) for task, piece in pieces]
        queue = as_completed(futures)
        try:
            for future in queue:
                task, piece = waiting.pop(future.key)
                try:
                    records = _result(future.result)
                except (KilledWorker, CancelledError) as error:
                    if attempts[piece] >= ATTEMPTS:
                        raise
                    # Cancelled pieces have lost their data: all workers that had them are gone.
                    if isinstance(error, CancelledError):
                        scattered[task] = scatter(task)
                    queue.add(submit(task, piece))
                    continue
                future.release()
                yield from records
        finally:
            client.cancel([future for future in futures if not future.done()])

    return run


def _ray(tasks: Mapping[str, Data]) -> Run:
    import ray

    remote = ray.remote(max_retries=ATTEMPTS)(work)
    stored = {name: ray.put(data) for name, data in tasks.items()}

    def run(plan: str, pieces: list[tuple[str, str]]) -> Iterator[str]:
        waiting = [remote.remote(stored[task], plan, piece) for task, piece in pieces]
        try:
            while waiting:
                done, waiting = ray.wait(waiting, num_returns=1)
                for reference in done:
                    yield from _result(partial(ray.get, reference))
        finally:
            for reference in waiting:
                ray.cancel(reference)

    return run


def _result(get: Callable[[], Any]) -> Any:
    """A worker's result; what cannot be repeated elsewhere is told apart from the loss of a worker."""
    try:
        return get()
    except UnswayedError:
        raise
    except Exception as error:
        if type(error).__name__ == "BrokenProcessPool":
            raise UnswayedError(
                "a worker process of the executor died, and with it the executor; "
                "make a new one and continue with resume=True"
            ) from error
        raise
