import { NoReplyError, within } from './attempt.ts'

/** As much of a client of one node as it takes to see that it is there, and to start over when it is not. */
export interface Pinged {
  readonly isReady: boolean
  ping(): Promise<unknown>
  destroy(): void
  connect(): Promise<unknown>
}

const INTERVAL_MS = 1000
const SILENCE_MS = 2000

/**
 * Begins a new connection where the present one has gone silent. Without it a network that drops packets, rather than
 * refuse them, keeps a connection that nobody answers any more for as long as TCP goes on trying: a quarter of an hour.
 *
 * @param nodes asked at every beat, since a cluster's nodes change
 * @returns how to stop
 */
export function reconnectWhenSilent(nodes: () => readonly Pinged[]): () => void {
  const beat = setInterval(() => {
    for (const node of nodes()) if (node.isReady) void check(node)
  }, INTERVAL_MS).unref()
  return () => clearInterval(beat)
}

async function check(node: Pinged): Promise<void> {
  try {
    await within(SILENCE_MS, node.ping())
  } catch (error) {
    if (!(error instanceof NoReplyError) || !node.isReady) return
    node.destroy()
    // It tries on as any broken connection does, and tells `onError`.
    node.connect().catch(() => {})
  }
}
