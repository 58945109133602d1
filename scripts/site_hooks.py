"""Links of the documentation that leave docs/: the site names the file, and the build fails where there is none."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+[^)#]*)(#[^)]*)?\)")


def on_page_markdown(markdown, *, page, config, files):
    """Replaces links to files of the repository that are no pages."""
    here = (Path(config["docs_dir"]) / page.file.src_uri).parent
    docs = Path(config["docs_dir"]).resolve()

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
