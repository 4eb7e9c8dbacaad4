/** Prints the bytes that a grant takes in the memory store: `grants-kept.ts <grants>`, in a process with `--expose-gc`. */
import { setImmediate } from 'node:timers/promises'
import { Client } from '../../grantkit/client.ts'
import { openService } from '../../grantkit/service.ts'

const grants = Number(process.argv[2])
const { server } = await openService('http://127.0.0.1:1')
// Compiles everything, and fills what is kept once.
await addGrants(500)
const before = await heapUsed()
await addGrants(grants)
console.log(((await heapUsed()) - before) / grants)

/** Each with an access token and a refresh token; a client and its users for a thousand. */
async function addGrants(count: number): Promise<void> {
  for (let added = 0; added < count; ) {
    const client = await Client.register(server)
    for (const end = Math.min(added + 1000, count); added < end; added++) await client.tokens()
  }
}

async function heapUsed(): Promise<number> {
  // Finalizers run between collections.
  for (let collection = 0; collection < 3; collection++) {
    globalThis.gc?.()
    await setImmediate()
  }
  return process.memoryUsage().heapUsed
}
