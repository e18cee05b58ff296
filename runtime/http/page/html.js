// The one place that knows where the libraries lie: `html` makes elements from templates, hooks are Preact's. And `signal`:
// a value that components follow; `use()` in a component renders it anew when the value has changed.
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
