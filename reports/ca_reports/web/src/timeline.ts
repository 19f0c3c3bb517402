// The run in time: for each process a lane of its steps, of what was captured and of what was compiled.
import { select } from "d3-selection";
import { zoom, zoomIdentity, type ZoomTransform } from "d3-zoom";
import { columns, duration, ticks, visible, type Bar, type Bars } from "./aggregate";
import { palette, Surface } from "./canvas";
import { element } from "./panel";
import { TEXT } from "./text";

const ROW = [26, 44] as const; // pixels: lower with many processes, higher with one
const TALL = 400; // what the lanes of one process fill
const HEAD = 24; // what a process is called
const LANE_GAP = 10;
const LABELS = 128;
const AXIS = 26;
const COLOURS = [
  "ink", "faint", "paper", "panel", "line", "accent", "hit", "miss", "failed", "span-capture", "span-dynamo",
  "span-aot", "span-backend", "span-compile", "span-background",
] as const;
const ROWS = ["backward", "capture", "compile", "forward", "phase", "background"];

interface Span { start: number; seconds: number; row: string; kind: string; label: string; target: string }
export interface Lane {
  label: string; process: number; start: number[]; seconds: number[]; weight: number[]; capture: number[]; steps: number[];
  unit: number; spans: Span[];
}
export interface Packed { lanes: Lane[]; seconds: number }

// A process as it is drawn: only lanes with something in them.
interface Drawn { lane: Lane; bars: Bars; top: number; rows: string[] }

// A bar that one can point at: what to say about it, and the capture that it belongs to.
interface Thing { key: string; x: number; y: number; width: number; title: string; facts: [string, string][]; target: string; miss: boolean }

export class TimelineView {
  private lanes: Drawn[] = [];
  private row: number = ROW[0];
  private seconds = 1;
  private transform: ZoomTransform = zoomIdentity;
  private colours = palette(COLOURS);
  // Captures and compiles of all lanes in the order of their time: what n and p walk through.
  private stops: { span: Span; drawn: Drawn }[] = [];
  private stop = -1;
  private selected = "";
  private shown: Thing[] = [];
  private readonly surface: Surface;
  private readonly zoomer = zoom<HTMLCanvasElement, unknown>();
  private readonly panel = document.querySelector<HTMLElement>("#timeline-panel")!;
  private readonly pointed = document.querySelector<HTMLElement>("#timeline-pointed")!;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.surface = new Surface(canvas, () => this.draw());
    this.zoomer.scaleExtent([1, 1e7]).on("zoom", (event: { transform: ZoomTransform }) => {
      this.transform = event.transform;
      this.surface.redraw();
    });
    // The wheel zooms; with shift or to the side it pans, as everywhere.
    select(canvas).call(this.zoomer).on("dblclick.zoom", () => this.fit());
    canvas.addEventListener("mousemove", (event) => this.hover(event));
    canvas.addEventListener("mouseleave", () => (this.pointed.textContent = ""));
    canvas.addEventListener("click", (event) => {
      const found = this.under(event.offsetX, event.offsetY);
      if (found?.miss && found.target) location.hash = found.target;
      else if (found) this.select(found);
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  get frames(): number[] {
    return this.surface.frames;
  }

  show(packed: Packed): void {
    this.seconds = Math.max(1e-6, packed.seconds);
    const rows = packed.lanes.map((lane) => ROWS.filter((row) => (row === "backward" ? lane.start.length : lane.spans.some((span) => span.row === row))));
    const all = rows.reduce((sum, found) => sum + found.length, 0);
    const heads = packed.lanes.length * (HEAD + LANE_GAP);
    this.row = Math.min(ROW[1], Math.max(ROW[0], Math.floor((TALL - AXIS - heads) / Math.max(1, all))));
    let top = AXIS;
    this.lanes = packed.lanes.map((lane, index) => {
      const found = { lane, bars: columns(lane.start, lane.seconds, lane.weight, lane.unit), top: top + HEAD, rows: rows[index]! };
      top += HEAD + found.rows.length * this.row + LANE_GAP;
      return found;
    });
    this.stops = this.lanes.flatMap((drawn) => drawn.lane.spans.filter((span) => span.row !== "phase").map((span) => ({ span, drawn })));
    this.stops.sort((one, other) => one.span.start - other.span.start);
    this.stop = -1;
    this.canvas.style.height = `${Math.max(160, top)}px`;
    this.panel.replaceChildren(element("p", TEXT.timelinePick, "faint"));
    this.surface.resize();
    this.fit();
  }

  restyle(): void {
    this.colours = palette(COLOURS);
    this.surface.redraw();
  }

  fit(): void {
    this.zoomer.translateExtent([[LABELS, 0], [Math.max(LABELS + 1, this.surface.width), 1]]);
    select(this.canvas).call(this.zoomer.transform, zoomIdentity);
  }

  private get perPixel(): number {
    return this.seconds / Math.max(1, this.surface.width - LABELS - 10) / this.transform.k;
  }

  private x(time: number): number {
    return this.transform.applyX(LABELS + (time / this.seconds) * (this.surface.width - LABELS - 10));
  }

  private time(x: number): number {
    return ((this.transform.invertX(x) - LABELS) / (this.surface.width - LABELS - 10)) * this.seconds;
  }

  private draw(): void {
    const { context, width, height } = this.surface;
    const c = this.colours;
    const from = this.time(LABELS);
    const to = this.time(width);
    this.shown = [];
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.strokeStyle = c.line;
    context.fillStyle = c.faint;
    context.lineWidth = 1;
    for (const at of ticks(from, to, width / 110)) {
      const x = Math.round(this.x(at)) + 0.5;
      if (x < LABELS) continue;
      context.beginPath();
      context.moveTo(x, AXIS - 6);
      context.lineTo(x, height);
      context.stroke();
      context.fillText(duration(at), x + 3, AXIS / 2);
    }
    for (const drawn of this.lanes) {
      const { lane, bars, top, rows } = drawn;
      context.fillStyle = c.panel;
      rows.forEach((_, index) => { if (index % 2 === 0) context.fillRect(0, top + this.row * index, width, this.row); });
      context.save();
      context.beginPath();
      context.rect(LABELS, top, width - LABELS, rows.length * this.row);
      context.clip();
      for (const bar of visible(bars, from, to, this.perPixel)) this.bar(bar, drawn);
      for (const span of lane.spans) this.span(span, drawn, from, to);
      context.restore();
      context.fillStyle = c.ink;
      context.textAlign = "left";
      context.font = "600 12px system-ui, sans-serif";
      context.fillText(lane.label, 8, top - HEAD / 2);
      context.font = "12px system-ui, sans-serif";
      context.fillStyle = c.faint;
      context.textAlign = "right";
      rows.forEach((row, index) => context.fillText(TEXT.lanes[row] ?? row, LABELS - 8, top + this.row * (index + 0.5)));
      context.textAlign = "left";
    }
  }

  private bar(bar: Bar, drawn: Drawn): void {
    const { context } = this.surface;
    const c = this.colours;
    const { lane, top } = drawn;
    const x = this.x(bar.from);
    const width = Math.max(1, this.x(bar.to) - x);
    context.fillStyle = bar.weight === 2 ? c.failed : bar.weight === 1 ? c.miss : c.hit;
    context.fillRect(x, top + 3, width, this.row - 6);
    const many = bar.last - bar.first + 1;
    const step = lane.steps[bar.first] ?? bar.first;
    const id = lane.capture[bar.first];
    const word = bar.weight === 2 ? TEXT.failedBackward : bar.weight === 1 ? TEXT.miss : TEXT.hit;
    const facts: [string, string][] = [[TEXT.facts.result!, word], [TEXT.facts.took!, duration(bar.to - bar.from)], [TEXT.facts.at!, duration(bar.from)], [TEXT.facts.process!, lane.label]];
    if (many === 1 && width > 26) this.inside(String(step), x, top, width);
    const title = many > 1 ? TEXT.backwards(many) : TEXT.backward(step, `!${id ?? "?"}`);
    const process = this.lanes.indexOf(drawn);
    const target = many > 1 || id === undefined ? "" : `capture-${lane.process}-${id}`;
    const key = `${process} backward ${bar.first} ${bar.last}`;
    const thing = { key, x, y: top, width, title, facts: many > 1 ? [] : facts, target, miss: bar.weight > 0 && many === 1 };
    this.outline(thing);
    this.shown.push(thing);
  }

  // What a bar is called, as far as it has room for it.
  private inside(text: string, x: number, y: number, width: number): void {
    const { context } = this.surface;
    const left = Math.max(x, LABELS);
    context.save();
    context.beginPath();
    context.rect(left, y, width - (left - x) - 3, this.row);
    context.clip();
    context.fillStyle = this.colours.ink;
    context.fillText(text, left + 4, y + this.row / 2);
    context.restore();
  }

  private span(span: Span, drawn: Drawn, from: number, to: number): void {
    if (span.start + span.seconds < from || span.start > to) return;
    const { context } = this.surface;
    const x = this.x(span.start);
    const width = Math.max(1, this.x(span.start + span.seconds) - x);
    const y = drawn.top + drawn.rows.indexOf(span.row) * this.row;
    context.fillStyle = this.colours[`span-${span.kind}` as "span-compile"] ?? this.colours.faint;
    context.fillRect(x, y + 3, width, this.row - 6);
    if (width - (Math.max(x, LABELS) - x) > 40) this.inside(span.label, x, y, width);
    const thing = this.thing(span, drawn, x, y, width);
    this.outline(thing);
    this.shown.push(thing);
  }

  private thing(span: Span, drawn: Drawn, x = 0, y = 0, width = 0): Thing {
    const facts: [string, string][] = [[TEXT.facts.took!, duration(span.seconds)], [TEXT.facts.at!, duration(span.start)], [TEXT.facts.process!, drawn.lane.label]];
    const key = `${this.lanes.indexOf(drawn)} ${span.row} ${span.label} ${span.start}`;
    return { key, x, y, width, title: TEXT.span(span.row, span.label), facts, target: span.target, miss: false };
  }

  private outline(thing: Thing): void {
    if (thing.key !== this.selected) return;
    const { context } = this.surface;
    context.strokeStyle = this.colours.accent;
    context.lineWidth = 3;
    context.strokeRect(thing.x, thing.y + 2, Math.max(3, thing.width), this.row - 4);
  }

  private under(x: number, y: number): Thing | undefined {
    return this.shown.find((at) => x >= at.x - 1 && x <= at.x + at.width + 1 && y >= at.y && y < at.y + this.row && x >= LABELS);
  }

  private hover(event: MouseEvent): void {
    const found = this.under(event.offsetX, event.offsetY);
    this.canvas.style.cursor = found ? "pointer" : "grab";
    this.pointed.textContent = found ? [found.title, ...found.facts.slice(0, 2).map(([, value]) => value)].join(", ") : "";
  }

  // The panel says all about a bar, and what its capture's own page begins with.
  private select(found: Thing): void {
    this.selected = found.key;
    const list = document.createElement("dl");
    for (const [name, value] of found.facts) list.append(element("dt", name), element("dd", value));
    const parts: HTMLElement[] = [element("h3", found.title)];
    const page = found.target ? document.getElementById(found.target) : null;
    if (page) {
      const link = element("a", TEXT.openCapture, "show");
      link.href = `#${found.target}`;
      parts.push(element("p", page.querySelector(".lead")?.textContent ?? ""), list, link);
    } else parts.push(list);
    this.panel.replaceChildren(...parts);
    this.surface.redraw();
  }

  // The capture or compile after or before, brought into view and told; Enter opens it.
  walk(step: number): void {
    if (!this.stops.length) return;
    this.stop = this.stop < 0 ? (step > 0 ? 0 : this.stops.length - 1) : (this.stop + step + this.stops.length) % this.stops.length;
    const { span, drawn } = this.stops[this.stop]!;
    const room = this.surface.width - LABELS - 10;
    // Wide enough to be seen, and never so far in that its neighbours are out of sight.
    const scale = Math.max(1, Math.min(this.transform.k, (this.seconds * 0.4) / Math.max(span.seconds, 1e-6)), (this.seconds * 24) / room / Math.max(span.seconds, 1e-6));
    const middle = LABELS + ((span.start + span.seconds / 2) / this.seconds) * room;
    const canvas = select(this.canvas);
    canvas.call(this.zoomer.scaleTo, Math.min(scale, 1e7));
    canvas.call(this.zoomer.translateTo, middle, 0);
    this.select(this.thing(span, drawn));
  }

  // Zooms by a key that works wherever the focus is.
  press(key: string): boolean {
    if (key === "0") this.fit();
    else select(this.canvas).call(this.zoomer.scaleBy, key === "-" ? 1 / 1.5 : 1.5);
    return true;
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const canvas = select(this.canvas);
    const step = (this.surface.width - LABELS) / 5 / this.transform.k;
    if (event.key === "ArrowUp") canvas.call(this.zoomer.scaleBy, 1.5);
    else if (event.key === "ArrowDown") canvas.call(this.zoomer.scaleBy, 1 / 1.5);
    else if (event.key === "ArrowLeft") canvas.call(this.zoomer.translateBy, step, 0);
    else if (event.key === "ArrowRight") canvas.call(this.zoomer.translateBy, -step, 0);
    else if (event.key === "Home") this.fit();
    else if (event.key === "Enter" && this.stops[this.stop]?.span.target) location.hash = this.stops[this.stop]!.span.target;
    else return;
    event.preventDefault();
  }
}
