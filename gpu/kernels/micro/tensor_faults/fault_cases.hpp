// The wrong uses of tensor copies, bulk copies, barriers and products that tensor_faults asks
// about. Plain C++, for the GPU and for the test that replays it.
#pragma once

namespace faults {

// (clang-format lays this out anew each time.)
// clang-format off
#define FAULT_CASES(X) \
  X(None) X(FewerBytes) X(Shared64) X(Shared16) X(Shared8) X(SharedOutside) \
  X(SharedFarOutside) X(Barrier4) X(BarrierOutside) X(Map32) X(MapZeros) X(MapGarbage) \
  X(MapOfIm2col) X(MapOfLine) X(MapOfNothing) X(MapInterleaved) X(MapNowhere) X(MapOfTile) \
  X(MapOfPlane) X(Column8) X(FarColumn) X(BlockMissing) X(NoBlock) X(StoreShared16) \
  X(StoreOutside) X(StoreNowhere) X(AddBytes) X(BulkSize8) X(BulkNothing) X(BulkGlobal8) \
  X(BulkShared8) X(BulkNowhere) X(BulkOutside) X(BulkStoreNowhere) X(BulkStoreOutside) \
  X(PrefetchNowhere) X(BarrierArrive4) X(BarrierTwice) X(TooManyBytes) X(ProductOutside) \
  X(ProductFarOutside) X(ProductEnd)
// clang-format on
enum Case : unsigned {
#define FAULT_CASE(NAME) k##NAME,
  FAULT_CASES(FAULT_CASE)
#undef FAULT_CASE
      kCases
};
inline constexpr const char* kNames[] = {
#define FAULT_CASE(NAME) #NAME,
    FAULT_CASES(FAULT_CASE)
#undef FAULT_CASE
};

}  // namespace faults
