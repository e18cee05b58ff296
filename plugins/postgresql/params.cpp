#include "params.hpp"

#include <type_traits>
#include <utility>

namespace ballot::postgresql {

namespace {

/// As the network orders it.
template <class T>
void put_number(std::string& to, T value) {
  const auto bits = static_cast<std::make_unsigned_t<T>>(value);
  for (std::size_t i = sizeof(T); i-- > 0;) to += static_cast<char>(bits >> (8 * i) & 0xff);
}

template <class T>
std::string number_binary(T value) {
  std::string binary;
  put_number(binary, value);
  return binary;
}

std::string_view view_of(const RunId& id) { return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()}; }

/// How long the sequence of UTF-8 is with which the text begins; 0: it begins with none.
std::size_t sequence_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first == 0 ? 0 : 1;
  const std::size_t size = first >= 0xf0 && first <= 0xf4  ? 4
                           : first >= 0xe0 && first < 0xf0 ? 3
                           : first >= 0xc2                 ? 2
                                                           : 0;
  if (first > 0xf4 || size == 0 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool is_wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
  return is_wrong ? 0 : size;
}

template <class T>
Array array_of(std::uint32_t type, const std::vector<T>& values) {
  Array array(type);
  for (const T& value : values)
    if constexpr (std::is_same_v<T, std::string>)
      array.add(std::string_view(value));
    else
      array.add(value);
  return array;
}

std::uint32_t element_of(std::uint32_t array) {
  switch (array) {
    case type::booleans: return type::boolean;
    case type::integers: return type::integer;
    case type::bigints: return type::bigint;
    case type::uuids: return type::uuid;
    default: return type::text;
  }
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = sequence_at(text);
    if (size == 0)
      clean += '?';
    else
      clean += text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return clean;
}

void Array::add(bool value) {
  ++count_;
  put_number(elements_, std::int32_t{1});
  elements_ += value ? '\1' : '\0';
}

void Array::add(std::int32_t value) {
  ++count_;
  put_number(elements_, std::int32_t{4});
  put_number(elements_, value);
}

void Array::add(std::int64_t value) {
  ++count_;
  put_number(elements_, std::int32_t{8});
  put_number(elements_, value);
}

void Array::add(const RunId& value) {
  ++count_;
  put_number(elements_, std::int32_t{16});
  elements_ += view_of(value);
}

void Array::add(std::string_view text) {
  ++count_;
  const std::string clean = clean_text(text);
  put_number(elements_, static_cast<std::int32_t>(clean.size()));
  elements_ += clean;
}

void Array::add_null() {
  ++count_;
  has_null_ = true;
  put_number(elements_, std::int32_t{-1});
}

/// Of one dimension, with its first element at 1.
std::string Array::binary() const {
  std::string all;
  all.reserve(elements_.size() + 20);
  put_number(all, std::int32_t{count_ > 0});
  put_number(all, std::int32_t{has_null_});
  put_number(all, element_of(type_));
  if (count_ > 0) {
    put_number(all, count_);
    put_number(all, std::int32_t{1});
  }
  return all + elements_;
}

Params& Params::push(std::uint32_t type, std::string binary) {
  types_.push_back(type);
  values_.emplace_back(std::move(binary));
  return *this;
}

Params& Params::add_null(std::uint32_t type) {
  types_.push_back(type);
  values_.emplace_back(std::nullopt);
  return *this;
}

Params& Params::add(bool value) { return push(type::boolean, std::string(1, value ? '\1' : '\0')); }
Params& Params::add(std::int32_t value) { return push(type::integer, number_binary(value)); }
Params& Params::add(std::int64_t value) { return push(type::bigint, number_binary(value)); }
Params& Params::add(const RunId& value) { return push(type::uuid, std::string(view_of(value))); }
Params& Params::add(std::string_view text) { return push(type::text, clean_text(text)); }
Params& Params::add(Bytes bytes) { return push(type::bytes, std::string(bytes.bytes)); }
Params& Params::add(const Array& array) { return push(array.type(), array.binary()); }
Params& Params::add(const std::vector<std::string>& texts) { return add(array_of(type::texts, texts)); }
Params& Params::add(const std::vector<std::int32_t>& numbers) { return add(array_of(type::integers, numbers)); }
Params& Params::add(const std::vector<WallTime>& times) { return add(array_of(type::bigints, times)); }
Params& Params::add(const std::vector<RunId>& ids) { return add(array_of(type::uuids, ids)); }

std::vector<const char*> Params::values() const {
  std::vector<const char*> all;
  for (const auto& value : values_) all.push_back(value ? value->data() : nullptr);
  return all;
}

std::vector<int> Params::lengths() const {
  std::vector<int> all;
  for (const auto& value : values_) all.push_back(value ? static_cast<int>(value->size()) : 0);
  return all;
}

}  // namespace ballot::postgresql
