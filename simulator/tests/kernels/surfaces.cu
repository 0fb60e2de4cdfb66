// Accesses through a surface whose header a test has made.
extern "C" {

__global__ void store(cudaSurfaceObject_t surface, int x, unsigned value) {
  surf1Dwrite(value, surface, x, cudaBoundaryModeTrap);
}

__global__ void reduce(cudaSurfaceObject_t surface, int x, unsigned value) {
  asm volatile("sured.b.1d.add.u32.trap [%0, {%1}], %2;" ::"l"(surface), "r"(x), "r"(value)
               : "memory");
}

}  // extern "C"
