// bullmq.cjs N STAMP OUT SECONDS SOCKET: N jobs that are due each 30 s; each starts STAMP and waits for it.
const { spawn } = require('child_process');
const { Queue, Worker } = require('bullmq');

const [count, stamp, out, seconds, path] = process.argv.slice(2);
const connection = { path, maxRetriesPerRequest: null };

async function main() {
  const queue = new Queue('peer', { connection });
  const jobs = [...Array(Number(count)).keys()].map(i => 'job-' + i);
  await Promise.all(jobs.map(name => queue.upsertJobScheduler(name, { pattern: '*/30 * * * * *' }, { name })));
  new Worker('peer', () => new Promise(done => spawn(stamp, [out]).on('close', done)), { connection, concurrency: 16 });
  setTimeout(() => process.exit(0), Number(seconds) * 1000);
}

main();
