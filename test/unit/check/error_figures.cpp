// Quantiles from the histogram against sorting.
#include "error_figures.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

using clc::check::ErrorFigures;

TEST_CASE("quantiles are at most 0.8 % above those of the sorted errors") {
  std::mt19937_64 random(1);
  for (const double scale : {1e-15, 1e-6, 1.0, 3e4, 1e15}) {
    ErrorFigures figures;
    std::vector<double> errors;
    std::lognormal_distribution<double> distribution(0, 3);
    for (int i = 0; i < 20'000; ++i) {
      const double error = i % 7 == 0 ? 0 : scale * distribution(random);
      figures.add(error);
      errors.push_back(error);
    }
    std::sort(errors.begin(), errors.end());
    for (const double share : {0.1, 0.5, 0.99, 0.999, 1.0}) {
      const double exact = errors[static_cast<std::size_t>(std::ceil(share * 20'000)) - 1];
      INFO("scale " << scale << ", share " << share);
      CHECK(figures.quantile(share) >= exact);
      CHECK(figures.quantile(share) <= exact * (1 + ErrorFigures::quantile_accuracy));
    }
    CHECK(figures.largest() == errors.back());
  }
}

TEST_CASE("mean and root mean square") {
  ErrorFigures figures;
  CHECK(figures.mean() == 0);
  CHECK(figures.rms() == 0);
  CHECK(figures.quantile(0.99) == 0);
  figures.add(3);
  figures.add(4);
  CHECK(figures.count() == 2);
  CHECK(figures.mean() == 3.5);
  CHECK(figures.rms() == Approx(std::sqrt(12.5)));
  CHECK(figures.quantile(0.99) == 4);
}

TEST_CASE("errors beyond the range of the histogram are counted in its ends") {
  ErrorFigures figures;
  figures.add(1e-30);
  CHECK(figures.quantile(1) == 0);
  figures.add(1e30);
  CHECK(figures.quantile(1) >= 0x1p63);
}
