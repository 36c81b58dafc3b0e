"""How Sphinx makes the site. `make book` calls it, on a copy of this folder in build/book/source."""

import tomllib

from tools.book.places import EXTRA, ROOT

project = "rbdlib"
author = "The rbdlib developers"
copyright = "the rbdlib developers, MIT licence"
release = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
language = "en"

extensions = ["myst_nb", "sphinx.ext.mathjax", "sphinx_design", "sphinx_copybutton", "tools.book.extension",
              "tools.book.figure_controls", "tools.book.live_pages"]
exclude_patterns = ["_build", "README.md", "paper"]
templates_path = ["_templates"]

smartquotes = False
toc_object_entries = True
toc_object_entries_show_parents = "hide"
add_module_names = False
highlight_language = "python"

nb_execution_mode = "off"
nb_merge_streams = True
nb_render_markdown_format = "myst"
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath", "attrs_inline", "attrs_block"]
myst_heading_anchors = 3
myst_dmath_double_inline = True

mathjax_path = "mathjax/startup.js"
# Outputs of notebooks that are HTML, such as reports of verify, have formulas between dollars.
myst_mathjax_classes = "tex2jax_process|mathjax_process|math|output_area|text_html"
mathjax3_config = {"loader": {"load": ["core", "input/tex", "output/svg", "a11y/assistive-mml"]},
                   "tex": {"inlineMath": [["\\(", "\\)"], ["$", "$"]]}}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "sphinx_book_theme"
html_title = "The book that runs"
html_static_path = ["_static"]
html_favicon = "_static/favicon.svg"
html_extra_path = [str(EXTRA)]
html_css_files = ["book.css"]
html_js_files = ["book.js"]
html_last_updated_fmt = None
html_use_index = False
html_show_sourcelink = True
html_theme_options = {
    "show_navbar_depth": 1,
    "max_navbar_depth": 2,
    "collapse_navbar": True,
    "show_toc_level": 2,
    "use_download_button": True,
    "use_fullscreen_button": False,
    "home_page_in_toc": True,
    "navigation_with_keys": False,
    "navbar_persistent": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "toc_title": "On this page",
    "article_header_end": ["article-header-buttons.html"],
    "logo": {"text": "The book that runs"},
}
html_context = {"default_mode": "auto"}
html_sidebars = {"**": ["navbar-logo.html", "search-button-field.html", "sbt-sidebar-nav.html"]}
