"""The fitted models of an archive, and model files (`fairfront choose --model`)."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from typing import Any

import numpy as np

from fairfront_archive.arguments import whole_number
from fairfront_archive.cells import require
from fairfront_archive.common_names import RANDOMISED
from fairfront_archive.errors import ArchiveError, ModelError
from fairfront_archive.facts import Front, Task
from fairfront_archive.files import path_text
from fairfront_archive.json_numbers import NOT_FINITE, to_json
from fairfront_archive.kinds import options_of
from fairfront_archive.model import FittedModel, ModelSource
from fairfront_archive.problem_names import names_of_problems
from fairfront_archive.reader import Reader

FILE_FORMAT = "fairfront model"
FILE_VERSION = 1
MOST_BYTES = 64 << 20
LINE_END = "\n"
REMEDY = "take a copy of it, or write it again with `fairfront choose ARCHIVE --model FILE`"
KINDS = {int: "whole number", str: "text", dict: "object", list: "list"}  # as messages name them
DEEPEST = 32  # lists and objects around a value
FORMS = {"drawn_thresholds": "a draw among thresholds of each group",
         "drawn_scores": "a draw among several scores, the randomised classifier"}
BEFORE_DIGEST = b'"sha256": "'
DRAWN = ("data", "hidden", "activation", "members", "shares")  # options of kind drawn_scores
# Options that name a solution which the kind reads.
READ = ("weights", "centres", "thresholds", "multipliers", "atoms", "mixture", "values", "levels",
        "members", "shares")


def model_of(archive: Reader, task: int, point: int | None, group: str | None,
             randomised: bool = False) -> FittedModel:
    """The model of a task, or of one point of its front; None: what the task's measures are of, or else the
    front's only point.

    @param randomised  not the best single classifier, but the draw among several that it is one of.
    @throws ArchiveError  no such task or point, it is not done or has no model, it has one for each point
            and none is chosen, or no randomised one.
    """
    return FittedModel(source_of(archive, task, point, randomised), group)


def source_of(archive: Reader, task: int, point: int | None, randomised: bool = False) -> ModelSource:
    task = _whole(f"{archive.path}: task", task)
    point = None if point is None else _whole(f"{archive.path}: point", point)
    one = _task(archive, task)
    front = next((front for front in archive.fronts() if front.task.index == task), None)
    points = 0 if front is None else len(front.points)
    if point is not None and not 0 <= point < points:
        raise ArchiveError(f"{archive.path}: the front of task {task} has {points} points: point {point} is none, "
                           "counted from 0")
    place = f"{archive.path}, task {task}" + ("" if point is None else f", point {point}")
    try:
        kind, options = options_of(archive.models()[task])
        if point is not None and "weights_of_point" in options:
            options["weights"] = options["weights_of_point"]
        if randomised:
            if "members" not in options:
                raise ArchiveError(f"{place}: the model is no randomised classifier, such as [reductions] finds")
            kind, options = "drawn_scores", {name: options[name] for name in DRAWN if name in options}
        parameters = {}
        for name in (options[option] for option in READ if option in options):
            vectors = archive.solutions_of(name)[task] if name in archive.solution_names() else []
            if points > 1 and len(vectors) == points:
                if point is None:
                    raise ArchiveError(f"{archive.path}: task {task} has a model for each of {points} points of "
                                       "its front: choose one, counted from 0")
                vectors = [vectors[point]]
            parameters[name] = [np.asarray(vector, dtype=np.float64) for vector in vectors]
        _, fitted, digests = archive.fitted()
        require(options.get("data") in digests, "it is of a data set that the archive does not name")
        at = digests.index(options["data"])
        shared = _object(fitted[at])
        about = _about(archive, one, _about_point(archive, task, point, points), front, at)
        about = _of_form(about, kind)
    except ModelError as error:
        raise ArchiveError(f"{place}: a model that is damaged: {error}") from error
    if _columns(shared) == []:
        raise ArchiveError(f"{place}: the model is of an archive that was made before features of LIBSVM files had "
                           "names: run its config anew")
    return ModelSource(place, shared, kind, options, parameters, about)


def group_names_of(archive: Reader, task: int) -> list[str]:
    """As the task's data have them, in order; empty where it has no model, or one that is damaged."""
    try:
        _, options = options_of(archive.models()[task])
        _, fitted, digests = archive.fitted()
        names = _object(fitted[digests.index(options["data"])])["groups"]
        return [name if isinstance(name, str) else bytes(name).decode(errors="replace") for name in names]
    except (ModelError, ValueError, LookupError, TypeError):
        return []


def load_model(path: str | os.PathLike[str], group: str | None = None) -> FittedModel:
    """The model of a file that `fairfront choose --model` has written.

    @param group  the column of a frame with the group of every row, for models that need it.
    @throws ArchiveError  no such file, or it is damaged.
    """
    path = path_text("path", path)
    try:
        with open(path, "rb") as file:
            text = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ArchiveError(f"{path}: cannot be read ({error.strerror})") from error
    if len(text) > MOST_BYTES:
        raise ArchiveError(f"{path}: has more than the 64 MiB of a model file: name what `fairfront choose --model` has made")
    foreign = ArchiveError(f"{path}: not a model file{'' if text else ', but empty'}: name what `fairfront choose --model` has "
                           "made; models of an archive are those of fairfront_archive.open(path).model(task)")
    if not text.startswith(b"{") or f'"{FILE_FORMAT}"'.encode() not in text:
        raise foreign
    try:
        found = _object(_decoded(text))
        if found.get("format") != FILE_FORMAT:
            raise foreign
        version = _member(found, "format_version", int)
        require(version >= 1, 'its "format_version" is below 1')
        if version > FILE_VERSION:
            raise ArchiveError(f"{path}: has format version {version}; this reader knows up to {FILE_VERSION}: take "
                               "one that is as new as the program that wrote it, or write it again")
        _require_digest(text)
        options = _member(found, "options", dict)
        options = {name: _member(options, name, str) for name in options}
        parameters = {name: _vectors(vectors) for name, vectors in _member(found, "parameters", dict).items()}
        shared = _member(found, "shared", dict)
        require(_columns(shared) != [], 'its "columns" of the table are none')
        source = ModelSource(path, shared, _member(found, "kind", str), options, parameters, _told(found), REMEDY)
    except ModelError as error:
        raise ArchiveError(f"{path}: a model file that is damaged: {error}; {REMEDY}") from error
    return FittedModel(source, group)


def _decoded(text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise ModelError("it holds bytes that are no UTF-8") from None


def _require_digest(text: bytes) -> None:
    at = text.rfind(BEFORE_DIGEST)
    expected = BEFORE_DIGEST + hashlib.sha256(text[:max(at, 0)]).hexdigest().encode() + b'"\n}\n'
    require(at >= 0 and text[at:] == expected, "its bytes are not those that were written")


def _told(found: dict) -> dict:
    """What the file says about the model."""
    about = {"card": dict, "choice": dict, "measures": list, "provenance": dict}
    about = {name: _member(found, name, kind) for name, kind in about.items()}
    for name in ("archive_digest", "key"):
        _member(about["provenance"], name, str)
    for name in ("task", "point"):
        require(name in about["provenance"], f'its "{name}" is missing')
        value = about["provenance"][name]
        whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2 ** 63
        require(whole, f'its "{name}" is no whole number from 0 on')
    return about


def _columns(shared: dict) -> object:
    preparation = shared.get("preparation")
    return preparation.get("columns") if isinstance(preparation, dict) else None


def _object(text: str) -> dict:
    """@throws ModelError  whatever the program does not take for JSON, such as NaN."""
    try:
        found = json.loads(text, parse_float=_real, parse_int=_integer, parse_constant=_no_constant,
                           object_pairs_hook=_members)
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
            raise ModelError(f"it ends in line {text.count(LINE_END) + 1} before its JSON does, as a file does that is cut "
                             "off") from None
        raise ModelError(f"it is no JSON from line {error.lineno} on") from None
    except RecursionError:
        raise ModelError("it is nested too deeply") from None
    require(isinstance(found, dict), "it is no object of JSON")
    _require_shallow(found, 0)
    if "\\ud" in text.lower():
        _require_whole_letters(found)
    return found


def _real(digits: str) -> float:
    value = float(digits)
    require(np.isfinite(value), "it holds a number that is too large for a double")
    return value


def _integer(digits: str) -> int:
    _real(digits)
    return int(digits)


def _no_constant(name: str) -> None:
    raise ModelError(f"it is no JSON, as it holds {name}, which JSON does not have")


def _members(pairs: list[tuple[str, object]]) -> dict:
    members = dict(pairs)
    if len(members) < len(pairs):
        twice = next(name for i, (name, _) in enumerate(pairs) if any(name == other for other, _ in pairs[:i]))
        raise ModelError(f'its "{twice[:40]}" is there twice')
    return members


def _require_shallow(value: dict | list, around: int) -> None:
    """@param around  lists and objects that it stands in."""
    members = value.values() if isinstance(value, dict) else value
    require(around < DEEPEST or not members, "it is nested too deeply")
    for member in members:
        if isinstance(member, (dict, list)):
            _require_shallow(member, around + 1)


def _require_whole_letters(found: dict) -> None:
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ModelError("it is no JSON, as a text in it has half a character") from None


def _member(found: dict, name: str, kind: type) -> Any:
    require(name in found, f'its "{name}" is missing')
    value = found[name]
    require(isinstance(value, kind) and not isinstance(value, bool), f'its "{name}" is no {KINDS[kind]}')
    return value


def _vectors(vectors: object) -> list[np.ndarray]:
    require(isinstance(vectors, list), 'its "parameters" hold what is no list')
    require(all(isinstance(vector, list) for vector in vectors), 'its "parameters" hold what is no list of numbers')
    return [np.array([_number(value) for value in vector], dtype=np.float64) for vector in vectors]


def _number(value: object) -> float:
    number = NOT_FINITE.get(value) if isinstance(value, str) else value
    require(isinstance(number, (int, float)) and not isinstance(number, bool),
            'its "parameters" hold a number that is none')
    return float(number)


def _whole(what: str, value: object) -> int:
    whole = whole_number(value)
    if whole is None:
        raise ArchiveError(f"{what} = {value!r}, must be a whole number")
    return whole


def _task(archive: Reader, task: int) -> Task:
    if not 0 <= task < len(archive.tasks):
        raise ArchiveError(f"{archive.path}: there is no task {task}, only 0 .. {len(archive.tasks) - 1}")
    one = archive.tasks[task]
    if one.status != "done":
        raise ArchiveError(f"{archive.path}: task {task} is not done: it has no model")
    if not archive.models()[task]:
        raise ArchiveError(f"{archive.path}: task {task} has no model: [{one.method}] of the experiment "
                           f"{archive.experiment} leaves none")
    return one


def _about_point(archive: Reader, task: int, point: int | None, points: int) -> int | None:
    """The point that the model is of; None: it is none of the front's points, but what the measures are of."""
    return point if points > 1 or archive.has_points_apart(task) else 0


def _about(archive: Reader, task: Task, point: int | None, front: Front | None, data: int) -> dict:
    """What the members of a model file say that are about it.

    @param data  the place of its data set.
    """
    apart = archive.has_points_apart(task.index)
    at = ", the model that its measures are of," if point is None and apart else \
        "" if point is None or front is None else f", point {point}"
    (problem,) = names_of_problems(archive, [task])
    values = {}
    if front is not None and point is not None:
        for i, objective in enumerate(front.objectives):
            reported = np.nan if front.report is None else front.report[point, i]
            values[objective.name] = {"decided": to_json(front.points[point, i]), "reported": to_json(reported)}
    whole = front is None or point is None or archive.measures_are_of_point(front)
    return {"card": {"model": f"[{task.method}] of the experiment {archive.experiment} on {problem}: task "
                              f"{task.index}{at} of {os.path.basename(archive.path)}"},
            "choice": {"values": values},
            "measures": _measures(archive, task.index) if whole else [],
            "provenance": {"archive": os.path.basename(archive.path), "archive_digest": archive.digest,
                           "experiment": archive.experiment, "method": task.method, "task": task.index,
                           "point": point, "key": task.key, "data": archive.data_set(data),
                           "options": archive.options_of(task)}}


def _of_form(about: dict, kind: str) -> dict:
    """Without what was measured of the other form: a task of [reductions] has two."""
    about["card"]["form"] = FORMS.get(kind, "a single model")
    randomised = kind == "drawn_scores"
    about["measures"] = [one for one in about["measures"] if one["name"].startswith(RANDOMISED) == randomised]
    values = about["choice"]["values"]
    about["choice"]["values"] = {} if randomised else values
    return about


def _measures(archive: Reader, task: int) -> list[dict]:
    """As `measure_frame` has them: what a group makes of a gap is no value of it."""
    rows = []
    for name, measure in archive.measures().items():
        for part, group in itertools.product(measure.parts, measure.measured_groups):
            ends = measure.of(part, group)[task]
            if not np.isnan(ends).all():
                rows.append({"name": name, "part": part, "group": group,
                             **dict(zip(("value", "low", "high"), map(to_json, ends)))})
    return rows
