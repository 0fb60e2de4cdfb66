#!/usr/bin/env python3
"""make_ptx.py ARCH OUT: PTX with a kernel for each form of tcgen05, of what sm_100a, sm_103a and sm_110a have around it, and of
what else PTX ISA has got since 8.6 (newer_forms.py).

Each form is a file in the folder OUT, since an architecture may lack it: ptxas then refuses that file alone. The
kernels are for reading their code; they are not run.
"""

import pathlib
import sys

import newer_forms

CTA_GROUPS = (1, 2)
LOAD_SHAPES = {"32x32b": (1, 128), "16x64b": (1, 128), "16x128b": (2, 64), "16x256b": (4, 32), "16x32bx2": (1, 128)}
DENSE_KINDS = ("f16", "tf32", "f8f6f4", "i8")
SCALED_KINDS = {
    "mxf8f6f4": ("", ".scale_vec::1X", ".block32"),
    "mxf4": ("", ".scale_vec::2X", ".block32"),
    "mxf4nvf4": (".scale_vec::2X", ".scale_vec::4X", ".block16", ".block32"),
}
COLLECTOR_A = ("", ".collector::a::fill", ".collector::a::use", ".collector::a::lastuse", ".collector::a::discard")
COLLECTOR_B = [""] + [f".collector::b{n}::{use}" for n in range(4) for use in ("fill", "use", "lastuse", "discard")]


def registers(name, count):
    return "{" + ", ".join(f"%{name}{i}" for i in range(count)) + "}"


def repeats(most):
    count = 1
    while count <= most:
        yield count
        count *= 2


def loads_and_stores():
    """ld and st of tensor memory: all shapes and repeats."""
    for shape, (each, most) in LOAD_SHAPES.items():
        split = ", 24" if shape == "16x32bx2" else ""
        for count in repeats(most):
            data = registers("v", each * count)
            for pack in ("", ".pack::16b"):
                yield (f"ld_{shape}_{count}{pack[1:5]}",
                       [f"tcgen05.ld.sync.aligned.{shape}.x{count}{pack}.b32 {data}, [%t0]{split};",
                        "tcgen05.wait::ld.sync.aligned;"] + [f"st.volatile.global.b32 [%out], %v{i};" for i in range(each * count)])
            for unpack in ("", ".unpack::16b"):
                yield (f"st_{shape}_{count}{unpack[1:7]}",
                       [f"ld.volatile.global.b32 %v{i}, [%out];" for i in range(each * count)] +
                       [f"tcgen05.st.sync.aligned.{shape}.x{count}{unpack}.b32 [%t0]{split}, {data};",
                        "tcgen05.wait::st.sync.aligned;"])
    # Addresses: of the warp and of the thread, with an offset.
    for name, address in (("uniform", "%t0"), ("vector", "%x0")):
        for offset in (0, 4, 32, 0x100000, 0x1f0000):
            yield (f"ld_{name}_{offset}", [f"add.u32 {address}, {address}, {offset};",
                   f"tcgen05.ld.sync.aligned.32x32b.x2.b32 {{%v0, %v1}}, [{address}];",
                   "tcgen05.wait::ld.sync.aligned;", "st.global.v2.b32 [%out], {%v0, %v1};"])
            yield (f"st_{name}_{offset}", [f"add.u32 {address}, {address}, {offset};",
                   "ld.global.v2.b32 {%v0, %v1}, [%out];",
                   f"tcgen05.st.sync.aligned.32x32b.x2.b32 [{address}], {{%v0, %v1}};",
                   "tcgen05.wait::st.sync.aligned;"])
            yield (f"ldst_offset_{name}_{offset}", [
                   f"tcgen05.ld.sync.aligned.32x32b.x4.b32 {{%v0, %v1, %v2, %v3}}, [{address}+{offset}];",
                   "tcgen05.wait::ld.sync.aligned;",
                   f"tcgen05.st.sync.aligned.32x32b.x4.b32 [{address}+{offset + 64}], {{%v1, %v2, %v3, %v0}};",
                   "tcgen05.wait::st.sync.aligned;"])
    for split in (0, 1, 2, 32, 127, 128, 255, 65535):
        yield (f"split_{split}", [f"tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {{%v0}}, [%t0], {split};",
               "tcgen05.wait::ld.sync.aligned;",
               f"tcgen05.st.sync.aligned.16x32bx2.x1.b32 [%t1], {split}, {{%v0}};"])


def reductions():
    for shape in ("32x32b", "16x32bx2"):
        split = ", 24" if shape == "16x32bx2" else ""
        for operation in ("min", "max"):
            for kind in ("f32", "u32", "s32"):
                for flags in (("", ".abs", ".NaN", ".abs.NaN") if kind == "f32" else ("",)):
                    for count in repeats(128):
                        if count == 1 or (flags and count > 4):
                            continue
                        data = registers("v", count)
                        yield (f"ldred_{shape}_{operation}{flags.replace('.', '_')}_{kind}_{count}",
                               [f"tcgen05.ld.red.sync.aligned.{shape}.x{count}.{operation}{flags}.{kind} {data}, %w0, [%t0]{split};",
                                "tcgen05.wait::ld.sync.aligned;", "st.volatile.global.b32 [%out], %w0;"] +
                               [f"st.volatile.global.b32 [%out], %v{i};" for i in range(count)])


def allocation():
    for group in CTA_GROUPS:
        for columns in ("32", "64", "512", "%t1"):
            name = columns.strip("%")
            yield (f"alloc{group}_{name}", [f"tcgen05.alloc.cta_group::{group}.sync.aligned.shared::cta.b32 [%t0], {columns};"])
            yield (f"allocgen{group}_{name}", [f"tcgen05.alloc.cta_group::{group}.sync.aligned.b32 [%out], {columns};"])
            yield (f"dealloc{group}_{name}", [f"tcgen05.dealloc.cta_group::{group}.sync.aligned.b32 %t0, {columns};"])
            yield (f"allocx{group}_{name}", [f"tcgen05.alloc.cta_group::{group}.sync.aligned.shared::cta.b32 [%x0], {columns};",
                   f"ld.shared.b32 %x1, [%x0];", f"tcgen05.dealloc.cta_group::{group}.sync.aligned.b32 %x1, {columns};"])
        yield (f"relinquish{group}", [f"tcgen05.relinquish_alloc_permit.cta_group::{group}.sync.aligned;"])
        yield (f"shift{group}", [f"tcgen05.shift.cta_group::{group}.down [%t0];", f"tcgen05.shift.cta_group::{group}.down [%t2];"])
        yield (f"commit{group}", [
            f"tcgen05.commit.cta_group::{group}.mbarrier::arrive::one.b64 [%out];",
            f"tcgen05.commit.cta_group::{group}.mbarrier::arrive::one.shared::cluster.b64 [%t0];",
            f"tcgen05.commit.cta_group::{group}.mbarrier::arrive::one.shared::cluster.b64 [%x0];"])
        yield (f"commitm{group}", [
            f"cvt.u16.u32 %h0, %t1;",
            f"tcgen05.commit.cta_group::{group}.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%t0], %h0;",
            f"tcgen05.commit.cta_group::{group}.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%t2], %h0;"])
    yield ("fences", ["tcgen05.fence::before_thread_sync;", "bar.sync 0;", "tcgen05.fence::after_thread_sync;",
                      "tcgen05.wait::ld.sync.aligned;", "tcgen05.wait::st.sync.aligned;", "fence.proxy.async.shared::cta;",
                      "fence.mbarrier_init.release.cluster;", "barrier.cluster.arrive.aligned;", "barrier.cluster.wait.aligned;"])


def copies():
    for group in CTA_GROUPS:
        for shape in ("128x256b", "4x256b", "128x128b", "64x128b.warpx2::02_13", "64x128b.warpx2::01_23", "32x128b.warpx4"):
            for formats in ("", ".b8x16.b6x16_p32", ".b8x16.b4x16_p64"):
                name = (shape + formats).replace(".", "_").replace("::", "")
                yield (f"cp{group}_{name}", [f"tcgen05.cp.cta_group::{group}.{shape}{formats} [%t0], %d0;",
                                            f"tcgen05.cp.cta_group::{group}.{shape}{formats} [%t3], %d2;",
                                            f"tcgen05.cp.cta_group::{group}.{shape}{formats} [%x0], %d1;"])


def products():
    def sources(sparse, scaled, a):
        first = "%d0" if a == "desc" else "[%t1]"
        metadata = ", [%t2]" if sparse else ""
        scales = ", [%t4], [%t5]" if scaled else ""
        return f"[%t0], {first}, %d1{metadata}, %t3{scales}"

    for sparse in ("", ".sp"):
        for a in ("desc", "tmem"):
            for group in CTA_GROUPS:
                for kind in DENSE_KINDS:
                    base = f"tcgen05.mma{sparse}.cta_group::{group}.kind::{kind}"
                    name = f"mma{sparse[1:]}_{a}{group}_{kind}"
                    lanes = registers("m", 4 * group)
                    operands = sources(sparse, False, a)
                    for collector in COLLECTOR_A:
                        yield (f"{name}{collector.split('::')[-1]}", [f"{base}{collector} {operands}, %p0;"])
                        if a == "tmem" and collector in ("", ".collector::a::lastuse"):
                            yield (f"{name}_ashift{collector.split('::')[-1]}",
                                   [f"{base}.ashift{collector} {operands}, %p0;"])
                    yield (f"{name}_lanes", [f"{base} {operands}, {lanes}, %p0;"])
                    yield (f"{name}_true", [f"setp.eq.u32 %p0, 0, 0;", f"{base} {operands}, %p0;"])
                    yield (f"{name}_false", [f"setp.ne.u32 %p0, 0, 0;", f"{base} {operands}, %p0;"])
                    yield (f"{name}_not", [f"not.pred %p1, %p0;", f"{base} {operands}, %p1;", f"@%p0 {base} {operands}, %p1;"])
                    yield (f"{name}_twice", [f"{base} [%t5], {'%d2' if a == 'desc' else '[%t4]'}, %d0"
                                            f"{', [%t0]' if sparse else ''}, %t1, %p1;", f"{base} {operands}, %p0;",
                                            f"{base} [%t2], {'%d1' if a == 'desc' else '[%t3]'}, %d2"
                                            f"{', [%t5]' if sparse else ''}, %t4, %p2;"])
                    if kind in ("f16", "tf32"):
                        for scale in (0, 1, 7, 15):
                            yield (f"{name}_scale{scale}", [f"{base} {operands}, %p0, {scale};"])
                        yield (f"{name}_lanescale", [f"{base}.collector::a::fill {operands}, {lanes}, %p0, 3;"])
                for kind, sizes in SCALED_KINDS.items():
                    operands = sources(sparse, True, a)
                    for size in sizes:
                        base = f"tcgen05.mma{sparse}.cta_group::{group}.kind::{kind}.block_scale{size}"
                        name = f"mma{sparse[1:]}_{a}{group}_{kind}{size.replace('.', '_').replace('::', '')}"
                        for collector in COLLECTOR_A:
                            yield (f"{name}{collector.split('::')[-1]}", [f"{base}{collector} {operands}, %p0;"])
                        other = "%d2" if a == "desc" else "[%t4]"
                        metadata = ", [%t0]" if sparse else ""
                        yield (f"{name}_twice", [f"{base} [%t5], {other}, %d0{metadata}, %t1, [%t6], [%t7], %p1;",
                                                f"{base} {operands}, %p0;"])
            for kind in DENSE_KINDS:
                base = f"tcgen05.mma.ws{sparse}.cta_group::1.kind::{kind}"
                name = f"mmaws{sparse[1:]}_{a}_{kind}"
                operands = sources(sparse, False, a)
                for collector in COLLECTOR_B:
                    suffix = collector.replace(".collector::", "").replace("::", "")
                    yield (f"{name}{suffix}", [f"{base}{collector} {operands}, %p0;"])
                    if collector in ("", ".collector::b2::fill"):
                        yield (f"{name}_mask{suffix}", [f"{base}{collector} {operands}, %p0, %d2;"])


def around():
    """What kernels of tensor memory have besides: copies of pairs of blocks, gathers, work stealing, wide accesses."""
    def tensor(dims):
        return "{" + ", ".join(f"%x{i}" for i in range(dims)) + "}"

    barrier = "mbarrier::complete_tx::bytes"
    for group in ("", ".cta_group::1", ".cta_group::2"):
        tag = group[-1:] if group else ""
        for dims in range(1, 6):
            for multicast in ("", ".multicast::cluster"):
                for hint in ("", ".L2::cache_hint"):
                    mask = ", %h0" if multicast else ""
                    policy = ", %d3" if hint else ""
                    yield (f"tma{tag}_{dims}{multicast[1:3]}{hint[4:7]}".replace("::", ""), [
                        "cvt.u16.u32 %h0, %t1;",
                        f"cp.async.bulk.tensor.{dims}d.shared::cluster.global.tile.{barrier}{multicast}{group}{hint} "
                        f"[%t0], [%d0, {tensor(dims)}], [%t2]{mask}{policy};"])
                    if dims >= 3:
                        offsets = "{" + ", ".join(["%h1", "%h2", "%h3"][: dims - 2]) + "}"
                        yield (f"im2col{tag}_{dims}{multicast[1:3]}{hint[4:7]}", [
                            "cvt.u16.u32 %h0, %t1;", "cvt.u16.u32 %h1, %t3;", "cvt.u16.u32 %h2, %t4;", "cvt.u16.u32 %h3, %t5;",
                            f"cp.async.bulk.tensor.{dims}d.shared::cluster.global.im2col.{barrier}{multicast}{group}{hint} "
                            f"[%t0], [%d0, {tensor(dims)}], [%t2], {offsets}{mask}{policy};"])
                        for wide in ("im2col::w", "im2col::w::128"):
                            yield (f"{wide.replace('::', '')}{tag}_{dims}{multicast[1:3]}{hint[4:7]}", [
                                "cvt.u16.u32 %h0, %t1;", "cvt.u16.u32 %h1, %t3;", "cvt.u16.u32 %h2, %t4;",
                                f"cp.async.bulk.tensor.{dims}d.shared::cluster.global.{wide}.{barrier}{multicast}{group}{hint} "
                                f"[%t0], [%d0, {tensor(dims)}], [%t2], {{%h1, %h2}}{mask}{policy};"])
        for multicast in ("", ".multicast::cluster"):
            mask = ", %h0" if multicast else ""
            yield (f"gather{tag}{multicast[1:3]}", ["cvt.u16.u32 %h0, %t1;",
                f"cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.{barrier}{multicast}{group} "
                f"[%t0], [%d0, {tensor(5)}], [%t2]{mask};",
                f"cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.{barrier}{multicast}{group}.L2::cache_hint "
                f"[%t0], [%d0, {tensor(5)}], [%t2]{mask}, %d3;"])
    yield ("scatter", [f"cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%d0, {tensor(5)}], [%t0];",
                       "cp.async.bulk.commit_group;", "cp.async.bulk.wait_group.read 0;"])
    yield ("prefetch_gather", [f"cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 [%d0, {tensor(5)}];"])
    for wide in ("im2col::w", "im2col::w::128"):
        yield (f"prefetch_{wide.replace('::', '')}", ["cvt.u16.u32 %h1, %t3;", "cvt.u16.u32 %h2, %t4;",
               f"cp.async.bulk.prefetch.tensor.3d.L2.global.{wide} [%d0, {tensor(3)}], {{%h1, %h2}};"])
    yield ("store_im2col", [f"cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%d0, {tensor(3)}], [%t0];"])
    yield ("bulk_shared", [f"cp.async.bulk.shared::cta.global.{barrier} [%t0], [%out], %t1, [%t2];"])
    yield ("bulk_shared_tensor", [f"cp.async.bulk.tensor.2d.shared::cta.global.tile.{barrier} [%t0], [%d0, {tensor(2)}], [%t2];"])
    yield ("bulk_mask", ["cvt.u16.u32 %h0, %t3;",
           "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%out], [%t0], 16, %h0;"])
    yield ("cancel", [f"clusterlaunchcontrol.try_cancel.async.shared::cta.{barrier}.b128 [%t0], [%t2];",
                      f"clusterlaunchcontrol.try_cancel.async.shared::cta.{barrier}.multicast::cluster::all.b128 [%t0], [%t2];"])
    yield ("query", [".reg .b128 %handle;", "ld.shared.b128 %handle, [%t0];",
                     "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p0, %handle;",
                     "@%p0 clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%v0, %v1, %v2, %v3}, %handle;",
                     "st.global.v4.b32 [%out], {%v0, %v1, %v2, %v3};"])
    yield ("bulk_zero", ["st.bulk.weak.shared::cta [%t0], %d1, 0;"])
    yield ("setmaxnreg", ["setmaxnreg.dec.sync.aligned.u32 24;", "bar.sync 0;", "setmaxnreg.inc.sync.aligned.u32 232;"])
    yield ("elect", ["elect.sync _|%p0, 0xffffffff;", "@%p0 st.global.b32 [%out], %t0;"])
    yield ("mbarrier", ["mbarrier.init.shared::cta.b64 [%t0], %t1;", "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%t0], %t2;",
                        "mbarrier.try_wait.parity.shared::cta.b64 %p0, [%t0], %t3;", "@%p0 st.global.b32 [%out], %t0;",
                        "mapa.shared::cluster.u32 %v0, %t0, 0;",
                        "mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [%v0], 64;",
                        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%v0];",
                        "and.b32 %v0, %t0, 0xfeffffff;",
                        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%v0];"])
    for size, shape in (("b8", "m16n16"), ("b8x16.b6x16_p32", "m16n16"), ("b8x16.b4x16_p64", "m16n16")):
        for count in (1, 2):
            yield (f"ldmatrix_{size.replace('.', '_')}_{count}", [
                f"ldmatrix.sync.aligned.{shape}.x{count}.trans.shared.{size} {registers('v', 2 * count)}, [%x0];"] +
                [f"st.volatile.global.b32 [%out], %v{i};" for i in range(2 * count)])
    for size in ("b8x16.b6x16_p32", "b8x16.b4x16_p64"):
        for count in (1, 2, 4):
            yield (f"ldmatrix8_{size.replace('.', '_')}_{count}", [
                f"ldmatrix.sync.aligned.m8n16.x{count}.shared.{size} {registers('v', count)}, [%x0];"] +
                [f"st.volatile.global.b32 [%out], %v{i};" for i in range(count)])
    for count in (1, 2, 4):
        yield (f"stmatrix_{count}", [f"stmatrix.sync.aligned.m16n8.x{count}.trans.shared.b8 [%x0], {registers('w', count)};"])
    for space in ("ld", "st"):
        for kind, vector in (("b32", 8), ("b64", 4), ("f32", 8)):
            name = {"b32": "v", "b64": "q", "f32": "f"}[kind]
            values = registers(name, vector)
            access = f"ld.global.v{vector}.{kind} {values}, [%out];", f"st.global.v{vector}.{kind} [%out+4096], {values};"
            yield (f"wide_{space}_{kind}", list(access))
    for hint in (".L1::no_allocate", ".L1::evict_last", ".L2::evict_last", ".L2::evict_first", ".L1::evict_last.L2::evict_first",
                 ".L2::evict_normal", ".L2::evict_last.L2::256B"):
        yield (f"wide_hint{hint.replace('.', '_').replace('::', '')}", [
            f"ld.global{hint}.v8.b32 {registers('v', 8)}, [%out];",
            f"st.global{hint.replace('.L2::256B', '')}.v8.b32 [%out+64], {registers('v', 8)};"])
    yield ("nc256", [f"ld.global.nc.v8.b32 {registers('v', 8)}, [%out];",
                     f"st.global.v4.b32 [%out+64], {registers('v', 4)};"] + [f"st.volatile.global.b32 [%out], %v{i};" for i in range(8)])
    for operation in ("min", "max"):
        for flags in ("", ".abs", ".NaN", ".abs.NaN"):
            yield (f"redux_{operation}{flags.replace('.', '')}", [
                "mov.b32 %f0, %x0;", f"redux.sync.{operation}{flags}.f32 %f1, %f0, 0xffffffff;", "st.global.f32 [%out], %f1;"])
    for destination in ("e2m1x2", "e2m3x2", "e3m2x2"):
        holder = "%b0" if destination == "e2m1x2" else "%h0"
        for relu in ("", ".relu"):
            yield (f"cvt_{destination}{relu[1:]}", [".reg .b8 %b0;", "mov.b32 %f0, %x0;", "mov.b32 %f1, %x1;",
                   f"cvt.rn.satfinite{relu}.{destination}.f32 {holder}, %f0, %f1;",
                   f"st.global.{'b8' if holder == '%b0' else 'b16'} [%out], {holder};"])
            yield (f"cvtback_{destination}{relu[1:]}", [".reg .b8 %b0;", "ld.global.b16 %h0, [%out];",
                   *(["cvt.u8.u16 %b0, %h0;"] if holder == "%b0" else []),
                   f"cvt.rn{relu}.f16x2.{destination} %v0, {holder};", "st.global.b32 [%out], %v0;"])
    for rounding in ("rz", "rp"):
        yield (f"cvt_ue8m0_{rounding}", ["mov.b32 %f0, %x0;", "mov.b32 %f1, %x1;",
               f"cvt.{rounding}.satfinite.ue8m0x2.f32 %h0, %f0, %f1;", f"cvt.{rounding}.satfinite.ue8m0x2.bf16x2 %h1, %x2;",
               "cvt.rn.bf16x2.ue8m0x2 %v0, %h0;", "st.global.b16 [%out], %h0;", "st.global.b16 [%out+8], %h1;",
               "st.global.b32 [%out+16], %v0;"])
    for destination, sources, count in (("f16x2", "%f0, %f1", 2), ("bf16x2", "%f0, %f1", 2)):
        for flags in ("", ".relu", ".satfinite", ".relu.satfinite"):
            yield (f"cvt_rs_{destination}{flags.replace('.', '')}", ["mov.b32 %f0, %x0;", "mov.b32 %f1, %x1;",
                   f"cvt.rs{flags}.{destination}.f32 %v0, {sources}, %x2;", "st.global.b32 [%out], %v0;"])
    for destination in ("e4m3x4", "e5m2x4", "e2m3x4", "e3m2x4", "e2m1x4"):
        holder, size = ("%h0", "b16") if destination == "e2m1x4" else ("%v0", "b32")
        for relu in ("", ".relu"):
            yield (f"cvt_rs_{destination}{relu[1:]}", [f"mov.b32 %f{i}, %x{i};" for i in range(4)] +
                   [f"cvt.rs{relu}.satfinite.{destination}.f32 {holder}, {{%f0, %f1, %f2, %f3}}, %x4;",
                    f"st.global.{size} [%out], {holder};"])
    for operation in ("add", "min", "max"):
        for kind, vector in (("f16x2", 4), ("bf16x2", 4), ("e4m3x4", 4), ("e5m2x4", 4), ("f32", 4), ("u32", 1), ("s64", 1)):
            if kind == "f32" and operation != "add":
                continue
            for more in ("", ".acc::f32", ".acc::f16"):
                suffix = f".v{vector}" if vector > 1 else ""
                value = registers("f" if kind == "f32" else "v", vector) if vector > 1 else ("%q0" if kind == "s64" else "%v0")
                stores = (f"st.global.v4.{'f32' if kind == 'f32' else 'b32'} [%out], {value};" if vector > 1 else
                          f"st.global.{'b64' if kind == 's64' else 'b32'} [%out], {value};")
                yield (f"multimem_{operation}_{kind}{more.replace('.', '').replace('::', '')}", [
                    f"multimem.ld_reduce.relaxed.gpu.global.{operation}{more}{suffix}.{kind} {value}, [%out];", stores])
                if not more:
                    kind_of_red = kind
                    yield (f"multimemred_{operation}_{kind}", [
                        f"ld.global{'.v4' if vector > 1 else ''}.{'f32' if kind == 'f32' else 'b64' if kind == 's64' else 'b32'} {value}, [%out];",
                        f"multimem.red.relaxed.gpu.global.{operation}{suffix}.{kind_of_red} [%out], {value};"])
    for kind in ("e4m3x4", "e5m2x4", "f16x2", "f32"):
        value = registers("f" if kind == "f32" else "v", 4)
        yield (f"multimemst_{kind}", [f"ld.global.v4.{'f32' if kind == 'f32' else 'b32'} {value}, [%out];",
                                      f"multimem.st.relaxed.gpu.global.v4.{kind} [%out], {value};"])
    yield ("tensormap", ["tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%t0], %d1;",
                         "tensormap.replace.tile.swizzle_atomicity.shared::cta.b1024.b32 [%t0], 2;",
                         "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%out], [%t0], 128;",
                         "fence.proxy.tensormap::generic.acquire.gpu [%out], 128;"])


HEADS = """.version {version}
.target {arch}
.address_size 64
.visible .entry {name}(.param .u64 out, .param .align 16 .b8 words[64], .param .align 16 .b8 doubles[64])
.reqntid 128
{{
  .reg .b64 %out, %d<4>, %q<4>; .reg .b32 %t<8>, %x<8>, %m<8>, %v<128>, %w<4>; .reg .f32 %f<8>;
  .reg .b16 %h<4>; .reg .pred %p<4>;
  ld.param.u64 %out, [out];
"""


def text_of(name, arch, lines):
    body = "\n".join(lines)
    head = HEADS.format(version="9.0", arch=arch, name=name)
    for i in range(8):
        if f"%t{i}" in body or "%m" in body:
            head += f"  ld.param.u32 %t{i}, [words+{4 * i}];\n"
    for i in range(4):
        if f"%d{i}" in body:
            head += f"  ld.param.u64 %d{i}, [doubles+{8 * i}];\n"
    for i in range(8):
        if f"%m{i}" in body:
            head += f"  add.u32 %m{i}, %t{i}, {i + 1};\n"
        if f"%x{i}" in body:
            head += f"  ld.global.b32 %x{i}, [%out+{128 + 4 * i}];\n"
    for i in range(3):
        if f"%p{i}" in body:
            head += f"  .reg .b32 %y{i}; ld.param.u32 %y{i}, [words+{32 + 4 * i}]; setp.ne.u32 %p{i}, %y{i}, 0;\n"
    return head + "".join(f"  {line}\n" for line in lines) + "  ret;\n}\n"


def forms():
    for part in (loads_and_stores, reductions, allocation, copies, products, around, newer_forms.forms):
        yield from part()


def main():
    arch, out = sys.argv[1], pathlib.Path(sys.argv[2])
    for name, lines in forms():
        kernel = "k_" + name.replace(":", "").replace(".", "_").replace("-", "_")
        (out / f"{kernel}.ptx").write_text(text_of(kernel, arch, lines))


if __name__ == "__main__":
    main()
