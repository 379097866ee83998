"""The classic program of gradient accumulation; prints what the C++ program prints, and writes the weights as raw float32 to the second argument."""

import gzip
import sys
from pathlib import Path

import torch
from torch import nn

data = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/datasets/fashion-mnist")
read = lambda name, header: torch.frombuffer(bytearray(gzip.decompress((data / name).read_bytes())[header:]), dtype=torch.uint8)
x = read("train-images-idx3-ubyte.gz", 16).view(-1, 784)[:6400].float() / 255
y = read("train-labels-idx1-ubyte.gz", 8)[:6400].long()

batch_size, accumulation_steps = 16, 4
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 10))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, fused="--plain" not in sys.argv)  # plain: Python's own loop, which rounds differently

updates = 0
for epoch in range(3):
    total = 0.0
    for i, (inputs, labels) in enumerate(zip(x.split(batch_size), y.split(batch_size))):
        loss = criterion(model(inputs), labels)
        (loss / accumulation_steps).backward()
        total += loss.item() * len(labels)
        if (i + 1) % accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
            updates += 1
    print(f"epoch {epoch + 1}  loss {total / len(x):.17g}  updates {updates}")

if len(sys.argv) > 2:
    Path(sys.argv[2]).write_bytes(b"".join(w.detach().numpy().tobytes() for w in model.parameters()))
