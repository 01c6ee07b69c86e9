"""What the documentation shows is what the program does, and nothing a user meets is left out of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from pydantic import BaseModel

from tests.console_blocks import Reader, same, steps
from workbench.cli import cli
from workbench.strategy.news import NewsStrategy
from workbench.strategy.schema import ChaptersStrategy, MatchStrategy
from workbench.workspace import init_workspace

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TUTORIALS = ("tutorial.md", "tutorial.zh.md")


def _text(*names: str) -> str:
    return "\n".join((DOCS / name).read_text(encoding="utf-8") for name in names)


def _commands(group: click.Group, prefix: str) -> Iterator[str]:
    for name, command in group.commands.items():
        path = f"{prefix} {name}"
        if isinstance(command, click.Group):
            yield from _commands(command, path)
        else:
            yield path


def _models(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    yield model
    for field in model.model_fields.values():
        for part in re.findall(r"[\w.]+", str(field.annotation)):
            found = next((m for m in BaseModel.__subclasses__() if m.__name__ == part.split(".")[-1]), None)
            if found is not None:
                yield from _models(found)


@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial_shows_what_its_commands_print(name: str, tmp_path: Path) -> None:
    reader = Reader(init_workspace(tmp_path / "desk"))
    followed = steps(_text(name))
    assert len(followed) >= 8
    for step in followed:
        printed = reader.follow(step)
        assert same(step.shown, printed), f"{step.command}\n--- shown\n{step.shown}\n--- printed\n{printed}"


def test_both_tutorials_take_the_same_steps() -> None:
    english, chinese = ([step.command for step in steps(_text(name))] for name in TUTORIALS)
    assert re.sub(r"\d{8}-\d{6}-\w{6}", "", "\n".join(english)) == re.sub(
        r"\d{8}-\d{6}-\w{6}", "", "\n".join(chinese)
    )


def test_a_wrong_output_is_noticed() -> None:
    assert same("a\n...\nd", "a\nb\nc\nd")
    assert same("took 0.1 s", "took 2.7 s")
    assert not same("score 53", "score 54")


@pytest.mark.parametrize("command", sorted(_commands(cli, "workbench")))
def test_every_command_is_documented(command: str) -> None:
    assert f"`{command}" in _text("commands.md")


@pytest.mark.parametrize("page", sorted(path.stem for path in (ROOT / "pages").glob("*.py")))
def test_every_page_is_documented(page: str) -> None:
    assert f"`{page}`" in _text("pages.md")


@pytest.mark.parametrize("strategy", [ChaptersStrategy, MatchStrategy, NewsStrategy])
def test_every_strategy_key_is_documented(strategy: type[BaseModel]) -> None:
    text = _text("strategies.md")
    missing = {
        field.alias or name
        for model in _models(strategy)
        for name, field in model.model_fields.items()
        if f"`{field.alias or name}" not in text and f"{field.alias or name}:" not in text
    }
    assert not missing


@pytest.mark.parametrize(
    "path", sorted(str(p.relative_to(ROOT)) for p in [*DOCS.rglob("*.md"), ROOT / "README.md"])
)
def test_links_between_documents_lead_somewhere(path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text):
        assert (ROOT / path).parent.joinpath(target).exists(), target
