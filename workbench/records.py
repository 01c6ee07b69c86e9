"""The nouns of the workbench: what is judged, what each agent said, and what was concluded.

Every record is frozen and round-trips through JSON. They hold plain data only: no module below
knows how a record is made, stored or shown, so this file is the one place where the words are defined.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

PipelineName = Literal["chapters", "signals", "arbitration", "match"]
Role = Literal["specialist", "chapter", "aggregator", "synthesis", "arbiter"]
StageName = Literal["draft", "revised"]
Status = Literal["ok", "no_data", "error", "parse_error"]
Standing = Literal[Status, "unscored"]
Blind = Literal["none", "identity", "full"]
"""What a run hides from its models: nothing; who and when; or the size of the amounts as well."""
Sufficiency = Literal["high", "medium", "low", "none"]
RunStatus = Literal["running", "done", "failed", "cancelled", "interrupted"]
BatchStatus = Literal["running", "done", "stopped", "cancelled", "interrupted"]
Tier = Literal["specialist", "aggregator"]
ReasoningEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]
Urgency = Literal["FLASH", "ALERT", "NOTE", "FYI"]
LinkType = Literal["direct", "chain", "sector", "macro"]
FlashType = Literal[
    "export_ban",
    "sanctions",
    "tariffs",
    "rate_surprise",
    "bankruptcy",
    "trading_halt",
    "geopolitical_conflict",
    "fraud",
    "earnings_shock",
    "regulatory_action",
]
SignalType = Literal[
    "earnings",
    "guidance_change",
    "m_and_a",
    "policy_change",
    "supply_chain",
    "macro_event",
    "routine_news",
    "sentiment_surge",
]
EventType = Literal[FlashType, SignalType]
Direction = Literal["positive", "negative", "mixed"]

URGENCIES: tuple[Urgency, ...] = get_args(Urgency)
"""Loudest first."""
LINK_TYPES: tuple[LinkType, ...] = get_args(LinkType)
"""Strongest first."""
FLASH_TYPES: tuple[FlashType, ...] = get_args(FlashType)
"""Events that can make a news signal a FLASH."""
SIGNAL_TYPES: tuple[SignalType, ...] = get_args(SignalType)
"""Events that cannot."""
EVENT_TYPES: tuple[EventType, ...] = get_args(EventType)
Outcome = Literal["1", "X", "2"]
"""Home win, draw or away win of a match, after 90 minutes."""

LAST_ROLES: frozenset[Role] = frozenset({"aggregator", "synthesis", "arbiter"})
"""Roles whose failure fails the run; every other role fails open."""

FAILURES: frozenset[Status] = frozenset({"error", "parse_error"})
"""Statuses of a report that say its model, or the way to it, has failed."""

BASELINE = "baseline"
"""Model name of the built-in rules. It is never presented as a language model."""


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TickerSubject(Record):
    """A listed company under its canonical code, e.g. ``600519.SH``, ``00700.HK``, ``AAPL``."""

    kind: Literal["ticker"] = "ticker"
    code: str
    name: str

    @property
    def key(self) -> str:
        return self.code

    @property
    def title(self) -> str:
        return f"{self.name} {self.code}"


class MatchSubject(Record):
    """One fixture. Home and away are roles of the row, never of a list position."""

    kind: Literal["match"] = "match"
    competition: str
    season: str
    date: dt.date
    home: str
    away: str

    @property
    def key(self) -> str:
        return f"{self.competition}|{self.date.isoformat()}|{self.home}|{self.away}"

    @property
    def title(self) -> str:
        return f"{self.home} – {self.away}"


class NewsSubject(Record):
    """One news item under its id: the day it came out and a hash of its title, the same in every workspace.

    The text is not part of the subject; it is evidence, kept once with the documents.
    """

    kind: Literal["news"] = "news"
    id: str
    published: dt.date
    title: str
    source: str = ""
    language: Literal["zh", "en"]

    @property
    def key(self) -> str:
        return self.id


Subject = Annotated[TickerSubject | MatchSubject | NewsSubject, Field(discriminator="kind")]


class Receipt(Record):
    """The look-ahead receipt: proof of what could be seen.

    ``withheld`` counts distinct rows that exist but lie on or after the as-of date; ``undated``
    counts rows dropped because nobody knows when they were published.
    """

    as_of: dt.date
    newest_evidence: dt.date | None = None
    withheld: int = 0
    undated: int = 0


class Evidence(Record):
    """What one agent is shown.

    ``facts`` is JSON-ready and is what the baseline reads; ``text`` is the same facts rendered for a
    prompt. ``missing`` maps the name of a figure to the reason why it is not there.
    """

    facts: dict[str, Any] = {}
    text: str = ""
    sources: tuple[str, ...] = ()
    newest: dt.date | None = None
    sufficiency: Sufficiency = "none"
    missing: dict[str, str] = {}

    @property
    def empty(self) -> bool:
        return self.sufficiency == "none"


class Scale(Record):
    """The range an agent scores on, with its unit and the value that means neither good nor bad."""

    low: float
    high: float
    neutral: float | None = None
    unit: str = ""

    @property
    def digits(self) -> int:
        """Decimals a score is written with: none on a long scale, two on a short one."""
        return 0 if self.high - self.low >= 10 else 2

    def difference(self, before: float | None, after: float | None) -> float | None:
        """After minus before as they are written, so that the three figures add up for a reader."""
        if before is None or after is None:
            return None
        return round(round(after, self.digits) - round(before, self.digits), self.digits)


PERCENT_SCALE = Scale(low=0, high=100, neutral=50, unit="points")
EDGE_SCALE = Scale(low=-1, high=1, neutral=0, unit="home edge")
IMPACT_SCALE = Scale(low=0, high=1, unit="impact")


class Opinion(Record):
    """One parsed answer of one agent at one stage.

    ``score`` is on the agent's own ``Scale``; ``confidence`` is 0..1; ``fields`` holds every field of
    the answer under the schema's own names; ``why_changed`` is only set on a revised opinion.
    """

    stage: StageName
    score: float | None = None
    confidence: float | None = None
    analysis: str = ""
    key_evidence: tuple[str, ...] = ()
    fields: dict[str, Any] = {}
    why_changed: str = ""


class Call(Record):
    """One request to a model and what came back, as it is billed and audited."""

    agent: str
    stage: StageName
    attempt: int
    requested_model: str
    resolved_model: str = ""
    params: dict[str, Any] = {}
    system: str = ""
    prompt: str
    prompt_version: str = ""
    template_hash: str = ""
    reply: str = ""
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    cost_source: str = ""
    latency_s: float = 0.0
    cache_hit: bool = False
    error: str = ""
    started: dt.datetime


class Report(Record):
    """What one agent returned in one run."""

    agent: str
    title: str
    role: Role
    scale: Scale
    status: Status
    evidence: Evidence
    draft: Opinion | None = None
    revised: Opinion | None = None
    error: str = ""
    calls: tuple[Call, ...] = ()

    @property
    def final(self) -> Opinion | None:
        """The opinion that counts: the revised one where there is one."""
        return self.revised or self.draft

    @property
    def change(self) -> float | None:
        """Revised minus draft score as they are written; None where one of them is missing."""
        draft, revised = (opinion.score if opinion else None for opinion in (self.draft, self.revised))
        return self.scale.difference(draft, revised)

    @property
    def counted(self) -> bool:
        return self.status == "ok" and self.final is not None

    @property
    def failed(self) -> bool:
        """Whether the agent was asked and brought no usable answer; having nothing to judge is no failure."""
        return self.status in FAILURES

    @property
    def standing(self) -> Standing:
        """The status as a reader takes it: a chapter that answered without a score came to no judgement."""
        unscored = self.final is not None and self.final.score is None
        return "unscored" if self.role == "chapter" and self.status == "ok" and unscored else self.status


class Adjustment(Record):
    """Arithmetic applied by a rule after the agents: what it changed, from what, to what, and why."""

    rule: str
    field: str
    before: float | str | None
    after: float | str | None
    why: str


class Verdict(Record):
    """The conclusion of a run.

    ``label`` is derived by us from the strategy; the model's own label stays in ``fields``.
    ``counted`` and ``total`` say how many non-last agents had a usable report.
    """

    score: float | None = None
    label: str | None = None
    confidence: float | None = None
    fields: dict[str, Any] = {}
    adjustments: tuple[Adjustment, ...] = ()
    warnings: tuple[str, ...] = ()
    counted: int = 0
    total: int = 0


class Sampling(Record):
    """How a model is to choose its words. What is None is left to the provider.

    Attributes:
        temperature: 0 for the likeliest words, up to 2.
        seed: Makes answers repeatable where the provider supports it.
        max_tokens: How long an answer may be, with what the model thinks before it.
        reasoning_effort: How much a reasoning model is to think.
    """

    temperature: float | None = Field(default=None, ge=0, le=2)
    seed: int | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    reasoning_effort: ReasoningEffort | None = None

    @property
    def params(self) -> dict[str, Any]:
        """The parameters that are set, as a call takes them."""
        return self.model_dump(include=set(Sampling.model_fields), exclude_none=True)


class Models(Record):
    """Which model plays which tier."""

    specialist: str = BASELINE
    aggregator: str = BASELINE

    def of(self, tier: Tier) -> str:
        return self.specialist if tier == "specialist" else self.aggregator

    @property
    def baseline_only(self) -> bool:
        return self.specialist == self.aggregator == BASELINE

    @property
    def title(self) -> str:
        names = (self.specialist, self.aggregator)
        return names[0] if names[0] == names[1] else f"{names[0]} + {names[1]}"


class Run(Record):
    """One pipeline over one subject, with everything needed to show it again or repeat it.

    ``repeat`` counts the runs of one question that must not share stored answers; 0 is the question itself.
    """

    run_id: str
    pipeline: PipelineName
    status: RunStatus
    subject: Subject
    as_of: dt.date
    models: Models
    strategy: str
    strategy_text: str
    strategy_hash: str
    prompt_version: str
    language: Literal["zh", "en"]
    blind: Blind = "none"
    started: dt.datetime
    finished: dt.datetime | None = None
    retry_of: str | None = None
    repeat: int = 0
    reports: tuple[Report, ...] = ()
    verdict: Verdict | None = None
    receipt: Receipt | None = None
    error: str = ""

    def report(self, agent: str) -> Report | None:
        return next((r for r in self.reports if r.agent == agent), None)

    def to_json(self) -> Mapping[str, Any]:
        """The stable public shape printed by ``workbench run --json``."""
        verdict = self.verdict.model_dump(mode="json") if self.verdict else None
        return {
            "run_id": self.run_id,
            "pipeline": self.pipeline,
            "status": self.status,
            "subject": self.subject.model_dump(mode="json"),
            "as_of": self.as_of.isoformat(),
            "model": self.models.title,
            "strategy": self.strategy,
            "verdict": verdict,
            "reports": [
                {
                    "agent": r.agent,
                    "status": r.status,
                    "sufficiency": r.evidence.sufficiency,
                    "draft": r.draft.model_dump(mode="json") if r.draft else None,
                    "revised": r.revised.model_dump(mode="json") if r.revised else None,
                    "error": r.error or None,
                }
                for r in self.reports
            ],
            "receipt": self.receipt.model_dump(mode="json") if self.receipt else None,
            "error": self.error or None,
            "blind": self.blind,
        }
