// Times, in one zone everywhere: the job's own, UTC or the viewer's. The choice is in the URL (`zone`); the job's zone
// holds unless said, but for views whose lists are of many jobs by time: these are in UTC then. What lies over a change of the clock shows its offset, so that no two instants look the same.
import { html, useEffect, useState, currentRoute } from './html.js';
import { now } from './api.js';

// The viewer's zone. Nothing of Intl is used before a view is drawn: its first use takes longer than all else in a script.
let mine = null;
export const here = () => (mine ??= Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC');
export const MINUTE = 60_000, HOUR = 60 * MINUTE, DAY = 24 * HOUR;

export const zoneChoice = () => {
  const said = currentRoute().query.get('zone');
  return said === 'utc' || said === 'here' ? said : 'job';
};
export const zoneOf = (jobZone) => {
  const choice = zoneChoice();
  return choice === 'here' ? here() : choice === 'job' && /^(jobs?|run)$/.test(currentRoute().view) && known(jobZone) ? jobZone : 'UTC';
};

// How far a zone is from UTC is asked of the browser once for each quarter of an hour of a zone, as it is slow to answer;
// clocks are changed at quarters only. The rest is reckoning.
const QUARTER = 15 * MINUTE;
const formats = new Map(), offsets = new Map();
function format(zone) {
  let found = formats.get(zone);
  if (found === undefined) {
    try {
      found = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    } catch {
      found = null;
    }
    formats.set(zone, found);
  }
  return found;
}
const known = (zone) => Boolean(zone && format(zone));

function offsetAt(ms, zone) {
  if (zone === 'UTC' || !known(zone)) return 0;
  let all = offsets.get(zone);
  if (!all) offsets.set(zone, (all = new Map()));
  const quarter = Math.floor(ms / QUARTER);
  let found = all.get(quarter);
  if (found === undefined) {
    const east = /GMT([+-])(\d+):(\d+)/.exec(format(zone).format(quarter * QUARTER));
    found = east ? (east[1] === '-' ? -1 : 1) * (Number(east[2]) * 60 + Number(east[3])) : 0;
    if (all.size > 20_000) all.clear();
    all.set(quarter, found);
  }
  return found;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const two = (n) => (n < 10 ? '0' : '') + n;

// { year, month (1..), day, weekday, hour, minute, second, offset (minutes east) } of an instant in a zone
export function fields(ms, zone) {
  const offset = offsetAt(ms, zone), wall = new Date(ms + offset * MINUTE), month = wall.getUTCMonth();
  return { year: wall.getUTCFullYear(), month: month + 1, monthName: MONTHS[month], day: wall.getUTCDate(), weekday: WEEKDAYS[wall.getUTCDay()], hour: two(wall.getUTCHours()), minute: two(wall.getUTCMinutes()), second: two(wall.getUTCSeconds()), offset };
}

const offsetName = (offset) => {
  if (offset === 0) return 'UTC';
  const all = Math.abs(offset), minutes = all % 60;
  return (offset < 0 ? '\u2212' : '+') + two(Math.floor(all / 60)) + (minutes ? ':' + two(minutes) : '');
};

// The instant at which the clock of a zone shows `wall`, as if that were UTC.
export function instant(wall, zone) {
  const near = wall - fields(wall, zone).offset * MINUTE;
  return wall - fields(near, zone).offset * MINUTE;
}

// The first instant of a day in a zone, whatever the clocks do that day; `day` may lie outside of the month.
export function dayStart(zone, year, month, day) {
  const wall = Date.UTC(year, month - 1, day);
  let at = instant(wall, zone);
  const before = fields(at - 1, zone), wanted = new Date(wall).getUTCDate();
  if (before.day === wanted) at -= HOUR;
  else if (fields(at, zone).day !== wanted) at += HOUR;
  return at;
}

export const dayKey = (ms, zone) => {
  const f = fields(ms, zone);
  return `${f.year}-${two(f.month)}-${two(f.day)}`;
};

export function written(ms, zone, { seconds = Math.abs(ms % MINUTE) >= 1000, date = 'auto', offset = zoneChoice() === 'job' } = {}) {
  const f = fields(ms, zone), today = fields(now(), zone);
  const clock = `${f.hour}:${f.minute}${seconds ? ':' + f.second : ''}`;
  const same = f.day === today.day && f.month === today.month && f.year === today.year;
  const day = date === 'never' || (date === 'auto' && same) ? '' : `${f.weekday} ${f.day} ${f.monthName}${f.year === today.year ? '' : ' ' + f.year} `;
  return day + clock + (offset ? '\u00a0' + offsetName(f.offset) : '');
}

export const parse = (text) => (text ? Date.parse(text) : null);

export function duration(ms) {
  if (ms === null || ms === undefined) return '';
  if (ms < 0) return '\u2212' + duration(-ms);
  if (ms < 1000) return Math.round(ms) + ' ms';
  if (ms < 9950) return (ms / 1000).toFixed(1) + ' s';
  const s = Math.round(ms / 1000);
  if (s < 60) return s + ' s';
  if (s < 3600) return `${Math.floor(s / 60)} min` + (s % 60 && s < 600 ? ` ${s % 60} s` : '');
  if (s < 86400) return `${Math.floor(s / 3600)} h` + (Math.floor(s / 60) % 60 ? ` ${Math.floor(s / 60) % 60} min` : '');
  return `${Math.floor(s / 86400)} d` + (Math.floor(s / 3600) % 24 ? ` ${Math.floor(s / 3600) % 24} h` : '');
}
function ago(ms, at = now()) {
  const past = at - ms, size = Math.abs(past);
  if (size < 1000) return 'now';
  const text = size < 10_000 ? Math.round(size / 1000) + ' s' : duration(size);
  return past > 0 ? text + ' ago' : 'in ' + text;
}

const ticking = new Map();  // by period: who wants to be told
export function useNow(period = 15_000) {
  const [, tick] = useState(0);
  useEffect(() => {
    let one = ticking.get(period);
    if (!one) {
      one = { told: new Set() };
      one.timer = setInterval(() => { if (!document.hidden) for (const tell of one.told) tell((n) => n + 1); }, period);
      ticking.set(period, one);
    }
    one.told.add(tick);
    return () => {
      one.told.delete(tick);
      if (!one.told.size) {
        clearInterval(one.timer);
        ticking.delete(period);
      }
    };
  }, [period]);
  return now();
}

function everywhere(ms, zone) {
  const names = new Set(['UTC', here(), ...(known(zone) ? [zone] : [])]);
  return [...names].map((name) => `${written(ms, name, { seconds: true, date: 'always', offset: true })}  ${name}`).join('\n');
}

// An instant, in the zone that is chosen; the tooltip has it in UTC and in the viewer's zone as well.
export function Time({ at, zone, ...how }) {
  const ms = typeof at === 'string' ? parse(at) : at;
  if (ms === null || Number.isNaN(ms)) return html`<span class="muted">\u2013</span>`;
  return html`<time dateTime=${new Date(ms).toISOString()} onPointerEnter=${(event) => { event.currentTarget.title = everywhere(ms, zone); }}>${written(ms, zoneOf(zone), how)}</time>`;
}
export function Ago({ at, period, passed }) {
  const ms = typeof at === 'string' ? parse(at) : at;
  useNow(period ?? 15_000);
  return ms === null ? null : html`<span>${passed && ms <= now() ? passed : ago(ms)}</span>`;
}
// `heard`: by what it is known that it goes on, `{ at }`; beyond that it is not said to.
export const SILENT = 15_000;
export const until = (at, heard) => (heard?.at ? Math.min(at, heard.at + SILENT) : at);
export function Elapsed({ since, heard }) {
  const at = useNow(1000), last = until(at, heard);
  return html`<span class="num">${duration(Math.max(0, Math.floor((last - parse(since)) / 1000) * 1000)) || '0 s'}</span>${last < at ? html` <span class="silent small">not heard for ${duration(at - heard.at)}</span>` : null}`;
}
