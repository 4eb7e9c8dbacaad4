/** Writes grants and names each acknowledged write on its standard output, until it is killed. */
import { writeSync } from 'node:fs'
import { createSqliteStore } from '../../src/index.ts'
import { begun } from './process.ts'

const { path, grant, end } = await begun()
const { grants } = createSqliteStore({ path })
const say = (write: string) => writeSync(1, `${write}\n`)

/** Several at once share commits. */
await Promise.all(Array.from({ length: 8 }, (_, writer) => write(`${process.pid}-${writer}`)))

async function write(name: string): Promise<void> {
  for (let count = 0; ; count++) {
    const id = `${name}-${count}`
    await grants.insert(id, grant, end)
    say(`inserted ${id}`)
    const seen = await grants.find(id)
    if (seen !== undefined) await grants.replace(id, seen, { ...grant, usedAt: 2 }, end)
    say(`replaced ${id}`)
    if (count % 2 === 0) continue
    await grants.remove(id)
    say(`removed ${id}`)
  }
}
