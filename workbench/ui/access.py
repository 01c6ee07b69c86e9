"""Who is at the page: anybody on one's own machine, else a person who has logged in, as viewer or editor."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from workbench.errors import InputError
from workbench.login import is_loopback, login_of
from workbench.ui.language import t
from workbench.ui.session import open_workspace


def admit() -> None:
    """Let the script go on, or show the way to log in and end it.

    Raises:
        InputError: The server can be reached from elsewhere, but nobody said how to log in.
    """
    if not _login_asked_for() or _logged_in():
        return
    with st.container(horizontal_alignment="center", gap="small"):
        st.title(t("app.name"), anchor=False, width="content")
        st.button(t("access.log_in"), type="primary", key="access.log_in", on_click=st.login)
    st.stop()


def who() -> None:
    """On a server with a login, who is logged in, as what, and the way out."""
    if _logged_in():
        with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center"):
            role = t("access.editor") if may_edit() else t("access.viewer")
            st.text(f"{st.user.to_dict().get('email', '')} · {role}", width="content")
            st.button(t("access.log_out"), type="tertiary", key="access.log_out", on_click=st.logout)


def may_edit() -> bool:
    """Whether whoever the current thread works for may change things.

    A thread that works for nobody's page (a run, a delivery) carries out what an editor has begun.
    """
    if get_script_run_ctx(suppress_warning=True) is None or not _login_asked_for():
        return True
    user = st.user.to_dict()
    email = user.get("email")
    return (
        _logged_in()
        and isinstance(email, str)
        and user.get("email_verified") is not False
        and open_workspace().settings.is_editor(email)
    )


def _login_asked_for() -> bool:
    login = login_of(open_workspace().root)
    if login is None and not is_loopback(str(st.get_option("server.address") or "")):
        raise InputError(
            "this server can be reached from elsewhere, but has no login.",
            remedy="Add [auth] to .streamlit/secrets.toml of the workspace, or serve 127.0.0.1.",
        )
    return login is not None


def _logged_in() -> bool:
    return bool(st.user.to_dict().get("is_logged_in"))
