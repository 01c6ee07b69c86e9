"""Which agents, in what order: one module per pipeline, each turning a strategy and a subject into a plan."""

from __future__ import annotations

from dataclasses import replace

from workbench.engine.plan import Plan
from workbench.errors import StrategyError
from workbench.evidence.view import View
from workbench.pipelines import chapters, match, signals
from workbench.records import Subject
from workbench.strategy.files import LoadedStrategy
from workbench.strategy.news import NewsStrategy
from workbench.strategy.operators import OperatorLibrary
from workbench.strategy.prompts import PromptLibrary
from workbench.strategy.schema import ChaptersStrategy, MatchStrategy


def build(
    loaded: LoadedStrategy,
    subject: Subject,
    *,
    view: View,
    prompts: PromptLibrary,
    operators: OperatorLibrary,
) -> Plan:
    """The plan of one run, by the strategy's kind.

    Raises:
        WorkbenchError: The strategy does not fit the subject, a prompt or operator cannot be used, or nothing
            is known about the subject at the view's date.
    """
    plan = _plan(loaded, subject, view, prompts, operators)
    asked = loaded.strategy.sampling
    return replace(plan, sampling={"specialist": asked.specialist, "aggregator": asked.aggregator})


def _plan(
    loaded: LoadedStrategy, subject: Subject, view: View, prompts: PromptLibrary, operators: OperatorLibrary
) -> Plan:
    strategy = loaded.strategy
    if isinstance(strategy, ChaptersStrategy):
        return chapters.build(loaded, strategy, subject, view=view, prompts=prompts, operators=operators)
    if isinstance(strategy, MatchStrategy):
        return match.build(loaded, strategy, subject, view=view, prompts=prompts)
    if isinstance(strategy, NewsStrategy):
        return signals.build(loaded, strategy, subject, view=view, prompts=prompts)
    raise StrategyError(
        f"there is no pipeline for strategies of kind {strategy.kind!r}.", where=strategy.name
    )
