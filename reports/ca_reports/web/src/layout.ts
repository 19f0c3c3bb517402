// Where nodes go when groups are folded or opened: ca_reports/graphs/layout.py once more, which
// places the whole graph when the page is written. A test lays out the same graphs with both.

const NODE_HEIGHT = 28;
const LAYER_GAP = 30;
const NODE_GAP = 18;
const SWEEPS = 6;
const SHIFTS = 4;
const UPRIGHT = 0.975;
const LONGEST = 40;

export interface Layout {
  x: number[]; y: number[]; width: number[]; size: [number, number];
  // By `${from} ${to}`: x and y of the points between, one a layer.
  bends: Map<string, number[]>;
}

export function textWidth(label: string): number {
  return Math.min(240, Math.max(48, label.length * 7.3 + 20));
}

export function layOut(labels: string[], inputs: number[][]): Layout {
  const count = labels.length;
  const layer: number[] = [];
  inputs.forEach((sources, node) => {
    let last = -1;
    for (const source of sources) if (source < node) last = Math.max(last, layer[source]!);
    layer.push(last + 1);
  });
  sinkSources(layer, inputs);
  const width = labels.map(textWidth);
  const chains = new Map<string, number[]>();
  const above: number[][] = labels.map(() => []);
  const below: number[][] = labels.map(() => []);
  inputs.forEach((sources, node) => {
    for (const source of sources) {
      if (source >= node) continue;
      const span = layer[node]! - layer[source]!;
      if (span > LONGEST) continue;
      let last = source;
      if (span > 1) {
        const chain: number[] = [];
        for (let step = 1; step < span; step++) {
          const dummy = above.length;
          above.push([last]);
          below.push([]);
          layer.push(layer[source]! + step);
          width.push(2);
          chain.push(dummy);
          below[last]!.push(dummy);
          last = dummy;
        }
        chains.set(`${source} ${node}`, chain);
      }
      above[node]!.push(last);
      below[last]!.push(node);
    }
  });
  const rows: number[][] = Array.from({ length: Math.max(-1, ...layer) + 1 }, () => []);
  layer.forEach((at, node) => rows[at]!.push(node));
  order(rows, above, below);
  const x = place(rows, above, below, width);
  let left = Infinity;
  let right = -Infinity;
  for (let node = 0; node < count; node++) {
    left = Math.min(left, x[node]! - width[node]! / 2);
    right = Math.max(right, x[node]! + width[node]! / 2);
  }
  if (!count) left = right = 0;
  const y = layer.map((at) => at * (NODE_HEIGHT + LAYER_GAP) + NODE_HEIGHT / 2);
  const bends = new Map<string, number[]>();
  chains.forEach((chain, edge) => bends.set(edge, chain.flatMap((dummy) => [x[dummy]! - left, y[dummy]!])));
  return {
    x: x.slice(0, count).map((at) => at - left), y: y.slice(0, count), width: width.slice(0, count), bends,
    size: [right - left, Math.max(0, rows.length * (NODE_HEIGHT + LAYER_GAP) - LAYER_GAP)],
  };
}

// A node that has no drawn input goes next to its first user instead of to the top.
function sinkSources(layer: number[], inputs: number[][]): void {
  const first = new Map<number, number>();
  inputs.forEach((sources, node) => {
    for (const source of sources) {
      if (source < node) first.set(source, Math.min(first.get(source) ?? layer[node]!, layer[node]!));
    }
  });
  for (let node = inputs.length - 1; node >= 0; node--) {
    const user = first.get(node);
    if (user !== undefined && !inputs[node]!.some((source) => source < node)) layer[node] = Math.max(layer[node]!, user - 1);
  }
}

function order(rows: number[][], above: number[][], below: number[][]): void {
  const at = new Float64Array(above.length);
  const note = (row: number[]): void => row.forEach((node, index) => (at[node] = index - (row.length - 1) / 2));
  rows.forEach(note);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const down = sweep % 2 === 0;
    const near = down ? above : below;
    for (const row of down ? rows : [...rows].reverse()) {
      const key = new Map(row.map((node) => [node, mean(near[node]!, at) ?? at[node]!]));
      row.sort((one, other) => key.get(one)! - key.get(other)!);
      note(row);
    }
  }
}

function place(rows: number[][], above: number[][], below: number[][], width: number[]): number[] {
  const x = new Array<number>(above.length).fill(0);
  for (const row of rows) {
    let at = -(row.reduce((sum, node) => sum + width[node]!, 0) + NODE_GAP * Math.max(0, row.length - 1)) / 2;
    for (const node of row) {
      x[node] = at + width[node]! / 2;
      at += width[node]! + NODE_GAP;
    }
  }
  for (let shift = 0; shift < SHIFTS; shift++) {
    const down = shift % 2 === 0;
    const near = down ? above : below;
    for (const row of down ? rows : [...rows].reverse()) {
      const wanted = row.map((node) => {
        const middle = mean(near[node]!, x);
        return middle === undefined ? x[node]! : UPRIGHT * middle;
      });
      spread(wanted, row.map((node) => width[node]!)).forEach((to, index) => (x[row[index]!] = to));
    }
  }
  return x;
}

// The places nearest to `wanted`, in order and apart: least squares by pooling.
function spread(wanted: number[], width: number[]): number[] {
  let offset = 0;
  const offsets: number[] = [];
  const means: number[] = [];
  const counts: number[] = [];
  wanted.forEach((to, index) => {
    if (index) offset += (width[index - 1]! + width[index]!) / 2 + NODE_GAP;
    offsets.push(offset);
    let middle = to - offset;
    let count = 1;
    while (means.length && means.at(-1)! > middle) {
      const number = counts.pop()!;
      middle = (means.pop()! * number + middle * count) / (number + count);
      count += number;
    }
    means.push(middle);
    counts.push(count);
  });
  let index = 0;
  const found: number[] = [];
  means.forEach((middle, block) => {
    for (let left = counts[block]!; left > 0; left--) found.push(middle + offsets[index++]!);
  });
  return found;
}

function mean(nodes: number[], of: ArrayLike<number>): number | undefined {
  if (!nodes.length) return undefined;
  let sum = 0;
  for (const node of nodes) sum += of[node]!;
  return sum / nodes.length;
}
