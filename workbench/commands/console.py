"""How a terminal shows runs, lists of runs and comparisons: plain text in, plain text out.

Widths are counted in columns, since a Chinese character takes two. Texts of models, feeds and users lose
their control characters, so that none of them can move the cursor or recolour the screen.
"""

from __future__ import annotations

import datetime as dt
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from workbench.compare import SECTIONS, Cell, Comparison, Row
from workbench.records import (
    BASELINE,
    MatchSubject,
    Models,
    NewsSubject,
    Opinion,
    Report,
    Run,
    Scale,
    Verdict,
)
from workbench.store.batch_records import Batch, BatchItem
from workbench.store.payments import Spend
from workbench.store.rows import RunRow

MISSING = "–"

_DIRECTIONS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def plain(text: str) -> str:
    """Text without control characters and changes of direction; line ends and tabs stay."""
    return "".join(
        " " if (unicodedata.category(c) == "Cc" and c not in "\n\t") or c in _DIRECTIONS else c for c in text
    )


def one_line(text: str) -> str:
    """Text on one line, without control characters."""
    return " ".join(plain(text).split())


def model_title(models: Models) -> str:
    """The models of a run; the baseline never without saying that it is no model."""
    names = dict.fromkeys((models.specialist, models.aggregator))
    return " + ".join(f"{BASELINE} (built-in rules, not a model)" if n == BASELINE else n for n in names)


def run_lines(run: Run, width: int) -> Iterator[str]:
    """A run as a page of text.

    Args:
        run: The run.
        width: Columns of the terminal; longer reasons are cut there.
    """
    facts = [run.subject.title, f"as of {run.as_of}", f"strategy {run.strategy}", model_title(run.models)]
    if run.blind != "none":
        facts.append(f"blind ({run.blind})")
    yield one_line(" · ".join(facts))
    yield ""
    yield from _verdict_lines(run)
    if run.reports:
        yield ""
        yield from table(
            ("agent", "status", "draft", "revised", "change", "confidence", "evidence", "why"),
            [_report_cells(report) for report in run.reports],
            right={2, 3, 4},
            width=width,
        )
    yield ""
    yield from _receipt_lines(run)


def _verdict_lines(run: Run) -> Iterator[str]:
    verdict = run.verdict
    if verdict is None:
        yield f"No verdict: the run is {run.status}." + (f" {one_line(run.error)}" if run.error else "")
        return
    if isinstance(run.subject, MatchSubject):
        headline = _match_headline(run.subject, verdict.fields)
    elif isinstance(run.subject, NewsSubject):
        headline = _signal_headline(verdict)
    else:
        headline = f"{verdict.label or MISSING} {_number(verdict.score, 1)}"
    confidence = "" if verdict.confidence is None else f" · confidence {verdict.confidence:.2f}"
    yield one_line(f"{headline}{confidence} · {verdict.counted} of {verdict.total} agents counted")
    for warning in verdict.warnings:
        yield f"  note: {one_line(warning)}"
    for change in verdict.adjustments:
        moved = f"{change.field} {_value(change.before)} -> {_value(change.after)}"
        yield f"  rule: {one_line(f'{change.rule}: {moved}. {change.why}')}"


def _match_headline(subject: MatchSubject, fields: dict[str, object]) -> str:
    home, away = (_number(fields.get(name), 2) for name in ("pred_home_goals", "pred_away_goals"))
    chances = fields.get("probabilities")
    shares = (
        ", ".join(f"{side} {share:.0%}" for side, share in chances.items())
        if isinstance(chances, dict)
        else ""
    )
    return f"{subject.home} {home} : {away} {subject.away}" + (f" · {shares}" if shares else "")


def _signal_headline(verdict: Verdict) -> str:
    tickers = verdict.fields.get("tickers")
    named = (
        ", ".join(f"{t['ticker']} {t['impact_score']:.2f} {t['link_type']}" for t in tickers)
        if isinstance(tickers, list)
        else ""
    )
    parts = (verdict.fields.get("event_type"), verdict.fields.get("direction"), named)
    details = "".join(f" · {part}" for part in parts if part)
    return f"{verdict.label or MISSING} impact {_number(verdict.score, 2)}{details}"


def _report_cells(report: Report) -> tuple[str, ...]:
    draft, revised = report.draft, report.revised
    return (
        report.title,
        report.standing,
        _score(draft, report.scale),
        _score(revised, report.scale),
        _moved(report),
        _confidence(draft, revised),
        report.evidence.sufficiency,
        report.error or (revised.why_changed if revised else ""),
    )


def _receipt_lines(run: Run) -> Iterator[str]:
    if receipt := run.receipt:
        newest = receipt.newest_evidence or MISSING
        withheld = f"{receipt.withheld:,} later rows withheld, {receipt.undated:,} undated rows dropped"
        yield f"look-ahead receipt: newest evidence {newest}, {withheld}"
    calls = [call for report in run.reports for call in report.calls]
    costs = [call.cost for call in calls if not call.cache_hit]
    known = [cost for cost in costs if cost is not None]
    cost = f", cost {'at least ' if len(known) < len(costs) else ''}${sum(known):.4f}" if any(known) else ""
    took = f" in {(run.finished - run.started).total_seconds():.1f} s" if run.finished else ""
    yield f"run {run.run_id}: {run.status}{took}, {len(calls)} calls{cost}"


def agent_lines(run: Run, report: Report) -> Iterator[str]:
    """One agent in full: both opinions, the evidence, and every call with its exact prompt and answer."""
    yield one_line(f"{report.title} ({report.agent}): {report.status}. {report.error}")
    for opinion in (report.draft, report.revised):
        if opinion:
            score, confidence = _score(opinion, report.scale), _confidence(opinion, None)
            yield f"\n--- {opinion.stage}: {score}, confidence {confidence}"
            yield plain(opinion.analysis)
            yield from (f"  * {one_line(line)}" for line in opinion.key_evidence)
            if opinion.why_changed:
                yield f"  why it changed: {one_line(opinion.why_changed)}"
    yield f"\n--- evidence: {report.evidence.sufficiency}"
    yield plain(report.evidence.text)
    for name, reason in report.evidence.missing.items():
        yield f"  missing {one_line(f'{name}: {reason}')}"
    for call in report.calls:
        model = call.resolved_model or call.requested_model
        yield f"\n--- {call.stage} call {call.attempt} to {one_line(model)}: prompt"
        yield plain(f"{call.system}\n\n{call.prompt}")
        yield f"\n--- {call.stage} call {call.attempt}: {'error' if call.error else 'answer'}"
        yield plain(call.reply or call.error)


def runs_lines(rows: Sequence[RunRow], width: int) -> Iterator[str]:
    """A list of runs, one a line."""
    cells = [
        (
            row.run_id,
            f"{row.status}, {row.failed} failed" if row.status == "done" and row.failed else row.status,
            row.subject_title,
            row.as_of.isoformat(),
            row.strategy,
            row.models.title,
            _number(row.score, 2 if row.pipeline == "signals" else 1),
            row.label or MISSING,
            " ".join(("*" * row.starred, *(f"#{tag}" for tag in row.tags), row.note)).strip(),
        )
        for row in rows
    ]
    header = ("run", "status", "subject", "as of", "strategy", "model", "score", "label", "marks")
    return table(header, cells, right={6}, width=width)


def batches_lines(batches: Sequence[Batch], now: dt.datetime, width: int) -> Iterator[str]:
    """A list of batches, one a line."""
    cells = [
        (
            batch.batch_id,
            batch.status,
            batch.title,
            batch.strategy,
            batch.models.title,
            f"{batch.done}/{batch.total}",
            str(batch.failed),
            duration(batch.seconds(now)),
            _dollars(batch.cost),
        )
        for batch in batches
    ]
    header = ("batch", "status", "what", "strategy", "model", "done", "failed", "time", "cost")
    return table(header, cells, right={5, 6, 7, 8}, width=width)


def batch_progress(batch: Batch, now: dt.datetime) -> str:
    """How far a batch is, on one line."""
    left = batch.eta_s(now)
    parts = [
        f"{batch.done + batch.failed} of {batch.total}",
        f"{batch.failed} failed" if batch.failed else "",
        f"{batch.running} running",
        f"about {duration(left)} left" if left is not None else "",
        _dollars(batch.cost) if batch.cost != 0 else "",
    ]
    return " · ".join(filter(None, parts))


def batch_lines(batch: Batch, failed: Sequence[BatchItem], now: dt.datetime) -> Iterator[str]:
    """What became of a batch, and the reason of each failure shown."""
    title = f"{batch.title} · strategy {batch.strategy} · {model_title(batch.models)}"
    yield one_line(f"{batch.batch_id} · {title}")
    seconds = batch.seconds(now)
    pace = f"{batch.settled / seconds:.1f} runs a second" if batch.settled and seconds else ""
    counts = f"{batch.status}: {batch.done} of {batch.total} done, {batch.failed} failed, {batch.open} open"
    yield " · ".join(filter(None, (counts, duration(seconds), pace, _dollars(batch.cost))))
    if batch.error:
        yield one_line(f"  stopped because {batch.error}")
    for item in failed:
        yield one_line(f"  failed: {item.subject_title}, {item.as_of}: {item.error}")
    if batch.failed > len(failed) > 0:
        yield f"  and {batch.failed - len(failed)} more: workbench batch show {batch.batch_id} --failed"


def spend_lines(spends: Sequence[Spend], by: str, width: int) -> Iterator[str]:
    """What was paid, one day, model, agent, run or batch a line."""
    cells = [
        (
            one.key,
            one.title,
            str(one.calls),
            str(one.failed),
            str(one.cached),
            _number(one.input_tokens, 0),
            _number(one.output_tokens, 0),
            _paid(one),
        )
        for one in spends
    ]
    header = (by, "what", "calls", "failed", "cached", "tokens in", "tokens out", "cost")
    return table(header, cells, right={2, 3, 4, 5, 6, 7}, width=width)


def _paid(one: Spend) -> str:
    if one.unpriced:
        return f"at least {_dollars(one.cost)}" if one.cost else _dollars(None)
    return _dollars(one.cost or 0.0)


def items_lines(items: Sequence[BatchItem], rows: Mapping[str, RunRow], width: int) -> Iterator[str]:
    """The items of a batch, one a line, with the runs that belong to them by id."""
    cells = []
    for item in items:
        row = rows.get(item.run_id or "")
        cells.append(
            (
                item.subject_title,
                item.as_of.isoformat(),
                item.state,
                _number(row and row.score, 1),
                (row and row.label) or MISSING,
                item.run_id or MISSING,
                item.error,
            )
        )
    header = ("subject", "as of", "state", "score", "label", "run", "why")
    return table(header, cells, right={3}, width=width)


def comparison_lines(comparison: Comparison, *, every_row: bool, width: int) -> Iterator[str]:
    """Runs side by side, section by section; equal rows are folded away unless ``every_row``."""
    for weakness in comparison.weakened_by:
        yield f"careful: {one_line(str(weakness))}"
    header = ("", *(f"[{number}]" for number in range(1, len(comparison.runs) + 1)))
    for number, run in enumerate(comparison.runs, start=1):
        role = " (reference)" if number == 1 else ""
        yield one_line(f"[{number}] {run.run_id} {run.subject.title} {run.as_of} {run.models.title}{role}")
    for section in SECTIONS:
        if rows := comparison.section(section, differing=not every_row):
            yield ""
            yield section
            lines = [(_row_title(comparison, row), *map(_cell, row.cells)) for row in rows]
            yield from table(header, lines, width=width)
    if folded := sum(row.same for row in comparison.rows if not every_row):
        yield ""
        yield f"{folded} equal rows are not shown (--all)."
    for run_id, diff in comparison.strategy_diffs.items():
        yield ""
        yield f"strategy of {run_id} against the reference"
        yield plain(diff)


def _row_title(comparison: Comparison, row: Row) -> str:
    return f"{comparison.titles[row.agent]}: {row.name}" if row.agent else row.name


def _cell(cell: Cell) -> str:
    change = f" ({cell.change:+.4g})" if cell.change else ""
    return f"{_value(cell.value)}{change}"


def table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = (), width: int
) -> Iterator[str]:
    """Lines of a table, its last column cut where the terminal ends.

    Args:
        header: Names of the columns.
        rows: Cells, as many as columns.
        right: Positions of the columns set flush right.
        width: Columns of the terminal.
    """
    lines = [tuple(header), *(tuple(one_line(cell) for cell in row) for row in rows)]
    widths = [max(columns(line[position]) for line in lines) for position in range(len(header))]
    flush = set(right)
    for line in lines:
        cells = [
            (" " * (size - columns(cell)) + cell)
            if position in flush
            else cell + " " * (size - columns(cell))
            for position, (cell, size) in enumerate(zip(line, widths, strict=True))
        ]
        yield cut("  ".join(cells).rstrip(), width)


def columns(text: str) -> int:
    """Terminal columns a text takes: two for a wide character, none for a combining one."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def cut(text: str, width: int) -> str:
    """A text no wider than ``width`` columns, ending in ``…`` where something was left out."""
    if columns(text) <= width:
        return text
    kept = ""
    for c in text:
        if columns(kept + c) > width - 1:
            break
        kept += c
    return f"{kept}…"


def duration(seconds: float) -> str:
    """``0.42`` -> ``0.4 s``, ``75`` -> ``1 min 15 s``, ``7500`` -> ``2 h 5 min``."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _dollars(cost: float | None) -> str:
    return "cost unknown" if cost is None else f"${cost:,.4f}"


def _score(opinion: Opinion | None, scale: Scale) -> str:
    return MISSING if opinion is None else _number(opinion.score, scale.digits)


def _moved(report: Report) -> str:
    if not report.change:
        return MISSING if report.change is None else "0"
    return f"{report.change:+.{report.scale.digits}f}"


def _confidence(draft: Opinion | None, revised: Opinion | None) -> str:
    values = [_number(o.confidence, 2) for o in (draft, revised) if o]
    return " -> ".join(dict.fromkeys(values)) or MISSING


def _number(value: object, digits: int) -> str:
    return f"{value:,.{digits}f}" if isinstance(value, (int, float)) else MISSING


def _value(value: float | str | None) -> str:
    if value is None:
        return MISSING
    return f"{value:,.6g}" if isinstance(value, (int, float)) else value
