"""A table of written figures: as wide as it must be, and scrolled on its own where the screen is narrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from workbench.ui import text


def columns_table(columns: Mapping[str, Sequence[str]], alt: str) -> None:
    """Draw columns of plain text; the first one stays in sight.

    Args:
        columns: Heading -> cells, all columns of one length.
        alt: What the table shows.
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
