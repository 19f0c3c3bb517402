// What the side panel says about a node, and the whole graph as a table.
import type { View, ViewNode } from "./groups";
import { TEXT } from "./text";
import type { Graph } from "./unpack";

const MOST = 40; // nodes that a list of the panel names
const FEW = 8; // a list of as many is open at first

export function element<Name extends keyof HTMLElementTagNameMap>(name: Name, text: string, className = ""): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

function button(text: string, data: Record<string, string>): HTMLButtonElement {
  const made = element("button", text, "link");
  made.type = "button";
  Object.assign(made.dataset, data);
  return made;
}

// The panel about a node of the view; `around` is the group that it can be folded into.
export function describe(graph: View, node: ViewNode | undefined, isDifference: boolean, base: Graph, around: string): HTMLElement[] {
  if (!node) return [element("p", TEXT.pick, "faint"), ...(isDifference ? differing(base) : [])];
  const list = document.createElement("dl");
  const row = (name: string, value: (Node | string)[] | string): void => {
    if (!value.length) return;
    const data = document.createElement("dd");
    data.append(...(typeof value === "string" ? [value] : value));
    list.append(element("dt", name), data);
  };
  const words = TEXT.panel;
  row(words.role, TEXT.roles[node.role] ?? node.role);
  if (node.path) row(words.members, members(node, base));
  row(words.origin, node.origin);
  if (!node.path) row(words.group, node.group);
  row(words.parameter, node.parameter);
  const [place, code] = node.place.split("\n");
  row(words.place, place ? [place, ...(code ? [element("pre", code)] : [])] : "");
  row(words.shapes, node.shapes.join("\n"));
  if (node.beforeShapes.length && node.beforeShapes.join() !== node.shapes.join()) row(words.before, node.beforeShapes.join("\n"));
  row(words.reads, node.reads.length > 12 ? `${node.reads.slice(0, 12).join(", ")} ${TEXT.more(node.reads.length - 12)}` : node.reads.join(", "));
  row(words.inputs, links(graph, node.inputs));
  row(words.hidden, links(graph, node.hidden));
  row(words.users, links(graph, node.users));
  if (node.before) row(words.codeBefore, [element("pre", node.before)]);
  if (node.code) row(words.code, [element("pre", node.code)]);
  const folding = element("p", "", "links");
  if (node.path) folding.append(button(TEXT.openGroup, { open: node.path }));
  if (around) folding.append(button(TEXT.foldInto(around), { fold: around }));
  return [
    element("h3", node.label), ...(isDifference ? [status(node), ...changed(node), ...differing(base)] : []),
    ...(folding.childNodes.length ? [folding] : []), list,
  ];
}

// `Cause: changed`, `Consequence: only in this capture`.
function status(node: ViewNode): HTMLElement {
  const word = TEXT.statuses[node.status] ?? node.status;
  if (node.status === "same") return element("p", word, "faint");
  return element("p", `${node.isCause ? TEXT.cause : TEXT.consequence}: ${word}`, node.isCause ? "status cause" : "status");
}

// The values that differ: before → after.
function changed(node: ViewNode): HTMLElement[] {
  if (!node.values.length) return [];
  const table = element("table", "", "values");
  table.append(element("caption", TEXT.beforeAfter));
  for (const [before, after] of node.values) {
    const row = document.createElement("tr");
    row.append(element("td", before, "before"), element("td", "→"), element("td", after, "after"));
    table.append(row);
  }
  return [table];
}

// All nodes that differ, those that differ by themselves first: each opens its node.
function differing(base: Graph): HTMLElement[] {
  const found = base.nodes.flatMap((node, index) => (node.status === "same" ? [] : [{ node, index }]));
  const listed = (name: string, wanted: boolean): HTMLElement[] => {
    const here = found.filter(({ node }) => node.isCause === wanted);
    if (!here.length) return [];
    const list = element("ul", "", "differing");
    for (const { node, index } of here.slice(0, MOST)) {
      const item = document.createElement("li");
      item.append(button(node.label, { base: String(index) }), " ", node.values.map((value) => value.join(" → ")).join(", "));
      list.append(item);
    }
    if (here.length > MOST) list.append(element("li", TEXT.more(here.length - MOST)));
    const box = document.createElement("details");
    box.open = wanted && here.length <= FEW;
    box.append(element("summary", `${name} (${here.length})`), list);
    return [box];
  };
  return [...listed(TEXT.causes, true), ...listed(TEXT.consequences, false)];
}

// The members of a folded group by what they do, those that differ apart: each opens it.
function members(node: ViewNode, base: Graph): Node[] {
  const kinds = new Map<string, number[]>();
  for (const member of node.members) {
    const found = base.nodes[member]!;
    const status = found.status === "same" ? "" : ` (${TEXT.statuses[found.status] ?? found.status})`;
    const word = found.role === "accumulate" ? TEXT.roles["accumulate"]! : found.label;
    const key = word + status;
    kinds.set(key, [...(kinds.get(key) ?? []), member]);
  }
  return [...kinds].map(([kind, found]) => {
    const line = document.createElement("div");
    line.append(`${found.length} × `, button(kind, { base: String(found[0]) }));
    return line;
  });
}

function links(graph: View, nodes: number[]): Node[] {
  const items: Node[] = nodes.slice(0, 20).map((index) => button(graph.nodes[index]?.label ?? String(index), { node: String(index) }));
  if (nodes.length > 20) items.push(document.createTextNode(` ${TEXT.more(nodes.length - 20)}`));
  return items;
}

// The same as a table, for a screen reader or a search in the page: all nodes, folded or not.
export function tableRows(graph: Graph): HTMLTableRowElement[] {
  return graph.nodes.map((node, index) => {
    const row = document.createElement("tr");
    const head = document.createElement("td");
    head.append(button(node.label, { base: String(index) }));
    const cells = [
      [TEXT.statuses[node.status] ?? "", ...node.values.map((value) => value.join(" → "))].join(" "), node.origin, node.group, node.shapes.join(", "),
      node.inputs.map((from) => graph.nodes[from]?.label ?? "").join(", "), node.place.split("\n")[0] ?? "",
    ];
    row.append(head, ...cells.map((text) => element("td", text)));
    return row;
  });
}
