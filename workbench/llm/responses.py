"""What a provider's response says: the answer, whose it is, what it took."""

from __future__ import annotations

from typing import Any

from workbench.llm.base import Reply
from workbench.llm.failures import NoAnswerError
from workbench.llm.prices import Price
from workbench.llm.redaction import without_secrets

_WHY_EMPTY = {
    "content_filter": "the provider's content filter stopped the answer.",
    "length": "all tokens were spent before an answer began; raise max_tokens.",
}


def read_response(
    response: Any, *, provider: str, model: str, latency_s: float, price: Price | None, listed_by: str
) -> Reply:
    """The reply in a response as litellm hands it over.

    Args:
        response: litellm's ``ModelResponse``.
        provider: Who answered.
        model: Name the provider was asked under, in case it does not report one.
        latency_s: How long it took.
        price: Own price of the model, which goes before the one litellm has worked out.
        listed_by: Name of litellm's price list; empty where a list cannot know the price.

    Raises:
        NoAnswerError: There is no answer in it.
    """
    if not response.choices:
        raise NoAnswerError("the server answered without a choice.", transient=True)
    choice = response.choices[0]
    usage: Any = getattr(response, "usage", None)
    # Where the server reports no usage, litellm fills in zeros.
    reported = usage is not None and usage.total_tokens > 0
    details = getattr(usage, "prompt_tokens_details", None)
    cached = getattr(details, "cached_tokens", None)
    cost, source = response._hidden_params.get("response_cost"), listed_by
    if price is not None and reported:
        cost, source = price.of(usage.prompt_tokens, usage.completion_tokens, cached or 0), price.source
    known = reported and cost is not None and bool(source)
    # Some providers prefix the name they report, some do not.
    resolved = (response.model or model).removeprefix(f"{provider}/")
    return Reply(
        text=without_secrets(_text(choice)),
        resolved_model=f"{provider}/{resolved if resolved == model else without_secrets(resolved)}",
        input_tokens=usage.prompt_tokens if reported else None,
        cached_tokens=cached if reported else None,
        output_tokens=usage.completion_tokens if reported else None,
        cost=cost if known else None,
        cost_source=source if known else "",
        latency_s=latency_s,
        cut_off=choice.finish_reason == "length",
    )


def _text(choice: Any) -> str:
    """All the model wrote: litellm takes the thinking out of the answer, here it stands before it again."""
    message = choice.message
    if not message.content:
        if refusal := getattr(message, "refusal", None):
            raise NoAnswerError(f"the model refuses: {refusal}")
        if message.tool_calls:
            called = message.tool_calls[0].function.name
            raise NoAnswerError(f"instead of answering, the model called a tool it was not given: {called}.")
        raise NoAnswerError(_WHY_EMPTY.get(choice.finish_reason, "the answer is empty."))
    thinking = getattr(message, "reasoning_content", None)
    return f"<think>\n{thinking}\n</think>\n{message.content}" if thinking else str(message.content)
