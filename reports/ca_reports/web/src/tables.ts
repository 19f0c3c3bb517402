// Sortable, filterable tables that work by keyboard. The rows are in the page already.
import { TEXT } from "./text";

const NUMBER = /^-?[\d,]*\.?\d+/;
const MOST_ROWS = 10; // of a group, at first
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
  // Each body is a group with a heading; rows are sorted within theirs.
  const groups = [...table.tBodies].map((body) => new Group(body));
  const rows = groups.flatMap((group) => group.rows);
  table.querySelectorAll<HTMLTableCellElement>("thead th").forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      table.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      groups.forEach((group) => group.sort(column, down));
    });
  });
  const filter = document.querySelector<HTMLInputElement>(`input[data-filter="${table.id}"]`);
  const count = document.querySelector(`[data-count="${table.id}"]`);
  filter?.closest<HTMLElement>(".filter")?.removeAttribute("hidden");
  const apply = (): void => {
    const words = filter!.value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = groups.reduce((sum, group) => sum + group.filter(words), 0);
    if (count) count.textContent = words.length ? TEXT.matches(shown, rows.length) : "";
  };
  filter?.addEventListener("input", apply);
  filter?.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    filter.value = "";
    apply();
    filter.blur();
    event.preventDefault();
  });
  groups.forEach((group) => group.filter([]));
  table.addEventListener("keydown", (event) => walkRows(table, event));
  for (const row of rows) {
    const link = row.querySelector<HTMLAnchorElement>("a[href]");
    if (!link) continue;
    row.tabIndex = row === rows[0] ? 0 : -1;
    row.addEventListener("click", (event) => {
      if (!(event.target as Element).closest("a") && !getSelection()?.toString()) link.click();
    });
  }
}

// The rows of a table body. Of many the first few are shown until a button asks for all.
class Group {
  rows: HTMLTableRowElement[];
  private readonly heading: HTMLTableRowElement | undefined;
  private readonly more: HTMLTableRowElement | undefined;
  private words: string[] = [];

  constructor(private readonly body: HTMLTableSectionElement) {
    this.heading = [...body.rows].find((row) => row.classList.contains("group"));
    this.rows = [...body.rows].filter((row) => row !== this.heading);
    if (!this.heading || this.rows.length <= MOST_ROWS) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link";
    button.textContent = TEXT.showAll(this.rows.length);
    button.addEventListener("click", () => {
      this.more!.remove();
      this.filter(this.words);
    });
    this.more = body.insertRow();
    this.more.className = "group";
    const cell = this.more.insertCell();
    cell.colSpan = 99;
    cell.append(button);
  }

  // Shows the rows with all of `words`; says how many these are.
  filter(words: string[]): number {
    this.words = words;
    const few = !words.length && this.more?.isConnected;
    let found = 0;
    this.rows.forEach((row) => {
      const text = (row.textContent ?? "").toLowerCase();
      const fits = words.every((word) => text.includes(word));
      row.hidden = !fits || Boolean(few && found >= MOST_ROWS);
      found += fits ? 1 : 0;
    });
    if (this.heading) this.heading.hidden = !found;
    if (this.more) this.more.hidden = !few;
    return found;
  }

  sort(column: number, down: boolean): void {
    const keyed = this.rows.map((row) => [cellValue(row.cells[column]?.textContent ?? ""), row] as const);
    keyed.sort((one, other) => compareCells(one[0], other[0]) * (down ? -1 : 1));
    this.rows = keyed.map(([, row]) => row);
    this.body.append(...this.rows, ...(this.more?.isConnected ? [this.more] : []));
    this.filter(this.words);
  }
}

function walkRows(table: HTMLTableElement, event: KeyboardEvent): void {
  const row = (event.target as Element).closest("tr");
  if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
  const rows = [...table.querySelectorAll<HTMLTableRowElement>("tr[tabindex]")].filter((other) => !other.hidden);
  const at = rows.indexOf(row as HTMLTableRowElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
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
