#!/usr/bin/env bash
# A gate in continuous integration: fails unless a model's certificate is valid for its training rows and as strong as the
# release needs.
#
#     examples/ci-gate.sh CERTIFICATE ROWS
set -euo pipefail
unswayed check "$1" "$2" \
  --expect learner.loss=hinge \
  --expect 'poison_rate>=0.02' \
  --expect 'set.ball.radius>=1' \
  --expect 'certified_loss<=0.2'
