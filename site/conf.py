"""Sphinx configuration of the site. Built from what "go run ./site/stage" laid out; see docs/contributing/site.md."""

import os

project = "privbayes"
author = "the authors of privbayes"
copyright = author
html_title = "privbayes"
language = "en"

extensions = ["myst_nb"]
root_doc = "index"
exclude_patterns = ["_build"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}

# Outputs are those in the notebooks: their own test has executed them.
nb_execution_mode = "off"
nb_number_source_lines = False
myst_heading_anchors = 6
myst_enable_extensions = ["colon_fence"]
# Notebook magics and command lines are no Go: they are shown without colours where the lexer gives up.
suppress_warnings = ["misc.highlighting_failure", "mystnb.unknown_mime_type", "myst.header"]

html_theme = "pydata_sphinx_theme"
html_static_path = [os.environ["PRIVBAYES_STATIC"]]
html_extra_path = [os.environ["PRIVBAYES_EXTRA"]]
html_css_files = ["site.css"]
html_favicon = "static/icon.svg"
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {"index": [], "plan": [], "verify": [], "claims": []}
html_theme_options = {
    "github_url": "https://github.com/privbayes/privbayes-go",
    "show_prev_next": False,
    "navigation_with_keys": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "secondary_sidebar_items": {"**": ["page-toc"], "plan": [], "verify": [], "claims": [], "index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


# The pages that compute tell the browser to let nothing out: no request to another server, no form, no frame.
POLICY = (
    "default-src 'none'; script-src 'self' blob: 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:; "
    "connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; "
    "form-action 'self'; base-uri 'none'"
)


def closed(app, pagename, templatename, context, doctree):
    """Adds the policy to the pages that compute."""
    if pagename in ("plan", "verify"):
        meta = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        context["metatags"] = meta + context.get("metatags", "")


def setup(app):
    app.connect("html-page-context", closed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
