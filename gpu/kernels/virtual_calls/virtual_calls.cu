// Objects made on the device, whose virtual functions differ between the lanes that call them.
#include <new>

#include "../common/device_array.h"

struct Shape {
  __host__ __device__ virtual ~Shape() {}
  __host__ __device__ virtual int area() const = 0;
  __host__ __device__ virtual int scaled(int by) const { return area() * by; }
};
struct Square : Shape {
  int side;
  __host__ __device__ explicit Square(int side) : side(side) {}
  __host__ __device__ int area() const override { return side * side; }
};
struct Rectangle : Shape {
  int width, height;
  __host__ __device__ Rectangle(int width, int height) : width(width), height(height) {}
  __host__ __device__ int area() const override { return width * height; }
  __host__ __device__ int scaled(int by) const override { return width * by * height * by; }
};
struct Stairs : Rectangle {
  __host__ __device__ explicit Stairs(int width) : Rectangle(width, width) {}
  __host__ __device__ int area() const override {
    int sum = 0;
    for (int i = 1; i <= width; ++i) sum += i;
    return sum;
  }
};

union Storage {
  double aligned;
  char bytes[32];
};
static_assert(sizeof(Rectangle) <= sizeof(Storage), "an object fits");

__host__ __device__ static Shape* make(Storage* storage, unsigned kind, int size) {
  switch (kind) {
    case 0:
      return new (storage) Square(size);
    case 1:
      return new (storage) Rectangle(size, size + 2);
    default:
      return new (storage) Stairs(size);
  }
}

__global__ void make_shapes(Storage* storage, Shape** shapes) {
  const unsigned thread = threadIdx.x;
  shapes[thread] = make(storage + thread, scramble(thread) % 3, int(thread % 11));
}

__global__ void call_shapes(Shape** shapes, int* out) {
  const unsigned thread = threadIdx.x;
  out[thread] = shapes[thread]->area();
  if (thread % 4) out[thread] += shapes[thread ^ 1]->scaled(3);
}

int main() {
  constexpr unsigned kThreads = 64;
  DeviceArray<Storage> storage(kThreads);
  DeviceArray<Shape*> shapes(kThreads);
  DeviceArray<int> out(kThreads);
  make_shapes<<<1, kThreads>>>(storage.data(), shapes.data());
  call_shapes<<<1, kThreads>>>(shapes.data(), out.data());
  const auto values = out.host();
  Storage here[kThreads];
  Shape* host[kThreads];
  for (unsigned i = 0; i < kThreads; ++i) host[i] = make(here + i, scramble(i) % 3, int(i % 11));
  Verdict verdict;
  for (unsigned i = 0; i < kThreads; ++i)
    verdict.expect(values[i] == host[i]->area() + (i % 4 ? host[i ^ 1]->scaled(3) : 0), "area");
  return verdict.finish();
}
