// regimen/core/duration.hpp - lengths of a run whose units can't be mixed up
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace regimen {
namespace unit {
struct Epochs { static constexpr std::string_view name = "epochs"; using Count = std::int64_t; };
struct Steps { static constexpr std::string_view name = "steps"; using Count = std::int64_t; };
struct Samples { static constexpr std::string_view name = "samples"; using Count = std::int64_t; };
struct Tokens { static constexpr std::string_view name = "tokens"; using Count = std::int64_t; };
struct Minutes { static constexpr std::string_view name = "minutes"; using Count = double; };
}  // namespace unit

namespace detail {
template <class Unit, class Number> constexpr bool a_number_without_unit = std::is_void_v<Unit>;  // asked only where it is wrong
template <class Number> constexpr bool a_whole_number = std::is_integral_v<Number>;
struct Whole {
  std::int64_t count;
  template <class Number> constexpr Whole(Number n) : count{static_cast<std::int64_t>(n)} {
    static_assert(a_whole_number<Number>, "regimen: epochs, steps, samples and tokens are whole numbers: write rg::epochs(3); see docs/errors.md#unit");
  }
};
template <class Meant, class Given> constexpr bool units_agree = std::is_same_v<Meant, Given>;
}  // namespace detail

/// A count with its unit in the type, made by `epochs`, `steps`, `samples`, `tokens` or `minutes`.
/// A bare number, or a count of another unit, does not compile. Example: `.warmup = rg::steps(500)`.
template <class Unit> struct Duration {
  typename Unit::Count count{};

  constexpr Duration() = default;
  template <class Number> requires std::is_arithmetic_v<Number> constexpr Duration(Number) {
    static_assert(detail::a_number_without_unit<Unit, Number>,
                  "regimen: a length needs its unit: write rg::steps(500), rg::epochs(3), ...; see docs/errors.md#unit");
  }
  template <class Given> requires(!std::is_same_v<Given, Unit>) constexpr Duration(Duration<Given>) {
    static_assert(detail::units_agree<Unit, Given>,
                  "regimen: this length is counted in another unit: write the one that stands first; see docs/errors.md#unit");
  }
  static constexpr Duration of(typename Unit::Count n) { Duration d; d.count = n; return d; }

  constexpr auto operator<=>(const Duration&) const = default;
};

using Epochs = Duration<unit::Epochs>;
using Steps = Duration<unit::Steps>;
using Samples = Duration<unit::Samples>;
using Tokens = Duration<unit::Tokens>;
using Minutes = Duration<unit::Minutes>;

/// Passes over the training data.
constexpr Epochs epochs(detail::Whole n) { return Epochs::of(n.count); }
/// Optimizer updates that happened (a skipped one doesn't count).
constexpr Steps steps(detail::Whole n) { return Steps::of(n.count); }
/// Samples that entered a forward: the first dimension of each batch's input.
constexpr Samples samples(detail::Whole n) { return Samples::of(n.count); }
/// The weights that a `{sum, weight}` objective returned, added up.
constexpr Tokens tokens(detail::Whole n) { return Tokens::of(n.count); }
/// Wall-clock time.
constexpr Minutes minutes(double n) { return Minutes::of(n); }

enum class Unit : std::uint8_t { epochs, steps, samples, tokens, minutes };

/// A duration of any unit: what `fit` and `.every` take. Example: `trainer.fit(train, validation, rg::epochs(10))`.
struct Length {
  Unit unit = Unit::epochs;
  double count = 0;  // exact for whole numbers below 2^53

  constexpr Length() = default;
  constexpr Length(Epochs d) : unit{Unit::epochs}, count{double(d.count)} {}
  constexpr Length(Steps d) : unit{Unit::steps}, count{double(d.count)} {}
  constexpr Length(Samples d) : unit{Unit::samples}, count{double(d.count)} {}
  constexpr Length(Tokens d) : unit{Unit::tokens}, count{double(d.count)} {}
  constexpr Length(Minutes d) : unit{Unit::minutes}, count{d.count} {}
  template <class Number> requires std::is_arithmetic_v<Number> constexpr Length(Number) {
    static_assert(detail::a_number_without_unit<Length, Number>,
                  "regimen: a length needs its unit: write rg::steps(500), rg::epochs(3), ...; see docs/errors.md#unit");
  }

  bool operator==(const Length&) const = default;
};

constexpr std::string_view name_of(Unit u) {
  constexpr std::string_view names[]{"epochs", "steps", "samples", "tokens", "minutes"};
  return names[static_cast<int>(u)];
}
}  // namespace regimen
