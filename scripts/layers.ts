import { cruise, type IForbiddenRuleType } from "dependency-cruiser";

/** Who may import whom: the table of src/ARCHITECTURE.md, executed. Folders in flow order. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  math: [],
  risk: ["domain", "math"],
  exchange: ["domain"],
  ingest: ["domain", "exchange"],
  actors: ["domain", "risk", "snapshot"],
  refit: ["domain", "math", "risk"],
  snapshot: ["domain", "risk"],
  contracts: [],
  outcomes: ["domain"],
  response: ["contracts", "domain", "risk", "snapshot"],
  handlers: ["contracts", "domain", "outcomes", "response", "risk", "snapshot"],
  http: ["contracts", "domain", "handlers"],
  simulator: ["domain", "math"],
  process: ["domain"],
  engine: ["actors", "domain", "exchange", "ingest", "process", "refit", "risk", "simulator", "snapshot"],
  records: ["domain", "handlers", "ingest", "math", "outcomes", "process", "risk"],
  gateway: [
    ...["actors", "contracts", "domain", "handlers", "http", "outcomes", "process", "response", "risk"],
    "snapshot",
  ],
};

/** What single files may reach beyond their folder's row, and why. */
const EXTRA: Readonly<Record<string, readonly string[]>> = {
  // The simulator speaks the exchange's wire, so it shares the wire's words and nothing else of the adapter.
  simulator: ["^src/exchange/hyperliquid/wire(-feed)?\\.ts$"],
  // The threads of the program are told how it is configured, and the engine's thread starts the engine.
  process: ["^src/config\\.ts$"],
  engine: ["^src/(config|engine)\\.ts$"],
  records: ["^src/config\\.ts$"],
  gateway: ["^src/config\\.ts$"],
  // The invariant check is the one piece of math/ that every layer may use.
  "*": ["^src/math/invariant\\.ts$"],
};

const rules: IForbiddenRuleType[] = Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
  name: `${folder}-imports`,
  severity: "error",
  comment: `${folder}/ may import ${allowed.length === 0 ? "nothing of ours" : allowed.join(", ")}`,
  from: { path: `^src/${folder}/` },
  to: {
    path: "^src/",
    pathNot: [`^src/(${[folder, ...allowed].join("|")})/`, ...(EXTRA[folder] ?? []), ...(EXTRA["*"] ?? [])],
  },
}));

const packageRule = (name: string, packages: string, allowedFrom: string): IForbiddenRuleType => ({
  name,
  severity: "error",
  comment: `${packages} is imported from ${allowedFrom} only`,
  from: { path: "^src/", pathNot: allowedFrom },
  // What resolves to no file is known by its name.
  to: { path: `(^|node_modules/)(${packages})(/|$)` },
});

rules.push(
  packageRule("uws-only-in-http", "uWebSockets\\.js|uws-pack", "^src/http/"),
  packageRule("stores-only-in-outcomes", "kysely|libsql|pg", "^src/outcomes/"),
  packageRule("xstate-only-in-machines", "xstate", "^src/actors/"),
  packageRule("rxjs-only-left-of-the-seam", "rxjs", "^src/(exchange|ingest|engine)"),
  {
    name: "pure-core-without-io",
    severity: "error",
    comment: "risk/ and math/ use no Node module but the hash of node:crypto",
    from: { path: "^src/(risk|math)/" },
    to: { dependencyTypes: ["core"], pathNot: "^(node:)?crypto$" },
  },
  {
    name: "no-cycles",
    severity: "error",
    comment: "types may refer to each other, modules may not",
    from: { path: "^src/" },
    to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
  },
  { name: "no-tests-in-product", severity: "error", from: { path: "^src/" }, to: { path: "^test/" } },
);

/** Broken on purpose: a check that does not find it applies no rules. */
const CANARY = "canary";
rules.push({
  name: CANARY,
  severity: "info",
  from: { path: "^src/main\\.ts$" },
  to: { path: "^src/config\\.ts$" },
});

const { output } = await cruise(["src"], {
  validate: true,
  ruleSet: { forbidden: rules },
  tsPreCompilationDeps: true,
  tsConfig: { fileName: "tsconfig.json" },
  doNotFollow: { path: "node_modules" },
  enhancedResolveOptions: { extensions: [".ts", ".js", ".json"] },
});
if (typeof output === "string") throw new Error("dependency-cruiser gave text where a result was expected");
const { totalCruised } = output.summary;
const violations = output.summary.violations.filter(({ rule }) => rule.name !== CANARY);
for (const violation of violations) {
  console.error(`${violation.rule.name}: ${violation.from} -> ${violation.to}`);
}
if (violations.length === output.summary.violations.length) {
  console.error(`${totalCruised} modules cruised, but no rule was applied: main.ts does import config.ts`);
  process.exit(1);
}
console.log(`${totalCruised} modules, ${violations.length} layer violations`);
process.exit(violations.length === 0 ? 0 : 1);
