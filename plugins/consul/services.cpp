#include "services.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "key_paths.hpp"
#include "support/clock.hpp"
#include "transaction.hpp"

namespace ballot::consul {

using namespace std::chrono_literals;
using Meaning = Reply::Meaning;
using http::json::value;

namespace {

constexpr Millis catalog_wait = 30s, finish_patience = 300ms;

}  // namespace

Services::Services(Agent& agent, const Session& session, support::KeyStore::Listener& listener, Host& host)
    : agent_(agent), session_(session), listener_(listener), host_(host) {}

void Services::configure(const std::map<std::string, Options>& groups) {
  auto before = std::exchange(groups_, {});
  for (const auto& [name, options] : groups) {
    GroupSettings settings = group_settings(options);
    if (settings.service.empty()) {
      host_.log(Level::warn, "[group." + name + ".consul] has no service, so it has no effect");
      continue;
    }
    Group& group = groups_[name] = std::move(before[name]);
    if (group.settings.service != settings.service) group.service.reset();
    group.settings = std::move(settings);
  }
  for (const auto& [name, group] : before)
    if (reports_ && !groups_.contains(name) && !group.settings.service.empty()) listener_.on_unfit(name, {});
  if (started_) look();
}

void Services::start() {
  started_ = true;
  look();
}

void Services::report_all() {
  agent_.later([this] {
    reports_ = true;
    for (const auto& [name, group] : groups_)
      if (!group.why.empty()) listener_.on_unfit(name, group.why);
  });
}

void Services::lead(const std::string& name, bool leads) {
  Group* const group = find(name);
  if (group == nullptr) return;
  group->leads = leads;
  group->alone = group->watched = false;
  group->index = 0;
  ++group->turn;
  settle();
}

std::vector<std::string> Services::environment(const std::string& name) const {
  std::vector<std::string> all{"SESSIONID=" + session_.guard().session};
  const auto group = groups_.find(name);
  if (group == groups_.end() || !group->second.service) return all;
  const Service& service = *group->second.service;
  all.push_back("ADDRESS=" + (service.address.empty() ? node_address_ : service.address));
  all.push_back("PORT=" + std::to_string(service.port));
  return all;
}

Services::Group* Services::find(const std::string& name) {
  const auto found = groups_.find(name);
  return found == groups_.end() ? nullptr : &found->second;
}

void Services::look() {
  look_at_.reset();
  if (groups_.empty()) return;
  agent_.call({"GET", "/v1/agent/services", {}, session_.patience()}, [this](const Reply& services) {
    agent_.call({"GET", "/v1/agent/checks", {}, session_.patience()}, [this, services](const Reply& checks) {
      look_at_ = support::boot_now() + std::clamp<Millis>(session_.timeout() / 10, 200ms, 2s);
      if (services.is(Meaning::done) && checks.is(Meaning::done)) on_looked(services.json(), checks.json());
    });
  });
}

void Services::on_looked(const value& services, const value& checks) {
  if (checks.is_object() && !checks.get_object().empty())
    node_ = http::text_at(checks.get_object().begin()->value(), "Node");
  for (auto& [name, group] : groups_) group.service = find_service(services, group.settings.service);
  for (auto& [name, group] : groups_)
    if (group.service && group.service->address.empty() && !std::exchange(asked_where_, true))
      return ask_where(group.service->name, services, checks);
  for (auto& [name, group] : groups_)
    set_fit(name, group,
            group.service ? unfitness(checks, group.service->id, group.settings.checks)
                          : "no one service '" + group.settings.service + "' is registered at this host's agent");
  settle();
}

/// A service without an address has its node's, which is to be known before it leads.
void Services::ask_where(const std::string& service, const value& services, const value& checks) {
  agent_.call({"GET", "/v1/catalog/service/" + in_url(service), {}, session_.patience()},
              [this, services, checks](const Reply& reply) {
                const value json = reply.json();
                for (const value& entry : http::array_of(json))
                  if (http::text_at(entry, "Node") == node_) node_address_ = http::text_at(entry, "Address");
                on_looked(services, checks);
              });
}

void Services::set_fit(const std::string& name, Group& group, const std::string& why) {
  if (std::exchange(group.why, why) != why && reports_) listener_.on_unfit(name, why);
}

/// Whatever is to be written and is not yet, one after the other; after a failure again with the next look.
void Services::settle() {
  if (updating_) return;
  for (auto& [name, group] : groups_)
    if (settle(name, group)) return void(updating_ = true);
  if (finished_) finish_now();
}

/// True: something is being written.
bool Services::settle(const std::string& name, Group& group) {
  if (!group.service) return false;
  const GroupSettings& settings = group.settings;
  if (!settings.tag.empty()) {
    if (group.leads && !group.watched) watch_catalog(name, group);
    const bool tagged = has_tag(http::member_of(group.service->definition, "Tags"), settings.tag);
    if (tagged != group.leads && (tagged || group.alone)) return tag(name, group), true;
  }
  if (settings.key.empty() || (group.said != 0) == group.leads) return false;
  return say(name, group), true;
}

void Services::watch_catalog(const std::string& name, Group& group) {
  group.watched = true;
  std::string target = "/v1/catalog/service/" + in_url(group.service->name) + "?consistent";
  if (group.index > 0)
    target += "&index=" + std::to_string(group.index) + "&wait=" + std::to_string(catalog_wait.count()) + "ms";
  agent_.poll(std::move(target), catalog_wait + catalog_wait / 16 + session_.patience(),
              [this, name, turn = group.turn](const Reply& reply) {
                Group* const found = find(name);
                if (found != nullptr && found->turn == turn) on_catalog(name, *found, reply);
              });
}

/// Others' tags are taken off, also of those whose agent has them still and will tell the servers again; then ours is
/// put on.
void Services::on_catalog(const std::string& name, Group& group, const Reply& reply) {
  group.watched = false;
  if (!group.leads || !group.service || !reply.is(Meaning::done)) return;
  group.index = reply.index;
  const value json = reply.json();
  const auto open = std::make_shared<std::size_t>(1);
  const auto stripped = [this, name, turn = group.turn, open](const Reply& done) {
    warn(done);
    if (--*open > 0) return;
    Group* const found = find(name);
    if (found == nullptr || found->turn != turn) return;
    found->alone = true;
    settle();
  };
  for (const value& entry : http::array_of(json)) {
    const bool ours = http::text_at(entry, "Node") == node_ && http::text_at(entry, "ServiceID") == group.service->id;
    if (ours || !has_tag(http::member_of(entry, "ServiceTags"), group.settings.tag)) continue;
    ++*open;
    agent_.call({"PUT", "/v1/catalog/register", without_tag(entry, group.settings.tag), session_.patience()}, stripped);
  }
  stripped({Meaning::done});
}

/// As the agent has it now, but for the tag.
void Services::tag(const std::string& name, const Group& group) {
  agent_.call({"GET", "/v1/agent/service/" + in_url(group.service->id), {}, session_.patience()},
              [this, name](const Reply& reply) {
                Group* const found = find(name);
                const value json = reply.json();
                if (found == nullptr || !reply.is(Meaning::done) || !json.is_object()) return updated(reply);
                const std::string body = with_tag(json.get_object(), found->settings.tag, found->leads);
                const bool tagged = found->leads;
                agent_.call({"PUT", "/v1/agent/service/register", body, session_.patience()},
                            [this, name, tagged](const Reply& done) {
                              Group* const there = find(name);
                              if (there != nullptr && there->service && done.is(Meaning::done))
                                there->service->set_tag(there->settings.tag, tagged);
                              updated(done);
                            });
              });
}

/// Not before the session is known to be open; nobody else's is removed.
void Services::say(const std::string& name, const Group& group) {
  const std::string& session = session_.guard().session;
  http::json::object where;
  where["Address"] = group.service->address.empty() ? node_address_ : group.service->address;
  where["Port"] = group.service->port;
  where["SessionID"] = session;
  const bool leads = group.leads;
  std::string body = "[";
  if (leads)
    body += operation("check-session", session_.bound_path(), session_field(session)) + "," +
            operation("set", group.settings.key, value_field(http::json::serialize(where), 0));
  else
    body += operation("delete-cas", group.settings.key, index_field(group.said));
  agent_.call({"PUT", "/v1/txn", body + "]", session_.patience()}, [this, name, leads](const Reply& reply) {
    Group* const found = find(name);
    const value json = reply.json();
    const auto& results = http::array_at(json, "Results");
    if (found != nullptr && (reply.is(Meaning::done) || reply.is(Meaning::refused)))
      found->said = leads && !results.empty() ? http::number_at(results.back(), "KV", "ModifyIndex") : 0;
    updated(reply);
  });
}

void Services::updated(const Reply& reply) {
  updating_ = false;
  warn(reply);
  if (reply.is(Meaning::done)) return settle();
  if (finished_) finish_now();
}

void Services::warn(const Reply& reply) {
  const std::string text = reply.is(Meaning::done) ? "" : reply.text();
  if (std::exchange(logged_, text) != text && !text.empty())
    host_.log(Level::warn, "what Consul shows of the leader is not up to date: " + text);
}

void Services::finish(std::function<void()> done) {
  for (auto& [name, group] : groups_) group.leads = false;
  finished_ = std::move(done);
  finish_by_ = support::boot_now() + finish_patience;
  settle();
}

void Services::finish_now() {
  finish_by_.reset();
  agent_.later(std::exchange(finished_, nullptr));
}

void Services::tick(SteadyTime now) {
  if (finish_by_ && now >= *finish_by_) finish_now();
  if (look_at_ && now >= *look_at_) look();
}

std::optional<SteadyTime> Services::due() const {
  if (!finish_by_ || !look_at_) return finish_by_ ? finish_by_ : look_at_;
  return std::min(finish_by_, look_at_);
}

}  // namespace ballot::consul
