// Values as people read them: 3.2 µs, not 3200 ns.
import { grouped } from './lanes';

export interface Fact { short: string; unit: string; meaning: string; modelled: boolean }

export interface Scale { factor: number; unit: string }

const TIMES = ['ns', 'µs', 'ms', 's'];
const PREFIXES = ['', 'K', 'M', 'G', 'T'];

/** One unit for all of them, in which the least that is not 0 has a digit before the point. */
export function scaleOf(unit: string, values: (number | null | undefined)[]): Scale {
  const time = unit === 'ns';
  if (!time && !unit.startsWith('byte')) return { factor: 1, unit };
  const sizes = values.filter((value): value is number => typeof value === 'number' && value !== 0).map(Math.abs);
  const most = (time ? TIMES : PREFIXES).length - 1;
  let steps = 0;
  for (let least = Math.min(...sizes); sizes.length > 0 && least >= 1000 && steps < most; ++steps) least /= 1000;
  if (steps === 0) return { factor: 1, unit };
  return { factor: 1000 ** -steps, unit: time ? TIMES[steps] : `${PREFIXES[steps]}B${unit.slice(4)}` };
}

export function valueText(fact: Fact | undefined, value: number, scale: Scale): string {
  const scaled = value * scale.factor;
  const text = fact?.unit === '%' || !Number.isInteger(scaled) ? scaled.toFixed(2) : grouped(scaled);
  return fact?.modelled ? `~${text}` : text;
}
