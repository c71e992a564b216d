// The lag panel: the total lag as an area, the partition with the greatest lag, and the partition under the pointer.

function drawLag(ctx, layout, hovered) {
  const box = layout.lag;
  panelName(ctx, layout, box, "Lag", "Lag");
  const series = totalLag(state.group, state.topic);
  if (!series.at.length) {
    return drawText(ctx, "not in the log", layout.left + 8, box.y + box.height / 2, { font: "12px", colour: colours.quiet });
  }
  const heights = pixelHeights(layout, series);
  const most = Math.max(1, ...heights.filter((value) => value !== null));
  const y = (lag) => box.y + box.height - 4 - (lag / most) * (box.height - 12);
  scaleLabels(ctx, layout, box, most, 0);
  clipped(ctx, layout.left, box.y, layout.right - layout.left, box.height, () => {
    lagArea(ctx, layout, heights, y, y(0));
    const worst = worstLane();
    if (worst && worst !== hovered) laneLag(ctx, layout, worst, y, colours.quiet);
    if (hovered) laneLag(ctx, layout, hovered, y, colours.accent);
  });
}

// The greatest lag at each pixel; a value applies until the next point.
function pixelHeights(layout, { at, value }) {
  const width = Math.max(1, Math.ceil(layout.right - layout.left));
  const heights = new Array(width).fill(null);
  let place = firstAbove(at, state.from) - 1;
  let now = place >= 0 ? value[place] : null;
  for (let pixel = 0; pixel < width; pixel++) {
    const until = layout.at(layout.left + pixel + 1);
    let most = now;
    while (place + 1 < at.length && at[place + 1] <= until) {
      now = value[++place];
      if (most === null || now > most) most = now;
    }
    heights[pixel] = until > state.group.last ? null : most;
  }
  return heights;
}

function knownPoints(layout, heights) {
  return heights.map((value, pixel) => [layout.left + pixel, value]).filter(([, value]) => value !== null);
}

function lagArea(ctx, layout, heights, y, base) {
  const known = knownPoints(layout, heights);
  if (!known.length) return;
  ctx.beginPath();
  ctx.moveTo(known[0][0], base);
  for (const [x, value] of known) ctx.lineTo(x, y(value));
  ctx.lineTo(known[known.length - 1][0], base);
  ctx.fillStyle = colours["lag-fill"];
  ctx.fill();
  tracedHeights(ctx, known, y, colours.lag, 1.5);
}

function laneLag(ctx, layout, lane, y, colour) {
  const known = knownPoints(layout, pixelHeights(layout, lane.lag));
  if (!known.length) return;
  tracedHeights(ctx, known, y, colour, 1.25);
  const top = known.reduce((best, point) => (point[1] > best[1] ? point : best));
  const isRight = top[0] > (layout.left + layout.right) / 2, isHigh = y(top[1]) < layout.lag.y + 16;
  const style = { font: "11px", colour, align: isRight ? "right" : "left", baseline: isHigh ? "top" : "bottom" };
  drawText(ctx, `${lane.topic}-${lane.partition}`, top[0] + (isRight ? -5 : 5), y(top[1]) + (isHigh ? 4 : -2), style);
}

function tracedHeights(ctx, known, y, colour, width) {
  ctx.beginPath();
  known.forEach(([x, value], place) => (place ? ctx.lineTo(x, y(value)) : ctx.moveTo(x, y(value))));
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.stroke();
}

// The lane with the greatest lag in view.
function worstLane() {
  let worst = null, most = 0;
  for (const lane of shownLanes()) {
    const { at, value } = lane.lag;
    for (let place = Math.max(0, firstAbove(at, state.from) - 1); place < at.length && at[place] <= state.to; place++) {
      if (value[place] > most) { most = value[place]; worst = lane; }
    }
  }
  return worst;
}

function lagAt({ at, value }, moment) {
  const place = firstAbove(at, moment) - 1;
  return place < 0 ? null : value[place];
}
