import { drive } from './load.ts'
import type { Effort } from './options.ts'
import { TargetProcess } from './target-process.ts'
import type { TargetRow } from './targets.ts'
import { isExpectedStatus, WORK } from './work.ts'

export interface GrantMemory {
  readonly target: string
  readonly grants: number
  /** Growth of the heap and its buffers, for one grant with a live access and refresh token. */
  readonly bytesPerGrant: number
}

/** Fills a target with live grants, through its own code exchange. */
export async function measureMemory(row: TargetRow, effort: Effort): Promise<GrantMemory> {
  const target = await TargetProcess.start(row.file)
  try {
    return await fill(row, target, effort)
  } finally {
    await target.stop()
  }
}

/** Small, so that no code expires before its turn. */
const BATCH = 1000

async function fill({ name }: TargetRow, target: TargetProcess, effort: Effort): Promise<GrantMemory> {
  await redeem(target, BATCH, effort.connections)
  const before = await heapOf(target)
  const end = Date.now() + effort.memorySeconds * 1000
  let grants = 0
  while (grants < effort.grants && Date.now() < end) {
    await redeem(target, BATCH, effort.connections)
    grants += BATCH
  }
  return { target: name, grants, bytesPerGrant: ((await heapOf(target)) - before) / grants }
}

async function redeem(target: TargetProcess, count: number, connections: number): Promise<void> {
  const { requests = [] } = await target.ask({ do: 'prepare', work: 'code', count })
  const expected = (status: number) => isExpectedStatus(WORK.code, status)
  await drive({
    port: target.port,
    requests: requests.map((text) => Buffer.from(text)),
    connections,
    expected,
  })
}

async function heapOf(target: TargetProcess): Promise<number> {
  await target.ask({ do: 'measure', collect: 'all' })
  const { heapBytes = 0 } = await target.ask({ do: 'measure', collect: 'all' })
  return heapBytes
}
