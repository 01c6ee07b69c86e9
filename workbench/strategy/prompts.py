"""Prompts: versioned files that never change once released.

``prompts/agents/NAME_vN.md`` holds a YAML head (``system``, ``stage``) and a jinja2 template. A release
writes the sha256 of the file to ``prompts/versions.lock``; from then on a change to that file is refused,
because saved runs name the version they were made with. To change a prompt, write the next version. A file
that is not in the lock yet can be used and edited freely.

Templates run in jinja2's sandbox, see only the variables of ``VARIABLES``, and fail on any other; what could
make a text of any length out of a few characters is not there.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError, meta
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from workbench.errors import PromptError, StrategyError
from workbench.permission import require_editor
from workbench.records import StageName
from workbench.strategy.files import read_file, write_atomically
from workbench.strategy.findings import Finding
from workbench.strategy.frontmatter import read_front_matter
from workbench.strategy.parts import Part, Text
from workbench.strategy.tree import decode

VARIABLES = frozenset(
    {"subject", "as_of", "evidence", "missing", "task", "reports", "answer", "language", "draft"}
)
"""What a template may use; ``draft`` only in a prompt of stage ``revised``."""

_FILE = re.compile(r"([a-z][a-z0-9_]*)_(v[1-9]\d{0,5})\.md")
_AGENT = re.compile(r"[a-z][a-z0-9_]{0,63}")
_VERSION = re.compile(r"v[1-9]\d{0,5}")
_STRETCHING = frozenset(
    {"center", "expandtabs", "format", "format_map", "indent", "ljust", "rjust", "wordwrap", "zfill"}
)
"""Filters and methods of a text that make it as long as a number says."""

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")


def fenced(text: Any, tag: str) -> str:
    """Put untrusted text between ``<tag>`` and ``</tag>`` so that nothing in it can end the fence early.

    Marks of the same name inside the text lose their angle bracket; characters without a width, which could
    hide such a mark, are removed.
    """
    if not _AGENT.fullmatch(tag):
        raise PromptError(f"{tag!r} cannot name a fence.", remedy="Use small letters, digits and _.")
    visible = _INVISIBLE.sub("", str(text))
    harmless = _mark_of(tag).sub(r"&lt;\1", visible)
    return f"<{tag}>\n{harmless}\n</{tag}>"


@lru_cache(maxsize=128)
def _mark_of(tag: str) -> re.Pattern[str]:
    return re.compile(rf"[<＜](\s*[/／]?\s*{tag}(?![a-z0-9_]))", re.IGNORECASE)


def formatted(pattern: Any, *values: Any) -> str:
    """The filter ``"%.1f" | format(value)``; a width or precision has two digits at most."""
    if re.search(r"%[^%a-zA-Z]*(?:\d{3}|\*)", str(pattern)):
        raise SecurityError("a width has two digits at most")
    return str(pattern) % values


class _Sandbox(ImmutableSandboxedEnvironment):
    """jinja2's sandbox, without what lets one short expression fill the memory or run for ever."""

    intercepted_binops = frozenset({"*", "**", "%"})

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        if operator == "**" or not (isinstance(left, (int, float)) and isinstance(right, (int, float))):
            raise SecurityError(
                f"{operator} is for two numbers here" if operator != "**" else "** is not used"
            )
        return super().call_binop(context, operator, left, right)

    def wrap_str_format(self, value: Any) -> None:
        """No ``format`` of a text, not even jinja2's own safe one: it pads to any width."""

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        return attr not in _STRETCHING and super().is_safe_attribute(obj, attr, value)


def _environment() -> _Sandbox:
    environment = _Sandbox(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.globals.clear()
    for name in _STRETCHING & environment.filters.keys():
        del environment.filters[name]
    environment.filters |= {"fenced": fenced, "format": formatted}
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
    return environment


_ENVIRONMENT = _environment()


@lru_cache(maxsize=512)
def _compiled(template: str) -> Template:
    return _ENVIRONMENT.from_string(template)


class PromptHead(Part):
    """Front matter of a prompt file: the system message, and the stage it is written for."""

    system: Text
    stage: StageName


@dataclass(frozen=True)
class Prompt:
    """One version of one prompt.

    Attributes:
        agent: Name before the version, e.g. ``form`` or ``revise_chapter``.
        version: ``v1``, ``v2``, ...
        system: System message.
        template: jinja2 source of the user message.
        hash: sha256 of the whole file; part of the cache key of every call made with it.
        stage: ``draft`` or ``revised``.
    """

    agent: str
    version: str
    system: str
    template: str
    hash: str
    stage: StageName = "draft"

    def render(self, variables: Mapping[str, Any]) -> str:
        """The user message.

        Raises:
            PromptError: The template is malformed, uses a variable that is not there, or leaves the sandbox.
        """
        try:
            return _compiled(self.template).render(variables)
        except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, RecursionError) as error:
            line = getattr(error, "lineno", None)
            raise PromptError(
                f"the prompt does not render: {error}.",
                where=f"{self.agent}_{self.version}.md" + (f" (template line {line})" if line else ""),
                remedy=f"Variables: {', '.join(sorted(VARIABLES))}.",
            ) from None


@lru_cache(maxsize=512)
def read_prompt(data: bytes, agent: str, version: str) -> Prompt:
    """Read a prompt from the bytes of its file.

    Raises:
        PromptError: Unreadable, or its head is invalid; with file and line.
    """
    where = f"{agent}_{version}.md"
    try:
        front = read_front_matter(data, PromptHead, where)
    except StrategyError as error:
        raise PromptError(error.what, where=error.where, remedy=error.remedy) from None
    if not front.body.strip():
        raise PromptError("the prompt is empty.", where=where, remedy="Write the message below the head.")
    return Prompt(
        agent, version, front.head.system, front.body, hashlib.sha256(data).hexdigest(), front.head.stage
    )


class PromptLibrary:
    """The prompts of one workspace: ``FOLDER/agents/*.md`` and ``FOLDER/versions.lock``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = folder / "versions.lock"

    def names(self) -> tuple[str, ...]:
        """Every prompt name that has a file, sorted."""
        return tuple(sorted({agent for agent, _ in self._files()}))

    def versions(self, agent: str) -> tuple[str, ...]:
        """The versions of one prompt, oldest first."""
        found = [version for name, version in self._files() if name == agent]
        return tuple(sorted(found, key=lambda version: int(version[1:])))

    def get(self, agent: str, version: str) -> Prompt:
        """One version of one prompt.

        Raises:
            PromptError: Missing, invalid, or changed after its release.
        """
        if not _AGENT.fullmatch(agent) or not _VERSION.fullmatch(version):
            raise PromptError(
                f"{agent!r} {version!r} does not name a prompt.",
                remedy="A prompt is a name and a version, e.g. form v1.",
            )
        path = self._path(agent, version)
        if not path.is_file():
            known = ", ".join(self.versions(agent))
            remedy = f"Versions of {agent}: {known}." if known else f"Write it at {path}."
            raise PromptError(f"there is no prompt {agent} {version}.", where=path.name, remedy=remedy)
        data = self._read(path)
        released = self.released().get(f"agents/{path.name}")
        if released is not None and released != hashlib.sha256(data).hexdigest():
            raise PromptError(
                "the prompt was changed after its release, so saved runs no longer say what was asked.",
                where=path.name,
                remedy=f"Restore it, and save the change as {agent}_{self._next(agent)}.md.",
            )
        return read_prompt(data, agent, version)

    def text(self, agent: str, version: str) -> str:
        """The whole file of one version, to be edited into the next.

        Raises:
            PromptError: Missing, invalid, or changed after its release.
        """
        self.get(agent, version)
        return decode(self._read(self._path(agent, version)), f"{agent}_{version}.md")

    def is_released(self, agent: str, version: str) -> bool:
        return f"agents/{agent}_{version}.md" in self.released()

    def released(self) -> dict[str, str]:
        """The lock: path below the folder -> sha256.

        Raises:
            PromptError: A line of the lock cannot be read.
        """
        if not self.lock.is_file():
            return {}
        return dict(_read_lock(self._read(self.lock)))

    def check(self) -> list[Finding]:
        """Everything wrong with the prompts of the workspace; a file not yet released is a warning."""
        findings = []
        released = self.released()
        for name in sorted(released):
            if not (self.folder / name).is_file():
                remedy = "Restore it; saved runs refer to it."
                findings.append(Finding("error", name, "the released prompt is missing.", remedy))
        for path in sorted((self.folder / "agents").glob("*.md")):
            match = _FILE.fullmatch(path.name)
            if match is None:
                remedy = "Call it NAME_vN.md, e.g. form_v2.md."
                findings.append(Finding("error", path.name, "the file name has no version.", remedy))
                continue
            try:
                findings += _template_findings(self.get(match[1], match[2]))
            except PromptError as error:
                findings.append(Finding("error", error.where or path.name, error.what, error.remedy))
                continue
            if f"agents/{path.name}" not in released:
                remedy = "Release it with `workbench prompts release` once runs with it shall be comparable."
                findings.append(Finding("warning", path.name, "the prompt is not released.", remedy))
        return findings

    def release(self) -> tuple[str, ...]:
        """Lock every prompt file that is not locked yet.

        Returns:
            Names of the files newly released.

        Raises:
            AccessError: Whoever asks may only read, whether or not there is anything to lock.
            PromptError: A released file was changed or lost, or a new one has an error; nothing is locked.
        """
        require_editor()
        for finding in self.check():
            if finding.severity == "error":
                raise PromptError(finding.what, where=finding.where, remedy=finding.remedy)
        released = self.released()
        new = sorted({f"agents/{a}_{v}.md" for a, v in self._files()} - set(released))
        for name in new:
            released[name] = hashlib.sha256(self._read(self.folder / name)).hexdigest()
        if new:
            lines = [f"{digest}  {name}\n" for name, digest in sorted(released.items())]
            write_atomically(self.lock, "".join(lines).encode())
        return tuple(new)

    def write_next(self, agent: str, text: str) -> Prompt:
        """Save an edited prompt as the next version of ``agent``; no existing file is touched.

        Raises:
            PromptError: The text is no valid prompt, or the name cannot be one.
        """
        version = self._next(agent)
        if not _AGENT.fullmatch(agent):
            raise PromptError(f"{agent!r} cannot name a prompt.", remedy="Use small letters, digits and _.")
        data = text.encode()
        prompt = read_prompt(data, agent, version)
        for finding in _template_findings(prompt):
            raise PromptError(finding.what, where=finding.where, remedy=finding.remedy)
        path = self._path(agent, version)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data, new=True)
        return prompt

    def _path(self, agent: str, version: str) -> Path:
        return self.folder / "agents" / f"{agent}_{version}.md"

    def _next(self, agent: str) -> str:
        return f"v{max((int(version[1:]) for version in self.versions(agent)), default=0) + 1}"

    def _files(self) -> list[tuple[str, str]]:
        names = (_FILE.fullmatch(path.name) for path in (self.folder / "agents").glob("*.md"))
        return [(match[1], match[2]) for match in names if match]

    def _read(self, path: Path) -> bytes:
        try:
            return read_file(path)
        except StrategyError as error:
            raise PromptError(error.what, where=error.where, remedy=error.remedy) from None


class FrozenPrompts(PromptLibrary):
    """The prompts as they were when each was first asked for, so that all runs of a batch are asked alike."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._known: dict[tuple[str, str], Prompt] = {}

    def get(self, agent: str, version: str) -> Prompt:
        if (agent, version) not in self._known:
            self._known[agent, version] = super().get(agent, version)
        return self._known[agent, version]


@lru_cache(maxsize=16)
def _read_lock(data: bytes) -> tuple[tuple[str, str], ...]:
    entries = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
        match = re.fullmatch(r"([0-9a-f]{64})  (agents/\S+\.md)", line)
        if match is None:
            raise PromptError(
                "this is not a sha256 and a file.",
                where=f"versions.lock:{number}",
                remedy="Restore the lock file.",
            )
        entries.append((match[2], match[1]))
    return tuple(entries)


def _template_findings(prompt: Prompt) -> list[Finding]:
    where = f"{prompt.agent}_{prompt.version}.md"
    try:
        used = meta.find_undeclared_variables(_ENVIRONMENT.parse(prompt.template))
    except TemplateError as error:
        return [Finding("error", where, f"the template is malformed: {error}.", "Check its {{ }} and {% %}.")]
    allowed = VARIABLES if prompt.stage == "revised" else VARIABLES - {"draft"}
    return [
        Finding(
            "error",
            where,
            f"the template uses {name!r}, which no prompt has.",
            f"Use: {', '.join(sorted(allowed))}.",
        )
        for name in sorted(used - allowed)
    ]
