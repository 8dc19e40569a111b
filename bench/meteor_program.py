"""The original METEOR 1.5, a Java program: the jar that METEOR_JAR or pycocoevalcap has."""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path


def find_jar() -> Path | None:
    """Find the original program."""
    if named := os.environ.get("METEOR_JAR"):
        return Path(named)
    package = find_spec("pycocoevalcap")
    for folder in (package and package.submodule_search_locations) or ():
        jar = Path(folder, "meteor", "meteor-1.5.jar")
        if jar.exists():
            return jar
    return None


def explain_missing() -> str | None:
    """Say what is lacking to run the original, or None."""
    jar = find_jar()
    if jar is None:
        return "no meteor-1.5.jar: install pycocoevalcap or set METEOR_JAR"
    if not jar.is_file():
        return f"METEOR_JAR names {jar}, which is no file"
    if shutil.which("java") is None:
        return "no java: install a Java runtime"
    return None
