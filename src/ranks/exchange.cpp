#include "ranks/exchange.hpp"

namespace clc::ranks {

void end_early(Exchange& exchange) {
  Item item;
  item.kind = Item::Kind::failed;
  for (unsigned to = 0; to < exchange.size(); ++to)
    if (to != exchange.rank()) exchange.post(to, item);
}

bool drain(Exchange& exchange) {
  std::vector<Item> of_no_use;
  exchange.poll(of_no_use);
  Standstill none;
  return exchange.quiet(none);
}

}  // namespace clc::ranks
