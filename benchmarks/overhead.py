"""CPU of one call through the engine, beside the same call through bare litellm and the openai client.

The engine's share is everything between evidence and report: rendering, limits, retries, parsing, the record
of the call, and the copy of the answer in the cache. All calls go to one stub server in another process, in
interleaved blocks; the cheapest block of each way counts, because whatever else the machine does can only add
to it.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.bench import conclude, stub_server
from tests.engine_samples import EVIDENCE, GOOD, Answer, plan_of, step
from workbench.engine.agent import RunOptions, prompt_variables, run_agent
from workbench.llm.cache import Cached
from workbench.llm.hosted import Hosted, load_library
from workbench.llm.router import Router
from workbench.settings import Settings

MODEL = "openai/stub-1"
BLOCKS, CALLS = 20, 25
BOUND = 0.15
AGENT = step("a")
PLAN = plan_of(AGENT, step("end", last=True))
MESSAGES = [
    {"role": "system", "content": AGENT.draft.system},
    {"role": "user", "content": AGENT.draft.render(prompt_variables(AGENT, PLAN, EVIDENCE, {}))},
]


async def cpu_per_call(call: Callable[[], Awaitable[object]]) -> float:
    """CPU seconds of this process, all threads, for one call."""
    started = time.process_time()
    for _ in range(CALLS):
        await call()
    return (time.process_time() - started) / CALLS


async def measure(address: str, folder: Path) -> dict[str, float]:
    """CPU seconds per call of each way, in its cheapest block."""
    from openai import AsyncOpenAI

    litellm = load_library()
    client = AsyncOpenAI(base_url=address, api_key="none", max_retries=0)
    hosted = Hosted(Settings(api_base=address))
    router, cached = Router(hosted), Router(Cached(hosted, folder / "cache.db", address))
    schema = {"name": "Answer", "schema": Answer.model_json_schema()}
    response_format = {"type": "json_schema", "json_schema": schema}
    repeats = count()

    async def through_engine(model: Router, options: RunOptions) -> None:
        report = await run_agent(AGENT, PLAN, {}, model, MODEL, options)
        assert report.counted, report.error

    ways: dict[str, Callable[[], Awaitable[object]]] = {
        "openai client": lambda: client.chat.completions.create(
            model="stub-1", messages=MESSAGES, response_format=response_format
        ),
        "litellm": lambda: litellm.acompletion(
            model=MODEL,
            messages=MESSAGES,
            response_format=response_format,
            api_base=address,
            api_key="none",
            max_retries=0,
        ),
        "engine without the cache": lambda: through_engine(router, RunOptions()),
        "engine": lambda: through_engine(cached, RunOptions(repeat=next(repeats))),
    }
    costs: dict[str, list[float]] = {name: [] for name in ways}
    for block in range(BLOCKS + 1):
        for name, call in ways.items():
            cost = await cpu_per_call(call)
            if block:
                costs[name].append(cost)
    await client.close()
    return {name: min(values) for name, values in costs.items()}


def main() -> None:
    with stub_server(json.dumps(GOOD)) as address, TemporaryDirectory() as folder:
        cost = asyncio.run(measure(address, Path(folder)))
    for name, seconds in cost.items():
        print(f"{name}: {seconds * 1000:.2f} ms, {seconds / cost['openai client']:.2f} x the openai client")
    conclude(("CPU of the engine over litellm's own", cost["engine"] / cost["litellm"] - 1, BOUND))


if __name__ == "__main__":
    main()
