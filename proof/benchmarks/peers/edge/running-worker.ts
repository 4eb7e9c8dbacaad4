import { readFileSync } from 'node:fs'
import type { Database } from '@grantkit/store-cloudflare/d1'
import { migrate } from '@grantkit/store-cloudflare/d1'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { bundle } from './bundle.ts'
import type { Side } from './sides.ts'

export interface RunningWorker {
  readonly url: string
  /** From the start of the process to its first answer, in milliseconds, in steps of 10; of Linux only. */
  readonly started: number | undefined
  /** Resident bytes; of Linux only. */
  memory(): number | undefined
  close(): Promise<void>
}

type Settings = Pick<Side, 'worker' | 'bindings'>

/** The first one with `nodejs_compat` by default. */
const COMPATIBILITY_DATE = '2026-08-04'

/** A Worker in a process of its own, with empty stores. */
export async function startWorker({ worker, bindings }: Settings): Promise<RunningWorker> {
  const others = new Set(runtimes())
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: 'benchmark',
      modules: true,
      script: await bundle(worker),
      compatibilityDate: COMPATIBILITY_DATE,
      // Without the second one the peer warns that a feature is off, which is not used here.
      compatibilityFlags: ['nodejs_compat', 'global_fetch_strictly_public'],
      log: new Log(LogLevel.ERROR),
      // It would fetch an example of that from the internet.
      cf: false,
      // Without the Worker of the emulator that is before each request otherwise.
      unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
      ...bindings,
    } as never),
  )
  const url = (await miniflare.unsafeGetDirectURL()).href.slice(0, -1)
  await (await fetch(`${url}/.well-known/oauth-authorization-server`)).text()
  const process = runtimes().find((id) => !others.has(id))
  const started = process === undefined ? undefined : ageOf(process)
  if ('d1Databases' in bindings) await migrate((await miniflare.getD1Database('DB')) as unknown as Database)
  return {
    url,
    started,
    memory: () => (process === undefined ? undefined : memoryOf(process)),
    close: () => miniflare.dispose(),
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Another system, or a process that has ended.
    return undefined
  }
}

/** The processes of workerd that this one has started. */
function runtimes(): string[] {
  const children = read(`/proc/self/task/${process.pid}/children`)?.trim().split(' ') ?? []
  return children.filter((id) => read(`/proc/${id}/comm`)?.trim() === 'workerd')
}

/** Linux counts the start of a process in hundredths of a second since it booted. */
function ageOf(id: string): number | undefined {
  const [uptime] = read('/proc/uptime')?.split(' ') ?? []
  // Its name, in brackets, is the second field and may have spaces.
  const start = read(`/proc/${id}/stat`)?.split(') ')[1]?.split(' ')[19]
  return Math.round((Number(uptime) * 100 - Number(start)) * 10)
}

function memoryOf(id: string): number | undefined {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(read(`/proc/${id}/status`) ?? '') ?? []
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}
