"""Requests, tokens and money that judges have cost so far, within a budget."""

import threading
from dataclasses import dataclass, field
from typing import NamedTuple

from metra.errors import OptionError
from metra.metrics.llm.cache import ModelAnswer

_MILLION = 1_000_000


class Prices(NamedTuple):
    """Prices of a million tokens, in any currency."""

    input: float = 0.0
    output: float = 0.0

    def compute_cost(self, input_tokens: float, output_tokens: float) -> float:
        """Return what so many tokens cost.

        >>> Prices(input=2.5, output=10).compute_cost(1_000_000, 100_000)
        3.5
        """
        return (input_tokens * self.input + output_tokens * self.output) / _MILLION


class Budget(NamedTuple):
    """The most that a run may spend; 0 is no limit."""

    requests: int = 0
    tokens: int = 0
    cost: float = 0.0


class Estimate(NamedTuple):
    """Requests, tokens and cost of a run, before anything is asked."""

    #: Questions in all, each counted once, and how many of them have an answer already.
    questions: int
    known: int
    #: Tokens of what is left to ask: about so many in, at most so many out.
    input_tokens: int
    output_tokens: int
    #: At most; None where no prices are given.
    cost: float | None

    @property
    def requests(self) -> int:
        """Requests to send, if none fails."""
        return self.questions - self.known


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: one for every four bytes.

    The estimate is close for English, and for other scripts, whose letters take more bytes.

    >>> estimate_tokens("a quarter of the bytes")
    6
    """
    return -(-len(text.encode(errors="replace")) // 4)


@dataclass(slots=True)
class Spending:
    """Requests, tokens and money spent in this run; requests under way are reserved for."""

    budget: Budget
    prices: Prices
    requests: int = 0
    failures: int = 0
    answers: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    has_estimates: bool = False
    _reserved: tuple[int, int] = (0, 0)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def cost(self) -> float:
        """The cost of the tokens so far."""
        return self.prices.compute_cost(self.input_tokens, self.output_tokens)

    def start_request(self, tokens: tuple[int, int]) -> None:
        """Reserve the tokens of a request, or raise an error if they exceed the budget."""
        with self._lock:
            reserved_in, reserved_out = (
                a + b for a, b in zip(self._reserved, tokens, strict=True)
            )
            self._check_budget(
                self.input_tokens + reserved_in, self.output_tokens + reserved_out
            )
            self._reserved = reserved_in, reserved_out
            self.requests += 1

    def end_request(self, tokens: tuple[int, int], answer: ModelAnswer | None) -> None:
        """Count what a request took; one that failed took nothing."""
        with self._lock:
            self._reserved = (
                self._reserved[0] - tokens[0],
                self._reserved[1] - tokens[1],
            )
            if answer is None:
                self.failures += 1
                return
            self.answers += 1
            self.input_tokens += answer.input_tokens
            self.output_tokens += answer.output_tokens
            self.has_estimates |= answer.estimated

    def _check_budget(self, input_tokens: int, output_tokens: int) -> None:
        budget = self.budget
        cost = self.prices.compute_cost(input_tokens, output_tokens)
        limits = (
            ("request_budget", budget.requests, self.requests + 1),
            ("token_budget", budget.tokens, input_tokens + output_tokens),
            ("cost_budget", budget.cost, cost),
        )
        for option, limit, needed in limits:
            if 0 < limit < needed:
                msg = (
                    f"the next request could exceed {option}={limit:.12g}, after "
                    f"{self.describe()}"
                )
                raise OptionError(msg)

    def describe(self) -> str:
        """Say what was spent.

        >>> Spending(Budget(), Prices(1, 2), requests=2, answers=1, failures=1).describe()
        '2 requests (1 failed), 0 tokens, cost 0.0000'
        """
        failed = f" ({self.failures:,} failed)" if self.failures else ""
        noun = "request" if self.requests == 1 else "requests"
        about = "about " if self.has_estimates else ""
        tokens = self.input_tokens + self.output_tokens
        cost = f", cost {self.cost:.4f}" if any(self.prices) else ""
        return f"{self.requests:,} {noun}{failed}, {about}{tokens:,} tokens{cost}"
