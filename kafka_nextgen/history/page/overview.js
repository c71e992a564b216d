// The overview strip of the whole log, with a window that can be dragged and resized.

const overview = { root: null, canvas: null, backdrop: document.createElement("canvas"), key: "", drag: null };
const EDGE = 8; // the distance in pixels within which an edge can be grabbed

function startOverview() {
  overview.root = document.getElementById("overview");
  overview.canvas = overview.root.querySelector("canvas");
  const { canvas } = overview;
  canvas.addEventListener("pointerdown", brushed);
  canvas.addEventListener("pointermove", brushing);
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, brushEnd);
  new ResizeObserver(() => drawOverview()).observe(overview.root);
  whenChanged(() => drawOverview());
}

function overviewScale() {
  const { from, to } = wholeOf(state.group);
  const width = overview.root.clientWidth;
  return { width, from, to, x: (at) => ((at - from) / (to - from)) * width, at: (x) => from + (x / width) * (to - from) };
}

function drawOverview() {
  if (!state.group || !overview.root.clientWidth || timeline.paper) return;
  const scale = overviewScale(), height = 46;
  drawBackdrop(scale, height);
  const ctx = sized(overview.canvas, scale.width, height);
  ctx.drawImage(overview.backdrop, 0, 0, scale.width, height);
  const left = Math.max(scale.x(state.from), 0), right = Math.min(scale.x(state.to), scale.width);
  ctx.fillStyle = colours.shade;
  ctx.fillRect(0, 0, left, height);
  ctx.fillRect(right, 0, scale.width - right, height);
  ctx.strokeStyle = colours.accent;
  ctx.lineWidth = 2;
  ctx.strokeRect(left + 1, 1, Math.max(right - left - 2, 2), height - 2);
  ctx.fillStyle = colours.accent;
  for (const x of [left, right]) ctx.fillRect(Math.min(Math.max(x - 2, 0), scale.width - 4), height / 2 - 9, 4, 18);
}

// Draw the background of the window, but only if it has changed.
function drawBackdrop(scale, height) {
  const key = JSON.stringify([state.groups.indexOf(state.group), state.topic, state.member, state.cause, state.theme, scale.width]);
  if (overview.key === key) return;
  overview.key = key;
  const ctx = sized(overview.backdrop, scale.width, height);
  ctx.fillStyle = colours.lane;
  ctx.fillRect(0, 0, scale.width, height);
  overviewLag(ctx, scale, height);
  overviewRebalances(ctx, scale, height);
}

function overviewLag(ctx, scale, height) {
  const series = totalLag(state.group, state.topic);
  if (!series.most) return;
  ctx.beginPath();
  ctx.moveTo(scale.x(series.at[0]), height);
  const y = (lag) => height - (lag / series.most) * (height - 16);
  let before = -1, level = height;
  series.at.forEach((at, place) => {
    const x = Math.round(scale.x(at)), now = y(series.value[place]);
    if (x === before && now >= level) return;
    if (x !== before) ctx.lineTo(x, level);
    ctx.lineTo(x, now);
    before = x;
    level = now;
  });
  ctx.lineTo(scale.x(state.group.last), level);
  ctx.lineTo(scale.x(state.group.last), height);
  ctx.fillStyle = colours["lag-fill"];
  ctx.fill();
}

function overviewRebalances(ctx, scale, height) {
  const { bars, most } = histogram(listedRows(), (at) => Math.round(scale.x(at) / 2));
  for (const [slot, { count, bad }] of bars) {
    const tall = Math.max((count / most) * (height - 22), 7);
    ctx.fillStyle = colours.quiet;
    ctx.fillRect(slot * 2, 4, 2, tall);
    ctx.fillStyle = colours.warn;
    ctx.fillRect(slot * 2, 4, 2, (bad / count) * tall);
  }
}

function brushed(event) {
  overview.canvas.setPointerCapture(event.pointerId);
  const x = event.clientX - overview.canvas.getBoundingClientRect().left;
  const scale = overviewScale();
  const [left, right] = [scale.x(state.from), scale.x(state.to)];
  let kind = "new";
  if (Math.abs(x - left) <= EDGE) kind = "left";
  else if (Math.abs(x - right) <= EDGE) kind = "right";
  else if (x > left && x < right && right - left < scale.width * 0.95) kind = "move";
  overview.drag = { kind, x, from: state.from, to: state.to };
}

function brushing(event) {
  const { drag } = overview;
  if (!drag) return;
  cancelAnimationFrame(flight);
  const x = event.clientX - overview.canvas.getBoundingClientRect().left;
  const scale = overviewScale();
  const by = scale.at(x) - scale.at(drag.x);
  if (drag.kind === "move") return look(drag.from + by, drag.to + by);
  if (drag.kind === "left") return look(Math.min(drag.from + by, drag.to - SHORTEST), drag.to);
  if (drag.kind === "right") return look(drag.from, Math.max(drag.to + by, drag.from + SHORTEST));
  if (Math.abs(x - drag.x) > 3) look(Math.min(scale.at(x), scale.at(drag.x)), Math.max(scale.at(x), scale.at(drag.x)));
}

function brushEnd(event) {
  const { drag } = overview;
  overview.drag = null;
  if (!drag || event.type !== "pointerup" || drag.kind !== "new") return;
  const x = event.clientX - overview.canvas.getBoundingClientRect().left;
  if (Math.abs(x - drag.x) > 3) return;
  const middle = overviewScale().at(x), half = (drag.to - drag.from) / 2;
  flyTo(middle - half, middle + half);
}
