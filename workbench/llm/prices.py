"""What tokens cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from workbench.records import BASELINE


@dataclass(frozen=True)
class Price:
    """USD per token, and whose list says so.

    Attributes:
        input: For a token of the question.
        output: For a token of the answer.
        source: The list.
        cached: For a token of the question that the provider had kept; None where it costs as any other.
    """

    input: float
    output: float
    source: str
    cached: float | None = None

    def of(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> float:
        """USD for one call; ``cached_tokens`` are among the ``input_tokens``."""
        kept = self.input if self.cached is None else self.cached
        asked = self.input * (input_tokens - cached_tokens) + kept * cached_tokens
        return asked + self.output * output_tokens


class PriceList(Protocol):
    """Knows how a model counts and what it charges."""

    def tokens(self, model: str, text: str) -> int:
        """About how many tokens a text is for a model."""
        ...

    def price(self, model: str) -> Price | None:
        """The price of a model; None where nobody knows it."""
        ...


class Prices:
    """The prices of every model, the built-in rules among them, which are free and need no price list.

    Args:
        hosted: Knows the language models.
    """

    def __init__(self, hosted: PriceList) -> None:
        self._hosted = hosted

    def tokens(self, model: str, text: str) -> int:
        """About how many tokens a text is for a model."""
        return rough_tokens(text) if model == BASELINE else self._hosted.tokens(model, text)

    def price(self, model: str) -> Price | None:
        """The price of a model; None where nobody knows it.

        Raises:
            ModelError: No provider is known for the model.
        """
        return Price(0.0, 0.0, "rules") if model == BASELINE else self._hosted.price(model)


def rough_tokens(text: str) -> int:
    """About how many tokens a text is for a language model: one a Chinese character, one for four others."""
    wide = sum(character >= "\u2e80" for character in text)
    return wide + -(-(len(text) - wide) // 4)
