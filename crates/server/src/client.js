// A deliberation as one value that changes: what was asked, what has been shown so far by stage, where it stands, how it ended.
// No dependency, for pages and for Node. Survives a cut connection by the number of the last event, and a reload by the run's id.

/**
 * @typedef {{phase: string, title: string, seat: ?number, role: ?string, content: ?string, shape: object, data: ?object}} Stage
 * One thing that was shown: whose it is (null: computed), its words, its shape (`kind` says which), the parsed data of the stored row.
 *
 * @typedef {object} State
 * @property {?string} run
 * @property {number} seq The last event seen.
 * @property {?string} mode
 * @property {?string} conversationId
 * @property {?string} messageId
 * @property {?string} question
 * @property {Object<string, Stage[]>} stages What was shown, by stage type.
 * @property {?string} currentStage The phase under way.
 * @property {boolean} isLoading
 * @property {?string} error Why there is no answer: the request was refused, or the run came to none.
 * @property {?object} stopped Why it stopped; it can be resumed.
 * @property {number} elapsedMs
 * @property {?string} title
 * @property {?object} verdict The end of the run; `verdict.answer.text` is the answer.
 */

/** @returns {State} */
const nothing = () => ({
  run: null, seq: 0, mode: null, conversationId: null, messageId: null, question: null, stages: {}, currentStage: null,
  isLoading: false, error: null, stopped: null, elapsedMs: 0, title: null, verdict: null,
});

/** A fold before its first event: the state, and what later events refer to. */
export const begin = (state = nothing()) => ({ state, began: null, phases: [], said: {} });

/**
 * Takes one more event of `/v1/runs/{id}/events`. One that was seen before changes nothing, and so do words of running turns.
 * @param {ReturnType<typeof begin>} fold
 * @param {{type: string, seq?: number, run: string, at: number, message?: string, data: any}} event
 */
export function take(fold, event) {
  const { type, seq, at, data } = event;
  if (!(seq > fold.state.seq)) return fold;
  let { began, phases, said } = fold;
  began ??= at;
  const news = { seq, elapsedMs: Math.max(0, at - began) };
  const outer = data?.key !== undefined && !data.key.includes("/");
  switch (type) {
    case "run_start":
      Object.assign(news, { run: event.run, mode: data.mode, question: data.question.text, isLoading: true, messageId: data.messageId });
      news.conversationId = data.conversationId ?? null;
      break;
    case "phase_start":
      if (outer && !phases.some((phase) => phase.key === data.key)) phases = [...phases, { key: data.key, name: data.phase, ended: false }];
      break;
    case "phase_complete":
      phases = phases.map((phase) => (phase.key === data.key ? { ...phase, ended: true } : phase));
      break;
    case "turn_complete":
      if (typeof data.value === "string") said = { ...said, [data.key]: data.value };
      break;
    case "exhibit": {
      const { title, seat = null, role = null, turn, shape, data: row = null } = data.exhibit;
      const first = data.key.split("/")[0];
      const phase = !outer && !first.includes("@") ? first : "";
      const own = shape.kind === "statement" || shape.kind === "note" ? shape.text : undefined;
      const content = own ?? said[turn] ?? null;
      const before = fold.state.stages[data.stage_type] ?? [];
      news.stages = { ...fold.state.stages, [data.stage_type]: [...before, { phase, title, seat, role, content, shape, data: row }] };
      break;
    }
    case "title_complete":
      news.title = data.title;
      break;
    case "stopped":
      Object.assign(news, { stopped: data, isLoading: false });
      break;
    case "resumed":
      Object.assign(news, { stopped: null, isLoading: true });
      break;
    case "complete":
    case "error":
      Object.assign(news, { verdict: data, error: event.message ?? null, isLoading: false });
      break;
  }
  const state = { ...fold.state, ...news };
  state.currentStage = state.isLoading ? (phases.findLast((phase) => !phase.ended)?.name ?? null) : null;
  return { state, began, phases, said };
}

/** The events of a stream, as they come. The server gives a sign of life every 15 seconds: one that is silent for longer is lost. */
async function* eventsOf(response) {
  const [reader, decoder] = [response.body.getReader(), new TextDecoder()];
  let [text, timer] = ["", null];
  try {
    for (;;) {
      const silence = new Promise((_, lost) => (timer = setTimeout(lost, 45000, new Error("nothing came for 45 seconds"))));
      const { value, done } = await Promise.race([reader.read(), silence]).finally(() => clearTimeout(timer));
      if (done) return;
      const frames = (text + decoder.decode(value, { stream: true })).split("\n\n");
      text = frames.pop();
      const lines = frames.map((frame) => frame.split("\n").find((line) => line.startsWith("data: ")));
      for (const line of lines) if (line) yield JSON.parse(line.slice(6));
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
/** How often a connection that gives nothing new is tried again: for about half a minute. */
const TRIES = 9;

/**
 * @param {object} [options]
 * @param {string} [options.base] Where the server is; a page of its own needs none.
 * @param {string} [options.key] Its key, where one is needed.
 * @param {typeof fetch} [options.fetch] Another way to fetch.
 */
export function createDeliberation({ base = "", key, fetch = (...request) => globalThis.fetch(...request) } = {}) {
  let [fold, at, leaving] = [begin(), Date.now(), new AbortController()]; // `at`: when the last event came, by this machine's clock
  const listeners = new Set();
  const headers = key ? { authorization: `Bearer ${key}` } : {};

  const now = () => ({ ...fold.state, elapsedMs: fold.state.elapsedMs + (fold.state.isLoading ? Math.max(0, Date.now() - at) : 0) });
  const told = (listener) => { try { listener(now()); } catch (error) { console.error(error); } };
  const tell = () => listeners.forEach(told);
  const change = (next) => { [fold, at] = [next, Date.now()]; tell(); };
  const fail = (error) => change({ ...fold, state: { ...fold.state, error, isLoading: false, currentStage: null } });

  /** Reads the run's events to its end or its next stop. `first` begins it, again under the same key if its answer was lost. */
  async function read(signal, first) {
    for (let tries = 0; tries < TRIES && !signal.aborted; ) {
      const { run, seq } = fold.state;
      const events = `${base}/v1/runs/${run}/events?after=${seq}`;
      try {
        const response = run ? await fetch(events, { headers, signal }) : await first();
        if (response.status === 204) return;
        if (response.status >= 400 && response.status < 500 && response.status !== 408 && !(run && response.status === 429)) {
          const problem = await response.json().catch(() => ({}));
          return fail(problem.error ?? problem.detail ?? `the server answered ${response.status}`);
        }
        if (!response.ok) throw new Error(`the server answered ${response.status}`);
        for await (const event of eventsOf(response)) {
          if (signal.aborted) return;
          if (event.seq > fold.state.seq) {
            tries = 0;
            change(take(fold, event));
          }
          if (fold.state.verdict) return;
        }
        // A stream ends at a stop; one that was resumed since goes on after it.
        if (fold.state.stopped) return;
      } catch (error) {
        if (signal.aborted) return;
        if (tries + 1 >= TRIES) return fail(`the connection was lost: ${error.message}`);
      }
      await sleep(100 * 2 ** tries++);
    }
    if (!signal.aborted) fail("the connection was lost");
  }

  async function run(state, first) {
    if (fold.state.isLoading) throw new Error("a deliberation is under way: reset() lets go of it");
    const { signal } = (leaving = new AbortController());
    change(begin({ ...nothing(), ...state, isLoading: true }));
    const tick = setInterval(tell, 1000);
    await read(signal, () => first(signal)).finally(() => clearInterval(tick));
    const { conversationId, title } = fold.state;
    if (conversationId && !title && !signal.aborted) {
      const talk = await fetch(`${base}/v1/conversations/${conversationId}`, { headers, signal }).then((answer) => answer.json()).catch(() => ({}));
      if (talk.title && !signal.aborted) change({ ...fold, state: { ...fold.state, title: talk.title } });
    }
    return now();
  }

  return {
    /** @returns {State} */
    get state() { return now(); },
    /** Asks a question: the next one of the conversation, as long as the mode is the same. Resolves when the run has ended or stopped. */
    sendMessage(mode, question, modeConfig = {}) {
      const { conversationId, title } = fold.state.mode === mode ? fold.state : nothing();
      const body = JSON.stringify({ mode, question, modeConfig, ...(conversationId && { conversationId }) });
      const json = { ...headers, "content-type": "application/json", "idempotency-key": `${Date.now()}-${Math.random()}` };
      const first = (signal) => fetch(`${base}/api/council/stream`, { method: "POST", headers: json, body, signal });
      return run({ mode, question, conversationId, title }, first);
    },
    /** Shows a run again, after a reload, and goes on with it. */
    follow: (id) => run({ run: id }),
    /** Lets go of what is shown. The run goes on without anybody watching. */
    reset() { leaving.abort(); change(begin()); },
    /** Calls the listener now and after every change. Returns what ends that. */
    subscribe(listener) {
      listeners.add(listener);
      told(listener);
      return () => listeners.delete(listener);
    },
  };
}
