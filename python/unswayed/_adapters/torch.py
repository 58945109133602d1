"""The learner that a linear layer of PyTorch and its optimizer are."""

from __future__ import annotations

import math
from typing import Any, Optional

from .._native import UnswayedError
from .frozen import Frozen, one_line
from .learner import Learner
from .rules import check

#: PyTorch's losses of a score that are certified, and their names here.
LOSSES = {"BCEWithLogitsLoss": "logistic", "SoftMarginLoss": "logistic"}

#: Layers that behave differently while they are in training mode.
UNSTEADY = ("Dropout", "BatchNorm", "InstanceNorm", "RReLU")


def from_torch(model: Any, optimizer: Any, loss: Any) -> Learner:
    """The learner that an `nn.Linear` with one output is when `torch.optim.SGD` trains it, a point (or a batch) at a time.

    Refuses, with the reason, what makes other steps than those we certify.

    Args:
        model: an `nn.Linear(…, 1)`, or an `nn.Sequential` that ends in one and whose other layers are frozen: none of their
            parameters is in the optimizer. Give the learner the inputs of the whole network then.
        optimizer: the `torch.optim.SGD`. Its `weight_decay` is σ. In a group with the weights the bias is shrunk too, and
            then it is the weight of a feature that is always 1 like any other. In a group of its own with the same `lr` and
            `weight_decay=0` it is an intercept. It may have `momentum`, without `nesterov` and `dampening`, if lr · weight_decay is at
            most (1 − √momentum)².
        loss: the `nn.BCEWithLogitsLoss()` (labels 0 and 1) or `nn.SoftMarginLoss()` (−1 and 1) that it is trained with; or
            the name of what a function of your own computes, with gradients: `"hinge"`, `"logistic"` or another loss of
            `unswayed.certify`. With batches it must be the mean, and `certify` gets `batch=`.

    PyTorch's numbers are float32 unless you say otherwise; the bound is for steps in real arithmetic.
    """
    layer, before = _last_layer(model)
    name = _loss(loss)
    kind = type(optimizer).__name__
    if kind != "SGD":
        raise UnswayedError(f"{kind}: its steps depend on past gradients or on the whole data; only torch.optim.SGD is certified")
    weights, bias = _groups(optimizer, layer)
    for group in (weights, bias or weights):
        _refuse_variants(group)
    rate, penalty = float(weights["lr"]), float(weights["weight_decay"])
    check("SGD", rate, "lr", penalty, "weight_decay")
    momentum = float(weights.get("momentum", 0))
    _check_momentum(rate, penalty, momentum)
    made: dict[str, Any] = {"momentum": momentum, "is_classifier": True}
    if bias is None:
        return Learner(rate, penalty, name, before=before, **made)
    own_rate, own_penalty = float(bias["lr"]), float(bias["weight_decay"])
    if float(bias.get("momentum", 0)) != momentum:
        raise UnswayedError(
            f"SGD: the bias has momentum={bias['momentum']}, the weights momentum={momentum}: a bias with a momentum of its own is not "
            "certified; use the same"
        )
    if own_rate != rate or own_penalty not in (0.0, penalty):
        raise UnswayedError(
            f"SGD: the bias has lr={own_rate} and weight_decay={own_penalty}, the weights lr={rate} and weight_decay={penalty}: a bias "
            "with a rate or a penalty of its own is not certified; use the same lr, and the same weight_decay or 0"
        )
    if own_penalty == 0:
        return Learner(rate, penalty, name, intercept=True, before=before, **made)
    return Learner(rate, penalty, name, before=_with_constant(before), **made)


def _check_momentum(rate: float, penalty: float, momentum: float) -> None:
    """Refuses momentum that makes the model swing, with numbers that do not."""
    if not 0 <= momentum < 1:
        raise UnswayedError(f"SGD: momentum={momentum}: it must be from 0 to below 1")
    most = (1 - math.sqrt(momentum)) ** 2
    if momentum and rate * penalty > most:
        largest = (1 - math.sqrt(rate * penalty)) ** 2
        raise UnswayedError(
            f"SGD: momentum={momentum}: lr · weight_decay = {rate * penalty:.6g} is above (1 − √momentum)² = {most:.6g}, where the model swings "
            f"back and forth; use an lr of at most {0.9995 * most / penalty:.4g}, or a momentum of at most {math.floor(largest * 1e4) / 1e4}"
        )


def _is_torch(thing: Any, name: str) -> bool:
    """Whether it is of PyTorch's own class of this name: another class may make other steps."""
    return type(thing).__name__ == name and type(thing).__module__.partition(".")[0] == "torch"


def _last_layer(model: Any) -> tuple[Any, Optional[Frozen]]:
    """The layer that learns, and what is before it."""
    before, layer = None, model
    if _is_torch(model, "Sequential"):
        *frozen, layer = list(model)
        before = _frozen_layers(frozen) if frozen else None
    kind = type(layer).__name__
    if not _is_torch(layer, "Linear"):
        raise UnswayedError(
            f"{kind}: only nn.Linear makes steps that are certified here; give it, or nn.Sequential(the frozen part, nn.Linear(…, 1))"
        )
    if layer.out_features != 1:
        raise UnswayedError(
            f"Linear: out_features={layer.out_features}: several outputs are trained together, and their loss has no proof here; "
            "use one output for two classes"
        )
    if not layer.weight.requires_grad:
        raise UnswayedError("Linear: its weights are frozen (requires_grad=False), so nothing learns")
    return layer, before


def _frozen_layers(layers: list[Any]) -> Frozen:
    for layer in layers:
        for part in layer.modules():
            if part.training and type(part).__name__.startswith(UNSTEADY):
                raise UnswayedError(
                    f"{type(part).__name__}: in training mode it treats a row by chance or by its batch; call eval() on the frozen part, "
                    "and keep it so"
                )

    def transform(x: Any) -> Any:
        import torch

        kinds = [parameter.dtype for layer in layers for parameter in layer.parameters()]
        with torch.no_grad():
            rows = torch.as_tensor(x, dtype=kinds[0] if kinds else torch.get_default_dtype())
            for layer in layers:
                rows = layer(rows)
        return rows.detach().cpu().double().numpy()

    text = ", then ".join(repr(layer) for layer in layers)
    return Frozen(transform, one_line(f"a frozen network: {text}", 1800))


def _with_constant(before: Optional[Frozen]) -> Frozen:
    text = "a feature that is always 1 is appended (the bias, which weight_decay shrinks too)"
    if before is None:
        return Frozen(lambda x: x, text, constant=True)
    return Frozen(before.transform, f"{before.text}, then {text}", constant=True)


def _loss(loss: Any) -> str:
    if isinstance(loss, str):
        return loss
    kind = type(loss).__name__
    if kind not in LOSSES or not _is_torch(loss, kind):
        hint = {
            "BCELoss": "; it needs a sigmoid before it: use BCEWithLogitsLoss on the score itself",
            "HingeEmbeddingLoss": "; it is the hinge loss only of label · score with the label −1: then say \"hinge\"",
            "CrossEntropyLoss": "; use one output and BCEWithLogitsLoss for two classes",
        }.get(kind, "; if a function of your own computes one of the certified losses, give its name, such as \"hinge\"")
        raise UnswayedError(f"{kind}: only BCEWithLogitsLoss and SoftMarginLoss are known here{hint}")
    if loss.reduction != "mean":
        raise UnswayedError(f"{kind}: reduction={loss.reduction!r}: with several points it makes longer steps; use 'mean'")
    for name in ("weight", "pos_weight"):
        if getattr(loss, name, None) is not None:
            raise UnswayedError(f"{kind}: {name}: it weighs points differently in the steps; leave it out")
    return LOSSES[kind]


def _groups(optimizer: Any, layer: Any) -> tuple[dict[str, Any], Optional[dict[str, Any]]]:
    """The parameter groups of the weights and of the bias, if it is trained."""
    weights = bias = None
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if parameter is layer.weight:
                weights = group
            elif parameter is layer.bias:
                bias = group
            else:
                raise UnswayedError(
                    "SGD: it trains parameters besides those of the last linear layer; only that layer may learn: "
                    "torch.optim.SGD(model[-1].parameters(), …)"
                )
    if weights is None:
        raise UnswayedError("SGD: the weights of the linear layer are not among its parameters, so nothing learns")
    if layer.bias is not None and (bias is None or not layer.bias.requires_grad):
        if float(layer.bias.detach().reshape(-1)[0]) != 0:
            raise UnswayedError("Linear: its bias is frozen and not 0; use bias=False, or train it")
        bias = None
    return weights, bias


def _refuse_variants(group: dict[str, Any]) -> None:
    rules = [
        ("dampening", 0, "it shortens the gradients that momentum adds up, and has no proof here; use dampening=0"),
        ("nesterov", False, "it looks ahead of the model that is judged, and has no proof here; use nesterov=False"),
        ("maximize", False, "it climbs the loss; use maximize=False"),
    ]
    for name, value, reason in rules:
        if group.get(name, value) != value:
            raise UnswayedError(f"SGD: {name}={group[name]!r}: {reason}")
    if "initial_lr" in group:
        raise UnswayedError("SGD: a scheduler changes its learning rate, and the bound is for a constant one; train without it")
