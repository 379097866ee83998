// tests/fake/device/accelerator.cpp - the device behind DispatchKey::PrivateUse1. Every operator runs as its CPU kernel on the same memory;
// pointers carry a tag that makes any access from the host fault.
#include "accelerator.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

namespace {
using fake::Log;
constexpr auto fake_type = c10::DeviceType::PrivateUse1;

// ------------------------------------------------------------------------------------------------------------ the notes
struct Copy { at::Tensor from, to; std::int64_t stream; };  // to pinned memory, on its way
struct Notes {
  std::mutex mutex;  // backward runs on a thread of its own
  Log log;
  int recorders = 0, forbidding = 0;
  std::vector<Copy> on_its_way;
  std::set<void*> pinned;
};
Notes& notes() {
  static auto* all = new Notes;  // outlives every static tensor
  return *all;
}
thread_local std::int64_t current_stream = 0;

void note_op(std::string name, std::int64_t bytes) {
  std::lock_guard lock{notes().mutex};
  if (notes().recorders > 0) notes().log.ops.push_back({std::move(name), current_stream, bytes});
}
void note_allocation() {
  std::lock_guard lock{notes().mutex};
  if (notes().recorders > 0) ++notes().log.allocations;
}
void deliver(std::optional<std::int64_t> stream, std::size_t until = SIZE_MAX) {
  std::lock_guard lock{notes().mutex};
  auto& copies = notes().on_its_way;
  std::vector<Copy> later;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (i < until && (!stream || copies[i].stream == *stream)) std::memcpy(copies[i].to.data_ptr(), copies[i].from.data_ptr(), copies[i].to.nbytes());
    else later.push_back(copies[i]);
  }
  copies = std::move(later);
}
void note_sync(const std::string& name) {
  {
    std::lock_guard lock{notes().mutex};
    TORCH_CHECK(notes().forbidding == 0, "the host waits for the device in ", name);
    if (notes().recorders > 0) notes().log.syncs.push_back(name);
  }
  deliver(std::nullopt);
}

// -------------------------------------------------------------------------------------------------------------- memory
constexpr std::uintptr_t tag = std::uintptr_t{1} << 53;  // no canonical address of x86-64 or arm64
void* tagged(void* p) { return p ? reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(p) | tag) : nullptr; }
void* untagged(const void* p) { return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(p) & ~tag); }

void drop(void* context) { delete static_cast<at::DataPtr*>(context); }
at::DataPtr on_device(at::DataPtr host) {  // owns what `host` owned
  note_allocation();
  void* p = host.get();
  return {tagged(p), new at::DataPtr(std::move(host)), &drop, fake::device};
}
struct DeviceAllocator final : c10::Allocator {
  at::DataPtr allocate(std::size_t n) override { return on_device(c10::GetAllocator(at::kCPU)->allocate(n)); }
  void copy_data(void* to, const void* from, std::size_t n) const override { std::memcpy(untagged(to), untagged(from), n); }
};
DeviceAllocator* device_allocator() {
  static auto* one = new DeviceAllocator;
  return one;
}
void unpin(void* p) {
  {
    std::lock_guard lock{notes().mutex};
    notes().pinned.erase(p);
  }
  std::free(p);
}
struct PinnedAllocator final : c10::Allocator {
  at::DataPtr allocate(std::size_t n) override {
    void* p = std::aligned_alloc(64, (n / 64 + 1) * 64);
    std::lock_guard lock{notes().mutex};
    notes().pinned.insert(p);
    return {p, p, &unpin, at::kCPU};
  }
  at::DeleterFnPtr raw_deleter() const override { return &unpin; }
  void copy_data(void* to, const void* from, std::size_t n) const override { std::memcpy(to, from, n); }
};
const int registered_allocator = (c10::SetAllocator(fake_type, device_allocator()), 0);

// ------------------------------------------------------------------------------------------------------------ generator
struct Generator final : c10::GeneratorImpl {
  at::Generator host;
  explicit Generator(at::Generator g) : GeneratorImpl{fake::device, c10::DispatchKeySet{c10::DispatchKey::PrivateUse1}}, host{std::move(g)} {}
  void set_current_seed(std::uint64_t seed) override { host.set_current_seed(seed); }
  void set_offset(std::uint64_t offset) override { host.set_offset(offset); }
  std::uint64_t get_offset() const override { return host.get_offset(); }
  std::uint64_t current_seed() const override { return host.current_seed(); }
  std::uint64_t seed() override { return host.seed(); }
  void set_state(const c10::TensorImpl& state) override { host.unsafeGetGeneratorImpl()->set_state(state); }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override { return host.unsafeGetGeneratorImpl()->get_state(); }
  GeneratorImpl* clone_impl() const override { return new Generator{host.clone()}; }
};
const at::Generator& default_generator() {
  static auto* one = new at::Generator{at::make_generator<Generator>(at::make_generator<at::CPUGeneratorImpl>())};
  return *one;
}

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return 1; }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override { return default_generator(); }
  at::Generator getNewGenerator(c10::DeviceIndex) const override { return at::make_generator<Generator>(at::make_generator<at::CPUGeneratorImpl>()); }
  bool isPinnedPtr(const void* p) const override {
    std::lock_guard lock{notes().mutex};
    return notes().pinned.contains(const_cast<void*>(p));
  }
  c10::Allocator* getPinnedMemoryAllocator() const override {
    static auto* one = new PinnedAllocator;
    return one;
  }
  c10::Device getDeviceFromPtr(void*) const override { return fake::device; }
};
const int registered_hooks = (c10::register_privateuse1_backend("fake"), at::RegisterPrivateUse1HooksInterface(new Hooks), 0);

// ------------------------------------------------------------------------------------------------------ streams, events
struct Event { std::int64_t stream; std::size_t copies; };
struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return fake_type; }
  c10::Device exchangeDevice(c10::Device) const override { return fake::device; }
  c10::Device getDevice() const override { return fake::device; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  c10::Stream getStream(c10::Device d) const override { return c10::Stream{c10::Stream::UNSAFE, d, current_stream}; }
  c10::Stream getDefaultStream(c10::Device d) const override { return c10::Stream{c10::Stream::UNSAFE, d, 0}; }
  c10::Stream getStreamFromGlobalPool(c10::Device d, bool) const override { return getNewStream(d); }
  c10::Stream getNewStream(c10::Device d, int = 0) const override {
    static std::int64_t last = 100;
    return c10::Stream{c10::Stream::UNSAFE, d, ++last};
  }
  c10::Stream exchangeStream(c10::Stream s) const override { return c10::Stream{c10::Stream::UNSAFE, s.device(), std::exchange(current_stream, s.id())}; }
  void record(void** event, const c10::Stream& s, c10::DeviceIndex, c10::EventFlag) const override {
    if (!*event) *event = new Event;
    std::size_t copies = 0;
    {
      std::lock_guard lock{notes().mutex};
      copies = notes().on_its_way.size();
    }
    *static_cast<Event*>(*event) = {s.id(), copies};
    note_op("record event", 0);
  }
  void block(void* event, const c10::Stream&) const override { if (event) note_op("wait for event of stream " + std::to_string(static_cast<Event*>(event)->stream), 0); }
  bool queryEvent(void* event) const override {
    if (event) deliver(static_cast<Event*>(event)->stream, static_cast<Event*>(event)->copies);  // time passes
    return true;
  }
  void synchronizeEvent(void* event) const override { if (event) note_sync("synchronize event"); }
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override { delete static_cast<Event*>(event); }
  bool queryStream(const c10::Stream&) const override { return true; }
  void synchronizeStream(const c10::Stream&) const override { note_sync("synchronize stream"); }
  void synchronizeDevice(const c10::DeviceIndex) const override { note_sync("synchronize device"); }
  void recordDataPtrOnStream(const c10::DataPtr&, const c10::Stream&) const override {}
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

// ------------------------------------------------------------------------------------------------------------ operators
bool is_fake(const at::Tensor& t) { return t.defined() && t.device().type() == fake_type; }

/// The CPU twins of the tensors of one call: one per tensor, one storage per storage, over the same memory.
class Twins {
 public:
  at::Tensor inner(const at::Tensor& t, const char* op = nullptr) {
    if (!is_fake(t)) {
      TORCH_CHECK(!op || !t.defined() || t.dim() == 0, "Expected all tensors to be on the same device, but found at least two devices, fake:0 and ", t.device(), " (in ", op, ")");
      return t;
    }
    for (auto& [outer, twin] : tensors_)
      if (outer.is_same(t)) return twin;
    auto twin = at::detail::make_tensor<c10::TensorImpl>(storage_of(t.storage()), c10::DispatchKeySet{c10::DispatchKey::CPU}, t.dtype());
    auto* impl = twin.unsafeGetTensorImpl();
    impl->set_sizes_and_strides(t.sizes(), t.strides(), t.storage_offset());
    if (t.unsafeGetTensorImpl()->is_wrapped_number()) impl->set_wrapped_number(true);
    if (t.is_conj()) twin._set_conj(true);
    if (t.is_neg()) twin._set_neg(true);
    bytes += static_cast<std::int64_t>(t.nbytes());
    tensors_.emplace_back(t, twin);
    return twin;
  }
  at::Tensor outer(const at::Tensor& t) {
    if (!t.defined() || is_fake(t)) return t;
    for (auto& [outer, twin] : tensors_)
      if (twin.is_same(t)) return outer;
    bytes += static_cast<std::int64_t>(t.nbytes());
    auto made = at::detail::make_tensor<c10::TensorImpl>(fake_of(t.storage()), c10::DispatchKeySet{c10::DispatchKey::PrivateUse1}, t.dtype());
    made.unsafeGetTensorImpl()->set_sizes_and_strides(t.sizes(), t.strides(), t.storage_offset());
    return made;
  }
  /// Brings new sizes and memory (resize_, set_, out=) to the tensors that the call was given.
  void write_back() {
    for (auto& [device_storage, host] : storages_) {
      if (host.data() == untagged(device_storage.data()) && host.nbytes() == device_storage.nbytes()) continue;
      const auto bytes_now = host.nbytes();
      device_storage.unsafeGetStorageImpl()->set_data_ptr_noswap(on_device(host.unsafeGetStorageImpl()->set_data_ptr(at::DataPtr{nullptr, at::kCPU})));
      device_storage.set_nbytes(bytes_now);
    }
    for (auto& [t, twin] : tensors_) {
      auto* impl = t.unsafeGetTensorImpl();
      if (!twin.storage().is_alias_of(storage_of(t.storage()))) impl->set_storage_keep_dtype(fake_of(twin.storage()));
      if (t.sizes() != twin.sizes() || t.strides() != twin.strides() || t.storage_offset() != twin.storage_offset())
        impl->set_sizes_and_strides(twin.sizes(), twin.strides(), twin.storage_offset());
    }
  }
  std::int64_t bytes = 0;

 private:
  c10::Storage storage_of(const c10::Storage& s) {
    for (auto& [known, host] : storages_)
      if (known.is_alias_of(s)) return host;
    c10::Storage host{c10::Storage::use_byte_size_t{}, s.nbytes(), at::DataPtr{untagged(s.data()), at::kCPU}, c10::GetAllocator(at::kCPU), true};
    storages_.emplace_back(s, host);
    return host;
  }
  c10::Storage fake_of(const c10::Storage& host) {
    for (auto& [device_storage, known] : storages_)
      if (known.is_alias_of(host)) return device_storage;
    for (auto& [device_storage, known] : made_)
      if (known.is_alias_of(host)) return device_storage;
    const auto nbytes = host.nbytes();
    c10::Storage made{c10::Storage::use_byte_size_t{}, nbytes, on_device(host.unsafeGetStorageImpl()->set_data_ptr(at::DataPtr{nullptr, at::kCPU})), device_allocator(), true};
    made_.emplace_back(made, host);
    return made;
  }
  std::vector<std::pair<at::Tensor, at::Tensor>> tensors_;
  std::vector<std::pair<c10::Storage, c10::Storage>> storages_, made_;
};

bool one_of(const std::string& name, std::initializer_list<const char*> all) { return std::ranges::any_of(all, [&](const char* n) { return name == n; }); }
bool takes_host_tensors(const std::string& name) { return one_of(name, {"aten::index", "aten::index_put_", "aten::_index_put_impl_", "aten::set_"}); }
bool waits(const std::string& name) { return one_of(name, {"aten::_local_scalar_dense", "aten::equal", "aten::nonzero", "aten::masked_select", "aten::_unique2", "aten::unique_dim"}); }
bool launches(const c10::FunctionSchema& schema) {
  if (schema.name().starts_with("aten::empty") || one_of(schema.name(), {"aten::resize_", "aten::set_", "aten::new_empty_strided"})) return false;
  return schema.returns().empty() || !schema.returns()[0].alias_info() || schema.returns()[0].alias_info()->isWrite();  // else a view
}

template <class Change> void change_tensors(c10::IValue& v, Change change) {
  if (v.isTensor()) v = change(v.toTensor());
  else if (v.isTensorList()) {
    c10::List<at::Tensor> all;
    for (const at::Tensor& t : v.toTensorVector()) all.push_back(change(t));
    v = std::move(all);
  } else if (v.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> all;
    for (const std::optional<at::Tensor> t : v.toOptionalTensorList()) all.push_back(t ? std::optional{change(*t)} : t);
    v = std::move(all);
  }
}

void run_on_host(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack* stack) {
  const auto& schema = op.schema();
  const auto& name = schema.name();
  if (waits(name)) note_sync(name);
  Twins twins;
  const auto first = stack->size() - schema.arguments().size();
  for (std::size_t i = first; i < stack->size(); ++i) {
    auto& v = (*stack)[i];
    if (v.isDevice()) v = c10::Device{at::kCPU};
    else if (v.isGenerator()) v = static_cast<Generator*>(v.toGenerator().unsafeGetGeneratorImpl())->host;
    else if (v.isNone() && schema.arguments()[i - first].name() == "generator") v = static_cast<Generator*>(default_generator().unsafeGetGeneratorImpl())->host;
    else change_tensors(v, [&](const at::Tensor& t) { return twins.inner(t, takes_host_tensors(name) ? nullptr : name.c_str()); });
  }
  {
    at::AutoDispatchBelowADInplaceOrView below;
    c10::impl::ExcludeDispatchKeyGuard no_autocast{c10::autocast_dispatch_keyset};
    op.redispatchBoxed(c10::DispatchKeySet{c10::DispatchKey::CPU}, stack);
  }
  twins.write_back();
  for (std::size_t i = stack->size() - schema.returns().size(); i < stack->size(); ++i)
    change_tensors((*stack)[i], [&](const at::Tensor& t) { return twins.outer(t); });
  if (launches(schema)) note_op(name.substr(6) + (schema.overload_name().empty() ? "" : "." + schema.overload_name()), twins.bytes);
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool non_blocking) {
  Twins twins;
  const bool in = !is_fake(from), out = !is_fake(to);
  const bool pinned = (in && from.is_pinned()) || (out && to.is_pinned());
  const auto host_from = twins.inner(from), host_to = twins.inner(to);
  {
    at::AutoDispatchBelowADInplaceOrView below;
    c10::impl::ExcludeDispatchKeyGuard no_autocast{c10::autocast_dispatch_keyset};
    if (out && pinned && non_blocking && to.is_contiguous()) {
      auto later = at::empty_like(host_to).copy_(host_from);
      std::memset(to.data_ptr(), 0xff, to.nbytes());
      std::lock_guard lock{notes().mutex};
      notes().on_its_way.push_back({later, to, current_stream});
    } else host_to.copy_(host_from);
  }
  note_op(in ? "copy in" : out ? "copy out" : "copy_", twins.bytes);
  {
    std::lock_guard lock{notes().mutex};
    if (notes().recorders > 0) (in ? notes().log.copies_in : notes().log.copies_out) += in || out;
  }
  if ((in || out) && !(non_blocking && pinned)) note_sync(in ? "copy in" : "copy out");
  return to;
}
at::Scalar item(const at::Tensor& t) {
  note_sync("_local_scalar_dense");
  Twins twins;
  at::AutoDispatchBelowADInplaceOrView below;
  return twins.inner(t).item();
}
bool same_shallow_copy_type(const at::Tensor&, const at::Tensor&) { return true; }

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_host>()); }
TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_copy_from", &copy_from);
  m.impl("_local_scalar_dense", &item);
  m.impl("_has_compatible_shallow_copy_type", &same_shallow_copy_type);
  std::set<std::string> whole{"convolution", "convolution_backward", "_fused_adamw_", "_fused_adam_", "_fused_sgd_"};  // else they would be taken apart
  for (const auto& op : c10::Dispatcher::singleton().getAllOpNames())
    if (op.name.starts_with("aten::_foreach_") && !op.overload_name.ends_with("out"))
      whole.insert(op.name.substr(6) + (op.overload_name.empty() ? "" : "." + op.overload_name));
  for (const auto& name : whole) m.impl(name.c_str(), torch::CppFunction::makeFromBoxedFunction<&run_on_host>());
}
TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m) { m.fallback(torch::CppFunction::makeFallthrough()); }
}  // namespace

namespace at::autocast {
#define REGIMEN_LOWER(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
#define REGIMEN_FP32(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
#define REGIMEN_FP32_SET(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32_set_opt_dtype)
#define REGIMEN_PROMOTE(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, promote)
TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
  AT_FORALL_LOWER_PRECISION_FP(REGIMEN_LOWER)
  AT_FORALL_FP32(REGIMEN_FP32)
  AT_FORALL_FP32_SET_OPT_DTYPE(REGIMEN_FP32_SET)
  AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(KERNEL_DIFFERENT_REDISPATCH_SIGNATURE_PRIVATEUSEONE)
  AT_FORALL_PROMOTE(REGIMEN_PROMOTE)
}
}  // namespace at::autocast

namespace fake {
std::int64_t Log::launches(const std::string& name) const {
  return std::ranges::count_if(ops, [&](const Op& op) { return op.name == name; });
}
std::vector<std::string> Log::names() const {
  std::vector<std::string> all;
  for (const auto& op : ops) all.push_back(op.name);
  return all;
}
Recorder::Recorder() {
  std::lock_guard lock{notes().mutex};
  notes().log = {};
  ++notes().recorders;
}
Recorder::~Recorder() {
  std::lock_guard lock{notes().mutex};
  notes().recorders = 0;
}
Log Recorder::stop() {
  std::lock_guard lock{notes().mutex};
  notes().recorders = 0;
  return std::move(notes().log);
}
NoSync::NoSync() {
  std::lock_guard lock{notes().mutex};
  ++notes().forbidding;
}
NoSync::~NoSync() {
  std::lock_guard lock{notes().mutex};
  --notes().forbidding;
}
void arrive() { deliver(std::nullopt); }
OnStream::OnStream(std::int64_t id) : before_{std::exchange(current_stream, id)} {}
OnStream::~OnStream() { current_stream = before_; }
}  // namespace fake
