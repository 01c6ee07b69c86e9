"""Two or more runs side by side."""

from workbench.ui.language import term
from workbench.ui.panels.heading import heading

heading(term("page", "compare"))
