// What the side panel says about a node, and the whole graph as a table.
import type { View, ViewNode } from "./groups";
import { TEXT } from "./text";
import type { Graph } from "./unpack";

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
  if (!node) return [element("p", TEXT.pick, "faint")];
  const list = document.createElement("dl");
  const row = (name: string, value: (Node | string)[] | string): void => {
    if (!value.length) return;
    const data = document.createElement("dd");
    data.append(...(typeof value === "string" ? [value] : value));
    list.append(element("dt", name), data);
  };
  const words = TEXT.panel;
  if (isDifference) row(words.status, TEXT.statuses[node.status] ?? node.status);
  row(words.role, TEXT.roles[node.role] ?? node.role);
  if (node.path) row(words.members, members(node, base));
  row(words.origin, node.origin);
  if (!node.path) row(words.group, node.group);
  row(words.parameter, node.parameter);
  const [place, code] = node.place.split("\n");
  row(words.place, place ? [place, ...(code ? [element("pre", code)] : [])] : "");
  row(words.shapes, node.shapes.join("\n"));
  if (node.beforeShapes.join() !== node.shapes.join()) row(words.before, node.beforeShapes.join("\n"));
  row(words.reads, node.reads.length > 12 ? `${node.reads.slice(0, 12).join(", ")} and ${node.reads.length - 12} more` : node.reads.join(", "));
  row(words.inputs, links(graph, node.inputs));
  row(words.hidden, links(graph, node.hidden));
  row(words.users, links(graph, node.users));
  if (node.before) row(words.codeBefore, [element("pre", node.before)]);
  if (node.code) row(words.code, [element("pre", node.code)]);
  const folding = element("p", "", "links");
  if (node.path) folding.append(button(TEXT.openGroup, { open: node.path }));
  if (around) folding.append(button(TEXT.foldInto(around), { fold: around }));
  return [element("h3", node.label), ...(folding.childNodes.length ? [folding] : []), list];
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
  if (nodes.length > 20) items.push(document.createTextNode(` +${nodes.length - 20}`));
  return items;
}

// The same as a table, for a screen reader or a search in the page: all nodes, folded or not.
export function tableRows(graph: Graph): HTMLTableRowElement[] {
  return graph.nodes.map((node, index) => {
    const row = document.createElement("tr");
    const head = document.createElement("td");
    head.append(button(node.label, { base: String(index) }));
    const cells = [
      TEXT.statuses[node.status] ?? "", node.origin, node.group, node.shapes.join(", "),
      node.inputs.map((from) => graph.nodes[from]?.label ?? "").join(", "), node.place.split("\n")[0] ?? "",
    ];
    row.append(head, ...cells.map((text) => element("td", text)));
    return row;
  });
}
