// Groups of a graph, AOT regions and the modules in them, folded into one node each. Pure.
import { layOut } from "./layout";
import type { Graph, GraphNode } from "./unpack";

// A node of what is shown: one of the graph's own (`path` is empty), or a folded group.
export interface ViewNode extends GraphNode { path: string; members: number[]; differing: number }

export interface View extends Graph {
  nodes: ViewNode[];
  // For each node of the whole graph the node of the view that it is, or is folded into.
  of: number[];
}

const MOST = 80; // nodes of a view that one still takes in
const FEW = 6; // so many differing nodes are shown with what is around them
const WORTH = 60; // a graph with fewer nodes than this is shown whole

// `aot0/blocks.1.norm` → `aot0`, `aot0/blocks`, `aot0/blocks.1`, `aot0/blocks.1.norm`.
export function prefixes(group: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < group.length; at++) if (group[at] === "." || group[at] === "/") found.push(group.slice(0, at));
  return group ? [...found, group] : [];
}

// For each level its groups that hold several nodes, and how many nodes are then left. A group
// with none in it is on every level below its own, too.
export function levels(graph: Graph): { paths: Set<string>; shown: number }[] {
  const counts = new Map<string, number>();
  const within = new Set<string>();
  let deepest = 0;
  for (const node of graph.nodes) {
    const found = prefixes(node.group);
    deepest = Math.max(deepest, found.length);
    found.forEach((path, level) => {
      counts.set(path, (counts.get(path) ?? 0) + 1);
      if (level) within.add(found[level - 1]!);
    });
  }
  const several = [...counts].filter(([, count]) => count > 1);
  return Array.from({ length: deepest }, (_, level) => {
    const here = several.filter(([path]) => {
      const depth = prefixes(path).length - 1;
      return depth === level || (depth < level && !within.has(path));
    });
    const folded = here.reduce((sum, [, count]) => sum + count - 1, 0);
    return { paths: new Set(here.map(([path]) => path)), shown: graph.nodes.length - folded };
  });
}

// What to fold at first: the deepest level that one can take in. Groups that differ stay open.
export function folded(graph: Graph): Set<string> {
  if (graph.nodes.length <= WORTH) return new Set();
  const found = levels(graph);
  const fits = found.filter((level) => level.shown <= MOST).at(-1);
  const best = fits ?? found.reduce((one, other) => (other.shown < one.shown ? other : one), { paths: new Set<string>(), shown: Infinity });
  const paths = new Set(best.paths);
  const differing = graph.nodes.filter((node) => node.status !== "same");
  if (differing.length <= FEW) differing.forEach((node) => prefixes(node.group).forEach((path) => paths.delete(path)));
  return paths;
}

// Opens a group; what is grouped within it stays folded.
export function open(graph: Graph, paths: Set<string>, path: string): void {
  paths.delete(path);
  const inside = graph.nodes.map((node) => prefixes(node.group)).filter((found) => found.includes(path));
  const counts = new Map<string, number>();
  for (const found of inside) {
    const next = found[found.indexOf(path) + 1];
    if (next) counts.set(next, (counts.get(next) ?? 0) + 1);
  }
  // A group that holds one other group only opens both.
  const only = counts.size === 1 ? [...counts][0]! : undefined;
  if (only && only[1] === inside.length) open(graph, paths, only[0]);
  else counts.forEach((count, next) => { if (count > 1) paths.add(next); });
}

// Opens every group that hides a node.
export function reveal(graph: Graph, paths: Set<string>, node: number): boolean {
  let changed = false;
  for (const path of prefixes(graph.nodes[node]?.group ?? "")) {
    if (!paths.has(path)) continue;
    open(graph, paths, path);
    changed = true;
  }
  return changed;
}

// The innermost group of a node that is not folded yet and holds others, too.
export function around(graph: Graph, paths: Set<string>, node: ViewNode): string {
  const group = node.path ? node.path : node.group;
  const found = prefixes(group).filter((path) => path !== node.path && !paths.has(path));
  const holds = (path: string): number => graph.nodes.filter((other) => prefixes(other.group).includes(path)).length;
  return found.reverse().find((path) => holds(path) > node.members.length) ?? "";
}

export function view(graph: Graph, paths: Set<string>): View {
  const of: number[] = [];
  const shown: ViewNode[] = [];
  const at = new Map<string, number>();
  graph.nodes.forEach((node, index) => {
    const path = prefixes(node.group).find((found) => paths.has(found)) ?? "";
    const known = path ? at.get(path) : undefined;
    if (known !== undefined) {
      shown[known]!.members.push(index);
      of.push(known);
      return;
    }
    if (path) at.set(path, shown.length);
    of.push(shown.length);
    shown.push({ ...node, path, members: [index], differing: node.status === "same" ? 0 : 1, inputs: [], hidden: [], users: [] });
  });
  const regions = new Set(graph.nodes.map((node) => /^aot\d+(?=\/|$)/.exec(node.group)?.[0] ?? ""));
  for (const [index, node] of shown.entries()) {
    node.inputs = mapped(node.members.flatMap((member) => graph.nodes[member]!.inputs), of, index);
    node.hidden = mapped(node.members.flatMap((member) => graph.nodes[member]!.hidden), of, index).filter((from) => !node.inputs.includes(from));
    if (node.members.length === 1) node.path = "";
    // Which region it is goes without saying where there is one only.
    else if (node.path) describe(graph, node, regions.size > 2 ? node.path : node.path.replace(/^aot\d+\//, ""));
  }
  const whole = shown.length === graph.nodes.length;
  const edges = whole ? graph.edges : shown.flatMap((node, to) => node.inputs.map((from) => ({ from, to, points: [] as number[] })));
  edges.forEach(({ from, to }) => shown[from]?.users.push(to));
  if (whole) return { ...graph, nodes: shown, of };
  const placed = layOut(shown.map((node) => node.label), shown.map((node) => node.inputs));
  shown.forEach((node, index) => {
    node.x = placed.x[index]!;
    node.y = placed.y[index]!;
    node.width = placed.width[index]!;
  });
  for (const edge of edges) edge.points = placed.bends.get(`${edge.from} ${edge.to}`) ?? [];
  return { nodes: shown, edges, width: placed.size[0], height: placed.size[1], of };
}

function mapped(nodes: number[], of: number[], own: number): number[] {
  return [...new Set(nodes.map((node) => of[node]!))].filter((node) => node !== own);
}

// A group says of itself what its members have in common.
function describe(graph: Graph, group: ViewNode, name: string): void {
  const members = group.members.map((member) => graph.nodes[member]!);
  const states = new Set(members.map((member) => member.status));
  const differ = members.filter((member) => member.status !== "same").length;
  group.status = states.size === 1 ? members[0]!.status : "changed";
  group.label = `${name} (${members.length})`;
  group.differing = differ;
  group.isCause = members.some((member) => member.isCause);
  // Causes speak for the group; what only follows is said where nothing else is.
  const speaking = members.filter((member) => member.isCause === group.isCause);
  const values = new Map(speaking.flatMap((member) => member.values).map((value) => [value.join("\n"), value]));
  group.values = [...values.values()];
  group.role = "group";
  group.group = group.path;
  group.parameter = group.origin = group.place = group.code = group.before = "";
  group.shapes = group.beforeShapes = group.reads = [];
}
