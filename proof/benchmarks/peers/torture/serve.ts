/** The process of a row: `serve.ts <file> <port> <store>`. It tells what the kit needs, and ends with the process that started it. */
import { join } from 'node:path'
import type { StartRaced } from './raced-server.ts'

const [, , file = '', port = '', store = ''] = process.argv
const { start } = (await import(join(import.meta.dirname, file))) as { start: StartRaced }
const { close, ...server } = await start(Number(port), store)
process.once('disconnect', async () => {
  await close?.()
  process.exit()
})
process.send?.(server)
