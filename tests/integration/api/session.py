#!/usr/bin/python3
"""A session of some 200 requests to a daemon's API, over all routes, with errors and pages. Each response must be one
that the OpenAPI document has for its operation, down to the names in it.

    session.py SOCKET OPENAPI.json

The daemon listens on SOCKET, where who asks may do everything, and has the jobs of api_test.cpp."""
import http.client
import json
import os
import re
import socket
import sys
import threading
import time
import urllib.parse

import jsonschema

SOCKET, DOCUMENT = sys.argv[1:]
with open(DOCUMENT, encoding="utf-8") as file:
    API = json.load(file)
findings, used, recorded = [], set(), 0


def closed(schema):
    """The same schema, by which nothing else is in an object than it says."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: closed(value) for key, value in schema.items()}
    if "properties" in schema and schema.get("type") == "object":
        schema["additionalProperties"] = False
    return schema


CLOSED = {"schemas": closed(API["components"]["schemas"])}
FORMATS = jsonschema.FormatChecker()
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?(Z|[+-]\d\d:\d\d)$")
FORMATS.checks("date-time")(lambda text: not isinstance(text, str) or TIME.match(text) is not None)


def check(schema, value):
    whole = dict(schema, components=CLOSED)
    for error in jsonschema.Draft202012Validator(whole, format_checker=FORMATS).iter_errors(value):
        yield "%s: %s" % ("/".join(map(str, error.absolute_path)), error.message)


def operation_of(method, path):
    for template, verbs in API["paths"].items():
        if re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(template)), path) and method.lower() in verbs:
            yield "{" in template, template, verbs[method.lower()]


def judge(method, target, status, headers, body):
    path = target.split("?")[0]
    matches = sorted(operation_of(method, path), key=lambda one: one[0])
    if not matches:
        return [] if status in (404, 405) else ["no operation has it"]
    _, template, operation = matches[0]
    used.add((method, template))
    response = operation["responses"].get(str(status))
    if response is None:
        return ["status %d is not in the document" % status]
    if "$ref" in response:
        response = API["components"]["responses"][response["$ref"].rsplit("/", 1)[1]]
    content = response.get("content", {})
    kind = headers.get("Content-Type", "").split(";")[0]
    if not content:
        return [] if not body else ["a body where there is none"]
    if kind not in content:
        return ["content type %r is not in the document" % kind]
    schema = content[kind].get("schema")
    return list(check(schema, json.loads(body))) if schema else []


class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(SOCKET)


connection = Connection("localhost", timeout=60)


def ask(method, path, body=None, headers=None, wanted=None, **query):
    """The response's status, headers and body; with `wanted` a finding where it has another status.
    As a client should, it asks again where it has asked too much in a short time."""
    global recorded
    target = path + ("?" + urllib.parse.urlencode(query, doseq=True) if query else "")
    headers = dict(headers or {})
    if body is not None and not isinstance(body, str):
        body = json.dumps(body)
    if body is not None:
        headers.setdefault("Content-Type", "application/json")
    connection.request(method, target, body, headers)
    response = connection.getresponse()
    content = response.read()
    recorded += 1
    wrong = judge(method, target, response.status, response.headers, content)
    if response.status == 429 and wanted not in (None, 429):
        findings.extend("%s %s: %s" % (method, target, one) for one in wrong)
        time.sleep(int(response.headers["Retry-After"]))
        return ask(method, path, body, headers, wanted, **query)
    if wanted is not None and response.status != wanted:
        wrong.append("status %d, not %d: %r" % (response.status, wanted, content[:300]))
    findings.extend("%s %s: %s" % (method, target, one) for one in wrong)
    is_json = "json" in response.headers.get("Content-Type", "") and content and b"\n" not in content
    return response.status, response.headers, json.loads(content) if is_json else content


def get(path, wanted=200, **query):
    return ask("GET", "/api/v1" + path, wanted=wanted, **query)[2]


def expect(holds, text):
    if not holds:
        findings.append(text)


def new_run_id():
    digits = "%012x7%s8%s" % (int(time.time() * 1000), os.urandom(2).hex()[:3], os.urandom(8).hex()[:15])
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def pages(path, items, by, **query):
    """All of a list, page by page."""
    found = []
    while True:
        answer = get(path, **query)
        found += answer[items]
        if answer["next"] is None:
            return found
        query[by] = answer["next"]


def runs():
    """Triggers, and what they came to."""
    made = []
    for job in ("hello", "broken", "hello", "lines", "hello"):
        run = new_run_id()
        trigger = lambda wanted: ask("PUT", "/api/v1/runs/" + run, {"job": job}, wanted=wanted)[2]
        expect(trigger(201)["created"], "the run is new")
        expect(trigger(200) == {"done": True, "run_id": run, "created": False}, "it is not made twice")
        made.append((run, job))
    run, _ = made[0]
    ask("PUT", "/api/v1/runs/" + run, {"job": "broken"}, wanted=409)
    other = new_run_id()
    ask("PUT", "/api/v1/runs/" + other, {"job": "no-such-job"}, wanted=404)
    given = new_run_id()
    values = ["DAY=2026-01-01", "NOTE=a \u00e9\n\"%"]
    ask("PUT", "/api/v1/runs/" + given, {"job": "given", "env": values, "alone": True}, wanted=201)
    row = ended(given)
    expect(row["env"] == values, "its variables")
    ask("PUT", "/api/v1/runs/" + given, {"job": "given", "env": ["DAY=other"]}, wanted=200)  # it is the same run
    expect(ask("GET", "/api/v1/jobs/given")[2]["trigger_env"] == ["DAY", "NOTE"], "which variables it takes")
    for env in (["X=1"], ["DAY"], ["DAY=a\u0000b"], ["LD_PRELOAD=x"], ["DAY=1", "DAY=2"], "DAY=1", [1], ["DAY=" + "x" * 2000]):
        ask("PUT", "/api/v1/runs/" + other, {"job": "given", "env": env}, wanted=400)
    for body in ({}, {"job": 5}, {"job": "hello", "alone": 1}, {"jobs": "hello"}, {"job": "a/b"}, "[]", "{", '{"job": "hello", "timeout_ms": 0}'):
        ask("PUT", "/api/v1/runs/" + other, body, wanted=400)
    for wrong in ("x", run[:-1], run.upper().replace("0", "A"), "11111111-1111-4111-8111-111111111111",
                  "01900000-0000-7000-8000-000000000000"):
        ask("PUT", "/api/v1/runs/" + wrong, {"job": "hello"}, wanted=400)
    for run, job in made:
        row = ended(run)
        expect(row["job"] == job and row["status"] == ("failed" if job == "broken" else "succeeded"), "run of " + job)
        expect(row["triggered_by"] and len(row["attempts"]) == 1, "who triggered it")
        get("/runs/" + run[-12:])
    get("/runs/" + new_run_id(), wanted=404)
    get("/runs/x", wanted=400)
    return made


def ended(run):
    for _ in range(400):
        row = get("/runs/" + run)
        if row["status"] not in ("queued", "claimed", "running"):
            return row
        time.sleep(0.02)
    raise SystemExit("run %s does not end" % run)


def repeated_at_once():
    """The same run is asked for by several clients before anybody has an answer."""
    run, statuses = new_run_id(), []

    def put():
        client = Connection("localhost", timeout=60)
        client.request("PUT", "/api/v1/runs/" + run, json.dumps({"job": "hello"}), {"Content-Type": "application/json"})
        statuses.append(client.getresponse().status)
        client.close()

    clients = [threading.Thread(target=put) for _ in range(4)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    expect(sorted(statuses) == [200, 200, 200, 201], "one makes it, and all are answered: %s" % statuses)
    ended(run)


def output(made):
    lines = next(run for run, job in made if job == "lines")
    path = "/api/v1/runs/%s/output" % lines
    whole = b"".join(b"line %d\n" % i for i in range(1, 101))
    status, headers, text = ask("GET", path, wanted=200)
    expect(text == whole and headers["Ballot-Ended"] == "true", "what it printed: %r" % text[:60])
    for first, last in ((0, 9), (10, 19), (len(whole) - 5, len(whole) + 50), (100, None)):
        status, headers, text = ask("GET", path, headers={"Range": "bytes=%d-%s" % (first, "" if last is None else last)},
                                    wanted=206)
        expect(text == whole[first:None if last is None else last + 1], "bytes %d to %s: %r" % (first, last, text))
        expect(headers["Content-Range"].startswith("bytes %d-" % first), headers["Content-Range"])
    ask("GET", path, headers={"Range": "bytes=%d-" % len(whole)}, wanted=416)
    for odd in ("bytes=5-1", "lines=1-2", "bytes=-5", "bytes=a-b"):
        expect(ask("GET", path, headers={"Range": odd}, wanted=200)[2] == whole, "a range that is none: " + odd)
    expect(ask("GET", path, follow="true", wanted=200)[2] == whole, "followed")
    expect(ask("GET", path, **{"from": 700}, wanted=200)[2] == whole[700:], "from a byte on")
    ask("GET", path, attempt=1, wanted=200)
    ask("GET", path, attempt=7, wanted=404)
    ask("GET", path, follow="yes", wanted=400)


def kills():
    run = new_run_id()
    ask("PUT", "/api/v1/runs/" + run, {"job": "long"}, wanted=201)
    expect(any(one["run_id"] == run for one in get("/runs")["runs"]), "an open run is shown")
    expect(get("/runs/" + run)["ended_at"] is None, "it goes on")
    ask("POST", "/api/v1/runs/%s/kill" % run, wanted=200)
    expect(ended(run)["reason"] == "operator", "it was killed")
    ask("POST", "/api/v1/runs/%s/kill" % run, wanted=404)
    ask("POST", "/api/v1/runs/%s/kill" % run, {"patience": 1}, wanted=400)


def jobs():
    everything = pages("/jobs", "jobs", "after", limit=7)
    names = [one["job"] for one in everything]
    expect(names == sorted(names) and len(set(names)) == 35, "each job once, by name: %s" % names)
    expect([one["job"] for one in get("/jobs", limit=1000)["jobs"]] == names, "the same on one page")
    expect({one["group"] for one in pages("/jobs", "jobs", "after", group="other", limit=5)} == {"other"}, "of a group")
    by_name = {one["job"]: one for one in everything}
    expect(by_name["hello"]["last_status"] == "succeeded" and by_name["hello"]["leader"] == "n1", "its last status")
    expect(by_name["broken"]["last_status"] == "failed: exit_code", "and a failure's")
    headers = ask("GET", "/api/v1/jobs/filler-1", wanted=200)[1]
    ask("GET", "/api/v1/jobs/filler-1", headers={"If-None-Match": headers["ETag"]}, wanted=304)
    ask("GET", "/api/v1/jobs/filler-1", headers={"If-None-Match": '"x", ' + headers["ETag"]}, wanted=304)
    ask("GET", "/api/v1/jobs/filler-1", headers={"If-None-Match": '"x"'}, wanted=200)
    for query in ({"limit": "x"}, {"limit": -1}, {"limit": 0}, {"page": 2}, {"scope": "all"}):
        get("/jobs", wanted=400, **query)
    for name in names:
        expect(get("/jobs/" + name)["job"] == name, "one job")
    expect(get("/jobs/daily")["schedule"] == ["0 2 * * *"] and get("/jobs/daily")["timezone"] == "Europe/Paris", "its file")
    place = get("/jobs/daily")
    expect(place["expect_within_ms"] == 1800000 and "expect_within_ms" not in get("/jobs/often"), "what it expects")
    expect(place["late_after_ms"] == 60000 and "late_after_ms" not in get("/jobs/often"), "and when a start is late")
    with open(place["file"]) as file:
        expect(file.read().splitlines()[place["line"] - 1] == "[job.daily]", "where it is defined")
    for odd in ("no-such-job", "a%2Fb", "%C3%A9"):
        get("/jobs/" + odd, wanted=404)
    ask("DELETE", "/api/v1/jobs/hello", wanted=405)
    for group in pages("/groups", "groups", "after", limit=1):
        expect(group["leader"] == "n1" and group["state"] == "leading" and group["epoch"] == 1, "it leads " + group["group"])
        expect(len(get("/groups/%s/terms" % group["group"], limit=1)["terms"]) == 1, "who leads it")
    late = get("/terms")
    expect({one["group"] for one in late["terms"]} >= {one["group"] for one in get("/groups", limit=1000)["groups"]}, "who led of late")
    expect(not late["left_out"] and get("/terms", limit=1)["left_out"], "and whether that is all")


def slots():
    planned = get("/jobs/daily/slots", **{"from": "2031-03-29T00:00:00Z", "to": "2031-04-01T12:00:00Z"})
    expect([one["slot_local"] for one in planned["planned"]] ==
           ["2031-03-29T02:00:00+01:00", "2031-03-30T03:00:00+02:00", "2031-03-31T02:00:00+02:00",
            "2031-04-01T02:00:00+02:00"],
           "planned over a change of the clock: %s" % planned["planned"])
    expect(planned["timezone"] == "Europe/Paris" and planned["past"] == [], "of the job's zone")
    hello = get("/jobs/hello/slots")
    expect(len(hello["past"]) == 3 and hello["planned"] == [], "slots by hand are past ones")
    expect(get("/jobs/often/slots", limit=5, to="2999-01-01T00:00:00Z")["planned_more"], "more than asked for")
    expect(len(get("/jobs/often/slots", limit=5)["planned"]) == 5, "as many as asked for")
    expect(get("/jobs/every/slots")["planned_known"], "the leader knows where @every counts from")
    first = get("/jobs/hello/slots", limit=2, **{"from": "2020-01-01T00:00:00Z", "to": "2999-01-01T00:00:00Z"})
    more = get("/jobs/hello/slots", limit=2, cursor=first["next"],
               **{"from": "2020-01-01T00:00:00Z", "to": "2999-01-01T00:00:00Z"})
    expect(len({one["run_id"] for one in first["past"] + more["past"]}) == 3, "page by page")
    get("/jobs/no-such-job/slots", wanted=404)
    get("/jobs/daily/slots", wanted=400, **{"from": "yesterday"})


def history(made):
    rows = pages("/history", "rows", "cursor", limit=2)
    expect({run for run, _ in made} <= {row["run_id"] for row in rows}, "each run is there")
    expect(len({(row["run_id"], row["attempt"], row["slot"]) for row in rows}) == len(rows), "each once")
    slots = [row["slot"].replace("Z", "" if "." in row["slot"] else ".000") for row in rows]  # as texts "54Z" comes after "54.1Z"
    expect(slots == sorted(slots, reverse=True), "newest first")
    expect(len(get("/history", job=["broken"])["rows"]) == 1, "of a job")
    expect(len(get("/history", job="broken,lines", status=["failed", "succeeded"])["rows"]) == 2, "of two")
    expect(len(get("/history", run=made[0][0])["rows"]) == 1, "of a run")
    expect(get("/history", reason="exit_code", node="n1", group="default")["rows"][0]["exit_code"] == 3, "why")
    expect(get("/history", until="2020-01-01T00:00:00Z", since="2019-01-01T00:00:00Z")["rows"] == [], "of a time")
    expect(get("/history", job="daily", until="2020-01-01T00:00:00Z")["rows"] == [], "of a job that had not run")
    for path in ("/history", "/history/summary"):
        get(path, wanted=404, job="hello,no-such-job")
    cursor = get("/history", limit=1)["next"]
    for query in ({"cursor": cursor, "job": "hello"}, {"cursor": cursor[:-1]}, {"cursor": ""}, {"cursor": "1-00"},
                  {"status": "great"}, {"reason": "why"}, {"run": "x"}, {"since": "now"}, {"jobs": "hello"}):
        get("/history", wanted=400, **query)
    for per, name in (({}, "hours"), ({"per": "hour"}, "hours"), ({"per": "day"}, "counts"), ({"per": "all"}, "counts")):
        counts = get("/history/summary", **per)[name]
        expect(sum(one["slots"] for one in counts if one["job"] == "hello") == 3, f"counted {per}")
    failed = get("/history/summary", status="failed")["hours"]
    expect(any(one["reason"] == "exit_code" for one in failed), "by reason")
    since = "2020-01-01T00:00:00.000Z"
    whole = get("/history/summary", job="hello", since=since, per="all")["counts"]
    expect([one["from"] for one in whole] == [since] * len(whole), "from where all is counted")
    get("/history/summary", wanted=400, per="week")
    get("/history/summary", wanted=400, limit=5)


def strips(made):
    strips = get("/history/strips", job="hello,broken", last=2)["strips"]
    expect([(one["job"], len(one["rows"])) for one in strips] == [("hello", 2), ("broken", 1)], "a strip each, so long")
    slot = get("/history/strips", job="hello", last=1)["strips"][0]["rows"][0]["slot"]
    expect([one["slot"] for one in get("/history/strips", job="hello", since=slot)["strips"][0]["rows"]] == [slot], "of a time on")
    expect(slot not in [one["slot"] for one in get("/history/strips", job="hello", until=slot)["strips"][0]["rows"]], "before a time")
    get("/history/strips", wanted=400, job="hello", until="soon")
    expect(len(get("/history/strips", job=["hello"] * 100)["strips"]) >= 1, "a hundred names, the parameter repeated")
    get("/history/strips", wanted=400)
    get("/history/strips", wanted=404, job="no-such-job")
    usual = get("/history/usual", job="hello,broken")["usual"]
    expect([(one["job"], one["basis"], one["usual_ms"]) for one in usual] == [("hello", "few", None), ("broken", "none", None)], "too few runs to say")
    get("/history/usual", wanted=400)
    get("/history/usual", wanted=404, job="no-such-job")


def definitions():
    began = pages("/history/definitions", "definitions", "cursor", limit=2)
    expect({"hello", "broken"} <= {one["job"] for one in began if one["change"] == "added"}, "each job was added")
    expect(all(one["nodes"] == ["n1"] and one["digest"] for one in began), "where, and which")
    expect(len({(one["at"], one["job"], one["digest"]) for one in began}) == len(began), "each once")
    of_hello = get("/history/definitions", job="hello")["definitions"]
    expect([one["job"] for one in of_hello] == ["hello"], "of a job")
    expect(get("/history/definitions", job="hello", until=of_hello[0]["at"])["definitions"] == [], "before a time")
    expect(of_hello[0]["digest"] == get("/jobs/hello")["digest"], "what is in force")
    cursor = get("/history/definitions", limit=1)["next"]
    get("/history/definitions", wanted=400, cursor=cursor, job="hello")
    get("/history/definitions", wanted=400, run="x")
    get("/history/definitions", wanted=404, job="no-such-job")


def why(made):
    run, job = next(one for one in made if one[1] == "broken")
    of_run = get("/jobs/broken/why", run=run)
    expect(of_run["why"].startswith("Attempt 1 (manual) on n1 ") and "exit code 3" in of_run["why"], "what happened")
    expect("no retries" in of_run["why"] and of_run["run_id"] == run, "what follows")
    expect(get("/jobs/broken/why")["why"] == of_run["why"], "of the last one unless said")
    expect(get("/jobs/broken/why", slot=of_run["slot"])["rows"] == of_run["rows"], "of a slot")
    none = get("/jobs/broken/why", slot="2020-01-01T00:00:00Z")
    expect(none["rows"] == [] and none["status"] == "no slot" and none["slot"] is None, "of a slot that there is not")
    get("/jobs/broken/why", wanted=404, run=new_run_id())
    get("/jobs/broken/why", wanted=400, run="x")
    get("/jobs/no-such-job/why", wanted=404)


def ahead():
    week = 7 * 24 * 3_600_000
    slots = get("/next", for_ms=week, limit=3)
    expect(len(slots["slots"]) == 3 and slots["left_out"], "the first of more")
    expect([one["node"] for one in get("/next", for_ms=week, job="often")["slots"]] == ["n1"] * 7, "by whom")
    get("/next", wanted=400, for_ms=0)
    load = get("/load")
    expect(sum(one["slots"] for one in load["hours"]) >= 2 * 7, "a week of what is due each day")
    expect(load["left_out"] == 0, "all of it")
    get("/load", wanted=400, **{"from": "2026-01-01T00:00:00Z", "to": "2199-01-01T00:00:00Z"})
    expect(get("/whoami")["role"] in ("viewer", "operator", "admin"), "with a role")


def requests(made):
    asked = pages("/requests", "requests", "cursor", limit=3)
    triggers = {one["run_id"] for one in asked if one["kind"] == "trigger"}
    expect({run for run, _ in made} <= triggers, "each trigger is on record")
    expect(any(one["kind"] == "kill" for one in asked) and all(one["by"] for one in asked), "by whom")
    expect(len({one["request_id"] for one in asked}) == len(asked), "each once")
    expect({one["job"] for one in get("/requests", job="hello", kind="trigger,kill")["requests"]} == {"hello"}, "of a job")
    expect(get("/requests", by="token nobody")["requests"] == [], "of nobody")
    cursor = get("/requests", limit=1)["next"]
    get("/requests", wanted=400, cursor=cursor, kind="kill")
    get("/requests", wanted=400, run="x")


def pauses():
    for what in ("jobs/hello", "groups/other"):
        for verb in ("pause", "resume", "pause", "resume"):
            ask("POST", "/api/v1/%s/%s" % (what, verb), wanted=200)
            if what == "jobs/hello":
                expect(get("/jobs/hello")["state"] == ("paused" if verb == "pause" else "active"), "it is so: " + verb)
    ask("POST", "/api/v1/jobs/often/pause", wanted=200)
    expect(get("/jobs/often")["next_slot"] is None and get("/jobs/often/slots")["planned"] == [], "it will not run them")
    ask("POST", "/api/v1/jobs/often/resume", wanted=200)
    ask("POST", "/api/v1/jobs/often/pause", {"for": "2h", "reason": "disks are changed"}, wanted=200)
    job = get("/jobs/often")
    expect(job["paused_until"] and job["pause_reason"] == "disks are changed", "until when, and why")
    expect(job["pauses"][0]["until"] == job["paused_until"] and job["pauses"][0]["reason"] == job["pause_reason"], "of each")
    ask("POST", "/api/v1/jobs/often/pause", {"until": "2099-01-01T00:00:00Z"}, wanted=200)
    job = get("/jobs/often")
    expect(job["paused_until"] == "2099-01-01T00:00:00.000Z" and job["pause_reason"] is None, "another end")
    ask("POST", "/api/v1/jobs/often/resume", wanted=200)
    expect(get("/jobs/often")["paused_until"] is None, "it is paused no more")
    for body in ({"for": "soon"}, {"until": "soon"}, {"for": "2h", "until": "2099-01-01T00:00:00Z"}, {"reason": "a\nb"},
                 {"until": "2025-03-09T07:00:00Z"}):
        ask("POST", "/api/v1/jobs/often/pause", body, wanted=400)
    ask("POST", "/api/v1/jobs/often/resume", {"for": "2h"}, wanted=400)
    ask("POST", "/api/v1/jobs/no-such-job/pause", {"timeout_ms": 2000}, wanted=404)
    ask("POST", "/api/v1/groups/other/pause", {"timeout_ms": "soon"}, wanted=400)
    ask("POST", "/api/v1/groups/other/stop", wanted=404)


def backfills():
    path = "/api/v1/jobs/often/backfill"
    ago = lambda seconds: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - seconds))
    since = ago(3 * 86400)
    dry = ask("POST", path, {"since": since, "dry_run": True, "which": "all"}, wanted=200)[2]
    expect(len(dry["slots"]) == 3 and dry["slots"] == sorted(dry["slots"], key=lambda one: one["slot"]), "oldest first")
    done = ask("POST", path, {"since": since, "which": "missed", "parallel": 2}, wanted=200)[2]
    expect(done["text"].startswith("backfill of 3 slots up to "), "what is done: " + done["text"])
    stopped = ask("POST", path, {"stop": True}, wanted=200)[2]
    expect("backfill" in stopped["text"], "it is stopped, or over: " + stopped["text"])
    expect("backfill" not in get("/jobs/often"), "it is shown no more")
    for body in ({}, {"since": "soon"}, {"since": since, "which": "some"}, {"since": since, "parallel": 17},
                 {"since": since, "dry_run": "yes"}, {"since": "2999-01-01T00:00:00Z"}, {"sincere": since}):
        ask("POST", path, body, wanted=400)
    ask("POST", "/api/v1/jobs/no-such-job/backfill", {"since": since}, wanted=404)


def events(made):
    """A stream of its own connection, as it has no end."""
    def follow(after, count):
        stream = Connection("localhost", timeout=10)  # before the first sign of life
        stream.request("GET", "/api/v1/events", headers={"Last-Event-ID": after} if after else {})
        response = stream.getresponse()
        if response.status == 429:
            time.sleep(int(response.headers["Retry-After"]))
            return follow(after, count)
        findings.extend("events: " + one for one in judge("GET", "/api/v1/events", response.status, response.headers, b""))
        got = []
        for _ in range(count):
            event = dict(line.split(": ", 1) for line in iter(lambda: response.readline().decode().rstrip("\n"), ""))
            got.append(event)
            if len(got) == 1 and not after:
                ask("PUT", "/api/v1/runs/" + new_run_id(), {"job": "hello"}, wanted=201)
        stream.close()
        return got
    first = follow("", 4)
    expect([one["event"] for one in first] == ["begin", "row", "row", "row"], "events of a run: %s" % first)
    for one in first[1:]:
        findings.extend("event: " + text for text in check({"$ref": "#/components/schemas/Row"}, json.loads(one["data"])))
    again = follow(first[1]["id"], 3)
    expect(again[0]["event"] == "begin" and [one["id"] for one in again[1:]] == [one["id"] for one in first[2:]],
           "it goes on where it was: %s" % again)
    expect(follow("0123456789ab-5", 1)[0]["event"] == "reset", "an id that is gone")
    get("/events", wanted=400, since="x")


def others():
    for _ in range(15):
        expect(get("/status")["node"] == "n1", "how it is")
    expect([one["node"] for one in get("/nodes")["nodes"]] == ["n1"], "which nodes there are")
    get("/status", wanted=400, verbose="1")
    get("/nothing", wanted=404)
    ask("POST", "/api/v1/questions", {"do": "status"}, wanted=200)
    ask("POST", "/api/v1/questions", {"do": "trigger", "job": "hello"}, wanted=403)
    ask("POST", "/api/v1/questions", "no question", wanted=400)


made = runs()
for step in (lambda: output(made), kills, jobs, slots, lambda: history(made), lambda: strips(made), definitions, lambda: why(made), ahead, lambda: requests(made), pauses, backfills, lambda: events(made), repeated_at_once, others):
    step()
for path, verbs in API["paths"].items():
    for verb in verbs:
        expect((verb.upper(), path) in used, "%s %s was not asked" % (verb.upper(), path))
expect(recorded >= 200, "only %d requests" % recorded)
print("%d requests, %d findings" % (recorded, len(findings)))
print("\n".join(findings))
sys.exit(1 if findings else 0)
