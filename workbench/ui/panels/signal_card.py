"""A signal as a card of the feed, and the small marks it is made of."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st

from workbench.errors import InputError
from workbench.evidence.database import EvidenceDB
from workbench.evidence.news import get_item
from workbench.records import NewsSubject, Run
from workbench.rules.signal_words import event_name
from workbench.rules.signals import SignalVerdict, TickerImpact
from workbench.ui import text
from workbench.ui.language import language, t, term
from workbench.ui.navigation import link
from workbench.ui.palette import impact_colour
from workbench.ui.panels.verdict import label_badge
from workbench.ui.signal_reading import Reading

BAR = 10
"""Characters of a whole bar."""

SHOWN_TICKERS = 6
SHOWN_BODY = 1200
"""Characters of an item's body that a card shows; the run shows the whole of it."""

DIRECTION_SIGNS = {"positive": "↑", "negative": "↓", "mixed": "↕"}


def signal_card(run: Run, reading: Reading, evidence: EvidenceDB, watched: Collection[str]) -> None:
    """Draw the card of one signal.

    Args:
        run: The run it comes from.
        reading: The signal as the reader wants it added up.
        evidence: Where the text of the item is.
        watched: Tickers of the watchlist; they are marked.
    """
    signal = reading.signal
    with st.container(border=True, height="stretch", gap="xsmall"):
        st.markdown(" ".join([label_badge(signal.urgency), *_pills(run, reading)]))
        st.markdown(f"**{text.escape(run.subject.title)}**")
        with st.container(horizontal=True, gap="small"):
            st.markdown(f"{t('signals.impact')} {impact_bar(signal.impact_score)}", width="content")
            confidence = _bar(signal.confidence_score, ":gray[{}]")
            st.markdown(f"{t('signals.confidence')} {confidence}", width="content")
        if signal.tickers:
            st.markdown(" ".join(ticker_badge(ticker, watched) for ticker in signal.tickers[:SHOWN_TICKERS]))
        if reading.explanation:
            st.caption(text.escape(reading.explanation.impact))
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            with st.popover(t("signals.details"), key=f"signals.details.{run.run_id}", type="tertiary"):
                _details(run, reading, evidence)
            link("run", t("signals.open"), run=run.run_id)


def impact_bar(impact: float | None) -> str:
    """An impact as Markdown: a bar in the colour of its range, and the figure."""
    colour = impact_colour(impact or 0.0, st.context.theme.type or "light")
    return _bar(impact, f':color[{{}}]{{{{foreground="{colour}"}}}}')


def _bar(share: float | None, drawn: str) -> str:
    if share is None:
        return text.MISSING
    full = round(share * BAR)
    bar = drawn.format("━" * full) if full else ""
    rest = f":gray[{'┄' * (BAR - full)}]" if full < BAR else ""
    return f"{bar}{rest} **{text.number(share, 2)}**"


def ticker_badge(ticker: TickerImpact, watched: Collection[str] = ()) -> str:
    """``AAPL · direct 0.75`` as a badge; ★ when it is watched."""
    star = "★ " if ticker.ticker in watched else ""
    words = (
        f"{star}{ticker.ticker} · {term('link_type', ticker.link_type)} {text.number(ticker.impact_score, 2)}"
    )
    return f":{'blue' if star else 'gray'}-badge[{text.escape(words)}]"


def event_pill(event: str | None) -> str:
    """An event type as a quiet pill."""
    return f":gray-badge[{text.escape(event_name(event, language()))}]" if event else ""


def direction_words(signal: SignalVerdict) -> str:
    """``↓ negative``; empty where nobody says."""
    if signal.direction is None:
        return ""
    return f"{DIRECTION_SIGNS[signal.direction]} {term('direction', signal.direction)}"


def _pills(run: Run, reading: Reading) -> list[str]:
    signal, subject = reading.signal, run.subject
    source = subject.source if isinstance(subject, NewsSubject) else ""
    facts = [direction_words(signal), text.day(run.as_of), text.escape(source)]
    if signal.degraded:
        facts.append(f"**{t('signals.degraded')}**")
    if reading.recast and run.verdict and run.verdict.label != signal.urgency:
        facts.append(t("signals.was", urgency=term("label", run.verdict.label)))
    return [event_pill(signal.event_type), f":small[:gray[{' · '.join(filter(None, facts))}]]"]


def _details(run: Run, reading: Reading, evidence: EvidenceDB) -> None:
    explanation = reading.explanation
    if explanation:
        lines = [
            explanation.impact,
            explanation.confidence,
            explanation.urgency,
            *explanation.tickers.values(),
        ]
        st.markdown("\n".join(f"- {text.escape(line)}" for line in lines))
    try:
        item = get_item(evidence, run.subject.key)
    except InputError:
        st.caption(t("signals.item_gone"))
        return
    if item.body:
        st.text(item.body[:SHOWN_BODY] + ("…" if len(item.body) > SHOWN_BODY else ""))
    if item.url:
        st.code(item.url, language=None, wrap_lines=True)
