/** Memory that a kernel reads. Views of it stay valid when it grows, since it is shared. */
export interface KernelMemory {
  readonly buffer: SharedArrayBuffer;
  /** By pages of 64 kB. Throws a RangeError where there is no more. */
  grow(pages: number): number;
}

/** What a kernel exports: every array as the address where it begins. */
export type KernelFunction = (...numbers: readonly number[]) => number;

/** What is used of WebAssembly, whose types come with those of browsers only. */
declare const WebAssembly: {
  readonly Memory: new (limits: { initial: number; maximum: number; shared: true }) => KernelMemory;
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly tails: { readonly memory: KernelMemory } },
  ) => { readonly exports: unknown };
};

/** As in tail-kernel.wat: 1 MB, and at most 2 GB. 128 wallets with a position in each of 230 assets take half of it. */
const PAGES_FIRST = 16;
const PAGES_MAX = 32_768;

export function createKernelMemory(): KernelMemory {
  return new WebAssembly.Memory({ initial: PAGES_FIRST, maximum: PAGES_MAX, shared: true });
}

/** Compiles once what each memory is then given an instance of. */
export function compileKernel(
  codeBase64: string,
): (memory: KernelMemory) => Readonly<Record<string, KernelFunction>> {
  const module = new WebAssembly.Module(Buffer.from(codeBase64, "base64"));
  return (memory) =>
    new WebAssembly.Instance(module, { tails: { memory } }).exports as Readonly<
      Record<string, KernelFunction>
    >;
}
