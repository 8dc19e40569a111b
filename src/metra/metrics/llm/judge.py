"""The metric `llm`: translations scored, or their errors marked, by a language model."""

import json
import threading
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from metra.errors import EndpointError, OptionError, TextWarning, format_count
from metra.metrics import record
from metra.metrics.llm import endpoint as client
from metra.metrics.llm.answers import (
    AnswerScale,
    ErrorWeights,
    UnreadError,
    place_errors,
)
from metra.metrics.llm.cache import AnswerCache, ModelAnswer, find_default_path
from metra.metrics.llm.endpoint import Endpoint, Estimate, Prices, Spending
from metra.metrics.llm.prompts import Prompt, SegmentTexts, read_prompt
from metra.metrics.options import UNSIGNED, FromZero, Range
from metra.metrics.record import AnyBatch, Array, Metric, Parts, metric_factory
from metra.metrics.units import Detail
from metra.scores.spans import Mark, RatingKey, Spans, build_spans
from metra.scores.table import ScoredItem
from metra.stats.agreement import compute_interval_alpha
from metra.stats.parallel import tell_progress

COLUMNS = ("score", "segments", "unread", "input_tokens", "output_tokens")
#: What repeated runs add: segments with two answers or more, those with equal answers, and
#: the columns of Krippendorff's alpha.
RUN_COLUMNS = ("repeated", "same", "values", "differences", "sum", "squares")

# Tokens that an answer may have if answer_tokens sets no limit, for estimates.
_USUAL_ANSWER = 2000
_SHOWN = 3

_Count: TypeAlias = Annotated[int, Range(1, 1000), UNSIGNED]
_Money: TypeAlias = Annotated[float, Range(0), UNSIGNED]
_Unsigned: TypeAlias = Annotated[str, UNSIGNED]


@metric_factory(title="LLM", papers="kocmi2023")
def llm(
    *,
    prompt: str = "score",
    model: str = "",
    url: _Unsigned = "",
    source_lang: str = "",
    target_lang: str = "",
    reference: bool = False,
    answers: Literal["auto", "score", "errors", "gemba-mqm"] = "auto",
    lowest: Annotated[float, Range(-1e9, 1e9)] = 0.0,
    highest: Annotated[float, Range(-1e9, 1e9)] = 100.0,
    minor: FromZero = 1.0,
    major: FromZero = 5.0,
    critical: FromZero = 25.0,
    cap: FromZero = 25.0,
    temperature: Annotated[float, Range(0, 2)] = 0.0,
    answer_tokens: Annotated[int, Range(0, 1_000_000)] | None = None,
    json_mode: bool = False,
    runs: Annotated[int, Range(1, 100)] = 1,
    unread: Literal["error", "skip"] = "error",
    concurrency: _Count = 8,
    retries: Annotated[int, Range(0, 100), UNSIGNED] = 5,
    timeout: Annotated[float, Range(0, 86_400, above=True), UNSIGNED] = 120.0,
    cost_budget: _Money = 0.0,
    input_price: _Money = 0.0,
    output_price: _Money = 0.0,
    key_variable: _Unsigned = "METRA_LLM_KEY",
    cache: _Unsigned = "",
) -> Metric:
    """Scores by a language model that judges each segment. Higher is better.

    metra asks the model through an OpenAI-compatible endpoint (chat completions), and
    the score is the mean of its answers. `prompt=score` asks for a number from 0 to
    100. `prompt=errors` asks for errors with severities; the score of a segment is
    minus the sum of their weights, at most `cap`. Any other value is a file with your
    own prompt. With several runs, each question is asked several times, the score of a
    segment is the mean, and the parts measure the consistency of the model:
    Krippendorff's alpha, and the share of segments with equal answers. See the page
    "LLM judges" of the documentation.

    Answers are stored in a file, so that an interrupted run does not ask any question
    twice; without a url only answers in the file are used. An answer in another format
    than requested is unread: it is an error, or with `unread=skip` the segment is
    scored by its other runs, and excluded if it has none. `metra score --estimate`
    estimates the cost of a run. The key comes from the environment.

    Prompts after Kocmi and Federmann 2023 (GEMBA, EAMT; GEMBA-MQM, WMT), Fernandes et
    al. 2023 (AutoMQM) and Lu et al. 2024 (EAPrompt), in our own words.

    Options:
        prompt: score, errors, or a file with the placeholders {source}, {hypothesis},
            {reference}, {texts}, {source_language} and {target_language}.
        model: name of the model at the endpoint.
        url: address of the API, such as http://localhost:8000/v1.
        source_lang: source language, as it should appear in the prompt.
        target_lang: target language, as it should appear in the prompt.
        reference: whether {texts}, and therefore the built-in prompts, contain the
            references.
        answers: format of the answers to your own prompt; auto is score for a file.
        lowest: lowest score of the prompt's scale; a lower answer is unread.
        highest: highest score of the prompt's scale; a higher answer is unread.
        minor: weight of a minor error.
        major: weight of a major error.
        critical: weight of a critical error.
        cap: largest total weight of a segment's errors; 0 for no limit.
        temperature: sampling temperature.
        answer_tokens: largest number of tokens of an answer; by default 100 for
            prompt=score and 2000 for others; 0 for no limit.
        json_mode: whether to ask the endpoint for JSON only (response_format).
        runs: number of times to ask each question.
        unread: treatment of answers that cannot be parsed.
        concurrency: largest number of simultaneous requests.
        retries: number of retries of a failed request.
        timeout: seconds to wait for an answer.
        cost_budget: largest cost of a run, by the prices given; 0 for no limit. With
            prices of 1, it is a number of millions of tokens.
        input_price: price of a million input tokens.
        output_price: price of a million output tokens.
        key_variable: name of the environment variable with the API key (never the key
            itself).
        cache: file that stores the answers; by default one file per model in the cache
            folder.
    """
    asked = read_prompt(prompt)
    kind = (
        ("errors" if prompt == "errors" else "score") if answers == "auto" else answers
    )
    if not model:
        msg = "llm needs a model; give model=NAME."
        raise OptionError(msg)
    if lowest >= highest:
        msg = f"llm: lowest={lowest:g} is not below highest={highest:g}."
        raise OptionError(msg)
    if cost_budget and not (input_price or output_price):
        msg = "llm: cost_budget needs prices; give input_price and output_price."
        raise OptionError(msg)
    client.check_key_variable(key_variable)
    if answer_tokens is None:
        answer_tokens = 100 if prompt == "score" else 2000
    languages = {"source_language": source_lang, "target_language": target_lang}
    _check_prompt(asked, languages, reference)
    # Jitter changes no score, so it has no seed.
    draw = np.random.default_rng().random
    prices = Prices(input_price, output_price)
    weights = {"minor": minor, "major": major, "critical": critical}
    scale = AnswerScale(lowest, highest) if kind == "score" else None
    judge = ModelJudge(
        prompt=asked,
        reader=scale or ErrorWeights(weights, cap, has_lists=kind == "gemba-mqm"),
        settings={
            "model": model,
            "temperature": temperature,
            **({"max_tokens": answer_tokens} if answer_tokens else {}),
            **({"response_format": {"type": "json_object"}} if json_mode else {}),
        },
        languages=languages,
        shows_references=reference or "reference" in asked.placeholders,
        runs=runs,
        is_strict=unread == "error",
        concurrency=concurrency,
        endpoint=Endpoint(
            client.read_address(url), key_variable, retries, timeout, draw
        )
        if url
        else None,
        spending=Spending(prices, cost_budget),
        cache=AnswerCache(cache or find_default_path(model)),
    )
    return Metric(
        name="llm",
        columns=COLUMNS + (RUN_COLUMNS if runs > 1 else ()),
        rows=judge.rows,
        aggregate=record.compute_mean,
        parts=partial(parts, prices=prices),
        needs=record.select_needs(
            references=judge.shows_references,
            source=bool(asked.placeholders & {"source", "texts"}),
        ),
        settled={
            "prompt": asked.describe_version(),
            "answers": kind,
            "answer_tokens": answer_tokens,
            "reference": judge.shows_references,
        },
        fast=record.Fast(own_threads=True),
        notes=record.Notes(
            details=judge.details,
            marked=None if scale else judge.build_marks,
            estimate=judge.estimate,
            basis="neural",
        ),
    )


def parts(totals: Array, *, prices: Prices) -> Parts:
    """Return unread answers, tokens and cost, and with repeated runs their agreement."""
    named = dict(zip(COLUMNS + RUN_COLUMNS, totals.tolist(), strict=False))
    shown: Parts = {name: named[name] for name in COLUMNS[2:]}
    if any(prices):
        shown["cost"] = prices.compute_cost(
            named["input_tokens"], named["output_tokens"]
        )
    if named.get("repeated"):
        shown["same"] = 100 * named["same"] / named["repeated"]
        shown["alpha"] = float(compute_interval_alpha(totals[len(COLUMNS) + 2 :]))
    return shown


class _Question(NamedTuple):
    """One request about a segment of a batch, and the key of its answer."""

    at: int
    texts: SegmentTexts
    run: int
    key: str
    body: Mapping[str, Any]
    #: Tokens in, about, and out, at most.
    tokens: tuple[int, int]


@dataclass(slots=True)
class ModelJudge:
    """A language model with its prompt: asks what has no answer yet, and reads answers."""

    prompt: Prompt
    reader: AnswerScale | ErrorWeights
    #: What a request says beside its messages.
    settings: Mapping[str, Any]
    languages: Mapping[str, str]
    shows_references: bool
    runs: int
    is_strict: bool
    concurrency: int
    #: None to use answers in the file only.
    endpoint: Endpoint | None
    spending: Spending
    cache: AnswerCache
    _reused: int = 0
    _unread: int = 0
    _slots: threading.Semaphore = field(init=False)
    #: The errors of the segments that were scored, by run.
    _marks: dict[RatingKey, list[Mark]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._slots = threading.Semaphore(self.concurrency)

    def build_marks(self) -> Spans:
        """Return the errors of the segments that were scored."""
        name = f"{self.settings['model']}, {self.prompt.describe_version()}"
        return build_spans(name, self._marks, is_automatic=True)

    def rows(self, batch: AnyBatch) -> Array:
        """Return each segment's score and what it took, and how its runs agree."""
        questions = self._list_questions(batch)
        self._reused += self._ask_all(batch, questions)
        width = len(COLUMNS) + (len(RUN_COLUMNS) if self.runs > 1 else 0)
        table = np.zeros((len(batch), width))
        scores: list[list[float]] = [[] for _ in range(len(batch))]
        unread: list[str] = []
        for question, answer in self._pair_answers(questions):
            row, number = table[question.at], batch.place.first + question.at + 1
            row[3:5] += answer.input_tokens, answer.output_tokens
            try:
                scores[question.at].append(self.reader.score(answer))
            except UnreadError as error:
                unread.append(f"segment {number}: {_shorten(answer.text)!r} ({error})")
                row[2] += 1
                continue
            self._keep_marks(batch.place.system or "", number, question, answer)
        for row, own in zip(table, scores, strict=True):
            if own:
                row[:2] = sum(own) / len(own), 1
            if len(own) > 1:
                row[len(COLUMNS) :] = _compare_runs(np.array(own))
        self._unread += len(unread)
        self._report()
        if unread:
            self._refuse_unread(batch, unread, len(questions))
        return table

    def details(self, batch: AnyBatch) -> list[Detail]:
        """Return the errors that the judge marked, and the answers that cannot be read."""
        questions = self._list_questions(batch)
        self._ask_all(batch, questions)
        return [
            detail
            for question, answer in self._pair_answers(questions)
            for detail in self._list_details(question, answer)
        ]

    def estimate(self, batches: Iterable[AnyBatch]) -> Estimate:
        """Say what the scores of these batches will take; nothing is asked."""
        self.cache.refresh()
        tokens_by_key = {
            question.key: question.tokens
            for batch in batches
            for question in self._list_questions(batch)
        }
        open_tokens = [
            tokens for key, tokens in tokens_by_key.items() if not self.cache.get(key)
        ]
        tokens_in = sum(tokens for tokens, _ in open_tokens)
        tokens_out = sum(tokens for _, tokens in open_tokens)
        prices = self.spending.prices
        return Estimate(
            len(tokens_by_key),
            len(tokens_by_key) - len(open_tokens),
            tokens_in,
            tokens_out,
            prices.compute_cost(tokens_in, tokens_out) if any(prices) else None,
        )

    def _keep_marks(
        self, system: str, number: int, question: _Question, answer: ModelAnswer
    ) -> None:
        """Keep the errors of a segment by run, if answers are errors."""
        if isinstance(self.reader, AnswerScale):
            return
        name = self.settings["model"]
        judge = f"{name}, run {question.run}" if self.runs > 1 else name
        self._marks[system, ScoredItem(str(number)), judge] = [
            *self._place_errors(question, answer)
        ]

    def _place_errors(self, question: _Question, answer: ModelAnswer) -> Iterator[Mark]:
        errors = self.reader.list_errors(answer)
        return place_errors(errors, question.texts.hypothesis, question.texts.source)

    def _list_details(
        self, question: _Question, answer: ModelAnswer
    ) -> Iterator[Detail]:
        at, about = question.at, {"run": str(question.run)} if self.runs > 1 else {}
        try:
            errors = [*self._place_errors(question, answer)]
        except UnreadError as unread:
            reason = {"why": str(unread), **about}
            yield Detail(at, "unread", _shorten(answer.text), reason)
            return
        for error in errors:
            is_placed = error.start is not None
            where = (
                f"{error.side} {error.start}-{error.end}" if is_placed else "nowhere"
            )
            noted = {"category": error.category, "at": where, **about}
            yield Detail(at, error.severity, error.text, noted)

    def _list_questions(self, batch: AnyBatch) -> list[_Question]:
        """List the questions about each segment, one for each run."""
        questions = []
        for at in range(len(batch)):
            texts = self._get_texts(batch, at)
            messages = self.prompt.fill(texts, self.languages)
            body = {**self.settings, "messages": messages}
            tokens_in = sum(
                client.estimate_tokens(message["content"]) for message in messages
            )
            tokens = tokens_in, self.settings.get("max_tokens", _USUAL_ANSWER)
            content = json.dumps(body, sort_keys=True)
            for run in range(1, self.runs + 1):
                key = sha256(f"{run} {content}".encode()).hexdigest()
                questions.append(_Question(at, texts, run, key, body, tokens))
        return questions

    def _get_texts(self, batch: AnyBatch, at: int) -> SegmentTexts:
        references = batch.refs if self.shows_references else ()
        shown = [column.text[at] for column in references]
        source = batch.source.text[at] if batch.source else None
        return SegmentTexts(
            batch.hyps.text[at] or "",
            source or "",
            [text for text in shown if text is not None],
        )

    def _pair_answers(
        self, questions: Sequence[_Question]
    ) -> Iterator[tuple[_Question, ModelAnswer]]:
        for question in questions:
            answer = self.cache.get(question.key)
            if answer is not None:
                yield question, answer

    def _ask_all(self, batch: AnyBatch, questions: Sequence[_Question]) -> int:
        """Ask questions without an answer, and keep each answer as it comes.

        Return the number of those with an answer.
        """
        self.cache.refresh()
        by_key = {question.key: question for question in questions}
        waiting = deque(q for key, q in by_key.items() if self.cache.get(key) is None)
        reused = len(by_key) - len(waiting)
        if not waiting:
            return reused
        if self.endpoint is None:
            msg = (
                f"llm: {self.cache.path} lacks {format_count(len(waiting), 'answer')} of "
                f"{len(by_key):,}{_name_place(batch)}; give url to ask for them."
            )
            raise EndpointError(msg)
        stop = threading.Event()
        errors: list[Exception] = []

        def work(endpoint: Endpoint, ended: threading.Event) -> None:
            try:
                while waiting and not stop.is_set():
                    self._ask(waiting.popleft(), endpoint, stop)
            except IndexError:  # another thread took the last one
                pass
            except Exception as error:
                errors.append(error)
                stop.set()
            finally:
                ended.set()

        count = min(self.concurrency, len(waiting))
        ends = [threading.Event() for _ in range(count)]
        for ended in ends:
            arguments = (self.endpoint, ended)
            threading.Thread(target=work, args=arguments, daemon=True).start()
        try:
            _wait_for_all(ends)
        except KeyboardInterrupt:
            # What is under way is paid for, so it is waited for; a second Ctrl-C is not.
            stop.set()
            _wait_for_all(ends)
            msg = f"interrupted; {self._describe_kept()}"
            raise KeyboardInterrupt(msg) from None
        finally:
            self._report()
        if errors:
            raise self._explain_end(errors[0]) from None
        return reused

    def _ask(
        self, question: _Question, endpoint: Endpoint, stop: threading.Event
    ) -> None:
        with self._slots:
            answer = endpoint.ask(question.body, question.tokens, self.spending, stop)
        if answer is not None:
            self.cache.add(
                question.key,
                answer,
                asked=self.settings["model"],
                prompt=self.prompt.compute_digest(),
                run=question.run,
            )
            self._report()

    def _explain_end(self, error: Exception) -> Exception:
        if not isinstance(error, (EndpointError, OptionError)):
            return error
        return type(error)(f"llm: {error}; {self._describe_kept()}")

    def _describe_kept(self) -> str:
        count = format_count(self.spending.answers, "answer")
        return (
            f"{count} of this run and all earlier ones are stored in "
            f"{self.cache.path}; run the same command to resume."
        )

    def _report(self) -> None:
        reused = f", {self._reused:,} reused" if self._reused else ""
        unread = f", {self._unread:,} unread" if self._unread else ""
        answers = format_count(self.spending.answers, "new answer")
        tell_progress(
            f"llm {self.settings['model']}",
            f"{answers}{reused}{unread}; {self.spending.describe()}",
        )

    def _refuse_unread(
        self, batch: AnyBatch, unread: Sequence[str], count: int
    ) -> None:
        more = len(unread) - _SHOWN
        whole = (
            f"{len(unread):,} of {format_count(count, 'answer')}{_name_place(batch)}"
        )
        msg = (
            f"llm: {whole} cannot be read: {', '.join(unread[:_SHOWN])}"
            f"{f', and {more:,} more' if more > 0 else ''}"
        )
        if self.is_strict:
            msg += (
                f"; all answers are stored in {self.cache.path}. Give unread=skip to "
                "score without them."
            )
            raise EndpointError(msg)
        warnings.warn(f"{msg}; they are left out.", TextWarning, stacklevel=2)


def _check_prompt(
    prompt: Prompt, languages: Mapping[str, str], reference: bool
) -> None:
    """Refuse a prompt with a placeholder that has no value."""
    for placeholder, option in (
        ("source_language", "source_lang"),
        ("target_language", "target_lang"),
    ):
        if placeholder in prompt.placeholders and not languages[placeholder]:
            language = placeholder.replace("_", " ")
            msg = f"llm: the prompt names the {language}; give {option}=NAME."
            raise OptionError(msg)
    if reference and not prompt.placeholders & {"reference", "texts"}:
        msg = f"llm: {prompt.name} does not contain the reference; add {{reference}}."
        raise OptionError(msg)


def _compare_runs(scores: Array) -> tuple[float, ...]:
    """Return the columns of a segment with several answers, see `RUN_COLUMNS`."""
    m = len(scores)
    apart = 2 * m * float(((scores - scores.mean()) ** 2).sum()) / (m - 1)
    is_same = bool((scores == scores[0]).all())
    return 1, is_same, m, apart, float(scores.sum()), float((scores**2).sum())


def _wait_for_all(events: Iterable[threading.Event]) -> None:
    """Wait for events, in steps, so that a signal is noticed on every platform.

    Threads tell their end by events, because Python 3.11 takes a thread for dead whose
    join was interrupted.
    """
    for event in events:
        while not event.wait(0.2):
            pass


def _name_place(batch: AnyBatch) -> str:
    system = batch.place.system
    return f" about {system!r}" if system else ""


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:80]}…"
