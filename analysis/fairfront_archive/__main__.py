"""python3 -m fairfront_archive MODEL.json MODEL.onnx: writes a model file of the program as an ONNX file."""

from __future__ import annotations

import os
import sys

from fairfront_archive.errors import ArchiveError
from fairfront_archive.stored_models import load_model

BAD_INPUT = 2


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return BAD_INPUT
    if os.path.isfile(arguments[1]):
        print(f"cannot write '{arguments[1]}': it exists; choose another name", file=sys.stderr)
        return BAD_INPUT
    try:
        load_model(arguments[0]).to_onnx(arguments[1])
    except ArchiveError as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
