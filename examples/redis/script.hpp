// What is done in the server, all of it in one script, as a script is carried out as a whole and alone: nothing comes
// between a comparison and the write that it is for. It takes six keys and then what is to be done, with its arguments.
//
//   | key       | is                                                                                              |
//   | --------- | ----------------------------------------------------------------------------------------------- |
//   | entries   | hash: a key of the backend's -> "VERSION VALUE"                                                 |
//   | index     | sorted set of those keys, all of one score, so that they can be listed by what they begin with  |
//   | deadlines | sorted set: session -> when it ends, by the server's clock, in milliseconds                     |
//   | sessions  | hash: session -> "TIMEOUT VERSION KEY", of the key that goes with it; VERSION 0: none yet       |
//   | counters  | hash: `version` of the last write, and `log`, the place of the last line in the log             |
//   | log       | stream: the keys that were written or removed, the last 10,000 or so, by their place            |
//
// Sessions that are past are ended first, whatever is to be done: so nobody ever sees one, and its end is in the log
// as any other change is. (A key with PEXPIRE would be gone as surely, but tell nobody.) Candidacies and what nodes
// say of themselves (c/, m/) are followed by nobody: they are not in the log, which renewals would fill.
#pragma once

#include <array>
#include <string>

namespace redis {

inline constexpr std::array keys_of_script{"entries", "index", "deadlines", "sessions", "counters", "log"};

inline const std::string script = R"lua(
local entries, index, deadlines, sessions, counters, log = unpack(KEYS)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function digits(number) return string.format('%.0f', number) end

local function version_of(key)
  local text = redis.call('HGET', entries, key)
  return text and tonumber(text:match('^%d+')) or 0
end

local function record(key)
  if key:find('^[cm]/') then return end
  local place = redis.call('HINCRBY', counters, 'log', 1)
  redis.call('XADD', log, 'MAXLEN', '~', 10000, digits(place) .. '-0', 'key', key)
end

local function put(key, value)
  local version = redis.call('HINCRBY', counters, 'version', 1)
  redis.call('HSET', entries, key, digits(version) .. ' ' .. value)
  redis.call('ZADD', index, 0, key)
  record(key)
  return version
end

local function remove(key)
  if redis.call('HDEL', entries, key) == 0 then return end
  redis.call('ZREM', index, key)
  record(key)
end

-- The timeout of a session that is open, then the version and the name of its key; nothing of any other.
local function open(session)
  local text = redis.call('HGET', sessions, session)
  if not text then return nil end
  return text:match('^(%d+) (%d+) (.*)$')
end

local function begin(session, timeout)
  redis.call('ZADD', deadlines, digits(now + timeout), session)
end

local function finish(session)
  local timeout, version, key = open(session)
  redis.call('ZREM', deadlines, session)
  redis.call('HDEL', sessions, session)
  if timeout and tonumber(version) > 0 and version_of(key) == tonumber(version) then remove(key) end
end

local function list(prefix, found)
  for _, key in ipairs(redis.call('ZRANGEBYLEX', index, '[' .. prefix, '(' .. prefix .. '\255')) do
    found[#found + 1] = key
    found[#found + 1] = redis.call('HGET', entries, key)
  end
end

local run = {}

function run.begin(session, timeout)
  redis.call('HSET', sessions, session, timeout .. ' 0 ')
  begin(session, timeout)
  return {'begun', timeout, now}
end

function run.resume(session)
  local timeout = open(session)
  if not timeout then return {'gone', 0, now} end
  return {'resumed', timeout, now}
end

function run.bind(session, key, value)
  local timeout = open(session)
  if not timeout then return {'not_leader', 0} end
  local version = version_of(key)
  if version > 0 then return {'conflict', version} end
  version = put(key, value)
  redis.call('HSET', sessions, session, timeout .. ' ' .. digits(version) .. ' ' .. key)
  return {'done', version}
end

function run.keep(session)
  local timeout = open(session)
  if not timeout then return {'not_leader', 0} end
  begin(session, timeout)
  return {'done', 0}
end

function run.renew(session, key, value)
  local timeout = open(session)
  if not timeout then return {'not_leader', 0, now} end
  begin(session, timeout)
  return {'done', put(key, value), now}
end

function run.finish(session)
  finish(session)
  return {'done', 0}
end

-- Of each change: its key, 'put' or 'remove', the value, the version that it must have ('': any), whether the session
-- must be open ('1'), the key of a term ('': none), and the version that this one must have.
function run.commit(session, ...)
  local changes, answers, is_open = {...}, {}, open(session)
  local function answer(outcome, version)
    answers[#answers + 1] = outcome
    answers[#answers + 1] = version
  end
  for i = 1, #changes, 7 do
    local key, what, value, expected, guarded, term, term_version = unpack(changes, i, i + 6)
    local version = version_of(key)
    if guarded == '1' and not is_open then
      answer('not_leader', 0)
    elseif term ~= '' and version_of(term) ~= tonumber(term_version) then
      answer('not_leader', 0)
    elseif expected ~= '' and version ~= tonumber(expected) then
      answer('conflict', version)
    elseif what == 'put' then
      answer('done', put(key, value))
    else
      remove(key)
      answer('done', 0)
    end
  end
  return answers
end

function run.get(...)
  local found = {}
  for _, key in ipairs({...}) do
    local text = redis.call('HGET', entries, key)
    if text then
      found[#found + 1] = key
      found[#found + 1] = text
    end
  end
  return found
end

function run.list(prefix)
  local found = {}
  list(prefix, found)
  return found
end

-- What has changed after that place of the log ('': nothing is known yet), of keys that begin with one of the prefixes
-- with what they hold now ('': removed). Where the log does not go back that far: all that begins with one of them.
-- Before it: which of the two it is, the log's last place, and in how many milliseconds a session may end.
function run.poll(since, ...)
  local prefixes = {...}
  local last = tonumber(redis.call('HGET', counters, 'log') or 0)
  local first = redis.call('XRANGE', log, '-', '+', 'COUNT', 1)[1]
  first = first and tonumber(first[1]:match('^%d+')) or last + 1
  local due = redis.call('ZRANGE', deadlines, 0, 0, 'WITHSCORES')[2]
  local found = {'changes', last, due and due - now + 1 or 1000}
  since = tonumber(since) or -1
  if since > last or since < first - 1 then
    found[1] = 'all'
    for _, prefix in ipairs(prefixes) do list(prefix, found) end
    return found
  end
  local seen = {}
  for _, line in ipairs(redis.call('XRANGE', log, digits(since + 1) .. '-0', '+')) do
    local key = line[2][2]
    if not seen[key] then
      seen[key] = true
      local text = ''
      for _, prefix in ipairs(prefixes) do
        if key:sub(1, #prefix) == prefix then text = redis.call('HGET', entries, key) or '' end
      end
      found[#found + 1] = key
      found[#found + 1] = text
    end
  end
  return found
end

for _, session in ipairs(redis.call('ZRANGEBYSCORE', deadlines, '-inf', '(' .. digits(now))) do finish(session) end
return run[ARGV[1]](unpack(ARGV, 2))
)lua";

}  // namespace redis
