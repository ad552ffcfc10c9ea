import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";

export const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** Makes a certificate for 127.0.0.1 that signs itself, and its key. */
export function selfSignedFiles(directory: string): { readonly certFile: string; readonly keyFile: string } {
  const [certFile, keyFile] = [join(directory, "cert.pem"), join(directory, "key.pem")];
  const kind = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  const files = ["-keyout", keyFile, "-out", certFile];
  execFileSync("openssl", ["req", ...kind, ...subject, ...files], { stdio: "ignore" });
  return { certFile, keyFile };
}
