// The run in time: a lane a process, its backwards above its captures and compiles.
import { select } from "d3-selection";
import { zoom, zoomIdentity, type ZoomTransform } from "d3-zoom";
import { columns, duration, ticks, visible, type Bar, type Bars } from "./aggregate";
import { palette, Surface } from "./canvas";
import { TEXT } from "./text";

const ROW = 20;
const HEAD = 22; // what a lane is called
const LANE_GAP = 10;
const LABELS = 86;
const AXIS = 26;
const COLOURS = [
  "ink", "faint", "paper", "panel", "line", "accent", "hit", "miss", "failed", "span-capture", "span-dynamo",
  "span-aot", "span-backend", "span-compile",
] as const;
const ROWS = ["backward", "capture", "compile", "phase"];

interface Span { start: number; seconds: number; row: string; kind: string; label: string; target: string }
export interface Lane {
  label: string; start: number[]; seconds: number[]; weight: number[]; capture: number[]; steps: number[];
  unit: number; spans: Span[];
}
export interface Packed { lanes: Lane[]; seconds: number }

export class TimelineView {
  private lanes: { lane: Lane; bars: Bars; top: number }[] = [];
  private seconds = 1;
  private transform: ZoomTransform = zoomIdentity;
  private colours = palette(COLOURS);
  // Captures and compiles of all lanes in the order of their time: what n and N walk through.
  private stops: { span: Span; top: number }[] = [];
  private stop = -1;
  private shown: { x: number; y: number; width: number; text: string; target: string }[] = [];
  private readonly surface: Surface;
  private readonly zoomer = zoom<HTMLCanvasElement, unknown>();
  private readonly tip = document.querySelector<HTMLElement>("#timeline-tip")!;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.surface = new Surface(canvas, () => this.draw());
    this.zoomer.scaleExtent([1, 1e7]).on("zoom", (event: { transform: ZoomTransform }) => {
      this.transform = event.transform;
      this.surface.redraw();
    });
    // The wheel zooms; with shift or to the side it pans, as everywhere.
    select(canvas).call(this.zoomer).on("dblclick.zoom", () => this.fit());
    canvas.addEventListener("mousemove", (event) => this.hover(event));
    canvas.addEventListener("mouseleave", () => (this.tip.hidden = true));
    canvas.addEventListener("click", (event) => {
      const found = this.under(event.offsetX, event.offsetY);
      if (found?.target) location.hash = found.target;
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  get frames(): number[] {
    return this.surface.frames;
  }

  show(packed: Packed): void {
    this.seconds = Math.max(1e-6, packed.seconds);
    let top = AXIS;
    this.lanes = packed.lanes.map((lane) => {
      const found = { lane, bars: columns(lane.start, lane.seconds, lane.weight, lane.unit), top: top + HEAD };
      top += HEAD + ROWS.length * ROW + LANE_GAP;
      return found;
    });
    this.stops = this.lanes.flatMap(({ lane, top: from }) => lane.spans.filter((span) => span.row !== "phase").map((span) => ({ span, top: from })));
    this.stops.sort((one, other) => one.span.start - other.span.start);
    this.stop = -1;
    this.canvas.style.height = `${Math.max(120, top)}px`;
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
    for (const { lane, bars, top } of this.lanes) {
      context.save();
      context.beginPath();
      context.rect(LABELS, top, width - LABELS, ROWS.length * ROW);
      context.clip();
      for (const bar of visible(bars, from, to, this.perPixel)) this.bar(bar, lane, top);
      for (const span of lane.spans) this.span(span, top, from, to);
      context.restore();
      context.fillStyle = c.ink;
      context.textAlign = "left";
      context.font = "600 12px system-ui, sans-serif";
      context.fillText(lane.label, 8, top - HEAD / 2);
      context.font = "12px system-ui, sans-serif";
      context.fillStyle = c.faint;
      context.textAlign = "right";
      ROWS.forEach((row, index) => context.fillText(TEXT.lanes[row] ?? row, LABELS - 8, top + ROW * (index + 0.5)));
      context.textAlign = "left";
    }
  }

  private bar(bar: Bar, lane: Lane, top: number): void {
    const { context } = this.surface;
    const c = this.colours;
    const x = this.x(bar.from);
    const width = Math.max(1, this.x(bar.to) - x);
    context.fillStyle = bar.weight === 2 ? c.failed : bar.weight === 1 ? c.miss : c.hit;
    context.fillRect(x, top + 2, width, ROW - 4);
    const many = bar.last - bar.first + 1;
    const capture = `!${lane.capture[bar.first] ?? "?"}`;
    const word = bar.weight === 2 ? TEXT.failedBackward : bar.weight === 1 ? TEXT.miss : TEXT.hit;
    const text = many > 1
      ? TEXT.backwards(many)
      : `${TEXT.backward(lane.steps[bar.first] ?? bar.first, capture)}: ${word}, ${duration(bar.to - bar.from)}`;
    if (many === 1 && width > 26) this.inside(String(lane.steps[bar.first] ?? ""), x, top, width);
    this.shown.push({ x, y: top, width, text, target: "" });
  }

  // What a bar is called, as far as it has room for it.
  private inside(text: string, x: number, y: number, width: number): void {
    const { context } = this.surface;
    const left = Math.max(x, LABELS);
    context.save();
    context.beginPath();
    context.rect(left, y, width - (left - x) - 3, ROW);
    context.clip();
    context.fillStyle = this.colours.ink;
    context.fillText(text, left + 4, y + ROW / 2);
    context.restore();
  }

  private span(span: Span, top: number, from: number, to: number): void {
    if (span.start + span.seconds < from || span.start > to) return;
    const { context } = this.surface;
    const x = this.x(span.start);
    const width = Math.max(1, this.x(span.start + span.seconds) - x);
    const y = top + ROWS.indexOf(span.row) * ROW;
    context.fillStyle = this.colours[`span-${span.kind}` as "span-compile"] ?? this.colours.faint;
    context.fillRect(x, y + 2, width, ROW - 4);
    if (width - (Math.max(x, LABELS) - x) > 40) this.inside(span.label, x, y, width);
    if (span === this.stops[this.stop]?.span) {
      context.strokeStyle = this.colours.accent;
      context.lineWidth = 2;
      context.strokeRect(x + 1, y + 1, Math.max(2, width - 2), ROW - 2);
    }
    this.shown.push({ x, y, width, text: `${span.label}: ${duration(span.seconds)}`, target: span.target });
  }

  private under(x: number, y: number): { text: string; target: string } | undefined {
    return this.shown.find((at) => x >= at.x - 1 && x <= at.x + at.width + 1 && y >= at.y && y < at.y + ROW && x >= LABELS);
  }

  private hover(event: MouseEvent): void {
    const found = this.under(event.offsetX, event.offsetY);
    this.tip.hidden = !found;
    this.canvas.style.cursor = found?.target ? "pointer" : "grab";
    if (!found) return;
    this.tip.textContent = found.text;
    this.tip.style.left = `${Math.min(event.offsetX + 12, this.surface.width - 260)}px`;
    this.tip.style.top = `${event.offsetY + 16}px`;
  }

  // The capture or compile after or before, brought into view and told; Enter opens it.
  private walk(step: number): void {
    if (!this.stops.length) return;
    this.stop = this.stop < 0 ? (step > 0 ? 0 : this.stops.length - 1) : (this.stop + step + this.stops.length) % this.stops.length;
    const { span, top } = this.stops[this.stop]!;
    const room = this.surface.width - LABELS - 10;
    // Wide enough to be seen, and never so far in that its neighbours are out of sight.
    const scale = Math.max(1, Math.min(this.transform.k, (this.seconds * 0.4) / Math.max(span.seconds, 1e-6)), (this.seconds * 24) / room / Math.max(span.seconds, 1e-6));
    const middle = LABELS + ((span.start + span.seconds / 2) / this.seconds) * room;
    const canvas = select(this.canvas);
    canvas.call(this.zoomer.scaleTo, Math.min(scale, 1e7));
    canvas.call(this.zoomer.translateTo, middle, 0);
    this.tip.textContent = `${span.row} ${span.label}: ${duration(span.seconds)}`;
    this.tip.hidden = false;
    this.tip.style.left = `${Math.min(Math.max(this.x(span.start + span.seconds / 2), LABELS), this.surface.width - 200)}px`;
    this.tip.style.top = `${top + (ROWS.indexOf(span.row) + 1) * ROW + 4}px`;
    this.surface.redraw();
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const canvas = select(this.canvas);
    const step = (this.surface.width - LABELS) / 5 / this.transform.k;
    if (event.key === "+" || event.key === "=" || event.key === "ArrowUp") canvas.call(this.zoomer.scaleBy, 1.5);
    else if (event.key === "-" || event.key === "ArrowDown") canvas.call(this.zoomer.scaleBy, 1 / 1.5);
    else if (event.key === "ArrowLeft") canvas.call(this.zoomer.translateBy, step, 0);
    else if (event.key === "ArrowRight") canvas.call(this.zoomer.translateBy, -step, 0);
    else if (event.key === "0" || event.key === "Home") this.fit();
    else if (event.key === "n" || event.key === "N") this.walk(event.key === "n" ? 1 : -1);
    else if (event.key === "Enter" && this.stops[this.stop]?.span.target) location.hash = this.stops[this.stop]!.span.target;
    else return;
    event.preventDefault();
  }
}
