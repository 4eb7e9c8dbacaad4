import { NoReplyError, withTimeout } from './attempt.ts'

/** The part of a single node's client that the heartbeat needs: ping and reconnect. */
export interface Pinged {
  readonly isReady: boolean
  ping(): Promise<unknown>
  destroy(): void
  connect(): Promise<unknown>
}

const INTERVAL_MS = 1000
const SILENCE_MS = 2000

/**
 * Replaces a connection that has gone silent. If a network drops packets without refusing them, TCP would keep a dead
 * connection for a quarter of an hour.
 *
 * @param nodes called at every beat, because the nodes of a cluster change
 * @returns a function that stops the heartbeat
 */
export function reconnectWhenSilent(nodes: () => readonly Pinged[]): () => void {
  const beat = setInterval(() => {
    for (const node of nodes()) if (node.isReady) void check(node)
  }, INTERVAL_MS).unref()
  return () => clearInterval(beat)
}

async function check(node: Pinged): Promise<void> {
  try {
    await withTimeout(SILENCE_MS, node.ping())
  } catch (error) {
    if (!(error instanceof NoReplyError) || !node.isReady) return
    node.destroy()
    // It retries like any broken connection, and reports to `onError`.
    node.connect().catch(() => {})
  }
}
