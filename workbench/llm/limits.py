"""How fast a provider may be asked, and how long to wait before asking it again."""

from __future__ import annotations

import asyncio
import datetime as dt
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime

Sleep = Callable[[float], Awaitable[None]]

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 30.0


class Gate:
    """Lets calls to one provider through: so many at once, and so many a minute.

    Args:
        concurrency: Calls in flight at once.
        per_minute: Calls begun within a minute, evenly spaced; None for no limit.
        sleep: How to wait.
    """

    def __init__(self, concurrency: int, per_minute: int | None = None, sleep: Sleep = asyncio.sleep) -> None:
        self.limits = (concurrency, per_minute)
        self._slots = asyncio.Semaphore(concurrency)
        self._spacing_s = 60 / per_minute if per_minute else 0.0
        self._sleep = sleep
        self._next = 0.0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn and hold it while the call lasts."""
        async with self._slots:
            now = time.monotonic()
            begin = max(now, self._next)
            self._next = begin + self._spacing_s
            if begin > now:
                await self._sleep(begin - now)
            yield

    def pause(self, seconds: float) -> None:
        """Let no further call begin for a while: the provider has asked for it."""
        self._next = max(self._next, time.monotonic() + seconds)


def backoff(attempt: int) -> float:
    """Seconds to wait after the failed ``attempt`` (from 1): doubling, with full jitter.

    Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
    """
    return random.uniform(0, min(LONGEST_WAIT_S, FIRST_WAIT_S * 2**attempt))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds a response asks to wait (RFC 9110, 10.2.3: a number or a date); None where it does not say."""
    asked = headers.get("retry-after", "").strip()
    if not asked:
        return None
    try:
        return max(0.0, float(asked))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(asked)
    except ValueError:
        return None
    return max(0.0, (until.astimezone(dt.UTC) - dt.datetime.now(dt.UTC)).total_seconds())
