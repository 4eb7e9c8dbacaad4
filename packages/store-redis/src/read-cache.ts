import { BasicPooledClientSideCache } from '@redis/client'

/**
 * Redis notifies each connection which of its read keys have changed (RESP3 client tracking), so a revocation reaches
 * every replica as fast as the network does. Use it only for stores that guard an API: code that changes grants must
 * read the current record.
 */
export interface ReadCache {
  /** The younger half of them is always kept. */
  readonly maxEntries: number
  /** The maximum age of a cached record in milliseconds, in case the network fails unnoticed. */
  readonly ttl: number
}

interface Reply {
  readonly text: ReturnType<Call[2]>
  /** On the clock of `performance`, in milliseconds. */
  readonly expiresAt: number
}

type Call = Parameters<BasicPooledClientSideCache['handleCache']>

/** Replies of GET by key. The cache of `@redis/client` never forgets the keys of what has left it, this one does. */
export class CachedReplies extends BasicPooledClientSideCache {
  #young = new Map<string, Reply>()
  #old = new Map<string, Reply>()
  #disabled = false

  override async handleCache(...[, parser, send, transform, typeMapping]: Call) {
    const [command, key] = parser.redisArgs
    const cached = command === 'GET' && key !== undefined && !this.#disabled
    const reply = await (cached ? this.#read(key.toString(), send) : send())
    return transform === undefined ? reply : transform(reply, parser.preserve, typeMapping)
  }

  #read(key: string, send: Call[2]): Reply['text'] {
    const kept = this.#young.get(key) ?? this.#old.get(key)
    const reply = kept !== undefined && performance.now() < kept.expiresAt ? kept : this.#sent(key, send)
    this.#keep(key, reply)
    return reply.text
  }

  #sent(key: string, send: Call[2]): Reply {
    const reply = { text: send(), expiresAt: performance.now() + this.ttl }
    reply.text.catch(() => this.#forget(key, reply))
    return reply
  }

  #keep(key: string, reply: Reply): void {
    // A whole Map is dropped at once: deleting the first entry of a large Map takes longer with every deletion.
    if (this.#young.size >= this.maxEntries / 2 && !this.#young.has(key))
      [this.#old, this.#young] = [this.#young, new Map()]
    this.#young.set(key, reply)
  }

  #forget(key: string, reply: Reply): void {
    for (const replies of [this.#young, this.#old]) if (replies.get(key) === reply) replies.delete(key)
  }

  override invalidate(key: Parameters<BasicPooledClientSideCache['invalidate']>[0]): void {
    if (key === null) this.clear()
    else for (const replies of [this.#young, this.#old]) replies.delete(key.toString())
  }

  override clear(): void {
    this.#young.clear()
    this.#old.clear()
  }

  override size(): number {
    return this.#young.size + this.#old.size
  }

  /** A cluster that is still discovering its nodes gets no invalidations. */
  override disable(): void {
    this.#disabled = true
  }

  override enable(): void {
    this.#disabled = false
  }
}
