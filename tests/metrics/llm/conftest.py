"""What tests of judges share: texts, a cache of their own, no key, no long waits."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.metrics.llm.endpoints import Endpoint

from metra.metrics.llm import endpoint as client


@pytest.fixture(autouse=True)
def judge_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep answers of each test apart, and wait hardly at all."""
    for name in ("METRA_LLM_KEY", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("METRA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(client, "FIRST_WAIT", 0.001)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Where the answers of `judge` are kept."""
    return tmp_path / "answers.jsonl"


@pytest.fixture
def judge(cache: Path) -> Callable[..., str]:
    """Write the spec of a judge at an endpoint."""

    def build_spec(endpoint: Endpoint | None, **options: object) -> str:
        given = {
            "model": "judge",
            "source_lang": "French",
            "target_lang": "English",
            "cache": cache,
            **({"url": endpoint.url} if endpoint else {}),
            **options,
        }
        return "llm:" + ",".join(f"{name}={value}" for name, value in given.items())

    return build_spec
