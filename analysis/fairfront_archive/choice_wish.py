"""What is asked for of a choice: as results::Wish of src/results/choice.hpp."""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Iterable

from fairfront_archive.arguments import required_flag
from fairfront_archive.choice_values import Bound, bound_of
from fairfront_archive.common_names import measure_called
from fairfront_archive.errors import ArchiveError
from fairfront_archive.reader import Reader


@dataclasses.dataclass(frozen=True)
class Wish:
    bounds: tuple[Bound, ...]
    best: str | None  # the objective or measure that is to be best; None: the first objective
    knee: bool  # in place of `best`: the corner of the front of two objectives
    methods: tuple[str, ...]  # only of these; empty: of all
    confidence: float | None  # the bounds hold for the population with it; None: on the part that decides
    randomised: bool  # among the randomised classifiers, by their own measures

    def names(self) -> set[str]:
        return {bound.name for bound in self.bounds} | ({self.best} if self.best else set())

    def arguments(self) -> list[str]:
        """Of `fairfront choose`."""
        words = [word for bound in self.bounds for word in ("--bound", str(bound))]
        words += [word for one in self.methods for word in ("--method", one)]
        words += ["--best", self.best] if self.best is not None else ["--knee"] if self.knee else []
        return words + (["--confidence", repr(float(self.confidence))] if self.confidence is not None else [])


def wish_of(bound: str | Iterable[str] | None, best: str | None, knee: bool, method: str | Iterable[str] | None,
            confidence: float | None, randomised: bool) -> Wish:
    """@throws ArchiveError  an argument of another type, or some that exclude each other."""
    bounds = tuple(bound_of(text) for text in texts_of("bound", bound))
    bounds = tuple(dataclasses.replace(one, name=measure_called(one.name)) for one in bounds)
    if best is not None and not isinstance(best, str):
        raise ArchiveError(f"best = {best!r}, must be a text: the name of an objective or a measure")
    if best == "":
        raise ArchiveError("best = '' is no name: leave it out to take the first objective")
    best = None if best is None else measure_called(best)
    knee, randomised = required_flag("knee", knee), required_flag("randomised", randomised)
    if knee and best is not None:
        raise ArchiveError("knee and best exclude each other")
    if randomised and (knee or confidence is not None):
        raise ArchiveError("of randomised classifiers measures are known, such as randomised_error, without intervals: "
                           "there is no knee, and nothing can be proven")
    if confidence is not None and not (isinstance(confidence, numbers.Real) and 0.5 < confidence < 1):
        raise ArchiveError(f"confidence = {confidence!r}, must be above 0.5 and below 1")
    return Wish(bounds, best or ("randomised_error" if randomised else None), knee,
                tuple(texts_of("method", method)), confidence, randomised)


def with_full_names(archive: Reader, wish: Wish) -> Wish:
    """With objectives in full where it has words of their names and nothing is called so: a bound is then on each of
    them.

    @throws ArchiveError  what is to be best may be several of them."""
    if wish.randomised:
        return wish
    bounds = tuple(dataclasses.replace(one, name=name) for one in wish.bounds for name in _meant(archive, one.name))
    best = [wish.best] if wish.best is None else _meant(archive, wish.best)
    if len(best) > 1:
        raise ArchiveError(f"'{wish.best}' is of several objectives, of which one is to be best: {', '.join(best)}")
    return dataclasses.replace(wish, bounds=bounds, best=best[0])


def _meant(archive: Reader, name: str) -> list[str]:
    objectives = [one.name for one in archive.fronts()[0].objectives]
    if name in objectives or name in archive.measures():
        return [name]
    return [full for full in objectives if f" {name} " in f" {full} "] or [name]


def texts_of(what: str, given: str | Iterable[str] | None) -> list[str]:
    """One text, or several; None: no text."""
    texts = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else \
        [] if given is None else [given]
    for text in texts:
        if not isinstance(text, str):
            raise ArchiveError(f"{what} = {given!r}, must be a text or several")
    return texts
