"""What the documentation site adds to its pages: the Python reference, and names in place of links that leave docs/."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "unswayed"
LINK = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+[^)#]*)(#[^)]*)?\)")


def on_page_markdown(markdown, *, page, config, files):
    """Fills in the Python reference; replaces links to files of the repository that are no pages."""
    docs = Path(config["docs_dir"]).resolve()
    here = (docs / page.file.src_uri).parent
    if page.file.src_uri == "reference/python.md":
        markdown += python_reference()

    def replace(match):
        text, target, _ = match.groups()
        path = (here / target).resolve()
        if path.is_relative_to(docs):
            return match.group(0)
        if not path.exists():
            raise SystemExit(f"{page.file.src_uri}: the link to {target} leads nowhere")
        name = path.relative_to(ROOT)
        return f"{text} (`{name}`)" if text.strip("`") != str(name) else f"`{name}`"

    return LINK.sub(replace, markdown)


def python_reference():
    """Signature and docstring of everything that the package exports, with the public methods of its classes."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.glob("*.py"))}
    exported = next(
        ast.literal_eval(node.value)
        for node in trees[PACKAGE / "__init__.py"].body
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"
    )
    defined = {
        node.name: node
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }
    return "".join(entry(defined[name], "##") for name in sorted(exported, key=str.lower) if name in defined)


def entry(node, heading, owner=""):
    """A function or class: heading, signature, docstring."""
    signature = "" if isinstance(node, ast.ClassDef) else f"\n```python\n{owner}{shown(node)}\n```\n"
    text = f"\n{heading} {owner}{node.name}\n{signature}\n```text\n{ast.get_docstring(node) or ''}\n```\n"
    if isinstance(node, ast.ClassDef):
        methods = [part for part in node.body if isinstance(part, ast.FunctionDef) and not part.name.startswith("_")]
        text += "".join(entry(method, heading + "#", f"{node.name}.") for method in methods if ast.get_docstring(method))
    return text


def shown(node):
    """A signature on one line if it is short, with a line for each argument if not."""
    line = f"{node.name}({ast.unparse(node.args)})"
    if len(line) <= 100:
        return line
    arguments = re.sub(r", (?=\w+(?::|=|,|$)|\*)", ",\n    ", ast.unparse(node.args))
    return f"{node.name}(\n    {arguments},\n)"
