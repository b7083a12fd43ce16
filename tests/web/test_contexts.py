"""A page class has exactly the names that its template reads."""

import inspect
from collections.abc import Iterator

import pytest
from flask import Flask
from jinja2 import meta, nodes

from app.web.rendering import Page, list_context_names

SECTIONS = ["sections"]  # folder of parts that their page includes by name


def pages(kind: type[Page] = Page) -> list[type[Page]]:
    every = [page for each in kind.__subclasses__() for page in (each, *pages(each))]
    return sorted(every, key=lambda page: page.__name__)


def is_used(kind: type[Page], field: str) -> bool:
    """Return whether a property of a page reads a field that its template does not."""
    return f"self.{field}" in inspect.getsource(kind)


def templates(app: Flask, name: str, seen: set[str]) -> Iterator[nodes.Template]:
    """Return a template and all templates that it extends or includes; imports have no context."""
    seen.add(name)
    loader = app.jinja_env.loader
    assert loader
    source = app.jinja_env.parse(loader.get_source(app.jinja_env, name)[0])
    yield source
    for node in source.find_all((nodes.Extends, nodes.Include)):
        assert isinstance(node, nodes.Extends | nodes.Include)
        for other in named(app, node.template):
            if other not in seen:
                yield from templates(app, other, seen)


def named(app: Flask, template: nodes.Expr) -> list[str]:
    """Return the template of an include, or all templates that a variable name can mean."""
    if isinstance(template, nodes.Const):
        return [template.value]
    if isinstance(template, nodes.CondExpr):
        assert template.expr2
        return [*named(app, template.expr1), *named(app, template.expr2)]
    parts = [part.value for part in template.find_all(nodes.Const)]
    return [
        name
        for name in app.jinja_env.list_templates()
        if name.startswith(parts[0]) and name.endswith(parts[-1]) and "/_" not in name
    ]


def made_there(source: nodes.Template) -> set[str]:
    """Return the names that a template sets itself, which blocks and includes can read."""
    made = {name.name for name in source.find_all(nodes.Name) if name.ctx in ("store", "param")}
    made |= {macro.name for macro in source.find_all(nodes.Macro)}
    for taken in source.find_all(nodes.FromImport):
        made |= {name if isinstance(name, str) else name[1] for name in taken.names}
    return made


def read(app: Flask, kind: type[Page]) -> set[str]:
    """Return every name that the templates of a page read and do not set."""
    names: set[str] = set()
    local: set[str] = set()
    for source in templates(app, kind.template, set()):
        names |= meta.find_undeclared_variables(source)
        local |= made_there(source)
    given = {*list_context_names(kind)}
    flask = {"request", "session", "g", "config", "url_for", "get_flashed_messages"}
    return names - {*app.jinja_env.globals} - flask - (local - given)


def test_there_is_a_page_for_every_template(app: Flask) -> None:
    whole = {
        name
        for name in app.jinja_env.list_templates()
        if not name.split("/")[-1].startswith("_") and name.split("/")[1:-1] != SECTIONS
    }
    assert {page.template for page in pages()} == whole - {"base.html", "error.html"}


@pytest.mark.parametrize("kind", pages(), ids=lambda kind: kind.__name__)
def test_a_page_has_what_its_templates_read(app: Flask, kind: type[Page]) -> None:
    there, wanted = {*list_context_names(kind)}, read(app, kind)
    assert wanted <= there
    unread = there - wanted
    assert unread <= {*kind.__struct_fields__}, "a property that no template reads"
    assert all(is_used(kind, field) for field in unread), f"nothing reads one of {unread}"


@pytest.mark.parametrize("kind", pages(), ids=lambda kind: kind.__name__)
def test_a_page_is_documented_and_does_not_change(kind: type[Page]) -> None:
    assert kind.__doc__
    assert kind.__doc__ != Page.__doc__
    assert kind.__struct_config__.frozen
