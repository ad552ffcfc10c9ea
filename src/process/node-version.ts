/** Those that the HTTP library's package has binaries for. On Linux npm installs one of them, for npm's own scripts. */
const MAJORS = [20, 22];

/** What a person can do about a version that the service cannot run on. Units: as process.versions.node has it */
export function faultOfNode(version: string): string | undefined {
  if (MAJORS.includes(Number.parseInt(version, 10))) return undefined;
  return `Breakwater runs on Node.js ${MAJORS.join(" or ")}, because its HTTP library has no binary for others; this is ${version}. On Linux node_modules/.bin/node fits`;
}

// Modules are evaluated in the order of their imports, and the library throws when its own is.
const fault = faultOfNode(process.versions.node);
if (fault !== undefined) {
  process.stderr.write(`${fault}\n`);
  process.exit(2);
}
