// Creates elements with text. Names come from logs, so they are only set as text, never as markup.

function element(tag, options = {}, ...inside) {
  const made = document.createElement(tag);
  const { cls, on, ...attributes } = options;
  if (cls) made.className = cls;
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(name, value);
  for (const [name, act] of Object.entries(on || {})) made.addEventListener(name, act);
  made.append(...inside.filter((each) => each !== null && each !== undefined).map((each) => (each instanceof Node ? each : String(each))));
  return made;
}

function memberName(id) {
  if (id === null || id === undefined) return "-";
  return state.group.memberAt.get(id)?.label ?? id;
}

function swatch(member) {
  const canvas = element("canvas", { "aria-hidden": "true" });
  canvas.width = 36;
  canvas.height = 24;
  const ctx = canvas.getContext("2d");
  ctx.scale(2, 2);
  if (member) fillMember(ctx, member, 0, 0, 18, 12);
  else fillWarn(ctx, 0, 0, 18, 12);
  return canvas;
}

function causeGlyph(cause) {
  const { glyph, isBad } = causeMark(cause);
  return element("span", { cls: isBad ? "glyph bad" : "glyph", "aria-hidden": "true" }, glyph);
}

// A bar that shows how long the parts of a hold-up took; a full bar is ``whole`` ms.
function partsBar(holdups, row, whole) {
  const bar = element("div", { cls: "parts" });
  if (row === undefined || row === null) return bar;
  const told = [];
  for (const part of PARTS) {
    const ms = holdups[`${part}_ms`][row];
    const piece = element("i", { cls: part });
    piece.style.width = `${(100 * ms) / Math.max(whole, 1)}%`;
    bar.append(piece);
    told.push(`${part} ${durationText(ms)}`);
  }
  bar.title = told.join(", ");
  bar.setAttribute("role", "img");
  bar.setAttribute("aria-label", bar.title);
  return bar;
}

function signed(number) {
  return `${number > 0 ? "+" : number < 0 ? "\u2212" : ""}${countText(Math.abs(number))}`;
}

function lagGrowth(table, row) {
  const [before, after] = [table.lag_before[row], table.lag_after[row]];
  return before === null || after === null ? "-" : signed(after - before);
}

// The lines of the tooltip for a point on the timeline.
function tipLines(hit) {
  const { group } = state;
  const step = state.to - state.from < 5 * MINUTE ? 1 : SECOND;
  const lines = [element("b", {}, timeText(hit.at, step))];
  if (hit.lane) lines.push(element("div", {}, `${hit.lane.topic}-${hit.lane.partition}`));
  const { stands: stood, overlaps: twice, tenures: held } = hit;
  if (stood !== null && stood !== undefined) {
    const { ms, former, member } = group.standstills;
    lines.push(element("div", {}, `stood still ${ms[stood] === null ? "until the end" : durationText(ms[stood])}: from ${memberName(former[stood])} to ${memberName(member[stood])}, lag ${lagGrowth(group.standstills, stood)}`));
  } else if (held !== null && held !== undefined) {
    lines.push(element("div", {}, `owned by ${memberName(group.tenures.member[held])} since ${clockText(group.tenures.began[held])}`));
  } else if (hit.lane) lines.push(element("div", {}, "no owner in the log"));
  if (twice !== null && twice !== undefined) {
    lines.push(element("div", {}, `owned twice: ${memberName(group.overlaps.first[twice])} and ${memberName(group.overlaps.second[twice])}${group.overlaps.is_excused[twice] ? " (excused)" : ""}`));
  }
  if (hit.lane) lines.push(element("div", {}, `lag ${countText(lagAt(hit.lane.lag, hit.at))}`));
  else lines.push(element("div", {}, `lag ${countText(lagAt(totalLag(group, state.topic), hit.at))} in total`));
  if (hit.rebalance !== null) lines.push(element("div", {}, rebalanceLine(hit.rebalance)));
  return lines;
}

function rebalanceLine(row) {
  const { epoch, cause, by, began } = state.group.rebalances;
  const took = durationText(endOf(row) - began[row]);
  return `epoch ${epoch[row]}: ${cause[row] || "cause unknown"}${by[row] ? ` (${memberName(by[row])})` : ""}, ${took}`;
}
