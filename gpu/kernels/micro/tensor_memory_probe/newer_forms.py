"""What PTX ISA 8.6 to 9.0 has for sm_100 to sm_121 besides tensor memory, and older instructions with what they got there.

Each function yields (name, lines) as those of make_ptx.py do.
"""

import itertools


def registers(name, count):
    return "{" + ", ".join(f"%{name}{i}" for i in range(count)) + "}"


def keep(value, kind="b32"):
    return f"st.volatile.global.{kind} [%out], {value};"


def floats():
    """Pairs of floats, mixed precision, three operands."""
    load = ["ld.global.v2.b64 {%q0, %q1}, [%out];", "ld.global.b64 %q2, [%out+16];"]
    for rounding, flush in itertools.product(("", ".rn", ".rz", ".rm", ".rp"), ("", ".ftz")):
        for operation in ("add", "mul"):
            yield (f"{operation}{rounding}{flush}_f32x2_others", [
                *load, "mov.b64 %q1, 0x3fc000003fc00000;", "mov.b64 %q2, {%x0, %x0};", "mov.b64 {%v0, %v1}, %q0;", "mov.b64 %q3, {%v1, %v0};",
                f"{operation}{rounding}{flush}.f32x2 %q3, %q0, %q3;", f"{operation}{rounding}{flush}.f32x2 %q3, %q3, %q1;",
                f"{operation}{rounding}{flush}.f32x2 %q3, %q3, %q2;", f"{operation}{rounding}{flush}.f32x2 %q3, %q3, %d1;", keep("%q3", "b64")])
        for operation in ("add", "sub", "mul"):
            yield (f"{operation}{rounding}{flush}_f32x2", [*load, f"{operation}{rounding}{flush}.f32x2 %q3, %q0, %q1;", keep("%q3", "b64")])
        if rounding:
            yield (f"fma{rounding}{flush}_f32x2", [*load, f"fma{rounding}{flush}.f32x2 %q3, %q0, %q1, %q2;", keep("%q3", "b64")])
            yield (f"fma{rounding}{flush}_f32x2_broadcast", [
                *load, "mov.b64 %q1, {%x0, %x0};", f"fma{rounding}{flush}.f32x2 %q3, %q0, %q1, %q2;", keep("%q3", "b64")])
            yield (f"fma{rounding}{flush}_f32x2_uniform", [
                *load, "mov.b64 %q1, {%t0, %t0};", f"fma{rounding}{flush}.f32x2 %q3, %q0, %q1, %d0;", keep("%q3", "b64")])
            yield (f"fma{rounding}{flush}_f32x2_swapped", [
                *load, "mov.b64 {%v0, %v1}, %q0;", "mov.b64 %q1, {%v1, %v0};",
                f"fma{rounding}{flush}.f32x2 %q3, %q0, %q1, %q2;", keep("%q3", "b64")])
            yield (f"fma{rounding}{flush}_f32x2_constant", [
                *load, "mov.b64 %q1, 0x3fc000003fc00000;", f"fma{rounding}{flush}.f32x2 %q3, %q0, %q1, %q2;", keep("%q3", "b64")])
    half = ["ld.global.b16 %h0, [%out];", "ld.global.b16 %h1, [%out+2];", "ld.global.f32 %f0, [%out+4];"]
    for kind, rounding, saturate in itertools.product(("f16", "bf16"), ("", ".rn", ".rz", ".rm", ".rp"), ("", ".sat")):
        for operation in ("add", "sub"):
            yield (f"{operation}{rounding}{saturate}_f32_{kind}", [*half, f"{operation}{rounding}{saturate}.f32.{kind} %f1, %h0, %f0;",
                                                                  keep("%f1", "f32")])
        if rounding:
            yield (f"fma{rounding}{saturate}_f32_{kind}_negated", [
                *half, f"neg.{kind} %h1, %h1;", "abs.f32 %f0, %f0;", f"fma{rounding}{saturate}.f32.{kind} %f1, %h0, %h1, %f0;",
                f"neg.{kind} %h0, %h0;", f"add{rounding}{saturate}.f32.{kind} %f1, %h0, %f1;", keep("%f1", "f32")])
            yield (f"fma{rounding}{saturate}_f32_{kind}", [*half, f"fma{rounding}{saturate}.f32.{kind} %f1, %h0, %h1, %f0;",
                                                          keep("%f1", "f32")])
    high = ["ld.global.b32 %v0, [%out];", "ld.global.b32 %v1, [%out+8];", "ld.global.f32 %f0, [%out+4];", "mov.b32 {%h0, %h1}, %v0;",
            "mov.b32 {%h2, %h3}, %v1;"]
    for kind in ("f16", "bf16"):
        for a, b in (("%h0", "%h3"), ("%h1", "%h2"), ("%h1", "%h3")):
            yield (f"fma_f32_{kind}_{a[1:]}{b[1:]}", [*high, f"fma.rn.f32.{kind} %f1, {a}, {b}, %f0;", keep("%f1", "f32"),
                                                     f"add.f32.{kind} %f1, {a}, %f1;", keep("%f1", "f32"),
                                                     f"sub.f32.{kind} %f1, {b}, %f1;", keep("%f1", "f32"),
                                                     f"fma.rn.f32.{kind} %f1, {a}, {b}, 0f3fc00000;", keep("%f1", "f32")])
    three = [f"mov.b32 %f{i}, %x{i};" for i in range(3)]
    for operation, flush, nan, absolute in itertools.product(("min", "max"), ("", ".ftz"), ("", ".NaN"), ("", ".abs")):
        name = f"{operation}{flush}{nan}{absolute}"
        yield (f"{name}_f32_3", [*three, f"{name}.f32 %f3, %f0, %f1, %f2;", keep("%f3", "f32")])
        yield (f"{name}_f32_3_negated", [*three, "neg.f32 %f1, %f1;", f"{name}.f32 %f3, %f0, %f1, 0f3fc00000;", keep("%f3", "f32")])
        xorsign = ".xorsign.abs" if absolute else ""
        yield (f"{operation}{flush}{nan}{xorsign}_f32_2", [*three, f"{operation}{flush}{nan}{xorsign}.f32 %f3, %f0, %f1;", keep("%f3", "f32")])
    for kind in ("f16x2", "bf16x2"):
        for operation in ("min", "max"):
            for flags in ("", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"):
                yield (f"{operation}{flags}_{kind}", [f"{operation}{flags}.{kind} %v0, %x0, %x1;", keep("%v0"),
                                                      f"{operation}{flags}.{kind} %v0, %v0, %x2;", keep("%v0")])
        for relu in ("", ".relu"):
            yield (f"fma_oob{relu}_{kind}", [f"fma.rn.oob{relu}.{kind} %v0, %x0, %x1, %x2;", keep("%v0")])
    for operation in ("min", "max"):
        for kind in ("u16x2", "s16x2", "s16x2.relu", "u32", "s32", "s32.relu"):
            base, relu = kind.split(".") if "." in kind else (kind, "")
            full = f"{operation}{'.relu' if relu else ''}.{base}"
            yield (f"{full}_3", [f"{full} %v0, %x0, %x1;", f"{full} %v1, %v0, %x2;", keep("%v1")])
        for kind in ("s64", "u64"):
            yield (f"{operation}_{kind}", [*load, f"{operation}.{kind} %q3, %q0, %q1;", keep("%q3", "b64"),
                                           f"{operation}.{kind} %q3, %q3, 77;", keep("%q3", "b64"),
                                           f"{operation}.{kind} %q3, %d0, %d1;", keep("%q3", "b64")])


def wide_accesses():
    """Accesses of 32 bytes: orders, priorities, policies, parts that are not read or written."""
    value = registers("v", 8)
    quad = registers("q", 4)
    for semantics in ("", ".weak", ".volatile", ".relaxed.cta", ".relaxed.gpu", ".relaxed.sys", ".acquire.gpu", ".acquire.cluster"):
        store = semantics.replace("acquire", "release")
        for kind, values in (("v8.b32", value), ("v4.b64", quad), ("v4.f64", quad), ("v4.u64", quad)):
            tag = kind.replace(".", "")
            yield (f"wide{semantics.replace('.', '')}_{tag}", [
                f"ld{semantics}.global.{kind} {values}, [%out+32];".replace("f64", "b64"),
                f"st{store}.global.{kind} [%out+64], {values};".replace("f64", "b64")])
            yield (f"widegeneric{semantics.replace('.', '')}_{tag}", [
                f"ld{semantics}.{kind} {values}, [%out+32];".replace("f64", "b64"),
                f"st{store}.{kind} [%out+64], {values};".replace("f64", "b64")])
    for space in ("local", "shared", "const", "param"):
        yield (f"wide_{space}", [f"ld.{space}.v8.b32 {value}, [%t0];", f"st.global.v8.b32 [%out], {value};"])
    firsts = ("", ".L1::evict_normal", ".L1::evict_unchanged", ".L1::evict_first", ".L1::evict_last", ".L1::no_allocate")
    seconds = ("", ".L2::evict_normal", ".L2::evict_first", ".L2::evict_last")
    for first, second, hint, prefetch, constant in itertools.product(firsts, seconds, ("", ".L2::cache_hint"), ("", ".L2::128B"), ("", ".nc")):
        if second and hint:
            continue
        name = f"{first}{second}{hint}{prefetch}{constant}".replace(".", "").replace("::", "")
        policy = ", %d3" if hint else ""
        lines = [f"ld.global{constant}{first}{second}{hint}{prefetch}.v8.b32 {value}, [%out]{policy};"]
        if not prefetch and not constant:
            lines.append(f"st.global{first}{second}{hint}.v8.b32 [%out+64], {value}{policy};")
        else:
            lines.extend(keep(f"%v{i}") for i in range(8))
        yield (f"widehint_{name}", lines)
    for missing in ((0,), (7,), (0, 1), (2, 3), (4, 5, 6, 7), (0, 1, 2, 3), (1, 3, 5, 7), (0, 1, 2, 3, 4, 5, 6)):
        some = "{" + ", ".join("_" if i in missing else f"%v{i}" for i in range(8)) + "}"
        tag = "".join(map(str, missing))
        kept = [keep(f"%v{i}") for i in range(8) if i not in missing]
        yield (f"widesink_{tag}", [f"ld.global.v8.b32 {some}, [%out];", *kept])
        yield (f"widesinknc_{tag}", [f"ld.global.nc.v8.b32 {some}, [%out];", *kept])
        yield (f"widesinkstore_{tag}", [f"ld.global.v8.b32 {value}, [%out];", f"st.global.v8.b32 [%out+64], {some};"])
        if len(missing) < 4:
            quads = "{" + ", ".join("_" if i in missing else f"%q{i}" for i in range(4)) + "}"
            yield (f"widesink64_{tag}", [f"ld.global.v4.b64 {quads}, [%out];",
                                         *[keep(f"%q{i}", "b64") for i in range(4) if i not in missing]])
    yield ("wide_constant_store", ["st.global.v8.b32 [%out], {0, 0, 0, 0, 0, 0, 0, 0};", "st.global.v4.b64 [%out+32], {0, 1, 0, 2};"])
    yield ("wide_predicated", [f"@%p0 ld.global.v8.b32 {value}, [%out];", f"@!%p1 st.global.v8.b32 [%out+64], {value};"])
    yield ("wide_offset", ["cvt.u64.u32 %q0, %x0;", "add.u64 %q0, %q0, %d0;", f"ld.global.v8.b32 {value}, [%q0+0x7fffe0];",
                           f"st.global.v8.b32 [%q0+-64], {value};", f"ld.global.v8.b32 {value}, [%d1+64];",
                           f"st.global.v8.b32 [%d2+-0x1000], {value};"])
    yield ("wide_unified", [f"ld.global.v8.b32 {value}, [%d1].unified;", f"st.global.v8.b32 [%d2], {value};"])


def matrices():
    """LDSM and STSM of bytes and of narrow numbers, at addresses of each kind."""
    formats = [("m16n16", n, ".trans", ".b8", 2) for n in (1, 2)]
    formats += [("m16n16", n, ".trans", f".b8x16.{f}", 2) for n in (1, 2) for f in ("b6x16_p32", "b4x16_p64")]
    formats += [("m8n16", n, "", f".b8x16.{f}", 1) for n in (1, 2, 4) for f in ("b6x16_p32", "b4x16_p64")]
    formats += [("m8n8", n, t, ".b16", 1) for n in (1, 2, 4) for t in ("", ".trans")]
    for shape, count, transposed, kind, each in formats:
        value = registers("v", count * each)
        tag = f"{shape}_{count}{transposed}{kind}".replace(".", "_")
        for where, address in (("vector", "[%x0]"), ("offset", "[%x0+48]"), ("uniform", "[%t0]"), ("generic", "[%out]"), ("sum", "[%v9+16]")):
            space = "" if where == "generic" else ".shared"
            lines = ["add.u32 %v9, %x0, %t1;"] if where == "sum" else []
            yield (f"ldsm_{tag}_{where}", [*lines, f"ldmatrix.sync.aligned.{shape}.x{count}{transposed}{space}{kind} {value}, {address};"] +
                   [keep(f"%v{i}") for i in range(count * each)])
    for shape, transposed, kind in (("m16n8", ".trans", ".b8"), ("m8n8", "", ".b16"), ("m8n8", ".trans", ".b16")):
        for count in (1, 2, 4):
            value = "{" + ", ".join(f"%x{i + 1}" for i in range(count)) + "}"
            for where, address in (("vector", "[%x0]"), ("offset", "[%x0+48]"), ("uniform", "[%t0]"), ("generic", "[%out]")):
                space = "" if where == "generic" else ".shared"
                yield (f"stsm_{shape}_{count}{transposed}{kind}_{where}".replace(".", "_"),
                       [f"stmatrix.sync.aligned.{shape}.x{count}{transposed}{space}{kind} {address}, {value};"])


def conversions():
    """Floats of eight, six and four bits and exponents alone; random bits; from registers, immediates and halves of registers."""
    pair = ["mov.b32 %f0, %x0;", "mov.b32 %f1, %x1;"]
    narrow = {"e4m3": "%h0", "e5m2": "%h0", "e2m3": "%h0", "e3m2": "%h0", "e2m1": "%b0"}
    for kind, holder in narrow.items():
        store = keep(holder, "b8" if holder == "%b0" else "b16")
        byte = [".reg .b8 %b<4>;"]
        for relu in ("", ".relu"):
            name = f"{kind}{relu[1:]}"
            yield (f"to_{name}", [*byte, *pair, f"cvt.rn.satfinite{relu}.{kind}x2.f32 {holder}, %f0, %f1;", store])
            yield (f"to_{name}_constant", [*byte, *pair, f"cvt.rn.satfinite{relu}.{kind}x2.f32 {holder}, %f0, 0f3fc00000;", store])
            yield (f"to_{name}_zero", [*byte, *pair, f"cvt.rn.satfinite{relu}.{kind}x2.f32 {holder}, 0f00000000, %f1;", store])
            yield (f"to_{name}_negated", [*byte, *pair, "neg.f32 %f0, %f0;", "abs.f32 %f1, %f1;",
                                          f"cvt.rn.satfinite{relu}.{kind}x2.f32 {holder}, %f0, %f1;", store])
            yield (f"to_{name}_uniform", [*byte, "mov.b32 %f0, %t0;", "mov.b32 %f1, %t1;",
                                          f"cvt.rn.satfinite{relu}.{kind}x2.f32 {holder}, %f0, %f1;", store])
            yield (f"to_{name}_two", [".reg .b16 %g<2>;", *byte, *pair, "mov.b32 %f2, %x2;", "mov.b32 %f3, %x3;"] + (
                [f"cvt.rn.satfinite{relu}.{kind}x2.f32 %b0, %f0, %f1;", f"cvt.rn.satfinite{relu}.{kind}x2.f32 %b1, %f2, %f3;",
                 "mov.b32 %v0, {%b0, %b1, %b0, %b1};"] if holder == "%b0" else
                [f"cvt.rn.satfinite{relu}.{kind}x2.f32 %g0, %f0, %f1;", f"cvt.rn.satfinite{relu}.{kind}x2.f32 %g1, %f2, %f3;",
                 "mov.b32 %v0, {%g0, %g1};"]) + [keep("%v0")])
            for source in ("f16x2", "bf16x2"):
                yield (f"to_{name}_{source}", [*byte, f"cvt.rn.satfinite{relu}.{kind}x2.{source} {holder}, %x0;", store])
            load = [*byte, "ld.global.b16 %h0, [%out];", *(["cvt.u8.u16 %b0, %h0;"] if holder == "%b0" else [])]
            yield (f"from_{name}", [*load, f"cvt.rn{relu}.f16x2.{kind}x2 %v0, {holder};", keep("%v0")])
            if holder == "%b0":
                yield (f"from_{name}_parts", [*byte, "mov.b32 {%b0, %b1, %b2, %b3}, %x0;"] + [
                    line for i in range(4) for line in (f"cvt.rn{relu}.f16x2.{kind}x2 %v{i}, %b{i};", keep(f"%v{i}"))])
            else:
                yield (f"from_{name}_parts", [*byte, "mov.b32 {%h0, %h1}, %x0;"] + [
                    line for i in range(2) for line in (f"cvt.rn{relu}.f16x2.{kind}x2 %v{i}, %h{i};", keep(f"%v{i}"))])
            yield (f"from_{name}_uniform", [*byte, "mov.b32 {%h0, %h1}, %t0;", "mov.b32 {%b0, %b1, %b2, %b3}, %t0;",
                                            f"cvt.rn{relu}.f16x2.{kind}x2 %v0, {holder};", keep("%v0")])
            yield (f"random_{name}", [*pair, "mov.b32 %f2, %x2;", "mov.b32 %f3, %x3;",
                                      f"cvt.rs{relu}.satfinite.{kind}x4.f32 {'%h0' if holder == '%b0' else '%v0'}, {{%f0, %f1, %f2, %f3}}, %x4;",
                                      keep("%h0", "b16") if holder == "%b0" else keep("%v0")])
            yield (f"random_{name}_mixed", [*pair, "mov.b32 %f2, %t2;", "neg.f32 %f1, %f1;",
                                            f"cvt.rs{relu}.satfinite.{kind}x4.f32 {'%h0' if holder == '%b0' else '%v0'}, "
                                            "{%f0, %f1, %f2, 0f3fc00000}, %t4;",
                                            keep("%h0", "b16") if holder == "%b0" else keep("%v0")])
    for rounding, saturate in itertools.product(("rz", "rp"), ("", ".satfinite")):
        name = f"{rounding}{saturate[1:]}"
        yield (f"scale_{name}", [*pair, f"cvt.{rounding}{saturate}.ue8m0x2.f32 %h0, %f0, %f1;", keep("%h0", "b16")])
        yield (f"scale_{name}_mixed", [*pair, "neg.f32 %f0, %f0;", f"cvt.{rounding}{saturate}.ue8m0x2.f32 %h0, %f0, 0f3fc00000;", keep("%h0", "b16")])
        yield (f"scale_{name}_zero", [*pair, f"cvt.{rounding}{saturate}.ue8m0x2.f32 %h0, 0f00000000, %f1;", keep("%h0", "b16")])
        yield (f"scale_{name}_bf16", [f"cvt.{rounding}{saturate}.ue8m0x2.bf16x2 %h0, %x0;", keep("%h0", "b16")])
        yield (f"scale_{name}_two", [".reg .b16 %g<2>;", *pair, f"cvt.{rounding}{saturate}.ue8m0x2.f32 %g0, %f0, %f1;",
                                     f"cvt.{rounding}{saturate}.ue8m0x2.bf16x2 %g1, %x2;", "mov.b32 %v0, {%g0, %g1};", keep("%v0")])
    yield ("from_scale", ["mov.b32 {%h0, %h1}, %x0;", "cvt.rn.bf16x2.ue8m0x2 %v0, %h0;", "cvt.rn.bf16x2.ue8m0x2 %v1, %h1;",
                          keep("%v0"), keep("%v1")])
    for kind, flags in itertools.product(("f16x2", "bf16x2"), ("", ".relu", ".satfinite", ".relu.satfinite")):
        name = f"{kind}{flags.replace('.', '')}"
        yield (f"random_{name}", [*pair, f"cvt.rs{flags}.{kind}.f32 %v0, %f0, %f1, %x2;", keep("%v0")])
        yield (f"random_{name}_mixed", [*pair, "neg.f32 %f0, %f0;", f"cvt.rs{flags}.{kind}.f32 %v0, %f0, 0f3fc00000, %t2;", keep("%v0")])
        yield (f"random_{name}_zero", [*pair, f"cvt.rs{flags}.{kind}.f32 %v0, 0f00000000, %f1, %x2;", keep("%v0")])
        for rounding in ("rn", "rz"):
            yield (f"{rounding}_{name}", [*pair, f"cvt.{rounding}{flags}.{kind}.f32 %v0, %f0, %f1;", keep("%v0")])
            yield (f"{rounding}_{name}_one", [*pair, f"cvt.{rounding}{flags}.{kind[:-2]}.f32 %h0, %f0;", keep("%h0", "b16")])
    for rounding, flags in itertools.product(("rn", "rz"), ("", ".satfinite", ".relu", ".satfinite.relu")):
        yield (f"tf32_{rounding}{flags.replace('.', '')}", [*pair, f"cvt.{rounding}{flags}.tf32.f32 %v0, %f0;", keep("%v0")])
    for saturate in ("", ".satfinite"):
        yield (f"tf32_rna{saturate[1:]}", [*pair, f"cvt.rna{saturate}.tf32.f32 %v0, %f0;", keep("%v0")])


def reductions():
    for operation, flags in itertools.product(("min", "max"), ("", ".abs", ".NaN", ".abs.NaN")):
        base = f"redux.sync.{operation}{flags}.f32"
        yield (f"redux_{operation}{flags.replace('.', '')}_part", ["mov.b32 %f0, %x0;", f"@%p0 {base} %f1, %f0, 0xffff;", keep("%f1", "f32")])
        yield (f"redux_{operation}{flags.replace('.', '')}_mask", ["mov.b32 %f0, %x0;", f"{base} %f1, %f0, %x1;", keep("%f1", "f32")])
        yield (f"redux_{operation}{flags.replace('.', '')}_uniform", ["mov.b32 %f0, %t0;", f"{base} %f1, %f0, 0xffffffff;", keep("%f1", "f32")])
    for operation, kind in (("add", "u32"), ("add", "s32"), ("min", "u32"), ("min", "s32"), ("max", "u32"), ("max", "s32"), ("and", "b32"),
                            ("or", "b32"), ("xor", "b32")):
        yield (f"redux_{operation}_{kind}", [f"redux.sync.{operation}.{kind} %v0, %x0, 0xffffffff;", keep("%v0"),
                                             f"redux.sync.{operation}.{kind} %v0, %x0, %x1;", keep("%v0")])


def narrow_products():
    """mma of warps with kinds: dense, sparse, with scales."""
    kinds = ("e4m3", "e5m2", "e3m2", "e2m3", "e2m1")
    a, b = registers("x", 4), "{%x4, %x5}"
    b4 = "{%x4, %x5, %x6, %x7}"
    c, d = registers("f", 4), "{%f4, %f5, %f6, %f7}"
    load = [f"mov.b32 %f{i}, %x{i};" for i in range(4)]
    kept = [keep(f"%f{i + 4}", "f32") for i in range(4)]
    halves = [keep("%v0"), keep("%v1")]
    scales = ("%x6, {%h0, %h1}, %x7, {%h2, %h3}", "%x6, {0, 0}, %x7, {0, 0}", "%x6, {2, 1}, %x7, {1, 3}", "%t0, {3, 0}, %x7, {0, 2}")
    sparse_scales = [s.replace("%x6", "%v40").replace("%x7", "%v41") for s in scales]
    metadata = ["ld.global.v4.b32 {%v40, %v41, %v42, %v43}, [%out+256];"]

    def ids(scale):
        return [f"cvt.u16.u32 %h{i}, %t{i + 1};" for i in range(4)] if "%h" in scale else []

    for left, right in itertools.product(kinds, kinds):
        name = f"{left}_{right}"
        dense = "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4"
        sparse = "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4"
        yield (f"qmma_{name}", [*load, f"{dense}.f32.{left}.{right}.f32 {d}, {a}, {b}, {c};", *kept])
        yield (f"qmmah_{name}", [f"{dense}.f16.{left}.{right}.f16 {{%v0, %v1}}, {a}, {b}, {{%x6, %x7}};", *halves])
        yield (f"qmmasp_{name}", [*metadata, *load, f"{sparse}.f32.{left}.{right}.f32 {d}, {a}, {b4}, {c}, %v42, 0;", *kept])
        yield (f"qmmasph_{name}", [*metadata, f"{sparse}.f16.{left}.{right}.f16 {{%v0, %v1}}, {a}, {b4}, {{%v40, %v41}}, %v42, 0;", *halves])
        for i, scale in enumerate(scales):
            if i and left != right:
                continue
            base = "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale"
            for size in ("", ".scale_vec::1X"):
                yield (f"qmmasf{i}{size[-2:]}_{name}", [*ids(scale), *load, f"{base}{size}.f32.{left}.{right}.f32.ue8m0 {d}, {a}, {b}, {c}, {scale};", *kept])
        for i, scale in enumerate(sparse_scales):
            if i and left != right:
                continue
            base = "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale"
            yield (f"qmmaspsf{i}_{name}", [*metadata, *ids(scale), *load,
                                           f"{base}.f32.{left}.{right}.f32.ue8m0 {d}, {a}, {b4}, {c}, %v42, 0, {scale};", *kept])
        if left in ("e4m3", "e5m2") and right in ("e4m3", "e5m2"):
            for shape, k_a, k_b in (("m16n8k16", "{%x0, %x1}", "{%x4}"), ("m16n8k32", a, b)):
                base = f"mma.sync.aligned.{shape}.row.col"
                yield (f"fp8_{shape}_{name}", [*load, f"{base}.f32.{left}.{right}.f32 {d}, {k_a}, {k_b}, {c};", *kept])
                yield (f"fp8h_{shape}_{name}", [f"{base}.f16.{left}.{right}.f16 {{%v0, %v1}}, {k_a}, {k_b}, {{%x6, %x7}};", *halves])
            base = "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col"
            yield (f"fp8sp_{name}", [*metadata, *load, f"{base}.f32.{left}.{right}.f32 {d}, {a}, {b4}, {c}, %v42, 0;", *kept])
            yield (f"fp8sph_{name}", [*metadata, f"{base}.f16.{left}.{right}.f16 {{%v0, %v1}}, {a}, {b4}, {{%v40, %v41}}, %v42, 0;", *halves])
    for kind, size, scaled in (("mxf4", "", "ue8m0"), ("mxf4", ".scale_vec::2X", "ue8m0"), ("mxf4nvf4", ".scale_vec::2X", "ue8m0"),
                               ("mxf4nvf4", ".scale_vec::4X", "ue8m0"), ("mxf4nvf4", ".scale_vec::4X", "ue4m3"),
                               ("mxf4nvf4", ".scale_vec::2X", "ue4m3")):
        name = f"{kind}{size[-2:]}_{scaled}"
        for i, scale in enumerate(scales):
            yield (f"omma{i}_{name}", [*ids(scale), *load, f"mma.sync.aligned.m16n8k64.row.col.kind::{kind}.block_scale{size}.f32.e2m1.e2m1.f32.{scaled} "
                                       f"{d}, {a}, {b}, {c}, {scale};", *kept])
            yield (f"ommasp{i}_{name}", [*metadata, *ids(scale), *load,
                                         f"mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::{kind}.block_scale{size}.f32.e2m1.e2m1.f32.{scaled} "
                                         f"{d}, {a}, {b4}, {c}, %v42, 0, {sparse_scales[i]};", *kept])
    yield ("qmma_zero", [f"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32 {d}, {a}, {b}, {{0f00000000, 0f00000000, 0f00000000, 0f00000000}};", *kept])


def order():
    """Fences, barriers and stores of other blocks."""
    for name, line in (
            ("acquire_cluster", "fence.acquire.sync_restrict::shared::cluster.cluster;"),
            ("release_cta", "fence.release.sync_restrict::shared::cta.cluster;"),
            ("proxy_acquire", "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;"),
            ("proxy_release", "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;"),
            ("proxy_async", "fence.proxy.async;"), ("proxy_async_global", "fence.proxy.async.global;"),
            ("proxy_async_cta", "fence.proxy.async.shared::cta;"), ("proxy_async_cluster", "fence.proxy.async.shared::cluster;"),
            ("proxy_alias", "fence.proxy.alias;"), ("mbarrier_init", "fence.mbarrier_init.release.cluster;")):
        yield (f"fence_{name}", [line, keep("%x0")])
    for semantics, scope in itertools.product(("", ".sc", ".acq_rel", ".acquire", ".release"), ("cta", "cluster", "gpu", "sys")):
        if semantics:
            yield (f"fence{semantics[1:]}_{scope}", [f"fence{semantics}.{scope};", keep("%x0")])
    for scope in ("cta", "cluster", "gpu", "sys"):
        yield (f"tensormap_release_{scope}", [f"fence.proxy.tensormap::generic.release.{scope};", keep("%x0")])
        yield (f"tensormap_acquire_{scope}", [f"fence.proxy.tensormap::generic.acquire.{scope} [%out], 128;", keep("%x0")])
    for semantics, scope, kind in itertools.product(("", ".relaxed", ".release"), (".cta", ".cluster"), ("", ".noComplete", ".expect_tx")):
        if not semantics and scope == ".cluster":
            continue
        suffix = f"{semantics}{scope}" if semantics else ""
        count = ", %t2" if kind else ""
        for space, sink in ((".shared::cta", "%q0"), (".shared::cta", "_"), (".shared::cluster", "_")):
            yield (f"arrive{kind.replace('.', '')}{suffix.replace('.', '')}{space[-3:]}{sink[-1]}", [
                f"mbarrier.arrive{kind}{suffix}{space}.b64 {sink}, [%x0]{count};", keep("%x0")])
            if kind != ".noComplete":
                yield (f"arrivedrop{kind.replace('.', '')}{suffix.replace('.', '')}{space[-3:]}{sink[-1]}", [
                    f"mbarrier.arrive_drop{kind}{suffix}{space}.b64 {sink}, [%x0]{count};", keep("%x0")])
    for what, state in itertools.product(("test_wait", "try_wait", "test_wait.parity", "try_wait.parity"), ("", ".acquire.cta", ".acquire.cluster",
                                                                                                         ".relaxed.cta", ".relaxed.cluster")):
        operand = "%t1" if "parity" in what else "%d0"
        yield (f"{what.replace('.', '')}{state.replace('.', '')}", [
            f"mbarrier.{what}{state}.shared::cta.b64 %p3, [%x0], {operand};", "selp.b32 %v0, 1, 2, %p3;", keep("%v0")])
    for what in ("expect_tx", "complete_tx"):
        for scope, space in itertools.product(("cta", "cluster"), ("shared::cta", "shared::cluster")):
            yield (f"{what}_{scope}_{space[-3:]}", [f"mbarrier.{what}.relaxed.{scope}.{space}.b64 [%x0], %t1;", keep("%x0")])
    yield ("pending", ["ld.global.b64 %q0, [%out];", "mbarrier.pending_count.b64 %v0, %q0;", keep("%v0")])
    for kind, value in (("b32", "%x1"), ("b64", "%q0"), ("v2.b32", "{%x1, %x2}"), ("v4.b32", "{%x1, %x2, %x3, %x4}"), ("v2.b64", "{%q0, %q1}")):
        tag = kind.replace(".", "")
        yield (f"stasync_{tag}", ["ld.global.v2.b64 {%q0, %q1}, [%out];",
               f"st.async.shared::cluster.mbarrier::complete_tx::bytes.{kind} [%x0], {value}, [%x5];"])
        yield (f"stasyncweak_{tag}", ["ld.global.v2.b64 {%q0, %q1}, [%out];",
               f"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.{kind} [%x0], {value}, [%x5];"])
    for scope, kind, value in itertools.product(("gpu", "sys"), ("b16", "b32", "b64"), ("%h0", "%x1", "%q0")):
        if {"%h0": "b16", "%x1": "b32", "%q0": "b64"}[value] != kind:
            continue
        for mmio in ("", ".mmio"):
            yield (f"stasyncglobal{mmio[1:]}_{scope}_{kind}", ["ld.global.b64 %q0, [%out];", "ld.global.b16 %h0, [%out];",
                   f"st.async{mmio}.release.{scope}.global.{kind} [%out+8], {value};"])
    for kind, value in (("u32", "%x1"), ("s32", "%x1"), ("u64", "%q0")):
        yield (f"redasync_{kind}", ["ld.global.b64 %q0, [%out];", f"red.async.mmio.release.sys.global.add.{kind} [%out+8], {value};"])
    for space, scope in itertools.product(("", ".shared::cta"), ("", ".weak")):
        yield (f"bulkzero{space[-3:]}{scope[1:]}", [f"st.bulk{scope}{space} [{'%t0' if space else '%out'}], %d1, 0;",
                                                   f"st.bulk{scope}{space} [{'%x0' if space else '%out'}], 4096, 0;"])


def multimem():
    """Loads, stores and reductions of what several GPUs hold."""
    integers = {"u32": "v", "s32": "v", "u64": "q", "s64": "q", "b32": "v", "b64": "q"}
    halves = {"f16": "h", "bf16": "h", "f16x2": "v", "bf16x2": "v"}
    bytes_ = {"e4m3": "b", "e5m2": "b", "e4m3x2": "h", "e5m2x2": "h", "e4m3x4": "v", "e5m2x4": "v"}
    sizes = {"h": ("b16", 16), "v": ("b32", 32), "f": ("f32", 32), "q": ("b64", 64), "b": ("b8", 8)}

    def forms_of(kind, file, vector, operations, precise):
        suffix = f".v{vector}" if vector > 1 else ""
        size = sizes[file][0]
        value = registers(file, vector) if vector > 1 else f"%{file}0"
        declare = [".reg .b8 %b<16>;"] if file == "b" else ([".reg .b16 %h4, %h5, %h6, %h7;"] if file == "h" and vector == 8 else [])
        kept = [keep(f"%{file}{i}", size) for i in range(vector)]
        load = [*declare, *[f"ld.global.{size} %{file}{i}, [%out+{8 * i}];" for i in range(vector)]]
        for operation, more in itertools.product(operations, ("", precise) if precise else ("",)):
            if more and operation != "add":
                continue
            for semantics in (".relaxed.gpu", ".weak") if not more else (".relaxed.sys",):
                tag = f"{operation}{more}{semantics}_{kind}_{vector}".replace(".", "_").replace("::", "")
                yield (f"mmld_{tag}", [*declare, f"multimem.ld_reduce{semantics}.global.{operation}{more}{suffix}.{kind} {value}, [%out];", *kept])
        if file != "b" and kind not in bytes_:
            for operation in operations if kind in integers else ("add",):
                yield (f"mmred_{operation}_{kind}_{vector}", [*load, f"multimem.red.relaxed.gpu.global.{operation}{suffix}.{kind} [%out], {value};"])
        yield (f"mmst_{kind}_{vector}", [*load, f"multimem.st.relaxed.gpu.global{suffix}.{kind} [%out], {value};",
                                         f"multimem.st.weak.global{suffix}.{kind} [%out+64], {value};"])

    for kind, file in integers.items():
        yield from forms_of(kind, file, 1, ("and", "or", "xor") if kind[0] == "b" else ("add", "min", "max"), "")
    for group, precise in ((halves, ".acc::f32"), (bytes_, ".acc::f16")):
        for (kind, file), vector in itertools.product(group.items(), (1, 2, 4, 8)):
            if vector * sizes[file][1] in (32, 64, 128):
                yield from forms_of(kind, file, vector, ("add", "min", "max"), precise)
    for vector in (1, 2, 4):
        yield from forms_of("f32", "f", vector, ("add",), "")
    yield from forms_of("f64", "q", 1, ("add",), "")


def maps():
    """tensormap.replace of each field, copies in bulk, answers of clusterlaunchcontrol."""
    for space, address in (("global", "%out"), ("shared::cta", "%x0")):
        base = "tensormap.replace.tile."
        tail = f".{space}.b1024"
        tag = space[:6]
        yield (f"map_address_{tag}", [f"{base}global_address{tail}.b64 [{address}], %d1;"])
        yield (f"map_rank_{tag}", [f"{base}rank{tail}.b32 [{address}], 3;", f"{base}rank{tail}.b32 [{address}], %x1;"])
        for field in ("box_dim", "global_dim", "element_stride"):
            for place in range(5):
                yield (f"map_{field}_{place}_{tag}", [f"{base}{field}{tail}.b32 [{address}], {place}, %x1;"])
        for place in range(4):
            yield (f"map_stride_{place}_{tag}", [f"{base}global_stride{tail}.b64 [{address}], {place}, %d1;"])
        for field, values in (("elemtype", range(16)), ("interleave_layout", range(3)), ("swizzle_mode", range(5)), ("swizzle_atomicity", range(4)),
                              ("fill_mode", range(2))):
            for value in values:
                yield (f"map_{field}_{value}_{tag}", [f"{base}{field}{tail}.b32 [{address}], {value};"])
    for dimension in ("x", "y", "z"):
        yield (f"canceled_{dimension}", [".reg .b128 %handle;", "ld.shared.b128 %handle, [%t0];",
               f"clusterlaunchcontrol.query_cancel.get_first_ctaid::{dimension}.b32.b128 %v0, %handle;", keep("%v0")])
    bytes_ = "mbarrier::complete_tx::bytes"
    for hint in ("", ".L2::cache_hint"):
        policy = ", %d3" if hint else ""
        yield (f"bulk_in{hint[4:]}", [f"cp.async.bulk.shared::cluster.global.{bytes_}{hint} [%x0], [%out], %x1, [%x2]{policy};"])
        yield (f"bulk_in_cta{hint[4:]}", [f"cp.async.bulk.shared::cta.global.{bytes_}{hint} [%x0], [%out], %x1, [%x2]{policy};"])
        yield (f"bulk_out{hint[4:]}", [f"cp.async.bulk.global.shared::cta.bulk_group{hint} [%out], [%x0], %x1{policy};"])
        yield (f"bulk_out_mask{hint[4:]}", ["cvt.u16.u32 %h0, %x2;",
               f"cp.async.bulk.global.shared::cta.bulk_group{hint}.cp_mask [%out], [%x0], %x1{policy}, %h0;"])
        yield (f"bulk_many{hint[4:]}", ["cvt.u16.u32 %h0, %x3;",
               f"cp.async.bulk.shared::cluster.global.{bytes_}.multicast::cluster{hint} [%x0], [%out], %x1, [%x2], %h0{policy};"])
        for dims in range(1, 6):
            place = "{" + ", ".join(f"%x{i}" for i in range(dims)) + "}"
            yield (f"tensor_cta_{dims}{hint[4:]}", [
                f"cp.async.bulk.tensor.{dims}d.shared::cta.global.tile.{bytes_}{hint} [%t0], [%d0, {place}], [%t2]{policy};"])
    yield ("bulk_between", [f"cp.async.bulk.shared::cluster.shared::cta.{bytes_} [%x0], [%x1], %x2, [%x3];"])


def forms():
    for part in (floats, wide_accesses, matrices, conversions, reductions, narrow_products, order, multimem, maps):
        yield from part()
