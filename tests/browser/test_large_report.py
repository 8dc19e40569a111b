"""A report of a usual test set, 3,000 segments of 10 systems, opens at once."""

import numpy as np
import pytest

SEGMENTS, SYSTEMS = 3000, 10
#: Of a processor, so that it does not matter who else is at work; about one is needed.
MOST_SECONDS = 5.0


@pytest.fixture(scope="module")
def report(write_report, tmp_path_factory):
    rng = np.random.default_rng(1)
    words = [f"w{at}" for at in range(2000)]
    refs = [
        [words[at] for at in rng.zipf(1.3, rng.integers(5, 45)) % len(words)]
        for _ in range(SEGMENTS)
    ]
    folder = tmp_path_factory.mktemp("large")

    def write(name, segments):
        path = folder / name
        path.write_text("".join(" ".join(s) + "\n" for s in segments), encoding="utf-8")
        return path

    def output(share):
        return [[w if rng.random() > share else "x" for w in ref] for ref in refs]

    outputs = [
        write(f"system-{at}.txt", output(0.1 + 0.05 * at)) for at in range(SYSTEMS)
    ]
    metrics = ["-m", "bleu", "-m", "chrf", "-m", "wer", "-m", "f1"]
    return write_report(*outputs, "-r", write("ref.txt", refs), *metrics)


@pytest.mark.slow
def test_it_opens_at_once_and_stays_quick(report, open_page):
    page = open_page(report)
    watch = page.context.new_cdp_session(page)
    watch.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.reload()
    found = watch.send("Performance.getMetrics")["metrics"]
    [seconds] = [one["value"] for one in found if one["name"] == "TaskDuration"]
    assert 0.01 < seconds < MOST_SECONDS
    assert "of 3,000 segments" in page.locator(".status").inner_text()
    assert page.locator(".seg").count() == 10
    page.get_by_label("reference", exact=True).select_option(label="at least 20 words")
    page.locator(".status", has_not_text="3,000").wait_for()
    page.get_by_label("reference", exact=True).select_option(label="any length")
    page.locator(".status", has_text="3,000").wait_for()
    page.get_by_label("search").fill("w17")
    page.locator(".status", has_not_text="3,000").wait_for()
    assert page.locator(".seg").count() > 0


@pytest.mark.slow
def test_the_file_holds_each_text_once(report):
    assert report.stat().st_size < 20_000_000
