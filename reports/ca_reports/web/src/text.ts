// Every English text that the script shows; the page's own are in render/templates.

// As `counted` of text/numbers.py says it: 1 node, 2 nodes.
const counted = (number: number, noun: string) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

export const TEXT = {
  light: "Light",
  dark: "Dark",
  system: "System",
  theme: "Theme",
  matches: (found: number, all: number) => `${found} of ${all}`,
  copied: "Copied",
  notCopied: "This browser does not let the page copy",
  showAll: (all: number) => `Show all ${all.toLocaleString("en")}`,
  noGraph: "This capture's graph is not in the report.",
  opening: "Opening…",
  differenceTo: (capture: string) => `difference to ${capture}`,
  noDifference: "no earlier graph to compare with",
  failed: "This browser cannot unpack the data of this page (it needs DecompressionStream).",
  folded: (nodes: number, fx: number) => `${counted(nodes, "node")}, folded from ${counted(fx, "FX node")}`,
  difference: (changed: number, added: number, removed: number) =>
    changed + added + removed ? `${changed} changed, ${added} added, ${removed} removed` : "no node differs",
  cause: "Cause",
  consequence: "Consequence",
  causes: "Causes",
  consequences: "Consequences",
  beforeAfter: "before → after",
  differing: (differing: number, all: number) => `${differing} of ${all} differ`,
  more: (count: number) => `and ${count.toLocaleString("en")} more`,
  found: (at: number, all: number) => (all ? `${at} of ${all}` : "nothing found"),
  unread: (count: number) => `${counted(count, "line")} of its code could not be read`,
  pick: "Choose a node: click it, search with /, or walk with the arrow keys.",
  panel: {
    role: "kind", origin: "autograd node", group: "part of", parameter: "parameter", place: "forward line",
    shapes: "outputs", before: "outputs before", inputs: "uses", users: "used by", hidden: "also uses, not drawn",
    reads: "graph inputs", members: "holds", code: "generated code", codeBefore: "code before",
  },
  roles: {
    autograd: "autograd node", aot: "operation of an AOT region", accumulate: "gradient accumulation",
    hook: "hook", call: "call", operator: "arithmetic", output: "output", group: "folded group",
  } as Record<string, string>,
  statuses: { same: "same", changed: "changed", added: "only in this capture", removed: "only in the earlier capture" } as Record<string, string>,
  allNodes: (count: number) => `all ${counted(count, "node")}`,
  level: (level: number, shown: number) => `modules, level ${level} (${counted(shown, "node")})`,
  ownFolding: (shown: number) => `custom (${counted(shown, "node")})`,
  openGroup: "Open this group",
  foldInto: (path: string) => `Fold ${path}`,
  backwards: (count: number) => `${counted(count, "backward")} in one pixel; zoom in to tell them apart`,
  backward: (step: number, capture: string) => `backward ${step}, ${capture}`,
  hit: "hit",
  miss: "miss",
  failedBackward: "failed",
  lanes: {
    backward: "steps", capture: "captures", compile: "backward compiles", forward: "forward compiles", phase: "compile phases",
    background: "background",
  } as Record<string, string>,
  span: (row: string, label: string) =>
    ({ capture: `capture ${label}`, compile: `backward compile ${label}`, forward: `forward compile ${label}`, phase: label, background: `in the background ${label}` })[row] ?? label,
  facts: { result: "result", took: "took", at: "began at", process: "process" } as Record<string, string>,
  openCapture: "Open the capture",
  timelinePick: "Click a bar, or press n for the first capture or compile. A click on a miss opens its capture.",
  timelineHelp: "Phases are drawn in their order, not at their exact times: torch records only how long each took.",
};
