"""The entry point of `metra` and `python -m metra`."""

import gc
import sys

#: New objects between two searches for cycles; Python's own 700 is made for small programs.
GC_THRESHOLD = 20_000


def main() -> None:
    """Run the command line; Ctrl-C ends with exit code 130 and a sentence, at any moment."""
    # Loading modules makes many objects and hardly a cycle, so frequent searches are wasted.
    gc.set_threshold(GC_THRESHOLD)
    try:
        # Inside, because a good part of a short run is spent loading modules.
        from metra.cli import main as run

        run()
    except KeyboardInterrupt:
        # It came before, between or after what the command line itself catches.
        print("metra: interrupted; nothing was written.", file=sys.stderr)
        code: str | int | None = 130
    except SystemExit as ended:
        code = ended.code
    else:
        code = 0
    import signal

    # Nothing is left but to end: Ctrl-C must not look like a fault now. A second one ends it
    # at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL if code == 130 else signal.SIG_IGN)
    # Python would search all objects once more before it ends, a tenth of a short run.
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    main()
