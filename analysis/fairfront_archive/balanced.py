"""The cheapest assignment of rows to centres within a balance, which the program solves (`fairfront predict --balance`)."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile

import numpy as np
import pandas

from fairfront_archive import program

GROUP = "group"


def assigned(features: np.ndarray, groups: np.ndarray, count: int, centres: np.ndarray,
             balance: float, until_proven: bool = False) -> tuple[np.ndarray, np.ndarray, str]:
    """Clusters of rows, their distances to the centres, and what the program says of balance, cost and bound.

    The program gets the features as numbers that bring back every bit, and a model of nothing but the centres.

    @param features  (n, d), finite. @param groups  (n,), 0 .. count - 1. @param centres  (k, d).
    @param until_proven  as `fairfront predict --until-proven`.
    @throws ArchiveError  there is no program.
    @throws InputError    no assignment has this balance: a ValueError, too.
    """
    names = [f"feature {i}" for i in range(features.shape[1])]
    table = pandas.DataFrame(features, columns=names).assign(**{GROUP: groups})
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "centres.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(_model_file(names, count, centres))
        wanted = ["--balance", repr(float(balance)), *(["--until-proven"] if until_proven else [])]
        found, said = program.ask("predict", path, "--rows", "-", "--csv", "-", "--group", GROUP, *wanted,
                                  given=table.to_csv(index=False), of_values=True)
    answer = pandas.read_csv(io.StringIO(found), float_precision="round_trip")
    return answer["cluster"].to_numpy(dtype=float), answer["distance"].to_numpy(dtype=float), said.strip().splitlines()[-1]


def _model_file(names: list[str], groups: int, centres: np.ndarray) -> str:
    """Of centres of rows whose columns are their features."""
    columns = [{"name": name, "log1p": False, "filler": 0.0, "shift": 0.0, "divisor": 1.0, "place": i}
               for i, name in enumerate(names)]
    preparation = {"columns": columns, "unset": [0.0] * len(names), "missing": "error"}
    members = {"format": "fairfront model", "format_version": 1, "card": {}, "choice": {}, "measures": [],
               "provenance": {"archive_digest": "", "key": "", "task": 0, "point": 0},
               "kind": "centres", "options": {"centres": "centres", "data": ""},
               "shared": {"preparation": preparation, "groups": list(map(str, range(groups))), "numbers": {}},
               "parameters": {"centres": [centres.ravel().tolist()]}}
    text = "{\n" + "".join(f"{json.dumps(name)}: {json.dumps(value)},\n" for name, value in members.items())
    return f'{text}"sha256": "{hashlib.sha256(text.encode()).hexdigest()}"\n}}\n'
