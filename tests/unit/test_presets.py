"""``models.yaml``: what it may say, what is refused with its line, and edits that leave the rest alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workbench.errors import InputError
from workbench.llm.presets import Presets, PresetsFile
from workbench.records import Models

WHOLE = """\
# Ours, since 2026.
specialist:
  model: openai/gpt-4.1-mini  # cheap
  temperature: 0.2
  seed: 7
aggregator: {model: anthropic/claude-sonnet-4-5, max_tokens: 4000, reasoning_effort: high}
providers:
  ollama_chat: {concurrency: 1}
  openai:
    requests_per_minute: 120
prices:
  openai/ours: {input: 0.4, cached: 0.1, output: 1.6}
daily_budget: 5
"""


@pytest.fixture
def file(tmp_path: Path) -> PresetsFile:
    return PresetsFile(tmp_path / "models.yaml")


def test_everything_it_may_say_is_read(file: PresetsFile) -> None:
    file.path.write_text(WHOLE)

    presets = file.read()

    assert presets.models == Models(
        specialist="openai/gpt-4.1-mini", aggregator="anthropic/claude-sonnet-4-5"
    )
    assert presets.sampling["specialist"].params == {"temperature": 0.2, "seed": 7}
    assert presets.sampling["aggregator"].params == {"max_tokens": 4000, "reasoning_effort": "high"}
    assert presets.providers["ollama_chat"].concurrency == 1
    assert presets.providers["openai"].requests_per_minute == 120
    assert presets.daily_budget == 5


def test_an_own_price_counts_tokens_the_provider_had_kept_at_their_own_price(file: PresetsFile) -> None:
    file.path.write_text(WHOLE)

    price = file.read().price("openai/ours")

    assert price is not None
    assert price.source == "models.yaml"
    # 600 x 0.40 + 400 x 0.10 + 100 x 1.60 dollars a million
    assert price.of(1000, 100, cached_tokens=400) == pytest.approx(0.00044)
    assert file.read().price("openai/other") is None


def test_a_price_without_one_for_kept_tokens_takes_them_as_any_other(file: PresetsFile) -> None:
    file.path.write_text("prices: {a/b: {input: 1, output: 2}}")

    price = file.read().price("a/b")

    assert price is not None
    assert price.of(1000, 0, cached_tokens=400) == pytest.approx(0.001)


@pytest.mark.parametrize("text", [None, "# nothing yet\n", "\n\n", "{}\n", "specialist: {}\n"])
def test_a_file_that_says_nothing_changes_nothing(file: PresetsFile, text: str | None) -> None:
    if text is not None:
        file.path.write_text(text)

    assert file.read() == Presets()


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("specialist:\n  temprature: 0\n", 2, "Did you mean `temperature`?"),
        ("specialist: {temperature: 3}\n", 1, "less than or equal to 2"),
        ("# one\naggregator:\n  model: a/b\n  api_key: sk-123\n", 4, "not a key the workbench knows"),
        ("daily_budget: .inf\n", 1, "finite"),
        ("providers:\n  openai: {concurrency: 0}\n", 2, "greater than or equal to 1"),
        ("prices:\n  a/b: {input: 1}\n", 2, "Add `output:` here"),
        ("- a\n", 1, "dictionary"),
        ("a: [\n", 2, "not valid YAML"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_line(
    file: PresetsFile, text: str, line: int, said: str
) -> None:
    file.path.write_text(text)

    with pytest.raises(InputError) as error:
        file.read()

    assert error.value.where == f"models.yaml:{line}"
    assert said in str(error.value)


def test_a_change_leaves_every_other_character_as_it_was(file: PresetsFile) -> None:
    file.path.write_text(WHOLE)

    presets = file.change(
        {
            ("specialist", "temperature"): 0,
            ("aggregator", "reasoning_effort"): None,
            ("providers", "openai"): None,
            ("daily_budget",): 7.5,
        }
    )

    assert presets == file.read()
    assert file.path.read_text() == WHOLE.replace("temperature: 0.2", "temperature: 0").replace(
        ", reasoning_effort: high", ""
    ).replace("  openai:\n    requests_per_minute: 120\n", "").replace("budget: 5", "budget: 7.5")


def test_the_first_change_makes_the_file_and_later_ones_fill_it(file: PresetsFile) -> None:
    file.change({("specialist", "model"): "openai/one"})
    file.change({("specialist", "seed"): 7, ("prices", "openai/one"): {"input": 1, "output": 2}})

    head, _, rest = file.path.read_text().partition("\n")
    assert head.startswith("# ")
    assert rest == (
        "specialist:\n  model: openai/one\n  seed: 7\nprices:\n  openai/one:\n    input: 1\n    output: 2\n"
    )


def test_what_is_taken_out_again_leaves_no_empty_mapping(file: PresetsFile) -> None:
    file.path.write_text("specialist:\n  model: a/b\nproviders:\n  openai:\n    concurrency: 3\n")

    file.change({("providers", "openai", "concurrency"): None})

    assert file.path.read_text() == "specialist:\n  model: a/b\n"


@pytest.mark.parametrize(
    "values",
    [
        {("specialist", "temperature"): 9},
        {("daily_budget",): -1},
        {("prices", "a/b"): {"input": 1}},
        {("specialist", "colour"): "red"},
    ],
)
def test_a_change_that_would_not_be_valid_is_not_written(file: PresetsFile, values: dict[Any, Any]) -> None:
    file.path.write_text(WHOLE)

    with pytest.raises(InputError):
        file.change(values)

    assert file.path.read_text() == WHOLE


def test_taking_the_last_entry_out_leaves_a_file_that_can_be_read_and_filled_again(
    file: PresetsFile,
) -> None:
    file.change({("specialist", "model"): "a/b", ("daily_budget",): 5})
    file.change({("specialist", "model"): None, ("daily_budget",): None})
    assert file.read() == Presets()

    file.change({("aggregator", "model"): "c/d"})

    assert file.read().aggregator.model == "c/d"
