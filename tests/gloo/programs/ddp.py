"""DistributedDataParallel with several buckets: one call per bucket, at the line of backward()."""

import sys

import torch
import torch.distributed as dist
from expected import RANK, begin, end

begin()
torch.manual_seed(7)
layers = [torch.nn.Linear(64, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512)]
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers), bucket_cap_mb=0.1)


def train(step):
    loss = model(torch.ones(16, 64) * (RANK + step)).pow(2).mean()
    print("backward", sys._getframe().f_lineno + 1)
    loss.backward()
    return loss


print("elements", 6 * sum(parameter.numel() for parameter in model.parameters()))
for step in range(6):
    loss = train(step)
print("result %r" % [float(parameter.grad.double().sum()) for parameter in model.parameters()])
end()
