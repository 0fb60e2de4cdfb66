// The numbers of the timing model: what each means, and its unit. A GPU's values stand in the
// [timing] table of its file in simulator/models, each with its unit and source.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace heddle::simulator::timing {

// clang-format off
// X(name, unit, meaning). "Latency" counts cycles from the issue of an instruction to the earliest
// issue, in the same warp, of one that waits for it, with nothing else in the way.
#define HEDDLE_TIMING_CONSTANTS(X) \
  /* Pipes of a sub-core: cycles between the issues of two instructions of the class. */ \
  X(interval_alu, "cycle", "between two ALU instructions (IADD3, LOP3, ISETP, SHF, FSETP …) of one sub-core") \
  X(interval_fma, "cycle", "between two FP32 instructions (FFMA, FADD, FMUL) of one sub-core") \
  X(interval_imad, "cycle", "between two integer multiply-adds (IMAD, VIADD, IDP) of one sub-core") \
  X(interval_imad_wide, "cycle", "between two IMAD.WIDE or IMAD.HI of one sub-core") \
  X(interval_fp16, "cycle", "between two packed half instructions (HADD2, HFMA2) of one sub-core") \
  X(interval_fp64, "cycle", "between two FP64 instructions of one sub-core") \
  X(interval_xu, "cycle", "between two MUFU or conversions of one sub-core") \
  X(interval_uniform, "cycle", "between two instructions of the uniform datapath of one sub-core") \
  X(interval_cbu, "cycle", "between two control instructions (BRA, BSSY, BSYNC, EXIT) of one sub-core") \
  X(interval_product, "cycle", "between two matrix products (HMMA, IMMA, BMMA) of one sub-core, columns of 16 bytes") \
  X(interval_long_product, "cycle", "the same of columns of 32 bytes, as HMMA.16816") \
  X(interval_longest_product, "cycle", "the same of columns of 64 bytes, as sparse HMMA.16832") \
  X(interval_dmma, "cycle", "between two DMMA.8x8x4 or 16x8x4 of one sub-core; 16x8x8 twice and 16x8x16 four times that") \
  X(latency_register_write, "cycle", "issue of a fixed-latency instruction to its result being in its register bank") \
  /* Results that a scoreboard guards. */ \
  X(latency_xu, "cycle", "MUFU, conversions, POPC, FLO, BREV to their consumer") \
  X(latency_xu_read, "cycle", "MUFU and the like: issue to its place in the queue, and its sources, being free again") \
  X(issue_wide_product, "cycle", "in which a sub-core issues nothing behind an IMAD.WIDE or IMAD.HI") \
  X(latency_product_read, "cycle", "added to IMAD.WIDE or IMAD.HI that reads what has just been computed") \
  X(latency_fp64, "cycle", "FP64 instructions that set a scoreboard (before sm_90)") \
  X(latency_tensor, "cycle", "DMMA.8x8x4 to its consumer; other shapes as much more as they keep the unit longer") \
  X(latency_tensor_rows, "cycle", "added by DMMA of 16 rows") \
  X(latency_special_register, "cycle", "S2R of what differs between lanes, B2R to the consumer") \
  X(latency_special_block, "cycle", "S2R of what all lanes share to the consumer") \
  X(latency_special_uniform, "cycle", "S2UR to the consumer") \
  X(latency_barrier_move, "cycle", "BMOV that sets a scoreboard to who waits for it") \
  X(latency_uniform_move, "cycle", "R2UR, REDUX, MATCH and other results that cross the datapaths by a scoreboard") \
  X(latency_shuffle, "cycle", "SHFL to the consumer") \
  X(latency_shared_load, "cycle", "LDS of 32 bits a thread, without bank conflict, to the consumer") \
  X(latency_shared_atomic, "cycle", "ATOMS on 32 distinct banks to the consumer") \
  X(shared_conflict_latency, "cycle", "added to a shared access for each pass beyond those without conflict") \
  X(latency_constant_load, "cycle", "LDC that hits its cache to the consumer") \
  X(latency_constant_place, "cycle", "added to it for each further address that its lanes name") \
  X(latency_l1_hit, "cycle", "LDG of 32 bits a thread, one line, that hits L1, to the consumer") \
  X(latency_l2_hit, "cycle", "the same LDG that misses L1 and hits the nearest slice of the near half of L2") \
  X(l2_distance, "cycle", "added by the farthest slice of the near half") \
  X(latency_l2_far_extra, "cycle", "added when the data is in the far half of L2") \
  X(latency_dram_extra, "cycle", "added when L2 misses, on an idle memory") \
  X(latency_l2_atomic_extra, "cycle", "added by ATOMG to latency_l2_hit") \
  X(latency_operand_read, "cycle", "issue of a load to the release of the scoreboard that guards its sources") \
  X(latency_store_read, "cycle", "the same of a store of 32 bits a thread") \
  X(latency_store_left, "cycle", "issue of the same store to its having left the SM, so that its warp can end") \
  /* Control. */ \
  X(latency_branch_taken, "cycle", "BRA, taken by all active lanes, to the next instruction") \
  X(latency_branch_indirect, "cycle", "RET, BRX or CALL to an address in a register, to the next instruction") \
  X(latency_branch_beside, "cycle", "added to a taken branch, or BSYNC, while another warp of the sub-core is at one") \
  X(latency_branch_not_taken, "cycle", "BRA, not taken, to the next instruction") \
  X(latency_branch_divergent, "cycle", "BRA that splits the warp, to the next instruction") \
  X(latency_branch_fetch, "cycle", "of a taken branch's latency, the last ones, in which its target is fetched (no_instruction)") \
  X(latency_group_fetch, "cycle", "the same of a branch that splits the warp, and where another group goes on") \
  X(latency_group_switch, "cycle", "BSYNC, WARPSYNC or EXIT where another group of lanes goes on, to its first instruction") \
  X(latency_line_behind, "cycle", "the first instruction behind a jump, or of another group, to the first of the line that follows") \
  X(latency_reconvergence, "cycle", "BSYNC where all lanes are there, to the next instruction") \
  X(latency_restored_reconvergence, "cycle", "the same where BMOV has written the barrier") \
  X(latency_warp_reunion, "cycle", "WARPSYNC.ALL of the last group of a split warp to the next instruction") \
  X(latency_yield, "cycle", "YIELD to the next instruction of its warp; twice that while lanes wait at WARPSYNC") \
  X(interval_yield, "cycle", "between two YIELD of one sub-core; as often") \
  X(latency_barrier, "cycle", "arrival of the last warp at BAR.SYNC to the first issue of a warp that waited") \
  X(interval_barrier_arrival, "cycle", "between two arrivals of warps at block barriers that an SM takes") \
  X(latency_cluster_barrier, "cycle", "arrival of the last warp at a cluster's barrier to the first issue of a warp that waited") \
  X(cluster_release_interval, "cycle", "between the first issues of two warps of an SM that such a barrier lets go") \
  X(latency_membar_cta, "cycle", "the end of the stall count of MEMBAR.CTA, with nothing outstanding, to the next instruction") \
  X(latency_membar_gpu, "cycle", "the end of the stall count of MEMBAR.GPU, with nothing outstanding, to the next instruction") \
  X(latency_membar_sys, "cycle", "the end of the stall count of MEMBAR.SYS, with nothing outstanding, to the next instruction") \
  X(interval_membar_cta, "1/100 cycle", "between two fences of the block that warps of an SM make") \
  X(interval_membar_gpu, "1/100 cycle", "the same for the GPU") \
  X(latency_errbar, "cycle", "the same of ERRBAR") \
  X(latency_exit, "cycle", "the end of EXIT's stall count to the end of its warp, with nothing outstanding") \
  X(latency_stall_zero, "cycle", "an instruction with stall count 0 and the yield hint, to the next one") \
  X(latency_printf, "cycle", "a warp's call of printf, in the driver's own code, to the next instruction") \
  X(latency_printf_first, "cycle", "added to the first call of a launch with cold caches") \
  X(latency_printf_first_argument, "cycle", "added to the first such call that has arguments") \
  X(latency_printf_lane, "cycle", "added for each lane that prints") \
  X(latency_printf_lane_character, "1/100 cycle", "added for each lane and each character of the format") \
  X(latency_printf_argument, "cycle", "added for each number or pointer it prints") \
  X(latency_printf_character, "cycle", "added for each character of the format, but the two of a conversion") \
  X(latency_printf_string_character, "cycle", "added for each character of a string it prints") \
  X(interval_printf, "cycle", "a call of printf by up to four lanes waits so long for each other one on any SM") \
  X(interval_printf_lane, "cycle", "added for each further lane that prints") \
  X(latency_malloc, "cycle", "a warp's call of malloc by one lane, in the driver's own code, to the next instruction") \
  X(latency_malloc_first, "cycle", "added to the first call of a launch") \
  X(latency_malloc_lane, "cycle", "added for each further lane that allocates") \
  X(latency_malloc_lane_256, "cycle", "the same of 65 to 256 bytes") \
  X(latency_malloc_lane_1024, "cycle", "the same of 257 to 1,024 bytes") \
  X(latency_malloc_lane_4096, "cycle", "the same of 1,025 to 4,096 bytes") \
  X(latency_malloc_lane_16384, "cycle", "the same of 4,097 to 16,384 bytes") \
  X(latency_malloc_lane_65536, "cycle", "the same of more bytes") \
  X(interval_malloc_1024, "cycle", "between two calls that allocate 257 to 1,024 bytes, on all SMs together") \
  X(interval_malloc, "cycle", "between two calls of malloc by one lane on all SMs together") \
  X(interval_malloc_lane, "cycle", "added for each further lane that allocates") \
  X(latency_free, "cycle", "a warp's call of free by one lane, to the next instruction") \
  X(latency_free_lane, "cycle", "added for each further lane that frees") \
  /* Register file. */ \
  X(register_banks, "bank", "banks of a sub-core's register file; register r lies in bank r mod this") \
  X(register_reads_per_bank, "read/cycle", "registers a bank delivers each cycle") \
  /* The way to the memory unit. */ \
  X(mio_queue_entries, "instruction", "memory instructions of one sub-core that wait for the shared unit; one more stalls the warp") \
  X(adu_queue_entries, "instruction", "LDC, S2UR and BAR of one sub-core that wait; one more stalls the warp") \
  X(adu_shared_entries, "instruction", "those of all sub-cores between these queues and the unit that executes them") \
  X(latency_adu_queue, "cycle", "issue of LDC, S2UR or BAR to its place in the queue being free again, with nothing before it") \
  X(xu_queue_entries, "instruction", "MUFU and the like of one sub-core that wait or execute; one more stalls the warp") \
  X(latency_mio_queue, "cycle", "issue of a memory instruction to its place in the queue being free again, with nothing before it") \
  X(lsu_address_interval, "cycle", "between two LDG, STS and the like of one sub-core, at the address unit") \
  X(lsu_shared_address_interval, "cycle", "the same of LDS, ATOMS and SHFL") \
  X(lsu_store_address_interval, "cycle", "the same of STG") \
  X(lsu_copy_address_interval, "cycle", "the same of LDGSTS") \
  X(lsu_special_address_interval, "cycle", "the same of S2R") \
  X(lsu_copy_interval, "cycle", "between two LDGSTS of an SM, at the unit its sub-cores share, at the least") \
  X(latency_copy_extra, "cycle", "added to a load's latency until what LDGSTS has brought is in shared memory") \
  X(latency_copy_group, "cycle", "LDGDEPBAR, with no copy outstanding, to who waits for its group") \
  /* Warp groups and the copy engine. */ \
  X(latency_group_product, "cycle", "issue of a warp group's product, A in shared memory, to its beginning in an idle tensor unit") \
  X(latency_group_product_registers, "cycle", "the same with A in registers") \
  X(latency_group_done, "cycle", "end of a product in the tensor unit to who waits for it") \
  X(group_queue_entries, "instruction", "products of one sub-core that wait for its tensor unit; one more stalls the warp") \
  X(latency_bulk_read, "cycle", "issue of a copy or reduction by the copy engine to the release of the scoreboard that guards its operands") \
  X(latency_box, "cycle", "issue of a copy of one line, from the nearest slice of L2, until its mbarrier has been told") \
  X(latency_box_cluster, "cycle", "added to that of copies to several blocks") \
  X(latency_first_map, "cycle", "added to the first copy on an SM that reads a tensor map") \
  X(interval_box_request, "1/100 cycle", "between two lines that the copy engine asks L2 for, or rows of shorter ones") \
  X(interval_box_line, "1/100 cycle", "between two lines that copies bring to an SM's shared memory, or rows of shorter ones") \
  X(interval_stored_line, "1/100 cycle", "between two lines that the copy engine takes out of shared memory") \
  X(interval_added_line, "1/100 cycle", "the same of reductions") \
  X(latency_bulk_store, "cycle", "issue of a copy out of shared memory to who waits for its group, beyond the time of its lines") \
  X(latency_membar_copies, "cycle", "added to MEMBAR.GPU and wider ones on an SM whose copy engine was given copies since the last one") \
  X(latency_give_registers, "cycle", "USETMAXREG that gives registers up to who waits for it") \
  X(latency_take_registers, "cycle", "the same of one that takes registers which are there") \
  X(latency_far_arrival, "cycle", "issue of an arrival at another block's mbarrier until that has changed") \
  X(lsu_own_entries, "instruction", "loads of one sub-core between its address unit and the unit that sub-cores share") \
  X(lsu_load_entries, "instruction", "beyond these, LDG of all sub-cores before that unit") \
  X(lsu_shared_entries, "instruction", "the same of LDS and SHFL") \
  X(lsu_data_entries, "instruction", "between the unit that sub-cores share and the data of L1") \
  X(store_buffer_lines, "line", "stores of an SM whose flits wait to leave for L2 while later ones go on") \
  X(lsu_special_entries, "instruction", "S2R of one sub-core between its address unit and the unit that brings special registers") \
  X(lsu_store_entries, "instruction", "STG and STS of one sub-core between its address unit and the shared one") \
  X(store_merge_cycles, "cycle", "a store is sent with one to the same sectors while the unit stores, and so long after") \
  X(store_merge_lines, "line", "that were stored to last, whose stores others can be sent with") \
  X(lsu_shared_interval, "cycle", "between two memory instructions of an SM, at the unit its sub-cores share") \
  X(interval_special_register, "cycle", "between two S2R of an SM, at that unit") \
  X(interval_constant_load, "cycle", "between two LDC of an SM") \
  X(interval_special_uniform, "cycle", "the same of S2UR") \
  X(latency_mbarrier, "cycle", "SYNCS on an mbarrier, to the consumer") \
  X(interval_mbarrier, "cycle", "between two such SYNCS of an SM, at that unit") \
  X(interval_mbarrier_test, "cycle", "the same of SYNCS.PHASECHK") \
  /* Textures. A quad is four lanes side by side. */ \
  X(latency_texture, "cycle", "TEX that finds its texels in L1 to the consumer") \
  X(latency_texture_buffer, "cycle", "the same of a texture over linear memory, and of surfaces") \
  X(latency_texture_header, "cycle", "added to the first TEX of a texture on an SM") \
  X(texture_queue_entries, "instruction", "texture instructions of one sub-core that wait for the SM's texture unit") \
  X(interval_texture_quad, "1/100 cycle", "between two quads of an SM") \
  X(interval_texture_buffer_quad, "1/100 cycle", "the same of textures over linear memory, and of surfaces") \
  X(texture_bytes_per_cycle, "byte/cycle", "texels that are not filtered; of linear memory twice that") \
  X(texture_filter_bytes_per_cycle, "byte/cycle", "texels of 16 and 32 bits a channel that are filtered, one result of four of them a lane") \
  X(texture_tag_banks, "bank", "that each look up one cache line a cycle for a quad") \
  X(l1_tags_per_cycle, "tag/cycle", "cache lines looked up each cycle by one global access") \
  X(l1_bytes_per_cycle, "byte/cycle", "data L1 and shared memory deliver to the sub-cores of an SM, together") \
  X(return_bytes_per_cycle, "byte/cycle", "data one sub-core's register file accepts from loads") \
  X(latency_cluster_extra, "cycle", "added to an access to the shared memory of another block of the cluster") \
  X(interval_cluster_load, "1/100 cycle", "between two sectors of such loads, on the way between two SMs") \
  X(interval_cluster_store, "1/100 cycle", "the same of stores, for a whole sector or 16 bytes of another") \
  X(interval_cluster_atomic, "1/100 cycle", "the same of atomics, each time lanes meet on a word") \
  X(interval_cluster_target, "1/100 cycle", "the same of all that others access in an SM's shared memory") \
  X(shared_atomic_pass_cycles, "cycle", "for each further lane of an ATOMS at one address or bank") \
  /* L1 and L2, DRAM. */ \
  X(l1_bytes, "byte", "L1 and shared memory of an SM together; what blocks' shared memory leaves is L1") \
  X(l1_ways, "way", "associativity of L1") \
  X(sm_read_bytes_per_cycle, "byte/cycle", "data L2 delivers to one SM") \
  X(sm_write_bytes_per_cycle, "byte/cycle", "data one SM sends to L2") \
  X(l1_miss_interval, "cycle", "between two lines that L1 asks L2 for") \
  X(sm_outgoing_bytes, "byte", "of stores and atomics that L2 has not taken yet; more hold the SM's memory unit") \
  X(sm_leaving_passes, "pass", "over sectors in L2, of stores and atomics that have left the SM; a warp that has ended waits for its others") \
  X(sm_passing_passes, "pass", "over sectors in L2, of the last stores and atomics, for which what follows need not wait") \
  X(gpc_read_bytes_per_cycle, "byte/cycle", "data L2 delivers to the SMs of a GPC together") \
  X(gpc_join_cycles, "cycle", "after a request for a line, others of the GPC for it are answered with it") \
  X(cpc_sms, "SM", "of a GPC that share a way to L2") \
  X(cpc_whole_flits_per_kilocycle, "flit/1000 cycles", "of stores of whole sectors that these SMs send, one for each line and each sector") \
  X(cpc_partial_flits_per_kilocycle, "flit/1000 cycles", "the same of atomics, and of stores where some sector is not whole") \
  X(l2_whole_flits_per_kilocycle, "flit/1000 cycles", "of stores of whole sectors that all SMs send") \
  X(l2_partial_flits_per_kilocycle, "flit/1000 cycles", "the same of atomics, and of stores where some sector is not whole") \
  X(l2_far_flits_per_kilocycle, "flit/1000 cycles", "that come to one half of L2 from the other: sectors read, and what stores and atomics send") \
  X(l2_read_lines_per_kilocycle, "line/1000 cycles", "that all SMs read of L2, in part or whole") \
  X(l2_read_bytes_per_cycle, "byte/cycle", "data L2 delivers to all SMs") \
  X(l2_slices, "slice", "slices of L2, both halves together") \
  X(l2_ways, "way", "associativity of L2") \
  X(l2_slice_bytes_per_cycle, "byte/cycle", "data one slice reads") \
  X(l2_halves, "half", "parts of L2, each near to its share of the SMs (1: L2 is one)") \
  X(l2_atomic_interval, "1/100 cycle", "a slice needs for a pass over a 32-byte sector that changes all of it") \
  X(l2_atomic_half_interval, "1/100 cycle", "the same, of a part of it; each address counts once a pass") \
  X(l2_atomic_wide_interval, "1/100 cycle", "the same of additions of doubles, and of compare-and-swap, by several lanes") \
  X(l2_atomic_float_interval, "1/100 cycle", "from one pass of floating-point additions to the next over the same sector") \
  X(dram_channels, "channel", "independent memory channels") \
  X(dram_bytes_per_kilocycle, "byte/1000 cycles", "data all channels deliver together in 1000 SM cycles") \
  X(dram_spread_bytes, "byte", "of memory whose pieces lie in channels by chance; one piece: they take turns") \
  X(dram_refresh_interval, "cycles", "from one refresh of a bank to the next") \
  X(dram_region_bytes, "byte", "of memory whose lines lie in the same two banks of all channels") \
  X(dram_refresh_spread, "cycle", "from the first channel that refreshes a bank to the last") \
  X(dram_refresh_cycles, "cycle", "a bank transfers nothing while it refreshes") \
  X(dram_banks, "bank", "banks of a channel") \
  X(dram_access_bytes, "byte", "the least a channel transfers, and L2 takes") \
  X(dram_row_bytes, "byte", "data of an open row") \
  X(dram_row_cycles, "cycle", "a bank needs to open another row") \
  /* Front end. */ \
  X(instruction_line_bytes, "byte", "line of the instruction caches") \
  X(l0_instruction_bytes, "byte", "instruction cache of a sub-core") \
  X(l1_instruction_bytes, "byte", "instruction cache of an SM") \
  X(l1_instruction_ways, "line", "of a set of that, of which the one read longest ago makes room") \
  X(l15_instruction_bytes, "byte", "instruction and constant cache that the SMs of a GPC share") \
  X(instruction_prefetch_lines, "line", "lines after a missed one that are fetched with it") \
  X(latency_l0_instruction_miss, "cycle", "added to an issue whose line is in the SM's instruction cache only") \
  X(latency_l1_instruction_miss, "cycle", "added when it is in the GPC's cache only") \
  X(latency_l15_instruction_miss, "cycle", "added when it is in L2 only") \
  X(interval_l1_instruction_line, "cycle", "between two lines that the SM's instruction cache delivers") \
  X(interval_l15_instruction_line, "cycle", "between two lines that the GPC's cache delivers to an SM") \
  X(interval_l2_instruction_line, "cycle", "between two lines of code that L2 delivers to an SM") \
  X(interval_dram_instruction_line, "cycle", "the same when L2 lacks them") \
  X(interval_cpc_line, "1/100 cycle", "between two lines of code that the GPC's cache delivers to the SMs of a CPC") \
  X(interval_gpc_constant, "1/100 cycle", "between two lines of constants that it delivers to all of its SMs") \
  X(interval_first_fetch, "cycle", "between two warps of a sub-core that get the first code of a launch") \
  X(launch_instruction_bytes, "byte", "code from a kernel's start that is in the GPC's cache when it begins") \
  X(launch_l0_instruction_bytes, "byte", "the same in the sub-cores' caches") \
  X(constant_line_bytes, "byte", "line of the constant caches") \
  X(constant_fill_bytes, "byte", "of constants that L2 sends to the GPC's cache at a time") \
  X(immediate_constant_bytes, "byte", "cache of an SM for constants that are operands") \
  X(indexed_constant_bytes, "byte", "cache of an SM for constants that LDC reads") \
  X(constant_ways, "line", "lines of a set of it, and of the one for constants that ULDC reads at an address in a register") \
  X(latency_constant_miss, "cycle", "added to LDC by a constant that is in the GPC's cache only") \
  X(latency_operand_miss, "cycle", "the same for a constant that is an operand, the instruction's second issue included") \
  X(latency_constant_l15_miss, "cycle", "added by a constant that is in L2 only") \
  /* Launches. */ \
  X(sub_cores, "sub-core", "sub-cores of an SM") \
  X(gpcs, "GPC", "groups of SMs that share a cache for instructions and constants, and what L2 delivers") \
  X(tpc_sms, "SM", "of a GPC that are next to one another and get neighbouring blocks") \
  X(first_blocks_sms, "SM", "of one GPC that get the first blocks of a grid") \
  X(latency_launch, "cycle", "start of a launch to the first issue of its first block") \
  X(latency_launch_code, "cycle", "start of a launch's first block to the first code being in the GPC's cache") \
  X(latency_launch_far, "cycle", "the same, beyond the mean, in GPCs far from the half of L2 that holds the code; less, in the others") \
  X(latency_launch_constants, "cycle", "start of a launch's first block to the launch's constants being in the GPC's cache") \
  X(latency_launch_dispatched, "cycle", "last SM of a GPC getting its first block to the first code being in the GPC's cache, at the earliest") \
  X(launch_lines_ahead, "line", "of a kernel's code, the most that come to a GPC's cache before the first goes on to an SM") \
  X(interval_launch_line, "1/100 cycle", "what each of them takes, in the mean of the GPCs") \
  X(sm_start_cycles, "cycle", "an SM counts as active before the first of its warps") \
  X(latency_launch_end, "cycle", "end of the last warp to the end of the launch") \
  X(interval_gpc_block, "cycle", "from one first block of a GPC to the next, of one warp") \
  X(interval_gpc_large_block, "cycle", "the same of eight warps and more") \
  X(sm_block_start_interval, "cycle", "between the starts of two blocks on one SM, at least") \
  X(sm_block_start_cycles, "cycle", "the same besides the starts of the block's warps") \
  X(block_replacement_interval, "1/100 cycle", "between two ends of blocks that are noticed, so that others can begin") \
  X(cluster_start_interval, "1/100 cycle", "between the starts of two clusters of a grid") \
  X(latency_block_start, "cycle", "end of a block to the first issue of the block that takes its place") \
  X(warp_start_interval, "cycle", "between the first issues of two warps of a block in one SM") \
  /* Copies by the host. */ \
  X(copy_latency, "ns", "of a copy between pinned host memory and the device, however short") \
  X(copy_pageable_latency, "ns", "the same of pageable memory") \
  X(copy_device_latency, "ns", "the same within the device") \
  X(copy_pinned_rate, "MB/s", "of a copy between pinned host memory and the device") \
  X(copy_pageable_rate, "MB/s", "of a copy between pageable host memory and the device") \
  X(copy_device_rate, "MB/s", "of a copy within the device")
// clang-format on

struct Constants {
#define HEDDLE_TIMING_MEMBER(name, unit, meaning) std::uint32_t name = 0;
  HEDDLE_TIMING_CONSTANTS(HEDDLE_TIMING_MEMBER)
#undef HEDDLE_TIMING_MEMBER
};

struct ConstantInfo {
  std::string_view name, unit, meaning;
  std::uint32_t Constants::*member;
};

inline constexpr auto kConstants = std::to_array<ConstantInfo>({
#define HEDDLE_TIMING_INFO(name, unit, meaning) {#name, unit, meaning, &Constants::name},
    HEDDLE_TIMING_CONSTANTS(HEDDLE_TIMING_INFO)
#undef HEDDLE_TIMING_INFO
});

}  // namespace heddle::simulator::timing
