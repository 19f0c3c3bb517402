// `#capture=0/1&node=12`: where one is, in the address, so that it can be sent to somebody.

export interface Where {
  view: string; capture: string; node: number; difference: boolean; anchor: string;
}

export const VIEWS = ["overview", "timeline", "captures", "graph", "source", "log"];

export function readHash(hash: string): Where {
  const text = hash.replace(/^#/, "");
  const where: Where = { view: "", capture: "", node: -1, difference: false, anchor: "" };
  const parts = new Map<string, string>();
  for (const part of text.split("&")) {
    const [name, value] = part.split("=", 2);
    if (value === undefined) where.anchor = decode(name ?? "");
    else parts.set(name!, decode(value));
  }
  const capture = parts.get("capture") ?? "";
  if (/^\d+\/\d+$/.test(capture)) where.capture = capture;
  const node = parts.get("node") ?? "";
  if (/^\d{1,7}$/.test(node)) where.node = Number(node);
  where.difference = parts.get("difference") === "1";
  const view = parts.get("view") ?? (where.anchor && VIEWS.includes(where.anchor) ? where.anchor : "");
  if (VIEWS.includes(view)) where.view = view;
  else if (where.capture) where.view = where.node >= 0 ? "graph" : "captures";
  const details = /^capture-(\d+)-(\d+)$/.exec(where.anchor);
  if (details) {
    where.view = "captures";
    where.capture = `${details[1]}/${details[2]}`;
  }
  return where;
}

export function writeHash(where: Partial<Where>): string {
  const parts: string[] = [];
  if (where.view && where.view !== "captures") parts.push(where.capture ? `view=${where.view}` : where.view);
  else if (where.view && !where.capture) parts.push(where.view);
  if (where.capture) parts.push(`capture=${where.capture}`);
  if (where.difference) parts.push("difference=1");
  if (where.node !== undefined && where.node >= 0) parts.push(`node=${where.node}`);
  return parts.length ? `#${parts.join("&")}` : "#overview";
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
