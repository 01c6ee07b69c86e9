"""Rubric anchors, their thresholds, and the chart that mirrors both."""

from __future__ import annotations

import streamlit as st

from workbench.strategy.document import Document
from workbench.strategy.findings import KeyPath
from workbench.strategy.schema import LABELS, Label
from workbench.ui import text
from workbench.ui.language import t, term
from workbench.ui.palette import BLUE, COLOURS, SIGNS
from workbench.ui.panels import fields
from workbench.ui.ruler import Mark, ruler, stretches
from workbench.ui.studio import SYNTHESIS, THRESHOLDS, Studio

_URGENCIES = ("note", "alert", "flash")
_NEWS_BOUNDS = {"note": 0.40, "alert": 0.65, "flash": 0.80}


def rubric(studio: Studio) -> None:
    """The chart, the anchors a row each, and the thresholds."""
    news = studio.kind == "news"
    path: KeyPath = ("anchors",) if news else (*SYNTHESIS, "scoring_rubric")
    anchors = studio.entries(path)
    top = 1.0 if news else 100.0
    st.subheader(term("studio_part", "rubric"), anchor=False)
    chart = ruler(
        anchors, _urgencies(studio) if news else _labels(studio), top, st.context.theme.type or "light"
    )
    st.vega_lite_chart(chart, alt=t("studio.ruler_alt"), key="strategy.ruler")
    st.caption(t("studio.ruler_legend"))
    for index in range(len(anchors)):
        _anchor(studio, (*path, index), index, len(anchors), path)
    st.button(
        t("studio.add_anchor"),
        icon=":material/add:",
        key="strategy.anchors.add",
        on_click=lambda: studio.edit(lambda document: _with_anchor(document, path, top)),
    )
    if news:
        with st.container(border=True):
            fields.paragraph(studio, ("against_caution",), t("studio.against_caution"), lines=(3, 8))
    else:
        _thresholds(studio)


def _anchor(studio: Studio, at: KeyPath, index: int, count: int, path: KeyPath) -> None:
    left, middle, right = st.columns([2, 7, 2], gap="small", vertical_alignment="top")
    with left:
        fields.line(
            studio, (*at, "range"), t("studio.range"),
            label_visibility="visible" if index == 0 else "collapsed",
        )  # fmt: skip
    with middle:
        fields.paragraph(
            studio, (*at, "description"), t("studio.anchor"), lines=(3, 10),
            label_visibility="visible" if index == 0 else "collapsed",
        )  # fmt: skip
    with right:
        if index == 0:
            st.space("small")
        fields.item_bar(studio, path, index, count, key=f"strategy.anchors.{index}", least=1)
    fields.marked(studio.findings_at(at))


def _with_anchor(document: Document, path: KeyPath, top: float) -> Document:
    """One more anchor at the end: where the scale is not covered yet, or a single point to be changed."""
    rows = document.value(path)
    gap = next((piece for piece in stretches(rows, top) if piece.kind == "gap"), None)
    low, high = (gap.low, gap.high) if gap else (0.0, 0.0)
    if gap and high < top:
        high -= 1.0 if top == 100 else 0.01
    new = {"range": f"{low:g}-{high:g}", "description": t("studio.new_anchor")}
    return document.insert(path, len(rows), new)


def _thresholds(studio: Studio) -> None:
    """Where the labels begin. The upper ends, which are for readers only, follow while they fit."""
    st.markdown(f"**{t('studio.thresholds')}**")
    st.caption(t("studio.thresholds_help"))
    buy, watch, upper, avoid = st.columns(4, gap="small")
    with buy:
        fields.number(studio, (*THRESHOLDS, "buy"), t("studio.buy_from"), follower=(*THRESHOLDS, "watch", 1))
    with watch:
        fields.number(
            studio, (*THRESHOLDS, "watch", 0), t("studio.watch_from"), follower=(*THRESHOLDS, "avoid")
        )
    with upper:
        fields.number(studio, (*THRESHOLDS, "watch", 1), t("studio.watch_to"))
    with avoid:
        fields.number(studio, (*THRESHOLDS, "avoid"), t("studio.avoid_to"))
    fields.marked(studio.findings_at(THRESHOLDS))


def _labels(studio: Studio) -> list[Mark]:
    """The lower bound of each label, as far as the file says."""
    bounds: dict[Label, object] = {
        "buy": studio.at((*THRESHOLDS, "buy")),
        "watch": studio.at((*THRESHOLDS, "watch", 0)),
        "avoid": 0,
    }
    return [
        Mark(float(bound), f"{SIGNS[label]} {term('label', label)}", COLOURS[label])
        for label in LABELS
        if isinstance(bound := bounds[label], int | float) and not isinstance(bound, bool)
    ]


def _urgencies(studio: Studio) -> list[Mark]:
    bounds = {name: studio.at(("policy", "urgency", name), _NEWS_BOUNDS[name]) for name in _URGENCIES}
    return [
        Mark(float(bound), text.escape(name).upper(), BLUE)
        for name, bound in bounds.items()
        if isinstance(bound, int | float)
    ]
