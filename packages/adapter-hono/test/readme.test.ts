import { readFile } from 'node:fs/promises'
import { freePort } from '@grantkit/test-servers/free-port'
import { describe, expect, it } from 'vitest'
import { approve, redeem, register } from './runtimes/flow.ts'

const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')

describe('the program of the README', () => {
  it('is the one that is compiled and run here', async () => {
    expect(await read('../README.md')).toContain(await read('./quick-start.ts'))
  })

  it('serves a whole flow', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    process.env.PORT = String(port)
    await import('./quick-start.ts')
    const client = await register(url)
    const { access_token } = await redeem(url, client, await approve(url, client, 'notes:read'))
    const headers = { authorization: `Bearer ${access_token}` }
    expect(await (await fetch(`${url}/notes`, { headers })).json()).toEqual(['a note of alice'])
    expect(await (await fetch(`${url}/notes`)).json()).toEqual([])
  })
})
