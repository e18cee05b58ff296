#include "io/notify/ping_address.hpp"

#include <algorithm>

#include "core/notify.hpp"

namespace ballot::io {

std::string ping_address(const core::Notify& notice) {
  const Row& row = notice.row;
  const bool started = notice.event == core::Notify::Event::started;
  const bool failed = core::is_failure(row);
  if (!started && !failed && row.status != Status::succeeded) return "";
  const std::string& url = notice.definition->job.details->ping_url;
  const std::size_t query = std::min(url.find('?'), url.size());
  std::string address = url.substr(0, query);
  while (address.ends_with('/')) address.pop_back();
  address += started ? "/start" : failed ? "/fail" : "";
  const std::string rest = url.substr(query);
  return address + (rest.size() > 1 ? rest + "&" : "?") + "rid=" + row.run->text();
}

}  // namespace ballot::io
