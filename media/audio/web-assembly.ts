/** What is used of WebAssembly: Node's types leave it to those of browsers. https://webassembly.github.io/spec/js-api/ */
interface WebAssemblyNamespace {
  Memory: new (size: { initial: number }) => WebAssemblyMemory;
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  Instance: new (module: object, imports: object) => { readonly exports: object };
}

/** Grows by pages of 64 KiB; its buffer is another one after it has grown, and the one before has no length any more. */
export interface WebAssemblyMemory {
  readonly buffer: ArrayBuffer;
  /** Throws RangeError beyond its maximum. */
  grow(pages: number): number;
}

export const PAGE_BYTES = 65_536;

export const { Memory, Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyNamespace })
  .WebAssembly;
