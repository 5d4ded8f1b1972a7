// Resizes all columns of a batch together.
#pragma once

#include <cstddef>

#include "clc/io/batch.hpp"
#include "clc/io/source.hpp"

namespace clc::formats {

/// Sets the number of records; notes are kept.
inline void resize_records(Batch& batch, std::size_t count) {
  batch.events.resize(count);
  batch.bodies.resize(count);
  batch.places.resize(count);
}

}  // namespace clc::formats
