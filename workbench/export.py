"""A run as a file: CSV for a spreadsheet, JSON for a program, one self-contained HTML page for a reader.

Everything a model, a feed or a user wrote is data here: it is escaped in HTML, and in CSV a text that a
spreadsheet would take for a formula is made a plain text. The page loads nothing and runs nothing.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Literal, get_args

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from workbench.records import BASELINE, Opinion, Report, Run, Scale
from workbench.store.rows import RunRow
from workbench.strategy.schema import LABEL_ZH

Format = Literal["csv", "json", "html"]
FORMATS: tuple[Format, ...] = get_args(Format)

_FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")

_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "as_of": "as of",
        "strategy": "strategy",
        "model": "model",
        "baseline": "built-in rules, not a model",
        "identity": "blind: names and years hidden",
        "full": "blind: names and years hidden, amounts rescaled",
        "verdict": "Verdict: ",
        "no_verdict": "No verdict",
        "confidence": "confidence",
        "counted": "{} of {} agents counted",
        "warnings": "Warnings",
        "rules": "Rules applied",
        "opinions": "Draft and revised",
        "agent": "Agent",
        "draft": "Draft",
        "revised": "Revised",
        "change": "Change",
        "evidence": "Evidence",
        "status": "Status",
        "why": "Why it changed",
        "fields": "The answer",
        "key_evidence": "Key evidence",
        "missing": "Missing: ",
        "sources": "Sources: ",
        "prompt": "Prompt",
        "reply": "Raw answer",
        "receipt": "Look-ahead receipt",
        "newest": "newest evidence",
        "withheld": "rows withheld",
        "undated": "undated rows dropped",
        "run": "run",
        "strategy_text": "Strategy file",
        "ok": "counted",
        "no_data": "no data",
        "error": "failed",
        "parse_error": "unreadable answer",
        "unscored": "no judgement",
        "high": "high",
        "medium": "medium",
        "low": "low",
        "none": "none",
    },
    "zh": {
        "as_of": "截至",
        "strategy": "策略",
        "model": "模型",
        "baseline": "内置规则，非模型",
        "identity": "盲测：隐去名称与年份",
        "full": "盲测：隐去名称与年份，金额经缩放",
        "verdict": "结论：",
        "no_verdict": "无结论",
        "confidence": "信心",
        "counted": "{1} 位中计入 {0} 位",
        "warnings": "提醒",
        "rules": "规则调整",
        "opinions": "草稿与修订",
        "agent": "角色",
        "draft": "草稿",
        "revised": "修订",
        "change": "变化",
        "evidence": "证据",
        "status": "状态",
        "why": "修订原因",
        "fields": "回答字段",
        "key_evidence": "关键依据",
        "missing": "缺失：",
        "sources": "来源：",
        "prompt": "提示词",
        "reply": "原始回答",
        "receipt": "防前视回执",
        "newest": "最新证据",
        "withheld": "条被屏蔽",
        "undated": "条无日期被剔除",
        "run": "运行",
        "strategy_text": "策略文件",
        "ok": "计入",
        "no_data": "无数据",
        "error": "失败",
        "parse_error": "回答无法解读",
        "unscored": "未作判断",
        "high": "充分",
        "medium": "一般",
        "low": "不足",
        "none": "无",
    },
}


def export(run: Run, form: Format) -> bytes:
    """A run as the content of a file.

    Args:
        run: The run, finished or not.
        form: ``csv`` has one line an agent and begins with a byte order mark, without which spreadsheets
            garble Chinese; ``json`` is the whole record; ``html`` is a page in the language of the run.
    """
    return _EXPORTS[form](run)


def file_name(run: Run, form: Format) -> str:
    """A file name that is safe everywhere: the id of the run, which holds digits, letters and ``-``."""
    return f"{run.run_id}.{form}"


def plain_cell(value: object) -> object:
    """A value for CSV that no spreadsheet takes for a formula.

    Source:
        OWASP, CSV Injection: a text beginning with = + - @, also after blanks or in full width.
    """
    if isinstance(value, str) and value.lstrip().startswith(_FORMULA_STARTS):
        return f"'{value}"
    return value


def to_csv(header: Sequence[str], lines: Iterable[Sequence[object]]) -> bytes:
    """A table as CSV (RFC 4180) with a byte order mark."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([plain_cell(value) for value in line] for line in lines)
    return text.getvalue().encode("utf-8-sig")


def rows_csv(rows: Sequence[Mapping[str, object]]) -> bytes:
    """At least one row as CSV; all have the keys of the first, which are the header."""
    return to_csv(list(rows[0]), [list(row.values()) for row in rows])


def runs_csv(rows: Sequence[RunRow]) -> bytes:
    """A list of at least one run as CSV, with the columns of ``workbench runs --json``."""
    return rows_csv([{**row.to_json(), "tags": " ".join(row.tags)} for row in rows])


_CSV_HEADER = (
    "run_id",
    "pipeline",
    "subject",
    "as_of",
    "strategy",
    "model",
    "blind",
    "run_status",
    "verdict_score",
    "verdict_label",
    "agent",
    "title",
    "status",
    "sufficiency",
    "draft_score",
    "revised_score",
    "draft_confidence",
    "revised_confidence",
    "why_changed",
    "analysis",
    "error",
)


def _csv(run: Run) -> bytes:
    verdict = run.verdict
    whole = (
        run.run_id,
        run.pipeline,
        run.subject.title,
        run.as_of.isoformat(),
        run.strategy,
        run.models.title,
        run.blind,
        run.status,
        verdict.score if verdict else None,
        verdict.label if verdict else None,
    )
    lines = [(*whole, *_csv_report(report)) for report in run.reports]
    # A run that ended before any agent reported must not look as if there were nothing to say.
    return to_csv(_CSV_HEADER, lines or [(*whole, *[None] * (len(_CSV_HEADER) - len(whole) - 1), run.error)])


def _csv_report(report: Report) -> tuple[object, ...]:
    draft, revised, final = report.draft, report.revised, report.final
    return (
        report.agent,
        report.title,
        report.status,
        report.evidence.sufficiency,
        draft.score if draft else None,
        revised.score if revised else None,
        draft.confidence if draft else None,
        revised.confidence if revised else None,
        revised.why_changed if revised else None,
        final.analysis if final else None,
        report.error,
    )


def _json(run: Run) -> bytes:
    return run.model_dump_json(indent=2).encode()


def _html(run: Run) -> bytes:
    words = _WORDS[run.language]
    label = run.verdict.label if run.verdict else None
    page = _template().render(
        run=run,
        words=words,
        label=LABEL_ZH.get(label, label) if run.language == "zh" else label,  # type: ignore[call-overload]
        model=f"{BASELINE} ({words['baseline']})" if run.models.baseline_only else run.models.title,
        score=_score,
        change=_change,
        position=_position,
        flat=_flat,
    )
    return page.encode("utf-8", "replace")


_EXPORTS: Mapping[Format, Callable[[Run], bytes]] = {"csv": _csv, "json": _json, "html": _html}


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("workbench"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template("report.html")


def _score(opinion: Opinion | None, scale: Scale) -> str:
    if opinion is None or opinion.score is None:
        return "–"
    return f"{opinion.score:.{scale.digits}f}"


def _change(report: Report) -> str:
    if not report.change:
        return "–" if report.change is None else "0"
    return f"{report.change:+.{report.scale.digits}f}"


def _position(opinion: Opinion | None, scale: Scale) -> float | None:
    """Where a score lies on its scale, in percent of its length."""
    if opinion is None or opinion.score is None:
        return None
    return 100 * (opinion.score - scale.low) / (scale.high - scale.low)


def _flat(value: object) -> str:
    """A field of an answer as one text."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_flat(part)}" for name, part in value.items())
    if isinstance(value, (list, tuple)):
        return "; ".join(_flat(part) for part in value)
    return "–" if value is None else str(value)
