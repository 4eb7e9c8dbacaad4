import { expect } from 'vitest'
import { answering, OTHER_PUBLIC_ADDRESS, PUBLIC_ADDRESS } from './bench.ts'
import { withEnvironment } from './environment.ts'
import type { Statement } from './statement.ts'

const TELLS_TOO_MUCH =
  /^(cookie|referer|origin|authorization|proxy-authorization|from|x-forwarded-\w+|forwarded):/im

export const privacyStatements: readonly Statement[] = [
  {
    name: 'sends the accept header, and the name of the host',
    async prove(bench) {
      const host = await bench.host()
      const headers = { 'if-none-match': '"a"' }
      await bench.fetch('https://app.dev/a%20b?c=d', { accept: 'application/jwk-set+json', headers })
      const [request = ''] = host.requests
      expect(request).toMatch(/^GET \/a%20b\?c=d HTTP\/1\.1\r\n/)
      expect(request).toMatch(/^host: app\.dev\r$/im)
      expect(request).toMatch(/^accept: application\/jwk-set\+json\r$/im)
      expect(request).toMatch(/^accept-encoding: identity\r$/im)
      expect(request).toMatch(/^if-none-match: "a"\r$/im)
    },
  },
  {
    name: 'sends nothing about the user, and keeps no cookie',
    async prove(bench) {
      const host = await bench.host({ serve: answering('{}', ['Set-Cookie: id=1; Path=/; Secure']) })
      await bench.fetch()
      await bench.fetch()
      expect(host.requests).toHaveLength(2)
      expect(host.requests.filter((request) => TELLS_TOO_MUCH.test(request))).toEqual([])
    },
  },
  {
    name: 'has a look-up and a connection of its own for every document',
    async prove(bench) {
      const serve = answering()
      const host = await bench.host({ serve })
      await Promise.all([bench.fetch('https://app.dev/1'), bench.fetch('https://app.dev/2')])
      await bench.fetch('https://app.dev/3')
      expect(bench.internet.dialled).toEqual(Array(3).fill(`${PUBLIC_ADDRESS}:443`))
      expect(host.requests.map((request) => request.slice(4, 6)).sort()).toEqual(['/1', '/2', '/3'])
    },
  },
  {
    name: 'does not let one document hold up another',
    async prove(bench) {
      await bench.host({ name: 'slow.dev', answers: [[OTHER_PUBLIC_ADDRESS]], serve: () => {} })
      await bench.host()
      const caller = new AbortController()
      const slow = bench.faultOf('https://slow.dev/client.json', { signal: caller.signal })
      expect(await bench.faultOf()).toBe('answer 200')
      caller.abort()
      await slow
    },
  },
  {
    name: 'takes no proxy from the environment',
    async prove(bench) {
      await bench.host()
      const proxy = `http://${OTHER_PUBLIC_ADDRESS}:3128`
      const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY']
      const variables = names.flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, proxy])
      const all = { ...Object.fromEntries(variables), NODE_USE_ENV_PROXY: '1' }
      expect(await withEnvironment(all, () => bench.faultOf())).toBe('answer 200')
      expect(bench.internet.dialled).toEqual([`${PUBLIC_ADDRESS}:443`])
    },
  },
]
