"""Analyst Workbench: shape how agents judge a subject, and find out whether the judging is any good."""
