// The captured graph on a canvas: zoom, pan, search, minimap, a panel about one node.
import { select } from "d3-selection";
import { zoom, zoomIdentity, type ZoomTransform } from "d3-zoom";
import { palette, Surface } from "./canvas";
import { around, folded, levels, open, reveal, view, type View, type ViewNode } from "./groups";
import { difference, shortened } from "./labels";
import { describe, tableRows } from "./panel";
import { TEXT } from "./text";
import { decode, neighbour, search, type Graph } from "./unpack";

const HEIGHT = 28;
const MARGIN = 40; // above the first and below the last node
const READABLE = 1.1; // the scale at which one node is shown with what is around it
const BAND = 600; // pixels of the picture that one entry of the index covers
const MINIMAP = { width: 130, height: 170, margin: 10 };
const COLOURS = [
  "ink", "faint", "paper", "panel", "line", "edge", "accent", "found", "role-autograd", "role-aot", "role-accumulate",
  "role-hook", "role-call", "role-operator", "role-output", "role-group", "status-changed", "status-follows", "status-added",
  "status-removed", "cause",
] as const;

export interface Packed {
  base: string | null; size: [number, number];
  fx_nodes: number; unread: number; counts: Record<string, number>;
}

export class GraphView {
  // All nodes, and what of them is shown: with groups folded, a node for each.
  private base: Graph | null = null;
  private graph: View | null = null;
  private paths = new Set<string>();
  private chosen = -1; // of the view
  private found: number[] = []; // of all nodes
  private foundSet = new Set<number>();
  private isDifference = false;
  private transform: ZoomTransform = zoomIdentity;
  private bands: number[][] = [];
  private edgeBands: number[][] = [];
  private colours = palette(COLOURS);
  private minimap: HTMLCanvasElement | null = null;
  private readonly surface: Surface;
  private readonly zoomer = zoom<HTMLCanvasElement, unknown>().scaleExtent([0.01, 4]);
  private readonly info = document.querySelector<HTMLElement>("#graph-info")!;
  private readonly panel = document.querySelector<HTMLElement>("#graph-panel")!;
  private readonly table = document.querySelector<HTMLTableSectionElement>("#graph-table tbody")!;
  private readonly box = document.querySelector<HTMLInputElement>("#graph-search")!;
  private readonly fold = document.querySelector<HTMLSelectElement>("#graph-fold")!;
  private readonly hits = document.querySelector<HTMLElement>("#graph-hits")!;
  onChoose: (node: number) => void = () => {};

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.surface = new Surface(canvas, () => this.draw());
    this.zoomer.on("zoom", (event: { transform: ZoomTransform }) => {
      this.transform = event.transform;
      this.surface.redraw();
    });
    select(canvas).call(this.zoomer).on("dblclick.zoom", null);
    canvas.addEventListener("click", (event) => this.click(event));
    canvas.addEventListener("dblclick", (event) => {
      const path = this.graph?.nodes[this.at(event.offsetX, event.offsetY)]?.path;
      if (path) this.openGroup(path);
    });
    canvas.addEventListener("mousemove", (event) => {
      canvas.style.cursor = this.at(event.offsetX, event.offsetY) >= 0 ? "pointer" : "grab";
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("input", () => this.search(this.box.value));
    this.box.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.next(event.shiftKey ? -1 : 1);
      if (event.key !== "Escape") return;
      this.box.value = "";
      this.search("");
      canvas.focus();
      event.preventDefault();
    });
    const follow = (event: Event): void => {
      const asked = (event.target as Element).closest<HTMLElement>("button")?.dataset ?? {};
      if (asked["node"]) this.choose(Number(asked["node"]), true);
      if (asked["base"]) this.reveal(Number(asked["base"]));
      if (asked["open"]) this.openGroup(asked["open"]);
      if (asked["fold"]) this.foldGroup(asked["fold"]);
    };
    this.table.addEventListener("click", follow);
    this.panel.addEventListener("click", follow);
    this.fold.addEventListener("change", () => {
      if (!this.base || this.fold.value === "") return;
      this.paths = new Set(levels(this.base)[Number(this.fold.value) - 1]?.paths);
      this.refold();
      this.start();
    });
    document.querySelector("#graph-fit")!.addEventListener("click", () => this.fit());
    document.querySelector("#graph-table-box")!.addEventListener("toggle", () => this.fillTable());
  }

  get frames(): number[] {
    return this.surface.frames;
  }

  show(packed: Packed, lines: string[], isDifference: boolean, chosen: number): void {
    const graph = decode(lines, packed.size);
    this.base = graph;
    this.isDifference = isDifference;
    this.paths = folded(graph);
    this.chosen = -1;
    this.refold();
    const counts = packed.counts;
    const told = [TEXT.folded(graph.nodes.length, packed.fx_nodes)];
    if (isDifference) told.push(TEXT.difference(counts["changed"] ?? 0, counts["added"] ?? 0, counts["removed"] ?? 0));
    if (packed.unread) told.push(TEXT.unread(packed.unread));
    this.info.textContent = told.join(" · ");
    this.search(this.box.value, false);
    this.fillTable();
    this.surface.resize();
    if (chosen >= 0 && chosen < graph.nodes.length) this.reveal(chosen);
    else {
      this.start();
      this.openOnCause();
    }
  }

  // A difference opens on what it is about: the first node that differs by itself.
  private openOnCause(): void {
    const nodes = this.base!.nodes;
    const cause = nodes.findIndex((node) => node.isCause);
    const first = cause >= 0 ? cause : nodes.findIndex((node) => node.status !== "same");
    if (first < 0) return;
    if (reveal(this.base!, this.paths, first)) this.refold();
    this.chosen = this.graph!.of[first] ?? -1;
    this.describe();
    this.center(this.chosen, READABLE);
  }

  // What is shown anew, after groups were folded or opened; what was chosen stays where it was.
  private refold(hold = -1): void {
    const base = this.base!;
    const before = this.graph;
    const held = before?.nodes[before.of[hold] ?? -1];
    const at = held ? this.transform.apply([held.x, held.y]) : null;
    const chosen = before?.nodes[this.chosen]?.members[0] ?? -1;
    this.graph = view(base, this.paths);
    this.chosen = this.graph.of[chosen] ?? -1;
    this.index(this.graph);
    this.minimap = null;
    this.listLevels(base);
    const now = this.graph.nodes[this.graph.of[hold] ?? -1];
    if (at && now) this.move(zoomIdentity.translate(at[0] - now.x * this.transform.k, at[1] - now.y * this.transform.k).scale(this.transform.k));
    this.noteFound();
    this.describe();
    this.surface.redraw();
  }

  private listLevels(base: Graph): void {
    const found = levels(base);
    const whole = this.paths.size === 0;
    const same = found.findIndex((level) => level.paths.size === this.paths.size && [...level.paths].every((path) => this.paths.has(path)));
    const option = (value: string, text: string, here: boolean): HTMLOptionElement => new Option(text, value, here, here);
    const options = [option("0", TEXT.allNodes(base.nodes.length), whole)];
    found.forEach((level, index) => {
      if (level.shown < base.nodes.length) options.push(option(String(index + 1), TEXT.level(index + 1, level.shown), index === same && !whole));
    });
    if (!whole && same < 0) options.push(option("", TEXT.ownFolding(this.graph!.nodes.length), true));
    this.fold.replaceChildren(...options);
    this.fold.disabled = options.length === 1;
  }

  private openGroup(path: string): void {
    const first = this.graph?.nodes.find((node) => node.path === path)?.members[0] ?? -1;
    open(this.base!, this.paths, path);
    this.refold(first);
  }

  private foldGroup(path: string): void {
    const first = this.graph?.nodes[this.chosen]?.members[0] ?? -1;
    this.paths = new Set([...this.paths].filter((other) => !other.startsWith(`${path}.`) && !other.startsWith(`${path}/`)));
    this.paths.add(path);
    this.refold(first);
  }

  // Chooses a node of the whole graph, whose groups are opened for it.
  reveal(node: number): void {
    if (!this.base) return;
    if (reveal(this.base, this.paths, node)) this.refold();
    this.choose(this.graph!.of[node] ?? -1, true);
  }

  // The chosen node's number in the whole graph.
  get chosenNode(): number {
    const node = this.graph?.nodes[this.chosen];
    return node && !node.path ? node.members[0]! : -1;
  }

  // The colours changed.
  restyle(): void {
    this.colours = palette(COLOURS);
    this.minimap = null;
    this.surface.redraw();
  }

  // All of it, however small that is.
  fit(): void {
    const graph = this.graph;
    if (!graph || !this.surface.width) return;
    const scale = Math.min(1, this.surface.width / (graph.width + 60), this.surface.height / (graph.height + 60));
    this.move(zoomIdentity.translate((this.surface.width - graph.width * scale) / 2, 20).scale(Math.max(0.01, scale)));
  }

  // Its beginning, readable: a deep graph that fits as a whole is a hair.
  private start(): void {
    const graph = this.graph;
    if (!graph || !this.surface.width) return;
    const scale = Math.max(0.75, Math.min(1, this.surface.width / (graph.width + 60), this.surface.height / (graph.height + 60)));
    const x = graph.width * scale <= this.surface.width ? graph.width / 2 : (graph.nodes[0]?.x ?? 0);
    this.move(zoomIdentity.translate(this.surface.width / 2 - x * scale, 30).scale(scale));
  }

  choose(node: number, move: boolean): void {
    if (!this.graph?.nodes[node]) return;
    this.chosen = node;
    this.describe();
    if (move) this.center(node);
    this.surface.redraw();
    this.onChoose(this.chosenNode);
  }

  search(text: string, jump = true): void {
    if (!this.base) return;
    this.found = search(this.base, text);
    this.noteFound();
    this.hits.textContent = text.trim() ? TEXT.found(this.found.length ? 1 : 0, this.found.length) : "";
    if (jump && this.found.length) this.center(this.graph!.of[this.found[0]!]!);
    this.surface.redraw();
  }

  private noteFound(): void {
    this.foundSet = new Set(this.found.map((node) => this.graph!.of[node]!));
  }

  next(step: number): void {
    const list = this.found.length ? this.found : (this.base?.nodes ?? []).flatMap((node, index) => (node.status === "same" ? [] : [index]));
    if (!list.length) return;
    const at = list.indexOf(this.chosenNode);
    const to = at < 0 ? (step > 0 ? 0 : list.length - 1) : (at + step + list.length) % list.length;
    this.reveal(list[to]!);
    this.hits.textContent = TEXT.found(to + 1, list.length);
  }

  private index(graph: Graph): void {
    const bands = Math.ceil((graph.height + HEIGHT) / BAND) + 1;
    this.bands = Array.from({ length: bands }, () => []);
    this.edgeBands = Array.from({ length: bands }, () => []);
    graph.nodes.forEach((node, index) => this.bands[Math.floor(node.y / BAND)]?.push(index));
    graph.edges.forEach((edge, index) => {
      const from = graph.nodes[edge.from];
      const to = graph.nodes[edge.to];
      if (!from || !to) return;
      const low = Math.floor(Math.min(from.y, to.y) / BAND);
      const high = Math.floor(Math.max(from.y, to.y) / BAND);
      for (let band = low; band <= high; band++) this.edgeBands[band]?.push(index);
    });
  }

  private move(to: ZoomTransform): void {
    select(this.canvas).call(this.zoomer.transform, to);
  }

  private center(node: number, scale = Math.max(0.7, this.transform.k)): void {
    const at = this.graph?.nodes[node];
    if (!at) return;
    const { width, height } = this.surface;
    // Nothing is above the first node or below the last one.
    const lowest = height - MARGIN - this.graph!.height * scale;
    const top = Math.min(MARGIN, Math.max(height / 2 - at.y * scale, Math.min(lowest, MARGIN)));
    this.move(zoomIdentity.translate(width / 2 - at.x * scale, top).scale(scale));
  }

  private at(x: number, y: number): number {
    const graph = this.graph;
    if (!graph) return -1;
    const [px, py] = this.transform.invert([x, y]);
    for (const band of [Math.floor(py / BAND) - 1, Math.floor(py / BAND), Math.floor(py / BAND) + 1]) {
      for (const index of this.bands[band] ?? []) {
        const node = graph.nodes[index]!;
        if (Math.abs(node.x - px) <= node.width / 2 && Math.abs(node.y - py) <= HEIGHT / 2) return index;
      }
    }
    return -1;
  }

  private click(event: MouseEvent): void {
    const map = this.minimapBox();
    if (map && event.offsetX >= map.x && event.offsetY >= map.y) {
      const x = (event.offsetX - map.x) / map.scaleX;
      const y = (event.offsetY - map.y) / map.scaleY;
      const scale = this.transform.k;
      this.move(zoomIdentity.translate(this.surface.width / 2 - x * scale, this.surface.height / 2 - y * scale).scale(scale));
      return;
    }
    const node = this.at(event.offsetX, event.offsetY);
    if (node >= 0) this.choose(node, false);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = event.key.startsWith("Arrow");
    if (arrow && event.shiftKey) {
      const by = { ArrowUp: [0, 80], ArrowDown: [0, -80], ArrowLeft: [80, 0], ArrowRight: [-80, 0] }[event.key]!;
      this.move(zoomIdentity.translate(this.transform.x + by[0]!, this.transform.y + by[1]!).scale(this.transform.k));
    } else if (arrow && this.graph) {
      this.choose(this.chosen < 0 ? 0 : neighbour(this.graph, this.chosen, event.key), true);
    } else if (event.key === "Enter") {
      const path = this.graph?.nodes[this.chosen]?.path;
      if (path) this.openGroup(path);
      else this.panel.focus();
    } else if (event.key === "x" && this.base && this.graph?.nodes[this.chosen]) {
      const path = around(this.base, this.paths, this.graph.nodes[this.chosen]!);
      if (path) this.foldGroup(path);
    } else return;
    event.preventDefault();
  }

  // Zooms by a key that works wherever the focus is.
  press(key: string): boolean {
    if (key === "0") this.fit();
    else select(this.canvas).call(this.zoomer.scaleBy, key === "-" ? 1 / 1.3 : 1.3);
    return true;
  }

  private draw(): void {
    const graph = this.graph;
    if (!graph) return;
    const { context } = this.surface;
    const { k, x, y } = this.transform;
    const [left, top] = this.transform.invert([0, 0]);
    const [right, bottom] = this.transform.invert([this.surface.width, this.surface.height]);
    const c = this.colours;
    const low = Math.max(0, Math.floor((top - HEIGHT) / BAND));
    const high = Math.min(this.bands.length - 1, Math.floor((bottom + HEIGHT) / BAND));
    context.save();
    context.translate(x, y);
    context.scale(k, k);
    const near = new Set<number>();
    const drawn = new Set<number>();
    context.lineWidth = Math.max(1, 0.7 / k);
    context.strokeStyle = c.edge;
    context.beginPath();
    for (let band = low; band <= high; band++) {
      for (const index of this.edgeBands[band] ?? []) {
        if (drawn.has(index)) continue;
        drawn.add(index);
        const edge = graph.edges[index]!;
        if (edge.from === this.chosen || edge.to === this.chosen) near.add(index);
        else this.edge(edge);
      }
    }
    context.stroke();
    context.strokeStyle = c.accent;
    context.lineWidth = Math.max(2, 1.5 / k);
    context.beginPath();
    near.forEach((index) => this.edge(graph.edges[index]!));
    context.stroke();
    const text = k > 0.35;
    context.font = "12px ui-monospace, monospace";
    context.textBaseline = "middle";
    for (let band = low; band <= high; band++) {
      for (const index of this.bands[band] ?? []) {
        const node = graph.nodes[index]!;
        const half = node.width / 2;
        if (node.x + half < left || node.x - half > right || node.y + HEIGHT < top || node.y - HEIGHT > bottom) continue;
        const dim = this.isDifference && node.status === "same";
        context.fillStyle = (dim ? c.panel : node.status !== "same" ? c[statusColour(node)] : c[`role-${node.role}` as "role-aot"]) ?? c.panel;
        const marked = index === this.chosen || this.foundSet.has(index);
        context.strokeStyle = index === this.chosen ? c.accent : this.foundSet.has(index) ? c.found : node.isCause ? c.cause : c.faint;
        context.lineWidth = marked ? Math.max(3, 2.5 / k) : node.isCause ? Math.max(2, 1.5 / k) : 1;
        context.beginPath();
        if (text) context.roundRect(node.x - half, node.y - HEIGHT / 2, node.width, HEIGHT, 5);
        else context.rect(node.x - half, node.y - HEIGHT / 2, node.width, HEIGHT);
        context.fill();
        if (text || index === this.chosen || this.foundSet.has(index)) context.stroke();
        if (text && node.path) {
          // A second sheet below: there is more in it.
          context.lineWidth = 1;
          context.strokeStyle = c.faint;
          context.beginPath();
          context.moveTo(node.x - half + 6, node.y + HEIGHT / 2 + 3);
          context.lineTo(node.x + half - 6, node.y + HEIGHT / 2 + 3);
          context.stroke();
        }
        if (node.status === "removed" && text) {
          context.setLineDash([4, 3]);
          context.stroke();
          context.setLineDash([]);
        }
        if (text) {
          context.fillStyle = dim ? c.faint : c.ink;
          context.fillText(shortened(node.label, Math.floor((node.width - 16) / 7.3) + 1), node.x - half + 10, node.y + 1);
          if (this.isDifference) this.values(node);
        }
      }
    }
    context.restore();
    this.drawMinimap(left, top, right, bottom);
  }

  // What differs in a node, below it: in the gap that the layout leaves between two layers.
  private values(node: ViewNode): void {
    const text = difference(node);
    if (!text) return;
    const { context } = this.surface;
    const c = this.colours;
    context.font = "600 11px ui-monospace, monospace";
    const width = context.measureText(text).width + 8;
    const left = node.x - width / 2;
    const top = node.y + HEIGHT / 2 + 5;
    context.fillStyle = c.paper;
    context.fillRect(left, top, width, 16);
    context.fillStyle = node.isCause ? c.cause : c.faint;
    context.fillText(text, left + 4, top + 9);
    context.font = "12px ui-monospace, monospace";
  }

  private edge(edge: { from: number; to: number; points: number[] }): void {
    const { context } = this.surface;
    const from = this.graph!.nodes[edge.from]!;
    const to = this.graph!.nodes[edge.to]!;
    let x = from.x;
    let y = from.y + HEIGHT / 2;
    context.moveTo(x, y);
    for (let at = 0; at <= edge.points.length; at += 2) {
      const last = at === edge.points.length;
      const nextX = last ? to.x : edge.points[at]!;
      const nextY = last ? to.y - HEIGHT / 2 : edge.points[at + 1]!;
      if (nextX === x) context.lineTo(nextX, nextY);
      else {
        const middle = (y + nextY) / 2;
        context.bezierCurveTo(x, middle, nextX, middle, nextX, nextY);
      }
      x = nextX;
      y = nextY;
    }
  }

  private minimapBox(): { x: number; y: number; width: number; height: number; scaleX: number; scaleY: number } | null {
    const graph = this.graph;
    if (!graph || this.surface.width < 420) return null;
    const width = MINIMAP.width;
    const height = Math.min(MINIMAP.height, this.surface.height - 20);
    return {
      width, height, x: this.surface.width - width - MINIMAP.margin, y: this.surface.height - height - MINIMAP.margin,
      // The two axes are scaled apart: a graph of 400 layers would be a hair otherwise.
      scaleX: width / Math.max(1, graph.width), scaleY: height / Math.max(1, graph.height),
    };
  }

  private drawMinimap(left: number, top: number, right: number, bottom: number): void {
    const map = this.minimapBox();
    const graph = this.graph;
    if (!map || !graph) return;
    if (left <= 0 && top <= 0 && right >= graph.width && bottom >= graph.height) return;
    const c = this.colours;
    if (!this.minimap) {
      this.minimap = document.createElement("canvas");
      this.minimap.width = map.width * 2;
      this.minimap.height = map.height * 2;
      const small = this.minimap.getContext("2d")!;
      small.scale(2, 2);
      small.fillStyle = c.panel;
      small.fillRect(0, 0, map.width, map.height);
      for (const node of graph.nodes) {
        small.fillStyle = node.isCause ? c.cause : node.status !== "same" ? c[statusColour(node)] : this.isDifference ? c.line : c.faint;
        const size = node.status !== "same" ? 3 : 1.2;
        small.fillRect(node.x * map.scaleX - size / 2, node.y * map.scaleY - size / 2, size, size);
      }
    }
    const { context } = this.surface;
    context.drawImage(this.minimap, map.x, map.y, map.width, map.height);
    context.strokeStyle = c.line;
    context.lineWidth = 1;
    context.strokeRect(map.x, map.y, map.width, map.height);
    context.save();
    context.beginPath();
    context.rect(map.x, map.y, map.width, map.height);
    context.clip();
    context.strokeStyle = c.accent;
    context.lineWidth = 2;
    const from = [Math.max(1, left * map.scaleX), Math.max(1, top * map.scaleY)] as const;
    const to = [Math.min(map.width - 1, right * map.scaleX), Math.min(map.height - 1, bottom * map.scaleY)] as const;
    context.strokeRect(map.x + from[0], map.y + from[1], Math.max(4, to[0] - from[0]), Math.max(4, to[1] - from[1]));
    context.restore();
  }

  private describe(): void {
    const graph = this.graph;
    const base = this.base;
    if (!graph || !base) return;
    const node = graph.nodes[this.chosen];
    this.panel.replaceChildren(...describe(graph, node, this.isDifference, base, node ? around(base, this.paths, node) : ""));
  }

  // Made when it is opened: ten thousand rows are no first thing to wait for.
  private fillTable(): void {
    const open = (document.querySelector("#graph-table-box") as HTMLDetailsElement).open;
    this.table.replaceChildren(...(open && this.base ? tableRows(this.base) : []));
  }
}

// A node that only follows from another is paler than one that differs by itself.
function statusColour(node: ViewNode): "status-changed" | "status-follows" | "status-added" | "status-removed" {
  if (node.status === "changed") return node.isCause ? "status-changed" : "status-follows";
  return `status-${node.status}` as "status-added";
}
