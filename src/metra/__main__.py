"""`python -m metra`: the command line."""

from metra.cli import main

if __name__ == "__main__":
    main()
