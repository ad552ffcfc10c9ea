import { MessageChannel, type MessagePort, type WorkerOptions } from "node:worker_threads";
import type { Logger } from "pino";
import { SYSTEM_CLOCK } from "../domain/clock.ts";
import type { RequestError } from "../domain/errors.ts";
import type { WalletAddress } from "../domain/ids.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { AlertConnect } from "../http/alerts-socket.ts";
import { type ApiAnswer, copiedText } from "../http/endpoint.ts";
import type { HttpServer } from "../http/http-server.ts";
import type { KeyRing } from "../http/key-ring.ts";
import type { AppDescriptor } from "../http/uws-listen.ts";
import { RestartingThread } from "../process/restarting-thread.ts";
import { SilenceWatch } from "../process/silence-watch.ts";
import { threadUrl } from "../process/thread-url.ts";
import type { SnapshotFanOut } from "../snapshot/snapshot-fan-out.ts";
import { walletAnswerOf } from "../snapshot/wallet-mirror.ts";
import type { WalletStore } from "../snapshot/wallet-store.ts";
import { AlertRelayDesk } from "./alert-relay-desk.ts";
import { ROUTES, type ServiceAnswers } from "./gateway-endpoints.ts";
import type { GatewayOrder, GatewayReport, MadeAnswer } from "./gateway-messages.ts";
import type { GatewayThreadData } from "./gateway-thread.ts";

/** Longer than a server takes to finish what is in flight. */
const STOP_TIMEOUT_MS = 15_000;
/** A gateway thread speaks once a second; silent for so many looks it hangs. */
const SILENT_LOOKS_MAX = 10;

export interface GatewayHostDeps {
  readonly data: Omit<GatewayThreadData, "keys" | "snapshotPort">;
  /** Who hands connections over. */
  readonly acceptor: HttpServer;
  readonly answers: ServiceAnswers;
  readonly connectAlerts: AlertConnect;
  readonly keys: KeyRing;
  readonly snapshots: SnapshotFanOut;
  readonly wallets: WalletStore;
  readonly logger: Logger;
}

/**
 * Keeps one gateway thread running and answers what it asks. When it fails, no connection is handed to it any more,
 * those that it has are dropped, and another takes its place. One that hangs is handed none and told of no snapshots until it
 * speaks again; it is not ended, since the process would be aborted with it.
 */
export class GatewayHost {
  /** Resolves when connections are handed to the thread for the first time. */
  readonly started: Promise<void>;
  /** Resolves when the thread, being stopped, has answered what was asked of it, or has ended. */
  readonly drained: Promise<void>;
  readonly #deps: GatewayHostDeps;
  readonly #thread: RestartingThread<GatewayOrder, GatewayReport>;
  readonly #alerts: AlertRelayDesk;
  #onStarted: () => void = () => undefined;
  #onDrained: () => void = () => undefined;
  #descriptor: AppDescriptor | undefined;
  readonly #watch = new SilenceWatch(
    SILENT_LOOKS_MAX,
    (forMs) => this.#passOver(forMs),
    () => this.#takeBack(),
  );
  #snapshotPort: MessagePort | undefined;
  /** Threads that have ended so far. */
  #ends = 0;

  constructor(deps: GatewayHostDeps) {
    this.#deps = deps;
    const { connectAlerts, logger } = deps;
    this.started = new Promise((resolve) => (this.#onStarted = resolve));
    this.drained = new Promise((resolve) => (this.#onDrained = resolve));
    this.#alerts = new AlertRelayDesk({
      connect: connectAlerts,
      post: (command) => this.tell(command),
      onInternalError: (cause) =>
        logger.error({ event: "alert.failed", err: cause }, "an alert subscriber failed"),
    });
    this.#thread = new RestartingThread({
      name: "gateway",
      url: threadUrl("gateway/gateway-thread"),
      workerOptions: () => this.#openRun(),
      logger,
      onReply: (report) => this.#heard(report),
      onEnd: () => this.#ended(),
      ending: { timeoutMs: STOP_TIMEOUT_MS, isLeft: true },
    });
  }

  tell(order: GatewayOrder): void {
    this.#thread.ask(order);
  }

  /** What is in flight is finished first. */
  async stop(): Promise<void> {
    this.#release();
    await this.#thread.stop();
    this.#onDrained();
  }

  #openRun(): WorkerOptions {
    const { data, keys, snapshots } = this.#deps;
    const { port1, port2: snapshotPort } = new MessageChannel();
    this.#snapshotPort = port1;
    snapshots.add(port1);
    this.#watch.heard();
    this.#watch.start();
    return {
      workerData: { ...data, keys: keys.shared, snapshotPort } satisfies GatewayThreadData,
      transferList: [snapshotPort],
    };
  }

  #heard(report: GatewayReport): void {
    const { acceptor, keys, wallets, logger } = this.#deps;
    this.#watch.heard();
    switch (report.type) {
      case "started":
        this.#descriptor = report.descriptor;
        acceptor.addChild(report.descriptor);
        this.#onStarted();
        return;
      case "failed":
        logger.error({ event: "gateway.failed", detail: report.detail }, "a gateway thread failed");
        this.#release();
        this.tell({ type: "released" });
        return;
      case "drained":
        this.#onDrained();
        return;
      case "request":
        this.#answer(report);
        return;
      case "wallet.asked":
        void this.#answerWallet(report.id, report.wallet);
        return;
      case "used": {
        keys.noteUses(report.keysLastUsedAtMs);
        const nowMs = SYSTEM_CLOCK.nowMs();
        for (const [wallet, uses] of report.walletUses) wallets.noteUse(wallet, nowMs, uses);
        return;
      }
      default:
        this.#alerts.accept(report);
    }
  }

  #answer({ id, route, request }: Extract<GatewayReport, { type: "request" }>): void {
    const { answers, logger } = this.#deps;
    const { requestId } = request;
    const tell = this.#tellAsker();
    const settle = (result: Result<ApiAnswer, RequestError>): void =>
      tell({ type: "answer", id, answer: result.ok ? ok(madeOf(result.value)) : result });
    const fail = (cause: unknown): void => {
      const { path } = ROUTES[route];
      logger.error({ event: "request.failed", requestId, path, err: cause }, "a request failed");
      settle(err({ code: "internal_error", requestId }));
    };
    try {
      const result = answers[route]({ ...request, receivedAtMs: performance.now(), reply: null });
      if (result instanceof Promise) result.then(settle).catch(fail);
      else settle(result);
    } catch (cause) {
      fail(cause);
    }
  }

  async #answerWallet(id: number, wallet: WalletAddress): Promise<void> {
    const tell = this.#tellAsker();
    tell({
      type: "wallet.answer",
      id,
      answer: await walletAnswerOf(this.#deps.wallets, wallet, SYSTEM_CLOCK),
    });
  }

  /** Answers only the thread run that asked: its successor numbers its questions from the start and would take the answer for its own. */
  #tellAsker(): (order: GatewayOrder) => void {
    const ends = this.#ends;
    return (order) => {
      if (ends === this.#ends) this.tell(order);
    };
  }

  #passOver(forMs: number): void {
    const { acceptor, snapshots, logger } = this.#deps;
    logger.error({ event: "gateway.silent", forMs }, "a gateway thread hangs, and is handed no connections");
    if (this.#descriptor !== undefined) acceptor.removeChild(this.#descriptor);
    if (this.#snapshotPort !== undefined) snapshots.leaveOut(this.#snapshotPort);
  }

  #takeBack(): void {
    const { acceptor, snapshots, logger } = this.#deps;
    logger.info({ event: "gateway.heard" }, "a gateway thread speaks again");
    if (this.#snapshotPort !== undefined) snapshots.add(this.#snapshotPort);
    if (this.#descriptor !== undefined) acceptor.addChild(this.#descriptor);
  }

  /** No connection is handed to the thread from here on. */
  #release(): void {
    this.#watch.stop();
    if (this.#descriptor !== undefined && !this.#watch.isSilent) {
      this.#deps.acceptor.removeChild(this.#descriptor);
    }
    this.#watch.forget();
    this.#descriptor = undefined;
  }

  #ended(): void {
    this.#ends += 1;
    this.#release();
    this.#alerts.closeAll();
    if (this.#snapshotPort !== undefined) this.#deps.snapshots.remove(this.#snapshotPort);
  }
}

function madeOf({ statusLine, json }: ApiAnswer): MadeAnswer {
  return { text: copiedText(json()), ...(statusLine !== undefined && { statusLine }) };
}
