/** The code of the how-tos works: the store and the adapter keep their promises, the tests pass. */
import { join } from 'node:path'
import { describeAdapter, describeStore } from '@grantkit/testkit'
import { codeBlocks, extract, folderOf } from './code-blocks.ts'

const FOLDER = join(import.meta.dirname, '../.code-blocks/run')
extract(codeBlocks(), FOLDER)
const load = (page: string, file: string) => import(join(FOLDER, folderOf(page), file))

const { createSqliteStore } = await load('docs/how-to/store.md', 'sqlite-store.ts')
describeStore('of the how-to', ({ now }) => ({ store: createSqliteStore(':memory:', now) }), {
  transients: true,
})

const { createApp } = await load('docs/how-to/adapter.md', 'node-http.ts')
describeAdapter('of the how-to', async (routes) => {
  const app = createApp(routes)
  await new Promise<void>((listening) => app.listen(0, '127.0.0.1', listening))
  const close = () => new Promise<void>((closed) => app.close(() => closed()))
  return { url: `http://127.0.0.1:${app.address().port}`, close }
})

// These files hold their own tests.
await load('docs/how-to/test.md', 'notes-server.test.ts')
await load('docs/how-to/test.md', 'notes-route.test.ts')
await load('docs/how-to/feature.md', 'vouchers.test.ts')
await load('docs/how-to/watch.md', 'last-calls.test.ts')
