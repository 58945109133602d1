"""Progress of long work, shown with tqdm where that is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Optional


@contextmanager
def shown(wanted: Optional[bool], what: str) -> Iterator[Optional[Callable[[int, int], object]]]:
    """A function that shows how much is done of how much; `None` where nothing is to be shown.

    Without a wish, progress is shown on a terminal and in notebooks.
    """
    bar: Any = None
    if wanted or (wanted is None and (sys.stderr.isatty() or _in_notebook())):
        try:
            from tqdm.auto import tqdm
        except ImportError:
            if wanted:
                raise
        else:
            bar = tqdm(total=0, desc=what, unit="")
    if bar is None:
        yield None
        return

    def show(done: int, expected: int) -> None:
        if (bar.n, bar.total) != (done, expected):
            bar.n, bar.total = done, expected
            bar.refresh()

    try:
        yield show
    finally:
        bar.close()


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    return ipython is not None and type(ipython.get_ipython()).__name__ == "ZMQInteractiveShell"
