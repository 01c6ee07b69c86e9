"""News items as they are handed in: a CSV table, JSON, or one pasted text.

Columns are known by the names sources give them, in English and Chinese. A line that cannot become an item
is left out and counted with its reason; the rest is read. Nothing in a file is opened or obeyed.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from workbench.errors import InputError
from workbench.evidence.instruments import canonical
from workbench.evidence.news import NewsItem, make_item, require_out
from workbench.evidence.readers.tables import MAX_FILE, decode

_NAMES: Mapping[str, tuple[str, ...]] = {
    "title": ("title", "headline", "标题", "新闻标题", "subject"),
    "body": ("content", "body", "text", "正文", "内容", "新闻内容", "summary", "description", "摘要"),
    "published": (
        "published_at", "publishedat", "datetime", "published", "date", "time", "pubdate", "时间", "日期",
        "发布时间", "created_at",
    ),
    "source": ("source", "来源", "文章来源", "publisher", "site", "media"),
    "url": ("url", "link", "链接", "新闻链接"),
    "code": ("code", "ticker", "symbol", "代码", "股票代码", "关键词"),
}  # fmt: skip
"""Field -> names of its column, the best first."""

_DELIMITERS = ",;\t|"


class Refused(NamedTuple):
    """An entry that is no item: its number in the file, counted from 1, and why."""

    number: int
    why: str


class NewsFile(NamedTuple):
    """What a file holds; ``items`` in its order, before any look for duplicates."""

    items: tuple[NewsItem, ...]
    refused: tuple[Refused, ...]


def read_news(content: bytes, name: str) -> NewsFile:
    """The items of a file.

    Args:
        content: The whole file: CSV with a header, parted by commas, semicolons, tabs or ``|``; a JSON list
            of objects, a JSON object that holds such a list, or one JSON object a line.
        name: What to call the file in errors.

    Raises:
        InputError: It is none of these, or too large.
    """
    try:
        text = decode(content, "gb18030")
        entries = list(_json_entries(text) if text.lstrip()[:1] in ("[", "{") else _csv_entries(text))
    except InputError as error:
        raise InputError(error.what, where=name, remedy=error.remedy) from None
    items: list[NewsItem] = []
    refused: list[Refused] = []
    for number, entry in enumerate(entries, start=1):
        try:
            items.append(_item(entry))
        except InputError as error:
            refused.append(Refused(number, error.what))
    return NewsFile(tuple(items), tuple(refused))


def read_pasted(text: str, published: str, *, source: str = "") -> NewsItem:
    """An item out of a pasted text: its first line is the title, the rest the body.

    Raises:
        InputError: The text is empty, or ``published`` is no date or still to come.
    """
    title, _, body = text.strip().partition("\n")
    return _out(make_item(title, published, body=body, source=source))


def _item(entry: Mapping[str, Any]) -> NewsItem:
    by_name = {str(name).strip().casefold(): value for name, value in entry.items()}
    fields = {field: _first(by_name, names) for field, names in _NAMES.items()}
    if not fields["published"]:
        raise InputError("it has no date.")
    code = canonical(fields.pop("code")) or ""
    return _out(make_item(**fields, code=code))


def _out(item: NewsItem) -> NewsItem:
    require_out(item.published)
    return item


def _first(entry: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The first value that is not empty; of an object its name, as some sources nest their publisher."""
    for name in names:
        value = entry.get(name)
        if isinstance(value, Mapping):
            value = value.get("name") or value.get("title")
        if isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    return ""


def _csv_entries(text: str) -> Iterator[Mapping[str, Any]]:
    # The module's limit of 128 kB a cell is meant for malformed files; a long article is none.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_FILE))
    text = text.replace("\0", "")
    known = {name for names in _NAMES.values() for name in names}
    readers = (csv.DictReader(io.StringIO(text, newline=""), delimiter=mark) for mark in _DELIMITERS)
    reader = next(filter(_has_titles, readers), None)
    if reader is None:
        raise InputError(
            "there is no column with titles.", remedy=f"Name the columns, e.g. {', '.join(list(_NAMES)[:4])}."
        )
    try:
        for row in reader:
            yield {name: value for name, value in row.items() if str(name).strip().casefold() in known}
    except csv.Error as error:
        raise InputError(f"line {reader.line_num} cannot be read as CSV: {error}.") from None


def _has_titles(reader: csv.DictReader[str]) -> bool:
    return any(str(name).strip().casefold() in _NAMES["title"] for name in reader.fieldnames or ())


def _json_entries(text: str) -> list[Mapping[str, Any]]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = _json_lines(text)
    if isinstance(value, Mapping) and _NAMES["title"][0] not in value:
        lists = [held for held in value.values() if isinstance(held, list)]
        value = max(lists, key=len, default=[])
    listed = value if isinstance(value, list) else [value]
    entries = [entry for entry in listed if isinstance(entry, Mapping)]
    if not entries:
        raise InputError(
            "there are no items in it.", remedy="Give a JSON list of objects with title and date."
        )
    return entries


def _json_lines(text: str) -> list[Any]:
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        raise InputError(
            "it is not valid JSON.", remedy="Give a JSON list of objects, or one object a line."
        ) from None
