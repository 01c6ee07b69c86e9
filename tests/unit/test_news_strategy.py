"""What a strategy for news may say, and which contradictions keep it from being used."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import StrategyError
from workbench.strategy.files import load_strategy, read_strategy
from workbench.strategy.news import NewsStrategy, ToolUse
from workbench.workspace import Workspace

NEWS = Path(__file__).parents[2] / "strategy" / "news.yaml"
TEXT = NEWS.read_text(encoding="utf-8")


def changed(old: str, new: str) -> str:
    assert old in TEXT
    return TEXT.replace(old, new)


def refused(text: str) -> str:
    with pytest.raises(StrategyError) as error:
        read_strategy(text, "news.yaml")
    return str(error.value)


def test_the_bundled_strategy_names_the_five_and_their_tools() -> None:
    strategy = load_strategy(NEWS).strategy
    assert isinstance(strategy, NewsStrategy)
    assert [s.title for s in strategy.specialists] == [
        "SignalScope",
        "SentimentPulse",
        "MacroMind",
        "SectorScan",
        "PolicyRadar",
    ]
    assert strategy.prompt_names() == (*(s.name for s in strategy.specialists), "revise_signal")
    assert strategy.specialists[1].tools == (
        ToolUse(name="reddit"),
        ToolUse(name="stocktwits"),
        ToolUse(name="youtube", required=False),
    )
    bounds = strategy.policy.urgency
    assert (bounds.flash, bounds.alert, bounds.note, strategy.policy.tool_factor) == (0.80, 0.65, 0.40, 0.8)


def test_a_strategy_that_says_nothing_of_the_policy_has_the_documents() -> None:
    without = read_strategy(TEXT[: TEXT.index("policy:")], "news.yaml").strategy
    assert isinstance(without, NewsStrategy)
    assert without.policy == load_strategy(NEWS).strategy.policy  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("range: 0.65-0.79", "range: 0.65-0.85", "overlap or leave a gap"),
        ("range: 0.65-0.79", "range: 0.70-0.79", "overlap or leave a gap"),
        ("range: 0.00-0.39", "range: 0.10-0.39", "no anchor starts at 0"),
        ("range: 0.80-1.00", "range: 0.80-0.95", "no anchor ends at 1"),
        ("alert: 0.65", "alert: 0.90", "do not rise"),
        ("note: 0.40", "note: 0", "do not rise"),
        ("quorum: 3", "quorum: 6", "more than the 5 specialists"),
        ("flash_routes: [policy_radar", "flash_routes: [policyradar", "is no specialist"),
        ("[reddit, stocktwits", "[reddit, reddit", "two tools are called"),
        ("name: sector_scan", "name: macro_mind", "two specialists are called"),
        ("tool_factor: 0.8", "tool_factor: 1.8", "tool_factor"),
        ("impact: max", "impact: median", "impact"),
        ("required: false", "needed: false", "needed"),
    ],
)
def test_what_contradicts_itself_is_refused_with_its_line(old: str, new: str, said: str) -> None:
    message = refused(changed(old, new))
    assert said in message
    assert message.startswith("news.yaml:")


def test_routes_left_at_their_default_may_name_nobody() -> None:
    """A strategy without a macro specialist need not mention the routes it does not have."""
    start, end = TEXT.index("  - name: macro_mind"), TEXT.index("  - name: sector_scan")
    fewer = TEXT[:start] + TEXT[end:]
    fewer = fewer[: fewer.index("  flash_routes")] + "  quorum: 3\n"
    assert isinstance(read_strategy(fewer, "news.yaml").strategy, NewsStrategy)


def test_the_checks_know_the_tools(workspace: Workspace) -> None:
    assert workspace.lint("news") == []
    path = workspace.strategy_dir / "news.yaml"
    path.write_text(changed("same_sector", "same_sectors"), encoding="utf-8")
    (finding,) = workspace.lint("news")
    assert (finding.severity, finding.what) == ("error", "there is no tool 'same_sectors'.")
    assert "same_sector" in finding.remedy
