"""Names that a choice takes, and what it says of others: as src/results/choice_names.hpp."""

from __future__ import annotations

import math

from fairfront_archive.choice_values import Bound, PointValues
from fairfront_archive.common_names import RANDOMISED
from fairfront_archive.errors import ArchiveError
from fairfront_archive.facts import Front


class ChoiceNames:
    """Names of objectives and measures in a choice among points of several problems. A list in a message holds those
    that are taken for that use in each of them. A use is a bound, or None: that of what is to be best."""

    def __init__(self, values: PointValues, problems: list[list[tuple[Front, int]]], randomised: bool, proves: bool) -> None:
        """@param proves  bounds are to be proven on rows that no selection has seen."""
        self._values, self._problems = values, problems
        self._randomised, self._proves = randomised, proves
        self._measures = values.archive.measures()

    def require(self, name: str, bound: Bound | None) -> None:
        """@throws ArchiveError  there is no such name, it is of the other form of classifiers, says several things of the
                points, has no value on the part that decides; or the bound is to be proven, and there are points
                of which none has that end of an interval where bounds are tested."""
        if not self._is_objective(name):
            self._require_measure(name, bound)
        if bound is not None and self._proves:
            self._require_limit(name, bound)

    def _require_measure(self, name: str, bound: Bound | None) -> None:
        if self._randomised and not self._taken(bound):
            raise ArchiveError("the archive holds no randomised classifiers, which [reductions] makes: leave out "
                               "randomised=True")
        if name not in self._measures:
            raise ArchiveError(f"there is no objective or measure '{name}'; there are: "
                               f"{', '.join(self._taken(bound))}{self._left_out(bound)}")
        self._require_form(name, bound)
        if not self._is_decided(name):
            raise ArchiveError(f"{name} has no value on the {self._values.roles[0]} part, which decides, only on: "
                               f"{', '.join(self._measures[name].parts)}")

    def _require_limit(self, name: str, bound: Bound) -> None:
        if self._has_limit(name, bound):
            return
        parts = () if self._is_objective(name) else self._measures[name].parts
        if len(parts) == 1:
            raise ArchiveError(f"{name} is known of the part '{parts[0]}' alone, which decides: a confidence needs rows "
                               "that no selection has seen")
        names = self._taken(bound)
        others = f"; these have one: {', '.join(names)}" if names else ", nor has anything else"
        raise ArchiveError(f"{name} has no interval on the {self._values.tested_on()}{others}")

    def _require_form(self, name: str, bound: Bound | None) -> None:
        """@throws ArchiveError  it is of the other form of classifiers, or says several things of the points."""
        if name.startswith(RANDOMISED) and not self._randomised:
            raise ArchiveError(f"{name} is of the randomised classifiers, which randomised=True chooses among")
        if self._randomised and not name.startswith(RANDOMISED):
            raise ArchiveError(f"{name} is not of the randomised classifiers; there are: "
                               f"{', '.join(self._taken(bound))}")
        if not self._says_several(name):
            return
        if name.endswith("rate_ratio"):
            raise ArchiveError(f"{name} is of another rate at every value of reductions.rate: choose in an archive of one "
                               "of them")
        own = RANDOMISED if self._randomised else ""
        raise ArchiveError(f"{name} is of another rate at every value of reductions.rate: name "
                           f"{own}independence_gap, {own}separation_gap, {own}true_positive_gap, "
                           f"{own}false_positive_gap or {own}error_gap")

    def _is_objective(self, name: str) -> bool:
        return name in self._values.objectives

    def _is_decided(self, name: str) -> bool:
        return self._is_objective(name) or self._values.roles[0] in self._measures[name].parts

    def _has_limit(self, name: str, bound: Bound) -> bool:
        """Whether some point of any problem has that end of an interval where bounds are tested. Of no point nothing is asked."""
        if not self._is_objective(name) and len(self._measures[name].parts) < 2:
            return False  # what is known of one part alone decides there, and is tested on no other rows
        places = [place for places in self._problems for place in places]
        return not places or any(not math.isnan(self._values.of(*place, name).limit(bound)) for place in places)

    def _says_several(self, name: str) -> bool:
        """A measure of another rate at every point."""
        several = len(self._values.archive.axes.get("reductions.rate", ())) > 1
        return several and name.endswith(("rate_ratio", "rate_gap"))

    def _of_form(self, bound: Bound | None) -> list[str]:
        """All that the form of classifiers has, to be bounded or to be best."""
        of_form = [name for name, measure in self._measures.items()
                   if name.startswith(RANDOMISED) == self._randomised and not self._says_several(name)
                   and not (bound is None and measure.what.direction == "none")]
        return sorted({*self._values.objectives, *of_form})

    def _taken(self, bound: Bound | None) -> list[str]:
        """What `require` takes."""
        return [name for name in self._of_form(bound) if self._is_decided(name)
                and (bound is None or not self._proves or self._has_limit(name, bound))]

    def _left_out(self, bound: Bound | None) -> str:
        """Names that a list does not hold as no bound on them can be proven, and why."""
        if bound is None or not self._proves:
            return ""
        undecided = [name for name in self._of_form(bound) if not self._is_decided(name)]
        without = [name for name in self._of_form(bound) if name not in undecided and not self._has_limit(name, bound)]
        reasons = [f"without an interval on the {self._values.tested_on()}: {', '.join(without)}"] if without else []
        if undecided:
            reasons.append(f"without a value on the {self._values.roles[0]} part, which decides: {', '.join(undecided)}")
        return f"; no bound can be proven on names {'; '.join(reasons)}" if reasons else ""
