// Which addresses around an allocation a kernel can read. One process for each question.
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
__device__ char small_global[4];
__device__ char large_global[3 << 20];
__global__ void peek(const volatile unsigned* p, unsigned* out) { *out = *p; }
__global__ void poke(volatile unsigned* p) { *p = *p; }
__global__ void touch() {
  small_global[0] = 1;
  large_global[1] = 1;
}
static const uint64_t M = 2 << 20;
struct Case {
  const char* kind;
  uint64_t size;
  const char* state;
  bool after;
  bool write;
};
static uint64_t fl(uint64_t a) { return a / M * M; }
static uint64_t ce(uint64_t a) { return (a + M - 1) / M * M; }
static void run(const Case& c, int fd) {
  auto say = [&](const char* f, auto... a) {
    char b[256];
    int n = snprintf(b, 256, f, a...);
    write(fd, b, n);
  };
  std::string k = c.kind, s = c.state;
  void* d = 0;
  void* other = 0;
  unsigned* out;
  int e = 0;
  cudaFree(0);
  cudaMallocHost(&out, 64);
  if (k == "malloc") {
    e = cudaMalloc(&d, c.size);
    if (s == "neighbour" || s == "freed+neighbour") cudaMalloc(&other, 512);
  } else if (k == "async") {
    e = cudaMallocAsync(&d, c.size, 0);
    if (s == "neighbour" || s == "freed+neighbour") cudaMallocAsync(&other, 512, 0);
    cudaStreamSynchronize(0);
  } else if (k == "managed") {
    e = cudaMallocManaged(&d, c.size);
    memset(d, 0, c.size);
  } else if (k == "pinned") {
    e = cudaMallocHost(&d, c.size);
  } else if (k == "global") {
    touch<<<1, 1>>>();
    if (c.size <= 4)
      cudaGetSymbolAddress(&d, small_global);
    else
      cudaGetSymbolAddress(&d, large_global);
  }
  if (e || !d) {
    say(" alloc error %d\n", e);
    return;
  }
  peek<<<1, 1>>>((unsigned*)((uint64_t)d / 4 * 4), out);
  e = cudaDeviceSynchronize();
  if (e) {
    say(" own %d\n", e);
    return;
  }
  uint64_t a = (uint64_t)d, end = a + c.size;
  say(" at frame+%llx other %lld:", (unsigned long long)(a % M),
      other ? (long long)((uint64_t)other - a) : 0);
  bool freed = s.rfind("freed", 0) == 0;
  if (freed) {
    if (k == "malloc") cudaFree(d);
    if (k == "async") {
      cudaFreeAsync(d, 0);
      cudaStreamSynchronize(0);
    }
    if (k == "managed") cudaFree(d);
    if (k == "pinned") cudaFreeHost(d);
    cudaDeviceSynchronize();
  }
  std::vector<std::pair<std::string, uint64_t>> at;
  auto add = [&](std::string n, uint64_t x) {
    x = x / 4 * 4;
    at.push_back({n, x});
  };
  if (c.after) {
    if (freed) {
      add("first", a);
      add("last", end - 4 < a ? a : end - 4);
    }
    for (uint64_t off : {0ull, 256ull, 512ull, 1024ull, 4096ull, 65536ull, 1ull << 19})
      if (end + off < ce(end)) add("+" + std::to_string(off), (end + 3) / 4 * 4 + off);
    add("frame-4", ce(end) - 4);
    add("frame", ce(end));
    add("frame+64K", ce(end) + 65536);
    add("frame+2M-4", ce(end) + M - 4);
    add("frame+2M", ce(end) + M);
    add("frame+4M", ce(end) + 2 * M);
    add("frame+30M", ce(end) + 15 * M);
    add("frame+32M", ce(end) + 16 * M);
    add("frame+64M", ce(end) + 32 * M);
  } else {
    for (uint64_t off : {4ull, 256ull, 512ull, 4096ull, 65536ull, 1ull << 19})
      if (a - off >= fl(a)) add("-" + std::to_string(off), a - off);
    add("frame", fl(a));
    add("frame-4", fl(a) - 4);
    add("frame-2M", fl(a) - M);
    add("frame-2M-4", fl(a) - M - 4);
    add("frame-30M", fl(a) - 15 * M);
    add("frame-32M-4", fl(a) - 16 * M - 4);
  }
  for (auto& [n, x] : at) {
    if (c.write)
      poke<<<1, 1>>>((unsigned*)x);
    else
      peek<<<1, 1>>>((unsigned*)x, out);
    e = cudaDeviceSynchronize();
    say(" %s%s", n.c_str(), e ? "" : " ok,");
    if (e) {
      say(" ERROR %d", e);
      break;
    }
  }
  say("\n");
}
int main(int n, char** v) {
  int limit = n > 1 ? atoi(v[1]) : 150, par = n > 2 ? atoi(v[2]) : 8;
  std::vector<Case> cs;
  const uint64_t sizes[] = {1,       512,           4096,    65536,   1 << 20, (2 << 20) - 512,
                            2 << 20, (2 << 20) + 4, 3 << 20, 33 << 20};
  for (bool after : {true, false})
    for (uint64_t z : sizes) cs.push_back({"malloc", z, "fresh", after, false});
  for (uint64_t z : sizes) cs.push_back({"malloc", z, "freed", true, false});
  for (uint64_t z : sizes) cs.push_back({"malloc", z, "freed+neighbour", true, false});
  for (bool after : {true, false})
    for (uint64_t z : sizes) cs.push_back({"async", z, "fresh", after, false});
  for (uint64_t z : sizes) cs.push_back({"async", z, "freed", true, false});
  for (bool after : {true, false})
    for (uint64_t z : {4ull, 3ull << 20}) cs.push_back({"global", z, "fresh", after, false});
  for (bool after : {true, false})
    for (uint64_t z : {1ull, 4096ull, 65536ull, 2ull << 20, 3ull << 20})
      cs.push_back({"managed", z, "fresh", after, false});
  for (uint64_t z : {4096ull, 65536ull, 3ull << 20})
    cs.push_back({"managed", z, "freed", true, false});
  for (bool after : {true, false})
    for (uint64_t z : {1ull, 4096ull, 3ull << 20})
      cs.push_back({"pinned", z, "fresh", after, false});
  for (bool after : {true, false})
    for (uint64_t z : {512ull, 1ull << 20, 3ull << 20})
      cs.push_back({"malloc", z, "neighbour", after, true});
  for (uint64_t z : {512ull, 1ull << 20, 3ull << 20})
    cs.push_back({"async", z, "freed+neighbour", true, false});
  time_t begin = time(0);
  size_t next = 0;
  struct Job {
    pid_t p;
    int fd;
    size_t i;
  };
  std::vector<Job> jobs;
  auto finish = [&] {
    int st;
    pid_t p = wait(&st);
    for (size_t j = 0; j < jobs.size(); j++)
      if (jobs[j].p == p) {
        std::string t;
        char b[4096];
        ssize_t r;
        while ((r = read(jobs[j].fd, b, 4096)) > 0) t.append(b, r);
        close(jobs[j].fd);
        const Case& c = cs[jobs[j].i];
        printf("%s %llu %s %s%s:%s%s", c.kind, (unsigned long long)c.size, c.state,
               c.after ? "after" : "before", c.write ? " write" : "", t.c_str(),
               t.empty() || t.back() != '\n' ? "\n" : "");
        fflush(stdout);
        jobs.erase(jobs.begin() + j);
        break;
      }
  };
  while (next < cs.size() && time(0) - begin < limit) {
    while ((int)jobs.size() >= par) finish();
    int f[2];
    pipe(f);
    fflush(stdout);
    pid_t p = fork();
    if (!p) {
      close(f[0]);
      alarm(40);
      run(cs[next], f[1]);
      _exit(0);
    }
    close(f[1]);
    jobs.push_back({p, f[0], next++});
  }
  while (!jobs.empty()) finish();
  fprintf(stderr, "%zu of %zu cases in %ld s\n", next, cs.size(), (long)(time(0) - begin));
}
