#!/usr/bin/python3
"""Makes docs/api-routes.md, the reference of the API, from its OpenAPI document; --check says whether it is as it was made.

    make_page.py [--check] OPENAPI.json PAGE.md"""
import json
import sys

HEAD = """# Routes of the API

%s Every response that is no success is `application/problem+json` (RFC 9457), whose `detail` says what happened and what
to do. How to switch it on, and who may ask: [the API](api.md); an example: [Ask by a program](guide/ask-by-program.md). The same as a document for programs
(OpenAPI 3.1): `/usr/share/ballot/openapi.json`; this page is made from it.
"""


def wrapped(text, indent=""):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > 120 - len(indent):
            lines.append(line)
            line = ""
        line += (" " if line else "") + word
    return ("\n" + indent).join(lines + [line])


def kind(schema):
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return "[%s](#%s)" % (name, name.lower())
    kinds = schema.get("type", "any")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    names = {"string": "text", "integer": "number", "boolean": "true or false", "array": "list", "null": "null"}
    text = " or ".join(names.get(one, one) for one in kinds)
    if schema.get("format") == "date-time":
        text = text.replace("text", "time")
    if schema.get("enum"):
        text = " or ".join("`%s`" % one for one in schema["enum"])
    return text + (" of " + kind(schema["items"]) if "items" in schema else "")


def cell(text):
    return text.replace("|", "\\|")


def operation_text(path, verb, operation):
    lines = ["### %s %s" % (verb.upper(), path), "", wrapped("%s. Role: %s. %s" % (
        operation["summary"], operation["x-role"], operation.get("description", ""))), ""]
    rows = [(one["name"], {"path": "path", "query": "query", "header": "header"}[one["in"]], kind(one["schema"]),
             one["description"]) for one in operation.get("parameters", [])]
    if "requestBody" in operation:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        rows.append(("(body)", "JSON" if operation["requestBody"]["required"] else "JSON, or none", kind(schema), ""))
    if rows:
        lines += ["| value | in | kind | |", "| --- | --- | --- | --- |"]
        lines += ["| `%s` | %s | %s | %s |" % (name, where, what, cell(text)) for name, where, what, text in rows]
        lines.append("")
    errors = []
    for status, response in operation["responses"].items():
        if "$ref" in response:
            errors.append(status)
            continue
        content = response.get("content", {})
        of = " or ".join(kind(value["schema"]) if "schema" in value else "`%s`" % name for name, value in content.items())
        lines.append("- " + wrapped("%s%s: %s" % (status, ", " + of if of else "", response["description"]), "  "))
    lines += ["- " + ", ".join(sorted(errors)) + ": a [Problem](#problem)", ""]
    return lines


def schema_text(name, schema):
    lines = ["### " + name, "", wrapped(schema["description"]), ""]
    properties = schema.get("properties", {})
    if properties:
        needed = set(schema.get("required", []))
        lines += ["| name | kind | |", "| --- | --- | --- |"]
        lines += ["| `%s` | %s%s | %s |" % (key, kind(value), "" if key in needed else ", or left out",
                                            cell(value.get("description", ""))) for key, value in properties.items()]
        lines.append("")
    return lines


def page(document):
    lines = [HEAD % document["info"]["description"], "## Routes", ""]
    for path, verbs in document["paths"].items():
        for verb, operation in verbs.items():
            lines += operation_text(path, verb, operation)
    lines += ["## What is answered", ""]
    for name, schema in document["components"]["schemas"].items():
        lines += schema_text(name, schema)
    text = "\n".join(lines)
    head, rest = text.split("\n\n", 2)[0], text.split("\n\n", 1)[1]
    first, rest = rest.split("\n\n", 1)
    return head + "\n\n" + wrapped(first) + "\n\n" + rest.rstrip("\n") + "\n"


def main():
    arguments = [one for one in sys.argv[1:] if one != "--check"]
    with open(arguments[0], encoding="utf-8") as file:
        made = page(json.load(file))
    if "--check" not in sys.argv:
        with open(arguments[1], "w", encoding="utf-8") as file:
            file.write(made)
        return 0
    with open(arguments[1], encoding="utf-8") as file:
        same = file.read() == made
    if not same:
        print("%s is not what %s says: run packaging/api/make_page.py %s %s" % (arguments[1], arguments[0], *arguments))
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
