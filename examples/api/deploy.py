#!/usr/bin/python3
"""Triggers a job, waits for the run and prints what came of it: docs/guide/ask-by-program.md.

    deploy.py http://127.0.0.1:8780 JOB          with BALLOT_TOKEN in the environment; or the path of a socket"""
import os
import sys
import time

from ballot_client import Client, Problem, new_run_id

client = Client(sys.argv[1], token=os.environ.get("BALLOT_TOKEN"))
job = sys.argv[2]

run = new_run_id()                # the program's own: asking again with the same id triggers nothing twice
client.put_run(run, job=job)
while client.get_run(run)["status"] in ("queued", "claimed", "running"):
    time.sleep(0.1)
result = client.get_run(run)
print(job, result["status"], result["exit_code"])
sys.stdout.write(client.get_output(run).decode())

page = client.get_history(job=[job], status=["failed", "timed_out", "lost"], limit=20)
print("failures of the last seven days:", len(page["rows"]))
try:
    client.get_job("no-such-job")
except Problem as problem:
    print(problem.status, problem.detail)
