/// \file
/// Shared: a value that many objects have alike and none of them changes: copies of it are one object. Whoever assigns
/// gets an object of its own, until someone (SharedParts, in config) replaces it by an equal one that is there already.
///
/// \code
///   struct Job { Shared<std::string> group = "default"; };
///   job.group = "nightly";
///   find(job.group);                               // as a const std::string&
///   for (const std::string& word : job.command) ...
///   job.schedule.change([](auto& texts) { texts.push_back("@daily"); });
/// \endcode
///
/// Plain values of eight bytes. Threads: as a shared_ptr to const.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ballot {

/// See above.
template <class T>
class Shared {
 public:
  /// T's default, which takes no memory.
  Shared() = default;
  /// An object of its own.
  ///@{
  template <class From>
  requires(!std::same_as<std::remove_cvref_t<From>, Shared> &&
           (std::convertible_to<From, T> || std::same_as<std::remove_cvref_t<From>, std::string_view>))
      Shared(From&& value)
      : Shared(std::in_place, std::forward<From>(value)) {}
  Shared(std::initializer_list<typename T::value_type> values) : Shared(std::in_place, values) {}
  ///@}
  /// The same object.
  ///@{
  Shared(const Shared& other) noexcept : object_(other.object_) {
    if (object_ != nullptr) object_->uses.fetch_add(1, std::memory_order_relaxed);
  }
  Shared(Shared&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ///@}
  ~Shared() {
    if (object_ != nullptr && object_->uses.fetch_sub(1, std::memory_order_acq_rel) == 1) delete object_;
  }

  /// As the value has it.
  ///@{
  const T& operator*() const { return object_ != nullptr ? object_->value : none(); }
  const T* operator->() const { return &**this; }
  operator const T&() const { return **this; }

  auto begin() const { return (**this).begin(); }
  auto end() const { return (**this).end(); }
  bool empty() const { return (**this).empty(); }
  auto size() const { return (**this).size(); }
  const auto& front() const { return (**this).front(); }
  const auto& operator[](std::size_t i) const { return (**this)[i]; }
  ///@}

  /// Has `change` change a copy, which is then an object of its own.
  template <class Change>
  void change(Change change) {
    T value = **this;
    change(value);
    *this = std::move(value);
  }
  /// T's default again.
  void clear() { *this = Shared(); }
  /// T's default.
  bool is_default() const { return object_ == nullptr; }
  /// Others have the same object.
  bool is_shared() const { return object_ != nullptr && object_->uses.load(std::memory_order_acquire) > 1; }
  /// Both have one object.
  bool is_same(const Shared& other) const { return object_ == other.object_; }

 private:
  struct Object {
    std::atomic<std::uint32_t> uses;
    const T value;
  };

  template <class From>
  Shared(std::in_place_t, From&& from) {
    T value(std::forward<From>(from));
    if (!(value == none())) object_ = new Object{1, std::move(value)};
  }
  static const T& none() {
    static const T value{};
    return value;
  }

  Object* object_ = nullptr;
};

/// By value.
///@{
template <class T>
bool operator==(const Shared<T>& a, const Shared<T>& b) {
  return a.is_same(b) || *a == *b;
}
template <class T, class Other>
bool operator==(const Shared<T>& a, const Other& b) {
  return *a == b;
}
///@}
/// As the value is printed.
template <class T>
std::ostream& operator<<(std::ostream& out, const Shared<T>& value) requires requires {
  out << *value;
}
{ return out << *value; }

}  // namespace ballot
