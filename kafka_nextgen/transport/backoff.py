"""How long to pause before trying again: doubling from a first pause to a longest one, with jitter.

Jitter keeps clients that failed together from coming back together; it is 20 % either way, as in Kafka's own
clients (KIP-580). Pure: the number of failures and the chance are arguments.
"""

from __future__ import annotations

from attrs import frozen

__all__ = ["Backoff"]

_JITTER = 0.2
_DOUBLINGS = 30  # beyond this every longest pause is reached, and floats stay small


@frozen
class Backoff:
    """Pauses between attempts, in seconds."""

    first_s: float
    longest_s: float

    def delay_s(self, failures: int, chance: float) -> float:
        """The pause after so many failures in a row; ``chance`` is in [0, 1), and 0.5 gives no jitter.

        None of the pauses is above the longest one by more than the jitter.
        """
        if failures <= 0:
            return 0.0
        plain_s = min(self.first_s * 2.0 ** min(failures - 1, _DOUBLINGS), self.longest_s)
        return plain_s * (1 + _JITTER * (2 * chance - 1))
