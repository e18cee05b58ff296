#include "support/calls.hpp"

namespace ballot::support {

std::string problem_of(const std::string& name, const std::string& value) {
  constexpr const char* allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-@";
  constexpr std::size_t most_letters = 255, most_bytes = 8 * 1024;
  const bool good = name.size() >= 3 && name.size() <= most_letters && name[0] >= 'a' && name[0] <= 'z' &&
                    name[1] == '/' && name.find_first_not_of(allowed, 2) == std::string::npos;
  if (!good) return "not the name of a register or record: " + name;
  return value.size() > most_bytes ? "more than 8 KB for " + name : "";
}

namespace {

backend::Wrote wrote(RequestId request, std::size_t size, StoreResult outcome, const std::string& text) {
  return {request, std::vector<WriteAnswer>(size, {outcome, 0, text})};
}

}  // namespace

std::optional<Event> refusal(const Call& call, StoreResult outcome, const std::string& text) {
  if (const auto* renew = std::get_if<RenewCall>(&call)) return backend::Renewed{renew->request, outcome, text};
  if (const auto* write = std::get_if<WriteCall>(&call))
    return wrote(write->request, write->batch.size(), outcome, text);
  if (const auto* create = std::get_if<CreateCall>(&call))
    return wrote(create->request, create->records.size(), outcome, text);
  if (const auto* remove = std::get_if<RemoveCall>(&call))
    return wrote(remove->request, remove->names.size(), outcome, text);
  if (const auto* evict = std::get_if<EvictCall>(&call)) return wrote(evict->request, 1, outcome, text);
  if (const auto* read = std::get_if<ReadCall>(&call)) return backend::ReadDone{read->request, outcome, {}, text};
  if (const auto* list = std::get_if<ListCall>(&call)) return backend::ReadDone{list->request, outcome, {}, text};
  if (const auto* observe = std::get_if<ObserveCall>(&call))
    return backend::Observed{observe->request, outcome, {}, text};
  return std::nullopt;
}

}  // namespace ballot::support
