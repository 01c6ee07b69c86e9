"""Turns on an event loop: who goes when, and that the loop sees to everything else in between."""

from __future__ import annotations

import asyncio
import time

from workbench.engine.turns import PIECES, turn


def test_pieces_are_done_in_the_order_of_asking_and_ends_before_beginnings() -> None:
    done: list[str] = []

    async def piece(name: str, *, first: bool = False) -> None:
        await turn(first=first)
        done.append(name)

    async def many() -> None:
        names = [f"begin {number}" for number in range(PIECES + 6)]
        async with asyncio.TaskGroup() as group:
            for name in names:
                group.create_task(piece(name))
            group.create_task(piece("end", first=True))

    asyncio.run(many())

    begun = [f"begin {number}" for number in range(PIECES + 6)]
    assert done == [*begun[:PIECES], "end", *begun[PIECES:]]


def test_a_timer_need_not_wait_for_all_the_work_there_is() -> None:
    """64 answers that came at once held up every other call until all of them had been read."""
    late: list[float] = []

    async def work() -> None:
        await turn()
        time.sleep(0.005)

    async def wake() -> None:
        asked = asyncio.get_running_loop().time()
        await asyncio.sleep(0.001)
        late.append(asyncio.get_running_loop().time() - asked)

    async def both() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(wake())
            for _ in range(60):
                group.create_task(work())

    asyncio.run(both())

    assert late[0] < 60 * 0.005 / 2


def test_who_is_cancelled_while_waiting_holds_nobody_up() -> None:
    async def cancelled() -> int:
        waiting = [asyncio.create_task(turn()) for _ in range(PIECES + 3)]
        await asyncio.sleep(0)
        waiting[PIECES].cancel()
        ended = await asyncio.gather(*waiting, return_exceptions=True)
        await asyncio.wait_for(turn(), 1)
        return sum(isinstance(end, asyncio.CancelledError) for end in ended)

    assert asyncio.run(cancelled()) == 1


def test_every_loop_has_its_own_turns() -> None:
    for _ in range(2):
        asyncio.run(asyncio.wait_for(turn(), 1))
