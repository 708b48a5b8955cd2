"""What a choice adds to the card of its model: the members and texts of src/results/model_card.cpp."""

from __future__ import annotations

import dataclasses
import math
from typing import Protocol

from fairfront_archive.cells import text_of
from fairfront_archive.choice_values import Bound, Candidate, ChoiceValue
from fairfront_archive.choice_wish import Wish
from fairfront_archive.common_names import RANDOMISED
from fairfront_archive.json_numbers import to_json
from fairfront_archive.model import ModelSource


class Decision(Protocol):
    """A `Choice` of which a point is chosen."""

    problem: str
    candidates: list[Candidate]
    chosen: Candidate
    wish: Wish
    decided_on: str
    tested_on: str
    certified: int


def with_choice(source: ModelSource, choice: Decision) -> ModelSource:
    """The source of the chosen point's model, whose card says by which rule it was chosen and what that guarantees."""
    about = source.about
    card = {**about["card"], "chosen": _rule_of(choice), "guarantee": guarantee_of(choice)}
    return dataclasses.replace(source, about={**about, "card": card, "choice": _members_of(choice)})


def guarantee_of(choice: Decision) -> str:
    """What the bounds of the choice are worth."""
    if not choice.wish.bounds:
        return "none: the choice had no bound to keep"
    bounds = _bounds_text(choice.wish.bounds)
    if choice.wish.confidence is None:
        return f"none for rows that come later: {bounds} holds on the {choice.decided_on}, which the choice has seen"
    return (f"with a confidence of {text_of(float(choice.wish.confidence))}, {bounds} holds in the population that the "
            f"{choice.tested_on} is an independent sample of: it was tested on these rows, which no selection had seen, "
            f"and {choice.certified} of {len(choice.candidates)} points passed, in the order of the {choice.decided_on}; "
            "limits of rates are on the safe side, those of their gaps nearly so where groups have few rows, those of "
            "means without a bound, such as a log loss, and of AUCs are approximations")


def _rule_of(choice: Decision) -> str:
    best = choice.wish.best or next(iter(choice.candidates[0].values))
    what = "knee" if choice.wish.knee else f"point with the best {best}"
    points, bounds = len(choice.candidates), _bounds_text(choice.wish.bounds)
    if choice.wish.confidence is not None:
        return (f"the {what} on the {choice.decided_on}, of those {choice.certified} of {points} points that tests on "
                f"the {choice.tested_on} showed to have {bounds}")
    within = f" among those with {bounds}" if bounds else ""
    return f"the {what} of {points} points{within}, on the {choice.decided_on}"


def _members_of(choice: Decision) -> dict:
    values = {name: _value_of(choice, value) for name, value in choice.chosen.values.items()
              if name.startswith(RANDOMISED) == choice.wish.randomised}
    members = {"problem": choice.problem, "bounds": [_bound_text(bound) for bound in choice.wish.bounds],
               "best": choice.wish.best or "", "knee": choice.wish.knee, "methods": list(choice.wish.methods),
               "confidence": choice.wish.confidence, "points": len(choice.candidates), "values": values}
    return members if choice.wish.confidence is None else {**members, "certified": choice.certified}


def _value_of(choice: Decision, value: ChoiceValue) -> dict:
    told = {name: to_json(getattr(value, name)) for name in ("decided", "reported", "low", "high")}
    if choice.wish.confidence is not None:
        told["tested"] = dict(zip(("value", "low", "high"), map(to_json, value.tested)))
    return told


def _bounds_text(bounds: tuple[Bound, ...]) -> str:
    return ", ".join(map(_bound_text, bounds))


def _bound_text(bound: Bound) -> str:
    limit = text_of(bound.limit) if math.isfinite(bound.limit) else to_json(bound.limit)
    return f"{bound.name} {'<=' if bound.at_most else '>='} {limit}"
