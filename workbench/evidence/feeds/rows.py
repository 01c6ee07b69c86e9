"""What feeds bring: documents and readings, and how they are kept once."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import NamedTuple

from workbench.errors import InputError
from workbench.evidence.database import EvidenceDB
from workbench.evidence.news import NewsItem, add_items, make_item, require_out
from workbench.evidence.news_tools import DocumentKind


class Found(NamedTuple):
    """A document as a service gives it: raw texts, cleaned when it is kept."""

    kind: DocumentKind
    title: str
    published: str
    body: str = ""
    source: str = ""
    url: str = ""
    code: str = ""


class Reading(NamedTuple):
    """One value of a series, known from the day ``published``."""

    name: str
    period: str
    value: float
    unit: str
    source: str
    published: dt.date


class Kept(NamedTuple):
    """What became of the rows of a feed.

    Attributes:
        new: How many were stored.
        known: How many were on record.
        left_out: How many lack a title or a date, or are dated in the future.
        failed: What the service did not give, a line for each problem.
    """

    new: int
    known: int
    left_out: int
    failed: tuple[str, ...] = ()


def keep(db: EvidenceDB, rows: Iterable[Found | Reading], *, origin: str, since: dt.date) -> Kept:
    """Store what a feed has found, each document and each value of a reading once.

    Args:
        db: The evidence database.
        rows: What was found.
        origin: Under which it is kept.
        since: First day wanted; what is older is passed over.
    """
    documents: dict[DocumentKind, list[NewsItem]] = {}
    readings: list[Reading] = []
    total = left_out = 0
    for row in rows:
        try:
            item = row if isinstance(row, Reading) else _item(row)
            require_out(item.published)
        except InputError:
            left_out += 1
            continue
        if item.published < since:
            continue
        total += 1
        if isinstance(item, Reading):
            readings.append(item)
        elif isinstance(row, Found):
            documents.setdefault(row.kind, []).append(item)
    new = sum(
        len(add_items(db, items, origin=origin, kind=kind).new) for kind, items in documents.items()
    ) + _keep_readings(db, readings, origin)
    return Kept(new, total - new, left_out)


def _item(found: Found) -> NewsItem:
    return make_item(
        found.title,
        found.published,
        body=found.body,
        source=found.source,
        url=found.url,
        code=found.code,
    )


def _keep_readings(db: EvidenceDB, readings: Iterable[Reading], origin: str) -> int:
    """Store the readings whose value for that period and day is not on record under this origin."""
    known = set(db.rows("SELECT name, period, value, published FROM indicators WHERE origin = ?", (origin,)))
    fetched = dt.datetime.now(dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    fresh: dict[tuple[str, str, float, str], Reading] = {}
    for reading in readings:
        key = (reading.name, reading.period, reading.value, reading.published.isoformat())
        if key not in known:
            fresh[key] = reading
    rows = [
        reading._asdict() | {"published": reading.published.isoformat(), "fetched_at": fetched}
        for reading in fresh.values()
    ]
    return db.add("indicators", rows, origin=origin) if rows else 0
