"""The notebook in examples/, executed."""

import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "examples" / "river.ipynb"


@pytest.mark.filterwarnings("ignore")
def test_from_a_river_model_to_a_report(tmp_path):
    shutil.copy(NOTEBOOK, tmp_path)
    notebook = nbformat.read(tmp_path / NOTEBOOK.name, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    shown = [output["data"]["text/html"] for output in outputs if "text/html" in output.get("data", {})]
    assert any("<svg" in html and "certified loss" in html for html in shown)
    assert (tmp_path / "report" / "report.html").exists()
    assert (tmp_path / "phishing.certificate.json").exists()
