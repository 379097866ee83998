"""Trains one small net by several loops, each written as Python users write it; the weights go to FOLDER/NAME as raw float32."""

import math
import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

folder = Path(sys.argv[1])
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(6, 8)
        self.middle = nn.Linear(8, 8)
        self.head = nn.Linear(8, 3)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        return self.head(self.dropout(self.middle(self.body(x).relu()).relu()))


torch.manual_seed(2)
batches = []
for _ in range(14):
    x = torch.randn(8, 6)
    batches.append((x, torch.randint(3, (8,))))


def train(name, epochs, n=1, clip=None, p=2.0, dtype=None, scale=False, schedule=False, freeze=False, groups=False, sgd=False, smoothing=0.0):
    torch.manual_seed(1)
    net = Net()
    torch.manual_seed(3)
    if freeze:
        net.body.requires_grad_(False)
    trained = [(k, p) for k, p in net.named_parameters() if p.requires_grad]
    if groups:
        split = {}
        for key, parameter in trained:
            rate = 0.02 if key.startswith("head.") else 0.01
            split.setdefault((rate, 0.0 if parameter.dim() <= 1 else 0.1), []).append(parameter)
        parameters = [{"params": q, "lr": rate, "weight_decay": decay} for (rate, decay), q in split.items()]
    else:
        parameters = [q for _, q in trained]
    if sgd:
        optimizer = torch.optim.SGD(parameters, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01, fused=True)
    else:
        optimizer = torch.optim.AdamW(parameters, lr=0.01, weight_decay=0.1, fused=True)
    updates = math.ceil(len(batches) / n) * epochs
    warm_up = 3

    def factor(t):
        if t < warm_up:
            return (t + 1) / warm_up
        return (1 + math.cos(math.pi * (t - warm_up) / (updates - warm_up))) / 2

    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, factor) if schedule else None
    scaler = torch.amp.GradScaler("cpu", enabled=scale)
    for _ in range(epochs):
        for first in range(0, len(batches), n):
            window = batches[first : first + n]
            for x, y in window:
                with torch.autocast("cpu", dtype=dtype or torch.bfloat16, enabled=dtype is not None):
                    loss = functional.cross_entropy(net(x), y, label_smoothing=smoothing)
                scaler.scale(loss / len(window)).backward()
            if clip:
                scaler.unscale_(optimizer)
                nn.utils.clip_grad_norm_([q for _, q in trained], clip, norm_type=p)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
            if scheduler:
                scheduler.step()
    with open(folder / name, "wb") as file:
        for parameter in net.parameters():
            file.write(parameter.detach().numpy().tobytes())


for n in (1, 3, 4, 5):
    train(f"accumulate_{n}", 7, n)
train("sgd", 6, 4, sgd=True)
train("clip", 6, 4, clip=0.25)
train("clip_1", 6, 4, clip=0.25, p=1.0)
train("clip_max", 6, 4, clip=0.05, p=math.inf)
train("bf16", 2, dtype=torch.bfloat16)
train("half", 6, 4, dtype=torch.float16, scale=True)
train("half_clip", 6, 4, dtype=torch.float16, scale=True, clip=0.25)
train("schedule", 6, 4, schedule=True)
train("freeze", 6, 4, freeze=True)
train("groups", 6, 4, groups=True)
train("smoothing", 2, smoothing=0.1)
train("all", 6, 4, clip=0.25, dtype=torch.bfloat16, schedule=True, freeze=True, groups=True)
