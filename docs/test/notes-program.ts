/** The program of docs/how-to/mcp.md, as it is, on a free port, and what the next page adds to it. */
import { join } from 'node:path'
import type { AuthorizationServer } from '@grantkit/core'
import { serve } from '@hono/node-server'
import { codeBlocks, extract, folderOf } from './code-blocks.ts'

const PAGE = 'docs/how-to/mcp.md'
const NEXT_PAGE = 'docs/how-to/mcp-frameworks-and-clients.md'

export interface NotesProgram {
  readonly origin: string
  readonly clients: AuthorizationServer['clients']
  /** Uses the guard of the SDK, which the next page shows. */
  guardedBySdk(request: Request): Promise<Response>
  close(): Promise<void>
}

/** @param name of the folder that the program is written to, another one for each test file */
export async function startNotes(name: string): Promise<NotesProgram> {
  const folder = join(import.meta.dirname, '../.code-blocks', name)
  const blocks = codeBlocks().filter(({ page }) => page === PAGE || page === NEXT_PAGE)
  // A reader has the files of both pages in one folder.
  extract(
    blocks.map((block) => ({ ...block, page: PAGE })),
    folder,
  )
  let app: { fetch(request: Request): Response | Promise<Response> }
  const { server, port } = await new Promise<{ server: ReturnType<typeof serve>; port: number }>(
    (listening) => {
      const fetch = (request: Request) => app.fetch(request)
      const server = serve({ fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
        listening({ server, port }),
      )
    },
  )
  const origin = `http://127.0.0.1:${port}`
  process.env.ISSUER = origin
  const load = (file: string) => import(join(folder, folderOf(PAGE), file))
  const program = await load('mcp.ts')
  app = program.app
  const { serve: guardedBySdk } = await load('with-the-guard-of-the-sdk.ts')
  delete process.env.ISSUER
  const close = () => new Promise<void>((closed) => void server.close(() => closed()))
  return { origin, clients: program.server.clients, guardedBySdk, close }
}
