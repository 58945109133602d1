"""PyTorch's linear layers: the real ones where it is installed, a stand-in with its update everywhere."""

import importlib.util

import numpy as np
import pytest
import stand_in_torch as stand_in
from streams import LOSSES, PENALTY, POISON, RATE, stream

import unswayed

HAS_TORCH = importlib.util.find_spec("torch") is not None
needs_torch = pytest.mark.skipif(not HAS_TORCH, reason="PyTorch is not installed here: scripts/torch runs this")


class StandIn:
    """A linear layer on NumPy, trained as PyTorch trains it."""

    torch = stand_in

    def __init__(self, columns, loss, bias, momentum):
        self.layer = stand_in.nn.Linear(columns, 1, bias=bias is not None)
        self.optimizer = stand_in.optim.SGD(groups(self.layer, bias), lr=RATE, weight_decay=PENALTY, momentum=momentum)
        self.loss = {"logistic": stand_in.nn.BCEWithLogitsLoss(), "hinge": "hinge"}[loss]
        self.name = loss

    def learn(self, x, y):
        layer = self.layer
        score = float(layer.weight.values[0] @ x) + (0 if layer.bias is None else float(layer.bias.values[0]))
        slope = -1 / (1 + np.exp(y * score)) if self.name == "logistic" else -float(y * score < 1)
        layer.weight.grad = slope * y * x[None, :]
        if layer.bias is not None:
            layer.bias.grad = np.array([slope * y])
        self.optimizer.step()

    def weights(self):
        own = [] if self.layer.bias is None else self.layer.bias.values
        return np.append(self.layer.weight.values[0], own)


class Real:
    """A linear layer of PyTorch, in double precision."""

    def __init__(self, columns, loss, bias, momentum):
        import torch

        torch.set_num_threads(1)
        self.torch = torch
        self.layer = torch.nn.Linear(columns, 1, bias=bias is not None, dtype=torch.float64)
        with torch.no_grad():
            for parameter in self.layer.parameters():
                parameter.zero_()
        self.optimizer = torch.optim.SGD(groups(self.layer, bias), lr=RATE, weight_decay=PENALTY, momentum=momentum)
        self.loss = torch.nn.BCEWithLogitsLoss() if loss == "logistic" else "hinge"

    def learn(self, x, y):
        torch = self.torch
        score = self.layer(torch.from_numpy(x)[None, :])[:, 0]
        if self.loss == "hinge":
            loss = torch.relu(1 - float(y) * score).mean()
        else:
            loss = self.loss(score, torch.tensor([float(y > 0)], dtype=torch.float64))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def weights(self):
        own = [] if self.layer.bias is None else self.layer.bias.detach().numpy()
        return np.append(self.layer.weight.detach().numpy()[0], own)


def groups(layer, bias):
    if bias == "intercept":
        return [{"params": [layer.weight]}, {"params": [layer.bias], "weight_decay": 0.0}]
    return layer.parameters()


@pytest.mark.parametrize("kind", [StandIn, pytest.param(Real, marks=needs_torch)])
@pytest.mark.parametrize(
    ("loss", "bias", "momentum"),
    [("logistic", None, 0), ("logistic", "shrunk", 0), ("hinge", "intercept", 0), ("hinge", None, 0.5), ("logistic", "shrunk", 0.7)],
)
def test_steps_are_ours_and_the_bound_holds(kind, loss, bias, momentum, arrays):
    x, y = arrays[0].astype(np.float64), arrays[1]
    model = kind(x.shape[1], loss, bias, momentum)
    learner = unswayed.from_torch(model.layer, model.optimizer, model.loss)
    assert learner == unswayed.Learner(RATE, PENALTY, loss, bias == "intercept", momentum=momentum)
    bound = learner.certify(x, y, poison_rate=POISON)
    assert (f", momentum {momentum} (v ←" in dict(bound.lines)["learner"]) == (momentum > 0)
    made = "; features made by: a feature that is always 1"
    assert (made in dict(bound.lines)["rows"]) == (bias == "shrunk")
    point = learner.attack(x, y, poison_rate=POISON, attacks="steady-state")[0].point[: x.shape[1]]
    point = point / max(1, np.linalg.norm(point))

    def seen(features):
        return np.append(features, 1.0) if bias else features

    z = np.array([label * seen(features) for features, label in zip(x, y)])
    ours, last, losses = np.zeros(z.shape[1]), None, []
    for step, (features, label) in enumerate(stream(x, y, point, 10_000, seed=3)):
        model.learn(features, label)
        ours, last = learner.update(ours, label * seen(features), last=last), ours
        if step % 10 == 0:
            np.testing.assert_allclose(model.weights(), ours, rtol=1e-9, atol=1e-12)
            if step > 1000:
                losses.append(LOSSES[loss](z @ model.weights()).mean())
    assert bound.benign_loss < np.mean(losses) <= bound.certified_loss


def linear(**changes):
    return stand_in.nn.Linear(3, changes.pop("out_features", 1), **changes)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"momentum": 0.99, "lr": 0.01}, r"an lr of at most 0\.000251\d*, or a momentum of at most 0\.93"),
        ({"momentum": 1.0}, "from 0 to below 1"),
        ({"momentum": 0.5, "dampening": 0.1}, "dampening=0.1: it shortens the gradients"),
        ({"momentum": 0.5, "nesterov": True}, "nesterov=True: it looks ahead"),
        ({"maximize": True}, "climbs the loss"),
        ({"weight_decay": 0}, "weight_decay=0.0: nothing keeps the model from going anywhere"),
        ({"lr": 20.0}, "lr=20.0: learning rate times regularization"),
    ],
)
def test_optimizers_refused(change, words):
    layer = linear()
    optimizer = stand_in.optim.SGD(layer.parameters(), **{"lr": RATE, "weight_decay": PENALTY, **change})
    with pytest.raises(unswayed.UnswayedError, match=words):
        unswayed.from_torch(layer, optimizer, "hinge")


def test_models_and_losses_refused():
    def sgd(parameters):
        return stand_in.optim.SGD(parameters, lr=RATE, weight_decay=PENALTY)

    nn = stand_in.nn
    layer = linear()
    good = sgd(layer.parameters())
    scheduled = sgd(layer.parameters())
    scheduled.param_groups[0]["initial_lr"] = RATE
    bias_apart = stand_in.optim.SGD([{"params": [layer.weight]}, {"params": [layer.bias], "lr": 1.0}], lr=RATE, weight_decay=PENALTY)
    shifted = linear()
    shifted.bias.values[0] = 0.5
    several = linear(out_features=3)
    network = nn.Sequential(linear(), linear())
    dropping = nn.Sequential(nn.Dropout(), layer)
    for model, optimizer, loss, words in [
        (layer, stand_in.optim.Adam(layer.parameters()), "hinge", "Adam: its steps depend"),
        (layer, good, nn.BCELoss(), "needs a sigmoid"),
        (layer, good, nn.HingeEmbeddingLoss(), "label · score"),
        (layer, good, nn.CrossEntropyLoss(), "one output"),
        (layer, good, nn.BCEWithLogitsLoss(reduction="sum"), "reduction='sum'"),
        (layer, good, nn.BCEWithLogitsLoss(pos_weight=2), "pos_weight"),
        (layer, scheduled, "hinge", "scheduler"),
        (layer, bias_apart, "hinge", "a rate or a penalty of its own"),
        (shifted, sgd([shifted.weight]), "hinge", "frozen and not 0"),
        (layer, sgd([layer.bias]), "hinge", "nothing learns"),
        (several, sgd(several.parameters()), "hinge", "out_features=3"),
        (nn.Conv2d(), good, "hinge", "only nn.Linear"),
        (network, sgd(network.parameters()), "hinge", "besides those of the last linear layer"),
        (dropping, good, "hinge", "in training mode"),
    ]:
        with pytest.raises(unswayed.UnswayedError, match=words):
            unswayed.from_torch(model, optimizer, loss)


@needs_torch
def test_the_last_layer_of_a_frozen_network(arrays):
    import torch

    x, y = arrays
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(31, 8), torch.nn.Tanh(), torch.nn.Dropout(), torch.nn.Linear(8, 1)).eval()
    optimizer = torch.optim.SGD(network[-1].parameters(), lr=RATE, weight_decay=PENALTY)
    learner = unswayed.from_torch(network, optimizer, torch.nn.BCEWithLogitsLoss())
    bound = learner.certify(x, y, poison_rate=POISON, radius=3.0)
    with torch.no_grad():
        features = network[:-1](torch.as_tensor(x)).numpy()
    np.testing.assert_allclose(np.abs(bound.data.z[:, :-1]), np.abs(features), rtol=1e-6)
    assert "a frozen network: Linear(in_features=31" in dict(bound.lines)["rows"]
    assert bound.radius > np.hypot(3.0, 1.0)
