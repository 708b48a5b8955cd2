"""Tells how far a run is: the program's lines on the standard error, in a notebook one bar that moves."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Callable

# Such as "12/40 tasks, 30%, 3.1 tasks/s, 0:09 left; iteration 5/8 [alm, alm.delta=0.1]".
_TASKS = re.compile(r"(\d+)/(\d+) tasks, ")


def teller() -> Callable[[str], None]:
    """Takes the lines of `fairfront run`, one after the other."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    # A shell in a terminal has no kernel, and shows the text of what is displayed.
    return _Bar() if getattr(shell, "kernel", None) is not None else _print


def _print(line: str) -> None:
    print(line, file=sys.stderr)


class _Bar:
    """A bar with the last line beside it; what is no progress is printed, as anywhere."""

    def __init__(self) -> None:
        self._shown = None

    def __call__(self, line: str) -> None:
        match = _TASKS.match(line)
        if match is None:
            _print(line)
            return
        done, all_tasks = match.groups()
        text = html.escape(line)
        bar = _Html(f"<progress value='{done}' max='{all_tasks}' aria-label='tasks done'></progress> {text}", line)
        if self._shown is None:
            from IPython.display import display  # the notebook has it
            self._shown = display(bar, display_id=True)
        else:
            self._shown.update(bar)


class _Html:
    def __init__(self, text: str, plain: str) -> None:
        self._text, self._plain = text, plain

    def _repr_html_(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._plain
