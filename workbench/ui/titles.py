"""What subjects are called in the reader's language, whatever the language they were judged in."""

from __future__ import annotations

from workbench.records import Run
from workbench.store.batch_records import BatchItem
from workbench.store.rows import RunRow
from workbench.ui.language import language
from workbench.ui.session import open_workspace


def subject_title(judged: Run | RunRow | BatchItem) -> str:
    """A company by its name in the reader's language where it is on record, else what was stored."""
    if isinstance(judged, RunRow):
        key, stored = judged.subject_key, judged.subject_title
    else:
        key, stored = judged.subject.key, judged.subject.title
    company = open_workspace().evidence.instruments.get(key)
    return company.subject(language()).title if company else stored
