"""The news items on record: adding them once, listing them, and finding the one a user means.

An item is what a signals run judges, not what it knows: it is read here by its id, and everything else a run
is shown goes through the point-in-time view as of the item's own day, so that nothing published on that day
or later is seen beside it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import NamedTuple, Self

from workbench.errors import AmbiguousError, InputError
from workbench.evidence.addressed import told
from workbench.evidence.database import EvidenceDB
from workbench.evidence.instruments import Instruments
from workbench.evidence.linking import Link, link
from workbench.evidence.news_text import (
    Language,
    clean_body,
    clean_title,
    item_id,
    language_of,
    normalised_title,
    read_moment,
)
from workbench.evidence.view import Document
from workbench.records import NewsSubject, Record

NEWS = "news"
"""Kind of the documents that are items."""

_COLUMNS = "item, title, body, source, url, language, code, published, published_at"
_IS_ITEM = f"kind = '{NEWS}' AND item IS NOT NULL AND published IS NOT NULL"


class NewsItem(Record):
    """One item as it is kept. Its texts are untrusted.

    Attributes:
        id: See ``news_text.item_id``; two items of one day with the same normalised title are one.
        title: On one line.
        body: May be empty; ends in a note where it was cut off.
        source: Who published it.
        url: Where; never opened.
        language: ``zh`` or ``en``.
        code: Canonical code its source files it under; empty where it does not say.
        published: Day of publication.
        published_at: Time of publication as ISO text; empty when unknown.
    """

    id: str
    title: str
    body: str = ""
    source: str = ""
    url: str = ""
    language: Language
    code: str = ""
    published: dt.date
    published_at: str = ""

    @property
    def subject(self) -> NewsSubject:
        return NewsSubject(
            id=self.id,
            published=self.published,
            title=self.title,
            source=self.source,
            language=self.language,
        )

    @property
    def reported(self) -> Self:
        """The item without what it says to whoever scores it: all that its evidence is looked up by."""
        return self.model_copy(update={"title": told(self.title).text, "body": told(self.body).text})

    def links(self, instruments: Instruments) -> tuple[Link, ...]:
        """The companies it reports about."""
        return link(told(self.title).text, told(self.body).text, instruments)

    @classmethod
    def of(cls, document: Document) -> Self:
        """A document on record as an item."""
        fields = document._asdict() | {"id": document.item}
        return cls.model_validate(
            {name: fields[name] for name in cls.model_fields if fields[name] is not None}
        )


class Added(NamedTuple):
    """Ids of the items that were new, and of those known before."""

    new: tuple[str, ...]
    known: tuple[str, ...]


def make_item(
    title: str,
    published: str,
    *,
    body: str = "",
    source: str = "",
    url: str = "",
    code: str = "",
) -> NewsItem:
    """An item out of raw texts: cleaned, cut to length, with its language and identity.

    Raises:
        InputError: There is no title, or ``published`` is no date.
    """
    heading = clean_title(title)
    if not heading:
        raise InputError("a news item needs a title.", remedy="Give its headline.")
    moment = read_moment(published)
    text = clean_body(body)
    return NewsItem(
        id=item_id(moment.day, heading),
        title=heading,
        body=text,
        source=clean_title(source),
        url=clean_title(url),
        language=language_of(f"{heading}\n{text}"),
        code=code,
        published=moment.day,
        published_at=moment.at or "",
    )


def require_out(published: dt.date) -> None:
    """Make sure that what is handed in has come out: tomorrow has begun somewhere, a later day has not.

    Raises:
        InputError: It has not.
    """
    if published > dt.datetime.now(dt.UTC).date() + dt.timedelta(days=1):
        raise InputError(f"{published} has not come yet.", remedy="Give the day it came out.")


def add_items(db: EvidenceDB, items: Iterable[NewsItem], *, origin: str, kind: str = NEWS) -> Added:
    """Store items that are not known yet.

    Args:
        db: The evidence database.
        items: In any order; of two alike the first is kept.
        origin: Where they come from: the name of an import or a feed.
        kind: What they are; one that is no news is a document the tools find and is never judged.
    """
    first: dict[str, NewsItem] = {}
    for item in items:
        first.setdefault(item.id, item)
    known = tuple(id for id in first if _exists(db, id, kind))
    new = tuple(id for id in first if id not in known)
    fetched = dt.datetime.now(dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    if new:
        db.add(
            "documents",
            (_row(first[id]) | {"kind": kind, "fetched_at": fetched} for id in new),
            origin=origin,
        )
    return Added(new, known)


def items(
    db: EvidenceDB,
    *,
    text: str = "",
    language: Language | None = None,
    since: dt.date | None = None,
    until: dt.date | None = None,
    limit: int = 100,
    offset: int = 0,
) -> list[NewsItem]:
    """The items on record, newest first.

    Args:
        db: The evidence database.
        text: Only those with this in title or source.
        language: Only those in this language.
        since: Only from this day.
        until: Only up to and including this day.
        limit: How many at most.
        offset: How many to pass over.
    """
    where, parameters = _conditions(text, language, since, until)
    rows = db.rows(
        f"SELECT {_COLUMNS} FROM documents WHERE {where}"
        " ORDER BY published DESC, published_at DESC, id DESC LIMIT ? OFFSET ?",
        (*parameters, limit, offset),
    )
    return [_item(row) for row in rows]


def count_items(
    db: EvidenceDB,
    *,
    text: str = "",
    language: Language | None = None,
    since: dt.date | None = None,
    until: dt.date | None = None,
) -> int:
    """How many items there are under the same filters as ``items``."""
    where, parameters = _conditions(text, language, since, until)
    return int(db.rows(f"SELECT count(*) FROM documents WHERE {where}", parameters)[0][0])


def get_item(db: EvidenceDB, id: str) -> NewsItem:
    """The item with an id.

    Raises:
        InputError: There is none.
    """
    rows = db.rows(
        f"SELECT {_COLUMNS} FROM documents WHERE {_IS_ITEM} AND item = ? ORDER BY id LIMIT 1", (id,)
    )
    if not rows:
        raise _unknown(id)
    return _item(rows[0])


def resolve_item(db: EvidenceDB, text: str) -> NewsItem:
    """The one item meant by an id, the beginning of one, or a part of its title.

    Raises:
        AmbiguousError: Several fit.
        InputError: None does.
    """
    wanted, in_title = text.strip(), normalised_title(text)
    if _exists(db, wanted):
        return get_item(db, wanted)
    titles = dict(db.rows(f"SELECT item, title FROM documents WHERE {_IS_ITEM} ORDER BY published DESC"))
    found = [id for id in titles if wanted and id.startswith(wanted)] or [
        id for id, title in titles.items() if in_title and in_title in normalised_title(title)
    ]
    if len(found) > 1:
        candidates = tuple(f"{id} {titles[id]}" for id in found[:5])
        what = f"{wanted[:60]!r} may be any of {len(found)} items."
        raise AmbiguousError(what, candidates, remedy="Give the whole id.")
    if not found:
        raise _unknown(wanted)
    return get_item(db, found[0])


def _unknown(id: str) -> InputError:
    return InputError(f"there is no news item {id[:60]!r}.", remedy="List them with: workbench news list")


def _exists(db: EvidenceDB, id: str, kind: str = NEWS) -> bool:
    return bool(db.rows("SELECT 1 FROM documents WHERE item = ? AND kind = ? LIMIT 1", (id, kind)))


def _conditions(
    text: str, language: Language | None, since: dt.date | None, until: dt.date | None
) -> tuple[str, list[object]]:
    asked = {
        "instr(lower(title || ' ' || source), ?) > 0": text.lower() or None,
        "language = ?": language,
        "published >= ?": since and since.isoformat(),
        "published <= ?": until and until.isoformat(),
    }
    used = {condition: value for condition, value in asked.items() if value is not None}
    return " AND ".join((_IS_ITEM, *used)), list(used.values())


def _row(item: NewsItem) -> dict[str, str | None]:
    fields = item.model_dump(mode="json", exclude={"id"})
    # Only these two are never NULL, however empty.
    return {
        "item": item.id,
        **{name: value if name in ("title", "source") else value or None for name, value in fields.items()},
    }


def _item(values: tuple[str | None, ...]) -> NewsItem:
    given = zip(NewsItem.model_fields, values, strict=True)
    return NewsItem.model_validate({name: value for name, value in given if value is not None})
