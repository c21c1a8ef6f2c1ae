// Run by client.rs, beside the module, a recording of every mode, and a server at SYNOD_BASE.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import net from "node:net";
import { test } from "node:test";
import { begin, createDeliberation, take } from "./client.mjs";

const base = process.env.SYNOD_BASE;
const recorded = JSON.parse(readFileSync("recorded.json", "utf8"));

/** A snapshot of the server as the module has it. */
const asState = (s) => ({
  run: s.id, seq: s.seq, mode: s.mode, conversationId: s.conversation, messageId: s.message, question: s.question, stages: s.stages,
  currentStage: s.current_stage, isLoading: s.loading, error: s.error, stopped: s.stopped, elapsedMs: s.elapsed_ms, title: s.title, verdict: s.verdict,
});

for (const { mode, events, states } of recorded) {
  test(`${mode}: after each event the state is the server's`, () => {
    let fold = begin();
    events.forEach((event, n) => {
      fold = take(fold, event);
      assert.deepEqual(fold.state, asState(states[n]), `${mode}: after ${event.type} ${event.seq}`);
      assert.equal(take(fold, event), fold, "an event seen before changes nothing");
    });
    assert.equal(take(fold, { type: "turn_delta", run: fold.state.run, at: 1, data: {} }), fold);
  });
}

/** A connection that is cut after so many bytes of answers, once for each number, and then holds. */
async function cutting(cuts) {
  const to = new URL(base);
  const made = [];
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(to.port), to.hostname);
    made.push(client, upstream);
    let left = cuts.length > 0 ? cuts.shift() : Infinity;
    client.pipe(upstream);
    upstream.on("data", (bytes) => {
      client.write(bytes.subarray(0, Math.max(0, Math.min(left, bytes.length))), () => left <= 0 && client.destroy());
      left -= bytes.length;
      if (left <= 0) upstream.destroy();
    });
    upstream.on("end", () => client.end());
    for (const socket of [client, upstream]) socket.on("error", () => {});
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const close = () => {
    server.close();
    made.forEach((socket) => socket.destroy());
  };
  return { base: `http://127.0.0.1:${server.address().port}`, cuts, close };
}

for (const { mode } of recorded) {
  test(`${mode}: over a connection that is cut twice, and again after a reload`, async () => {
    const line = await cutting([1500, 9000]);
    const talk = createDeliberation({ base: line.base });
    const numbers = [];
    const end = talk.subscribe((state) => state.seq !== numbers.at(-1) && numbers.push(state.seq));
    const state = await talk.sendMessage(mode, "Should a small team move its batch jobs from cron to a queue?", {});
    end();
    assert.equal(line.cuts.length, 0, "it was cut twice");
    assert.equal(state.error, null);
    assert.deepEqual([state.isLoading, state.currentStage, state.mode], [false, null, mode]);
    assert.ok(state.verdict.answer.text.length > 0 && state.title.length > 0 && state.conversationId && state.messageId);
    assert.deepEqual(numbers, [...numbers].sort((a, b) => a - b), "events came in order");
    const snapshot = asState(await (await fetch(`${base}/v1/runs/${state.run}`)).json());
    assert.deepEqual({ ...state, seq: 0 }, { ...snapshot, seq: 0 });
    const reloaded = await createDeliberation({ base }).follow(state.run);
    assert.deepEqual(reloaded, state);
    line.close();
  });
}

test("the next question goes on with the conversation, a reset begins another", async () => {
  const talk = createDeliberation({ base });
  const first = await talk.sendMessage("council", "Is tea better than coffee?");
  const second = await talk.sendMessage("council", "And at night?");
  assert.deepEqual([second.conversationId, second.title, second.question], [first.conversationId, first.title, "And at night?"]);
  assert.notEqual(second.run, first.run);
  const reloaded = await createDeliberation({ base }).follow(second.run);
  assert.equal(reloaded.title, first.title, "the title is the conversation's");
  const vote = await talk.sendMessage("vote", "Tea?");
  assert.notEqual(vote.conversationId, first.conversationId, "another mode is another conversation");
  talk.reset();
  assert.deepEqual(talk.state, createDeliberation().state);
});

test("a run that was stopped and resumed is followed to its end", async () => {
  const json = { method: "POST", headers: { "content-type": "application/json", prefer: "respond-async" } };
  const begun = await (await fetch(`${base}/v1/runs`, { ...json, body: JSON.stringify({ mode: "crux", question: "Tea?", rehearse: true }) })).json();
  await fetch(`${base}/v1/runs/${begun.id}/cancel`, { method: "POST" });
  const talk = createDeliberation({ base });
  const stopped = await talk.follow(begun.id);
  if (stopped.verdict) return; // it was quicker than the cancel
  assert.equal(stopped.stopped.reason, "cancelled");
  assert.deepEqual([stopped.isLoading, stopped.error], [false, null]);
  await fetch(`${base}/v1/runs/${begun.id}/resume`, { ...json, body: "{}" });
  const ended = await createDeliberation({ base }).follow(begun.id);
  assert.deepEqual([ended.stopped, ended.isLoading, ended.verdict.status], [null, false, "full"]);
});

test("a listener that breaks and a state that was let go of do no harm", async () => {
  const talk = createDeliberation({ base });
  const { error } = console;
  console.error = () => {};
  talk.subscribe(() => {
    throw new Error("a page's own mistake");
  });
  const first = await talk.sendMessage("council", "Tea?");
  console.error = error;
  assert.equal(first.verdict.status, "full");
  const under = talk.sendMessage("council", "And at night?");
  talk.reset();
  await under;
  assert.deepEqual(talk.state, createDeliberation().state);
});

test("what is wrong is told, and nobody asks twice at once", async () => {
  const talk = createDeliberation({ base });
  assert.match((await talk.sendMessage("jurry", "Tea?")).error, /Unknown mode: jurry/);
  assert.match((await talk.sendMessage("delphi", "Tea?", { maxRounds: 99 })).error, /modeConfig.maxRounds/);
  assert.match((await talk.follow("nowhere")).error, /no run/);
  const under = talk.sendMessage("council", "Tea?");
  await assert.rejects(talk.sendMessage("council", "Coffee?"), /under way/);
  assert.equal(talk.state.isLoading, true);
  await under;
  const nobody = createDeliberation({ base, fetch: () => Promise.reject(new Error("no network")) });
  nobody.sendMessage("council", "Tea?");
  nobody.reset();
  assert.equal(nobody.state.isLoading, false);
});
