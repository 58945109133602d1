"""A river model on a bundled stream, certified again and again while it learns; halfway an attack begins.

    python examples/river_stream.py
"""

from river import datasets, linear_model, optim

import unswayed

model = unswayed.Guard(1.0) | linear_model.LogisticRegression(optimizer=optim.SGD(0.01), l2=0.01, intercept_lr=0)
with unswayed.Monitor(model, poison_rate=0.01, window=400, every=200, limit_error=0.6) as monitor:
    for count, (x, y) in enumerate(datasets.Phishing()):
        is_attacked = count >= 600 and count % 2 == 0
        monitor.learn_one(x, (not y) if is_attacked else y)
        if (count + 1) % 200 == 0:
            # A service would go on learning while the certificate is made; here each line is to be seen.
            monitor.wait()
for update in monitor.history:
    print(f"{update.rows:5} rows: error proven to stay below {update.certified_error:.3f}, alarm: {update.alarm}")
assert not monitor.history[0].alarm and monitor.history[-1].alarm
