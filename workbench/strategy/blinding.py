"""Making a strategy blind for a run or a batch, without touching its file."""

from __future__ import annotations

from workbench.records import Blind
from workbench.strategy.document import Document
from workbench.strategy.files import LoadedStrategy, read_strategy
from workbench.strategy.schema import ChaptersStrategy

BACKTEST: Blind = "identity"
"""How blind a model judges the past unless it is told otherwise: it may remember what became of a company."""


def blinded(loaded: LoadedStrategy, blind: Blind) -> LoadedStrategy:
    """The strategy with ``blind`` set in its text, so that whoever reads the text of a run reads that too.

    Its hash is that of the changed text: blind runs are not taken for runs of the file as it is. A strategy
    that judges no companies is returned as it is.
    """
    if not isinstance(loaded.strategy, ChaptersStrategy) or loaded.strategy.blind == blind:
        return loaded
    where = f"{loaded.name}.yaml"
    return read_strategy(Document.parse(loaded.text.encode(), where).set(("blind",), blind).data, where)


def for_backtest(loaded: LoadedStrategy) -> LoadedStrategy:
    """The strategy as a backtest runs it: blind, unless its file says itself how blind it is."""
    if "blind" in Document.parse(loaded.text.encode()).value():
        return loaded
    return blinded(loaded, BACKTEST)
