__global__ void tiny(int* p) { p[0] = 1; }
