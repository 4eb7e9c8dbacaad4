/** Writes grants until the disk takes no more, and reports what the store says then. */
import { createSqliteStore } from '../../src/index.ts'
import { begun } from './process.ts'

export interface Filled {
  readonly error: string
  /** Whether the grant that was acknowledged last, and the refused one, are found. */
  readonly lastIsThere: boolean
  readonly refusedIsThere: boolean
}

const { path, grant, end } = await begun()
const store = createSqliteStore({ path })
const said = (error: Error) => error.message

let count = 0
let error = ''
for (; error === ''; count++)
  error = await store.grants.insert(`grant-${count}`, grant, end).then(() => '', said)
const isThere = async (position: number) => (await store.grants.find(`grant-${position}`)) !== undefined
process.send?.({
  error,
  lastIsThere: await isThere(count - 2),
  refusedIsThere: await isThere(count - 1),
} satisfies Filled)
process.disconnect()
