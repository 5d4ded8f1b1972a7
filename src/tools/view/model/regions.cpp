#include "view/model/regions.hpp"

#include <utility>

namespace clc::view {

Regions::Id Regions::id(std::string_view name) {
  key_.assign(name.substr(0, 80));
  if (const auto known = by_name_.find(key_); known != by_name_.end()) return known->second;
  if (names_.size() + 1 >= most) {
    if (names_.size() + 1 == most) names_.emplace_back("other regions");
    return static_cast<Id>(most - 1);
  }
  const auto id = static_cast<Id>(names_.size());
  names_.push_back(key_);
  by_name_.emplace(key_, id);
  return id;
}

void RegionStack::push(Regions::Id region) {
  if (stack_.size() < deepest)
    stack_.push_back(region);
  else
    ++too_deep_;
}

void RegionStack::pop() {
  in_call_ = false;
  if (too_deep_ > 0)
    --too_deep_;
  else if (!stack_.empty())
    stack_.pop_back();
}

std::optional<Regions::Id> RegionStack::change(Regions& regions, const Event& event, Kind kind, std::string_view name) {
  const bool just_entered = std::exchange(just_entered_, kind == Kind::enter);
  // Which operation a call is that is a region itself, its end tells.
  const bool begins_call = kind == Kind::collective_begin && event.tag == 0 && !just_entered;
  const bool ends_call = kind == Kind::collective_end && event.tag == 0 && in_call_;
  const bool enters = kind == Kind::enter || begins_call;
  if (in_call_ && (enters || kind == Kind::leave)) pop();  // its end is missing
  const Regions::Id left = innermost();
  if (enters) {
    push(regions.id(begins_call ? "collective operation" : name));
    in_call_ = begins_call;
    return left;
  }
  if (kind != Kind::leave && !ends_call) return {};
  pop();
  return kind == Kind::leave ? left : regions.id(info(event.operation).name);
}

}  // namespace clc::view
