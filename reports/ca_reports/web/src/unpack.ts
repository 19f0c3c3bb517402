// What ca_reports/render/pack.py packed, unpacked. Everything here is pure but `inflate`.

export type Row = [
  label: string, role: number, status: number, group: string, parameter: string,
  origin: string, place: string, shapes: string[], width: number, dx: number, dy: number,
  bends: number[][] | 0, inputs: number[], hidden: number[], reads: string[],
  code: string, before: string, beforeShapes: string[], values: [before: string, after: string][], cause: number,
];

export const ROLES = ["autograd", "aot", "accumulate", "hook", "call", "operator", "output"] as const;
export const STATUSES = ["same", "changed", "added", "removed"] as const;
const MARK = "¦";
const NUMBER = new RegExp(`(?:(\\\\n|")|\\b|(?=\\())([A-Za-z_]\\w*?_|inputs\\[|sizes\\[|\\(NodeCall )${MARK}([+-]\\d+)`, "g");
const LAYER = 58; // ca_reports.graphs.layout: NODE_HEIGHT + LAYER_GAP

export interface GraphNode {
  label: string; role: string; status: string; group: string; parameter: string;
  origin: string; place: string; shapes: string[]; width: number; x: number; y: number;
  inputs: number[]; hidden: number[]; reads: string[]; code: string; before: string;
  beforeShapes: string[]; users: number[];
  // Of a node that changed: which values, before and after, and whether it differs by itself.
  values: [before: string, after: string][]; isCause: boolean;
}

export interface Edge { from: number; to: number; points: number[] }

export interface Graph { nodes: GraphNode[]; edges: Edge[]; width: number; height: number }

export function undelta(parts: string[], base: string[]): string[] {
  return parts.flatMap((part) => {
    if (!part.startsWith("=")) return [part];
    const [start, count] = part.slice(1).split(" ").map(Number);
    return base.slice(start, start! + count!);
  });
}

// A function that gives the names in lines of JSON their numbers back; it remembers the last
// number of each name from line to line.
export function renumberer(): (json: string) => string {
  const uses = new Map<string, number>();
  const definitions = new Map<string, number>();
  return (json) => json.replace(NUMBER, (_, begins: string | undefined, name: string, step: string) => {
    // A name that begins a line of code is defined there; definitions count apart from uses.
    const last = begins === undefined ? uses : definitions;
    const number = (last.get(name) ?? 0) + Number(step);
    last.set(name, number);
    return `${begins ?? ""}${name}${number}`;
  });
}

export function decode(lines: string[], size: [number, number]): Graph {
  const number = renumberer();
  const nodes: GraphNode[] = [];
  const edges: Edge[] = [];
  let x = 0;
  let y = 0;
  lines.forEach((line, index) => {
    const row = JSON.parse(number(line)) as Partial<Row>;
    x += row[9] ?? 0;
    y += row[10] ?? 0;
    const inputs = (row[12] ?? []).map((back) => index - back);
    nodes.push({
      label: row[0] ?? "", role: ROLES[row[1] ?? 0] ?? "call", status: STATUSES[row[2] ?? 0] ?? "same",
      group: row[3] ?? "", parameter: row[4] ?? "", origin: row[5] ?? "", place: row[6] ?? "",
      shapes: row[7] ?? [], width: row[8] ?? 48, x, y, inputs,
      hidden: (row[13] ?? []).map((back) => index - back), reads: row[14] ?? [],
      code: row[15] ?? "", before: row[16] ?? "", beforeShapes: row[17] ?? [], users: [],
      values: row[18] ?? [], isCause: row[19] === 1,
    });
    const bends = row[11] || [];
    inputs.forEach((from, place) => edges.push({ from, to: index, points: (bends[place] ?? []).map((by) => by + x) }));
  });
  for (const edge of edges) {
    const from = nodes[edge.from];
    const to = nodes[edge.to];
    if (!from || !to) continue;
    from.users.push(edge.to);
    // One bend a layer: only its x is packed.
    edge.points = edge.points.flatMap((at, step) => [at, from.y + LAYER * (step + 1)]);
  }
  return { nodes, edges, width: size[0], height: size[1] };
}

// Positions in the order of the layers, for the arrow keys: same layer by x, else nearest in x.
export function neighbour(graph: Graph, at: number, key: string): number {
  const node = graph.nodes[at];
  if (!node) return at;
  if (key === "ArrowUp" || key === "ArrowDown") {
    const near = key === "ArrowUp" ? [...node.inputs, ...node.hidden] : node.users;
    return near.reduce((best, other) => {
      if (best < 0) return other;
      return Math.abs(graph.nodes[other]!.x - node.x) < Math.abs(graph.nodes[best]!.x - node.x) ? other : best;
    }, -1) < 0 ? at : near.reduce((best, other) =>
      Math.abs(graph.nodes[other]!.x - node.x) < Math.abs(graph.nodes[best]!.x - node.x) ? other : best);
  }
  const side = key === "ArrowRight" ? 1 : -1;
  let found = at;
  let distance = Infinity;
  graph.nodes.forEach((other, index) => {
    const away = (other.x - node.x) * side;
    if (other.y === node.y && away > 0 && away < distance) { found = index; distance = away; }
  });
  return found;
}

export function search(graph: Graph, text: string): number[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const found: number[] = [];
  graph.nodes.forEach((node, index) => {
    const all = `${node.label} ${node.origin} ${node.parameter} ${node.group} ${node.place} ${node.status} ${node.code}`.toLowerCase();
    if (words.every((word) => all.includes(word))) found.push(index);
  });
  return found;
}

export async function inflate(base64: string): Promise<{ head: unknown; lines: string[] }> {
  const bytes = Uint8Array.from(atob(base64.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const [head, ...lines] = (await new Response(stream).text()).split("\n");
  return { head: JSON.parse(head!), lines };
}
