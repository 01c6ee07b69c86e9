"""The facts of a match slice as text: short lines and Markdown tables under the names the figures have.

Only facts are rendered, so a prompt never says more than the facts the baseline reads. Player names and
their like come from outside; whoever puts this text into a prompt delimits it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Facts = Mapping[str, Any]

_MATCH_COLUMNS = (
    "date",
    "venue",
    "opponent",
    "opponent_position",
    "goals_for",
    "goals_against",
    "result",
    "xg_for",
    "xg_against",
    "nsxg_for",
    "nsxg_against",
)
_ABSENCE_COLUMNS = ("player", "kind", "detail", "since", "until", "published", "source")


def render(facts: Facts) -> str:
    """The header and the body of one slice."""
    return f"{_header(facts['match'])}\n{_body(facts)}".rstrip() + "\n"


def render_all(header: Facts, parts: Mapping[str, Facts]) -> str:
    """One header, then every part under its name."""
    sections = [f"## {name}\n{_body(facts)}" for name, facts in parts.items()]
    return "\n\n".join([_header(header), *sections]).rstrip() + "\n"


def _header(match: Facts) -> str:
    lines = [
        f"{match['competition']} {match['season']}, {match['date']}",
        f"{match['home']} (home) v {match['away']} (away)",
        f"round {match['round']}, counted from the matches on record",
    ]
    for side in ("home", "away"):
        if line := match["table"][side]:
            lines.append(
                f"{match[side]}: position {line['position']} of {line['clubs']}, "
                f"{line['points']} points from {line['matches']} matches "
                f"({line['won']}-{line['drawn']}-{line['lost']}, {line['goals_for']}:{line['goals_against']})"
            )
        if match["rest_days"][side] is not None:
            lines.append(f"{match[side]}: {match['rest_days'][side]} days since the last match")
    if league := match["league"]:
        lines.append(
            f"league, last year, {league['matches']} matches: goals per match home {league['home_goals']}, "
            f"away {league['away_goals']}; home wins {league['home_wins']}, draws {league['draws']}, "
            f"away wins {league['away_wins']}"
        )
    return "\n".join(lines)


def _body(facts: Facts) -> str:
    lines: list[str] = []
    for side in ("home", "away"):
        lines += _side(facts.get(side) or {}, side)
    for name in ("total", "here"):
        if name in facts:
            lines.append(f"meetings, {name}, from the home club's side: {_record(facts[name])}")
    if meetings := facts.get("meetings"):
        lines += _table(meetings, _MATCH_COLUMNS)
    for name, fitted in (facts.get("strengths") or {}).items():
        lines += _strengths(name, fitted)
    return "\n".join(lines)


def _side(facts: Facts, side: str) -> list[str]:
    lines = []
    where = f", matches {'at home' if side == 'home' else 'away'} only" if "venue" in facts else ""
    for name in ("recent", "season"):
        if name in facts and facts[name]["matches"]:
            lines.append(f"{facts['club']} ({side}), {name}{where}: {_record(facts[name])}")
    if facts.get("matches"):
        lines += _table(facts["matches"], _MATCH_COLUMNS)
    if facts.get("absences"):
        lines += [f"{facts['club']} ({side}), reported out:", *_table(facts["absences"], _ABSENCE_COLUMNS)]
    return lines


def _record(record: Facts) -> str:
    parts = [
        f"{record['matches']} matches, won {record['won']} drawn {record['drawn']} lost {record['lost']}, "
        f"{record['points']} points, goals {record['goals_for']}:{record['goals_against']}"
    ]
    for name in ("xg", "nsxg"):
        if record[f"{name}_for"] is not None:
            parts.append(f"{name} per match {record[f'{name}_for']}:{record[f'{name}_against']}")
    return ", ".join(parts)


def _strengths(name: str, fitted: Facts) -> list[str]:
    clubs = [
        f"{side} attack {club['attack']} defence {club['defence']} ({club['matches']} matches)"
        for side, club in (("home", fitted["home"]), ("away", fitted["away"]))
    ]
    return [
        f"strengths, {name} (1 = average club, defence above 1 concedes more): {'; '.join(clubs)}; "
        f"league mean {fitted['league_home_goals']}:{fitted['league_away_goals']}; "
        f"expected goals {fitted['expected_home_goals']}:{fitted['expected_away_goals']}"
    ]


def _table(rows: Sequence[Facts], columns: Sequence[str]) -> list[str]:
    """A Markdown table; a column no row has is left out, a missing cell is a dash."""
    used = [column for column in columns if any(row.get(column) is not None for row in rows)]
    lines = ["| " + " | ".join(used) + " |", "|" + "---|" * len(used)]
    for row in rows:
        cells = ("–" if row.get(column) is None else _cell(row[column]) for column in used)
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _cell(value: object) -> str:
    return str(value).replace("|", "/").replace("\n", " ")
