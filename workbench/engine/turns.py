"""Turns on an event loop: work that keeps the processor busy goes piece by piece.

Many runs share one loop. When many answers arrive at once, reading them all and gathering the evidence of
what comes next would keep the loop from its timers and sockets for as long, and calls that could go on
meanwhile would wait. Between two pieces of work the loop therefore sees to everything else once.
"""

from __future__ import annotations

import asyncio
from collections import deque
from weakref import WeakKeyDictionary

PIECES = 4
"""How many pieces are done before the loop sees to everything else; a look costs about as much as a piece."""


class _Turns:
    def __init__(self) -> None:
        self._waiting: tuple[deque[asyncio.Future[None]], ...] = deque(), deque()
        self._left = PIECES

    async def wait(self, *, first: bool) -> None:
        loop = asyncio.get_running_loop()
        if self._left == PIECES:
            loop.call_soon(self._pass_on, loop)
        if self._left:
            self._left -= 1
        else:
            turn = loop.create_future()
            self._waiting[not first].append(turn)
            await turn

    def _pass_on(self, loop: asyncio.AbstractEventLoop) -> None:
        self._left = PIECES
        for waiting in self._waiting:
            while waiting and self._left:
                turn = waiting.popleft()
                if not turn.done():  # else whoever waited was cancelled
                    turn.set_result(None)
                    self._left -= 1
        if self._left < PIECES:
            loop.call_soon(self._pass_on, loop)


_of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, _Turns] = WeakKeyDictionary()


async def turn(*, first: bool = False) -> None:
    """Wait until it is one's turn to keep the running loop busy, in the order of asking.

    Args:
        first: Go before those who ask without it: what ends a wait before what begins one.
    """
    loop = asyncio.get_running_loop()
    if loop not in _of_loop:
        _of_loop[loop] = _Turns()
    await _of_loop[loop].wait(first=first)
