"""The readable text of the HTML that services put into titles and summaries."""

from __future__ import annotations

from html.parser import HTMLParser


def text_of(markup: str) -> str:
    """The readable text of a piece of HTML; text without markup stays as it is."""
    if "<" not in markup and "&" not in markup:
        return markup
    reader = _Text()
    reader.feed(markup)
    reader.close()
    return "".join(reader.pieces).strip()


class _Text(HTMLParser):
    """Collects text, without scripts and styles, with a line end after each block."""

    _SILENT = frozenset({"script", "style", "template", "noscript"})
    _BLOCKS = frozenset({"p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._silent += tag in self._SILENT
        if tag in self._BLOCKS:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in self._SILENT and self._silent > 0

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.pieces.append(data)
