"""Expressions as templates: what CUDA C++ computes on values of one thread, by groups.

A template's letters in braces are operands of that type, {2..9} is a number drawn from a range. Every template is
defined for all values of its operands, and gives the same bits on every architecture: no overflow of signed
numbers, no division by zero, no shift too far, and products and sums of floats only where -fmad=false (or the
operation itself) says how they are rounded. FAST and APPROXIMATE are the exceptions, which only hardware checks.
"""

TYPES = {
    "u": "unsigned", "i": "int", "w": "unsigned long long", "l": "long long", "f": "float", "y": "double",
    "h": "__half", "p": "__half2", "g": "__nv_bfloat16", "q": "__nv_bfloat162",
    "B": "unsigned char", "c": "signed char", "s": "short", "S": "unsigned short",
}
# Which types a group computes with besides u and i.
GROUP_TYPES = {
    "integer": "", "small": "BcsS", "bits": "wl", "wide": "wl", "simd": "", "dpx": "", "ptx": "wl", "float": "fw",
    "float_ptx": "f", "math": "f", "fast": "f", "double": "fyl", "double_math": "y", "half": "hpf", "bfloat": "gqf",
}

INTEGER = {
    "u": ["({u} + {u})", "({u} - {u})", "({u} * {u})", "({u} ^ {u})", "({u} & {u})", "({u} | {u})", "(~{u})",
          "({u} << ({u} & 31u))", "({u} >> ({u} & 31u))", "({u} << {1..31})", "({u} >> {1..31})", "({u} / {2..999}u)",
          "({u} % {2..999}u)", "({u} / ({u} | 1u))", "({u} % ({u} | {1..99}u))", "({u} < {u} ? {u} : {u})",
          "({i} >= {i} ? {u} : {u})", "min({u}, {u})", "max({u}, {u})", "static_cast<unsigned>({i})", "({u} * {3..99}u + {u})",
          "(({u} & {u}) ^ (~{u} & {u}))", "unsigned({u} > {u})", "(({u} + {1..9}u) & ({u} ^ {u}) | {u})"],
    "i": ["static_cast<int>({u})", "int({u} + {u})", "int({u} * {u})", "({i} >> ({u} & 31u))", "({i} >> {1..31})",
          "({i} / {2..999})", "({i} % {2..999})", "({i} / -{2..99})", "({i} / (({i} & 0xffff) + 1))",
          "({i} % (({i} & 0xff) + 1))", "({i} / -(({i} & 0xfff) + 2))", "({i} % 1000 * ({i} % 1000))",
          "(({i} >> 2) - ({i} >> 2))", "min({i}, {i})", "max({i}, {i})", "abs(static_cast<int>({i}) >> 1)", "({i} < {i} ? {i} : {i})",
          "-({i} >> 1)", "({i} & -{1..64})", "({i} / {4..30} * {2..7})", "({i} == {i} ? {i} : {i})",
          "int(__usad({u}, {u}, {u}))"],
}
SMALL = {
    "u": ["static_cast<unsigned>({B})", "static_cast<unsigned>({S})", "static_cast<unsigned>({c})", "static_cast<unsigned>({s})", "unsigned({B} * {B})",
          "unsigned({c} - {s})", "unsigned({S} / ({B} | 1))", "unsigned({s} % (({B} & 63) + 1))"],
    "i": ["static_cast<int>({c})", "static_cast<int>({s})", "({c} * {s})", "({S} - {B})", "({c} >> ({B} & 7))", "({c} < {B} ? {s} : {c})"],
    "B": ["(unsigned char)({u})", "(unsigned char)({u} >> {1..24})", "(unsigned char)({B} + {B})",
          "(unsigned char)({S} >> {1..8})", "(unsigned char)({B} / ({B} | {1..9}))"],
    "c": ["(signed char)({u})", "(signed char)({i} >> {1..24})", "(signed char)({c} - {s})",
          "(signed char)({c} / {2..9})"],
    "s": ["(short)({u})", "(short)({c} * {c})", "(short)({s} + {S})", "(short)({i} >> {1..16})"],
    "S": ["(unsigned short)({u})", "(unsigned short)({B} * {B})", "(unsigned short)({S} % ({B} + 1))",
          "(unsigned short)({s} ^ {u})"],
}
BITS = {
    "u": ["unsigned(__popc({u}))", "unsigned(__clz({i}))", "unsigned(__ffs({i}))", "__brev({u})",
          "__byte_perm({u}, {u}, {u})", "__byte_perm({u}, {u}, {0..30583})", "__funnelshift_l({u}, {u}, {u})",
          "__funnelshift_r({u}, {u}, {u})", "__funnelshift_lc({u}, {u}, {u})", "__funnelshift_rc({u}, {u}, {u})",
          "__funnelshift_l({u}, {u}, {1..31})", "__funnelshift_r({u}, {u}, {1..31})", "__usad({u}, {u}, {u})",
          "__umulhi({u}, {u})", "__umul24({u}, {u})", "__uhadd({u}, {u})", "__urhadd({u}, {u})",
          "__dp4a(unsigned({u}), unsigned({u}), unsigned({u}))",
          "__dp2a_lo(unsigned({u}), unsigned({u}), unsigned({u}))", "__dp2a_hi(unsigned({u}), unsigned({u}), unsigned({u}))", "unsigned(__popcll({w}))",
          "unsigned(__clzll({l}))", "unsigned(__ffsll({l}))", "(({u} << {4..9}) | ({u} >> {20..27}))",
          "({u} & (1u << ({u} & 31u)))", "(({u} >> ({u} & 31u)) & 1u)", "(({u} >> {1..20}) & {1..255}u)",
          "unsigned(__fns({u}, 0u, int({u} & 7u) + 1))"],
    "i": ["__sad({i}, {i}, {u})", "__mulhi({i}, {i})", "__mul24({i}, {i})", "__hadd({i}, {i})", "__rhadd({i}, {i})",
          "__dp4a(int({i}), int({i}), int({i}))",
          "__dp2a_lo(int({i}), int({i}), int({i}))", "__dp2a_hi(int({i}), int({i}), int({i}))",
          "(int({u} << {1..28}) >> {1..28})", "__clz({i})", "__ffs({i})"],
    "w": ["__brevll({w})", "__umul64hi({w}, {w})"],
    "l": ["__mul64hi({l}, {l})"],
}
WIDE = {
    "u": ["static_cast<unsigned>({w})", "unsigned({w} >> 32)", "unsigned({w} % {3..9999}u)", "unsigned({w} < {w})",
          "unsigned({l} >> {20..50})", "__umulhi(unsigned({w}), {u})"],
    "i": ["static_cast<int>({l})", "int({l} >> {1..40})", "({l} < {l} ? {i} : {i})"],
    "w": ["({w} + {w})", "({w} - {w})", "({w} * {w})", "((unsigned long long){u} * {u})", "({w} ^ {w})", "({w} & {w})",
          "({w} | {w})", "({w} << ({u} & 63u))", "({w} >> ({u} & 63u))", "({w} << {1..63})", "({w} >> {1..63})",
          "({w} / {2..99999}u)", "({w} % {2..99999}u)", "({w} / ({w} | 1u))", "({w} % ({u} | 1u))",
          "({w} < {w} ? {w} : {w})", "min({w}, {w})", "max({w}, {w})", "((unsigned long long){l})",
          "((unsigned long long){u} << 32 | {u})", "((unsigned long long){u} * {u} + {w})"],
    "l": ["((long long){w})", "((long long){i} * {i})", "({l} >> ({u} & 63u))", "({l} / {2..9999})", "({l} % {2..99})",
          "({l} / (((long long){u}) + 1))", "({l} >> 2) + ({l} >> 2)", "({l} < {l} ? {l} : {l})", "max({l}, {l})",
          "llabs({l} >> 1)", "((long long){i})", "({l} % (long long)({u} | 1u))"],
}
_PACKED = ["add", "sub", "absdiffs", "absdiffu", "addss", "addus", "avgs", "avgu", "cmpeq", "cmpges", "cmpgeu",
           "cmpgts", "cmpgtu", "cmples", "cmpleu", "cmplts", "cmpltu", "cmpne", "haddu", "maxs", "maxu", "mins", "minu",
           "sads", "sadu", "seteq", "setges", "setgeu", "setgts", "setgtu", "setles", "setleu", "setlts", "setltu",
           "setne", "subss", "subus"]
SIMD = {"u": [f"__v{name}{width}({{u}}, {{u}})" for name in _PACKED for width in "24"]
        + [f"__v{name}{width}({{u}})" for name in ["abs", "absss", "neg", "negss"] for width in "24"]}
DPX = {
    "u": [f"__vi{name}_{kind}({{u}}, {{u}}, {{u}})" for name in ["max3", "min3", "addmax", "addmin"]
          for kind in ["u32", "s16x2", "u16x2"]]
    + [f"__vi{name}_s16x2_relu({{u}}, {{u}}, {{u}})" for name in ["max3", "min3", "addmax", "addmin"]]
    + ["__vimax_s16x2_relu({u}, {u})", "__vimin_s16x2_relu({u}, {u})"],
    "i": [f"__vi{name}_s32{relu}({{i}}, {{i}}, {{i}})" for name in ["max3", "min3"] for relu in ["", "_relu"]]
    + [f"__vi{name}_s32{relu}({{i}} >> 2, {{i}} >> 2, {{i}})" for name in ["addmax", "addmin"] for relu in ["", "_relu"]]
    + ["__vimax_s32_relu({i}, {i})", "__vimin_s32_relu({i}, {i})"],
}
FLOAT = {
    "u": ["fold({f})", "unsigned({f} < {f})", "__float2uint_rn({f})", "__float2uint_rz({f})", "__float2uint_ru({f})",
          "__float2uint_rd({f})", "unsigned(signbit({f}) != 0)", "({f} >= {f} ? {u} : {u})",
          "unsigned(isfinite({f}))", "({f} == {f} ? {u} : {u})"],
    "i": ["__float2int_rn({f})", "__float2int_rz({f})", "__float2int_ru({f})", "__float2int_rd({f})",
          "int(fminf(fmaxf({f}, -1e6f), 1e6f))", "__float2int_rn(ceilf({f}))"],
    "w": ["__float2ull_rn(fabsf({f}))", "__float2ull_rz(fabsf({f}))"],
    "f": ["({f} + {f})", "({f} - {f})", "({f} * {f})", "({f} / {f})", "__fadd_rn({f}, {f})", "__fadd_rz({f}, {f})",
          "__fadd_ru({f}, {f})", "__fadd_rd({f}, {f})", "__fmul_rn({f}, {f})", "__fmul_rz({f}, {f})",
          "__fmul_ru({f}, {f})", "__fmul_rd({f}, {f})", "__fsub_rn({f}, {f})", "__fmaf_rn({f}, {f}, {f})",
          "__fmaf_rz({f}, {f}, {f})", "__fmaf_ru({f}, {f}, {f})", "__fmaf_rd({f}, {f}, {f})", "fmaf({f}, {f}, {f})",
          "__fdiv_rn({f}, {f})", "__fdiv_rz({f}, {f})", "__fdiv_ru({f}, {f})", "__fdiv_rd({f}, {f})",
          "__frcp_rn({f})", "__frcp_rz({f})", "__frcp_ru({f})", "__fsqrt_rn({f})", "__fsqrt_rz({f})",
          "__fsqrt_ru({f})", "__frsqrt_rn(fabsf({f}))", "sqrtf(fabsf({f}))", "__saturatef({f})", "fminf({f}, {f})",
          "fmaxf({f}, {f})", "fabsf({f})", "-{f}", "floorf({f})", "ceilf({f})", "truncf({f})", "rintf({f})",
          "roundf({f})", "nearbyintf({f})", "copysignf({f}, {f})", "static_cast<float>({i})", "static_cast<float>({u})", "__int2float_rz({i})",
          "__int2float_ru({i})", "__uint2float_rd({u})", "__uint2float_rn({u})", "static_cast<float>({w})",
          "__ull2float_rz({w})", "__ull2float_rn({w})", "({f} > {f} ? {f} : {f})", "float({i} % 1000) * 0.125f",
          "float({u} & 1023u) * 0.37f", "({f} / {3..99}.0f)", "(1.0f / {f})", "fdimf({f}, {f})"],
}
FLOAT_PTX = {
    "f": ["PTX_F(\"add.rn.ftz.f32\", {f}, {f})", "PTX_F(\"mul.rn.ftz.f32\", {f}, {f})",
          "PTX_F(\"mul.rz.ftz.sat.f32\", {f}, {f})", "PTX_F(\"add.sat.f32\", {f}, {f})",
          "PTX_F(\"min.ftz.f32\", {f}, {f})", "PTX_F(\"max.ftz.f32\", {f}, {f})", "PTX_F(\"copysign.f32\", {f}, {f})",
          "PTX_F(\"sub.rp.ftz.f32\", {f}, {f})", "PTX_F3(\"fma.rn.ftz.f32\", {f}, {f}, {f})",
          "PTX_F3(\"fma.rz.sat.f32\", {f}, {f}, {f})", "PTX_F3(\"fma.rm.ftz.sat.f32\", {f}, {f}, {f})",
          "PTX_F1(\"cvt.rni.f32.f32\", {f})", "PTX_F1(\"cvt.rpi.ftz.f32.f32\", {f})",
          "PTX_F1(\"cvt.rzi.sat.f32.f32\", {f})", "PTX_F1(\"cvt.ftz.f32.f32\", {f})", "PTX_F1(\"abs.ftz.f32\", {f})",
          "PTX_F1(\"neg.ftz.f32\", {f})", "PTX_F1(\"rcp.rm.f32\", {f})", "PTX_F1(\"sqrt.rp.ftz.f32\", {f})",
          "PTX_F(\"div.rz.ftz.f32\", {f}, {f})", "PTX_FS({f}, {f}, {i})"],
    "u": ["PTX_CMP(\"lt\", {f}, {f})", "PTX_CMP(\"geu\", {f}, {f})", "PTX_CMP(\"nan\", {f}, {f})",
          "PTX_CMP(\"num\", {f}, {f})", "PTX_CMP(\"equ.ftz\", {f}, {f})", "PTX_CMP(\"ne.ftz\", {f}, {f})",
          "PTX_TEST(\"finite\", {f})", "PTX_TEST(\"subnormal\", {f})", "PTX_TEST(\"normal\", {f})",
          "PTX_UF(\"cvt.rni.u8.f32\", {f})", "PTX_UF(\"cvt.rzi.s8.f32\", {f})", "PTX_UF(\"cvt.rmi.s16.f32\", {f})",
          "PTX_UF(\"cvt.rpi.ftz.u16.f32\", {f})"],
}
_MATH1 = ["sinf", "cosf", "tanf", "asinf", "acosf", "atanf", "sinhf", "coshf", "tanhf", "asinhf", "acoshf", "atanhf",
          "expf", "exp2f", "exp10f", "expm1f", "logf", "log2f", "log10f", "log1pf", "sqrtf", "cbrtf", "rsqrtf", "rcbrtf",
          "erff", "erfcf", "erfinvf", "erfcxf", "lgammaf", "tgammaf", "sinpif", "cospif", "normcdff", "normcdfinvf",
          "erfcinvf", "logbf", "j0f", "y1f"]
_MATH2 = ["powf", "fmodf", "remainderf", "atan2f", "hypotf", "rhypotf", "nextafterf"]
MATH = {
    "f": [f"{name}({{f}})" for name in _MATH1] + [f"{name}({{f}}, {{f}})" for name in _MATH2]
    + ["powf(fabsf({f}), {f})", "ldexpf({f}, {i} % 20)", "scalbnf({f}, {i} % 30)", "norm3df({f}, {f}, {f})",
       "sinf({f} * 10000.0f)", "expf(-fabsf({f}))", "logf(fabsf({f}))", "asinf(__saturatef({f}))",
       "powf({f}, 3.0f)", "fmodf({f}, {2..9}.5f)"],
    "i": ["ilogbf({f})", "__float2int_rn(lgammaf({f}))"],
}
APPROXIMATE = {
    "f": ["__sinf({f})", "__cosf({f})", "__tanf({f})", "__expf({f})", "__exp10f({f})", "__logf({f})", "__log2f({f})",
          "__log10f({f})", "__powf({f}, {f})", "__fdividef({f}, {f})", "rsqrtf(fabsf({f}))", "__tanhf({f})",
          "PTX_F1(\"ex2.approx.ftz.f32\", {f})", "PTX_F1(\"lg2.approx.f32\", {f})", "PTX_F1(\"sqrt.approx.f32\", {f})",
          "PTX_F1(\"rcp.approx.ftz.f32\", {f})", "PTX_F1(\"tanh.approx.f32\", {f})",
          "PTX_F(\"div.full.f32\", {f}, {f})", "PTX_F(\"div.approx.ftz.f32\", {f}, {f})"],
}
DOUBLE = {
    "u": ["fold({y})", "unsigned({y} < {y})", "__double2uint_rn({y})", "__double2uint_rz({y})",
          "unsigned(__double2hiint({y} + 0.0))", "({y} == {y} ? {u} : {u})"],
    "i": ["__double2int_rn({y})", "__double2int_rd({y})", "__double2int_ru({y})",
          "int(fmin(fmax({y}, -1e6), 1e6))", "({y} > {y} ? {i} : {i})"],
    "l": ["__double2ll_rn({y})", "__double2ll_rz({y})", "__float2ll_rd({f})"],
    "f": ["static_cast<float>({y})", "__double2float_rz({y})", "__double2float_ru({y})", "__double2float_rd({y})",
          "__ll2float_rn({l})"],
    "y": ["({y} + {y})", "({y} - {y})", "({y} * {y})", "({y} / {y})", "__dadd_rn({y}, {y})", "__dadd_rz({y}, {y})",
          "__dadd_ru({y}, {y})", "__dmul_rd({y}, {y})", "__dmul_rz({y}, {y})", "__fma_rn({y}, {y}, {y})",
          "__fma_rz({y}, {y}, {y})", "__fma_ru({y}, {y}, {y})", "fma({y}, {y}, {y})", "__ddiv_rn({y}, {y})",
          "__ddiv_rz({y}, {y})", "__ddiv_ru({y}, {y})", "__drcp_rn({y})", "__drcp_rd({y})", "__dsqrt_rn(fabs({y}))",
          "__dsqrt_rz(fabs({y}))", "sqrt(fabs({y}))", "fmin({y}, {y})", "fmax({y}, {y})", "fabs({y})", "-{y}",
          "floor({y})", "ceil({y})", "trunc({y})", "rint({y})", "round({y})", "copysign({y}, {y})", "static_cast<double>({i})",
          "static_cast<double>({u})", "static_cast<double>({l})", "__ll2double_rz({l})", "__ll2double_ru({l})", "__ull2double_rd({u} * 3ull)",
          "static_cast<double>({f})", "({y} > {y} ? {y} : {y})", "double({i} % 1000) * 0.0625", "({y} / {3..99}.0)",
          "__hiloint2double({i} & 0x3fffffff, {i})", "rsqrt(fabs({y}) + 1.0)"],
}
_DMATH1 = ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "exp2",
           "exp10", "expm1", "log", "log2", "log10", "log1p", "cbrt", "rcbrt", "erf", "erfc", "erfinv", "erfcx", "lgamma",
           "tgamma", "sinpi", "cospi", "normcdf", "logb"]
_DMATH2 = ["pow", "fmod", "remainder", "atan2", "hypot", "nextafter"]
DOUBLE_MATH = {
    "y": [f"{name}({{y}})" for name in _DMATH1] + [f"{name}({{y}}, {{y}})" for name in _DMATH2]
    + ["pow(fabs({y}), {y})", "ldexp({y}, {i} % 20)", "exp(-fabs({y}))", "log(fabs({y}))", "pow({y}, 3.0)"],
    "i": ["ilogb({y})"],
}
_HALF1 = ["habs", "hneg"]
HALF = {
    "u": ["fold({h})", "fold({p})", "unsigned(__hlt({h}, {h}))", "unsigned(__hge({h}, {h}))",
          "unsigned(__hequ({h}, {h}))", "unsigned(__hbgt2({p}, {p}))", "__heq2_mask({p}, {p})", "__hlt2_mask({p}, {p})",
          "unsigned(__half2ushort_rn({h}))", "unsigned(__half2uint_rz({h}))"],
    "i": ["__half2int_rn({h})", "__half2int_rd({h})", "int(__half2short_rz({h}))"],
    "f": ["__half2float({h})", "__low2float({p})", "__high2float({p})"],
    "h": ["__hadd_rn({h}, {h})", "__hsub_rn({h}, {h})", "__hmul_rn({h}, {h})", "__hfma({h}, {h}, {h})",
          "__hfma_sat({h}, {h}, {h})", "__hadd_sat({h}, {h})", "__hmul_sat({h}, {h})", "__hdiv({h}, {h})",
          "__hfma_relu({h}, {h}, {h})", "__hmax({h}, {h})", "__hmin({h}, {h})", "__hmax_nan({h}, {h})", "__habs({h})",
          "__hneg({h})", "hfloor({h})", "hceil({h})", "htrunc({h})", "hrint({h})", "hsqrt(__habs({h}))", "hrcp({h})",
          "hrsqrt(__habs({h}))", "hexp({h})", "hexp2({h})", "hexp10({h})", "hlog(__habs({h}))", "hlog2({h})",
          "hsin({h})", "hcos({h})", "__float2half_rn({f})", "__float2half_rz({f})", "__float2half_ru({f})",
          "__int2half_rn({i} % 3000)", "__uint2half_rz({u} % 3000u)", "__low2half({p})", "__high2half({p})",
          "__ushort2half_rn((unsigned short)({u} & 4095u))"],
    "p": ["__hadd2_rn({p}, {p})", "__hsub2_rn({p}, {p})", "__hmul2_rn({p}, {p})", "__hfma2({p}, {p}, {p})",
          "__hfma2_sat({p}, {p}, {p})", "__hfma2_relu({p}, {p}, {p})", "__hadd2_sat({p}, {p})",
          "__hmax2({p}, {p})", "__hmin2({p}, {p})", "__hmin2_nan({p}, {p})", "__habs2({p})", "__hneg2({p})",
          "__halves2half2({h}, {h})", "__lowhigh2highlow({p})", "__lows2half2({p}, {p})", "__highs2half2({p}, {p})",
          "__half2half2({h})", "__floats2half2_rn({f}, {f})", "__hgt2({p}, {p})", "__hne2({p}, {p})", "h2floor({p})",
          "h2rint({p})", "h2sqrt(__habs2({p}))", "h2exp2({p})", "__h2div({p}, {p})", "__hcmadd({p}, {p}, {p})"],
}
BFLOAT = {
    "u": ["fold({g})", "fold({q})", "unsigned(__hlt({g}, {g}))", "unsigned(__heq({g}, {g}))", "__hge2_mask({q}, {q})"],
    "i": ["__bfloat162int_rn({g})", "__bfloat162int_rz({g})"],
    "f": ["__bfloat162float({g})", "__low2float({q})"],
    "g": ["__hadd_rn({g}, {g})", "__hsub_rn({g}, {g})", "__hmul_rn({g}, {g})", "__hfma({g}, {g}, {g})",
          "__hfma_relu({g}, {g}, {g})", "__hfma_sat({g}, {g}, {g})", "__hmax({g}, {g})", "__hmin_nan({g}, {g})",
          "__habs({g})", "__hneg({g})", "__float2bfloat16_rn({f})", "__float2bfloat16_rz({f})",
          "__float2bfloat16_ru({f})", "__int2bfloat16_rn({i})", "__high2bfloat16({q})", "__hdiv({g}, {g})",
          "hfloor({g})", "hrint({g})", "hsqrt(__habs({g}))"],
    "q": ["__hadd2_rn({q}, {q})", "__hmul2_rn({q}, {q})", "__hfma2({q}, {q}, {q})", "__hmax2({q}, {q})",
          "__hmin2({q}, {q})", "__hneg2({q})", "__halves2bfloat162({g}, {g})", "__floats2bfloat162_rn({f}, {f})",
          "__lowhigh2highlow({q})", "__hfma2_relu({q}, {q}, {q})", "__hle2({q}, {q})"],
}
PTX = {
    "u": ["PTX_U3(\"bfe.u32\", {u}, {u} & 255u, {u} & 255u)", "PTX_U3(\"bfe.s32\", {u}, {u}, {u})",
          "PTX_U3(\"bfe.u32\", {u}, {0..31}u, {1..31}u)", "PTX_BFI({u}, {u}, {u} & 255u, {u} & 255u)",
          "PTX_BFI({u}, {u}, {0..31}u, {1..31}u)", "ptx_lop3<{0..255}>({u}, {u}, {u})"]
    + [f"PTX_U3(\"prmt.b32.{mode}\", {{u}}, {{u}}, {{u}})" for mode in ["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]]
    + ["PTX_U3(\"shf.l.clamp.b32\", {u}, {u}, {u})", "PTX_U3(\"shf.r.wrap.b32\", {u}, {u}, {u})",
       "PTX_U2(\"shl.b32\", {u}, {u})", "PTX_U2(\"shr.u32\", {u}, {u})", "PTX_U2(\"shr.s32\", {u}, {u})",
       "PTX_U2(\"szext.wrap.s32\", {u}, {u})", "PTX_U2(\"szext.clamp.u32\", {u}, {u})",
       "PTX_U2(\"bmsk.clamp.b32\", {u}, {u})", "PTX_U2(\"bmsk.wrap.b32\", {u}, {u})", "PTX_U1(\"bfind.u32\", {u})",
       "PTX_U1(\"bfind.shiftamt.s32\", {u})", "PTX_U1(\"cnot.b32\", {u})", "PTX_U1(\"cvt.u32.u16\", {u})",
       "PTX_U2(\"mul.hi.s32\", {u}, {u})", "PTX_U3(\"mad.hi.u32\", {u}, {u}, {u})",
       "PTX_U3(\"mad.hi.sat.s32\", {u}, {u}, {u})", "PTX_U2(\"add.sat.s32\", {u}, {u})",
       "PTX_U2(\"sub.sat.s32\", {u}, {u})", "PTX_U2(\"min.s32\", {u}, {u})", "PTX_U3(\"mad24.hi.s32\", {u}, {u}, {u})",
       "PTX_U3(\"sad.s32\", {u}, {u}, {u})", "PTX_U3(\"dp4a.u32.s32\", {u}, {u}, {u})",
       "PTX_U3(\"dp2a.lo.s32.u32\", {u}, {u}, {u})", "PTX_CARRY({u}, {u}, {u}, {u})", "PTX_BORROW({u}, {u}, {u}, {u})",
       "PTX_MAD_CARRY({u}, {u}, {u}, {u})", "PTX_SELECT({u}, {u}, {u}, {u})", "PTX_SLCT({u}, {u}, {i})",
       "PTX_U3(\"vadd.s32.u32.s32.sat\", {u}, {u}, 0u)", "PTX_PACK({i}, {i}, {u})", "PTX_SET({u}, {u}, {u})",
       "PTX_SAT8({i})", "PTX_U3(\"vset.u32.s32.ge\", {u}, {u}, 0u)", "PTX_U3(\"vmad.u32.u32.u32.shr7\", {u}, {u}, {u})"],
    "w": ["PTX_W3(\"bfe.u64\", {w}, {u} & 255u, {u} & 255u)", "PTX_W3(\"bfe.s64\", {w}, {u}, {u})",
          "PTX_W2(\"shl.b64\", {w}, {u})", "PTX_W2(\"shr.s64\", {w}, {u})"],
}

GROUPS = {
    "integer": INTEGER, "small": SMALL, "bits": BITS, "wide": WIDE, "simd": SIMD, "dpx": DPX, "ptx": PTX, "float": FLOAT,
    "float_ptx": FLOAT_PTX, "math": MATH, "fast": APPROXIMATE, "double": DOUBLE, "double_math": DOUBLE_MATH,
    "half": HALF, "bfloat": BFLOAT,
}
# A value of each type out of 32 bits, and constants worth computing with.
START = {
    "u": "{}", "i": "static_cast<int>({})", "w": "({} * 2654435761ull)", "l": "((long long)int({}) * 40503)", "f": "float({} & 4095u) * 0.71f",
    "y": "double({} & 65535u) * 0.013", "h": "__uint2half_rn({} & 255u)",
    "p": "__floats2half2_rn(float({} & 63u) * 0.25f, 1.5f)", "g": "__float2bfloat16_rn(float({} & 511u))",
    "q": "__floats2bfloat162_rn(float({} & 31u), -0.75f)", "B": "((unsigned char)({}))", "c": "((signed char)({}))",
    "s": "((short)({}))", "S": "((unsigned short)({}))",
}
CONSTANTS = {
    "f": ["0.0f", "1.0f", "-1.5f", "3.14159f", "1e-3f", "65536.0f", "1e-40f", "0.1f"],
    "y": ["0.0", "1.0", "-2.5", "2.718281828", "1e-5", "4294967296.0", "0.1"],
    "w": ["1ull", "0xffffffffull", "0x123456789abcdefull", "0x8000000000000000ull"],
    "l": ["-1ll", "1000000007ll", "0x7fffffffffffffll"], "i": ["-1", "7", "-1000", "65535", "2147483647"],
    "u": ["0u", "1u", "0xffu", "0xffffffffu", "0x80000000u", "12345u", "0x00ff00ffu"],
}

# Groups besides the integers', and how often a kernel has them.
OPTIONAL = {"small": 4, "bits": 5, "wide": 5, "simd": 3, "dpx": 2, "ptx": 4, "float": 6, "float_ptx": 2, "math": 2,
            "fast": 1.5, "double": 3, "double_math": 0.7, "half": 3, "bfloat": 1.5}
