"""The reference: a page for every public module, made from signatures and docstrings."""

import re
from collections import defaultdict
from itertools import accumulate

from tools.book.markup import code, container, fence, link, page, plain, prose, slug
from tools.book.package_index import walk
from tools.book.source_pages import line_of

DIRECTIVES = {"function": "py:function", "class": "py:class", "method": "py:method", "property": "py:property"}
#: A class with more fields is shown without them in its first line; its docstring says what they are.
MOST_FIELDS = 6


def api_pages(book):
    """{path: Markdown} of the reference."""
    pages = {f"api/{name}.md": module_page(book, module) for name, module in book.modules.items()}
    return pages | {"api/index.md": overview(book)}


def page_of_item(item, modules):
    """The address of an item in the reference, from the site's root; that of its class for an attribute."""
    owner = item.name
    if item.kind == "data" and (owner.rpartition(".")[0] not in modules or not (item.signature or item.doc)):
        owner = owner.rpartition(".")[0]
    is_constant = item.kind == "data" and owner == item.name
    place = "" if owner in modules else f"#{slug(owner) if is_constant else owner}"
    while owner not in modules:
        owner = owner.rpartition(".")[0]
    return f"api/{owner}.html{place}"


def names(book):
    """{name: address}: of every full name, and of every short name that only one public function or class has."""
    found, short = {name: f"api/{name}.html" for name in book.modules}, {}
    for item in walk(book.modules):
        found.setdefault(item.name, page_of_item(item, book.modules))
        if item.kind in ("function", "class"):
            short.setdefault(item.short, []).append(found[item.name])
    inside = defaultdict(dict)                                  # of each name what stands below it, and itself
    for name, place in found.items():
        for above in accumulate(name.split("."), "{}.{}".format):
            inside[above][name] = place
    for module in book.modules.values():
        for name in passed_on(module):
            origin = _origin(book, f"{module.name}.{name}")
            for inner, place in inside[origin].items():
                found.setdefault(f"{module.name}.{name}{inner.removeprefix(origin)}", place)
            if origin in found and module.name == "rbdlib":
                short[name] = [found[origin]]
    found |= {name: places[0] for name, places in short.items() if len(places) == 1 and len(name) > 2}
    return found


def passed_on(module):
    """The names that a package takes from its modules and offers as its own."""
    return {*module.exports, *module.imports} if module.file.endswith("__init__.py") else set()


def _origin(book, name):
    """Where something that a package passes on is defined."""
    for _ in range(5):
        module, _, short = name.rpartition(".")
        passed_on = book.modules[module].imports.get(short) if module in book.modules else None
        if not passed_on:
            break
        name = passed_on
    return name


def overview(book):
    """The list of the modules: first those of the book's chapters, then the packages."""
    single = [module for name, module in book.modules.items() if name.count(".") <= 1]
    listing = [f"- {link(module.name, f'api/{module.name}.html')} {prose(module.title)}" for module in single]
    toctree = contents([module.name for module in single])
    about = {item.name: item.doc.partition("\n")[0] for item in walk(book.modules)}
    exports = [f"- {link(name, place)} {prose(about.get(_origin(book, f'rbdlib.{name}'), ''))}"
               for name in book.modules["rbdlib"].exports if (place := names_of(book).get(f"rbdlib.{name}"))]
    return page("Reference", "What every function takes and returns, which equations it carries, and where its source "
                "is. It is made anew from signatures and docstrings with every `make book`, so that it says what the "
                "code does. [The symbols](../symbols.md) lead from the letters of the texts to the names here.",
                "## The names of `rbdlib` itself", "Most work needs no others: `from rbdlib import aba` is enough.",
                "\n".join(exports), "## Modules and packages", "All of them, in the order of the alphabet. The numbers "
                "in brackets are the sections of the texts that a module follows.", "\n".join(listing), toctree)


def contents(modules):
    """The pages of modules as those below the present page."""
    return "\n".join(["```{toctree}", ":hidden:", "", *modules, "```"])


def module_page(book, module):
    """The page of a module, with its items in the order of the file."""
    inner = [name for name in book.modules if name.rpartition(".")[0] == module.name]
    blocks = [docstring(module.doc), f"{link('Source', line_of(module.file, 1))}"]
    if inner and module.name != "rbdlib":
        listing = [f"- {link(name, f'api/{name}.html')} {prose(book.modules[name].title)}" for name in inner]
        blocks += ["## Modules", "\n".join(listing), contents(inner)]
    offered = [link(name, place) for name in sorted(passed_on(module))
               if (place := names_of(book).get(f"{module.name}.{name}"))]
    if offered:
        blocks += ["## Names", container("columns", "\n".join(f"- {entry}" for entry in offered))]
    items = [item_block(book, item) for item in module.items if item.kind != "data"]
    blocks += ["## Functions and classes", *items] if items else []
    constants = [constant_line(item) for item in module.items if item.kind == "data" and (item.signature or item.doc)]
    blocks += ["## Constants", "\n".join(constants)] if constants else []
    return page(plain(module.name), *blocks)


def constant_line(item):
    said = code(item.short + (f" = {item.signature}" if item.signature else ""))
    return f"- [{said}]{{#{slug(item.name)}}} {prose(item.doc)} ({link('source', line_of(item.file, item.line))})"


def names_of(book):
    """`names`, worked out once for a book."""
    if not hasattr(book, "api_names"):
        book.api_names = names(book)
    return book.api_names


def item_block(book, item, mark="::::::"):
    """A function or class with its docstring, the rows that it carries, and its members."""
    is_long = item.kind == "class" and item.signature.count(",") > MOST_FIELDS
    head = f"{mark}{{{DIRECTIVES[item.kind]}}} {item.name}{'' if is_long else item.signature}"
    ids = [link(row_id, f"{book.page_of[row_id]}.html#{slug(row_id)}") for row_id in item.ids][:40]
    foot = f"{link('Source', line_of(item.file, item.line))}" + (f" · carries {', '.join(ids)}" if ids else "")
    members = [item_block(book, member, mark[:-1]) for member in item.members
               if member.doc or member.kind in ("method", "property")]
    blocks = [docstring(item.doc), container("api-foot", foot), *members]
    return f"{head}\n\n" + "\n\n".join(block for block in blocks if block) + f"\n{mark}"


def docstring(text):
    """A docstring as Markdown: paragraphs, lists, and what is set apart by spaces as code."""
    return "\n\n".join(_block(block) for block in re.split(r"\n\s*\n", text.strip("\n")) if block.strip())


def _block(block):
    lines = block.splitlines()
    if lines[0].startswith((">>>", "    ", "\t")):
        return fence(block.rstrip(), "pycon" if ">>>" in lines[0] else "text")
    if all(line.startswith(("- ", "  ")) for line in lines):
        return "\n".join(f"- {prose(entry)}" for entry in re.split(r"(?:^|\n)- ", block) if entry.strip())
    indented = next((i for i, line in enumerate(lines) if line.startswith("    ")), None)
    if indented and all(line.startswith("    ") for line in lines[indented:]):
        return prose("\n".join(lines[:indented])) + "\n\n" + fence("\n".join(lines[indented:]))
    return prose(block)
