"""PTX that programs hardly have: what is to be decoded (isa/tests/sweep_test.cpp), and run where it can be.

Each function takes `add` and `op` of make_ptx.py.
"""
import itertools

ANY = ('b32',)
FLOATS = ['f32', 'f64']


def arithmetic(add, op):
    """Runnable: operators, roundings and types that the families of make_ptx.py leave out."""
    for t in ['b16', 'b32', 'b64', 'u16', 's16', 'u32', 's32', 'u64', 's64', 'f32', 'f64']:
        op(f'slct.{t}.s32', t, t, t, 's32')
        op(f'slct.{t}.f32', t, t, t, 'f32')
        op(f'slct.ftz.{t}.f32', t, t, t, 'f32')
        add(f'selp.{t}', f'{{.reg .pred p; setp.gt.s32 p, %2, 17; selp.{t} %d, %0, %1, p;}}', t, (t, t, 'count'))
    for t in ['b16', 'b32', 'b64']:
        for c in ['eq', 'ne']:
            add(f'setp.pair.{c}.{t}', f'{{.reg .pred p, q; setp.{c}.{t} p|q, %0, %1; selp.u32 %d0, 1, 0, p; selp.u32 %d1, 1, 0, q;}}',
                ['b32', 'b32'], (t, t))
            add(f'setp.not.{c}.{t}', f'{{.reg .pred p, q; setp.gt.u32 q, %2, 17; setp.{c}.xor.{t} p, %0, %1, !q; '
                'selp.u32 %d, 1, 0, p;}', 'b32', (t, t, 'count'))
        op(f'cnot.{t}', t, t)
    for o in ['and', 'or', 'xor']:
        add(f'{o}.pred', f'{{.reg .pred p, q; setp.gt.u32 p, %0, 17; setp.lt.u32 q, %1, 20; {o}.pred p, p, q; not.pred q, p; '
            'selp.u32 %d0, 1, 0, p; selp.u32 %d1, 3, 2, q;}', ['b32', 'b32'], ('count', 'count'))
        op(f'{o}.b16', 'b16', 'b16', 'b16')
        if o != 'xor':
            add(f'lop3.{o}', f'{{.reg .pred p, q; setp.gt.u32 q, %3, 17; lop3.{o}.b32 %d0|p, %0, %1, %2, 0x96, q; '
                'selp.u32 %d1, 1, 0, p;}', ['b32', 'b32'], ('b32', 'b32', 'b32', 'count'))
    for t in FLOATS:
        for r, z in itertools.product(['', '.rn', '.rz'], ['', '.ftz', '.sat'] if t == 'f32' else ['']):
            for o in ['add', 'sub', 'mul']:
                op(f'{o}{r}{z}.{t}', t, t, t)
            if r:
                op(f'fma{r}{z}.{t}', t, t, t, t)
                op(f'mad{r}{z}.{t}', t, t, t, t)
        for c, b in itertools.product(['lt', 'neu', 'nan'], ['and', 'or', 'xor']):
            add(f'set.{c}.{b}.{t}', f'{{.reg .pred p; setp.gt.u32 p, %2, 17; set.{c}.{b}.u32.{t} %d, %0, %1, !p;}}', 'b32',
                (t, t, 'count'))
    for f in ['f16', 'f16x2', 'bf16', 'bf16x2']:
        since = 90 if f[0] == 'b' else 75
        for c, b in itertools.product(['le', 'ge', 'gt', 'equ', 'neu', 'leu', 'gtu'], ['and', 'or', 'xor']):
            add(f'set.{c}.{b}.{f}', f'{{.reg .pred p; setp.gt.u32 p, %2, 17; set.{c}.{b}.{f}.{f} %d, %0, %1, p;}}', f,
                (f, f, 'count'), since)
    # Complex products and sums of packed halves: sources exchanged, negated, picked.
    for f, since in [('f16x2', 75), ('bf16x2', 90)]:
        half = 'b16'
        take = f'{{.reg .{half} al, ah, bl, bh, nh; .reg .b32 x, y; mov.b32 {{al, ah}}, %0; mov.b32 {{bl, bh}}, %1; '
        negate = f'neg.{f[:-2]} nh, bh; '
        add(f'fma.complex.{f}', take + negate + f'mov.b32 x, {{al, al}}; fma.rn.{f} %d, x, %1, %2; mov.b32 x, {{ah, ah}}; '
            f'mov.b32 y, {{nh, bl}}; fma.rn.{f} %d, x, y, %d;}}', f, (f, f, f), since)
        for o in ['add', 'mul']:
            add(f'{o}.exchanged.{f}', take + negate + f'mov.b32 y, {{nh, bl}}; {o}.{f} %d, %0, y;}}', f, (f, f), since)
    for source, since in [('s32', 75), ('u32', 75)]:
        for t in ['u8', 's8', 'u16', 's16']:
            add(f'pack.{t}.{source}', '{.reg .b32 x, y, z; ' +
                ''.join(f'cvt.sat.{t}.{source} {r}, %{i}; ' for i, r in enumerate('xy')) +
                f'and.b32 x, x, {0xff if t[1:] == "8" else 0xffff}; shl.b32 y, y, {t[1:]}; or.b32 %d, x, y;}}', 'b32',
                (source, source), since)
    for c in ['cvt.rna.satfinite.tf32.f32']:
        op(c, 'tf32', 'f32', since=80)
    for a in ['u8', 's8', 'u16', 's16', 'u32', 's32', 'u64', 's64']:
        op(f'cvt.rzi.sat.{a}.f64', a, 'f64')
        op(f'cvt.rzi.sat.{a}.f16', a, 'f16')
        op(f'cvt.rzi.ftz.sat.{a}.f32', a, 'f32')
        for f in ['f16', 'f32', 'f64']:
            op(f'cvt.rn.sat.{f}.{a}', f, a)
    for f in ['f16', 'f32', 'f64']:
        op(f'cvt.sat.{f}.{f}', f, f)
        op(f'cvt.rni.sat.{f}.{f}', f, f)
    for r in ['rn', 'rz', 'rm', 'rp']:
        op(f'cvt.{r}.ftz.f16.f32', 'f16', 'f32')
        op(f'cvt.{r}.ftz.f32.f64', 'f32', 'f64')
        op(f'cvt.{r}.ftz.sat.f32.f64', 'f32', 'f64')
        op(f'cvt.{r}.ftz.sat.f16.f32', 'f16', 'f32')


def video(add, op):
    """Runnable: video instructions with parts of their operands, negated ones, and a second operation."""
    parts = ['', '.b0', '.b3', '.h1']
    for o in ['vadd', 'vsub', 'vabsdiff', 'vmin', 'vmax']:
        for a, b, last in itertools.product(parts[1:], parts[1:], ['min', 'max', 'add']):
            add(f'{o}.{a[1:]}{b[1:]}.{last}', f'{o}.s32.u32.s32.sat.{last} %d, %0{a}, %1{b}, %2;', 'b32', ('b32',) * 3)
        for d in ['b0', 'b2', 'h0', 'h1']:
            add(f'{o}.to.{d}', f'{o}.u32.s32.s32.sat %d.{d}, %0, %1, %2;', 'b32', ('b32',) * 3)
        for lanes, mask, a, b in [(2, 'h10', 'h32', 'h10'), (2, 'h1', 'h12', 'h03'), (4, 'b210', 'b7531', 'b0246'),
                                  (4, 'b3', 'b4444', 'b3210')]:
            for last in ['.sat', '', '.add']:
                add(f'{o}{lanes}.{mask}{last}', f'{o}{lanes}.s32.u32.s32{last} %d.{mask}, %0.{a}, %1.{b}, %2;', 'b32',
                    ('b32',) * 3)
    for o, m, d in itertools.product(['vshl', 'vshr'], ['clamp', 'wrap'], ['u', 's']):
        for last in ['min', 'max', 'add']:
            add(f'{o}.{d}.{m}.{last}', f'{o}.{d}32.{d}32.u32.sat.{m}.{last} %d, %0.h1, %1, %2;', 'b32', ('b32', 'count', 'b32'))
    for a, b, c in [('', '', ''), ('-', '', ''), ('', '', '-'), ('', '', 'po')]:
        for shift, sat in itertools.product(['', '.shr7', '.shr15'], ['', '.sat']):
            po, minus = ('.po', '') if c == 'po' else ('', c)
            add(f'vmad{a}{c}{shift}{sat}', f'vmad.s32.s32.s32{po}{sat}{shift} %d, {a}%0.h0, {b}%1.h1, {minus}%2;', 'b32',
                ('b32',) * 3)
    for c, last in itertools.product(['eq', 'ne', 'lt', 'le', 'gt', 'ge'], ['', '.min', '.max', '.add']):
        third = ', %2' if last else ''
        add(f'vset.{c}{last}', f'vset.u32.s32.{c}{last} %d, %0.h1, %1.b2{third};', 'b32', ('b32',) * 3)
        for lanes in [2, 4]:
            if last in ('', '.add'):
                add(f'vset{lanes}.{c}{last}', f'vset{lanes}.u32.s32.{c}{last} %d, %0, %1, %2;', 'b32', ('b32',) * 3)


def loads(add, op):
    """Runnable: cache operators, eviction priorities and policies, prefetch sizes, types."""
    policy = '{.reg .b64 h; createpolicy.fractional.L2::evict_first.b64 h; '
    hints = ['', '.L1::evict_last', '.L1::no_allocate']
    for l1, l2, size in itertools.product(hints, ['', '.L2::cache_hint'], ['', '.L2::64B', '.L2::256B']):
        for nc in ['', '.nc']:
            for t in ['b8', 'b32', 'v4.b32', 'v2.b64']:
                if not (l1 or l2 or size):
                    continue
                count = int(t[1]) if t[0] == 'v' else 1
                kind = 'b64' if t.endswith('64') else 'b32'
                to = '{' + ', '.join(f'%d{i}' for i in range(count)) + '}' if count > 1 else '%d'
                text = f'ld.global{nc}{l1}{l2}{size}.{t} {to}, [%gp+16]{", h" if l2 else ""};'
                add('ld' + nc + l1[4:] + ('.hint' if l2 else '') + size[3:] + '.' + t, policy + text + '}' if l2 else text,
                    [kind] * count if t != 'b8' else 'u16', ANY, 80)
    for l1, t in itertools.product(hints, ['b8', 'b32', 'v4.b32', 'v2.b64']):
        count = int(t[1]) if t[0] == 'v' else 1
        value = '%0' if t != 'b8' else '%1'
        values = '{' + ', '.join([value] * count) + '}' if count > 1 else value
        kind = 'b64' if t.endswith('64') else 'b32'
        for hint in ['', '.L2::cache_hint']:
            text = f'st.global{l1}{hint}.{t} [%gp+16], {values}{", h" if hint else ""}; mov.u32 %d, 1;'
            add('st' + l1[4:] + ('.hint' if hint else '') + '.' + t, policy + text + '}' if hint else text, 'b32',
                (kind, 'u16'), 80)
    for o, t in [('add', 'u32'), ('add', 'f32'), ('add.noftz', 'f16x2'), ('exch', 'b64')]:
        add(f'atom.hint.{o}.{t}', f'{policy}atom.global.{o}.L2::cache_hint.{t} %d, [%gp], %0, h;}}', t, (t,), 80)
        if o != 'exch':
            add(f'red.hint.{o}.{t}', f'{policy}red.global.{o}.L2::cache_hint.{t} [%gp], %0, h; mov.u32 %d, 1;}}', 'b32', (t,), 80)
    for n, hint in itertools.product([4, 8, 16], ['', '.L2::cache_hint']):
        for size in ['.L2::64B', '.L2::256B']:
            text = f'cp.async.ca.shared.global{hint}{size} [%sp+16], [%gp+32], {n}{", h" if hint else ""}; cp.async.wait_all; mov.u32 %d, 1;'
            add(f'cp.async.{n}{"h" if hint else ""}{size[4:]}', policy + text + '}' if hint else text, 'b32', ANY, 80)
    for t in ['u8', 's16', 'u32', 'u64', 'f64']:
        add(f'ldu.{t}', f'ldu.global.{t} %d, [%gp+8];', t, ANY)
        for space, at in [('.global', '%gp'), ('.shared', '%sp'), ('', '%gn')]:
            add(f'ldst.volatile{space}.{t}', f'{{.reg .{"b16" if t in ("u8", "s16") else t} q; ld.volatile{space}.{t} q, [{at}+8]; '
                f'st.volatile{space}.{t} [{at}+24], q; mov.u32 %d, 1;}}', 'b32', ANY)
            add(f'ldst.weak{space}.{t}', f'{{.reg .{"b16" if t in ("u8", "s16") else t} q; ld.weak{space}.{t} q, [{at}+8]; '
                f'st.weak{space}.{t} [{at}+24], q; mov.u32 %d, 1;}}', 'b32', ANY)
    add('ldst.mmio', '{.reg .b32 q; ld.mmio.relaxed.sys.global.u32 q, [%gp]; st.mmio.relaxed.sys.global.u32 [%gp+4], q; '
        'mov.u32 %d, 1;}', 'b32', ANY)
    for fraction in ['.L2::evict_last', '.L2::evict_normal', '.L2::evict_unchanged', '.L2::evict_first']:
        second = '' if fraction == '.L2::evict_first' else '.L2::evict_unchanged'
        add(f'createpolicy{fraction}', f'createpolicy.fractional{fraction}{second}.b64 %d, 0.25;', 'b64', ANY, 80)
        add(f'createpolicy.range{fraction}', f'createpolicy.range.global{fraction}{second}.b64 %d, [%gn], %0, %1;', 'b64',
            ('count', 'count'), 80, False)
    add('createpolicy.cvt', 'createpolicy.cvt.L2.b64 %d, %0;', 'b64', ('b64',), 80, False)
    for space in ['global', 'local', 'const', 'shared', 'param']:
        at = {'global': '%gp', 'shared': '%sp', 'local': '%lp'}.get(space)
        if at == '%gp':
            add('cvta.global', '{.reg .b64 q; cvta.global.u64 q, %gp; sub.u64 %d, q, %gn;}', 'b64', ANY)
        elif at:
            add(f'cvta.to.{space}', f'{{.reg .b64 q, r; cvt.u64.u32 q, {at}; cvta.{space}.u64 r, q; cvta.to.{space}.u64 r, r; '
                'sub.u64 %d, r, q;}', 'b64', ANY)


def mbarriers(add, op):
    """Runnable: barriers in shared memory, one a thread and one a warp."""
    state = '{.reg .b64 s, u; .reg .pred p; .reg .b32 w, n; '
    mine = 'mbarrier.init.shared.b64 [%sp], 3000; '
    # One barrier for the warp: where its first lane's bytes lie. The lanes before have read their bytes already.
    warp = ('bar.sync 0; mov.u32 n, %laneid; shl.b32 n, n, 6; sub.u32 w, %sp, n; setp.eq.u32 p, n, 0; '
            '@p mbarrier.init.shared.b64 [w], 3000; bar.warp.sync -1; ')
    texts = [('arrive', 'mbarrier.arrive.shared.b64 s, [AT]; ', 80),
             ('arrive.noComplete', 'mbarrier.arrive.noComplete.shared.b64 s, [AT], 2; ', 80),
             ('arrive.noComplete.r', 'mbarrier.arrive.noComplete.shared.b64 s, [AT], %1; ', 80),
             ('arrive_drop', 'mbarrier.arrive_drop.shared.b64 s, [AT]; ', 80),
             ('arrive_drop.noComplete', 'mbarrier.arrive_drop.noComplete.shared.b64 s, [AT], 3; ', 80),
             ('arrive.count', 'mbarrier.arrive.shared.b64 s, [AT], 3; ', 90),
             ('arrive.expect', 'mbarrier.arrive.expect_tx.shared.b64 s, [AT], %1; ', 90),
             ('arrive_drop.expect', 'mbarrier.arrive_drop.expect_tx.shared.b64 s, [AT], %1; ', 90),
             ('expect', 'mbarrier.expect_tx.relaxed.cta.shared.b64 [AT], %1; mbarrier.arrive.shared.b64 s, [AT]; ', 90),
             ('complete', 'mbarrier.expect_tx.relaxed.cta.shared.b64 [AT], 32; mbarrier.complete_tx.relaxed.cta.shared.b64 [AT], 32; '
              'mbarrier.arrive.shared.b64 s, [AT]; ', 90),
             ('copies', 'cp.async.ca.shared.global [%sp+16], [%gp+32], 16; cp.async.mbarrier.arrive.shared.b64 [AT]; '
              'cp.async.wait_all; mbarrier.arrive.shared.b64 s, [AT]; ', 80),
             ('copies.noinc', 'cp.async.ca.shared.global [%sp+16], [%gp+32], 16; '
              'cp.async.mbarrier.arrive.noinc.shared.b64 [AT]; cp.async.wait_all; mbarrier.arrive.shared.b64 s, [AT]; ', 80)]
    for name, text, since in texts:
        for whose, begin in [('own', mine), ('warp', warp)]:
            at = '%sp' if whose == 'own' else 'w'
            if whose == 'own':
                # What a warp's lanes are told depends on who comes first, but how often is not.
                show = 'mbarrier.pending_count.b64 %d0, s; shr.u64 u, s, 63; cvt.u32.u64 %d1, u;'
            else:
                show = ('bar.warp.sync -1; mbarrier.arrive.shared.b64 u, [w]; mbarrier.pending_count.b64 %d0, u; '
                        'shr.u64 u, u, 63; cvt.u32.u64 %d1, u; bar.warp.sync -1; '
                        'redux.sync.max.u32 %d0, %d0, -1;')
            inval = f' bar.warp.sync -1; mbarrier.inval.shared.b64 [{at}]; bar.warp.sync -1; mov.b64 s, 0; st.shared.b64 [{at}], s;}}'
            for read in ['', '.twice']:
                again = text if read else ''
                add(f'mbarrier.{name}.{whose}{read}', state + begin + (text + again).replace('AT', at) + show + inval,
                    ['b32', 'b32'], ('b32', 'count'), max(since, 80))
    for phases, since in [(1, 80), (2, 80)]:
        for wait, more in [('test_wait.shared.b64 p, [%sp], s', 80), ('test_wait.parity.shared.b64 p, [%sp], 0', 80),
                           ('try_wait.shared.b64 p, [%sp], s', 90), ('try_wait.parity.shared.b64 p, [%sp], 1, 20', 90),
                           ('test_wait.acquire.cta.shared.b64 p, [%sp], s', 80)]:
            arrive = 'mbarrier.arrive.shared.b64 s, [%sp]; ' + 'mbarrier.arrive.shared.b64 u, [%sp]; ' * phases
            add(f'mbarrier.{wait[:16]}.{phases}', state + f'mbarrier.init.shared.b64 [%sp], 2; {arrive}mbarrier.{wait}; '
                'selp.u32 %d, 1, 0, p; mbarrier.inval.shared.b64 [%sp]; mov.b64 s, 0; st.shared.b64 [%sp], s;}', 'b32', ANY,
                max(since, more))


def counted(add, name, text, types, bytes_):
    at = '[%sp+32]'
    # What goes to the shared memory of a cluster needs one, of two blocks here.
    cluster = '' if '.global.mbarrier' in text else '.cluster '
    add(name, cluster + '{.reg .pred p; .reg .b64 h, q; .reg .b32 n; createpolicy.fractional.L2::evict_first.b64 h; mov.u32 n, ' + f'{bytes_}; '
        f'mbarrier.init.shared.b64 {at}, 1; fence.mbarrier_init.release.cluster; fence.proxy.async; '
        f'mbarrier.arrive.expect_tx.shared::cta.b64 _, {at}, {bytes_}; {text} '
        f'W: mbarrier.try_wait.parity.shared.b64 p, {at}, 0; @!p bra W; mbarrier.inval.shared.b64 {at}; mov.b64 q, 0; '
        f'st.shared.b64 {at}, q; mov.u32 %d, 1;}}', 'b32', types, 90)


def copies(add, op):
    """Runnable: the copy engine's runs of bytes, stores and additions that a barrier counts; all within a thread's own bytes."""
    at = '[%sp+32]'
    done = '.mbarrier::complete_tx::bytes'

    def grouped(name, text, types=ANY):
        add(name, '{.reg .b64 h; .reg .b32 n; createpolicy.fractional.L2::evict_first.b64 h; mov.u32 n, 32; bar.warp.sync -1; '
            f'fence.proxy.async; {text} cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; fence.proxy.async; mov.u32 %d, 1;}}',
            'b32', types, 90)

    for t, values, bytes_ in [('b32', '%0', 4), ('s64', '%1', 8), ('v2.u32', '{%0, %2}', 8), ('v4.b32', '{%0, %2, %0, %2}', 16),
                              ('v2.b64', '{%1, %1}', 16), ('v4.f32', '{%3, %3, %3, %3}', 16), ('f64', '%4', 8)]:
        counted(add, f'st.async.{t}', f'st.async.weak.shared::cluster{done}.{t} [%sp+16], {values}, {at};', ('b32', 'b64', 'b32', 'f32', 'f64'),
                bytes_)
    for o, types in [('add', ['u32', 's32', 'u64']), ('min', ['u32', 's32']), ('max', ['u32', 's32']), ('inc', ['u32']), ('dec', ['u32']),
                     ('and', ['b32']), ('or', ['b32']), ('xor', ['b32'])]:
        for t in types:
            counted(add, f'red.async.{o}.{t}', f'red.async.relaxed.cluster.shared::cluster{done}.{o}.{t} [%sp+8], %0, {at};', (t,),
                    int(t[1:]) // 8)
    for n, size in itertools.product([16, 32], ['', 'n']):
        for space, hint in itertools.product(['shared::cluster', 'shared::cta'], ['', '.L2::cache_hint']):
            counted(add, f'bulk.{space}.{n}{size}{hint}', f'cp.async.bulk.{space}.global{done}{hint} [%sp], [%gp+{32 if n == 32 else 48}], '
                    f'{size or n}, {at}{", h" if hint else ""};', ANY, n)
    counted(add, 'bulk.multicast', f'.reg .b16 m; mov.b16 m, 1; cp.async.bulk.shared::cluster.global{done}.multicast::cluster [%sp], '
            f'[%gp+32], 32, {at}, m;', ANY, 32)
    for n, size, hint in itertools.product([16, 32], ['', 'n'], ['', '.L2::cache_hint']):
        if (n, size) != (16, 'n'):
            grouped(f'bulk.global.{n}{size}{hint}', f'cp.async.bulk.global.shared::cta.bulk_group{hint} [%gp+{32 if n == 32 else 48}], '
                    f'[%sp], {size or n}{", h" if hint else ""};')
    for o, types in [('add', ['u32', 's32', 'u64', 'f32', 'f64', 'noftz.f16', 'noftz.bf16']),
                     ('min', ['u32', 's32', 'u64', 's64', 'f16', 'bf16']), ('max', ['u32', 's32', 'u64', 's64', 'f16', 'bf16']),
                     ('inc', ['u32']), ('dec', ['u32']), ('and', ['b32', 'b64']), ('or', ['b32', 'b64']), ('xor', ['b32', 'b64'])]:
        for t in types:
            operand = {'noftz.f16': 'f16x2', 'f16': 'f16x2', 'noftz.bf16': 'bf16x2', 'bf16': 'bf16x2'}.get(t, t)
            grouped(f'bulk.{o}.{t}', f'cp.reduce.async.bulk.global.shared::cta.bulk_group.{o}.{t} [%gp+32], [%sp], 32;', (operand,))
    grouped('bulk.add.hint', 'cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.u32 [%gp+32], [%sp], 32, h;')
    grouped('bulk.prefetch', 'cp.async.bulk.prefetch.L2.global [%gp], 32; cp.async.bulk.prefetch.L2.global.L2::cache_hint [%gp], n, h;')


def packs(add, op):
    """Runnable: a third operand that is the upper half of a register (I2IP with .H1)."""
    for t in ['u8', 's8']:
        add(f'pack.high.{t}', '{.reg .b16 l, h; .reg .b32 z; add.u32 z, %2, %0; mov.b32 {l, h}, z; mov.b32 z, {h, l}; '
            f'cvt.pack.sat.{t}.s32.b32 %d0, %0, %1, z; mov.b32 z, {{h, h}}; cvt.pack.sat.{t}.s32.b32 %d1, %1, %0, z;}}',
            ['b32', 'b32'], ('s32', 's32', 'b32'))
        add(f'pack.one.{t}', f'cvt.pack.sat.{t}.s32.b32 %d, %0, %1, 1;', 'b32', ('s32', 's32'))


def copies_in_shared(add, op):
    """Runnable: the copy engine from shared memory to shared memory."""
    at, done = '[%sp+32]', '.mbarrier::complete_tx::bytes'
    counted(add, 'bulk.shared.shared', f'cp.async.bulk.shared::cluster.shared::cta{done} [%sp+16], [%sp], 16, {at};', ANY, 16)
    for o, types in [('add', ['u32', 's32', 'u64']), ('min', ['u32', 's32']), ('max', ['u32', 's32']), ('inc', ['u32']), ('dec', ['u32']),
                     ('and', ['b32']), ('or', ['b32']), ('xor', ['b32'])]:
        for t in types:
            counted(add, f'bulk.shared.{o}.{t}', f'cp.reduce.async.bulk.shared::cluster.shared::cta{done}.{o}.{t} [%sp+16], [%sp], 16, {at};',
                    (t,), 16)


def of_three(add, op):
    """Runnable: the smallest and the largest of three halves, which ptxas makes one instruction (VHMNMX)."""
    for f, o, nan in itertools.product(['f16', 'f16x2', 'bf16', 'bf16x2'], ['min', 'max'], ['', '.NaN']):
        for flush in ['', '.ftz'] if f[0] == 'f' else ['']:
            i, r = f'{o}{flush}{nan}.{f}', 'b32' if f.endswith('x2') else 'b16'
            add(f'three.{i}', f'{{.reg .{r} z; {i} z, %0, %1; {i} %d, z, %2;}}', f, (f, f, f), 90)
            add(f'three.signs.{i}', f'{{.reg .{r} x, y, z; neg.{f} x, %0; abs.{f} y, %2; neg.{f} y, y; {i} z, x, %1; {i} %d, y, z;}}', f,
                (f, f, f), 90)


def only_compiled(add, op):
    """What needs partners, handles or another place to run."""
    def only(text, since=75, operands=ANY, result='b32'):
        add(text, text + ('' if '%d' in text else ' mov.u32 %d, 1;'), result, operands, since, False)
    textures(only)
    asynchronous(only)
    cluster(only)
    wmma(only)
    for name in ['tid.z', 'ntid.z', 'ctaid.z', 'nctaid.z', 'clusterid.z', 'nclusterid.z', 'cluster_ctaid.z', 'cluster_nctaid.z',
                 'reserved_smem_offset_begin', 'reserved_smem_offset_end', 'reserved_smem_offset_cap', 'reserved_smem_offset_0',
                 'reserved_smem_offset_1'] + [f'pm{i}' for i in range(8)] + [f'envreg{i}' for i in range(32)]:
        only(f'mov.u32 %d, %{name};', 90 if 'cluster' in name else 80 if 'reserved' in name else 75)
    for name in ['clock64', 'globaltimer', 'gridid', 'pm0_64', 'pm7_64', 'current_graph_exec']:
        only(f'mov.u64 %d, %{name};', result='b64')
    for text in ['pmevent.mask 0xa5;', 'pmevent 15;', 'membar.proxy.alias;', 'fence.proxy.alias;', 'prefetch.local.L1 [%lp];',
                 'prefetch.local.L2 [%lp];', 'prefetch.L1 [%gn];', 'prefetch.L2 [%gn];', 'barrier.cta.sync %0;',
                 'barrier.cta.arrive %0, 64;', 'barrier.cta.sync.aligned 0, 64;', 'bar.cta.sync %0, %0;',
                 'barrier.cta.red.popc.aligned.u32 %d, 3, 64, 1;', 'barrier.cta.arrive %0, %0;', 'bar.cta.arrive 3, %0;']:
        only(text)
    for text in ['discard.L2 [%gn], 128;', 'applypriority.L2::evict_normal [%gn], 128;',
                 'applypriority.global.L2::evict_normal [%gp], 128;', 'prefetch.global.L2::evict_normal [%gp];']:
        only(text, 80)
    for text in ['fence.acquire.cta;', 'fence.acquire.gpu;', 'fence.release.sys;', 'fence.acquire.cluster;', 'fence.release.cluster;',
                 'fence.acquire.sync_restrict::shared::cluster.cluster;', 'fence.release.sync_restrict::shared::cta.cluster;',
                 'fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;',
                 'fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;',
                 'fence.proxy.tensormap::generic.release.gpu;', 'fence.proxy.tensormap::generic.acquire.sys [%gn], 128;',
                 'prefetch.tensormap [%gn];', 'prefetch.const.tensormap [%gn];',
                 'tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%gp], [%sp], 128;']:
        only(text, 90)
    call = '{.reg .b64 f; .reg .b32 r; .global .align 8 .b64 table_[2];'
    only('{.reg .b64 a; .reg .b32 z; and.b32 z, %0, 63; add.u32 z, z, 16; cvt.u64.u32 a, z; alloca.u64 a, a; st.local.u32 [a], %0; '
         'ld.local.u32 %d, [a];}')
    only('{.reg .b64 a, k; stacksave.u64 k; cvt.u64.u32 a, %0; alloca.u64 a, a, 16; st.local.u32 [a], %0; ld.local.u32 %d, [a]; '
         'stackrestore.u64 k;}')
    del call
    for count in [4, 9, 40]:
        cases = ' '.join(f'C{i}: mul.lo.u32 %d, %0, {3 * i * i + 5}; xor.b32 %d, %d, {i}; bra D;' for i in range(count))
        names = ', '.join(f'C{i}' for i in range(count))
        only(f'{{.reg .b32 i; .reg .pred p; rem.u32 i, %0, {count}; T: .branchtargets {names}; mov.u32 %d, 0; brx.idx i, T; '
             f'{cases} D: }}')


def textures(only):
    geometry = {'1d': ('{%0}', '{%1}', 1), '2d': ('{%0, %0}', '{%1, %1}', 2), '3d': ('{%0, %0, %0, %0}', '{%1, %1, %1, %1}', 3),
                'a1d': ('{%0, %0}', '{%0, %1}', 1), 'a2d': ('{%0, %0, %0, %0}', '{%0, %1, %1, %1}', 2),
                'cube': (None, '{%1, %1, %1, %1}', 3), 'acube': (None, '{%0, %1, %1, %1}', 3)}
    operands = ('b32', 'f32', 'b64')
    for g, (whole, real, n) in geometry.items():
        for t in ['f32', 's32', 'u32', 'f16']:
            results = '.reg .b32 a, b, c, e; ' if t != 'f16' else '.reg .b16 a, b, c, e; '
            kind = {'f32': '.reg .f32 a, b, c, e; '}.get(t, results)
            show = ('{.reg .b32 y; ' + ('add.u32 y, a, b; add.u32 y, y, c; add.u32 %d, y, e;}' if t in 's32u32' else
                    'cvt.rzi.u32.f32 y, a; cvt.rzi.u32.f32 %d, e; add.u32 %d, y, %d; cvt.rzi.u32.f32 y, b; add.u32 %d, y, %d; '
                    'cvt.rzi.u32.f32 y, c; add.u32 %d, y, %d;}' if t == 'f32' else
                    'mov.b32 y, {a, b}; mov.b32 %d, {c, e}; add.u32 %d, %d, y;}'))
            for level, extra in [('', ''), ('.level', ', %1'), ('.grad', None)]:
                if extra is None:
                    if g in ('cube', 'acube'):
                        continue
                    slope = '{' + ', '.join(['%1'] * (1 if n == 1 else 2 if n == 2 else 4)) + '}'
                    extra = f', {slope}, {slope}'
                for coordinates, ct in [(real, 'f32'), (whole, 's32')]:
                    if coordinates is None or (ct == 's32' and level == '.grad'):
                        continue
                    at = ', %0' if ct == 's32' and level == '.level' else extra
                    only(f'{{{kind}tex{level}.{g}.v4.{t}.{ct} {{a, b, c, e}}, [%2, {coordinates}]{at}; {show}}}', 75, operands)
            if t in ('f32', 'u32') and g not in ('3d', '1d', 'a1d'):
                for component in 'rgba':
                    only(f'{{{kind}tld4.{component}.{g}.v4.{t}.f32 {{a, b, c, e}}, [%2, {real}]; {show}}}', 75, operands)
        if n < 3 or g == '3d':
            offset = '{' + ', '.join(['1', '-2', '3', '0'][:1 if n == 1 else 2 if n == 2 else 4]) + '}'
            show = 'cvt.rzi.u32.f32 %d, a;'
            only(f'{{.reg .f32 a, b, c, e; tex.{g}.v4.f32.f32 {{a, b, c, e}}, [%2, {real}], {offset}; {show}}}', 75, operands)
        if g in ('2d', 'a2d', 'cube', 'acube'):
            only(f'{{.reg .f32 a, b, c, e; tex.{g}.v4.f32.f32 {{a, b, c, e}}, [%2, {real}], %1; cvt.rzi.u32.f32 %d, a;}}', 75, operands)
        only(f'{{.reg .f32 a, b, c, e; .reg .pred p; tex.{g}.v4.f32.f32 {{a, b, c, e}}|p, [%2, {real}]; selp.u32 %d, 1, 0, p;}}',
             75, operands)
    for g, at in [('2dms', '{%0, %0, %0, %0}'), ('a2dms', '{%0, %0, %0, %0}')]:
        only(f'{{.reg .f32 a, b, c, e; tex.{g}.v4.f32.s32 {{a, b, c, e}}, [%2, {at}]; cvt.rzi.u32.f32 %d, a;}}', 75, operands)
    for query in ['width', 'height', 'depth', 'channel_data_type', 'channel_order', 'normalized_coords', 'array_size',
                  'num_mipmap_levels', 'num_samples']:
        only(f'txq.{query}.b32 %d, [%2];', 75, operands)
    only('txq.level.width.b32 %d, [%2], %0;', 75, operands)
    only('txq.level.depth.b32 %d, [%2], %0;', 75, operands)
    for query in ['width', 'height', 'depth', 'channel_data_type', 'channel_order', 'array_size', 'memory_layout']:
        only(f'suq.{query}.b32 %d, [%2];', 75, operands)
    surfaces = {'1d': '{%0}', '2d': '{%0, %0}', '3d': '{%0, %0, %0, %0}', 'a1d': '{%0, %0}', 'a2d': '{%0, %0, %0, %0}'}
    for g, at in surfaces.items():
        for mode in ['.trap', '.clamp', '.zero']:
            for t, register in [('b8', 'b16'), ('b16', 'b16'), ('b32', 'b32'), ('b64', 'b64')]:
                for v in [1, 2, 4]:
                    values = [f'v{i}' for i in range(v)]
                    names = '{' + ', '.join(values) + '}' if v > 1 else 'v0'
                    vector = f'.v{v}' if v > 1 else ''
                    if v == 4 and t == 'b64':
                        continue
                    only(f'{{.reg .{register} {", ".join(values)}; suld.b.{g}{vector}.{t}{mode} {names}, [%2, {at}]; '
                         f'sust.b.{g}{vector}.{t}{mode} [%2, {at}], {names};}}', 75, operands)
            for t in ['b32']:
                only(f'{{.reg .b32 a, b, c, e; ld.global.v4.u32 {{a, b, c, e}}, [%gp]; sust.p.{g}.v4.{t}{mode} [%2, {at}], '
                     '{a, b, c, e};}', 75, operands)
            if g[0] == 'a':
                continue
            for o, t in [('add', 'u32'), ('add', 'u64'), ('min', 's32'), ('max', 'u32'), ('and', 'b32'), ('or', 'b32'),
                         ('min', 's64'), ('max', 'u64')]:
                value = '%2' if t.endswith('64') else '%0'
                only(f'sured.b.{o}.{g}.{t}{mode} [%2, {at}], {value};', 75, operands)
            only(f'sured.p.add.{g}.b32{mode} [%2, {at}], %0;', 75, operands)


def asynchronous(only):
    policy = '{.reg .b64 h; createpolicy.fractional.L2::evict_first.b64 h; '
    done = '.mbarrier::complete_tx::bytes'
    for hint in ['', '.L2::cache_hint']:
        h = ', h' if hint else ''
        begin, end = (policy, '}') if hint else ('', '')
        wait = 'cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; '
        for space in ['shared::cluster', 'shared::cta']:
            only(f'{begin}cp.async.bulk.{space}.global{done}{hint} [%sp], [%gp], %0, [%sp+32]{h};{end}', 90)
        only(f'{begin}cp.async.bulk.shared::cluster.global{done}.multicast::cluster{hint} [%sp], [%gp], %0, [%sp+32], %1{h};{end}', 90,
             ('b32', 'b16'))
        only(f'{begin}cp.async.bulk.global.shared::cta.bulk_group{hint} [%gp], [%sp], %0{h}; {wait}{end}', 90)
        only(f'{begin}cp.async.bulk.prefetch.L2.global{hint} [%gp], %0{h};{end}', 90)
        for o, types in [('add', ['u32', 's32', 'u64', 'f32', 'f64', 'noftz.f16', 'noftz.bf16']), ('min', ['u32', 's32', 'u64', 's64', 'f16', 'bf16']),
                         ('max', ['u32', 's32', 'u64', 's64', 'f16', 'bf16']), ('inc', ['u32']), ('dec', ['u32']),
                         ('and', ['b32', 'b64']), ('or', ['b32', 'b64']), ('xor', ['b32', 'b64'])]:
            for t in types:
                only(f'{begin}cp.reduce.async.bulk.global.shared::cta.bulk_group{hint}.{o}.{t} [%gp], [%sp], %0{h}; {wait}{end}', 90)
        for n in range(1, 6):
            c = '{' + ', '.join(['%0'] * n) + '}'
            only(f'{begin}cp.async.bulk.tensor.{n}d.shared::cluster.global.tile{done}{hint} [%sp], [%gn, {c}], [%sp+32]{h};{end}', 90)
            only(f'{begin}cp.async.bulk.tensor.{n}d.shared::cluster.global.tile{done}.multicast::cluster{hint} [%sp], [%gn, {c}], '
                 f'[%sp+32], %1{h};{end}', 90, ('b32', 'b16'))
            only(f'{begin}cp.async.bulk.tensor.{n}d.global.shared::cta.tile.bulk_group{hint} [%gn, {c}], [%sp]{h}; {wait}{end}', 90)
            only(f'{begin}cp.async.bulk.prefetch.tensor.{n}d.L2.global.tile{hint} [%gn, {c}]{h};{end}', 90)
            for o in ['add', 'min', 'max', 'inc', 'dec', 'and', 'or', 'xor']:
                only(f'{begin}cp.reduce.async.bulk.tensor.{n}d.global.shared::cta.{o}.tile.bulk_group{hint} [%gn, {c}], [%sp]{h}; '
                     f'{wait}{end}', 90)
            if n > 2:
                offsets = '{' + ', '.join(['%1'] * (n - 2)) + '}'
                only(f'{begin}cp.async.bulk.tensor.{n}d.shared::cluster.global.im2col{done}{hint} [%sp], [%gn, {c}], [%sp+32], '
                     f'{offsets}{h};{end}', 90, ('b32', 'b16'))
                only(f'{begin}cp.async.bulk.tensor.{n}d.global.shared::cta.im2col_no_offs.bulk_group{hint} [%gn, {c}], [%sp]{h}; '
                     f'{wait}{end}', 90)
                only(f'{begin}cp.async.bulk.prefetch.tensor.{n}d.L2.global.im2col{hint} [%gn, {c}], {offsets}{h};{end}', 90,
                     ('b32', 'b16'))
    only('cp.async.bulk.wait_group 3;', 90)
    for t, values in [('b32', '%0'), ('u64', '%1'), ('v2.u32', '{%0, %0}'), ('v4.b32', '{%0, %0, %0, %0}'), ('v2.b64', '{%1, %1}'),
                      ('v4.f32', '{%2, %2, %2, %2}'), ('f64', '%3')]:
        only(f'st.async.weak.shared::cluster{done}.{t} [%sp], {values}, [%sp+32];', 90, ('b32', 'b64', 'f32', 'f64'))
    for o, types in [('add', ['u32', 's32', 'u64']), ('min', ['u32', 's32']), ('max', ['u32', 's32']), ('inc', ['u32']),
                     ('dec', ['u32']), ('and', ['b32']), ('or', ['b32']), ('xor', ['b32'])]:
        for t in types:
            value = '%1' if t == 'u64' else '%0'
            only(f'red.async.relaxed.cluster.shared::cluster{done}.{o}.{t} [%sp], {value}, [%sp+32];', 90, ('b32', 'b64'))
    for order, scope in itertools.product(['relaxed', 'release'], ['cta', 'cluster']):
        only(f'{{.reg .b64 s; mbarrier.arrive.{order}.{scope}.shared::cta.b64 s, [%sp]; cvt.u32.u64 %d, s;}}', 90)
        only(f'mbarrier.arrive.{order}.{scope}.shared::cluster.b64 _, [%sp], %0;', 90)
        only(f'mbarrier.arrive_drop.{order}.{scope}.shared::cluster.b64 _, [%sp], %0;', 90)
        only(f'mbarrier.arrive.expect_tx.{order}.{scope}.shared::cluster.b64 _, [%sp], %0;', 90)
        only(f'mbarrier.arrive_drop.expect_tx.{order}.{scope}.shared::cta.b64 _, [%sp], %0;', 90)
    for order, scope in itertools.product(['relaxed', 'acquire'], ['cta', 'cluster']):
        for kind in ['test_wait', 'try_wait']:
            only(f'{{.reg .pred p; mbarrier.{kind}.parity.{order}.{scope}.shared::cta.b64 p, [%sp], %0; selp.u32 %d, 1, 0, p;}}', 90)
    for scope in ['cta', 'cluster']:
        only(f'mbarrier.expect_tx.relaxed.{scope}.shared::cluster.b64 [%sp], %0;', 90)
        only(f'mbarrier.complete_tx.relaxed.{scope}.shared::cluster.b64 [%sp], %0;', 90)


def cluster(only):
    for text in ['barrier.cluster.arrive;', 'barrier.cluster.arrive.release;', 'barrier.cluster.arrive.aligned;',
                 'barrier.cluster.arrive.relaxed;', 'barrier.cluster.wait.acquire;', 'barrier.cluster.wait.aligned;',
                 'barrier.cluster.wait.acquire.aligned;']:
        only(text, 90)
    only('{.reg .b64 a; mapa.u64 a, %ss, %0; ld.u32 %d, [a];}', 90)
    only('{.reg .b32 a; mapa.shared::cluster.u32 a, %sp, 1; getctarank.shared::cluster.u32 %d, a;}', 90)
    for t in ['u8', 's16', 'u64', 'f64']:
        only(f'{{.reg .{"b16" if t in ("u8", "s16") else t} q; ld.shared::cluster.{t} q, [%sp]; st.shared::cluster.{t} [%sp+8], q;}}', 90)
    for o, types in [('add', ['u32', 's32', 'u64', 'f32', 'f64', 'noftz.f16', 'noftz.bf16', 'noftz.bf16x2']), ('min', ['u32', 's32', 'u64', 's64']),
                     ('max', ['u32', 's32', 'u64', 's64']), ('inc', ['u32']), ('dec', ['u32']), ('and', ['b32', 'b64']),
                     ('or', ['b32', 'b64']), ('xor', ['b32', 'b64']), ('exch', ['b32', 'b64'])]:
        for t in types:
            kind = {'noftz.f16': 'b16', 'noftz.bf16': 'b16', 'noftz.bf16x2': 'b32'}.get(t, t)
            only(f'{{.reg .{kind} q, r; ld.shared.{kind} q, [%sp]; atom.shared::cluster.{o}.{t} r, [%sp+8], q; '
                 f'st.shared.{kind} [%sp+16], r;}}', 90)
            if o != 'exch':
                only(f'{{.reg .{kind} q; ld.shared.{kind} q, [%sp]; red.shared::cluster.{o}.{t} [%sp+8], q;}}', 90)
    for t in ['b16', 'b32', 'b64']:
        only(f'{{.reg .{t} q; ld.shared.{t} q, [%sp]; atom.shared::cluster.cas.{t} q, [%sp+8], q, q; st.shared.{t} [%sp], q;}}', 90)
    for o, types in [('add', ['u32', 's32', 'u64', 'f16', 'f16x2', 'bf16', 'bf16x2']), ('min', ['u32', 's32', 'u64', 's64', 'f16x2', 'bf16x2']),
                     ('and', ['b32', 'b64']), ('or', ['b32', 'b64']), ('xor', ['b32', 'b64'])]:
        for t in types:
            kind = {'f16': 'b16', 'bf16': 'b16', 'f16x2': 'b32', 'bf16x2': 'b32'}.get(t, t)
            if kind != 'b16':
                only(f'{{.reg .{kind} q; multimem.ld_reduce.relaxed.gpu.global.{o}.{t} q, [%gp]; st.global.{kind} [%gp], q;}}', 90)
                if o != 'min' or 'x2' not in t:
                    only(f'{{.reg .{kind} q; ld.global.{kind} q, [%gp]; multimem.red.relaxed.gpu.global.{o}.{t} [%gp], q;}}', 90)
    for t, n in [('f16x2', 2), ('f16x2', 4), ('bf16x2', 4), ('f32', 2), ('f32', 4)]:
        registers = ', '.join(f'q{i}' for i in range(n))
        kind = 'f32' if t == 'f32' else 'b32'
        only(f'{{.reg .{kind} {registers}; multimem.ld_reduce.weak.global.add.v{n}.{t} {{{registers}}}, [%gp]; '
             f'multimem.red.relaxed.sys.global.add.v{n}.{t} [%gp], {{{registers}}}; '
             f'multimem.st.weak.global.v{n}.{t} [%gp+16], {{{registers}}};}}', 90)
    only('multimem.st.relaxed.sys.global.u32 [%gp], %0;', 90)


def wmma(only):
    """load, mma and store; fragments are what a warp's first lane's bytes lead to."""
    def tile(shape, a, b, c, d, an, bn, cn, dn, since, last='', kinds=('row', 'row')):
        names = {k: [f'{k}{i}' for i in range(n)] for k, n in [('a', an), ('b', bn), ('c', cn), ('d', dn)]}
        kind = {'f16': 'b32', 'f32': 'f32', 's32': 'b32', 'bf16': 'b32', 'tf32': 'b32', 'f64': 'f64'}
        def reg(t):
            return kind.get(t, 'b32')
        def group(k):
            return '{' + ', '.join(names[k]) + '}'
        la, lb = kinds
        text = '{' + ''.join(f'.reg .{reg(t)} {", ".join(names[k])}; ' for k, t in [('a', a), ('b', b), ('c', c), ('d', d)])
        text += f'wmma.load.a.sync.aligned.{la}.{shape}.shared.{a} {group("a")}, [%sp], 16; '
        text += f'wmma.load.b.sync.aligned.{lb}.{shape}.global.{b} {group("b")}, [%gp], 32; '
        text += f'wmma.load.c.sync.aligned.{la}.{shape}.global.{c} {group("c")}, [%gp], %0; '
        middle = {'f16': f'{d}.{c}', 'f64': 'rn.f64.f64.f64.f64'}.get(a, f'{d}.{a}.{b}.{c}')
        if a == 'f64':
            text += f'wmma.mma.sync.aligned.{la}.{lb}.{shape}.rn.f64.f64.f64.f64 {group("d")}, {group("a")}, {group("b")}, {group("c")}; '
        else:
            before = '' if not last.startswith('.xor') and not last.startswith('.and') else last
            after = '' if before else last
            text += f'wmma.mma{before}.sync.aligned.{la}.{lb}.{shape}.{middle}{after} {group("d")}, {group("a")}, {group("b")}, {group("c")}; '
        text += f'wmma.store.d.sync.aligned.{la}.{shape}.shared.{d} [%sp], {group("d")}, 16;}}'
        only(text, since)
    for shape in ['m16n16k16', 'm32n8k16', 'm8n32k16']:
        for l in itertools.product(['row', 'col'], ['row', 'col']):
            for c, d in itertools.product(['f16', 'f32'], ['f16', 'f32']):
                tile(shape, 'f16', 'f16', c, d, 8, 8, 4 if c == 'f16' else 8, 4 if d == 'f16' else 8, 75,
                     kinds=l)
            sizes = {'m16n16k16': (2, 2), 'm32n8k16': (4, 1), 'm8n32k16': (1, 4)}[shape]
            for t in ['u8', 's8']:
                for last in ['', '.satfinite']:
                    tile(shape, t, t, 's32', 's32', *sizes, 8, 8, 75, last, l)
            sizes = {'m16n16k16': (4, 4), 'm32n8k16': (8, 2), 'm8n32k16': (2, 8)}[shape]
            tile(shape, 'bf16', 'bf16', 'f32', 'f32', *sizes, 8, 8, 80, kinds=l)
    for l in itertools.product(['row', 'col'], ['row', 'col']):
        tile('m16n16k8', 'tf32', 'tf32', 'f32', 'f32', 4, 4, 8, 8, 80, kinds=l)
        tile('m8n8k4', 'f64', 'f64', 'f64', 'f64', 1, 1, 2, 2, 80, kinds=l)
    for t in ['u4', 's4']:
        tile('m8n8k32', t, t, 's32', 's32', 1, 1, 2, 2, 75, kinds=('row', 'col'))
    for o in ['.xor.popc', '.and.popc']:
        tile('m8n8k128', 'b1', 'b1', 's32', 's32', 1, 1, 2, 2, 75 if 'xor' in o else 80, o, ('row', 'col'))
