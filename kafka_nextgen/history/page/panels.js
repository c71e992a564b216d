// The panels around the lanes: the axis, rebalances, epochs and lag.

function drawAxis(ctx, layout) {
  const marks = axisMarks(state.from, state.to, Math.max(2, Math.floor((layout.right - layout.left) / 84)));
  for (const { at, text, isDay } of marks) {
    const x = Math.round(layout.x(at)) + 0.5;
    line(ctx, x, layout.axis.y + layout.axis.height - 4, x, layout.height, colours.line, isDay ? 2 : 1);
    const style = { colour: isDay ? colours.ink : colours.quiet, align: "center" };
    if (x > layout.left + 20 && x < layout.right - 20) drawText(ctx, text, x, layout.axis.y + 9, style);
  }
  drawText(ctx, layout.isNarrow ? dayText(state.from).slice(5) : dayText(state.from), 2, layout.axis.y + 9);
}

function setFont(ctx, font) {
  ctx.font = `${font} system-ui, sans-serif`;
}

function drawText(ctx, text, x, y, { font = "11.5px", colour = colours.ink, align = "left", baseline = "middle" } = {}) {
  setFont(ctx, font);
  ctx.fillStyle = colour;
  ctx.textAlign = align;
  ctx.textBaseline = baseline;
  ctx.fillText(text, x, y);
}

function line(ctx, x1, y1, x2, y2, colour, width = 1) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
}

function panelName(ctx, layout, box, wide, narrow) {
  drawText(ctx, layout.isNarrow ? narrow : wide, 2, box.y + 9, { font: "600 11.5px" });
}

// The rows of the rebalances that are in progress at some time in this range, and match the filters.
function rebalancesBetween(from, to) {
  const { rebalances, longest } = state.group;
  if (!rebalances.rows) return [];
  const isIn = listing();
  const found = [];
  for (let row = firstAbove(rebalances.began, from - longest - 1); row < rebalances.rows; row++) {
    if (rebalances.began[row] > to) break;
    if (isIn[row] && endOf(row) >= from) found.push(row);
  }
  return found;
}

function endOf(row) {
  return state.group.rebalances.ended[row] ?? state.group.last;
}

function drawBands(ctx, layout, rows) {
  const isMany = rows.length > (layout.right - layout.left) / 12;
  for (const row of isMany ? [] : rows) band(ctx, layout, row, colours.band);
  if (state.chosen !== null) {
    band(ctx, layout, state.chosen, colours.band);
    for (const at of [state.group.rebalances.began[state.chosen], endOf(state.chosen)]) {
      const x = Math.round(layout.x(at)) + 0.5;
      if (x >= layout.left && x <= layout.right) line(ctx, x, layout.strip.y, x, layout.height, colours.accent);
    }
  }
}

function band(ctx, layout, row, colour) {
  const [left, right] = layout.span(state.group.rebalances.began[row], endOf(row));
  if (right < layout.left || left > layout.right) return;
  ctx.fillStyle = colour;
  ctx.fillRect(left, layout.strip.y, Math.max(right - left, 1), layout.height - layout.strip.y);
}

function drawStrip(ctx, layout, rows) {
  panelName(ctx, layout, layout.strip, "Rebalances", "Rebal.");
  if (rows.length > (layout.right - layout.left) / 7) return drawDensity(ctx, layout, rows);
  const { rebalances } = state.group;
  const { y, height } = layout.strip;
  let free = -Infinity;
  for (const row of rows) {
    const { glyph, isBad } = causeMark(rebalances.cause[row]);
    const [left, right] = layout.span(rebalances.began[row], endOf(row));
    ctx.fillStyle = row === state.chosen ? colours.accent : isBad ? colours.warn : colours.quiet;
    ctx.fillRect(left, y + height - 8, Math.max(right - left, 2), 6);
    if (left < free) continue;
    free = left + 19;
    disc(ctx, Math.min(left + 8, layout.right - 8), y + 10, 8);
    drawText(ctx, glyph, Math.min(left + 8, layout.right - 8), y + 10.5, { font: "700 12px", colour: colours.card, align: "center" });
    causeLabel(ctx, layout, rows, row, left, y);
  }
}

// The cause as text, if there is space before the next rebalance.
function causeLabel(ctx, layout, rows, row, left, y) {
  const next = rows[rows.indexOf(row) + 1];
  const room = (next === undefined ? layout.right : Math.min(layout.x(state.group.rebalances.began[next]), layout.right)) - left - 26;
  const text = state.group.rebalances.cause[row] || "";
  setFont(ctx, "11.5px");
  if (text && room >= ctx.measureText(text).width) drawText(ctx, text, left + 20, y + 10.5);
}

// The number of rebalances that begin in each slot, and the number of those with a bad cause.
function histogram(rows, slotAt) {
  const { began, cause } = state.group.rebalances;
  const bars = new Map();
  let most = 1;
  for (const row of rows) {
    const slot = slotAt(began[row]);
    const bar = bars.get(slot) || { count: 0, bad: 0 };
    bar.count++;
    if (causeMark(cause[row]).isBad) bar.bad++;
    most = Math.max(most, bar.count);
    bars.set(slot, bar);
  }
  return { bars, most };
}

function drawDensity(ctx, layout, rows) {
  const { y, height } = layout.strip;
  const { bars, most } = histogram(rows, (at) => Math.floor((layout.x(at) - layout.left) / 4));
  for (const [slot, { count, bad }] of bars) {
    if (slot < 0) continue;
    const x = layout.left + slot * 4, full = (count / most) * (height - 4), red = (bad / most) * (height - 4);
    ctx.fillStyle = colours.quiet;
    ctx.fillRect(x, y + height - 2 - full, 3, full);
    ctx.fillStyle = colours.warn;
    ctx.fillRect(x, y + height - 2 - red, 3, red);
  }
}

function drawEpochs(ctx, layout, rows) {
  const { epochs } = layout;
  panelName(ctx, layout, epochs, "Epochs", "Epochs");
  const { rebalances, steps } = state.group;
  if (!rebalances.rows) return;
  const begin = Math.max(0, firstAbove(rebalances.began, state.from) - 1), end = firstAbove(rebalances.began, state.to);
  const low = Math.max(rebalances.epoch[begin] - 1, 0), high = Math.max(rebalances.epoch[Math.max(end - 1, begin)], low + 1);
  const y = (epoch) => epochs.y + epochs.height - 4 - ((Math.max(epoch, low) - low) / (high - low)) * (epochs.height - 10);
  scaleLabels(ctx, layout, epochs, high, low);
  clipped(ctx, layout.left, epochs.y, layout.right - layout.left, epochs.height, () => {
    if (rows.length < 400) for (const [id, points] of steps) drawMemberSteps(ctx, layout, id, points, y);
    ctx.strokeStyle = colours.accent;
    ctx.lineWidth = 2.5;
    const points = [];
    for (let row = begin; row < end; row++) points.push([rebalances.began[row], rebalances.epoch[row]]);
    stepPath(ctx, layout, points, y, state.group.last);
  });
}

function drawMemberSteps(ctx, layout, id, points, y) {
  const member = state.group.memberAt.get(id);
  if (!member || (state.member && state.member !== id)) return;
  const over = member.row === null ? state.group.last : state.group.memberTable.last[member.row] ?? state.group.last;
  if (over < state.from || points[0][0] > state.to) return;
  ctx.strokeStyle = memberColour(member);
  ctx.lineWidth = 1.5;
  stepPath(ctx, layout, points, y, over);
}

function stepPath(ctx, layout, points, y, over) {
  ctx.beginPath();
  let before = null;
  for (const [at, epoch] of points) {
    const x = Math.min(Math.max(layout.x(at), layout.left - 5), layout.right + 5);
    if (before === null) ctx.moveTo(x, y(epoch));
    else { ctx.lineTo(x, before); ctx.lineTo(x, y(epoch)); }
    before = y(epoch);
  }
  if (before !== null) ctx.lineTo(Math.min(layout.x(over), layout.right + 5), before);
  ctx.stroke();
}

function scaleLabels(ctx, layout, box, high, low) {
  const style = { font: "11px", colour: colours.quiet, align: "right" };
  drawText(ctx, countText(high), layout.left - 6, box.y + (layout.isNarrow ? 22 : 8), style);
  drawText(ctx, countText(low), layout.left - 6, box.y + box.height - 6, style);
  line(ctx, layout.left, box.y + box.height - 3.5, layout.right, box.y + box.height - 3.5, colours.line);
}

function clipped(ctx, x, y, width, height, draw) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, y, width, height);
  ctx.clip();
  draw();
  ctx.restore();
}
