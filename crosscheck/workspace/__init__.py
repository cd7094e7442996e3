"""A folder of papers: what in it can be checked, a config for it, and every config below it run."""

from __future__ import annotations
