"""Sphinx configuration of the site. Built from what "go run ./site/stage" laid out; see docs/contributing/site.md."""

import base64
import gzip
import hashlib
import html
import os
import pathlib
import re
import shutil
import textwrap

import latex2mathml.converter
from docutils import nodes

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
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_dmath_allow_digits = False  # "$5 to $7" is money
myst_fence_as_directive = ["math"]
html_math_renderer = "mathml"
# Notebook magics and command lines are no Go: they are shown without colours where the lexer gives up.
suppress_warnings = ["misc.highlighting_failure", "mystnb.unknown_mime_type", "myst.header"]

html_theme = "pydata_sphinx_theme"
html_static_path = [os.environ["PRIVBAYES_STATIC"]]
html_extra_path = [os.environ["PRIVBAYES_EXTRA"]]
html_css_files = ["site.css"]
html_favicon = "static/icon.svg"
html_copy_source = False
html_use_index = False
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
html_sidebars = {"index": [], "release": [], "plan": [], "verify": [], "claims": []}
html_theme_options = {
    "github_url": "https://github.com/privbayes/privbayes-go",
    "show_prev_next": False,
    "navigation_with_keys": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "secondary_sidebar_items": {"**": ["page-toc"], "release": [], "plan": [], "verify": [], "claims": [], "index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


# What a page may do: nothing is fetched from elsewhere, no form is sent there, no frame, and only the scripts that the
# page came with run: files of the site, and inline scripts by their digests. Pages that compute may compile and start
# workers.
POLICY = (
    "default-src 'none'; script-src 'self' @digests@; connect-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self'; form-action 'self'; base-uri 'none'"
)
MODULES = {"plan": "planner", "verify": "verifier"}  # fetched before the page is laid out
COMPUTES = {*MODULES, "release"}
COMPUTING = "; worker-src blob:"

# Pages whose first words would not tell them from another in a list of results: title, description.
NAMED = {
    "index": ("Differentially private Bayesian inference in Go", None),
    "README": ("Repository", None),
    "claims": ("Table of claims", None),
    "search": ("Search", "Search the documents, notebooks and packages of privbayes."),
}


def described(app, pagename, templatename, context, doctree):
    """Gives a page its policy, its title and its description: its first paragraph that says something."""
    title, text = NAMED.get(pagename, (None, None))
    if title:
        context["title"] = title
    if notebook := re.match(r"notebooks/(\d+)_", pagename):
        context["title"] = f"Notebook {notebook[1]}: {context['title']}"
    if doctree is not None and not text:
        inside = (nodes.table, nodes.list_item, nodes.Admonition)
        texts = (
            " ".join(p.astext().split())
            for p in doctree.findall(nodes.paragraph)
            if not any(isinstance(a, inside) for a in ancestors(p))
        )
        text = next((t for t in texts if len(t) >= 40), None)
        text = text or f"{context['title']}: a page of privbayes, differentially private Bayesian inference in Go."
    policy, early = POLICY, ""
    if pagename in COMPUTES:
        policy = policy.replace("@digests@", "blob: 'wasm-unsafe-eval' @digests@") + COMPUTING
    if pagename in MODULES:
        early = f'<link rel="preload" as="fetch" crossorigin href="_static/{MODULES[pagename]}.wasm.gz">'
    context["metatags"] = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="description" content="{html.escape(textwrap.shorten(text or pagename, 160, placeholder=" …"))}">'
        + early
        + context.get("metatags", "")
    )


def ancestors(node):
    """The nodes around a node."""
    while node.parent is not None:
        node = node.parent
        yield node


# What the theme loads on every page and no page uses: icons as a script, and the search, which only its own page runs.
UNUSED = re.compile(r'\s*<script[^>]* src="[^"]*/scripts/fontawesome\.js[^"]*"></script>')
SEARCH = re.compile(
    r'\s*<script src="[^"]*(?:_static/searchtools|_static/language_data|(?<=["/])searchindex)\.js"></script>'
)
INLINE = re.compile(r"<script(?![^>]*\b(?:src|type)=)[^>]*>(.*?)</script>", re.DOTALL)
TOGGLE = re.compile(r'(<a class="[^"]*reference internal" href="[^"]*">((?:(?!</a>).)*)</a><details[^>]*>)<summary>')
# A picture outside of a link, which is a thumbnail: on a narrow screen it keeps a width at which its words can be read.
PICTURE = re.compile(r"<a\b(?:(?!</a>).)*</a>|(<img\b[^>]*>)", re.DOTALL)
FRAMED = '<span class="pb-scroll pb-figure" tabindex="0" role="group" aria-label="figure">{}</span>'


def integrity(module):
    """The digests of a module as it is sent: gzipped, or unzipped by the server."""
    return " ".join(
        "sha256-" + base64.b64encode(hashlib.sha256(b).digest()).decode() for b in (module, gzip.decompress(module))
    )


def finished(app, exception):
    """Drops what is unused, names menu toggles, frames figures, and fills in the digests of policies."""
    if exception:
        return
    for page in pathlib.Path(app.outdir).rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        text = UNUSED.sub("", text)
        if page.name != "search.html":
            text = SEARCH.sub("", text)
        text = TOGGLE.sub(lambda m: f'{m[1]}<summary aria-label="pages under {re.sub("<[^>]*>", "", m[2])}">', text)
        text = PICTURE.sub(lambda m: FRAMED.format(m[1]) if m[1] else m[0], text)
        digests = {base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in INLINE.findall(text)}
        text = text.replace("@digests@", " ".join(f"'sha256-{d}'" for d in sorted(digests)))
        if "@integrity@" in text:
            text = text.replace("@integrity@", integrity(pathlib.Path(app.outdir, "_static/privbayes.wasm.gz").read_bytes()))
        page.write_text(text, encoding="utf-8")
    static = pathlib.Path(app.outdir, "_static")
    for unused in [*static.rglob("*.map"), *static.glob("scripts/fontawesome*"), static / "webpack-macros.html"]:
        unused.unlink(missing_ok=True)
    shutil.rmtree(static / "vendor", ignore_errors=True)


class MathML:
    """Formulas as MathML, which browsers show without a script or a font of ours."""

    @staticmethod
    def of(translator, node, display):
        # GitHub wants "aligned", which the converter does not know; "split" is the same.
        formula = latex2mathml.converter.convert(node.astext().replace("{aligned}", "{split}"), display=display)
        if display == "block":  # what scrolls can be reached by keyboard
            formula = f'<div class="pb-scroll" tabindex="0" role="group" aria-label="formula">{formula}</div>'
        translator.body.append(formula)
        raise nodes.SkipNode

    @staticmethod
    def inline(translator, node):
        MathML.of(translator, node, "inline")

    @staticmethod
    def block(translator, node):
        MathML.of(translator, node, "block")


def setup(app):
    app.add_html_math_renderer("mathml", (MathML.inline, None), (MathML.block, None))
    app.connect("html-page-context", described)
    app.connect("build-finished", finished)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
