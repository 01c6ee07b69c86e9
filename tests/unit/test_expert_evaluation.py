"""What experts and their weights are worth, by hand."""

from __future__ import annotations

import math

import pytest

from tests.football_samples import make_expert, make_match, make_run
from workbench.evaluate.experts import ExpertLine, WeightLine, always_home, expert_lines, weight_lines
from workbench.evaluate.forecasts import Judged, judge
from workbench.records import Report


def judged(*cases: tuple[tuple[int, int], tuple[Report, ...], dict[str, float] | None]) -> tuple[Judged, ...]:
    matches = [make_match(day, goals) for day, (goals, _, _) in enumerate(cases)]
    runs = [
        make_run(match, *experts, weights=weights)
        for match, (_, experts, weights) in zip(matches, cases, strict=True)
    ]
    found = judge(runs, matches)
    assert not found.left_out
    return found.judged


def lines(*cases: object) -> dict[str, ExpertLine]:
    return {line.agent: line for line in expert_lines(judged(*cases))}  # type: ignore[arg-type]


def weights(*cases: object) -> dict[str, WeightLine]:
    return {line.agent: line for line in weight_lines(judged(*cases))}  # type: ignore[arg-type]


def test_the_sign_of_an_edge_is_held_against_matches_with_a_winner() -> None:
    """Edges 0.4 (home win), -0.2 (home win), 0.3 (draw), 0.001 (away win): one of two named right."""
    form = lines(
        ((2, 0), (make_expert("form", 0.4),), None),
        ((1, 0), (make_expert("form", -0.2),), None),
        ((1, 1), (make_expert("form", 0.3),), None),
        ((0, 1), (make_expert("form", 0.001),), None),
    )["form"]
    assert (form.sign.value, form.sign.n, form.sign.better) == (0.5, 2, "higher")
    assert form.error.value == pytest.approx((0.6**2 + 1.2**2 + 0.3**2 + 1.001**2) / 4)
    assert (form.runs, form.heard, form.revision.n, form.revision.value) == (4, 4, 0, None)


def test_a_revision_is_better_where_its_squared_error_is_smaller() -> None:
    """Home win: 0.2 to 0.5 gains 0.64 - 0.25 = 0.39. Draw: 0.1 to 0.3 loses 0.08. Unmoved: nothing."""
    form = lines(
        ((2, 0), (make_expert("form", 0.2, 0.5),), None),
        ((1, 1), (make_expert("form", 0.1, 0.3),), None),
        ((0, 1), (make_expert("form", -0.4, -0.4),), None),
    )["form"]
    assert form.revision.value == pytest.approx((0.39 - 0.08 + 0) / 3)
    assert (form.moved, form.revision.n, form.revision.better) == (2, 3, "higher")
    assert form.sign.value == form.draft_sign.value == 1.0


def test_silent_and_failed_experts_are_counted_and_not_scored() -> None:
    found = lines(
        ((2, 0), (make_expert("injuries", 0, status="no_data"), make_expert("form", 0.4)), None),
        ((2, 0), (make_expert("injuries", 0, status="error"), make_expert("form", 0.4)), None),
        ((2, 0), (make_expert("injuries", 0.2, data_sufficiency="none"), make_expert("form", 0.4)), None),
        ((2, 0), (make_expert("injuries", math.nan), make_expert("form", 0.4)), None),
    )
    assert (found["injuries"].runs, found["injuries"].heard) == (4, 0)
    assert found["injuries"].sign.value is None
    assert list(found) == ["injuries", "form"]


def test_the_weighted_edge_is_held_against_itself_without_each_expert() -> None:
    """Home win; 0.5 at weight 3 and -0.5 at weight 1: together 0.25, error 0.5625; without form -0.5, error
    2.25; without h2h 0.5, error 0.25."""
    experts = (make_expert("form", 0.5), make_expert("h2h", -0.5))
    found = weights(((2, 0), experts, {"form": 0.9, "h2h": 0.3}))
    assert found["form"].drop_one.value == pytest.approx(2.25 - 0.5625)
    assert found["h2h"].drop_one.value == pytest.approx(0.25 - 0.5625)
    assert found["form"].weight.value == pytest.approx(0.9)


def test_more_weight_where_it_is_right_correlates() -> None:
    """Edge 0.8 always; weights 0.9, 0.9 on home wins, 0.1 on an away win: perfectly placed."""
    expert, other = make_expert("form", 0.8), make_expert("stats", 0.1)
    found = weights(
        ((2, 0), (expert, other), {"form": 0.9, "stats": 0.5}),
        ((1, 0), (expert, other), {"form": 0.9, "stats": 0.5}),
        ((0, 1), (expert, other), {"form": 0.1, "stats": 0.5}),
    )
    assert found["form"].correlation.value == pytest.approx(1.0)
    assert found["stats"].correlation.value is None, "a weight that never varies places nothing"


def test_a_weight_that_is_missing_or_alone_drops_nothing() -> None:
    experts = (make_expert("form", 0.5), make_expert("h2h", -0.5))
    found = weights(((2, 0), experts, {"form": 0.9}), ((2, 0), experts, None))
    assert list(found) == ["form"]
    assert (found["form"].drop_one.n, found["form"].weight.n) == (0, 1)
    assert weights(((2, 0), experts, {"form": math.nan, "h2h": 0.0}))["h2h"].drop_one.value is None


def test_nobody_and_a_single_run_are_no_error() -> None:
    assert expert_lines([]) == weight_lines([]) == []
    assert always_home([]).value is None
    single = judged(((2, 0), (), None))
    assert expert_lines(single) == []
    assert always_home(single).value == 1.0


def test_naming_the_home_club_every_time_is_the_yardstick_of_a_sign() -> None:
    runs = judged(((2, 0), (), None), ((0, 0), (), None), ((0, 2), (), None), ((1, 0), (), None))
    assert (always_home(runs).value, always_home(runs).n) == (pytest.approx(2 / 3), 3)
