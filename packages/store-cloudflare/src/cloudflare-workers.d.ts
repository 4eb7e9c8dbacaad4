/**
 * What this package uses of the runtime. The types of Cloudflare declare globals that the ones of Node declare as well; the
 * declarations of a release name only the module, so users read them with their own types of the runtime.
 */
declare module 'cloudflare:workers' {
  export abstract class DurableObject {
    constructor(ctx: DurableObjectContext, env: unknown)
    protected readonly ctx: DurableObjectContext
    alarm?(): void | Promise<void>
  }

  export interface DurableObjectContext {
    readonly storage: {
      readonly sql: { exec(statement: string, ...values: unknown[]): Cursor }
      getAlarm(): Promise<number | null>
      setAlarm(milliseconds: number): Promise<void>
    }
    blockConcurrencyWhile<T>(work: () => Promise<T>): Promise<T>
  }

  interface Cursor {
    toArray(): Record<string, unknown>[]
    readonly rowsWritten: number
  }
}
