"""The signals pipeline: specialists in parallel over one news item, each with its own tools; then arithmetic.

There is no last agent. What the specialists say is added up by ``rules.signals``, so a stored run can be
concluded again under another policy without asking anybody.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field, field_validator

from workbench.engine.plan import AnswerForm, Plan, Step
from workbench.errors import InputError, WorkbenchError
from workbench.evidence.instruments import canonical
from workbench.evidence.linking import Link
from workbench.evidence.news import NewsItem
from workbench.evidence.news_tools import NOTHING, TOOLS_ZH
from workbench.evidence.slices import Slice, get_slice
from workbench.evidence.view import View
from workbench.llm.schemas import LinkedTicker, SpecialistSignal
from workbench.records import (
    FLASH_TYPES,
    IMPACT_SCALE,
    SIGNAL_TYPES,
    Direction,
    EventType,
    Evidence,
    NewsSubject,
    Subject,
    Sufficiency,
)
from workbench.rules.signal_words import to_verdict
from workbench.strategy.files import LoadedStrategy
from workbench.strategy.news import EVENT_ZH, REVISE_SIGNAL, NewsSpecialist, NewsStrategy
from workbench.strategy.parts import Language
from workbench.strategy.prompts import PromptLibrary

log = logging.getLogger(__name__)

TICKER_LETTERS = 20
MAX_REASON = 200
"""Characters of a tool's error that a prompt shows."""


class _Linked(LinkedTicker):
    @field_validator("ticker")
    @classmethod
    def _one_spelling(cls, ticker: str) -> str:
        """Bring a ticker into its canonical spelling, so that two agents who mean one company agree."""
        text = ticker.strip()
        if not 0 < len(text) <= TICKER_LETTERS:
            raise ValueError("a ticker is a code such as 600519.SH or AAPL")
        return canonical(text) or text.upper()


class SignalAnswer(SpecialistSignal):
    """What a specialist answers about an item."""

    event_type: EventType
    direction: Direction | None = Field(
        default=None, description="positive or negative for the companies named; mixed when it is both"
    )
    tickers_linked: list[_Linked]  # type: ignore[assignment]
    key_evidence: list[str] = Field(default=[], max_length=5)


FORM = AnswerForm(
    schema=SignalAnswer,
    scale=IMPACT_SCALE,
    score=lambda answer: float(answer["impact_score"]),
    confidence="confidence_score",
)


def build(
    loaded: LoadedStrategy,
    strategy: NewsStrategy,
    subject: Subject,
    *,
    view: View,
    prompts: PromptLibrary,
) -> Plan:
    """The plan of one run over one news item, as of the day it came out.

    Raises:
        InputError: The subject is no news item, the view is not of its day, or the item is not on record.
        StrategyError: A specialist names a tool that does not exist.
        PromptError: A prompt is missing or was changed after its release.
    """
    if not isinstance(subject, NewsSubject):
        raise InputError(f"the strategy {strategy.name!r} judges news items, not a {subject.kind}.")
    if view.as_of != subject.published:
        raise InputError(
            f"the item came out on {subject.published} and cannot be judged as of {view.as_of}.",
            remedy="An item is judged on the day it came out, by what was known before.",
        )
    document = view.item(subject.id)
    if document is None:
        raise InputError(
            f"the news item {subject.id} is not on record.", remedy="Import it: workbench news import FILE"
        )
    item = NewsItem.of(document)
    desk = _Desk(view, item, item.links(view.instruments), strategy.language)
    return Plan(
        pipeline="signals",
        subject=subject,
        as_of=view.as_of,
        strategy=strategy.name,
        strategy_text=loaded.text,
        strategy_hash=loaded.hash,
        prompt_version=strategy.prompt_version,
        language=strategy.language,
        steps=tuple(_step(spec, strategy, desk, prompts) for spec in strategy.specialists),
        conclude=lambda reports: to_verdict(list(reports.values()), strategy.policy, strategy.language),
        receipt=view.receipt,
    )


def _step(spec: NewsSpecialist, strategy: NewsStrategy, desk: _Desk, prompts: PromptLibrary) -> Step:
    tools = {tool.name: (get_slice(tool.name, of="news"), tool.required) for tool in spec.tools}
    return Step(
        agent=spec.name,
        title=spec.title,
        role="specialist",
        needs=(),
        gather=lambda reports: desk.gather(tools),
        form=FORM,
        draft=prompts.get(spec.prompt_name, strategy.prompt_version),
        revise=prompts.get(REVISE_SIGNAL, strategy.prompt_version) if strategy.revise else None,
        task={
            "kind": "news_specialist",
            "specialist": spec.prompt_name,
            "title": spec.title,
            "language": strategy.language,
            "anchors": [anchor.model_dump() for anchor in strategy.anchors],
            "against_caution": strategy.against_caution,
            "flash_types": {event: EVENT_ZH[event] for event in FLASH_TYPES},
            "signal_types": {event: EVENT_ZH[event] for event in SIGNAL_TYPES},
        },
    )


@dataclass(frozen=True)
class _Desk:
    """What every specialist of one run works with: the item, its companies, and the view of its day."""

    view: View
    item: NewsItem
    links: Sequence[Link]
    language: Language

    def gather(self, tools: Mapping[str, tuple[Slice, bool]]) -> Evidence:
        """Call the tools of one specialist and put what they found beside the item."""
        found = {name: self._call(name, tool) for name, (tool, _) in tools.items()}
        missing = {name: self._reason(evidence) for name, evidence in found.items() if evidence.empty}
        failed = [name for name, (_, required) in tools.items() if required and name in missing]
        sufficiency: Sufficiency = "high" if not failed else "low" if len(missing) == len(found) else "medium"
        dates = [evidence.newest for evidence in found.values() if evidence.newest]
        return Evidence(
            facts={
                "item": self.item.model_dump(mode="json"),
                "links": [_link_facts(company) for company in self.links],
                "tools": {name: evidence.facts for name, evidence in found.items() if not evidence.empty},
                "failed_tools": failed,
            },
            text="\n\n".join([self._item_text(), self._links_text(), *self._tool_texts(found)]),
            sources=tuple(
                dict.fromkeys(
                    filter(None, [self.item.source, *(s for e in found.values() for s in e.sources)])
                )
            ),
            newest=max(dates, default=None),
            sufficiency=sufficiency,
            missing={self._title(name): reason for name, reason in missing.items()},
        )

    def _call(self, name: str, tool: Slice) -> Evidence:
        try:
            return tool(self.view, self.item.reported, self.links)
        except Exception as error:  # a tool looks at the outside world; whatever it does, the agent goes on
            if not isinstance(error, WorkbenchError):
                log.exception("the tool %s failed", name)
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            return Evidence(missing={"rows": reason[:MAX_REASON]})

    def _say(self, zh: str, en: str) -> str:
        return zh if self.language == "zh" else en

    def _title(self, name: str) -> str:
        return self._say(f"{TOOLS_ZH.get(name, name)} {name}", name)

    def _reason(self, evidence: Evidence) -> str:
        reason = "; ".join(evidence.missing.values())
        return self._say("没有查到内容", "nothing on record") if reason == NOTHING else reason

    def _item_text(self) -> str:
        """The item, quoted line by line, so that nothing in it can pass for a heading or a row of a tool."""
        item = self.item
        head = [item.title, " · ".join(filter(None, [item.source, item.published_at or str(item.published)]))]
        quoted = "\n".join(f"> {line}".rstrip() for line in [*head, *item.body.splitlines()])
        return f"{self._say('新闻', 'Item')}\n{quoted}"

    def _links_text(self) -> str:
        if not self.links:
            return self._say("新闻没有点名任何有资料的公司。", "The item names no company with facts here.")
        heading = self._say(
            "点名的公司（按名称与代码识别，可能有误）", "Companies named (by spelling; may be wrong)"
        )
        lines = [
            f"- {company.code} {company.instrument.name} ({company.instrument.industry}): "
            + self._say(
                f"{'标题' if company.in_title else '正文'}点名，共 {company.mentions} 次",
                f"{'title' if company.in_title else 'body'}, {company.mentions} times",
            )
            for company in self.links
        ]
        return "\n".join([heading, *lines])

    def _tool_texts(self, found: Mapping[str, Evidence]) -> Iterator[str]:
        for name, evidence in found.items():
            body = self._reason(evidence) if evidence.empty else evidence.text
            yield f"[{self._title(name)}]\n{body}"


def _link_facts(company: Link) -> dict[str, Any]:
    instrument = company.instrument
    return {
        "code": instrument.code,
        "name": instrument.name,
        "name_en": instrument.name_en,
        "industry": instrument.industry,
        "industry_kind": instrument.industry_kind,
        "in_title": company.in_title,
        "mentions": company.mentions,
        "matched": company.matched,
    }
