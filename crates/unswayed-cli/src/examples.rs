//! What `--help` ends with: examples, statuses, exit codes.

pub const CERTIFY_EXAMPLES: &str = "\
Examples:
  unswayed certify spam.npz --learning-rate 1e-3 --regularization 0.01 --poison-rate 0.02
  unswayed certify spam.npz --learning-rate 1e-3 --regularization 0.01 --poison-rate 0.01,0.02,0.05 --report run
  unswayed certify clicks.csv --label-column clicked --normalize --radius 5 \\
      --learning-rate 1e-3 --regularization 0.03 --poison-rate 0.01 --horizon 1000000
  unswayed certify --features x.npy --labels y.npy --rows 500 \\
      --learning-rate 1e-4 --regularization 0.01 --poison-rate 0.05 --json
  unswayed certify spam.npz --rows 500 --method all \\
      --learning-rate 1e-3 --regularization 0.01 --poison-rate 0.05
  unswayed certify pairs.npz --preferences --adversary labels \\
      --learning-rate 1e-3 --regularization 0.01 --poison-rate 0.02
  unswayed certify january.npz february.npz --drift --adversary box --target march.npz \\
      --learning-rate 1e-3 --regularization 0.01 --poison-rate 0.02

Status: 'certified' is proven. 'vacuous' is proven, but no better than the loss of a model that never learns: 1 for the hinge loss,
log 2 for the logistic loss, K − 1 for K classes. 'not converged' is proven, but a better bound may exist.
An older certificate of the same name is replaced, and the output says so. No other file is overwritten.
Exit codes: 0 a bound was proven, 2 bad input or usage.";

pub const ATTACK_EXAMPLES: &str = "\
Examples:
  unswayed attack spam.npz --learning-rate 1e-3 --regularization 0.01 --poison-rate 0.05
  unswayed attack spam.npz --test spam-test.npz --attack steady-state --save poison.npz \\
      --learning-rate 1e-3 --regularization 0.01 --poison-rate 0.05

Losses are simulated long-run averages with 95 % confidence intervals. Verdict: 'stationary', 'drifting' (the halves of
the window differ: not yet the long run), 'too short'. Exit codes: 0 done, 2 bad input or usage.";

pub const CHECK_EXAMPLES: &str = "\
Examples:
  unswayed check spam.hinge-ball.eta0.001-sigma0.01-eps0.02.certificate.json spam.npz
  unswayed check drift.certificate.json january.npz february.npz --target march.npz
  unswayed check spam.certificate.json spam.npz --expect 'poison_rate>=0.02' --expect 'certified_loss<=0.2'

How the rows are made from the files is in the certificate: label column, labels, weights, division, number of rows.
Exit codes: 0 valid, 1 not valid (says what fails and by how much) or not what --expect asks for, 2 a file cannot be read.";

pub const DESIGN_EXAMPLES: &str = "\
Examples:
  unswayed design january.npz --horizon 100000 --poison-rate 0.01 --output run
  unswayed design january.npz --horizon 100000 --poison-rate 0.01,0.02 --at-most-error 0.1 --output run
  unswayed design january.npz february.npz --test march.npz --output run
  unswayed design a.npz b.npz c.npz --validate d.npz --test e.npz --attack-everywhere --output run --resume
  unswayed design january.npz february.npz --loss logistic --adversary box --test march.npz --output run
  unswayed design mnist_4v9=4v9_x.npy mnist_5v8=5v8_x.npy --rows 500 --kappa 0.5 --refine \\
      --learning-rate 1e-4,1e-3,1e-2 --regularization 0.003,0.03 --poison-rate 0.01,0.05

The setting with the smallest mean of benign loss + kappa * certified loss over tasks and poison rates is chosen. With --horizon T
the losses are averages over the first T steps: which learner to run for a stream of T points. A task is a
data file as for certify, or NAME=FILE. Features in …x.npy take their labels from …y.npy beside it. The folder --output gets a
journal of every result as it comes, results.csv, .parquet and .json, and the certificates of the chosen setting. Stop it at any
time, even with kill -9: --resume does what is missing. Exit codes: 0 done, 2 bad input or usage.";

pub const WATCH_EXAMPLES: &str = "\
Examples:
  tail -F clicks.jsonl | unswayed watch --window 5000 --every 500 --limit-error 0.1 \\
      --clip-rows 1 --learning-rate 1e-3 --regularization 0.01 --poison-rate 0.02
  unswayed watch clicks.csv --follow --state clicks.watch --log clicks.updates.jsonl \\
      --certificates windows --metrics 127.0.0.1:9464 --skip-bad --limit-error 0.1 \\
      --on-alarm 'echo \"error up to $UNSWAYED_CERTIFIED_ERROR\" | mail -s alarm me' \\
      --clip-rows 1 --learning-rate 1e-3 --regularization 0.01 --poison-rate 0.02

One row per line: CSV with a line of names, or a JSON object. A certificate takes the rows of its window for the distribution of benign
points and bounds the long-run loss on them. It says nothing of rows that are unlike them; --windows K covers moves among the last K
windows, --contaminated a part of rows that are hostile already. An alarm ends the program unless --on-alarm or --keep-going is given.
Exit codes: 0 the stream has ended and no limit was passed, 1 a limit was passed, 2 bad input or usage, or nothing was certified.";

pub const TOLERATE_EXAMPLES: &str = "\
Examples:
  unswayed tolerate spam.npz --limit 0.2 --learning-rate 1e-3 --regularization 0.01
  unswayed tolerate spam.npz --limit 0.05 --error --learning-rate 1e-3 --regularization 0.01
  unswayed tolerate spam.npz --limit 0.3 --horizon 100000 --learning-rate 1e-2 --regularization 0.03
  unswayed tolerate spam.npz --limit 0.25 --poison-rate 0.05

With a learning rate and a regularization: the largest poison rate that is certified to stay under the limit, and a rate at which
an attack breaks it. With a poison rate instead: the settings (of the paper's grid, or of those given) that are certified to
stay under the limit at that rate. Exit codes: 0 done, 2 bad input or usage.";

pub const PREPARE_EXAMPLES: &str = "\
Examples:
  unswayed prepare train.csv --label-column spam
  unswayed prepare test.csv --label-column spam --apply train.transform.safetensors
  unswayed prepare train.parquet --drop-columns id,date --fourier 300
  unswayed prepare train.npz --directions 30
  unswayed prepare test.npz --apply train.transform.safetensors
  unswayed prepare --features x.npy --labels y.npy --directions 10 --output small.npz
  unswayed prepare mails.csv --text-column subject,body --hash 2^18
  unswayed prepare pictures --encoder resnet18.onnx
  unswayed prepare chat.jsonl --encoder bert.onnx --text-column prompt --pair-column response --label-column score

Tables (.csv, .tsv, .jsonl, .parquet) are prepared column by column: numbers are standardized, after a logarithm if their tail is
long; texts get a column each, rare ones a common one; missing values are filled in and marked; constant columns and names are
left out; rows get a norm of at most 1 and a constant, the bias. It prints what it did to each column and why.

Free text is for --hash, or for an encoder: --hash counts its words (lower case, runs of letters, digits and _, two characters or more)
in N columns. MurmurHash3 gives each word a number h of 32 bits with a sign, and its column is |h| modulo N; the sign says whether it
counts up or down. Each text column has a hash of its own: its seed is its place in the list, from 0. Other columns than text columns
and the labels are left out. Rows are divided by their norm and stay sparse, as SciPy saves them.

With --directions, and for arrays, the paper's preprocessing: the top singular directions of the training rows, centred, scaled, a constant appended (the bias), scaled
to norm at most 1. A fit writes train.prepared.npz and train.transform.safetensors; --apply treats new
rows the same way, and refuses rows that the fit has seen: figures on them would say nothing about unseen data. With --encoder
the features are made from images or text first. A transform is refused for features of another encoder or of other settings.
Exit codes: 0 done, 2 bad input or usage.";

pub const REPRODUCE_EXAMPLES: &str = "\
Examples:
  unswayed reproduce mean
  unswayed reproduce images --data features --output run
  unswayed reproduce all --data features --output run --resume

mean: does noise protect an online mean? images: MNIST, Fashion-MNIST, CIFAR-10. reward: HelpSteer scores and preference pairs. The
features are not the paper's (EfficientNet-Lite0 and all-MiniLM-L6-v2, not ResNet18 and BERT). Those of MNIST and Fashion-MNIST are in
experiments/data; those of CIFAR-10 and HelpSteer are not part of this project. The folder --output gets the report and all figures.
Exit codes: 0 done, 2 bad input or usage.";

pub const REPORT_EXAMPLE: &str = "\
Example:
  unswayed report run

Exit codes: 0 done, 2 bad input or usage.";

pub const MEAN_EXAMPLES: &str = "\
Examples:
  unswayed mean samples.npy --learning-rate 0.01 --poison-rate 0.05 --squared-radius 4
  unswayed mean --covariance-trace 20 --learning-rate 0.01 --poison-rate 0.15 --squared-radius 20

The learner is θ ← (1−η)θ + ηz + noise; the adversary may send any z with ‖z − μ‖² ≤ the squared radius, μ the mean of
the benign points. Exit codes: 0 a bound was proven, 2 bad input or usage.";

pub const COMPLETIONS_EXAMPLE: &str = "\
Example:
  unswayed completions bash > ~/.local/share/bash-completion/completions/unswayed";
