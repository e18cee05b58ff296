#!/usr/bin/python3
"""Makes a client of ballot's API from its OpenAPI document: a Python module that needs nothing but Python.

    python3 make_client.py /usr/share/ballot/openapi.json > ballot_client.py

Each operation becomes a method, with the values of the path in their order, those of the query, the headers and the
body by name: client.get_history(job=["nightly-backup"], status=["failed"]). A word of Python has a _ behind it. A
method returns what the response's JSON says, or its bytes, or the events of a stream; an error is raised as Problem."""
import json
import keyword
import sys

HEAD = '''"""A client of ballot's API, version %s. Made by make_client.py from the OpenAPI document."""
import http.client
import json
import os
import socket
import ssl
import time
import urllib.parse


class Problem(Exception):
    """What the API says of an error (RFC 9457)."""

    def __init__(self, status, detail):
        super().__init__("%%d: %%s" %% (status, detail))
        self.status, self.detail = status, detail


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def new_run_id():
    """A UUID of version 7: the time, then random bits."""
    bits = int(time.time() * 1000) << 80 | int.from_bytes(os.urandom(10), "big")
    bits = bits & ~(0xF << 76) | 7 << 76
    bits = bits & ~(3 << 62) | 2 << 62
    text = "%%032x" %% bits
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


class Client:
    """`url`: http://host:8780, https://host:8780/base, or the path of a socket."""

    def __init__(self, url, token=None, ca_file=None, timeout=60):
        self._url, self._token, self._timeout = url, token, timeout
        self._parts = urllib.parse.urlsplit(url)
        self._tls = ssl.create_default_context(cafile=ca_file) if self._parts.scheme == "https" else None

    def _connection(self):
        if self._url.startswith("/"):
            return _UnixConnection(self._url, self._timeout)
        if self._tls:
            return http.client.HTTPSConnection(self._parts.netloc, timeout=self._timeout, context=self._tls)
        return http.client.HTTPConnection(self._parts.netloc, timeout=self._timeout)

    def _ask(self, method, path, query, headers, body):
        """The response, whose body is not read yet."""
        pairs = [(name, item) for name, value in query.items() if value is not None
                 for item in (value if isinstance(value, (list, tuple)) else [value])]
        pairs = [(name, str(item).lower() if isinstance(item, bool) else item) for name, item in pairs]
        base = "" if self._url.startswith("/") else self._parts.path.rstrip("/")
        target = base + path + ("?" + urllib.parse.urlencode(pairs) if pairs else "")
        all_headers = {name: str(value) for name, value in headers.items() if value is not None}
        if self._token:
            all_headers["Authorization"] = "Bearer " + self._token
        content = None
        if body is not None:
            content = json.dumps({name: value for name, value in body.items() if value is not None})
            all_headers["Content-Type"] = "application/json"
        connection = self._connection()
        connection.request(method, target, content, all_headers)
        response = connection.getresponse()
        if response.status >= 400:
            text = response.read()
            raise Problem(response.status, json.loads(text)["detail"] if text else response.reason)
        return response

    @staticmethod
    def _content(response):
        content = response.read()
        return json.loads(content) if response.headers.get_content_type() == "application/json" else content

    @staticmethod
    def _events(response):
        event = {}
        for line in response:
            name, _, value = line.decode().rstrip("\\n").partition(": ")
            if not name and event:
                yield dict(event, data=json.loads(event["data"]))
                event = {}
            elif name and not name.startswith(":"):
                event[name] = value
'''


def identifier(name):
    name = name.lower().replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def method_of(path, verb, operation, schemas):
    parameters = operation.get("parameters", [])
    in_path = [p["name"] for p in parameters if p["in"] == "path"]
    body = operation.get("requestBody")
    fields, needed = [], []
    if body:
        schema = body["content"]["application/json"]["schema"]
        schema = schemas[schema["$ref"].rsplit("/", 1)[1]]
        fields, needed = list(schema.get("properties", [])), schema.get("required", [])
    free = body is not None and not fields  # any object
    named = [p["name"] for p in parameters if p["in"] in ("query", "header")] + [f for f in fields if f not in needed]
    arguments = ["self"] + in_path + (["question"] if free else needed) + [identifier(n) + "=None" for n in named]
    lines = ["    def %s(%s):" % (operation["operationId"], ", ".join(arguments)),
             '        """%s. Role: %s."""' % (operation["summary"], operation["x-role"])]
    target = repr(path)
    for name in in_path:
        target += '.replace("{%s}", urllib.parse.quote(%s, safe=""))' % (name, name)
    lines.append("        path = " + target)
    pick = lambda where: "{%s}" % ", ".join(
        "%r: %s" % (p["name"], identifier(p["name"])) for p in parameters if p["in"] == where)
    content = "question" if free else "{%s}" % ", ".join("%r: %s" % (f, identifier(f)) for f in fields) if body else "None"
    lines.append("        response = self._ask(%r, path, %s, %s, %s)" %
                 (verb.upper(), pick("query"), pick("header"), content))
    is_stream = "text/event-stream" in operation["responses"]["200"].get("content", {})
    lines.append("        return self._events(response)" if is_stream else "        return self._content(response)")
    return "\n".join(lines)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        document = json.load(file)
    print(HEAD % document["info"]["version"])
    methods = [method_of(path, verb, operation, document["components"]["schemas"])
               for path, verbs in document["paths"].items() for verb, operation in verbs.items()]
    print("\n\n".join(methods))


if __name__ == "__main__":
    main()
