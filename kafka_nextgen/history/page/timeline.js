// The main canvas: the layout of the panels, and drawing all of them.

const timeline = { root: null, canvas: null, layout: null, hovered: null, paper: null };

function startTimeline() {
  timeline.root = document.getElementById("timeline");
  timeline.canvas = timeline.root.querySelector("canvas");
  new ResizeObserver(() => drawTimeline()).observe(timeline.root);
  whenChanged(() => drawTimeline());
}

function newLayout(width) {
  const isNarrow = width < 560;
  const left = isNarrow ? 50 : 112, right = width - 14;
  const layout = { width, left, right, isNarrow };
  layout.axis = { y: 0, height: 22 };
  layout.strip = { y: 26, height: 32 };
  const isSmall = isNarrow || timeline.paper !== null;
  const most = timeline.paper ? 318 : isNarrow ? 300 : 372;
  const rows = laneRows(most);
  const height = Math.max(Math.min(rows.count * rows.rowHeight, most), 20);
  layout.lanes = { box: { y: 64, height }, rows };
  layout.epochs = { y: 64 + height + 10, height: isSmall ? 56 : 76 };
  layout.lag = { y: layout.epochs.y + layout.epochs.height + 10, height: isSmall ? 80 : 100 };
  layout.height = layout.lag.y + layout.lag.height;
  const scale = (right - left) / (state.to - state.from);
  layout.x = (at) => left + (at - state.from) * scale;
  layout.at = (x) => state.from + (x - left) / scale;
  layout.span = (began, ended) => [Math.max(layout.x(began), left), Math.min(layout.x(ended), right)];
  layout.mostScroll = Math.max(0, rows.count * rows.rowHeight - height);
  return layout;
}

function drawTimeline() {
  if (!state.group) return;
  const width = timeline.paper || timeline.root.clientWidth;
  if (!width) return;
  const layout = (timeline.layout = newLayout(width));
  state.scroll = Math.min(Math.max(state.scroll, 0), layout.mostScroll);
  const ctx = sized(timeline.canvas, width, layout.height);
  const rows = rebalancesBetween(state.from, state.to);
  drawAxis(ctx, layout);
  drawBands(ctx, layout, rows);
  drawStrip(ctx, layout, rows);
  drawLanes(ctx, layout, timeline.hovered);
  drawEpochs(ctx, layout, rows);
  drawLag(ctx, layout, timeline.hovered);
  describe(rows);
}

// Clear a canvas and size it to the screen's resolution; sizes are in CSS pixels.
function sized(canvas, width, height) {
  const ratio = timeline.paper ? 3 : window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
  canvas.style.height = timeline.paper ? "auto" : `${height}px`;
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  return ctx;
}

// A text description for screen readers.
function describe(rows) {
  const text = `Owners, epochs and lag of group ${state.group.name} from ${timeText(state.from)} to ${timeText(state.to)}: ${rows.length} rebalances in view`;
  if (timeline.canvas.getAttribute("aria-label") !== text) timeline.canvas.setAttribute("aria-label", text);
}

// What is at a point of the canvas: {at, lane, row of a rebalance, stand, overlap, tenure}.
function found(x, y) {
  const { layout } = timeline;
  if (!layout || x < layout.left || x > layout.right) return null;
  const at = layout.at(x), near = (layout.at(1) - layout.at(0)) * 4;
  const hit = { at, lane: null, rebalance: rebalanceNear(at, y < layout.lanes.box.y ? near * 3 : near) };
  const { box, rows } = layout.lanes;
  if (y >= box.y && y < box.y + box.height) {
    hit.lane = rows.lanes[Math.floor((y - box.y + state.scroll) / rows.rowHeight) * rows.together] || null;
  }
  if (hit.lane) for (const kind of ["tenures", "stands", "overlaps"]) hit[kind] = stretchNear(hit.lane[kind], at, kind === "tenures" ? 0 : near / 2);
  return hit;
}

function stretchNear(stretches, at, near) {
  const last = firstAbove(stretches.began, at + near) - 1;
  for (let place = last; place >= 0 && place > last - 3; place--) {
    if (stretches.ended[place] >= at - near) return stretches.row[place];
  }
  return null;
}

// The rebalance that is in progress at this time, or else close to it.
function rebalanceNear(at, near) {
  let best = null, least = near;
  for (const row of rebalancesBetween(at - near, at + near)) {
    const away = Math.max(state.group.rebalances.began[row] - at, at - endOf(row), 0);
    if (away <= least) { least = away; best = row; }
  }
  return best;
}
