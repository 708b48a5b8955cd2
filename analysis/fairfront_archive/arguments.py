"""Arguments of this library's calls, as whoever calls them gives them."""

from __future__ import annotations

import operator

import numpy as np

from fairfront_archive.errors import InputError


def required_flag(name: str, given: object) -> bool:
    """@throws InputError  it is no truth value: every text would be taken for True."""
    if not isinstance(given, bool | np.bool_):
        raise InputError(f"{name} = {given!r}, must be True or False")
    return bool(given)


def whole_number(given: object) -> int | None:
    """None: it is none. Truth values are none, which Python takes for 1 and 0."""
    if isinstance(given, bool | np.bool_):
        return None
    try:
        return operator.index(given)
    except TypeError:
        return None
