"""What `from_torch` looks at, where PyTorch itself is missing; scripts/torch runs the same tests with the real one.

Linear layers, SGD with weight decay, and losses with PyTorch's own update, on NumPy: the names, defaults and places of
attributes are PyTorch's, which the real tests compare where it is installed.
"""

import types

import numpy as np


class Parameter:
    def __init__(self, values):
        self.values, self.requires_grad, self.grad = np.array(values, dtype=np.float64), True, None

    def detach(self):
        return self

    def reshape(self, *shape):
        return self.values.reshape(*shape)


class Module:
    training = True

    def modules(self):
        return [self]

    def eval(self):
        self.training = False
        return self


class Linear(Module):
    def __init__(self, in_features, out_features, bias=True):
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(np.zeros((out_features, in_features)))
        self.bias = Parameter(np.zeros(out_features)) if bias else None

    def parameters(self):
        return [self.weight] + ([] if self.bias is None else [self.bias])


class Dropout(Module):
    def parameters(self):
        return []


class Conv2d(Module):
    pass


class Sequential(Module):
    def __init__(self, *layers):
        self.layers = list(layers)

    def __iter__(self):
        return iter(self.layers)

    def __getitem__(self, i):
        return self.layers[i]

    def parameters(self):
        return [parameter for layer in self.layers for parameter in layer.parameters()]


class _Loss(Module):
    def __init__(self, weight=None, pos_weight=None, reduction="mean"):
        self.weight, self.pos_weight, self.reduction = weight, pos_weight, reduction


class SGD:
    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, maximize=False):
        defaults = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        defaults.update(nesterov=nesterov, maximize=maximize)
        params = list(params)
        groups = params if isinstance(params[0], dict) else [{"params": params}]
        self.param_groups = [{**defaults, **group, "params": list(group["params"])} for group in groups]

    def step(self):
        for group in self.param_groups:
            for parameter in group["params"]:
                step = parameter.grad + group["weight_decay"] * parameter.values
                if group["momentum"]:
                    old = getattr(parameter, "buffer", None)
                    step = parameter.buffer = step if old is None else group["momentum"] * old + (1 - group["dampening"]) * step
                parameter.values -= group["lr"] * step


class Adam:
    def __init__(self, params, lr=1e-3, weight_decay=0):
        self.param_groups = [{"params": list(params), "lr": lr, "weight_decay": weight_decay}]


class AdamW(Adam):
    pass


def _named(name, *bases):
    return type(name, bases or (_Loss,), {})


nn = types.SimpleNamespace(
    Linear=Linear, Sequential=Sequential, Dropout=Dropout, Conv2d=Conv2d,
    **{name: _named(name) for name in ("BCEWithLogitsLoss", "SoftMarginLoss", "BCELoss", "CrossEntropyLoss", "HingeEmbeddingLoss", "MSELoss")},
)
optim = types.SimpleNamespace(SGD=SGD, Adam=Adam, AdamW=AdamW)
for kind in [*vars(nn).values(), *vars(optim).values()]:
    kind.__module__ = "torch." + kind.__name__.lower()
