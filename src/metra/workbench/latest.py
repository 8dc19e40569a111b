"""Values that took long to compute, the latest of which are kept in memory."""

from collections import OrderedDict
from threading import Lock
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class LatestValues(Generic[Value]):
    """The values that were used last, by keys; threads may share them."""

    def __init__(self, most: int) -> None:
        """Keep so many at most."""
        self._most, self._lock = most, Lock()
        self._values: OrderedDict[Any, Value] = OrderedDict()

    def get(self, key: Any) -> Value | None:
        """Return a kept value, or None."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key]

    def put(self, key: Any, value: Value) -> Value:
        """Keep a value, and return it."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return value
