"""The same training by Python's torch: same net, rates, seeds and order of the batches; prints the same columns as the C++ program."""

import argparse
import gzip
import math
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("--data", type=Path, default=Path("/usr/share/datasets/fashion-mnist"))
options.add_argument("--epochs", type=int, default=5)
options.add_argument("--batch", type=int, default=64)
options.add_argument("--accumulate", type=int, default=2)
options.add_argument("--seed", type=int, default=0)
options.add_argument("--limit", type=int, default=0, help="ends epochs and validations after so many batches; 0: never")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(32 * 7 * 7, 128), nn.ReLU(),
        )  # fmt: skip
        self.head = nn.Linear(128, 10)

    def forward(self, x):
        return self.head(self.features(x))


def read_idx(path, header):
    return torch.frombuffer(bytearray(gzip.decompress(path.read_bytes())[header:]), dtype=torch.uint8)


def splitmix64(seed):
    """SplitMix64's numbers (Steele, Lea and Flood, 2014)."""
    mask = 2**64 - 1
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        z = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        yield z ^ (z >> 31)


def permutation(count, seed, epoch):
    """The order that rg::Batches has, number for number."""
    random = splitmix64((next(splitmix64(seed)) + epoch) & (2**64 - 1))
    order = list(range(count))
    for left in range(count, 1, -1):
        biased = 2**64 % left
        draw = next(random)
        while draw < biased:
            draw = next(random)
        i = draw % left
        order[left - 1], order[i] = order[i], order[left - 1]
    return torch.tensor(order)


def main():
    given = options.parse_args()
    torch.manual_seed(given.seed)
    images = {part: read_idx(given.data / f"{part}-images-idx3-ubyte.gz", 16).view(-1, 1, 28, 28) for part in ("train", "t10k")}
    labels = {part: read_idx(given.data / f"{part}-labels-idx1-ubyte.gz", 8).long() for part in ("train", "t10k")}
    orders = [permutation(len(labels["train"]), given.seed, epoch) for epoch in range(given.epochs)]  # slow in Python, and not timed
    net = Net()

    def count_of(part, size):
        count = math.ceil(len(labels[part]) / size)
        return min(count, given.limit) if given.limit else count

    def batches(part, order, size):
        for first in range(0, count_of(part, size) * size, size):
            rows = slice(first, first + size) if order is None else order[first : first + size]
            yield images[part][rows].float().div_(255).sub_(0.2860).div_(0.3530), labels[part][rows]

    def evaluate():
        net.eval()
        loss = right = seen = 0
        with torch.no_grad():
            for x, y in batches("t10k", None, 500):
                output = net(x)
                loss += functional.cross_entropy(output, y).item() * len(y)
                right += (output.argmax(1) == y).sum().item()
                seen += len(y)
        net.train()
        return loss / seen, right / seen

    def train(epochs, first_epoch, lr, warm_up):
        weights = [p for p in net.parameters() if p.requires_grad]
        groups = [{"params": [p for p in weights if p.dim() > 1], "weight_decay": 0.05}, {"params": [p for p in weights if p.dim() <= 1], "weight_decay": 0.0}]
        optimizer = torch.optim.AdamW(groups, lr=lr, fused=True)
        count = count_of("train", given.batch)
        updates = math.ceil(count / given.accumulate) * epochs
        warm_up = min(warm_up, updates // 8)
        factor = lambda t: (t + 1) / warm_up if t < warm_up else (1 + math.cos(math.pi * (t - warm_up) / max(updates - warm_up, 1))) / 2
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
        done = 0
        for epoch in range(epochs):
            began = time.perf_counter()
            total = seen = 0
            samples = min(len(labels["train"]), count * given.batch)
            window = given.accumulate * given.batch
            for i, (x, y) in enumerate(batches("train", orders[first_epoch + epoch], given.batch)):
                in_window = min(window, samples - i // given.accumulate * window)  # samples, as one big batch weighs them
                loss = functional.cross_entropy(net(x), y)
                (loss * (len(y) / in_window)).backward()
                total += loss.item() * len(y)
                seen += len(y)
                if (i + 1) % given.accumulate == 0 or i + 1 == count:
                    nn.utils.clip_grad_norm_(weights, 1.0)
                    rate = optimizer.param_groups[0]["lr"]
                    optimizer.step()
                    optimizer.zero_grad()
                    scheduler.step()
                    done += 1
            validation_loss, accuracy = evaluate()
            took = time.perf_counter() - began
            print(f"epoch {epoch + 1}  loss {total / seen:.4f}  validation_loss {validation_loss:.4f}  validation_accuracy {accuracy:.4f}"
                  f"  lr {rate:.3g}  samples/s {seen / took:.0f}  updates {done}", flush=True)  # fmt: skip
        return accuracy

    began = time.perf_counter()
    accuracy = train(max(given.epochs - 1, 1), 0, 6e-3, 200)
    if given.epochs > 1:
        net.features.requires_grad_(False)
        accuracy = train(1, given.epochs - 1, 1e-3, 0)
    print(f"accuracy {accuracy:.4f} after {given.epochs} epochs in {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
