"""What becomes of losses: warnings, or the end of the query, as ``failOnDataLoss`` says."""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.logs import logger_of
from kafka_nextgen.spark.errors import DataLossError
from kafka_nextgen.spark.losses import DataLoss
from kafka_nextgen.spark.values import first_few

__all__ = ["report_losses"]

logger = logger_of(__name__)


def report_losses(losses: Sequence[DataLoss], *, fail_on_data_loss: bool) -> None:
    """Log a warning for each loss, or raise ``DataLossError`` if there is one and the option forbids to go on."""
    if losses and fail_on_data_loss:
        lost = [f"{loss.partition} {loss.happened}" for loss in losses]
        raise DataLossError(
            f"records may be lost, they aged out or their topic was deleted before they were read: "
            f"{first_few(lost, '; ', '; and {} more partitions')}. "
            "Set failOnDataLoss to false to go on with a warning",
            losses,
        )
    for loss in losses:
        logger.warning("records may be lost: %s", loss)
