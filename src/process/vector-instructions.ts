/** What is used of WebAssembly, whose types come with those of browsers only. */
declare const WebAssembly: { readonly validate: (code: Uint8Array) => boolean };

/** The smallest module with a vector: a function that makes one (i8x16.splat) and drops it. */
const CODE = Buffer.from("0061736d01000000010401600000030201000a090107004100fd0f1a0b", "hex");

// Modules are evaluated in the order of their imports, and the kernel is compiled when its own is.
if (!WebAssembly.validate(CODE)) {
  process.stderr.write(
    "Breakwater needs a processor with vector instructions that WebAssembly can use, on x86-64 SSE4.1. A virtual machine may hide them: give it the host's processor model\n",
  );
  process.exit(2);
}
