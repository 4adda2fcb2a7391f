"""Trains a small classifier with DistributedDataParallel, and validates it.

It has a mistake that is easy to make: the validation speakers are dealt out to the ranks, rank 2 gets none, and validate()
returns at once where there is nothing to do. The other ranks then wait for rank 2 in the second all_reduce.
"""

import datetime
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

TRAINING_SPEAKERS = range(16)
VALIDATION_SPEAKERS = [16, 17, 19, 20, 21, 23]  # nobody whose number is 2 modulo 4
EPOCHS = 3
BATCHES_PER_SPEAKER = 4


def load_batches(speakers, rank, world_size):
    """The batches of the speakers that are this rank's."""
    batches = []
    for speaker in speakers:
        if speaker % world_size == rank:
            generator = torch.Generator().manual_seed(speaker)
            for _ in range(BATCHES_PER_SPEAKER):
                features = torch.randn(32, 20, generator=generator)
                labels = (features.sum(dim=1) > 0).long()
                batches.append((features, labels))
    return batches


def train_epoch(model, optimizer, batches):
    for features, labels in batches:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(features), labels)
        loss.backward()
        optimizer.step()


def validate(model, batches):
    samples = torch.tensor(float(sum(len(labels) for _, labels in batches)))
    dist.all_reduce(samples)
    if not batches:
        return
    correct = torch.zeros(())
    with torch.no_grad():
        for features, labels in batches:
            correct += (model(features).argmax(dim=1) == labels).sum()
    dist.all_reduce(correct)
    print("validation accuracy: %.3f" % (correct / samples))


def main():
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
    rank, world_size = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 2)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    training = load_batches(TRAINING_SPEAKERS, rank, world_size)
    validation = load_batches(VALIDATION_SPEAKERS, rank, world_size)
    for _ in range(EPOCHS):
        train_epoch(model, optimizer, training)
    validate(model.module, validation)
    print("rank %d of %d is done (pid %d)" % (rank, world_size, os.getpid()))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
