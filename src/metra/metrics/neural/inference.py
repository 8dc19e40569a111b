"""Devices, precision, and batches of texts of similar length within a budget of tokens."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from copy import deepcopy
from itertools import chain
from threading import RLock
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from metra.errors import MissingResourceError, OptionError

#: How numbers are computed. In tf32, the next faster one, segment scores at full size are
#: off by up to 0.00128, by `bench/neural.py`.
Precision: TypeAlias = Literal["fp32", "tf32", "bf16", "fp16"]

# Tokens that are computed at once, padding included.
_TOKENS = {"cpu": 4096, "cuda": 32768}
# Where a driver of NVIDIA's shows itself, on Linux and in Windows' Linux.
_DRIVERS = ("/proc/driver/nvidia/version", "/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg")


def list_devices() -> list[str]:
    """Read METRA_DEVICES, or name all GPUs; the CPU where there is none.

    Without a driver of NVIDIA's, torch is not asked: importing it takes seconds.
    """
    setting = os.environ.get("METRA_DEVICES", "")
    if setting:
        return [name.strip() for name in setting.split(",")]
    if os.name == "posix" and not any(map(os.path.exists, _DRIVERS)):
        return ["cpu"]
    import torch

    count = torch.cuda.device_count()
    return [f"cuda:{number}" for number in range(count)] or ["cpu"]


def check_precision(owner: str, precision: Precision, devices: Sequence[str]) -> None:
    """Refuse a precision that the devices lack."""
    on_gpu = any(device.startswith("cuda") for device in devices)
    if precision in ("tf32", "fp16") and not on_gpu:
        msg = (
            f"{owner}: precision={precision} needs an NVIDIA GPU, and none was found; "
            "choose fp32 or bf16."
        )
        raise OptionError(msg)


def read_token_budget(device: str) -> int:
    """Read METRA_TOKENS, the number of tokens to compute at once, or choose one."""
    setting = os.environ.get("METRA_TOKENS", "")
    if not setting:
        return _TOKENS["cuda" if device.startswith("cuda") else "cpu"]
    if not setting.isdecimal() or int(setting) < 1:
        msg = f"METRA_TOKENS is {setting!r}; expected a whole number of at least 1."
        raise OptionError(msg)
    return int(setting)


def split_by_length(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Put texts of similar length together, the longest first, within a budget of tokens.

    Each batch, padded to its longest text, has at most `budget` tokens; a longer text is a
    batch of its own. Return the texts' places.

    >>> split_by_length([2, 9, 3, 4], budget=8)
    [[1], [3, 2], [0]]
    """
    order = sorted(range(len(lengths)), key=lambda place: -lengths[place])
    batches = []
    start = 0
    while start < len(order):
        size = max(1, budget // max(1, lengths[order[start]]))
        batches.append(order[start : start + size])
        start += size
    return batches


class Network(NamedTuple):
    """A network on one device."""

    encoder: Any
    #: What computes scores, and labels of tokens, in fp32.
    head: Any = None
    tagger: Any = None
    device: str = "cpu"


#: Places of texts, and what was computed of them.
Answer: TypeAlias = tuple[list[int], Any]


class Runner:
    """Copies of a network, one a device, that share batches of texts among them."""

    def __init__(
        self, network: Network, padding: int, precision: str, devices: Sequence[str]
    ) -> None:
        """Put copies of a network, which is on the CPU in fp32, on devices."""
        import torch

        self.torch = torch
        self.padding = padding
        self.precision = precision
        #: Held by whoever uses the networks, and what belongs to them.
        self.lock = RLock()
        kinds = {"bf16": torch.bfloat16, "fp16": torch.float16}
        kind = kinds.get(precision, torch.float32)
        self.networks: list[Network] = []
        for number, device in enumerate(devices, 1):
            # The last takes the network itself: a model may fill the memory.
            copy = network if number == len(devices) else deepcopy(network)
            try:
                encoder = copy.encoder.to(device=device, dtype=kind)
                head, tagger = (
                    part if part is None else part.to(device)
                    for part in (copy.head, copy.tagger)
                )
            except (RuntimeError, AssertionError) as error:
                reason = str(error).partition("\n")[0].rstrip(".")
                msg = f"The model cannot be loaded on the device {device!r}: {reason}."
                raise MissingResourceError(msg) from None
            self.networks.append(Network(encoder, head, tagger, device))

    def run(
        self, lengths: Sequence[int], compute: Callable[[Network, list[int]], Any]
    ) -> list[Answer]:
        """Compute something of all texts, given their lengths, in batches on all devices.

        `compute` takes a network on its device and the places of some texts. Return what it
        gives, with the places; tensors stay on their devices, so that the next batch can be
        prepared while one is computed.
        """
        budget = min(read_token_budget(network.device) for network in self.networks)
        count = len(self.networks)
        if count > 1:  # so that every device has something to do
            budget = min(budget, sum(lengths) // (2 * count) + 1)
        pending = deque(split_by_length(lengths, budget))

        def work(network: Network) -> list[Answer]:
            answers: list[Answer] = []
            with self.torch.inference_mode():
                while True:
                    try:
                        places = pending.popleft()
                    except IndexError:
                        return answers
                    answers.append((places, compute(network, places)))

        with _set_tf32(self.torch, self.precision):
            if count == 1:
                return work(self.networks[0])
            with ThreadPoolExecutor(count) as workers:
                return [*chain.from_iterable(workers.map(work, self.networks))]

    def gather(self, answers: Sequence[Answer]) -> Any:
        """Return the rows of all answers as one array, in the order of the texts."""
        joined = self.torch.cat([tensor.float().cpu() for _, tensor in answers]).numpy()
        rows = np.empty_like(joined)
        rows[[place for places, _ in answers for place in places]] = joined
        return rows

    def pad(self, ids: Sequence[Sequence[int]], device: str) -> tuple[Any, Any]:
        """Return sequences of token ids as one tensor, and which of its entries are tokens."""
        lengths = np.array([len(each) for each in ids])
        is_token = np.arange(lengths.max())[None, :] < lengths[:, None]
        padded = np.full(is_token.shape, self.padding, dtype=np.int64)
        padded[is_token] = np.concatenate([np.asarray(each, np.int64) for each in ids])
        tensors = map(self.torch.from_numpy, (padded, is_token))
        return tuple(tensor.to(device) for tensor in tensors)


@contextmanager
def _set_tf32(torch: Any, precision: str) -> Iterator[None]:
    """Compute matrix products of fp32 numbers in TF32, or in full, for a while."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
