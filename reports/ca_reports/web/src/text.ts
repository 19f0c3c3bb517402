// Every English text that the script shows; the page's own are in render/templates.

export const TEXT = {
  light: "Light",
  dark: "Dark",
  system: "System",
  theme: "Theme",
  matches: (found: number, all: number) => `${found} of ${all}`,
  noGraph: "This capture's graph is not in the report.",
  opening: "Opening…",
  failed: "This browser cannot unpack the data of this page (it needs DecompressionStream).",
  folded: (nodes: number, fx: number) => `${nodes.toLocaleString("en")} nodes, folded from ${fx.toLocaleString("en")} FX nodes`,
  difference: (changed: number, added: number, removed: number) =>
    changed + added + removed ? `${changed} changed, ${added} added, ${removed} removed` : "no node differs",
  found: (at: number, all: number) => (all ? `${at} of ${all}` : "nothing found"),
  unread: (count: number) => `${count} lines of its code could not be read`,
  pick: "Choose a node: click it, search with /, or walk with the arrow keys.",
  panel: {
    role: "kind", origin: "autograd node", group: "part of", parameter: "parameter", place: "forward line",
    shapes: "outputs", before: "outputs before", inputs: "uses", users: "used by", hidden: "also uses, not drawn",
    reads: "graph inputs", code: "generated code", codeBefore: "code before", status: "difference",
  },
  roles: {
    autograd: "autograd node", aot: "operation of an AOT region", accumulate: "gradient accumulation",
    hook: "hook", call: "call", operator: "arithmetic", output: "output",
  } as Record<string, string>,
  statuses: { same: "same", changed: "changed", added: "only in this capture", removed: "only in the earlier capture" } as Record<string, string>,
  backwards: (count: number) => `${count.toLocaleString("en")} backwards in one pixel; zoom in to tell them apart`,
  backward: (step: number, capture: string) => `backward ${step}, ${capture}`,
  hit: "hit",
  miss: "miss",
  failedBackward: "failed",
  lanes: { backward: "backwards", capture: "captures", compile: "compiles", phase: "phases" } as Record<string, string>,
  timelineHelp: "Phases are drawn in their order, not at their exact times: torch records only how long each took.",
};
