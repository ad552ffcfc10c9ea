/**
 * The first minor version that will do of each major that the HTTP library's package has binaries for. On Linux npm installs
 * a later one, for npm's own scripts.
 */
const FIRST_MINORS = new Map([
  [20, 19],
  [22, 13],
]);

/** What a person can do about a version that the service cannot run on. Units: as process.versions.node has it */
export function faultOfNode(version: string): string | undefined {
  const [major, minor] = version.split(".").map(Number) as [number, number];
  if (minor >= (FIRST_MINORS.get(major) ?? Infinity)) return undefined;
  const fitting = Array.from(FIRST_MINORS, ([fit, first]) => `${fit} (from ${fit}.${first} on)`).join(" or ");
  return `Breakwater runs on Node.js ${fitting}, because its HTTP library has no binary for others; this is ${version}. On Linux node_modules/.bin/node fits`;
}

// Modules are evaluated in the order of their imports, and the library throws when its own is.
const fault = faultOfNode(process.versions.node);
if (fault !== undefined) {
  process.stderr.write(`${fault}\n`);
  process.exit(2);
}
