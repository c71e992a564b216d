// The list of rebalances: a click on a heading sorts it, and only the visible rows are created.

const list = { root: null, head: null, scroller: null, space: null, rows: [], sort: "began", isDown: false, active: 0, key: "", whole: 1 };
const COLUMNS = [
  { name: "began", text: "Time", cell: timeCell },
  { name: "epoch", text: "Epoch", cls: "number wide", cell: (row) => state.group.rebalances.epoch[row] },
  { name: "cause", text: "Cause", cls: "cause", cell: causeCell },
  { name: "by", text: "By", cls: "wide", cell: (row) => memberName(state.group.rebalances.by[row]) },
  { name: "took", text: "Took", cls: "number", cell: (row) => durationText(tookOf(row)) },
  { name: "moved", text: "Moved", cls: "number wide", cell: movedCell },
  { name: "stood", text: "Stood still", cls: "number wide", cell: stoodCell },
  { name: "grew", text: "Lag", cls: "number wide", cell: (row) => lagGrowth(state.group.rebalances, row) },
  { name: "slowest_ms", text: "Held up by", cell: heldCell },
];

function startList() {
  list.root = document.getElementById("list");
  list.head = element("div", { cls: "columns-head", role: "row" });
  list.space = element("div", { role: "presentation" });
  list.scroller = element("div", { cls: "scroller", role: "rowgroup", tabindex: "0", "aria-label": "Rows: arrows and Enter", on: { scroll: drawRows, keydown: listKeyed } }, list.space);
  list.root.append(list.head, list.scroller);
  document.getElementById("parts-legend").append(...partNames());
  whenChanged(drawList);
  new ResizeObserver(() => drawRows()).observe(list.scroller);
}

function tookOf(row) {
  const { began, ended } = state.group.rebalances;
  return ended[row] === null ? null : ended[row] - began[row];
}

function timeCell(row) {
  const at = state.group.rebalances.began[row];
  return isNarrow() ? element("span", {}, clockText(at), element("small", {}, dayText(at))) : timeText(at);
}

function causeCell(row) {
  const cause = state.group.rebalances.cause[row];
  return element("span", { title: cause || "cause unknown" }, causeGlyph(cause), cause || "unknown");
}

function movedCell(row) {
  const { moved, needless } = state.group.rebalances;
  return needless[row] ? element("span", { title: `${needless[row]} of them were needless`, cls: "badly" }, `${moved[row]} (${needless[row]})`) : moved[row];
}

function stoodCell(row) {
  const { stood, stood_ms: sum } = state.group.rebalances;
  return element("span", { title: `the longest standstill of a partition; ${durationText(sum[row])} summed over partitions` }, durationText(stood[row]));
}

function heldCell(row) {
  const held = holdingUp(row);
  const bar = partsBar(state.group.holdups, held, list.whole);
  if (held !== null) bar.title = `${memberName(state.group.holdups.member[held])}: ${bar.title}`;
  return bar;
}

function sortValue(row) {
  const { rebalances } = state.group;
  if (list.sort === "took") return tookOf(row) ?? Infinity;
  if (list.sort === "grew") return (rebalances.lag_after[row] ?? 0) - (rebalances.lag_before[row] ?? 0);
  if (list.sort === "by") return memberName(rebalances.by[row]);
  return rebalances[list.sort][row] ?? "";
}

function drawList(names) {
  const key = JSON.stringify([state.groups.indexOf(state.group), state.cause, state.member, list.sort, list.isDown]);
  const isNew = key !== list.key;
  if (isNew) sortRows(key);
  if (isNew || names.has("utc")) drawHead();
  if (isNew || names.has("utc") || names.has("chosen") || names.has("theme")) {
    if (names.has("chosen") && state.chosen !== null) reveal(list.rows.indexOf(state.chosen));
    drawRows();
  }
}

function sortRows(key) {
  const { rebalances } = state.group;
  const rows = listedRows();
  const values = new Map(rows.map((row) => [row, sortValue(row)]));
  const order = (a, b) => (values.get(a) < values.get(b) ? -1 : values.get(a) > values.get(b) ? 1 : a - b);
  list.rows = rows.sort(list.isDown ? (a, b) => order(b, a) : order);
  const slow = rows.map((row) => rebalances.slowest_ms[row] ?? 0).sort((a, b) => a - b);
  list.whole = slow[Math.floor(slow.length * 0.98)] || slow[slow.length - 1] || 1;
  list.key = key;
  list.active = 0;
  list.root.setAttribute("aria-rowcount", list.rows.length + 1);
  const all = rebalances.rows;
  document.getElementById("list-count").textContent = list.rows.length === all ? `${all}` : `${list.rows.length} of ${all}`;
}

function drawHead() {
  list.head.replaceChildren(...COLUMNS.map(({ name, text, cls }) => {
    const isSorted = list.sort === name;
    const arrow = isSorted ? (list.isDown ? " \u2193" : " \u2191") : "";
    const act = () => { list.isDown = isSorted ? !list.isDown : name !== "began"; list.sort = name; update({ sort: name }); };
    const sort = isSorted ? (list.isDown ? "descending" : "ascending") : "none";
    return element("div", { cls, role: "columnheader", "aria-sort": sort }, element("button", { type: "button", on: { click: act } }, text + arrow));
  }));
}

function isNarrow() {
  return window.innerWidth <= 700 && !timeline.paper;
}

function rowHeight() {
  return isNarrow() ? 44 : 34;
}

function drawRows() {
  if (!state.group || timeline.paper) return;
  const height = rowHeight();
  list.space.style.height = `${list.rows.length * height}px`;
  const first = Math.max(0, Math.floor(list.scroller.scrollTop / height) - 4);
  const last = Math.min(list.rows.length, first + Math.ceil((list.scroller.clientHeight || 420) / height) + 8);
  list.space.replaceChildren(...list.rows.slice(first, last).map((row, place) => rowElement(row, first + place, height)));
}

function rowElement(row, place, height) {
  const classes = ["row", row === state.chosen && "chosen", place === list.active && document.activeElement === list.scroller && "active"];
  const cells = COLUMNS.map(({ cls, cell }) => element("span", { cls, role: "cell" }, cell(row)));
  const made = element("div", { cls: classes.filter(Boolean).join(" "), role: "row", "aria-rowindex": place + 2, id: `row-${place}`, on: { click: () => { list.active = place; choose(row); } } }, ...cells);
  made.style.top = `${place * height}px`;
  return made;
}

function reveal(place) {
  if (place < 0) return;
  list.active = place;
  const height = rowHeight(), { scroller } = list;
  const top = place * height;
  if (top < scroller.scrollTop || top + height > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = top - scroller.clientHeight / 2;
}

function listKeyed(event) {
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
  if (event.key === "Enter" && list.rows.length) return choose(list.rows[list.active]);
  if (!(event.key in steps)) return;
  event.preventDefault();
  list.active = Math.min(Math.max(list.active + steps[event.key], 0), list.rows.length - 1);
  reveal(list.active);
  drawRows();
  list.scroller.setAttribute("aria-activedescendant", `row-${list.active}`);
}

// When printed, the list shows the first 60 of the rebalances in view.
function printRows() {
  const inView = new Set(rebalancesBetween(state.from, state.to));
  const rows = list.rows.filter((row) => inView.has(row));
  list.space.replaceChildren(...rows.slice(0, 60).map((row, place) => rowElement(row, place, 0)));
  if (rows.length > 60) list.space.append(element("div", { cls: "quiet" }, `and ${rows.length - 60} more`));
}
