// Where the warps of a launch were, sampled: for every instruction, how often each stall reason was
// seen, through CUPTI's PC Sampling API. The launch is repeated, as in counters_mode.cpp, each time
// from the same device memory and with the caches empty, and the samples are added up.
#include <cupti_pcsampling.h>

#include <map>
#include <memory>
#include <utility>

#include "gpu/cupti/caches.hpp"
#include "gpu/cupti/check.hpp"
#include "gpu/cupti/mode.hpp"
#include "gpu/cupti/snapshot.hpp"

namespace heddle::cupti {
namespace {

constexpr std::uint32_t kPeriodExponent = 5;  // a sample every 32 cycles, the shortest there is
constexpr std::size_t kPcsAtOnce = 4096;

// A buffer of samples as CUPTI wants it, with room for every reason at every PC.
class SampleBuffer {
 public:
  explicit SampleBuffer(std::size_t reasons)
      : pcs_(kPcsAtOnce), stalls_(kPcsAtOnce * reasons), data_{} {
    for (std::size_t i = 0; i < pcs_.size(); ++i) {
      pcs_[i].size = sizeof(CUpti_PCSamplingPCData);
      pcs_[i].stallReason = stalls_.data() + i * reasons;
    }
    data_.size = sizeof data_;
    data_.collectNumPcs = pcs_.size();
    data_.pPcData = pcs_.data();
  }
  CUpti_PCSamplingData& data() { return data_; }

 private:
  std::vector<CUpti_PCSamplingPCData> pcs_;
  std::vector<CUpti_PCSamplingStallReason> stalls_;
  CUpti_PCSamplingData data_;
};

class SamplingMode final : public Mode {
 public:
  Members header(CUdevice) override {
    Members members;
    members.add("sampling_period_cycles", std::uint64_t{1} << kPeriodExponent);
    members.add("sampling_repeats", std::uint64_t{repeats()});
    return members;
  }

  void before(const Launch& launch, const DeviceMemory& memory, LaunchFragment& out) override {
    enable(launch.context);
    snapshot_.take(memory);
    samples_.clear();
    total_ = dropped_ = 0;
    for (unsigned i = 0; i < repeats(); ++i) {
      snapshot_.restore();
      caches_.flush();
      sample(launch);
    }
    snapshot_.restore();
    write(out);
  }

  void after(const Launch&, const DeviceMemory&, LaunchFragment&) override {}

  void context_ends(CUcontext context) override {
    if (context == context_) disable();
  }

 private:
  using Key = std::pair<std::string, std::uint64_t>;  // function, byte offset in it

  void enable(CUcontext context) {
    if (context_ == context) return;
    disable();
    CUpti_PCSamplingEnableParams enable{};
    enable.size = CUpti_PCSamplingEnableParamsSize;
    enable.ctx = context;
    HEDDLE_CALL(cuptiPCSamplingEnable(&enable));
    context_ = context;
    find_reasons();
    configure();
  }

  void disable() {
    if (context_ == nullptr) return;
    CUpti_PCSamplingDisableParams params{};
    params.size = CUpti_PCSamplingDisableParamsSize;
    params.ctx = std::exchange(context_, nullptr);
    HEDDLE_CALL(cuptiPCSamplingDisable(&params));
    caches_.forget();
    snapshot_.forget();
  }

  void find_reasons() {
    std::size_t count = 0;
    CUpti_PCSamplingGetNumStallReasonsParams number{};
    number.size = CUpti_PCSamplingGetNumStallReasonsParamsSize;
    number.ctx = context_;
    number.numStallReasons = &count;
    HEDDLE_CALL(cuptiPCSamplingGetNumStallReasons(&number));
    std::vector<std::vector<char>> texts(count, std::vector<char>(CUPTI_STALL_REASON_STRING_SIZE));
    std::vector<char*> pointers;
    for (std::vector<char>& text : texts) pointers.push_back(text.data());
    indices_.assign(count, 0);
    CUpti_PCSamplingGetStallReasonsParams list{};
    list.size = CUpti_PCSamplingGetStallReasonsParamsSize;
    list.ctx = context_;
    list.numStallReasons = count;
    list.stallReasonIndex = indices_.data();
    list.stallReasons = pointers.data();
    HEDDLE_CALL(cuptiPCSamplingGetStallReasons(&list));
    for (std::size_t i = 0; i < count; ++i) reasons_[indices_[i]] = texts[i].data();
    background_ = std::make_unique<SampleBuffer>(count);
    collected_ = std::make_unique<SampleBuffer>(count);
  }

  void configure() {
    std::vector<CUpti_PCSamplingConfigurationInfo> info;
    const auto add = [&](CUpti_PCSamplingConfigurationAttributeType type) -> auto& {
      info.push_back({});
      info.back().attributeType = type;
      return info.back().attributeData;
    };
    add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD).samplingPeriodData = {
        kPeriodExponent};
    add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON).stallReasonData = {indices_.size(),
                                                                                   indices_.data()};
    add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE).collectionModeData = {
        CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS};
    add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL)
        .enableStartStopControlData = {1};
    add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_OUTPUT_DATA_FORMAT).outputDataFormatData = {
        CUPTI_PC_SAMPLING_OUTPUT_DATA_FORMAT_PARSED};
    add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER).samplingDataBufferData = {
        &background_->data()};
    CUpti_PCSamplingConfigurationInfoParams params{};
    params.size = CUpti_PCSamplingConfigurationInfoParamsSize;
    params.ctx = context_;
    params.numAttributes = info.size();
    params.pPCSamplingConfigurationInfo = info.data();
    HEDDLE_CALL(cuptiPCSamplingSetConfigurationAttribute(&params));
  }

  void sample(const Launch& launch) {
    CUpti_PCSamplingStartParams start{};
    start.size = CUpti_PCSamplingStartParamsSize;
    start.ctx = context_;
    HEDDLE_CALL(cuptiPCSamplingStart(&start));
    HEDDLE_CALL(launch.again());
    HEDDLE_CALL(cuCtxSynchronize());
    CUpti_PCSamplingStopParams stop{};
    stop.size = CUpti_PCSamplingStopParamsSize;
    stop.ctx = context_;
    HEDDLE_CALL(cuptiPCSamplingStop(&stop));
    CUpti_PCSamplingData& data = collected_->data();
    do {
      CUpti_PCSamplingGetDataParams get{};
      get.size = CUpti_PCSamplingGetDataParamsSize;
      get.ctx = context_;
      get.pcSamplingData = &data;
      HEDDLE_CALL(cuptiPCSamplingGetData(&get));
      if (data.hardwareBufferFull != 0) throw std::runtime_error("the sample buffer ran full");
      add_samples(data);
    } while (data.remainingNumPcs != 0);
    add_samples(background_->data());
  }

  void add_samples(CUpti_PCSamplingData& data) {
    total_ += data.totalSamples;
    dropped_ += data.droppedSamples;
    data.totalSamples = data.droppedSamples = 0;
    for (std::size_t i = 0; i < data.totalNumPcs; ++i) {
      const CUpti_PCSamplingPCData& pc = data.pPcData[i];
      auto& at = samples_[{pc.functionName, pc.pcOffset}];
      for (std::size_t k = 0; k < pc.stallReasonCount; ++k)
        at[pc.stallReason[k].pcSamplingStallReasonIndex] += pc.stallReason[k].samples;
      // The name is not freed: several records may share it.
    }
    data.totalNumPcs = 0;
  }

  void write(LaunchFragment& out) const {
    std::vector<std::string> entries;
    for (const auto& [key, counts] : samples_) {
      Members stalls, entry;
      for (const auto& [reason, count] : counts)
        if (count != 0) stalls.add(reasons_.at(reason), count);
      entry.add("function", key.first).add("pc", key.second).add_raw("stalls", stalls.object());
      entries.push_back(entry.object());
    }
    Members sampled;
    sampled.add("samples", total_).add("dropped", dropped_);
    sampled.add_raw("instructions", json_array(entries));
    out.other.add_raw("sampled", sampled.object());
  }

  CUcontext context_ = nullptr;
  std::vector<std::uint32_t> indices_;
  std::map<std::uint32_t, std::string> reasons_;
  std::unique_ptr<SampleBuffer> background_, collected_;
  std::map<Key, std::map<std::uint32_t, std::uint64_t>> samples_;
  std::uint64_t total_ = 0, dropped_ = 0;
  CacheFlusher caches_;
  Snapshot snapshot_;
};

}  // namespace

std::unique_ptr<Mode> make_sampling_mode() { return std::make_unique<SamplingMode>(); }

}  // namespace heddle::cupti
