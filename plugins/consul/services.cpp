#include "services.hpp"

#include <algorithm>
#include <utility>

#include "requests.hpp"
#include "support/clock.hpp"
#include "support/join.hpp"

namespace ballot::consul {

using namespace std::chrono_literals;
using Meaning = Reply::Meaning;
using http::json::value;

namespace {

constexpr Millis catalog_wait = 30s, finish_patience = 300ms;
constexpr const char* not_known = "it is not known yet whether its service may lead";

}  // namespace

void Services::configure(const std::map<std::string, Options>& groups) {
  auto before = std::exchange(groups_, {});
  for (const auto& [name, options] : groups) {
    GroupSettings settings = group_settings(options);
    if (settings.service.empty()) {
      host_.log(Level::warn, "[group." + name + ".consul] has no service, so it has no effect");
      continue;
    }
    auto known = before.extract(name);
    Group& group = groups_[name] = known ? std::move(known.mapped()) : Group{.why = not_known};
    if (group.settings.service != settings.service) group.service = nullptr;
    group.settings = std::move(settings);
  }
  for (const auto& [name, group] : before) groups_[name].told = group.told;
  look_at_ = SteadyTime{};
}

void Services::lead(const std::string& name, bool leads) {
  const auto group = groups_.find(name);
  if (group == groups_.end()) return;
  group->second.leading = leads ? std::make_shared<Leading>() : nullptr;
  look_at_ = SteadyTime{};
}

std::vector<std::string> Services::environment(const std::string& name) const {
  std::vector<std::string> all{"SESSIONID=" + session_.guard().session};
  const auto group = groups_.find(name);
  if (group == groups_.end() || group->second.service.is_null()) return all;
  all.push_back("ADDRESS=" + address_of(group->second));
  all.push_back("PORT=" + std::to_string(http::number_at(group->second.service, "Port")));
  return all;
}

/// A service without an address has its node's.
std::string Services::address_of(const Group& group) const {
  const auto own = http::text_at(group.service, "Address");
  return own.empty() ? node_address_ : std::string(own);
}

Millis Services::look_pause() const { return std::clamp<Millis>(session_.timeout() / 10, 200ms, 2s); }

void Services::look() {
  look_at_.reset();
  looking_ = !groups_.empty();
  if (!looking_) return;
  agent_.get("/v1/agent/services", [this](const Reply& services) {
    agent_.get("/v1/agent/checks", [this, services](const Reply& checks) {
      looking_ = false;
      if (!look_at_) look_at_ = support::boot_now() + look_pause();
      if (services.is(Meaning::done) && checks.is(Meaning::done)) on_looked(services.json, checks.json);
    });
  });
}

void Services::on_looked(const value& services, const value& checks) {
  if (checks.is_object() && !checks.get_object().empty())
    node_ = http::text_at(checks.get_object().begin()->value(), "Node");
  for (auto& [name, group] : groups_) group.service = find_service(services, group.settings.service);
  const bool needs_node = std::any_of(groups_.begin(), groups_.end(), [](const auto& one) {
    return one.second.service.is_object() && http::text_at(one.second.service, "Address").empty();
  });
  if (needs_node && !asked_node_) {  // its address is to be known before this node leads
    if (node_.empty()) return;       // there is no check yet, not even the session's
    asked_node_ = true;
    return agent_.get("/v1/catalog/node/" + in_url(node_), [this](const Reply& reply) {
      node_address_ = http::text_at(reply.json, "Node", "Address");
      look_at_ = SteadyTime{};
    });
  }
  for (auto& [name, group] : groups_) {
    const std::string id(http::text_at(group.service, "ID"));
    group.why = group.service.is_object()
                    ? unfitness(checks, id, group.settings.checks)
                    : "no one service '" + group.settings.service + "' is registered at this host's agent";
  }
  settle();
}

/// Whatever is to be written and is not yet: one of it, and the others when it has been looked again; after a failure
/// with the next look.
void Services::settle() {
  if (updating_) return;
  for (auto& [name, group] : groups_)
    if ((updating_ = settle(name, group))) return;
  updates_ = 0;
  if (finished_) finish_now();
}

/// True: something is being written.
bool Services::settle(const std::string& name, Group& group) {
  if (group.service.is_null()) return false;
  const bool leads = group.leading != nullptr;
  const auto& [service, checks, tag, key] = group.settings;
  if (!tag.empty()) {
    if (leads && !group.leading->watched) watch_catalog(name, group);
    const bool tagged = has_tag(http::member_of(group.service, "Tags"), tag);
    if (tagged != leads && (tagged || group.leading->alone)) {
      agent_.put("/v1/agent/service/register", with_tag(group.service, tag, leads),
                 [this](const Reply& reply) { updated(reply); });
      return true;
    }
  }
  if (key.empty() || (group.said != 0) == leads) return false;
  say(name, group);
  return true;
}

void Services::watch_catalog(const std::string& name, const Group& group) {
  const auto leading = group.leading;
  leading->watched = true;
  agent_.poll("/v1/catalog/service/" + in_url(http::text_at(group.service, "Service")) + "?consistent", leading->index,
              catalog_wait, [this, name, leading](const Reply& reply) {
                leading->watched = false;
                const auto found = groups_.find(name);
                if (found == groups_.end() || found->second.leading != leading || found->second.service.is_null())
                  return;
                if (reply.is(Meaning::done)) on_catalog(found->second, reply);
              });
}

/// Others' tags are taken off, also of those whose agent has them still and will tell the servers again; then ours is
/// put on.
void Services::on_catalog(const Group& group, const Reply& reply) {
  group.leading->index = reply.index;
  const support::Join stripped([this, leading = group.leading] {
    if (!std::exchange(leading->alone, true)) look_at_ = SteadyTime{};  // later ones wait for the next look
  });
  const auto all_begun = stripped.part();
  for (const value& entry : http::array_of(reply.json)) {
    const bool here = http::text_at(entry, "Node") == node_;
    const bool ours = here && http::text_at(entry, "ServiceID") == http::text_at(group.service, "ID");
    if (ours || !has_tag(http::member_of(entry, "ServiceTags"), group.settings.tag)) continue;
    agent_.put("/v1/catalog/register", without_tag(entry, group.settings.tag),
               [this, end = stripped.part()](const Reply& done) {
                 warn(done);
                 end();
               });
  }
  all_begun();
}

/// Not before the session is known to be open; nobody else's is removed.
void Services::say(const std::string& name, const Group& group) {
  const auto& [key, session] = session_.guard();
  std::vector<std::string> operations;
  if (group.leading) {
    const http::json::object where{
        {"Address", address_of(group)}, {"Port", http::number_at(group.service, "Port")}, {"SessionID", session}};
    operations = {operation("check-session", session_.bound_path(), session_field(session)),
                  operation("set", group.settings.key, value_field(http::json::serialize(where), 0))};
  } else {
    operations = {operation("delete-cas", group.settings.key, index_field(group.said))};
  }
  agent_.transact(operations, [this, name](const Reply& reply) {
    const auto found = groups_.find(name);
    if (found != groups_.end() && (reply.is(Meaning::done) || reply.is(Meaning::refused)))
      found->second.said = last_version(reply);
    updated(reply);
  });
}

void Services::updated(const Reply& reply) {
  updating_ = false;
  warn(reply);
  if (reply.is(Meaning::done))
    look_soon();
  else if (finished_)
    finish_now();
}

/// At once, for each group as often as it can have something to write; then at the pace of looks without a cause: an
/// agent may show again and again what was just changed.
void Services::look_soon() {
  const bool goes_on = ++updates_ > 2 * groups_.size();
  if (goes_on) updates_ = 0;
  if (!goes_on || !look_at_) look_at_ = goes_on ? support::boot_now() + look_pause() : SteadyTime{};
}

void Services::warn(const Reply& reply) {
  const std::string text = reply.is(Meaning::done) ? "" : reply.text();
  if (std::exchange(logged_, text) != text && !text.empty())
    host_.log(Level::warn, "what Consul shows of the leader is not up to date: " + text);
}

void Services::finish(std::function<void()> done) {
  if (groups_.empty()) return done();
  for (auto& [name, group] : groups_) group.leading.reset();
  finished_ = std::move(done);
  finish_by_ = support::boot_now() + finish_patience;
  look_at_ = SteadyTime{};
}

void Services::finish_now() {
  finish_by_.reset();
  std::exchange(finished_, nullptr)();
}

/// A group without a service is kept only until its last change is reported.
void Services::tick(SteadyTime now) {
  for (auto& [name, group] : groups_)
    if (std::exchange(group.told, group.why) != group.why) listener_.on_unfit(name, group.why);
  std::erase_if(groups_, [](const auto& one) { return one.second.settings.service.empty(); });
  if (finish_by_ && now >= *finish_by_) finish_now();
  if (!looking_ && look_at_ && now >= *look_at_) look();
}

std::optional<SteadyTime> Services::due() const {
  return looking_ ? finish_by_ : support::earliest(finish_by_, look_at_);
}

}  // namespace ballot::consul
