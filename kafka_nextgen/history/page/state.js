// The state of the view, its listeners, and the URL hash in which it is stored.

const state = {
  groups: [], group: null, from: 0, to: 1, chosen: null, member: "", topic: "", cause: "",
  utc: true, fit: false, scroll: 0,
};
const SHORTEST = 20; // the shortest visible range, in ms
const listeners = [];
let changed = new Set();
let hashTimer = 0;
let written = "";
let flight = 0;

function whenChanged(listener) {
  listeners.push(listener);
}

function update(changes) {
  Object.assign(state, changes);
  if (!changed.size) requestAnimationFrame(tellChanges);
  for (const name of Object.keys(changes)) changed.add(name);
  clearTimeout(hashTimer);
  hashTimer = setTimeout(writeHash, 200);
}

function tellChanges() {
  const names = changed;
  changed = new Set();
  for (const listener of listeners) listener(names);
}

function look(from, to) {
  const { first, last } = state.group;
  const room = (last - first) * 0.02 + 500;
  const width = Math.min(Math.max(to - from, SHORTEST), last - first + 2 * room);
  const begin = Math.min(Math.max((from + to - width) / 2, first - room), last + room - width);
  update({ from: begin, to: begin + width });
}

// The range of a whole group, with a small margin on both sides.
function wholeOf({ first, last }) {
  const room = (last - first) * 0.01 + 100;
  return { from: first - room, to: last + room };
}

function lookAll() {
  const { from, to } = wholeOf(state.group);
  flyTo(from, to);
}

// Animate the move for 200 ms, so that users can follow it; move immediately if they prefer reduced motion.
function flyTo(from, to) {
  cancelAnimationFrame(flight);
  if (document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches) return look(from, to);
  const begin = performance.now(), start = [state.from, state.to];
  const step = (now) => {
    const part = Math.min(Math.max((now - begin) / 200, 0), 1), eased = part * (2 - part);
    look(start[0] + (from - start[0]) * eased, start[1] + (to - start[1]) * eased);
    if (part < 1) flight = requestAnimationFrame(step);
  };
  flight = requestAnimationFrame(step);
}

function zoom(factor, around = (state.from + state.to) / 2) {
  cancelAnimationFrame(flight);
  look(around - (around - state.from) * factor, around + (state.to - around) * factor);
}

function pan(ms) {
  cancelAnimationFrame(flight);
  look(state.from + ms, state.to + ms);
}

function choose(row) {
  if (row === null) return update({ chosen: null });
  const { rebalances, last } = state.group;
  const began = rebalances.began[row], ended = rebalances.ended[row] ?? last;
  const room = Math.max((ended - began) * 0.6, 1000);
  update({ chosen: row });
  flyTo(began - room, ended + room);
}

function chooseGroup(group, changes = {}) {
  update({ group, chosen: null, member: "", topic: "", cause: "", scroll: 0, ...wholeOf(group), ...changes });
}

// Which rebalances match the filters: one flag per row.
function listing() {
  const { group, cause, member } = state;
  const key = JSON.stringify([cause, member]);
  if (group.listed?.key !== key) {
    group.listed = { key, isIn: places(group.rebalances.rows).map(isListed) };
  }
  return group.listed.isIn;
}

function listedRows() {
  const isIn = listing();
  return places(state.group.rebalances.rows).filter((row) => isIn[row]);
}

function isListed(row) {
  const { rebalances, holdups } = state.group;
  if (state.cause && rebalances.cause[row] !== state.cause) return false;
  if (!state.member || rebalances.by[row] === state.member || rebalances.slowest[row] === state.member) return true;
  return (holdups.byEpoch.get(rebalances.epoch[row]) || []).some((each) => holdups.member[each] === state.member);
}

function writeHash() {
  if (!state.group) return;
  const { group } = state;
  const told = new URLSearchParams({ group: group.name });
  if (state.groups.some((other) => other !== group && other.name === group.name)) told.set("cluster", group.cluster);
  told.set("from", Math.round(state.from));
  told.set("to", Math.round(state.to));
  if (state.chosen !== null) told.set("rebalance", group.rebalances.epoch[state.chosen]);
  for (const name of ["topic", "member", "cause"]) if (state[name]) told.set(name, state[name]);
  if (!state.utc) told.set("utc", "0");
  written = `#${told}`;
  try { history.replaceState(null, "", written); } catch { location.replace(written); }
}

function readHash() {
  if (location.hash === written && state.group) return;
  const told = new URLSearchParams(location.hash.slice(1));
  const fits = (group) => group.name === told.get("group") && (!told.has("cluster") || group.cluster === told.get("cluster"));
  const group = state.groups.find(fits) || state.groups[0];
  if (!group) return;
  const changes = { utc: told.get("utc") !== "0" };
  for (const name of ["topic", "member", "cause"]) if (told.has(name)) changes[name] = told.get(name);
  const row = told.has("rebalance") ? group.rowAt.get(Number(told.get("rebalance"))) : undefined;
  chooseGroup(group, { ...changes, chosen: row ?? null });
  const from = momentOf(told.get("from")), to = momentOf(told.get("to"));
  if (from !== null && to !== null && from < to) look(from, to);
  else if (row !== undefined) choose(row);
}

// A time in a link: milliseconds since the epoch, or ISO 8601.
function momentOf(text) {
  if (!text) return null;
  const at = /^-?\d+$/.test(text) ? Number(text) : Date.parse(text);
  return Number.isFinite(at) ? at : null;
}
