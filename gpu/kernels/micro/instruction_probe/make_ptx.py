#!/usr/bin/env python3
"""Writes the kernels of the instruction probe as PTX: one for each instruction of the PTX ISA, type and modifier.

  make_ptx.py sm_90 > probe.ptx       kernels that can be run (inputs.hpp says on what)
  make_ptx.py sm_90 --all > all.ptx   also those that are only to be compiled and decoded
  make_ptx.py sm_90 --part 3          the fourth hundred of them alone
  make_ptx.py sm_90 --all --sources mp    operands in turn from memory (m), a parameter (p), an immediate (i)

Each kernel loads its operands from its thread's record, executes the instruction and stores the results; the types of the
operands stand in its name.
"""
import argparse
import itertools
import re

import rare_ptx

REGISTER = {'u8': 'b16', 's8': 'b16', 'u16': 'b16', 's16': 'b16', 'b16': 'b16', 'f16': 'b16', 'bf16': 'b16',
            'u32': 'b32', 's32': 'b32', 'b32': 'b32', 'f32': 'f32', 'f16x2': 'b32', 'bf16x2': 'b32', 'u16x2': 'b32',
            's16x2': 'b32', 'e4m3x2': 'b16', 'e5m2x2': 'b16', 'tf32': 'b32', 'u64': 'b64', 's64': 'b64', 'b64': 'b64',
            'f64': 'f64', 'count': 'b32', 'mf16': 'b32', 'mbf16': 'b32', 'mf32': 'f32', 'mtf32': 'b32', 'me4m3': 'b32',
            'me5m2': 'b32', 'mf64': 'f64', 'pairs': 'b32'}
NAMES_TYPE = {'mtf32': 'mf32', 'e4m3x2': 'b16', 'e5m2x2': 'b16', 'tf32': 'f32'}
MOVE = {'b16': 'u16', 'b32': 'u32', 'b64': 'u64', 'f32': 'f32', 'f64': 'f64'}
OPERANDS, RESULTS, SHARED_BACK, LOCAL_BACK, THREAD_BYTES = 64, 192, 336, 400, 64
EDGES = [(i * 0x9e3779b9 ^ 0xff >> i % 9) & 0xffffffff for i in range(60)] + [0, 0x7fffffff, 0x80000000, 0xffffffff]
PARAMETERS = 8 + 8 * 32
PART = 100  # kernels of a cubin: what a launch counts grows with its module

snippets = []


def add(name, text, results, operands=('b32',), since=75, run=True):
    """`text`: PTX with %0… for operands, %d (or %d0…) for results; %gp, %gn, %sp, %ss, %lp: the thread's own 64 bytes in
    global, generic global, shared, generic shared and local memory. With ".cluster " before the text the kernel's blocks come
    in clusters of two."""
    snippets.append((name, text, [results] if isinstance(results, str) else list(results), list(operands), since, run))


def op(instruction, result, *operands, since=75):
    add(instruction, instruction + ' %d' + ''.join(f', %{i}' for i in range(len(operands))) + ';', result, operands, since)


def flag(name, text, operands, since=75, run=True):
    """An instruction that gives a predicate p."""
    add(name, '{.reg .pred p; ' + text + ' selp.u32 %d, 1, 0, p;}', 'b32', operands, since, run)


def integer():
    for t in ['u16', 's16', 'u32', 's32', 'u64', 's64']:
        for o in ['add', 'sub', 'mul.lo', 'mul.hi', 'div', 'rem', 'min', 'max']:
            op(f'{o}.{t}', t, t, t)
        op(f'mad.lo.{t}', t, t, t, t)
        op(f'mad.hi.{t}', t, t, t, t)
        op(f'sad.{t}', t, t, t, t)
        op(f'shr.{t}', t, t, 'count')
        op(f'set.lt.f32.{t}', 'f32', t, t)
        if not t.endswith('64'):
            wide = t[0] + str(2 * int(t[1:]))
            op(f'mul.wide.{t}', wide, t, t)
            op(f'mad.wide.{t}', wide, t, t, wide)
        for c in ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] + (['hi', 'ls'] if t[0] == 'u' else []):
            flag(f'setp.{c}.{t}', f'setp.{c}.{t} p, %0, %1;', (t, t))
        for c, b in itertools.product(['eq', 'lt'], ['and', 'or', 'xor']):
            flag(f'setp.{c}.{b}.{t}', f'.reg .pred q; setp.eq.u32 q, %2, 3; setp.{c}.{b}.{t} p, %0, %1, q;', (t, t, 'count'))
    for t in ['s16', 's32', 's64']:
        op(f'abs.{t}', t, t)
        op(f'neg.{t}', t, t)
    for t in ['u32', 's32']:
        for h in ['lo', 'hi']:
            op(f'mul24.{h}.{t}', t, t, t)
            op(f'mad24.{h}.{t}', t, t, t, t)
    for o in ['add', 'sub']:
        op(f'{o}.sat.s32', 's32', 's32', 's32')
    op('mad.hi.sat.s32', 's32', 's32', 's32', 's32')
    for b in ['b32', 'b64']:
        op(f'popc.{b}', 'u32', b)
        op(f'clz.{b}', 'u32', b)
        op(f'brev.{b}', b, b)
        op(f'bfi.{b}', b, b, b, 'count', 'count')
        for o in ['and', 'or', 'xor']:
            op(f'{o}.{b}', b, b, b)
        op(f'not.{b}', b, b)
        op(f'cnot.{b}', b, b)
        op(f'shl.{b}', b, b, 'count')
        for s in 'us':
            t = s + b[1:]
            op(f'bfind.{t}', 'u32', t)
            op(f'bfind.shiftamt.{t}', 'u32', t)
            op(f'bfe.{t}', t, t, 'count', 'count')
    op('fns.b32', 'b32', 'b32', 'count', 's32')
    for m in ['clamp', 'wrap']:
        for t in ['s32', 'u32']:
            op(f'szext.{m}.{t}', t, t, 'count')
        op(f'bmsk.{m}.b32', 'b32', 'count', 'count')
        for d in 'lr':
            op(f'shf.{d}.{m}.b32', 'b32', 'b32', 'b32', 'count')
    for a, b in itertools.product('us', 'us'):
        op(f'dp4a.{a}32.{b}32', 's32', 'b32', 'b32', 's32')
        for h in ['lo', 'hi']:
            op(f'dp2a.{h}.{a}32.{b}32', 's32', 'b32', 'b32', 's32')
    for m in ['', '.f4e', '.b4e', '.rc8', '.ecl', '.ecr', '.rc16']:
        op(f'prmt.b32{m}', 'b32', 'b32', 'b32', 'b32')
    for lut in [0x6b, 0xca, 0x96, 0xe8, 0x01, 0xfe]:
        add(f'lop3.{lut:02x}', f'lop3.b32 %d, %0, %1, %2, {lut};', 'b32', ('b32', 'b32', 'b32'))
    for b in ['32', '64']:
        add(f'addc.{b}', f'{{.reg .b{b} t; add.cc.u{b} t, %0, %1; addc.cc.u{b} %d0, t, %2; addc.u{b} %d1, %d0, %0;}}',
            [f'b{b}'] * 2, [f'b{b}'] * 3)
        add(f'subc.{b}', f'{{.reg .b{b} t; sub.cc.u{b} t, %0, %1; subc.cc.u{b} %d0, t, %2; subc.u{b} %d1, %d0, %0;}}',
            [f'b{b}'] * 2, [f'b{b}'] * 3)
        add(f'madc.{b}', f'{{mad.lo.cc.u{b} %d0, %0, %1, %2; madc.hi.cc.u{b} %d1, %0, %1, %2; madc.hi.s{b} %d2, %1, %0, %2;}}',
            [f'b{b}'] * 3, [f'b{b}'] * 3)
    for t in ['u16x2', 's16x2']:
        op(f'add.{t}', t, t, t, since=90)
        for o in ['min', 'max']:
            op(f'{o}.{t}', t, t, t, since=90)
    for o in ['min', 'max']:
        op(f'{o}.relu.s16x2', 's16x2', 's16x2', 's16x2', since=90)
        op(f'{o}.relu.s32', 's32', 's32', 's32', since=90)
        for t in ['u32', 's32']:
            add(f'{o}3.{t}', f'{o}.{t} %d, %0, %1; {o}.{t} %d, %d, %2;', t, (t, t, t))
            add(f'add{o}.{t}', f'add.{t} %d, %0, %1; {o}.{t} %d, %d, %2;', t, (t, t, t))


def video():
    for o in ['vadd', 'vsub', 'vabsdiff', 'vmin', 'vmax']:
        for d, a, b in itertools.product('us', 'us', 'us'):
            op(f'{o}.{d}32.{a}32.{b}32.sat', 'b32', 'b32', 'b32')
            add(f'{o}.part.{d}{a}{b}', f'{o}.{d}32.{a}32.{b}32.add %d, %0.b1, %1.h1, %2;', 'b32', ('b32', 'b32', 'b32'))
            for lanes, last in itertools.product([2, 4], ['sat', 'add']):
                add(f'{o}{lanes}.{d}{a}{b}.{last}', f'{o}{lanes}.{d}32.{a}32.{b}32.{last} %d, %0, %1, %2;', 'b32',
                    ('b32', 'b32', 'b32'))
    for lanes, t in itertools.product([2, 4], ['u32', 's32']):
        add(f'vavrg{lanes}.{t}', f'vavrg{lanes}.{t}.{t}.{t} %d, %0, %1, %2;', 'b32', ('b32', 'b32', 'b32'))
    for o, m in itertools.product(['vshl', 'vshr'], ['clamp', 'wrap']):
        add(f'{o}.{m}', f'{o}.u32.u32.u32.{m} %d, %0, %1;', 'b32', ('b32', 'count'))
    add('vmad', 'vmad.s32.s32.u32.shr7 %d, %0.b1, %1.b2, %2;', 'b32', ('b32', 'b32', 'b32'))
    for c in ['eq', 'lt']:
        add(f'vset.{c}', f'vset.s32.u32.{c} %d, %0.h0, %1.b3;', 'b32', ('b32', 'b32'))
        add(f'vset4.{c}', f'vset4.s32.u32.{c} %d, %0, %1, %2;', 'b32', ('b32', 'b32', 'b32'))
        add(f'vset2.{c}', f'vset2.s32.u32.{c}.add %d, %0, %1, %2;', 'b32', ('b32', 'b32', 'b32'))


def floating():
    for t in ['f32', 'f64']:
        for r in ['rn', 'rz', 'rm', 'rp']:
            for z in ['', '.ftz.sat'] if t == 'f32' else ['']:
                for o in ['add', 'sub', 'mul']:
                    op(f'{o}.{r}{z}.{t}', t, t, t)
                op(f'fma.{r}{z}.{t}', t, t, t, t)
            for z in ['', '.ftz'] if t == 'f32' else ['']:
                op(f'div.{r}{z}.{t}', t, t, t)
                op(f'rcp.{r}{z}.{t}', t, t)
                op(f'sqrt.{r}{z}.{t}', t, t)
        for o in ['min', 'max', 'copysign']:
            op(f'{o}.{t}', t, t, t)
        op(f'abs.{t}', t, t)
        op(f'neg.{t}', t, t)
        for k in ['finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal']:
            flag(f'testp.{k}.{t}', f'testp.{k}.{t} p, %0;', (t,))
        for c in ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan']:
            flag(f'setp.{c}.{t}', f'setp.{c}.{t} p, %0, %1;', (t, t))
            op(f'set.{c}.f32.{t}', 'f32', t, t)
            if t == 'f32':
                flag(f'setp.{c}.ftz.{t}', f'setp.{c}.ftz.{t} p, %0, %1;', (t, t))
    for o in ['min', 'max']:
        for m in ['ftz', 'NaN', 'ftz.NaN', 'xorsign.abs', 'NaN.xorsign.abs', 'ftz.NaN.xorsign.abs']:
            op(f'{o}.{m}.f32', 'f32', 'f32', 'f32', since=86 if 'xor' in m else 80 if 'NaN' in m else 75)
    for z in ['', '.ftz']:
        for o in ['rcp', 'rsqrt', 'sqrt', 'sin', 'cos', 'lg2', 'ex2']:
            op(f'{o}.approx{z}.f32', 'f32', 'f32')
        op(f'div.full{z}.f32', 'f32', 'f32', 'f32')
        op(f'div.approx{z}.f32', 'f32', 'f32', 'f32')
    op('tanh.approx.f32', 'f32', 'f32')
    op('rcp.approx.ftz.f64', 'f64', 'f64')
    op('rsqrt.approx.f64', 'f64', 'f64')
    op('rsqrt.approx.ftz.f64', 'f64', 'f64')
    for f in ['f16', 'f16x2', 'bf16', 'bf16x2']:
        brain = f[0] == 'b'
        since, wide_since = (80, 90) if brain else (75, 75)
        for o in ['add', 'sub', 'mul']:
            op(f'{o}.{f}', f, f, f, since=wide_since)
            op(f'{o}.rn.{f}', f, f, f, since=wide_since)
            if not brain:
                op(f'{o}.ftz.sat.{f}', f, f, f)
                op(f'{o}.sat.{f}', f, f, f)
                op(f'{o}.ftz.{f}', f, f, f)
        for m in ['', '.relu', '.oob', '.oob.relu'] + ([] if brain else ['.ftz', '.sat', '.ftz.sat', '.ftz.relu']):
            op(f'fma.rn{m}.{f}', f, f, f, f, since=90 if 'oob' in m else 80 if 'relu' in m else since)
        op(f'neg.{f}', f, f, since=since)
        op(f'abs.{f}', f, f, since=since)
        for o in ['min', 'max']:
            for m in ['', '.NaN', '.xorsign.abs', '.NaN.xorsign.abs'] + ([] if brain else ['.ftz', '.ftz.NaN']):
                op(f'{o}{m}.{f}', f, f, f, since=86 if 'xor' in m else 80)
        op(f'tanh.approx.{f}', f, f, since=wide_since)
        op(f'ex2.approx{".ftz" if brain else ""}.{f}', f, f, since=wide_since)
        for c in ['eq', 'lt', 'ltu', 'num', 'nan', 'geu', 'ne']:
            if f.endswith('x2'):
                op(f'set.{c}.{f}.{f}', f, f, f, since=wide_since)
                add(f'setp.{c}.{f}',
                    f'{{.reg .pred p, q; setp.{c}.{f} p|q, %0, %1; selp.u32 %d, 1, 0, p; @q add.u32 %d, %d, 2;}}', 'b32',
                    (f, f), wide_since)
            else:
                op(f'set.{c}.{f}.{f}', f, f, f, since=wide_since)
                op(f'set.{c}.u32.{f}', 'u32', f, f, since=wide_since)
                flag(f'setp.{c}.{f}', f'setp.{c}.{f} p, %0, %1;', (f, f), wide_since)


def conversions():
    widths = {'u8': 8, 's8': 8, 'u16': 16, 's16': 16, 'u32': 32, 's32': 32, 'u64': 64, 's64': 64}

    def holds(t, s):  # whether every value of s is one of t
        return (t[0] == s[0] and widths[t] >= widths[s]) or (s[0] == 'u' and widths[t] > widths[s])

    for a in widths:
        for b in widths:
            if a != b:
                op(f'cvt.{a}.{b}', a, b)
                if not holds(a, b):
                    op(f'cvt.sat.{a}.{b}', a, b)
        for f in ['f16', 'f32', 'f64']:
            for r in ['rni', 'rzi', 'rmi', 'rpi']:
                op(f'cvt.{r}.{a}.{f}', a, f)
            for r in ['rn', 'rz', 'rm', 'rp']:
                op(f'cvt.{r}.{f}.{a}', f, a)
        for r in ['rni', 'rzi', 'rmi', 'rpi']:
            op(f'cvt.{r}.sat.{a}.f32', a, 'f32')
            op(f'cvt.{r}.ftz.{a}.f32', a, 'f32')
            if widths[a] > 8:
                op(f'cvt.{r}.{a}.bf16', a, 'bf16', since=90)
        if widths[a] > 8:
            for r in ['rn', 'rz', 'rm', 'rp']:
                op(f'cvt.{r}.bf16.{a}', 'bf16', a, since=90)
    for a, b in [('f16', 'f32'), ('f16', 'f64'), ('f32', 'f64'), ('bf16', 'f32'), ('bf16', 'f64'), ('bf16', 'f16'),
                 ('f16', 'bf16')]:
        brain = 'bf16' in (a, b)
        for r in ['rn', 'rz', 'rm', 'rp']:
            op(f'cvt.{r}.{a}.{b}', a, b, since=90 if brain else 75)
            if not brain:
                op(f'cvt.{r}.sat.{a}.{b}', a, b)
    for a, b in [('f32', 'f16'), ('f64', 'f16'), ('f64', 'f32'), ('f32', 'bf16'), ('f64', 'bf16')]:
        op(f'cvt.{a}.{b}', a, b, since=90 if b == 'bf16' else 75)
        if b != 'bf16':
            op(f'cvt.sat.{a}.{b}', a, b)
    op('cvt.ftz.f32.f16', 'f32', 'f16')
    for r in ['rni', 'rzi', 'rmi', 'rpi']:
        for f in ['f16', 'f32', 'f64']:
            op(f'cvt.{r}.{f}.{f}', f, f)
        op(f'cvt.{r}.ftz.sat.f32.f32', 'f32', 'f32')
        op(f'cvt.{r}.ftz.f32.f32', 'f32', 'f32')
        op(f'cvt.{r}.bf16.bf16', 'bf16', 'bf16', since=90)
    for f, r, m in itertools.product(['f16', 'bf16'], ['rn', 'rz'], ['', '.relu', '.satfinite', '.relu.satfinite']):
        op(f'cvt.{r}{m}.{f}x2.f32', f + 'x2', 'f32', 'f32', since=80)
        op(f'cvt.{r}{m}.{f}.f32', f, 'f32', since=80)
    op('cvt.rna.tf32.f32', 'tf32', 'f32', since=80)
    for r, m in itertools.product(['rn', 'rz'], ['', '.relu']):
        op(f'cvt.{r}{m}.tf32.f32', 'tf32', 'f32', since=90)
    for f, m in itertools.product(['e4m3x2', 'e5m2x2'], ['', '.relu']):
        op(f'cvt.rn.satfinite{m}.{f}.f32', f, 'f32', 'f32', since=89)
        op(f'cvt.rn.satfinite{m}.{f}.f16x2', f, 'f16x2', since=89)
        op(f'cvt.rn{m}.f16x2.{f}', 'f16x2', f, since=89)
    for t in ['u16', 's16']:
        op(f'cvt.pack.sat.{t}.s32', 'b32', 's32', 's32')
    for t in ['u8', 's8', 'u4', 's4', 'u2', 's2']:
        op(f'cvt.pack.sat.{t}.s32.b32', 'b32', 's32', 's32', 'b32')


def warp():
    for m in ['idx', 'up', 'down', 'bfly']:
        for last in ['31', '0x1c03', '0x181f']:
            add(f'shfl.{m}.{last}',
                f'{{.reg .pred p; shfl.sync.{m}.b32 %d0|p, %0, %1, {last}, -1; selp.u32 %d1, 1, 0, p;}}', ['b32', 'b32'],
                ('b32', 'count'))
    for m in ['all', 'any', 'uni']:
        flag(f'vote.{m}', f'setp.gt.u32 p, %0, 1; vote.sync.{m}.pred p, p, -1;', ('count',))
    add('vote.ballot', '{.reg .pred p; setp.gt.u32 p, %0, 9; vote.sync.ballot.b32 %d, p, -1;}', 'b32', ('count',))
    for b in ['b32', 'b64']:
        small = f'cvt.u64.u32 w, %0; and.b64 w, w, 3; mul.lo.u64 w, w, 0x100000001;' if b == 'b64' else 'and.b32 w, %0, 3;'
        add(f'match.any.{b}', f'{{.reg .{b} w; {small} match.any.sync.{b} %d, w, -1;}}', 'b32', ('count',))
        add(f'match.all.{b}',
            f'{{.reg .{b} w; .reg .pred p; {small} match.all.sync.{b} %d0|p, w, -1; selp.u32 %d1, 1, 0, p;}}', ['b32', 'b32'],
            ('count',))
    for o, types in [('add', ['u32', 's32']), ('min', ['u32', 's32']), ('max', ['u32', 's32']), ('and', ['b32']),
                     ('or', ['b32']), ('xor', ['b32'])]:
        for t in types:
            add(f'redux.{o}.{t}', f'redux.sync.{o}.{t} %d, %0, -1;', 'b32', (t,), 80)
            add(f'redux.{o}.{t}.some', '{.reg .pred p; .reg .b32 m; setp.gt.u32 p, %1, 17; vote.sync.ballot.b32 m, p, -1;'
                f' mov.u32 %d, 0; @p redux.sync.{o}.{t} %d, %0, m;}}', 'b32', (t, 'count'), 80)
    add('elect', '{.reg .pred p; elect.sync %d0|p, -1; selp.u32 %d1, 1, 0, p;}', ['b32', 'b32'], ('b32',), 90)
    add('activemask', 'activemask.b32 %d;', 'b32')
    add('bar.warp.sync', 'bar.warp.sync -1; mov.u32 %d, %0;', 'b32')
    for n in [1, 2, 4]:
        registers = ', '.join(f'%d{i}' for i in range(n))
        sources = ', '.join(f'%{i}' for i in range(n))
        for t in ['', '.trans']:
            add(f'ldmatrix.x{n}{t}',
                (f'ldmatrix.sync.aligned.m8n8.x{n}{t}.shared.b16 {{{registers}}}, [%sp];'), ['b32'] * n)
            add(f'stmatrix.x{n}{t}', f'stmatrix.sync.aligned.m8n8.x{n}{t}.shared.b16 [%sp], {{{sources}}}; mov.u32 %d, 1;',
                'b32', ['b32'] * n, 90)
    add('movmatrix', 'movmatrix.sync.aligned.m8n8.trans.b16 %d, %0;', 'b32')


def fragment(letter, first, count):
    return '{' + ', '.join(f'%{letter}{first + i}' for i in range(count)) + '}'


def mma(instruction, result, a, b, c, since=75, last=''):
    """`a` and the like: (type, registers)."""
    operands = [a[0]] * a[1] + [b[0]] * b[1] + [c[0]] * c[1] + ([('pairs' if 'tf32' in instruction else 'b32')] if last else [])
    text = (f'{instruction} {fragment("d", 0, result[1])}, {fragment("", 0, a[1])}, {fragment("", a[1], b[1])}, '
            f'{fragment("", a[1] + b[1], c[1])}{last.replace("META", f"%{len(operands) - 1}")};')
    name = instruction.replace('.sync.aligned', '') + (last[-1] if last else '')
    add(name, text, [result[0]] * result[1], operands, since)


def matrix():
    m = 'mma.sync.aligned'
    f32 = ('mf32', 4)
    for shape, a, b in [('m16n8k8', 2, 1), ('m16n8k16', 4, 2)]:
        since = 75 if shape == 'm16n8k8' else 80
        mma(f'{m}.{shape}.row.col.f16.f16.f16.f16', ('b32', 2), ('mf16', a), ('mf16', b), ('mf16', 2), since)
        mma(f'{m}.{shape}.row.col.f32.f16.f16.f32', ('f32', 4), ('mf16', a), ('mf16', b), f32, since)
        mma(f'{m}.{shape}.row.col.f32.bf16.bf16.f32', ('f32', 4), ('mbf16', a), ('mbf16', b), f32, 80)
    for l, r, d, c in itertools.product(['row', 'col'], ['row', 'col'], ['f16', 'f32'], ['f16', 'f32']):
        if (d, c) != ('f16', 'f32'):
            mma(f'{m}.m8n8k4.{l}.{r}.{d}.f16.f16.{c}', ('b32', 4) if d == 'f16' else ('f32', 8), ('mf16', 2), ('mf16', 2),
                ('mf16', 4) if c == 'f16' else ('mf32', 8))
    for shape, a, b in [('m16n8k4', 2, 1), ('m16n8k8', 4, 2)]:
        mma(f'{m}.{shape}.row.col.f32.tf32.tf32.f32', ('f32', 4), ('mtf32', a), ('mtf32', b), f32, 80)
    mma(f'{m}.m8n8k4.row.col.f64.f64.f64.f64', ('f64', 2), ('mf64', 1), ('mf64', 1), ('mf64', 2), 80)
    for shape, a, b in [('m16n8k4', 2, 1), ('m16n8k8', 4, 2), ('m16n8k16', 8, 4)]:
        mma(f'{m}.{shape}.row.col.f64.f64.f64.f64', ('f64', 4), ('mf64', a), ('mf64', b), ('mf64', 4), 90)
    for s, t, u in itertools.product(['', '.satfinite'], 'us', 'us'):
        for shape, a, b, c in [('m8n8k16', 1, 1, 2), ('m16n8k16', 2, 1, 4), ('m16n8k32', 4, 2, 4)]:
            mma(f'{m}.{shape}.row.col{s}.s32.{t}8.{u}8.s32', ('b32', c), ('b32', a), ('b32', b), ('s32', c),
                75 if c == 2 else 80)
        for shape, a, b, c in [('m8n8k32', 1, 1, 2), ('m16n8k32', 2, 1, 4), ('m16n8k64', 4, 2, 4)]:
            mma(f'{m}.{shape}.row.col{s}.s32.{t}4.{u}4.s32', ('b32', c), ('b32', a), ('b32', b), ('s32', c),
                75 if c == 2 else 80)
    for o in ['xor', 'and']:
        for shape, a, b, c in [('m8n8k128', 1, 1, 2), ('m16n8k128', 2, 1, 4), ('m16n8k256', 4, 2, 4)]:
            mma(f'{m}.{shape}.row.col.s32.b1.b1.s32.{o}.popc', ('b32', c), ('b32', a), ('b32', b), ('s32', c),
                75 if c == 2 and o == 'xor' else 80)
    for t, u in itertools.product(['e4m3', 'e5m2'], ['e4m3', 'e5m2']):
        for shape, a, b in [('m16n8k16', 2, 1), ('m16n8k32', 4, 2)]:
            mma(f'{m}.{shape}.row.col.f32.{t}.{u}.f32', ('f32', 4), ('m' + t, a), ('m' + u, b), f32, 89)
            mma(f'{m}.{shape}.row.col.f16.{t}.{u}.f16', ('b32', 2), ('m' + t, a), ('m' + u, b), ('mf16', 2), 89)
    for kind in ['', '::ordered_metadata']:
        s = f'mma.sp{kind}.sync.aligned'
        run = [('m16n8k16', 'f16', 'f16', 2, 2, 'mf16', 2), ('m16n8k32', 'f16', 'f32', 4, 4, 'mf16', 4),
               ('m16n8k16', 'bf16', 'f32', 2, 2, 'mbf16', 2), ('m16n8k32', 'bf16', 'f32', 4, 4, 'mbf16', 1),
               ('m16n8k8', 'tf32', 'f32', 2, 2, 'mtf32', 2), ('m16n8k16', 'tf32', 'f32', 4, 4, 'mtf32', 2)]
        for shape, t, d, a, b, operand, selectors in run:
            out = ('b32', 2) if d == 'f16' else ('f32', 4)
            for selector in range(selectors if selectors < 4 else 1):
                mma(f'{s}.{shape}.row.col.{d}.{t}.{t}.{d}', out, (operand, a), (operand, b),
                    ('mf16', 2) if d == 'f16' else f32, 80, f', META, {selector}')
        for shape, t, a, b in [('m16n8k32', 's8', 2, 2), ('m16n8k64', 'u8', 4, 4)]:
            mma(f'{s}.{shape}.row.col.s32.{t}.s8.s32', ('b32', 4), ('b32', a), ('b32', b), ('s32', 4), 80, ', META, 0')


def memory():
    spaces = [('.global', '%gp', 75), ('.shared', '%sp', 75), ('.local', '%lp', 75), ('', '%gn', 75), ('', '%ss', 75)]
    for space, at, since in spaces:
        tag = space + ('.generic_shared' if at == '%ss' else '')
        for t in ['u8', 's8', 'u16', 's16', 'u32', 'u64', 'f32', 'f64']:
            add(f'ld{tag}.{t}', f'ld{space}.{t} %d, [{at}+8];', t, (t,), since)
            add(f'st{tag}.{t}', f'st{space}.{t} [{at}+8], %0; mov.u32 %d, 1;', 'b32', (t,), since)
        for count, t in [(2, 'u8'), (4, 'u8'), (2, 'u16'), (4, 'u16'), (2, 'u32'), (4, 'u32'), (2, 'u64')]:
            registers = ', '.join(f'q{i}' for i in range(count))
            add(f'ldst{tag}.v{count}.{t}',
                f'{{.reg .{REGISTER[t]} {registers}; ld{space}.v{count}.{t} {{{registers}}}, [{at}+16]; '
                f'st{space}.v{count}.{t} [{at}+32], {{{registers}}}; mov.u32 %d, 1;}}', 'b32', (t,), since)
        if space == '.local':
            continue
        for scope in ['cta', 'gpu', 'sys', 'cluster']:
            after = 90 if scope == 'cluster' else since
            for order in ['relaxed', 'acquire']:
                add(f'ld.{order}.{scope}{tag}', f'ld.{order}.{scope}{space}.u32 %d, [{at}+4];', 'b32', ('b32',), after)
            for order in ['relaxed', 'release']:
                add(f'st.{order}.{scope}{tag}', f'st.{order}.{scope}{space}.u32 [{at}+4], %0; mov.u32 %d, 1;', 'b32', ('b32',),
                    after)
        add(f'ld.volatile{tag}', f'ld.volatile{space}.u32 %d, [{at}];', 'b32', ('b32',), since)
    add('ldst.b128', '{.reg .b128 q; ld.global.b128 q, [%gp]; st.global.b128 [%gp+16], q; mov.u32 %d, 1;}', 'b32')
    for m in ['ca', 'cg', 'cs', 'lu', 'cv', 'L1::no_allocate', 'L1::evict_last', 'L1::evict_first', 'L1::evict_unchanged',
              'L1::evict_normal', 'nc']:
        add(f'ld.global.{m}', f'ld.global.{m}.u32 %d, [%gp];', 'b32')
    for m in ['wb', 'cg', 'cs', 'wt', 'L1::no_allocate']:
        add(f'st.global.{m}', f'st.global.{m}.u32 [%gp], %0; mov.u32 %d, 1;', 'b32')
    for m in ['L2::64B', 'L2::128B', 'L2::256B']:
        add(f'ld.global.{m}', f'ld.global.{m}.u32 %d, [%gp];', 'b32', ('b32',), 80)
    add('ld.cache_hint', '{.reg .b64 h; createpolicy.fractional.L2::evict_last.b64 h, 0.5; '
        'ld.global.L2::cache_hint.u32 %d, [%gp], h;}', 'b32', ('b32',), 80)
    add('createpolicy.range', '{.reg .b64 h; createpolicy.range.global.L2::evict_last.L2::evict_first.b64 h, [%gp], 64, 128; '
        'ld.global.L2::cache_hint.u32 %d, [%gp], h;}', 'b32', ('b32',), 80)
    for space, at in itertools.product(['global', 'shared', 'local', 'const', 'shared::cluster', 'shared::cta'],
                                       ['%gn', '%ss', '%ls']):
        flag(f'isspacep.{space}.of_{at[1:]}', f'isspacep.{space} p, {at};', ('b32',), 90 if '::' in space else 75)
    for n in [4, 8, 16]:
        copy = f'cp.async.ca.shared.global [%sp+16], [%gp+32], {n}'
        add(f'cp.async.{n}', f'{copy}; cp.async.commit_group; cp.async.wait_group 0; mov.u32 %d, 1;', 'b32', ('b32',), 80)
        add(f'cp.async.{n}.size', f'{{.reg .b32 n; and.b32 n, %0, {n - 1}; {copy}, n; cp.async.wait_all; mov.u32 %d, 1;}}', 'b32',
            ('b32',), 80)
        add(f'cp.async.{n}.ignore',
            f'{{.reg .pred p; setp.gt.u32 p, %0, 17; {copy}, p; cp.async.wait_all; mov.u32 %d, 1;}}', 'b32', ('count',), 80)
    add('cp.async.cg', 'cp.async.cg.shared.global.L2::128B [%sp], [%gp+32], 16; cp.async.wait_all; mov.u32 %d, 1;', 'b32',
        ('b32',), 80)


def atomics():
    kinds = [('add', ['u32', 's32', 'u64', 'f32', 'f64', 'f16', 'f16x2', 'bf16', 'bf16x2']), ('min', ['u32', 's32', 'u64', 's64']),
             ('max', ['u32', 's32', 'u64', 's64']), ('inc', ['u32']), ('dec', ['u32']), ('and', ['b32', 'b64']),
             ('or', ['b32', 'b64']), ('xor', ['b32', 'b64']), ('exch', ['b32', 'b64'])]
    for space, at in [('.global', '%gp'), ('.shared', '%sp'), ('', '%gn'), ('', '%ss')]:
        tag = space + ('.generic_shared' if at == '%ss' else '')
        for o, types in kinds:
            for t in types:
                exact = '.noftz' if t in ('f16', 'f16x2', 'bf16', 'bf16x2') else ''
                since = 90 if t.startswith('bf16') else 75
                add(f'atom{tag}.{o}.{t}', f'atom{space}.{o}{exact}.{t} %d, [{at}], %0;', t, (t,), since)
                if o != 'exch':
                    add(f'red{tag}.{o}.{t}', f'red{space}.{o}{exact}.{t} [{at}], %0; mov.u32 %d, 1;', 'b32', (t,), since)
        for t in ['b16', 'b32', 'b64']:
            # Half of the threads compare with what is there.
            add(f'atom{tag}.cas.{t}',
                f'{{.reg .pred p; .reg .{t} w; ld{space}.{t} w, [{at}]; setp.gt.u32 p, %2, 17; @p mov.{t} w, %0; '
                f'atom{space}.cas.{t} %d, [{at}], w, %1;}}', t, (t, t, 'count'))
        add(f'atom{tag}.exch.b128',
            f'{{.reg .b128 q, r; mov.b128 r, {{%0, %1}}; atom{space}.exch.b128 q, [{at}], r; mov.b128 {{%d0, %d1}}, q;}}',
            ['b64', 'b64'], ('b64', 'b64'), 90)
        add(f'atom{tag}.cas.b128',
            f'{{.reg .pred p; .reg .b64 w; .reg .b128 q, r, s; ld{space}.b64 w, [{at}]; setp.gt.u32 p, %2, 17; '
            f'@p mov.b64 w, %0; .reg .b64 x; ld{space}.b64 x, [{at}+8]; mov.b128 r, {{w, x}}; mov.b128 s, {{%1, %0}}; '
            f'atom{space}.cas.b128 q, [{at}], r, s; mov.b128 {{%d0, %d1}}, q;}}',
            ['b64', 'b64'], ('b64', 'b64', 'count'), 90)
    for t, count in [('f32', 2), ('f32', 4), ('f16', 2), ('f16', 4), ('f16', 8), ('bf16', 2), ('bf16', 4), ('bf16', 8), ('f16x2', 2),
                     ('f16x2', 4), ('bf16x2', 2), ('bf16x2', 4)]:
        exact = '' if t == 'f32' else '.noftz'
        values = '{' + ', '.join(f'%{i}' for i in range(count)) + '}'
        olds = '{' + ', '.join(f'%d{i}' for i in range(count)) + '}'
        for o in ['add'] if t == 'f32' else ['add', 'min', 'max']:
            add(f'red.v{count}.{o}.{t}', f'red.global.{o}{exact}.v{count}.{t} [%gp], {values}; mov.u32 %d, 1;', 'b32',
                [t] * count, 90)
            add(f'atom.v{count}.{o}.{t}', f'atom.global.{o}{exact}.v{count}.{t} {olds}, [%gp], {values};', [t] * count,
                [t] * count, 90)
    for order, scope in itertools.product(['relaxed', 'acquire', 'release', 'acq_rel'], ['cta', 'gpu', 'sys', 'cluster']):
        add(f'atom.{order}.{scope}', f'atom.{order}.{scope}.global.add.u32 %d, [%gp], %0;', 'b32', ('b32',),
            90 if scope == 'cluster' else 75)


def control():
    after = [('nanosleep.u32 20', 75), ('griddepcontrol.wait', 90), ('griddepcontrol.launch_dependents', 90),
             ('membar.cta', 75), ('membar.gl', 75), ('membar.sys', 75), ('fence.sc.cta', 75), ('fence.sc.gpu', 75),
             ('fence.sc.sys', 75), ('fence.acq_rel.cta', 75), ('fence.acq_rel.gpu', 75), ('fence.sc.cluster', 90),
             ('fence.acq_rel.cluster', 90), ('fence.acq_rel.sys', 75), ('fence.proxy.async', 90),
             ('fence.proxy.async.global', 90), ('fence.proxy.async.shared::cta', 90),
             ('fence.mbarrier_init.release.cluster', 90), ('bar.sync 0', 75), ('bar.sync 1, 128', 75),
             ('barrier.sync 3', 75), ('barrier.sync 4, 128', 75), ('cp.async.commit_group', 80), ('cp.async.wait_group 2', 80),
             ('cp.async.wait_all', 80), ('prefetch.global.L1 [%gp]', 75), ('prefetch.global.L2 [%gp]', 75),
             ('prefetchu.L1 [%gn]', 75), ('prefetch.global.L2::evict_last [%gp]', 80),
             ('applypriority.global.L2::evict_normal [%gn], 128', 80), ('pmevent 3', 75), ('barrier.cluster.arrive', 90),
             ('barrier.cluster.arrive.relaxed.aligned', 90)]
    for text, since in after:
        wait = ' barrier.cluster.wait;' if 'cluster.arrive' in text else ''
        add(text, f'{text};{wait} mov.u32 %d, %0;', 'b32', ('b32',), since, run='prefetchu' not in text and 'apply' not in text)
    add('bar.red.popc', '{.reg .pred p; setp.gt.u32 p, %0, 17; barrier.red.popc.u32 %d, 1, p;}', 'b32', ('count',))
    add('bar.red.popc.n', '{.reg .pred p; setp.gt.u32 p, %0, 17; bar.red.popc.u32 %d, 1, 128, p;}', 'b32', ('count',))
    for o in ['and', 'or']:
        flag(f'bar.red.{o}', f'setp.gt.u32 p, %0, 0; bar.red.{o}.pred p, 1, p;', ('count',))
    number = '{.reg .b32 n; mov.u32 n, %ctaid.x; and.b32 n, n, 7; '
    add('barrier.sync.r', number + 'barrier.sync n; mov.u32 %d, 1;}', 'b32')
    add('barrier.sync.r.r', number + '.reg .b32 k; mov.u32 k, %ntid.x; barrier.sync n, k; mov.u32 %d, 1;}', 'b32')
    add('barrier.sync.i.r', '{.reg .b32 k; mov.u32 k, %ntid.x; barrier.sync 3, k; mov.u32 %d, 1;}', 'b32')
    add('barrier.red.r.r', number + '.reg .b32 k; .reg .pred p; mov.u32 k, %ntid.x; setp.gt.u32 p, %0, 17; '
        'barrier.red.popc.u32 %d, n, k, p;}', 'b32', ('count',))
    for name, type_ in [('tid.x', 'u32'), ('tid.y', 'u32'), ('ntid.x', 'u32'), ('ctaid.x', 'u32'), ('nctaid.x', 'u32'),
                        ('laneid', 'u32'), ('lanemask_eq', 'u32'), ('lanemask_le', 'u32'), ('lanemask_lt', 'u32'),
                        ('lanemask_ge', 'u32'), ('lanemask_gt', 'u32'), ('total_smem_size', 'u32'),
                        ('dynamic_smem_size', 'u32')]:
        add(f'sreg.{name}', f'mov.{type_} %d, %{name};', type_, ('b32',))
    for name in ['aggr_smem_size', 'clusterid.x', 'nclusterid.x', 'cluster_ctaid.x', 'cluster_nctaid.x', 'cluster_ctarank',
                 'cluster_nctarank']:
        add(f'sreg.{name}', f'mov.u32 %d, %{name};', 'u32', ('b32',), 90)
    flag('sreg.is_explicit_cluster', 'mov.pred p, %is_explicit_cluster;', ('b32',), 90)
    add('getctarank', 'getctarank.shared::cluster.u32 %d, %sp;', 'b32', ('b32',), 90)


def unrunnable():
    """What can only be compiled here: it needs partners, stops a program, or tells time and place."""
    def only(text, since=75, operands=('b32',)):
        add(text, text + ('' if '%d' in text else ' mov.u32 %d, 1;'), 'b32', operands, since, run=False)
    for name in ['warpid', 'nwarpid', 'smid', 'nsmid', 'clock', 'clock_hi', 'pm0', 'envreg3', 'globaltimer_lo', 'globaltimer_hi']:
        only(f'mov.u32 %d, %{name};')
    for text in ['trap;', 'exit;', 'brkpt;', 'nanosleep.u32 %0;', 'barrier.arrive %0, 64;', 'bar.arrive 2, 64;']:
        only(text)
    only('discard.global.L2 [%gn], 128;', 80)
    for text in ['mapa.shared::cluster.u32 %d, %sp, %0;', 'getctarank.u64 %d, %ss;',
                 'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%sp], [%gp], 16, [%sp+32];',
                 'cp.async.bulk.global.shared::cta.bulk_group [%gp], [%sp], 64; cp.async.bulk.commit_group; '
                 'cp.async.bulk.wait_group 0;',
                 'red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%sp], %0, [%sp+8];',
                 'st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%sp], %0, [%sp+8];',
                 'multimem.ld_reduce.relaxed.gpu.global.add.u32 %d, [%gp];',
                 'ld.shared::cluster.u32 %d, [%sp];', 'st.shared::cluster.v4.u32 [%sp], {%0, %0, %0, %0};',
                 'atom.shared::cluster.add.u32 %d, [%sp], %0;', 'red.shared::cluster.add.f32 [%sp], 0f3f800000;',
                 'atom.shared::cluster.cas.b32 %d, [%sp], %0, %0;', 'atom.shared::cluster.exch.b32 %d, [%sp], %0;',
                 'atom.shared::cluster.add.noftz.f16x2 %d, [%sp], %0;']:
        only(text, 90)
    for text in ['mbarrier.init.shared.b64 [%sp], %0;', 'mbarrier.inval.shared.b64 [%sp];',
                 '{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%sp]; cvt.u32.u64 %d, s;}',
                 '{.reg .b64 s; mbarrier.arrive.b64 s, [%ss]; cvt.u32.u64 %d, s;}',
                 '{.reg .b64 s; mbarrier.arrive.noComplete.shared.b64 s, [%sp], %0; cvt.u32.u64 %d, s;}',
                 '{.reg .b64 s; mbarrier.arrive_drop.shared.b64 s, [%sp]; cvt.u32.u64 %d, s;}',
                 '{.reg .b64 s; cvt.u64.u32 s, %0; mbarrier.pending_count.b64 %d, s;}',
                 '{.reg .pred p; .reg .b64 s; cvt.u64.u32 s, %0; mbarrier.test_wait.shared.b64 p, [%sp], s; '
                 'selp.u32 %d, 1, 0, p;}', 'cp.async.mbarrier.arrive.shared.b64 [%sp];',
                 'cp.async.mbarrier.arrive.noinc.shared.b64 [%sp];']:
        only(text, 80)
    for text in ['{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%sp], %0; cvt.u32.u64 %d, s;}',
                 'mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%sp];',
                 '{.reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%sp], %0; cvt.u32.u64 %d, s;}',
                 'mbarrier.expect_tx.relaxed.cta.shared.b64 [%sp], %0;',
                 'mbarrier.complete_tx.relaxed.cta.shared.b64 [%sp], %0;',
                 '{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%sp], %0; selp.u32 %d, 1, 0, p;}']:
        only(text, 90)


def combined():
    """What compilers make of programs and the families above lack: comparisons that combine, loads of constants, scopes."""
    compare = {'f': ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan'],
               'i': ['ne', 'le', 'gt', 'ge']}
    for t in ['f32', 'f64', 'u32', 's32', 'u64', 's64']:
        for c, b in itertools.product(compare['f' if t[0] == 'f' else 'i'], ['and', 'or', 'xor']):
            flag(f'setp.{c}.{b}.{t}', f'.reg .pred q; setp.eq.u32 q, %2, 3; setp.{c}.{b}.{t} p, %0, %1, q;', (t, t, 'count'))
    for t in ['u8', 's8', 'u16', 's16', 'u64', 'f32']:
        add(f'ld.global.nc.{t}', f'ld.global.nc.{t} %d, [%gp+8];', t)
    for count, t in [(2, 'u16'), (4, 'u16'), (2, 'u32'), (4, 'u32'), (2, 'u64')]:
        registers = ', '.join(f'%d{i}' for i in range(count))
        add(f'ld.global.nc.v{count}.{t}', f'ld.global.nc.v{count}.{t} {{{registers}}}, [%gp+16];', [t] * count)
    for t in ['u8', 's8', 'u16', 's16', 'u32', 'u64']:
        bytes_ = int(t[1:]) // 8
        place = f'and.b32 %d1, %0, {256 - bytes_}; mov.u64 e, edges_; cvt.u64.u32 o, %d1; add.u64 e, e, o;'
        add(f'ld.const.{t}', f'{{.reg .b64 e, o; {place} ld.const.{t} %d0, [e];}}', [t, 'b32'], ('b32',))
        add(f'ld.const.uniform.{t}', '{.reg .b64 e, o; .reg .b32 c; mov.u32 c, %ctaid.x; mul.wide.u32 o, c, 24; mov.u64 e, edges_; '
            f'add.u64 e, e, o; ld.const.{t} %d, [e];}}', t)
    for scope, at in itertools.product(['gpu', 'sys'], ['.global %gp', ' %gn']):
        space, pointer = at.split(' ')
        add(f'ldst.relaxed.{scope}{space}.u64', f'{{.reg .b64 q; ld.relaxed.{scope}{space}.u64 q, [{pointer}]; '
            f'st.relaxed.{scope}{space}.u64 [{pointer}+8], q; st.relaxed.{scope}{space}.u64 [{pointer}+16], %0; mov.u32 %d, 1;}}',
            'b32', ('b64',))
    for o, t in [('add', 'u32'), ('add', 'u64'), ('add', 'f32'), ('min', 's32'), ('max', 's32'), ('min', 'u32'), ('max', 'u32'),
                 ('and', 'b32'), ('or', 'b32'), ('xor', 'b32'), ('exch', 'b32'), ('exch', 'b64')]:
        add(f'atom.sys.{o}.{t}', f'atom.relaxed.sys.global.{o}.{t} %d, [%gp], %0;', t, (t,))
        if o != 'exch':
            add(f'red.sys.{o}.{t}', f'red.relaxed.sys.global.{o}.{t} [%gp], %0; mov.u32 %d, 1;', 'b32', (t,))
    add('atom.sys.cas', 'atom.relaxed.sys.global.cas.b32 %d, [%gp], %0, %1;', 'b32', ('b32', 'b32'))
    for factor in ['40000000', '40800000', '41000000', '3f000000', '3e800000', '3e000000']:
        add(f'mul.scaled.{factor}', f'mul.f32 %d, %0, 0f{factor}; mul.f32 %d, %d, %1;', 'f32', ('f32', 'f32'))
    for o in ['min', 'max']:
        add(f'add{o}.relu.s32', f'add.s32 %d, %0, %1; {o}.relu.s32 %d, %d, %2;', 's32', ('s32',) * 3, 90)
        add(f'{o}3.relu.s32', f'{o}.s32 %d, %0, %1; {o}.relu.s32 %d, %d, %2;', 's32', ('s32',) * 3, 90)
        for t in ['u16x2', 's16x2']:
            add(f'add{o}.{t}', f'add.{t} %d, %0, %1; {o}.{t} %d, %d, %2;', t, (t,) * 3, 90)
            add(f'{o}3.{t}', f'{o}.{t} %d, %0, %1; {o}.{t} %d, %d, %2;', t, (t,) * 3, 90)
        add(f'add{o}.relu.s16x2', f'add.s16x2 %d, %0, %1; {o}.relu.s16x2 %d, %d, %2;', 's16x2', ('s16x2',) * 3, 90)
        add(f'{o}3.relu.s16x2', f'{o}.s16x2 %d, %0, %1; {o}.relu.s16x2 %d, %d, %2;', 's16x2', ('s16x2',) * 3, 90)


IMMEDIATE = {'b16': '0x1234', 'b32': '0x12345678', 'b64': '0x1234567812345678', 'f32': '0f40490FDB', 'f64': '0d400921FB00000000'}


def load(i, type_, source):
    """Operand i. One that all threads share, a parameter, goes through the uniform datapath where that can do it."""
    register = REGISTER[type_]
    if source == 'p':
        return f'ld.param.{MOVE[register]} s{i}_, [records+{8 + 8 * i}];'
    if source == 'i':
        return f'mov.{register} s{i}_, {IMMEDIATE[register]};'
    return f'ld.global.{MOVE[register]} s{i}_, [g_+{OPERANDS + 8 * i}];'


def kernel(index, snippet, sources='m'):
    name, text, results, operands, _, _ = snippet
    shape = '\n.explicitcluster .reqnctapercluster 2, 1, 1' if text.startswith('.cluster ') else ''
    text = text.removeprefix('.cluster ')
    slug = re.sub(r'[^A-Za-z0-9]+', '_', name).strip('_')[:40]
    label = f'p{index:04d}_{slug}__' + '_'.join(NAMES_TYPE.get(t, t) for t in operands)
    registers = [f'.reg .{REGISTER[t]} s{i}_;' for i, t in enumerate(operands)]
    registers += [f'.reg .{REGISTER[t]} d{i}_;' for i, t in enumerate(results)]
    loads = [load(i, t, sources[i % len(sources)]) for i, t in enumerate(operands)]
    stores = [f'st.global.{MOVE[REGISTER[t]]} [g_+{RESULTS + 8 * i}], d{i}_;' for i, t in enumerate(results)]
    body = re.sub(r'%d(\d+)', r'd\1_', text)
    body = re.sub(r'%d\b', 'd0_', body)
    body = re.sub(r'%(\d+)', r's\1_', body)
    places = {'%gp': 'g_', '%gn': 'n_', '%sp': 's_', '%ss': 'ss_', '%lp': 'l_', '%ls': 'ls_'}
    used = {place for place in places if re.search(place + r'\b', body)}
    for place, register in places.items():
        body = re.sub(place + r'\b', register, body)
    before, after, memory_ = [], [], []
    copy = [('s_', 'shared', SHARED_BACK, {'%sp', '%ss'}), ('l_', 'local', LOCAL_BACK, {'%lp', '%ls'})]
    for register, space, back, by in copy:
        if not used & by:
            continue
        size = THREAD_BYTES * (128 if space == 'shared' else 1)
        memory_.append(f'.{space} .align 16 .b8 {space}_[{size}];')
        before.append(f'mov.u32 {register}, {space}_;')
        if space == 'shared':
            before.append(f'mad.lo.u32 s_, t_, {THREAD_BYTES}, s_;')
        for at in range(0, THREAD_BYTES, 16):
            before.append(f'ld.global.v4.u32 {{a_, b_, c_, e_}}, [g_+{at}]; '
                          f'st.{space}.v4.u32 [{register}+{at}], {{a_, b_, c_, e_}};')
            after.append(f'ld.{space}.v4.u32 {{a_, b_, c_, e_}}, [{register}+{at}]; '
                         f'st.global.v4.u32 [g_+{back + at}], {{a_, b_, c_, e_}};')
        before.append(f'cvt.u64.u32 {"ss_" if space == "shared" else "ls_"}, {register}; '
                      f'cvta.{space}.u64 {"ss_" if space == "shared" else "ls_"}, {"ss_" if space == "shared" else "ls_"};')
        if space == 'shared':
            before.append('bar.sync 0;')
            after.insert(0, 'bar.sync 0;')
    lines = ['.reg .b64 g_, n_, ss_, ls_, o_; .reg .b32 s_, l_, t_, a_, b_, c_, e_, i_;', *memory_, ' '.join(registers),
             'ld.param.u64 n_, [records]; mov.u32 t_, %ctaid.x; mov.u32 a_, %tid.x; mad.lo.u32 i_, t_, 128, a_; mov.u32 t_, a_;',
             'mul.wide.u32 o_, i_, 512; add.u64 n_, n_, o_; cvta.to.global.u64 g_, n_;', *before, *loads, body, *stores, *after,
             'ret;']
    return f'.visible .entry {label}(.param .{"u64 records" if sources == "m" else f"align 8 .b8 records[{PARAMETERS}]"}){shape}\n{{\n' + '\n'.join(' ' + line for line in lines if line) + '\n}\n'


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument('arch')
    arguments.add_argument('--all', action='store_true')
    arguments.add_argument('--part', type=int)
    arguments.add_argument('--sources', default='m')
    chosen = arguments.parse_args()
    arch = int(chosen.arch.removeprefix('sm_'))
    for family in [integer, video, floating, conversions, warp, matrix, memory, atomics, control, unrunnable, combined]:
        family()
    for family in [rare_ptx.arithmetic, rare_ptx.video, rare_ptx.loads, rare_ptx.mbarriers, rare_ptx.copies, rare_ptx.packs,
                   rare_ptx.copies_in_shared, rare_ptx.of_three, rare_ptx.only_compiled]:
        family(add, op)
    kernels = [kernel(index, snippet, chosen.sources) for index, snippet in enumerate(snippets)
               if snippet[4] <= arch and (chosen.all or snippet[5])]
    if chosen.part is not None:
        kernels = kernels[chosen.part * PART:(chosen.part + 1) * PART]
    if kernels:
        print(f'.version 9.0\n.target sm_{arch}\n.address_size 64\n')
        if any('edges_' in text for text in kernels):
            print('.const .align 8 .b32 edges_[64] = {' + ', '.join(map(str, EDGES)) + '};\n')
        print('\n'.join(kernels))


main()
