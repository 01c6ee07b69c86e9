"""The matches on record: find one, see how it stood on its morning, and what was said about it."""

import streamlit as st

from workbench.ui.football_evaluation import known_matches
from workbench.ui.language import t
from workbench.ui.panels.fixture_picker import fixture_picker
from workbench.ui.panels.heading import heading
from workbench.ui.panels.match_card import match_card
from workbench.ui.panels.match_judgement import match_judgement
from workbench.ui.panels.states import errors_shown
from workbench.ui.session import open_workspace

workspace = open_workspace()
heading(t("fixtures.title"), t("fixtures.lead"))
with errors_shown():
    every = [match for match in known_matches(workspace) if not match.moved]
    if not every:
        st.caption(t("subject.no_matches"))
        st.stop()
    match = fixture_picker(every, workspace.store)
    if match is None:
        st.caption(t("fixtures.choose"))
        st.stop()
    card, judgement = st.columns(2, gap="medium")
    with card:
        match_card(workspace.evidence, match)
    with judgement:
        history = [each for each in every if each.competition == match.competition]
        match_judgement(workspace.store, match, history)
