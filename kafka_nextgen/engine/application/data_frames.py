"""Records as Arrow tables and data frames, which need optional packages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["DataFrames", "require_extra"]


@contextmanager
def require_extra(call: str, extra: str) -> Iterator[None]:
    """Have a missing package in ``call`` raise an ImportError that names the extra which installs it."""
    try:
        yield
    except ModuleNotFoundError as missing:
        message = f"{call} needs {missing.name}: pip install 'kafka-nextgen[{extra}]'"
        raise ImportError(message, name=missing.name) from missing


class DataFrames(ABC):
    """Converts what ``to_arrow`` returns to data frames."""

    @abstractmethod
    def to_arrow(self, schema: pyarrow.Schema | None = None) -> pyarrow.Table | pyarrow.RecordBatch:
        """The records in pyarrow, in the columns of ``schema`` if given."""

    def to_pandas(self) -> pandas.DataFrame:
        """The same in pandas, by way of Arrow. Needs the extra ``kafka-nextgen[pandas]``."""
        with require_extra("to_pandas()", "pandas"):
            import pandas  # noqa: F401  (pyarrow imports it, without a word about the extra)
        return self.to_arrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """The same in polars, by way of Arrow. Needs the extra ``kafka-nextgen[polars]``."""
        with require_extra("to_polars()", "polars"):
            import polars
        return polars.DataFrame(self.to_arrow())
