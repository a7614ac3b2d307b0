"""Sampling by noise on the logits, so that a sequence's text never depends on its batch.

Gumbel-max (Maddison, Tarlow and Minka 2014, "A* Sampling", section 2): with G drawn independently
from the standard Gumbel distribution, argmax(logits / T + G) is a sample from softmax(logits / T).
Each sequence draws from a stream of its own, a whole vocabulary a step, so neighbours, order and
interruptions change nothing. Batching moves logits by rounding; a token then changes only where the
two best sums nearly tie, whereas inverting a cumulative sum would often change it in the long tail.
The noise is made on the CPU: on every device the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import torch


class Noise:
    """One sequence's own stream of noise.

    Args:
        temperature: The temperature, above 0.
        seed: Seeds the stream; any size.
    """

    def __init__(self, temperature: float, seed: int) -> None:
        import numpy as np

        self.temperature = temperature
        self._generator = np.random.Generator(np.random.PCG64(seed))

    def fill(self, out: npt.NDArray[np.float64]) -> None:
        """Fill a row with the next numbers of the stream, uniform in [0, 1)."""
        self._generator.random(out=out)


def perturb(logits: torch.Tensor, noises: Sequence[Noise | None]) -> torch.Tensor:
    """Turn logits into sums whose argmax is a sample.

    Args:
        logits: Next-token logits in float32, shape (rows, vocabulary); never written to.
        noises: Each row's noise, or None to leave the row alone.

    Returns:
        `logits` itself where no row has noise; otherwise a copy in which just the rows with noise
        are logits / temperature + Gumbel noise.
    """
    import numpy as np
    import torch

    drawing = [(row, noise) for row, noise in enumerate(noises) if noise is not None]
    if not drawing:
        return logits
    # Double precision: in single, the few numbers near 1 would make rare tokens tie.
    uniform = np.empty((len(drawing), logits.shape[-1]))
    for place, (_, noise) in enumerate(drawing):
        noise.fill(uniform[place])
    gumbel = torch.from_numpy(uniform).log_().neg_().log_().neg_().float().to(logits.device)
    rows = [row for row, _ in drawing]
    temperatures = logits.new_tensor([[noise.temperature] for _, noise in drawing])
    noisy = logits.clone()
    noisy[rows] = logits[rows] / temperatures + gumbel
    return noisy
