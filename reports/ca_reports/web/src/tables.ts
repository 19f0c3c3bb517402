// Sortable, filterable tables that work by keyboard. The rows are in the page already.
import { TEXT } from "./text";

const NUMBER = /^-?[\d,]*\.?\d+/;
const UNITS: Record<string, number> = { "µs": 1e-6, ms: 1e-3, s: 1 };

// The value a cell is sorted by: a duration, a number, else its text in lower case.
export function cellValue(text: string): number | string {
  const shown = text.trim();
  if (shown === "" || shown === "–" || shown === "unknown") return -Infinity;
  const found = NUMBER.exec(shown.replace(/^[<!]\s*/, ""));
  if (!found) return shown.toLowerCase();
  const unit = UNITS[shown.split(" ").at(-1) ?? ""];
  return Number(found[0].replaceAll(",", "")) * (unit ?? 1);
}

export function compareCells(one: number | string, other: number | string): number {
  if (typeof one === "number" && typeof other === "number") return one === other ? 0 : one - other;
  if (typeof one === "number") return -1;
  if (typeof other === "number") return 1;
  return one < other ? -1 : one > other ? 1 : 0;
}

export function setUpTables(): void {
  document.querySelectorAll<HTMLTableElement>("table.sortable").forEach(setUp);
}

function setUp(table: HTMLTableElement): void {
  const body = table.tBodies[0];
  if (!body) return;
  const rows = [...body.rows];
  table.querySelectorAll<HTMLTableCellElement>("thead th").forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      table.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const keyed = rows.map((row) => [cellValue(row.cells[column]?.textContent ?? ""), row] as const);
      keyed.sort((one, other) => compareCells(one[0], other[0]) * (down ? -1 : 1));
      body.append(...keyed.map(([, row]) => row));
    });
  });
  const filter = document.querySelector<HTMLInputElement>(`input[data-filter="${table.id}"]`);
  const count = document.querySelector(`[data-count="${table.id}"]`);
  filter?.closest<HTMLElement>(".filter")?.removeAttribute("hidden");
  filter?.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = (row.textContent ?? "").toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    if (count) count.textContent = words.length ? TEXT.matches(shown, rows.length) : "";
  });
  body.addEventListener("keydown", (event) => walkRows(body, event));
  for (const row of rows) {
    const link = row.querySelector<HTMLAnchorElement>("a[href]");
    if (!link) continue;
    row.tabIndex = row === rows[0] ? 0 : -1;
    row.addEventListener("click", (event) => {
      if (!(event.target as Element).closest("a") && !getSelection()?.toString()) link.click();
    });
  }
}

function walkRows(body: HTMLTableSectionElement, event: KeyboardEvent): void {
  const row = (event.target as Element).closest("tr");
  if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
  const rows = [...body.rows].filter((other) => !other.hidden);
  const at = rows.indexOf(row as HTMLTableRowElement);
  const next = { ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (next !== undefined) {
    event.preventDefault();
    const target = rows[Math.max(0, Math.min(rows.length - 1, next))];
    if (target && target !== row) {
      (row as HTMLElement).tabIndex = -1;
      target.tabIndex = 0;
      target.focus();
    }
  } else if (event.key === "Enter" && event.target === row) {
    row.querySelector<HTMLAnchorElement>("a[href]")?.click();
  }
}
