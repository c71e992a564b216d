// Times and durations as text, and the positions of axis marks.

const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE), ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((n) => n * DAY),
];

const LAST = 8.64e15; // ms; the latest time that a Date supports; a log may have later ones

const two = (number) => String(number).padStart(2, "0");

function zoneShift(at) {
  return state.utc ? 0 : -new Date(at).getTimezoneOffset() * MINUTE;
}

// A Date whose UTC fields are the local fields of the displayed time zone.
function shown(at) {
  return new Date(at + zoneShift(at));
}

function dayText(at) {
  if (Math.abs(at) > LAST - DAY) return `${at} ms`;
  const date = shown(at);
  return `${date.getUTCFullYear()}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
}

function clockText(at, step = SECOND) {
  const date = shown(at);
  const minutes = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
  if (step >= MINUTE) return minutes;
  const seconds = `${minutes}:${two(date.getUTCSeconds())}`;
  return step >= SECOND ? seconds : `${seconds}.${String(date.getUTCMilliseconds()).padStart(3, "0")}`;
}

function timeText(at, step = SECOND) {
  if (Math.abs(at) > LAST - DAY) return dayText(at);
  return at === null ? "-" : `${dayText(at)} ${clockText(at, step)}`;
}

function durationText(ms) {
  if (ms === null || ms === undefined) return "-";
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(2)} s`;
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${Math.floor((ms % MINUTE) / SECOND)} s`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ${Math.floor((ms % HOUR) / MINUTE)} min`;
  return `${Math.floor(ms / DAY)} d ${Math.floor((ms % DAY) / HOUR)} h`;
}

function countText(number) {
  if (number === null || number === undefined) return "-";
  return Math.abs(number) < 10_000 ? String(number) : number.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 });
}

function axisStep(from, to, most) {
  let step = STEPS.find((each) => (to - from) / each <= most) || STEPS[STEPS.length - 1];
  while ((to - from) / step > most) step *= 10; // for logs with impossible times
  return step;
}

function axisMarks(from, to, most) {
  const step = axisStep(from, to, most);
  const marks = [];
  if (to > LAST - DAY) return marks; // not all marks would be distinct there
  const shift = zoneShift(from);
  for (let at = Math.ceil((from + shift) / step) * step - shift; at <= to; at += step) {
    const date = shown(at);
    const isDay = date.getUTCHours() + date.getUTCMinutes() + date.getUTCSeconds() + date.getUTCMilliseconds() === 0;
    const text = isDay ? `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}` : clockText(at, step);
    marks.push({ at, text, isDay });
  }
  return marks;
}
