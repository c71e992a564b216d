// One lane for each partition: its owners, its standstills, and the times when it had two owners.

// The lanes that match the topic filter.
function shownLanes() {
  return state.topic ? state.group.lanes.filter((lane) => lane.topic === state.topic) : state.group.lanes;
}

// The layout of rows of equal height; a row has several lanes if all lanes have to fit.
function laneRows(height) {
  const lanes = shownLanes();
  const rowHeight = lanes.length <= 16 ? 20 : lanes.length <= 40 ? 15 : 12;
  if (!state.fit && !(timeline.paper && lanes.length * rowHeight > height)) {
    return { lanes, rowHeight, together: 1, count: lanes.length };
  }
  const together = Math.max(1, Math.ceil((lanes.length * 3) / height));
  const count = Math.ceil(lanes.length / together);
  return { lanes, rowHeight: Math.min(20, height / Math.max(count, 1)), together, count };
}

function drawLanes(ctx, layout, hovered) {
  const { box, rows } = layout.lanes;
  const first = Math.floor(state.scroll / rows.rowHeight);
  const last = Math.min(rows.count - 1, Math.floor((state.scroll + box.height) / rows.rowHeight));
  clipped(ctx, 0, box.y, layout.width, box.height, () => {
    for (let row = first; row <= last; row++) {
      const y = box.y + row * rows.rowHeight - state.scroll;
      const lanes = rows.lanes.slice(row * rows.together, (row + 1) * rows.together);
      drawRow(ctx, layout, lanes, y, rows.rowHeight);
      laneLabel(ctx, layout, lanes, y, row === first || rows.lanes[row * rows.together - 1]?.topic !== lanes[0].topic, lanes.includes(hovered));
    }
    drawScrollbar(ctx, layout);
  });
}

function drawRow(ctx, layout, lanes, y, rowHeight) {
  const gap = rowHeight >= 10 ? 2 : rowHeight >= 4 ? 1 : 0;
  const place = { y: y + gap / 2, height: rowHeight - gap };
  ctx.fillStyle = colours.lane;
  ctx.fillRect(layout.left, place.y, layout.right - layout.left, place.height);
  drawTenures(ctx, layout, lanes[0], place);
  for (const lane of lanes) drawStands(ctx, layout, lane, place);
  for (const lane of lanes) drawOverlaps(ctx, layout, lane, place);
}

// The minimum width of an interval in pixels; narrower ones are merged with the following ones.
const NARROWEST = 2;

// Call `take` for each visible interval, and only for the first one of those that are merged.
function eachInView(layout, stretches, take) {
  const { began, ended } = stretches;
  let place = Math.max(0, firstAbove(ended, state.from) - 1);
  while (place < began.length && began[place] < state.to) {
    const [left, right] = layout.span(began[place], ended[place]);
    if (right >= layout.left && ended[place] > state.from) take(stretches.row[place], left, right);
    place = right - left >= NARROWEST ? place + 1 : Math.max(place + 1, firstAbove(ended, layout.at(left + NARROWEST), place + 1));
  }
}

function drawTenures(ctx, layout, lane, { y, height }) {
  const { tenures } = state.group;
  eachInView(layout, lane.tenures, (row, left, right) => {
    const member = state.group.memberAt.get(tenures.member[row]);
    if (!member) return;
    const width = Math.max(right - left, NARROWEST);
    ctx.globalAlpha = state.member && state.member !== member.id ? 0.14 : 0.88;
    if (width < 4) { ctx.fillStyle = memberColour(member); ctx.fillRect(left, y, width, height); }
    else fillMember(ctx, member, left, y, width, height);
    if (!state.member || state.member === member.id) ctx.globalAlpha = 1;
    if (height >= 11 && width > 34) tenureLabel(ctx, member, left, y, width, height);
  });
  ctx.globalAlpha = 1;
}

function tenureLabel(ctx, member, left, y, width, height) {
  const font = `600 ${Math.min(11.5, height - 2.5)}px`;
  setFont(ctx, font);
  const needed = ctx.measureText(member.label).width;
  if (needed > width - 10) return;
  if (memberPattern(member) !== "plain") {
    ctx.fillStyle = "rgba(255, 255, 255, .85)";
    ctx.fillRect(left + 3, y + 1, needed + 4, height - 2);
  }
  drawText(ctx, member.label, left + 5, y + height / 2 + 0.5, { font, colour: memberInk(member) });
}

// Long standstills are hatched. Short ones are notches; if there are many, the height of a notch is their share of the time.
function drawStands(ctx, layout, lane, { y, height }) {
  const { began, ended } = lane.stands;
  const first = Math.max(0, firstAbove(ended, state.from) - 1), last = firstAbove(began, state.to);
  const isDense = last - first > (layout.right - layout.left) / 12;
  const least = height < 5 ? 1 : isDense ? 0.12 : 0.45;
  let slot = null, taken = 0;
  const notch = () => {
    if (slot === null) return;
    const tall = height * Math.min(1, Math.max(least, taken / NARROWEST));
    ctx.fillStyle = colours.warn;
    ctx.fillRect(slot * NARROWEST, y + height - tall, NARROWEST, tall);
  };
  for (let place = first; place < last; place++) {
    const [left, right] = layout.span(began[place], ended[place]);
    if (right < layout.left || ended[place] <= state.from) continue;
    if (right - left >= NARROWEST + 0.5) { hatched(ctx, left, y, right - left, height); continue; }
    const own = Math.floor(left / NARROWEST);
    if (own !== slot) { notch(); slot = own; taken = 0; }
    taken += right - left;
  }
  notch();
}

function hatched(ctx, left, y, width, height) {
  fillWarn(ctx, left, y, width, height);
  ctx.strokeStyle = colours.warn;
  ctx.lineWidth = 1;
  if (height > 4) ctx.strokeRect(left + 0.5, y + 0.5, width - 1, height - 1);
}

// Overlaps are framed, with a pointer at the top if there is space. The frame is dashed if the first owner had been fenced.
function drawOverlaps(ctx, layout, lane, { y, height }) {
  const { overlaps } = state.group;
  const { began, ended } = lane.overlaps;
  const isDense = height < 9 || firstAbove(began, state.to) - firstAbove(ended, state.from) > 5;
  eachInView(layout, lane.overlaps, (row, left, right) => {
    const isExcused = overlaps.is_excused[row];
    const width = Math.max(right - left, 3);
    ctx.strokeStyle = ctx.fillStyle = isExcused ? colours.quiet : colours.ink;
    if (isDense && width < 6) return ctx.fillRect(left, y, 2, height);
    ctx.lineWidth = 2;
    ctx.setLineDash(isExcused ? [3, 2] : []);
    ctx.strokeRect(left, y + 1, width, Math.max(height - 2, 1));
    ctx.setLineDash([]);
    if (!isDense) pointer(ctx, left + width / 2, y);
  });
}

function pointer(ctx, x, y) {
  ctx.beginPath();
  ctx.moveTo(x - 5, y - 1);
  ctx.lineTo(x + 5, y - 1);
  ctx.lineTo(x, y + 6);
  ctx.fill();
}

function laneLabel(ctx, layout, lanes, y, isFirst, isHovered) {
  const rowHeight = layout.lanes.rows.rowHeight;
  if (rowHeight < 9 && !isFirst) return;
  const last = lanes[lanes.length - 1];
  const range = lanes.length > 1 ? `${lanes[0].partition}\u2013${last.partition}` : String(lanes[0].partition);
  const font = `${isHovered ? "700 " : ""}${Math.max(9.5, Math.min(11.5, rowHeight - 1))}px`;
  const style = { font, colour: isHovered ? colours.ink : colours.quiet, align: "right" };
  const middle = y + Math.max(rowHeight / 2, 5);
  drawText(ctx, range, layout.left - 6, middle, style);
  const room = layout.left - 12 - ctx.measureText(range).width;
  if (layout.isNarrow || !(isFirst || rowHeight >= 12)) return;
  drawText(ctx, cutText(ctx, lanes[0].topic, room - 4), layout.left - 10 - ctx.measureText(range).width, middle, style);
}

function cutText(ctx, text, room) {
  if (ctx.measureText(text).width <= room) return text;
  let length = Math.min(text.length, Math.floor(room / 5));
  while (length > 0 && ctx.measureText(`${text.slice(0, length)}\u2026`).width > room) length--;
  return length > 0 ? `${text.slice(0, length)}\u2026` : "";
}

function drawScrollbar(ctx, layout) {
  const { box, rows } = layout.lanes;
  const all = rows.count * rows.rowHeight;
  if (all <= box.height + 1) return;
  const height = Math.max((box.height / all) * box.height, 20);
  const y = box.y + (state.scroll / (all - box.height)) * (box.height - height);
  ctx.fillStyle = colours.lane;
  ctx.fillRect(layout.right + 3, box.y, 7, box.height);
  ctx.fillStyle = colours.quiet;
  ctx.fillRect(layout.right + 3, y, 7, height);
}
