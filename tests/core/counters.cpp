// tests/core/counters.cpp - counters are saved whole
#include "regimen/core/counters.hpp"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>

#include "regimen/core/archive.hpp"

namespace rg = regimen;

TEST_CASE("every counter comes back from an archive") {
  STATIC_CHECK(rg::archivable<rg::Counters>);
  STATIC_CHECK(rg::detail::archived_names<rg::Counters>().count == rg::detail::field_count<rg::Counters>());

  rg::Counters run, other;
  std::map<std::string, double> saved;
  double next = 0;
  const auto fill = [&](std::string_view, auto& field) { field = static_cast<std::remove_reference_t<decltype(field)>>(++next); };
  const auto save = [&](std::string_view name, auto& field) { saved[std::string{name}] = double(field); };
  const auto load = [&](std::string_view name, auto& field) {
    field = static_cast<std::remove_reference_t<decltype(field)>>(saved.at(std::string{name}));
  };
  run.archive(fill);
  run.archive(save);
  CHECK(other != run);
  other.archive(load);
  CHECK(other == run);
  CHECK(saved.size() == 16);
}
