"""SciPy's matrices and files of sparse rows: sparse from end to end, with the figures and the bytes of the command."""

import pickle

import numpy as np
import pytest
import scipy.sparse
from conftest import FLAGS, SETTING, content
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline

import unswayed

COLUMNS = 2**20


@pytest.fixture(scope="module")
def texts():
    """Sixty texts of two kinds, as unit rows of some words of a million."""
    random = np.random.default_rng(3)
    y = np.arange(60) % 2
    words = [np.unique(np.r_[random.integers(0, 40, 6) + 1000 * label, random.integers(0, COLUMNS, 2)]) for label in y]
    starts = np.cumsum([0] + [len(row) for row in words])
    entries = np.concatenate([np.full(len(row), 0.99 / np.sqrt(len(row))) for row in words])
    return scipy.sparse.csr_matrix((entries, np.concatenate(words), starts), shape=(60, COLUMNS)), y


@pytest.fixture
def file(texts, tmp_path):
    scipy.sparse.save_npz(tmp_path / "mail_x.npz", texts[0])
    np.save(tmp_path / "mail_y.npy", texts[1])
    return tmp_path / "mail_x.npz"


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_figures_and_bytes_of_the_command(command, texts, file, loss):
    theirs = command("certify", file, *FLAGS, "--attacks", "none", "--loss", loss, folder=file.parent)
    ours = unswayed.certify(*texts, **SETTING, loss=loss)
    for name in ("certified_loss", "certified_error", "benign_loss", "benign_error", "status"):
        assert getattr(ours, name) == theirs[name], name
    written = (file.parent / theirs["certificate"]).read_bytes()
    assert content(written) == content(ours.to_bytes())
    # Of the file itself the bytes are the same to the last one.
    assert unswayed.certify(file, **SETTING, loss=loss).to_bytes() == written
    assert command("check", file.parent / theirs["certificate"], file)["status"] == "valid"
    read = unswayed.Certificate.load(file.parent / theirs["certificate"], *texts)
    assert read.certified_loss == ours.certified_loss
    assert unswayed.Certificate.load(file.parent / theirs["certificate"], file).certified_loss == ours.certified_loss


def test_attacks_and_policies_of_ones_own(command, texts, file):
    theirs = command("attack", file, *FLAGS, "--attack", "steady-state")
    ours = unswayed.attack(*texts, **SETTING, attacks=["steady-state"])
    assert ours[0].loss.mean == theirs["attacks"][0]["attack_loss"]
    data = unswayed.Data(*texts)
    assert len(ours[0].point) == len(data.kept_columns) == data.columns
    idle = unswayed.simulate(data, policy=lambda theta: np.zeros_like(theta), **SETTING)
    assert idle.loss.mean < ours[0].loss.mean


def test_data(texts):
    x, y = texts
    data = unswayed.Data(x, y)
    assert (data.kept_columns == np.unique(x.indices)).all() and data.origin["of_columns"] == COLUMNS
    assert abs(data.z - x.multiply(np.where(y, 1, -1)[:, None])).max() == 0
    again = pickle.loads(pickle.dumps(data))
    assert again.sha256 == data.sha256 and (again.kept_columns == data.kept_columns).all()
    # Other ways to store the same matrix: by columns, with entries twice, out of order, explicit zeros.
    twice = scipy.sparse.coo_matrix((np.r_[x.data / 2, x.data / 2], (np.r_[x.tocoo().row, x.tocoo().row], np.tile(x.indices, 2))), x.shape)
    for other in (x.tocsc(), twice, scipy.sparse.csr_array(x)):
        assert unswayed.Data(other, y).sha256 == data.sha256
    assert unswayed.Data(x, y, rows=20).rows == data.first(20).rows == 20
    assert unswayed.Data(x, y, rows=20).sha256 == data.first(20).sha256
    small = x[:, :50]
    assert unswayed.Data(small, y, dense=True).sha256 == unswayed.Data(small.toarray(), y).sha256
    assert unswayed.Data(small.toarray(), y).kept_columns is None


def test_what_is_refused(texts):
    x, y = texts
    broken = x.copy()
    broken.data[7] = np.nan
    for call, words in [
        (lambda: unswayed.Data(broken, y), "row 2.*NaN is not a finite number"),
        (lambda: unswayed.Data(x, y[:9]), "9"),
        (lambda: unswayed.Data(x, y, dense=True, rows=20).rows == 20 and unswayed.Data(x * 1j, y), "complex128, not real numbers"),
        (lambda: unswayed.Data(x, np.arange(60.0), labels="numbers"), "sparse rows are supported.*dense=True"),
        (lambda: unswayed.certify(x, y, **SETTING, adversary="box"), "sparse rows are supported for the hinge and logistic losses"),
        (lambda: unswayed.Data(scipy.sparse.csr_matrix((10**6, 10**6)), dense=True), "more than the limit"),
    ]:
        with pytest.raises(unswayed.UnswayedError, match=words):
            call()


def test_pipelines_of_text_stay_sparse():
    random = np.random.default_rng(0)
    y = np.arange(200) % 2
    texts = [" ".join(f"word{n + 30 * label}" for n in random.integers(0, 60, 12)) for label in y]
    for vectorizer in (HashingVectorizer(n_features=2**18), TfidfVectorizer().fit(texts)):
        for steps in ([vectorizer], [vectorizer, unswayed.Guard(0.8)]):
            sgd = SGDClassifier(loss="log_loss", alpha=0.01, learning_rate="constant", eta0=1e-2, fit_intercept=False)
            # A limit that no array of these rows keeps.
            learner = unswayed.from_sklearn(make_pipeline(*steps, sgd), memory_limit=10)
            with pytest.raises(unswayed.UnswayedError, match="more than the limit"):
                learner.certify(texts, y, poison_rate=0.01, adversary="box")
            learner = unswayed.from_sklearn(make_pipeline(*steps, sgd))
            certificate = learner.certify(texts, y, poison_rate=0.01)
            assert certificate.data.kept_columns is not None
            assert certificate.certified_loss < 0.69
            assert learner.attack(texts, y, poison_rate=0.01).strongest.loss.mean <= certificate.certified_loss


def test_a_guard_keeps_rows_sparse_and_in_the_ball(texts):
    x, _ = texts
    for guard in (unswayed.Guard(0.5), unswayed.Guard(0.5, scale=0.3), unswayed.Guard(0.5, scale=np.linspace(0.1, 1, COLUMNS))):
        made = guard.transform(x)
        assert made.shape == x.shape and (made.indices == x.indices).all()
        wanted = guard.transform(x[:2, :2000].toarray()) if np.ndim(guard.scale) == 0 else None
        assert wanted is None or np.allclose(guard.transform(x[:2, :2000]).toarray(), wanted)
        assert np.sqrt(made.multiply(made).sum(axis=1)).max() <= 0.5
    broken = x.copy()
    broken.data[0] = np.inf
    with pytest.raises(unswayed.UnswayedError, match="row 1, feature .* is inf"):
        unswayed.Guard().transform(broken)
