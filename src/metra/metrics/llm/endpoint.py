"""Requests to an OpenAI-compatible endpoint, by httpx, within a budget.

Requests are repeated where that can help. httpx reads the proxies of the environment.
Redirects are not followed, so that a key is sent to the given host only.
"""

import json
import os
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from metra.errors import EndpointError, OptionError, format_count, require_package
from metra.formats.stream import DAMAGE
from metra.metrics.llm.cache import ModelAnswer

if TYPE_CHECKING:
    import httpx

#: Seconds before the first repetition; each further one waits twice as long, up to the most.
FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0
#: An endpoint that asks to wait longer than this ends the run.
LONGEST_ASKED = 600.0
_LARGEST_BODY = 1 << 24
_REPEATED = (408, 409, 425, 429)
_PATH = "/chat/completions"
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")


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


class Prices(NamedTuple):
    """Prices of a million tokens, in any currency."""

    input: float = 0.0
    output: float = 0.0

    def compute_cost(self, input_tokens: float, output_tokens: float) -> float:
        """Return the cost of so many tokens.

        >>> Prices(input=2.5, output=10).compute_cost(1_000_000, 100_000)
        3.5
        """
        return (input_tokens * self.input + output_tokens * self.output) / 1_000_000


@dataclass(slots=True)
class Spending:
    """Requests, tokens and money spent in this run; requests under way are reserved for."""

    prices: Prices = field(default_factory=Prices)
    #: The most money that a run may spend; 0 is no limit.
    cost_budget: float = 0.0
    requests: int = 0
    failures: int = 0
    answers: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    has_estimates: bool = False
    _reserved: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def cost(self) -> float:
        """Money spent so far."""
        return self.prices.compute_cost(self.input_tokens, self.output_tokens)

    def start_request(self, tokens: tuple[int, int]) -> None:
        """Reserve the cost of a request, or raise an error if it exceeds the budget."""
        with self._lock:
            reserved = self._reserved + self.prices.compute_cost(*tokens)
            if 0 < self.cost_budget < self.cost + reserved:
                msg = (
                    "the next request could exceed "
                    f"cost_budget={self.cost_budget:.12g}, after {self.describe()}"
                )
                raise OptionError(msg)
            self._reserved = reserved
            self.requests += 1

    def end_request(self, tokens: tuple[int, int], answer: ModelAnswer | None) -> None:
        """Count what a request took; one that failed took nothing."""
        with self._lock:
            self._reserved -= self.prices.compute_cost(*tokens)
            if answer is None:
                self.failures += 1
                return
            self.answers += 1
            self.input_tokens += answer.input_tokens
            self.output_tokens += answer.output_tokens
            self.has_estimates |= answer.estimated

    def describe(self) -> str:
        """Describe the requests, tokens and money spent so far.

        >>> Spending(Prices(1, 2), requests=2, answers=1, failures=1).describe()
        '2 requests (1 failed), 0 tokens, cost 0.0000'
        """
        failed = f" ({self.failures:,} failed)" if self.failures else ""
        about = "about " if self.has_estimates else ""
        tokens = self.input_tokens + self.output_tokens
        paid = f", cost {self.cost:.4f}" if any(self.prices) else ""
        requests = format_count(self.requests, "request")
        return f"{requests}{failed}, {about}{tokens:,} tokens{paid}"


class Failure(NamedTuple):
    """A request that failed in a way that may pass."""

    reason: str
    #: Seconds that the endpoint asks to wait.
    asked_wait: float | None = None


def _make_client() -> "httpx.Client":
    """Make a client for any number of threads that keeps no connection open."""
    with require_package("Asking a language model", "httpx", "llm"):
        import httpx
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    return httpx.Client(limits=limits)


@dataclass(slots=True)
class Endpoint:
    """The address of requests, and how often and how patiently they are repeated."""

    address: str
    key_variable: str
    retries: int
    timeout: float
    #: Gives numbers from 0 to 1, so that many clients do not come back at once.
    draw: Callable[[], float]
    _client: "httpx.Client" = field(default_factory=_make_client)

    def ask(
        self,
        body: Mapping[str, Any],
        tokens: tuple[int, int],
        spending: Spending,
        stop: threading.Event,
    ) -> ModelAnswer | None:
        """Send a request until it is answered; return None if told to stop.

        `tokens` is an estimate of those in, and the most that may come out.
        """
        content = json.dumps(body, ensure_ascii=False).encode(errors="replace")
        reason = ""
        for attempt in range(self.retries + 1):
            if stop.is_set():
                return None
            spending.start_request(tokens)
            result: ModelAnswer | Failure = Failure("")
            try:
                result = self._send(content, tokens[0])
            finally:
                answer = result if isinstance(result, ModelAnswer) else None
                spending.end_request(tokens, answer)
            if isinstance(result, ModelAnswer):
                return result
            reason = result.reason
            if attempt < self.retries and not self._wait(result, attempt, stop):
                return None
        msg = (
            f"{self.host} failed {self.retries + 1} times, the last time with: {reason}"
        )
        raise EndpointError(msg)

    @property
    def host(self) -> str:
        """The host, and the port if it is given."""
        return urlsplit(self.address).netloc

    def _wait(self, failure: Failure, attempt: int, stop: threading.Event) -> bool:
        """Wait before the next attempt; return whether to go on."""
        asked = failure.asked_wait
        if asked is None:
            longest = min(LONGEST_WAIT, FIRST_WAIT * 2**attempt)
            return not stop.wait(longest * (0.5 + 0.5 * self.draw()))
        if asked > LONGEST_ASKED:
            msg = (
                f"{self.host} asks to wait {asked:.0f} seconds before the next request: "
                f"{failure.reason}"
            )
            raise EndpointError(msg)
        return not stop.wait(asked * (1 + 0.1 * self.draw()))

    def _send(self, content: bytes, input_tokens: int) -> ModelAnswer | Failure:
        from httpx import HTTPError

        key = _read_key(self.key_variable)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        try:
            with self._client.stream(
                "POST",
                self.address,
                content=content,
                headers=headers,
                timeout=self.timeout,
            ) as response:
                text = self._read_body(response)
        except (HTTPError, OSError) as error:
            return Failure(self._explain_error(error))
        if not response.is_success:
            return self._explain_status(response, text, key)
        try:
            return read_completion(json.loads(text), input_tokens, key)
        except DAMAGE as error:
            return Failure(f"the reply is not a chat completion ({error})")

    def _read_body(self, response: "httpx.Response") -> bytes:
        """Read a reply, within the time and a size that no completion has."""
        deadline = time.monotonic() + self.timeout
        body = bytearray()
        for block in response.iter_bytes():
            body += block
            if len(body) > _LARGEST_BODY:
                msg = "the reply is too long"
                raise OSError(msg)
            if time.monotonic() > deadline:
                raise TimeoutError
        return bytes(body)

    def _explain_status(
        self, response: "httpx.Response", body: bytes, key: str
    ) -> Failure:
        """Return a failure that may pass; raise an error for one that will not."""
        status, said = response.status_code, _find_message(body, key)
        reason = f"HTTP {status}{said and f', {said}'}"
        if status in _REPEATED or status >= 500:
            return Failure(reason, _read_wait(response.headers.get("Retry-After")))
        advice = ""
        if status in (401, 403):
            state = "" if key else ", which is not set"
            advice = f"; the key comes from the environment variable {self.key_variable}{state}"
        elif status < 400:
            advice = "; redirects are not followed, give the right url"
        msg = f"{self.host} refused the request: {reason}{advice}"
        raise EndpointError(msg)

    def _explain_error(self, error: Exception) -> str:
        """Word an error of the connection; raise one that no repetition can mend."""
        from httpx import TimeoutException

        if "CERTIFICATE_VERIFY_FAILED" in str(error):
            msg = f"{self.host} has a certificate that cannot be verified: {error}"
            raise EndpointError(msg)
        if isinstance(error, (TimeoutError, TimeoutException)):
            return f"no answer within {self.timeout:g} seconds"
        return str(error) or type(error).__name__


def read_address(url: str) -> str:
    """Return where to send chat completions, from the address of the API or of the path."""
    parts = urlsplit(url)
    if parts.username or parts.password or parts.query or parts.fragment:
        # It may hold a key, so it is not shown.
        msg = (
            "llm: url contains a user name, a password, a query or a fragment; pass "
            "the key in the environment instead."
        )
        raise OptionError(msg)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        msg = (
            f"llm: url={url} is not an address; expected one such as "
            "http://localhost:8000/v1."
        )
        raise OptionError(msg)
    address = url.rstrip("/")
    return address if address.endswith(_PATH) else address + _PATH


def check_key_variable(name: str) -> None:
    """Raise an error if this cannot be the name of an environment variable."""
    if not _VARIABLE.fullmatch(name):
        # It may be the key itself, so it is not shown.
        msg = (
            "llm: key_variable is not the name of an environment variable; expected "
            "a name in capitals, such as OPENAI_API_KEY, never the key itself."
        )
        raise OptionError(msg)


def read_completion(reply: Any, input_tokens: int, key: str = "") -> ModelAnswer:
    """Read the first choice of a chat completion; raise ValueError if it is none.

    `input_tokens` is an estimate, for endpoints that do not count tokens.
    """
    match reply:
        case {"choices": [{"message": {} as message} as choice, *_]}:
            pass
        case _:
            msg = "it has no message"
            raise ValueError(msg)
    content, finish = message.get("content"), choice.get("finish_reason")
    if message.get("refusal"):
        content, finish = message["refusal"], "refusal"
    if content is not None and not isinstance(content, str):
        msg = "its content is not text"
        raise ValueError(msg)
    text = _hide_key(content or "", key)
    usage = reply.get("usage")
    tokens_in = _read_count(usage, "prompt_tokens")
    tokens_out = _read_count(usage, "completion_tokens")
    is_estimated = tokens_in is None or tokens_out is None
    model = reply.get("model")
    return ModelAnswer(
        text,
        finish if isinstance(finish, str) else "",
        input_tokens if tokens_in is None else tokens_in,
        estimate_tokens(text) if tokens_out is None else tokens_out,
        model if isinstance(model, str) else "",
        is_estimated,
    )


def _read_count(usage: Any, name: str) -> int | None:
    count = usage.get(name) if isinstance(usage, dict) else None
    is_count = isinstance(count, int) and not isinstance(count, bool) and count >= 0
    return count if is_count else None


def _read_key(variable: str) -> str:
    key = os.environ.get(variable, "").strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        msg = (
            f"The environment variable {variable} contains characters that are not "
            "allowed in a key."
        )
        raise EndpointError(msg)
    return key


def _hide_key(text: str, key: str) -> str:
    """Take a key out of what an endpoint says."""
    return text.replace(key, "***") if key else text


def _find_message(body: bytes, key: str) -> str:
    """Find what an endpoint says about an error, on one short line."""
    text = body.decode(errors="replace")
    try:
        match json.loads(text):
            case {"error": {"message": str() as said}}:
                text = said
            case {"error": str() as said} | {"message": str() as said}:
                text = said
            case {"detail": str() as said}:
                text = said
    except (ValueError, RecursionError):
        pass
    line = " ".join(_hide_key(text, key).split())
    return line if len(line) <= 200 else f"{line[:200]}…"


def _read_wait(header: str | None) -> float | None:
    """Read the seconds of Retry-After; None if it is missing or a date."""
    is_number = re.fullmatch(r"\d{1,9}(\.\d+)?", (header or "").strip())
    return float(is_number[0]) if is_number else None
