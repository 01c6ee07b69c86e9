"""Commands about the language models: which ones answer, whether they do, and what was paid."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Mapping
from typing import Any

import click

from workbench.commands import console
from workbench.commands.common import (
    json_option,
    print_json,
    print_lines,
    terminal_width,
    with_workspace,
)
from workbench.configured import TIERS, model_of
from workbench.errors import InputError
from workbench.evidence.view import parse_day
from workbench.llm.formats import AnswerFormat
from workbench.llm.hosted import Check
from workbench.records import BASELINE
from workbench.store.payments import SPEND_BY, SpendBy
from workbench.workspace import Workspace

STRUCTURED: Mapping[AnswerFormat, str] = {
    "json_schema": "structured output by JSON Schema",
    "json_object_schema": "structured output by JSON mode with a schema",
    "json_object": "JSON mode without a schema",
    "plain": "no structured output",
}


@click.group()
def models() -> None:
    """Ask the language models whether they answer."""


@models.command("test")
@click.argument("model", required=False)
@json_option
@with_workspace
def test_models(workspace: Workspace, model: str | None, as_json: bool) -> None:
    """Ask MODEL, or each model that is set, one tiny question: does it answer, how fast, at what price?"""
    presets = workspace.presets.read()
    tiers = [(model_of(workspace, tier).value, presets.tier(tier).params) for tier in TIERS]
    if model is not None:
        tiers = [(name, params) for name, params in tiers if name == model] or [(model, {})]
    asked = [(name, params) for n, (name, params) in enumerate(tiers) if (name, params) not in tiers[:n]]
    asked = [(name, params) for name, params in asked if name != BASELINE]
    if not asked:
        raise InputError(
            "no language model is set; the built-in rules need no test.",
            remedy="Name one: workbench models test openai/gpt-4.1-mini",
        )
    printed = []
    for name, params in asked:
        check = workspace.jobs.ask(workspace.hosted.check(name, params)).result()
        printed.append({"model": name, "params": params, **_to_json(check)})
        if not as_json:
            click.echo(console.one_line(_answered(name, check)))
    if as_json:
        print_json({"models": printed})


@click.command()
@click.option("--by", type=click.Choice(SPEND_BY), default="day", show_default=True)
@click.option("--since", type=parse_day, help="First day that counts (YYYY-MM-DD, UTC).")
@click.option("--limit", default=30, show_default=True, type=click.IntRange(1, 1000))
@json_option
@with_workspace
def spend(workspace: Workspace, by: SpendBy, since: dt.date | None, limit: int, as_json: bool) -> None:
    """Say what language models have cost, added up by day, model, agent, run or batch."""
    payments = workspace.store.payments
    rows = payments.spend(by, since=since, limit=limit)
    paid, budget = payments.today(), workspace.presets.read().daily_budget
    if as_json:
        print_json(
            {
                "by": by,
                "rows": [dataclasses.asdict(row) for row in rows],
                "today": paid,
                "daily_budget": budget,
            }
        )
        return
    if rows:
        print_lines(console.spend_lines(rows, by, terminal_width()))
    else:
        click.echo("Nothing was asked of a language model yet.")
    of = f" of a daily budget of ${budget:,.2f}" if budget is not None else ""
    click.echo(f"Paid today (UTC), with questions and tests: ${paid:,.4f}{of}")


def _answered(name: str, check: Check) -> str:
    price = check.price
    parts = [
        f"{name}: answered in {check.reply.latency_s:.1f} s by {check.reply.resolved_model}",
        STRUCTURED[check.answer_format],
        "" if check.readable else "but the answer could not be read",
        f"${price.input * 1e6:,.2f} / ${price.output * 1e6:,.2f} a million tokens ({price.source})"
        if price
        else "price unknown",
        f"takes no {', '.join(check.ignored)}" if check.ignored else "",
    ]
    return "; ".join(filter(None, parts))


def _to_json(check: Check) -> dict[str, Any]:
    return {
        "resolved_model": check.reply.resolved_model,
        "latency_s": check.reply.latency_s,
        "answer_format": check.answer_format,
        "readable": check.readable,
        "ignored": list(check.ignored),
        "price": dataclasses.asdict(check.price) if check.price else None,
        "cost": check.reply.cost,
    }
