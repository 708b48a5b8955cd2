"""Arguments of this library's calls, as whoever calls them gives them."""

from __future__ import annotations

import numpy as np

from fairfront_archive.errors import InputError


def required_flag(name: str, given: object) -> bool:
    """@throws InputError  it is no truth value: every text would be taken for True."""
    if not isinstance(given, bool | np.bool_):
        raise InputError(f"{name} = {given!r}, must be True or False")
    return bool(given)
