import { chmod, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Browser } from '@grantkit/testkit/client'

export interface BrowserCommand {
  /** A program that opens the address which it is given: for the variable BROWSER. */
  readonly path: string
  /** The requested scopes, request by request. */
  readonly asked: (string | null)[]
  close(): Promise<void>
}

/** A browser that programs start, with the user of a test in front of it, who signs in and goes back to the program. */
export async function browserCommand(browser: Browser, folder: string): Promise<BrowserCommand> {
  const asked: (string | null)[] = []
  const server = createServer(async (request, response) => {
    response.end()
    const address = await text(request)
    asked.push(new URL(address).searchParams.get('scope'))
    await fetch(await browser(address))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const opened = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const path = join(folder, 'browser.mjs')
  const program = `await fetch('${opened}', { method: 'POST', body: process.argv.at(-1) })`
  await writeFile(path, `#!${process.execPath}\n${program}\n`)
  await chmod(path, 0o755)
  return { path, asked, close: () => new Promise((closed) => void server.close(() => closed())) }
}
