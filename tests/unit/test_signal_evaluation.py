"""What revising changed, in hand-computed figures, and that expectations stay out of every run's sight."""

from __future__ import annotations

import pytest

from workbench.evaluate.signals import impact_change, revising_lines
from workbench.evidence.expectations import expected_directions
from workbench.records import Direction
from workbench.store.signals import SecondLook
from workbench.workspace import Workspace


def look(
    item: str, before: float, after: float, draft: Direction | None = None, final: Direction | None = None
) -> SecondLook:
    return SecondLook(item, "signal_scope", "SignalScope", before, after, 0.6, 0.5, draft, final)


def test_changes_and_corrections_are_counted_per_specialist() -> None:
    looks = [
        look("a", 0.50, 0.53, "positive", "negative"),  # within the drift; corrected
        look("b", 0.50, 0.40, "negative", "positive"),  # beyond it; spoiled
        look("c", 0.80, 0.80, "negative", "negative"),  # right before and after
        look("d", 0.10, 0.20, "negative", "positive"),  # nothing was expected of it
    ]
    (line,) = revising_lines(looks, {"a": "negative", "b": "negative", "c": "negative"})
    assert line.title == "SignalScope"
    assert line.impact.value == pytest.approx((0.03 - 0.10 + 0 + 0.10) / 4)
    assert line.confidence.value == pytest.approx(-0.1)
    assert line.beyond_drift.value == 0.5
    assert (line.corrected, line.spoiled, line.judged) == (1, 1, 3)


def test_a_change_of_exactly_the_drift_is_within_it() -> None:
    """0.83 - 0.80 is a little more than 0.03 in binary."""
    (line,) = revising_lines([look("a", 0.80, 0.83)], {})
    assert line.beyond_drift.value == 0.0
    assert impact_change(look("a", 0.80, 0.83)) == 0.03


def test_nothing_gives_no_lines() -> None:
    assert revising_lines([], {}) == []


def test_expectations_of_the_sample_name_items_on_record_and_no_table_holds_them(
    workspace: Workspace,
) -> None:
    expected = expected_directions(workspace.evidence.facts_dir)
    known = {id for (id,) in workspace.evidence.rows("SELECT item FROM documents WHERE kind = 'news'")}
    assert len(expected) >= 24
    assert expected.keys() <= known
    columns = {name for (_, name, *_) in workspace.evidence.rows("PRAGMA table_info(documents)")}
    assert not any(name.startswith("expected") for name in columns)


def test_a_workspace_without_sample_news_has_no_expectations(workspace: Workspace) -> None:
    assert expected_directions(workspace.root) == {}
