"""Sources: files of published data sets, read into cases of edits."""

from scopebench.sources.case import BadRecord, Case, Source
from scopebench.sources.read import SOURCES, SourceInfo, read_source

__all__ = ["SOURCES", "BadRecord", "Case", "Source", "SourceInfo", "read_source"]
