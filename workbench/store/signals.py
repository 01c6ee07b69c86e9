"""The feed: the newest signal of each news item, filtered, ordered and paged by the database.

Its tables repeat what a list needs of the verdicts of signals runs, and are filled by a trigger when such a
run is finished. A run in which no agent counted has no signal and leaves an earlier one in its place.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypedDict, Unpack

from workbench.records import URGENCIES, Direction, EventType, Urgency
from workbench.store.database import Database, utc_now


class SignalFilter(TypedDict, total=False):
    """What the feed may be narrowed by; None and an empty list mean no restriction.

    ``tickers`` keeps a signal that names any of them; ``since`` and ``until`` are days of publication, both
    included; ``text`` appears in the title.
    """

    urgencies: Sequence[Urgency]
    events: Sequence[EventType]
    tickers: Sequence[str]
    since: dt.date | None
    until: dt.date | None
    text: str | None
    dismissed: bool | None


@dataclass(frozen=True)
class SignalRow:
    """One signal of the feed. ``impact`` and ``confidence`` are 0..1."""

    item: str
    run_id: str
    title: str
    published: dt.date
    urgency: Urgency
    impact: float
    confidence: float
    event_type: EventType | None
    direction: Direction | None
    finished: dt.datetime


@dataclass(frozen=True)
class SecondLook:
    """What one specialist said about one item before and after the second look; figures are 0..1."""

    item: str
    agent: str
    title: str
    draft_impact: float
    impact: float
    draft_confidence: float
    confidence: float
    draft_direction: Direction | None
    direction: Direction | None


_SECOND_LOOKS = """
    select s.item, p.agent, p.title,
        json_extract(p.draft, '$.score') as draft_impact, json_extract(p.revised, '$.score') as impact,
        json_extract(p.draft, '$.confidence') as draft_confidence,
        json_extract(p.revised, '$.confidence') as confidence,
        json_extract(p.draft, '$.fields.direction') as draft_direction,
        json_extract(p.revised, '$.fields.direction') as direction
    from signals s join reports p on p.run_id = s.run_id
    where p.status = 'ok' and p.draft is not null and p.revised is not null
    order by s.item, p.agent
"""

_COLUMNS = """
    s.item, s.run_id, r.subject_title as title, s.published, s.urgency, s.impact, s.confidence,
    s.event_type, s.direction, s.finished
"""
_SIGNALS = "signals s join runs r on r.run_id = s.run_id"


class SignalStore:
    """The signals of one workspace; ``RunStore.signals`` is the one to use."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def find(self, *, limit: int, offset: int = 0, **filters: Unpack[SignalFilter]) -> list[SignalRow]:
        """One page of the feed: newest news first, of one day the highest impact; FYI after all others."""
        return self._rows(
            "order by s.urgency = 'FYI', s.published desc, s.impact desc, s.item limit ? offset ?",
            [limit, offset],
            filters,
        )

    def latest(self, *, limit: int, **filters: Unpack[SignalFilter]) -> list[SignalRow]:
        """The signals concluded last, whatever the day of their news."""
        return self._rows("order by s.finished desc, s.item limit ?", [limit], filters)

    def counts(self, **filters: Unpack[SignalFilter]) -> dict[Urgency, int]:
        """How many signals of each urgency match, the loudest first; an urgency without any has 0."""
        where, values = _where(filters)
        with self._db.read() as db:
            found = dict(
                db.execute(
                    f"select s.urgency, count(*) from {_SIGNALS} {where} group by 1", values
                ).fetchall()
            )
        return {urgency: found.get(urgency, 0) for urgency in URGENCIES}

    def events(self) -> list[EventType]:
        """The event types there are signals of, the most frequent first."""
        with self._db.read() as db:
            found = db.execute(
                "select event_type from signals where event_type is not null"
                " group by 1 order by count(*) desc, 1"
            )
            return [row[0] for row in found]

    def tickers(self) -> list[str]:
        """The tickers that signals name, the most frequent first."""
        with self._db.read() as db:
            found = db.execute("select ticker from signal_tickers group by 1 order by count(*) desc, 1")
            return [row[0] for row in found]

    def second_looks(self) -> list[SecondLook]:
        """Every specialist of every signal of the feed that has both a draft and a revision."""
        with self._db.read() as db:
            return [SecondLook(**row) for row in db.query(_SECOND_LOOKS)]

    def revised_urgencies(self) -> dict[tuple[Urgency, Urgency], int]:
        """How many signals have another urgency (second) than their drafts alone would have (first)."""
        with self._db.read() as db:
            found = db.execute(
                "select json_extract(r.verdict, '$.fields.draft_urgency') as draft, s.urgency, count(*)"
                f" from {_SIGNALS} where draft is not null and draft != s.urgency group by 1, 2"
            )
            return {(draft, final): count for draft, final, count in found}

    def dismiss(self, items: Iterable[str]) -> None:
        """Take the banner of signals down. A new run over the item that ends as a FLASH raises it again."""
        with self._db.write() as db:
            for item in items:
                db.execute("update signals set dismissed = ? where item = ?", [utc_now(), item])

    def watched(self) -> list[str]:
        """The tickers of the watchlist, in the order they were added."""
        with self._db.read() as db:
            return [row[0] for row in db.execute("select ticker from watchlist order by added, ticker")]

    def watch(self, tickers: Iterable[str]) -> None:
        """Make these tickers the watchlist; those that stay keep their place."""
        wanted = dict.fromkeys(tickers)
        with self._db.write() as db:
            for (ticker,) in db.execute("select ticker from watchlist").fetchall():
                if ticker not in wanted:
                    db.execute("delete from watchlist where ticker = ?", [ticker])
            for ticker in wanted:
                db.execute("insert or ignore into watchlist values (?, ?)", [ticker, utc_now()])

    def _rows(self, tail: str, place: Sequence[int], filters: SignalFilter) -> list[SignalRow]:
        where, values = _where(filters)
        with self._db.read() as db:
            found = list(db.query(f"select {_COLUMNS} from {_SIGNALS} {where} {tail}", [*values, *place]))
        return [
            SignalRow(
                **row
                | {
                    "published": dt.date.fromisoformat(row["published"]),
                    "finished": dt.datetime.fromisoformat(row["finished"]),
                }
            )
            for row in found
        ]


def _where(filters: SignalFilter) -> tuple[str, list[object]]:
    """The SQL of the filters given, and its values."""
    conditions: list[str] = []
    values: list[object] = []

    def add(condition: str, *given: object) -> None:
        conditions.append(condition)
        values.extend(given)

    def any_of(condition: str, given: Sequence[str]) -> None:
        if given:
            add(condition.format(", ".join("?" * len(given))), *given)

    any_of("s.urgency in ({})", filters.get("urgencies") or ())
    any_of("s.event_type in ({})", filters.get("events") or ())
    any_of("s.item in (select item from signal_tickers where ticker in ({}))", filters.get("tickers") or ())
    if since := filters.get("since"):
        add("s.published >= ?", since.isoformat())
    if until := filters.get("until"):
        add("s.published <= ?", until.isoformat())
    if text := (filters.get("text") or "").strip():
        add("instr(lower(r.subject_title), ?) > 0", text.lower())
    if (dismissed := filters.get("dismissed")) is not None:
        add("s.dismissed is not null" if dismissed else "s.dismissed is null")
    return ("where " + " and ".join(conditions) if conditions else ""), values
