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
  if (anchor && !anchor.dataset["view"] && next.view !== "captures") anchor.scrollIntoView({ block: "start" });
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
  const status = $("#graph-info")!;
  const picker = $<HTMLSelectElement>("#graph-capture")!;
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

function setUpKeys(): void {
  const help = $<HTMLDialogElement>("#help")!;
  $("#help-button")!.addEventListener("click", () => help.showModal());
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches("input, select, textarea")) {
      if (event.key === "Escape" && target.matches("input")) target.blur();
      return;
    }
    const number = Number(event.key);
    if (event.key === "?") {
      if (help.open) help.close();
      else help.showModal();
    } else if (number >= 1 && number <= VIEWS.length) {
      const link = document.querySelectorAll<HTMLAnchorElement>("nav a")[number - 1];
      link?.click();
    } else if (event.key === "/") {
      const box = document.querySelector<HTMLInputElement>(`[data-view="${where.view}"] input[type=search]`);
      if (!box) return;
      box.focus();
      box.select();
    } else if (event.key === "g" && where.capture) {
      location.hash = writeHash({ view: "graph", capture: where.capture });
    } else if (event.key === "c" && where.capture) {
      location.hash = writeHash({ view: "captures", capture: where.capture });
    } else if (event.key === "d" && where.view === "graph" && captures.get(where.capture)?.difference) {
      location.hash = writeHash({ view: "graph", capture: where.capture, difference: !where.difference });
    } else if ((event.key === "[" || event.key === "]") && where.capture) {
      const at = main.captures.findIndex((entry) => entry.key === where.capture) + (event.key === "]" ? 1 : -1);
      const next = main.captures[at];
      if (next) location.hash = writeHash({ view: where.view, capture: next.key, difference: where.difference });
    } else return;
    event.preventDefault();
  });
}

document.documentElement.classList.add("scripted");
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
