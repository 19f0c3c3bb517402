// What stands on and below a node of the picture. Pure.
import { TEXT } from "./text";
import type { ViewNode } from "./groups";

const SHOWN = 2; // changed values that stand below a node

// `text` in `room` characters: the middle of a module's path says least.
export function shortened(text: string, room: number): string {
  if (text.length <= room) return text;
  if (room < 3) return text.slice(0, Math.max(0, room));
  const tail = Math.ceil((room - 1) / 2);
  return `${text.slice(0, room - 1 - tail)}…${text.slice(-tail)}`;
}

// `256 → 96`: what differs in a node or a folded group, in a few words; empty where nothing does.
export function difference(node: ViewNode): string {
  if (node.status !== "changed") return "";
  const { values } = node;
  if (values.length && values.length <= SHOWN) return values.map((value) => value.join(" → ")).join(", ");
  if (values.length) return `${values[0]!.join(" → ")} +${values.length - 1}`;
  return node.members.length > 1 ? TEXT.differing(node.differing, node.members.length) : "";
}
