// Bars narrower than a pixel are drawn together, and said to be.

export interface Bars { start: Float64Array; end: Float64Array; weight: Uint8Array }

export interface Bar { first: number; last: number; from: number; to: number; weight: number }

// Adds the differences up: `start` as steps from the bar before, both in `unit` seconds.
export function columns(start: number[], seconds: number[], weight: number[], unit: number): Bars {
  const bars = { start: new Float64Array(start.length), end: new Float64Array(start.length), weight: Uint8Array.from(weight) };
  let at = 0;
  start.forEach((step, index) => {
    at += step;
    bars.start[index] = at * unit;
    bars.end[index] = (at + (seconds[index] ?? 0)) * unit;
  });
  return bars;
}

// The first bar that ends after `time`; bars are in the order of their start.
export function firstAfter(bars: Bars, time: number): number {
  let low = 0;
  let high = bars.end.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bars.end[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

// What to draw between two times, `pixel` seconds a pixel: neighbours that fall into one
// pixel become one bar with the greatest weight among them (a miss is never hidden by hits).
export function visible(bars: Bars, from: number, to: number, pixel: number): Bar[] {
  const found: Bar[] = [];
  let last: Bar | undefined;
  for (let index = firstAfter(bars, from); index < bars.start.length; index++) {
    const start = bars.start[index]!;
    if (start > to) break;
    const end = bars.end[index]!;
    const weight = bars.weight[index]!;
    if (last && start - last.from < pixel && end - last.from < pixel) {
      last.last = index;
      last.to = Math.max(last.to, end);
      last.weight = Math.max(last.weight, weight);
    } else {
      last = { first: index, last: index, from: start, to: end, weight };
      found.push(last);
    }
  }
  return found;
}

// Round numbers for an axis: about `count` of them between `from` and `to`.
export function ticks(from: number, to: number, count: number): number[] {
  const rough = (to - from) / Math.max(1, count);
  if (!(rough > 0) || !Number.isFinite(rough)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((by) => by * power).find((by) => by >= rough) ?? rough;
  const found: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to && found.length < 200; at += step) found.push(at);
  return found;
}

export function duration(seconds: number): string {
  const size = Math.abs(seconds);
  if (size >= 1 || size === 0) return `${seconds.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)} s`;
  if (size >= 1e-3) return `${(seconds * 1e3).toFixed(size >= 0.01 ? 0 : 1)} ms`;
  return `${(seconds * 1e6).toFixed(0)} µs`;
}
