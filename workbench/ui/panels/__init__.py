"""Panels: the parts pages are made of. Each draws records it is given and returns what the reader chose."""
