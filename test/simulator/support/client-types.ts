import { join } from "node:path";
import ts from "typescript";

export interface TypedSample {
  /** Exported type of the client library, such as "MetaResponse". */
  readonly type: string;
  readonly value: unknown;
}

const ROOT = new URL("../../..", import.meta.url).pathname;

/** Type errors of JSON values against the client library's own types, by compiling them as literals. */
export function clientTypeErrors(module: string, samples: readonly TypedSample[]): string[] {
  const path = join(ROOT, "test/simulator/support/samples-in-memory.ts");
  const lines = samples.map(
    ({ type, value }, i) => `export const v${i}: client.${type} = ${JSON.stringify(value)};`,
  );
  const source = [`import type * as client from "${module}";`, ...lines].join("\n");
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const readSource = host.getSourceFile.bind(host);
  const isOurs = (name: string): boolean => name === path;
  host.getSourceFile = (name, ...rest) =>
    isOurs(name) ? ts.createSourceFile(name, source, ts.ScriptTarget.ES2023) : readSource(name, ...rest);
  const fileExists = host.fileExists.bind(host);
  host.fileExists = (name) => isOurs(name) || fileExists(name);
  const program = ts.createProgram([path], options, host);
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const line =
      diagnostic.start === undefined
        ? 0
        : ts.getLineAndCharacterOfPosition(diagnostic.file!, diagnostic.start).line;
    const sample = samples[line - 1]?.type ?? "?";
    return `${sample}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, " ")}`;
  });
}
