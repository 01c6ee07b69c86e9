"""A table of written figures: as wide as it must be, and scrolled on its own where the screen is narrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from workbench.export import to_csv
from workbench.ui import text
from workbench.ui.panels.download import download_csv


def columns_table(columns: Mapping[str, Sequence[str]], alt: str, name: str) -> None:
    """Draw columns of plain text, the first of which stays in sight, and offer them as a file.

    Args:
        columns: Heading -> cells, all columns of one length.
        alt: What the table shows.
        name: Of the file.
    """
    first = next(iter(columns))
    st.dataframe(
        pd.DataFrame(columns),
        hide_index=True,
        height="content",
        placeholder=text.MISSING,
        alt=alt,
        column_config={first: st.column_config.TextColumn(first, pinned=True)},
    )
    download_csv(name, lambda: to_csv(list(columns), zip(*columns.values(), strict=True)))
