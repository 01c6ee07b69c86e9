"""The facts of a match slice as text: short lines and tables whose labels read in both languages.

Only facts are rendered, so a prompt never says more than the facts the baseline reads. Player names and
their like come from outside; whoever puts this text into a prompt delimits it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Facts = Mapping[str, Any]

_MATCH_COLUMNS = {
    "date": "日期 date",
    "venue": "场地 venue",
    "opponent": "对手 opponent",
    "opponent_position": "对手排名 opponent position",
    "goals_for": "进球 goals for",
    "goals_against": "失球 goals against",
    "result": "赛果 result",
    "xg_for": "xG for",
    "xg_against": "xG against",
    "nsxg_for": "non-shot xG for",
    "nsxg_against": "non-shot xG against",
}
_ABSENCE_COLUMNS = {
    "player": "球员 player",
    "kind": "原因 kind",
    "detail": "详情 detail",
    "since": "自 since",
    "until": "至 until",
    "published": "发布 published",
    "source": "来源 source",
}
_RECORDS = {
    "recent": "近期 recent",
    "season": "本季 season",
    "total": "交锋 all meetings",
    "here": "本场地 meetings at this ground",
}


def render(header: str, facts: Facts) -> str:
    """The header and the body of one slice."""
    return f"{header}\n{_body(facts)}".rstrip() + "\n"


def render_all(header: str, parts: Mapping[str, Facts]) -> str:
    """One header, then every part under its name."""
    sections = [f"## {name}\n{_body(facts)}" for name, facts in parts.items()]
    return "\n\n".join([header, *sections]).rstrip() + "\n"


def render_header(match: Facts) -> str:
    """What every slice of a match begins with."""
    lines = [
        f"{match['competition']} {match['season']}, {match['date']}",
        f"{match['home']} (主 home) v {match['away']} (客 away)",
        f"第 {match['round']} 轮 round (counted from the matches on record)",
    ]
    for side in ("home", "away"):
        if line := match["table"][side]:
            lines.append(
                f"{match[side]}: 排名 position {line['position']} of {line['clubs']}, "
                f"{line['points']} points from {line['matches']} matches "
                f"({line['won']}-{line['drawn']}-{line['lost']}, {line['goals_for']}:{line['goals_against']})"
            )
        if match["rest_days"][side] is not None:
            lines.append(f"{match[side]}: 距上一场 {match['rest_days'][side]} days since the last match")
    if league := match["league"]:
        lines.append(
            f"联赛近一年 league, last year, {league['matches']} matches: "
            f"goals per match home {league['home_goals']}, away {league['away_goals']}; "
            f"home wins {league['home_wins']}, draws {league['draws']}, away wins {league['away_wins']}"
        )
    return "\n".join(lines)


def _body(facts: Facts) -> str:
    lines: list[str] = []
    for side in ("home", "away"):
        lines += _side(facts.get(side) or {}, side)
    for name in ("total", "here"):
        if name in facts:
            lines.append(f"{_RECORDS[name]}, from the home club's side: {_record(facts[name])}")
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
            lines.append(f"{facts['club']} ({side}), {_RECORDS[name]}{where}: {_record(facts[name])}")
    if facts.get("matches"):
        lines += _table(facts["matches"], _MATCH_COLUMNS)
    if facts.get("absences"):
        lines += [
            f"{facts['club']} ({side}), 缺阵 reported out:",
            *_table(facts["absences"], _ABSENCE_COLUMNS),
        ]
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
        f"攻防强度 strengths, {name} (1 = average club, defence above 1 concedes more): {'; '.join(clubs)}; "
        f"league mean {fitted['league_home_goals']}:{fitted['league_away_goals']}; "
        f"expected goals {fitted['expected_home_goals']}:{fitted['expected_away_goals']}"
    ]


def _table(rows: Sequence[Facts], columns: Mapping[str, str]) -> list[str]:
    """A Markdown table; a column no row has is left out, a missing cell is a dash."""
    used = [column for column in columns if any(row.get(column) is not None for row in rows)]
    lines = ["| " + " | ".join(columns[column] for column in used) + " |", "|" + "---|" * len(used)]
    lines += ["| " + " | ".join(_cells(row, used)) + " |" for row in rows]
    return lines


def _cells(row: Facts, used: Sequence[str]) -> list[str]:
    return [
        "–"
        if (value := row.get(column)) is None
        else value.replace("|", "/").replace("\n", " ")
        if isinstance(value, str)
        else str(value)
        for column in used
    ]
