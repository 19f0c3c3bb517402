import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import test from "node:test";
import { columns, duration, firstAfter, ticks, visible } from "../src/aggregate.ts";
import { readHash, writeHash } from "../src/hash.ts";
import { cellValue, compareCells } from "../src/tables.ts";
import { decode, inflate, neighbour, renumberer, search, undelta } from "../src/unpack.ts";

test("a delta takes runs from its base and keeps its own lines", () => {
  assert.deepEqual(undelta(["=1 2", "[9]", "=0 1"], ["[0]", "[1]", "[2]"]), ["[1]", "[2]", "[9]", "[0]"]);
});

test("numbers come back, definitions apart from uses", () => {
  const number = renumberer();
  const back = (json) => JSON.parse(number(json));
  assert.equal(back('"getitem_¦+7 = inputs[¦+3]\\ngetitem_¦+1 = f(getitem_¦+7)"'), "getitem_7 = inputs[3]\ngetitem_8 = f(getitem_7)");
  assert.equal(back('"x = g(getitem_¦+1)"'), "x = g(getitem_8)");
});

test("a block is its head and its lines", async () => {
  const packed = gzipSync('{"base":null}\n["a"]\n["b"]').toString("base64");
  assert.deepEqual(await inflate(packed), { head: { base: null }, lines: ['["a"]', '["b"]'] });
});

const graph = decode(['["Root",0,0,"","","","",[],60,100,14]', '["Left",0,1,"","","","",[],60,-50,58,0,[1]]', '["Right",2,0,"","p","","",[],60,80,0,0,[2]]'], [200, 100]);

test("rows become nodes with places, edges and users", () => {
  assert.deepEqual(graph.nodes.map((node) => [node.x, node.y]), [[100, 14], [50, 72], [130, 72]]);
  assert.deepEqual(graph.edges.map(({ from, to }) => [from, to]), [[0, 1], [0, 2]]);
  assert.deepEqual(graph.nodes[0].users, [1, 2]);
  assert.equal(graph.nodes[1].status, "changed");
});

test("arrow keys walk edges and layers, and stay where nothing is", () => {
  assert.equal(neighbour(graph, 0, "ArrowDown"), 2);
  assert.equal(neighbour(graph, 1, "ArrowRight"), 2);
  assert.equal(neighbour(graph, 2, "ArrowLeft"), 1);
  assert.equal(neighbour(graph, 1, "ArrowUp"), 0);
  assert.equal(neighbour(graph, 0, "ArrowUp"), 0);
});

test("search wants every word", () => {
  assert.deepEqual(search(graph, "left changed"), [1]);
  assert.deepEqual(search(graph, "left right"), []);
  assert.deepEqual(search(graph, "  "), []);
});

test("bars within a pixel become one, and a miss shows through", () => {
  const bars = columns([0, 1, 1, 1000], [1, 1, 1, 5], [0, 1, 0, 0], 1e-3);
  const drawn = visible(bars, 0, 2, 0.1);
  assert.deepEqual(drawn.map(({ first, last, weight }) => [first, last, weight]), [[0, 2, 1], [3, 3, 0]]);
  assert.equal(visible(bars, 0, 2, 1e-6).length, 4);
  assert.equal(firstAfter(bars, 0.5), 3);
});

test("a hundred thousand bars are at most one a pixel", () => {
  const all = Array.from({ length: 100_000 }, () => 10);
  const bars = columns(all, all.map(() => 9), all.map(() => 0), 1e-6);
  assert.ok(visible(bars, 0, 1, 1 / 1000).length <= 1001);
});

test("axis and durations", () => {
  assert.deepEqual(ticks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(ticks(0, 0, 5), []);
  assert.equal(duration(1.5), "1.50 s");
  assert.equal(duration(0.0025), "2.5 ms");
  assert.equal(duration(2e-6), "2 µs");
});

test("the address and where one is are the same", () => {
  for (const where of [{ view: "graph", capture: "0/1", node: 12, difference: true }, { view: "captures", capture: "1/0", node: -1, difference: false }]) {
    const read = readHash(writeHash(where));
    assert.deepEqual({ view: read.view, capture: read.capture, node: read.node, difference: read.difference }, where);
  }
  assert.equal(readHash("#capture=1/0&node=3").view, "graph");
  assert.equal(readHash("#capture-1-0").capture, "1/0");
  assert.equal(readHash("#capture=<img>&node=1e9&view=evil").capture, "");
  assert.equal(readHash("#%E0%A4%A").anchor, "%E0%A4%A");
});

test("cells sort as numbers, durations and text; unknown comes first", () => {
  assert.equal(cellValue("31 ms"), 0.031);
  assert.equal(cellValue("1,234.5 s"), 1234.5);
  assert.equal(cellValue("!12"), 12);
  assert.equal(cellValue("–"), -Infinity);
  const sorted = ["2.0 s", "–", "b", "31 ms", "a"].sort((one, other) => compareCells(cellValue(one), cellValue(other)));
  assert.deepEqual(sorted, ["–", "31 ms", "2.0 s", "a", "b"]);
});
