"""The budget of a day: nothing more is asked of a paid model once it is spent."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from workbench.errors import ModelError, StoreError
from workbench.llm.presets import FILE_NAME, Presets

log = logging.getLogger(__name__)


class BudgetError(ModelError):
    """A call was not made, because of the budget of the day."""


class Ledger(Protocol):
    """Adds up what is paid; ``workbench.store.payments.Payments`` is one."""

    def add(self, cost: float) -> None: ...

    def today(self) -> float: ...


class DailyBudget:
    """What may still be spent today.

    Calls in flight when the budget runs out are finished and paid, so it may be overrun by as many calls as
    are made at once.

    Args:
        presets: What the workspace says now, the budget among it.
        ledger: Where payments are kept.
    """

    def __init__(self, presets: Callable[[], Presets], ledger: Ledger) -> None:
        self._presets = presets
        self._ledger = ledger

    def check(self, priced: Callable[[], bool] = lambda: True) -> None:
        """Make sure that another call may be paid for. Does nothing where no budget is set.

        Args:
            priced: Whether it is known what the call will cost.

        Raises:
            BudgetError: Today's budget is spent, or cannot be kept.
        """
        limit = self._presets().daily_budget
        if limit is None:
            return
        if not priced():
            raise BudgetError(
                f"its price is not known, so the budget of ${limit:,.2f} a day cannot be kept.",
                remedy=f"Write it in {FILE_NAME} (0 for a server of your own), or remove daily_budget.",
            )
        try:
            paid = self._ledger.today()
        except StoreError as error:
            raise BudgetError(f"what was paid today cannot be read: {error}") from error
        if paid >= limit:
            raise BudgetError(
                f"the budget of ${limit:,.2f} a day is spent: ${paid:,.4f} since midnight UTC.",
                remedy=f"Raise daily_budget in {FILE_NAME}, or go on tomorrow: answers so far are kept.",
            )

    async def pay(self, cost: float) -> None:
        """Record what a call has cost."""
        try:
            await asyncio.to_thread(self._ledger.add, cost)
        except StoreError as error:
            # The answer is paid for: it must reach the run even when the sum cannot be kept.
            log.warning("a payment was not recorded: %s", error)
