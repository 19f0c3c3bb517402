// Without this script the page is whole, if long; with it, it has views, pictures and keys.
import { GraphView, type Packed as PackedGraph } from "./graph";
import { readHash, VIEWS, writeHash, type Where } from "./hash";
import { setUpTables } from "./tables";
import { TEXT } from "./text";
import { TimelineView, type Packed as PackedTimeline } from "./timeline";
import { inflate, undelta } from "./unpack";

interface CaptureEntry { key: string; graph: string | null; difference: string | null; closest: string }
interface Main { captures: CaptureEntry[]; timeline: string | null }

const $ = <Kind extends HTMLElement>(selector: string): Kind | null => document.querySelector<Kind>(selector);
const main = JSON.parse($("#data")?.textContent ?? "{}") as Main;
const captures = new Map(main.captures.map((entry) => [entry.key, entry]));
const unpacked = new Map<string, Promise<{ head: unknown; lines: string[] }>>();
let graph: GraphView | null = null;
let timeline: TimelineView | null = null;
let where: Where = { view: "overview", capture: "", node: -1, difference: false, anchor: "" };
let graphShown = "";

async function block(id: string): Promise<{ head: unknown; lines: string[] }> {
  let found = unpacked.get(id);
  if (!found) {
    found = inflate($(`#${id}`)?.textContent ?? "").then(async ({ head, lines }) => {
      const base = (head as { base?: string | null }).base;
      return { head, lines: base ? undelta(lines, (await block(base)).lines) : lines };
    });
    unpacked.set(id, found);
  }
  return found;
}

function route(): void {
  const next = readHash(location.hash);
  const anchor = next.anchor ? document.getElementById(next.anchor) : null;
  // A link to something inside a view opens that view.
  if (!next.view) next.view = anchor?.closest<HTMLElement>("[data-view]")?.dataset["view"] ?? "overview";
  // An address or a key may name a view that this report lacks, as of graphs where none was captured.
  if (!document.querySelector(`nav a[href="#${next.view}"]`)) next.view = "overview";
  if (next.view === "graph" && !next.capture) next.capture = where.capture || firstWithGraph();
  where = next;
  document.querySelectorAll<HTMLElement>("[data-view]").forEach((view) => (view.hidden = view.dataset["view"] !== next.view));
  document.querySelectorAll<HTMLAnchorElement>("nav a").forEach((link) => {
    const here = link.getAttribute("href") === `#${next.view}`;
    if (here) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "nearest" }); // a phone shows four of six
    } else link.removeAttribute("aria-current");
  });
  if (next.view === "captures") showCapture(next.capture);
  if (next.view === "graph") void showGraph(next);
  if (next.view === "timeline") void showTimeline();
  if (anchor && !anchor.dataset["view"] && next.view !== "captures") anchor.scrollIntoView({ block: next.view === "source" ? "center" : "start" });
  else window.scrollTo(0, 0);
}

function firstWithGraph(): string {
  return (main.captures.find((entry) => entry.difference) ?? main.captures.find((entry) => entry.graph))?.key ?? "";
}

function showCapture(key: string): void {
  const id = `capture-${key.replace("/", "-")}`;
  document.querySelectorAll<HTMLElement>("section.capture").forEach((section) => (section.hidden = section.id !== id));
  document.querySelectorAll<HTMLElement>("#captures-table tbody tr").forEach((row) => {
    if (row.querySelector(`a[href="#${id}"]`)) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  });
  // One is looked at as a page of its own; the table is where one comes from.
  const list = $("#captures-list");
  const found = key ? document.getElementById(id) : null;
  if (list) list.hidden = found !== null;
  if (found) window.scrollTo(0, 0);
}

async function showGraph(at: Where): Promise<void> {
  const entry = captures.get(at.capture);
  const picker = $<HTMLSelectElement>("#graph-capture");
  if (!picker) return; // nothing was captured, and the view says so
  const status = $("#graph-info")!;
  picker.value = at.capture;
  const toggle = $<HTMLInputElement>("#graph-difference")!;
  toggle.disabled = !entry?.difference;
  const difference = at.difference && Boolean(entry?.difference);
  toggle.checked = difference;
  toggle.nextElementSibling!.textContent = entry?.difference ? TEXT.differenceTo(entry.closest) : TEXT.noDifference;
  $("#graph-legend")!.classList.toggle("difference", difference);
  const id = difference ? entry?.difference : entry?.graph;
  const stage = $("#graph-stage")!;
  stage.hidden = !id;
  if (!id) {
    status.textContent = TEXT.noGraph;
    graphShown = "";
    return;
  }
  if (id === graphShown) {
    if (at.node >= 0 && graph && graph.chosenNode !== at.node) graph.reveal(at.node);
    return;
  }
  graphShown = id;
  status.textContent = TEXT.opening;
  try {
    const { head, lines } = await block(id);
    if (graphShown !== id) return;
    graph ??= makeGraph();
    graph.show(head as PackedGraph, lines, difference, at.node);
  } catch (error) {
    status.textContent = typeof DecompressionStream === "undefined" ? TEXT.failed : String(error);
  }
}

function makeGraph(): GraphView {
  const made = new GraphView($<HTMLCanvasElement>("#graph-canvas")!);
  made.onChoose = (node) => {
    where.node = node;
    history.replaceState(null, "", writeHash(where));
  };
  return made;
}

async function showTimeline(): Promise<void> {
  if (timeline || !main.timeline) return;
  const { head } = await block(main.timeline);
  timeline ??= new TimelineView($<HTMLCanvasElement>("#timeline-canvas")!);
  timeline.show(head as PackedTimeline);
}

function setUpTheme(): void {
  const box = $<HTMLSelectElement>("#theme")!;
  const apply = (theme: string): void => {
    if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
    else delete document.documentElement.dataset["theme"];
    graph?.restyle();
    timeline?.restyle();
  };
  let kept = "";
  try {
    kept = localStorage.getItem("ca-theme") ?? ""; // refused for some file:// pages
  } catch { /* then it is the system's */ }
  if (kept) {
    box.value = kept;
    apply(kept);
  }
  box.addEventListener("change", () => {
    apply(box.value);
    try {
      localStorage.setItem("ca-theme", box.value);
    } catch { /* as above */ }
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => apply(box.value));
}

// Keys that go on (1) and back (-1): findings, rows, captures, lines, changed nodes, spans.
const STEPS: Record<string, number> = { n: 1, j: 1, p: -1, k: -1, N: -1 };
const ZOOM = "+=-0";

function setUpKeys(): void {
  const help = $<HTMLDialogElement>("#help")!;
  $("#help-button")!.addEventListener("click", () => help.showModal());
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.matches("input[type=search], textarea")) {
      if (event.key === "Escape") target.blur();
      return;
    }
    if (pressed(event.key, help)) event.preventDefault();
  });
}

// What a key does, whatever has the focus; false if nothing.
function pressed(key: string, help: HTMLDialogElement): boolean {
  const number = Number(key);
  const entry = captures.get(where.capture);
  if (key === "?") {
    if (help.open) help.close();
    else help.showModal();
  } else if (help.open) {
    return false;
  } else if (number >= 1 && number <= VIEWS.length) {
    document.querySelectorAll<HTMLAnchorElement>("nav a")[number - 1]?.click();
  } else if (key === "/") {
    const box = document.querySelector<HTMLInputElement>(`[data-view="${where.view}"] input[type=search]`);
    box?.focus();
    box?.select();
    return box !== null;
  } else if (key in STEPS) {
    step(STEPS[key]!);
  } else if (ZOOM.includes(key)) {
    return (where.view === "graph" ? graph : where.view === "timeline" ? timeline : null)?.press(key) ?? false;
  } else if (key === "g" && where.capture) {
    location.hash = writeHash({ view: "graph", capture: where.capture });
  } else if (key === "c" && where.capture) {
    location.hash = writeHash({ view: "captures", capture: where.capture });
  } else if (key === "d" && where.view === "graph" && entry?.difference) {
    location.hash = writeHash({ view: "graph", capture: where.capture, difference: !where.difference });
  } else if (key === "d" && where.view === "captures" && entry?.difference) {
    location.hash = writeHash({ view: "graph", capture: where.capture, difference: true });
  } else if (key === "d") {
    // The difference of the finding or row that one is at, else of the first one.
    const here = document.activeElement?.closest("a, tr, .finding")?.querySelector<HTMLAnchorElement>("a.show");
    const link = here ?? document.querySelector<HTMLAnchorElement>(`[data-view="${where.view}"] a.show`);
    link?.click();
    return Boolean(link);
  } else if ((key === "[" || key === "]") && where.capture) {
    nextCapture(key === "]" ? 1 : -1);
  } else return false;
  return true;
}

function nextCapture(by: number): void {
  const next = main.captures[main.captures.findIndex((entry) => entry.key === where.capture) + by];
  if (next) location.hash = writeHash({ view: where.view, capture: next.key, difference: where.difference });
}

const WALKED: Record<string, string> = {
  overview: ".finding", captures: "#captures-table tr[tabindex]", source: "li.marked", log: "tr[tabindex], summary",
};

function step(by: number): void {
  if (where.view === "graph") graph?.next(by);
  else if (where.view === "timeline") timeline?.walk(by);
  else if (where.view === "captures" && where.capture) nextCapture(by);
  else walk(by);
}

// The finding, row or marked line after or before the one with the focus.
function walk(by: number): void {
  const asked = `[data-view="${where.view}"] :is(${WALKED[where.view] ?? "[data-view]"})`;
  const items = [...document.querySelectorAll<HTMLElement>(asked)].filter((item) => item.checkVisibility());
  const at = items.findIndex((item) => item.contains(document.activeElement));
  const next = items[at < 0 ? (by > 0 ? 0 : items.length - 1) : Math.max(0, Math.min(items.length - 1, at + by))];
  if (!next) return;
  if (!next.matches("summary, [tabindex]")) next.tabIndex = -1;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

// Buttons that copy what they hold, and say so.
function setUpCopying(): void {
  document.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("[data-copy]");
    if (!button) return;
    const said = button.parentElement!.querySelector("[role=status]")!;
    navigator.clipboard.writeText(button.dataset["copy"]!).then(
      () => (said.textContent = TEXT.copied),
      () => (said.textContent = TEXT.notCopied),
    );
  });
}

document.documentElement.classList.add("scripted");
setUpCopying();
setUpTheme();
setUpKeys();
setUpTables();
$("#graph-capture")?.addEventListener("change", (event) => {
  location.hash = writeHash({ view: "graph", capture: (event.target as HTMLSelectElement).value, difference: where.difference });
});
$("#graph-difference")?.addEventListener("change", (event) => {
  location.hash = writeHash({ view: "graph", capture: where.capture, difference: (event.target as HTMLInputElement).checked });
});
addEventListener("hashchange", route);
route();
// For measuring: what the last frames of the pictures took.
Object.assign(window, { caFrames: () => ({ graph: graph?.frames ?? [], timeline: timeline?.frames ?? [] }) });
