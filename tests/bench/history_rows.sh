#!/bin/bash
# Fills the history's tables with what a fleet of three nodes would have sent in more than a year: 10,000 jobs in 20
# groups that run once an hour, spread over its minutes; of 20 runs one fails, every other job tries again, of 1,000
# slots one was missed. For history_bench, by hand, on a server that has nothing else in it:
#
#   ballot history migrate --config FILE
#   tests/bench/history_rows.sh URL [HOURS [JOBS]]          # 9,750 hours of 10,000 jobs are 100 million rows
#
# URL: of the superuser. 100 million rows took 25 minutes on two cores that others used too, and are 39 GB; 45 GB are to
# be free. Each month's partition is filled before it gets its indexes, which is many times faster than rows one by one,
# and leaves the indexes as REINDEX would. While it fills, the server's configuration should have fsync = off,
# wal_level = minimal, max_wal_senders = 0, autovacuum = off and maintenance_work_mem = '1GB'.
set -euo pipefail

url=$1 hours=${2:-9750} jobs=${3:-10000}
ask() { psql "$url" --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --set="jobs=$jobs" "$@"; }

end=$(($(date +%s) / 3600)) # in hours since 1970, as all that follows
begin=$((end - hours))

ask <<'SQL'
SET search_path = ballot;
INSERT INTO name (text) SELECT 'job-' || n FROM generate_series(0, :jobs - 1) AS n ORDER BY n;
INSERT INTO name (text) SELECT 'group-' || n FROM generate_series(0, 19) AS n;
INSERT INTO name (text) SELECT 'host-' || n FROM generate_series(0, 2) AS n;
INSERT INTO ledger (identity, node) SELECT md5('ledger ' || n)::uuid, 'host-' || n FROM generate_series(0, 2) AS n;
CREATE TABLE bench_job AS SELECT n, n * 60 / :jobs AS minute, job.id AS job, grp.id AS grp, node.id AS node,
    ledger.id AS ledger
  FROM generate_series(0, :jobs - 1) AS n JOIN name AS job ON job.text = 'job-' || n
  JOIN name AS grp ON grp.text = 'group-' || n % 20 JOIN name AS node ON node.text = 'host-' || n % 20 % 3
  JOIN ledger ON ledger.node = node.text ORDER BY n;
INSERT INTO job_group SELECT job, grp FROM bench_job;
ANALYZE bench_job;

-- One hour of all jobs, in the order of their slots: into a table that has no indexes yet.
CREATE FUNCTION bench_hour(part text, hour bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($sql$
    INSERT INTO %I (run, slot, id, change, slots, started_at, ended_at, duration_ms, epoch, fence, output_bytes,
      ledger, job, grp, node, tail, attempt, status, reason, exit_code, trigger, leftover, at_once)
    SELECT CASE WHEN missed THEN '00000000-0000-0000-0000-000000000000' ELSE (lpad(to_hex(slot + 2), 12, '0') || '7' ||
        substr(hash, 1, 3) || '8' || substr(hash, 4, 15))::uuid END,
      slot, number * 2 + attempt, number * 4 + attempt * 2, 1,
      CASE WHEN NOT missed THEN slot + 3 + again END, CASE WHEN NOT missed THEN slot + 3 + again + ms END,
      CASE WHEN NOT missed THEN ms END, 1 + $1 / 500, CASE WHEN missed THEN 0 ELSE $1 END,
      CASE WHEN missed THEN 0 ELSE 120 END, ledger, job, grp, node,
      CASE WHEN NOT missed THEN ('x' || reverse(substr(hash, 11, 8)))::bit(32)::integer # (-2147483648) END,
      CASE WHEN missed THEN 0 ELSE attempt END,
      CASE WHEN missed THEN 9 WHEN failed AND attempt = 1 THEN 4 ELSE 3 END,
      CASE WHEN missed THEN 24 WHEN failed AND attempt = 1 THEN 1 ELSE 0 END,
      CASE WHEN missed THEN NULL WHEN failed AND attempt = 1 THEN 1 ELSE 0 END,
      0, 0, attempt = 1 AND NOT failed AND NOT missed
    FROM (SELECT *, hash >= 'ffbe' AS missed, hash < '0ccd' AS failed FROM
        (SELECT *, $1 * 3600000 + minute * 60000 AS slot, $1 * 10000 + n AS number, 150 + n %% 100 AS ms,
          md5(($1 * 10000 + n)::text) COLLATE "C" AS hash FROM bench_job ORDER BY n OFFSET 0) AS one OFFSET 0) AS one
      JOIN (VALUES (1, 0), (2, 10000)) AS a(attempt, again) ON attempt = 1 OR (failed AND n %% 2 = 1)
  $sql$, part) USING hour;
END $$;
SQL

month=$(date -u -d "@$((begin * 3600))" +%Y-%m-01)
while low=$(($(date -u -d "$month" +%s) / 3600)) && [ "$low" -lt "$end" ]; do
  next=$(date -u -d "$month + 1 month" +%Y-%m-01)
  high=$(($(date -u -d "$next" +%s) / 3600))
  part=rows_$(date -u -d "$month" +%Y_%m)
  ask --set="part=$part" --set="low=$low" --set="high=$high" --set="first=$((low > begin ? low : begin))" \
    --set="last=$((high < end ? high : end))" <<'SQL'
SET search_path = ballot;
SET client_min_messages = warning;
BEGIN;
DROP TABLE IF EXISTS :part;
CREATE TABLE :part (LIKE rows INCLUDING DEFAULTS INCLUDING CONSTRAINTS);
SELECT count(bench_hour(:'part', hour)) || ' hours in ' || :'part' FROM generate_series(:first, :last - 1) AS hour;
ALTER TABLE rows ATTACH PARTITION :part FOR VALUES FROM (:low::bigint * 3600000) TO (:high::bigint * 3600000);
COMMIT;
SQL
  echo "$part: $SECONDS s"
  month=$next
done

ask <<'SQL'
SET search_path = ballot;
DROP FUNCTION bench_hour;
DROP TABLE bench_job;
UPDATE ledger SET (change, newest, stored_at) = (SELECT max(change), max(change), max(slot) FROM rows WHERE rows.ledger = ledger.id
  AND slot >= ((extract(epoch FROM now()) - 86400) * 1000)::bigint);
INSERT INTO day_runs SELECT slot / 86400000, job, grp, node, count(*) FROM rows WHERE at_once GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4;
VACUUM ANALYZE;
SELECT sum(reltuples)::bigint || ' rows, ' || pg_size_pretty(sum(pg_table_size(oid))) || ' of rows, ' ||
  pg_size_pretty(sum(pg_indexes_size(oid))) || ' of indexes' FROM pg_class WHERE relname ~ '^rows_' AND relkind = 'r';
SQL
echo "$SECONDS s"
