import { captureLiveState } from "./live-state.ts";
import { loadTable, loopbackRows } from "./loopback.ts";
import { machineLine, markdownTable } from "./measure.ts";
import { stageRows } from "./stages.ts";

/** `npm run bench`: the first table. Ratios hold within one run; put the output into BENCHMARKS.md with its date. */
console.log(`## ${machineLine()}\n`);
const live = await captureLiveState(["cash-only", "one-long", "many-positions"]);
console.log(`One thread, no sockets; ${live.snapshots.assets().length} assets warm from the simulator.\n`);
console.log(markdownTable(stageRows(live), "assess to text, no position"));
console.log("\nWhole requests over loopback, load generator (autocannon) on the same machine:\n");
console.log(loadTable(await loopbackRows()));
process.exit(0);
