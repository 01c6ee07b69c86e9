"""What the authors of the sample news expected of each item: for judging runs afterwards, never for a run.

The evidence database leaves these columns out, so no tool and no prompt can show them.
"""

from __future__ import annotations

import csv
import datetime as dt
from pathlib import Path
from typing import get_args

from workbench.evidence.news_text import item_id
from workbench.records import Direction


def expected_directions(facts_dir: Path) -> dict[str, Direction]:
    """The expected direction of each sample item that has one, by item; empty without a sample."""
    file = facts_dir / "news.csv"
    if not file.is_file():
        return {}
    with file.open(encoding="utf-8-sig", newline="") as stream:
        return {
            item_id(dt.date.fromisoformat(row["published"]), row["title"]): direction
            for row in csv.DictReader(stream)
            for direction in get_args(Direction)
            if row.get("expected_direction") == direction
        }
