"""The entry point of `metra` and `python -m metra`."""

import gc
import sys


def main() -> None:
    """Run the command line; Ctrl-C ends with exit code 130 and a sentence, at any moment."""
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
