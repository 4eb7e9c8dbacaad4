/** What the tests use of the runtime, beside what the package does. */
declare module 'cloudflare:workers' {
  export const env: {
    readonly RECORDS: import('../../src/durable-objects.ts').RecordsNamespace
    readonly DB: import('../../src/d1.ts').Database
    readonly EMPTY: import('../../src/d1.ts').Database
  }
  export const exports: {
    readonly default: { fetch(request: Request): Promise<Response> }
  }
}

declare module 'cloudflare:test' {
  import type { DurableObjectContext } from 'cloudflare:workers'

  export function runInDurableObject<T>(
    stub: import('../../src/durable-objects.ts').RecordsStub,
    work: (instance: unknown, context: DurableObjectContext) => T | Promise<T>,
  ): Promise<T>
  export function runDurableObjectAlarm(
    stub: import('../../src/durable-objects.ts').RecordsStub,
  ): Promise<boolean>
}
