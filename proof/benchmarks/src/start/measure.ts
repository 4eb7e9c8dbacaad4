import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { signingKeys } from '../../grantkit/service.ts'
import { startWorker } from '../../peers/edge/running-worker.ts'
import { SIDES } from '../../peers/edge/sides.ts'
import { ROOT } from '../targets.ts'
import { bundleSize, ENTRIES, importTime, type Size } from './entries.ts'
import { type FirstAnswer, firstAnswer } from './first-answer.ts'
import { installServer, sizeOnDisk } from './installation.ts'

/** Fresh processes of each row. */
const STARTS = 5
const IMPORTS = 11

export interface Start {
  readonly imports: readonly {
    readonly entry: string
    readonly times: readonly number[]
    readonly size: Size
  }[]
  readonly services: Readonly<Record<string, readonly FirstAnswer[]>>
  readonly grants: { readonly count: number; readonly bytes: number }
  readonly installed: ReturnType<typeof sizeOnDisk>
}

/** @param grants of which the memory is measured */
export async function measureStart(grants: number): Promise<Start> {
  const { folder, remove } = await installServer()
  try {
    const imports = await measureImports(folder)
    const services = await measureServices(folder)
    const installed = sizeOnDisk(folder)
    return { imports, services, installed, grants: { count: grants, bytes: await bytesOfGrant(grants) } }
  } finally {
    await remove()
  }
}

/** The entries alternate: a slow second of the machine is one of each. */
async function measureImports(folder: string): Promise<Start['imports']> {
  const times = ENTRIES.map((): number[] => [])
  for (let round = 0; round < IMPORTS; round++)
    ENTRIES.forEach((entry, index) => void times[index]?.push(importTime(entry, folder)))
  return Promise.all(
    ENTRIES.map(async (entry, index) => ({
      entry,
      times: times[index] ?? [],
      size: await bundleSize(entry, folder),
    })),
  )
}

/** In the mode of development, which needs neither secrets nor https. Each process has new files. */
async function measureServices(installed: string): Promise<Start['services']> {
  const rows: Record<string, () => Promise<FirstAnswer>> = {
    '`grantkit start`, SQLite': () =>
      withNewFiles((environment) => {
        const args = ['node_modules/@grantkit/server/dist/bin.js', 'start']
        return firstAnswer({ args, folder: installed, environment })
      }),
    'the reference service, SQLite, from source': () =>
      withNewFiles((environment) =>
        firstAnswer({ args: ['apps/reference/src/main.ts'], folder: ROOT, environment }),
      ),
    'a Worker, Durable Objects': workerAnswer,
  }
  const measured: Record<string, FirstAnswer[]> = {}
  for (let start = 0; start < STARTS; start++)
    for (const [name, measure] of Object.entries(rows))
      measured[name] = [...(measured[name] ?? []), await measure()]
  return measured
}

async function withNewFiles<T>(run: (environment: Record<string, string>) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-start-'))
  const environment = {
    DATABASE_URL: `sqlite:${join(folder, 'accounts.db')}`,
    STORE_URL: `sqlite:${join(folder, 'records.db')}`,
    SECRET: 'a secret of the benchmark, long enough to pass',
    KEYS_FILE: join(folder, 'keys.json'),
  }
  await writeFile(environment.KEYS_FILE, JSON.stringify({ keys: await signingKeys() }))
  return run(environment).finally(() => rm(folder, { recursive: true }))
}

async function workerAnswer(): Promise<FirstAnswer> {
  const objects = SIDES.find(({ store }) => store === 'objects') ?? SIDES[0]
  if (objects === undefined) throw new Error('There is no Worker')
  const worker = await startWorker(objects)
  const answer = { milliseconds: worker.started ?? Number.NaN, memory: worker.memory() ?? Number.NaN }
  await worker.close()
  return answer
}

async function bytesOfGrant(grants: number): Promise<number> {
  const program = join(import.meta.dirname, 'grants-kept.ts')
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program, String(grants)])
  return Number(stdout)
}
