import assert from "node:assert/strict";
import test from "node:test";
import { around, folded, levels, open, prefixes, reveal, view } from "../src/groups.ts";
import { difference, shortened } from "../src/labels.ts";
import { layOut } from "../src/layout.ts";
import { decode } from "../src/unpack.ts";

// Two blocks of two modules with two nodes each, in a chain, behind a root of no module.
const groups = ["", "blocks.1.up", "blocks.1.up", "blocks.1.norm", "blocks.1.norm", "blocks.0.up", "blocks.0.up", "blocks.0.norm", "blocks.0.norm"];
const lines = groups.map((group, index) => JSON.stringify(["Mul", 0, index === 8 ? 1 : 0, group, "", "", "", [], 60, 0, 58, 0, index ? [1] : []]));
const graph = decode(lines, [60, 500]);

test("a group lies in those around it", () => {
  assert.deepEqual(prefixes("aot0/blocks.1"), ["aot0", "aot0/blocks", "aot0/blocks.1"]);
  assert.deepEqual(prefixes(""), []);
});

test("levels say how many nodes are left", () => {
  assert.deepEqual(levels(graph).map(({ shown }) => shown), [2, 3, 5]);
});

test("a folded group is one node, with the edges of its members", () => {
  const shown = view(graph, new Set(["blocks.1", "blocks.0.norm"]));
  assert.deepEqual(shown.nodes.map(({ label, path }) => [label, path]), [
    ["Mul", ""], ["blocks.1 (4)", "blocks.1"], ["Mul", ""], ["Mul", ""], ["blocks.0.norm (2)", "blocks.0.norm"],
  ]);
  assert.deepEqual(shown.edges.map(({ from, to }) => [from, to]), [[0, 1], [1, 2], [2, 3], [3, 4]]);
  assert.deepEqual(shown.of, [0, 1, 1, 1, 1, 2, 3, 4, 4]);
  assert.deepEqual(shown.nodes.map(({ status }) => status), ["same", "same", "same", "same", "changed"]);
  assert.ok(shown.nodes.every(({ y }, index) => !index || y > shown.nodes[index - 1].y));
});

test("a group says what differs in it, its causes before what follows", () => {
  const row = (values, cause) => JSON.stringify(["Mul", 0, 1, "a.b", "", "", "", [], 60, 0, 58, 0, [], [], [], "", "", [], values, cause]);
  const group = (...rows) => view(decode(rows, [60, 500]), new Set(["a.b"])).nodes[0];
  assert.equal(difference(group(row([["8", "3"]], 0), row([["256", "96"]], 1), row([["256", "96"]], 1))), "256 → 96");
  assert.equal(difference(group(row([["8", "3"]], 0), row([["16", "6"]], 0))), "8 → 3, 16 → 6");
  assert.equal(difference(group(row([["8", "3"], ["7", "6"], ["5", "4"]], 0), row([], 0))), "8 → 3 +2");
  assert.equal(difference(group(row([], 0), row([], 1))), "2 of 2 differ");
});

test("a long label loses its middle", () => {
  assert.equal(shortened("blocks.0.feed_forward.3 (6)", 20), "blocks.0.…ward.3 (6)");
  assert.equal(shortened("blocks.0", 8), "blocks.0");
});

test("with nothing folded it is the graph, where it was laid out", () => {
  const shown = view(graph, new Set());
  assert.deepEqual(shown.nodes.map(({ y }) => y), graph.nodes.map(({ y }) => y));
  assert.equal(shown.edges, graph.edges);
});

test("opening a group leaves those within it folded, and a lone one opens with it", () => {
  const paths = new Set(["blocks"]);
  open(graph, paths, "blocks");
  assert.deepEqual([...paths].sort(), ["blocks.0", "blocks.1"]);
  const single = decode(["a.b.c", "a.b.c"].map((group) => JSON.stringify(["Mul", 0, 0, group])), [1, 1]);
  const alone = new Set(["a"]);
  open(single, alone, "a");
  assert.deepEqual([...alone], []);
});

test("a node is revealed by opening what hides it, and only that", () => {
  const paths = new Set(["blocks"]);
  assert.equal(reveal(graph, paths, 3), true);
  assert.deepEqual([...paths].sort(), ["blocks.0", "blocks.1.up"]);
  assert.equal(reveal(graph, paths, 3), false);
  const shown = view(graph, paths);
  assert.equal(around(graph, paths, shown.nodes[shown.of[3]]), "blocks.1.norm");
});

test("a small graph is shown whole, a large one at a level that one can take in", () => {
  assert.equal(folded(graph).size, 0);
  const many = decode(Array.from({ length: 400 }, (_, index) => JSON.stringify(["Mul", 0, index === 7 ? 1 : 0, `blocks.${Math.floor(index / 10)}.up`])), [1, 1]);
  const paths = folded(many);
  assert.equal(view(many, paths).nodes.length, 39 + 10);
  assert.ok(!paths.has("blocks.0.up"), "what differs stays open");
});

test("a cycle between folded groups is drawn, not lost", () => {
  const crossed = decode([["a", []], ["b", [1]], ["a", [1]]].map(([group, inputs]) => JSON.stringify(["Mul", 0, 0, group, "", "", "", [], 60, 0, 0, 0, inputs])), [1, 1]);
  const shown = view(crossed, new Set(["a", "b"]));
  assert.deepEqual(shown.edges.map(({ from, to }) => [from, to]), [[1, 0], [0, 1]]);
});

test("layers go down, neighbours stay apart, nothing is lost on an empty graph", () => {
  const placed = layOut(["a", "b", "c", "d"], [[], [0], [0], [1, 2]]);
  assert.deepEqual(placed.y, [14, 72, 72, 130]);
  assert.ok(Math.abs(placed.x[2] - placed.x[1]) >= 48 + 18);
  assert.deepEqual(layOut([], []).size, [0, 0]);
});
