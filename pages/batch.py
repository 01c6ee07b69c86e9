"""Many runs at once: start a batch, or with ``?batch=ID`` follow one and see what became of it."""

import streamlit as st

from workbench import crews
from workbench.errors import WorkbenchError
from workbench.ui import text
from workbench.ui.language import t, term
from workbench.ui.navigation import link, open_page
from workbench.ui.panels import batch_view
from workbench.ui.panels.batch_form import batch_form
from workbench.ui.panels.batches_table import batches_table
from workbench.ui.panels.heading import heading
from workbench.ui.panels.states import show_error
from workbench.ui.session import open_workspace

workspace = open_workspace()
store = workspace.store.batches
asked = st.query_params.get("batch", "").strip()
try:
    batch = store.load(store.resolve(asked)) if asked else None
except WorkbenchError as error:
    show_error(error)
    batch = None

if batch is None:
    heading(t("batch.title"), t("batch.lead"))
    if order := batch_form(workspace, st.query_params.to_dict()):
        open_page("batch", batch=workspace.batches.start(order, crews.here(workspace)))
    if earlier := store.find(limit=25):
        st.subheader(t("batch.list"), anchor=False)
        batches_table(earlier)
    st.stop()

heading(
    batch.title,
    t("run.strategy", strategy=text.escape(batch.strategy)),
    text.escape(text.models_title(batch.models)),
    text.moment(batch.created),
    f"**{term('batch_status', batch.status)}**",
)
if batch.status == "running":
    batch_view.progress(workspace, batch)
    st.stop()
batch_view.new_budget(batch)
batch_view.ending(workspace, batch)
batch_view.failures(workspace, batch)
batch_view.results(workspace, batch)
link("batch", t("batch.all"))
