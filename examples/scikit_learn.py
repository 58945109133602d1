"""A scikit-learn model that keeps learning, from raw columns to a certificate.

    python examples/scikit_learn.py
"""

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import unswayed

x, y = load_breast_cancer(return_X_y=True)
# The first part fits the scaling, which is then frozen: a scaler that keeps learning can be steered as well.
frozen, stream, frozen_labels, labels = train_test_split(x, y, test_size=300, random_state=0)
scale = StandardScaler().fit(frozen)
# The guard shortens each point to norm 1, so that the adversary's radius is enforced and not only assumed.
model = make_pipeline(
    scale,
    unswayed.Guard(1.0),
    SGDClassifier(loss="log_loss", learning_rate="constant", eta0=0.01, alpha=0.003, fit_intercept=False),
)
certificate = unswayed.from_sklearn(model).certify(stream, labels, poison_rate=0.01)
print(certificate)
assert certificate.certified_error < 0.2

# What runs in production: partial_fit of the last step on points that went through the frozen steps.
for point, label in zip(stream, labels):
    model[-1].partial_fit(model[:-1].transform([point]), [label], classes=[0, 1])
print(f"right on {model.score(frozen, frozen_labels):.1%} of the rows that it has not seen")
