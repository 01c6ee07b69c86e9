"""What the environment says: which models, which limits, which folder.

Values come from environment variables, or from a ``.env`` file in the workspace, which never overrides a
variable that is already set. API keys are not settings: the model library reads them from the environment
itself, and nothing here holds, prints or stores them. Addresses that messages are sent to hold tokens too,
and are kept as a secret that does not print.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from dotenv import load_dotenv
from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from workbench.errors import InputError
from workbench.records import Models


class Settings(BaseSettings):
    """Settings of one process.

    Attributes:
        home: ``WORKBENCH_HOME``, the workspace folder.
        llm_model: ``LLM_MODEL``, a litellm model string or ``baseline``; None where it is not set.
        llm_specialist_model: ``LLM_SPECIALIST_MODEL``; None falls back to ``llm_model``.
        llm_aggregator_model: ``LLM_AGGREGATOR_MODEL``; None falls back to ``llm_model``.
        api_base: ``LLM_API_BASE``, the address of a local or private model server.
        call_timeout_s: ``WORKBENCH_CALL_TIMEOUT_S``, seconds one call may take.
        agent_deadline_s: ``WORKBENCH_AGENT_DEADLINE_S``, seconds one agent may take with all its calls.
        concurrency: ``WORKBENCH_CONCURRENCY``, calls in flight at once to one provider.
        requests_per_minute: ``WORKBENCH_REQUESTS_PER_MINUTE``, calls begun in a minute with one provider;
            None for no limit.
        language: ``WORKBENCH_LANGUAGE``, language of the interface; None asks the browser.
        notify: ``WORKBENCH_NOTIFY``, apprise addresses that loud signals are pushed to, parted by spaces.
        editors: ``WORKBENCH_EDITORS``, e-mail addresses of those who may change things on a server with a
            login, parted by spaces; everybody else there may only read.
        notify_days: ``WORKBENCH_NOTIFY_DAYS``, days after which news is too old to be pushed.
    """

    # The prefix keeps HOME and LANGUAGE of the shell from being taken for ours.
    model_config = SettingsConfigDict(
        env_prefix="WORKBENCH_",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        str_strip_whitespace=True,
        allow_inf_nan=False,
    )

    home: Path | None = None
    llm_model: str | None = Field(default=None, validation_alias="LLM_MODEL")
    llm_specialist_model: str | None = Field(default=None, validation_alias="LLM_SPECIALIST_MODEL")
    llm_aggregator_model: str | None = Field(default=None, validation_alias="LLM_AGGREGATOR_MODEL")
    api_base: str | None = Field(default=None, validation_alias="LLM_API_BASE")
    call_timeout_s: float = Field(default=120, gt=0)
    agent_deadline_s: float = Field(default=600, gt=0)
    concurrency: int = Field(default=8, ge=1, le=512)
    requests_per_minute: int | None = Field(default=None, ge=1)
    language: Literal["zh", "en"] | None = None
    notify: SecretStr | None = None
    editors: str = ""
    notify_days: int = Field(default=3, ge=0)

    def is_editor(self, email: str) -> bool:
        """Whether a person who has logged in under this address may change things."""
        return email.casefold() in self.editors.casefold().split()

    def models(self, otherwise: Models) -> Models:
        """The model of each tier; ``otherwise`` where the environment names none."""
        return Models(
            specialist=self.llm_specialist_model or self.llm_model or otherwise.specialist,
            aggregator=self.llm_aggregator_model or self.llm_model or otherwise.aggregator,
        )


def load_settings(workspace: Path | None = None) -> Settings:
    """Read the settings from the environment and from the ``.env`` file of a workspace.

    The file is read into the environment of this process, because that is where the model library looks
    for its keys.

    Args:
        workspace: Folder which may hold a ``.env`` file.

    Raises:
        InputError: A variable has a value that cannot be used.
    """
    if workspace is not None:
        load_dotenv(workspace / ".env", override=False)
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        variable = name if name.isupper() else f"WORKBENCH_{name.upper()}"
        raise InputError(
            f"{first['msg']}.", where=variable, remedy=f"Change or unset {variable} and start again."
        ) from None
