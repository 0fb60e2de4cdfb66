// Where lines lie in DRAM and what they wait for when it refreshes. Lines of one region of memory,
// of several and of any, asked for by all SMs at once: if they shared few channels they would be
// slower than lines from anywhere. Then one SM asks for lines again and again at any moment: how
// often they are late and by how much, how long after one refresh the next comes, and which lines
// wait for the same one.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o refreshes refreshes.cu && ./refreshes [QUESTION…]
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "flush.h"
#include "spans.h"

namespace {

using namespace timing;

constexpr std::size_t kMega = std::size_t{1} << 20;
constexpr unsigned kLine = 128, kRegion = 65536, kPiece = 2048;
constexpr unsigned kAlone = 120 * 1024;  // shared memory of a block that has an SM for itself
int sms = 0;

double share_of(const std::vector<double>& sorted, double part) {
  return sorted[std::size_t(part * double(sorted.size() - 1))];
}
void print_shares(const std::string& name, std::vector<double> samples,
                  const std::vector<double>& parts, const char* unit) {
  std::sort(samples.begin(), samples.end());
  for (const double part : parts)
    print(name + ".p" + std::to_string(int(std::lround(part * 100))), {share_of(samples, part)},
          unit);
  print(name + ".mean",
        {std::accumulate(samples.begin(), samples.end(), 0.0) / double(samples.size())}, unit);
}

// ---- lines that all SMs ask for at once
// ---------------------------------------------------------

// A line for each warp, at about the same time; lanes lie side by side.
__global__ void ask_once(const char* data, const unsigned* places, unsigned count, int* took) {
  const unsigned number = threadIdx.x / 32 * gridDim.x + blockIdx.x;
  const unsigned place = number < count ? places[number] : 0;
  constexpr unsigned long long kTogether = 16384;  // nanoseconds; a launch is dealt out in less
  const unsigned long long target = (nanoseconds_now() / kTogether + 2) * kTogether;
  while (nanoseconds_now() < target) continue;
  __syncthreads();
  if (number >= count) return;
  const long long begin = clock_now();
  const unsigned value = load<4>(data + place + threadIdx.x % 32 * 4);
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(value) : "memory");
  const long long end = clock_now();
  if (threadIdx.x % 32 == 0) took[number] = int(end - begin);
}

// `choose(round)`: the places of a launch's lines.
template <typename Choose>
void ask_spread(const std::string& name, const Buffer<char>& data, const Flush& flush,
                Choose&& choose) {
  constexpr int kRounds = 60;
  if (!is_wanted(name)) return;
  std::vector<double> all, most;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<unsigned> chosen = choose(round);
    std::shuffle(chosen.begin(), chosen.end(), std::mt19937(round));
    Buffer<unsigned> places(chosen.size());
    places.write(chosen);
    const Buffer<int> took(chosen.size());
    flush();
    ask_once<<<sms, 32 * unsigned((chosen.size() + sms - 1) / sms)>>>(
        data.data(), places.data(), unsigned(chosen.size()), took.data());
    finish();
    const auto each = took.read();
    all.insert(all.end(), each.begin(), each.end());
    most.push_back(*std::max_element(each.begin(), each.end()));
  }
  print_shares(name, all, {0.05, 0.25, 0.5, 0.75, 0.9, 0.95}, "cycle");
  print(name + ".most", most, "cycle");
}

// All lines of regions that lie `apart` regions from one another; lines anywhere.
void ask_spreads(const Buffer<char>& data, const Flush& flush) {
  constexpr unsigned kBetween = 64;  // regions from one round's first to the next's
  const auto ask_regions = [&](unsigned count, unsigned apart) {
    ask_spread("spread.regions" + std::to_string(count) + ".apart" + std::to_string(apart), data,
               flush, [&](int round) {
                 std::vector<unsigned> places;
                 for (unsigned region = 0; region < count; ++region)
                   for (unsigned at = 0; at < kRegion; at += kLine)
                     places.push_back((round * kBetween + region * apart) * kRegion + at);
                 return places;
               });
  };
  ask_regions(1, 1);
  for (const unsigned count : {2u, 4u})
    for (const unsigned apart : {1u, 2u, 12u}) ask_regions(count, apart);
  std::mt19937 random(5);
  for (const unsigned count : {512u, 1024u, 2048u})
    ask_spread("spread.anywhere.lines" + std::to_string(count), data, flush, [&](int) {
      std::vector<unsigned> places(count);
      for (unsigned& place : places) place = unsigned(random() % (256 * kMega / kLine)) * kLine;
      return places;
    });
}

// ---- lines that one SM asks for again and again
// -------------------------------------------------

constexpr int kWarps = 32, kEach = 64, kLines = kWarps * kEach, kRounds = 256;

// On SM 0: every warp asks for its lines one after the other; when, and how long each took.
__global__ void ask_again(const char* data, const unsigned* places, unsigned wait, int* begins,
                          int* took, unsigned* done) {
  if (sm_id() != 0) return;
  __shared__ unsigned place[kLines], is_second;
  if (threadIdx.x == 0) is_second = atomicExch(done, 1);
  for (unsigned i = threadIdx.x; i < kLines; i += blockDim.x) place[i] = places[i];
  __syncthreads();
  if (is_second != 0) return;
  const long long start = clock_now();
  while (clock_now() - start < wait) continue;
  __syncthreads();
  if (threadIdx.x % 32 != 0) return;
  for (unsigned i = threadIdx.x / 32 * kEach; i < (threadIdx.x / 32 + 1) * kEach; ++i) {
    const char* const at = data + place[i];
    const long long begin = clock_now();
    const unsigned value = load<4>(at);
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(value) : "memory");
    const long long end = clock_now();
    begins[i] = int(begin - start);
    took[i] = int(end - begin);
  }
}

// One answer: of which line, when it was asked for, how much longer it took than this line usually
// takes.
struct Answer {
  unsigned place = 0;
  double arrived = 0;  // at DRAM, but for what is common to all
  double extra = 0;
  double served() const { return arrived + extra; }
};
using Launch = std::vector<Answer>;

// Each line once a launch, in another order each time, with empty caches.
std::vector<Launch> ask_lines(const Buffer<char>& data, const std::vector<unsigned>& lines,
                              const Flush& flush, std::mt19937& random) {
  constexpr unsigned kQuiet = 40000, kMore = 8000;  // cycles between the flush and the first line
  std::vector<Launch> launches;
  std::vector<std::vector<int>> of_line(lines.size());
  Buffer<unsigned> places(kLines);
  const Buffer<int> begins(kLines), took(kLines);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<unsigned> order(lines.size()), shuffled;
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), random);
    for (const unsigned i : order) shuffled.push_back(lines[i]);
    places.write(shuffled);
    const Buffer<unsigned> done(1);
    flush();
    ask_again<<<sms, 32 * kWarps, kAlone>>>(data.data(), places.data(),
                                            kQuiet + unsigned(random() % kMore), begins.data(),
                                            took.data(), done.data());
    finish();
    const auto when = begins.read(), each = took.read();
    Launch launch(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      launch[order[i]] = {lines[order[i]], double(when[i]), double(each[i])};
      of_line[order[i]].push_back(each[i]);
    }
    launches.push_back(launch);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto& all = of_line[i];
    std::nth_element(all.begin(), all.begin() + all.size() / 2, all.end());
    const double usual = all[all.size() / 2];
    for (Launch& launch : launches) {
      launch[i].arrived += usual / 2;  // half of it is the way there
      launch[i].extra -= usual;
    }
  }
  return launches;
}

constexpr double kLate = 75;    // cycles above the usual
constexpr double kTwice = 700;  // those above waited for something else as well
bool is_late(const Answer& answer) { return answer.extra > kLate && answer.extra < kTwice; }

// Answers of `regions` at a time, lines of each from its beginning on, at several places.
std::vector<Launch> ask_places(const Buffer<char>& data, unsigned regions, const Flush& flush) {
  constexpr unsigned kPlaces = 8;
  std::mt19937 random(11);
  std::vector<Launch> all;
  for (unsigned place = 0; place < kPlaces; ++place) {
    std::vector<unsigned> lines;
    for (unsigned i = 0; i < kLines; ++i)
      lines.push_back((place * regions + i % regions) * kRegion + i / regions * kLine);
    const auto launches = ask_lines(data, lines, flush, random);
    all.insert(all.end(), launches.begin(), launches.end());
  }
  return all;
}

// Of two lines that arrive together, one of which is late: how often the other is, too.
struct Together {
  double one = 0, both = 0;
  double share() const { return both / one; }
};
// By what two lines have in common, `relation(place, place)`.
template <typename Relation>
std::map<unsigned, Together> late_together(const std::vector<Launch>& launches,
                                           Relation&& relation) {
  constexpr double kAtOnce = 60;
  std::map<unsigned, Together> all;
  for (Launch launch : launches) {
    std::sort(launch.begin(), launch.end(),
              [](const Answer& a, const Answer& b) { return a.arrived < b.arrived; });
    for (auto a = launch.begin(); a != launch.end(); ++a)
      for (auto b = a + 1; b != launch.end() && b->arrived - a->arrived < kAtOnce; ++b) {
        Together& together = all[relation(a->place, b->place)];
        together.one += double(is_late(*a)) + double(is_late(*b));
        together.both += is_late(*a) && is_late(*b) ? 2 : 0;
      }
  }
  return all;
}

// A channel has 256 bytes of a KiB and those 512 bytes behind.
enum Common : unsigned { kChannel, kSamePiece, kSameRegion, kNothing };
const char* const kNames[] = {"channel", "piece", "region", "nothing"};
unsigned common(unsigned a, unsigned b) {
  if (a / kRegion != b / kRegion) return kNothing;
  if (a / kPiece != b / kPiece) return kSameRegion;
  return a / 1024 != b / 1024 || ((a ^ b) & 256) != 0 ? kSamePiece : kChannel;
}

// Cycles between the moments at which late lines are served, up to `longest`.
std::vector<std::vector<double>> between_late(const std::vector<Launch>& launches, double longest) {
  std::vector<std::vector<double>> between(std::size(kNames));
  for (const Launch& launch : launches) {
    Launch late;
    std::copy_if(launch.begin(), launch.end(), std::back_inserter(late), is_late);
    std::sort(late.begin(), late.end(),
              [](const Answer& a, const Answer& b) { return a.served() < b.served(); });
    for (auto a = late.begin(); a != late.end(); ++a)
      for (auto b = a + 1; b != late.end() && b->served() - a->served() < longest; ++b)
        if (const unsigned kind = common(a->place, b->place); kind != kNothing)
          between[kind].push_back(b->served() - a->served());
  }
  return between;
}

// The time after which lines of a piece are late again: the period with which what lies between
// two of them agrees best.
double find_interval(const std::vector<double>& between) {
  constexpr double kLeast = 1000, kBin = 4;
  std::map<int, double> bins;
  double count = 0;
  for (const double each : between)
    if (each > kLeast) bins[int(each / kBin)] += 1, count += 1;
  double best = 0, interval = 0;
  for (double candidate = 1500; candidate < 9000; candidate += 2) {
    double sum = 0;
    for (const auto& [bin, number] : bins)
      sum += number * std::cos(2 * M_PI * (bin + 0.5) * kBin / candidate);
    if (sum > best) best = sum, interval = candidate;
  }
  print("refresh.interval", {interval}, "cycle");
  print("refresh.agree", {best / count}, "share");
  return interval;
}

// Which pieces of a region are late at the same moments of the interval: of two that are, most late
// lines are; of two that are not, few. Pieces are those of a channel, 512 bytes.
class Banks {
 public:
  void add(const Launch& launch, unsigned region, double interval) {
    std::vector<std::pair<unsigned, double>> late;
    for (const Answer& answer : launch)
      if (answer.place / kRegion == region && is_late(answer))
        late.emplace_back(piece_of(answer.place), answer.served());
    for (const auto& [a, served_a] : late)
      for (const auto& [b, served_b] : late) {
        const double apart = std::abs(std::remainder(served_a - served_b, interval));
        pairs_[a][b] += 1, close_[a][b] += apart < kClose;
      }
  }
  // How many pieces share each bank, the largest first.
  std::vector<unsigned> sizes() const {
    std::vector<unsigned> left(kPieces), sizes;
    std::iota(left.begin(), left.end(), 0u);
    while (!left.empty()) {
      std::vector<unsigned> most;
      for (const unsigned a : left) {
        std::vector<unsigned> together;
        for (const unsigned b : left)
          if (a == b || is_close(a, b)) together.push_back(b);
        if (together.size() > most.size()) most = together;
      }
      sizes.push_back(unsigned(most.size()));
      for (const unsigned each : most) left.erase(std::find(left.begin(), left.end(), each));
    }
    return sizes;
  }
  static constexpr unsigned kPieces = kRegion / 512;

 private:
  static constexpr double kClose = 350;
  static unsigned piece_of(unsigned place) {
    return place % kRegion / 1024 * 2 + (place / 256 & 1);
  }
  bool is_close(unsigned a, unsigned b) const { return 2 * close_[a][b] > pairs_[a][b]; }
  double pairs_[kPieces][kPieces] = {}, close_[kPieces][kPieces] = {};
};

// The shares of pieces that a region has in each of its banks, and how many banks have several.
void print_banks(const std::vector<Launch>& launches, double interval) {
  std::map<unsigned, Banks> regions;
  for (const Launch& launch : launches) {
    std::vector<unsigned> asked;
    for (const Answer& answer : launch) asked.push_back(answer.place / kRegion);
    std::sort(asked.begin(), asked.end());
    asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
    for (const unsigned region : asked) regions[region].add(launch, region, interval);
  }
  constexpr std::size_t kLargest = 6, kSeveral = 4;
  std::vector<std::vector<double>> shares(kLargest);
  std::vector<double> counts;
  for (const auto& [region, banks] : regions) {
    std::vector<unsigned> sizes = banks.sizes();
    counts.push_back(double(
        std::count_if(sizes.begin(), sizes.end(), [](unsigned size) { return size >= kSeveral; })));
    sizes.resize(std::max(sizes.size(), kLargest));
    for (std::size_t i = 0; i < kLargest; ++i)
      shares[i].push_back(double(sizes[i]) / Banks::kPieces);
  }
  for (std::size_t i = 0; i < kLargest; ++i)
    print_shares("banks.share" + std::to_string(i + 1), shares[i], {0.1, 0.5, 0.9}, "share");
  print_shares("banks.count", counts, {0.1, 0.5, 0.9}, "bank");
}

// Some regions, and all lines of them: how often lines are late, how much, when again; which are
// late together and how far apart these are served.
void ask_refreshes(const Buffer<char>& data, const Flush& flush) {
  constexpr unsigned kRegions = 4;
  constexpr double kSoon = 500, kLong = 20000;
  if (!is_wanted("refresh")) return;
  const auto launches = ask_places(data, kRegions, flush);
  std::vector<double> extras;
  double late = 0;
  for (const Launch& launch : launches)
    for (const Answer& answer : launch)
      extras.push_back(answer.extra), late += answer.extra > kLate;
  print("refresh.late", {late / double(extras.size())}, "share");
  print_shares("refresh.extra", extras, {0.5, 0.75, 0.9, 0.95, 0.98, 0.99}, "cycle");
  const auto between = between_late(launches, kLong);
  const double interval = find_interval(between[kSamePiece]);
  print_banks(launches, interval);
  for (const unsigned kind : {kChannel, kSamePiece, kSameRegion}) {
    std::vector<double> soon;
    std::copy_if(between[kind].begin(), between[kind].end(), std::back_inserter(soon),
                 [](double each) { return each < kSoon; });
    print_shares(std::string("between.") + kNames[kind], soon, {0.25, 0.5, 0.75}, "cycle");
  }
  for (const auto& [kind, together] : late_together(launches, common))
    print(std::string("together.") + kNames[kind], {together.share()}, "share");
}

// A piece of each of many regions: how often regions are late together, by how far they lie apart.
void ask_apart(const Buffer<char>& data, const Flush& flush) {
  constexpr unsigned kRegions = kLines * kLine / kPiece, kFarthest = 25;
  if (!is_wanted("apart")) return;
  const auto apart = [](unsigned a, unsigned b) {
    return std::max(a / kRegion, b / kRegion) - std::min(a / kRegion, b / kRegion);
  };
  for (const auto& [regions, together] : late_together(ask_places(data, kRegions, flush), apart))
    if (regions <= kFarthest)
      print("apart.regions" + std::to_string(regions), {together.share()}, "share");
}

}  // namespace

int main(int argc, char** argv) {
  read_wanted(argc, argv);
  print_header("refreshes");
  int l2_bytes = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CUDA(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
  CUDA(cudaFuncSetAttribute(ask_again, cudaFuncAttributeMaxDynamicSharedMemorySize, kAlone));
  const Buffer<char> data(512 * kMega);
  const Flush flush{std::size_t(l2_bytes)};
  for (int i = 0; i < 500; ++i) flush();  // until clocks have risen
  ask_spreads(data, flush);
  ask_refreshes(data, flush);
  ask_apart(data, flush);
}
