"""The last layer of a frozen PyTorch network, trained by SGD with weight decay and momentum.

    python examples/pytorch.py
"""

import numpy as np
import torch

import unswayed

torch.manual_seed(0)
data = unswayed.sample()
features, labels = data.z[:200], np.ones(200)
# Rows of the sample are label · features; half of them are turned around, so that there are two classes.
features[::2] *= -1
labels[::2] = -1

network = torch.nn.Sequential(torch.nn.Linear(features.shape[1], 12), torch.nn.Tanh(), torch.nn.Linear(12, 1, bias=False)).double().eval()
with torch.no_grad():
    network[-1].weight.zero_()
optimizer = torch.optim.SGD(network[-1].parameters(), lr=1e-3, weight_decay=0.05, momentum=0.5)
learner = unswayed.from_torch(network, optimizer, torch.nn.BCEWithLogitsLoss())
certificate = learner.certify(features, labels, poison_rate=0.01, radius=1.0, normalize=False)
print(certificate)
