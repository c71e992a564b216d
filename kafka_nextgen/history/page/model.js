// Prepares a group for drawing: members with their places, a lane for each partition, rebalances by epoch, and lag.

function groupOf(raw, coding, texts) {
  const group = { name: raw.group, cluster: raw.cluster };
  for (const name of Object.keys(raw.facts)) group[name] = decodedTable(raw.facts[name], coding[name], texts);
  [group.first, group.last] = extent(group);
  group.memberTable = group.members;
  group.members = membersOf(group);
  group.memberAt = new Map(group.members.map((member) => [member.id, member]));
  group.lanes = lanesOf(group);
  group.topics = [...new Set(group.lanes.map((lane) => lane.topic))];
  group.causes = [...new Set(group.rebalances.rows ? group.rebalances.cause : [])].filter(Boolean).sort();
  group.rowAt = new Map((group.rebalances.epoch || []).map((epoch, row) => [epoch, row]));
  group.longest = longest(group.rebalances);
  for (const name of ["holdups", "standstills"]) group[name].byEpoch = rowsBy(group[name].epoch);
  group.rebalances.stood = places(group.rebalances.rows).map((row) => longestStand(group, standsIn(group, row)));
  group.steps = memberSteps(group);
  group.totals = new Map();
  return group;
}

function rowsBy(values) {
  const found = new Map();
  (values || []).forEach((value, row) => (found.has(value) ? found.get(value).push(row) : found.set(value, [row])));
  return found;
}

// The duration of the longest rebalance, which limits how far back to search.
function longest(rebalances) {
  return places(rebalances.rows).reduce((most, row) => Math.max(most, (rebalances.ended[row] ?? 0) - rebalances.began[row]), 0);
}

function extent(group) {
  let first = Infinity, last = -Infinity;
  const see = (values) => (values || []).forEach((value) => {
    if (value === null) return;
    if (value < first) first = value;
    if (value > last) last = value;
  });
  if (group.groups.rows) { see(group.groups.first); see(group.groups.last); }
  for (const name of ["rebalances", "tenures", "standstills", "overlaps"]) { see(group[name].began); see(group[name].ended); }
  see(group.lags.at); see(group.repeats.at);
  if (first > last) return [0, 1000];
  return [first, Math.max(last, first + 1000)];
}

function membersOf(group) {
  const table = group.memberTable;
  const seen = new Map();
  for (let row = 0; row < table.rows; row++) {
    const name = table.instance[row] || table.client[row] || "";
    seen.set(table.member[row], { id: table.member[row], name, row });
  }
  for (const id of [...(group.tenures.member || []), ...(group.holdups.member || [])]) {
    if (id !== null && !seen.has(id)) seen.set(id, { id, name: "", row: null });
  }
  const members = [...seen.values()];
  const firstOf = (member) => (member.row === null ? Infinity : table.first[member.row] ?? Infinity);
  members.sort((a, b) => firstOf(a) - firstOf(b) || (a.id < b.id ? -1 : 1));
  const counts = new Map();
  for (const { name } of members) counts.set(name, (counts.get(name) || 0) + 1);
  members.forEach((member, place) => {
    member.place = place;
    const short = member.id.length > 14 ? member.id.slice(0, 8) : member.id;
    const own = member.id.startsWith(`${member.name}-`) ? member.id.slice(member.name.length + 1) : member.id;
    member.label = !member.name ? short : counts.get(member.name) > 1 ? `${member.name} ${own.slice(0, 4)}` : member.name;
  });
  return members;
}

function lanesOf(group) {
  const lanes = new Map();
  const laneOf = (table, row) => {
    const key = `${table.partition[row]} ${table.topic[row]}`;
    if (!lanes.has(key)) lanes.set(key, newLane(table.topic[row], table.partition[row]));
    return lanes.get(key);
  };
  const each = (table, take) => places(table.rows).forEach((row) => take(laneOf(table, row), row));
  const { tenures, standstills, overlaps, lags } = group;
  for (const [table, kind] of [[tenures, "tenures"], [standstills, "stands"], [overlaps, "overlaps"]]) {
    each(table, (lane, row) => {
      lane[kind].began.push(table.began[row]);
      lane[kind].ended.push(table.ended[row] ?? group.last);
      lane[kind].row.push(row);
    });
  }
  each(lags, (lane, row) => { lane.lag.at.push(lags.at[row]); lane.lag.value.push(lags.lag[row] ?? 0); });
  each(group.owners, () => {});
  return [...lanes.values()].sort((a, b) => (a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : a.partition - b.partition));
}

function newLane(topic, partition) {
  const stretches = () => ({ began: [], ended: [], row: [] });
  return { topic, partition, tenures: stretches(), stands: stretches(), overlaps: stretches(), lag: { at: [], value: [] } };
}

// The hold-up of the member that the others waited for; null if there is none.
function holdingUp(row) {
  const { rebalances, holdups } = state.group;
  const rows = holdups.byEpoch.get(rebalances.epoch[row]) || [];
  return rows.find((each) => holdups.member[each] === rebalances.holder[row] && spent(each) > 0) ?? null;
}

// The duration of this hold-up, in ms.
function spent(held) {
  return PARTS.reduce((sum, part) => sum + state.group.holdups[`${part}_ms`][held], 0);
}

function mostPart(held) {
  const { holdups } = state.group;
  return PARTS.reduce((best, part) => (holdups[`${part}_ms`][held] > holdups[`${best}_ms`][held] ? part : best));
}

// The duration of the longest of these standstills, in ms. One that has not ended counts until the end of the log.
function longestStand(group, rows) {
  const { ms, began } = group.standstills;
  return rows.reduce((most, row) => Math.max(most, ms[row] ?? group.last - began[row]), 0);
}

function standsIn(group, row) {
  return group.standstills.byEpoch.get(group.rebalances.epoch[row]) || [];
}

// The standstills between two owners. In a group without members, partitions have no owner as expected, so they are left out.
function standsBetweenOwners(group) {
  const { members, rows } = group.rebalances;
  const isEmpty = rows > 0 && !members[rows - 1];
  return places(group.standstills.rows).filter((row) => !(isEmpty && group.standstills.ended[row] === null));
}

// When each member reached each epoch, according to hold-ups and tenures.
function memberSteps({ holdups, tenures }) {
  const steps = new Map();
  const add = (member, at, epoch) => {
    if (member === null || epoch === null) return;
    if (!steps.has(member)) steps.set(member, []);
    steps.get(member).push([at, epoch]);
  };
  for (let row = 0; row < holdups.rows; row++) add(holdups.member[row], holdups.ended[row], holdups.epoch[row]);
  for (let row = 0; row < tenures.rows; row++) add(tenures.member[row], tenures.began[row], tenures.epoch[row]);
  for (const [member, found] of steps) {
    let most = -1;
    steps.set(member, found.sort((a, b) => a[0] - b[0]).filter(([, epoch]) => epoch > most && ((most = epoch), true)));
  }
  return steps;
}

// The lag of all partitions of a topic ("" for all) over time: {at, value, most}.
function totalLag(group, topic) {
  if (!group.totals.has(topic)) group.totals.set(topic, summedLag(group.lags, topic));
  return group.totals.get(topic);
}

function summedLag(lags, topic) {
  const series = { at: [], value: [], most: 0 };
  const last = new Map();
  let total = 0;
  for (let row = 0; row < lags.rows; row++) {
    if (topic && lags.topic[row] !== topic) continue;
    const key = `${lags.partition[row]} ${lags.topic[row]}`;
    const lag = lags.lag[row] ?? 0;
    total += lag - (last.get(key) || 0);
    last.set(key, lag);
    const isSame = series.at.length && series.at[series.at.length - 1] === lags.at[row];
    if (isSame) series.value[series.value.length - 1] = total;
    else { series.at.push(lags.at[row]); series.value.push(total); }
  }
  for (const value of series.value) series.most = Math.max(series.most, value);
  return series;
}
