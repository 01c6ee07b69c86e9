"""What tokens cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Price:
    """USD per token, and whose list says so."""

    input: float
    output: float
    source: str

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """USD for one call."""
        return self.input * input_tokens + self.output * output_tokens


class PriceList(Protocol):
    """Knows how a model counts and what it charges."""

    def tokens(self, model: str, text: str) -> int:
        """About how many tokens a text is for a model."""
        ...

    def price(self, model: str) -> Price | None:
        """The price of a model; None where nobody knows it."""
        ...
