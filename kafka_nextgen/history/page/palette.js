// Colours of the theme and of members: seven colours that colour-blind people can distinguish, combined with four patterns.

const MEMBER_COLOURS = [
  ["#0072b2", "#ffffff"], ["#e69f00", "#17202a"], ["#009e73", "#ffffff"], ["#cc79a7", "#17202a"],
  ["#56b4e9", "#17202a"], ["#f0e442", "#17202a"], ["#7d6b9e", "#ffffff"],
];
const PATTERNS = ["plain", "stripes", "dots", "bars"];
const CAUSES = [
  [/poll|timeout|fenc|put out|expire/i, "!", true], [/join/i, "+", false], [/left|leave|leaving/i, "\u2212", false],
  [/subscri|regex/i, "\u2261", false], [/topic|partition|metadata/i, "\u25a6", false], [/assignor|target/i, "\u25c7", false],
  [/error|fail|lost/i, "!", true],
];
const PARTS = ["processing", "commit", "callback", "coordinator"];

let colours = {};
let fills = new Map();

function readColours() {
  const style = getComputedStyle(document.documentElement);
  const names = ["card", "ink", "quiet", "line", "lane", "accent", "accent-soft", "warn", "band", "lag", "lag-fill", "shade"];
  colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  fills = new Map();
}

const causeMarks = new Map();

function causeMark(cause) {
  if (!causeMarks.has(cause)) {
    const found = CAUSES.find(([pattern]) => pattern.test(cause || ""));
    causeMarks.set(cause, found ? { glyph: found[1], isBad: found[2] } : { glyph: "\u2022", isBad: false });
  }
  return causeMarks.get(cause);
}

function memberColour(member) {
  return MEMBER_COLOURS[member.place % MEMBER_COLOURS.length][0];
}

function memberInk(member) {
  return memberPattern(member) === "plain" ? MEMBER_COLOURS[member.place % MEMBER_COLOURS.length][1] : "#17202a";
}

function memberPattern(member) {
  return PATTERNS[Math.floor(member.place / MEMBER_COLOURS.length) % PATTERNS.length];
}

// Fill with a member's colour and pattern.
function fillMember(ctx, member, x, y, width, height) {
  fillPattern(ctx, memberPattern(member), memberColour(member), "rgba(255, 255, 255, .62)", x, y, width, height);
}

// Fill with the pattern for standstills.
function fillWarn(ctx, x, y, width, height) {
  fillPattern(ctx, "hatch", colours.card, colours.warn, x, y, width, height);
}

function fillPattern(ctx, pattern, ground, figure, x, y, width, height) {
  ctx.fillStyle = pattern === "plain" || timeline.paper ? ground : tiled(ctx, pattern, ground, figure);
  ctx.fillRect(x, y, width, height);
  if (pattern === "plain" || !timeline.paper) return;
  // Printer drivers do not support patterns, so draw each figure separately.
  clipped(ctx, x, y, width, height, () => {
    for (let left = x; left < x + width; left += 8) for (let top = y; top < y + height; top += 8) {
      ctx.translate(left, top);
      paintFigure(ctx, pattern, figure);
      ctx.translate(-left, -top);
    }
  });
}

function tiled(ctx, pattern, ground, figure) {
  const key = `${pattern} ${ground} ${figure}`;
  if (!fills.has(key)) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 16;
    const tileCtx = tile.getContext("2d");
    tileCtx.scale(2, 2);
    tileCtx.fillStyle = ground;
    tileCtx.fillRect(0, 0, 8, 8);
    paintFigure(tileCtx, pattern, figure);
    const fill = ctx.createPattern(tile, "repeat");
    fill.setTransform(new DOMMatrix([0.5, 0, 0, 0.5, 0, 0]));
    fills.set(key, fill);
  }
  return fills.get(key);
}

// Paint one tile of 8 by 8 pixels.
function paintFigure(ctx, pattern, colour) {
  ctx.fillStyle = ctx.strokeStyle = colour;
  if (pattern === "bars") ctx.fillRect(0, 0, 3, 8);
  else if (pattern === "dots") for (const [x, y] of [[2, 2], [6, 6]]) disc(ctx, x, y, 1.5);
  else slanted(ctx, pattern === "hatch" ? 3.2 : 2);
}

function slanted(ctx, width) {
  ctx.lineWidth = width;
  ctx.beginPath();
  for (const x of [-8, 0, 8]) { ctx.moveTo(x, 8); ctx.lineTo(x + 8, 0); }
  ctx.stroke();
}

function disc(ctx, x, y, radius) {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.fill();
}
