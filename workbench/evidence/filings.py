"""The slice of a listed company's documents: filings, news and speeches filed under its code.

Their text is untrusted: it is shown between marks and never obeyed.
"""

from __future__ import annotations

from workbench.evidence.slices import slice_
from workbench.evidence.view import Document, View
from workbench.records import Evidence, TickerSubject

MAX_DOCUMENTS = 20
"""The newest ones shown; older ones are counted only."""

MAX_BODY = 600
"""Characters of a document's text shown."""


@slice_("documents")
def documents(view: View, subject: TickerSubject) -> Evidence:
    """What was published about a company, oldest first.

    Sufficiency: ten documents or more high, three medium, fewer low.
    """
    known = view.documents(code=subject.code)
    if not known:
        return Evidence(missing={"documents": f"no document about {subject.code} is on record"})
    shown = known[-MAX_DOCUMENTS:]
    facts = [
        {"published": d.published.isoformat(), "kind": d.kind, "source": d.source, "title": d.title}
        for d in shown
    ]
    return Evidence(
        facts={"documents": {"count": len(known), "items": facts}},
        text="\n".join(
            [f"文件 Documents, the newest {len(shown)} of {len(known)}", *(_line(d) for d in shown)]
        ),
        sources=tuple(dict.fromkeys(document.source for document in shown)),
        newest=shown[-1].published,
        sufficiency="high" if len(known) >= 10 else "medium" if len(known) >= 3 else "low",
    )


def _line(document: Document) -> str:
    body = " ".join((document.body or "").split())
    cut = f"{body[:MAX_BODY]}…" if len(body) > MAX_BODY else body
    return f"- {document.published} {document.kind}, {document.source}: {document.title}. {cut}".rstrip()
