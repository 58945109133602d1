"""Estimators as a new user writes them, and what the adapters answer: the source of docs/estimators.md."""

import importlib.util
import warnings

import numpy as np
import stand_in_torch
from river import compose, ensemble, linear_model, multiclass, naive_bayes, neighbors, optim, preprocessing, tree
from river.compose import Select
from sklearn import linear_model as sklearn_linear
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import (
    LogisticRegression,
    PassiveAggressiveClassifier,
    Perceptron,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
    SGDOneClassSVM,
    SGDRegressor,
)
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import unswayed
from unswayed import Guard, Projected, from_river, from_sklearn, from_torch

if importlib.util.find_spec("torch") is not None:
    import torch
else:
    torch = stand_in_torch
nn = torch.nn

RANDOM = np.random.default_rng(0)
x = RANDOM.normal(size=(60, 4)) / 4
y = np.where(x[:, 0] + x[:, 1] > 0, 1, -1)
texts = ["win money", "cheap offer", "lunch at noon", "see you"] * 15

constant = {"learning_rate": "constant", "eta0": 0.01, "alpha": 0.1, "fit_intercept": False}
layer, plain = nn.Linear(4, 1), nn.Linear(4, 1, bias=False)
network = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
decay = {"lr": 0.01, "weight_decay": 0.1}

#: The calls, by library. `constant` stands for learning_rate="constant", eta0=0.01, alpha=0.1, fit_intercept=False.
CALLS = {
    "scikit-learn": [
        "from_sklearn(SGDClassifier())",
        "from_sklearn(SGDClassifier(), sparse=False)",
        "from_sklearn(SGDClassifier(fit_intercept=False))",
        "from_sklearn(SGDClassifier(fit_intercept=False, average=True))",
        "from_sklearn(SGDClassifier(fit_intercept=False, average=10))",
        "from_sklearn(SGDClassifier(loss='log_loss', fit_intercept=False))",
        "from_sklearn(SGDClassifier(**constant))",
        "from_sklearn(SGDClassifier(loss='log_loss', **constant))",
        "from_sklearn(SGDClassifier(loss='modified_huber', **constant))",
        "from_sklearn(SGDClassifier(average=True, **constant))",
        "from_sklearn(SGDClassifier(penalty='elasticnet', l1_ratio=0, **constant))",
        "from_sklearn(SGDClassifier(penalty='elasticnet', **constant))",
        "from_sklearn(SGDClassifier(penalty='l1', **constant))",
        "from_sklearn(SGDClassifier(penalty=None, **constant))",
        "from_sklearn(SGDClassifier(**{**constant, 'fit_intercept': True}), sparse=False)",
        "from_sklearn(SGDClassifier(**{**constant, 'fit_intercept': True}))",
        "from_sklearn(SGDClassifier(**{**constant, 'alpha': 0}))",
        "from_sklearn(Projected(SGDClassifier(**{**constant, 'alpha': 0}), radius=10))",
        "from_sklearn(SGDClassifier(learning_rate='invscaling', eta0=0.1, alpha=0.1, fit_intercept=False))",
        "from_sklearn(SGDClassifier(learning_rate='adaptive', eta0=0.1, fit_intercept=False))",
        "from_sklearn(SGDClassifier(class_weight='balanced', **constant))",
        "from_sklearn(SGDClassifier(loss='squared_hinge', **constant))",
        "from_sklearn(SGDClassifier(loss='perceptron', **constant))",
        "from_sklearn(SGDClassifier(early_stopping=True, **constant))",
        "from_sklearn(SGDClassifier(**constant).partial_fit(x, y, classes=[-1, 1]))",
        "from_sklearn(make_pipeline(StandardScaler().fit(x), SGDClassifier(**constant)))",
        "from_sklearn(make_pipeline(StandardScaler(), SGDClassifier(**constant)))",
        "from_sklearn(make_pipeline(MinMaxScaler().fit(x), Guard(1.0), SGDClassifier(**constant)))",
        "from_sklearn(make_pipeline(PCA(2).fit(x), Normalizer(), SGDClassifier(**constant)))",
        "from_sklearn(make_pipeline(make_column_transformer((MinMaxScaler(), [0, 1])).fit(x), SGDClassifier(**constant)))",
        "from_sklearn(make_pipeline(TfidfVectorizer().fit(texts), SGDClassifier(**constant)))",
        "from_sklearn(make_pipeline(HashingVectorizer(n_features=64), SGDClassifier(**constant)))",
        "from_sklearn(make_pipeline(Guard(1.0), SGDClassifier(loss='log_loss', **constant)))",
        "from_sklearn(make_pipeline(StandardScaler().fit(x), LogisticRegression()))",
        "from_sklearn(Perceptron())",
        "from_sklearn(PassiveAggressiveClassifier())",
        "from_sklearn(sklearn_linear.PassiveAggressiveRegressor())",
        "from_sklearn(SGDRegressor())",
        "from_sklearn(SGDOneClassSVM())",
        "from_sklearn(LogisticRegression())",
        "from_sklearn(LinearSVC())",
        "from_sklearn(SVC())",
        "from_sklearn(RidgeClassifier())",
        "from_sklearn(Ridge())",
        "from_sklearn(MLPClassifier())",
        "from_sklearn(MultinomialNB())",
        "from_sklearn(GaussianNB())",
        "from_sklearn(DecisionTreeClassifier())",
        "from_sklearn(RandomForestClassifier())",
        "from_sklearn(HistGradientBoostingClassifier())",
        "from_sklearn(KNeighborsClassifier())",
        "from_sklearn(OneVsRestClassifier(SGDClassifier()))",
        "from_sklearn(CalibratedClassifierCV(SGDClassifier()))",
        "from_sklearn(GridSearchCV(SGDClassifier(), {'alpha': [0.1]}))",
        "from_sklearn(StandardScaler())",
    ],
    "river": [
        "from_river(linear_model.LogisticRegression())",
        "from_river(Projected(linear_model.LogisticRegression(), radius=10))",
        "from_river(linear_model.LogisticRegression(l2=0.1))",
        "from_river(linear_model.LogisticRegression(l2=0.1, intercept_lr=0))",
        "from_river(linear_model.LogisticRegression(loss=optim.losses.Hinge(), l2=0.1))",
        "from_river(linear_model.LogisticRegression(loss=optim.losses.Hinge(), l2=0.1, intercept_lr=0))",
        "from_river(linear_model.LogisticRegression(loss=optim.losses.Hinge(), l2=0.1, clip_gradient=0.5))",
        "from_river(linear_model.LogisticRegression(l2=0.1, clip_gradient=0.5))",
        "from_river(linear_model.LogisticRegression(l2=0.1, intercept_lr=0.1))",
        "from_river(linear_model.LogisticRegression(optim.Adam(), l2=0.1))",
        "from_river(linear_model.LogisticRegression(optim.SGD(optim.schedulers.InverseScaling(0.01)), l2=0.1))",
        "from_river(linear_model.LogisticRegression(l1=0.1))",
        "from_river(preprocessing.StandardScaler() | linear_model.LogisticRegression(l2=0.1))",
        "from_river(Guard(1.0) | linear_model.LogisticRegression(l2=0.1))",
        "from_river(preprocessing.Normalizer() | linear_model.LogisticRegression(l2=0.1))",
        "from_river(Select(0, 1) | Guard(1.0) | linear_model.LogisticRegression(l2=0.1, intercept_lr=0))",
        "from_river(linear_model.Perceptron())",
        "from_river(linear_model.PAClassifier())",
        "from_river(linear_model.ALMAClassifier())",
        "from_river(linear_model.SoftmaxRegression())",
        "from_river(linear_model.LinearRegression())",
        "from_river(naive_bayes.GaussianNB())",
        "from_river(tree.HoeffdingTreeClassifier())",
        "from_river(neighbors.KNNClassifier())",
        "from_river(multiclass.OneVsRestClassifier(linear_model.LogisticRegression()))",
        "from_river(ensemble.BaggingClassifier(linear_model.LogisticRegression()))",
    ],
    "PyTorch": [
        "from_torch(plain, torch.optim.SGD(plain.parameters(), lr=0.01, weight_decay=0.1), nn.BCEWithLogitsLoss())",
        "from_torch(layer, torch.optim.SGD(layer.parameters(), lr=0.01, weight_decay=0.1), nn.BCEWithLogitsLoss())",
        "from_torch(layer, torch.optim.SGD([{'params': [layer.weight]}, {'params': [layer.bias], 'weight_decay': 0}], **decay), 'hinge')",
        "from_torch(plain, torch.optim.SGD(plain.parameters(), lr=0.01, weight_decay=0.1), nn.SoftMarginLoss())",
        "from_torch(network, torch.optim.SGD(network[-1].parameters(), lr=0.01, weight_decay=0.1), nn.BCEWithLogitsLoss())",
        "from_torch(network, torch.optim.SGD(network.parameters(), lr=0.01, weight_decay=0.1), nn.BCEWithLogitsLoss())",
        "from_torch(layer, torch.optim.SGD(layer.parameters(), lr=0.01), nn.BCEWithLogitsLoss())",
        "from_torch(layer, torch.optim.SGD(layer.parameters(), momentum=0.9, **decay), nn.BCEWithLogitsLoss())",
        "from_torch(layer, torch.optim.SGD(layer.parameters(), momentum=0.97, **decay), nn.BCEWithLogitsLoss())",
        "from_torch(layer, torch.optim.SGD(layer.parameters(), momentum=0.9, nesterov=True, **decay), nn.BCEWithLogitsLoss())",
        "from_torch(layer, torch.optim.Adam(layer.parameters(), lr=0.01, weight_decay=0.1), nn.BCEWithLogitsLoss())",
        "from_torch(layer, torch.optim.SGD(layer.parameters(), lr=0.01, weight_decay=0.1), nn.CrossEntropyLoss())",
        "from_torch(layer, torch.optim.SGD(layer.parameters(), lr=0.01, weight_decay=0.1), nn.HingeEmbeddingLoss())",
    ],
}


def answer(call):
    """The learner, or the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # what scikit-learn will remove is refused too
        try:
            return eval(call)
        except unswayed.UnswayedError as error:
            return error


def words(found):
    """An answer in a line."""
    if isinstance(found, Exception):
        return f"refused: {found}"
    parts = [found.loss, f"learning rate {found.learning_rate}", f"regularization {found.regularization}"]
    parts += ["with an intercept"] * found.intercept + ["averaged"] * found.average
    parts += [f"projected on norms up to {found.projection}"] * bool(found.projection)
    parts += [f"momentum {found.momentum}"] * bool(found.momentum)
    if found.schedule:
        parts.append(f"falling from step {found.from_step} on (`{found.schedule}`)")
    if found.before is not None:
        radius = found.before.radius
        parts.append("a bias that is shrunk" if found.before.constant else "on the rows that its frozen steps make")
        parts += [] if radius is None else [f"clipped to norm {radius}"]
    return "**certified**: " + ", ".join(parts)


def _cell(text):
    return text.replace("|", "\\|")


def document():
    """docs/estimators.md"""
    answers = {call: answer(call) for calls in CALLS.values() for call in calls}
    accepted = sum(not isinstance(found, Exception) for found in answers.values())
    lines = [
        "# Which estimators are certified",
        "",
        f"{len(answers)} calls as a new user writes them: {accepted} are certified, the others are rejected with these messages. Made by",
        "`target/tools/python/bin/python python/tests/test_estimator_table.py`, once `scripts/python` has run; a test compares.",
        "`constant` stands for `learning_rate='constant', eta0=0.01, alpha=0.1, fit_intercept=False`, `x`, `y` and `texts` for data,",
        "`decay` for `lr=0.01, weight_decay=0.1`, `plain` for `nn.Linear(4, 1, bias=False)`, `layer` for `nn.Linear(4, 1)` and",
        "`network` for `nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))`.",
    ]
    for library, calls in CALLS.items():
        lines += ["", f"## {library}", "", "| call | answer |", "|---|---|"]
        lines += [f"| `{_cell(call)}` | {_cell(words(answers[call]))} |" for call in calls]
    return "\n".join(lines) + "\n"
