"""The point-in-time view: the only way to evidence, and what makes look-ahead impossible.

Every question goes through one place, which cuts the history of its answers at the as-of date. Rows dated
on or after it are only counted; rows whose date nobody knows are dropped and counted. Where several visible
rows state the same thing (a restated figure, an imported copy of a sample row), the one that was known last
by the as-of date is taken.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Hashable
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from workbench.errors import InputError
from workbench.evidence.history import History, Row, Table
from workbench.evidence.instruments import Instrument, Instruments
from workbench.evidence.readers.tables import shortened
from workbench.records import Receipt

T = TypeVar("T")

DividendKind = Literal["interim", "final", "special"]
EventKind = Literal["split", "share_count", "new_business"]
RelationKind = Literal["supplier", "customer", "partner", "holding", "shareholder", "peer"]
MatchStatus = Literal["played", "scheduled", "postponed", "abandoned", "awarded", "cancelled"]


class Figure(NamedTuple):
    """One item of one annual statement, in units of ``currency`` (per-share items: per share).

    ``share_basis`` is the day whose share split per-share items and share counts are expressed on; None
    means as they were at ``period_end``.
    """

    code: str
    fiscal_year: int
    period_end: dt.date
    published: dt.date
    published_estimated: int
    currency: str
    share_basis: dt.date | None
    item: str
    value: float


class Price(NamedTuple):
    """A closing price. ``share_basis`` None means unadjusted, else adjusted for splits up to that day."""

    code: str
    date: dt.date
    close: float
    share_basis: dt.date | None


class Dividend(NamedTuple):
    """Cash per share before tax, in the trading currency, per share as of the day before ``ex_date``.

    ``fiscal_year`` is the year out of whose profit it is paid; its ``final`` dividend completes that year.
    """

    code: str
    ex_date: dt.date
    cash_per_share: float
    fiscal_year: int | None
    kind: DividendKind | None


class Event(NamedTuple):
    """Something that changes what a figure is comparable with.

    ``value`` is the number of new shares per old one (split), the number of shares after it
    (share_count), or the first fiscal year of the business taken in (new_business).
    """

    code: str
    date: dt.date
    kind: EventKind
    value: float
    note: str | None


class Match(NamedTuple):
    """One match, with the forecast (ref_*) and odds published before it that it can be judged against.

    The goals are those after 90 minutes; the score after extra time and of the shoot-out stand apart and
    decide nothing here. ``note`` says what else its source tells, e.g. the score a match was awarded with.
    ``moved_to`` is the day the fixture was put on instead; its own day where it was put back on that.
    """

    competition: str
    season: str
    date: dt.date
    home: str
    away: str
    home_goals: int | None
    away_goals: int | None
    home_xg: float | None
    away_xg: float | None
    home_nsxg: float | None
    away_nsxg: float | None
    ref_home: float | None
    ref_draw: float | None
    ref_away: float | None
    status: MatchStatus | None = None
    round: str | None = None
    extra_home: int | None = None
    extra_away: int | None = None
    pens_home: int | None = None
    pens_away: int | None = None
    odds_home: float | None = None
    odds_draw: float | None = None
    odds_away: float | None = None
    odds_source: str | None = None
    note: str | None = None
    moved_to: dt.date | None = None

    @property
    def settled(self) -> bool:
        """Whether there is a result of 90 minutes played; a source that states no status played the match."""
        known = self.home_goals is not None and self.away_goals is not None
        return known and self.status in (None, "played") and not self.moved

    @property
    def moved(self) -> bool:
        """Whether the fixture is on another day now."""
        return self.moved_to not in (None, self.date)


class Absence(NamedTuple):
    """A player reported out. ``until`` is the expected return, None when unknown."""

    team: str
    player: str
    kind: str | None
    detail: str | None
    since: dt.date | None
    until: dt.date | None
    published: dt.date
    source: str | None


class Document(NamedTuple):
    """A news item, filing, speech or post. Its text is untrusted."""

    id: int
    kind: str
    source: str
    url: str | None
    language: str | None
    title: str
    body: str | None
    code: str | None
    published: dt.date
    published_at: str | None
    item: str | None = None


class Headline(NamedTuple):
    """A document without its text, for looking through many of them."""

    id: int
    kind: str
    source: str
    title: str
    code: str | None
    published: dt.date


class Relation(NamedTuple):
    """What ``other`` is to the company ``code``, e.g. its supplier or a company it holds shares of.

    ``published`` is the day from which that was publicly known.
    """

    code: str
    other: str
    other_name: str
    kind: RelationKind
    note: str | None
    published: dt.date


class Indicator(NamedTuple):
    """One reading of a macro series, e.g. ``cpi_us`` for period ``2020-03``."""

    name: str
    period: str
    value: float
    unit: str | None
    source: str | None
    published: dt.date


STATEMENTS = Table("statements", Figure, "published", ("code", "fiscal_year", "item"))
PRICES = Table("prices", Price, "date", ("code", "date"))
DIVIDENDS = Table("dividends", Dividend, "ex_date", ("code", "ex_date", "kind"))
EVENTS = Table("events", Event, "date", ("code", "date", "kind"))
MATCHES = Table("matches", Match, "date", ("date", "home", "away"), adds=True)
ABSENCES = Table("absences", Absence, "published", ("team", "player"))
DOCUMENTS = Table("documents", Document, "published", ("id",), kept=False)
HEADLINES = Table("documents", Headline, "published", ("id",))
RELATIONS = Table("relations", Relation, "published", ("code", "other", "kind"))
INDICATORS = Table("indicators", Indicator, "published", ("name", "period"))


class Archive(Protocol):
    """What is on record, whenever it became known: what a view asks, and ``EvidenceDB`` answers."""

    @property
    def instruments(self) -> Instruments:
        """Every known instrument."""

    def history(
        self, table: Table[Row], where: str, parameters: tuple[object, ...], day: dt.date
    ) -> History[Row]:
        """All answers to one question, complete up to ``day`` at least."""

    def shared(self, name: Hashable, work_out: Callable[[], T]) -> T:
        """What ``work_out`` makes of histories, done once while the records stay as they are."""

    def rows(self, sql: str, parameters: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """The rows of one query."""


class View:
    """Everything that could be known before one day.

    A view belongs to one run: it answers each question once and remembers the answer, and its receipt
    covers all questions asked so far.

    Args:
        archive: The evidence database.
        as_of: Nothing dated on or after this day is returned.
    """

    def __init__(self, archive: Archive, as_of: dt.date) -> None:
        self._archive = archive
        self.as_of = as_of
        self._answers: dict[tuple[object, ...], list[Any]] = {}
        self._withheld: set[tuple[str, int]] = set()
        self._undated: set[tuple[str, int]] = set()
        self._newest: dt.date | None = None

    def instrument(self, code: str) -> Instrument:
        """The instrument under a canonical code.

        Raises:
            InputError: There is none.
        """
        return self._archive.instruments.by_code(code)

    @property
    def instruments(self) -> Instruments:
        """Every known instrument; what a company is called is no question of time."""
        return self._archive.instruments

    def statements(self, code: str) -> list[Figure]:
        """Annual figures of a company, oldest year first, each in the latest revision known."""
        figures = self._ask(STATEMENTS, "code = ?", code)
        return sorted(figures, key=lambda figure: (figure.fiscal_year, figure.item))

    def prices(self, code: str) -> list[Price]:
        """Closing prices, oldest first."""
        return self._ask(PRICES, "code = ?", code)

    def dividends(self, code: str) -> list[Dividend]:
        """Cash dividends that have gone ex, oldest first."""
        return self._ask(DIVIDENDS, "code = ?", code)

    def events(self, code: str) -> list[Event]:
        """Splits, share issues and changes of business, oldest first."""
        return self._ask(EVENTS, "code = ?", code)

    def matches(self, team: str | None = None, competition: str | None = None) -> list[Match]:
        """Matches played, oldest first; of one club (home or away), of one competition, or all."""
        return self._ask(MATCHES, *_matches_of(team, competition))

    def matches_as(
        self, make: Callable[[Match], T | None], team: str | None = None, competition: str | None = None
    ) -> list[T]:
        """What a function of one match makes of ``matches``, without those of which it makes nothing.

        It is called once for each match on record and must depend on nothing else.
        """
        self.matches(team, competition)  # for the receipt
        where, *parameters = _matches_of(team, competition)
        history = self._archive.history(MATCHES, where, tuple(parameters), self.as_of)
        return history.made_before(self.as_of, make)

    def absences(self, team: str) -> list[Absence]:
        """The latest report about each player of a club, oldest report first."""
        return self._ask(ABSENCES, "team = ?", team)

    def documents(self, code: str | None = None, kind: str | None = None) -> list[Document]:
        """Documents filed under an instrument, of one kind, or all; oldest first."""
        if code is None:
            return self._ask(DOCUMENTS, "kind = ?", kind) if kind else self._ask(DOCUMENTS, "true")
        documents = self._ask(DOCUMENTS, "code = ?", code)
        return [document for document in documents if kind in (None, document.kind)]

    def headlines(self, kind: str) -> list[Headline]:
        """Documents of one kind without their texts, oldest first."""
        return self._ask(HEADLINES, "kind = ?", kind)

    def document(self, id: int) -> Document | None:
        """One document with its text."""
        return next(iter(self._ask(DOCUMENTS, "id = ?", id)), None)

    def item(self, id: str) -> Document | None:
        """The document a run is about, by its ``item``: the only one that may be of the as-of date itself.

        It is the question and no evidence, so it does not count in the receipt.
        """
        columns = DOCUMENTS.columns
        rows = self._archive.rows(
            f"SELECT {', '.join(columns)} FROM documents"
            " WHERE item = ? AND published <= ? ORDER BY id LIMIT 1",
            (id, self.as_of.isoformat()),
        )
        if not rows:
            return None
        fields = dict(zip(columns, rows[0], strict=True))
        return Document(**fields | {"published": dt.date.fromisoformat(fields["published"])})

    def relations(self) -> list[Relation]:
        """Who is related to whom, in the order in which it became known."""
        return self._ask(RELATIONS, "true")

    def indicators(self, name: str | None = None) -> list[Indicator]:
        """Latest revision of each reading of one macro series, or of all; oldest publication first."""
        return self._ask(INDICATORS, "name = ?", name) if name else self._ask(INDICATORS, "true")

    def shared(self, name: Hashable, work_out: Callable[[], T]) -> T:
        """What ``work_out`` makes of answers of this view, done once for all views of this date.

        Args:
            name: What it is; says all that it depends on but the answers.
            work_out: Must not ask the view: what another one was answered is not on the receipt of this one.
        """
        return self._archive.shared((self.as_of, name), work_out)

    def receipt(self) -> Receipt:
        """What this view has let through and withheld so far."""
        return Receipt(
            as_of=self.as_of,
            newest_evidence=self._newest,
            withheld=len(self._withheld),
            undated=len(self._undated),
        )

    def _ask(self, table: Table[Row], where: str, *parameters: object) -> list[Row]:
        """The one question. Returns a list the caller may keep but not change."""
        question = (table, where, parameters)
        if question not in self._answers:
            history = self._archive.history(table, where, parameters, self.as_of)
            self._withheld.update(history.from_on(self.as_of))
            self._undated.update(history.undated)
            if newest := history.newest_before(self.as_of):
                self._newest = max(self._newest or newest, newest)
            self._answers[question] = history.before(self.as_of)
        return self._answers[question]


def _matches_of(team: str | None, competition: str | None) -> tuple[str, *tuple[str, ...]]:
    """Condition and parameters for the matches of a club, a competition, both, or all."""
    if team is None:
        return ("competition = ?", competition) if competition else ("true",)
    if competition is None:
        return "home = ? OR away = ?", team, team
    return "(home = ? OR away = ?) AND competition = ?", team, team, competition


def parse_day(text: str) -> dt.date:
    """Read an ISO day as a user types it.

    Raises:
        InputError: It is not a real day written YYYY-MM-DD.
    """
    try:
        if len(text.strip()) != 10:
            raise ValueError
        return dt.date.fromisoformat(text.strip())
    except ValueError:
        raise InputError(
            f"{shortened(text)!r} is not a date.", remedy="Write it as YYYY-MM-DD, e.g. 2021-06-30."
        ) from None
