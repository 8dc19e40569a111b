"""Devices, precision, and batches of texts of similar length within a budget of tokens."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from copy import deepcopy
from queue import Empty, SimpleQueue
from threading import RLock
from typing import Any, Literal, NamedTuple, TypeAlias

from metra.errors import MissingResourceError, OptionError, missing_package

#: How numbers are computed: auto is fp32 on a CPU and the choice of `AUTO_ON_GPU` on a GPU.
Precision: TypeAlias = Literal["auto", "fp32", "tf32", "bf16", "fp16"]

#: The fastest precision whose scores at full size stay within 0.001 of those in fp32, by
#: `bench/neural.py`: in tf32 a segment's score was off by 0.00128.
AUTO_ON_GPU = "fp32"

# Tokens that are computed at once, padding included.
_TOKENS = {"cpu": 4096, "cuda": 32768}
# Where a driver of NVIDIA's shows itself, on Linux and in Windows' Linux.
_DRIVERS = ("/proc/driver/nvidia/version", "/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg")


def import_torch(owner: str) -> Any:
    """Import torch, or say what needs it and how to install it."""
    try:
        import torch
    except ImportError:
        raise MissingResourceError(missing_package(owner, "torch", "neural")) from None
    return torch


def list_devices() -> list[str]:
    """Read METRA_DEVICES, or name all GPUs; the CPU where there is none.

    Without a driver of NVIDIA's, torch is not asked: importing it takes seconds.
    """
    setting = os.environ.get("METRA_DEVICES", "")
    if setting:
        return [name.strip() for name in setting.split(",")]
    if os.name == "posix" and not any(map(os.path.exists, _DRIVERS)):
        return ["cpu"]
    count = import_torch("METRA_DEVICES").cuda.device_count()
    return [f"cuda:{number}" for number in range(count)] or ["cpu"]


def choose_precision(owner: str, asked: Precision) -> str:
    """Return the precision that `auto` stands for here; refuse one the device lacks."""
    on_gpu = any(device.startswith("cuda") for device in list_devices())
    if asked == "auto":
        return AUTO_ON_GPU if on_gpu else "fp32"
    if asked in ("tf32", "fp16") and not on_gpu:
        msg = (
            f"{owner}: precision={asked} needs an NVIDIA GPU, and none was found; "
            "choose fp32 or bf16."
        )
        raise OptionError(msg)
    return asked


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


class Replica(NamedTuple):
    """A network on one device."""

    device: str
    network: Any


#: Places of texts, and what was computed of them.
Answer: TypeAlias = tuple[list[int], Any]


class Runner:
    """Copies of a network, one a device, that share batches of texts among them."""

    def __init__(self, network: Any, precision: str, devices: Sequence[str]) -> None:
        """Put copies of a network, which is on the CPU in fp32, on devices.

        `network.move_to(device, kind)` moves it; its encoder has numbers of a kind of torch's.
        """
        self.torch = import_torch("A neural metric")
        self.precision = precision
        #: Held by whoever uses the networks, and what belongs to them.
        self.lock = RLock()
        kinds = {"bf16": self.torch.bfloat16, "fp16": self.torch.float16}
        kind = kinds.get(precision, self.torch.float32)
        self.replicas = []
        for number, device in enumerate(devices, 1):
            # The last takes the network itself: a model may fill the memory.
            copy = network if number == len(devices) else deepcopy(network)
            try:
                moved = copy.move_to(device, kind)
            except (RuntimeError, AssertionError) as error:
                reason = str(error).partition("\n")[0].rstrip(".")
                msg = f"The model cannot be loaded on the device {device!r}: {reason}."
                raise MissingResourceError(msg) from None
            self.replicas.append(Replica(device, moved))

    def run(
        self, lengths: Sequence[int], compute: Callable[[Replica, list[int]], Any]
    ) -> list[Answer]:
        """Compute something of all texts, given their lengths, in batches on all devices.

        `compute` takes a network on its device and the places of some texts. Return what it
        gives, with the places; tensors stay on their devices, so that the next batch can be
        prepared while one is computed.
        """
        budget = min(read_token_budget(replica.device) for replica in self.replicas)
        count = len(self.replicas)
        if count > 1:  # so that every device has something to do
            budget = min(budget, sum(lengths) // (2 * count) + 1)
        pending: SimpleQueue[list[int]] = SimpleQueue()
        for places in split_by_length(lengths, budget):
            pending.put(places)

        def work(replica: Replica) -> list[Answer]:
            answers: list[Answer] = []
            with self.torch.inference_mode():
                while True:
                    try:
                        places = pending.get_nowait()
                    except Empty:
                        return answers
                    answers.append((places, compute(replica, places)))

        with _set_tf32(self.torch, self.precision):
            if count == 1:
                return work(self.replicas[0])
            with ThreadPoolExecutor(count) as workers:
                return [
                    one for part in workers.map(work, self.replicas) for one in part
                ]

    def gather(self, answers: Sequence[Answer]) -> Any:
        """Return the rows of all answers as one array, in the order of the texts."""
        import numpy as np

        by_device: dict[str, list[Answer]] = {}
        for places, tensor in answers:
            by_device.setdefault(str(tensor.device), []).append((places, tensor))
        order = [p for part in by_device.values() for places, _ in part for p in places]
        parts = [  # one copy a device
            self.torch.cat([tensor for _, tensor in part]).float().cpu().numpy()
            for part in by_device.values()
        ]
        joined = np.concatenate(parts)
        rows = np.empty_like(joined)
        rows[order] = joined
        return rows


def pad_ids(
    torch: Any, ids: Sequence[Sequence[int]], padding: int, device: str
) -> tuple[Any, Any]:
    """Return sequences of token ids as one tensor, and which of its entries are tokens."""
    import numpy as np

    lengths = np.array([len(one) for one in ids])
    is_token = np.arange(lengths.max())[None, :] < lengths[:, None]
    padded = np.full(is_token.shape, padding, dtype=np.int64)
    padded[is_token] = np.concatenate([np.asarray(one, np.int64) for one in ids])
    return torch.from_numpy(padded).to(device), torch.from_numpy(is_token).to(device)


@contextmanager
def _set_tf32(torch: Any, precision: str) -> Iterator[None]:
    """Compute matrix products of fp32 numbers in TF32, or in full, for a while."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
