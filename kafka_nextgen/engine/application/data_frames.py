"""Records that can be had in Arrow can be had as data frames, too."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from kafka_nextgen.engine.application.extras import needs

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["DataFrames"]


class DataFrames(ABC):
    """The ways out of Arrow."""

    @abstractmethod
    def to_arrow(self, schema: pyarrow.Schema | None = None) -> pyarrow.Table | pyarrow.RecordBatch:
        """The records in pyarrow, perhaps in the caller's columns."""

    def to_pandas(self) -> pandas.DataFrame:
        """The same in pandas, by way of Arrow. Needs the extra ``kafka-nextgen[pandas]``."""
        with needs("to_pandas()", "pandas"):
            import pandas  # noqa: F401  (pyarrow imports it, without a word about the extra)
        return self.to_arrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """The same in polars, by way of Arrow. Needs the extra ``kafka-nextgen[polars]``."""
        with needs("to_polars()", "polars"):
            import polars
        return polars.DataFrame(self.to_arrow())
