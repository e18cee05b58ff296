// The one place that knows where the libraries lie: `html` makes elements from templates, hooks are Preact's. And `signal`:
// a value that components follow; `use()` in a component renders it anew when the value has changed. The route is one.
import { h, render, useEffect, useLayoutEffect, useMemo, useRef, useState, useErrorBoundary } from './vendor/preact/preact.js';
import htm from './vendor/htm/htm.js';

// `this[0] = 3` (htm's README, "Caching"): htm keeps no element. One that it keeps points to its parents when it was first
// drawn, and so to a whole view that is gone.
export const html = htm.bind(function (...args) {
  this[0] = 3;
  return h(...args);
});
export { render, useEffect, useLayoutEffect, useMemo, useRef, useState, useErrorBoundary };

export function signal(first) {
  let value = first;
  const followers = new Set();
  return {
    get: () => value,
    set(next) {
      if (next === value) return;
      value = next;
      for (const follow of [...followers]) follow();
    },
    follow(follower) {
      followers.add(follower);
      return () => followers.delete(follower);
    },
    use() {
      const [, again] = useState(0);
      const seen = value;
      useEffect(() => {
        const follower = () => again((n) => n + 1);
        if (value !== seen) follower();
        followers.add(follower);
        return () => followers.delete(follower);
      }, []);
      return value;
    },
  };
}

// What is shown, from the URL: `#/VIEW/NAME?filters`. All that a view shows is in it, so that a link shows the same.
// Who changes a filter calls `update`; links are made by `link`, which keeps the choice of the zone.
function read() {
  const hash = location.hash;
  if (hash && !hash.startsWith('#/')) return null;
  const [path, query = ''] = hash.slice(2).split('?');
  const parts = path.split('/').map(decode);
  return { view: parts[0] || 'now', name: parts[1] ?? null, query: new URLSearchParams(query) };
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const route = signal(read() ?? { view: 'now', name: null, query: new URLSearchParams() });
addEventListener('hashchange', () => {
  const next = read();
  if (next) route.set(next);
});

export const useRoute = () => route.use();
export const currentRoute = () => route.get();

function address(view, name, query) {
  const text = new URLSearchParams();
  for (const [key, value] of query instanceof URLSearchParams ? query : Object.entries(query ?? {})) {
    if (value || value === 0) text.set(key, value);
  }
  const tail = text.toString();
  return '#/' + view + (name === null || name === undefined ? '' : '/' + encodeURIComponent(name)) + (tail ? '?' + tail : '');
}

export function link(view, name, query) {
  const zone = route.get().query.get('zone');
  return address(view, name, { ...query, ...(zone ? { zone } : {}) });
}

// Changes values of the query, null removes one; a new entry of the history only where `push` says so.
export function update(changes, push = false) {
  const { view, name, query } = route.get();
  const next = new URLSearchParams(query);
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === undefined || value === '' || value === false) next.delete(key);
    else next.set(key, value);
  }
  const to = address(view, name, next);
  if (to === location.hash) return;
  history[push ? 'pushState' : 'replaceState'](null, '', to);
  route.set({ view, name, query: next });
}
