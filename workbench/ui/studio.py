"""The strategy that is open in the studio: its draft, its findings, and where on the page the reader is."""

from __future__ import annotations

from functools import cached_property
from typing import Literal, get_args

import streamlit as st

from workbench.drafts import Draft, parsed, remember
from workbench.errors import StrategyError
from workbench.strategy.document import Document
from workbench.strategy.findings import Finding, KeyPath
from workbench.ui.editing import Editor, Unfit
from workbench.workspace import Workspace

Kind = Literal["chapters", "match", "news"]
Part = Literal["about", "chapters", "steps", "rubric", "fields", "rules", "specialists", "policy", "text"]
View = Literal["checks", "prompts", "changes", "try", "history"]
VIEWS: tuple[View, ...] = get_args(View)

PARTS: dict[str, tuple[Part, ...]] = {
    "chapters": ("about", "chapters", "steps", "rubric", "fields", "rules", "text"),
    "match": ("about", "specialists", "text"),
    "news": ("about", "rubric", "specialists", "policy", "text"),
}
"""Parts of a strategy of each kind, in the order an analyst thinks about them."""

CHAPTERS: KeyPath = ("framework", "chapters")
SYNTHESIS: KeyPath = ("framework", "synthesis")
STEPS: KeyPath = (*SYNTHESIS, "thinking_steps")
THRESHOLDS: KeyPath = (*SYNTHESIS, "decision_thresholds")
FIELDS: KeyPath = (*SYNTHESIS, "synthesis_fields")
RULES: KeyPath = ("hard_rules",)
SPECIALISTS: KeyPath = ("specialists",)

ITEMS: dict[Part, tuple[KeyPath, str]] = {
    "chapters": (CHAPTERS, "title"),
    "steps": (STEPS, "step"),
    "rules": (RULES, "name"),
    "specialists": (SPECIALISTS, "title"),
}
"""Where the parts that are edited item by item have their list, and which key of an item is its title."""


class Studio(Editor):
    """A strategy open for editing.

    Args:
        workspace: Where it lives.
        name: Its file without the ending.

    Raises:
        StrategyError: There is no such strategy, or its file is not text.
    """

    def __init__(self, workspace: Workspace, name: str) -> None:
        super().__init__("strategy", name)
        self.workspace = workspace
        self.drafts = workspace.drafts
        self.draft: Draft = self.drafts.open(name)

    # -- the draft -------------------------------------------------------------------------------------

    def current(self) -> str:
        return self.draft.text

    def read(self, text: str) -> Document:
        return parsed(text, self.draft.where)

    def written(self, text: str, document: Document) -> str:
        remember(document)
        return document.data.decode()

    def edit(self, change: object) -> None:
        self.draft = self.drafts.open(self.name)  # another tab may have written meanwhile
        super().edit(change)  # type: ignore[arg-type]

    def keep(self, text: str) -> None:
        self.draft = self.drafts.keep(self.drafts.open(self.name), text)

    @cached_property
    def findings(self) -> list[Finding]:
        return self.drafts.findings(self.draft)

    @property
    def kind(self) -> str | None:
        """Kind of the strategy; None while the text does not say."""
        kind = self.at(("kind",))
        return kind if kind in PARTS else None

    @property
    def errors(self) -> int:
        return sum(finding.severity == "error" for finding in self.findings)

    def save(self, author: str, note: str) -> bool:
        """Save the draft; whether that worked. What went wrong is said."""
        try:
            self.drafts.save(self.draft, author=author, note=note)
        except StrategyError as error:
            self.say(error)
            return False
        self.undos.clear()
        self.redos.clear()
        return True

    def discard(self) -> None:
        """Go back to the saved text; undo brings the draft back."""
        self.put(self.draft.base)

    # -- where the reader is ---------------------------------------------------------------------------

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts that can be edited."""
        return PARTS[self.kind] if self.kind else ("text",)

    @property
    def part(self) -> Part:
        asked = st.query_params.get("part")
        return next((part for part in self.parts if part == asked), self._first_part())

    def _first_part(self) -> Part:
        return "steps" if "steps" in self.parts else self.parts[-1] if len(self.parts) == 1 else "specialists"

    @property
    def view(self) -> View:
        asked = st.query_params.get("view")
        return next((view for view in VIEWS if view == asked), "checks")

    @property
    def item(self) -> int:
        """Position of the chosen item of the part, within the list; 0 for a part that has none."""
        count = len(self.titles(self.part))
        asked = st.query_params.get("item", "")
        return min(int(asked), max(count - 1, 0)) if asked.isdecimal() and len(asked) < 6 else 0

    def titles(self, part: Part) -> list[str]:
        """Titles of the items of a part; empty for a part that is edited as a whole."""
        if part not in ITEMS:
            return []
        path, key = ITEMS[part]
        try:
            return [str(entry.get(key) or entry.get("id") or "") for entry in self.entries(path)]
        except Unfit:
            return []

    def go(self, *, part: Part | None = None, item: int | None = None, view: View | None = None) -> None:
        """Move the reader, in the address."""
        if part is not None:
            st.query_params["part"] = part
            st.query_params.pop("item", None)
        if item is not None:
            st.query_params["item"] = str(item)
        if view is not None:
            st.query_params["view"] = view

    def part_of(self, path: KeyPath) -> Part:
        """The part in which the value at ``path`` is edited."""
        for part, (prefix, _) in ITEMS.items():
            if path[: len(prefix)] == prefix and part in self.parts:
                return part
        match path:
            case ("framework", "synthesis", "synthesis_fields", *_):
                return "fields"
            case ("framework", "synthesis", "token_budget"):
                return "about"
            case ("framework", "synthesis", *_) | ("anchors" | "against_caution", *_):
                return "rubric"
            case ("policy", *_):
                return "policy"
            case (
                "name"
                | "title"
                | "description"
                | "language"
                | "revise"
                | "prompt_version"
                | "sampling"
                | "blind"
                | "models"
                | "mode"
                | "recent"
                | "meetings",
                *_,
            ):
                return "about"
            case _:
                return "text"
