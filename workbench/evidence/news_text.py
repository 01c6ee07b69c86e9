"""Text from outside as the workbench keeps it: visible characters, of bounded length, with a stable identity.

Nothing else is done to it. Markup and instructions in a text stay what they are, text; whoever shows it
escapes it, whoever puts it into a prompt delimits it.
"""

from __future__ import annotations

import datetime as dt
import email.utils
import hashlib
import re
import unicodedata
from typing import Literal, NamedTuple

from workbench.errors import InputError

Language = Literal["zh", "en"]

MAX_TITLE = 300
MAX_BODY = 20_000
"""Characters kept of a body; more is cut off with a note."""

# Unicode categories Cc, without tab and line feed, and Cf.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f"
    "\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]")
_CHINESE_DAY = re.compile(r"(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日")
_SLASHED_DAY = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})")
_COMPACT_DAY = re.compile(r"(\d{4})(\d{2})(\d{2})")
_EPOCH = re.compile(r"\d{10}(?:\d{3})?(?:\.\d+)?")


def visible(text: str) -> str:
    """Text without characters that have no width, change its direction or control a terminal.

    Line ends become ``\\n``; tabs stay; half a surrogate pair, which has no UTF-8 form, becomes ``�``.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("\ufffd", _INVISIBLE.sub("", text))


def clean_title(raw: str) -> str:
    """A title on one line, of at most ``MAX_TITLE`` characters."""
    title = " ".join(visible(raw[: 4 * MAX_TITLE]).split())
    return title if len(title) <= MAX_TITLE else title[: MAX_TITLE - 1] + "…"


def clean_body(raw: str) -> str:
    """A body of at most ``MAX_BODY`` characters, with a note where something was cut off."""
    body = visible(raw[: 4 * MAX_BODY]).strip()
    if len(raw) <= 4 * MAX_BODY and len(body) <= MAX_BODY:
        return body
    note = (
        f"［已截断：原文约 {len(raw):,} 字，保留前 {MAX_BODY:,} 字］"
        if language_of(body) == "zh"
        else f"[truncated: {len(raw):,} characters, the first {MAX_BODY:,} kept]"
    )
    return f"{body[:MAX_BODY]}\n{note}"


def language_of(text: str) -> Language:
    """``zh`` or ``en``, whichever is nearer; a Chinese character weighs as much as four letters."""
    sample = text[:4000]
    return "zh" if 4 * len(_HAN.findall(sample)) > len(_LATIN.findall(sample)) else "en"


def normalised_title(title: str) -> str:
    """Letters and digits of a title, so that spacing, case, width and punctuation do not matter."""
    folded = unicodedata.normalize("NFKC", visible(title)).casefold()
    return "".join(filter(str.isalnum, folded)) or " ".join(folded.split())


def item_id(published: dt.date, title: str) -> str:
    """Identity of an item: its day and a hash of its normalised title, e.g. ``2019-01-02-5f1a0c3e``."""
    digest = hashlib.sha256(normalised_title(title).encode()).hexdigest()
    return f"{published.isoformat()}-{digest[:8]}"


class Moment(NamedTuple):
    """When something came out: the day, and the time as ISO text where it is known (UTC if it says so)."""

    day: dt.date
    at: str | None


def read_moment(text: str) -> Moment:
    """Read a date, with or without a time, in the forms news sources use.

    ISO 8601, ``2024/3/8 10:20``, ``20240308``, ``2024年3月8日``, RFC 2822 and Unix seconds or milliseconds. A
    time with an offset is brought to UTC, and so is its day; one without is left as the source writes it.

    Raises:
        InputError: It is none of these, or no real day.
    """
    written = unicodedata.normalize("NFKC", text).strip()
    try:
        moment = _moment(written)
        if isinstance(moment, dt.datetime) and moment.tzinfo:
            moment = moment.astimezone(dt.UTC)
    except (ValueError, OverflowError, OSError, TypeError):
        raise InputError(
            f"{written[:40]!r} is not a date.", remedy="Write it as YYYY-MM-DD or YYYY-MM-DD HH:MM."
        ) from None
    if isinstance(moment, dt.datetime):
        at = moment.isoformat(timespec="seconds").replace("+00:00", "Z")
        return Moment(moment.date(), at)
    return Moment(moment, None)


def _moment(written: str) -> dt.date:
    if _EPOCH.fullmatch(written):
        seconds = float(written)
        return dt.datetime.fromtimestamp(seconds / 1000 if seconds >= 1e11 else seconds, dt.UTC)
    if "," in written:
        return email.utils.parsedate_to_datetime(written)
    for pattern in (_CHINESE_DAY, _SLASHED_DAY, _COMPACT_DAY):
        if match := pattern.match(written):
            day = "-".join((match[1], match[2].zfill(2), match[3].zfill(2)))
            written = f"{day} {written[match.end() :].strip()}".strip()
            break
    if len(written) == 10:
        return dt.date.fromisoformat(written)
    return dt.datetime.fromisoformat(written)
