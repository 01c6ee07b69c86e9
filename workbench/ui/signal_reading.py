"""A stored signal read again: the same reports, added up in the way the reader asks for. Asks no model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from workbench.errors import StrategyError
from workbench.records import Run
from workbench.rules.signal_words import Explanation, as_drafted, explain
from workbench.rules.signals import SignalVerdict, conclude
from workbench.strategy.files import read_strategy
from workbench.strategy.news import Aggregation, NewsStrategy, SignalPolicy
from workbench.ui.language import language

Figure = Literal["impact", "confidence", "tickers"]
"""The figures whose aggregation can be switched."""

Ways = Mapping[Figure, Aggregation]
"""How figures are to be formed; one that is absent is formed as the strategy of the run says."""


@dataclass(frozen=True)
class Reading:
    """A signal under a policy.

    Attributes:
        signal: The signal of the opinions that count.
        draft: The signal the drafts alone would have made.
        explanation: How the figures came about, in the reader's language; None when no agent counted.
        recast: Whether the policy is another than that of the run.
    """

    signal: SignalVerdict
    draft: SignalVerdict
    explanation: Explanation | None
    recast: bool


def read_signal(run: Run, ways: Ways) -> Reading:
    """Conclude the reports of a signals run again.

    Raises:
        StrategyError: The strategy of the run is no longer valid.
    """
    own = _policy(run.strategy_text, f"{run.strategy}.yaml")
    policy = own.model_copy(update={str(figure): way for figure, way in ways.items()})
    signal = conclude(run.reports, policy, language=language())
    return Reading(
        signal=signal,
        draft=conclude(as_drafted(run.reports), policy, language=language()),
        explanation=explain(signal, policy, language()),
        recast=policy != own,
    )


@lru_cache(maxsize=64)
def _policy(text: str, where: str) -> SignalPolicy:
    strategy = read_strategy(text, where).strategy
    if not isinstance(strategy, NewsStrategy):
        raise StrategyError("it is no strategy for news.", where=where)
    return strategy.policy
