import { setImmediate as turn } from "node:timers/promises";
import type { BusyPolling } from "./busy-polling.ts";
import { type AnswerText, copiedText } from "./endpoint.ts";

/** Where texts go; it does not throw. */
export interface TextSink {
  /** Sends texts that were made one after the other for this sink: one, if it takes no more. */
  send(texts: readonly AnswerText[]): void;
}

/** A request that was read whole. */
export interface ReadRequest {
  readonly sink: TextSink;
  /** Bytes, roughly, that are kept until it is answered. */
  readonly keptBytes: number;
  /** Makes the answer's text, valid until the next is made; null where none is sent now. Does not throw. */
  answer(): AnswerText | null;
}

interface MadeTexts {
  readonly sink: TextSink;
  readonly texts: AnswerText[];
}

/** Texts made before they are sent: some fifteen answers without positions. */
const HELD_BYTES = 96 * 1024;
/** A text that is made waits about so long at most for those after it. */
const HELD_MS_MAX = 1;
/** Requests of one turn from which on those of the next are collected. */
const CROWD_MIN = 4;
/** The same where those of this turn were collected, since a crowd comes in parts. */
const STILL_CROWD_MIN = 2;
/** A turn that has lasted so long owes nothing more to a sink that it has answered. */
const TURN_MS_MAX = 5;
/** Of requests put off at a time: beyond it a turn goes on instead, and the kernel's buffers make their clients wait. */
const PUT_OFF_BYTES_MAX = 32 * 1024 * 1024;

/**
 * Where many requests come in one turn of the event loop they are read first, then answered, then sent, some fifteen at a
 * time. Answers made one after the other find their code and data in the processor's caches, where the kernel's would
 * have been between them; and a client whose answers come together is woken once. Where few come, each is answered as
 * soon as it was read, so that its client works while the next is made. Which of the two it is follows from the last turn
 * that brought any: a crowd begins with one of several requests and ends with one of a single request.
 *
 * Where one sink's requests are many, and each takes long, the rest of them wait for the next turn, before which others'
 * are read: those, timers and other threads' messages wait for about a turn, not for all that one client had to ask.
 *
 * Holds:  a sink's requests are answered in their order; each turn answers at least one of every sink that has any
 *
 * After the last request of a turn the thread can look for the next for a while before it sleeps (busy polling): a client
 * that asks again right after an answer then waits for no thread to be woken, with what the caches lose meanwhile.
 */
export class AnswerTurn {
  readonly #memory = new ArrayBuffer(HELD_BYTES);
  readonly #polling: BusyPolling | null;
  readonly #nowMs: () => number;
  #read: ReadRequest[] = [];
  #readBytes = 0;
  #made: MadeTexts[] = [];
  #heldBytes = 0;
  #count = 0;
  #countOfAll = 0;
  #beganMs = 0;
  #isCrowded = false;
  #isTurning = false;
  #pollUntilMs = 0;

  /** Polls after a request for as long as it is told, or not at all. */
  constructor(polling: BusyPolling | null, nowMs = (): number => performance.now()) {
    this.#polling = polling;
    this.#nowMs = nowMs;
  }

  /** Requests so far. */
  get requests(): number {
    return this.#countOfAll;
  }

  /** Answers a request, at once or in this turn. */
  add(request: ReadRequest): void {
    this.#countOfAll++;
    if (this.#count++ === 0) this.#beganMs = this.#nowMs();
    this.#turnAgain();
    if (this.#isCrowded) {
      this.#read.push(request);
      this.#readBytes += request.keptBytes;
      return;
    }
    const text = request.answer();
    if (text !== null) request.sink.send([text]);
    if (this.#nowMs() - this.#beganMs >= TURN_MS_MAX) this.#isCrowded = true;
  }

  /**
   * Resolves when what was added is answered, but for answers that come late. What is added meanwhile is not waited for:
   * sockets whose clients ask again at each answer would have no end.
   */
  async settled(): Promise<void> {
    await turn();
    const added = new Set(this.#read);
    // Requests that were put off stay in their order, before what came after them.
    while (this.#read.length > 0 && added.has(this.#read[0]!)) await turn();
  }

  /** Sends the texts that are held: before a socket that may have some is ended, or sent something else. */
  sendMade(): void {
    const made = this.#made;
    this.#made = [];
    for (const { sink, texts } of made) sink.send(texts);
    this.#heldBytes = 0;
  }

  #turnAgain(): void {
    if (this.#isTurning) return;
    this.#isTurning = true;
    // Between two immediates the loop looks at its sockets once, without sleeping.
    setImmediate(this.#end);
  }

  readonly #end = (): void => {
    this.#isTurning = false;
    const hadRequests = this.#count > 0 || this.#read.length > 0;
    if (hadRequests) {
      this.#isCrowded = this.#count >= (this.#isCrowded ? STILL_CROWD_MIN : CROWD_MIN);
      this.#count = 0;
      if (this.#read.length > 0) this.#answerAll();
    }
    if (this.#read.length > 0) {
      // What comes meanwhile must not overtake what was put off.
      this.#isCrowded = true;
      this.#turnAgain();
    }
    if (this.#polling === null) return;
    const nowMs = this.#nowMs();
    if (hadRequests) this.#pollUntilMs = this.#polling.untilMs(nowMs, this.#beganMs);
    if (nowMs < this.#pollUntilMs) this.#turnAgain();
  };

  #answerAll(): void {
    const read = this.#read;
    this.#read = [];
    const beganMs = this.#nowMs();
    let nowMs = beganMs;
    let heldSinceMs = beganMs;
    // Of this turn, from when it has lasted too long.
    let answered: Set<TextSink> | null = null;
    for (let i = 0; i < read.length; i++) {
      const request = read[i]!;
      if (nowMs - beganMs >= TURN_MS_MAX && this.#readBytes <= PUT_OFF_BYTES_MAX) {
        answered ??= new Set(read.slice(0, i).map(({ sink }) => sink));
        if (answered.has(request.sink)) {
          this.#read.push(request);
          continue;
        }
        answered.add(request.sink);
      }
      this.#readBytes -= request.keptBytes;
      const text = request.answer();
      if (text !== null) this.#hold(request.sink, text);
      nowMs = this.#nowMs();
      if (nowMs - heldSinceMs < HELD_MS_MAX) continue;
      this.sendMade();
      heldSinceMs = nowMs;
    }
    this.sendMade();
  }

  #hold(sink: TextSink, text: AnswerText): void {
    if (typeof text !== "string" && this.#heldBytes + text.length > HELD_BYTES) this.sendMade();
    const kept = this.#kept(text);
    const last = this.#made.at(-1);
    if (last?.sink === sink) last.texts.push(kept);
    else this.#made.push({ sink, texts: [kept] });
  }

  #kept(text: AnswerText): AnswerText {
    if (typeof text === "string" || text.length > HELD_BYTES) return copiedText(text);
    const kept = new Uint8Array(this.#memory, this.#heldBytes, text.length);
    kept.set(text);
    this.#heldBytes += text.length;
    return kept;
  }
}
