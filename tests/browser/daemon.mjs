// A daemon of ballot with a folder of its own and jobs that a test gives it, on a free port of this machine.
import { spawn, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export async function startDaemon(program, jobs, { basePath = '', roles = { ci: 'operator' } } = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ballot-page.')), file = (name) => path.join(folder, name), tokens = {};
  fs.mkdirSync(file('jobs.d'));
  const define = (name, text) => fs.writeFileSync(file(`jobs.d/${name}.toml`), `[job.${name}]\n${text}\n`, { mode: 0o644 });
  for (const [name, text] of Object.entries(jobs)) define(name, text);
  let lines = '';
  for (const [name, role] of Object.entries(roles)) {
    const [token, line] = execFileSync(program, ['token', 'new', name, '--role', role], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim().split('\n');
    tokens[name] = token;
    lines += line + '\n';
  }
  fs.writeFileSync(file('tokens'), lines, { mode: 0o600 });
  fs.writeFileSync(file('ballot.toml'), `node = "host-1"\njobs_dir = "${file('jobs.d')}"\nstate_dir = "${file('state')}"\nrun_dir = "${file('run')}"\n` +
    `[http]\nlisten = "127.0.0.1:0"\nbase_path = "${basePath}"\ntokens = "${file('tokens')}"\n`, { mode: 0o644 });
  const child = spawn(program, ['serve', '--config', file('ballot.toml')], { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '', url = null;
  const read = (bytes) => { log += bytes; };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    fs.rmSync(folder, { recursive: true, force: true });
  };
  for (let tries = 0; !(url && (await isReady(url))); tries++) {
    if (tries > 300 || child.exitCode !== null) { await stop(); throw new Error('the daemon is not ready:\n' + log); }
    await pause(50);
    url = /the API listens .*url=(\S+)/.exec(log)?.[1].replace(/\/?$/, '/');
  }
  // The newest row of a job as soon as it has this status.
  const rowOf = async (job, status) => {
    const headers = { Authorization: 'Bearer ' + Object.values(tokens)[0] };
    for (let tries = 0; tries < 300; tries++) {
      const row = (await (await fetch(new URL(`api/v1/history?job=${job}`, url), { headers })).json()).rows[0];
      if (row?.status === status) return row;
      await pause(50);
    }
    throw new Error(`no row of ${job} is ${status}:\n` + log);
  };
  return { url, tokens, stop, rowOf, define, log: () => log };
}

async function isReady(url) {
  try {
    return (await fetch(new URL('readyz', url))).ok;
  } catch {
    return false;
  }
}
