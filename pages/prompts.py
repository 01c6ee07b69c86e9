"""Every prompt in its versions. ``?prompt=NAME`` opens one; an edit is always a new version."""

from workbench.ui.language import t
from workbench.ui.panels.heading import heading
from workbench.ui.panels.prompt_versions import choose_prompt, next_version, status, versions
from workbench.ui.session import open_workspace

workspace = open_workspace()
heading(t("prompts.heading"), t("prompts.lead"))
status(workspace.prompts)
if name := choose_prompt(workspace.prompts):
    next_version(workspace, name)
    versions(workspace, name)
