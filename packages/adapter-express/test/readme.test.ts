import { readFile } from 'node:fs/promises'
import { freePort } from '@grantkit/test-servers/free-port'
import { testClient } from '@grantkit/testkit/client'
import { describe, expect, it } from 'vitest'

const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')

describe('the quick start of the README', () => {
  it('is the program that is compiled and run here', async () => {
    expect(await read('../README.md')).toContain(`\`\`\`ts\n${await read('./quick-start.ts')}\`\`\``)
  })

  it('serves a whole flow', async () => {
    process.env.PORT = `${await freePort()}`
    await import('./quick-start.ts')
    const base = `http://127.0.0.1:${process.env.PORT}`
    const { access_token } = await (await testClient(base)).tokens('notes:read')
    const headers = { authorization: `Bearer ${access_token}` }
    expect(await (await fetch(`${base}/notes`, { headers })).json()).toEqual(['a note of alice'])
    expect((await fetch(`${base}/notes`)).status).toBe(401)
  })
})
