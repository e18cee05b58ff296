// The statements that make a ledger's tables: see schema.hpp, and docs/ledger.md for what they mean.
#pragma once

#include <iterator>

#include "storage/schema.hpp"

namespace ballot::storage {

// migrations[n] takes a file from version n to n + 1. What was released is never changed, only added to.
inline constexpr const char* migrations[] = {
    R"sql(
CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES ('change', 0);

CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE word (
  kind TEXT NOT NULL, id INTEGER NOT NULL, text TEXT, PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger (
  id INTEGER PRIMARY KEY,
  change INTEGER NOT NULL,
  run_id BLOB,
  job_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  slot_until INTEGER,
  slots INTEGER NOT NULL,
  trigger INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  status INTEGER NOT NULL,
  reason INTEGER NOT NULL,
  exit_code INTEGER,
  signal INTEGER,
  started_at INTEGER,
  ended_at INTEGER,
  duration_ms INTEGER,
  node_id INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  output_bytes INTEGER NOT NULL,
  leftover INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX ledger_run ON ledger (substr(run_id, 16), run_id, attempt) WHERE run_id IS NOT NULL;
CREATE UNIQUE INDEX ledger_slot_without_run ON ledger (job_id, slot) WHERE run_id IS NULL;
CREATE INDEX ledger_change ON ledger (change);
CREATE INDEX ledger_slot ON ledger (slot, attempt);
CREATE INDEX ledger_job ON ledger (job_id, status, slot, attempt);
CREATE INDEX ledger_group ON ledger (group_id, status, slot, attempt);
CREATE INDEX ledger_node ON ledger (node_id, status, slot, attempt);
CREATE INDEX ledger_status ON ledger (status, slot, attempt);
CREATE INDEX ledger_reason ON ledger (reason, slot, attempt) WHERE reason > 0;
CREATE INDEX ledger_range ON ledger (job_id, slot_until) WHERE slot_until IS NOT NULL;

CREATE TABLE output (
  run_id BLOB NOT NULL, attempt INTEGER NOT NULL, total_bytes INTEGER NOT NULL, head BLOB NOT NULL, tail BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX output_run ON output (run_id, attempt);

CREATE TABLE term (
  group_id INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  node_id INTEGER NOT NULL,
  elected_at INTEGER NOT NULL,
  ended_at INTEGER,
  cause INTEGER NOT NULL,
  PRIMARY KEY (group_id, epoch)
) STRICT, WITHOUT ROWID;
CREATE INDEX term_ended ON term (ended_at) WHERE ended_at IS NOT NULL;

CREATE VIEW history AS SELECT
  CASE WHEN run_id IS NOT NULL THEN lower(
    substr(hex(run_id), 1, 8) || '-' || substr(hex(run_id), 9, 4) || '-' || substr(hex(run_id), 13, 4) || '-' ||
    substr(hex(run_id), 17, 4) || '-' || substr(hex(run_id), 21)) END AS run_id,
  job.text AS job,
  grp.text AS "group",
  strftime(iif(slot % 1000, '%Y-%m-%dT%H:%M:%fZ', '%Y-%m-%dT%H:%M:%SZ'), slot / 1000.0, 'unixepoch') AS slot,
  strftime('%Y-%m-%dT%H:%M:%SZ', slot_until / 1000.0, 'unixepoch') AS slot_until,
  slots,
  (SELECT text FROM word WHERE kind = 'trigger' AND word.id = trigger) AS "trigger",
  attempt,
  (SELECT text FROM word WHERE kind = 'status' AND word.id = status) AS status,
  (SELECT text FROM word WHERE kind = 'reason' AND word.id = reason) AS reason,
  exit_code,
  signal,
  strftime('%Y-%m-%dT%H:%M:%fZ', started_at / 1000.0, 'unixepoch') AS started_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', ended_at / 1000.0, 'unixepoch') AS ended_at,
  duration_ms,
  node.text AS node,
  epoch,
  nullif(fence, 0) AS fence,
  output_bytes,
  (SELECT text FROM word WHERE kind = 'leftover' AND word.id = leftover) AS leftover
FROM ledger
JOIN name AS job ON job.id = job_id
JOIN name AS grp ON grp.id = group_id
JOIN name AS node ON node.id = node_id;

CREATE VIEW terms AS SELECT
  grp.text AS "group",
  node.text AS node,
  epoch,
  strftime('%Y-%m-%dT%H:%M:%fZ', elected_at / 1000.0, 'unixepoch') AS elected_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', ended_at / 1000.0, 'unixepoch') AS ended_at,
  (SELECT text FROM word WHERE kind = 'cause' AND word.id = cause) AS cause
FROM term
JOIN name AS grp ON grp.id = group_id
JOIN name AS node ON node.id = node_id;
)sql"};
static_assert(std::size(migrations) == schema_version);

// As above, of what an older ballot need not know. `seen` is the last change that a ballot with all of them has made.
inline constexpr const char* additions[] = {
    R"sql(
INSERT INTO meta VALUES ('seen', (SELECT value FROM meta WHERE key = 'change'));

CREATE TABLE definition (
  id INTEGER PRIMARY KEY,
  change INTEGER NOT NULL,
  renewed INTEGER NOT NULL,
  job_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  node_id INTEGER NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER,
  first_epoch INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  before INTEGER NOT NULL,
  basis INTEGER NOT NULL,
  digest TEXT NOT NULL,
  schedule TEXT NOT NULL,
  anchors TEXT NOT NULL,
  timezone TEXT NOT NULL,
  not_before INTEGER,
  not_after INTEGER,
  enabled INTEGER NOT NULL,
  jitter_ms INTEGER NOT NULL,
  start_deadline_ms INTEGER NOT NULL,
  concurrency INTEGER NOT NULL,
  retries INTEGER NOT NULL,
  at_least_once INTEGER NOT NULL,
  reruns INTEGER NOT NULL
) STRICT;
CREATE INDEX definition_job ON definition (job_id);
CREATE INDEX definition_until ON definition (until) WHERE until IS NOT NULL;

CREATE TABLE opening (change INTEGER PRIMARY KEY) STRICT;

CREATE TABLE horizon (job_id INTEGER PRIMARY KEY, kept_since INTEGER NOT NULL) STRICT;

CREATE VIEW definitions AS SELECT
  job.text AS job,
  grp.text AS "group",
  strftime('%Y-%m-%dT%H:%M:%SZ', since / 1000.0, 'unixepoch') AS since,
  strftime('%Y-%m-%dT%H:%M:%SZ', until / 1000.0, 'unixepoch') AS until,
  schedule,
  timezone,
  strftime('%Y-%m-%dT%H:%M:%SZ', not_before / 1000.0, 'unixepoch') AS not_before,
  strftime('%Y-%m-%dT%H:%M:%SZ', not_after / 1000.0, 'unixepoch') AS not_after,
  jitter_ms,
  enabled,
  nullif(digest, '') AS digest,
  node.text AS node,
  epoch
FROM definition
JOIN name AS job ON job.id = job_id
JOIN name AS grp ON grp.id = group_id
JOIN name AS node ON node.id = node_id;
)sql",
    // A ballot that knows the first ones only says so again when it opens the file: these may be there already.
    R"sql(
CREATE TABLE IF NOT EXISTS known_store (
  id INTEGER PRIMARY KEY,
  identity BLOB NOT NULL UNIQUE,
  place TEXT NOT NULL,
  revision INTEGER NOT NULL,
  times INTEGER NOT NULL,
  change INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS known_group (
  store_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  repair INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  times INTEGER NOT NULL,
  PRIMARY KEY (store_id, group_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS known_job (
  store_id INTEGER NOT NULL,
  job_id INTEGER NOT NULL,
  repair INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  PRIMARY KEY (store_id, job_id)
) STRICT, WITHOUT ROWID;
)sql",
    R"sql(
CREATE TABLE IF NOT EXISTS pause (
  job_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER,
  node_id INTEGER NOT NULL,
  by TEXT NOT NULL,
  change INTEGER NOT NULL,
  PRIMARY KEY (job_id, group_id, since)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS pause_until ON pause (until) WHERE until IS NOT NULL;
INSERT OR REPLACE INTO meta VALUES ('pauses', (SELECT value FROM meta WHERE key = 'change'));

CREATE VIEW IF NOT EXISTS pauses AS SELECT
  job.text AS job,
  grp.text AS "group",
  strftime('%Y-%m-%dT%H:%M:%fZ', since / 1000.0, 'unixepoch') AS since,
  strftime('%Y-%m-%dT%H:%M:%fZ', until / 1000.0, 'unixepoch') AS until,
  nullif(by, '') AS "by",
  node.text AS node
FROM pause
LEFT JOIN name AS job ON job.id = job_id
JOIN name AS grp ON grp.id = group_id
JOIN name AS node ON node.id = node_id;
)sql",
    R"sql(
CREATE TABLE IF NOT EXISTS request (
  id BLOB PRIMARY KEY,
  kind TEXT NOT NULL,
  job_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  run_id BLOB,
  node_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  by TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS request_run ON request (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS request_at ON request (at);

CREATE VIEW IF NOT EXISTS requests AS SELECT
  strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch') AS at,
  kind,
  job.text AS job,
  grp.text AS "group",
  CASE WHEN run_id IS NOT NULL THEN lower(
    substr(hex(run_id), 1, 8) || '-' || substr(hex(run_id), 9, 4) || '-' || substr(hex(run_id), 13, 4) || '-' ||
    substr(hex(run_id), 17, 4) || '-' || substr(hex(run_id), 21)) END AS run_id,
  nullif(by, '') AS "by",
  node.text AS node,
  lower(
    substr(hex(request.id), 1, 8) || '-' || substr(hex(request.id), 9, 4) || '-' || substr(hex(request.id), 13, 4) || '-' ||
    substr(hex(request.id), 17, 4) || '-' || substr(hex(request.id), 21)) AS request_id
FROM request
LEFT JOIN name AS job ON job.id = job_id
LEFT JOIN name AS grp ON grp.id = group_id
JOIN name AS node ON node.id = node_id;
)sql",
    // A table of its own: an older ballot writes its requests as before.
    R"sql(
CREATE TABLE IF NOT EXISTS answer (
  request_id BLOB PRIMARY KEY,
  result TEXT NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS answer_at ON answer (at);

DROP VIEW IF EXISTS requests;
CREATE VIEW requests AS SELECT
  strftime('%Y-%m-%dT%H:%M:%fZ', request.at / 1000.0, 'unixepoch') AS at,
  kind,
  job.text AS job,
  grp.text AS "group",
  CASE WHEN run_id IS NOT NULL THEN lower(
    substr(hex(run_id), 1, 8) || '-' || substr(hex(run_id), 9, 4) || '-' || substr(hex(run_id), 13, 4) || '-' ||
    substr(hex(run_id), 17, 4) || '-' || substr(hex(run_id), 21)) END AS run_id,
  nullif(by, '') AS "by",
  node.text AS node,
  lower(
    substr(hex(request.id), 1, 8) || '-' || substr(hex(request.id), 9, 4) || '-' || substr(hex(request.id), 13, 4) || '-' ||
    substr(hex(request.id), 17, 4) || '-' || substr(hex(request.id), 21)) AS request_id,
  result,
  nullif(answer.text, '') AS text,
  strftime('%Y-%m-%dT%H:%M:%fZ', answer.at / 1000.0, 'unixepoch') AS answered_at
FROM request
LEFT JOIN answer ON request_id = request.id
LEFT JOIN name AS job ON job.id = job_id
LEFT JOIN name AS grp ON grp.id = group_id
JOIN name AS node ON node.id = node_id;
)sql",
    // What an older ballot has written meanwhile is marked when this one opens the file: `marks` is behind `change`
    // then.
    R"sql(
CREATE TABLE IF NOT EXISTS identity (id INTEGER PRIMARY KEY CHECK (id = 1), ledger BLOB NOT NULL) STRICT;
INSERT OR IGNORE INTO identity VALUES (1, randomblob(16));

CREATE TABLE IF NOT EXISTS mark (
  change INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  one INTEGER NOT NULL,
  two INTEGER NOT NULL,
  three INTEGER NOT NULL,
  id BLOB NOT NULL,
  UNIQUE (kind, one, two, three, id)
) STRICT;
INSERT OR REPLACE INTO meta VALUES ('marks', -1);

CREATE TRIGGER IF NOT EXISTS term_gone AFTER DELETE ON term BEGIN
  DELETE FROM mark WHERE (kind, one, two, three, id) = (1, old.group_id, old.epoch, 0, x'');
END;
CREATE TRIGGER IF NOT EXISTS definition_gone AFTER DELETE ON definition BEGIN
  DELETE FROM mark WHERE (kind, one, two, three, id) = (2, old.id, 0, 0, x'');
END;
CREATE TRIGGER IF NOT EXISTS pause_gone AFTER DELETE ON pause BEGIN
  DELETE FROM mark WHERE (kind, one, two, three, id) = (3, old.job_id, old.group_id, old.since, x'');
END;
CREATE TRIGGER IF NOT EXISTS request_gone AFTER DELETE ON request BEGIN
  DELETE FROM mark WHERE (kind, one, two, three, id) = (4, 0, 0, 0, old.id);
END;
CREATE TRIGGER IF NOT EXISTS output_gone AFTER DELETE ON output BEGIN
  DELETE FROM mark WHERE (kind, one, two, three, id) = (5, old.attempt, 0, 0, old.run_id);
END;
)sql",
    // By which openings of the file a ledger has become what it is: a copy of it that was put back lacks the last ones.
    R"sql(
CREATE TABLE IF NOT EXISTS opened (change INTEGER PRIMARY KEY, token BLOB NOT NULL) STRICT;
)sql",
    // A table of its own: an older ballot writes its pauses as before.
    R"sql(
CREATE TABLE IF NOT EXISTS pause_terms (
  job_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  since INTEGER NOT NULL,
  ends INTEGER,
  reason TEXT NOT NULL,
  PRIMARY KEY (job_id, group_id, since)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS pause_terms_gone AFTER DELETE ON pause BEGIN
  DELETE FROM pause_terms WHERE (job_id, group_id, since) = (old.job_id, old.group_id, old.since);
END;

DROP VIEW IF EXISTS pauses;
CREATE VIEW pauses AS SELECT
  job.text AS job,
  grp.text AS "group",
  strftime('%Y-%m-%dT%H:%M:%fZ', since / 1000.0, 'unixepoch') AS since,
  strftime('%Y-%m-%dT%H:%M:%fZ', until / 1000.0, 'unixepoch') AS until,
  nullif(by, '') AS "by",
  node.text AS node,
  strftime('%Y-%m-%dT%H:%M:%fZ', ends / 1000.0, 'unixepoch') AS ends,
  nullif(reason, '') AS reason
FROM pause
LEFT JOIN pause_terms USING (job_id, group_id, since)
LEFT JOIN name AS job ON job.id = job_id
JOIN name AS grp ON grp.id = group_id
JOIN name AS node ON node.id = node_id;
)sql",
    // A table of its own: an older ballot writes its requests as before.
    R"sql(
CREATE TABLE IF NOT EXISTS trigger_env (trigger_id BLOB PRIMARY KEY, env TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS trigger_env_gone AFTER DELETE ON request BEGIN
  DELETE FROM trigger_env WHERE trigger_id = old.id;
END;

DROP VIEW IF EXISTS requests;
CREATE VIEW requests AS SELECT
  strftime('%Y-%m-%dT%H:%M:%fZ', request.at / 1000.0, 'unixepoch') AS at,
  kind,
  job.text AS job,
  grp.text AS "group",
  CASE WHEN run_id IS NOT NULL THEN lower(
    substr(hex(run_id), 1, 8) || '-' || substr(hex(run_id), 9, 4) || '-' || substr(hex(run_id), 13, 4) || '-' ||
    substr(hex(run_id), 17, 4) || '-' || substr(hex(run_id), 21)) END AS run_id,
  nullif(by, '') AS "by",
  node.text AS node,
  lower(
    substr(hex(request.id), 1, 8) || '-' || substr(hex(request.id), 9, 4) || '-' || substr(hex(request.id), 13, 4) || '-' ||
    substr(hex(request.id), 17, 4) || '-' || substr(hex(request.id), 21)) AS request_id,
  result,
  nullif(answer.text, '') AS text,
  strftime('%Y-%m-%dT%H:%M:%fZ', answer.at / 1000.0, 'unixepoch') AS answered_at,
  env
FROM request
LEFT JOIN answer ON request_id = request.id
LEFT JOIN trigger_env ON trigger_id = request.id
LEFT JOIN name AS job ON job.id = job_id
LEFT JOIN name AS grp ON grp.id = group_id
JOIN name AS node ON node.id = node_id;
)sql",
    // A table of its own: an older ballot writes its definitions as before.
    R"sql(
CREATE TABLE IF NOT EXISTS definition_keys (
  job_id INTEGER NOT NULL,
  digest TEXT NOT NULL,
  keys TEXT NOT NULL,
  PRIMARY KEY (job_id, digest)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS definition_keys_gone AFTER DELETE ON definition
WHEN NOT EXISTS (SELECT 1 FROM definition WHERE (job_id, digest) = (old.job_id, old.digest)) BEGIN
  DELETE FROM definition_keys WHERE (job_id, digest) = (old.job_id, old.digest);
END;
)sql"};
static_assert(std::size(additions) == additions_version);

}  // namespace ballot::storage
