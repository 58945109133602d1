"""Estimators that are refused by name: why, and which learner is nearest to them."""

from __future__ import annotations

from typing import Any

from .._native import UnswayedError

_AT_ONCE = "it is fitted to all data at once, and the bounds are about a learner that takes a step for each point"
_COUNTS = "it counts, and takes no gradient steps on a loss"
_TREES = "it grows trees; the bounds are about linear models"
_NOT_LINEAR = "its model is not linear in the features"
_TUNED = "it is a search over estimators; give the one it found, best_estimator_"
_NO_PULL = "its step is as long as the point demands, and nothing pulls the model back"

_SGD = "SGDClassifier(loss='hinge', learning_rate='constant', eta0=…, alpha=…) with partial_fit"
_SGD_LOG = "SGDClassifier(loss='log_loss', learning_rate='constant', eta0=…, alpha=…) with partial_fit"
_SGD_LAST = "features of the fitted network's last hidden layer, and SGDClassifier on them"
_NUMBERS = "SGDRegressor(loss='huber', learning_rate='constant', eta0=…, alpha=…) with partial_fit"
_MEAN = "unswayed.mean, for a mean that is learned online"
_OWN = "SGDClassifier itself, which trains one model for each class: from_sklearn(model).certify_each(x, y, …)"

#: Names of scikit-learn and of libraries with its interface: the reason, and the nearest learner that is certified.
SKLEARN: dict[str, tuple[str, str]] = {
    "Perceptron": ("its loss has no margin, and without a penalty nothing pulls the model back", _SGD),
    "PassiveAggressiveClassifier": (_NO_PULL, _SGD),
    "PassiveAggressiveRegressor": (_NO_PULL, _NUMBERS),
    "SGDOneClassSVM": ("it learns from points without labels, and its offset has a step of its own", _SGD),
    "MLPClassifier": (_NOT_LINEAR, _SGD_LAST),
    "MLPRegressor": (_NOT_LINEAR, _SGD_LAST),
    "BernoulliRBM": (_NOT_LINEAR, _SGD_LAST),
    "MiniBatchKMeans": ("it moves centres to means of clusters", _MEAN),
    "Birch": ("it builds a tree of clusters", _MEAN),
    "OneVsRestClassifier": ("it copies its estimator for each class", _OWN),
    "OneVsOneClassifier": ("it has a model for each pair of classes, which sees only the points of these two", _OWN),
    "OutputCodeClassifier": ("it has a model for each bit of a random code", _OWN),
    "MultiOutputClassifier": ("it has a model for each output; give them one at a time, with their own labels", _SGD),
    "ClassifierChain": ("each of its models sees the others' predictions", _SGD),
    "CalibratedClassifierCV": ("it is fitted on top of a classifier; give that classifier", _SGD),
    "SelfTrainingClassifier": ("it labels its own points, which no adversary needs to do for it", _SGD),
    "TransformedTargetRegressor": ("it is a regressor of transformed labels; give the regressor inside, and labels that are transformed", _NUMBERS),
    "DummyClassifier": ("it learns nothing from features", _SGD),
    **dict.fromkeys(("LogisticRegression", "LogisticRegressionCV"), (_AT_ONCE, _SGD_LOG)),
    **dict.fromkeys(("LinearSVC", "SVC", "NuSVC", "RidgeClassifier", "RidgeClassifierCV"), (_AT_ONCE, _SGD)),
    **dict.fromkeys(("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"), (_AT_ONCE, _SGD)),
    **dict.fromkeys(("KNeighborsClassifier", "NearestCentroid", "GaussianProcessClassifier"), (_AT_ONCE, _SGD)),
    **dict.fromkeys(("VotingClassifier", "StackingClassifier", "BaggingClassifier", "AdaBoostClassifier"), (_AT_ONCE, _SGD)),
    **dict.fromkeys(("LinearRegression", "Ridge", "Lasso", "ElasticNet", "LinearSVR", "SVR", "HuberRegressor"), (_AT_ONCE, _NUMBERS)),
    **dict.fromkeys(("MultinomialNB", "BernoulliNB", "GaussianNB", "ComplementNB", "CategoricalNB"), (_COUNTS, _SGD_LOG)),
    **dict.fromkeys(("DecisionTreeClassifier", "RandomForestClassifier", "ExtraTreesClassifier"), (_TREES, _SGD_LOG)),
    **dict.fromkeys(("GradientBoostingClassifier", "HistGradientBoostingClassifier"), (_TREES, _SGD_LOG)),
    **dict.fromkeys(("XGBClassifier", "LGBMClassifier", "CatBoostClassifier"), (_TREES, _SGD_LOG)),
    **dict.fromkeys(("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV"), (_TUNED, _SGD)),
}

_LOGISTIC = "linear_model.LogisticRegression(optimizer=optim.SGD(η), l2=σ, intercept_lr=η)"
_LINEAR = "linear_model.LinearRegression(optimizer=optim.SGD(η), loss=optim.losses.Huber(), l2=σ, intercept_lr=0)"

#: Names of river.
RIVER: dict[str, tuple[str, str]] = {
    "Perceptron": ("its loss has no margin, and without a penalty nothing pulls the model back", _LOGISTIC),
    "PAClassifier": (_NO_PULL, _LOGISTIC),
    "PARegressor": (_NO_PULL, _LINEAR),
    "ALMAClassifier": ("its steps grow shorter with its mistakes, and its features are normed", _LOGISTIC),
    "AdPredictor": (_COUNTS, _LOGISTIC),
    "SoftmaxRegression": (
        "its loss, the cross entropy of several classes, has no proof here: its steps depend on all classes' scores at once",
        "two classes with " + _LOGISTIC + ", or unswayed.certify(loss='multiclass') for the multi-class hinge loss",
    ),
    "BayesianLinearRegression": ("it keeps the exact posterior, and takes no gradient steps on a loss", _LINEAR),
    "OneVsRestClassifier": ("it adds a model when a class is new; give the classifier inside, and the labels of one class", _LOGISTIC),
    "OneVsOneClassifier": ("it has a model for each pair of classes, which sees only the points of these two", _LOGISTIC),
    **dict.fromkeys(("GaussianNB", "MultinomialNB", "BernoulliNB", "ComplementNB"), (_COUNTS, _LOGISTIC)),
    **dict.fromkeys(("HoeffdingTreeClassifier", "HoeffdingAdaptiveTreeClassifier", "ExtremelyFastDecisionTreeClassifier"), (_TREES, _LOGISTIC)),
    **dict.fromkeys(("ARFClassifier", "AMFClassifier", "SRPClassifier"), (_TREES, _LOGISTIC)),
    **dict.fromkeys(("BaggingClassifier", "ADWINBaggingClassifier", "AdaBoostClassifier"), ("it mixes models", _LOGISTIC)),
    **dict.fromkeys(("KNNClassifier",), ("it keeps points and compares with them", _LOGISTIC)),
    **dict.fromkeys(("FMClassifier", "FFMClassifier", "HOFMClassifier", "FwFMClassifier"), (_NOT_LINEAR, _LOGISTIC)),
}


def refused(estimator: Any, table: dict[str, tuple[str, str]], only: str, at_once: str) -> UnswayedError:
    """Why an estimator is not certified, by its name; for an unknown one by whether it learns a point at a time."""
    kind = type(estimator).__name__
    if isinstance(estimator, type):
        return UnswayedError(f"{estimator.__name__} is a class; give an estimator, {estimator.__name__}(…)")
    if kind in table:
        reason, nearest = table[kind]
        return UnswayedError(f"{kind}: {reason}; nearest: {nearest}")
    if not hasattr(estimator, at_once):
        return UnswayedError(f"{kind}: it has no {at_once}, so it does not learn a point at a time; only {only} makes steps that are certified here")
    return UnswayedError(f"{kind}: only {only} makes steps that are certified here")
