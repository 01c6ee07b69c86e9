"""The web server: ``python -m workbench.server OPTIONS``, as ``workbench app`` starts it.

OPTIONS is a JSON object of Streamlit's settings; those not named are in ``.streamlit/config.toml`` beside it.
What happens here happens once, before the first page is asked.

Importing this module imports what the first page needs, so that whoever opens it does not wait for it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cached_property
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from workbench.errors import WorkbenchError
from workbench.permission import lay_down
from workbench.ui import access, session
from workbench.ui.panels import heading, installed, runs_table, start  # noqa: F401 - the first page
from workbench.ui.panels.states import show_unexpected


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Load the facts before anybody asks for them; stop what is running when the server stops."""
    with suppress(WorkbenchError):  # the page says what is wrong, in the reader's language
        workspace = session.open_workspace()
        _ = workspace.evidence
        workspace.courier.start()
    lay_down(access.may_edit)
    yield
    session.close_workspaces()


class KnownNames:
    """Refuses requests under a name that is not ours; Streamlit itself looks at those of WebSockets alone."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    @cached_property
    def _guarded(self) -> TrustedHostMiddleware:  # made late, when the settings have been read
        return TrustedHostMiddleware(self._app, st.get_option("server.allowedHosts"), www_redirect=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._guarded(scope, receive, send)


app = st.App(
    Path(__file__).with_name("app.py"),
    lifespan=lifespan,
    middleware=[Middleware(KnownNames)],
    on_script_error=show_unexpected,
)

if __name__ == "__main__":
    with suppress(KeyboardInterrupt):  # Ctrl-C is how it is meant to end
        app.run(config=json.loads(sys.argv[1]))
