import { createHash } from 'node:crypto'

/** The commands that the store needs of a client of `@redis/client`: a single node, a cluster or a sentinel. */
export interface RedisCommands {
  get(key: string): Promise<string | null>
  del(key: string): Promise<number>
  eval(script: string, input: ScriptInput): Promise<unknown>
  evalSha(sha1: string, input: ScriptInput): Promise<unknown>
  zRem(key: string, members: string[]): Promise<number>
  scan(cursor: string, options: { MATCH: string; COUNT: number }): Promise<{ cursor: string; keys: string[] }>
  wait(replicas: number, milliseconds: number): Promise<number>
  /** Only a cluster has primaries and their clients: each is scanned by itself. */
  readonly masters?: readonly { readonly address: string }[]
  nodeClient?(master: object): Scanned | Promise<Scanned>
}

export type Scanned = Pick<RedisCommands, 'scan'>

export interface ScriptInput {
  readonly keys: string[]
  readonly arguments: string[]
}

/** A script that is sent by its hash, and in full only if the server does not have it. */
export function script(text: string): (redis: RedisCommands, input: ScriptInput) => Promise<unknown> {
  const sha1 = createHash('sha1').update(text).digest('hex')
  return (redis, input) =>
    redis.evalSha(sha1, input).catch((error: Error) => {
      // If the server does not know the script, nothing has run, so sending it again is safe.
      if (error.message.startsWith('NOSCRIPT')) return redis.eval(text, input)
      throw error
    })
}
