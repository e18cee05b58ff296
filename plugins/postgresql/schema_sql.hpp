// The statements that make the tables: see schema.hpp. What was released is never changed, only added to.
// @schema@ is their schema.
#pragma once

namespace ballot::postgresql {

inline constexpr const char* tables_1 = R"sql(
CREATE SCHEMA IF NOT EXISTS @schema@;
REVOKE ALL ON SCHEMA @schema@ FROM PUBLIC;

CREATE TABLE meta (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  version integer NOT NULL,
  compatible_from integer NOT NULL,
  rows_since bigint NOT NULL DEFAULT -9223372036854775808,
  output_since bigint NOT NULL DEFAULT -9223372036854775808
);
INSERT INTO meta (version, compatible_from) VALUES (1, 1);

CREATE TABLE name (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text COLLATE "C" NOT NULL UNIQUE);
CREATE TABLE word (kind text NOT NULL, id integer NOT NULL, text text NOT NULL, PRIMARY KEY (kind, id));

CREATE TABLE ledger (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  identity uuid NOT NULL UNIQUE,
  node text COLLATE "C" NOT NULL,
  opening uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  newest bigint NOT NULL DEFAULT 0,
  change bigint NOT NULL DEFAULT 0,
  stored_at bigint
) WITH (fillfactor = 50);

CREATE TABLE rows (
  run uuid NOT NULL,
  slot bigint NOT NULL,
  id bigint NOT NULL,
  change bigint NOT NULL,
  slot_until bigint,
  slots bigint NOT NULL,
  started_at bigint,
  ended_at bigint,
  duration_ms bigint,
  epoch bigint NOT NULL,
  fence bigint NOT NULL,
  output_bytes bigint NOT NULL,
  ledger integer NOT NULL,
  job integer NOT NULL,
  grp integer NOT NULL,
  node integer NOT NULL,
  tail integer,
  attempt integer NOT NULL,
  status integer NOT NULL,
  reason integer NOT NULL,
  exit_code integer,
  signal integer,
  trigger integer NOT NULL,
  leftover integer NOT NULL,
  at_once boolean NOT NULL,
  PRIMARY KEY (run, attempt, job, slot, ledger)
) PARTITION BY RANGE (slot);
CREATE INDEX rows_job ON rows (job, slot, attempt);
CREATE INDEX rows_group ON rows (grp, slot, attempt);
CREATE INDEX rows_slot ON rows (slot, attempt);
CREATE INDEX rows_at_once ON rows (slot, job) INCLUDE (grp, node) WHERE at_once;
CREATE INDEX rows_left ON rows (slot, attempt) WHERE NOT at_once;
CREATE INDEX rows_tail ON rows (tail) WHERE tail IS NOT NULL;
CREATE INDEX rows_change ON rows (ledger, change);
CREATE INDEX rows_range ON rows (job, slot_until) WHERE slot_until IS NOT NULL;
CREATE TABLE rows_default PARTITION OF rows DEFAULT;

CREATE TABLE output (
  run uuid NOT NULL,
  at bigint NOT NULL,
  change bigint NOT NULL,
  total_bytes bigint NOT NULL,
  stored_at bigint NOT NULL,
  ledger integer NOT NULL,
  attempt integer NOT NULL,
  is_partial boolean NOT NULL,
  head bytea NOT NULL,
  tail bytea NOT NULL,
  PRIMARY KEY (run, attempt, ledger, at)
) PARTITION BY RANGE (at);
CREATE INDEX output_change ON output (ledger, change) WHERE NOT is_partial;
CREATE TABLE output_default PARTITION OF output DEFAULT;

CREATE TABLE term (
  ledger integer NOT NULL, grp integer NOT NULL, epoch bigint NOT NULL, node integer NOT NULL,
  elected_at bigint NOT NULL, ended_at bigint, cause integer NOT NULL, change bigint NOT NULL,
  PRIMARY KEY (grp, epoch, ledger)
);
CREATE INDEX term_change ON term (ledger, change);

CREATE TABLE definition (
  ledger integer NOT NULL, written bigint NOT NULL, renewed bigint NOT NULL,
  job integer NOT NULL, grp integer NOT NULL, node integer NOT NULL,
  since bigint NOT NULL, first_epoch bigint NOT NULL, epoch bigint NOT NULL, before bigint NOT NULL, basis integer NOT NULL,
  digest text NOT NULL, schedule text[] NOT NULL, anchors bigint[] NOT NULL, timezone text NOT NULL,
  not_before bigint, not_after bigint, enabled boolean NOT NULL, jitter_ms bigint NOT NULL, start_deadline_ms bigint NOT NULL,
  concurrency integer NOT NULL, retries integer NOT NULL, at_least_once boolean NOT NULL, reruns boolean NOT NULL,
  change bigint NOT NULL,
  PRIMARY KEY (ledger, written)
);
CREATE INDEX definition_change ON definition (ledger, change);
CREATE INDEX definition_job ON definition (job, ledger, written);

CREATE TABLE pause (
  ledger integer NOT NULL, job integer NOT NULL, grp integer NOT NULL, since bigint NOT NULL, until bigint,
  node integer NOT NULL, by text NOT NULL, recorded bigint NOT NULL, change bigint NOT NULL,
  PRIMARY KEY (grp, job, since, ledger)
);
CREATE INDEX pause_change ON pause (ledger, change);

CREATE TABLE request (
  ledger integer NOT NULL, id uuid NOT NULL, kind text NOT NULL, job integer NOT NULL, grp integer NOT NULL, run uuid,
  node integer NOT NULL, at bigint NOT NULL, by text NOT NULL, result text NOT NULL, text text NOT NULL, answered_at bigint,
  change bigint NOT NULL,
  PRIMARY KEY (id, ledger)
);
CREATE INDEX request_at ON request (at, id);
CREATE INDEX request_run ON request (run) WHERE run IS NOT NULL;
CREATE INDEX request_change ON request (ledger, change);
CREATE INDEX request_resume ON request (at) WHERE kind = 'resume';

CREATE TABLE job_group (job integer NOT NULL, grp integer NOT NULL, PRIMARY KEY (job, grp));
CREATE INDEX job_group_grp ON job_group (grp, job);

CREATE VIEW history AS SELECT
  nullif(r.run, '00000000-0000-0000-0000-000000000000') AS run_id,
  job.text AS job,
  grp.text AS "group",
  to_timestamp(r.slot / 1000.0) AS slot,
  to_timestamp(r.slot_until / 1000.0) AS slot_until,
  r.slots,
  (SELECT text FROM word WHERE kind = 'trigger' AND word.id = r.trigger) AS "trigger",
  r.attempt,
  (SELECT text FROM word WHERE kind = 'status' AND word.id = r.status) AS status,
  (SELECT text FROM word WHERE kind = 'reason' AND word.id = r.reason) AS reason,
  r.exit_code,
  r.signal,
  to_timestamp(r.started_at / 1000.0) AS started_at,
  to_timestamp(r.ended_at / 1000.0) AS ended_at,
  r.duration_ms,
  node.text AS node,
  r.epoch,
  nullif(r.fence, 0) AS fence,
  r.output_bytes,
  (SELECT text FROM word WHERE kind = 'leftover' AND word.id = r.leftover) AS leftover,
  ledger.node AS ledger
FROM rows AS r
JOIN ledger ON ledger.id = r.ledger
JOIN name AS job ON job.id = r.job
JOIN name AS grp ON grp.id = r.grp
JOIN name AS node ON node.id = r.node;
)sql";

inline constexpr const char* functions_1 = R"sql(
-- Which tables these are: others once they were made anew, or filled from a dump, so that ids which somebody remembers
-- may be wrong.
CREATE FUNCTION tables() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat('name'::regclass::oid, ' ', pg_relation_filenode('name'::regclass), ' ', pg_relation_filenode('ledger'::regclass))
$$;

CREATE FUNCTION advance(which uuid, begins_after bigint, to_change bigint, of_node text, by_opening uuid,
  newest_then bigint, known_tables text,
  OUT id integer, OUT rows_since bigint, OUT output_since bigint)
LANGUAGE plpgsql AS $$
BEGIN
  IF known_tables <> tables() THEN
    RAISE EXCEPTION 'the tables are others than those that were connected to' USING ERRCODE = 'BA002';
  END IF;
  UPDATE ledger SET change = to_change, node = of_node, opening = by_opening, newest = newest_then, stored_at = floor(extract(epoch FROM clock_timestamp()) * 1000)
  WHERE ledger.identity = which AND ledger.change = begins_after RETURNING ledger.id INTO advance.id;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the history is not at change % of this ledger', begins_after USING ERRCODE = 'BA001';
  END IF;
  SELECT m.rows_since, m.output_since INTO advance.rows_since, advance.output_since FROM meta AS m;
END $$;

-- A month's partition, with what the default partition has of it. A table that is there is left as it is.
CREATE FUNCTION make_partition(parent text, key text, month timestamp) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @schema@, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
  part text := parent || to_char(month, '_YYYY_MM');
  low bigint := extract(epoch FROM month) * 1000;
  high bigint := extract(epoch FROM month + interval '1 month') * 1000;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('ballot partitions @schema@', 0));
  IF to_regclass(part) IS NOT NULL THEN RETURN false; END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', part, parent);
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', parent || '_default');
  EXECUTE format('WITH moved AS (DELETE FROM %1$I WHERE %2$I >= %3$s AND %2$I < %4$s RETURNING *)'
    ' INSERT INTO %5$I SELECT * FROM moved', parent || '_default', key, low, high, part);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', parent, part, low, high);
  RETURN true;
END $$;

-- Those of this month and of the next three: how many there were not.
CREATE FUNCTION make_partitions() RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @schema@, pg_temp AS $$
DECLARE
  month timestamp := date_trunc('month', now() AT TIME ZONE 'UTC');
  made integer := 0;
BEGIN
  FOR i IN 0..3 LOOP
    IF to_regclass('rows' || to_char(month, '_YYYY_MM')) IS NULL AND make_partition('rows', 'slot', month) THEN made := made + 1; END IF;
    IF to_regclass('output' || to_char(month, '_YYYY_MM')) IS NULL AND make_partition('output', 'at', month) THEN made := made + 1; END IF;
    month := month + interval '1 month';
  END LOOP;
  RETURN made;
END $$;

-- Of one table all that is of months before `month`: how many partitions there were.
CREATE FUNCTION drop_months(parent text, month timestamp) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @schema@, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
  part text;
  dropped integer := 0;
BEGIN
  FOR part IN SELECT c.relname FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = parent::regclass AND c.relname ~ '_[0-9]{4}_[0-9]{2}$' AND c.relname::text < parent || to_char(month, '_YYYY_MM')
  LOOP
    EXECUTE format('DROP TABLE %I', part);
    dropped := dropped + 1;
  END LOOP;
  RETURN dropped;
END $$;

-- What is older than that, by whole months. Rows of these months are not taken any more.
CREATE FUNCTION drop_partitions(keep interval, keep_output interval) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @schema@, pg_temp AS $$
DECLARE
  month timestamp := date_trunc('month', now() AT TIME ZONE 'UTC' - keep);
  output_month timestamp := date_trunc('month', now() AT TIME ZONE 'UTC' - keep_output);
  low bigint := extract(epoch FROM month) * 1000;
  output_low bigint := extract(epoch FROM output_month) * 1000;
  dropped integer;
BEGIN
  IF keep < interval '1 day' OR keep_output < interval '1 day' THEN RAISE EXCEPTION 'less than a day is not kept'; END IF;
  IF NOT pg_try_advisory_xact_lock(hashtextextended('ballot retention @schema@', 0)) THEN RETURN 0; END IF;
  UPDATE meta SET rows_since = greatest(rows_since, low), output_since = greatest(output_since, output_low)
    WHERE rows_since < low OR output_since < output_low;
  dropped := drop_months('rows', month) + drop_months('output', output_month);
  -- So many at a time: a statement has a time limit.
  DELETE FROM rows_default WHERE ctid = ANY(ARRAY(SELECT ctid FROM rows_default WHERE slot < low LIMIT 50000));
  DELETE FROM output_default WHERE ctid = ANY(ARRAY(SELECT ctid FROM output_default
    WHERE stored_at < output_low OR (at > 0 AND at < output_low) LIMIT 5000));
  DELETE FROM term WHERE ended_at < low;
  DELETE FROM pause WHERE until < low;
  DELETE FROM request WHERE at < low;
  DELETE FROM definition AS d WHERE d.since < low AND EXISTS (SELECT FROM definition AS next
    WHERE next.job = d.job AND next.ledger = d.ledger AND next.written > d.written AND next.since < low);
  RETURN dropped;
END $$;

REVOKE ALL ON FUNCTION tables(), advance(uuid, bigint, bigint, text, uuid, bigint, text), make_partition(text, text, timestamp), make_partitions(),
  drop_months(text, timestamp), drop_partitions(interval, interval) FROM PUBLIC;
)sql";

// What a summary counts. Ballots of version 1 write beside those of version 2: triggers count what they write too.
inline constexpr const char* tables_2 = R"sql(
UPDATE meta SET version = 2;
LOCK TABLE rows IN SHARE ROW EXCLUSIVE MODE;

CREATE INDEX rows_runs ON rows (slot, run, attempt) INCLUDE (job, grp, node, ledger, status, reason) WHERE NOT at_once;

CREATE TABLE day_runs (
  day bigint NOT NULL, job integer NOT NULL, grp integer NOT NULL, node integer NOT NULL, runs integer NOT NULL,
  PRIMARY KEY (day, job, grp, node)
) WITH (fillfactor = 50);
INSERT INTO day_runs SELECT slot / 86400000, job, grp, node, count(*) FROM rows WHERE at_once GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4;

CREATE FUNCTION count_inserted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @schema@, pg_temp AS $$
BEGIN
  INSERT INTO day_runs AS d SELECT slot / 86400000 AS day, job, grp, node, count(*) FROM added WHERE at_once
    GROUP BY day, job, grp, node ORDER BY day, job, grp, node
    ON CONFLICT (day, job, grp, node) DO UPDATE SET runs = d.runs + excluded.runs;
  RETURN NULL;
END $$;
CREATE FUNCTION count_updated() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @schema@, pg_temp AS $$
BEGIN
  INSERT INTO day_runs AS d SELECT slot / 86400000 AS day, job, grp, node, sum(one) FROM
      (SELECT slot, job, grp, node, 1 AS one FROM added WHERE at_once UNION ALL SELECT slot, job, grp, node, -1 FROM removed WHERE at_once) AS changed
    GROUP BY day, job, grp, node HAVING sum(one) <> 0 ORDER BY day, job, grp, node
    ON CONFLICT (day, job, grp, node) DO UPDATE SET runs = d.runs + excluded.runs;
  RETURN NULL;
END $$;
CREATE FUNCTION count_deleted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @schema@, pg_temp AS $$
BEGIN
  INSERT INTO day_runs AS d SELECT slot / 86400000 AS day, job, grp, node, -count(*) FROM removed WHERE at_once
    GROUP BY day, job, grp, node ORDER BY day, job, grp, node
    ON CONFLICT (day, job, grp, node) DO UPDATE SET runs = d.runs + excluded.runs;
  RETURN NULL;
END $$;
-- What is older is dropped by then, or will be.
CREATE FUNCTION drop_days() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @schema@, pg_temp AS $$
BEGIN
  DELETE FROM day_runs WHERE day < (SELECT rows_since FROM meta) / 86400000;
  RETURN NULL;
END $$;
CREATE TRIGGER count_inserted AFTER INSERT ON rows REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_inserted();
CREATE TRIGGER count_updated AFTER UPDATE ON rows REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_updated();
CREATE TRIGGER count_deleted AFTER DELETE ON rows REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_deleted();
CREATE TRIGGER drop_days AFTER UPDATE OF rows_since ON meta FOR EACH STATEMENT EXECUTE FUNCTION drop_days();

REVOKE ALL ON FUNCTION count_inserted(), count_updated(), count_deleted(), drop_days() FROM PUBLIC;
)sql";

// Days that are over are counted whole, by whoever sends: see day_counts.hpp. Where anything of such a day changes, or
// the ledgers do, it is as if it were not counted.
inline constexpr const char* tables_3 = R"sql(
UPDATE meta SET version = 3;
LOCK TABLE rows IN SHARE ROW EXCLUSIVE MODE;
DROP FUNCTION count_inserted(), count_updated(), count_deleted() CASCADE;

CREATE TABLE counted_day (day bigint PRIMARY KEY, count bigint NOT NULL, is_counted boolean NOT NULL);
CREATE TABLE day_ends (
  day bigint NOT NULL, job integer NOT NULL, grp integer NOT NULL, status integer NOT NULL, reason integer NOT NULL,
  runs integer NOT NULL, attempts integer NOT NULL,
  PRIMARY KEY (day, job, grp, status, reason)
);
CREATE TABLE day_left (day bigint NOT NULL, run uuid NOT NULL, job integer NOT NULL, grp integer NOT NULL, PRIMARY KEY (day, run, job, grp));

CREATE FUNCTION count_changed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @schema@, pg_temp AS $$
DECLARE
  now_there text := 'SELECT slot / 86400000 AS day, job, grp, node, at_once, 1 AS one FROM added';
  no_more text := 'SELECT slot / 86400000 AS day, job, grp, node, at_once, -1 AS one FROM removed';
  changed text := CASE TG_OP WHEN 'INSERT' THEN now_there WHEN 'DELETE' THEN no_more ELSE now_there || ' UNION ALL ' || no_more END;
BEGIN
  EXECUTE 'INSERT INTO day_runs AS d SELECT day, job, grp, node, sum(one) FROM (' || changed || ') AS c WHERE at_once'
    ' GROUP BY day, job, grp, node HAVING sum(one) <> 0 ORDER BY day, job, grp, node'
    ' ON CONFLICT (day, job, grp, node) DO UPDATE SET runs = d.runs + excluded.runs';
  EXECUTE 'DELETE FROM counted_day WHERE day IN (SELECT day FROM (' || changed || ') AS c)';
  RETURN NULL;
END $$;
CREATE TRIGGER count_inserted AFTER INSERT ON rows REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_changed();
CREATE TRIGGER count_updated AFTER UPDATE ON rows REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_changed();
CREATE TRIGGER count_deleted AFTER DELETE ON rows REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_changed();

-- Whether a row can be in question depends on which ledgers its node has.
CREATE FUNCTION uncount_days() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @schema@, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' OR EXISTS (SELECT FROM ledger AS l WHERE l.node = NEW.node AND l.id <> NEW.id) THEN DELETE FROM counted_day; END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER uncount_inserted AFTER INSERT ON ledger FOR EACH ROW EXECUTE FUNCTION uncount_days();
CREATE TRIGGER uncount_renamed AFTER UPDATE OF node ON ledger FOR EACH ROW WHEN (OLD.node <> NEW.node) EXECUTE FUNCTION uncount_days();

CREATE OR REPLACE FUNCTION drop_days() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @schema@, pg_temp AS $$
DECLARE
  first bigint := (SELECT rows_since FROM meta) / 86400000;
BEGIN
  DELETE FROM day_runs WHERE day < first;
  DELETE FROM counted_day WHERE day < first;
  DELETE FROM day_ends WHERE day < first;
  DELETE FROM day_left WHERE day < first;
  RETURN NULL;
END $$;

-- What is put has been put by then, or finds that the day is being counted. Behind it what is to be put waits too, so it
-- does not wait for long. Returns the number of this count, for end_count().
CREATE FUNCTION begin_count(of_day bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @schema@, pg_temp SET lock_timeout = '200ms' AS $$
BEGIN
  LOCK TABLE ONLY ledger, ONLY rows IN SHARE MODE;
  INSERT INTO counted_day VALUES (of_day, txid_current(), false)
    ON CONFLICT (day) DO UPDATE SET count = excluded.count, is_counted = false;
  RETURN txid_current();
END $$;
-- The first and the last of the transaction that counts: what was counted before makes room; the day is counted. They
-- fail where anything has changed since, or somebody else has begun to count.
CREATE FUNCTION clear_count(of_day bigint, number bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @schema@, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM counted_day WHERE day = of_day AND count = number AND NOT is_counted) THEN
    RAISE EXCEPTION 'day % is not counted by number %', of_day, number;
  END IF;
  DELETE FROM day_ends WHERE day = of_day;
  DELETE FROM day_left WHERE day = of_day;
END $$;
CREATE FUNCTION end_count(of_day bigint, number bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @schema@, pg_temp AS $$
BEGIN
  UPDATE counted_day SET is_counted = true WHERE day = of_day AND count = number AND NOT is_counted;
  IF NOT FOUND THEN RAISE EXCEPTION 'day % has changed while it was counted', of_day; END IF;
END $$;

REVOKE ALL ON FUNCTION count_changed(), uncount_days(), begin_count(bigint), clear_count(bigint, bigint), end_count(bigint, bigint) FROM PUBLIC;
)sql";

// Ballots of versions before write beside this one: they say nothing of it, and leave it as it is.
inline constexpr const char* tables_4 = R"sql(
UPDATE meta SET version = 4;
ALTER TABLE pause ADD COLUMN ends bigint, ADD COLUMN reason text NOT NULL DEFAULT '';
)sql";

inline constexpr const char* tables_5 = R"sql(
UPDATE meta SET version = 5;
ALTER TABLE request ADD COLUMN env text NOT NULL DEFAULT '';
)sql";

inline constexpr const char* grants_1 = R"sql(
GRANT USAGE ON SCHEMA @schema@ TO @role@;
GRANT SELECT ON meta, history TO @role@;
GRANT SELECT, INSERT, UPDATE ON name, word, ledger, rows, output, term, definition, pause, request, job_group TO @role@;
GRANT EXECUTE ON FUNCTION tables(), advance(uuid, bigint, bigint, text, uuid, bigint, text), make_partitions(), drop_partitions(interval, interval) TO @role@;
)sql";

inline constexpr const char* grants_2 = R"sql(
GRANT SELECT ON day_runs TO @role@;
)sql";

inline constexpr const char* grants_3 = R"sql(
GRANT SELECT ON counted_day TO @role@;
GRANT SELECT, INSERT ON day_ends, day_left TO @role@;
GRANT EXECUTE ON FUNCTION begin_count(bigint), clear_count(bigint, bigint), end_count(bigint, bigint) TO @role@;
)sql";

}  // namespace ballot::postgresql
