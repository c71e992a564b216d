// Mouse, touch and keys on the timeline, the line at the pointer and its tooltip.

const pointers = new Map();
let gesture = null;

function startPointing() {
  const { canvas } = timeline;
  canvas.addEventListener("pointerdown", pressed);
  canvas.addEventListener("pointermove", moved);
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, released);
  canvas.addEventListener("pointerleave", () => point(null));
  canvas.addEventListener("wheel", turned, { passive: false });
  canvas.addEventListener("keydown", keyed);
}

function placeOf(event) {
  const box = timeline.canvas.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

function pressed(event) {
  if (event.button) return;
  timeline.canvas.setPointerCapture(event.pointerId);
  const place = placeOf(event);
  pointers.set(event.pointerId, place);
  gesture = { start: place, last: place, isMoved: false, isChoosing: event.shiftKey, from: state.from, to: state.to, spread: spread2() };
}

// The distance between two fingers, and their midpoint; null for one finger.
function spread2() {
  if (pointers.size < 2) return null;
  const [a, b] = [...pointers.values()];
  return { width: Math.max(Math.abs(a.x - b.x), 10), middle: (a.x + b.x) / 2 };
}

function moved(event) {
  const place = placeOf(event);
  if (!pointers.has(event.pointerId)) return point(place);
  pointers.set(event.pointerId, place);
  if (Math.hypot(place.x - gesture.start.x, place.y - gesture.start.y) > 4) gesture.isMoved = true;
  if (!gesture.isMoved) return;
  timeline.canvas.classList.add("dragged");
  point(null);
  if (gesture.spread && pointers.size > 1) pinched();
  else if (gesture.isChoosing) drawChoice(gesture.start.x, place.x);
  else dragged(place);
}

function dragged(place) {
  const { layout } = timeline;
  const { box } = layout.lanes;
  const [dx, dy] = [place.x - gesture.last.x, place.y - gesture.last.y];
  gesture.last = place;
  const isInLanes = gesture.start.y >= box.y && gesture.start.y < box.y + box.height;
  if (gesture.start.x > layout.right && isInLanes) return scrollLanes(dy * (layout.mostScroll / box.height));
  if (isInLanes && layout.mostScroll) scrollLanes(-dy);
  if (gesture.start.x >= layout.left) pan(-dx * (layout.at(1) - layout.at(0)));
}

function pinched() {
  const now = spread2(), { layout } = timeline;
  const at = layout.at(gesture.spread.middle);
  zoom(gesture.spread.width / now.width, at);
  pan((gesture.spread.middle - now.middle) * (layout.at(1) - layout.at(0)));
  gesture.spread = now;
}

function scrollLanes(pixels) {
  update({ scroll: Math.min(Math.max(state.scroll + pixels, 0), timeline.layout.mostScroll) });
}

function drawChoice(a, b) {
  drawTimeline();
  const ctx = timeline.canvas.getContext("2d");
  ctx.fillStyle = colours.band;
  ctx.fillRect(Math.min(a, b), 0, Math.abs(b - a), timeline.layout.height);
}

function released(event) {
  if (!pointers.delete(event.pointerId) || !gesture) return;
  timeline.canvas.classList.remove("dragged");
  const place = placeOf(event);
  if (gesture.isChoosing && gesture.isMoved) {
    const ends = [gesture.start.x, place.x].sort((a, b) => a - b).map(timeline.layout.at);
    flyTo(ends[0], ends[1]);
  } else if (!gesture.isMoved && event.type === "pointerup") clicked(place);
  gesture.spread = null;
}

function clicked(place) {
  const hit = found(place.x, place.y);
  if (!hit) return;
  const stood = hit.stands ?? null;
  const row = stood === null ? hit.rebalance : state.group.rowAt.get(state.group.standstills.epoch[stood]) ?? hit.rebalance;
  choose(row);
}

function turned(event) {
  event.preventDefault();
  const { layout } = timeline;
  const place = placeOf(event);
  const unit = event.deltaMode === 1 ? 16 : 1;
  const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
  if (place.x < layout.left && !isSideways) return scrollLanes(event.deltaY * unit);
  if (isSideways || event.shiftKey) return pan((event.deltaX || event.deltaY) * unit * (layout.at(1) - layout.at(0)));
  zoom(Math.exp(event.deltaY * unit * (event.ctrlKey ? 0.01 : 0.0016)), layout.at(Math.max(place.x, layout.left)));
}

const KEYS = {
  ArrowLeft: () => pan(-(state.to - state.from) / 8), ArrowRight: () => pan((state.to - state.from) / 8),
  ArrowUp: () => scrollLanes(-timeline.layout.lanes.rows.rowHeight), ArrowDown: () => scrollLanes(timeline.layout.lanes.rows.rowHeight),
  PageUp: () => scrollLanes(-timeline.layout.lanes.box.height), PageDown: () => scrollLanes(timeline.layout.lanes.box.height),
  "+": () => zoom(0.7), "=": () => zoom(0.7), "-": () => zoom(1 / 0.7), 0: lookAll, Home: lookAll,
  n: () => chooseNext(1), p: () => chooseNext(-1), Escape: () => choose(null),
};

function keyed(event) {
  const act = KEYS[event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  act();
}

// Select the next or the previous rebalance in time that matches the filters.
function chooseNext(step) {
  const { rebalances } = state.group;
  if (!rebalances.rows) return;
  const isIn = listing();
  const middle = firstAbove(rebalances.began, (state.from + state.to) / 2) - (step < 0 ? 0 : 1);
  let row = (state.chosen ?? middle) + step;
  while (row >= 0 && row < rebalances.rows && !isIn[row]) row += step;
  if (row >= 0 && row < rebalances.rows) choose(row);
}

function point(place) {
  const tip = document.getElementById("tip"), cross = document.getElementById("crosshair");
  const hit = place && found(place.x, place.y);
  if ((hit?.lane ?? null) !== timeline.hovered) { timeline.hovered = hit?.lane ?? null; drawTimeline(); }
  tip.hidden = cross.hidden = !hit;
  if (!hit) return;
  cross.style.transform = `translateX(${place.x}px)`;
  tip.replaceChildren(...tipLines(hit));
  const { width } = timeline.layout;
  const x = place.x > width / 2 ? place.x - tip.offsetWidth - 14 : place.x + 14;
  tip.style.transform = `translate(${Math.max(0, x)}px, ${Math.min(place.y + 14, timeline.layout.height - tip.offsetHeight)}px)`;
}
