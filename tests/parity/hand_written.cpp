// tests/parity/hand_written.cpp - compositions of policies against loops written by hand, which call nothing of ours
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <torch/torch.h>

#include <ATen/autocast_mode.h>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "regimen/regimen.hpp"

namespace rg = regimen;

namespace hand_written {
using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

struct NetImpl : torch::nn::Module {
  torch::nn::Linear body{register_module("body", torch::nn::Linear(6, 8))}, middle{register_module("middle", torch::nn::Linear(8, 8))},
      head{register_module("head", torch::nn::Linear(8, 3))};
  torch::nn::Dropout dropout{register_module("dropout", torch::nn::Dropout(0.1))};  // a policy that drew random numbers would be seen
  torch::Tensor forward(const torch::Tensor& x) { return head(dropout(middle(body(x).relu()).relu())); }
};
TORCH_MODULE(Net);

Net fresh_net() {
  torch::manual_seed(1);
  return Net{};
}
/// 14 micro-batches of 8 samples, the last one of 5: windows of 3, 4 and 5 have a short tail.
Batches make_data() {
  torch::manual_seed(2);
  Batches all;
  for (int i = 0; i < 14; ++i) {
    const int n = i == 13 ? 5 : 8;
    all.emplace_back(torch::randn({n, 6}), torch::randint(3, {n}, torch::kLong));
  }
  return all;
}
std::vector<torch::Tensor> weights_of(const Net& net) {
  std::vector<torch::Tensor> all;
  for (const auto& p : net->parameters()) all.push_back(p.detach().clone());
  return all;
}
bool same_bits(const std::vector<torch::Tensor>& a, const std::vector<torch::Tensor>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!torch::equal(a[i], b[i])) return false;
  return a.size() == b.size();
}
double largest_difference(const std::vector<torch::Tensor>& a, const std::vector<torch::Tensor>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, (a[i] - b[i]).abs().max().item<double>());
  return most;
}

// ---- by hand, in our order: weights in the root gradient, one factor at the end, the fused update

struct Options {
  std::size_t n = 1;
  bool clip = false, bf16 = false, half = false, schedule = false, freeze = false, groups = false;
};
constexpr double max_norm = 0.25, base_rate = 0.01;
constexpr int warm_up = 3;

struct Autocast {  // as torch.autocast does it
  explicit Autocast(at::ScalarType dtype) {
    at::autocast::set_autocast_enabled(at::kCPU, true);
    at::autocast::set_autocast_dtype(at::kCPU, dtype);
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    at::autocast::decrement_nesting();
    at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCPU, false);
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  }
};

struct Weight {
  torch::Tensor value, average, square, step = torch::zeros({});
  double rate, decay;
};

std::vector<torch::Tensor> train_by_hand(const Batches& data, int epochs, Options o) {
  auto net = fresh_net();
  torch::manual_seed(3);
  std::vector<Weight> weights;
  for (auto& p : net->named_parameters()) {
    if (o.freeze && p.key().starts_with("body.")) {
      p.value().requires_grad_(false);
      continue;
    }
    const bool head = o.groups && p.key().starts_with("head."), no_decay = o.groups && p.value().dim() <= 1;
    weights.push_back({p.value(), torch::zeros_like(p.value()), torch::zeros_like(p.value()), torch::zeros({}), head ? 0.02 : base_rate, no_decay ? 0 : 0.1});
  }
  const std::size_t windows = (data.size() + o.n - 1) / o.n;
  const double total = double(windows) * epochs - warm_up;
  double scale = o.half ? 65536 : 1;
  int clean = 0, updates = 0;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (std::size_t first = 0; first < data.size(); first += o.n) {
      const auto last = std::min(first + o.n, data.size());
      double weight = 0, expected = 0;
      for (auto i = first; i < last; ++i) {
        torch::Tensor loss;
        const double samples = double(data[i].first.size(0));
        {
          std::optional<Autocast> autocast;
          if (o.bf16 || o.half) autocast.emplace(o.half ? at::kHalf : at::kBFloat16);
          loss = torch::nn::functional::cross_entropy(net->forward(data[i].first), data[i].second);
        }
        if (expected == 0) expected = samples * double(last - first);
        loss.backward(torch::full_like(loss, scale * (samples / expected)));
        weight += samples;
      }
      double factor = expected / weight / scale, squares = 0;
      for (auto& w : weights) squares += w.value.grad().to(torch::kDouble).square().sum().item<double>();
      const double norm = std::sqrt(squares) * factor;
      if (std::isfinite(norm) || (!o.clip && !o.half)) {
        if (o.clip) factor *= std::min(1.0, max_norm / (norm + 1e-6));
        double rate = 1;
        if (o.schedule)
          rate = updates < warm_up ? double(updates + 1) / warm_up : (1 + std::cos(std::numbers::pi * (double(updates - warm_up) / total))) / 2;
        for (auto& w : weights) {
          auto gradient = w.value.grad();
          if (factor != 1) gradient.mul_(factor);
          w.step.add_(1);
          at::_fused_adamw_({w.value}, {gradient}, {w.average}, {w.square}, {}, {w.step}, w.rate * rate, 0.9, 0.999, w.decay, 1e-8, false, false);
        }
        ++updates;
      }
      if (o.half) {
        if (!std::isfinite(norm)) scale /= 2, clean = 0;
        else if (++clean == 2000) scale *= 2, clean = 0;
      }
      for (auto& w : weights) w.value.mutable_grad() = torch::Tensor{};
    }
  }
  return weights_of(net);
}

// ---- the same with policies

template <class P> auto pick(std::bool_constant<true>, const P& p) { return p; }
template <class P> auto pick(std::bool_constant<false>, const P&) { return rg::off<P>; }

// One bit each; the last two change nothing that is trained.
enum : unsigned { accumulate = 1, clip = 2, bf16 = 4, schedule = 8, freeze = 16, groups = 32, metrics = 64, device = 128 };

template <unsigned Mask> auto composition() {
  const auto on = []<unsigned Bit>(std::integral_constant<unsigned, Bit>, auto policy) { return pick(std::bool_constant<(Mask & Bit) != 0>{}, policy); };
  return rg::recipe(on(std::integral_constant<unsigned, accumulate>{}, rg::Accumulate<4>{}), on(std::integral_constant<unsigned, clip>{}, rg::ClipNorm<>{max_norm}),
                    on(std::integral_constant<unsigned, bf16>{}, rg::Amp<torch::kBFloat16>{}),
                    on(std::integral_constant<unsigned, schedule>{}, rg::Scheduler<rg::Cosine>{.warmup = rg::steps(warm_up)}),
                    on(std::integral_constant<unsigned, freeze>{}, rg::Freeze<"body.*">{}),
                    on(std::integral_constant<unsigned, groups>{}, rg::ParamGroups{rg::Group<"head.*">{.lr = 0.02}, rg::NoDecay{}}),
                    on(std::integral_constant<unsigned, metrics>{}, rg::Metrics{rg::Accuracy{}}), on(std::integral_constant<unsigned, device>{}, rg::OnDevice{"cpu"}));
}
constexpr rg::AdamW adamw{.lr = base_rate, .weight_decay = 0.1};

std::vector<torch::Tensor> train(const Batches& data, int epochs, const auto& recipe) {
  auto net = fresh_net();
  rg::Trainer trainer{net, adamw, rg::CrossEntropy{}, recipe};
  torch::manual_seed(3);
  trainer.fit(data, rg::epochs(epochs));
  return weights_of(net);
}
template <unsigned Mask> void compare() {
  INFO("composition " << Mask);
  const Options options{.n = Mask & accumulate ? 4u : 1u, .clip = bool(Mask & clip), .bf16 = bool(Mask & bf16), .schedule = bool(Mask & schedule),
                        .freeze = bool(Mask & freeze), .groups = bool(Mask & groups)};
  const auto data = make_data();
  const int epochs = Mask & accumulate ? 6 : 2;  // over 20 updates
  CHECK(same_bits(train(data, epochs, composition<Mask>()), train_by_hand(data, epochs, options)));
}

// Column i of a covering array: rows 1 to 5 are the subsets of 3 of 5 rows, row 0 is empty: each pair of policies is seen on-on, on-off, off-on and off-off.
constexpr unsigned subsets[8]{0b00111, 0b01011, 0b01101, 0b01110, 0b10011, 0b10101, 0b10110, 0b11001};
constexpr unsigned row(unsigned r) {
  unsigned mask = 0;
  for (unsigned c = 0; c < 8; ++c)
    if (r > 0 && subsets[c] >> (r - 1) & 1) mask |= 1u << c;
  return mask;
}
constexpr bool covers_all_pairs() {
  for (unsigned a = 0; a < 8; ++a)
    for (unsigned b = a + 1; b < 8; ++b) {
      unsigned seen = 0;
      for (unsigned r = 0; r < 6; ++r) seen |= 1u << ((row(r) >> a & 1) * 2 + (row(r) >> b & 1));
      if (seen != 0b1111) return false;
    }
  return true;
}
static_assert(covers_all_pairs());
}  // namespace hand_written
using namespace hand_written;

TEST_CASE("each policy alone has the bits of the loop by hand") {
  compare<0>();
  compare<accumulate>();
  compare<clip>();
  compare<bf16>();
  compare<schedule>();
  compare<freeze>();
  compare<groups>();
  compare<metrics>();
  compare<device>();
}

TEST_CASE("all pairs of policies, and all together, have the bits of the loop by hand") {
  compare<row(1)>();
  compare<row(2)>();
  compare<row(3)>();
  compare<row(4)>();
  compare<row(5)>();
  compare<255>();
}

TEST_CASE("windows of 1, 3, 4 and 5 with a short tail have the bits of the loop by hand") {
  const auto data = make_data();
  for (const std::size_t n : {1, 3, 4, 5}) {
    INFO("N = " << n);
    const int epochs = int(20 / ((14 + n - 1) / n)) + 1;
    CHECK(same_bits(train(data, epochs, rg::recipe(rg::Accumulate<>{n})), train_by_hand(data, epochs, {.n = n})));
    CHECK(same_bits(train(data, epochs, rg::recipe(rg::Accumulate<>{n}, rg::ClipNorm<>{max_norm}, rg::Scheduler<rg::Cosine>{.warmup = rg::steps(warm_up)})),
                    train_by_hand(data, epochs, {.n = n, .clip = true, .schedule = true})));
    CHECK(same_bits(train(data, epochs, rg::recipe(rg::Accumulate<>{n}, rg::ClipNorm<>{max_norm}, rg::Amp<torch::kHalf>{})),
                    train_by_hand(data, epochs, {.n = n, .clip = true, .half = true})));
  }
}

TEST_CASE("the order in which policies are written changes no bit") {
  const auto data = make_data();
  const rg::Accumulate<4> a{};
  const rg::ClipNorm<> c{max_norm};
  const rg::Amp<torch::kHalf> m{};
  const rg::Freeze<"body.*"> f{};
  const auto right = train(data, 6, rg::recipe(a, c, m, f));
  CHECK(same_bits(right, train_by_hand(data, 6, {.n = 4, .clip = true, .half = true, .freeze = true})));
  CHECK(same_bits(right, train(data, 6, rg::recipe(f, m, c, a))));
  CHECK(same_bits(right, train(data, 6, rg::recipe(m, a, f, c))));
  CHECK(same_bits(right, train(data, 6, rg::recipe(c, f, a, m))));
}

// ---- against the textbook: loss / N, clip_grad_norm_, optimizer.step(), zero_grad()

namespace hand_written {
template <class Optimizer> std::vector<torch::Tensor> train_by_the_textbook(const Batches& data, int epochs, std::size_t n, bool clips, auto options) {
  auto net = fresh_net();
  torch::manual_seed(3);
  Optimizer optimizer{net->parameters(), options};
  for (int epoch = 0; epoch < epochs; ++epoch)
    for (std::size_t i = 0; i < data.size(); ++i) {
      const auto first = i / n * n, length = std::min(n, data.size() - first);
      (torch::nn::functional::cross_entropy(net->forward(data[i].first), data[i].second) / double(length)).backward();
      if (i + 1 != first + length) continue;
      if (clips) torch::nn::utils::clip_grad_norm_(net->parameters(), max_norm);
      optimizer.step();
      optimizer.zero_grad();
    }
  return weights_of(net);
}
template <class Optimizer> std::vector<torch::Tensor> train_wrapped(const Batches& data, int epochs, auto options, const auto&... policies) {
  auto net = fresh_net();
  rg::Trainer trainer{net, Optimizer{net->parameters(), options}, rg::CrossEntropy{.weight = rg::per_micro_batch}, policies...};
  torch::manual_seed(3);
  trainer.fit(data, rg::epochs(epochs));
  return weights_of(net);
}
}  // namespace hand_written

TEST_CASE("a wrapped optimizer has the bits of the textbook loop") {
  const auto data = make_data();
  const auto adamw_options = torch::optim::AdamWOptions(0.01).weight_decay(0.1);
  const auto sgd_options = torch::optim::SGDOptions(0.1).momentum(0.9).nesterov(true);
  for (const std::size_t n : {1, 3, 4, 5}) {
    INFO("N = " << n);
    const int epochs = int(20 / ((14 + n - 1) / n)) + 1;
    CHECK(same_bits(train_wrapped<torch::optim::AdamW>(data, epochs, adamw_options, rg::Accumulate<>{n}),
                    train_by_the_textbook<torch::optim::AdamW>(data, epochs, n, false, adamw_options)));
    CHECK(same_bits(train_wrapped<torch::optim::SGD>(data, epochs, sgd_options, rg::Accumulate<>{n}),
                    train_by_the_textbook<torch::optim::SGD>(data, epochs, n, false, sgd_options)));
    // torch takes the norm in float: the factor may be off by 2 ulp, 20 updates carry that on
    CHECK(largest_difference(train_wrapped<torch::optim::SGD>(data, epochs, sgd_options, rg::Accumulate<>{n}, rg::ClipNorm<>{max_norm}),
                             train_by_the_textbook<torch::optim::SGD>(data, epochs, n, true, sgd_options)) < 2e-6);
  }
}

TEST_CASE("our own AdamW and SGD follow torch's to rounding") {
  const auto data = make_data();
  auto net = fresh_net();
  {
    rg::Trainer trainer{net, rg::AdamW{.lr = 0.01, .weight_decay = 0.1}, rg::CrossEntropy{.weight = rg::per_micro_batch}, rg::Accumulate<4>{}};
    torch::manual_seed(3);
    trainer.fit(data, rg::epochs(6));
  }
  CHECK(largest_difference(weights_of(net), train_by_the_textbook<torch::optim::AdamW>(data, 6, 4, false, torch::optim::AdamWOptions(0.01).weight_decay(0.1))) < 1e-5);
  auto other = fresh_net();
  {
    rg::Trainer trainer{other, rg::SGD{.lr = 0.1, .momentum = 0.9, .nesterov = true}, rg::CrossEntropy{.weight = rg::per_micro_batch}, rg::Accumulate<4>{}};
    torch::manual_seed(3);
    trainer.fit(data, rg::epochs(6));
  }
  CHECK(largest_difference(weights_of(other), train_by_the_textbook<torch::optim::SGD>(data, 6, 4, false, torch::optim::SGDOptions(0.1).momentum(0.9).nesterov(true))) < 1e-5);
}
